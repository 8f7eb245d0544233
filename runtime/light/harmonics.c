/* SPDX-License-Identifier: MIT
   runtime/light/harmonics.c - spherical harmonics of order 2: projection, rotation, irradiance.
   reads   coefficients of the caller      writes  coefficients of the caller
   memory  none      cost    O(1) each, of lights O(lights)
   after   Ramamoorthi and Hanrahan 2001, equation 13 (irradiance in the fast form); rotation of
           order 2 as a symmetric matrix without trace, own design */
#include "light.h"

/* The basis, all signs positive: coefficients 0, 1..3, 4 5 7, 6, 8. */
#define SH_0  0.282094792f
#define SH_1  0.488602512f
#define SH_2  1.092548431f
#define SH_20 0.315391565f
#define SH_22 0.546274215f

static void sh_basis(tp_vector d, float basis[TP_SH_COUNT])
{
    basis[0] = SH_0;
    basis[1] = SH_1 * d.y;
    basis[2] = SH_1 * d.z;
    basis[3] = SH_1 * d.x;
    basis[4] = SH_2 * (d.x * d.y);
    basis[5] = SH_2 * (d.y * d.z);
    basis[6] = SH_20 * (3.0f * (d.z * d.z) - 1.0f);
    basis[7] = SH_2 * (d.x * d.z);
    basis[8] = SH_22 * (d.x * d.x - d.y * d.y);
}

static tp_vector sh_flush(tp_vector a)
{
    return tpi_vector(tpi_flush(a.x), tpi_flush(a.y), tpi_flush(a.z));
}

/* ---- projection ---- */

void tpi_sh_add_orders(tp_sh *sh, tp_vector direction, tp_vector color, const float factor[3])
{
    float basis[TP_SH_COUNT];
    sh_basis(direction, basis);
    for (uint32_t k = 0; k < TP_SH_COUNT; k++) {
        float weight = basis[k] * factor[k == 0 ? 0 : k < 4 ? 1 : 2];
        sh->of[k] = sh_flush(tpi_add_scaled(sh->of[k], color, weight));
    }
}

void tp_sh_add(tp_sh *sh, tp_vector direction, tp_vector irradiance)
{
    const float each[3] = {1.0f, 1.0f, 1.0f};
    if (sh) tpi_sh_add_orders(sh, direction, irradiance, each);
}

/* The integrals of the Legendre polynomials over a hemisphere are 2 pi, pi and 0. */
void tp_sh_add_sky(tp_sh *sh, tp_vector up, tp_vector above, tp_vector below)
{
    const float hemisphere[3] = {2.0f * TPI_LIGHT_PI, TPI_LIGHT_PI, 0.0f};
    if (!sh) return;
    tpi_sh_add_orders(sh, up, above, hemisphere);
    tpi_sh_add_orders(sh, tpi_vector(-up.x, -up.y, -up.z), below, hemisphere);
}

/* Over a disc of half angle a: 2 pi (1 - cos a), pi sin^2 a, and pi cos a sin^2 a. */
static void sh_add_light(tp_sh *sh, tp_vector point, const tp_light *light)
{
    tp_vector way = tpi_sub(light->position, point);
    float distance = tpi_max(tpi_length(way) - light->radius, 0.0f);
    float square = tp_light_falloff(light, distance), cosine = tpi_sqrt(1.0f - square);
    float disc = TPI_LIGHT_PI * square;
    const float factor[3] = {2.0f * disc / (1.0f + cosine), disc, disc * cosine};
    tpi_sh_add_orders(sh, tpi_normalise(way, tpi_vector(0.0f, 1.0f, 0.0f)), light->radiance,
                      factor);
}

tp_result tp_sh_add_lights(tp_sh *sh, tp_vector point, const tp_light *lights, uint32_t count)
{
    const tp_lighting lighting = {lights, count, NULL, NULL};
    if (!sh) return TP_ERROR_NULL;
    tp_result result = tpi_light_check_all(&lighting);
    if (result == TP_OK && !tpi_is_vector_within(point, 1e9f)) result = TP_ERROR_QUERY;
    for (uint32_t k = 0; k < count && result == TP_OK; k++) sh_add_light(sh, point, &lights[k]);
    return result;
}

/* ---- rotation ---- */

/* Order 2 is the form d M d of a symmetric matrix without trace. Its rows, over SH_22: */
static void sh_matrix(const float of[5], tp_vector rows[3])
{
    const float third = 0.577350269f * of[2]; /* 1 / sqrt(3) */
    rows[0] = tpi_vector(of[4] - third, of[0], of[3]);
    rows[1] = tpi_vector(of[0], -of[4] - third, of[1]);
    rows[2] = tpi_vector(of[3], of[1], 2.0f * third);
}

