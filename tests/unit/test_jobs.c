/* SPDX-License-Identifier: MIT
   tests/unit/test_jobs.c - worker threads of the game change only the time that a frame takes.
   reads   runtime, platform/jobs_posix      writes  nothing
   memory  worlds of 6000 particles          cost    about nine seconds
   after   own design: every number of workers, every order of parts, and budgets that end a call
           anywhere in a step */
#include "test.h"
#include <math.h>
#include "world_help.h"
#include "collide_help.h"
#include "jobs_posix/jobs.h"
#include "../../runtime/solve/pair/pair.h"
#include <string.h>

/* no multiples of a vector: the last vector of a full array ends in the next array */
#define JOBS_PARTICLES    6005u
#define NEAREST_PARTICLES 3003u

/* A tank with two fluids and a moving floor; part of the fluid exceeds the neighbour limit. */
static test_world jobs_world(uint32_t dimensions, bool stores, bool is_adaptive)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = JOBS_PARTICLES;
    def.frames_per_second_numerator = 120;
    def.species_count = 2;
    def.species[1] = def.species[0];
    def.species[1].mass = 1.5f * def.species[0].mass;
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = dimensions == 2 ? 24 : 48;
    /* lists of that size would end far behind the block */
    if (!stores) def.sph.neighbours_max = 255;
    def.substeps.is_adaptive = is_adaptive;
    def.slice_units = 4096;
    test_world made = test_world_make(&def);
    uint32_t state = 5u + dimensions;
    float side = dimensions == 2 ? 8.0f : 2.2f;
    for (uint32_t i = 0; i < JOBS_PARTICLES; i++) {
        float x = test_random(&state) * side, y = test_random(&state) * side,
              z = test_random(&state) * side;
        if (i % 50u == 0) x = y = z = 1.0f; /* many at one point */
        CHECK(tp_particle_add(made.world, (tp_vector){x, y, z}, (tp_vector){y - x, x, 0}, i & 1u,
                              NULL) == TP_OK);
    }
    return made;
}

/* Hash after some frames; each frame is simulated in calls of `units` until it is complete. */
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
    uint64_t hash = tp_world_hash(made.world) ^ spent ^ end.pairs << 8 ^
                    end.neighbours_dropped << 16 ^ end.particles_skipped << 24 ^
                    end.displacements_clamped << 32 ^ end.frames << 40;
    CHECK(end.steps > 0);
    CHECK_EQ(end.pools[TP_POOL_PAIRS].used, stores ? end.pairs : 0);
    CHECK(end.pools[TP_POOL_PAIRS].peak >= end.pools[TP_POOL_PAIRS].used);
    test_world_free(&made);
    return hash;
}

/* Runs the parts from last to first on the caller's thread: an order that no pool would choose. */
static void run_backwards(void *context, void (*work)(void *argument, uint32_t index),
                          void *argument, uint32_t count)
{
    (void)context;
    for (uint32_t index = count; index-- > 0;) work(argument, index);
}

static void any_number_of_workers_gives_one_hash(void)
{
    static const uint32_t workers[] = {3, 1, 2, 8};
    for (uint32_t kind = 0; kind < 8; kind++) {
        uint32_t dimensions = kind & 1u ? 3 : 2;
        bool stores = kind & 2u, is_adaptive = kind & 4u;
        /* in these four, any two choices have all their combinations */
        if (!test_is_long() && kind != 0 && kind != 3 && kind != 5 && kind != 6) continue;
        uint64_t alone = jobs_hash(NULL, dimensions, stores, is_adaptive, 0);
        tp_jobs backwards = {run_backwards, NULL, 3};
        CHECK_EQ(jobs_hash(&backwards, dimensions, stores, is_adaptive, 0), alone);
        backwards.workers = 0x80000000u; /* twice that number overflows to 0 */
        if (kind == 0 || test_is_long())
            CHECK_EQ(jobs_hash(&backwards, dimensions, stores, is_adaptive, 0), alone);
        for (size_t w = 0; w < (test_is_long() ? sizeof workers / sizeof workers[0] : 1); w++) {
            platform_jobs pool;
            test_note("%u workers, %u dimensions, %s, %s", workers[w], dimensions,
                      stores ? "stored" : "compact", is_adaptive ? "adaptive" : "fixed");
            if (!CHECK(platform_jobs_start(&pool, workers[w]))) return;
            CHECK_EQ(jobs_hash(&pool.jobs, dimensions, stores, is_adaptive, 0), alone);
            platform_jobs_stop(&pool);
        }
    }
}

