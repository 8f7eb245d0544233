/* SPDX-License-Identifier: MIT
   host_tools/formats/bytes.h - numbers in the byte order of a file.
   reads   bytes of any alignment      writes  bytes of any alignment
   memory  none                        cost    constant
   after   own design; floats are IEEE 754, as everywhere in this program */
#ifndef TIDEPOOL_BYTES_H
#define TIDEPOOL_BYTES_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bytes_load(const uint8_t *at, uint32_t count, bool big_endian)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++) value = value << 8 | at[big_endian ? i : count - 1 - i];
    return value;
}

static inline void bytes_store(uint8_t *at, uint64_t value, uint32_t count, bool big_endian)
{
    for (uint32_t i = 0; i < count; i++) at[big_endian ? count - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static inline uint16_t bytes_load_u16(const uint8_t *at, bool big_endian)
{
    return (uint16_t)bytes_load(at, 2, big_endian);
}

static inline uint32_t bytes_load_u32(const uint8_t *at, bool big_endian)
{
    if (big_endian) return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static inline float bytes_load_f32(const uint8_t *at, bool big_endian)
{
    float value;
    uint32_t word = bytes_load_u32(at, big_endian);
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline void bytes_store_u16(uint8_t *at, uint16_t value, bool big_endian)
{
    bytes_store(at, value, 2, big_endian);
}

static inline void bytes_store_u32(uint8_t *at, uint32_t value, bool big_endian)
{
    bytes_store(at, value, 4, big_endian);
}

static inline void bytes_store_f32(uint8_t *at, float value, bool big_endian)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    bytes_store_u32(at, word, big_endian);
}

#endif
