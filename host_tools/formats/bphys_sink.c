/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_sink.c - writes a .bphys sequence: frames, then the info file (birth,
           death).
   reads   host_frame                      writes  NAME_FFFFFF_00.bphys, NAME_000000_00.bphys
   memory  8 bytes per point, 28 with TIMES    cost    O(bytes) per frame
   after   Blender's rules for external caches: frames from 1, ascending indices, info file for
           particles */
#include "bphys_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* First and last frame in which a point is alive; 0: none. */
typedef struct shown {
    int32_t first, last;
} shown;

/* The latest frames, if they have the same points, 0 to count - 1: usual, and then no frame needs a
   look at each point. */
typedef struct presence_run {
    uint32_t count; /* 0: there is no run */
    int32_t first, last;
} presence_run;

typedef struct bphys_sink {
    bphys_staging *staging;
    char *name;         /* for messages: FOLDER/NAME */
    bphys_share share;  /* folder NULL: all frames are written */
    int32_t last_frame; /* of all frames, also of those without points */
    bool has_frame;     /* last_frame is set */
    int64_t widest;     /* largest frame interval so far */
    /* points of the first frame, for types whose points are those of a mesh */
    uint32_t mesh_count;
    uint32_t count, capacity; /* highest index written + 1, and the capacity of the arrays */
    uint64_t records;         /* sum of the points of all frames so far */
    /* First and last frame that contains each point; first BPHYS_NOT_SEEN: none. Without the frames
       of the run. */
    int32_t *first, *last;
    presence_run run;
    /* The latest TIMES of each point; NULL: no frame had TIMES. */
    float *times;
    shown *alive; /* according to the TIMES of each frame; allocated with `times` */
} bphys_sink;

static void free_state(bphys_sink *state)
{
    free(state->name);
    free(state->share.folder);
    free(state->share.name);
    free(state->share.suffix);
    free(state->first);
    free(state->last);
    free(state->times);
    free(state->alive);
    free(state);
}

/* Compares type and number of points, as far as known, with the existing files of other shares. */
static int check_share(host_sink *sink, uint32_t points, bool is_exact)
{
    bphys_sink *state = sink->state;
    state->share.points = points;
    state->share.is_exact = is_exact;
    return sink->options.is_share ? bphys_check_share(&state->share) : HOST_DONE;
}

static int note_share(host_sink *sink, const char *folder, const char *name, const char *suffix,
                      const bphys_range *range)
{
    const host_sink_options *options = &sink->options;
    bphys_sink *state = sink->state;
    state->share = (bphys_share){host_text("%s", folder),
                                 host_text("%s", name),
                                 host_text("%s", suffix),
                                 options->type,
                                 *range,
                                 0,
                                 false};
    if (!state->share.folder || !state->share.name || !state->share.suffix)
        return host_out_of_memory("a path");
    return check_share(sink, options->type == POINT_PARTICLES ? options->point_count : 0, true);
}

int bphys_create_at(host_sink *sink, const char *folder, const char *name, const char *suffix)
{
    int code;
    const host_sink_options *options = &sink->options;
    bphys_range share = {options->share_first, options->share_last, options->has_info};
    bphys_sink *state = host_allocate(1, sizeof *state);
    if (!state) return host_out_of_memory("a sequence");
    state->name = host_text("%s/%s", folder, name);
    if (state->name)
        state->staging = bphys_staging_open(folder, name, suffix,
                                            options->is_share ? &share : &bphys_whole, &code);
    if (!state->name) code = host_out_of_memory("a path");
    if (!state->staging) {
        free_state(state);
        return code;
    }
    sink->state = state;
    code = note_share(sink, folder, name, suffix, &share);
    if (code) bphys_abandon(sink);
    return code;
}

