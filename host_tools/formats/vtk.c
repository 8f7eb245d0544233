/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk.c - points of legacy VTK files: header, then sections of keyword and data.
   reads   bytes of one file               writes  bytes of one file
   memory  one frame                       cost    O(bytes)
   after   the VTK file formats document, legacy formats 1.0 to 5.1; binary data is big-endian */
#include "vtk.h"
#include "bytes.h"
#include "columns.h"
#include "../common/text.h"
#include <math.h>
#include <string.h>

typedef enum array_kind { ARRAY_SIGNED, ARRAY_UNSIGNED, ARRAY_FLOAT } array_kind;
typedef struct vtk_type {
    const char *name;
    uint32_t bytes;
    array_kind kind;
} vtk_type;
static const vtk_type types[] = {
    {"float", 4, ARRAY_FLOAT},
    {"double", 8, ARRAY_FLOAT},
    {"int", 4, ARRAY_SIGNED},
    {"unsigned_int", 4, ARRAY_UNSIGNED},
    {"long", 8, ARRAY_SIGNED},
    {"unsigned_long", 8, ARRAY_UNSIGNED},
    {"short", 2, ARRAY_SIGNED},
    {"unsigned_short", 2, ARRAY_UNSIGNED},
    {"char", 1, ARRAY_SIGNED},
    {"unsigned_char", 1, ARRAY_UNSIGNED},
    {"vtkIdType", 4, ARRAY_SIGNED},
    {"vtktypeint64", 8, ARRAY_SIGNED},
    {"vtktypeuint64", 8, ARRAY_UNSIGNED},
};
static const vtk_type *const int_type = &types[2];

/* The numbers of a section: `rows` times `columns`, stored in a stream of the frame or skipped. */
typedef struct vtk_array {
    uint64_t rows, columns;
    const vtk_type *type;
    uint32_t stream; /* POINT_STREAMS: skipped */
} vtk_array;

typedef enum vtk_owner { OWNER_DATASET, OWNER_POINTS, OWNER_CELLS } vtk_owner;

typedef struct vtk_file {
    const host_piece *piece;
    host_frame *frame;
    text_reader text;
    bool is_text, has_offsets, has_points;
    bool has_cells;      /* some cell has more than one point, or cells have data */
    vtk_owner owner;     /* owner of the attributes that follow */
    uint64_t data_count; /* rows of each attribute */
} vtk_file;

bool vtk_recognises(const uint8_t *start, size_t size)
{
    static const char mark[] = "# vtk DataFile Version";
    return size >= sizeof mark - 1 && memcmp(start, mark, sizeof mark - 1) == 0;
}

/* ---- errors: at a line in text files, else at a byte */

static int fail(const vtk_file *file, const char *what)
{
    if (file->is_text)
        return piece_error_line(file->piece, file->text.line ? file->text.line - 1 : 0, "%s", what);
    return piece_error(file->piece, (uint64_t)((const uint8_t *)file->text.at - file->piece->bytes),
                       "%s", what);
}

static int cut_off(const vtk_file *file)
{
    return piece_error(file->piece, file->piece->size,
                       "the file ends inside a section; it is incomplete");
}

/* ---- numbers */

static double load_number(const vtk_type *type, const uint8_t *at)
{
    if (type->kind == ARRAY_FLOAT)
        return type->bytes == 4 ? (double)bytes_load_f32(at, true) : bytes_load_f64(at, true);
    uint64_t word = bytes_load(at, type->bytes, true);
    if (type->kind == ARRAY_UNSIGNED || !(word >> (type->bytes * 8 - 1))) return (double)word;
    return -(double)((UINT64_MAX >> (64 - type->bytes * 8)) - word) - 1;
}

static bool store_number(const vtk_file *file, const vtk_array *array, uint64_t row,
                         uint64_t column, double value)
{
    if (array->stream == POINT_INDEX) {
        if (!(value >= 0 && value <= UINT32_MAX) || value != floor(value)) return false;
        ((uint32_t *)file->frame->data[POINT_INDEX])[row] = (uint32_t)value;
        return true;
    }
    /* would round to infinity */
    if (isfinite(value) && fabs(value) > 3.4028235677973366e38) return false;
    ((float *)file->frame->data[array->stream])[row * array->columns + column] = (float)value;
    return true;
}

