/* SPDX-License-Identifier: MIT
   host_tools/formats/bytes.h - numbers of 1 to 8 bytes in either byte order, at any alignment.
   reads   bytes                           writes  bytes
   memory  -                               cost    O(1) per number
   after   own design: shifts, so that the byte order of the machine does not matter */
#ifndef TIDEPOOL_BYTES_H
#define TIDEPOOL_BYTES_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline uint64_t bytes_load(const uint8_t *at, uint32_t size, bool big_endian)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++) value = value << 8 | at[big_endian ? i : size - 1 - i];
    return value;
}

static inline void bytes_store(uint8_t *at, uint32_t size, bool big_endian, uint64_t value)
{
    for (uint32_t i = 0; i < size; i++)
        at[big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* In a form that compilers make one load of. */
static inline uint32_t bytes_load_u32(const uint8_t *at, bool big_endian)
{
    uint32_t a = at[0], b = at[1], c = at[2], d = at[3];
    return big_endian ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a;
}

static inline float bytes_load_f32(const uint8_t *at, bool big_endian)
{
    uint32_t word = bytes_load_u32(at, big_endian);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline double bytes_load_f64(const uint8_t *at, bool big_endian)
{
    uint64_t word = bytes_load(at, 8, big_endian);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Half precision (IEEE 754 binary16). Every value is exact in a 32-bit float. */
static inline double bytes_load_half(const uint8_t *at)
{
    uint32_t word = (uint32_t)bytes_load(at, 2, false), exponent = word >> 10 & 31u,
             part = word & 1023u;
    double value = exponent == 31 ? (part ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(1024.0 + part, (int)exponent - 25)
                                  : ldexp((double)part, -24);
    return word >> 15 ? -value : value;
}

static inline void bytes_store_f32(uint8_t *at, bool big_endian, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    bytes_store(at, 4, big_endian, word);
}

/* A stream of bytes, and how many were written. */
typedef struct bytes_out {
    FILE *stream;
    uint64_t at;
} bytes_out;

static inline void bytes_put(bytes_out *out, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, out->stream);
    out->at += size;
}

/* Writes the lowest byte first. */
static inline void bytes_put_u64(bytes_out *out, uint64_t value)
{
    uint8_t bytes[8];
    bytes_store(bytes, 8, false, value);
    bytes_put(out, bytes, sizeof bytes);
}

/* Writes `count` 32-bit words, which are in the machine's byte order in memory. Calls fwrite once
   per KiB. */
static inline void bytes_write_words(FILE *stream, bool big_endian, const void *words, size_t count)
{
    uint8_t bytes[1024];
    const uint8_t *from = words;
    while (count > 0) {
        size_t part = count < sizeof bytes / 4 ? count : sizeof bytes / 4;
        for (size_t i = 0; i < part; i++) {
            uint32_t word;
            memcpy(&word, from + i * 4, sizeof word);
            bytes_store(bytes + i * 4, 4, big_endian, word);
        }
        fwrite(bytes, 4, part, stream);
        from += part * 4;
        count -= part;
    }
}

#endif
