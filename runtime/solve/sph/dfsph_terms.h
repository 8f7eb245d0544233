/* SPDX-License-Identifier: MIT
   runtime/solve/sph/dfsph_terms.h - the terms that a pair of the incompressible fluid adds to
           densities, divergences and velocities.
   reads   offsets, velocities, pressures, one pair per lane      writes  integer terms
   memory  none of its own                                      cost    about 40 operations per pair
   after   see dfsph.h; the same functions for vectors of pairs and for single ones */
#ifndef TPI_DFSPH_TERMS_H
#define TPI_DFSPH_TERMS_H
#include "terms.h"

/* The parts of a pair's work. A sweep does one of these. */
#define TPI_DFSPH_MEET_ALL 0u /* density, its gradient, divergence; masses, Courant number */
#define TPI_DFSPH_MEET     1u /* the same for equal masses and fixed sub-steps */
#define TPI_DFSPH_DIVERGE  2u /* divergence */
#define TPI_DFSPH_PUSH     3u /* changes of velocities by changes of pressures */
#define TPI_DFSPH_FLOW     4u /* the same, and by viscosity */

/* Terms of divergences and velocities, in units of 1 / dt and spacing / dt, are clamped to this.
   127 of them stay below 2^31. */
#define TPI_DFSPH_SCALE 4194304.0f /* 2^22 */
#define TPI_DFSPH_MOST  4.0f

typedef struct dfsph_context {
    sph_context sph; /* flow: sums of directions, then of changes of velocity */
    int32_t *divergence;
    const float *change; /* of pressures: what a sweep applies, m^2/s */
    float approach;      /* slope dt */
    float push;          /* slope dt / spacing */
    float viscosity;     /* dt / spacing times that of a pair whose densities add up to 1 */
    float lightest;      /* smallest mass share */
    bool meets_all;      /* unequal masses, or adaptive sub-steps */
#if TPI_LANES == 1 && TPI_HAS_BOX
    uint32_t part; /* in a periodic box */
#endif
} dfsph_context;

/* Through a pointer, as sph_context_set. */
TPI_INLINE void dfsph_context_set(tp_world *world, dfsph_context *to)
{
    const tpi_dfsph_constants *k = &tpi_sph_of(world)->dfsph;
    float per_spacing = world->step.timestep / k->spacing;
    sph_context_set(world, &to->sph);
    to->divergence = tpi_integers(world, world->arrays.own[TPI_DFSPH_DIVERGENCE]);
    to->change = tpi_floats(world, world->arrays.own[TPI_DFSPH_CHANGE]);
    to->approach = k->slope * world->step.timestep;
    to->push = k->slope * per_spacing;
    to->viscosity =
        world->def.sph.smoothing * (2.0f * (float)tpi_dimensions(world)) * k->weight * per_spacing;
    to->lightest = 1.0f;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        to->lightest = tpi_min(to->lightest, to->sph.mass_share[s]);
    to->viscosity = to->viscosity * tpi_dfsph_smoothed(&world->def);
    to->meets_all = to->lightest < 1.0f || world->def.substeps.is_adaptive;
}

/* One pair per lane, besides sph_pairs. */
typedef struct dfsph_ends {
    tpi_lanes inverse;     /* 1 / distance */
    tpi_lanes along;       /* dot product of relative velocity and offset */
    tpi_lanes change;      /* sum of both particles' */
    tpi_lanes density;     /* sum of both densities, each over its mass share */
    tpi_lanes mass;        /* smaller one of both mass shares */
    tpi_lane_mask is_rare; /* coincident, or clamped */
} dfsph_ends;

TPI_INLINE void dfsph_along(uint32_t dimensions, const sph_pairs *pairs, dfsph_ends *ends)
{
    ends->along = pairs->w[0] * pairs->d[0] + pairs->w[1] * pairs->d[1];
    if (dimensions == 3) ends->along = ends->along + pairs->w[2] * pairs->d[2];
}

/* Distances and shares of pairs whose offsets are known. */
TPI_INLINE void dfsph_measure(const dfsph_context *c, uint32_t dimensions, uint32_t part,
                              sph_pairs *pairs, dfsph_ends *ends)
{
    sph_square(dimensions, pairs);
    ends->is_rare = tpi_lanes_at_most(pairs->square, tpi_lanes_of(c->sph.coincident_squared));
    pairs->distance = tpi_lanes_sqrt(pairs->square);
    pairs->share = tpi_lanes_max(tpi_lanes_of(1.0f) - pairs->distance * c->sph.inverse_radius,
                                 tpi_lanes_of(0.0f));
    ends->inverse = 1.0f / pairs->distance;
    if (part != TPI_DFSPH_PUSH) dfsph_along(dimensions, pairs, ends);
}

