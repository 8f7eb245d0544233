/* SPDX-License-Identifier: MIT
   runtime/move/wall.c - the walls near a point: distances from the surfaces of colliders.
   reads   colliders, the step's clock      writes  nothing
   memory  none      cost    O(1); planes O(TPI_WALL_WORK)
   after   own design: see world/wall.h. The distances are those of the collision test */
#include "collide.h"
#include "../world/wall.h"

/* Fraction of the frame at which the step in progress ends. */
static float wall_moment(const tp_world *world)
{
    return (float)(world->clock.tick + world->step.ticks) / (float)TP_TICKS_PER_FRAME;
}

/* Fraction of the frame at which it begins. */
static float wall_begin(const tp_world *world)
{
    return (float)world->clock.tick / (float)TP_TICKS_PER_FRAME;
}

void tpi_wall_hollow(tp_vector point, tp_vector half, uint32_t face, tpi_wall *wall)
{
    const float at[3] = {point.x, point.y, point.z}, size[3] = {half.x, half.y, half.z};
    uint32_t axis = face >> 1;
    float sign = face & 1u ? 1.0f : -1.0f;
    wall->distance = size[axis] - sign * at[axis];
    wall->normal =
        tpi_vector(axis == 0 ? -sign : 0.0f, axis == 1 ? -sign : 0.0f, axis == 2 ? -sign : 0.0f);
}

/* The share of a kernel beyond a plane at a distance of q support radii, about: its inverse is
   easy. */
static float wall_share(float q)
{
    float rest = tpi_max(1.0f - tpi_abs(q), 0.0f), share = 0.5f * (rest * rest) * (rest * rest);
    return q < 0.0f ? 1.0f - share : share;
}

/* Change of the share with q. */
static float wall_share_slope(float q)
{
    float rest = tpi_max(1.0f - tpi_abs(q), 0.0f);
    return -2.0f * (rest * rest) * rest;
}

/* A box covers the product of what its three slabs cover: at an edge half as much as a plane. The
   wall is the plane that covers as much as the box. */
static void wall_box(const tp_world *world, tp_vector point, tp_vector half, tpi_wall *wall)
{
    const float at[3] = {point.x, point.y, point.z}, size[3] = {half.x, half.y, half.z},
                h = world->constants.smoothing_radius, inverse = 1.0f / h;
    float shares[3] = {1.0f, 1.0f, 1.0f}, slopes[3] = {0.0f, 0.0f, 0.0f};
    wall->distance = tpi_box_distance(point, half, 0.0f, &wall->normal);
    if (!(tpi_abs(wall->distance) < h)) return;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float near = (tpi_abs(at[axis]) - size[axis]) * inverse,
              far = (tpi_abs(at[axis]) + size[axis]) * inverse;
        shares[axis] = wall_share(near) - wall_share(far);
        slopes[axis] = wall_share_slope(near) - wall_share_slope(far);
        if (at[axis] < 0.0f) slopes[axis] = -slopes[axis];
    }
    float share = shares[0] * shares[1] * shares[2];
    if (wall->distance <= 0.0f || !(share < 0.5f)) return;
    float rest = tpi_sqrt(tpi_sqrt(2.0f * share)), slope = -2.0f * (rest * rest) * rest;
    wall->distance = tpi_max((1.0f - rest) * h, wall->distance);
    if (!(rest > 0.01f)) return;
    wall->normal = tpi_vector(slopes[0] * shares[1] * shares[2], slopes[1] * shares[0] * shares[2],
                              slopes[2] * shares[0] * shares[1]);
    wall->normal = tpi_scale(wall->normal, 1.0f / slope);
}

/* A round surface falls away from its tangent plane: it covers as much as a plane that is farther
   by this share of h^2 / radius per curved direction. By integration: 0.029 to 0.037 at 0.1 to 0.6
   support radii. */
#define WALL_ROUND 0.033f

/* A sphere (half 0) or a capsule. The side of a capsule is curved in one direction less than its
   ends. */
