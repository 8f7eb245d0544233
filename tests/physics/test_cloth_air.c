/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_air.c - air on the triangles of sheets: force, terminal speed, gales,
           pins, the same bits, capacities.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 1000 nodes      cost    about one second
   after   brute force in double precision; the terminal speed of a plate */
#include "cloth_sheets.h"
#include "test.h"
#include "world_help.h"
#include "solve/cloth/cloth.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE  13u
#define NODES (SIDE * SIDE)

static tp_world_def air_world_def(float air)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = 2 * NODES;
    def.cloth.sheets_max = 2;
    def.cloth.constraints_max = 12 * NODES;
    def.cloth.triangles_max = 4 * NODES;
    def.cloth.air = air;
    def.slice_units = 65536;
    def.species[0].radius = 0.01f;
    def.species[0].mass = 0.001f;
    return def;
}

/* A level square of 1 m. */
static tp_cloth_def air_square(void)
{
    tp_cloth_def def = tp_cloth_default();
    def.columns = def.rows = SIDE;
    def.along = (tp_vector){1.0f / (SIDE - 1), 0, 0};
    def.across = (tp_vector){0, 0, 1.0f / (SIDE - 1)};
    return def;
}

static void air_wind(tp_world *world, tp_vector speed, float noise)
{
    tp_field field;
    tp_field_def def = tp_field_default(TP_FIELD_WIND);
    def.vector = speed;
    def.strength = noise;
    CHECK_EQ(tp_field_add(world, &def, &field), TP_OK);
}

static tp_vector air_velocity(const tp_world *world, uint32_t i)
{
    tp_view view = tp_world_view(world);
    return (tp_vector){view.vx[i], view.vy[i], view.vz[i]};
}

/* ---- the force ---- */

static void oracle_cross(const double a[3], const double b[3], double out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Adds to the velocities of three nodes at rest what a wind gives them in dt seconds. */
static void oracle_push(const tp_vector *x, const uint32_t *corner, const double wind[3],
                        double air, double mass, double dt, double (*v)[3])
{
    double p[3][3], a[3], b[3], n[3], length = 0, along = 0;
    for (uint32_t k = 0; k < 3; k++) {
        p[k][0] = x[corner[k]].x, p[k][1] = x[corner[k]].y, p[k][2] = x[corner[k]].z;
    }
    for (uint32_t k = 0; k < 3; k++) a[k] = p[1][k] - p[0][k], b[k] = p[2][k] - p[0][k];
    oracle_cross(a, b, n);
    for (uint32_t k = 0; k < 3; k++) length += n[k] * n[k];
    length = sqrt(length);
    for (uint32_t k = 0; k < 3; k++) along += wind[k] * n[k] / length;
    double area = length / 2, rate = air * area * fabs(along) / 2, share = rate * dt * 3 / mass,
           force = rate * along / sqrt(1 + share * share);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t c = 0; c < 3; c++) v[corner[k]][c] += force * n[c] / length * dt / 3 / mass;
}

/* A crumpled strip of random triangles, without constraints. */
static void the_force_is_that_of_every_triangle(void)
{
    enum { COUNT = 40 };
    tp_vector x[COUNT + 2];
    uint32_t indices[3 * COUNT];
    double v[COUNT + 2][3] = {{0}};
    const double wind[3] = {3, -1, 2};
    srand(7);
    for (uint32_t k = 0; k < COUNT + 2; k++)
        x[k] = (tp_vector){0.05f * (float)k, (float)(k % 2) + (float)(rand() % 100) * 0.002f,
                           (float)(rand() % 100) * 0.004f};
    for (uint32_t k = 0; k < 3 * COUNT; k++) indices[k] = k / 3 + k % 3;
    tp_world_def def = air_world_def(1.4f);
    def.substeps.count = 1;
    def.cloth.timestep_max = 0.02f;
    test_world made = test_world_make(&def);
    tp_cloth_def mesh = tp_cloth_default();
    mesh.vertices = x;
    mesh.vertex_count = COUNT + 2;
    mesh.indices = indices;
    mesh.triangle_count = COUNT;
    mesh.kinds = 0;
    (void)sheet_add(made.world, &mesh);
    air_wind(made.world, (tp_vector){3, -1, 2}, 0);
    for (uint32_t t = 0; t < COUNT; t++)
        oracle_push(x, indices + 3 * t, wind, (double)1.4f, (double)0.001f, 1.0 / 60, v);
    test_world_frames(made.world, 1);
    for (uint32_t k = 0; k < COUNT + 2; k++) {
        tp_vector now = air_velocity(made.world, k);
        CHECK_NEAR(now.x, v[k][0], 2e-5);
        CHECK_NEAR(now.y, v[k][1], 2e-5);
        CHECK_NEAR(now.z, v[k][2], 2e-5);
    }
    test_world_free(&made);
}

