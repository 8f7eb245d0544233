/* SPDX-License-Identifier: MIT
   runtime/move/wall.c - the walls near a point: distances from the surfaces of colliders.
   reads   colliders, the step's clock      writes  a walk
   memory  none      cost    O(colliders) per walk
   after   own design: see world/wall.h. The distances are those of the collision test */
#include "collide.h"
#include "../world/wall.h"

/* Fraction of the frame at which the step in progress ends. */
static float wall_moment(const tp_world *world)
{
    return (float)(world->clock.tick + world->step.ticks) / (float)TP_TICKS_PER_FRAME;
}

/* Side `face` of a hollow box. */
static void wall_side(tp_vector point, tp_vector half, uint32_t face, tpi_wall *wall)
{
    const float at[3] = {point.x, point.y, point.z}, size[3] = {half.x, half.y, half.z};
    uint32_t axis = face >> 1;
    float sign = face & 1u ? -1.0f : 1.0f;
    wall->distance = size[axis] - sign * at[axis];
    wall->normal =
        tpi_vector(axis == 0 ? -sign : 0.0f, axis == 1 ? -sign : 0.0f, axis == 2 ? -sign : 0.0f);
}

/* Distance and normal in the frame of the collider. */
static void wall_local(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                       uint32_t face, tpi_wall *wall)
{
    const tp_collider_def *def = &item->def;
    const tp_vector none = {0.0f, 0.0f, 0.0f}, axis = {0.0f, def->half.y, 0.0f};
    switch (def->shape) {
    case TP_COLLIDER_PLANE:
        wall->normal = tpi_vector(0.0f, 1.0f, 0.0f);
        wall->distance = point.y;
        break;
    case TP_COLLIDER_SPHERE:
        wall->distance = tpi_box_distance(point, none, def->radius, &wall->normal);
        break;
    case TP_COLLIDER_CAPSULE:
        wall->distance = tpi_box_distance(point, axis, def->radius, &wall->normal);
        break;
    case TP_COLLIDER_BOX:
        if (def->is_hollow)
            wall_side(point, def->half, face, wall);
        else
            wall->distance = tpi_box_distance(point, def->half, 0.0f, &wall->normal);
        break;
    case TP_COLLIDER_HEIGHTFIELD: tpi_heightfield_distance(world, item, point, wall); break;
    default: tpi_grid_distance(world, item, point, wall); break;
    }
}

static uint32_t wall_faces(const tp_world *world, const tpi_collider_item *item)
{
    bool has_sides = item->def.shape == TP_COLLIDER_BOX && item->def.is_hollow;
    return has_sides ? 2u * tpi_dimensions(world) : 1u;
}

/* True if the point is within a distance of the collider's bounding box. */
static bool wall_is_close(const tpi_collider_item *item, const tpi_wall_walk *walk)
{
    tp_vector low = item->swept_low, high = item->swept_high, point = walk->point;
    float within = walk->within;
    return point.x > low.x - within && point.x < high.x + within && point.y > low.y - within &&
           point.y < high.y + within && point.z > low.z - within && point.z < high.z + within;
}

/* A point deep inside is no part of the fluid in front of the wall. */
static bool wall_is_within(const tpi_wall *wall, const tpi_wall_walk *walk)
{
    return tpi_abs(wall->distance) < walk->within;
}

/* The next face of the collider at the cursor that is a wall; false after the last one. */
static bool wall_next_face(const tp_world *world, const tpi_collider_item *item,
                           tpi_wall_walk *walk, tpi_wall *wall)
{
    const uint32_t faces = wall_faces(world, item);
    if (walk->face >= faces || !wall_is_close(item, walk)) return false;
    tp_pose pose = item->pose_to;
    if (item->is_moving) pose = tpi_collider_pose(item, wall_moment(world));
    tp_vector point = tpi_to_local(pose, walk->point);
    while (walk->face < faces) {
        wall_local(world, item, point, walk->face++, wall);
        if (!wall_is_within(wall, walk)) continue;
        wall->normal = tpi_rotate(pose.rotation, wall->normal);
        return true;
    }
    return false;
}

/* The same for a plane at rest, the most frequent collider. */
static bool wall_next_plane(const tpi_collider_item *item, tpi_wall_walk *walk, tpi_wall *wall)
{
    wall->distance = tpi_dot(walk->point, item->normal) - item->offset;
    if (walk->face > 0 || !wall_is_within(wall, walk)) return false;
    wall->normal = item->normal;
    walk->face = 1;
    return true;
}

bool tpi_wall_next(const tp_world *world, tpi_wall_walk *walk, tpi_wall *wall)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    for (; walk->slot < tpi_colliders_end(world); walk->slot++, walk->face = 0) {
        const tpi_collider_item *item = tpi_collider_at(world, walk->slot);
        if (!tpi_pool_is_alive(slots, walk->slot) || !tpi_is_wall(item) ||
            !(item->def.species_mask >> walk->species & 1u))
            continue;
        bool is_plane = item->def.shape == TP_COLLIDER_PLANE && !item->is_moving;
        if (is_plane ? wall_next_plane(item, walk, wall) : wall_next_face(world, item, walk, wall))
            return true;
    }
    return false;
}
