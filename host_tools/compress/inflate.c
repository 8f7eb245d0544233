/* SPDX-License-Identifier: MIT
   host_tools/compress/inflate.c - decodes a zlib stream; safe for any input bytes.
   reads   a stream      writes  its content
   memory  5 KiB of stack for the codes of a block      cost  O(bytes in + bytes out), plus O(288
           symbols) per block
   after   RFC 1950 and 1951; codes of up to FAST_BITS by table look-up, longer ones bit by bit */
#include "inflate.h"
#include "copy.h"
#include "deflate_codes.h"
#include "gain.h"
#include "huffman.h"

#define FAST_BITS     10u
#define CODE_BITS_MAX 15u
#define LITERALS_MAX  286u
#define DISTANCES_MAX 30u
#define BLOCK_END     256u
#define NO_SYMBOL     0xffffu
#define RATIO_MAX     1032u /* a match of 258 bytes takes at least two bits */

typedef struct inflater {
    const uint8_t *bytes, *at, *end;
    /* bit buffer, lowest bit first: bits of the bytes before `at`. Bits from bit_count on are the
       first bits of *at, or 0 */
    uint64_t bits;
    uint32_t bit_count;
    uint8_t *out;
    size_t written, out_size;
    const char *why; /* reason of an error, else NULL */
} inflater;

typedef struct code_table {
    /* symbol << 4 | length, by the next bits; 0: a longer code, or none */
    uint16_t fast[1u << FAST_BITS];
    uint16_t counts[CODE_BITS_MAX + 1];
    uint16_t symbols[HUFFMAN_SYMBOLS]; /* by length, then by value */
} code_table;

static bool refuse(inflater *r, const char *why)
{
    r->why = why;
    return false;
}

/* ---- bits */

/* Fills the bit buffer to at least 56 bits, or with all bits that are left. */
static inline void refill(inflater *r)
{
    if (r->end - r->at >= 8) {
        uint64_t word = 0;
        for (uint32_t i = 0; i < 8; i++) word |= (uint64_t)r->at[i] << 8 * i;
        r->bits |= word << r->bit_count;
        r->at += (63 - r->bit_count) >> 3;
        r->bit_count |= 56;
        return;
    }
    for (; r->bit_count <= 56 && r->at < r->end; r->bit_count += 8)
        r->bits |= (uint64_t)*r->at++ << r->bit_count;
}

static inline void drop_bits(inflater *r, uint32_t count)
{
    r->bits >>= count;
    r->bit_count -= count;
}

static bool take_bits(inflater *r, uint32_t count, uint32_t *value)
{
    if (r->bit_count < count) refill(r);
    if (r->bit_count < count) return refuse(r, "the stream ends too early");
    *value = (uint32_t)r->bits & ((1u << count) - 1);
    drop_bits(r, count);
    return true;
}

/* Returns whole bytes of the bit buffer to the input, so that `at` is the next unused byte. */
static void align_to_byte(inflater *r)
{
    r->at -= r->bit_count / 8;
    r->bits = 0;
    r->bit_count = 0;
}

/* ---- codes */

/* True if the code is complete and not over-subscribed (RFC 1951, 3.2.2). Exception: a code with a
   single symbol has one bit, whose other value is invalid. */
static bool lengths_are_sound(const uint16_t *counts, bool may_be_single)
{
    int32_t left = 1;
    uint32_t used = 0;
    for (uint32_t length = 1; length <= CODE_BITS_MAX; length++) {
        left = left * 2 - counts[length];
        if (left < 0) return false;
        used += counts[length];
    }
    return left == 0 || (may_be_single && (used == 0 || (used == 1 && counts[1] == 1)));
}

static bool build_table(code_table *table, const uint8_t *lengths, uint32_t symbol_count,
                        bool may_be_single)
{
    uint16_t codes[HUFFMAN_SYMBOLS], next[CODE_BITS_MAX + 2] = {0};
    memset(table->counts, 0, sizeof table->counts);
    memset(table->fast, 0, sizeof table->fast);
    for (uint32_t s = 0; s < symbol_count; s++) table->counts[lengths[s]]++;
    table->counts[0] = 0;
    if (!lengths_are_sound(table->counts, may_be_single)) return false;
    huffman_codes(lengths, symbol_count, codes);
    for (uint32_t length = 1; length <= CODE_BITS_MAX; length++)
        next[length + 1] = (uint16_t)(next[length] + table->counts[length]);
    for (uint32_t s = 0; s < symbol_count; s++) {
        uint32_t length = lengths[s];
        if (!length) continue;
        table->symbols[next[length]++] = (uint16_t)s;
        for (uint32_t at = codes[s]; length <= FAST_BITS && at < 1u << FAST_BITS;
             at += 1u << length)
            table->fast[at] = (uint16_t)(s << 4 | length);
    }
    return true;
}

