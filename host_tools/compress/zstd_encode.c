/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_encode.c - encodes Zstandard frames and blocks, and the sequences of a
           block.
   reads   bytes      writes  one frame
   memory  the encoder      cost    O(bytes)
   after   RFC 8878, 3.1.1 */
#include "zstd_encoder.h"

/* ---- sequences */

static uint32_t literal_code_of(uint32_t length)
{
    static const uint8_t codes[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 16, 17, 17, 18, 18,
        19, 19, 20, 20, 20, 20, 21, 21, 21, 21, 22, 22, 22, 22, 22, 22, 22, 22, 23, 23, 23, 23,
        23, 23, 23, 23, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24};
    /* 64 is code 25, then one code per power of two */
    return length < 64 ? codes[length] : zstd_highest(length) + 19;
}

static uint32_t match_code_of(uint32_t length)
{
    uint32_t code = 32, over = length - 3;
    if (over < 32) return over;
    if (over >= 128) return zstd_highest(over) + 36; /* 131 is code 43 */
    while (zstd_kinds[ZSTD_MATCHES].codes[code + 1].base <= length) code++;
    return code;
}

static void find_codes(zstd_encoder *encoder, uint32_t counts[ZSTD_KINDS][ZSTD_MATCH_CODES])
{
    memset(counts, 0, ZSTD_KINDS * sizeof counts[0]);
    for (uint32_t k = 0; k < encoder->sequence_count; k++) {
        const zstd_sequence *next = &encoder->sequences[k];
        uint32_t literals = literal_code_of(next->literals), match = match_code_of(next->match);
        uint32_t offset = zstd_highest(next->offset);
        counts[ZSTD_LITERALS][literals]++;
        counts[ZSTD_OFFSETS][offset]++;
        counts[ZSTD_MATCHES][match]++;
        encoder->codes[ZSTD_LITERALS][k] = (uint8_t)literals;
        encoder->codes[ZSTD_OFFSETS][k] = (uint8_t)offset;
        encoder->codes[ZSTD_MATCHES][k] = (uint8_t)match;
    }
}

typedef struct table_choice {
    uint64_t cost; /* 1/256 bits */
    uint32_t mode, log;
    int16_t shares[ZSTD_MATCH_CODES];
    uint8_t bytes[136];
    size_t size;
} table_choice;

static void consider(table_choice *best, const table_choice *other)
{
    if (other->cost < best->cost) *best = *other;
}

/* Considers a new table, with the accuracy log of least cost. */
static void consider_new(table_choice *best, const zstd_kind *kind, const uint32_t *counts,
                         uint32_t sequence_count)
{
    uint32_t used = 0;
    for (uint32_t code = 0; code < kind->code_count; code++) used += counts[code] > 0;
    for (uint32_t log = 5; log <= kind->log_max && (log == 5 || 1u << log <= 2 * sequence_count);
         log++) {
        table_choice next = {.mode = ZSTD_COMPRESSED, .log = log};
        if (1u << log < used) continue;
        zstd_share(counts, kind->code_count, log, next.shares);
        next.size = zstd_write_counts(next.bytes, next.shares, kind->code_count, log);
        next.cost =
            zstd_cost(counts, kind->code_count, next.shares, log) + next.size * 8 * 256 + log * 256;
        consider(best, &next);
    }
}

static table_choice choose_table(const zstd_encoder *encoder, uint32_t which,
                                 const uint32_t *counts)
{
    const zstd_kind *kind = &zstd_kinds[which];
    uint32_t sequence_count = encoder->sequence_count;
    table_choice best = {.cost = UINT64_MAX},
                 next = {.mode = ZSTD_PREDEFINED, .log = kind->predefined_log};
    uint32_t first = encoder->codes[which][0];
    if (counts[first] == sequence_count) {
        best = (table_choice){
            .mode = ZSTD_SINGLE, .cost = 8 * 256, .bytes = {(uint8_t)first}, .size = 1};
        best.shares[first] = 1;
    }
    memcpy(next.shares, kind->predefined, kind->predefined_count * sizeof next.shares[0]);
    next.cost = zstd_cost(counts, kind->code_count, next.shares, next.log);
    if (next.cost != UINT64_MAX) next.cost += next.log * 256;
    consider(&best, &next);
    if (encoder->heritage.tables[which].is_known) {
        next.mode = ZSTD_REPEAT;
        next.log = encoder->heritage.tables[which].log;
        memcpy(next.shares, encoder->heritage.tables[which].counts, sizeof next.shares);
        next.cost = zstd_cost(counts, kind->code_count, next.shares, next.log);
        if (next.cost != UINT64_MAX) next.cost += next.log * 256;
        consider(&best, &next);
    }
    if (best.mode != ZSTD_SINGLE || best.cost == UINT64_MAX)
        consider_new(&best, kind, counts, sequence_count);
    return best;
}