/* Terms of the density, and of the sum of squared gradients: a pair counts with the inverse mass of
   its lighter particle, relative to the lightest species. */
TPI_INLINE void dfsph_meet_terms(const dfsph_context *c, uint32_t part, const sph_pairs *pairs,
                                 const dfsph_ends *ends, tpi_lane_ints *cube, tpi_lane_ints *fourth)
{
    sph_density_terms(pairs->share, tpi_lanes_of(TPI_DENSITY_SCALE), cube, fourth);
    if (part != TPI_DFSPH_MEET_ALL) return;
    tpi_lanes squared = pairs->share * pairs->share;
    *fourth =
        tpi_lanes_truncate(squared * squared * (c->lightest * TPI_DENSITY_SCALE) / ends->mass);
}

/* Square of the relative velocity. */
TPI_INLINE tpi_lanes dfsph_speed_squared(uint32_t dimensions, const sph_pairs *pairs)
{
    tpi_lanes square = pairs->w[0] * pairs->w[0] + pairs->w[1] * pairs->w[1];
    if (dimensions == 3) square = square + pairs->w[2] * pairs->w[2];
    return square;
}

/* The Courant number of the fastest pair: its relative motion in the step, in support radii. */
TPI_INLINE void dfsph_courant(const dfsph_context *c, tpi_lanes speed_squared, tpi_tally *tally)
{
    tpi_lanes courant = tpi_lanes_sqrt(speed_squared) * c->sph.flow_scale;
    for (uint32_t k = 0; k < TPI_LANES; k++)
        tally->courant_bits = tpi_max_u32(tally->courant_bits, tpi_bits(TPI_LANE(courant, k)));
}

/* Gives the pair of a lane a direction if it is coincident. */
TPI_INLINE void dfsph_part(const tp_world *world, uint32_t lane, uint32_t i, uint32_t j,
                           float coincident_squared, sph_pairs *pairs, dfsph_ends *ends)
{
    float direction[3];
    if (TPI_LANE(pairs->square, lane) > coincident_squared) return;
    sph_coincident_direction(world, i, j, direction);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): 2 or 3 axes */
        TPI_LANE(pairs->d[axis], lane) = direction[axis];
    TPI_LANE(pairs->distance, lane) = 0.0f;
    TPI_LANE(pairs->share, lane) = TPI_LANE(ends->inverse, lane) = 1.0f;
}

/* The term of the divergence of both particles. */
TPI_INLINE tpi_lane_ints dfsph_divergence_term(const dfsph_context *c, const sph_pairs *pairs,
                                               dfsph_ends *ends)
{
    tpi_lanes rate = ends->along * ends->inverse * (pairs->share * pairs->share) * c->approach;
    tpi_lanes kept = tpi_lanes_clamp(rate, -TPI_DFSPH_MOST, TPI_DFSPH_MOST);
    ends->is_rare = tpi_lanes_or(ends->is_rare, tpi_lanes_differ(rate, kept));
    return tpi_lanes_truncate(kept * TPI_DFSPH_SCALE);
}

/* The change of velocity of j, along the line of centres; i has the opposite one. */
TPI_INLINE tpi_lanes dfsph_push(const dfsph_context *c, uint32_t part, const sph_pairs *pairs,
                                dfsph_ends *ends)
{
    tpi_lanes squared = pairs->share * pairs->share;
    tpi_lanes push = ends->change * squared * c->push;
    if (part == TPI_DFSPH_FLOW)
        push = push + ends->along * ends->inverse * (squared * pairs->share) * c->viscosity /
                          ends->density;
    tpi_lanes kept = tpi_lanes_clamp(push, -TPI_DFSPH_MOST, TPI_DFSPH_MOST);
    ends->is_rare = tpi_lanes_or(ends->is_rare, tpi_lanes_differ(push, kept));
    return kept;
}

TPI_INLINE void dfsph_line_terms(uint32_t dimensions, const sph_pairs *pairs,
                                 const dfsph_ends *ends, float scale, tpi_lanes length,
                                 tpi_lane_ints terms[3])
{
    for (uint32_t axis = 0; axis < dimensions; axis++)
        terms[axis] = tpi_lanes_truncate(pairs->d[axis] * ends->inverse * scale * length);
}

#endif
