/* SPDX-License-Identifier: MIT
   tests/solver/toy.h - the table row of a solver that exists only in these tests.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design: TIDEPOOL_SOLVERS names this file when solvers.c and run.c are compiled */
#ifndef TOY_H
#define TOY_H
#include "world/solver_lanes.h"

#define TOY_SOLVER ((tp_solver)5)
#define TPI_SOLVERS_ADDED(ROW) \
    ROW(TOY_SOLVER, toy, true, "solver must not be the toy: it was left out")
#define TOY_SPEED 4.0f /* m/s^2 at distance 0 */
#define TOY_COUNTS_PER_IMPULSE \
    16777216.0f /* 2^24 per m/s: sums over 64 neighbours stay below 2^31 in steps up to 0.25 s */

enum { TOY_MET = 0 }; /* u32: number of particles closer than the radius in the last step */

TPI_SOLVER_HOOKS(toy)
TPI_SOLVER_LANE_HOOKS(toy)

#endif
