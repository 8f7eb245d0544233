/* SPDX-License-Identifier: MIT
   host_tools/formats/ply.c - points of PLY files: header, rows in text or binary of either byte
           order; triangles of their faces.
   reads   bytes of one file               writes  bytes of one file
   memory  one frame; 12 bytes per triangle    cost    O(bytes)
   after   the PLY file format of Greg Turk, 1994; property names are the column names of a .csv
           table */
#include "ply.h"
#include "bytes.h"
#include "columns.h"
#include "../common/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 32, PROPERTIES_MAX = 256 };

typedef enum scalar_kind { SCALAR_SIGNED, SCALAR_UNSIGNED, SCALAR_FLOAT } scalar_kind;
typedef struct ply_scalar {
    const char *name, *other_name;
    uint32_t bytes;
    scalar_kind kind;
} ply_scalar;
static const ply_scalar scalars[] = {
    {"char", "int8", 1, SCALAR_SIGNED},    {"uchar", "uint8", 1, SCALAR_UNSIGNED},
    {"short", "int16", 2, SCALAR_SIGNED},  {"ushort", "uint16", 2, SCALAR_UNSIGNED},
    {"int", "int32", 4, SCALAR_SIGNED},    {"uint", "uint32", 4, SCALAR_UNSIGNED},
    {"float", "float32", 4, SCALAR_FLOAT}, {"double", "float64", 8, SCALAR_FLOAT},
};

typedef struct ply_property {
    const ply_scalar *type;
    const ply_scalar *length; /* type of a list's length; NULL: a single value */
    const point_column *column;
    text_word name;
    bool has_corners; /* a list of the vertices of a face */
} ply_property;

typedef struct ply_element {
    text_word name;
    uint64_t count;
    size_t first, end; /* range in ply_file.properties */
} ply_element;

typedef struct ply_file {
    const host_piece *piece;
    host_encoding encoding;
    text_reader text; /* read position, in the header and in rows */
    ply_element elements[ELEMENTS_MAX];
    size_t element_count;
    ply_property properties[PROPERTIES_MAX];
    size_t property_count;
    const ply_element *vertex;
    ply_faces *faces; /* NULL: faces are skipped */
} ply_file;

bool ply_recognises(const uint8_t *start, size_t size)
{
    return size >= 4 && memcmp(start, "ply", 3) == 0 && (start[3] == '\n' || start[3] == '\r');
}

/* ---- header: lines of words */

static int bad_line(const ply_file *file, const char *what)
{
    return piece_error_line(file->piece, file->text.line - 1, "%s", what);
}

static const ply_scalar *find_scalar(text_word word)
{
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (text_is(word, scalars[i].name) || text_is(word, scalars[i].other_name))
            return &scalars[i];
    return NULL;
}

static int read_format(ply_file *file, text_word line)
{
    text_word name, version;
    if (!text_take_word(&line, &name) || !text_take_word(&line, &version) ||
        !text_is(version, "1.0"))
        return bad_line(file, "expected \"format ascii 1.0\" or the like");
    if (text_is(name, "ascii"))
        file->encoding = ENCODING_ASCII;
    else if (text_is(name, "binary_little_endian"))
        file->encoding = ENCODING_LITTLE;
    else if (text_is(name, "binary_big_endian"))
        file->encoding = ENCODING_BIG;
    else
        return bad_line(file,
                        "the format is neither ascii, binary_little_endian nor binary_big_endian");
    return HOST_DONE;
}

static int read_element(ply_file *file, text_word line)
{
    int64_t count;
    text_word name, number;
    if (!text_take_word(&line, &name) || !text_take_word(&line, &number) ||
        !text_parse_i64(number, &count) || count < 0)
        return bad_line(file, "expected \"element NAME COUNT\"");
    if (file->element_count == ELEMENTS_MAX) return bad_line(file, "more than 32 elements");
    ply_element *element = &file->elements[file->element_count++];
    *element = (ply_element){name, (uint64_t)count, file->property_count, file->property_count};
    if (!text_is(name, "vertex")) return HOST_DONE;
    if (file->vertex) return bad_line(file, "the element vertex occurs twice");
    file->vertex = element;
    return HOST_DONE;
}

