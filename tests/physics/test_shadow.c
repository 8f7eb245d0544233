/* SPDX-License-Identifier: MIT
   tests/physics/test_shadow.c - the shadow of particles, and light at particles.
   reads   runtime/light/shadow.c, particles.c      writes  nothing
   memory  malloc      cost    below a second
   after   the exact depth of an even block; the line integral of the interpolated density in double
           precision */
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 16, LIGHTS = 3 };

typedef struct shadow_scene {
    test_world made;
    tp_world *world;
    tp_shadow shadow;
    tp_light lights[LIGHTS];
    uint32_t mass[NODES * NODES * NODES];
    float through[LIGHTS * NODES * NODES * NODES];
} shadow_scene;

static tp_world *empty_world(shadow_scene *scene, uint32_t dimensions)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = 6000;
    def.species_count = 2;
    def.species[0].mass = 0.002f;
    def.species[1].mass = 0.001f;
    memset(scene, 0, sizeof *scene);
    scene->made = test_world_make(&def);
    scene->world = scene->made.world;
    scene->shadow = (tp_shadow){.low = {-1, -1, -1},
                                .spacing = 0.125f,
                                .columns = NODES,
                                .rows = NODES,
                                .layers = dimensions == 3 ? NODES : 1u,
                                .extinction = 2,
                                .species_mask = ~0u,
                                .lights_max = LIGHTS,
                                .mass = scene->mass,
                                .through = scene->through};
    for (uint32_t k = 0; k < LIGHTS; k++)
        scene->lights[k] = (tp_light){{0, 3, 0}, .2f, {1, 1, 1}, 9, TP_LIGHT_RATIONAL};
    return scene->world;
}

static void add(shadow_scene *scene, tp_vector at, uint32_t species)
{
    CHECK(tp_particle_add(scene->world, at, (tp_vector){0, 0, 0}, species, NULL) == TP_OK);
}

/* A cloud of two species, denser on one side, some outside of the grid. */
static void add_cloud(shadow_scene *scene, uint32_t count)
{
    uint32_t state = 11;
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = test_random_position(&state, 1.1f);
        at.x = at.x * at.x - .5f;
        if (scene->shadow.layers == 1) at.z = 0;
        add(scene, at, i & 1u);
    }
}

static float *node(shadow_scene *scene, uint32_t light, uint32_t x, uint32_t y, uint32_t z)
{
    const tp_shadow *of = &scene->shadow;
    uint32_t index = (z * of->rows + y) * of->columns + x;
    return &scene->through[index * of->light_count + light];
}

/* A particle on each node of the lower half: the light from far above gets through e^-depth. */
static void an_even_block_dims_by_its_depth(void)
{
    static shadow_scene scene;
    empty_world(&scene, 3);
    for (uint32_t i = 0; i < NODES * NODES * NODES / 2; i++)
        add(&scene,
            (tp_vector){-1 + .125f * (float)(i % 16), -1 + .125f * (float)(i / 16 % 8),
                        -1 + .125f * (float)(i / 128)},
            0);
    scene.lights[0].position = (tp_vector){0, 1e6f, 0};
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
    double density = .002 / (.125 * .125 * .125);
    for (uint32_t y = 0; y < NODES; y++) {
        double depth = y >= 8 ? 0 : 2 * density * .125 * (7 - y + .5);
        for (uint32_t x = 0; x < NODES; x += 5)
            CHECK_NEAR(*node(&scene, 0, x, y, 3 + x / 2), exp(-depth), 1e-4);
    }
    test_world_free(&scene.made);
}

/* ---- against the line integral ---- */

static double density_at(const shadow_scene *scene, const double at[3])
{
    double sum = 0, x = (at[0] + 1) * 8, y = (at[1] + 1) * 8, z = (at[2] + 1) * 8;
    int i = (int)floor(x), j = (int)floor(y), k = (int)floor(z);
    for (int n = 0; n < 8; n++) {
        int a = i + (n & 1), b = j + (n >> 1 & 1), c = k + (n >> 2);
        if (a < 0 || b < 0 || c < 0 || a >= NODES || b >= NODES || c >= NODES) continue;
        double weight = (1 - fabs(x - a)) * (1 - fabs(y - b)) * (1 - fabs(z - c));
        sum += weight * scene->mass[(c * NODES + b) * NODES + a];
    }
    return sum / 65536 * .002 / (.125 * .125 * .125);
}

