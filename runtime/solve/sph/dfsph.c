/* SPDX-License-Identifier: MIT
   runtime/solve/sph/dfsph.c - the sub-step of the incompressible fluid: a table of passes, and what
           each does to particles.
   reads   the back set, sums of pairs, kept pressures
   writes  velocities, kept pressures
   memory  none of its own
   cost    one unit per particle and pass; the sweeps are in dfsph_pairs.c
   after   Bender and Koschier 2015. Deviations: fixed numbers of iterations, Chebyshev iteration of
           the fourth kind (Phillips and Fischer 2022), a warm start from the mean pressure and a
           part of the last one's difference from it, longer steps see more of a compression */
#include "dfsph_terms.h"
#include "central_terms.h"
#include "../solve_lanes.h"
#include "../link.h"
#include "../../world/wall_lanes.h"
#include "../../world/load.h"

/* ---- constants of the iteration ---- */

/* The warm start follows the pressure at this rate, and its mean in full. A larger rate is stiffer;
   from 0.5 on the delay of a sub-step takes the damping from waves of pressure. Species of unequal
   masses come near that rate: without such waves a light film below a heavy fluid, which starts
   flat, sticks to its lattice. Light particles below three layers of the heaviest fluid have up to
   DFSPH_START_RATE_LIGHT more, in proportion to what their mass lacks and to their compression, in
   full from DFSPH_START_LIGHT_FULL on: a film is too thin for waves, and the load of a heavy fluid
   would press single particles through it. Where none is compressed they have no more: waves of
   pressure around those that stay below would never end. Those of a deep light fluid have no such
   load. */
#define DFSPH_START_RATE       0.4f
#define DFSPH_START_RATE_MIXED 0.5f
#define DFSPH_START_RATE_LIGHT 0.4f
#define DFSPH_START_LIGHT_FULL 0.01f
/* The mean follows the pressure at this rate per sub-step, at most. It is the integral of a
   controller: a slow wave of pressure grows if the rate exceeds 1.1 times its eigenvalue. The
   slowest wave of a column of H layers has the eigenvalue 6 / H^2 (2D: 8 / H^2). So the rate is at
   most DFSPH_MEAN_DEEP / D^2 below D layers, D from the mean pressure itself. A fluid that starts
   without pressure soon has it. */
#define DFSPH_MEAN_RATE       0.1f
#define DFSPH_MEAN_RATE_MIXED 0.03f
#define DFSPH_MEAN_DEEP       2.0f
/* Largest eigenvalue of the iterated matrix, 2.45 on a lattice in 3D. Two iterations diverge beyond
   1.25 times this. Larger ones converge slowly. */
#define DFSPH_EIGENVALUE 2.8f
/* The divergence iteration is a damped Jacobi iteration. */
#define DFSPH_DAMPING 0.5f
/* Largest pressure times the time step, in spacing^2 / dt: few terms of velocity are clamped. */
#define DFSPH_PRESSURE_MAX 8.0f
/* Species of unequal masses: a step corrects so many times as much of a compression. */
#define DFSPH_CORRECTION_MIXED 4.0f
/* Definitions of shorter steps than so many times sqrt(spacing / g) see a part of a compression. */
#define DFSPH_SHARE_TIME 0.025f
/* Pressure over density times (dt / spacing)^2, at most: a deeper column swings without end. */
#define DFSPH_DEPTH_MAX 1.4f
#define DFSPH_GRAVITY   9.81f /* m/s^2: in worlds without gravity, or almost */
/* Where a step would add a compression above the first by the approach that it begins with, steps
   get shorter in proportion: up to this many times. */
#define DFSPH_SQUEEZE      0.04f
#define DFSPH_SQUEEZE_MOST 4.0f
/* The same for the mean of all particles: a block that lands flat is squeezed as a whole, by
   little in each step, and what two iterations see of it is a few layers. */
#define DFSPH_SQUEEZE_MEAN 0.002f

/* 3D: the share of a wall is that beyond a plane so many support radii behind its surface. There a
   lattice whose first row is half a spacing from the surface has its rest density in each row. */
#define DFSPH_WALL_BEHIND 0.0784f

/* 3D: an even pressure holds a light particle in the first row at a wall by a tenth more than the
   wall pushes. All particles pushed by so much more would swing: so only light ones are, where
   dfsph_lack says so. */
#define DFSPH_PUSH_LIGHT 0.2f

/* Arrays of the back set, and constants of the step. */
typedef struct dfsph_slice {
    float *x[3], *v[3], *wall[3];
    float *normal[3];       /* null without cohesion */
    float *density;         /* relative to that at rest */
    float *inverse;         /* 1 / A, m^2; A is the square of the gradients of a density */
    float *change;          /* of pressures, times the time step: m^2/s */
    float *wall_rate;       /* 1/s: change of densities by moving walls */
    float *pressure, *mean; /* kept, back set, m^2/s^2 */
    const float *old_pressure, *old_mean; /* front set */
    const float *temperature;             /* null: no heat */
    int32_t *sums[3], *divergence;
    const uint32_t *order;
    const tpi_field_plan *fields;
    tpi_dfsph_constants constants;
    float timestep, per_step; /* s, 1/s */
    float step_whole;         /* s: a step, where no particle is compressed */
    float correction;         /* largest share of the density that a step corrects */
    float line_unit;          /* m/s: velocity per count */
    float pressure_max;       /* m^2/s */
    float mean_rate;          /* of the mean, at most */
    float start_rate;         /* of the warm start, without a load */
    float layers;             /* s^2/m^2: layers per pressure */
    float share;              /* part of a compression that the step sees */
    float part;               /* of the definition's step that the step takes, 1 at most */
    float momentum, gain;     /* of the iteration at hand */
    bool is_last, relaxes;    /* the last iteration; there are divergence iterations */
    bool has_walls, is_uniform;
    const tpi_wall_plan *walls;
    float mass[TP_SPECIES_MAX], inverse_mass[TP_SPECIES_MAX]; /* in that of the heaviest species */
    float inverse_least;                                      /* largest inverse mass */
} dfsph_slice;

