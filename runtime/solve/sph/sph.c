/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph.c - densities, pressures and impulses of the fluid.
   reads   back positions and velocities, species      writes  density, near_density, reach, neighbours, force
   memory  none of its own      cost    density and force: one visit a pair each; pressure: one a particle
   after   Clavet et al. 2005, eq. 1-6 with exponents 3 and 4; deviations: a pair is evaluated once and added to both
           ends as integers, so that Newton's third law holds to the last bit and no sum depends on its order */
#include "sph.h"
#include "../../grid/sweep.h"

/* A term of a density is at most 1 (a share of the heaviest mass), so 255 neighbours stay below 2^31. */
#define TPI_DENSITY_SCALE 8388608.0f /* 2^23 */
/* An impulse is clamped to one smoothing radius times the heaviest mass; 255 of them stay below 2^31. */
#define TPI_IMPULSE_SCALE 8388608.0f /* 2^23 */
/* Relative motion in a step is clamped to 16 radii; 255 of those stay below 2^31. */
#define TPI_FLOW_SCALE 524288.0f /* 2^19 */
#define TPI_FLOW_MAX   16.0f
/* Closer than this share of the radius a pair has no direction of its own. */
#define TPI_COINCIDENT 1e-7f

/* The published constants of surface tension belong to this step. */
#define TPI_REFERENCE_STEP (1.0f / 140.0f)

typedef struct sph_context {
    tpi_points points;
    const float *vx, *vy, *vz;
    const uint32_t *order;
    const float *mass_share;
    const float (*pair_mass)[TP_SPECIES_MAX];
    bool is_uniform; /* one species: masses need no look-up */
    bool is_capped;  /* the neighbour cap is hit: pairs beyond the cuts do not count */
    float radius_squared, inverse_radius, coincident_squared;
    int32_t *density, *near_density, *reach;
    uint32_t *neighbours;
    int32_t *flow[3]; /* the force arrays: flow sums in the density stage, impulses in the force stage */
    const float *pressure, *near_pressure;
    float flow_scale;        /* timestep / radius */
    float linear, quadratic; /* viscosity, ready to multiply: see sph_force_context */
    float tension;
} sph_context;

static sph_context sph_context_of(tp_world *world)
{
    const tpi_arrays *a = &world->arrays;
    const tpi_constants *c = &world->constants;
    bool is_3d = world->def.dimensions == 3;
    sph_context context = {0};
    context.points = tpi_points_of(world);
    context.vx = tpi_back_v(world, 0);
    context.vy = tpi_back_v(world, 1);
    context.vz = tpi_back_v(world, is_3d ? 2 : 0);
    context.order = tpi_words(world, a->order);
    context.mass_share = c->mass_share;
    context.is_uniform = world->def.species_count == 1;
    context.is_capped = world->step.capped;
    context.pair_mass = c->pair_mass;
    context.radius_squared = c->radius_squared;
    context.inverse_radius = c->inverse_radius;
    context.coincident_squared = c->radius_squared * (TPI_COINCIDENT * TPI_COINCIDENT);
    context.density = tpi_integers(world, a->density);
    context.near_density = tpi_integers(world, a->near_density);
    context.reach = tpi_integers(world, a->reach);
    context.neighbours = tpi_words(world, a->neighbours);
    for (uint32_t axis = 0; axis < 3; axis++)
        context.flow[axis] = tpi_integers(world, a->force[axis < world->def.dimensions ? axis : 0]);
    context.pressure = tpi_floats(world, a->density);
    context.near_pressure = tpi_floats(world, a->near_density);
    context.flow_scale = world->step.timestep * c->inverse_radius;
    return context;
}

/* Pairs are met from both ends where vectors are wide, or where several threads must not write to one particle. The
   published program's forces are not equal and opposite: they only go to both ends at once. */
#define SPH_MAY_BOTH_ENDS (TPI_WIDE || TIDEPOOL_JOBS)

/* ---- the terms of a pair ---- */

/* One pair a lane, seen from one of its particles. */
typedef struct sph_pairs {
    tpi_lane_mask is_real; /* other lanes' terms are exact zeros */
    tpi_lanes d[3];        /* partner's position less the particle's */
    tpi_lanes w[3];        /* particle's velocity less the partner's */
    tpi_lanes square, distance, share;
} sph_pairs;

