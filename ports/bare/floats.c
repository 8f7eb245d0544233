/* SPDX-License-Identifier: MIT
   ports/bare/floats.c - float arithmetic for ARMv6-M (Cortex-M0), in place of the compiler's
           library, whose routines take two to three times as many instructions.
   reads   its arguments, the bits of floats      writes  the bits of its result
   memory  none      cost  multiply and add about 45 instructions, divide 150, compare 12
   after   IEEE 754: rounded to nearest, ties to even, with subnormals. Ordinary numbers take a
           short path; every result that is not ordinary comes from a general one */
#include "floats.h"

#define SIGN            0x80000000u
#define INFINITE        0x7f800000u
#define QUIET           0x400000u
#define NO_VALUE        (INFINITE | QUIET)
#define INLINE          static inline __attribute__((always_inline))
#define APART           static __attribute__((noinline))
#define RARE(condition) __builtin_expect(!!(condition), 0)

INLINE uint32_t float_exponent(bits a) { return a << 1 >> 24; }
INLINE int float_is_nan(bits a) { return a << 1 > INFINITE << 1; }

/* ---- the general path ---- */

/* value = digits * 2^(exponent - 158); the highest digit is 1. */
typedef struct parts {
    uint32_t digits;
    int32_t exponent;
} parts;

/* Of a finite number that is not 0. */
static parts float_parts(bits a)
{
    parts p = {a << 8 | SIGN, (int32_t)float_exponent(a)};
    if (p.exponent == 0) {
        p.exponent = 1;
        for (p.digits = a << 8; !(p.digits & SIGN); p.digits <<= 1) p.exponent--;
    }
    return p;
}

/* Rounds; digits below those of `p` are not all 0 if `rest`. */
INLINE bits float_round(bits sign, parts p, uint32_t rest)
{
    if (p.exponent >= 255) return sign | INFINITE;
    if (p.exponent <= 0) {
        uint32_t shift = (uint32_t)(1 - p.exponent);
        if (shift > 31) return sign; /* less than half of the smallest number */
        rest |= p.digits << (32 - shift);
        p.digits >>= shift;
        p.exponent = 1;
    }
    bits result = (uint32_t)(p.exponent - 1) * 0x800000u + (p.digits >> 8);
    uint32_t below = (p.digits & 255u) << 1 | (rest ? 1u : 0u);
    if (below > 256u || (below == 256u && result & 1u)) result++; /* perhaps to infinity */
    return sign | result;
}

/* The upper 32 digits of a product, of two numbers of 24 digits in the upper ones of a word. */
INLINE uint32_t float_product(uint32_t a, uint32_t b, uint32_t *rest)
{
    uint32_t a_high = a >> 16, a_low = a << 16 >> 24, b_high = b >> 16, b_low = b << 16 >> 24;
    uint32_t low = a_low * b_low, middle = a_high * b_low + a_low * b_high + (low >> 8);
    *rest = (middle | low) << 24;
    return a_high * b_high + (middle >> 8);
}

APART bits float_multiply(bits a, bits b)
{
    bits sign = (a ^ b) & SIGN;
    if (float_is_nan(a)) return a | QUIET;
    if (float_is_nan(b)) return b | QUIET;
    a &= ~SIGN, b &= ~SIGN;
    if (a == INFINITE || b == INFINITE) return a && b ? sign | INFINITE : NO_VALUE;
    if (!a || !b) return sign;
    parts p = float_parts(a), q = float_parts(b);
    uint32_t rest;
    p.digits = float_product(p.digits, q.digits, &rest);
    p.exponent += q.exponent - 126;
    for (; !(p.digits & SIGN); rest <<= 1, p.exponent--) p.digits = p.digits << 1 | rest >> 31;
    return float_round(sign, p, rest);
}

