/* SPDX-License-Identifier: MIT
   runtime/solve/sph/viscosity.c - implicit viscosity: (1 + M) v' = v by a limited number of
           stages; M v are the sums of pairs in central_pairs.c.
   reads   back velocities, impulses, colliders
   writes  velocities of the incompressible fluid, impulses of the others
   memory  arrays of the block, see central.h
   cost    one unit per particle and pass
   after   Weiler, Koschier, Brand and Bender 2018. Deviation: a polynomial of M of degree 2 k - 1
           instead of conjugate gradients, which need sums over all particles. A mode whose
           eigenvalue of M is l keeps (1 - U(l)^2) / (1 + l) of its speed, with

               U(l) = l V(l) / V(-1), |U| <= 1,     U(-1)^2 = 1,     U(0) = 0

           where V is the Jacobi polynomial (3/2, -1/2) of degree k - 1 over the eigenvalues (Szegoe
           1939, chapter 4); l V has nearly equal extrema. So no mode gains energy, none is turned
           round, which would make forces repel that attract, and slow modes decay at the exact
           rate. With more stages U vanishes. With too few of them for |U| <= 1 M is reduced */
#include "central_terms.h"
#include "dfsph_terms.h"
#include "../../world/wall_lanes.h"
#include "../../world/load.h"

/* A wall no nearer than this share of the spacing slows particles down. */
#define VISCOSITY_NEAREST 0.5f
/* No other particle has less than this share of the viscous weight of one at rest. */
#define VISCOSITY_LEAST 0.5f
/* |U| <= 1 for eigenvalues of up to REACH k^2 - 0.7, and |U| <= 0.2 of up to EXACT k^2 - 0.45, from
   k = 1 to 32. */
#define VISCOSITY_REACH 1.59f
#define VISCOSITY_EXACT 0.51f

typedef struct viscosity_slice {
    float *change[3], *rest[3], *density, *wall, *v[3];
    int32_t *sums[3], *impulse[3];
    const uint32_t *order;
    const float *mass_share;
    float timestep;
    float weight_unit;    /* density per count of a sum of weights */
    float momentum, gain; /* of the stage at hand */
    float reduced;        /* the share of M that the stages are enough for */
    float sum_unit;       /* m/s per count of a sum, in units of the heaviest mass */
    float impulse_unit;   /* m/s per count of an impulse of the force stage, likewise */
    bool is_first, is_uniform, has_impulses, has_walls;
} viscosity_slice;

/* The largest rate of walls: that of two. */
static float viscosity_wall_bound(const tp_world *world)
{
    const tpi_central_constants *k = tpi_central_of(world);
    return 2.0f * world->def.sph.viscosity * tpi_viscosity_wall_rows(tpi_dimensions(world), 0)[0] *
           tpi_sph_of(world)->inverse_radius / (VISCOSITY_NEAREST * k->spacing);
}

static bool viscosity_has_walls(const tp_world *world)
{
    return tpi_colliders_used(world) > 0 && !world->def.sph.compat;
}

/* The largest eigenvalue of M over a step, or a larger number. */
static float viscosity_largest(const tp_world *world)
{
    float rate = tpi_central_of(world)->bound * tpi_viscosity_left(world);
    if (viscosity_has_walls(world)) rate = rate + viscosity_wall_bound(world);
    return rate * world->step.timestep;
}

/* Half of the stages: k. */
static uint32_t viscosity_half(const tp_world *world, float largest)
{
    uint32_t half = 1;
    while (half < world->def.sph.viscosity_iterations &&
           VISCOSITY_EXACT * (float)(half * half) - 0.45f < largest)
        half++;
    return half;
}

/* The coefficients of a stage. The first one makes U zero at 0. Then those of V follow, twice, by
   the recurrence of its values at -1. `degree` counts from 1; 0 is the first stage. */
