/* SPDX-License-Identifier: MIT
   runtime/solve/sph/terms.h - the terms that a pair adds to densities, sums of distances and
           impulses.
   reads   offsets, velocities, pressures, one pair per lane      writes  integer terms
   memory  none of its own                                      cost    about 60 operations per pair
   after   Clavet, Beaudoin and Poulin 2005, equations 1 to 6: runtime/guide/physics.md */
#ifndef TPI_SPH_TERMS_H
#define TPI_SPH_TERMS_H
#include "sph_lanes.h"
#include "../../world/wall_lanes.h"
#include "../../grid/sweep.h"

/* A density term is at most 1 (a share of the heaviest mass), so the sum over 255 neighbours stays
   below 2^31. */
#define TPI_DENSITY_SCALE 8388608.0f /* 2^23 */
/* An impulse is clamped to one smoothing radius times the heaviest mass; 255 of them stay below
   2^31. */
#define TPI_IMPULSE_SCALE 8388608.0f /* 2^23 */
/* Relative motion in a step is clamped to 16 smoothing radii; 255 of those stay below 2^31. */
#define TPI_FLOW_SCALE 524288.0f /* 2^19 */
#define TPI_FLOW_MAX   16.0f
/* Particles closer than this share of the radius are coincident: their offset gives no
   direction. */
#define TPI_COINCIDENT 1e-7f

/* A pair of species: the first one's particle has surface tension towards the second. */
typedef struct sph_species_pair {
    float mass; /* see sph_push */
    float tension;
} sph_species_pair;
typedef sph_species_pair sph_species_row[TP_SPECIES_MAX];

typedef struct sph_context {
    tpi_points points;
    const float *vx, *vy, *vz;
    const uint32_t *order;
    const float *mass_share;
    const float (*pair_mass)[TP_SPECIES_MAX]; /* force stage: of viscosity */
    const float (*cohesion)[TP_SPECIES_MAX];  /* null: species are alike; force stage only */
    bool is_uniform;                          /* one species: masses need no lookup */
    bool is_even;                             /* each particle adds as much to densities */
    bool is_capped; /* second pass: pairs beyond the neighbour limit do not count */
    float radius_squared, inverse_radius, coincident_squared;
    int32_t *density, *near_density, *distance_sum;
    uint32_t *neighbours;
    /* the force arrays: flow sums in the density stage, impulses in the force stage */
    int32_t *flow[3];
    const float *pressure, *near_pressure;
    float flow_scale; /* timestep / radius */
    float linear,
        quadratic; /* viscosity times half the squared time step: see sph_force_context_set */
    float tension;
    sph_species_row *species;   /* patches only */
    const tpi_wall_plan *walls; /* pressure stage only */
    uint64_t *clamped;
} sph_context;

/* Through a pointer: a result would be on the stack twice. */
TPI_INLINE void sph_context_set(tp_world *world, sph_context *to)
{
    const tpi_arrays *a = &world->arrays;
    const tpi_constants *c = &world->constants;
    const tpi_sph_constants *sph = tpi_sph_of(world);
    bool is_3d = tpi_dimensions(world) == 3;
    *to = (sph_context){0};
    to->points = tpi_points_of(world);
    to->vx = tpi_back_v(world, 0);
    to->vy = tpi_back_v(world, 1);
    to->vz = tpi_back_v(world, is_3d ? 2 : 0);
    to->order = tpi_words(world, a->order);
    to->mass_share = sph->mass_share;
    to->is_uniform = world->def.species_count == 1;
    to->is_even = to->is_uniform || tpi_sph_has_law(&world->def);
    to->is_capped = world->step.capped;
    to->pair_mass = sph->pair_mass;
    to->radius_squared = c->radius_squared;
    to->inverse_radius = sph->inverse_radius;
    to->coincident_squared = c->radius_squared * (TPI_COINCIDENT * TPI_COINCIDENT);
    to->density = tpi_sph_density_of(world);
    to->near_density = tpi_sph_near_density_of(world);
    to->distance_sum = tpi_integers(world, a->own[TPI_SPH_DISTANCE_SUM]);
    to->neighbours = tpi_words(world, a->neighbours);
    for (uint32_t axis = 0; axis < 3; axis++)
        to->flow[axis] = tpi_integers(world, a->force[axis < tpi_dimensions(world) ? axis : 0]);
    to->pressure = tpi_sph_pressure_of(world);
    to->near_pressure = tpi_sph_near_pressure_of(world);
    to->flow_scale = world->step.timestep * sph->inverse_radius;
    to->clamped = &world->step.displacements_clamped;
}