static int read_property(ply_file *file, text_word line)
{
    text_word type;
    ply_property property = {NULL, NULL, NULL, {NULL, 0}, false};
    if (!file->element_count) return bad_line(file, "a property before any element");
    if (file->property_count == PROPERTIES_MAX) return bad_line(file, "more than 256 properties");
    bool good = text_take_word(&line, &type);
    if (good && text_is(type, "list")) {
        good = text_take_word(&line, &type);
        property.length = good ? find_scalar(type) : NULL;
        good = property.length && property.length->kind != SCALAR_FLOAT &&
               text_take_word(&line, &type);
    }
    property.type = good ? find_scalar(type) : NULL;
    if (!property.type || !text_take_word(&line, &property.name))
        return bad_line(file,
                        "expected \"property TYPE NAME\" or \"property list TYPE TYPE NAME\"");
    file->properties[file->property_count++] = property;
    file->elements[file->element_count - 1].end = file->property_count;
    return HOST_DONE;
}

/* True at the last line of the header. `code` gets the result for the line. */
static bool read_header_line(ply_file *file, text_word line, int *code)
{
    text_word word;
    if (!text_take_word(&line, &word)) return false;
    if (text_is(word, "end_header")) return true;
    if (text_is(word, "format"))
        *code = read_format(file, line);
    else if (text_is(word, "element"))
        *code = read_element(file, line);
    else if (text_is(word, "property"))
        *code = read_property(file, line);
    else if (!text_is(word, "comment") && !text_is(word, "obj_info"))
        *code =
            bad_line(file, "expected format, element, property, comment, obj_info or end_header");
    return false;
}

static int read_header(ply_file *file)
{
    text_word line;
    int code = HOST_DONE;
    const host_piece *piece = file->piece;
    file->text =
        (text_reader){(const char *)piece->bytes, (const char *)piece->bytes + piece->size, 0};
    if (!text_take_line(&file->text, &line) || !text_is(line, "ply"))
        return piece_error_line(piece, 0, "expected \"ply\" in the first line");
    do {
        if (!text_take_line(&file->text, &line))
            return piece_error(piece, piece->size,
                               "the file ends inside its header; it is incomplete");
    } while (!read_header_line(file, line, &code) && !code);
    if (code) return code;
    if (file->text.at[-1] != '\n')
        return piece_error(piece, piece->size, "the file ends inside its header; it is incomplete");
    if (!file->encoding) return bad_line(file, "the header has no line \"format\"");
    if (!file->vertex) return bad_line(file, "the header has no element vertex");
    return HOST_DONE;
}

/* ---- properties to columns */

/* Every stream of which a component is present must have all components. */
static int check_complete(const ply_file *file, bool has[POINT_STREAMS][4], uint32_t *streams)
{
    *streams = 0;
    for (size_t c = 0; c < POINT_COLUMNS; c++)
        if (has[point_columns[c].stream][point_columns[c].component])
            *streams |= POINT_BIT(point_columns[c].stream);
    *streams |= POINT_BIT(POINT_LOCATION);
    for (size_t c = 0; c < POINT_COLUMNS; c++) {
        const point_column *column = &point_columns[c];
        if (*streams & POINT_BIT(column->stream) && !has[column->stream][column->component])
            return piece_error_line(
                file->piece, file->text.line - 1,
                "the element vertex has no property %s; x, y, z are needed, and of vx, vy, "
                "vz / rw, rx, ry, rz / ax, ay, az / birth, die, life all or none",
                column->name);
    }
    return HOST_DONE;
}

