/* SPDX-License-Identifier: MIT
   tests/golden/scenes.h - small scenes whose state hash must be the same on every machine; public
           calls only.
   reads   nothing      writes  a world
   memory  a world and a cache in GOLDEN_BLOCK_BYTES      cost  a few hundred particles, tens of
           frames each
   after   own design; freestanding, so that a Cortex-M4 with 96 KiB of RAM runs every scene */
#ifndef TIDEPOOL_GOLDEN_SCENES_H
#define TIDEPOOL_GOLDEN_SCENES_H
#include "tidepool.h"

/* All scenes fit 64 KiB, which small targets define. */
#ifndef GOLDEN_BLOCK_BYTES
#define GOLDEN_BLOCK_BYTES 131072u
#endif
#define GOLDEN_HANDLES 4u
#define GOLDEN_SMALL   96u /* particles of the scenes with a cache */

/* A scene while it is built and run. */
typedef struct golden_stage {
    tp_world *world;
    tp_result result; /* the first error */
    uint32_t emitter_count, collider_count;
    tp_emitter emitters[GOLDEN_HANDLES];
    tp_collider colliders[GOLDEN_HANDLES];
    void *spare; /* the part of the block after the world */
    size_t spare_bytes;
    tp_cache *cache;
    bool has_rewound;
} golden_stage;

typedef struct golden_scene {
    const char *name;
    const char *same_as;               /* scene with the same hash, or null */
    void (*define)(tp_world_def *def); /* by pointer: copies of 1.3 KB fill a small stack */
    void (*fill)(golden_stage *stage);
    /* units: budget of one call, 0: none */
    uint32_t frames, units;
    void (*before_frame)(golden_stage *stage, uint64_t frame); /* may be null, like the two below */
    void (*after_frame)(golden_stage *stage, uint64_t frame);
    uint64_t (*after_run)(golden_stage *stage, uint64_t hash); /* returns the hash of the scene */
} golden_scene;

/* ---- helpers: each keeps the first error in the stage ---- */

static tp_vector golden_vector(float x, float y, float z)
{
    tp_vector vector = {x, y, z};
    return vector;
}

static void golden_note(golden_stage *stage, tp_result result)
{
    if (stage->result == TP_OK && result < TP_OK) stage->result = result;
}

/* The shortest slices, as many frames behind as they need. */
static void golden_slice(tp_world_def *def)
{
    def->slice_units = 64;
    def->lag_frames_max = 64;
}

/* FNV-1a, a word of four bytes at a time. */
static uint64_t golden_fold(uint64_t hash, const void *words, uint32_t count)
{
    const unsigned char *bytes = (const unsigned char *)words;
    for (uint32_t i = 0; i < count; i++, bytes += 4) {
        union {
            uint32_t number;
            unsigned char bytes[4];
        } word;
        for (uint32_t k = 0; k < 4; k++) word.bytes[k] = bytes[k];
        hash = (hash ^ word.number) * 0x100000001b3u;
    }
    return hash;
}

static void golden_add_emitter(golden_stage *stage, const tp_emitter_def *def)
{
    tp_emitter emitter = {0};
    golden_note(stage, tp_emitter_add(stage->world, def, &emitter));
    if (stage->emitter_count < GOLDEN_HANDLES) stage->emitters[stage->emitter_count++] = emitter;
}

static void golden_add_collider(golden_stage *stage, const tp_collider_def *def)
{
    tp_collider collider = {0};
    golden_note(stage, tp_collider_add(stage->world, def, &collider));
    if (stage->collider_count < GOLDEN_HANDLES)
        stage->colliders[stage->collider_count++] = collider;
}

static void golden_add_sink(golden_stage *stage, const tp_sink_def *def)
{
    tp_sink sink = {0};
    golden_note(stage, tp_sink_add(stage->world, def, &sink));
}

static void golden_add_field(golden_stage *stage, const tp_field_def *def)
{
    tp_field field = {0};
    golden_note(stage, tp_field_add(stage->world, def, &field));
}

static void golden_add_gravity(golden_stage *stage, float y)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    gravity.vector = golden_vector(0.0f, y, 0.0f);
    golden_add_field(stage, &gravity);
}

/* A hollow box that keeps the particles inside. */
static void golden_add_room(golden_stage *stage, float x, float y, float z)
{
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    room.half = golden_vector(x, y, z);
    room.is_hollow = true;
    golden_add_collider(stage, &room);
}

