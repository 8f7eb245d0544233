/* SPDX-License-Identifier: MIT
   runtime/solve/pair/force.c - the force of every pair within the cutoff, as integers.
   reads   back positions, species, lists or table      writes  force
   memory  words of the block
   cost    one visit per listed pair or candidate of the grid
   after   Lennard-Jones, its energy or force shifted to 0 at the cutoff (Allen and Tildesley 1987,
           5.2); tables by cubic polynomials in r^2 (tpi_table_row). Own rule inside the overlap
           distance: the force falls linearly to 0 at the centre, so it has a potential energy and
           no infinity */
#include "pair_lanes.h"
#include "../../base/rows.h"

typedef struct force_context {
    tpi_points points;
    const float *packed; /* x, y, z and species of each particle; with full lists only */
    const uint32_t *order;
    const float *strength, *inverse_sigma_squared; /* by pair of species */
    float own_strength, own_inverse;               /* of the first species */
    float cutoff_squared, floor_squared, shift;
    const float *inner_low, *inner_high;
    const float *table;              /* rows of a table; null: Lennard-Jones */
    float table_inverse, table_last; /* samples per sigma^2; index of the last sample */
    bool is_uniform;                 /* one species */
    bool is_plain;                   /* one species, no table, and no shifted force */
    int32_t *force[3];
} force_context;

static force_context force_context_of(const tp_world *world)
{
    const tpi_pair_constants *pair = tpi_pair_of(world);
    force_context c = {.points = tpi_points_of(world),
                       .packed = tpi_floats(world, world->arrays.own[TPI_PAIR_PACKED]),
                       .order = tpi_words(world, world->arrays.order),
                       .strength = pair->strength,
                       .inverse_sigma_squared = pair->inverse_sigma_squared,
                       .own_strength = pair->strength[0],
                       .own_inverse = pair->inverse_sigma_squared[0],
                       .cutoff_squared = pair->cutoff_squared,
                       .floor_squared = pair->floor_squared,
                       .shift = pair->shift,
                       .inner_low = pair->inner_low,
                       .inner_high = pair->inner_high,
                       .table_inverse = pair->table_inverse,
                       .table_last = pair->table_last,
                       .is_uniform = world->def.species_count == 1};
    if (world->arrays.own[TPI_PAIR_TABLE])
        c.table = tpi_floats(world, world->arrays.own[TPI_PAIR_TABLE]);
    c.is_plain = c.is_uniform && !c.table && c.shift == 0.0f;
    for (uint32_t axis = 0; axis < 3; axis++)
        c.force[axis] =
            tpi_integers(world, world->arrays.force[axis < tpi_dimensions(world) ? axis : 0]);
    return c;
}

/* ---- the terms of a pair ---- */

/* force_over_distance from a table. No lane reads outside the table, however distant its pair
   is. */
TPI_INLINE tpi_lanes force_of_table(const force_context *c, tpi_lanes square, tpi_lanes strength)
{
    tpi_lanes floor = tpi_lanes_of(c->floor_squared);
    tpi_lanes position = (tpi_lanes_max(square, floor) - floor) * c->table_inverse;
    position = tpi_lanes_min(position, tpi_lanes_of(c->table_last));
    tpi_lane_ints whole = tpi_lanes_truncate(position), row = whole * 4;
    tpi_lanes t = position - tpi_lanes_from_ints(whole);
    tpi_lanes slope = tpi_lanes_gather(c->table + 1, row) + t * tpi_lanes_gather(c->table + 2, row);
    return (tpi_lanes_gather(c->table, row) + t * slope) * strength;
}

/* Force over distance, in counts per metre; `square` is in sigma^2. */
TPI_INLINE tpi_lanes force_over_distance(const force_context *c, tpi_lanes square,
                                         tpi_lanes strength)
{
    if (c->table) return force_of_table(c, square, strength);
    tpi_lanes u = 1.0f / tpi_lanes_max(square, tpi_lanes_of(c->floor_squared));
    tpi_lanes s = u * u * u;
    tpi_lanes force = (u * s) * (s - 0.5f);
    if (c->shift != 0.0f) force = force - tpi_lanes_sqrt(u) * c->shift;
    return force * strength;
}

/* The number of pairs whose bit is set; with full lists only the particle with the lower index
   counts a pair. */
static uint32_t force_count(uint32_t i, tpi_lane_ints partner, uint32_t bits, bool both_ends)
{
    uint32_t count = 0;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++)
        count += (bits >> k & 1u) && (!both_ends || i < (uint32_t)TPI_LANE(partner, k));
    return count;
}

