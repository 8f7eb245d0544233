/* SPDX-License-Identifier: MIT
   tests/unit/test_nearest.c - the farthest neighbour that a particle above the limit keeps.
   reads   runtime/grid      writes  nothing
   memory  worlds of 2700 particles       cost    a few milliseconds
   after   brute force: all neighbours, sorted by distance and id. Long slices select from a batch
           if there are vectors; short ones use the heap */
#include "test.h"
#include "world_help.h"
#include "grid_worlds.h"
#include "grid/sweep.h"
#include "step/step.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define COUNT 300u

typedef struct neighbour {
    float square;
    uint32_t id;
} neighbour;

static int by_distance_and_id(const void *left, const void *right)
{
    const neighbour *a = left, *b = right;
    if (a->square != b->square) return a->square < b->square ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* The limit of the particle: number `cap` of its neighbours, if there are more. */
static neighbour expected_limit(const tp_world *world, uint32_t i)
{
    static neighbour all[COUNT];
    const uint32_t *order = tpi_words(world, world->arrays.order),
                   *ids = tpi_words(world, world->arrays.id);
    uint32_t found = 0, cap = world->constants.neighbours_max;
    for (uint32_t j = 0; j < COUNT; j++) {
        float square = tpi_distance_squared(tpi_points_of(world), i, j, world->def.dimensions);
        if (i == j || !(square < world->constants.radius_squared)) continue;
        all[found++] = (neighbour){square, ids[TPI_ORDER_INDEX(order[j])]};
    }
    qsort(all, found, sizeof all[0], by_distance_and_id);
    return found > cap ? all[cap - 1u] : (neighbour){FLT_MAX, 0xffffffffu};
}

/* Compares the limits of all particles, and frees the world. */
static void check_limits(test_world made, uint32_t slice)
{
    tp_world *world = made.world;
    uint32_t limited = 0, wrong = 0;
    CHECK(test_world_run_to(world, TP_STAGE_PRESSURE, slice));
    CHECK(world->step.count == COUNT && world->step.particles_skipped == 0 && world->step.capped);
    for (uint32_t i = 0; i < COUNT; i++) {
        neighbour expected = expected_limit(world, i);
        limited += expected.square < FLT_MAX;
        wrong += tpi_floats(world, world->arrays.limit_distance)[i] != expected.square ||
                 tpi_words(world, world->arrays.limit_id)[i] != expected.id;
    }
    test_note("%u dimensions, slices of %u: %u above the limit", world->def.dimensions, slice,
              limited);
    CHECK_EQ(wrong, 0);
    CHECK(limited > COUNT / 8u);
    test_world_free(&made);
}

static void limits_of_points_equal_brute_force(void)
{
    for (uint32_t n = 0; n < 4u; n++)
        for (uint32_t slice = 64; slice <= 65536; slice *= 1024)
            check_limits(grid_world(2u + n % 2u, COUNT, UNIFORM, true, n < 2u ? 4 : 6), slice);
}

/* Six points at each place: the limit is at distance 0. */
static void limits_of_coincident_points_are_decided_by_the_ids(void)
{
    for (uint32_t n = 0; n < 2u; n++)
        for (uint32_t slice = 64; slice <= 65536; slice *= 1024) {
            test_world made = grid_world(2u + n, COUNT, UNIFORM, true, 4);
            for (uint32_t axis = 0; axis < 2u + n; axis++)
                for (uint32_t i = 50; i < COUNT; i++)
                    tpi_front_x(made.world, axis)[i] = tpi_front_x(made.world, axis)[i % 50u];
            check_limits(made, slice);
        }
}

/* On a lattice many neighbours are at one distance, and their ids decide. */
static void limits_on_a_lattice_are_decided_by_the_ids(void)
{
    static const uint32_t caps[] = {4, 5, 7, 10, 14};
    for (uint32_t n = 0; n < 2u * 5u; n++)
        for (uint32_t slice = 64; slice <= 65536; slice *= 1024) {
            uint32_t dimensions = 2u + n % 2u, side = dimensions == 2 ? 18u : 7u;
            test_world made = grid_world(dimensions, COUNT, UNIFORM, true, caps[n / 2u]);
            float spacing = sqrtf(made.world->constants.radius_squared) / 2.5f;
            for (uint32_t axis = 0, each = 1; axis < dimensions; axis++, each *= side)
                for (uint32_t i = 0; i < COUNT; i++)
                    tpi_front_x(made.world, axis)[i] =
                        spacing * (float)((i * 7u % COUNT) / each % side);
            check_limits(made, slice);
        }
}

/* Lumps of a fluid that have more neighbours than the limit, and more pairs below it than a batch
   has room for, each in the middle of a cell. Returns the neighbours dropped in one step. */
#define LUMPS     60u
#define LUMP_SIZE 45u
static uint64_t dropped_in_lumps(uint32_t dimensions, uint32_t units)
{
    tp_world_def def = tp_world_default(dimensions);
    uint32_t state = 4;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.neighbours_max = 40;
    def.particles_max = LUMPS * LUMP_SIZE;
    def.frames_per_second_numerator = 1000;
    test_world made = test_world_make(&def);
    float h = def.sph.smoothing_radius;
    for (uint32_t i = 0; i < LUMPS * LUMP_SIZE; i++) {
        float at[3] = {0, 0, 0};
        for (uint32_t axis = 0; axis < dimensions; axis++)
            at[axis] = test_uniform(&state, 0.4f, 0.6f) * h;
        at[0] += 3.0f * h * (float)(i / LUMP_SIZE);
        CHECK(tp_particle_add(made.world, (tp_vector){at[0], at[1], at[2]}, (tp_vector){0, 0, 0}, 0,
                              NULL) == TP_OK);
    }
    tp_budget budget = {.units = units};
    tp_report report = {0};
    while (report.frames < 1) CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
    test_world_free(&made);
    return report.neighbours_dropped;
}

/* A batch that is full is begun again with fewer particles. Each of a lump loses at least four
   neighbours of its 44, and each pair that is dropped counts at both ends. */
static void a_neighbour_is_dropped_once(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        uint64_t dropped = dropped_in_lumps(dimensions, 0);
        test_note("%u dimensions: %llu dropped", dimensions, (unsigned long long)dropped);
        CHECK(dropped >= LUMPS * LUMP_SIZE * 4u && dropped < LUMPS * LUMP_SIZE * 44u);
        CHECK_EQ(dropped_in_lumps(dimensions, 300), dropped);
    }
}

static const test_case cases[] = {TEST_CASE(a_neighbour_is_dropped_once),
                                  TEST_CASE(limits_of_points_equal_brute_force),
                                  TEST_CASE(limits_of_coincident_points_are_decided_by_the_ids),
                                  TEST_CASE(limits_on_a_lattice_are_decided_by_the_ids)};
TEST_SUITE(nearest, cases);
