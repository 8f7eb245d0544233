/* SPDX-License-Identifier: MIT
   runtime/solve/solvers.h - the table of solvers, one row per solver.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design. To add a solver: a folder beside sph/ and pair/ that defines the functions of
           TPI_SOLVER_HOOKS, a value of tp_solver, and a row here. Or define TIDEPOOL_SOLVERS as the
           name of a header with further rows, TPI_SOLVERS_ADDED(ROW) */
#ifndef TPI_SOLVERS_H
#define TPI_SOLVERS_H
#include "sph/sph.h"
#include "pair/pair.h"
#include "cloth/cloth.h"
#include "vortex/vortex.h"
#ifdef TIDEPOOL_SOLVERS
#include TIDEPOOL_SOLVERS
#else
#define TPI_SOLVERS_ADDED(ROW)
#endif

/* Columns: value of tp_solver, name, true if this build contains it, message of a build that does
   not. */
#define TPI_SOLVERS(ROW)                                                             \
    ROW(TP_SOLVER_SPH, sph, TPI_HAS_SPH,                                             \
        "solver must not be TP_SOLVER_SPH: it was left out by TP_WITHOUT_SPH")       \
    ROW(TP_SOLVER_PAIR, pair, TPI_HAS_PAIR,                                          \
        "solver must not be TP_SOLVER_PAIR: it was left out by TP_WITHOUT_PAIR")     \
    ROW(TP_SOLVER_CLOTH, cloth, TPI_HAS_CLOTH,                                       \
        "solver must not be TP_SOLVER_CLOTH: it was left out by TP_WITHOUT_CLOTH")   \
    ROW(TP_SOLVER_VORTEX, vortex, TPI_HAS_VORTEX,                                    \
        "solver must not be TP_SOLVER_VORTEX: it was left out by TP_WITHOUT_VORTEX") \
    TPI_SOLVERS_ADDED(ROW)

#endif
