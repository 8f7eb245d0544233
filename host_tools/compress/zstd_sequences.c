/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_sequences.c - decodes the sequences of a block: literals, then a match,
           LZ77 style.
   reads   the block's second section, its literals      writes  decoded bytes
   memory  none of its own      cost    O(sequences + bytes)
   after   RFC 8878, 3.1.1.3.2, 3.1.1.4 and 3.1.1.5 */
#include "zstd_private.h"

/* ---- tables */

static bool read_kind(zstd_decoder *decoder, uint32_t which, uint32_t mode, const uint8_t **at,
                      const uint8_t *end)
{
    const zstd_kind *kind = &zstd_kinds[which];
    zstd_table *table = &decoder->tables[which];
    int16_t counts[ZSTD_MATCH_CODES];
    if (mode == ZSTD_PREDEFINED) {
        *table = (zstd_table){kind->predefined_cells, kind->predefined_log};
    } else if (mode == ZSTD_SINGLE) {
        if (*at == end || **at >= kind->code_count) return zstd_fail(decoder, *at, kind->text);
        zstd_code code = kind->codes[*(*at)++];
        decoder->cells[which][0] = zstd_cell_of(code.base, code.extra, 0, 0);
        *table = (zstd_table){decoder->cells[which], 0};
    } else if (mode == ZSTD_COMPRESSED) {
        uint32_t log;
        size_t used = zstd_read_counts(*at, (size_t)(end - *at), kind->code_count, kind->log_max,
                                       counts, &log);
        if (used == 0) return zstd_fail(decoder, *at, kind->text);
        *at += used;
        zstd_make_cells(decoder->cells[which], counts, kind->code_count, log, kind->codes);
        *table = (zstd_table){decoder->cells[which], log};
    }
    return table->cells || zstd_fail(decoder, *at, "no table of sequences to repeat");
}

/* ---- copies */

static inline void copy_8(uint8_t *to, const uint8_t *from)
{
    uint64_t eight;
    memcpy(&eight, from, 8);
    memcpy(to, &eight, 8);
}

static inline void copy_16(uint8_t *to, const uint8_t *from)
{
    uint64_t sixteen[2];
    memcpy(sixteen, from, 16);
    memcpy(to, sixteen, 16);
}

/* Over-copy: may access up to 31 bytes past both ends. Most copies end after the first sixteen
   bytes. */
static inline void copy_wild(uint8_t *to, const uint8_t *from, size_t length)
{
    const uint8_t *end = to + length;
    copy_16(to, from);
    if (length <= 16) return;
    do {
        to += 16;
        from += 16;
        copy_16(to, from);
        to += 16;
        from += 16;
        copy_16(to, from);
    } while (to + 16 < end);
}

/* A match with an offset below 16 overlaps its output. After eight single bytes the same pattern is
   available at a multiple of the offset that is at least 8. */
static void copy_near(uint8_t *to, size_t offset, size_t length)
{
    static const uint8_t far[8] = {0, 8, 8, 9,
                                   /* smallest multiple of the offset that is at least 8 */
                                   8, 10, 12, 14};
    uint8_t *end = to + length;
    if (offset < 8) {
        for (uint32_t k = 0; k < 8; k++) to[k] = *(to + k - offset);
        to += 8;
        offset = far[offset];
    }
    for (; to < end; to += 8) copy_8(to, to - offset);
}

static inline void copy_match(uint8_t *to, size_t offset, size_t length)
{
    if (offset >= 16)
        copy_wild(to, to - offset, length);
    else
        copy_near(to, offset, length);
}

/* ---- sequences */

typedef struct sequence {
    size_t literals, match, offset;
} sequence;

/* Repeat offsets; RFC 8878, 3.1.1.5. Separate members, because an array would stay in memory. */
typedef struct latest {
    uint32_t first, second, third;
} latest;

/* Repeat offset 1 or 2 (counted from 0), or first - 1; RFC 8878, 3.1.1.5. Updates the history. */
static inline uint32_t repeat_far(latest *offsets, uint32_t which)
{
    uint32_t offset = which == 1   ? offsets->second
                      : which == 2 ? offsets->third
                                   : offsets->first - 1;
    offsets->third = which > 1 ? offsets->second : offsets->third;
    offsets->second = offsets->first;
    return offsets->first = offset;
}

