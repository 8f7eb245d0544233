/* SPDX-License-Identifier: MIT
   tests/calls/moved.c - blocks in the middle of a step, moved to a build with other vectors.
   reads   a file of blocks      writes  a file of blocks
   memory  a block of a fluid of 400      cost    MOVED_SLICES frames of it
   after   own design: the other build refuses all blocks, or goes on to the same bits */
#include "calls.h"

enum { MOVED_SLICES = 120, MOVED_FRAMES = 6 };

static _Alignas(16) unsigned char block[CALLS_BLOCK_BYTES];

static tp_world *moved_world(size_t *bytes)
{
    tp_world_def def = tp_world_default(2);
    tp_world *world;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = CALLS_PARTICLES;
    def.slice_units = 64;
    if (tp_world_memory(&def, bytes) != TP_OK || *bytes > sizeof block ||
        tp_world_create(&def, block, *bytes, &world) != TP_OK)
        return NULL;
    for (uint32_t i = 0; i < CALLS_PARTICLES; i++)
        (void)!tp_particle_add(world,
                               (tp_vector){(float)(i % 20u) * 0.11f,
                                           (float)(i / 20u) * 0.1f + 0.01f * (float)(i % 3u), 0},
                               (tp_vector){0, 0, 0}, 0, NULL);
    return world;
}

/* Completes frame MOVED_FRAMES and returns the hash. */
static uint64_t moved_end(tp_world *world)
{
    tp_report report = tp_world_report(world);
    tp_budget budget = {0};
    while (report.frames < MOVED_FRAMES && tp_frame(world, &budget, &report) >= TP_OK) continue;
    return tp_world_hash(world);
}

/* A block after each of MOVED_SLICES slices of 64 units, then the hash at the end. */
static bool moved_write(FILE *file)
{
    size_t bytes;
    tp_report report;
    tp_budget budget = {.units = 64};
    tp_world *world = moved_world(&bytes);
    bool good = world != NULL;
    for (uint32_t k = 0; good && k < MOVED_SLICES; k++) {
        /* slices of prime numbers of steps meet every stage */
        for (uint32_t n = 0; n < 7; n++) good = good && tp_frame(world, &budget, &report) >= TP_OK;
        good = good && fwrite(block, 1, bytes, file) == bytes;
    }
    uint64_t hash = good ? moved_end(world) : 0;
    return good && fwrite(&hash, sizeof hash, 1, file) == 1;
}

static bool moved_read(FILE *file)
{
    size_t bytes;
    uint64_t hash, found[MOVED_SLICES];
    uint32_t refused = 0, wrong = 0;
    if (!moved_world(&bytes)) return false;
    for (uint32_t k = 0; k < MOVED_SLICES; k++) {
        if (fread(block, 1, bytes, file) != bytes) return false;
        tp_world *world = tp_world_at(block, bytes);
        refused += !world;
        found[k] = world ? moved_end(world) : 0;
    }
    if (fread(&hash, sizeof hash, 1, file) != 1) return false;
    for (uint32_t k = 0; k < MOVED_SLICES; k++) wrong += found[k] && found[k] != hash;
    printf("%d blocks: %u refused, %u with other bits\n", (int)MOVED_SLICES, refused, wrong);
    return (refused == 0 || refused == MOVED_SLICES) && wrong == 0;
}

bool calls_move_blocks(const char *path, bool writes)
{
    FILE *file = fopen(path, writes ? "wb" : "rb");
    bool good = file && (writes ? moved_write(file) : moved_read(file));
    return (file && fclose(file) == 0) && good;
}
