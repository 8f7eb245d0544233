/* SPDX-License-Identifier: MIT
   tests/unit/test_lit.c - pictures in light: rays, soft shadows, a sky, patches, files of lights.
   reads   host_tools/render, host_tools/light      writes  short-lived files in build/
   memory  a few MB      cost    below a second
   after   rays beside a loop over all items; the share of a disc beyond an edge */
#include "../../host_tools/render/lit_private.h"
#include "../harness/test.h"
#include "common/host.h"
#include <stdlib.h>
#include <string.h>

#define SCRATCH "build/test_lit"

/* ---- rays */

static vec3 random_vector(uint32_t seed, float side)
{
    return vec3_of(side * (rays_share(rays_mix(seed, 1)) - .5f),
                   side * (rays_share(rays_mix(seed, 2)) - .5f),
                   side * (rays_share(rays_mix(seed, 3)) - .5f));
}

#define BALLS     60u
#define TRIANGLES 60u

typedef struct heap {
    vec3 centers[BALLS], corners[3 * TRIANGLES];
    ray_items items;
} heap;

static void fill(heap *of, float opacity)
{
    for (uint32_t i = 0; i < BALLS; i++) of->centers[i] = random_vector(i, 4);
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
        of->corners[i] = vec3_add(random_vector(1000 + i / 3, 4), random_vector(2000 + i, 1));
    of->items = (ray_items){of->centers, BALLS, .2f, opacity, of->corners, TRIANGLES};
}

/* A tree of one item is a loop over items. */
static bool cast_alone(const heap *of, const ray *from, ray_hit *nearest)
{
    nearest->distance = from->most;
    nearest->item = RAYS_NO_ITEM;
    for (uint32_t i = 0; i < BALLS + TRIANGLES; i++) {
        /* numbers of items choose clouds: keep the index of a ball */
        ray_items one = of->items;
        ray_hit hit;
        ray_tree tree;
        one.ball_count = i < BALLS ? i + 1 : 0;
        one.triangle_count = i < BALLS ? 0 : 1;
        if (i >= BALLS) one.corners = of->corners + 3 * (i - BALLS);
        uint32_t order = i < BALLS ? i : 0;
        ray_node node = {{-9, -9, -9}, {9, 9, 9}, 0, 1};
        tree = (ray_tree){one, &node, &order, 1};
        if (!rays_cast(&tree, from, &hit) || hit.distance >= nearest->distance) continue;
        *nearest = hit;
        nearest->item = i;
    }
    return nearest->item != RAYS_NO_ITEM;
}

static void rays_meet_what_a_loop_over_all_items_does(void)
{
    static heap of;
    for (uint32_t kind = 0; kind < 2; kind++) {
        ray_tree tree;
        uint32_t met = 0;
        fill(&of, kind ? .5f : 1);
        CHECK(rays_build(&tree, &of.items) == 0);
        for (uint32_t i = 0; i < 400; i++) {
            vec3 start = random_vector(i + 5000, 6);
            ray from = {start, vec3_sub(random_vector(i + 6000, 4), start), i % 3 ? 9 : .7f, i,
                        (ray_passes)(i % 5 % 3)};
            ray_hit own, other;
            bool does = rays_cast(&tree, &from, &own);
            CHECK(does == cast_alone(&of, &from, &other));
            if (does) CHECK(own.item == other.item && own.distance == other.distance);
            CHECK(rays_pass(&tree, &from, RAYS_NO_ITEM) == !does);
            met += does;
        }
        test_note("%u rays of 400 meet an item", met);
        CHECK(met > 60 && met < 340);
        rays_free(&tree);
    }
}

/* The middle of a cloud ends its opacity's share of rays, its rim none. */
static void clouds_end_their_share_of_rays(void)
{
    const vec3 center = {0, 0, 0};
    const ray_items items = {&center, 1, 1, .3f, NULL, 0};
    ray_tree tree;
    CHECK(rays_build(&tree, &items) == 0);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t ended = 0;
        float beside = k ? sqrtf(.5f) : 0;
        for (uint32_t i = 0; i < 20000; i++) {
            ray from = {{-5, beside, 0}, {1, 0, 0}, INFINITY, rays_mix(i, 3), RAY_PASSES_NONE};
            ended += !rays_pass(&tree, &from, RAYS_NO_ITEM);
        }
        CHECK_NEAR(ended / 20000.0, k ? .15 : .3, .012);
    }
    rays_free(&tree);
}

