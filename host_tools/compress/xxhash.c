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

static uint64_t of_stripes(const uint8_t **bytes, const uint8_t *end, uint64_t seed)
{
    uint64_t a = seed + PRIME_1 + PRIME_2, b = seed + PRIME_2, c = seed, d = seed - PRIME_1;
    const uint8_t *at = *bytes;
    for (; end - at >= 32; at += 32) {
        a = stirred(a, zstd_load64(at));
        b = stirred(b, zstd_load64(at + 8));
        c = stirred(c, zstd_load64(at + 16));
        d = stirred(d, zstd_load64(at + 24));
    }
    *bytes = at;
    uint64_t hash = rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
    return merged(merged(merged(merged(hash, a), b), c), d);
}

uint64_t zstd_checksum(const uint8_t *bytes, size_t size, uint64_t seed)
{
    const uint8_t *end = bytes + size;
    uint64_t hash = (size >= 32 ? of_stripes(&bytes, end, seed) : seed + PRIME_5) + size;
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
