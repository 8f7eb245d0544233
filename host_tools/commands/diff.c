/* SPDX-License-Identifier: MIT
   host_tools/commands/diff.c - `tidepool diff`: compares two sequences point by point.
   reads   any format of formats.c         writes  standard output
   memory  two frames                      cost    O(bytes)
   after   own design; frames are compared as stored, nothing is interpolated */
#include "../formats/formats.h"
#include "../common/text.h"
#include <float.h>
#include <math.h>
#include <string.h>

int command_diff(int argc, char **argv);
extern const char help_diff[];
const char help_diff[] =
    "usage: tidepool diff A B [--tolerance T | --bound] [--components] [--json] [--from F]\n"
    "\n"
    "Compares two sequences point by point in every frame, and every stream that both have. "
    "Counts\n"
    "points and frames that only one of them has. For clips with an error bound it also says "
    "whether\n"
    "the bound holds. (Two clips: the sum of both bounds.)\n"
    "\n"
    "  --tolerance T   Accept distances up to T as equal (default 0).\n"
    "  --bound         Accept differences within the error bounds of the clips. Exact clips have "
    "0.\n"
    "                  Streams and extra data that only one has are not compared.\n"
    "  --components    Compare each coordinate alone, as --error of convert means it, not "
    "distances.\n"
    "  --json          Print one JSON object (see below).\n"
    "  --from F        Format of A and B, if the ending does not say it (see convert).\n"
    "\n"
    "  JSON name                            value\n"
    "  points, frames                       numbers of compared points and frames\n"
    "  missing, extra                       points only in A, points only in B\n"
    "  frames_missing, frames_extra         frames only in A, frames only in B\n"
    "  max_position_error                   largest difference\n"
    "  max_velocity_error                   the same; null if A or B has no velocities\n"
    "  max_other_error                      the same of all other streams\n"
    "  position_frame, position_point       where the largest difference is; null if none\n"
    "  velocity_frame, velocity_point       the same\n"
    "  max_rotation_angle                   radians, or null\n"
    "  extra_data_differs                   frames whose extra data differs\n"
    "  extra_data_not_compared              frames whose extra data the other format cannot hold\n"
    "  bound_holds                          true, false, or null if no bound is stated\n"
    "  streams                              for each: name, distance, component, bound, holds\n"
    "\n"
    "exit codes: 0 equal within the tolerance, 1 different\n"
    "example: tidepool diff out/dam_break out/dam_break.tpc --bound\n";

/* The largest difference of one stream, with its frame and point. */
typedef struct worst_place {
    bool compared;
    double error;
    double frame;
    uint32_t index;
    double distance, component; /* the largest of each, possibly at different points */
} worst_place;

typedef struct comparison {
    uint64_t points, frames, missing, extra;
    uint64_t alone[2];     /* frames that only A, or only B, has */
    uint64_t alone_points; /* points in them */
    uint64_t left_out;     /* frames in which only one side has extra data, and the other none */
    bool left_out_by_b;
    uint64_t extra_frames;   /* frames in which both have springs, or both have accelerations */
    uint64_t extra_alone[2]; /* frames in which only A, or only B, has some */
    /* frames whose springs or accelerations differ by more than the tolerance */
    uint64_t other_extra;
    double tolerance;
    bool by_component; /* --components: largest difference of a component, not the distance */
    bool by_bound;     /* --bound: differences within the stated bounds count as equal */
    bool has_bound;
    double bounds[POINT_STREAMS]; /* sum of the bounds of A and B */
    double angle;                 /* largest between two rotations, radians */
    worst_place worst[POINT_STREAMS];
} comparison;

/* Distance of two elements. Equal values and two NaN have distance 0; NaN or infinity and another
   value have DBL_MAX. */
static double distance(const float *a, const float *b, uint32_t floats, bool by_component)
{
    double sum = 0, most = 0;
    for (uint32_t k = 0; k < floats; k++) {
        double difference = (double)a[k] - (double)b[k];
        if (a[k] == b[k] || (isnan(a[k]) && isnan(b[k]))) continue;
        if (!isfinite(difference)) return DBL_MAX;
        sum += difference * difference;
        most = fmax(most, fabs(difference));
    }
    return by_component ? most : sqrt(sum);
}

