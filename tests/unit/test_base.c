/* SPDX-License-Identifier: MIT
   tests/unit/test_base.c - mathematical functions compared with libm, rotations, random numbers,
           prime hash.
   reads   runtime/base     writes  nothing
   memory  none              cost    about a second
   after   a result is correct within 4 units in the last place of the double result rounded to
           float */
#include "test.h"
#include "base/base.h"
#include "base/prime.h"
#include <math.h>
#include <string.h>

/* Error in units in the last place of `expected` as a float. */
static double ulps(float value, double expected)
{
    if ((double)value == expected) return 0.0;
    int exponent;
    frexp(expected, &exponent);
    return fabs((double)value - expected) / ldexp(1.0, exponent - 24);
}

typedef struct worst_error {
    double ulps;
    float place;
} worst_error;

static void compare(worst_error *worst, float at, float value, double expected)
{
    double error = ulps(value, expected);
    if (error > worst->ulps) *worst = (worst_error){error, at};
}

static void compare_turn(worst_error *worst, float at)
{
    compare(worst, at, tpi_sin(at), sin((double)at));
    compare(worst, at, tpi_cos(at), cos((double)at));
}

static void check_worst(const worst_error *worst)
{
    test_note("worst %g ulp at %.9g", worst->ulps, (double)worst->place);
    CHECK(worst->ulps <= 4.0);
}

/* Every 997th float of the range, both signs. */
static void sine_and_cosine_are_within_4_ulp_on_their_range(void)
{
    worst_error worst = {0};
    for (uint32_t bits = 0x30000000u; bits <= tpi_bits(8192.0f); bits += 997u) {
        float x = tpi_from_bits(bits);
        compare_turn(&worst, x);
        compare_turn(&worst, -x);
    }
    check_worst(&worst);
}

/* Near the zeros the result is tiny and shows every bit that the range reduction lost. */
static void sine_and_cosine_are_within_4_ulp_next_to_their_zeros(void)
{
    worst_error worst = {0};
    for (int n = 1; n <= 5215; n++) {
        float x = (float)(n * 1.5707963267948966);
        for (int near = -3; near <= 3; near++)
            compare_turn(&worst, tpi_from_bits(tpi_bits(x) + (uint32_t)near));
    }
    check_worst(&worst);
}

static void exponential_is_within_4_ulp_and_clamped(void)
{
    worst_error worst = {0};
    for (uint32_t bits = 0x30000000u; bits <= tpi_bits(87.0f); bits += 499u) {
        float x = tpi_from_bits(bits);
        compare(&worst, x, tpi_exp(x), exp((double)x));
        compare(&worst, -x, tpi_exp(-x), exp(-(double)x));
    }
    check_worst(&worst);
    CHECK(tpi_exp(0.0f) == 1.0f);
    CHECK(tpi_exp(1e9f) == tpi_exp(88.0f) && tpi_is_finite(tpi_exp(88.0f)));
    CHECK(tpi_exp(-1e9f) == tpi_exp(-87.0f) && tpi_exp(-87.0f) >= 1.17549435e-38f);
    CHECK(tpi_is_finite(tpi_exp(NAN)));
}

static void scalars_do_what_their_names_say(void)
{
    CHECK(tpi_floor(-0.5f) == -1 && tpi_floor(0.5f) == 0 && tpi_floor(-3.0f) == -3 &&
          tpi_floor(7.99f) == 7);
    CHECK(tpi_flush(1e-31f) == 0.0f && tpi_flush(-1e-31f) == 0.0f && tpi_flush(2e-30f) == 2e-30f);
    CHECK(!tpi_is_finite(NAN) && !tpi_is_finite(INFINITY) && !tpi_is_finite(-INFINITY) &&
          tpi_is_finite(3e38f));
    CHECK(tpi_clamp(5.0f, 0.0f, 1.0f) == 1.0f && tpi_clamp(-5.0f, 0.0f, 1.0f) == 0.0f);
    /* the conversion of positions to cells relies on it */
    CHECK(tpi_clamp(NAN, 2.0f, 3.0f) == 2.0f);
    CHECK(tpi_sqrt(2.0f) == (float)sqrt(2.0));
}