static bool dfsph_has_walls(const tp_world *world) { return tpi_colliders_used(world) > 0; }

static void dfsph_slice_arrays(const tp_world *world, dfsph_slice *s)
{
    const tpi_arrays *a = &world->arrays;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t from = axis < tpi_dimensions(world) ? axis : 0;
        s->x[axis] = tpi_back_x(world, from);
        s->v[axis] = tpi_back_v(world, from);
        s->wall[axis] = tpi_floats(world, a->own[TPI_DFSPH_WALL + from]);
        s->sums[axis] = tpi_integers(world, a->force[from]);
        s->normal[axis] = tpi_has_cohesion(&world->def)
                              ? tpi_central_array(world, TPI_CENTRAL_NORMAL + from)
                              : NULL;
    }
    s->density = tpi_sph_pressure_of(world);
    s->inverse = tpi_sph_near_pressure_of(world);
    s->change = tpi_floats(world, a->own[TPI_DFSPH_CHANGE]);
    s->wall_rate = tpi_floats(world, a->own[TPI_DFSPH_WALL_RATE]);
    s->divergence = tpi_integers(world, a->own[TPI_DFSPH_DIVERGENCE]);
    s->pressure = tpi_back_kept(world, TPI_DFSPH_PRESSURE);
    s->mean = tpi_back_kept(world, TPI_DFSPH_MEAN);
    s->old_pressure = tpi_front_kept(world, TPI_DFSPH_PRESSURE);
    s->old_mean = tpi_front_kept(world, TPI_DFSPH_MEAN);
    s->temperature = tpi_back_kept(world, TPI_KEPT_TEMPERATURE);
    s->order = tpi_words(world, a->order);
}

static void dfsph_slice_masses(const tp_world *world, dfsph_slice *s)
{
    s->inverse_least = 1.0f;
    for (uint32_t k = 0; k < TP_SPECIES_MAX; k++) {
        s->mass[k] = tpi_sph_of(world)->mass_share[k];
        s->inverse_mass[k] = 1.0f / s->mass[k];
        s->inverse_least = tpi_max(s->inverse_least, s->inverse_mass[k]);
    }
    s->is_uniform = s->inverse_least == 1.0f;
}

/* The part of a compression that a step sees: all of it in the definition's step, unless that is
   much shorter than a fall. Seen in full then, an overlap at the start would burst. Species of
   unequal masses see it in steps shorter than the definition's, too. */
static float dfsph_share(const dfsph_slice *s, float fall)
{
    float whole = DFSPH_SHARE_TIME * tpi_sqrt(s->constants.spacing / fall);
    if (!s->is_uniform) return tpi_min(s->constants.step / whole, 1.0f);
    return tpi_min(s->timestep / tpi_max(s->constants.step, whole), 1.0f);
}

/* Between a constant of equal masses and that of unequal ones. */
static float dfsph_mixed(const dfsph_slice *s, float equal, float unequal)
{
    return equal * (1.0f - s->constants.unequal) + unequal * s->constants.unequal;
}

/* `iteration`: of the density, from 1 on; 0 elsewhere. */
static void dfsph_slice_set(const tp_world *world, uint32_t iteration, dfsph_slice *s)
{
    const float k = (float)iteration, gravity = world->constants.gravity_length,
                fall = gravity > 1e-6f ? gravity : DFSPH_GRAVITY,
                limit = tpi_dfsph_timestep_limit(&world->def);
    dfsph_slice_arrays(world, s);
    dfsph_slice_masses(world, s);
    s->fields = NULL;
    s->walls = NULL;
    s->constants = tpi_sph_of(world)->dfsph;
    s->timestep = world->step.timestep;
    s->per_step = 1.0f / s->timestep;
    s->step_whole = tpi_clamp(world->def.sph.timestep_max, 0.25f * limit, limit);
    s->correction = s->timestep * tpi_sqrt(fall / s->constants.spacing);
    s->correction = s->correction * dfsph_mixed(s, 1.0f, DFSPH_CORRECTION_MIXED);
    s->part = tpi_min(s->timestep / s->constants.step, 1.0f);
    s->share = dfsph_share(s, tpi_max(fall, DFSPH_GRAVITY));
    s->mean_rate = dfsph_mixed(s, DFSPH_MEAN_RATE, DFSPH_MEAN_RATE_MIXED);
    s->start_rate = dfsph_mixed(s, DFSPH_START_RATE, DFSPH_START_RATE_MIXED);
    s->layers = 1.0f / (fall * s->constants.spacing);
    s->line_unit = s->constants.spacing * s->per_step * (1.0f / TPI_DFSPH_SCALE);
    s->pressure_max =
        DFSPH_PRESSURE_MAX * s->constants.spacing * s->constants.spacing * s->per_step;
    s->momentum = iteration > 1u ? (2.0f * k - 3.0f) / (2.0f * k + 1.0f) : 0.0f;
    s->gain = (8.0f * k - 4.0f) / ((2.0f * k + 1.0f) * DFSPH_EIGENVALUE) * s->per_step;
    s->is_last = iteration == world->def.sph.density_iterations;
    s->relaxes = world->def.sph.divergence_iterations > 0;
    s->has_walls = dfsph_has_walls(world);
}

