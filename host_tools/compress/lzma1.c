/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1.c - decodes raw LZMA streams.
   reads   bytes      writes  memory that the caller gives
   memory  lzma1_decoder_bytes of the caller's      cost  O(bytes); 20 to 50 ns per literal
   after   Igor Pavlov's LZMA specification (2015) */
#include "copy.h"
#include "gain.h"
#include "lzma1_model.h"

#define HEAD_BYTES 5u
/* One symbol has at most 22 modelled bits of log2(2048 / 31) = 6.05 bits each, and 26 direct bits:
   160 bits. The range may start 14 bits short of full: 22 bytes in total. */
#define SYMBOL_MAX 24u
/* The most probable bit costs log2(2048 / 2017) = 0.02199 bits, and 14 such bits code 273 bytes:
   7094 bytes per stream byte. */
#define GAIN_MAX 7100u

lzma1_settings lzma1_blender(void) { return (lzma1_settings){3, 0, 2, 1u << 24, false}; }

void lzma1_store_settings(const lzma1_settings *settings, uint8_t properties[LZMA1_PROPERTY_BYTES])
{
    properties[0] = (uint8_t)((settings->pb * 5 + settings->lp) * 9 + settings->lc);
    for (uint32_t k = 0; k < 4; k++) properties[1 + k] = (uint8_t)(settings->dictionary >> 8 * k);
}

bool lzma1_load_settings(const uint8_t properties[LZMA1_PROPERTY_BYTES], lzma1_settings *settings,
                         compress_fault *fault)
{
    bool good = properties[0] < 225;
    *settings = lzma1_blender();
    *fault = (compress_fault){0, good ? NULL : "the LZMA property byte is above 224"};
    if (!good) return false;
    settings->lc = properties[0] % 9u;
    settings->lp = properties[0] / 9u % 5u;
    settings->pb = properties[0] / 45u;
    settings->dictionary = 0;
    for (uint32_t k = 0; k < 4; k++) settings->dictionary |= (uint32_t)properties[1 + k] << 8 * k;
    return true;
}

uint64_t lzma1_decoded_max(size_t size) { return compress_most(size, GAIN_MAX); }

size_t lzma1_decoder_bytes(const lzma1_settings *settings) { return lzma1_model_bytes(settings); }

/* ---- range decoder: `code` stays below `range`. Input bounds are checked in take_symbols, not
   here. */

typedef struct decoder {
    uint32_t range, code;
    const uint8_t *in, *in_end;
    uint8_t *out, *out_start, *out_end;
    lzma1_model *model;
    uint32_t distances[4]; /* the latest first */
    uint32_t state, lc, literal_mask, position_mask, span;
    const char *why;
} decoder;

static inline void fill_range(decoder *d)
{
    if (d->range >= RANGE_TOP) return;
    d->range <<= 8;
    d->code = d->code << 8 | *d->in++;
}

static inline uint32_t take_bit(decoder *d, probability *p)
{
    fill_range(d);
    uint32_t chance = *p, bound = (d->range >> BIT_SHIFT) * chance;
    if (d->code < bound) {
        d->range = bound;
        *p = (probability)(chance + (((1u << BIT_SHIFT) - chance) >> BIT_MOVE));
        return 0;
    }
    d->range -= bound;
    d->code -= bound;
    *p = (probability)(chance - (chance >> BIT_MOVE));
    return 1;
}

static inline uint32_t take_tree(decoder *d, probability *models, uint32_t bits)
{
    uint32_t node = 1;
    for (uint32_t i = 0; i < bits; i++) node = node << 1 | take_bit(d, models + node);
    return node - (1u << bits);
}

/* Lowest bit first. */
static inline uint32_t take_reversed(decoder *d, probability *models, uint32_t bits)
{
    uint32_t node = 1, value = 0;
    for (uint32_t i = 0; i < bits; i++) {
        uint32_t bit = take_bit(d, models + node);
        node = node << 1 | bit;
        value |= bit << i;
    }
    return value;
}

static inline uint32_t take_plain(decoder *d, uint32_t bits)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++) {
        fill_range(d);
        d->range >>= 1;
        d->code -= d->range;
        uint32_t under = 0u - (d->code >> 31); /* all ones if the bit is 0 */
        d->code += d->range & under;
        value = (value << 1) + under + 1u;
    }
    return value;
}