static double through_by_steps(const shadow_scene *scene, const double from[3], tp_vector light)
{
    double way[3] = {light.x - from[0], light.y - from[1], light.z - from[2]}, depth = 0;
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    double end = fmin(length, 4);
    for (int k = 0; k < 400; k++) {
        double at[3], s = end * (k + .5) / 400 / length;
        for (int axis = 0; axis < 3; axis++) at[axis] = from[axis] + s * way[axis];
        depth += density_at(scene, at) * end / 400;
    }
    return exp(-(double)scene->shadow.extinction * depth);
}

/* A particle or two per node: the hardest density, as the depth is interpolated plane by plane. */
static void shadows_are_near_the_integral_along_the_way(void)
{
    static const tp_vector places[LIGHTS] = {{.3f, 2.5f, -.2f}, {-5, 1, .7f}, {.21f, .13f, -.33f}};
    static shadow_scene scene;
    empty_world(&scene, 3);
    add_cloud(&scene, 5000);
    for (uint32_t k = 0; k < LIGHTS; k++) scene.lights[k].position = places[k];
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, LIGHTS, 0) == TP_OK);
    for (uint32_t l = 0; l < LIGHTS; l++) {
        double sum = 0, most = 0;
        uint32_t count = 0;
        for (uint32_t i = 0; i < NODES * NODES * NODES; i += 7, count++) {
            uint32_t x = i % 16, y = i / 16 % 16, z = i / 256;
            const double from[3] = {-1 + .125 * x, -1 + .125 * y, -1 + .125 * z};
            double error =
                fabs(*node(&scene, l, x, y, z) - through_by_steps(&scene, from, places[l]));
            sum += error;
            most = fmax(most, error);
        }
        test_note("light %u: mean %g, most %g", l, sum / count, most);
        CHECK(sum / count < .03 && most < .25);
    }
    test_world_free(&scene.made);
}

/* ---- order ---- */

/* A node that was read before it was computed would be no number. Lights inside, on nodes and
   planes, on diagonals, outside, far away. */
static void every_node_is_computed_before_it_is_read(void)
{
    static const float places[9] = {-1e9f, -7, -1, -.99f, .0625f, .125f, .13f, 1, 41.3f};
    static shadow_scene scene;
    uint32_t state = 3;
    empty_world(&scene, 3);
    add_cloud(&scene, 1000);
    for (uint32_t n = 0; n < 9 * 9 * 9 + 300; n++) {
        tp_vector at = {places[n % 9], places[n / 9 % 9], places[n / 81 % 9]};
        if (n >= 729) at = test_random_position(&state, n % 2 ? 1.2f : 3000.0f);
        scene.shadow.columns = 1 + n % 16;
        scene.shadow.rows = 1 + n * 7 % 16;
        scene.shadow.layers = 1 + n * 5 % 9;
        scene.lights[0].position = at;
        memset(scene.through, 0xff, sizeof scene.through);
        CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
        uint32_t nodes = scene.shadow.columns * scene.shadow.rows * scene.shadow.layers, bad = 0;
        for (uint32_t i = 0; i < nodes; i++)
            bad += !(scene.through[i] > 0 && scene.through[i] <= 1);
        CHECK_EQ(bad, 0);
        CHECK(isnan(scene.through[nodes]));
    }
    test_world_free(&scene.made);
}

/* ---- slices ---- */

static void shadows_have_the_same_bits_in_any_slices(void)
{
    static shadow_scene scene;
    static float whole[sizeof scene.through / sizeof(float)];
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        empty_world(&scene, dimensions);
        add_cloud(&scene, 900);
        scene.lights[1].position = (tp_vector){-2, .1f, .5f};
        scene.lights[2].position = (tp_vector){.1f, .2f, .3f};
        CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, LIGHTS, 0) == TP_OK);
        memcpy(whole, scene.through, sizeof whole);
        uint64_t all = scene.shadow.units;
        for (uint32_t units = 1; units < 3000; units = units * 5 + 2) {
            tp_lighting lighting = {scene.lights, LIGHTS, NULL, &scene.shadow};
            tp_vector to[1000];
            uint64_t sum = 0;
            memset(scene.through, 0xff, sizeof scene.through);
            tp_result result;
            do {
                result = tp_shadow_update(&scene.shadow, scene.world, scene.lights, LIGHTS, units);
                sum += scene.shadow.units;
                CHECK(scene.shadow.units <= units + NODES);
                CHECK(scene.shadow.is_ready == (result == TP_OK));
                CHECK(tp_light_particles(scene.world, &lighting, 0, NULL, to, 1000) ==
                      (result == TP_OK ? TP_OK : TP_ERROR_EMPTY));
            } while (result == TP_MORE);
            uint32_t nodes = LIGHTS * NODES * NODES * (dimensions == 3 ? NODES : 1u);
            CHECK(result == TP_OK && memcmp(whole, scene.through, nodes * sizeof(float)) == 0);
            CHECK_EQ(sum, all);
        }
        test_world_free(&scene.made);
    }
}