/* ---- masses ---- */

TPI_INLINE tpi_lane_ints dfsph_species(const dfsph_slice *s, uint32_t i)
{
    return tpi_lane_ints_load(s->order + i) >> 24 & 7;
}

/* Values of particles times their inverse masses. */
TPI_INLINE tpi_lanes dfsph_per_mass(const dfsph_slice *s, uint32_t i, tpi_lanes value)
{
    if (TPI_LIKELY(s->is_uniform)) return value;
    return value * tpi_lanes_gather(s->inverse_mass, dfsph_species(s, i));
}

/* The stored densities are divided by the mass: see dfsph_push. */
TPI_INLINE tpi_lanes dfsph_density(const dfsph_slice *s, uint32_t i)
{
    tpi_lanes density = tpi_lanes_load(s->density + i);
    if (TPI_LIKELY(s->is_uniform)) return density;
    return density * tpi_lanes_gather(s->mass, dfsph_species(s, i));
}

/* ---- the warm start ---- */

/* The rate at which the mean pressure follows the pressure. */
TPI_INLINE tpi_lanes dfsph_mean_rate(const dfsph_slice *s, tpi_lanes mean)
{
    tpi_lanes deep = tpi_lanes_max(mean * s->layers, tpi_lanes_of(1.0f));
    return tpi_lanes_min(DFSPH_MEAN_DEEP / (deep * deep), tpi_lanes_of(s->mean_rate));
}

/* What the mass of particles lacks: in full below three layers of the heaviest fluid, none below
   one. */
TPI_INLINE tpi_lanes dfsph_lack(const dfsph_slice *s, uint32_t i, tpi_lanes mean)
{
    tpi_lanes loaded = tpi_lanes_clamp((mean * s->layers - 1.0f) * 0.5f, 0.0f, 1.0f);
    return loaded * (1.0f - tpi_lanes_gather(s->mass, dfsph_species(s, i)));
}

/* The rate of the warm start; pressures are those of the heaviest fluid. */
TPI_INLINE tpi_lanes dfsph_start_rate(const dfsph_slice *s, uint32_t i, tpi_lanes mean)
{
    if (TPI_LIKELY(s->is_uniform)) return tpi_lanes_of(s->start_rate);
    tpi_lanes pressed =
        tpi_lanes_clamp((dfsph_density(s, i) - 1.0f) * (1.0f / DFSPH_START_LIGHT_FULL), 0.0f, 1.0f);
    return s->start_rate + dfsph_lack(s, i, mean) * pressed * DFSPH_START_RATE_LIGHT;
}

/* The kept pressures of particles, m^2/s^2; returns the next means. Lanes after the last particle
   have no indices. */
TPI_INLINE tpi_lanes dfsph_mean_next(const dfsph_slice *s, uint32_t i, uint32_t count,
                                     tpi_lanes *pressure)
{
    tpi_lane_ints front = tpi_lane_ints_select(
        tpi_lanes_first(count), tpi_lane_ints_load(s->order + i) & 0xffffff, tpi_lane_ints_of(0));
    *pressure = tpi_lanes_gather(s->old_pressure, front);
    tpi_lanes last = tpi_lanes_gather(s->old_mean, front);
    return last + (*pressure - last) * dfsph_mean_rate(s, last);
}

/* The pressure that the warm start gives to particles, and their mean pressure: m^2/s^2. */
TPI_INLINE tpi_lanes dfsph_start_first(const dfsph_slice *s, uint32_t i, uint32_t count,
                                       tpi_lanes *mean)
{
    tpi_lanes pressure;
    *mean = dfsph_mean_next(s, i, count, &pressure);
    return *mean + (pressure - *mean) * dfsph_start_rate(s, i, *mean);
}

/* ---- the state at the begin of the step ---- */

/* What walls leave of a vector of particles, and what they add to it. The gradient and the rate are
   first those of the logarithm of the free share. */
typedef struct dfsph_cover {
    tpi_lanes free, gradient[3], rate;
} dfsph_cover;

/* Slope of the share beyond a plane at row k of the table, by the distance over the support radius.
   Behind the surface the share is 1 less that in front of it. */
TPI_INLINE tpi_lanes dfsph_wall_slope(const float *rows, tpi_lane_ints k, tpi_lanes after)
{
    tpi_lane_mask is_first = tpi_lane_ints_equal(k, tpi_lane_ints_of(0));
    tpi_lanes before =
        tpi_lanes_gather(rows, tpi_lane_ints_select(is_first, tpi_lane_ints_of(1), k - 1));
    before = tpi_lanes_select(is_first, 1.0f - before, before);
    return (after - before) * (0.5f * (float)TPI_SPH_WALL_ROWS);
}

