/* SPDX-License-Identifier: MIT
   host_tools/common/decimal.c - prints floats as decimal numbers: the output of printf with "%.9g",
           at a fifth of its cost.
   reads   floats                           writes  text
   memory  -                                cost    a multiplication or a division of 128 bits
   after   own design: nine digits are one integer, the float times a power of ten, exact in 128
           bits */
#include "text.h"
#include <string.h>

#define DIGITS 9
#define EXPONENT_LEAST \
    64u /* biased exponent of 2^-63; below, the power of ten needs too many bits */

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static wide power_of_ten(int k)
{
    wide power = 1;
    for (; k >= 8; k -= 8) power *= 100000000u;
    for (; k > 0; k--) power *= 10u;
    return power;
}

static uint64_t rounded_to_even(wide quotient, wide rest, wide divisor)
{
    wide other = divisor - rest;
    return (uint64_t)quotient + (rest > other || (rest == other && (quotient & 1u)));
}

/* mantissa * 2^shift * 10^k, rounded; a negative k comes with numbers from 10^9 on, whose shift is
   positive. */
static uint64_t scaled(uint32_t mantissa, int shift, int k)
{
    wide power = power_of_ten(k < 0 ? -k : k), number = mantissa;
    if (k >= 0) number *= power;
    if (shift >= 0) number <<= shift;
    if (k < 0) return rounded_to_even(number / power, number % power, power);
    if (shift >= 0) return (uint64_t)number;
    wide divisor = (wide)1 << -shift;
    return rounded_to_even(number >> -shift, number & (divisor - 1), divisor);
}

/* The power of ten at or below 2^log, for -63 <= log <= 127. */
static int power_below(int log)
{
    return log >= 0 ? log * 1233 / 4096 : -((4095 - log * 1233) / 4096);
}

/* Nine digits, and the power of ten of the first one. False for 0, non-finite and very small
   values. */
static bool find_digits(uint32_t bits, uint32_t *digits, int *power)
{
    uint32_t exponent = bits >> 23 & 255u, mantissa = (bits & 0x7fffffu) | 0x800000u;
    if (exponent == 255u || exponent < EXPONENT_LEAST) return false;
    int log = (int)exponent - 127, shift = (int)exponent - 150;
    *power = power_below(log);
    uint64_t number = scaled(mantissa, shift, DIGITS - 1 - *power);
    if (number >= 1000000000u) number = scaled(mantissa, shift, DIGITS - 1 - ++*power);
    *digits = (uint32_t)number;
    return true;
}

/* Exponent notation below 10^-4 and from 10^9 on; no trailing zeros. */
static size_t put_digits(char *to, uint32_t digits, int power)
{
    char text[DIGITS], *start = to;
    int count = DIGITS, point = power < -4 || power >= DIGITS ? 1 : power + 1;
    for (int i = DIGITS; i-- > 0; digits /= 10u) text[i] = (char)('0' + digits % 10u);
    while (count > 1 && text[count - 1] == '0') count--;
    if (point <= 0) {
        memcpy(to, "0.000", 5);
        to += 2 - point;
    }
    for (int i = 0; i < count || i < point; i++) {
        if (i == point && i > 0) *to++ = '.';
        *to++ = i < count ? text[i] : '0';
    }
    if (power >= -4 && power < DIGITS) return (size_t)(to - start);
    uint32_t size = (uint32_t)(power < 0 ? -power : power);
    *to++ = 'e';
    *to++ = power < 0 ? '-' : '+';
    *to++ = (char)('0' + size / 10u);
    *to++ = (char)('0' + size % 10u);
    return (size_t)(to - start);
}
#endif

size_t text_put_f32(char *to, float value)
{
#ifdef __SIZEOF_INT128__
    uint32_t bits, digits;
    int power;
    memcpy(&bits, &value, sizeof bits);
    size_t sign = bits >> 31;
    if (find_digits(bits, &digits, &power)) {
        if (sign) *to = '-';
        return sign + put_digits(to + sign, digits, power);
    }
    if (bits << 1 == 0) {
        memcpy(to, "-0", 2);
        if (!sign) *to = '0';
        return sign + 1;
    }
#endif
    return (size_t)snprintf(to, TEXT_F32_MAX, "%.9g", (double)value);
}

void text_print_f32(FILE *stream, char before, float value)
{
    char text[1 + TEXT_F32_MAX] = {before};
    size_t start = before ? 1 : 0;
    fwrite(text, 1, start + text_put_f32(text + start, value), stream);
}
