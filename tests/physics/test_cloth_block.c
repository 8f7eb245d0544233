/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_block.c - blocks of tetrahedra: volumes, inverted cells, momentum, one
           sub-step, the same bits, capacities, damaged blocks.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 300 nodes      cost    about one second
   after   brute force in double precision */
#include "cloth_same.h"
#include "test.h"
#include "world_help.h"
#include "solve/cloth/cloth.h"
#include "solve/cloth/touch.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE  5u
#define NODES (SIDE * SIDE * SIDE)
#define CELLS ((SIDE - 1u) * (SIDE - 1u) * (SIDE - 1u))

static uint32_t *block_words(const tp_world *world, uint32_t word)
{
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    return tpi_cloth_pool_array(&cells, word);
}
static const float *block_floats(const tp_world *world, uint32_t word)
{
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    return tpi_cloth_pool_floats(&cells, word);
}

static tp_world_def block_world(void)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = 2 * NODES;
    def.cloth.sheets_max = 2;
    def.cloth.constraints_max = 12 * NODES;
    def.cloth.tetrahedra_max = 10 * CELLS;
    def.slice_units = 65536;
    def.lag_frames_max = 64;
    def.species[0].mass = 0.01f;
    def.species[0].radius = 0.01f;
    return def;
}

/* A cube of 0.4 m that stands on y = `low`. */
static tp_cloth_def block_cube(float low)
{
    tp_cloth_def def = tp_cloth_default();
    def.columns = def.rows = def.layers = SIDE;
    def.along = (tp_vector){0.1f, 0, 0};
    def.across = (tp_vector){0, 0.1f, 0};
    def.deep = (tp_vector){0, 0, 0.1f};
    def.origin = (tp_vector){-0.2f, low, -0.2f};
    def.stretch = def.shear = 0.002f;
    return def;
}

