/* SPDX-License-Identifier: MIT
   tests/unit/test_render_surface.c - pictures of surfaces: area, both sides, what hides what.
   reads   host_tools/render      writes  -
   memory  a few MB of malloc     cost    below a second
   after   own design */
#include "common/picture.h"
#include "test.h"
#include <math.h>

#define SIDE 200 /* pixels of a picture */

static const uint32_t square[] = {0, 1, 2, 0, 2, 3};
static const uint8_t kinds[] = {0, 0, 0, 0, 1};

/* A red square around (0.5, 0.5, 0.5), `half` from its centre to its sides, and perhaps a green
   ball at the depth z. */
static canvas *drawn(float half, float yaw, float z, bool has_ball)
{
    const float low = 0.5f - half, high = 0.5f + half;
    const float positions[] = {low,  low, 0.5f, high, low,  0.5f, high, high,
                               0.5f, low, high, 0.5f, 0.5f, 0.5f, z};
    render_scene drawing = render_default_scene();
    drawing.dimensions = 3;
    drawing.up_axis = 1;
    drawing.bounds_max[0] = drawing.bounds_max[1] = drawing.bounds_max[2] = 1;
    drawing.camera = (render_camera){yaw, 0, 4};
    drawing.positions = positions;
    drawing.species = kinds;
    drawing.particle_count = has_ball ? 5 : 4;
    drawing.radius = 0.1f;
    drawing.triangles = square;
    drawing.triangle_count = 2;
    drawing.species_colours[0] = 0xff0000ff;
    drawing.species_colours[1] = 0x00ff00ff;
    canvas *image = canvas_create(SIDE, SIDE);
    if (CHECK(image != NULL)) CHECK_EQ(render_draw(&drawing, image), HOST_DONE);
    return image;
}

/* Pixels in which one of red and green is far above the other. */
static double pixels_of(canvas *image, int bright, int dark)
{
    double count = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const uint8_t *pixel = image->pixels + 4 * i;
        count += pixel[bright] > 2 * pixel[dark] + 20;
    }
    canvas_free(image);
    return count;
}

/* Corners are no balls: those would have a radius of 0.1 around each. */
static void a_square_has_its_area_on_both_sides(void)
{
    double small = pixels_of(drawn(0.2f, 0, 0, false), 0, 1),
           large = pixels_of(drawn(0.4f, 0, 0, false), 0, 1),
           back = pixels_of(drawn(0.4f, 180, 0, false), 0, 1),
           aside = pixels_of(drawn(0.4f, 60, 0, false), 0, 1);
    test_note("%g, %g, from behind %g, at 60 degrees %g pixels", small, large, back, aside);
    CHECK(small > 500);
    CHECK_NEAR(large / small, 4, 0.15);
    CHECK_NEAR(back / large, 1, 0.02);
    CHECK_NEAR(aside / large, 0.5, 0.05);
}

static void a_surface_hides_what_is_behind_it(void)
{
    double before = pixels_of(drawn(0.4f, 0, 0.8f, true), 1, 0),
           behind = pixels_of(drawn(0.4f, 0, 0.2f, true), 1, 0),
           within = pixels_of(drawn(0.4f, 0, 0.5f, true), 1, 0);
    test_note("green before %g, behind %g, half of it %g", before, behind, within);
    CHECK(before > 150);
    CHECK_EQ(behind, 0);
    CHECK(within > 100);
}

/* Without triangles the corners are balls; a corner that is not finite leaves out its triangles. */
static void broken_corners_draw_nothing(void)
{
    double none = pixels_of(drawn(NAN, 0, 0, false), 0, 1),
           flat = pixels_of(drawn(0, 0, 0, false), 0, 1);
    CHECK_EQ(none, 0);
    CHECK(flat < 1000);
}

static const test_case cases[] = {
    TEST_CASE(a_square_has_its_area_on_both_sides),
    TEST_CASE(a_surface_hides_what_is_behind_it),
    TEST_CASE(broken_corners_draw_nothing),
};
TEST_SUITE(render_surface, cases);
