/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_pack.c - encodes the literals of a block: raw, RLE, Huffman with a new
           or with the previous table.
   reads   the encoder's literals      writes  the block's first section; the code lengths that the
           next block may reuse
   memory  5 KiB of stack      cost    O(literals)
   after   RFC 8878, 3.1.1.3.1 and 4.2 */
#include "huffman.h"
#include "zstd_encoder.h"

#define FOUR_FROM 256u /* four streams are used from this many literals: they cost six bytes */

enum { LITERALS_RAW, LITERALS_SAME, LITERALS_TABLE, LITERALS_REPEAT };

/* Histogram of bytes, in four tables, so that increments for a run of one byte do not depend on
   each other. */
static void count_bytes(const uint8_t *bytes, size_t size, uint32_t counts[256])
{
    uint32_t parts[4][256];
    size_t at = 0;
    memset(parts, 0, sizeof parts);
    for (; at + 4 <= size; at += 4)
        for (size_t k = 0; k < 4; k++) parts[k][bytes[at + k]]++;
    for (; at < size; at++) parts[0][bytes[at]]++;
    for (uint32_t k = 0; k < 256; k++)
        counts[k] = parts[0][k] + parts[1][k] + parts[2][k] + parts[3][k];
}

/* Size of the coded literals in bits; UINT64_MAX if one has no code. */
static uint64_t coded_bits(const uint32_t *counts, const uint8_t *lengths)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < 256; k++) {
        if (counts[k] > 0 && lengths[k] == 0) return UINT64_MAX;
        bits += (uint64_t)counts[k] * lengths[k];
    }
    return bits;
}

/* ---- description of the Huffman table */

/* FSE-encodes weights with two alternating states. Returns 0 if that is impossible or not shorter
   than `capacity`. */
static size_t pack_weights(const uint8_t *weights, uint32_t count, uint8_t *out, size_t capacity)
{
    uint32_t counts[ZSTD_HUFFMAN_BITS + 1] = {0}, most = 0, log = ZSTD_WEIGHT_LOG, states[2];
    int16_t shares[ZSTD_HUFFMAN_BITS + 1];
    zstd_paths paths;
    uint8_t buffer[512]; /* 128 for counts, 255 weights of 6 bits, 8 spare */
    for (uint32_t k = 0; k < count; k++) counts[weights[k]]++;
    for (uint32_t k = 0; k <= ZSTD_HUFFMAN_BITS; k++) most = counts[k] > most ? counts[k] : most;
    if (count < 3 || most == count || most == 1) return 0;
    while (log > 5 && 1u << log > 2 * count) log--;
    zstd_share(counts, ZSTD_HUFFMAN_BITS + 1, log, shares);
    size_t used = zstd_write_counts(buffer, shares, ZSTD_HUFFMAN_BITS + 1, log);
    zstd_make_paths(&paths, shares, ZSTD_HUFFMAN_BITS + 1, log);
    zstd_writer writer = {.at = buffer + used};
    for (uint32_t k = count; k-- > 0;) {
        if (k + 2 >= count)
            states[k & 1u] = zstd_first_state(&paths, weights[k]);
        else
            zstd_step(&writer, &paths, weights[k], &states[k & 1u]);
        zstd_flush(&writer);
    }
    zstd_put(&writer, states[1] - (1u << log), log);
    zstd_put(&writer, states[0] - (1u << log), log);
    used = (size_t)(zstd_close(&writer) - buffer);
    if (used >= 128 || used + 1 >= capacity) return 0;
    out[0] = (uint8_t)used;
    memcpy(out + 1, buffer, used);
    return used + 1;
}

/* Writes the description of the code lengths, at most 129 bytes; 0 if the format cannot describe
   them. */
static size_t write_lengths(const uint8_t *lengths, uint8_t *out)
{
    uint8_t weights[257] = {0};
    uint32_t log = 0, last = 0;
    for (uint32_t k = 0; k < 256; k++) {
        if (lengths[k] == 0) continue;
        log = lengths[k] > log ? lengths[k] : log;
        last = k;
    }
    for (uint32_t k = 0; k <= last; k++)
        weights[k] = (uint8_t)(lengths[k] ? log + 1 - lengths[k] : 0);
    weights[last] = 0; /* implied by the others; also pads the nibbles to a whole byte */
    size_t nibbles = 1 + (last + 1) / 2,
           packed = pack_weights(weights, last, out, last <= 128 ? nibbles : 129);
    if (packed > 0) return packed;
    if (last > 128) return 0;
    out[0] = (uint8_t)(127 + last);
    for (uint32_t k = 0; k < last; k += 2)
        out[1 + k / 2] = (uint8_t)(weights[k] << 4 | weights[k + 1]);
    return nibbles;
}

/* ---- the streams */

typedef struct literal_code {
    uint16_t bits;
    uint16_t length;
} literal_code;

