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
    const float *packed; /* x, y, z and species of each particle; with lists only */
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

/* True if this step goes along lists, with sums in rows. */
static bool force_is_listed(const tp_world *world)
{
    return tpi_sweep_has_lists(world) && !tpi_pair_of(world)->is_off;
}

/* Words of the list memory: a multiple of four, so that rows at its end are aligned. */
static uint32_t force_list_words(const tp_world *world)
{
    return world->def.particles_max * world->constants.neighbours_max / 2u & ~3u;
}

/* The sums of a worker: rows of four counts. Those of other workers than the first are at the end
   of the list memory, which lists leave unused: a half list has half the particles' neighbours. */
static uint32_t *force_sums(const tp_world *world, uint32_t worker)
{
    if (worker == 0) return tpi_words(world, world->arrays.own[TPI_PAIR_SUMS]);
    return tpi_words(world, world->arrays.pair) + force_list_words(world) -
           4u * (size_t)worker * world->def.particles_max;
}

/* Number of workers that have sums. */
static uint32_t force_workers(const tp_world *world, const tp_jobs *jobs)
{
    uint32_t words = force_list_words(world), used = world->step.pair_count;
    if (!tpi_team_is_worth(jobs, world->step.count) || used > words) return 1;
    uint32_t room = (words - used) / (4u * world->def.particles_max);
    return tpi_min_u32(tpi_min_u32(jobs->workers, TPI_STRETCHES_MAX), 1u + room);
}

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

/* The terms of the partners of i in the lanes of the mask: the force on them, as counts. */
TPI_INLINE void force_terms(const force_context *c, const tpi_lanes d[3], tpi_lanes strength,
                            tpi_lanes inverse, tpi_lane_mask is_real, uint32_t dimensions,
                            tpi_lane_ints terms[3], tpi_tally *tally)
{
    tpi_lanes square = d[0] * d[0] + d[1] * d[1];
    if (dimensions == 3) square = square + d[2] * d[2];
    tpi_lanes share = square * inverse;
    is_real = tpi_lanes_and(is_real, tpi_lanes_less(share, tpi_lanes_of(c->cutoff_squared)));
    tpi_lane_mask is_near =
        tpi_lanes_and(is_real, tpi_lanes_less(share, tpi_lanes_of(c->floor_squared)));
    if (TPI_UNLIKELY(tpi_lanes_any(is_near))) tally->guarded += tpi_lanes_count(is_near);
    tpi_lanes force =
        tpi_lanes_select(is_real, force_over_distance(c, share, strength), tpi_lanes_of(0.0f));
    for (uint32_t axis = 0; axis < dimensions; axis++)
        terms[axis] = tpi_lanes_round(d[axis] * force);
}

/* Strengths and inverse squares of sigma of i with partners of these species. */
TPI_INLINE void force_mix(const force_context *c, uint32_t i, tpi_lane_ints species,
                          tpi_lanes *strength, tpi_lanes *inverse)
{
    uint32_t row = TPI_ORDER_SPECIES(c->order[i]) * TP_SPECIES_MAX;
    *strength = tpi_lanes_of(c->own_strength);
    *inverse = tpi_lanes_of(c->own_inverse);
    if (c->is_uniform) return;
    *strength = tpi_lanes_gather(c->strength + row, species);
    *inverse = tpi_lanes_gather(c->inverse_sigma_squared + row, species);
}

