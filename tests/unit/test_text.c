/* SPDX-License-Identifier: MIT
   tests/unit/test_text.c - numbers in text files, compared with the C library; texts that are no
           numbers.
   reads   -      writes  -
   memory  -      cost    under a second
   after   own design */
#include "../../host_tools/common/text.h"
#include "../harness/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_bits(const char *text)
{
    float mine, theirs = strtof(text, NULL);
    double wide, wide_theirs = strtod(text, NULL);
    text_word word = {text, strlen(text)};
    test_note("%s", text);
    return text_parse_f32(word, &mine) && text_parse_f64(word, &wide) &&
           memcmp(&mine, &theirs, 4) == 0 && memcmp(&wide, &wide_theirs, 8) == 0;
}

/* Includes halfway cases: 1 + 2^-24 and its neighbours, which double rounding would get wrong. */
static void numbers_are_rounded_once(void)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "+1.5",
        ".5",
        "5.",
        "1e5",
        "1E-5",
        "123456789012345678901234567890",
        "1e-46",
        "1.4e-45",
        "3.4028235e38",
        "1.17549435e-38",
        "1.17549421e-38",
        "1.000000059604644775390625",
        "1.0000000596046447",
        "1.0000000596046448",
        "1.0000000596046449",
        "16777217",
        "16777219",
        "0.1",
        "1e22",
        "1e23",
        "9007199254740993",
        "0.00000000000000000000000000000000000000000000000001",
        "1000000000000000000000000000000e-30",
        "1e400",
        "-1e400",
        "1e-400",
        "inf",
        "-inf",
        "8388608.5",
        "8388609.5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) CHECK(same_bits(texts[i]));
}

static void nine_digits_give_back_the_bits(void)
{
    uint32_t state = 12345, wrong = 0;
    for (int i = 0; i < 200000; i++) {
        char text[32];
        float value, back;
        state ^= state << 13; /* xorshift32, Marsaglia 2003 */
        state ^= state >> 17;
        state ^= state << 5;
        memcpy(&value, &state, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.9g", (double)value);
        wrong += !text_parse_f32((text_word){text, strlen(text)}, &back) ||
                 memcmp(&value, &back, 4) != 0;
    }
    CHECK_EQ(wrong, 0);
}

static void what_is_no_number_is_refused(void)
{
    static const char *const texts[] = {"",    "-",    "+",     ".",       "e5",    "1e",
                                        "1e+", "0x10", "1.2.3", "1,5",     "1f",    "nano",
                                        "in",  "--1",  "1 ",    "infinit", "nan(1)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        float value;
        int64_t whole;
        text_word word = {texts[i], strlen(texts[i])};
        test_note("%s", texts[i]);
        CHECK(!text_parse_f32(word, &value) && !text_parse_i64(word, &whole));
    }
    float value = 0;
    CHECK(text_parse_f32((text_word){"NaN", 3}, &value) && isnan(value));
}

/* Parses the longest prefix: units may follow a number without a blank. */
static void a_number_is_taken_from_the_front(void)
{
    static const struct {
        const char *text;
        size_t length;
        double value;
    } fronts[] = {{"9.81 m/s2", 4, 9.81},
                  {"-3e-2cm", 5, -0.03},
                  {"1e", 1, 1},
                  {"2e+", 1, 2},
                  {"5em", 1, 5},
                  {"0x10", 1, 0},
                  {"1.2.3", 3, 1.2},
                  {"7", 1, 7},
                  {"123456789012345678901x", 21, 123456789012345678901.0}};
    static const char *const none[] = {"", "nan", "inf", ".", "-", "e5", " 1", "x"};
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++) {
        double value = 0;
        test_note("%s", fronts[i].text);
        CHECK_EQ(text_take_f64(fronts[i].text, &value), fronts[i].length);
        CHECK(value == fronts[i].value);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        double value;
        CHECK_EQ(text_take_f64(none[i], &value), 0);
    }
}

static void lines_and_words_are_taken_apart(void)
{
    static const char text[] = "one two\r\n\n  three\t\nfour";
    text_reader reader = {text, text + sizeof text - 1, 0};
    text_word line, word;
    CHECK(text_take_line(&reader, &line) && text_is(line, "one two"));
    CHECK(text_take_word(&line, &word) && text_is(word, "one") && text_take_word(&line, &word) &&
          text_is(word, "two") && !text_take_word(&line, &word));
    CHECK(text_take_line(&reader, &line) && !text_take_word(&line, &word));
    CHECK(text_take_any(&reader, &word) && text_is(word, "three") && !text_ends_open(&reader));
    CHECK(text_take_any(&reader, &word) && text_is(word, "four") && reader.line == 3 &&
          text_ends_open(&reader));
    CHECK(!text_take_any(&reader, &word) && !text_take_line(&reader, &line));
}

