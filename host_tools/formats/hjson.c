/* SPDX-License-Identifier: MIT
   host_tools/formats/hjson.c - tokens of Houdini's JSON, as text and in its binary form.
   reads   bytes of one file               writes  -
   memory  16 bytes per shared string      cost    O(bytes)
   after   see hjson.h; commas and colons separate, wherever they stand */
#include "hjson.h"
#include "../common/text.h"
#include "bytes.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, STRINGS_MAX = 65536 };

/* Tokens of the binary form, beside the types of hjson.h. The brackets are those of text. */
enum {
    TOKEN_NULL = 0x00,
    TOKEN_FALSE = 0x30,
    TOKEN_TRUE = 0x31,
    TOKEN_DEFINE = 0x2b,
    TOKEN_FORGET = 0x2d,
    TOKEN_UNIFORM = 0x40,
    TOKEN_MAGIC = 0x7f
};

/* ---- files and messages */

static bool is_blank(uint8_t letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

bool hjson_recognises(const uint8_t *start, size_t size)
{
    return size >= 5 && (memcmp(start, "\x7fNSJb", 5) == 0 || memcmp(start,
                                                                     "\x7f"
                                                                     "bJSN",
                                                                     5) == 0);
}

bool hjson_recognises_text(const uint8_t *start, size_t size)
{
    static const char *const names[] = {"\"fileversion\"", "\"pointcount\""};
    size_t at = 0;
    while (at < size && is_blank(start[at])) at++;
    if (at == size || (start[at] != '[' && start[at] != '{')) return false;
    for (at++; at < size && is_blank(start[at]);) at++;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (size - at >= strlen(names[n]) && memcmp(start + at, names[n], strlen(names[n])) == 0)
            return true;
    return false;
}

void hjson_open(hjson_reader *reader, const host_piece *piece)
{
    *reader = (hjson_reader){.piece = piece, .at = piece->bytes, .end = piece->bytes + piece->size};
    reader->is_binary = hjson_recognises(piece->bytes, piece->size);
    if (!reader->is_binary) return;
    reader->is_big_endian = piece->bytes[1] == 'b';
    reader->at += 5;
}

void hjson_close(hjson_reader *reader)
{
    free(reader->strings);
    reader->strings = NULL;
}

int hjson_error(const hjson_reader *reader, const uint8_t *at, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return reader->is_binary
               ? piece_error(reader->piece, (uint64_t)(at - reader->piece->bytes), "%s", text)
               : piece_error_at(reader->piece, at, "%s", text);
}

static int truncated(const hjson_reader *reader)
{
    return piece_error(reader->piece, reader->piece->size,
                       "the file ends inside its lists; it is incomplete");
}

int hjson_unexpected(const hjson_reader *reader, const hjson_token *token, const char *expected)
{
    static const char *const names[] = {
        "the end", "a list",   "the end of a list", "a map", "the end of a map",
        "a text",  "a number", "true or false",     "null",  "a uniform list"};
    char found[48];
    bool has_text =
        token->kind == HJSON_TEXT || (token->kind == HJSON_NUMBER && token->type == HJSON_IS_TEXT);
    snprintf(found, sizeof found, "\"%.*s\"", (int)(token->count < 40 ? token->count : 40),
             has_text ? (const char *)token->bytes : "");
    return hjson_error(reader, token->at, "expected %s, found %s", expected,
                       has_text ? found : names[token->kind]);
}

/* ---- the binary form */

/* False when fewer than `size` bytes are left. */
static bool take_bytes(hjson_reader *reader, uint64_t size, const uint8_t **bytes)
{
    *bytes = reader->at;
    if (size > (uint64_t)(reader->end - reader->at)) return false;
    reader->at += size;
    return true;
}

/* A count: one byte below 0xf1, or a byte that tells how many follow. */
static int take_count(hjson_reader *reader, uint64_t *count)
{
    const uint8_t *at, *start = reader->at;
    if (!take_bytes(reader, 1, &at)) return truncated(reader);
    uint32_t size = *at == 0xf2 ? 2 : *at == 0xf4 ? 4 : *at == 0xf8 ? 8 : 0;
    *count = *at;
    if (*at < 0xf1) return HOST_DONE;
    if (!size)
        return hjson_error(reader, start, "a count begins with the byte 0x%02x, which is reserved",
                           *at);
    if (!take_bytes(reader, size, &at)) return truncated(reader);
    *count = bytes_load(at, size, reader->is_big_endian);
    return HOST_DONE;
}

static int take_string(hjson_reader *reader, hjson_string *string)
{
    int code = take_count(reader, &string->size);
    if (code) return code;
    return take_bytes(reader, string->size, &string->bytes) ? HOST_DONE : truncated(reader);
}

static int lengthen_strings(hjson_reader *reader, size_t count)
{
    size_t made = reader->string_count ? reader->string_count : 64;
    while (made < count) made *= 2;
    hjson_string *longer = realloc(reader->strings, made * sizeof *longer);
    if (!longer) return host_out_of_memory(reader->piece->path);
    memset(longer + reader->string_count, 0, (made - reader->string_count) * sizeof *longer);
    reader->strings = longer;
    reader->string_count = made;
    return HOST_DONE;
}

static int take_string_number(hjson_reader *reader, uint64_t *number)
{
    const uint8_t *start = reader->at;
    int code = take_count(reader, number);
    if (code || *number < STRINGS_MAX) return code;
    return hjson_error(reader, start, "a shared string has the number %llu, at most %d",
                       (unsigned long long)*number, STRINGS_MAX - 1);
}

static int define_string(hjson_reader *reader, bool is_defined)
{
    hjson_string string = {0};
    uint64_t number;
    int code = take_string_number(reader, &number);
    if (!code && is_defined) code = take_string(reader, &string);
    if (!code && is_defined && number >= reader->string_count)
        code = lengthen_strings(reader, (size_t)number + 1);
    if (!code && number < reader->string_count) reader->strings[number] = string;
    return code;
}

static int find_string(hjson_reader *reader, hjson_token *token)
{
    uint64_t number;
    int code = take_string_number(reader, &number);
    if (code) return code;
    if (number >= reader->string_count || !reader->strings[number].bytes)
        return hjson_error(reader, token->at, "shared string %llu is not defined",
                           (unsigned long long)number);
    token->bytes = reader->strings[number].bytes;
    token->count = reader->strings[number].size;
    return HOST_DONE;
}

/* Bytes of a number of this type; 0: none. */
static uint32_t number_bytes(uint32_t type)
{
    switch (type) {
    case HJSON_INT8:
    case HJSON_UINT8: return 1;
    case HJSON_INT16:
    case HJSON_UINT16:
    case HJSON_REAL16: return 2;
    case HJSON_INT32:
    case HJSON_REAL32: return 4;
    case HJSON_INT64:
    case HJSON_REAL64: return 8;
    default: return 0;
    }
}

/* Texts have lengths of their own. */
static int skip_texts(hjson_reader *reader, const hjson_token *token)
{
    hjson_string string;
    uint64_t number;
    int code = HOST_DONE;
    for (uint64_t i = 0; i < token->count && !code; i++)
        code = token->type == HJSON_TEXT_TYPE ? take_string(reader, &string)
                                              : take_count(reader, &number);
    return code;
}

static int take_uniform(hjson_reader *reader, hjson_token *token)
{
    const uint8_t *type;
    if (!take_bytes(reader, 1, &type)) return truncated(reader);
    token->kind = HJSON_UNIFORM;
    token->type = *type;
    int code = take_count(reader, &token->count);
    if (code) return code;
    token->bytes = reader->at;
    if (*type == HJSON_TEXT_TYPE || *type == HJSON_TOKEN_TYPE) return skip_texts(reader, token);
    uint32_t size = *type == HJSON_BOOL_TYPE ? 4 : number_bytes(*type);
    /* truth values are bits of 32-bit words */
    uint64_t items =
        *type == HJSON_BOOL_TYPE ? token->count / 32 + (token->count % 32 != 0) : token->count;
    if (!size) return hjson_error(reader, type, "a list of type 0x%02x, which is unknown", *type);
    if (items > (uint64_t)(reader->end - reader->at) / size) return truncated(reader);
    reader->at += items * size;
    return HOST_DONE;
}

static int take_binary(hjson_reader *reader, hjson_token *token)
{
    const uint8_t *at, *value;
    for (;;) {
        token->at = reader->at;
        if (!take_bytes(reader, 1, &at)) return HOST_DONE;
        if (*at == ',' || *at == ':') continue;
        if (*at != TOKEN_DEFINE && *at != TOKEN_FORGET) break;
        int code = define_string(reader, *at == TOKEN_DEFINE);
        if (code) return code;
    }
    switch (*at) {
    case '[': token->kind = HJSON_LIST; return HOST_DONE;
    case ']': token->kind = HJSON_LIST_END; return HOST_DONE;
    case '{': token->kind = HJSON_MAP; return HOST_DONE;
    case '}': token->kind = HJSON_MAP_END; return HOST_DONE;
    case TOKEN_NULL: token->kind = HJSON_NULL; return HOST_DONE;
    case TOKEN_UNIFORM: return take_uniform(reader, token);
    case TOKEN_FALSE:
    case TOKEN_TRUE:
    case HJSON_BOOL_TYPE:
        token->kind = HJSON_BOOL;
        value = at;
        if (*at == HJSON_BOOL_TYPE && !take_bytes(reader, 1, &value)) return truncated(reader);
        token->is_true = *at == HJSON_BOOL_TYPE ? *value != 0 : *at == TOKEN_TRUE;
        return HOST_DONE;
    case HJSON_TOKEN_TYPE: token->kind = HJSON_TEXT; return find_string(reader, token);
    case HJSON_TEXT_TYPE: {
        hjson_string string = {0};
        int code = take_string(reader, &string);
        token->kind = HJSON_TEXT;
        token->bytes = string.bytes;
        token->count = string.size;
        return code;
    }
    default: break;
    }
    token->kind = HJSON_NUMBER;
    token->type = *at;
    if (!number_bytes(*at))
        return hjson_error(reader, at, "a value of type 0x%02x, which is unknown", *at);
    return take_bytes(reader, number_bytes(*at), &token->bytes) ? HOST_DONE : truncated(reader);
}

/* ---- text */

static int take_quoted(hjson_reader *reader, hjson_token *token)
{
    token->kind = HJSON_TEXT;
    token->bytes = ++reader->at;
    while (reader->at < reader->end && *reader->at != '"')
        reader->at += *reader->at == '\\' && reader->at + 1 < reader->end ? 2 : 1;
    if (reader->at >= reader->end) return truncated(reader);
    token->count = (uint64_t)(reader->at++ - token->bytes);
    return HOST_DONE;
}

static bool ends_word(uint8_t letter)
{
    return is_blank(letter) || strchr(",:[]{}\"", letter); /* also the zero byte */
}

static int take_plain(hjson_reader *reader, hjson_token *token)
{
    while (reader->at < reader->end && !ends_word(*reader->at)) reader->at++;
    if (reader->at == token->at)
        return hjson_error(reader, token->at, "a byte 0x%02x, which is no JSON", *token->at);
    token->bytes = token->at;
    token->count = (uint64_t)(reader->at - token->at);
    token->kind = hjson_is(token, "true") || hjson_is(token, "false") ? HJSON_BOOL
                  : hjson_is(token, "null")                           ? HJSON_NULL
                                                                      : HJSON_NUMBER;
    token->is_true = hjson_is(token, "true");
    /* a number at the very end may lack digits */
    if (token->kind == HJSON_NUMBER && reader->at == reader->end) return truncated(reader);
    return HOST_DONE;
}

static int take_text(hjson_reader *reader, hjson_token *token)
{
    static const char brackets[] = "[]{}";
    while (reader->at < reader->end &&
           (is_blank(*reader->at) || *reader->at == ',' || *reader->at == ':'))
        reader->at++;
    token->at = reader->at;
    if (reader->at == reader->end) return HOST_DONE;
    if (*reader->at == '"') return take_quoted(reader, token);
    const char *bracket = *reader->at ? strchr(brackets, *reader->at) : NULL;
    if (!bracket) return take_plain(reader, token);
    token->kind = (hjson_kind)(HJSON_LIST + (bracket - brackets));
    reader->at++;
    return HOST_DONE;
}

int hjson_next(hjson_reader *reader, hjson_token *token)
{
    *token = (hjson_token){.kind = HJSON_END};
    return reader->is_binary ? take_binary(reader, token) : take_text(reader, token);
}

int hjson_need(hjson_reader *reader, hjson_token *token)
{
    int code = hjson_next(reader, token);
    return code || token->kind != HJSON_END ? code : truncated(reader);
}

int hjson_skip(hjson_reader *reader)
{
    hjson_token token;
    uint64_t depth = 0;
    do {
        int code = hjson_need(reader, &token);
        if (code) return code;
        bool closes = token.kind == HJSON_LIST_END || token.kind == HJSON_MAP_END;
        if (closes && !depth) return hjson_unexpected(reader, &token, "a value");
        depth += token.kind == HJSON_LIST || token.kind == HJSON_MAP;
        depth -= closes;
    } while (depth);
    return HOST_DONE;
}

/* ---- lists */

bool hjson_is(const hjson_token *token, const char *text)
{
    return token->count == strlen(text) && memcmp(token->bytes, text, strlen(text)) == 0;
}

int hjson_pairs_open(hjson_reader *reader, hjson_pairs *pairs, const char *what)
{
    hjson_token token;
    int code = hjson_need(reader, &token);
    if (code) return code;
    pairs->end = token.kind == HJSON_LIST ? HJSON_LIST_END : HJSON_MAP_END;
    return token.kind == HJSON_LIST || token.kind == HJSON_MAP
               ? HOST_DONE
               : hjson_unexpected(reader, &token, what);
}

int hjson_pairs_next(hjson_reader *reader, const hjson_pairs *pairs, hjson_token *name,
                     bool *is_open)
{
    int code = hjson_need(reader, name);
    *is_open = !code && name->kind != pairs->end;
    if (!*is_open || name->kind == HJSON_TEXT) return code;
    *is_open = false;
    return hjson_unexpected(reader, name, "a name");
}

int hjson_items_open(hjson_reader *reader, hjson_items *items, const char *what)
{
    *items = (hjson_items){.next = 0};
    int code = hjson_need(reader, &items->list);
    if (code || items->list.kind == HJSON_LIST || items->list.kind == HJSON_UNIFORM) return code;
    return hjson_unexpected(reader, &items->list, what);
}

int hjson_items_next(hjson_reader *reader, hjson_items *items, hjson_token *item, bool *is_open)
{
    const hjson_token *list = &items->list;
    if (list->kind == HJSON_LIST) {
        int code = hjson_need(reader, item);
        *is_open = !code && item->kind != HJSON_LIST_END;
        return code;
    }
    uint64_t i = items->next++;
    uint32_t size = number_bytes(list->type);
    *is_open = i < list->count;
    if (!*is_open) return HOST_DONE;
    *item = (hjson_token){.kind = HJSON_NUMBER, .type = list->type};
    item->at = item->bytes = list->bytes + i * size;
    if (list->type == HJSON_BOOL_TYPE) {
        item->at = item->bytes = list->bytes + i / 32 * 4;
        item->kind = HJSON_BOOL;
        item->is_true = bytes_load(item->at, 4, reader->is_big_endian) >> i % 32 & 1u;
    } else if (!size) {
        item->kind = HJSON_TEXT; /* one that no caller wants: its bytes are not looked up */
        item->at = list->at;
    }
    return HOST_DONE;
}

/* ---- values */

/* A copy with a zero byte after it; a longer word is no number. */
static text_word kept_word(const hjson_token *token, char kept[WORD_MAX])
{
    size_t length = token->count < WORD_MAX ? (size_t)token->count : 0;
    memcpy(kept, token->bytes, length);
    kept[length] = 0;
    return (text_word){kept, length};
}

static double number_value(const hjson_reader *reader, const hjson_token *token)
{
    bool big = reader->is_big_endian;
    uint32_t size = number_bytes(token->type);
    uint64_t word = bytes_load(token->bytes, size, big);
    uint8_t half[2] = {(uint8_t)word, (uint8_t)(word >> 8)};
    switch (token->type) {
    case HJSON_REAL16: return bytes_load_half(half);
    case HJSON_REAL32: return (double)bytes_load_f32(token->bytes, big);
    case HJSON_REAL64: return bytes_load_f64(token->bytes, big);
    case HJSON_UINT8:
    case HJSON_UINT16: return (double)word;
    default: break;
    }
    if (size < 8 && word >> (8 * size - 1)) word |= ~UINT64_C(0) << 8 * size; /* negative */
    return (double)(int64_t)word;
}

bool hjson_number(const hjson_reader *reader, const hjson_token *token, double *value)
{
    char kept[WORD_MAX];
    if (token->type == HJSON_IS_TEXT) return text_parse_f64(kept_word(token, kept), value);
    *value = number_value(reader, token);
    return true;
}

const char *hjson_f32(const hjson_reader *reader, const hjson_token *token, uint32_t *bits)
{
    char kept[WORD_MAX];
    float value;
    if (token->kind != HJSON_NUMBER) return "a number";
    if (token->type == HJSON_REAL32) {
        *bits = (uint32_t)bytes_load(token->bytes, 4, reader->is_big_endian);
        return NULL;
    }
    if (token->type == HJSON_IS_TEXT) {
        const char *expected = text_read_f32(kept_word(token, kept), &value);
        if (expected) return expected;
    } else {
        value = (float)number_value(reader, token);
    }
    memcpy(bits, &value, sizeof *bits);
    return NULL;
}

int hjson_take_whole(hjson_reader *reader, const char *what, int64_t least, int64_t most,
                     int64_t *value)
{
    hjson_token token;
    double number = 0;
    int code = hjson_need(reader, &token);
    if (code) return code;
    bool good = token.kind == HJSON_NUMBER && hjson_number(reader, &token, &number) &&
                number >= (double)least && number <= (double)most &&
                number == (double)(int64_t)number;
    *value = good ? (int64_t)number : 0;
    if (good) return HOST_DONE;
    return hjson_error(reader, token.at, "%s is no whole number from %lld to %lld", what,
                       (long long)least, (long long)most);
}