static void viscosity_coefficients(uint32_t degree, float largest, viscosity_slice *s)
{
    float last = 0.0f, value = 1.0f;
    s->gain = 1.0f;
    s->momentum = 0.0f;
    for (uint32_t m = 1; m <= degree; m++) {
        float n = (float)m, next;
        float slope = m == 1u ? 3.0f / largest : (4.0f * n + 2.0f) / ((n + 1.0f) * largest);
        float rest =
            (n + 0.5f) * (n - 1.5f) * (2.0f * n + 1.0f) / (n * (n + 1.0f) * (2.0f * n - 1.0f));
        float at_0 = (4.0f * n * n + 1.0f) / ((n + 1.0f) * (2.0f * n - 1.0f));
        if (m == 1u) rest = 0.0f;
        next = (at_0 + slope) * value - rest * last;
        s->gain = slope * value / next;
        s->momentum = rest * last / next;
        last = value;
        value = next;
    }
}

static void viscosity_arrays(const tp_world *world, viscosity_slice *s)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t from = axis < tpi_dimensions(world) ? axis : 0;
        s->change[axis] = tpi_central_array(world, TPI_CENTRAL_CHANGE + from);
        s->rest[axis] = tpi_central_array(world, TPI_CENTRAL_REST + from);
        s->sums[axis] = (int32_t *)(void *)tpi_central_array(world, TPI_CENTRAL_SUM + from);
        s->v[axis] = tpi_back_v(world, from);
        s->impulse[axis] = tpi_integers(world, world->arrays.force[from]);
    }
    s->density = tpi_central_array(world, TPI_CENTRAL_DENSITY);
    s->wall = tpi_central_array(world, TPI_CENTRAL_WALL);
    s->order = tpi_words(world, world->arrays.order);
}

/* `stage` counts from 1. */
static void viscosity_slice_set(const tp_world *world, uint32_t stage, viscosity_slice *s)
{
    const tpi_central_constants *k = tpi_central_of(world);
    const float timestep = world->step.timestep, largest = viscosity_largest(world);
    const uint32_t half = viscosity_half(world, largest);
    const float reach = tpi_min(VISCOSITY_REACH * (float)(half * half) - 0.7f, largest);
    viscosity_arrays(world, s);
    s->mass_share = tpi_sph_of(world)->mass_share;
    s->is_uniform = world->def.species_count == 1;
    s->is_first = stage == 1u;
    s->has_impulses = !tpi_sph_is_incompressible(&world->def);
    s->has_walls = viscosity_has_walls(world);
    s->timestep = timestep;
    s->weight_unit = k->whole > 0.0f ? 1.0f / (k->whole * TPI_CENTRAL_WEIGHT_SCALE) : 0.0f;
    s->reduced = reach < largest ? reach / largest : 1.0f;
    s->sum_unit = k->bound * k->spacing * (1.0f / central_shear_scale(world)) * s->reduced;
    viscosity_coefficients(stage <= half ? stage - 1u : stage - half, reach, s);
    s->impulse_unit =
        s->has_impulses ? world->constants.smoothing_radius / timestep * (1.0f / TPI_IMPULSE_SCALE)
                        : k->spacing / timestep * (1.0f / TPI_DFSPH_SCALE);
}

/* 1 / mass of a vector of particles, in units of the heaviest mass. */
TPI_INLINE tpi_lanes viscosity_inverse(const viscosity_slice *s, uint32_t i)
{
    if (s->is_uniform) return tpi_lanes_of(1.0f);
    return 1.0f / tpi_lanes_gather(s->mass_share, tpi_lane_ints_load(s->order + i) >> 24 & 7);
}

/* ---- walls ---- */

/* What walls without slip do, by the tables of central_solver.c. Walls that move do nothing. */
typedef struct viscosity_meeting {
    float rate;  /* 1/s */
    float share; /* of the viscous weight, beyond the wall */
} viscosity_meeting;