TPI_INLINE void sph_square(uint32_t dimensions, sph_pairs *pairs)
{
    pairs->square = pairs->d[0] * pairs->d[0] + pairs->d[1] * pairs->d[1];
    if (dimensions == 3) pairs->square = pairs->square + pairs->d[2] * pairs->d[2];
}

/* Distance, and share = 1 - r/h, never negative; out of reach where there is no pair. */
TPI_INLINE void sph_measure(const sph_context *c, sph_pairs *pairs)
{
    pairs->square = tpi_lanes_select(pairs->is_real, pairs->square, tpi_lanes_of(4.0f * c->radius_squared));
    pairs->distance = tpi_lanes_sqrt(pairs->square);
    pairs->share =
        tpi_lanes_max(tpi_lanes_of(1.0f) - pairs->distance * c->inverse_radius, tpi_lanes_of(0.0f));
}

/* Terms of the two densities that a mass adds at the other end; `mass` is scaled. */
TPI_INLINE void sph_density_terms(tpi_lanes share, tpi_lanes mass, tpi_lane_ints *term,
                                  tpi_lane_ints *near_term)
{
    tpi_lanes cube = share * share * share;
    *term = tpi_lanes_truncate(cube * mass);
    *near_term = tpi_lanes_truncate(cube * share * mass);
}

/* Share of a distance in the sum of distances, for the Courant number (PHYSICS C.9). */
TPI_INLINE tpi_lane_ints sph_reach_term(const sph_context *c, const sph_pairs *pairs)
{
    tpi_lanes reach = pairs->distance * c->inverse_radius;
    return tpi_lanes_truncate(tpi_lanes_select(pairs->is_real, reach, tpi_lanes_of(0.0f)) *
                              TPI_DENSITY_SCALE);
}

/* Share of a relative velocity in their sum: what one end gets, less it is the other's. */
TPI_INLINE tpi_lane_ints sph_flow_term(const sph_context *c, const sph_pairs *pairs, uint32_t axis)
{
    tpi_lanes flow = tpi_lanes_clamp(pairs->w[axis] * c->flow_scale, -TPI_FLOW_MAX, TPI_FLOW_MAX);
    return tpi_lanes_truncate(tpi_lanes_select(pairs->is_real, flow, tpi_lanes_of(0.0f)) * TPI_FLOW_SCALE);
}

typedef struct sph_push {
    tpi_lanes along, inverse;          /* relative velocity times offset; 1 / distance */
    tpi_lanes pressure, near_pressure; /* the two ends' sum */
    tpi_lanes tension;                 /* 0 between species */
    tpi_lanes mass;                    /* 2 m m' / (m + m') of the pair; `compat`: the partner's */
    tpi_lanes own_mass;                /* `compat` only */
    tpi_lanes to_i, to_j;              /* impulse, along the line of centres; to_j under `compat` only */
    tpi_lane_mask is_clamped;
} sph_push;

/* Impulses, in smoothing radii times the heaviest mass. The published program's viscosity acts along d instead of
   d / r, and as equal displacements whatever the masses: then the ends differ. */
TPI_INLINE void sph_impulse(const sph_context *c, bool compat, const sph_pairs *pairs, sph_push *push)
{
    tpi_lanes share = pairs->share, squared = share * share, one = tpi_lanes_of(1.0f);
    tpi_lanes impulse = push->pressure * squared + push->near_pressure * (squared * share);
    impulse = impulse - push->tension * squared * (pairs->distance * c->inverse_radius);
    tpi_lanes approach = tpi_lanes_max(push->along * push->inverse, tpi_lanes_of(0.0f));
    tpi_lanes viscous = share * (approach * c->linear + (approach * approach) * c->quadratic);
    tpi_lanes to_i = impulse + viscous * push->mass;
    if (compat) {
        to_i = impulse + viscous * pairs->distance * push->own_mass;
        push->to_j = tpi_lanes_clamp(impulse + viscous * pairs->distance * push->mass, -1.0f, 1.0f);
    }
    push->to_i = tpi_lanes_clamp(to_i, -1.0f, 1.0f);
    push->is_clamped = tpi_lanes_or(tpi_lanes_less(to_i, -one), tpi_lanes_less(one, to_i));
}

