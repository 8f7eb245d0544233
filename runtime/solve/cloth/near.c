/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/near.c - the stage PAIRS of cloth: lists the nodes near each node.
   reads   back positions in the order of the grid, order[]      writes  lists of near nodes
   memory  see touch.h
   cost    units: 1 per node, those of a sweep through the grid
   after   Verlet 1967: a list holds for as long as no node has moved half the skin */
#include "cloth_lanes.h"
#include "graze.h"
#include "../../grid/sweep.h"

/* The world is that of `context`, which may be written. */
static void near_meet(const tp_world *world, const void *context, uint32_t i,
                      const uint32_t *partners, const float *squares, uint32_t count,
                      tpi_tally *tally)
{
    (void)world, (void)tally;
    tpi_cloth_list(*(tp_world *const *)context, i, partners, squares, count);
}

TPI_SWEEP_GRID(near_pairs, near_meet, .dimensions = tpi_dimensions(world))

/* Units of a sweep after which the pairs that it queued are listed: a unit is a candidate. */
#define NEAR_TURN (TPI_GRAZE_QUEUE - 8u)

/* The sweep and the listing of what it queued by turns. Phase 2: the sweep has ended. */
static uint32_t near_turns(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t used = 0;
    bool has_ended = false;
    while (used < units && (tpi_graze_is_queued(world) || step->cursor.phase == 1)) {
        if (tpi_graze_is_queued(world)) {
            used += tpi_graze_list(world, units - used);
            continue;
        }
        used += near_pairs(world, NULL, tpi_min_u32(units - used, NEAR_TURN), &world, &has_ended);
        if (has_ended) step->cursor = (tpi_cursor){.phase = 2};
    }
    *done = step->cursor.phase == 2 && !tpi_graze_is_queued(world);
    return used;
}

/* Phases: 0 empties the lists, 1 fills them, on one thread. The back set then begins anew. */
uint32_t tpi_cloth_near(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    if (step->cursor.phase == 0) {
        uint32_t begin = step->cursor.i, end = tpi_cloth_head_of(world)->nodes,
                 count = tpi_min_u32(units, end - begin);
        if (begin == 0) tpi_cloth_begin_lists(world);
        tpi_cloth_unlist(world, begin, begin + count);
        step->cursor.i += count;
        *done = false;
        if (step->cursor.i == end) step->cursor = (tpi_cursor){.phase = 1};
        return count;
    }
    uint32_t used = tpi_def_grazes(&world->def) ? near_turns(world, units, done)
                                                : near_pairs(world, NULL, units, &world, done);
    if (!*done) return used;
    step->list_built = true;
    step->count = 0;
    tpi_cloth_keep(world);
    return used;
}

#undef NEAR_TURN
