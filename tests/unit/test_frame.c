/* SPDX-License-Identifier: MIT
   tests/unit/test_frame.c - budgets, slices, overload policies, shares, schedulers.
   reads   runtime/step/frame.c, runtime/step/step.c      writes  nothing
   memory  worlds of a few hundred particles    cost    about two seconds
   after   runtime/guide/design.md, budgets: slicing never changes results; a budget is overrun by
           one slice at most */
#include "test.h"
#include "world_help.h"
#include "step/step.h"
#include <math.h>
#include <string.h>

static test_world splash(uint32_t particles, uint32_t slice_units, tp_overload overload)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.slice_units = slice_units;
    def.overload = overload;
    def.substeps = (tp_substeps){.count = 2, .count_max = 8, .is_adaptive = true, .courant = 0.2f};
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){4, 4, 0});
    for (uint32_t i = 0; i < particles; i++) {
        tp_vector at = {0.1f + 0.11f * (float)(i % 15), 0.1f + 0.11f * (float)(i / 15), 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

#define FRAMES 40

/* The hash after each simulated frame, for any budgets of the game frames. */
static void hashes_of(test_world made, const tp_budget *budget, uint32_t *state,
                      uint64_t hashes[FRAMES])
{
    uint32_t done = 0;
    for (uint32_t game = 0; done < FRAMES && game < 1000000; game++) {
        tp_budget part = *budget;
        tp_report report;
        part.frames_max = 1;
        if (state) part.units = 1u + (uint32_t)(test_random(state) * (float)budget->units);
        CHECK(tp_frame(made.world, &part, &report) >= TP_OK);
        if (report.frames_completed) hashes[done++] = tp_world_hash(made.world);
    }
    CHECK_EQ(done, FRAMES);
}

static void any_slicing_and_any_budgets_give_one_hash_a_frame(void)
{
    static const uint32_t slices[] = {64, 65, 100, 2048, 65536};
    uint64_t expected[FRAMES], found[FRAMES];
    tp_budget all = {0};
    test_world reference = splash(300, 2048, TP_OVERLOAD_CARRY);
    hashes_of(reference, &all, NULL, expected);
    test_world_free(&reference);
    for (size_t s = 0; s < sizeof slices / sizeof slices[0]; s++)
        for (uint32_t most = 500; most <= 500000; most *= 10) {
            uint32_t state = slices[s] + most;
            tp_budget budget = {.units = most};
            test_world made = splash(300, slices[s], TP_OVERLOAD_CARRY);
            test_note("slices of %u, budgets of up to %u", slices[s], most);
            hashes_of(made, &budget, &state, found);
            CHECK(memcmp(found, expected, sizeof found) == 0);
            test_world_free(&made);
        }
}

static void no_call_overruns_its_budget_by_more_than_a_slice(void)
{
    static const uint32_t slices[] = {64, 700, 65536};
    for (size_t s = 0; s < sizeof slices / sizeof slices[0]; s++)
        for (uint32_t units = 1; units < 200000; units = units * 7 + 3) {
            test_world made = splash(200, slices[s], TP_OVERLOAD_CARRY);
            tp_budget budget = {.units = units};
            tp_report report;
            test_note("slice %u, budget %u", slices[s], units);
            for (uint32_t f = 0; f < 60; f++) {
                CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
                CHECK(report.units <= (uint64_t)units + slices[s]);
                CHECK(report.slice_units_longest <= slices[s]);
            }
            test_world_free(&made);
        }
}

static double kinetic_energy(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double energy = 0;
    for (uint32_t i = 0; i < view.count; i++)
        energy += 0.5 * ((double)view.vx[i] * (double)view.vx[i] +
                         (double)view.vy[i] * (double)view.vy[i]);
    return energy;
}

/* With a tenth of the needed budget the world lags, reports that, and stays stable, under every
   policy. */
static void a_tenth_of_the_budget_lags_and_stays_stable(void)
{
    for (int policy = TP_OVERLOAD_CARRY; policy <= TP_OVERLOAD_DROP; policy++) {
        test_world made = splash(300, 512, (tp_overload)policy);
        tp_report report;
        uint64_t need = 0;
        for (uint32_t f = 0; f < 30; f++) {
            CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
            need = report.units > need ? report.units : need;
        }
        tp_budget budget = {.units = (uint32_t)(need / 10)};
        test_note("policy %d, need %llu units", policy, (unsigned long long)need);
        for (uint32_t f = 0; f < 600; f++) {
            CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
            CHECK(report.units <= budget.units + 512u);
        }
        CHECK(report.lagged_frames > 400 && report.lag_ticks > 0 && report.lag_ticks_dropped > 0);
        CHECK(report.frames > 30 && report.killed_particles == 0 && report.particles == 300);
        CHECK(kinetic_energy(made.world) < 300.0 * 9.8 * 4.0);
        if (policy == TP_OVERLOAD_COARSEN) CHECK(report.coarsened_steps > 0);
        test_world_free(&made);
    }
}

static void carry_catches_up_when_there_is_room(void)
{
    test_world made = splash(200, 512, TP_OVERLOAD_CARRY);
    tp_budget tight = {.units = 3000};
    tp_report report;
    for (uint32_t f = 0; f < 20; f++) CHECK(tp_frame(made.world, &tight, &report) == TP_MORE);
    CHECK(report.lag_ticks > 2u * TP_TICKS_PER_FRAME);
    CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
    CHECK(report.lag_ticks == 0 && report.frames_completed >= 3);
    test_world_free(&made);
}

static void drop_never_catches_up(void)
{
    test_world made = splash(200, 512, TP_OVERLOAD_DROP);
    tp_budget tight = {.units = 3000};
    tp_report report;
    for (uint32_t f = 0; f < 20; f++) CHECK(tp_frame(made.world, &tight, &report) >= TP_OK);
    CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
    CHECK_EQ(report.frames_completed, 1);
    CHECK(report.frames + report.lag_ticks_dropped / TP_TICKS_PER_FRAME == 21);
    test_world_free(&made);
}

/* Each reading adds `step` us: a slice seems to take as long. */
typedef struct fake_clock {
    uint64_t now, step;
} fake_clock;

static uint64_t fake_clock_read(void *context)
{
    fake_clock *clock = (fake_clock *)context;
    return clock->now += clock->step;
}

/* The slices of a call without a limit of time may be longer: they do not end a later one early. */
static void slices_without_a_limit_of_time_say_nothing_of_later_ones(void)
{
    fake_clock slow = {0, 900}, fast = {0, 40};
    test_world made = splash(300, 64, TP_OVERLOAD_CARRY);
    tp_budget free = {.units = 6400, .clock_us = fake_clock_read, .clock_context = &slow},
              timed = {.microseconds = 1000, .clock_us = fake_clock_read, .clock_context = &fast};
    tp_report report;
    CHECK(tp_frame(made.world, &free, &report) == TP_MORE);
    CHECK_EQ(report.slice_microseconds_longest, 900);
    CHECK(tp_frame(made.world, &timed, &report) == TP_MORE);
    test_note("%u us", report.microseconds);
    CHECK(report.microseconds <= 1000 && report.microseconds >= 1000 - 3 * 40);
    test_world_free(&made);
}

static void microseconds_end_a_frame_before_the_slice_that_would_not_fit(void)
{
    fake_clock clock = {0, 40};
    test_world made = splash(300, 64, TP_OVERLOAD_CARRY);
    tp_budget budget = {.microseconds = 1000, .clock_us = fake_clock_read, .clock_context = &clock};
    tp_report report;
    for (uint32_t f = 0; f < 50; f++) {
        CHECK(tp_frame(made.world, &budget, &report) == TP_MORE);
        CHECK(report.microseconds <= 1000 && report.microseconds >= 1000 - 3 * 40);
        CHECK_EQ(report.slice_microseconds_longest, 40);
    }
    test_world_free(&made);
}

/* Each reading of the clock adds 10 us, one of them 20 ms. */
static uint64_t clock_with_hiccup(void *context)
{
    uint64_t *clock = (uint64_t *)context; /* time, number of readings */
    return clock[0] += ++clock[1] == 50 ? 20000u : 10u;
}

static void one_hiccup_of_the_clock_starves_few_frames(void)
{
    uint64_t clock[2] = {0, 0};
    test_world made = splash(2000, 2048, TP_OVERLOAD_CARRY);
    tp_budget budget = {.microseconds = 300, .clock_us = clock_with_hiccup, .clock_context = clock};
    tp_report report;
    uint32_t starved = 0;
    for (uint32_t f = 0; f < 60; f++) {
        CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
        if (f > 10 && report.lag_ticks && report.microseconds < 200) starved++;
        test_note("frame %u: %u us", f, report.microseconds);
    }
    CHECK_EQ(starved, 0);
    test_world_free(&made);
}

/* A game that gives every simulated frame its own game frame continues it in later pictures. Only
   the first slice of a game frame runs in any case: after the hiccup the estimate must shrink in
   calls without a slice, too, of one world and of several. */
static uint32_t calls_to_end_a_frame(test_world *made, bool is_shared)
{
    uint64_t clock[2] = {0, 0};
    tp_budget budget = {.microseconds = 300, .clock_us = clock_with_hiccup, .clock_context = clock};
    tp_share share = {.world = made->world};
    uint32_t calls = 0;
    tp_result result = TP_MORE;
    for (; result == TP_MORE && calls < 300; calls++, budget.is_same_frame = true)
        result =
            is_shared ? tp_frame_worlds(&share, 1, &budget) : tp_frame(made->world, &budget, NULL);
    CHECK(result == TP_OK && clock[1] > 50);
    return calls;
}

static void a_frame_that_is_continued_goes_on_after_a_hiccup(void)
{
    test_world alone = splash(1000, 2048, TP_OVERLOAD_CARRY);
    test_world shared = splash(1000, 2048, TP_OVERLOAD_CARRY);
    uint32_t calls = calls_to_end_a_frame(&alone, false);
    test_note("alone: %u calls", calls);
    CHECK(calls < 60);
    calls = calls_to_end_a_frame(&shared, true);
    test_note("shared: %u calls", calls);
    CHECK(calls < 60);
    test_world_free(&alone);
    test_world_free(&shared);
}

/* All slices are equally slow, so the longest one is no outlier: although the recorded maximum is
   halved over time, a second slice must not run. */
static void slices_that_always_take_long_stay_within_the_microseconds(void)
{
    fake_clock clock = {0, 200};
    test_world made = splash(300, 64, TP_OVERLOAD_CARRY);
    tp_budget budget = {.microseconds = 300, .clock_us = fake_clock_read, .clock_context = &clock};
    tp_report report;
    for (uint32_t f = 0; f < 50; f++) {
        CHECK(tp_frame(made.world, &budget, &report) == TP_MORE);
        CHECK(report.microseconds <= 300);
    }
    test_world_free(&made);
}

/* A slice takes 1 us for `rate` units, and every 7th one longer / 2 times as much more. */
typedef struct unit_clock {
    const tp_world *world;
    uint64_t units, now, slices, rate, longer;
} unit_clock;

static uint64_t unit_clock_read(void *context)
{
    unit_clock *clock = (unit_clock *)context;
    const uint64_t units = clock->world->step_units;
    const uint64_t more = units < clock->units ? units : units - clock->units;
    clock->units = units;
    clock->now += more / clock->rate;
    if (more && ++clock->slices % 7u == 0) clock->now += more * clock->longer / (2u * clock->rate);
    return clock->now;
}

/* How many of 190 calls of 1500 us end more than `late_us` late, none by more than 100, and how
   many use all but 80 us. */
static uint32_t late_calls(uint32_t slice_units, unit_clock clock, uint32_t late_us, uint32_t *full)
{
    test_world made = splash(2000, slice_units, TP_OVERLOAD_CARRY);
    clock.world = made.world;
    tp_budget budget = {.microseconds = 1500, .clock_us = unit_clock_read, .clock_context = &clock};
    uint32_t late = 0;
    *full = 0;
    for (uint32_t f = 0; f < 200; f++) {
        const uint64_t before = clock.now;
        CHECK(tp_frame(made.world, &budget, NULL) == TP_MORE);
        if (f < 10) continue;
        CHECK(clock.now - before <= 1500 + 100);
        late += clock.now - before > 1500 + late_us;
        *full += clock.now - before >= 1500 - 80;
    }
    test_note("%u units: %u late, %u full", slice_units, late, *full);
    test_world_free(&made);
    return late;
}

/* Little time is left over, and a slice that takes longer than those before exceeds it by little.
   Whole slices of 2 048 units take up to 307 us. Those of 64, the least, take 128 and more, because
   an item that was begun is finished, and become no shorter. */
static void the_last_slices_of_the_time_are_short(void)
{
    const unit_clock large = {.rate = 10, .longer = 1}, least = {.rate = 1, .longer = 2};
    uint32_t full;
    CHECK(late_calls(2048, large, 20, &full) <= 2);
    CHECK(full > 150);
    CHECK_EQ(late_calls(64, least, 99, &full), 0);
}

/* ---- edits between the slices of a step ---- */

static test_world edited(tp_field *field)
{
    test_world made = splash(300, 256, TP_OVERLOAD_CARRY);
    tp_field_def wind = tp_field_default(TP_FIELD_GRAVITY);
    wind.vector = (tp_vector){0.1f, 0, 0};
    CHECK(tp_field_add(made.world, &wind, field) == TP_OK);
    return made;
}

static void set_wind(test_world made, tp_field field, float speed)
{
    tp_field_def wind = tp_field_default(TP_FIELD_GRAVITY);
    wind.vector = (tp_vector){speed, 0, 0};
    CHECK(tp_field_set(made.world, field, &wind) == TP_OK);
}

static void setting_a_field_every_frame_starves_nobody(void)
{
    tp_field field;
    tp_report report[2];
    for (uint32_t sets = 0; sets < 2; sets++) {
        test_world made = edited(&field);
        CHECK(tp_frame(made.world, NULL, &report[sets]) == TP_OK);
        tp_budget budget = {.units = (uint32_t)(report[sets].units / 10u)};
        for (uint32_t f = 0; f < 300; f++) {
            if (sets) set_wind(made, field, f % 2u ? 0.1f : -0.1f);
            CHECK(tp_frame(made.world, &budget, &report[sets]) >= TP_OK);
        }
        test_world_free(&made);
    }
    test_note("%llu frames with, %llu without", (unsigned long long)report[1].frames,
              (unsigned long long)report[0].frames);
    CHECK(report[1].frames * 10u >= report[0].frames * 9u && report[0].frames > 20);
    CHECK_EQ(report[1].steps_restarted, 0);
}

/* Set between steps, a field acts at once; set during a step, from the next step on. */
static void a_field_set_during_a_step_acts_from_the_next_step_on(void)
{
    tp_field field;
    uint64_t hash[3][2];
    for (uint32_t n = 0; n < 3; n++) { /* n: set before the first step, in it, after it */
        test_world made = edited(&field);
        if (n == 0) set_wind(made, field, 3.0f);
        CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 64));
        if (n == 1) set_wind(made, field, 3.0f);
        for (uint32_t step = 0; step < 2; step++) {
            /* run to the end of the step */
            CHECK(!test_world_run_to(made.world, TP_STAGE_COUNT, 64));
            hash[n][step] = tp_world_hash(made.world);
            if (n == 2 && step == 0) set_wind(made, field, 3.0f);
        }
        test_world_free(&made);
    }
    CHECK_EQ(hash[1][0], hash[2][0]);
    CHECK_EQ(hash[1][1], hash[2][1]);
    CHECK(hash[0][0] != hash[1][0] && hash[0][1] != hash[1][1]);
}

