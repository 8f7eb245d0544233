/* SPDX-License-Identifier: MIT
   ports/gamecube/start.s - start code: float unit, time base, stack.
   reads   the addresses of board.ld      writes  machine state, .bss
   memory  none      cost    one pass over .bss
   after   the 32-bit PowerPC's registers */
    .section .start, "ax"
    .global gc_start
gc_start:
    lis   1, gc_stack_top@ha
    addi  1, 1, gc_stack_top@l
    li    0, 0
    stwu  0, -32(1)
    mfmsr 3
    ori   3, 3, 0x2000          /* float unit on */
    mtmsr 3
    isync
    mtfsfi 7, 0                 /* round to nearest, subnormals kept */
    lis   4, gc_bss@ha
    addi  4, 4, gc_bss@l
    lis   5, gc_bss_end@ha
    addi  5, 5, gc_bss_end@l
1:  cmplw 4, 5
    bge   2f
    stw   0, 0(4)
    addi  4, 4, 4
    b     1b
2:  bl    gc_main
3:  b     3b
