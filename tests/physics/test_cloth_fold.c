/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_fold.c - folds: sag of a strip, momentum, rest, the same bits.
   reads   runtime/solve/cloth/fold.c, bend.c      writes  nothing
   memory  worlds of up to 1000 nodes      cost    about two seconds
   after   a strip clamped at one end sags by q L^4 / (8 D), if it sags little, and as the elastica
           if it sags much: both are integrated here in double precision */
#include "cloth_same.h"
#include "solve/cloth/cloth.h"
#include "cloth_sheets.h"
#include "test.h"
#include "world_help.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONG     0.2  /* m: the free length of a strip */
#define WIDTH    0.08 /* m: its width */
#define RIGIDITY 1e-3 /* N m: D */

static tp_world_def fold_world(uint32_t nodes)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = nodes;
    def.cloth.constraints_max = 6 * nodes;
    def.cloth.folds_max = 3 * nodes;
    def.cloth.damping = 0;
    def.slice_units = 65536;
    def.lag_frames_max = 64;
    return def;
}

static tp_vector vertices[1200];
static uint32_t indices[8000];

/* The triangles of a grid as those of a mesh; cells are cut alike, or in turn. */
static void fold_triangulate(tp_cloth_def *def, bool is_alike)
{
    for (uint32_t k = 0; k < def->columns * def->rows; k++)
        vertices[k] = tpi_add(tpi_scale(def->along, (float)(k % def->columns)),
                              tpi_scale(def->across, (float)(k / def->columns)));
    def->vertices = vertices;
    def->vertex_count = def->columns * def->rows;
    def->indices = indices;
    for (uint32_t row = 0; row + 1 < def->rows; row++)
        for (uint32_t column = 0; column + 1 < def->columns; column++) {
            const uint32_t a = row * def->columns + column, b = a + def->columns;
            const uint32_t odd = is_alike ? 0 : (row + column) & 1u;
            const uint32_t corners[6] = {a, a + 1, b + odd, a + 1 - odd, b + 1, b};
            memcpy(indices + 3 * def->triangle_count, corners, sizeof corners);
            def->triangle_count += 2;
        }
}

/* ---- the energy ---- */

/* J/m^2 of a cylinder of curvature 1 along a direction, by the folds' shares, D = 1. */
static double fold_energy(const tp_world *world, double cosine, double sine, double area)
{
    const tpi_cloth_pool folds = tpi_cloth_fold_pool(world);
    const uint32_t count = tpi_cloth_folds_end(world);
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        double height[4], total = 0;
        for (uint32_t n = 0; n < 4; n++) {
            const uint32_t i = tpi_cloth_pool_array(&folds, n)[k];
            const double along = cosine * (double)view.x[i] + sine * (double)view.z[i];
            height[n] = along * along / 2;
        }
        for (uint32_t n = 1; n < 4; n++)
            total += (double)tpi_cloth_pool_floats(&folds, TPI_CLOTH_SHARE + n - 1)[k] *
                     (height[n] - height[0]);
        sum += total * total / 2;
    }
    return sum / count * 3 / area; /* three folds per node */
}

/* Equilateral triangles along six directions, and a grid along its axes and diagonals. */
static void a_cylinder_has_its_energy(void)
{
    for (uint32_t way = 0; way < 10; way++) {
        const bool is_grid = way >= 6;
        const double angle = is_grid ? (way - 6) * 0.7853981633974483 : way * 0.2617993877991494,
                     spacing = 0.05, area = spacing * spacing * (is_grid ? 1 : sqrt(0.75));
        tp_world_def def = fold_world(1200);
        tp_cloth_def sheet = tp_cloth_default();
        test_world made = test_world_make(&def);
        sheet.kinds = TP_CLOTH_FOLD;
        sheet.columns = sheet.rows = 34;
        sheet.along = (tp_vector){(float)spacing, 0, 0};
        sheet.across = is_grid ? (tp_vector){0, 0, (float)spacing}
                               : (tp_vector){(float)spacing / 2, 0, (float)(spacing * sqrt(0.75))};
        if (!is_grid) fold_triangulate(&sheet, true);
        (void)sheet_add(made.world, &sheet);
        double energy = fold_energy(made.world, cos(angle), sin(angle), area);
        test_note("way %u: %g", way, energy);
        CHECK_NEAR(energy, is_grid && (way & 1u) ? 0.75 : 0.5, 0.02);
        test_world_free(&made);
    }
}

/* ---- a strip ---- */

