/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_encode.c - LZMA encoder: range codes the symbols that lzma1_parse.c
           chooses.
   reads   bytes      writes  memory that the caller gives
   memory  lzma1_encoder_bytes of the caller's      cost  O(bytes)
   after   Igor Pavlov's LZMA specification (2015) */
#include "lzma1_encoder.h"
#include <string.h>

#define FLUSH_BYTES 5u

/* ---- range encoder */

static inline void put_byte(lzma1_encoder *e, uint8_t byte)
{
    if (e->out < e->out_end)
        *e->out++ = byte;
    else
        e->full = true;
}

/* Shifts the top byte out of `low`. A byte of ff may still change by a carry, so it stays pending
   with the byte before. */
static void shift_low(lzma1_encoder *e)
{
    if (e->low < 0xff000000u || e->low > 0xffffffffu) {
        uint8_t carry = (uint8_t)(e->low >> 32), next = (uint8_t)(e->held + carry);
        for (; e->held_count > 0; e->held_count--) {
            put_byte(e, next);
            next = (uint8_t)(0xffu + carry);
        }
        e->held = (uint8_t)(e->low >> 24);
    }
    e->held_count++;
    e->low = (e->low & 0x00ffffffu) << 8;
}

static inline void put_bit(lzma1_encoder *e, probability *p, uint32_t bit)
{
    uint32_t chance = *p, bound = (e->range >> BIT_SHIFT) * chance;
    if (bit) {
        e->low += bound;
        e->range -= bound;
        *p = (probability)(chance - (chance >> BIT_MOVE));
    } else {
        e->range = bound;
        *p = (probability)(chance + (((1u << BIT_SHIFT) - chance) >> BIT_MOVE));
    }
    while (e->range < RANGE_TOP) {
        e->range <<= 8;
        shift_low(e);
    }
}

static void put_plain(lzma1_encoder *e, uint32_t value, uint32_t bits)
{
    while (bits-- > 0) {
        e->range >>= 1;
        if (value >> bits & 1u) e->low += e->range;
        if (e->range < RANGE_TOP) {
            e->range <<= 8;
            shift_low(e);
        }
    }
}

static void put_tree(lzma1_encoder *e, probability *models, uint32_t value, uint32_t bits)
{
    for (uint32_t node = 1; bits-- > 0;) {
        uint32_t bit = value >> bits & 1u;
        put_bit(e, models + node, bit);
        node = node << 1 | bit;
    }
}

static void put_reversed(lzma1_encoder *e, probability *models, uint32_t value, uint32_t bits)
{
    for (uint32_t node = 1, i = 0; i < bits; i++) {
        uint32_t bit = value >> i & 1u;
        put_bit(e, models + node, bit);
        node = node << 1 | bit;
    }
}

/* ---- symbols */

static void put_literal(lzma1_encoder *e, uint32_t at)
{
    probability *models = literal_models(e, at);
    uint32_t byte = e->bytes[at] | 0x100u, guess, right = 0x100;
    if (e->state < STATE_MATCHED) {
        put_tree(e, models, byte & 0xffu, 8);
        return;
    }
    guess = e->bytes[at - e->distances[0] - 1];
    for (uint32_t i = 8; i-- > 0;) {
        guess <<= 1;
        uint32_t bit = byte >> i & 1u, guessed = guess & right;
        put_bit(e, models + right + guessed + (byte >> (i + 1)), bit);
        right = bit ? guessed : right & ~guessed;
    }
}

static void put_length(lzma1_encoder *e, length_model *model, uint32_t length,
                       uint32_t position_state)
{
    uint32_t rest = length - LENGTH_MIN;
    put_bit(e, &model->is_middle, rest >= LENGTH_LOW);
    if (rest < LENGTH_LOW) {
        put_tree(e, model->low[position_state], rest, 3);
        return;
    }
    put_bit(e, &model->is_high, rest >= 2 * LENGTH_LOW);
    if (rest < 2 * LENGTH_LOW)
        put_tree(e, model->middle[position_state], rest - LENGTH_LOW, 3);
    else
        put_tree(e, model->high, rest - 2 * LENGTH_LOW, 8);
}

static void put_distance(lzma1_encoder *e, uint32_t distance, uint32_t length)
{
    uint32_t slot = distance_slot(distance);
    put_tree(e, e->model->slot[slot_state(length)], slot, 6);
    if (slot < SLOT_MODELLED) return;
    uint32_t bits = (slot >> 1) - 1, base = (2u | (slot & 1u)) << bits, rest = distance - base;
    if (slot < SLOT_DIRECT) {
        put_reversed(e, e->model->special + base - slot, rest, bits);
        return;
    }
    put_plain(e, rest >> ALIGN_BITS, bits - ALIGN_BITS);
    put_reversed(e, e->model->align, rest & ((1u << ALIGN_BITS) - 1u), ALIGN_BITS);
}

