/* SPDX-License-Identifier: MIT
   host_tools/compress/huffman.c - length-limited canonical Huffman codes, for deflate and
           Zstandard.
   reads   symbol counts      writes  code lengths and codes
   memory  12 KiB of stack    cost    O(n log n) for n symbols, n <= 288
   after   Huffman 1952 with two queues (van Leeuwen 1976); canonical codes as in RFC 1951, 3.2.2 */
#include "huffman.h"
#include <stdbool.h>
#include <string.h>

typedef struct leaf {
    uint32_t count;
    uint32_t symbol;
} leaf;

/* Sorts leaves by count, ascending: LSD radix sort with 8-bit digits, stable. Returns the buffer
   that holds the result. */
static const leaf *sort_leaves(leaf *leaves, leaf *spare, uint32_t leaf_count, uint32_t most)
{
    for (uint32_t shift = 0; shift < 32 && most >> shift > 0; shift += 8) {
        uint32_t offsets[256] = {0}, digits = most >> shift < 255 ? most >> shift : 255, index = 0;
        for (uint32_t i = 0; i < leaf_count; i++) offsets[leaves[i].count >> shift & 255u]++;
        for (uint32_t digit = 0; digit <= digits; digit++) {
            uint32_t here = offsets[digit];
            offsets[digit] = index;
            index += here;
        }
        for (uint32_t i = 0; i < leaf_count; i++)
            spare[offsets[leaves[i].count >> shift & 255u]++] = leaves[i];
        leaf *other = leaves;
        leaves = spare;
        spare = other;
    }
    return leaves;
}

/* Takes the lighter of the next leaf and the next inner node. Branchless, because the branch would
   be unpredictable. */
static inline uint32_t take_lighter(const uint32_t *weights, uint32_t taken[2])
{
    bool is_node = weights[taken[0]] > weights[taken[1]];
    uint32_t index = is_node ? taken[1] : taken[0];
    taken[0] += !is_node;
    taken[1] += is_node;
    return index;
}

/* Builds the Huffman tree of sorted leaves (at least two) and counts the leaves at each depth;
   depths beyond the limit count as the limit. The weights array holds the leaves, a sentinel of
   maximum weight, then the inner nodes, so parents come
   after their children. Nodes not yet built also have maximum weight. */
static void count_depths(const leaf *leaves, uint32_t leaf_count, uint32_t limit,
                         uint32_t *by_length)
{
    uint32_t weights[2 * HUFFMAN_SYMBOLS], node = leaf_count + 1, root = 2 * leaf_count - 1;
    uint32_t taken[2] = {0, node};
    uint16_t parents[2 * HUFFMAN_SYMBOLS];
    uint8_t depths[2 * HUFFMAN_SYMBOLS]; /* at most 45: deeper leaves need a count sum above 2^32 */
    memset(weights + leaf_count, 0xff, leaf_count * sizeof weights[0]);
    for (uint32_t i = 0; i < leaf_count; i++) weights[i] = leaves[i].count;
    for (; node <= root; node++) {
        uint32_t a = take_lighter(weights, taken), b = take_lighter(weights, taken);
        parents[a] = parents[b] = (uint16_t)node;
        weights[node] = weights[a] + weights[b];
    }
    depths[root] = 0;
    for (uint32_t i = root; i-- > leaf_count + 1;) depths[i] = (uint8_t)(depths[parents[i]] + 1);
    for (uint32_t i = 0; i < leaf_count; i++) {
        uint32_t depth = depths[parents[i]] + 1u;
        by_length[depth < limit ? depth : limit]++;
    }
}

/* Enforces the limit: a leaf at the limit becomes the sibling of a shallower leaf that moves one
   level down, until the Kraft sum is 1. */
static void limit_lengths(uint32_t limit, uint32_t *by_length)
{
    uint32_t kraft = 0; /* in units of 2^-limit; 2^limit is a full tree */
    for (uint32_t length = 1; length <= limit; length++)
        kraft += by_length[length] << (limit - length);
    for (; kraft > 1u << limit; kraft--) {
        uint32_t length = limit - 1;
        while (by_length[length] == 0) length--;
        by_length[limit]--; /* this leaf becomes the sibling of one that moves down from `length` */
        by_length[length]--;
        by_length[length + 1] += 2;
    }
}

void huffman_lengths(const uint32_t *counts, uint32_t symbol_count, uint32_t limit,
                     uint8_t *lengths)
{
    leaf buffers[2][HUFFMAN_SYMBOLS];
    uint32_t leaf_count = 0, most = 0, by_length[16] = {0};
    for (uint32_t symbol = 0; symbol < symbol_count; symbol++) {
        lengths[symbol] = 0;
        buffers[0][leaf_count] = (leaf){counts[symbol], symbol};
        leaf_count += counts[symbol] > 0;
        most = counts[symbol] > most ? counts[symbol] : most;
    }
    const leaf *leaves = sort_leaves(buffers[0], buffers[1], leaf_count, most);
    if (leaf_count == 0) return;
    if (leaf_count == 1) {
        lengths[leaves[0].symbol] = 1;
        return;
    }
    count_depths(leaves, leaf_count, limit, by_length);
    limit_lengths(limit, by_length);
    for (uint32_t length = limit, next = 0; length > 0; length--)
        for (uint32_t i = 0; i < by_length[length]; i++)
            lengths[leaves[next++].symbol] = (uint8_t)length;
}

/* Reverses a code: deflate writes the bits of codes from the highest, all other values from the
   lowest. */
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
