/* SPDX-License-Identifier: MIT
   runtime/solve/pair/pair_lanes.h - the stages of pair forces, and their half kicks.
   reads   see pair.h      writes  see pair.h
   memory  words of the block      cost    see pair.h
   after   see pair.h */
#ifndef TPI_PAIR_LANES_H
#define TPI_PAIR_LANES_H
#include "pair.h"
#include "../../world/solver_lanes.h"
#include "../../grid/sweep.h"

TPI_SOLVER_LANE_HOOKS(pair)
/* Stages, resumable by the cursor. Each clears the sums that it adds to. */
TPI_FUNC uint32_t tpi_pair_list(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_pair_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
/* The force stage of hard spheres: writes impulses, as counts in `force`, and displacements;
   tpi_pair_close applies both. */
TPI_FUNC uint32_t tpi_hard_collide(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);

/* The velocity after half a step of the pair and link forces of the particle at index `index`. */
TPI_FUNC tp_vector tpi_pair_kick(const tp_world *world, uint32_t index, tp_vector v,
                                 uint32_t species);

#endif
