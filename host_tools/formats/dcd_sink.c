/* SPDX-License-Identifier: MIT
   host_tools/formats/dcd_sink.c - writes DCD trajectories: frames in order, their number last.
   reads   host_frame                      writes  one file, when it is complete
   memory  4 bytes per point               cost    O(points) per frame
   after   see dcd.h; as CHARMM 24, little-endian, with a cell of zeros, which readers expect */
#include "bytes.h"
#include "dcd.h"
#include <stdlib.h>

enum { TITLE_BYTES = 80, TITLES = 2, CELL_BYTES = 48, NUMBERS = 20 };

typedef struct dcd_sink {
    host_output file;
    uint32_t points, count; /* of each frame; frames written */
    double first, last, step;
} dcd_sink;

static void put_number(FILE *stream, int64_t number)
{
    uint32_t word = (uint32_t)number;
    bytes_write_words(stream, false, &word, 1);
}

/* The time step of the first frame, and those between two frames. */
static int64_t first_step(const host_sink *sink)
{
    const dcd_sink *state = sink->state;
    return ((int64_t)state->first - 1) * (sink->options.stride ? sink->options.stride : 1);
}

static int64_t steps_apart(const host_sink *sink)
{
    const dcd_sink *state = sink->state;
    return (int64_t)(state->step > 0 ? state->step : 1) *
           (sink->options.stride ? sink->options.stride : 1);
}

static int check_steps(const host_sink *sink)
{
    const dcd_sink *state = sink->state;
    int64_t first = first_step(sink), apart = steps_apart(sink);
    if (first < 0 || first > INT32_MAX)
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "frame %.10g would be time step %lld, but .dcd holds 0 to %d; %s",
                          state->first, (long long)first, INT32_MAX,
                          first < 0 ? "the first frame is 1 (see --shift)" : "lower --stride");
    if (apart > INT32_MAX)
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "%lld time steps between two frames, but .dcd holds at most %d; lower "
                          "--stride",
                          (long long)apart, INT32_MAX);
    return HOST_DONE;
}

static int put_head(const host_sink *sink)
{
    const dcd_sink *state = sink->state;
    FILE *stream = state->file.stream;
    int64_t numbers[NUMBERS] = {state->count, first_step(sink), steps_apart(sink)};
    char titles[TITLES * TITLE_BYTES];
    float one = 1; /* the length of a time step, which no frame tells */
    uint32_t word;
    memcpy(&word, &one, sizeof word);
    numbers[9] = word;
    numbers[10] = 1;
    numbers[19] = 24;
    memset(titles, ' ', sizeof titles);
    memcpy(titles, "positions written by tidepool", 29);
    put_number(stream, 84);
    fputs("CORD", stream);
    for (int n = 0; n < NUMBERS; n++) put_number(stream, numbers[n]);
    put_number(stream, 84);
    put_number(stream, 4 + sizeof titles);
    put_number(stream, TITLES);
    fwrite(titles, 1, sizeof titles, stream);
    put_number(stream, 4 + sizeof titles);
    put_number(stream, 4);
    put_number(stream, state->points);
    put_number(stream, 4);
    return ferror(stream) ? host_not_written(state->file.name) : HOST_DONE;
}

int dcd_create(host_sink *sink, const char *path)
{
    dcd_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a trajectory");
    sink->state = state;
    int code = host_output_open(&state->file, path);
    if (!code && (code = host_output_goes_back(&state->file)) != HOST_DONE)
        host_output_close(&state->file, false);
    if (code) {
        free(state);
        sink->state = NULL;
    }
    return code;
}

static int check_frame(dcd_sink *state, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    double step = frame->number - state->last;
    if (!state->count) state->points = frame->count;
    bool is_running =
        frame->count && indices[0] == 0 && indices[frame->count - 1] == frame->count - 1;
    if (!is_running || frame->count != state->points || frame->count > INT32_MAX / 4)
        return host_error(
            HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
            "frame %.10g has %u points, but .dcd needs the same points, numbered from "
            "0 without a gap, in every frame; --frames A-B may choose frames that "
            "have them",
            frame->number, frame->count);
    if (state->count == 1) state->step = step;
    if (state->count > 1 && step != state->step)
        return host_error(HOST_BAD_INPUT, state->file.name, HOST_NO_OFFSET,
                          "frame %.10g comes %.9g frames after the one before it, the others %.9g, "
                          "but the frames of a .dcd are evenly spaced; --step 1 interpolates what "
                          "is missing",
                          frame->number, step, state->step);
    if (!state->count) state->first = frame->number;
    state->last = frame->number;
    return HOST_DONE;
}

int dcd_write(host_sink *sink, const host_frame *frame)
{
    static const uint32_t cell[CELL_BYTES / 4];
    dcd_sink *state = sink->state;
    FILE *stream = state->file.stream;
    int code = host_guard_check(state->file.name);
    if (!code) code = check_frame(state, frame);
    if (!code) code = check_steps(sink);
    if (!code && !state->count) code = put_head(sink);
    float *axis = code ? NULL : host_allocate(frame->count, sizeof *axis);
    if (code) return code;
    if (!axis) return host_out_of_memory("a frame");
    put_number(stream, CELL_BYTES);
    bytes_write_words(stream, false, cell, CELL_BYTES / 4);
    put_number(stream, CELL_BYTES);
    for (uint32_t k = 0; k < 3; k++) {
        const float *location = frame->data[POINT_LOCATION];
        for (uint32_t i = 0; i < frame->count; i++) axis[i] = location[(size_t)i * 3 + k];
        put_number(stream, (int64_t)frame->count * 4);
        bytes_write_words(stream, false, axis, frame->count);
        put_number(stream, (int64_t)frame->count * 4);
    }
    free(axis);
    state->count++;
    return ferror(stream) ? host_not_written(state->file.name) : HOST_DONE;
}

int dcd_finish(host_sink *sink)
{
    dcd_sink *state = sink->state;
    int code = host_sink_check_frames(state->file.name, state->count);
    if (!code && fseeko(state->file.stream, 0, SEEK_SET) != 0)
        code = host_not_written(state->file.name);
    if (!code) code = put_head(sink);
    int closed = host_output_close(&state->file, !code);
    free(state);
    sink->state = NULL;
    return code ? code : closed;
}

void dcd_abandon(host_sink *sink)
{
    dcd_sink *state = sink->state;
    host_output_close(&state->file, false);
    free(state);
    sink->state = NULL;
}
