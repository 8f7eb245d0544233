/* SPDX-License-Identifier: MIT
   host_tools/compress/lzo1x_encode.c - writes bare LZO1X streams as the variant LZO1X-1 does: one look a position.
   reads   bytes      writes  memory that the caller gives
   memory  64 KiB of the caller's      cost  O(bytes); steps grow where nothing matches
   after   the public description of the stream in the Linux kernel's documentation (staging/lzo.rst), version 0 */
#include "lzo1x.h"
#include <string.h>

#define NEAR_MAX   2048u
#define MIDDLE_MAX 16384u
#define FAR_MAX    49151u
#define MATCH_MIN  4u
#define HASH_BITS  14u /* LZO1X_DICTIONARY is 2^14 */
#define STEP_SHIFT 5u  /* each 32 bytes without a match lengthen the step by one */

typedef struct sink {
    uint8_t *out, *start, *end;
} sink;

size_t lzo1x_bound(size_t size) { return size + size / 16u + 67u; }

static inline uint32_t load_four(const uint8_t *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static inline uint32_t hash_four(uint32_t word) { return word * 2654435761u >> (32u - HASH_BITS); }

/* Bytes of a length beyond what the bits of an instruction hold. */
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

/* Literals before a copy or the end; up to 3 hide in the instruction before, two bytes back. */
static bool put_literals(sink *to, const uint8_t *from, size_t count)
{
    bool first = to->out == to->start && count <= 238, hidden = !first && count <= 3;
    size_t room = (size_t)(to->end - to->out), head = hidden ? 0 : first ? 1 : 1 + length_bytes(count, 18);
    if (count == 0) return true;
    if (head > room || count > room - head) return false;
    if (hidden)
        to->out[-2] = (uint8_t)(to->out[-2] | count);
    else
        *to->out++ = (uint8_t)(first ? 17u + count : count <= 18 ? count - 3u : 0);
    if (head > 1) to->out = put_length(to->out, count, 18);
    memcpy(to->out, from, count);
    to->out += count;
    return true;
}

static bool put_copy(sink *to, uint32_t distance, size_t length)
{
    bool near = length <= 8 && distance <= NEAR_MAX, far = distance > MIDDLE_MAX;
    uint32_t offset = far ? distance - MIDDLE_MAX : distance - 1;
    uint32_t kind = far ? 16u | (offset & 0x4000u) >> 11 : 32u, most = far ? 9u : 33u;
    size_t room = (size_t)(to->end - to->out);
    uint8_t *out = to->out;
    if (room < (near ? 2u : 3u + length_bytes(length, most))) return false;
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

/* Bytes that are equal from two places on, at least MATCH_MIN of them known to be. */
static inline size_t match_length(const uint8_t *here, const uint8_t *there, const uint8_t *end)
{
    const uint8_t *at = here + MATCH_MIN;
    there += MATCH_MIN;
    while (end - at >= 8 && memcmp(at, there, 8) == 0) {
        at += 8;
        there += 8;
    }
    while (at < end && *at == *there) {
        at++;
        there++;
    }
    return (size_t)(at - here);
}

size_t lzo1x_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t room,
                    uint32_t dictionary[LZO1X_DICTIONARY])
{
    static const uint8_t end_mark[] = {0x11, 0, 0};
    sink to = {out, out, out + room};
    size_t at = 1, written = 0; /* `written`: bytes that the stream covers so far */
    memset(dictionary, 0, LZO1X_DICTIONARY * sizeof dictionary[0]);
    while (size >= MATCH_MIN && at <= size - MATCH_MIN) {
        uint32_t word = load_four(bytes + at), hash = hash_four(word);
        /* Positions are kept modulo 2^32; one that is stale is only a place that does not match. */
        uint32_t distance = (uint32_t)at - dictionary[hash];
        dictionary[hash] = (uint32_t)at;
        if (distance == 0 || distance > FAR_MAX || distance > at ||
            load_four(bytes + at - distance) != word) {
            at += 1 + ((at - written) >> STEP_SHIFT);
            continue;
        }
        size_t length = match_length(bytes + at, bytes + at - distance, bytes + size);
        if (!put_literals(&to, bytes + written, at - written) || !put_copy(&to, distance, length)) return 0;
        at += length;
        written = at;
    }
    if (!put_literals(&to, bytes + written, size - written)) return 0;
    if ((size_t)(to.end - to.out) < sizeof end_mark) return 0;
    memcpy(to.out, end_mark, sizeof end_mark);
    return (size_t)(to.out - out) + sizeof end_mark;
}
