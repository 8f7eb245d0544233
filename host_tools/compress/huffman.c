/* SPDX-License-Identifier: MIT
   host_tools/compress/huffman.c - prefix codes with a longest length, for deflate and Zstandard.
   reads   symbol counts      writes  code lengths and codes
   memory  12 KiB of stack    cost    O(n log n) for n symbols, n <= 288
   after   Huffman 1952 with two queues (van Leeuwen 1976); canonical codes as in RFC 1951, 3.2.2 */
#include "huffman.h"
#include <stdbool.h>
#include <stdlib.h>

typedef struct leaf {
    uint32_t count;
    uint32_t symbol;
} leaf;

static int compare_leaves(const void *left, const void *right)
{
    const leaf *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* Takes the lighter of the first leaf and the first inner node not yet taken. */
static uint32_t take_lighter(const uint32_t *weights, uint32_t leaf_count, uint32_t node_count,
                             uint32_t taken[2])
{
    bool has_leaf = taken[0] < leaf_count, has_node = taken[1] < node_count;
    if (has_leaf && (!has_node || weights[taken[0]] <= weights[taken[1]])) return taken[0]++;
    return taken[1]++;
}

/* Depth of each leaf (sorted, lightest first); nodes come after the leaves, so parents are always later. */
static void leaf_depths(const leaf *leaves, uint32_t leaf_count, uint32_t *depths)
{
    uint32_t weights[2 * HUFFMAN_SYMBOLS], parents[2 * HUFFMAN_SYMBOLS], depth[2 * HUFFMAN_SYMBOLS];
    uint32_t node_count = leaf_count, taken[2] = {0, leaf_count};
    for (uint32_t i = 0; i < leaf_count; i++) weights[i] = leaves[i].count;
    while (node_count < 2 * leaf_count - 1) {
        uint32_t a = take_lighter(weights, leaf_count, node_count, taken);
        uint32_t b = take_lighter(weights, leaf_count, node_count, taken);
        parents[a] = parents[b] = node_count;
        weights[node_count++] = weights[a] + weights[b];
    }
    depth[node_count - 1] = 0;
    for (uint32_t i = node_count - 1; i-- > 0;) depth[i] = depth[parents[i]] + 1;
    for (uint32_t i = 0; i < leaf_count; i++) depths[i] = depth[i];
}

/* Brings the leaves under the limit: each that is too deep moves up beside one that moves down, until
   Kraft's sum is 1 again. */
static void limit_lengths(const uint32_t *depths, uint32_t leaf_count, uint32_t limit, uint32_t *by_length)
{
    uint32_t kraft = 0; /* in units of 2^-limit; 2^limit is a full tree */
    for (uint32_t i = 0; i < leaf_count; i++) {
        uint32_t length = depths[i] < limit ? depths[i] : limit;
        by_length[length]++;
        kraft += 1u << (limit - length);
    }
    for (; kraft > 1u << limit; kraft--) {
        uint32_t length = limit - 1;
        while (by_length[length] == 0) length--;
        by_length[limit]--; /* this leaf becomes the sibling of one that moves down from `length` */
        by_length[length]--;
        by_length[length + 1] += 2;
    }
}

void huffman_lengths(const uint32_t *counts, uint32_t symbol_count, uint32_t limit, uint8_t *lengths)
{
    leaf leaves[HUFFMAN_SYMBOLS];
    uint32_t leaf_count = 0, depths[HUFFMAN_SYMBOLS], by_length[16] = {0};
    for (uint32_t symbol = 0; symbol < symbol_count; symbol++) {
        lengths[symbol] = 0;
        if (counts[symbol]) leaves[leaf_count++] = (leaf){counts[symbol], symbol};
    }
    if (leaf_count == 0) return;
    if (leaf_count == 1) {
        lengths[leaves[0].symbol] = 1;
        return;
    }
    qsort(leaves, leaf_count, sizeof leaves[0], compare_leaves);
    leaf_depths(leaves, leaf_count, depths);
    limit_lengths(depths, leaf_count, limit, by_length);
    uint32_t next = 0;
    for (uint32_t length = limit; length > 0; length--)
        for (uint32_t i = 0; i < by_length[length]; i++) lengths[leaves[next++].symbol] = (uint8_t)length;
}

/* Deflate sends the bits of a code from its highest to its lowest, all else from the lowest. */
static uint16_t reversed(uint32_t code, uint32_t length)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < length; i++) result |= (code >> i & 1u) << (length - 1 - i);
    return (uint16_t)result;
}

void huffman_codes(const uint8_t *lengths, uint32_t symbol_count, uint16_t *codes)
{
    uint32_t by_length[16] = {0}, next[16] = {0}, code = 0;
    for (uint32_t symbol = 0; symbol < symbol_count; symbol++) by_length[lengths[symbol]]++;
    by_length[0] = 0;
    for (uint32_t length = 1; length < 16; length++)
        next[length] = code = (code + by_length[length - 1]) << 1;
    for (uint32_t symbol = 0; symbol < symbol_count; symbol++)
        codes[symbol] = lengths[symbol] ? reversed(next[lengths[symbol]]++, lengths[symbol]) : 0;
}
