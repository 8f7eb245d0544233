/* SPDX-License-Identifier: MIT
   tests/unit/test_events.c - events: each kind with its numbers, a fluid at rest, definitions and
           calls that are wrong.
   reads   runtime/world/event.c and the stages that find events      writes  nothing
   memory  worlds of up to 400 particles, lists of events      cost    some seconds
   after   own design */
#include "test.h"
#include "event_help.h"
#include "collide_help.h"
#include "../physics/dfsph_worlds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- contacts ---- */

/* A ball that bounces: each begun contact has the speed of the fall, and ends. */
static void a_bouncing_ball_begins_and_ends_its_contacts(void)
{
    tp_world_def def = event_def(3, 1, 64, EVENT_CONTACTS);
    def.event_speed = 0.7f;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    plane.restitution = 0.5f;
    tp_collider floor = collide_add(made.world, &plane);
    test_world_gravity(made.world, 10);
    event_particle(made.world, 1, 0.8f + 0.05f, 1, 0); /* 4 m/s at the floor */
    event_list_frames(&list, made.world, 120);
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_BEGUN), 3); /* 4, 2, 1 m/s */
    for (uint32_t n = 0; n < 3; n++) {
        const tp_event *begun = event_list_find(&list, TP_EVENT_CONTACT_BEGUN, n),
                       *ended = event_list_find(&list, TP_EVENT_CONTACT_ENDED, n);
        if (!CHECK(begun && ended)) break;
        CHECK(begun->handle == floor.id && begun->id == 0 && begun->cause == TP_DEATH_NONE);
        CHECK_NEAR(begun->speed, 4.0 / (1u << n), 0.1);
        CHECK_NEAR(begun->normal.y, 1, 1e-6);
        CHECK_NEAR(begun->point.y, 0, 1e-3);
        CHECK_NEAR(begun->velocity.x, 1, 1e-6);
        CHECK(begun->velocity.y == -begun->speed && begun->partner == TP_ID_NONE);
        CHECK(ended->number > begun->number && ended->handle == floor.id);
        CHECK(ended->speed == 0.0f && ended->normal.y == 0.0f);
        CHECK(ended->point.y > 0.05f && ended->velocity.y > 0);
    }
    free(list.events);
    test_world_free(&made);
}

/* Without a threshold each contact of a resting ball is one event, until it is lifted. */
static void a_contact_that_lasts_is_one_event(void)
{
    tp_world_def def = event_def(2, 1, 64, EVENT_CONTACTS);
    def.event_speed = 0;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    (void)collide_add(made.world, &plane);
    test_world_gravity(made.world, 10);
    event_particle(made.world, 1, 0.1f, 0.2f, 0);
    event_list_frames(&list, made.world, 60);
    CHECK_EQ(list.count, 1);
    CHECK(tp_particle_set(made.world, 0, (tp_vector){1, 2, 0}, (tp_vector){0, 0, 0}) == TP_OK);
    event_list_frames(&list, made.world, 2);
    CHECK_EQ(list.count, 2);
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_ENDED), 1);
    free(list.events);
    test_world_free(&made);
}

/* A floor, and two walls at x = -0.5 and 0.5. */
static void contacts_room(tp_world *world, tp_collider walls[3])
{
    tp_collider_def wall = tp_collider_default(TP_COLLIDER_PLANE);
    walls[0] = collide_add(world, &wall);
    wall.restitution = 1;
    wall.pose = (tp_pose){{-0.5f, 0, 0}, collide_about_z(-1.57079633f)};
    walls[1] = collide_add(world, &wall);
    wall.pose = (tp_pose){{0.5f, 0, 0}, collide_about_z(1.57079633f)};
    walls[2] = collide_add(world, &wall);
}

/* A ball that has fallen on a floor and slides there hits one wall after the other; then it is
   lifted. */
