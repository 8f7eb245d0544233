/* SPDX-License-Identifier: MIT
   host_tools/render/deflate.c - deflate compressor for PNG: LZ77 with hash chains and lazy
           matching.
   reads   bytes      writes  a zlib stream in malloc memory, at most 0.04 % larger than the input
   memory  400 KiB and the output      cost    about 15 ns per byte of a picture
   after   RFC 1950 and 1951; dynamic Huffman codes per block, or a stored block if that is
           shorter */
#include "deflate.h"
#include <stdlib.h>
#include <string.h>

#ifdef TIDEPOOL_ZLIB
#include <zlib.h>

int deflate_zlib(const uint8_t *bytes, size_t size, uint8_t **packed, size_t *packed_size)
{
    uLongf length = compressBound((uLong)size);
    *packed = malloc(length);
    if (!*packed || compress2(*packed, &length, bytes, (uLong)size, 6) != Z_OK) {
        free(*packed);
        *packed = NULL;
        return HOST_OUT_OF_MEMORY;
    }
    *packed_size = length;
    return HOST_DONE;
}

#else

#define WINDOW      32768u
#define HASH_BITS   15u
#define MATCH_MIN   3u
#define MATCH_MAX   258u
#define CHAIN_MAX   48u    /* candidates tried per match */
#define MATCH_GOOD  96u    /* long enough to stop the search */
#define BLOCK_MAX   32768u /* literals and matches in one block */
#define LITERALS    286u
#define DISTANCES   30u
#define STORED_MAX  65535u
#define NO_POSITION 0xffffffffu

typedef struct token {
    uint16_t length; /* 0: a literal */
    uint16_t value;  /* the literal, or the distance (32768 is stored as 32768) */
} token;

typedef struct packer {
    const uint8_t *bytes;
    uint32_t size;
    uint8_t *out; /* capacity for the worst case, see packer_bound */
    size_t out_size;
    uint64_t bits; /* bits not yet in out, lowest first */
    uint32_t bit_count;
    uint32_t head[1u << HASH_BITS]; /* latest position by hash */
    /* hash chain: previous position with the same hash, by position modulo WINDOW */
    uint32_t previous[WINDOW];
    token tokens[BLOCK_MAX];
    uint32_t token_count;
    uint32_t block_start; /* position of the first byte of the block */
    uint32_t literal_counts[LITERALS], distance_counts[DISTANCES];
} packer;

