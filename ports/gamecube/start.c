/* SPDX-License-Identifier: MIT
   ports/gamecube/start.c - text output through the serial port, which the emulator logs.
   reads   nothing      writes  the serial port behind the external interface
   memory  none         cost    two transfers per letter
   after   registers of the external interface, channel 0: select 0x150, data, control */
#include "../bare/bare.h"

#define EXTERNAL ((volatile uint32_t *)0xcc006800u)

extern uint32_t gc_stack[], gc_stack_top[];

void gc_main(void);

static void serial_send(uint32_t word)
{
    EXTERNAL[4] = word;
    EXTERNAL[3] = 0x35; /* write four bytes, now */
    while (EXTERNAL[3] & 1u) {}
}

static void serial_letter(char letter)
{
    EXTERNAL[0] = 0x150;
    serial_send(0xa0010000u);
    serial_send((uint32_t)(unsigned char)letter << 24);
    EXTERNAL[0] = 0;
}

void bare_line(const char *line)
{
    while (*line) serial_letter(*line++);
    serial_letter('\r'); /* ends a line of the emulator's log */
}

void gc_main(void) { bare_run(gc_stack, gc_stack_top); }
