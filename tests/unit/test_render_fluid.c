/* SPDX-License-Identifier: MIT
   tests/unit/test_render_fluid.c - pictures of fluids: area, interface, drops, silhouette, light;
           and which particles are drawn as a fluid.
   reads   host_tools/render, host_tools/common/picture.h      writes  -
   memory  a few MB of malloc     cost    below a second
   after   own design */
#include "common/picture.h"
#include "test.h"
#include "commands/render_spacing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE      240 /* pixels of a picture */
#define PARTICLES 40000

static float positions[PARTICLES * 3], velocities[PARTICLES * 3];
static uint8_t kinds[PARTICLES];
static size_t particle_count;

static uint32_t random_state;
static float random_share(void) /* xorshift32, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (float)(random_state >> 8) / 16777216.0f;
}

static void add(float x, float y, float z, uint8_t kind)
{
    if (particle_count >= PARTICLES) return;
    float *position = positions + 3 * particle_count;
    position[0] = x;
    position[1] = y;
    position[2] = z;
    memset(velocities + 3 * particle_count, 0, 3 * sizeof *velocities);
    kinds[particle_count++] = kind;
}

/* The lattice points of a disc or ball around (0.5, 0.5, 0.5 or 0), moved by up to `jitter`
   spacings. */
static void add_ball(int32_t dimensions, float radius, float spacing, float jitter)
{
    int32_t reach = (int32_t)(radius / spacing) + 1;
    for (int32_t i = -reach; i <= reach; i++) {
        for (int32_t j = -reach; j <= reach; j++) {
            for (int32_t k = dimensions == 3 ? -reach : 0; k <= (dimensions == 3 ? reach : 0);
                 k++) {
                float at[3] = {(float)i * spacing, (float)j * spacing, (float)k * spacing};
                if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius) continue;
                for (int axis = 0; axis < dimensions; axis++)
                    at[axis] += 0.5f + jitter * spacing * (2 * random_share() - 1);
                add(at[0], at[1], at[2], 0);
            }
        }
    }
}

/* A black picture of one unit with white fluids; 226 of 240 pixels are a unit (3 % margins). */
static render_scene white_scene(float spacing)
{
    render_scene drawing = render_default_scene();
    drawing.positions = positions;
    drawing.velocities = velocities;
    drawing.species = kinds;
    drawing.particle_count = particle_count;
    drawing.spacing = spacing;
    drawing.radius = 0.6f * spacing;
    drawing.fluids = 1;
    drawing.background_top = drawing.background_bottom = 0x000000ff;
    drawing.species_colours[0] = 0xffffffff;
    return drawing;
}

#define UNIT (SIDE * 0.94f) /* pixels */

static canvas *drawn(const render_scene *drawing)
{
    canvas *image = canvas_create(SIDE, SIDE);
    if (CHECK(image != NULL)) CHECK_EQ(render_draw(drawing, image), HOST_DONE);
    return image;
}

static const uint8_t *pixel_at(const canvas *image, float x, float y) /* world units */
{
    int32_t column = (int32_t)(SIDE / 2 + (x - 0.5f) * UNIT),
            row = (int32_t)(SIDE / 2 - (y - 0.5f) * UNIT);
    return image->pixels + ((size_t)row * SIDE + (size_t)column) * 4;
}

static double white_area(const canvas *image) /* square world units */
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) sum += image->pixels[i * 4];
    return sum / 255 / ((double)UNIT * (double)UNIT);
}

static uint64_t picture_hash(const canvas *image) /* FNV-1a */
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < (size_t)image->width * (size_t)image->height * 4; i++)
        hash = (hash ^ image->pixels[i]) * 1099511628211u;
    return hash;
}

/* ---- 2D */

