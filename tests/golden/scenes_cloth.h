/* SPDX-License-Identifier: MIT
   tests/golden/scenes_cloth.h - golden scenes of cloth: a sheet over a moving sphere, a rope, a
           mesh, sheets on sheets.
   reads   nothing      writes  a world
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_CLOTH_H
#define TIDEPOOL_GOLDEN_SCENES_CLOTH_H

static void golden_cloth_def(tp_world_def *def, uint32_t dimensions, uint32_t nodes)
{
    *def = tp_world_default(dimensions);
    def->solver = TP_SOLVER_CLOTH;
    def->particles_max = nodes;
    def->cloth.sheets_max = 2;
    def->cloth.constraints_max = 6 * nodes;
    def->species_count = 2;
    def->species[0].radius = 0.0078125f;
    def->species[1].mass = 0.25f;
    def->keeps_births = false;
}

/* A sheet with a pinned node. */
static void golden_add_sheet(golden_stage *stage, const tp_cloth_def *def, uint32_t pin)
{
    uint32_t id = 0;
    golden_note(stage, tp_cloth_grid(stage->world, def, &id));
    golden_note(stage, tp_cloth_pin(stage->world, id + pin, true));
}

/* Pins the first column of the first sheet. */
static void golden_add_sheet_pins(golden_stage *stage, uint32_t columns, uint32_t rows)
{
    uint32_t first = tp_world_view(stage->world).id[0];
    for (uint32_t row = 1; row < rows; row++)
        golden_note(stage, tp_cloth_pin(stage->world, first + row * columns, true));
}

static void golden_add_breeze(golden_stage *stage)
{
    tp_field_def wind = tp_field_default(TP_FIELD_WIND), drag = tp_field_default(TP_FIELD_DRAG);
    wind.vector = golden_vector(0.5f, 0.0f, 1.0f);
    wind.strength = 0.5f;
    drag.linear = 0.5f;
    golden_add_field(stage, &wind);
    golden_add_field(stage, &drag);
}

/* ---- a sheet of 16 x 16 nodes, pinned at a corner, and a strip; both meet a sphere ---- */

static void golden_cloth_3d(tp_world_def *def) { golden_cloth_def(def, 3, 300); }

static void golden_cloth_3d_sliced(tp_world_def *def)
{
    golden_cloth_3d(def);
    golden_slice(def);
}

static void golden_fill_cloth_3d(golden_stage *stage)
{
    tp_cloth_def sheet = tp_cloth_default();
    sheet.origin = golden_vector(-0.5f, 0.4375f, -0.5f);
    sheet.across = golden_vector(0.0f, 0.0f, 0.0625f);
    sheet.velocity = golden_vector(0.0f, -0.5f, 0.0f);
    golden_add_sheet(stage, &sheet, 0);
    sheet.columns = 20;
    sheet.rows = 2;
    sheet.species = 1;
    sheet.stretch = 0.001f;
    sheet.tether = 1.5f;
    sheet.origin.y = 0.75f;
    golden_add_sheet(stage, &sheet, 39);
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    sphere.radius = 0.25f;
    sphere.friction = 0.375f;
    sphere.restitution = 0.125f;
    golden_add_collider(stage, &sphere);
    golden_add_gravity(stage, -9.81f);
    golden_add_breeze(stage);
}

static void golden_move_cloth_3d(golden_stage *stage, uint64_t frame)
{
    tp_pose pose = {golden_vector(0.0f, 0.015625f * (float)(frame % 8u), 0.0f), golden_turn(0)};
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[0], pose));
}

/* ---- a mesh with a hub of 16 edges, more than there are colours, pinned at a corner ---- */

static void golden_cloth_mesh(tp_world_def *def) { golden_cloth_def(def, 3, 80); }

static void golden_cloth_mesh_sliced(tp_world_def *def)
{
    golden_cloth_mesh(def);
    golden_slice(def);
}

/* Vertex k of 16 around a square. */
static tp_vector golden_rim(uint32_t k, float size)
{
    float along = 0.5f * (float)(k % 4u) - 1.0f;
    if (k < 4u) return golden_vector(size * along, 0.0f, -size);
    if (k < 8u) return golden_vector(size, 0.0f, size * along);
    if (k < 12u) return golden_vector(-size * along, 0.0f, size);
    return golden_vector(-size, 0.0f, -size * along);
}

static void golden_put_triangle(uint32_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
}

