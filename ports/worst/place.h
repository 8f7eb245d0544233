/* SPDX-License-Identifier: MIT
   ports/worst/place.h - sends numbers to the plugin that counts instructions, by calling marker
           functions.
   reads   nothing      writes  nothing
   memory  none         cost    some instructions per digit, which are not counted
   after   own design; the protocol is described in ports/count/slices.c */
#ifndef TIDEPOOL_WORST_PLACE_H
#define TIDEPOOL_WORST_PLACE_H
#include <stdint.h>
#include "tell.h"

/* Marker functions: empty, distinguished only by their address. The asm text keeps the compiler
   from merging them. */
#define WORST_PLACE(name)                                 \
    __attribute__((noinline)) static void name(void)      \
    {                                                     \
        __asm__ volatile("/* " #name " */" ::: "memory"); \
    }
#define WORST_DIGITS_LOW(ITEM)   ITEM(0) ITEM(1) ITEM(2) ITEM(3) ITEM(4) ITEM(5) ITEM(6) ITEM(7)
#define WORST_DIGITS_HIGH(ITEM)  ITEM(8) ITEM(9) ITEM(a) ITEM(b) ITEM(c) ITEM(d) ITEM(e) ITEM(f)
#define WORST_DIGITS(ITEM)       WORST_DIGITS_LOW(ITEM) WORST_DIGITS_HIGH(ITEM)
#define WORST_ABOUTS(ITEM)       ITEM(0) ITEM(1) ITEM(2) ITEM(3) ITEM(4) ITEM(5) ITEM(6)
#define WORST_DIGIT_PLACE(digit) WORST_PLACE(worst_digit_##digit)
#define WORST_ABOUT_PLACE(about) WORST_PLACE(worst_tell_##about)
#define WORST_DIGIT_NAME(digit)  worst_digit_##digit,
#define WORST_ABOUT_NAME(about)  worst_tell_##about,
WORST_DIGITS(WORST_DIGIT_PLACE)
WORST_ABOUTS(WORST_ABOUT_PLACE)

__attribute__((noinline)) static void worst_tell(uint32_t about, uint32_t number)
{
    static void (*const digits[16])(void) = {WORST_DIGITS(WORST_DIGIT_NAME)};
    static void (*const abouts[WORST_ABOUT])(void) = {WORST_ABOUTS(WORST_ABOUT_NAME)};
    uint32_t places = 0;
    while (places < 8 && number >> 4u * places) places++;
    while (places-- > 0) digits[number >> 4u * places & 15u]();
    abouts[about]();
}

/* Counts one call with the units that it was allowed; WORST_SLICE_LEAST for a call without a
   budget. */
#define WORST_MEASURE(call, units, ...)                                              \
    do {                                                                             \
        worst_tell(WORST_GO, 0);                                                     \
        __VA_ARGS__;                                                                 \
        worst_tell(WORST_STOP, 0);                                                   \
        worst_tell(WORST_CALL, (uint32_t)WORST_OF_##call << 24 | (uint32_t)(units)); \
    } while (0)

#endif
