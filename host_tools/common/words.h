/* SPDX-License-Identifier: MIT
   host_tools/common/words.h - parses values and words: numbers with units, exact fractions,
           spelling suggestions.
   reads   text of scenes and of command lines      writes  numbers
   memory  none      cost    O(length); words_nearest O(words * length^2)
   after   edit distance of Wagner and Fischer 1974 */
#ifndef TIDEPOOL_WORDS_H
#define TIDEPOOL_WORDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a number measures; any unit of its kind may follow the number. The first unit of each kind
   has the factor 1. */
typedef enum words_kind {
    WORDS_PLAIN,        /* no unit */
    WORDS_LENGTH,       /* m cm mm */
    WORDS_TIME,         /* s ms min */
    WORDS_MASS,         /* kg g */
    WORDS_SPEED,        /* m/s cm/s */
    WORDS_ANGLE,        /* deg */
    WORDS_ACCELERATION, /* m/s2 */
    WORDS_RATE,         /* /s: per second */
    WORDS_TURNING,      /* deg/s */
    WORDS_BYTES         /* B kB MB KiB MiB */
} words_kind;

/* Parses one number and its unit at the front of *text, and advances *text. False: no number, *text
   unchanged. */
bool words_number(const char **text, words_kind kind, double *value);
/* Parses all of `text` as at most `most` numbers, separated by blanks or commas. Returns their
   count; 0: anything else. A unit after the last number applies to all numbers without a unit. */
size_t words_numbers(const char *text, words_kind kind, double *values, size_t most);
/* The list of units for messages, such as "m, cm, mm"; "" for plain numbers. */
const char *words_units(words_kind kind);

/* Parses "37.5" or "75/2", with or without "/s", as a fraction in lowest terms. False: not a number
   >= 0, numerator above 2^32 - 1, or denominator above 65535. */
bool words_fraction(const char *text, uint32_t *numerator, uint32_t *denominator);

/* "WIDTHxHEIGHT", each 1..16384. */
bool words_size(const char *text, uint32_t *width, uint32_t *height);

/* The word of the list with the smallest edit distance to `word`: at most 2 (at most 1 for words of
   three letters or less); or a word that begins with `word`. NULL: none. */
const char *words_nearest(const char *word, const char *const *list, size_t count);

#endif
