/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_find.c - matches: what stands in the bytes already.
   reads   the frame's bytes up to the block's end      writes  sequences and literals of the block
   memory  two tables of positions in the encoder      cost    O(bytes); steps grow where nothing matches
   after   two hashes, of eight bytes and of four or five, the longer first, after a look at the latest offset;
           Ziv and Lempel 1977 */
#include "match.h"
#include "zstd_encoder.h"

static uint32_t hash_long(const zstd_encoder *encoder, const uint8_t *at)
{
    return (uint32_t)(zstd_load64(at) * 0x9e3779b97f4a7c15u >> (64u - encoder->long_log));
}

static uint32_t hash_short(const zstd_encoder *encoder, const uint8_t *at)
{
    return (uint32_t)((zstd_load64(at) << (64u - 8u * encoder->short_bytes)) * 0x9e3779b97f4a7c15u >>
                      (64u - encoder->short_log));
}

/* The code of an offset, and the latest ones after it; RFC 8878, 3.1.1.5. */
static uint32_t code_offset(uint32_t repeats[3], uint32_t offset, bool no_literals)
{
    uint32_t which = 0;
    while (which < 3 && repeats[which] != offset) which++;
    if (no_literals && which != 1 && which != 2)
        which = offset == repeats[0] - 1 ? 3 : 4;
    else if (which == 3)
        which = 4;
    if (which > 1) repeats[2] = repeats[1];
    if (which > 0) repeats[1] = repeats[0];
    repeats[0] = offset;
    return which == 4 ? offset + 3 : which + 1 - no_literals;
}

typedef struct finder {
    zstd_encoder *encoder;
    const uint8_t *base, *anchor, *end; /* literals begin at anchor */
} finder;

static void add_literals(zstd_encoder *encoder, const uint8_t *from, uint32_t count, const uint8_t *end)
{
    uint8_t *to = encoder->literals + encoder->literal_count;
    if (count <= 16 && end - from >= 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, count);
    encoder->literal_count += count;
}

static void add_sequence(finder *find, const uint8_t *at, uint32_t match, uint32_t offset)
{
    zstd_encoder *encoder = find->encoder;
    uint32_t literals = (uint32_t)(at - find->anchor);
    add_literals(encoder, find->anchor, literals, find->end);
    encoder->sequences[encoder->sequence_count++] =
        (zstd_sequence){literals, match, code_offset(encoder->heritage.repeats, offset, literals == 0)};
    find->anchor = at + match;
}

static void remember(zstd_encoder *encoder, const uint8_t *at)
{
    uint32_t position = (uint32_t)(at - encoder->bytes) + 1;
    encoder->longs[hash_long(encoder, at)] = position;
    encoder->shorts[hash_short(encoder, at)] = position;
}

/* Where the position + 1 of a table leads, NULL when it is none or too far. */
static const uint8_t *candidate(const zstd_encoder *encoder, uint32_t entry, const uint8_t *at)
{
    if (entry == 0 || (uint32_t)(at - encoder->bytes) + 1 - entry > encoder->window) return NULL;
    return encoder->bytes + entry - 1;
}

/* A match of eight bytes at `at`, or of four, then preferring eight one byte later: *at moves there. */
static const uint8_t *look_up(zstd_encoder *encoder, const uint8_t **at)
{
    uint32_t *at_long = &encoder->longs[hash_long(encoder, *at)],
             *at_short = &encoder->shorts[hash_short(encoder, *at)];
    const uint8_t *far = candidate(encoder, *at_long, *at), *near = candidate(encoder, *at_short, *at);
    *at_long = *at_short = (uint32_t)(*at - encoder->bytes) + 1;
    if (far && zstd_load64(far) == zstd_load64(*at)) return far;
    if (!near || zstd_load32(near) != zstd_load32(*at)) return NULL;
    uint32_t *next_long = &encoder->longs[hash_long(encoder, *at + 1)];
    const uint8_t *next = candidate(encoder, *next_long, *at + 1);
    *next_long = (uint32_t)(*at - encoder->bytes) + 2;
    if (next && zstd_load64(next) == zstd_load64(*at + 1)) {
        *at += 1;
        return next;
    }
    return near;
}

/* True when the bytes one latest offset back are the same. */
static bool repeats_at(const finder *find, const uint8_t *at, uint32_t offset)
{
    return (size_t)(at - find->base) >= offset && zstd_load32(at) == zstd_load32(at - offset);
}

/* The second latest offset right behind a match, as long as it holds. */
static const uint8_t *follow_repeats(finder *find, const uint8_t *limit)
{
    zstd_encoder *encoder = find->encoder;
    while (find->anchor < limit && repeats_at(find, find->anchor, encoder->heritage.repeats[1])) {
        uint32_t offset = encoder->heritage.repeats[1];
        remember(encoder, find->anchor);
        add_sequence(find, find->anchor,
                     4 + (uint32_t)match_length(find->anchor + 4, find->anchor + 4 - offset, find->end),
                     offset);
    }
    return find->anchor;
}

void zstd_find(zstd_encoder *encoder, uint32_t from, uint32_t to)
{
    const uint8_t *at = encoder->bytes + from, *end = encoder->bytes + to;
    finder find = {encoder, encoder->bytes, at, end};
    const uint8_t *limit = to - from >= 16 ? end - 12 : at; /* nine bytes are looked at from here */
    encoder->sequence_count = encoder->literal_count = 0;
    while (at < limit) {
        uint32_t latest = encoder->heritage.repeats[0];
        const uint8_t *start = at, *earlier = NULL;
        if (repeats_at(&find, at + 1, latest)) {
            remember(encoder, at);
            earlier = ++at - latest;
        } else {
            earlier = look_up(encoder, &at);
        }
        if (!earlier) {
            at += ((uint32_t)(at - find.anchor) >> 8) + 1;
            continue;
        }
        uint32_t length = 4 + (uint32_t)match_length(at + 4, earlier + 4, end),
                 offset = (uint32_t)(at - earlier);
        while (at > find.anchor && earlier > encoder->bytes && at[-1] == earlier[-1]) {
            at--;
            earlier--;
            length++;
        }
        add_sequence(&find, at, length, offset);
        if (find.anchor < limit) {
            remember(encoder, start + 2);
            remember(encoder, find.anchor - 2);
        }
        at = follow_repeats(&find, limit);
    }
    uint32_t rest = (uint32_t)(end - find.anchor);
    memcpy(encoder->literals + encoder->literal_count, find.anchor, rest);
    encoder->literal_count += rest;
}
