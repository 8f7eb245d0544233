/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_sequences.c - the sequences of a block: so many literals, then a match of earlier bytes.
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
        *table = (zstd_table){decoder->predefined[which], kind->predefined_log};
    } else if (mode == ZSTD_SINGLE) {
        if (*at == end || **at >= kind->code_count) return zstd_fail(decoder, *at, kind->text);
        zstd_code code = kind->codes[*(*at)++];
        decoder->cells[which][0] = (zstd_cell){.base = code.base, .extra = (uint8_t)code.extra};
        *table = (zstd_table){decoder->cells[which], 0};
    } else if (mode == ZSTD_COMPRESSED) {
        uint32_t log;
        size_t used =
            zstd_read_counts(*at, (size_t)(end - *at), kind->code_count, kind->log_max, counts, &log);
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

/* Up to 15 bytes past both ends. */
static inline void copy_wild(uint8_t *to, const uint8_t *from, size_t length)
{
    const uint8_t *end = to + length;
    copy_16(to, from);
    while (to + 16 < end) {
        to += 16;
        from += 16;
        copy_16(to, from);
    }
}

/* A match nearer than 16 bytes repeats itself: after eight single bytes the same pattern is 8 or more bytes back. */
static void copy_near(uint8_t *to, size_t offset, size_t length)
{
    static const uint8_t far[8] = {0, 8, 8, 9, 8, 10, 12, 14}; /* least multiple of the offset from 8 on */
    uint8_t *end = to + length;
    if (offset < 8) {
        for (uint32_t k = 0; k < 8; k++) to[k] = *(to + k - offset);
        to += 8;
        offset = far[offset];
    }
    for (; to < end; to += 8) copy_8(to, to - offset);
}

/* ---- sequences */

typedef struct sequence {
    size_t literals, match, offset;
} sequence;

/* An offset of 1..3 stands for one of the latest three; RFC 8878, 3.1.1.5. */
static inline size_t repeated(uint32_t repeats[3], uint32_t which)
{
    uint32_t offset = which == 3 ? repeats[0] - 1 : repeats[which];
    if (which > 1) repeats[2] = repeats[1];
    if (which > 0) repeats[1] = repeats[0];
    repeats[0] = offset;
    return offset;
}

static inline size_t offset_of(uint32_t repeats[3], uint32_t value, bool no_literals)
{
    if (value <= 3) return repeated(repeats, value - 1u + no_literals);
    repeats[2] = repeats[1];
    repeats[1] = repeats[0];
    return repeats[0] = value - 3;
}

static inline void copy_match(uint8_t *to, size_t offset, size_t length)
{
    if (offset >= 16)
        copy_wild(to, to - offset, length);
    else
        copy_near(to, offset, length);
}

/* The careful way: ends anywhere; only the last bytes go one by one. */
static bool write_exactly(zstd_decoder *decoder, sequence next, const uint8_t *literals)
{
    uint8_t *to = decoder->out;
    size_t room = (size_t)(decoder->out_end - to), done = 0;
    if (next.literals + next.match > room) return false;
    memcpy(to, literals, next.literals);
    to += next.literals;
    room -= next.literals;
    if (room > ZSTD_SLACK) {
        done = next.match < room - ZSTD_SLACK ? next.match : room - ZSTD_SLACK;
        copy_match(to, next.offset, done);
    }
    for (; done < next.match; done++) to[done] = *(to + done - next.offset);
    decoder->out = to + next.match;
    return true;
}

static inline bool write_sequence(zstd_decoder *decoder, sequence next, const uint8_t *literals)
{
    uint8_t *to = decoder->out;
    if (next.literals + next.match + ZSTD_SLACK > (size_t)(decoder->out_end - to))
        return write_exactly(decoder, next, literals);
    copy_wild(to, literals, next.literals);
    to += next.literals;
    copy_match(to, next.offset, next.match);
    decoder->out = to + next.match;
    return true;
}

typedef struct sequence_states {
    const zstd_cell *cells[ZSTD_KINDS];
    uint32_t states[ZSTD_KINDS];
} sequence_states;

static bool start_states(const zstd_decoder *decoder, zstd_bits *bits, sequence_states *states)
{
    for (uint32_t which = 0; which < ZSTD_KINDS; which++) {
        states->cells[which] = decoder->tables[which].cells;
        states->states[which] = (uint32_t)zstd_bits_take(bits, decoder->tables[which].log);
    }
    zstd_bits_refill(bits);
    return !zstd_bits_over(bits);
}

/* What stops a sequence, NULL when nothing does. */
static const char *sequence_fault(const zstd_decoder *decoder, sequence next, size_t literals_left)
{
    uint64_t reach = (uint64_t)(decoder->out - decoder->frame_start) + next.literals;
    if (next.literals > literals_left) return "a sequence wants more literals than the block has";
    if (next.offset == 0 || next.offset > reach) return "a match begins before the frame";
    if (next.offset > decoder->window) return "a match begins before the window";
    return NULL;
}

static bool run_sequences(zstd_decoder *decoder, zstd_bits stream, uint32_t count)
{
    sequence_states tables;
    const uint8_t *literals = decoder->literals, *literals_end = literals + decoder->literal_count;
    uint32_t repeats[3] = {decoder->repeats[0], decoder->repeats[1], decoder->repeats[2]};
    zstd_bits bits = stream;
    if (!start_states(decoder, &bits, &tables))
        return zstd_fail(decoder, stream.start, "the bits of the sequences end early");
    const zstd_cell *literal_cell = tables.cells[ZSTD_LITERALS] + tables.states[ZSTD_LITERALS];
    const zstd_cell *offset_cell = tables.cells[ZSTD_OFFSETS] + tables.states[ZSTD_OFFSETS];
    const zstd_cell *match_cell = tables.cells[ZSTD_MATCHES] + tables.states[ZSTD_MATCHES];
    const uint64_t window = decoder->window;
    for (;;) {
        const zstd_cell on_literals = *literal_cell, on_offset = *offset_cell, on_match = *match_cell;
        sequence next;
        uint32_t extra = (uint32_t)on_literals.extra + on_offset.extra + on_match.extra;
        uint32_t value = on_offset.base + (uint32_t)zstd_bits_take(&bits, on_offset.extra);
        next.offset = offset_of(repeats, value, on_literals.base == 0);
        if (extra > 31) zstd_bits_refill(&bits); /* 57 bits: 31 extra, and 26 for the next states */
        next.match = on_match.base + (uint32_t)zstd_bits_take(&bits, on_match.extra);
        next.literals = on_literals.base + (uint32_t)zstd_bits_take(&bits, on_literals.extra);
        if (extra > 31) zstd_bits_refill(&bits);
        const uint8_t *from = literals;
        size_t literals_left = (size_t)(literals_end - literals);
        size_t reach = (size_t)(decoder->out - decoder->frame_start) + next.literals;
        if (next.literals > literals_left || next.offset - 1 >= reach || next.offset > window ||
            zstd_bits_over(&bits)) {
            const char *text = sequence_fault(decoder, next, literals_left);
            return zstd_fail(decoder, zstd_bits_place(&bits),
                             text ? text : "the bits of the sequences end early");
        }
        literals += next.literals;
        if (!write_sequence(decoder, next, from))
            return zstd_fail(decoder, zstd_bits_place(&bits), "the block is longer than its room");
        if (--count == 0) break;
        literal_cell =
            tables.cells[ZSTD_LITERALS] + on_literals.next + zstd_bits_take(&bits, on_literals.bits);
        match_cell = tables.cells[ZSTD_MATCHES] + on_match.next + zstd_bits_take(&bits, on_match.bits);
        offset_cell = tables.cells[ZSTD_OFFSETS] + on_offset.next + zstd_bits_take(&bits, on_offset.bits);
        zstd_bits_refill(&bits);
    }
    zstd_bits_refill(&bits);
    if (!zstd_bits_done(&bits))
        return zstd_fail(decoder, zstd_bits_place(&bits), "bits are left after the sequences");
    memcpy(decoder->repeats, repeats, sizeof repeats);
    decoder->literal_count = (size_t)(literals_end - literals);
    decoder->literals = literals;
    return true;
}

/* The number of sequences: its bytes, 0 when they are missing. */
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
        if (!read_kind(decoder, which, (uint32_t)*bytes >> (6u - 2u * which) & 3u, &at, end)) return false;
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
        return zstd_fail(decoder, end, "the block is longer than its room");
    memcpy(decoder->out, decoder->literals, decoder->literal_count);
    decoder->out += decoder->literal_count;
    return true;
}
