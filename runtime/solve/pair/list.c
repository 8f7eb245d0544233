/* SPDX-License-Identifier: MIT
   runtime/solve/pair/list.c - builds neighbour lists: counts and lists neighbours within cutoff
           and skin.
   reads   back positions, table      writes  neighbours, rows and pairs
   memory  words of the block         cost    one visit per candidate of the grid
   after   Verlet 1967. A list changes no result: it holds at least all pairs within the cutoff, and
           integer sums do not depend on further pairs or on the order */
#include "pair_lanes.h"

/* Workers that share the counting have counts of their own: those after the first in the memory of
   the force sums, which is unused then. Vectors are written whole, so 16 numbers lie between two
   arrays. */
#define LIST_WORKERS 4u
#define LIST_GAP     16u
static void list_counts(const tp_world *world, uint32_t *counts[LIST_WORKERS])
{
    uint32_t *sums = tpi_words(world, world->arrays.own[TPI_PAIR_SUMS]);
    counts[0] = tpi_neighbour_counts(world);
    for (uint32_t worker = 1; worker < LIST_WORKERS; worker++)
        counts[worker] = sums + (size_t)(worker - 1u) * (world->def.particles_max + LIST_GAP);
}

/* A sweep that counts needs no visitor. */
static uint32_t list_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_sweep_kind kind = {.dimensions = tpi_dimensions(world),
                           .is_periodic = world->constants.box.is_periodic,
                           .fills_lists = true,
                           .counts = true};
    uint32_t *counts[LIST_WORKERS];
    list_counts(world, counts);
    return tpi_sweep_grid_slice(world, jobs, units, counts, kind, NULL, done);
}

static void list_clear_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                             tpi_tally *tally)
{
    uint32_t *counts[LIST_WORKERS];
    (void)context, (void)tally;
    list_counts(world, counts);
    for (uint32_t worker = 0; worker < world->step.workers; worker++)
        tpi_memset(counts[worker] + begin, 0, (size_t)(end - begin) * 4u);
}

/* Clears the counts. 8 counts cost less than one pair. */
static uint32_t list_clear(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    if (step->cursor.i == 0) {
        step->by_parts = tpi_pair_is_shared(world) && tpi_team_is_worth(jobs, world->step.count);
        step->workers = step->by_parts ? tpi_min_u32(jobs->workers, LIST_WORKERS) : 1u;
    }
    uint32_t begin = step->cursor.i, count = tpi_min_u32(units * 8u, step->count - begin);
    (void)tpi_team_run(jobs, world, list_clear_range, NULL, begin, begin + count);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

/* ---- the end: one list of the lists of the parts ---- */

/* The part of particle i begins: cursor.k is the end of all lists so far, cursor.end that of the
   lists of the part. */
static void list_enter_part(tp_world *world, uint32_t i)
{
    tpi_step *step = &world->step;
    step->cursor.end = tpi_words(world, world->arrays.pair)[tpi_sweep_range(world, i)];
    if (step->cursor.end == TPI_LISTS_NONE) step->list_overflowed = true;
}

/* Moves words from .. to - 1 down by `shift` words. They may overlap: each vector is read before
   it is written. */
static void list_shift_down(uint32_t *pairs, uint32_t from, uint32_t to, uint32_t shift)
{
    uint32_t k = from;
#if TPI_LANES > 1
    for (; to - k >= TPI_LANES; k += TPI_LANES)
        tpi_lane_ints_store(pairs + k - shift, tpi_lane_ints_load(pairs + k));
#endif
    for (; k < to; k++) pairs[k - shift] = pairs[k];
}

/* Moves the lists of particles begin .. end - 1 of one part behind those before them. */
static void list_move(tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_step *step = &world->step;
    uint32_t *row = tpi_words(world, world->arrays.row),
             *pairs = tpi_words(world, world->arrays.pair);
    tpi_run part = tpi_part_of(step, begin);
    if (begin == part.begin) list_enter_part(world, begin);
    if (step->list_overflowed) return;
    uint32_t from = row[begin], to = end == part.end ? step->cursor.end : row[end];
    uint32_t shift = from - step->cursor.k;
    if (shift) list_shift_down(pairs, from, to, shift);
    for (uint32_t i = begin; i < end; i++) row[i] -= shift;
    step->cursor.k += to - from;
    if (end == step->count) row[end] = step->cursor.k;
}

/* True if the lists of some part would not fit into its range: a list that threads could not build
   is not built by one either, so that units do not depend on threads. */
static bool list_exceeds_parts(const tp_world *world)
{
    const tpi_step *step = &world->step;
    const uint32_t *row = tpi_words(world, world->arrays.row);
    if (!tpi_pair_is_shared(world) || step->count < 2u * TPI_PART_LEAST) return false;
    for (uint32_t i = 0; i < step->count; i = tpi_part_of(step, i).end) {
        tpi_run part = tpi_part_of(step, i);
        uint32_t room = tpi_sweep_range(world, part.end) - tpi_sweep_range(world, part.begin);
        if (row[part.end] - row[part.begin] >= room) return true;
    }
    return false;
}

static void list_add_counts(const tp_world *world, uint32_t begin, uint32_t end)
{
    uint32_t *counts[LIST_WORKERS];
    list_counts(world, counts);
    for (uint32_t worker = 1; worker < world->step.workers; worker++)
        for (uint32_t i = begin; i < end; i++) counts[0][i] += counts[worker][i];
}

/* Stores the positions at which the lists are built. */
static void list_keep_positions(const tp_world *world, uint32_t begin, uint32_t end)
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memcpy(tpi_floats(world, world->arrays.listed[axis]) + begin,
                   tpi_back_x(world, axis) + begin, (size_t)(end - begin) * 4u);
}

static void list_finish_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    (void)context, (void)tally;
    list_add_counts(world, begin, end);
    if (world->constants.keeps_lists) list_keep_positions(world, begin, end);
}

/* Counts pairs, and finds the largest neighbour count, which shows if the neighbour limit may be
   exceeded. */
static uint32_t list_finish(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const uint32_t *neighbours = tpi_neighbour_counts(world);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units * 8u, step->count - begin);
    uint32_t sum = step->cursor.j, largest = step->neighbours_largest;
    (void)tpi_team_run(jobs, world, list_finish_range, NULL, begin, end);
    for (uint32_t i = begin; i < end; i++) {
        largest = tpi_max_u32(largest, neighbours[i]);
        sum += neighbours[i];
    }
    bool has_parts = step->by_parts && world->constants.list_capacity;
    for (uint32_t i = begin, to; i < end && has_parts; i = to) {
        to = tpi_min_u32(tpi_part_of(step, i).end, end);
        list_move(world, i, to);
    }
    step->neighbours_largest = largest;
    step->pairs += sum / 2u;
    step->cursor.j = sum & 1u;
    step->cursor.i = end;
    step->list_built = true;
    *done = end == step->count;
    if (*done && world->constants.list_capacity && !step->by_parts && !step->list_overflowed)
        step->list_overflowed = list_exceeds_parts(world);
    if (*done) step->pair_count = tpi_pairs_listed(world);
    return (end - begin + 7u) / 8u;
}

TPI_APART uint32_t tpi_pair_list(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0: used = list_clear(world, jobs, units, &phase_done); break;
    case 1: used = list_sweep(world, jobs, units, &phase_done); break;
    default: used = list_finish(world, jobs, units, &phase_done); break;
    }
    *done = phase_done && cursor->phase >= 2u;
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}

#undef LIST_WORKERS
#undef LIST_GAP
