/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph.c - the stages of the fluid: densities, pressures and impulses.
   reads   back positions and velocities, species
   writes  density, near_density, distance sums, neighbours, force
   memory  none of its own
   cost    density and force: one visit per pair each; pressure: one per particle
   after   Clavet et al. 2005, eq. 1-6 with exponents 3 and 4. Deviation: the terms of a pair are
           integers that are added to both particles, so that Newton's third law holds to the last
           bit and no sum depends on its order */
#include "sph_lanes.h"
#include "dfsph_terms.h"
#include "central_terms.h"
#include "../../grid/sweep.h"
#include "wall_lanes.h"
#include "../../world/load.h"

#if TPI_LANES == 1
/* ---- one pair at a time. What particle i adds up stays in registers until its batch ends. Cases
   that are rare or give 0 are branches, found by comparing bits: without a float unit a comparison
   of floats is a call ---- */

/* Sums may wrap above the neighbour limit: then those of the first pass are discarded. */
TPI_INLINE void sph_add(int32_t *sums, uint32_t i, uint32_t term) { ((uint32_t *)sums)[i] += term; }

/* Shares of pairs whose offset gives a direction are below it: TPI_COINCIDENT. */
#define SPH_SHARE_APART 0.9999f

/* Distance and share, as sph_measure. */
TPI_INLINE void sph_measure_pair(const sph_context *c, sph_pairs *pairs)
{
    pairs->distance = tpi_sqrt(pairs->square);
    pairs->share = 1.0f - pairs->distance * c->inverse_radius;
    if (TPI_UNLIKELY(tpi_bits(pairs->share) >> 31)) pairs->share = tpi_max(pairs->share, 0.0f);
}

/* Terms of both densities at the particle of a pair whose partner has the mass. */
TPI_INLINE void sph_density_pair(float cube, float fourth, float mass, uint32_t *term,
                                 uint32_t *near_term)
{
    if (!TPI_SOFT_FLOATS || tpi_bits(mass) != tpi_bits(1.0f)) cube *= mass, fourth *= mass;
    *term = (uint32_t)tpi_fixed(cube);
    *near_term = (uint32_t)tpi_fixed(fourth);
}

TPI_INLINE void sph_velocity_pair(const sph_context *c, uint32_t i, uint32_t j, uint32_t dimensions,
                                  sph_pairs *pairs)
{
    pairs->w[0] = c->vx[i] - c->vx[j];
    pairs->w[1] = c->vy[i] - c->vy[j];
    if (dimensions == 3) pairs->w[2] = c->vz[i] - c->vz[j];
}

TPI_INLINE void sph_flow_pair(const sph_context *c, uint32_t i, uint32_t j, uint32_t dimensions,
                              sph_pairs *pairs)
{
    uint32_t distance = (uint32_t)sph_distance_term(c, pairs);
    sph_add(c->distance_sum, i, distance);
    sph_add(c->distance_sum, j, distance);
    sph_velocity_pair(c, i, j, dimensions, pairs);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        uint32_t flow = (uint32_t)sph_flow_term(c, pairs, axis);
        sph_add(c->flow[axis], i, 0u - flow);
        sph_add(c->flow[axis], j, flow);
    }
}

/* The partners of particle i, whose terms at i become `sums`. A particle's mass gives its term at
   the partner. `is_even`: 1; of a law, whose densities do not jump between species. */
TPI_INLINE void sph_density_run(const sph_context *c, uint32_t i, const uint32_t *partners,
                                const float *squares, uint32_t count, uint32_t dimensions,
                                bool has_flow, bool is_even, uint32_t sums[2])
{
    const float mass = is_even ? 1.0f : c->mass_share[TPI_ORDER_SPECIES(c->order[i])];
    const uint32_t *end = partners + count;
    sph_pairs pairs = {.is_real = tpi_lanes_first(1)};
    sums[0] = sums[1] = 0;
    while (partners != end) {
        uint32_t j = *partners++, to_i, near_to_i, to_j, near_to_j;
        pairs.square = *squares++;
        sph_measure_pair(c, &pairs);
        float cube = pairs.share * pairs.share * pairs.share, fourth = cube * pairs.share;
        sph_density_pair(cube, fourth, mass, &to_j, &near_to_j);
        to_i = to_j;
        near_to_i = near_to_j;
        if (!is_even)
            sph_density_pair(cube, fourth, c->mass_share[TPI_ORDER_SPECIES(c->order[j])], &to_i,
                             &near_to_i);
        sums[0] += to_i;
        sums[1] += near_to_i;
        sph_add(c->density, j, to_j);
        sph_add(c->near_density, j, near_to_j);
        c->neighbours[j]++;
        if (has_flow) sph_flow_pair(c, i, j, dimensions, &pairs);
    }
}

TPI_INLINE void sph_density_batch(const sph_context *c, uint32_t i, const uint32_t *partners,
                                  const float *squares, uint32_t count, uint32_t dimensions,
                                  bool has_flow)
{
    uint32_t sums[2];
    c->neighbours[i] += count;
    if (c->is_even)
        sph_density_run(c, i, partners, squares, count, dimensions, has_flow, true, sums);
    else
        sph_density_run(c, i, partners, squares, count, dimensions, has_flow, false, sums);
    sph_add(c->density, i, sums[0]);
    sph_add(c->near_density, i, sums[1]);
}

