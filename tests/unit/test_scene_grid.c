/* SPDX-License-Identifier: MIT
   tests/unit/test_scene_grid.c - distance grids in scenes: how they are built, placed and drawn.
   reads   texts below      writes  -
   memory  one small world at a time      cost    milliseconds
   after   own design */
#include "common/loop.h"
#include "common/picture.h"
#include "files_help.h"
#include "scene_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool takes(const char *text, scene *result)
{
    test_note("scene: %s", text);
    return CHECK(scene_parse(result, "test.scene", ".", text) == HOST_DONE);
}

#define FLAT  "world\n dimensions = 2\ncollider c\n shape = grid\n"
#define SOLID "world\n dimensions = 3\ncollider c\n shape = grid\n"

static void mistakes_in_grids_name_line_and_field(void)
{
    scene_refuses(FLAT " spacing = 0.1\n",
                  "test.scene:3: field 'distance': is missing; allowed: numbers, or sphere");
    scene_refuses(FLAT " distance = sphere 1\n", "test.scene:3: field 'spacing': is missing");
    scene_refuses(FLAT " distance = cone 1\n",
                  "test.scene:5: field 'distance': 'cone 1' is no distance; allowed: ");
    scene_refuses(FLAT " distance = sphere\n", "'sphere' is no distance");
    scene_refuses(FLAT " distance = sphere 1 2\n", "'sphere 1 2' is no distance");
    scene_refuses(FLAT " distance = sphere -1\n", "'sphere -1' is no distance");
    scene_refuses(FLAT " distance = box 1 1 1\n", "'box 1 1 1' is no distance");
    scene_refuses(SOLID " distance = box 1 1\n",
                  "'box 1 1' is no distance; allowed: numbers, or [without] sphere RADIUS [X Y Z]");
    scene_refuses(FLAT " distance = 1 2 x\n",
                  "test.scene:5: field 'distance': '1 2 x' is no distance");
    scene_refuses(FLAT " distance = without sphere 1\n",
                  "field 'distance': has nothing before it to cut from");
    scene_refuses(FLAT " distance = sphere 1\n distance = 1 2\n",
                  "test.scene:6: field 'distance': has numbers after solids");
    scene_refuses(FLAT " distance = 1 2\n distance = sphere 1\n",
                  "test.scene:6: field 'distance': has solids after numbers");
    scene_refuses(FLAT " spacing = 1\n layers = 2\n distance = sphere 1\n",
                  "test.scene:6: field 'layers': must be 1 in two dimensions");
    scene_refuses(FLAT " spacing = 1\n columns = 2\n rows = 2\n distance = 1 2 3\n",
                  "field 'distance': has 3 numbers; columns 2 times rows 2 times layers 1 need 4");
    scene_refuses(SOLID " spacing = 0.001\n distance = sphere 1\n",
                  "test.scene:5: field 'spacing': needs ");
    scene_refuses(FLAT " spacing = 1\n distance = sphere 0.1 0.5 0.5\n",
                  "leaves nothing solid at any sample");
    scene_refuses(FLAT " heights = 1 2\n",
                  "test.scene:5: field 'heights': is for 'shape = heightfield'");
    scene_refuses("world\n dimensions = 2\ncollider c\n shape = box\n distance = sphere 1\n",
                  "test.scene:5: field 'distance': is for 'shape = grid'");
}

/* The sample nearest to a position relative to the middle. */
static double sample_at(const scene_collider *collider, double x, double y, double z)
{
    const tp_collider_def *def = &collider->def;
    double spacing = (double)def->spacing;
    size_t i = (size_t)lround(x / spacing + (def->columns - 1) / 2.0),
           j = (size_t)lround(y / spacing + (def->rows - 1) / 2.0),
           k = (size_t)lround(z / spacing + (def->layers - 1) / 2.0);
    return (double)def->samples[i + def->columns * (j + def->rows * k)];
}

static void samples_are_the_distances_of_the_solids(void)
{
    scene read;
    if (!takes(
            FLAT
            " spacing = 0.125\n distance = sphere 0.5\n distance = box 25 cm 0.5 1 0\n distance = "
            "without sphere 0.25\n",
            &read))
        return;
    const scene_collider *flat = &read.colliders[0];
    CHECK_EQ(flat->def.columns, 2 * (10 + 2) + 1); /* 1.25 m to each side, and a margin */
    CHECK_EQ(flat->def.rows, 2 * (4 + 2) + 1);
    CHECK_EQ(flat->def.layers, 1);
    CHECK_NEAR(sample_at(flat, 0, 0, 0), 0.25, 1e-6); /* in the removed sphere */
    CHECK_NEAR(sample_at(flat, -0.375, 0, 0), -0.125, 1e-6);
    CHECK_NEAR(sample_at(flat, 0, 0.75, 0), 0.25, 1e-6);
    CHECK_NEAR(sample_at(flat, 1, 0, 0), -0.25, 1e-6); /* inside the box */
    CHECK_NEAR(sample_at(flat, 1.5, 0.75, 0), sqrt(2) * 0.25, 1e-6);
    scene_free(&read);
    if (!takes(SOLID " spacing = 0.25\n distance = torus 1 0.5 0 0.5 0\n", &read)) return;
    const scene_collider *ring = &read.colliders[0];
    CHECK_EQ(ring->def.columns, 2 * (6 + 2) + 1);
    CHECK_EQ(ring->def.rows, 2 * (4 + 2) + 1);
    CHECK_NEAR(sample_at(ring, 1, 0.5, 0), -0.5, 1e-6);
    CHECK_NEAR(sample_at(ring, 0, 0.5, -1), -0.5, 1e-6);
    CHECK_NEAR(sample_at(ring, 0, 0.5, 0), 0.5, 1e-6);
    CHECK_NEAR(sample_at(ring, 1, -0.5, 0), 0.5, 1e-6);
    scene_free(&read);
}

