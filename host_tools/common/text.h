/* SPDX-License-Identifier: MIT
   host_tools/common/text.h - words and numbers of text files, the same in every locale.
   reads   text that ends in a zero byte    writes  numbers; numbers as text
   memory  -                                cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_TEXT_H
#define TIDEPOOL_TEXT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct text_word {
    const char *text; /* not terminated by a zero byte */
    size_t length;
} text_word;

/* A text that is being read; `line` counts the lines that were taken. */
typedef struct text_reader {
    const char *at, *end;
    uint64_t line;
} text_reader;

/* The next line without its end (LF or CR LF). False: no more lines. */
bool text_take_line(text_reader *reader, text_word *line);
/* Removes the next word from the front of a line. False: only blanks are left. */
bool text_take_word(text_word *line, text_word *word);
/* The next word, also from a following line; updates `line`. False: end of the text. */
bool text_take_any(text_reader *reader, text_word *word);
bool text_is(text_word word, const char *text);
/* True if the last line was taken and has no line end: its last number may have lost digits. */
bool text_ends_open(const text_reader *reader);

/* Bytes of the first UTF-8 character of a text: 1 to 4; 0: not valid UTF-8 (Unicode 15, table
   3-7). */
size_t text_letter_bytes(const char *text);
/* The same, but 0 also for characters that must not be printed: terminal controls, and characters
   that XML forbids. */
size_t text_readable_bytes(const char *text);
/* Makes foreign bytes safe for terminals and charts: unreadable characters and invalid bytes become
   '?'. Returns the text. */
char *text_make_readable(char *text);
/* The same for a constant text: returns the text itself if it is safe, otherwise a copy of its
   first 4095 bytes. The last four copies of a thread are valid. */
const char *text_shown(const char *text);

/* Parse the whole word as a decimal number, "nan" or "inf". Correctly rounded: 9 significant digits
   restore the bits. A blank, a line end, a comma, a quote or the zero byte must follow the word. */
bool text_parse_f32(text_word word, float *value);
bool text_parse_f64(text_word word, double *value);
/* Parses a decimal number at the beginning of a zero-terminated text. Returns its length; 0: no
   number ("nan" and "inf" are none). */
size_t text_take_f64(const char *text, double *value);
/* text_parse_f32 or text_parse_f64, as is_f32 says; a number that is too large for the type becomes
   DBL_MAX. */
bool text_parse_float(text_word word, bool is_f32, double *value);
bool text_parse_i64(text_word word, int64_t *value);
bool text_parse_u32(text_word word, uint32_t *value);
bool text_parse_i32(text_word word, int32_t *value);
/* text_parse_f32 that distinguishes "not a number" from "too large for 32 bits". Returns NULL, or
   the text of what was expected. */
const char *text_read_f32(text_word word, float *value);

/* Writes what printf writes for "%.9g": nine significant digits, which restore the bits. Returns
   the number of characters; writes no zero byte (decimal.c). */
#define TEXT_F32_MAX 20u
size_t text_put_f32(char *to, float value);
/* Prints the character `before`, unless it is 0, and the number. */
void text_print_f32(FILE *stream, char before, float value);

#endif
