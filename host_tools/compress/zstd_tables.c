/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_tables.c - code tables of Zstandard, and FSE (tANS) decoding tables from
           normalised counts.
   reads   counts, the description of a table      writes  cells
   memory  2 KiB of stack      cost    O(cells)
   after   RFC 8878, 3.1.1.3.2 and 4.1; J. Duda, "Asymmetric numeral systems", arXiv:1311.2540 */
#include "zstd_private.h"

static const zstd_code literal_codes[ZSTD_LITERAL_CODES] = {
    {0, 0},     {1, 0},      {2, 0},      {3, 0},     {4, 0},   {5, 0},     {6, 0},     {7, 0},
    {8, 0},     {9, 0},      {10, 0},     {11, 0},    {12, 0},  {13, 0},    {14, 0},    {15, 0},
    {16, 1},    {18, 1},     {20, 1},     {22, 1},    {24, 2},  {28, 2},    {32, 3},    {40, 3},
    {48, 4},    {64, 6},     {128, 7},    {256, 8},   {512, 9}, {1024, 10}, {2048, 11}, {4096, 12},
    {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}};

static const zstd_code match_codes[ZSTD_MATCH_CODES] = {
    {3, 0},     {4, 0},     {5, 0},      {6, 0},      {7, 0},     {8, 0},   {9, 0},     {10, 0},
    {11, 0},    {12, 0},    {13, 0},     {14, 0},     {15, 0},    {16, 0},  {17, 0},    {18, 0},
    {19, 0},    {20, 0},    {21, 0},     {22, 0},     {23, 0},    {24, 0},  {25, 0},    {26, 0},
    {27, 0},    {28, 0},    {29, 0},     {30, 0},     {31, 0},    {32, 0},  {33, 0},    {34, 0},
    {35, 1},    {37, 1},    {39, 1},     {41, 1},     {43, 2},    {47, 2},  {51, 3},    {59, 3},
    {67, 4},    {83, 4},    {99, 5},     {131, 7},    {259, 8},   {515, 9}, {1027, 10}, {2051, 11},
    {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}};

#define OFFSET_CODES_FROM(k) \
    {1u << (k), (k)}, {2u << (k), (k) + 1}, {4u << (k), (k) + 2}, { 8u << (k), (k) + 3 }
static const zstd_code offset_codes[ZSTD_OFFSET_CODES] = {
    OFFSET_CODES_FROM(0),  OFFSET_CODES_FROM(4),  OFFSET_CODES_FROM(8),  OFFSET_CODES_FROM(12),
    OFFSET_CODES_FROM(16), OFFSET_CODES_FROM(20), OFFSET_CODES_FROM(24), OFFSET_CODES_FROM(28)};
#undef OFFSET_CODES_FROM

static const int16_t literal_counts[36] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                           2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                           2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t match_counts[53] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
                                         1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int16_t offset_counts[29] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

/* The predefined decoding tables, as zstd_make_cells makes them; RFC 8878, appendix A. Precomputed
   for the speed of short blocks. */
static const zstd_cell literal_cells[64] = {
    0x400000000000000, 0x400001000000000, 0x500002000000001, 0x500000000000003, 0x500000000000004,
    0x500000000000006, 0x500000000000007, 0x500000000000009, 0x50000000000000a, 0x50000000000000c,
    0x60000000000000e, 0x501000000000010, 0x501000000000014, 0x501000000000016, 0x50200000000001c,
    0x503000000000020, 0x504000000000030, 0x506002000000040, 0x507000000000080, 0x608000000000100,
    0x60a000000000400, 0x60c000000001000, 0x400002000000000, 0x400000000000001, 0x500000000000002,
    0x500002000000004, 0x500000000000005, 0x500002000000007, 0x500000000000008, 0x50000200000000a,
    0x50000000000000b, 0x60000000000000d, 0x501002000000010, 0x501000000000012, 0x501002000000016,
    0x502000000000018, 0x503002000000020, 0x503000000000028, 0x406000000000040, 0x406001000000040,
    0x507002000000080, 0x609000000000200, 0x60b000000000800, 0x400003000000000, 0x400001000000001,
    0x500002000000002, 0x500002000000003, 0x500002000000005, 0x500002000000006, 0x500002000000008,
    0x500002000000009, 0x50000200000000b, 0x50000200000000c, 0x60000000000000f, 0x501002000000012,
    0x501002000000014, 0x502002000000018, 0x50200200000001c, 0x503002000000028, 0x504002000000030,
    0x610000000010000, 0x60f000000008000, 0x60e000000004000, 0x60d000000002000,
};
static const zstd_cell offset_cells[32] = {
    0x500000000000001, 0x406000000000040, 0x509000000000200, 0x50f000000008000, 0x515000000200000,
    0x503000000000008, 0x407000000000080, 0x50c000000001000, 0x512000000040000, 0x517000000800000,
    0x505000000000020, 0x408000000000100, 0x50e000000004000, 0x514000000100000, 0x502000000000004,
    0x407001000000080, 0x50b000000000800, 0x511000000020000, 0x516000000400000, 0x504000000000010,
    0x408001000000100, 0x50d000000002000, 0x513000000080000, 0x501000000000002, 0x406001000000040,
    0x50a000000000400, 0x510000000010000, 0x51c000010000000, 0x51b000008000000, 0x51a000004000000,
    0x519000002000000, 0x518000001000000,
};
static const zstd_cell match_cells[64] = {
    0x600000000000003, 0x400000000000004, 0x500002000000005, 0x500000000000006, 0x500000000000008,
    0x500000000000009, 0x50000000000000b, 0x60000000000000d, 0x600000000000010, 0x600000000000013,
    0x600000000000016, 0x600000000000019, 0x60000000000001c, 0x60000000000001f, 0x600000000000022,
    0x601000000000025, 0x601000000000029, 0x60200000000002f, 0x60300000000003b, 0x604000000000053,
    0x607000000000083, 0x609000000000203, 0x400001000000004, 0x400000000000005, 0x500002000000006,
    0x500000000000007, 0x500002000000009, 0x50000000000000a, 0x60000000000000c, 0x60000000000000f,
    0x600000000000012, 0x600000000000015, 0x600000000000018, 0x60000000000001b, 0x60000000000001e,
    0x600000000000021, 0x601000000000023, 0x601000000000027, 0x60200000000002b, 0x603000000000033,
    0x604000000000043, 0x605000000000063, 0x608000000000103, 0x400002000000004, 0x400003000000004,
    0x400001000000005, 0x500002000000007, 0x500002000000008, 0x50000200000000a, 0x50000200000000b,
    0x60000000000000e, 0x600000000000011, 0x600000000000014, 0x600000000000017, 0x60000000000001a,
    0x60000000000001d, 0x600000000000020, 0x610000000010003, 0x60f000000008003, 0x60e000000004003,
    0x60d000000002003, 0x60c000000001003, 0x60b000000000803, 0x60a000000000403,
};