/* Particles with pair forces or contacts; with wide vectors their sweeps are shared out to threads,
   too. */
static test_world jobs_pair_world(uint32_t dimensions, tp_potential potential, float skin,
                                  uint32_t neighbours_max)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = JOBS_PARTICLES;
    def.frames_per_second_numerator = 100;
    def.pair.potential = potential;
    def.pair.skin = skin;
    if (neighbours_max) def.pair.neighbours_max = neighbours_max;
    def.periodic_axes = dimensions == 2 ? 3 : 7;
    float side = dimensions == 2 ? sqrtf(JOBS_PARTICLES / 0.7f) : cbrtf(JOBS_PARTICLES / 0.7f);
    uint32_t row = (uint32_t)ceil(dimensions == 2 ? sqrt(JOBS_PARTICLES) : cbrt(JOBS_PARTICLES)),
             state = 9;
    def.box_size = (tp_vector){side, side, side};
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < JOBS_PARTICLES; i++) {
        float spacing = side / (float)row;
        tp_vector at = {(float)(i % row) * spacing, (float)(i / row % row) * spacing,
                        dimensions == 2 ? 0.0f : (float)(i / row / row) * spacing};
        CHECK(tp_particle_add(made.world, at, test_random_position(&state, 2), 0, NULL) == TP_OK);
    }
    return made;
}

static uint64_t jobs_pair_hash(const tp_jobs *jobs, uint32_t dimensions, tp_potential potential,
                               float skin)
{
    test_world made = jobs_pair_world(dimensions, potential, skin, 0);
    tp_budget budget = {.jobs = jobs};
    for (uint32_t frame = 0; frame < 12; frame++)
        CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
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
            if (!test_runs(workers / 3 + kind, 3)) continue;
            platform_jobs pool;
            test_note("%u workers, %u dimensions, potential %d, skin %g", workers, dimensions,
                      (int)potential, (double)skin);
            if (!CHECK(platform_jobs_start(&pool, workers))) return;
            CHECK_EQ(jobs_pair_hash(&pool.jobs, dimensions, potential, skin), alone);
            platform_jobs_stop(&pool);
        }
    }
}

/* The search for the nearest neighbours, in which each thread takes particles while its share pays
   for the dearest one: with shares of 4 500 units it pays for none (27 cells of 255 candidates). */
static void any_number_of_workers_finds_the_same_nearest_neighbours(void)
{
    uint64_t hash[4] = {0}, units[4] = {0};
    for (uint32_t run = 0; run < 4; run++) {
        tp_jobs jobs = {run_backwards, NULL, run + 1u};
        tp_budget budget = {.jobs = &jobs, .units = run == 3 ? 9000u : 0};
        test_world made = jobs_pair_world(3, TP_POTENTIAL_LENNARD_JONES, 0.3f, 12);
        while (made.world->clock.frame < 3) {
            CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
            units[run] += tp_world_report(made.world).stage_units[TP_STAGE_NEAREST];
        }
        hash[run] = tp_world_hash(made.world);
        test_world_free(&made);
        CHECK(units[run] > 1000000u);
        CHECK_EQ(units[run], units[0]);
        CHECK_EQ(hash[run], hash[0]);
    }
}

/* A budget ends a frame at the same step for every number of threads: a unit is the same work. */
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

/* ---- budgets: the work that threads do, not only the charged work ---- */

#define BUDGET_FRAMES 2u

