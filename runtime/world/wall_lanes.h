/* SPDX-License-Identifier: MIT
   runtime/world/wall_lanes.h - walls near points, for vectors: an early-out test, then distances.
   reads   points, colliders      writes  nothing
   memory  registers              cost    per collider: a dot product, or six comparisons
   after   own design: few particles are near a wall */
#ifndef TPI_WALL_LANES_H
#define TPI_WALL_LANES_H
#include "wall.h"
#include "bounds_lanes.h"

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

TPI_INLINE tpi_lanes tpi_wall_above_floor(const tpi_collider_item *item, const tpi_lanes x[3],
                                          uint32_t dimensions)
{
    tpi_lanes along = x[0] * item->normal.x + x[1] * item->normal.y;
    if (dimensions == 3) along = along + x[2] * item->normal.z;
    return along - item->offset;
}

/* Distance of the points from one side of a room: see tpi_wall_at. */
TPI_INLINE tpi_lanes tpi_wall_in_room(const tpi_collider_item *item, const tpi_lanes x[3],
                                      uint32_t face)
{
    tpi_lanes from = x[face >> 1] - tpi_component(item->pose_to.position, face >> 1);
    return tpi_lanes_of(tpi_component(item->def.half, face >> 1)) - (face & 1u ? from : -from);
}

/* Distance of the points from the nearer one of the two sides of a room along an axis. */
TPI_INLINE tpi_lanes tpi_wall_between(tpi_lanes x, float centre, float half)
{
    return tpi_lanes_of(half) - tpi_lanes_magnitude(x - centre);
}

/* The lanes whose point may be within a distance of a wall. `within` exceeds that distance by a
   margin for rounding. */
TPI_INLINE tpi_lane_mask tpi_wall_near(const tpi_collider_item *item, const tpi_lanes x[3],
                                       float within, uint32_t dimensions)
{
    const tp_vector p = item->pose_to.position, h = item->def.half;
    const tpi_lanes limit = tpi_lanes_of(within);
    if (tpi_wall_is_floor(item))
        return tpi_lanes_less(tpi_wall_above_floor(item, x, dimensions), limit);
    if (!tpi_wall_is_room(item)) return tpi_wall_in_box(item, x, within, dimensions);
    tpi_lane_mask near = tpi_lanes_less(tpi_wall_between(x[0], p.x, h.x), limit);
    near = tpi_lanes_or(near, tpi_lanes_less(tpi_wall_between(x[1], p.y, h.y), limit));
    if (dimensions == 3)
        near = tpi_lanes_or(near, tpi_lanes_less(tpi_wall_between(x[2], p.z, h.z), limit));
    return near;
}

/* Bounds of the points that walls may be near. O(colliders) */
static TPI_APART void tpi_wall_bounds(const tp_world *world, tpi_bounds *bounds)
{
    const float within = TPI_WALL_WITHIN * world->constants.smoothing_radius;
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const tp_vector all = {FLT_MAX, FLT_MAX, FLT_MAX}, margin = {within, within, within};
    const uint32_t end = tpi_bounds_begin(bounds, tpi_colliders_end(world));
    for (uint32_t slot = 0; slot < end; slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item)) continue;
        if (tpi_wall_is_floor(item) || tpi_wall_is_room(item))
            tpi_bounds_put(bounds, slot, tpi_scale(all, -1.0f), all);
        else
            tpi_bounds_put(bounds, slot, tpi_sub(item->swept_low, margin),
                           tpi_add(item->swept_high, margin));
    }
}

/* Floors that are kept in vectors; a tank in 3D has six. */
#define TPI_WALL_FLOORS (TPI_LANES > 1 ? 6u : 1u)

typedef struct tpi_wall_floor {
    tpi_lanes normal[3], offset;
    uint64_t slot; /* a bit */
} tpi_wall_floor;

/* The walls of a slice, prepared for tpi_walls_left. */
typedef struct tpi_wall_plan {
    tpi_bounds bounds;
    uint64_t walls;               /* bit k: slot k has a wall */
    uint64_t room;                /* a bit: the slot of the first room; 0: there is none */
    tpi_lanes centre[3], half[3]; /* of that room */
    uint32_t floor_count;
    tpi_wall_floor floors[TPI_WALL_FLOORS];
} tpi_wall_plan;