/* A box of fluid particles on a lattice. */
static void golden_add_block(golden_stage *stage, tp_vector center, tp_vector half, uint32_t count,
                             uint32_t species)
{
    tp_emitter_def block = tp_emitter_default();
    block.shape = TP_EMITTER_BOX;
    block.pose.position = center;
    block.size = half;
    block.burst_count = count;
    block.species = species;
    block.lattice_spacing = 0.11f;
    block.position_jitter = 0.01f;
    golden_add_emitter(stage, &block);
}

/* ---- fluid: two species in a room ---- */

/* s: longer than the default, so that some steps begin again, shorter. */
#define GOLDEN_SPH_TIMESTEP 0.0075f

static void golden_fluid_2d(tp_world_def *def)
{
    *def = tp_world_default(2);
    def->particles_max = 240;
    def->emitters_max = def->fields_max = def->colliders_max = 2;
    def->sinks_max = 0;
    def->seed = 11;
    def->solver = TP_SOLVER_SPH;
    def->sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def->sph.timestep_max = GOLDEN_SPH_TIMESTEP;
    def->substeps.count = 2;
    def->species_count = 2;
    def->species[1].mass = 2.5f;
    def->species[1].rest_density = 90.0f;
    def->sph.neighbours_max = 32;
}

static void golden_fluid_2d_compact(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_fluid_2d_sliced(tp_world_def *def)
{
    golden_fluid_2d(def);
    golden_slice(def);
}

static void golden_compat_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->sph.compat = true;
}

static void golden_coarsen_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->overload = TP_OVERLOAD_COARSEN;
    def->substeps.count = 5;
}

static void golden_adaptive_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->substeps.count = 1;
    def->substeps.count_max = 12;
    def->substeps.is_adaptive = true;
    def->substeps.courant = 0.04f;
}

static void golden_adaptive_compat_2d(tp_world_def *def)
{
    golden_adaptive_2d(def);
    def->substeps.compat = true;
    def->sph.stores_neighbours = false;
}

static void golden_fill_fluid_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 1.3f, 1.1f, 1.0f);
    golden_add_block(stage, golden_vector(-0.6f, -0.3f, 0.0f), golden_vector(0.6f, 0.7f, 0.0f), 130,
                     0);
    golden_add_block(stage, golden_vector(0.7f, -0.2f, 0.0f), golden_vector(0.5f, 0.6f, 0.0f), 110,
                     1);
}

static void golden_fluid_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->particles_max = 144;
    def->emitters_max = def->fields_max = def->colliders_max = 2;
    def->sinks_max = 0;
    def->seed = 12;
    def->solver = TP_SOLVER_SPH;
    def->sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def->sph.timestep_max = GOLDEN_SPH_TIMESTEP;
    def->substeps.count = 2;
    def->species_count = 2;
    def->species[0].rest_density = 450.0f;
    def->species[1].rest_density = 480.0f;
    def->species[1].mass = 0.4f;
    def->sph.smoothing_radius = 0.22f;
    def->sph.stiffness = 0.001f;
    def->sph.near_stiffness = 0.001f;
    def->sph.surface_tension = 0.00003f;
    def->sph.viscosity_linear = 0.5f;
    def->sph.viscosity_quadratic = 1.0f;
    def->sph.neighbours_max = 48;
}

static void golden_fill_fluid_3d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 0.5f, 0.5f, 0.4f);
    golden_add_block(stage, golden_vector(-0.2f, -0.1f, 0.0f), golden_vector(0.25f, 0.3f, 0.2f), 80,
                     0);
    golden_add_block(stage, golden_vector(0.3f, 0.0f, 0.1f), golden_vector(0.15f, 0.4f, 0.25f), 64,
                     1);
}

/* ---- crowd: all particles in one cell, far above the neighbour limit and the cell limit ---- */

static void golden_crowd_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->sph.neighbours_max = 12;
    def->sph.cell_max = 40;
}

static void golden_crowd_2d_compact(tp_world_def *def)
{
    golden_crowd_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_fill_crowd_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 1.5f, 1.5f, 1.0f);
    for (uint32_t i = 0; i < 200; i++) {
        tp_vector position = golden_vector(0.05f + (float)(i % 15u) * 0.004f,
                                           0.05f + (float)(i / 15u) * 0.004f, 0.0f);
        if (i >= 190) position = golden_vector(0.06f, 0.06f, 0.0f); /* ten at the same position */
        golden_note(stage, tp_particle_add(stage->world, position, golden_vector(0.0f, 0.0f, 0.0f),
                                           i & 1u, NULL));
    }
}

