/* SPDX-License-Identifier: MIT
   runtime/step/measure.c - measures energy, pressure and momentum of a world with pair forces.
   reads   the front set      writes  the back set, a report
   memory  none of its own
   cost    a step that only computes forces, and a sweep over pairs; not sliced
   after   own design: simulated time stands still, and no bit of the front set changes */
#include "step.h"
#include "../solve/pair/pair.h"

/* Runs a step that only computes forces, and measures when these are known and the table of cells
   still describes the back set. */
tp_result tp_pair_measure(tp_world *world, tp_pair_report *report)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!report) return TP_ERROR_NULL;
    tpi_memset(report, 0, sizeof *report);
    if (!tpi_is_pair(world)) return TP_ERROR_DEFINITION;
    uint32_t used;
    tp_stage stage;
    tpi_step_begin_priming(world);
    while (world->step.stage != TP_STAGE_COMMIT)
        (void)tpi_step_advance(world, NULL, 65536u, &used, &stage);
    tpi_pair_measure_back(world, report);
    world->impulse_sum = world->impulse_ticks = 0;
    while (world->step.active) (void)tpi_step_advance(world, NULL, 65536u, &used, &stage);
    return TP_OK;
}
