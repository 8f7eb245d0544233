/* SPDX-License-Identifier: MIT
   tests/golden/scenes_jelly.h - the golden scene of links in a fluid.
   reads   nothing      writes  a world
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h, after scenes_pair.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_JELLY_H
#define TIDEPOOL_GOLDEN_SCENES_JELLY_H

/* ---- a block of jelly falls into water: links break, births, deaths ---- */

static void golden_jelly_2d(tp_world_def *def)
{
    *def = tp_world_default(2);
    def->particles_max = 128;
    def->links_max = 96;
    def->seed = 23;
    def->solver = TP_SOLVER_SPH;
    def->species_count = 2;
    def->species[1].mass = 0.75f;
    def->sph.neighbours_max = 32;
    tp_sph_incompressible(def, 1.0f);
}

static void golden_jelly_2d_sliced(tp_world_def *def)
{
    golden_jelly_2d(def);
    golden_slice(def);
    def->sph.stores_neighbours = false;
}

/* 13 x 5 particles of water, and 6 x 6 of jelly above them. */
static void golden_fill_jelly_2d(golden_stage *stage)
{
    golden_add_gravity(stage, -9.81f);
    golden_add_room(stage, 6.5f, 7.0f, 1.0f);
    golden_add_jelly(stage, -3.0f, -1.0f, 0, 1);
    for (uint32_t i = 0; i < 65u; i++) {
        tp_vector at = golden_vector((float)(i % 13u) - 6.0f, (float)(i / 13u) - 6.5f, 0.0f);
        golden_note(stage,
                    tp_particle_add(stage->world, at, golden_vector(0.0f, 0.0f, 0.0f), 0, NULL));
    }
    golden_add_rain(stage, 10, -4.0f, 0.6f);
}

#endif
