/* SPDX-License-Identifier: MIT
   host_tools/commands/activity.c - `tidepool activity`: the motion, births and keys of each frame
           and region of a sequence.
   reads   any format of formats.c         writes  standard output, a chart
   memory  that of activity.h              cost    three passes over the frames
   after   own design; a clip stores little for predictable motion, so its keys show where something
           happened */
#include "activity.h"
#include "../common/text.h"
#include "commands.h"
#include <math.h>
#include <string.h>

const char help_activity[] =
    "usage: tidepool activity PATH [--svg FILE] [--regions N] [--json] [--from F] [--quiet]\n"
    "\n"
    "Shows how much happens in each frame and in each region of a sequence.\n"
    "\n"
    "  mean step      mean distance that a point moves from one frame to the next\n"
    "  largest step   largest such distance, and its point\n"
    "  births, deaths points that appear and disappear\n"
    "  bytes          clips only: size of each frame\n"
    "  keys           clips with an error bound only: points whose motion the clip could not "
    "predict\n"
    "                 within the bound. Many keys mean collisions.\n"
    "  regions        share of the keys (without keys: of the motion) in each part of the bounding "
    "box.\n"
    "                 Its two longest sides are divided into N x N regions.\n"
    "\n"
    "The first frame of each group in a clip stores all positions again: it has many bytes, and "
    "keys\n"
    "are unknown for two frames.\n"
    "\n"
    "  --svg FILE    Draw a chart.\n"
    "  --regions N   Divide into N x N regions, 1 to 16 (default 4).\n"
    "  --json        Print one JSON object: path, format,\n"
    "                frames: frame, points, births, deaths, mean_step, largest_step, "
    "largest_point,\n"
    "                        bytes, keys (null if unknown),\n"
    "                groups: first_frame, frames, slots, bytes (null if PATH is no clip),\n"
    "                regions: side, axes, low, high, motion, keys (shares, row by row; null if "
    "unknown).\n"
    "  --from F      Format of PATH, if its ending does not say it (see convert).\n"
    "  --quiet       Print no table.\n"
    "\n"
    "example: tidepool activity out/dam_break.tpc --svg activity.svg\n";

enum { SPARK_MOST = 72, NAMED_ROWS = 26 };

typedef double read_number(const activity_frame *frame);
static double mean_of(const activity_frame *frame) { return frame->mean_step; }
static double largest_of(const activity_frame *frame) { return frame->largest_step; }
static double births_of(const activity_frame *frame) { return frame->births; }
static double deaths_of(const activity_frame *frame) { return frame->deaths; }
static double keys_of(const activity_frame *frame) { return frame->keys; }
static double bytes_of(const activity_frame *frame) { return (double)frame->bits / 8; }

double activity_total(const activity *result)
{
    double sum = 0;
    for (uint32_t r = 0; r < result->regions.side * result->regions.side; r++)
        sum += activity_region_sum(&result->regions, activity_sums(result), r);
    return sum;
}

void activity_region_name(const activity *result, uint32_t region, char name[8])
{
    uint32_t side = result->regions.side;
    snprintf(name, 8, "%c%u", (char)('a' + region % side % NAMED_ROWS), region / side + 1u);
}

/* ---- text */

/* A sparkline: each column is one character, as high as the largest value of its frames. */
static void print_spark(const activity *result, read_number *read, double greatest)
{
    static const char *const bars[9] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                        "\u2585", "\u2586", "\u2587", "\u2588"};
    size_t columns = result->frame_count < SPARK_MOST ? result->frame_count : SPARK_MOST;
    fputs("               ", stdout);
    for (size_t c = 0; c < columns; c++) {
        double most = 0;
        size_t end = (c + 1) * result->frame_count / columns;
        for (size_t f = c * result->frame_count / columns; f < end; f++)
            most = fmax(most, read(&result->frames[f]));
        int bar = greatest > 0 ? (int)ceil(8 * most / greatest) : 0;
        fputs(bars[bar < 8 ? bar : 8], stdout);
    }
    putchar('\n');
}

