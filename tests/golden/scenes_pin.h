/* SPDX-License-Identifier: MIT
   tests/golden/scenes_pin.h - the golden scene of a pinned sheet in a fluid.
   reads   nothing      writes  a world
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h, after scenes_pair.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_PIN_H
#define TIDEPOOL_GOLDEN_SCENES_PIN_H

/* ---- a sheet held at its corners catches water ---- */

static void golden_pin_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->particles_max = 96;
    def->links_max = 192;
    def->seed = 24;
    def->solver = TP_SOLVER_SPH;
    def->species_count = 2;
    def->sph.neighbours_max = 48;
    tp_sph_incompressible(def, 1.0f);
}

static void golden_pin_3d_sliced(tp_world_def *def)
{
    golden_pin_3d(def);
    golden_slice(def);
    def->sph.stores_neighbours = false;
}

static void golden_pin_corner(golden_stage *stage, uint32_t id, tp_vector place)
{
    tp_link_def pin = tp_link_default();
    tp_link handle;
    pin.first = id;
    pin.second = TP_ID_NONE;
    pin.stiffness = 4000.0f;
    pin.point = place;
    golden_note(stage, tp_link_add(stage->world, &pin, &handle));
}

/* 7 x 7 particles of the sheet, 0.6875 apart, and 3 x 4 x 3 of water above them. */
static void golden_fill_pin_3d(golden_stage *stage)
{
    tp_link_def links = tp_link_default();
    golden_add_gravity(stage, -9.81f);
    for (uint32_t i = 0; i < 49u; i++) {
        const uint32_t u = i % 7u, v = i / 7u;
        tp_vector at =
            golden_vector(0.6875f * (float)u - 2.0625f, 0.0f, 0.6875f * (float)v - 2.0625f);
        golden_note(stage,
                    tp_particle_add(stage->world, at, golden_vector(0.0f, 0.0f, 0.0f), 1, NULL));
        if (u % 6u == 0u && v % 6u == 0u) golden_pin_corner(stage, i, at);
    }
    links.second = 48;
    links.rest_length = 1.0f;
    links.stiffness = 2000.0f;
    links.damping = 4.0f;
    golden_note(stage, tp_links_add(stage->world, &links, NULL, 0, NULL));
    for (uint32_t i = 0; i < 36u; i++) {
        tp_vector at = golden_vector((float)(i % 3u) - 1.0f, 1.5f + (float)(i / 9u),
                                     (float)(i / 3u % 3u) - 1.0f);
        golden_note(stage,
                    tp_particle_add(stage->world, at, golden_vector(0.0f, -2.0f, 0.0f), 0, NULL));
    }
}

#endif
