/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_touch.c - cloth on cloth: pairs of nodes, sheets that fall on sheets and
           on themselves, lists, the same bits, capacities.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 1200 nodes      cost    about two seconds; TIDEPOOL_LONG=1: minutes
   after   crossings of edges and triangles counted by brute force in double precision; a pair of
           nodes by hand */
#include "cloth_sheets.h"
#include "test.h"
#include "world_help.h"
#include "solve/cloth/touch.h"
#include "jobs_posix/jobs.h"
#include "crossing.h"
#include <math.h>
#include <string.h>

#define THICKNESS 0.04f
#define SPACING   0.05f
#define NODES_MAX 1200

static tp_world_def touch_world_def(uint32_t nodes)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = nodes;
    def.cloth.sheets_max = 64;
    def.cloth.constraints_max = 6 * nodes;
    def.cloth.thickness = THICKNESS;
    def.slice_units = 65536;
    def.species_count = 2;
    def.species[0].radius = 0.02f;
    def.species[0].mass = 0.01f;
    def.species[1] = def.species[0];
    def.species[1].mass = 0.03f;
    return def;
}

static uint32_t touch_add(tp_world *world, const tp_cloth_def *def)
{
    uint32_t id = 0;
    const char *text = tp_cloth_check(world, def);
    test_note("%s", text ? text : "");
    CHECK_EQ(tp_cloth_grid(world, def, &id), TP_OK);
    return id;
}

static void touch_floor(tp_world *world)
{
    tp_collider collider;
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    def.friction = 0.5f;
    CHECK_EQ(tp_collider_add(world, &def, &collider), TP_OK);
}

static tp_vector touch_position(const tp_world *world, uint32_t i)
{
    tp_view view = tp_world_view(world);
    return (tp_vector){view.x[i], view.y[i], view.z[i]};
}
static tp_vector touch_velocity(const tp_world *world, uint32_t i)
{
    tp_view view = tp_world_view(world);
    return (tp_vector){view.vx[i], view.vy[i], view.vz[i]};
}

/* ---- crossings, by brute force ---- */

static void crossing_of(const tp_world *world, uint32_t i, double out[3])
{
    tp_vector x = touch_position(world, i);
    out[0] = (double)x.x, out[1] = (double)x.y, out[2] = (double)x.z;
}

/* Triangle t of a sheet of `columns`, two per cell; its nodes from `first` on. */
static void crossing_triangle(uint32_t columns, uint32_t t, uint32_t first, uint32_t corner[3])
{
    uint32_t cells = columns - 1, cell = t / 2, a = cell / cells * columns + cell % cells;
    corner[0] = first + (t & 1 ? a + columns + 1 : a);
    corner[1] = first + a + 1;
    corner[2] = first + a + columns;
}

/* The positions of all nodes; each one is read often. */
static const double (*crossing_points(const tp_world *world))[3]
{
    static double x[NODES_MAX][3];
    for (uint32_t i = 0; i < world->count && i < NODES_MAX; i++) crossing_of(world, i, x[i]);
    return (const double(*)[3])x;
}

/* Edges of a sheet that cross triangles of another one, or of the same one. */
static uint32_t crossings(const tp_world *world, uint32_t first, uint32_t other, uint32_t columns,
                          uint32_t rows)
{
    const double(*x)[3] = crossing_points(world);
    uint32_t count = 0, triangles = 2 * (columns - 1) * (rows - 1);
    for (uint32_t t = 0; t < triangles; t++) {
        uint32_t corner[3], end[3];
        double low[3], high[3];
        crossing_triangle(columns, t, first, corner);
        for (uint32_t k = 0; k < 3; k++) {
            low[k] = fmin(x[corner[0]][k], fmin(x[corner[1]][k], x[corner[2]][k]));
            high[k] = fmax(x[corner[0]][k], fmax(x[corner[1]][k], x[corner[2]][k]));
        }
        for (uint32_t e = 0; e < 3 * triangles; e++) {
            crossing_triangle(columns, e / 3, other, end);
            const uint32_t a = end[e % 3], b = end[(e + 1) % 3];
            bool is_far = false;
            for (uint32_t k = 0; k < 3; k++)
                is_far = is_far || corner[k] == a || corner[k] == b ||
                         (x[a][k] < low[k] && x[b][k] < low[k]) ||
                         (x[a][k] > high[k] && x[b][k] > high[k]);
            if (!is_far) count += crossing_is(x[a], x[b], x[corner[0]], x[corner[1]], x[corner[2]]);
        }
    }
    return count;
}

