/* SPDX-License-Identifier: MIT
   tests/golden/scenes_heat.h - the golden scenes of fluids with heat; part of scenes.h.
   reads   nothing      writes  a world
   memory  as scenes.h  cost    a few hundred particles, tens of frames each
   after   own design */
#ifndef TIDEPOOL_GOLDEN_SCENES_HEAT_H
#define TIDEPOOL_GOLDEN_SCENES_HEAT_H

/* ---- heat: walls that conduct, a heat field, births; buoyancy ---- */

static void golden_add_heat(tp_world_def *def)
{
    def->emitters_max = def->fields_max = def->colliders_max = 4;
    def->heat.range = 100.0f;
    def->heat.diffusivity = 0.02f;
    def->species[0].expansion = 0.01f;
    def->species[1].expansion = 0.02f;
    def->species[1].buoyancy = 0.3f;
}

static void golden_heat_2d(tp_world_def *def)
{
    golden_incompressible_2d(def);
    golden_add_heat(def);
}

static void golden_heat_2d_compact(tp_world_def *def)
{
    golden_heat_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_heat_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    golden_add_heat(def);
}

static void golden_heat_3d_sliced(tp_world_def *def)
{
    golden_heat_3d(def);
    golden_slice(def);
}

/* A hot floor, and a heat field above it. */
static void golden_heat_up(golden_stage *stage, float floor)
{
    tp_collider_def plate = tp_collider_default(TP_COLLIDER_PLANE);
    plate.pose.position = golden_vector(0.0f, floor, 0.0f);
    plate.conducts = true;
    plate.temperature = 80.0f;
    golden_add_collider(stage, &plate);
    tp_field_def fire = tp_field_default(TP_FIELD_HEAT);
    fire.center = golden_vector(-0.3f, -0.2f, 0.0f);
    fire.core = 0.4f;
    fire.strength = 200.0f;
    fire.linear = 3.0f;
    golden_add_field(stage, &fire);
}

static void golden_fill_heat_2d(golden_stage *stage)
{
    golden_fill_moving_2d(stage);
    golden_heat_up(stage, -1.1f);
    tp_emitter_def drip = tp_emitter_default();
    drip.pose.position = golden_vector(0.2f, 0.9f, 0.0f);
    drip.rate_numerator = 100;
    drip.temperature = -60.0f;
    golden_add_emitter(stage, &drip);
}

static void golden_fill_heat_3d(golden_stage *stage)
{
    golden_fill_fluid_3d(stage);
    golden_heat_up(stage, -0.5f);
}

#endif