static void a_snapshot_during_a_step_keeps_what_was_set(void)
{
    tp_field field;
    test_world made = edited(&field), other = edited(&field);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 64));
    set_wind(made, field, 5.0f);
    memcpy(other.world, made.world, made.bytes);
    test_world_frames(made.world, 3);
    test_world_frames(other.world, 3);
    CHECK_EQ(tp_world_hash(made.world), tp_world_hash(other.world));
    test_world_free(&made);
    test_world_free(&other);
}

/* A restart loses the work done so far: each one is counted. A call between two steps restarts
   nothing. */
static void calls_that_restart_a_step_are_counted(void)
{
    tp_field field;
    test_world made = edited(&field);
    const tp_vector at = {2, 2, 0};
    for (uint32_t n = 0; n < 4; n++) {
        CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 64));
        if (n == 0) CHECK(tp_particle_set(made.world, 0, at, at) == TP_OK);
        if (n == 1) CHECK(tp_field_remove(made.world, field) == TP_OK);
        /* refused: no restart */
        if (n == 2) CHECK(tp_particle_add(made.world, at, at, 0, NULL) == TP_ERROR_FULL);
        if (n == 3) CHECK(tp_particles_clear(made.world) == TP_OK);
        /* no step is active any more */
        if (n == 3) CHECK(tp_particle_add(made.world, at, at, 0, NULL) == TP_OK);
    }
    CHECK_EQ(tp_world_report(made.world).steps_restarted, 3);
    test_world_free(&made);
}

