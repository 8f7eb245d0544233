/* SPDX-License-Identifier: MIT
   host_tools/formats/npy_sink.c - writes NumPy arrays, one per stream: of all frames, or of each
           frame.
   reads   host_frame                      writes  NAME_location.npy and other arrays, all or none
   memory  64 KiB per stream               cost    O(bytes)
   after   NumPy's description of the .npy format, version 1; an array of all frames gets its header
           last */
#include "bytes.h"
#include "npz.h"
#include "numbered.h"
#include "staging.h"
#include <stdlib.h>
#include <string.h>

enum { FRAME_NUMBERS = NPY_FRAME_NUMBERS, OUTPUTS = NPY_ARRAYS };

typedef struct npy_sink {
    numbered_pattern pattern;
    host_staging *staging;
    size_t stem; /* length of pattern.before without the separator */
    host_output outputs[OUTPUTS];
    uint64_t frames;
    /* of the first frame; later frames must be alike when one array holds all */
    uint32_t count, streams;
    double last;
} npy_sink;

/* NAME_velocity.npy, NAME_velocity.0001.npy */
static char *file_name(const npy_sink *state, uint32_t stream, double number)
{
    const numbered_pattern *pattern = &state->pattern;
    if (!pattern->has_star)
        return host_text("%.*s_%s.npy", (int)state->stem, pattern->before, npy_array_name(stream));
    return host_text("%.*s_%s%s%0*lld%s", (int)state->stem, pattern->before, npy_array_name(stream),
                     pattern->before + state->stem, pattern->width, (long long)number,
                     pattern->after);
}

/* Relation of an existing file to the new sequence. KIN_NONE: none. KIN_OLD: the new sequence
   replaces it. KIN_STRANGER: it would be read as part of the sequence, but its number has another
   width, so no new file replaces it. */
typedef enum npy_kin { KIN_NONE, KIN_OLD, KIN_STRANGER } npy_kin;

/* `at`: the rest of a file name after the names of sequence and stream: ".npy", or with a * a
   number. */
static npy_kin kin_of_array(const npy_sink *state, const char *at)
{
    const numbered_pattern *pattern = &state->pattern;
    if (!pattern->has_star) return strcmp(at, ".npy") == 0 ? KIN_OLD : KIN_NONE;
    size_t separator = strlen(pattern->before + state->stem), digits;
    if (strncmp(at, pattern->before + state->stem, separator) != 0) return KIN_NONE;
    at += separator;
    digits = strspn(at, "0123456789");
    if (!digits || digits > 18 || strcmp(at + digits, pattern->after) != 0) return KIN_NONE;
    if (!numbered_has_width(at, digits, (size_t)pattern->width)) return KIN_STRANGER;
    long long number = strtoll(at, NULL, 10);
    return number >= pattern->first && number <= pattern->last ? KIN_OLD : KIN_NONE;
}

/* KIN_OLD: arrays of an older sequence of that name, also of streams that the new one lacks, and
   NAME.npy. */
static npy_kin kin_of(const npy_sink *state, const char *name)
{
    const char *at = name + state->stem;
    npy_kin kin = KIN_NONE;
    if (strncmp(name, state->pattern.before, state->stem) != 0) return KIN_NONE;
    if (!state->pattern.has_star && strcmp(at, ".npy") == 0) return KIN_OLD;
    for (uint32_t s = 0; s < OUTPUTS && !kin; s++) {
        size_t length = strlen(npy_array_name(s));
        if (*at == '_' && strncmp(at + 1, npy_array_name(s), length) == 0)
            kin = kin_of_array(state, at + 1 + length);
    }
    return kin;
}

static bool is_old(const char *name, const void *context)
{
    return kin_of(context, name) == KIN_OLD;
}

static int check_stranger(void *context, const char *name)
{
    const npy_sink *state = context;
    if (kin_of(state, name) != KIN_STRANGER) return HOST_DONE;
    return numbered_stranger(state->pattern.folder, name, "as a frame");
}

static void free_state(host_sink *sink)
{
    npy_sink *state = sink->state;
    for (uint32_t s = 0; s < OUTPUTS; s++)
        if (state->outputs[s].stream) host_output_close(&state->outputs[s], false);
    numbered_pattern_free(&state->pattern);
    free(state);
    sink->state = NULL;
}

/* Without a *, digits belong to the name: NAME_07.npy is written as NAME_07_location.npy. */
static bool plain_place(numbered_pattern *pattern)
{
    if (pattern->has_star) return true;
    const char *slash = strrchr(pattern->file, '/'), *file = slash ? slash + 1 : pattern->file;
    size_t length = strlen(file);
    if (length >= 4 && strcmp(file + length - 4, ".npy") == 0) length -= 4;
    free(pattern->before);
    pattern->before = host_text("%.*s", (int)length, file);
    return pattern->before != NULL;
}

int npy_create(host_sink *sink, const char *path)
{
    npy_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a sequence");
    sink->state = state;
    int code = HOST_OUT_OF_MEMORY;
    if (numbered_pattern_parse(&state->pattern, path, ".npy", sink->options.name) &&
        plain_place(&state->pattern)) {
        numbered_pattern_limit(&state->pattern, &sink->options);
        state->stem = strlen(state->pattern.before);
        while (state->pattern.has_star && state->stem &&
               strchr("._-", state->pattern.before[state->stem - 1]))
            state->stem--;
        code = numbered_check_device(&state->pattern, "npy");
        if (!code) code = numbered_check_pattern(&state->pattern, check_stranger, state);
        if (!code)
            state->staging = host_staging_open(state->pattern.folder, state->pattern.before, &code);
    } else {
        host_out_of_memory("a path");
    }
    if (code) free_state(sink);
    return code;
}

