/* SPDX-License-Identifier: MIT
   host_tools/formats/lammps.c - LAMMPS text dumps: header items, then one row per atom.
   reads   bytes of one frame              writes  bytes of one frame
   memory  one frame                       cost    O(bytes)
   after   the LAMMPS manual on the command `dump`, and its howto on triclinic boxes */
#include "lammps.h"
#include "columns.h"
#include "../common/text.h"
#include <math.h>
#include <string.h>

enum { WORDS_MAX = 128 };

/* Kinds of coordinates: absolute (x, xu) or as a fraction of the box (xs, xsu). */
typedef enum coordinate_kind {
    COORDINATE_NONE,
    COORDINATE_PLAIN,
    COORDINATE_UNWRAPPED,
    COORDINATE_SCALED,
    COORDINATE_SCALED_UNWRAPPED
} coordinate_kind;

/* The simulation box: its lower corner and its three edge vectors. */
typedef struct lammps_box {
    bool is_known;
    double origin[3];
    double edges[3][3];
} lammps_box;

typedef struct lammps_column {
    const point_column *column; /* NULL: the column is ignored */
    bool is_id, is_frame;
    int axis; /* 0 to 2 for a coordinate; -1: no coordinate */
} lammps_column;

typedef struct lammps_file {
    host_piece *piece;
    text_reader text;
    lammps_box box;
    int64_t count; /* number of atoms; -1: not read yet */
    bool has_step;
    lammps_column columns[WORDS_MAX];
    size_t column_count;
    coordinate_kind kind;
    uint32_t streams;
} lammps_file;

bool lammps_recognises(const uint8_t *start, size_t size)
{
    static const char *const items[] = {"ITEM: TIMESTEP", "ITEM: UNITS", "ITEM: TIME"};
    for (int i = 0; i < 3; i++)
        if (size >= strlen(items[i]) && memcmp(start, items[i], strlen(items[i])) == 0) return true;
    return false;
}

/* A frame begins with the first item after the atoms of the previous frame. The item UNITS comes
   only once, before the first time step. */
bool lammps_starts(const char *line, uint64_t *state)
{
    enum { IN_ATOMS, IN_HEADER };
    if (strncmp(line, "ITEM: ATOMS", 11) == 0) *state = IN_ATOMS;
    if (*state == IN_HEADER || strncmp(line, "ITEM: ", 6) != 0 ||
        strncmp(line, "ITEM: ATOMS", 11) == 0)
        return false;
    *state = IN_HEADER;
    return true;
}

static int bad_line(const lammps_file *file, const char *what)
{
    return piece_error_line(file->piece, file->text.line ? file->text.line - 1 : 0, "%s", what);
}

static int truncated(const lammps_file *file, const char *inside)
{
    return piece_error_line(file->piece, file->text.line, "the file ends in %s; it is incomplete",
                            inside);
}

/* ---- items of the header */

static int read_step(lammps_file *file)
{
    text_word line, word;
    if (!text_take_line(&file->text, &line)) return truncated(file, "the time step");
    if (!text_take_word(&line, &word) || !text_parse_i64(word, &file->piece->number) ||
        file->piece->number < 0)
        return bad_line(file, "expected the time step, a whole number");
    file->piece->has_number = file->has_step = true;
    return HOST_DONE;
}

static int read_count(lammps_file *file)
{
    text_word line, word;
    if (!text_take_line(&file->text, &line)) return truncated(file, "the number of atoms");
    if (!text_take_word(&line, &word) || !text_parse_i64(word, &file->count) || file->count < 0 ||
        file->count > UINT32_MAX)
        return bad_line(file, "expected the number of atoms, from 0 to 4294967295");
    return HOST_DONE;
}

/* A triclinic box, whose bounds in the file are those of its axis-aligned bounding box. */
static void make_tilted(lammps_box *box, double rows[3][4])
{
    double xy = rows[0][2], xz = rows[1][2], yz = rows[2][2];
    double low = fmin(fmin(0, xy), fmin(xz, xy + xz)), high = fmax(fmax(0, xy), fmax(xz, xy + xz));
    box->origin[0] = rows[0][0] - low;
    box->origin[1] = rows[1][0] - fmin(0, yz);
    box->origin[2] = rows[2][0];
    box->edges[0][0] = rows[0][1] - high - box->origin[0];
    box->edges[1][0] = xy;
    box->edges[1][1] = rows[1][1] - fmax(0, yz) - box->origin[1];
    box->edges[2][0] = xz;
    box->edges[2][1] = yz;
    box->edges[2][2] = rows[2][1] - rows[2][0];
}