/* Kernels of 2 to 30 pixels; the larger ones on a grid of several pixels per node. */
static void a_disc_of_fluid_has_the_area_of_its_particles(void)
{
    static const float spacings[] = {0.01f, 0.021f, 0.035f, 0.06f};
    for (size_t s = 0; s < sizeof spacings / sizeof spacings[0]; s++) {
        for (int jittered = 0; jittered < 2; jittered++) {
            float spacing = spacings[s];
            random_state = 7;
            particle_count = 0;
            add_ball(2, 0.35f, spacing, jittered ? 0.25f : 0);
            render_scene drawing = white_scene(spacing);
            canvas *image = drawn(&drawing);
            if (!image) return;
            double area = (double)particle_count * (double)spacing * (double)spacing;
            test_note("spacing %g, %s", (double)spacing, jittered ? "jittered" : "regular");
            CHECK_NEAR(white_area(image) / area, 1, 0.05);
            int32_t holes = 0;
            for (float x = 0.2f; x < 0.8f; x += 0.003f) {
                for (float y = 0.2f; y < 0.8f; y += 0.003f) {
                    float away = hypotf(x - 0.5f, y - 0.5f);
                    holes += away < 0.35f - 1.5f * spacing && *pixel_at(image, x, y) != 255;
                    holes += away > 0.35f + 1.5f * spacing && *pixel_at(image, x, y) != 0;
                }
            }
            CHECK_EQ(holes, 0);
            canvas_free(image);
        }
    }
}

/* The outline of a regular block is straight: bumps of single particles are below a tenth of a
   pixel. */
static void a_flat_surface_is_flat(void)
{
    const float spacing = 0.03f;
    particle_count = 0;
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 12; j++)
            add(0.155f + (float)i * spacing, 0.2f + (float)j * spacing, 0, 0);
    render_scene drawing = white_scene(spacing);
    canvas *image = drawn(&drawing);
    if (!image) return;
    float least = INFINITY, most = -INFINITY;
    for (int32_t column = SIDE / 2 - 50; column < SIDE / 2 + 50; column++) {
        float height = 0; /* covered pixels above the middle of the block */
        for (int32_t row = 0; row < SIDE / 2 + 30; row++)
            height += (float)image->pixels[((size_t)row * SIDE + (size_t)column) * 4] / 255;
        least = fminf(least, height);
        most = fmaxf(most, height);
    }
    test_note("heights %g to %g", (double)least, (double)most);
    CHECK(most - least < 0.1f);
    /* half a spacing above the centres of the last row, within a tenth of a spacing */
    float top = 0.2f + 11 * spacing,
          drawn_top = 0.5f + (least - ((float)SIDE / 2 + 30) + (float)SIDE / 2) / UNIT;
    CHECK_NEAR((drawn_top - top) / spacing, 0.5, 0.1);
    canvas_free(image);
}

static void a_drop_of_one_particle_has_its_area(void)
{
    particle_count = 0;
    add(0.5f, 0.5f, 0, 0);
    render_scene drawing = white_scene(0.1f);
    canvas *image = drawn(&drawing);
    if (!image) return;
    CHECK_NEAR(white_area(image) / 0.01, 1, 0.06);
    canvas_free(image);
}

/* The mean position between two drops is nearer than the radius, but no particle is there. */
static void distant_drops_have_nothing_between_them(void)
{
    particle_count = 0;
    add(0.4f, 0.5f, 0, 0);
    add(0.6f, 0.5f, 0, 0);
    render_scene drawing = white_scene(0.08f); /* 2.5 spacings apart */
    canvas *image = drawn(&drawing);
    if (!image) return;
    CHECK(pixel_at(image, 0.4f, 0.5f)[0] == 255 && pixel_at(image, 0.6f, 0.5f)[0] == 255);
    CHECK_EQ(pixel_at(image, 0.5f, 0.5f)[0], 0);
    drawing.spacing = 0.13f; /* 1.5 spacings apart */
    CHECK_EQ(render_draw(&drawing, image), HOST_DONE);
    CHECK_EQ(pixel_at(image, 0.5f, 0.5f)[0], 255);
    canvas_free(image);
}

