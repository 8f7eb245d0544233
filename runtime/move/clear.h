/* SPDX-License-Identifier: MIT
   runtime/move/clear.h - the quick look before a path is traced.
   reads   segments, the colliders      writes  nothing
   memory  registers                    cost    see tpi_segments_clear
   after   own design */
#ifndef TPI_CLEAR_H
#define TPI_CLEAR_H
#include "collide.h"
#include "../base/lanes.h"

/* Spheres on straight paths, one a lane. In 2D the third component is not looked at. */
typedef struct tpi_segments {
    tpi_lanes from[3], to[3]; /* m */
    tpi_lanes radius;         /* m */
} tpi_segments;

/* The lanes whose path would meet nothing and so ends at `to` as it is; a lane that is not named
   says nothing: it may be at rest, not a number or too far out. A unit a collider and lane.
   O(colliders) */
TPI_FUNC tpi_lane_mask tpi_segments_clear(const tp_world *world, const tpi_segments *segments);

#endif
