/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_encoder.h - internal interface of the LZMA encoder.
   reads   -      writes  -
   memory  one lzma1_encoder in the caller's work memory, 150 KiB and the model      cost  see the
           parts
   after   Igor Pavlov's LZMA specification (2015); own design */
#ifndef TIDEPOOL_LZMA1_ENCODER_H
#define TIDEPOOL_LZMA1_ENCODER_H
#include "lzma1_find.h"
#include "lzma1_model.h"

#define PRICE_SHIFT    5u /* prices are in 1 / 32 bit */
#define PRICE_BITS     4u /* low bits of a probability that the price ignores */
#define PARSE_MAX      1024u
#define PARSE_NODES    (PARSE_MAX + LENGTH_MAX + 3u)
#define LENGTHS        (LENGTH_MAX - LENGTH_MIN + 1u)
#define SYMBOL_NEW     4u          /* symbols: 0 to 3 are rep0 to rep3; from 4 on a new distance */
#define SYMBOL_BYTE    0xffffffffu /* a literal */
#define REFRESH_COPIES 48u         /* prices are recomputed after this many matches */

/* The cheapest known path to a position; its last symbol covers the bytes from `from` on. */
typedef struct parse_node {
    uint32_t price, from, symbol;
    uint32_t next, next_symbol; /* next node and symbol of the chosen path */
    uint32_t state, distances[4];
} parse_node;

typedef struct price_tables {
    uint16_t bit[1u << (BIT_SHIFT - PRICE_BITS)];
    uint32_t length[2][POSITION_STATES][LENGTHS]; /* [0] matches, [1] repeated matches */
    uint32_t slot[SLOT_STATES][SLOTS];
    uint32_t near[SLOT_STATES][DISTANCE_FULL]; /* price of a whole distance below DISTANCE_FULL */
    uint32_t align[1u << ALIGN_BITS];
} price_tables;

typedef struct lzma1_encoder {
    lzma1_settings settings;
    const uint8_t *bytes;
    uint32_t size;
    uint32_t literal_mask, position_mask;
    uint32_t state, distances[4];
    /* range encoder */
    uint64_t low;
    uint32_t range;
    uint8_t held;        /* the last byte that a carry may still change */
    uint64_t held_count; /* number of pending bytes: `held`, then ff bytes */
    uint8_t *out, *out_end;
    bool full;
    /* parser */
    uint32_t copies; /* matches since the last price refresh */
    price_tables prices;
    parse_node nodes[PARSE_NODES];
    finder_match matches[FIND_MAX];
    uint32_t match_count;
    finder find;
    lzma1_model *model; /* in memory directly after this struct */
} lzma1_encoder;

/* The price of bit 0 or 1 under a probability. */
static inline uint32_t bit_price(const price_tables *prices, probability p, uint32_t bit)
{
    return prices->bit[(p ^ ((0u - bit) & ((1u << BIT_SHIFT) - 1u))) >> PRICE_BITS];
}

static inline probability *literal_models(lzma1_encoder *e, uint32_t at)
{
    uint32_t before = at > 0 ? e->bytes[at - 1] : 0u;
    uint32_t context =
        ((at & e->literal_mask) << e->settings.lc) + (before >> (8u - e->settings.lc));
    return e->model->literal + (size_t)LITERAL_MODELS * context;
}

static inline uint32_t distance_slot(uint32_t distance)
{
    if (distance < SLOT_MODELLED) return distance;
    uint32_t top = 31;
    while (!(distance >> top)) top--;
    return top * 2 + (distance >> (top - 1) & 1u);
}

/* Fills the table of bit prices; call it once. */
void prices_start(price_tables *prices);
/* Recomputes the price tables of lengths and distances from the current model. */
void prices_refresh(lzma1_encoder *e);

/* Chooses symbols from position `at` on: a list from nodes[0], linked by next and next_symbol.
   Returns the number of bytes that they cover, at least 1. The finder has then advanced by that
   number. */
uint32_t parse_some(lzma1_encoder *e, uint32_t at);

/* Updates the state and the latest distances for a symbol of `length` bytes. O(1). */
void symbol_follow(uint32_t symbol, uint32_t length, uint32_t *state, uint32_t distances[4]);

#endif