/* Numbers of both signs and all sizes below 2^31. */
static void conversions_by_bits_are_those_of_the_machine(void)
{
    uint32_t fixed = 0, floors = 0, fractions = 0, positives = 0;
    for (uint32_t bits = 0; bits < 0x4f000000u; bits += 997u)
        for (uint32_t sign = 0; sign < 2u; sign++) {
            float value = tpi_from_bits(bits | sign << 31);
            fixed += tpi_abs(value) < 256.0f &&
                     tpi_fixed_by_bits(value) != (int32_t)(value * 8388608.0f);
            floors += tpi_floor_by_bits(value) != (int32_t)floor((double)value);
            fractions += tpi_is_fraction(value) != tpi_is_within(value, -1.0f, 1.0f);
            positives += (tpi_bits(value) - 1u < 0x7f800000u) != (value > 0.0f);
        }
    CHECK(fixed == 0 && floors == 0 && fractions == 0 && positives == 0);
    for (int32_t whole = -70000; whole <= 70000; whole++)
        floors += tpi_floor_by_bits((float)whole) != whole;
    CHECK(floors == 0 && tpi_floor_by_bits(-0.0f) == 0 && tpi_fixed_by_bits(-0.0f) == 0);
    CHECK(!tpi_is_fraction(NAN) && !tpi_is_positive(NAN) && !tpi_is_positive(-INFINITY));
}

/* The formula of a rotation without its early exit. */
static tp_vector turned(tp_quaternion q, tp_vector a)
{
    tp_vector axis = {q.x, q.y, q.z}, twice = tpi_scale(tpi_cross(axis, a), 2.0f);
    return tpi_add(tpi_add_scaled(a, twice, q.w), tpi_cross(axis, twice));
}

static void no_turn_gives_the_bits_of_the_formula(void)
{
    const float some[] = {0.0f, -0.0f, 1.5f, -2.25f, 1e-40f, -1e30f};
    for (uint32_t k = 0; k < 6u * 6u * 6u * 16u; k++) {
        uint32_t signs = k / 216u;
        tp_vector a = {some[k % 6u], some[k / 6u % 6u], some[k / 36u % 6u]};
        tp_quaternion q = {signs & 8u ? -1.0f : 1.0f, signs & 1u ? -0.0f : 0.0f,
                           signs & 2u ? -0.0f : 0.0f, signs & 4u ? -0.0f : 0.0f};
        tp_vector wanted = turned(q, a), found = tpi_rotate(q, a);
        CHECK(memcmp(&wanted, &found, sizeof found) == 0);
    }
}

static tp_quaternion turn_about(tp_vector axis, double angle)
{
    float s = (float)sin(angle / 2.0);
    return (tp_quaternion){(float)cos(angle / 2.0), axis.x * s, axis.y * s, axis.z * s};
}

static void rotations_turn_by_the_right_hand_and_back(void)
{
    tp_quaternion quarter = turn_about((tp_vector){0, 0, 1}, 1.5707963267948966);
    tp_vector y = tpi_rotate(quarter, (tp_vector){1, 0, 0});
    CHECK_NEAR(y.x, 0, 1e-6);
    CHECK_NEAR(y.y, 1, 1e-6);
    tp_quaternion odd = turn_about((tp_vector){0.6f, 0.0f, 0.8f}, 1.234);
    tp_vector a = {1.5f, -2.0f, 0.25f}, back = tpi_rotate_back(odd, tpi_rotate(odd, a));
    CHECK_NEAR(tpi_length(tpi_sub(back, a)), 0, 1e-6);
    CHECK_NEAR(tpi_length(tpi_rotate(odd, a)), tpi_length(a), 1e-6);
    tp_pose pose = {{1, 2, 3}, odd};
    CHECK_NEAR(tpi_length(tpi_sub(tpi_to_local(pose, tpi_to_world(pose, a)), a)), 0, 1e-6);
}

static void quaternions_are_interpolated_along_the_shorter_arc(void)
{
    tp_quaternion a = turn_about((tp_vector){0, 1, 0}, 0.2),
                  b = turn_about((tp_vector){0, 1, 0}, 0.8);
    tp_quaternion far = {-b.w, -b.x, -b.y, -b.z}, middle = tpi_quaternion_lerp(a, far, 0.5f);
    tp_quaternion expected = turn_about((tp_vector){0, 1, 0}, 0.5);
    CHECK_NEAR(middle.w, expected.w, 1e-6);
    CHECK_NEAR(middle.y, expected.y, 1e-6);
    tp_vector none = tpi_normalise((tp_vector){0, 0, 0}, (tp_vector){0, 1, 0});
    CHECK(none.x == 0.0f && none.y == 1.0f && none.z == 0.0f);
}

