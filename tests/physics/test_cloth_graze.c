/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_graze.c - thin cloth on cloth: points and triangles, edges and edges.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 400 nodes      cost    about two seconds; TIDEPOOL_LONG=1: a minute
   after   crossings of edges and triangles counted by brute force in double precision; a point on a
           triangle and two edges by hand */
#include "cloth_sheets.h"
#include "test.h"
#include "world_help.h"
#include "solve/cloth/graze.h"
#include "jobs_posix/jobs.h"
#include "crossing.h"
#include <math.h>
#include <string.h>

#define SPACING   0.05f
#define NODES_MAX 512

/* ---- worlds, and their edges and triangles ---- */

typedef struct graze_scene {
    test_world made;
    uint32_t edge[3u * NODES_MAX + 8u][2], triangle[2u * NODES_MAX][3], edges, triangles, nodes;
} graze_scene;

static tp_world_def graze_def(float thickness, bool grazes)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = NODES_MAX;
    def.cloth.sheets_max = 8;
    def.cloth.constraints_max = 6 * NODES_MAX;
    def.cloth.triangles_max = 2 * NODES_MAX;
    def.cloth.thickness = thickness * SPACING;
    if (grazes) def.cloth.edge_max = 1.5f * SPACING;
    def.slice_units = 65536;
    def.species_count = 2;
    def.species[0].radius = 0.005f;
    def.species[0].mass = 0.01f;
    def.species[1] = def.species[0];
    def.species[1].mass = 0.03f;
    return def;
}

static graze_scene *graze_make(const tp_world_def *def)
{
    static graze_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.made = test_world_make(def);
    return &scene;
}

static tp_cloth_def graze_sheet(uint32_t columns, uint32_t rows, tp_vector origin)
{
    tp_cloth_def def = sheet_level(columns, rows, SPACING, origin);
    def.bend = 0.05f;
    return def;
}

static void graze_edge(graze_scene *scene, uint32_t a, uint32_t b)
{
    scene->edge[scene->edges][0] = a;
    scene->edge[scene->edges++][1] = b;
}

static void graze_triangle_of(graze_scene *scene, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corner = scene->triangle[scene->triangles++];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

/* Adds a grid or rope, and notes its edges and triangles. Returns its first node. */
static uint32_t graze_add(graze_scene *scene, const tp_cloth_def *def)
{
    const uint32_t first = scene->nodes, columns = def->columns;
    uint32_t id = 0;
    const char *text = tp_cloth_check(scene->made.world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(tp_cloth_grid(scene->made.world, def, &id), TP_OK);
    for (uint32_t k = 0; k < columns * def->rows; k++) {
        const uint32_t a = first + k;
        const bool has_right = k % columns + 1 < columns, has_below = k / columns + 1 < def->rows;
        if (has_right) graze_edge(scene, a, a + 1);
        if (has_below) graze_edge(scene, a, a + columns);
        if (!has_right || !has_below) continue;
        graze_edge(scene, a + 1, a + columns);
        graze_triangle_of(scene, a, a + 1, a + columns);
        graze_triangle_of(scene, a + 1, a + columns + 1, a + columns);
    }
    scene->nodes += columns * def->rows;
    return id;
}

static void graze_pin_corners(graze_scene *scene, uint32_t first, uint32_t columns, uint32_t rows)
{
    for (uint32_t k = 0; k < 4; k++)
        CHECK_EQ(tp_cloth_pin(
                     scene->made.world,
                     first + (k & 1 ? columns - 1 : 0) + (k & 2 ? columns * (rows - 1) : 0), true),
                 TP_OK);
}

static void graze_ground(graze_scene *scene)
{
    tp_collider collider;
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    def.friction = 0.5f;
    test_world_gravity(scene->made.world, 9.81f);
    CHECK_EQ(tp_collider_add(scene->made.world, &def, &collider), TP_OK);
}

static tp_vector graze_velocity(const graze_scene *scene, uint32_t i)
{
    tp_view view = tp_world_view(scene->made.world);
    return (tp_vector){view.vx[i], view.vy[i], view.vz[i]};
}

/* ---- crossings, by brute force ---- */

static uint32_t crossings_of(const double (*x)[3], const graze_scene *scene, const uint32_t *corner)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < scene->edges; e++) {
        const uint32_t a = scene->edge[e][0], b = scene->edge[e][1];
        bool is_far = false;
        for (uint32_t k = 0; k < 3; k++) {
            double low = fmin(x[corner[0]][k], fmin(x[corner[1]][k], x[corner[2]][k])),
                   high = fmax(x[corner[0]][k], fmax(x[corner[1]][k], x[corner[2]][k]));
            is_far = is_far || corner[k] == a || corner[k] == b ||
                     (x[a][k] < low && x[b][k] < low) || (x[a][k] > high && x[b][k] > high);
        }
        if (!is_far) count += crossing_is(x[a], x[b], x[corner[0]], x[corner[1]], x[corner[2]]);
    }
    return count;
}

