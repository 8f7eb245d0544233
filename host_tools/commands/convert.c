/* SPDX-License-Identifier: MIT
   host_tools/commands/convert.c - `tidepool convert`: converts a sequence of frames from one format
           to another.
   reads   any format of formats.c         writes  any of them, whole or not at all
   memory  two frames per job      cost    O(bytes), divided among the jobs
   after   own design */
#include "../common/ordered.h"
#include "../common/text.h"
#include "../formats/bphys.h"
#include "../formats/faces.h"
#include "../formats/tpc.h"
#include "convert_errors.h"
#include "convert_finite.h"
#include "convert_implied.h"
#include "output.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
extern const char help_convert[]; /* convert_help.c */

typedef struct convert_job {
    host_sequence input;
    const host_format *to;
    const char *out_path;
    double fps; /* 0: velocities are not converted */
    point_units units;
    host_encoding encoding;
    uint32_t stride;
    bool selects; /* --streams was given */
    uint32_t streams;
    host_compression compression;
    bool has_range, interpolates;
    int32_t first, last, step;
    bool wants_info; /* --info */
    bool quiet;
    uint32_t jobs;
    convert_errors errors;
    host_faces faces;        /* --mesh */
    bool is_dry;             /* --dry-run: all frames are made, and go nowhere */
    bool copies;             /* files of frames may be copied: only their frame numbers change */
    bool is_measuring;       /* first pass: frames are made only to measure their ranges */
    bool dropped_extra;      /* a frame had extra data that the output cannot hold */
    convert_finite finite;   /* values of the written frames that are not finite */
    int32_t *numbers;        /* frame numbers to load, ascending */
    size_t count, own_count; /* frames to load; frames to write */
    host_sink sink;          /* open while frames are written */
    host_progress progress;
    pthread_mutex_t one_load; /* lock for formats that load one frame at a time */
} convert_job;

enum { OPTION_COUNT = 26 };
static const host_option all_options[OPTION_COUNT] = {
    {"from", false, NULL},         {"to", false, NULL},          {"frames", false, NULL},
    {"step", false, NULL},         {"shift", false, NULL},       {"fps", false, NULL},
    {"streams", false, NULL},      {"scale", false, NULL},       {"axis", false, NULL},
    {"type", false, NULL},         {"quiet", true, NULL},        {"compression", false, NULL},
    {"key-interval", false, NULL}, {"error", false, NULL},       {"exact", true, NULL},
    {"jobs", false, NULL},         {"encoding", false, NULL},    {"stride", false, NULL},
    {"info", true, NULL},          {"block-bytes", false, NULL}, {"columns", false, NULL},
    {"packed", true, NULL},        {"unpacked", true, NULL},     {"dry-run", true, NULL},
    {"object", false, NULL},       {"mesh", false, NULL},
};

static const char *option(const host_option *options, const char *name)
{
    return host_option_value(options, OPTION_COUNT, name);
}

static int bad_option(const char *name, const char *value, const char *expected)
{
    return output_bad_option("convert", name, value, expected);
}

/* ---- options */

static int read_frames(const host_option *options, convert_job *job)
{
    int32_t shift = 0;
    const char *range = option(options, "frames"), *step = option(options, "step"),
               *moved = option(options, "shift");
    job->has_range = range != NULL;
    job->interpolates = step != NULL;
    if (range && !host_parse_range(range, &job->first, &job->last))
        return bad_option("frames", range, "A-B with A not above B, for example 1-100");
    if (step && (!host_parse_i32(step, &job->step) || job->step < 1))
        return bad_option("step", step, "a whole number from 1 to 2147483647");
    if (moved &&
        (!host_parse_i32(moved, &shift) || shift > BPHYS_FRAME_MAX || shift < -BPHYS_FRAME_MAX))
        return bad_option("shift", moved, "a whole number of frames from -999999 to 999999");
    job->units.time_shift = (float)shift;
    job->wants_info = option(options, "info") != NULL;
    if (job->wants_info && !range)
        return host_error(
            HOST_USAGE, "convert", HOST_NO_OFFSET,
            "--info needs --frames A-B; without --frames the info file is always written");
    return HOST_DONE;
}

