/* SPDX-License-Identifier: MIT
   tests/unit/test_lists.c - neighbour lists of the pair solver that threads build are those that
           one thread builds; lists of fluids with room for their groups of cells, and without.
   reads   runtime      writes  nothing
   memory  worlds of 10 500 particles      cost    about a second
   after   own design: rows, pairs, counts and units are compared number by number, for any slices
           and any number of workers */
#include "test.h"
#include "world_help.h"
#include "../../runtime/solve/pair/pair.h"
#include "../../runtime/grid/kept.h"
#include <math.h>
#include <string.h>

#define LISTS_PARTICLES 3000u
#define LISTS_WORLDS    4u

static tp_world_def lists_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = particles;
    def.frames_per_second_numerator = 1000;
    return def;
}

/* Particles at random in a box: open or periodic, of one size or two, for lists that are kept or
   not. */
static test_world lists_world(uint32_t kind)
{
    tp_world_def def = lists_def(kind == 1u ? 2u : 3u, LISTS_PARTICLES);
    float side = kind == 1u ? 62.0f : 16.0f;
    uint32_t state = 11u + kind;
    if (kind == 0) def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z;
    def.box_size = (tp_vector){side, side, side};
    if (kind == 2u) {
        def.species_count = 2;
        def.species[1] = def.species[0];
        def.species[1].sigma = 0.4f * def.species[0].sigma;
    }
    if (kind == 3u) def.pair.skin = 0.0f;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < LISTS_PARTICLES; i++) {
        tp_vector at = {test_random(&state) * side, test_random(&state) * side,
                        def.dimensions == 3 ? test_random(&state) * side : 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, kind == 2u && i % 3u, NULL) ==
              TP_OK);
    }
    return made;
}

/* Runs parts from the last to the first. */
static void lists_backwards(void *context, void (*work)(void *argument, uint32_t index),
                            void *argument, uint32_t count)
{
    (void)context;
    while (count-- > 0) work(argument, count);
}

/* The sum of all numbers of the lists, each weighted by its place. */
static uint64_t lists_sum(const tp_world *world)
{
    const uint32_t *row = tpi_words(world, world->arrays.row),
                   *pairs = tpi_words(world, world->arrays.pair),
                   *neighbours = tpi_neighbour_counts(world);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < world->step.count; i++) {
        sum += (uint64_t)neighbours[i] * (i + 1u) + (uint64_t)row[i + 1u] * (3u * i + 1u);
        for (uint32_t k = row[i]; k < row[i + 1u]; k++) sum = sum * 31u + pairs[k];
    }
    return sum;
}

/* Stops at the first call that ends in the force stage. */
static bool lists_reach_force(tp_world *world, uint32_t workers, uint32_t units)
{
    tp_jobs jobs = {lists_backwards, NULL, workers};
    tp_budget budget = {.units = units, .frames_max = 1, .jobs = workers > 1u ? &jobs : NULL};
    for (uint32_t call = 0; call < 100000u; call++) {
        if (world->step.active && world->step.stage == TP_STAGE_FORCE) return true;
        CHECK(tp_frame(world, &budget, NULL) >= TP_OK);
    }
    return false;
}

static void lists_of_parts_are_those_of_one_thread(void)
{
    static const uint32_t workers[] = {2, 3, 8, 16}, units[] = {9000, 13000, 21000};
    for (uint32_t kind = 0; kind < LISTS_WORLDS; kind++) {
        test_world alone = lists_world(kind);
        CHECK(lists_reach_force(alone.world, 1, 700));
        CHECK(alone.world->step.pair_count > LISTS_PARTICLES && !alone.world->step.by_parts);
        CHECK(!alone.world->step.list_overflowed);
        for (uint32_t w = 0; w < 4u; w++)
            for (uint32_t u = 0; u < 3u; u++) {
                test_world made = lists_world(kind);
                test_note("world %u, %u workers, calls of %u units", kind, workers[w], units[u]);
                if (!CHECK(lists_reach_force(made.world, workers[w], units[u]))) continue;
                CHECK(made.world->step.by_parts);
                CHECK_EQ(made.world->step.pair_count, alone.world->step.pair_count);
                CHECK_EQ(lists_sum(made.world), lists_sum(alone.world));
                test_world_free(&made);
            }
        test_world_free(&alone);
    }
}

#define LISTS_GROUPS 256u
#define LISTS_MANY   (LISTS_GROUPS * 41u)

/* Groups of 2 particles in a row of cells, each below a group of 39: the lists of the first parts
   are longer than their range, and the limit is exceeded nowhere. */
