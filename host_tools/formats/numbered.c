/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered.c - reads numbered files, and text files with frames one after the
           other.
   reads   each file once to open, then a frame's bytes to load    writes  host_sequence, host_frame
   memory  a name per file, 40 bytes per frame, one frame    cost    O(bytes)
   after   own design */
#include "numbered.h"
#include "../common/source.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a frame of a packed file: a small file may unpack to more than any memory. */
#define PACKED_FRAME_MAX (UINT64_C(1) << 29)

/* Location of a frame: file, offset and size in bytes, number of its first line. */
typedef struct entry {
    size_t file;
    uint64_t offset, size, line;
    int64_t number;
} entry;

typedef struct numbered_state {
    numbered_files found;
    entry *entries;
    size_t count, capacity;
    int64_t stride;     /* time steps per frame as a frame stated it; 0: none did */
    bool has_steps;     /* a frame stored its own number or time step */
    host_source source; /* the file that was read last */
    size_t source_file; /* its position; valid if the source is open */
} numbered_state;

/* ---- for readers of pieces */

void piece_note(const host_piece *piece, uint64_t at, const char *format, ...)
{
    char text[200];
    va_list arguments;
    if (!piece->teller) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (host_sequence_notes(piece->teller, text)) host_note(piece->path, at, "%s", text);
}

int piece_error(const host_piece *piece, uint64_t at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return host_error(HOST_BAD_INPUT, piece->path, at == HOST_NO_OFFSET ? at : piece->offset + at,
                      "%s", text);
}

int piece_error_at(const host_piece *piece, const void *at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t position = (size_t)((const uint8_t *)at - piece->bytes);
    uint64_t line = piece->line;
    for (size_t i = 0; i < position; i++) line += piece->bytes[i] == '\n';
    return host_error(HOST_BAD_INPUT, piece->path, piece->offset + position, "line %llu: %s",
                      (unsigned long long)line, text);
}

int piece_error_line(const host_piece *piece, uint64_t line, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t at = 0;
    for (; line && at < piece->size; at++) line -= piece->bytes[at] == '\n';
    return piece_error_at(piece, piece->bytes + at, "%s", text);
}

int piece_frame(const host_piece *piece, host_frame *frame, uint64_t count, uint32_t streams)
{
    if (count > UINT32_MAX)
        return piece_error(piece, HOST_NO_OFFSET, "%llu points, at most 4294967295",
                           (unsigned long long)count);
    if (!host_frame_allocate(frame, (uint32_t)count, streams))
        return host_out_of_memory(piece->path);
    uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 0; i < count; i++) indices[i] = i;
    return HOST_DONE;
}

int piece_order(const host_piece *piece, host_frame *frame)
{
    uint32_t count = frame->count;
    if (!host_frame_order(frame)) return host_out_of_memory(piece->path);
    if (frame->count == count) return HOST_DONE;
    return piece_error(piece, HOST_NO_OFFSET, "%u of %u points repeat the index of another point",
                       count - frame->count, count);
}

/* ---- finding the frames */

static int add_entry(numbered_state *state, const entry *added)
{
    entry *entries = host_lengthen(state->entries, state->count, &state->capacity, sizeof *entries);
    if (!entries) return host_out_of_memory("the list of frames");
    state->entries = entries;
    state->entries[state->count++] = *added;
    return HOST_DONE;
}

/* State of the search for starts of frames: the current line. */
typedef struct line_scan {
    char head[64]; /* its first bytes, with a terminating zero */
    size_t length;
    uint64_t start, number; /* offset of its first byte; line number from 1 */
    uint64_t state;         /* for starts_piece of the format */
} line_scan;

static int end_line(numbered_state *state, const host_format *format, size_t file, line_scan *scan,
                    uint64_t next)
{
    int code = HOST_DONE;
    scan->head[scan->length] = 0;
    bool starts = format->starts_piece(scan->head, &scan->state);
    if (starts || scan->number == 1) {
        entry added = {file, scan->start, 0, scan->number, 0};
        code = add_entry(state, &added);
    }
    scan->start = next;
    scan->length = 0;
    scan->number++;
    return code;
}

/* A file without line ends is no text: its first frame would be the whole file. */
static int check_line(const host_format *format, const char *path, const line_scan *scan,
                      uint64_t end)
{
    enum { LINE_MAX_BYTES = 1 << 20 };
    if (end - scan->start <= LINE_MAX_BYTES) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, path, scan->start,
                      "line %llu has more than %d bytes; expected a line of the format %s",
                      (unsigned long long)scan->number, LINE_MAX_BYTES, format->name);
}