static int read_units(const host_option *options, convert_job *job)
{
    double scale = 1;
    const char *text = option(options, "scale");
    if (text && (!host_parse_f64(text, &scale) || !(scale >= 1e-37 && scale <= 1e37)))
        return bad_option("scale", text, "a number from 1e-37 to 1e37");
    job->units.scale = (float)scale;
    text = option(options, "fps");
    if (text && (!host_parse_f64(text, &job->fps) || !(job->fps >= 1e-30 && job->fps <= 1e30)))
        return bad_option("fps", text, "a number from 1e-30 to 1e30");
    text = option(options, "axis");
    if (text && strcmp(text, "y-up") != 0 && strcmp(text, "z-up") != 0)
        return bad_option("axis", text, "y-up or z-up");
    return HOST_DONE;
}

static int read_encoding(const host_option *options, convert_job *job)
{
    const char *text = option(options, "encoding"), *stride = option(options, "stride");
    if (stride && (!host_parse_u32(stride, &job->stride) || job->stride < 1))
        return bad_option("stride", stride, "a whole number of time steps from 1");
    if (!text) return HOST_DONE;
    for (int e = ENCODING_ASCII; e < ENCODING_COUNT; e++)
        if (strcmp(host_encoding_names[e], text) == 0) job->encoding = (host_encoding)e;
    if (!job->encoding) return bad_option("encoding", text, "ascii, little, big, classic or json");
    if (job->to->encodings & ENCODING_BIT(job->encoding)) return HOST_DONE;
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "--encoding %s: format %s cannot be written in this encoding", text,
                      job->to->name);
}

/* Only .bphys has an info file. */
static int check_info(const convert_job *job)
{
    if (!job->wants_info || job->to->pass) return HOST_DONE;
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "--info has no meaning here: %s has no info file; leave it out",
                      job->to->name);
}

/* ---- options that depend on the input */

static int check_stride(const convert_job *job)
{
    if (!job->stride || job->input.format->counts_steps || job->to->counts_steps) return HOST_DONE;
    return host_error(
        HOST_USAGE, "convert", HOST_NO_OFFSET,
        "--stride has no meaning here: neither %s nor %s counts time steps; leave it out",
        job->input.format->name, job->to->name);
}

static int check_column_names(const host_option *options, const convert_job *job)
{
    if (option(options, "object") && job->input.format != host_format_named("abc"))
        return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                          "--object has no meaning here: %s is no archive of objects; leave it out",
                          job->input.format->name);
    if (!option(options, "columns") || job->input.format == host_format_named("csv"))
        return HOST_DONE;
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "--columns has no meaning here: %s is no table; leave it out",
                      job->input.format->name);
}

static int read_type(const host_option *options, convert_job *job)
{
    const char *text = option(options, "type");
    uint32_t type;
    if (!text) return HOST_DONE;
    if (job->input.format->speaks_bphys_units || job->input.streams & POINT_SURFACES)
        return host_error(
            HOST_USAGE, "convert", HOST_NO_OFFSET,
            "--type is for input formats without types; %s already states that it holds %s",
            job->input.path, point_type_name(job->input.type));
    if (!point_type_parse(text, &type) || (type >= POINT_SMOKE && type <= POINT_DYNAMIC_PAINT))
        return bad_option("type", text, "particles, softbody, cloth or rigidbody");
    job->input.type = type;
    return HOST_DONE;
}

/* The selected streams must include the ones that the output needs. */
static int check_selection(const convert_job *job)
{
    uint32_t kept = job->streams & job->input.streams;
    uint32_t lack = host_needs_lacks(&job->to->needs, job->input.type, kept);
    if (!lack) return HOST_DONE;
    if (lack == POINT_SURFACES)
        return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                          "--streams must include a stream of the painted surface; without it "
                          "there are no values");
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "--streams must include location; without it there are no points");
}

