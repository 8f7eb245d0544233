/* SPDX-License-Identifier: MIT
   tests/physics/test_harmonics.c - spherical harmonics: basis, projection, rotation, irradiance.
   reads   runtime/light/harmonics.c      writes  nothing
   memory  none      cost    below a second
   after   Ramamoorthi and Hanrahan 2001, with their published coefficients of Grace cathedral;
           quadrature in double precision */
#include "test.h"
#include "tidepool.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { RINGS = 64, STEPS = 128 };

static float channel(tp_vector a, uint32_t c) { return c == 0 ? a.x : c == 1 ? a.y : a.z; }

/* A direction of the 64 x 128 grid over the sphere, and its weight in Fejer's first rule. */
static tp_vector grid_direction(int ring, int step, double *solid)
{
    double theta = PI * (ring + .5) / RINGS, phi = 2 * PI * (step + .5) / STEPS, weight = 1;
    for (int j = 1; j <= RINGS / 2; j++) weight -= 2 * cos(2 * j * theta) / (4. * j * j - 1);
    *solid = weight * 2 / RINGS * 2 * PI / STEPS;
    return (tp_vector){(float)(sin(theta) * cos(phi)), (float)(sin(theta) * sin(phi)),
                       (float)cos(theta)};
}

/* The k-th function of the basis, by evaluating a single coefficient. */
static double basis(uint32_t k, tp_vector d)
{
    tp_sh one = {0};
    one.of[k].x = 1;
    return tp_sh_radiance(&one, d).x;
}

static tp_vector unit(double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    return (tp_vector){(float)(x / length), (float)(y / length), (float)(z / length)};
}

static tp_sh random_sh(uint32_t seed)
{
    tp_sh sh;
    float *values = &sh.of[0].x;
    for (uint32_t k = 0; k < 3 * TP_SH_COUNT; k++) {
        seed = seed * 1664525u + 1013904223u;
        values[k] = (float)(seed >> 8) / 8388608.0f - 1;
    }
    return sh;
}

/* ---- the basis ---- */

static void basis_has_the_published_constants(void)
{
    tp_vector x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, xy = unit(1, 1, 0);
    CHECK_NEAR(basis(0, x), .28209479, 1e-7);
    CHECK_NEAR(basis(1, y), .48860251, 1e-7);
    CHECK_NEAR(basis(2, z), .48860251, 1e-7);
    CHECK_NEAR(basis(3, x), .48860251, 1e-7);
    CHECK_NEAR(basis(4, xy), 1.09254843 / 2, 2e-7);
    CHECK_NEAR(basis(5, unit(0, 1, 1)), 1.09254843 / 2, 2e-7);
    CHECK_NEAR(basis(6, z), 2 * .31539157, 2e-7);
    CHECK_NEAR(basis(7, unit(1, 0, 1)), 1.09254843 / 2, 2e-7);
    CHECK_NEAR(basis(8, x), .54627422, 1e-7);
}

static void basis_is_orthonormal(void)
{
    static double sums[TP_SH_COUNT][TP_SH_COUNT];
    memset(sums, 0, sizeof sums);
    for (int ring = 0; ring < RINGS; ring++)
        for (int step = 0; step < STEPS; step++) {
            double solid, values[TP_SH_COUNT];
            tp_vector d = grid_direction(ring, step, &solid);
            for (uint32_t k = 0; k < TP_SH_COUNT; k++) values[k] = basis(k, d);
            for (uint32_t a = 0; a < TP_SH_COUNT; a++)
                for (uint32_t b = 0; b < TP_SH_COUNT; b++)
                    sums[a][b] += values[a] * values[b] * solid;
        }
    for (uint32_t a = 0; a < TP_SH_COUNT; a++)
        for (uint32_t b = 0; b < TP_SH_COUNT; b++) CHECK_NEAR(sums[a][b], a == b, 1e-6);
}

/* What the cosine leaves of order l: 2 pi times the integral of x P_l(x). */
static double cosine_order(uint32_t l)
{
    double sum = 0;
    for (int k = 0; k < 200000; k++) {
        double x = (k + .5) / 200000, last = 1, now = x;
        for (uint32_t n = 1; n < l; n++) {
            double next = ((2 * n + 1) * x * now - n * last) / (n + 1);
            last = now;
            now = next;
        }
        sum += x * (l == 0 ? 1 : now);
    }
    return 2 * PI * sum / 200000;
}

