/* SPDX-License-Identifier: MIT
   tests/fuzz/world.c - fuzz target for definitions: an accepted world must stay in its block and
           budget.
   reads   records of six bytes: index of a word (2), value (4)
   writes  a world of at most FUZZ_BLOCK_MAX bytes
   memory  one block of exactly the size that the query returns, so that a sanitizer reports an
           overrun of one byte
   cost    FUZZ_FRAMES calls of FUZZ_UNITS
   after   own design */
#if !defined(FUZZ_LINKED)
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_BLOCK_MAX 1048576u
#define FUZZ_FRAMES    3u
#define FUZZ_UNITS     20000u

typedef struct fuzz_definitions {
    tp_world_def world;
    tp_emitter_def emitter;
    tp_sink_def sink;
    tp_field_def field;
    tp_collider_def collider;
    tp_link_def link;
    tp_body_def body;
    float scatter; /* m/s: initial speed of the particles */
} fuzz_definitions;

static void promise(bool kept, const char *text)
{
    if (kept) return;
    fprintf(stderr, "broken promise: %s\n", text);
    abort();
}

/* Makes the byte 0 or 1: other values are undefined behaviour in C, which the runtime cannot
   check. */
static void tame_bool(bool *value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    byte &= 1u;
    memcpy(value, &byte, 1);
}

static void tame(fuzz_definitions *all)
{
    bool *const bools[] = {&all->world.keeps_births,
                           &all->world.substeps.is_adaptive,
                           &all->world.substeps.compat,
                           &all->world.sph.compat,
                           &all->world.sph.stores_neighbours,
                           &all->sink.is_inverted,
                           &all->world.pair.stores_neighbours,
                           &all->field.is_rankine,
                           &all->collider.is_hollow,
                           &all->collider.kills,
                           &all->collider.is_two_sided,
                           &all->world.sph.springs_at_rest,
                           &all->world.measures_loads,
                           &all->world.takes_changes,
                           &all->world.keeps_words,
                           &all->world.keeps_last_frame,
                           &all->world.keeps_curves,
                           &all->collider.conducts};
    for (size_t i = 0; i < sizeof bools / sizeof bools[0]; i++) tame_bool(bools[i]);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) tame_bool(&all->world.species[s].is_tracer);
    all->emitter.vertices = NULL; /* pointers must be valid by contract; the counts stay hostile */
    all->emitter.indices = NULL;
    all->collider.vertices = NULL;
    all->collider.indices = NULL;
    all->collider.samples = NULL;
}

static fuzz_definitions decode(const uint8_t *bytes, size_t size)
{
    fuzz_definitions all;
    uint8_t kind = size ? bytes[0] : 0;
    memset(&all, 0, sizeof all);
    all.world = tp_world_default(kind & 1u ? 3 : 2);
    all.world.particles_max = 64;
    all.world.solver = kind & 2u ? TP_SOLVER_SPH : TP_SOLVER_NONE;
    all.world.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (kind & 64u) {
        all.world.solver = TP_SOLVER_PAIR;
        all.world.integrator = TP_INTEGRATOR_KDK;
        all.world.links_max = 16;
    }
    if (kind & 128u) {
        all.world.bodies_max = 4;
        all.world.events_max = 32;
        all.world.event_kinds = TP_EVENTS_ALL;
        all.world.takes_changes = true;
        if (all.world.solver == TP_SOLVER_SPH) all.world.links_max = 16;
    }
    all.link = tp_link_default();
    all.body = tp_body_default();
    all.emitter = tp_emitter_default();
    all.emitter.burst_count = 40;
    if (kind & 128u) {
        all.world.feeds_max = 16;
        all.world.events_max = 8;
        all.world.event_kinds = TP_EVENTS_ALL;
        all.emitter.burst_count = 0;
        all.emitter.feed_kinds = TP_EVENT_BIT(TP_EVENT_DEATH) | TP_EVENT_BIT(TP_EVENT_TRAIL) |
                                 TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN);
        all.emitter.lifetime_ticks = 2u * TP_TICKS_PER_FRAME;
    }
    all.sink = tp_sink_default();
    all.field = tp_field_default((tp_field_kind)(kind >> 2 & 3u));
    all.collider = tp_collider_default((tp_collider_shape)(kind >> 4 & 3u));
    for (size_t at = 1; at + 6 <= size; at += 6) {
        size_t place =
            (size_t)(bytes[at] | bytes[at + 1] << 8) * 4u % (sizeof all - sizeof(uint32_t));
        memcpy((char *)&all + place / 4u * 4u, bytes + at + 2, 4);
    }
    tame(&all);
    return all;
}

/* The check and the add call must agree: otherwise the game gets a refusal without a reason. */
static void promise_agreement(const char *problem, tp_result result, const char *text)
{
    promise((problem == NULL) == (result != TP_ERROR_DEFINITION && result != TP_ERROR_STAMP), text);
}