/* The smallest distance of two nodes from begin to end that are at least two apart in their row or
   column, or in different sheets. */
static double touch_least(const tp_world *world, uint32_t sheet, uint32_t columns, uint32_t end)
{
    double least = 1e9;
    for (uint32_t i = 0; i < end; i++)
        for (uint32_t j = i + 1; j < end; j++) {
            int32_t column = (int32_t)(i % columns) - (int32_t)(j % columns),
                    row = (int32_t)(i / columns) - (int32_t)(j / columns);
            if (i / sheet == j / sheet && column * column + row * row < 4) continue;
            tp_vector d = tpi_sub(touch_position(world, i), touch_position(world, j));
            least = fmin(least, sqrt((double)tpi_dot(d, d)));
        }
    return least;
}

/* ---- a pair of nodes ---- */

/* Two nodes of sheets of their own, one step of 1/600 s. */
static test_world pair_make(tp_vector apart, tp_vector speed, uint32_t species, float friction)
{
    tp_world_def def = touch_world_def(8);
    def.cloth.friction = friction;
    def.frames_per_second_numerator = 600;
    test_world made = test_world_make(&def);
    tp_cloth_def node = sheet_level(1, 1, SPACING, (tp_vector){0, 0, 0});
    (void)touch_add(made.world, &node);
    node.origin = apart;
    node.velocity = speed;
    node.species = species;
    (void)touch_add(made.world, &node);
    return made;
}

/* 45 mm apart, at 12 m/s towards each other: 25 mm after a step. The limit of half a thickness, at
   12 m/s relative to the mean, does not act. They end a thickness apart, and share the impulse by
   their masses. */
static void a_pair_that_approaches_ends_a_thickness_apart(void)
{
    test_world made = pair_make((tp_vector){0.045f, 0, 0}, (tp_vector){-12.0f, 0, 0}, 1, 0.0f);
    test_world_frames(made.world, 1);
    tp_vector a = touch_velocity(made.world, 0), b = touch_velocity(made.world, 1);
    double push = 12.0 - 0.005 * 600;
    CHECK_NEAR(a.x, -push * 0.75, 1e-4);
    CHECK_NEAR(b.x, -12 + push * 0.25, 1e-4);
    CHECK_NEAR(touch_position(made.world, 1).x - touch_position(made.world, 0).x, 0.04, 1e-6);
    CHECK_EQ(made.world->report.pairs, 1);
    CHECK_EQ(made.world->report.speeds_clamped, 0);
    test_world_free(&made);
}

/* Beyond a thickness, or when they part, nothing acts. */
static void a_pair_that_stays_apart_feels_nothing(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        test_world made = pair_make((tp_vector){0, k ? 0.041f : 0.03f, 0},
                                    (tp_vector){0, k ? 0.0f : 8.0f, 0}, 0, 0.5f);
        test_world_frames(made.world, 1);
        CHECK_EQ(touch_velocity(made.world, 0).y, 0);
        CHECK_EQ(touch_velocity(made.world, 1).y, k ? 0.0f : 8.0f);
        CHECK_EQ(made.world->report.pairs, 0);
        test_world_free(&made);
    }
}

/* An overlap of 10 mm: a tenth of it goes in a step. */
static void an_overlap_goes_slowly(void)
{
    test_world made = pair_make((tp_vector){0, 0, 0.03f}, (tp_vector){0, 0, 0}, 0, 0.5f);
    test_world_frames(made.world, 1);
    CHECK_NEAR(touch_position(made.world, 1).z - touch_position(made.world, 0).z, 0.031, 1e-6);
    CHECK_NEAR(touch_velocity(made.world, 1).z, 0.3, 1e-4);
    test_world_free(&made);
}

/* Friction takes the speed across the normal, up to its share of the impulse along it. */
static void friction_is_that_of_coulomb(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        const float slide = k ? 0.01f : 1.0f;
        test_world made =
            pair_make((tp_vector){0, 0.04f, 0}, (tp_vector){slide, -2.0f, 0}, 0, 0.25f);
        test_world_frames(made.world, 1);
        tp_vector a = touch_velocity(made.world, 0), b = touch_velocity(made.world, 1);
        if (k) CHECK_NEAR(b.x - a.x, 0, 1e-3);
        if (!k) CHECK_NEAR(b.x - a.x, 1.0 - 0.25 * 2.0, 0.1);
        CHECK_NEAR(a.x + b.x, slide, 1e-6);
        CHECK_NEAR(a.y + b.y, -2.0, 1e-6);
        test_world_free(&made);
    }
}

