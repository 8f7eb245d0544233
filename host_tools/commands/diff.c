/* SPDX-License-Identifier: MIT
   host_tools/commands/diff.c - `tidepool diff`: compares two sequences point by point.
   reads   any format of formats.c         writes  standard output
   memory  two frames                      cost    O(bytes)
   after   own design; frames are compared as stored, nothing is interpolated */
#include "../formats/formats.h"
#include <float.h>
#include <math.h>
#include <string.h>

int command_diff(int argc, char **argv);
extern const char help_diff[];
const char help_diff[] =
    "usage: tidepool diff A B [--tolerance T] [--components] [--json] [--from F]\n"
    "\n"
    "Compares two sequences frame by frame and point by point: the streams that both have, points and frames "
    "that only\n"
    "one has. Exit code 0: equal within the tolerance; 1: different.\n"
    "\n"
    "  --tolerance T   largest distance of two positions, velocities, ... that counts as equal; default 0\n"
    "  --components    each component alone, as the --error of convert bounds them: the largest difference "
    "of a\n"
    "                  coordinate instead of the distance\n"
    "  --json          one object: points, frames, max_position_error, max_velocity_error (null when a side "
    "has no\n"
    "                  velocities), missing (points only in A), extra (points only in B), max_other_error "
    "(the other\n"
    "                  streams), and for the worst position and velocity position_frame, position_point, "
    "velocity_frame,\n"
    "                  velocity_point (null when nothing differs)\n"
    "  --from F        format of both, where the ending does not tell it (see convert)\n"
    "\n"
    "example: tidepool diff out/dam_break dam_break.csv --tolerance 1e-6\n";

/* The largest difference of one stream, and where it is. */
typedef struct worst_place {
    bool compared;
    double error;
    double frame;
    uint32_t index;
} worst_place;

typedef struct comparison {
    uint64_t points, frames, missing, extra;
    uint64_t other_extra; /* frames whose springs or accelerations differ by more than the tolerance */
    double tolerance;
    bool by_component; /* the largest difference of a component instead of the distance */
    worst_place worst[POINT_STREAMS];
} comparison;

/* Distance of two elements; equal bits and two NaN are 0 apart, NaN or infinity and another number are DBL_MAX. */
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

static void compare_points(comparison *result, const host_frame *a, uint32_t i, const host_frame *b,
                           uint32_t j)
{
    result->points++;
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        worst_place *worst = &result->worst[s];
        float left[5] = {0}, right[5] = {0};
        if (!a->data[s] || !b->data[s]) continue;
        size_t bytes = point_streams[s].floats * sizeof *left;
        memcpy(left, (const uint8_t *)a->data[s] + (size_t)i * point_streams[s].bytes, bytes);
        memcpy(right, (const uint8_t *)b->data[s] + (size_t)j * point_streams[s].bytes, bytes);
        double error = distance(left, right, point_streams[s].floats, result->by_component);
        if (!worst->compared || error > worst->error) {
            worst->error = error;
            worst->frame = a->number;
            worst->index = ((const uint32_t *)a->data[POINT_INDEX])[i];
        }
        worst->compared = true;
    }
}

/* Springs have a length and then whole numbers, accelerations three floats. */
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

/* What only one side has may be of a format that cannot hold it. */
static void compare_extra(comparison *result, const host_frame *a, const host_frame *b)
{
    bool equal = true;
    for (uint32_t t = 1; t < EXTRA_TYPES; t++)
        if (a->extra[t].count && b->extra[t].count)
            equal = equal && extra_equal(&a->extra[t], &b->extra[t], t, result->tolerance);
    result->other_extra += !equal;
}

/* Both frames ascend in index: one pass over both. */
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

/* The points of a frame that the other side does not have. */
static int count_alone(host_sequence *sequence, size_t position, uint64_t *count)
{
    host_frame frame;
    int code = host_sequence_load(sequence, position, &frame);
    if (code) return code;
    *count += frame.count;
    host_frame_free(&frame);
    return HOST_DONE;
}