/* ---- lanes are the partners of one particle ---- */

/* Adds a term to each partner's sum; the partners of one particle are distinct. */
TPI_INLINE void force_add_each(int32_t *sums, const uint32_t *partners, uint32_t count,
                               tpi_lane_ints terms)
{
    uint32_t *wrapping = (uint32_t *)sums, each[TPI_LANES];
    tpi_lane_ints_store(each, terms);
    for (uint32_t k = 0; k < count; k++) wrapping[partners[k]] += each[k];
}

/* Offsets to the partners, and their species, from separate arrays. */
TPI_INLINE tpi_lane_ints force_gather(const force_context *c, uint32_t i, tpi_lane_ints partner,
                                      uint32_t dimensions, tpi_lanes d[3])
{
    d[0] = tpi_lanes_gather(c->points.x, partner) - tpi_lanes_of(c->points.x[i]);
    d[1] = tpi_lanes_gather(c->points.y, partner) - tpi_lanes_of(c->points.y[i]);
    if (dimensions == 3)
        d[2] = tpi_lanes_gather(c->points.z, partner) - tpi_lanes_of(c->points.z[i]);
    if (c->is_uniform) return partner; /* not used */
    return tpi_lane_ints_gather(c->order, partner) >> 24 & 7;
}

/* The same from packed rows; lanes after the last partner read the row of i. */
TPI_INLINE tpi_lane_ints force_gather_packed(const force_context *c, uint32_t i,
                                             const uint32_t *partners, uint32_t count,
                                             tpi_lane_ints partner, tpi_lanes d[3])
{
    tpi_lanes of[4];
    if (TPI_LIKELY(count >= TPI_LANES)) {
        tpi_rows_gather(c->packed, partners, of);
    } else {
        uint32_t rows[TPI_LANES];
        tpi_lane_ints_store(rows, partner);
        tpi_rows_gather(c->packed, rows, of);
    }
    for (uint32_t axis = 0; axis < 3; axis++)
        d[axis] = of[axis] - tpi_lanes_of(c->packed[4u * i + axis]);
    return (tpi_lane_ints)of[3];
}

/* Adds the terms of up to TPI_LANES partners: those of i to `own`; with half lists also the
   partners' terms to their sums. */
TPI_INLINE void force_of_partners(const force_context *c, uint32_t i, const uint32_t *partners,
                                  uint32_t count, tpi_sweep_kind kind, tpi_lane_ints own[3],
                                  tpi_tally *tally)
{
    tpi_lanes d[3], strength = tpi_lanes_of(c->own_strength),
                    inverse = tpi_lanes_of(c->own_inverse);
    tpi_lane_mask is_real = tpi_lanes_first(tpi_min_u32(count, TPI_LANES));
    tpi_lane_ints partner =
        tpi_lane_ints_select(is_real, tpi_lane_ints_load(partners), tpi_lane_ints_of((int32_t)i));
    tpi_lane_ints species = kind.by_lists && kind.both_ends
                                ? force_gather_packed(c, i, partners, count, partner, d)
                                : force_gather(c, i, partner, kind.dimensions, d);
    for (uint32_t axis = 0; kind.is_periodic && axis < kind.dimensions; axis++)
        d[axis] = tpi_box_image_lanes(c->points.box, axis, d[axis]);
    if (!c->is_uniform) {
        uint32_t row = TPI_ORDER_SPECIES(c->order[i]) * TP_SPECIES_MAX;
        strength = tpi_lanes_gather(c->strength + row, species);
        inverse = tpi_lanes_gather(c->inverse_sigma_squared + row, species);
    }
    tpi_lanes square = d[0] * d[0] + d[1] * d[1];
    if (kind.dimensions == 3) square = square + d[2] * d[2];
    tpi_lanes share = square * inverse;
    is_real = tpi_lanes_and(is_real, tpi_lanes_less(share, tpi_lanes_of(c->cutoff_squared)));
    tpi_lane_mask is_near =
        tpi_lanes_and(is_real, tpi_lanes_less(share, tpi_lanes_of(c->floor_squared)));
    if (TPI_UNLIKELY(tpi_lanes_any(is_near)))
        tally->guarded += force_count(i, partner, tpi_lanes_bits(is_near), kind.both_ends);
    tpi_lanes force =
        tpi_lanes_select(is_real, force_over_distance(c, share, strength), tpi_lanes_of(0.0f));
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) {
        tpi_lane_ints term = tpi_lanes_round(d[axis] * force);
        own[axis] = tpi_lane_ints_add(own[axis], -term);
        if (!kind.both_ends) force_add_each(c->force[axis], partners, count, term);
    }
}

