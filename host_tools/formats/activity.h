/* SPDX-License-Identifier: MIT
   host_tools/formats/activity.h - how much moves in each frame and in each region of a sequence.
   reads   any format of formats.c         writes  counts
   memory  56 bytes per frame, 16 per region and column, two frames of points   cost    O(bytes),
           three passes
   after   own design: motion for all formats; for clips also the keys and bytes stored in their
           tiles */
#ifndef TIDEPOOL_ACTIVITY_H
#define TIDEPOOL_ACTIVITY_H
#include "formats.h"

#define ACTIVITY_SIDE_MAX 16u
#define ACTIVITY_COLUMNS_MAX \
    400u /* per region; in longer sequences a column covers several frames */

/* Counts of one frame. A step is the distance per frame moved by a point that was also in the frame
   before; 0 in the first frame. */
typedef struct activity_frame {
    int32_t number;
    uint32_t points, births, deaths; /* points that appeared and vanished since the frame before */
    double mean_step, largest_step;
    uint32_t largest_point; /* index of the point with the largest step */
    /* points whose deviation from the clip's prediction exceeds its bound */
    uint32_t keys;
    /* Points without a prediction; in the first frame of a group all points. */
    uint32_t anew;
    uint64_t bits; /* bits of a clip's tiles and extra data */
} activity_frame;

/* A clip stores its frames in groups. `bytes`: those of its frames and of the data shared by all of
   them. */
typedef struct activity_group {
    int32_t first_frame;
    uint32_t frames, slots;
    uint64_t bytes;
} activity_group;

/* The bounding box of all points along its two longest sides, divided into side x side regions.
   Time is divided into columns of consecutive frames. */
typedef struct activity_regions {
    uint32_t side, axis[2];
    /* z points up and all y are equal: a 2D scene, whose y is stored as z. */
    bool is_of_a_plane;
    double low[2], high[2]; /* low above high: no point has a finite location */
    size_t column_frames, columns;
    /* Sums of step lengths and of keys: [region][column of time], region = row * side + column from
       `low`. */
    double *motion, *keys;
} activity_regions;

struct activity {
    activity_frame *frames;
    size_t frame_count;
    activity_group *groups;
    size_t group_count;
    bool has_bytes; /* a clip: frames have bits, and there are groups */
    bool has_keys;  /* some stream is stored within an error bound */
    activity_regions regions;
};

/* True when at least one point of the frame had a prediction, and could therefore have a key. */
static inline bool activity_knows_keys(const activity *result, const activity_frame *frame)
{
    return result->has_keys && frame->anew < frame->points;
}
/* HOST_DONE, or the error printed and nothing to free. */
int activity_measure(activity *result, host_sequence *sequence, uint32_t side,
                     host_progress *progress);
void activity_free(activity *result);
/* The element of `sums` (motion or keys) for a point in the frame at index `position`; NULL when
   its location is not finite. */
double *activity_region_at(const activity_regions *regions, double *sums, size_t position,
                           const float *location);
/* "x", "y" or "z": the axis of side k (0 or 1) of the regions. For a 2D scene with the scene's own
   name of the axis. */
const char *activity_axis_name(const activity_regions *regions, uint32_t k);
/* Sum over all columns of a region. */
double activity_region_sum(const activity_regions *regions, const double *sums, uint32_t region);

#endif