/* Two fluids with every eighth particle in a dense cluster, and two kinds of pairs. */
static test_world budget_world(uint32_t kind)
{
    if (kind == 2) return jobs_pair_world(3, TP_POTENTIAL_LENNARD_JONES, 0.3f, 0);
    if (kind == 3) return jobs_pair_world(2, TP_POTENTIAL_HARD_SPHERE, 0.3f, 0);
    test_world made = jobs_world(2u + kind, kind == 0, false);
    uint32_t state = 3;
    for (uint32_t i = 0; i < JOBS_PARTICLES; i += 8)
        CHECK(tp_particle_set(made.world, i, test_random_position(&state, 0.2f),
                              (tp_vector){0, 0, 0}) == TP_OK);
    return made;
}
#define BUDGET_KINDS 4u

static bool budget_sweeps(const tp_world *world)
{
    const tpi_step *step = &world->step;
    return step->active && (step->stage == TP_STAGE_PAIRS || step->stage == TP_STAGE_NEAREST ||
                            step->stage == TP_STAGE_FORCE);
}

/* Half units that the current sweep has visited and not charged yet. */
static uint32_t budget_ahead(const tp_world *world) { return world->step.half_units_ahead; }

static uint32_t budget_stretches(const tp_world *world)
{
    uint32_t count = 0;
    for (uint32_t s = 0; budget_sweeps(world) && s < TPI_STRETCHES_MAX; s++)
        count += world->step.stretches[s].end > 0;
    return count;
}

/* The worker counts of successive calls, repeated; 1: no jobs. Parts run from last to first. */
typedef struct budget_team {
    uint32_t count, workers[5];
} budget_team;

static const budget_team budget_teams[] = {
    {1, {1}}, {1, {2}}, {1, {3}}, {1, {8}}, {5, {8, 1, 2, 16, 3}},
};
#define BUDGET_TEAMS (sizeof budget_teams / sizeof budget_teams[0])

/* The results of two frames, and how the work was split. */
typedef struct budget_outcome {
    uint64_t hash, units, stage_units[TP_WORLD_STAGES];
    uint64_t pairs, dropped, crowded, clamped, guarded, overlaps;
    uint64_t beyond; /* largest number of units that a call visited beyond its budget */
    uint32_t shared; /* calls that ended with unfinished stretches of threads */
} budget_outcome;

/* Makes one call; returns the units visited beyond its budget. */
static uint64_t budget_call(tp_world *world, uint32_t workers, uint32_t units, tp_report *report)
{
    tp_jobs jobs = {run_backwards, NULL, workers};
    tp_budget budget = {.units = units, .frames_max = 1, .jobs = workers > 1 ? &jobs : NULL};
    uint32_t before = budget_ahead(world);
    CHECK(tp_frame(world, &budget, report) >= TP_OK);
    uint64_t visited = report->units + (budget_ahead(world) + 1u) / 2u - before / 2u;
    return units && visited > units ? visited - units : 0;
}

static void budget_end(const tp_world *world, budget_outcome *outcome)
{
    tp_report end = tp_world_report(world);
    CHECK_EQ(world->step.active, 0);
    outcome->hash = tp_world_hash(world);
    outcome->pairs = end.pairs;
    outcome->dropped = end.neighbours_dropped;
    outcome->crowded = end.particles_skipped;
    outcome->clamped = end.displacements_clamped;
    outcome->guarded = end.overlaps_guarded;
    outcome->overlaps = end.overlaps_unresolved;
}

/* Simulates to frame BUDGET_FRAMES in calls of `units`. */
static budget_outcome budget_run(tp_world *world, const budget_team *team, uint32_t units)
{
    budget_outcome outcome = {0};
    for (uint32_t call = 0; world->clock.frame < BUDGET_FRAMES && call < 100000u; call++) {
        tp_report report;
        uint64_t beyond = budget_call(world, team->workers[call % team->count], units, &report);
        if (beyond > outcome.beyond) outcome.beyond = beyond;
        outcome.units += report.units;
        for (uint32_t s = 0; s < TP_WORLD_STAGES; s++)
            outcome.stage_units[s] += report.stage_units[s];
        outcome.shared += budget_stretches(world) > 0;
    }
    budget_end(world, &outcome);
    return outcome;
}

