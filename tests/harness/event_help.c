/* SPDX-License-Identifier: MIT
   tests/harness/event_help.c - lists of events, and a tank in which every kind of event happens.
   reads   worlds      writes  lists
   memory  malloc      cost    that of the runtime's calls
   after   own design */
#include "event_help.h"
#include "test.h"
#include "collide_help.h"
#include "../physics/dfsph_worlds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

event_list event_list_make(void)
{
    event_list list = {calloc(EVENT_LIST_MOST, sizeof(tp_event)), 0, {0, 0}};
    return list;
}

/* Reads what is new. */
void event_list_read(event_list *list, const tp_world *world)
{
    uint32_t count = 0;
    CHECK(tp_world_events(world, &list->cursor, list->events + list->count,
                          EVENT_LIST_MOST - list->count, &count) == TP_OK);
    list->count += count;
}

uint32_t event_list_count(const event_list *list, tp_event_kind kind)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < list->count; k++) count += list->events[k].kind == kind;
    return count;
}

/* The n-th event of a kind; null if there are fewer. */
const tp_event *event_list_find(const event_list *list, tp_event_kind kind, uint32_t n)
{
    for (uint32_t k = 0; k < list->count; k++)
        if (list->events[k].kind == kind && n-- == 0) return &list->events[k];
    return NULL;
}

/* Simulates and reads after each frame. */
void event_list_frames(event_list *list, tp_world *world, uint32_t frames)
{
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(world, 1);
        event_list_read(list, world);
    }
}

tp_world_def event_def(uint32_t dimensions, uint32_t particles, uint32_t events_max, uint32_t kinds)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = particles;
    def.substeps.count = 4;
    def.events_max = events_max;
    def.event_kinds = kinds;
    return def;
}

void event_particle(tp_world *world, float x, float y, float vx, float vy)
{
    CHECK(tp_particle_add(world, (tp_vector){x, y, 0}, (tp_vector){vx, vy, 0}, 0, NULL) == TP_OK);
}

/* ---- a tank in which everything happens ---- */

tp_world_def event_tank_def(uint32_t kind, uint32_t dimensions, uint32_t events_max)
{
    tp_world_def def = event_def(dimensions, 400, events_max, TP_EVENTS_ALL);
    def.event_speed = 0.3f;
    def.species_count = 2;
    def.pool_policy = TP_POOL_RECYCLE;
    def.solver = kind == 0 ? TP_SOLVER_NONE : kind < 6 ? TP_SOLVER_SPH : TP_SOLVER_PAIR;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (kind == 1) tp_sph_incompressible(&def, FLUID_SPACING);
    if (kind == 2 || kind == 5) tp_sph_double_density(&def, FLUID_SPACING);
    if (kind == 3) tp_sph_ideal_gas(&def, FLUID_SPACING, 1);
    if (kind == 4) tp_sph_weakly_compressible(&def, FLUID_SPACING, 1);
    if (kind == 5) def.sph.springs_max = 6;
    if (kind == 5) def.sph.spring_plasticity = 100;
    def.links_max = kind == 0 || kind == 6 ? 0u : 64u;
    if (kind < 6) return def;
    def.integrator = TP_INTEGRATOR_KDK;
    if (kind == 6) def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    def.pair.timestep_max = 0.002f;
    def.substeps.count_max = 16;
    for (uint32_t s = 0; s < 2; s++) {
        def.species[s].sigma = 0.8f * FLUID_SPACING;
        def.species[s].radius = 0.4f * FLUID_SPACING;
        def.species[s].epsilon = 0.01f;
    }
    return def;
}

static void tank_emitter(tp_world *world, float z)
{
    tp_emitter_def spout = tp_emitter_default();
    tp_emitter emitter;
    spout.shape = TP_EMITTER_BOX;
    spout.pose.position = (tp_vector){0.5f, 0.8f, z};
    spout.size = (tp_vector){0.3f, 0.05f, 0};
    spout.rate_numerator = 300;
    spout.velocity = (tp_vector){0, -3, 0};
    spout.velocity_jitter = 1;
    spout.lifetime_ticks = 10 * TP_TICKS_PER_FRAME;
    spout.lifetime_jitter = 0.5f;
    CHECK(tp_emitter_add(world, &spout, &emitter) == TP_OK);
}

test_world event_tank_make(const tp_world_def *def)
{
    test_world made = test_world_make(def);
    const bool is_flat = def->dimensions == 2;
    const uint32_t size[3] = {is_flat ? 16u : 10u, is_flat ? 12u : 5u, is_flat ? 1u : 4u};
    float z = is_flat ? 0.0f : 0.1f;
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX),
                    ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_sink_def drain = tp_sink_default();
    tp_sink sink;
    box.is_hollow = true;
    box.half = (tp_vector){0.5f, 0.5f, 0.15f};
    box.pose.position = (tp_vector){0.5f, 0.5f, z};
    (void)collide_add(made.world, &box);
    ball.radius = 0.08f;
    ball.pose.position = (tp_vector){0.6f, 0.25f, z};
    ball.restitution = 0.5f;
    (void)collide_add(made.world, &ball);
    ball.pose.position = (tp_vector){0.95f, 0.05f, z};
    ball.radius = 0.06f;
    ball.kills = true;
    (void)collide_add(made.world, &ball);
    drain.shape = TP_SINK_SPHERE;
    drain.center = (tp_vector){0.05f, 0.05f, z};
    drain.radius = 0.08f;
    CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
    tank_emitter(made.world, z);
    test_world_gravity(made.world, 9.81f);
    fluid_block(made.world, size, (tp_vector){0.1f, 0.15f, 0}, 0.1f, 1.5f);
    for (uint32_t k = 0; k < def->links_max; k++) {
        tp_link_def link = tp_link_default();
        tp_link handle;
        link.first = 2 * k;
        link.second = 2 * k + 1;
        link.rest_length = FLUID_SPACING;
        link.stiffness = 10;
        link.break_length = 2 * FLUID_SPACING;
        CHECK(tp_link_add(made.world, &link, &handle) == TP_OK);
    }
    return made;
}

/* The ball moves; its handle is the second one. */
static void tank_stir(tp_world *world, uint64_t frame)
{
    const tpi_pool *pool = &world->colliders;
    tp_pose pose = tpi_collider_at(world, 1)->def.pose;
    tp_collider ball = {tpi_pool_handle(tpi_words(world, pool->slots), 1)};
    pose.position.x = 0.6f + 0.15f * sinf(0.3f * (float)frame);
    CHECK(tp_collider_move(world, ball, pose) == TP_OK);
}

void event_tank_run(event_list *list, tp_world *world, uint32_t frames, const tp_budget *budget)
{
    for (uint32_t frame = 0; frame < frames; frame++) {
        tp_budget next = *budget;
        tank_stir(world, world->clock.frame);
        while (tp_frame(world, &next, NULL) == TP_MORE) {
            next.is_same_frame = true;
            next.units += budget->units;
        }
        if (list) event_list_read(list, world);
    }
}

uint64_t event_list_hash(const event_list *list)
{
    uint64_t hash = list->count;
    for (uint32_t k = 0; k < list->count; k++) {
        uint32_t words[sizeof(tp_event) / 4];
        memcpy(words, &list->events[k], sizeof words);
        for (uint32_t w = 0; w < sizeof words / 4; w++) hash = tpi_mix(hash ^ words[w]);
    }
    return hash;
}