static void a_ball_on_the_floor_hits_walls(void)
{
    tp_world_def def = event_def(2, 1, 64, EVENT_CONTACTS);
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider walls[3];
    contacts_room(made.world, walls);
    test_world_gravity(made.world, 10);
    event_particle(made.world, -0.3f, 0.4f, 2, 0);
    event_list_frames(&list, made.world, 60); /* 2 m: from wall to wall and back */
    const uint32_t begun[3] = {0, 2, 1};
    for (uint32_t n = 0; n < 3; n++) {
        const tp_event *event = event_list_find(&list, TP_EVENT_CONTACT_BEGUN, n),
                       *end = event_list_find(&list, TP_EVENT_CONTACT_ENDED, n);
        if (!CHECK(event != NULL)) break;
        CHECK_EQ(event->handle, walls[begun[n]].id);
        if (n > 0) CHECK_NEAR(event->speed, 2, 1e-3);
        if (n < 2 && CHECK(end != NULL)) CHECK_EQ(end->handle, walls[n ? 1 : 2].id);
    }
    const uint32_t before = list.count;
    CHECK(tp_particle_set(made.world, 0, (tp_vector){0, 2, 0}, (tp_vector){0, 0, 0}) == TP_OK);
    event_list_frames(&list, made.world, 1);
    CHECK_EQ(list.count, before + 1);
    CHECK(list.events[before].kind == TP_EVENT_CONTACT_ENDED &&
          list.events[before].handle == walls[0].id);
    free(list.events);
    test_world_free(&made);
}

/* Balls that hit a floor fast and come to rest stay in their contacts, by vectors too; hashes have
   it, and a block with a contact that cannot be is refused. */
static void balls_at_rest_stay_in_their_contacts(void)
{
    tp_world_def def = event_def(2, 40, 256, EVENT_CONTACTS);
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    (void)collide_add(made.world, &plane);
    test_world_gravity(made.world, 10);
    for (uint32_t k = 0; k < 40; k++)
        event_particle(made.world, (float)k, k % 3u ? 0.3f : 0.051f, 0, k % 3u ? -1.0f : 0.0f);
    event_list_frames(&list, made.world, 60);
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_BEGUN), 26);
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_ENDED), 0);
    tp_block_fault fault = {0, NULL};
    tp_world *found = NULL;
    uint64_t hash = tp_world_hash(made.world);
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hash);
    uint32_t *contacts = tpi_contacts(made.world, made.world->front);
    for (uint32_t k = 0; k < 40; k++) CHECK_EQ(contacts[k], k % 3u ? 0x40000000u : 0u);
    contacts[5] = 0;
    CHECK(tp_world_hash(made.world) != hash);
    contacts[5] = tpi_contacts_with(0, 7);
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    CHECK(fault.expected && strstr(fault.expected, "contacts"));
    free(list.events);
    test_world_free(&made);
}

static void a_particle_has_three_contacts_at_most(void)
{
    static const uint32_t slots[3] = {5, 1023, 0};
    uint32_t contacts = 0;
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(!tpi_contacts_have(contacts, slots[k]));
        contacts = tpi_contacts_with(contacts, slots[k]);
        CHECK(tpi_contacts_have(contacts, slots[k]));
        CHECK_EQ(tpi_contacts_count(contacts), k + 1);
    }
    CHECK_EQ(tpi_contacts_with(contacts, 7), contacts);
    CHECK(tpi_contacts_have(contacts, 5) && !tpi_contacts_have(contacts, 7));
}

/* The contact with a collider that is removed ends in the next step, without a handle; one that
   takes its slot begins one of its own. */
static void the_contact_with_a_removed_collider_ends(void)
{
    tp_world_def def = event_def(2, 2, 64, EVENT_CONTACTS);
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider walls[3], next;
    contacts_room(made.world, walls);
    test_world_gravity(made.world, 10);
    event_particle(made.world, 0, 0.4f, 0, 0);
    event_particle(made.world, 0.2f, 9, 0, 0);
    event_list_frames(&list, made.world, 30);
    CHECK_EQ(list.count, 1);
    CHECK(tp_collider_remove(made.world, walls[0]) == TP_OK);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    plane.pose.position.y = -0.2f;
    next = collide_add(made.world, &plane);
    CHECK_EQ(next.id & 0xffffu, walls[0].id & 0xffffu);
    event_list_frames(&list, made.world, 30);
    CHECK_EQ(list.count, 3);
    if (list.count == 3) {
        CHECK(list.events[1].kind == TP_EVENT_CONTACT_ENDED && list.events[1].handle == 0);
        CHECK(list.events[2].kind == TP_EVENT_CONTACT_BEGUN && list.events[2].handle == next.id);
    }
    free(list.events);
    test_world_free(&made);
}