static inline size_t offset_of(latest *offsets, uint32_t value, bool no_literals)
{
    if (value > 3) {
        offsets->third = offsets->second;
        offsets->second = offsets->first;
        return offsets->first = value - 3;
    }
    if (value > 1) return repeat_far(offsets, value - 1 + no_literals);
    /* Value 1 is by far the most common: the first offset, or without literals the second, which
       are exchanged. Branchless. */
    uint32_t first = no_literals ? offsets->second : offsets->first;
    offsets->second = no_literals ? offsets->first : offsets->second;
    return offsets->first = first;
}

/* Slow path near the end of the output: does not over-copy beyond `end`. NULL if the sequence does
   not fit. */
static uint8_t *write_exactly(uint8_t *to, const uint8_t *end, sequence next,
                              const uint8_t *literals)
{
    size_t capacity = (size_t)(end - to), done = 0;
    if (next.literals + next.match > capacity) return NULL;
    memcpy(to, literals, next.literals);
    to += next.literals;
    capacity -= next.literals;
    if (capacity > ZSTD_SLACK) {
        done = next.match < capacity - ZSTD_SLACK ? next.match : capacity - ZSTD_SLACK;
        copy_match(to, next.offset, done);
    }
    for (; done < next.match; done++) to[done] = *(to + done - next.offset);
    return to + next.match;
}

/* Writes the literals and the match of a sequence; returns its end, NULL if it does not fit. */
static inline uint8_t *write_sequence(uint8_t *to, const uint8_t *end, sequence next,
                                      const uint8_t *literals)
{
    if (next.literals + next.match + ZSTD_SLACK > (size_t)(end - to))
        return write_exactly(to, end, next, literals);
    copy_wild(to, literals, next.literals);
    to += next.literals;
    copy_match(to, next.offset, next.match);
    return to + next.match;
}

/* The reason why a sequence is invalid. */
static const char *sequence_fault(const zstd_decoder *decoder, sequence next, size_t literals_left,
                                  size_t written)
{
    if (next.literals > literals_left) return "a sequence needs more literals than the block has";
    if (next.offset == 0 || next.offset > written + next.literals)
        return "a match begins before the frame";
    if (next.offset > decoder->window) return "a match begins before the window";
    return "the bits of the sequences end early";
}

/* Decodes all sequences. The decoder's state is copied to local variables, because byte stores
   could alias its members. */