static void check_same_outcome(budget_outcome found, budget_outcome expected)
{
    found.beyond = expected.beyond = 0;
    found.shared = expected.shared = 0;
    CHECK_EQ(found.hash, expected.hash);
    CHECK_EQ(found.units, expected.units);
    CHECK(memcmp(&found, &expected, sizeof found) == 0);
}

/* The smallest slice (the minimum of a budget), plus the bound stated at TP_JOBS_SLICE_UNITS: four
   parts per worker, at most 16. */
static uint64_t budget_bound(const tp_world *world, const budget_team *team)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < team->count; k++)
        if (team->workers[k] > 1u && 4u * team->workers[k] > most) most = 4u * team->workers[k];
    return 64u + (uint64_t)(most < 16u ? most : 16u) * (world->constants.neighbours_max / 2u + 25u);
}

static void a_call_visits_no_more_than_its_budget_and_a_row_for_each_part(void)
{
    static const uint32_t cuts[][2] = {
        {700, 64}, {6000, 2048}, {20000, 64}, {50000, 65536}, {0, 300}};
    uint32_t shared[BUDGET_KINDS] = {0};
    for (uint32_t kind = 0; kind < BUDGET_KINDS; kind++) {
        test_world made = budget_world(kind);
        budget_outcome alone = budget_run(made.world, &budget_teams[0], 0);
        bool may_share = kind < 2 ? TPI_LANES > 1 : tpi_pair_is_shared(made.world);
        CHECK(alone.pairs > 0);
        CHECK(kind > 1 ||
              /* most clusters repeat the pass with the neighbour limit, others keep their result */
              alone.dropped > 0);
        test_world_free(&made);
        for (uint32_t run = 0; run < BUDGET_TEAMS * (sizeof cuts / sizeof cuts[0]); run++) {
            if (!test_runs(run, 7)) continue; /* each team with another cut */
            const budget_team *team = &budget_teams[run % BUDGET_TEAMS];
            const uint32_t *cut = cuts[run / BUDGET_TEAMS];
            test_note("world %u, team %u, %u units in slices of %u", kind,
                      run % (uint32_t)BUDGET_TEAMS, cut[0], cut[1]);
            made = budget_world(kind);
            made.world->def.slice_units = cut[1];
            budget_outcome outcome = budget_run(made.world, team, cut[0]);
            check_same_outcome(outcome, alone);
            CHECK(outcome.beyond <= budget_bound(made.world, team));
            CHECK(team->workers[0] > 1 || outcome.shared == 0);
            shared[kind] += outcome.shared;
            test_world_free(&made);
        }
        CHECK((shared[kind] > 0) == may_share);
    }
}

