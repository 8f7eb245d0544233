/* SPDX-License-Identifier: MIT
   host_tools/formats/xtc_unpack.c - unpacks the coordinates of a frame of an .xtc file.
   reads   packed bytes                    writes  floats
   memory  none                            cost    O(points): up to 9 divisions by bytes per number
   after   the format as GROMACS documents and writes it: a point in full, then up to 10 points as
           differences to the one before them, in a range that adapts by thirds of a bit */
#include "xtc.h"
#include <string.h>

/* Ranges of differences: 2^(step / 3), from step 9 on, as the format has them rounded. */
static const uint32_t ranges[] = {
    0,        0,        0,       0,       0,       0,       0,       0,       0,       8,
    10,       12,       16,      20,      25,      32,      40,      50,      64,      80,
    101,      128,      161,     203,     256,     322,     406,     512,     645,     812,
    1024,     1290,     1625,    2048,    2580,    3250,    4096,    5060,    6501,    8192,
    10321,    13003,    16384,   20642,   26007,   32768,   41285,   52015,   65536,   82570,
    104031,   131072,   165140,  208063,  262144,  330280,  416127,  524287,  660561,  832255,
    1048576,  1321122,  1664510, 2097152, 2642245, 3329021, 4194304, 5284491, 6658042, 8388607,
    10568983, 13316085, 16777216};
enum {
    STEP_FIRST = 9, /* of the smallest range */
    STEPS = sizeof ranges / sizeof ranges[0],
    WHOLE_MAX = 0xffffff, /* larger ranges are not packed together */
    PACKED_BYTES = 12     /* of three numbers at most */
};

typedef struct bit_reader {
    const uint8_t *bytes;
    size_t size, at;
    uint32_t held, held_bits;
    bool is_good;
} bit_reader;

/* The next bits, the most significant first; at most 32. */
static uint32_t next_bits(bit_reader *reader, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t left = count; left > 0;) {
        if (!reader->held_bits) {
            if (reader->at == reader->size) {
                reader->is_good = false;
                return 0;
            }
            reader->held = reader->bytes[reader->at++];
            reader->held_bits = 8;
        }
        uint32_t part = left < reader->held_bits ? left : reader->held_bits;
        reader->held_bits -= part;
        value = value << part | (reader->held >> reader->held_bits & ((1u << part) - 1u));
        left -= part;
    }
    return (uint32_t)value;
}

/* Bits of a number below `range`, which is at least 1. */
static uint32_t bits_of(uint32_t range)
{
    uint32_t bits = 0;
    while (bits < 32u && range >> bits) bits++;
    return bits;
}

/* Bits of three numbers in a mixed radix: those of the product of their ranges, at most 72. */
static uint32_t bits_of_three(const uint32_t range[3])
{
    uint8_t product[PACKED_BYTES] = {1};
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t carry = 0;
        for (uint32_t b = 0; b < PACKED_BYTES; b++) {
            carry += (uint64_t)product[b] * range[k];
            product[b] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    for (uint32_t b = 0; b < PACKED_BYTES; b++)
        if (product[b]) bits = 8 * b + bits_of(product[b]);
    return bits;
}

/* Three numbers in a mixed radix: one of `bits` bits, its bytes from the least significant on. */
static void next_three(bit_reader *reader, uint32_t bits, const uint32_t range[3],
                       uint32_t number[3])
{
    uint8_t whole[PACKED_BYTES] = {0};
    uint32_t bytes = 0;
    for (; bits > 8; bits -= 8) whole[bytes++] = (uint8_t)next_bits(reader, 8);
    whole[bytes++] = (uint8_t)next_bits(reader, bits);
    for (uint32_t k = 2; k > 0; k--) {
        uint64_t rest = 0;
        for (uint32_t b = bytes; b-- > 0;) {
            rest = rest << 8 | whole[b];
            whole[b] = (uint8_t)(rest / range[k]);
            rest %= range[k];
        }
        number[k] = (uint32_t)rest;
    }
    number[0] = (uint32_t)(whole[0] | whole[1] << 8 | whole[2] << 16) | (uint32_t)whole[3] << 24;
    if (number[0] >= range[0]) reader->is_good = false;
}

/* What a point is packed with. */
typedef struct xtc_state {
    const xtc_packing *packing;
    bit_reader reader;
    uint32_t range[3], bits[3], together; /* bits of all three; 0: each has bits of its own */
    uint32_t step, run;                   /* range of differences; points that follow a full one */
    int64_t last[3];
    float *to;
    uint32_t left; /* points */
} xtc_state;

static void put_point(xtc_state *state, const int64_t point[3])
{
    const float unit = (float)(1.0 / (double)state->packing->precision);
    for (uint32_t k = 0; k < 3; k++) *state->to++ = (float)point[k] * unit;
    state->left--;
}

static void next_full(xtc_state *state, int64_t point[3])
{
    uint32_t number[3] = {0};
    if (state->together)
        next_three(&state->reader, state->together, state->range, number);
    else
        for (uint32_t k = 0; k < 3; k++) {
            number[k] = next_bits(&state->reader, state->bits[k]);
            if (number[k] >= state->range[k]) state->reader.is_good = false;
        }
    for (uint32_t k = 0; k < 3; k++) point[k] = (int64_t)number[k] + state->packing->least[k];
}

static void next_near(xtc_state *state, int64_t point[3])
{
    const uint32_t range[3] = {ranges[state->step], ranges[state->step], ranges[state->step]};
    uint32_t number[3] = {0};
    next_three(&state->reader, state->step, range, number);
    for (uint32_t k = 0; k < 3; k++)
        point[k] = state->last[k] + number[k] - ranges[state->step] / 2;
}

/* A full point, and those that follow it. The first of these was swapped with the full one. */
static bool unpack_run(xtc_state *state)
{
    int64_t full[3];
    int32_t change = 0;
    next_full(state, full);
    if (next_bits(&state->reader, 1)) {
        uint32_t code = next_bits(&state->reader, 5);
        change = (int32_t)(code % 3u) - 1;
        state->run = code / 3u;
    }
    if (!state->reader.is_good || state->run >= state->left) return false;
    memcpy(state->last, full, sizeof full);
    for (uint32_t n = 0; n < state->run; n++) {
        int64_t near[3];
        next_near(state, near);
        put_point(state, near);
        if (n == 0) put_point(state, full);
        memcpy(state->last, near, sizeof near);
    }
    if (!state->run) put_point(state, full);
    state->step = (uint32_t)((int32_t)state->step + change);
    return state->reader.is_good && state->step >= STEP_FIRST && state->step < STEPS;
}

bool xtc_unpack(const xtc_packing *packing, const uint8_t *bytes, size_t size, uint32_t count,
                float *location)
{
    xtc_state state = {.packing = packing,
                       .reader = {.bytes = bytes, .size = size, .is_good = true},
                       .step = packing->small,
                       .to = location,
                       .left = count};
    bool fits = packing->small >= STEP_FIRST && packing->small < STEPS;
    uint32_t large = 0;
    for (uint32_t k = 0; k < 3 && fits; k++) {
        int64_t range = (int64_t)packing->most[k] - packing->least[k] + 1;
        fits = range > 0 && range <= UINT32_MAX;
        state.range[k] = (uint32_t)range;
        state.bits[k] = bits_of(state.range[k]);
        large |= (uint32_t)(range > WHOLE_MAX);
    }
    if (!fits) return false;
    state.together = large ? 0 : bits_of_three(state.range);
    while (state.left && fits) fits = unpack_run(&state);
    return fits;
}