/* The masses and the tension of a pair; its species are `own` and that of particle j. */
TPI_INLINE void sph_force_masses(const sph_context *c, uint32_t own, uint32_t j, bool compat,
                                 sph_push *push)
{
    const float *pair_mass = compat ? c->mass_share : c->pair_mass[own];
    uint32_t other = TPI_ORDER_SPECIES(c->order[j]);
    /* compat: species of equal mass count as one fluid */
    bool is_alike = compat ? c->mass_share[other] == c->mass_share[own] : other == own;
    push->mass = pair_mass[other];
    push->own_mass = c->mass_share[own];
    push->tension = is_alike ? c->tension * push->own_mass : 0.0f;
    if (TPI_HAS_TENSION && c->cohesion)
        push->tension =
            c->tension * c->cohesion[own][other] * tpi_min(push->own_mass, c->mass_share[other]);
}

/* Offset, relative velocity, sums of pressures and masses of a pair. */
TPI_INLINE void sph_force_gather(const sph_context *c, uint32_t i, uint32_t j, uint32_t dimensions,
                                 sph_pairs *pairs, sph_push *push)
{
    pairs->d[0] = c->points.x[j] - c->points.x[i];
    pairs->d[1] = c->points.y[j] - c->points.y[i];
    if (dimensions == 3) pairs->d[2] = c->points.z[j] - c->points.z[i];
    sph_velocity_pair(c, i, j, dimensions, pairs);
    push->pressure = c->pressure[j] + c->pressure[i];
    push->near_pressure = c->near_pressure[j] + c->near_pressure[i];
}

/* The impulses of any pair; true if they were clamped. A function of its own, so that its call
   leaves the registers of the loop over ordinary pairs alone. */
static TPI_APART bool sph_force_rare(const tp_world *world, const sph_context *c, uint32_t i,
                                     uint32_t j)
{
    const bool compat = world->def.sph.compat;
    const uint32_t dimensions = tpi_dimensions(world);
    sph_pairs pairs = {.is_real = tpi_lanes_first(1)};
    sph_push push = {.to_j = 0.0f};
    sph_force_gather(c, i, j, dimensions, &pairs, &push);
    if (TPI_HAS_BOX && c->points.box) tpi_points_offset(c->points, i, j, dimensions, pairs.d);
    sph_force_masses(c, TPI_ORDER_SPECIES(c->order[i]), j, compat, &push);
    sph_square(dimensions, &pairs);
    sph_measure(c, &pairs);
    sph_approach(dimensions, &pairs, &push);
    if (!(pairs.square > c->coincident_squared)) { /* as sph_part_lanes, with less stack */
        sph_coincident_direction(world, i, j, pairs.d);
        pairs.distance = push.along = 0.0f;
        pairs.share = compat ? 0.0f : 1.0f;
        push.inverse = 1.0f;
    }
    sph_impulse(c, compat, &pairs, &push);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        float direction = pairs.d[axis] * push.inverse;
        uint32_t to_i = (uint32_t)tpi_fixed(direction * push.to_i);
        sph_add(c->flow[axis], i, 0u - to_i);
        sph_add(c->flow[axis], j, compat ? (uint32_t)tpi_fixed(direction * push.to_j) : to_i);
    }
    return tpi_lanes_any(push.is_clamped);
}

/* The impulse as by sph_impulse. Viscosity acts on pairs that approach; others add 0. */
TPI_INLINE float sph_impulse_pair(const sph_context *c, const sph_pairs *pairs,
                                  const sph_push *push)
{
    float share = pairs->share, squared = share * share;
    float impulse = push->pressure * squared + push->near_pressure * (squared * share);
    impulse = impulse - push->tension * squared * (pairs->distance * c->inverse_radius);
    if (!tpi_is_positive(push->along)) return impulse;
    float approach = push->along * push->inverse;
    float viscous = share * (approach * c->linear + (approach * approach) * c->quadratic);
    return impulse + viscous * push->mass;
}

/* Adds the impulse of a pair along an axis to both. */
TPI_INLINE void sph_push_pair(int32_t *sums, uint32_t j, float direction, float impulse,
                              uint32_t *sum)
{
    uint32_t term = (uint32_t)tpi_fixed(direction * impulse);
    *sum += term;
    sph_add(sums, j, term);
}

/* Distance and share. False for a rare pair: a coincident one, or one that rounding puts beyond the
   cutoff. Their shares are near 1, or negative. */
TPI_INLINE bool sph_measure_ordinary(const sph_context *c, sph_pairs *pairs)
{
    pairs->distance = tpi_sqrt(pairs->square);
    pairs->share = 1.0f - pairs->distance * c->inverse_radius;
    return tpi_bits(pairs->share) < tpi_bits(SPH_SHARE_APART);
}

/* Adds the impulses of i and j, those of i to `sum`. False and no effect: a rare pair, also one
   with an impulse to be clamped. */