/* `at`: the word in a text file; NULL in a binary file. */
static int bad_number(const vtk_file *file, const vtk_array *array, const void *at)
{
    const char *what = array->stream == POINT_INDEX
                           ? "an index is not a whole number from 0 to 4294967295"
                           : "a number does not fit in 32 bits (at most 3.4e38)";
    return at ? piece_error_at(file->piece, at, "%s", what) : fail(file, what);
}

static int read_text_numbers(vtk_file *file, const vtk_array *array)
{
    for (uint64_t i = 0; i < array->rows * array->columns; i++) {
        text_word word;
        double value = 0;
        if (!text_take_any(&file->text, &word)) return cut_off(file);
        if (array->stream == POINT_STREAMS) continue;
        bool is_float = array->type->kind == ARRAY_FLOAT && array->type->bytes == 4;
        if (!text_parse_float(word, is_float, &value))
            return piece_error_at(file->piece, word.text, "\"%.*s\" is not a number",
                                  (int)(word.length < 40 ? word.length : 40), word.text);
        if (!store_number(file, array, i / array->columns, i % array->columns, value))
            return bad_number(file, array, word.text);
    }
    if (!text_ends_open(&file->text)) return HOST_DONE;
    return piece_error_line(file->piece, file->text.line,
                            "the last line has no end; the file is incomplete");
}

static int read_binary_numbers(vtk_file *file, const vtk_array *array)
{
    uint32_t bytes = array->type->bytes;
    uint64_t count = array->rows * array->columns;
    const uint8_t *at = (const uint8_t *)file->text.at;
    for (uint64_t i = 0; i < count && array->stream < POINT_STREAMS; i++, at += bytes)
        if (!store_number(file, array, i / array->columns, i % array->columns,
                          load_number(array->type, at))) {
            file->text.at = (const char *)at;
            return bad_number(file, array, NULL);
        }
    file->text.at += count * bytes;
    return HOST_DONE;
}

/* Checks the size before anything is allocated for it. */
static int read_array(vtk_file *file, const vtk_array *array)
{
    uint64_t left = (uint64_t)(file->text.end - file->text.at) + file->is_text;
    uint64_t bytes = file->is_text ? 2 : array->type->bytes;
    if (array->columns && array->rows > left / bytes / array->columns) return cut_off(file);
    if (array->stream < POINT_STREAMS && !file->frame->data[array->stream]) {
        file->frame->data[array->stream] =
            host_allocate((size_t)array->rows, point_streams[array->stream].bytes);
        if (!file->frame->data[array->stream]) return host_out_of_memory(file->piece->path);
    }
    if (array->stream < POINT_STREAMS) file->frame->streams |= POINT_BIT(array->stream);
    return file->is_text ? read_text_numbers(file, array) : read_binary_numbers(file, array);
}

/* ---- words of section lines */

static const vtk_type *take_type(text_word *line)
{
    text_word word;
    if (!text_take_word(line, &word)) return NULL;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (text_is(word, types[t].name)) return &types[t];
    return NULL;
}

static bool take_count(text_word *line, uint64_t *count)
{
    int64_t value;
    text_word word;
    if (!text_take_word(line, &word) || !text_parse_i64(word, &value) || value < 0 ||
        value > UINT32_MAX)
        return false;
    *count = (uint64_t)value;
    return true;
}

static void note_array(const vtk_file *file, text_word name)
{
    if (file->owner != OWNER_CELLS)
        piece_note(file->piece, HOST_NO_OFFSET, "array \"%.*s\" is unknown and ignored",
                   (int)(name.length < 40 ? name.length : 40), name.text);
}

/* The stream for an attribute of the points; POINT_STREAMS with a note when no stream has its name
   and width. */
static uint32_t find_stream(const vtk_file *file, text_word name, uint64_t columns)
{
    uint32_t stream;
    bool is_known = file->owner == OWNER_POINTS &&
                    point_stream_named(name.text, name.length, &stream) &&
                    stream != POINT_LOCATION && stream != POINT_BOIDS;
    uint64_t expected = !is_known ? 0 : stream == POINT_INDEX ? 1 : point_streams[stream].floats;
    if (is_known && columns == expected && !(file->frame->streams & POINT_BIT(stream)))
        return stream;
    note_array(file, name);
    return POINT_STREAMS;
}

/* ---- sections */