/* A wall that moves at 6 m/s meets a particle at rest. */
static void the_speed_of_a_contact_is_relative_to_the_surface(void)
{
    tp_world_def def = event_def(2, 1, 8, EVENT_CONTACTS);
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.half = (tp_vector){0.1f, 1, 1};
    box.restitution = 1;
    tp_collider wall = collide_add(made.world, &box);
    event_particle(made.world, 0.22f, 0.1f, 0, 0);
    collide_move(made.world, wall, (tp_pose){{0.1f, 0, 0}, {1, 0, 0, 0}});
    event_list_read(&list, made.world);
    const tp_event *begun = event_list_find(&list, TP_EVENT_CONTACT_BEGUN, 0);
    if (CHECK(begun != NULL)) {
        CHECK_NEAR(begun->speed, 6, 1e-3);
        CHECK_NEAR(begun->normal.x, 1, 1e-6);
        CHECK_NEAR(begun->point.x, 0.17, 1e-3);
        CHECK(begun->velocity.x == 0.0f && begun->handle == wall.id);
    }
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_BEGUN), 1);
    free(list.events);
    test_world_free(&made);
}

/* Particles of the filtered species make none; those of a birth do. */
static void births_and_chosen_species_have_contacts(void)
{
    tp_world_def def = event_def(2, 64, 256, EVENT_CONTACTS);
    def.species_count = 2;
    def.event_species = 2;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    tp_emitter_def spout = tp_emitter_default();
    tp_emitter emitter;
    (void)collide_add(made.world, &plane);
    spout.pose.position = (tp_vector){0, 0.051f, 0};
    spout.velocity = (tp_vector){0, -20, 0};
    spout.rate_numerator = 60;
    for (uint32_t species = 0; species < 2; species++) {
        spout.species = species;
        CHECK(tp_emitter_add(made.world, &spout, &emitter) == TP_OK);
    }
    event_list_frames(&list, made.world, 20);
    CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_BEGUN),
             19); /* the last one is born at the end */
    for (uint32_t k = 0; k < list.count; k++)
        CHECK(TP_META_SPECIES(list.events[k].meta) == 1 &&
              TP_META_EMITTER(list.events[k].meta) == 2);
    free(list.events);
    test_world_free(&made);
}

static tp_world_def rest_def(uint32_t kind, uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = event_def(dimensions, particles, 4096, EVENT_CONTACTS);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.slice_units = 65536;
    if (kind == 0) tp_sph_incompressible(&def, FLUID_SPACING);
    if (kind == 1) tp_sph_double_density(&def, FLUID_SPACING);
    if (kind == 2) tp_sph_ideal_gas(&def, FLUID_SPACING, 1);
    if (kind == 3) tp_sph_weakly_compressible(&def, FLUID_SPACING, 1);
    return def;
}

/* A pool that is dropped from 0.4 m makes events, and after its waves none. */
static void a_fluid_at_rest_makes_no_events(void)
{
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
            if (!test_runs(kind + 4 * dimensions, 3)) continue;
            const uint32_t size[3] = {dimensions == 2 ? 20u : 8u, dimensions == 2 ? 10u : 6u,
                                      dimensions == 2 ? 1u : 8u};
            tp_world_def def = rest_def(kind, dimensions, size[0] * size[1] * size[2]);
            test_world made = test_world_make(&def);
            event_list list = event_list_make();
            test_world_tank(made.world, (tp_vector){1.05f * (float)size[0] * FLUID_SPACING, 3,
                                                    1.05f * (float)size[2] * FLUID_SPACING});
            fluid_block(made.world, size, (tp_vector){0.02f, 0.4f, 0.02f}, 0.1f, 0);
            test_world_gravity(made.world, 9.81f);
            event_list_frames(&list, made.world, 300);
            uint32_t splash = list.count;
            event_list_frames(&list, made.world, 120);
            test_note("kind %u, %uD: %u events of the splash, %u at rest", kind, dimensions, splash,
                      list.count - splash);
            CHECK(splash >= size[0]);
            CHECK_EQ(list.count, splash);
            CHECK_EQ(list.cursor.missed, 0);
            free(list.events);
            test_world_free(&made);
        }
}