static void make_box(lammps_box *box, double rows[3][4], int columns)
{
    memset(box, 0, sizeof *box);
    box->is_known = true;
    if (columns == 3) make_tilted(box, rows);
    for (int k = 0; k < 3 && columns == 2; k++) {
        box->origin[k] = rows[k][0];
        box->edges[k][k] = rows[k][1] - rows[k][0];
    }
    /* "abc origin": each line holds an edge vector and one coordinate of the corner */
    for (int k = 0; k < 3 && columns == 4; k++) {
        memcpy(box->edges[k], rows[k], sizeof box->edges[k]);
        box->origin[k] = rows[k][3];
    }
}

static int read_box(lammps_file *file, text_word rest)
{
    double rows[3][4] = {{0}};
    text_word line, word;
    int columns = 2;
    if (text_take_word(&rest, &word))
        columns = text_is(word, "xy") ? 3 : text_is(word, "abc") ? 4 : 2;
    for (int k = 0; k < 3; k++) {
        if (!text_take_line(&file->text, &line)) return truncated(file, "the bounds of the box");
        for (int c = 0; c < columns; c++)
            if (!text_take_word(&line, &word) || !text_parse_f64(word, &rows[k][c]))
                return piece_error_line(file->piece, file->text.line - 1,
                                        "expected %d numbers, the bounds of the box", columns);
    }
    make_box(&file->box, rows, columns);
    return HOST_DONE;
}

/* ---- columns of the atoms */

/* Parses "x", "xu", "xs", "xsu", and the same for y and z. */
static coordinate_kind parse_coordinate(text_word word, int *axis)
{
    static const char *const tails[] = {"", "u", "s", "su"};
    if (!word.length || word.text[0] < 'x' || word.text[0] > 'z') return COORDINATE_NONE;
    *axis = word.text[0] - 'x';
    for (int t = 0; t < 4; t++) {
        size_t length = strlen(tails[t]);
        if (word.length == length + 1 && memcmp(word.text + 1, tails[t], length) == 0)
            return (coordinate_kind)(COORDINATE_PLAIN + t);
    }
    return COORDINATE_NONE;
}

/* If a file has several kinds of coordinates, the first kind is used. */
static int add_column(lammps_file *file, text_word word, uint32_t seen[POINT_STREAMS])
{
    lammps_column *column = &file->columns[file->column_count++];
    int axis = -1, shown = (int)(word.length < 40 ? word.length : 40);
    coordinate_kind kind = parse_coordinate(word, &axis);
    *column = (lammps_column){NULL, text_is(word, "id"), text_is(word, "frame"), -1};
    if (kind != COORDINATE_NONE && file->kind == COORDINATE_NONE) file->kind = kind;
    if (kind != COORDINATE_NONE && kind == file->kind) {
        column->axis = axis;
        column->column = &point_columns[1 + axis]; /* x, y, z follow the index */
    } else if (column->is_id) {
        column->column = &point_columns[0];
    } else if (kind == COORDINATE_NONE && !text_is(word, "index")) {
        column->column = point_column_named(word.text, word.length);
    }
    if (!column->column) {
        bool is_common = column->is_frame || text_is(word, "type") || text_is(word, "element");
        if (!is_common)
            piece_note(file->piece, HOST_NO_OFFSET, "column \"%.*s\" is unknown and ignored", shown,
                       word.text);
        return HOST_DONE;
    }
    uint32_t bit = 1u << column->column->component;
    if (seen[column->column->stream] & bit)
        return piece_error_at(file->piece, word.text, "column \"%.*s\" appears twice", shown,
                              word.text);
    seen[column->column->stream] |= bit;
    file->streams |= POINT_BIT(column->column->stream);
    return HOST_DONE;
}

static int read_columns(lammps_file *file, text_word rest)
{
    text_word word;
    uint32_t seen[POINT_STREAMS] = {0};
    while (text_take_word(&rest, &word)) {
        if (file->column_count == WORDS_MAX) return bad_line(file, "more than 128 columns");
        int code = add_column(file, word, seen);
        if (code) return code;
    }
    if (!(file->streams & POINT_BIT(POINT_LOCATION)))
        return bad_line(file, "no column x, xs, xu or xsu; a dump of positions needs id x y z");
    for (uint32_t s = POINT_LOCATION; s < POINT_BOIDS; s++)
        if (seen[s] && seen[s] != (1u << point_streams[s].floats) - 1u)
            return piece_error_line(file->piece, file->text.line - 1,
                                    "a column of %s is missing, expected all of them or none",
                                    point_streams[s].name);
    if (file->kind >= COORDINATE_SCALED && !file->box.is_known)
        return bad_line(file, "scaled coordinates need the item BOX BOUNDS before them");
    return HOST_DONE;
}