static int find_columns(ply_file *file, uint32_t *streams)
{
    bool has[POINT_STREAMS][4] = {{false}};
    for (size_t p = file->vertex->first; p < file->vertex->end; p++) {
        ply_property *property = &file->properties[p];
        const point_column *column = point_column_named(property->name.text, property->name.length);
        int shown = (int)(property->name.length < 40 ? property->name.length : 40);
        if (!column && text_is(property->name, "id")) column = point_columns;
        if (property->length || !column) {
            piece_note(file->piece, HOST_NO_OFFSET, "property \"%.*s\" is unknown and ignored",
                       shown, property->name.text);
            continue;
        }
        if (has[column->stream][column->component])
            return piece_error_at(file->piece, property->name.text, "property %s appears twice",
                                  column->name);
        has[column->stream][column->component] = true;
        property->column = column;
    }
    return check_complete(file, has, streams);
}

/* Finds the list of corners of each face. */
static int find_corners(ply_file *file)
{
    bool is_found = false;
    for (size_t e = 0; e < file->element_count; e++) {
        const ply_element *element = &file->elements[e];
        for (size_t p = element->first; p < element->end && text_is(element->name, "face"); p++) {
            ply_property *property = &file->properties[p];
            property->has_corners = property->length && !is_found &&
                                    (text_is(property->name, "vertex_indices") ||
                                     text_is(property->name, "vertex_index"));
            is_found |= property->has_corners;
        }
    }
    if (is_found) return HOST_DONE;
    return bad_line(file, "expected an element face with a list vertex_indices, found none");
}

/* ---- rows */

/* Stores one value. False for an index that is not a whole number, and for a value beyond the range
   of float. */
static bool store_value(host_frame *frame, uint32_t row, const point_column *column, double value)
{
    if (column->stream == POINT_INDEX) {
        if (!(value >= 0 && value <= UINT32_MAX) || value != floor(value)) return false;
        ((uint32_t *)frame->data[POINT_INDEX])[row] = (uint32_t)value;
        return true;
    }
    /* would round to infinity */
    if (isfinite(value) && fabs(value) > 3.4028235677973366e38) return false;
    float *values = frame->data[column->stream];
    values[(size_t)row * point_streams[column->stream].floats + column->component] = (float)value;
    return true;
}

static double load_scalar(const ply_scalar *type, const uint8_t *at, bool big_endian)
{
    if (type->kind == SCALAR_FLOAT)
        return type->bytes == 4 ? (double)bytes_load_f32(at, big_endian)
                                : bytes_load_f64(at, big_endian);
    uint64_t word = bytes_load(at, type->bytes, big_endian);
    if (type->kind == SCALAR_UNSIGNED || !(word >> (type->bytes * 8 - 1))) return (double)word;
    return (double)word - (double)(UINT64_C(1) << type->bytes * 8);
}

static int bad_value(const ply_file *file, const ply_property *property, const void *at)
{
    uint64_t offset = (uint64_t)((const uint8_t *)at - file->piece->bytes);
    const char *expected = property->column->stream == POINT_INDEX
                               ? "a whole number from 0 to 4294967295"
                               : "a number that fits in 32 bits (at most 3.4e38)";
    return file->encoding == ENCODING_ASCII
               ? piece_error_at(file->piece, at, "property %s is not %s", property->column->name,
                                expected)
               : piece_error(file->piece, offset, "property %s is not %s", property->column->name,
                             expected);
}

/* Prints an error about a value in a row. */
static int bad_corner(const ply_file *file, const void *at, const char *text)
{
    uint64_t offset = (uint64_t)((const uint8_t *)at - file->piece->bytes);
    return file->encoding == ENCODING_ASCII ? piece_error_at(file->piece, at, "%s", text)
                                            : piece_error(file->piece, offset, "%s", text);
}

static bool add_triangle(ply_faces *faces, uint32_t a, uint32_t b, uint32_t c)
{
    if (faces->count == faces->capacity) {
        size_t capacity = faces->capacity ? faces->capacity * 2 : 256;
        uint32_t *larger = realloc(faces->corners, capacity * 3 * sizeof *larger);
        if (!larger) return false;
        faces->corners = larger;
        faces->capacity = capacity;
    }
    uint32_t *corner = faces->corners + 3 * faces->count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return true;
}

