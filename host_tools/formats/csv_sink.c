/* SPDX-License-Identifier: MIT
   host_tools/formats/csv_sink.c - writes one table, or numbered tables of one frame each, all or
           none.
   reads   the rows of csv_encode          writes  text; "-" is standard output
   memory  a name per file                 cost    O(bytes)
   after   own design */
#include "csv.h"
#include "numbered.h"
#include <stdlib.h>
#include <string.h>

typedef struct csv_sink {
    host_output file;         /* the one table */
    host_staging *staging;    /* numbered tables; NULL: one table */
    numbered_pattern pattern; /* of numbered tables */
    /* The header line is written with the first frame, so that standard output stays empty when the
       input is unreadable. */
    bool has_header;
} csv_sink;

static void free_state(host_sink *sink)
{
    csv_sink *state = sink->state;
    numbered_pattern_free(&state->pattern);
    free(state);
    sink->state = NULL;
}

static int open_staging(const host_sink *sink, csv_sink *state, const char *path)
{
    if (!numbered_pattern_parse(&state->pattern, path, ".csv", sink->options.name))
        return host_out_of_memory("a path");
    numbered_pattern_limit(&state->pattern, &sink->options);
    int code;
    state->staging = numbered_begin_files(&state->pattern, &code);
    return code;
}

int csv_create(host_sink *sink, const char *path)
{
    csv_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a table");
    sink->state = state;
    int code =
        strchr(path, '*') ? open_staging(sink, state, path) : host_output_open(&state->file, path);
    if (code) free_state(sink);
    return code;
}

static int put_rows(const host_output *output, const host_frame *frame, const uint8_t *bytes,
                    size_t size)
{
    fwrite(bytes, 1, size, output->stream);
    if (!ferror(output->stream)) return HOST_DONE;
    return host_error(HOST_IO, output->name, HOST_NO_OFFSET,
                      "cannot write frame %.10g: is the disk full?", frame->number);
}

static int put_table(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size)
{
    host_output output;
    csv_sink *state = sink->state;
    int code = numbered_begin_file(state->staging, &state->pattern, sink, frame, &output);
    if (code) return code;
    csv_print_header(output.stream, sink->options.streams);
    code = put_rows(&output, frame, bytes, size);
    int closed = host_output_close(&output, !code);
    return code ? code : closed;
}

static void need_header(const host_sink *sink, csv_sink *state)
{
    if (!state->has_header) csv_print_header(state->file.stream, sink->options.streams);
    state->has_header = true;
}

int csv_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size)
{
    csv_sink *state = sink->state;
    if (state->staging) return put_table(sink, frame, bytes, size);
    int code = host_guard_check(state->file.name);
    if (code) return code;
    need_header(sink, state);
    return put_rows(&state->file, frame, bytes, size);
}

int csv_finish(host_sink *sink)
{
    csv_sink *state = sink->state;
    int code;
    if (state->staging) {
        code = host_staging_commit(state->staging, numbered_is_at, &state->pattern);
    } else {
        need_header(sink, state);
        code = host_output_close(&state->file, true);
    }
    free_state(sink);
    return code;
}

void csv_abandon(host_sink *sink)
{
    csv_sink *state = sink->state;
    if (state->staging)
        host_staging_abandon(state->staging);
    else
        host_output_close(&state->file, false);
    free_state(sink);
}
