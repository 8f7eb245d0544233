/* SPDX-License-Identifier: MIT
   host_tools/clip/flight.h - the acceleration and drag that points of a tile have in common.
   reads   displacements      writes  two numbers
   memory  4 KB of stack     cost    O(displacements)
   after   least trimmed squares (Rousseeuw 1984) by concentration steps */
#ifndef HOST_CLIP_FLIGHT_H
#define HOST_CLIP_FLIGHT_H
#include "tile.h"

/* In units of the samples per frame and frame, and per frame. */
typedef struct host_flight {
    double acceleration, drag;
} host_flight;

#define HOST_FLIGHT_PAIRS 320u

/* Displacements of a point in a frame and in the next one. */
typedef struct host_flight_pairs {
    uint32_t count;
    float now[HOST_FLIGHT_PAIRS], next[HOST_FLIGHT_PAIRS];
} host_flight_pairs;

/* Of some points of a component of a tile; an acceleration that no flight shows counts as none. */
host_flight host_flight_of(const host_tile_samples *samples, const tpi_tile_plan *plan, uint32_t c,
                           double error);

/* Appends those of a point with these values in consecutive frames: where it moves, every
   `apart`th. */
void host_flight_add(host_flight_pairs *pairs, const float *values, uint32_t frames,
                     uint32_t apart);

/* The acceleration and drag of most pairs; 0 and 0 if they have none in common: within `error`. */
host_flight host_flight_find(const host_flight_pairs *pairs, double error);

#endif
