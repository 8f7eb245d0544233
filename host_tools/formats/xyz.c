/* SPDX-License-Identifier: MIT
   host_tools/formats/xyz.c - XYZ files: number of atoms, comment that may name the columns, a row
           per atom.
   reads   bytes of one frame              writes  bytes of one frame
   memory  one frame                       cost    O(bytes)
   after   the XYZ format; the description of extended XYZ: key=value pairs, values with blanks in
           quotes */
#include "xyz.h"
#include "columns.h"
#include "../common/text.h"
#include <math.h>
#include <string.h>

enum { PROPERTIES_MAX = 64 };

typedef struct xyz_property {
    char kind;       /* S, I, R or L */
    uint32_t count;  /* words in a row */
    uint32_t stream; /* POINT_STREAMS: skipped */
} xyz_property;

typedef struct xyz_file {
    host_piece *piece;
    text_reader text;
    int64_t count;
    xyz_property properties[PROPERTIES_MAX];
    size_t property_count;
    uint32_t word_count; /* words of a whole row */
    uint32_t streams;
} xyz_file;

static bool parse_count(text_word line, int64_t *count)
{
    text_word word, more;
    return text_take_word(&line, &word) && text_parse_i64(word, count) && *count >= 0 &&
           !text_take_word(&line, &more);
}

/* The first line is a whole number; and the second contains "Properties=", or the third has an
   element and three numbers. */
bool xyz_recognises(const uint8_t *start, size_t size)
{
    char text[257];
    int64_t count;
    double number;
    text_word line, word;
    size_t kept = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, start, kept);
    text[kept] = 0;
    text_reader reader = {text, text + kept, 0};
    if (!text_take_line(&reader, &line) || !parse_count(line, &count)) return false;
    if (!text_take_line(&reader, &line)) return false;
    for (size_t i = 0; i + 11 <= line.length; i++)
        if (memcmp(line.text + i, "Properties=", 11) == 0) return true;
    if (!text_take_line(&reader, &line) || !text_take_word(&line, &word)) return false;
    for (int k = 0; k < 3; k++)
        if (!text_take_word(&line, &word) || !text_parse_f64(word, &number)) return false;
    return true;
}

/* A frame is the count, the comment and the atoms. Blank lines after it belong to it. `state`:
   lines to skip. */
bool xyz_starts(const char *line, uint64_t *state)
{
    int64_t count = 0;
    text_word word = {line, strlen(line)}, blank = word, first;
    if (*state) {
        --*state;
        return false;
    }
    if (!text_take_word(&blank, &first)) return false;
    if (parse_count(word, &count)) *state = (uint64_t)count + 1;
    return true;
}

/* ---- the comment */

/* Finds a key of the comment and sets its value, without quotes. */
static bool find_value(text_word comment, const char *key, text_word *value)
{
    const char *at = comment.text, *end = at + comment.length;
    size_t length = strlen(key);
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        const char *name = at;
        while (at < end && *at != '=' && *at != ' ' && *at != '\t') at++;
        bool is_key = (size_t)(at - name) == length && memcmp(name, key, length) == 0;
        if (at == end || *at != '=') continue;
        at++;
        char quote = at < end && (*at == '"' || *at == '\'') ? *at++ : 0;
        value->text = at;
        while (at < end && (quote ? *at != quote : *at != ' ' && *at != '\t')) at++;
        value->length = (size_t)(at - value->text);
        if (quote && at < end) at++;
        if (is_key) return true;
    }
    return false;
}

static text_word take_part(text_word *rest)
{
    const char *colon = rest->length ? memchr(rest->text, ':', rest->length) : NULL;
    text_word part = {rest->text, colon ? (size_t)(colon - rest->text) : rest->length};
    size_t used = part.length + (colon != NULL);
    rest->text += used;
    rest->length -= used;
    return part;
}

static int bad_comment(const xyz_file *file, const char *what)
{
    return piece_error_line(file->piece, 1, "%s", what);
}

static int add_property(xyz_file *file, text_word name, text_word kind, text_word count)
{
    uint32_t words, stream;
    if (kind.length != 1 || !strchr("SIRL", *kind.text) || !text_parse_u32(count, &words) ||
        !words || words > 1000)
        return bad_comment(file, "expected Properties=NAME:S|I|R|L:COUNT:...");
    if (file->property_count == PROPERTIES_MAX) return bad_comment(file, "more than 64 properties");
    bool is_known = point_stream_named(name.text, name.length, &stream) && stream < POINT_TIMES;
    bool fits = is_known && (stream == POINT_INDEX
                                 ? words == 1 && *kind.text == 'I'
                                 : words == point_streams[stream].floats && *kind.text == 'R');
    if (fits && file->streams & POINT_BIT(stream))
        return piece_error_line(file->piece, 1, "a property for %s appears twice",
                                point_streams[stream].name);
    if (fits) file->streams |= POINT_BIT(stream);
    if (!fits && !text_is(name, "species") && !text_is(name, "Z"))
        piece_note(file->piece, HOST_NO_OFFSET, "property \"%.*s\" is unknown and ignored",
                   (int)(name.length < 40 ? name.length : 40), name.text);
    file->properties[file->property_count++] =
        (xyz_property){*kind.text, words, fits ? stream : POINT_STREAMS};
    file->word_count += words;
    return HOST_DONE;
}

