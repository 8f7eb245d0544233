/* SPDX-License-Identifier: MIT
   tests/unit/test_jobs.c - threads that the game lends change nothing but the time.
   reads   runtime, platform/jobs_posix      writes  nothing
   memory  worlds of 6000 particles          cost    about two seconds
   after   own design: every number of workers, every order of parts, and a budget that cuts steps anywhere */
#include "test.h"
#include <math.h>
#include "world_help.h"
#include "jobs_posix/jobs.h"
#include <string.h>

#define JOBS_PARTICLES 6000u

/* A tank of two fluids, its floor moving, some of it crowded above the neighbour cap. */
static test_world jobs_world(uint32_t dimensions, bool stores, bool is_adaptive)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = JOBS_PARTICLES;
    def.frames_per_second_numerator = 120;
    def.species_count = 2;
    def.species[1] = def.species[0];
    def.species[1].mass = 1.5f * def.species[0].mass;
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = dimensions == 2 ? 24 : 48;
    def.substeps.is_adaptive = is_adaptive;
    def.slice_units = 4096;
    test_world made = test_world_make(&def);
    uint32_t state = 5u + dimensions;
    float side = dimensions == 2 ? 8.0f : 2.2f;
    for (uint32_t i = 0; i < JOBS_PARTICLES; i++) {
        float x = test_random(&state) * side, y = test_random(&state) * side, z = test_random(&state) * side;
        if (i % 50u == 0) x = y = z = 1.0f; /* many at one point */
        CHECK(tp_particle_add(made.world, (tp_vector){x, y, z}, (tp_vector){y - x, x, 0}, i & 1u, NULL) ==
              TP_OK);
    }
    return made;
}

/* Hash after some frames, each within `units`, which are given again and again until the frame is complete. */
static uint64_t jobs_hash(const tp_jobs *jobs, uint32_t dimensions, bool stores, bool is_adaptive,
                          uint32_t units)
{
    test_world made = jobs_world(dimensions, stores, is_adaptive);
    tp_budget budget = {.units = units, .jobs = jobs};
    tp_report report = {0};
    uint64_t spent = 0;
    for (uint32_t frame = 0; frame < 4; frame++) {
        tp_result result = tp_frame(made.world, &budget, &report);
        CHECK(result >= TP_OK);
        spent += report.units;
    }
    tp_report end = tp_world_report(made.world);
    uint64_t hash = tp_world_hash(made.world) ^ spent ^ end.pairs << 8 ^ end.neighbours_dropped << 16 ^
                    end.cells_crowded << 24 ^ end.displacements_clamped << 32 ^ end.frames << 40;
    CHECK(end.steps > 0);
    CHECK_EQ(end.pools[TP_POOL_PAIRS].used, stores ? end.pairs : 0);
    CHECK(end.pools[TP_POOL_PAIRS].peak >= end.pools[TP_POOL_PAIRS].used);
    test_world_free(&made);
    return hash;
}

/* Parts last to first, on the caller's thread: an order that no pool would choose. */
static void run_backwards(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                          uint32_t count)
{
    (void)context;
    for (uint32_t index = count; index-- > 0;) work(argument, index);
}

static void any_number_of_workers_gives_one_hash(void)
{
    static const uint32_t workers[] = {1, 2, 3, 8};
    for (uint32_t kind = 0; kind < 8; kind++) {
        uint32_t dimensions = kind & 1u ? 3 : 2;
        bool stores = kind & 2u, is_adaptive = kind & 4u;
        uint64_t alone = jobs_hash(NULL, dimensions, stores, is_adaptive, 0);
        tp_jobs backwards = {run_backwards, NULL, 3};
        CHECK_EQ(jobs_hash(&backwards, dimensions, stores, is_adaptive, 0), alone);
        for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
            platform_jobs pool;
            test_note("%u workers, %u dimensions, %s, %s", workers[w], dimensions,
                      stores ? "stored" : "compact", is_adaptive ? "adaptive" : "fixed");
            if (!CHECK(platform_jobs_start(&pool, workers[w]))) return;
            CHECK_EQ(jobs_hash(&pool.jobs, dimensions, stores, is_adaptive, 0), alone);
            platform_jobs_stop(&pool);
        }
    }
}

/* Particles that attract or touch each other; where vectors are wide, these sweeps are shared out too. */
static uint64_t jobs_pair_hash(const tp_jobs *jobs, uint32_t dimensions, tp_potential potential, float skin)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = JOBS_PARTICLES;
    def.frames_per_second_numerator = 100;
    def.pair.potential = potential;
    def.pair.skin = skin;
    def.periodic_axes = dimensions == 2 ? 3 : 7;
    float side = dimensions == 2 ? sqrtf(JOBS_PARTICLES / 0.7f) : cbrtf(JOBS_PARTICLES / 0.7f);
    uint32_t row = (uint32_t)ceil(dimensions == 2 ? sqrt(JOBS_PARTICLES) : cbrt(JOBS_PARTICLES)), state = 9;
    def.box_size = (tp_vector){side, side, side};
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < JOBS_PARTICLES; i++) {
        float spacing = side / (float)row;
        tp_vector at = {(float)(i % row) * spacing, (float)(i / row % row) * spacing,
                        dimensions == 2 ? 0.0f : (float)(i / row / row) * spacing};
        CHECK(tp_particle_add(made.world, at, test_random_place(&state, 2), 0, NULL) == TP_OK);
    }
    tp_budget budget = {.jobs = jobs};
    for (uint32_t frame = 0; frame < 12; frame++) CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
    tp_report report = tp_world_report(made.world);
    CHECK(report.pairs > 0);
    uint64_t hash = tp_world_hash(made.world) ^ report.units << 8 ^ report.pairs << 40;
    test_world_free(&made);
    return hash;
}

