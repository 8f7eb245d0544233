/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered_sink.c - writes one file, or numbered files of one frame each, all or
           none.
   reads   host_frame                      writes  files, by write_piece of the format
   memory  a name per file                 cost    that of the format
   after   own design */
#include "numbered.h"
#include "../common/packing.h"
#include <stdlib.h>
#include <string.h>

typedef struct numbered_sink {
    numbered_pattern pattern;
    host_staging *staging; /* numbered files; NULL: one file */
    host_output output;    /* the one file */
    numbered_boxes boxes;  /* of formats whose frames have a box */
    int64_t last;          /* number of the last frame written */
    bool has_last;
} numbered_sink;

host_staging *numbered_begin_files(numbered_pattern *pattern, int *code)
{
    *code = numbered_check_pattern(pattern, NULL, NULL);
    if (!*code && packing_tail(pattern->after)) *code = packing_check(pattern->file);
    if (*code) return NULL;
    char *label = host_text("%s%s", pattern->before, pattern->after);
    host_staging *staging = label ? host_staging_open(pattern->folder, label, code) : NULL;
    if (!label) *code = host_out_of_memory("a path");
    free(label);
    return staging;
}

static char *file_name(const numbered_pattern *pattern, int64_t number)
{
    return host_text("%s%0*lld%s", pattern->before, pattern->width, (long long)number,
                     pattern->after);
}

int numbered_begin_file(host_staging *staging, const numbered_pattern *pattern,
                        const host_sink *sink, const host_frame *frame, host_output *output)
{
    if (frame->number < 0)
        return host_error(
            HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
            "frame %.10g cannot be the number of a file, expected 0 or more (see --shift)",
            frame->number);
    char *name = file_name(pattern, (int64_t)frame->number);
    int code = name ? host_staging_begin(staging, name, output) : host_out_of_memory("a path");
    free(name);
    return code;
}

static void free_state(host_sink *sink)
{
    numbered_sink *state = sink->state;
    numbered_pattern_free(&state->pattern);
    free(state->boxes.places);
    free(state);
    sink->state = NULL;
}

static int open_outputs(const host_sink *sink, numbered_sink *state)
{
    int code;
    bool holds_all = sink->format->starts_piece || sink->options.frame_count == 1;
    if (holds_all && !state->pattern.has_star) {
        if (!sink->format->starts_piece) numbered_note_others(&state->pattern);
        return host_output_open(&state->output, state->pattern.file);
    }
    code = numbered_check_device(&state->pattern, sink->format->name);
    if (!code) state->staging = numbered_begin_files(&state->pattern, &code);
    return code;
}

int numbered_create(host_sink *sink, const char *path)
{
    numbered_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a sequence");
    sink->state = state;
    bool good =
        numbered_pattern_parse(&state->pattern, path, sink->format->ending, sink->options.name);
    numbered_pattern_limit(&state->pattern, &sink->options);
    int code = good ? open_outputs(sink, state) : host_out_of_memory("a path");
    numbered_boxes_start(&state->boxes,
                         state->staging || state->output.partial_path || host_output_is_dry());
    if (code) free_state(sink);
    return code;
}

static int write_to(const host_sink *sink, const host_frame *frame, const host_output *output)
{
    int code = host_guard_check(output->name);
    if (!code) code = sink->format->write_piece(output->stream, sink, frame);
    if (!code && ferror(output->stream))
        code = host_error(HOST_IO, output->name, HOST_NO_OFFSET,
                          "cannot write frame %.10g: is the disk full?", frame->number);
    return code;
}

int numbered_write_box(const host_sink *sink, FILE *stream, const host_frame *frame)
{
    numbered_sink *state = sink->state;
    if (!state->boxes.has_one && !state->has_last)
        host_note(sink->path, HOST_NO_OFFSET,
                  "a device or a pipe: each frame has a box of its own");
    return numbered_boxes_add(&state->boxes, stream, frame);
}

static int put_box(const numbered_sink *state, size_t i)
{
    if (!state->staging) {
        bool good = numbered_boxes_put(&state->boxes, state->output.stream, i);
        return good ? HOST_DONE : host_not_written(state->output.name);
    }
    char *name = file_name(&state->pattern, state->boxes.places[i].frame);
    FILE *stream = name ? host_staging_reopen(state->staging, name) : NULL;
    int code = !name ? host_out_of_memory("a path") : stream ? HOST_DONE : HOST_IO;
    bool good = stream && numbered_boxes_put(&state->boxes, stream, i);
    if (stream && fclose(stream) != 0) good = false;
    if (!code && !good) code = host_not_written(name);
    free(name);
    return code;
}

static int put_boxes(const numbered_sink *state)
{
    int code = HOST_DONE;
    for (size_t i = 0; i < state->boxes.count && !code; i++) code = put_box(state, i);
    return code;
}

static int write_file(const host_sink *sink, const host_frame *frame)
{
    host_output output;
    numbered_sink *state = sink->state;
    int code = numbered_begin_file(state->staging, &state->pattern, sink, frame, &output);
    if (code) return code;
    code = write_to(sink, frame, &output);
    int closed = host_output_close(&output, !code);
    return code ? code : closed;
}

int numbered_write(host_sink *sink, const host_frame *frame)
{
    numbered_sink *state = sink->state;
    int64_t number = (int64_t)frame->number;
    if (state->has_last && number <= state->last)
        return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                          "frame %lld follows frame %lld; frames must ascend", (long long)number,
                          (long long)state->last);
    int code = state->staging ? write_file(sink, frame) : write_to(sink, frame, &state->output);
    state->last = number;
    state->has_last = true;
    return code;
}

int numbered_finish(host_sink *sink)
{
    numbered_sink *state = sink->state;
    int code = put_boxes(state);
    if (code) {
        numbered_abandon(sink);
        return code;
    }
    code = state->staging ? host_staging_commit(state->staging, numbered_is_at, &state->pattern)
                          : host_output_close(&state->output, true);
    bool has_list = sink->format->write_list && !packing_tail(state->pattern.after);
    if (!code && state->staging && has_list)
        code = numbered_write_list(&state->pattern, sink->format);
    free_state(sink);
    return code;
}

void numbered_abandon(host_sink *sink)
{
    numbered_sink *state = sink->state;
    if (state->staging)
        host_staging_abandon(state->staging);
    else
        host_output_close(&state->output, false);
    free_state(sink);
}
