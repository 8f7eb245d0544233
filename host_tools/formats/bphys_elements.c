/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_elements.c - stream elements between a file's byte order and the
           machine's.
   reads   bytes                           writes  bytes
   memory  none                            cost    O(bytes); a copy when both orders are the same
   after   own design */
#include "bphys_private.h"
#include <string.h>

uint32_t bphys_load_u32(const uint8_t *at, bool big_endian)
{
    if (big_endian)
        return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

uint16_t bphys_load_u16(const uint8_t *at, bool big_endian)
{
    return (uint16_t)(big_endian ? at[0] << 8 | at[1] : at[1] << 8 | at[0]);
}

void bphys_store_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

void bphys_store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

bool bphys_is_native(bool big_endian)
{
    static const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return (first == 0) == big_endian;
}

uint32_t bphys_record_bytes(uint32_t streams)
{
    uint32_t sum = 0;
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (streams & POINT_BIT(s)) sum += point_streams[s].bytes;
    return sum;
}

/* Offset of the pair of 16-bit numbers in an element of the stream; all other words have 32
   bits. */
static size_t halves_at(uint32_t stream)
{
    if (stream == POINT_BOIDS) return 16;
    if (stream == POINT_WET) return 20;
    return stream == POINT_WAVE ? 12 : SIZE_MAX;
}

static void load_element(uint8_t *to, const uint8_t *from, uint32_t stream, bool big_endian)
{
    for (size_t at = 0; at < point_streams[stream].bytes; at += 4) {
        uint32_t word = bphys_load_u32(from + at, big_endian);
        if (at == halves_at(stream)) {
            uint16_t halves[2] = {bphys_load_u16(from + at, big_endian),
                                  bphys_load_u16(from + at + 2, big_endian)};
            memcpy(&word, halves, sizeof word);
        }
        memcpy(to + at, &word, sizeof word);
    }
}

static void store_element(uint8_t *to, const uint8_t *from, uint32_t stream)
{
    for (size_t at = 0; at < point_streams[stream].bytes; at += 4) {
        uint32_t word;
        memcpy(&word, from + at, sizeof word);
        if (at == halves_at(stream)) {
            uint16_t halves[2];
            memcpy(halves, &word, sizeof halves);
            bphys_store_u16(to + at, halves[0]);
            bphys_store_u16(to + at + 2, halves[1]);
        } else {
            bphys_store_u32(to + at, word);
        }
    }
}

/* One loop per common element size, so that the compiler turns each copy into one or two moves. */
static void copy_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                          uint32_t count, size_t bytes)
{
    if (to == from) return;
    if (to_stride == bytes && from_stride == bytes) {
        if (count) memcpy(to, from, (size_t)count * bytes);
    } else if (bytes == 4) {
        for (; count > 0; count--, to += to_stride, from += from_stride) memcpy(to, from, 4);
    } else if (bytes == 12) {
        for (; count > 0; count--, to += to_stride, from += from_stride) memcpy(to, from, 12);
    } else if (bytes == 16) {
        for (; count > 0; count--, to += to_stride, from += from_stride) memcpy(to, from, 16);
    } else {
        for (; count > 0; count--, to += to_stride, from += from_stride) memcpy(to, from, bytes);
    }
}

void bphys_load_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                         uint32_t count, uint32_t stream, bool big_endian)
{
    if (bphys_is_native(big_endian)) {
        copy_elements(to, to_stride, from, from_stride, count, point_streams[stream].bytes);
        return;
    }
    for (; count > 0; count--, to += to_stride, from += from_stride)
        load_element(to, from, stream, big_endian);
}

void bphys_store_elements(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                          uint32_t count, uint32_t stream)
{
    if (bphys_is_native(false)) {
        copy_elements(to, to_stride, from, from_stride, count, point_streams[stream].bytes);
        return;
    }
    for (; count > 0; count--, to += to_stride, from += from_stride)
        store_element(to, from, stream);
}