static void put_extra(zstd_writer *writer, const zstd_encoder *encoder, uint32_t k)
{
    const zstd_sequence *next = &encoder->sequences[k];
    zstd_code literals = zstd_kinds[ZSTD_LITERALS].codes[encoder->codes[ZSTD_LITERALS][k]];
    zstd_code match = zstd_kinds[ZSTD_MATCHES].codes[encoder->codes[ZSTD_MATCHES][k]];
    uint32_t offset_bits = encoder->codes[ZSTD_OFFSETS][k];
    zstd_put(writer, next->literals - literals.base, literals.extra);
    zstd_put(writer, next->match - match.base, match.extra);
    zstd_flush(writer);
    zstd_put(writer, next->offset - (1u << offset_bits), offset_bits);
    zstd_flush(writer);
}

/* Writes the bits of the sequences, from the last to the first; NULL if they would exceed `end`. */
static uint8_t *write_bits(const zstd_encoder *encoder, const zstd_paths *paths, uint8_t *at,
                           const uint8_t *end)
{
    static const uint8_t order[ZSTD_KINDS] = {ZSTD_OFFSETS, ZSTD_MATCHES, ZSTD_LITERALS};
    static const uint8_t states_order[ZSTD_KINDS] = {ZSTD_MATCHES, ZSTD_OFFSETS, ZSTD_LITERALS};
    zstd_writer writer = {.at = at};
    uint32_t states[ZSTD_KINDS], last = encoder->sequence_count - 1;
    for (uint32_t which = 0; which < ZSTD_KINDS; which++)
        states[which] = zstd_first_state(&paths[which], encoder->codes[which][last]);
    put_extra(&writer, encoder, last);
    for (uint32_t k = last; k-- > 0;) {
        if (end - writer.at < 32) return NULL;
        for (uint32_t i = 0; i < ZSTD_KINDS; i++)
            zstd_step(&writer, &paths[order[i]], encoder->codes[order[i]][k], &states[order[i]]);
        zstd_flush(&writer);
        put_extra(&writer, encoder, k);
    }
    for (uint32_t i = 0; i < ZSTD_KINDS; i++) {
        uint32_t which = states_order[i];
        zstd_put(&writer, states[which] - (1u << paths[which].log), paths[which].log);
    }
    zstd_flush(&writer);
    return zstd_close(&writer);
}

static uint8_t *write_sequence_count(uint8_t *at, uint32_t count)
{
    if (count >= 0x7f00) {
        *at++ = 255;
        *at++ = (uint8_t)(count - 0x7f00);
        *at++ = (uint8_t)((count - 0x7f00) >> 8);
        return at;
    }
    if (count >= 128) *at++ = (uint8_t)((count >> 8) + 128);
    *at++ = (uint8_t)count;
    return at;
}

uint8_t *zstd_write_sequences(zstd_encoder *encoder, uint8_t *at, const uint8_t *end)
{
    uint32_t counts[ZSTD_KINDS][ZSTD_MATCH_CODES], modes = 0;
    zstd_paths paths[ZSTD_KINDS];
    if (end - at < 512) return NULL; /* headers of at most 4 + 3 * 128 bytes, and a sequence */
    at = write_sequence_count(at, encoder->sequence_count);
    if (encoder->sequence_count == 0) return at;
    find_codes(encoder, counts);
    uint8_t *mode_byte = at++;
    for (uint32_t which = 0; which < ZSTD_KINDS; which++) {
        table_choice choice = choose_table(encoder, which, counts[which]);
        modes |= choice.mode << (6u - 2u * which);
        memcpy(at, choice.bytes, choice.size);
        at += choice.size;
        zstd_make_paths(&paths[which], choice.shares, zstd_kinds[which].code_count, choice.log);
        memcpy(encoder->heritage.tables[which].counts, choice.shares, sizeof choice.shares);
        encoder->heritage.tables[which].log = choice.log;
        encoder->heritage.tables[which].is_known = true;
    }
    *mode_byte = (uint8_t)modes;
    return write_bits(encoder, paths, at, end);
}

/* ---- frames */

size_t zstd_encoder_bytes(size_t size) { return size > ZSTD_ENCODE_MAX ? 0 : sizeof(zstd_encoder); }

/* Frame header and checksum, one header per block, and space for a failed attempt to compress the
   last block. */
size_t zstd_bound(size_t size) { return size + 3 * (size / ZSTD_BLOCK_MAX + 1) + 18 + 1024; }

static uint8_t *write_frame_head(uint8_t *at, size_t size, bool has_checksum, uint32_t window)
{
    bool is_single = size <= window;
    uint32_t form = size < 256 && is_single       ? 0
                    : size < 65792 && size >= 256 ? 1
                                                  : 2,
             bytes = form == 0 ? 1 : form * 2;
    uint64_t value = form == 1 ? size - 256 : size;
    for (uint32_t k = 0; k < 4; k++) *at++ = (uint8_t)(ZSTD_MAGIC >> 8 * k);
    *at++ = (uint8_t)(form << 6 | (uint32_t)is_single << 5 | (uint32_t)has_checksum << 2);
    if (!is_single) *at++ = (uint8_t)((ZSTD_WINDOW_LOG - 10) << 3);
    for (uint32_t k = 0; k < bytes; k++) *at++ = (uint8_t)(value >> 8 * k);
    return at;
}

