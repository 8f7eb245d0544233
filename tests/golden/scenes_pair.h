/* SPDX-License-Identifier: MIT
   tests/golden/scenes_pair.h - the golden scenes of pair forces, tables and links; part of
           scenes.h.
   reads   nothing      writes  a world
   memory  as scenes.h  cost    a few hundred particles, tens of frames each
   after   own design */
#ifndef TIDEPOOL_GOLDEN_SCENES_PAIR_H
#define TIDEPOOL_GOLDEN_SCENES_PAIR_H

/* ---- pairs: a melt of two species in a periodic box, and a drop in a room under gravity ---- */

static void golden_pair_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->solver = TP_SOLVER_PAIR;
    def->integrator = TP_INTEGRATOR_KDK;
    def->particles_max = 108;
    def->emitters_max = def->sinks_max = def->fields_max = 1;
    def->colliders_max = 1;
    def->frames_per_second_numerator = 250;
    def->seed = 19;
    def->species_count = 2;
    def->species[1].mass = 2.0f;
    def->species[1].sigma = 0.875f;
    def->species[1].epsilon = 0.5f;
    def->pair.mix_count = 1;
    def->pair.mix[0].first = 0;
    def->pair.mix[0].second = 1;
    def->pair.mix[0].epsilon = 0.75f;
    def->pair.mix[0].sigma = 0.9375f;
    def->pair.temperature = 0.7f;
    def->pair.friction = 0.5f;
    def->pair.neighbours_max = 96;
    def->periodic_axes = TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z;
    def->box_low = golden_vector(-1.0f, 0.0f, 3.0f);
    def->box_size = golden_vector(5.25f, 5.25f, 5.25f);
}

static void golden_pair_3d_compact(tp_world_def *def)
{
    golden_pair_3d(def);
    def->pair.stores_neighbours = false;
}

/* A face-centred cubic crystal of 27 cells. */
static void golden_fill_pair_3d(golden_stage *stage)
{
    for (uint32_t i = 0; i < 108u; i++) {
        uint32_t cell = i / 4u, corner = i % 4u;
        uint32_t x = 2u * (cell % 3u) + (corner == 1u || corner == 2u);
        uint32_t y = 2u * (cell / 3u % 3u) + (corner == 1u || corner == 3u);
        uint32_t z = 2u * (cell / 9u) + (corner == 2u || corner == 3u);
        tp_vector at = golden_vector(0.875f * (float)x, 0.875f * (float)y, 0.875f * (float)z);
        tp_vector velocity =
            golden_vector((float)(i % 5u) - 2.0f, (float)(i % 7u) - 3.0f, (float)(i % 3u) - 1.0f);
        golden_note(stage, tp_particle_add(stage->world, at, velocity, i % 3u == 0u, NULL));
    }
}

static void golden_pair_2d(tp_world_def *def)
{
    *def = tp_world_default(2);
    def->solver = TP_SOLVER_PAIR;
    def->integrator = TP_INTEGRATOR_KDK;
    def->particles_max = 200;
    def->frames_per_second_numerator = 125;
    def->substeps.count = 2;
    def->seed = 20;
    def->species_count = 2;
    def->pair.potential = TP_POTENTIAL_LJ_FORCE_SHIFT;
    def->pair.neighbours_max = 24; /* sometimes exceeded */
}

static void golden_fill_pair_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -0.5f);
    golden_add_room(stage, 9.0f, 8.0f, 1.0f);
    golden_add_block(stage, golden_vector(-5.0f, -5.0f, 0.0f), golden_vector(5.0f, 2.0f, 0.0f), 60,
                     0);
    tp_emitter_def rain = tp_emitter_default();
    rain.pose.position = golden_vector(0.0f, 6.0f, 0.0f);
    rain.species = 1;
    rain.rate_numerator = 4;
    rain.velocity_jitter = 2.0f;
    golden_add_emitter(stage, &rain);
}

/* ---- grid levels: discs of three sizes in a room, and hard spheres of three sizes in a periodic
   box ---- */

