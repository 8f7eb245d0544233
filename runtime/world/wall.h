/* SPDX-License-Identifier: MIT
   runtime/world/wall.h - the walls near a point: surfaces of colliders that a fluid takes for its
           continuation.
   reads   colliders, the step's clock      writes  nothing
   memory  none      cost    O(1), but see tpi_wall_planes
   after   own design: solvers call these functions, and move/ defines them from the colliders' own
           distances. Of a mesh or heightfield up to three planes are walls */
#ifndef TPI_WALL_H
#define TPI_WALL_H
#include "team.h"

/* The part of a collider's surface nearest to a point. */
typedef struct tpi_wall {
    tp_vector normal; /* change of the distance with the point: out of the solid */
    float distance;   /* m: of the point from the surface; negative inside the solid */
    /* m: how far the surface comes nearer to the point in the step in progress; only for solvers
       that meet particles where the step begins, else 0 */
    float advance;
} tpi_wall;

/* Where a collider is in the step in progress: where walls are, see tpi_wall_at, and where the step
   ends. */
typedef struct tpi_wall_poses {
    tp_pose at, end;
    bool advances; /* they may differ */
} tpi_wall_poses;

/* Support radii within which walls are looked for: a margin for rounding. */
#define TPI_WALL_WITHIN 1.001f

enum {
    TPI_WALL_PLANES = 3, /* of one mesh or heightfield: a floor and two walls */
    /* limit of the work of a particle at meshes and heightfields, as a number of walls */
    TPI_WALL_WORK = 32,
    TPI_WALL_VISITS = 4, /* nodes, triangles and height cells that are as much work as a wall */
    /* bits of the work of a particle; above them a 1 if its tests were used up */
    TPI_WALL_BITS = 16
};

/* A hollow box at rest with sides along the axes. */
TPI_INLINE bool tpi_wall_is_room(const tpi_collider_item *item)
{
    const tp_quaternion turn = item->pose_to.rotation;
    return !item->is_moving && item->def.is_hollow && item->def.shape == TP_COLLIDER_BOX &&
           turn.x == 0.0f && turn.y == 0.0f && turn.z == 0.0f;
}

TPI_INLINE bool tpi_wall_is_floor(const tpi_collider_item *item)
{
    return item->def.shape == TP_COLLIDER_PLANE && !item->is_moving;
}

/* How a collider is tested as a wall. */
typedef enum tpi_wall_form { TPI_WALL_ROUGH, TPI_WALL_FLOOR, TPI_WALL_ROOM } tpi_wall_form;

TPI_INLINE tpi_wall_form tpi_wall_form_of(const tpi_collider_item *item)
{
    if (tpi_wall_is_floor(item)) return TPI_WALL_FLOOR;
    return tpi_wall_is_room(item) ? TPI_WALL_ROOM : TPI_WALL_ROUGH;
}

/* Sides of a collider: a hollow box has one per direction, other shapes have one. O(1) */
TPI_INLINE uint32_t tpi_wall_faces(const tp_world *world, const tpi_collider_item *item)
{
    bool has_sides = item->def.shape == TP_COLLIDER_BOX && item->def.is_hollow;
    return has_sides ? 2u * tpi_dimensions(world) : 1u;
}
/* Side `face` of a hollow box, for a point in the frame of the box. O(1) */
TPI_FUNC void tpi_wall_hollow(tp_vector point, tp_vector half, uint32_t face, tpi_wall *wall);
/* The poses for tpi_wall_at: at the end of the step in progress, or at its begin if the solver is
   still (tpi_neighbour_needs). O(1) */
TPI_FUNC tpi_wall_poses tpi_wall_poses_of(const tp_world *world, const tpi_collider_item *item);
/* A side of a collider as a wall for a point. The sides of a hollow box are -x, +x, -y and so on.
   Not for meshes. O(1) */
TPI_FUNC tpi_wall tpi_wall_at(const tp_world *world, const tpi_collider_item *item,
                              const tpi_wall_poses *poses, uint32_t face, tp_vector point);
/* True if a collider may be a wall for a fluid. O(1) */
TPI_INLINE bool tpi_is_wall(const tpi_collider_item *item)
{
    return !item->def.kills && !item->def.is_two_sided;
}
/* True if planes stand for the surface near a point, instead of its sides. O(1) */
TPI_INLINE bool tpi_wall_has_planes(const tpi_collider_item *item)
{
    return item->def.shape == TP_COLLIDER_MESH || item->def.shape == TP_COLLIDER_HEIGHTFIELD;
}
/* The planes that stand for a mesh or heightfield near a point, within the support radius; poses as
   in tpi_wall_at. Returns their number. *work counts the work of a particle; at TPI_WALL_WORK the
   search ends with the planes found so far. O(TPI_WALL_WORK) */
TPI_FUNC uint32_t tpi_wall_planes(const tp_world *world, const tpi_collider_item *item,
                                  tp_vector point, int32_t *work, tpi_wall planes[TPI_WALL_PLANES]);
/* Walls of one particle that a slice must have units for, if there are `colliders`. O(1) */
TPI_INLINE uint32_t tpi_wall_work_most(const tp_world *world, uint32_t colliders)
{
    return colliders && world->def.geometry_bytes_max ? colliders + TPI_WALL_WORK : colliders;
}
/* Adds the work of some particles, at most a vector of them, to a tally. O(1) */
TPI_INLINE void tpi_wall_tally(int32_t work, tpi_tally *tally)
{
    tally->cost += work & ((1 << TPI_WALL_BITS) - 1);
    tally->walls_limited += (uint32_t)work >> TPI_WALL_BITS;
}
/* A pass over particles that tests each of these colliders as a wall. O(1) */
TPI_INLINE tpi_team_pass tpi_wall_pass(const tp_world *world, tpi_team_work work,
                                       const void *context, uint32_t colliders)
{
    tpi_team_pass pass;
    pass.work = work;
    pass.context = context;
    pass.each = 1u + (colliders + 3u) / 4u;
    pass.walls = tpi_wall_work_most(world, colliders);
    return pass;
}

#endif
