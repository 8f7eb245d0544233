/* SPDX-License-Identifier: MIT
   host_tools/clip/mix.c - context mixing of bits, and numbers as bits.
   reads   bits and their contexts         writes  bytes; the inverse when decoding
   memory  of the caller                   cost    see mix.h
   after   Mahoney 2005; carry-less arithmetic coder with 32-bit bounds */
#include "mix.h"
#include <string.h>

#define HALF_CELL  (1u << 31)
#define SEEN_MAX   160u
#define FIRST_RATE 5500
#define LEARN_RATE 20

/* 4096 / (1 + exp(-x)) at x = -8, -7.5 ... 8. */
static int32_t squash(int32_t stretched)
{
    static const int16_t at[34] = {1,    2,    4,    6,    10,   17,   27,   45,   74,
                                   120,  194,  311,  488,  747,  1102, 1546, 2048, 2550,
                                   2994, 3349, 3608, 3785, 3902, 3976, 4022, 4051, 4069,
                                   4079, 4086, 4090, 4092, 4094, 4095, 4095};
    if (stretched > 2047) return 4095;
    if (stretched < -2047) return 1;
    uint32_t place = (uint32_t)(stretched + 2048);
    int32_t part = (int32_t)(place & 127u);
    return (at[place >> 7] * (128 - part) + at[(place >> 7) + 1u] * part + 64) >> 7;
}

void host_mix_begin(host_mix *mix, uint8_t *bytes, size_t size, bool decodes)
{
    memset(mix, 0, sizeof *mix);
    mix->bytes = bytes, mix->size = size, mix->decodes = decodes;
    mix->high = UINT32_MAX;
    int32_t next = 0;
    for (int32_t x = -2047; x <= 2047; x++)
        for (int32_t p = squash(x); next <= p; next++) mix->stretch[next] = (int16_t)x;
    for (; next < 4096; next++) mix->stretch[next] = 2047;
    for (uint32_t k = 0; k < HOST_MIX_INPUTS; k++) {
        for (uint32_t s = 0; s < HOST_MIX_SETS; s++) mix->weights[s][k] = FIRST_RATE;
        for (uint32_t c = 0; c < HOST_MIX_CELLS; c++) mix->cells[k][c] = HALF_CELL;
    }
    for (uint32_t k = 0; decodes && k < 4u; k++)
        mix->code = mix->code << 8 | (mix->at < size ? bytes[mix->at++] : 0u);
}

/* ---- the arithmetic coder */

static void put_byte(host_mix *mix, uint32_t byte)
{
    if (mix->at < mix->size)
        mix->bytes[mix->at++] = (uint8_t)byte;
    else
        mix->is_bad = true;
}

/* Up to four bytes after the end are zeros; more are damage. */
static uint32_t next_byte(host_mix *mix)
{
    if (mix->at < mix->size) return mix->bytes[mix->at++];
    if (mix->at++ >= mix->size + 4u) mix->is_bad = true;
    return 0;
}

/* Codes a bit that is 1 with probability `share` / 4096. */
static uint32_t code_bit(host_mix *mix, uint32_t share, uint32_t bit)
{
    uint32_t middle = mix->low + ((mix->high - mix->low) >> 12) * share;
    if (mix->decodes) bit = mix->code <= middle;
    if (bit)
        mix->high = middle;
    else
        mix->low = middle + 1u;
    while (!((mix->low ^ mix->high) & 0xff000000u)) {
        if (mix->decodes)
            mix->code = mix->code << 8 | next_byte(mix);
        else
            put_byte(mix, mix->high >> 24);
        mix->low <<= 8;
        mix->high = mix->high << 8 | 255u;
    }
    return bit;
}

size_t host_mix_end(host_mix *mix)
{
    for (uint32_t k = 0; k < 4u; k++) put_byte(mix, mix->high >> (24u - 8u * k) & 255u);
    return mix->is_bad ? 0 : mix->at;
}

/* ---- a bit from its contexts */

static void adapt_cell(uint32_t *cell, uint32_t bit)
{
    uint32_t seen = *cell & 1023u, share = *cell >> 10;
    int32_t left = (int32_t)(bit << 22) - (int32_t)share;
    share = (uint32_t)((int32_t)share + left * 2 / (int32_t)(2u * seen + 3u));
    if (share > (1u << 22) - 1u) share = (1u << 22) - 1u;
    *cell = share << 10 | (seen < SEEN_MAX ? seen + 1u : seen);
}

static uint32_t mix_bit(host_mix *mix, const uint32_t *contexts, uint32_t node, uint32_t set,
                        uint32_t bit)
{
    uint32_t *cell[HOST_MIX_INPUTS];
    int32_t input[HOST_MIX_INPUTS], *weight = mix->weights[set];
    int64_t sum = 0;
    for (uint32_t k = 0; k < HOST_MIX_INPUTS; k++) {
        uint32_t hash = (contexts[k] + node * 0x9e3779b1u) * 0x85ebca6bu;
        hash = (hash ^ hash >> 15) * 0xc2b2ae35u;
        cell[k] = &mix->cells[k][hash >> (32u - HOST_MIX_BITS)];
        input[k] = mix->stretch[*cell[k] >> 20];
        sum += (int64_t)input[k] * weight[k];
    }
    int64_t dot = sum / 65536;
    int32_t share = squash(dot > 2047 ? 2047 : dot < -2047 ? -2047 : (int32_t)dot);
    bit = code_bit(mix, (uint32_t)share, bit);
    int32_t error = ((int32_t)(bit << 12) - share) * LEARN_RATE;
    for (uint32_t k = 0; k < HOST_MIX_INPUTS; k++) {
        weight[k] += (input[k] * error + 0x8000) / 65536;
        adapt_cell(cell[k], bit);
    }
    return bit;
}

/* ---- numbers: bit length in unary, sign, bits below the highest */

enum { NODE_SIGN = 33, NODE_BITS = 64 };

int32_t host_mix_number(host_mix *mix, const uint32_t *contexts, uint32_t set, int32_t value)
{
    uint32_t size = value < 0 ? 0u - (uint32_t)value : (uint32_t)value, bits = 0, length = 0;
    while (bits < 32u && size >> bits) bits++;
    while (length < 32u &&
           mix_bit(mix, contexts, length, 64u * set + length, bits > length ? 1u : 0u))
        length++;
    if (!length) return 0;
    uint32_t sign = mix_bit(mix, contexts, NODE_SIGN, 64u * set + NODE_SIGN, value < 0), read = 1;
    for (uint32_t left = length - 1u; left > 0; left--) {
        uint32_t depth = length - 1u - left;
        uint32_t node = NODE_BITS + length * 64u + (depth < 3u ? read : 32u + left);
        read = read << 1 | mix_bit(mix, contexts, node, 64u * set + 34u + (depth < 3u ? depth : 3u),
                                   size >> (left - 1u) & 1u);
    }
    return sign ? (int32_t)(0u - read) : (int32_t)read;
}