static void numbers_go_on_from_line_to_line(void)
{
    scene read;
    if (!takes(
            FLAT
            " columns = 3\n rows = 2\n spacing = 50 cm\n distance = -1 0 1\n distance = -2, .5 2\n",
            &read))
        return;
    const float wanted[6] = {-1, 0, 1, -2, 0.5f, 2};
    CHECK(memcmp(read.colliders[0].def.samples, wanted, sizeof wanted) == 0);
    scene_free(&read);
}

/* The runtime's pose is that of the first sample: the middle must stay where the scene places
   it. */
static void a_grid_turns_about_its_middle(void)
{
    scene read;
    if (!takes(
            FLAT
            " spacing = 0.25\n distance = box 1 0.5\n position = 3 4\nmotion c\n spin = 90 deg/s\n",
            &read))
        return;
    const tp_collider_def *def = &read.colliders[0].def;
    float x = (float)(def->columns - 1) * 0.125f, y = (float)(def->rows - 1) * 0.125f;
    tp_pose rest = scene_collider_pose(&read, 0, 0), turned = scene_collider_pose(&read, 0, 1);
    CHECK_NEAR(rest.position.x, 3 - x, 1e-6);
    CHECK_NEAR(rest.position.y, 4 - y, 1e-6);
    CHECK_NEAR(turned.position.x, 3 + y, 1e-6);
    CHECK_NEAR(turned.position.y, 4 - x, 1e-6);
    scene_free(&read);
}

/* Lowest position of one particle that falls on a collider for two seconds. */
static double where_it_rests(const char *collider)
{
    scene read;
    tp_world *world;
    size_t bytes = 0;
    void *memory = NULL;
    double rests = -1;
    const char *text =
        test_text("world\n dimensions = 2\n particles = 4\nspecies s\n radius = 0.05\n"
                  "emitter e\n position = 2 3\n burst = 1\nfield g\n kind = gravity\n"
                  "collider c\n %s position = 2 1\n",
                  collider);
    if (!takes(text, &read)) return rests;
    void *block = scene_memory(&read, &bytes) == HOST_DONE ? stage_block(bytes, &memory) : NULL;
    if (CHECK(block && scene_create_world(&read, block, bytes, &world) == HOST_DONE)) {
        tp_budget budget = {0};
        for (int frame = 0; frame < 120; frame++) CHECK(tp_frame(world, &budget, NULL) >= TP_OK);
        tp_view view = tp_world_view(world);
        if (CHECK_EQ(view.count, 1)) rests = (double)view.y[0];
    }
    free(memory);
    scene_free(&read);
    return rests;
}

static void a_particle_rests_on_a_grid_as_on_the_solid(void)
{
    double solid = where_it_rests("shape = box\n half = 0.5 0.25\n");
    double grid = where_it_rests("shape = grid\n spacing = 0.05\n distance = box 0.5 0.25\n");
    CHECK(solid > 1.2 && solid < 1.35);
    CHECK_NEAR(grid, solid, 1e-3);
}

static void the_contour_of_a_disc_is_a_circle(void)
{
    scene read;
    if (!takes(FLAT " spacing = 0.05\n distance = sphere 1\n", &read)) return;
    const tp_collider_def *def = &read.colliders[0].def;
    size_t count = contour_lines(def, NULL);
    float *points = calloc(count, 6 * sizeof *points);
    double worst = 0, length = 0, middle = (def->columns - 1) * 0.025;
    if (CHECK(points && count > 40) && CHECK_EQ(contour_lines(def, points), count)) {
        for (size_t i = 0; i < 2 * count; i++)
            worst = fmax(worst, fabs(hypot((double)points[3 * i] - middle,
                                           (double)points[3 * i + 1] - middle) -
                                     1));
        for (const float *line = points; line < points + 6 * count; line += 6)
            length += hypot((double)line[3] - (double)line[0], (double)line[4] - (double)line[1]);
        CHECK(worst < 1e-3);
        CHECK_NEAR(length, 6.2832, 0.01);
    }
    free(points);
    scene_free(&read);
}

static const test_case cases[] = {
    TEST_CASE(mistakes_in_grids_name_line_and_field),
    TEST_CASE(samples_are_the_distances_of_the_solids),
    TEST_CASE(numbers_go_on_from_line_to_line),
    TEST_CASE(a_grid_turns_about_its_middle),
    TEST_CASE(a_particle_rests_on_a_grid_as_on_the_solid),
    TEST_CASE(the_contour_of_a_disc_is_a_circle),
};
TEST_SUITE(scene_grid, cases);