/* ---- fountain: emitters of every analytic shape, sinks of every shape, still colliders ---- */

static void golden_fountain_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->particles_max = 300;
    def->seed = 13;
    def->species_count = 2;
    def->species[1].radius = 0.02f;
    def->speed_max = 30.0f;
}

static void golden_fountain_jets(golden_stage *stage)
{
    static const tp_emitter_shape shapes[4] = {TP_EMITTER_POINT, TP_EMITTER_DISC, TP_EMITTER_SPHERE,
                                               TP_EMITTER_SEGMENT};
    for (uint32_t k = 0; k < 4; k++) {
        tp_emitter_def jet = tp_emitter_default();
        jet.shape = shapes[k];
        jet.pose.position = golden_vector((float)k - 1.5f, 0.3f, 0.2f);
        jet.pose.rotation.w = 0.96f;
        jet.pose.rotation.z = 0.28f;
        jet.size = golden_vector(0.2f, 0.1f, 0.1f);
        jet.species = k & 1u;
        jet.rate_numerator = 70u + 13u * k;
        jet.rate_denominator = 1u + (k & 1u);
        jet.burst_count = 5;
        jet.start_frame = 3u * k;
        jet.stop_frame = k == 2 ? 40u : 0u;
        jet.velocity = golden_vector(0.4f, 4.0f, 0.0f);
        jet.velocity_jitter = 0.8f;
        jet.lifetime_ticks = k == 3 ? 30u * TP_TICKS_PER_FRAME : 0u;
        jet.lifetime_jitter = 0.5f;
        golden_add_emitter(stage, &jet);
    }
}

static void golden_fountain_sinks(golden_stage *stage)
{
    static const tp_sink_shape shapes[4] = {TP_SINK_AGE, TP_SINK_PLANE, TP_SINK_BOX,
                                            TP_SINK_SPHERE};
    for (uint32_t k = 0; k < 4; k++) {
        tp_sink_def sink = tp_sink_default();
        sink.shape = shapes[k];
        sink.age_ticks = 45u * TP_TICKS_PER_FRAME;
        sink.species_mask = k == 0 ? 1u : 3u;
        sink.normal = golden_vector(0.6f, 0.8f, 0.0f);
        sink.offset = -3.0f;
        sink.center = k == 3 ? golden_vector(0.0f, 0.0f, 0.0f) : golden_vector(2.0f, 0.2f, 0.0f);
        sink.half = golden_vector(0.3f, 0.3f, 2.0f);
        sink.radius = 4.0f;
        sink.is_inverted = k == 3;
        golden_add_sink(stage, &sink);
    }
}

static void golden_fountain_solids(golden_stage *stage)
{
    static const tp_collider_shape shapes[4] = {TP_COLLIDER_PLANE, TP_COLLIDER_SPHERE,
                                                TP_COLLIDER_CAPSULE, TP_COLLIDER_BOX};
    for (uint32_t k = 0; k < 4; k++) {
        tp_collider_def solid = tp_collider_default(shapes[k]);
        solid.pose.position = golden_vector(1.5f - 0.9f * (float)k, k ? 0.9f : 0.0f, 0.0f);
        if (k == 2) solid.pose.rotation.w = 0.8f, solid.pose.rotation.x = 0.6f;
        solid.half = golden_vector(0.25f, 0.3f, 0.5f);
        solid.radius = 0.35f;
        solid.restitution = 0.25f * (float)k;
        solid.friction = 0.3f;
        golden_add_collider(stage, &solid);
    }
}

static void golden_fill_fountain_3d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_fountain_solids(stage);
    golden_fountain_sinks(stage);
    golden_fountain_jets(stage);
}

/* ---- fields under the leapfrog integrator ---- */

static void golden_fields_kdk_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->particles_max = 256;
    def->fields_max = 8;
    def->seed = 14;
    def->integrator = TP_INTEGRATOR_KDK;
    def->substeps.count = 3;
    def->species_count = 3;
    def->species[1].mass = 3.0f;
    def->species[2].is_tracer = true;
}

