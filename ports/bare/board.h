/* SPDX-License-Identifier: MIT
   ports/bare/board.h - functions of a board without an operating system, and those common to all
           such boards.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; board.ld defines the addresses */
#ifndef TIDEPOOL_BOARD_H
#define TIDEPOOL_BOARD_H
#include "../golden/port.h"
#include <stdint.h>

/* Defined by the board: ends the program; 0 is success. */
__attribute__((noreturn)) void board_exit(uint32_t code);
/* Called by the board once stack and float unit are set up: initialises RAM, runs the program,
   prints its stack use, exits. */
__attribute__((noreturn)) void board_run(void);

#endif
