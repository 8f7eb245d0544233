/* SPDX-License-Identifier: MIT
   tests/unit/test_bench.c - the tools of `tidepool bench`: the stage timer, bytes touched, the
           points.
   reads   host_tools/commands      writes  nothing
   memory  worlds of a few thousand points      cost    under a second
   after   own design; no check depends on measured times */
#include "commands/bench.h"
#include "test.h"
#include "world_help.h"
#include <stdlib.h>
#include <string.h>

static test_world watched_world(uint32_t count)
{
    tp_world_def def = tp_world_default(3);
    def.particles_max = count;
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.frames_per_second_numerator = 200;
    def.pair.skin = 0;
    test_world made = test_world_make(&def);
    uint32_t state = 3;
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = {1.2f * (float)(i % 8u) + 0.1f * test_random(&state),
                        1.2f * (float)(i / 8u % 8u), 1.2f * (float)(i / 64u)};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* The first frame computes initial forces (priming), then a step. Both use the grid, only the step
   collides. */
static void the_watch_tells_priming_and_step_apart(void)
{
    bench_watch watch;
    tp_report report;
    const bench_plan plan = {0};
    test_world made = watched_world(512), alone = watched_world(512);
    CHECK(bench_watch_frame(&watch, made.world, &plan, &report) == TP_OK);
    CHECK_EQ(watch.round, 2);
    for (int pass = 0; pass < 2; pass++) {
        test_note("pass %d", pass);
        CHECK(watch.seconds[pass][TP_STAGE_MOVE] > 0);
        CHECK(watch.seconds[pass][TP_STAGE_GRID] > 0);
        CHECK(watch.seconds[pass][TP_STAGE_PAIRS] > 0);
        CHECK(watch.seconds[pass][TP_STAGE_FORCE] > 0);
        CHECK((watch.seconds[pass][TP_STAGE_COLLIDE] > 0) == (pass == 1));
    }
    CHECK(watch.pending == 0);
    CHECK(bench_watch_frame(&watch, made.world, &plan, &report) == TP_OK);
    CHECK_EQ(watch.round, 1);
    for (int frame = 0; frame < 2; frame++) CHECK(tp_frame(alone.world, NULL, NULL) == TP_OK);
    CHECK_EQ(tp_world_hash(made.world), tp_world_hash(alone.world));
    test_world_free(&made);
    test_world_free(&alone);
}

static void touched_bytes_follow_the_arrays(void)
{
    double stored[TP_WORLD_STAGES], other[TP_WORLD_STAGES];
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    bench_touched(&def, 30, 1, stored);
    CHECK_NEAR(stored[TP_STAGE_GRID], 4 * (3 * 4 + 9 + 5 + 4 + 13), 1e-9);
    CHECK_NEAR(stored[TP_STAGE_FORCE], 4 * (3 * 4 + 3 + 1 + 15), 1e-9);
    CHECK_NEAR(stored[TP_STAGE_NEAREST], 0, 0);
    bench_touched(&def, 40, 1, other);
    CHECK_NEAR(other[TP_STAGE_PAIRS] - stored[TP_STAGE_PAIRS], 20, 1e-9); /* 5 more pairs */
    def.sph.stores_neighbours = false;
    bench_touched(&def, 30, 1, other);
    CHECK(other[TP_STAGE_FORCE] < stored[TP_STAGE_FORCE]);
    def.solver = TP_SOLVER_PAIR;
    bench_touched(&def, 30, 0.25, other);
    bench_touched(&def, 30, 0, stored);
    CHECK_NEAR(stored[TP_STAGE_GRID] + stored[TP_STAGE_PAIRS], 0, 0);
    CHECK(other[TP_STAGE_GRID] > 0 && other[TP_STAGE_MOVE] < stored[TP_STAGE_MOVE]);
}

/* A periodic box has 30 neighbours according to its density, open ones have fewer. No cell exceeds
   its limit. */
static void points_have_the_neighbours_that_their_density_gives(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        bench_search rows[BENCH_SEARCHES];
        bench_plan plan = {
            .name = "grid", .dimensions = dimensions, .particles = 4000, .steps = 1, .seed = 1};
        if (!CHECK(bench_grid(&plan, rows, BENCH_SEARCHES) == 0)) return;
        for (uint32_t r = 0; r < BENCH_SEARCHES; r++) {
            test_note("%uD, %s: %g neighbours", dimensions, rows[r].name, rows[r].neighbours);
            CHECK_EQ(rows[r].crowded, 0);
            CHECK(rows[r].neighbours > 9 && rows[r].neighbours < 33);
            CHECK(rows[r].total_ns > rows[r].build_ns && rows[r].build_ns > 0);
            CHECK(rows[r].search_a_point > 128 && rows[r].search_a_point < rows[r].memory_a_point);
            CHECK(rows[r].search_a_point <= 150);
        }
        CHECK_NEAR(rows[2].neighbours, 30, 0.6);
        CHECK_NEAR(rows[0].neighbours, rows[1].neighbours, 0);
        CHECK_NEAR(rows[0].neighbours, rows[3].neighbours, 0.05);
    }
}

