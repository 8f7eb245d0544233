/* SPDX-License-Identifier: MIT
   host_tools/formats/geo.c - points of Houdini as text. The classic geometry: header, dictionary of
           attributes, points.
   reads   bytes of one file               writes  bytes of one file
   memory  one frame                       cost    O(bytes)
   after   see houdini.h; words separated by blanks; floats have 9 digits, enough for the same
           bits. Files of Houdini 12 and later: hgeo.h */
#include "hgeo.h"
#include "../common/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64 };

typedef struct geo_file {
    const host_piece *piece;
    const char *at, *end;
    /* The last word, zero-terminated, truncated to the longest possible number. */
    char word[WORD_MAX];
    const char *start; /* where it begins in the file */
    size_t length;     /* its full length */
    int64_t counts[HOUDINI_COUNTS];
    houdini_point point;
} geo_file;

static const char *const count_names[HOUDINI_COUNTS] = {
    "NPoints",      "NPrims",        "NPointGroups", "NPrimGroups",
    "NPointAttrib", "NVertexAttrib", "NPrimAttrib",  "NAttrib"};

bool geo_recognises(const uint8_t *start, size_t size)
{
    return (size >= 9 && memcmp(start, "PGEOMETRY", 9) == 0) || hjson_recognises_text(start, size);
}

/* ---- words: a parenthesis is a word of its own, and blanks inside quotes do not separate words */

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}
static bool is_single(char letter) { return letter == '(' || letter == ')'; }

static bool take_word(geo_file *file)
{
    while (file->at < file->end && is_blank(*file->at)) file->at++;
    const char *start = file->start = file->at;
    if (start == file->end) return false;
    if (*start == '"') {
        do file->at++;
        while (file->at < file->end && *file->at != '"');
        if (file->at < file->end) file->at++;
    } else if (is_single(*start)) {
        file->at++;
    } else {
        while (file->at < file->end && !is_blank(*file->at) && !is_single(*file->at)) file->at++;
    }
    file->length = (size_t)(file->at - start);
    size_t kept = file->length < WORD_MAX - 1 ? file->length : WORD_MAX - 1;
    memcpy(file->word, start, kept);
    file->word[kept] = 0;
    return true;
}

static int unexpected(const geo_file *file, const char *expected)
{
    return piece_error_at(file->piece, file->start, "\"%.40s\", expected %s", file->word, expected);
}

static int truncated(const geo_file *file, const char *expected)
{
    return piece_error(file->piece, file->piece->size, "the file ends before %s; it is incomplete",
                       expected);
}

static int expect(geo_file *file, const char *word)
{
    if (!take_word(file)) return truncated(file, word);
    return strcmp(file->word, word) == 0 ? HOST_DONE : unexpected(file, word);
}

/* Empty when the word was truncated: then it is no number. */
static text_word kept_word(const geo_file *file)
{
    return (text_word){file->word, file->length < WORD_MAX ? file->length : 0};
}

static int take_whole(geo_file *file, int64_t *value)
{
    if (!take_word(file)) return truncated(file, "a whole number");
    return text_parse_i64(kept_word(file), value) ? HOST_DONE : unexpected(file, "a whole number");
}

static int take_float(geo_file *file, float *value)
{
    if (!take_word(file)) return truncated(file, "a number");
    const char *expected = text_read_f32(kept_word(file), value);
    return expected ? unexpected(file, expected) : HOST_DONE;
}

/* ---- header */

static int read_head(geo_file *file)
{
    int code = expect(file, "PGEOMETRY");
    if (!code) code = expect(file, "V5");
    for (int c = 0; c < HOUDINI_COUNTS && !code; c++) {
        code = expect(file, count_names[c]);
        if (!code) code = take_whole(file, &file->counts[c]);
    }
    const char *why = code ? NULL : houdini_check_counts(file->counts);
    return why ? piece_error_at(file->piece, file->start, "%s", why) : code;
}

