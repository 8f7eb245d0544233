/* SPDX-License-Identifier: MIT
   ports/bare/bare.h - common functions of consoles without an operating system.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design; a console's start-up code calls bare_run with the stack that its linker
           script gives */
#ifndef TIDEPOOL_BARE_H
#define TIDEPOOL_BARE_H
#include "../golden/port.h"
#include <stdbool.h>
#include <stdint.h>

/* Calls port_main on this stack, prints how much of the stack was used, then the line `port ends
   CODE`, at which the emulator's runner stops. The caller's frame must lie in the highest 256 bytes
   of the stack. */
void bare_run(uint32_t *stack, const uint32_t *stack_top);

/* True if the memory below the stack is as it was at the start; a machine whose stack ends at code
   defines its own version. */
bool bare_is_whole(void);

/* Called in an endless loop after the end of port_main; a program that continues defines its own
   version. */
void port_again(void);

/* Prints a number between two texts. */
void bare_number(const char *before, uint32_t number, const char *behind);

/* Prints a line to the emulator's log; supplied by the machine's start-up code. The line has up to
   255 characters, ends with a zero and has no newline. */
void bare_line(const char *line);

#endif
