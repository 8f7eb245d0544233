/* SPDX-License-Identifier: MIT
   runtime/base/math.c - sine, cosine, exponential and rotations with equal bits on all IEEE 754
           machines.
   reads   its arguments      writes  its results
   memory  none               cost    O(1): about 15 multiplications per function
   after   argument reduction in parts (Cody and Waite 1980), Taylor polynomials on the reduced
           range */
#include "base.h"

/* pi/2 in five parts. All but the last have at most 11 bits, so that their products with |n| < 2^13
   are exact. The reduced argument is accurate to a part in 2^23 even next to a multiple of pi/2,
   where it is tiny. */
#define TPI_HALF_PI_1 1.5703125f
#define TPI_HALF_PI_2 4.8375129699707031e-4f
#define TPI_HALF_PI_3 7.549533620476723e-8f
#define TPI_HALF_PI_4 2.5632829192545614e-12f
#define TPI_HALF_PI_5 6.123234262925839e-17f

#define TPI_ANGLE_MAX 8192.0f

/* Taylor series on [-pi/4, pi/4]: the first omitted term is below 2^-25 of the result. */
static float math_sine_core(float x)
{
    float s = x * x;
    float tail =
        s * (-1.0f / 6.0f + s * (1.0f / 120.0f + s * (-1.0f / 5040.0f + s * (1.0f / 362880.0f))));
    return x + x * tail;
}

static float math_cosine_core(float x)
{
    float s = x * x;
    return 1.0f + s * (-0.5f + s * (1.0f / 24.0f + s * (-1.0f / 720.0f + s * (1.0f / 40320.0f))));
}

/* sin(angle + quarter * pi/2) */
static float math_sine_quarter(float angle, int32_t quarter)
{
    angle = tpi_clamp(angle, -TPI_ANGLE_MAX, TPI_ANGLE_MAX);
    int32_t turns = tpi_floor(angle * 0.63661977f + 0.5f);
    float n = (float)turns;
    float x = ((angle - n * TPI_HALF_PI_1) - n * TPI_HALF_PI_2) - n * TPI_HALF_PI_3;
    x = (x - n * TPI_HALF_PI_4) - n * TPI_HALF_PI_5;
    uint32_t quadrant = (uint32_t)(turns + quarter) & 3u;
    float value = (quadrant & 1u) ? math_cosine_core(x) : math_sine_core(x);
    return (quadrant & 2u) ? -value : value;
}

float tpi_sin(float angle) { return math_sine_quarter(angle, 0); }
float tpi_cos(float angle) { return math_sine_quarter(angle, 1); }

float tpi_exp(float value)
{
    value = tpi_clamp(value, -87.0f, 88.0f);
    int32_t power = tpi_floor(value * 1.44269504f + 0.5f);
    float n = (float)power;
    float x = (value - n * 0.693359375f) + n * 2.12194440e-4f; /* ln 2 in two parts */
    float series = 1.0f / 120.0f + x * (1.0f / 720.0f + x * (1.0f / 5040.0f));
    series = 1.0f + x * (1.0f + x * (0.5f + x * (1.0f / 6.0f + x * (1.0f / 24.0f + x * series))));
    return series * tpi_from_bits((uint32_t)(power + 127) << 23);
}

tp_vector tpi_normalise(tp_vector a, tp_vector otherwise)
{
    float length = tpi_length(a);
    return length < 1e-20f ? otherwise : tpi_scale(a, 1.0f / length);
}

/* Finite, and not -0: adding a zero of any sign changes no bit. */
static bool rotate_keeps(float a)
{
    return tpi_bits(a) != 0x80000000u && tpi_magnitude(a) < 0xff000000u;
}

tp_vector tpi_rotate(tp_quaternion q, tp_vector a)
{
    /* no turn, as of most colliders: below all products are zeros */
    if (!(tpi_magnitude(q.x) | tpi_magnitude(q.y) | tpi_magnitude(q.z)) && rotate_keeps(a.x) &&
        rotate_keeps(a.y) && rotate_keeps(a.z))
        return a;
    tp_vector axis = {q.x, q.y, q.z};
    tp_vector twice = tpi_scale(tpi_cross(axis, a), 2.0f);
    return tpi_add(tpi_add_scaled(a, twice, q.w), tpi_cross(axis, twice));
}

tp_vector tpi_rotate_back(tp_quaternion q, tp_vector a)
{
    return tpi_rotate((tp_quaternion){q.w, -q.x, -q.y, -q.z}, a);
}

tp_quaternion tpi_quaternion_lerp(tp_quaternion a, tp_quaternion b, float t)
{
    float dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    float s = dot < 0.0f ? -t : t, r = 1.0f - t;
    tp_quaternion q = {a.w * r + b.w * s, a.x * r + b.x * s, a.y * r + b.y * s, a.z * r + b.z * s};
    float length = tpi_sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (length < 1e-20f) return a;
    float scale = 1.0f / length;
    return (tp_quaternion){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

tp_pose tpi_pose_lerp(tp_pose a, tp_pose b, float t)
{
    return (tp_pose){tpi_lerp(a.position, b.position, t),
                     tpi_quaternion_lerp(a.rotation, b.rotation, t)};
}

/* Cosine and sine of half an angle; 0, of no rotation, out of the range of tpi_sin. */
static tp_quaternion math_about_z(float angle)
{
    tp_quaternion q = {0.0f, 0.0f, 0.0f, 0.0f};
    if (!tpi_is_within(angle, -TPI_ANGLE_MAX, TPI_ANGLE_MAX)) return q;
    q.w = tpi_cos(0.5f * angle);
    q.z = tpi_sin(0.5f * angle);
    return q;
}

tp_pose tp_pose_make(float x, float y, float angle)
{
    return (tp_pose){{x, y, 0.0f}, math_about_z(angle)};
}

tp_pose tp_pose_turn(tp_pose pose, float angle)
{
    tp_quaternion q = pose.rotation, turn = math_about_z(angle);
    float c = turn.w, s = turn.z;
    q = (tp_quaternion){c * q.w - s * q.z, c * q.x - s * q.y, c * q.y + s * q.x, c * q.z + s * q.w};
    pose.rotation = tpi_quaternion_lerp(q, q, 0.0f); /* of unit length */
    return pose;
}

tp_vector tp_pose_point(tp_pose pose, tp_vector point) { return tpi_to_world(pose, point); }

#undef TPI_HALF_PI_1
#undef TPI_HALF_PI_2
#undef TPI_HALF_PI_3
#undef TPI_HALF_PI_4
#undef TPI_HALF_PI_5
#undef TPI_ANGLE_MAX
