/* SPDX-License-Identifier: MIT
   runtime/solve/pair/force.c - the force of every pair within the cutoff, as integers; energies on demand.
   reads   back positions, species, lists or table      writes  force
   memory  words of the block                           cost    one visit a listed pair, or a candidate of the grid
   after   tables by cubics in r^2 (tpi_table_row); Lennard-Jones, its energy or force shifted to 0 at the cutoff (Allen and Tildesley 1987, 5.2); own rule inside
           the overlap distance: the force falls linearly to 0 at the centre, which has an energy and no infinity */
#include "pair.h"

typedef struct force_context {
    tpi_points points;
    const uint32_t *order;
    const float *strength, *inverse_sigma_squared; /* by pair of species */
    float own_strength, own_inverse;               /* of the first species */
    float cutoff_squared, floor_squared, shift;
    const float *table;              /* rows of a table; null: Lennard-Jones */
    float table_inverse, table_last; /* samples in a sigma^2; the last one's number */
    bool is_uniform;                 /* one species */
    int32_t *force[3];
    uint64_t *guarded;
} force_context;

static force_context force_context_of(tp_world *world)
{
    const tpi_pair_constants *pair = &world->constants.pair;
    force_context c = {.points = tpi_points_of(world),
                       .order = tpi_words(world, world->arrays.order),
                       .strength = pair->strength,
                       .inverse_sigma_squared = pair->inverse_sigma_squared,
                       .own_strength = pair->strength[0],
                       .own_inverse = pair->inverse_sigma_squared[0],
                       .cutoff_squared = pair->cutoff_squared,
                       .floor_squared = pair->floor_squared,
                       .shift = pair->shift,
                       .table_inverse = pair->table_inverse,
                       .table_last = pair->table_last,
                       .is_uniform = world->def.species_count == 1,
                       .guarded = &world->step.overlaps_guarded};
    if (world->arrays.table) c.table = tpi_floats(world, world->arrays.table);
    for (uint32_t axis = 0; axis < 3; axis++)
        c.force[axis] = tpi_integers(world, world->arrays.force[axis < world->def.dimensions ? axis : 0]);
    return c;
}

/* ---- the terms of a pair ---- */

/* The same from a table: no lane reads outside of it, however far apart its pair is. */
TPI_INLINE tpi_lanes force_of_table(const force_context *c, tpi_lanes square, tpi_lanes strength)
{
    tpi_lanes floor = tpi_lanes_of(c->floor_squared);
    tpi_lanes place = (tpi_lanes_max(square, floor) - floor) * c->table_inverse;
    place = tpi_lanes_min(place, tpi_lanes_of(c->table_last));
    tpi_lane_ints whole = tpi_lanes_truncate(place), row = whole * 4;
    tpi_lanes t = place - tpi_lanes_from_ints(whole);
    tpi_lanes slope = tpi_lanes_gather(c->table + 1, row) + t * tpi_lanes_gather(c->table + 2, row);
    return (tpi_lanes_gather(c->table, row) + t * slope) * strength;
}

/* Force over distance, in counts a metre; `square` is in sigmas. */
TPI_INLINE tpi_lanes force_over_distance(const force_context *c, tpi_lanes square, tpi_lanes strength)
{
    if (c->table) return force_of_table(c, square, strength);
    tpi_lanes u = 1.0f / tpi_lanes_max(square, tpi_lanes_of(c->floor_squared));
    tpi_lanes s = u * u * u;
    tpi_lanes force = (u * s) * (s - 0.5f);
    if (c->shift != 0.0f) force = force - tpi_lanes_sqrt(u) * c->shift;
    return force * strength;
}

/* To the nearest integer, halves away from zero: opposite forces stay opposite, and no force is weakened. */
TPI_INLINE tpi_lane_ints force_round(tpi_lanes term)
{
    tpi_lane_mask is_below = tpi_lanes_less(term, tpi_lanes_of(0.0f));
    return tpi_lanes_truncate(term + tpi_lanes_select(is_below, tpi_lanes_of(-0.5f), tpi_lanes_of(0.5f)));
}

/* Lanes named; seldom asked, and no call of the compiler's library where the machine cannot count bits. */
static uint32_t force_count(uint32_t bits)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < TPI_LANES; k++) count += bits >> k & 1u;
    return count;
}

/* ---- pair by pair: lanes are the partners of one particle ---- */

TPI_INLINE void force_gather_offset(const tpi_points *points, uint32_t i, tpi_lane_ints partner,
                                    uint32_t dimensions, bool is_periodic, tpi_lanes d[3])
{
    d[0] = tpi_lanes_gather(points->x, partner) - tpi_lanes_of(points->x[i]);
    d[1] = tpi_lanes_gather(points->y, partner) - tpi_lanes_of(points->y[i]);
    if (dimensions == 3) d[2] = tpi_lanes_gather(points->z, partner) - tpi_lanes_of(points->z[i]);
    if (!is_periodic) return;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        d[axis] = tpi_box_image_lanes(points->box, axis, d[axis]);
}

