/* SPDX-License-Identifier: MIT
   tests/physics/cloth_splits.h - a sheet that is pulled apart, for tests of splits.
   reads   runtime/      writes  nothing
   memory  a world of 456 nodes      cost    see the tests
   after   own design */
#ifndef TIDEPOOL_CLOTH_SPLITS_H
#define TIDEPOOL_CLOTH_SPLITS_H
#include "test.h"
#include "world_help.h"
#include "solve/cloth/cloth.h"
#include <string.h>

#define SPLIT_SIDE      16u
#define SPLIT_NODES     (SPLIT_SIDE * SPLIT_SIDE)
#define SPLIT_TRIANGLES (2u * (SPLIT_SIDE - 1u) * (SPLIT_SIDE - 1u))
#define SPLIT_SPARE     200u

static inline tp_world_def split_def(uint32_t spare)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = SPLIT_NODES + SPLIT_SPARE;
    def.emitters_max = def.sinks_max = 0;
    def.cloth.sheets_max = 2;
    def.cloth.constraints_max = 6u * SPLIT_NODES + 2u * SPLIT_SPARE;
    def.cloth.triangles_max = SPLIT_TRIANGLES;
    def.cloth.tear = 0.3f;
    def.cloth.damping = 0.001f;
    def.cloth.splits_max = spare;
    def.slice_units = 65536;
    def.lag_frames_max = 64;
    def.species[0].radius = 0.01f;
    def.species[0].mass = 0.001f;
    return def;
}

/* The sheet as triangles. */
static inline void split_take_mesh(tp_cloth_def *sheet, tp_vector *at, uint32_t *corner)
{
    for (uint32_t i = 0; i < SPLIT_NODES; i++)
        at[i] =
            (tp_vector){0.0625f * (float)(i % SPLIT_SIDE), 0.0625f * (float)(i / SPLIT_SIDE), 0};
    for (uint32_t k = 0; k < SPLIT_TRIANGLES / 2u; k++, corner += 6) {
        uint32_t a = k / (SPLIT_SIDE - 1u) * SPLIT_SIDE + k % (SPLIT_SIDE - 1u);
        const uint32_t of[6] = {
            a, a + 1, a + SPLIT_SIDE, a + 1, a + SPLIT_SIDE + 1, a + SPLIT_SIDE};
        memcpy(corner, of, sizeof of);
    }
    sheet->vertices = at;
    sheet->vertex_count = SPLIT_NODES;
    sheet->triangle_count = SPLIT_TRIANGLES;
}

/* The first and the last column are pinned, and the last one leaves, at 0.2 m/s below and 1.7 m/s
   above. */
static inline test_world split_story(const tp_world_def *def, bool is_mesh)
{
    test_world made = test_world_make(def);
    tp_cloth_def sheet = tp_cloth_default();
    tp_vector at[SPLIT_NODES];
    uint32_t corner[3 * SPLIT_TRIANGLES];
    sheet.columns = sheet.rows = SPLIT_SIDE;
    sheet.across.y = 0.0625f;
    sheet.stretch = 0.001f;
    sheet.shear = 0.003f;
    sheet.bend = 0.1f;
    sheet.tether = 0;
    sheet.indices = corner;
    if (is_mesh) split_take_mesh(&sheet, at, corner);
    uint32_t id = 0;
    CHECK_EQ(is_mesh ? tp_cloth_mesh(made.world, &sheet, &id)
                     : tp_cloth_grid(made.world, &sheet, &id),
             TP_OK);
    for (uint32_t k = 0; k < SPLIT_SIDE; k++) {
        const uint32_t left = k * SPLIT_SIDE, right = left + SPLIT_SIDE - 1u;
        tp_vector speed = {0.2f + 0.1f * (float)k, 0, 0};
        CHECK_EQ(tp_cloth_pin(made.world, id + left, true), TP_OK);
        CHECK_EQ(tp_cloth_pin(made.world, id + right, true), TP_OK);
        CHECK_EQ(tp_particle_set(made.world, id + right,
                                 (tp_vector){0.0625f * (SPLIT_SIDE - 1u), 0.0625f * (float)k, 0},
                                 speed),
                 TP_OK);
    }
    return made;
}

static inline tp_cloth_report split_report(const tp_world *world)
{
    tp_cloth_report report;
    CHECK_EQ(tp_cloth_measure(world, &report), TP_OK);
    return report;
}

#endif