static void sh_from_matrix(const tp_vector rows[3], float of[5])
{
    of[0] = rows[0].y;
    of[1] = rows[1].z;
    of[2] = 0.866025404f * rows[2].z; /* sqrt(3) / 2 */
    of[3] = rows[0].z;
    of[4] = 0.5f * (rows[0].x - rows[1].y);
}

/* R M R^T: the rows turned, then the columns. */
static void sh_turn(tp_quaternion q, float of[5])
{
    tp_vector rows[3], turned[3];
    sh_matrix(of, rows);
    for (uint32_t k = 0; k < 3; k++) rows[k] = tpi_rotate(q, rows[k]);
    for (uint32_t k = 0; k < 3; k++) {
        tp_vector column = {tpi_component(rows[0], k), tpi_component(rows[1], k),
                            tpi_component(rows[2], k)};
        turned[k] = tpi_rotate(q, column);
    }
    sh_from_matrix(turned, of);
}

static float *sh_channel(tp_vector *of, uint32_t channel)
{
    return channel == 0 ? &of->x : channel == 1 ? &of->y : &of->z;
}

void tp_sh_rotate(tp_sh *sh, tp_quaternion rotation)
{
    for (uint32_t channel = 0; sh && channel < 3; channel++) {
        float *line[TP_SH_COUNT], square[5];
        for (uint32_t k = 0; k < TP_SH_COUNT; k++) line[k] = sh_channel(&sh->of[k], channel);
        tp_vector along = tpi_rotate(rotation, tpi_vector(*line[3], *line[1], *line[2]));
        *line[1] = tpi_flush(along.y);
        *line[2] = tpi_flush(along.z);
        *line[3] = tpi_flush(along.x);
        for (uint32_t k = 0; k < 5; k++) square[k] = *line[4 + k];
        sh_turn(rotation, square);
        for (uint32_t k = 0; k < 5; k++) *line[4 + k] = tpi_flush(square[k]);
    }
}

void tp_sh_flip(tp_sh *sh)
{
    static const uint8_t odd[4] = {1, 3, 5, 7};
    for (uint32_t k = 0; sh && k < 4; k++) sh->of[odd[k]] = tpi_scale(sh->of[odd[k]], -1.0f);
}

/* ---- what the coefficients say ---- */

tp_vector tp_sh_radiance(const tp_sh *sh, tp_vector direction)
{
    float basis[TP_SH_COUNT];
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    sh_basis(direction, basis);
    for (uint32_t k = 0; sh && k < TP_SH_COUNT; k++) sum = tpi_add_scaled(sum, sh->of[k], basis[k]);
    return sh_flush(sum);
}

/* The constants are those of the basis times pi, 2 pi / 3 and pi / 4: what the cosine of Lambert's
   law leaves of orders 0, 1 and 2. */
tpi_light_rows tpi_sh_at(const tp_sh *sh, const tpi_light_rows *normals)
{
    const tp_vector *of = sh->of;
    tpi_light_rows sum = tpi_light_each(tpi_scale(of[0], 0.886226925f));
    if (!normals) return sum;
    tpi_lanes x = normals->x, y = normals->y, z = normals->z;
    sum = tpi_light_add(sum, of[1], 1.023326708f * y);
    sum = tpi_light_add(sum, of[2], 1.023326708f * z);
    sum = tpi_light_add(sum, of[3], 1.023326708f * x);
    sum = tpi_light_add(sum, of[4], 0.858085531f * (x * y));
    sum = tpi_light_add(sum, of[5], 0.858085531f * (y * z));
    sum = tpi_light_add(sum, of[6], 0.743123870f * (z * z) - 0.247707957f);
    sum = tpi_light_add(sum, of[7], 0.858085531f * (x * z));
    return tpi_light_add(sum, of[8], 0.429042765f * (x * x - y * y));
}

tp_vector tp_sh_irradiance(const tp_sh *sh, tp_vector normal)
{
    if (!sh) return tpi_vector(0.0f, 0.0f, 0.0f);
    tpi_light_rows normals = tpi_light_each(normal), irradiance = tpi_sh_at(sh, &normals);
    return sh_flush(tpi_light_lane(&irradiance, 0));
}
#undef SH_0
#undef SH_1
#undef SH_2
#undef SH_20
#undef SH_22
