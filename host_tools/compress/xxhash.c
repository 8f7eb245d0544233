/* SPDX-License-Identifier: MIT
   host_tools/compress/xxhash.c - XXH64, the checksum of Zstandard frames.
   reads   bytes      writes  nothing
   memory  none       cost    O(bytes), four multiplications per 32 bytes
   after   Y. Collet, "xxHash fast digest algorithm", 0.1.1: five primes, four lanes, an
           avalanche */
#include "zstd_private.h"

#define PRIME_1 0x9e3779b185ebca87u
#define PRIME_2 0xc2b2ae3d27d4eb4fu
#define PRIME_3 0x165667b19e3779f9u
#define PRIME_4 0x85ebca77c2b2ae63u
#define PRIME_5 0x27d4eb2f165667c5u

static uint64_t rotated(uint64_t value, uint32_t count)
{
    return value << count | value >> (64u - count);
}

static uint64_t stirred(uint64_t lane, uint64_t input)
{
    return rotated(lane + input * PRIME_2, 31) * PRIME_1;
}

static uint64_t merged(uint64_t hash, uint64_t lane)
{
    return (hash ^ stirred(0, lane)) * PRIME_1 + PRIME_4;
}

static void start_lanes(uint64_t lanes[4], uint64_t seed)
{
    lanes[0] = seed + PRIME_1 + PRIME_2;
    lanes[1] = seed + PRIME_2;
    lanes[2] = seed;
    lanes[3] = seed - PRIME_1;
}

/* Stirs all whole stripes of 32 bytes; returns where they end. */
static const uint8_t *add_stripes(uint64_t lanes[4], const uint8_t *at, const uint8_t *end)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    for (; end - at >= 32; at += 32) {
        a = stirred(a, zstd_load64(at));
        b = stirred(b, zstd_load64(at + 8));
        c = stirred(c, zstd_load64(at + 16));
        d = stirred(d, zstd_load64(at + 24));
    }
    lanes[0] = a, lanes[1] = b, lanes[2] = c, lanes[3] = d;
    return at;
}

static uint64_t of_lanes(const uint64_t lanes[4])
{
    uint64_t hash =
        rotated(lanes[0], 1) + rotated(lanes[1], 7) + rotated(lanes[2], 12) + rotated(lanes[3], 18);
    for (uint32_t k = 0; k < 4; k++) hash = merged(hash, lanes[k]);
    return hash;
}

/* The rest, below 32 bytes, and the avalanche. */
static uint64_t finish(uint64_t hash, const uint8_t *bytes, const uint8_t *end)
{
    for (; end - bytes >= 8; bytes += 8)
        hash = rotated(hash ^ stirred(0, zstd_load64(bytes)), 27) * PRIME_1 + PRIME_4;
    if (end - bytes >= 4) {
        hash = rotated(hash ^ zstd_load32(bytes) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        bytes += 4;
    }
    for (; bytes < end; bytes++) hash = rotated(hash ^ *bytes * PRIME_5, 11) * PRIME_1;
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

uint64_t zstd_checksum(const uint8_t *bytes, size_t size, uint64_t seed)
{
    const uint8_t *end = bytes + size;
    uint64_t lanes[4], hash = seed + PRIME_5;
    if (size >= 32) {
        start_lanes(lanes, seed);
        bytes = add_stripes(lanes, bytes, end);
        hash = of_lanes(lanes);
    }
    return finish(hash + size, bytes, end);
}

void zstd_sum_start(zstd_sum *sum)
{
    *sum = (zstd_sum){.size = 0};
    start_lanes(sum->lanes, 0);
}

void zstd_sum_add(zstd_sum *sum, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    size_t kept = (size_t)(sum->size % 32), lacking = 32 - kept;
    sum->size += size;
    if (kept && size >= lacking) {
        memcpy(sum->rest + kept, bytes, lacking);
        add_stripes(sum->lanes, sum->rest, sum->rest + 32);
        bytes += lacking;
        kept = 0;
    }
    if (!kept) bytes = add_stripes(sum->lanes, bytes, end);
    if (end > bytes) memcpy(sum->rest + kept, bytes, (size_t)(end - bytes));
}

uint64_t zstd_sum_end(const zstd_sum *sum)
{
    uint64_t hash = sum->size >= 32 ? of_lanes(sum->lanes) : PRIME_5;
    return finish(hash + sum->size, sum->rest, sum->rest + sum->size % 32);
}
