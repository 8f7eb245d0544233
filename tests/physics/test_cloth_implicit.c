/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_implicit.c - cloth of implicit springs beside theory: the linear system,
           oscillators, shapes at rest, energy, momentum, reach of a step.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 100 nodes      cost    about two seconds
   after   Cholesky factors of the dense system; the oscillator, catenary and pendulum in closed
           form */
#include "cloth_same.h"
#include "cloth_springs.h"
#include <string.h>

#define PI 3.14159265358979323846

static tp_world_def implicit_def(uint32_t dimensions, uint32_t nodes)
{
    tp_world_def def = springs_def(dimensions, nodes);
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    return def;
}

/* ---- the linear system ---- */

#define DENSE_NODES 25
#define DENSE       (3 * DENSE_NODES)

/* Solves matrix x = right for x, in place, by Cholesky factors. */
static void dense_solve(double matrix[DENSE][DENSE], double right[DENSE])
{
    for (uint32_t j = 0; j < DENSE; j++)
        for (uint32_t i = j; i < DENSE; i++) {
            double sum = matrix[i][j];
            for (uint32_t k = 0; k < j; k++) sum -= matrix[i][k] * matrix[j][k];
            matrix[i][j] = i == j ? sqrt(sum) : sum / matrix[j][j];
        }
    for (uint32_t i = 0; i < DENSE; i++) {
        for (uint32_t k = 0; k < i; k++) right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    for (uint32_t i = DENSE; i-- > 0;) {
        for (uint32_t k = i + 1; k < DENSE; k++) right[i] -= matrix[k][i] * right[k];
        right[i] /= matrix[i][i];
    }
}

/* Adds spring k of a step of h seconds to the matrix, and its impulse at velocities v to the right
   side. */
static void dense_add(const tp_world *world, uint32_t k, double h, const double v[DENSE],
                      double matrix[DENSE][DENSE], double right[DENSE])
{
    const uint32_t *own = world->arrays.own, a = tpi_words(world, own[2])[k],
                   b = tpi_words(world, own[3])[k];
    tp_vector p = springs_x(world, a), q = springs_x(world, b);
    double d[3] = {(double)p.x - (double)q.x, (double)p.y - (double)q.y, (double)p.z - (double)q.z};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
           rest = (double)tpi_floats(world, own[4])[k],
           stiff = 1 / (double)tpi_floats(world, own[5])[k],
           damping = (double)world->def.cloth.damping;
    for (uint32_t m = 0; m < 3; m++) {
        double push = -h * stiff * (length - rest) * d[m] / length;
        for (uint32_t n = 0; n < 3; n++) {
            double n_n = d[m] * d[n] / (length * length), across = fmax(0, 1 - rest / length);
            double block = stiff * h * ((h + damping) * n_n + h * across * ((m == n) - n_n));
            matrix[3 * a + m][3 * a + n] += block;
            matrix[3 * b + m][3 * b + n] += block;
            matrix[3 * a + m][3 * b + n] -= block;
            matrix[3 * b + m][3 * a + n] -= block;
            push -= block * (v[3 * a + n] - v[3 * b + n]);
        }
        right[3 * a + m] += push;
        right[3 * b + m] -= push;
    }
}

/* As many iterations as unknowns give the step of the dense system; node 0 is pinned. */
static void a_step_is_that_of_the_dense_system(void)
{
    static double matrix[DENSE][DENSE], right[DENSE], v[DENSE];
    tp_world_def def = implicit_def(3, DENSE_NODES);
    uint32_t random = 3;
    def.cloth.iterations = DENSE;
    def.cloth.damping = 0.01f;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(5, true, 1e-2f, 1.0f);
    CHECK_EQ(tp_cloth_pin(made.world, springs_add(made.world, &sheet), true), TP_OK);
    for (uint32_t i = 0; i < DENSE_NODES; i++) {
        tp_vector x = springs_x(made.world, i), speed = {0};
        for (uint32_t axis = 0; axis < 3; axis++) {
            float moved = i ? test_uniform(&random, -0.1f, 0.1f) : 0.0f;
            float one = i ? test_uniform(&random, -1, 1) : 0.0f;
            if (axis == 0) x.x += moved, speed.x = one;
            if (axis == 1) x.y += moved, speed.y = one;
            if (axis == 2) x.z += moved, speed.z = one;
            v[3 * i + axis] = (double)one;
            matrix[3 * i + axis][3 * i + axis] = 1;
        }
        springs_set(made.world, i, x, speed);
    }
    for (uint32_t k = 0; k < springs_measure(made.world).constraints; k++)
        dense_add(made.world, k, 1.0 / 60, v, matrix, right);
    for (uint32_t m = 0; m < 3; m++) {
        for (uint32_t n = 0; n < DENSE; n++) matrix[m][n] = matrix[n][m] = n == m;
        right[m] = 0;
    }
    dense_solve(matrix, right);
    CHECK_EQ(springs_steps(made.world), 1);
    CHECK_EQ(springs_measure(made.world).softened, 0);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < DENSE_NODES; i++) {
        CHECK_NEAR(view.vx[i], v[3 * i] + right[3 * i], 1e-4);
        CHECK_NEAR(view.vy[i], v[3 * i + 1] + right[3 * i + 1], 1e-4);
        CHECK_NEAR(view.vz[i], v[3 * i + 2] + right[3 * i + 2], 1e-4);
    }
    test_world_free(&made);
}

