/* SPDX-License-Identifier: MIT
   ports/bare/wide.c - 64-bit arithmetic routines that compilers call, for targets that cannot link
           the compiler's library.
   reads   its arguments      writes  its results
   memory  none               cost    64 rounds of shift, compare and subtract per division
   after   division digit by digit; conversions rounded to nearest, ties to even, as by IEEE 754 */
#include "wide.h"
#include <string.h>

static uint64_t wide_divide(uint64_t number, uint64_t by, uint64_t *rest)
{
    uint64_t quotient = 0, left = 0;
    uint32_t digits = 64;
    if (number >> 32 == 0 && by >> 32 == 0) { /* fits the processor's 32-bit division */
        *rest = (uint32_t)number % (uint32_t)by;
        return (uint32_t)number / (uint32_t)by;
    }
    while (digits-- > 0) {
        uint64_t carry = left >> 63;
        left = left << 1 | (number >> digits & 1u);
        quotient <<= 1;
        if (carry || left >= by) left -= by, quotient |= 1u;
    }
    *rest = left;
    return quotient;
}

static uint64_t wide_absolute(int64_t number)
{
    return number < 0 ? 0u - (uint64_t)number : (uint64_t)number;
}

uint64_t __udivdi3(uint64_t number, uint64_t by)
{
    uint64_t rest;
    return wide_divide(number, by, &rest);
}

uint64_t __umoddi3(uint64_t number, uint64_t by)
{
    uint64_t rest;
    wide_divide(number, by, &rest);
    return rest;
}

int64_t __divdi3(int64_t number, int64_t by)
{
    uint64_t rest, quotient = wide_divide(wide_absolute(number), wide_absolute(by), &rest);
    return (int64_t)((number < 0) != (by < 0) ? 0u - quotient : quotient);
}

int64_t __moddi3(int64_t number, int64_t by)
{
    uint64_t rest;
    wide_divide(wide_absolute(number), wide_absolute(by), &rest);
    return (int64_t)(number < 0 ? 0u - rest : rest);
}

/* Keeps 24 digits and two guard bits; the lowest is sticky: 1 if any digit shifted out was 1. */
static float wide_to_float(uint64_t number, uint32_t sign)
{
    uint32_t exponent = 150, bits;
    float value;
    while (number >> 26) number = number >> 1 | (number & 1u), exponent++;
    bits = (uint32_t)number;
    if (bits == 0) return 0.0f;
    while (bits < 0x2000000u) bits <<= 1, exponent--; /* now 26 digits */
    uint32_t rest = bits & 3u;
    bits = (bits >> 2) + (rest > 2u || (rest == 2u && bits & 4u) ? 1u : 0u);
    /* a carry goes into the exponent */
    bits = bits - 0x800000u + ((exponent + 2u) << 23) + (sign << 31);
    memcpy(&value, &bits, sizeof value);
    return value;
}

float __floatundisf(uint64_t number) { return wide_to_float(number, 0); }
float __floatdisf(int64_t number) { return wide_to_float(wide_absolute(number), number < 0); }

uint64_t __fixunssfdi(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = bits >> 23 & 255u;
    uint64_t mantissa = (bits & 0x7fffffu) | 0x800000u;
    if (bits >> 31 || exponent < 127u) return 0;
    return exponent < 150u ? mantissa >> (150u - exponent) : mantissa << ((exponent - 150u) & 63u);
}

int64_t __fixsfdi(float value)
{
    uint64_t whole = __fixunssfdi(value < 0.0f ? -value : value);
    return (int64_t)(value < 0.0f ? 0u - whole : whole);
}
