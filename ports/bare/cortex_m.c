/* SPDX-License-Identifier: MIT
   ports/bare/cortex_m.c - reset, faults and a console through semihosting on any Cortex-M.
   reads   the stack's address of board.ld      writes  the host's console
   memory  the vector table      cost  constant
   after   ARMv6-M, ARMv7-M, ARMv8-M: vector table, CPACR; semihosting operations SYS_WRITE0 and
           SYS_EXIT_EXTENDED */
#include "board.h"

extern uint32_t board_stack_top[];

void board_reset(void);
void board_fault(void);

/* A semihosting call: operation in r0, argument in r1, then a breakpoint that the debugger
   recognises. */
static void board_call(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void port_puts(const char *text) { board_call(0x04, (uintptr_t)text); }

void board_exit(uint32_t code)
{
    const volatile uint32_t reason[2] = {0x20026, code}; /* application exit, with its code */
    board_call(0x20, (uintptr_t)reason);
    for (;;) {}
}

void board_fault(void)
{
    port_puts("fault\n");
    board_exit(3);
}

void board_reset(void)
{
#if defined(__ARM_FP)
    volatile uint32_t *access =
        (volatile uint32_t *)0xe000ed88; /* CPACR: coprocessors 10 and 11 are the float unit */
    *access |= 0xfu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
#if !defined(__ARM_FEATURE_UNALIGNED)
    *(volatile uint32_t *)0xe000ed14 |= 8u; /* CCR: unaligned word accesses fault, as on ARMv6-M */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    board_run();
}

/* Initial stack pointer, reset, and a fault handler for everything else. */
typedef union board_vector {
    uint32_t *stack;
    void (*handler)(void);
} board_vector;

__attribute__((section(".vectors"), used)) static const board_vector board_vectors[16] = {
    {.stack = board_stack_top}, {.handler = board_reset}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},
};