/* The mass of a step, not of two. */
static void a_world_that_changes_begins_the_mass_again(void)
{
    static shadow_scene scene;
    static uint32_t wanted[NODES * NODES];
    empty_world(&scene, 2);
    add_cloud(&scene, 200);
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 60) == TP_MORE);
    test_world_gravity(scene.world, 9.81f);
    test_world_frames(scene.world, 20);
    while (tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 60) == TP_MORE) continue;
    memcpy(wanted, scene.mass, sizeof wanted);
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
    CHECK(memcmp(wanted, scene.mass, sizeof wanted) == 0);
    test_world_free(&scene.made);
}

/* A game that rolls back comes to as many changes with fewer particles. */
static void a_world_with_as_many_changes_and_fewer_particles_begins_anew(void)
{
    static shadow_scene scene;
    static uint32_t wanted[NODES * NODES];
    empty_world(&scene, 2);
    add_cloud(&scene, 200);
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 600) == TP_MORE);
    CHECK(scene.shadow.at > 60);
    scene.world->count = 60;
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
    memcpy(wanted, scene.mass, sizeof wanted);
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
    CHECK(memcmp(wanted, scene.mass, sizeof wanted) == 0);
    scene.world->count = 200;
    test_world_free(&scene.made);
}

static void a_shadow_of_one_light_goes_with_more(void)
{
    static shadow_scene scene;
    tp_vector point = {0, 0, 0}, color;
    empty_world(&scene, 2);
    add_cloud(&scene, 20);
    scene.shadow.lights_max = 1;
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
    tp_lighting lighting = {scene.lights, LIGHTS, NULL, &scene.shadow};
    CHECK_EQ(tp_light_points(&lighting, &point, NULL, 1, 0, NULL, &color), TP_OK);
    test_world_free(&scene.made);
}

/* ---- light at particles ---- */

static uint32_t hash_of(const tp_vector *colors, uint32_t count)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t words[3];
        memcpy(words, &colors[i], sizeof words);
        for (uint32_t k = 0; k < 3; k++) hash = (hash ^ words[k]) * 16777619u;
    }
    return hash;
}

/* The hashes are those of every vector width and machine. */
static void particles_are_lit_as_points_are(void)
{
    static const uint32_t hashes[2] = {0x114e162au, 0x8b2390b2u};
    static shadow_scene scene;
    static tp_vector points[1000], one[1000], other[1000];
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        empty_world(&scene, dimensions);
        add_cloud(&scene, 777);
        tp_sh sky = {0};
        tp_sh_add_sky(&sky, (tp_vector){0, 1, 0}, (tp_vector){.001f, 0, 0}, (tp_vector){0, 0, 0});
        tp_lighting lighting = {scene.lights, LIGHTS, &sky, NULL};
        tp_view view = tp_world_view(scene.world);
        double open = 0, shaded = 0;
        for (uint32_t i = 0; i < view.count; i++)
            points[i] = (tp_vector){view.x[i], view.y[i], dimensions == 3 ? view.z[i] : 0};
        CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, LIGHTS, 0) == TP_OK);
        for (uint32_t kind = 0; kind < 2; kind++) {
            uint32_t done = 0;
            lighting.shadow = kind ? &scene.shadow : NULL;
            CHECK(tp_light_points(&lighting, points, NULL, 777, 0, NULL, one) == TP_OK);
            while (tp_light_particles(scene.world, &lighting, 41, &done, other, 777) == TP_MORE)
                CHECK(done < 777);
            CHECK(done == 777 && memcmp(one, other, 777 * sizeof *one) == 0);
            for (uint32_t i = 0; i < 777; i++) *(kind ? &shaded : &open) += (double)one[i].x;
        }
        CHECK_EQ(hash_of(one, 777), hashes[dimensions - 2u]);
        CHECK(shaded < .995 * open && shaded > .2 * open);
        uint32_t done = 0;
        CHECK(tp_light_particles(scene.world, &lighting, 0, NULL, other, 776) == TP_ERROR_FULL);
        CHECK(tp_light_particles(NULL, &lighting, 0, NULL, other, 777) == TP_ERROR_NULL);
        CHECK(tp_light_particles(scene.world, NULL, 0, NULL, other, 777) == TP_ERROR_NULL);
        CHECK(tp_light_particles(scene.world, &lighting, 1, NULL, other, 777) == TP_ERROR_NULL);
        CHECK(tp_light_particles(scene.world, &lighting, 0, &done, NULL, 777) == TP_ERROR_NULL);
        test_world_free(&scene.made);
    }
}

