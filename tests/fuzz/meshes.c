/* SPDX-License-Identifier: MIT
   tests/fuzz/meshes.c - fuzz target for meshes: refused, or used by an emitter and a collider in a
           world.
   reads   any bytes      writes  build/fuzz/input.obj, build/fuzz/input.ply
   memory  a block of exactly the size that the query returns, so that a sanitizer reports an
           overrun of one byte
   cost    O(bytes), and a frame of 64 particles
   after   own design */
#include "tidepool.h"
#include "fuzz.h"
#include "common/scene.h"
#include <stdlib.h>
#include <string.h>

#define MESH_BLOCK_MAX (4u << 20)

typedef struct mesh {
    tp_vector *vertices;
    uint32_t *indices;
    uint32_t vertex_count, triangle_count;
} mesh;

static tp_world *world_of(const mesh *from)
{
    tp_world_def def = tp_world_default(3);
    tp_world *world = NULL;
    size_t bytes = 0;
    def.particles_max = 64;
    def.geometry_bytes_max = 4096u + 64u * from->vertex_count + 128u * from->triangle_count;
    if (tp_world_memory(&def, &bytes) != TP_OK) abort();
    if (bytes > MESH_BLOCK_MAX) return NULL;
    void *block = aligned_alloc(16, (bytes + 15u) & ~(size_t)15u);
    if (!block || tp_world_create(&def, block, bytes, &world) != TP_OK) abort();
    return world;
}

/* The check and the add call must agree: otherwise the game gets a refusal without a reason. */
static void agree(const char *problem, tp_result result)
{
    if (result == TP_ERROR_FULL) return;
    if ((problem == NULL) != (result == TP_OK)) abort();
}

static void add_surfaces(tp_world *world, const mesh *from)
{
    tp_emitter_def emitter = tp_emitter_default();
    tp_collider_def collider = tp_collider_default(TP_COLLIDER_MESH);
    tp_emitter births;
    tp_collider wall;
    emitter.shape = TP_EMITTER_MESH;
    emitter.burst_count = 48;
    emitter.vertices = collider.vertices = from->vertices;
    emitter.indices = collider.indices = from->indices;
    emitter.vertex_count = collider.vertex_count = from->vertex_count;
    emitter.triangle_count = collider.triangle_count = from->triangle_count;
    agree(tp_emitter_check(world, &emitter), tp_emitter_add(world, &emitter, &births));
    agree(tp_collider_check(world, &collider), tp_collider_add(world, &collider, &wall));
}

static void run(const mesh *from)
{
    tp_world *world = world_of(from);
    tp_vector fast = {0.0f, -40.0f, 3.0f};
    if (!world) return;
    add_surfaces(world, from);
    for (uint32_t i = 0; i < 16u; i++) {
        const tp_vector *near_by = &from->vertices[i % from->vertex_count];
        tp_vector at = {near_by->x * 0.9f, near_by->y + 0.3f, near_by->z};
        tp_result result = tp_particle_add(world, at, fast, 0, NULL);
        if (result != TP_OK && result != TP_ERROR_DEFINITION && result != TP_ERROR_FULL) abort();
    }
    for (uint32_t frame = 0; frame < 2u; frame++)
        if (tp_frame(world, NULL, NULL) != TP_OK) abort();
    free(world);
}

/* A mesh that was read has corners that are vertices. */
static void take(mesh found)
{
    for (uint32_t i = 0; i < 3u * found.triangle_count; i++)
        if (found.indices[i] >= found.vertex_count) abort();
    run(&found);
    free(found.vertices);
    free(found.indices);
}

void fuzz_obj(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    static const char path[] = "build/fuzz/input.obj";
    mesh found;
    fuzz_leave(&input, path, bytes, size);
    if (!scene_read_obj(path, &found.vertices, &found.vertex_count, &found.indices,
                        &found.triangle_count))
        take(found);
}

void fuzz_mesh(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    static const char path[] = "build/fuzz/input.ply";
    mesh found;
    fuzz_leave(&input, path, bytes, size);
    if (!scene_read_ply(path, &found.vertices, &found.vertex_count, &found.indices,
                        &found.triangle_count))
        take(found);
}