static void a_stage_keeps_to_its_share(void)
{
    test_world made = splash(300, 256, TP_OVERLOAD_CARRY);
    tp_budget budget = {0};
    tp_report report;
    budget.stage_units[TP_STAGE_PAIRS] = 1000;
    uint64_t frames = 0;
    for (uint32_t f = 0; f < 300; f++) {
        CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
        CHECK(report.stage_units[TP_STAGE_PAIRS] <= 1000u + 256u);
        frames = report.frames;
    }
    CHECK(frames > 3);
    test_world_free(&made);
}

static void worlds_share_a_frame_by_guarantee_and_priority(void)
{
    test_world first = splash(200, 128, TP_OVERLOAD_CARRY),
               second = splash(200, 128, TP_OVERLOAD_CARRY);
    test_world third = splash(200, 128, TP_OVERLOAD_CARRY);
    tp_share shares[3] = {{.world = first.world, .priority = 2},
                          {.world = second.world, .priority = 1},
                          {.world = third.world, .priority = 3, .guaranteed_units = 2000}};
    tp_budget budget = {.units = 12000};
    uint64_t units[3] = {0};
    for (uint32_t f = 0; f < 100; f++) {
        CHECK(tp_frame_worlds(shares, 3, &budget) >= TP_OK);
        CHECK(shares[0].report.units + shares[1].report.units + shares[2].report.units <=
              12000u + 3u * 128u);
        CHECK(shares[2].report.units >= 2000u);
        for (uint32_t s = 0; s < 3; s++) units[s] += shares[s].report.units;
    }
    /* the guarantee comes first, then the order of priority */
    CHECK(units[1] > units[0] && units[1] >= units[2]);
    CHECK_EQ(shares[0].report.game_frames, 100);
    tp_budget small = {.units = 1000};
    CHECK(tp_frame_worlds(shares, 3, &small) == TP_ERROR_DEFINITION);
    CHECK(tp_frame_worlds(shares, 3, NULL) == TP_OK);
    shares[1].world = first.world;
    CHECK(tp_frame_worlds(shares, 3, &budget) == TP_ERROR_DEFINITION);
    test_world_free(&first);
    test_world_free(&second);
    test_world_free(&third);
}

