/* SPDX-License-Identifier: MIT
   tests/unit/test_substep.c - sequences of adaptive sub-steps, equal steps, coarsening.
   reads   runtime/solve/substep.c      writes  nothing
   memory  none but small worlds        cost    below a second
   after   runtime/guide/physics.md, Courant number: flow rate 1.5 per frame, target 0.2; free fall
           from a stored 0.05 */
#include "test.h"
#include "world_help.h"
#include "solve/solve.h"
#include <math.h>

static tpi_substep_rule rule_of(uint32_t count, uint32_t count_max, bool compat)
{
    return (tpi_substep_rule){.count = count,
                              .count_max = count_max,
                              .limit_ticks = TP_TICKS_PER_FRAME,
                              .courant = 0.2f,
                              .is_adaptive = true,
                              .compat = compat};
}

static uint32_t next_step(const tpi_substep_rule *rule, uint32_t tick, uint32_t taken, float stored)
{
    tpi_clock clock = {.tick = tick, .step_of_frame = taken, .step_fraction = stored};
    return tpi_substep_next(rule, &clock);
}

/* One frame of a flow whose Courant number is rate * dt; returns the number of sub-steps, and the
   ticks of the last one in *last. */
static uint32_t run_frame(const tpi_substep_rule *rule, float rate, float *stored, uint32_t *last,
                          bool *capped)
{
    uint32_t tick = 0, steps = 0;
    while (tick < TP_TICKS_PER_FRAME && steps <= 101) {
        uint32_t ticks = next_step(rule, tick, steps, *stored);
        float taken = (float)ticks / (float)TP_TICKS_PER_FRAME;
        if (!CHECK(ticks >= 1 && ticks <= TP_TICKS_PER_FRAME - tick)) break;
        *stored = tpi_substep_adapt(rule, *stored, taken, rate * taken, capped);
        tick += ticks;
        steps++;
        *last = ticks;
    }
    CHECK_EQ(tick, TP_TICKS_PER_FRAME);
    return steps;
}

/* Four frames beginning with *stored: checks their numbers of steps, and the value stored after
   each. */
static void check_frames(const tpi_substep_rule *rule, float rate, float *stored,
                         const uint32_t steps[4], const double stores[4], double tolerance)
{
    uint32_t last = 0;
    bool capped = false;
    for (uint32_t frame = 0; frame < 4; frame++) {
        CHECK_EQ(run_frame(rule, rate, stored, &last, &capped), steps[frame]);
        CHECK_NEAR(*stored, stores[frame], tolerance);
    }
}

static void the_corrected_rule_takes_7_equal_frames_of_a_steady_flow(void)
{
    tpi_substep_rule rule = rule_of(1, 101, false);
    float stored = 1.0f;
    uint32_t last = 0;
    bool capped = false;
    CHECK_EQ(run_frame(&rule, 1.5f, &stored, &last, &capped), 1);
    CHECK_NEAR(stored, 0.133333, 1e-6);
    for (uint32_t frame = 2; frame < 12; frame++) {
        CHECK_EQ(run_frame(&rule, 1.5f, &stored, &last, &capped), 7);
        CHECK_EQ(last, TP_TICKS_PER_FRAME / 5); /* six of 2/15, then one of 1/5 */
        CHECK_NEAR(stored, 0.133333, 1e-6);
    }
    CHECK(!capped);
}

static void the_published_rule_takes_7_10_8_steps_of_the_same_flow(void)
{
    tpi_substep_rule rule = rule_of(1, 101, true);
    static const uint32_t steps[4] = {1, 7, 10, 8};
    static const double stores[4] = {0.133333, 0.088889, 0.125929, 0.133248};
    float stored = 1.0f;
    check_frames(&rule, 1.5f, &stored, steps, stores, 1e-6);
}

static void free_fall_recovers_and_the_corrected_rule_returns_to_one_step(void)
{
    static const uint32_t steps[4] = {5, 2, 2, 2};
    static const double stores[4] = {0.43903, 0.54562, 0.63195, 0.70188};
    for (uint32_t compat = 0; compat < 2; compat++) {
        tpi_substep_rule rule = rule_of(1, 101, compat == 1);
        float stored = 0.05f;
        uint32_t last = 0;
        bool capped = false;
        check_frames(&rule, 0.0f, &stored, steps, stores, 1e-5);
        for (uint32_t frame = 4; frame < 40; frame++)
            CHECK_EQ(run_frame(&rule, 0.0f, &stored, &last, &capped), compat ? 2 : 1);
    }
}

static void the_trim_takes_the_whole_frame_from_two_thirds_on(void)
{
    tpi_substep_rule rule = rule_of(1, 101, false);
    CHECK_EQ(next_step(&rule, 0, 0, 0.6667f), TP_TICKS_PER_FRAME);
    CHECK(next_step(&rule, 0, 0, 0.6666f) < TP_TICKS_PER_FRAME);
    rule.compat = true;
    CHECK(next_step(&rule, 0, 0, 0.9f) < TP_TICKS_PER_FRAME);
}

