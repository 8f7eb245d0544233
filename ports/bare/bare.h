/* SPDX-License-Identifier: MIT
   ports/bare/bare.h - what a machine without an operating system shares with the others.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; a console's start-up code calls bare_run with the stack that its linker script gives */
#ifndef TIDEPOOL_BARE_H
#define TIDEPOOL_BARE_H
#include "../golden/port.h"
#include <stdint.h>

/* Calls port_main on this stack, prints how much of it was used, then the line by which the emulator's runner knows the
   end: `port ends CODE`. The frame of the caller must lie in the highest 256 bytes. */
void bare_run(uint32_t *stack, const uint32_t *stack_top);

/* What follows the end, for ever; a program that goes on has a function of its own for it. */
void port_again(void);

/* Prints a number and what stands before and behind it. */
void bare_number(const char *before, uint32_t number, const char *behind);

/* The emulator's log takes whole lines of up to 255 letters: the machine's start-up code supplies it. The line ends with a
   zero and has no line end. */
void bare_line(const char *line);

#endif
