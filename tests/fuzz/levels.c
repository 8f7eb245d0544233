/* SPDX-License-Identifier: MIT
   tests/fuzz/levels.c - fuzz target for levels: SVG drawings and rows of tiles, refused, or used by
           a collider in a world.
   reads   any bytes: a drawing if the first is '<', else tiles      writes  nothing
   memory  a block of exactly the size that the query returns
   cost    O(bytes), and two frames of 16 particles
   after   own design */
#include "tidepool.h"
#include "fuzz.h"
#include "common/level.h"
#include <stdlib.h>
#include <string.h>

#define LEVEL_BLOCK_MAX (8u << 20)

static tp_world *world_of(const level *from)
{
    tp_world_def def = tp_world_default(2);
    tp_world *world = NULL;
    size_t bytes = 0;
    def.particles_max = 64;
    def.geometry_bytes_max =
        16u + 12u * (uint32_t)from->point_count + 44u * (uint32_t)from->edge_count;
    if (tp_world_memory(&def, &bytes) != TP_OK) abort();
    if (bytes > LEVEL_BLOCK_MAX) return NULL;
    void *block = aligned_alloc(16, (bytes + 15u) & ~(size_t)15u);
    if (!block || tp_world_create(&def, block, bytes, &world) != TP_OK) abort();
    return world;
}

static void add_edges(tp_world *world, const level *from)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_MESH);
    tp_collider added;
    def.vertices = from->points;
    def.vertex_count = (uint32_t)from->point_count;
    def.indices = from->ends;
    def.triangle_count = (uint32_t)from->edge_count;
    if (tp_collider_check(world, &def) || tp_collider_add(world, &def, &added) != TP_OK) abort();
}

static void run(const level *from)
{
    tp_world *world = world_of(from);
    tp_vector fast = {3.0f, -40.0f, 0.0f};
    if (!world) return;
    add_edges(world, from);
    for (uint32_t i = 0; i < 16u; i++) {
        const tp_vector *near_by = &from->points[i % from->point_count];
        tp_vector at = {near_by->x * 0.9f, near_by->y + 0.3f, 0.0f};
        if (tp_particle_add(world, at, fast, 0, NULL) != TP_OK) abort();
    }
    for (uint32_t frame = 0; frame < 2u; frame++)
        if (tp_frame(world, NULL, NULL) != TP_OK) abort();
    free(world);
}

void fuzz_level(const uint8_t *bytes, size_t size)
{
    const level_drawing drawing = {100, 0.01};
    level_fault fault = {0};
    level made = {0};
    char *text = malloc(size + 1);
    if (!text) return;
    memcpy(text, bytes, size);
    text[size] = 0;
    bool is_drawing = size && *text == '<';
    bool is_good = is_drawing ? level_read_svg(&made, text, size, &drawing, &fault)
                              : level_read_tiles(&made, text, 0.5, &fault);
    if (!is_good && (!fault.text[0] || fault.place > size + 1)) abort();
    for (size_t k = 0; k < 2 * made.edge_count; k++)
        if (made.ends[k] >= made.point_count) abort();
    if (is_good && made.edge_count) run(&made);
    level_free(&made);
    free(text);
}