TPI_INLINE sph_context sph_context_of(tp_world *world)
{
    sph_context context;
    sph_context_set(world, &context);
    return context;
}

/* ---- the terms of a pair ---- */

/* One pair per lane, as seen from one of its particles. */
typedef struct sph_pairs {
    tpi_lane_mask is_real; /* the terms of other lanes are exact zeros */
    tpi_lanes d[3];        /* partner's position minus the particle's */
    tpi_lanes w[3];        /* particle's velocity minus the partner's */
    tpi_lanes square, distance, share;
} sph_pairs;

TPI_INLINE void sph_square(uint32_t dimensions, sph_pairs *pairs)
{
    pairs->square = pairs->d[0] * pairs->d[0] + pairs->d[1] * pairs->d[1];
    if (dimensions == 3) pairs->square = pairs->square + pairs->d[2] * pairs->d[2];
}

/* Distance, and share = 1 - r/h, never negative. Lanes without a pair get a distance beyond the
   cutoff. */
TPI_INLINE void sph_measure(const sph_context *c, sph_pairs *pairs)
{
    pairs->square =
        tpi_lanes_select(pairs->is_real, pairs->square, tpi_lanes_of(4.0f * c->radius_squared));
    pairs->distance = tpi_lanes_sqrt(pairs->square);
    pairs->share =
        tpi_lanes_max(tpi_lanes_of(1.0f) - pairs->distance * c->inverse_radius, tpi_lanes_of(0.0f));
}

/* Terms of both densities that `mass` (scaled) adds at the other particle. */
TPI_INLINE void sph_density_terms(tpi_lanes share, tpi_lanes mass, tpi_lane_ints *term,
                                  tpi_lane_ints *near_term)
{
    tpi_lanes cube = share * share * share;
    *term = tpi_lanes_truncate(cube * mass);
    *near_term = tpi_lanes_truncate(cube * share * mass);
}

/* Term of the sum of distances, for the Courant number. */
TPI_INLINE tpi_lane_ints sph_distance_term(const sph_context *c, const sph_pairs *pairs)
{
    tpi_lanes distance = pairs->distance * c->inverse_radius;
    return tpi_lanes_truncate(tpi_lanes_select(pairs->is_real, distance, tpi_lanes_of(0.0f)) *
                              TPI_DENSITY_SCALE);
}

/* Term of the sum of relative velocities: added to one particle, subtracted from the other. */
TPI_INLINE tpi_lane_ints sph_flow_term(const sph_context *c, const sph_pairs *pairs, uint32_t axis)
{
    tpi_lanes flow = tpi_lanes_clamp(pairs->w[axis] * c->flow_scale, -TPI_FLOW_MAX, TPI_FLOW_MAX);
    return tpi_lanes_truncate(tpi_lanes_select(pairs->is_real, flow, tpi_lanes_of(0.0f)) *
                              TPI_FLOW_SCALE);
}

typedef struct sph_push {
    /* dot product of relative velocity and offset; 1 / distance */
    tpi_lanes along, inverse;
    tpi_lanes pressure, near_pressure; /* sum of both particles' pressures */
    tpi_lanes tension;                 /* 0 between different species */
    /* 2 m m' / (m + m') of the pair; `compat`: the partner's mass share */
    tpi_lanes mass;
    tpi_lanes own_mass; /* `compat` only */
    /* impulse, along the line of centres; to_j under `compat` only */
    tpi_lanes to_i, to_j;
    tpi_lane_mask is_clamped;
} sph_push;