/* ---- symbols */

static inline uint32_t position(const decoder *d) { return (uint32_t)(d->out - d->out_start); }

static inline void take_literal(decoder *d)
{
    uint32_t before = d->out > d->out_start ? d->out[-1] : 0u, node = 1;
    uint32_t context = ((position(d) & d->literal_mask) << d->lc) + (before >> (8u - d->lc));
    probability *models = d->model->literal + (size_t)LITERAL_MODELS * context;
    if (d->state >= STATE_MATCHED) {
        /* Matched literal: the bits of the byte at the latest distance select the models until one
           of them differs. */
        uint32_t guess = d->out[-(ptrdiff_t)d->distances[0] - 1], right = 0x100;
        while (node < 0x100) {
            guess <<= 1;
            uint32_t guessed = guess & right, bit = take_bit(d, models + right + guessed + node);
            node = node << 1 | bit;
            right = bit ? guessed : right & ~guessed;
        }
    } else
        while (node < 0x100) node = node << 1 | take_bit(d, models + node);
    *d->out++ = (uint8_t)node;
    d->state = state_after_literal(d->state);
}

static inline uint32_t take_length(decoder *d, length_model *model, uint32_t position_state)
{
    if (!take_bit(d, &model->is_middle))
        return LENGTH_MIN + take_tree(d, model->low[position_state], 3);
    if (!take_bit(d, &model->is_high))
        return LENGTH_MIN + LENGTH_LOW + take_tree(d, model->middle[position_state], 3);
    return LENGTH_MIN + 2 * LENGTH_LOW + take_tree(d, model->high, 8);
}

static inline uint32_t take_distance(decoder *d, uint32_t length)
{
    uint32_t slot = take_tree(d, d->model->slot[slot_state(length)], 6);
    if (slot < SLOT_MODELLED) return slot;
    uint32_t bits = (slot >> 1) - 1, distance = (2u | (slot & 1u)) << bits;
    if (slot < SLOT_DIRECT)
        return distance + take_reversed(d, d->model->special + distance - slot, bits);
    distance += take_plain(d, bits - ALIGN_BITS) << ALIGN_BITS;
    return distance + take_reversed(d, d->model->align, ALIGN_BITS);
}

/* Repeated match: moves one of the four latest distances to the front; returns the match length. */
static inline uint32_t take_repeat(decoder *d, uint32_t position_state)
{
    lzma1_model *model = d->model;
    uint32_t state = d->state, *distances = d->distances, chosen;
    if (!take_bit(d, &model->is_older[state])) {
        if (!take_bit(d, &model->is_long[state][position_state])) {
            d->state = state_after_byte(state);
            return 1;
        }
        d->state = state_after_repeat(state);
        return take_length(d, &model->repeat_length, position_state);
    }
    if (!take_bit(d, &model->is_third[state]))
        chosen = distances[1];
    else {
        if (!take_bit(d, &model->is_fourth[state]))
            chosen = distances[2];
        else {
            chosen = distances[3];
            distances[3] = distances[2];
        }
        distances[2] = distances[1];
    }
    distances[1] = distances[0];
    distances[0] = chosen;
    d->state = state_after_repeat(state);
    return take_length(d, &model->repeat_length, position_state);
}

static inline uint32_t take_new_copy(decoder *d, uint32_t position_state)
{
    uint32_t length = take_length(d, &d->model->copy_length, position_state);
    d->distances[3] = d->distances[2];
    d->distances[2] = d->distances[1];
    d->distances[1] = d->distances[0];
    d->distances[0] = take_distance(d, length);
    d->state = state_after_copy(d->state);
    return length;
}

static inline const char *copy_fault(const decoder *d, uint32_t length)
{
    uint32_t distance = d->distances[0];
    if (distance == NO_DISTANCE) return "the end marker comes before the last byte";
    if (distance >= (size_t)(d->out - d->out_start))
        return "a distance leads to before the first byte";
    if (distance >= d->span) return "a distance is longer than the dictionary";
    if (length > (size_t)(d->out_end - d->out))
        return "a copy exceeds the decoded size of the stream";
    return NULL;
}

