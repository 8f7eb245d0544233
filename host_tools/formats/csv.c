/* SPDX-License-Identifier: MIT
   host_tools/formats/csv.c - tables of points: reads a whole table in any order of rows and columns, writes frame by frame.
   reads   text, "-" is standard input     writes  text, "-" is standard output
   memory  reading 32 bytes and the values of each row    cost    O(bytes), O(rows log rows) when rows are out of order
   after   own design; what a table holds beyond the known columns is left out, with a note */
#include "csv.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv_column {
    const char *name;
    int stream;    /* -1: the frame number */
    int component; /* of the stream's element; STATE: the i16 behind its floats */
} csv_column;
enum { STATE = -1 };

/* In the order in which they are written. */
static const csv_column columns[] = {
    {"frame", -1, 0},
    {"index", POINT_INDEX, 0},
    {"x", POINT_LOCATION, 0},
    {"y", POINT_LOCATION, 1},
    {"z", POINT_LOCATION, 2},
    {"vx", POINT_VELOCITY, 0},
    {"vy", POINT_VELOCITY, 1},
    {"vz", POINT_VELOCITY, 2},
    {"rw", POINT_ROTATION, 0},
    {"rx", POINT_ROTATION, 1},
    {"ry", POINT_ROTATION, 2},
    {"rz", POINT_ROTATION, 3},
    {"ax", POINT_ANGULAR, 0},
    {"ay", POINT_ANGULAR, 1},
    {"az", POINT_ANGULAR, 2},
    {"size", POINT_SIZE, 0},
    {"birth", POINT_TIMES, 0},
    {"die", POINT_TIMES, 1},
    {"life", POINT_TIMES, 2},
    {"wet_r", POINT_WET, 0},
    {"wet_g", POINT_WET, 1},
    {"wet_b", POINT_WET, 2},
    {"wet_a", POINT_WET, 3},
    {"wetness", POINT_WET, 4},
    {"wet_state", POINT_WET, STATE},
    {"r", POINT_PAINT, 0},
    {"g", POINT_PAINT, 1},
    {"b", POINT_PAINT, 2},
    {"a", POINT_PAINT, 3},
    {"displace", POINT_DISPLACE, 0},
    {"weight", POINT_WEIGHT, 0},
    {"wave_height", POINT_WAVE, 0},
    {"wave_velocity", POINT_WAVE, 1},
    {"wave_brush", POINT_WAVE, 2},
    {"wave_state", POINT_WAVE, STATE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], FIELDS_MAX = 256, FRAME_COLUMN = 0, INDEX_COLUMN = 1 };

/* Points of a painted surface have no location of their own. */
static uint32_t needed_streams(uint32_t streams)
{
    return POINT_BIT(POINT_INDEX) | (streams & POINT_SURFACES ? 0 : POINT_BIT(POINT_LOCATION));
}

/* Where the value of a column lies in the i-th element of its stream. */
static size_t value_at(const csv_column *column, size_t i)
{
    const point_stream *stream = &point_streams[column->stream];
    size_t component = column->component == STATE ? stream->floats : (size_t)column->component;
    return i * stream->bytes + component * sizeof(float);
}

/* A row; its values stay at their place in the table when rows are sorted. */
typedef struct csv_row {
    int32_t frame;
    uint32_t index;
    uint32_t streams; /* those whose fields are not empty */
    uint64_t line;
    size_t place;
} csv_row;

typedef struct csv_table {
    csv_row *rows;
    float *values; /* COLUMNS a row */
    size_t count, room;
    size_t *first; /* row of each frame, and the count at the end */
} csv_table;

/* A field of a line, without blanks and quotes around it. */
typedef struct csv_field {
    const char *text;
    size_t length;
} csv_field;

typedef struct csv_reader {
    const char *path;
    const char *at, *end;
    uint64_t line;
    int column_of[FIELDS_MAX]; /* of each field; -1: not known, left out */
    size_t field_count;
    csv_field fields[FIELDS_MAX];
    uint32_t streams; /* of the header */
} csv_reader;

/* ---- writing */

static bool is_written(const csv_column *column, uint32_t streams)
{
    return column->stream < 0 || (streams | needed_streams(streams)) & POINT_BIT(column->stream);
}

