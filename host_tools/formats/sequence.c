/* SPDX-License-Identifier: MIT
   host_tools/formats/sequence.c - sequences and sinks of every format: open, load, sample, write.
   reads   a format's frames               writes  host_frame; a format's files
   memory  at most two frames              cost    that of the format
   after   own design; a sample uses the frames that a player without a simulation would use */
#include "formats.h"
#include "../common/packing.h"
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_stream(const host_format *format, const char *path)
{
    if (strcmp(path, "-") != 0 || format->takes_stream) return HOST_DONE;
    return host_error(
        HOST_USAGE, "-", HOST_NO_OFFSET,
        "%s cannot be read from standard input or written to standard output: %s", format->name,
        format->has_files           ? "it has one file per frame"
        : format->has_files_by_star ? "its files are searched for frames before they are read"
                                    : "its parts are not read and written in order");
}

static int open_known(host_sequence *sequence, const char *path, const host_format *format,
                      const host_hints *hints, bool leaves_out)
{
    int code = check_stream(format, path);
    if (code) return code;
    sequence->format = format;
    sequence->velocity_factor = 1;
    sequence->stride = hints->stride;
    sequence->columns = hints->columns;
    sequence->object = hints->object;
    sequence->near = hints->near;
    sequence->leaves_out = leaves_out;
    sequence->path = host_text("%s", path);
    code = sequence->path ? format->open(sequence, path) : host_out_of_memory("a path");
    if (!sequence->compression) sequence->compression = format->packing ? format->packing : "none";
    if (code) host_sequence_close(sequence);
    return code;
}

static int open_as(host_sequence *sequence, const char *path, const host_format *format,
                   const host_hints *hints, bool leaves_out)
{
    char *only = NULL, *bake = NULL;
    memset(sequence, 0, sizeof *sequence);
    int code = host_list_bake(path, &bake);
    if (bake) path = bake;
    if (!code) code = host_list_only(path, &format, &only);
    if (!code && !format) format = host_format_of(path, &code);
    if (!code) code = open_known(sequence, only ? only : path, format, hints, leaves_out);
    free(only);
    free(bake);
    return code;
}

int host_sequence_open(host_sequence *sequence, const char *path, const host_format *format)
{
    return open_as(sequence, path, format, &(host_hints){0}, false);
}

int host_sequence_open_sound(host_sequence *sequence, const char *path, const host_format *format)
{
    return open_as(sequence, path, format, &(host_hints){0}, true);
}

int host_sequence_open_hinted(host_sequence *sequence, const char *path, const host_format *format,
                              const host_hints *hints)
{
    return open_as(sequence, path, format, hints, false);
}

bool host_sequence_doubts(host_sequence *sequence)
{
    return sequence->leaves_out || !atomic_exchange(&sequence->has_doubt, true);
}

bool host_sequence_notes(host_sequence *sequence, const char *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    for (size_t i = 0; i < sequence->note_count; i++)
        if (sequence->notes[i] == hash) return false;
    uint64_t *notes = host_lengthen(sequence->notes, sequence->note_count, &sequence->note_capacity,
                                    sizeof *sequence->notes);
    if (!notes) return true; /* without memory a note may be printed twice */
    sequence->notes = notes;
    notes[sequence->note_count++] = hash;
    return true;
}

int host_sequence_lose(host_sequence *sequence, int64_t number)
{
    /* no frame can have that number */
    if (number < INT32_MIN || number > INT32_MAX) return HOST_DONE;
    int32_t *lost = host_lengthen(sequence->lost, sequence->lost_count, &sequence->lost_room,
                                  sizeof *sequence->lost);
    if (!lost) return host_out_of_memory("the list of frames");
    sequence->lost = lost;
    lost[sequence->lost_count++] = (int32_t)number;
    return HOST_DONE;
}

void host_sequence_note_points(host_sequence *sequence, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    uint32_t highest = frame->count ? indices[frame->count - 1] : 0;
    if (frame->count && highest >= sequence->point_count)
        sequence->point_count = host_index_end(highest);
}

int host_sequence_take_names(host_sequence *sequence, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path,
               *dot = strrchr(file, '.');
    size_t length = dot && dot > file ? (size_t)(dot - file) : strlen(file),
           stem = host_format_stem(file, sequence->format->ending);
    if (stem && stem != SIZE_MAX) length = stem;
    bool is_stream = strcmp(path, "-") == 0;
    sequence->folder =
        slash ? host_text("%.*s", (int)(slash > path ? slash - path : 1), path) : host_text(".");
    sequence->name = is_stream ? host_text("cache") : host_text("%.*s", (int)length, file);
    sequence->suffix = host_text("%s", "");
    return sequence->folder && sequence->name && sequence->suffix ? HOST_DONE
                                                                  : host_out_of_memory("a path");
}

