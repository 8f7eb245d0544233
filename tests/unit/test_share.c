/* SPDX-License-Identifier: MIT
   tests/unit/test_share.c - several worlds in one frame: a shared budget, guarantees, turns.
   reads   tp_frame_worlds      writes  nothing
   memory  64 worlds of 100 particles      cost    about a second
   after   runtime/guide/design.md, budgets: a call overruns its budget by at most one slice, for
           any number of worlds */
#include "test.h"
#include "world_help.h"
#include <string.h>

#define WORLDS 64u

typedef struct share_scene {
    test_world made[WORLDS];
    tp_share shares[WORLDS];
} share_scene;

static void open_scene(share_scene *scene, uint32_t particles, uint32_t slice_units)
{
    tp_world_def def = tp_world_default(2);
    memset(scene, 0, sizeof *scene);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.slice_units = slice_units;
    for (uint32_t w = 0; w < WORLDS; w++) {
        scene->made[w] = test_world_make(&def);
        scene->shares[w].world = scene->made[w].world;
        for (uint32_t i = 0; i < particles; i++) {
            tp_vector at = {0.1f * (float)(i % 10u), 0.1f * (float)(i / 10u), 0};
            CHECK(tp_particle_add(scene->made[w].world, at, (tp_vector){0, 0, 0}, 0, NULL) ==
                  TP_OK);
        }
    }
}

static void close_scene(share_scene *scene)
{
    for (uint32_t w = 0; w < WORLDS; w++) test_world_free(&scene->made[w]);
}

static uint64_t units_of(const share_scene *scene)
{
    uint64_t units = 0;
    for (uint32_t w = 0; w < WORLDS; w++) units += scene->shares[w].report.units;
    return units;
}

static void all_worlds_together_keep_to_one_budget(void)
{
    static const uint32_t budgets[] = {1, 63, 64, 65, 127, 1000, 4096, 100003};
    share_scene scene;
    for (uint32_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        tp_budget budget = {.units = budgets[b]};
        open_scene(&scene, 100, b % 2u ? 64 : 2048);
        for (uint32_t f = 0; f < 20; f++) {
            CHECK(tp_frame_worlds(scene.shares, WORLDS, &budget) >= TP_OK);
            test_note("budget %u: %llu units", budgets[b], (unsigned long long)units_of(&scene));
            CHECK(units_of(&scene) <= (budgets[b] < 64u ? 64u : budgets[b]));
            CHECK(units_of(&scene) + 64u > budgets[b] / 2u);
        }
        close_scene(&scene);
    }
}

static uint64_t ticking_clock(void *context)
{
    uint64_t *now = (uint64_t *)context;
    return *now += 10;
}

static void all_worlds_together_keep_to_one_time(void)
{
    share_scene scene;
    for (uint32_t guarantees = 0; guarantees < 2; guarantees++) {
        uint64_t now = 0, microseconds;
        tp_budget budget = {.units = 64u * 100032u, .microseconds = 100};
        budget.clock_us = ticking_clock;
        budget.clock_context = &now;
        open_scene(&scene, 100, 2048);
        for (uint32_t w = 0; w < WORLDS; w++)
            scene.shares[w].guaranteed_units = guarantees ? 100000 : 0;
        for (uint32_t f = 0; f < 70; f++) {
            uint64_t before = now;
            microseconds = 0;
            CHECK_EQ(tp_frame_worlds(scene.shares, WORLDS, &budget), TP_MORE);
            for (uint32_t w = 0; w < WORLDS; w++)
                microseconds += scene.shares[w].report.microseconds;
            test_note("guarantees %u: %llu us", guarantees, (unsigned long long)(now - before));
            CHECK(now - before <= 100 + 10); /* one reading of the clock at the start of the call */
            CHECK(microseconds <= 100 && microseconds >= 80);
        }
        /* the worlds take turns in using the time of a call */
        for (uint32_t w = 0; w < WORLDS; w++) {
            CHECK_EQ(scene.shares[w].report.game_frames, 70);
            CHECK(scene.shares[w].report.slice_units_longest_ever > 0);
        }
        close_scene(&scene);
    }
}

/* The budget is enough for one or a few smallest slices: no world gets a second turn before every
   world had one. */
static void worlds_that_waited_go_first(void)
{
    share_scene scene;
    for (uint32_t room = 1; room <= 5; room += 2) {
        uint64_t calls = 0;
        tp_budget budget = {.units = 64u * room};
        uint32_t turns[WORLDS] = {0};
        open_scene(&scene, 100, 64);
        for (uint32_t most = 1; most <= 3; most++)
            for (uint32_t served = 0; served < WORLDS && calls < 10000; calls++) {
                CHECK(tp_frame_worlds(scene.shares, WORLDS, &budget) >= TP_OK);
                served = 0;
                for (uint32_t w = 0; w < WORLDS; w++) {
                    turns[w] += scene.shares[w].report.units > 0;
                    served += turns[w] >= most;
                    test_note("room for %u: world %u had %u turns", room, w, turns[w]);
                    CHECK(turns[w] <= most + 1u);
                }
            }
        CHECK(calls <= 3u * WORLDS + 3u);
        close_scene(&scene);
    }
}

