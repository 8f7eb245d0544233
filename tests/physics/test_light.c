/* SPDX-License-Identifier: MIT
   tests/physics/test_light.c - spherical lights: the law of attenuation, reach, windows, many
           points.
   reads   runtime/light/sphere.c      writes  nothing
   memory  some arrays      cost    below a second
   after   irradiance of a uniform sphere by quadrature in double precision; tables computed for
           these tests */
#include "test.h"
#include "tidepool.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static tp_light light_of(float radius, float reach, tp_light_window window)
{
    return (tp_light){{0, 0, 0}, radius, {1, 1, 1}, reach, window};
}

/* ---- the law ---- */

static void attenuation_is_that_of_the_table(void)
{
    static const double distances[6] = {0, .5, 1, 2, 4, 9};
    static const double law[6] = {1, .444444, .25, .111111, .04, .01};
    for (uint32_t scale = 0; scale < 3; scale++) {
        float r = scale == 0 ? 1.0f : scale == 1 ? 0.01f : 250.0f;
        tp_light light = light_of(r, 100, TP_LIGHT_ENDLESS);
        for (uint32_t k = 0; k < 6; k++) {
            double d = distances[k] * r;
            CHECK_NEAR(tp_light_falloff(&light, (float)d), law[k], 1e-6);
            /* constant, linear and quadratic coefficient 1, 2 / r, 1 / r^2 */
            CHECK_NEAR(tp_light_falloff(&light, (float)d), 1 / (1 + 2 / r * d + d * d / r / r),
                       1e-6 * law[k]);
        }
    }
}

/* The sphere in parts of equal solid angle around the way to its center: L times the cosines. */
static double irradiance_by_quadrature(double radius, double distance, double tilt)
{
    enum { RINGS = 600, STEPS = 1200 };
    double ratio = radius / distance, low = sqrt(1 - ratio * ratio), sum = 0;
    for (int ring = 0; ring < RINGS; ring++) {
        double c = low + (1 - low) * (ring + .5) / RINGS, s = sqrt(1 - c * c);
        for (int step = 0; step < STEPS; step++) {
            double along = c * cos(tilt) + s * sin(tilt) * cos(2 * PI * (step + .5) / STEPS);
            sum += along > 0 ? along : 0;
        }
    }
    return sum * 2 * PI * (1 - low) / RINGS / STEPS;
}

static tp_vector lit(const tp_light *light, tp_vector point, const tp_vector *normal)
{
    tp_lighting lighting = {light, 1, NULL, NULL};
    tp_vector irradiance = {-1, -1, -1};
    CHECK(tp_light_points(&lighting, &point, normal, 1, 0, NULL, &irradiance) == TP_OK);
    return irradiance;
}

/* Exact above the horizon. Below it the law is too dark, by what it takes off for the part that is
   hidden; at 90 degrees it is 0. A ball gets the solid angle over 4. */
static void a_sphere_lights_a_surface_as_its_parts_do(void)
{
    for (uint32_t k = 0; k < 12; k++) {
        double radius = .3 + .2 * (k % 3), distance = radius * (1.05 + .9 * (k / 3));
        double horizon = acos(radius / distance), tilt = horizon * .24 * (k % 4);
        tp_light light = light_of((float)radius, 100, TP_LIGHT_ENDLESS);
        tp_vector point = {0, 0, (float)-distance};
        tp_vector normal = {(float)sin(tilt), 0, (float)cos(tilt)};
        double exact = irradiance_by_quadrature(radius, distance, tilt);
        double below = irradiance_by_quadrature(radius, distance, horizon + .1);
        CHECK_NEAR(lit(&light, point, &normal).y, exact, 2e-4 * exact);
        normal = (tp_vector){(float)sin(horizon + .1), 0, (float)cos(horizon + .1)};
        CHECK(lit(&light, point, &normal).y < below);
        normal = (tp_vector){1, 0, 0};
        double sine = radius / distance, half = asin(sine) - sine * sqrt(1 - sine * sine);
        CHECK_NEAR(irradiance_by_quadrature(radius, distance, PI / 2), half, 1e-4 * half);
        CHECK(lit(&light, point, &normal).y == 0 && half > .005);
        double solid = 2 * PI * (1 - sqrt(1 - radius * radius / distance / distance));
        CHECK_NEAR(lit(&light, point, NULL).x, solid / 4, 1e-5 * solid);
    }
}