/* A strip of `rows` rows along x, of which the first two columns are clamped. */
static tp_cloth_def fold_strip(uint32_t rows, bool is_mesh)
{
    const float spacing = (float)(WIDTH / (rows - 1));
    tp_cloth_def def = tp_cloth_default();
    def.kinds = TP_CLOTH_STRETCH | TP_CLOTH_SHEAR | TP_CLOTH_FOLD;
    def.tether = 0;
    def.fold = (float)(1 / RIGIDITY);
    def.columns = (uint32_t)(LONG / (double)spacing + 0.5) + 2;
    def.rows = rows;
    def.along = (tp_vector){spacing, 0, 0};
    def.across = (tp_vector){0, 0, spacing};
    def.origin = (tp_vector){-spacing, 0, 0};
    if (is_mesh) fold_triangulate(&def, false);
    return def;
}

/* The sag of the end of a strip with a load q per area, which lies in its `cells` columns: D t'' =
   -q h (number of columns beyond s) cos t, t(0) = 0, t'(L) = 0, by steps along the arc. An edge
   bends for half a cell on each side, so the clamp is half a cell before the first column. */
static double fold_elastica(double load, uint32_t cells)
{
    double low = -load * LONG * LONG / RIGIDITY * 2, high = 0, sag = 0;
    const double ds = LONG / (200 * cells);
    for (uint32_t k = 0; k < 60; k++) {
        double angle = 0, bend = (low + high) / 2;
        const double start = bend;
        sag = 0;
        for (uint32_t i = 0; i < 200 * cells + 100; i++) {
            const double middle = angle + bend * ds / 2;
            const uint32_t beyond = i < 100 ? cells : cells - (i - 100) / 200;
            bend += load * LONG / cells * beyond * cos(middle) / RIGIDITY * ds;
            sag -= sin(middle) * ds;
            angle += bend * ds;
        }
        if (bend > 0)
            high = start;
        else
            low = start;
    }
    return sag;
}

/* The sag of a strip that comes to rest. */
static double fold_sag(uint32_t rows, bool is_mesh, double load)
{
    tp_cloth_def strip = fold_strip(rows, is_mesh);
    const uint32_t nodes = strip.columns * rows;
    tp_world_def def = fold_world(nodes);
    def.species[0].mass = (float)(load * LONG * WIDTH / 9.81 / ((strip.columns - 2) * rows));
    def.frames_per_second_numerator = 240;
    def.cloth.timestep_max = 0.0001f;
    test_world made = test_world_make(&def);
    uint32_t id = sheet_add(made.world, &strip);
    for (uint32_t k = 0; k < nodes; k++)
        if (k % strip.columns < 2) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
    tp_field field;
    drag.linear = 12 * def.species[0].mass;
    CHECK_EQ(tp_field_add(made.world, &drag, &field), TP_OK);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 360);
    tp_view view = tp_world_view(made.world);
    double sag = 0;
    for (uint32_t row = 0; row < rows; row++)
        sag -= (double)view.y[row * strip.columns + strip.columns - 1] / rows;
    test_world_free(&made);
    return sag;
}

static void a_clamped_strip_sags_as_the_elastica(void)
{
    const double small = 0.25, large = 1.25; /* N/m^2: q L^3 / D = 2, 10 */
    const double line = small * pow(LONG, 4) / 8 / RIGIDITY, exact = fold_elastica(small, 400);
    CHECK(exact < line && exact > 0.9 * line);
    for (uint32_t way = 0; way < 4; way++) {
        if (!test_runs(way, 3)) continue; /* coarse on a grid, fine on a mesh */
        const uint32_t rows = way & 1u ? 5 : 3, cells = way & 1u ? 10 : 5;
        double sag = fold_sag(rows, way >= 2, small), much = fold_sag(rows, way >= 2, large),
               wanted = fold_elastica(small, cells), far = fold_elastica(large, cells);
        test_note("%s of %u rows: %.5f of %.5f m, %.4f of %.4f m", way >= 2 ? "mesh" : "grid", rows,
                  sag, wanted, much, far);
        CHECK_NEAR(sag, wanted, 0.15 * wanted); /* light and stiff: softer, see physics.md */
        CHECK_NEAR(much, far, 0.05 * far);
    }
}

/* ---- what is conserved, and what is at rest ---- */

static void folds_keep_momentum(void)
{
    tp_world_def def = fold_world(64);
    tp_cloth_def sheet = tp_cloth_default();
    uint32_t random = 3;
    test_world made = test_world_make(&def);
    sheet.columns = sheet.rows = 8;
    sheet.kinds = TP_CLOTH_STRETCH | TP_CLOTH_SHEAR | TP_CLOTH_FOLD;
    sheet.fold = 10;
    sheet.tether = 0;
    (void)sheet_add(made.world, &sheet);
    for (uint32_t i = 0; i < 64; i++) {
        tp_view view = tp_world_view(made.world);
        tp_vector x = {view.x[i], view.y[i], view.z[i]}, v = {0, 0, 0};
        v.z = test_uniform(&random, -1, 1);
        CHECK_EQ(tp_particle_set(made.world, i, x, v), TP_OK);
    }
    same_momenta_stay(made.world, 1e-5, 5e-3); /* of first order in dt */
    test_world_free(&made);
}

