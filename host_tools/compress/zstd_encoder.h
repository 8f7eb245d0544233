/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_encoder.h - between the parts of the Zstandard encoder.
   reads   -      writes  -
   memory  see zstd_encoder      cost    -
   after   RFC 8878 */
#ifndef TIDEPOOL_ZSTD_ENCODER_H
#define TIDEPOOL_ZSTD_ENCODER_H
#include "zstd_private.h"

#define ZSTD_WINDOW_LOG    21u /* how far back matches go */
#define ZSTD_LONG_LOG      17u /* hash of eight bytes */
#define ZSTD_SHORT_LOG     16u /* hash of four or five */
#define ZSTD_MATCH_MIN     4u
#define ZSTD_SEQUENCES_MAX (ZSTD_BLOCK_MAX / ZSTD_MATCH_MIN + 1u)

typedef struct zstd_sequence {
    uint32_t literals, match; /* bytes */
    uint32_t offset;          /* as coded: 1..3 the latest ones, else the offset + 3 */
} zstd_sequence;

/* What blocks hand on to the next; a block that ends up raw hands on nothing. */
typedef struct zstd_heritage {
    uint32_t repeats[3];
    uint8_t lengths[256]; /* of the codes of literals, 0: none; valid with has_huffman */
    bool has_huffman;
    struct {
        int16_t counts[ZSTD_MATCH_CODES]; /* log 0: the one code has count 1 */
        uint32_t log;
        bool is_known;
    } tables[ZSTD_KINDS];
} zstd_heritage;

typedef struct zstd_encoder {
    uint32_t longs[1u << ZSTD_LONG_LOG],
        shorts[1u << ZSTD_SHORT_LOG]; /* latest position by hash, 0 also: none */
    uint32_t long_log, short_log;     /* in use: less for short inputs */
    uint32_t short_bytes;             /* 4 or 5 */
    const uint8_t *bytes;             /* of the frame */
    uint32_t window;
    zstd_heritage heritage;
    uint32_t sequence_count, literal_count;
    zstd_sequence sequences[ZSTD_SEQUENCES_MAX];
    uint8_t codes[ZSTD_KINDS][ZSTD_SEQUENCES_MAX];
    uint8_t literals[ZSTD_BLOCK_MAX + ZSTD_SLACK];
} zstd_encoder;

/* Finds the sequences of the bytes from..to of the frame of `size` bytes, and collects their literals. O(bytes). */
void zstd_find(zstd_encoder *encoder, uint32_t from, uint32_t to);
/* The two sections of a block, written before `end`: the place behind them, NULL when there is no room. */
uint8_t *zstd_write_literals(zstd_encoder *encoder, uint8_t *at, const uint8_t *end);
uint8_t *zstd_write_sequences(zstd_encoder *encoder, uint8_t *at, const uint8_t *end);

/* ---- tables */

/* The way from symbol to symbol: state x, from 1 << log on, gives its low bits and becomes next[start + (x >> bits)]. */
typedef struct zstd_path {
    uint32_t least; /* states from here on give max_bits, those below one less */
    uint32_t max_bits;
    int32_t start;
    uint32_t first; /* where the code's first state stands in next */
} zstd_path;
typedef struct zstd_paths {
    zstd_path paths[ZSTD_MATCH_CODES];
    uint16_t next[1u << ZSTD_LITERAL_LOG];
    uint32_t log;
} zstd_paths;

void zstd_make_paths(zstd_paths *paths, const int16_t *counts, uint32_t code_count, uint32_t log);
/* Shares of 1 << log in proportion to the counts, one at least for each that occurs. At most 1 << log may occur. */
void zstd_share(const uint32_t *counts, uint32_t code_count, uint32_t log, int16_t *shares);
/* Bits, in 1/256, that the codes take with a table; UINT64_MAX when one is missing from it. */
uint64_t zstd_cost(const uint32_t *counts, uint32_t code_count, const int16_t *shares, uint32_t log);
/* The description of shares, none below 0, in at most 128 bytes: its size. */
size_t zstd_write_counts(uint8_t *out, const int16_t *shares, uint32_t code_count, uint32_t log);

/* ---- bits, written from the lowest; the caller sees that eight bytes fit */

typedef struct zstd_writer {
    uint64_t word;
    uint32_t count; /* bits in word */
    uint8_t *at;
} zstd_writer;

/* At most 56 bits may wait before zstd_flush; value has no bits above count. */
static inline void zstd_put(zstd_writer *writer, uint64_t value, uint32_t count)
{
    writer->word |= value << writer->count;
    writer->count += count;
}

static inline void zstd_flush(zstd_writer *writer)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(writer->at, &writer->word, 8);
#else
    for (uint32_t k = 0; k < 8; k++) writer->at[k] = (uint8_t)(writer->word >> 8 * k);
#endif
    writer->at += writer->count >> 3;
    writer->word >>= writer->count & ~7u; /* count stays below 64 */
    writer->count &= 7u;
}

/* Adds the mark that a reader from the end looks for: the place behind it. */
static inline uint8_t *zstd_close(zstd_writer *writer)
{
    zstd_put(writer, 1, 1);
    zstd_flush(writer);
    return writer->at + (writer->count > 0);
}

static inline void zstd_step(zstd_writer *writer, const zstd_paths *paths, uint32_t code, uint32_t *state)
{
    const zstd_path *path = &paths->paths[code];
    uint32_t bits = path->max_bits - (*state < path->least);
    zstd_put(writer, *state & ((1u << bits) - 1), bits);
    *state = paths->next[path->start + (int32_t)(*state >> bits)];
}

/* A state from which a reader that wants more bits gets none: the first of the code's. */
static inline uint32_t zstd_first_state(const zstd_paths *paths, uint32_t code)
{
    return paths->next[paths->paths[code].first];
}

#endif
