/* SPDX-License-Identifier: MIT
   tests/physics/test_columns.c - figures of the guide's page `fluids` that no curve has: deep
           columns, a block that lands flat, a full tank, the neighbour limit.
   reads   runtime/solve/sph      writes  nothing
   memory  worlds of up to 2600 particles
   cost    three seconds; TIDEPOOL_LONG=1: each column to its rest, four minutes
   after   own design: a gate stands as far above a figure of the page as the last digit given */
#include "dfsph_worlds.h"

/* ---- deep columns ---- */

/* A row of the table: ROWS deep, 10 (3D: 8 x 4) wide, SUBSTEPS a frame. In percent: compression of
   the worst frame, of the worst particle, and mean of the last second of `seconds`; J/kg: the
   energy then. */
typedef struct column {
    uint32_t dimensions, rows, substeps, seconds;
    double worst, particle, mean, energy;
} column;

static const column columns[] = {
    {2, 38, 4, 30, 0.6, 3, 0.04, 1e-7},  {2, 60, 4, 30, 1.4, 5, 0.09, 6e-5},
    {2, 100, 4, 30, 2.8, 17, 0.3, 2e-3}, {3, 40, 4, 15, 2.0, 10, 0.14, 3e-4},
    {3, 60, 4, 15, 3.1, 110, 0.3, 3e-3}, {3, 80, 4, 15, 4.3, 230, 0.7, 4e-1},
    {3, 60, 8, 10, 0.8, 5, 0.07, 1e-2},  {2, 100, 8, 15, 0.5, 3, 0.07, 3e-3},
};

/* Without the long tests only the fall onto the floor, which has the worst frame. */
static void check_column(const column *row)
{
    const uint32_t size[3] = {row->dimensions == 2 ? 10 : 8, row->rows,
                              row->dimensions == 2 ? 1 : 4};
    tp_world_def def = fluid_def(row->dimensions, size[0] * size[1] * size[2]);
    const uint32_t frames = test_is_long() ? 60u * row->seconds : 60u;
    pool_outcome outcome = {0};
    double mean = 0;
    def.substeps.count = row->substeps;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){FLUID_SPACING * (float)size[0], 100,
                                            FLUID_SPACING * (float)size[2]});
    fluid_block(made.world, size, (tp_vector){0, 0, 0}, 0.02f, 0);
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        pool_measure(made.world, &outcome);
        if (frame + 60u >= frames) mean += outcome.mean / 60;
    }
    pool_sums(made.world, &outcome);
    test_note(
        "%uD, %u rows, %u sub-steps: worst frame %.3f %%, particle %.1f %%, at the end %.3f %%, "
        "KE/N %.1e J",
        row->dimensions, row->rows, row->substeps, outcome.worst_frame, outcome.worst_particle,
        mean, outcome.energy);
    CHECK(outcome.worst_frame < row->worst && outcome.worst_frame > 0.5 * row->worst);
    CHECK(outcome.worst_particle < row->particle);
    if (test_is_long()) CHECK(mean < row->mean && outcome.energy < row->energy);
    test_world_free(&made);
}

static void deep_columns_are_compressed_as_the_guide_says(void)
{
    for (uint32_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        if (test_runs(k, 2)) check_column(&columns[k]);
}

/* ---- a block that lands flat ---- */

/* No particle of a block as wide as its tank can give way: its worst frame, in percent. */
static double flat_worst(const uint32_t size[3], float fall)
{
    const float s = FLUID_SPACING;
    tp_world_def def = fluid_def(size[2] > 1 ? 3 : 2, size[0] * size[1] * size[2]);
    pool_outcome outcome = {0};
    def.substeps.count_max = 16;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){(float)size[0] * s, 100, (float)size[2] * s});
    fluid_block(made.world, size, (tp_vector){0, fall * s, 0}, 0, 0);
    for (uint32_t frame = 0; frame < 50; frame++) {
        test_world_frames(made.world, 1);
        outcome.worst_frame =
            fmax(outcome.worst_frame, 100 * (double)tp_world_report(made.world).compression);
        outcome.worst_particle =
            fmax(outcome.worst_particle, 100 * (double)tp_world_report(made.world).compression_max);
    }
    test_note("%u x %u x %u, %.0f spacings: frame %.2f, particle %.1f %%, %u steps strained",
              size[0], size[1], size[2], (double)fall, outcome.worst_frame, outcome.worst_particle,
              (uint32_t)tp_world_report(made.world).steps_strained);
    CHECK(outcome.worst_particle < 20 && tp_world_report(made.world).steps_strained == 0);
    test_world_free(&made);
    return outcome.worst_frame;
}