static TPI_APART void tpi_wall_plan_put(tpi_wall_plan *plan, const tpi_collider_item *item,
                                        uint64_t slot)
{
    const tp_vector n = item->normal, p = item->pose_to.position, h = item->def.half;
    plan->walls |= slot;
    if (tpi_wall_is_floor(item) && plan->floor_count < TPI_WALL_FLOORS)
        plan->floors[plan->floor_count++] =
            (tpi_wall_floor){{tpi_lanes_of(n.x), tpi_lanes_of(n.y), tpi_lanes_of(n.z)},
                             tpi_lanes_of(item->offset),
                             slot};
    if (!tpi_wall_is_room(item) || plan->room) return;
    plan->room = slot;
    plan->centre[0] = tpi_lanes_of(p.x), plan->half[0] = tpi_lanes_of(h.x);
    plan->centre[1] = tpi_lanes_of(p.y), plan->half[1] = tpi_lanes_of(h.y);
    plan->centre[2] = tpi_lanes_of(p.z), plan->half[2] = tpi_lanes_of(h.z);
}

/* Stays valid until a collider changes. O(colliders) */
static TPI_APART void tpi_wall_prepare(const tp_world *world, tpi_wall_plan *plan)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots),
                   end = tpi_min_u32(tpi_colliders_end(world), TPI_BOUNDS);
    tpi_wall_bounds(world, &plan->bounds);
    plan->walls = plan->room = 0;
    plan->floor_count = 0;
    for (uint32_t slot = 0; TPI_LANES > 1 && slot < end; slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (tpi_pool_is_alive(slots, slot) && tpi_is_wall(item))
            tpi_wall_plan_put(plan, item, (uint64_t)1 << slot);
    }
}

/* Bit k: slot k has a wall that may be near a point. Floors and the room decide as tpi_wall_near
   does. */
TPI_INLINE uint64_t tpi_walls_left(const tpi_wall_plan *plan, uint32_t end, const tpi_lanes x[3],
                                   float within, uint32_t dimensions)
{
    uint64_t left = tpi_bounds_near_lanes(&plan->bounds, end, x, x, dimensions) & plan->walls;
    for (uint32_t k = 0; k < plan->floor_count; k++) {
        const tpi_wall_floor *floor = &plan->floors[k];
        tpi_lanes along = x[0] * floor->normal[0] + x[1] * floor->normal[1];
        if (dimensions == 3) along = along + x[2] * floor->normal[2];
        if (!tpi_lanes_any(tpi_lanes_less(along - floor->offset, tpi_lanes_of(within))))
            left &= ~floor->slot;
    }
    if (!plan->room) return left;
    tpi_lane_mask near = tpi_lanes_first(0);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes between = plan->half[axis] - tpi_lanes_magnitude(x[axis] - plan->centre[axis]);
        near = tpi_lanes_or(near, tpi_lanes_less(between, tpi_lanes_of(within)));
    }
    return tpi_lanes_any(near) ? left : left & ~plan->room;
}

/* The lanes of `near` whose species meets the collider. */
TPI_INLINE tpi_lane_mask tpi_wall_meeting(const tpi_collider_item *item, tpi_lane_ints species,
                                          tpi_lane_mask near)
{
    tpi_lane_mask meeting = near;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        tpi_lane_mask is_s = tpi_lane_ints_equal(species, tpi_lane_ints_of((int32_t)s));
        bool meets = item->def.species_mask >> s & 1u;
        if (!meets) meeting = tpi_lanes_and(meeting, tpi_lanes_not(is_s));
    }
    return meeting;
}

/* The nearest points of one side of a collider. */
typedef struct tpi_wall_lanes {
    tpi_lane_mask is_wall; /* other lanes are not set */
    tpi_lanes distance, normal[3];
    tpi_lanes advance; /* see tpi_wall; not set where the wall does not move */
} tpi_wall_lanes;

/* One by one, for shapes that are not flat and for all that move. */
static TPI_APART void tpi_wall_one_by_one(const tp_world *world, const tpi_collider_item *item,
                                          uint32_t face, const tpi_lanes x[3], tpi_wall_lanes *wall)
{
    const tpi_wall_poses poses = tpi_wall_poses_of(world, item);
    uint32_t bits = tpi_lanes_bits(wall->is_wall);
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        if (!(bits >> k & 1u)) continue;
        tpi_wall one = tpi_wall_at(world, item, &poses, face, tpi_lane_vector(3, x, k));
        TPI_LANE(wall->distance, k) = one.distance;
        TPI_LANE(wall->advance, k) = one.advance;
        TPI_LANE(wall->normal[0], k) = one.normal.x;
        TPI_LANE(wall->normal[1], k) = one.normal.y;
        TPI_LANE(wall->normal[2], k) = one.normal.z;
    }
}

/* Distances and normals of the side of a collider that is no room, for the lanes of
   wall->is_wall. */