void csv_print_header(FILE *stream, uint32_t streams)
{
    for (int c = 0; c < COLUMNS; c++)
        if (is_written(&columns[c], streams)) fprintf(stream, "%s%s", c ? "," : "", columns[c].name);
    fputc('\n', stream);
}

static void print_value(FILE *stream, const host_frame *frame, uint32_t i, const csv_column *column)
{
    const uint8_t *values = frame->data[column->stream];
    float value;
    int16_t state;
    if (!values) return; /* the frame lacks a stream that others have: an empty field */
    memcpy(&value, values + value_at(column, i), sizeof value);
    memcpy(&state, values + value_at(column, i), sizeof state);
    fprintf(stream, "%.9g", column->component == STATE ? (double)state : (double)value);
}

void csv_print_frame(FILE *stream, const host_frame *frame, uint32_t streams)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; i < frame->count; i++) {
        fprintf(stream, "%.9g,%u", frame->number, indices[i]);
        for (int c = INDEX_COLUMN + 1; c < COLUMNS; c++) {
            if (!is_written(&columns[c], streams)) continue;
            fputc(',', stream);
            print_value(stream, frame, i, &columns[c]);
        }
        fputc('\n', stream);
    }
}

/* The header line waits for the first frame, so that an input that cannot be read leaves standard output empty. */
typedef struct csv_output {
    host_output file;
    bool has_header;
} csv_output;

int csv_create(host_sink *sink, const char *path)
{
    csv_output *output = host_allocate(1, sizeof *output);
    int code = output ? host_output_open(&output->file, path) : host_no_room("a table");
    if (code)
        free(output);
    else
        sink->state = output;
    return code;
}

static void need_header(const host_sink *sink, csv_output *output)
{
    if (!output->has_header) csv_print_header(output->file.stream, sink->options.streams);
    output->has_header = true;
}

int csv_encode(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (!stream) return host_no_room("a frame");
    csv_print_frame(stream, frame, sink->options.streams);
    bool good = !ferror(stream);
    good = fclose(stream) == 0 && good;
    *bytes = (uint8_t *)text;
    if (good && text) return HOST_DONE;
    free(text);
    *bytes = NULL;
    return host_no_room("a frame");
}

int csv_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size)
{
    csv_output *output = sink->state;
    int code = host_guard_check(output->file.path);
    if (code) return code;
    need_header(sink, output);
    fwrite(bytes, 1, size, output->file.stream);
    if (!ferror(output->file.stream)) return HOST_DONE;
    return host_error(HOST_IO, output->file.path ? output->file.path : "standard output", HOST_NO_OFFSET,
                      "cannot write frame %.9g: is the disk full?", frame->number);
}

static int close_output(host_sink *sink, bool keep)
{
    csv_output *output = sink->state;
    if (keep) need_header(sink, output);
    int code = host_output_close(&output->file, keep);
    free(output);
    sink->state = NULL;
    return code;
}

int csv_finish(host_sink *sink) { return close_output(sink, true); }
void csv_abandon(host_sink *sink) { close_output(sink, false); }

/* ---- fields of a line */