/* Air that flows along a sheet does not move it; air across it takes it along, and no faster. */
static void air_pushes_along_the_normal_only(void)
{
    for (uint32_t across = 0; across < 2; across++) {
        tp_world_def def = air_world_def(1.2f);
        tp_cloth_def sheet = air_square();
        test_world made = test_world_make(&def);
        (void)sheet_add(made.world, &sheet);
        air_wind(made.world, across ? (tp_vector){0, 5, 0} : (tp_vector){5, 0, 2}, 0);
        test_world_frames(made.world, 120);
        tp_vector v = air_velocity(made.world, NODES / 2);
        CHECK_EQ(v.x, 0);
        CHECK_EQ(v.z, 0);
        if (!across) CHECK_EQ(v.y, 0);
        if (across) CHECK(v.y > 4 && v.y <= 5);
        test_world_free(&made);
    }
}

/* sqrt(2 m g / (rho C A)). The nodes at the edge of a sheet have the mass of the others and half
   the area: a stiff one of 4 x 4 nodes bends little. */
static void a_level_sheet_falls_at_its_terminal_speed(void)
{
    tp_world_def def = air_world_def(1.2f);
    tp_cloth_def sheet = air_square();
    def.cloth.timestep_max = 0.0004f;
    sheet.columns = sheet.rows = 4;
    sheet.bend = 0;
    test_world made = test_world_make(&def);
    (void)sheet_add(made.world, &sheet);
    test_world_gravity(made.world, 9.81f);
    test_world_frames(made.world, 120);
    double sum = 0, wanted = sqrt(2 * 16 * 0.001 * 9.81 / (1.2 / 16));
    for (uint32_t k = 0; k < 16; k++) sum -= (double)air_velocity(made.world, k).y;
    CHECK_NEAR(sum / 16, wanted, 0.02 * wanted);
    test_world_free(&made);
}

/* Nodes of a millionth of a kilogram take the speed of the air, and do not overshoot it. */
static void a_gale_does_not_blow_up_light_cloth(void)
{
    tp_world_def def = air_world_def(10000);
    tp_cloth_def sheet = air_square();
    def.species[0].mass = 1e-6f;
    test_world made = test_world_make(&def);
    (void)sheet_add(made.world, &sheet);
    air_wind(made.world, (tp_vector){30, 100, 10}, 20);
    for (uint32_t frame = 0; frame < 60; frame++) {
        test_world_frames(made.world, 1);
        for (uint32_t k = 0; k < NODES; k++) {
            tp_vector v = air_velocity(made.world, k);
            CHECK(tpi_length(v) < 250);
        }
    }
    test_world_free(&made);
}

/* ---- pins, capacities, bits ---- */

static void pinned_nodes_stand_in_the_wind(void)
{
    tp_world_def def = air_world_def(1.2f);
    tp_cloth_def sheet = air_square();
    test_world made = test_world_make(&def);
    uint32_t id = sheet_add(made.world, &sheet);
    for (uint32_t k = 0; k < NODES; k++) CHECK_EQ(tp_cloth_pin(made.world, id + k, true), TP_OK);
    air_wind(made.world, (tp_vector){0, 1000, 0}, 0);
    test_world_frames(made.world, 10);
    for (uint32_t k = 0; k < NODES; k++) CHECK_EQ(air_velocity(made.world, k).y, 0);
    test_world_free(&made);
}

