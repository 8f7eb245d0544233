/* SPDX-License-Identifier: MIT
   tests/golden/scenes_room.h - golden scenes of rooms: particles look up their sectors, or go
           through the tree of the mesh, to the same bits.
   reads   nothing      writes  a world
   memory  as scenes.h                         cost    40 frames of 100 particles
   after   own design */
#ifndef TIDEPOOL_GOLDEN_SCENES_ROOM_H
#define TIDEPOOL_GOLDEN_SCENES_ROOM_H

#define GOLDEN_ROOM_SECTORS 16u
#define GOLDEN_ROOM_WORDS   (1u + 2u * 4u + 2u * GOLDEN_ROOM_SECTORS * 9u)

static void golden_rooms_3d(tp_world_def *def)
{
    *def = tp_world_default(3);
    def->particles_max = 120;
    def->geometry_bytes_max = 8192;
    def->seed = 61;
}

static void golden_rooms_3d_sliced(tp_world_def *def)
{
    golden_rooms_3d(def);
    golden_slice(def);
}

/* Two rooms beside one another, of 2 x 2 open sectors of 1 m with a rim; portals in both rims. */
static void golden_room_words(int16_t words[GOLDEN_ROOM_WORDS])
{
    static const int16_t places[9] = {2, -1, -1, 4, 4, 1, -1, 4, 4};
    for (uint32_t k = 0; k < 9; k++) words[k] = places[k];
    for (uint32_t k = 0; k < 2u * GOLDEN_ROOM_SECTORS; k++) {
        int16_t *sector = words + 9u + 9u * k;
        uint32_t place = k / GOLDEN_ROOM_SECTORS, column = k % GOLDEN_ROOM_SECTORS / 4u;
        bool is_inner = k % 4u == 1 || k % 4u == 2;
        for (uint32_t w = 0; w < 9; w++) sector[w] = 0;
        sector[0] = -2;
        sector[1] = sector[2] = -1;
        if (!is_inner) continue;
        if (column == (place ? 0u : 3u)) sector[0] = place ? 0 : 1;
        if (column == 1 || column == 2) sector[0] = -1;
        sector[6] = 6; /* the ceiling is 1.5 m up */
    }
}

/* The inner side of a box, and a pyramid in it. */
static void golden_add_rooms(golden_stage *stage, bool has_table)
{
    static const uint8_t faces[6][4] = {{0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4},
                                        {1, 5, 7, 3}, {0, 1, 3, 2}, {4, 6, 7, 5}};
    tp_vector vertices[13];
    uint32_t indices[54], count = 0;
    int16_t words[GOLDEN_ROOM_WORDS];
    for (uint32_t k = 0; k < 8; k++)
        vertices[k] =
            golden_vector(k & 1u ? 4.0f : 0.0f, k & 2u ? 1.5f : 0.0f, k & 4u ? 2.0f : 0.0f);
    for (uint32_t k = 0; k < 5; k++)
        vertices[8u + k] = golden_vector(golden_pyramid[k].x + 1.75f, golden_pyramid[k].y,
                                         golden_pyramid[k].z + 1.0f);
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t k = 1; k < 3; k++) {
            indices[count++] = faces[face][0];
            indices[count++] = faces[face][k];
            indices[count++] = faces[face][k + 1u];
        }
    for (uint32_t k = 0; k < 18; k++) indices[count++] = golden_pyramid_indices[k] + 8u;
    tp_collider_def level = tp_collider_default(TP_COLLIDER_MESH);
    level.vertices = vertices;
    level.vertex_count = 13;
    level.indices = indices;
    level.triangle_count = 18;
    level.restitution = 0.5f;
    level.friction = 0.1f;
    golden_room_words(words);
    if (has_table) {
        level.rooms = words;
        level.room_words = GOLDEN_ROOM_WORDS;
    }
    golden_add_collider(stage, &level);
}

static void golden_fill_room_particles(golden_stage *stage)
{
    tp_emitter_def source = tp_emitter_default();
    source.shape = TP_EMITTER_BOX;
    source.pose.position = golden_vector(0.75f, 1.0f, 1.0f);
    source.size = golden_vector(0.25f, 0.25f, 0.5f);
    source.burst_count = 60;
    source.rate_numerator = 90;
    source.velocity = golden_vector(3.0f, 0.0f, 0.0f);
    source.velocity_jitter = 2.0f;
    golden_add_gravity(stage, -9.81f);
    golden_add_emitter(stage, &source);
}

static void golden_fill_rooms_3d(golden_stage *stage)
{
    golden_fill_room_particles(stage);
    golden_add_rooms(stage, true);
}

static void golden_fill_rooms_tree_3d(golden_stage *stage)
{
    golden_fill_room_particles(stage);
    golden_add_rooms(stage, false);
}

#endif