/* At 200 m/s a node would pass the other ten times over in a step. */
static void no_node_passes_another_in_a_step(void)
{
    for (uint32_t k = 0; k < 20; k++) {
        test_world made = pair_make((tp_vector){0, 0.035f + 0.01f * (float)k, 0},
                                    (tp_vector){0, -200.0f, 0}, 0, 0.5f);
        test_world_frames(made.world, 20);
        CHECK(touch_position(made.world, 1).y > touch_position(made.world, 0).y);
        CHECK(made.world->report.speeds_clamped > 0);
        test_world_free(&made);
    }
}

/* Neighbours at rest do not touch, whatever the thickness; in another sheet they do. */
static void neighbours_at_rest_do_not_touch(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = touch_world_def(200);
        def.cloth.thickness = 0.12f;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = sheet_level(8, 8, SPACING, (tp_vector){0, 1, 0});
        (void)touch_add(made.world, &sheet);
        sheet.origin.y = 1.1f;
        if (k) (void)touch_add(made.world, &sheet);
        test_world_frames(made.world, 3);
        CHECK_EQ(touch_velocity(made.world, 9).x, 0);
        CHECK_EQ(touch_velocity(made.world, 9).y < 0, k);
        test_world_free(&made);
    }
}

/* ---- sheets ---- */

/* A sheet falls on another one, half a cell aside; both lie on the floor in the end. */
static void a_sheet_that_falls_on_another_does_not_cross_it(void)
{
    enum { SIDE = 12, NODES = SIDE * SIDE };
    tp_world_def def = touch_world_def(2 * NODES);
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = sheet_level(SIDE, SIDE, SPACING, (tp_vector){0, 0.03f, 0});
    (void)touch_add(made.world, &sheet);
    sheet.origin = (tp_vector){0.021f, 0.5f, 0.017f};
    (void)touch_add(made.world, &sheet);
    test_world_gravity(made.world, 9.81f);
    touch_floor(made.world);
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < 120; frame++) {
        test_world_frames(made.world, 1);
        if (frame % 4 == 0)
            count += crossings(made.world, 0, NODES, SIDE, SIDE) +
                     crossings(made.world, NODES, 0, SIDE, SIDE);
    }
    CHECK_EQ(count, 0);
    double least = touch_least(made.world, NODES, SIDE, 2 * NODES);
    test_note("least %g", least);
    CHECK(least > 0.85 * (double)THICKNESS);
    double fastest = 0;
    for (uint32_t i = 0; i < 2 * NODES; i++)
        fastest = fmax(fastest, (double)tpi_length(touch_velocity(made.world, i)));
    test_note("fastest %g", fastest);
    CHECK(fastest < 0.05);
    test_world_free(&made);
}

/* A sheet that stands on its edge, a little aslant, falls and folds. */
typedef struct touch_fold {
    uint32_t crossings;
    double contacts, least, dropped;
} touch_fold;

static touch_fold fold_for(float thickness, uint32_t frames, uint32_t every)
{
    enum { COLUMNS = 12, ROWS = 28, NODES = COLUMNS * ROWS };
    touch_fold fold = {0};
    tp_world_def def = touch_world_def(NODES);
    def.cloth.thickness = thickness;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = sheet_level(COLUMNS, ROWS, SPACING, (tp_vector){0, 0.1f, 0});
    sheet.across = (tp_vector){0, SPACING, 0.002f};
    sheet.bend = 0.05f;
    (void)touch_add(made.world, &sheet);
    test_world_gravity(made.world, 9.81f);
    touch_floor(made.world);
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        fold.contacts += (double)made.world->report.pairs;
        if (frame % every == 0) fold.crossings += crossings(made.world, 0, 0, COLUMNS, ROWS);
    }
    fold.least = touch_least(made.world, NODES, COLUMNS, NODES);
    fold.dropped = (double)made.world->report.neighbours_dropped;
    test_note("%u crossings, %g contacts, least %g", fold.crossings, fold.contacts, fold.least);
    test_world_free(&made);
    return fold;
}

static void check_fold(uint32_t frames, uint32_t every)
{
    touch_fold fold = fold_for(THICKNESS, frames, every);
    CHECK_EQ(fold.crossings, 0);
    CHECK(fold.contacts > 1000);
    CHECK(fold.least > 0.8 * (double)THICKNESS);
    CHECK_EQ(fold.dropped, 0);
}