/* Angle between two rotations given as quaternions of any length and sign: 4 atan(|a - b| / |a +
   b|). */
static double angle_between(const float a[4], const float b[4])
{
    double length[2] = {0, 0}, dot = 0, less = 0, more = 0;
    for (uint32_t k = 0; k < 4; k++) {
        length[0] += (double)a[k] * (double)a[k];
        length[1] += (double)b[k] * (double)b[k];
        dot += (double)a[k] * (double)b[k];
    }
    if (!(length[0] > 0 && length[1] > 0) || !isfinite(length[0]) || !isfinite(length[1])) return 0;
    double sign = dot < 0 ? -1 : 1;
    for (uint32_t k = 0; k < 4; k++) {
        double left = (double)a[k] / sqrt(length[0]), right = sign * (double)b[k] / sqrt(length[1]);
        less += (left - right) * (left - right);
        more += (left + right) * (left + right);
    }
    return 4 * atan2(sqrt(less), sqrt(more));
}

/* Compares the bytes after the floats of an element. Boids: state and mode. Painted surfaces: state
   and 2 unused bytes. */
static bool same_state(uint32_t stream, const uint8_t *left, const uint8_t *right)
{
    size_t at = point_streams[stream].floats * sizeof(float),
           bytes = point_streams[stream].bytes - at;
    return !bytes || memcmp(left + at, right + at, stream == POINT_BOIDS ? bytes : 2) == 0;
}

static void note_worst(comparison *result, uint32_t stream, double number, uint32_t index,
                       const float *left, const float *right)
{
    worst_place *worst = &result->worst[stream];
    uint32_t floats = point_streams[stream].floats;
    double apart = distance(left, right, floats, false),
           component = distance(left, right, floats, true);
    double error = result->by_component ? component : apart;
    if (!worst->compared || error > worst->error) {
        worst->error = error;
        worst->frame = number;
        worst->index = index;
    }
    worst->compared = true;
    worst->distance = fmax(worst->distance, apart);
    worst->component = fmax(worst->component, component);
}

static void compare_points(comparison *result, const host_frame *a, uint32_t i, const host_frame *b,
                           uint32_t j)
{
    result->points++;
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        float left[5] = {0}, right[5] = {0};
        if (!a->data[s] || !b->data[s]) continue;
        size_t bytes = point_streams[s].floats * sizeof *left;
        const uint8_t *from = (const uint8_t *)a->data[s] + (size_t)i * point_streams[s].bytes,
                      *to = (const uint8_t *)b->data[s] + (size_t)j * point_streams[s].bytes;
        memcpy(left, from, bytes);
        memcpy(right, to, bytes);
        if (!same_state(s, from, to)) right[0] = INFINITY, left[0] = 0;
        note_worst(result, s, a->number, ((const uint32_t *)a->data[POINT_INDEX])[i], left, right);
        if (s == POINT_ROTATION) result->angle = fmax(result->angle, angle_between(left, right));
    }
}

/* A spring is a length followed by integers, an acceleration is three floats. */
static bool extra_equal(const host_extra *a, const host_extra *b, uint32_t type, double tolerance)
{
    uint32_t bytes = extra_bytes[type], floats = type == EXTRA_SPRINGS ? 1 : 3;
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        float left[4], right[4];
        memcpy(left, a->bytes + (size_t)i * bytes, bytes);
        memcpy(right, b->bytes + (size_t)i * bytes, bytes);
        if (distance(left, right, floats, false) > tolerance) return false;
        if (memcmp(left + floats, right + floats, bytes - floats * sizeof *left) != 0) return false;
    }
    return true;
}

static void compare_extra(comparison *result, const host_frame *a, const host_frame *b)
{
    bool equal = true, compared = false, alone[2] = {false, false};
    for (uint32_t t = 1; t < EXTRA_TYPES; t++) {
        bool left = a->extra[t].count, right = b->extra[t].count;
        if (left && right)
            equal = equal && extra_equal(&a->extra[t], &b->extra[t], t, result->tolerance);
        compared |= left && right;
        alone[0] |= left && !right;
        alone[1] |= right && !left;
    }
    result->extra_frames += compared;
    equal = equal && !(alone[0] && alone[1]);
    result->extra_alone[0] += equal && alone[0];
    result->extra_alone[1] += equal && alone[1];
    result->other_extra += !equal;
}

