/* SPDX-License-Identifier: MIT
   tests/unit/test_levels.c - grid levels (cells of several sizes) give the same bits as cells of
           one size.
   reads   runtime/grid, runtime/solve/pair/derive.c      writes  nothing
   memory  worlds of 216 particles                   cost    two seconds
   after   own design: the same world with all species in the widest cells */
#include "test.h"
#include "world_help.h"
#include "solve/pair/pair.h"

/* The hash after some frames; `has_one` uses cells of one size, which must not change the
   simulation. */
static uint64_t sized_hash(uint32_t dimensions, uint32_t run, bool has_one, uint64_t *units)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = 216;
    def.frames_per_second_numerator = 50;
    def.species_count = 3;
    def.species[1].sigma = 4.0f;
    def.species[2].sigma = 10.0f;
    def.pair.neighbours_max = 255;
    if (run % 2u) def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
    if (run & 2u) def.periodic_axes = dimensions == 2 ? 3 : 7;
    if (run & 4u) def.pair.stores_neighbours = false;
    def.box_size = dimensions == 2 ? (tp_vector){90, 85, 1} : (tp_vector){55, 60, 52};
    test_world made = test_world_make(&def);
    uint32_t state = 31;
    if (has_one) tpi_pair_derive_levels(made.world, 1);
    CHECK_EQ(made.world->constants.levels.count, has_one ? 1 : 3);
    for (uint32_t i = 0; i < 216; i++) {
        uint32_t row = dimensions == 2 ? 15 : 6;
        tp_vector at = {(float)(i % row), (float)(i / row % row), (float)(i / row / row)};
        float spacing = dimensions == 2 ? 5.7f : 8.6f;
        at = (tp_vector){at.x * spacing, at.y * spacing, at.z * spacing};
        CHECK(tp_particle_add(made.world, at, test_random_position(&state, 30),
                              i % 17u == 0 ? 2 : i % 5u == 0, NULL) == TP_OK);
    }
    test_world_frames(made.world, 40);
    tp_report report = tp_world_report(made.world);
    CHECK(report.particles_skipped == 0 && report.neighbours_dropped == 0 && report.pairs > 0);
    uint64_t hash = tp_world_hash(made.world);
    *units = report.units;
    test_world_free(&made);
    return hash;
}

static void cells_of_several_sizes_change_no_bit(void)
{
    for (uint32_t run = 0; run < 16; run++) {
        uint64_t units, plain_units, hash = sized_hash(2u + run / 8u, run % 8u, false, &units);
        test_note("%u dimensions, run %u", 2u + run / 8u, run % 8u);
        CHECK_EQ(hash, sized_hash(2u + run / 8u, run % 8u, true, &plain_units));
        CHECK(units != plain_units);
    }
}

/* Number of pairs within the cutoff, from all pairs of particles. */
static uint32_t pairs_of_all(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++)
        for (uint32_t j = i + 1; j < view.count; j++) {
            const float *x[3] = {view.x, view.y, view.z};
            uint32_t kind =
                TP_META_SPECIES(view.meta[i]) * TP_SPECIES_MAX + TP_META_SPECIES(view.meta[j]);
            float square = 0.0f;
            for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
                float d = x[axis][j] - x[axis][i];
                if (world->constants.box.is_periodic)
                    d = tpi_box_image(&world->constants.box, axis, d);
                square = square + d * d;
            }
            count += square * tpi_pair_of(world)->inverse_sigma_squared[kind] < 6.25f;
        }
    return count;
}

/* Sizes for which a narrow cell has rows of four widest-level cells around it; most of these are
   occupied, in separate runs. */
static void pairs_in_wide_rows_equal_brute_force(uint32_t dimensions, const float sizes[3],
                                                 bool is_periodic)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = 1500;
    def.species_count = 3;
    def.species[1].sigma = sizes[0];
    def.species[2].sigma = sizes[1];
    def.pair.skin = sizes[2];
    float side = 7.0f * (2.5f * sizes[1] + sizes[2]);
    def.box_size = (tp_vector){side, side, side};
    if (is_periodic) def.periodic_axes = dimensions == 2 ? 3 : 7;
    test_world made = test_world_make(&def);
    uint32_t state = 5;
    for (uint32_t i = 0; i < 1500; i++) {
        tp_vector at = test_random_position(&state, 0.5f * side);
        if (is_periodic)
            at = (tp_vector){at.x + 0.5f * side, at.y + 0.5f * side, at.z + 0.5f * side};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, i % 5u == 0 ? 0 : 1 + i % 2u,
                              NULL) == TP_OK);
    }
    tp_pair_report report;
    CHECK_EQ(made.world->constants.levels.count, 3);
    CHECK(tp_pair_measure(made.world, &report) == TP_OK);
    test_note("sizes 1, %g, %g, skin %g", (double)sizes[0], (double)sizes[1], (double)sizes[2]);
    CHECK_EQ(report.pairs, pairs_of_all(made.world));
    CHECK(tp_world_report(made.world).particles_skipped == 0);
    test_world_free(&made);
}

static void pairs_of_three_sizes_equal_brute_force(void)
{
    static const float sizes[4][3] = {
        {2, 4, 2}, {3.25f, 6.5f, 0.3f}, {6, 12, 0.3f}, {8.25f, 16.5f, 0.3f}};
    for (uint32_t run = 0; run < 16; run++)
        pairs_in_wide_rows_equal_brute_force(2u + run / 8u, sizes[run / 2u % 4u], run % 2u);
}

static const test_case cases[] = {TEST_CASE(cells_of_several_sizes_change_no_bit),
                                  TEST_CASE(pairs_of_three_sizes_equal_brute_force)};
TEST_SUITE(levels, cases);