/* Without a thickness it crosses itself. */
static void a_sheet_that_folds_does_not_cross_itself(void)
{
    check_fold(180, 6);
    CHECK(fold_for(0, 120, 20).crossings > 0);
}
static void a_sheet_that_folds_for_a_minute_does_not_cross_itself(void) { check_fold(3600, 2); }

/* ---- momentum, the same bits, capacities ---- */

/* Two sheets that meet in free fall: what one loses the other one gets. */
static void contacts_conserve_momentum(void)
{
    enum { SIDE = 8, NODES = SIDE * SIDE };
    tp_world_def def = touch_world_def(2 * NODES);
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = sheet_level(SIDE, SIDE, SPACING, (tp_vector){0, 0, 0});
    (void)touch_add(made.world, &sheet);
    sheet.origin = (tp_vector){0.11f, 0.2f, 0.06f};
    sheet.velocity = (tp_vector){-0.5f, -2.0f, 0.25f};
    sheet.species = 1;
    (void)touch_add(made.world, &sheet);
    double contacts = 0, sum[3] = {0, 0, 0};
    for (uint32_t frame = 0; frame < 30; frame++) {
        test_world_frames(made.world, 1);
        contacts += (double)made.world->report.pairs;
    }
    for (uint32_t i = 0; i < 2 * NODES; i++) {
        tp_vector v = touch_velocity(made.world, i);
        double mass = i < NODES ? 0.01 : 0.03;
        sum[0] += mass * (double)v.x, sum[1] += mass * (double)v.y, sum[2] += mass * (double)v.z;
    }
    CHECK(contacts > 20);
    CHECK_EQ(made.world->report.speeds_clamped, 0);
    CHECK(touch_velocity(made.world, NODES / 2).y < -0.5f);
    CHECK_NEAR(sum[0], -0.5 * 0.03 * NODES, 1e-5);
    CHECK_NEAR(sum[1], -2.0 * 0.03 * NODES, 1e-5);
    CHECK_NEAR(sum[2], 0.25 * 0.03 * NODES, 1e-5);
    test_world_free(&made);
}

/* Two sheets fall on a floor. */
static uint64_t bits_of(const tp_budget *wanted, uint32_t slice)
{
    enum { SIDE = 10, NODES = SIDE * SIDE };
    tp_world_def def = touch_world_def(2 * NODES);
    def.slice_units = slice;
    test_world made = test_world_make(&def);
    tp_cloth_def sheet = sheet_level(SIDE, SIDE, SPACING, (tp_vector){0, 0.05f, 0});
    (void)touch_add(made.world, &sheet);
    sheet.origin = (tp_vector){0.021f, 0.1f, 0.017f};
    sheet.along.y = 0.01f;
    uint32_t id = touch_add(made.world, &sheet);
    CHECK_EQ(tp_cloth_pin(made.world, id + 7, true), TP_OK);
    test_world_gravity(made.world, 9.81f);
    touch_floor(made.world);
    tp_budget budget = *wanted;
    tp_report report;
    while (made.world->clock.frame < 40 && CHECK(tp_frame(made.world, &budget, &report) >= TP_OK))
        continue;
    test_note("lists %g of steps %g", (double)made.world->report.lists_built,
              (double)made.world->report.steps);
    CHECK(2 * made.world->report.lists_built < made.world->report.steps);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void the_bits_are_the_same_in_slices_widths_and_threads(void)
{
    const tp_budget whole = {.lanes_max = 16}, four = {.lanes_max = 4, .units = 1000},
                    eight = {.lanes_max = 8, .units = 777};
    uint64_t hash = bits_of(&whole, 65536);
    platform_jobs threads;
    CHECK_EQ(bits_of(&four, 64), hash);
    CHECK_EQ(bits_of(&eight, 300), hash);
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    const tp_budget shared = {.jobs = &threads.jobs};
    CHECK_EQ(bits_of(&shared, 2048), hash);
    platform_jobs_stop(&threads);
}

/* A step in each frame. */
static void a_kept_list_changes_no_bits(void)
{
    enum { SIDE = 10, NODES = SIDE * SIDE };
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = touch_world_def(2 * NODES);
        def.frames_per_second_numerator = 600;
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = sheet_level(SIDE, SIDE, SPACING, (tp_vector){0, 0.05f, 0});
        (void)touch_add(made.world, &sheet);
        sheet.origin = (tp_vector){0.021f, 0.1f, 0.017f};
        sheet.along.y = 0.01f;
        (void)touch_add(made.world, &sheet);
        test_world_gravity(made.world, 9.81f);
        touch_floor(made.world);
        for (uint32_t step = 0; step < 300; step++) {
            test_world_frames(made.world, 1);
            if (k) tpi_step_cancel(made.world);
        }
        test_note("lists %g", (double)made.world->report.lists_built);
        CHECK(k ? made.world->report.lists_built == 300 : made.world->report.lists_built < 150);
        hash[k] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hash[0], hash[1]);
}

