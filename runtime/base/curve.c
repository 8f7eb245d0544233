/* SPDX-License-Identifier: MIT
   runtime/base/curve.c - interpolation between two values: Hermite curves, slerp, fractions.
   reads   values      writes  values
   memory  none        cost    O(1)
   after   cubic Hermite with rates per second; slerp on the shorter arc (Shoemake 1985), its angle
           by Abramowitz & Stegun 4.4.46 (2e-8 rad) */
#include "base.h"

float tpi_share_of(uint64_t part, uint64_t whole)
{
    while (whole >> 24) { /* both are exact as float below 2^24 */
        whole >>= 1;
        part >>= 1;
    }
    return (float)(uint32_t)part / (float)(uint32_t)whole;
}

float tpi_curve(float x0, float x1, float v0, float v1, float share, float seconds)
{
    float u = share, w = 1.0f - u, rise = u * u * (3.0f - 2.0f * u);
    float bend = (v0 * (u * w * w) - v1 * (u * u * w)) * seconds;
    return x0 + (x1 - x0) * rise + bend;
}

float tpi_curve_rate(float x0, float x1, float v0, float v1, float share, float seconds)
{
    float u = share, w = 1.0f - u, mean = (x1 - x0) / seconds;
    return mean * (6.0f * u * w) + v0 * (w * (1.0f - 3.0f * u)) + v1 * (u * (3.0f * u - 2.0f));
}

static float curve_angle(float cosine)
{
    static const float terms[] = {-0.0012624911f, 0.0066700901f, -0.0170881256f, 0.0308918810f,
                                  -0.0501743046f, 0.0889789874f, -0.2145988016f, 1.5707963050f};
    float sum = terms[0];
    for (uint32_t i = 1; i < sizeof terms / sizeof terms[0]; i++) sum = sum * cosine + terms[i];
    return tpi_sqrt(tpi_max(1.0f - cosine, 0.0f)) * sum;
}

void tpi_slerp(const float a[4], const float b[4], float share, float to[4])
{
    float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    float sign = cosine < 0.0f ? -1.0f : 1.0f, of_a = 1.0f - share, of_b = share, square = 0.0f;
    cosine = tpi_min(cosine * sign, 1.0f);
    if (cosine < 0.9999995f) { /* below 1e-3 rad linear interpolation is accurate */
        float angle = curve_angle(cosine), scale = 1.0f / tpi_sin(angle);
        of_a = tpi_sin((1.0f - share) * angle) * scale;
        of_b = tpi_sin(share * angle) * scale;
    }
    for (uint32_t c = 0; c < 4; c++) {
        to[c] = a[c] * sign * of_a + b[c] * of_b;
        square += to[c] * to[c];
    }
    if (!(square > 1e-20f) || !tpi_is_finite(square)) return;
    float scale = 1.0f / tpi_sqrt(square);
    for (uint32_t c = 0; c < 4; c++) to[c] *= scale;
}