static void slices_that_no_team_works_on_keep_to_the_definition(void)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        tp_world_def def = tp_world_default(2);
        def.solver = kind ? TP_SOLVER_PAIR : TP_SOLVER_SPH;
        def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        if (kind) def.integrator = TP_INTEGRATOR_KDK;
        def.slice_units = 64;
        def.particles_max = 400; /* too few for several threads */
        test_world made = test_world_make(&def);
        tp_jobs jobs = {run_backwards, NULL, 8};
        tp_budget budget = {.jobs = &jobs};
        tp_report report;
        for (uint32_t i = 0; i < def.particles_max; i++)
            CHECK(tp_particle_add(made.world,
                                  (tp_vector){0.2f * (float)(i % 20u), 0.2f * (float)(i / 20u), 0},
                                  (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
        for (uint32_t frame = 0; frame < 3; frame++)
            CHECK(tp_frame(made.world, &budget, &report) == TP_OK);
        test_note("%s: a slice of %llu units", kind ? "pairs" : "fluid",
                  (unsigned long long)report.slice_units_longest_ever);
        CHECK(report.slice_units_longest_ever <= def.slice_units);
        test_world_free(&made);
    }
}

/* A world in the middle of its first sweep. */
static test_world budget_world_that_sweeps(void)
{
    test_world made = budget_world(0);
    tp_report report;
    for (uint32_t call = 0; call < 1000u && !budget_sweeps(made.world); call++)
        (void)budget_call(made.world, 1, 20000, &report);
    CHECK(budget_sweeps(made.world));
    return made;
}

/* One call for all worlds: the charge stays within the budget, and no world has visited more than
   one item per part beyond its charge. */
static void budget_call_worlds(tp_share *shares, uint32_t count, const budget_team *team,
                               uint32_t call, uint32_t units)
{
    tp_jobs jobs = {run_backwards, NULL, team->workers[call % team->count]};
    tp_budget budget = {.units = units, .jobs = jobs.workers > 1 ? &jobs : NULL};
    uint64_t charged = 0;
    CHECK(tp_frame_worlds(shares, count, &budget) >= TP_OK);
    for (uint32_t w = 0; w < count; w++) {
        uint32_t ahead = (budget_ahead(shares[w].world) + 1u) / 2u;
        test_note("%u workers, %u units: world %u is %u ahead", jobs.workers, units, w, ahead);
        CHECK(ahead <= budget_bound(shares[w].world, team));
        charged += shares[w].report.units;
    }
    CHECK(charged <= units);
    CHECK(charged + 64u * count >= units);
}

#define BUDGET_WORLDS 16u

static void worlds_visit_at_most_an_item_beyond_what_a_shared_budget_charges(void)
{
    static const uint32_t budgets[] = {2000, 40000};
    for (uint32_t run = 0; run < 2u * BUDGET_TEAMS; run++) {
        const budget_team *team = &budget_teams[run % BUDGET_TEAMS];
        test_world made[BUDGET_WORLDS];
        tp_share shares[BUDGET_WORLDS] = {0};
        uint32_t units = budgets[run / BUDGET_TEAMS];
        for (uint32_t w = 0; w < BUDGET_WORLDS; w++) {
            made[w] = budget_world_that_sweeps();
            shares[w].world = made[w].world;
            shares[w].guaranteed_units = w % 4u ? 0 : units / BUDGET_WORLDS / 64u * 64u;
        }
        for (uint32_t call = 0; call < 20u; call++)
            budget_call_worlds(shares, BUDGET_WORLDS, team, call, units);
        for (uint32_t w = 0; w < BUDGET_WORLDS; w++) test_world_free(&made[w]);
    }
}

/* Simulates until a call ends in the middle of a sweep that several threads share. */
static bool budget_reach_stretches(tp_world *world)
{
    tp_report report;
    for (uint32_t call = 0; call < 1000u && budget_stretches(world) < 2u; call++)
        (void)budget_call(world, 3, 20000, &report);
    return CHECK(world->clock.frame == 0 && budget_stretches(world) >= 2u);
}

/* A copy of the block continues without threads, the block itself with another number of
   threads. */
static void a_copy_taken_in_a_shared_sweep_goes_on_to_the_same_hash(void)
{
    for (uint32_t kind = 0; kind < BUDGET_KINDS; kind++) {
        test_world made = budget_world(kind), copy = budget_world(kind), plain = budget_world(kind);
        bool may_share = kind < 2 ? TPI_LANES > 1 : tpi_pair_is_shared(made.world);
        uint64_t alone = budget_run(plain.world, &budget_teams[0], 0).hash;
        test_note("world %u", kind);
        if (may_share && budget_reach_stretches(made.world)) {
            memcpy(copy.world, made.world, made.bytes);
            CHECK_EQ(budget_run(copy.world, &budget_teams[0], 900).hash, alone);
            CHECK_EQ(budget_run(made.world, &budget_teams[3], 30000).hash, alone);
        }
        test_world_free(&made);
        test_world_free(&copy);
        test_world_free(&plain);
    }
}

static void budget_edit(tp_world *world)
{
    CHECK(tp_particle_add(world, (tp_vector){0.9f, 0.9f, 0}, (tp_vector){1, 0, 0}, 0, NULL) ==
          TP_OK);
}

/* The step starts again; nothing of the interrupted sweep remains. Without vectors threads do not
   share sweeps of fluids. */
static void an_edit_in_a_shared_sweep_leaves_nothing_of_it(void)
{
    uint32_t kinds = TPI_LANES > 1 ? 2 : 0;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        test_world made = jobs_world(2u + kind, kind == 0, false),
                   plain = jobs_world(2u + kind, kind == 0, false);
        CHECK(tp_particles_clear(plain.world) == TP_OK && tp_particles_clear(made.world) == TP_OK);
        uint32_t state = 4;
        for (uint32_t i = 0; i + 1u < JOBS_PARTICLES; i++) {
            tp_vector at = test_random_position(&state, 1.5f);
            CHECK(tp_particle_add(plain.world, at, (tp_vector){0}, 0, NULL) == TP_OK);
            CHECK(tp_particle_add(made.world, at, (tp_vector){0}, 0, NULL) == TP_OK);
        }
        test_note("world %u", kind);
        budget_edit(plain.world);
        uint64_t alone = budget_run(plain.world, &budget_teams[0], 0).hash;
        if (budget_reach_stretches(made.world)) {
            budget_edit(made.world);
            CHECK_EQ(budget_run(made.world, &budget_teams[2], 20000).hash, alone);
        }
        test_world_free(&made);
        test_world_free(&plain);
    }
}

