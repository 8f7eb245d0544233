/* SPDX-License-Identifier: MIT
   ports/bare/riscv.c - start, console, exit and the three memory functions on QEMU's RISC-V machine
           `virt`.
   reads   the stack's address of board.ld      writes  the serial port
   memory  none      cost  constant, and O(bytes) for the memory functions
   after   RISC-V privileged architecture: mstatus.FS, mtvec; QEMU's virt: UART at 0x10000000, test
           device at 0x100000 */
#include "board.h"
#include <stddef.h>

void board_fault(void);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

/* Entry point: sets up the stack and the trap vector, switches the float unit on and clears its
   flags. */
__asm__(".section .vectors,\"ax\",@progbits\n"
        "board_reset:\n"
        ".global board_reset\n"
        "    la sp, board_stack_top\n"
        "    la t0, board_fault\n"
        "    csrw mtvec, t0\n"
        "    li t0, 0x2000\n"
        "    csrs mstatus, t0\n"
        "    csrw fcsr, zero\n"
        "    call board_run\n"
        ".text\n");

void port_puts(const char *text)
{
    volatile uint8_t *serial = (volatile uint8_t *)0x10000000;
    while (*text) *serial = (uint8_t)*text++;
}

/* The test device ends the emulation; the exit code is in the upper half of the word. */
void board_exit(uint32_t code)
{
    *(volatile uint32_t *)0x100000 = code ? code << 16 | 0x3333u : 0x5555u;
    for (;;) {}
}

__attribute__((aligned(4))) void board_fault(void)
{
    port_puts("fault\n");
    board_exit(3);
}

/* The toolchain has no C library. Compiled with -fno-tree-loop-distribute-patterns: otherwise gcc
   turns each loop into a call of its own function. */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    while (size-- > 0) *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((uintptr_t)to <= (uintptr_t)from) return memcpy(to, from, size);
    while (size-- > 0) out[size] = in[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *out = to;
    while (size-- > 0) *out++ = (unsigned char)value;
    return to;
}
