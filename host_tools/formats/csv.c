/* SPDX-License-Identifier: MIT
   host_tools/formats/csv.c - CSV tables of points: meaning of the columns, and the writer.
   reads   -                               writes  text; "-" is standard output
   memory  one frame                       cost    O(bytes)
   after   own design */
#include "csv_private.h"
#include "../common/text.h"
#include "columns.h"
#include <stdlib.h>
#include <string.h>

const csv_column csv_columns[CSV_COLUMNS] = {
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
    {"wet_state", POINT_WET, CSV_STATE},
    {"r", POINT_PAINT, 0},
    {"g", POINT_PAINT, 1},
    {"b", POINT_PAINT, 2},
    {"a", POINT_PAINT, 3},
    {"displace", POINT_DISPLACE, 0},
    {"weight", POINT_WEIGHT, 0},
    {"wave_height", POINT_WAVE, 0},
    {"wave_velocity", POINT_WAVE, 1},
    {"wave_brush", POINT_WAVE, 2},
    {"wave_state", POINT_WAVE, CSV_STATE},
};
/* Points of a painted surface have no location; all other points need one. */
uint32_t csv_needed_streams(uint32_t streams)
{
    return POINT_BIT(POINT_INDEX) | (streams & POINT_SURFACES ? 0 : POINT_BIT(POINT_LOCATION));
}

size_t csv_value_at(const csv_column *column, size_t i)
{
    const point_stream *stream = &point_streams[column->stream];
    size_t component = column->component == CSV_STATE ? stream->floats : (size_t)column->component;
    return i * stream->bytes + component * sizeof(float);
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
}

int csv_column_named(text_word name)
{
    for (int c = 0; c < CSV_COLUMNS; c++) {
        size_t i = 0, length = strlen(csv_columns[c].name);
        if (name.length != length) continue;
        while (i < length && lower(name.text[i]) == csv_columns[c].name[i]) i++;
        if (i == length) return c;
    }
    return -1;
}

static int column_of(uint32_t stream, uint32_t component)
{
    for (int c = 0; c < CSV_COLUMNS; c++)
        if (csv_columns[c].stream == (int)stream && csv_columns[c].component == (int)component)
            return c;
    return -1;
}

/* velocity:0 as ParaView writes it, velocity_0, or a synonym such as radius. */
int csv_column_meant(text_word name)
{
    static const char points[] = "Points";
    uint32_t stream = POINT_LOCATION;
    const point_column *column = point_column_named(name.text, name.length);
    if (column) return column_of(column->stream, column->component);
    size_t length = name.length > 2 ? name.length - 2 : 0;
    char mark = length ? name.text[length] : 0, digit = length ? name.text[length + 1] : 0;
    bool is_part = (mark == ':' || mark == '_') && host_is_digit(digit);
    bool is_points =
        is_part && length == sizeof points - 1 && memcmp(name.text, points, length) == 0;
    if (is_part && (is_points || point_stream_named(name.text, length, &stream)))
        return column_of(stream, (uint32_t)(digit - '0'));
    bool is_whole = point_stream_named(name.text, name.length, &stream);
    return is_whole && (stream == POINT_INDEX || stream == POINT_SIZE) ? column_of(stream, 0) : -1;
}

/* ---- writing */

static bool is_written(const csv_column *column, uint32_t streams)
{
    return column->stream < 0 ||
           (streams | csv_needed_streams(streams)) & POINT_BIT(column->stream);
}

void csv_print_header(FILE *stream, uint32_t streams)
{
    for (int c = 0; c < CSV_COLUMNS; c++)
        if (is_written(&csv_columns[c], streams))
            fprintf(stream, "%s%s", c ? "," : "", csv_columns[c].name);
    fputc('\n', stream);
}

static size_t put_value(char *to, const host_frame *frame, uint32_t i, const csv_column *column)
{
    const uint8_t *values = frame->data[column->stream];
    float value;
    int16_t state;
    *to = ',';
    if (!values) return 1; /* this frame lacks a stream that other frames have: an empty field */
    memcpy(&value, values + csv_value_at(column, i), sizeof value);
    memcpy(&state, values + csv_value_at(column, i), sizeof state);
    return 1 + text_put_f32(to + 1, column->component == CSV_STATE ? (float)state : value);
}

/* Longest row: frame number, index, the other columns with their commas, the line end. */
#define NUMBER_MAX 32u
#define ROW_MAX    (NUMBER_MAX + 11u + CSV_COLUMNS * (1u + TEXT_F32_MAX) + 1u)

static size_t put_row(char *to, const char *number, const host_frame *frame, uint32_t i,
                      uint32_t streams)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    size_t used = (size_t)snprintf(to, ROW_MAX, "%s,%u", number, indices[i]);
    for (int c = CSV_INDEX + 1; c < CSV_COLUMNS; c++)
        if (is_written(&csv_columns[c], streams))
            used += put_value(to + used, frame, i, &csv_columns[c]);
    to[used++] = '\n';
    return used;
}

void csv_print_frame(FILE *stream, const host_frame *frame, uint32_t streams)
{
    char number[NUMBER_MAX], row[ROW_MAX];
    snprintf(number, sizeof number, "%.10g", frame->number);
    for (uint32_t i = 0; i < frame->count; i++)
        fwrite(row, 1, put_row(row, number, frame, i, streams), stream);
}

/* A frame without points: a row with its frame number alone. */
static size_t put_empty_row(char *to, const char *number, uint32_t streams)
{
    size_t used = (size_t)snprintf(to, ROW_MAX, "%s", number);
    for (int c = CSV_FRAME + 1; c < CSV_COLUMNS; c++)
        if (is_written(&csv_columns[c], streams)) to[used++] = ',';
    to[used++] = '\n';
    return used;
}

int csv_encode(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size)
{
    char number[NUMBER_MAX];
    size_t capacity = 64u * ROW_MAX, used = 0;
    char *text = malloc(capacity);
    snprintf(number, sizeof number, "%.10g", frame->number);
    for (uint32_t i = 0; text && i < frame->count; i++) {
        if (capacity - used < ROW_MAX) {
            char *longer = capacity > SIZE_MAX / 2 ? NULL : realloc(text, capacity *= 2);
            if (!longer) free(text);
            text = longer;
        }
        if (text) used += put_row(text + used, number, frame, i, sink->options.streams);
    }
    if (text && !frame->count) used = put_empty_row(text, number, sink->options.streams);
    *bytes = (uint8_t *)text;
    *size = used;
    return text ? HOST_DONE : host_out_of_memory("a frame");
}