static int read_streams(const host_option *options, convert_job *job)
{
    char word[POINT_NAMES_MAX], have[POINT_NAMES_MAX];
    const char *text = option(options, "streams");
    uint32_t available = job->input.streams | POINT_BIT(POINT_INDEX) | POINT_EXTRA;
    if (job->input.times) available |= POINT_BIT(POINT_TIMES);
    job->selects = text != NULL;
    job->streams = POINT_EVERY | POINT_EXTRA;
    if (!text) return HOST_DONE;
    point_streams_print(have, sizeof have, job->input.type, available);
    if (!point_streams_parse(text, &job->streams, word, sizeof word))
        return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                          "--streams has no stream \"%s\"; %s has %s", word, job->input.path, have);
    uint32_t missing = job->streams & ~available;
    point_streams_print(word, sizeof word, job->input.type, missing);
    if (missing)
        return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                          "--streams asks for %s, but %s has %s", word, job->input.path, have);
    return check_selection(job);
}

/* Velocities and axes are converted only between .bphys and a format without fixed units. */
static int plan_units(const host_option *options, convert_job *job)
{
    bool from_bphys = job->input.format->speaks_bphys_units, to_bphys = job->to->speaks_bphys_units;
    const char *axis = option(options, "axis");
    bool y_up = axis ? strcmp(axis, "y-up") == 0 : to_bphys && job->input.up_axis == 'y';
    job->units.axis = !y_up                     ? POINT_AXIS_SAME
                      : from_bphys && !to_bphys ? POINT_AXIS_Z_TO_Y_UP
                                                : POINT_AXIS_Y_TO_Z_UP;
    job->units.velocity_factor = 1;
    bool states = !from_bphys || (job->to->fps > 0 && job->input.fps > 0); /* a clip its rate */
    double fps = job->fps > 0 ? job->fps : states ? job->input.fps : job->to->fps;
    if (!(fps > 0) || (!(job->fps > 0) && from_bphys == to_bphys)) return HOST_DONE;
    bool has_seconds = job->input.format->retime || job->to->retime || job->to->fps > 0;
    if (from_bphys == to_bphys && has_seconds) return HOST_DONE;
    if (from_bphys == to_bphys)
        return host_error(
            HOST_USAGE, "convert", HOST_NO_OFFSET,
            "--fps converts velocities between .bphys and another format; here both sides are %s",
            job->to == job->input.format ? job->to->name : "others");
    /* other types: distance per frame */
    double frame_time = job->input.type == POINT_PARTICLES ? BPHYS_SECONDS_A_FRAME : 1.0;
    double factor = 1 / (fps * frame_time);
    if (from_bphys)
        job->units.velocity_factor = (float)(1 / factor);
    else
        job->input.velocity_factor =
            (float)factor; /* applied when loading, so that interpolation has the right tangents */
    return HOST_DONE;
}

/* True when only frame numbers change on the way from .bphys to .bphys. */
static bool may_copy(const convert_job *job)
{
    const host_format *bphys = host_format_named("bphys");
    return job->input.format == bphys && job->to == bphys && !job->compression &&
           !job->interpolates && !job->selects && !(job->fps > 0) && job->units.scale == 1.0f &&
           job->units.velocity_factor == 1.0f && job->units.axis == POINT_AXIS_SAME;
}

/* ---- times of birth and death */

/* An info file that only repeats in which frames points are present adds no columns to a table. So
   a table that was converted to .bphys and back is unchanged. */
static int drop_implied_times(convert_job *job)
{
    bool same = false;
    if (!job->input.times || job->to->speaks_bphys_units || job->selects) return HOST_DONE;
    int code = convert_implied(&job->input, &same);
    if (same) job->streams &= ~POINT_BIT(POINT_TIMES);
    return code;
}

/* A .bphys frame also holds points just before birth and after death; which ones depends on the
   step. */
static int keep_present(const convert_job *job, host_frame *frame)
{
    if (!job->interpolates || !job->input.times || !job->to->speaks_bphys_units) return HOST_DONE;
    bool *keep = host_allocate(frame->count, sizeof *keep);
    if (!keep) return host_out_of_memory("a frame");
    for (uint32_t i = 0; i < frame->count; i++) {
        float times[3];
        keep[i] = !host_sequence_times(&job->input, frame, i, times) ||
                  bphys_is_present(times, frame->number, job->step);
    }
    host_frame_keep(frame, keep);
    free(keep);
    return HOST_DONE;
}