static int scan_stream(numbered_state *state, const host_format *format, size_t file,
                       host_source *source, uint64_t *size)
{
    static const size_t buffer_bytes = 1u << 16;
    line_scan scan = {{0}, 0, 0, 1, 0};
    size_t got = buffer_bytes;
    int code = HOST_DONE;
    char *buffer = malloc(buffer_bytes);
    if (!buffer) return host_out_of_memory("a file");
    *size = 0;
    while (!code && got == buffer_bytes) {
        code = host_source_read(source, *size, buffer, buffer_bytes, &got);
        for (size_t at = 0, next; at < got && !code; at = next) {
            const char *stop = memchr(buffer + at, '\n', got - at);
            size_t end = stop ? (size_t)(stop - buffer) : got;
            for (size_t i = at; i < end && scan.length < sizeof scan.head - 1; i++)
                scan.head[scan.length++] = buffer[i];
            next = stop ? end + 1 : got;
            if (stop) code = end_line(state, format, file, &scan, *size + next);
        }
        *size += got;
        if (!code) code = check_line(format, source->path, &scan, *size);
    }
    if (!code && (scan.start < *size || *size == 0))
        code = end_line(state, format, file, &scan, *size);
    free(buffer);
    return code;
}

/* Opens a file, which stays open until another one is read. */
static int open_file(numbered_state *state, size_t file)
{
    if (state->source.file && state->source_file == file) return HOST_DONE;
    host_source_close(&state->source);
    state->source_file = file;
    char *path = host_text("%s/%s", state->found.folder, state->found.files.entries[file].file);
    int code = path ? host_source_open(&state->source, path) : host_out_of_memory("a path");
    free(path);
    return code;
}

/* Adds the entries of one file. The size of each is the distance to the next one's start. */
static int index_file(host_sequence *sequence, size_t file)
{
    numbered_state *state = sequence->state;
    uint64_t size = 0;
    size_t first = state->count;
    entry whole = {file, 0, 0, 1, 0};
    int code = open_file(state, file);
    if (code) return code;
    if (sequence->format->starts_piece) {
        code = scan_stream(state, sequence->format, file, &state->source, &size);
    } else {
        code = host_source_size(&state->source, PACKED_FRAME_MAX, &size);
        if (!code) code = add_entry(state, &whole);
    }
    for (size_t i = first; i < state->count; i++) {
        uint64_t end = i + 1 < state->count ? state->entries[i + 1].offset : size;
        state->entries[i].size = end - state->entries[i].offset;
    }
    if (code) return code;
    sequence->byte_count += state->source.file_bytes;
    sequence->text_bytes += size;
    if (state->source.packing) sequence->compression = state->source.packing;
    return HOST_DONE;
}

/* ---- bytes of a frame */

static int read_bytes(host_source *source, const entry *at, uint8_t *bytes)
{
    size_t got;
    int code = host_source_read(source, at->offset, bytes, (size_t)at->size, &got);
    if (code || got == at->size) return code;
    return host_error(HOST_IO, source->path, at->offset + got,
                      "the file became shorter while it was read");
}

/* True for the first bytes of a file that the format reads, also of one in a list. */
static bool is_recognised(const host_format *format, const uint8_t *start, size_t size)
{
    if (format->reads_too && format->reads_too(start, size)) return true;
    for (size_t i = 0; i < host_format_count; i++)
        if (host_formats[i]->read_piece == format->read_piece && !host_formats[i]->find &&
            host_formats[i]->recognises(start, size))
            return true;
    return false;
}

/* Before memory is taken for a frame of a packed file: its size, and how its file begins. */
static int check_packed(const host_format *format, host_source *source, const entry *at)
{
    uint8_t start[RECOGNISED_MAX];
    size_t got;
    if (at->size > PACKED_FRAME_MAX)
        return host_error(HOST_BAD_INPUT, source->path, at->offset,
                          "a frame of a packed file has at most %llu bytes, and this one has more; "
                          "unpack the file with %s",
                          (unsigned long long)PACKED_FRAME_MAX, source->gzip ? "gunzip" : "unzstd");
    if (format->starts_piece) return HOST_DONE;
    int code = host_source_read(source, 0, start, sizeof start, &got);
    /* of a short file the format names the fault */
    if (code || got < sizeof start || is_recognised(format, start, got)) return code;
    return host_error(HOST_BAD_INPUT, source->path, 0,
                      "the packed bytes do not begin like those of the format %s", format->name);
}

