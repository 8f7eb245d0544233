/* SPDX-License-Identifier: MIT
   host_tools/formats/vertex_cache_sink.c - writes .pc2 and .mdd: samples in order, the header last.
   reads   host_frame                      writes  one file, when it is complete
   memory  4 bytes per frame; one frame of vertices    cost    O(vertices) per frame
   after   see vertex_cache.h */
#include "vertex_cache.h"
#include "bytes.h"
#include <stdlib.h>

#define PC2_HEAD_BYTES 32u
#define MDD_HEAD_BYTES 8u

typedef struct vertex_sink {
    host_output file;
    bool is_mdd;
    uint32_t vertices;
    size_t count;         /* samples written so far */
    size_t announced;     /* capacity of the table of times in an .mdd */
    double first, latest; /* frame numbers */
    double step;          /* frames from one sample to the next; 0: not yet known */
    uint8_t *times;       /* the table of an .mdd, as stored */
} vertex_sink;

static void free_sink(host_sink *sink)
{
    vertex_sink *state = sink->state;
    free(state->times);
    free(state);
    sink->state = NULL;
}

/* Reserves the space of the header. An error for a pipe, which cannot seek back to it. */
static int skip_head(vertex_sink *state)
{
    uint8_t zeros[PC2_HEAD_BYTES] = {0};
    size_t head = state->is_mdd ? MDD_HEAD_BYTES : PC2_HEAD_BYTES;
    int code = host_output_goes_back(&state->file);
    if (code) return code;
    bool good = fwrite(zeros, 1, head, state->file.stream) == head;
    if (good && state->is_mdd)
        good = fwrite(state->times, 4, state->announced, state->file.stream) == state->announced;
    return good ? HOST_DONE : host_not_written(state->file.name);
}

static int create(host_sink *sink, const char *path, bool is_mdd)
{
    vertex_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a vertex cache");
    sink->state = state;
    state->is_mdd = is_mdd;
    state->announced = sink->options.write_count;
    state->times = host_allocate(is_mdd ? state->announced : 0, 4);
    int code = state->times ? host_output_open(&state->file, path)
                            : host_out_of_memory("the times of samples");
    if (!code) {
        code = skip_head(state);
        if (code) host_output_close(&state->file, false);
    }
    if (code) free_sink(sink);
    return code;
}

int pc2_create(host_sink *sink, const char *path) { return create(sink, path, false); }
int mdd_create(host_sink *sink, const char *path) { return create(sink, path, true); }

/* ---- frames */

static int check_vertices(const host_sink *sink, vertex_sink *state, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (!state->count) state->vertices = frame->count;
    bool is_running =
        frame->count && indices[0] == 0 && indices[frame->count - 1] == frame->count - 1;
    if (is_running && frame->count == state->vertices && frame->count <= INT32_MAX &&
        frame->data[POINT_LOCATION])
        return HOST_DONE;
    return host_error(
        HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
        "frame %.10g has %u points, but .%s needs the same points, numbered from 0 without a gap, "
        "in every frame; --frames A-B may choose frames that have them",
        frame->number, frame->count, sink->format->name);
}

/* The samples of a .pc2 are evenly spaced; those of an .mdd need not be. */
static int check_time(vertex_sink *state, const host_frame *frame)
{
    double step = frame->number - state->latest;
    if (!state->count) {
        state->first = state->latest = frame->number;
        return HOST_DONE;
    }
    if (state->count == 1) state->step = step;
    state->latest = frame->number;
    if (state->is_mdd || step == state->step) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                      "frame %.10g comes %.9g frames after the one before it, the others %.9g, but "
                      "the samples of a "
                      ".pc2 are evenly spaced; --step 1 interpolates what is missing",
                      frame->number, step, state->step);
}

static double seconds_of(const host_sink *sink, double number)
{
    return (number - 1) / (sink->options.fps > 0 ? sink->options.fps : VERTEX_CACHE_FPS);
}

int vertex_cache_write(host_sink *sink, const host_frame *frame)
{
    vertex_sink *state = sink->state;
    int code = host_guard_check(state->file.name);
    if (!code) code = check_vertices(sink, state, frame);
    if (!code) code = check_time(state, frame);
    if (!code && state->is_mdd && state->count == state->announced)
        code = host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "frame %.10g is one more than the %zu frames expected", frame->number,
                          state->announced);
    if (code) return code;
    size_t floats = (size_t)frame->count * 3;
    const float *location = frame->data[POINT_LOCATION];
    uint8_t *bytes = host_allocate(floats, 4);
    if (!bytes) return host_out_of_memory("a frame");
    for (size_t i = 0; i < floats; i++) bytes_store_f32(bytes + 4 * i, state->is_mdd, location[i]);
    if (state->is_mdd)
        bytes_store_f32(state->times + 4 * state->count, true,
                        (float)seconds_of(sink, frame->number));
    bool good = fwrite(bytes, 4, floats, state->file.stream) == floats;
    free(bytes);
    state->count++;
    return good ? HOST_DONE : host_not_written(state->file.name);
}

static int write_head(vertex_sink *state)
{
    uint8_t head[PC2_HEAD_BYTES] = "POINTCACHE2";
    size_t size = state->is_mdd ? MDD_HEAD_BYTES : PC2_HEAD_BYTES;
    if (state->is_mdd) {
        bytes_store(head, 4, true, (uint32_t)state->count);
        bytes_store(head + 4, 4, true, state->vertices);
    } else {
        bytes_store(head + 12, 4, false, 1);
        bytes_store(head + 16, 4, false, state->vertices);
        bytes_store_f32(head + 20, false, (float)state->first);
        bytes_store_f32(head + 24, false, state->step > 0 ? (float)state->step : 1.0f);
        bytes_store(head + 28, 4, false, (uint32_t)state->count);
    }
    bool good = fseeko(state->file.stream, 0, SEEK_SET) == 0 &&
                fwrite(head, 1, size, state->file.stream) == size &&
                (!state->is_mdd ||
                 fwrite(state->times, 4, state->count, state->file.stream) == state->count);
    return good ? HOST_DONE : host_not_written(state->file.name);
}

int vertex_cache_finish(host_sink *sink)
{
    vertex_sink *state = sink->state;
    int code = HOST_DONE;
    if (!state->count || state->count > INT32_MAX ||
        (state->is_mdd && state->count != state->announced))
        code = host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "%zu frames were written, expected %zu", state->count, state->announced);
    if (!code) code = write_head(state);
    int closed = host_output_close(&state->file, !code);
    free_sink(sink);
    return code ? code : closed;
}

void vertex_cache_abandon(host_sink *sink)
{
    vertex_sink *state = sink->state;
    host_output_close(&state->file, false);
    free_sink(sink);
}
