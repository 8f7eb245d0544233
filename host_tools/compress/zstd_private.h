/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_private.h - what the parts of the Zstandard codec share: bits, tables, the decoder's state.
   reads   -      writes  -
   memory  see zstd_decoder      cost    a few instructions a call
   after   RFC 8878 */
#ifndef TIDEPOOL_ZSTD_PRIVATE_H
#define TIDEPOOL_ZSTD_PRIVATE_H
#include "zstd.h"
#include <string.h>

#define ZSTD_MAGIC         0xfd2fb528u
#define ZSTD_SKIP_MAGIC    0x184d2a50u /* and the 15 after it */
#define ZSTD_BLOCK_MAX     131072u     /* decoded bytes of a block */
#define ZSTD_SLACK         32u         /* bytes that a wild copy may touch past its end */
#define ZSTD_HUFFMAN_BITS  11u         /* longest code of a literal */
#define ZSTD_LITERAL_CODES 36u         /* of literal lengths */
#define ZSTD_MATCH_CODES   53u
#define ZSTD_OFFSET_CODES  32u
#define ZSTD_LITERAL_LOG   9u /* largest tables of the three kinds */
#define ZSTD_MATCH_LOG     9u
#define ZSTD_OFFSET_LOG    8u
#define ZSTD_WEIGHT_LOG    6u

/* How a block says the tables of a kind of code; RFC 8878, 3.1.1.3.2.1. */
enum { ZSTD_PREDEFINED, ZSTD_SINGLE, ZSTD_COMPRESSED, ZSTD_REPEAT };
/* The kinds, in the order in which a block lists them. */
enum { ZSTD_LITERALS, ZSTD_OFFSETS, ZSTD_MATCHES, ZSTD_KINDS };

/* What a code stands for: base + its extra bits. */
typedef struct zstd_code {
    uint32_t base;
    uint32_t extra;
} zstd_code;

/* One state of a table in one word, so that a decoder holds it in one register: the value's base from bit 0, the next
   state less its bits from 32, the value's extra bits from 48, the bits to the next state from 56. */
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
    const char *text; /* what a fault calls it */
    const zstd_code *codes;
    const int16_t *predefined; /* counts; -1 is less than one */
    const zstd_cell *predefined_cells;
    uint32_t code_count, predefined_count;
    uint32_t log_max, predefined_log;
} zstd_kind;

extern const zstd_kind zstd_kinds[ZSTD_KINDS];

typedef struct zstd_table {
    const zstd_cell *cells;
    uint32_t log;
} zstd_table;

/* Work memory of a decoder; only what a flag or a count vouches for means anything. */
typedef struct zstd_decoder {
    zstd_table tables[ZSTD_KINDS]; /* of the latest block; cells NULL: none in this frame */
    zstd_cell cells[ZSTD_KINDS][1u << ZSTD_LITERAL_LOG];
    uint16_t huffman[1u << ZSTD_HUFFMAN_BITS]; /* by the next bits: symbol << 8 | length of its code */
    uint32_t pairs[1u << ZSTD_HUFFMAN_BITS];   /* likewise one or two symbols, see zstd_literals.c */
    bool has_huffman, has_pairs;
    uint32_t repeats[3];     /* the latest offsets */
    const uint8_t *bytes;    /* the input, for faults */
    const uint8_t *literals; /* of the block; ZSTD_SLACK bytes after them are readable */
    size_t literal_count;
    uint8_t *out, *out_end;     /* what is not yet written */
    const uint8_t *frame_start; /* of the output */
    uint64_t window;
    uint32_t block_max;
    compress_fault *fault;
    uint8_t buffer[ZSTD_BLOCK_MAX + ZSTD_SLACK];
} zstd_decoder;

/* Notes the fault and returns false. */
bool zstd_fail(zstd_decoder *decoder, const uint8_t *at, const char *text);

/* The counts of a table of at most code_count codes and log_max bits: the bytes that say them, 0 when they are wrong. */
size_t zstd_read_counts(const uint8_t *bytes, size_t size, uint32_t code_count, uint32_t log_max,
                        int16_t *counts, uint32_t *log);
/* Makes 1 << log cells; codes NULL: each stands for itself. */
void zstd_make_cells(zstd_cell *cells, const int16_t *counts, uint32_t code_count, uint32_t log,
                     const zstd_code *codes);
/* Where the cells of codes lie, by state; next[s] is how often s occurs. Shared by both directions. */
void zstd_spread(uint8_t *symbols, uint16_t *next, const int16_t *counts, uint32_t code_count, uint32_t log);

/* Literals of a block: sets decoder->literals and *used, the bytes of the section. */
bool zstd_read_literals(zstd_decoder *decoder, const uint8_t *bytes, size_t size, const uint8_t *input_end,
                        size_t *used);
/* Sequences of a block: writes its bytes. */
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
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Place of the highest bit set, and zeros below the lowest; the value is not 0. */
static inline uint32_t zstd_highest(uint32_t value)
{
#if defined(__GNUC__)
    return 31u - (uint32_t)__builtin_clz(value);
#else
    uint32_t place = 0;
    while (value >>= 1) place++;
    return place;
#endif
}

static inline uint32_t zstd_trailing(uint64_t value)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(value);
#else
    uint32_t place = 0;
    while (!(value >> place & 1u)) place++;
    return place;
#endif
}

/* ---- bits read from the end of a stream to its start; RFC 8878, 4.1 */

typedef struct zstd_bits {
    uint64_t word; /* eight bytes from `at`; a stream of fewer stands in the lower ones */
    uint32_t used; /* bits taken from the top of word; above 64: more than there are */
    const uint8_t *at, *start;
} zstd_bits;

/* False when the stream is empty or its last byte has no mark. */
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

/* Afterwards 57 bits or more are at hand, or all that are left. The first way is a branch and no minimum, so that the
   next load does not wait for a comparison. */
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

/* `count` bits, 0 .. 63, when `used` are taken; those past the start of the stream mean nothing. */
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
/* The byte that holds the next bit. */
static inline const uint8_t *zstd_bits_place(const zstd_bits *bits)
{
    return bits->used < 64u ? bits->at + (63u - bits->used) / 8u : bits->at;
}

#endif