static void no_frame_takes_more_steps_than_the_cap(void)
{
    for (uint32_t compat = 0; compat < 2; compat++) {
        for (uint32_t most = 1; most <= 101; most++) {
            tpi_substep_rule rule = rule_of(1, most, compat == 1);
            float stored = 1.0f;
            uint32_t last = 0, steps = 0;
            bool capped = false;
            for (uint32_t frame = 0; frame < 3; frame++)
                steps = run_frame(&rule, 1e6f, &stored, &last, &capped);
            CHECK_EQ(steps, most);
            CHECK(capped);
        }
    }
}

static void r_08_any_flow_hits_the_end_of_the_frame_within_the_cap(void)
{
    uint32_t state = 5;
    for (uint32_t n = 0; n < 3000; n++) {
        uint32_t count = 1 + (uint32_t)(test_random(&state) * 6.0f),
                 most = count + (uint32_t)(test_random(&state) * 90.0f);
        tpi_substep_rule rule = rule_of(count, most, n & 1u);
        rule.limit_ticks =
            (TP_TICKS_PER_FRAME + count - 1) / count + (uint32_t)(test_random(&state) * 1e5f);
        float stored = test_random(&state);
        uint32_t tick = 0, steps = 0;
        bool capped = false;
        while (tick < TP_TICKS_PER_FRAME) {
            uint32_t ticks = next_step(&rule, tick, steps, stored);
            float taken = (float)ticks / (float)TP_TICKS_PER_FRAME;
            if (!CHECK(ticks > 0 && ticks <= TP_TICKS_PER_FRAME - tick &&
                       ticks <= rule.limit_ticks))
                break;
            stored = tpi_substep_adapt(&rule, stored, taken, test_random(&state), &capped);
            tick += ticks;
            steps++;
        }
        test_note("case %u: count %u cap %u limit %u", n, count, most, rule.limit_ticks);
        CHECK(steps <= most);
    }
}

static void equal_steps_share_the_frame_to_the_tick(void)
{
    for (uint32_t count = 1; count <= 101; count++) {
        tpi_substep_rule rule = rule_of(count, count, false);
        rule.is_adaptive = false;
        uint32_t tick = 0, steps = 0, least = TP_TICKS_PER_FRAME, most = 0;
        while (tick < TP_TICKS_PER_FRAME) {
            uint32_t ticks = next_step(&rule, tick, steps, 1.0f);
            if (!CHECK(ticks > 0)) break;
            least = tpi_min_u32(least, ticks);
            most = tpi_max_u32(most, ticks);
            tick += ticks;
            steps++;
        }
        CHECK(tick == TP_TICKS_PER_FRAME && steps == count && most - least <= (count > 16));
    }
}

static uint32_t below(uint32_t *state, uint32_t limit)
{
    return (uint32_t)(test_random(state) * (float)limit) % limit;
}

/* The number of equal steps follows the state: it may change after every step. */
static void steps_of_changing_numbers_stay_within_twice_the_cap(void)
{
    uint32_t state = 77, largest = 0;
    for (uint32_t n = 0; n < 20000; n++) {
        uint32_t least = 1u + below(&state, 12u), most = least;
        most += below(&state, n & 1u ? 90u : 8u);
        tpi_substep_rule rule = rule_of(least, most, false);
        uint32_t tick = 0, steps = 0;
        rule.is_adaptive = false;
        while (tick < TP_TICKS_PER_FRAME && steps <= 2u * most) {
            rule.count = least + below(&state, most - least + 1u);
            uint32_t ticks = next_step(&rule, tick, steps, 1.0f);
            if (!CHECK(ticks > 0 && (uint64_t)(ticks - 1u) * rule.count < TP_TICKS_PER_FRAME))
                break;
            tick += ticks;
            steps++;
        }
        test_note("case %u: count %u cap %u", n, least, most);
        if (!CHECK(tick == TP_TICKS_PER_FRAME && steps <= 2u * most)) break;
        largest = tpi_max_u32(largest, 100u * steps / (2u * most));
    }
    CHECK(largest > 90); /* the bound is nearly reached */
}

static tp_world_def fluid(uint32_t frames_per_second, float timestep_max)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 16;
    def.frames_per_second_numerator = frames_per_second;
    def.sph.timestep_max = timestep_max;
    /* without forces any step is stable */
    def.sph.stiffness = def.sph.near_stiffness = def.sph.surface_tension = 0;
    def.sph.viscosity_linear = 0;
    return def;
}

