/* SPDX-License-Identifier: MIT
   host_tools/common/text.c - words and numbers of text files, the same in every locale.
   reads   text that ends in a zero byte    writes  numbers
   memory  -                                cost    O(bytes); numbers of up to 15 digits without the
           C library
   after   own design; exact powers of ten as in Clinger, How to read floating point numbers
           accurately, 1990 */
#include "text.h"
#include "host.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }
static bool is_space(char letter)
{
    return is_blank(letter) || letter == '\n' || letter == '\v' || letter == '\f';
}

bool text_take_line(text_reader *reader, text_word *line)
{
    if (reader->at >= reader->end) return false;
    const char *stop = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    line->text = reader->at;
    line->length = (size_t)((stop ? stop : reader->end) - reader->at);
    if (line->length && line->text[line->length - 1] == '\r') line->length--;
    reader->at = stop ? stop + 1 : reader->end;
    reader->line++;
    return true;
}

bool text_take_word(text_word *line, text_word *word)
{
    const char *at = line->text, *end = at + line->length;
    while (at < end && is_blank(*at)) at++;
    word->text = at;
    while (at < end && !is_blank(*at)) at++;
    word->length = (size_t)(at - word->text);
    line->length = (size_t)(end - at);
    line->text = at;
    return word->length != 0;
}

bool text_take_any(text_reader *reader, text_word *word)
{
    const char *at = reader->at;
    for (; at < reader->end && is_space(*at); at++) reader->line += *at == '\n';
    word->text = at;
    while (at < reader->end && !is_space(*at)) at++;
    word->length = (size_t)(at - word->text);
    reader->at = at;
    return word->length != 0;
}

bool text_is(text_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool text_ends_open(const text_reader *reader)
{
    return reader->at == reader->end && reader->at[-1] != '\n';
}

/* ---- characters */

/* Checks the second byte: excludes overlong encodings and surrogates. */
static bool is_second(uint8_t first, uint8_t second)
{
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

size_t text_letter_bytes(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t count = bytes[0] < 0x80 ? 1 : bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
    if (count == 1) return 1;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || !is_second(bytes[0], bytes[1])) return 0;
    for (size_t i = 2; i < count; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    return count;
}

size_t text_readable_bytes(const char *text)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t count = text_letter_bytes(text);
    bool is_control = count == 1 ? bytes[0] < ' ' || bytes[0] == 0x7f /* U+0080 to U+009F: */
                                 : bytes[0] == 0xc2 && bytes[1] < 0xa0;
    /* U+FFFE, U+FFFF */
    bool is_none = count == 3 && bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] > 0xbd;
    return is_control || is_none ? 0 : count;
}

char *text_make_readable(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        size_t bytes = text_readable_bytes(from);
        if (!bytes) {
            size_t hidden = text_letter_bytes(from);
            from += hidden ? hidden : 1;
            *to++ = '?';
        }
        for (size_t i = 0; i < bytes; i++) *to++ = *from++;
    }
    *to = 0;
    return text;
}

const char *text_shown(const char *text)
{
    static _Thread_local char copies[4][4096];
    static _Thread_local unsigned next;
    size_t at = 0, bytes = 1;
    for (; text[at] && bytes; at += bytes) bytes = text_readable_bytes(text + at);
    if (bytes) return text;
    char *copy = copies[next++ % 4u];
    snprintf(copy, sizeof copies[0], "%s", text);
    return text_make_readable(copy);
}

/* ---- numbers */

/* A parsed decimal number: digits * 10^exponent. `digits` holds at most 18 digits; further digits
   are only counted. */
typedef struct decimal {
    uint64_t digits;
    int64_t exponent;
    uint64_t count; /* of significant digits */
    bool negative;
} decimal;

static void take_digits(const char **at, const char *end, decimal *number, bool fraction)
{
    for (; *at < end && host_is_digit(**at); ++*at) {
        if (number->count < 18) number->digits = number->digits * 10 + (uint64_t)(**at - '0');
        if (number->count || **at != '0') number->count++;
        if (number->count > 18) number->exponent += !fraction;
        if (number->count <= 18) number->exponent -= fraction;
    }
}

/* An e without digits after it is not an exponent. */
static void take_exponent(const char **at, const char *end, decimal *number)
{
    int32_t sum = 0;
    const char *digits = *at + 1;
    if (*at == end || (**at | 0x20) != 'e') return;
    bool negative = digits < end && *digits == '-';
    if (digits < end && (*digits == '-' || *digits == '+')) digits++;
    if (digits == end || !host_is_digit(*digits)) return;
    for (; digits < end && host_is_digit(*digits); digits++)
        if (sum < 100000) sum = sum * 10 + (*digits - '0');
    number->exponent += negative ? -sum : sum;
    *at = digits;
}