/* Extra data that only one side has counts as a difference if the other format can hold extra data.
   A side shows that it can by its format, or by having some. */
static void judge_extra(comparison *result, const host_format *a, const host_format *b)
{
    uint64_t *alone = result->extra_alone;
    bool both_have = result->extra_frames || (alone[0] && alone[1]);
    if (!both_have && !(a->speaks_bphys_units && b->speaks_bphys_units)) return;
    if (!both_have) {
        result->left_out = alone[0] + alone[1];
        result->left_out_by_b = alone[0] > 0;
    }
    result->other_extra += alone[0] + alone[1];
    alone[0] = alone[1] = 0;
}

/* Merges both frames in one pass: their points are sorted by index. */
static void compare_frames(comparison *result, const host_frame *a, const host_frame *b)
{
    const uint32_t *left = a->data[POINT_INDEX], *right = b->data[POINT_INDEX];
    uint32_t i = 0, j = 0;
    result->frames++;
    while (i < a->count || j < b->count) {
        if (j == b->count || (i < a->count && left[i] < right[j])) {
            result->missing++;
            i++;
        } else if (i == a->count || right[j] < left[i]) {
            result->extra++;
            j++;
        } else {
            compare_points(result, a, i++, b, j++);
        }
    }
}

/* Counts a frame that the other side does not have, and its points. */
static int count_alone(comparison *result, host_sequence *sequence, size_t position, bool in_b)
{
    uint64_t *count = in_b ? &result->extra : &result->missing;
    host_frame frame;
    int code = host_sequence_load(sequence, position, &frame);
    if (code) return code;
    *count += frame.count;
    result->alone_points += frame.count;
    result->alone[in_b]++;
    host_frame_free(&frame);
    return HOST_DONE;
}

static int compare_stored(comparison *result, host_sequence *a, size_t i, host_sequence *b,
                          size_t j)
{
    host_frame left, right;
    int code = host_sequence_load(a, i, &left);
    if (code) return code;
    code = host_sequence_load(b, j, &right);
    if (!code) {
        compare_frames(result, &left, &right);
        compare_extra(result, &left, &right);
        host_frame_free(&right);
    }
    host_frame_free(&left);
    return code;
}

static int compare_sequences(comparison *result, host_sequence *a, host_sequence *b)
{
    size_t i = 0, j = 0;
    int code = HOST_DONE;
    while (!code && (i < a->frame_count || j < b->frame_count)) {
        if (j == b->frame_count || (i < a->frame_count && a->numbers[i] < b->numbers[j]))
            code = count_alone(result, a, i++, false);
        else if (i == a->frame_count || b->numbers[j] < a->numbers[i])
            code = count_alone(result, b, j++, true);
        else {
            code = compare_stored(result, a, i, b, j);
            i++, j++;
        }
    }
    return code;
}

/* Compares birth and death in the info files. */
static void compare_lives(comparison *result, const host_sequence *a, const host_sequence *b)
{
    for (uint32_t i = 0; a->times && b->times && i < a->point_count && i < b->point_count; i++)
        note_worst(result, POINT_TIMES, 0, i, a->times + (size_t)i * 3, b->times + (size_t)i * 3);
}

static bool is_within(const comparison *result, uint32_t stream)
{
    return result->worst[stream].component <= result->bounds[stream];
}

/* In the frames that both have, points and extra data must be equal, and streams within their
   bounds. A stream or extra data that one side left out in all frames breaks no bound. */
static bool bound_holds(const comparison *result)
{
    bool holds = result->missing + result->extra == result->alone_points &&
                 result->other_extra == result->left_out;
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) holds = holds && is_within(result, s);
    return holds;
}

static void take_bounds(comparison *result, const host_sequence *a, const host_sequence *b)
{
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        result->bounds[s] = a->errors[s] + b->errors[s];
        result->has_bound |= result->bounds[s] > 0;
    }
}

static double other_error(const comparison *result)
{
    double worst = 0;
    for (uint32_t s = POINT_ROTATION; s < POINT_STREAMS; s++)
        if (result->worst[s].error > worst) worst = result->worst[s].error;
    return worst;
}

