/* SPDX-License-Identifier: MIT
   tests/features/moved.c - snapshots inside of steps that threads share, for builds of two kinds.
   reads   a file of snapshots, or nothing
   writes  `give FILE`: the file, and for each snapshot the hash of its complete frame; `take FILE`:
           the same lines, from the snapshots
   memory  two static blocks                       cost    a second
   after   own design: tests/features/run gives with a build that has jobs and takes with one that
           has none */
#if defined(FEATURES_LINKED) /* the runtime is linked: its private headers */
#include "step/step.h"
#else
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include <stdio.h>
#include <string.h>

#define MOVED_PARTICLES 3000u
#define MOVED_FRAMES    2u
#if !defined(MOVED_EVERY)
#define MOVED_EVERY 1u /* one in so many samples */
#endif

static _Alignas(16) unsigned char moved_block[4u << 20], moved_copy[4u << 20];

static void moved_backwards(void *context, void (*work)(void *argument, uint32_t index),
                            void *argument, uint32_t count)
{
    (void)context;
    for (uint32_t index = count; index-- > 0;) work(argument, index);
}

/* A fluid with lists, one without, and atoms; many particles lie at one point, so that lists exceed
   their limit and the search for the nearest runs, too. */
static tp_world *moved_world(uint32_t kind)
{
    tp_world_def def = tp_world_default(2);
    tp_world *world = NULL;
    uint32_t state = 9;
    def.solver = kind == 2 ? TP_SOLVER_PAIR : TP_SOLVER_SPH;
    if (kind == 2) def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = MOVED_PARTICLES;
    def.emitters_max = def.sinks_max = def.fields_max = 0;
    def.colliders_max = 1;
    def.substeps.count = 3;
    def.slice_units = 1024;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.stores_neighbours = kind == 0;
    def.sph.neighbours_max = 24;
    if (tp_world_create(&def, moved_block, sizeof moved_block, &world) != TP_OK) return NULL;
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider tank;
    box.is_hollow = true;
    box.half = (tp_vector){40.0f, 40.0f, 1.0f};
    if (tp_collider_add(world, &box, &tank) != TP_OK) return NULL;
    for (uint32_t i = 0; i < MOVED_PARTICLES; i++) {
        float spacing = kind == 2 ? 1.1f : 0.06f, shake = 0.01f * spacing;
        state = state * 1664525u + 1013904223u;
        tp_vector at = {spacing * (float)(i % 60u) + shake * (float)(state >> 28), 0, 0};
        at.y = spacing * (float)(i / 60u) - 1.0f;
        if (kind < 2 && i % 40u == 0) at = (tp_vector){shake * (float)(state >> 28), 0.5f, 0};
        if (tp_particle_add(world, at, (tp_vector){0, -1.0f, 0}, 0, NULL) != TP_OK) return NULL;
    }
    return world;
}

/* True if parts of a stage wait for other threads: a build without jobs does not look for them. */
static bool moved_is_divided(const tp_world *world)
{
    const tpi_step *step = &world->step;
    if (!step->active) return false;
    if (step->stage != TP_STAGE_PAIRS && step->stage != TP_STAGE_FORCE &&
        step->stage != TP_STAGE_NEAREST)
        return step->cursor.i < step->cursor.end;
    for (uint32_t s = 0; s < TPI_STRETCHES_MAX; s++)
        if (step->stretches[s].end) return true;
    return false;
}

/* Every 64th of the stages that take long, every fourth of the others, at length. */
static bool moved_is_sample(const tp_world *world, uint32_t call)
{
    tp_stage stage = (tp_stage)world->step.stage;
    bool is_short = stage == TP_STAGE_GRID || stage == TP_STAGE_COLLIDE;
    return call % ((is_short ? 4u : 64u) * MOVED_EVERY) == 0;
}

static void moved_say(uint32_t kind, const char *stage, tp_world *world)
{
    tp_budget budget = {.is_same_frame = true, .frames_max = 1};
    while (tp_frame(world, &budget, NULL) == TP_MORE && world->step.active) {}
    printf("%u %s %016llx\n", kind, stage, (unsigned long long)tp_world_hash(world));
}

/* Each snapshot: kind, bytes, block. Its hash is that of a frame that no thread shared. */
static bool moved_give(uint32_t kind, FILE *file)
{
    tp_world *world = moved_world(kind);
    tp_jobs jobs = {moved_backwards, NULL, 4};
    if (!world) return false;
    for (uint32_t frame = 0; frame < MOVED_FRAMES; frame++) {
        memcpy(moved_copy, moved_block, sizeof moved_copy);
        tp_world *alone = tp_world_at(moved_copy, sizeof moved_copy);
        if (!alone || tp_frame(alone, NULL, NULL) != TP_OK) return false;
        tp_result result = TP_MORE;
        for (uint32_t call = 0; result == TP_MORE; call++) {
            tp_budget budget = {.units = UINT32_MAX, .jobs = &jobs, .is_same_frame = call > 0};
            budget.units = (call + 1u) * 30000u; /* those of the frame so far count */
            result = tp_frame(world, &budget, NULL);
            if (!moved_is_divided(world) || !moved_is_sample(world, call)) continue;
            uint32_t head[2] = {kind, (uint32_t)world->bytes};
            if (fwrite(head, sizeof head, 1, file) != 1) return false;
            if (fwrite(world, world->bytes, 1, file) != 1) return false;
            moved_say(kind, tp_stage_name((tp_stage)world->step.stage), alone);
        }
        if (result != TP_OK || tp_world_hash(world) != tp_world_hash(alone)) return false;
    }
    return true;
}

static bool moved_take(FILE *file)
{
    uint32_t head[2];
    while (fread(head, sizeof head, 1, file) == 1) {
        if (head[1] > sizeof moved_block || fread(moved_block, head[1], 1, file) != 1) return false;
        tp_world *world = tp_world_at(moved_block, head[1]);
        if (!world || !moved_is_divided(world)) return false;
        moved_say(head[0], tp_stage_name((tp_stage)world->step.stage), world);
    }
    return true;
}

int main(int count, char **arguments)
{
    if (count != 3) return 2;
    bool gives = strcmp(arguments[1], "give") == 0;
    FILE *file = fopen(arguments[2], gives ? "wb" : "rb");
    bool good = file != NULL;
    for (uint32_t kind = 0; kind < 3 && good && gives; kind++) good = moved_give(kind, file);
    if (good && !gives) good = moved_take(file);
    if (file && fclose(file) != 0) good = false;
    return good ? 0 : 1;
}
