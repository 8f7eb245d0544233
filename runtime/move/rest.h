/* SPDX-License-Identifier: MIT
   runtime/move/rest.h - contacts with planes at rest, by vectors: what most contacts of a fluid in
           a tank are.
   reads   segments, the colliders      writes  positions and velocities in registers
   memory  registers                    cost    see tpi_rest_meet
   after   own design */
#ifndef TPI_REST_H
#define TPI_REST_H
#include "clear.h"

/* Vectors also end in the crease of two planes. In 2D few particles are in a corner. */
#define TPI_REST_TWICE (TPI_LANES > 1 && TPI_HAS_3D)

/* What becomes of segments, one per lane. Lanes in neither mask need a path. */
typedef struct tpi_rests {
    tpi_lanes to[3], velocity[3]; /* after the contact, in the lanes of `rests` */
    tpi_lane_mask misses;         /* no contact: the segment ends as it is */
    tpi_lane_mask rests;          /* one contact, or two with vectors */
    tpi_lane_mask jumps;          /* after it friction holds: a jump takes one search more */
#if TPI_REST_TWICE
    tpi_lane_mask twice; /* two contacts */
#endif
} tpi_rests;

/* True if every collider is a plane at rest without bounce or exceptions. O(colliders + species) */
TPI_FUNC bool tpi_rest_is_possible(const tp_world *world);
/* Units of a path with one contact: two searches and the contact. O(1) */
TPI_FUNC uint32_t tpi_rest_units(const tp_world *world);
/* Units of a second contact in addition: a search and the contact. O(1) */
TPI_FUNC uint32_t tpi_rest_units_again(const tp_world *world);
/* Computes what the path of collide.c computes for the segment of a whole step, with the same bits,
   if it ends after at most one contact, or with vectors two. Only slow and finite lanes may be
   used. O(colliders) */
TPI_FUNC void tpi_rest_meet(const tp_world *world, const tpi_clear_plan *plan,
                            const tpi_segments *segments, const tpi_lanes velocity[3],
                            tpi_rests *rests);

#endif
