/* SPDX-License-Identifier: MIT
   ports/gba/gba.h - registers of the Game Boy Advance.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own design */
#ifndef TIDEPOOL_GBA_H
#define TIDEPOOL_GBA_H
#include <stdint.h>

#define GBA_REGISTER(address) (*(volatile uint16_t *)(address))

/* Processor cycles since the start, at 16.78 MHz; wraps. */
uint32_t gba_cycles(void);

#endif