static int skip_words(geo_file *file, int64_t count)
{
    for (; count > 0; count--)
        if (!take_word(file)) return truncated(file, "the end of its attributes");
    return HOST_DONE;
}

static int read_attribute(geo_file *file)
{
    int64_t size, strings;
    uint32_t type = 0;
    if (!take_word(file)) return truncated(file, "the end of its attributes");
    const char *name = file->start, *why;
    size_t length = file->length;
    int code = take_whole(file, &size);
    if (code) return code;
    if (!take_word(file)) return truncated(file, "the end of its attributes");
    while (type < HOUDINI_TYPES && strcmp(houdini_type_names[type], file->word) != 0) type++;
    why = houdini_add(&file->point, file->piece, name, length, size, type);
    if (why) return piece_error_at(file->piece, file->start, "%s", why);
    if (type != HOUDINI_INDEX) return skip_words(file, size); /* the attribute's default values */
    code = take_whole(file, &strings);
    return code ? code : skip_words(file, strings);
}

static int read_attributes(geo_file *file)
{
    int code = file->counts[COUNT_POINT_ATTRIBUTES] ? expect(file, "PointAttrib") : HOST_DONE;
    for (int64_t a = 0; !code && a < file->counts[COUNT_POINT_ATTRIBUTES]; a++)
        code = read_attribute(file);
    return code;
}

/* ---- points */

static int read_value(geo_file *file, host_frame *frame, uint32_t i,
                      const houdini_attribute *attribute, uint32_t k)
{
    float value;
    int64_t whole;
    bool is_int = attribute->type == HOUDINI_INT || attribute->type == HOUDINI_INDEX;
    int code = is_int ? take_whole(file, &whole) : take_float(file, &value);
    if (code || !attribute->meaning) return code;
    if (houdini_store(frame, i, attribute, k, is_int ? (double)whole : (double)value))
        return HOST_DONE;
    return unexpected(file, "an id, a whole number from 0 to 2147483647");
}

static int read_point(geo_file *file, host_frame *frame, uint32_t i)
{
    float weight, *location = (float *)frame->data[POINT_LOCATION] + (size_t)i * 3;
    int code = HOST_DONE;
    for (int k = 0; k < 4 && !code; k++) code = take_float(file, k < 3 ? &location[k] : &weight);
    if (code || !file->point.count) return code;
    code = expect(file, "(");
    for (uint32_t a = 0; a < file->point.count; a++)
        for (uint32_t k = 0; k < file->point.attributes[a].size && !code; k++)
            code = read_value(file, frame, i, &file->point.attributes[a], k);
    return code ? code : expect(file, ")");
}

/* Checks the count first: a value takes at least two characters. */
static int read_points(geo_file *file, host_frame *frame)
{
    uint64_t count = (uint64_t)file->counts[COUNT_POINTS], left = (uint64_t)(file->end - file->at);
    uint64_t least = 2 * (4 + (uint64_t)file->point.values);
    if (count > left / least)
        return piece_error(
            file->piece, file->piece->size,
            "the header promises %llu points, but %llu bytes are left; the file is incomplete",
            (unsigned long long)count, (unsigned long long)left);
    int code =
        piece_frame(file->piece, frame, count, file->point.streams | POINT_BIT(POINT_LOCATION));
    for (uint32_t i = 0; i < count && !code; i++) code = read_point(file, frame, i);
    return code;
}

/* Offset after the end mark (endExtra) and the blanks that follow it; 0 when it is missing.
   Primitives and other data before the mark contain that word only inside quotes. */
static size_t find_end(geo_file *file)
{
    bool is_open = take_word(file) &&
                   (houdini_has_more(file->counts) || strcmp(file->word, "beginExtra") == 0);
    while (is_open && strcmp(file->word, "endExtra") != 0) is_open = take_word(file);
    while (is_open && file->at < file->end && is_blank(*file->at)) file->at++;
    return is_open ? (size_t)(file->at - (const char *)file->piece->bytes) : 0;
}

