/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_parse.c - optimal parsing: shortest path by dynamic programming over up
           to 1024 bytes.
   reads   bytes, prices, the finder      writes  the encoder's nodes
   memory  part of the encoder      cost  O(bytes * FIND_NICE)
   after   own design; prices are those of the model at the last refresh */
#include "lzma1_encoder.h"

#define PRICE_FAR 0x40000000u /* above any path of PARSE_MAX bytes */

/* ---- prices of one symbol */

static uint32_t literal_price(lzma1_encoder *e, uint32_t at, uint32_t state, uint32_t distance)
{
    const probability *models = literal_models(e, at);
    uint32_t byte = e->bytes[at] | 0x100u, price = 0, guess = 0, right = 0;
    if (state >= STATE_MATCHED) {
        guess = e->bytes[at - distance - 1];
        right = 0x100;
    }
    for (uint32_t i = 8; i-- > 0;) {
        guess <<= 1;
        uint32_t bit = byte >> i & 1u, guessed = guess & right;
        price += bit_price(&e->prices, models[right + guessed + (byte >> (i + 1))], bit);
        right = bit ? guessed : right & ~guessed;
    }
    return price;
}

static uint32_t repeat_price(const lzma1_encoder *e, uint32_t which, uint32_t state,
                             uint32_t position_state)
{
    const price_tables *p = &e->prices;
    const lzma1_model *model = e->model;
    uint32_t price = bit_price(p, model->is_older[state], which > 0);
    if (which == 0) return price + bit_price(p, model->is_long[state][position_state], 1);
    price += bit_price(p, model->is_third[state], which > 1);
    return which > 1 ? price + bit_price(p, model->is_fourth[state], which > 2) : price;
}

static inline uint32_t distance_price(const price_tables *p, uint32_t distance, uint32_t slot,
                                      uint32_t length)
{
    uint32_t lengths = slot_state(length);
    if (distance < DISTANCE_FULL) return p->near[lengths][distance];
    return p->slot[lengths][slot] + p->align[distance & ((1u << ALIGN_BITS) - 1u)];
}

/* ---- edges */

/* The current position of the parser, with the values that its edges need. */
typedef struct parse_position {
    uint32_t node, at;             /* index of the node; offset in the bytes */
    uint32_t left, position_state; /* remaining bytes; position state */
    /* price of the path plus the first bits of a match, of a repeated match */
    uint32_t copy, repeat;
    uint32_t end; /* the last node that has a path */
} parse_position;

static inline void lead_to(lzma1_encoder *e, parse_position *p, uint32_t length, uint32_t symbol,
                           uint32_t price)
{
    uint32_t to = p->node + length;
    while (p->end < to) e->nodes[++p->end].price = PRICE_FAR;
    parse_node *node = &e->nodes[to];
    if (price >= node->price) return;
    node->price = price;
    node->from = p->node;
    node->symbol = symbol;
}

static inline uint32_t repeat_length(const lzma1_encoder *e, const parse_position *p,
                                     uint32_t distance)
{
    uint32_t limit = p->left < LENGTH_MAX ? p->left : LENGTH_MAX, length = 0;
    if (distance >= p->at) return 0;
    const uint8_t *here = e->bytes + p->at, *there = here - distance - 1;
    while (length < limit && here[length] == there[length]) length++;
    return length;
}

static void lead_single(lzma1_encoder *e, parse_position *p)
{
    const parse_node *node = &e->nodes[p->node];
    const price_tables *prices = &e->prices;
    uint32_t distance = node->distances[0];
    uint32_t price = node->price +
                     bit_price(prices, e->model->is_copy[node->state][p->position_state], 0) +
                     literal_price(e, p->at, node->state, distance);
    lead_to(e, p, 1, SYMBOL_BYTE, price);
    if (distance >= p->at || e->bytes[p->at] != e->bytes[p->at - distance - 1]) return;
    price = p->repeat + bit_price(prices, e->model->is_older[node->state], 0) +
            bit_price(prices, e->model->is_long[node->state][p->position_state], 0);
    lead_to(e, p, 1, 0, price);
}