/* Adds a wall, which is as dense as the fluid at rest. */
TPI_INLINE void dfsph_wall_add(const tp_world *world, const tpi_wall_lanes *wall,
                               dfsph_cover *cover)
{
    const float *rows = tpi_sph_wall_rows(tpi_dimensions(world), 0);
    const float inverse = tpi_sph_of(world)->inverse_radius;
    const float behind = tpi_dimensions(world) == 2 ? 0.0f : DFSPH_WALL_BEHIND,
                push = tpi_sph_of(world)->dfsph.push;
    const tpi_lanes none = tpi_lanes_of(0.0f);
    const tpi_lane_ints last = tpi_lane_ints_of((int32_t)TPI_SPH_WALL_ROWS - 1);
    tpi_lanes at = tpi_lanes_select(wall->is_wall, wall->distance * inverse, none) + behind;
    at = tpi_lanes_clamp(at, behind, 1.0f) * (float)TPI_SPH_WALL_ROWS;
    tpi_lane_ints k = tpi_lanes_truncate(tpi_lanes_min(at, tpi_lanes_from_ints(last)));
    tpi_lane_mask is_last = tpi_lane_ints_equal(k, last);
    tpi_lanes part = at - tpi_lanes_from_ints(k), row = tpi_lanes_gather(rows, k),
              next = tpi_lanes_gather(rows + 1, k);
    tpi_lanes after = tpi_lanes_gather(rows + 1, tpi_lane_ints_select(is_last, k, k + 1));
    after = tpi_lanes_select(is_last, none, after);
    tpi_lanes slope = dfsph_wall_slope(rows, k, next),
              change = dfsph_wall_slope(rows, k + 1, after) - slope;
    tpi_lanes left = 1.0f - (row + (next - row) * part);
    slope = (slope + change * part) * (inverse * push) / left;
    slope = tpi_lanes_select(wall->is_wall, slope, none);
    cover->free = cover->free * tpi_lanes_select(wall->is_wall, left, tpi_lanes_of(1.0f));
    cover->rate = cover->rate + slope * wall->advance;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        cover->gradient[axis] = cover->gradient[axis] + wall->normal[axis] * slope;
}

/* All sides of a collider that may be a wall for the particles `near`. */
static TPI_APART void dfsph_meet_collider(const tp_world *world, const tpi_collider_item *item,
                                          const tpi_lanes x[3], tpi_lane_mask near,
                                          tpi_lane_ints *work, dfsph_cover *cover)
{
    if (TPI_UNLIKELY(tpi_wall_has_planes(item))) {
        tpi_wall_lanes planes[TPI_WALL_PLANES];
        uint32_t count = tpi_wall_meets_planes(world, item, x, near, work, planes);
        for (uint32_t k = 0; k < count; k++) dfsph_wall_add(world, &planes[k], cover);
        return;
    }
    const tpi_wall_form form = tpi_wall_form_of(item);
    const uint32_t faces = tpi_wall_faces(world, item);
    for (uint32_t face = 0; face < faces; face++) {
        tpi_wall_lanes wall;
        if (tpi_wall_meets(world, item, form, face, x, near, &wall))
            dfsph_wall_add(world, &wall, cover);
    }
}

/* Walls push light particles below a heavy fluid more, see DFSPH_PUSH_LIGHT. */
static TPI_APART void dfsph_push_light(const dfsph_slice *s, uint32_t i, uint32_t count,
                                       dfsph_cover *cover)
{
    tpi_lanes pressure, mean = dfsph_mean_next(s, i, count, &pressure);
    tpi_lanes more = dfsph_lack(s, i, mean) * (DFSPH_PUSH_LIGHT * s->constants.unequal) + 1.0f;
    for (uint32_t axis = 0; axis < 3; axis++) cover->gradient[axis] = cover->gradient[axis] * more;
    cover->rate = cover->rate * more;
}

/* Finds the walls of a vector of particles; adds to the tally how many there may be. */
static void dfsph_meet_walls(const tp_world *world, const dfsph_slice *s, uint32_t i,
                             uint32_t count, tpi_tally *tally, dfsph_cover *cover)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots),
                   all = (1u << world->def.species_count) - 1u;
    tpi_lane_ints work = tpi_lane_ints_of(0);
    bool has_near = false;
    const float within = TPI_WALL_WITHIN * world->constants.smoothing_radius;
    tpi_lanes x[3] = {tpi_lanes_load(s->x[0] + i), tpi_lanes_load(s->x[1] + i), tpi_lanes_of(0.0f)};
    if (tpi_dimensions(world) == 3) x[2] = tpi_lanes_load(s->x[2] + i);
    const uint32_t end = tpi_colliders_end(world);
    const uint64_t left = tpi_walls_left(s->walls, end, x, within, tpi_dimensions(world));
    for (uint32_t slot = tpi_bounds_next(left, 0); slot < end;
         slot = tpi_bounds_next(left, slot + 1u)) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item)) continue;
        tpi_lane_mask near = tpi_wall_near(item, x, within, tpi_dimensions(world));
        near = tpi_lanes_and(near, tpi_lanes_first(count));
        if (TPI_LIKELY(!tpi_lanes_any(near))) continue;
        work = tpi_lane_ints_count(work, near);
        has_near = true;
        if ((item->def.species_mask & all) != all)
            near = tpi_wall_meeting(item, dfsph_species(s, i), near);
        dfsph_meet_collider(world, item, x, near, &work, cover);
    }
    if (TPI_LIKELY(!has_near)) return;
    tpi_wall_tally(tpi_lane_ints_sum(work), tally);
    for (uint32_t axis = 0; axis < 3; axis++)
        cover->gradient[axis] = cover->gradient[axis] * cover->free;
    cover->rate = cover->rate * cover->free * s->per_step;
    if (TPI_UNLIKELY(!s->is_uniform && tpi_dimensions(world) == 3))
        dfsph_push_light(s, i, count, cover);
}