static void print_place(const char *name, const worst_place *worst)
{
    if (worst->compared && worst->error > 0)
        printf(", \"%s_frame\": %.10g, \"%s_point\": %u", name, worst->frame, name, worst->index);
    else
        printf(", \"%s_frame\": null, \"%s_point\": null", name, name);
}

static void print_streams(const comparison *result)
{
    const char *comma = "";
    if (result->worst[POINT_ROTATION].compared)
        printf(", \"max_rotation_angle\": %.9g", result->angle);
    else
        fputs(", \"max_rotation_angle\": null", stdout);
    printf(", \"bound_holds\": %s, \"streams\": [", !result->has_bound    ? "null"
                                                    : bound_holds(result) ? "true"
                                                                          : "false");
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        if (!result->worst[s].compared) continue;
        printf("%s{\"name\": \"%s\", \"distance\": %.9g, \"component\": %.9g, \"bound\": %.9g, "
               "\"holds\": %s}",
               comma, point_streams[s].name, result->worst[s].distance, result->worst[s].component,
               result->bounds[s], is_within(result, s) ? "true" : "false");
        comma = ", ";
    }
    printf("], \"frames_missing\": %llu, \"frames_extra\": %llu}\n",
           (unsigned long long)result->alone[0], (unsigned long long)result->alone[1]);
}

static void print_json(const comparison *result)
{
    const worst_place *velocity = &result->worst[POINT_VELOCITY];
    printf("{\"points\": %llu, \"frames\": %llu, \"max_position_error\": %.9g, ",
           (unsigned long long)result->points, (unsigned long long)result->frames,
           result->worst[POINT_LOCATION].error);
    if (velocity->compared)
        printf("\"max_velocity_error\": %.9g, ", velocity->error);
    else
        printf("\"max_velocity_error\": null, ");
    printf("\"missing\": %llu, \"extra\": %llu, \"max_other_error\": %.9g",
           (unsigned long long)result->missing, (unsigned long long)result->extra,
           other_error(result));
    print_place("position", &result->worst[POINT_LOCATION]);
    print_place("velocity", velocity);
    printf(", \"extra_data_differs\": %llu, \"extra_data_not_compared\": %llu",
           (unsigned long long)result->other_extra,
           (unsigned long long)(result->extra_alone[0] + result->extra_alone[1]));
    print_streams(result);
}

static void print_bound(const comparison *result, uint32_t stream)
{
    const worst_place *worst = &result->worst[stream];
    if (!(worst->component > 0)) return;
    printf("  %-10s one component by at most %.9g, stated bound %.9g: %s\n", "", worst->component,
           result->bounds[stream], is_within(result, stream) ? "holds" : "does NOT hold");
}

static void print_extra(const comparison *result, const host_sequence *a, const host_sequence *b)
{
    const uint64_t *alone = result->extra_alone;
    if (result->other_extra)
        printf("  %-10s differs in %llu frame%s\n", "extra data",
               (unsigned long long)result->other_extra, result->other_extra == 1 ? "" : "s");
    else if (result->extra_frames)
        printf("  %-10s equal\n", "extra data");
    else if (alone[0] || alone[1])
        printf("  %-10s only in %s, not compared\n", "extra data",
               text_shown(alone[0] ? a->path : b->path));
}

/* Extra data of one side that the other left out. */
static void print_left_out(const comparison *result, const char *path)
{
    if (result->left_out) printf("  %-10s only in %s\n", "", text_shown(path));
}

static void print_alone(uint64_t points, uint64_t frames, const char *path)
{
    if (points) printf("  %llu points only in %s\n", (unsigned long long)points, text_shown(path));
    if (frames)
        printf("  %llu frame%s only in %s\n", (unsigned long long)frames, frames == 1 ? "" : "s",
               text_shown(path));
}

/* The last line. */
static void print_verdict(const comparison *result)
{
    bool has_all = !result->alone[0] && !result->alone[1];
    if (!result->has_bound) return;
    puts(!bound_holds(result) ? "the stated bound does NOT hold"
         : has_all            ? "the stated bound holds"
                              : "the stated bound holds in the frames that both have");
}