static void irradiance_has_the_cosine_of_each_order(void)
{
    static const double published[9] = {3.141593, 2.094395, .785398, 0,       -.130900,
                                        0,        .049087,  0,       -.024544};
    for (uint32_t l = 0; l < 9; l++) {
        CHECK_NEAR(cosine_order(l), published[l], 1e-6);
        double half = 1, power = 1;
        if (l < 2 || l % 2) continue;
        for (uint32_t k = 1; k <= l / 2; k++) half *= (l / 2 + k) / (double)k; /* l! / (l/2)!^2 */
        for (uint32_t k = 0; k < l; k++) power *= 2;
        double even = 2 * PI * ((l / 2) % 2 ? 1 : -1) / ((l + 2.0) * (l - 1.0)) * half / power;
        CHECK_NEAR(even, published[l], 1e-6);
    }
    for (uint32_t k = 0; k < TP_SH_COUNT; k++) {
        tp_sh one = {0};
        one.of[k].y = 1;
        for (uint32_t n = 0; n < 20; n++) {
            tp_vector d = unit(sin(n * 1.7), cos(n * 2.3), sin(n * .9 + 1));
            uint32_t l = k == 0 ? 0 : k < 4 ? 1 : 2;
            CHECK_NEAR(tp_sh_irradiance(&one, d).y, published[l] * basis(k, d), 1e-6);
        }
    }
}

/* The constants of the fast form (Ramamoorthi and Hanrahan 2001, equation 12), each from the
   irradiance of one coefficient. */
static void fast_irradiance_has_the_published_constants(void)
{
    static const double c1 = .429043, c2 = .511664, c3 = .743125, c4 = .886227, c5 = .247708;
    const tp_vector x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, none = {0, 0, 0};
    const struct {
        uint32_t of;
        tp_vector normal;
        double value;
    } rows[] = {{0, x, c4},
                {1, y, 2 * c2},
                {2, z, 2 * c2},
                {3, x, 2 * c2},
                {4, unit(1, 1, 0), c1},
                {5, unit(0, 1, 1), c1},
                {6, none, -c5},
                {6, z, c3 - c5},
                {7, unit(1, 0, 1), c1},
                {8, x, c1},
                {8, y, -c1}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        tp_sh one = {0};
        one.of[rows[k].of].z = 1;
        CHECK_NEAR(tp_sh_irradiance(&one, rows[k].normal).z, rows[k].value, 2e-6);
    }
}

/* ---- projection ---- */

static void even_light_gives_pi(void)
{
    tp_sh sh = {0};
    tp_sh_add_sky(&sh, (tp_vector){0, 1, 0}, (tp_vector){1, 1, 1}, (tp_vector){1, 1, 1});
    CHECK_NEAR(sh.of[0].x, 3.544908, 1e-6);
    for (uint32_t k = 1; k < TP_SH_COUNT; k++) CHECK_NEAR(sh.of[k].x, 0, 1e-7);
    for (uint32_t n = 0; n < 20; n++)
        CHECK_NEAR(tp_sh_irradiance(&sh, unit(sin(n * 1.7), cos(n * 2.3), sin(n * .9 + 1))).z, PI,
                   2e-6);
}

static void a_sky_gives_its_exact_irradiance(void)
{
    tp_sh sh = {0}, sampled = {0}, tilted = {0};
    tp_sh_add_sky(&sh, (tp_vector){0, 0, 1}, (tp_vector){1, 0, 0}, (tp_vector){0, 0, 0});
    CHECK_NEAR(sh.of[0].x, 1.772454, 1e-6);
    CHECK_NEAR(sh.of[2].x, 1.534990, 1e-6);
    CHECK_NEAR(sh.of[6].x, 0, 1e-7);
    tp_vector up = unit(1, 2, -2);
    tp_sh_add_sky(&tilted, up, (tp_vector){1, 0, 0}, (tp_vector){.25f, 0, 0});
    for (int ring = 0; ring < RINGS; ring++)
        for (int step = 0; step < STEPS; step++) {
            double solid;
            tp_vector d = grid_direction(ring, step, &solid);
            if (d.z > 0) tp_sh_add(&sampled, d, (tp_vector){(float)solid, 0, 0});
            double along = d.x * up.x + d.y * up.y + d.z * up.z;
            CHECK_NEAR(tp_sh_irradiance(&sh, d).x, PI / 2 * (1 + d.z), 2e-6);
            CHECK_NEAR(tp_sh_irradiance(&tilted, d).x,
                       PI / 2 * (1 + along) + .25 * PI / 2 * (1 - along), 3e-6);
        }
    for (uint32_t k = 0; k < TP_SH_COUNT; k++) CHECK_NEAR(sampled.of[k].x, sh.of[k].x, 1e-3);
}

/* with one convention of signs in projection and another one in evaluation the light of
   (1, 1, 1) comes from elsewhere. */
