/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_gradients.c - implicit springs of cloth: too stiff ones, pins, the same
           bits in slices, widths and threads, damaged blocks and definitions.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 2100 nodes      cost    about two seconds
   after   own design */
#include "cloth_same.h"
#include "cloth_springs.h"
#include "jobs_posix/jobs.h"

/* ---- too stiff ---- */

/* Rigid constraints with one step per frame are as stiff as the iterations resolve: beyond any
   limit of explicit ones, and they gain no energy. */
static void rigid_springs_stay_calm_in_one_step_a_frame(void)
{
    static const uint32_t counts[] = {1, 3, 8, 20, 50};
    for (uint32_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        tp_world_def def = springs_def(3, 64);
        uint32_t random = 3;
        def.cloth.integrator = TP_CLOTH_IMPLICIT;
        def.cloth.iterations = counts[k];
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = springs_square(8, true, 0, 0.01f);
        uint32_t id = springs_add(made.world, &sheet);
        CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
        test_world_gravity(made.world, 9.81f);
        for (uint32_t i = 1; i < 64; i++) {
            tp_vector v = {0, 0, test_uniform(&random, -0.5f, 0.5f)};
            springs_set(made.world, i, springs_x(made.world, i), v);
        }
        double first = 0, energy = 0, most = -1e9;
        for (uint32_t frame = 0; frame < 600; frame++) {
            tp_view view = tp_world_view(made.world);
            energy = springs_kinetic(made.world);
            for (uint32_t i = 0; i < view.count; i++) energy += 9.81 * (double)view.y[i];
            if (frame == 0) first = energy;
            most = fmax(most, energy);
            test_world_frames(made.world, 1);
        }
        tp_report report = tp_world_report(made.world);
        tp_cloth_report sheets = springs_measure(made.world);
        test_note("%u iterations: energy %g, at most %g of %g J; %u softened; stretch %g",
                  counts[k], energy, most, first, sheets.softened, (double)sheets.stretch_max);
        CHECK(most <= first);
        CHECK_EQ(report.steps, 600);
        CHECK_EQ(report.steps_strained, 600);
        CHECK_EQ(report.speeds_clamped, 0);
        CHECK(sheets.softened >= 2 * 8 * 7);
        if (counts[k] >= 20) CHECK(sheets.stretch_max < 0.2f);
        CHECK_EQ(report.killed_particles, 0);
        test_world_free(&made);
    }
}

/* Random nets without pins, of random stiffness, in which nodes start so fast that they pass each
   other within a step. The kinetic energy stays below that of the start. The first step stretches
   stiff springs: their energy is then many times that of the start. With a few iterations the next
   steps remove it. */
static void fast_nets_gain_no_kinetic_energy(void)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        uint32_t random = seed * 2654435761u; /* near seeds give near first numbers */
        tp_world_def def = springs_def(3, 25);
        def.cloth.integrator = TP_CLOTH_IMPLICIT;
        def.species[0].mass = (float)pow(10, (double)test_uniform(&random, -3, 1));
        def.cloth.iterations = 1u + (uint32_t)test_uniform(&random, 0, 30);
        test_world made = springs_net(&def, &random);
        double first = springs_slow_down(made.world, 300, seed);
        double last = springs_energy(made.world, 0);
        test_note("seed %u, %u iterations: %g of %g J at last", seed, def.cloth.iterations, last,
                  first);
        CHECK(def.cloth.iterations < 5 || last < 0.2 * first);
        test_world_free(&made);
    }
}

/* A spring so stiff and so long that its terms are no numbers: the iterations end, and the step is
   counted. */
static void gradients_that_end_early_are_counted(void)
{
    for (uint32_t way = 0; way < 2; way++) {
        tp_world_def def = springs_def(3, 4);
        def.cloth.integrator = TP_CLOTH_IMPLICIT;
        def.cloth.iterations = 100;
        def.species[0].mass = 1e6f;
        test_world made = test_world_make(&def);
        tp_cloth_def rope = springs_square(2, false, 0, 0);
        const tp_vector far = {way ? 5e8f : 2, 0, 0}, rest = {0, 0, 0};
        rope.rows = 1;
        (void)springs_add(made.world, &rope);
        springs_set(made.world, 1, far, rest);
        test_world_frames(made.world, 1);
        CHECK_EQ(springs_measure(made.world).softened, 0);
        CHECK_EQ(tp_world_report(made.world).steps_strained, way);
        test_world_free(&made);
    }
}

