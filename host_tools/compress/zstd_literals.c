/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_literals.c - decodes the literals of a block: raw, RLE, or Huffman
           codes.
   reads   the block's first section      writes  the decoder's Huffman table and its buffer of
           literals
   memory  3 KiB of stack      cost    O(literals), and 2048 entries for a new table
   after   RFC 8878, 3.1.1.3.1 and 4.2; four streams interleaved, five codes of each between
           refills */
#include "zstd_private.h"

#define WEIGHTS_MAX  255u  /* the last of 256 weights is implied by the others */
#define WEIGHT_KINDS 16u   /* values of four bits; weights above ZSTD_HUFFMAN_BITS are invalid */
#define BATCH        5u    /* codes per refill: 5 * 11 + 7 bits and the mark are 63 */
#define BATCH_BYTES  7     /* largest number of bytes that a batch consumes of a stream */
#define PAIRS_FROM   4096u /* a table of pairs pays off from this many literals.. */
#define PAIRS_BITS   5u    /* ..if they have fewer bits than this on average */

/* ---- the table */

/* Decodes FSE-compressed weights: two states alternate until the stream is used up; then each state
   gives one last weight. */
static uint32_t compressed_weights(const uint8_t *bytes, size_t size, uint8_t *weights)
{
    zstd_cell cells[1u << ZSTD_WEIGHT_LOG];
    int16_t counts[ZSTD_HUFFMAN_BITS + 1];
    zstd_bits bits;
    uint32_t log, count = 0;
    size_t used =
        zstd_read_counts(bytes, size, ZSTD_HUFFMAN_BITS + 1, ZSTD_WEIGHT_LOG, counts, &log);
    if (used == 0 || !zstd_bits_open(&bits, bytes + used, size - used)) return 0;
    zstd_make_cells(cells, counts, ZSTD_HUFFMAN_BITS + 1, log, NULL);
    uint32_t state = (uint32_t)zstd_bits_take(&bits, log),
             other = (uint32_t)zstd_bits_take(&bits, log);
    if (zstd_bits_over(&bits)) return 0;
    while (count + 2 <= WEIGHTS_MAX) {
        zstd_cell cell = cells[state];
        weights[count++] = (uint8_t)zstd_base_of(cell);
        zstd_bits_refill(&bits);
        state = other;
        other = zstd_next_of(cell) + (uint32_t)zstd_bits_take(&bits, zstd_bits_of(cell));
        if (zstd_bits_over(&bits)) {
            weights[count++] = (uint8_t)zstd_base_of(cells[state]);
            return count;
        }
    }
    return 0;
}

/* Reads the weights and returns the size of their description; 0 if it is invalid. */
static size_t read_weights(const uint8_t *bytes, size_t size, uint8_t *weights, uint32_t *count)
{
    if (size == 0) return 0;
    size_t head = bytes[0];
    if (head < 128) {
        if (head == 0 || head + 1 > size) return 0;
        *count = compressed_weights(bytes + 1, head, weights);
        return *count ? head + 1 : 0;
    }
    *count = (uint32_t)head - 127u;
    if ((*count + 1) / 2 + 1 > size) return 0;
    for (uint32_t k = 0; k < *count; k++)
        weights[k] = (uint8_t)(k & 1u ? bytes[1 + k / 2] & 15u : bytes[1 + k / 2] >> 4);
    return (*count + 1) / 2 + 1;
}

/* Counts each weight, in four histograms, because increments of a single counter would depend on
   each other. */
static void count_weights(const uint8_t *weights, uint32_t count, uint32_t counts[WEIGHT_KINDS])
{
    uint32_t quarters[4][WEIGHT_KINDS] = {{0}};
    for (uint32_t k = 0; k < count; k++) quarters[k & 3u][weights[k] & (WEIGHT_KINDS - 1u)]++;
    for (uint32_t weight = 0; weight < WEIGHT_KINDS; weight++)
        counts[weight] =
            quarters[0][weight] + quarters[1][weight] + quarters[2][weight] + quarters[3][weight];
}

/* Adds the implied weight, which makes the sum a power of two. Returns the binary logarithm of that
   power, 0 if there is none. */
static uint32_t complete_weights(uint8_t *weights, uint32_t *count, uint32_t counts[WEIGHT_KINDS])
{
    uint32_t sum = 0;
    count_weights(weights, *count, counts);
    for (uint32_t weight = 1; weight < WEIGHT_KINDS; weight++) {
        if (weight > ZSTD_HUFFMAN_BITS && counts[weight]) return 0;
        sum += counts[weight] << (weight - 1);
    }
    if (sum == 0) return 0;
    uint32_t log = zstd_highest(sum) + 1, rest = (1u << log) - sum;
    if (log > ZSTD_HUFFMAN_BITS || (rest & (rest - 1)) != 0) return 0;
    weights[*count] = (uint8_t)(zstd_highest(rest) + 1);
    counts[weights[*count]]++;
    *count += 1;
    return counts[1] >= 2 ? log : 0;
}