/* Adds the terms of up to TPI_LANES partners to their sums, and the opposite to `own`. */
TPI_INLINE void force_of_partners(const force_context *c, uint32_t i, const uint32_t *partners,
                                  uint32_t count, tpi_sweep_kind kind, tpi_lane_ints own[3],
                                  tpi_tally *tally)
{
    tpi_lanes d[3], strength, inverse;
    tpi_lane_ints terms[3];
    tpi_lane_mask is_real = tpi_lanes_first(tpi_min_u32(count, TPI_LANES));
    tpi_lane_ints partner =
        tpi_lane_ints_select(is_real, tpi_lane_ints_load(partners), tpi_lane_ints_of((int32_t)i));
    tpi_lane_ints species = force_gather(c, i, partner, kind.dimensions, d);
    for (uint32_t axis = 0; kind.is_periodic && axis < kind.dimensions; axis++)
        d[axis] = tpi_box_image_lanes(c->points.box, axis, d[axis]);
    force_mix(c, i, species, &strength, &inverse);
    force_terms(c, d, strength, inverse, is_real, kind.dimensions, terms, tally);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++) {
        own[axis] = tpi_lane_ints_add(own[axis], -terms[axis]);
        force_add_each(c->force[axis], partners, count, terms[axis]);
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

/* ---- through the grid ---- */

TPI_INLINE void force_of_one(const force_context *c, uint32_t i, const uint32_t *partners,
                             uint32_t count, tpi_sweep_kind kind, tpi_tally *tally)
{
    tpi_lane_ints zero = tpi_lane_ints_of(0), own[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < count; k += TPI_LANES)
        force_of_partners(c, i, partners + k, tpi_min_u32(count - k, TPI_LANES), kind, own, tally);
    for (uint32_t axis = 0; axis < kind.dimensions; axis++)
        ((uint32_t *)c->force[axis])[i] += (uint32_t)tpi_lane_ints_sum(own[axis]);
}

/* The visitor of a kind, and its sweep. It uses a local copy of the context: data behind a pointer
   would be reloaded after every sum written. */
#define FORCE_GRID(name, ...)                                                                   \
    TPI_INLINE void name##_meet(const tp_world *world, const void *context, uint32_t i,         \
                                const uint32_t *partners, const float *squares, uint32_t count, \
                                tpi_tally *tally)                                               \
    {                                                                                           \
        const force_context c = *(const force_context *)context;                                \
        tpi_sweep_kind kind = {__VA_ARGS__};                                                    \
        (void)world;                                                                            \
        (void)squares;                                                                          \
        kind.is_periodic = kind.is_periodic && !force_is_inside(&c, i, kind.dimensions);        \
        force_of_one(&c, i, partners, count, kind, tally);                                      \
    }                                                                                           \
    TPI_SWEEP_GRID(name, name##_meet, __VA_ARGS__)
TPI_PAIR_KINDS(FORCE_GRID, force)
#undef FORCE_GRID

/* ---- along the lists: rows of packed positions, and sums in rows ---- */

/* Adds the terms of the partners of i to the sums, and the opposite to `own`. Lanes after the last
   partner are i itself, without terms. */
TPI_INLINE void force_of_row(const force_context *c, tpi_listed listed, tpi_sweep_kind kind,
                             uint32_t *sums, tpi_tally *tally)
{
    const float *at = c->packed + 4u * (size_t)listed.i;
    const tpi_lanes own_x[3] = {tpi_lanes_of(at[0]), tpi_lanes_of(at[1]), tpi_lanes_of(at[2])};
    const tpi_lane_ints zero = tpi_lane_ints_of(0);
    tpi_lane_ints own[3] = {zero, zero, zero}, terms[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < listed.count; k += TPI_LANES) {
        uint32_t rest = listed.count - k, last[TPI_LANES];
        const uint32_t *partners = listed.partners + k;
        tpi_lane_mask is_real = tpi_lanes_first(TPI_LANES);
        tpi_lanes of[4], d[3], strength, inverse;
        if (TPI_UNLIKELY(rest < TPI_LANES)) {
            is_real = tpi_lanes_first(rest);
            tpi_lane_ints_store(last,
                                tpi_lane_ints_select(is_real, tpi_lane_ints_load(partners),
                                                     tpi_lane_ints_of((int32_t)(4u * listed.i))));
            partners = last;
        }
        tpi_rows_gather(c->packed, partners, of);
        for (uint32_t axis = 0; axis < kind.dimensions; axis++) {
            d[axis] = of[axis] - own_x[axis];
            if (kind.is_periodic) d[axis] = tpi_box_image_lanes(c->points.box, axis, d[axis]);
        }
        force_mix(c, listed.i, tpi_lanes_truncate(of[3]), &strength, &inverse);
        force_terms(c, d, strength, inverse, is_real, kind.dimensions, terms, tally);
        for (uint32_t axis = 0; axis < kind.dimensions; axis++)
            own[axis] = tpi_lane_ints_add(own[axis], -terms[axis]);
        tpi_rows_add(sums, partners, terms);
    }
    for (uint32_t axis = 0; axis < kind.dimensions; axis++)
        sums[4u * (size_t)listed.i + axis] += (uint32_t)tpi_lane_ints_sum(own[axis]);
}

/* Particles from the cursor on. `plain`: Lennard-Jones of one species, not shifted. */
TPI_INLINE void force_along(tpi_sweep *sweep, uint32_t end, tpi_sweep_kind kind, bool is_plain)
{
    const tp_world *world = sweep->world;
    force_context c = *(const force_context *)sweep->context;
    const uint32_t *rows = tpi_words(world, world->arrays.row),
                   *pairs = tpi_words(world, world->arrays.pair);
    uint32_t *sums = force_sums(world, sweep->worker);
    if (is_plain) {
        c.is_uniform = true;
        c.table = NULL;
        c.shift = 0.0f;
    }
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        tpi_listed listed = tpi_sweep_next_listed(sweep, rows, pairs);
        tpi_sweep_kind open = kind;
        open.is_periodic = false;
        if (kind.is_periodic && !force_is_inside(&c, listed.i, kind.dimensions))
            force_of_row(&c, listed, kind, sums, &sweep->tally);
        else
            force_of_row(&c, listed, open, sums, &sweep->tally);
    }
}