static void wall_round(const tp_world *world, tp_vector point, float half, float radius,
                       tpi_wall *wall)
{
    const float h = world->constants.smoothing_radius;
    wall->distance = tpi_box_distance(point, tpi_vector(0.0f, half, 0.0f), radius, &wall->normal);
    float curved = (float)tpi_dimensions(world) - 1.0f;
    if (half > 0.0f) curved = curved - 1.0f + wall->normal.y * wall->normal.y;
    wall->distance = wall->distance + WALL_ROUND * curved * (h * h) / tpi_max(radius, 0.1f * h);
}
#undef WALL_ROUND

/* Distance and normal in the frame of the collider. */
static void wall_local(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                       uint32_t face, tpi_wall *wall)
{
    const tp_collider_def *def = &item->def;
    switch (def->shape) {
    case TP_COLLIDER_PLANE:
        wall->normal = tpi_vector(0.0f, 1.0f, 0.0f);
        wall->distance = point.y;
        break;
    case TP_COLLIDER_SPHERE: wall_round(world, point, 0.0f, def->radius, wall); break;
    case TP_COLLIDER_CAPSULE: wall_round(world, point, def->half.y, def->radius, wall); break;
    case TP_COLLIDER_BOX:
        if (def->is_hollow)
            tpi_wall_hollow(point, def->half, face, wall);
        else
            wall_box(world, point, def->half, wall);
        break;
    case TP_COLLIDER_HEIGHTFIELD: tpi_heightfield_distance(world, item, point, wall); break;
    default: tpi_grid_distance(world, item, point, wall); break;
    }
}

tpi_wall_poses tpi_wall_poses_of(const tp_world *world, const tpi_collider_item *item)
{
    tpi_wall_poses poses = {item->pose_to, item->pose_to, false};
    if (!item->is_moving) return poses;
    poses.end = tpi_collider_pose(item, wall_moment(world));
    poses.advances = world->constants.is_still;
    poses.at = poses.advances ? tpi_collider_pose(item, wall_begin(world)) : poses.end;
    return poses;
}

tpi_wall tpi_wall_at(const tp_world *world, const tpi_collider_item *item,
                     const tpi_wall_poses *poses, uint32_t face, tp_vector point)
{
    tpi_wall wall, after;
    wall_local(world, item, tpi_to_local(poses->at, point), face, &wall);
    wall.advance = 0.0f;
    if (poses->advances) {
        wall_local(world, item, tpi_to_local(poses->end, point), face, &after);
        wall.advance = wall.distance - after.distance;
    }
    wall.normal = tpi_rotate(poses->at.rotation, wall.normal);
    return wall;
}

uint32_t tpi_wall_planes(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                         int32_t *work, tpi_wall planes[TPI_WALL_PLANES])
{
    const bool is_still = world->constants.is_still && item->is_moving;
    tp_pose pose = item->pose_to;
    tp_vector path = {0.0f, 0.0f, 0.0f}; /* of the point in the frame of the collider, backward */
    tpi_facets facets;
    if (item->is_moving)
        pose = tpi_collider_pose(item, is_still ? wall_begin(world) : wall_moment(world));
    if (*work >= TPI_WALL_WORK) return 0;
    facets.point = tpi_to_local(pose, point);
    facets.within = world->constants.smoothing_radius;
    facets.visits_max = (uint32_t)(TPI_WALL_WORK - *work) * TPI_WALL_VISITS;
    tpi_facets_begin(&facets);
    if (item->def.shape == TP_COLLIDER_MESH)
        tpi_mesh_facets(world, item, &facets);
    else
        tpi_heightfield_facets(world, item, &facets);
    if (is_still)
        path =
            tpi_sub(facets.point, tpi_to_local(tpi_collider_pose(item, wall_moment(world)), point));
    for (uint32_t k = 0; k < facets.count; k++) {
        const tpi_facet *facet = &facets.found[k];
        tp_vector normal = tpi_scale(facet->out, facet->novelty);
        planes[k].normal = tpi_rotate(pose.rotation, normal);
        planes[k].distance = facet->distance;
        planes[k].advance = tpi_dot(normal, path);
    }
    uint32_t visits = tpi_min_u32(facets.visits, facets.visits_max);
    *work += (int32_t)((visits + TPI_WALL_VISITS - 1u) / TPI_WALL_VISITS);
    return facets.count;
}
