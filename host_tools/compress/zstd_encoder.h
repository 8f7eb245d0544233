/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_encoder.h - internal interface of the Zstandard encoder.
   reads   -      writes  -
   memory  see zstd_encoder      cost    -
   after   RFC 8878 */
#ifndef TIDEPOOL_ZSTD_ENCODER_H
#define TIDEPOOL_ZSTD_ENCODER_H
#include "zstd_private.h"

#define ZSTD_WINDOW_LOG    21u /* window size of matches */
#define ZSTD_LONG_LOG      17u /* size of the hash table of eight bytes */
#define ZSTD_SHORT_LOG     16u /* size of the hash table of four or five bytes */
#define ZSTD_MATCH_MIN     4u
#define ZSTD_SEQUENCES_MAX (ZSTD_BLOCK_MAX / ZSTD_MATCH_MIN + 1u)

typedef struct zstd_sequence {
    uint32_t literals, match; /* lengths in bytes */
    uint32_t offset;          /* as coded: 1..3 repeat offsets, else the offset + 3 */
} zstd_sequence;

/* State that a block passes to the next one; a raw block leaves it unchanged. */
typedef struct zstd_heritage {
    uint32_t repeats[3];
    uint8_t lengths[256]; /* Huffman code lengths of literals, 0: no code; valid with has_huffman */
    bool has_huffman;
    struct {
        int16_t counts[ZSTD_MATCH_CODES]; /* normalised; log 0: a single code, with count 1 */
        uint32_t log;
        bool is_known;
    } tables[ZSTD_KINDS];
} zstd_heritage;

typedef struct zstd_encoder {
    /* latest position by hash; 0 is also used for "none" */
    uint32_t longs[1u << ZSTD_LONG_LOG], shorts[1u << ZSTD_SHORT_LOG];
    uint32_t long_log, short_log; /* table sizes in use: smaller for short inputs */
    uint32_t short_bytes;         /* 4 or 5 */
    const uint8_t *bytes;         /* start of the frame's content */
    uint32_t window;
    zstd_heritage heritage;
    uint32_t sequence_count, literal_count;
    zstd_sequence sequences[ZSTD_SEQUENCES_MAX];
    uint8_t codes[ZSTD_KINDS][ZSTD_SEQUENCES_MAX];
    uint8_t literals[ZSTD_BLOCK_MAX + ZSTD_SLACK];
} zstd_encoder;

/* Finds the sequences of the frame's bytes from..to, and collects their literals. O(bytes). */
void zstd_find(zstd_encoder *encoder, uint32_t from, uint32_t to);
/* Write the two sections of a block; they return the end of the section, or NULL if it would exceed
   `end`. */
uint8_t *zstd_write_literals(zstd_encoder *encoder, uint8_t *at, const uint8_t *end);
uint8_t *zstd_write_sequences(zstd_encoder *encoder, uint8_t *at, const uint8_t *end);

/* ---- FSE encoding tables */

/* State transition of the FSE encoder for a symbol: state x >= 1 << log emits its low bits and
   becomes next[start + (x >> bits)]. */
typedef struct zstd_path {
    uint32_t least; /* states from this one on emit max_bits, lower states one bit less */
    uint32_t max_bits;
    int32_t start;
    uint32_t first; /* index of the code's first state in next */
} zstd_path;
typedef struct zstd_paths {
    zstd_path paths[ZSTD_MATCH_CODES];
    uint16_t next[1u << ZSTD_LITERAL_LOG];
    uint32_t log;
} zstd_paths;

void zstd_make_paths(zstd_paths *paths, const int16_t *counts, uint32_t code_count, uint32_t log);
/* Normalises counts to shares that sum to 1 << log, at least 1 for each code that occurs. At most 1
   << log codes may occur. */
void zstd_share(const uint32_t *counts, uint32_t code_count, uint32_t log, int16_t *shares);
/* Cost of all codes with a table, in 1/256 bit; UINT64_MAX if the table lacks a code that
   occurs. */
uint64_t zstd_cost(const uint32_t *counts, uint32_t code_count, const int16_t *shares,
                   uint32_t log);
/* Writes the description of a table, in at most 128 bytes, and returns its size. Shares must not be
   negative. */
size_t zstd_write_counts(uint8_t *out, const int16_t *shares, uint32_t code_count, uint32_t log);

/* ---- bit writer, lowest bit first; the caller ensures space for eight bytes */

typedef struct zstd_writer {
    uint64_t word;
    uint32_t count; /* bits in word */
    uint8_t *at;
} zstd_writer;

/* Between calls of zstd_flush at most 56 bits; value must have no bits above count. */
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
    writer->word >>= writer->count & ~7u; /* count is less than 64 */
    writer->count &= 7u;
}

/* Writes the end mark for the backward reader, and returns the end of the stream. */
static inline uint8_t *zstd_close(zstd_writer *writer)
{
    zstd_put(writer, 1, 1);
    zstd_flush(writer);
    return writer->at + (writer->count > 0);
}

static inline void zstd_step(zstd_writer *writer, const zstd_paths *paths, uint32_t code,
                             uint32_t *state)
{
    const zstd_path *path = &paths->paths[code];
    uint32_t bits = path->max_bits - (*state < path->least);
    zstd_put(writer, *state & ((1u << bits) - 1), bits);
    *state = paths->next[path->start + (int32_t)(*state >> bits)];
}

/* The initial state of the encoder for the last symbol of a stream: the first state of its code. */
static inline uint32_t zstd_first_state(const zstd_paths *paths, uint32_t code)
{
    return paths->next[paths->paths[code].first];
}

#endif