/* What a game does whose worlds see each other: an input for each frame, of both. Pictures of
   `units` or `microseconds`; returns their number. */
static uint32_t play_together(test_world *made, uint64_t frames, tp_budget budget, uint64_t *hashes)
{
    tp_share shares[2] = {{.world = made[0].world, .priority = 1}, {.world = made[1].world}};
    uint32_t pictures = 0;
    uint64_t done = 0;
    bool has_begun = false;
    for (; done < frames; pictures++) {
        uint64_t units = 0;
        tp_result result = TP_OK;
        budget.is_same_frame = false;
        for (uint32_t k = 0; k < 2 && done < frames && result == TP_OK; k++) {
            if (!has_begun)
                for (uint32_t s = 0; s < 2; s++) /* what one world does moves the other */
                    CHECK(tp_particle_set(
                              made[s].world, 0,
                              (tp_vector){0.5f, 0.3f + 0.1f * (float)(done % 5u), 0},
                              (tp_vector){tp_world_view(made[1 - s].world).vx[1], 0, 0}) == TP_OK);
            result = tp_frame_together(shares, 2, &budget);
            units = shares[0].report.units + shares[1].report.units;
            has_begun = result == TP_MORE;
            budget.is_same_frame = true;
            if (result != TP_OK) break;
            for (uint32_t s = 0; s < 2; s++) CHECK_EQ(shares[s].report.frames, done + 1u + 3u * s);
            hashes[done++] = tp_world_hash(made[0].world) + 31 * tp_world_hash(made[1].world);
        }
        CHECK(result >= TP_OK);
        CHECK(shares[0].report.frames <= done + 1u && shares[1].report.frames <= done + 4u);
        if (budget.units) CHECK(units < budget.units + 64u);
    }
    CHECK_EQ(tp_world_report(made[0].world).lag_ticks_dropped, 0);
    CHECK_EQ(tp_world_report(made[0].world).game_frames, pictures);
    return pictures;
}