TPI_INLINE void sph_approach(uint32_t dimensions, const sph_pairs *pairs, sph_push *push)
{
    push->along = pairs->w[0] * pairs->d[0] + pairs->w[1] * pairs->d[1];
    if (dimensions == 3) push->along = push->along + pairs->w[2] * pairs->d[2];
    push->inverse = 1.0f / pairs->distance;
}

TPI_INLINE bool sph_has_coincident(const sph_context *c, const sph_pairs *pairs)
{
    tpi_lane_mask is_apart = tpi_lanes_less(tpi_lanes_of(c->coincident_squared), pairs->square);
    return tpi_lanes_any(tpi_lanes_not(is_apart));
}

/* Where two particles coincide their ids give the direction, the same from either end. */
static void sph_coincident_direction(const tp_world *world, uint32_t i, uint32_t j, float direction[3])
{
    const uint32_t *order = tpi_words(world, world->arrays.order), *id = tpi_words(world, world->arrays.id);
    uint32_t id_i = id[TPI_ORDER_PLACE(order[i])], id_j = id[TPI_ORDER_PLACE(order[j])];
    bool swapped = id_i > id_j;
    tpi_random_key key = {world->def.seed, world->def.world_id, swapped ? id_j : id_i, 0x5350485au};
    tp_vector d = tpi_random_direction(key, 2u * (swapped ? id_i : id_j), world->def.dimensions);
    float sign = swapped ? -1.0f : 1.0f;
    direction[0] = sign * d.x;
    direction[1] = sign * d.y;
    direction[2] = sign * d.z;
}

/* Gives coincident pairs a direction; under `compat` they ignore each other, as in the published program. Lane k is the
   pair of places i[k] and j[k]. */
static void sph_part_lanes(const tp_world *world, tpi_lane_ints i, tpi_lane_ints j, float coincident_squared,
                           sph_pairs *pairs, sph_push *push)
{
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        if (TPI_LANE(pairs->square, k) > coincident_squared) continue;
        float direction[3];
        sph_coincident_direction(world, (uint32_t)TPI_LANE(i, k), (uint32_t)TPI_LANE(j, k), direction);
        for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
            TPI_LANE(pairs->d[axis], k) = direction[axis];
        TPI_LANE(pairs->distance, k) = TPI_LANE(push->along, k) = 0.0f;
        TPI_LANE(pairs->share, k) = world->def.sph.compat ? 0.0f : 1.0f;
        TPI_LANE(push->inverse, k) = 1.0f;
    }
}

/* Through copies: what has an address does not stay in registers, and this hardly ever happens. */
TPI_INLINE void sph_part_coincident(const tp_world *world, const sph_context *c, tpi_lane_ints i,
                                    tpi_lane_ints j, sph_pairs *pairs, sph_push *push)
{
    sph_pairs parted = *pairs;
    sph_push pushed = *push;
    sph_part_lanes(world, i, j, c->coincident_squared, &parted, &pushed);
    *pairs = parted;
    *push = pushed;
}

/* ---- pair by pair: lanes are the partners of one particle ---- */

TPI_INLINE tpi_lane_ints sph_load_partners(uint32_t i, const uint32_t *partners, uint32_t count,
                                           sph_pairs *pairs)
{
    pairs->is_real = tpi_lanes_first(tpi_min_u32(count, TPI_LANES));
    return tpi_lane_ints_select(pairs->is_real, tpi_lane_ints_load(partners), tpi_lane_ints_of((int32_t)i));
}

TPI_INLINE void sph_gather_offset(const sph_context *c, uint32_t i, tpi_lane_ints partner,
                                  uint32_t dimensions, sph_pairs *pairs)
{
    pairs->d[0] = tpi_lanes_gather(c->points.x, partner) - tpi_lanes_of(c->points.x[i]);
    pairs->d[1] = tpi_lanes_gather(c->points.y, partner) - tpi_lanes_of(c->points.y[i]);
    if (dimensions == 3) pairs->d[2] = tpi_lanes_gather(c->points.z, partner) - tpi_lanes_of(c->points.z[i]);
}