/* Edges that cross triangles, of one sheet or of two. */
static uint32_t graze_crossings(const graze_scene *scene)
{
    static double x[NODES_MAX][3];
    tp_view view = tp_world_view(scene->made.world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.count; i++)
        x[i][0] = (double)view.x[i], x[i][1] = (double)view.y[i], x[i][2] = (double)view.z[i];
    for (uint32_t t = 0; t < scene->triangles; t++)
        count += crossings_of((const double(*)[3])x, scene, scene->triangle[t]);
    return count;
}

/* Crossings of each third frame, summed up; the world ends. */
static uint32_t graze_run(graze_scene *scene, uint32_t frames)
{
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(scene->made.world, 1);
        if (frame % 3 == 0) count += graze_crossings(scene);
    }
    test_note("%u crossings, dropped %g", count,
              (double)scene->made.world->report.neighbours_dropped);
    test_world_free(&scene->made);
    return count;
}

/* ---- crossings at the start ---- */

/* A second sheet of the same size goes through the first one. */
static graze_scene *graze_tangled(float thickness, float slope, float shift)
{
    tp_world_def def = graze_def(thickness, true);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(14, 14, (tp_vector){0, 0.5f, 0});
    (void)graze_add(scene, &sheet);
    const float across = SPACING / sqrtf(1 + slope * slope);
    sheet.along = (tp_vector){across, across * slope, 0};
    sheet.origin = (tp_vector){0.013f, 0.5f + shift - slope * across * 6.5f, 0.007f};
    (void)graze_add(scene, &sheet);
    return scene;
}