static int read_points(vtk_file *file, text_word line)
{
    vtk_array array = {0, 3, NULL, POINT_LOCATION};
    if (file->has_points) return fail(file, "a second section POINTS");
    if (!take_count(&line, &array.rows) || !(array.type = take_type(&line)))
        return fail(file, "expected \"POINTS COUNT TYPE\"");
    file->has_points = true;
    uint64_t left = (uint64_t)(file->text.end - file->text.at) + file->is_text;
    if (array.rows > left / (file->is_text ? 6 : 3 * array.type->bytes)) return cut_off(file);
    int code = piece_frame(file->piece, file->frame, array.rows, POINT_BIT(POINT_LOCATION));
    return code ? code : read_array(file, &array);
}

/* Skips "OFFSETS TYPE" or "CONNECTIVITY TYPE" with its numbers. */
static int skip_part(vtk_file *file, const char *title, uint64_t count)
{
    text_word line, word;
    vtk_array array = {count, 1, NULL, POINT_STREAMS};
    do {
        if (!text_take_line(&file->text, &line)) return cut_off(file);
    } while (!text_take_word(&line, &word));
    if (!text_is(word, title) || !(array.type = take_type(&line)))
        return fail(file, "expected \"OFFSETS TYPE\" and \"CONNECTIVITY TYPE\"");
    return read_array(file, &array);
}

/* Skips cells: VERTICES, LINES, POLYGONS, TRIANGLE_STRIPS, CELLS. Cells of one point each, as
   vtk_write makes them, carry no information and need no note. */
static int skip_cells(vtk_file *file, text_word line)
{
    uint64_t count, size;
    if (!take_count(&line, &count) || !take_count(&line, &size))
        return fail(file, "expected two counts of cells");
    vtk_array array = {size, 1, int_type, POINT_STREAMS};
    file->has_cells |= count > 0 && size != (file->has_offsets ? count - 1 : 2 * count);
    if (!file->has_offsets) return read_array(file, &array);
    int code = skip_part(file, "OFFSETS", count);
    return code ? code : skip_part(file, "CONNECTIVITY", size);
}

static int skip_cell_types(vtk_file *file, text_word line)
{
    vtk_array array = {0, 1, int_type, POINT_STREAMS};
    if (!take_count(&line, &array.rows)) return fail(file, "expected \"CELL_TYPES COUNT\"");
    return read_array(file, &array);
}

static int begin_data(vtk_file *file, text_word line, vtk_owner owner)
{
    if (!take_count(&line, &file->data_count)) return fail(file, "expected the number of rows");
    file->owner = owner;
    file->has_cells |= owner == OWNER_CELLS && file->data_count > 0;
    if (owner == OWNER_POINTS && (!file->has_points || file->data_count != file->frame->count))
        return fail(file, "POINT_DATA has another number of rows than POINTS");
    return HOST_DONE;
}

static int read_field(vtk_file *file, text_word line)
{
    uint64_t arrays;
    text_word name, word;
    if (!text_take_word(&line, &name) || !take_count(&line, &arrays))
        return fail(file, "expected \"FIELD NAME COUNT\"");
    for (uint64_t a = 0; a < arrays; a++) {
        vtk_array array = {0, 0, NULL, POINT_STREAMS};
        do {
            if (!text_take_line(&file->text, &line)) return cut_off(file);
        } while (!text_take_word(&line, &name));
        if (text_is(name, "METADATA")) { /* of the preceding array */
            while (text_take_line(&file->text, &line) && text_take_word(&line, &word)) continue;
            a--;
            continue;
        }
        if (!take_count(&line, &array.columns) || !take_count(&line, &array.rows) ||
            !(array.type = take_type(&line)))
            return fail(file, "expected \"NAME COLUMNS ROWS TYPE\" of an array");
        if (file->owner != OWNER_DATASET && array.rows != file->data_count)
            return fail(file, "an array has another number of rows than its section");
        array.stream = find_stream(file, name, array.columns);
        int code = read_array(file, &array);
        if (code) return code;
    }
    return HOST_DONE;
}

/* Skips the optional line "LOOKUP_TABLE NAME" before the numbers. */
static void skip_table_name(vtk_file *file)
{
    static const char key[] = "LOOKUP_TABLE";
    text_word line;
    size_t left = (size_t)(file->text.end - file->text.at);
    if (left >= sizeof key - 1 && memcmp(file->text.at, key, sizeof key - 1) == 0)
        text_take_line(&file->text, &line);
}

