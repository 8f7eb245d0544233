/* SPDX-License-Identifier: MIT
   tests/unit/test_lanes.c - the width of vectors that is chosen at run time changes only the speed.
   reads   runtime      writes  nothing
   memory  worlds of 1500 particles      cost    about a second
   after   own design: each world is run once with the narrowest vectors, then with wider ones, and
           with a width that changes from call to call inside a step */
#include "test.h"
#include "world_help.h"
#include "pair_help.h"
#include <string.h>

#define LANES_PARTICLES 1500u
#define LANES_FRAMES    3u

/* Two fluids in a tank; in 2D they fall, in 3D steps are adaptive and neighbours not stored. */
static test_world lanes_fluid(uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    uint32_t state = 3u + dimensions;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = LANES_PARTICLES;
    def.frames_per_second_numerator = 120;
    def.species_count = 2;
    def.species[1] = def.species[0];
    def.species[1].mass = 0.5f * def.species[0].mass;
    def.sph.stores_neighbours = dimensions == 2;
    def.substeps.is_adaptive = dimensions == 3;
    test_world made = test_world_make(&def);
    float side = dimensions == 2 ? 4.0f : 1.6f;
    test_world_gravity(made.world, 9.8f);
    test_world_tank(made.world, (tp_vector){side, 2.0f * side, side});
    for (uint32_t i = 0; i < LANES_PARTICLES; i++) {
        tp_vector at = {test_uniform(&state, 0.1f, side - 0.1f),
                        test_uniform(&state, 0.1f, side - 0.1f),
                        test_uniform(&state, 0.1f, side - 0.1f)};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0.5f, 0, 0}, i & 1u, NULL) == TP_OK);
    }
    return made;
}

/* An incompressible fluid, periodic along x, or a compact one in which neighbours exceed their
   limit; both far from the origin. */
