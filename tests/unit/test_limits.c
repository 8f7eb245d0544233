/* SPDX-License-Identifier: MIT
   tests/unit/test_limits.c - what the header says at the limits: pools, ids, z in two dimensions, values that are refused.
   reads   runtime      writes  blocks of its own, counters through the private header
   memory  malloc       cost    milliseconds
   after   own design; each case is a sentence of the header */
#include "../harness/pair_help.h"
#include "../harness/test.h"
#include <math.h>
#include <string.h>

/* ---- pools ---- */

/* Pairs are counted by a measurement, too: it builds the list before any step does. */
static void no_pool_uses_more_than_its_peak(void)
{
    tp_world_def def = pair_def(2, 64, 0.004);
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 64; i++) pair_add(made.world, i % 8u, i / 8u, 0.0);
    (void)pair_measure(made.world);
    tp_pool_report pairs = tp_world_report(made.world).pools[TP_POOL_PAIRS];
    test_note("used %u, peak %u", pairs.used, pairs.peak);
    CHECK(pairs.used > 100 && pairs.peak == pairs.used);
    test_world_free(&made);
}

/* The field has a range in every definition, and a meaning with one potential of one solver only. */
static void a_table_costs_memory_where_there_can_be_one_only(void)
{
    for (tp_solver solver = TP_SOLVER_NONE; solver <= TP_SOLVER_SPH; solver++)
        for (uint32_t stores = 0; stores < 2; stores++) {
            tp_world_def def = tp_world_default(2);
            size_t without, with;
            def.solver = solver;
            def.sph.stores_neighbours = stores;
            CHECK_EQ(tp_world_memory(&def, &without), TP_OK);
            def.pair.table_max = 4097;
            CHECK_EQ(tp_world_memory(&def, &with), TP_OK);
            CHECK_EQ(with, without);
            test_world made = test_world_make(&def);
            CHECK_EQ(made.world->arrays.table, 0);
            test_world_free(&made);
        }
}

/* ---- values that are refused ---- */

/* The same rule adds a particle and changes one, and what is refused changes nothing. */
static void a_particle_is_set_to_finite_numbers_only(void)
{
    static const float wild[] = {NAN, -NAN, INFINITY, -INFINITY};
    tp_world_def def = tp_world_default(3);
    def.particles_max = 2;
    test_world made = test_world_make(&def);
    tp_vector calm = {1, 2, 3};
    CHECK(tp_particle_add(made.world, calm, calm, 0, NULL) == TP_OK);
    uint64_t hash = tp_world_hash(made.world);
    for (uint32_t k = 0; k < 12; k++) {
        float axes[3] = {1, 2, 3};
        axes[k % 3u] = wild[k / 3u];
        tp_vector bad = {axes[0], axes[1], axes[2]};
        CHECK_EQ(tp_particle_set(made.world, 0, bad, calm), TP_ERROR_DEFINITION);
        CHECK_EQ(tp_particle_set(made.world, 0, calm, bad), TP_ERROR_DEFINITION);
        CHECK_EQ(tp_particle_add(made.world, bad, calm, 0, NULL), TP_ERROR_DEFINITION);
        CHECK_EQ(tp_particle_add(made.world, calm, bad, 0, NULL), TP_ERROR_DEFINITION);
    }
    CHECK_EQ(tp_particle_set(made.world, 1, calm, calm), TP_ERROR_HANDLE);
    CHECK_EQ(tp_world_hash(made.world), hash);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(no_pool_uses_more_than_its_peak),
    TEST_CASE(a_table_costs_memory_where_there_can_be_one_only),
    TEST_CASE(a_particle_is_set_to_finite_numbers_only),
};
TEST_SUITE(limits, cases);
