/* SPDX-License-Identifier: MIT
   tests/golden/scenes_body.h - the golden scenes of bodies that float; part of scenes.h.
   reads   nothing      writes  a world
   memory  as scenes.h  cost    as scenes.h
   after   own design */
#ifndef TIDEPOOL_GOLDEN_SCENES_BODY_H
#define TIDEPOOL_GOLDEN_SCENES_BODY_H

static void golden_bodies_2d(tp_world_def *def)
{
    golden_incompressible_2d(def);
    def->colliders_max = 4;
    def->bodies_max = 2;
}

static void golden_bodies_2d_compact(tp_world_def *def)
{
    golden_bodies_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_bodies_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->colliders_max = 4;
    def->bodies_max = 2;
}

static void golden_bodies_3d_sliced(tp_world_def *def)
{
    golden_bodies_3d(def);
    golden_slice(def);
}

static void golden_add_body(golden_stage *stage, const tp_collider_def *shape, float mass)
{
    tp_body_def def = tp_body_default();
    tp_body body = {0};
    golden_add_collider(stage, shape);
    if (!stage->collider_count) return;
    def.collider = stage->colliders[stage->collider_count - 1u];
    def.mass = mass;
    def.center = golden_vector(0.0f, -0.02f, 0.0f);
    def.velocity = golden_vector(0.5f, -1.0f, 0.0f);
    golden_note(stage, tp_body_add(stage->world, &def, &body));
    golden_note(stage, tp_body_impulse(stage->world, body, golden_vector(1.0f, 0.5f, 0.0f),
                                       golden_vector(0.0f, 0.6f, 0.1f)));
}

/* A raft that is not level, and a heavy capsule, which meets it and the walls. */
static void golden_add_bodies(golden_stage *stage, float size, float mass)
{
    tp_collider_def raft = tp_collider_default(TP_COLLIDER_BOX),
                    buoy = tp_collider_default(TP_COLLIDER_CAPSULE);
    raft.pose.position = golden_vector(0.0f, 0.75f * size, 0.0f);
    raft.pose.rotation.w = 0.96f;
    raft.pose.rotation.z = 0.28f;
    raft.half = golden_vector(0.4f * size, 0.12f * size, 0.3f * size);
    raft.restitution = 0.25f;
    raft.friction = 0.5f;
    golden_add_body(stage, &raft, mass);
    buoy.pose.position = golden_vector(0.6f * size, 0.8f * size, 0.0f);
    buoy.half.y = 0.1f * size;
    buoy.radius = 0.15f * size;
    buoy.friction = 0.5f;
    golden_add_body(stage, &buoy, 4.0f * mass);
}

static void golden_fill_bodies_2d(golden_stage *stage)
{
    golden_fill_fluid_2d(stage);
    golden_add_bodies(stage, 1.0f, 8.0f);
}

static void golden_fill_bodies_3d(golden_stage *stage)
{
    golden_fill_fluid_3d(stage);
    golden_add_bodies(stage, 0.5f, 3.0f);
}

/* ---- events of bodies that bounce: on a floor, on each other, around a periodic box ---- */

static void golden_hits_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->particles_max = GOLDEN_SMALL;
    def->colliders_max = 4;
    def->bodies_max = 2;
    def->events_max = 2;
    def->event_kinds = TP_EVENTS_ALL | TP_EVENTS_BODIES;
    def->event_speed = 0.2f;
    def->periodic_axes = TP_AXIS_X;
    def->box_low = golden_vector(-1.0f, 0.0f, 0.0f);
    def->box_size = golden_vector(2.0f, 0.0f, 0.0f);
}

static void golden_hits_2d_sliced(tp_world_def *def)
{
    golden_hits_2d(def);
    golden_slice(def);
}

/* Few particles: it is cheap. */
static void golden_fill_hits_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.restitution = 0.75f;
    golden_add_collider(stage, &floor);
    golden_add_bodies(stage, 0.6f, 2.0f);
    golden_add_block(stage, golden_vector(-0.7f, 0.2f, 0.0f), golden_vector(0.11f, 0.11f, 0.0f), 9,
                     0);
}

#endif