static void two_fluids_keep_their_colours_at_an_interface(void)
{
    const float spacing = 0.025f;
    particle_count = 0;
    for (int i = 0; i < 28; i++)
        for (int j = 0; j < 28; j++)
            add(0.1625f + (float)i * spacing, 0.1625f + (float)j * spacing, 0, i >= 14);
    render_scene drawing = white_scene(spacing);
    drawing.fluids = 3;
    drawing.species_colours[0] = 0xc00000ff;
    drawing.species_colours[1] = 0x0000c0ff;
    canvas *image = drawn(&drawing);
    if (!image) return;
    for (float y = 0.25f; y < 0.75f; y += 0.01f) {
        int32_t mixed = 0;
        for (float x = 0.22f; x < 0.78f; x += 1 / UNIT) {
            const uint8_t *pixel = pixel_at(image, x, y);
            bool is_red = pixel[0] == 0xc0 && pixel[2] == 0,
                 is_blue = pixel[0] == 0 && pixel[2] == 0xc0;
            mixed += !is_red && !is_blue;
            if (fabsf(x - 0.5f) > 2.5f / UNIT) CHECK(x < 0.5f ? is_red : is_blue);
        }
        if (!CHECK(mixed <= 3)) break;
    }
    canvas_free(image);
}

static void fast_parts_of_a_fluid_have_the_colours_of_their_speed(void)
{
    particle_count = 0;
    add_ball(2, 0.3f, 0.03f, 0);
    for (size_t i = 0; i < particle_count; i++)
        velocities[3 * i + 1] = positions[3 * i] > 0.5f ? -4.0f : 0;
    render_scene drawing = white_scene(0.03f);
    drawing.colour_by = RENDER_BY_SPEED;
    drawing.speed_max = 4;
    canvas *image = drawn(&drawing);
    if (!image) return;
    const uint8_t *slow = pixel_at(image, 0.35f, 0.5f), *fast = pixel_at(image, 0.65f, 0.5f);
    CHECK(slow[0] == render_heat(0) >> 24 && slow[2] == (render_heat(0) >> 8 & 255));
    CHECK(fast[0] == render_heat(1) >> 24 && fast[2] == (render_heat(1) >> 8 & 255));
    canvas_free(image);
}

/* Particles of five species at random places, with random speeds. */
static render_scene random_scene(void)
{
    random_state = 11;
    particle_count = 0;
    for (int i = 0; i < 300; i++) {
        float x = random_share(), y = random_share();
        add(x, y, 0, (uint8_t)(i % 5));
        velocities[3 * (size_t)i] = random_share() * 3;
    }
    render_scene drawing = white_scene(0.05f), plain = render_default_scene();
    memcpy(drawing.species_colours, plain.species_colours, sizeof drawing.species_colours);
    drawing.fluids = 0;
    drawing.colour_by = RENDER_BY_SPECIES_AND_SPEED;
    return drawing;
}

/* The hash is the one that the program had before it drew fluids. */
static void beads_are_drawn_as_ever(void)
{
    render_scene drawing = random_scene();
    canvas *image = drawn(&drawing);
    if (!image) return;
    CHECK_EQ(picture_hash(image), 0xd247cb0c9c993f32u);
    canvas_free(image);
}

/* With nodes of one pixel and of several. */
static void fluids_have_the_same_pixels_with_every_compiler(void)
{
    static const uint64_t hashes[2] = {0x5c12e2b5ce4b8a07u, 0x0c576db865a4a2dau};
    for (int large = 0; large < 2; large++) {
        render_scene drawing = random_scene();
        drawing.fluids = 0xf;
        drawing.spacing = large ? 0.09f : 0.025f;
        canvas *image = drawn(&drawing);
        if (!image) return;
        test_note("spacing %g", (double)drawing.spacing);
        CHECK_EQ(picture_hash(image), hashes[large]);
        canvas_free(image);
    }
}

/* Only fluid particles on the left, only others on the right: each half is that of its own
   picture. */
static void particles_that_are_no_fluid_stay_beads(void)
{
    canvas *pictures[2];
    for (int mixed = 0; mixed < 2; mixed++) {
        particle_count = 0;
        for (int i = 0; i < 10; i++) {
            if (mixed) add(0.2f, 0.1f * (float)i, 0, 0);
            add(0.8f, 0.1f * (float)i, 0, 1);
        }
        render_scene drawing = white_scene(0.05f);
        pictures[mixed] = drawn(&drawing);
        if (!pictures[mixed]) return;
    }
    size_t left = 0, right = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        bool is_equal = memcmp(pictures[0]->pixels + 4 * i, pictures[1]->pixels + 4 * i, 4) == 0;
        if (!is_equal && i % SIDE < SIDE / 2) left++;
        if (!is_equal && i % SIDE >= SIDE / 2) right++;
    }
    CHECK(left > 500);
    CHECK_EQ(right, 0);
    canvas_free(pictures[0]);
    canvas_free(pictures[1]);
}