static void the_fluid_has_about_the_neighbours_that_are_asked_for(void)
{
    for (uint32_t wanted = 13; wanted <= 26; wanted += 13) {
        bench_plan plan;
        bench_result result;
        const bench_plan asked = {.particles = 1000, .steps = 200, .neighbours = wanted, .seed = 1};
        if (!CHECK(bench_run("sph2d", &asked, &plan, &result) == 0)) return;
        test_note("%u wanted, %g found", wanted, result.neighbours);
        CHECK_NEAR(result.neighbours, wanted, 0.15 * wanted);
    }
}

/* A figure "per step" is of steps, even if a benchmark's frame needs several. */
static void figures_are_per_step(void)
{
    static const char *const names[] = {"sph2d", "sph3d", "lj"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        bench_plan plan;
        bench_result result;
        const bench_plan asked = {.particles = 500, .steps = 6, .settling = 3, .seed = 1};
        if (!CHECK(bench_run(names[n], &asked, &plan, &result) == 0)) return;
        test_note("%s: %u steps in 6 frames", names[n], (unsigned)result.steps);
        CHECK_EQ(result.steps, 6);
        CHECK_NEAR(result.ns_per_particle_step * 6 * result.particles, result.seconds * 1e9,
                   1e-6 * result.seconds * 1e9);
    }
    double frames[3] = {6000, 2000, 2000};
    const uint32_t steps[3] = {2, 1, 2};
    bench_result result = {.particles = 10, .steps = 5};
    bench_finish(&result, frames, steps, 3);
    CHECK_NEAR(result.ns_per_particle_step, 200, 1e-9);
    CHECK_NEAR(result.median_ns, 200, 1e-9);
    CHECK_NEAR(result.worst_ns, 300, 1e-9);
}

/* A repeat has the state and the steps of the first time. */
static void repeats_are_the_same_steps(void)
{
    static const char *const names[] = {"sph2d", "lj", "cloth", "vortex"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        bench_plan plan;
        bench_result once, thrice;
        bench_plan asked = {.particles = 500, .steps = 6, .settling = 3, .seed = 1};
        if (!CHECK(bench_run(names[n], &asked, &plan, &once) == 0)) return;
        asked.repeats = 3;
        if (!CHECK(bench_run(names[n], &asked, &plan, &thrice) == 0)) return;
        test_note("%s", names[n]);
        CHECK_EQ(thrice.state_hash, once.state_hash);
        CHECK_EQ(thrice.steps, once.steps);
        CHECK(thrice.neighbours == once.neighbours);
    }
}

/* One step per frame once the fluid has landed, at the density of rest; the fluid without that
   option is another. */
static void incompressible_fluids_have_a_step_per_frame(void)
{
    for (uint32_t d = 2; d <= 3; d++) {
        bench_plan plan;
        bench_result rest, dense;
        bench_plan asked = {.particles = 500, .steps = 20, .settling = 60, .seed = 1};
        const char *name = d == 2 ? "sph2d" : "sph3d";
        if (!CHECK(bench_run(name, &asked, &plan, &dense) == 0)) return;
        asked.is_incompressible = true;
        if (!CHECK(bench_run(name, &asked, &plan, &rest) == 0)) return;
        test_note("%s: %u steps, %.2f neighbours", name, rest.steps, rest.neighbours);
        CHECK_EQ(rest.steps, 20);
        CHECK(rest.neighbours > (d == 2 ? 12 : 14) && rest.neighbours < (d == 2 ? 20 : 33));
        CHECK(rest.state_hash != dense.state_hash);
        CHECK(rest.stage_ns[TP_STAGE_FORCE] > 0 && rest.stage_bytes[TP_STAGE_FORCE] == 0);
    }
}