/* 40 nodes in one place: each lists the 16 nearest, and pairs that are left out are counted. */
static void a_node_lists_the_nearest(void)
{
    tp_world_def def = touch_world_def(64);
    def.frames_per_second_numerator = 600;
    test_world made = test_world_make(&def);
    tp_cloth_def node = sheet_level(1, 1, SPACING, (tp_vector){0, 0, 0});
    for (uint32_t k = 0; k < 40; k++) {
        node.origin.x = 0.001f * (float)(k * 7 % 40);
        (void)touch_add(made.world, &node);
    }
    test_world_frames(made.world, 1);
    const tpi_cloth_node *nodes = tpi_cloth_nodes_of(made.world);
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t own = 0;
        for (uint32_t j = 0; j < 40; j++) own += j != i && ((i + j) % 2 == 1) == (i < j);
        left_out += own > 16 ? own - 16 : 0;
        CHECK_EQ(nodes[i].count, tpi_min_u32(own, 16));
        for (uint32_t k = 1; k < nodes[i].count; k++)
            CHECK(nodes[i].near[k] > nodes[i].near[k - 1]);
    }
    CHECK(left_out > 100);
    CHECK(made.world->report.neighbours_dropped >= left_out);
    CHECK(!made.world->list_valid);
    test_world_free(&made);
}

/* A block of 64 nodes a thickness apart, which move a little: most have more near ones than they
   list, but none that counts is left out. Such a list is kept, until a left one comes near. */
static void a_full_list_is_kept_and_changes_no_bits(void)
{
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = touch_world_def(64);
        def.frames_per_second_numerator = 600;
        test_world made = test_world_make(&def);
        tp_cloth_def node = sheet_level(1, 1, SPACING, (tp_vector){0, 0, 0});
        for (uint32_t i = 0; i < 64; i++) {
            node.origin = (tp_vector){THICKNESS * (float)(i % 4), THICKNESS * (float)(i / 4 % 4),
                                      THICKNESS * (float)(i / 16)};
            node.velocity.x = 0.05f * (float)(i * 7 % 16) - 0.4f;
            node.velocity.y = 0.05f * (float)(i * 5 % 16) - 0.4f;
            (void)touch_add(made.world, &node);
        }
        double contacts = 0;
        uint32_t full = 0;
        for (uint32_t step = 0; step < 60; step++) {
            test_world_frames(made.world, 1);
            contacts += (double)made.world->report.pairs;
            for (uint32_t i = 0; i < 64; i++)
                full += tpi_cloth_nodes_of(made.world)[i].count == TPI_CLOTH_NEAR_MAX;
            if (k) tpi_step_cancel(made.world);
        }
        test_note("lists %g, full %u, contacts %g", (double)made.world->report.lists_built, full,
                  contacts);
        CHECK(full > 100 && contacts > 100);
        CHECK_EQ(made.world->report.neighbours_dropped, 0);
        CHECK(k ? made.world->report.lists_built == 60 : made.world->report.lists_built < 20);
        hash[k] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hash[0], hash[1]);
}

/* A free sheet that moves at 20 m/s and turns at 10 rad/s about a slanted axis, its corners 0.4 m
   from the middle: a node leaves 0.45 thicknesses of 50 mm, to first order, after 0.3 rad. */
