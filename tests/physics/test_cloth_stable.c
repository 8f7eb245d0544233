/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_stable.c - explicit springs of cloth: the stable step, softening,
           slices, damaged blocks and definitions.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 2100 nodes      cost    about two seconds
   after   power iteration */
#include "cloth_same.h"
#include "cloth_springs.h"
#include "jobs_posix/jobs.h"

/* ---- the stable step ---- */

/* out = (stiffness by mass) in, of springs at rest. */
static void springs_multiply(const tp_world *world, const double *in, double *out)
{
    const uint32_t *own = world->arrays.own, *a = tpi_words(world, own[2]),
                   *b = tpi_words(world, own[3]);
    const uint32_t nodes = world->count;
    for (uint32_t i = 0; i < 3 * nodes; i++) out[i] = 0;
    for (uint32_t k = 0; k < springs_measure(world).constraints; k++) {
        tp_vector p = springs_x(world, a[k]), q = springs_x(world, b[k]);
        const double d[3] = {p.x - q.x, p.y - q.y, p.z - q.z};
        double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], along = 0;
        for (uint32_t axis = 0; axis < 3; axis++)
            along += d[axis] * (in[3 * a[k] + axis] - in[3 * b[k] + axis]);
        for (uint32_t axis = 0; axis < 3; axis++) {
            double force = d[axis] * along / square / (double)tpi_floats(world, own[5])[k];
            out[3 * a[k] + axis] += force;
            out[3 * b[k] + axis] -= force;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        bool is_pinned = tpi_floats(world, own[7])[i] == 0.0f;
        double mass = (double)world->def.species[tpi_words(world, world->arrays.meta)[i] & 7u].mass;
        for (uint32_t axis = 0; axis < 3; axis++)
            out[3 * i + axis] = is_pinned ? 0 : out[3 * i + axis] / mass;
    }
}

/* 1/s^2: the largest eigenvalue, by power iteration. */
static double springs_power(const tp_world *world, uint32_t steps)
{
    static double in[3 * 256], out[3 * 256];
    const uint32_t count = 3 * world->count;
    uint32_t random = 5;
    double value = 0;
    for (uint32_t i = 0; i < count; i++) in[i] = (double)test_uniform(&random, -1, 1);
    for (uint32_t step = 0; step < steps; step++) {
        springs_multiply(world, in, out);
        value = 0;
        for (uint32_t i = 0; i < count; i++) value += out[i] * out[i];
        value = sqrt(value);
        for (uint32_t i = 0; i < count; i++) in[i] = out[i] / value;
    }
    return value;
}

static void the_stable_step_is_below_that_of_power_iteration(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        tp_world_def def = springs_def(3, 128);
        def.species_count = 2;
        def.species[1].mass = 0.01f;
        def.cloth.sheets_max = 2;
        def.cloth.damping = k == 3 ? 0.01f : 0.0f;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = springs_square(8, true, 1e-4f, 1e-3f);
        if (k == 0) sheet.columns = 100, sheet.rows = 1, sheet.kinds = TP_CLOTH_STRETCH;
        sheet.species = k == 2;
        uint32_t id = springs_add(made.world, &sheet);
        CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
        sheet.columns = 5;
        sheet.rows = 1;
        sheet.species = 0;
        sheet.stretch = 1e-3f;
        if (k > 0) (void)springs_add(made.world, &sheet);
        CHECK_EQ(springs_measure(made.world).timestep_stable, 0);
        test_world_frames(made.world, 1);
        double stable = (double)springs_measure(made.world).timestep_stable,
               exact = springs_power(made.world, k == 0 || test_is_long() ? 2000 : 300),
               c = (double)def.cloth.damping, bound = 0.8 * 4 / (stable * (stable + 2 * c));
        test_note("case %u: %g of %g 1/s^2", k, bound, exact);
        CHECK(exact <= bound * (1 + 1e-5));
        CHECK(bound <= exact * (k == 0 ? 1.001 : 2.5));
        test_world_free(&made);
    }
}