/* ---- light at a point */

static light_setup lamp_setup(void)
{
    light_setup setup = {.opacity = 1, .exposure = 1, .lamp_count = 1};
    setup.lamps[0] = (tp_light){{0, 4, 0}, .25f, {20, 10, 5}, 30, TP_LIGHT_TANGENT};
    return setup;
}

/* The mean of many samples on the ground, at (x, 0, 0). */
static vec3 mean_light(const light_setup *setup, const ray_tree *tree, float x, bool has_normal)
{
    const vec3 up = {0, 1, 0};
    lit_point point = {{x, 0, 0}, has_normal ? &up : NULL, RAYS_NO_ITEM, 1e-4f};
    vec3 sum = {0, 0, 0};
    enum { N = 4096 };
    for (uint32_t i = 0; i < N; i++) {
        uint32_t dice[4]; /* even points: an additive recurrence */
        dice[0] = 0xc13fa9a9u * i, dice[1] = 0x91e10da5u * i;
        dice[2] = 0xc13fa9a9u * i + 77u, dice[3] = 0x91e10da5u * i + 99u;
        sum = vec3_along(sum, lit_sample(setup, tree, &point, dice), 1.0f / N);
    }
    return sum;
}

static void light_without_shadow_is_that_of_the_runtime(void)
{
    light_setup setup = lamp_setup();
    ray_tree tree;
    const ray_items none = {.opacity = 1};
    CHECK(rays_build(&tree, &none) == 0);
    for (uint32_t k = 0; k < 2; k++) {
        tp_lighting lighting = {setup.lamps, 1, NULL, NULL};
        const tp_vector at = {1.5f, 0, 0}, up = {0, 1, 0};
        tp_vector light;
        CHECK(tp_light_points(&lighting, &at, k ? &up : NULL, 1, 0, NULL, &light) == TP_OK);
        vec3 mean = mean_light(&setup, &tree, 1.5f, k == 1);
        CHECK(light.x > 0);
        CHECK_NEAR(mean.x, light.x, 1e-4 * (double)light.x);
        CHECK_NEAR(mean.z, light.z, 1e-4 * (double)light.z);
    }
    rays_free(&tree);
}

/* A half plane at half the height of the lamp, with its edge above x = 0: from (x, 0, 0) the edge
   is at the angle of -x / 2 from the vertical, and hides the part of the lamp beyond it. */
static void shadows_are_as_soft_as_the_lamp_is_large(void)
{
    light_setup setup = lamp_setup();
    const vec3 corners[6] = {{0, 2, -99}, {0, 2, 99},  {99, 2, 99},
                             {0, 2, -99}, {99, 2, 99}, {99, 2, -99}};
    const ray_items items = {.opacity = 1, .corners = corners, .triangle_count = 2};
    ray_tree tree;
    tp_lighting lighting = {setup.lamps, 1, NULL, NULL};
    const tp_vector up = {0, 1, 0};
    CHECK(rays_build(&tree, &items) == 0);
    for (int k = -6; k <= 6; k++) {
        float x = .05f * (float)k;
        tp_vector at = {x, 0, 0}, light;
        CHECK(tp_light_points(&lighting, &at, &up, 1, 0, NULL, &light) == TP_OK);
        /* distance of the lamp's center from the plane through the point and the edge, in radii:
           the lamp shines where x < 0 */
        double away = (4 * -(double)x - 2 * -(double)x) / hypot((double)x, 2) / .25;
        double share = away >= 1 ? 1
                       : away <= -1
                           ? 0
                           : 1 - (acos(away) - away * sqrt(1 - away * away)) / 3.14159265358979;
        double own = (double)mean_light(&setup, &tree, x, true).x / (double)light.x;
        CHECK_NEAR(own, share, .012);
    }
    rays_free(&tree);
}