/* Divergence times the time step: that of pairs, and that of walls. */
TPI_INLINE tpi_lanes dfsph_divergence(const tp_world *world, const dfsph_slice *s, uint32_t i)
{
    tpi_lanes pairs =
        tpi_lanes_from_ints(tpi_lane_ints_load(s->divergence + i)) * (1.0f / TPI_DFSPH_SCALE);
    if (!s->has_walls) return pairs;
    tpi_lanes rate = tpi_lanes_load(s->v[0] + i) * tpi_lanes_load(s->wall[0] + i) +
                     tpi_lanes_load(s->v[1] + i) * tpi_lanes_load(s->wall[1] + i);
    if (tpi_dimensions(world) == 3)
        rate = rate + tpi_lanes_load(s->v[2] + i) * tpi_lanes_load(s->wall[2] + i);
    return pairs + (rate - tpi_lanes_load(s->wall_rate + i)) * s->timestep;
}

/* Changes of pressures that take half of the approach from particles. A particle in a gap may
   approach others until the gap is closed. */
TPI_INLINE void dfsph_relax(const tp_world *world, const dfsph_slice *s, uint32_t i, uint32_t count)
{
    tpi_lanes gap = tpi_lanes_min(dfsph_density(s, i) - 1.0f, tpi_lanes_of(0.0f));
    tpi_lanes approach = tpi_lanes_max(dfsph_divergence(world, s, i) + gap, tpi_lanes_of(0.0f));
    tpi_lanes change = approach * (DFSPH_DAMPING * s->per_step) * tpi_lanes_load(s->inverse + i);
    tpi_lanes_store_first(s->change + i, change, count);
}

/* Compressions of a vector of particles, for the report. Larger ones than 8 count as 8 in the
   sum, which stays below 2^31 for a vector. */
TPI_INLINE void dfsph_compression(tpi_lanes density, uint32_t count, tpi_tally *tally)
{
    tpi_lanes compression = tpi_lanes_max(density - 1.0f, tpi_lanes_of(0.0f));
    compression = tpi_lanes_min(compression, tpi_lanes_of(8.0f));
    compression = tpi_lanes_select(tpi_lanes_first(count), compression, tpi_lanes_of(0.0f));
    tpi_lane_ints parts = tpi_lanes_truncate(compression * TPI_COMPRESSION_SCALE);
    tally->compression += (uint32_t)tpi_lane_ints_sum(parts);
    for (uint32_t k = 0; k < TPI_LANES; k++)
        tally->compression_max = tpi_max_u32(tally->compression_max, (uint32_t)TPI_LANE(parts, k));
}

/* Densities, and A = w |S|^2 + sum w' |J|^2, S the sum of all J, w the inverse mass; see
   tpi_dfsph_constants. A pair's w' is that of its lighter particle, which bounds the
   eigenvalues around a light particle among heavy ones. Clumps get a larger A, with which
   they do not burst. */
static void dfsph_densities(const tp_world *world, const dfsph_slice *s, uint32_t i, uint32_t count,
                            tpi_tally *tally)
{
    const float unit = 1.0f / TPI_DENSITY_SCALE, slope = s->constants.slope;
    dfsph_cover cover = {tpi_lanes_of(1.0f),
                         {tpi_lanes_of(0.0f), tpi_lanes_of(0.0f), tpi_lanes_of(0.0f)},
                         tpi_lanes_of(0.0f)};
    if (s->has_walls) dfsph_meet_walls(world, s, i, count, tally, &cover);
    tpi_lanes cubes = tpi_lanes_from_ints(tpi_lane_ints_load(s->density + i)) * unit,
              fourths = tpi_lanes_from_ints(tpi_lane_ints_load(s->inverse + i)) * unit;
    tpi_lanes density = (cubes + 1.0f) * s->constants.weight + (1.0f - cover.free);
    tpi_lanes square = tpi_lanes_of(0.0f);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes pairs = tpi_lanes_from_ints(tpi_lane_ints_load(s->sums[axis] + i)) * -unit;
        tpi_lanes gradient = pairs * slope + cover.gradient[axis];
        square = square + gradient * gradient;
        tpi_lanes_store_first(s->wall[axis] + i, cover.gradient[axis], count);
        if (s->normal[axis])
            tpi_lanes_store_first(s->normal[axis] + i, gradient * world->constants.smoothing_radius,
                                  count);
    }
    tpi_lanes whole = tpi_lanes_max(density, tpi_lanes_of(1.0f));
    tpi_lanes least = dfsph_per_mass(s, i, tpi_lanes_of(s->constants.least));
    square = dfsph_per_mass(s, i, square);
    square = tpi_lanes_max(square + fourths * (slope * slope * s->inverse_least), least);
    tpi_lanes_store_first(s->wall_rate + i, cover.rate, count);
    dfsph_compression(density, count, tally);
    tpi_lanes_store_first(s->density + i, dfsph_per_mass(s, i, density), count);
    tpi_lanes_store_first(s->inverse + i, 1.0f / (square * (whole * whole)), count);
}

static void dfsph_clear(const tp_world *world, const dfsph_slice *s, uint32_t begin, uint32_t end)
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memset(s->sums[axis] + begin, 0, (size_t)(end - begin) * 4u);
}

/* Compressions that the step adds, if velocities stay. What is compressed already takes no shorter
   steps: their corrections would be faster, and gain energy. */
TPI_INLINE tpi_lanes dfsph_squeeze(const tp_world *world, const dfsph_slice *s, uint32_t i)
{
    tpi_lanes room = tpi_lanes_max(tpi_lanes_of(1.0f) - dfsph_density(s, i), tpi_lanes_of(0.0f));
    return dfsph_divergence(world, s, i) - room;
}

