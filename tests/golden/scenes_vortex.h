/* SPDX-License-Identifier: MIT
   tests/golden/scenes_vortex.h - golden scenes of vortices: two rings with smoke in a wind; warm
           smoke on a grid; fire; viscous vortices in 2D; a closed tank; a jet past a moving ball.
   reads   nothing      writes  a world
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_VORTEX_H
#define TIDEPOOL_GOLDEN_SCENES_VORTEX_H

static void golden_vortex_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->solver = TP_SOLVER_VORTEX;
    def->particles_max = 200;
    def->vortex.vortons_max = 64;
    def->vortex.core = 0.25f;
    def->vortex.growth_max = 2.0f;
}

static void golden_vortex_3d_sliced(tp_world_def *def)
{
    golden_vortex_3d(def);
    golden_slice(def);
}

/* A ring of 16 vortons: its corners are exact numbers near a circle. */
static void golden_add_ring(golden_stage *stage, float radius, float y, float circulation)
{
    static const float corners[4][2] = {
        {1.0f, 0.0f}, {0.9375f, 0.34375f}, {0.75f, 0.65625f}, {0.5f, 0.875f}};
    for (uint32_t k = 0; k < 16u; k++) {
        float c = corners[k % 4u][0], s = corners[k % 4u][1], x = c, z = s;
        for (uint32_t turn = 0; turn < k / 4u; turn++) {
            float old = x;
            x = -z;
            z = old;
        }
        uint32_t index = tp_world_view(stage->world).count;
        golden_note(stage, tp_particle_add(stage->world, golden_vector(x * radius, y, z * radius),
                                           golden_vector(0.0f, 0.0f, 0.0f), 0, NULL));
        golden_note(stage,
                    tp_particle_strength(stage->world, index,
                                         golden_vector(z * circulation, 0.0f, -x * circulation)));
    }
}

static void golden_fill_vortex_3d(golden_stage *stage)
{
    tp_emitter_def smoke = tp_emitter_default();
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_sink_def above = tp_sink_default();
    golden_add_ring(stage, 1.0f, 0.0f, 1.0f);
    golden_add_ring(stage, 0.75f, 0.5f, 1.5f);
    smoke.shape = TP_EMITTER_SPHERE;
    smoke.size = golden_vector(1.0f, 0.25f, 1.0f);
    smoke.burst_count = 60;
    smoke.rate_numerator = 120;
    golden_add_emitter(stage, &smoke);
    wind.vector = golden_vector(0.25f, 0.0f, 0.125f);
    golden_add_field(stage, &wind);
    ball.radius = 0.25f;
    ball.pose.position = golden_vector(0.5f, 1.5f, 0.25f);
    golden_add_collider(stage, &ball);
    above.shape = TP_SINK_PLANE;
    above.normal = golden_vector(0.0f, -1.0f, 0.0f);
    above.offset = -2.0f;
    golden_add_sink(stage, &above);
}

/* Viscosity by sums; on a grid with lift. */
static void golden_viscous_3d(tp_world_def *def)
{
    golden_vortex_3d(def);
    def->vortex.viscosity = 0.03125f;
    def->vortex.volume = 0.0625f;
}

static void golden_smoke_3d(tp_world_def *def)
{
    golden_viscous_3d(def);
    for (uint32_t axis = 0; axis < 3; axis++) def->vortex.grid_nodes[axis] = axis == 1 ? 9u : 5u;
    def->vortex.grid_spacing = 0.5f;
    def->vortex.grid_low = golden_vector(-1.0f, -2.0f, -1.0f);
    def->vortex.vortons_max = 150;
    def->vortex.lift = golden_vector(0.0f, 0.125f, 0.0f);
    def->vortex.lift_species = def->vortex.vorton_species = 1;
    def->vortex.cooling = 0.5f;
}

/* A match lights the smoke; vortons merge and split. */
static void golden_fire_3d(tp_world_def *def)
{
    golden_smoke_3d(def);
    def->heat.range = 1024.0f;
    def->heat.diffusivity = 0.25f;
    def->vortex.fuel_species = 1;
    def->vortex.ignition = 64.0f;
    def->vortex.burning = 4.0f;
    def->vortex.air = 64.0f;
    def->vortex.flame = 768.0f;
    def->vortex.radiation = 2.0f;
    def->vortex.merge = 0.125f;
    def->vortex.split = 0.5f;
}

static void golden_fire_3d_sliced(tp_world_def *def)
{
    golden_fire_3d(def);
    golden_slice(def);
}

static void golden_fill_fire_3d(golden_stage *stage)
{
    tp_field_def match = tp_field_default(TP_FIELD_HEAT);
    golden_fill_vortex_3d(stage);
    golden_add_ring(stage, 0.9375f, 0.0625f, 0.5f);
    match.strength = 4096.0f;
    match.linear = 4.0f;
    match.core = 0.75f;
    match.center = golden_vector(0.5f, 0.0f, 0.0f);
    golden_add_field(stage, &match);
}

static void golden_smoke_3d_sliced(tp_world_def *def)
{
    golden_smoke_3d(def);
    golden_slice(def);
}

/* ---- 2D: viscous vortices beside a disc ---- */

