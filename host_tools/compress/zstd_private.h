/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_private.h - shared parts of the Zstandard codec: bit reader, FSE tables,
           decoder state.
   reads   -      writes  -
   memory  see zstd_decoder      cost    a few instructions per call
   after   RFC 8878 */
#ifndef TIDEPOOL_ZSTD_PRIVATE_H
#define TIDEPOOL_ZSTD_PRIVATE_H
#include "zstd.h"
#include <string.h>

#define ZSTD_MAGIC         0xfd2fb528u
#define ZSTD_SKIP_MAGIC    0x184d2a50u /* first of 16 magic numbers of skippable frames */
#define ZSTD_BLOCK_MAX     131072u     /* decoded bytes of a block */
#define ZSTD_SLACK         32u         /* bytes that an over-copy may access past its end */
#define ZSTD_HUFFMAN_BITS  11u         /* longest Huffman code of a literal */
#define ZSTD_LITERAL_CODES 36u         /* codes of literal lengths */
#define ZSTD_MATCH_CODES   53u
#define ZSTD_OFFSET_CODES  32u
#define ZSTD_LITERAL_LOG   9u /* largest accuracy logs of FSE tables */
#define ZSTD_MATCH_LOG     9u
#define ZSTD_OFFSET_LOG    8u
#define ZSTD_WEIGHT_LOG    6u

/* Compression modes of the tables of a block; RFC 8878, 3.1.1.3.2.1. */
enum { ZSTD_PREDEFINED, ZSTD_SINGLE, ZSTD_COMPRESSED, ZSTD_REPEAT };
/* The kinds, in the order in which a block lists them. */
enum { ZSTD_LITERALS, ZSTD_OFFSETS, ZSTD_MATCHES, ZSTD_KINDS };

/* The value of a code: base + extra bits. */
typedef struct zstd_code {
    uint32_t base;
    uint32_t extra;
} zstd_code;

/* One entry (state) of an FSE decoding table, in one word: base of the value (bits 0-31), base of
   the next state (32-47), number of extra bits of the value (48-55), number of bits of the next
   state (56-63). */
typedef uint64_t zstd_cell;

static inline zstd_cell zstd_cell_of(uint32_t base, uint32_t extra, uint32_t next, uint32_t bits)
{
    return base | (uint64_t)next << 32 | (uint64_t)extra << 48 | (uint64_t)bits << 56;
}
static inline uint32_t zstd_base_of(zstd_cell cell) { return (uint32_t)cell; }
static inline uint32_t zstd_next_of(zstd_cell cell) { return (uint32_t)(cell >> 32) & 0xffffu; }
static inline uint32_t zstd_extra_of(zstd_cell cell) { return (uint32_t)(cell >> 48) & 255u; }
static inline uint32_t zstd_bits_of(zstd_cell cell) { return (uint32_t)(cell >> 56); }

typedef struct zstd_kind {
    const char *text; /* message of a fault */
    const zstd_code *codes;
    const int16_t *predefined; /* normalised counts; -1: probability below 1 */
    const zstd_cell *predefined_cells;
    uint32_t code_count, predefined_count;
    uint32_t log_max, predefined_log;
} zstd_kind;

extern const zstd_kind zstd_kinds[ZSTD_KINDS];

typedef struct zstd_table {
    const zstd_cell *cells;
    uint32_t log;
} zstd_table;

/* Work memory of a decoder; parts are valid only if their flag is set or their count says so. */
typedef struct zstd_decoder {
    zstd_table tables[ZSTD_KINDS]; /* of the previous block; cells NULL: none yet in this frame */
    zstd_cell cells[ZSTD_KINDS][1u << ZSTD_LITERAL_LOG];
    /* by the next bits: symbol << 8 | length of its code */
    uint16_t huffman[1u << ZSTD_HUFFMAN_BITS];
    /* the same for one or two symbols, see zstd_literals.c */
    uint32_t pairs[1u << ZSTD_HUFFMAN_BITS];
    bool has_huffman, has_pairs;
    uint32_t repeats[3];     /* repeat offsets */
    const uint8_t *bytes;    /* the input, for offsets of faults */
    const uint8_t *literals; /* literals of the block; ZSTD_SLACK bytes after them are readable */
    size_t literal_count;
    uint8_t *out, *out_end;     /* next output byte; limit of the block */
    const uint8_t *frame_start; /* start of the frame in the output */
    uint64_t window;
    uint32_t block_max;
    compress_fault *fault;
    uint8_t buffer[ZSTD_BLOCK_MAX + ZSTD_SLACK];
} zstd_decoder;

/* Notes the fault and returns false. */
bool zstd_fail(zstd_decoder *decoder, const uint8_t *at, const char *text);

/* Reads the normalised counts of an FSE table of at most code_count codes and accuracy log_max.
   Returns the size of the description, 0 if it is invalid. */