static void viscosity_meet(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                           uint32_t species, int32_t *work, viscosity_meeting *met)
{
    const bool has_planes = tpi_wall_has_planes(item);
    const tpi_wall_poses poses = tpi_wall_poses_of(world, item);
    tpi_wall planes[TPI_WALL_PLANES];
    const float *rates = tpi_viscosity_wall_rows(tpi_dimensions(world), 0),
                *shares = tpi_viscosity_wall_rows(tpi_dimensions(world), 1);
    const float inverse = tpi_sph_of(world)->inverse_radius;
    const float nearest = VISCOSITY_NEAREST * tpi_central_of(world)->spacing,
                viscosity = world->def.sph.viscosity * world->def.species[species].viscosity;
    uint32_t faces = has_planes ? tpi_wall_planes(world, item, point, work, planes)
                                : tpi_wall_faces(world, item);
    for (uint32_t face = 0; face < faces; face++) {
        tpi_wall wall = has_planes ? planes[face] : tpi_wall_at(world, item, &poses, face, point);
        float q = tpi_abs(wall.distance) * inverse * (float)TPI_SPH_WALL_ROWS;
        if (q >= (float)TPI_SPH_WALL_ROWS) continue;
        uint32_t k = tpi_min_u32((uint32_t)q, TPI_SPH_WALL_ROWS - 1u);
        float part = q - (float)k;
        float rate = rates[k] + (rates[k + 1u] - rates[k]) * part;
        met->rate =
            met->rate + viscosity * rate * inverse / tpi_max(tpi_abs(wall.distance), nearest);
        met->share = met->share + shares[k] + (shares[k + 1u] - shares[k]) * part;
    }
}

static TPI_APART void viscosity_meet_walls(const tp_world *world, const viscosity_slice *s,
                                           uint32_t i, uint32_t count, int64_t *walls)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const float within = 1.001f * world->constants.smoothing_radius; /* a margin for rounding */
    const float *x = tpi_back_x(world, 0), *y = tpi_back_x(world, 1),
                *z = tpi_dimensions(world) == 3 ? tpi_back_x(world, 2) : NULL;
    tpi_lanes at[3] = {tpi_lanes_load(x + i), tpi_lanes_load(y + i), tpi_lanes_of(0.0f)};
    tpi_lane_ints work = tpi_lane_ints_of(0);
    if (z) at[2] = tpi_lanes_load(z + i);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item) || item->is_moving) continue;
        tpi_lane_mask near = tpi_wall_near(item, at, within, tpi_dimensions(world));
        uint32_t bits = tpi_lanes_bits(tpi_lanes_and(near, tpi_lanes_first(count)));
        for (uint32_t k = 0; bits; k++, bits >>= 1) {
            if (!(bits & 1u)) continue;
            int32_t done = TPI_LANE(work, k) + 1;
            TPI_LANE(work, k) = done;
            const uint32_t species = TPI_ORDER_SPECIES(s->order[i + k]);
            if (!(item->def.species_mask >> species & 1u)) continue;
            tp_vector point = {x[i + k], y[i + k], z ? z[i + k] : 0.0f};
            viscosity_meeting met = {s->wall[i + k], s->density[i + k]};
            viscosity_meet(world, item, point, species, &done, &met);
            s->wall[i + k] = met.rate;
            s->density[i + k] = met.share;
            TPI_LANE(work, k) = done;
        }
    }
    *walls += tpi_lane_ints_sum(work);
}

/* ---- passes ---- */

/* The first vector that is multiplied is the velocity itself, with the impulses so far. Those of
   the incompressible fluid, which are of cohesion, are added to it for good. */
