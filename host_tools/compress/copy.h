/* SPDX-License-Identifier: MIT
   host_tools/compress/copy.h - LZ77 match copy: copies earlier output; source and destination may
           overlap.
   reads   output so far      writes  output
   memory  none     cost  O(bytes)
   after   own design */
#ifndef TIDEPOOL_COMPRESS_COPY_H
#define TIDEPOOL_COMPRESS_COPY_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COPY_SHORT 32u
#define COPY_WORD  8u

/* Copies with overlap. Each round copies a whole number of periods, so the next one can copy twice
   as many bytes. */
static inline void copy_periods(uint8_t *to, size_t distance, size_t length)
{
    const uint8_t *from = to - distance;
    if (length <= COPY_SHORT) {
        for (size_t i = 0; i < length; i++) to[i] = from[i];
        return;
    }
    for (size_t done = distance; length > 0; done *= 2) {
        size_t part = done < length ? done : length;
        memcpy(to, from, part);
        to += part;
        length -= part;
    }
}

/* Copies `length` bytes from `distance` >= 1 bytes before `to`. `capacity` >= length bytes may be
   written: up to 7 bytes more than `length` are, which later output overwrites. */
static inline void copy_back(uint8_t *to, size_t distance, size_t length, size_t capacity)
{
    const uint8_t *from = to - distance, *end = to + length;
    if (distance < COPY_WORD || capacity - length < COPY_WORD) {
        copy_periods(to, distance, length);
        return;
    }
    do {
        memcpy(to, from, COPY_WORD);
        to += COPY_WORD;
        from += COPY_WORD;
    } while (to < end);
}

#endif