/* The stretch of the mesh has this compliance. */
static void golden_fill_meshes(golden_stage *stage, float stretch)
{
    tp_vector vertices[33];
    uint32_t indices[3 * 48], id = 0;
    tp_cloth_def mesh = tp_cloth_default();
    vertices[0] = golden_vector(0.0f, 0.0f, 0.0f);
    for (uint32_t k = 0; k < 16u; k++) {
        uint32_t next = (k + 1u) % 16u;
        vertices[1u + k] = golden_rim(k, 0.125f);
        vertices[17u + k] = golden_rim(k, 0.25f);
        golden_put_triangle(indices + 9u * k, 0, 1u + k, 1u + next);
        golden_put_triangle(indices + 9u * k + 3u, 1u + k, 17u + k, 17u + next);
        golden_put_triangle(indices + 9u * k + 6u, 17u + next, 1u + next, 1u + k);
    }
    mesh.vertices = vertices;
    mesh.vertex_count = 33;
    mesh.indices = indices;
    mesh.triangle_count = 48;
    mesh.stretch = stretch;
    mesh.tether = stretch > 0.0f ? 0.0f : 1.0f;
    mesh.origin = golden_vector(0.0f, 0.375f, 0.0f);
    golden_note(stage, tp_cloth_mesh(stage->world, &mesh, &id));
    golden_note(stage, tp_cloth_pin(stage->world, id + 17u, true));
    mesh = tp_cloth_default();
    mesh.columns = 5;
    mesh.rows = 6;
    mesh.stretch = stretch;
    mesh.tether = stretch > 0.0f ? 0.0f : 1.0f;
    mesh.origin = golden_vector(-0.125f, 0.75f, 0.0f);
    golden_add_sheet(stage, &mesh, 0);
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    sphere.radius = 0.125f;
    sphere.friction = 0.375f;
    golden_add_collider(stage, &sphere);
    golden_add_gravity(stage, -9.81f);
}

static void golden_fill_cloth_mesh(golden_stage *stage) { golden_fill_meshes(stage, 0.0f); }

static void golden_fill_cloth_limit(golden_stage *stage) { golden_fill_meshes(stage, 0.25f); }

/* ---- a flag of 20 x 12 nodes in a wind with noise ---- */

static void golden_cloth_air(tp_world_def *def)
{
    golden_cloth_def(def, 3, 256);
    def->species[0].mass = 0.001f;
    def->cloth.triangles_max = 512;
    def->cloth.air = 1.25f;
}

static void golden_cloth_air_sliced(tp_world_def *def)
{
    golden_cloth_air(def);
    golden_slice(def);
}

static void golden_fill_flag(golden_stage *stage, uint32_t columns, uint32_t rows)
{
    tp_cloth_def flag = tp_cloth_default();
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    flag.columns = columns;
    flag.rows = rows;
    flag.along = golden_vector(0.0625f, 0.0f, 0.0078125f);
    golden_add_sheet(stage, &flag, 0);
    golden_add_sheet_pins(stage, columns, rows);
    wind.vector = golden_vector(6.0f, 0.5f, 0.25f);
    wind.strength = 1.0f;
    wind.core = 0.5f;
    golden_add_field(stage, &wind);
    golden_add_gravity(stage, -9.81f);
}

static void golden_fill_cloth_air(golden_stage *stage) { golden_fill_flag(stage, 20, 12); }

/* ---- a sheet that stands on its edge folds over a strip, and on itself ---- */

static void golden_cloth_self(tp_world_def *def)
{
    golden_cloth_def(def, 3, 144);
    def->species[0].radius = 0.015625f;
    def->cloth.thickness = 0.046875f;
}

static void golden_cloth_self_sliced(tp_world_def *def)
{
    golden_cloth_self(def);
    golden_slice(def);
}

/* Likewise, thin: points and triangles, and edges, keep apart. */
static void golden_cloth_graze(tp_world_def *def)
{
    golden_cloth_def(def, 3, 44);
    def->species[0].radius = 0.0078125f;
    def->cloth.thickness = 0.01953125f;
    def->cloth.edge_max = 0.09375f;
    def->cloth.triangles_max = 64;
}

static void golden_cloth_graze_sliced(tp_world_def *def)
{
    golden_cloth_graze(def);
    golden_slice(def);
}

/* A sheet of this size, and a strip beside it of 4 rows. */
static void golden_fill_fold(golden_stage *stage, uint32_t columns, uint32_t rows)
{
    tp_cloth_def sheet = tp_cloth_default();
    sheet.columns = columns;
    sheet.rows = rows;
    sheet.across = golden_vector(0.0f, 0.0625f, 0.00390625f);
    sheet.origin = golden_vector(0.0f, 0.0625f, 0.0f);
    sheet.velocity = golden_vector(0.0f, -2.0f, 0.0f);
    golden_note(stage, tp_cloth_grid(stage->world, &sheet, NULL));
    sheet.columns = columns - 1u;
    sheet.rows = 4;
    sheet.species = 1;
    sheet.across = golden_vector(0.0f, 0.0f, 0.0625f);
    sheet.origin = golden_vector(0.03125f, 0.25f, 0.125f);
    golden_add_sheet(stage, &sheet, 5);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.friction = 0.5f;
    golden_add_collider(stage, &floor);
    golden_add_gravity(stage, -9.81f);
}