static int attach_times(convert_job *job, host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    bool wanted =
        job->input.times && job->streams & POINT_BIT(POINT_TIMES) && !job->to->speaks_bphys_units;
    if (!wanted || frame->data[POINT_TIMES]) return HOST_DONE;
    float *times = host_allocate(frame->count, 3 * sizeof *times);
    if (!times) return host_out_of_memory("a frame");
    for (uint32_t i = 0; i < frame->count; i++)
        if (indices[i] < job->input.point_count)
            memcpy(times + (size_t)i * 3, job->input.times + (size_t)indices[i] * 3,
                   3 * sizeof *times);
    frame->data[POINT_TIMES] = times;
    frame->streams |= POINT_BIT(POINT_TIMES);
    return HOST_DONE;
}

static bool has_extra(const host_frame *frame)
{
    for (uint32_t t = 0; t < EXTRA_TYPES; t++)
        if (frame->extra[t].count) return true;
    return false;
}

/* Refuses NaN and infinity on the way into .bphys from other formats, because Blender must not get
   them. Conversions from .bphys and .tpc keep all values. */
static int check_finite(const convert_job *job, const host_frame *frame)
{
    if (job->input.format->speaks_bphys_units || !job->to->speaks_bphys_units) return HOST_DONE;
    return convert_finite_check(frame, job->input.path, job->to);
}

/* ---- which frames */

static bool holds(const convert_job *job, int32_t number)
{
    return !job->has_range || (number >= job->first && number <= job->last);
}

static bool is_share(const convert_job *job)
{
    bool has_star = strchr(job->out_path, '*') != NULL;
    return job->has_range && (job->to->has_files || (has_star && job->to->has_files_by_star));
}

static bool has_info(const convert_job *job)
{
    return !is_share(job) || job->wants_info || holds(job, job->input.numbers[0]);
}

/* True if a share must load frames that it does not write: its info file describes the points of
   all frames. */
static bool looks_at_others(const convert_job *job)
{
    return is_share(job) && has_info(job) && job->to->pass && !job->input.times;
}

/* True if births and deaths must be searched in all frames; false for a share that only copies its
   own frames. */
static bool needs_times(const convert_job *job)
{
    bool is_copy = is_share(job) && job->to->speaks_bphys_units && !job->interpolates;
    return !is_copy || (job->input.frame_count && has_info(job));
}

static void add_number(convert_job *job, int64_t number)
{
    bool own = holds(job, (int32_t)number);
    if (!own && !looks_at_others(job)) return;
    job->numbers[job->count++] = (int32_t)number;
    job->own_count += own;
}

enum { CONVERT_STEPS_MAX = 1 << 24 };

/* With --step: first and last frame of the result, between the first and the last stored frame.
   Limited to
   --frames, unless other frames must be loaded too. */
static int find_steps(const convert_job *job, int64_t *first, int64_t *last)
{
    int64_t lowest = *first;
    if (job->has_range)
        *first = job->first + (lowest - job->first) / job->step * job->step; /* counted from A */
    if (*first < lowest) *first += job->step;
    if (job->has_range && !looks_at_others(job)) {
        if (*first < job->first) *first = job->first;
        if (*last > job->last) *last = job->last;
    }
    int64_t steps = *first <= *last ? (*last - *first) / job->step + 1 : 0;
    if (steps <= CONVERT_STEPS_MAX) return HOST_DONE;
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "--step %d makes %lld frames of %s, the limit is %d; use a longer step%s",
                      (int)job->step, (long long)steps, job->input.path, CONVERT_STEPS_MAX,
                      job->has_range ? "" : ", or --frames A-B");
}

/* Lists the stored frames in the range; with --step every Nth frame between the first and the last
   stored frame. */