TPI_INLINE void tpi_wall_side(const tp_world *world, const tpi_collider_item *item,
                              tpi_wall_form form, uint32_t face, const tpi_lanes x[3],
                              tpi_wall_lanes *wall)
{
    if (form != TPI_WALL_FLOOR) {
        tpi_wall_one_by_one(world, item, face, x, wall);
        return;
    }
    wall->distance = tpi_wall_above_floor(item, x, tpi_dimensions(world));
    wall->normal[0] = tpi_lanes_of(item->normal.x);
    wall->normal[1] = tpi_lanes_of(item->normal.y);
    wall->normal[2] = tpi_lanes_of(item->normal.z);
}

/* The planes of a mesh or heightfield for the particles `near`, one by one; other lanes and missing
   planes stay as they are. Returns how many there are, at most, for one particle. Marks the work of
   particles whose tests are used up. */
static TPI_APART uint32_t tpi_wall_each_planes(const tp_world *world, const tpi_collider_item *item,
                                               const tpi_lanes x[3], tpi_lane_mask near,
                                               tpi_lane_ints *work,
                                               tpi_wall_lanes walls[TPI_WALL_PLANES])
{
    uint32_t bits = tpi_lanes_bits(near), most = 0;
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        if (!(bits >> k & 1u)) continue;
        tpi_wall found[TPI_WALL_PLANES];
        int32_t done = TPI_LANE(*work, k);
        uint32_t count = tpi_wall_planes(world, item, tpi_lane_vector(3, x, k), &done, found);
        if (done >= TPI_WALL_WORK) done |= 1 << TPI_WALL_BITS;
        TPI_LANE(*work, k) = done;
        most = tpi_max_u32(most, count);
        for (uint32_t plane = 0; plane < count; plane++) {
            TPI_LANE(walls[plane].distance, k) = found[plane].distance;
            TPI_LANE(walls[plane].advance, k) = found[plane].advance;
            TPI_LANE(walls[plane].normal[0], k) = found[plane].normal.x;
            TPI_LANE(walls[plane].normal[1], k) = found[plane].normal.y;
            TPI_LANE(walls[plane].normal[2], k) = found[plane].normal.z;
        }
    }
    return most;
}

/* The planes of a mesh or heightfield that are walls for the particles `near`. Returns how many
   there are, at most, for one particle. `work`: see tpi_wall_planes and tpi_wall_tally. */
TPI_INLINE uint32_t tpi_wall_meets_planes(const tp_world *world, const tpi_collider_item *item,
                                          const tpi_lanes x[3], tpi_lane_mask near,
                                          tpi_lane_ints *work,
                                          tpi_wall_lanes walls[TPI_WALL_PLANES])
{
    const tpi_lanes within = tpi_lanes_of(world->constants.smoothing_radius);
    for (uint32_t plane = 0; plane < TPI_WALL_PLANES; plane++) {
        walls[plane].distance = within;
        walls[plane].advance = tpi_lanes_of(0.0f);
        for (uint32_t axis = 0; axis < 3; axis++) walls[plane].normal[axis] = tpi_lanes_of(0.0f);
    }
    uint32_t most = tpi_wall_each_planes(world, item, x, near, work, walls);
    for (uint32_t plane = 0; plane < most; plane++)
        walls[plane].is_wall = tpi_lanes_less(walls[plane].distance, within);
    return most;
}

/* The lanes of `near` whose distance makes a side their wall. A point deep inside is no part of the
   fluid in front of the wall. */
TPI_INLINE tpi_lane_mask tpi_wall_within(const tp_world *world, tpi_lane_mask near,
                                         tpi_lanes distance)
{
    const tpi_lanes within = tpi_lanes_of(world->constants.smoothing_radius);
    return tpi_lanes_and(near, tpi_lanes_less(tpi_lanes_magnitude(distance), within));
}

/* One side of a collider of this form as a wall for the particles `near`; false if it is none of
   theirs. */
TPI_INLINE bool tpi_wall_meets(const tp_world *world, const tpi_collider_item *item,
                               tpi_wall_form form, uint32_t face, const tpi_lanes x[3],
                               tpi_lane_mask near, tpi_wall_lanes *wall)
{
    if (form == TPI_WALL_ROOM) {
        tpi_lanes distance = tpi_wall_in_room(item, x, face);
        near = tpi_wall_within(world, near, distance);
        if (!tpi_lanes_any(near)) return false;
        *wall = (tpi_wall_lanes){.is_wall = near, .distance = distance};
        wall->normal[face >> 1] = tpi_lanes_of(face & 1u ? -1.0f : 1.0f);
        return true;
    }
    *wall = (tpi_wall_lanes){.is_wall = near};
    tpi_wall_side(world, item, form, face, x, wall);
    wall->is_wall = tpi_wall_within(world, near, wall->distance);
    return tpi_lanes_any(wall->is_wall);
}

#endif