int host_sequence_open_file(host_sequence *sequence, const char *path, FILE **stream)
{
    struct stat status;
    *stream = fopen(path, "rb");
    if (!*stream || fstat(fileno(*stream), &status) != 0)
        return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot read: it is no regular file");
    sequence->byte_count = (uint64_t)status.st_size;
    return host_sequence_take_names(sequence, path);
}

void host_sequence_close(host_sequence *sequence)
{
    if (sequence->format) sequence->format->close(sequence);
    free(sequence->path);
    free(sequence->folder);
    free(sequence->name);
    free(sequence->suffix);
    free(sequence->numbers);
    free(sequence->lost);
    free(sequence->notes);
    free(sequence->times);
    for (uint32_t t = 0; t < EXTRA_TYPES; t++) free(sequence->info_extra[t].bytes);
    free(sequence->detail);
    free(sequence->json);
    memset(sequence, 0, sizeof *sequence);
}

int host_sequence_retime(host_sequence *sequence, double fps)
{
    return sequence->format->retime ? sequence->format->retime(sequence, fps) : HOST_DONE;
}

int host_sequence_find_times(host_sequence *sequence)
{
    bool is_open =
        sequence->type == POINT_PARTICLES && !sequence->times && sequence->format->find_times;
    return is_open ? sequence->format->find_times(sequence) : HOST_DONE;
}

int host_sequence_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    point_units units = {1, sequence->velocity_factor, POINT_AXIS_SAME, 0};
    memset(frame, 0, sizeof *frame);
    int code = sequence->format->load(sequence, position, frame);
    if (code) return code;
    uint32_t left = host_frame_convert(frame, &units, sequence->type);
    code = host_frame_in_range(frame, sequence->path, left, "give a larger --fps");
    if (code) host_frame_free(frame);
    return code;
}

/* Number of frames whose number is below `number`. */
static size_t frames_before(const host_sequence *sequence, double number)
{
    size_t low = 0, high = sequence->frame_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sequence->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool host_sequence_find(const host_sequence *sequence, int32_t number, size_t *position)
{
    *position = frames_before(sequence, number);
    return *position < sequence->frame_count && sequence->numbers[*position] == number;
}

/* Loads the frame at `position` and gives it another number. */
static int hold(host_sequence *sequence, size_t position, double number, host_frame *frame)
{
    int code = host_sequence_load(sequence, position, frame);
    frame->number = number;
    return code;
}

int host_sequence_sample(host_sequence *sequence, double number, host_frame *frame)
{
    host_frame after;
    size_t next = frames_before(sequence, number);
    bool has_next = next < sequence->frame_count;
    memset(frame, 0, sizeof *frame);
    if (has_next && sequence->numbers[next] == number)
        return host_sequence_load(sequence, next, frame);
    if (next == 0 && (sequence->type == POINT_PARTICLES || !has_next)) {
        if (!host_frame_allocate(frame, 0, sequence->streams)) return host_out_of_memory("a frame");
        frame->number = number;
        return HOST_DONE;
    }
    if (next == 0) return hold(sequence, 0, number, frame);
    if (!has_next) return hold(sequence, next - 1, number, frame);
    if (sequence->type == POINT_DYNAMIC_PAINT) /* Blender loads both, so the later one remains */
        return hold(sequence, next, number, frame);
    int code = host_sequence_load(sequence, next - 1, frame);
    if (code) return code;
    code = host_sequence_load(sequence, next, &after);
    if (code) {
        host_frame_free(frame);
        return code;
    }
    host_interpolate(sequence, frame, &after, number);
    host_frame_free(&after);
    return HOST_DONE;
}

bool host_sequence_times(const host_sequence *sequence, const host_frame *frame, uint32_t position,
                         float times[3])
{
    uint32_t index = ((const uint32_t *)frame->data[POINT_INDEX])[position];
    const float *known = NULL;
    /* as in Blender, where the times of a frame override those of the info file */
    if (frame->data[POINT_TIMES])
        known = (const float *)frame->data[POINT_TIMES] + (size_t)position * 3;
    else if (sequence->times && index < sequence->point_count)
        known = sequence->times + (size_t)index * 3;
    if (known) memcpy(times, known, 3 * sizeof *times);
    return known != NULL;
}

/* ---- required streams */

const host_needs host_needs_location = {POINT_BIT(POINT_LOCATION), false};

uint32_t host_needs_lacks(const host_needs *needs, uint32_t type, uint32_t streams)
{
    if (type != POINT_DYNAMIC_PAINT || !needs->takes_surfaces) return needs->streams & ~streams;
    return streams & POINT_SURFACES ? 0 : POINT_SURFACES;
}

static int report_lack(const char *path, const char *frame, uint32_t type, uint32_t lack,
                       uint32_t streams, const char *user)
{
    char needed[POINT_NAMES_MAX], found[POINT_NAMES_MAX];
    point_streams_print(needed, sizeof needed, type, lack);
    point_streams_print(found, sizeof found, type, streams);
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                      "%sexpected points with %s, needed for %s, found %s%s", frame,
                      lack == POINT_SURFACES ? "values of a painted surface" : needed, user,
                      found[0] ? found : "no stream",
                      type == POINT_DYNAMIC_PAINT
                          ? "; csv, bphys and tpc can hold the values of a painted surface"
                      : frame[0] ? "; --frames A-B may choose frames that have it"
                                 : "");
}

