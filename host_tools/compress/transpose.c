/* SPDX-License-Identifier: MIT
   host_tools/compress/transpose.c - filter before compression: byte transposition (shuffle) with
           delta coding.
   reads   items of some bytes      writes  the same number of bytes
   memory  2 KiB of stack      cost    O(bytes)
   after   own design: works on tiles that fit the L1 cache, in loops that compilers vectorise */
#include "transpose.h"

#define TILE_ITEMS 512u
#define SIZE_FAST  4u /* items are processed in words of 4 bytes, then the rest by bytes */

/* Splits one word of each item of a tile into four planes. */
static void split_words(const uint8_t *from, size_t count, size_t size,
                        uint8_t planes[4][TILE_ITEMS])
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < 4; b++) planes[b][i] = from[i * size + b];
}

static void join_words(uint8_t *to, size_t count, size_t size, uint8_t planes[4][TILE_ITEMS])
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < 4; b++) to[i * size + b] = planes[b][i];
}

/* to[i] = from[i] - from[i - 1], with from[-1] = before. */
static void differences(const uint8_t *from, size_t count, uint8_t before, uint8_t *to)
{
    if (count > 0) to[0] = (uint8_t)(from[0] - before);
    for (size_t i = 1; i < count; i++) to[i] = (uint8_t)(from[i] - from[i - 1]);
}

/* Adds the eight bytes of two words without carries between bytes (SIMD within a register). */
static uint64_t add_bytes(uint64_t a, uint64_t b)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    return ((a & low) + (b & low)) ^ ((a ^ b) & ~low);
}

/* Prefix sum: to[i] = from[0] + .. + from[i] + before; returns the last one. Eight bytes at a time,
   in three shift-and-add steps. */
static uint8_t sums(const uint8_t *from, size_t count, uint8_t before, uint8_t *to)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t word = 0;
        for (uint32_t k = 0; k < 8; k++) word |= (uint64_t)from[i + k] << 8 * k;
        word = add_bytes(word, word << 8);
        word = add_bytes(word, word << 16);
        word = add_bytes(word, word << 32);
        word = add_bytes(word, before * 0x0101010101010101u);
        for (uint32_t k = 0; k < 8; k++) to[i + k] = (uint8_t)(word >> 8 * k);
        before = (uint8_t)(word >> 56);
    }
    for (; i < count; i++) to[i] = before = (uint8_t)(before + from[i]);
    return before;
}

static void split_byte(const uint8_t *bytes, size_t count, size_t size, size_t b, uint8_t *out)
{
    uint8_t before = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t here = bytes[i * size + b];
        out[b * count + i] = (uint8_t)(here - before);
        before = here;
    }
}

static void join_byte(const uint8_t *bytes, size_t count, size_t size, size_t b, uint8_t *out)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < count; i++)
        out[i * size + b] = sum = (uint8_t)(sum + bytes[b * count + i]);
}

void transpose_split(const uint8_t *bytes, size_t count, size_t size, uint8_t *out)
{
    uint8_t planes[SIZE_FAST][TILE_ITEMS];
    size_t whole = size - size % SIZE_FAST;
    for (size_t word = 0; word < whole; word += SIZE_FAST) {
        uint8_t before[SIZE_FAST] = {0};
        for (size_t start = 0; start < count; start += TILE_ITEMS) {
            size_t here = count - start < TILE_ITEMS ? count - start : TILE_ITEMS;
            split_words(bytes + start * size + word, here, size, planes);
            for (size_t b = 0; b < SIZE_FAST; b++) {
                differences(planes[b], here, before[b], out + (word + b) * count + start);
                before[b] = planes[b][here - 1];
            }
        }
    }
    for (size_t b = whole; b < size; b++) split_byte(bytes, count, size, b, out);
}

void transpose_join(const uint8_t *bytes, size_t count, size_t size, uint8_t *out)
{
    uint8_t planes[SIZE_FAST][TILE_ITEMS];
    size_t whole = size - size % SIZE_FAST;
    for (size_t word = 0; word < whole; word += SIZE_FAST) {
        uint8_t before[SIZE_FAST] = {0};
        for (size_t start = 0; start < count; start += TILE_ITEMS) {
            size_t here = count - start < TILE_ITEMS ? count - start : TILE_ITEMS;
            for (size_t b = 0; b < SIZE_FAST; b++)
                before[b] = sums(bytes + (word + b) * count + start, here, before[b], planes[b]);
            join_words(out + start * size + word, here, size, planes);
        }
    }
    for (size_t b = whole; b < size; b++) join_byte(bytes, count, size, b, out);
}
