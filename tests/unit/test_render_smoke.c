/* SPDX-License-Identifier: MIT
   tests/unit/test_render_smoke.c - pictures of smoke: how much it absorbs, its light and shadow,
           what hides what.
   reads   host_tools/render, host_tools/common      writes  -
   memory  a few MB of malloc     cost    about a second
   after   the law of Beer and Lambert */
#include "common/picture.h"
#include "common/scene.h"
#include "test.h"
#include <math.h>
#include <string.h>

#define SIDE   120  /* pixels of a picture */
#define MOST   8001 /* particles */
#define RADIUS 0.02f

typedef struct cloud {
    float positions[3 * MOST];
    uint8_t kinds[MOST];
    size_t count;
} cloud;

static cloud made;
static float temperatures[MOST], glow; /* K */

static void add(float x, float y, float z, uint8_t kind)
{
    float *to = made.positions + 3 * made.count;
    to[0] = x, to[1] = y, to[2] = z;
    made.kinds[made.count++] = kind;
}

/* columns x rows x layers particles that fill a box around the centre. */
static void fill(uint32_t columns, uint32_t rows, uint32_t layers, const float half[3])
{
    made.count = 0;
    for (uint32_t z = 0; z < layers; z++)
        for (uint32_t y = 0; y < rows; y++)
            for (uint32_t x = 0; x < columns; x++)
                add(0.5f + half[0] * (2 * ((float)x + 0.5f) / (float)columns - 1),
                    0.5f + half[1] * (2 * ((float)y + 0.5f) / (float)rows - 1),
                    0.5f + half[2] * (2 * ((float)z + 0.5f) / (float)layers - 1), 0);
}

/* Species 0 is smoke, 1 a green ball, 2 is not drawn; before a white background. */
static canvas *drawn(render_colour colour)
{
    render_scene drawing = render_default_scene();
    drawing.dimensions = 3;
    drawing.up_axis = 1;
    drawing.bounds_max[0] = drawing.bounds_max[1] = drawing.bounds_max[2] = 1;
    drawing.camera = (render_camera){0, 0, 4};
    drawing.positions = made.positions;
    drawing.species = made.kinds;
    drawing.particle_count = made.count;
    drawing.radius = RADIUS;
    drawing.smokes = 1;
    drawing.values = temperatures;
    drawing.glow = glow;
    drawing.hidden = 4;
    drawing.species_colours[0] = colour;
    drawing.species_colours[1] = 0x00ff00ff;
    drawing.background_top = drawing.background_bottom = 0xffffffff;
    canvas *image = canvas_create(SIDE, SIDE);
    if (CHECK(image != NULL)) CHECK_EQ(render_draw(&drawing, image), HOST_DONE);
    return image;
}