static void print_row(const activity *result, const char *name, const char *unit, read_number *read)
{
    double sum = 0;
    const activity_frame *most = &result->frames[0];
    for (size_t f = 0; f < result->frame_count; f++) {
        sum += read(&result->frames[f]);
        if (read(&result->frames[f]) > read(most)) most = &result->frames[f];
    }
    printf("  %-12s ", name);
    if (!(read(most) > 0)) {
        puts("none");
        return;
    }
    printf("%.4g%s in frame %d, %.4g on average", read(most), unit, (int)most->number,
           sum / (double)result->frame_count);
    if (read == largest_of) printf("; point %u", most->largest_point);
    putchar('\n');
    print_spark(result, read, read(most));
}

static void print_groups(const activity *result)
{
    const activity_group *most = &result->groups[0];
    uint64_t bytes = 0;
    for (size_t g = 0; g < result->group_count; g++) {
        bytes += result->groups[g].bytes;
        if (result->groups[g].bytes > most->bytes) most = &result->groups[g];
    }
    printf("  groups       %zu, %llu bytes on average, the largest %llu from frame %d\n",
           result->group_count, (unsigned long long)(bytes / result->group_count),
           (unsigned long long)most->bytes, (int)most->first_frame);
}

static void print_regions(const activity *result)
{
    const activity_regions *regions = &result->regions;
    double total = activity_total(result);
    if (!(total > 0)) return;
    printf("  regions      share of the %s in percent, %s from %.4g to %.4g and %s from %.4g up to "
           "%.4g\n",
           result->has_keys ? "keys" : "motion", activity_axis_name(regions, 0), regions->low[0],
           regions->high[0], activity_axis_name(regions, 1), regions->low[1], regions->high[1]);
    for (uint32_t row = regions->side; row-- > 0;) {
        fputs("              ", stdout);
        for (uint32_t c = 0; c < regions->side; c++) {
            char name[8];
            uint32_t region = row * regions->side + c;
            activity_region_name(result, region, name);
            printf(" %4s %4.1f", name,
                   100 * activity_region_sum(regions, activity_sums(result), region) / total);
        }
        putchar('\n');
    }
}

static void print_text(const host_sequence *sequence, const activity *result)
{
    printf("%s: %zu frame%s from %d to %d, %u point%s\n", text_shown(sequence->path),
           result->frame_count, result->frame_count == 1 ? "" : "s", (int)sequence->numbers[0],
           (int)sequence->numbers[sequence->frame_count - 1], sequence->point_count,
           sequence->point_count == 1 ? "" : "s");
    if (result->has_keys) print_row(result, "keys", " points", keys_of);
    if (result->has_bytes) print_row(result, "bytes", "", bytes_of);
    if (result->group_count) print_groups(result);
    print_row(result, "mean step", "", mean_of);
    print_row(result, "largest step", "", largest_of);
    print_row(result, "births", "", births_of);
    print_row(result, "deaths", "", deaths_of);
    print_regions(result);
}

/* ---- JSON */

static void print_frame(const activity *result, const activity_frame *frame)
{
    printf("{\"frame\": %d, \"points\": %u, \"births\": %u, \"deaths\": %u, \"mean_step\": %.9g, "
           "\"largest_step\": %.9g, ",
           (int)frame->number, frame->points, frame->births, frame->deaths, frame->mean_step,
           frame->largest_step);
    if (frame->largest_step > 0)
        printf("\"largest_point\": %u", frame->largest_point);
    else
        fputs("\"largest_point\": null", stdout);
    if (result->has_bytes)
        printf(", \"bytes\": %.9g", bytes_of(frame));
    else
        fputs(", \"bytes\": null", stdout);
    if (activity_knows_keys(result, frame))
        printf(", \"keys\": %u}", frame->keys);
    else
        fputs(", \"keys\": null}", stdout);
}

static void print_shares(const char *name, const activity *result, const double *sums)
{
    uint32_t count = result->regions.side * result->regions.side;
    double total = 0;
    for (uint32_t r = 0; r < count; r++) total += activity_region_sum(&result->regions, sums, r);
    printf(", \"%s\": [", name);
    for (uint32_t r = 0; r < count; r++)
        printf("%s%.6g", r ? ", " : "",
               total > 0 ? activity_region_sum(&result->regions, sums, r) / total : 0);
    putchar(']');
}