/* SCALARS NAME TYPE [COLUMNS], VECTORS NAME TYPE and the like. */
static int read_attribute(vtk_file *file, text_word line, uint64_t columns, bool is_scalar)
{
    text_word name;
    vtk_array array = {file->data_count, columns, NULL, POINT_STREAMS};
    if (file->owner == OWNER_DATASET)
        return fail(file, "an attribute before POINT_DATA and CELL_DATA");
    if (!text_take_word(&line, &name)) return fail(file, "expected the name of an attribute");
    if (!columns && !take_count(&line, &array.columns))
        return fail(file, "expected the number of coordinates");
    if (!(array.type = take_type(&line))) return fail(file, "the type of an attribute is unknown");
    if (is_scalar && !take_count(&line, &array.columns)) array.columns = 1;
    if (is_scalar) skip_table_name(file);
    array.stream = find_stream(file, name, array.columns);
    return read_array(file, &array);
}

/* Skips colours: bytes in binary files, numbers from 0 to 1 in text. */
static int skip_colours(vtk_file *file, text_word line, bool is_table)
{
    text_word name;
    vtk_array array = {file->data_count, 4, &types[9], POINT_STREAMS};
    if (!text_take_word(&line, &name) ||
        !take_count(&line, is_table ? &array.rows : &array.columns))
        return fail(file, "expected a name and a count of colours");
    if (!is_table) note_array(file, name);
    return read_array(file, &array);
}

static void skip_metadata(vtk_file *file)
{
    text_word line, word;
    while (text_take_line(&file->text, &line) && text_take_word(&line, &word)) continue;
}

static int read_section(vtk_file *file, text_word key, text_word line)
{
    static const char *const cells[] = {"VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS",
                                        "CELLS"};
    if (text_is(key, "POINTS")) return read_points(file, line);
    for (int c = 0; c < 5; c++)
        if (text_is(key, cells[c])) return skip_cells(file, line);
    if (text_is(key, "CELL_TYPES")) return skip_cell_types(file, line);
    if (text_is(key, "POINT_DATA")) return begin_data(file, line, OWNER_POINTS);
    if (text_is(key, "CELL_DATA")) return begin_data(file, line, OWNER_CELLS);
    if (text_is(key, "FIELD")) return read_field(file, line);
    if (text_is(key, "SCALARS")) return read_attribute(file, line, 1, true);
    if (text_is(key, "VECTORS") || text_is(key, "NORMALS"))
        return read_attribute(file, line, 3, false);
    if (text_is(key, "TENSORS")) return read_attribute(file, line, 9, false);
    if (text_is(key, "TENSORS6")) return read_attribute(file, line, 6, false);
    if (text_is(key, "TEXTURE_COORDINATES")) return read_attribute(file, line, 0, false);
    if (text_is(key, "COLOR_SCALARS")) return skip_colours(file, line, false);
    if (text_is(key, "LOOKUP_TABLE")) return skip_colours(file, line, true);
    if (!text_is(key, "METADATA")) return fail(file, "the section is unknown");
    skip_metadata(file);
    return HOST_DONE;
}

/* ---- the file */

static int read_dataset(vtk_file *file)
{
    text_word line, word;
    do {
        if (!text_take_line(&file->text, &line)) return cut_off(file);
    } while (!text_take_word(&line, &word));
    if (!text_is(word, "DATASET") || !text_take_word(&line, &word))
        return fail(file, "expected \"DATASET POLYDATA\" or \"DATASET UNSTRUCTURED_GRID\"");
    if (text_is(word, "POLYDATA") || text_is(word, "UNSTRUCTURED_GRID")) return HOST_DONE;
    return fail(file, "the dataset is neither POLYDATA nor UNSTRUCTURED_GRID");
}

static int read_header(vtk_file *file)
{
    static const char mark[] = "# vtk DataFile Version ";
    text_word line, word;
    file->is_text = true; /* the header is always text */
    if (!text_take_line(&file->text, &line) || line.length < sizeof mark - 1 ||
        memcmp(line.text, mark, sizeof mark - 1) != 0)
        return fail(file, "expected \"# vtk DataFile Version\" in the first line");
    file->has_offsets = line.length > sizeof mark - 1 && line.text[sizeof mark - 1] >= '5';
    if (!text_take_line(&file->text, &line) || !text_take_line(&file->text, &line))
        return cut_off(file);
    if (!text_take_word(&line, &word) || (!text_is(word, "ASCII") && !text_is(word, "BINARY")))
        return fail(file, "expected ASCII or BINARY in the third line");
    file->is_text = text_is(word, "ASCII");
    return read_dataset(file);
}

