/* SPDX-License-Identifier: MIT
   tests/physics/test_body_event.c - events of bodies: contacts with colliders and bodies that begin
           and end.
   reads   runtime/move/body_tell.c      writes  nothing
   memory  worlds of four bodies         cost    none
   after   own design: heights of falls and places of shapes are known; bounces are counted by how
           bodies move from frame to frame */
#include "test.h"
#include "cache_help.h"
#include "collide_help.h"
#include "event_help.h"
#include "jobs_posix/jobs.h"
#include "move/body.h"
#include "step/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 10.0f
static const tp_vector none = {0, 0, 0};

/* ---- worlds ---- */

static tp_world_def hit_def(uint32_t dimensions, uint32_t kinds)
{
    tp_world_def def = collide_scene(dimensions, 0.005f);
    def.bodies_max = 4;
    def.events_max = kinds ? 64 : 0;
    def.event_kinds = kinds;
    def.event_species = 1;
    return def;
}

static test_world hit_world(const tp_world_def *def, float restitution, tp_collider *floor)
{
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    plane.restitution = restitution;
    plane.friction = 0.5f;
    test_world made = test_world_make(def);
    *floor = collide_add(made.world, &plane);
    return made;
}

static tp_body shape_add(tp_world *world, tp_collider_shape shape, float x, float y)
{
    return collide_body(world, shape, tp_pose_make(x, y, 0), (tp_vector){0.2f, 0.2f, 0.2f}, 0.5f);
}

/* A ball with its lowest point 0.45 m above the floor. */
static tp_body ball_add(tp_world *world, float x)
{
    return shape_add(world, TP_COLLIDER_SPHERE, x, 0.65f);
}

static void kick(tp_world *world, tp_body ball)
{
    CHECK(tp_body_impulse(world, ball, (tp_vector){0, 2, 0}, (tp_vector){0, 0.2f, 0}) == TP_OK);
}

static bool is_pair(const tp_event *event, tp_body body, uint32_t partner, uint32_t handle)
{
    return event && event->id == body.id && event->partner == partner && event->handle == handle &&
           event->meta == 0;
}

/* ---- what begins, and what ends ---- */

/* It falls at 3 m/s, rests for two seconds, and is kicked up. */
static void a_ball_that_falls_begins_one_contact_and_a_kick_ends_it(void)
{
    for (uint32_t d = 2; d <= 3; d++) {
        tp_collider floor;
        tp_world_def def = hit_def(d, TP_EVENTS_BODIES);
        test_world made = hit_world(&def, 0, &floor);
        event_list list = event_list_make();
        tp_body balls[2] = {ball_add(made.world, 1), ball_add(made.world, 0)};
        test_world_gravity(made.world, GRAVITY);
        event_list_frames(&list, made.world, 120);
        CHECK_EQ(list.count, 2);
        for (uint32_t n = 0; n < 2 && n < list.count; n++) {
            const tp_event *begun = &list.events[n];
            test_note("%uD: %.3f m/s at %.4f, %.4f in frame %u", d, (double)begun->speed,
                      (double)begun->point.x, (double)begun->point.y, (uint32_t)begun->frame);
            CHECK(begun->kind == TP_EVENT_BODY_BEGUN && begun->number == n);
            CHECK(is_pair(begun, balls[n], TP_ID_NONE, floor.id));
            CHECK_NEAR(begun->speed, 3, 0.2);
            CHECK_NEAR(begun->velocity.y, -3, 0.2);
            CHECK_NEAR(begun->point.y, 0, 0.06);
            CHECK(begun->normal.y > 0.999f);
        }
        kick(made.world, balls[1]);
        event_list_frames(&list, made.world, 10);
        CHECK_EQ(list.count, 3);
        const tp_event *ended = event_list_find(&list, TP_EVENT_BODY_ENDED, 0);
        CHECK(is_pair(ended, balls[1], TP_ID_NONE, floor.id));
        if (ended) CHECK(ended->velocity.y > 1.5f && fabsf(ended->point.y - 0.2f) < 0.05f);
        free(list.events);
        test_world_free(&made);
    }
}

/* In the first frame in which it is slow: a particle fits between them. It stopped up to a step's
   way above that, and fell the rest. */
