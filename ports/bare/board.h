/* SPDX-License-Identifier: MIT
   ports/bare/board.h - what a board without an operating system brings, and what all of them share.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; board.ld gives the addresses */
#ifndef TIDEPOOL_BOARD_H
#define TIDEPOOL_BOARD_H
#include "../golden/port.h"
#include <stdint.h>

/* The board supplies it: ends the program; 0 is good. */
__attribute__((noreturn)) void board_exit(uint32_t code);
/* The board calls it as soon as there is a stack and a float unit: fills RAM, runs the program, prints its stack, exits. */
__attribute__((noreturn)) void board_run(void);

#endif
