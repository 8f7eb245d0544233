/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_find.h - earlier places that begin as a place does, for the encoder of LZMA.
   reads   bytes      writes  its tables
   memory  the caller's, see finder_words      cost  at most FIND_DEPTH comparisons a position
   after   binary trees of suffixes, one for each hash of four bytes; the latest places of two and three bytes */
#ifndef TIDEPOOL_LZMA1_FIND_H
#define TIDEPOOL_LZMA1_FIND_H
#include <stddef.h>
#include <stdint.h>

#define FIND_NICE  32u /* a match of this many bytes is long enough: "fast bytes" */
#define FIND_DEPTH 32u
#define FIND_MAX   FIND_NICE /* matches at one position: lengths 2 to FIND_NICE grow */

typedef struct finder_match {
    uint32_t length, distance; /* distance from 0, as the stream has it */
} finder_match;

typedef struct finder {
    const uint8_t *bytes;
    uint32_t size, at;      /* `at` is the next position to be looked at */
    uint32_t window, place; /* nodes of the tree, and the one of `at` */
    uint32_t hash_mask;
    uint32_t *pairs, *heads, *threes, *twos; /* positions + 1; 0 is none */
} finder;

/* 32-bit words of tables for `size` bytes under a dictionary of `span` bytes. O(1). */
uint64_t finder_words(uint32_t size, uint32_t span);
/* `words` need not be clear. O(words). */
void finder_start(finder *f, const uint8_t *bytes, uint32_t size, uint32_t span, uint32_t *words);
/* Matches of the next position, lengths and distances growing, none longer than FIND_NICE; moves on by one. */
uint32_t finder_next(finder *f, finder_match matches[FIND_MAX]);
/* Moves on by `count` positions. */
void finder_skip(finder *f, uint32_t count);

#endif
