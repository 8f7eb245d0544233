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
    const char *text; /* not ended by a zero byte of its own */
    size_t length;
} text_word;

/* A text under way; `line` counts those taken. */
typedef struct text_reader {
    const char *at, *end;
    uint64_t line;
} text_reader;

/* The next line without its end (LF or CR LF); false when there is none. */
bool text_take_line(text_reader *reader, text_word *line);
/* The next word of a line, and the rest of it; false when only blanks are left. */
bool text_take_word(text_word *line, text_word *word);
/* The next word, also of a later line, of which `line` then counts; false at the end of the text. */
bool text_take_any(text_reader *reader, text_word *word);
bool text_is(text_word word, const char *text);
/* The last line has been taken and has no end: a number there may have lost digits. */
bool text_ends_open(const text_reader *reader);

/* How many bytes the first letter of a text has in UTF-8: 1 to 4; 0 where its bytes are none. (Unicode 15, table 3-7) */
size_t text_letter_bytes(const char *text);
/* The same, but 0 also for a letter that must not be shown: one that steers a terminal, or that XML forbids. */
size_t text_readable_bytes(const char *text);
/* A text of foreign bytes for terminals and charts: any other letter, or byte that is in none, becomes '?'. Returns
   the text. */
char *text_make_readable(char *text);
/* The same of a text that must stay as it is: itself where nothing is to be changed, or a copy of its first 4095 bytes. A
   thread's last four copies hold. */
const char *text_shown(const char *text);

/* The whole word as a decimal number, "nan" or "inf"; correctly rounded, so that 9 significant digits give back the bits.
   The word must be followed by a blank, a line end, a comma, a quote or the zero byte. */
bool text_parse_f32(text_word word, float *value);
bool text_parse_f64(text_word word, double *value);
/* The decimal number at the beginning of a text with a zero byte, and its length; 0: none, nor "nan" or "inf". */
size_t text_take_f64(const char *text, double *value);
/* One of both, as the type of a file's numbers says; DBL_MAX for what is written as a number and too large for the type. */
bool text_parse_float(text_word word, bool is_f32, double *value);
bool text_parse_i64(text_word word, int64_t *value);
bool text_parse_u32(text_word word, uint32_t *value);
bool text_parse_i32(text_word word, int32_t *value);
/* text_parse_f32, with the difference between what is no number and what is too large for 32 bits: NULL, or what was
   expected instead. */
const char *text_read_f32(text_word word, float *value);

/* What printf makes of "%.9g": nine significant digits, from which the bits come back. Returns the letters written, without a
   zero byte behind them (decimal.c). */
#define TEXT_F32_MAX 20u
size_t text_put_f32(char *to, float value);
/* The letter, unless it is 0, and the number. */
void text_print_f32(FILE *stream, char before, float value);

#endif
