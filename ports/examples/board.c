/* SPDX-License-Identifier: MIT
   ports/examples/board.c - the parts of a Cortex-M board that the examples need: a clock from
           SysTick, and a console.
   reads   SysTick      writes  SysTick, the port's console
   memory  some words, no heap      cost  about ten instructions per read of the clock
   after   ARMv7-M: SysTick; newlib's system calls. Linked with ports/bare; the examples need no
           other platform functions */
#include "../bare/board.h"
#include "platform.h"
#include <errno.h>

#ifndef BOARD_MHZ
#define BOARD_MHZ 25u /* of the emulated Arm boards */
#endif
#define SYSTICK_CONTROL ((volatile uint32_t *)0xe000e010)
#define SYSTICK_RELOAD  ((volatile uint32_t *)0xe000e014)
#define SYSTICK_VALUE   ((volatile uint32_t *)0xe000e018)
#define SYSTICK_MASK    0xffffffu /* 24 bits: wraps after 0.67 s at 25 MHz; each slice reads it */

int main(int count, char **arguments);
int _write(int file, const char *text, int size);
void *_sbrk(intptr_t bytes);

/* SysTick counts processor cycles downwards and wraps; the difference of two reads is added to 64
   bits. */
uint64_t platform_clock_us(void *context)
{
    static uint64_t cycles;
    static uint32_t before;
    (void)context;
    if (!(*SYSTICK_CONTROL & 1u)) {
        *SYSTICK_RELOAD = SYSTICK_MASK;
        *SYSTICK_VALUE = 0;
        *SYSTICK_CONTROL = 5u; /* on, without interrupts, the processor's clock */
        before = *SYSTICK_VALUE;
    }
    uint32_t now = *SYSTICK_VALUE;
    cycles += (before - now) & SYSTICK_MASK;
    before = now;
    return cycles / BOARD_MHZ;
}

/* printf writes through this call; the console takes zero-terminated text. */
int _write(int file, const char *text, int size)
{
    (void)file;
    for (int at = 0; at < size; at++) {
        char letter[2] = {text[at], 0};
        port_puts(letter);
    }
    return size;
}

/* No heap: printf then writes without a buffer, byte by byte. */
void *_sbrk(intptr_t bytes)
{
    (void)bytes;
    errno = ENOMEM;
    return (void *)-1;
}

int port_main(void)
{
    static char name[] = "example";
    char *arguments[] = {name, NULL};
    return main(1, arguments);
}