/* ---- arrays */

static void put_head(const host_sink *sink, uint32_t stream, FILE *file, uint64_t frames,
                     uint64_t count)
{
    char head[NPY_HEAD_BYTES];
    const npy_sink *state = sink->state;
    bool has_frames = !state->pattern.has_star && sink->options.frame_count != 1;
    uint64_t columns = stream < POINT_BOIDS ? point_streams[stream].floats : 0;
    uint64_t shape[3] = {frames, count, columns};
    uint32_t dimensions = columns > 1 ? 3 : 2;
    const char *type = stream == POINT_INDEX ? "u4" : stream == FRAME_NUMBERS ? "i4" : "f4";
    bool big = sink->options.encoding == ENCODING_BIG;
    if (stream == FRAME_NUMBERS)
        npy_make_head(head, type, big, shape, 1);
    else
        npy_make_head(head, type, big, shape + !has_frames, dimensions - !has_frames);
    fwrite(head, 1, sizeof head, file);
}

static int check_stream(const npy_sink *state, uint32_t stream, double number)
{
    int code = host_guard_check(state->pattern.file);
    if (code || !ferror(state->outputs[stream].stream)) return code;
    return host_error(HOST_IO, state->outputs[stream].name, HOST_NO_OFFSET,
                      "cannot write frame %.10g: is the disk full?", number);
}

static int open_output(host_sink *sink, uint32_t stream, double number)
{
    npy_sink *state = sink->state;
    char *name = file_name(state, stream, number);
    int code = name ? host_staging_begin(state->staging, name, &state->outputs[stream])
                    : host_out_of_memory("a path");
    free(name);
    return code;
}

static int put_stream(host_sink *sink, const host_frame *frame, uint32_t stream)
{
    npy_sink *state = sink->state;
    FILE *file = state->outputs[stream].stream;
    int32_t number = (int32_t)frame->number;
    bool big = sink->options.encoding == ENCODING_BIG;
    if (state->frames == 0 || state->pattern.has_star)
        put_head(sink, stream, file, 1, frame->count);
    if (stream == FRAME_NUMBERS)
        bytes_write_words(file, big, &number, 1);
    else
        bytes_write_words(file, big, frame->data[stream],
                          (size_t)frame->count * (point_streams[stream].bytes / 4));
    return check_stream(state, stream, frame->number);
}

static uint32_t streams_of(const host_frame *frame)
{
    uint32_t streams = 0;
    for (uint32_t s = 0; s < POINT_BOIDS; s++)
        if (frame->data[s]) streams |= POINT_BIT(s);
    return streams;
}

/* Writes one file per stream for this frame and closes it. */
static int write_arrays(host_sink *sink, const host_frame *frame)
{
    npy_sink *state = sink->state;
    int code = HOST_DONE;
    if (frame->number < 0)
        return host_error(
            HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
            "frame %.10g cannot be the number of a file, expected 0 or more (see --shift)",
            frame->number);
    for (uint32_t s = 0; s < POINT_BOIDS && !code; s++) {
        if (!frame->data[s]) continue;
        code = open_output(sink, s, frame->number);
        if (!code) code = put_stream(sink, frame, s);
        if (!code) code = host_output_close(&state->outputs[s], true);
    }
    return code;
}

int npy_write(host_sink *sink, const host_frame *frame)
{
    npy_sink *state = sink->state;
    int code = HOST_DONE;
    if (state->frames && !(frame->number > state->last))
        return host_error(HOST_BAD_INPUT, state->pattern.file, HOST_NO_OFFSET,
                          "frame %.10g follows frame %.10g; frames must ascend", frame->number,
                          state->last);
    state->last = frame->number;
    if (state->pattern.has_star) {
        state->frames++;
        return write_arrays(sink, frame);
    }
    if (!state->frames) state->count = frame->count, state->streams = streams_of(frame);
    if (frame->count != state->count || streams_of(frame) != state->streams)
        return host_error(
            HOST_BAD_INPUT, state->pattern.file, HOST_NO_OFFSET,
            "frame %.10g has other points or streams than those before it, which one array of all "
            "frames cannot hold; write an array of each: NAME.*.npy",
            frame->number);
    for (uint32_t s = 0; s < OUTPUTS && !code; s++) {
        if (s != FRAME_NUMBERS && !frame->data[s]) continue;
        if (!state->frames) code = open_output(sink, s, frame->number);
        if (!code) code = put_stream(sink, frame, s);
    }
    state->frames++;
    return code;
}

/* Rewrites the headers, now that the number of frames is known. */
static int finish_arrays(host_sink *sink)
{
    npy_sink *state = sink->state;
    int code = HOST_DONE;
    for (uint32_t s = 0; s < OUTPUTS && !code; s++) {
        host_output *output = &state->outputs[s];
        if (!output->stream) continue;
        /* fseeko flushes the buffer and reports a failed write; rewind() would not */
        if (fseeko(output->stream, 0, SEEK_SET) != 0) return host_not_written(output->name);
        put_head(sink, s, output->stream, state->frames, state->count);
        code = host_output_close(output, true);
    }
    return code;
}

int npy_finish(host_sink *sink)
{
    npy_sink *state = sink->state;
    int code = finish_arrays(sink);
    if (code) {
        npy_abandon(sink);
        return code;
    }
    code = host_staging_commit(state->staging, is_old, state);
    free_state(sink);
    return code;
}

void npy_abandon(host_sink *sink)
{
    npy_sink *state = sink->state;
    for (uint32_t s = 0; s < OUTPUTS; s++)
        if (state->outputs[s].stream) host_output_close(&state->outputs[s], false);
    host_staging_abandon(state->staging);
    free_state(sink);
}