static void any_number_of_workers_gives_one_hash_of_pairs(void)
{
    for (uint32_t kind = 0; kind < 8; kind++) {
        uint32_t dimensions = kind & 1u ? 3 : 2;
        tp_potential potential = kind & 2u ? TP_POTENTIAL_HARD_SPHERE : TP_POTENTIAL_LENNARD_JONES;
        float skin = kind & 4u ? 0.0f : 0.3f;
        uint64_t alone = jobs_pair_hash(NULL, dimensions, potential, skin);
        for (uint32_t workers = 2; workers <= 8; workers += 3) {
            platform_jobs pool;
            test_note("%u workers, %u dimensions, potential %d, skin %g", workers, dimensions, (int)potential,
                      (double)skin);
            if (!CHECK(platform_jobs_start(&pool, workers))) return;
            CHECK_EQ(jobs_pair_hash(&pool.jobs, dimensions, potential, skin), alone);
            platform_jobs_stop(&pool);
        }
    }
}

/* What a frame gets done within its units is the same too: a budget means the same with any number of threads. */
static void a_budget_ends_at_the_same_step_with_any_number_of_workers(void)
{
    static const uint32_t budgets[] = {150000, 400000, 1000000};
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        uint64_t alone = 0;
        for (uint32_t workers = 1; workers <= 3; workers++) {
            platform_jobs pool;
            test_note("%u workers, %u units", workers, budgets[b]);
            if (!CHECK(platform_jobs_start(&pool, workers))) return;
            test_world made = jobs_world(2, true, false);
            tp_budget budget = {.units = budgets[b], .jobs = &pool.jobs};
            tp_report report = {0};
            for (uint32_t frame = 0; frame < 8; frame++)
                CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
            CHECK(report.lagged_frames > 0 || budgets[b] == 1000000);
            CHECK(report.units <= budgets[b] + 4096u * workers);
            uint64_t hash = tp_world_hash(made.world) ^ report.steps;
            if (workers == 1) alone = hash;
            CHECK_EQ(hash, alone);
            test_world_free(&made);
            platform_jobs_stop(&pool);
        }
    }
}

typedef struct tally {
    atomic_uint seen[64];
} tally;

static void see(void *argument, uint32_t index) { atomic_fetch_add(&((tally *)argument)->seen[index], 1u); }

static void a_pool_runs_every_index_once_turn_after_turn(void)
{
    platform_jobs pool;
    static tally counted;
    memset(&counted, 0, sizeof counted);
    if (!CHECK(platform_jobs_start(&pool, 4))) return;
    for (uint32_t turn = 0; turn < 3000; turn++)
        pool.jobs.run(pool.jobs.context, see, &counted, 1u + turn % 64u);
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t expected = 0;
        for (uint32_t turn = 0; turn < 3000; turn++) expected += turn % 64u >= k;
        CHECK_EQ(atomic_load(&counted.seen[k]), expected);
    }
    platform_jobs_stop(&pool);
    CHECK(!platform_jobs_start(&pool, 0));
    CHECK(!platform_jobs_start(&pool, PLATFORM_WORKERS_MAX + 1u));
}

/* Refused before anything is simulated, whatever the number of workers. */
static void jobs_without_run_are_refused(void)
{
    test_world made = jobs_world(2, true, false);
    tp_share share = {.world = made.world};
    tp_jobs jobs = {.workers = 2};
    tp_budget budget = {.jobs = &jobs};
    for (jobs.workers = 0; jobs.workers < 3; jobs.workers++) {
        CHECK(tp_frame(made.world, &budget, NULL) == TP_ERROR_NULL);
        CHECK(tp_frame_worlds(&share, 1, &budget) == TP_ERROR_NULL);
    }
    CHECK_EQ(tp_world_report(made.world).game_frames, 0);
    jobs.run = run_backwards;
    CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
    CHECK(tp_frame_worlds(&share, 1, &budget) == TP_OK);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(jobs_without_run_are_refused),
    TEST_CASE(any_number_of_workers_gives_one_hash),
    TEST_CASE(any_number_of_workers_gives_one_hash_of_pairs),
    TEST_CASE(a_budget_ends_at_the_same_step_with_any_number_of_workers),
    TEST_CASE(a_pool_runs_every_index_once_turn_after_turn),
};
TEST_SUITE(jobs, cases);
