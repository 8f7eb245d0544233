/* SPDX-License-Identifier: MIT
   ports/examples/tidepool.c - the one file of a game that implements the runtime; all other files
           only include the header.
   reads   nothing      writes  nothing
   memory  none         cost    one compile: as C11 with -ffp-contract=off and without fast-math,
           also in a C++ game
   after   own design */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