static void put_repeat(lzma1_encoder *e, uint32_t which, uint32_t length, uint32_t position_state)
{
    lzma1_model *model = e->model;
    put_bit(e, &model->is_older[e->state], which > 0);
    if (which == 0)
        put_bit(e, &model->is_long[e->state][position_state], length > 1);
    else {
        put_bit(e, &model->is_third[e->state], which > 1);
        if (which > 1) put_bit(e, &model->is_fourth[e->state], which > 2);
    }
    if (length > 1) put_length(e, &model->repeat_length, length, position_state);
}

void symbol_follow(uint32_t symbol, uint32_t length, uint32_t *state, uint32_t distances[4])
{
    if (symbol == SYMBOL_BYTE) {
        *state = state_after_literal(*state);
        return;
    }
    bool is_new = symbol >= SYMBOL_NEW;
    uint32_t distance = is_new ? symbol - SYMBOL_NEW : distances[symbol];
    for (uint32_t k = is_new ? 3 : symbol; k > 0; k--) distances[k] = distances[k - 1];
    distances[0] = distance;
    *state = is_new        ? state_after_copy(*state)
             : length == 1 ? state_after_byte(*state)
                           : state_after_repeat(*state);
}

static void put_symbol(lzma1_encoder *e, uint32_t at, uint32_t symbol, uint32_t length)
{
    uint32_t position_state = at & e->position_mask;
    put_bit(e, &e->model->is_copy[e->state][position_state], symbol != SYMBOL_BYTE);
    if (symbol == SYMBOL_BYTE)
        put_literal(e, at);
    else {
        put_bit(e, &e->model->is_repeat[e->state], symbol < SYMBOL_NEW);
        e->copies++;
        if (symbol < SYMBOL_NEW)
            put_repeat(e, symbol, length, position_state);
        else {
            put_length(e, &e->model->copy_length, length, position_state);
            put_distance(e, symbol - SYMBOL_NEW, length);
        }
    }
    symbol_follow(symbol, length, &e->state, e->distances);
}

static void put_end_marker(lzma1_encoder *e)
{
    uint32_t position_state = e->size & e->position_mask;
    put_bit(e, &e->model->is_copy[e->state][position_state], 1);
    put_bit(e, &e->model->is_repeat[e->state], 0);
    put_length(e, &e->model->copy_length, LENGTH_MIN, position_state);
    put_distance(e, NO_DISTANCE, LENGTH_MIN);
}

/* ---- streams */

/* Bytes before the finder's tables, rounded up to align them. */
static size_t head_bytes(const lzma1_settings *settings)
{
    size_t bytes = sizeof(lzma1_encoder) + lzma1_model_bytes(settings);
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

size_t lzma1_bound(size_t size) { return size + size / 16u + 67u; }

size_t lzma1_encoder_bytes(const lzma1_settings *settings, size_t size)
{
    if (size > LZMA1_ENCODE_MAX) return 0;
    uint64_t words = finder_words((uint32_t)size, dictionary_span(settings));
    size_t head = head_bytes(settings);
    return words > (SIZE_MAX - head) / sizeof(uint32_t) ? 0
                                                        : head + (size_t)words * sizeof(uint32_t);
}

static void start(lzma1_encoder *e, const lzma1_settings *settings, const uint8_t *bytes,
                  size_t size, uint8_t *out, size_t capacity)
{
    memset(e, 0, sizeof *e);
    e->model = (lzma1_model *)(void *)(e + 1);
    e->settings = *settings;
    e->bytes = bytes;
    e->size = (uint32_t)size;
    e->literal_mask = (1u << settings->lp) - 1u;
    e->position_mask = (1u << settings->pb) - 1u;
    e->range = 0xffffffffu;
    e->held_count = 1;
    e->out = out;
    e->out_end = out + capacity;
    lzma1_model_reset(e->model, settings);
    finder_start(&e->find, bytes, e->size, dictionary_span(settings),
                 (uint32_t *)(void *)((uint8_t *)e + head_bytes(settings)));
    prices_start(&e->prices);
    prices_refresh(e);
}

size_t lzma1_encode(const lzma1_settings *settings, const uint8_t *bytes, size_t size, uint8_t *out,
                    size_t capacity, void *work)
{
    lzma1_encoder *e = work;
    if (size > LZMA1_ENCODE_MAX) return 0;
    start(e, settings, bytes, size, out, capacity);
    for (uint32_t at = 0; at < e->size && !e->full;) {
        uint32_t covered = parse_some(e, at);
        for (uint32_t node = 0; node < covered;) {
            uint32_t next = e->nodes[node].next;
            put_symbol(e, at + node, e->nodes[node].next_symbol, next - node);
            node = next;
        }
        at += covered;
        if (e->copies >= REFRESH_COPIES) prices_refresh(e);
    }
    if (settings->end_marker) put_end_marker(e);
    for (uint32_t i = 0; i < FLUSH_BYTES; i++) shift_low(e);
    return e->full ? 0 : (size_t)(e->out - out);
}
