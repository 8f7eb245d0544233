/* SPDX-License-Identifier: MIT
   tests/physics/test_dfsph.c - the incompressible fluid: its sub-step beside one in double
           precision, conservation, equal bits, rest, volume, a dam break.
   reads   runtime/solve/sph/dfsph*.c      writes  nothing
   memory  worlds of up to 5000 particles
   cost    some seconds; TIDEPOOL_LONG=1: a minute of each pool
   after   own design; the experiment is that of Martin and Moyce 1952, column 2.25 in wide */
#include "test.h"
#include "cache_help.h"
#include "world_help.h"
#include "dfsph_oracle.h"
#include "dfsph_worlds.h"
#include "jobs_posix/jobs.h"
#include "solve/solve.h"
#include <stdlib.h>

/* ---- beside double precision ---- */

static const uint32_t cloud_sizes[2][3] = {{12, 12, 1}, {5, 7, 5}};

/* A cloud without walls, disordered so that no two particles are nearer than a third of the
   spacing. */
static test_world cloud_make(uint32_t dimensions, uint32_t iterations, bool has_masses)
{
    tp_world_def def = fluid_def(dimensions, ORACLE_MAX);
    def.frames_per_second_numerator = 240;
    def.substeps.count = 1;
    def.sph.timestep_max = tp_sph_timestep_limit(&def); /* no step is shortened */
    def.sph.neighbours_max = 127;
    def.sph.divergence_iterations = iterations;
    def.sph.density_iterations = iterations + 1u;
    if (has_masses) {
        def.species_count = 3;
        for (uint32_t s = 0; s < 3; s++) def.species[s].mass = s == 2 ? 0.3f : 1.0f + (float)s;
    }
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 5.0f);
    fluid_block(made.world, cloud_sizes[dimensions - 2u], (tp_vector){0.3f, -0.2f, 0.1f}, 0.5f,
                0.8f);
    return made;
}

static void densities_are_those_of_all_pairs(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        test_world made = cloud_make(2u + kind % 2u, 1, kind > 1);
        oracle o;
        oracle_read(&o, made.world);
        oracle_densities(&o);
        CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
        const uint32_t *order = tpi_words(made.world, made.world->arrays.order),
                       *id = tpi_words(made.world, made.world->arrays.id);
        for (uint32_t k = 0; k < o.count; k++) {
            uint32_t i = id[TPI_ORDER_INDEX(order[k])];
            double density = (double)tpi_sph_pressure_of(made.world)[k] * o.mass[i];
            CHECK_NEAR(density, o.density[i], 2e-6);
            CHECK_NEAR(1 / (double)tpi_sph_near_pressure_of(made.world)[k], o.a[i], 2e-5 * o.a[i]);
        }
        test_world_free(&made);
    }
}

/* Velocities and pressures after each of some steps from the state before it: so pressures must
   belong to their particles, whose order in memory changes. */
static void check_steps(uint32_t dimensions, uint32_t iterations, bool has_masses)
{
    test_world made = cloud_make(dimensions, iterations, has_masses);
    double largest = 0;
    for (uint32_t step = 0; step < 6; step++) {
        oracle o, after;
        oracle_read(&o, made.world);
        o.timestep = 1.0 / 240.0;
        o.gravity = 5;
        oracle_step(&o);
        test_world_frames(made.world, 1);
        oracle_read(&after, made.world);
        test_note("%uD, %u iterations, step %u of %.5f s", dimensions, iterations, step,
                  o.timestep);
        for (uint32_t i = 0; i < o.count; i++) {
            largest = fmax(largest, o.pressure[i]);
            CHECK_NEAR(after.pressure[i], o.pressure[i], 2e-3 * (1 + o.pressure[i]));
            CHECK_NEAR(after.mean[i], o.mean[i], 1e-5 * (1 + o.mean[i]));
            for (uint32_t c = 0; c < dimensions; c++) {
                CHECK_NEAR(after.v[i][c], o.v[i][c], 2e-4 / o.mass[i]);
                CHECK_NEAR(after.x[i][c], o.x[i][c], 2e-6 / o.mass[i]);
            }
        }
    }
    CHECK(largest > 1);
    CHECK_EQ(made.world->report.displacements_clamped, 0);
    test_world_free(&made);
}

static void a_step_is_that_in_double_precision(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++)
        for (uint32_t iterations = 0; iterations < 3; iterations++) {
            check_steps(dimensions, iterations, false);
            check_steps(dimensions, iterations, true);
        }
}

/* ---- walls ---- */

/* The share of the kernel (1 - q)^3 beyond a plane at a distance in support radii. */
static double beyond(uint32_t dimensions, double distance)
{
    double part = 0, whole = 0;
    for (int a = 0; a < 2000; a++) {
        double z = -1 + (a + 0.5) / 1000, rim = sqrt(1 - z * z), sum = 0;
        for (int b = 0; b < 400; b++) {
            double r = (b + 0.5) / 400 * rim, q = sqrt(r * r + z * z);
            sum += pow(1 - q, 3) * (dimensions == 2 ? 1 : r) * rim;
        }
        whole += sum;
        if (z > distance) part += sum;
    }
    return part / whole;
}

