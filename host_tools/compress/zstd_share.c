/* SPDX-License-Identifier: MIT
   host_tools/compress/zstd_share.c - FSE (tANS) encoding tables: normalised counts (shares), their
           cost, their description.
   reads   counts of codes      writes  tables
   memory  2 KiB of stack      cost    O(codes * codes) for the shares, O(cells) for a table
   after   RFC 8878, 4.1; normalisation by highest averages (Sainte-Lague 1910), which is close to
           the least coded size */
#include "zstd_encoder.h"

/* log2 in 1/256, by eight squarings of the mantissa. */
static uint32_t log2_of(uint32_t value)
{
    uint32_t whole = zstd_highest(value), result = whole << 8;
    uint64_t mantissa = ((uint64_t)value << 31) >> whole; /* 1 .. 2 in units of 2^-31 */
    for (uint32_t bit = 128; bit > 0; bit >>= 1) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >> 32) {
            result += bit;
            mantissa >>= 1;
        }
    }
    return result;
}

/* True if code a should get one more share before b. */
static bool deserves(const uint32_t *counts, const int16_t *shares, uint32_t a, uint32_t b)
{
    uint64_t left = (uint64_t)counts[a] * (2u * (uint32_t)shares[b] + 1u);
    uint64_t right = (uint64_t)counts[b] * (2u * (uint32_t)shares[a] + 1u);
    return left > right;
}

/* True if code a loses less than b by giving up one share. */
static bool spares(const uint32_t *counts, const int16_t *shares, uint32_t a, uint32_t b)
{
    if (shares[a] < 2 || shares[b] < 2) return shares[a] >= 2;
    uint64_t left = (uint64_t)counts[a] * (2u * (uint32_t)shares[b] - 1u);
    uint64_t right = (uint64_t)counts[b] * (2u * (uint32_t)shares[a] - 1u);
    return left < right;
}

void zstd_share(const uint32_t *counts, uint32_t code_count, uint32_t log, int16_t *shares)
{
    uint64_t total = 0;
    int32_t rest = 1 << log;
    for (uint32_t code = 0; code < code_count; code++) total += counts[code];
    for (uint32_t code = 0; code < code_count; code++) {
        uint32_t share = (uint32_t)(((uint64_t)counts[code] << log) / total);
        shares[code] = (int16_t)(counts[code] > 0 && share == 0 ? 1u : share);
        rest -= shares[code];
    }
    while (rest != 0) { /* at most code_count iterations */
        uint32_t best = 0;
        while (counts[best] == 0) best++;
        for (uint32_t code = best + 1; code < code_count; code++) {
            if (counts[code] == 0) continue;
            if (rest > 0 ? deserves(counts, shares, code, best)
                         : spares(counts, shares, code, best))
                best = code;
        }
        shares[best] = (int16_t)(shares[best] + (rest > 0 ? 1 : -1));
        rest += rest > 0 ? -1 : 1;
    }
}

uint64_t zstd_cost(const uint32_t *counts, uint32_t code_count, const int16_t *shares, uint32_t log)
{
    uint64_t cost = 0;
    for (uint32_t code = 0; code < code_count; code++) {
        if (counts[code] == 0) continue;
        if (shares[code] == 0) return UINT64_MAX;
        cost += (uint64_t)counts[code] *
                ((log << 8) - log2_of((uint32_t)(shares[code] < 0 ? 1 : shares[code])));
    }
    return cost;
}

size_t zstd_write_counts(uint8_t *out, const int16_t *shares, uint32_t code_count, uint32_t log)
{
    zstd_writer writer = {.at = out};
    uint32_t remaining = (1u << log) + 1u;
    zstd_put(&writer, log - 5u, 4);
    for (uint32_t code = 0; remaining > 1 && code < code_count;) {
        uint32_t width = zstd_highest(remaining) + 1, threshold = 1u << (width - 1);
        uint32_t share = (uint32_t)shares[code], value = share + 1,
                 spare = 2 * threshold - 1 - remaining;
        remaining -= share;
        if (value < spare)
            zstd_put(&writer, value, width - 1);
        else
            zstd_put(&writer, value < threshold ? value : value + spare, width);
        zstd_flush(&writer);
        code++;
        if (share > 0) continue;
        uint32_t zeros = 0; /* further zeros, coded in groups of three */
        while (code + zeros < code_count && shares[code + zeros] == 0) zeros++;
        code += zeros;
        for (; zeros >= 3; zeros -= 3) {
            zstd_put(&writer, 3, 2);
            zstd_flush(&writer);
        }
        zstd_put(&writer, zeros, 2);
        zstd_flush(&writer);
    }
    return (size_t)(writer.at - out) + (writer.count > 0);
}

void zstd_make_paths(zstd_paths *paths, const int16_t *counts, uint32_t code_count, uint32_t log)
{
    uint8_t symbols[1u << ZSTD_LITERAL_LOG];
    uint16_t from[ZSTD_MATCH_CODES], offsets[ZSTD_MATCH_CODES];
    uint32_t size = 1u << log, start = 0;
    zstd_spread(symbols, from, counts, code_count, log);
    paths->log = log;
    for (uint32_t code = 0; code < code_count; code++) {
        uint32_t count = from[code];
        offsets[code] = (uint16_t)start;
        if (count == 0) continue;
        zstd_path *path = &paths->paths[code];
        path->max_bits = log - (count > 1 ? zstd_highest(count - 1) : 0);
        if (count == 1) path->max_bits = log;
        path->least = count << path->max_bits;
        if (count == 1) path->least = 0;
        path->start = (int32_t)start - (int32_t)count;
        path->first = start;
        start += count;
    }
    for (uint32_t state = 0; state < size; state++)
        paths->next[offsets[symbols[state]]++] = (uint16_t)(size + state);
}
