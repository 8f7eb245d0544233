/* SPDX-License-Identifier: MIT
   host_tools/formats/gsd_sink.c - writes GSD files: arrays frame by frame, then names, index and
           header.
   reads   host_frame                      writes  one file, when it is complete
   memory  32 bytes per array, 8 bytes per point    cost    O(points) per frame
   after   see gsd.h; version 2.0 of the file layer, version 1.4 of the schema */
#include "bytes.h"
#include "gsd.h"
#include <math.h>
#include <stdlib.h>

enum { VERSION = 0x20000, SCHEMA_VERSION = 0x10004, NAMES_ROOM = 4 };

typedef struct gsd_sink {
    host_output file;
    gsd_entry *entries;
    size_t count, room;
    uint64_t frames, at;                                /* frames and bytes written */
    uint32_t first_arrays, *first_indices, first_count; /* of the first frame */
    float most[3]; /* largest distance from the origin along each axis */
} gsd_sink;

/* Bytes of the index, the names or the header. */
static void put_bytes(gsd_sink *state, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, state->file.stream);
    state->at += size;
}

/* Appends an array of numbers with 32 bits, and its entry. */
static int put_array(gsd_sink *state, uint32_t array, const void *words, uint64_t rows,
                     uint32_t columns)
{
    gsd_entry *entries =
        host_lengthen(state->entries, state->count, &state->room, sizeof *state->entries);
    if (!entries) return host_out_of_memory("the index of a file");
    state->entries = entries;
    uint32_t wide = gsd_arrays[array].type == GSD_U64 ? 2u : 1u;
    entries[state->count++] = (gsd_entry){.frame = state->frames,
                                          .rows = rows,
                                          .location = state->at,
                                          .columns = columns,
                                          .id = (uint16_t)array,
                                          .type = gsd_arrays[array].type};
    bytes_write_words(state->file.stream, false, words, (size_t)(rows * columns * wide));
    state->at += rows * columns * wide * 4;
    return ferror(state->file.stream) ? host_not_written(state->file.name) : HOST_DONE;
}

/* ---- frames */

/* Arrays of the points in every frame: readers miss those that only some frames have. */
static bool has_array(const host_sink *sink, uint32_t array)
{
    uint32_t stream = gsd_arrays[array].stream;
    return stream == POINT_INDEX || (sink->options.streams >> stream & 1u);
}

/* The array of the first frame stands for one that a later frame lacks. */
static int put_indices(gsd_sink *state, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const size_t bytes = (size_t)frame->count * sizeof *indices;
    if (state->frames && frame->count == state->first_count &&
        memcmp(state->first_indices, indices, bytes) == 0)
        return HOST_DONE;
    if (!state->frames) {
        state->first_indices = host_allocate(frame->count, sizeof *indices);
        if (!state->first_indices) return host_out_of_memory("a frame");
        memcpy(state->first_indices, indices, bytes);
        state->first_count = frame->count;
    }
    return put_array(state, GSD_INDEX, indices, frame->count, 1);
}

static int put_diameters(gsd_sink *state, const host_frame *frame)
{
    const float *sizes = frame->data[POINT_SIZE];
    float *diameters = host_allocate(frame->count, sizeof *diameters);
    int code = diameters ? HOST_DONE : host_out_of_memory("a frame");
    for (uint32_t i = 0; i < frame->count && !code; i++) {
        diameters[i] = 2 * sizes[i];
        if (isinf(diameters[i]) && isfinite(sizes[i]))
            code = host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                              "a point of frame %.10g has the size %.9g, but .gsd holds diameters "
                              "up to 3.4e38; lower --scale",
                              frame->number, (double)sizes[i]);
    }
    if (!code) code = put_array(state, GSD_DIAMETER, diameters, frame->count, 1);
    free(diameters);
    return code;
}

/* A frame may lack an array that the first one lacks, too, if it is one of the schema. */
static int put_stream(gsd_sink *state, const host_frame *frame, uint32_t array)
{
    const void *words = frame->data[gsd_arrays[array].stream];
    const bool is_first = !state->frames, was_first = state->first_arrays >> array & 1u;
    if (!words && array < GSD_INDEX && !was_first) return HOST_DONE;
    if (!words || (array > GSD_INDEX && !is_first && !was_first))
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "frame %.10g %s %s, unlike the first one; --streams may choose those of "
                          "all frames",
                          frame->number, words ? "has" : "lacks",
                          point_streams[gsd_arrays[array].stream].name);
    if (is_first) state->first_arrays |= 1u << array;
    if (array == GSD_INDEX) return put_indices(state, frame);
    if (array == GSD_DIAMETER) return put_diameters(state, frame);
    return put_array(state, array, words, frame->count, gsd_arrays[array].columns);
}

static int put_streams(const host_sink *sink, const host_frame *frame)
{
    int code = HOST_DONE;
    for (uint32_t a = GSD_POSITION; a < GSD_ARRAYS && !code; a++)
        if (has_array(sink, a)) code = put_stream(sink->state, frame, a);
    return code;
}

/* A box around the origin that no point leaves, as the schema wants it. */
static void widen(gsd_sink *state, const host_frame *frame)
{
    const float *location = frame->data[POINT_LOCATION];
    for (uint32_t i = 0; location && i < frame->count; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            float distance = fabsf(location[(size_t)i * 3 + axis]);
            if (distance > state->most[axis] && distance < INFINITY) state->most[axis] = distance;
        }
}