static void a_sheet_that_turns_as_a_whole_keeps_its_lists(void)
{
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = touch_world_def(12 * 12);
        test_world made = test_world_make(&def);
        tp_cloth_def sheet = sheet_level(12, 12, SPACING, (tp_vector){0, 0, 0});
        const uint32_t id = touch_add(made.world, &sheet);
        for (uint32_t i = 0; i < 12 * 12; i++) {
            const float half = 0.5f * 11 * SPACING;
            const tp_vector at = {(float)(i % 12) * SPACING, 0, (float)(i / 12) * SPACING},
                            arm = {at.x - half, 0, at.z - half}, turn = {6, 8, 0};
            const tp_vector speed = tpi_add(tpi_cross(turn, arm), (tp_vector){12, 0, 16});
            CHECK_EQ(tp_particle_set(made.world, id + i, at, speed), TP_OK);
        }
        const uint64_t before = made.world->report.steps;
        while (made.world->report.steps < before + 300) {
            test_world_frames(made.world, 1);
            if (k) tpi_step_cancel(made.world);
        }
        test_note("lists %g of steps %g", (double)made.world->report.lists_built,
                  (double)made.world->report.steps);
        if (k == 0) CHECK(made.world->report.lists_built < 40);
        hash[k] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hash[0], hash[1]);
}

static void bad_definitions_are_refused(void)
{
    tp_world_def def = touch_world_def(8);
    def.cloth.thickness = 0.00001f;
    CHECK(strcmp(tp_world_check(&def), "cloth.thickness must be 0, or 1e-4 to 1e4") == 0);
    def.cloth.thickness = -1;
    CHECK(strcmp(tp_world_check(&def), "cloth.thickness must be 0, or 1e-4 to 1e4") == 0);
    def = touch_world_def(8);
    def.cloth.friction = 11;
    CHECK(strstr(tp_world_check(&def), "cloth.friction") != NULL);
}

static void memory_is_within_its_bound(void)
{
    for (uint32_t nodes = 1; nodes < 100000; nodes = nodes * 3 + 1) {
        tp_world_def def = touch_world_def(nodes);
        size_t bytes = 0;
        CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
        CHECK(bytes <= TP_WORLD_BYTES(3, nodes, 0, 64, 0) +
                           TP_CLOTH_BYTES(3, nodes, 64, 6 * nodes) + TP_TOUCH_BYTES(3, nodes));
    }
}

/* A list is made anew after a block has come from outside; where nodes are at rest is checked. */
static void a_damaged_node_is_found(void)
{
    tp_world_def def = touch_world_def(64);
    tp_cloth_def sheet = sheet_level(5, 5, SPACING, (tp_vector){0, 0, 0});
    test_world made = test_world_make(&def);
    (void)touch_add(made.world, &sheet);
    test_world_frames(made.world, 1);
    tpi_cloth_node *nodes = tpi_cloth_nodes_of(made.world);
    uint64_t offset = 0;
    CHECK(tpi_cloth_audit(made.world, &offset) == NULL);
    nodes[3].near[0] = nodes[3].count = 0xffffffffu;
    tp_world *found = NULL;
    CHECK_EQ(tp_world_verify(made.block, made.bytes, NULL, &found), TP_OK);
    test_world_frames(found, 2);
    nodes[7].sheet = 1;
    CHECK(strcmp(tpi_cloth_audit(made.world, &offset), "a node of a sheet, at rest within 1e9 m") ==
          0);
    nodes[7].sheet = TPI_CLOTH_NO_SHEET;
    CHECK(tpi_cloth_audit(made.world, &offset) == NULL);
    nodes[8].rest[1] = NAN;
    CHECK(tpi_cloth_audit(made.world, &offset) != NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_pair_that_approaches_ends_a_thickness_apart),
    TEST_CASE(a_pair_that_stays_apart_feels_nothing),
    TEST_CASE(an_overlap_goes_slowly),
    TEST_CASE(friction_is_that_of_coulomb),
    TEST_CASE(no_node_passes_another_in_a_step),
    TEST_CASE(neighbours_at_rest_do_not_touch),
    TEST_CASE(a_sheet_that_falls_on_another_does_not_cross_it),
    TEST_CASE(a_sheet_that_folds_does_not_cross_itself),
    TEST_CASE(contacts_conserve_momentum),
    TEST_CASE(the_bits_are_the_same_in_slices_widths_and_threads),
    TEST_CASE(a_kept_list_changes_no_bits),
    TEST_CASE(a_node_lists_the_nearest),
    TEST_CASE(a_full_list_is_kept_and_changes_no_bits),
    TEST_CASE(a_sheet_that_turns_as_a_whole_keeps_its_lists),
    TEST_CASE(bad_definitions_are_refused),
    TEST_CASE(memory_is_within_its_bound),
    TEST_CASE(a_damaged_node_is_found),
    TEST_LONG(a_sheet_that_folds_for_a_minute_does_not_cross_itself),
};
TEST_SUITE(cloth_touch, cases);