static test_world lists_world_of_groups(void)
{
    tp_world_def def = lists_def(2, LISTS_MANY);
    uint32_t state = 5;
    def.pair.neighbours_max = 40;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y;
    def.box_size = (tp_vector){6.0f * (float)LISTS_GROUPS, 12.0f, 0};
    test_world made = test_world_make(&def);
    float cell = def.box_size.y / (float)made.world->constants.box.cells[1];
    for (uint32_t i = 0; i < LISTS_MANY; i++) {
        bool is_low = i % 41u < 2u;
        tp_vector at = {6.0f * (float)(i / 41u) + 1.0f + 0.2f * test_random(&state),
                        is_low ? 0.9f * cell + 0.05f * test_random(&state)
                               : 1.1f * cell + 0.2f * test_random(&state),
                        0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

static void lists_that_exceed_their_part_are_built_by_nobody(void)
{
    test_world alone = lists_world_of_groups(), made = lists_world_of_groups();
    CHECK(lists_reach_force(alone.world, 1, 900) && lists_reach_force(made.world, 4, 60000));
    CHECK(!alone.world->step.by_parts && made.world->step.by_parts);
    CHECK(!alone.world->step.capped && alone.world->step.neighbours_largest == 40u);
    CHECK(alone.world->step.list_overflowed && made.world->step.list_overflowed);
    for (uint32_t frame = 0; frame < 2u; frame++) {
        tp_jobs jobs = {lists_backwards, NULL, 4};
        tp_budget with = {.jobs = &jobs}, without = {0};
        tp_report shared, single;
        CHECK(tp_frame(alone.world, &without, &single) == TP_OK);
        CHECK(tp_frame(made.world, &with, &shared) == TP_OK);
        if (frame) CHECK_EQ(shared.units, single.units);
    }
    CHECK_EQ(tp_world_hash(alone.world), tp_world_hash(made.world));
    test_world_free(&alone);
    test_world_free(&made);
}

/* ---- compared with brute force ---- */

/* Cells along the axes of a box, 0: open. There are 20 particles in a cell in 3D, 6 in 2D. */
static test_world lists_world_of_cells(uint32_t dimensions, const uint32_t cells[3])
{
    tp_world_def def = lists_def(dimensions, LISTS_PARTICLES);
    float side[3] = {11.5f, 11.5f, 11.5f};
    uint32_t state = 3;
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        if (!cells[axis]) continue;
        side[axis] = 2.9f * (float)cells[axis];
        def.periodic_axes |= 1u << axis;
    }
    def.box_size = (tp_vector){side[0], side[1], side[2]};
    float number = dimensions == 2 ? .8f * side[0] * side[1] : .82f * side[0] * side[1] * side[2];
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; (float)i < number && i < LISTS_PARTICLES; i++) {
        tp_vector at = {test_random(&state) * side[0], test_random(&state) * side[1],
                        dimensions == 3 ? test_random(&state) * side[2] : 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

static bool lists_are_near(const tp_world *world, uint32_t i, uint32_t j)
{
    float square = 0;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        float d = tpi_back_x(world, axis)[j] - tpi_back_x(world, axis)[i];
        d = tpi_box_image(&world->constants.box, axis, d);
        square = axis ? square + d * d : d * d;
    }
    return square < world->constants.radius_squared;
}

/* Particle i has its neighbours once, in its own list or in theirs. */
static bool lists_agree(const tp_world *world, uint32_t i)
{
    static uint8_t found[LISTS_PARTICLES];
    const uint32_t *row = tpi_words(world, world->arrays.row),
                   *pairs = tpi_words(world, world->arrays.pair);
    uint32_t neighbours = 0, wrong = 0;
    memset(found, 0, sizeof found);
    for (uint32_t k = row[i]; k < row[i + 1u]; k++) found[pairs[k] / 4u]++;
    for (uint32_t j = 0; j < world->step.count; j++)
        for (uint32_t k = row[j]; k < row[j + 1u]; k++)
            found[j] = (uint8_t)(found[j] + (pairs[k] == 4u * i));
    for (uint32_t j = 0; j < world->step.count; j++) {
        uint32_t expected = j != i && lists_are_near(world, i, j);
        neighbours += expected;
        wrong += found[j] != expected;
    }
    return wrong == 0 && tpi_neighbour_counts(world)[i] == neighbours;
}

static void lists_hold_every_pair_once(void)
{
    static const uint32_t cells[][4] = {{3, 0, 0, 0}, {3, 4, 5, 3}, {3, 3, 3, 3}, {3, 5, 5, 5},
                                        {3, 6, 0, 5}, {2, 3, 9, 0}, {2, 7, 0, 0}};
    for (uint32_t c = 0; c < sizeof cells / sizeof cells[0]; c++)
        for (uint32_t turn = 0; turn < 2u; turn++) {
            /* fewer than the candidates of a particle; more than those of a cell, but not so many
               that a call computes all forces */
            uint32_t units = turn == 0 ? 200 : cells[c][0] == 2u ? 700 : 9000;
            test_world made = lists_world_of_cells(cells[c][0], cells[c] + 1);
            test_note("world %u, calls of %u units", c, units);
            if (!CHECK(lists_reach_force(made.world, 1, units))) continue;
            CHECK(made.world->step.list_built && !made.world->step.list_overflowed);
            for (uint32_t i = c; i < made.world->step.count; i += 397u)
                CHECK(lists_agree(made.world, i));
            test_world_free(&made);
        }
}

/* A skin of 0.3 in boxes of every width: one cell more where a tenth of the skin makes room for it,
   never fewer, and lists hold each pair that half a skin of motion on both sides can bring within
   the cutoff. */
static void a_narrower_skin_fits_one_more_cell(void)
{
    uint32_t more = 0, same = 0;
    for (uint32_t k = 0; k < 600u; k++) {
        tp_world_def def = lists_def(3, 64);
        const float side = 9.0f + 0.0371f * (float)k, list = 2.8f * 1.0078125f,
                    narrow = 2.77f * 1.0078125f;
        def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z;
        def.box_size = (tp_vector){side, side, side};
        test_world made = test_world_make(&def);
        const uint32_t cells = made.world->constants.box.cells[0];
        const double half = sqrt((double)tpi_pair_of(made.world)->half_skin_squared),
                     reach = sqrt((double)made.world->constants.radius_squared);
        uint32_t least = (uint32_t)(side / list), most = (uint32_t)(side / narrow);
        test_note("side %g: %u cells, half a skin %g, lists to %g", (double)side, cells, half,
                  reach);
        CHECK(cells >= least && cells <= (most > 3u ? most : 3u));
        CHECK(2.5 + 2 * half < reach && reach < 2.8001 && half > 0.1345);
        CHECK(side / (float)cells >= reach * 1.0078 || cells == 3u);
        CHECK(cells > least || half > 0.1499); /* where nothing is gained the skin is as defined */
        more += cells > least;
        same += cells == least;
        test_world_free(&made);
    }
    test_note("%u boxes have more cells, %u as many", more, same);
    CHECK(more > 20u && same > 400u);
}

/* Forces and lists of before the change are not used again: the atoms go on as those of a world
   that had the new settings from the start, and these places and velocities. */
static void atoms_feel_the_new_settings_at_once(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = 64;
    def.species_count = 2;
    def.takes_changes = true;
    for (uint32_t s = 0; s < 2; s++) def.species[s].sigma = 0.1f, def.species[s].epsilon = 0.1f;
    tp_world_def stiff = def;
    stiff.species[0].epsilon = 3.0f * def.species[0].epsilon;
    stiff.species[1].epsilon = 0.5f * def.species[1].epsilon;
    test_world made = test_world_make(&def), other = test_world_make(&stiff);
    for (uint32_t i = 0; i < 49; i++) {
        tp_vector at = {0.11f * (float)(i % 7u), 0.11f * (float)(i / 7u), 0}, still = {0};
        CHECK(tp_particle_add(made.world, at, still, i & 1u, NULL) == TP_OK);
    }
    test_world_frames(made.world, 3);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        tp_vector at = {view.x[i], view.y[i], 0}, velocity = {view.vx[i], view.vy[i], 0};
        CHECK(tp_particle_add(other.world, at, velocity, TP_META_SPECIES(view.meta[i]), NULL) ==
              TP_OK);
    }
    CHECK(tp_world_change(made.world, &stiff) == TP_OK);
    test_world_frames(made.world, 1);
    test_world_frames(other.world, 1);
    double apart = 0, moved = 0;
    tp_view a = tp_world_view(made.world), b = tp_world_view(other.world);
    CHECK_EQ(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++) {
        apart = fmax(apart, fabs((double)a.vx[i] - (double)b.vx[i]));
        moved = fmax(moved, fabs((double)a.vx[i]));
    }
    test_note("velocities differ by %.1e of %.1e m/s", apart, moved);
    CHECK(moved > 0.01 && apart < 1e-5 * moved);
    test_world_free(&made);
    test_world_free(&other);
}

/* ---- groups of cells ---- */

#define LISTS_GAS   1000u
#define LISTS_CROWD 40000u

/* Sparse particles at random: a group has five, and 24 runs of candidates. */
static test_world lists_gas(uint32_t dimensions, uint32_t neighbours_max, bool stores)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = LISTS_GAS;
    def.sph.neighbours_max = neighbours_max;
    def.sph.stores_neighbours = stores;
    def.lag_frames_max = 64;
    const float radius = def.sph.smoothing_radius, side = radius * (dimensions == 2 ? 26.0f : 9.7f);
    uint32_t state = 21u;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < LISTS_GAS; i++) {
        tp_vector at = {test_random(&state) * side, test_random(&state) * side,
                        dimensions == 3 ? test_random(&state) * side : 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

#if TPI_LANES > 1
/* True if groups filled their part of the memory of the lists. */
static bool lists_shelf_is_full(const tp_world *world)
{
    const uint32_t entries = world->def.particles_max * world->def.sph.neighbours_max,
                   begin = (patch_shelf_begin(entries) & ~1u) / 2u;
    patch_shelf shelf = {tpi_words(world, world->arrays.pair) + begin, entries / 2u - begin};
    CHECK(shelf.words[0] > 2u && shelf.words[0] <= shelf.count);
    return !patch_shelf_has_room(&shelf, world->def.dimensions);
}
#endif

/* With lists for 64 neighbours all groups are kept, with those for 20 some; without lists none is.
   A call of 500 units ends within groups. */
static void groups_that_are_not_kept_change_no_bit(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        uint64_t hash = 0;
        for (uint32_t kind = 0; kind < 6; kind++) {
            tp_report report;
            test_world made = lists_gas(dimensions, kind % 2u ? 20 : 64, kind < 4);
            const tp_budget budget = {.units = kind % 4u < 2 ? 500u : 100000000u};
            test_note("%u dimensions, kind %u", dimensions, kind);
            while (made.world->clock.frame < 2)
                CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
            CHECK_EQ(report.neighbours_dropped, 0);
            if (kind == 0) hash = tp_world_hash(made.world);
            CHECK_EQ(tp_world_hash(made.world), hash);
#if TPI_LANES > 1
            if (kind < 4) CHECK_EQ(lists_shelf_is_full(made.world), dimensions == 3 && kind % 2u);
#endif
            test_world_free(&made);
        }
    }
}

/* A fluid at random, about as dense as at rest. */
static test_world lists_crowd(uint32_t dimensions, bool stores)
{
    tp_world_def def = tp_world_default(dimensions);
    uint32_t state = 31u;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = LISTS_CROWD;
    def.substeps.count = 2u + dimensions;
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = 100;
    def.lag_frames_max = 64;
    test_world made = test_world_make(&def);
    const float side = dimensions == 2 ? 24.0f : 3.4f;
    for (uint32_t i = 0; i < LISTS_CROWD; i++) {
        tp_vector at = {test_random(&state) * side, test_random(&state) * side,
                        dimensions == 3 ? test_random(&state) * side : 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* Slices end within parts, whose rest is shared by halves: the second half comes first. */
static void threads_that_share_a_part_find_its_groups(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        test_world compact = lists_crowd(dimensions, false);
        test_world_frames(compact.world, 1);
        for (uint32_t workers = 2; workers <= 8; workers += 3) {
            test_world stored = lists_crowd(dimensions, true);
            tp_jobs jobs = {lists_backwards, NULL, workers};
            tp_budget budget = {.frames_max = 1, .jobs = &jobs};
            bool is_shared = false;
            for (uint32_t call = 0; stored.world->clock.frame < 1 && call < 10000u; call++) {
                budget.units = 20000u + call % 7u * 6000u;
                CHECK(tp_frame(stored.world, &budget, NULL) >= TP_OK);
                is_shared = is_shared || stored.world->step.by_parts;
            }
            test_note("%u dimensions, %u workers", dimensions, workers);
            CHECK_EQ(tp_world_hash(stored.world), tp_world_hash(compact.world));
            CHECK(is_shared);
            test_world_free(&stored);
        }
        tp_report report = tp_world_report(compact.world);
        CHECK_EQ(report.neighbours_dropped, 0);
        test_world_free(&compact);
    }
}

static const test_case cases[] = {
    TEST_CASE(threads_that_share_a_part_find_its_groups),
    TEST_CASE(groups_that_are_not_kept_change_no_bit),
    TEST_CASE(atoms_feel_the_new_settings_at_once),
    TEST_CASE(lists_hold_every_pair_once),
    TEST_CASE(lists_of_parts_are_those_of_one_thread),
    TEST_CASE(a_narrower_skin_fits_one_more_cell),
    TEST_CASE(lists_that_exceed_their_part_are_built_by_nobody),
};
TEST_SUITE(lists, cases);