/* What the walls of a tank add to the density of a lone particle. */
typedef struct cover {
    double density;
    tp_vector gradient;
} cover;

static cover cover_of(uint32_t dimensions, tp_vector point)
{
    tp_world_def def = fluid_def(dimensions, 4);
    test_world made = test_world_make(&def);
    cover met = {0};
    test_world_tank(made.world, (tp_vector){3, 3, 3});
    CHECK(tp_particle_add(made.world, point, (tp_vector){0}, 0, NULL) == TP_OK);
    tpi_step_begin(made.world, tpi_substep_ticks(made.world));
    CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
    const uint32_t *own = made.world->arrays.own;
    met.density =
        (double)tpi_sph_pressure_of(made.world)[0] - (double)tpi_sph_of(made.world)->dfsph.weight;
    met.gradient.x = tpi_floats(made.world, own[TPI_DFSPH_WALL])[0];
    met.gradient.y = tpi_floats(made.world, own[TPI_DFSPH_WALL + 1])[0];
    if (dimensions == 3) met.gradient.z = tpi_floats(made.world, own[TPI_DFSPH_WALL + 2])[0];
    test_world_free(&made);
    return met;
}

/* 3D: that of a plane behind its surface, and 1.4 times the gradient. */
static void a_wall_has_the_share_of_the_kernel_beyond_it(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        double h = (double)fluid_def(dimensions, 4).sph.smoothing_radius;
        for (int k = 1; k < 20; k += test_is_long() ? 1 : 3) {
            double q = k * 0.05, at = q + (dimensions == 2 ? 0 : 0.0784),
                   slope = (beyond(dimensions, at + 0.02) - beyond(dimensions, at - 0.02)) / 0.04;
            cover met = cover_of(dimensions, (tp_vector){1, (float)(q * h), 1});
            CHECK_NEAR(met.density, beyond(dimensions, at), 2e-3);
            CHECK_NEAR((double)met.gradient.y * h, (dimensions == 2 ? 1 : 1.4) * slope, 0.03);
            CHECK_EQ(met.gradient.x != 0 || met.gradient.z != 0, false);
        }
        CHECK_NEAR(cover_of(dimensions, (tp_vector){1, (float)h * 1.01f, 1}).density, 0, 1e-6);
    }
}

/* In a corner neither wall counts twice: the sum is 1 less what both leave. */
static void walls_of_a_corner_overlap(void)
{
    cover one = cover_of(2, (tp_vector){1, 0.03f, 0}),
          both = cover_of(2, (tp_vector){0.03f, 0.03f, 0});
    double left = 1 - one.density;
    CHECK_NEAR(both.density, 1 - left * left, 1e-6);
    CHECK_NEAR(both.gradient.x, (double)one.gradient.y * left, 1e-4);
    CHECK_NEAR(both.gradient.x, both.gradient.y, 1e-5);
}

/* A floor that rises approaches the fluid above it. */
static void a_moving_wall_changes_densities_at_its_speed(void)
{
    tp_world_def def = fluid_def(2, 100);
    test_world made = test_world_make(&def);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider collider;
    const float speed = 0.6f;
    CHECK(tp_collider_add(made.world, &floor, &collider) == TP_OK);
    fluid_block(made.world, (const uint32_t[3]){10, 10, 1}, (tp_vector){0, 0, 0}, 0.2f, 0);
    floor.pose.position.y = speed / 60;
    CHECK(tp_collider_move(made.world, collider, floor.pose) == TP_OK);
    tpi_step_begin(made.world, tpi_substep_ticks(made.world));
    CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
    const tpi_arrays *arrays = &made.world->arrays;
    const float *rate = tpi_floats(made.world, arrays->own[TPI_DFSPH_WALL_RATE]),
                *gradient = tpi_floats(made.world, arrays->own[TPI_DFSPH_WALL + 1]);
    uint32_t met = 0;
    for (uint32_t k = 0; k < 100; k++) {
        met += gradient[k] != 0;
        CHECK_NEAR(rate[k], (double)(gradient[k] * speed), 1e-3 + 1e-3 * fabs((double)rate[k]));
    }
    CHECK(met >= 20 && met < 40);
    test_world_free(&made);
}

/* A lid presses a full box to nine tenths and goes back: the fluid stays bounded, has its volume
   again a second later, and comes to rest. */