int bphys_create(host_sink *sink, const char *path)
{
    bphys_pattern pattern;
    struct stat status;
    size_t length = strlen(path);
    const char *name = sink->options.name && *sink->options.name ? sink->options.name : "cache";
    if ((length && path[length - 1] == '/') ||
        (stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        char *folder = host_text(
            "%.*s", (int)(length > 1 && path[length - 1] == '/' ? length - 1 : length), path);
        int made =
            folder ? bphys_create_at(sink, folder, name, "_00") : host_out_of_memory("a path");
        free(folder);
        return made;
    }
    if (!bphys_pattern_parse(path, &pattern)) return host_out_of_memory("a path");
    int code = bphys_create_at(sink, pattern.folder, pattern.name,
                               pattern.suffix ? pattern.suffix : "_00");
    bphys_pattern_free(&pattern);
    return code;
}

/* ---- which frames contain each point */

static bool grow_array(void **array, size_t old_count, size_t count, size_t item)
{
    uint8_t *larger = realloc(*array, count * item);
    if (!larger) return false;
    memset(larger + old_count * item, 0, (count - old_count) * item);
    *array = larger;
    return true;
}

enum { LIVES_ALWAYS = 1 << 21, LIVES_A_RECORD = 64 };

/* The info file has 12 bytes for every index up to the highest. The number of indices is limited by
   the size of the input, so that a small file with one high index does not produce a gigabyte. */
static uint32_t lives_max(const host_sink *sink)
{
    const bphys_sink *state = sink->state;
    uint64_t bytes = sink->options.source_bytes;
    uint64_t most = LIVES_ALWAYS + bytes + LIVES_A_RECORD * state->records;
    return bytes && most < BPHYS_POINTS_MAX ? (uint32_t)most : BPHYS_POINTS_MAX;
}

static int check_lives(const host_sink *sink, uint64_t count)
{
    const bphys_sink *state = sink->state;
    uint32_t most = lives_max(sink);
    if (count <= most) return HOST_DONE;
    return host_error(
        HOST_BAD_INPUT, state->name, HOST_NO_OFFSET,
        "index %llu is too high for %llu points of an input of %llu bytes, expected up to %u: the "
        "info file has 12 bytes for every index; number the points from 0 without gaps",
        (unsigned long long)count - 1, (unsigned long long)state->records,
        (unsigned long long)sink->options.source_bytes, most - 1);
}

/* Grows the arrays by doubling until `highest` is a valid index. */
static int reserve(const host_sink *sink, uint32_t highest, bool times)
{
    bphys_sink *state = sink->state;
    uint32_t capacity = state->capacity ? state->capacity : 1024;
    if (highest >= BPHYS_POINTS_MAX)
        return host_error(HOST_BAD_INPUT, state->name, HOST_NO_OFFSET,
                          "index %u is too high, at most %u; number the points from 0", highest,
                          BPHYS_POINTS_MAX - 1);
    int code = check_lives(sink, (uint64_t)highest + 1);
    if (code) return code;
    while (capacity <= highest) capacity *= 2;
    void *first = state->first, *last = state->last, *times_array = state->times,
         *alive = state->alive;
    bool good = true;
    if (capacity > state->capacity) {
        good = grow_array(&first, state->capacity, capacity, sizeof *state->first);
        state->first = first;
        for (uint32_t i = state->capacity; good && i < capacity; i++)
            state->first[i] = BPHYS_NOT_SEEN;
        good = good && grow_array(&last, state->capacity, capacity, sizeof *state->last);
        state->last = last;
    }
    if (good && (times || state->times) && (capacity > state->capacity || !state->times)) {
        uint32_t old = state->times ? state->capacity : 0;
        good = grow_array(&alive, old, capacity, sizeof *state->alive);
        state->alive = alive;
        good = good && grow_array(&times_array, old, capacity, 3 * sizeof *state->times);
        state->times = times_array;
    }
    if (!good) return host_out_of_memory("birth and death of the points");
    state->capacity = capacity;
    return HOST_DONE;
}

/* Stores a point's own birth and death; if it is alive in this frame by them, extends its range of
   frames. */
static void note_times(bphys_sink *state, uint32_t point, const float times[3], int32_t number)
{
    shown *alive = &state->alive[point];
    memcpy(&state->times[(size_t)point * 3], times, 3 * sizeof *times);
    if (!((double)times[0] <= number && number < (double)times[1])) return;
    if (!alive->first) alive->first = number;
    alive->last = number;
}

static void note_point(bphys_sink *state, uint32_t point, int32_t first, int32_t last)
{
    if (state->first[point] == BPHYS_NOT_SEEN) state->first[point] = first;
    state->last[point] = last;
}

/* The arrays contain the run's frames, too. */
static void end_run(bphys_sink *state)
{
    for (uint32_t i = 0; i < state->run.count; i++)
        note_point(state, i, state->run.first, state->run.last);
    state->run.count = 0;
}

static bool is_running(const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    return !frame->count || (indices[0] == 0 && indices[frame->count - 1] == frame->count - 1);
}

static int note_presence(const host_sink *sink, const host_frame *frame)
{
    bphys_sink *state = sink->state;
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *times = frame->data[POINT_TIMES];
    uint32_t highest = indices[frame->count - 1];
    int32_t number = (int32_t)frame->number;
    bool is_plain = is_running(frame) && !times;
    state->records += frame->count;
    if (!is_plain || state->run.count != frame->count) end_run(state);
    int code = reserve(sink, highest, times != NULL);
    if (code) return code;
    if (highest + 1 > state->count) state->count = highest + 1;
    if (is_plain) {
        state->run =
            (presence_run){frame->count, state->run.count ? state->run.first : number, number};
        return HOST_DONE;
    }
    for (uint32_t i = 0; i < frame->count; i++) {
        note_point(state, indices[i], number, number);
        if (times) note_times(state, indices[i], times + (size_t)i * 3, number);
    }
    return HOST_DONE;
}

/* ---- frames */

static int check_range(const bphys_sink *state, double number)
{
    if (number != floor(number) || number < 1 || number > BPHYS_FRAME_MAX)
        return host_error(HOST_BAD_INPUT, state->name, HOST_NO_OFFSET,
                          "frame %.10g cannot be a .bphys frame, expected 1 to %d (0 is the info "
                          "file); move the frames "
                          "with --shift N",
                          number, BPHYS_FRAME_MAX);
    return HOST_DONE;
}

static int check_order(bphys_sink *state, double number)
{
    bool is_first = !state->has_frame;
    if (!is_first && (int32_t)number <= state->last_frame)
        return host_error(HOST_BAD_INPUT, state->name, HOST_NO_OFFSET,
                          "frame %.10g comes after frame %d, expected ascending frames", number,
                          (int)state->last_frame);
    int64_t gap = is_first ? 0 : (int64_t)number - state->last_frame;
    if (gap > state->widest) state->widest = gap;
    state->last_frame = (int32_t)number;
    state->has_frame = true;
    return HOST_DONE;
}

/* Soft body, cloth and rigid body have no INDEX: each frame must contain all points of the mesh. */
static int check_mesh(bphys_sink *state, const host_frame *frame, uint32_t type)
{
    if (!state->mesh_count) state->mesh_count = frame->count;
    if (is_running(frame) && frame->count == state->mesh_count) return HOST_DONE;
    return host_error(
        HOST_BAD_INPUT, state->name, HOST_NO_OFFSET,
        "frame %.10g lacks points: each frame of type %s must have the points 0 to %u",
        frame->number, point_type_name(type), state->mesh_count - 1);
}

/* Stores a frame without compression if its points are so alike that bphys_check_claim would refuse
   the compressed file. */
static uint8_t *encode_readable(const host_frame *frame, const host_sink_options *options,
                                size_t *size)
{
    uint8_t *bytes = bphys_encode(frame, options->type, options->compression, size);
    if (!bytes || frame->count <= bphys_claim_max(*size)) return bytes;
    free(bytes);
    return bphys_encode(frame, options->type, HOST_COMPRESSION_NONE, size);
}

int bphys_encode_frame(const host_sink *sink, const host_frame *frame, uint8_t **bytes,
                       size_t *size)
{
    host_frame written = *frame; /* shares the arrays */
    if (!frame->count && !sink->options.keep_empty)
        return HOST_DONE; /* like Blender: a frame without points has no file */
    if (sink->options.type != POINT_PARTICLES)
        written.streams &= ~POINT_BIT(POINT_INDEX);
    else if (!is_running(frame))
        written.streams |= POINT_BIT(POINT_INDEX);
    if (!sink->options.keep_times) written.streams &= ~POINT_BIT(POINT_TIMES);
    *bytes = encode_readable(&written, &sink->options, size);
    return *bytes ? HOST_DONE : host_out_of_memory("a frame");
}

int bphys_pass(host_sink *sink, const host_frame *frame)
{
    bphys_sink *state = sink->state;
    int code = check_order(state, frame->number);
    if (code || (!frame->count && !sink->options.keep_empty)) return code;
    if (sink->options.type != POINT_PARTICLES) return check_mesh(state, frame, sink->options.type);
    return frame->count ? note_presence(sink, frame) : HOST_DONE;
}

int bphys_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size)
{
    bphys_sink *state = sink->state;
    int code = check_range(state, frame->number);
    if (!code) code = bphys_pass(sink, frame);
    if (code || !bytes) return code;
    return bphys_staging_write(state->staging, (int32_t)frame->number, bytes, size);
}

