/* SPDX-License-Identifier: MIT
   tests/unit/test_event_order.c - events: order and overflow, readers, the same events for any
           slices, threads, snapshots and caches.
   reads   runtime/world/event.c, runtime/cache/world_source.c      writes  nothing
   memory  worlds of up to 5000 particles, lists of events      cost    some seconds
   after   own design */
#include "test.h"
#include "cache_help.h"
#include "event_help.h"
#include "jobs_posix/jobs.h"
#include <stdlib.h>
#include <string.h>

/* ---- order and overflow ---- */

/* Numbers follow each other, frames and ticks do not decrease, and within a step the order is that
   of kinds and ids. */
static void check_order(const event_list *list)
{
    bool is_good = true;
    for (uint32_t k = 1; k < list->count; k++) {
        const tp_event *a = &list->events[k - 1], *b = &list->events[k];
        is_good = is_good && b->number == a->number + 1 && b->frame >= a->frame;
        bool is_same_step = a->frame == b->frame && a->tick == b->tick;
        if (b->frame == a->frame) is_good = is_good && b->tick >= a->tick;
        if (is_same_step && b->tick > 0) {
            is_good = is_good && a->kind <= b->kind;
            if (a->kind == b->kind)
                is_good =
                    is_good && (a->id < b->id || (a->id == b->id && a->partner <= b->partner));
        }
    }
    CHECK(is_good);
}

/* Births and deaths of the list lead to the particles of the view. */
static void check_lives(const event_list *list, const tp_world *world)
{
    tp_view view = tp_world_view(world);
    unsigned char *lives = calloc(100000, 1);
    uint32_t wrong = 0, alive = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const tp_event *event = &list->events[k];
        if (event->kind == TP_EVENT_BIRTH) {
            wrong += lives[event->id] != 0 && lives[event->id] != 3;
            lives[event->id] = lives[event->id] ? 2 : 1;
        } else if (event->kind == TP_EVENT_DEATH) {
            /* a birth that dies in its step: its death comes first in the order */
            wrong += lives[event->id] > 1;
            lives[event->id] = lives[event->id] ? 2 : 3;
        }
        if (event->kind == TP_EVENT_DEATH) wrong += event->cause == TP_DEATH_NONE;
    }
    for (uint32_t i = 0; i < view.count; i++) wrong += lives[view.id[i]] != 1;
    for (uint32_t id = 0; id < 100000; id++) alive += lives[id] == 1;
    test_note("%u wrong, %u alive, %u in the view", wrong, alive, view.count);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(alive, view.count);
    free(lives);
}

static void events_of_a_step_are_in_order_and_complete(void)
{
    uint32_t causes = 0, kinds = 0;
    for (uint32_t kind = 0; kind < EVENT_TANKS; kind++) {
        tp_world_def def = event_tank_def(kind, 2, 8192);
        test_world made = event_tank_make(&def);
        event_list list = event_list_make();
        tp_budget all = {0};
        event_list_read(&list, made.world);
        event_tank_run(&list, made.world, 40, &all);
        tp_report report = tp_world_report(made.world);
        check_order(&list);
        check_lives(&list, made.world);
        CHECK_EQ(list.cursor.missed, 0);
        CHECK_EQ(list.count, report.events);
        CHECK_EQ(event_list_count(&list, TP_EVENT_BIRTH), report.born);
        CHECK_EQ(event_list_count(&list, TP_EVENT_DEATH),
                 report.died + report.killed_particles + report.recycled);
        CHECK_EQ(event_list_count(&list, TP_EVENT_LINK_BROKEN), report.links_broken);
        CHECK_EQ(event_list_count(&list, TP_EVENT_SPRING_BROKEN), report.springs_removed);
        CHECK(event_list_count(&list, TP_EVENT_CONTACT_BEGUN) >=
              event_list_count(&list, TP_EVENT_CONTACT_ENDED));
        for (uint32_t k = 0; k < list.count; k++) {
            causes |= 1u << list.events[k].cause;
            kinds |= 1u << list.events[k].kind;
        }
        free(list.events);
        test_world_free(&made);
    }
    test_note("causes %x, kinds %x", causes, kinds);
    CHECK_EQ(kinds, TP_EVENTS_ALL);
    CHECK((causes & 0xeu) == 0xeu);
}