static double linear(uint8_t byte)
{
    double share = byte / 255.0;
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

/* Mean linear light of a channel over a square of pixels around a place; x, y in world units. */
static double light_of(const canvas *image, int channel, double x, double y, int32_t half)
{
    double scale = SIDE / (2 * 0.3 * 4), sum = 0;
    int32_t column = (int32_t)(SIDE / 2 + (x - 0.5) * scale),
            row = (int32_t)(SIDE / 2 - (y - 0.5) * scale);
    for (int32_t j = -half; j <= half; j++)
        for (int32_t i = -half; i <= half; i++)
            sum += linear(image->pixels[4 * ((row + j) * SIDE + column + i) + channel]);
    return sum / ((2 * half + 1) * (2 * half + 1));
}

/* Black smoke: what is behind it shows by exp(-depth). A particle has the cross-section of 0.4 of
   its disc. */
static void smoke_absorbs_by_its_particles_in_the_way(void)
{
    const float half[3] = {0.4f, 0.4f, 0.05f};
    for (uint32_t side = 16; side <= 64; side += 16) {
        fill(side, side, 1, half);
        canvas *image = drawn(0x000000ff);
        double seen = light_of(image, 0, 0.5, 0.65, 6),
               depth = 0.4 * 3.14159265 * RADIUS * RADIUS * side * side / 0.64;
        test_note("%u particles: %.3f of the light, %.3f by theory", side * side, seen,
                  exp(-depth));
        CHECK_NEAR(seen, exp(-depth), 0.02);
        canvas_free(image);
    }
}

/* Black smoke before white: what it emits by Planck's law, the fourth power of the temperature. */
static void hot_smoke_glows_as_a_black_body(void)
{
    const float half[3] = {0.3f, 0.3f, 0.3f};
    double light[3][3];
    for (int k = 0; k < 3; k++) {
        fill(20, 20, 20, half);
        glow = k ? 1207.0f : 0.0f;
        for (size_t i = 0; i < made.count; i++) temperatures[i] = k == 1 ? 1207.0f : 907.0f;
        canvas *image = drawn(0x000000ff);
        for (int c = 0; c < 3; c++) light[k][c] = light_of(image, c, 0.5, 0.5, 6);
        test_note("red %.3f, green %.3f, blue %.3f", light[k][0], light[k][1], light[k][2]);
        canvas_free(image);
    }
    glow = 0;
    memset(temperatures, 0, sizeof temperatures);
    /* 1500 K: exp(-c2 (1 / 549 nm - 1 / 610 nm) / T) and the fifth power of the wavelengths */
    double green = exp(-14388 / 1500.0 * (1 / 0.549 - 1 / 0.61)) * pow(0.61 / 0.549, 5);
    CHECK(light[0][0] < 0.02 && light[1][0] > 0.9);
    CHECK_NEAR(light[1][1] - light[0][1], green * (light[1][0] - light[0][0]), 0.03);
    CHECK(light[1][2] < 0.06);
    CHECK_NEAR(light[2][0] - light[0][0], 0.4096 * (light[1][0] - light[0][0]), 0.03);
}

/* The lamp is at the upper left, before the picture. */
static void smoke_shadows_itself(void)
{
    const float half[3] = {0.2f, 0.2f, 0.2f};
    fill(20, 20, 20, half);
    canvas *image = drawn(0xffffffff);
    double towards = light_of(image, 0, 0.36, 0.64, 2), away = light_of(image, 0, 0.64, 0.36, 2);
    test_note("towards the lamp %.2f, away from it %.2f", towards, away);
    CHECK(towards > 1.1 * away && away > 0.02);
    canvas_free(image);
}

static void a_ball_before_smoke_hides_it_and_one_behind_is_hidden(void)
{
    const float half[3] = {0.4f, 0.4f, 0.05f};
    double green[2];
    for (int k = 0; k < 2; k++) {
        fill(60, 60, 1, half);
        add(0.5f, 0.65f, k ? 0.9f : 0.1f, 1);
        canvas *image = drawn(0xff0000ff);
        green[k] = light_of(image, 1, 0.5, k ? 0.656 : 0.643, 0);
        canvas_free(image);
    }
    test_note("green behind %.3f, before %.3f", green[0], green[1]);
    CHECK(green[1] > 0.2 && green[0] < 0.15 * green[1]);
}

/* Also numbers that are none, and particles far outside, which would make cells too large. */
static void the_same_smoke_is_the_same_picture(void)
{
    const float half[3] = {0.3f, 0.3f, 0.1f};
    fill(20, 20, 4, half);
    canvas *first = drawn(0x8090a0ff);
    add(NAN, 0.5f, 0.5f, 0);
    add(0.5f, INFINITY, 0.5f, 0);
    add(0.5f, 0.6f, 0.5f, 2);
    canvas *second = drawn(0x8090a0ff);
    CHECK(!memcmp(first->pixels, second->pixels, (size_t)4 * SIDE * SIDE));
    made.count = 0;
    add(NAN, NAN, NAN, 0);
    canvas *empty = drawn(0x8090a0ff);
    CHECK_NEAR(light_of(empty, 0, 0.5, 0.65, 2), 1, 0.02);
    fill(20, 20, 4, half);
    add(1e6f, 0, 0, 0);
    canvas *far = drawn(0x8090a0ff);
    CHECK_NEAR(light_of(far, 0, 0.5, 0.65, 4), light_of(first, 0, 0.5, 0.65, 4), 0.1);
    canvas_free(first);
    canvas_free(second);
    canvas_free(empty);
    canvas_free(far);
}

/* A scene of vortices is drawn as smoke unless it says otherwise; in 2D there is none. Dark smoke
   has a bright background. */
static void scenes_choose_smoke(void)
{
    static const struct {
        const char *name;
        scene_style style;
        uint32_t smokes, hidden, background;
    } rows[] = {
        {"plume", SCENE_FLUID, 1, 2, 0x111b33ff},    {"plume", SCENE_BEADS, 0, 0, 0x111b33ff},
        {"ink", SCENE_FLUID, 1, 2, 0xb8c6ccff},      {"smoke_rings", SCENE_FLUID, 3, 0, 0x111b33ff},
        {"fountain", SCENE_FLUID, 0, 0, 0x111b33ff}, {"fountain", SCENE_SMOKE, 1, 0, 0x111b33ff}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        scene source;
        picture target;
        if (!CHECK(scene_load(&source, rows[r].name) == HOST_DONE)) return;
        source.style = rows[r].style;
        if (CHECK(picture_open(&target, &source, 40, 40, false) == HOST_DONE)) {
            test_note("%s: smoke %x, hidden %x", rows[r].name, target.render.smokes,
                      target.render.hidden);
            CHECK_EQ(target.render.smokes & ((1u << source.world.species_count) - 1u),
                     rows[r].smokes);
            CHECK_EQ(target.render.hidden, rows[r].hidden);
            CHECK_EQ(target.render.background_top, rows[r].background);
            picture_close(&target);
        }
        scene_free(&source);
    }
}

static const test_case cases[] = {
    TEST_CASE(hot_smoke_glows_as_a_black_body),
    TEST_CASE(smoke_absorbs_by_its_particles_in_the_way),
    TEST_CASE(smoke_shadows_itself),
    TEST_CASE(a_ball_before_smoke_hides_it_and_one_behind_is_hidden),
    TEST_CASE(the_same_smoke_is_the_same_picture),
    TEST_CASE(scenes_choose_smoke),
};
TEST_SUITE(render_smoke, cases);