static void golden_fill_cloth_self(golden_stage *stage) { golden_fill_fold(stage, 7, 17); }
static void golden_fill_cloth_graze(golden_stage *stage) { golden_fill_fold(stage, 4, 8); }

/* ---- a soft sheet that yields and tears in a gale ---- */

static void golden_cloth_tear(tp_world_def *def)
{
    golden_cloth_def(def, 3, 128);
    def->species[0].mass = 0.001f;
    def->cloth.triangles_max = 200;
    def->cloth.air = 1.25f;
    def->cloth.tear = 0.125f;
    def->cloth.yield = 0.0625f;
    def->cloth.yield_max = 0.125f;
    def->events_max = 64;
    def->event_kinds = TP_EVENT_BIT(TP_EVENT_LINK_BROKEN);
}

static void golden_cloth_tear_sliced(tp_world_def *def)
{
    golden_cloth_tear(def);
    golden_slice(def);
}

static void golden_fill_cloth_tear(golden_stage *stage)
{
    tp_cloth_def sheet = tp_cloth_default();
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    sheet.columns = sheet.rows = 11;
    sheet.stretch = 0.0625f;
    sheet.shear = 0.125f;
    sheet.tether = 0.0f;
    golden_add_sheet(stage, &sheet, 0);
    for (uint32_t column = 2; column < 11; column += 2)
        golden_note(stage, tp_cloth_pin(stage->world, column, true));
    wind.vector = golden_vector(1.0f, 0.0f, 30.0f);
    wind.strength = 2.0f;
    wind.core = 0.5f;
    golden_add_field(stage, &wind);
    golden_add_gravity(stage, -9.81f);
}

/* ---- that sheet, whose nodes become two where it tears ---- */

static void golden_cloth_split(tp_world_def *def)
{
    golden_cloth_tear(def);
    def->particles_max = 133;
    def->cloth.constraints_max = 650;
    def->cloth.splits_max = 12;
}

static void golden_cloth_split_sliced(tp_world_def *def)
{
    golden_cloth_split(def);
    golden_slice(def);
}

/* ---- that sheet, and one that breaks later and does not yield ---- */

static void golden_cloth_strength(tp_world_def *def)
{
    golden_cloth_tear(def);
    def->particles_max = 160;
    def->cloth.constraints_max = 960;
    def->cloth.triangles_max = 240;
}

static void golden_cloth_strength_sliced(tp_world_def *def)
{
    golden_cloth_strength(def);
    golden_slice(def);
}

static void golden_fill_cloth_strength(golden_stage *stage)
{
    tp_cloth_def sheet = tp_cloth_default();
    golden_fill_cloth_tear(stage);
    sheet.columns = 5;
    sheet.rows = 6;
    sheet.origin = golden_vector(2.0f, 0.0f, 0.0f);
    sheet.stretch = 0.25f;
    sheet.tether = 0.0f;
    sheet.tear = 0.5f;
    sheet.yield = 0.0f;
    golden_add_sheet(stage, &sheet, 0);
}

/* ---- a soft mesh and sheet whose stretch has a limit ---- */

static void golden_cloth_limit(tp_world_def *def)
{
    golden_cloth_def(def, 3, 80);
    def->cloth.limit = 0.125f;
    def->cloth.limit_passes = 2;
}

static void golden_cloth_limit_sliced(tp_world_def *def)
{
    golden_cloth_limit(def);
    golden_slice(def);
}

/* ---- the mesh and the sheet as explicit springs: the sheet is softened, the mesh is not ---- */

static void golden_fill_cloth_explicit(golden_stage *stage)
{
    golden_fill_meshes(stage, 0.0000152587890625f);
}

static void golden_cloth_explicit(tp_world_def *def)
{
    golden_cloth_def(def, 3, 80);
    def->cloth.integrator = TP_CLOTH_EXPLICIT;
    def->cloth.damping = 0.0009765625f;
    def->substeps.count_max = 24;
}

static void golden_cloth_explicit_sliced(tp_world_def *def)
{
    golden_cloth_explicit(def);
    golden_slice(def);
}