/* The next corner of a polygon, which becomes a fan of triangles; `first` and `last` are the first
   one and the one before. */
static int take_corner(ply_file *file, const void *at, double value, uint64_t position,
                       uint32_t *first, uint32_t *last)
{
    if (!(value >= 0 && value < (double)file->vertex->count) || value != floor(value))
        return bad_corner(file, at, "expected the number of a vertex from 0, found another corner");
    if (position == 0) *first = (uint32_t)value;
    if (position >= 2 && !add_triangle(file->faces, *first, *last, (uint32_t)value))
        return host_out_of_memory("the faces of a mesh");
    *last = (uint32_t)value;
    return HOST_DONE;
}

/* Corners of a face in a binary file. */
static int take_corners(ply_file *file, const ply_property *property, const uint8_t *at,
                        uint64_t count, bool big)
{
    uint32_t first = 0, last = 0;
    int code =
        count < 3 ? bad_corner(file, at, "expected a face of at least 3 corners") : HOST_DONE;
    for (uint64_t i = 0; i < count && !code; i++, at += property->type->bytes)
        code = take_corner(file, at, load_scalar(property->type, at, big), i, &first, &last);
    return code;
}

static int cut_off(const ply_file *file, const ply_element *element, uint64_t row)
{
    int shown = (int)(element->name.length < 40 ? element->name.length : 40);
    return piece_error(
        file->piece, file->piece->size,
        "the file ends in row %llu of element %.*s, of which the header promises %llu; it is "
        "incomplete",
        (unsigned long long)row, shown, element->name.text, (unsigned long long)element->count);
}

/* Reads one row of a binary file; `frame` NULL: skips it. */
static int read_binary_row(ply_file *file, const ply_element *element, uint64_t row,
                           host_frame *frame)
{
    bool big = file->encoding == ENCODING_BIG;
    const uint8_t *at = (const uint8_t *)file->text.at, *end = (const uint8_t *)file->text.end;
    for (size_t p = element->first; p < element->end; p++) {
        const ply_property *property = &file->properties[p];
        uint64_t bytes = property->type->bytes;
        if (property->length) {
            if ((size_t)(end - at) < property->length->bytes) return cut_off(file, element, row);
            double items = load_scalar(property->length, at, big);
            if (items < 0)
                return piece_error(file->piece, (uint64_t)(at - file->piece->bytes),
                                   "expected a list length of 0 or more, found %.9g", items);
            at += property->length->bytes;
            bytes *= (uint64_t)items; /* below 2^35 */
        }
        if ((uint64_t)(end - at) < bytes) return cut_off(file, element, row);
        if (frame && property->column &&
            !store_value(frame, (uint32_t)row, property->column,
                         load_scalar(property->type, at, big)))
            return bad_value(file, property, at);
        if (property->has_corners) {
            int code = take_corners(file, property, at, bytes / property->type->bytes, big);
            if (code) return code;
        }
        at += bytes;
    }
    file->text.at = (const char *)at;
    return HOST_DONE;
}

/* Reads one value of a text row. Line ends are not checked: values are the next words of the
   file. */
static int read_text_value(ply_file *file, const ply_element *element, uint64_t row,
                           const ply_property *property, host_frame *frame, text_word *word,
                           double *value)
{
    if (!text_take_any(&file->text, word)) return cut_off(file, element, row);
    bool is_float = property->type->kind == SCALAR_FLOAT && property->type->bytes == 4;
    if (!text_parse_float(*word, is_float, value))
        return piece_error_at(file->piece, word->text, "\"%.*s\" is not a number",
                              (int)(word->length < 40 ? word->length : 40), word->text);
    if (frame && property->column && !store_value(frame, (uint32_t)row, property->column, *value))
        return bad_value(file, property, word->text);
    return HOST_DONE;
}