/* In 3D after 25 spacings it has 2.04 %: a wave of pressure goes on by a few layers per step. */
static void a_block_lands_flat_within_two_percent(void)
{
    for (float fall = 10; fall < 31; fall += test_is_long() ? 2.5f : 10.0f) {
        CHECK(flat_worst((const uint32_t[3]){6, 10, 6}, fall) < 2.05);
        CHECK(flat_worst((const uint32_t[3]){20, 20, 1}, fall) < 2);
    }
}

/* ---- a full tank ---- */

/* A lattice of 40 x 40 that its tank just holds. Rows slip now and then, with eight sub-steps in
   the first seconds only. */
static void a_full_tank_of_eight_sub_steps_stays_at_rest(void)
{
    const uint32_t size[3] = {40, 40, 1}, seconds = test_is_long() ? 60 : 4;
    const float side = 0.12f;
    tp_world_def def = tp_world_default(2);
    double most = 0;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = size[0] * size[1];
    def.substeps.count = 8;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){side * 40, side * 40, 0});
    for (uint32_t i = 0; i < def.particles_max; i++) {
        tp_vector at = {((float)(i % 40u) + 0.5f) * side, ((float)(i / 40u) + 0.5f) * side, 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    for (uint32_t second = 1; second <= seconds; second++) {
        pool_outcome outcome = {0};
        test_world_frames(made.world, 60);
        pool_sums(made.world, &outcome);
        if (second == (test_is_long() ? 26u : 4u)) most = 0;
        most = fmax(most, outcome.energy);
    }
    test_note("KE/N %.1e J at most", most);
    CHECK(most < (test_is_long() ? 1e-5 : 1e-3));
    test_world_free(&made);
}

/* ---- the neighbour limit ---- */

/* Ends of pairs that a block drops in the 2 s after it began to fall from 2 m. */
static uint64_t limit_dropped(uint32_t dimensions, tp_sph_formulation formulation, uint32_t limit)
{
    const uint32_t n = dimensions == 2 ? 20 : 8, size[3] = {n, n, dimensions == 2 ? 1 : n};
    const float wide = FLUID_SPACING * (float)n * (dimensions == 2 ? 5.0f : 3.0f);
    tp_world_def def = fluid_def(dimensions, size[0] * size[1] * size[2]);
    uint64_t dropped = 0;
    if (formulation == TP_SPH_DOUBLE_DENSITY) tp_sph_double_density(&def, FLUID_SPACING);
    if (formulation == TP_SPH_IDEAL_GAS) tp_sph_ideal_gas(&def, FLUID_SPACING, 2);
    if (formulation == TP_SPH_WEAKLY_COMPRESSIBLE)
        tp_sph_weakly_compressible(&def, FLUID_SPACING, 2);
    def.sph.neighbours_max = limit;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){wide, 100, wide});
    fluid_block(made.world, size, (tp_vector){0, 2, 0}, 0, 0);
    test_world_frames(made.world, 120);
    dropped = tp_world_report(made.world).neighbours_dropped;
    test_note("%uD, formulation %u, limit %u: %llu", dimensions, formulation, limit,
              (unsigned long long)dropped);
    test_world_free(&made);
    return dropped;
}

/* The other formulations drop none at the lowest limit, so none at a higher one. */
static void a_fall_exceeds_the_neighbour_limit_of_the_double_density_alone(void)
{
    CHECK_EQ(limit_dropped(2, TP_SPH_DOUBLE_DENSITY, 40), 228);
    CHECK_EQ(limit_dropped(2, TP_SPH_DOUBLE_DENSITY, 64), 0);
    CHECK_EQ(limit_dropped(3, TP_SPH_DOUBLE_DENSITY, 40), 60272);
    CHECK_EQ(limit_dropped(3, TP_SPH_DOUBLE_DENSITY, 64), 280);
    CHECK_EQ(limit_dropped(3, TP_SPH_DOUBLE_DENSITY, 96), 0);
    for (uint32_t f = TP_SPH_INCOMPRESSIBLE; f <= TP_SPH_WEAKLY_COMPRESSIBLE; f++) {
        CHECK_EQ(limit_dropped(2, (tp_sph_formulation)f, 40), 0);
        if (test_runs(f, 3)) CHECK_EQ(limit_dropped(3, (tp_sph_formulation)f, 40), 0);
    }
}

static const test_case cases[] = {
    TEST_CASE(deep_columns_are_compressed_as_the_guide_says),
    TEST_CASE(a_block_lands_flat_within_two_percent),
    TEST_CASE(a_full_tank_of_eight_sub_steps_stays_at_rest),
    TEST_CASE(a_fall_exceeds_the_neighbour_limit_of_the_double_density_alone),
};
TEST_SUITE(columns, cases);