/* A ring of few events keeps the first of each step, with the numbers that all have. */
static void a_step_with_too_many_events_keeps_the_first(void)
{
    static const uint32_t most[] = {1, 2, 3, 7, 12};
    tp_budget all = {0};
    for (uint32_t n = 0; n < sizeof most / sizeof most[0]; n++) {
        tp_world_def def = event_tank_def(5, 2, 8192), small = event_tank_def(5, 2, most[n]);
        test_world whole = event_tank_make(&def), less = event_tank_make(&small);
        event_list of_all = event_list_make();
        tp_event_cursor cursor = {0, 0};
        event_list_read(&of_all, whole.world);
        for (uint32_t frame = 0; frame < 20; frame++) {
            tp_event found[64];
            uint32_t count = 0;
            event_tank_run(&of_all, whole.world, 1, &all);
            event_tank_run(NULL, less.world, 1, &all);
            CHECK(tp_world_events(less.world, &cursor, found, 64, &count) == TP_OK);
            CHECK(count <= most[n]);
            bool is_same = true;
            for (uint32_t k = 0; k < count; k++)
                is_same = is_same &&
                          memcmp(&found[k], &of_all.events[found[k].number], sizeof found[k]) == 0;
            CHECK(is_same);
        }
        tp_report report = tp_world_report(less.world);
        CHECK_EQ(report.events, of_all.count);
        CHECK_EQ(cursor.next, of_all.count);
        CHECK(report.events_dropped > 0 && report.events_dropped <= cursor.missed);
        CHECK_EQ(tp_world_report(whole.world).events_dropped, 0);
        free(of_all.events);
        test_world_free(&whole);
        test_world_free(&less);
    }
}

/* ---- readers ---- */

static void an_array_that_is_too_small_gives_the_rest_next_time(void)
{
    tp_world_def def = event_def(2, 10, 8, TP_EVENT_BIT(TP_EVENT_BIRTH));
    test_world made = test_world_make(&def);
    tp_event_cursor cursor = {0, 0}, late = {0, 0};
    tp_event found[4];
    uint32_t count = 9;
    CHECK(tp_world_events(made.world, &cursor, NULL, 0, &count) == TP_OK);
    CHECK_EQ(count, 0);
    for (uint32_t i = 0; i < 7; i++) event_particle(made.world, (float)i, 0, 0, 0);
    CHECK(tp_world_events(made.world, &cursor, NULL, 0, &count) == TP_MORE);
    CHECK_EQ(count, 0);
    CHECK(tp_world_events(made.world, &cursor, found, 4, &count) == TP_MORE);
    CHECK(count == 4 && found[0].id == 0 && found[3].id == 3 && cursor.next == 4);
    CHECK(tp_world_events(made.world, &cursor, found, 4, &count) == TP_OK);
    CHECK(count == 3 && found[2].id == 6 && cursor.next == 7 && cursor.missed == 0);
    for (uint32_t i = 7; i < 10; i++) event_particle(made.world, (float)i, 0, 0, 0);
    CHECK(tp_world_events(made.world, &late, found, 4, &count) == TP_MORE);
    CHECK(count == 4 && found[0].id == 2 && late.missed == 2); /* the ring has lost two */
    CHECK(tp_world_events(made.world, &cursor, found, 3, &count) == TP_OK);
    CHECK(count == 3 && found[0].id == 7);
    test_world_free(&made);
}

/* Of a step with more events than a ring of two the others are missed, and so are those that the
   ring loses between two reads; a reader that reads all has missed none. */
static void a_reader_counts_what_it_missed(void)
{
    tp_world_def def = event_def(2, 10, 2, TP_EVENT_BIT(TP_EVENT_BIRTH));
    test_world made = test_world_make(&def);
    tp_event_cursor each = {0, 0}, late = {0, 0};
    tp_event found[2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        event_particle(made.world, (float)i, 0, 0, 0);
        CHECK(tp_world_events(made.world, &each, found, 2, &count) == TP_OK);
        CHECK(count == 1 && each.missed == 0);
    }
    tp_emitter_def burst = tp_emitter_default();
    tp_emitter emitter;
    burst.burst_count = 5;
    CHECK(tp_emitter_add(made.world, &burst, &emitter) == TP_OK);
    test_world_frames(made.world, 1);
    CHECK(tp_world_events(made.world, &each, found, 2, &count) == TP_OK);
    CHECK(count == 2 && found[0].number == 3 && each.missed == 3 && each.next == 8);
    CHECK(tp_world_events(made.world, &late, found, 2, &count) == TP_OK);
    CHECK(count == 2 && late.missed == 6 && late.next == 8);
    test_world_free(&made);
}