/* The sum, |a| >= |b|. */
APART bits float_sum(bits a, bits b)
{
    bits sign = a & SIGN;
    uint32_t rest = 0;
    if (float_is_nan(a)) return a | QUIET;
    if (a << 1 == INFINITE << 1) return b << 1 == INFINITE << 1 && a != b ? NO_VALUE : a;
    if (b << 1 == 0) return a << 1 ? a : a & b;
    parts p = float_parts(a), q = float_parts(b);
    uint32_t shift = (uint32_t)(p.exponent - q.exponent);
    p.digits >>= 1, q.digits >>= 1; /* the last seven are 0 */
    p.exponent++;
    if (shift > 31)
        rest = 1, q.digits = 0;
    else if (shift)
        rest = q.digits << (32 - shift), q.digits >>= shift;
    if ((a ^ b) & SIGN)
        p.digits -= q.digits + (rest ? 1u : 0u);
    else
        p.digits += q.digits;
    if (p.digits == 0) return 0;
    for (; !(p.digits & SIGN); p.exponent--) p.digits <<= 1;
    return float_round(sign, p, rest);
}

APART bits float_quotient(bits a, bits b)
{
    bits sign = (a ^ b) & SIGN;
    if (float_is_nan(a)) return a | QUIET;
    if (float_is_nan(b)) return b | QUIET;
    a &= ~SIGN, b &= ~SIGN;
    if (a == INFINITE) return b == INFINITE ? NO_VALUE : sign | INFINITE;
    if (b == INFINITE) return sign;
    if (!b) return a ? sign | INFINITE : NO_VALUE;
    if (!a) return sign;
    parts p = float_parts(a), q = float_parts(b);
    uint32_t left = p.digits >> 1, by = q.digits >> 1;
    p.exponent -= q.exponent - 127;
    if (left < by) left <<= 1, p.exponent--;
    for (uint32_t digit = SIGN, k = p.digits = 0; k < 32; k++, digit >>= 1, left <<= 1)
        if (left >= by) left -= by, p.digits |= digit;
    return float_round(sign, p, left);
}

/* ---- the short path ---- */

/* Rounds 32 digits, the highest of which is 1, to 24, and adds the exponent less 1; a carry goes
   into the exponent. `is_exact`, asked in few cases: no digit of 1 was lost below. */
#define FLOAT_ROUND(sign, exponent, digits, is_exact)                                  \
    if (RARE((digits) << 25 == 0) && (is_exact)) digits &= ~(~((digits) >> 1) & 128u); \
    return (((exponent) << 23) + ((digits) >> 8) + ((digits) >> 7 & 1u)) | ((sign)&SIGN)

bits __aeabi_fmul(bits a, bits b)
{
    uint32_t a_high = (a << 8 | SIGN) >> 16, b_high = (b << 8 | SIGN) >> 16;
    uint32_t a_low = a & 255u, b_low = b & 255u;
    uint32_t exponents = float_exponent(a), other = float_exponent(b);
    if (RARE(exponents - 1u >= 254u || other - 1u >= 254u)) return float_multiply(a, b);
    exponents += other;
    uint32_t digits =
        a_high * b_high + ((a_high * b_low + a_low * b_high + (a_low * b_low >> 8)) >> 8);
    if (!(digits & SIGN)) digits <<= 1, exponents--;
    exponents -= 127u;
    if (RARE(exponents >= 253u)) return float_multiply(a, b);
    /* the lower 16 digits of the product */
    FLOAT_ROUND(a ^ b, exponents, digits, a * b << 16 == 0);
}

INLINE bits float_add(bits a, bits b)
{
    if (a << 1 < b << 1) {
        bits kept = a;
        a = b;
        b = kept;
    }
    uint32_t exponent = float_exponent(a), other = float_exponent(b), shift = exponent - other;
    if (RARE(exponent == 255u || other == 0)) return float_sum(a, b);
    if (RARE(shift > 25u)) return a;
    uint32_t digits = (a << 8 | SIGN) >> 1, added = (b << 8 | SIGN) >> 1;
    if (shift > 7u) added |= added << (32u - shift) ? 1u << shift : 0; /* digits are lost */
    added >>= shift;
    if ((int32_t)(a ^ b) >= 0) {
        digits += added;
        exponent++;
        if (!(digits & SIGN)) digits <<= 1, exponent--;
    } else {
        digits = (digits - added) << 1;
        if (digits == 0) return 0;
        while (!(digits >> 24)) digits <<= 8, exponent -= 8;
        if (!(digits >> 28)) digits <<= 4, exponent -= 4;
        while (!(digits & SIGN)) digits <<= 1, exponent--;
    }
    exponent--;
    if (RARE(exponent >= 253u)) return float_sum(a, b);
    FLOAT_ROUND(a, exponent, digits, 1); /* the last digit tells if others were lost */
}