TPI_INLINE bool sph_force_pair(const sph_context *c, uint32_t i, uint32_t j, uint32_t dimensions,
                               sph_push *push, uint32_t sum[3])
{
    sph_pairs pairs;
    sph_force_gather(c, i, j, dimensions, &pairs, push);
    sph_square(dimensions, &pairs);
    if (TPI_UNLIKELY(!sph_measure_ordinary(c, &pairs))) return false;
    sph_approach(dimensions, &pairs, push);
    float impulse = sph_impulse_pair(c, &pairs, push);
    if (TPI_UNLIKELY(!tpi_is_fraction(impulse))) return false;
    sph_push_pair(c->flow[0], j, pairs.d[0] * push->inverse, impulse, &sum[0]);
    sph_push_pair(c->flow[1], j, pairs.d[1] * push->inverse, impulse, &sum[1]);
    if (dimensions == 3) sph_push_pair(c->flow[2], j, pairs.d[2] * push->inverse, impulse, &sum[2]);
    return true;
}

/* Ordinary pairs of particle i from a partner on; returns the first partner of a rare pair, or the
   end. */
TPI_INLINE const uint32_t *sph_force_run(const sph_context *c, uint32_t i, const uint32_t *partners,
                                         const uint32_t *end, uint32_t dimensions, bool is_uniform,
                                         sph_push *push, uint32_t sum[3])
{
    const uint32_t species = TPI_ORDER_SPECIES(c->order[i]);
    for (; partners != end; partners++) {
        if (!is_uniform) sph_force_masses(c, species, *partners, false, push);
        if (TPI_UNLIKELY(!sph_force_pair(c, i, *partners, dimensions, push, sum))) break;
    }
    return partners;
}

TPI_INLINE void sph_force_batch(const tp_world *world, const sph_context *c, uint32_t i,
                                const uint32_t *partners, uint32_t count, uint32_t dimensions,
                                bool compat, tpi_tally *tally)
{
    const uint32_t *end = partners + count;
    const sph_context kept = *c;
    uint32_t sum[3] = {0, 0, 0};
    sph_push push;
    sph_force_masses(c, TPI_ORDER_SPECIES(c->order[i]), i, false, &push);
    while (partners != end) {
        if (!compat && kept.is_uniform)
            partners = sph_force_run(&kept, i, partners, end, dimensions, true, &push, sum);
        else if (!compat)
            partners = sph_force_run(&kept, i, partners, end, dimensions, false, &push, sum);
        if (partners != end && sph_force_rare(world, c, i, *partners++)) tally->clamped++;
    }
    sph_add(c->flow[0], i, 0u - sum[0]);
    sph_add(c->flow[1], i, 0u - sum[1]);
    if (dimensions == 3) sph_add(c->flow[2], i, 0u - sum[2]);
}

/* Visitors and their sweeps; forces have a sweep through the grid and one along the lists. */
#define SPH_DENSITY_SWEEP(name, kind_dimensions, has_flow)                                      \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,         \
                                const uint32_t *partners, const float *squares, uint32_t count, \
                                tpi_tally *tally)                                               \
    {                                                                                           \
        (void)world;                                                                            \
        (void)tally;                                                                            \
        sph_density_batch((const sph_context *)context, i, partners, squares, count,            \
                          kind_dimensions, has_flow);                                           \
    }                                                                                           \
    TPI_SWEEP_GRID(name, name##_meet, .dimensions = kind_dimensions, .fills_lists = true,       \
                   .is_periodic = world->constants.box.is_periodic)
