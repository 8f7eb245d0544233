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
#include "../world/event.h"
#include "../world/momentum.h"

#define TPI_BODY_SPEED_MAX 1e3f /* m/s, 1/s: faster ones are clamped, and counted */
#define TPI_BODY_CORNERS   8u
/* N: of a contact that is kept */
#define TPI_BODY_HELD_LEAST 1e-30f
#define TPI_BODY_HELD_MOST  1e30f

/* ---- for the step ---- */

/* True if the poses of bodies at the end of the step in progress are missing. */
TPI_INLINE bool tpi_bodies_wait(const tp_world *world)
{
    return !world->step.has_placed && !world->step.is_priming;
}
/* Computes these poses in slices. Units per body: 8, 1 per field, 4 per part of its turn, of at
   most 13, and 1 per collider in a search for contacts and in each of the 2 last phases; 16 to 100
   per side of a collider that is near, of a mesh at most 155; 8 per contact and pass, and 4 to
   begin with what it gave in the last step. Passes end when no impulse matters: of what is at rest
   after 3, of stacks that move after all of them. At most there are 64 and,
   if contacts bounce, 16 more; for each of 4 more searches of fast bodies 16, and 16. */
TPI_FUNC uint32_t tpi_bodies_place(tp_world *world, uint32_t units, bool *done);
/* The end of a step: before the sums of its loads are taken. O(bodies + fields) */
TPI_FUNC void tpi_bodies_commit(tp_world *world);

/* ---- impulses of contacts (body_solve.c) ---- */

#define TPI_BODY_ROUNDS \
    5u /* searches for contacts in a step: of fast bodies at places on their way */

/* A body and what it meets. Motions are those of the next momenta. */
typedef struct tpi_body_pair {
    tp_world *world;
    uint32_t slot;        /* of body a */
    tpi_body_item *a, *b; /* b null: a collider that no body moves */
    const tpi_collider_item *shape, *other;
    tp_pose pose;       /* of the body */
    tp_pose begin, end; /* of the other */
    tpi_body_motion motion_a, motion_b;
    float friction, restitution, rolling, rest_speed, timestep;
    float between; /* m: the distance that is kept */
} tpi_body_pair;

TPI_FUNC tpi_body_pair tpi_body_pair_of(tp_world *world, uint32_t slot, uint32_t collider);
/* m/s: of the body at a point, relative to the other. O(1) */
TPI_FUNC tp_vector tpi_body_approach(const tpi_body_pair *pair, tp_vector point);
/* Keeps a contact of the body with a point, normal, gap and collider; beyond TPI_BODY_CONTACTS
   those are left out that look farthest away when the step ends. False: left out. O(1) */
TPI_FUNC void tpi_body_keep_contact(tpi_body_pair *pair, const tpi_body_contact *contact);
/* Before another search: looks how fast the body comes to contacts that gave nothing so far.
   *units: 4 for each. O(1) */
TPI_FUNC void tpi_body_look_again(tp_world *world, uint32_t slot, uint32_t *units);
/* Contacts that were there in the last step, too, begin with what they gave in it, but those that
   bounce. *units: 4 for each. O(1) */
TPI_FUNC void tpi_body_resume(tp_world *world, uint32_t slot, uint32_t *units);
/* Keeps what contacts have given for the next step. O(1) */
TPI_FUNC void tpi_body_hold(const tp_world *world, tpi_body_item *body);
/* Solves one contact of a body, and before the first one with a collider all of these together.
   *units: 4 for each. False if little changed. O(1) */
TPI_FUNC bool tpi_body_solve(tp_world *world, uint32_t slot, uint32_t contact, uint32_t *units);
/* Contacts of a body that hit and have been solved bounce. *units: 4 per contact. False if there
   are none. O(1) */
TPI_FUNC bool tpi_body_bounce(tp_world *world, uint32_t slot, uint32_t *units);
/* ---- contacts of the step in progress (body_meet.c) ---- */

/* Sides of a collider for a body: those of tpi_wall_faces, and if it is near one per direction of
   the body's edges; of a mesh that is near one, and one per corner and edge of the body. O(1) */
TPI_FUNC uint32_t tpi_body_sides(tp_world *world, uint32_t slot, uint32_t collider);
/* Finds the contacts of a body and a side of a collider. *units: of a side that is near. O(1) */
TPI_FUNC void tpi_body_gather(tp_world *world, uint32_t slot, uint32_t collider, uint32_t side,
                              uint32_t *units);
/* Moves the next pose of a body out of a plane or hollow box, and a part of the way out of other
   shapes. *units as above. O(1) */
TPI_FUNC void tpi_body_keep(tp_world *world, uint32_t slot, uint32_t collider, uint32_t side,
                            tp_pose *pose, uint32_t *units);
/* True for planes and hollow boxes. O(1) */
TPI_INLINE bool tpi_body_is_endless(const tp_world *world, uint32_t collider)
{
    return tpi_collider_is_endless(&tpi_collider_at(world, collider)->def);
}
/* The corners of a shape in its frame, and their radius. Returns their number. O(1) */
TPI_FUNC uint32_t tpi_body_corners(const tp_world *world, const tpi_collider_item *item,
                                   tp_vector corners[TPI_BODY_CORNERS], float *radius);

/* ---- events (body_tell.c) ---- */

/* In a feature that is told: no point that meets, but where its pair was when the step ended. Of
   such a tpi_body_held `size` is m, how far the pair is apart, and `slide` the normal. */
#define TPI_BODY_APART 0x40000000u
/* True if the contacts of bodies that begin and end are events. */
TPI_INLINE bool tpi_bodies_tell(const tp_world *world)
{
    return tpi_keeps_events(world, TP_EVENTS_BODIES);
}
/* Which contacts of a body begin in this step, and which go on. *units: 4 per contact, 8 more per
   pair, and those of the events. O(1) */
TPI_FUNC void tpi_body_tell(tp_world *world, uint32_t slot, uint32_t *units);
/* After that of all bodies: which of its contacts of the last step have ended. *units: 4 to 8 per
   contact of that step, and those of the events. O(1) */
TPI_FUNC void tpi_body_tell_ends(tp_world *world, uint32_t slot, uint32_t *units);
/* Of a collider that is removed. O(bodies) */
TPI_FUNC void tpi_bodies_forget(const tp_world *world, uint32_t collider);

/* ---- items ---- */

/* The first fault of a body in an untrusted block, or null. O(species) */
TPI_FUNC const char *tpi_body_audit(const tp_world *world, uint32_t slot);
/* Null if the collider of a body may change from a definition to another one, else why not. O(1) */
TPI_FUNC const char *tpi_body_check_change(const tp_collider_def *old, const tp_collider_def *def);
/* Recomputes derived values, and puts the collider to the body's pose. O(species) */
TPI_FUNC void tpi_body_derive(const tp_world *world, uint32_t slot);

#endif