/* kg m/s: of all nodes, of 0.01 kg. */
static double graze_momentum(const graze_scene *scene)
{
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < scene->nodes; i++) {
        tp_vector v = graze_velocity(scene, i);
        sum[0] += 0.01 * (double)v.x, sum[1] += 0.01 * (double)v.y, sum[2] += 0.01 * (double)v.z;
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

/* A step of 0.1 t along a crossing of 14 cells of 1.25 t to 3.3 t: 40 frames are 400 sub-steps. */
static void crossed_sheets_part(void)
{
    static const float rows[][3] = {
        {0.3f, 0.5f, 0}, {0.3f, 2, 0}, {0.4f, 1, 0.12f}, {0.8f, 1, 0.1f}};
    for (uint32_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        graze_scene *scene = graze_tangled(rows[r][0], rows[r][1], rows[r][2]);
        const uint32_t before = graze_crossings(scene);
        CHECK(before > 40);
        test_world_frames(scene->made.world, 40);
        test_note("row %u: %u, %u crossings, %g kg m/s", r, before, graze_crossings(scene),
                  graze_momentum(scene));
        CHECK_EQ(graze_crossings(scene), 0);
        CHECK(graze_momentum(scene) < 1e-5);
        test_world_free(&scene->made);
    }
}

/* Both fall on a floor, where they lie on each other. */
static void crossed_sheets_come_to_rest(void)
{
    graze_scene *scene = graze_tangled(0.4f, 0.3f, 0);
    graze_ground(scene);
    CHECK(graze_crossings(scene) > 40);
    test_world_frames(scene->made.world, 150);
    CHECK_EQ(graze_crossings(scene), 0);
    test_world_free(&scene->made);
}

/* A strip is bent at its middle, and its second half goes back through the first one. */
static void a_sheet_that_crosses_itself_comes_free(void)
{
    tp_world_def def = graze_def(0.4f, true);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(28, 8, (tp_vector){0, 0, 0});
    (void)graze_add(scene, &sheet);
    tp_vector at = {0, 0, 0};
    for (uint32_t column = 1; column < 28; column++) {
        const float turn = 3.6f * fminf(fmaxf(((float)column - 9) / 6, 0), 1);
        at.x += SPACING * cosf(turn), at.y += SPACING * sinf(turn);
        for (uint32_t row = 0; row < 8; row++) {
            tp_vector to = {at.x, at.y, (float)row * SPACING};
            CHECK_EQ(
                tp_particle_set(scene->made.world, row * 28 + column, to, (tp_vector){0, 0, 0}),
                TP_OK);
        }
    }
    const uint32_t before = graze_crossings(scene);
    CHECK(before > 10);
    test_world_frames(scene->made.world, 60);
    test_note("%u, %u crossings", before, graze_crossings(scene));
    CHECK_EQ(graze_crossings(scene), 0);
    test_world_free(&scene->made);
}

/* ---- by hand ---- */

/* A node of mass 0.03 kg falls on the middle of a triangle of 0.01 kg: 18 mm above it, 11 mm after
   a step of 1/600 s without contact. They end 15 mm apart. */
static void a_point_stays_off_a_triangle(void)
{
    tp_world_def def = graze_def(0.3f, true);
    def.frames_per_second_numerator = 600;
    def.cloth.friction = 0;
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(2, 2, (tp_vector){0, 0, 0});
    (void)graze_add(scene, &sheet);
    sheet = graze_sheet(1, 1, (tp_vector){SPACING / 3, 0.018f, SPACING / 3});
    sheet.velocity.y = -4.2f;
    sheet.species = 1;
    (void)graze_add(scene, &sheet);
    test_world_frames(scene->made.world, 1);
    tp_view view = tp_world_view(scene->made.world);
    double middle = ((double)view.y[0] + (double)view.y[1] + (double)view.y[2]) / 3, sum = 0;
    CHECK_NEAR((double)view.y[4] - middle, 0.015, 1e-5);
    CHECK(scene->made.world->report.pairs > 0);
    for (uint32_t i = 0; i < 5; i++) sum += (i < 4 ? 0.01 : 0.03) * (double)view.vy[i];
    CHECK_NEAR(sum, -0.03 * 4.2, 1e-7);
    test_world_free(&scene->made);
}

/* Two ropes of two nodes across each other: no node is near another one. */
static graze_scene *graze_cross(float speed, bool grazes)
{
    tp_world_def def = graze_def(0.3f, grazes);
    def.cloth.friction = 0;
    graze_scene *scene = graze_make(&def);
    tp_cloth_def rope = graze_sheet(2, 1, (tp_vector){-SPACING / 2, 0, 0});
    (void)graze_add(scene, &rope);
    rope.origin = (tp_vector){0, 0.03f, -SPACING / 2};
    rope.along = (tp_vector){0, 0, SPACING};
    rope.velocity.y = 0.0f - speed;
    (void)graze_add(scene, &rope);
    return scene;
}

static void edges_do_not_pass_edges(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        graze_scene *scene = graze_cross(2.0f, k);
        test_world_frames(scene->made.world, 6);
        tp_view view = tp_world_view(scene->made.world);
        CHECK_EQ(view.y[2] > view.y[0], k);
        CHECK_NEAR(view.vy[0] + view.vy[2], -2, 1e-5);
        if (k) CHECK_NEAR(view.vy[0], view.vy[2], 0.1);
        CHECK_NEAR(view.vy[0], view.vy[1], 1e-5);
        test_world_free(&scene->made);
    }
}