#define SPH_FORCE_SWEEPS(name, kind_dimensions, compat)                                           \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,           \
                                const uint32_t *partners, const float *squares, uint32_t count,   \
                                tpi_tally *tally)                                                 \
    {                                                                                             \
        (void)squares; /* offsets are needed too, and give the same squares */                    \
        sph_force_batch(world, (const sph_context *)context, i, partners, count, kind_dimensions, \
                        compat, tally);                                                           \
    }                                                                                             \
    TPI_SWEEP_GRID(name, name##_meet, .dimensions = kind_dimensions)                              \
    TPI_SWEEP_LISTS(name##_listed, name##_meet)
TIDEPOOL_HOT static void sph_density_2d_visit(const tp_world *world, const void *context,
                                              uint32_t i, const uint32_t *partners,
                                              const float *squares, uint32_t count,
                                              tpi_tally *tally);
TIDEPOOL_HOT static void sph_force_2d_visit(const tp_world *world, const void *context, uint32_t i,
                                            const uint32_t *partners, const float *squares,
                                            uint32_t count, tpi_tally *tally);
TIDEPOOL_HOT static void sph_force_2d_listed_on(tpi_sweep *sweep, uint32_t end);
SPH_DENSITY_SWEEP(sph_density_2d, 2, false)
SPH_DENSITY_SWEEP(sph_density_2d_flow, 2, true)
SPH_DENSITY_SWEEP(sph_density_3d, 3, false)
SPH_DENSITY_SWEEP(sph_density_3d_flow, 3, true)
SPH_FORCE_SWEEPS(sph_force_2d, 2, false)
SPH_FORCE_SWEEPS(sph_force_2d_compat, 2, true)
SPH_FORCE_SWEEPS(sph_force_3d, 3, false)
#undef SPH_SHARE_APART
#undef SPH_DENSITY_SWEEP
#undef SPH_FORCE_SWEEPS

#if TPI_HAS_BOX
/* In a periodic box every pair may be one across a side. */
TPI_INLINE void sph_force_box_meet(const tp_world *world, const void *context, uint32_t i,
                                   const uint32_t *partners, const float *squares, uint32_t count,
                                   tpi_tally *tally)
{
    (void)squares;
    for (uint32_t k = 0; k < count; k++)
        if (sph_force_rare(world, (const sph_context *)context, i, partners[k])) tally->clamped++;
}
TPI_SWEEP_GRID(sph_force_box, sph_force_box_meet, .dimensions = tpi_dimensions(world),
               .is_periodic = true)
TPI_SWEEP_LISTS(sph_force_box_listed, sph_force_box_meet)
#endif

#endif

/* ---- the sweeps ---- */

static TPI_APART uint32_t sph_density_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                            bool *done)
{
#if TPI_LANES > 1
    return tpi_sph_density_patches(world, jobs, units, done);
#else
    (void)jobs;
    sph_context c;
    sph_context_set(world, &c);
    bool has_flow = world->def.substeps.is_adaptive;
#define SPH_SWEEP(name) name(world, NULL, units, &c, done)
    if (tpi_dimensions(world) == 2)
        return has_flow ? SPH_SWEEP(sph_density_2d_flow) : SPH_SWEEP(sph_density_2d);
    return has_flow ? SPH_SWEEP(sph_density_3d_flow) : SPH_SWEEP(sph_density_3d);
#undef SPH_SWEEP
#endif
}

static void sph_density_clear_range(tp_world *world, const void *context, uint32_t begin,
                                    uint32_t end, tpi_tally *tally)
{
    (void)context, (void)tally;
    const tpi_arrays *a = &world->arrays;
    const uint32_t fourth = tpi_sph_is_incompressible(&world->def) ? a->own[TPI_DFSPH_DIVERGENCE]
                                                                   : a->own[TPI_SPH_DISTANCE_SUM];
    const uint32_t sums[] = {a->next_meta, a->next_birth, a->neighbours, fourth,
                             a->force[0],  a->force[1],   a->force[2]};
    uint32_t arrays = fourth ? 4u + tpi_dimensions(world) : 3u;
    for (uint32_t k = 0; k < arrays; k++)
        tpi_memset(tpi_words(world, sums[k]) + begin, 0, (size_t)(end - begin) * 4u);
}

static uint32_t sph_density_clear(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t count = tpi_min_u32(units, world->step.count - cursor->i);
    (void)tpi_team_run(jobs, world, sph_density_clear_range, NULL, cursor->i, cursor->i + count);
    cursor->i += count;
    *done = cursor->i == world->step.count;
    if (*done) world->step.pairs = world->step.crowded = world->step.pair_count = 0;
    return count;
}

/* Counts pairs and finds the largest neighbour count, which shows if the neighbour limit is
   exceeded. 8 counts cost less than one pair. */
static uint32_t sph_density_count(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units * 8u, step->count - begin);
    uint32_t largest = step->neighbours_largest, sum = step->cursor.j;
    for (uint32_t i = begin; i < end; i++) {
        largest = tpi_max_u32(largest, neighbours[i]);
        sum += neighbours[i];
    }
    step->pairs += sum / 2u;
    step->cursor.j = sum & 1u;
    step->neighbours_largest = largest;
    step->cursor.i = end;
    *done = end == step->count;
    if (*done) step->pair_count = tpi_pairs_listed(world);
    return (end - begin + 7u) / 8u;
}

TPI_APART uint32_t tpi_sph_density(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0:
        if (!world->step.capped) /* in a box two blocks of one colour may meet across a side */
            world->step.by_parts = TPI_LANES > 1 && !world->constants.box.is_periodic &&
                                   tpi_team_is_worth(jobs, world->step.count);
        world->step.colour = 0;
        used = sph_density_clear(world, jobs, units, &phase_done);
        break;
    case 1:
        used = tpi_sph_is_incompressible(&world->def)
                   ? tpi_dfsph_sweep(world, jobs, units, TPI_DFSPH_MEET, &phase_done)
                   : sph_density_sweep(world, jobs, units, &phase_done);
        break;
    default: used = sph_density_count(world, units, done); break;
    }
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}

/* ---- pressure ---- */

/* Courant numbers: |v - mean v| dt / mean distance; the neighbour count cancels. 0 without
   neighbours. `compat` adds the smoothing radius to the sum of distances, as the published rule
   does. */
