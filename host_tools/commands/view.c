/* SPDX-License-Identifier: MIT
   host_tools/commands/view.c - `tidepool view`: one HTML page that plays a sequence.
   reads   any format of formats.c         writes  one .html file, whole or not at all
   memory  7 bytes per point and frame, two times      cost    O(bytes) of all frames, twice
   after   own design: positions in 2000ths of the largest side of the box, second differences over
           time, byte planes, deflate; browsers inflate it themselves */
#include "view.h"
#include "../formats/formats.h"
#include "../render/render.h"
#include "output.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_view(int argc, char **argv);
extern const char help_view[];
const char help_view[] =
    "usage: tidepool view PATH OUT.html [options]\n"
    "\n"
    "Writes one HTML page that plays a sequence. It holds its data and needs no network: drag to\n"
    "turn, the wheel zooms, a space stops it, arrows step, the bar shows how much happens in each\n"
    "frame. Positions are rounded to 1/4000 of the largest side of the box.\n"
    "\n"
    "  --frames A-B   Only these frames.\n"
    "  --points N     At most about N points: every 2nd, 3rd, ... (default 50000).\n"
    "  --fps N        Frames per second (default: those of the file, else 25).\n"
    "  --from F       Format of PATH, if its ending does not say it (see convert).\n"
    "  --quiet        Print only errors.\n"
    "\n"
    "example: tidepool view out/dam_break dam.html\n";

#define STEPS      2000.0       /* of the largest side */
#define BYTES_MAX  (512u << 20) /* of the planes */
#define POINTS_MAX 50000u

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
    uint8_t *planes; /* presence, then low and high bytes of residuals */
    double moved;    /* sum of the distances from frame to frame, in steps */
    uint64_t moves;
    bool quiet;
} view_job;

/* ---- frames */

static int load(view_job *job, size_t f, host_frame *frame)
{
    int code = host_sequence_load(&job->input, job->positions[f], frame);
    if (code) return code;
    code = host_frame_need(frame, job->input.type, &host_needs_location, job->input.path, "view");
    if (!code) code = host_sequence_keep_alive(&job->input, frame);
    if (code) host_frame_free(frame);
    return code;
}

static bool is_finite_point(const float *location)
{
    return isfinite(location[0]) && isfinite(location[1]) && isfinite(location[2]);
}

static int measure(view_job *job)
{
    int code = HOST_DONE;
    for (int k = 0; k < 3; k++) job->low[k] = INFINITY, job->high[k] = -INFINITY;
    for (size_t f = 0; f < job->frames && !code; f++) {
        host_frame frame;
        code = load(job, f, &frame);
        if (code) return code;
        const float *locations = frame.data[POINT_LOCATION];
        for (size_t i = 0; i < frame.count; i++)
            for (int k = 0; k < 3 && is_finite_point(locations + 3 * i); k++) {
                job->low[k] = fmin(job->low[k], (double)locations[3 * i + (size_t)k]);
                job->high[k] = fmax(job->high[k], (double)locations[3 * i + (size_t)k]);
            }
        host_frame_free(&frame);
    }
    for (int k = 0; k < 3; k++) {
        if (!(job->low[k] <= job->high[k])) job->low[k] = job->high[k] = 0;
        job->side = fmax(job->side, job->high[k] - job->low[k]);
    }
    if (!(job->side > 0)) job->side = 1;
    return HOST_DONE;
}

/* ---- planes */

/* Lattice coordinates of a point in the two frames before, and since when it is alive. */
typedef struct view_track {
    int32_t one[3], two[3];
    uint32_t age;
} view_track;

static void put_residual(view_job *job, size_t at, int32_t residual)
{
    size_t all = (size_t)job->points * job->frames;
    uint32_t word = (uint32_t)residual << 1 ^ (residual < 0 ? ~0u : 0u);
    job->planes[all + at] = (uint8_t)word;
    job->planes[4u * all + at] = (uint8_t)(word >> 8);
}

static void put_point(view_job *job, size_t f, uint32_t p, view_track *track, const float *location)
{
    for (int k = 0; k < 3; k++) {
        double place = ((double)location[k] - job->low[k]) / job->side * STEPS;
        int32_t now = (int32_t)floor(place + 0.5);
        int32_t from = track->age > 1u ? 2 * track->one[k] - track->two[k] : track->one[k];
        put_residual(job, (f * 3u + (size_t)k) * job->points + p, now - from);
        if (track->age) job->moved += abs(now - track->one[k]);
        track->two[k] = track->one[k];
        track->one[k] = now;
    }
    job->moves += track->age != 0;
    track->age++;
}

/* Points that are not alive keep their coordinates. */
static void put_frame(view_job *job, size_t f, const host_frame *frame, view_track *tracks,
                      uint8_t *lives)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *locations = frame->data[POINT_LOCATION];
    memset(lives, 0, job->points);
    for (size_t i = 0; i < frame->count; i++) {
        uint32_t p = indices[i] / job->apart;
        if (indices[i] % job->apart || p >= job->points || !is_finite_point(locations + 3 * i))
            continue;
        lives[p] = 1;
        put_point(job, f, p, &tracks[p], locations + 3 * i);
    }
    for (uint32_t p = 0; p < job->points; p++) {
        if (!lives[p]) tracks[p].age = 0;
        job->planes[f * job->points + p] = lives[p];
    }
}