static void a_wall_hides_its_half_of_the_sky(void)
{
    light_setup setup = {.opacity = 1, .exposure = 1, .has_sky = true};
    const tp_vector up = {0, 1, 0}, white = {1, 1, 1}, black = {0, 0, 0};
    const vec3 corners[3] = {{0, -1e5f, -2e5f}, {0, -1e5f, 2e5f}, {0, 3e5f, 0}};
    ray_items items = {.opacity = 1, .corners = corners};
    ray_tree tree;
    tp_sh_add_sky(&setup.sky, up, white, white);
    for (uint32_t walls = 0; walls < 2; walls++) {
        items.triangle_count = walls;
        CHECK(rays_build(&tree, &items) == 0);
        CHECK_NEAR(mean_light(&setup, &tree, -1e-2f, true).y, 3.14159 / (1 + walls), .02);
        CHECK_NEAR(mean_light(&setup, &tree, -1e-2f, false).y, 3.14159 / (1 + walls), .02);
        rays_free(&tree);
    }
    (void)black;
}

/* ---- files of lights */

static void write_text(const char *path, const char *text)
{
    CHECK(host_write_file(path, text, strlen(text)) == HOST_DONE);
}

static int load(const char *text, light_setup *setup)
{
    write_text(SCRATCH ".light", text);
    return light_setup_load(setup, SCRATCH ".light");
}

#define GOOD_LAMP "lamp\n position = 1 2 3\n radius = 10 cm\n radiance = 4 2 1\n"

static void files_of_lights_are_read(void)
{
    light_setup setup;
    write_text(SCRATCH ".obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\n");
    CHECK(load("# lights\n" GOOD_LAMP " window = tangent # as in the guide\n threshold = 0.01\n"
               "sky\n above = 1 2 3\n below = 0 0 0\nsurface\n mesh = test_lit.obj\n size = 1\n"
               "particles\n albedo = .1 .2 .3\n opacity = .25\npicture\n exposure = 2\n" GOOD_LAMP,
               &setup) == HOST_DONE);
    CHECK(setup.lamp_count == 2 && setup.lamps[0].position.z == 3 && setup.lamps[0].radius == .1f);
    CHECK(setup.lamps[0].window == TP_LIGHT_TANGENT && setup.lamps[1].window == TP_LIGHT_RATIONAL);
    CHECK(setup.lamps[0].reach == tp_light_reach(.1f, 4, .01f));
    CHECK(setup.lamps[1].reach == tp_light_reach(.1f, 4, .005f));
    CHECK(setup.has_sky && setup.surface_count == 4 && setup.patches.count == 0);
    CHECK(setup.has_albedo && setup.albedo.y == .2f && setup.opacity == .25f);
    CHECK(setup.exposure == 2);
    light_setup_free(&setup);
    remove(SCRATCH ".obj");
}

typedef struct heard {
    host_listener listener;
    uint64_t line;
    char text[200];
} heard;

static void hear(host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                 const char *text)
{
    heard *to = (heard *)(void *)listener;
    (void)kind, (void)file;
    to->line = offset;
    snprintf(to->text, sizeof to->text, "%s", text);
}

