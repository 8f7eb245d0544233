/* SPDX-License-Identifier: MIT
   runtime/solve/solve_lanes.h - fields that act on vectors of particles.
   reads   fields      writes  velocities
   memory  a plan on the stack      cost    O(fields) per particle; O(1) for gravity alone
   after   see solve.h */
#ifndef TPI_SOLVE_LANES_H
#define TPI_SOLVE_LANES_H
#include "solve.h"
#include "../world/solver_lanes.h"

/* tpi_field_kick for the lanes whose bits are set, in a step: lane k is particle i + k of the front
   set. Other lanes are undefined. */
TPI_FUNC void tpi_field_kick_lanes(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                                   uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3]);
/* The same for particles of these species and indices of the front set, in any order, over timestep
   seconds. */
TPI_FUNC void tpi_field_kick_species(const tp_world *world, const tpi_field_plan *plan,
                                     const tpi_lane_ints *species, const tpi_lane_ints *index,
                                     uint32_t bits, float timestep, const tpi_lanes x[3],
                                     tpi_lanes velocity[3]);

#endif
