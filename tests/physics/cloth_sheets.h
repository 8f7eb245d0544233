/* SPDX-License-Identifier: MIT
   tests/physics/cloth_sheets.h - sheets that several tests of cloth add to their worlds.
   reads   definitions      writes  nodes of a world
   memory  none             cost    O(nodes)
   after   own design */
#ifndef TIDEPOOL_TESTS_CLOTH_SHEETS_H
#define TIDEPOOL_TESTS_CLOTH_SHEETS_H

#include "test.h"
#include "world_help.h"

/* Adds a grid or a mesh; returns the id of its first node. A refusal is noted. */
static inline uint32_t sheet_add(tp_world *world, const tp_cloth_def *def)
{
    uint32_t id = 0;
    const char *text = tp_cloth_check(world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(def->vertices ? tp_cloth_mesh(world, def, &id) : tp_cloth_grid(world, def, &id),
             TP_OK);
    return id;
}

/* A level grid, the first node at a corner. */
static inline tp_cloth_def sheet_level(uint32_t columns, uint32_t rows, float spacing,
                                       tp_vector origin)
{
    tp_cloth_def def = tp_cloth_default();
    def.columns = columns;
    def.rows = rows;
    def.along = (tp_vector){spacing, 0, 0};
    def.across = (tp_vector){0, 0, spacing};
    def.origin = origin;
    return def;
}

#endif