static void faults_in_files_of_lights_name_their_line(void)
{
    static const struct {
        const char *text;
        uint64_t line;
        const char *fault;
    } rows[] = {
        {"", HOST_NO_OFFSET, "neither a lamp nor a sky"},
        {"lmap\n", 1, "unknown section 'lmap'"},
        {"radius = 1\n", 1, "expected a section"},
        {"lamp\n radius = 1\n", 1, "a lamp needs"},
        {"lamp\n radius = 1\n\n radius = 1\n", 4, "given twice"},
        {"lamp\n radius = -1\n", 2, "field 'radius': allowed: 1 number of 0.0001 to 1e+06"},
        {"lamp\n position = 1 2\n", 2, "field 'position': allowed: 3 numbers"},
        {"lamp\n positoin = 1 2 3\n", 2, "see 'position'"},
        {GOOD_LAMP " window = round\n", 1, "window: allowed"},
        {GOOD_LAMP " threshold = 5\n", 1, "must exceed its threshold"},
        {"sky\nsky\n", 2, "given twice"},
        {"surface\n", 1, "needs a mesh"},
        {"surface\n mesh =\n", 2, "field 'mesh': allowed"},
        {"particles\n opacity = 2\n", 2, "field 'opacity'"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        heard to = {.listener = {.take = hear}};
        light_setup setup;
        host_listen_begin(&to.listener);
        CHECK_EQ(load(rows[k].text, &setup), HOST_BAD_INPUT);
        host_listen_end();
        bool is_told = to.line == rows[k].line && strstr(to.text, rows[k].fault) != NULL;
        if (!CHECK(is_told))
            test_note("row %zu: line %llu: %s", k, (unsigned long long)to.line, to.text);
    }
    remove(SCRATCH ".light");
}

/* ---- pictures */

/* A room that is open to +z: a white floor and back, a red wall at its left, a white one at its
   right; a lamp below the middle of the ceiling, and no ceiling. */
static const char room_mesh[] = "mtllib test_lit.mtl\n"
                                "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\n"
                                "v -1 2 -1\nv 1 2 -1\nv 1 2 1\nv -1 2 1\n"
                                "usemtl white\nf 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\n"
                                "usemtl red\nf 4 1 5 8\n";
static const char room_lights[] = "lamp\n position = 0 1.6 0\n radius = 0.15\n radiance = 9 9 9\n"
                                  "surface\n mesh = test_lit.obj\n size = 0.25\n"
                                  " patches = test_lit.tpl\n";

static void make_room(void)
{
    light_options options = light_default_options();
    light_patch *patches;
    uint8_t *bytes;
    uint32_t count;
    size_t size;
    options.is_quiet = true;
    options.probes = .5;
    write_text(SCRATCH ".mtl", "newmtl white\nKd .7 .7 .7\nnewmtl red\nKd .7 .03 .03\n");
    write_text(SCRATCH ".obj", room_mesh);
    write_text(SCRATCH ".light", room_lights);
    CHECK(light_read_mesh(SCRATCH ".obj", .25, TP_PATCHES_MAX, &patches, &count) == HOST_DONE);
    CHECK(light_build(patches, count, &options, &bytes, &size) == HOST_DONE);
    CHECK(host_write_file(SCRATCH ".tpl", bytes, size) == HOST_DONE);
    free(patches);
    free(bytes);
}

static void remove_room(void)
{
    remove(SCRATCH ".mtl");
    remove(SCRATCH ".obj");
    remove(SCRATCH ".light");
    remove(SCRATCH ".tpl");
}

static render_scene room_scene(const float *positions, size_t count)
{
    render_scene scene = render_default_scene();
    scene.dimensions = 3;
    scene.up_axis = 1;
    for (int k = 0; k < 3; k++)
        scene.bounds_min[k] = k == 1 ? 0 : -1, scene.bounds_max[k] = k == 1 ? 2 : 1;
    scene.camera = (render_camera){0, 12, 0};
    scene.positions = positions;
    scene.particle_count = count;
    scene.radius = .3f;
    return scene;
}

/* Sum of the channel of a part of the picture. */
static double sum_of(const canvas *of, double left, double right, double top, double bottom,
                     int channel)
{
    double sum = 0;
    for (int32_t y = (int32_t)(top * of->height); y < (int32_t)(bottom * of->height); y++)
        for (int32_t x = (int32_t)(left * of->width); x < (int32_t)(right * of->width); x++)
            sum += canvas_at(of, x, y)[channel];
    return sum;
}

static const float ball[3] = {.45f, .3f, .2f};

/* The floor beside a red wall is reddish, beside a white one gray; the ball casts a shadow, and the
   picture is noisy at its rim, not where light is even; equal calls give equal pixels. */
static void a_lit_room_has_the_color_of_its_walls(void)
{
    light_setup setup;
    lit_room *room = NULL;
    make_room();
    CHECK(light_setup_load(&setup, SCRATCH ".light") == HOST_DONE);
    CHECK(lit_open(&room, &setup) == HOST_DONE);
    render_scene scene = room_scene(ball, 1);
    canvas *picture = canvas_create(96, 96), *noise = canvas_create(96, 96),
           *again = canvas_create(96, 96);
    lit_options options = {.plan = lit_plan(4, 96 * 96, false), .is_quiet = true};
    CHECK(lit_draw(room, &scene, &options, picture, noise) == HOST_DONE);
    CHECK(lit_draw(room, &scene, &options, again, NULL) == HOST_DONE);
    CHECK(memcmp(picture->pixels, again->pixels, 96 * 96 * 4) == 0);
    double red = sum_of(picture, .2, .3, .74, .8, 0), green = sum_of(picture, .2, .3, .74, .8, 1);
    CHECK(red > 1.03 * green && green > 0);
    red = sum_of(picture, .7, .8, .3, .5, 0), green = sum_of(picture, .7, .8, .3, .5, 1);
    CHECK(red < 1.1 * green && red > 0);
    CHECK(sum_of(noise, 0, 1, 0, 1, 0) > 0);
    /* fast: labelled */
    options.plan = lit_plan(4, 96 * 96, true);
    CHECK(lit_draw(room, &scene, &options, again, NULL) == HOST_DONE);
    CHECK(memcmp(picture->pixels, again->pixels, 96 * 96 * 4) != 0);
    CHECK(sum_of(again, .05, .3, .87, .97, 2) > 1.2 * sum_of(picture, .05, .3, .87, .97, 2));
    canvas_free(picture);
    canvas_free(noise);
    canvas_free(again);
    lit_close(room);
    light_setup_free(&setup);
    remove_room();
}

/* Pale text before the night, dark text before a bright sky. */
static void labels_are_read_on_any_sky(void)
{
    for (uint32_t bright = 0; bright < 2; bright++) {
        light_setup setup;
        lit_room *room = NULL;
        int least = 255, most = 0;
        CHECK(load(bright ? "sky\n above = 1 1 1\n below = 1 1 1\n" : GOOD_LAMP, &setup) ==
              HOST_DONE);
        CHECK(lit_open(&room, &setup) == HOST_DONE);
        render_scene scene = room_scene(ball, 1);
        scene.title = "title";
        canvas *picture = canvas_create(96, 96);
        lit_options options = {.plan = lit_plan(1, 96 * 96, false), .is_quiet = true};
        CHECK(lit_draw(room, &scene, &options, picture, NULL) == HOST_DONE);
        for (int32_t y = 5; y < 16; y++)
            for (int32_t x = 5; x < 40; x++) {
                int level = canvas_at(picture, x, y)[1];
                if (level < least) least = level;
                if (level > most) most = level;
            }
        test_note("levels %d to %d", least, most);
        CHECK(most - least > 120);
        canvas_free(picture);
        lit_close(room);
        light_setup_free(&setup);
    }
    remove(SCRATCH ".light");
}

/* Another mesh, or another size. */
static void patches_of_another_mesh_are_refused(void)
{
    host_listener deaf;
    light_setup setup;
    make_room();
    write_text(SCRATCH ".light", "sky\n above = 1 1 1\nsurface\n mesh = test_lit.obj\n size = 0.5\n"
                                 " patches = test_lit.tpl\n");
    host_listen_to_nothing(&deaf);
    CHECK_EQ(light_setup_load(&setup, SCRATCH ".light"), HOST_BAD_INPUT);
    write_text(SCRATCH ".light", room_lights);
    write_text(SCRATCH ".tpl", "TPL");
    CHECK_EQ(light_setup_load(&setup, SCRATCH ".light"), HOST_BAD_INPUT);
    host_listen_end();
    remove_room();
}

/* The call that makes them, with the file and the size of the surface. */
static void missing_patches_are_told_with_the_call_that_makes_them(void)
{
    heard to = {.listener = {.take = hear}};
    light_setup setup;
    make_room();
    remove(SCRATCH ".tpl");
    host_listen_begin(&to.listener);
    CHECK_EQ(light_setup_load(&setup, SCRATCH ".light"), HOST_IO);
    host_listen_end();
    test_note("%s", to.text);
    CHECK(strstr(to.text, "tidepool light build/test_lit.obj --size 0.25 --probes 0.5 --out "
                          "build/test_lit.tpl") != NULL);
    remove_room();
}

static const test_case cases[] = {
    TEST_CASE(rays_meet_what_a_loop_over_all_items_does),
    TEST_CASE(clouds_end_their_share_of_rays),
    TEST_CASE(light_without_shadow_is_that_of_the_runtime),
    TEST_CASE(shadows_are_as_soft_as_the_lamp_is_large),
    TEST_CASE(a_wall_hides_its_half_of_the_sky),
    TEST_CASE(files_of_lights_are_read),
    TEST_CASE(faults_in_files_of_lights_name_their_line),
    TEST_CASE(a_lit_room_has_the_color_of_its_walls),
    TEST_CASE(labels_are_read_on_any_sky),
    TEST_CASE(patches_of_another_mesh_are_refused),
    TEST_CASE(missing_patches_are_told_with_the_call_that_makes_them),
};
TEST_SUITE(lit, cases);