static int list_numbers(convert_job *job)
{
    const host_sequence *input = &job->input;
    if (!input->frame_count)
        return host_error(HOST_BAD_INPUT, input->path, HOST_NO_OFFSET,
                          "expected at least one frame, found none");
    int64_t lowest = input->numbers[0], highest = input->numbers[input->frame_count - 1],
            n = lowest, end = highest;
    size_t room = input->frame_count;
    if (job->interpolates) {
        int code = find_steps(job, &n, &end);
        if (code) return code;
        room = n <= end ? (size_t)((end - n) / job->step + 1) : 0;
    }
    job->numbers = host_allocate(room + 1, sizeof *job->numbers);
    if (!job->numbers) return host_out_of_memory("the list of frames");
    for (; job->interpolates && n <= end; n += job->step) add_number(job, n);
    for (size_t i = 0; !job->interpolates && i < input->frame_count; i++)
        add_number(job, input->numbers[i]);
    bool in_a_hole = is_share(job) && job->last >= lowest && job->first <= highest;
    if (job->own_count || in_a_hole)
        return HOST_DONE; /* other shares have the frames before and after the hole */
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "%s has no frame in %d-%d; its frames are %d to %d", input->path,
                      (int)job->first, (int)job->last, (int)lowest, (int)highest);
}

/* Checks all loaded frames, also those that a share does not write. */
static int check_shift(const convert_job *job)
{
    int64_t shift = (int64_t)job->units.time_shift;
    size_t ends[2] = {0, job->count ? job->count - 1 : 0};
    for (int k = 0; k < 2 && job->count; k++) {
        int64_t moved = job->numbers[ends[k]] + shift;
        if (moved < INT32_MIN || moved > INT32_MAX)
            return host_error(
                HOST_USAGE, "convert", HOST_NO_OFFSET,
                "--shift %lld gives the number %lld to frame %d; frame numbers have 32 bits",
                (long long)shift, (long long)moved, (int)job->numbers[ends[k]]);
    }
    return HOST_DONE;
}

static void note_steps(const convert_job *job)
{
    int64_t lowest = job->input.numbers[0];
    if (job->interpolates && is_share(job) && (job->first - lowest) % job->step)
        host_note(job->input.path, HOST_NO_OFFSET,
                  "--step counts from frame %d in this share, but from frame %d in the whole "
                  "sequence: their "
                  "frames differ",
                  (int)job->first, (int)lowest);
}

/* ---- one frame: made on any thread, written in order */

typedef struct convert_item {
    host_frame frame;
    uint8_t *bytes;
    size_t size;
} convert_item;

static int load_frame(convert_job *job, int32_t number, host_frame *frame)
{
    if (job->input.format->loads_in_parallel || job->jobs == 1)
        return host_sequence_sample(&job->input, number, frame);
    pthread_mutex_lock(&job->one_load);
    int code = host_sequence_sample(&job->input, number, frame);
    pthread_mutex_unlock(&job->one_load);
    return code;
}

/* HOST_DIFFERENT: the file of the frame is not copied. */
static int copy_frame(const convert_job *job, int32_t number, convert_item *item)
{
    size_t position;
    if (!job->copies || !holds(job, number)) return HOST_DIFFERENT;
    if (!host_sequence_find(&job->input, number, &position)) return HOST_DIFFERENT;
    int code = bphys_copy(&job->input, position, &item->frame, &item->bytes, &item->size);
    if (code) return code;
    item->frame.number += (double)job->units.time_shift;
    return host_frame_need(&item->frame, job->input.type, &job->to->needs, job->out_path,
                           job->to->name);
}

static int make_frame(void *context, size_t i, void *state)
{
    convert_job *job = context;
    convert_item *item = state;
    int code = copy_frame(job, job->numbers[i], item);
    if (code != HOST_DIFFERENT) return code;
    code = load_frame(job, job->numbers[i], &item->frame);
    if (code) return code;
    code = keep_present(job, &item->frame);
    if (!code) code = attach_times(job, &item->frame);
    if (code) return code;
    host_frame_select(&item->frame, job->streams);
    uint32_t left = host_frame_convert(&item->frame, &job->units, job->input.type);
    if (!holds(job, job->numbers[i])) left = 0;
    code =
        host_frame_in_range(&item->frame, job->input.path, left, "give a smaller --scale or --fps");
    item->frame.number += (double)job->units.time_shift;
    if (code || !holds(job, job->numbers[i])) return code;
    code = check_finite(job, &item->frame);
    if (!code && !job->is_measuring)
        code = host_sink_encode(&job->sink, &item->frame, &item->bytes, &item->size);
    return code;
}

