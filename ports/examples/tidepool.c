/* SPDX-License-Identifier: MIT
   ports/examples/tidepool.c - the one file of a game that holds the runtime; every other one includes the header plainly.
   reads   nothing      writes  nothing
   memory  none         cost    a compile: C11 with -ffp-contract=off and without fast-math, also in a game of C++
   after   own design */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