static void viscosity_begin_range(tp_world *world, const void *context, uint32_t begin,
                                  uint32_t end, tpi_tally *tally)
{
    const viscosity_slice *s = (const viscosity_slice *)context;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        tpi_lanes unit = viscosity_inverse(s, i) * s->impulse_unit;
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            tpi_lanes v = tpi_lanes_load(s->v[axis] + i);
            v = v + tpi_lanes_from_ints(tpi_lane_ints_load(s->impulse[axis] + i)) * unit;
            if (!s->has_impulses) tpi_lanes_store_first(s->v[axis] + i, v, count);
            tpi_lanes_store_first(s->change[axis] + i, v, count);
        }
        tpi_lanes_store_first(s->density + i, tpi_lanes_of(0.0f), count);
        tpi_lanes_store_first(s->wall + i, tpi_lanes_of(0.0f), count);
        if (s->has_walls) viscosity_meet_walls(world, s, i, count, &tally->cost);
    }
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_memset(s->sums[axis] + begin, 0, (size_t)(end - begin) * 4u);
        if (!s->has_impulses) tpi_memset(s->impulse[axis] + begin, 0, (size_t)(end - begin) * 4u);
    }
}

/* Densities are sums of the viscous weight over the neighbours and beyond walls. Rates of pairs are
   divided by that of both, and those of walls by that of the particle. */
static void viscosity_density_range(tp_world *world, const void *context, uint32_t begin,
                                    uint32_t end, tpi_tally *tally)
{
    const viscosity_slice *s = (const viscosity_slice *)context;
    const float most = viscosity_wall_bound(world);
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        tpi_lanes sum = tpi_lanes_from_ints(tpi_lane_ints_load(s->sums[0] + i)) * s->weight_unit;
        sum = tpi_lanes_max(sum + tpi_lanes_load(s->density + i), tpi_lanes_of(VISCOSITY_LEAST));
        tpi_lanes wall = tpi_lanes_min(tpi_lanes_load(s->wall + i) / sum, tpi_lanes_of(most));
        tpi_lanes_store_first(s->density + i, sum, tpi_min_u32(end - i, TPI_LANES));
        tpi_lanes_store_first(s->wall + i, wall, tpi_min_u32(end - i, TPI_LANES));
    }
    tpi_memset(s->sums[0] + begin, 0, (size_t)(end - begin) * 4u);
}

/* The part of a stage that walls made. Stages are linear, so it is that of the same stage without
   the sums of pairs, which add no momentum; it is what walls give. */
static TPI_APART void viscosity_keep_load(const tp_world *world, const viscosity_slice *s,
                                          uint32_t i, uint32_t count)
{
    const bool is_still = tpi_sph_is_incompressible(&world->def);
    const tpi_lanes wall = tpi_lanes_load(s->wall + i) * (s->timestep * s->reduced),
                    mass = tpi_lanes_of(is_still ? 1.0f : tpi_sph_of(world)->mass_unit) /
                           (is_still ? tpi_lanes_of(1.0f) : viscosity_inverse(s, i));
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float *rests = tpi_central_array(world, TPI_CENTRAL_WALL_REST + axis) + i,
              *changes = tpi_central_array(world, TPI_CENTRAL_WALL_CHANGE + axis) + i,
              *load = tpi_sph_load_of(world, axis) + i;
        tpi_lanes rest = -(tpi_lanes_load(s->change[axis] + i) * wall), last = tpi_lanes_of(0.0f);
        if (!s->is_first) {
            last = tpi_lanes_load(changes);
            rest = tpi_lanes_load(rests) - last + rest;
        }
        tpi_lanes change = rest * s->gain + last * s->momentum;
        tpi_lanes_store_first(rests, rest, count);
        tpi_lanes_store_first(changes, change, count);
        tpi_lanes_store_first(load, tpi_lanes_load(load) + change * mass, count);
    }
}

/* Adds a change of velocity to the impulses. What is left over goes into the velocity itself, so
   that no momentum is lost: it is less than a count, so a position that lacks it in this step is as
   exact. */