/* ---- the reach ---- */

static void r_28_the_reach_depends_on_the_intensity(void)
{
    static const float thresholds[3] = {.001f, .005f, .01f};
    static const double of_one[3] = {30.622777, 13.142136, 9},
                        of_ten[3] = {99, 43.721360, 30.622777};
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_NEAR(tp_light_reach(1, 1, thresholds[k]), of_one[k], 1e-5 * of_one[k]);
        CHECK_NEAR(tp_light_reach(1, 10, thresholds[k]), of_ten[k], 1e-5 * of_ten[k]);
        CHECK_NEAR(tp_light_reach(.5f, 10, thresholds[k]), of_ten[k] / 2, 1e-5 * of_ten[k]);
        /* there the law alone is at the threshold, whatever the intensity */
        float reach = tp_light_reach(1, 10, thresholds[k]);
        tp_light light = light_of(1, reach, TP_LIGHT_ENDLESS);
        CHECK_NEAR(10 * tp_light_falloff(&light, reach), thresholds[k], 1e-5 * thresholds[k]);
    }
    CHECK(tp_light_reach(1, .001f, .01f) == 0 && tp_light_reach(-1, 1, .01f) == 0);
    CHECK(tp_light_reach(1, NAN, .01f) == 0 && tp_light_reach(1, 1, 0) == 0);
    CHECK(tp_light_reach(1e6f, 1e9f, 1e-6f) <= 1e9f);
}

/* Slope at the reach by a difference over a thousandth of it. */
static double slope_at_the_end(const tp_light *light)
{
    float step = light->reach * 1e-3f;
    return -(double)tp_light_falloff(light, light->reach - step) / step;
}

/* Scaled and shifted light ends with a slope of -2 c^1.5 / (r (1 - c)), the others with none. */
static void r_28_windows_end_without_an_edge(void)
{
    float reach = tp_light_reach(1, 1, .005f);
    tp_light biased = light_of(1, reach, TP_LIGHT_BIASED);
    double edge = -2 * pow(.005, 1.5) / (1 - .005);
    CHECK_NEAR(edge, -7.107e-4, 1e-7);
    CHECK_NEAR(slope_at_the_end(&biased), edge, 5e-3 * -edge);
    for (uint32_t window = TP_LIGHT_RATIONAL; window <= TP_LIGHT_TANGENT; window++) {
        tp_light light = light_of(1, reach, (tp_light_window)window);
        CHECK(fabs(slope_at_the_end(&light)) < 5e-3 * -edge);
    }
}

static void r_28_windows_are_those_of_the_table(void)
{
    static const float distances[8] = {.5f, 1, 2, 4, 6, 8, 9, 9.9f};
    static const double table[3][8] = {
        {.444444, .25, .111111, .04, .0204082, .0123457, .01, .0084168},
        {.443703, .247494, .105186, .0301209, .00929017, .00185435, .000427441, 4.02431e-6},
        {.443834, .247936, .106205, .0316014, .0104929, .00235806, .000589277, 6.05913e-6}};
    static const tp_light_window windows[3] = {TP_LIGHT_ENDLESS, TP_LIGHT_RATIONAL,
                                               TP_LIGHT_TANGENT};
    for (uint32_t w = 0; w < 3; w++)
        for (uint32_t k = 0; k < 8; k++) {
            tp_light light = light_of(1, 10, windows[w]);
            CHECK_NEAR(tp_light_falloff(&light, distances[k]), table[w][k], 1e-5 * table[w][k]);
        }
    /* the mapped distances, by the library */
    for (int k = 1; k < 400; k++) {
        float reach = 3.5f, d = reach * (float)k / 400;
        tp_light rational = light_of(.7f, reach, TP_LIGHT_RATIONAL), tangent = rational;
        tangent.window = TP_LIGHT_TANGENT;
        double share = (double)d / reach, angle = PI / 2 * share;
        double far = d / (1 - share * share), farther = 2 * (double)reach / PI * tan(angle);
        double exact = pow(.7 / (.7 + far), 2), other = pow(.7 / (.7 + farther), 2);
        CHECK_NEAR(tp_light_falloff(&rational, d), exact, 3e-6 * exact);
        CHECK_NEAR(tp_light_falloff(&tangent, d), other, 3e-6 * other);
    }
}

