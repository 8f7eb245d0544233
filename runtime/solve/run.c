/* SPDX-License-Identifier: MIT
   runtime/solve/run.c - dispatch: runs the stages of the solver that a definition selects.
   reads   the definition, the world      writes  what the solver writes
   memory  none      cost    one comparison per row
   after   own design: see world/solver.h */
#include "../world/solver_lanes.h"
#include "solvers.h"
#include "sph/sph_lanes.h"
#include "pair/pair_lanes.h"
#include "cloth/cloth_lanes.h"
#include "vortex/vortex_lanes.h"

#define SOLVER_RETURN(value, name, is_built, left_out) \
    if ((is_built) && (uint32_t)def->solver == (uint32_t)(value)) return SOLVER_ASK(name);
#define SOLVER_CALL(value, name, is_built, left_out)                \
    if ((is_built) && (uint32_t)def->solver == (uint32_t)(value)) { \
        SOLVER_ASK(name);                                           \
        return;                                                     \
    }

uint32_t tpi_solver_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_run(world, jobs, units, done)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return tpi_solver_wrong_stage(done);
}

void tpi_solver_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                     const tpi_lanes x[3], tpi_lanes velocity[3])
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_open(world, plan, i, bits, x, velocity)
    TPI_SOLVERS(SOLVER_CALL)
#undef SOLVER_ASK
}

bool tpi_solver_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                      const tpi_lanes velocity[3])
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_place(world, i, count, x, velocity)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return true;
}

void tpi_solver_close(const tp_world *world, const tpi_field_plan *plan, uint32_t first,
                      uint32_t count, tpi_lanes from[3], tpi_lanes to[3], tpi_lanes velocity[3])
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_close(world, plan, first, count, from, to, velocity)
    TPI_SOLVERS(SOLVER_CALL)
#undef SOLVER_ASK
}

uint32_t tpi_solver_holds(const tp_world *world, uint32_t first, uint32_t count)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_holds(world, first, count)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return 0;
}

#undef SOLVER_RETURN
#undef SOLVER_CALL