static void r_29_one_sign_convention_for_both_ways(void)
{
    tp_sh sh = {0};
    tp_sh_add(&sh, (tp_vector){0, 0, 1}, (tp_vector){1, 1, 1});
    CHECK_NEAR(tp_sh_irradiance(&sh, (tp_vector){0, 0, 1}).x, 1.0625, 1e-6);
    CHECK_NEAR(tp_sh_irradiance(&sh, (tp_vector){1, 0, 0}).y, .09375, 1e-6);
    CHECK_NEAR(tp_sh_irradiance(&sh, (tp_vector){0, 0, -1}).z, .0625, 1e-6);
    /* 3/32 + c/2 + 15/32 c^2 has negative values: those are left as they are */
    tp_vector behind = unit(sqrt(1 - 64 / 225.), 0, -8 / 15.);
    CHECK_NEAR(tp_sh_irradiance(&sh, behind).x, 3 / 32. - 8 / 30. + 15 / 32. * 64 / 225., 1e-6);
    tp_sh diagonal = {0}, mixed;
    tp_sh_add(&diagonal, unit(1, 1, 1), (tp_vector){1, 1, 1});
    CHECK_NEAR(tp_sh_irradiance(&diagonal, (tp_vector){1, 0, 0}).x, .538675, 1e-6);
    CHECK_NEAR(tp_sh_irradiance(&diagonal, (tp_vector){0, 1, 0}).x, .538675, 1e-6);
    CHECK_NEAR(tp_sh_irradiance(&diagonal, (tp_vector){0, 0, 1}).x, .538675, 1e-6);
    mixed = diagonal;
    tp_sh_flip(&mixed); /* as evaluated with the other convention: wrong on x and y */
    CHECK(fabsf(tp_sh_irradiance(&mixed, (tp_vector){1, 0, 0}).x - .538675f) > .3f);
    CHECK_NEAR(mixed.of[1].x, -.48860251 / sqrt(3), 1e-6);
    CHECK_NEAR(mixed.of[3].x, -.48860251 / sqrt(3), 1e-6);
    tp_sh_flip(&mixed);
    CHECK(memcmp(&mixed, &diagonal, sizeof mixed) == 0);
    /* odd orders m only: y, x, yz, xz */
    static const bool is_odd[TP_SH_COUNT] = {false, true, false, true, false, true, false, true};
    tp_sh all = random_sh(3), flipped = all;
    tp_sh_flip(&flipped);
    for (uint32_t k = 0; k < TP_SH_COUNT; k++)
        CHECK(flipped.of[k].x == (is_odd[k] ? -all.of[k].x : all.of[k].x));
}

static void projection_recovers_light_of_order_2(void)
{
    tp_sh sh = random_sh(5), sum = {0};
    for (int ring = 0; ring < RINGS; ring++)
        for (int step = 0; step < STEPS; step++) {
            double solid;
            tp_vector d = grid_direction(ring, step, &solid), color = tp_sh_radiance(&sh, d);
            float s = (float)solid;
            tp_sh_add(&sum, d, (tp_vector){color.x * s, color.y * s, color.z * s});
        }
    for (uint32_t k = 0; k < TP_SH_COUNT; k++)
        for (uint32_t c = 0; c < 3; c++)
            CHECK_NEAR(channel(sum.of[k], c), channel(sh.of[k], c), 1e-5);
}

