/* SPDX-License-Identifier: MIT
   host_tools/compress/huffman.h - length-limited canonical Huffman codes, for deflate and
           Zstandard.
   reads   -      writes  -
   memory  none   cost    see huffman.c
   after   RFC 1951 */
#ifndef TIDEPOOL_HUFFMAN_H
#define TIDEPOOL_HUFFMAN_H
#include <stdint.h>

#define HUFFMAN_SYMBOLS 288

/* Computes code lengths from symbol counts (sum below 2^32), none longer than limit <= 15; unused
   symbols get 0. */
void huffman_lengths(const uint32_t *counts, uint32_t symbol_count, uint32_t limit,
                     uint8_t *lengths);
/* Computes canonical codes from lengths, with bits in the order in which deflate writes them. */
void huffman_codes(const uint8_t *lengths, uint32_t symbol_count, uint16_t *codes);

#endif