/* ---- a smaller flag of implicit springs, in two sub-steps a frame ---- */

static void golden_fill_cloth_implicit(golden_stage *stage) { golden_fill_flag(stage, 12, 8); }

static void golden_cloth_implicit(tp_world_def *def)
{
    golden_cloth_def(def, 3, 96);
    def->species[0].mass = 0.001f;
    def->cloth.triangles_max = 154;
    def->cloth.air = 1.25f;
    def->cloth.integrator = TP_CLOTH_IMPLICIT;
    def->cloth.iterations = 12;
    def->cloth.timestep_max = 0.0085f;
}

static void golden_cloth_implicit_sliced(tp_world_def *def)
{
    golden_cloth_implicit(def);
    golden_slice(def);
}

/* ---- a soft cube that falls on a corner, and a flat one ---- */

static void golden_cloth_block(tp_world_def *def)
{
    golden_cloth_def(def, 3, 100);
    def->cloth.constraints_max = 400;
    def->cloth.tetrahedra_max = 200;
}

static void golden_cloth_block_sliced(tp_world_def *def)
{
    golden_cloth_block(def);
    golden_slice(def);
}

static void golden_fill_cloth_block(golden_stage *stage)
{
    tp_cloth_def cube = tp_cloth_default();
    cube.columns = cube.rows = cube.layers = 4;
    cube.along = golden_vector(0.125f, 0.0625f, 0.0f);
    cube.across = golden_vector(-0.0625f, 0.125f, 0.0f);
    cube.deep = golden_vector(0.0f, 0.03125f, 0.125f);
    cube.origin = golden_vector(0.0f, 0.125f, 0.0f);
    cube.stretch = cube.shear = 0.0078125f;
    golden_note(stage, tp_cloth_block(stage->world, &cube, NULL));
    cube.layers = 2;
    cube.species = 1;
    cube.volume = 0.0009765625f;
    cube.origin.x = 2.0f;
    golden_note(stage, tp_cloth_block(stage->world, &cube, NULL));
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.friction = 0.5f;
    golden_add_collider(stage, &floor);
    golden_add_gravity(stage, -9.81f);
}

/* ---- two bodies fall on a sheet that is pinned at a corner and on one side ---- */

static void golden_cloth_body(tp_world_def *def)
{
    golden_cloth_def(def, 3, 256);
    def->species[0].mass = 0.0078125f;
    def->bodies_max = 2;
}

static void golden_cloth_body_sliced(tp_world_def *def)
{
    golden_cloth_body(def);
    golden_slice(def);
}

static void golden_fill_cloth_body(golden_stage *stage)
{
    tp_cloth_def sheet = tp_cloth_default();
    sheet.across = golden_vector(0.0f, 0.0f, 0.0625f);
    sheet.origin = golden_vector(-0.5f, 0.0f, -0.5f);
    sheet.stretch = 0.001953125f;
    sheet.shear = 0.0078125f;
    sheet.tether = 0.0f;
    golden_add_sheet(stage, &sheet, 15);
    golden_add_sheet_pins(stage, 16, 16);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE),
                    box = tp_collider_default(TP_COLLIDER_BOX);
    ball.radius = 0.1875f;
    ball.friction = box.friction = 0.5f;
    ball.pose.position = golden_vector(-0.25f, 0.25f, 0.0f);
    golden_add_body(stage, &ball, 0.5f);
    box.half = golden_vector(0.125f, 0.0625f, 0.1875f);
    box.pose.position = golden_vector(0.25f, 0.1875f, 0.125f);
    golden_add_body(stage, &box, 1.0f);
    golden_add_gravity(stage, -9.81f);
}

/* ---- a grid that folds, pinned at a corner, and a mesh with a crease ---- */

static void golden_cloth_fold(tp_world_def *def)
{
    golden_cloth_def(def, 3, 120);
    def->cloth.folds_max = 300;
}

static void golden_cloth_fold_sliced(tp_world_def *def)
{
    golden_cloth_fold(def);
    golden_slice(def);
}