static int read_text_row(ply_file *file, const ply_element *element, uint64_t row,
                         host_frame *frame)
{
    int code = HOST_DONE;
    for (size_t p = element->first; p < element->end && !code; p++) {
        const ply_property *property = &file->properties[p];
        int64_t items = 1;
        uint32_t first = 0, last = 0;
        double value = 0;
        text_word word;
        if (property->length && !text_take_any(&file->text, &word))
            return cut_off(file, element, row);
        if (property->length && (!text_parse_i64(word, &items) || items < 0))
            return piece_error_at(file->piece, word.text, "\"%.*s\" is not the length of a list",
                                  (int)(word.length < 40 ? word.length : 40), word.text);
        if (property->has_corners && items < 3)
            return bad_corner(file, word.text, "expected a face of at least 3 corners");
        for (int64_t i = 0; i < items && !code; i++) {
            code = read_text_value(file, element, row, property, frame, &word, &value);
            if (!code && property->has_corners)
                code = take_corner(file, word.text, value, (uint64_t)i, &first, &last);
        }
    }
    return code;
}

/* The smallest size of a row, to check the count of rows against the size of the file. */
static uint64_t least_bytes(const ply_file *file, const ply_element *element)
{
    uint64_t sum = 0;
    bool is_text = file->encoding == ENCODING_ASCII;
    for (size_t p = element->first; p < element->end; p++) {
        const ply_property *property = &file->properties[p];
        sum += is_text ? 2 : property->length ? property->length->bytes : property->type->bytes;
    }
    return sum;
}

static int check_size(const ply_file *file, const ply_element *element)
{
    uint64_t left = (uint64_t)(file->text.end - file->text.at) + (file->encoding == ENCODING_ASCII);
    uint64_t least = least_bytes(file, element);
    int shown = (int)(element->name.length < 40 ? element->name.length : 40);
    if (!least || element->count <= left / least) return HOST_DONE;
    return piece_error(
        file->piece, file->piece->size,
        "the header promises %llu rows of element %.*s, but %llu bytes are left; the file is "
        "incomplete",
        (unsigned long long)element->count, shown, element->name.text, (unsigned long long)left);
}

static int read_rows(ply_file *file, const ply_element *element, host_frame *frame)
{
    int code = HOST_DONE;
    if (element->first == element->end) return HOST_DONE; /* no properties, no bytes */
    for (uint64_t row = 0; row < element->count && !code; row++)
        code = file->encoding == ENCODING_ASCII ? read_text_row(file, element, row, frame)
                                                : read_binary_row(file, element, row, frame);
    return code;
}

static void note_surplus(const ply_file *file)
{
    const host_piece *piece = file->piece;
    text_word word;
    text_reader rest = file->text;
    bool has_rest =
        file->encoding == ENCODING_ASCII ? text_take_any(&rest, &word) : rest.at < rest.end;
    if (has_rest && piece_doubts(piece))
        host_doubt(piece->path, (uint64_t)((const uint8_t *)file->text.at - piece->bytes),
                   "data after the last row is ignored");
}

static void note_element(const host_piece *piece, const ply_element *element)
{
    if (element->count)
        piece_note(piece, HOST_NO_OFFSET, "element \"%.*s\" has no points and is skipped",
                   (int)(element->name.length < 40 ? element->name.length : 40),
                   element->name.text);
}

static int read_file(host_piece *piece, host_frame *frame, ply_faces *faces)
{
    ply_file file;
    uint32_t streams = 0;
    memset(&file, 0, sizeof file);
    file.piece = piece;
    file.faces = faces;
    int code = read_header(&file);
    if (!code) code = find_columns(&file, &streams);
    if (!code && faces) code = find_corners(&file);
    for (size_t e = 0; e < file.element_count && !code; e++) {
        const ply_element *element = &file.elements[e];
        bool is_vertex = element == file.vertex;
        code = check_size(&file, element);
        if (!code && is_vertex) code = piece_frame(piece, frame, element->count, streams);
        if (!code && !is_vertex) note_element(piece, element);
        if (!code) code = read_rows(&file, element, is_vertex ? frame : NULL);
    }
    if (!code && file.encoding == ENCODING_ASCII && text_ends_open(&file.text))
        return piece_error_line(piece, file.text.line,
                                "the last line has no end; the file is incomplete");
    if (!code) note_surplus(&file);
    return code;
}

