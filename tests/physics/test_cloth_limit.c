/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_limit.c - the limit of stretch: found strains, momentum, the same bits.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 600 nodes      cost    about one second
   after   brute force in double precision of one pass */
#include "cloth_same.h"
#include "test.h"
#include "world_help.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <string.h>

#define SIDE 24u

/* Soft cloth of 1 m x 1 m and 0.2 kg that hangs from its first row: without a limit its first
   links become twice as long. */
static test_world limit_hang(float limit, uint32_t passes, uint32_t slice_units)
{
    tp_world_def def = tp_world_default(3);
    tp_cloth_def sheet = tp_cloth_default();
    uint32_t id = 0;
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = SIDE * SIDE;
    def.cloth.constraints_max = 6 * SIDE * SIDE;
    def.cloth.limit = limit;
    def.cloth.limit_passes = passes;
    def.slice_units = slice_units;
    def.lag_frames_max = 64;
    def.species[0].mass = 0.2f / (SIDE * SIDE);
    test_world made = test_world_make(&def);
    sheet.columns = sheet.rows = SIDE;
    sheet.along = (tp_vector){1.0f / (SIDE - 1), 0, 0};
    sheet.across = (tp_vector){0, -1.0f / (SIDE - 1), 0};
    sheet.stretch = 1.0f;
    sheet.shear = 1.0f;
    sheet.bend = 1.0f;
    sheet.tether = 0;
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, &id), TP_OK);
    for (uint32_t k = 0; k < SIDE; k++) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    test_world_gravity(made.world, 9.81f);
    return made;
}

static float limit_strain(tp_world *world, uint32_t frames)
{
    tp_cloth_report report;
    float most = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(world, 1);
        CHECK_EQ(tp_cloth_measure(world, &report), TP_OK);
        most = fmaxf(most, report.stretch_max);
    }
    return most;
}

/* The largest strain while the sheet falls into its limit, and swings there. */
static void soft_cloth_stretches_no_more_than_its_limit(void)
{
    static const uint32_t passes[4] = {1, 2, 4, 16};
    float last = 10, strain = 0;
    test_world made = limit_hang(0, 4, 65536);
    strain = limit_strain(made.world, 90);
    test_note("without a limit %g", (double)strain);
    CHECK(strain > 1);
    test_world_free(&made);
    for (uint32_t k = 0; k < 4; k++) {
        made = limit_hang(0.1f, passes[k], 65536);
        strain = limit_strain(made.world, 90);
        test_note("passes %u: %g", passes[k], (double)strain);
        CHECK(strain <= last);
        CHECK(strain > 0.09f);
        CHECK(strain < (k == 0 ? 0.2f : k == 1 ? 0.15f : k == 2 ? 0.12f : 0.105f));
        last = strain;
        test_world_free(&made);
    }
}

/* A rope of two links, one too long: one pass moves its ends together by their masses, to the
   limit, and leaves momentum and the centre of mass. */
static void a_pass_shortens_by_mass_and_keeps_momentum(void)
{
    tp_world_def def = tp_world_default(2);
    tp_cloth_def rope = tp_cloth_default();
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = 2;
    def.cloth.constraints_max = 6;
    def.cloth.limit = 0.1f;
    def.cloth.limit_passes = 1;
    test_world made = test_world_make(&def);
    rope.columns = 2;
    rope.rows = 1;
    rope.along = (tp_vector){1, 0, 0};
    rope.stretch = 1e12f;
    CHECK_EQ(tp_cloth_grid(made.world, &rope, NULL), TP_OK);
    tp_vector at = {1.2f, 0, 0}, v = {3, 1, 0}, none = {0};
    CHECK_EQ(tp_particle_set(made.world, 1, at, v), TP_OK);
    CHECK_EQ(tp_particle_set(made.world, 0, none, none), TP_OK);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    double dx = (double)view.x[1] - view.x[0], dy = (double)view.y[1] - view.y[0],
           seconds = 1 / 60.0;
    CHECK(sqrt(dx * dx + dy * dy) < 1.1 + 1e-5);
    CHECK_NEAR((double)view.vx[0] + view.vx[1], 3, 1e-5);
    CHECK_NEAR((double)view.vy[0] + view.vy[1], 1, 1e-5);
    CHECK_NEAR(((double)view.x[0] + view.x[1]) / 2, 0.6 + 1.5 * seconds, 1e-5);
    test_world_free(&made);
}

static void slices_widths_and_threads_change_no_limit(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        test_world made = limit_hang(0.1f, 3, same_slice(way));
        same_run(made.world, way, &threads.jobs, 8, &told);
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

static void bad_limits_are_refused(void)
{
    for (uint32_t k = 0; k < 3; k++) {
        tp_world_def def = tp_world_default(3);
        def.solver = TP_SOLVER_CLOTH;
        if (k == 0) def.cloth.limit = -0.1f;
        if (k == 1) def.cloth.limit_passes = 0;
        if (k == 2) def.cloth.limit_passes = 17;
        const char *text = tp_world_check(&def);
        CHECK(text && strstr(text, k ? "cloth.limit_passes" : "cloth.limit"));
    }
}

static const test_case cases[] = {
    TEST_CASE(soft_cloth_stretches_no_more_than_its_limit),
    TEST_CASE(a_pass_shortens_by_mass_and_keeps_momentum),
    TEST_CASE(slices_widths_and_threads_change_no_limit),
    TEST_CASE(bad_limits_are_refused),
};
TEST_SUITE(cloth_limit, cases);
