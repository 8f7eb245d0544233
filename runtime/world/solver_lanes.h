/* SPDX-License-Identifier: MIT
   runtime/world/solver_lanes.h - the functions of a solver that run stages, and that have vectors.
   reads   nothing      writes  nothing: declarations
   memory  none      cost    as world/solver.h
   after   own design: see world/solver.h. A build may have these once for each vector width */
#ifndef TPI_SOLVER_LANES_H
#define TPI_SOLVER_LANES_H
#include "solver.h"
#include "../base/lanes.h"

/* Every solver NAME defines these functions too; see TPI_SOLVER_HOOKS. */
#define TPI_SOLVER_LANE_HOOKS(name)                                                                  \
    /* Runs a slice of at most `units` of the solver's stage step.stage; returns the units. */       \
    TPI_FUNC uint32_t tpi_##name##_run(tp_world *world, const tp_jobs *jobs, uint32_t units,         \
                                       bool *done);                                                  \
    /* ---- particles, one per lane ---- */                                                          \
    /* Half a kick of particles i, i + 1, ... of the front set whose bit is set. */                  \
    TPI_FUNC void tpi_##name##_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i,   \
                                    uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3]);     \
    /* Writes those particles to the back set at the indices that the valid kept list uses. False  \
       if one of them moved too far for the list. */ \
    TPI_FUNC bool tpi_##name##_place(tp_world *world, uint32_t i, uint32_t count,                    \
                                     const tpi_lanes x[3], const tpi_lanes velocity[3]);             \
    /* Applies the forces to the paths of `count` particles from index `first` of the back set. */   \
    TPI_FUNC void tpi_##name##_close(const tp_world *world, const tpi_field_plan *plan,              \
                                     uint32_t first, uint32_t count, tpi_lanes from[3],              \
                                     tpi_lanes to[3], tpi_lanes velocity[3]);                        \
    /* Bits of those of these particles that colliders do not move; asked with TPI_SOLVER_HOLDS. */  \
    TPI_FUNC uint32_t tpi_##name##_holds(const tp_world *world, uint32_t first, uint32_t count);

TPI_SOLVER_LANE_HOOKS(solver)

#endif
