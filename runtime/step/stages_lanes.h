/* SPDX-License-Identifier: MIT
   runtime/step/stages_lanes.h - stages that all solvers share, and the call of any stage.
   reads   the front set      writes  the back set
   memory  the step's record in the block      cost  a slice per call, see TP_STAGE_LIST
   after   own design */
#ifndef TPI_STAGES_LANES_H
#define TPI_STAGES_LANES_H
#include "stages.h"
#include "../world/solver_lanes.h"

/* ---- the stages, each resumable by the cursor ---- */

/* Finds the ids that die to free space for births. */
TPI_FUNC uint32_t tpi_step_recycle(tp_world *world, uint32_t units, bool *done);
/* Applies fields, sinks and half kicks; without pair forces it also writes the positions. */
TPI_FUNC uint32_t tpi_step_move(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
/* Moves each particle along its path from the front position to the back position, and stops it at
   colliders (continuous collision detection). */
TPI_FUNC uint32_t tpi_step_collide(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);

/* True if the compiler fuses multiply and add in the stages: AVX-512 has instructions for it, also
   where the flags have none. Such stages have other results and must not run. O(1) */
TPI_FUNC bool tpi_stage_contracts(void);
/* Runs a slice of at most `units` of the stage step.stage; returns the units. `jobs` may be
   null. */
TPI_FUNC uint32_t tpi_stage_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

#endif