static tpi_lanes sph_courant(const tp_world *world, const sph_context *c, uint32_t i)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    tpi_lanes square = zero,
              distance = tpi_lanes_from_ints(tpi_lane_ints_load(c->distance_sum + i)) *
                         (1.0f / TPI_DENSITY_SCALE);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes flow =
            tpi_lanes_from_ints(tpi_lane_ints_load(c->flow[axis] + i)) * (1.0f / TPI_FLOW_SCALE);
        square = square + flow * flow;
    }
    if (world->def.substeps.compat) distance = distance + tpi_lanes_of(1.0f);
    tpi_lane_mask is_alone =
        tpi_lane_ints_equal(tpi_lane_ints_load(c->neighbours + i), tpi_lane_ints_of(0));
    tpi_lane_mask counts = tpi_lanes_and(tpi_lanes_less(zero, distance), tpi_lanes_not(is_alone));
    tpi_lanes courant =
        tpi_lanes_sqrt(square) / tpi_lanes_select(counts, distance, tpi_lanes_of(1.0f));
    return tpi_lanes_select(counts, courant, zero);
}

/* The species of a vector of particles. */
TPI_INLINE tpi_lane_ints sph_species(const sph_context *c, uint32_t i)
{
    return tpi_lane_ints_load(c->order + i) >> 24 & 7;
}

/* What turns density sums into the pressure factor of a pair, in units of smoothing radius times
   heaviest mass: k (rho - m rho0) norm dt^2 / 2, or by an equation of state p(rho)
   3 p (m / rho)^2 norm dt^2 / h. */
typedef struct sph_equation {
    float density_scale, near_scale;
    float stiffness, unit, near_stiffness, near_unit;
    float rest[TP_SPECIES_MAX]; /* m rho0; of an equation of state: rho0 */
    float self, square;         /* density of a unit of mass at its place; c^2 */
    float law_bulk;             /* factor of c^2 (m / rho)^2 S4 in the strain */
    tpi_sph_strain strain;
    bool has_walls;
} sph_equation;

/* The published program has no walls that count. */
static bool sph_has_walls(const tp_world *world)
{
    return tpi_colliders_used(world) > 0 && !world->def.sph.compat;
}

static sph_equation sph_equation_of(const tp_world *world)
{
    const tpi_sph_constants *k = tpi_sph_of(world);
    float half_step = 0.5f * world->step.timestep * world->step.timestep;
    float unit = half_step / (world->constants.smoothing_radius * k->mass_unit);
    float mass_scale = k->mass_unit * (1.0f / TPI_DENSITY_SCALE);
    sph_equation e = {.density_scale = mass_scale * k->norm,
                      .near_scale = mass_scale * k->near_norm,
                      .stiffness = world->def.sph.stiffness,
                      .unit = k->norm * unit,
                      .near_stiffness = world->def.sph.near_stiffness,
                      .near_unit = k->near_norm * unit};
    const bool has_law = tpi_sph_has_law(&world->def);
    for (uint32_t s = 0; s < world->def.species_count; s++)
        e.rest[s] =
            (has_law ? 1.0f : world->def.species[s].mass) * world->def.species[s].rest_density;
    if (has_law) {
        e.self = k->mass_unit * k->norm;
        e.square = world->def.sph.sound_speed * world->def.sph.sound_speed;
        e.unit = 6.0f * e.unit * k->mass_unit * k->mass_unit * k->inverse_radius * k->gradient;
        e.law_bulk = 9.0f * half_step * (k->norm * k->inverse_radius) *
                     (k->norm * k->inverse_radius) * k->mass_unit * k->mass_unit * k->gradient;
    }
    e.has_walls = sph_has_walls(world);
    e.strain = tpi_sph_strain_of(&world->def, k, world->step.timestep);
    e.strain.sum_scale = e.strain.sum_scale * (1.0f / TPI_DENSITY_SCALE);
    return e;
}

/* ---- walls ---- */

/* The sums of a vector of particles as the density stage left them, or completed by walls. */
typedef struct sph_sums {
    tpi_lanes count, sum, near_sum;
} sph_sums;

/* A particle's own term in its sums. */
TPI_INLINE tpi_lanes sph_self(const sph_context *c, uint32_t i)
{
    if (c->is_even) return tpi_lanes_of(TPI_DENSITY_SCALE);
    return tpi_lanes_gather(c->mass_share, sph_species(c, i)) * TPI_DENSITY_SCALE;
}

/* Finds the walls of a vector of particles. */
static void sph_meet_walls(const tp_world *world, const sph_context *c, uint32_t i,
                           const sph_sums *sums, sph_walls *walls)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots),
                   all = (1u << world->def.species_count) - 1u;
    const float within = TPI_WALL_WITHIN * world->constants.smoothing_radius;
    tpi_lanes x[3] = {tpi_lanes_load(c->points.x + i), tpi_lanes_load(c->points.y + i),
                      tpi_lanes_of(0.0f)};
    if (tpi_dimensions(world) == 3) x[2] = tpi_lanes_load(c->points.z + i);
    bool is_begun = false;
    walls->near = tpi_lane_ints_of(0);
    const uint32_t end = tpi_colliders_end(world);
    const uint64_t left = tpi_walls_left(c->walls, end, x, within, tpi_dimensions(world));
    for (uint32_t slot = tpi_bounds_next(left, 0); slot < end;
         slot = tpi_bounds_next(left, slot + 1u)) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item)) continue;
        tpi_lane_mask near = tpi_wall_near(item, x, within, tpi_dimensions(world));
        if (TPI_LIKELY(!tpi_lanes_any(near))) continue;
        if ((item->def.species_mask & all) != all)
            near = tpi_wall_meeting(item, sph_species(c, i), near);
        if (!is_begun) sph_walls_begin(sph_self(c, i), sums->sum, sums->near_sum, walls);
        is_begun = true;
        sph_meet_collider(world, item, x, near, walls);
    }
}