TPI_INLINE void sph_gather_velocity(const sph_context *c, uint32_t i, tpi_lane_ints partner,
                                    uint32_t dimensions, sph_pairs *pairs)
{
    pairs->w[0] = tpi_lanes_of(c->vx[i]) - tpi_lanes_gather(c->vx, partner);
    pairs->w[1] = tpi_lanes_of(c->vy[i]) - tpi_lanes_gather(c->vy, partner);
    if (dimensions == 3) pairs->w[2] = tpi_lanes_of(c->vz[i]) - tpi_lanes_gather(c->vz, partner);
}

TPI_INLINE tpi_lane_ints sph_species(const sph_context *c, tpi_lane_ints partner)
{
    return tpi_lane_ints_gather(c->order, partner) >> 24 & 7;
}

/* Adds a term to each partner's sum; the pairs of one particle have different partners. Sums wrap: in a crowd above the
   neighbour cap those of the first pass are thrown away. */
TPI_INLINE void sph_add_each(int32_t *sums, const uint32_t *partners, uint32_t count, tpi_lane_ints terms)
{
    uint32_t *wrapping = (uint32_t *)sums, each[TPI_LANES];
    tpi_lane_ints_store(each, terms);
    for (uint32_t k = 0; k < count; k++) wrapping[partners[k]] += each[k];
}

TPI_INLINE void sph_add_sum(int32_t *sums, uint32_t i, tpi_lane_ints terms)
{
    ((uint32_t *)sums)[i] += (uint32_t)tpi_lane_ints_sum(terms);
}

/* Of up to TPI_LANES partners of i, and what i gets from them. */
typedef struct sph_density_sums {
    tpi_lane_ints density, near_density, reach, flow[3];
} sph_density_sums;

TPI_INLINE void sph_density_flow(const sph_context *c, uint32_t i, const uint32_t *partners, uint32_t count,
                                 tpi_lane_ints partner, tpi_sweep_kind kind, sph_pairs *pairs,
                                 sph_density_sums *sums)
{
    tpi_lane_ints reach = sph_reach_term(c, pairs);
    sums->reach = tpi_lane_ints_add(sums->reach, reach);
    if (!kind.both_ends) sph_add_each(c->reach, partners, count, reach);
    sph_gather_velocity(c, i, partner, kind.dimensions, pairs);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) {
        tpi_lane_ints flow = sph_flow_term(c, pairs, axis);
        sums->flow[axis] = tpi_lane_ints_add(sums->flow[axis], -flow);
        if (!kind.both_ends) sph_add_each(c->flow[axis], partners, count, flow);
    }
}

/* The terms of a pair are those of its partner's mass at i, and of i's mass at the partner. */
TPI_INLINE void sph_density_lanes(const sph_context *c, uint32_t i, const uint32_t *partners,
                                  const float *squares, uint32_t count, tpi_sweep_kind kind, bool has_flow,
                                  sph_density_sums *sums)
{
    sph_pairs pairs;
    tpi_lane_ints term, near_term, partner = sph_load_partners(i, partners, count, &pairs);
    pairs.square = tpi_lanes_load(squares);
    sph_measure(c, &pairs);
    if (!kind.both_ends) {
        float own = c->mass_share[TPI_ORDER_SPECIES(c->order[i])] * TPI_DENSITY_SCALE;
        sph_density_terms(pairs.share, tpi_lanes_of(own), &term, &near_term);
        sph_add_each(c->density, partners, count, term);
        sph_add_each(c->near_density, partners, count, near_term);
        for (uint32_t k = 0; k < count; k++) c->neighbours[partners[k]]++;
    }
    tpi_lanes mass = tpi_lanes_of(c->mass_share[0] * TPI_DENSITY_SCALE);
    if (!c->is_uniform) mass = tpi_lanes_gather(c->mass_share, sph_species(c, partner)) * TPI_DENSITY_SCALE;
    sph_density_terms(pairs.share, mass, &term, &near_term);
    sums->density = tpi_lane_ints_add(sums->density, term);
    sums->near_density = tpi_lane_ints_add(sums->near_density, near_term);
    if (has_flow) sph_density_flow(c, i, partners, count, partner, kind, &pairs, sums);
}