static void a_full_box_under_a_lid_recovers(void)
{
    tp_world_def def = fluid_def(2, 20 * 20);
    test_world made = test_world_make(&def);
    tp_collider_def lid = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider collider;
    pool_outcome outcome = {0};
    lid.half = (tp_vector){2, 0.5f, 1};
    lid.pose.position = (tp_vector){0.5f, 1.5f, 0};
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){1, 100, 0});
    CHECK(tp_collider_add(made.world, &lid, &collider) == TP_OK);
    fluid_block(made.world, (const uint32_t[3]){20, 20, 1}, (tp_vector){0, 0, 0}, 0.02f, 0);
    for (uint32_t frame = 0; frame < 900; frame++) {
        float depth = frame < 60    ? 0.1f * (float)frame / 60
                      : frame < 120 ? 0.1f
                      : frame < 180 ? 0.1f * (float)(180 - frame) / 60
                                    : 0.0f;
        lid.pose.position.y = 1.5f - depth;
        CHECK(tp_collider_move(made.world, collider, lid.pose) == TP_OK);
        test_world_frames(made.world, 1);
        pool_sums(made.world, &outcome);
        if (outcome.energy > 1) test_note("frame %u: %g J", frame, outcome.energy);
        CHECK(outcome.energy < 5);
        if (frame != 240) continue;
        pool_measure(made.world, &outcome);
        CHECK(outcome.mean < 0.25);
    }
    pool_measure(made.world, &outcome);
    test_note("KE/N %.2e J, compression %.3f %%", outcome.energy, outcome.mean);
    CHECK(outcome.energy < 1e-4 && outcome.mean < 0.25);
    test_world_free(&made);
}

/* ---- conservation ---- */

static void momentum_and_angular_momentum_are_kept(void)
{
    tp_world_def def = fluid_def(2, 400);
    uint32_t frames = test_is_long() ? 600 : 120;
    test_world made = test_world_make(&def);
    fluid_block(made.world, (const uint32_t[3]){20, 20, 1}, (tp_vector){-0.5f, -0.5f, 0}, 0.2f, 0);
    for (uint32_t i = 0; i < 400; i++) {
        tp_vector at = {made.world ? tpi_front_x(made.world, 0)[i] : 0,
                        tpi_front_x(made.world, 1)[i], 0};
        CHECK(tp_particle_set(made.world, i, at, (tp_vector){-3 * at.y + 0.5f, 3 * at.x, 0}) ==
              TP_OK);
    }
    double sums[2][3] = {{0}};
    for (uint32_t turn = 0; turn < 2; turn++) {
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            double x = (double)view.x[i], y = (double)view.y[i], vx = (double)view.vx[i],
                   vy = (double)view.vy[i];
            sums[turn][0] += vx;
            sums[turn][1] += vy;
            sums[turn][2] += x * vy - y * vx;
        }
        if (turn == 0) test_world_frames(made.world, frames);
    }
    CHECK_NEAR(sums[1][0], sums[0][0], 2e-3);
    CHECK_NEAR(sums[1][1], sums[0][1], 2e-3);
    CHECK_NEAR(sums[1][2] / sums[0][2], 1, 1e-3);
    test_world_free(&made);
}

/* Viscosity, and pressure, between species of unequal masses. */
static void viscosity_of_unequal_masses_keeps_momentum(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        test_world made = cloud_make(dimensions, 1, true);
        double sums[2][3] = {{0}}, size = 0;
        test_world_gravity(made.world, -5.0f); /* cancels that of the cloud */
        made.world->def.sph.smoothing = 0.5f;
        for (uint32_t turn = 0; turn < 2; turn++) {
            oracle o;
            oracle_read(&o, made.world);
            for (uint32_t i = 0; i < o.count; i++)
                for (uint32_t c = 0; c < dimensions; c++) {
                    sums[turn][c] += o.mass[i] * o.v[i][c];
                    size += o.mass[i] * fabs(o.v[i][c]);
                }
            if (turn == 0) test_world_frames(made.world, 1000);
        }
        for (uint32_t c = 0; c < dimensions; c++) CHECK_NEAR(sums[1][c], sums[0][c], 1e-5 * size);
        test_world_free(&made);
    }
}

static void coincident_particles_part(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = fluid_def(dimensions, 3);
        test_world made = test_world_make(&def);
        for (uint32_t i = 0; i < 3; i++)
            CHECK(tp_particle_add(made.world, (tp_vector){0.2f, 0.3f, 0.1f}, (tp_vector){0, 0, 0},
                                  0, NULL) == TP_OK);
        test_world_frames(made.world, 120);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < 3; i++)
            for (uint32_t j = 0; j < i; j++)
                CHECK(hypotf(view.x[i] - view.x[j], view.y[i] - view.y[j]) +
                          (dimensions == 3 ? fabsf(view.z[i] - view.z[j]) : 0.0f) >
                      0.2f * FLUID_SPACING);
        test_world_free(&made);
    }
}

/* ---- equal bits ---- */