static void golden_add_medium(golden_stage *stage)
{
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    wind.vector = golden_vector(0.7f, 0.0f, 0.2f);
    wind.strength = 0.5f;
    wind.core = 0.8f;
    golden_add_field(stage, &wind);
    tp_field_def vortex = tp_field_default(TP_FIELD_VORTEX);
    vortex.vector = golden_vector(0.0f, 0.6f, 0.8f);
    vortex.center = golden_vector(0.4f, 0.1f, 0.0f);
    vortex.strength = 3.0f;
    vortex.core = 0.4f;
    vortex.axial = 0.3f;
    vortex.inflow = 0.2f;
    golden_add_field(stage, &vortex);
    vortex.is_rankine = true;
    vortex.center = golden_vector(-0.8f, 0.2f, 0.0f);
    vortex.strength = -2.0f;
    golden_add_field(stage, &vortex);
}

static void golden_fill_fields_kdk_3d(golden_stage *stage)
{
    golden_add_gravity(stage, -1.5f);
    golden_add_medium(stage);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    drag.linear = 0.4f;
    drag.quadratic = 0.2f;
    drag.species_mask = 5u;
    golden_add_field(stage, &drag);
    drag.linear = 1.5f; /* in a box */
    drag.species_mask = 3u;
    drag.center = golden_vector(0.3f, -0.2f, 0.2f);
    drag.vector = golden_vector(0.4f, 0.5f, 0.3f);
    golden_add_field(stage, &drag);
    tp_field_def star = tp_field_default(TP_FIELD_ATTRACTOR);
    star.strength = 4.0f;
    star.core = 0.1f;
    golden_add_field(stage, &star);
    for (uint32_t i = 0; i < 240; i++) {
        tp_vector position = golden_vector((float)(i % 16u) * 0.15f - 1.2f,
                                           (float)(i / 16u) * 0.14f - 1.0f, (float)(i % 7u) * 0.1f);
        tp_vector velocity = golden_vector(-position.y, position.x, 0.05f * (float)(i % 5u));
        golden_note(stage, tp_particle_add(stage->world, position, velocity, i % 3u, NULL));
    }
}

/* ---- moving colliders and a moving emitter ---- */

static void golden_moving_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->colliders_max = 4;
    def->seed = 15;
}

static void golden_fill_moving_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 1.3f, 1.1f, 1.0f);
    tp_collider_def paddle = tp_collider_default(TP_COLLIDER_BOX);
    paddle.half = golden_vector(0.1f, 0.5f, 1.0f);
    paddle.friction = 0.5f;
    golden_add_collider(stage, &paddle);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    ball.pose.position = golden_vector(0.8f, -0.8f, 0.0f);
    ball.radius = 0.2f;
    ball.restitution = 0.5f;
    golden_add_collider(stage, &ball);
    golden_add_block(stage, golden_vector(-0.7f, -0.3f, 0.0f), golden_vector(0.5f, 0.7f, 0.0f), 110,
                     0);
    tp_emitter_def hose = tp_emitter_default();
    hose.pose.position = golden_vector(0.6f, 0.8f, 0.0f);
    hose.species = 1;
    hose.rate_numerator = 200;
    hose.velocity = golden_vector(0.0f, -2.0f, 0.0f);
    hose.velocity_jitter = 0.3f;
    hose.inherit = 0.5f;
    golden_add_emitter(stage, &hose);
}

/* Rotations by eighths of a turn as (w, z), exact enough for the check of a pose. */
static tp_quaternion golden_turn(uint64_t eighth)
{
    static const float w[8] = {1.0f, 0.92387953f,  0.70710678f,  0.38268343f,
                               0.0f, -0.38268343f, -0.70710678f, -0.92387953f};
    static const float z[8] = {0.0f, 0.38268343f, 0.70710678f, 0.92387953f,
                               1.0f, 0.92387953f, 0.70710678f, 0.38268343f};
    tp_quaternion turn = {w[eighth & 7u], 0.0f, 0.0f, z[eighth & 7u]};
    return turn;
}

static void golden_move_moving_2d(golden_stage *stage, uint64_t frame)
{
    float sway = (float)(frame % 24u < 12u ? frame % 12u : 12u - frame % 12u);
    tp_pose pose = {golden_vector(0.05f * sway - 0.3f, -0.4f, 0.0f), golden_turn(frame / 3u)};
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[1], pose));
    pose.position = golden_vector(0.8f - 0.06f * sway, -0.8f + 0.05f * sway, 0.0f);
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[2], pose));
    pose.position = golden_vector(0.6f - 0.1f * sway, 0.8f, 0.0f);
    golden_note(stage, tp_emitter_move(stage->world, stage->emitters[1], pose));
}

