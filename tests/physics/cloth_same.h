/* SPDX-License-Identifier: MIT
   tests/physics/cloth_same.h - what every sheet must keep: bits in all ways to run it and after a
           rewind, and momenta.
   reads   worlds      writes  worlds
   memory  a cache of 1 MiB      cost    that of the frames
   after   own design */
#ifndef TIDEPOOL_TESTS_CLOTH_SAME_H
#define TIDEPOOL_TESTS_CLOTH_SAME_H
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ways to run a world ---- */

#define SAME_WAYS 6u

/* What way 0 gave. */
typedef struct same_told {
    uint64_t hash, units;
} same_told;

/* Units of a slice in a way: the definition's. */
static inline uint32_t same_slice(uint32_t way) { return way == 1 ? 64 : 65536; }

/* Simulates `frames` frames with short slices (way 1, see same_slice), vectors of at most 4 or 8
   numbers (2, 5), threads (3) or calls of few units (4). The hash is that of way 0, and but for
   such calls so are the units. */
static inline void same_run(tp_world *world, uint32_t way, const tp_jobs *jobs, uint64_t frames,
                            same_told *told)
{
    tp_budget budget = {.lanes_max = way == 2   ? 4
                                     : way == 5 ? 8
                                                : 0,
                        .jobs = way == 3 ? jobs : NULL,
                        .units = way == 4 ? 777 : 0};
    tp_report report;
    uint64_t units = 0;
    while (world->clock.frame < frames && CHECK(tp_frame(world, &budget, &report) >= TP_OK))
        units += report.units;
    test_note("way %u, %u dimensions", way, world->def.dimensions);
    CHECK_EQ(world->clock.tick, 0);
    if (way == 0) *told = (same_told){tp_world_hash(world), units};
    CHECK_EQ(tp_world_hash(world), told->hash);
    if (way != 4) CHECK_EQ(units, told->units);
}

/* ---- copies and rewinds ---- */

/* A copy of the block as it is goes on for some frames to the same bits, and so does a verified
   one. */
static inline void same_after_a_copy(const test_world *made, uint32_t frames)
{
    void *copy = aligned_alloc(64, (made->bytes + 63) / 64 * 64);
    tp_block_fault fault;
    CHECK(made->world->step.active);
    memcpy(copy, made->block, made->bytes);
    tp_world *other = tp_world_at(copy, made->bytes);
    for (uint32_t k = 0; k < 2 && other; k++) {
        test_world_frames(made->world, frames);
        test_world_frames(other, frames);
        CHECK_EQ(tp_world_hash(other), tp_world_hash(made->world));
        CHECK_EQ(tp_world_verify(copy, made->bytes, &fault, &other), TP_OK);
        test_note("%s", fault.expected ? fault.expected : "");
    }
    CHECK(other != NULL);
    free(copy);
}

/* Records the world, simulates three frames, goes back and simulates them again. */
static inline void same_after_a_rewind(tp_world *world)
{
    tp_source source = tp_world_source(world);
    tp_cache_def def = tp_cache_default(&source);
    tp_cache *cache = NULL;
    size_t bytes = 0;
    def.frames_max = 8;
    def.ring_bytes = 1 << 20;
    CHECK_EQ(tp_cache_memory(&def, &bytes), TP_OK);
    void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    CHECK_EQ(tp_cache_create(&def, block, bytes, &cache), TP_OK);
    CHECK(tp_cache_record(cache, &source, NULL) >= TP_OK);
    test_world_frames(world, 3);
    uint64_t hash = tp_world_hash(world);
    tp_result result = tp_cache_rewind(cache, &source, 0, false, NULL);
    test_note("%s", tp_result_text(result));
    CHECK_EQ(result, TP_OK);
    test_world_frames(world, 3);
    CHECK_EQ(tp_world_hash(world), hash);
    free(block);
}

/* ---- momenta ---- */

/* Sums over nodes of unit mass. */
typedef struct same_momenta {
    double linear[3], angular[3], scale; /* scale: sum of the components' amounts */
} same_momenta;

static inline same_momenta same_momenta_of(const tp_world *world)
{
    same_momenta sum = {0};
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        const double x[3] = {view.x[i], view.y[i], view.z[i]},
                     v[3] = {view.vx[i], view.vy[i], view.vz[i]};
        for (uint32_t a = 0; a < 3; a++) {
            uint32_t b = (a + 1) % 3, c = (a + 2) % 3;
            sum.linear[a] += v[a];
            sum.angular[a] += x[b] * v[c] - x[c] * v[b];
            sum.scale += fabs(v[a]);
        }
    }
    return sum;
}

/* Both stay for 60 frames, within shares of the scale. */
static inline void same_momenta_stay(tp_world *world, double linear, double angular)
{
    same_momenta before = same_momenta_of(world);
    test_world_frames(world, 60);
    same_momenta after = same_momenta_of(world);
    for (uint32_t a = 0; a < 3; a++) {
        test_note("axis %u, %g", a, before.scale);
        CHECK_NEAR(after.linear[a], before.linear[a], linear * before.scale);
        CHECK_NEAR(after.angular[a], before.angular[a], angular * before.scale);
    }
}

#endif