/* A splash with births, deaths, coincident particles, and more neighbours than the limit. */
static test_world splash_make(uint32_t dimensions, bool stores, uint32_t particles)
{
    tp_world_def def = fluid_def(dimensions, particles);
    uint32_t state = 5;
    /* unequal masses and adaptive sub-steps have a sweep of their own */
    if (particles % 2u) {
        def.species_count = 2;
        def.species[1].mass = 4;
        def.substeps.is_adaptive = true;
        def.substeps.count = 2;
        def.sph.timestep_max = tp_sph_timestep_limit(&def);
    }
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = dimensions == 2 ? 24 : 40;
    test_world made = test_world_make(&def);
    float side =
        dimensions == 2 ? 0.03f * sqrtf((float)particles) : 0.04f * cbrtf((float)particles);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){2 * side, 5 * side, side});
    for (uint32_t i = 0; i < particles - 50u; i++) {
        tp_vector at = {side * test_random(&state), side * test_random(&state),
                        side * test_random(&state)};
        if (i % 40u == 0) at = (tp_vector){0.5f * side, 0.5f * side, 0.5f * side};
        CHECK(tp_particle_add(made.world, at, (tp_vector){1, 0, 0}, i % def.species_count, NULL) ==
              TP_OK);
    }
    tp_emitter_def jet = tp_emitter_default();
    jet.pose.position = (tp_vector){0.5f * side, 2 * side, 0.5f * side};
    jet.shape = TP_EMITTER_BOX;
    jet.size = (tp_vector){0.1f, 0.1f, 0.1f};
    jet.rate_numerator = 240;
    tp_sink_def drain = tp_sink_default();
    drain.shape = TP_SINK_BOX;
    drain.center = (tp_vector){2 * side, 0, 0.5f * side};
    drain.half = (tp_vector){0.1f, 0.1f, side};
    tp_emitter emitter;
    tp_sink sink;
    CHECK(tp_emitter_add(made.world, &jet, &emitter) == TP_OK);
    CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
    return made;
}

/* The hash, and the units that were charged, after some frames in calls of `units`. */
static uint64_t splash_outcome(test_world made, uint32_t frames, const tp_budget *budget)
{
    tp_report report = {0};
    uint64_t spent = 0;
    for (uint32_t call = 0; made.world->clock.frame < frames && call < 1000000u; call++) {
        CHECK(tp_frame(made.world, budget, &report) >= TP_OK);
        CHECK(!budget || report.units <= budget->units + 64u || budget->jobs);
        spent += report.units;
    }
    CHECK_EQ(made.world->clock.frame, frames);
    uint64_t hash = tp_world_hash(made.world) ^ spent ^ report.displacements_clamped << 20 ^
                    report.neighbours_dropped << 32;
    test_world_free(&made);
    return hash;
}

static void slices_and_lists_change_no_bit(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        if (!test_runs(kind, 3)) continue;
        const tp_budget little = {.units = 777};
        const uint32_t dimensions = 2 + kind % 2u, count = 600 + kind / 2u;
        test_world whole = splash_make(dimensions, true, count),
                   sliced = splash_make(dimensions, true, count),
                   compact = splash_make(dimensions, false, count);
        sliced.world->def.lag_frames_max = 64;
        sliced.world->def.slice_units = 64;
        for (uint32_t frame = 0; frame < 12; frame++) {
            test_world_frames(whole.world, 1);
            test_world_frames(compact.world, 1);
            CHECK_EQ(tp_world_hash(whole.world), tp_world_hash(compact.world));
        }
        tp_report end = tp_world_report(whole.world);
        CHECK(end.neighbours_dropped > 0 && end.died > 0 && end.born > 550);
        for (uint32_t call = 0; sliced.world->clock.frame < 12 && call < 100000u; call++)
            CHECK(tp_frame(sliced.world, &little, NULL) >= TP_OK);
        CHECK_EQ(tp_world_hash(whole.world), tp_world_hash(sliced.world));
        test_world_free(&whole);
        test_world_free(&sliced);
        test_world_free(&compact);
    }
}

static void widths_and_workers_change_no_bit(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    for (uint32_t kind = 0; kind < 8; kind++) {
        uint32_t dimensions = 2 + (kind & 1u), count = 2600 + kind / 4u;
        bool stores = kind % 4u < 2;
        if (!test_runs(kind, 5)) continue; /* 2D with lists, 3D without */
        const tp_budget narrow = {.units = 1000000000u, .lanes_max = 4};
        uint64_t hash = splash_outcome(splash_make(dimensions, stores, count), 4, &narrow);
        const tp_budget others[3] = {{.units = 1000000000u, .lanes_max = 8},
                                     {.units = 1000000000u, .lanes_max = 16},
                                     {.units = 1000000000u, .jobs = &pool.jobs}};
        for (uint32_t b = 0; b < 3; b++) {
            test_note("kind %u, budget %u", kind, b);
            CHECK_EQ(splash_outcome(splash_make(dimensions, stores, count), 4, &others[b]), hash);
        }
    }
    platform_jobs_stop(&pool);
}