/* ---- births and deaths ---- */

static void births_tell_their_emitter_and_place(void)
{
    tp_world_def def = event_def(2, 8, 64, TP_EVENT_BIT(TP_EVENT_BIRTH));
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_emitter_def spout = tp_emitter_default();
    tp_emitter emitter;
    spout.pose.position = (tp_vector){3, 1, 0};
    spout.velocity = (tp_vector){1, 0, 0};
    spout.burst_count = 3;
    CHECK(tp_emitter_add(made.world, &spout, &emitter) == TP_OK);
    event_particle(made.world, 1, 2, 3, 4);
    event_list_read(&list, made.world);
    CHECK_EQ(list.count, 1);
    CHECK(list.events[0].id == 0 && list.events[0].handle == 0 && list.events[0].point.y == 2.0f &&
          list.events[0].velocity.y == 4.0f && list.events[0].tick == 0);
    event_list_frames(&list, made.world, 1);
    CHECK_EQ(list.count, 4);
    for (uint32_t k = 1; k < 4; k++) {
        const tp_event *birth = &list.events[k];
        CHECK(birth->kind == TP_EVENT_BIRTH && birth->id == k && birth->number == k);
        CHECK(birth->handle == emitter.id && TP_META_EMITTER(birth->meta) == 1);
        CHECK(birth->frame == 0 && birth->tick == TP_TICKS_PER_FRAME / 4);
        CHECK_NEAR(birth->point.x, 3 + 1.0 / 240, 1e-5);
        CHECK(birth->velocity.x == 1.0f);
    }
    CHECK_EQ(tp_world_report(made.world).events, 4);
    free(list.events);
    test_world_free(&made);
}

/* The only death of a list. */
static const tp_event *the_death(const event_list *list, tp_death cause, uint32_t handle)
{
    const tp_event *death = event_list_find(list, TP_EVENT_DEATH, 0);
    CHECK_EQ(event_list_count(list, TP_EVENT_DEATH), 1);
    if (CHECK(death != NULL)) CHECK(death->cause == cause && death->handle == handle);
    return death;
}

static void deaths_by_sinks_and_lifetimes_name_them(void)
{
    for (uint32_t solver = 0; solver < 2; solver++) {
        tp_world_def def = event_def(2, 8, 64, EVENT_DEATHS);
        def.solver = solver ? TP_SOLVER_SPH : TP_SOLVER_NONE;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        test_world made = test_world_make(&def);
        event_list list = event_list_make();
        tp_sink_def drain = tp_sink_default();
        tp_sink unused, sink;
        drain.offset = -100;
        CHECK(tp_sink_add(made.world, &drain, &unused) == TP_OK);
        drain.offset = 1;
        CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
        event_particle(made.world, 0, 5, 0, 0);
        event_particle(made.world, 3, 0.5f, 1, 0);
        event_list_frames(&list, made.world, 2);
        const tp_event *death = the_death(&list, TP_DEATH_SINK, sink.id);
        if (death) CHECK(death->id == 1 && death->point.y == 0.5f && death->velocity.x == 1.0f);
        tp_emitter_def spout = tp_emitter_default();
        tp_emitter emitter;
        spout.pose.position.y = 9;
        spout.burst_count = 1;
        spout.lifetime_ticks = TP_TICKS_PER_FRAME;
        CHECK(tp_emitter_add(made.world, &spout, &emitter) == TP_OK);
        list.count = 0;
        event_list_frames(&list, made.world, 3);
        death = the_death(&list, TP_DEATH_LIFETIME, emitter.id);
        if (death) CHECK(death->id == 2);
        list.count = 0;
        CHECK(tp_particles_clear(made.world) == TP_OK);
        event_list_read(&list, made.world);
        death = the_death(&list, TP_DEATH_CLEARED, 0);
        if (death) CHECK(death->id == TP_ID_NONE);
        CHECK(tp_particles_clear(made.world) == TP_OK);
        event_list_read(&list, made.world);
        CHECK_EQ(list.count, 1);
        free(list.events);
        test_world_free(&made);
    }
}

