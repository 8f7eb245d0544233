/* SPDX-License-Identifier: MIT
   host_tools/formats/activity.c - how much moves in each frame and in each region of a sequence.
   reads   any format of formats.c         writes  counts
   memory  see activity.h        cost    one pass for the box, one for the motion, one over a clip's
           tiles
   after   own design */
#include "activity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int load_alive(host_sequence *sequence, size_t position, host_frame *frame)
{
    int code = host_sequence_load(sequence, position, frame);
    if (code) return code;
    code = host_sequence_keep_alive(sequence, frame);
    if (code) host_frame_free(frame);
    return code;
}

static bool is_finite(const float *x) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

/* ---- regions */

double *activity_region_at(const activity_regions *regions, double *sums, size_t position,
                           const float *location)
{
    uint32_t cell[2];
    if (!is_finite(location) || regions->low[0] > regions->high[0]) return NULL;
    for (uint32_t k = 0; k < 2; k++) {
        double length = regions->high[k] - regions->low[k];
        double part = length > 0 ? ((double)location[regions->axis[k]] - regions->low[k]) / length *
                                       regions->side
                                 : 0;
        cell[k] = part < 0 ? 0 : part >= regions->side ? regions->side - 1u : (uint32_t)part;
    }
    size_t region = (size_t)cell[1] * regions->side + cell[0];
    return &sums[region * regions->columns + position / regions->column_frames];
}

double activity_region_sum(const activity_regions *regions, const double *sums, uint32_t region)
{
    double sum = 0;
    for (size_t c = 0; c < regions->columns; c++) sum += sums[region * regions->columns + c];
    return sum;
}

const char *activity_axis_name(const activity_regions *regions, uint32_t k)
{
    static const char *const names[3] = {"x", "y", "z"};
    uint32_t axis = regions->axis[k];
    return axis == 2 && regions->is_of_a_plane ? "z (y of a 2D scene)" : names[axis];
}

/* Chooses the two longest sides, the first of equal ones, and keeps them in the order x, y, z. */
static void choose_sides(activity_regions *regions, const double low[3], const double high[3])
{
    uint32_t shortest = 2;
    for (uint32_t axis = 2; axis-- > 0;)
        if (high[axis] - low[axis] < high[shortest] - low[shortest]) shortest = axis;
    for (uint32_t axis = 0, k = 0; axis < 3; axis++) {
        if (axis == shortest) continue;
        regions->axis[k] = axis;
        regions->low[k] = low[axis];
        regions->high[k++] = high[axis];
    }
}

static int find_box(activity *result, host_sequence *sequence)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t f = 0; f < sequence->frame_count; f++) {
        host_frame frame;
        int code = load_alive(sequence, f, &frame);
        if (code) return code;
        const float *x = frame.data[POINT_LOCATION];
        for (uint32_t i = 0; x && i < frame.count; i++, x += 3)
            for (uint32_t axis = 0; is_finite(x) && axis < 3; axis++) {
                low[axis] = fmin(low[axis], (double)x[axis]);
                high[axis] = fmax(high[axis], (double)x[axis]);
            }
        host_frame_free(&frame);
    }
    choose_sides(&result->regions, low, high);
    result->regions.is_of_a_plane = host_sequence_is_z_up(sequence) && low[1] == high[1];
    return HOST_DONE;
}

/* ---- motion */

static void add_step(activity *result, size_t position, double frames, const float *from,
                     const float *to, uint32_t index, double *sum)
{
    activity_frame *frame = &result->frames[position];
    double square = 0;
    if (!is_finite(from) || !is_finite(to)) return;
    for (uint32_t axis = 0; axis < 3; axis++) {
        double delta = (double)to[axis] - (double)from[axis];
        square += delta * delta;
    }
    double step = sqrt(square) / frames;
    if (step > frame->largest_step) {
        frame->largest_step = step;
        frame->largest_point = index;
    }
    *sum += step;
    double *region = activity_region_at(&result->regions, result->regions.motion, position, to);
    if (region) *region += step;
}

/* Merges the two frames, which both ascend in index. */
static void compare(activity *result, size_t position, const host_frame *before,
                    const host_frame *now)
{
    activity_frame *frame = &result->frames[position];
    const uint32_t *old = before->data[POINT_INDEX], *indices = now->data[POINT_INDEX];
    const float *from = before->data[POINT_LOCATION], *to = now->data[POINT_LOCATION];
    double sum = 0;
    uint32_t i = 0, j = 0, both = 0;
    while (i < before->count || j < now->count) {
        if (j == now->count || (i < before->count && old[i] < indices[j])) {
            frame->deaths++;
            i++;
        } else if (i == before->count || indices[j] < old[i]) {
            frame->births++;
            j++;
        } else {
            if (from && to)
                add_step(result, position, now->number - before->number, from + 3 * (size_t)i,
                         to + 3 * (size_t)j, indices[j], &sum);
            both++;
            i++, j++;
        }
    }
    frame->mean_step = both ? sum / both : 0;
}

static int measure_motion(activity *result, host_sequence *sequence, host_progress *progress)
{
    host_frame before = {0}, now;
    int code = HOST_DONE;
    for (size_t f = 0; !code && f < sequence->frame_count; f++) {
        code = load_alive(sequence, f, &now);
        if (code) break;
        result->frames[f].number = sequence->numbers[f];
        result->frames[f].points = now.count;
        if (f) compare(result, f, &before, &now);
        host_frame_free(&before);
        before = now;
        host_progress_update(progress, f + 1);
    }
    host_frame_free(&before);
    return code;
}

/* ---- the whole measurement */

static int allocate(activity *result, size_t frames, uint32_t side)
{
    activity_regions *regions = &result->regions;
    regions->side = side;
    regions->column_frames = (frames + ACTIVITY_COLUMNS_MAX - 1u) / ACTIVITY_COLUMNS_MAX;
    if (!regions->column_frames) regions->column_frames = 1;
    regions->columns = (frames + regions->column_frames - 1u) / regions->column_frames;
    size_t sums = (size_t)side * side * regions->columns;
    result->frame_count = frames;
    result->frames = host_allocate(frames, sizeof *result->frames);
    regions->motion = host_allocate(sums, sizeof *regions->motion);
    regions->keys = host_allocate(sums, sizeof *regions->keys);
    bool good = result->frames && regions->motion && regions->keys;
    return good ? HOST_DONE : host_out_of_memory("the activity of frames");
}

int activity_measure(activity *result, host_sequence *sequence, uint32_t side,
                     host_progress *progress)
{
    memset(result, 0, sizeof *result);
    int code = allocate(result, sequence->frame_count, side);
    if (!code) code = find_box(result, sequence);
    if (!code) code = measure_motion(result, sequence, progress);
    if (!code && sequence->format->count_keys)
        code = sequence->format->count_keys(sequence, result);
    if (code) activity_free(result);
    return code;
}

void activity_free(activity *result)
{
    free(result->frames);
    free(result->groups);
    free(result->regions.motion);
    free(result->regions.keys);
    memset(result, 0, sizeof *result);
}
