/* SPDX-License-Identifier: MIT
   runtime/solve/pair/list.c - builds neighbour lists: counts and lists neighbours within cutoff
           and skin.
   reads   back positions, table      writes  neighbours, rows and pairs
   memory  words of the block         cost    one visit per candidate of the grid
   after   Verlet 1967. A list changes no result: it holds at least all pairs within the cutoff, and
           integer sums do not depend on further pairs or on the order */
#include "pair_lanes.h"

/* A sweep that counts needs no visitor. */
static uint32_t list_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_sweep_kind kind = {.dimensions = tpi_dimensions(world),
                           .is_periodic = world->constants.box.is_periodic,
                           .fills_lists = true,
                           .counts = true};
    return tpi_sweep_grid_slice(world, jobs, units, NULL, kind, NULL, done);
}

/* Clears the counts. 8 counts cost less than one pair. */
static uint32_t list_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t count = tpi_min_u32(units * 8u, step->count - step->cursor.i);
    tpi_memset(tpi_words(world, world->arrays.neighbours) + step->cursor.i, 0, (size_t)count * 4u);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

/* Counts pairs, finds the largest neighbour count, which shows if the neighbour limit may be
   exceeded, and stores the positions at which the list was built. */
static uint32_t list_finish(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units * 8u, step->count - begin);
    uint32_t sum = step->cursor.j;
    for (uint32_t i = begin; i < end; i++) {
        step->neighbours_largest = tpi_max_u32(step->neighbours_largest, neighbours[i]);
        sum += neighbours[i];
    }
    if (world->constants.keeps_lists)
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            tpi_memcpy(tpi_floats(world, world->arrays.listed[axis]) + begin,
                       tpi_back_x(world, axis) + begin, (size_t)(end - begin) * 4u);
    step->pairs += sum / 2u;
    step->cursor.j = sum & 1u;
    step->cursor.i = end;
    step->list_built = true;
    *done = end == step->count;
    if (*done) step->pair_count = tpi_pairs_listed(world);
    return (end - begin + 7u) / 8u;
}

TPI_APART uint32_t tpi_pair_list(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0: used = list_clear(world, units, &phase_done); break;
    case 1: used = list_sweep(world, jobs, units, &phase_done); break;
    default: used = list_finish(world, units, &phase_done); break;
    }
    *done = phase_done && cursor->phase >= 2u;
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}
