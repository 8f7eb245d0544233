/* SPDX-License-Identifier: MIT
   runtime/move/body.h - rigid bodies: colliders that particles, gravity and other colliders move.
   reads   bodies, their colliders and loads, fields
   writes  the poses of their colliders; when a step ends, bodies
   memory  an item per body      cost    see tpi_bodies_place
   after   own design, see runtime/guide/physics.md, bodies. A step first gives each body the game's
           impulses, solves contacts by sequential impulses (Catto 2005), and moves the
           colliders along straight lines; then particles meet them and add to the loads; its end
           adds loads and gravity */
#ifndef TPI_BODY_H
#define TPI_BODY_H
#include "collide.h"
#include "../world/momentum.h"

#define TPI_BODY_SPEED_MAX 1e3f /* m/s, 1/s: faster ones are clamped, and counted */
#define TPI_BODY_CORNERS   8u

/* ---- for the step ---- */

/* True if the poses of bodies at the end of the step in progress are missing. */
TPI_INLINE bool tpi_bodies_wait(const tp_world *world)
{
    return !world->step.has_placed && !world->step.is_priming;
}
/* Computes these poses in slices. Units per body: 8 twice, 1 per field, and 1 per collider in each
   of 8 passes; 16 per side of a collider that is near. Per corner and pass at a mesh that is near:
   at most 148. */
TPI_FUNC uint32_t tpi_bodies_place(tp_world *world, uint32_t units, bool *done);
/* The end of a step: before the sums of its loads are taken. O(bodies + fields) */
TPI_FUNC void tpi_bodies_commit(tp_world *world);

/* ---- contacts of the step in progress (body_meet.c) ---- */

/* Sides of a collider for a body: those of tpi_wall_faces, and of a mesh that is near one, and one
   per corner of the body. O(1) */
TPI_FUNC uint32_t tpi_body_sides(tp_world *world, uint32_t slot, uint32_t collider);
/* One pass over the contacts of a body and a side of a collider: changes the next momenta. *units:
   of a side that is near. True if there was an impulse. O(1) */
TPI_FUNC bool tpi_body_meet(tp_world *world, uint32_t slot, uint32_t collider, uint32_t face,
                            uint32_t *units);
/* Moves the next pose of a body out of a plane or hollow box, and a part of the way out of other
   shapes. *units as above. O(1) */
TPI_FUNC void tpi_body_keep(tp_world *world, uint32_t slot, uint32_t collider, uint32_t face,
                            tp_pose *pose, uint32_t *units);
/* True for planes and hollow boxes. O(1) */
TPI_INLINE bool tpi_body_is_endless(const tp_world *world, uint32_t collider)
{
    return tpi_collider_is_endless(&tpi_collider_at(world, collider)->def);
}
/* The corners of a shape in its frame, and their radius. Returns their number. O(1) */
TPI_FUNC uint32_t tpi_body_corners(const tp_world *world, const tpi_collider_item *item,
                                   tp_vector corners[TPI_BODY_CORNERS], float *radius);

/* ---- items ---- */

/* The first fault of a body in an untrusted block, or null. O(species) */
TPI_FUNC const char *tpi_body_audit(const tp_world *world, uint32_t slot);
/* Recomputes derived values, and puts the collider to the body's pose. O(species) */
TPI_FUNC void tpi_body_derive(const tp_world *world, uint32_t slot);

#endif
