/* SPDX-License-Identifier: MIT
   host_tools/formats/usda_scan.c - finds prims, attributes and time samples in a .usda file.
   reads   .usda                           writes  usda_scan
   memory  64 KiB, 32 bytes per sample, the names of prims    cost    O(bytes)
   after   see usda.h; values are counted here and read later */
#include "usda.h"
#include "../common/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const usda_attribute usda_attributes[USDA_ATTRIBUTES] = {
    [USDA_POINTS] = {"point3f[]", "points", POINT_LOCATION, 3, 0},
    [USDA_VELOCITIES] = {"vector3f[]", "velocities", POINT_VELOCITY, 3, 0},
    [USDA_IDS] = {"int64[]", "ids", POINT_INDEX, 1, 0},
    [USDA_WIDTHS] = {"float[]", "widths", POINT_SIZE, 1, 0},
    [USDA_ROTATION] = {"quatf[]", "primvars:rotation", POINT_ROTATION, 4, 0},
    [USDA_AVELOCITY] = {"vector3f[]", "primvars:avelocity", POINT_ANGULAR, 3, 0},
    [USDA_BIRTH] = {"float[]", "primvars:birth", POINT_TIMES, 1, 0},
    [USDA_DIE] = {"float[]", "primvars:die", POINT_TIMES, 1, 1},
    [USDA_LIFE] = {"float[]", "primvars:life", POINT_TIMES, 1, 2},
};

enum { WORD_MAX = 256, DEPTH_MAX = 128, NUMBERS_MAX = 16 };

typedef struct cursor {
    host_source *source;
    usda_scan *scan;
    uint64_t at, line; /* of the next byte; lines count from 1 */
    int code;          /* of reading */
    uint64_t block_at;
    size_t block_size;
    uint8_t block[1 << 16];
} cursor;

/* A word, number or mark: one character. */
typedef enum token_kind { ENDED, WORD, QUOTED, MARK } token_kind;
typedef struct token {
    token_kind kind;
    char text[WORD_MAX]; /* cut to this length */
    uint64_t at, line;
} token;

/* ---- characters and tokens */

/* The next byte, or -1 at the end or after an error. */
static int peek(cursor *from)
{
    if (from->at - from->block_at >= from->block_size) {
        if (from->code) return -1;
        from->block_at = from->at;
        from->code = host_source_read(from->source, from->at, from->block, sizeof from->block,
                                      &from->block_size);
        if (from->code) from->block_size = 0;
        if (!from->block_size) return -1;
    }
    return from->block[from->at - from->block_at];
}

static int next(cursor *from)
{
    const int letter = peek(from);
    if (letter < 0) return letter;
    from->at++;
    from->line += letter == '\n';
    return letter;
}

