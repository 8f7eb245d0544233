/* SPDX-License-Identifier: MIT
   ports/hosted/port.c - a machine with a C library: standard output and an exit code.
   reads   nothing      writes  standard output; with PORT_FLUSHES the float unit's mode
   memory  none         cost    that of the program
   after   own design; PORT_FLUSHES: the float unit flushes subnormal operands and results to zero,
           as many games and consoles set it */
#include "../golden/port.h"
#include <stdio.h>

void port_puts(const char *text) { fputs(text, stdout); }

#ifdef PORT_FLUSHES
static void port_set_flushing(void)
{
#if defined(__x86_64__)
    unsigned mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    mode |= 0x8040u; /* results, and operands */
    __asm__ volatile("ldmxcsr %0" : : "m"(mode));
#elif defined(__arm__)
    unsigned mode;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(mode));
    __asm__ volatile("vmsr fpscr, %0" : : "r"(mode | 1u << 24)); /* both */
#else
#error "how this machine is made to flush is not known"
#endif
}
#endif

/* True when half of the smallest normal number is zero. */
static int port_flushes(void)
{
    volatile float smallest = 1.17549435e-38f, half = 0.5f;
    return smallest * half == 0.0f;
}

int main(void)
{
#ifdef PORT_FLUSHES
    port_set_flushing();
    if (!port_flushes()) return fputs("the unit does not flush\n", stdout), 1;
#else
    if (port_flushes()) return fputs("the unit flushes unasked\n", stdout), 1;
#endif
    int code = port_main();
    return fflush(stdout) == 0 ? code : 1;
}