/* ---- the info file */

enum { INFO_BYTES_NOTED = 1 << 24 }; /* smaller files get no note */

void bphys_times_from_presence(int32_t first, int32_t last, int32_t last_frame, float times[3])
{
    bool survives = last == last_frame;
    bool seen = first != BPHYS_NOT_SEEN;
    times[0] = seen ? (float)first : BPHYS_NEVER;
    times[1] = seen && !survives ? (float)(last + 1) : BPHYS_NEVER;
    times[2] = times[1] - times[0];
}

/* The cache step of an external cache is set in Blender. Blender does not interpolate a point that
   is born more than one such step after a file. */
static void note_early_points(const bphys_sink *state, const float *times, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < state->count && state->widest > 1; i++) {
        double birth = (double)times[(size_t)i * 3];
        if (state->first[i] == BPHYS_NOT_SEEN || birth >= (double)BPHYS_NEVER ||
            birth < (double)state->first[i] + 2)
            continue;
        host_note(state->name, HOST_NO_OFFSET,
                  "points are born between files %lld frames apart: for their first frames Blender "
                  "needs a cache "
                  "step of %lld, or convert with --step 1",
                  (long long)state->widest, (long long)state->widest);
        return;
    }
}

/* The info file has an entry for every index, used or not. Prints a note when most are unused. No
   note if all times were given: then the input is as large, and a share does not see all points. */
