/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_find.h - match finder of the LZMA encoder: binary trees (as "bt4").
   reads   bytes      writes  its tables
   memory  the caller's, see finder_words      cost  at most FIND_DEPTH comparisons per position
   after   a binary search tree of suffixes for each hash of four bytes; the latest positions of two
           and three bytes */
#ifndef TIDEPOOL_LZMA1_FIND_H
#define TIDEPOOL_LZMA1_FIND_H
#include <stddef.h>
#include <stdint.h>

#define FIND_NICE  32u /* a match of this length is taken at once: "fast bytes" */
#define FIND_DEPTH 32u
#define FIND_MAX   FIND_NICE /* matches at one position: lengths ascend from 2 to FIND_NICE */

typedef struct finder_match {
    uint32_t length, distance; /* distance - 1, as in the stream */
} finder_match;

typedef struct finder {
    const uint8_t *bytes;
    uint32_t size, at;        /* `at`: the next position */
    uint32_t window, at_node; /* number of tree nodes (a ring), and the node of `at` */
    uint32_t hash_mask;
    uint32_t *pairs, *heads, *threes, *twos; /* positions + 1; 0 is none */
} finder;

/* 32-bit words of tables for `size` bytes under a dictionary of `span` bytes. O(1). */
uint64_t finder_words(uint32_t size, uint32_t span);
/* `words` need not be initialised. O(words). */
void finder_start(finder *f, const uint8_t *bytes, uint32_t size, uint32_t span, uint32_t *words);
/* Finds matches at the next position, with ascending lengths and distances, none longer than
   FIND_NICE; advances by one. */
uint32_t finder_next(finder *f, finder_match matches[FIND_MAX]);
/* Advances by `count` positions. */
void finder_skip(finder *f, uint32_t count);

#endif
