/* SPDX-License-Identifier: MIT
   ports/gamecube/header.s - header of an executable with a single section.
   reads   IMAGE_BYTES, set by the build      writes  256 bytes
   memory  none      cost    none
   after   the DOL format: 18 offsets, 18 addresses, 18 sizes, .bss, entry */
    .section .header, "a"
    .long 0x100
    .fill 17, 4, 0
    .long 0x80003100
    .fill 17, 4, 0
    .long IMAGE_BYTES
    .fill 17, 4, 0
    .long 0, 0                  /* .bss is cleared by the program */
    .long 0x80003100
    .fill 7, 4, 0
