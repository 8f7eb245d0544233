/* SPDX-License-Identifier: MIT
   host_tools/commands/view.c - `tidepool view`: one HTML page that plays a sequence.
   reads   any format of formats.c         writes  one .html file, whole or not at all
   memory  a group of the clip, the clip, 32 bytes per point      cost    O(bytes) of all frames,
           twice
   after   own design: the page holds a clip, and the runtime's player as WebAssembly */
#include "view.h"
#include "../formats/formats.h"
#include "convert_errors.h"
#include "output.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_view(int argc, char **argv);
extern const char help_view[];
const char help_view[] =
    "usage: tidepool view PATH OUT.html [options]\n"
    "\n"
    "Writes one HTML page that plays a sequence. It holds a clip and the player of the runtime, "
    "and\n"
    "needs no network: drag to turn, the wheel zooms, a space stops it, arrows step, the bar "
    "shows\n"
    "how much happens in each frame.\n"
    "\n"
    "  --frames A-B   Only these frames.\n"
    "  --points N     At most about N points: every 2nd, 3rd, ... (default 50000).\n"
    "  --error E      Largest error of a coordinate; 1e-3r: relative to the largest side of the\n"
    "                 box (default 2.5e-4r).\n"
    "  --fps N        Frames per second (default: those of the file, else 25).\n"
    "  --from F       Format of PATH, if its ending does not say it (see convert).\n"
    "  --quiet        Print only errors.\n"
    "\n"
    "example: tidepool view out/dam_break dam.html\n";

#define CLIP_MAX   (256u << 20) /* bytes: a browser holds the text and the clip at once */
#define POINTS_MAX 50000u

/* Locations of a point in the two frames before, and since when it is alive. */
typedef struct view_track {
    float one[3], two[3];
    uint32_t age;
} view_track;

typedef struct view_job {
    host_sequence input;
    const char *out;
    bool has_range;
    int32_t first, last;
    uint32_t most, apart; /* every `apart`th point */
    double fps;
    size_t *positions; /* of the frames in the sequence */
    size_t frames;
    uint32_t points;
    double low[3], high[3], side;
    convert_errors errors;
    double bound; /* of a coordinate */
    view_track *tracks;
    uint32_t *keys; /* of each frame: points that do not move on as before */
    double moved;   /* sum of the steps along the axes from frame to frame */
    uint64_t moves;
    uint8_t *clip;
    size_t clip_bytes;
    bool quiet;
} view_job;

/* ---- frames */

static bool is_shown(const view_job *job, uint32_t index, const float *location)
{
    return index % job->apart == 0 && isfinite(location[0]) && isfinite(location[1]) &&
           isfinite(location[2]);
}

/* Leaves the locations of the points that the page shows, numbered without gaps. */
static int choose_points(const view_job *job, host_frame *frame)
{
    bool *keep = host_allocate(frame->count + 1u, sizeof *keep);
    if (!keep) return host_out_of_memory("a frame");
    uint32_t *indices = frame->data[POINT_INDEX];
    const float *locations = frame->data[POINT_LOCATION];
    for (size_t i = 0; i < frame->count; i++)
        keep[i] = is_shown(job, indices[i], locations + 3 * i);
    host_frame_keep(frame, keep);
    for (size_t i = 0; i < frame->count; i++) indices[i] /= job->apart;
    host_frame_select(frame, POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION));
    free(keep);
    return HOST_DONE;
}

/* Loads the points of the page; the z axis points up. */
static int load(view_job *job, size_t f, host_frame *frame)
{
    host_sequence *input = &job->input;
    int code = host_sequence_load(input, job->positions[f], frame);
    if (code) return code;
    code = host_frame_need(frame, input->type, &host_needs_location, input->path, "view");
    if (!code) code = host_sequence_keep_alive(input, frame);
    if (!code) code = choose_points(job, frame);
    if (!code && !host_sequence_is_z_up(input)) {
        const point_units units = {1, 1, POINT_AXIS_Y_TO_Z_UP, 0};
        host_frame_convert(frame, &units, input->type);
    }
    if (code) host_frame_free(frame);
    return code;
}

