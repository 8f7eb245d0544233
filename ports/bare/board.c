/* SPDX-License-Identifier: MIT
   ports/bare/board.c - start-up of a bare-metal board: initialises .data and .bss, paints the
           stack, measures its use.
   reads   the addresses of board.ld      writes  RAM, the board's console
   memory  the stack that board.ld gives
   cost    one pass over RAM
   after   own design */
#include "board.h"

#define STACK_PAINT 0x7ea5e77eu /* a value that programs rarely store */

extern uint32_t board_data_load[], board_data[], board_data_end[], board_bss[], board_bss_end[];
extern uint32_t board_stack[], board_stack_top[];

/* Prints the bytes of stack used. Returns 0 if the stack did not overflow. */
static uint32_t board_print_stack(void)
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
    if (lowest > board_stack) return 0;
    port_puts("the stack is full: what lies below it may be overwritten\n");
    return 4;
}

/* The stack grows down from board_stack_top; this frame lies in its highest 128 bytes. */
void board_run(void)
{
    const volatile uint32_t *from = board_data_load;
    for (volatile uint32_t *to = board_data; to < board_data_end; to++) *to = *from++;
    for (volatile uint32_t *to = board_bss; to < board_bss_end; to++) *to = 0;
    uintptr_t top = (uintptr_t)board_stack_top - 128;
    for (volatile uint32_t *to = board_stack; (uintptr_t)to < top; to++) *to = STACK_PAINT;
    uint32_t code = (uint32_t)port_main();
    uint32_t full = board_print_stack();
    board_exit(code ? code : full);
}