/* Two worlds with the same particle, which came to its place in two ways: their events differ, and
   so do their hashes. */
static void events_between_steps_are_in_the_hash(void)
{
    for (uint32_t on = 0; on < 2; on++) {
        tp_world_def def = event_def(2, 1, on ? 8 : 0, on ? TP_EVENT_BIT(TP_EVENT_BIRTH) : 0);
        test_world one = test_world_make(&def), two = test_world_make(&def);
        event_particle(one.world, 1, 2, 0, 0);
        event_particle(two.world, 3, 2, 0, 0);
        CHECK(tp_particle_set(two.world, 0, (tp_vector){1, 2, 0}, (tp_vector){0}) == TP_OK);
        CHECK_EQ(tp_world_hash(one.world) != tp_world_hash(two.world), on);
        test_world_free(&one);
        test_world_free(&two);
    }
}

/* A step in progress shows nothing, and a cancelled one leaves nothing. */
static void only_complete_steps_have_events(void)
{
    tp_world_def def = event_tank_def(1, 2, 4096);
    def.slice_units = 64;
    def.lag_frames_max = 64;
    test_world made = event_tank_make(&def);
    event_list list = event_list_make();
    uint64_t steps = 0;
    event_list_read(&list, made.world);
    for (uint32_t call = 0; call < 3000; call++) {
        tp_budget little = {.units = 400};
        uint32_t before = list.count;
        CHECK(tp_frame(made.world, &little, NULL) >= TP_OK);
        event_list_read(&list, made.world);
        uint64_t now = tp_world_report(made.world).steps;
        if (now == steps) CHECK_EQ(list.count, before);
        steps = now;
        if (call % 1000 == 500) tpi_step_cancel(made.world);
    }
    check_order(&list);
    CHECK(list.count > 300);
    free(list.events);
    test_world_free(&made);
}

static uint64_t events_of_run(uint32_t kind, uint32_t dimensions, uint32_t events_max,
                              const tp_budget *budget, uint64_t *state)
{
    tp_world_def def = event_tank_def(kind, dimensions, events_max);
    if (budget->units) def.slice_units = 64;
    test_world made = event_tank_make(&def);
    event_list list = event_list_make();
    event_tank_run(&list, made.world, 16, budget);
    uint64_t hash = event_list_hash(&list);
    *state = tp_world_hash(made.world);
    CHECK(list.count > 30);
    free(list.events);
    test_world_free(&made);
    return hash;
}

static void slices_widths_and_threads_change_no_event(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 2))) return;
    for (uint32_t kind = 0; kind < EVENT_TANKS; kind++)
        for (uint32_t small = 0; small < 2; small++) {
            uint32_t dimensions = 2 + kind % 2, most = small ? 20 : 2000;
            if (!test_runs(kind + small, 3)) continue;
            tp_budget budgets[] = {{.units = 0},     {.units = 64},        {.units = 777},
                                   {.lanes_max = 4}, {.jobs = &pool.jobs}, {.lanes_max = 8}};
            uint64_t hash, first, state, first_state;
            first = events_of_run(kind, dimensions, most, &budgets[0], &first_state);
            for (uint32_t b = 1; b < sizeof budgets / sizeof budgets[0]; b++) {
                test_note("kind %u, budget %u", kind, b);
                hash = events_of_run(kind, dimensions, most, &budgets[b], &state);
                CHECK_EQ(hash, first);
                CHECK_EQ(state, first_state);
            }
        }
    platform_jobs_stop(&pool);
}

/* Enough particles for several parts: sinks kill some in MOVE, planes meet some in COLLIDE. */
static uint64_t events_of_many(const tp_jobs *jobs, uint64_t *state)
{
    tp_world_def def = event_def(2, 5000, 20000, TP_EVENTS_ALL);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.slice_units = 65536;
    def.event_speed = 0.2f;
    test_world made = test_world_make(&def);
    event_list list = event_list_make();
    tp_sink_def drain = tp_sink_default();
    tp_sink sink;
    tp_budget budget = {.jobs = jobs};
    drain.offset = 0.2f;
    drain.normal = (tp_vector){1, 0, 0};
    test_world_tank(made.world, (tp_vector){8, 8, 0});
    test_world_gravity(made.world, 9.81f);
    for (uint32_t i = 0; i < 5000; i++)
        event_particle(made.world, 0.1f + 0.1f * (float)(i % 78), 0.1f + 0.1f * (float)(i / 78),
                       (float)(i % 7) - 3, -2);
    event_list_read(&list, made.world);
    for (uint32_t frame = 0; frame < 6; frame++) {
        if (frame == 3) CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
        if (frame == 3) test_world_gravity(made.world, -60); /* lifts what lies on the floor */
        CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
        event_list_read(&list, made.world);
    }
    CHECK(event_list_count(&list, TP_EVENT_CONTACT_ENDED) > 10);
    CHECK(event_list_count(&list, TP_EVENT_CONTACT_BEGUN) > 50);
    CHECK(event_list_count(&list, TP_EVENT_DEATH) > 50);
    uint64_t hash = event_list_hash(&list);
    *state = tp_world_hash(made.world);
    free(list.events);
    test_world_free(&made);
    return hash;
}