/* True if no partner of i lies across a side of the box. */
TPI_INLINE bool force_is_inside(const force_context *c, uint32_t i, uint32_t dimensions)
{
    bool is_inside = c->points.x[i] > c->inner_low[0] && c->points.x[i] < c->inner_high[0] &&
                     c->points.y[i] > c->inner_low[1] && c->points.y[i] < c->inner_high[1];
    if (dimensions == 2) return is_inside;
    return is_inside && c->points.z[i] > c->inner_low[2] && c->points.z[i] < c->inner_high[2];
}

/* ---- the sweeps ---- */

TPI_INLINE void force_of_one(const force_context *c, uint32_t i, const uint32_t *partners,
                             uint32_t count, tpi_sweep_kind kind, tpi_tally *tally)
{
    tpi_lane_ints zero = tpi_lane_ints_of(0), own[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < count; k += TPI_LANES)
        force_of_partners(c, i, partners + k, tpi_min_u32(count - k, TPI_LANES), kind, own, tally);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++)
        ((uint32_t *)c->force[axis])[i] += (uint32_t)tpi_lane_ints_sum(own[axis]);
}

TPI_INLINE void force_of_sides(const force_context *c, uint32_t i, const uint32_t *partners,
                               uint32_t count, tpi_sweep_kind kind, tpi_tally *tally)
{
    tpi_sweep_kind open = kind;
    open.is_periodic = false;
    if (kind.is_periodic && !force_is_inside(c, i, kind.dimensions))
        force_of_one(c, i, partners, count, kind, tally);
    else
        force_of_one(c, i, partners, count, open, tally);
}

/* Uses a local copy of the context: data behind a pointer would be reloaded after every sum
   written. Along full lists, Lennard-Jones of one species has its own loop without the branches
   that it does not need. */
TPI_INLINE void force_meet(const force_context *context, uint32_t i, const uint32_t *partners,
                           uint32_t count, tpi_sweep_kind kind, tpi_tally *tally)
{
    force_context c = *context;
    if (kind.both_ends && c.is_plain) {
        c.is_uniform = true;
        c.table = NULL;
        c.shift = 0.0f;
        force_of_sides(&c, i, partners, count, kind, tally);
    } else {
        force_of_sides(&c, i, partners, count, kind, tally);
    }
}

/* Defines the visitor of a kind, and its sweep. */
#define FORCE_SWEEP(path, name, ...)                                                            \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,         \
                                const uint32_t *partners, const float *squares, uint32_t count, \
                                tpi_tally *tally)                                               \
    {                                                                                           \
        (void)world;                                                                            \
        (void)squares;                                                                          \
        force_meet((const force_context *)context, i, partners, count,                          \
                   (tpi_sweep_kind){__VA_ARGS__}, tally);                                       \
    }                                                                                           \
    TPI_SWEEP_##path(name, name##_meet, __VA_ARGS__)
TPI_PAIR_SWEEPS(FORCE_SWEEP, force)
#undef FORCE_SWEEP

static uint32_t force_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    force_context c = force_context_of(world);
    return TPI_PAIR_SWEEP(force, world, (world, jobs, units, &c, done));
}

/* Packs position and species of particles into rows of four floats. */
static void force_pack(const tp_world *world, uint32_t begin, uint32_t end)
{
    float *packed = tpi_floats(world, world->arrays.own[TPI_PAIR_PACKED]);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_points points = tpi_points_of(world);
    for (uint32_t i = begin; i < end; i++) {
        packed[4u * i] = points.x[i];
        packed[4u * i + 1u] = points.y[i];
        packed[4u * i + 2u] = points.z[i];
        packed[4u * i + 3u] = tpi_from_bits(TPI_ORDER_SPECIES(order[i]));
    }
}

/* Clears the forces. 8 sums cost less than one pair. */
static uint32_t force_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t begin = step->cursor.i, count = tpi_min_u32(units * 8u, step->count - begin);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memset(tpi_integers(world, world->arrays.force[axis]) + begin, 0, (size_t)count * 4u);
    if (world->constants.both_ends) force_pack(world, begin, begin + count);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

TPI_APART uint32_t tpi_pair_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = cursor->phase == 1u && tpi_pair_of(world)->is_off;
    uint32_t used = 0;
    if (cursor->phase == 0)
        used = force_clear(world, units, &phase_done);
    else if (!phase_done)
        used = force_sweep(world, jobs, units, &phase_done);
    *done = phase_done && cursor->phase == 1u;
    if (phase_done) *cursor = (tpi_cursor){.phase = 1u};
    return used;
}