static void a_ball_that_falls_stops_at_the_floor(void)
{
    for (uint32_t d = 2; d <= 3; d++)
        for (uint32_t k = 0; k < 8; k++) {
            tp_collider floor;
            tp_world_def def = hit_def(d, 0);
            test_world made = hit_world(&def, 0, &floor);
            tp_body ball = shape_add(made.world, TP_COLLIDER_SPHERE, 0, 0.65f + 0.002f * (float)k);
            tp_body_state state = {0};
            float speed = 0;
            test_world_gravity(made.world, GRAVITY);
            for (uint32_t frame = 0; frame < 60 && (speed < 2 || state.velocity.y < -1); frame++) {
                CHECK_EQ(tp_frame(made.world, NULL, NULL), TP_OK);
                CHECK_EQ(tp_body_get(made.world, ball, &state), TP_OK);
                speed = fmaxf(speed, -state.velocity.y);
            }
            test_note("%uD, fall %u: %.2f m/s, then %.5f m above the floor", d, k, (double)speed,
                      (double)state.pose.position.y - 0.2);
            CHECK(speed > 2.7f && state.velocity.y > -1);
            CHECK_NEAR(state.pose.position.y, 0.2 + 2.5 * 0.005, 1e-3);
            test_world_free(&made);
        }
}

/* What a game that reads poses and velocities sees: the speed at which a ball came down is that
   between two frames, with gravity of the next step in it. */
typedef struct bounces {
    uint32_t hits, leaves;
    bool is_touching;
    float down, speeds[64]; /* m/s */
} bounces;

static void bounces_look(bounces *seen, const tp_body_state *now, float threshold)
{
    const float up = now->velocity.y + GRAVITY / 60;
    if (seen->down > 0 && up >= 0 && !seen->is_touching && seen->down >= threshold) {
        seen->speeds[seen->hits++ % 64] = seen->down;
        seen->is_touching = true;
    }
    if (up - GRAVITY / 60 >= threshold && seen->is_touching) {
        seen->leaves++;
        seen->is_touching = false;
    }
    seen->down = -now->velocity.y;
}

static void a_ball_begins_and_ends_a_contact_with_each_bounce(void)
{
    static const float restitutions[3] = {0.3f, 0.7f, 0.9f};
    for (uint32_t k = 0; k < 6; k++) {
        tp_collider floor;
        bounces seen = {0};
        tp_world_def def = hit_def(2 + k / 3, TP_EVENTS_BODIES);
        test_world made = hit_world(&def, restitutions[k % 3], &floor);
        event_list list = event_list_make();
        tp_body ball = shape_add(made.world, TP_COLLIDER_SPHERE, 0, 1.5f);
        test_world_gravity(made.world, GRAVITY);
        for (uint32_t frame = 0; frame < 600; frame++) {
            tp_body_state state = collide_state(made.world, ball);
            bounces_look(&seen, &state, 0.5f);
            event_list_frames(&list, made.world, 1);
        }
        test_note("%.1f: %u hits seen, %u begun; %u leaves, %u ended", (double)restitutions[k % 3],
                  seen.hits, event_list_count(&list, TP_EVENT_BODY_BEGUN), seen.leaves,
                  event_list_count(&list, TP_EVENT_BODY_ENDED));
        CHECK(seen.hits > k % 3 && seen.hits <= 64);
        CHECK_EQ(event_list_count(&list, TP_EVENT_BODY_BEGUN), seen.hits);
        CHECK_EQ(event_list_count(&list, TP_EVENT_BODY_ENDED), seen.leaves);
        for (uint32_t n = 0; n < seen.hits; n++) {
            const tp_event *begun = event_list_find(&list, TP_EVENT_BODY_BEGUN, n);
            if (begun) CHECK_NEAR(begun->speed, seen.speeds[n], 1e-3);
        }
        free(list.events);
        test_world_free(&made);
    }
}