static void block_add(tp_world *world, const tp_cloth_def *def)
{
    const char *text = tp_cloth_check(world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(tp_cloth_block(world, def, NULL), TP_OK);
}

static void block_at(const tp_world *world, uint32_t i, double x[3])
{
    tp_view view = tp_world_view(world);
    x[0] = view.x[i], x[1] = view.y[i], x[2] = view.z[i];
}

static double block_volume_of(double p[4][3])
{
    double e[3][3];
    for (uint32_t k = 0; k < 9; k++) e[k / 3][k % 3] = p[k / 3 + 1][k % 3] - p[0][k % 3];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* A tetrahedron: of cell t / 5. */
typedef struct block_tetra {
    uint32_t corner[4];
    double volume, compliance;
} block_tetra;
static block_tetra block_tetra_of(const tp_world *world, uint32_t t)
{
    block_tetra tetra;
    for (uint32_t k = 0; k < 4; k++)
        tetra.corner[k] = block_words(world, tpi_cloth_tetra_corner(t % 5, k))[t / 5];
    tetra.volume = (double)block_floats(world, TPI_CLOTH_VOLUME + t % 5)[t / 5];
    tetra.compliance = fabs(tetra.volume) * (double)block_floats(world, TPI_CLOTH_SOFTNESS)[t / 5];
    return tetra;
}

/* m^3 of all tetrahedra, and the least volume of one divided by that at rest. */
static double block_volume(const tp_world *world, double *least)
{
    double sum = 0;
    *least = 1e9;
    for (uint32_t t = 0; t < 5 * tpi_cloth_head_of(world)->cells; t++) {
        const block_tetra tetra = block_tetra_of(world, t);
        double p[4][3];
        for (uint32_t k = 0; k < 4; k++) block_at(world, tetra.corner[k], p[k]);
        double share = block_volume_of(p) / tetra.volume;
        sum += share * fabs(tetra.volume);
        *least = fmin(*least, share);
    }
    return sum;
}

static void a_block_fills_its_cells(void)
{
    tp_world_def def = block_world();
    tp_cloth_def cube = block_cube(0);
    tp_cloth_report report;
    double least;
    test_world made = test_world_make(&def);
    block_add(made.world, &cube);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
    CHECK_EQ(report.nodes, NODES);
    CHECK_EQ(report.tetrahedra, 5 * CELLS);
    /* 3 * 4 * 25 edges and 3 * 5 * 16 diagonals */
    CHECK_EQ(report.constraints, 300 + 240);
    CHECK_EQ(report.colours, 18);
    CHECK_EQ(report.uncoloured, 0);
    CHECK_NEAR(block_volume(made.world, &least), 0.064, 1e-6);
    const uint32_t *own = made.world->arrays.own, *a = tpi_words(made.world, own[TPI_CLOTH_FIRST]),
                   *b = tpi_words(made.world, own[TPI_CLOTH_SECOND]),
                   *begin = tpi_cloth_head_of(made.world)->begin;
    for (uint32_t colour = 0; colour < TPI_CLOTH_COLOURS; colour++) {
        uint8_t met[NODES] = {0};
        for (uint32_t k = begin[colour]; k < begin[colour + 1]; k++)
            CHECK(!met[a[k]]++ && !met[b[k]]++);
    }
    begin = tpi_cloth_cell_pool(made.world).begin;
    CHECK_EQ(begin[TPI_CLOTH_CELL_COLOURS], CELLS);
    for (uint32_t colour = 0; colour < TPI_CLOTH_CELL_COLOURS; colour++) {
        uint8_t met[NODES] = {0};
        for (uint32_t k = 0; k < 8 * (begin[colour + 1] - begin[colour]); k++)
            CHECK(!met[block_words(made.world, k % 8)[begin[colour] + k / 8]]++);
    }
    test_world_free(&made);
}

/* Blocks of 1 to 4 cells along each axis, added one after another: each cell is there once. */
static void cells_of_several_blocks_are_sorted_by_colour(void)
{
    tp_world_def def = block_world();
    tp_cloth_def block = block_cube(0);
    const uint32_t sizes[3][3] = {{2, 3, 4}, {5, 2, 2}, {3, 3, 3}};
    uint32_t cells = 0, first = 0;
    def.cloth.sheets_max = 3;
    test_world made = test_world_make(&def);
    for (uint32_t b = 0; b < 3; b++) {
        block.columns = sizes[b][0], block.rows = sizes[b][1], block.layers = sizes[b][2];
        block_add(made.world, &block);
        cells += (sizes[b][0] - 1) * (sizes[b][1] - 1) * (sizes[b][2] - 1);
    }
    const uint32_t *begin = tpi_cloth_cell_pool(made.world).begin;
    CHECK_EQ(tpi_cloth_head_of(made.world)->cells, cells);
    CHECK_EQ(begin[TPI_CLOTH_CELL_COLOURS], cells);
    for (uint32_t b = 0; b < 3; b++) {
        const uint32_t *size = sizes[b];
        for (uint32_t n = 0; n < (size[0] - 1) * (size[1] - 1) * (size[2] - 1); n++) {
            uint32_t c = n % (size[0] - 1), r = n / (size[0] - 1) % (size[1] - 1),
                     l = n / (size[0] - 1) / (size[1] - 1), found = 0,
                     low = first + (l * size[1] + r) * size[0] + c,
                     colour = (c & 1u) | (r & 1u) << 1 | (l & 1u) << 2;
            for (uint32_t k = begin[colour]; k < begin[colour + 1]; k++) {
                uint32_t is_odd = (c + r + l) & 1u;
                found +=
                    block_words(made.world, is_odd ? 7 : 0)[k] == low &&
                    block_words(made.world, is_odd ? 0 : 7)[k] == low + (size[1] + 1) * size[0] + 1;
            }
            CHECK_EQ(found, 1);
        }
        first += size[0] * size[1] * size[2];
    }
    test_world_free(&made);
}

/* A soft cube falls on a floor, and a plate presses it to 0.8 of its height. */
static void a_pressed_cube_keeps_its_volume(void)
{
    tp_world_def def = block_world();
    tp_cloth_def cube = block_cube(0.3f);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE),
                    plate = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider handle;
    double least, smallest = 1, largest = 0;
    test_world made = test_world_make(&def);
    block_add(made.world, &cube);
    CHECK_EQ(tp_collider_add(made.world, &floor, &handle), TP_OK);
    plate.half = (tp_vector){2, 0.1f, 2};
    plate.pose.position.y = 1;
    CHECK_EQ(tp_collider_add(made.world, &plate, &handle), TP_OK);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t frame = 0; frame < 180; frame++) {
        tp_pose pose = plate.pose;
        pose.position.y = frame < 60 ? 1 : fmaxf(0.42f, 1 - 0.01f * (float)(frame - 60));
        CHECK_EQ(tp_collider_move(made.world, handle, pose), TP_OK);
        test_world_frames(made.world, 1);
        double share = block_volume(made.world, &least) / 0.064;
        smallest = fmin(smallest, share), largest = fmax(largest, share);
    }
    tp_view view = tp_world_view(made.world);
    float top = 0;
    for (uint32_t i = 0; i < view.count; i++) top = fmaxf(top, view.y[i]);
    test_note("volume %g to %g, top %g, least %g", smallest, largest, (double)top, least);
    CHECK(top < 0.33f);
    CHECK(smallest > 0.94 && largest < 1.03);
    CHECK(least > 0);
    test_world_free(&made);
}

