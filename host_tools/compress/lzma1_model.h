/* SPDX-License-Identifier: MIT
   host_tools/compress/lzma1_model.h - probability model and states of LZMA, shared by decoder and
           encoder.
   reads   -      writes  -
   memory  see lzma1_model_bytes      cost  O(model) to reset
   after   Igor Pavlov's LZMA specification (2015) */
#ifndef TIDEPOOL_LZMA1_MODEL_H
#define TIDEPOOL_LZMA1_MODEL_H
#include "lzma1.h"

#define STATES          12u
#define STATE_MATCHED   7u /* from this state on the last symbol was a match */
#define POSITION_STATES 16u
#define BIT_SHIFT       11u /* probabilities are those of a 0 bit, in 1 / 2048 */
#define BIT_HALF        1024u
#define BIT_MOVE        5u
#define RANGE_TOP       (1u << 24)
#define LENGTH_MIN      2u
#define LENGTH_MAX      273u
#define LENGTH_LOW      8u
#define SLOT_STATES     4u
#define SLOTS           64u
#define SLOT_MODELLED   4u  /* lower slots are the distance itself */
#define SLOT_DIRECT     14u /* from this slot on the middle bits have no model */
#define DISTANCE_FULL   128u
#define ALIGN_BITS      4u
#define LITERAL_MODELS  768u
#define NO_DISTANCE     0xffffffffu /* end marker; distances are stored as distance - 1 */

typedef uint16_t probability;

typedef struct length_model {
    probability is_middle, is_high;
    probability low[POSITION_STATES][8], middle[POSITION_STATES][8], high[256];
} length_model;

/* Contains only 16-bit numbers, so that a reset can fill it as one array. */
typedef struct lzma1_model {
    probability is_copy[STATES][POSITION_STATES];
    probability is_repeat[STATES];
    probability is_older[STATES]; /* not rep0, the latest distance */
    probability is_third[STATES]; /* neither rep1 */
    probability is_fourth[STATES];
    probability is_long[STATES][POSITION_STATES]; /* rep0 with more than one byte */
    length_model copy_length, repeat_length;
    probability slot[SLOT_STATES][SLOTS];
    probability special[DISTANCE_FULL - SLOT_DIRECT + 1];
    probability align[1u << ALIGN_BITS];
    probability literal[]; /* LITERAL_MODELS << (lc + lp) */
} lzma1_model;

static inline size_t lzma1_model_bytes(const lzma1_settings *settings)
{
    return sizeof(lzma1_model) +
           (sizeof(probability) * LITERAL_MODELS << (settings->lc + settings->lp));
}

static inline void lzma1_model_reset(lzma1_model *model, const lzma1_settings *settings)
{
    probability *all = (probability *)(void *)model;
    size_t count = lzma1_model_bytes(settings) / sizeof(probability);
    for (size_t i = 0; i < count; i++) all[i] = BIT_HALF;
}

static inline uint32_t state_after_literal(uint32_t state)
{
    return state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
}
static inline uint32_t state_after_copy(uint32_t state) { return state < STATE_MATCHED ? 7 : 10; }
static inline uint32_t state_after_repeat(uint32_t state) { return state < STATE_MATCHED ? 8 : 11; }
static inline uint32_t state_after_byte(uint32_t state) { return state < STATE_MATCHED ? 9 : 11; }

static inline uint32_t slot_state(uint32_t length)
{
    return length < LENGTH_MIN + SLOT_STATES ? length - LENGTH_MIN : SLOT_STATES - 1;
}

static inline uint32_t dictionary_span(const lzma1_settings *settings)
{
    return settings->dictionary < 4096 ? 4096 : settings->dictionary;
}

#endif