/* Colliders of hostile settings, a body of one, and the same settings again as changes. */
static void populate_bodies(tp_world *world, const fuzz_definitions *all)
{
    tp_pose pose = {{1.0f, 0.5f, 0.25f}, {0.8f, 0.0f, 0.0f, 0.6f}};
    tp_body_def def = all->body;
    tp_collider collider = {0};
    tp_body body = {0};
    const char *problem = tp_collider_check(world, &all->collider);
    tp_result result = tp_collider_add(world, &all->collider, &collider);
    if (!problem)
        promise(result == TP_OK || result == TP_ERROR_FULL,
                "tp_collider_check and tp_collider_add agree");
    if (result == TP_OK) {
        result = tp_collider_place(world, collider, pose);
        promise_agreement(tp_collider_set_check(world, collider, &all->collider),
                          tp_collider_set(world, collider, &all->collider),
                          "tp_collider_set_check and tp_collider_set agree");
    }
    if (tp_collider_add(world, &all->collider, &def.collider) == TP_OK) {
        promise_agreement(tp_body_check(world, &def), tp_body_add(world, &def, &body),
                          "tp_body_check and tp_body_add agree");
        result = tp_body_impulse(world, body, all->body.center, all->body.velocity);
    }
    (void)result;
}

static void populate(tp_world *world, const fuzz_definitions *all)
{
    tp_emitter emitter = {0};
    tp_sink sink = {0};
    tp_field field = {0};
    tp_pose pose = {{1.0f, 0.5f, 0.25f}, {0.8f, 0.0f, 0.0f, 0.6f}};
    promise_agreement(tp_emitter_check(world, &all->emitter),
                      tp_emitter_add(world, &all->emitter, &emitter),
                      "tp_emitter_check and tp_emitter_add agree");
    promise_agreement(tp_sink_check(world, &all->sink), tp_sink_add(world, &all->sink, &sink),
                      "tp_sink_check and tp_sink_add agree");
    promise_agreement(tp_field_check(world, &all->field), tp_field_add(world, &all->field, &field),
                      "tp_field_check and tp_field_add agree");
    tp_result result = TP_OK;
    populate_bodies(world, all);
    if (tp_emitter_move(world, emitter, pose) == TP_OK) result = TP_OK;
    for (uint32_t i = 0; i < 24; i++) {
        float step = (float)i * all->scatter;
        tp_vector position = {0.02f * (float)i, 0.01f * step, 0.3f},
                  velocity = {step, -step, all->scatter};
        if (tp_particle_add(world, position, velocity, i % 3u, NULL) == TP_OK) result = TP_OK;
    }
    for (uint32_t i = 0; i < 20; i++) {
        tp_link link = {0};
        tp_link_def def = all->link;
        if (i % 4u) def.first += i, def.second += i + 1u;
        promise_agreement(tp_link_check(world, &def), tp_link_add(world, &def, &link),
                          "tp_link_check and tp_link_add agree");
    }
    if (tp_links_add(world, &all->link, NULL, 0, NULL) == TP_OK) result = TP_OK;
    (void)result;
}

static void simulate(tp_world *world, uint32_t slice_units)
{
    tp_budget budget = {.units = FUZZ_UNITS};
    tp_report report;
    for (uint32_t frame = 0; frame < FUZZ_FRAMES; frame++) {
        tp_result result = tp_frame(world, &budget, &report);
        promise(result == TP_OK || result == TP_MORE, "tp_frame of a good world succeeds");
        promise(report.units <= (uint64_t)FUZZ_UNITS + slice_units,
                "a call exceeds its budget by at most one slice");
        promise(report.slice_units_longest <= slice_units,
                "a slice is at most the definition's bound");
    }
    tp_view view = tp_world_view(world);
    promise(view.count <= tp_world_definition(world)->particles_max,
            "no more particles than places");
    for (uint32_t i = 0; i < view.count; i++)
        promise(view.x[i] - view.x[i] == 0.0f && view.vy[i] - view.vy[i] == 0.0f,
                "what the game reads is finite");
}

void fuzz_world(const uint8_t *bytes, size_t size)
{
    fuzz_definitions all = decode(bytes, size);
    size_t needed = 0;
    tp_result result = tp_world_memory(&all.world, &needed);
    promise(result == TP_OK || needed == 0, "a refused definition needs no bytes");
    if (result != TP_OK || needed > FUZZ_BLOCK_MAX) return;
    void *block = aligned_alloc(16, (needed + 15u) / 16u * 16u);
    tp_world *world = NULL;
    if (!block) return;
    promise(tp_world_create(&all.world, block, needed - 1, &world) == TP_ERROR_MEMORY,
            "one byte short is refused");
    promise(tp_world_create(&all.world, block, needed, &world) == TP_OK,
            "the bytes of the size query are enough");
    populate(world, &all);
    simulate(world, all.world.slice_units);
    free(block);
}