static int compare_stored(comparison *result, host_sequence *a, size_t i, host_sequence *b, size_t j)
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
            code = count_alone(a, i++, &result->missing);
        else if (i == a->frame_count || b->numbers[j] < a->numbers[i])
            code = count_alone(b, j++, &result->extra);
        else {
            code = compare_stored(result, a, i, b, j);
            i++, j++;
        }
    }
    return code;
}

/* Birth and death of the info files. */
static void compare_lives(comparison *result, const host_sequence *a, const host_sequence *b)
{
    worst_place *worst = &result->worst[POINT_TIMES];
    for (uint32_t i = 0; a->times && b->times && i < a->point_count && i < b->point_count; i++) {
        double error = distance(a->times + (size_t)i * 3, b->times + (size_t)i * 3, 3, result->by_component);
        if (!worst->compared || error > worst->error) *worst = (worst_place){true, error, 0, i};
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
        printf(", \"%s_frame\": %.9g, \"%s_point\": %u", name, worst->frame, name, worst->index);
    else
        printf(", \"%s_frame\": null, \"%s_point\": null", name, name);
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
           (unsigned long long)result->missing, (unsigned long long)result->extra, other_error(result));
    print_place("position", &result->worst[POINT_LOCATION]);
    print_place("velocity", velocity);
    printf(", \"extra_data_differs\": %llu}\n", (unsigned long long)result->other_extra);
}

static void print_text(const comparison *result, const host_sequence *a, const host_sequence *b)
{
    printf("%llu points in %llu frames compared\n", (unsigned long long)result->points,
           (unsigned long long)result->frames);
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++) {
        const worst_place *worst = &result->worst[s];
        const char *name = s == POINT_LOCATION ? "position" : point_streams[s].name;
        bool in_a = a->streams & POINT_BIT(s), in_b = b->streams & POINT_BIT(s);
        if (worst->compared && worst->error > 0)
            printf("  %-10s differs by at most %.9g, frame %.9g point %u\n", name, worst->error, worst->frame,
                   worst->index);
        else if (worst->compared)
            printf("  %-10s equal\n", name);
        else if (in_a != in_b)
            printf("  %-10s only in %s, not compared\n", name, in_a ? a->path : b->path);
    }
    if (result->other_extra)
        printf("  extra data differs in %llu frames\n", (unsigned long long)result->other_extra);
    if (result->missing) printf("  %llu points only in %s\n", (unsigned long long)result->missing, a->path);
    if (result->extra) printf("  %llu points only in %s\n", (unsigned long long)result->extra, b->path);
}

static bool is_equal(const comparison *result)
{
    bool equal = !result->missing && !result->extra && !result->other_extra;
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++)
        equal = equal && result->worst[s].error <= result->tolerance;
    return equal;
}

static int diff(const char *const paths[2], const host_format *format, comparison *result, bool json)
{
    host_sequence a, b;
    int code = host_sequence_open(&a, paths[0], format);
    if (code) return code;
    code = host_sequence_need_points(&a, true);
    if (!code) code = host_sequence_open(&b, paths[1], format);
    if (!code) {
        code = host_sequence_need_points(&b, true);
        if (!code) code = compare_sequences(result, &a, &b);
        compare_lives(result, &a, &b);
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
    enum { COUNT = 4 };
    host_option options[COUNT] = {
        {"tolerance", false, NULL}, {"json", true, NULL}, {"from", false, NULL}, {"components", true, NULL}};
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
        return host_error(HOST_USAGE, "diff", HOST_NO_OFFSET, "expected A and B; see tidepool diff --help");
    if (text && (!host_parse_f64(text, &tolerance) || tolerance < 0))
        return host_error(HOST_USAGE, "diff", HOST_NO_OFFSET,
                          "--tolerance is \"%s\", expected a number from 0", text);
    code = host_format_option("diff", "from", from, &format);
    if (code) return code;
    memset(&result, 0, sizeof result);
    result.tolerance = tolerance;
    result.by_component = host_option_value(options, COUNT, "components") != NULL;
    return diff(paths, format, &result, host_option_value(options, COUNT, "json") != NULL);
}