/* A mesh that is made with a crease keeps it, and one that is moved and turned feels no force. */
static void a_crease_stays(void)
{
    tp_world_def def = fold_world(64);
    tp_cloth_def sheet = tp_cloth_default();
    test_world made = test_world_make(&def);
    sheet.columns = 7;
    sheet.rows = 3;
    sheet.kinds = TP_CLOTH_STRETCH | TP_CLOTH_FOLD;
    sheet.tether = 0;
    sheet.along = (tp_vector){0.05f, 0, 0};
    sheet.across = (tp_vector){0, 0, 0.05f};
    fold_triangulate(&sheet, false);
    for (uint32_t k = 0; k < 21; k++) vertices[k].y = 0.03f * (float)abs((int)(k % 7) - 3);
    (void)sheet_add(made.world, &sheet);
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    for (uint32_t k = 0; k < 21; k++) {
        CHECK_NEAR(view.y[k], vertices[k].y, 1e-5);
        CHECK_NEAR(view.vy[k], 0, 1e-4);
    }
    test_world_free(&made);
}

/* ---- all ways, and bad input ---- */

static void slices_widths_and_threads_change_no_fold(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        tp_world_def def = fold_world(300);
        tp_cloth_def sheet = tp_cloth_default();
        def.cloth.sheets_max = 2;
        def.slice_units = same_slice(way);
        test_world made = test_world_make(&def);
        sheet.columns = sheet.rows = 12;
        sheet.kinds = 15;
        sheet.across = (tp_vector){0, 0, 0.0625f};
        uint32_t id = sheet_add(made.world, &sheet);
        CHECK_EQ(tp_cloth_pin(made.world, id + 5, true), TP_OK);
        sheet.origin.y = 0.5f;
        sheet.rows = 9;
        fold_triangulate(&sheet, true);
        (void)sheet_add(made.world, &sheet);
        test_world_gravity(made.world, 9.81f);
        same_run(made.world, way, &threads.jobs, 8, &told);
        if (way == 1) {
            tp_budget budget = {.units = 1500};
            CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
            same_after_a_copy(&made, 3);
        }
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

static void folds_that_cannot_be_are_refused(void)
{
    tp_world_def def = fold_world(64);
    tp_cloth_def sheet = tp_cloth_default();
    tp_cloth_report report;
    sheet.columns = sheet.rows = 4;
    sheet.kinds = TP_CLOTH_FOLD;
    def.cloth.folds_max = 20; /* 9 + 6 + 6 are needed */
    test_world made = test_world_make(&def);
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), TP_ERROR_FULL);
    sheet.rows = 3;
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), TP_OK);
    CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
    CHECK_EQ(report.folds, 6 + 3 + 4);
    CHECK_EQ(report.uncoloured, 0);
    sheet.fold = -1;
    CHECK(strstr(tp_cloth_check(made.world, &sheet), "fold must"));
    test_world_free(&made);
    def.cloth.tear = 0.1f;
    CHECK(strstr(tp_world_check(&def), "folds_max"));
    def.cloth.tear = 0;
    def.cloth.integrator = TP_CLOTH_EXPLICIT;
    CHECK(strstr(tp_world_check(&def), "folds_max"));
    size_t bytes = 0, fewer = 0;
    def.cloth.integrator = TP_CLOTH_XPBD;
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
    def.cloth.folds_max = 0;
    CHECK_EQ(tp_world_memory(&def, &fewer), TP_OK);
    CHECK(bytes > fewer && bytes - fewer <= TP_FOLD_BYTES(20));
    def = tp_world_default(2);
    def.solver = TP_SOLVER_CLOTH;
    def.cloth.folds_max = 5;
    CHECK(strstr(tp_world_check(&def), "folds_max"));
}

static const test_case cases[] = {
    TEST_CASE(a_cylinder_has_its_energy),
    TEST_CASE(a_clamped_strip_sags_as_the_elastica),
    TEST_CASE(folds_keep_momentum),
    TEST_CASE(a_crease_stays),
    TEST_CASE(slices_widths_and_threads_change_no_fold),
    TEST_CASE(folds_that_cannot_be_are_refused),
};
TEST_SUITE(cloth_fold, cases);