static void deaths_by_colliders_and_lost_particles_are_told(void)
{
    for (uint32_t solver = 0; solver < 3; solver++) {
        tp_world_def def =
            event_def(2, 8, 64, EVENT_DEATHS | EVENT_CONTACTS | TP_EVENT_BIT(TP_EVENT_BIRTH));
        def.solver = (tp_solver)solver;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        def.integrator = solver == 2 ? TP_INTEGRATOR_KDK : TP_INTEGRATOR_EULER;
        test_world made = test_world_make(&def);
        event_list list = event_list_make();
        tp_collider_def lava = tp_collider_default(TP_COLLIDER_PLANE);
        lava.kills = true;
        tp_collider collider = collide_add(made.world, &lava);
        event_particle(made.world, 0, 0.1f, 1, -5);
        event_list_frames(&list, made.world, 2);
        const tp_event *death = the_death(&list, TP_DEATH_COLLIDER, collider.id);
        if (death) CHECK_NEAR(death->point.y, 0.05, 1e-3);
        if (death) CHECK_NEAR(death->velocity.y, -5, 1e-3);
        CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_BEGUN), 1);
        CHECK_EQ(event_list_count(&list, TP_EVENT_CONTACT_ENDED), 0);
        list.count = 0;
        tp_emitter_def spout = tp_emitter_default();
        tp_emitter emitter;
        spout.pose.position.y = 0.1f;
        spout.velocity.y = -50;
        spout.burst_count = 1;
        CHECK(tp_emitter_add(made.world, &spout, &emitter) == TP_OK);
        event_list_frames(&list, made.world, 1);
        (void)the_death(&list, TP_DEATH_COLLIDER, collider.id);
        CHECK_EQ(event_list_count(&list, TP_EVENT_BIRTH), 1);
        list.count = 0;
        event_particle(made.world, 9e8f, 5, 0, 1e9f - 3000); /* KDK: lost by its second kick */
        test_world_gravity(made.world, -1e6f);
        event_list_frames(&list, made.world, 1);
        death = the_death(&list, TP_DEATH_LOST, 0);
        if (death) CHECK(death->id == 2 && death->point.x == 9e8f && death->point.y == 5.0f);
        CHECK_EQ(tp_world_report(made.world).died + tp_world_report(made.world).killed_particles,
                 3);
        free(list.events);
        test_world_free(&made);
    }
}

static void recycled_particles_are_told(void)
{
    tp_world_def def = event_def(2, 4, 64, EVENT_DEATHS | TP_EVENT_BIT(TP_EVENT_BIRTH));
    def.pool_policy = TP_POOL_RECYCLE;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_emitter_def spout = tp_emitter_default();
    tp_emitter emitter;
    for (uint32_t i = 0; i < 4; i++) event_particle(made.world, (float)i, 0, 0, 0);
    spout.burst_count = 2;
    CHECK(tp_emitter_add(made.world, &spout, &emitter) == TP_OK);
    event_list_frames(&list, made.world, 1);
    CHECK_EQ(list.count, 8);
    for (uint32_t k = 0; k < 2; k++) {
        CHECK(list.events[4 + k].kind == TP_EVENT_DEATH && list.events[4 + k].id == k &&
              list.events[4 + k].cause == TP_DEATH_RECYCLED);
        CHECK(list.events[6 + k].kind == TP_EVENT_BIRTH && list.events[6 + k].id == 4 + k);
    }
    free(list.events);
    test_world_free(&made);
}

/* ---- links and springs ---- */