static int write_frame(void *context, size_t i, void *state)
{
    convert_job *job = context;
    convert_item *item = state;
    job->dropped_extra |= has_extra(&item->frame);
    if (holds(job, job->numbers[i])) convert_finite_add(&job->finite, &item->frame);
    int code = holds(job, job->numbers[i])
                   ? host_sink_put(&job->sink, &item->frame, item->bytes, item->size)
                   : host_sink_pass(&job->sink, &item->frame);
    host_progress_update(&job->progress, i + 1);
    return code;
}

static void drop_frame(void *context, void *state)
{
    convert_item *item = state;
    (void)context;
    host_frame_free(&item->frame);
    free(item->bytes);
}

/* ---- all frames */

static int measure_frame(void *context, size_t i, void *state)
{
    convert_job *job = context;
    const convert_item *item = state;
    if (holds(job, job->numbers[i])) convert_errors_widen(&job->errors, &item->frame);
    host_progress_update(&job->progress, i + 1);
    return HOST_DONE;
}

static float *shifted_times(const convert_job *job)
{
    size_t count = job->input.point_count;
    float *times = host_allocate(count, 3 * sizeof *times);
    for (size_t i = 0; times && i < count; i++) {
        memcpy(times + i * 3, job->input.times + i * 3, 3 * sizeof *times);
        point_times_shift(times + i * 3, job->units.time_shift);
    }
    return times;
}

