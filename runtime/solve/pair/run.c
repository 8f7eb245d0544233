/* SPDX-License-Identifier: MIT
   runtime/solve/pair/run.c - one slice of a stage of the pair solver.
   reads   the back set      writes  see the stages
   memory  none      cost    that of the stage
   after   see pair.h */
#include "pair_lanes.h"
#include "../../grid/grid_lanes.h"

uint32_t tpi_pair_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_LINKS: return tpi_links(world, units, done);
    case TP_STAGE_GRID: return tpi_grid_build(world, jobs, units, done);
    case TP_STAGE_PAIRS: return tpi_pair_list(world, jobs, units, done);
    case TP_STAGE_NEAREST: return tpi_grid_nearest(world, jobs, units, done);
    case TP_STAGE_FORCE:
        return tpi_is_hard(world) ? tpi_hard_collide(world, jobs, units, done)
                                  : tpi_pair_force(world, jobs, units, done);
    default: return tpi_solver_wrong_stage(done);
    }
}

uint32_t tpi_pair_holds(const tp_world *world, uint32_t first, uint32_t count)
{
    (void)world, (void)first, (void)count;
    return 0;
}