static bool is_blank(int letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

static bool is_of_word(int letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.' || letter == '+' ||
           letter == '-' || letter >= 128;
}

static void skip_blanks(cursor *from)
{
    int letter = peek(from);
    while (is_blank(letter) || letter == '#') {
        bool is_comment = letter == '#';
        do letter = next(from);
        while (is_comment && letter >= 0 && letter != '\n');
        letter = peek(from);
    }
}

/* Texts in quotes, three quotes, <> and @@. In quotes a \ keeps the next character, between three
   @ the next three. Returns the length of the text, which may be cut. */
static size_t take_quoted(cursor *from, token *to, int open)
{
    const int close = open == '<' ? '>' : open;
    size_t used = 0;
    int run = 0, wanted = 1;
    if (open != '<' && peek(from) == open) {
        next(from);
        if (peek(from) != open) return 0; /* the empty text */
        next(from);
        wanted = 3;
    }
    for (int letter = next(from); letter >= 0; letter = next(from)) {
        run = letter == close ? run + 1 : 0;
        if (run == wanted) return used;
        if (letter == '\\' && (open == '"' || open == '\'')) letter = next(from);
        for (int i = 0; letter == '\\' && wanted == 3 && i < 3 && peek(from) == '@'; i++)
            next(from);
        if (used + 1 < sizeof to->text && letter >= 0) to->text[used++] = (char)letter;
    }
    to->kind = ENDED;
    return 0;
}

static token take(cursor *from)
{
    skip_blanks(from);
    token to;
    size_t used = 0;
    to.kind = MARK;
    to.at = from->at;
    to.line = from->line;
    int letter = next(from);
    if (letter < 0) {
        to.kind = ENDED;
    } else if (letter == '"' || letter == '\'' || letter == '<' || letter == '@') {
        to.kind = QUOTED;
        used = take_quoted(from, &to, letter);
    } else if (is_of_word(letter)) {
        to.kind = WORD;
        to.text[used++] = (char)letter;
        while (is_of_word(peek(from)) || (peek(from) == ':' && !host_is_digit(to.text[0]) &&
                                          to.text[0] != '-' && to.text[0] != '.')) {
            letter = next(from);
            if (used + 1 < sizeof to.text) to.text[used++] = (char)letter;
        }
    } else {
        to.text[used++] = (char)letter;
    }
    to.text[used] = 0;
    return to;
}

static bool is(const token *word, const char *text) { return strcmp(word->text, text) == 0; }
static bool is_mark(const token *word, char mark)
{
    return word->kind == MARK && word->text[0] == mark;
}

static int unexpected(cursor *from, const token *found, const char *wanted)
{
    if (from->code) return from->code;
    if (found->kind == ENDED)
        return from->code = host_error(HOST_BAD_INPUT, from->source->path, from->at,
                                       "line %llu: the file ends before %s; it is incomplete",
                                       (unsigned long long)from->line, wanted);
    return from->code = host_error(HOST_BAD_INPUT, from->source->path, found->at,
                                   "line %llu: expected %s, found \"%.40s\"",
                                   (unsigned long long)found->line, wanted, found->text);
}

static bool parse_number(const char *text, double *value)
{
    return text_parse_f64((text_word){text, strlen(text)}, value);
}

/* ---- values */

typedef struct value_text {
    uint64_t at, end, count;     /* of its bytes; items of an array */
    double numbers[NUMBERS_MAX]; /* the first ones in it */
    uint32_t number_count;
    bool is_array;
    char word[WORD_MAX]; /* of a value that is one word or text */
} value_text;

static char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

/* Counts the items of an array and keeps the first numbers. */
static void see_token(value_text *value, const token *seen, size_t depth)
{
    double number;
    bool is_item = depth == 1 && (seen->kind != MARK || seen->text[0] == '(');
    if (value->is_array && is_item) value->count++;
    if (seen->kind == WORD && value->number_count < NUMBERS_MAX &&
        parse_number(seen->text, &number))
        value->numbers[value->number_count++] = number;
}

/* Takes one value: a word, a text, or all between two brackets. */
static int take_value(cursor *from, value_text *value)
{
    char open[DEPTH_MAX];
    size_t depth = 0;
    *value = (value_text){0};
    do {
        token found = take(from);
        if (!value->at) {
            value->at = found.at;
            value->is_array = is_mark(&found, '[');
            memcpy(value->word, found.text, sizeof value->word);
        }
        const char mark = found.kind == MARK ? found.text[0] : 0;
        if (found.kind == ENDED) return unexpected(from, &found, "the end of a value");
        see_token(value, &found, depth);
        if (mark == '(' || mark == '[' || mark == '{') {
            if (depth == DEPTH_MAX) return unexpected(from, &found, "fewer brackets");
            open[depth++] = closing(mark);
        } else if (mark == ')' || mark == ']' || mark == '}') {
            if (!depth || open[depth - 1] != mark) return unexpected(from, &found, "a value");
            depth--;
        } else if (mark && !depth) {
            return unexpected(from, &found, "a value");
        }
    } while (depth);
    value->end = from->at;
    return from->code;
}

static bool next_is(cursor *from, char mark)
{
    skip_blanks(from);
    return peek(from) == mark;
}

/* ---- attributes */

int usda_add_value(usda_series *series, usda_value value)
{
    usda_value *values =
        host_lengthen(series->values, series->count, &series->room, sizeof *values);
    if (!values) return host_out_of_memory("the samples of a file");
    series->values = values;
    values[series->count++] = value;
    return HOST_DONE;
}

static int add_value(cursor *from, usda_series *series, double time, const value_text *value)
{
    usda_value item = {.time = time};
    if (value->is_array) item = (usda_value){time, value->at, value->end, value->count};
    return from->code = usda_add_value(series, item);
}

/* { TIME: VALUE, ... }. Without a series the samples are skipped. */
static int take_samples(cursor *from, usda_series *series)
{
    value_text value;
    token found = take(from);
    if (!is_mark(&found, '{')) return unexpected(from, &found, "{ and time samples");
    for (found = take(from); !is_mark(&found, '}'); found = take(from)) {
        double time;
        if (is_mark(&found, ',')) continue;
        if (found.kind != WORD || !parse_number(found.text, &time) || !(fabs(time) <= 1e15))
            return unexpected(from, &found, "the time of a sample");
        token colon = take(from);
        if (!is_mark(&colon, ':')) return unexpected(from, &colon, "a colon after a time");
        if (take_value(from, &value)) return from->code;
        if (!value.is_array && strcmp(value.word, "None") != 0 && series)
            return from->code =
                       host_error(HOST_BAD_INPUT, from->source->path, value.at,
                                  "line %llu: \"%.40s\" is not an array, which starts with [",
                                  (unsigned long long)found.line, value.word);
        if (series && add_value(from, series, time, &value)) return from->code;
    }
    if (series) series->has_times = true;
    return from->code;
}

/* True for an operation of a transform that moves nothing. */
bool usda_is_still(const char *name, const double *numbers, uint32_t count)
{
    const bool is_scale = strncmp(name, "xformOp:scale", 13) == 0,
               is_turn = strncmp(name, "xformOp:orient", 14) == 0,
               is_matrix = strncmp(name, "xformOp:transform", 17) == 0;
    for (uint32_t i = 0; i < count; i++) {
        double wanted = is_scale || (is_turn && i == 0) || (is_matrix && i % 5 == 0) ? 1 : 0;
        if (numbers[i] != wanted) return false;
    }
    return true;
}

/* The series that an attribute of a prim is kept in, or NULL. */
usda_series *usda_series_of(usda_scan *scan, size_t prim, const char *name, size_t length)
{
    for (uint32_t kind = 0; kind < USDA_KINDS; kind++)
        for (uint32_t a = 0; scan->counts[kind] && scan->found[kind] == prim && a < USDA_ATTRIBUTES;
             a++)
            if (strlen(usda_attributes[a].name) == length &&
                memcmp(usda_attributes[a].name, name, length) == 0)
                return &scan->series[kind][a];
    return NULL;
}

/* What follows the name of an attribute: = VALUE, or nothing; then metadata in (). */
static int take_attribute(cursor *from, size_t prim, const char *name)
{
    static const char samples[] = ".timeSamples";
    usda_scan *scan = from->scan;
    value_text value;
    const size_t length = strlen(name), tail = sizeof samples - 1;
    const bool has_times = length > tail && strcmp(name + length - tail, samples) == 0,
               moves = strncmp(name, "xformOp:", 8) == 0;
    usda_series *series = usda_series_of(scan, prim, name, has_times ? length - tail : length);
    const uint64_t at = from->at;
    if (next_is(from, '=')) {
        next(from);
        if (has_times) {
            if (take_samples(from, series)) return from->code;
            if (moves) scan->prims[prim].moved = at;
        } else {
            if (take_value(from, &value)) return from->code;
            if (moves && !usda_is_still(name, value.numbers, value.number_count))
                scan->prims[prim].moved = at;
            if (series && value.is_array)
                series->fallback = (usda_value){0, value.at, value.end, value.count};
        }
    }
    return next_is(from, '(') ? take_value(from, &value) : from->code;
}

/* ---- prims */

int usda_add_prim(usda_scan *scan, const char *name, size_t parent)
{
    usda_prim *prims =
        host_lengthen(scan->prims, scan->prim_count, &scan->prim_room, sizeof *prims);
    if (prims) scan->prims = prims;
    char *copy = prims ? host_text("%s", name) : NULL;
    if (!copy) return host_out_of_memory("the prims of a file");
    prims[scan->prim_count++] = (usda_prim){copy, parent, 0};
    return HOST_DONE;
}

void usda_define(usda_scan *scan, size_t prim, const char *type)
{
    const uint32_t kind = strcmp(type, "Points") == 0 ? USDA_OF_POINTS
                          : strcmp(type, "Mesh") == 0 ? USDA_OF_MESH
                                                      : USDA_KINDS;
    if (kind < USDA_KINDS && !scan->counts[kind]++) scan->found[kind] = prim;
}

/* After def: [TYPE] "NAME" [(metadata)] { */
static int begin_prim(cursor *from, size_t parent, bool defines)
{
    usda_scan *scan = from->scan;
    value_text value;
    token type = take(from), name = type;
    if (type.kind == WORD) name = take(from);
    if (name.kind != QUOTED) return unexpected(from, &name, "the name of a prim in quotes");
    if ((from->code = usda_add_prim(scan, name.text, parent))) return from->code;
    if (next_is(from, '(') && take_value(from, &value)) return from->code;
    token brace = take(from);
    if (!is_mark(&brace, '{')) return unexpected(from, &brace, "{ after the name of a prim");
    if (type.kind == WORD && defines) usda_define(scan, scan->prim_count - 1, type.text);
    return HOST_DONE;
}

/* After variantSet: "NAME" = { ... } */
static int skip_variants(cursor *from)
{
    value_text value;
    token name = take(from), equals = take(from);
    if (name.kind != QUOTED || !is_mark(&equals, '='))
        return unexpected(from, name.kind != QUOTED ? &name : &equals, "a set of variants");
    return take_value(from, &value);
}

/* A statement in a prim, from its first word on: qualifiers, a type such as float[], and the name.
   The last word of the line before the value is the name. */
static int take_statement(cursor *from, size_t prim, token name)
{
    value_text brackets;
    for (;;) {
        while (peek(from) == ' ' || peek(from) == '\t') next(from);
        if (is_of_word(peek(from)))
            name = take(from);
        else if (peek(from) != '[')
            return take_attribute(from, prim, name.text);
        else if (take_value(from, &brackets))
            return from->code;
    }
}

static int take_prims(cursor *from)
{
    size_t path[DEPTH_MAX] = {0}, depth = 0;
    for (token found = take(from); !from->code; found = take(from)) {
        const bool defines = found.kind == WORD && is(&found, "def");
        if (found.kind == ENDED && !depth) break;
        if (is_mark(&found, '}') && depth) {
            depth--;
        } else if (defines || (found.kind == WORD && (is(&found, "over") || is(&found, "class")))) {
            if (depth + 1 == DEPTH_MAX) return unexpected(from, &found, "fewer prims in prims");
            begin_prim(from, path[depth], defines);
            path[++depth] = from->scan->prim_count - 1;
        } else if (found.kind == WORD && depth && is(&found, "variantSet")) {
            skip_variants(from);
        } else if (found.kind == WORD && depth) {
            take_statement(from, path[depth], found);
        } else if (!is_mark(&found, ';') || !depth) {
            return unexpected(from, &found, depth ? "an attribute, a prim or }" : "a prim");
        }
    }
    return from->code;
}

/* ---- the layer */

void usda_take_setting(usda_scan *scan, const char *name, double number, const char *word)
{
    if (strcmp(name, "timeCodesPerSecond") == 0 && number >= 1e-3 && number <= 1e6)
        scan->per_second = number;
    if (strcmp(name, "metersPerUnit") == 0 && number > 0 && number < 1e30) scan->meters = number;
    if (strcmp(name, "upAxis") == 0) scan->is_z_up = strcmp(word, "Z") == 0;
}

/* ( KEY = VALUE ... ) */
static int take_settings(cursor *from)
{
    value_text value;
    token found = {0};
    if (!next_is(from, '(')) return from->code;
    next(from);
    for (found = take(from); !is_mark(&found, ')'); found = take(from)) {
        if (found.kind == ENDED) return unexpected(from, &found, "the end of the settings");
        if (found.kind != WORD || !next_is(from, '=')) continue;
        next(from);
        if (take_value(from, &value)) return from->code;
        usda_take_setting(from->scan, found.text, value.number_count == 1 ? value.numbers[0] : 0,
                          value.word);
    }
    return from->code;
}

static int compare_times(const void *a, const void *b)
{
    const usda_value *left = a, *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/* Orders the samples by time. Without samples the default is one. */
static int order_series(const host_source *source, usda_series *series)
{
    if (series->count > 1)
        qsort(series->values, series->count, sizeof *series->values, compare_times);
    for (size_t i = 1; i < series->count; i++)
        if (!(series->values[i].time > series->values[i - 1].time))
            return host_error(HOST_BAD_INPUT, source->path, series->values[i].at,
                              "two samples have the time %.10g", series->values[i].time);
    if (series->has_times || !series->fallback.at) return HOST_DONE;
    return usda_add_value(series, series->fallback);
}

int usda_scan_order(const host_source *source, usda_scan *scan)
{
    int code = HOST_DONE;
    for (uint32_t kind = 0; kind < USDA_KINDS; kind++)
        for (uint32_t a = 0; a < USDA_ATTRIBUTES && !code; a++)
            code = order_series(source, &scan->series[kind][a]);
    return code;
}

int usda_scan_file(host_source *source, usda_scan *scan)
{
    cursor *from = host_allocate(1, sizeof *from);
    if (!from) return host_out_of_memory("a file of frames");
    from->source = source;
    from->scan = scan;
    from->line = 1;
    int code = usda_add_prim(scan, "", 0);
    if (!code) code = take_settings(from);
    if (!code) code = take_prims(from);
    if (!code) code = usda_scan_order(source, scan);
    free(from);
    return code;
}

void usda_scan_free(usda_scan *scan)
{
    for (size_t i = 0; i < scan->prim_count; i++) free(scan->prims[i].name);
    free(scan->prims);
    for (uint32_t kind = 0; kind < USDA_KINDS; kind++)
        for (uint32_t a = 0; a < USDA_ATTRIBUTES; a++) free(scan->series[kind][a].values);
}
