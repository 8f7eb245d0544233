/* SPDX-License-Identifier: MIT
   runtime/step/step.h - the step of one world as a resumable state machine.
   reads   the front set      writes  the back set, then exchanges them
   memory  the step's record in the block      cost  one slice per call
   after   own design */
#ifndef TPI_STEP_H
#define TPI_STEP_H
#include "../world/team.h"

/* Starts a step of `ticks` ticks at the world's clock. O(pools) */
TPI_FUNC void tpi_step_begin(tp_world *world, uint32_t ticks);
/* Starts a step in which no time passes: only the forces of the front set are computed. Any step
   in progress is cancelled. */
TPI_FUNC void tpi_step_begin_priming(tp_world *world);
/* Runs one slice of at most `units` units, with the threads and at most the vectors of the budget,
   which may be null. True when the step is complete and visible. *used is the cost charged, which
   belongs to the stage *stage. */
TPI_FUNC bool tpi_step_advance(tp_world *world, const tp_budget *budget, uint32_t units,
                               uint32_t *used, tp_stage *stage);
/* True if threads may share all large loops of the current stage: its slices are long. The same at
   every vector width. */
TPI_FUNC bool tpi_step_is_shared(const tp_world *world, const tp_jobs *jobs);
/* True if the current stage gives work to several threads: its slices may be `workers` times as
   long. */
TPI_FUNC bool tpi_step_has_team(const tp_world *world, const tp_jobs *jobs);

/* ---- changes (change.c) ---- */
/* Between two frames: gives the world and its items the settings that wait. O(items + species^2) */
TPI_FUNC void tpi_changes_apply(tp_world *world);
/* Units of that per frame, in a world that takes changes. */
TPI_FUNC uint32_t tpi_changes_units(const tp_world *world);
/* The first fault of the changes that wait in an untrusted block, or null. O(items + geometry) */
TPI_FUNC const char *tpi_changes_audit(const tp_world *world, uint64_t *offset);

#endif