bits __aeabi_fadd(bits a, bits b) { return float_add(a, b); }
bits __aeabi_fsub(bits a, bits b) { return float_add(a, b ^ SIGN); }
bits __aeabi_frsub(bits a, bits b) { return __aeabi_fadd(b, a ^ SIGN); }

bits __aeabi_fdiv(bits a, bits b)
{
    uint32_t exponent = float_exponent(a), other = float_exponent(b);
    if (RARE(exponent - 1u >= 254u || other - 1u >= 254u)) return float_quotient(a, b);
    uint32_t left = (a << 8 | SIGN) >> 8, by = (b << 8 | SIGN) >> 8, digits = 0;
    exponent += 126u - other;
    if (left < by) left <<= 1, exponent--;
    if (RARE(exponent - 1u >= 253u)) return float_quotient(a, b);
#pragma GCC unroll 25
    for (uint32_t k = 0; k < 25; k++) {
        digits <<= 1;
        if (left >= by) left -= by, digits |= 1u;
        left <<= 1;
    }
    /* 25 digits: the last one rounds; a quotient of two numbers of 24 digits is never a tie */
    return ((exponent << 23) + ((digits + 1u) >> 1)) | ((a ^ b) & SIGN);
}

/* ---- comparisons ---- */

/* A number that orders as floats do; both zeros are 0. */
INLINE int32_t float_order(bits a) { return a >> 31 ? -(int32_t)(a & ~SIGN) : (int32_t)a; }
INLINE int float_compares(bits a, bits b) { return !float_is_nan(a) && !float_is_nan(b); }

int __aeabi_fcmplt(bits a, bits b)
{
    return float_compares(a, b) && float_order(a) < float_order(b);
}
int __aeabi_fcmple(bits a, bits b)
{
    return float_compares(a, b) && float_order(a) <= float_order(b);
}
int __aeabi_fcmpgt(bits a, bits b)
{
    return float_compares(a, b) && float_order(a) > float_order(b);
}
int __aeabi_fcmpge(bits a, bits b)
{
    return float_compares(a, b) && float_order(a) >= float_order(b);
}
int __aeabi_fcmpeq(bits a, bits b)
{
    return float_compares(a, b) && float_order(a) == float_order(b);
}
int __aeabi_fcmpun(bits a, bits b) { return !float_compares(a, b); }

/* ---- conversions; numbers out of range give the nearest one that fits ---- */

int32_t __aeabi_f2iz(bits a)
{
    uint32_t exponent = float_exponent(a), digits = a << 8 | SIGN;
    if (exponent < 127u) return 0;
    if (exponent >= 158u) {
        if (float_is_nan(a)) return 0;
        return a >> 31 ? INT32_MIN : INT32_MAX;
    }
    digits >>= 158u - exponent;
    return a >> 31 ? -(int32_t)digits : (int32_t)digits;
}

uint32_t __aeabi_f2uiz(bits a)
{
    uint32_t exponent = float_exponent(a);
    if (a >> 31 || exponent < 127u || float_is_nan(a)) return 0;
    return exponent >= 159u ? UINT32_MAX : (a << 8 | SIGN) >> (158u - exponent);
}

bits __aeabi_ui2f(uint32_t number)
{
    parts p = {number, 158};
    if (number == 0) return 0;
    while (!(p.digits >> 24)) p.digits <<= 8, p.exponent -= 8;
    while (!(p.digits & SIGN)) p.digits <<= 1, p.exponent--;
    return float_round(0, p, 0);
}

bits __aeabi_i2f(int32_t number)
{
    return number < 0 ? __aeabi_ui2f(0u - (uint32_t)number) | SIGN : __aeabi_ui2f((uint32_t)number);
}