static void priority_goes_before_waiting(void)
{
    share_scene scene;
    tp_budget budget = {.units = 64};
    open_scene(&scene, 100, 64);
    for (uint32_t w = 0; w < WORLDS; w++) scene.shares[w].priority = w == 40 ? 0 : 1;
    for (uint32_t f = 0; f < 10; f++) {
        CHECK(tp_frame_worlds(scene.shares, WORLDS, &budget) >= TP_OK);
        CHECK(scene.shares[40].report.units > 0);
    }
    close_scene(&scene);
}

/* A guarantee is used in slices of at least 64 units: a smaller rest cannot be guaranteed. */
static void guarantees_that_do_not_fit_are_refused(void)
{
    share_scene scene;
    open_scene(&scene, 100, 64);
    for (uint32_t w = 0; w < WORLDS; w++) scene.shares[w].guaranteed_units = 1;
    tp_budget budget = {.units = 64};
    CHECK_EQ(tp_frame_worlds(scene.shares, WORLDS, &budget), TP_ERROR_DEFINITION);
    budget.units = 64u * WORLDS - 1u;
    CHECK_EQ(tp_frame_worlds(scene.shares, WORLDS, &budget), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_world_report(scene.made[0].world).game_frames, 0);
    budget.units = 64u * WORLDS;
    for (uint32_t f = 0; f < 10; f++) {
        CHECK(tp_frame_worlds(scene.shares, WORLDS, &budget) >= TP_OK);
        CHECK(units_of(&scene) <= budget.units);
        for (uint32_t w = 0; w < WORLDS; w++) CHECK(scene.shares[w].report.units >= 1u);
    }
    close_scene(&scene);
}

/* However much the worlds of higher priority want. */
static void guarantees_are_granted_to_the_last_place(void)
{
    share_scene scene;
    tp_budget budget = {.units = 6u * 500u + 63u * 6u};
    open_scene(&scene, 100, 64);
    for (uint32_t w = 0; w < WORLDS; w++) {
        scene.shares[w].priority = WORLDS - w;
        scene.shares[w].guaranteed_units = w < 6 ? 500 : 0;
    }
    for (uint32_t f = 0; f < 10; f++) {
        CHECK(tp_frame_worlds(scene.shares, WORLDS, &budget) >= TP_OK);
        CHECK(units_of(&scene) <= budget.units);
        for (uint32_t w = 0; w < 6; w++) CHECK(scene.shares[w].report.units >= 500u);
    }
    close_scene(&scene);
}

static void sharing_changes_no_bits_of_a_step(void)
{
    share_scene scene;
    tp_budget budget = {.units = 6000};
    uint64_t hashes[200] = {0}, frames = 0;
    open_scene(&scene, 100, 64);
    test_world *alone = &scene.made[WORLDS - 1u];
    for (uint32_t f = 0; f < 100; f++) {
        test_world_frames(alone->world, 1);
        hashes[f + 1u] = tp_world_hash(alone->world);
    }
    for (uint32_t f = 0; f < 400 && frames < 20; f++) {
        CHECK(tp_frame_worlds(scene.shares, 8, &budget) >= TP_OK);
        for (uint32_t w = 0; w < 8; w++) {
            const tp_report *report = &scene.shares[w].report;
            if (report->step_ticks == 0 || scene.made[w].world->clock.tick) continue;
            CHECK_EQ(tp_world_hash(scene.made[w].world),
                     report->frames ? hashes[report->frames] : 0);
            if (report->frames > frames) frames = report->frames;
            test_note("call %u: world %u has simulated %llu frames", f, w,
                      (unsigned long long)frames);
        }
    }
    CHECK(frames >= 20);
    close_scene(&scene);
}

static const test_case cases[] = {TEST_CASE(all_worlds_together_keep_to_one_budget),
                                  TEST_CASE(all_worlds_together_keep_to_one_time),
                                  TEST_CASE(worlds_that_waited_go_first),
                                  TEST_CASE(priority_goes_before_waiting),
                                  TEST_CASE(guarantees_that_do_not_fit_are_refused),
                                  TEST_CASE(guarantees_are_granted_to_the_last_place),
                                  TEST_CASE(sharing_changes_no_bits_of_a_step)};
TEST_SUITE(share, cases);