/* ---- the search for the nearest neighbours of particles above the limit ---- */

/* A compressed column of fluid that collapses in a tank: nearly all
   particles exceed the neighbour limit. */
static test_world nearest_world(uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = NEAREST_PARTICLES;
    def.frames_per_second_numerator = 240;
    def.sph.stores_neighbours = dimensions == 2;
    def.sph.neighbours_max = dimensions == 2 ? 24 : 48;
    def.slice_units = 64;
    test_world made = test_world_make(&def);
    float spacing = (dimensions == 2 ? 0.25f : 0.36f) * def.sph.smoothing_radius;
    uint32_t row = dimensions == 2 ? 30 : 10, layer = dimensions == 2 ? 1 : 10;
    float side = 2.0f * spacing * (float)row;
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){side, 4.0f * side, side});
    for (uint32_t i = 0; i < NEAREST_PARTICLES; i++) {
        tp_vector at = {spacing * (1.0f + (float)(i % row)),
                        spacing * (1.0f + (float)(i / row / layer)),
                        dimensions == 2 ? 0.0f : spacing * (1.0f + (float)(i / row % layer))};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* The budget of call number `turn`: workers and widths change from call to call. */
typedef struct nearest_plan {
    uint32_t units, count, workers[4];
    uint8_t lanes_max[4];
} nearest_plan;

/* How calls ended: inside the stage, between two particles or within one, and with stretches of
   several threads. */
typedef struct nearest_ends {
    uint32_t inside, within, shared;
} nearest_ends;

static void nearest_call(tp_world *world, const nearest_plan *plan, uint32_t turn,
                         nearest_ends *ends)
{
    uint32_t k = turn % plan->count;
    tp_jobs jobs = {run_backwards, NULL, plan->workers[k]};
    tp_budget budget = {.units = plan->units,
                        .frames_max = 1,
                        .lanes_max = plan->lanes_max[k],
                        .jobs = jobs.workers > 1u ? &jobs : NULL};
    const tpi_step *step = &world->step;
    CHECK(tp_frame(world, &budget, NULL) >= TP_OK);
    bool within = step->cursor.j > 0 || step->cursor.k > 0;
    if (!step->active || step->stage != TP_STAGE_NEAREST || (step->cursor.i == 0 && !within))
        return;
    ends->inside++;
    ends->within += within;
    ends->shared += budget_stretches(world) > 0;
}

/* The hash of frame BUDGET_FRAMES. */
static uint64_t nearest_run(tp_world *world, const nearest_plan *plan, nearest_ends *ends)
{
    for (uint32_t turn = 0; world->clock.frame < BUDGET_FRAMES && turn < 100000u; turn++)
        nearest_call(world, plan, turn, ends);
    CHECK(world->clock.frame == BUDGET_FRAMES && !world->step.active);
    tp_report report = tp_world_report(world);
    CHECK(report.neighbours_dropped > 0);
    return tp_world_hash(world) ^ report.pairs << 8 ^ report.neighbours_dropped << 32;
}

static const nearest_plan nearest_whole = {0, 1, {1}, {0}}, nearest_narrow = {20000, 1, {1}, {4}},
                          nearest_short = {900, 4, {1, 1, 1, 1}, {0, 4, 8, 1}},
                          nearest_team = {20000, 4, {3, 8, 1, 2}, {4, 0, 16, 8}};

/* Budgets that end calls there, with the same hash. */
static void calls_that_end_among_nearest_neighbours_change_nothing(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        test_world whole = nearest_world(dimensions), cut = nearest_world(dimensions),
                   team = nearest_world(dimensions);
        nearest_ends none = {0}, ends = {0}, shared = {0};
        uint64_t alone = nearest_run(whole.world, &nearest_whole, &none);
        CHECK_EQ(none.inside, 0);
        CHECK_EQ(nearest_run(cut.world, &nearest_short, &ends), alone);
        CHECK_EQ(nearest_run(team.world, &nearest_team, &shared), alone);
        test_note("%u dimensions: %u ends, %u within a particle; %u ends, %u with stretches",
                  dimensions, ends.inside, ends.within, shared.inside, shared.shared);
        CHECK(ends.inside > 100 && ends.within > 50 && ends.within < ends.inside);
        CHECK(shared.inside > 3 && (shared.shared > 1) == (TPI_LANES > 1));
        test_world_free(&whole);
        test_world_free(&cut);
        test_world_free(&team);
    }
}