static void many_threads_change_no_event(void)
{
    platform_jobs pool;
    uint64_t one, many;
    if (!CHECK(platform_jobs_start(&pool, 4))) return;
    CHECK_EQ(events_of_many(&pool.jobs, &many), events_of_many(NULL, &one));
    CHECK_EQ(many, one);
    platform_jobs_stop(&pool);
}

/* Contacts are among the kinds, but there is nothing to touch. Some particles are too fast. */
static uint64_t events_in_free_space(const tp_jobs *jobs)
{
    tp_world_def def = event_def(2, 5000, 64, TP_EVENTS_ALL);
    def.colliders_max = 0;
    def.slice_units = 65536;
    def.speed_max = 2;
    test_world made = test_world_make(&def);
    tp_budget budget = {.jobs = jobs};
    for (uint32_t i = 0; i < 5000; i++)
        event_particle(made.world, 0.1f * (float)(i % 78), 0.1f * (float)(i / 78),
                       (float)(i % 7) - 3, 0);
    for (uint32_t frame = 0; frame < 3; frame++)
        CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
    CHECK(tp_world_report(made.world).speeds_clamped > 1000);
    CHECK_EQ(tp_world_report(made.world).events, 5000);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void a_world_without_colliders_may_ask_for_contacts(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 4))) return;
    CHECK_EQ(events_in_free_space(&pool.jobs), events_in_free_space(NULL));
    platform_jobs_stop(&pool);
}

/* ---- rewinding ---- */

static void a_snapshot_gives_the_same_events_again(void)
{
    tp_budget all = {0};
    for (uint32_t kind = 0; kind < EVENT_TANKS; kind++) {
        tp_world_def def = event_tank_def(kind, 2, 500);
        test_world made = event_tank_make(&def);
        event_list first = event_list_make(), again = event_list_make();
        void *copy = malloc(made.bytes);
        event_tank_run(NULL, made.world, 10, &all);
        event_list_read(&first, made.world);
        first.count = 0;
        again.cursor = first.cursor;
        memcpy(copy, made.world, made.bytes);
        event_tank_run(&first, made.world, 10, &all);
        memcpy(made.world, copy, made.bytes);
        event_tank_run(&again, made.world, 10, &all);
        CHECK(first.count > 0);
        CHECK_EQ(event_list_hash(&again), event_list_hash(&first));
        memcpy(made.world, copy, made.bytes); /* a reader that is ahead goes back */
        event_list_read(&again, made.world);
        CHECK_EQ(again.cursor.next, tp_world_report(made.world).events);
        free(copy);
        free(first.events);
        free(again.events);
        test_world_free(&made);
    }
}

/* The totals that belong to the world are those that it had, and come to the same again. */
static void check_totals(const tp_report *a, const tp_report *b)
{
    CHECK_EQ(a->steps, b->steps);
    CHECK_EQ(a->born, b->born);
    CHECK_EQ(a->died, b->died);
    CHECK_EQ(a->recycled, b->recycled);
    CHECK_EQ(a->killed_particles, b->killed_particles);
    CHECK_EQ(a->displacements_clamped, b->displacements_clamped);
    CHECK_EQ(a->speeds_clamped, b->speeds_clamped);
    CHECK_EQ(a->steps_shortened, b->steps_shortened);
    CHECK_EQ(a->steps_strained, b->steps_strained);
    CHECK_EQ(a->contacts_limited, b->contacts_limited);
    CHECK_EQ(a->pushed_out, b->pushed_out);
    CHECK_EQ(a->collisions, b->collisions);
    CHECK_EQ(a->links_dropped, b->links_dropped);
    CHECK_EQ(a->links_broken, b->links_broken);
    CHECK_EQ(a->springs_removed, b->springs_removed);
    CHECK_EQ(a->springs_dropped, b->springs_dropped);
    CHECK_EQ(a->events, b->events);
    CHECK_EQ(a->events_dropped, b->events_dropped);
    CHECK_EQ(a->pools[TP_POOL_PARTICLES].refused, b->pools[TP_POOL_PARTICLES].refused);
}