static bool run_sequences(zstd_decoder *decoder, zstd_bits bits, uint32_t count)
{
    const zstd_table *tables = decoder->tables;
    const zstd_cell *const literal_cells = tables[ZSTD_LITERALS].cells, *const offset_cells =
                                                                            tables[ZSTD_OFFSETS]
                                                                                .cells;
    const zstd_cell *const match_cells = tables[ZSTD_MATCHES].cells;
    const uint8_t *literals = decoder->literals, *const literals_end =
                                                     literals + decoder->literal_count;
    const uint8_t *const frame_start = decoder->frame_start, *const out_end = decoder->out_end;
    const uint64_t window = decoder->window;
    uint8_t *out = decoder->out;
    latest offsets = {decoder->repeats[0], decoder->repeats[1], decoder->repeats[2]};
    const zstd_cell *literal_cell =
        literal_cells + zstd_bits_take(&bits, tables[ZSTD_LITERALS].log);
    const zstd_cell *offset_cell = offset_cells + zstd_bits_take(&bits, tables[ZSTD_OFFSETS].log);
    const zstd_cell *match_cell = match_cells + zstd_bits_take(&bits, tables[ZSTD_MATCHES].log);
    zstd_bits_refill(&bits);
    for (;;) {
        const zstd_cell on_literals = *literal_cell, on_offset = *offset_cell,
                        on_match = *match_cell;
        uint32_t offset_extra = zstd_extra_of(on_offset), match_extra = zstd_extra_of(on_match);
        uint32_t literal_extra = zstd_extra_of(on_literals),
                 extra = offset_extra + match_extra + literal_extra;
        uint32_t value = zstd_base_of(on_offset) + (uint32_t)zstd_bits_take(&bits, offset_extra);
        sequence next;
        /* 57 bits: 31 extra bits and 26 for the next states */
        if (extra > 31) zstd_bits_refill(&bits);
        next.match = zstd_base_of(on_match) + (size_t)zstd_bits_take(&bits, match_extra);
        next.literals = zstd_base_of(on_literals) + (size_t)zstd_bits_take(&bits, literal_extra);
        if (extra > 31) zstd_bits_refill(&bits);
        next.offset = offset_of(&offsets, value, next.literals == 0);
        size_t literals_left = (size_t)(literals_end - literals),
               written = (size_t)(out - frame_start);
        if (next.literals > literals_left || next.offset - 1 >= written + next.literals ||
            next.offset > window || zstd_bits_over(&bits))
            return zstd_fail(decoder, zstd_bits_byte(&bits),
                             sequence_fault(decoder, next, literals_left, written));
        out = write_sequence(out, out_end, next, literals);
        if (!out)
            return zstd_fail(decoder, zstd_bits_byte(&bits),
                             "the block decodes to more bytes than expected");
        literals += next.literals;
        if (--count == 0) break;
        uint32_t literal_bits = zstd_bits_of(on_literals), match_bits = zstd_bits_of(on_match);
        literal_cell = literal_cells + zstd_next_of(on_literals) +
                       zstd_bits_at(&bits, bits.used, literal_bits);
        match_cell = match_cells + zstd_next_of(on_match) +
                     zstd_bits_at(&bits, bits.used + literal_bits, match_bits);
        offset_cell =
            offset_cells + zstd_next_of(on_offset) +
            zstd_bits_at(&bits, bits.used + literal_bits + match_bits, zstd_bits_of(on_offset));
        bits.used += literal_bits + match_bits + zstd_bits_of(on_offset);
        zstd_bits_refill(&bits);
    }
    zstd_bits_refill(&bits);
    if (!zstd_bits_done(&bits))
        return zstd_fail(decoder, zstd_bits_byte(&bits), "bits are left after the sequences");
    decoder->repeats[0] = offsets.first;
    decoder->repeats[1] = offsets.second;
    decoder->repeats[2] = offsets.third;
    decoder->out = out;
    decoder->literal_count = (size_t)(literals_end - literals);
    decoder->literals = literals;
    return true;
}

/* Reads the number of sequences; returns its size in bytes, 0 if it is truncated. */
static size_t read_sequence_count(const uint8_t *bytes, size_t size, uint32_t *count)
{
    if (size == 0) return 0;
    size_t used = bytes[0] < 128 ? 1 : bytes[0] < 255 ? 2 : 3;
    if (used > size) return 0;
    *count = bytes[0];
    if (used == 2) *count = ((uint32_t)bytes[0] - 128u) << 8 | bytes[1];
    if (used == 3) *count = ((uint32_t)bytes[1] | (uint32_t)bytes[2] << 8) + 0x7f00u;
    return used;
}

static bool read_coded_sequences(zstd_decoder *decoder, const uint8_t *bytes, const uint8_t *end,
                                 uint32_t count)
{
    const uint8_t *at = bytes + 1;
    zstd_bits bits;
    if (bytes == end || (*bytes & 3u) != 0)
        return zstd_fail(decoder, bytes, "the modes of the sequences are wrong");
    for (uint32_t which = 0; which < ZSTD_KINDS; which++)
        if (!read_kind(decoder, which, (uint32_t)*bytes >> (6u - 2u * which) & 3u, &at, end))
            return false;
    if (!zstd_bits_open(&bits, at, (size_t)(end - at)))
        return zstd_fail(decoder, at, "the bits of the sequences are missing");
    return run_sequences(decoder, bits, count);
}

bool zstd_read_sequences(zstd_decoder *decoder, const uint8_t *bytes, size_t size)
{
    const uint8_t *end = bytes + size;
    uint32_t count = 0;
    size_t used = read_sequence_count(bytes, size, &count);
    if (used == 0) return zstd_fail(decoder, bytes, "the number of sequences is missing");
    if (count == 0 && used != size)
        return zstd_fail(decoder, bytes + used, "bytes are left after the literals");
    if (count > 0 && !read_coded_sequences(decoder, bytes + used, end, count)) return false;
    if (decoder->literal_count > (size_t)(decoder->out_end - decoder->out))
        return zstd_fail(decoder, end, "the block decodes to more bytes than expected");
    memcpy(decoder->out, decoder->literals, decoder->literal_count);
    decoder->out += decoder->literal_count;
    return true;
}