/* A copy of the block goes on with one thread and narrow vectors, the block itself with threads and
   wide ones: taken within a particle, and among stretches of threads. */
static void a_copy_taken_among_nearest_neighbours_goes_on_to_the_same_hash(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        if (!test_runs(kind, 3)) continue;
        uint32_t dimensions = 2u + (kind & 1u);
        const nearest_plan *plan = kind & 2u ? &nearest_team : &nearest_short;
        test_world whole = nearest_world(dimensions), made = nearest_world(dimensions),
                   copy = nearest_world(dimensions);
        nearest_ends ends = {0}, rest = {0};
        bool needs_threads = (kind & 2u) && TPI_LANES > 1;
        for (uint32_t turn = 0; turn < 10000u && made.world->clock.frame == 0; turn++) {
            nearest_call(made.world, plan, turn, &ends);
            if (needs_threads ? ends.shared > 0 : ends.within > 3) break;
        }
        test_note("%u dimensions, %u ends, %u within a particle, %u with stretches", dimensions,
                  ends.inside, ends.within, ends.shared);
        CHECK(needs_threads ? ends.shared > 0 : ends.within > 3);
        memcpy(copy.world, made.world, made.bytes);
        uint64_t alone = nearest_run(whole.world, &nearest_whole, &rest);
        CHECK_EQ(nearest_run(copy.world, &nearest_narrow, &rest), alone);
        CHECK_EQ(nearest_run(made.world, &nearest_team, &rest), alone);
        test_world_free(&whole);
        test_world_free(&made);
        test_world_free(&copy);
    }
}

typedef struct tally {
    atomic_uint seen[64];
} tally;

static void see(void *argument, uint32_t index)
{
    atomic_fetch_add(&((tally *)argument)->seen[index], 1u);
}

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

/* Particles that fall on still planes without friction, where they rest; with `kills` the floor has
   friction, so that they need paths, and a ball kills them. 40 of them are in one cell, more than
   an insertion sort takes. */