TPI_INLINE void sph_density_batch(const sph_context *context, uint32_t i, const uint32_t *partners,
                                  const float *squares, uint32_t count, tpi_sweep_kind kind, bool has_flow)
{
    const sph_context c = *context;
    const tpi_lane_ints zero = tpi_lane_ints_of(0);
    sph_density_sums sums = {zero, zero, zero, {zero, zero, zero}};
    c.neighbours[i] += count;
    for (uint32_t k = 0; k < count; k += TPI_LANES)
        sph_density_lanes(&c, i, partners + k, squares + k, tpi_min_u32(count - k, TPI_LANES), kind, has_flow,
                          &sums);
    sph_add_sum(c.density, i, sums.density);
    sph_add_sum(c.near_density, i, sums.near_density);
    if (!has_flow) return;
    sph_add_sum(c.reach, i, sums.reach);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) sph_add_sum(c.flow[axis], i, sums.flow[axis]);
}

TPI_INLINE void sph_force_gather(const sph_context *c, uint32_t i, tpi_lane_ints partner, bool compat,
                                 sph_push *push)
{
    uint32_t species = TPI_ORDER_SPECIES(c->order[i]);
    const float *pair_mass = compat ? c->mass_share : c->pair_mass[species];
    push->pressure = tpi_lanes_gather(c->pressure, partner) + c->pressure[i];
    push->near_pressure = tpi_lanes_gather(c->near_pressure, partner) + c->near_pressure[i];
    push->mass = tpi_lanes_of(pair_mass[species]);
    push->own_mass = tpi_lanes_of(c->mass_share[species]);
    push->tension = c->tension * push->own_mass;
    if (c->is_uniform) return;
    tpi_lane_ints other = sph_species(c, partner);
    push->mass = tpi_lanes_gather(pair_mass, other);
    tpi_lane_mask is_alike = tpi_lane_ints_equal(other, tpi_lane_ints_of((int32_t)species));
    if (compat) { /* species of one mass are one fluid */
        tpi_lanes mass = tpi_lanes_gather(c->mass_share, other), own = push->own_mass;
        is_alike = tpi_lanes_not(tpi_lanes_or(tpi_lanes_less(mass, own), tpi_lanes_less(own, mass)));
    }
    push->tension = tpi_lanes_select(is_alike, push->tension, tpi_lanes_of(0.0f));
}

/* Pairs whose impulse is clamped; from both ends, the earlier one counts. Seldom asked. */
static uint32_t sph_count_clamped(uint32_t i, tpi_lane_ints partner, uint32_t bits, bool both_ends)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < TPI_LANES; k++)
        count += (bits >> k & 1u) && (!both_ends || i < (uint32_t)TPI_LANE(partner, k));
    return count;
}

TPI_INLINE void sph_force_lanes(const tp_world *world, const sph_context *c, uint32_t i,
                                const uint32_t *partners, uint32_t count, tpi_sweep_kind kind, bool compat,
                                tpi_lane_ints sums[3], tpi_tally *tally)
{
    sph_pairs pairs;
    sph_push push;
    tpi_lane_ints partner = sph_load_partners(i, partners, count, &pairs);
    sph_gather_offset(c, i, partner, kind.dimensions, &pairs);
    sph_gather_velocity(c, i, partner, kind.dimensions, &pairs);
    sph_force_gather(c, i, partner, compat, &push);
    sph_square(kind.dimensions, &pairs);
    sph_measure(c, &pairs);
    sph_approach(kind.dimensions, &pairs, &push);
    if (TPI_UNLIKELY(sph_has_coincident(c, &pairs)))
        sph_part_coincident(world, c, tpi_lane_ints_of((int32_t)i), partner, &pairs, &push);
    sph_impulse(c, compat, &pairs, &push);
    if (TPI_UNLIKELY(tpi_lanes_any(push.is_clamped)))
        tally->clamped += sph_count_clamped(i, partner, tpi_lanes_bits(push.is_clamped), kind.both_ends);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) {
        tpi_lanes line = pairs.d[axis] * push.inverse * TPI_IMPULSE_SCALE;
        tpi_lane_ints to_i = tpi_lanes_truncate(line * push.to_i);
        sums[axis] = tpi_lane_ints_add(sums[axis], -to_i);
        if (!kind.both_ends)
            sph_add_each(c->flow[axis], partners, count,
                         compat ? tpi_lanes_truncate(line * push.to_j) : to_i);
    }
}