static void golden_vortex_2d(tp_world_def *def)
{
    *def = tp_world_default(2);
    def->solver = TP_SOLVER_VORTEX;
    def->particles_max = 160;
    def->vortex.vortons_max = 96;
    def->vortex.core = 0.125f;
    def->vortex.viscosity = 0.03125f;
    def->vortex.volume = 0.0625f;
}

static void golden_vortex_2d_sliced(tp_world_def *def)
{
    golden_vortex_2d(def);
    golden_slice(def);
}

/* Two squares of 25 vortons each that turn around each other, and a jet that bears a pair. */
static void golden_fill_vortex_2d(golden_stage *stage)
{
    tp_emitter_def jet = tp_emitter_default();
    tp_collider_def disc = tp_collider_default(TP_COLLIDER_SPHERE);
    for (uint32_t k = 0; k < 50u; k++) {
        float x = 0.25f * (float)(k % 5u) - (k < 25u ? 1.25f : -0.25f);
        float y = 0.25f * (float)(k / 5u % 5u);
        golden_note(stage, tp_particle_add(stage->world, golden_vector(x, y, 0.0f),
                                           golden_vector(0.0f, 0.0f, 0.0f), 0, NULL));
        golden_note(stage,
                    tp_particle_strength(stage->world, k,
                                         golden_vector(0.0f, 0.0f, k < 25u ? 0.5f : 0.375f)));
    }
    jet.shape = TP_EMITTER_SEGMENT;
    jet.size = golden_vector(0.25f, 0.0f, 0.0f);
    jet.pose.position = golden_vector(0.0f, -1.0f, 0.0f);
    jet.rate_numerator = 60;
    jet.strength = 0.25f;
    golden_add_emitter(stage, &jet);
    disc.radius = 0.25f;
    disc.pose.position = golden_vector(0.125f, 1.5f, 0.0f);
    golden_add_collider(stage, &disc);
}

/* ---- a closed tank, 17 nodes long: whole vectors in a row ---- */

static void golden_tank_3d(tp_world_def *def)
{
    golden_viscous_3d(def);
    for (uint32_t axis = 0; axis < 3; axis++) def->vortex.grid_nodes[axis] = axis ? 5u : 17u;
    def->vortex.grid_spacing = 0.5f;
    def->vortex.grid_low = golden_vector(-4.0f, -1.0f, -1.0f);
    def->vortex.grid_closed = 1;
    def->vortex.vortons_max = 80;
    def->particles_max = 160;
}

static void golden_tank_3d_sliced(tp_world_def *def)
{
    golden_tank_3d(def);
    golden_slice(def);
}

static void golden_fill_tank_3d(golden_stage *stage)
{
    tp_emitter_def ink = tp_emitter_default();
    golden_add_ring(stage, 0.5f, -0.25f, 1.0f);
    golden_add_ring(stage, 0.75f, 0.25f, -0.75f);
    for (uint32_t k = 0; k < 32u; k++) {
        float x = 0.1875f * (float)k - 2.90625f;
        uint32_t index = tp_world_view(stage->world).count;
        golden_note(stage, tp_particle_add(stage->world, golden_vector(x, 0.125f, -0.25f),
                                           golden_vector(0.0f, 0.0f, 0.0f), 0, NULL));
        golden_note(stage,
                    tp_particle_strength(stage->world, index,
                                         golden_vector(0.25f, k & 1u ? 0.5f : -0.25f, 0.0f)));
    }
    ink.shape = TP_EMITTER_BOX;
    ink.size = golden_vector(3.75f, 0.75f, 0.75f);
    ink.burst_count = 80;
    golden_add_emitter(stage, &ink);
}

/* ---- a grid that follows a jet, and a ball that takes air along ---- */

static void golden_jet_3d(tp_world_def *def)
{
    golden_smoke_3d(def);
    def->vortex.grid_nodes[0] = 9;
    def->vortex.grid_low = golden_vector(-2.0f, -2.0f, -1.0f);
    def->vortex.grid_follows = TP_AXIS_X | TP_AXIS_Y;
    def->vortex.grip = 30.0f;
    def->vortex.vortons_max = 100;
    def->particles_max = 128;
    def->measures_loads = true;
}

static void golden_jet_3d_sliced(tp_world_def *def)
{
    golden_jet_3d(def);
    golden_slice(def);
}

static void golden_fill_jet_3d(golden_stage *stage)
{
    tp_emitter_def jet = tp_emitter_default();
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    golden_add_ring(stage, 0.75f, -0.5f, 4.0f);
    jet.shape = TP_EMITTER_DISC;
    jet.size = golden_vector(0.5f, 0.5f, 0.5f);
    jet.pose.position = golden_vector(0.0f, -1.0f, 0.0f);
    jet.velocity = golden_vector(0.0f, 1.0f, 0.0f);
    jet.burst_count = 40;
    jet.rate_numerator = 240;
    jet.strength = 0.5f;
    golden_add_emitter(stage, &jet);
    ball.radius = 0.375f;
    golden_add_collider(stage, &ball);
}

static void golden_move_jet_3d(golden_stage *stage, uint64_t frame)
{
    tp_pose pose = {golden_vector(0.0625f * (float)(frame % 16u) - 0.5f, 0.5f, 0.125f),
                    golden_turn(0)};
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[0], pose));
}

#endif
