/* SPDX-License-Identifier: MIT
   runtime/world/wall_lanes.h - early-out test: which points are near a wall.
   reads   points, colliders      writes  nothing
   memory  registers              cost    per collider: a dot product, or six comparisons
   after   own design: few particles are near a wall; the others need no walk */
#ifndef TPI_WALL_LANES_H
#define TPI_WALL_LANES_H
#include "wall.h"

/* True if the point may be within a distance of a collider of a bounding box. */
TPI_INLINE tpi_lane_mask tpi_wall_in_box(const tpi_collider_item *item, const tpi_lanes x[3],
                                         float within, uint32_t dimensions)
{
    const float low[3] = {item->swept_low.x, item->swept_low.y, item->swept_low.z},
                high[3] = {item->swept_high.x, item->swept_high.y, item->swept_high.z};
    tpi_lane_mask near = tpi_lanes_first(TPI_LANES);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        near = tpi_lanes_and(near, tpi_lanes_less(tpi_lanes_of(low[axis] - within), x[axis]));
        near = tpi_lanes_and(near, tpi_lanes_less(x[axis], tpi_lanes_of(high[axis] + within)));
    }
    return near;
}

/* A hollow box at rest with sides along the axes. */
TPI_INLINE tpi_lane_mask tpi_wall_in_hollow(const tpi_collider_item *item, const tpi_lanes x[3],
                                            float within, uint32_t dimensions)
{
    const tp_vector p = item->pose_to.position, h = item->def.half;
    const float centre[3] = {p.x, p.y, p.z}, half[3] = {h.x, h.y, h.z};
    tpi_lane_mask far = tpi_lanes_first(TPI_LANES);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes from = x[axis] - centre[axis];
        tpi_lanes out = tpi_lanes_max(from, -from);
        far = tpi_lanes_and(far, tpi_lanes_less(out, tpi_lanes_of(half[axis] - within)));
    }
    return tpi_lanes_not(far);
}

TPI_INLINE tpi_lane_mask tpi_wall_near(const tpi_collider_item *item, const tpi_lanes x[3],
                                       float within, uint32_t dimensions)
{
    const tp_quaternion turn = item->pose_to.rotation;
    bool is_plane = item->def.shape == TP_COLLIDER_PLANE, is_still = !item->is_moving;
    if (is_plane && is_still) {
        tpi_lanes distance = x[0] * item->normal.x + x[1] * item->normal.y;
        if (dimensions == 3) distance = distance + x[2] * item->normal.z;
        return tpi_lanes_less(distance, tpi_lanes_of(item->offset + within));
    }
    if (is_still && item->def.is_hollow && item->def.shape == TP_COLLIDER_BOX && turn.x == 0.0f &&
        turn.y == 0.0f && turn.z == 0.0f)
        return tpi_wall_in_hollow(item, x, within, dimensions);
    return tpi_wall_in_box(item, x, within, dimensions);
}

/* The lanes whose point may be within a distance of a wall. `within` exceeds the distance of the
   walk by a margin for rounding. */
TPI_INLINE tpi_lane_mask tpi_walls_near(const tp_world *world, const tpi_lanes x[3], float within)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    tpi_lane_mask near = tpi_lanes_first(0);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (tpi_pool_is_alive(slots, slot) && tpi_is_wall(item))
            near = tpi_lanes_or(near, tpi_wall_near(item, x, within, tpi_dimensions(world)));
    }
    return near;
}

#endif
