/* SPDX-License-Identifier: MIT
   ports/nintendo64/boot.s - cartridge header, own boot code, and the first instructions of the program.
   reads   the cartridge      writes  the program's image into RAM, the stack pointer, the float unit's mode
   memory  runs in the 4 KiB of the signal processor's RAM      cost    copies one word at a time, uncached
   after   the layout of the cartridge header; a real console's lock-out chip does not accept this boot code */
    .set noreorder
    .section .header, "a"
    .word 0x80371240, 0x0000000f        /* bus timing, clock */
    .word n64_start, 0x00001444         /* entry, version */
    .word 0, 0, 0, 0                    /* checksums: only the manufacturer's boot code checks them */
    .ascii "TIDEPOOL            "
    .space 7
    .ascii "NTPE"
    .byte 0

    .section .boot, "ax"
    la    $t0, 0xb0001000               /* the image in the cartridge */
    la    $t1, n64_image
    la    $t2, n64_image_end
    lui   $t3, 0x2000
    or    $t1, $t1, $t3                 /* uncached */
    or    $t2, $t2, $t3
1:  lw    $t3, 0($t0)
    addiu $t0, $t0, 4
    sw    $t3, 0($t1)
    addiu $t1, $t1, 4
    bne   $t1, $t2, 1b
    nop
    la    $t0, n64_start
    jr    $t0
    nop

    .section .start, "ax"
    .global n64_start
n64_start:
    lui   $t0, 0x3000                   /* both coprocessors, 16 pairs of float registers, no interrupts */
    mtc0  $t0, $12
    nop
    nop
    ctc1  $zero, $31                    /* round to nearest, subnormals kept */
    la    $sp, n64_stack_top - 32
    la    $t0, n64_bss
    la    $t1, n64_bss_end
1:  sw    $zero, 0($t0)
    addiu $t0, $t0, 4
    bne   $t0, $t1, 1b
    nop
    la    $t0, n64_main
    jr    $t0
    nop
