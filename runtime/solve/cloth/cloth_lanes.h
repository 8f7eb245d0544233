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

/* Keeps listed pairs apart, from node `begin` to `end`, or until the next one exceeds the units;
   returns the units, and the first node that is left. At least one node, if it is the first item of
   a slice. */
TPI_FUNC uint32_t tpi_cloth_part(tp_world *world, uint32_t *begin, uint32_t end, uint32_t units,
                                 bool is_first);

/* Of nodes that may touch. Adds velocities to their sum. */
TPI_FUNC void tpi_cloth_sum(const tp_world *world, uint32_t begin, uint32_t end);
/* Limits their velocities relative to the mean of all. */
TPI_FUNC void tpi_cloth_clamp(tp_world *world, uint32_t begin, uint32_t end);

/* implicit.c: passes over nodes, of conjugate gradients. Each iteration has all of them; after
   TPI_CLOTH_TURN the constraints add to the products. */
#define TPI_CLOTH_STEP  0u /* takes a share of the direction; the largest term of the gradient */
#define TPI_CLOTH_TOTAL 1u /* the sum of these terms */
#define TPI_CLOTH_TURN  2u /* the next direction */
#define TPI_CLOTH_PEAK  3u /* the largest term of direction times product */
#define TPI_CLOTH_DOT   4u /* their sum */

TPI_FUNC void tpi_cloth_begin_cg(const tp_world *world);
/* Does nodes from `begin` to `end` of a pass. `slice`: a cloth_slice. */
TPI_FUNC void tpi_cloth_iterate(tp_world *world, const tp_jobs *jobs, const void *slice,
                                uint32_t part, uint32_t begin, uint32_t end);
/* After all nodes of a pass. False: the iterations end. If there is more to do, but terms are too
   large for numbers, the step counts as one that softened springs. O(1) */
TPI_FUNC bool tpi_cloth_go_on(tp_world *world, uint32_t part);

#endif
