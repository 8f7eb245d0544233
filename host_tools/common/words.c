/* SPDX-License-Identifier: MIT
   host_tools/common/words.c - parses values and words: numbers with units, exact fractions,
           spelling suggestions.
   reads   text of scenes and of command lines      writes  numbers
   memory  none      cost    O(length); words_nearest O(words * length^2)
   after   edit distance of Wagner and Fischer 1974 */
#include "words.h"
#include "host.h"
#include "text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct words_unit {
    words_kind kind;
    const char *name;
    double factor;
} words_unit;

static const words_unit units[] = {
    {WORDS_LENGTH, "m", 1},        {WORDS_LENGTH, "cm", 0.01},  {WORDS_LENGTH, "mm", 0.001},
    {WORDS_TIME, "s", 1},          {WORDS_TIME, "ms", 0.001},   {WORDS_TIME, "min", 60},
    {WORDS_MASS, "kg", 1},         {WORDS_MASS, "g", 0.001},    {WORDS_SPEED, "m/s", 1},
    {WORDS_SPEED, "cm/s", 0.01},   {WORDS_ANGLE, "deg", 1},     {WORDS_ACCELERATION, "m/s2", 1},
    {WORDS_RATE, "/s", 1},         {WORDS_TURNING, "deg/s", 1}, {WORDS_BYTES, "B", 1},
    {WORDS_BYTES, "kB", 1e3},      {WORDS_BYTES, "MB", 1e6},    {WORDS_BYTES, "KiB", 1024},
    {WORDS_BYTES, "MiB", 1048576},
};

const char *words_units(words_kind kind)
{
    static const char *const names[] = {
        "",    "m, cm, mm", "s, ms, min", "kg, g", "m/s, cm/s",
        "deg", "m/s2",      "/s",         "deg/s", "B, kB, MB, KiB, MiB"};
    return names[kind];
}

static bool is_separator(char letter)
{
    return letter == 0 || letter == ' ' || letter == '\t' || letter == ',';
}

/* The unit at the beginning of `text`, and its length. NULL: none. */
static const words_unit *unit_at(const char *text, words_kind kind, size_t *length)
{
    *length = 0;
    while (!is_separator(text[*length])) (*length)++;
    for (size_t u = 0; *length && u < sizeof units / sizeof units[0]; u++)
        if (units[u].kind == kind && strlen(units[u].name) == *length &&
            strncmp(units[u].name, text, *length) == 0)
            return &units[u];
    return NULL;
}

static bool plain_number(const char **text, double *value)
{
    size_t length = text_take_f64(*text, value);
    *text += length;
    return length && isfinite(*value);
}

/* As words_number, with the factor of the unit; 0: the number has no unit. */
static bool number_with_unit(const char **text, words_kind kind, double *value, double *factor)
{
    const char *at = *text;
    size_t length;
    while (*at == ' ' || *at == '\t') at++;
    if (!plain_number(&at, value)) return false;
    const char *behind = at;
    while (*at == ' ' || *at == '\t') at++;
    const words_unit *unit = unit_at(at, kind, &length);
    if (unit)
        behind = at + length;
    else if (!is_separator(*behind))
        return false;
    *factor = unit ? unit->factor : 0;
    *text = behind;
    return true;
}

bool words_number(const char **text, words_kind kind, double *value)
{
    double factor;
    if (!number_with_unit(text, kind, value, &factor)) return false;
    if (factor > 0) *value *= factor;
    return true;
}

size_t words_numbers(const char *text, words_kind kind, double *values, size_t most)
{
    double factor = 0;
    size_t count = 0, unscaled = 0;
    for (;;) {
        while (*text == ' ' || *text == '\t' || *text == ',') text++;
        if (!*text) break;
        if (count == most || !number_with_unit(&text, kind, &values[count], &factor)) return 0;
        count++;
        if (factor == 0) continue;
        for (; unscaled < count; unscaled++) values[unscaled] *= factor;
    }
    return count;
}

/* ---- fractions */

/* Parses digits with at most one point as numerator / 10^k. False: too long to be exact. */
static bool decimal(const char **text, uint64_t *numerator, uint64_t *denominator)
{
    const char *at = *text;
    bool behind_point = false, any = false;
    *numerator = 0;
    *denominator = 1;
    for (; isdigit((unsigned char)*at) || (*at == '.' && !behind_point); at++) {
        if (*at == '.') {
            behind_point = true;
            continue;
        }
        any = true;
        if (*numerator > UINT64_MAX / 100 || *denominator > UINT64_MAX / 100) return false;
        *numerator = *numerator * 10 + (uint64_t)(*at - '0');
        if (behind_point) *denominator *= 10;
    }
    *text = at;
    return any;
}

bool words_fraction(const char *text, uint32_t *numerator, uint32_t *denominator)
{
    uint64_t top, bottom, under = 1, under_bottom = 1;
    if (!decimal(&text, &top, &bottom)) return false;
    if (*text == '/' && text[1] != 's') {
        text++;
        if (!decimal(&text, &under, &under_bottom) || under == 0) return false;
    }
    while (*text == ' ' || *text == '\t') text++;
    if (strcmp(text, "/s") == 0) text += 2;
    if (*text) return false;
    uint64_t common = host_greatest_divisor(top, under);
    uint64_t other = host_greatest_divisor(under_bottom, bottom);
    top /= common ? common : 1;
    under /= common ? common : 1;
    if (top && (top > UINT64_MAX / (under_bottom / other) || bottom / other > UINT64_MAX / under))
        return false;
    top *= under_bottom / other;
    bottom = bottom / other * under;
    common = host_greatest_divisor(top, bottom);
    if (top / common > UINT32_MAX || bottom / common > 65535) return false;
    *numerator = (uint32_t)(top / common);
    *denominator = (uint32_t)(bottom / common);
    return true;
}

bool words_size(const char *text, uint32_t *width, uint32_t *height)
{
    char *end;
    if (!isdigit((unsigned char)*text)) return false;
    unsigned long first = strtoul(text, &end, 10);
    if (*end != 'x' || !isdigit((unsigned char)end[1])) return false;
    unsigned long second = strtoul(end + 1, &end, 10);
    if (*end || first < 1 || first > 16384 || second < 1 || second > 16384) return false;
    *width = (uint32_t)first;
    *height = (uint32_t)second;
    return true;
}

/* ---- nearest words */

#define WORD_MAX 31u

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edit distance: insertions, deletions, replacements, and exchanges of adjacent letters. */
static size_t word_distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1], length_a = strlen(a), length_b = strlen(b);
    if (length_a > WORD_MAX || length_b > WORD_MAX) return WORD_MAX;
    for (size_t j = 0; j <= length_b; j++) rows[0][j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[length_a % 3][length_b];
}

const char *words_nearest(const char *word, const char *const *list, size_t count)
{
    size_t length = strlen(word), best = length <= 3 ? 2 : 3;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = word_distance(word, list[i]);
        if (distance >= best) continue;
        best = distance;
        nearest = list[i];
    }
    for (size_t i = 0; !nearest && length >= 3 && i < count; i++)
        if (strncmp(word, list[i], length) == 0) nearest = list[i];
    return nearest;
}