/* ---- sheets and ropes ---- */

static uint32_t graze_fold(float thickness, bool grazes, uint32_t frames)
{
    tp_world_def def = graze_def(thickness, grazes);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(12, 28, (tp_vector){0, 0.1f, 0});
    sheet.across = (tp_vector){0, SPACING, 0.002f};
    (void)graze_add(scene, &sheet);
    graze_ground(scene);
    return graze_run(scene, frames);
}

/* Nodes alone are too far apart. */
static void a_thin_sheet_that_folds_does_not_cross_itself(void)
{
    CHECK_EQ(graze_fold(0.3f, true, 80), 0);
    CHECK(graze_fold(0.3f, false, 60) > 500);
}
static void a_thin_sheet_that_folds_for_a_minute_does_not_cross_itself(void)
{
    CHECK_EQ(graze_fold(0.3f, true, 3600), 0);
    CHECK_EQ(graze_fold(0.5f, true, 3600), 0);
}

/* What falls on a pinned sheet at `speed`: a sheet that is turned, or two ropes. */
static uint32_t graze_drop(float thickness, bool grazes, float speed, bool are_ropes)
{
    enum { SIDE = 12 };
    tp_world_def def = graze_def(thickness, grazes);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(SIDE, SIDE, (tp_vector){0, 0.2f, 0});
    graze_pin_corners(scene, graze_add(scene, &sheet), SIDE, SIDE);
    sheet = graze_sheet(10, are_ropes ? 1 : 10, (tp_vector){0.113f, 0.3f, 0.117f});
    sheet.along = (tp_vector){0.8f * SPACING, 0, 0.6f * SPACING};
    sheet.across = (tp_vector){-0.6f * SPACING, 0.004f, 0.8f * SPACING};
    if (are_ropes) sheet.along = (tp_vector){0.3f * SPACING, 0.9f * SPACING, 0};
    sheet.velocity.y = 0.0f - speed;
    (void)graze_add(scene, &sheet);
    sheet.origin = (tp_vector){0.11f, 0.31f, 0.33f};
    sheet.along = (tp_vector){0.9f * SPACING, 0.1f * SPACING, 0.2f * SPACING};
    if (are_ropes) (void)graze_add(scene, &sheet);
    graze_ground(scene);
    return graze_run(scene, 60);
}

static void what_falls_on_a_sheet_does_not_cross_it(void)
{
    CHECK_EQ(graze_drop(0.3f, true, 5, false), 0);
    CHECK_EQ(graze_drop(0.3f, true, 10, true), 0);
    CHECK_EQ(graze_drop(0.5f, true, 10, false), 0);
    CHECK(graze_drop(0.5f, false, 5, false) > 0);
    CHECK(graze_drop(0.6f, false, 10, true) > 0);
}

/* ---- momentum, the same bits, capacities ---- */

static void contacts_conserve_momentum(void)
{
    enum { SIDE = 7, NODES = SIDE * SIDE };
    tp_world_def def = graze_def(0.4f, true);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(SIDE, SIDE, (tp_vector){0, 0, 0});
    (void)graze_add(scene, &sheet);
    sheet.origin = (tp_vector){0.07f, 0.1f, 0.03f};
    sheet.velocity = (tp_vector){-0.5f, -2.0f, 0.25f};
    sheet.species = 1;
    (void)graze_add(scene, &sheet);
    double sum[3] = {0, 0, 0};
    test_world_frames(scene->made.world, 30);
    for (uint32_t i = 0; i < 2 * NODES; i++) {
        double mass = i < NODES ? 0.01 : 0.03;
        tp_vector v = graze_velocity(scene, i);
        sum[0] += mass * (double)v.x, sum[1] += mass * (double)v.y, sum[2] += mass * (double)v.z;
    }
    CHECK(graze_velocity(scene, NODES / 2).y < -0.5f);
    CHECK_EQ(scene->made.world->report.speeds_clamped, 0);
    CHECK_NEAR(sum[0], -0.5 * 0.03 * NODES, 1e-5);
    CHECK_NEAR(sum[1], -2.0 * 0.03 * NODES, 1e-5);
    CHECK_NEAR(sum[2], 0.25 * 0.03 * NODES, 1e-5);
    test_world_free(&scene->made);
}