/* A tangent with the constant 2.1 has the reach 3.2987 only: with a reach of 10 it gives .563 in
   place of .248 at 1 m. */
static void r_28_the_tangent_scales_with_the_reach(void)
{
    tp_light light = light_of(1, 10, TP_LIGHT_TANGENT);
    double wrong = pow(1 / (1 + 2.1 * tan(PI * 1 / 20)), 2);
    CHECK_NEAR(2.1 * PI / 2, 3.2987, 5e-5);
    CHECK_NEAR(wrong, .563, 5e-4);
    CHECK_NEAR(tp_light_falloff(&light, 1), .248, 5e-4);
    light.reach = 3.2987f;
    CHECK_NEAR(tp_light_falloff(&light, 1), pow(1 / (1 + 2.1 * tan(PI / 2 / 3.2987)), 2), 1e-5);
    /* the rational map turns back up beyond the reach: there light is 0 all the same */
    light.window = TP_LIGHT_RATIONAL;
    CHECK(pow(1 / (1 + 4 / (1 - 16 / 10.88)), 2) > .01 && tp_light_falloff(&light, 4) == 0);
}

/* Falls, from exactly 1 to exactly 0, and stays there; finite at the reach. */
static void r_28_light_falls_to_nothing_at_the_reach(void)
{
    for (uint32_t window = TP_LIGHT_RATIONAL; window <= TP_LIGHT_BIASED; window++)
        for (uint32_t size = 0; size < 3; size++) {
            float reach = size == 0 ? 1e-4f : size == 1 ? 10.0f : 1e9f;
            tp_light light = light_of(size == 2 ? 1e6f : 1e-2f, reach, (tp_light_window)window);
            float last = 1;
            for (uint32_t k = 0; k <= 3000; k++) {
                float falloff = tp_light_falloff(&light, reach * (float)k / 2000);
                CHECK(falloff <= last && falloff >= 0);
                CHECK(k < 2000 || falloff == 0);
                last = falloff;
            }
            CHECK_NEAR(tp_light_falloff(&light, 0), 1, window == TP_LIGHT_BIASED ? 1e-6 : 0);
            CHECK(tp_light_falloff(&light, nextafterf(reach, 0)) >= 0);
            CHECK(tp_light_falloff(&light, -1) == tp_light_falloff(&light, 0));
            CHECK(tp_light_falloff(&light, INFINITY) == 0 && tp_light_falloff(&light, NAN) == 0);
        }
}

/* ---- many points ---- */

enum { POINTS = 1003, LIGHTS = 8 };

typedef struct light_scene {
    tp_light lights[LIGHTS];
    tp_sh ambient;
    tp_lighting lighting;
    tp_vector points[POINTS], normals[POINTS];
} light_scene;

static float next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static tp_vector next_vector(uint32_t *state, float size)
{
    float x = next(state), y = next(state), z = next(state);
    return (tp_vector){size * (x - .5f), size * (y - .5f), size * (z - .5f)};
}