/* Turns presence into changes, from the last frame on. */
static void difference_presence(view_job *job)
{
    for (size_t i = (size_t)job->points * job->frames; i-- > job->points;)
        job->planes[i] ^= job->planes[i - job->points];
}

static int fill_planes(view_job *job)
{
    uint64_t bytes = 7u * (uint64_t)job->points * job->frames;
    if (bytes > BYTES_MAX)
        return host_error(HOST_USAGE, "view", HOST_NO_OFFSET,
                          "%u points in %zu frames do not fit a page; give --frames A-B, or "
                          "--points N with less than %u",
                          job->points, job->frames, job->points);
    view_track *tracks = host_allocate(job->points, sizeof *tracks);
    uint8_t *lives = host_allocate(job->points, 1);
    job->planes = host_allocate((size_t)bytes, 1);
    int code = tracks && lives && job->planes ? HOST_DONE : host_out_of_memory("a page");
    for (size_t f = 0; f < job->frames && !code; f++) {
        host_frame frame;
        code = load(job, f, &frame);
        if (code) break;
        put_frame(job, f, &frame, tracks, lives);
        host_frame_free(&frame);
    }
    if (!code) difference_presence(job);
    free(tracks);
    free(lives);
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

static void print_info(FILE *stream, const view_job *job)
{
    double mean = job->moves ? job->moved / (double)job->moves : 0;
    fprintf(stream, "<script>\nconst info = {points: %u, fps: %.10g, side: %g, fast: %.4g,\n",
            job->points, job->fps, STEPS, fmax(1, 3 * mean));
    fputs("  middle: [", stream);
    for (int k = 0; k < 3; k++)
        fprintf(stream, "%s%.0f", k ? ", " : "",
                (job->high[k] - job->low[k]) / job->side * STEPS / 2);
    fputs("],\n  frames: [", stream);
    for (size_t f = 0; f < job->frames; f++)
        fprintf(stream, "%s%d", f ? "," : "", (int)job->input.numbers[job->positions[f]]);
    fputs("]};\n</script>\n", stream);
}

static void print_page(FILE *stream, const view_job *job, const uint8_t *packed, size_t size)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>", stream);
    print_escaped(stream, job->input.path);
    fputs("</title>\n<script type=\"text/plain\" id=\"data\">\n", stream);
    print_base64(stream, packed, size);
    fputs("\n</script>\n", stream);
    print_info(stream, job);
    for (size_t k = 0; view_page[k]; k++) fprintf(stream, "%s\n", view_page[k]);
    fputs("</html>\n", stream);
}

static int write_page(const view_job *job)
{
    host_output output;
    uint8_t *packed = NULL;
    size_t size;
    int code = deflate_zlib(job->planes, 7u * (size_t)job->points * job->frames, &packed, &size);
    if (!code) code = host_output_open(&output, job->out);
    if (!code) {
        print_page(output.stream, job, packed, size);
        code = host_output_close(&output, true);
    }
    free(packed);
    return code;
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
    if (!code) code = fill_planes(job);
    if (!code) code = write_page(job);
    if (!code && !job->quiet)
        printf("%zu frames of %u points: %s\n", job->frames, job->points, job->out);
    free(job->positions);
    free(job->planes);
    return code;
}

static int read_options(view_job *job, const host_option *options)
{
    const char *frames = options[0].value, *points = options[1].value, *fps = options[2].value;
    job->most = POINTS_MAX;
    job->has_range = frames != NULL;
    job->quiet = options[4].value != NULL;
    host_quiet(job->quiet);
    if (frames && !host_parse_range(frames, &job->first, &job->last))
        return output_bad_option("view", "frames", frames,
                                 "A-B with A not above B, for example 1-100");
    if (points && (!host_parse_u32(points, &job->most) || !job->most))
        return output_bad_option("view", "points", points, "a whole number from 1");
    if (fps && (!host_parse_f64(fps, &job->fps) || !(job->fps >= 0.1 && job->fps <= 1000)))
        return output_bad_option("view", "fps", fps, "a number from 0.1 to 1000");
    return HOST_DONE;
}

int command_view(int argc, char **argv)
{
    enum { COUNT = 5 };
    host_option options[COUNT] = {{"frames", false, NULL},
                                  {"points", false, NULL},
                                  {"fps", false, NULL},
                                  {"from", false, NULL},
                                  {"quiet", true, NULL}};
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
    if (!code) code = host_format_option("view", "from", options[3].value, &format);
    if (!code) code = host_sequence_open(&job.input, paths[0], format);
    if (code) return code;
    job.out = host_output_path(paths[1]);
    code = view(&job);
    host_sequence_close(&job.input);
    return code;
}
