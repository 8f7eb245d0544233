/* SPDX-License-Identifier: MIT
   tests/harness/payload_fill.c - test data for compression, the same on every machine.
   reads   -      writes  memory of the caller
   memory  none   cost    O(bytes)
   after   own design */
#include "payload_help.h"
#include <string.h>

const char *const payload_names[PAYLOAD_KINDS] = {"zeros", "random", "text", "points", "mixed"};

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void fill_random(uint8_t *to, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) to[i] = (uint8_t)(next_random(&seed) >> 11);
}

static void fill_text(uint8_t *to, size_t size)
{
    static const char *const words[] = {
        "the ", "water ", "falls ",  "over ",  "a ",    "stone, ", "and ",    "particle ",
        "of ",  "it ",    "rises. ", "under ", "slow ", "wave ",   "again, ", "light "};
    uint32_t seed = 7;
    for (size_t at = 0; at < size;) {
        const char *word = words[next_random(&seed) >> 9 & 15u];
        for (; *word && at < size; word++) to[at++] = (uint8_t)*word;
    }
}

static void fill_points(uint8_t *to, size_t size)
{
    uint32_t seed = 99;
    for (size_t at = 0; at < size; at += 4) {
        float value = (float)(at / 12u % 31u) * 0.25f +
                      (float)(next_random(&seed) >> 20) * (at % 12u ? 1e-4f : 0.0f);
        memcpy(to + at, &value, size - at < 4 ? size - at : 4);
    }
}

static void fill_mixed(uint8_t *to, size_t size)
{
    uint32_t seed = 5;
    for (size_t at = 0; at < size;) {
        size_t length =
            1 + (next_random(&seed) >> 8) % (1u << (next_random(&seed) >> 7 & 15u) % 12u);
        uint32_t back =
            1u + (next_random(&seed) >> 6) % (1u << (next_random(&seed) >> 7 & 31u) % 24u);
        if (length > size - at) length = size - at;
        if (back > at)
            fill_random(to + at, length, seed);
        else
            for (size_t i = 0; i < length; i++) to[at + i] = to[at + i - back];
        at += length;
    }
}

void payload_fill(payload_kind kind, uint8_t *to, size_t size)
{
    if (kind == PAYLOAD_ZEROS) memset(to, 0, size);
    if (kind == PAYLOAD_RANDOM) fill_random(to, size, 12345);
    if (kind == PAYLOAD_TEXT) fill_text(to, size);
    if (kind == PAYLOAD_POINTS) fill_points(to, size);
    if (kind == PAYLOAD_MIXED) fill_mixed(to, size);
}

void payload_repeat(uint8_t *to, size_t size, size_t period)
{
    fill_random(to, size < period ? size : period, (uint32_t)period);
    for (size_t i = period; i < size; i++) to[i] = to[i - period];
}