/* ---- oscillators ---- */

static void an_undamped_spring_loses_what_backward_euler_does(void)
{
    tp_world_def def = implicit_def(2, 2);
    test_world made = springs_rope(&def, 1, 0.01f);
    springs_set(made.world, 1, (tp_vector){1.25f, 0, 0}, (tp_vector){0});
    double first = springs_energy(made.world, 0), share = 1 / (1 + 100.0 / 3600);
    for (uint32_t step = 1; step <= 60; step++) {
        CHECK_EQ(springs_steps(made.world), 1);
        CHECK_NEAR(springs_energy(made.world, 0) / first, pow(share, step), 1e-5);
    }
    CHECK_NEAR(springs_energy(made.world, 0) / first, 0.1932, 1e-3);
    test_world_free(&made);
}

/* m: of a damped spring, after a quarter of a second in steps of 1 / (1000 count) s. */
static double implicit_damped(uint32_t count)
{
    tp_world_def def = implicit_def(2, 2);
    def.frames_per_second_numerator = 1000;
    def.substeps.count = count;
    def.cloth.damping = 0.02f; /* c = 2 */
    test_world made = springs_rope(&def, 1, 0.01f);
    springs_set(made.world, 1, (tp_vector){2, 0, 0}, (tp_vector){0});
    test_world_frames(made.world, 250);
    double x = (double)springs_x(made.world, 1).x - 1;
    test_world_free(&made);
    return x;
}

static void a_damped_spring_is_the_oscillator_to_first_order(void)
{
    double before = 0;
    for (uint32_t count = 1; count <= 4; count *= 2) {
        double error = implicit_damped(count) - -.570416;
        test_note("%u sub-steps: %g, %g before", count, error, before);
        if (count > 1) CHECK_NEAR(before / error, 2, 0.1);
        before = error;
    }
    CHECK_NEAR(implicit_damped(50), -.570416, 1e-3);
}

/* In steps so short that little is lost of a period. */
static void a_hanging_chain_has_the_periods_of_its_modes(void)
{
    static const double rows[][2] = {{2.404826, 1.66837}, {5.520078, .726825}, {8.653728, .463631}};
    tp_world_def def = implicit_def(2, 2);
    def.substeps.count = 10;
    def.cloth.iterations = 6;
    for (uint32_t k = 0; k < 3; k++) {
        double period = springs_mode(&def, rows[k][0]);
        test_note("mode %u: %g s of %g s", k, period, rows[k][1]);
        CHECK_NEAR(period, rows[k][1], 0.02 * rows[k][1]);
    }
}

static void a_pendulum_has_its_period(void)
{
    tp_world_def def = implicit_def(2, 2);
    def.substeps.count = 10;
    CHECK_NEAR(springs_period(&def, 10 * PI / 180), 2.009893, 0.005 * 2.009893);
    CHECK_NEAR(springs_period(&def, 45 * PI / 180), 2.086256, 0.005 * 2.086256);
    CHECK_NEAR(springs_period(&def, 90 * PI / 180), 2.367842, 0.005 * 2.367842);
}

/* ---- shapes at rest ---- */

/* Link i of ten carries (11 - i) masses. */
static void a_hanging_elastic_chain_has_its_length(void)
{
    tp_world_def def = implicit_def(2, 11);
    def.species[0].mass = 0.1f;
    def.cloth.damping = 0.02f;
    test_world made = springs_rope(&def, 10, 1.0f / 500);
    double before = 0;
    for (uint32_t i = 1; i <= 10; i++)
        springs_set(made.world, i, (tp_vector){0, -0.1f * (float)i, 0}, (tp_vector){0});
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 600);
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
    tp_world_def def = implicit_def(2, 2);
    def.substeps.count = 16;
    springs_catenary(&def, 1.2, .469542, .292344);
    springs_catenary(&def, 1.5, .308236, .502633);
    springs_catenary(&def, 2.0, .229640, .796388);
}

/* As the test of explicit springs. */
static void a_level_sheet_falls_at_its_terminal_speed(void)
{
    tp_world_def def = implicit_def(3, 16);
    def.species[0].mass = 0.003f;
    def.cloth.triangles_max = 18;
    def.cloth.air = 1.2f;
    def.substeps.count = 4;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(4, false, 5e-5f, 5e-5f);
    (void)springs_add(made.world, &sheet);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    double mean = 0, wanted = sqrt(2 * 16 * 0.003 * 9.81 / 1.2);
    for (uint32_t i = 0; i < view.count; i++) mean -= (double)view.vy[i] / view.count;
    test_note("%g of %g m/s", mean, wanted);
    CHECK_NEAR(mean, wanted, 0.02 * wanted);
    test_world_free(&made);
}

/* ---- what is conserved, and what is not ---- */