static void a_copy_in_the_middle_of_a_step_goes_on_to_the_same_bits(void)
{
    test_world made = splash_make(2, true, 400);
    const tp_budget little = {.units = 3000};
    made.world->def.lag_frames_max = 64;
    for (uint32_t call = 0; call < 40; call++) CHECK(tp_frame(made.world, &little, NULL) >= TP_OK);
    CHECK(made.world->step.active && made.world->step.stage >= TP_STAGE_PAIRS);
    void *copy = aligned_alloc(64, (made.bytes + 63) / 64 * 64);
    memcpy(copy, made.world, made.bytes);
    tp_world *twin = tp_world_at(copy, made.bytes);
    uint64_t frame = made.world->clock.frame + 3;
    while (made.world->clock.frame < frame)
        CHECK(tp_frame(made.world, &little, NULL) >= TP_OK &&
              tp_frame(twin, &little, NULL) >= TP_OK);
    CHECK_EQ(tp_world_hash(made.world), tp_world_hash(twin));
    uint64_t hash = tp_world_hash(twin);
    tpi_front_kept(twin, TPI_DFSPH_MEAN)[0] += 1.0f;
    CHECK(tp_world_hash(twin) != hash);
    tp_world *verified;
    CHECK(tp_world_verify(copy, made.bytes, NULL, &verified) == TP_OK);
    tpi_front_kept(twin, TPI_DFSPH_PRESSURE)[3] = -1.0f;
    CHECK(tp_world_verify(copy, made.bytes, NULL, &verified) == TP_ERROR_BLOCK);
    free(copy);
    test_world_free(&made);
}

/* A frame that is recorded with its pressures is restored to the same bits. */
static void a_recorded_frame_goes_on_to_the_same_bits(void)
{
    test_world made = splash_make(2, true, 400);
    tp_source source = tp_world_source(made.world);
    CHECK_EQ(source.schema.stream_count, 6);
    CHECK(strcmp(source.schema.streams[5].name, "pressure") == 0);
    cache_check_resumes(made.world, 10);
    test_world_free(&made);
}

/* ---- rest and volume ---- */

typedef struct pool {
    const char *name;
    uint32_t dimensions;
    tp_vector tank; /* m */
    uint32_t size[3];
    /* J, per particle: largest kinetic energy after `seconds`; 0: not tested */
    double energy, seconds;
} pool;

static void pool_check(const pool *p)
{
    tp_world_def def = fluid_def(p->dimensions, p->size[0] * p->size[1] * p->size[2]);
    uint32_t seconds = test_is_long() ? 60 : (uint32_t)p->seconds;
    pool_outcome outcome = {0};
    double rest = 0, height = 0;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, p->tank);
    fluid_block(made.world, p->size, (tp_vector){0, 0, 0}, 0.02f, 0);
    for (uint32_t frame = 1; frame <= 60u * seconds; frame++) {
        test_world_frames(made.world, 1);
        if (frame % 3u == 0) pool_measure(made.world, &outcome);
        if (frame < 60u * (uint32_t)p->seconds) continue;
        pool_sums(made.world, &outcome);
        if (height == 0) height = outcome.height;
        rest = fmax(rest, outcome.energy);
        CHECK_NEAR(outcome.height, height, 0.01 * height);
    }
    test_note("%s: KE/N %.2e J, compression mean %.3f %%, frame %.2f %%, particle %.1f %%", p->name,
              rest, outcome.mean, outcome.worst_frame, outcome.worst_particle);
    CHECK(rest < p->energy);
    CHECK(outcome.mean < 0.25 && outcome.worst_frame < 2 && outcome.worst_particle < 20);
    CHECK_EQ(made.world->count, def.particles_max);
    test_world_free(&made);
}

/* The gates: 1e-5 J within 20 s of the last splash, that is for a minute, mean compression 0.25 %,
   worst frame 2 %, worst particle 20 %. */
static const pool pools[] = {
    {"2D column", 2, {1, 100, 0}, {10, 40, 1}, 1e-5, 20},
    {"2D narrow column", 2, {0.5f, 100, 0}, {10, 40, 1}, 1e-5, 20},
    {"2D full tank", 2, {1, 1, 0}, {20, 20, 1}, 1e-5, 12},
    {"2D thin film", 2, {2, 100, 0}, {10, 8, 1}, 1e-5, 25},
    {"3D film of two rows", 3, {0.6f, 100, 0.5f}, {12, 2, 10}, 1e-5, 20},
    {"3D narrow column", 3, {0.3f, 100, 0.2f}, {6, 24, 4}, 1e-5, 20},
    {"2D film of two rows", 2, {2, 100, 0}, {40, 2, 1}, 1e-5, 20},
    {"3D column", 3, {0.6f, 100, 0.5f}, {6, 24, 10}, 1e-5, 12},
};