/* A box, whose corners do the meeting, and a ball: the events are of the lower slot. */
static void two_bodies_have_one_event(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_collider floor;
        tp_world_def def = hit_def(3, TP_EVENTS_BODIES);
        test_world made = hit_world(&def, 0, &floor);
        event_list list = event_list_make();
        tp_body bodies[2];
        for (uint32_t b = 0; b < 2; b++)
            bodies[b] =
                shape_add(made.world, b == k ? TP_COLLIDER_BOX : TP_COLLIDER_SPHERE, (float)b, 3);
        CHECK(tp_body_set(made.world, bodies[1], tp_pose_make(1, 3, 0), (tp_vector){-3, 0, 0},
                          none) == TP_OK);
        tpi_collider_at(made.world, 2)->def.restitution = 0.8f;
        event_list_frames(&list, made.world, 60);
        const tp_event *begun = event_list_find(&list, TP_EVENT_BODY_BEGUN, 0),
                       *ended = event_list_find(&list, TP_EVENT_BODY_ENDED, 0);
        uint32_t handle = collide_state(made.world, bodies[1]).collider.id;
        CHECK_EQ(list.count, 2);
        CHECK(is_pair(begun, bodies[0], bodies[1].id, handle));
        CHECK(is_pair(ended, bodies[0], bodies[1].id, handle));
        if (begun) {
            CHECK_NEAR(begun->speed, 3, 0.02);
            CHECK(begun->normal.x < -0.99f);
            CHECK_NEAR(begun->point.x, 0.4, 0.25);
        }
        free(list.events);
        test_world_free(&made);
    }
}

/* ---- filters ---- */

/* A ball falls at 3 m/s and is kicked; the contacts that begin and end. */
static uint32_t events_of(const tp_world_def *def, uint32_t floor_species)
{
    tp_collider floor;
    test_world made = hit_world(def, 0, &floor);
    event_list list = event_list_make();
    tpi_collider_at(made.world, 0)->def.event_species = floor_species;
    tp_body ball = ball_add(made.world, 0);
    test_world_gravity(made.world, GRAVITY);
    event_list_frames(&list, made.world, 60);
    kick(made.world, ball);
    event_list_frames(&list, made.world, 12);
    uint32_t count = list.count;
    free(list.events);
    test_world_free(&made);
    return count;
}

static void filters_and_the_threshold_hold(void)
{
    tp_world_def def = hit_def(3, TP_EVENTS_BODIES);
    CHECK_EQ(events_of(&def, 1), 2);
    CHECK_EQ(events_of(&def, 2), 2); /* species are of particles */
    CHECK_EQ(events_of(&def, 0), 0);
    def.event_speed = 4;
    CHECK_EQ(events_of(&def, 1), 0);
    def.event_speed = 1.5f;
    CHECK_EQ(events_of(&def, 1), 2);
    def.event_kinds = TP_EVENT_BIT(TP_EVENT_BODY_BEGUN);
    CHECK_EQ(events_of(&def, 1), 1);
    def.event_kinds = TP_EVENT_BIT(TP_EVENT_BODY_ENDED);
    CHECK_EQ(events_of(&def, 1), 1);
    def.event_kinds = TP_EVENTS_ALL;
    CHECK_EQ(events_of(&def, 1), 0);
}

static void wrong_kinds_are_refused(void)
{
    const uint32_t wrong[3] = {TP_EVENT_BIT(TP_EVENT_TRAIL), TP_EVENTS_BODIES | 512u,
                               TP_EVENTS_BODIES | TP_EVENT_BIT(TP_EVENT_TRAIL)};
    for (uint32_t k = 0; k < 3; k++) {
        tp_world_def def = hit_def(3, wrong[k]);
        CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "event_kinds"));
    }
    tp_world_def def = hit_def(3, TP_EVENTS_BODIES | TP_EVENTS_ALL);
    CHECK(!tp_world_check(&def));
    def.events_max = 0;
    CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "events_max"));
}

/* The collider that a contact was with is removed: its end has no handle. A body that is set begins
   anew. */
static void what_is_removed_or_set_ends_its_contacts(void)
{
    tp_collider floor;
    tp_world_def def = hit_def(3, TP_EVENTS_BODIES);
    test_world made = hit_world(&def, 0, &floor);
    event_list list = event_list_make();
    tp_body ball = ball_add(made.world, 0);
    test_world_gravity(made.world, GRAVITY);
    event_list_frames(&list, made.world, 60);
    CHECK(tp_body_set(made.world, ball, tp_pose_make(0, 0.65f, 0), none, none) == TP_OK);
    event_list_frames(&list, made.world, 60);
    CHECK_EQ(event_list_count(&list, TP_EVENT_BODY_BEGUN), 2);
    CHECK_EQ(event_list_count(&list, TP_EVENT_BODY_ENDED), 0);
    CHECK(tp_collider_remove(made.world, floor) == TP_OK);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.pose.position.x = 9;
    (void)collide_add(made.world, &box); /* in the same slot */
    event_list_frames(&list, made.world, 2);
    CHECK_EQ(list.count, 3);
    CHECK(is_pair(event_list_find(&list, TP_EVENT_BODY_ENDED, 0), ball, TP_ID_NONE, 0));
    free(list.events);
    test_world_free(&made);
}

