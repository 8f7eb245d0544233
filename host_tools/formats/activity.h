/* SPDX-License-Identifier: MIT
   host_tools/formats/activity.h - how much happens in each frame and in each region of a sequence.
   reads   any format of formats.c         writes  counts
   memory  56 bytes a frame, 16 a region and column, two frames of points      cost    O(bytes), three passes
   after   own design: motion of all formats; of clips also what their tiles had to store */
#ifndef TIDEPOOL_ACTIVITY_H
#define TIDEPOOL_ACTIVITY_H
#include "formats.h"

#define ACTIVITY_SIDE_MAX    16u
#define ACTIVITY_COLUMNS_MAX 400u /* of a region: more frames share one */

/* Of one frame. Steps are lengths per frame of the points that are also in the frame before; 0 in the first. */
typedef struct activity_frame {
    int32_t number;
    uint32_t points, births, deaths; /* since the frame before */
    double mean_step, largest_step;
    uint32_t largest_point; /* its index */
    uint32_t keys;          /* points that did not go on as a clip predicts, by more than its bound */
    uint32_t anew; /* points of which it could not predict anything: at a group's begin all of them */
    uint64_t bits; /* of a clip's tiles and extra data */
} activity_frame;

/* A clip's frames are stored in groups; the bytes of a group are those of its frames and what belongs to all of them. */
typedef struct activity_group {
    int32_t first_frame;
    uint32_t frames, slots;
    uint64_t bytes;
} activity_group;

/* The two longest sides of the box of all points, cut into side x side regions; a region's column is some frames in a row. */
typedef struct activity_regions {
    uint32_t side, axis[2];
    bool is_of_a_plane;     /* all y alike with z up, as of a 2D scene, whose y they keep as z */
    double low[2], high[2]; /* low above high: no point has a place */
    size_t column_frames, columns;
    double *motion,
        *keys; /* [region][column]: sums of step lengths, and of keys; region = row * side + column, from low */
} activity_regions;

struct activity {
    activity_frame *frames;
    size_t frame_count;
    activity_group *groups;
    size_t group_count;
    bool has_bytes; /* frames have bits, and there are groups: a clip */
    bool has_keys;  /* some stream is kept within an error bound */
    activity_regions regions;
};

/* Whether some point of the frame could have had a key. */
static inline bool activity_knows_keys(const activity *result, const activity_frame *frame)
{
    return result->has_keys && frame->anew < frame->points;
}
/* HOST_DONE, or an error already printed and nothing to free. */
int activity_measure(activity *result, host_sequence *sequence, uint32_t side, host_progress *progress);
void activity_free(activity *result);
/* The place in motion and keys for a point in the frame at `position`; NULL: the point is nowhere. */
double *activity_region_at(const activity_regions *regions, double *sums, size_t position,
                           const float *location);
/* "x", "y" or "z", of the first or second side of the regions; of a plane with what a 2D scene
   calls it. */
const char *activity_axis_name(const activity_regions *regions, uint32_t k);
/* All columns of a region. */
double activity_region_sum(const activity_regions *regions, const double *sums, uint32_t region);

#endif