/* On return `piece` has the number or time step that the frame stores, if it stores one. */
static int load_entry(const host_sequence *sequence, const entry *at, host_piece *piece,
                      host_frame *frame)
{
    numbered_state *state = sequence->state;
    if (at->size >= SIZE_MAX) return host_out_of_memory("a file");
    int code = open_file(state, at->file);
    if (!code && state->source.packing) code = check_packed(sequence->format, &state->source, at);
    if (code) return code;
    uint8_t *bytes = malloc((size_t)at->size + 1);
    code = bytes ? read_bytes(&state->source, at, bytes) : host_out_of_memory("a frame");
    if (!code) {
        bytes[at->size] = 0;
        piece->path = state->source.path;
        piece->bytes = bytes;
        piece->size = (size_t)at->size;
        piece->offset = at->offset;
        piece->line = at->line;
        code = sequence->format->read_piece(piece, frame);
        if (!code) code = piece_order(piece, frame);
        if (code) host_frame_free(frame);
    }
    free(bytes);
    return code;
}

/* ---- frames and their numbers */

static bool is_alone(const numbered_state *state, size_t position)
{
    size_t file = state->entries[position].file;
    return (position == 0 || state->entries[position - 1].file != file) &&
           (position + 1 == state->count || state->entries[position + 1].file != file);
}

/* The frame's own number; else its file's, if the file holds one frame; else the previous number +
   1. */
static void set_number(numbered_state *state, size_t position, const host_piece *piece)
{
    entry *at = &state->entries[position];
    int64_t of_file = state->found.files.entries[at->file].number;
    state->has_steps = state->has_steps || piece->has_number;
    if (piece->has_number)
        at->number = piece->number;
    else if (of_file >= 0 && is_alone(state, position))
        at->number = of_file;
    else
        at->number = position ? state->entries[position - 1].number + 1 : 1;
}

/* Records a damaged frame, if the name of its file tells its number. */
static int lose_frame(host_sequence *sequence, size_t position)
{
    const numbered_state *state = sequence->state;
    int64_t number = state->found.files.entries[state->entries[position].file].number;
    return number >= 0 && is_alone(state, position) ? host_sequence_lose(sequence, number)
                                                    : HOST_DONE;
}

/* Frame 1 is step 0. */
static void learn_stride(numbered_state *state, const host_piece *piece)
{
    int64_t frames = piece->frame_number - 1;
    if (frames > 0 && piece->number > 0 && piece->number % frames == 0)
        state->stride = piece->number / frames;
}

/* Reads every frame once, so that damage and all streams are known before anything is written. */
static int learn_frames(host_sequence *sequence)
{
    numbered_state *state = sequence->state;
    for (size_t i = 0; i < state->count;) {
        host_frame frame = {0};
        host_piece piece = {.teller = sequence};
        int code = load_entry(sequence, &state->entries[i], &piece, &frame);
        if (code == HOST_BAD_INPUT && sequence->leaves_out) {
            code = lose_frame(sequence, i);
            if (code) return code;
            state->count--;
            memmove(&state->entries[i], &state->entries[i + 1],
                    (state->count - i) * sizeof *state->entries);
            continue;
        }
        if (code) return code;
        set_number(state, i++, &piece);
        learn_stride(state, &piece);
        sequence->streams |= frame.streams;
        host_sequence_note_points(sequence, &frame);
        host_frame_free(&frame);
    }
    return HOST_DONE;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *left = a, *right = b;
    if (left->number != right->number) return left->number < right->number ? -1 : 1;
    if (left->file != right->file) return left->file < right->file ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Converts time steps to frame numbers: step / stride + 1. Unless given, or stated by the frames,
   the stride is the greatest common divisor of the differences between steps. */
static void steps_to_frames(host_sequence *sequence)
{
    numbered_state *state = sequence->state;
    int64_t stride = sequence->stride ? sequence->stride : state->stride;
    bool is_found = stride == 0;
    for (size_t i = 1; i < state->count && is_found; i++)
        stride = (int64_t)host_greatest_divisor(
            (uint64_t)(state->entries[i].number - state->entries[i - 1].number), (uint64_t)stride);
    if (stride < 1) stride = 1;
    if (is_found && stride > 1)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "the steps are %lld apart: frame 1 is step %lld, frame 2 step %lld",
                  (long long)stride, (long long)(state->entries[0].number % stride),
                  (long long)(state->entries[0].number % stride + stride));
    bool is_between = false;
    int64_t begin = state->count ? state->entries[0].number % stride : 0;
    for (size_t i = 0; i < state->count; i++) {
        is_between |= state->entries[i].number % stride != begin;
        state->entries[i].number = state->entries[i].number / stride + 1;
    }
    for (size_t i = 0; i < sequence->lost_count; i++)
        sequence->lost[i] = (int32_t)((sequence->lost[i] / stride + 1) & INT32_MAX);
    if (is_between)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "some steps lie between those that are %lld apart: their frame numbers are "
                  "rounded down",
                  (long long)stride);
}

