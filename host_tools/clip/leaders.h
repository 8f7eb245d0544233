/* SPDX-License-Identifier: MIT
   host_tools/clip/leaders.h - proposals of leaders: points at a fixed distance that move alike.
   reads   second differences      writes  distances
   memory  none                    cost    O(points squared) per frame, vectorised
   after   own design: only some frames count; proposals are tested by the beam search */
#ifndef HOST_CLIP_LEADERS_H
#define HOST_CLIP_LEADERS_H
#include "../../runtime/codec/codec.h"

#define HOST_DIFFERENCES 6u /* frames */

/* Second differences of points, in units of the error, at some frames. */
typedef struct host_differences {
    uint32_t frames, points;
    float of[HOST_DIFFERENCES][TPI_TILE_POINTS];
} host_differences;

/* The distance to a leader that saves the most; 0 if none saves 1/16. *is_close: one nearly does,
   so that two may. */
uint32_t host_leader_find(const host_differences *differences, bool *is_close);

/* The distances to two leaders that save the most: the best one, then the one that is the best with
   it, if it saves another 1/64, else 0. False: less than 1/16 is saved. */
bool host_leaders_find(const host_differences *differences, uint32_t *follows, uint32_t *second);

#endif