static void expect_as_printf(uint32_t bits)
{
    char mine[TEXT_F32_MAX + 1], theirs[TEXT_F32_MAX + 1];
    float value;
    memcpy(&value, &bits, sizeof value);
    memset(mine, '#', sizeof mine);
    mine[text_put_f32(mine, value)] = 0;
    snprintf(theirs, sizeof theirs, "%.9g", (double)value);
    if (strcmp(mine, theirs) == 0) return;
    test_note("bits %08x: %s, printf has %s", (unsigned)bits, mine, theirs);
    CHECK(false);
}

/* Every sign and exponent with many mantissas, and the neighbours of each power of ten, where one
   more digit is needed. */
static void floats_are_written_as_printf_does(void)
{
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 20011) expect_as_printf((uint32_t)bits);
    for (int power = -46; power <= 38; power++)
        for (int half = 1; half <= 5; half += 4) {
            char text[16];
            snprintf(text, sizeof text, "%de%d", half, power);
            float value = strtof(text, NULL);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (uint32_t step = 0; step <= 40; step++) expect_as_printf(bits - 20 + step);
        }
    for (uint32_t exponent = 0; exponent < 512; exponent++)
        for (uint32_t step = 0; step < 8; step++) expect_as_printf((exponent << 23) - 4 + step);
    /* the ninth digit is a tie, which is rounded to even */
    for (uint32_t whole = 1; whole < 3000; whole++) {
        float value = (float)whole / 1024 + 65536;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        expect_as_printf(bits);
    }
}

static void a_letter_goes_ahead_of_a_number(void)
{
    char text[32] = {0};
    FILE *stream = fmemopen(text, sizeof text, "w");
    if (!CHECK(stream != NULL)) return;
    text_print_f32(stream, 0, 1.5f);
    text_print_f32(stream, ',', -0.1f);
    CHECK(fclose(stream) == 0);
    CHECK(strcmp(text, "1.5,-0.100000001") == 0);
}

/* Characters that control a terminal, overlong UTF-8, which some readers decode, and invalid
   bytes. */
static void foreign_text_is_made_readable(void)
{
    static const char *const texts[][2] = {
        {"plain, \"quoted\"", "plain, \"quoted\""},
        {"\xc3\xa9t\xc3\xa9 \xe6\xb3\xa2 \xf0\x9f\x8c\x8a",
         "\xc3\xa9t\xc3\xa9 \xe6\xb3\xa2 \xf0\x9f\x8c\x8a"},
        {"a\033[31mb\tc\nd\r\x7f", "a?[31mb?c?d??"},
        {"\xc2\x9b"
         "2J",
         "?2J"},
        {"locatio\xee", "locatio?"},
        {"\xee\x80", "??"},
        {"\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf", "?? ??? ????"},
        {"\xed\xa0\x80 \xf4\x90\x80\x80 \xf5 \x80", "??? ???? ? ?"},
        {"\xef\xbf\xbd\xc2\xa0", "\xef\xbf\xbd\xc2\xa0"},
        {"\xef\xbf\xbe\xef\xbf\xbf", "??"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", texts[i][0]);
        const char *shown = text_shown(text);
        CHECK(strcmp(shown, texts[i][1]) == 0 && strcmp(text, texts[i][0]) == 0);
        CHECK((shown == text) == (strcmp(texts[i][0], texts[i][1]) == 0));
        CHECK(strcmp(text_make_readable(text), texts[i][1]) == 0);
        test_note("%zu: %s", i, text);
    }
}

static const test_case cases[] = {
    TEST_CASE(numbers_are_rounded_once),        TEST_CASE(nine_digits_give_back_the_bits),
    TEST_CASE(what_is_no_number_is_refused),    TEST_CASE(a_number_is_taken_from_the_front),
    TEST_CASE(lines_and_words_are_taken_apart), TEST_CASE(floats_are_written_as_printf_does),
    TEST_CASE(a_letter_goes_ahead_of_a_number), TEST_CASE(foreign_text_is_made_readable),
};
TEST_SUITE(text, cases);
