/* SPDX-License-Identifier: MIT
   host_tools/clip/mix.h - context mixing: an arithmetic coder of bits, whose probabilities come
           from several adaptive contexts.
   reads   bits and their contexts         writes  bytes; the inverse when decoding
   memory  17 MB, of the caller            cost    about 0.1 us per bit
   after   Mahoney 2005, "Adaptive weighing of context models for lossless data compression":
           logistic mixing, weights trained online; integers only, so that every machine decodes
           the same */
#ifndef HOST_CLIP_MIX_H
#define HOST_CLIP_MIX_H
#include "../../runtime/codec/codec.h"
#include <stddef.h>

#define HOST_MIX_INPUTS 16u
#define HOST_MIX_SETS   1024u
#define HOST_MIX_BITS   18u
#define HOST_MIX_CELLS  (1u << HOST_MIX_BITS)

typedef struct host_mix {
    bool decodes;
    bool is_bad;    /* the bytes are used up, or do not fit */
    uint8_t *bytes; /* when decoding they are only read */
    size_t size, at;
    uint32_t low, high, code; /* interval of the arithmetic coder; the bytes being decoded */
    int16_t stretch[4096];    /* 256 ln(p / (1 - p)) of a probability in 4096ths */
    int32_t weights[HOST_MIX_SETS][HOST_MIX_INPUTS];
    uint32_t cells[HOST_MIX_INPUTS][HOST_MIX_CELLS]; /* probability << 10 | bits seen */
} host_mix;

/* Begins to encode to `bytes`, or to decode from them. */
void host_mix_begin(host_mix *mix, uint8_t *bytes, size_t size, bool decodes);

/* Codes a signed number, in a few bits of about as many as it has. `contexts`: one number per
   input; `set` below 4 chooses weights, and separates the contexts of different uses. Returns the
   number, of which `value` is used only when encoding. */
int32_t host_mix_number(host_mix *mix, const uint32_t *contexts, uint32_t set, int32_t value);

/* After encoding: writes the last bytes. Returns the size; 0: they did not fit. */
size_t host_mix_end(host_mix *mix);

#endif