/* Parses the decimal number at the beginning of the word. Returns its length; 0: no number. */
static size_t take_decimal(text_word word, decimal *number)
{
    const char *at = word.text, *end = at + word.length, *first;
    memset(number, 0, sizeof *number);
    number->negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    first = at;
    take_digits(&at, end, number, false);
    size_t digits = (size_t)(at - first);
    if (at < end && *at == '.') {
        first = ++at;
        take_digits(&at, end, number, true);
        digits += (size_t)(at - first);
    }
    if (digits) take_exponent(&at, end, number);
    return digits ? (size_t)(at - word.text) : 0;
}

/* False: not a decimal number. So hexadecimal numbers and the like never reach the C library. */
static bool take_apart(text_word word, decimal *number)
{
    return word.length && take_decimal(word, number) == word.length;
}

/* Fast path (Clinger 1990): digits and power of ten are both exact doubles, so that a single
   rounding remains. */
static bool make_exact(const decimal *number, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->count > 15 || number->exponent < -22 || number->exponent > 22) return false;
    double magnitude = (double)number->digits;
    magnitude = number->exponent < 0 ? magnitude / powers[-number->exponent]
                                     : magnitude * powers[number->exponent];
    *value = number->negative ? -magnitude : magnitude;
    return true;
}

/* "nan", "inf", "infinity", also with a sign; upper or lower case. */
static bool parse_special(text_word word, double *value)
{
    static const char *const names[] = {"nan", "inf", "infinity"};
    bool has_sign = word.length && (*word.text == '-' || *word.text == '+');
    for (int n = 0; n < 3; n++) {
        size_t length = strlen(names[n]), i = 0;
        if (word.length != length + has_sign) continue;
        while (i < length && (word.text[i + has_sign] | 0x20) == names[n][i]) i++;
        if (i < length) continue;
        *value = n == 0 ? (double)NAN : (double)INFINITY;
        if (*word.text == '-') *value = -*value;
        return true;
    }
    return false;
}

/* The program always runs in the "C" locale, so strtod expects a decimal point. */
bool text_parse_f64(text_word word, double *value)
{
    decimal number;
    if (!take_apart(word, &number)) return parse_special(word, value);
    if (!make_exact(&number, value)) *value = strtod(word.text, NULL);
    return true;
}

size_t text_take_f64(const char *text, double *value)
{
    decimal number;
    size_t length = take_decimal((text_word){text, strlen(text)}, &number);
    if (length && !make_exact(&number, value)) *value = strtod(text, NULL);
    return length;
}

/* Double rounding, to 53 and then to 24 bits, is correct except if the first result is halfway
   between two floats, or in the subnormal range. */
bool text_parse_f32(text_word word, float *value)
{
    decimal number;
    double wide;
    uint64_t bits;
    if (!take_apart(word, &number)) {
        if (!parse_special(word, &wide)) return false;
        *value = (float)wide;
        return true;
    }
    bool is_exact = make_exact(&number, &wide);
    if (is_exact) {
        memcpy(&bits, &wide, sizeof bits);
        uint64_t tail = bits & 0x1fffffffu;
        double size = fabs(wide);
        is_exact = size == 0 || (tail != 0x10000000u && size > 1.2e-38 && size < 3.4e38);
    }
    *value = is_exact ? (float)wide : strtof(word.text, NULL);
    return true;
}

/* True if a number, not the word "inf", was read as infinity. */
static bool is_too_large(text_word word, double value)
{
    bool has_sign = *word.text == '-' || *word.text == '+';
    return isinf(value) && (word.text[has_sign] | 0x20) != 'i';
}

bool text_parse_float(text_word word, bool is_f32, double *value)
{
    float narrow = 0;
    bool good = is_f32 ? text_parse_f32(word, &narrow) : text_parse_f64(word, value);
    if (good && is_f32) *value = (double)narrow;
    if (good && is_too_large(word, *value)) *value = DBL_MAX;
    return good;
}

bool text_parse_i64(text_word word, int64_t *value)
{
    uint64_t sum = 0;
    bool negative = word.length && *word.text == '-';
    size_t i = word.length && (*word.text == '-' || *word.text == '+');
    if (i == word.length || word.length - i > 18) return false;
    for (; i < word.length; i++) {
        if (!host_is_digit(word.text[i])) return false;
        sum = sum * 10 + (uint64_t)(word.text[i] - '0');
    }
    *value = negative ? -(int64_t)sum : (int64_t)sum;
    return true;
}

bool text_parse_u32(text_word word, uint32_t *value)
{
    int64_t wide;
    if (!text_parse_i64(word, &wide) || wide < 0 || wide > UINT32_MAX) return false;
    *value = (uint32_t)wide;
    return true;
}

bool text_parse_i32(text_word word, int32_t *value)
{
    int64_t wide;
    if (!text_parse_i64(word, &wide) || wide < INT32_MIN || wide > INT32_MAX) return false;
    *value = (int32_t)wide;
    return true;
}

const char *text_read_f32(text_word word, float *value)
{
    if (!text_parse_f32(word, value)) return "a number";
    return is_too_large(word, (double)*value) ? "a number that fits in 32 bits (at most 3.4e38)"
                                              : NULL;
}
