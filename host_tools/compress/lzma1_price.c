/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_price.c - estimated cost of LZMA symbols under the current model.
   reads   the model      writes  price tables
   memory  part of the encoder      cost  some 3,000 operations per refresh
   after   own design: a bit of probability p costs -log2(p) */
#include "lzma1_encoder.h"
#include <string.h>

#define TREE_BITS_MAX    8u
#define SLOTS_FULL       14u /* slots of the distances below DISTANCE_FULL */
#define SPECIAL_BITS_MAX 5u

/* -log2(p / 2048) in 1 / 32 bit. Repeated squaring doubles the logarithm; its integer part is the
   next bit of the result. */
static uint32_t price_of(uint32_t p)
{
    uint64_t x = (uint64_t)p << (30 - BIT_SHIFT); /* p / 2048 in 2.30 fixed point */
    uint32_t price = 0;
    while (x < 1u << 29) {
        x <<= 1;
        price++;
    }
    for (uint32_t i = 0; i < PRICE_SHIFT; i++) { /* x is in [1/2, 1) */
        x = x * x >> 30;
        price *= 2;
        if (x < 1u << 29) {
            x <<= 1;
            price++;
        }
    }
    return price;
}

void prices_start(price_tables *prices)
{
    uint32_t half = 1u << (PRICE_BITS - 1);
    for (uint32_t i = 0; i < 1u << (BIT_SHIFT - PRICE_BITS); i++)
        prices->bit[i] = (uint16_t)price_of((i << PRICE_BITS) + half);
}

/* The prices of all 2^bits values of a tree, each plus `base`: those of a node and its two children
   differ by one bit. */
static void tree_prices(const price_tables *prices, const probability *models, uint32_t bits,
                        uint32_t base, uint32_t *values)
{
    uint32_t nodes[2u << TREE_BITS_MAX], leaf = 1u << bits;
    nodes[1] = base;
    for (uint32_t node = 1; node < leaf; node++) {
        nodes[2u * node] = nodes[node] + bit_price(prices, models[node], 0);
        nodes[2u * node + 1u] = nodes[node] + bit_price(prices, models[node], 1);
    }
    memcpy(values, nodes + leaf, leaf * sizeof *values);
}

static uint32_t reversed_price(const price_tables *prices, const probability *models,
                               uint32_t value, uint32_t bits)
{
    uint32_t price = 0, node = 1;
    for (uint32_t i = 0; i < bits; i++) {
        uint32_t bit = value >> i & 1u;
        price += bit_price(prices, models[node], bit);
        node = node << 1 | bit;
    }
    return price;
}

/* The prices of the longest lengths do not depend on the position. */
static void refresh_lengths(const price_tables *p, const length_model *model, uint32_t positions,
                            uint32_t prices[][LENGTHS])
{
    uint32_t low = bit_price(p, model->is_middle, 0), above = bit_price(p, model->is_middle, 1);
    uint32_t middle = above + bit_price(p, model->is_high, 0),
             high = above + bit_price(p, model->is_high, 1);
    tree_prices(p, model->high, 8, high, prices[0] + 2 * LENGTH_LOW);
    for (uint32_t k = 0; k < positions; k++) {
        tree_prices(p, model->low[k], 3, low, prices[k]);
        tree_prices(p, model->middle[k], 3, middle, prices[k] + LENGTH_LOW);
        if (k)
            memcpy(prices[k] + 2 * LENGTH_LOW, prices[0] + 2 * LENGTH_LOW,
                   (LENGTHS - 2 * LENGTH_LOW) * sizeof prices[k][0]);
    }
}

static uint32_t slot_size(uint32_t slot)
{
    return slot < SLOT_MODELLED ? 1u : 1u << ((slot >> 1) - 1);
}

/* `special` are the prices of the modelled low bits of the near distances. */
static void refresh_distances(price_tables *p, const lzma1_model *model, uint32_t lengths,
                              const uint32_t *special)
{
    uint32_t *slots = p->slot[lengths];
    tree_prices(p, model->slot[lengths], 6, 0, slots);
    for (uint32_t slot = SLOT_DIRECT; slot < SLOTS; slot++)
        slots[slot] += ((slot >> 1) - 1 - ALIGN_BITS) << PRICE_SHIFT;
    for (uint32_t slot = 0, distance = 0; slot < SLOTS_FULL; slot++)
        for (uint32_t end = distance + slot_size(slot); distance < end; distance++)
            p->near[lengths][distance] = slots[slot] + special[distance];
}

/* The low bits of a slot's distances, the lowest first. */
static void find_special(const price_tables *p, const lzma1_model *model, uint32_t *special)
{
    uint32_t nodes[2u << SPECIAL_BITS_MAX], values[2u << SPECIAL_BITS_MAX];
    memset(special, 0, DISTANCE_FULL * sizeof *special);
    nodes[1] = values[1] = 0;
    for (uint32_t slot = SLOT_MODELLED; slot < SLOTS_FULL; slot++) {
        uint32_t bits = (slot >> 1) - 1, base = (2u | (slot & 1u)) << bits, leaf = 1u << bits;
        const probability *models = model->special + base - slot;
        for (uint32_t depth = 0, node = 1; node < leaf; depth++)
            for (uint32_t end = 2u * node; node < end; node++) {
                nodes[2u * node] = nodes[node] + bit_price(p, models[node], 0);
                nodes[2u * node + 1u] = nodes[node] + bit_price(p, models[node], 1);
                values[2u * node] = values[node];
                values[2u * node + 1u] = values[node] | 1u << depth;
            }
        for (uint32_t node = leaf; node < 2u * leaf; node++)
            special[base + values[node]] = nodes[node];
    }
}

void prices_refresh(lzma1_encoder *e)
{
    price_tables *p = &e->prices;
    uint32_t special[DISTANCE_FULL];
    refresh_lengths(p, &e->model->copy_length, e->position_mask + 1u, p->length[0]);
    refresh_lengths(p, &e->model->repeat_length, e->position_mask + 1u, p->length[1]);
    find_special(p, e->model, special);
    for (uint32_t lengths = 0; lengths < SLOT_STATES; lengths++)
        refresh_distances(p, e->model, lengths, special);
    for (uint32_t i = 0; i < 1u << ALIGN_BITS; i++)
        p->align[i] = reversed_price(p, e->model->align, i, ALIGN_BITS);
    e->copies = 0;
}
