/* SPDX-License-Identifier: MIT
   ports/golden/main.c - runs the golden scenes and compares their state hashes with the table.
   reads   tests/golden/scenes.h, golden.h      writes  one line `scene hash` per scene, then `N
           scenes, M different`
   memory  one static block of GOLDEN_BLOCK_BYTES      cost  under a second on a desktop, some
           seconds emulated
   after   own design; freestanding: a port supplies only port_puts */
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "print.h"
#include "../../tests/golden/golden.h"
#include "../../tests/golden/scenes.h"

#ifndef GOLDEN_EVERY
#define GOLDEN_EVERY 1u /* more: only one scene in so many, for builds that take long */
#endif
#ifndef GOLDEN_FIRST
#define GOLDEN_FIRST 0u /* the first of them, less than GOLDEN_EVERY */
#endif
#ifndef GOLDEN_LANES
#define GOLDEN_LANES 0 /* the widest vectors that may be used; 0: any */
#endif

typedef struct golden_row {
    const char *name;
    uint64_t hash;
} golden_row;

#define GOLDEN_ROW(name, hash) {#name, hash},
static const golden_row golden_rows[] = {GOLDEN_TABLE(GOLDEN_ROW){"", 0}};
#undef GOLDEN_ROW

static _Alignas(16) unsigned char golden_block[GOLDEN_BLOCK_BYTES];

static bool golden_equal(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static uint64_t golden_expected(const char *name)
{
    for (uint32_t i = 0; i < sizeof golden_rows / sizeof golden_rows[0]; i++)
        if (golden_equal(golden_rows[i].name, name)) return golden_rows[i].hash;
    return 0;
}

static tp_result golden_create(golden_stage *stage, const golden_scene *scene)
{
    static tp_world_def def; /* not on the stack, of which consoles have little */
    size_t bytes = 0;
    scene->define(&def);
    tp_result result = tp_world_memory(&def, &bytes);
    if (result != TP_OK) {
        port_puts(tp_world_check(&def) ? tp_world_check(&def) : "");
        return result;
    }
    if (bytes + 16u > sizeof golden_block) return TP_ERROR_MEMORY;
    result = tp_world_create(&def, golden_block, bytes, &stage->world);
    bytes = (bytes + 15u) & ~(size_t)15u;
    stage->spare = golden_block + bytes;
    stage->spare_bytes = sizeof golden_block - bytes;
    if (result == TP_OK) scene->fill(stage);
    return result == TP_OK ? stage->result : result;
}

/* Simulates the scene's frames; under a small budget one frame takes several calls. */
static tp_result golden_simulate(golden_stage *stage, const golden_scene *scene)
{
    tp_budget budget = {.units = scene->units, .frames_max = 1, .lanes_max = GOLDEN_LANES};
    tp_report report = tp_world_report(stage->world);
    uint64_t moved = UINT64_MAX;
    for (uint32_t call = 0; call < 100000 && report.frames < scene->frames; call++) {
        if (scene->before_frame && moved != report.frames)
            scene->before_frame(stage, report.frames);
        moved = report.frames;
        golden_note(stage, tp_frame(stage->world, &budget, &report));
        if (scene->after_frame && report.frames_completed) scene->after_frame(stage, report.frames);
        report = tp_world_report(stage->world); /* after_frame may have moved to another frame */
    }
    return report.frames == scene->frames ? stage->result : TP_MORE;
}

/* The report must count the fluid's stored neighbours as pairs, for any vector width. */
static bool golden_counts_pairs(const tp_world *world)
{
    const tp_world_def *def = tp_world_definition(world);
    tp_report report = tp_world_report(world);
    if (def->solver != TP_SOLVER_SPH) return true;
    return report.pools[TP_POOL_PAIRS].used == (def->sph.stores_neighbours ? report.pairs : 0);
}

static uint64_t golden_hash(const golden_scene *scene)
{
    golden_stage stage = {0};
    tp_result result = golden_create(&stage, scene);
    if (result == TP_OK) result = golden_simulate(&stage, scene);
    uint64_t hash = result == TP_OK ? tp_world_hash(stage.world) : 0;
    if (result == TP_OK && !golden_counts_pairs(stage.world))
        port_puts("wrong count of stored pairs: "), hash = 0;
    if (result == TP_OK && scene->after_run) hash = scene->after_run(&stage, hash);
    if (result == TP_OK) result = stage.result;
    if (result == TP_OK) return hash;
    port_puts("refused: ");
    port_puts(tp_result_text(result));
    port_puts(": ");
    return 0;
}

/* True if the hash equals that of the table, and that of the scene `same_as`, if that ran. */
static bool golden_check(const golden_scene *scene, uint64_t hash, const uint64_t *hashes)
{
    bool good = hash != 0 && hash == golden_expected(scene->name);
    for (uint32_t i = 0; scene->same_as && i < GOLDEN_SCENES; i++) {
        if (!golden_equal(golden_scenes[i].name, scene->same_as)) continue;
        if (!hashes[i] || hashes[i] == hash) continue;
        port_puts(" not equal to ");
        port_puts(scene->same_as);
        good = false;
    }
    if (!good) port_puts(" DIFFERENT");
    return good;
}

int port_main(void)
{
    static uint64_t hashes[GOLDEN_SCENES];
    uint32_t count = 0, different = 0;
    for (uint32_t i = GOLDEN_FIRST; i < GOLDEN_SCENES; i += GOLDEN_EVERY, count++) {
        port_puts(golden_scenes[i].name);
        port_puts(" ");
        hashes[i] = golden_hash(&golden_scenes[i]);
        port_put_hash("", hashes[i]);
        if (!golden_check(&golden_scenes[i], hashes[i], hashes)) different++;
        port_puts("\n");
    }
    port_put_number("", count);
    port_put_number(" scenes, ", different);
    port_puts(" different\n");
    return different != 0;
}