TPI_INLINE void sph_force_batch(const tp_world *world, const sph_context *context, uint32_t i,
                                const uint32_t *partners, uint32_t count, tpi_sweep_kind kind, bool compat,
                                tpi_tally *tally)
{
    const sph_context c = *context;
    const tpi_lane_ints zero = tpi_lane_ints_of(0);
    tpi_lane_ints sums[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < count; k += TPI_LANES)
        sph_force_lanes(world, &c, i, partners + k, tpi_min_u32(count - k, TPI_LANES), kind, compat, sums,
                        tally);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) sph_add_sum(c.flow[axis], i, sums[axis]);
}

/* A visitor of a kind, and its sweep. */
#define SPH_DENSITY_SWEEP(name, has_flow, ...)                                                              \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,                     \
                                const uint32_t *partners, const float *squares, uint32_t count,             \
                                tpi_tally *tally)                                                           \
    {                                                                                                       \
        (void)world;                                                                                        \
        (void)tally;                                                                                        \
        sph_density_batch((const sph_context *)context, i, partners, squares, count,                        \
                          (tpi_sweep_kind){__VA_ARGS__}, has_flow);                                         \
    }                                                                                                       \
    TPI_SWEEP(name, name##_meet, .fills_lists = true, __VA_ARGS__)
#define SPH_FORCE_SWEEP(name, compat, ...)                                                                  \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,                     \
                                const uint32_t *partners, const float *squares, uint32_t count,             \
                                tpi_tally *tally)                                                           \
    {                                                                                                       \
        (void)squares; /* offsets are needed too, and give the same squares */                              \
        sph_force_batch(world, (const sph_context *)context, i, partners, count,                            \
                        (tpi_sweep_kind){__VA_ARGS__}, compat, tally);                                      \
    }                                                                                                       \
    TPI_SWEEP(name, name##_meet, __VA_ARGS__)
/* Through the grid, and along the lists. */
#define SPH_FORCE_SWEEPS(name, compat, ...) \
    SPH_FORCE_SWEEP(name, compat, __VA_ARGS__) SPH_FORCE_SWEEP(name##_listed, compat, .by_lists = true, __VA_ARGS__)
SPH_DENSITY_SWEEP(sph_density_2d, false, .dimensions = 2)
SPH_DENSITY_SWEEP(sph_density_2d_flow, true, .dimensions = 2)
SPH_DENSITY_SWEEP(sph_density_3d, false, .dimensions = 3)
SPH_DENSITY_SWEEP(sph_density_3d_flow, true, .dimensions = 3)
SPH_FORCE_SWEEPS(sph_force_2d, false, .dimensions = 2)
SPH_FORCE_SWEEPS(sph_force_3d, false, .dimensions = 3)
SPH_FORCE_SWEEPS(sph_force_2d_compat, true, .dimensions = 2)
#if SPH_MAY_BOTH_ENDS
SPH_DENSITY_SWEEP(sph_density_2d_both, false, .dimensions = 2, .both_ends = true)
SPH_DENSITY_SWEEP(sph_density_2d_flow_both, true, .dimensions = 2, .both_ends = true)
SPH_DENSITY_SWEEP(sph_density_3d_both, false, .dimensions = 3, .both_ends = true)
SPH_DENSITY_SWEEP(sph_density_3d_flow_both, true, .dimensions = 3, .both_ends = true)
SPH_FORCE_SWEEPS(sph_force_2d_both, false, .dimensions = 2, .both_ends = true)
SPH_FORCE_SWEEPS(sph_force_3d_both, false, .dimensions = 3, .both_ends = true)
#define SPH_BOTH(name)        name##_both
#define SPH_BOTH_LISTED(name) name##_both_listed
#else
#define SPH_BOTH(name)        NULL
#define SPH_BOTH_LISTED(name) NULL
#endif
#undef SPH_DENSITY_SWEEP
#undef SPH_FORCE_SWEEP
#undef SPH_FORCE_SWEEPS

/* ---- the sweeps ---- */

static bool sph_wants_both_ends(const tp_world *world, const tp_jobs *jobs)
{
    return !world->def.sph.compat && (TPI_WIDE || tpi_team_is_worth(jobs, world->step.count));
}

static uint32_t sph_density_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    static const tpi_sweep_work works[2][2][2] = {
        {{sph_density_2d, sph_density_2d_flow}, {SPH_BOTH(sph_density_2d), SPH_BOTH(sph_density_2d_flow)}},
        {{sph_density_3d, sph_density_3d_flow}, {SPH_BOTH(sph_density_3d), SPH_BOTH(sph_density_3d_flow)}}};
    sph_context c = sph_context_of(world);
    bool both_ends = world->step.both_ends, has_flow = world->def.substeps.is_adaptive;
    tpi_sweep_work work = works[world->def.dimensions - 2u][both_ends][has_flow];
    return tpi_sweep_slice(world, jobs, both_ends, units, work, &c, done);
}

/* Sums begin at nothing; neighbour counts of the pass before are kept while the nearest are chosen from them. */
static uint32_t sph_density_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const tpi_arrays *a = &world->arrays;
    uint32_t count = tpi_min_u32(units, world->step.count - cursor->i);
    const uint32_t sums[7] = {a->density,  a->near_density, a->neighbours, a->reach,
                              a->force[0], a->force[1],     a->force[2]};
    uint32_t last = world->def.substeps.is_adaptive ? 4u + world->def.dimensions : 3u;
    for (uint32_t k = 0; k < last; k++) memset(tpi_words(world, sums[k]) + cursor->i, 0, (size_t)count * 4u);
    cursor->i += count;
    *done = cursor->i == world->step.count;
    if (*done) world->step.pairs = world->step.crowded = world->step.pair_count = 0;
    return count;
}

