/* SPDX-License-Identifier: MIT
   host_tools/compress/huffman.h - prefix codes with a longest length, for deflate and Zstandard.
   reads   -      writes  -
   memory  none   cost    see huffman.c
   after   RFC 1951 */
#ifndef TIDEPOOL_HUFFMAN_H
#define TIDEPOOL_HUFFMAN_H
#include <stdint.h>

#define HUFFMAN_SYMBOLS 288

/* Code lengths for counts (each sum below 2^32), none longer than limit <= 15; unused symbols get 0. */
void huffman_lengths(const uint32_t *counts, uint32_t symbol_count, uint32_t limit, uint8_t *lengths);
/* Canonical codes for lengths, bits already in the order in which deflate sends them. */
void huffman_codes(const uint8_t *lengths, uint32_t symbol_count, uint16_t *codes);

#endif