/* Frames of 1/60 s: four sub-steps and no more, or up to 16 while the block falls into the wider
   tank; at rest it needs the four. */
static void frames_have_the_wanted_sub_steps(void)
{
    bench_plan plan;
    bench_result rest, slow, dam;
    bench_plan asked = {.particles = 450,
                        .steps = 30,
                        .settling = 60,
                        .seed = 1,
                        .is_incompressible = true,
                        .frame_steps = 4,
                        .frame_steps_most = 4};
    if (!CHECK(bench_run("sph2d", &asked, &plan, &rest) == 0)) return;
    asked.is_dam = true;
    asked.settling = 0;
    if (!CHECK(bench_run("sph2d", &asked, &plan, &slow) == 0)) return;
    CHECK_EQ(plan.settling, 0);
    asked.frame_steps_most = 16;
    if (!CHECK(bench_run("sph2d", &asked, &plan, &dam) == 0)) return;
    test_note("steps %u, %u, %u; height %g m, dam %g m", rest.steps, slow.steps, dam.steps,
              rest.height, dam.height);
    CHECK_EQ(rest.steps, 120);
    CHECK_EQ(slow.steps, 120);
    CHECK(dam.steps > 120);
    CHECK_NEAR(rest.height, 0.375, 0.01); /* of 15 rows 5 cm apart */
    CHECK(dam.height < 0.35);
    CHECK_NEAR(rest.frame_ms, rest.seconds * 1e3 / 30, 1e-6);
    CHECK(rest.worst_frame_ms >= rest.frame_ms);
}

/* A tall tank of double density gives way within some hundred steps: 875 instead of 76 ns a
   particle and step. */
static void large_worlds_take_fewer_steps(void)
{
    static const struct {
        const char *name;
        uint32_t particles, steps;
    } plans[] = {{"sph2d", 0, 400},      {"sph2d", 20000, 400}, {"sph2d", 100000, 80},
                 {"sph2d", 1000000, 60}, {"sph3d", 0, 60},      {"sph3d", 1000000, 60},
                 {"lj", 32000, 100},     {"grid", 100000, 9}};
    for (size_t k = 0; k < sizeof plans / sizeof plans[0]; k++) {
        bench_plan wanted = {.particles = plans[k].particles};
        CHECK_EQ(bench_plan_of(plans[k].name, &wanted).steps, plans[k].steps);
        wanted.steps = 5000;
        CHECK_EQ(bench_plan_of(plans[k].name, &wanted).steps, plans[k].name[0] == 'g' ? 64 : 5000);
    }
}

/* Vectors of any width have one layout. Few atoms take more, because tables have sizes in steps. */
static void an_atom_of_the_melt_takes_at_most_400_bytes(void)
{
    for (uint32_t lanes = 4; lanes <= 8; lanes += 4) {
        const bench_plan asked = {.particles = 1000, .steps = 1, .settling = 1, .lanes = lanes};
        bench_plan plan;
        bench_result result;
        if (!CHECK(bench_run("lj", &asked, &plan, &result) == 0)) return;
        test_note("%u lanes: %g bytes", (unsigned)lanes,
                  (double)result.memory_bytes / (double)result.particles);
        CHECK((double)result.memory_bytes <= 400.0 * (double)result.particles);
    }
}

/* The plain program and the runtime move a ring by the same law; a grid moves it nearly so. */
static void rings_rise_as_in_plain_sums(void)
{
    const bench_plan wanted = {
        .particles = 600, .vortons = 200, .steps = 20, .settling = 20, .seed = 3};
    bench_plan plan = bench_plan_of("vortex", &wanted);
    bench_result grid, sums, plain;
    if (!CHECK_EQ(bench_vortex(&plan, &grid), HOST_DONE)) return;
    plan.is_summed = true;
    if (!CHECK_EQ(bench_vortex(&plan, &sums), HOST_DONE)) return;
    if (!CHECK_EQ(bench_plain_vortex(&plan, &plain), HOST_DONE)) return;
    test_note("%g m, plain %g, grid %g", sums.height, plain.height, grid.height);
    CHECK(sums.height > 0.05);
    CHECK_NEAR(plain.height, sums.height, 1e-5);
    CHECK_NEAR(grid.height, sums.height, 0.1 * sums.height);
}