static void print_json_regions(const activity *result)
{
    const activity_regions *regions = &result->regions;
    if (regions->low[0] > regions->high[0]) {
        fputs("null", stdout);
        return;
    }
    printf(
        "{\"side\": %u, \"axes\": [\"%c\", \"%c\"], \"low\": [%.9g, %.9g], \"high\": [%.9g, %.9g]",
        regions->side, "xyz"[regions->axis[0]], "xyz"[regions->axis[1]], regions -> low[0],
        regions -> low[1], regions -> high[0], regions -> high[1]);
    print_shares("motion", result, regions->motion);
    if (result->has_keys)
        print_shares("keys", result, regions->keys);
    else
        fputs(", \"keys\": null", stdout);
    putchar('}');
}

static void print_json(const host_sequence *sequence, const activity *result)
{
    fputs("{\"path\": ", stdout);
    host_json_text(stdout, sequence->path);
    printf(", \"format\": \"%s\", \"frames\": [", sequence->format->name);
    for (size_t f = 0; f < result->frame_count; f++) {
        if (f) fputs(",\n ", stdout);
        print_frame(result, &result->frames[f]);
    }
    fputs(result->has_bytes ? "],\n\"groups\": [" : "],\n\"groups\": null", stdout);
    for (size_t g = 0; g < result->group_count; g++) {
        const activity_group *group = &result->groups[g];
        printf("%s{\"first_frame\": %d, \"frames\": %u, \"slots\": %u, \"bytes\": %llu}",
               g ? ",\n " : "", (int)group->first_frame, group->frames, group->slots,
               (unsigned long long)group->bytes);
    }
    fputs(result->has_bytes ? "],\n\"regions\": " : ",\n\"regions\": ", stdout);
    print_json_regions(result);
    fputs("}\n", stdout);
}

/* ---- the command */

typedef struct activity_options {
    const char *path, *svg;
    const host_format *format;
    uint32_t side;
    bool json, quiet;
} activity_options;

static int show(const activity_options *options, host_sequence *sequence)
{
    activity result;
    host_progress progress;
    host_progress_start(&progress, "activity", sequence->frame_count,
                        options->quiet || options->json);
    int code = activity_measure(&result, sequence, options->side, &progress);
    host_progress_end(&progress);
    if (code) return code;
    if (options->svg) code = activity_draw(options->svg, sequence, &result);
    if (!code && options->json)
        print_json(sequence, &result);
    else if (!code && !options->quiet)
        print_text(sequence, &result);
    activity_free(&result);
    return code;
}

static int open_and_show(const activity_options *options)
{
    host_sequence sequence;
    int code = host_sequence_open(&sequence, options->path, options->format);
    if (code) return code;
    code = host_sequence_need(&sequence, &(host_needs){0, true}, "activity");
    if (!code && !sequence.frame_count)
        code = host_error(HOST_BAD_INPUT, options->path, HOST_NO_OFFSET,
                          "expected at least one frame, found none");
    if (!code) code = host_sequence_find_times(&sequence);
    if (!code) code = show(options, &sequence);
    host_sequence_close(&sequence);
    return code;
}

int command_activity(int argc, char **argv)
{
    enum { COUNT = 5 };
    host_option options[COUNT] = {{"svg", false, NULL},
                                  {"regions", false, NULL},
                                  {"json", true, NULL},
                                  {"from", false, NULL},
                                  {"quiet", true, NULL}};
    activity_options wanted = {.side = 4};
    size_t path_count;
    if (host_help(argc, argv, help_activity)) return HOST_DONE;
    int code = host_parse("activity", argc, argv, options, COUNT, &wanted.path, 1, &path_count);
    if (!code && !path_count)
        code = host_error(HOST_USAGE, "activity", HOST_NO_OFFSET,
                          "expected PATH; see tidepool activity --help");
    if (code) return code;
    const char *side = options[1].value;
    wanted.svg = options[0].value;
    wanted.json = options[2].value != NULL;
    wanted.quiet = options[4].value != NULL;
    host_quiet(wanted.quiet);
    if (side &&
        (!host_parse_u32(side, &wanted.side) || !wanted.side || wanted.side > ACTIVITY_SIDE_MAX))
        return host_error(HOST_USAGE, "activity", HOST_NO_OFFSET, "--regions %s: allowed: 1 to %u",
                          side, ACTIVITY_SIDE_MAX);
    code = host_format_option("activity", "from", options[3].value, &wanted.format);
    return code ? code : open_and_show(&wanted);
}