static void the_stable_step_is_never_exceeded_and_no_step_is_wasted(void)
{
    static const struct {
        uint32_t rate;
        float limit;
        uint32_t steps;
    } rows[] = {{60, 0.010f, 2}, {100, 0.010f, 1}, {50, 0.010f, 2},  {30, 0.010f, 4},
                {25, 0.010f, 4}, {60, 1.0f, 1},    {24, 0.00834f, 5}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        tp_world_def def = fluid(rows[r].rate, rows[r].limit);
        tpi_substep_rule rule = tpi_substep_rule_of(&def);
        CHECK_EQ(rule.count, rows[r].steps);
        float seconds =
            (float)next_step(&rule, 0, 0, 1.0f) / (float)TP_TICKS_PER_FRAME / (float)rows[r].rate;
        CHECK(seconds <= rows[r].limit * 1.00001f);
    }
}

/* The state belongs to one world. A calm second lets the step grow again. */
static void worlds_with_equal_settings_keep_their_own_step(void)
{
    tp_world_def def = fluid(60, 1.0f);
    def.substeps.is_adaptive = true;
    def.substeps.count_max = 20;
    test_world a = test_world_make(&def), b = test_world_make(&def);
    a.world->step.ticks = tpi_substep_ticks(a.world);
    CHECK_EQ(a.world->step.ticks, TP_TICKS_PER_FRAME);
    tpi_substep_end(a.world, 4.0f);
    CHECK_EQ(a.world->clock.frame, 1);
    CHECK_NEAR(a.world->clock.step_fraction, 0.05, 1e-6);
    CHECK_EQ(b.world->clock.step_fraction == 1.0f, 1);
    for (uint32_t frame = 0; frame < 60; frame++) {
        do {
            a.world->step.ticks = tpi_substep_ticks(a.world);
            tpi_substep_end(a.world, 0.0f);
        } while (a.world->clock.tick);
    }
    CHECK(a.world->clock.step_fraction > 0.9f);
    CHECK_EQ(tpi_substep_ticks(a.world), TP_TICKS_PER_FRAME);
    test_world_free(&a);
    test_world_free(&b);
}

static void a_frame_held_at_the_cap_is_reported_once(void)
{
    tp_world_def def = fluid(60, 1.0f);
    def.substeps.is_adaptive = true;
    def.substeps.count_max = 4;
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    for (uint32_t frame = 0; frame < 3; frame++) {
        do {
            world->step.ticks = tpi_substep_ticks(world);
            tpi_substep_end(world, 50.0f);
        } while (world->clock.tick);
        /* the first frame was not limited: the speed was not known yet */
        CHECK_EQ(world->report.courant_exceeded, frame);
    }
    CHECK(!world->clock.was_capped && world->clock.step_of_frame == 0);
    test_world_free(&made);
}

static void coarse_steps_are_fewer_but_stable(void)
{
    tp_world_def def = fluid(60, 0.010f);
    def.substeps.count = 8;
    test_world made = test_world_make(&def);
    tp_world *world = made.world;
    CHECK_EQ(tpi_substep_ticks(world), TP_TICKS_PER_FRAME / 8);
    CHECK_EQ(tpi_substep_ticks_coarse(world, 4), TP_TICKS_PER_FRAME / 4);
    /* a single step would be unstable */
    CHECK_EQ(tpi_substep_ticks_coarse(world, 1), TP_TICKS_PER_FRAME / 2);
    CHECK_EQ(tpi_substep_ticks_coarse(world, 0), TP_TICKS_PER_FRAME / 2);
    CHECK_EQ(tpi_substep_ticks_coarse(world, 100), TP_TICKS_PER_FRAME / 8);
    world->clock.tick = TP_TICKS_PER_FRAME / 2;
    CHECK_EQ(tpi_substep_ticks_coarse(world, 1), TP_TICKS_PER_FRAME / 2);
    world->clock.tick = TP_TICKS_PER_FRAME - 7;
    CHECK_EQ(tpi_substep_ticks_coarse(world, 1), 7);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(the_corrected_rule_takes_7_equal_frames_of_a_steady_flow),
    TEST_CASE(the_published_rule_takes_7_10_8_steps_of_the_same_flow),
    TEST_CASE(free_fall_recovers_and_the_corrected_rule_returns_to_one_step),
    TEST_CASE(the_trim_takes_the_whole_frame_from_two_thirds_on),
    TEST_CASE(no_frame_takes_more_steps_than_the_cap),
    TEST_CASE(r_08_any_flow_hits_the_end_of_the_frame_within_the_cap),
    TEST_CASE(equal_steps_share_the_frame_to_the_tick),
    TEST_CASE(steps_of_changing_numbers_stay_within_twice_the_cap),
    TEST_CASE(the_stable_step_is_never_exceeded_and_no_step_is_wasted),
    TEST_CASE(worlds_with_equal_settings_keep_their_own_step),
    TEST_CASE(a_frame_held_at_the_cap_is_reported_once),
    TEST_CASE(coarse_steps_are_fewer_but_stable),
};
TEST_SUITE(substep, cases);