/* ---- pins ---- */

/* A pinned node keeps its velocity, whatever its springs do, and takes its neighbours along. */
static void pinned_nodes_move_as_they_are_told(void)
{
    tp_world_def def = springs_def(3, 64);
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    def.substeps.count = 2;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, true, 0, 1e-3f);
    uint32_t id = springs_add(made.world, &sheet);
    for (uint32_t k = 0; k < 8; k += 7) {
        CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
        springs_set(made.world, k, springs_x(made.world, k), (tp_vector){0, 0, 0.5f});
    }
    test_world_gravity(made.world, 9.81f);
    tp_vector before[2] = {springs_x(made.world, 0), springs_x(made.world, 7)};
    test_world_frames(made.world, 120);
    for (uint32_t k = 0; k < 2; k++) {
        tp_vector now = springs_x(made.world, 7 * k);
        CHECK_EQ(now.x, before[k].x);
        CHECK_EQ(now.y, before[k].y);
        CHECK_NEAR(now.z, before[k].z + 1.0f, 1e-4);
    }
    for (uint32_t i = 0; i < 64; i++) CHECK_NEAR(springs_x(made.world, i).z, 1, 0.4);
    CHECK(springs_measure(made.world).stretch_max < 0.1f);
    test_world_free(&made);
}

/* ---- the same bits ---- */

static test_world gradients_story(uint32_t dimensions, uint32_t slice_units)
{
    tp_world_def def = springs_def(dimensions, 2100);
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    def.cloth.iterations = 6;
    def.cloth.tear = 3;
    def.substeps.count = 2;
    return springs_story(&def, slice_units, 0);
}

static void slices_widths_and_threads_change_no_bits(void)
{
    platform_jobs threads;
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        same_told told = {0};
        for (uint32_t way = 0; way < SAME_WAYS; way++) {
            test_world made = gradients_story(dimensions, same_slice(way));
            same_run(made.world, way, &threads.jobs, 3, &told);
            CHECK_EQ(made.world->report.steps_strained, made.world->report.steps);
            CHECK(springs_measure(made.world).softened > 0);
            CHECK_EQ(springs_measure(made.world).broken > 0, true);
            test_world_free(&made);
        }
    }
    platform_jobs_stop(&threads);
}

/* The number of complete iterations of the step in progress. */
static uint32_t gradients_iteration(const tp_world *world)
{
    uint32_t bytes = (8u + world->def.particles_max * 8u + 15u) & ~15u;
    return tpi_words(world, world->arrays.own[14] + bytes)[3];
}

/* In the middle of an iteration, in several of its passes. */
static void a_copied_block_goes_on_to_the_same_bits(void)
{
    for (uint32_t slices = 0; slices < 19; slices += test_is_long() ? 3 : 9) {
        test_world made = gradients_story(3, 1000);
        const tp_budget slice = {.units = 1000};
        CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
        while (gradients_iteration(made.world) != 3 &&
               CHECK_EQ(tp_frame(made.world, &slice, NULL), TP_MORE)) {}
        for (uint32_t k = 0; k < slices; k++) CHECK_EQ(tp_frame(made.world, &slice, NULL), TP_MORE);
        CHECK(made.world->step.stage == TP_STAGE_FORCE);
        same_after_a_copy(&made, 1);
        test_world_free(&made);
    }
}

static void a_rewound_cache_resumes_the_springs(void)
{
    test_world made = gradients_story(3, 65536);
    same_after_a_rewind(made.world);
    test_world_free(&made);
}

/* Particles beyond the last node, a removed node, and a world without sheets. */
static void sheets_that_end_leave_no_step(void)
{
    tp_world_def def = springs_def(3, 70);
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = springs_square(8, true, 1e-4f, 1e-3f);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 1);
    uint32_t id = springs_add(made.world, &sheet);
    CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
    uint32_t other;
    CHECK_EQ(tp_particle_add(made.world, (tp_vector){5, 0, 0}, (tp_vector){0}, 0, &other), TP_OK);
    test_world_frames(made.world, 5);
    CHECK_NEAR(tp_world_view(made.world).vy[64], -9.81 * 5 / 60, 1e-4);
    CHECK(tp_world_view(made.world).vy[1] > -0.5f);
    CHECK_EQ(tp_particles_remove(made.world, &id, 1, NULL), TP_OK);
    CHECK_EQ(springs_measure(made.world).nodes, 0);
    float before = tp_world_view(made.world).vy[0];
    test_world_frames(made.world, 1);
    CHECK_NEAR(tp_world_view(made.world).vy[0], before - 9.81f / 60, 1e-5);
    test_world_free(&made);
}