TPI_INLINE void viscosity_give(const viscosity_slice *s, uint32_t axis, uint32_t i, uint32_t count,
                               tpi_lanes change, tpi_lanes unit)
{
    const tpi_lane_ints impulse = tpi_lanes_truncate(tpi_lanes_clamp(change / unit, -1e9f, 1e9f));
    for (uint32_t k = 0; k < count; k++) s->impulse[axis][i + k] += TPI_LANE(impulse, k);
    tpi_lanes rest = change - tpi_lanes_from_ints(impulse) * unit;
    tpi_lanes_store_first(s->v[axis] + i, tpi_lanes_load(s->v[axis] + i) + rest, count);
}

/* One stage: the residual, the next change, and the velocity. The sums are -M of the last change,
   or of the velocity. */
TPI_INLINE void viscosity_step(const tp_world *world, const viscosity_slice *s, uint32_t i,
                               uint32_t count)
{
    const tpi_lanes inverse = viscosity_inverse(s, i), wall = tpi_lanes_load(s->wall + i);
    if (TPI_UNLIKELY(tpi_has_loads(world))) viscosity_keep_load(world, s, i, count);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes last = tpi_lanes_load(s->change[axis] + i), change;
        tpi_lanes rest =
            tpi_lanes_from_ints(tpi_lane_ints_load(s->sums[axis] + i)) * (inverse * s->sum_unit) -
            last * (wall * (s->timestep * s->reduced));
        if (!s->is_first) rest = tpi_lanes_load(s->rest[axis] + i) - last + rest;
        change = rest * s->gain;
        if (s->momentum > 0.0f) change = change + last * s->momentum;
        tpi_lanes_store_first(s->rest[axis] + i, rest, count);
        tpi_lanes_store_first(s->change[axis] + i, change, count);
        if (!s->has_impulses) {
            tpi_lanes_store_first(s->v[axis] + i, tpi_lanes_load(s->v[axis] + i) + change, count);
            continue;
        }
        viscosity_give(s, axis, i, count, change, inverse * s->impulse_unit);
    }
}

static void viscosity_step_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                                 tpi_tally *tally)
{
    const viscosity_slice *s = (const viscosity_slice *)context;
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        viscosity_step(world, s, i, tpi_min_u32(end - i, TPI_LANES));
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memset(s->sums[axis] + begin, 0, (size_t)(end - begin) * 4u);
}

/* The begin, a sweep and a pass for densities, then a sweep and a pass per stage. */
uint32_t tpi_viscosity_passes(const tp_world *world)
{
    if (!tpi_has_viscosity(&world->def)) return 0;
    return 1u + 4u * viscosity_half(world, viscosity_largest(world));
}

static TPI_APART uint32_t viscosity_pass(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                         uint32_t pass, bool *done)
{
    viscosity_slice slice;
    viscosity_slice_set(world, pass > 2u ? pass / 2u - 1u : 1u, &slice);
    /* no constant initialiser: compilers would put one with a pointer into written data */
    tpi_team_work work = viscosity_step_range;
    if (pass == 0u) work = viscosity_begin_range;
    if (pass == 2u) work = viscosity_density_range;
    uint32_t walls = pass || !slice.has_walls ? 0u : tpi_colliders_end(world);
    tpi_team_pass whole = tpi_wall_pass(world, work, &slice, walls);
    return tpi_team_slice(world, jobs, units, &whole, done);
}

uint32_t tpi_viscosity_run(tp_world *world, const tp_jobs *jobs, uint32_t units, uint32_t pass,
                           bool *done)
{
    if (pass == 1u) return tpi_central_sweep(world, jobs, units, TPI_CENTRAL_WEIGH, done);
    if (pass % 2u) return tpi_central_sweep(world, jobs, units, TPI_CENTRAL_SHEAR, done);
    return viscosity_pass(world, jobs, units, pass, done);
}

#undef VISCOSITY_NEAREST
#undef VISCOSITY_LEAST
#undef VISCOSITY_REACH
#undef VISCOSITY_EXACT