static int put_step(const host_sink *sink, const host_frame *frame)
{
    gsd_sink *state = sink->state;
    int64_t step = ((int64_t)frame->number - 1) * (sink->options.stride ? sink->options.stride : 1);
    if (step < 0)
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "frame %.10g would be time step %lld; the first frame is 1 (see --shift)",
                          frame->number, (long long)step);
    /* the words of a number in the order of the file; bytes_write_words orders each */
    uint32_t words[2] = {(uint32_t)(uint64_t)step, (uint32_t)((uint64_t)step >> 32)};
    return put_array(state, GSD_STEP, words, 1, 1);
}

int gsd_create(host_sink *sink, const char *path)
{
    static const uint8_t head[GSD_HEAD_BYTES];
    gsd_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a file of frames");
    sink->state = state;
    int code = host_output_open(&state->file, path);
    if (!code && (code = host_output_goes_back(&state->file)) != HOST_DONE)
        host_output_close(&state->file, false);
    if (!code) {
        put_bytes(state, head, sizeof head);
    } else {
        free(state);
        sink->state = NULL;
    }
    return code;
}

int gsd_write(host_sink *sink, const host_frame *frame)
{
    static const float box[6];
    gsd_sink *state = sink->state;
    int code = host_guard_check(state->file.name);
    if (!code) code = put_step(sink, frame);
    if (!code && !state->frames) code = put_array(state, GSD_BOX, box, 6, 1);
    if (!code) code = put_array(state, GSD_COUNT, &frame->count, 1, 1);
    if (!code) code = put_streams(sink, frame);
    if (code) return code;
    widen(state, frame);
    state->frames++;
    return HOST_DONE;
}

/* ---- the end of the file */

/* The number of an array among the names, which are those of the arrays that were written. */
static uint16_t name_of(const host_sink *sink, uint32_t array)
{
    uint16_t id = 0;
    for (uint32_t a = 0; a < array; a++)
        id = (uint16_t)(id + (a < GSD_POSITION || has_array(sink, a)));
    return id;
}

static void put_names(const host_sink *sink)
{
    gsd_sink *state = sink->state;
    char names[NAMES_ROOM * GSD_NAME_BYTES] = {0};
    size_t at = 0;
    for (uint32_t a = 0; a < GSD_ARRAYS; a++) {
        if (a >= GSD_POSITION && !has_array(sink, a)) continue;
        size_t length = strlen(gsd_arrays[a].name) + 1;
        memcpy(names + at, gsd_arrays[a].name, length);
        at += length;
    }
    put_bytes(state, names, sizeof names);
}

static void put_index(const host_sink *sink)
{
    gsd_sink *state = sink->state;
    for (size_t i = 0; i < state->count; i++) {
        const gsd_entry *entry = &state->entries[i];
        uint8_t bytes[GSD_ENTRY_BYTES] = {0};
        bytes_store(bytes, 8, false, entry->frame);
        bytes_store(bytes + 8, 8, false, entry->rows);
        bytes_store(bytes + 16, 8, false, entry->location);
        bytes_store(bytes + 24, 4, false, entry->columns);
        bytes_store(bytes + 28, 2, false, name_of(sink, entry->id));
        bytes[30] = entry->type;
        put_bytes(state, bytes, sizeof bytes);
    }
}

static void put_head(gsd_sink *state, uint64_t names_at, uint64_t index_at)
{
    uint8_t head[GSD_HEAD_BYTES] = {0};
    bytes_store(head, 8, false, GSD_MAGIC);
    bytes_store(head + GSD_AT_INDEX, 8, false, index_at);
    bytes_store(head + GSD_AT_INDEX_ROOM, 8, false, state->count);
    bytes_store(head + GSD_AT_NAMES, 8, false, names_at);
    bytes_store(head + GSD_AT_NAMES_ROOM, 8, false, NAMES_ROOM);
    bytes_store(head + GSD_AT_SCHEMA_VERSION, 4, false, SCHEMA_VERSION);
    bytes_store(head + GSD_AT_VERSION, 4, false, VERSION);
    memcpy(head + GSD_AT_APPLICATION, "tidepool", 8);
    memcpy(head + GSD_AT_SCHEMA, "hoomd", 5);
    fwrite(head, 1, sizeof head, state->file.stream);
}

/* The box follows the step of the first frame: one number of 64 bits. */
static bool put_box(const gsd_sink *state)
{
    float box[6] = {0};
    for (uint32_t axis = 0; axis < 3; axis++)
        box[axis] = state->most[axis] > 0 ? 2 * state->most[axis] : 1;
    if (fseeko(state->file.stream, (off_t)state->entries[1].location, SEEK_SET) != 0) return false;
    bytes_write_words(state->file.stream, false, box, 6);
    return true;
}

int gsd_finish(host_sink *sink)
{
    gsd_sink *state = sink->state;
    int code = host_sink_check_frames(state->file.name, state->frames);
    uint64_t names_at = state->at;
    if (!code) {
        put_names(sink);
        uint64_t index_at = state->at;
        put_index(sink);
        bool is_good = put_box(state) && fseeko(state->file.stream, 0, SEEK_SET) == 0;
        if (is_good) put_head(state, names_at, index_at);
        if (!is_good || ferror(state->file.stream)) code = host_not_written(state->file.name);
    }
    int closed = host_output_close(&state->file, !code);
    free(state->entries);
    free(state->first_indices);
    free(state);
    sink->state = NULL;
    return code ? code : closed;
}

void gsd_abandon(host_sink *sink)
{
    gsd_sink *state = sink->state;
    host_output_close(&state->file, false);
    free(state->entries);
    free(state->first_indices);
    free(state);
    sink->state = NULL;
}