const zstd_kind zstd_kinds[ZSTD_KINDS] = {
    {"the table of literal lengths is wrong", literal_codes, literal_counts, literal_cells,
     ZSTD_LITERAL_CODES, 36, ZSTD_LITERAL_LOG, 6},
    {"the table of offsets is wrong", offset_codes, offset_counts, offset_cells, ZSTD_OFFSET_CODES,
     29, ZSTD_OFFSET_LOG, 5},
    {"the table of match lengths is wrong", match_codes, match_counts, match_cells,
     ZSTD_MATCH_CODES, 53, ZSTD_MATCH_LOG, 6}};

/* The 16 bits from bit offset `position` on, lowest first; zeros past the end. */
static uint32_t bits_at(const uint8_t *bytes, size_t size, size_t position)
{
    uint32_t value = 0;
    for (size_t k = 0, at = position >> 3; k < 3 && at + k < size; k++)
        value |= (uint32_t)bytes[at + k] << 8 * k;
    return value >> (position & 7u) & 0xffffu;
}

/* Reads a count + 1, a number of at most `remaining` in truncated binary code; returns the count.
   */
static int32_t read_count(uint32_t bits, uint32_t remaining, uint32_t width, size_t *position)
{
    uint32_t threshold = 1u << (width - 1), spare = 2 * threshold - 1 - remaining;
    uint32_t value = bits & (threshold - 1);
    *position += width - 1;
    if (value < spare) return (int32_t)value - 1;
    *position += 1;
    value = bits & (2 * threshold - 1);
    return (int32_t)(value < threshold ? value : value - spare) - 1;
}

size_t zstd_read_counts(const uint8_t *bytes, size_t size, uint32_t code_count, uint32_t log_max,
                        int16_t *counts, uint32_t *log)
{
    uint32_t symbol = 0, repeat = 3;
    size_t position = 4;
    if (size == 0) return 0;
    *log = (bytes[0] & 15u) + 5u;
    if (*log > log_max) return 0;
    for (uint32_t k = 0; k < code_count; k++) counts[k] = 0;
    int32_t remaining = (1 << *log) + 1;
    while (remaining > 1 && symbol < code_count) {
        uint32_t width = zstd_highest((uint32_t)remaining) + 1;
        int32_t count =
            read_count(bits_at(bytes, size, position), (uint32_t)remaining, width, &position);
        remaining -= count < 0 ? 1 : count;
        counts[symbol++] = (int16_t)count;
        for (repeat = 3; count == 0 && repeat == 3 && symbol <= code_count; position += 2) {
            repeat = bits_at(bytes, size, position) & 3u;
            symbol += repeat;
        }
    }
    size_t used = (position + 7) / 8;
    return remaining == 1 && symbol <= code_count && used <= size ? used : 0;
}

void zstd_spread(uint8_t *symbols, uint16_t *next, const int16_t *counts, uint32_t code_count,
                 uint32_t log)
{
    uint32_t size = 1u << log, high = size, step = (size >> 1) + (size >> 3) + 3, at = 0;
    for (uint32_t symbol = 0; symbol < code_count; symbol++) {
        next[symbol] = (uint16_t)(counts[symbol] < 0 ? 1 : counts[symbol]);
        if (counts[symbol] < 0) symbols[--high] = (uint8_t)symbol;
    }
    for (uint32_t symbol = 0; symbol < code_count; symbol++)
        for (int32_t k = 0; k < counts[symbol]; k++) {
            symbols[at] = (uint8_t)symbol;
            at = (at + step) & (size - 1);
            /* rare: only tables with counts below 1 */
            while (at >= high) at = (at + step) & (size - 1);
        }
}

void zstd_make_cells(zstd_cell *cells, const int16_t *counts, uint32_t code_count, uint32_t log,
                     const zstd_code *codes)
{
    uint8_t symbols[1u << ZSTD_LITERAL_LOG];
    uint16_t next[ZSTD_MATCH_CODES];
    uint32_t size = 1u << log;
    zstd_spread(symbols, next, counts, code_count, log);
    for (uint32_t state = 0; state < size; state++) {
        uint32_t symbol = symbols[state], from = next[symbol]++;
        uint32_t bits = log - zstd_highest(from);
        zstd_code code = codes ? codes[symbol] : (zstd_code){symbol, 0};
        cells[state] = zstd_cell_of(code.base, code.extra, (from << bits) - size, bits);
    }
}