static uint16_t *fill_entries(uint16_t *to, uint16_t entry, uint32_t length)
{
    uint64_t four = entry * UINT64_C(0x0001000100010001);
    if (length < 4) { /* 1 or 2 */
        to[0] = to[length - 1] = entry;
        return to + length;
    }
    for (uint16_t *end = to + length; to < end; to += 4) memcpy(to, &four, sizeof four);
    return to;
}

/* Fills the Huffman decoding table. Codes are assigned by ascending weight, then by symbol. Entries
   are repeated so that every table has ZSTD_HUFFMAN_BITS. */
static void fill_table(uint16_t *table, const uint8_t *weights, const uint32_t counts[WEIGHT_KINDS],
                       uint32_t count, uint32_t log)
{
    uint8_t symbols[WEIGHTS_MAX + 1];
    uint32_t ends[ZSTD_HUFFMAN_BITS + 1] = {0};
    for (uint32_t weight = 1; weight <= log; weight++)
        ends[weight] = ends[weight - 1] + counts[weight - 1];
    for (uint32_t k = 0; k < count; k++) symbols[ends[weights[k]]++] = (uint8_t)k;
    for (uint32_t weight = 1; weight <= log; weight++) {
        uint32_t length = 1u << (weight - 1 + ZSTD_HUFFMAN_BITS - log), bits = log + 1u - weight;
        for (uint32_t i = ends[weight - 1]; i < ends[weight]; i++)
            table = fill_entries(table, (uint16_t)(symbols[i] * 256u + bits), length);
    }
}

/* Fills a table that decodes two codes at once if both fit into the next bits. An entry has the
   symbols in the two low bytes, then the number of bits, then the number of symbols. */
static void fill_pairs(const uint16_t *table, uint32_t *pairs)
{
    const uint32_t size = 1u << ZSTD_HUFFMAN_BITS;
    for (uint32_t at = 0; at < size; at++) {
        uint32_t first = table[at], length = first & 255u;
        uint32_t second = table[at << length & (size - 1)], both = length + (second & 255u);
        bool is_pair = both <= ZSTD_HUFFMAN_BITS;
        pairs[at] =
            first >> 8 | (second & 0xff00u) | (is_pair ? both | 0x200u : length | 0x100u) << 16;
    }
}

static size_t read_table(zstd_decoder *decoder, const uint8_t *bytes, size_t size)
{
    uint8_t weights[WEIGHTS_MAX + 1];
    uint32_t count = 0;
    size_t used = read_weights(bytes, size, weights, &count);
    uint32_t counts[WEIGHT_KINDS], log = used ? complete_weights(weights, &count, counts) : 0;
    if (log == 0) return 0;
    fill_table(decoder->huffman, weights, counts, count, log);
    decoder->has_huffman = true;
    decoder->has_pairs = false;
    return used;
}

/* ---- the streams */

/* Decodes out_end - out literals; false if the stream does not contain exactly that number. */
static bool read_stream(const uint16_t *table, zstd_bits *bits, uint8_t *out, uint8_t *out_end)
{
    while (out_end - out >= (ptrdiff_t)BATCH && bits->at - bits->start >= 8) {
        zstd_bits_refill(bits);
        for (uint32_t k = 0; k < BATCH; k++) {
            uint16_t entry = table[zstd_bits_peek(bits, ZSTD_HUFFMAN_BITS)];
            bits->used += entry & 255u;
            *out++ = (uint8_t)(entry >> 8);
        }
    }
    while (out < out_end && !zstd_bits_over(bits)) {
        zstd_bits_refill(bits);
        uint16_t entry = table[zstd_bits_peek(bits, ZSTD_HUFFMAN_BITS)];
        bits->used += entry & 255u;
        *out++ = (uint8_t)(entry >> 8);
    }
    zstd_bits_refill(bits);
    return out == out_end && zstd_bits_done(bits);
}

/* State of four streams. The bits of each are at the top of a word, with a mark bit below them: the
   number of trailing zeros is the number of consumed bits. */
typedef struct quartet {
    uint64_t words[4];
    const uint8_t *at[4];
    uint8_t *out[4];
} quartet;