static void irradiance_of_grace_cathedral_is_as_published(void)
{
    static const float of[3][TP_SH_COUNT] = {
        {.78908f, .39499f, -.33974f, -.29213f, -.11141f, -.26240f, -.15570f, .56014f, .21205f},
        {.43710f, .34989f, -.18236f, -.05562f, -.05090f, -.22401f, -.09471f, .21444f, -.05432f},
        {.54161f, .60488f, -.26940f, .00944f, -.12231f, -.47479f, -.14733f, .13915f, -.30374f}};
    static const double published[6][3] = {{.52991, .33061, .39583},   {1.12780, .44444, .37651},
                                           {1.05110, .79219, 1.26579}, {.24269, .07608, .02781},
                                           {.27450, .15384, .13132},   {.96983, .52706, .68268}};
    static const tp_vector axes[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    tp_sh sh;
    for (uint32_t k = 0; k < TP_SH_COUNT; k++) sh.of[k] = (tp_vector){of[0][k], of[1][k], of[2][k]};
    for (uint32_t n = 0; n < 6; n++)
        for (uint32_t c = 0; c < 3; c++)
            CHECK_NEAR(channel(tp_sh_irradiance(&sh, axes[n]), c), published[n][c], 1e-4);
}

/* The coefficients of a disc, by samples of it; its irradiance is that of the light while the disc
   is above the horizon. */
static void lights_are_projected_as_discs(void)
{
    tp_light light = {{1, 2, -2}, 1.5f, {1, .5f, 0}, 100, TP_LIGHT_ENDLESS};
    tp_vector point = {0, 0, 0}, way = unit(1, 2, -2), side = unit(2, -1, 0), up = unit(2, 4, 5);
    tp_sh sh = {0}, sampled = {0}, none = {0};
    CHECK(tp_sh_add_lights(&sh, point, &light, 1) == TP_OK);
    double low = sqrt(1 - .25), solid = 2 * PI * (1 - low);
    for (int ring = 0; ring < 100; ring++)
        for (int step = 0; step < 100; step++) {
            double c = low + (1 - low) * (ring + .5) / 100, s = sqrt(1 - c * c);
            double a = s * cos(2 * PI * step / 100), b = s * sin(2 * PI * step / 100);
            tp_vector d = unit(c * way.x + a * side.x + b * up.x, c * way.y + a * side.y + b * up.y,
                               c * way.z + a * side.z + b * up.z);
            tp_sh_add(&sampled, d, (tp_vector){(float)solid / 1e4f, (float)solid / 2e4f, 0});
        }
    for (uint32_t k = 0; k < TP_SH_COUNT; k++) {
        CHECK_NEAR(sh.of[k].x, sampled.of[k].x, 1e-4);
        CHECK_NEAR(sh.of[k].y, sampled.of[k].y, 1e-4);
        CHECK(sh.of[k].z == 0);
    }
    light.window = TP_LIGHT_TANGENT;
    light.reach = 1.5f; /* it ends at the point */
    CHECK(tp_sh_add_lights(&none, point, &light, 1) == TP_OK && none.of[0].x == 0);
    CHECK(tp_sh_add_lights(NULL, point, &light, 1) == TP_ERROR_NULL);
    CHECK(tp_sh_add_lights(&none, point, NULL, 1) == TP_ERROR_NULL);
    point.y = INFINITY;
    CHECK(tp_sh_add_lights(&none, point, &light, 1) == TP_ERROR_QUERY);
}

/* ---- rotation ---- */

static tp_quaternion turn_about(tp_vector axis, double angle)
{
    double s = sin(angle / 2);
    return (tp_quaternion){(float)cos(angle / 2), (float)(s * axis.x), (float)(s * axis.y),
                           (float)(s * axis.z)};
}

static void turned_light_comes_from_turned_directions(void)
{
    for (uint32_t n = 0; n < 30; n++) {
        tp_sh sh = random_sh(n), turned = sh, back;
        tp_quaternion q = turn_about(unit(sin(n), cos(n * 3.), 1), .3 + n);
        tp_sh_rotate(&turned, q);
        for (uint32_t k = 0; k < 20; k++) {
            tp_vector d = unit(sin(k * 1.7), cos(k * 2.3), sin(k * .9 + n));
            tp_vector there = tp_pose_point((tp_pose){{0, 0, 0}, q}, d);
            for (uint32_t c = 0; c < 3; c++) {
                CHECK_NEAR(channel(tp_sh_radiance(&turned, there), c),
                           channel(tp_sh_radiance(&sh, d), c), 3e-6);
                CHECK_NEAR(channel(tp_sh_irradiance(&turned, there), c),
                           channel(tp_sh_irradiance(&sh, d), c), 5e-6);
            }
        }
        back = turned;
        tp_sh_rotate(&back, (tp_quaternion){q.w, -q.x, -q.y, -q.z});
        for (uint32_t k = 0; k < TP_SH_COUNT; k++)
            for (uint32_t c = 0; c < 3; c++)
                CHECK_NEAR(channel(back.of[k], c), channel(sh.of[k], c), 2e-6);
    }
}

static void null_coefficients_change_nothing(void)
{
    tp_vector up = {0, 1, 0}, zero = {0, 0, 0};
    tp_sh_add(NULL, up, up);
    tp_sh_add_sky(NULL, up, up, up);
    tp_sh_rotate(NULL, (tp_quaternion){1, 0, 0, 0});
    tp_sh_flip(NULL);
    tp_vector radiance = tp_sh_radiance(NULL, up), irradiance = tp_sh_irradiance(NULL, up);
    CHECK(memcmp(&radiance, &zero, sizeof zero) == 0 && memcmp(&irradiance, &zero, 12) == 0);
}

static const test_case cases[] = {
    TEST_CASE(basis_has_the_published_constants),
    TEST_CASE(basis_is_orthonormal),
    TEST_CASE(irradiance_has_the_cosine_of_each_order),
    TEST_CASE(fast_irradiance_has_the_published_constants),
    TEST_CASE(even_light_gives_pi),
    TEST_CASE(a_sky_gives_its_exact_irradiance),
    TEST_CASE(r_29_one_sign_convention_for_both_ways),
    TEST_CASE(projection_recovers_light_of_order_2),
    TEST_CASE(irradiance_of_grace_cathedral_is_as_published),
    TEST_CASE(lights_are_projected_as_discs),
    TEST_CASE(turned_light_comes_from_turned_directions),
    TEST_CASE(null_coefficients_change_nothing),
};
TEST_SUITE(harmonics, cases);