/* Points in a cube of 8 m, normals along the axes, lights of all windows, some inside. */
static void scene_fill(light_scene *scene)
{
    uint32_t state = 27;
    memset(scene, 0, sizeof *scene);
    for (uint32_t i = 0; i < POINTS; i++) {
        scene->points[i] = next_vector(&state, 8);
        tp_vector axes[3] = {{1, 0, 0}, {0, -1, 0}, {0, .6f, .8f}};
        scene->normals[i] = axes[i % 3];
    }
    for (uint32_t k = 0; k < LIGHTS; k++) {
        tp_light *light = &scene->lights[k];
        light->position = next_vector(&state, 12);
        light->radius = .1f + .5f * next(&state);
        light->radiance = (tp_vector){1 + next(&state), 2 * next(&state), k % 2 ? 0.0f : 3.0f};
        light->reach = 4 + 9 * next(&state);
        light->window = (tp_light_window)(k % 4u);
    }
    tp_sh_add_sky(&scene->ambient, (tp_vector){0, 1, 0}, (tp_vector){.2f, .3f, .5f},
                  (tp_vector){.1f, .05f, 0});
    tp_sh_add(&scene->ambient, (tp_vector){.48f, .6f, .64f}, (tp_vector){1, .8f, .6f});
    scene->lighting = (tp_lighting){scene->lights, LIGHTS, &scene->ambient, NULL};
}

static uint64_t hash_of(const tp_vector *colors, uint32_t count)
{
    uint64_t hash = 1469598103934665603u;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t words[3];
        memcpy(words, &colors[i], sizeof words);
        for (uint32_t k = 0; k < 3; k++) hash = (hash ^ words[k]) * 1099511628211u;
    }
    return hash;
}

/* One light by the formulas in double precision. */
static double exact_weight(const tp_light *light, tp_vector point, const tp_vector *normal)
{
    double x = (double)light->position.x - point.x, y = (double)light->position.y - point.y;
    double z = (double)light->position.z - point.z, length = sqrt(x * x + y * y + z * z);
    double falloff = tp_light_falloff(light, (float)fmax(length - light->radius, 0));
    if (!normal) return .5 * (1 - sqrt(1 - falloff));
    double along = (x * normal->x + y * normal->y + z * normal->z) / fmax(length, light->radius);
    return falloff * fmax(along, 0);
}

static void light_of_points_is_the_sum_of_its_parts(void)
{
    static light_scene scene;
    static tp_vector to[POINTS];
    scene_fill(&scene);
    for (uint32_t kind = 0; kind < 2; kind++) {
        const tp_vector *normals = kind ? scene.normals : NULL;
        CHECK(tp_light_points(&scene.lighting, scene.points, normals, POINTS, 0, NULL, to) ==
              TP_OK);
        for (uint32_t i = 0; i < POINTS; i++) {
            tp_vector sky = {0, 0, 0};
            double sum = 0;
            if (kind) sky = tp_sh_irradiance(&scene.ambient, normals[i]);
            double ambient = kind ? sky.x : PI * .282094792 * (double)scene.ambient.of[0].x;
            for (uint32_t k = 0; k < LIGHTS; k++)
                sum += PI * (double)scene.lights[k].radiance.x *
                       exact_weight(&scene.lights[k], scene.points[i], kind ? &normals[i] : NULL);
            CHECK_NEAR(to[i].x, sum + ambient, 1e-5 * (1 + sum));
        }
    }
}

/* The hashes are those of every vector width and machine. */
static void light_has_the_same_bits_in_any_slices(void)
{
    static const uint64_t hashes[2] = {0x5ef2bcf6708475c2u, 0xe3b42521139a0588u};
    static light_scene scene;
    static tp_vector to[POINTS];
    scene_fill(&scene);
    for (uint32_t kind = 0; kind < 2; kind++)
        for (uint32_t units = 0; units < 60; units = units * 2u + 1u) {
            uint32_t done = 0, last = 0, most = units / TP_LIGHT_UNITS(LIGHTS);
            memset(to, 0x55, sizeof to);
            tp_result result;
            do {
                last = done;
                result = tp_light_points(&scene.lighting, scene.points, kind ? scene.normals : NULL,
                                         POINTS, units, &done, to);
                CHECK(!units || done - last <= (most ? most : 1u));
            } while (result == TP_MORE);
            CHECK(result == TP_OK && done == POINTS);
            CHECK_EQ(hash_of(to, POINTS), hashes[kind]);
        }
}