/* ---- rest ---- */

/* Four boxes, `apart` m above each other. */
static void stack_add(tp_world *world, float apart)
{
    for (uint32_t b = 0; b < 4; b++) {
        float y = 0.2f + apart + (0.4f + apart) * (float)b;
        (void)shape_add(world, TP_COLLIDER_BOX, 0.02f * (float)(b % 2), y);
    }
}

/* One that is built at rest has no event; one that falls has a begin per pair. */
static void a_stack_at_rest_has_no_events(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        tp_collider floor;
        tp_world_def def = hit_def(2 + k % 2, TP_EVENTS_BODIES);
        test_world made = hit_world(&def, 0, &floor);
        event_list list = event_list_make();
        stack_add(made.world, k < 2 ? 0.0126f : 0.2f);
        test_world_gravity(made.world, GRAVITY);
        event_list_frames(&list, made.world, 120);
        test_note("%u: %u begun, %u ended", k, event_list_count(&list, TP_EVENT_BODY_BEGUN),
                  event_list_count(&list, TP_EVENT_BODY_ENDED));
        CHECK_EQ(list.count, k < 2 ? 0 : 4);
        CHECK_EQ(event_list_count(&list, TP_EVENT_BODY_BEGUN), list.count);
        list.count = 0;
        event_list_frames(&list, made.world, 600);
        CHECK_EQ(list.count, 0);
        free(list.events);
        test_world_free(&made);
    }
}

/* A ball that rolls, and a box that slides to rest: one begin each. */
static void what_rolls_and_slides_stays_in_its_contact(void)
{
    tp_collider floor;
    tp_world_def def = hit_def(3, TP_EVENTS_BODIES);
    test_world made = hit_world(&def, 0, &floor);
    event_list list = event_list_make();
    tp_body bodies[2] = {ball_add(made.world, 0), shape_add(made.world, TP_COLLIDER_BOX, -8, 0.4f)};
    for (uint32_t b = 0; b < 2; b++) {
        tp_pose pose = collide_state(made.world, bodies[b]).pose;
        CHECK(tp_body_set(made.world, bodies[b], pose, (tp_vector){4, 0, 0}, none) == TP_OK);
    }
    test_world_gravity(made.world, GRAVITY);
    event_list_frames(&list, made.world, 300);
    CHECK(collide_state(made.world, bodies[0]).pose.position.x > 2);
    CHECK_EQ(list.count, 2);
    CHECK_EQ(event_list_count(&list, TP_EVENT_BODY_BEGUN), 2);
    free(list.events);
    test_world_free(&made);
}

/* ---- the same events ---- */

/* Boxes and balls fall on each other, and bounce. */
static test_world heap_make(uint32_t kinds, uint32_t events_max)
{
    tp_collider floor;
    tp_world_def def = hit_def(3, kinds);
    if (kinds) def.events_max = events_max;
    def.slice_units = 64;
    test_world made = hit_world(&def, 0.6f, &floor);
    for (uint32_t b = 0; b < 4; b++)
        (void)shape_add(made.world, b % 2 ? TP_COLLIDER_BOX : TP_COLLIDER_SPHERE, 0.05f * (float)b,
                        0.5f + 0.6f * (float)b);
    test_world_gravity(made.world, GRAVITY);
    return made;
}

/* 90 frames; a frame that the budget ends in goes on in the next call. */
static event_list heap_list(test_world *made, const tp_budget *budget)
{
    event_list list = event_list_make();
    for (uint32_t call = 0; made->world->clock.frame < 90 && call < 1000000; call++) {
        tp_budget next = *budget;
        CHECK(tp_frame(made->world, &next, NULL) >= TP_OK);
        event_list_read(&list, made->world);
    }
    return list;
}