/* Completes the sums of particles near walls: a wall covers a share of the kernel, and counts as if
   the fluid went on behind it with the same density. */
static void sph_complete(const sph_walls *walls, sph_sums *sums)
{
    const tpi_lanes self = walls->self;
    tpi_lane_mask is_far = tpi_lane_ints_equal(walls->near, tpi_lane_ints_of(0));
    tpi_lanes sum = (sums->sum + self) / walls->free[0] - self;
    tpi_lanes near_sum = (sums->near_sum + self) / walls->free[1] - self;
    sums->sum = tpi_lanes_select(is_far, sums->sum, sum);
    sums->near_sum = tpi_lanes_select(is_far, sums->near_sum, near_sum);
    sums->count = sums->count / walls->free[0];
}

/* ---- the state ---- */

/* Pressures of a vector of particles, and the largest frequency of the fluid around each. */
typedef struct sph_state {
    tpi_lanes pressure, near_pressure;
    tpi_lanes strain; /* the time step divided by the longest stable one */
} sph_state;

/* The strain of each lane, see tpi_sph_strain; 0 without neighbours. */
static void sph_strain_lanes(const sph_context *c, const sph_equation *e, uint32_t i,
                             const sph_sums *sums, tpi_lanes bulk, sph_state *state)
{
    const tpi_sph_strain *s = &e->strain;
    tpi_lanes fourths = sums->count * (sums->near_sum * s->sum_scale),
              cubes = sums->sum * s->sum_scale;
    tpi_lanes squares = tpi_lanes_sqrt(fourths), shares = tpi_lanes_sqrt(sums->count * squares);
    tpi_lanes mass = tpi_lanes_of(s->inverse_mass[0]);
    if (!c->is_uniform) mass = tpi_lanes_gather(s->inverse_mass, sph_species(c, i));
    tpi_lanes stiff = state->near_pressure * squares * 6.0f +
                      tpi_lanes_max(state->pressure, tpi_lanes_of(0.0f)) * shares * 4.0f;
    stiff = tpi_lanes_max(stiff, fourths * bulk + cubes * cubes * s->near_bulk);
    stiff = stiff * mass + squares * s->tension;
    if (TPI_HAS_SPRINGS && s->spring > 0.0f) stiff = stiff + shares * s->spring * mass;
    tpi_lanes viscous = shares * s->viscosity;
    state->strain =
        (viscous + tpi_lanes_sqrt(viscous * viscous + stiff * TPI_SPH_STIFF)) * TPI_SPH_STRAIN;
}

/* By an equation of state; returns c^2 (m / rho)^2 in units of the heaviest mass, where c is the
   speed of sound at this density. */
static tpi_lanes sph_state_by_law(const tp_world *world, const sph_equation *e, tpi_lanes density,
                                  tpi_lanes rest, tpi_lanes mass, sph_state *state)
{
    density = (density + e->self) * mass;
    tpi_lanes square = tpi_lanes_of(e->square), pressure = (density - rest) * e->square;
    if (world->def.sph.formulation == TP_SPH_WEAKLY_COMPRESSIBLE) {
        tpi_lanes ratio = density / rest, cube = ratio * ratio * ratio, sixth = cube * cube;
        pressure = (sixth * ratio - 1.0f) * rest * (e->square * (1.0f / 7.0f));
        square = square * sixth;
    }
    if (!world->def.sph.allows_tension) pressure = tpi_lanes_max(pressure, tpi_lanes_of(0.0f));
    tpi_lanes volume = mass / density;
    state->pressure = pressure * (volume * volume) * e->unit;
    state->near_pressure = tpi_lanes_of(0.0f);
    return square * (volume * volume);
}

static void sph_state_lanes(const tp_world *world, const sph_context *c, const sph_equation *e,
                            uint32_t i, const sph_sums *sums, sph_state *state)
{
    tpi_lanes density = sums->sum * e->density_scale, near_density = sums->near_sum * e->near_scale;
    tpi_lanes rest = tpi_lanes_of(e->rest[0]), mass = tpi_lanes_of(c->mass_share[0]);
    tpi_lanes bulk = tpi_lanes_of(e->strain.bulk);
    if (!c->is_uniform) {
        tpi_lane_ints species = sph_species(c, i);
        rest = tpi_lanes_gather(e->rest, species);
        mass = tpi_lanes_gather(c->mass_share, species);
    }
    if (tpi_sph_has_law(&world->def)) {
        bulk = sph_state_by_law(world, e, density, rest, mass, state) * e->law_bulk;
    } else {
        state->pressure = (density - rest) * e->stiffness * e->unit;
        state->near_pressure = near_density * e->near_stiffness * e->near_unit;
    }
    sph_strain_lanes(c, e, i, sums, bulk, state);
}

