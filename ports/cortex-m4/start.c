/* SPDX-License-Identifier: MIT
   ports/cortex-m4/start.c - from reset to port_main on a bare Cortex-M4, with a console through the debugger.
   reads   the addresses of board.ld      writes  RAM, the host's console
   memory  the stack that board.ld gives; how much of it was used is printed at the end
   cost    one pass over RAM
   after   ARMv7-M: vector table, CPACR; semihosting operations SYS_WRITE0 and SYS_EXIT_EXTENDED */
#include "../golden/port.h"
#include <stdint.h>

#define STACK_PAINT 0x7ea5e77eu /* unlikely as a value */

extern uint32_t board_data_load[], board_data[], board_data_end[], board_bss[], board_bss_end[];
extern uint32_t board_stack[], board_stack_top[];

void board_reset(void);
void board_fault(void);

/* One semihosting call: the operation in r0, its argument in r1, a breakpoint that the debugger knows. */
static void board_call(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt #0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void port_puts(const char *text) { board_call(0x04, (uintptr_t)text); }

__attribute__((noreturn)) static void board_exit(uint32_t code)
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

static void board_print_stack(void)
{
    const volatile uint32_t *lowest = board_stack;
    char text[12];
    uint32_t at = 11;
    while (lowest < board_stack_top && *lowest == STACK_PAINT) lowest++;
    uint32_t bytes = (uint32_t)((uintptr_t)board_stack_top - (uintptr_t)lowest);
    text[at] = 0;
    do text[--at] = (char)('0' + bytes % 10u);
    while (bytes /= 10u);
    port_puts("stack used ");
    port_puts(text + at);
    port_puts(" bytes\n");
}

/* The stack grows down from board_stack_top; this frame lies in its highest 64 bytes. */
void board_reset(void)
{
    volatile uint32_t *access =
        (volatile uint32_t *)0xe000ed88; /* CPACR: coprocessors 10 and 11 are the float unit */
    *access |= 0xfu << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    uint32_t *from = board_data_load;
    for (uint32_t *to = board_data; to < board_data_end; to++) *to = *from++;
    for (uint32_t *to = board_bss; to < board_bss_end; to++) *to = 0;
    uintptr_t top = (uintptr_t)board_stack_top - 64;
    for (volatile uint32_t *to = board_stack; (uintptr_t)to < top; to++) *to = STACK_PAINT;
    uint32_t code = (uint32_t)port_main();
    board_print_stack();
    board_exit(code);
}

/* Initial stack pointer, reset, and a fault handler for everything else. */
typedef union board_vector {
    uint32_t *stack;
    void (*handler)(void);
} board_vector;

__attribute__((section(".vectors"), used)) static const board_vector board_vectors[16] = {
    {.stack = board_stack_top}, {.handler = board_reset}, {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault}, {.handler = board_fault},
    {.handler = board_fault},   {.handler = board_fault}, {.handler = board_fault}, {.handler = board_fault},
};