static void slices_widths_and_threads_change_no_event_of_bodies(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 2))) return;
    const tp_budget budgets[] = {{.units = 0},      {.units = 64},       {.units = 501},
                                 {.lanes_max = 1},  {.lanes_max = 4},    {.lanes_max = 8},
                                 {.lanes_max = 16}, {.jobs = &pool.jobs}};
    uint64_t hash = 0, events = 0;
    for (uint32_t k = 0; k < sizeof budgets / sizeof budgets[0]; k++) {
        test_world made = heap_make(TP_EVENTS_BODIES, 64);
        event_list list = heap_list(&made, &budgets[k]);
        test_note("budget %u: %u events", k, list.count);
        CHECK(event_list_count(&list, TP_EVENT_BODY_BEGUN) >= 8);
        CHECK(event_list_count(&list, TP_EVENT_BODY_ENDED) >= 4);
        if (k == 0) hash = tp_world_hash(made.world), events = event_list_hash(&list);
        CHECK_EQ(tp_world_hash(made.world), hash);
        CHECK_EQ(event_list_hash(&list), events);
        free(list.events);
        test_world_free(&made);
    }
    platform_jobs_stop(&pool);
}

static void a_cached_frame_of_bodies_gives_the_same_events_again(void)
{
    for (uint32_t frames = 20; frames <= 40; frames += 5) {
        test_world made = heap_make(TP_EVENTS_BODIES, 64);
        cache_check_resumes(made.world, frames); /* the hash has all events in it */
        test_world_free(&made);
    }
}

static void a_snapshot_of_bodies_gives_the_same_events_again(void)
{
    test_world made = heap_make(TP_EVENTS_BODIES, 64);
    event_list lists[2] = {event_list_make(), event_list_make()};
    void *copy = malloc(made.bytes);
    test_world_frames(made.world, 25);
    memcpy(copy, made.world, made.bytes);
    for (uint32_t k = 0; k < 2; k++) {
        memcpy(made.world, copy, made.bytes);
        CHECK(tp_world_verify(made.world, made.bytes, NULL, &made.world) == TP_OK);
        event_list_frames(&lists[k], made.world, 60);
        CHECK(lists[k].count > 4);
    }
    CHECK_EQ(event_list_hash(&lists[1]), event_list_hash(&lists[0]));
    for (uint32_t k = 0; k < 2; k++) free(lists[k].events);
    free(copy);
    test_world_free(&made);
}

/* Four balls hit the floor in one step. */
static void a_step_with_too_many_keeps_the_lowest_ids(void)
{
    tp_collider floor;
    tp_event events[8];
    tp_event_cursor cursor = {0, 0};
    tp_body balls[4];
    uint32_t count = 0;
    tp_world_def def = hit_def(3, TP_EVENTS_BODIES);
    def.events_max = 3;
    test_world made = hit_world(&def, 0, &floor);
    for (uint32_t b = 0; b < 4; b++) balls[b] = ball_add(made.world, (float)b);
    test_world_gravity(made.world, GRAVITY);
    test_world_frames(made.world, 60);
    tp_report report = tp_world_report(made.world);
    CHECK(report.events == 4 && report.events_dropped == 1);
    CHECK(tp_world_events(made.world, &cursor, events, 8, &count) == TP_OK);
    CHECK(count == 3 && cursor.missed == 1 && cursor.next == 4);
    for (uint32_t k = 0; k < count; k++) CHECK(events[k].id == balls[k].id);
    test_world_free(&made);
}

/* ---- costs ---- */

/* Units of 90 steps; *motion: of where the bodies come to. */
static uint64_t heap_units(uint32_t kinds, uint64_t *motion)
{
    uint64_t units = 0, hash = 0;
    test_world made = heap_make(kinds, 64);
    for (uint32_t step = 0; step < 90; step++) {
        uint32_t used;
        tp_stage stage;
        tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
        for (bool done = false; !done; units += used)
            done = tpi_step_advance(made.world, NULL, 1u << 20, &used, &stage);
        for (uint32_t slot = 0; slot < 4; slot++) {
            const tpi_body_item *body = tpi_body_at(made.world, slot);
            for (uint32_t axis = 0; axis < 3; axis++)
                hash = tpi_mix_word(hash, body->now.linear[axis]);
            hash = tpi_mix_word(hash, tpi_bits(body->pose.position.x));
            hash = tpi_mix_word(hash, tpi_bits(body->pose.rotation.w));
        }
    }
    test_world_free(&made);
    *motion = hash;
    return units;
}