static uint32_t class_of(const uint16_t *base, uint32_t count, uint32_t value)
{
    uint32_t low = 0, high = count; /* base[low] <= value < base[high] */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (base[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void put_bits(packer *pack, uint32_t value, uint32_t count)
{
    pack->bits |= (uint64_t)value << pack->bit_count;
    pack->bit_count += count;
    while (pack->bit_count >= 8) {
        pack->out[pack->out_size++] = (uint8_t)pack->bits;
        pack->bits >>= 8;
        pack->bit_count -= 8;
    }
}

static void flush_byte(packer *pack)
{
    if (pack->bit_count) put_bits(pack, 0, 8 - pack->bit_count);
}

/* ---- one block */

typedef struct block_code {
    /* literals, then distances directly after the last used literal */
    uint8_t lengths[LITERALS + DISTANCES];
    uint16_t literal_codes[LITERALS], distance_codes[DISTANCES];
    uint8_t literal_lengths[LITERALS], distance_lengths[DISTANCES];
    uint32_t literal_used, distance_used;
    uint8_t runs[LITERALS + DISTANCES], run_extra[LITERALS + DISTANCES];
    uint32_t run_count, run_counts[19];
    uint8_t run_lengths[19];
    uint16_t run_codes[19];
    uint32_t run_used; /* entries of run_order written */
} block_code;

static const uint8_t run_order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};

static void add_run(block_code *code, uint32_t symbol, uint32_t extra)
{
    code->runs[code->run_count] = (uint8_t)symbol;
    code->run_extra[code->run_count++] = (uint8_t)extra;
    code->run_counts[symbol]++;
}

/* Run-length codes the code lengths: symbol 16 repeats the last one 3..6 times, 17 and 18 are 3..10
   and 11..138 zeros. */
static void find_runs(block_code *code)
{
    uint32_t total = code->literal_used + code->distance_used;
    for (uint32_t i = 0; i < total;) {
        uint32_t length = code->lengths[i], same = 1;
        while (i + same < total && code->lengths[i + same] == length) same++;
        i += same;
        if (length != 0) {
            add_run(code, length, 0);
            same--;
        }
        while (same >= 3) {
            uint32_t most = length ? 6u : 138u, part = same < most ? same : most;
            if (length)
                add_run(code, 16, part - 3);
            else if (part <= 10)
                add_run(code, 17, part - 3);
            else
                add_run(code, 18, part - 11);
            same -= part;
        }
        while (same-- > 0) add_run(code, length, 0);
    }
}

static void make_code(packer *pack, block_code *code)
{
    memset(code, 0, sizeof *code);
    pack->literal_counts[256] = 1; /* end of block */
    huffman_lengths(pack->literal_counts, LITERALS, 15, code->literal_lengths);
    huffman_lengths(pack->distance_counts, DISTANCES, 15, code->distance_lengths);
    huffman_codes(code->literal_lengths, LITERALS, code->literal_codes);
    huffman_codes(code->distance_lengths, DISTANCES, code->distance_codes);
    code->literal_used = LITERALS;
    while (code->literal_used > 257 && code->literal_lengths[code->literal_used - 1] == 0)
        code->literal_used--;
    code->distance_used = DISTANCES;
    while (code->distance_used > 1 && code->distance_lengths[code->distance_used - 1] == 0)
        code->distance_used--;
    memcpy(code->lengths, code->literal_lengths, code->literal_used);
    memcpy(code->lengths + code->literal_used, code->distance_lengths, code->distance_used);
    find_runs(code);
    huffman_lengths(code->run_counts, 19, 7, code->run_lengths);
    huffman_codes(code->run_lengths, 19, code->run_codes);
    code->run_used = 19;
    while (code->run_used > 4 && code->run_lengths[run_order[code->run_used - 1]] == 0)
        code->run_used--;
}

static uint32_t run_extra_bits(uint32_t symbol)
{
    return symbol < 16 ? 0u : symbol == 16 ? 2u : symbol == 17 ? 3u : 7u;
}

/* Size of the block in bits with dynamic Huffman codes. */
static uint64_t dynamic_bits(const packer *pack, const block_code *code)
{
    uint64_t bits = 3 + 14 + 3 * (uint64_t)code->run_used;
    for (uint32_t i = 0; i < 19; i++)
        bits += (uint64_t)code->run_counts[i] * (code->run_lengths[i] + run_extra_bits(i));
    for (uint32_t i = 0; i < LITERALS; i++) {
        uint32_t extra = i > 256 ? deflate_length_extra[i - 257] : 0;
        bits += (uint64_t)pack->literal_counts[i] * (code->literal_lengths[i] + extra);
    }
    for (uint32_t i = 0; i < DISTANCES; i++)
        bits += (uint64_t)pack->distance_counts[i] *
                ((uint32_t)code->distance_lengths[i] + deflate_distance_extra[i]);
    return bits;
}

static void put_token(packer *pack, const block_code *code, token entry)
{
    if (entry.length == 0) {
        put_bits(pack, code->literal_codes[entry.value], code->literal_lengths[entry.value]);
        return;
    }
    uint32_t kind = class_of(deflate_length_base, DEFLATE_LENGTHS, entry.length),
             symbol = 257 + kind;
    put_bits(pack, code->literal_codes[symbol], code->literal_lengths[symbol]);
    put_bits(pack, (uint32_t)entry.length - deflate_length_base[kind], deflate_length_extra[kind]);
    kind = class_of(deflate_distance_base, DEFLATE_DISTANCES, entry.value);
    put_bits(pack, code->distance_codes[kind], code->distance_lengths[kind]);
    put_bits(pack, (uint32_t)entry.value - deflate_distance_base[kind],
             deflate_distance_extra[kind]);
}

static void put_dynamic(packer *pack, const block_code *code, bool last)
{
    put_bits(pack, last, 1);
    put_bits(pack, 2, 2);
    put_bits(pack, code->literal_used - 257, 5);
    put_bits(pack, code->distance_used - 1, 5);
    put_bits(pack, code->run_used - 4, 4);
    for (uint32_t i = 0; i < code->run_used; i++)
        put_bits(pack, code->run_lengths[run_order[i]], 3);
    for (uint32_t i = 0; i < code->run_count; i++) {
        uint32_t symbol = code->runs[i];
        put_bits(pack, code->run_codes[symbol], code->run_lengths[symbol]);
        put_bits(pack, code->run_extra[i], run_extra_bits(symbol));
    }
    for (uint32_t i = 0; i < pack->token_count; i++) put_token(pack, code, pack->tokens[i]);
    put_bits(pack, code->literal_codes[256], code->literal_lengths[256]);
}

static void put_stored(packer *pack, uint32_t from, uint32_t to, bool last)
{
    do {
        uint32_t part = to - from < STORED_MAX ? to - from : STORED_MAX;
        put_bits(pack, last && from + part == to, 1);
        put_bits(pack, 0, 2);
        flush_byte(pack);
        put_bits(pack, part, 16);
        put_bits(pack, ~part & 0xffffu, 16);
        memcpy(pack->out + pack->out_size, pack->bytes + from, part);
        pack->out_size += part;
        from += part;
    } while (from < to);
}

/* Writes the tokens so far as a block; they code the bytes block_start..end - 1. */
static void end_block(packer *pack, uint32_t end, bool last)
{
    block_code code;
    make_code(pack, &code);
    uint64_t stored =
        ((uint64_t)(end - pack->block_start) + 5 * ((end - pack->block_start) / STORED_MAX + 1)) *
        8;
    if (dynamic_bits(pack, &code) <= stored)
        put_dynamic(pack, &code, last);
    else
        put_stored(pack, pack->block_start, end, last);
    pack->block_start = end;
    pack->token_count = 0;
    memset(pack->literal_counts, 0, sizeof pack->literal_counts);
    memset(pack->distance_counts, 0, sizeof pack->distance_counts);
}

/* ---- matches */

static uint32_t hash_at(const uint8_t *bytes)
{
    uint32_t three = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    return three * 2654435761u >> (32 - HASH_BITS); /* Knuth's multiplier, 2^32 / golden ratio */
}

static void remember(packer *pack, uint32_t position)
{
    if (position + MATCH_MIN > pack->size) return;
    uint32_t hash = hash_at(pack->bytes + position);
    pack->previous[position % WINDOW] = pack->head[hash];
    pack->head[hash] = position;
}

static uint32_t common_length(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t length = 0;
    while (length < most && a[length] == b[length]) length++;
    return length;
}

/* The longest match at position that is longer than `least`; 0 if there is none. */
static uint32_t find_match(const packer *pack, uint32_t position, uint32_t least,
                           uint32_t *distance)
{
    uint32_t most = pack->size - position < MATCH_MAX ? pack->size - position : MATCH_MAX,
             found = 0;
    if (most < MATCH_MIN || most <= least) return 0;
    const uint8_t *here = pack->bytes + position;
    uint32_t candidate = pack->head[hash_at(here)];
    for (uint32_t tries = 0; tries < CHAIN_MAX && candidate != NO_POSITION; tries++) {
        if (position - candidate > WINDOW - 1) break;
        const uint8_t *there = pack->bytes + candidate;
        if (there[least] == here[least]) {
            uint32_t length = common_length(here, there, most);
            if (length > least && length >= MATCH_MIN) {
                found = least = length;
                *distance = position - candidate;
                if (length >= MATCH_GOOD || length == most) break;
            }
        }
        uint32_t next = pack->previous[candidate % WINDOW];
        if (next != NO_POSITION && next >= candidate) break; /* overwritten by a later position */
        candidate = next;
    }
    return found;
}

static void add_token(packer *pack, uint32_t length, uint32_t value)
{
    pack->tokens[pack->token_count++] = (token){(uint16_t)length, (uint16_t)value};
    if (length == 0) {
        pack->literal_counts[value]++;
    } else {
        pack->literal_counts[257 + class_of(deflate_length_base, DEFLATE_LENGTHS, length)]++;
        pack->distance_counts[class_of(deflate_distance_base, DEFLATE_DISTANCES, value)]++;
    }
}

/* Lazy matching: emits a literal instead of a match if the next position has a longer match. */
static void pack_all(packer *pack)
{
    uint32_t position = 0;
    while (position < pack->size) {
        uint32_t distance = 0, next_distance = 0;
        uint32_t length = find_match(pack, position, 0, &distance);
        remember(pack, position);
        bool wait = length > 0 && length < MATCH_GOOD &&
                    find_match(pack, position + 1, length, &next_distance) > 0;
        if (length == 0 || wait) {
            add_token(pack, 0, pack->bytes[position++]);
        } else {
            add_token(pack, length, distance);
            for (uint32_t i = 1; i < length; i++) remember(pack, position + i);
            position += length;
        }
        if (pack->token_count == BLOCK_MAX && position < pack->size)
            end_block(pack, position, false);
    }
    end_block(pack, position, true);
}

static uint32_t adler32(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size;) {
        size_t end = size - i > 5552 ? i + 5552 : size; /* the longest run whose sums fit 32 bits */
        for (; i < end; i++) b += a += bytes[i];
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

/* A block takes at most its bytes plus 5 per stored part; all blocks but the last contain at least
   BLOCK_MAX bytes. */
static size_t packer_bound(size_t size) { return size + 12 * (size / BLOCK_MAX + 2) + 16; }

int deflate_zlib(const uint8_t *bytes, size_t size, uint8_t **packed, size_t *packed_size)
{
    *packed = NULL;
    if (size > 0x7fffffff) return HOST_OUT_OF_MEMORY;
    packer *pack = malloc(sizeof *pack);
    uint8_t *out = malloc(packer_bound(size));
    if (!pack || !out) {
        free(pack);
        free(out);
        return HOST_OUT_OF_MEMORY;
    }
    memset(pack, 0, sizeof *pack);
    memset(pack->head, 0xff, sizeof pack->head);
    memset(pack->previous, 0xff, sizeof pack->previous);
    pack->bytes = bytes;
    pack->size = (uint32_t)size;
    pack->out = out;
    put_bits(pack, 0x78, 8); /* deflate, 32 KiB window */
    put_bits(pack, 0x9c, 8); /* makes the header a multiple of 31 */
    pack_all(pack);
    flush_byte(pack);
    uint32_t check = adler32(bytes, size);
    for (uint32_t shift = 32; shift > 0; shift -= 8) put_bits(pack, check >> (shift - 8) & 255u, 8);
    *packed = out;
    *packed_size = pack->out_size;
    free(pack);
    return HOST_DONE;
}

#endif