static void pools_come_to_rest(void)
{
    for (uint32_t k = 0; k < sizeof pools / sizeof pools[0]; k++)
        if (test_runs(k, 4)) pool_check(&pools[k]);
}

/* A fluid on its lattice, between walls just as wide, is as dense as at rest in each row. */
static void a_lattice_between_walls_starts_at_rest_in_3d(void)
{
    const float side = FLUID_SPACING;
    tp_world_def def = fluid_def(3, 10 * 12 * 6);
    test_world made = test_world_make(&def);
    pool_outcome outcome = {0};
    test_world_tank(made.world, (tp_vector){10 * side, 100, 6 * side});
    fluid_block(made.world, (const uint32_t[3]){10, 12, 6}, (tp_vector){0, 0, 0}, 0, 0);
    pool_measure(made.world, &outcome);
    test_world_frames(made.world, 1);
    pool_sums(made.world, &outcome);
    test_note("compression mean %.3f %%, particle %.2f %%; KE/N after a frame %.1e J", outcome.mean,
              outcome.worst_particle, outcome.energy);
    CHECK(outcome.mean < 0.1 && outcome.worst_particle < 1 && outcome.energy < 2e-3);
    test_world_free(&made);
}

/* A pool of random size, spacing and height above the floor, in a tank that need not fit. Every
   fourth falls up to 50 spacings. */