static int32_t shifted(int32_t number, int32_t shift)
{
    int64_t sum = (int64_t)number + shift;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

static int run_frames(convert_job *job, const char *label,
                      int (*take)(void *context, size_t i, void *state))
{
    ordered_job frames = {.context = job,
                          .count = job->count,
                          .state_bytes = sizeof(convert_item),
                          .threads = job->jobs,
                          .work = make_frame,
                          .take = take,
                          .drop = drop_frame};
    if (pthread_mutex_init(&job->one_load, NULL) != 0) return host_out_of_memory("threads");
    host_progress_start(&job->progress, label, job->count, job->quiet);
    int code = ordered_run(&frames);
    host_progress_end(&job->progress);
    pthread_mutex_destroy(&job->one_load);
    return code;
}

static int measure_frames(convert_job *job)
{
    if (!(job->errors.error > 0)) return HOST_DONE;
    job->is_measuring = true;
    int code = run_frames(job, "measure", measure_frame);
    job->is_measuring = false;
    return code;
}

/* The greatest common divisor of the distances between the frames of the whole output; a share
   takes that of the input. */
static uint32_t frame_step(const convert_job *job)
{
    uint64_t step = 0;
    bool takes_all = is_share(job);
    const int32_t *numbers = takes_all ? job->input.numbers : job->numbers;
    size_t count = takes_all ? job->input.frame_count : job->count;
    if (job->interpolates) return (uint32_t)job->step;
    for (size_t i = 1; i < count; i++)
        step = host_greatest_divisor((uint64_t)((int64_t)numbers[i] - numbers[i - 1]), step);
    return step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
}

static int open_sink(convert_job *job, const float *times)
{
    int32_t shift = (int32_t)job->units.time_shift;
    host_sink_options options = {0};
    options.type = job->input.type;
    options.streams =
        (job->input.streams | (job->input.times ? POINT_BIT(POINT_TIMES) : 0)) & job->streams;
    options.keep_times = job->input.format->speaks_bphys_units ||
                         (job->selects && job->streams & POINT_BIT(POINT_TIMES));
    options.keep_empty = job->input.format->speaks_bphys_units && !job->interpolates;
    options.compression = job->compression;
    options.name = job->input.name;
    options.encoding = job->encoding;
    options.stride = job->stride;
    options.frame_step = frame_step(job);
    options.frame_count = !job->interpolates ? job->input.frame_count
                          : is_share(job)    ? 0
                                             : job->own_count;
    options.point_count = job->input.has_info || times ? job->input.point_count : 0;
    options.times = times;
    uint64_t bytes = job->input.text_bytes ? job->input.text_bytes : job->input.byte_count;
    options.source_bytes = bytes ? bytes : 1;
    options.write_count = job->own_count;
    options.fps = job->fps > 0 ? job->fps : job->input.fps;
    options.is_y_up = job->units.axis == POINT_AXIS_Z_TO_Y_UP ||
                      (job->units.axis == POINT_AXIS_SAME && job->input.up_axis == 'y');
    options.info_extra = job->streams & POINT_EXTRA ? job->input.info_extra : NULL;
    options.is_share = is_share(job);
    options.has_info = has_info(job);
    options.share_first = shifted(job->first, shift);
    options.share_last = shifted(job->last, shift);
    options.faces = job->faces.path ? &job->faces : NULL;
    options.key_interval = job->errors.key_interval;
    options.block_bytes = job->errors.block_bytes;
    options.is_packed = job->errors.is_packed;
    options.jobs = job->jobs;
    convert_errors_plan(&job->errors, job->input.type, options.errors);
    return host_sink_open(&job->sink, job->out_path, job->to, &options);
}

/* One note per kind of data that the output cannot hold, and one on values that are not finite. */
static void tell_data(const convert_job *job)
{
    char names[POINT_NAMES_MAX];
    uint32_t known = job->input.streams | (job->input.times ? POINT_BIT(POINT_TIMES) : 0);
    uint32_t held = host_format_holds(job->to), lost = known & job->streams & POINT_ALL & ~held;
    if (!(held & POINT_EXTRA) && job->dropped_extra)
        host_note(job->input.path, HOST_NO_OFFSET, "format %s cannot hold extra data: skipped",
                  job->to->name);
    convert_finite_note(&job->finite, job->input.path);
    host_faces_note(&job->faces, &job->input, job->to);
    point_streams_print(names, sizeof names, job->input.type, lost);
    if (lost)
        host_note(job->input.path, HOST_NO_OFFSET, "%s: cannot be stored in %s, skipped", names,
                  job->to->name);
}

static void print_summary(const convert_job *job)
{
    if (job->quiet || (!job->is_dry && strcmp(job->out_path, "-") == 0)) return;
    if (job->is_dry) fputs("nothing written; would be ", stdout);
    printf("%zu frame%s of %u points, %s to %s: %s", job->own_count, job->own_count == 1 ? "" : "s",
           job->input.point_count, job->input.format->name, job->to->name,
           text_shown(job->out_path));
    if (is_share(job) && !has_info(job) && job->input.type == POINT_PARTICLES && job->to->pass)
        printf(" (without the info file: it is written with frame %d, or with --info)",
               (int)job->input.numbers[0]);
    putchar('\n');
}

static int write_frames(convert_job *job)
{
    int code = run_frames(job, job->is_dry ? "read" : "convert", write_frame);
    if (!code) tell_data(job);
    if (!code && !job->is_dry) return host_sink_finish(&job->sink);
    host_sink_abandon(&job->sink);
    return code;
}

static int convert(convert_job *job)
{
    bool shifts = job->input.times && job->units.time_shift != 0;
    float *times = shifts ? shifted_times(job) : NULL;
    int code = shifts && !times ? host_out_of_memory("birth and death") : list_numbers(job);
    if (!code) code = check_shift(job);
    if (!code) note_steps(job);
    if (!code) code = measure_frames(job);
    if (!code) code = open_sink(job, shifts ? times : job->input.times);
    if (!code) code = write_frames(job);
    if (!code) print_summary(job);
    free(job->numbers);
    free(times);
    return code;
}

/* The writer of the format takes all frames, so that it refuses what it would refuse. */
static int convert_dry(convert_job *job)
{
    host_output_dry(true);
    int code = convert(job);
    host_output_dry(false);
    return code;
}

/* From clip to clip, packing and unpacking change no frame if no other option does. */
static bool is_repack(const host_option *options, const convert_job *job)
{
    static const char *const changing[] = {"frames",      "step", "shift",  "fps",   "streams",
                                           "scale",       "axis", "error",  "exact", "key-interval",
                                           "block-bytes", "info", "dry-run"};
    const host_format *tpc = host_format_named("tpc");
    bool is_asked = option(options, "packed") || option(options, "unpacked");
    for (size_t k = 0; k < sizeof changing / sizeof changing[0]; k++)
        is_asked = is_asked && !option(options, changing[k]);
    return is_asked && job->to == tpc && job->input.format == tpc;
}

static int check_unpacked(const host_option *options)
{
    if (!option(options, "unpacked")) return HOST_DONE;
    return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                      "--unpacked writes a packed clip as a plain one and changes nothing else: "
                      "expected two clips and no other option");
}