/* Impulses, in smoothing radii times the heaviest mass. In the published program viscosity acts
   along d instead of d / r and gives equal displacements for any masses: then the impulses of the
   two particles differ. */
TPI_INLINE void sph_impulse(const sph_context *c, bool compat, const sph_pairs *pairs,
                            sph_push *push)
{
    tpi_lanes share = pairs->share, squared = share * share;
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
    push->is_clamped = tpi_lanes_differ(to_i, push->to_i);
}

TPI_INLINE void sph_approach(uint32_t dimensions, const sph_pairs *pairs, sph_push *push)
{
    push->along = pairs->w[0] * pairs->d[0] + pairs->w[1] * pairs->d[1];
    if (dimensions == 3) push->along = push->along + pairs->w[2] * pairs->d[2];
    push->inverse = 1.0f / pairs->distance;
}

/* Direction of a coincident pair, derived from the two ids; exactly opposite as seen from the other
   particle. */
TPI_INLINE void sph_coincident_direction(const tp_world *world, uint32_t i, uint32_t j,
                                         float direction[3])
{
    const uint32_t *order = tpi_words(world, world->arrays.order),
                   *id = tpi_words(world, world->arrays.id);
    uint32_t id_i = id[TPI_ORDER_INDEX(order[i])], id_j = id[TPI_ORDER_INDEX(order[j])];
    bool swapped = id_i > id_j;
    tpi_random_key key = {world->def.seed, world->def.world_id, swapped ? id_j : id_i, 0x5350485au};
    tp_vector d = tpi_random_direction(key, 2u * (swapped ? id_i : id_j), tpi_dimensions(world));
    float sign = swapped ? -1.0f : 1.0f;
    direction[0] = sign * d.x;
    direction[1] = sign * d.y;
    direction[2] = sign * d.z;
}

/* Gives coincident pairs a direction; with `compat` they ignore each other, as in the published
   program. Lane k is the pair of indices i[k] and j[k]. */
TPI_INLINE void sph_part_lanes(const tp_world *world, tpi_lane_ints i, tpi_lane_ints j,
                               float coincident_squared, sph_pairs *pairs, sph_push *push)
{
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        if (TPI_LANE(pairs->square, k) > coincident_squared) continue;
        float direction[3];
        sph_coincident_direction(world, (uint32_t)TPI_LANE(i, k), (uint32_t)TPI_LANE(j, k),
                                 direction);
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): 2 or 3 axes */
            TPI_LANE(pairs->d[axis], k) = direction[axis];
        TPI_LANE(pairs->distance, k) = TPI_LANE(push->along, k) = 0.0f;
        TPI_LANE(pairs->share, k) = world->def.sph.compat ? 0.0f : 1.0f;
        TPI_LANE(push->inverse, k) = 1.0f;
    }
}

/* Viscosity: a displacement I dt with I = dt share (alpha u + beta u^2) / 2 of each of two equal
   masses, hence an impulse of I dt 2 m m' / (m + m'). Surface tension scales with (dt /
   reference)^2, so that the size of a drop does not depend on dt; the published program omits that
   factor. */
TPI_INLINE void sph_force_context_set(tp_world *world, sph_context *to)
{
    sph_context_set(world, to);
    const tpi_sph_constants *k = tpi_sph_of(world);
    float timestep = world->step.timestep, ratio = timestep / TPI_SPH_REFERENCE_STEP;
    float half_step = 0.5f * timestep * timestep * k->inverse_radius;
    to->linear = world->def.sph.viscosity_linear * half_step;
    to->quadratic = world->def.sph.viscosity_quadratic * half_step;
    to->tension = tpi_sph_tension(&world->def) * k->norm;
    if (!world->def.sph.compat) to->tension = to->tension * (ratio * ratio);
    const tpi_sph_materials *materials = tpi_materials_of(world);
    if (!materials) return;
    to->pair_mass = materials->viscous;
    to->cohesion = materials->cohesion;
}
TPI_INLINE sph_context sph_force_context(tp_world *world)
{
    sph_context context;
    sph_force_context_set(world, &context);
    return context;
}

#endif