static void bad_lights_and_points_are_refused(void)
{
    tp_light good = light_of(1, 10, TP_LIGHT_RATIONAL);
    CHECK(!tp_light_check(&good) && tp_light_check(NULL));
    tp_light bad[9];
    for (uint32_t k = 0; k < 9; k++) bad[k] = good;
    bad[0].position.y = NAN;
    bad[1].position.x = 2e9f;
    bad[2].radius = 0;
    bad[3].radius = INFINITY;
    bad[4].radiance.z = -1;
    bad[5].radiance.x = 1e-20f;
    bad[6].reach = 0;
    bad[7].reach = NAN;
    bad[8].window = (tp_light_window)4;
    tp_vector point = {0, 2, 0}, normal = {0, -1, 0}, to;
    uint32_t done = 0;
    for (uint32_t k = 0; k < 9; k++) {
        tp_lighting lighting = {&bad[k], 1, NULL, NULL};
        tp_sh sh = {0};
        CHECK(tp_light_check(&bad[k]) != NULL && tp_light_falloff(&bad[k], 1) == 0);
        CHECK(tp_light_points(&lighting, &point, NULL, 1, 0, NULL, &to) == TP_ERROR_QUERY);
        CHECK(tp_sh_add_lights(&sh, point, &bad[k], 1) == TP_ERROR_QUERY && sh.of[0].x == 0);
    }
    tp_lighting lighting = {&good, 1, NULL, NULL};
    CHECK(tp_light_points(NULL, &point, NULL, 1, 0, NULL, &to) == TP_ERROR_NULL);
    CHECK(tp_light_points(&lighting, NULL, NULL, 1, 0, NULL, &to) == TP_ERROR_NULL);
    CHECK(tp_light_points(&lighting, &point, NULL, 1, 0, NULL, NULL) == TP_ERROR_NULL);
    CHECK(tp_light_points(&lighting, &point, NULL, 1, 9, NULL, &to) == TP_ERROR_NULL);
    CHECK(tp_light_points(&lighting, NULL, NULL, 0, 0, NULL, NULL) == TP_OK);
    normal.z = 1.1f;
    CHECK(tp_light_points(&lighting, &point, &normal, 1, 0, &done, &to) == TP_ERROR_QUERY);
    point.z = NAN;
    CHECK(tp_light_points(&lighting, &point, NULL, 1, 0, &done, &to) == TP_ERROR_QUERY);
    CHECK_EQ(done, 0);
    lighting.light_count = TP_LIGHTS_MAX + 1u;
    CHECK(tp_light_points(&lighting, NULL, NULL, 0, 0, NULL, NULL) == TP_ERROR_QUERY);
    lighting.lights = NULL;
    CHECK(tp_light_points(&lighting, NULL, NULL, 0, 0, NULL, NULL) == TP_ERROR_NULL);
}

static const test_case cases[] = {
    TEST_CASE(attenuation_is_that_of_the_table),
    TEST_CASE(a_sphere_lights_a_surface_as_its_parts_do),
    TEST_CASE(r_28_the_reach_depends_on_the_intensity),
    TEST_CASE(r_28_windows_end_without_an_edge),
    TEST_CASE(r_28_windows_are_those_of_the_table),
    TEST_CASE(r_28_the_tangent_scales_with_the_reach),
    TEST_CASE(r_28_light_falls_to_nothing_at_the_reach),
    TEST_CASE(light_of_points_is_the_sum_of_its_parts),
    TEST_CASE(light_has_the_same_bits_in_any_slices),
    TEST_CASE(bad_lights_and_points_are_refused),
};
TEST_SUITE(light, cases);