static void note_gaps(const bphys_sink *state, bool knows_times, uint32_t count, size_t size)
{
    uint32_t used = 0;
    if (size < INFO_BYTES_NOTED || knows_times) return;
    for (uint32_t i = 0; i < count && i < state->count; i++)
        used += state->first[i] != BPHYS_NOT_SEEN;
    if (used < count / 16)
        host_note(state->name, HOST_NO_OFFSET,
                  "the info file takes %zu bytes for %u points, of which %u %s in frames; number "
                  "the points "
                  "from 0 without gaps to make it small",
                  size, count, used, used == 1 ? "is" : "are");
}

/* The info file has one birth and death per point. Prints a note when the frames' own times differ,
   because an index is used again or the death was predicted differently. */
static void note_lost_lives(const host_sink *sink, const float *times, uint32_t count)
{
    const bphys_sink *state = sink->state;
    uint32_t lost = 0, first = 0;
    for (uint32_t i = 0; state->alive && !sink->options.keep_times && i < count && i < state->count;
         i++) {
        const shown *alive = &state->alive[i];
        const float *life = times + (size_t)i * 3;
        if (!alive->first || ((double)life[0] <= alive->first && alive->last < (double)life[1]))
            continue;
        if (!lost++) first = i;
    }
    if (!lost) return;
    bool is_late = (double)times[(size_t)first * 3] > state->alive[first].first;
    host_note(state->name, HOST_NO_OFFSET,
              "birth and death of %u point%s change from frame to frame, and the info file has the "
              "last of each: "
              "Blender does not show point %u in frame %d; give --streams with times among the "
              "names to keep "
              "them in each frame",
              lost, lost == 1 ? "" : "s", first,
              (int)(is_late ? state->alive[first].first : state->alive[first].last));
}