/* ---- incompressible fluid: moving colliders, births; two species ---- */

static void golden_incompressible_2d(tp_world_def *def)
{
    golden_moving_2d(def);
    def->particles_max = 200;
    def->species[1] = def->species[0];
    def->sph.neighbours_max = 48;
    tp_sph_incompressible(def, 0.11f);
    def->substeps.count = 3;
}

static void golden_incompressible_2d_compact(tp_world_def *def)
{
    golden_incompressible_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_incompressible_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->species[1] = def->species[0];
    def->sph.neighbours_max = 64;
    tp_sph_incompressible(def, 0.11f);
    def->sph.divergence_iterations = 2;
}

static void golden_incompressible_3d_sliced(tp_world_def *def)
{
    golden_incompressible_3d(def);
    golden_slice(def);
}

#include "scenes_body.h"
#include "scenes_drop.h"
#include "scenes_heat.h"

/* ---- equations of state: moving colliders and births; slices ---- */

static void golden_tait_2d(tp_world_def *def)
{
    golden_moving_2d(def);
    def->sph.formulation = TP_SPH_WEAKLY_COMPRESSIBLE;
    def->sph.sound_speed = 12;
    def->sph.timestep_max = 0.004f;
}

static void golden_tait_2d_compact(tp_world_def *def)
{
    golden_tait_2d(def);
    def->sph.stores_neighbours = false;
}

static void golden_tait_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->sph.formulation = TP_SPH_WEAKLY_COMPRESSIBLE;
    def->sph.sound_speed = 8;
}

static void golden_gas_2d(tp_world_def *def)
{
    golden_tait_2d(def);
    def->sph.formulation = TP_SPH_IDEAL_GAS;
    def->sph.allows_tension = true;
}

static void golden_gas_3d(tp_world_def *def)
{
    golden_fluid_3d(def);
    def->sph.formulation = TP_SPH_IDEAL_GAS;
    def->sph.sound_speed = 8;
    def->sph.allows_tension = true;
}

static void golden_gas_3d_sliced(tp_world_def *def)
{
    golden_gas_3d(def);
    golden_slice(def);
}

/* ---- terrain: a heightfield, a mesh, a distance grid, an emitter on triangles ---- */

static void golden_terrain_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->particles_max = 240;
    def->geometry_bytes_max = 6144;
    def->seed = 16;
}

static const tp_vector golden_pyramid[5] = {{-0.6f, 0.0f, -0.6f},
                                            {0.6f, 0.0f, -0.6f},
                                            {0.6f, 0.0f, 0.6f},
                                            {-0.6f, 0.0f, 0.6f},
                                            {0.0f, 0.8f, 0.0f}};
static const uint32_t golden_pyramid_indices[18] = {0, 1, 2, 0, 2, 3, 1, 0, 4,
                                                    2, 1, 4, 3, 2, 4, 0, 3, 4};

static void golden_add_ground(golden_stage *stage)
{
    float heights[36];
    for (uint32_t i = 0; i < 36; i++) heights[i] = 0.1f * (float)((i * 7u) % 5u) - 0.3f;
    tp_collider_def ground = tp_collider_default(TP_COLLIDER_HEIGHTFIELD);
    ground.pose.position = golden_vector(-2.5f, 0.0f, -2.5f);
    ground.samples = heights;
    ground.columns = ground.rows = 6;
    ground.spacing = 1.0f;
    ground.friction = 0.2f;
    golden_add_collider(stage, &ground);
}

/* The distance to a cube of half side 0.3 in the maximum norm: a bound that needs no square
   root. */
static void golden_add_cube(golden_stage *stage)
{
    float samples[125];
    for (uint32_t i = 0; i < 125; i++) {
        float x = (float)(i % 5u) * 0.25f - 0.5f, y = (float)(i / 5u % 5u) * 0.25f - 0.5f,
              z = (float)(i / 25u) * 0.25f - 0.5f;
        float side = x < 0.0f ? -x : x;
        if (y > side || -y > side) side = y < 0.0f ? -y : y;
        if (z > side || -z > side) side = z < 0.0f ? -z : z;
        samples[i] = side - 0.3f;
    }
    tp_collider_def cube = tp_collider_default(TP_COLLIDER_GRID);
    cube.pose.position = golden_vector(-1.6f, 0.4f, -0.5f);
    cube.samples = samples;
    cube.columns = cube.rows = cube.layers = 5;
    cube.spacing = 0.25f;
    cube.restitution = 0.6f;
    golden_add_collider(stage, &cube);
}

