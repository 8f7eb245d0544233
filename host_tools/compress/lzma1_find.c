/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_find.c - match finder of the LZMA encoder: binary trees (as "bt4").
   reads   bytes      writes  its tables
   memory  the caller's, see finder_words      cost  at most FIND_DEPTH comparisons per position
   after   a binary search tree of suffixes for each hash of four bytes; the latest positions of two
           and three bytes */
#include "lzma1_find.h"
#include <string.h>

#define TWO_WORDS    65536u /* indexed directly by two bytes */
#define THREE_BITS   16u
#define THREE_WORDS  (1u << THREE_BITS)
#define HEADS_MIN    1024u
#define HEADS_MAX    (1u << 22) /* so that trees of large streams hold few other four bytes */
#define BYTES_NEEDED 4u         /* bytes that must remain to search at a position */

static uint32_t window_nodes(uint32_t size, uint32_t span)
{
    return (size < span ? size : span) + 1;
}

static uint32_t head_words(uint32_t size)
{
    uint32_t words = HEADS_MIN;
    while (words < size && words < HEADS_MAX) words *= 2;
    return words;
}

uint64_t finder_words(uint32_t size, uint32_t span)
{
    return TWO_WORDS + THREE_WORDS + head_words(size) + 2 * (uint64_t)window_nodes(size, span);
}

/* Nodes need not be cleared: a node is written when its position is passed, and is not referenced
   before. */
void finder_start(finder *f, const uint8_t *bytes, uint32_t size, uint32_t span, uint32_t *words)
{
    uint32_t heads = head_words(size);
    *f = (finder){
        .bytes = bytes, .size = size, .window = window_nodes(size, span), .hash_mask = heads - 1};
    f->twos = words;
    f->threes = f->twos + TWO_WORDS;
    f->heads = f->threes + THREE_WORDS;
    f->pairs = f->heads + heads;
    memset(words, 0, sizeof words[0] * (TWO_WORDS + THREE_WORDS + heads));
}

static inline uint32_t mix(uint32_t word)
{
    word *= 2654435761u;
    return word ^ word >> 15;
}

static inline uint32_t equal_bytes(const uint8_t *a, const uint8_t *b, uint32_t from,
                                   uint32_t limit)
{
    while (from < limit && a[from] == b[from]) from++;
    return from;
}

/* Adds the match with the latest position of the same two or three bytes, if it is longer than
   `best`. */
static inline uint32_t try_latest(const finder *f, uint32_t latest, uint32_t limit, uint32_t best,
                                  finder_match *matches, uint32_t *count)
{
    uint32_t distance = f->at - latest; /* positions are stored + 1, so this is distance - 1 */
    if (latest == 0 || distance >= f->window - 1) return best;
    uint32_t length = equal_bytes(f->bytes + f->at, f->bytes + latest - 1, 0, limit);
    if (length <= best) return best;
    matches[(*count)++] = (finder_match){length, distance};
    return length;
}

/* Searches the tree of the position's hash and makes the position its new root (smaller suffixes to
   the left). If `matches` is given, adds matches longer than `best`. */
static inline uint32_t walk(finder *f, uint32_t candidate, uint32_t limit, uint32_t best,
                            finder_match *matches, uint32_t count)
{
    const uint8_t *here = f->bytes + f->at;
    uint32_t *smaller = f->pairs + 2 * (size_t)f->at_node, *larger = smaller + 1;
    uint32_t smaller_length = 0, larger_length = 0;
    for (uint32_t depth = 0; depth < FIND_DEPTH; depth++) {
        uint32_t distance = f->at - candidate;
        if (candidate == 0 || distance >= f->window - 1) break;
        uint32_t back = distance + 1,
                 node = f->at_node >= back ? f->at_node - back : f->at_node + f->window - back;
        uint32_t *pair = f->pairs + 2 * (size_t)node;
        const uint8_t *there = here - back;
        uint32_t length = equal_bytes(
            here, there, smaller_length < larger_length ? smaller_length : larger_length, limit);
        if (length > best && matches) {
            matches[count++] = (finder_match){length, distance};
            best = length;
        }
        if (length == limit) {
            *smaller = pair[0];
            *larger = pair[1];
            return count;
        }
        if (there[length] < here[length]) {
            *smaller = candidate;
            smaller = pair + 1;
            candidate = *smaller;
            smaller_length = length;
        } else {
            *larger = candidate;
            larger = pair;
            candidate = *larger;
            larger_length = length;
        }
    }
    *smaller = *larger = 0;
    return count;
}

static inline uint32_t move_on(finder *f, finder_match *matches)
{
    uint32_t left = f->size - f->at, limit = left < FIND_NICE ? left : FIND_NICE, count = 0,
             best = 1;
    const uint8_t *here = f->bytes + f->at;
    if (left >= BYTES_NEEDED) {
        uint32_t two = here[0] | (uint32_t)here[1] << 8, three = two | (uint32_t)here[2] << 16;
        uint32_t *latest_two = f->twos + two,
                 *latest_three = f->threes + (mix(three) & (THREE_WORDS - 1));
        uint32_t *head = f->heads + (mix(three ^ mix((uint32_t)here[3] + 1)) & f->hash_mask),
                 old = *head;
        if (matches) {
            best = try_latest(f, *latest_two, limit, best, matches, &count);
            best = try_latest(f, *latest_three, limit, best, matches, &count);
        }
        *latest_two = *latest_three = *head = f->at + 1;
        count = walk(f, old, limit, best, matches, count);
    } else
        f->pairs[2 * (size_t)f->at_node] = f->pairs[2 * (size_t)f->at_node + 1] = 0;
    f->at++;
    if (++f->at_node == f->window) f->at_node = 0;
    return count;
}

uint32_t finder_next(finder *f, finder_match matches[FIND_MAX]) { return move_on(f, matches); }

void finder_skip(finder *f, uint32_t count)
{
    for (; count > 0; count--) move_on(f, NULL);
}