/* One cell, a corner of which is pushed through the opposite face. */
static void an_inverted_tetrahedron_turns_back(void)
{
    tp_world_def def = block_world();
    tp_cloth_def cell = block_cube(0);
    tp_vector through = {0.1f, 0.1f, 0.1f}, none = {0};
    double least;
    cell.columns = cell.rows = cell.layers = 2;
    cell.origin = none;
    cell.kinds = 0;
    cell.volume = 1e-3f;
    test_world made = test_world_make(&def);
    block_add(made.world, &cell);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    drag.linear = 0.1f;
    CHECK_EQ(tp_field_add(made.world, &drag, &field), TP_OK);
    CHECK_EQ(tp_particle_set(made.world, 0, through, none), TP_OK);
    (void)block_volume(made.world, &least);
    CHECK(least < -0.4);
    test_world_frames(made.world, 240);
    (void)block_volume(made.world, &least);
    test_note("least %g", least);
    CHECK(least > 0.95);
    test_world_free(&made);
}

/* ---- one sub-step against double precision; momentum ---- */

static test_world block_free(float volume, uint32_t seed)
{
    tp_world_def def = block_world();
    tp_cloth_def cube = block_cube(0);
    cube.kinds = 0;
    cube.volume = volume;
    test_world made = test_world_make(&def);
    block_add(made.world, &cube);
    for (uint32_t i = 0; i < NODES; i++) {
        double x[3];
        block_at(made.world, i, x);
        tp_vector at = {(float)x[0], (float)x[1], (float)x[2]},
                  v = {test_uniform(&seed, -1, 1), test_uniform(&seed, -1, 1),
                       test_uniform(&seed, -1, 1)};
        CHECK_EQ(tp_particle_set(made.world, i, at, v), TP_OK);
    }
    return made;
}

static void oracle_cross(const double a[3], const double b[3], double out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The volume constraints of a sub-step of dt seconds, in their order. */
static void oracle_step(const tp_world *world, double dt, double (*x)[3], double (*v)[3])
{
    double w = 1 / (double)world->def.species[0].mass;
    for (uint32_t t = 0; t < 5 * CELLS; t++) {
        const block_tetra tetra = block_tetra_of(world, t);
        double p[4][3], e[3][3], g[4][3], square = 0;
        for (uint32_t k = 0; k < 12; k++) {
            uint32_t i = tetra.corner[k / 3];
            p[k / 3][k % 3] = x[i][k % 3] + dt * v[i][k % 3];
        }
        for (uint32_t k = 0; k < 9; k++)
            e[k / 3][k % 3] = x[tetra.corner[k / 3 + 1]][k % 3] - x[tetra.corner[0]][k % 3];
        for (uint32_t k = 0; k < 3; k++) oracle_cross(e[(k + 1) % 3], e[(k + 2) % 3], g[k + 1]);
        for (uint32_t axis = 0; axis < 3; axis++) {
            for (uint32_t k = 1; k < 4; k++) g[k][axis] /= 6;
            g[0][axis] = -g[1][axis] - g[2][axis] - g[3][axis];
            for (uint32_t k = 0; k < 4; k++) square += w * g[k][axis] * g[k][axis];
        }
        double share =
            (tetra.volume - block_volume_of(p)) / ((square + tetra.compliance / (dt * dt)) * dt);
        for (uint32_t k = 0; k < 12; k++)
            v[tetra.corner[k / 3]][k % 3] += share * w * g[k / 3][k % 3];
    }
}

static void one_sub_step_is_that_of_double_precision(void)
{
    static double x[NODES][3], v[NODES][3];
    test_world made = block_free(1e-4f, 5);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < NODES; i++) {
        block_at(made.world, i, x[i]);
        v[i][0] = view.vx[i], v[i][1] = view.vy[i], v[i][2] = view.vz[i];
    }
    uint64_t steps = tp_world_report(made.world).steps;
    tp_budget budget = {.units = 1};
    while (tp_world_report(made.world).steps == steps)
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    oracle_step(made.world, (double)tp_world_report(made.world).timestep, x, v);
    view = tp_world_view(made.world);
    double most = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        most = fmax(most, fabs(view.vx[i] - v[i][0]));
        most = fmax(most, fabs(view.vy[i] - v[i][1]));
        most = fmax(most, fabs(view.vz[i] - v[i][2]));
    }
    test_note("%g m/s", most);
    CHECK(most < 2e-4);
    test_world_free(&made);
}