/* Number of points in the whole system, as far as known. */
static uint32_t system_count(const host_sink *sink)
{
    const bphys_sink *state = sink->state;
    const host_sink_options *options = &sink->options;
    bool is_known = options->times || options->point_count > state->count;
    return is_known ? options->point_count : state->count;
}

static int write_info(host_sink *sink)
{
    size_t size;
    host_frame info;
    bphys_sink *state = sink->state;
    const host_sink_options *options = &sink->options;
    uint32_t count = system_count(sink);
    if (count > BPHYS_POINTS_MAX)
        return host_error(HOST_BAD_INPUT, state->name, HOST_NO_OFFSET,
                          "the input's info file promises %u points, at most %u can be written; is "
                          "its header damaged?",
                          count, BPHYS_POINTS_MAX);
    int code = check_lives(sink, count);
    if (code) return code;
    if (!host_frame_allocate(&info, count, POINT_BIT(POINT_TIMES)))
        return host_out_of_memory("the info file");
    float *times = info.data[POINT_TIMES];
    end_run(state);
    for (uint32_t i = 0; i < count; i++) {
        float *to = times + (size_t)i * 3;
        bool seen = i < state->count && state->first[i] != BPHYS_NOT_SEEN;
        if (options->times && i < options->point_count)
            memcpy(to, options->times + (size_t)i * 3, 3 * sizeof *to);
        else if (state->times && seen)
            memcpy(to, state->times + (size_t)i * 3, 3 * sizeof *to);
        else
            bphys_times_from_presence(seen ? state->first[i] : BPHYS_NOT_SEEN,
                                      seen ? state->last[i] : 0, state->last_frame, to);
    }
    note_early_points(state, times, count);
    note_lost_lives(sink, times, count);
    /* borrowed */
    if (options->info_extra) memcpy(info.extra, options->info_extra, sizeof info.extra);
    uint8_t *bytes = bphys_encode(&info, POINT_PARTICLES, options->compression, &size);
    code = bytes ? bphys_staging_write(state->staging, 0, bytes, size)
                 : host_out_of_memory("the info file");
    if (!code) note_gaps(state, options->times != NULL, count, size);
    free(bytes);
    memset(info.extra, 0, sizeof info.extra);
    host_frame_free(&info);
    return code;
}

int bphys_finish(host_sink *sink)
{
    bphys_sink *state = sink->state;
    const host_sink_options *options = &sink->options;
    bool is_system = options->type == POINT_PARTICLES;
    bool has_info = is_system && (!options->is_share || options->has_info);
    uint32_t points = is_system ? system_count(sink) : state->mesh_count;
    int code = check_share(sink, points, !is_system || has_info || options->point_count);
    if (!code && has_info) code = write_info(sink);
    if (code)
        bphys_staging_abandon(state->staging);
    else
        code = bphys_staging_commit(state->staging);
    free_state(state);
    sink->state = NULL;
    return code;
}

void bphys_abandon(host_sink *sink)
{
    bphys_sink *state = sink->state;
    bphys_staging_abandon(state->staging);
    free_state(state);
    sink->state = NULL;
}