static void lead_repeats(lzma1_encoder *e, parse_position *p, const uint32_t lengths[4])
{
    uint32_t state = e->nodes[p->node].state;
    for (uint32_t which = 0; which < 4; which++) {
        uint32_t price = p->repeat + repeat_price(e, which, state, p->position_state);
        for (uint32_t length = LENGTH_MIN; length <= lengths[which]; length++)
            lead_to(e, p, length, which,
                    price + e->prices.length[1][p->position_state][length - LENGTH_MIN]);
    }
}

static void lead_copies(lzma1_encoder *e, parse_position *p)
{
    uint32_t length = LENGTH_MIN;
    for (uint32_t m = 0; m < e->match_count; m++) {
        uint32_t distance = e->matches[m].distance, slot = distance_slot(distance);
        for (; length <= e->matches[m].length; length++)
            lead_to(e, p, length, distance + SYMBOL_NEW,
                    p->copy + e->prices.length[0][p->position_state][length - LENGTH_MIN] +
                        distance_price(&e->prices, distance, slot, length));
    }
}

/* ---- shortest path */

/* Computes a node's state from its predecessor on the cheapest path. */
static void settle(lzma1_encoder *e, uint32_t index)
{
    parse_node *node = &e->nodes[index];
    const parse_node *from = &e->nodes[node->from];
    node->state = from->state;
    for (uint32_t k = 0; k < 4; k++) node->distances[k] = from->distances[k];
    symbol_follow(node->symbol, index - node->from, &node->state, node->distances);
}

static void link_back(lzma1_encoder *e, uint32_t end)
{
    while (end > 0) {
        uint32_t from = e->nodes[end].from;
        e->nodes[from].next = end;
        e->nodes[from].next_symbol = e->nodes[end].symbol;
        end = from;
    }
}

/* Returns the length of a match of at least FIND_NICE bytes, which is taken at once; 0 if there is
   none. */
static uint32_t long_copy(const lzma1_encoder *e, const parse_position *p,
                          const uint32_t repeats[4], uint32_t *symbol)
{
    uint32_t best = 0;
    for (uint32_t which = 1; which < 4; which++)
        if (repeats[which] > repeats[best]) best = which;
    *symbol = best;
    if (repeats[best] >= FIND_NICE) return repeats[best];
    if (e->match_count == 0 || e->matches[e->match_count - 1].length < FIND_NICE) return 0;
    *symbol = e->matches[e->match_count - 1].distance + SYMBOL_NEW;
    return repeat_length(e, p, e->matches[e->match_count - 1].distance);
}

uint32_t parse_some(lzma1_encoder *e, uint32_t at)
{
    parse_position p = {.node = 0};
    e->nodes[0] = (parse_node){.state = e->state};
    for (uint32_t k = 0; k < 4; k++) e->nodes[0].distances[k] = e->distances[k];
    for (;; p.node++) {
        if (p.node > 0) settle(e, p.node);
        if ((p.node > 0 && p.node == p.end) || p.node >= PARSE_MAX) break;
        const parse_node *node = &e->nodes[p.node];
        uint32_t repeats[4], symbol;
        p.at = at + p.node;
        p.left = e->size - p.at;
        p.position_state = p.at & e->position_mask;
        p.copy = p.repeat =
            node->price +
            bit_price(&e->prices, e->model->is_copy[node->state][p.position_state], 1);
        p.copy += bit_price(&e->prices, e->model->is_repeat[node->state], 0);
        p.repeat += bit_price(&e->prices, e->model->is_repeat[node->state], 1);
        for (uint32_t k = 0; k < 4; k++) repeats[k] = repeat_length(e, &p, node->distances[k]);
        e->match_count = finder_next(&e->find, e->matches);
        uint32_t length = long_copy(e, &p, repeats, &symbol);
        if (length > 0) {
            finder_skip(&e->find, length - 1);
            link_back(e, p.node);
            e->nodes[p.node].next = p.node + length;
            e->nodes[p.node].next_symbol = symbol;
            return p.node + length;
        }
        lead_single(e, &p);
        lead_repeats(e, &p, repeats);
        lead_copies(e, &p);
    }
    link_back(e, p.node);
    return p.node;
}
