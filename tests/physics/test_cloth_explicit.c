/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_explicit.c - cloth of explicit springs beside theory: periods, shapes at
           rest, energy, momentum, reach of a step.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 65 nodes      cost    about two seconds
   after   the oscillator, catenary, chain and pendulum in closed form */
#include "cloth_same.h"
#include "cloth_springs.h"
#include <string.h>

#define PI 3.14159265358979323846

/* ---- numbers of theory ---- */

/* Symplectic Euler has cos(w' dt) = 1 - w^2 dt^2 / 2, and keeps its amplitude. */
static void one_spring_has_the_frequency_of_symplectic_euler(void)
{
    tp_world_def def = springs_def(2, 2);
    test_world made = springs_rope(&def, 1, 0.01f);
    tp_vector at = {1.25f, 0, 0}, none = {0};
    double x = 0.25, v = 0, dt = 1.0 / 60, most = 0;
    springs_set(made.world, 1, at, none);
    for (uint32_t step = 0; step < 600; step++) {
        test_world_frames(made.world, 1);
        v -= 100 * x * dt;
        x += v * dt;
        CHECK_NEAR(springs_x(made.world, 1).x - 1.0f, x, 2e-5);
        if (step >= 500) most = fmax(most, x);
    }
    CHECK_EQ(tp_world_report(made.world).steps, 600);
    CHECK(most > 0.2495);
    double angle = acos(1 - 100 * dt * dt / 2);
    /* x is even about half a step before the start */
    CHECK_NEAR(x, 0.25 * cos(angle * 600.5) / cos(angle * 0.5), 1e-9);
    test_world_free(&made);
}

static void one_damped_spring_is_the_oscillator(void)
{
    static const double rows[][2] = {{.1, .568972}, {.25, -.570416}, {.5, .098551}, {1, -.336852}};
    tp_world_def def = springs_def(2, 2);
    def.frames_per_second_numerator = 1000;
    def.substeps.count = 50;
    def.cloth.damping = 0.02f; /* c = 2 */
    test_world made = springs_rope(&def, 1, 0.01f);
    tp_vector at = {2, 0, 0}, none = {0};
    springs_set(made.world, 1, at, none);
    for (uint32_t k = 0, frame = 0; k < 4; k++) {
        uint32_t end = (uint32_t)(rows[k][0] * 1000 + 0.5);
        test_world_frames(made.world, end - frame);
        frame = end;
        test_note("t %g", rows[k][0]);
        CHECK_NEAR(springs_x(made.world, 1).x - 1.0f, rows[k][1], 1e-3);
    }
    test_world_free(&made);
}

/* Link i of ten carries (11 - i) masses. */
static void a_hanging_elastic_chain_has_its_length(void)
{
    tp_world_def def = springs_def(2, 11);
    def.species[0].mass = 0.1f;
    def.cloth.damping = 0.02f;
    test_world made = springs_rope(&def, 10, 1.0f / 500);
    double before = 0;
    for (uint32_t i = 1; i <= 10; i++)
        springs_set(made.world, i, (tp_vector){0, -0.1f * (float)i, 0}, (tp_vector){0});
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 900);
    for (uint32_t i = 1; i <= 10; i++) {
        double y = (double)springs_x(made.world, i).y, longer = (11 - i) * 0.1 * 9.81 / 500;
        CHECK_NEAR(before - y - 0.1, longer, 0.01 * longer);
        before = y;
    }
    CHECK_NEAR(before, -1.107910, 0.00107910);
    test_world_free(&made);
}

static void a_rope_hangs_as_a_catenary(void)
{
    const tp_world_def def = springs_def(2, 2);
    springs_catenary(&def, 1.2, .469542, .292344);
    springs_catenary(&def, 1.5, .308236, .502633);
    springs_catenary(&def, 2.0, .229640, .796388);
}

static void a_hanging_chain_has_the_periods_of_its_modes(void)
{
    static const double rows[][2] = {{2.404826, 1.66837}, {5.520078, .726825}, {8.653728, .463631}};
    const tp_world_def def = springs_def(2, 2);
    for (uint32_t k = 0; k < 3; k++) {
        double period = springs_mode(&def, rows[k][0]);
        test_note("mode %u: %g s of %g s", k, period, rows[k][1]);
        CHECK_NEAR(period, rows[k][1], 0.02 * rows[k][1]);
    }
}

static void a_pendulum_has_its_period(void)
{
    const tp_world_def def = springs_def(2, 2);
    CHECK_NEAR(springs_period(&def, 10 * PI / 180), 2.009893, 0.005 * 2.009893);
    CHECK_NEAR(springs_period(&def, 45 * PI / 180), 2.086256, 0.005 * 2.086256);
    CHECK_NEAR(springs_period(&def, 90 * PI / 180), 2.367842, 0.005 * 2.367842);
}

/* A level sheet of 1 m^2. The nodes at its edge have the mass of the others and half the area: a
   light stiff one bends little. */