/* Decodes symbols until the output is full or `in` passes `last`; SYMBOL_MAX bytes after `last`
   must be readable. On a fault `in` is the start of the symbol. */
static void take_symbols(decoder *shared, const uint8_t *last)
{
    /* a local copy, so that the compiler keeps it in registers */
    decoder local = *shared, *d = &local;
    while (d->in <= last && d->out < d->out_end) {
        const uint8_t *start = d->in;
        uint32_t position_state = position(d) & d->position_mask, length;
        if (!take_bit(d, &d->model->is_copy[d->state][position_state])) {
            take_literal(d);
            continue;
        }
        length = take_bit(d, &d->model->is_repeat[d->state]) ? take_repeat(d, position_state)
                                                             : take_new_copy(d, position_state);
        if (d->in > d->in_end) break; /* read past the end: the symbol is meaningless */
        if ((d->why = copy_fault(d, length)) != NULL) {
            d->in = start;
            break;
        }
        copy_back(d->out, (size_t)d->distances[0] + 1, length, (size_t)(d->out_end - d->out));
        d->out += length;
    }
    *shared = local;
}

/* Called when the output is full: the stream must end here, or after an end marker. */
static void take_end(decoder *d)
{
    const uint8_t *start = d->in;
    fill_range(d);
    if (d->code == 0) return;
    uint32_t position_state = position(d) & d->position_mask;
    if (take_bit(d, &d->model->is_copy[d->state][position_state]) &&
        !take_bit(d, &d->model->is_repeat[d->state])) {
        take_new_copy(d, position_state);
        fill_range(d);
        if (d->distances[0] == NO_DISTANCE && d->code == 0) return;
    }
    if (d->in > d->in_end) return;
    d->in = start;
    d->why = "the stream exceeds its decoded size";
}

/* Decodes the last bytes from a copy with zero padding, so that symbols need no bounds checks of
   the input. */
static bool take_all(decoder *d, const uint8_t *bytes, size_t size, compress_fault *fault)
{
    uint8_t tail[2 * SYMBOL_MAX] = {0};
    size_t moved = 0; /* stream offset of tail[0] */
    d->in_end = bytes + size;
    if (size - HEAD_BYTES > SYMBOL_MAX) take_symbols(d, d->in_end - SYMBOL_MAX);
    size_t left = (size_t)(d->in_end - d->in);
    if (!d->why && left <= SYMBOL_MAX) {
        memcpy(tail, d->in, left);
        moved = size - left;
        bytes = d->in = tail;
        d->in_end = tail + left;
        take_symbols(d, d->in_end);
    }
    if (!d->why && d->in <= d->in_end) take_end(d);
    if (!d->why && d->in > d->in_end) {
        d->in = d->in_end;
        d->why = "the stream ends too early";
    }
    if (!d->why && d->in < d->in_end) d->why = "bytes follow the end of the stream";
    *fault = (compress_fault){d->why ? moved + (size_t)(d->in - bytes) : 0, d->why};
    return !d->why;
}

static bool refuse(compress_fault *fault, size_t at, const char *why)
{
    *fault = (compress_fault){at, why};
    return false;
}

bool lzma1_decode(const lzma1_settings *settings, const uint8_t *bytes, size_t size, uint8_t *out,
                  size_t out_size, void *work, compress_fault *fault)
{
    if (size < HEAD_BYTES) return refuse(fault, size, "the stream ends too early");
    if (bytes[0] != 0) return refuse(fault, 0, "the first byte is not 0");
    if (out_size > lzma1_decoded_max(size))
        return refuse(fault, size, "a stream of this size cannot hold as many bytes as it should");
    decoder d = {.range = 0xffffffffu,
                 .in = bytes + HEAD_BYTES,
                 .out = out,
                 .out_start = out,
                 .out_end = out + out_size,
                 .model = work,
                 .lc = settings->lc,
                 .literal_mask = (1u << settings->lp) - 1u,
                 .position_mask = (1u << settings->pb) - 1u,
                 .span = dictionary_span(settings)};
    for (uint32_t k = 1; k < HEAD_BYTES; k++) d.code = d.code << 8 | bytes[k];
    if (d.code == d.range) return refuse(fault, 1, "the four bytes after the first are all ff");
    lzma1_model_reset(d.model, settings);
    return take_all(&d, bytes, size, fault);
}