static void worlds_together_complete_each_frame_before_the_next(void)
{
    uint64_t hashes[2][24], now[2] = {0, 1000}; /* no hiccup */
    const tp_budget budgets[5] = {
        {0},
        {.units = 500},
        {.units = 20000},
        {.units = 4000000},
        {.microseconds = 1000, .clock_us = clock_with_hiccup, .clock_context = now}};
    for (uint32_t b = 0; b < 5; b++) {
        test_world made[2] = {splash(150, 128, TP_OVERLOAD_CARRY),
                              splash(60, 128, TP_OVERLOAD_CARRY)};
        test_note("budget %u", b);
        test_world_frames(made[1].world, 3); /* an older world */
        made[1].world->report.game_frames = 0;
        uint32_t pictures = play_together(made, 24, budgets[b], hashes[b > 0]);
        for (uint32_t f = 0; f < 24; f++) CHECK_EQ(hashes[b > 0][f], hashes[0][f]);
        if (b == 0 || b == 3) CHECK_EQ(pictures, 12); /* two frames fit */
        if (b == 1) CHECK(pictures > 500);
        if (b == 4) CHECK(pictures > 24 && pictures < 500);
        test_world_free(&made[0]);
        test_world_free(&made[1]);
    }
    CHECK(tp_frame_together(NULL, 1, NULL) == TP_ERROR_NULL);
    CHECK(tp_frame_together(NULL, 0, NULL) == TP_OK);
}

