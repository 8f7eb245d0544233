/* SPDX-License-Identifier: MIT
   ports/bare/check_wide.c - compares the 64-bit arithmetic of ports/bare with this machine's.
   reads   nothing      writes  a line; exit code 1 when any result differs
   memory  none         cost    under a second
   after   own design; linked with wide.c, whose functions a 64-bit machine does not call by
           itself */
#include "wide.h"
#include <stdio.h>

/* Random numbers of every length, many with few binary digits, or adjacent to such a number. */
static uint64_t some_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = *state ^ *state >> 29;
    uint32_t kind = (uint32_t)(*state >> 58);
    mixed >>= kind & 31u ? mixed & 63u : 0;
    return kind & 32u ? mixed : ((uint64_t)1 << (mixed & 63u)) + (mixed >> 6 & 3u) - 1u;
}

static int is_different(uint64_t a, uint64_t b)
{
    int64_t c = (int64_t)a, d = (int64_t)b;
    int different = __floatundisf(a) != (float)a || __floatdisf(c) != (float)c;
    float small = (float)(c >> 2);
    different |= __fixsfdi(small) != (int64_t)small ||
                 __fixunssfdi((float)(a >> 1)) != (uint64_t)(float)(a >> 1);
    small /= 4096.0f; /* with a fraction */
    different |= __fixsfdi(small) != (int64_t)small;
    if (b == 0) return different;
    different |= __udivdi3(a, b) != a / b || __umoddi3(a, b) != a % b;
    if (d == -1) return different;
    return different || __divdi3(c, d) != c / d || __moddi3(c, d) != c % d;
}

int main(void)
{
    uint64_t state = 1;
    uint32_t different = 0, count = 1000000;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t a = some_number(&state), b = some_number(&state);
        different += (uint32_t)is_different(a, b);
    }
    printf("wide numbers: %u compared, %u different\n", count, different);
    return different != 0;
}