/* Two sheets fall on a floor, one of them held by a node. */
static uint64_t graze_bits(const tp_budget *wanted, uint32_t slice, bool cancels)
{
    tp_world_def def = graze_def(0.4f, true);
    def.slice_units = slice;
    if (cancels) def.frames_per_second_numerator = 600;
    graze_scene *scene = graze_make(&def);
    tp_world *world = scene->made.world;
    tp_cloth_def sheet = graze_sheet(9, 9, (tp_vector){0, 0.05f, 0});
    (void)graze_add(scene, &sheet);
    sheet.origin = (tp_vector){0.021f, 0.1f, 0.017f};
    sheet.along.y = 0.01f;
    CHECK_EQ(tp_cloth_pin(world, graze_add(scene, &sheet) + 7, true), TP_OK);
    graze_ground(scene);
    tp_budget budget = *wanted;
    tp_report report;
    const bool is_long = def.frames_per_second_numerator == 600;
    while (world->clock.frame < (is_long ? 250 : 30) &&
           CHECK(tp_frame(world, &budget, &report) >= TP_OK))
        if (is_long && slice == 65535) tpi_step_cancel(world);
    test_note("lists %g of steps %g", (double)world->report.lists_built,
              (double)world->report.steps);
    CHECK((slice == 65535) == (world->report.lists_built >= world->report.steps));
    uint64_t hash = tp_world_hash(world);
    test_world_free(&scene->made);
    return hash;
}

static void the_bits_are_the_same_in_slices_widths_and_threads(void)
{
    const tp_budget whole = {.lanes_max = 16}, four = {.lanes_max = 4, .units = 1000},
                    eight = {.lanes_max = 8, .units = 777}, one = {.lanes_max = 1};
    uint64_t hash = graze_bits(&whole, 65536, false);
    platform_jobs threads;
    CHECK_EQ(graze_bits(&four, 64, false), hash);
    CHECK_EQ(graze_bits(&eight, 300, false), hash);
    CHECK_EQ(graze_bits(&one, 65536, false), hash);
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    const tp_budget shared = {.jobs = &threads.jobs};
    CHECK_EQ(graze_bits(&shared, 2048, false), hash);
    platform_jobs_stop(&threads);
}

static void a_kept_list_changes_no_bits(void)
{
    const tp_budget whole = {.lanes_max = 16};
    CHECK_EQ(graze_bits(&whole, 65535, true), graze_bits(&whole, 65536, true));
}

/* Seven sheets, 4 mm apart: more pairs than a node lists. */
static void pairs_that_are_left_out_are_counted(void)
{
    tp_world_def def = graze_def(0.9f, true);
    graze_scene *scene = graze_make(&def);
    for (uint32_t k = 0; k < 7; k++) {
        tp_cloth_def sheet = graze_sheet(4, 4, (tp_vector){0.002f, 0.004f * (float)k, 0.003f});
        (void)graze_add(scene, &sheet);
    }
    test_world_frames(scene->made.world, 1);
    for (uint32_t i = 0; i < 7 * 16; i++)
        CHECK(tpi_graze_count(scene->made.world, i) <= TPI_GRAZE_MAX);
    CHECK(scene->made.world->report.neighbours_dropped > 100);
    CHECK(!scene->made.world->list_valid);
    test_world_free(&scene->made);
}