/* ---- 3D */

/* A ball of fluid, seen from the front: its outline is a circle, and the highlight is where the
   normal bisects the directions to the lamp and to the eye. */
static void a_ball_of_fluid_has_the_outline_and_the_light_of_a_sphere(void)
{
    const float spacing = 0.03f, radius = 0.314f, distance = 4;
    random_state = 3;
    particle_count = 0;
    add_ball(3, radius, spacing, 0.2f);
    render_scene drawing = white_scene(spacing);
    drawing.dimensions = 3;
    drawing.camera = (render_camera){0, 0, distance};
    drawing.species_colours[0] = 0x2060c0ff;
    drawing.bounds_min[1] = -4; /* the floor is far below */
    drawing.bounds_max[1] = 5;
    canvas *image = drawn(&drawing);
    if (!image) return;
    drawing.particle_count = 0;
    canvas *empty = drawn(&drawing);
    if (!empty) return;
    double area = 0, sum_x = 0, sum_y = 0, shine = 0, shine_x = 0, shine_y = 0;
    for (int32_t i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *pixel = image->pixels + 4 * i;
        if (memcmp(pixel, empty->pixels + 4 * i, 3) == 0) continue;
        area++;
        sum_x += i % SIDE;
        sum_y += i / SIDE;
        double red = pixel[0] > 150 ? pixel[0] - 150 : 0; /* the fluid is blue, the light white */
        shine += red;
        shine_x += red * (i % SIDE);
        shine_y += red * (i / SIDE);
    }
    CHECK(shine > 100);
    /* pixels of a unit at the centre: half the height is 0.3 of the distance */
    double unit = SIDE / 2 / 0.3 / (double)distance,
           wanted = unit * ((double)radius + 0.4 * (double)spacing);
    test_note("radius %g, wanted %g", sqrt(area / 3.14159265), wanted);
    CHECK_NEAR(sqrt(area / 3.14159265) / wanted, 1, 0.05);
    CHECK_NEAR(sum_x / area, SIDE / 2, 1);
    CHECK_NEAR(sum_y / area, SIDE / 2, 1);
    double length = sqrt(0.80 * 0.80 + 0.42 * 0.42 + 0.43 * 0.43), x = -0.42 / length,
           y = 0.80 / length, z = 0.43 / length + 1, half = sqrt(x * x + y * y + z * z);
    test_note("highlight of %g at %g, %g", shine, shine_x / shine, shine_y / shine);
    CHECK_NEAR((shine_x / shine - sum_x / area) / wanted, x / half, 0.1);
    CHECK_NEAR((shine_y / shine - sum_y / area) / wanted, -y / half, 0.1);
    canvas_free(image);
    canvas_free(empty);
}

/* Thickness: the ground is seen through one layer and hardly through ten. */
static void a_thicker_fluid_hides_more_of_what_is_behind_it(void)
{
    int32_t levels[3];
    for (int layers = 0; layers < 3; layers++) {
        particle_count = 0;
        for (int i = -15; i <= 15; i++)
            for (int j = -15; j <= 15; j++)
                for (int k = 0; k < (layers == 0 ? 0 : layers == 1 ? 1 : 12); k++)
                    add(0.5f + 0.03f * (float)i, 0.5f + 0.03f * (float)j, 0.7f - 0.03f * (float)k,
                        0);
        render_scene drawing = white_scene(0.03f);
        drawing.dimensions = 3;
        drawing.camera = (render_camera){0, 0, 4};
        drawing.background_top = drawing.background_bottom = 0xff0000ff;
        drawing.species_colours[0] = 0x2060c0ff;
        drawing.bounds_min[1] = -4;
        drawing.bounds_max[1] = 5;
        canvas *image = drawn(&drawing);
        if (!image) return;
        levels[layers] = image->pixels[((size_t)SIDE / 2 * SIDE + SIDE / 2) * 4];
        canvas_free(image);
    }
    test_note("red %d, %d, %d", (int)levels[0], (int)levels[1], (int)levels[2]);
    CHECK_EQ(levels[0], 255);
    CHECK(levels[1] < 225 && levels[1] > levels[2] + 50);
}