/* Adds a term to each partner's sum; the pairs of one particle have different partners. */
TPI_INLINE void force_add_each(int32_t *sums, const uint32_t *partners, uint32_t count, tpi_lane_ints terms)
{
    uint32_t *wrapping = (uint32_t *)sums, each[TPI_LANES];
    tpi_lane_ints_store(each, terms);
    for (uint32_t k = 0; k < count; k++) wrapping[partners[k]] += each[k];
}

TPI_INLINE void force_of_partners(const force_context *c, uint32_t i, const uint32_t *partners,
                                  uint32_t count, uint32_t dimensions, bool is_periodic, tpi_lane_ints own[3])
{
    tpi_lanes d[3], strength = tpi_lanes_of(c->own_strength), inverse = tpi_lanes_of(c->own_inverse);
    tpi_lane_mask is_real = tpi_lanes_first(count);
    tpi_lane_ints partner =
        tpi_lane_ints_select(is_real, tpi_lane_ints_load(partners), tpi_lane_ints_of((int32_t)i));
    force_gather_offset(&c->points, i, partner, dimensions, is_periodic, d);
    if (!c->is_uniform) {
        uint32_t row = TPI_ORDER_SPECIES(c->order[i]) * TP_SPECIES_MAX;
        tpi_lane_ints species = tpi_lane_ints_gather(c->order, partner) >> 24 & 7;
        strength = tpi_lanes_gather(c->strength + row, species);
        inverse = tpi_lanes_gather(c->inverse_sigma_squared + row, species);
    }
    tpi_lanes square = d[0] * d[0] + d[1] * d[1];
    if (dimensions == 3) square = square + d[2] * d[2];
    tpi_lanes share = square * inverse;
    is_real = tpi_lanes_and(is_real, tpi_lanes_less(share, tpi_lanes_of(c->cutoff_squared)));
    tpi_lane_mask is_near = tpi_lanes_and(is_real, tpi_lanes_less(share, tpi_lanes_of(c->floor_squared)));
    if (TPI_UNLIKELY(tpi_lanes_any(is_near))) *c->guarded += force_count(tpi_lanes_bits(is_near));
    tpi_lanes force = tpi_lanes_select(is_real, force_over_distance(c, share, strength), tpi_lanes_of(0.0f));
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lane_ints term = force_round(d[axis] * force);
        own[axis] = tpi_lane_ints_add(own[axis], -term);
        force_add_each(c->force[axis], partners, count, term);
    }
}

/* ---- the sweeps ---- */

/* A copy of the context: what is read through a pointer would be read again after every sum written. */
#define FORCE_KIND(kind, dimensions, is_periodic)                                                       \
    TPI_INLINE void force_meet_##kind(const tp_world *world, const void *context, uint32_t i,           \
                                      const uint32_t *partners, const float *squares, uint32_t count)   \
    {                                                                                                   \
        const force_context c = *(const force_context *)context;                                        \
        tpi_lane_ints zero = tpi_lane_ints_of(0), own[3] = {zero, zero, zero};                          \
        (void)world;                                                                                    \
        (void)squares;                                                                                  \
        for (uint32_t k = 0; k < count; k += TPI_LANES)                                                 \
            force_of_partners(&c, i, partners + k, tpi_min_u32(count - k, TPI_LANES), dimensions,       \
                              is_periodic, own);                                                        \
        for (uint32_t axis = 0; axis < dimensions; axis++)                                              \
            ((uint32_t *)c.force[axis])[i] += (uint32_t)tpi_lane_ints_sum(own[axis]);                   \
    }                                                                                                   \
    static uint32_t force_sweep_##kind(tp_world *world, const force_context *c, bool has_list,          \
                                       uint32_t units, bool *done)                                      \
    {                                                                                                   \
        if (has_list) return tpi_sweep_list(world, units, force_meet_##kind, c, done);                  \
        return tpi_sweep_box(world, units, dimensions, is_periodic, force_meet_##kind, c, false, done); \
    }
TPI_PAIR_KINDS(FORCE_KIND)
#undef FORCE_KIND

static uint32_t force_sweep(tp_world *world, uint32_t units, bool *done)
{
    force_context c = force_context_of(world);
    const tpi_step *step = &world->step;
    bool has_list = world->def.pair.stores_neighbours && !step->list_overflowed && !step->capped;
    bool is_2d = world->def.dimensions == 2, is_periodic = world->constants.box.is_periodic;
    if (is_2d && is_periodic) return force_sweep_2d_box(world, &c, has_list, units, done);
    if (is_2d) return force_sweep_2d_open(world, &c, has_list, units, done);
    if (is_periodic) return force_sweep_3d_box(world, &c, has_list, units, done);
    return force_sweep_3d_open(world, &c, has_list, units, done);
}

/* 8 sums cost less than one pair. */
static uint32_t force_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t count = tpi_min_u32(units * 8u, step->count - step->cursor.i);
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        memset(tpi_integers(world, world->arrays.force[axis]) + step->cursor.i, 0, (size_t)count * 4u);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

uint32_t tpi_pair_force(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = cursor->phase == 1u && world->constants.pair.is_off;
    uint32_t used = 0;
    if (cursor->phase == 0)
        used = force_clear(world, units, &phase_done);
    else if (!phase_done)
        used = force_sweep(world, units, &phase_done);
    *done = phase_done && cursor->phase == 1u;
    if (phase_done) *cursor = (tpi_cursor){.phase = 1u};
    return used;
}