static void golden_fill_terrain_3d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_ground(stage);
    golden_add_cube(stage);
    tp_collider_def hill = tp_collider_default(TP_COLLIDER_MESH);
    hill.pose.position = golden_vector(0.8f, 0.2f, 0.4f);
    hill.vertices = golden_pyramid;
    hill.vertex_count = 5;
    hill.indices = golden_pyramid_indices;
    hill.triangle_count = 6;
    hill.restitution = 0.3f;
    golden_add_collider(stage, &hill);
    tp_emitter_def cloud = tp_emitter_default();
    cloud.shape = TP_EMITTER_MESH;
    cloud.pose.position = golden_vector(0.0f, 2.0f, 0.0f);
    cloud.vertices = golden_pyramid;
    cloud.vertex_count = 5;
    cloud.indices = golden_pyramid_indices;
    cloud.triangle_count = 6;
    cloud.burst_count = 100;
    cloud.rate_numerator = 120;
    cloud.velocity = golden_vector(-0.5f, -3.0f, 0.0f);
    cloud.velocity_jitter = 2.0f;
    golden_add_emitter(stage, &cloud);
}

static void golden_move_terrain_3d(golden_stage *stage, uint64_t frame)
{
    float lift = 0.02f * (float)(frame % 20u);
    tp_pose pose = {golden_vector(0.8f, 0.2f + lift, 0.4f - lift), golden_turn(frame / 6u)};
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[2], pose));
}

/* ---- recycle: more births than the capacity of particles ---- */

static void golden_recycle_2d(tp_world_def *def)
{
    golden_fluid_2d(def);
    def->particles_max = 96;
    def->pool_policy = TP_POOL_RECYCLE;
    def->seed = 17;
}

static void golden_fill_recycle_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 0.8f, 0.9f, 1.0f);
    for (uint32_t k = 0; k < 2; k++) {
        tp_emitter_def spout = tp_emitter_default();
        spout.shape = TP_EMITTER_BOX;
        spout.pose.position = golden_vector(k ? 0.4f : -0.4f, 0.6f, 0.0f);
        spout.size = golden_vector(0.15f, 0.1f, 0.0f);
        spout.species = k;
        spout.rate_numerator = 300u + 77u * k;
        spout.velocity = golden_vector(0.0f, -1.0f, 0.0f);
        golden_add_emitter(stage, &spout);
    }
}

#include "scenes_room.h"   /* levels of rooms in 3D */
#include "scenes_chain.h"  /* levels of edges in 2D */
#include "scenes_cache.h"  /* rewind, groups, resume */
#include "scenes_live.h"   /* changes */
#include "scenes_spring.h" /* viscoelastic fluids */
#include "scenes_event.h"  /* events */
#include "scenes_ask.h"    /* loads, queries, rays */
#include "scenes_feed.h"   /* emitters that events feed */
#include "scenes_cloth.h"  /* sheets and ropes */
#include "scenes_vortex.h" /* vortex rings */
#include "scenes_pair.h"   /* pair forces, tables, links */
#include "scenes_jelly.h"  /* links in a fluid */
#include "scenes_pin.h"    /* a pinned sheet in a fluid */
#include "scenes_film.h"   /* a clip and a timeline */
#include "scenes_light.h"  /* light at particles, and their shadow */
#include "scenes_patch.h"  /* light that patches reflect */

/* ---- hard spheres: a gas of two species, and a room too dense for its iterations ---- */

static void golden_hard_3d(tp_world_def *def)
{
    golden_pair_3d(def);
    def->pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def->frames_per_second_numerator = 125;
    def->pair.temperature = def->pair.friction = 0.0f;
    def->pair.mix[0].sigma = 0.96875f;
}

static void golden_hard_3d_compact(tp_world_def *def)
{
    golden_hard_3d(def);
    def->pair.stores_neighbours = false;
}

static void golden_hard_2d(tp_world_def *def)
{
    golden_pair_2d(def);
    def->pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def->pair.restitution = 0.75f;
    def->pair.contact_iterations = 2;
    def->pair.neighbours_max = 8; /* sometimes exceeded */
    def->species[1].mass = 3.0f;
    def->species[1].sigma = 0.75f;
}

/* ---- all of them ---- */

#include "table.h"

#endif