/* Canonical decoding bit by bit: codes of a length are consecutive, starting at twice the end of
   the previous length. */
static uint32_t find_long_code(const code_table *table, uint64_t bits, uint32_t *length)
{
    uint32_t code = 0, first = 0, index = 0;
    for (*length = 1; *length <= CODE_BITS_MAX; ++*length) {
        uint32_t count = table->counts[*length];
        code = code << 1 | (uint32_t)(bits >> (*length - 1) & 1);
        first <<= 1;
        if (code - first < count) return table->symbols[index + code - first];
        first += count;
        index += count;
    }
    return NO_SYMBOL;
}

/* Decodes the next symbol; NO_SYMBOL on an error, with the reason set. */
static inline uint32_t take_symbol(inflater *r, const code_table *table)
{
    if (r->bit_count < CODE_BITS_MAX) refill(r);
    uint32_t entry = table->fast[r->bits & ((1u << FAST_BITS) - 1)], length = entry & 15u,
             symbol = entry >> 4;
    if (!entry) symbol = find_long_code(table, r->bits, &length);
    if (length <= r->bit_count) {
        drop_bits(r, length);
        if (symbol == NO_SYMBOL) refuse(r, "these bits are no code of the block");
        return symbol;
    }
    refuse(r, length > CODE_BITS_MAX ? "these bits are no code of the block"
                                     : "the stream ends too early");
    return NO_SYMBOL;
}

/* ---- blocks */

static bool copy_stored(inflater *r)
{
    drop_bits(r, r->bit_count % 8);
    align_to_byte(r);
    if (r->end - r->at < 4) {
        r->at = r->end;
        return refuse(r, "the stream ends too early");
    }
    uint32_t size = r->at[0] | (uint32_t)r->at[1] << 8, other = r->at[2] | (uint32_t)r->at[3] << 8;
    if (size != (~other & 0xffffu)) return refuse(r, "the two sizes of a stored block differ");
    r->at += 4;
    if (size > (size_t)(r->end - r->at)) {
        r->at = r->end;
        return refuse(r, "the stream ends too early");
    }
    if (size > r->out_size - r->written)
        return refuse(r, "the stream holds more bytes than expected");
    if (size) memcpy(r->out + r->written, r->at, size);
    r->at += size;
    r->written += size;
    return true;
}

static bool copy_match(inflater *r, const code_table *distances, uint32_t symbol)
{
    uint32_t more, kind = symbol - BLOCK_END - 1;
    if (symbol >= LITERALS_MAX) return refuse(r, "a length of no meaning");
    if (!take_bits(r, deflate_length_extra[kind], &more)) return false;
    size_t length = deflate_length_base[kind] + more;
    kind = take_symbol(r, distances);
    if (kind == NO_SYMBOL) return false;
    if (kind >= DISTANCES_MAX) return refuse(r, "a distance of no meaning");
    if (!take_bits(r, deflate_distance_extra[kind], &more)) return false;
    size_t distance = deflate_distance_base[kind] + more, capacity = r->out_size - r->written;
    if (distance > r->written) return refuse(r, "a distance leads before the beginning");
    if (length > capacity) return refuse(r, "the stream holds more bytes than expected");
    copy_back(r->out + r->written, distance, length, capacity);
    r->written += length;
    return true;
}

static bool decode_block(inflater *r, const code_table *literals, const code_table *distances)
{
    for (;;) {
        uint32_t symbol = take_symbol(r, literals);
        if (symbol == NO_SYMBOL) return false;
        if (symbol == BLOCK_END) return true;
        if (symbol > BLOCK_END) {
            if (!copy_match(r, distances, symbol)) return false;
            continue;
        }
        if (r->written == r->out_size)
            return refuse(r, "the stream holds more bytes than expected");
        r->out[r->written++] = (uint8_t)symbol;
    }
}