static int number_frames(host_sequence *sequence)
{
    numbered_state *state = sequence->state;
    if (state->count) qsort(state->entries, state->count, sizeof *state->entries, compare_entries);
    if (sequence->format->counts_steps && state->has_steps)
        steps_to_frames(sequence);
    else if (state->has_steps)
        sequence->lost_count = 0; /* numbers from file names do not count then */
    sequence->numbers = host_allocate(state->count + 1, sizeof *sequence->numbers);
    if (!sequence->numbers) return host_out_of_memory("the list of frames");
    for (size_t i = 0; i < state->count; i++) {
        const entry *at = &state->entries[i];
        const char *name = state->found.files.entries[at->file].file;
        if (at->number < INT32_MIN || at->number > INT32_MAX)
            return host_error(HOST_BAD_INPUT, name, at->offset,
                              "frame %lld is too high, at most %d", (long long)at->number,
                              INT32_MAX);
        if (i && at->number == at[-1].number)
            return host_error(HOST_BAD_INPUT, name, at->offset,
                              "frame %lld occurs twice; the first is in %s:%llu",
                              (long long)at->number, state->found.files.entries[at[-1].file].file,
                              (unsigned long long)at[-1].offset);
        sequence->numbers[i] = (int32_t)at->number;
    }
    sequence->frame_count = state->count;
    return HOST_DONE;
}

/* ---- functions for the table in formats.c */

/* Indexes the file that the path names first. If it holds several frames, it is the whole sequence,
   whatever numbered files are beside it. */
static int index_files(host_sequence *sequence)
{
    numbered_state *state = sequence->state;
    const numbered_files *found = &state->found;
    for (size_t step = 0; step < found->files.count; step++) {
        bool has_given = found->given != SIZE_MAX && sequence->format->starts_piece;
        size_t file = !has_given ? step : step == 0 ? found->given : step - (step <= found->given);
        int code = index_file(sequence, file);
        sequence->file_count++;
        if (code == HOST_BAD_INPUT && sequence->leaves_out) continue;
        if (code) return code;
        if (has_given && step == 0 && state->count > 1) return HOST_DONE;
    }
    return HOST_DONE;
}

int numbered_open(host_sequence *sequence, const char *path)
{
    numbered_state *state = host_allocate(1, sizeof *state);
    sequence->state = state;
    sequence->type = POINT_PARTICLES;
    if (!state) return host_out_of_memory("a sequence");
    int code = sequence->format->find
                   ? sequence->format->find(&state->found, path)
                   : numbered_find(&state->found, path, sequence->format->ending);
    if (code) return code;
    sequence->folder = host_text("%s", state->found.folder);
    sequence->name = host_text("%s", state->found.name);
    sequence->suffix = host_text("%s", "");
    if (!sequence->folder || !sequence->name || !sequence->suffix)
        return host_out_of_memory("a path");
    code = index_files(sequence);
    if (!code && state->count)
        qsort(state->entries, state->count, sizeof *state->entries, compare_entries);
    if (!code) code = learn_frames(sequence);
    return code ? code : number_frames(sequence);
}

int numbered_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    const numbered_state *state = sequence->state;
    host_piece piece = {0};
    int code = load_entry(sequence, &state->entries[position], &piece, frame);
    frame->number = sequence->numbers[position];
    return code;
}

void numbered_close(host_sequence *sequence)
{
    numbered_state *state = sequence->state;
    if (!state) return;
    host_source_close(&state->source);
    numbered_files_free(&state->found);
    free(state->entries);
    free(state);
    sequence->state = NULL;
}