static void print_text(const comparison *result, const host_sequence *a, const host_sequence *b)
{
    printf("%llu points in %llu frames compared\n", (unsigned long long)result->points,
           (unsigned long long)result->frames);
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        const worst_place *worst = &result->worst[s];
        bool is_cloth = a->type == POINT_CLOTH && point_streams[s].other_name;
        const char *name = s == POINT_LOCATION ? "position"
                           : is_cloth          ? point_streams[s].other_name
                                               : point_streams[s].name;
        bool in_a = a->streams & POINT_BIT(s), in_b = b->streams & POINT_BIT(s);
        if (worst->compared && worst->error > 0)
            printf("  %-10s differs by at most %.9g, frame %.10g point %u\n", name, worst->error,
                   worst->frame, worst->index);
        else if (worst->compared)
            printf("  %-10s equal\n", name);
        else if (in_a != in_b)
            printf("  %-10s only in %s%s, not compared\n", name,
                   s == POINT_TIMES && (in_a ? b : a)->times ? "the frames of " : "",
                   text_shown(in_a ? a->path : b->path));
        if (s == POINT_ROTATION && result->angle > 0)
            printf("  %-10s turned by at most %.4g degrees\n", "",
                   result->angle * 180 / 3.14159265358979);
        if (result->has_bound && worst->compared) print_bound(result, s);
    }
    print_extra(result, a, b);
    print_left_out(result, result->left_out_by_b ? a->path : b->path);
    print_alone(result->missing, result->alone[0], a->path);
    print_alone(result->extra, result->alone[1], b->path);
    print_verdict(result);
}

static bool is_equal(const comparison *result)
{
    bool has_all = !result->alone[0] && !result->alone[1];
    if (result->by_bound) return bound_holds(result) && has_all;
    bool equal = !result->missing && !result->extra && !result->other_extra;
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++)
        equal = equal && result->worst[s].error <= result->tolerance;
    return equal;
}

static int diff(const char *const paths[2], const host_format *format, comparison *result,
                bool json)
{
    host_sequence a, b;
    int code = host_sequence_open(&a, paths[0], format);
    if (code) return code;
    code = host_sequence_need(&a, &(host_needs){0, true}, "diff");
    if (!code) code = host_sequence_open(&b, paths[1], format);
    if (!code) {
        code = host_sequence_need(&b, &(host_needs){0, true}, "diff");
        if (!code) code = compare_sequences(result, &a, &b);
        compare_lives(result, &a, &b);
        judge_extra(result, a.format, b.format);
        take_bounds(result, &a, &b);
        if (!code && json)
            print_json(result);
        else if (!code)
            print_text(result, &a, &b);
        if (!code && !is_equal(result)) code = HOST_DIFFERENT;
        host_sequence_close(&b);
    }
    host_sequence_close(&a);
    return code;
}

int command_diff(int argc, char **argv)
{
    enum { COUNT = 5 };
    host_option options[COUNT] = {{"tolerance", false, NULL},
                                  {"json", true, NULL},
                                  {"from", false, NULL},
                                  {"components", true, NULL},
                                  {"bound", true, NULL}};
    comparison result;
    const char *paths[2];
    size_t path_count;
    double tolerance = 0;
    if (host_help(argc, argv, help_diff)) return HOST_DONE;
    int code = host_parse("diff", argc, argv, options, COUNT, paths, 2, &path_count);
    if (code) return code;
    const char *text = host_option_value(options, COUNT, "tolerance"),
               *from = host_option_value(options, COUNT, "from");
    const host_format *format;
    if (path_count < 2)
        return host_error(HOST_USAGE, "diff", HOST_NO_OFFSET,
                          "expected A and B; see tidepool diff --help");
    if (text && (!host_parse_f64(text, &tolerance) || tolerance < 0))
        return host_error(HOST_USAGE, "diff", HOST_NO_OFFSET,
                          "--tolerance is \"%s\", expected a number from 0", text);
    code = host_format_option("diff", "from", from, &format);
    if (code) return code;
    memset(&result, 0, sizeof result);
    result.tolerance = tolerance;
    result.by_bound = host_option_value(options, COUNT, "bound") != NULL;
    if (result.by_bound && text)
        return host_error(HOST_USAGE, "diff", HOST_NO_OFFSET,
                          "--tolerance and --bound exclude each other");
    result.by_component = host_option_value(options, COUNT, "components") != NULL;
    return diff(paths, format, &result, host_option_value(options, COUNT, "json") != NULL);
}