static void triangles_have_a_capacity(void)
{
    const uint32_t wanted = 2 * (SIDE - 1) * (SIDE - 1);
    for (uint32_t few = 0; few < 2; few++) {
        tp_world_def def = air_world_def(1.2f);
        tp_cloth_def sheet = air_square();
        tp_cloth_report report;
        uint32_t id = 7;
        def.cloth.triangles_max = wanted - few;
        test_world made = test_world_make(&def);
        CHECK_EQ(tp_cloth_grid(made.world, &sheet, &id), few ? TP_ERROR_FULL : TP_OK);
        CHECK_EQ(tp_cloth_measure(made.world, &report), TP_OK);
        CHECK_EQ(report.triangles, few ? 0 : wanted);
        sheet.rows = 1;
        CHECK_EQ(tp_cloth_grid(made.world, &sheet, &id), TP_OK);
        test_world_free(&made);
    }
}

static void bad_definitions_are_refused(void)
{
    tp_world_def def = air_world_def(1.2f);
    size_t bytes;
    def.cloth.triangles_max = 0;
    CHECK(strcmp(tp_world_check(&def), "cloth.air needs cloth.triangles_max: what it acts on") ==
          0);
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_ERROR_DEFINITION);
    def = air_world_def(-1);
    CHECK(strstr(tp_world_check(&def), "cloth.air") != NULL);
    def = tp_world_default(2);
    def.solver = TP_SOLVER_CLOTH;
    def.cloth.triangles_max = 1;
    def.cloth.air = 1;
    CHECK(strcmp(tp_world_check(&def), "cloth.air must be 0 in 2D: sheets are lines there") == 0);
    def.cloth.air = 0;
    CHECK(strcmp(tp_world_check(&def),
                 "cloth.triangles_max must be 0 in 2D: sheets are lines there") == 0);
}

static uint64_t air_run(uint32_t slice, uint32_t lanes, const tp_jobs *jobs, uint32_t units)
{
    tp_world_def def = air_world_def(1.2f);
    tp_cloth_def sheet = air_square();
    def.slice_units = slice;
    test_world made = test_world_make(&def);
    uint32_t id = sheet_add(made.world, &sheet);
    CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
    test_world_gravity(made.world, 9.81f);
    air_wind(made.world, (tp_vector){4, 1, 2}, 1);
    tp_budget budget = {.units = units, .lanes_max = (uint8_t)lanes, .jobs = jobs};
    tp_report report;
    while (made.world->clock.frame < 30 && CHECK(tp_frame(made.world, &budget, &report) >= TP_OK))
        continue;
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void the_bits_are_the_same_in_slices_widths_and_threads(void)
{
    uint64_t hash = air_run(65536, 16, NULL, 0);
    platform_jobs threads;
    CHECK_EQ(air_run(64, 4, NULL, 1000), hash);
    CHECK_EQ(air_run(300, 8, NULL, 777), hash);
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    CHECK_EQ(air_run(2048, 16, &threads.jobs, 0), hash);
    platform_jobs_stop(&threads);
}

static void a_damaged_triangle_is_found(void)
{
    tp_world_def def = air_world_def(1.2f);
    tp_cloth_def sheet = air_square();
    test_world made = test_world_make(&def);
    (void)sheet_add(made.world, &sheet);
    uint64_t offset = 0;
    CHECK(tpi_cloth_audit(made.world, &offset) == NULL);
    tpi_words(made.world, made.world->arrays.own[TPI_CLOTH_TRIANGLE])[5] = NODES;
    CHECK(strcmp(tpi_cloth_audit(made.world, &offset), "a triangle of three nodes") == 0);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(the_force_is_that_of_every_triangle),
    TEST_CASE(air_pushes_along_the_normal_only),
    TEST_CASE(a_level_sheet_falls_at_its_terminal_speed),
    TEST_CASE(a_gale_does_not_blow_up_light_cloth),
    TEST_CASE(pinned_nodes_stand_in_the_wind),
    TEST_CASE(triangles_have_a_capacity),
    TEST_CASE(bad_definitions_are_refused),
    TEST_CASE(the_bits_are_the_same_in_slices_widths_and_threads),
    TEST_CASE(a_damaged_triangle_is_found),
};
TEST_SUITE(cloth_air, cases);
