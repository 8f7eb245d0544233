/* SPDX-License-Identifier: MIT
   host_tools/formats/npz_sink.c - writes archives of NumPy arrays: one of all frames, or one per
           frame.
   reads   host_frame                      writes  .npz files, all or none
   memory  64 KiB per stream               cost    O(bytes); the arrays lie beside OUT until the
           number of frames is known
   after   NumPy's description of the .npz format; stored as numpy.savez does, or deflated as
           numpy.savez_compressed does */
#include "bytes.h"
#include "npz.h"
#include "numbered.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct npz_sink {
    numbered_pattern pattern;
    host_staging *staging; /* one archive per frame; NULL: one of all frames */
    host_output output;    /* the one archive */
    /* files without a name: the array of each stream, and the packed bytes of one of them */
    FILE *arrays[NPY_ARRAYS], *packed;
    uint64_t frames; /* in the archive that is being made */
    uint32_t count, streams;
    double last;
    bool has_last;
} npz_sink;

static void free_state(host_sink *sink)
{
    npz_sink *state = sink->state;
    for (uint32_t a = 0; a < NPY_ARRAYS; a++)
        if (state->arrays[a]) fclose(state->arrays[a]);
    if (state->packed) fclose(state->packed);
    numbered_pattern_free(&state->pattern);
    free(state);
    sink->state = NULL;
}

static bool deflates(const host_sink *sink)
{
    return sink->options.compression == HOST_COMPRESSION_DEFLATE;
}

static int open_outputs(const host_sink *sink, npz_sink *state)
{
    int code = HOST_DONE;
    if (deflates(sink) && !gzip_is_built())
        return host_error(HOST_USAGE, sink->path, HOST_NO_OFFSET,
                          "cannot be deflated: this program was built without zlib; leave "
                          "--compression out, or install zlib's header files and build again");
    if (!state->pattern.has_star) return host_output_open(&state->output, state->pattern.file);
    state->staging = numbered_begin_files(&state->pattern, &code);
    return code;
}

int npz_create(host_sink *sink, const char *path)
{
    npz_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a sequence");
    sink->state = state;
    bool good = numbered_pattern_parse(&state->pattern, path, ".npz", sink->options.name);
    numbered_pattern_limit(&state->pattern, &sink->options);
    int code = good ? open_outputs(sink, state) : host_out_of_memory("a path");
    if (code) free_state(sink);
    return code;
}

/* ---- the arrays of an archive */

static int put_head(const host_sink *sink, uint32_t array)
{
    char head[NPY_HEAD_BYTES];
    const npz_sink *state = sink->state;
    bool has_frames = !state->staging && sink->options.frame_count != 1,
         big = sink->options.encoding == ENCODING_BIG;
    uint64_t columns = array < POINT_BOIDS ? point_streams[array].floats : 0;
    uint64_t shape[3] = {state->frames, state->count, columns};
    uint32_t dimensions = columns > 1 ? 3 : 2;
    const char *type = array == POINT_INDEX ? "u4" : array == NPY_FRAME_NUMBERS ? "i4" : "f4";
    if (array == NPY_FRAME_NUMBERS)
        npy_make_head(head, type, big, shape, 1);
    else
        npy_make_head(head, type, big, shape + !has_frames, dimensions - !has_frames);
    bool good = fwrite(head, 1, sizeof head, state->arrays[array]) == sizeof head;
    return good ? HOST_DONE : host_not_written(sink->path);
}

/* Empties the file of an array, or makes it: beside OUT, where there is room for the archive. */
static int begin_array(const host_sink *sink, FILE **file)
{
    const npz_sink *state = sink->state;
    if (!*file) *file = host_contents(state->pattern.file);
    if (!*file || !host_contents_empty(*file)) return host_not_written(sink->path);
    return HOST_DONE;
}