static test_world jobs_wall_world(uint32_t dimensions, bool kills)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = JOBS_PARTICLES;
    def.frames_per_second_numerator = 60;
    def.sph.neighbours_max = 255;
    test_world made = test_world_make(&def);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE),
                    ball = tp_collider_default(TP_COLLIDER_SPHERE);
    float side = dimensions == 2 ? 8.0f : 2.2f;
    plane.friction = kills ? 0.3f : 0.0f;
    ball.kills = true;
    ball.radius = 0.25f * side;
    ball.pose.position = (tp_vector){0.5f * side, 0.5f * side, dimensions == 2 ? 0.0f : side};
    collide_add(made.world, &plane);
    if (kills) collide_add(made.world, &ball);
    uint32_t state = 77u + dimensions;
    for (uint32_t i = 0; i < JOBS_PARTICLES; i++) {
        float x = test_random(&state) * side, y = 0.01f + test_random(&state) * side,
              z = test_random(&state) * side;
        if (i % 150u == 0) x = y = z = 1.0f + 1e-4f * (float)i / 150.0f;
        CHECK(tp_particle_add(made.world, (tp_vector){x, y, z}, (tp_vector){0, -9.0f * x, 0}, 0,
                              NULL) == TP_OK);
    }
    return made;
}

static uint64_t jobs_wall_hash(uint32_t dimensions, bool kills, uint32_t workers)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, workers))) return 0;
    test_world made = jobs_wall_world(dimensions, kills);
    tp_budget budget = {.jobs = &pool.jobs};
    for (uint32_t frame = 0; frame < BUDGET_FRAMES; frame++)
        CHECK(tp_frame(made.world, &budget, NULL) == TP_OK);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    platform_jobs_stop(&pool);
    return hash;
}

static void ranges_that_threads_share_leave_no_trace(void)
{
    static const uint32_t cuts[] = {0, 3000, 30000};
    for (uint32_t kind = 0; kind < 4; kind++) {
        bool kills = kind & 1u;
        uint32_t dimensions = kind & 2u ? 3 : 2;
        test_world made = jobs_wall_world(dimensions, kills);
        budget_outcome alone = budget_run(made.world, &budget_teams[0], 0);
        tp_report report = tp_world_report(made.world);
        test_note("%u dimensions: %llu contacts, %llu died", dimensions,
                  (unsigned long long)report.contacts, (unsigned long long)report.died);
        CHECK(report.contacts > 20 && kills == (report.died > 20));
        test_world_free(&made);
        CHECK_EQ(jobs_wall_hash(dimensions, kills, 3), alone.hash);
        for (uint32_t run = 0; run < BUDGET_TEAMS * 3u; run++) {
            const budget_team *team = &budget_teams[run % BUDGET_TEAMS];
            if (!test_is_long() && run % 2u == 0) continue;
            made = jobs_wall_world(dimensions, kills);
            budget_outcome outcome = budget_run(made.world, team, cuts[run / BUDGET_TEAMS]);
            test_note("team %u, %u units", run % BUDGET_TEAMS, cuts[run / BUDGET_TEAMS]);
            check_same_outcome(outcome, alone);
            report = tp_world_report(made.world);
            CHECK_EQ(made.world->count + report.died, JOBS_PARTICLES);
            test_world_free(&made);
        }
    }
}

/* Refused before anything is simulated, for every number of workers. */
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
    TEST_CASE(any_number_of_workers_finds_the_same_nearest_neighbours),
    TEST_CASE(a_budget_ends_at_the_same_step_with_any_number_of_workers),
    TEST_CASE(a_call_visits_no_more_than_its_budget_and_a_row_for_each_part),
    TEST_CASE(ranges_that_threads_share_leave_no_trace),
    TEST_CASE(slices_that_no_team_works_on_keep_to_the_definition),
    TEST_CASE(worlds_visit_at_most_an_item_beyond_what_a_shared_budget_charges),
    TEST_CASE(a_copy_taken_in_a_shared_sweep_goes_on_to_the_same_hash),
    TEST_CASE(an_edit_in_a_shared_sweep_leaves_nothing_of_it),
    TEST_CASE(calls_that_end_among_nearest_neighbours_change_nothing),
    TEST_CASE(a_copy_taken_among_nearest_neighbours_goes_on_to_the_same_hash),
    TEST_CASE(a_pool_runs_every_index_once_turn_after_turn),
};
TEST_SUITE(jobs, cases);