static int measure(view_job *job)
{
    int code = HOST_DONE;
    for (int k = 0; k < 3; k++) job->low[k] = INFINITY, job->high[k] = -INFINITY;
    for (size_t f = 0; f < job->frames && !code; f++) {
        host_frame frame;
        code = load(job, f, &frame);
        if (code) return code;
        const float *at = frame.data[POINT_LOCATION];
        for (size_t i = 0; i < frame.count; i++)
            for (int k = 0; k < 3; k++, at++) {
                job->low[k] = fmin(job->low[k], (double)*at);
                job->high[k] = fmax(job->high[k], (double)*at);
            }
        host_frame_free(&frame);
    }
    for (int k = 0; k < 3; k++) {
        if (!(job->low[k] <= job->high[k])) job->low[k] = job->high[k] = 0;
        job->side = fmax(job->side, job->high[k] - job->low[k]);
    }
    job->bound = job->errors.error * (job->errors.is_relative ? job->side : 1);
    return HOST_DONE;
}

/* ---- activity: a key is a point that does not move on as in the two frames before */

static void follow(view_job *job, view_track *track, const float *location, bool *is_key)
{
    bool goes_on = true;
    for (int k = 0; k < 3; k++) {
        float step = track->one[k] - track->two[k];
        float expected = track->age > 1u ? track->one[k] + step : track->one[k];
        goes_on &= fabs((double)location[k] - (double)expected) <= job->bound;
        if (track->age) job->moved += fabs((double)location[k] - (double)track->one[k]);
        track->two[k] = track->one[k];
        track->one[k] = location[k];
    }
    *is_key = track->age && !goes_on;
    job->moves += track->age != 0;
    track->age++;
}

/* `lives` has a place for each point. */
static void count_keys(view_job *job, size_t f, const host_frame *frame, bool *lives)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *locations = frame->data[POINT_LOCATION];
    memset(lives, 0, job->points * sizeof *lives);
    for (size_t i = 0; i < frame->count; i++) {
        bool is_key;
        if (indices[i] >= job->points) continue;
        lives[indices[i]] = true;
        follow(job, &job->tracks[indices[i]], locations + 3 * i, &is_key);
        job->keys[f] += is_key;
    }
    for (uint32_t p = 0; p < job->points; p++)
        if (!lives[p]) job->tracks[p].age = 0;
}

/* ---- the clip */

static void describe_clip(const view_job *job, host_sink_options *options)
{
    memset(options, 0, sizeof *options);
    options->type = job->input.type;
    options->streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION);
    options->errors[POINT_LOCATION] = job->bound;
    options->fps = job->fps;
    options->frame_count = options->write_count = job->frames;
    options->source_bytes = job->input.byte_count ? job->input.byte_count : 1;
}

static int write_frames(view_job *job, host_sink *sink)
{
    int code = HOST_DONE;
    bool *lives = host_allocate(job->points + 1u, sizeof *lives);
    job->tracks = host_allocate(job->points + 1u, sizeof *job->tracks);
    job->keys = host_allocate(job->frames, sizeof *job->keys);
    if (!lives || !job->tracks || !job->keys) code = host_out_of_memory("a page");
    for (size_t f = 0; f < job->frames && !code; f++) {
        host_frame frame;
        code = host_guard_check(job->out);
        if (!code) code = load(job, f, &frame);
        if (code) break;
        count_keys(job, f, &frame, lives);
        code = host_sink_write(sink, &frame);
        host_frame_free(&frame);
    }
    free(lives);
    return code;
}

static int read_clip(view_job *job, FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > (long)CLIP_MAX)
        return host_error(HOST_USAGE, "view", HOST_NO_OFFSET,
                          "%u points in %zu frames do not fit a page: the clip has %ld bytes, at "
                          "most %u may have; give --frames A-B, --points N with less than %u, or "
                          "a larger --error",
                          job->points, job->frames, size, CLIP_MAX, job->points);
    job->clip = size > 0 ? host_allocate((size_t)size, 1) : NULL;
    if (size > 0 && !job->clip) return host_out_of_memory("a page");
    job->clip_bytes = size > 0 ? (size_t)size : 0;
    rewind(file);
    if (size > 0 && fread(job->clip, 1, job->clip_bytes, file) == job->clip_bytes) return HOST_DONE;
    return host_error(HOST_IO, job->out, HOST_NO_OFFSET, "cannot read its clip back: %s",
                      strerror(errno));
}