/* Adds up squeezes, as dfsph_compression does compressions. */
TPI_INLINE void dfsph_squeeze_add(tpi_lanes squeeze, uint32_t count, tpi_tally *tally)
{
    squeeze = tpi_lanes_select(tpi_lanes_first(count), squeeze, tpi_lanes_of(0.0f));
    squeeze = tpi_lanes_clamp(squeeze, 0.0f, 8.0f);
    tally->squeeze +=
        (uint32_t)tpi_lane_ints_sum(tpi_lanes_truncate(squeeze * TPI_COMPRESSION_SCALE));
}

/* The larger of both where there are particles. */
TPI_INLINE tpi_lanes dfsph_largest(tpi_lanes most, tpi_lanes value, uint32_t count)
{
    return tpi_lanes_max(most, tpi_lanes_select(tpi_lanes_first(count), value, tpi_lanes_of(0.0f)));
}

/* The strain is the time step divided by the longest one that the depth of the fluid and its
   compression allow. */
static void dfsph_state_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const dfsph_slice *s = (const dfsph_slice *)context;
    tpi_lanes deepest = tpi_lanes_of(0.0f), squeeze = deepest, mean;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        dfsph_densities(world, s, i, count, tally);
        if (s->relaxes) dfsph_relax(world, s, i, count);
        const tpi_lanes added = dfsph_squeeze(world, s, i);
        squeeze = dfsph_largest(squeeze, added, count);
        dfsph_squeeze_add(added, count, tally);
        deepest = dfsph_largest(deepest,
                                dfsph_per_mass(s, i, dfsph_start_first(s, i, count, &mean)), count);
    }
    dfsph_clear(world, s, begin, end);
    for (uint32_t axis = 0; tpi_has_loads(world) && axis < tpi_dimensions(world); axis++)
        tpi_memset(tpi_sph_load_of(world, axis) + begin, 0, (size_t)(end - begin) * 4u);
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        float deep =
                  tpi_sqrt(TPI_LANE(deepest, k) * (1.0f / DFSPH_DEPTH_MAX)) / s->constants.spacing,
              squeezed =
                  tpi_min(TPI_LANE(squeeze, k) * (1.0f / DFSPH_SQUEEZE), DFSPH_SQUEEZE_MOST) /
                  s->step_whole;
        tally->strain_bits =
            tpi_max_u32(tally->strain_bits, tpi_bits(tpi_max(deep, squeezed) * s->timestep));
    }
}

/* ---- the passes ---- */

/* Keeps what walls give to velocities. */
static TPI_APART void dfsph_keep_load(const tp_world *world, const dfsph_slice *s, uint32_t i,
                                      uint32_t count, tpi_lanes change)
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float *load = tpi_sph_load_of(world, axis) + i;
        tpi_lanes given = change * tpi_lanes_load(s->wall[axis] + i);
        tpi_lanes_store_first(load, tpi_lanes_load(load) - given, count);
    }
}

/* Adds the sums of pairs to velocities, and what walls give for the changes of pressures. */
TPI_INLINE void dfsph_move(const tp_world *world, const dfsph_slice *s, uint32_t i, uint32_t count)
{
    tpi_lanes change = dfsph_per_mass(s, i, tpi_lanes_load(s->change + i));
    tpi_lanes unit = dfsph_per_mass(s, i, tpi_lanes_of(s->line_unit));
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes v = tpi_lanes_load(s->v[axis] + i);
        v = v + tpi_lanes_from_ints(tpi_lane_ints_load(s->sums[axis] + i)) * unit;
        if (s->has_walls) v = v - change * tpi_lanes_load(s->wall[axis] + i);
        tpi_lanes_store_first(s->v[axis] + i, v, count);
    }
    if (TPI_UNLIKELY(tpi_has_loads(world) && s->has_walls))
        dfsph_keep_load(world, s, i, count, change);
}

static void dfsph_move_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                             tpi_tally *tally)
{
    const dfsph_slice *s = (const dfsph_slice *)context;
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        dfsph_move(world, s, i, tpi_min_u32(end - i, TPI_LANES));
    tpi_memset(s->divergence + begin, 0, (size_t)(end - begin) * 4u);
}

static void dfsph_relax_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const dfsph_slice *s = (const dfsph_slice *)context;
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        dfsph_relax(world, s, i, tpi_min_u32(end - i, TPI_LANES));
    dfsph_clear(world, s, begin, end);
}

/* Fields kick velocities; the warm start's pressures become the first changes. */
static void dfsph_start_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const dfsph_slice *s = (const dfsph_slice *)context;
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - i, TPI_LANES),
                 bits = (uint32_t)(((uint64_t)1 << count) - 1u);
        tpi_lanes x[3], v[3], mean;
        for (uint32_t axis = 0; axis < 3; axis++) {
            x[axis] = tpi_lanes_load(s->x[axis] + i);
            v[axis] = tpi_lanes_load(s->v[axis] + i);
        }
        const tpi_lane_ints species = dfsph_species(s, i);
        const tpi_lane_ints index = tpi_lane_ints_load(s->order + i) & 0xffffff;
        tpi_field_kick_species(world, s->fields, &species, &index, bits, world->step.timestep, x,
                               v);
        if (TPI_UNLIKELY(tpi_has_links(world))) tpi_sph_kick_links(world, species, index, bits, v);
        if (TPI_UNLIKELY(tpi_has_heat(&world->def)))
            tpi_heat_kick(world, s->fields, species, s->temperature + i, v);
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            tpi_lanes_store_first(s->v[axis] + i, v[axis], count);
        tpi_lanes start = dfsph_start_first(s, i, count, &mean) * s->timestep;
        tpi_lanes_store_first(s->mean + i, mean, count);
        tpi_lanes_store_first(s->pressure + i, start, count);
        tpi_lanes_store_first(s->change + i, start, count);
    }
    dfsph_clear(world, s, begin, end);
}

