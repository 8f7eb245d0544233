/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_price.c - estimated cost of LZMA symbols under the current model.
   reads   the model      writes  price tables
   memory  part of the encoder      cost  some 10,000 operations per refresh
   after   own design: a bit of probability p costs -log2(p) */
#include "lzma1_encoder.h"

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

static uint32_t tree_price(const price_tables *prices, const probability *models, uint32_t value,
                           uint32_t bits)
{
    uint32_t price = 0, node = 1;
    while (bits-- > 0) {
        uint32_t bit = value >> bits & 1u;
        price += bit_price(prices, models[node], bit);
        node = node << 1 | bit;
    }
    return price;
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

static void refresh_lengths(const price_tables *p, const length_model *model,
                            uint32_t position_state, uint32_t *prices)
{
    uint32_t low = bit_price(p, model->is_middle, 0), above = bit_price(p, model->is_middle, 1);
    uint32_t middle = above + bit_price(p, model->is_high, 0),
             high = above + bit_price(p, model->is_high, 1);
    for (uint32_t i = 0; i < LENGTH_LOW; i++) {
        prices[i] = low + tree_price(p, model->low[position_state], i, 3);
        prices[LENGTH_LOW + i] = middle + tree_price(p, model->middle[position_state], i, 3);
    }
    for (uint32_t i = 2 * LENGTH_LOW; i < LENGTHS; i++)
        prices[i] = high + tree_price(p, model->high, i - 2 * LENGTH_LOW, 8);
}

static void refresh_distances(price_tables *p, const lzma1_model *model, uint32_t lengths)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        p->slot[lengths][slot] = tree_price(p, model->slot[lengths], slot, 6);
        if (slot >= SLOT_DIRECT)
            p->slot[lengths][slot] += ((slot >> 1) - 1 - ALIGN_BITS) << PRICE_SHIFT;
    }
    for (uint32_t distance = 0; distance < DISTANCE_FULL; distance++) {
        uint32_t slot = distance_slot(distance), price = p->slot[lengths][slot];
        if (slot >= SLOT_MODELLED) {
            uint32_t bits = (slot >> 1) - 1, base = (2u | (slot & 1u)) << bits;
            price += reversed_price(p, model->special + base - slot, distance - base, bits);
        }
        p->near[lengths][distance] = price;
    }
}

void prices_refresh(lzma1_encoder *e)
{
    price_tables *p = &e->prices;
    for (uint32_t position_state = 0; position_state <= e->position_mask; position_state++) {
        refresh_lengths(p, &e->model->copy_length, position_state, p->length[0][position_state]);
        refresh_lengths(p, &e->model->repeat_length, position_state, p->length[1][position_state]);
    }
    for (uint32_t lengths = 0; lengths < SLOT_STATES; lengths++)
        refresh_distances(p, e->model, lengths);
    for (uint32_t i = 0; i < 1u << ALIGN_BITS; i++)
        p->align[i] = reversed_price(p, e->model->align, i, ALIGN_BITS);
    e->copies = 0;
}