/* ---- atoms */

static bool store_float(host_frame *frame, uint32_t row, const point_column *column, float value)
{
    float *values = frame->data[column->stream];
    values[(size_t)row * point_streams[column->stream].floats + column->component] = value;
    return true;
}

static bool fits(double value) { return !isfinite(value) || fabs(value) <= 3.4028235677973366e38; }

static int bad_word(const lammps_file *file, text_word word, const char *expected)
{
    return piece_error_at(file->piece, word.text, "\"%.*s\" is not %s",
                          (int)(word.length < 40 ? word.length : 40), word.text, expected);
}

static int store_word(const lammps_file *file, host_frame *frame, uint32_t row,
                      const lammps_column *column, text_word word, double scaled[3])
{
    float value;
    uint32_t id;
    if (column->is_id) {
        if (!text_parse_u32(word, &id) || id == 0)
            return bad_word(file, word, "the id of an atom, from 1");
        ((uint32_t *)frame->data[POINT_INDEX])[row] = id - 1;
        return HOST_DONE;
    }
    if (column->axis >= 0 && file->kind >= COORDINATE_SCALED)
        return text_parse_f64(word, &scaled[column->axis]) ? HOST_DONE
                                                           : bad_word(file, word, "a number");
    const char *expected = text_read_f32(word, &value);
    if (expected) return bad_word(file, word, expected);
    store_float(frame, row, column->column, value);
    return HOST_DONE;
}

static int store_scaled(const lammps_file *file, host_frame *frame, uint32_t row,
                        const double scaled[3])
{
    float *location = (float *)frame->data[POINT_LOCATION] + (size_t)row * 3;
    for (int k = 0; k < 3; k++) {
        double sum = file->box.origin[k];
        for (int e = 0; e < 3; e++) sum += scaled[e] * file->box.edges[e][k];
        if (!fits(sum))
            return bad_line(file, "a coordinate does not fit in 32 bits (at most 3.4e38)");
        location[k] = (float)sum;
    }
    return HOST_DONE;
}

static int read_atom(lammps_file *file, host_frame *frame, uint32_t row)
{
    text_word line, word;
    double scaled[3] = {0, 0, 0};
    int code = HOST_DONE;
    if (!text_take_line(&file->text, &line))
        return piece_error_line(file->piece, file->text.line,
                                "the file ends after %u of %lld atoms; it is incomplete", row,
                                (long long)file->count);
    for (size_t c = 0; c < file->column_count && !code; c++) {
        if (!text_take_word(&line, &word))
            return piece_error_line(file->piece, file->text.line - 1,
                                    "the row has %zu columns, expected %zu", c, file->column_count);
        if (file->columns[c].is_frame && row == 0) text_parse_i64(word, &file->piece->frame_number);
        if (file->columns[c].column)
            code = store_word(file, frame, row, &file->columns[c], word, scaled);
    }
    if (!code && file->kind >= COORDINATE_SCALED) code = store_scaled(file, frame, row, scaled);
    return code;
}

static int read_atoms(lammps_file *file, text_word rest, host_frame *frame)
{
    text_word line;
    uint64_t left = (uint64_t)(file->text.end - file->text.at) + 1;
    if (!file->has_step) return bad_line(file, "the item TIMESTEP is missing before the atoms");
    if (file->count < 0)
        return bad_line(file, "the item NUMBER OF ATOMS is missing before the atoms");
    int code = read_columns(file, rest);
    if (code) return code;
    /* Each value takes at least a digit and a blank */
    if ((uint64_t)file->count > left / (2 * file->column_count))
        return piece_error_line(
            file->piece, file->text.line,
            "%lld atoms are promised, but %llu bytes are left; the file is incomplete",
            (long long)file->count, (unsigned long long)left - 1);
    code = piece_frame(file->piece, frame, (uint64_t)file->count, file->streams);
    for (uint32_t row = 0; row < file->count && !code; row++) code = read_atom(file, frame, row);
    if (!code && text_ends_open(&file->text))
        return bad_line(file, "the last line has no end; the file is incomplete");
    while (!code && text_take_line(&file->text, &line))
        if (text_take_word(&line, &rest))
            return bad_line(file, "expected no row after the last atom");
    return code;
}