static test_world random_pool(uint32_t *state, uint32_t number)
{
    uint32_t dimensions = number % 3u == 2 ? 3 : 2;
    float spacing = 0.01f * powf(30.0f, test_random(state));
    const uint32_t size[3] = {4u + (uint32_t)(test_random(state) * (dimensions == 2 ? 20 : 8)),
                              4u + (uint32_t)(test_random(state) * (dimensions == 2 ? 26 : 12)),
                              dimensions == 2 ? 1u : 3u + (uint32_t)(test_random(state) * 4)};
    float lift = test_uniform(state, -10, 5) * (number % 4u == 3 ? 10.0f : 1.0f) * spacing,
          jitter = 0.3f * test_random(state);
    tp_world_def def = fluid_def(dimensions, size[0] * size[1] * size[2]);
    tp_sph_incompressible(&def, spacing);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){spacing * ((float)size[0] + 30 * test_random(state)),
                                            100, spacing * (float)size[2]});
    for (uint32_t i = 0; i < def.particles_max; i++) {
        const uint32_t at[3] = {i % size[0], i / (size[0] * size[2]), i / size[0] % size[2]};
        float x[3];
        for (uint32_t c = 0; c < 3; c++)
            x[c] = ((float)at[c] + 0.5f + jitter * (test_random(state) - 0.5f)) * spacing;
        tp_vector point = {x[0], x[1] + fmaxf(lift, 0), dimensions == 3 ? x[2] : 0.0f};
        CHECK(tp_particle_add(made.world, point, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* The jitter of the start compresses some pairs: they gain at most the weight of a spacing. Time
   and energy of rest by scale: 25 s and 5e-5 J/kg at 5 cm. */
static void random_pools_stay_calm_and_keep_their_volume(void)
{
    uint32_t state = 2026;
    for (uint32_t k = 0; k < (test_is_long() ? 200u : 6u); k++) {
        test_world made = random_pool(&state, k);
        double unit = 9.81 * (double)tpi_sph_of(made.world)->dfsph.spacing, start = 0;
        uint32_t seconds = test_is_long() ? (uint32_t)ceil(25 * sqrt(unit / 9.81 / 0.05)) : 4;
        pool_outcome outcome = {0};
        test_note("pool %u, spacing %.4f m", k, unit / 9.81);
        for (uint32_t frame = 0; frame < 60u * seconds; frame++) {
            test_world_frames(made.world, 1);
            pool_sums(made.world, &outcome);
            double energy = outcome.energy + 9.81 * outcome.height;
            if (frame == 0) start = energy;
            CHECK(energy < start + unit);
            pool_measure(made.world, &outcome);
        }
        test_note("KE/N %.1e of g spacing, compression mean %.3f, frame %.2f, particle %.1f %%",
                  outcome.energy / unit, outcome.mean, outcome.worst_frame, outcome.worst_particle);
        CHECK(outcome.mean < 0.25 && outcome.worst_frame < 2 && outcome.worst_particle < 20);
        CHECK(!test_is_long() || outcome.energy < 1e-4 * unit);
        CHECK_EQ(made.world->count, made.world->def.particles_max);
        test_world_free(&made);
    }
}

/* A block that falls 50 spacings moves 0.6 spacings per step where it meets the floor. */
static void check_fall(uint32_t dimensions, float spacing)
{
    const uint32_t size[3] = {dimensions == 2 ? 16u : 7u, dimensions == 2 ? 20u : 8u,
                              dimensions == 2 ? 1u : 7u};
    tp_world_def def = fluid_def(dimensions, size[0] * size[1] * size[2]);
    pool_outcome outcome = {0};
    uint32_t state = 7;
    tp_sph_incompressible(&def, spacing);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){30 * spacing, 100, 14 * spacing});
    for (uint32_t i = 0; i < def.particles_max; i++) {
        float x[3] = {(float)(i % size[0]), (float)(i / (size[0] * size[2])) + 50,
                      (float)(i / size[0] % size[2])};
        for (uint32_t c = 0; c < 3; c++)
            x[c] = (x[c] + 0.5f + 0.1f * (test_random(&state) - 0.5f)) * spacing;
        if (dimensions == 2) x[2] = 0;
        CHECK(tp_particle_add(made.world, (tp_vector){x[0], x[1], x[2]}, (tp_vector){0}, 0, NULL) ==
              TP_OK);
    }
    for (uint32_t frame = 0; frame < 90; frame++) {
        test_world_frames(made.world, 1);
        pool_measure(made.world, &outcome);
    }
    test_note("%uD, spacing %.4f m: compression frame %.2f, particle %.1f %%, %u steps begun again",
              dimensions, (double)spacing, outcome.worst_frame, outcome.worst_particle,
              (uint32_t)made.world->report.steps_shortened);
    CHECK(outcome.worst_frame < 2 && outcome.worst_particle < 20);
    test_world_free(&made);
}

static void a_fast_fall_is_taken_in_shorter_steps(void)
{
    for (float spacing = 0.0125f; spacing < 0.1f; spacing *= 2) {
        check_fall(2, spacing);
        if (test_is_long()) check_fall(3, spacing);
    }
}

/* ---- the dam of Martin and Moyce ---- */

/* Time, in sqrt(a / 2g), at which the front of the experiment has come to Z widths a. */
static double experiment_time(double z)
{
    static const double times[7] = {0.832, 1.219, 1.997, 2.547, 3.345, 4.034, 4.418},
                        fronts[7] = {1.217, 1.474, 2.292, 2.995, 4.134, 4.944, 5.881};
    uint32_t k = 0;
    while (k < 5 && z > fronts[k + 1u]) k++;
    return times[k] + (z - fronts[k]) / (fronts[k + 1u] - fronts[k]) * (times[k + 1u] - times[k]);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The front is where few particles are ahead: m. */
static double dam_front(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    float *x = malloc(view.count * sizeof *x);
    memcpy(x, view.x, view.count * sizeof *x);
    qsort(x, view.count, sizeof *x, by_size);
    double front = (double)x[view.z ? 24 : 4] + 0.5 * (double)FLUID_SPACING;
    free(x);
    return front;
}

static void dam_check(uint32_t dimensions)
{
    const uint32_t size[3] = {20, 40, dimensions == 2 ? 1u : 6u};
    const double fronts[] = {1.25, 1.5, 2, 2.5, 3, 3.5, 4, 4.4};
    tp_world_def def = fluid_def(dimensions, size[0] * size[1] * size[2]);
    pool_outcome outcome = {0};
    uint32_t next = 0, frame = 0;
    double last = 1;
    /* a step per frame, so that the front is known at each */
    def.frames_per_second_numerator = 240;
    def.substeps.count = 1;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){8, 100, 0.3f});
    fluid_block(made.world, size, (tp_vector){0, 0, 0}, 0, 0);
    for (; next < 8 && frame < 300; frame++) {
        test_world_frames(made.world, 1);
        double front = dam_front(made.world), time = (frame + 1) / 240.0 * sqrt(2 * 9.81);
        if (frame % 8u == 0) pool_measure(made.world, &outcome);
        if (frame % 8u == 0) CHECK(front - last < 8 * 2.0 * sqrt(2 * 9.81) / 240.0); /* Ritter's */
        if (frame % 8u == 0) last = front;
        for (; next < 8 && front >= fronts[next]; next++) {
            double lead = experiment_time(fronts[next]) - time;
            test_note("%uD: the front leads by %.3f at %.2f", dimensions, lead, fronts[next]);
            CHECK(lead > 0 && lead < 0.30);
        }
    }
    test_note("compression: frame %.2f %%, particle %.1f %%", outcome.worst_frame,
              outcome.worst_particle);
    CHECK_EQ(next, 8);
    CHECK(outcome.worst_frame < 2 && outcome.worst_particle < 20);
    test_world_free(&made);
}

static void a_dam_breaks_as_in_the_experiment(void)
{
    dam_check(2);
    if (test_is_long()) dam_check(3);
}

/* ---- the step limit ---- */