/* The pressure that the warm start reads. An impact in a short step has a large one, and a longer
   step that started with it would give many times the impulse. So the difference from the mean
   counts by the length of the step. Species of equal masses have a rate that gains nothing. */
TPI_INLINE tpi_lanes dfsph_kept(const dfsph_slice *s, uint32_t i, tpi_lanes pressure)
{
    if (TPI_LIKELY(s->is_uniform)) return pressure;
    tpi_lanes mean = tpi_lanes_load(s->mean + i);
    return mean + (pressure - mean) * s->part;
}

/* One iteration of the pressures. A compressed particle is corrected over several steps, so that it
   does not jump; a gap is closed in one. Shorter steps than the definition's see a smaller part of
   a compression: seen in full it would be a stiffer spring, and steps that get shorter while it is
   compressed would add energy. */
TPI_INLINE void dfsph_solve(const tp_world *world, const dfsph_slice *s, uint32_t i, uint32_t count)
{
    tpi_lanes density = dfsph_density(s, i), last = tpi_lanes_load(s->pressure + i);
    tpi_lanes error = tpi_lanes_min(density - 1.0f, (density - 1.0f) * s->share);
    error = tpi_lanes_min(error, density * s->correction);
    tpi_lanes change =
        (dfsph_divergence(world, s, i) + error) * (tpi_lanes_load(s->inverse + i) * s->gain);
    if (s->momentum > 0.0f) change = change + tpi_lanes_load(s->change + i) * s->momentum;
    tpi_lanes pressure = tpi_lanes_clamp(last + change, 0.0f, s->pressure_max);
    tpi_lanes_store_first(s->change + i, pressure - last, count);
    if (s->is_last) pressure = dfsph_kept(s, i, pressure * s->per_step);
    tpi_lanes_store_first(s->pressure + i, pressure, count);
}

static void dfsph_solve_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const dfsph_slice *s = (const dfsph_slice *)context;
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        dfsph_solve(world, s, i, tpi_min_u32(end - i, TPI_LANES));
    dfsph_clear(world, s, begin, end);
}

/* ---- the table of passes ---- */

/* The first three are sweeps over pairs. */
#define DFSPH_SWEEP_DIVERGENCE 0u
#define DFSPH_SWEEP_PUSH       1u
#define DFSPH_SWEEP_FLOW       2u
#define DFSPH_RELAX            3u
#define DFSPH_MOVE             4u
#define DFSPH_START            5u
#define DFSPH_SOLVE            6u
#define DFSPH_END              7u
#define DFSPH_COHERE           8u
#define DFSPH_VISCOSITY        9u
#define DFSPH_LOAD             10u
#define DFSPH_STICK            11u

/* A sub-step is: divergence iterations, start, density iterations. Viscosity comes before the flow
   of the start, so that pressures act on what it leaves. The first divergence was added
   up with the densities, and its relaxation is part of the state. */
#define DFSPH_ITERATION 4u
static const uint8_t dfsph_divergence_passes[DFSPH_ITERATION] = {
    DFSPH_SWEEP_DIVERGENCE, DFSPH_RELAX, DFSPH_SWEEP_PUSH, DFSPH_MOVE};
static const uint8_t dfsph_start_passes[] = {DFSPH_START, DFSPH_COHERE, DFSPH_SWEEP_FLOW,
                                             DFSPH_MOVE};
static const uint8_t dfsph_density_passes[DFSPH_ITERATION] = {DFSPH_SWEEP_DIVERGENCE, DFSPH_SOLVE,
                                                              DFSPH_SWEEP_PUSH, DFSPH_MOVE};

/* The pass at a number of the table, and for density iterations the number of the iteration; for
   viscosity that of its pass. */
static uint32_t dfsph_pass_at(const tp_world *world, uint32_t number, uint32_t *iteration)
{
    const uint32_t start = sizeof dfsph_start_passes, viscous = tpi_viscosity_passes(world);
    uint32_t divergences = world->def.sph.divergence_iterations * DFSPH_ITERATION;
    *iteration = 0;
    if (divergences) number += 2u;
    if (number < divergences) return dfsph_divergence_passes[number % DFSPH_ITERATION];
    number -= divergences;
    if (number > 0 && !tpi_has_cohesion(&world->def)) number++;
    if (number >= 2u && tpi_sph_sticks(world) && number-- == 2u) return DFSPH_STICK;
    *iteration = number - 2u;
    if (number >= 2u && number < 2u + viscous) return DFSPH_VISCOSITY;
    if (number >= 2u) number -= viscous;
    *iteration = 0;
    if (number < start) return dfsph_start_passes[number];
    number -= start;
    *iteration = number / DFSPH_ITERATION + 1u;
    if (*iteration > world->def.sph.density_iterations)
        return tpi_has_loads(world) && !(number % DFSPH_ITERATION) ? DFSPH_LOAD : DFSPH_END;
    return dfsph_density_passes[number % DFSPH_ITERATION];
}

