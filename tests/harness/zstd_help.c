/* SPDX-License-Identifier: MIT
   tests/harness/zstd_help.c - contents shared by the Zstandard tests and fixtures, equal on every
           machine.
   reads   -      writes  buffers of the caller
   memory  none   cost    O(bytes)
   after   own design */
#include "zstd_help.h"
#include <string.h>

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void fill_text(uint8_t *bytes, size_t size)
{
    static const char *const words[] = {
        "water ",  "falls ", "on ",   "the ", "stone", ", ",    "and ", "particle ", "by ",
        "slowly ", "a ",     "pool ", "of ",  "tide ", "turns", ".\n",  "under ",    "light "};
    uint32_t state = 1;
    for (size_t at = 0; at < size;) {
        uint32_t chance = next_random(&state) >> 8, pick = chance % 18u;
        if (chance >> 8 & 1u) pick = pick / 3u; /* the first words are more common */
        for (const char *letter = words[pick]; *letter && at < size; letter++)
            bytes[at++] = (uint8_t)*letter;
    }
}

static void fill_floats(uint8_t *bytes, size_t size)
{
    uint32_t state = 7;
    for (size_t at = 0, i = 0; at < size; i++) {
        size_t particle = i / 3, place = i % 3 == 0   ? particle % 10
                                         : i % 3 == 1 ? particle / 10 % 10
                                                      : particle / 100;
        float value =
            (float)place * 0.125f + (float)(next_random(&state) % 256u) * 0.0001220703125f;
        uint32_t bits;
        memcpy(&bits, &value, 4);
        for (uint32_t k = 0; k < 4 && at < size; k++) bytes[at++] = (uint8_t)(bits >> 8 * k);
    }
}

static void fill_repeats(uint8_t *bytes, size_t size)
{
    uint32_t state = 11;
    for (size_t at = 0; at < size; at++)
        bytes[at] = at < 700 ? (uint8_t)(next_random(&state) >> 9) : bytes[at - 700];
    for (size_t at = 5000; at < size; at += 3000 + at % 777) bytes[at] ^= 0x55;
}

static void fill_few(uint8_t *bytes, size_t size)
{
    static const uint8_t few[16] = "aaaaaaaabbbbccde";
    uint32_t state = 5;
    for (size_t at = 0; at < size; at++) {
        uint32_t chance = next_random(&state) >> 7;
        bytes[at] =
            chance % 997u == 0 ? (uint8_t)('x' + (chance >> 12) % 2u) : few[(chance >> 12) % 16u];
    }
}

void test_content(int kind, uint8_t *bytes, size_t size)
{
    uint32_t state = 3;
    memset(bytes, 0, size);
    for (size_t at = 0; at < size && kind == CONTENT_NOISE; at++)
        bytes[at] = (uint8_t)(next_random(&state) >> 11);
    for (size_t at = 0; at < size && kind == CONTENT_RISING; at++)
        bytes[at] = (uint8_t)(at / 4 >> at % 4 * 8);
    if (kind == CONTENT_TEXT) fill_text(bytes, size);
    if (kind == CONTENT_FLOATS) fill_floats(bytes, size);
    if (kind == CONTENT_REPEATS) fill_repeats(bytes, size);
    if (kind == CONTENT_FEW) fill_few(bytes, size);
}