static void random_numbers_are_functions_of_their_key_and_event(void)
{
    tpi_random_key key = {1, 2, 3, 4};
    const uint32_t bits = tpi_random_bits(key, 5);
    CHECK_EQ(tpi_random_bits(key, 5), bits);
    for (uint32_t part = 0; part < 4; part++) {
        tpi_random_key other = {1u + (part == 0), 2u + (part == 1), 3u + (part == 2),
                                4u + (part == 3)};
        CHECK(tpi_random_bits(other, 5) != bits);
    }
    CHECK(tpi_random_bits(key, 6) != bits);
}

/* Within 4 sigma for the mean and for the share of each of 16 bins. */
static void random_units_are_uniform(void)
{
    enum { COUNT = 200000 };
    uint32_t bins[16] = {0};
    double sum = 0.0;
    for (uint32_t n = 0; n < COUNT; n++) {
        float u = tpi_random_unit((tpi_random_key){7, 0, n, 1}, n & 3u);
        CHECK(u >= 0.0f && u < 1.0f);
        sum += (double)u;
        bins[(uint32_t)(u * 16.0f)]++;
    }
    CHECK_NEAR(sum / COUNT, 0.5, 4.0 * sqrt(1.0 / 12.0 / COUNT));
    for (uint32_t b = 0; b < 16; b++) CHECK_NEAR(bins[b], COUNT / 16.0, 4.0 * sqrt(COUNT / 16.0));
}

static void random_places_fill_the_ball_and_the_disc_evenly(void)
{
    enum { COUNT = 100000 };
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        double square = 0.0, x = 0.0;
        for (uint32_t n = 0; n < COUNT; n++) {
            tpi_random_key key = {9, 0, n, 1};
            tp_vector place = tpi_random_ball(key, 0, dimensions),
                      way = tpi_random_direction(key, 50, dimensions);
            CHECK(tpi_length(place) <= 1.000001f);
            CHECK_NEAR(tpi_length(way), 1.0, 2e-6);
            if (dimensions == 2) CHECK(place.z == 0.0f && way.z == 0.0f);
            square += (double)tpi_dot(place, place);
            x += (double)place.x;
        }
        double d = dimensions;
        CHECK_NEAR(square / COUNT, d / (d + 2.0), 4.0 * sqrt(0.1 / COUNT));
        CHECK_NEAR(x / COUNT, 0.0, 4.0 * sqrt(1.0 / (d + 2.0) / COUNT));
    }
}

/* ---- the prime hash of the grid ---- */

static void prime_hash_has_the_published_values(void)
{
    static const struct {
        int32_t x, y, z;
        uint32_t hash, of_1024, of_1021;
    } rows[] = {{1, 0, 0, 0x8da6b343u, 835, 51},  {0, 1, 0, 0xd8163841u, 65, 721},
                {0, 0, 1, 0xcb1ab31fu, 799, 441}, {1, 1, 1, 0x30d79ea3u, 675, 997},
                {-1, 0, 0, 0x72594cbdu, 189, 57}, {-1, -1, -1, 0xcf28615du, 349, 132}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint32_t hash = tpi_prime_hash(rows[r].x, rows[r].y, rows[r].z);
        CHECK_EQ(hash, rows[r].hash);
        CHECK_EQ(hash & 1023u, rows[r].of_1024);
        CHECK_EQ(tpi_prime_reduce(hash, 1021u, tpi_prime_magic(1021u)), rows[r].of_1021);
    }
}

static bool is_prime(uint32_t n)
{
    if (n < 2) return false;
    for (uint32_t d = 2; (uint64_t)d * d <= n; d++)
        if (n % d == 0) return false;
    return true;
}