/* The upper edge of a block, seen from the front: bumps of its spheres would be 0.19 spacings. */
static void the_outline_of_a_block_is_straight(void)
{
    const float spacing = 0.06f;
    particle_count = 0;
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 4; k++)
                add(0.1f + spacing * (float)i, 0.1f + spacing * (float)j, 0.5f + spacing * (float)k,
                    0);
    render_scene drawing = white_scene(spacing);
    drawing.dimensions = 3;
    drawing.camera = (render_camera){0, 0, 2.2f};
    canvas *image = drawn(&drawing);
    if (!image) return;
    drawing.particle_count = 0;
    canvas *empty = drawn(&drawing);
    if (!empty) return;
    int32_t least = SIDE, most = 0;
    for (int32_t x = SIDE / 2 - 40; x < SIDE / 2 + 40; x++) {
        int32_t y = 0;
        size_t at = (size_t)x * 4;
        while (y < SIDE - 1 && memcmp(image->pixels + at, empty->pixels + at, 3) == 0)
            at += SIDE * 4, y++;
        least = y < least ? y : least;
        most = y > most ? y : most;
    }
    test_note("rows %d to %d", (int)least, (int)most);
    CHECK(least > 60 && most < SIDE - 60 && most - least <= 1);
    canvas_free(image);
    canvas_free(empty);
}

static void a_solid_in_front_of_a_fluid_hides_it(void)
{
    const render_shape ball = {.kind = RENDER_SPHERE, .a = {0.5f, 0.5f, 1.2f}, .radius = 0.1f};
    canvas *pictures[2];
    for (int with = 0; with < 2; with++) {
        particle_count = 0;
        if (with) add_ball(3, 0.3f, 0.03f, 0);
        render_scene drawing = white_scene(0.03f);
        drawing.dimensions = 3;
        drawing.camera = (render_camera){0, 0, 4};
        drawing.shapes = &ball;
        drawing.shape_count = 1;
        pictures[with] = drawn(&drawing);
        if (!pictures[with]) return;
    }
    /* the solid itself keeps its pixels in the middle, the fluid is around it */
    const uint8_t *a = pictures[0]->pixels, *b = pictures[1]->pixels;
    size_t middle = ((size_t)SIDE / 2 * SIDE + SIDE / 2) * 4, beside = middle + 22 * 4;
    for (size_t i = middle - 3 * 4; i < middle + 3 * 4; i++) CHECK_EQ(b[i], a[i]);
    CHECK(abs(a[beside + 2] - b[beside + 2]) > 30);
    canvas_free(pictures[0]);
    canvas_free(pictures[1]);
}

/* ---- all */

static void wild_fluids_draw_inside_the_picture(void)
{
    static const float wild[] = {NAN, INFINITY, -INFINITY, 3e38f, -1e9f, 0, 0.5f, 0.5f, 1};
    for (int kind = 0; kind < 24; kind++) {
        random_state = 100 + (uint32_t)kind;
        particle_count = 0;
        for (int i = 0; i < 60; i++) {
            uint32_t picks[3];
            for (int axis = 0; axis < 3; axis++) picks[axis] = (uint32_t)(random_share() * 9);
            add(wild[picks[0]], wild[picks[1]], wild[picks[2]], (uint8_t)i);
        }
        render_scene drawing = white_scene(kind % 3 == 0 ? 1e-6f : kind % 3 == 1 ? 0.1f : 50);
        drawing.dimensions = kind & 1 ? 3 : 2;
        drawing.fluids = kind & 2 ? 0xff : 5;
        drawing.colour_by = kind & 4 ? RENDER_BY_SPEED : RENDER_BY_SPECIES;
        if (kind & 8) drawing.particle_count = 0;
        canvas *image = canvas_create(33, 9);
        if (!CHECK(image != NULL)) return;
        test_note("kind %d", kind);
        CHECK_EQ(render_draw(&drawing, image), HOST_DONE);
        canvas_free(image);
    }
}