static void golden_fill_cloth_fold(golden_stage *stage)
{
    tp_vector vertices[24];
    uint32_t indices[3 * 30], count = 0;
    tp_cloth_def sheet = tp_cloth_default();
    sheet.columns = 9;
    sheet.rows = 10;
    sheet.kinds = TP_CLOTH_STRETCH | TP_CLOTH_SHEAR | TP_CLOTH_FOLD;
    sheet.across = golden_vector(0.0f, 0.0f, 0.0625f);
    sheet.fold = 16.0f;
    golden_add_sheet(stage, &sheet, 3);
    for (uint32_t k = 0; k < 24u; k++)
        vertices[k] = golden_vector(0.0625f * (float)(k % 6u), k % 6u > 2u ? 0.03125f : 0.0f,
                                    0.0625f * (float)(k / 6u));
    for (uint32_t k = 0; k < 15u; k++) {
        uint32_t a = k / 5u * 6u + k % 5u;
        golden_put_triangle(indices + 3u * count++, a, a + 1u, a + 6u);
        golden_put_triangle(indices + 3u * count++, a + 1u, a + 7u, a + 6u);
    }
    sheet.vertices = vertices;
    sheet.vertex_count = 24;
    sheet.indices = indices;
    sheet.triangle_count = count;
    sheet.origin = golden_vector(0.0f, 0.5f, 0.0f);
    golden_note(stage, tp_cloth_mesh(stage->world, &sheet, NULL));
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    sphere.radius = 0.125f;
    sphere.pose.position = golden_vector(0.125f, 0.25f, 0.125f);
    golden_add_collider(stage, &sphere);
    golden_add_gravity(stage, -9.81f);
}

/* ---- a box hangs on two ropes, which are tied together and to a ball that moves; one tie breaks
   ---- */

static void golden_cloth_tie(tp_world_def *def)
{
    golden_cloth_def(def, 3, 64);
    def->species[0].mass = 0.015625f;
    def->cloth.sheets_max = 3;
    def->cloth.damping = 0.001953125f;
    def->cloth.ties_max = 5;
    def->bodies_max = 1;
}

static void golden_cloth_tie_sliced(tp_world_def *def)
{
    golden_cloth_tie(def);
    golden_slice(def);
}

static void golden_add_tie(golden_stage *stage, uint32_t node, uint32_t other, uint32_t collider,
                           float strength)
{
    tp_cloth_tie_def tie = tp_cloth_tie_default();
    uint32_t number = 0;
    tie.node = node;
    tie.other = other;
    tie.collider = stage->colliders[collider];
    tie.point = golden_vector(node % 20u ? 0.25f : -0.25f, 0.0625f, 0.0f);
    tie.compliance = 0.000030517578125f;
    tie.strength = strength;
    golden_note(stage, tp_cloth_tie(stage->world, &tie, &number));
}

static void golden_fill_cloth_tie(golden_stage *stage)
{
    tp_cloth_def rope = tp_cloth_default();
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX),
                    ball = tp_collider_default(TP_COLLIDER_SPHERE);
    ball.radius = 0.0625f;
    ball.pose.position = golden_vector(0.0f, 1.5f, 0.0f);
    golden_add_collider(stage, &ball);
    box.half = golden_vector(0.25f, 0.0625f, 0.125f);
    golden_add_body(stage, &box, 0.5f);
    rope.columns = 20;
    rope.rows = 1;
    rope.tether = 0.0f;
    for (uint32_t k = 0; k < 3u; k++) {
        rope.origin = golden_vector(k == 1u ? 0.25f : -0.25f, 0.125f, k == 2u ? 0.5f : 0.0f);
        rope.along = golden_vector(0.0f, 0.0625f, k == 2u ? 0.03125f : 0.0f);
        golden_note(stage, tp_cloth_grid(stage->world, &rope, NULL));
    }
    golden_add_tie(stage, 0, TP_ID_NONE, 1, 0.0f);
    golden_add_tie(stage, 21, TP_ID_NONE, 1, 4.0f);
    golden_add_tie(stage, 19, TP_ID_NONE, 0, 0.0f);
    golden_add_tie(stage, 39, 19, 0, 0.0f);
    golden_add_tie(stage, 59, 10, 0, 0.0f);
    golden_add_gravity(stage, -9.81f);
}

static void golden_move_cloth_tie(golden_stage *stage, uint64_t frame)
{
    tp_pose pose = {golden_vector(0.015625f * (float)(frame % 8u), 1.5f, 0.0f), golden_turn(0)};
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[0], pose));
}

/* ---- a rope that falls on a floor ---- */

static void golden_rope_2d(tp_world_def *def) { golden_cloth_def(def, 2, 48); }

static void golden_fill_rope_2d(golden_stage *stage)
{
    tp_cloth_def rope = tp_cloth_default();
    rope.columns = 40;
    rope.rows = 1;
    rope.along = golden_vector(0.03125f, 0.015625f, 0.0f);
    rope.origin = golden_vector(0.0f, 0.125f, 0.0f);
    golden_add_sheet(stage, &rope, 39);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.friction = 0.5f;
    golden_add_collider(stage, &floor);
    golden_add_gravity(stage, -9.81f);
}

#endif