/* The impulses of walls, to which the force stage adds those of pairs. With 255 of these they stay
   below 2^31. The energy of a whole sum changes more with that over the neighbours than without a
   wall: so much larger are the pressures that the pairs get. */
static void sph_push_off_walls(uint32_t dimensions, const sph_context *c, const sph_walls *walls,
                               uint32_t i, uint32_t count, sph_state *state)
{
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes push = sph_push_of_walls(walls, axis, state->pressure, state->near_pressure);
        push = tpi_lanes_clamp(push, -0.5f, 0.5f) * TPI_IMPULSE_SCALE;
        tpi_lane_ints impulse = tpi_lanes_truncate(push);
        for (uint32_t k = 0; k < count; k++) c->flow[axis][i + k] = TPI_LANE(impulse, k);
    }
    state->pressure = state->pressure * sph_gain(walls, 0);
    state->near_pressure = state->near_pressure * sph_gain(walls, 1);
}

/* Keeps the impulses of walls, before those of pairs come. */
static TPI_APART void sph_keep_load(const tp_world *world, const sph_context *c, uint32_t i,
                                    uint32_t count)
{
    const float unit = world->constants.smoothing_radius * tpi_sph_of(world)->mass_unit /
                       (TPI_IMPULSE_SCALE * world->step.timestep);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_lanes_store_first(tpi_sph_load_of(world, axis) + i,
                              tpi_lanes_from_ints(tpi_lane_ints_load(c->flow[axis] + i)) * unit,
                              count);
}

/* Pressures of `count` particles from index i on, in the memory of their densities, and their
   strains; returns their work at walls, for tpi_wall_tally. */
static int32_t sph_pressure_lanes(const tp_world *world, const sph_context *c,
                                  const sph_equation *e, uint32_t i, uint32_t count,
                                  tpi_lanes *strain)
{
    sph_sums sums = {tpi_lanes_from_ints(tpi_lane_ints_load(c->neighbours + i)),
                     tpi_lanes_from_ints(tpi_lane_ints_load(c->density + i)),
                     tpi_lanes_from_ints(tpi_lane_ints_load(c->near_density + i))};
    sph_walls walls;
    sph_state state;
    int32_t near = 0;
    if (TPI_HAS_COLLIDERS && e->has_walls) {
        sph_meet_walls(world, c, i, &sums, &walls);
        near = tpi_lane_ints_sum(
            tpi_lane_ints_select(tpi_lanes_first(count), walls.near, tpi_lane_ints_of(0)));
        if (TPI_UNLIKELY(near)) sph_complete(&walls, &sums);
    }
    sph_state_lanes(world, c, e, i, &sums, &state);
    if (TPI_UNLIKELY(near)) sph_push_off_walls(tpi_dimensions(world), c, &walls, i, count, &state);
    if (TPI_UNLIKELY(tpi_has_loads(world))) sph_keep_load(world, c, i, count);
    tpi_lanes_store_first(tpi_sph_pressure_of(world) + i, state.pressure, count);
    tpi_lanes_store_first(tpi_sph_near_pressure_of(world) + i, state.near_pressure, count);
    *strain = tpi_lanes_select(tpi_lanes_first(count), state.strain, tpi_lanes_of(0.0f));
    return near;
}

static tpi_lanes sph_courant_range(const tp_world *world, const sph_context *c, uint32_t begin,
                                   uint32_t end)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    tpi_lanes largest = zero;
    for (uint32_t i = begin; world->def.substeps.is_adaptive && i < end; i += TPI_LANES) {
        tpi_lane_mask is_real = tpi_lanes_first(tpi_min_u32(end - i, TPI_LANES));
        largest = tpi_lanes_max(largest, tpi_lanes_select(is_real, sph_courant(world, c, i), zero));
    }
    return largest;
}

static void sph_pressure_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                               tpi_tally *tally)
{
    const sph_context *c = (const sph_context *)context;
    const sph_equation equation = sph_equation_of(world);
    tpi_lanes courant = sph_courant_range(world, c, begin, end), strain = tpi_lanes_of(0.0f);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memset(c->flow[axis] + begin, 0, (size_t)(end - begin) * 4u);
    for (uint32_t axis = 0; tpi_has_cohesion(&world->def) && axis < tpi_dimensions(world); axis++)
        tpi_memset(tpi_central_array(world, TPI_CENTRAL_NORMAL + axis) + begin, 0,
                   (size_t)(end - begin) * 4u);
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        tpi_lanes strains;
        tpi_wall_tally(sph_pressure_lanes(world, c, &equation, i, count, &strains), tally);
        strain = tpi_lanes_max(strain, strains);
    }
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        tally->courant_bits = tpi_max_u32(tally->courant_bits, tpi_bits(TPI_LANE(courant, k)));
        tally->strain_bits = tpi_max_u32(tally->strain_bits, tpi_bits(TPI_LANE(strain, k)));
    }
}