/* ---- what is drawn as a fluid */

static uint32_t fluids_of(const char *text)
{
    scene source;
    picture view;
    uint32_t fluids = UINT32_MAX;
    test_note("scene: %s", text);
    if (!CHECK(scene_parse(&source, "style.scene", ".", text) == HOST_DONE)) return fluids;
    if (CHECK(picture_open(&view, &source, 64, 48, false) == HOST_DONE)) {
        fluids = view.render.fluids;
        picture_close(&view);
    }
    scene_free(&source);
    return fluids;
}

#define HEAD "world\n dimensions = 2\n particles = 9\n"
#define TWO  "species a\n mass = 1\nspecies b\n mass = 1\n"

static void fluids_are_drawn_as_fluids_by_default(void)
{
    CHECK_EQ(fluids_of(HEAD " solver = sph\n"), 1);
    CHECK_EQ(fluids_of(HEAD " solver = sph\n" TWO), 3);
    CHECK_EQ(fluids_of(HEAD " solver = sph\n" TWO " tracer = yes\n"), 1);
    CHECK_EQ(fluids_of(HEAD " solver = sph\n" TWO "camera\n style = fluid\n"), 3);
    CHECK_EQ(fluids_of(HEAD " solver = sph\n" TWO "camera\n style = beads\n"), 0);
    CHECK_EQ(fluids_of(HEAD " solver = none\n"), 0);
    CHECK_EQ(fluids_of(HEAD " solver = pair\n integrator = kdk\n"), 0);
}

/* A ball in a corner of its bounds, flat and not, with each fifth point twice and lonely drops. */
static void the_spacing_is_that_of_the_points(void)
{
    enum { ROW = 16, ROOM = ROW * ROW * ROW + 16 };
    static float places[3 * (2 * ROOM)];
    for (int layers = 1; layers <= ROW; layers += ROW - 1) {
        size_t count = 0;
        for (int i = 0; i < ROW * ROW * layers; i++) {
            const float x[3] = {(float)(i % ROW), (float)(i / ROW % ROW), (float)(i / ROW / ROW)};
            float off[3] = {x[0] - 8, x[1] - 8, layers > 1 ? x[2] - 8 : 0};
            if (off[0] * off[0] + off[1] * off[1] + off[2] * off[2] > 64) continue;
            for (int twice = 0; twice < (i % 5 ? 1 : 2); twice++, count++)
                for (int k = 0; k < 3; k++) places[3 * count + (size_t)k] = 0.05f * x[k];
        }
        for (int lonely = 0; lonely < 5; lonely++, count++)
            for (int k = 0; k < 3; k++) places[3 * count + (size_t)k] = 10 + (float)(7 * lonely);
        CHECK_NEAR(render_spacing(places, count), 0.05, 1e-4);
        CHECK(render_spacing(places, 1) == 0 && render_spacing(places, 0) == 0);
    }
}

static const test_case cases[] = {
    TEST_CASE(the_spacing_is_that_of_the_points),
    TEST_CASE(a_disc_of_fluid_has_the_area_of_its_particles),
    TEST_CASE(a_flat_surface_is_flat),
    TEST_CASE(a_drop_of_one_particle_has_its_area),
    TEST_CASE(distant_drops_have_nothing_between_them),
    TEST_CASE(two_fluids_keep_their_colours_at_an_interface),
    TEST_CASE(fast_parts_of_a_fluid_have_the_colours_of_their_speed),
    TEST_CASE(beads_are_drawn_as_ever),
    TEST_CASE(fluids_have_the_same_pixels_with_every_compiler),
    TEST_CASE(particles_that_are_no_fluid_stay_beads),
    TEST_CASE(a_ball_of_fluid_has_the_outline_and_the_light_of_a_sphere),
    TEST_CASE(a_thicker_fluid_hides_more_of_what_is_behind_it),
    TEST_CASE(the_outline_of_a_block_is_straight),
    TEST_CASE(a_solid_in_front_of_a_fluid_hides_it),
    TEST_CASE(wild_fluids_draw_inside_the_picture),
    TEST_CASE(fluids_are_drawn_as_fluids_by_default),
};
TEST_SUITE(render_fluid, cases);