/* What gets through to a point is the mean of the nodes around it; outside, of the rim. */
static void points_between_nodes_get_their_mean(void)
{
    static shadow_scene scene;
    empty_world(&scene, 3);
    scene.lights[0].position = (tp_vector){0, 2, 0};
    scene.lights[0].window = TP_LIGHT_ENDLESS;
    CHECK(tp_shadow_update(&scene.shadow, scene.world, scene.lights, 1, 0) == TP_OK);
    for (uint32_t i = 0; i < NODES * NODES * NODES; i++)
        scene.through[i] =
            (float)(i % 16) / 32 + (float)(i / 16 % 16) / 64 + (float)(i / 256) / 128;
    uint32_t state = 8;
    for (uint32_t n = 0; n < 100; n++) {
        tp_vector at = test_random_position(&state, 1.3f), to[2];
        tp_lighting lighting = {scene.lights, 1, NULL, NULL};
        CHECK(tp_light_points(&lighting, &at, NULL, 1, 0, NULL, &to[0]) == TP_OK);
        lighting.shadow = &scene.shadow;
        CHECK(tp_light_points(&lighting, &at, NULL, 1, 0, NULL, &to[1]) == TP_OK);
        double x = fmin(fmax(8 * at.x + 8, 0), 15), y = fmin(fmax(8 * at.y + 8, 0), 15);
        double z = fmin(fmax(8 * at.z + 8, 0), 15);
        CHECK_NEAR(to[1].x, to[0].x * (x / 32 + y / 64 + z / 128), 1e-5 * to[0].x);
    }
    test_world_free(&scene.made);
}

static void bad_shadows_are_refused(void)
{
    static shadow_scene scene;
    tp_shadow bad[10];
    empty_world(&scene, 2);
    for (uint32_t k = 0; k < 10; k++) bad[k] = scene.shadow;
    bad[0].low.x = NAN;
    bad[1].spacing = 0;
    bad[2].columns = 0;
    bad[3].rows = 1025;
    bad[4].layers = 2; /* of a world in 2D */
    bad[5].extinction = -1;
    bad[6].lights_max = 2;
    bad[7].lights_max = TP_LIGHTS_MAX + 1u;
    bad[8].mass = NULL;
    bad[9].through = NULL;
    for (uint32_t k = 0; k < 10; k++)
        CHECK(tp_shadow_update(&bad[k], scene.world, scene.lights, LIGHTS, 0) ==
              (k < 8 ? TP_ERROR_QUERY : TP_ERROR_NULL));
    tp_shadow *shadow = &scene.shadow;
    CHECK(tp_shadow_update(NULL, scene.world, scene.lights, LIGHTS, 0) == TP_ERROR_NULL);
    CHECK(tp_shadow_update(shadow, NULL, scene.lights, LIGHTS, 0) == TP_ERROR_NULL);
    CHECK(tp_shadow_update(shadow, scene.world, NULL, LIGHTS, 0) == TP_ERROR_NULL);
    CHECK(tp_shadow_update(shadow, scene.world, NULL, 0, 0) == TP_OK && shadow->is_ready);
    scene.lights[1].radius = 0;
    CHECK(tp_shadow_update(shadow, scene.world, scene.lights, LIGHTS, 0) == TP_ERROR_QUERY);
    test_world_free(&scene.made);
}

static const test_case cases[] = {
    TEST_CASE(an_even_block_dims_by_its_depth),
    TEST_CASE(shadows_are_near_the_integral_along_the_way),
    TEST_CASE(every_node_is_computed_before_it_is_read),
    TEST_CASE(shadows_have_the_same_bits_in_any_slices),
    TEST_CASE(a_world_that_changes_begins_the_mass_again),
    TEST_CASE(a_world_with_as_many_changes_and_fewer_particles_begins_anew),
    TEST_CASE(a_shadow_of_one_light_goes_with_more),
    TEST_CASE(particles_are_lit_as_points_are),
    TEST_CASE(points_between_nodes_get_their_mean),
    TEST_CASE(bad_shadows_are_refused),
};
TEST_SUITE(shadow, cases);
