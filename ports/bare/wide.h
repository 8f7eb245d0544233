/* SPDX-License-Identifier: MIT
   ports/bare/wide.h - names of the 64-bit arithmetic routines that compilers call.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   libgcc: same names and semantics */
#ifndef TIDEPOOL_BARE_WIDE_H
#define TIDEPOOL_BARE_WIDE_H
#include <stdint.h>

uint64_t __udivdi3(uint64_t number, uint64_t by);
uint64_t __umoddi3(uint64_t number, uint64_t by);
int64_t __divdi3(int64_t number, int64_t by);
int64_t __moddi3(int64_t number, int64_t by);
float __floatundisf(uint64_t number);
float __floatdisf(int64_t number);
uint64_t __fixunssfdi(float value);
int64_t __fixsfdi(float value);

#endif