/* Assigns codes from the longest length on, in order of symbols within a length. */
static void make_codes(const uint8_t *lengths, literal_code codes[256])
{
    uint32_t next[ZSTD_HUFFMAN_BITS + 2] = {0}, by_length[ZSTD_HUFFMAN_BITS + 2] = {0};
    for (uint32_t k = 0; k < 256; k++) by_length[lengths[k]]++;
    for (uint32_t length = ZSTD_HUFFMAN_BITS; length > 0; length--)
        next[length] = (next[length + 1] + by_length[length + 1]) >> 1;
    for (uint32_t k = 0; k < 256; k++)
        codes[k] = (literal_code){(uint16_t)(lengths[k] ? next[lengths[k]]++ : 0), lengths[k]};
}

/* Writes codes from the last literal to the first, because decoders read backwards. */
static uint8_t *write_stream(const uint8_t *bytes, size_t size, const literal_code *codes,
                             uint8_t *at)
{
    zstd_writer writer = {.at = at};
    size_t k = size;
    for (; k % 4 > 0; k--) zstd_put(&writer, codes[bytes[k - 1]].bits, codes[bytes[k - 1]].length);
    zstd_flush(&writer);
    for (; k > 0; k -= 4) {
        for (size_t i = 1; i <= 4; i++)
            zstd_put(&writer, codes[bytes[k - i]].bits, codes[bytes[k - i]].length);
        zstd_flush(&writer);
    }
    return zstd_close(&writer);
}

static uint8_t *write_streams(const zstd_encoder *encoder, const uint8_t *lengths, uint8_t *at)
{
    literal_code codes[256];
    size_t count = encoder->literal_count, part = (count + 3) / 4;
    make_codes(lengths, codes);
    if (count < FOUR_FROM) return write_stream(encoder->literals, count, codes, at);
    uint8_t *sizes = at;
    at += 6;
    for (size_t s = 0; s < 4; s++) {
        uint8_t *start = at;
        at = write_stream(encoder->literals + s * part, s < 3 ? part : count - 3 * part, codes, at);
        size_t size = (size_t)(at - start);
        if (s == 3) break;
        sizes[2 * s] = (uint8_t)size;
        sizes[2 * s + 1] = (uint8_t)(size >> 8);
    }
    return at;
}

/* ---- the section */

static uint8_t *put_bytes(uint8_t *at, uint64_t value, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) *at++ = (uint8_t)(value >> 8 * k);
    return at;
}

/* Writes a raw or RLE section. */
static uint8_t *write_plain(const zstd_encoder *encoder, uint32_t kind, uint8_t *at,
                            const uint8_t *end)
{
    uint32_t count = encoder->literal_count, form = count < 32 ? 0 : count < 4096 ? 1 : 3;
    uint32_t bytes = form == 3 ? 3 : form + 1, stored = kind == LITERALS_SAME ? 1 : count;
    if ((size_t)(end - at) < bytes + stored) return NULL;
    at = put_bytes(at, kind | form << 2 | count << (form ? 4 : 3), bytes);
    memcpy(at, encoder->literals, stored);
    return at + stored;
}

static uint32_t head_bytes(uint32_t count) { return count < 1024 ? 3 : count < 16384 ? 4 : 5; }

static void write_head(uint8_t *at, uint32_t kind, uint32_t count, uint32_t packed)
{
    uint32_t bytes = head_bytes(count), width = bytes == 3 ? 10 : bytes == 4 ? 14 : 18;
    uint32_t form = count < FOUR_FROM ? 0 : bytes - 2;
    put_bytes(at, kind | form << 2 | (uint64_t)count << 4 | (uint64_t)packed << (4 + width), bytes);
}

uint8_t *zstd_write_literals(zstd_encoder *encoder, uint8_t *at, const uint8_t *end)
{
    zstd_heritage *heritage = &encoder->heritage;
    uint32_t counts[256], count = encoder->literal_count, kind = LITERALS_TABLE;
    uint8_t lengths[256], table[136];
    if (count < 8) return write_plain(encoder, LITERALS_RAW, at, end);
    count_bytes(encoder->literals, count, counts);
    if (counts[encoder->literals[0]] == count) return write_plain(encoder, LITERALS_SAME, at, end);
    huffman_lengths(counts, 256, ZSTD_HUFFMAN_BITS, lengths);
    size_t table_bytes = write_lengths(lengths, table);
    uint64_t bits = table_bytes ? coded_bits(counts, lengths) : UINT64_MAX / 2;
    uint64_t again = heritage->has_huffman ? coded_bits(counts, heritage->lengths) : UINT64_MAX;
    if (again <= bits + 8 * table_bytes) {
        kind = LITERALS_REPEAT;
        table_bytes = 0;
        bits = again;
    }
    /* each stream ends with a mark bit and less than a byte of padding */
    uint64_t most = head_bytes(count) + table_bytes + bits / 8 + (count < FOUR_FROM ? 1 : 10);
    if (most + (count >> 6) + 1 >= count) return write_plain(encoder, LITERALS_RAW, at, end);
    if (most + 8 > (uint64_t)(end - at)) return NULL;
    uint8_t *start = at;
    at += head_bytes(count);
    memcpy(at, table, table_bytes);
    if (kind == LITERALS_TABLE) memcpy(heritage->lengths, lengths, sizeof lengths);
    heritage->has_huffman = true;
    uint8_t *behind = write_streams(encoder, heritage->lengths, at + table_bytes);
    write_head(start, kind, count, (uint32_t)(behind - at));
    return behind;
}