static test_world lanes_far(bool is_periodic)
{
    const float corner = 1000.0f, side = 4.0f;
    tp_world_def def = tp_world_default(2);
    uint32_t state = 11;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = LANES_PARTICLES;
    if (is_periodic) {
        def.sph.formulation = TP_SPH_INCOMPRESSIBLE;
        def.periodic_axes = TP_AXIS_X;
        def.box_low.x = corner;
        def.box_size.x = side;
    } else {
        def.sph.stores_neighbours = false;
        def.sph.neighbours_max = 12;
    }
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.8f);
    for (uint32_t i = 0; i < LANES_PARTICLES; i++) {
        tp_vector at = {corner + test_uniform(&state, 0, side), test_uniform(&state, 0, side), 0};
        at.y += corner;
        CHECK(tp_particle_add(made.world, at, (tp_vector){0.5f, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* A melt whose lists are kept, or hard spheres. */
static test_world lanes_pairs(tp_potential potential)
{
    tp_world_def def = pair_def(3, 4u * 7u * 7u * 7u, 0.005);
    def.pair.potential = potential;
    if (potential == TP_POTENTIAL_LENNARD_JONES) def.pair.skin = 0.3f;
    return pair_crystal(&def, 7, 0.7, 1.4);
}

enum { LANES_WORLDS = 6 };
static test_world lanes_world(uint32_t kind)
{
    if (kind < 2) return lanes_fluid(2u + kind);
    if (kind > 3) return lanes_far(kind == 4);
    return lanes_pairs(kind == 2 ? TP_POTENTIAL_LENNARD_JONES : TP_POTENTIAL_HARD_SPHERE);
}

/* What must not depend on the width. */
typedef struct lanes_outcome {
    uint64_t hash, units, pairs, contacts, dropped, calls;
} lanes_outcome;

/* Numbers in the vectors that a call with this limit has to use. */
static uint32_t lanes_within(uint32_t lanes_max)
{
    for (uint32_t width = 16; width > TPI_LANES; width /= 2u)
        if (width <= tp_lanes() && (!lanes_max || width <= lanes_max)) return width;
    return TPI_LANES;
}

/* Simulates in calls of `units`; call number k uses vectors of at most widths[k % count]. */
static lanes_outcome lanes_run(uint32_t kind, const uint8_t *widths, uint32_t count, uint32_t units)
{
    test_world made = lanes_world(kind);
    tp_budget budget = {.units = units};
    tp_report report = {0};
    lanes_outcome outcome = {0};
    while (made.world->clock.frame < LANES_FRAMES && outcome.calls < 100000u) {
        budget.lanes_max = widths[outcome.calls++ % count];
        CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
        outcome.units += report.units;
        CHECK_EQ(report.lanes, lanes_within(budget.lanes_max));
    }
    outcome.hash = tp_world_hash(made.world);
    outcome.pairs = report.pairs;
    outcome.contacts = report.contacts;
    outcome.dropped = report.neighbours_dropped;
    CHECK(outcome.calls > LANES_FRAMES);
    test_world_free(&made);
    return outcome;
}

static void any_width_gives_the_same_bits_and_units(void)
{
    static const uint8_t narrow[] = {4}, all[] = {4, 16, 8, 1, 0, 8, 4, 0};
    for (uint32_t kind = 0; kind < LANES_WORLDS; kind++) {
        lanes_outcome least = lanes_run(kind, narrow, 1, 20000);
        CHECK(least.pairs > 0 && (kind != 5 || least.dropped > 0));
        for (uint8_t width = 8; width <= 16; width = (uint8_t)(2 * width)) {
            test_note("world %u, vectors of at most %u of %u", kind, width, tp_lanes());
            lanes_outcome wide = lanes_run(kind, &width, 1, 20000);
            CHECK(memcmp(&wide, &least, sizeof wide) == 0);
        }
        test_note("world %u, widths that change inside a step", kind);
        lanes_outcome mixed = lanes_run(kind, all, 8, 1700),
                      short_calls = lanes_run(kind, narrow, 1, 1700);
        CHECK(memcmp(&mixed, &short_calls, sizeof mixed) == 0);
        CHECK_EQ(mixed.hash, least.hash);
    }
}

/* A block that was copied in the middle of a step goes on at another width. */
static void a_copy_goes_on_at_another_width(void)
{
    static const uint8_t widths[] = {4, 8, 16};
    for (uint32_t kind = 0; kind < LANES_WORLDS; kind++) {
        test_world made = lanes_world(kind), copy = lanes_world(kind);
        tp_budget budget = {.units = 7777};
        for (uint32_t call = 0; call < 9u; call++) {
            budget.lanes_max = widths[call % 3u];
            CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
        }
        memcpy(copy.world, made.world, made.bytes);
        for (uint32_t call = 0; call < 25u; call++) {
            budget.lanes_max = 4;
            CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
            budget.lanes_max = widths[call % 3u];
            CHECK(tp_frame(copy.world, &budget, NULL) >= TP_OK);
        }
        test_note("world %u", kind);
        CHECK_EQ(tp_world_hash(copy.world), tp_world_hash(made.world));
        test_world_free(&made);
        test_world_free(&copy);
    }
}

/* A block remembers the width for its report alone: one that comes from another machine, in the
   middle of a step, goes on with the vectors of this machine. */
static void a_block_of_another_machine_has_the_width_of_this_one(void)
{
    static const uint8_t others[] = {1, 4, 8, 16};
    test_world made = lanes_world(0);
    tp_budget budget = {.units = 7777};
    tp_report report;
    for (uint32_t k = 0; k < 4u; k++) {
        made.world->report.lanes = others[k];
        CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
        CHECK_EQ(report.lanes, tp_lanes());
    }
    test_world_free(&made);
}

/* The widest that the build has and the machine can: what it can is asked here again. */
static uint32_t lanes_of_machine(void)
{
#if TIDEPOOL_DISPATCH
    const bool has_bits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2");
    if (TP_LANES_MAX >= 16 && has_bits && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 16;
    if (TP_LANES_MAX >= 8 && TPI_LANES < 8 && has_bits) return 8;
#endif
    return TPI_LANES;
}

/* A crowded fluid in a periodic box: its counts are of images that are rounded far out, and the
   limit of a particle does not follow from them. */
static uint64_t lanes_of_crowd(float far, uint32_t seed, tp_budget budget)
{
    const float side = 2.13f;
    tp_world_def def = tp_world_default(2);
    tp_report report = {0};
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 700;
    def.sph.neighbours_max = 40;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y;
    def.box_low = (tp_vector){far, 0.0f, 0.0f};
    def.box_size = (tp_vector){side, side, 1.0f};
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < def.particles_max; i++) {
        tp_vector at = {far + 0.999f * side * test_random(&seed),
                        0.999f * side * test_random(&seed), 0.0f};
        CHECK_EQ(tp_particle_add(made.world, at, (tp_vector){0.0f, 0.0f, 0.0f}, 0, NULL), TP_OK);
    }
    budget.frames_max = 1;
    while (report.frames < 1 && CHECK(tp_frame(made.world, &budget, &report) >= TP_OK)) continue;
    CHECK(report.neighbours_dropped > 0);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void a_crowd_in_a_box_far_out_has_the_same_bits_in_slices(void)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        const float far = seed & 1u ? 20000.0f : 1000.0f;
        const uint64_t hash = lanes_of_crowd(far, seed, (tp_budget){.lanes_max = 8});
        CHECK_EQ(lanes_of_crowd(far, seed, (tp_budget){.lanes_max = 8, .units = 100}), hash);
        CHECK_EQ(lanes_of_crowd(far, seed, (tp_budget){.lanes_max = 4, .units = 1000}), hash);
        CHECK_EQ(lanes_of_crowd(far, seed, (tp_budget){.lanes_max = 1}), hash);
    }
}

static void the_width_is_told(void) { CHECK_EQ(tp_lanes(), lanes_of_machine()); }

static const test_case cases[] = {
    TEST_CASE(any_width_gives_the_same_bits_and_units),
    TEST_CASE(a_copy_goes_on_at_another_width),
    TEST_CASE(a_block_of_another_machine_has_the_width_of_this_one),
    TEST_CASE(a_crowd_in_a_box_far_out_has_the_same_bits_in_slices),
    TEST_CASE(the_width_is_told),
};
TEST_SUITE(lanes, cases);