static void write_block_head(uint8_t *at, bool is_last, uint32_t kind, uint32_t size)
{
    uint32_t value = (uint32_t)is_last | kind << 1 | size << 3;
    for (uint32_t k = 0; k < 3; k++) at[k] = (uint8_t)(value >> 8 * k);
}

static bool is_run(const uint8_t *bytes, uint32_t size)
{
    return size > 1 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Writes the bytes from..to as a block: RLE, compressed, or raw if that is not shorter. */
static uint8_t *write_block(zstd_encoder *encoder, uint32_t from, uint32_t to, bool is_last,
                            uint8_t *at)
{
    const uint8_t *bytes = encoder->bytes + from;
    uint32_t size = to - from;
    if (is_run(bytes, size)) {
        write_block_head(at, is_last, 1, size);
        at[3] = bytes[0];
        return at + 4;
    }
    zstd_heritage before = encoder->heritage;
    zstd_find(encoder, from, to);
    uint8_t *end = at + 3 + size + 1024, *behind = zstd_write_literals(encoder, at + 3, end);
    if (behind) behind = zstd_write_sequences(encoder, behind, end);
    if (behind && behind - at < (ptrdiff_t)(3 + size)) {
        write_block_head(at, is_last, 2, (uint32_t)(behind - at) - 3);
        return behind;
    }
    encoder->heritage = before;
    write_block_head(at, is_last, 0, size);
    if (size > 0) memcpy(at + 3, bytes, size);
    return at + 3 + size;
}

/* Clears what was found before; the heritage stays. */
static void start_piece(zstd_encoder *encoder, const uint8_t *bytes, size_t size)
{
    uint32_t log = size < 2 ? 8 : zstd_highest((uint32_t)size - 1) + 1;
    if (log < 8) log = 8;
    encoder->long_log = log < ZSTD_LONG_LOG ? log : ZSTD_LONG_LOG;
    encoder->short_log = log < ZSTD_SHORT_LOG ? log : ZSTD_SHORT_LOG;
    encoder->short_bytes = size <= 16384 ? 4 : 5;
    encoder->bytes = bytes;
    encoder->window = 1u << ZSTD_WINDOW_LOG;
    memset(encoder->longs, 0, sizeof encoder->longs[0] << encoder->long_log);
    memset(encoder->shorts, 0, sizeof encoder->shorts[0] << encoder->short_log);
}

size_t zstd_encode(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity,
                   bool has_checksum, void *work)
{
    zstd_encoder *encoder = work;
    uint32_t from = 0;
    if (size > ZSTD_ENCODE_MAX || capacity < zstd_bound(size)) return 0;
    encoder->heritage = (zstd_heritage){.repeats = {1, 4, 8}};
    start_piece(encoder, bytes, size);
    uint8_t *at = write_frame_head(out, size, has_checksum, encoder->window);
    do {
        uint32_t to = size - from > ZSTD_BLOCK_MAX ? from + ZSTD_BLOCK_MAX : (uint32_t)size;
        at = write_block(encoder, from, to, to == size, at);
        from = to;
    } while (from < size);
    uint32_t sum = has_checksum ? (uint32_t)zstd_checksum(bytes, size, 0) : 0;
    for (uint32_t k = 0; k < 4 && has_checksum; k++) *at++ = (uint8_t)(sum >> 8 * k);
    return (size_t)(at - out);
}

/* ---- frames in pieces */

size_t zstd_begin_frame(uint64_t size, uint8_t *out, void *work)
{
    zstd_encoder *encoder = work;
    encoder->heritage = (zstd_heritage){.repeats = {1, 4, 8}};
    for (uint32_t k = 0; k < 4; k++) out[k] = (uint8_t)(ZSTD_MAGIC >> 8 * k);
    out[4] = 3u << 6 | 1u << 2; /* a content size of 8 bytes, a checksum */
    out[5] = (ZSTD_WINDOW_LOG - 10) << 3;
    for (uint32_t k = 0; k < 8; k++) out[6 + k] = (uint8_t)(size >> 8 * k);
    return ZSTD_HEAD_BYTES;
}

size_t zstd_encode_piece(const uint8_t *bytes, size_t size, bool is_last, uint8_t *out, void *work)
{
    zstd_encoder *encoder = work;
    uint8_t *at = out;
    uint32_t from = 0;
    start_piece(encoder, bytes, size);
    do {
        uint32_t to = size - from > ZSTD_BLOCK_MAX ? from + ZSTD_BLOCK_MAX : (uint32_t)size;
        at = write_block(encoder, from, to, is_last && to == size, at);
        from = to;
    } while (from < size);
    return (size_t)(at - out);
}