/* Sums of velocities and of x cross v, of equal masses. */
static void block_momentum(const tp_world *world, double p[3], double l[3])
{
    tp_view view = tp_world_view(world);
    memset(p, 0, 3 * sizeof *p);
    memset(l, 0, 3 * sizeof *l);
    for (uint32_t i = 0; i < view.count; i++) {
        double x[3], turn[3];
        const double v[3] = {view.vx[i], view.vy[i], view.vz[i]};
        block_at(world, i, x);
        oracle_cross(x, v, turn);
        for (uint32_t axis = 0; axis < 3; axis++) p[axis] += v[axis], l[axis] += turn[axis];
    }
}

static void volumes_keep_momentum_and_angular_momentum(void)
{
    test_world made = block_free(1e-4f, 9);
    double p[2][3], l[2][3];
    block_momentum(made.world, p[0], l[0]);
    test_world_frames(made.world, 10);
    block_momentum(made.world, p[1], l[1]);
    for (uint32_t axis = 0; axis < 3; axis++) {
        test_note("axis %u: %g, %g", axis, p[1][axis] - p[0][axis], l[1][axis] - l[0][axis]);
        CHECK_NEAR(p[1][axis], p[0][axis], 2e-4); /* of 125 speeds of about 1 m/s */
        CHECK_NEAR(l[1][axis], l[0][axis], 2e-4);
    }
    test_world_free(&made);
}

/* ---- the same bits, capacities, faults ---- */