/* Pins, other sheets and damping change the stable step, and with it their number. */
static void a_frame_has_the_steps_that_its_springs_need(void)
{
    tp_world_def def = springs_def(2, 64);
    def.cloth.sheets_max = 2;
    def.substeps.is_adaptive = false;
    test_world made = test_world_make(&def);
    tp_cloth_def rope = tp_cloth_default();
    rope.columns = 3;
    rope.rows = 1;
    rope.kinds = TP_CLOTH_STRETCH;
    rope.stretch = 1e-5f;
    rope.tether = 0;
    uint32_t id = springs_add(made.world, &rope), before = 0;
    for (uint32_t k = 0; k < 3; k++) {
        if (k == 1) CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
        if (k == 1) CHECK_EQ(tp_cloth_pin(made.world, id + 2, true), TP_OK);
        if (k == 2) rope.stretch = 2e-6f;
        if (k == 2) (void)springs_add(made.world, &rope);
        for (uint32_t frame = 0; frame < 80; frame++) (void)springs_steps(made.world);
        double rate = k == 0 ? 4e5 : k == 1 ? 2e5 : 2e6;
        double stable = sqrt(3.2 / rate);
        CHECK_NEAR(springs_measure(made.world).timestep_stable, stable, 1e-4 * stable);
        uint32_t steps = springs_steps(made.world);
        test_note("case %u: %u steps, %u before", k, steps, before);
        CHECK_EQ(steps, ceil(1 / (60 * stable)));
        CHECK_NEAR(made.world->report.strain, 1.0 / (60 * steps * stable), 1e-3);
        before = steps;
    }
    CHECK_EQ(tp_world_report(made.world).steps_strained, 0);
    CHECK_EQ(springs_measure(made.world).softened, 0);
    CHECK(tp_world_report(made.world).steps_shortened >= 2);
    test_world_free(&made);
}

/* ---- too stiff ---- */

/* Rigid constraints are as stiff as count_max lets them be: they gain no energy, and count. */
static void springs_beyond_the_limit_are_softened(void)
{
    for (uint32_t damped = 0; damped < 2; damped++) {
        tp_world_def def = springs_def(3, 64);
        tp_report report;
        uint32_t random = 3;
        def.substeps.count_max = 8;
        def.cloth.damping = damped ? 0.01f : 0.0f;
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
        for (uint32_t frame = 0; frame < 1200; frame++) {
            tp_view view = tp_world_view(made.world);
            energy = 0;
            for (uint32_t i = 0; i < view.count; i++) {
                double vx = view.vx[i], vy = view.vy[i], vz = view.vz[i];
                energy += 0.5 * (vx * vx + vy * vy + vz * vz) + 9.81 * (double)view.y[i];
            }
            if (frame == 0) first = energy;
            most = fmax(most, energy);
            test_world_frames(made.world, 1);
        }
        report = tp_world_report(made.world);
        tp_cloth_report sheets = springs_measure(made.world);
        test_note("damped %u: energy %g, at most %g of %g J; %u softened; strain %g; stretch %g",
                  damped, energy, most, first, sheets.softened, (double)report.strain,
                  (double)sheets.stretch_max);
        CHECK(most <= first + 0.1);
        CHECK_EQ(report.steps_strained, report.steps);
        CHECK_EQ(report.steps, 9600);
        CHECK(sheets.softened >= 2 * 8 * 7 && sheets.softened < sheets.constraints);
        CHECK(sheets.stretch_max < 0.5f);
        CHECK_EQ(report.killed_particles, 0);
        test_world_free(&made);
    }
}

/* Random nets without pins, of random stiffness, in which nodes start so fast that they pass each
   other within a step: however few the steps are, their kinetic energy stays below that of the
   start. */
static void fast_springs_gain_no_kinetic_energy(void)
{
    uint64_t clamped = 0;
    for (uint32_t seed = 1; seed <= (test_is_long() ? 40u : 20u); seed++) {
        uint32_t random = seed * 2654435761u; /* near seeds give near first numbers */
        tp_world_def def = springs_def(3, 25);
        def.species[0].mass = (float)pow(10, (double)test_uniform(&random, -3, 1));
        def.substeps.count_max = 1u + (uint32_t)test_uniform(&random, 0, 20);
        test_world made = springs_net(&def, &random);
        (void)springs_slow_down(made.world, 600, seed);
        clamped += tp_world_report(made.world).speeds_clamped;
        test_world_free(&made);
    }
    CHECK(clamped > 1000);
}

/* ---- the same bits ---- */

static test_world stable_story(uint32_t dimensions, uint32_t slice_units)
{
    tp_world_def def = springs_def(dimensions, 2100);
    def.substeps.count_max = 12;
    return springs_story(&def, slice_units, 1.25f);
}

