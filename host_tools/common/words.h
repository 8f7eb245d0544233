/* SPDX-License-Identifier: MIT
   host_tools/common/words.h - values and words in text: numbers with units, exact fractions, nearest spellings.
   reads   text of scenes and of command lines      writes  numbers
   memory  none      cost    O(length), the nearest word O(words * length^2)
   after   Wagner-Fischer 1974 for the distance of words */
#ifndef TIDEPOOL_WORDS_H
#define TIDEPOOL_WORDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a number measures; any unit of that kind may follow it. The first of each is the one without a factor. */
typedef enum words_kind {
    WORDS_PLAIN,        /* no unit */
    WORDS_LENGTH,       /* m cm mm */
    WORDS_TIME,         /* s ms min */
    WORDS_MASS,         /* kg g */
    WORDS_SPEED,        /* m/s cm/s */
    WORDS_ANGLE,        /* deg */
    WORDS_ACCELERATION, /* m/s2 */
    WORDS_RATE,         /* /s: a second */
    WORDS_TURNING,      /* deg/s */
    WORDS_BYTES         /* B kB MB KiB MiB */
} words_kind;

/* Takes one number and its unit from the front of *text; false, with *text where it was, when there is none. */
bool words_number(const char **text, words_kind kind, double *value);
/* All of `text` as at most `most` numbers apart by blanks or commas; their count, or 0 when it is anything else. A unit
   behind the last counts for all that have none. */
size_t words_numbers(const char *text, words_kind kind, double *values, size_t most);
/* "m, cm, mm" for messages; "" for plain numbers. */
const char *words_units(words_kind kind);

/* "37.5" or "75/2", with or without "/s", as the fraction in lowest terms; false when text is no number >= 0, or needs a
   numerator above 2^32 - 1 or a denominator above 65535. */
bool words_fraction(const char *text, uint32_t *numerator, uint32_t *denominator);

/* "WIDTHxHEIGHT", each 1..16384. */
bool words_size(const char *text, uint32_t *width, uint32_t *height);

/* The word of the list that is most like `word`: at most two letters away (one for words of three letters or less), or
   begins with it; NULL when none is. */
const char *words_nearest(const char *word, const char *const *list, size_t count);

#endif
