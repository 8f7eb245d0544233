/* SPDX-License-Identifier: MIT
   host_tools/compress/lzo1x_encode.c - encodes raw LZO1X streams like LZO1X-1: greedy LZ77, hash
           table with one entry per hash.
   reads   bytes      writes  memory that the caller gives
   memory  32 KiB of the caller's      cost  O(bytes); skips faster where nothing matches
   after   the public description of the stream in the Linux kernel's documentation
           (staging/lzo.rst), version 0 */
#include "lzo1x.h"
#include "match.h"
#include <string.h>

#define NEAR_MAX        2048u
#define MIDDLE_MAX      16384u
#define FAR_MAX         49151u
#define MATCH_MIN       4u
#define HASH_BITS_LEAST 7u
#define HASH_BITS       14u /* LZO1X_DICTIONARY is 2^14 */
#define STEP_SHIFT      5u  /* each 32 bytes without a match increase the skip by one */

typedef struct sink {
    uint8_t *out, *start, *end;
} sink;

size_t lzo1x_bound(size_t size) { return size + size / 16u + 67u; }

static inline uint32_t load_four(const uint8_t *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

/* For a short input only a part of the hash table is cleared and used: its size, rounded up to a
   power of two. */
static uint32_t hash_bits_for(size_t size)
{
    uint32_t bits = HASH_BITS_LEAST;
    while (bits < HASH_BITS && (size_t)1 << bits < size) bits++;
    return bits;
}

/* Number of extra bytes of a length that exceeds the bits in its instruction. */
static size_t length_bytes(size_t length, size_t most)
{
    return length > most ? (length - most + 254u) / 255u : 0;
}

static uint8_t *put_length(uint8_t *out, size_t length, size_t most)
{
    size_t rest = length - most;
    for (; rest > 255; rest -= 255) *out++ = 0;
    *out++ = (uint8_t)rest;
    return out;
}

/* Most runs are short: copies sixteen bytes at once; later output overwrites the surplus. */
static inline void copy_literals(sink *to, const uint8_t *from, size_t count,
                                 const uint8_t *source_end)
{
    if (count <= 16 && to->end - to->out >= 16 && source_end - from >= 16)
        memcpy(to->out, from, 16);
    else
        memcpy(to->out, from, count);
}

/* Writes literals before a match or the end. A count of up to 3 is stored in the previous
   instruction, two bytes back. */
static inline bool put_literals(sink *to, const uint8_t *from, size_t count,
                                const uint8_t *source_end)
{
    bool first = to->out == to->start && count <= 238, hidden = !first && count <= 3;
    size_t capacity = (size_t)(to->end - to->out), head = hidden  ? 0
                                                          : first ? 1
                                                                  : 1 + length_bytes(count, 18);
    if (count == 0) return true;
    if (head > capacity || count > capacity - head) return false;
    if (hidden)
        to->out[-2] = (uint8_t)(to->out[-2] | count);
    else
        *to->out++ = (uint8_t)(first ? 17u + count : count <= 18 ? count - 3u : 0);
    if (head > 1) to->out = put_length(to->out, count, 18);
    copy_literals(to, from, count, source_end);
    to->out += count;
    return true;
}

static bool put_copy(sink *to, uint32_t distance, size_t length)
{
    bool near = length <= 8 && distance <= NEAR_MAX, far = distance > MIDDLE_MAX;
    uint32_t offset = far ? distance - MIDDLE_MAX : distance - 1;
    uint32_t kind = far ? 16u | (offset & 0x4000u) >> 11 : 32u, most = far ? 9u : 33u;
    size_t capacity = (size_t)(to->end - to->out);
    uint8_t *out = to->out;
    if (capacity < (near ? 2u : 3u + length_bytes(length, most))) return false;
    if (near) {
        *out++ = (uint8_t)((length - 1) << 5 | (offset & 7u) << 2);
        *out++ = (uint8_t)(offset >> 3);
    } else {
        *out++ = (uint8_t)(length <= most ? kind | (length - 2) : kind);
        if (length > most) out = put_length(out, length, most);
        *out++ = (uint8_t)(offset << 2);
        *out++ = (uint8_t)(offset >> 6);
    }
    to->out = out;
    return true;
}

size_t lzo1x_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                    uint16_t dictionary[LZO1X_DICTIONARY])
{
    static const uint8_t end_mark[] = {0x11, 0, 0};
    sink to = {out, out, out + capacity};
    size_t at = 1, written = 0; /* `written`: bytes encoded so far */
    uint32_t hash_bits = hash_bits_for(size);
    memset(dictionary, 0, sizeof dictionary[0] << hash_bits);
    while (size >= MATCH_MIN && at <= size - MATCH_MIN) {
        uint32_t word = load_four(bytes + at), hash = word * 2654435761u >> (32u - hash_bits);
        /* Positions are stored modulo 2^16, which is more than FAR_MAX. A stale entry is harmless:
           it is just a position that rarely matches. */
        uint32_t distance = (uint16_t)(at - dictionary[hash]);
        dictionary[hash] = (uint16_t)at;
        uint32_t farthest = at < FAR_MAX ? (uint32_t)at : FAR_MAX;
        if (distance - 1u >= farthest || load_four(bytes + at - distance) != word) {
            at += 1 + ((at - written) >> STEP_SHIFT);
            continue;
        }
        const uint8_t *behind = bytes + at + MATCH_MIN;
        size_t length = MATCH_MIN + match_length(behind, behind - distance, bytes + size);
        if (!put_literals(&to, bytes + written, at - written, bytes + size) ||
            !put_copy(&to, distance, length))
            return 0;
        at += length;
        written = at;
    }
    if (!put_literals(&to, bytes + written, size - written, bytes + size)) return 0;
    if ((size_t)(to.end - to.out) < sizeof end_mark) return 0;
    memcpy(to.out, end_mark, sizeof end_mark);
    return (size_t)(to.out - out) + sizeof end_mark;
}