/* The fixed codes; RFC 1951, 3.2.6. */
static void build_fixed(code_table *literals, code_table *distances)
{
    uint8_t lengths[HUFFMAN_SYMBOLS];
    for (uint32_t s = 0; s < HUFFMAN_SYMBOLS; s++)
        lengths[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    build_table(literals, lengths, HUFFMAN_SYMBOLS, false);
    memset(lengths, 5, 32);
    build_table(distances, lengths, 32, false);
}

/* Reads the run-length coded list of code lengths of both codes; RFC 1951, 3.2.7. */
static bool take_lengths(inflater *r, const code_table *table, uint8_t *lengths, uint32_t count)
{
    static const uint8_t repeat_bits[3] = {2, 3, 7}, repeat_base[3] = {3, 3, 11};
    for (uint32_t done = 0; done < count;) {
        uint32_t symbol = take_symbol(r, table), more;
        if (symbol == NO_SYMBOL) return false;
        if (symbol < 16) {
            lengths[done++] = (uint8_t)symbol;
            continue;
        }
        if (symbol == 16 && !done) return refuse(r, "a length of a code repeats none");
        if (!take_bits(r, repeat_bits[symbol - 16], &more)) return false;
        more += repeat_base[symbol - 16];
        if (more > count - done) return refuse(r, "the lengths of the codes are too many");
        memset(lengths + done, symbol == 16 ? lengths[done - 1] : 0, more);
        done += more;
    }
    return true;
}

static bool take_codes(inflater *r, code_table *literals, code_table *distances)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS_MAX + DISTANCES_MAX + 3] = {0};
    uint32_t literal_count, distance_count, length_count, length;
    if (!take_bits(r, 5, &literal_count) || !take_bits(r, 5, &distance_count) ||
        !take_bits(r, 4, &length_count))
        return false;
    literal_count += 257;
    distance_count += 1;
    if (literal_count > LITERALS_MAX || distance_count > DISTANCES_MAX)
        return refuse(r, "a block has more codes than there are symbols");
    for (uint32_t i = 0; i < length_count + 4; i++) {
        if (!take_bits(r, 3, &length)) return false;
        lengths[order[i]] = (uint8_t)length;
    }
    if (!build_table(literals, lengths, 19, false))
        return refuse(r, "the code of the lengths is unsound");
    if (!take_lengths(r, literals, lengths, literal_count + distance_count)) return false;
    if (!lengths[BLOCK_END]) return refuse(r, "a block has no code for its end");
    if (!build_table(literals, lengths, literal_count, true))
        return refuse(r, "the code of the literals is unsound");
    if (!build_table(distances, lengths + literal_count, distance_count, true))
        return refuse(r, "the code of the distances is unsound");
    return true;
}

static bool inflate_blocks(inflater *r)
{
    code_table literals, distances;
    uint32_t is_last = 0, kind;
    while (!is_last) {
        if (!take_bits(r, 1, &is_last) || !take_bits(r, 2, &kind)) return false;
        if (kind == 3) return refuse(r, "a block of the reserved kind");
        if (kind == 0) {
            if (!copy_stored(r)) return false;
            continue;
        }
        if (kind == 1) build_fixed(&literals, &distances);
        if (kind == 2 && !take_codes(r, &literals, &distances)) return false;
        if (!decode_block(r, &literals, &distances)) return false;
    }
    return true;
}

/* ---- zlib container, RFC 1950 */

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

static bool check_head(inflater *r)
{
    if (r->end - r->at < 2) {
        r->at = r->end;
        return refuse(r, "the stream ends too early");
    }
    uint32_t form = r->at[0], flags = r->at[1];
    if ((form & 15u) != 8 || form >> 4 > 7 || (form << 8 | flags) % 31 != 0)
        return refuse(r, "no zlib stream begins here");
    if (flags & 32u) return refuse(r, "the stream needs a dictionary, which is not supported");
    r->at += 2;
    return true;
}

static bool check_tail(inflater *r)
{
    if (r->written != r->out_size) return refuse(r, "the stream holds fewer bytes than expected");
    if (r->end - r->at < 4) {
        r->at = r->end;
        return refuse(r, "the stream ends too early");
    }
    uint32_t sum =
        (uint32_t)r->at[0] << 24 | (uint32_t)r->at[1] << 16 | (uint32_t)r->at[2] << 8 | r->at[3];
    if (sum != adler32(r->out, r->out_size))
        return refuse(r, "the checksum is not that of the content");
    r->at += 4;
    return true;
}

uint64_t inflate_decoded_max(size_t size) { return compress_most(size, RATIO_MAX); }

bool inflate_zlib(const uint8_t *bytes, size_t size, uint8_t *out, size_t out_size, size_t *used,
                  compress_fault *fault)
{
    inflater r = {
        .bytes = bytes, .at = bytes, .end = bytes + size, .out = out, .out_size = out_size};
    bool good = check_head(&r) && inflate_blocks(&r);
    align_to_byte(&r);
    if (good) good = check_tail(&r);
    *used = (size_t)(r.at - bytes);
    *fault = (compress_fault){*used, r.why};
    return good;
}