/* Pressures of a column 200 layers deep; two sub-steps are too few for it. */
static void a_deep_column_takes_more_steps(void)
{
    tp_world_def def = fluid_def(2, 10 * 200);
    def.substeps.count = 2;
    def.sph.timestep_max = tp_sph_timestep_limit(&def);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){0.5f, 100, 0});
    fluid_block(made.world, (const uint32_t[3]){10, 200, 1}, (tp_vector){0, 0, 0}, 0, 0);
    test_world_frames(made.world, 120);
    tp_report report = tp_world_report(made.world);
    test_note("%u steps in a frame, strain %.2f", report.steps_in_frame, (double)report.strain);
    CHECK(report.steps_in_frame > 2 && report.strain < 1.05f);
    test_world_free(&made);
}

/* ---- definitions ---- */

static void check_refused(const tp_world_def *def, const char *start)
{
    const char *text = tp_world_check(def);
    CHECK(text && strncmp(text, start, strlen(start)) == 0);
}

static void definitions_are_refused_with_the_field(void)
{
    const tp_world_def good = fluid_def(2, 100);
    tp_world_def def = good;
    CHECK(tp_world_check(&def) == NULL);
    memset(&def.sph.formulation, 0x7f, sizeof def.sph.formulation);
    check_refused(&def, "sph.formulation must be a TP_SPH_ value");
    def = good;
    def.sph.compat = true;
    check_refused(&def, "sph.compat needs TP_SPH_DOUBLE_DENSITY");
    def = good;
    def.sph.neighbours_max = 128;
    check_refused(&def, "sph.neighbours_max must be at most 127");
    def = good;
    def.species_count = 2;
    def.species[1].mass = 11;
    check_refused(&def, "species.mass must be at most 10 times");
    def = good;
    def.sph.density_iterations = 0;
    check_refused(&def, "sph.density_iterations must be 1 to 16");
    def = good;
    def.sph.divergence_iterations = 17;
    check_refused(&def, "sph.divergence_iterations must be 0 to 16");
    def = good;
    def.sph.smoothing = 0.6f;
    check_refused(&def, "sph.smoothing must be 0 to 0.5");
    def = good;
    def.substeps.count = 1;
    def.frames_per_second_numerator = 30;
    def.sph.timestep_max = 0.1f;
    check_refused(&def, "sph.timestep_max must be at most the limit");
}

static void the_macro_bounds_the_bytes_of_a_block(void)
{
    for (uint32_t particles = 1; particles < 100000; particles = particles * 3 + 1)
        for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
            tp_world_def def = fluid_def(dimensions, particles), soft = def;
            size_t bytes, without;
            soft.sph.formulation = TP_SPH_DOUBLE_DENSITY;
            soft.sph.timestep_max = 1e-3f;
            def.sph.timestep_max = 1e-3f;
            CHECK(tp_world_memory(&def, &bytes) == TP_OK);
            CHECK(tp_world_memory(&soft, &without) == TP_OK);
            CHECK(bytes <= without + TP_INCOMPRESSIBLE_BYTES(dimensions, particles));
            CHECK(bytes + 200 >= without + TP_INCOMPRESSIBLE_BYTES(dimensions, particles));
            CHECK(bytes <= TP_WORLD_BYTES(dimensions, particles, 64, 20, 0) +
                               TP_INCOMPRESSIBLE_BYTES(dimensions, particles));
        }
}

static const test_case dfsph_cases[] = {
    TEST_CASE(densities_are_those_of_all_pairs),
    TEST_CASE(a_step_is_that_in_double_precision),
    TEST_CASE(a_wall_has_the_share_of_the_kernel_beyond_it),
    TEST_CASE(walls_of_a_corner_overlap),
    TEST_CASE(a_moving_wall_changes_densities_at_its_speed),
    TEST_CASE(a_full_box_under_a_lid_recovers),
    TEST_CASE(momentum_and_angular_momentum_are_kept),
    TEST_CASE(viscosity_of_unequal_masses_keeps_momentum),
    TEST_CASE(coincident_particles_part),
    TEST_CASE(slices_and_lists_change_no_bit),
    TEST_CASE(widths_and_workers_change_no_bit),
    TEST_CASE(a_copy_in_the_middle_of_a_step_goes_on_to_the_same_bits),
    TEST_CASE(a_recorded_frame_goes_on_to_the_same_bits),
    TEST_CASE(pools_come_to_rest),
    TEST_CASE(a_lattice_between_walls_starts_at_rest_in_3d),
    TEST_CASE(random_pools_stay_calm_and_keep_their_volume),
    TEST_CASE(a_fast_fall_is_taken_in_shorter_steps),
    TEST_CASE(a_dam_breaks_as_in_the_experiment),
    TEST_CASE(a_deep_column_takes_more_steps),
    TEST_CASE(the_macro_bounds_the_bytes_of_a_block),
    TEST_CASE(definitions_are_refused_with_the_field),
};
TEST_SUITE(dfsph, dfsph_cases);