static int read_comment(xyz_file *file, text_word comment)
{
    static const char plain[] = "species:S:1:pos:R:3";
    text_word value, rest = {plain, sizeof plain - 1};
    int code = HOST_DONE;
    if (find_value(comment, "Properties", &value)) rest = value;
    while (rest.length && !code) {
        text_word name = take_part(&rest), kind = take_part(&rest), count = take_part(&rest);
        code = add_property(file, name, kind, count);
    }
    if (code) return code;
    if (!(file->streams & POINT_BIT(POINT_LOCATION)))
        return bad_comment(file, "Properties has no pos:R:3");
    if (find_value(comment, "frame", &value)) {
        if (!text_parse_i64(value, &file->piece->number))
            return bad_comment(file, "frame is not a whole number");
        file->piece->has_number = true;
    }
    return HOST_DONE;
}

/* ---- atoms */

static int bad_word(const xyz_file *file, text_word word, const char *expected)
{
    return piece_error_at(file->piece, word.text, "\"%.*s\" is not %s",
                          (int)(word.length < 40 ? word.length : 40), word.text, expected);
}

static int store_word(const xyz_file *file, host_frame *frame, uint32_t row,
                      const xyz_property *property, uint32_t k, text_word word)
{
    float value;
    if (property->stream == POINT_STREAMS) return HOST_DONE;
    if (property->stream == POINT_INDEX)
        return text_parse_u32(word, (uint32_t *)frame->data[POINT_INDEX] + row)
                   ? HOST_DONE
                   : bad_word(file, word, "a whole number from 0 to 4294967295");
    const char *expected = text_read_f32(word, &value);
    if (expected) return bad_word(file, word, expected);
    float *values = frame->data[property->stream];
    values[(size_t)row * property->count + k] = value;
    return HOST_DONE;
}

static int read_atom(xyz_file *file, host_frame *frame, uint32_t row)
{
    text_word line, word;
    int code = HOST_DONE;
    if (!text_take_line(&file->text, &line))
        return piece_error_line(file->piece, file->text.line,
                                "the file ends after %u of %lld atoms; it is incomplete", row,
                                (long long)file->count);
    for (size_t p = 0; p < file->property_count; p++)
        for (uint32_t k = 0; k < file->properties[p].count && !code; k++) {
            if (!text_take_word(&line, &word))
                return piece_error_line(file->piece, file->text.line - 1,
                                        "the row ends early, expected %u columns",
                                        file->word_count);
            code = store_word(file, frame, row, &file->properties[p], k, word);
        }
    return code;
}

int xyz_read(host_piece *piece, host_frame *frame)
{
    xyz_file file;
    text_word line;
    memset(&file, 0, sizeof file);
    file.piece = piece;
    file.text =
        (text_reader){(const char *)piece->bytes, (const char *)piece->bytes + piece->size, 0};
    if (!text_take_line(&file.text, &line) || !parse_count(line, &file.count) ||
        file.count > UINT32_MAX)
        return piece_error_line(piece, 0, "expected the number of atoms, from 0 to 4294967295");
    if (!text_take_line(&file.text, &line))
        return piece_error_line(piece, 1,
                                "the file ends before the comment line; it is incomplete");
    int code = read_comment(&file, line);
    if (code) return code;
    uint64_t left = (uint64_t)(file.text.end - file.text.at) + 1;
    if ((uint64_t)file.count > left / (2 * (uint64_t)file.word_count))
        return piece_error_line(
            piece, 2, "%lld atoms are promised, but %llu bytes are left; the file is incomplete",
            (long long)file.count, (unsigned long long)left - 1);
    code = piece_frame(piece, frame, (uint64_t)file.count, file.streams);
    for (uint32_t row = 0; row < file.count && !code; row++) code = read_atom(&file, frame, row);
    if (!code && text_ends_open(&file.text))
        return piece_error_line(piece, file.text.line - 1,
                                "the last line has no end; the file is incomplete");
    return code;
}

/* ---- writing */

/* Plain readers take the columns 2 to 4 for the position, whatever the comment says. So `pos`
   follows the species, and `id` is last. */
static const struct {
    uint32_t stream;
    const char *property;
} written[] = {
    {POINT_LOCATION, "pos:R:3"}, {POINT_VELOCITY, "velo:R:3"}, {POINT_ANGULAR, "omega:R:3"},
    {POINT_SIZE, "radius:R:1"},  {POINT_INDEX, "id:I:1"},
};
enum { WRITTEN = sizeof written / sizeof written[0] };

static void write_atom(FILE *stream, const host_frame *frame, uint32_t i)
{
    fputc('X', stream);
    for (size_t w = 0; w < WRITTEN; w++) {
        const float *values = frame->data[written[w].stream];
        size_t floats = point_streams[written[w].stream].floats;
        if (written[w].stream == POINT_INDEX)
            fprintf(stream, " %u", ((const uint32_t *)frame->data[POINT_INDEX])[i]);
        else
            for (size_t k = 0; values && k < floats; k++)
                text_print_f32(stream, ' ', values[(size_t)i * floats + k]);
    }
    fputc('\n', stream);
}

int xyz_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    (void)sink;
    fprintf(stream, "%u\nProperties=species:S:1", frame->count);
    for (size_t w = 0; w < WRITTEN; w++)
        if (frame->data[written[w].stream]) fprintf(stream, ":%s", written[w].property);
    fprintf(stream, " frame=%.10g\n", frame->number);
    for (uint32_t i = 0; i < frame->count; i++) write_atom(stream, frame, i);
    return HOST_DONE;
}