/* Pairs and the largest neighbour count, which says whether the cap is hit. 8 counts cost less than one pair. */
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
    return (end - begin + 7u) / 8u;
}

uint32_t tpi_sph_density(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0:
        world->step.both_ends = sph_wants_both_ends(world, jobs);
        used = sph_density_clear(world, units, &phase_done);
        break;
    case 1: used = sph_density_sweep(world, jobs, units, &phase_done); break;
    default: used = sph_density_count(world, units, done); break;
    }
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}

/* ---- pressure ---- */

/* Courant number of one particle (PHYSICS C.9): |v - mean v| dt / mean distance; the count of neighbours cancels.
   `compat` adds the interaction radius to the sum of distances, as the published rule does. */
static float sph_courant(const tp_world *world, const sph_context *c, uint32_t i)
{
    float square = 0.0f, reach = (float)c->reach[i] * (1.0f / TPI_DENSITY_SCALE);
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        float flow = (float)c->flow[axis][i] * (1.0f / TPI_FLOW_SCALE);
        square = square + flow * flow;
    }
    if (world->def.substeps.compat) reach += 1.0f;
    return c->neighbours[i] && reach > 0.0f ? tpi_sqrt(square) / reach : 0.0f;
}

/* Turns sums into what a pair multiplies: k (rho - m rho0) norm dt^2 / 2, in units of radius times heaviest mass. */
static void sph_pressure_of(tp_world *world, const sph_context *c, uint32_t i)
{
    const tpi_constants *k = &world->constants;
    const tp_sph *sph = &world->def.sph;
    const tp_species *species = &world->def.species[TPI_ORDER_SPECIES(c->order[i])];
    float half_step = 0.5f * world->step.timestep * world->step.timestep;
    float unit = half_step / (k->smoothing_radius * k->mass_unit);
    float mass_scale = k->mass_unit * (1.0f / TPI_DENSITY_SCALE);
    float density = (float)c->density[i] * (mass_scale * k->norm);
    float near_density = (float)c->near_density[i] * (mass_scale * k->near_norm);
    float pressure = sph->stiffness * (density - species->mass * species->rest_density) * (k->norm * unit);
    float near_pressure = sph->near_stiffness * near_density * (k->near_norm * unit);
    tpi_floats(world, world->arrays.density)[i] = pressure;
    tpi_floats(world, world->arrays.near_density)[i] = near_pressure;
}

