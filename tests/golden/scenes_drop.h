/* SPDX-License-Identifier: MIT
   tests/golden/scenes_drop.h - golden scenes: fluids of unequal densities, tension, viscosity.
   reads   scenes.h, which includes this file      writes  nothing
   memory  as scenes.h      cost    as scenes.h
   after   own design */
#ifndef TIDEPOOL_SCENES_DROP_H
#define TIDEPOOL_SCENES_DROP_H

/* Unequal densities and adaptive sub-steps. */
static void golden_phases_2d(tp_world_def *def)
{
    golden_incompressible_2d(def);
    def->species[1].mass = 3.0f * def->species[0].mass;
    def->substeps.is_adaptive = true;
    def->substeps.count_max = 8;
    def->substeps.courant = 0.05f;
}

static void golden_phases_3d(tp_world_def *def)
{
    golden_incompressible_3d(def);
    def->species[1].mass = 0.2f * def->species[0].mass;
}

/* ---- surface tension and viscosity: moving colliders, births, slices ---- */

static void golden_drop_2d(tp_world_def *def)
{
    golden_incompressible_2d(def);
    def->sph.cohesion = 20;
    def->sph.viscosity = 0.02f;
}

static void golden_drop_2d_compact(tp_world_def *def)
{
    golden_drop_2d(def);
    def->sph.stores_neighbours = false;
}

/* ---- joined sides: what leaves on the right comes in on the left, around a ball ---- */

static void golden_channel_2d(tp_world_def *def)
{
    golden_drop_2d(def);
    def->periodic_axes = TP_AXIS_X;
    def->box_low = golden_vector(-1.2f, 0.0f, 0.0f);
    def->box_size = golden_vector(2.4f, 0.0f, 0.0f);
}

static void golden_channel_2d_compact(tp_world_def *def)
{
    golden_channel_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_fill_channel_2d(golden_stage *stage)
{
    tp_field_def slope = tp_field_default(TP_FIELD_GRAVITY);
    slope.vector = golden_vector(4.0f, -9.0f, 0.0f);
    golden_add_field(stage, &slope);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.pose.position = golden_vector(0.0f, -1.0f, 0.0f);
    golden_add_collider(stage, &floor);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    ball.pose.position = golden_vector(0.5f, -0.7f, 0.0f);
    ball.radius = 0.2f;
    golden_add_collider(stage, &ball);
    golden_add_block(stage, golden_vector(-0.3f, -0.5f, 0.0f), golden_vector(0.8f, 0.45f, 0.0f),
                     110, 0);
}

/* In 3D a gas between a floor and a ceiling, joined along x and z. */
static void golden_channel_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->sph.formulation = TP_SPH_IDEAL_GAS;
    def->sph.sound_speed = 8;
    def->colliders_max = 3;
    def->sph.cohesion = 2;
    def->periodic_axes = TP_AXIS_X | TP_AXIS_Z;
    def->box_low = golden_vector(-0.44f, 0.0f, -0.5f);
    def->box_size = golden_vector(0.88f, 0.0f, 0.9f);
}

static void golden_channel_3d_sliced(tp_world_def *def)
{
    golden_channel_3d(def);
    golden_slice(def);
}

static void golden_fill_channel_3d(golden_stage *stage)
{
    tp_field_def slope = tp_field_default(TP_FIELD_GRAVITY);
    slope.vector = golden_vector(3.0f, -9.0f, -2.0f);
    golden_add_field(stage, &slope);
    for (uint32_t k = 0; k < 2; k++) {
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        plane.pose.position = golden_vector(0.0f, k ? 0.3f : -0.4f, 0.0f);
        if (k) plane.pose.rotation.w = 0.0f, plane.pose.rotation.x = 1.0f; /* faces down */
        golden_add_collider(stage, &plane);
    }
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    ball.pose.position = golden_vector(0.3f, -0.3f, 0.0f);
    ball.radius = 0.1f;
    golden_add_collider(stage, &ball);
    golden_add_block(stage, golden_vector(-0.16f, -0.1f, -0.1f), golden_vector(0.26f, 0.25f, 0.32f),
                     80, 0);
    golden_add_block(stage, golden_vector(0.26f, 0.05f, 0.1f), golden_vector(0.15f, 0.2f, 0.28f),
                     64, 1);
}

static void golden_honey_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->sph.formulation = TP_SPH_IDEAL_GAS;
    def->sph.sound_speed = 8;
    def->sph.cohesion = 2;
    def->sph.viscosity = 1;
    def->sph.viscosity_iterations = 3;
}

/* ---- materials of species: a liquid that sticks beside one that flows ---- */

static void golden_materials(tp_world_def *def)
{
    def->species[0].viscosity = 0.1f;
    def->species[0].friction = 0.5f;
    def->species[1].cohesion = 0.25f;
    def->species[1].stickiness = 2;
    def->sph.mix_count = 1;
    def->sph.mix[0].first = 0;
    def->sph.mix[0].second = 1;
    def->sph.mix[0].viscosity = 0.5f;
    def->sph.mix[0].cohesion = 0.75f;
}

static void golden_materials_2d(tp_world_def *def)
{
    golden_drop_2d(def);
    golden_materials(def);
}

static void golden_materials_2d_compact(tp_world_def *def)
{
    golden_materials_2d(def);
    def->sph.stores_neighbours = false;
    golden_slice(def);
}

/* Of the double density, and of unequal masses. */
static void golden_materials_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    golden_materials(def);
    def->sph.viscosity = 0.02f;
    def->sph.viscosity_iterations = 2;
}

static void golden_honey_3d_sliced(tp_world_def *def)
{
    golden_honey_3d(def);
    golden_slice(def);
}

#endif