static void slices_widths_and_threads_change_no_block(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        tp_world_def def = block_world();
        tp_cloth_def cube = block_cube(0.05f);
        tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider handle;
        def.slice_units = same_slice(way);
        test_world made = test_world_make(&def);
        block_add(made.world, &cube);
        cube.origin.x = 1;
        cube.volume = 1e-4f;
        block_add(made.world, &cube);
        CHECK_EQ(tp_cloth_pin(made.world, 3, true), TP_OK);
        CHECK_EQ(tp_collider_add(made.world, &floor, &handle), TP_OK);
        test_world_gravity(made.world, 9.81f);
        same_run(made.world, way, &threads.jobs, 10, &told);
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

/* Lowest and highest y of one of two cubes, and its mean x and z. */
typedef struct block_extent {
    double low, high, x, z;
} block_extent;
static block_extent block_extent_of(const tp_world *world, uint32_t cube)
{
    block_extent extent = {.low = 1e9, .high = -1e9};
    for (uint32_t i = cube * NODES; i < (cube + 1) * NODES; i++) {
        double x[3];
        block_at(world, i, x);
        extent.low = fmin(extent.low, x[1]);
        extent.high = fmax(extent.high, x[1]);
        extent.x += x[0] / NODES;
        extent.z += x[2] / NODES;
    }
    return extent;
}

/* With a thickness, a cube comes to rest on another. */
static void cubes_stand_on_each_other(void)
{
    tp_world_def def = block_world();
    def.cloth.thickness = 0.08f;
    test_world made = test_world_make(&def);
    tp_cloth_def first = block_cube(0.02f), second = block_cube(0.55f);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider collider;
    if (!made.world) return;
    floor.friction = 0.5f;
    CHECK(tp_collider_add(made.world, &floor, &collider) == TP_OK);
    test_world_gravity(made.world, 9.81f);
    block_add(made.world, &first);
    block_add(made.world, &second);
    for (uint32_t i = 0; i < 2 * NODES; i++) {
        const tpi_cloth_node *node = tpi_cloth_nodes_of(made.world) + i;
        const tp_vector origin = i < NODES ? first.origin : second.origin;
        double x[3];
        block_at(made.world, i, x);
        CHECK_NEAR(node->rest[0], x[0] - (double)origin.x, 1e-6);
        CHECK_NEAR(node->rest[1], x[1] - (double)origin.y, 1e-6);
        CHECK_NEAR(node->rest[2], x[2] - (double)origin.z, 1e-6);
    }
    test_world_frames(made.world, 120);
    block_extent below = block_extent_of(made.world, 0), above = block_extent_of(made.world, 1);
    tp_report report = tp_world_report(made.world);
    test_note("below %.3f to %.3f, above %.3f to %.3f, %u contacts, aside %.3f %.3f", below.low,
              below.high, above.low, above.high, (unsigned)report.pairs, above.x, above.z);
    CHECK(report.pairs > 0);
    CHECK(above.low > below.high - 0.03 && above.low < below.high + 0.1);
    CHECK(below.high > 0.3 && above.high > above.low + 0.3);
    CHECK_NEAR(above.x, 0, 0.05);
    CHECK_NEAR(above.z, 0, 0.05);
    double least;
    CHECK(block_volume(made.world, &least) > 0.95 * 2 * 0.064);
    CHECK(least > 0.3);
    test_world_free(&made);
}

static void blocks_have_their_capacities_and_faults(void)
{
    for (uint32_t k = 0; k < 7; k++) {
        static const char *const fields[7] = {"layers", "layers", "deep",   "deep",
                                              "volume", "layers", "columns"};
        tp_world_def def = block_world();
        tp_cloth_def bad = block_cube(0);
        if (k == 0) bad.layers = 0;
        if (k == 1) bad.layers = 4097;
        if (k == 2) bad.deep.z = 0;
        if (k == 3) bad.deep = bad.along;
        if (k == 4) bad.volume = -1;
        if (k == 5) bad.rows = 1;
        if (k == 6) bad.columns = 0;
        test_world made = test_world_make(&def);
        const char *text = tp_cloth_check(made.world, &bad);
        test_note("%u: %s", k, text ? text : "accepted");
        CHECK(text && strstr(text, fields[k]));
        CHECK_EQ(tp_cloth_block(made.world, &bad, NULL), TP_ERROR_DEFINITION);
        bad = block_cube(0);
        CHECK_EQ(tp_cloth_grid(made.world, &bad, NULL), TP_ERROR_DEFINITION);
        test_world_free(&made);
    }
    tp_world_def def = block_world(), plain = block_world();
    tp_cloth_def cube = block_cube(0);
    size_t bytes = 0, fewer = 0;
    plain.cloth.tetrahedra_max = 0;
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
    CHECK_EQ(tp_world_memory(&plain, &fewer), TP_OK);
    CHECK(bytes > fewer && bytes - fewer <= TP_TETRA_BYTES(10 * CELLS));
    def.cloth.tetrahedra_max = 5 * CELLS - 1;
    test_world made = test_world_make(&def);
    CHECK_EQ(tp_cloth_block(made.world, &cube, NULL), TP_ERROR_FULL);
    test_world_free(&made);
    def.cloth.tear = 0.1f;
    CHECK(strstr(tp_world_check(&def), "cloth.tetrahedra_max"));
}

static void a_forged_tetrahedron_is_found(void)
{
    tp_world_def def = block_world();
    tp_cloth_def cube = block_cube(0);
    tp_block_fault fault;
    tp_world *world = NULL;
    test_world made = test_world_make(&def);
    block_add(made.world, &cube);
    const uint64_t offset = made.world->arrays.own[TPI_CLOTH_TETRA];
    for (uint32_t k = 0; k < TPI_CLOTH_CELL_WORDS + 2; k++) {
        uint32_t *begin = tpi_cloth_cell_pool(made.world).begin, *word = begin + 8 * (k & 1u);
        if (k > 1) word = block_words(made.world, k - 2) + 7;
        const uint32_t was = *word;
        *word = 0xffc00000u;
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
        CHECK_EQ(fault.offset, k > 1 ? offset + 4 * (uint64_t)(word - begin) : offset);
        *word = was;
    }
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_OK);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_block_fills_its_cells),
    TEST_CASE(cells_of_several_blocks_are_sorted_by_colour),
    TEST_CASE(a_pressed_cube_keeps_its_volume),
    TEST_CASE(an_inverted_tetrahedron_turns_back),
    TEST_CASE(one_sub_step_is_that_of_double_precision),
    TEST_CASE(volumes_keep_momentum_and_angular_momentum),
    TEST_CASE(slices_widths_and_threads_change_no_block),
    TEST_CASE(cubes_stand_on_each_other),
    TEST_CASE(blocks_have_their_capacities_and_faults),
    TEST_CASE(a_forged_tetrahedron_is_found),
};
TEST_SUITE(cloth_block, cases);