int host_frame_need(const host_frame *frame, uint32_t type, const host_needs *needs,
                    const char *path, const char *user)
{
    char number[64];
    uint32_t lack = host_needs_lacks(needs, type, frame->streams);
    if (!lack) return HOST_DONE;
    snprintf(number, sizeof number, "frame %.10g: ", frame->number);
    return report_lack(path, number, type, lack, frame->streams, user);
}

bool host_sequence_is_z_up(const host_sequence *sequence)
{
    return sequence->format->speaks_bphys_units || sequence->up_axis == 'z';
}

int host_sequence_need(const host_sequence *sequence, const host_needs *needs, const char *user)
{
    if (sequence->type == POINT_SMOKE || sequence->type == POINT_SMOKE_HIGHRES)
        return host_error(
            HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
            "this is a smoke cache, which holds grids and no points; tidepool info describes it");
    uint32_t lack = host_needs_lacks(needs, sequence->type, sequence->streams);
    return sequence->frame_count && lack
               ? report_lack(sequence->path, "", sequence->type, lack, sequence->streams, user)
               : HOST_DONE;
}

int host_sequence_keep_alive(const host_sequence *sequence, host_frame *frame)
{
    if (sequence->type != POINT_PARTICLES) return HOST_DONE;
    bool *keep = host_allocate(frame->count, sizeof *keep);
    if (!keep) return host_out_of_memory("a frame");
    for (uint32_t i = 0; i < frame->count; i++) {
        float times[3];
        keep[i] = !host_sequence_times(sequence, frame, i, times) ||
                  ((double)times[0] <= frame->number && frame->number < (double)times[1]);
    }
    host_frame_keep(frame, keep);
    free(keep);
    return HOST_DONE;
}

/* ---- sinks */

static char *make_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || host_output_is_dry()) return NULL;
    char *folder = host_text("%.*s", (int)(slash - path), path);
    if (folder && mkdir(folder, 0777) == 0) return folder;
    free(folder); /* it is there, or the format tells why nothing can be written to it */
    return NULL;
}

/* Removes it if nothing else is in it. */
static void end_folder(host_sink *sink, bool keep)
{
    if (sink->made_folder && !keep) rmdir(sink->made_folder);
    free(sink->made_folder);
    sink->made_folder = NULL;
}

int host_sink_open(host_sink *sink, const char *path, const host_format *format,
                   const host_sink_options *options)
{
    memset(sink, 0, sizeof *sink);
    int code = check_stream(format, path);
    if (code) return code;
    if (!format->create)
        return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "%s is only read, not written; name another format", format->name);
    if (packing_tail(path) && !format->takes_gzip)
        return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "%s files are not packed with %s; leave %s out, or name another format",
                          format->name, gzip_is_name(path) ? "gzip" : "Zstandard",
                          path + strlen(path) - packing_tail(path));
    sink->format = format;
    sink->path = path;
    sink->options = *options;
    uint32_t lack =
        options->streams ? host_needs_lacks(&format->needs, options->type, options->streams) : 0;
    if (lack) return report_lack(path, "", options->type, lack, options->streams, format->name);
    sink->made_folder = make_folder_of(path);
    code = format->create(sink, path);
    if (code) end_folder(sink, false);
    return code;
}

int host_sink_encode(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    int code = host_frame_need(frame, sink->options.type, &sink->format->needs, sink->path,
                               sink->format->name);
    if (code) return code;
    return sink->format->encode ? sink->format->encode(sink, frame, bytes, size) : HOST_DONE;
}

int host_sink_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size)
{
    if (sink->format->put) return sink->format->put(sink, frame, bytes, size);
    return sink->format->write(sink, frame);
}

int host_sink_write(host_sink *sink, const host_frame *frame)
{
    uint8_t *bytes;
    size_t size;
    int code = host_sink_encode(sink, frame, &bytes, &size);
    if (!code) code = host_sink_put(sink, frame, bytes, size);
    free(bytes);
    return code;
}

int host_sink_pass(host_sink *sink, const host_frame *frame)
{
    return sink->format->pass ? sink->format->pass(sink, frame) : HOST_DONE;
}

int host_sink_check_frames(const char *name, uint64_t frames)
{
    if (frames > 0) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, name, HOST_NO_OFFSET,
                      "no frame was written, expected at least one");
}

int host_sink_finish(host_sink *sink)
{
    int code = sink->format->finish(sink);
    end_folder(sink, !code);
    return code;
}

void host_sink_abandon(host_sink *sink)
{
    sink->format->abandon(sink);
    end_folder(sink, false);
}