int ply_read(host_piece *piece, host_frame *frame) { return read_file(piece, frame, NULL); }

int ply_read_mesh(host_piece *piece, host_frame *frame, ply_faces *faces)
{
    memset(faces, 0, sizeof *faces);
    memset(frame, 0, sizeof *frame);
    int code = read_file(piece, frame, faces);
    if (!code && faces->count == 0) code = piece_error(piece, HOST_NO_OFFSET, "holds no triangle");
    if (!code) return HOST_DONE;
    host_frame_free(frame);
    free(faces->corners);
    return code;
}

/* ---- writing: x, y, z come first, where simple readers expect them, and the index last */

static const point_column *written_column(size_t c)
{
    return &point_columns[(c + 1) % POINT_COLUMNS];
}

static void write_header(FILE *stream, host_encoding encoding, const host_frame *frame,
                         uint32_t streams)
{
    const char *name = encoding == ENCODING_ASCII ? "ascii"
                       : encoding == ENCODING_BIG ? "binary_big_endian"
                                                  : "binary_little_endian";
    fprintf(stream, "ply\nformat %s 1.0\ncomment tidepool\nelement vertex %u\n", name,
            frame->count);
    for (size_t c = 0; c < POINT_COLUMNS; c++) {
        const point_column *column = written_column(c);
        if (streams & POINT_BIT(column->stream))
            fprintf(stream, "property %s %s\n", column->stream == POINT_INDEX ? "uint" : "float",
                    column->name);
    }
    fputs("end_header\n", stream);
}

static uint32_t load_word(const host_frame *frame, uint32_t i, const point_column *column)
{
    uint32_t word;
    const uint8_t *element = (const uint8_t *)frame->data[column->stream] +
                             (size_t)i * point_streams[column->stream].bytes;
    memcpy(&word, element + column->component * 4, sizeof word);
    return word;
}

static void write_binary(FILE *stream, const host_frame *frame, uint32_t streams, bool big)
{
    uint8_t row[POINT_COLUMNS * 4];
    for (uint32_t i = 0; i < frame->count; i++) {
        size_t used = 0;
        for (size_t c = 0; c < POINT_COLUMNS; c++) {
            const point_column *column = written_column(c);
            if (!(streams & POINT_BIT(column->stream))) continue;
            bytes_store(row + used, 4, big, load_word(frame, i, column));
            used += 4;
        }
        fwrite(row, 1, used, stream);
    }
}

static void write_text(FILE *stream, const host_frame *frame, uint32_t streams)
{
    for (uint32_t i = 0; i < frame->count; i++) {
        for (size_t c = 0; c + 1 < POINT_COLUMNS; c++) {
            const point_column *column = written_column(c);
            float value;
            if (!(streams & POINT_BIT(column->stream))) continue;
            uint32_t word = load_word(frame, i, column);
            memcpy(&value, &word, sizeof value);
            text_print_f32(stream, c ? ' ' : 0, value);
        }
        fprintf(stream, " %u\n", ((const uint32_t *)frame->data[POINT_INDEX])[i]);
    }
}

int ply_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    host_encoding encoding = sink->options.encoding;
    uint32_t streams = POINT_BIT(POINT_INDEX);
    for (uint32_t s = POINT_LOCATION; s < POINT_BOIDS; s++)
        if (frame->data[s]) streams |= POINT_BIT(s);
    write_header(stream, encoding, frame, streams);
    if (encoding == ENCODING_ASCII)
        write_text(stream, frame, streams);
    else
        write_binary(stream, frame, streams, encoding == ENCODING_BIG);
    return HOST_DONE;
}
