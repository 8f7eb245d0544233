/* SPDX-License-Identifier: MIT
   ports/bare/check_floats.c - compares the float routines of ports/bare with this machine's
           arithmetic.
   reads   nothing      writes  a line; exit code 1 when any result differs
   memory  none         cost    about a second
   after   own design; linked with floats.c, whose functions this machine does not call by itself */
#include "floats.h"
#include <stdio.h>
#include <string.h>

static float float_of(bits a)
{
    float value;
    memcpy(&value, &a, sizeof value);
    return value;
}

static uint32_t random_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* Numbers of every kind: any bits, ordinary sizes, subnormal ones and their neighbours, one digit
   of 1 or of 0, and the ends of the range. */
static bits some_float(uint64_t *state)
{
    static const bits ends[] = {0,           0x80000000u, 1u,          0x80000001u, 0x7f800000u,
                                0xff800000u, 0x7fc00000u, 0x3f800000u, 0xbf800000u, 0x007fffffu,
                                0x00800000u, 0x7f7fffffu, 0x3f7fffffu, 0x4b000000u, 0x4b7fffffu,
                                0x33800000u, 0x33800001u, 0x34000001u};
    uint32_t word = random_word(state), exponent = random_word(state) % 255u << 23;
    switch (random_word(state) % 6u) {
    case 0: return word;
    case 1: return (word & 0x807fffffu) | (120u + (exponent >> 27)) << 23;
    case 2: return ends[word % (sizeof ends / sizeof ends[0])];
    case 3: return (word & 0x807fffffu) | (exponent >> 3 & 0x0f800000u);
    case 4: return (word & 0x80000000u) | exponent | (uint32_t)1 << word % 23u;
    default: return (word & 0x80000000u) | exponent | (0x7fffffu & ~((uint32_t)1 << word % 23u));
    }
}

/* NaN may have any bits. */
static int differs(float wanted, bits found)
{
    float there = float_of(found);
    if (wanted != wanted) return there == there;
    return memcmp(&wanted, &there, sizeof wanted) != 0;
}

static int arithmetic_differs(bits a, bits b)
{
    float x = float_of(a), y = float_of(b);
    return differs(x * y, __aeabi_fmul(a, b)) || differs(x + y, __aeabi_fadd(a, b)) ||
           differs(x - y, __aeabi_fsub(a, b)) || differs(y - x, __aeabi_frsub(a, b)) ||
           differs(x / y, __aeabi_fdiv(a, b));
}

static int comparison_differs(bits a, bits b)
{
    float x = float_of(a), y = float_of(b);
    return __aeabi_fcmplt(a, b) != (x < y) || __aeabi_fcmple(a, b) != (x <= y) ||
           __aeabi_fcmpgt(a, b) != (x > y) || __aeabi_fcmpge(a, b) != (x >= y) ||
           __aeabi_fcmpeq(a, b) != (x == y) || __aeabi_fcmpun(a, b) != (x != x || y != y);
}

static int conversion_differs(bits a)
{
    float x = float_of(a);
    if (differs((float)(int32_t)a, __aeabi_i2f((int32_t)a)) || differs((float)a, __aeabi_ui2f(a)))
        return 1;
    if (x > -2147483648.0f && x < 2147483648.0f && __aeabi_f2iz(a) != (int32_t)x) return 1;
    return x >= 0.0f && x < 4294967296.0f && __aeabi_f2uiz(a) != (uint32_t)x;
}

int main(void)
{
    uint64_t state = 1;
    uint32_t different = 0, count = 4000000;
    for (uint32_t i = 0; i < count; i++) {
        bits a = some_float(&state), b = some_float(&state);
        if (i % 8u == 0) b = a ^ (random_word(&state) & 0x80000003u);
        different += (uint32_t)(arithmetic_differs(a, b) || comparison_differs(a, b) ||
                                conversion_differs(a));
    }
    printf("floats: %u compared, %u different\n", count, different);
    return different != 0;
}