/* ---- the worst scenes ---- */

static test_world crowd(uint32_t count, float side, bool stores)
{
    tp_world_def def = tp_world_default(2);
    uint32_t state = 99;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = count;
    def.slice_units = 64;
    def.substeps.count = 2;
    def.sph.stores_neighbours = stores;
    test_world made = test_world_make(&def);
    test_world_tank(made.world, (tp_vector){10, 7.5f, 0});
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = {5.0f + side * test_random(&state), 3.0f + side * test_random(&state), 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

static void crowd_keeps_bounds_and_recovers(float side)
{
    for (uint32_t stores = 0; stores <= 1; stores++) {
        if (!test_is_long() && (stores != 0) != (side > 0.0f)) continue;
        const uint32_t count = test_is_long() ? 3000 : 1200;
        test_world made = crowd(count, side, stores != 0);
        tp_report report;
        uint64_t worst = 0;
        test_note("%u particles within %g m, stored neighbours %u", count, (double)side, stores);
        for (uint32_t f = 0; f < 240; f++) {
            CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
            CHECK(report.slice_units_longest <= 64u);
            worst = report.units > worst ? report.units : worst;
        }
        /* candidates of the pair pass, of the search for nearest neighbours and of the repeated
           pair pass: 9 cells of cell_max each */
        CHECK(worst <= 2ull * count * (3ull * 9ull * 64ull + 100ull));
        CHECK(report.particles_skipped > 0 && report.killed_particles == 0);
        uint64_t crowded = report.particles_skipped;
        for (uint32_t f = 0; f < 60; f++) CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
        test_note("side %g stores %u: crowded %llu then %llu more; largest %u", (double)side,
                  stores, (unsigned long long)crowded,
                  (unsigned long long)(report.particles_skipped - crowded),
                  report.neighbours_largest);
        CHECK_EQ(report.particles_skipped, crowded);
        CHECK(report.neighbours_largest < 64 && report.particles == count);
        test_world_free(&made);
    }
}

static void all_particles_in_one_cell_keep_bounds_and_recover(void)
{
    crowd_keeps_bounds_and_recovers(0.25f);
}
static void all_particles_at_one_point_keep_bounds_and_recover(void)
{
    crowd_keeps_bounds_and_recovers(0.0f);
}

static void not_a_number_is_killed_counted_and_harms_nobody(void)
{
    test_world made = splash(200, 2048, TP_OVERLOAD_CARRY);
    tp_report report;
    test_world_frames(made.world, 3);
    tpi_front_x(made.world, 0)[7] = NAN; /* no call accepts such a value */
    tpi_front_v(made.world, 0)[8] = INFINITY;
    tpi_front_x(made.world, 1)[9] = 3e20f;
    tpi_front_v(made.world, 0)[10] = 3e30f;
    CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
    CHECK_EQ(report.killed_particles, 3 + (197 - report.particles));
    for (uint32_t f = 0; f < 60; f++) CHECK(tp_frame(made.world, NULL, &report) == TP_OK);
    tp_view view = tp_world_view(made.world);
    CHECK(view.count >= 196);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(isfinite(view.x[i]) && isfinite(view.y[i]) && isfinite(view.vx[i]) &&
              isfinite(view.vy[i]));
    CHECK(kinetic_energy(made.world) < 200.0 * 9.8 * 8.0);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(any_slicing_and_any_budgets_give_one_hash_a_frame),
    TEST_CASE(no_call_overruns_its_budget_by_more_than_a_slice),
    TEST_CASE(a_tenth_of_the_budget_lags_and_stays_stable),
    TEST_CASE(carry_catches_up_when_there_is_room),
    TEST_CASE(drop_never_catches_up),
    TEST_CASE(microseconds_end_a_frame_before_the_slice_that_would_not_fit),
    TEST_CASE(slices_without_a_limit_of_time_say_nothing_of_later_ones),
    TEST_CASE(one_hiccup_of_the_clock_starves_few_frames),
    TEST_CASE(a_frame_that_is_continued_goes_on_after_a_hiccup),
    TEST_CASE(slices_that_always_take_long_stay_within_the_microseconds),
    TEST_CASE(the_last_slices_of_the_time_are_short),
    TEST_CASE(setting_a_field_every_frame_starves_nobody),
    TEST_CASE(a_field_set_during_a_step_acts_from_the_next_step_on),
    TEST_CASE(a_snapshot_during_a_step_keeps_what_was_set),
    TEST_CASE(calls_that_restart_a_step_are_counted),
    TEST_CASE(a_stage_keeps_to_its_share),
    TEST_CASE(worlds_share_a_frame_by_guarantee_and_priority),
    TEST_CASE(worlds_together_complete_each_frame_before_the_next),
    TEST_CASE(all_particles_in_one_cell_keep_bounds_and_recover),
    TEST_CASE(all_particles_at_one_point_keep_bounds_and_recover),
    TEST_CASE(not_a_number_is_killed_counted_and_harms_nobody)};
TEST_SUITE(frame, cases);