/* Contacts, wear and the limit of stretch work on the same sheets. */
static void springs_tear_meet_and_have_a_limit(void)
{
    tp_world_def def = springs_def(3, 128);
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    def.cloth.limit = 0.1f;
    def.substeps.count = 8;
    springs_tear(&def, 1e-2f, 0.15f);
}

/* ---- units and definitions ---- */

/* A sheet at rest in flight asks for no iteration; one that falls from a pin asks for all. */
static void units_are_those_of_the_iterations(void)
{
    for (uint32_t is_pinned = 0; is_pinned < 2; is_pinned++) {
        tp_world_def def = springs_def(3, 64);
        tp_report report = {0};
        def.cloth.integrator = TP_CLOTH_IMPLICIT;
        def.cloth.iterations = 7;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = springs_square(8, true, 1e-4f, 1e-3f);
        uint32_t id = springs_add(made.world, &sheet);
        if (is_pinned) CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
        test_world_gravity(made.world, 9.81f);
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_frame(made.world, NULL, &report), TP_OK);
        uint32_t springs = springs_measure(made.world).constraints;
        uint64_t wanted = 2 * 64 + springs + 64; /* the first pass over nodes finds no gradient */
        if (is_pinned) wanted += 7 * (5 * 64 + springs) + 64;
        test_note("pinned %u: %llu units of FORCE, %llu wanted", is_pinned,
                  (unsigned long long)report.stage_units[TP_STAGE_FORCE],
                  (unsigned long long)wanted);
        CHECK_EQ(report.stage_units[TP_STAGE_FORCE], wanted);
        test_world_free(&made);
    }
}

static void bad_iterations_are_refused_with_a_text(void)
{
    tp_world_def def = springs_def(3, 64);
    def.cloth.integrator = TP_CLOTH_IMPLICIT;
    CHECK_EQ(tp_world_default(3).cloth.iterations, 20);
    for (uint32_t k = 0; k < 3; k++) {
        def.cloth.iterations = k == 0 ? 0u : k == 1 ? 101u : 0xffffffffu;
        const char *text = tp_world_check(&def);
        CHECK(text && strstr(text, "cloth.iterations") && strstr(text, "1 to 100"));
    }
    def.cloth.iterations = 100;
    CHECK(tp_world_check(&def) == NULL);
    def.cloth.tetrahedra_max = 5;
    CHECK(strstr(tp_world_check(&def), "cloth.tetrahedra_max") != NULL);
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        size_t bytes[3] = {0};
        for (uint32_t k = 0; k < 3; k++) {
            def = springs_def(dimensions, 64);
            def.cloth.constraints_max = 300;
            def.cloth.integrator = (tp_cloth_integrator)k;
            CHECK_EQ(tp_world_memory(&def, &bytes[k]), TP_OK);
        }
        CHECK(bytes[2] - bytes[0] <= TP_IMPLICIT_BYTES(dimensions, 64, 300));
        CHECK(bytes[2] - bytes[0] > TP_IMPLICIT_BYTES(dimensions, 64, 300) - 1280);
        CHECK(bytes[1] - bytes[0] <= TP_EXPLICIT_BYTES(64));
    }
}

static const test_case cases[] = {
    TEST_CASE(rigid_springs_stay_calm_in_one_step_a_frame),
    TEST_CASE(fast_nets_gain_no_kinetic_energy),
    TEST_CASE(gradients_that_end_early_are_counted),
    TEST_CASE(pinned_nodes_move_as_they_are_told),
    TEST_CASE(slices_widths_and_threads_change_no_bits),
    TEST_CASE(a_copied_block_goes_on_to_the_same_bits),
    TEST_CASE(a_rewound_cache_resumes_the_springs),
    TEST_CASE(sheets_that_end_leave_no_step),
    TEST_CASE(springs_tear_meet_and_have_a_limit),
    TEST_CASE(units_are_those_of_the_iterations),
    TEST_CASE(bad_iterations_are_refused_with_a_text),
};
TEST_SUITE(cloth_gradients, cases);
