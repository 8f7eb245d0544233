/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_find.c - LZ77 match finder with two hash tables ("double fast").
   reads   the frame's bytes up to the block's end      writes  sequences and literals of the block
   memory  two hash tables of positions in the encoder      cost    O(bytes); skips faster where
           nothing matches
   after   Ziv and Lempel 1977. Order of search: the latest offset, the hash of eight bytes, the
           hash of four or five */
#include "match.h"
#include "zstd_encoder.h"

/* Returns the code of an offset and updates the repeat offsets; RFC 8878, 3.1.1.5. */
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

/* The two hash tables and their parameters: a local copy, so that compilers keep it in registers.
   An empty entry is the frame's first byte, which is a valid candidate. */
typedef struct finder {
    const uint8_t *base; /* the frame */
    uint32_t *longs, *shorts;
    uint32_t long_shift, short_shift, short_cut, window;
} finder;

static finder start_finder(zstd_encoder *encoder)
{
    return (finder){.base = encoder->bytes,
                    .longs = encoder->longs,
                    .shorts = encoder->shorts,
                    .long_shift = 64u - encoder->long_log,
                    .short_shift = 64u - encoder->short_log,
                    .short_cut = 64u - 8u * encoder->short_bytes,
                    .window = encoder->window};
}

static inline uint32_t *long_entry(const finder *find, const uint8_t *at)
{
    return &find->longs[zstd_load64(at) * 0x9e3779b97f4a7c15u >> find->long_shift];
}

static inline uint32_t *short_entry(const finder *find, const uint8_t *at)
{
    return &find->shorts[(zstd_load64(at) << find->short_cut) * 0x9e3779b97f4a7c15u >>
                         find->short_shift];
}

static inline void remember(const finder *find, const uint8_t *at)
{
    *long_entry(find, at) = *short_entry(find, at) = (uint32_t)(at - find->base);
}

static inline bool is_in_window(const finder *find, const uint8_t *earlier, const uint8_t *at)
{
    return (size_t)(at - earlier) <= find->window;
}

/* Finds a match of eight bytes at *at, or of four bytes. Instead of the latter it prefers eight
   bytes one byte later, and then advances *at. Conditions are combined to avoid mispredicted
   branches; all candidates are readable. */
static inline const uint8_t *look_up(const finder *find, const uint8_t **at)
{
    uint32_t *at_long = long_entry(find, *at), *at_short = short_entry(find, *at);
    const uint8_t *far = find->base + *at_long, *near = find->base + *at_short;
    *at_long = *at_short = (uint32_t)(*at - find->base);
    bool is_far = zstd_load64(far) == zstd_load64(*at), far_counts = is_in_window(find, far, *at);
    bool is_near = zstd_load32(near) == zstd_load32(*at),
         near_counts = is_in_window(find, near, *at);
    if (is_far & far_counts) return far;
    if (!(is_near & near_counts)) return NULL;
    uint32_t *next_long = long_entry(find, *at + 1);
    const uint8_t *next = find->base + *next_long;
    *next_long = (uint32_t)(*at + 1 - find->base);
    if (zstd_load64(next) != zstd_load64(*at + 1) || !is_in_window(find, next, *at + 1))
        return near;
    *at += 1;
    return next;
}

/* True if there is a match of four bytes at a repeat offset. */
static inline bool repeats_at(const finder *find, const uint8_t *at, uint32_t offset)
{
    bool is_there = (size_t)(at - find->base) >= offset;
    bool is_same = zstd_load32(at) == zstd_load32(at - (is_there ? offset : 0));
    return is_there & is_same;
}

static void add_literals(zstd_encoder *encoder, const uint8_t *from, uint32_t count,
                         const uint8_t *end)
{
    uint8_t *to = encoder->literals + encoder->literal_count;
    if (count <= 16 && end - from >= 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, count);
    encoder->literal_count += count;
}

/* Adds a sequence: literals from `from` to `at`, then a match. Returns the end of the match. */
static const uint8_t *add_sequence(zstd_encoder *encoder, const uint8_t *from, const uint8_t *at,
                                   uint32_t match, uint32_t offset, const uint8_t *end)
{
    uint32_t literals = (uint32_t)(at - from);
    add_literals(encoder, from, literals, end);
    encoder->sequences[encoder->sequence_count++] = (zstd_sequence){
        literals, match, code_offset(encoder->heritage.repeats, offset, literals == 0)};
    return at + match;
}

static inline uint32_t length_from_four(const uint8_t *at, const uint8_t *earlier,
                                        const uint8_t *end)
{
    return 4 + (uint32_t)match_length(at + 4, earlier + 4, end);
}

/* Adds matches at the second repeat offset directly after a match, as long as there are any. */
static inline const uint8_t *follow_repeats(zstd_encoder *encoder, const finder *find,
                                            const uint8_t *at, const uint8_t *limit,
                                            const uint8_t *end)
{
    while (at < limit && repeats_at(find, at, encoder->heritage.repeats[1])) {
        uint32_t offset = encoder->heritage.repeats[1];
        remember(find, at);
        at = add_sequence(encoder, at, at, length_from_four(at, at - offset, end), offset, end);
    }
    return at;
}

void zstd_find(zstd_encoder *encoder, uint32_t from, uint32_t to)
{
    const finder find = start_finder(encoder);
    const uint8_t *anchor = find.base + from, *at = anchor + (from == 0 && to > 0),
                  *end = find.base + to;
    const uint8_t *limit =
        to - from >= 16 ? end - 12 : anchor; /* the search reads nine bytes from a position */
    encoder->sequence_count = encoder->literal_count = 0;
    while (at < limit) {
        uint32_t latest = encoder->heritage.repeats[0];
        const uint8_t *start = at, *earlier = NULL;
        if (repeats_at(&find, at + 1, latest)) {
            remember(&find, at);
            earlier = ++at - latest;
        } else {
            earlier = look_up(&find, &at);
        }
        if (!earlier) {
            at += ((uint32_t)(at - anchor) >> 8) + 1;
            continue;
        }
        uint32_t length = length_from_four(at, earlier, end), offset = (uint32_t)(at - earlier);
        while (at > anchor && earlier > find.base && at[-1] == earlier[-1]) {
            at--;
            earlier--;
            length++;
        }
        at = anchor = add_sequence(encoder, anchor, at, length, offset, end);
        if (at >= limit) break;
        remember(&find, start + 2);
        remember(&find, at - 2);
        at = anchor = follow_repeats(encoder, &find, at, limit, end);
    }
    uint32_t rest = (uint32_t)(end - anchor);
    memcpy(encoder->literals + encoder->literal_count, anchor, rest);
    encoder->literal_count += rest;
}