static void golden_level_2d(tp_world_def *def)
{
    golden_pair_2d(def);
    def->seed = 23;
    def->species_count = 3;
    def->species[0].sigma = 0.5f;
    def->species[1].sigma = 1.25f;
    def->species[2].sigma = 5.0f;
    def->species[2].mass = 24.0f;
    def->species[2].radius = 2.0f;
}

static void golden_level_2d_sliced(tp_world_def *def)
{
    golden_level_2d(def);
    def->pair.stores_neighbours = false;
    golden_slice(def);
}

static void golden_fill_level_2d(golden_stage *stage)
{
    golden_fill_pair_2d(stage);
    for (uint32_t i = 0; i < 3u; i++)
        golden_note(stage,
                    tp_particle_add(stage->world, golden_vector(6.0f * (float)i - 6.0f, 5.0f, 0.0f),
                                    golden_vector(1.0f - (float)i, -1.0f, 0.0f), 2, NULL));
}

static void golden_level_3d(tp_world_def *def)
{
    golden_pair_3d(def);
    def->pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def->frames_per_second_numerator = 125;
    def->seed = 24;
    def->pair.temperature = def->pair.friction = 0.0f;
    def->pair.mix_count = 0;
    def->species_count = 3;
    def->species[0].sigma = 0.5f;
    def->species[1].sigma = 1.0f;
    def->species[2].sigma = 3.5f;
    def->species[2].mass = 40.0f;
    def->box_size = golden_vector(8.0f, 8.25f, 8.0f);
}

static void golden_level_3d_compact(tp_world_def *def)
{
    golden_level_3d(def);
    def->pair.stores_neighbours = false;
}

/* Two large spheres, one of them across a corner of the periodic box, and a lattice of small ones,
   some of which overlap the large ones. */
static void golden_fill_level_3d(golden_stage *stage)
{
    golden_note(stage, tp_particle_add(stage->world, golden_vector(3.0f, 4.0f, 7.0f),
                                       golden_vector(0.25f, 0.5f, -0.25f), 2, NULL));
    golden_note(stage, tp_particle_add(stage->world, golden_vector(-0.75f, 0.25f, 3.25f),
                                       golden_vector(-0.5f, 0.25f, 0.25f), 2, NULL));
    for (uint32_t i = 0; i < 100u; i++) {
        tp_vector at =
            golden_vector(1.5f * (float)(i % 5u) - 0.5f, 1.625f * (float)(i / 5u % 5u) + 0.5f,
                          2.0f * (float)(i / 25u) + 3.5f);
        tp_vector velocity =
            golden_vector((float)(i % 5u) - 2.0f, (float)(i % 7u) - 3.0f, (float)(i % 3u) - 1.0f);
        golden_note(stage, tp_particle_add(stage->world, at, velocity, i % 3u == 0u, NULL));
    }
}

/* ---- a drop whose potential is a table: soft cores with an attraction ---- */

static void golden_table_2d(tp_world_def *def)
{
    golden_pair_2d(def);
    def->pair.potential = TP_POTENTIAL_TABLE;
    def->pair.table_max = 33;
    def->pair.overlap = 0.25f;
    def->pair.cutoff = 2.0f;
    def->species[1].sigma = 1.25f;
}

/* 24 (1 - r^2/4)^4 - 16 (1 - r^2/4)^3: it needs no function of the C library. */
static void golden_fill_table_2d(golden_stage *stage)
{
    float energies[33];
    tp_pair_table table = tp_pair_table_default();
    table.count = 33;
    table.energies = energies;
    for (uint32_t k = 0; k < 33u; k++) {
        float r = tp_pair_table_distance(stage->world, 33, k), rest = 1.0f - 0.25f * r * r;
        energies[k] = (24.0f * rest - 16.0f) * rest * rest * rest;
    }
    golden_note(stage, tp_pair_table_set(stage->world, &table));
    golden_fill_pair_2d(stage);
}

/* ---- links: two elastic blocks that fall on a floor, and a chain across a periodic boundary
   ---- */