static void slices_widths_and_threads_change_no_springs(void)
{
    platform_jobs threads;
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        same_told told = {0};
        for (uint32_t way = 0; way < SAME_WAYS; way++) {
            test_world made = stable_story(dimensions, same_slice(way));
            same_run(made.world, way, &threads.jobs, 4, &told);
            CHECK_EQ(made.world->report.steps_strained, made.world->report.steps);
            CHECK(springs_measure(made.world).softened > 0);
            CHECK(tp_world_report(made.world).speeds_clamped > 30);
            test_world_free(&made);
        }
    }
    platform_jobs_stop(&threads);
}

/* In the middle of the row sums. */
static void a_copied_block_goes_on_to_the_same_bits(void)
{
    test_world made = stable_story(3, 1000);
    const tp_budget slice = {.units = 1000};
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 1000));
    CHECK_EQ(tp_frame(made.world, &slice, NULL), TP_MORE);
    CHECK(made.world->step.stage == TP_STAGE_PRESSURE && made.world->step.cursor.i > 0);
    same_after_a_copy(&made, 2);
    test_world_free(&made);
}

static void a_forged_row_sum_is_found(void)
{
    test_world made = stable_story(3, 65536);
    tp_block_fault fault;
    tp_world *world = NULL;
    test_world_frames(made.world, 1);
    uint32_t at = made.world->arrays.own[14];
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t *word = tpi_words(made.world, at) + (k == 0 ? 0u : k == 1 ? 9u : 2109u);
        uint32_t was = *word;
        *word = 0xffc00000u;
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
        CHECK(fault.expected && fault.offset == at);
        *word = was;
    }
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_OK);
    test_world_free(&made);
}

static void a_rewound_cache_resumes_the_springs(void)
{
    test_world made = stable_story(3, 65536);
    same_after_a_rewind(made.world);
    test_world_free(&made);
}

/* Contacts, wear and the limit of stretch work on the same sheets. */
static void springs_tear_meet_and_have_a_limit(void)
{
    tp_world_def def = springs_def(3, 128);
    def.cloth.damping = 0.002f;
    def.cloth.limit = 0.5f;
    springs_tear(&def, 1e-3f, 0.6f);
}

static void bad_integrators_are_refused_with_a_text(void)
{
    tp_world_def def = springs_def(3, 64);
    size_t bytes = 0;
    CHECK(tp_world_check(&def) == NULL);
    def.cloth.tetrahedra_max = 5;
    CHECK(strstr(tp_world_check(&def), "cloth.tetrahedra_max") != NULL);
    def.cloth.integrator = TP_CLOTH_XPBD;
    CHECK(tp_world_check(&def) == NULL);
    def.cloth.tetrahedra_max = 0;
    def.cloth.integrator = (tp_cloth_integrator)3;
    CHECK(strstr(tp_world_check(&def), "cloth.integrator") != NULL);
    def.cloth.integrator = (tp_cloth_integrator)-1;
    CHECK(strstr(tp_world_check(&def), "cloth.integrator") != NULL);
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_ERROR_DEFINITION);
    def = springs_def(3, 64);
    def.cloth.constraints_max = 300;
    def.takes_changes = true;
    test_world made = test_world_make(&def);
    CHECK(made.bytes <= TP_WORLD_BYTES(3, 64, 0, 64, 0) + TP_CLOTH_BYTES(3, 64, 1, 300) +
                            TP_EXPLICIT_BYTES(64) + TP_CHANGE_BYTES(64));
    def.cloth.integrator = TP_CLOTH_XPBD;
    CHECK(strstr(tp_world_change_check(made.world, &def), "cloth.integrator") != NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(the_stable_step_is_below_that_of_power_iteration),
    TEST_CASE(a_frame_has_the_steps_that_its_springs_need),
    TEST_CASE(springs_beyond_the_limit_are_softened),
    TEST_CASE(fast_springs_gain_no_kinetic_energy),
    TEST_CASE(slices_widths_and_threads_change_no_springs),
    TEST_CASE(a_copied_block_goes_on_to_the_same_bits),
    TEST_CASE(a_forged_row_sum_is_found),
    TEST_CASE(a_rewound_cache_resumes_the_springs),
    TEST_CASE(springs_tear_meet_and_have_a_limit),
    TEST_CASE(bad_integrators_are_refused_with_a_text),
};
TEST_SUITE(cloth_stable, cases);
