/* SPDX-License-Identifier: MIT
   runtime/move/clear.h - early-out test: which segments meet no collider.
   reads   segments, the colliders      writes  nothing
   memory  registers                    cost    see tpi_segments_clear
   after   own design */
#ifndef TPI_CLEAR_H
#define TPI_CLEAR_H
#include "collide.h"
#include "../world/bounds_lanes.h"

/* Spheres on straight segments, one per lane. The third component is not used in 2D. */
typedef struct tpi_segments {
    tpi_lanes from[3], to[3]; /* m */
    tpi_lanes radius;         /* m */
} tpi_segments;

/* Planes at rest that are kept in vectors; a tank in 3D has six. Without vectors they would only
   take stack. */
#define TPI_CLEAR_PLANES (TPI_LANES > 1 ? 6u : 1u)

typedef struct tpi_clear_plane {
    tpi_lanes normal[3], skin, offset;
} tpi_clear_plane;

/* The colliders of a slice, prepared for the test. */
typedef struct tpi_clear_plan {
    tpi_clear_plane planes[TPI_CLEAR_PLANES];
    uint32_t plane_count;
    uint32_t slots;   /* of those planes */
    uint32_t hollows; /* slots of hollow boxes at rest with sides along the axes */
    bool has_others;  /* other colliders, which are tested one by one */
    bool has_no_test; /* every segment is undecided */
#if TPI_LANES > 1
    tpi_bounds bounds; /* of those */
#endif
} tpi_clear_plan;

TPI_INLINE tpi_clear_plane tpi_clear_plane_of(const tpi_collider_item *item)
{
    tp_vector normal = item->normal;
    return (tpi_clear_plane){
        {tpi_lanes_of(normal.x), tpi_lanes_of(normal.y), tpi_lanes_of(normal.z)},
        tpi_lanes_of(item->scale * TPI_SKIN_SHARE),
        tpi_lanes_of(item->offset)};
}

TPI_INLINE tpi_lanes tpi_clear_dot(const tpi_lanes a[3], const tpi_lanes b[3], uint32_t dimensions)
{
    tpi_lanes sum = a[0] * b[0] + a[1] * b[1];
    if (dimensions == 3) sum = sum + a[2] * b[2];
    return sum;
}

/* A plane at rest: true if both ends of the segment keep their distance. Decides as the path
   does. */
TPI_INLINE tpi_lane_mask tpi_clear_of_plane(const tpi_segments *s, tpi_lanes skin,
                                            const tpi_clear_plane *plane, uint32_t dimensions)
{
    tpi_lanes wide = s->radius + tpi_lanes_max(skin, plane->skin) + plane->offset;
    return tpi_lanes_and(tpi_lanes_less(wide, tpi_clear_dot(s->from, plane->normal, dimensions)),
                         tpi_lanes_less(wide, tpi_clear_dot(s->to, plane->normal, dimensions)));
}

/* Stays valid until a collider changes. O(colliders) */
TPI_FUNC void tpi_clear_prepare(const tp_world *world, tpi_clear_plan *plan);
/* The lanes whose segment meets no collider, so that the path ends at `to` unchanged. An unset
   lane is undecided: it may be at rest, NaN or too far out. One unit per collider and lane.
   O(colliders) */
TPI_FUNC tpi_lane_mask tpi_segments_clear(const tp_world *world, const tpi_clear_plan *plan,
                                          const tpi_segments *segments);

/* The skin of each segment's path: see collide.h. O(1) */
TPI_FUNC tpi_lanes tpi_segments_skin(const tp_world *world, const tpi_segments *segments);

#endif