TPI_APART uint32_t tpi_sph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    bool *done)
{
    sph_context c;
    tpi_wall_plan plan;
    sph_context_set(world, &c);
    if (sph_has_walls(world)) tpi_wall_prepare(world, &plan);
    c.walls = &plan;
    uint32_t walls = sph_has_walls(world) ? tpi_colliders_end(world) : 0u;
    tpi_team_pass pass = tpi_wall_pass(world, sph_pressure_range, &c, walls);
    return tpi_team_slice(world, jobs, units, &pass, done);
}

/* ---- force ---- */

/* The pair forces of the formulation. */
static uint32_t sph_force_pairs(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
#if TPI_LANES > 1
    return tpi_sph_force_patches(world, jobs, units, done);
#else
    sph_context c;
    sph_force_context_set(world, &c);
    (void)jobs;
#define SPH_SWEEP(name) \
    (has_list ? name##_listed(world, NULL, units, &c, done) : name(world, NULL, units, &c, done))
    bool has_list = world->def.sph.stores_neighbours;
#if TPI_HAS_BOX
    if (world->constants.box.is_periodic) return SPH_SWEEP(sph_force_box);
#endif
    if (world->def.sph.compat) return SPH_SWEEP(sph_force_2d_compat);
    return tpi_dimensions(world) == 2 ? SPH_SWEEP(sph_force_2d) : SPH_SWEEP(sph_force_3d);
#undef SPH_SWEEP
#endif
}

/* Phases: the formulation's pair forces; normals and cohesion; walls that stick; the passes of
   viscosity; loads. */
TPI_APART uint32_t tpi_sph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    const uint32_t phase = world->step.cursor.phase,
                   coheres = tpi_has_cohesion(&world->def) ? 2u : 0u,
                   sticks = coheres + (tpi_sph_sticks(world) ? 1u : 0u),
                   viscous = sticks + tpi_viscosity_passes(world),
                   last = viscous + (tpi_has_loads(world) ? 1u : 0u);
    bool phase_done = false;
    uint32_t used;
    if (!phase)
        used = sph_force_pairs(world, jobs, units, &phase_done);
    else if (TPI_HAS_TENSION && phase <= coheres)
        used = tpi_central_sweep(world, jobs, units,
                                 phase == 1u ? TPI_CENTRAL_FACE : TPI_CENTRAL_COHERE, &phase_done);
    else if (TPI_HAS_TENSION && phase <= sticks)
        used = tpi_sph_stick(world, jobs, units, &phase_done);
    else if (TPI_HAS_TENSION && phase <= viscous)
        used = tpi_viscosity_run(world, jobs, units, phase - 1u - sticks, &phase_done);
    else
        used = tpi_sph_give_loads(world, units, &phase_done);
    if (phase_done) world->step.cursor = (tpi_cursor){.phase = phase + 1u};
    *done = phase_done && phase == last;
    return used;
}

/* The sums of impulses along an axis. */
TPI_INLINE tpi_lanes sph_impulses(const tp_world *world, uint32_t axis, uint32_t index)
{
    const int32_t *impulse = tpi_integers(world, world->arrays.force[axis]);
    return tpi_lanes_from_ints(tpi_lane_ints_load(impulse + index));
}

void tpi_sph_displacements(const tp_world *world, uint32_t index, tpi_lanes displacement[3])
{
    const tpi_sph_constants *k = tpi_sph_of(world);
    float numerator = world->constants.smoothing_radius * (1.0f / TPI_IMPULSE_SCALE);
    tpi_lanes scale = tpi_lanes_of(numerator / k->mass_share[0]);
    if (world->def.species_count > 1) {
        tpi_lane_ints species =
            tpi_lane_ints_load(tpi_words(world, world->arrays.order) + index) >> 24 & 7;
        scale = numerator / tpi_lanes_gather(k->mass_share, species);
    }
    displacement[0] = sph_impulses(world, 0, index) * scale;
    displacement[1] = sph_impulses(world, 1, index) * scale;
    if (tpi_dimensions(world) == 3) displacement[2] = sph_impulses(world, 2, index) * scale;
}

#undef TPI_DENSITY_SCALE
#undef TPI_IMPULSE_SCALE
#undef TPI_FLOW_SCALE
#undef TPI_FLOW_MAX
#undef TPI_COINCIDENT
#undef TPI_DFSPH_MEET
#undef TPI_DFSPH_MEET_ALL
#undef TPI_DFSPH_DIVERGE
#undef TPI_DFSPH_PUSH
#undef TPI_DFSPH_FLOW
#undef TPI_DFSPH_SCALE
#undef TPI_DFSPH_MOST
#undef TPI_CENTRAL_COHERE
#undef TPI_CENTRAL_FACE
#undef TPI_CENTRAL_SHEAR
#undef TPI_CENTRAL_WEIGH
#undef TPI_CENTRAL_SCALE
#undef TPI_CENTRAL_MIXED_MOST
#undef TPI_CENTRAL_MIXED_SCALE
#undef TPI_CENTRAL_WEIGHT_SCALE