/* Converts by loading frames. */
static int convert_frames(const host_option *options, convert_job *job)
{
    int code = check_unpacked(options);
    if (!code) code = check_stride(job);
    if (!code) code = check_column_names(options, job);
    if (!code && job->fps > 0) code = host_sequence_retime(&job->input, job->fps);
    if (!code) code = host_sequence_need(&job->input, &job->to->needs, job->to->name);
    if (!code) code = read_type(options, job);
    if (!code && needs_times(job)) code = host_sequence_find_times(&job->input);
    if (!code) code = read_streams(options, job);
    if (!code) code = plan_units(options, job);
    if (!code) code = drop_implied_times(job);
    job->is_dry = option(options, "dry-run") != NULL;
    job->copies = !code && may_copy(job);
    if (code) return code;
    return job->is_dry ? convert_dry(job) : convert(job);
}

static int convert_opened(const host_option *options, const char *path, convert_job *job)
{
    int code = is_repack(options, job)
                   ? tpc_repack(path, job->out_path, option(options, "packed") != NULL)
                   : convert_frames(options, job);
    host_sequence_close(&job->input);
    return code;
}

int command_convert(int argc, char **argv)
{
    host_option options[OPTION_COUNT];
    const char *paths[2];
    size_t path_count;
    const host_format *from = NULL;
    convert_job job;
    memset(&job, 0, sizeof job);
    memcpy(options, all_options, sizeof options);
    if (host_help(argc, argv, help_convert)) return HOST_DONE;
    int code = host_parse("convert", argc, argv, options, OPTION_COUNT, paths, 2, &path_count);
    if (!code && path_count < 2)
        code = host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                          "expected IN and OUT; see tidepool convert --help");
    if (code) return code;
    job.out_path = host_output_path(paths[1]);
    job.quiet = option(options, "quiet") != NULL;
    host_quiet(job.quiet);
    code = read_frames(options, &job);
    if (!code) code = output_jobs("convert", option(options, "jobs"), &job.jobs);
    if (!code) code = read_units(options, &job);
    if (!code) code = host_format_option("convert", "from", option(options, "from"), &from);
    if (!code) code = output_format("convert", job.out_path, option(options, "to"), &job.to);
    if (!code) code = check_info(&job);
    if (!code) code = read_encoding(options, &job);
    if (!code) code = host_faces_option(&job.faces, option(options, "mesh"), job.to);
    if (!code)
        code =
            output_compression("convert", option(options, "compression"), job.to, &job.compression);
    if (!code)
        code = convert_errors_read(&job.errors, "convert",
                                   &(convert_error_options){option(options, "error"),
                                                            option(options, "key-interval"),
                                                            option(options, "block-bytes"),
                                                            option(options, "exact") != NULL,
                                                            option(options, "packed") != NULL},
                                   job.to);
    if (!code)
        code = host_sequence_open_hinted(&job.input, paths[0], from,
                                         &(host_hints){.stride = job.stride,
                                                       .columns = option(options, "columns"),
                                                       .object = option(options, "object")});
    if (!code) code = convert_opened(options, paths[0], &job);
    host_faces_free(&job.faces);
    return code;
}