/* Number of batches that all streams can decode without bounds checks, if a batch gives at most
   `most` literals. */
static size_t safe_batches(const quartet *four, const zstd_bits *bits, uint8_t *const *ends,
                           size_t most)
{
    size_t batches = SIZE_MAX;
    for (uint32_t s = 0; s < 4; s++) {
        size_t in = (size_t)(four->at[s] - bits[s].start) / BATCH_BYTES;
        size_t out = (size_t)(ends[s] - four->out[s]) / most;
        if (in < batches) batches = in;
        if (out < batches) batches = out;
    }
    return batches;
}

#define TAKE_ONE(s)                                                   \
    do {                                                              \
        uint16_t entry = table[word##s >> (64u - ZSTD_HUFFMAN_BITS)]; \
        word##s <<= entry & 63u;                                      \
        *out##s++ = (uint8_t)(entry >> 8);                            \
    } while (0)
#define TAKE_PAIR(s)                                                  \
    do {                                                              \
        uint32_t entry = pairs[word##s >> (64u - ZSTD_HUFFMAN_BITS)]; \
        word##s <<= entry >> 16 & 63u;                                \
        out##s[0] = (uint8_t)entry;                                   \
        out##s[1] = (uint8_t)(entry >> 8);                            \
        out##s += entry >> 24;                                        \
    } while (0)
#define REFILL(s)                                            \
    do {                                                     \
        uint32_t taken = zstd_trailing(word##s);             \
        at##s -= taken >> 3;                                 \
        word##s = (zstd_load64(at##s) | 1u) << (taken & 7u); \
    } while (0)

/* Separate variables for each stream, because compilers keep these in registers, but arrays in
   memory. */
#define TAKE_BATCHES(TAKE)                                                                        \
    uint64_t word0 = four->words[0], word1 = four->words[1], word2 = four->words[2],              \
             word3 = four->words[3];                                                              \
    const uint8_t *at0 = four->at[0], *at1 = four->at[1], *at2 = four->at[2], *at3 = four->at[3]; \
    uint8_t *out0 = four->out[0], *out1 = four->out[1], *out2 = four->out[2],                     \
            *out3 = four->out[3];                                                                 \
    for (; batches > 0; batches--) {                                                              \
        for (uint32_t k = 0; k < BATCH; k++) {                                                    \
            TAKE(0);                                                                              \
            TAKE(1);                                                                              \
            TAKE(2);                                                                              \
            TAKE(3);                                                                              \
        }                                                                                         \
        REFILL(0);                                                                                \
        REFILL(1);                                                                                \
        REFILL(2);                                                                                \
        REFILL(3);                                                                                \
    }                                                                                             \
    *four = (quartet){{word0, word1, word2, word3}, {at0, at1, at2, at3}, {out0, out1, out2, out3}};

static void take_batches(const uint16_t *table, quartet *four, size_t batches)
{
    TAKE_BATCHES(TAKE_ONE)
}
static void take_pair_batches(const uint32_t *pairs, quartet *four, size_t batches)
{
    TAKE_BATCHES(TAKE_PAIR)
}
#undef TAKE_BATCHES
#undef TAKE_ONE
#undef TAKE_PAIR
#undef REFILL

static void read_batches(const zstd_decoder *decoder, quartet *four, zstd_bits *bits,
                         uint8_t *const *ends, bool by_pairs)
{
    size_t most = by_pairs ? 2 * BATCH : BATCH;
    for (uint32_t s = 0; s < 4; s++) {
        four->words[s] = (bits[s].word | 1u) << bits[s].used;
        four->at[s] = bits[s].at;
    }
    for (size_t batches; (batches = safe_batches(four, bits, ends, most)) > 0;) {
        if (by_pairs)
            take_pair_batches(decoder->pairs, four, batches);
        else
            take_batches(decoder->huffman, four, batches);
    }
    for (uint32_t s = 0; s < 4; s++) {
        bits[s].at = four->at[s];
        bits[s].word = zstd_load64(four->at[s]);
        bits[s].used = zstd_trailing(four->words[s]);
    }
}

static bool read_four(const zstd_decoder *decoder, zstd_bits *bits, uint8_t *const *starts,
                      uint8_t *const *ends, bool by_pairs)
{
    quartet four = {.out = {starts[0], starts[1], starts[2], starts[3]}};
    bool is_long = true;
    for (uint32_t s = 0; s < 4; s++) is_long = is_long && bits[s].at > bits[s].start;
    if (is_long) read_batches(decoder, &four, bits, ends, by_pairs);
    for (uint32_t s = 0; s < 4; s++)
        if (!read_stream(decoder->huffman, &bits[s], four.out[s], ends[s])) return false;
    return true;
}

static bool read_streams(zstd_decoder *decoder, const uint8_t *bytes, size_t size, bool is_four)
{
    zstd_bits bits[4];
    uint8_t *starts[4], *ends[4], *out = decoder->buffer, *end = out + decoder->literal_count;
    if (!is_four) {
        if (zstd_bits_open(&bits[0], bytes, size) &&
            read_stream(decoder->huffman, &bits[0], out, end))
            return true;
        return zstd_fail(decoder, bytes, "a stream of literals is wrong");
    }
    size_t part = (decoder->literal_count + 3) / 4, at = 6;
    if (size < 10 || 3 * part > decoder->literal_count)
        return zstd_fail(decoder, bytes, "four streams of literals do not fit");
    for (uint32_t s = 0; s < 4; s++) {
        size_t length = s < 3 ? (size_t)bytes[2 * s] | (size_t)bytes[2 * s + 1] << 8 : size - at;
        if (length > size - at || !zstd_bits_open(&bits[s], bytes + at, length))
            return zstd_fail(decoder, bytes + (s < 3 ? 2 * s : at),
                             "the length of a stream of literals is wrong");
        starts[s] = out + s * part;
        ends[s] = s < 3 ? starts[s] + part : end;
        at += length;
    }
    bool by_pairs =
        decoder->literal_count >= PAIRS_FROM && size * 8 < decoder->literal_count * PAIRS_BITS;
    if (by_pairs && !decoder->has_pairs) fill_pairs(decoder->huffman, decoder->pairs);
    decoder->has_pairs = decoder->has_pairs || by_pairs;
    if (read_four(decoder, bits, starts, ends, by_pairs)) return true;
    return zstd_fail(decoder, bytes + 6, "a stream of literals is wrong");
}

/* ---- the section */

typedef struct literals_head {
    uint32_t kind; /* 0 raw, 1 RLE, 2 Huffman with a table, 3 Huffman with the previous table */
    uint32_t bytes, count, packed;
    bool is_four;
} literals_head;

static literals_head parse_head(const uint8_t *bytes, size_t size)
{
    static const uint8_t lengths[2][4] = {{1, 2, 1, 3}, {3, 3, 4, 5}}, widths[4] = {10, 10, 14, 18};
    uint64_t value = 0;
    for (size_t k = 0; k < 5 && k < size; k++) value |= (uint64_t)bytes[k] << 8 * k;
    uint32_t form = (uint32_t)value >> 2 & 3u, width = widths[form];
    literals_head head = {.kind = (uint32_t)value & 3u, .is_four = form > 0};
    head.bytes = lengths[head.kind >> 1][form];
    if (head.kind < 2) {
        head.count = (uint32_t)(value >> (form & 1u ? 4 : 3)) &
                     ((1u << (head.bytes * 8 - (form & 1u ? 4 : 3))) - 1);
        head.packed = head.kind == 0 ? head.count : 1;
    } else {
        head.count = (uint32_t)(value >> 4) & ((1u << width) - 1);
        head.packed = (uint32_t)(value >> (4 + width)) & ((1u << width) - 1);
    }
    return head;
}

bool zstd_read_literals(zstd_decoder *decoder, const uint8_t *bytes, size_t size,
                        const uint8_t *input_end, size_t *used)
{
    literals_head head = parse_head(bytes, size);
    if (head.bytes > size || head.packed > size - head.bytes)
        return zstd_fail(decoder, bytes, "the literals end after their block");
    if (head.count > decoder->block_max)
        return zstd_fail(decoder, bytes, "more literals than a block holds");
    const uint8_t *at = bytes + head.bytes;
    *used = head.bytes + head.packed;
    decoder->literal_count = head.count;
    decoder->literals = decoder->buffer;
    if (head.kind == 0) {
        if ((size_t)(input_end - at) - head.count >= ZSTD_SLACK)
            decoder->literals = at;
        else
            memcpy(decoder->buffer, at, head.count);
        return true;
    }
    if (head.kind == 1) {
        memset(decoder->buffer, *at, head.count);
        return true;
    }
    size_t table = head.kind == 2 ? read_table(decoder, at, head.packed) : 0;
    if (head.kind == 2 && table == 0)
        return zstd_fail(decoder, at, "the table of literals is wrong");
    if (!decoder->has_huffman) return zstd_fail(decoder, bytes, "no table of literals to repeat");
    if (head.count == 0) return zstd_fail(decoder, bytes, "coded literals, but none");
    return read_streams(decoder, at + table, head.packed - table, head.is_four);
}