/* The clip is written to a file without a name first. */
static int make_clip(view_job *job)
{
    host_sink sink;
    host_sink_options options;
    FILE *file = tmpfile();
    if (!file)
        return host_error(HOST_IO, job->out, HOST_NO_OFFSET, "cannot make a temporary file: %s",
                          strerror(errno));
    char *path = host_text("/dev/fd/%d", fileno(file));
    describe_clip(job, &options);
    int code = path ? host_sink_open(&sink, path, host_format_named("tpc"), &options)
                    : host_out_of_memory("a page");
    if (!code) {
        code = write_frames(job, &sink);
        if (!code)
            code = host_sink_finish(&sink);
        else
            host_sink_abandon(&sink);
    }
    if (!code) code = read_clip(job, file);
    free(path);
    fclose(file);
    return code;
}

/* ---- the page */

static void print_escaped(FILE *stream, const char *text)
{
    for (; *text; text++) {
        if (strchr("<>&\"", *text))
            fprintf(stream, "&#%d;", *text);
        else
            putc(*text, stream);
    }
}

static void print_base64(FILE *stream, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < size; at += 3) {
        uint32_t word = (uint32_t)bytes[at] << 16;
        if (at + 1 < size) word |= (uint32_t)bytes[at + 1] << 8;
        if (at + 2 < size) word |= bytes[at + 2];
        putc(digits[word >> 18], stream);
        putc(digits[word >> 12 & 63u], stream);
        putc(at + 1 < size ? digits[word >> 6 & 63u] : '=', stream);
        putc(at + 2 < size ? digits[word & 63u] : '=', stream);
        if (at % 96 == 93) putc('\n', stream);
    }
}

static void print_text(FILE *stream, const char *name)
{
    fprintf(stream, "<script type=\"text/plain\" id=\"%s\">\n", name);
}

static void print_info(FILE *stream, const view_job *job)
{
    double mean = job->moves ? job->moved / (double)job->moves : 0;
    double side = job->side > 0 ? job->side : 1;
    fprintf(stream, "<script>\nconst info = {points: %u, fps: %.10g, side: %.9g, fast: %.9g,\n",
            job->points, job->fps, side, fmax(side / 2000, 3 * mean));
    fputs("  middle: [", stream);
    for (int k = 0; k < 3; k++)
        fprintf(stream, "%s%.9g", k ? ", " : "", (job->low[k] + job->high[k]) / 2);
    bool is_flat = !(job->high[1] - job->low[1] > 1e-6 * side);
    fprintf(stream, "],\n  flat: %s,\n  frames: [", is_flat ? "true" : "false");
    for (size_t f = 0; f < job->frames; f++)
        fprintf(stream, "%s%d", f ? "," : "", (int)job->input.numbers[job->positions[f]]);
    fputs("],\n  keys: [", stream);
    for (size_t f = 0; f < job->frames; f++) fprintf(stream, "%s%u", f ? "," : "", job->keys[f]);
    fputs("]};\n</script>\n", stream);
}

static void print_lines(FILE *stream, const char *const *lines)
{
    for (size_t k = 0; lines[k]; k++) fprintf(stream, "%s\n", lines[k]);
}

static void print_page(FILE *stream, const view_job *job)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>", stream);
    print_escaped(stream, job->input.path);
    fputs("</title>\n", stream);
    print_text(stream, "clip");
    print_base64(stream, job->clip, job->clip_bytes);
    fputs("\n</script>\n", stream);
    print_text(stream, "module");
    print_lines(stream, view_module);
    fputs("</script>\n", stream);
    print_info(stream, job);
    print_lines(stream, view_page);
    fputs("</html>\n", stream);
}

