/* SPDX-License-Identifier: MIT
   runtime/solve/sph/central_terms.h - the impulse of a pair by cohesion or viscosity.
   reads   offsets, velocities, densities, one pair per lane      writes  integer terms
   memory  none of its own      cost    about 30 operations per pair
   after   see central.h; the same functions for vectors of pairs and for single ones */
#ifndef TPI_CENTRAL_TERMS_H
#define TPI_CENTRAL_TERMS_H
#include "terms.h"

/* The parts of the work. A sweep does one of these. */
#define TPI_CENTRAL_COHERE 0u
#define TPI_CENTRAL_FACE   1u /* normals */
#define TPI_CENTRAL_SHEAR  2u
#define TPI_CENTRAL_WEIGH  3u /* sums of the viscous weight, which are even */
/* Terms of viscosity in units of spacing / dt, clamped to 1: 255 of them stay below 2^31. */
#define TPI_CENTRAL_SCALE 8388608.0f /* 2^23 */
/* The same of species of unequal mass, clamped to 1/8 and rounded to the nearest: integers are
   those of the heaviest, so a light particle has more velocity per count. The incompressible fluid
   has 127 neighbours at most, so room for twice as many counts. There a term is at most 1/21 for
   each spacing per step at which a pair approaches, so only impacts are clamped. */
#define TPI_CENTRAL_MIXED_MOST  0.125f
#define TPI_CENTRAL_MIXED_SCALE 67108864.0f /* 2^26 */
/* Of the viscous weight, which is at most 1/16: terms are at most 2^23. */
#define TPI_CENTRAL_WEIGHT_SCALE 134217728.0f /* 2^27 */

typedef struct central_context {
    sph_context sph;      /* vx, vy, vz: what viscosity multiplies, or normals; null for FACE */
    const float *density; /* relative to that at rest; viscosity only */
    /* factors by the species of a pair, unless sph.is_uniform; null: 1 within a species, else 0 */
    const float *pairs;
    int32_t *sums[3];
    float area;        /* cohesion: of the difference of normals */
    bool has_sums;     /* normals are sums of pairs */
    float factor;      /* cohesion: of the spline; viscosity: of the kernel */
    float scale, most; /* of the terms */
    bool rounds;       /* terms are the nearest integers, else the next ones towards 0 */
#if TPI_LANES == 1 && TPI_HAS_BOX
    uint32_t part; /* in a periodic box */
#endif
} central_context;

/* Of the terms of viscosity. */
TPI_INLINE float central_shear_scale(const tp_world *world)
{
    if (!tpi_sph_is_mixed(&world->def)) return TPI_CENTRAL_SCALE;
    return (tpi_sph_is_incompressible(&world->def) ? 2.0f : 1.0f) * TPI_CENTRAL_MIXED_SCALE;
}

/* One pair per lane, besides sph_pairs. */
typedef struct central_ends {
    tpi_lanes inverse;        /* 1 / distance; 0 for coincident pairs */
    tpi_lanes density;        /* of both, see central_share */
    tpi_lanes pair;           /* several species: see central_context */
    tpi_lanes kind_i, kind_j; /* several species: their numbers */
    tpi_lane_mask is_clamped;
} central_ends;

/* Distances and shares of pairs whose offsets are known. */
TPI_INLINE void central_measure(const central_context *c, uint32_t dimensions, sph_pairs *pairs,
                                central_ends *ends)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    sph_square(dimensions, pairs);
    tpi_lane_mask is_apart = tpi_lanes_less(tpi_lanes_of(c->sph.coincident_squared), pairs->square);
    pairs->distance = tpi_lanes_sqrt(pairs->square);
    pairs->share =
        tpi_lanes_max(tpi_lanes_of(1.0f) - pairs->distance * c->sph.inverse_radius, zero);
    ends->inverse = tpi_lanes_select(is_apart, 1.0f / pairs->distance, zero);
}

/* The spline of cohesion: attraction beyond 0.27 of the support radius, repulsion below. */
TPI_INLINE tpi_lanes central_spline(const central_context *c, const sph_pairs *pairs)
{
    tpi_lanes q = pairs->distance * c->sph.inverse_radius, part = q * pairs->share;
    tpi_lanes third = part * part * part;
    tpi_lane_mask is_near = tpi_lanes_less(q, tpi_lanes_of(0.5f));
    return third +
           tpi_lanes_select(is_near, third - tpi_lanes_of(1.0f / 64.0f), tpi_lanes_of(0.0f));
}

/* The weight of viscosity, (q (1 - q))^2. Forces along the line of centres act as an isotropic
   viscosity only where the sum of weight r^2 nx^2 ny^2 over the neighbours is a third of that of
   weight r^2 nx^4. Nearest neighbours along the axes of a lattice add nothing to the former; this
   weight leaves them no more than their part. */
TPI_INLINE tpi_lanes central_weight(const central_context *c, const sph_pairs *pairs)
{
    tpi_lanes part = pairs->distance * c->sph.inverse_radius * pairs->share;
    return part * part;
}

/* The density of a pair that viscosity is divided by: the mean, where neither is less than 0.9 of
   the other. So rates of a particle add up to at most 1 / TPI_CENTRAL_EVEN of those at rest. */
TPI_INLINE tpi_lanes central_share(tpi_lanes i, tpi_lanes j)
{
    return tpi_lanes_max((i + j) * 0.5f, tpi_lanes_max(i, j) * TPI_CENTRAL_EVEN);
}

/* The impulse along the line of centres; positive ones part a pair. */
TPI_INLINE tpi_lanes central_impulse(const central_context *c, uint32_t dimensions, uint32_t part,
                                     const sph_pairs *pairs, central_ends *ends)
{
    if (part == TPI_CENTRAL_FACE) {
        ends->is_clamped = tpi_lanes_first(0);
        return pairs->share * pairs->share;
    }
    tpi_lanes impulse, bounded, along = pairs->w[0] * pairs->d[0] + pairs->w[1] * pairs->d[1];
    if (dimensions == 3) along = along + pairs->w[2] * pairs->d[2];
    along = along * ends->inverse;
    if (part == TPI_CENTRAL_COHERE) {
        impulse = along * pairs->share * c->area - central_spline(c, pairs) * c->factor;
        if (!c->sph.is_uniform && !c->pairs) {
            tpi_lane_mask differs = tpi_lanes_differ(ends->kind_i, ends->kind_j);
            impulse = tpi_lanes_select(differs, tpi_lanes_of(0.0f), impulse);
        }
    } else {
        impulse = central_weight(c, pairs) / ends->density * c->factor * along;
    }
    if (!c->sph.is_uniform && c->pairs) impulse = impulse * ends->pair;
    bounded = tpi_lanes_clamp(impulse, -c->most, c->most);
    ends->is_clamped = tpi_lanes_differ(impulse, bounded);
    return bounded;
}

TPI_INLINE void central_line(const central_context *c, uint32_t dimensions, const sph_pairs *pairs,
                             const central_ends *ends, tpi_lanes impulse, tpi_lane_ints terms[3])
{
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes term = pairs->d[axis] * ends->inverse * c->scale * impulse;
        terms[axis] = c->rounds ? tpi_lanes_round(term) : tpi_lanes_truncate(term);
    }
}

#endif
