/* SPDX-License-Identifier: MIT
   tests/calls/moved.c - blocks in the middle of a step, for builds with other vectors or none.
   reads   a file of blocks      writes  a file of blocks
   memory  a block of a world of 400      cost    some hundred frames of it
   after   own design: the other build goes on to the same bits. With lists, in 2D and 3D */
#include "calls.h"

enum { MOVED_BLOCKS = 60, MOVED_FRAMES = 5, MOVED_WORLDS = 4 };

static _Alignas(16) unsigned char block[CALLS_BLOCK_BYTES];

/* Fluids that store their pairs in a step, and pair forces, which keep lists for many steps. */
static tp_world_def moved_def(uint32_t kind)
{
    tp_world_def def = tp_world_default(kind == 1 || kind == 2 ? 3u : 2u);
    def.solver = kind < 2 ? TP_SOLVER_SPH : TP_SOLVER_PAIR;
    if (kind == 0) def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (kind == 3) def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    if (kind >= 2) def.integrator = TP_INTEGRATOR_KDK;
    if (kind >= 2) def.species[0].sigma = 0.12f, def.species[0].epsilon = 0.1f;
    def.particles_max = CALLS_PARTICLES;
    def.slice_units = 64;
    return def;
}

static tp_world *moved_world(uint32_t kind, size_t *bytes)
{
    tp_world_def def = moved_def(kind);
    tp_world *world;
    if (tp_world_memory(&def, bytes) != TP_OK || *bytes > sizeof block ||
        tp_world_create(&def, block, *bytes, &world) != TP_OK)
        return NULL;
    for (uint32_t i = 0; i < CALLS_PARTICLES; i++) {
        uint32_t row = def.dimensions == 2 ? 20u : 7u, j = i / row;
        float x = (float)(i % row) * 0.125f, shift = 0.01f * (float)(i % 3u);
        tp_vector at = {x, (float)(def.dimensions == 2 ? j : j % row) * 0.125f + shift, 0};
        if (def.dimensions == 3) at.z = (float)(j / row) * 0.125f;
        (void)!tp_particle_add(world, at, (tp_vector){0.3f - x, 0, 0}, 0, NULL);
    }
    return world;
}

/* Completes frame MOVED_FRAMES and returns the hash. */
static uint64_t moved_end(tp_world *world)
{
    tp_report report = tp_world_report(world);
    tp_budget budget = {.frames_max = 1};
    while (report.frames < MOVED_FRAMES && tp_frame(world, &budget, &report) >= TP_OK) continue;
    return tp_world_hash(world);
}

/* MOVED_BLOCKS blocks between slices of 64 units, a prime number of slices apart so that every
   stage is met, then the hash at the end. */
static bool moved_write(FILE *file, uint32_t kind)
{
    size_t bytes;
    tp_report report;
    tp_budget budget = {.units = 64};
    tp_world *world = moved_world(kind, &bytes);
    bool good = world != NULL;
    for (uint32_t k = 0; good && k < MOVED_BLOCKS; k++) {
        for (uint32_t n = 0; n < 23; n++) good = good && tp_frame(world, &budget, &report) >= TP_OK;
        good = good && fwrite(block, 1, bytes, file) == bytes;
    }
    uint64_t hash = good ? moved_end(world) : 0;
    return good && report.frames < MOVED_FRAMES && fwrite(&hash, sizeof hash, 1, file) == 1;
}

static bool moved_read(FILE *file, uint32_t kind)
{
    size_t bytes;
    uint64_t hash, found[MOVED_BLOCKS];
    uint32_t refused = 0, wrong = 0;
    if (!moved_world(kind, &bytes)) return false;
    for (uint32_t k = 0; k < MOVED_BLOCKS; k++) {
        if (fread(block, 1, bytes, file) != bytes) return false;
        tp_world *world = tp_world_at(block, bytes);
        refused += !world;
        found[k] = world ? moved_end(world) : 0;
    }
    if (fread(&hash, sizeof hash, 1, file) != 1) return false;
    for (uint32_t k = 0; k < MOVED_BLOCKS; k++) wrong += found[k] != hash;
    printf("world %u, %d blocks: %u refused, %u with other bits\n", kind, (int)MOVED_BLOCKS,
           refused, wrong);
    return refused + wrong == 0;
}

bool calls_move_blocks(const char *path, bool writes)
{
    FILE *file = fopen(path, writes ? "wb" : "rb");
    bool good = file != NULL;
    for (uint32_t kind = 0; good && kind < MOVED_WORLDS; kind++)
        good = writes ? moved_write(file, kind) : moved_read(file, kind);
    return (file && fclose(file) == 0) && good;
}
