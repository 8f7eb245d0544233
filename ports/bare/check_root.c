/* SPDX-License-Identifier: MIT
   ports/bare/check_root.c - compares the square root of ports/bare with this machine's.
   reads   nothing      writes  a line; exit code 1 when any result differs
   memory  none         cost    about a second
   after   own design; compiled with root.c, whose sqrtf is renamed */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

float bare_sqrtf(float value);

static uint32_t different_bits(uint32_t bits)
{
    float value, here, there;
    memcpy(&value, &bits, sizeof value);
    here = sqrtf(value);
    there = bare_sqrtf(value);
    if (here != here) return there == there;
    return memcmp(&here, &there, sizeof here) != 0;
}

int main(void)
{
    uint32_t different = 0, count = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 211, count++)
        different += different_bits((uint32_t)bits);
    for (uint32_t exponent = 0; exponent < 512;
         exponent++) /* near powers of two, where results may round up to one */
        for (uint32_t near = 0; near < 16; near++, count++)
            different += different_bits((exponent << 23) + near - 8u);
    printf("square roots: %u compared, %u different\n", count, different);
    return different != 0;
}