static int write_page(const view_job *job)
{
    host_output output;
    int code = host_output_open(&output, job->out);
    if (code) return code;
    print_page(output.stream, job);
    return host_output_close(&output, true);
}

/* ---- the command */

static int choose_frames(view_job *job)
{
    const host_sequence *input = &job->input;
    job->positions = host_allocate(input->frame_count + 1, sizeof *job->positions);
    if (!job->positions) return host_out_of_memory("the list of frames");
    for (size_t i = 0; i < input->frame_count; i++)
        if (!job->has_range || (input->numbers[i] >= job->first && input->numbers[i] <= job->last))
            job->positions[job->frames++] = i;
    if (!job->frames)
        return host_error(HOST_BAD_INPUT, input->path, HOST_NO_OFFSET,
                          "expected at least one frame%s, found none",
                          job->has_range ? " in --frames" : "");
    job->apart = input->point_count / job->most + (input->point_count % job->most != 0);
    if (!job->apart) job->apart = 1;
    job->points = input->point_count / job->apart + (input->point_count % job->apart != 0);
    if (!(job->fps > 0)) job->fps = input->fps > 0 ? input->fps : 25;
    return HOST_DONE;
}

static int view(view_job *job)
{
    int code = host_sequence_need(&job->input, &host_needs_location, "view");
    if (!code) code = host_sequence_find_times(&job->input);
    if (!code) code = choose_frames(job);
    if (!code) code = measure(job);
    if (!code) code = make_clip(job);
    if (!code) code = write_page(job);
    if (!code && !job->quiet)
        printf("%zu frames of %u points: %s\n", job->frames, job->points, job->out);
    free(job->positions);
    free(job->tracks);
    free(job->keys);
    free(job->clip);
    return code;
}

static int read_options(view_job *job, const host_option *options)
{
    const char *frames = options[0].value, *points = options[1].value, *fps = options[2].value;
    const convert_error_options errors = {.error = options[3].value ? options[3].value : "2.5e-4r"};
    job->most = POINTS_MAX;
    job->has_range = frames != NULL;
    job->quiet = options[5].value != NULL;
    host_quiet(job->quiet);
    if (frames && !host_parse_range(frames, &job->first, &job->last))
        return output_bad_option("view", "frames", frames,
                                 "A-B with A not above B, for example 1-100");
    if (points && (!host_parse_u32(points, &job->most) || !job->most))
        return output_bad_option("view", "points", points, "a whole number from 1");
    if (fps && (!host_parse_f64(fps, &job->fps) || !(job->fps >= 0.1 && job->fps <= 1000)))
        return output_bad_option("view", "fps", fps, "a number from 0.1 to 1000");
    return convert_errors_read(&job->errors, "view", &errors, host_format_named("tpc"));
}

int command_view(int argc, char **argv)
{
    enum { COUNT = 6 };
    host_option options[COUNT] = {{"frames", false, NULL}, {"points", false, NULL},
                                  {"fps", false, NULL},    {"error", false, NULL},
                                  {"from", false, NULL},   {"quiet", true, NULL}};
    const char *paths[2];
    size_t path_count;
    const host_format *format = NULL;
    view_job job;
    memset(&job, 0, sizeof job);
    if (host_help(argc, argv, help_view)) return HOST_DONE;
    int code = host_parse("view", argc, argv, options, COUNT, paths, 2, &path_count);
    if (!code && path_count < 2)
        code = host_error(HOST_USAGE, "view", HOST_NO_OFFSET,
                          "expected PATH and OUT.html; see tidepool view --help");
    if (!code && strcmp(paths[1], "-") != 0 && !output_has_ending(paths[1], ".html"))
        code = host_error(HOST_USAGE, paths[1], HOST_NO_OFFSET,
                          "is an HTML page: give a name that ends in .html");
    if (!code) code = read_options(&job, options);
    if (!code) code = host_format_option("view", "from", options[4].value, &format);
    if (!code) code = host_sequence_open(&job.input, paths[0], format);
    if (code) return code;
    job.out = host_output_path(paths[1]);
    code = view(&job);
    host_sequence_close(&job.input);
    return code;
}