/* Nodes meet in folds only, and only with a thickness. */
static void sheets_in_folds_touch_themselves(void)
{
    const bench_plan wanted = {.particles = 576, .steps = 10};
    for (uint32_t k = 0; k < 4; k++) {
        bench_result result;
        bench_plan plan = bench_plan_of("cloth", &wanted);
        plan.is_thick = k % 2, plan.is_folded = k / 2;
        test_note("%s, %s", plan.is_folded ? "folds" : "swings", plan.is_thick ? "thick" : "thin");
        if (!CHECK_EQ(bench_cloth(&plan, &result), HOST_DONE)) continue;
        CHECK_EQ(result.particles, 576);
        CHECK(k == 3 ? result.neighbours > 0.05 : result.neighbours <= 0);
    }
}

/* Bytes per point and frame when this test was written, at 1e-3 and 1e-4 of the largest side. */
typedef struct size_bound {
    const char *set; /* a scene, or a path; NULL: bouncing points */
    double bytes[2], record_bytes[2];
} size_bound;

static void tiles_stay_as_small_as_they_were(void)
{
    static const size_bound bounds[] = {
        {NULL, {0.3200, 0.5226}, {0.5452, 0.7880}},
        {"jelly", {0.4639, 0.9574}, {0.5676, 1.1506}},
        {"hard_spheres", {0.3552, 0.8052}, {0.4924, 0.8761}},
        {"rain", {0.2692, 0.5100}, {0.5292, 0.8220}},
        {"tests/fixtures/blender/hair/none", {0.3639, 0.6076}, {0.6597, 1.1396}},
        {"tests/fixtures/blender/softbody/none", {1.2377, 2.0062}, {1.9414, 2.8056}}};
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        host_tracks tracks;
        const char *set = bounds[k].set;
        if (!test_runs((uint32_t)k, 3) && !test_runs(1 + (uint32_t)k, 3)) continue;
        int code = !set               ? host_tracks_of_bouncing(&tracks, 256, 1)
                   : strchr(set, '/') ? host_tracks_of_path(&tracks, set, 0)
                                      : host_tracks_of_scene(&tracks, set, 256);
        if (!CHECK(code == 0)) continue;
        for (uint32_t e = 0; e < 2; e++) {
            if (!test_runs(e + (uint32_t)k, 3)) continue;
            bench_tiles tiles;
            if (!CHECK(bench_tiles_of(&tiles, &tracks, e ? 1e-4 : 1e-3) == 0)) continue;
            test_note("%s: %.4f bytes per point and frame, the plain way %.4f, a recorder's %.4f",
                      tiles.name, tiles.bytes, tiles.plain, tiles.record_bytes);
            CHECK(tiles.bytes > 0 && tiles.bytes < 1.005 * bounds[k].bytes[e]);
            CHECK(tiles.bytes < tiles.plain);
            CHECK(tiles.worst_bytes < 4.0 * tiles.bytes);
            CHECK(tiles.record_bytes > 0 && tiles.record_bytes < 1.005 * bounds[k].record_bytes[e]);
        }
        host_tracks_free(&tracks);
    }
}

/* The stars of the fireworks live for less than a second: no set of lasting points. */
static void a_scene_without_lasting_particles_is_skipped(void)
{
    host_tracks tracks;
    CHECK_EQ(host_tracks_of_scene(&tracks, "fireworks", 256), HOST_DONE);
    CHECK(tracks.points == 0 && tracks.places == NULL);
}

static const test_case cases[] = {
    TEST_CASE(a_scene_without_lasting_particles_is_skipped),
    TEST_CASE(the_watch_tells_priming_and_step_apart),
    TEST_CASE(touched_bytes_follow_the_arrays),
    TEST_CASE(points_have_the_neighbours_that_their_density_gives),
    TEST_CASE(the_fluid_has_about_the_neighbours_that_are_asked_for),
    TEST_CASE(figures_are_per_step),
    TEST_CASE(repeats_are_the_same_steps),
    TEST_CASE(incompressible_fluids_have_a_step_per_frame),
    TEST_CASE(frames_have_the_wanted_sub_steps),
    TEST_CASE(large_worlds_take_fewer_steps),
    TEST_CASE(an_atom_of_the_melt_takes_at_most_400_bytes),
    TEST_CASE(rings_rise_as_in_plain_sums),
    TEST_CASE(sheets_in_folds_touch_themselves),
    TEST_CASE(tiles_stay_as_small_as_they_were),
};
TEST_SUITE(bench, cases);