static void broken_links_tell_their_ends(void)
{
    tp_world_def def = event_def(2, 4, 64, TP_EVENT_BIT(TP_EVENT_LINK_BROKEN));
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.species[0].epsilon = 0;
    def.links_max = 4;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_link_def link = tp_link_default();
    tp_link links[3];
    event_particle(made.world, 0, 0, -3, 0);
    event_particle(made.world, 1, 0, 3, 0);
    event_particle(made.world, 0, 1, 0, 0);
    link.rest_length = 1;
    for (uint32_t k = 0; k < 3; k++) {
        link.first = k == 2 ? 2u : 1u;
        link.second = 0;
        link.break_length = k == 2 ? 0 : 1.05f;
        CHECK(tp_link_add(made.world, &link, &links[k]) == TP_OK);
    }
    event_list_frames(&list, made.world, 4);
    CHECK_EQ(list.count, 2);
    for (uint32_t k = 0; k < list.count; k++) {
        const tp_event *broken = &list.events[k];
        CHECK(broken->kind == TP_EVENT_LINK_BROKEN && broken->id == 1 && broken->partner == 0 &&
              broken->handle == links[k].id);
        CHECK_NEAR(broken->point.x, 0.5, 1e-5);
        CHECK_NEAR(broken->normal.x, 1, 1e-6);
        CHECK_NEAR(broken->speed, 6, 1e-4);
    }
    CHECK_EQ(tp_world_report(made.world).links_broken, 2);
    free(list.events);
    test_world_free(&made);
}

static void broken_springs_tell_their_ends(void)
{
    const tp_spring spring = {0.29f, 0, 1, 0};
    tp_world_def def = event_def(2, 2, 64, TP_EVENT_BIT(TP_EVENT_SPRING_BROKEN));
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.stiffness = def.sph.near_stiffness = def.sph.surface_tension = 0;
    def.sph.springs_max = 4;
    def.sph.spring_stiffness = 0;
    def.sph.spring_plasticity = 60;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    event_particle(made.world, 0, 0, -1, 0);
    event_particle(made.world, 0.6f, 0, 1, 0);
    CHECK(tp_springs_set(made.world, &spring, 1) == TP_OK);
    event_list_frames(&list, made.world, 1);
    CHECK_EQ(list.count, 1);
    const tp_event *broken = &list.events[0];
    CHECK(broken->kind == TP_EVENT_SPRING_BROKEN && broken->id + broken->partner == 1);
    CHECK_NEAR(broken->point.x, 0.3, 1e-5);
    CHECK_NEAR(broken->normal.x, broken->id ? 1 : -1, 1e-6);
    CHECK_NEAR(broken->speed, 2, 1e-4);
    free(list.events);
    test_world_free(&made);
}

/* ---- off, and wrong ---- */

/* Events change no particle, and cost bytes and units only where they are on. */
static void events_change_no_particle_and_cost_nothing_when_off(void)
{
    tp_budget all = {0};
    for (uint32_t kind = 0; kind < EVENT_TANKS; kind++) {
        uint64_t sums[2] = {0, 0}, units[2];
        uint32_t particles = 0;
        size_t bytes[2];
        for (uint32_t on = 0; on < 2; on++) {
            tp_world_def def = event_tank_def(kind, 2, on ? 100 : 0);
            if (!on) def.event_kinds = 0;
            particles = def.particles_max;
            test_world made = event_tank_make(&def);
            event_tank_run(NULL, made.world, 20, &all);
            tp_view view = tp_world_view(made.world);
            for (uint32_t i = 0; i < view.count; i++)
                sums[on] += tpi_mix(view.id[i] ^ tpi_mix((uint64_t)tpi_bits(view.x[i]) << 32 |
                                                         tpi_bits(view.vy[i])));
            units[on] = made.world->step_units_last;
            bytes[on] = made.bytes;
            test_world_free(&made);
        }
        CHECK_EQ(sums[1], sums[0]);
        CHECK(units[1] >= units[0]);
        CHECK(bytes[1] > bytes[0] &&
              bytes[1] - bytes[0] <= TP_EVENT_BYTES(100) + TP_CONTACT_BYTES(particles) + 16);
    }
}

static void refuses(tp_world_def def, const char *word)
{
    const char *text = tp_world_check(&def);
    size_t bytes;
    test_note("%s: %s", word, text ? text : "accepted");
    CHECK(text && strstr(text, word));
    CHECK(tp_world_memory(&def, &bytes) == TP_ERROR_DEFINITION);
}