/* Reads one item after its title line; *done is set after the atoms. */
static int read_item(lammps_file *file, text_word title, host_frame *frame, bool *done)
{
    static const char atoms[] = "ITEM: ATOMS", box[] = "ITEM: BOX BOUNDS";
    text_word line, rest = title;
    if (text_is(title, "ITEM: TIMESTEP")) return read_step(file);
    if (text_is(title, "ITEM: NUMBER OF ATOMS")) return read_count(file);
    if (title.length >= sizeof box - 1 && memcmp(title.text, box, sizeof box - 1) == 0) {
        rest.text += sizeof box - 1, rest.length -= sizeof box - 1;
        return read_box(file, rest);
    }
    if (title.length >= sizeof atoms - 1 && memcmp(title.text, atoms, sizeof atoms - 1) == 0) {
        rest.text += sizeof atoms - 1, rest.length -= sizeof atoms - 1;
        *done = true;
        return read_atoms(file, rest, frame);
    }
    if (!text_is(title, "ITEM: UNITS") && !text_is(title, "ITEM: TIME"))
        return bad_line(
            file, "expected an item: TIMESTEP, NUMBER OF ATOMS, BOX BOUNDS, ATOMS, UNITS or TIME");
    return text_take_line(&file->text, &line) ? HOST_DONE : truncated(file, "an item");
}

int lammps_read(host_piece *piece, host_frame *frame)
{
    lammps_file file;
    text_word title;
    bool done = false;
    int code = HOST_DONE;
    memset(&file, 0, sizeof file);
    file.piece = piece;
    file.count = -1;
    file.text =
        (text_reader){(const char *)piece->bytes, (const char *)piece->bytes + piece->size, 0};
    while (!code && !done) {
        if (!text_take_line(&file.text, &title)) return truncated(&file, "the header of a frame");
        while (title.length && (title.text[title.length - 1] == ' ')) title.length--;
        code = read_item(&file, title, frame, &done);
    }
    return code;
}

/* ---- writing */

static void write_vector(FILE *stream, const host_frame *frame, uint32_t stream_number, uint32_t i)
{
    const float *values = frame->data[stream_number];
    size_t floats = point_streams[stream_number].floats;
    for (size_t k = 0; values && k < floats; k++)
        text_print_f32(stream, ' ', values[(size_t)i * floats + k]);
}

/* With a step between the frames, a column tells which frame a time step is. */
static void write_atoms(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    bool has_frame = sink->options.frame_step > 1;
    fprintf(stream, "ITEM: ATOMS id type x y z%s%s%s%s\n",
            frame->data[POINT_VELOCITY] ? " vx vy vz" : "",
            frame->data[POINT_ANGULAR] ? " omegax omegay omegaz" : "",
            frame->data[POINT_SIZE] ? " radius" : "", has_frame ? " frame" : "");
    for (uint32_t i = 0; i < frame->count; i++) {
        fprintf(stream, "%u 1", indices[i] + 1);
        write_vector(stream, frame, POINT_LOCATION, i);
        write_vector(stream, frame, POINT_VELOCITY, i);
        write_vector(stream, frame, POINT_ANGULAR, i);
        write_vector(stream, frame, POINT_SIZE, i);
        if (has_frame) fprintf(stream, " %lld", (long long)frame->number);
        fputc('\n', stream);
    }
}

int lammps_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    int64_t step = ((int64_t)frame->number - 1) * (sink->options.stride ? sink->options.stride : 1);
    if (step < 0)
        return host_error(
            HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
            "frame %.10g would be a time step below 0; the first frame is 1 (see --shift)",
            frame->number);
    if (frame->count && indices[frame->count - 1] == UINT32_MAX)
        return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                          "index 4294967295 is too high for an id");
    fprintf(stream, "ITEM: TIMESTEP\n%lld\nITEM: NUMBER OF ATOMS\n%u\nITEM: BOX BOUNDS ss ss ss\n",
            (long long)step, frame->count);
    /* LAMMPS readers require a box, and the frame has none */
    int code = numbered_write_box(sink, stream, frame);
    if (!code) write_atoms(stream, sink, frame);
    return code;
}
