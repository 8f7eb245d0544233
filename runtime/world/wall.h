/* SPDX-License-Identifier: MIT
   runtime/world/wall.h - the walls near a point: surfaces of colliders that a fluid takes for its
           continuation.
   reads   colliders, the step's clock      writes  nothing
   memory  a walk on the stack              cost    one unit per collider
   after   own design: solvers call these functions, and move/ defines them from the colliders' own
           distances. Meshes have no distance and are no walls */
#ifndef TPI_WALL_H
#define TPI_WALL_H
#include "block.h"

/* The part of a collider's surface nearest to a point. */
typedef struct tpi_wall {
    tp_vector normal; /* out of the solid, unit length */
    float distance;   /* m: of the point from the surface; negative inside the solid */
} tpi_wall;

/* A walk over the walls within a distance of a point. */
typedef struct tpi_wall_walk {
    tp_vector point; /* m */
    float within;    /* m */
    uint32_t species;
    uint32_t slot, face; /* cursor, 0 at the start */
} tpi_wall_walk;

/* The next wall, at the pose of the end of the step in progress; false after the last one. A hollow
   box has up to six, other shapes one. O(colliders) for a whole walk */
TPI_FUNC bool tpi_wall_next(const tp_world *world, tpi_wall_walk *walk, tpi_wall *wall);
/* True if a collider may be a wall for a fluid. O(1) */
TPI_INLINE bool tpi_is_wall(const tpi_collider_item *item)
{
    return item->def.shape != TP_COLLIDER_MESH && !item->def.kills && !item->def.is_two_sided;
}

#endif