static void golden_link_2d(tp_world_def *def)
{
    golden_pair_2d(def);
    def->particles_max = 120;
    def->links_max = 240;
    def->seed = 21;
    def->pair.potential = TP_POTENTIAL_LENNARD_JONES;
    def->species[0].epsilon = 0.25f;
    def->species[1].epsilon = 0.5f;
    def->species[0].sigma = def->species[1].sigma = 0.75f;
    def->species[0].radius = def->species[1].radius = 0.25f;
    def->species[1].mass = 2.0f;
}

static void golden_link_2d_sliced(tp_world_def *def)
{
    golden_link_2d(def);
    golden_slice(def);
    def->pair.skin = 0.0f;
}

static void golden_add_link(golden_stage *stage, uint32_t first, uint32_t second, float length,
                            float breaks)
{
    tp_link link = {0};
    tp_link_def def = tp_link_default();
    def.first = first;
    def.second = second;
    def.rest_length = length;
    def.stiffness = 120.0f;
    def.damping = 0.5f;
    def.break_length = breaks;
    golden_note(stage, tp_link_add(stage->world, &def, &link));
}

/* 6 x 6 particles with 60 edges, every fifth of which can break, and 25 diagonals. */
static void golden_add_jelly(golden_stage *stage, float x, float y, uint32_t first,
                             uint32_t species)
{
    for (uint32_t i = 0; i < 36u; i++)
        golden_note(stage,
                    tp_particle_add(stage->world,
                                    golden_vector(x + (float)(i % 6u), y + (float)(i / 6u), 0.0f),
                                    golden_vector(0.5f, -6.0f, 0.0f), species, NULL));
    for (uint32_t i = 0; i < 36u; i++) {
        uint32_t id = first + i;
        if (i % 6u < 5u) golden_add_link(stage, id, id + 1u, 1.0f, i % 5u ? 0.0f : 1.25f);
        if (i < 30u) golden_add_link(stage, id, id + 6u, 1.0f, 0.0f);
        if (i % 6u < 5u && i < 30u) golden_add_link(stage, id, id + 7u, 1.4142135f, 0.0f);
    }
}

/* Drops from the right, and a drain at this height that ends links. */
static void golden_add_rain(golden_stage *stage, uint32_t rate, float low, float radius)
{
    tp_emitter_def rain = tp_emitter_default();
    tp_sink_def drain = tp_sink_default();
    rain.pose.position = golden_vector(5.0f, 6.0f, 0.0f);
    rain.rate_numerator = rate;
    rain.velocity_jitter = 2.0f;
    golden_add_emitter(stage, &rain);
    drain.shape = TP_SINK_SPHERE;
    drain.center = golden_vector(1.5f, low, 0.0f);
    drain.radius = radius;
    golden_add_sink(stage, &drain);
}

static void golden_fill_link_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 9.0f, 8.0f, 1.0f);
    golden_add_jelly(stage, -6.0f, -7.0f, 0, 0);
    golden_add_jelly(stage, -3.0f, 0.0f, 36, 1);
    golden_add_rain(stage, 20, -7.0f, 1.0f);
}

static void golden_link_3d(tp_world_def *def)
{
    golden_pair_3d(def);
    def->links_max = 64;
    def->species[0].epsilon = def->species[1].epsilon = def->pair.mix[0].epsilon = 0.0f;
    def->seed = 22;
}

/* A closed chain that winds around the periodic box, without pair forces. */
static void golden_fill_link_3d(golden_stage *stage)
{
    for (uint32_t i = 0; i < 64u; i++) {
        tp_vector at = golden_vector(0.328125f * (float)(i % 16u), 1.25f * (float)(i / 16u),
                                     3.0f + 0.25f * (float)(i % 3u));
        tp_vector velocity =
            golden_vector((float)(i % 5u) - 2.0f, (float)(i % 7u) - 3.0f, (float)(i % 3u) - 1.0f);
        golden_note(stage, tp_particle_add(stage->world, at, velocity, i % 3u == 0u, NULL));
    }
    for (uint32_t i = 0; i < 64u; i++) golden_add_link(stage, i, (i + 1u) % 64u, 0.3f, 0.0f);
}

#endif