/* Geometry of Houdini 12 and later: a list or a map. */
static bool is_json(const host_piece *piece)
{
    size_t at = 0;
    while (at < piece->size && is_blank((char)piece->bytes[at])) at++;
    return at < piece->size && (piece->bytes[at] == '[' || piece->bytes[at] == '{');
}

/* As packed files are looked at before they are read: none is read that is refused when it is
   packed. Of a short one the reader names the fault. */
static bool begins_otherwise(const host_piece *piece)
{
    return piece->size >= RECOGNISED_MAX && !geo_recognises(piece->bytes, RECOGNISED_MAX) &&
           !bgeo_recognises(piece->bytes, RECOGNISED_MAX);
}

int geo_read(host_piece *piece, host_frame *frame)
{
    if (begins_otherwise(piece))
        return piece_error_at(piece, piece->bytes,
                              "the text begins neither with PGEOMETRY nor with a list whose first "
                              "name is \"fileversion\" or \"pointcount\"");
    if (is_json(piece) || hjson_recognises(piece->bytes, piece->size))
        return hgeo_read(piece, frame);
    geo_file *file = host_allocate(1, sizeof *file);
    if (!file) return host_out_of_memory(piece->path);
    file->piece = piece;
    file->at = (const char *)piece->bytes;
    file->end = file->at + piece->size;
    int code = read_head(file);
    if (!code) code = read_attributes(file);
    if (!code) code = read_points(file, frame);
    if (!code) houdini_note_rest(piece, file->counts, find_end(file));
    free(file);
    return code;
}

/* ---- writing */

static void write_head(FILE *stream, const host_frame *frame)
{
    uint32_t attributes = 0;
    for (size_t m = 0; m < HOUDINI_MEANINGS; m++)
        attributes += houdini_writes(&houdini_meanings[m], frame);
    fprintf(stream,
            "PGEOMETRY V5\nNPoints %u NPrims 0\nNPointGroups 0 NPrimGroups 0\n"
            "NPointAttrib %u NVertexAttrib 0 NPrimAttrib 0 NAttrib 0\nPointAttrib\n",
            frame->count, attributes);
    for (size_t m = 0; m < HOUDINI_MEANINGS; m++) {
        const houdini_meaning *meaning = &houdini_meanings[m];
        if (!houdini_writes(meaning, frame)) continue;
        fprintf(stream, "%s %u %s", meaning->name, meaning->size,
                houdini_type_names[meaning->type]);
        for (uint32_t k = 0; k < meaning->size; k++) fputs(" 0", stream);
        fputc('\n', stream);
    }
}

static void write_point(FILE *stream, const host_frame *frame, uint32_t i)
{
    const float *location = (const float *)frame->data[POINT_LOCATION] + (size_t)i * 3;
    for (uint32_t k = 0; k < 3; k++) text_print_f32(stream, k ? ' ' : 0, location[k]);
    fprintf(stream, " 1 (%u", ((const uint32_t *)frame->data[POINT_INDEX])[i]);
    for (size_t m = 1; m < HOUDINI_MEANINGS; m++) {
        const houdini_meaning *meaning = &houdini_meanings[m];
        const float *values = frame->data[meaning->stream];
        for (uint32_t k = 0; values && k < meaning->size; k++)
            text_print_f32(stream, ' ', values[(size_t)i * meaning->size + meaning->order[k]]);
    }
    fputs(")\n", stream);
}

int geo_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    int code = houdini_check_frame(frame, sink->path);
    if (code) return code;
    if (sink->options.encoding == ENCODING_JSON) return hgeo_write(stream, frame, true);
    write_head(stream, frame);
    for (uint32_t i = 0; i < frame->count; i++) write_point(stream, frame, i);
    fputs("beginExtra\nendExtra\n", stream);
    return HOST_DONE;
}