static int put_array(const host_sink *sink, const host_frame *frame, uint32_t array)
{
    npz_sink *state = sink->state;
    int32_t number = (int32_t)frame->number;
    bool big = sink->options.encoding == ENCODING_BIG, is_number = array == NPY_FRAME_NUMBERS;
    int code = HOST_DONE;
    if (state->frames == 1) { /* the head gets its numbers at the end */
        code = begin_array(sink, &state->arrays[array]);
        if (!code) code = put_head(sink, array);
    }
    if (code) return code;
    size_t words = is_number ? 1 : (size_t)frame->count * (point_streams[array].bytes / 4);
    bytes_write_words(state->arrays[array], big, is_number ? &number : frame->data[array], words);
    return ferror(state->arrays[array]) ? host_not_written(sink->path) : HOST_DONE;
}

static uint32_t streams_of(const host_frame *frame)
{
    uint32_t streams = POINT_BIT(NPY_FRAME_NUMBERS);
    for (uint32_t s = 0; s < POINT_BOIDS; s++)
        if (frame->data[s]) streams |= POINT_BIT(s);
    return streams;
}

static int add_frame(const host_sink *sink, const host_frame *frame)
{
    npz_sink *state = sink->state;
    int code = HOST_DONE;
    if (!state->frames) state->count = frame->count, state->streams = streams_of(frame);
    if (frame->count != state->count || streams_of(frame) != state->streams)
        return host_error(
            HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
            "frame %.10g has other points or streams than those before it, which one array of all "
            "frames cannot hold; write an archive of each: NAME.*.npz",
            frame->number);
    state->frames++;
    for (uint32_t a = 0; a < NPY_ARRAYS && !code; a++)
        if (state->streams & POINT_BIT(a)) code = put_array(sink, frame, a);
    return code;
}

static int add_member(const host_sink *sink, zip_writer *writer, uint32_t array)
{
    npz_sink *state = sink->state;
    int code = fseeko(state->arrays[array], 0, SEEK_SET) == 0 ? put_head(sink, array)
                                                              : host_not_written(sink->path);
    if (!code && deflates(sink)) code = begin_array(sink, &state->packed);
    char *name = host_text("%s.npy", npy_array_name(array));
    if (!code && !name) code = host_out_of_memory("a path");
    if (!code)
        code = zip_add(writer, name, state->arrays[array], deflates(sink) ? state->packed : NULL);
    free(name);
    return code;
}

/* Puts the arrays together; the next frame begins another archive. */
static int write_archive(const host_sink *sink, FILE *stream, const char *path)
{
    npz_sink *state = sink->state;
    zip_writer writer;
    int code = HOST_DONE;
    zip_begin(&writer, stream, path);
    for (uint32_t a = 0; a < NPY_ARRAYS && !code; a++)
        if (state->frames && state->streams & POINT_BIT(a)) code = add_member(sink, &writer, a);
    if (!code) code = zip_end(&writer);
    zip_free(&writer);
    state->frames = 0;
    return code;
}

static int write_file(const host_sink *sink, const host_frame *frame)
{
    host_output output;
    npz_sink *state = sink->state;
    int code = add_frame(sink, frame);
    if (!code) code = numbered_begin_file(state->staging, &state->pattern, sink, frame, &output);
    if (code) return code;
    code = write_archive(sink, output.stream, output.name);
    int closed = host_output_close(&output, !code);
    return code ? code : closed;
}

int npz_write(host_sink *sink, const host_frame *frame)
{
    npz_sink *state = sink->state;
    int code = host_guard_check(sink->path);
    if (code) return code;
    if (state->has_last && !(frame->number > state->last))
        return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                          "frame %.10g follows frame %.10g; frames must ascend", frame->number,
                          state->last);
    state->last = frame->number;
    state->has_last = true;
    return state->staging ? write_file(sink, frame) : add_frame(sink, frame);
}

int npz_finish(host_sink *sink)
{
    npz_sink *state = sink->state;
    int code = HOST_DONE;
    if (state->staging) {
        code = host_staging_commit(state->staging, numbered_is_at, &state->pattern);
    } else {
        code = write_archive(sink, state->output.stream, state->output.name);
        int closed = host_output_close(&state->output, !code);
        if (!code) code = closed;
    }
    free_state(sink);
    return code;
}

void npz_abandon(host_sink *sink)
{
    npz_sink *state = sink->state;
    if (state->staging)
        host_staging_abandon(state->staging);
    else
        host_output_close(&state->output, false);
    free_state(sink);
}