int vtk_read(host_piece *piece, host_frame *frame)
{
    text_word line, key;
    vtk_file file = {.piece = piece, .frame = frame};
    file.text =
        (text_reader){(const char *)piece->bytes, (const char *)piece->bytes + piece->size, 0};
    memset(frame, 0, sizeof *frame);
    int code = read_header(&file);
    while (!code && text_take_line(&file.text, &line))
        if (text_take_word(&line, &key)) code = read_section(&file, key, line);
    if (!code && file.has_cells)
        piece_note(piece, HOST_NO_OFFSET, "cells and their data are skipped");
    if (!code && !file.has_points)
        code = piece_error(piece, piece->size,
                           "the file ends before its section POINTS; it is incomplete");
    return code;
}

/* ---- writing */

typedef struct vtk_output {
    FILE *stream;
    bool is_text;
} vtk_output;

/* Writes a stream as 32-bit integers or floats. */
static void put_stream(const vtk_output *output, const host_frame *frame, uint32_t stream,
                       bool is_float)
{
    const uint32_t *words = frame->data[stream];
    const float *floats = frame->data[stream];
    size_t width = point_streams[stream].bytes / 4, count = frame->count * width;
    for (size_t i = 0; output->is_text && i < count; i++) {
        if (is_float)
            text_print_f32(output->stream, i % width ? ' ' : 0, floats[i]);
        else
            fprintf(output->stream, "%u", words[i]);
        if (i % width == width - 1) fputc('\n', output->stream);
    }
    if (output->is_text) return;
    bytes_write_words(output->stream, true, words, count);
    fputc('\n', output->stream);
}

/* One line of a text file, or these words of a binary file. */
static void put_words(const vtk_output *output, const uint32_t *words, size_t count)
{
    if (!output->is_text) bytes_write_words(output->stream, true, words, count);
    for (size_t i = 0; output->is_text && i < count; i++)
        fprintf(output->stream, "%u%c", words[i], i + 1 < count ? ' ' : '\n');
}

/* One cell per point, so that ParaView shows the points. */
static void put_cells(const vtk_output *output, uint32_t count)
{
    static const uint32_t vertex = 1; /* the type of a cell with one point, and its size */
    const char *end = output->is_text ? "" : "\n";
    fprintf(output->stream, "CELLS %u %llu\n", count, (unsigned long long)count * 2);
    for (uint32_t i = 0; i < count; i++) put_words(output, (uint32_t[2]){vertex, i}, 2);
    fprintf(output->stream, "%sCELL_TYPES %u\n", end, count);
    for (uint32_t i = 0; i < count; i++) put_words(output, &vertex, 1);
    fputs(end, output->stream);
}

/* An unstructured grid of vertices: every reader of legacy VTK files knows it. meshio refuses
   POLYDATA. */
int vtk_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    vtk_output output = {stream, sink->options.encoding == ENCODING_ASCII};
    uint32_t arrays = 0;
    for (uint32_t s = 0; s < POINT_BOIDS; s++) arrays += s != POINT_LOCATION && frame->data[s];
    fprintf(stream, "# vtk DataFile Version 3.0\ntidepool\n%s\nDATASET UNSTRUCTURED_GRID\n",
            output.is_text ? "ASCII" : "BINARY");
    fprintf(stream, "POINTS %u float\n", frame->count);
    put_stream(&output, frame, POINT_LOCATION, true);
    put_cells(&output, frame->count);
    fprintf(stream, "POINT_DATA %u\nFIELD FieldData %u\n", frame->count, arrays);
    for (uint32_t s = 0; s < POINT_BOIDS; s++) {
        if (s == POINT_LOCATION || !frame->data[s]) continue;
        fprintf(stream, "%s %u %u %s\n", point_streams[s].name, point_streams[s].bytes / 4,
                frame->count, s == POINT_INDEX ? "unsigned_int" : "float");
        put_stream(&output, frame, s, s != POINT_INDEX);
    }
    return HOST_DONE;
}