static void a_rewound_world_gives_the_same_events_and_totals_again(void)
{
    tp_budget all = {0};
    for (uint32_t kind = 0; kind < EVENT_TANKS; kind++) {
        tp_world_def def = event_tank_def(kind, 2, kind % 2 ? 8192u : 10u);
        def.pool_policy = kind % 2 ? TP_POOL_RECYCLE : TP_POOL_REFUSE;
        def.particles_max = 230;
        test_world made = event_tank_make(&def);
        event_list first = event_list_make(), again = event_list_make();
        tp_source source = tp_world_source(made.world);
        tp_cache_def cache_def = tp_cache_default(&source);
        size_t bytes;
        cache_def.frames_max = 8;
        tp_cache *cache = cache_make(&cache_def, &bytes);
        event_tank_run(NULL, made.world, 10, &all);
        CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
        event_list_read(&first, made.world);
        first.count = 0;
        first.cursor.missed = 0;
        tp_report then = tp_world_report(made.world);
        event_tank_run(&first, made.world, 10, &all);
        tp_report end = tp_world_report(made.world);
        uint64_t hash = tp_world_hash(made.world);
        again.cursor = first.cursor;
        CHECK(end.born > then.born && end.died > then.died && end.events > then.events);
        CHECK(tp_cache_rewind(cache, &source, 10, false, NULL) == TP_OK);
        tp_report rewound = tp_world_report(made.world);
        check_totals(&rewound, &then);
        event_list_read(&again, made.world);
        CHECK_EQ(again.count, 0);
        CHECK_EQ(again.cursor.next, then.events);
        CHECK_EQ(again.cursor.missed, first.cursor.missed); /* none more */
        again.cursor.missed = 0;
        event_tank_run(&again, made.world, 10, &all);
        rewound = tp_world_report(made.world);
        check_totals(&rewound, &end);
        CHECK_EQ(event_list_hash(&again), event_list_hash(&first));
        CHECK_EQ(again.cursor.missed, first.cursor.missed);
        CHECK_EQ(tp_world_hash(made.world), hash);
        free(cache);
        free(first.events);
        free(again.events);
        test_world_free(&made);
    }
}

/* ---- units ---- */

/* Every particle dies or ends its contact in one step; no slice does more than the stated overrun
   ahead of its units. */
static void many_events_overrun_no_slice(void)
{
    for (uint32_t kind = 0; kind < EVENT_TANKS; kind++) {
        tp_world_def def = event_tank_def(kind, 2, 16);
        def.slice_units = 64;
        test_world made = event_tank_make(&def);
        tp_budget all = {0};
        tp_sink_def drain = tp_sink_default();
        tp_sink sink;
        uint32_t worst = 0;
        event_tank_run(NULL, made.world, 5, &all);
        drain.offset = 50;
        CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
        for (uint32_t call = 0; call < 4000; call++) {
            tp_budget little = {.units = 64};
            CHECK(tp_frame(made.world, &little, NULL) >= TP_OK);
            worst = tpi_max_u32(worst, made.world->step.half_units_ahead / 2u);
        }
        test_note("kind %u: %u units ahead", kind, worst);
        CHECK(worst <= TP_UNITS_OVERRUN(40, def.fields_max, def.colliders_max, def.emitters_max));
        CHECK(tp_world_report(made.world).died >= 150);
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(events_of_a_step_are_in_order_and_complete),
    TEST_CASE(a_step_with_too_many_events_keeps_the_first),
    TEST_CASE(an_array_that_is_too_small_gives_the_rest_next_time),
    TEST_CASE(a_reader_counts_what_it_missed),
    TEST_CASE(events_between_steps_are_in_the_hash),
    TEST_CASE(only_complete_steps_have_events),
    TEST_CASE(slices_widths_and_threads_change_no_event),
    TEST_CASE(many_threads_change_no_event),
    TEST_CASE(a_world_without_colliders_may_ask_for_contacts),
    TEST_CASE(a_snapshot_gives_the_same_events_again),
    TEST_CASE(a_rewound_world_gives_the_same_events_and_totals_again),
    TEST_CASE(many_events_overrun_no_slice),
};
TEST_SUITE(event_order, cases);
