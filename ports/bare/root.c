/* SPDX-License-Identifier: MIT
   ports/bare/root.c - correctly rounded square root, for processors without a square-root
           instruction.
   reads   its argument      writes  its result
   memory  none              cost    25 rounds of shift, compare and subtract
   after   the digit-by-digit method in base 2, with integers only */
#include <stdint.h>
#include <string.h>

float sqrtf(float value);

/* The root of mantissa * 2^24, rounded down; mantissa in [2^24, 2^26), so that the result has 25
   digits. */
static uint32_t root_digits(uint32_t mantissa)
{
    uint32_t root = 0, rest = 0;
    /* each round shifts out two bits at the top: 13 rounds with bits of the mantissa, 12 with
       zeros */
    mantissa <<= 6;
    for (uint32_t i = 0; i < 25; i++) {
        rest = rest << 2 | mantissa >> 30; /* rest <= 2 root: below 2^28 */
        mantissa <<= 2;
        uint32_t next = root << 2 | 1u;
        root <<= 1;
        if (rest >= next) rest -= next, root |= 1u;
    }
    return root;
}

float sqrtf(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
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
    memcpy(&value, &bits, sizeof value);
    return value;
}