static void wrong_definitions_are_named(void)
{
    tp_world_def good = event_def(2, 4, 16, TP_EVENTS_ALL), def;
    CHECK(tp_world_check(&good) == NULL);
    def = good, def.events_max = 0, refuses(def, "events_max");
    def = good, def.events_max = 65537, refuses(def, "events_max");
    def = good, def.event_kinds = 0, refuses(def, "event_kinds");
    def = good, def.event_kinds = 64, refuses(def, "event_kinds");
    def = good, def.event_species = 2, refuses(def, "event_species");
    def = good, def.event_speed = -1, refuses(def, "event_speed");
    def = good, def.event_speed = NAN, refuses(def, "event_speed");
    def = good, def.event_speed = INFINITY, refuses(def, "event_speed");
}

static void wrong_calls_are_errors_without_effect(void)
{
    tp_world_def def = event_def(2, 4, 0, 0);
    test_world made = test_world_make(&def);
    tp_event_cursor cursor = {5, 3};
    tp_event found[1];
    uint32_t count = 7;
    CHECK(tp_world_events(NULL, &cursor, found, 1, &count) == TP_ERROR_NULL);
    CHECK(tp_world_events(made.world, NULL, found, 1, &count) == TP_ERROR_NULL);
    CHECK(tp_world_events(made.world, &cursor, NULL, 1, &count) == TP_ERROR_NULL);
    CHECK(tp_world_events(made.world, &cursor, found, 1, NULL) == TP_ERROR_NULL);
    CHECK(tp_world_events(made.world, &cursor, found, 1, &count) == TP_ERROR_DEFINITION);
    made.world->cookie++;
    CHECK(tp_world_events(made.world, &cursor, found, 1, &count) == TP_ERROR_BLOCK);
    made.world->cookie--;
    CHECK(cursor.next == 5 && cursor.missed == 3 && count == 7);
    test_world_free(&made);
}

/* A block whose ring was damaged is refused; a good one goes on to the same events. */
static void a_verified_block_keeps_its_events(void)
{
    tp_budget all = {0};
    tp_world_def def = event_tank_def(2, 2, 300);
    test_world made = event_tank_make(&def);
    tp_block_fault fault;
    tp_world *found = NULL;
    event_tank_run(NULL, made.world, 5, &all);
    uint64_t hash = tp_world_hash(made.world);
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hash);
    event_list list = event_list_make();
    event_list_read(&list, made.world);
    CHECK(list.count > 0);
    made.world->events_head += 600;
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    CHECK(fault.expected && strstr(fault.expected, "events_head"));
    made.world->events_head -= 600;
    made.world->events_count = 301;
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    made.world->events_count = 300;
    made.world->events++;
    CHECK(tp_world_verify(made.world, made.bytes, &fault, &found) == TP_ERROR_BLOCK);
    made.world->events--;
    free(list.events);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_bouncing_ball_begins_and_ends_its_contacts),
    TEST_CASE(a_contact_that_lasts_is_one_event),
    TEST_CASE(a_ball_on_the_floor_hits_walls),
    TEST_CASE(balls_at_rest_stay_in_their_contacts),
    TEST_CASE(a_particle_has_three_contacts_at_most),
    TEST_CASE(the_contact_with_a_removed_collider_ends),
    TEST_CASE(the_speed_of_a_contact_is_relative_to_the_surface),
    TEST_CASE(births_and_chosen_species_have_contacts),
    TEST_CASE(a_fluid_at_rest_makes_no_events),
    TEST_CASE(births_tell_their_emitter_and_place),
    TEST_CASE(deaths_by_sinks_and_lifetimes_name_them),
    TEST_CASE(deaths_by_colliders_and_lost_particles_are_told),
    TEST_CASE(recycled_particles_are_told),
    TEST_CASE(broken_links_tell_their_ends),
    TEST_CASE(broken_springs_tell_their_ends),
    TEST_CASE(events_change_no_particle_and_cost_nothing_when_off),
    TEST_CASE(wrong_definitions_are_named),
    TEST_CASE(wrong_calls_are_errors_without_effect),
    TEST_CASE(a_verified_block_keeps_its_events),
};
TEST_SUITE(events, cases);