static uint32_t dfsph_run_particles(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    uint32_t pass, uint32_t iteration, bool *done)
{
    dfsph_slice slice;
    dfsph_slice_set(world, iteration, &slice);
    if (pass == DFSPH_START) {
        tpi_field_plan plan = tpi_field_prepare(world);
        slice.fields = &plan;
        tpi_team_pass start = tpi_wall_pass(world, dfsph_start_range, &slice, 0);
        start.each += plan.units + (tpi_has_links(world) ? 1u : 0u);
        return tpi_team_slice(world, jobs, units, &start, done);
    }
    tpi_team_work work = pass == DFSPH_RELAX   ? dfsph_relax_range
                         : pass == DFSPH_SOLVE ? dfsph_solve_range
                                               : dfsph_move_range;
    tpi_team_pass whole = tpi_wall_pass(world, work, &slice, 0);
    return tpi_team_slice(world, jobs, units, &whole, done);
}

static uint32_t dfsph_run_pass(tp_world *world, const tp_jobs *jobs, uint32_t units, uint32_t pass,
                               uint32_t iteration, bool *done)
{
    if (TPI_HAS_TENSION && pass == DFSPH_COHERE)
        return tpi_central_sweep(world, jobs, units, TPI_CENTRAL_COHERE, done);
    if (TPI_HAS_TENSION && pass == DFSPH_STICK) return tpi_sph_stick(world, jobs, units, done);
    if (TPI_HAS_TENSION && pass == DFSPH_VISCOSITY)
        return tpi_viscosity_run(world, jobs, units, iteration, done);
    if (TPI_HAS_LOADS && pass == DFSPH_LOAD) return tpi_sph_give_loads(world, units, done);
    switch (pass) {
    case DFSPH_SWEEP_DIVERGENCE:
        return tpi_dfsph_sweep(world, jobs, units, TPI_DFSPH_DIVERGE, done);
    case DFSPH_SWEEP_PUSH: return tpi_dfsph_sweep(world, jobs, units, TPI_DFSPH_PUSH, done);
    case DFSPH_SWEEP_FLOW: return tpi_dfsph_sweep(world, jobs, units, TPI_DFSPH_FLOW, done);
    default: return dfsph_run_particles(world, jobs, units, pass, iteration, done);
    }
}

/* cursor.phase is the number of the pass. */
TPI_APART uint32_t tpi_dfsph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t iteration;
    bool pass_done = false;
    uint32_t phase = cursor->phase;
    uint32_t pass = dfsph_pass_at(world, phase, &iteration);
    uint32_t used = dfsph_run_pass(world, jobs, units, pass, iteration, &pass_done);
    if (!pass_done) return used;
    *cursor = (tpi_cursor){.phase = phase + 1u};
    *done = dfsph_pass_at(world, phase + 1u, &iteration) == DFSPH_END;
    return used;
}

/* Takes the mean squeeze into the strain. Species of unequal masses do without: a light film below
   a heavy fluid rises later by it. */
static void dfsph_strain_mean(tp_world *world, const dfsph_slice *s)
{
    tpi_step *step = &world->step;
    float all = TPI_COMPRESSION_SCALE * (float)tpi_max_u32(step->count, 1u),
          squeezed = (float)step->squeeze / all * (1.0f / DFSPH_SQUEEZE_MEAN),
          strain = tpi_min(squeezed, DFSPH_SQUEEZE_MOST) / s->step_whole * s->timestep;
    if (s->is_uniform) step->strain_bits = tpi_max_u32(step->strain_bits, tpi_bits(strain));
}

TPI_APART uint32_t tpi_dfsph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                      bool *done)
{
    dfsph_slice slice;
    dfsph_slice_set(world, 0, &slice);
    tpi_wall_plan plan;
    if (slice.has_walls) tpi_wall_prepare(world, &plan);
    slice.walls = &plan;
    uint32_t walls = slice.has_walls ? tpi_colliders_end(world) : 0u;
    tpi_team_pass pass = tpi_wall_pass(world, dfsph_state_range, &slice, walls);
    uint32_t used = tpi_team_slice(world, jobs, units, &pass, done);
    if (*done) dfsph_strain_mean(world, &slice);
    return used;
}

#undef DFSPH_MEAN_RATE
#undef DFSPH_MEAN_DEEP
#undef DFSPH_START_RATE
#undef DFSPH_START_RATE_MIXED
#undef DFSPH_START_RATE_LIGHT
#undef DFSPH_START_LIGHT_FULL
#undef DFSPH_CORRECTION_MIXED
#undef DFSPH_MEAN_RATE_MIXED
#undef DFSPH_EIGENVALUE
#undef DFSPH_DAMPING
#undef DFSPH_PRESSURE_MAX
#undef DFSPH_DEPTH_MAX
#undef DFSPH_GRAVITY
#undef DFSPH_SQUEEZE
#undef DFSPH_SQUEEZE_MOST
#undef DFSPH_SQUEEZE_MEAN
#undef DFSPH_SHARE_TIME
#undef DFSPH_WALL_BEHIND
#undef DFSPH_PUSH_LIGHT
#undef DFSPH_ITERATION
#undef DFSPH_SWEEP_DIVERGENCE
#undef DFSPH_SWEEP_PUSH
#undef DFSPH_SWEEP_FLOW
#undef DFSPH_RELAX
#undef DFSPH_MOVE
#undef DFSPH_START
#undef DFSPH_SOLVE
#undef DFSPH_END
#undef DFSPH_COHERE
#undef DFSPH_VISCOSITY
#undef DFSPH_LOAD
#undef DFSPH_STICK