static void sph_pressure_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                               tpi_tally *tally)
{
    const sph_context *c = (const sph_context *)context;
    for (uint32_t i = begin; i < end; i++) {
        if (world->def.substeps.is_adaptive)
            tally->courant_bits = tpi_max_u32(tally->courant_bits, tpi_bits(sph_courant(world, c, i)));
        sph_pressure_of(world, c, i);
        for (uint32_t axis = 0; axis < world->def.dimensions; axis++) c->flow[axis][i] = 0;
    }
}

uint32_t tpi_sph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    sph_context c = sph_context_of(world);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units, step->count - begin);
    tpi_tally tally = tpi_team_run(jobs, world, sph_pressure_range, &c, begin, end);
    step->courant_bits = tpi_max_u32(step->courant_bits, tally.courant_bits);
    step->cursor.i = end;
    *done = end == step->count;
    return end - begin;
}

/* ---- force ---- */

/* Viscosity: displacement I dt with I = dt share (alpha u + beta u^2) / 2 of each of two equal masses, hence an
   impulse of I dt 2 m m' / (m + m'). Surface tension scales with (dt / reference)^2, so that a drop's size does not
   depend on dt; the published program leaves that factor out. */
static sph_context sph_force_context(tp_world *world)
{
    sph_context c = sph_context_of(world);
    const tpi_constants *k = &world->constants;
    float timestep = world->step.timestep, ratio = timestep / TPI_REFERENCE_STEP;
    float half_step = 0.5f * timestep * timestep * k->inverse_radius;
    c.linear = world->def.sph.viscosity_linear * half_step;
    c.quadratic = world->def.sph.viscosity_quadratic * half_step;
    c.tension = world->def.sph.surface_tension * k->norm;
    if (!world->def.sph.compat) c.tension = c.tension * (ratio * ratio);
    return c;
}

uint32_t tpi_sph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    static const tpi_sweep_work works[2][2][2] = {
        {{sph_force_2d, sph_force_2d_listed}, {SPH_BOTH(sph_force_2d), SPH_BOTH_LISTED(sph_force_2d)}},
        {{sph_force_3d, sph_force_3d_listed}, {SPH_BOTH(sph_force_3d), SPH_BOTH_LISTED(sph_force_3d)}}};
    sph_context c = sph_force_context(world);
    bool both_ends = world->step.both_ends, has_list = world->def.sph.stores_neighbours;
    tpi_sweep_work work = works[world->def.dimensions - 2u][both_ends][has_list];
    if (world->def.sph.compat) work = has_list ? sph_force_2d_compat_listed : sph_force_2d_compat;
    return tpi_sweep_slice(world, jobs, both_ends, units, work, &c, done);
}

void tpi_sph_displacements(const tp_world *world, uint32_t place, tpi_lanes displacement[3])
{
    const tpi_constants *k = &world->constants;
    float numerator = k->smoothing_radius * (1.0f / TPI_IMPULSE_SCALE);
    tpi_lanes scale = tpi_lanes_of(numerator / k->mass_share[0]);
    if (world->def.species_count > 1) {
        tpi_lane_ints species = tpi_lane_ints_load(tpi_words(world, world->arrays.order) + place) >> 24 & 7;
        scale = numerator / tpi_lanes_gather(k->mass_share, species);
    }
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        const int32_t *impulse = tpi_integers(world, world->arrays.force[axis]);
        displacement[axis] = tpi_lanes_from_ints(tpi_lane_ints_load(impulse + place)) * scale;
    }
}

#undef TPI_DENSITY_SCALE
#undef TPI_IMPULSE_SCALE
#undef TPI_FLOW_SCALE
#undef TPI_FLOW_MAX
#undef TPI_COINCIDENT
#undef TPI_REFERENCE_STEP
