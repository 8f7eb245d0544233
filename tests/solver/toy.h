/* SPDX-License-Identifier: MIT
   tests/solver/toy.h - the row of a solver that only these tests have.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design: TIDEPOOL_SOLVERS names this file when runtime/solve/solvers.c is compiled */
#ifndef TOY_H
#define TOY_H
#include "world/solver.h"

#define TOY_SOLVER             ((tp_solver)3)
#define TPI_SOLVERS_ADDED(ROW) ROW(TOY_SOLVER, toy, true, "solver must not be the toy: it was left out")
#define TOY_SPEED              4.0f /* m/s^2 at distance 0 */
#define TOY_COUNTS_PER_IMPULSE \
    16777216.0f /* 2^24 a m/s: 64 neighbours stay below 2^31 in steps up to 0.25 s */

enum { TOY_MET = 0 }; /* u32: with how many particles each was closer than the radius, in the last step */

TPI_SOLVER_HOOKS(toy)

#endif