static void every_table_size_is_prime_and_close(void)
{
    uint32_t previous = 0;
    for (uint32_t wanted = 1; wanted < 16777216u; wanted = wanted + wanted / 7u + 1u) {
        uint32_t prime = tpi_prime_at_least(wanted);
        CHECK(prime >= wanted && prime >= previous);
        CHECK(wanted < 16u || prime < wanted + wanted / 4u + 8u);
        if (prime != previous) CHECK(is_prime(prime));
        previous = prime;
    }
    CHECK(is_prime(0x8da6b343u) && is_prime(0xd8163841u) && is_prime(0xcb1ab31fu));
}

static void reduction_equals_division(void)
{
    uint32_t value = 12345u;
    for (uint32_t wanted = 1; wanted < 16777216u; wanted = wanted * 3u + 1u) {
        uint32_t prime = tpi_prime_at_least(wanted), magic = tpi_prime_magic(prime);
        const uint32_t edges[] = {0,           1,           prime - 1u,  prime,      prime + 1u,
                                  0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu};
        for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++)
            CHECK_EQ(tpi_prime_reduce(edges[e], prime, magic), edges[e] % prime);
        for (uint32_t n = 0; n < 2000u; n++) {
            value = value * 1664525u + 1013904223u;
            if (tpi_prime_reduce(value, prime, magic) != value % prime) CHECK_EQ(value, prime);
        }
    }
}

/* A turn by many small angles is one by their sum, and stays of unit length. */
static void poses_are_made_turned_and_carry_points(void)
{
    tp_pose pose = tp_pose_make(1.0f, 2.0f, -0.75f);
    CHECK_NEAR(2 * atan2((double)pose.rotation.z, (double)pose.rotation.w), -0.75, 1e-6);
    for (uint32_t k = 0; k < 10000; k++) pose = tp_pose_turn(pose, 0.01f);
    const float angle = -0.75f + 100.0f, c = cosf(angle), s = sinf(angle);
    tp_quaternion q = pose.rotation;
    CHECK_NEAR(q.w * q.w + q.z * q.z, 1.0, 1e-6);
    CHECK(q.x == 0.0f && q.y == 0.0f && pose.position.x == 1.0f && pose.position.y == 2.0f);
    tp_vector point = tp_pose_point(pose, (tp_vector){3, 0.5f, 0});
    CHECK_NEAR(point.x, 1.0f + 3.0f * c - 0.5f * s, 2e-3);
    CHECK_NEAR(point.y, 2.0f + 3.0f * s + 0.5f * c, 2e-3);
    CHECK(point.z == 0.0f);
    /* in 3D the turn is about the z axis of the world, whatever the pose */
    tp_pose odd = {{1, 2, 3}, {0.5f, 0.5f, -0.5f, 0.5f}};
    const tp_vector z = {0, 0, 1}, arm = {1, 0, 0};
    tp_vector before = tpi_rotate(odd.rotation, arm);
    tp_vector after = tpi_rotate(tp_pose_turn(odd, 0.3f).rotation, arm);
    CHECK_NEAR(tpi_dot(before, z), tpi_dot(after, z), 1e-6);
    CHECK_NEAR(after.x, before.x * cosf(0.3f) - before.y * sinf(0.3f), 1e-6);
    CHECK_NEAR(after.y, before.x * sinf(0.3f) + before.y * cosf(0.3f), 1e-6);
}

static const test_case cases[] = {
    TEST_CASE(sine_and_cosine_are_within_4_ulp_on_their_range),
    TEST_CASE(sine_and_cosine_are_within_4_ulp_next_to_their_zeros),
    TEST_CASE(exponential_is_within_4_ulp_and_clamped),
    TEST_CASE(scalars_do_what_their_names_say),
    TEST_CASE(conversions_by_bits_are_those_of_the_machine),
    TEST_CASE(no_turn_gives_the_bits_of_the_formula),
    TEST_CASE(rotations_turn_by_the_right_hand_and_back),
    TEST_CASE(poses_are_made_turned_and_carry_points),
    TEST_CASE(quaternions_are_interpolated_along_the_shorter_arc),
    TEST_CASE(random_numbers_are_functions_of_their_key_and_event),
    TEST_CASE(random_units_are_uniform),
    TEST_CASE(random_places_fill_the_ball_and_the_disc_evenly),
    TEST_CASE(prime_hash_has_the_published_values),
    TEST_CASE(every_table_size_is_prime_and_close),
    TEST_CASE(reduction_equals_division),
};
TEST_SUITE(base, cases);
