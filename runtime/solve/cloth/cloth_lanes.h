/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/cloth_lanes.h - the stage of cloth, which has vectors of constraints.
   reads   see cloth.h      writes  see cloth.h
   memory  words of the block      cost    see cloth.h
   after   see cloth.h */
#ifndef TPI_CLOTH_LANES_H
#define TPI_CLOTH_LANES_H
#include "cloth.h"
#include "../solve_lanes.h"
#include "../../world/solver_lanes.h"

TPI_SOLVER_LANE_HOOKS(cloth)
/* A slice of the stage PAIRS. */
TPI_FUNC uint32_t tpi_cloth_near(tp_world *world, uint32_t units, bool *done);

/* Of nodes that may touch. Adds velocities to their sum. */
TPI_FUNC void tpi_cloth_sum(const tp_world *world, uint32_t begin, uint32_t end);
/* Limits their velocities relative to the mean of all. */
TPI_FUNC void tpi_cloth_clamp(tp_world *world, uint32_t begin, uint32_t end);

#endif