#define FORCE_LISTS(name, ...)                                      \
    static TPI_APART void name##_on(tpi_sweep *sweep, uint32_t end) \
    {                                                               \
        const tpi_sweep_kind kind = {__VA_ARGS__};                  \
        if (((const force_context *)sweep->context)->is_plain)      \
            force_along(sweep, end, kind, true);                    \
        else                                                        \
            force_along(sweep, end, kind, false);                   \
    }                                                               \
    TPI_SWEEP_SLICE(name, name##_on, world->step.workers)
TPI_PAIR_KINDS(FORCE_LISTS, force_listed)
#undef FORCE_LISTS

/* ---- the stage ---- */

static uint32_t force_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    force_context c = force_context_of(world);
    return TPI_PAIR_SWEEP(force, world, (world, jobs, units, &c, done));
}

/* Packs position and species of particles begin .. end - 1 into rows of four floats. */
static void force_pack(const tp_world *world, uint32_t begin, uint32_t end)
{
    float *packed = tpi_floats(world, world->arrays.own[TPI_PAIR_PACKED]);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_points points = tpi_points_of(world);
    uint32_t i = begin;
#if TPI_LANES > 1
    for (; i + TPI_LANES <= end; i += TPI_LANES) {
        tpi_lane_ints species = tpi_lane_ints_load(order + i) >> 24 & 7;
        tpi_rows_store_four(packed + 4u * (size_t)i, tpi_lanes_load(points.x + i),
                            tpi_lanes_load(points.y + i), tpi_lanes_load(points.z + i),
                            tpi_lanes_from_ints(species));
    }
#endif
    for (; i < end; i++) {
        packed[4u * i] = points.x[i];
        packed[4u * i + 1u] = points.y[i];
        packed[4u * i + 2u] = points.z[i];
        packed[4u * i + 3u] = (float)TPI_ORDER_SPECIES(order[i]);
    }
}

/* Clears the forces, or with lists all sums, and packs. */
static void force_clear_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    size_t count = end - begin;
    (void)context, (void)tally;
    if (force_is_listed(world)) {
        for (uint32_t worker = 0; worker < world->step.workers; worker++)
            tpi_memset(force_sums(world, worker) + 4u * (size_t)begin, 0, count * 16u);
        force_pack(world, begin, end);
    } else {
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            tpi_memset(tpi_integers(world, world->arrays.force[axis]) + begin, 0, count * 4u);
    }
}

/* Adds the sums of a worker to those of the first, for particles begin .. end - 1. */
static void force_add_sums(const tp_world *world, uint32_t worker, uint32_t begin, uint32_t end)
{
    uint32_t *sums = force_sums(world, 0);
    const uint32_t *more = force_sums(world, worker);
    for (size_t k = 4u * (size_t)begin; k < 4u * (size_t)end; k++) sums[k] += more[k];
}

/* Adds up the sums of all workers. */
static void force_finish_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                               tpi_tally *tally)
{
    const uint32_t *sums = force_sums(world, 0);
    uint32_t i = begin;
    (void)context, (void)tally;
    for (uint32_t worker = 1; worker < world->step.workers; worker++)
        force_add_sums(world, worker, begin, end);
    uint32_t *force[3];
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        force[axis] = tpi_words(world, world->arrays.force[axis]);
#if TPI_LANES > 1
    for (; i + TPI_LANES <= end; i += TPI_LANES) {
        tpi_lanes of[4];
        tpi_rows_load_four(sums + 4u * (size_t)i, of);
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            tpi_lane_ints_store(force[axis] + i, (tpi_lane_ints)of[axis]);
    }
#endif
    for (; i < end; i++)
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            force[axis][i] = sums[4u * (size_t)i + axis];
}

/* A slice of a pass over the sums of particles. 8 sums cost less than one pair. */
static uint32_t force_pass(tp_world *world, const tp_jobs *jobs, tpi_team_work work, uint32_t units,
                           bool *done)
{
    tpi_step *step = &world->step;
    uint32_t begin = step->cursor.i, count = tpi_min_u32(units * 8u, step->count - begin);
    (void)tpi_team_run(jobs, world, work, NULL, begin, begin + count);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

TPI_APART uint32_t tpi_pair_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0, last = force_is_listed(world) ? 2u : 1u;
    if (cursor->phase == 0 && cursor->i == 0) world->step.workers = force_workers(world, jobs);
    switch (cursor->phase) {
    case 0: used = force_pass(world, jobs, force_clear_range, units, &phase_done); break;
    case 1:
        phase_done = tpi_pair_of(world)->is_off;
        if (!phase_done) used = force_sweep(world, jobs, units, &phase_done);
        break;
    default: used = force_pass(world, jobs, force_finish_range, units, &phase_done); break;
    }
    *done = phase_done && cursor->phase == last;
    if (phase_done) *cursor = (tpi_cursor){.phase = tpi_min_u32(cursor->phase + 1u, last)};
    return used;
}
