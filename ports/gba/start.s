/* SPDX-License-Identifier: MIT
   ports/gba/start.s - cartridge header, and start code from reset to gba_main.
   reads   the addresses of board.ld      writes  both RAMs
   memory  stacks at the top of the small RAM      cost    one pass over the initialised sections
   after   the layout of the cartridge header; the field of the manufacturer's logo stays zero */
    .section .start, "ax", %progbits
    .arm
    .global gba_reset
gba_reset:
    b   begin
    .space 156
    .ascii "TIDEPOOL\0\0\0\0"   /* title */
    .ascii "ATPE" "TP"          /* code of the game, code of its maker */
    .byte 0x96, 0, 0
    .space 7
    .byte 0, 0                  /* version; checksum, set by the tool `complement` during the build */
    .space 2

begin:
    mov r0, #0x12               /* stack of interrupts, although none is enabled */
    msr cpsr_c, r0
    ldr sp, =gba_stack_top
    mov r0, #0x1f               /* system mode, ARM state */
    msr cpsr_c, r0
    ldr sp, =gba_stack_top - 256
    ldr r0, =0x04000204         /* cartridge with 3 and 1 wait states, with prefetch */
    ldr r1, =0x4317
    strh r1, [r0]
    ldr r0, =gba_fast_load      /* copy code and data to the small RAM */
    ldr r1, =gba_fast
    ldr r2, =gba_fast_end
1:  cmp r1, r2
    ldrlo r3, [r0], #4
    strlo r3, [r1], #4
    blo 1b
    ldr r1, =gba_bss
    ldr r2, =gba_bss_end
    mov r3, #0
2:  cmp r1, r2
    strlo r3, [r1], #4
    blo 2b
    ldr r0, =gba_main
    mov lr, pc
    bx  r0
3:  b   3b
    .pool
