/* SPDX-License-Identifier: MIT
   ports/examples/board.c - what an example asks of a Cortex-M board: a clock from its SysTick, and a console.
   reads   SysTick      writes  SysTick, the port's console
   memory  some words, no heap      cost  a look at the timer some ten instructions
   after   ARMv7-M: SysTick; newlib's system calls. Linked with ports/bare; the rest of a platform the examples do without */
#include "../bare/board.h"
#include "platform.h"
#include <errno.h>

#ifndef BOARD_MHZ
#define BOARD_MHZ 25u /* of the emulated boards of Arm */
#endif
#define SYSTICK_CONTROL ((volatile uint32_t *)0xe000e010)
#define SYSTICK_RELOAD  ((volatile uint32_t *)0xe000e014)
#define SYSTICK_VALUE   ((volatile uint32_t *)0xe000e018)
#define SYSTICK_MASK    0xffffffu /* 24 bits: to be read once in 0.67 s at 25 MHz, and each slice does */

int main(int count, char **arguments);
int _write(int file, const char *text, int size);
void *_sbrk(intptr_t bytes);

/* It counts the processor's cycles downwards and wraps: what is added is the difference. */
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

/* What printf ends in; the console takes text that ends with a zero. */
int _write(int file, const char *text, int size)
{
    (void)file;
    for (int at = 0; at < size; at++) {
        char letter[2] = {text[at], 0};
        port_puts(letter);
    }
    return size;
}

/* No heap: printf writes letter by letter then. */
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