/* A sheet that swings from a side, and one that is free with random velocities. */
static void energy_never_rises(void)
{
    for (uint32_t is_free = 0; is_free < 2; is_free++) {
        tp_world_def def = implicit_def(3, 64);
        uint32_t random = 5;
        def.species[0].mass = 0.01f;
        def.substeps.count = 4;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = springs_square(8, false, 1e-3f, 1.0f);
        uint32_t id = springs_add(made.world, &sheet);
        if (is_free) springs_throw(made.world, 64, 1, &random);
        for (uint32_t i = 0; i < 8 && !is_free; i++)
            CHECK_EQ(tp_cloth_pin(made.world, id + i, true), TP_OK);
        if (!is_free) test_world_gravity(made.world, 9.81f);
        double g = is_free ? 0 : 9.81, before = springs_energy(made.world, g), first = before;
        for (uint32_t frame = 1; frame <= 600; frame++) {
            test_world_frames(made.world, 1);
            double energy = springs_energy(made.world, g);
            test_note("free %u, frame %u: %.9g J after %.9g J", is_free, frame, energy, before);
            if (!CHECK(energy <= before + 1e-5 * fabs(first - before) + 1e-6)) break;
            before = energy;
        }
        CHECK_EQ(springs_measure(made.world).softened, 0);
        CHECK(before < first - 0.1);
        test_world_free(&made);
    }
}

/* Nodes at random velocities, with few iterations: momentum does not wait for the solution.
   Impulses across the springs change the angular one to first order in the step. */
static void a_free_sheet_keeps_its_momentum(void)
{
    for (uint32_t iterations = 2; iterations <= 20; iterations += 18) {
        tp_world_def def = implicit_def(3, 64);
        def.cloth.iterations = iterations;
        def.substeps.count = 4;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = springs_square(8, false, 1e-4f, 1e-3f);
        uint32_t random = 7;
        (void)springs_add(made.world, &sheet);
        springs_throw(made.world, 64, 1, &random);
        same_momenta_stay(made.world, 1e-5, 1e-2);
        test_world_free(&made);
    }
}

static void a_turned_sheet_feels_no_force(void)
{
    tp_world_def def = implicit_def(3, 64);
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, true, 1e-4f, 1e-4f);
    (void)springs_add(made.world, &sheet);
    CHECK(springs_turn(made.world) <= 1e-5 * 1e4 / 7 / 60);
    CHECK_EQ(tp_world_report(made.world).steps, 1);
    test_world_free(&made);
}

/* A signal goes one link per iteration, two with springs between nodes two apart. Nodes farther
   away keep their bits. */
static void a_signal_goes_one_link_an_iteration(void)
{
    for (uint32_t bends = 0; bends < 2; bends++) {
        tp_world_def def = implicit_def(2, 65);
        test_world made[2];
        tp_cloth_def rope = tp_cloth_default();
        def.cloth.iterations = 4;
        rope.columns = 65;
        rope.rows = 1;
        rope.kinds = TP_CLOTH_STRETCH | (bends ? TP_CLOTH_BEND : 0u);
        rope.stretch = rope.bend = 1.0f / 2600;
        rope.tether = 0;
        for (uint32_t k = 0; k < 2; k++) made[k] = test_world_make(&def);
        for (uint32_t k = 0; k < 2; k++) (void)springs_add(made[k].world, &rope);
        tp_vector at = springs_x(made[0].world, 64);
        at.x += 0.004f;
        springs_set(made[0].world, 64, at, (tp_vector){0});
        for (uint32_t step = 1; step <= 6; step++) {
            uint32_t reach = 4 * step * (bends ? 2u : 1u), farthest = 0;
            for (uint32_t k = 0; k < 2; k++) CHECK_EQ(springs_steps(made[k].world), 1);
            for (uint32_t i = 0; i <= 64; i++) {
                tp_vector a = springs_x(made[0].world, i), b = springs_x(made[1].world, i);
                if (memcmp(&a, &b, sizeof a) != 0 && 64 - i > farthest) farthest = 64 - i;
            }
            test_note("bends %u, step %u: %u", bends, step, farthest);
            CHECK(farthest <= reach);
            if (step == 1) CHECK_EQ(farthest, reach);
        }
        for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_step_is_that_of_the_dense_system),
    TEST_CASE(an_undamped_spring_loses_what_backward_euler_does),
    TEST_CASE(a_damped_spring_is_the_oscillator_to_first_order),
    TEST_CASE(a_hanging_chain_has_the_periods_of_its_modes),
    TEST_CASE(a_pendulum_has_its_period),
    TEST_CASE(a_hanging_elastic_chain_has_its_length),
    TEST_CASE(a_rope_hangs_as_a_catenary),
    TEST_CASE(a_level_sheet_falls_at_its_terminal_speed),
    TEST_CASE(energy_never_rises),
    TEST_CASE(a_free_sheet_keeps_its_momentum),
    TEST_CASE(a_turned_sheet_feels_no_force),
    TEST_CASE(a_signal_goes_one_link_an_iteration),
};
TEST_SUITE(cloth_implicit, cases);
