/* SPDX-License-Identifier: MIT
   tests/golden/scenes_chain.h - golden scenes: a 2D level of edges. A closed cave, a wheel that
           turns, a segment of two sides.
   reads   scenes.h, which includes this file      writes  nothing
   memory  as scenes.h      cost    as scenes.h
   after   own design */
#ifndef TIDEPOOL_SCENES_CHAIN_H
#define TIDEPOOL_SCENES_CHAIN_H

static void golden_chain_2d(tp_world_def *def)
{
    golden_moving_2d(def);
    def->particles_max = 160;
    def->geometry_bytes_max = 2048;
    def->seed = 23;
}

static void golden_chain_2d_sliced(tp_world_def *def)
{
    golden_chain_2d(def);
    golden_slice(def);
}

/* Leaves room for a cache. */
static void golden_chain_small_2d(tp_world_def *def)
{
    golden_chain_2d(def);
    def->sph.stores_neighbours = false;
}

/* A loop of `count` points, or a chain. */
static void golden_add_points(golden_stage *stage, tp_collider_def *def, const tp_vector *points,
                              uint32_t count, bool is_loop)
{
    uint32_t ends[40];
    for (uint32_t k = 0; k < count; k++) {
        ends[2u * k] = k;
        ends[2u * k + 1u] = (k + 1u) % count;
    }
    def->vertices = points;
    def->vertex_count = count;
    def->indices = ends;
    def->triangle_count = is_loop ? count : count - 1u;
    golden_add_collider(stage, def);
}

/* Clockwise: outside is solid. Outer corners, inner corners, a flat floor in pieces. */
static const tp_vector golden_cave[16] = {
    {-1.3f, 1.2f, 0.0f},   {1.3f, 1.2f, 0.0f},   {1.3f, -0.5f, 0.0f},  {0.9f, -0.9f, 0.0f},
    {0.6f, -1.1f, 0.0f},   {0.4f, -1.1f, 0.0f},  {0.2f, -1.1f, 0.0f},  {0.0f, -1.1f, 0.0f},
    {-0.2f, -0.8f, 0.0f},  {-0.4f, -0.8f, 0.0f}, {-0.5f, -1.2f, 0.0f}, {-0.7f, -1.2f, 0.0f},
    {-0.9f, -0.75f, 0.0f}, {-1.1f, -0.7f, 0.0f}, {-1.2f, 0.1f, 0.0f},  {-1.3f, 0.2f, 0.0f}};
static const tp_vector golden_wheel[6] = {{0.3f, 0.0f, 0.0f},   {0.08f, 0.08f, 0.0f},
                                          {0.0f, 0.3f, 0.0f},   {-0.3f, 0.0f, 0.0f},
                                          {-0.1f, -0.1f, 0.0f}, {0.0f, -0.3f, 0.0f}};
static const tp_vector golden_shelf[3] = {
    {0.2f, 0.1f, 0.0f}, {0.7f, 0.1f, 0.0f}, {0.9f, 0.25f, 0.0f}};

static void golden_fill_chain_2d(golden_stage *stage)
{
    tp_collider_def cave = tp_collider_default(TP_COLLIDER_MESH), wheel = cave, shelf = cave;
    golden_add_gravity(stage, -9.81f);
    golden_add_points(stage, &cave, golden_cave, 16, true);
    wheel.friction = 0.4f;
    wheel.restitution = 0.3f;
    wheel.pose.position = golden_vector(-0.3f, -0.3f, 0.0f);
    golden_add_points(stage, &wheel, golden_wheel, 6, true);
    shelf.is_two_sided = true;
    shelf.thickness = 0.03f;
    golden_add_points(stage, &shelf, golden_shelf, 3, false);
    golden_add_block(stage, golden_vector(-0.6f, 0.6f, 0.0f), golden_vector(0.5f, 0.4f, 0.0f), 72,
                     0);
    golden_add_block(stage, golden_vector(0.6f, 0.7f, 0.0f), golden_vector(0.4f, 0.4f, 0.0f), 64,
                     1);
}

static void golden_move_chain_2d(golden_stage *stage, uint64_t frame)
{
    tp_pose pose = {golden_vector(-0.3f, -0.3f, 0.0f), golden_turn(frame / 4u)};
    golden_note(stage, tp_collider_move(stage->world, stage->colliders[1], pose));
}

#endif