static void bad_definitions_are_refused(void)
{
    tp_world_def def = graze_def(0.3f, true);
    def.cloth.edge_max = 0.001f;
    CHECK(strstr(tp_world_check(&def), "cloth.edge_max must be 0, or") != NULL);
    def = graze_def(0.3f, true);
    def.cloth.triangles_max = 0;
    CHECK(strstr(tp_world_check(&def), "cloth.edge_max needs") != NULL);
    def = graze_def(0, true);
    CHECK(strstr(tp_world_check(&def), "cloth.edge_max needs") != NULL);
    def = graze_def(0.3f, true);
    def.cloth.tear = 1;
    CHECK(strstr(tp_world_check(&def), "cloth.tear") != NULL);
    def = graze_def(0.3f, true);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(3, 3, (tp_vector){0, 0, 0});
    CHECK(tp_cloth_check(scene->made.world, &sheet) == NULL);
    sheet.along.x = 1.2f * SPACING;
    CHECK(strstr(tp_cloth_check(scene->made.world, &sheet), "cloth.edge_max") != NULL);
    test_world_free(&scene->made);
}

static void memory_is_within_its_bound(void)
{
    for (uint32_t nodes = 1; nodes < 100000; nodes = nodes * 3 + 1) {
        tp_world_def def = graze_def(0.3f, true);
        size_t bytes = 0;
        def.particles_max = nodes;
        def.cloth.constraints_max = 6 * nodes;
        def.cloth.triangles_max = 2 * nodes;
        CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
        CHECK(bytes <= TP_WORLD_BYTES(3, nodes, 0, 64, 0) + TP_CLOTH_BYTES(3, nodes, 8, 6 * nodes) +
                           TP_TOUCH_BYTES(3, nodes) + TP_TRIANGLE_BYTES(2 * nodes) +
                           TP_GRAZE_BYTES(nodes, 2 * nodes));
    }
}

/* Triangles of nodes are checked in a block that comes from outside. */
static void a_damaged_fan_is_found(void)
{
    tp_world_def def = graze_def(0.3f, true);
    graze_scene *scene = graze_make(&def);
    tp_cloth_def sheet = graze_sheet(5, 5, (tp_vector){0, 0, 0});
    (void)graze_add(scene, &sheet);
    test_world_frames(scene->made.world, 1);
    uint64_t offset = 0;
    CHECK(tpi_cloth_audit(scene->made.world, &offset) == NULL);
    uint32_t *begins = (uint32_t *)(void *)((char *)scene->made.world +
                                            (tpi_graze_audit(scene->made.world, &offset), offset));
    begins[3] += 100000;
    CHECK(strcmp(tpi_cloth_audit(scene->made.world, &offset), "triangles of each node") == 0);
    begins[3] -= 100000;
    tpi_graze_enqueue(scene->made.world, 0, 25, 0.0f);
    CHECK(strcmp(tpi_cloth_audit(scene->made.world, &offset),
                 "a queue of pairs of nodes of sheets") == 0);
    tpi_graze_empty(scene->made.world);
    CHECK(tpi_cloth_audit(scene->made.world, &offset) == NULL);
    test_world_free(&scene->made);
}

static const test_case cases[] = {
    TEST_CASE(a_point_stays_off_a_triangle),
    TEST_CASE(edges_do_not_pass_edges),
    TEST_CASE(a_thin_sheet_that_folds_does_not_cross_itself),
    TEST_CASE(what_falls_on_a_sheet_does_not_cross_it),
    TEST_CASE(contacts_conserve_momentum),
    TEST_CASE(the_bits_are_the_same_in_slices_widths_and_threads),
    TEST_CASE(a_kept_list_changes_no_bits),
    TEST_CASE(pairs_that_are_left_out_are_counted),
    TEST_CASE(bad_definitions_are_refused),
    TEST_CASE(memory_is_within_its_bound),
    TEST_CASE(crossed_sheets_part),
    TEST_CASE(crossed_sheets_come_to_rest),
    TEST_CASE(a_sheet_that_crosses_itself_comes_free),
    TEST_CASE(a_damaged_fan_is_found),
    TEST_LONG(a_thin_sheet_that_folds_for_a_minute_does_not_cross_itself),
};
TEST_SUITE(cloth_graze, cases);