static void a_level_sheet_falls_at_its_terminal_speed(void)
{
    tp_world_def def = springs_def(3, 16);
    def.species[0].mass = 0.003f;
    def.cloth.triangles_max = 18;
    def.cloth.air = 1.2f;
    def.cloth.damping = 2e-5f;
    def.frames_per_second_numerator = 240;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(4, false, 5e-5f, 5e-5f);
    (void)springs_add(made.world, &sheet);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 240);
    tp_view view = tp_world_view(made.world);
    double mean = 0, wanted = sqrt(2 * 16 * 0.003 * 9.81 / 1.2);
    for (uint32_t i = 0; i < view.count; i++) mean -= (double)view.vy[i] / view.count;
    test_note("%g of %g m/s", mean, wanted);
    CHECK_EQ(tp_world_report(made.world).steps_strained, 0);
    CHECK_NEAR(mean, wanted, 0.02 * wanted);
    test_world_free(&made);
}

/* ---- what is conserved ---- */

static void a_swinging_sheet_keeps_its_energy(void)
{
    tp_world_def def = springs_def(3, 64);
    def.species[0].mass = 0.01f;
    def.substeps.count = 50;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, false, 1e-2f, 1.0f);
    double first = 0, low = 1e9, high = -1e9, lowest = 0;
    uint32_t id = springs_add(made.world, &sheet);
    for (uint32_t k = 0; k < 8; k++) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t frame = 0; frame <= 1200; frame++) {
        double energy = springs_energy(made.world, 9.81), height = 0;
        for (uint32_t i = 0; i < 64; i++)
            height += 0.01 * 9.81 * (double)springs_x(made.world, i).y;
        if (frame == 0) first = energy;
        lowest = fmin(lowest, height);
        low = fmin(low, energy - first);
        high = fmax(high, energy - first);
        test_world_frames(made.world, 1);
    }
    test_note("%g to %g J beside %g, %g s", low, high, -lowest,
              (double)springs_measure(made.world).timestep_stable);
    CHECK(-low < -0.01 * lowest && high < -0.01 * lowest);
    CHECK(lowest < -2); /* it swings */
    test_world_free(&made);
}

/* Nodes at random velocities: impulses are along the offsets of the front set, so angular momentum
   is exact, too. */
static void a_free_sheet_keeps_both_momenta(void)
{
    tp_world_def def = springs_def(3, 64);
    def.cloth.damping = 0.001f;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, false, 1e-4f, 1e-3f);
    uint32_t random = 7;
    (void)springs_add(made.world, &sheet);
    springs_throw(made.world, 64, 1, &random);
    same_momenta_stay(made.world, 1e-5, 1e-5);
    test_world_free(&made);
}

/* m/s: largest change of velocity in a step. */
static void a_turned_sheet_feels_no_force(void)
{
    tp_world_def def = springs_def(3, 64);
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, true, 1e-4f, 1e-4f);
    (void)springs_add(made.world, &sheet);
    double most = springs_turn(made.world), steps = (double)tp_world_report(made.world).steps;
    CHECK(most <= 1e-5 * 1e4 / 7 * steps * (double)made.world->report.timestep);
    test_world_free(&made);
}

/* Forces are those of the front set: a signal goes one link in a sub-step, two with springs between
   nodes two apart. Nodes farther away keep their bits. */
static void a_signal_goes_one_link_a_sub_step(void)
{
    for (uint32_t bends = 0; bends < 2; bends++) {
        tp_world_def def = springs_def(2, 65);
        test_world made[2];
        tp_cloth_def rope = tp_cloth_default();
        rope.columns = 65;
        rope.rows = 1;
        rope.kinds = TP_CLOTH_STRETCH | (bends ? TP_CLOTH_BEND : 0u);
        rope.stretch = rope.bend = bends ? 1.0f / 1400 : 1.0f / 2600;
        rope.tether = 0;
        for (uint32_t k = 0; k < 2; k++) made[k] = test_world_make(&def);
        for (uint32_t k = 0; k < 2; k++) (void)springs_add(made[k].world, &rope);
        tp_vector at = springs_x(made[0].world, 64);
        at.x += 0.004f;
        springs_set(made[0].world, 64, at, (tp_vector){0});
        for (uint32_t step = 1; step <= 8; step++) {
            uint32_t reach = step * (bends ? 2u : 1u), farthest = 0;
            for (uint32_t k = 0; k < 2; k++) CHECK_EQ(springs_steps(made[k].world), 1);
            for (uint32_t i = 0; i <= 64; i++) {
                tp_vector a = springs_x(made[0].world, i), b = springs_x(made[1].world, i);
                if (memcmp(&a, &b, sizeof a) != 0 && 64 - i > farthest) farthest = 64 - i;
            }
            test_note("bends %u, step %u: %u", bends, step, farthest);
            CHECK_EQ(farthest, reach);
        }
        for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
    }
}

static const test_case cases[] = {
    TEST_CASE(one_spring_has_the_frequency_of_symplectic_euler),
    TEST_CASE(one_damped_spring_is_the_oscillator),
    TEST_CASE(a_hanging_elastic_chain_has_its_length),
    TEST_CASE(a_rope_hangs_as_a_catenary),
    TEST_CASE(a_hanging_chain_has_the_periods_of_its_modes),
    TEST_CASE(a_pendulum_has_its_period),
    TEST_CASE(a_level_sheet_falls_at_its_terminal_speed),
    TEST_CASE(a_swinging_sheet_keeps_its_energy),
    TEST_CASE(a_free_sheet_keeps_both_momenta),
    TEST_CASE(a_turned_sheet_feels_no_force),
    TEST_CASE(a_signal_goes_one_link_a_sub_step),
};
TEST_SUITE(cloth_explicit, cases);
