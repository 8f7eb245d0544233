/* SPDX-License-Identifier: MIT
   ports/bare/root.c - correctly rounded square root, for processors without a square-root
           instruction.
   reads   its argument      writes  its result
   memory  none              cost    25 rounds of add, compare and subtract
   after   the digit-by-digit method in base 2, with integers only */
#include <stdint.h>

#if !defined(TIDEPOOL_HOT)
#define TIDEPOOL_HOT
#endif
TIDEPOOL_HOT float sqrtf(float value);

/* The root of mantissa * 2^24, rounded down; mantissa in [2^24, 2^26), so that the result has 25
   digits. `rest`: the mantissa less the square of the root so far, shifted once per digit; `twice`:
   twice the root so far. Both stay below 2^28. */
static uint32_t root_digits(uint32_t mantissa)
{
    uint32_t twice = 0, rest = mantissa;
#pragma GCC unroll 5
    for (uint32_t digit = 1u << 24; digit; digit >>= 1) {
        uint32_t next = twice + digit;
        if (rest >= next) rest -= next, twice = next + digit;
        rest <<= 1;
    }
    return twice >> 1;
}

float sqrtf(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    if (bits << 1 == 0 || bits == 0x7f800000u) return value; /* zeros of both signs, infinity */
    if (bits > 0x7f800000u)
        bits = 0x7fc00000u; /* negative, or not a number */
    else {
        uint32_t exponent = bits >> 23, mantissa = bits & 0x7fffffu;
        if (exponent)
            mantissa |= 0x800000u;
        else
            for (exponent = 1; mantissa < 0x800000u; exponent--)
                mantissa <<= 1; /* may wrap below 0; the later sum corrects it */
        /* value = mantissa * 2^(exponent - 150). The 25th digit decides the rounding; an exact tie
           is impossible. */
        mantissa <<= exponent & 1u ? 1 : 2;
        bits = ((root_digits(mantissa) + 1u) >> 1) - 0x800000u +
               ((exponent + 126u + (exponent & 1u)) / 2u << 23);
    }
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