static void events_of_bodies_change_no_motion_and_cost_nothing_if_off(void)
{
    uint64_t with, without, other;
    uint64_t units = heap_units(0, &without);
    CHECK_EQ(heap_units(TP_EVENT_BIT(TP_EVENT_DEATH), &other), units);
    CHECK(heap_units(TP_EVENTS_BODIES, &with) > units);
    CHECK_EQ(with, without);
    CHECK_EQ(other, without);
    tp_world_def bodies = hit_def(3, TP_EVENTS_BODIES),
                 deaths = hit_def(3, TP_EVENT_BIT(TP_EVENT_DEATH));
    size_t bytes, same;
    CHECK(tp_world_memory(&bodies, &bytes) == TP_OK && tp_world_memory(&deaths, &same) == TP_OK);
    CHECK_EQ(bytes, same);
}

/* A body at its most contacts: 4 units each, and 4 for the place of its one pair. */
static void a_full_body_is_told_within_its_units(void)
{
    tp_collider floor;
    tp_world_def def = hit_def(3, TP_EVENTS_BODIES);
    test_world made = hit_world(&def, 0, &floor);
    (void)shape_add(made.world, TP_COLLIDER_BOX, 0, 1);
    tpi_body_item *body = tpi_body_at(made.world, 0);
    uint32_t units = 0;
    tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
    made.world->step.timestep = 1.0f / 60;
    body->contact_count = body->held_count = TPI_BODY_CONTACTS;
    for (uint32_t k = 0; k < TPI_BODY_CONTACTS; k++) {
        memset(&body->contacts[k], 0, sizeof body->contacts[k]);
        body->contacts[k].normal.y = 1;
        body->contacts[k].gap = 9;
        body->held[k] = (tpi_body_held){.feature = TPI_BODY_TOLD | k};
    }
    tpi_body_tell(made.world, 0, &units);
    CHECK_EQ(units, 4 * TPI_BODY_CONTACTS + 4);
    CHECK_EQ(made.world->step.events_found, 0);
    CHECK_EQ(body->contact_count, TPI_BODY_CONTACTS);
    units = 0;
    tpi_body_tell_ends(made.world, 0, &units);
    CHECK_EQ(units, 4 * TPI_BODY_CONTACTS + TPI_EVENT_UNITS);
    CHECK_EQ(made.world->step.events_found, 1);
    body->contact_count = body->held_count = 0;
    tpi_step_cancel(made.world);
    test_world_free(&made);
}

/* A block whose contacts have begun though its world keeps no such events is not sound. */
static void a_block_with_untold_contacts_that_are_told_is_refused(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_collider floor;
        tp_world_def def = hit_def(3, k ? TP_EVENTS_BODIES : TP_EVENTS_ALL);
        test_world made = hit_world(&def, 0, &floor);
        (void)ball_add(made.world, 0);
        tpi_body_item *body = tpi_body_at(made.world, 0);
        body->held_count = 1;
        body->held[0] = (tpi_body_held){.feature = TPI_BODY_TOLD};
        tp_world *found;
        tp_result result = tp_world_verify(made.world, made.bytes, NULL, &found);
        CHECK(result == (k ? TP_OK : TP_ERROR_BLOCK));
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_ball_that_falls_begins_one_contact_and_a_kick_ends_it),
    TEST_CASE(a_ball_that_falls_stops_at_the_floor),
    TEST_CASE(a_ball_begins_and_ends_a_contact_with_each_bounce),
    TEST_CASE(two_bodies_have_one_event),
    TEST_CASE(filters_and_the_threshold_hold),
    TEST_CASE(wrong_kinds_are_refused),
    TEST_CASE(what_is_removed_or_set_ends_its_contacts),
    TEST_CASE(a_stack_at_rest_has_no_events),
    TEST_CASE(what_rolls_and_slides_stays_in_its_contact),
    TEST_CASE(slices_widths_and_threads_change_no_event_of_bodies),
    TEST_CASE(a_cached_frame_of_bodies_gives_the_same_events_again),
    TEST_CASE(a_snapshot_of_bodies_gives_the_same_events_again),
    TEST_CASE(a_step_with_too_many_keeps_the_lowest_ids),
    TEST_CASE(events_of_bodies_change_no_motion_and_cost_nothing_if_off),
    TEST_CASE(a_full_body_is_told_within_its_units),
    TEST_CASE(a_block_with_untold_contacts_that_are_told_is_refused),
};
TEST_SUITE(body_event, cases);