size_t zstd_read_counts(const uint8_t *bytes, size_t size, uint32_t code_count, uint32_t log_max,
                        int16_t *counts, uint32_t *log);
/* Builds an FSE decoding table of 1 << log cells; codes NULL: the value of a code is the code. */
void zstd_make_cells(zstd_cell *cells, const int16_t *counts, uint32_t code_count, uint32_t log,
                     const zstd_code *codes);
/* Spreads symbols over the states of an FSE table; next[s] becomes the number of states of s. For
   decoder and encoder. */
void zstd_spread(uint8_t *symbols, uint16_t *next, const int16_t *counts, uint32_t code_count,
                 uint32_t log);

/* Decodes the literals of a block: sets decoder->literals, and *used to the size of the section. */
bool zstd_read_literals(zstd_decoder *decoder, const uint8_t *bytes, size_t size,
                        const uint8_t *input_end, size_t *used);
/* Decodes the sequences of a block and writes the block's bytes. */
bool zstd_read_sequences(zstd_decoder *decoder, const uint8_t *bytes, size_t size);

/* ---- numbers */

static inline uint64_t zstd_load64(const uint8_t *bytes)
{
    uint64_t value;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, bytes, 8);
#else
    value = 0;
    for (uint32_t k = 0; k < 8; k++) value |= (uint64_t)bytes[k] << 8 * k;
#endif
    return value;
}

static inline uint32_t zstd_load32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* Index of the highest set bit; below: number of trailing zeros. The value must not be 0. */
static inline uint32_t zstd_highest(uint32_t value)
{
#if defined(__GNUC__)
    return 31u - (uint32_t)__builtin_clz(value);
#else
    uint32_t index = 0;
    while (value >>= 1) index++;
    return index;
#endif
}

static inline uint32_t zstd_trailing(uint64_t value)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(value);
#else
    uint32_t index = 0;
    while (!(value >> index & 1u)) index++;
    return index;
#endif
}

/* ---- bit reader, backwards from the end of a stream; RFC 8878, 4.1 */

typedef struct zstd_bits {
    uint64_t word; /* eight bytes from `at`; a shorter stream is in the lower bytes */
    uint32_t used; /* bits consumed from the top of word; above 64: read past the start */
    const uint8_t *at, *start;
} zstd_bits;

/* False if the stream is empty or its last byte has no end mark. */
static inline bool zstd_bits_open(zstd_bits *bits, const uint8_t *bytes, size_t size)
{
    if (size == 0 || bytes[size - 1] == 0) return false;
    bits->start = bits->at = bytes;
    bits->used = 8u - zstd_highest(bytes[size - 1]);
    if (size >= 8) {
        bits->at += size - 8;
        bits->word = zstd_load64(bits->at);
        return true;
    }
    bits->word = 0;
    for (size_t k = 0; k < size; k++) bits->word |= (uint64_t)bytes[k] << 8 * k;
    bits->used += 8u * (uint32_t)(8 - size);
    return true;
}

/* Afterwards at least 57 bits are available, or all that are left. The fast path is a branch and
   not a minimum, so that the next load does not depend on a comparison. */
static inline void zstd_bits_refill(zstd_bits *bits)
{
    size_t step = bits->used >> 3, most = (size_t)(bits->at - bits->start);
    if (most >= 16) {
        bits->at -= step;
        bits->used &= 7u;
        bits->word = zstd_load64(bits->at);
        return;
    }
    if (step > most) step = most;
    if (step == 0) return;
    bits->at -= step;
    bits->used -= 8u * (uint32_t)step;
    bits->word = zstd_load64(bits->at);
}

/* The next `count` bits, 0 .. 63, after `used` consumed bits; bits past the start of the stream are
   meaningless. */
static inline uint64_t zstd_bits_at(const zstd_bits *bits, uint32_t used, uint32_t count)
{
    return bits->word << (used & 63u) >> 1 >> (63u - count);
}

static inline uint64_t zstd_bits_peek(const zstd_bits *bits, uint32_t count)
{
    return zstd_bits_at(bits, bits->used, count);
}

static inline uint64_t zstd_bits_take(zstd_bits *bits, uint32_t count)
{
    uint64_t value = zstd_bits_peek(bits, count);
    bits->used += count;
    return value;
}

static inline bool zstd_bits_over(const zstd_bits *bits) { return bits->used > 64u; }
static inline bool zstd_bits_done(const zstd_bits *bits)
{
    return bits->used == 64u && bits->at == bits->start;
}
/* The byte that contains the next bit. */
static inline const uint8_t *zstd_bits_byte(const zstd_bits *bits)
{
    return bits->used < 64u ? bits->at + (63u - bits->used) / 8u : bits->at;
}

#endif