bool csv_recognises(const uint8_t *start, size_t size)
{
    const char *text = (const char *)start;
    if (size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    return size >= 6 && memcmp(text, "frame,", 6) == 0;
}

static csv_field trim(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    if (end - start >= 2 && *start == '"' && end[-1] == '"') start++, end--;
    return (csv_field){start, (size_t)(end - start)};
}

/* Splits the next line that is not empty; false at the end of the text. Surplus fields are counted, not kept. */
static bool next_line(csv_reader *reader)
{
    while (reader->at < reader->end) {
        const char *start = reader->at, *stop = memchr(start, '\n', (size_t)(reader->end - start));
        if (!stop) stop = reader->end;
        reader->at = stop < reader->end ? stop + 1 : stop;
        reader->line++;
        if (trim(start, stop).length == 0) continue;
        reader->field_count = 0;
        for (const char *comma; start <= stop; start = comma + 1) {
            comma = memchr(start, ',', (size_t)(stop - start));
            if (!comma) comma = stop;
            if (reader->field_count < FIELDS_MAX) reader->fields[reader->field_count] = trim(start, comma);
            reader->field_count++;
        }
        return true;
    }
    return false;
}

static int bad_field(const csv_reader *reader, size_t field, const char *expected)
{
    const csv_field *found = &reader->fields[field];
    int shown = (int)(found->length < 40 ? found->length : 40);
    return host_error(HOST_BAD_INPUT, reader->path, reader->line, "column %s is \"%.*s\", expected %s",
                      columns[reader->column_of[field]].name, shown, found->text, expected);
}

/* ---- the header line */

static int column_named(const csv_field *field)
{
    for (int c = 0; c < COLUMNS; c++)
        if (strlen(columns[c].name) == field->length &&
            strncmp(columns[c].name, field->text, field->length) == 0)
            return c;
    return -1;
}

/* A painted surface has its values only: where its points are is known to its mesh. */
static void drop_motion(csv_reader *reader)
{
    uint32_t kept = POINT_SURFACES | POINT_BIT(POINT_INDEX), dropped = reader->streams & ~kept;
    for (size_t f = 0; f < reader->field_count; f++) {
        int c = reader->column_of[f];
        if (c >= 0 && columns[c].stream >= 0 && !(kept & POINT_BIT(columns[c].stream)))
            reader->column_of[f] = -1;
    }
    if (dropped)
        host_note(reader->path, reader->line,
                  "columns of location and motion are left out: a painted surface has "
                  "none");
    reader->streams &= kept;
}

/* A surface is of one kind: paint, displace, weight or wave. */
static int check_surface(const csv_reader *reader)
{
    uint32_t found = reader->streams & POINT_SURFACES, paint = POINT_BIT(POINT_WET) | POINT_BIT(POINT_PAINT);
    if (found == 0 || found == paint || (!(found & (found - 1)) && !(found & paint))) return HOST_DONE;
    return host_error(
        HOST_BAD_INPUT, reader->path, reader->line,
        "the columns are of several kinds of painted surfaces, or of half of one; expected wet_r to a "
        "(paint), displace, weight, or wave_height to wave_state");
}

/* Columns of a stream come together or not at all. */
static int check_columns(csv_reader *reader, const bool present[COLUMNS])
{
    reader->streams = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (present[c] && columns[c].stream >= 0) reader->streams |= POINT_BIT(columns[c].stream);
    reader->streams |= needed_streams(reader->streams);
    if (reader->streams & POINT_SURFACES) drop_motion(reader);
    for (int c = 0; c < COLUMNS; c++) {
        if (present[c] || (columns[c].stream >= 0 && !(reader->streams & POINT_BIT(columns[c].stream))))
            continue;
        return host_error(
            HOST_BAD_INPUT, reader->path, reader->line,
            "column %s is missing; the header needs frame,index,x,y,z and of vx,vy,vz / rw,rx,ry,rz / "
            "ax,ay,az / birth,die,life all or none",
            columns[c].name);
    }
    return check_surface(reader);
}

static int read_header(csv_reader *reader)
{
    bool present[COLUMNS] = {false};
    if (reader->end - reader->at >= 3 && memcmp(reader->at, "\xef\xbb\xbf", 3) == 0) reader->at += 3;
    if (!next_line(reader))
        return host_error(HOST_BAD_INPUT, reader->path, 1,
                          "the table is empty, expected a header line: frame,index,x,y,z,...");
    if (reader->field_count > FIELDS_MAX)
        return host_error(HOST_BAD_INPUT, reader->path, reader->line, "%zu columns, expected at most %d",
                          reader->field_count, FIELDS_MAX);
    for (size_t f = 0; f < reader->field_count; f++) {
        const csv_field *field = &reader->fields[f];
        int shown = (int)(field->length < 40 ? field->length : 40), c = column_named(field);
        reader->column_of[f] = c;
        if (c >= 0 && present[c])
            return host_error(HOST_BAD_INPUT, reader->path, reader->line, "column %s is there twice",
                              columns[c].name);
        if (c >= 0)
            present[c] = true;
        else
            host_note(reader->path, reader->line, "column \"%.*s\" is not known and left out", shown,
                      field->text);
    }
    return check_columns(reader, present);
}

/* ---- rows */

static int parse_whole(const csv_reader *reader, size_t field, csv_row *row)
{
    char text[16];
    const csv_field *found = &reader->fields[field];
    bool is_frame = reader->column_of[field] == FRAME_COLUMN;
    if (found->length < sizeof text) {
        memcpy(text, found->text, found->length);
        text[found->length] = 0;
        if (is_frame ? host_parse_i32(text, &row->frame) : host_parse_u32(text, &row->index))
            return HOST_DONE;
    }
    return bad_field(reader, field, is_frame ? "a whole number" : "a whole number from 0 to 4294967295");
}

/* Correctly rounded by the C library, so that 9 digits give back the bits. The text ends in a comma, a line end or
   the zero byte behind the file. */
static int parse_float(const csv_reader *reader, size_t field, float *value)
{
    char *end;
    const csv_field *found = &reader->fields[field];
    *value = strtof(found->text, &end);
    if (end != found->text + found->length) return bad_field(reader, field, "a number");
    bool is_state = columns[reader->column_of[field]].component == STATE;
    if (is_state && !(*value >= INT16_MIN && *value <= INT16_MAX && *value == floorf(*value)))
        return bad_field(reader, field, "a whole number from -32768 to 32767");
    if (isinf(*value) && !strchr("iI", found->text[*found->text == '-' || *found->text == '+']))
        return bad_field(reader, field, "a number that fits in 32 bits (at most 3.4e38)");
    return HOST_DONE;
}

static int read_fields(const csv_reader *reader, csv_row *row, float *values)
{
    uint32_t empty = 0;
    row->streams = 0;
    for (size_t f = 0; f < reader->field_count; f++) {
        int c = reader->column_of[f], code = HOST_DONE;
        if (c < 0) continue;
        bool needed = columns[c].stream < 0 || needed_streams(reader->streams) & POINT_BIT(columns[c].stream);
        if (!reader->fields[f].length && needed) return bad_field(reader, f, "a number");
        if (!reader->fields[f].length) {
            empty |= POINT_BIT(columns[c].stream);
            continue;
        }
        if (c <= INDEX_COLUMN)
            code = parse_whole(reader, f, row);
        else
            code = parse_float(reader, f, &values[c]);
        if (code) return code;
        if (c != FRAME_COLUMN) row->streams |= POINT_BIT(columns[c].stream);
    }
    for (size_t f = 0; f < reader->field_count && empty & row->streams; f++) {
        int c = reader->column_of[f];
        if (c >= 0 && !reader->fields[f].length)
            return bad_field(reader, f, "a number, as in the columns that belong to it");
    }
    return HOST_DONE;
}

static bool make_room(csv_table *table)
{
    if (table->count < table->room) return true;
    size_t room = table->room ? table->room * 2 : 4096;
    csv_row *rows = realloc(table->rows, room * sizeof *rows);
    if (rows) table->rows = rows;
    float *values = realloc(table->values, room * COLUMNS * sizeof *values);
    if (values) table->values = values;
    if (rows && values) table->room = room;
    return rows && values;
}

static int read_rows(csv_reader *reader, csv_table *table)
{
    size_t header_fields = reader->field_count;
    while (next_line(reader)) {
        if (reader->field_count != header_fields)
            return host_error(HOST_BAD_INPUT, reader->path, reader->line,
                              "the row has %zu fields, the header %zu", reader->field_count, header_fields);
        if (!make_room(table)) return host_no_room("a table");
        csv_row *row = &table->rows[table->count];
        row->line = reader->line;
        row->place = table->count;
        int code = read_fields(reader, row, table->values + table->count * COLUMNS);
        if (code) return code;
        table->count++;
    }
    return HOST_DONE;
}

/* ---- from rows to frames */

static int compare_rows(const void *a, const void *b)
{
    const csv_row *left = a, *right = b;
    if (left->frame != right->frame) return left->frame < right->frame ? -1 : 1;
    if (left->index != right->index) return left->index < right->index ? -1 : 1;
    return (left->line > right->line) - (left->line < right->line);
}

static void sort_rows(csv_table *table)
{
    for (size_t i = 1; i < table->count; i++) {
        if (compare_rows(&table->rows[i - 1], &table->rows[i]) <= 0) continue;
        qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
        return;
    }
}

static int check_rows(const char *path, const csv_table *table)
{
    for (size_t i = 1; i < table->count; i++) {
        const csv_row *before = &table->rows[i - 1], *row = &table->rows[i];
        if (before->frame != row->frame) continue;
        if (before->index == row->index)
            return host_error(HOST_BAD_INPUT, path, row->line,
                              "frame %d has index %u a second time; the first is in line %llu",
                              (int)row->frame, row->index, (unsigned long long)before->line);
        if (before->streams != row->streams)
            return host_error(
                HOST_BAD_INPUT, path, row->line,
                "the row has empty fields where line %llu of the same frame has numbers, or the reverse",
                (unsigned long long)before->line);
    }
    return HOST_DONE;
}

static int find_frames(host_sequence *sequence, csv_table *table)
{
    size_t frames = 0;
    for (size_t i = 0; i < table->count; i++)
        frames += i == 0 || table->rows[i].frame != table->rows[i - 1].frame;
    if (frames > UINT32_MAX || table->count > UINT32_MAX) return host_no_room("a table");
    table->first = host_allocate(frames + 1, sizeof *table->first);
    sequence->numbers = host_allocate(frames, sizeof *sequence->numbers);
    if (!table->first || !sequence->numbers) return host_no_room("a table");
    for (size_t i = 0; i < table->count; i++) {
        const csv_row *row = &table->rows[i];
        if (row->index < UINT32_MAX && row->index >= sequence->point_count)
            sequence->point_count = row->index + 1;
        sequence->streams |= row->streams;
        if (i && row->frame == row[-1].frame) continue;
        table->first[sequence->frame_count] = i;
        sequence->numbers[sequence->frame_count++] = row->frame;
    }
    table->first[frames] = table->count;
    return HOST_DONE;
}

static int take_names(host_sequence *sequence, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    size_t length = dot && dot > file ? (size_t)(dot - file) : strlen(file);
    bool is_stream = strcmp(path, "-") == 0;
    sequence->folder =
        slash ? host_text("%.*s", (int)(slash > path ? slash - path : 1), path) : host_text(".");
    sequence->name = is_stream ? host_text("cache") : host_text("%.*s", (int)length, file);
    sequence->suffix = host_text("%s", "");
    return sequence->folder && sequence->name && sequence->suffix ? HOST_DONE : host_no_room("a path");
}

int csv_open(host_sequence *sequence, const char *path)
{
    uint8_t *bytes;
    size_t size;
    csv_table *table = host_allocate(1, sizeof *table);
    csv_reader *reader = host_allocate(1, sizeof *reader);
    sequence->state = table;
    sequence->type = POINT_PARTICLES;
    int code = table && reader ? take_names(sequence, path) : host_no_room("a table");
    if (!code) code = host_read_file(path, &bytes, &size);
    if (!code) {
        sequence->byte_count = size;
        reader->path = strcmp(path, "-") == 0 ? "standard input" : path;
        reader->at = (const char *)bytes;
        reader->end = reader->at + size;
        code = read_header(reader);
        if (!code) code = read_rows(reader, table);
        free(bytes);
        if (!code) sort_rows(table);
        if (!code) code = check_rows(reader->path, table);
        if (!code) code = find_frames(sequence, table);
        if (!code && reader->streams & POINT_SURFACES) sequence->type = POINT_DYNAMIC_PAINT;
        if (!code && !table->count) sequence->streams = reader->streams;
    }
    free(reader);
    return code;
}

int csv_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    const csv_table *table = sequence->state;
    const csv_row *rows = table->rows + table->first[position];
    uint32_t count = (uint32_t)(table->first[position + 1] - table->first[position]);
    if (!host_frame_allocate(frame, count, rows->streams)) return host_no_room("a frame");
    frame->number = sequence->numbers[position];
    uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; i < count; i++) {
        const float *values = table->values + rows[i].place * COLUMNS;
        indices[i] = rows[i].index;
        for (int c = INDEX_COLUMN + 1; c < COLUMNS; c++) {
            uint8_t *to = frame->data[columns[c].stream];
            int16_t state = columns[c].component == STATE ? (int16_t)values[c] : 0;
            if (to && columns[c].component == STATE)
                memcpy(to + value_at(&columns[c], i), &state, sizeof state);
            else if (to)
                memcpy(to + value_at(&columns[c], i), &values[c], sizeof values[c]);
        }
    }
    return HOST_DONE;
}

void csv_close(host_sequence *sequence)
{
    csv_table *table = sequence->state;
    if (!table) return;
    free(table->rows);
    free(table->values);
    free(table->first);
    free(table);
    sequence->state = NULL;
}
