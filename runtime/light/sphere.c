/* SPDX-License-Identifier: MIT
   runtime/light/sphere.c - spherical lights: attenuation, windows, and light at many points.
   reads   lights and points of the caller      writes  the caller's colors
   memory  none      cost    see tp_light_points
   after   a uniform sphere of radius r at the distance D of its center gives pi L (r / D)^2
           cos(angle) exactly while it is wholly above the horizon; windows map the distance to one
           that is infinite at the reach, so that value and slope end at zero */
#include "light.h"

/* ---- checks ---- */

static bool light_is_color(float channel)
{
    return channel == 0.0f || tpi_is_within(channel, 1e-6f, 1e9f);
}

const char *tp_light_check(const tp_light *light)
{
    if (!light) return TPI_TEXT("the light is null");
    if (!tpi_is_vector_within(light->position, 1e9f))
        return TPI_TEXT("position must be finite and within 1e9 m");
    if (!tpi_is_within(light->radius, 1e-4f, 1e6f)) return TPI_TEXT("radius must be 1e-4 to 1e6");
    if (!light_is_color(light->radiance.x) || !light_is_color(light->radiance.y) ||
        !light_is_color(light->radiance.z))
        return TPI_TEXT("each channel of radiance must be 0, or 1e-6 to 1e9");
    if (!tpi_is_within(light->reach, 1e-4f, 1e9f)) return TPI_TEXT("reach must be 1e-4 to 1e9");
    if ((uint32_t)light->window > TP_LIGHT_ENDLESS)
        return TPI_TEXT("window must be a value of tp_light_window");
    return NULL;
}

static bool light_is_sh(const tp_sh *sh)
{
    bool is_good = true;
    for (uint32_t k = 0; sh && k < TP_SH_COUNT; k++)
        is_good &= tpi_is_vector_within(sh->of[k], 1e12f);
    return is_good;
}

tp_result tpi_light_check_all(const tp_lighting *lighting)
{
    if (!lighting || (lighting->light_count && !lighting->lights)) return TP_ERROR_NULL;
    if (lighting->light_count > TP_LIGHTS_MAX || !light_is_sh(lighting->ambient))
        return TP_ERROR_QUERY;
    for (uint32_t k = 0; k < lighting->light_count; k++)
        if (tp_light_check(&lighting->lights[k])) return TP_ERROR_QUERY;
    const tp_shadow *shadow = lighting->shadow;
    if (!shadow) return TP_OK;
    if (!shadow->is_ready) return TP_ERROR_EMPTY;
    return tpi_shadow_check(shadow, shadow->light_count);
}

/* ---- attenuation ---- */

float tp_light_reach(float radius, float radiance, float threshold)
{
    if (!(radius > 0.0f) || !(threshold > 0.0f) || !(radiance > threshold)) return 0.0f;
    float reach = radius * (tpi_sqrt(radiance / threshold) - 1.0f);
    return tpi_is_finite(reach) ? tpi_min(reach, 1e9f) : 0.0f;
}

/* sin(pi/2 share), 0 <= share <= 1: the polynomial of degree 9 through Chebyshev nodes, within 2
   units of the last digit. */
static tpi_lanes light_sine(tpi_lanes share)
{
    tpi_lanes s = share * share;
    tpi_lanes high = s * (s * 1.5167170e-4f - 4.6741436e-3f) + 7.9689920e-2f;
    return share * (s * (s * high - 0.64596379f) + 1.57079637f);
}

/* The sine of the half angle of the light. Written without the mapped distance, which is infinite
   at the reach: distance' = distance * low / high, and r / (distance' + r). */
static tpi_lanes light_sine_of_angle(const tp_light *light, tpi_lanes distance)
{
    float reach = light->reach, radius = light->radius;
    tpi_lanes left = tpi_lanes_max(reach - distance, tpi_lanes_of(0.0f)), high;
    switch (light->window) {
    case TP_LIGHT_RATIONAL:
        high = radius * (left * (distance + reach));
        return high / (distance * (reach * reach) + high);
    case TP_LIGHT_TANGENT: {
        float per = 1.0f / reach;
        high = radius * light_sine(left * per);
        return high / (light_sine(tpi_lanes_min(distance * per, tpi_lanes_of(1.0f))) *
                           (0.636619772f * reach) +
                       high);
    }
    default: return radius / (distance + radius);
    }
}

tpi_lanes tpi_light_falloff(const tp_light *light, tpi_lanes distance)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    tpi_lanes sine = light_sine_of_angle(light, distance), square = sine * sine;
    if (light->window == TP_LIGHT_ENDLESS) return tpi_lanes_flush(square);
    if (light->window == TP_LIGHT_BIASED) {
        float end = light->radius / (light->reach + light->radius), cut = end * end;
        if (cut < 1.0f) square = (square - cut) / (1.0f - cut);
    }
    square = tpi_lanes_select(tpi_lanes_less(distance, tpi_lanes_of(light->reach)), square, zero);
    return tpi_lanes_flush(tpi_lanes_max(square, zero));
}

float tp_light_falloff(const tp_light *light, float distance)
{
    if (tp_light_check(light) || !tpi_is_finite(distance)) return 0.0f;
    tpi_lanes falloff = tpi_light_falloff(light, tpi_lanes_of(tpi_max(distance, 0.0f)));
    return TPI_LANE(falloff, 0);
}

/* ---- light at points ---- */

/* The share of pi L that a light gives. A ball gets a quarter of what passes through a point, and
   the solid angle of the light is 2 pi (1 - cos) = 2 pi sin^2 / (1 + cos). */
static tpi_lanes light_weight(const tp_light *light, const tpi_light_rows *points,
                              const tpi_light_rows *normals)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f), one = tpi_lanes_of(1.0f);
    const tpi_lanes radius = tpi_lanes_of(light->radius);
    tpi_light_rows way = {light->position.x - points->x, light->position.y - points->y,
                          light->position.z - points->z};
    tpi_lanes length = tpi_lanes_sqrt(tpi_light_dot(way, way));
    tpi_lanes falloff = tpi_light_falloff(light, tpi_lanes_max(length - radius, zero));
    if (!normals) return tpi_lanes_flush(0.5f * falloff / (one + tpi_lanes_sqrt(one - falloff)));
    tpi_lanes along = tpi_light_dot(way, *normals) / tpi_lanes_max(length, radius);
    return tpi_lanes_flush(falloff * tpi_lanes_max(along, zero));
}

tpi_light_rows tpi_light_at(const tp_lighting *lighting, const tpi_light_rows *points,
                            const tpi_light_rows *normals)
{
    tpi_light_rows sum = tpi_light_each(tpi_vector(0.0f, 0.0f, 0.0f));
    const tp_shadow *shadow = lighting->shadow;
    tpi_shadow_spot spot;
    if (shadow) tpi_shadow_place(shadow, points, &spot);
    for (uint32_t k = 0; k < lighting->light_count; k++) {
        const tp_light *light = &lighting->lights[k];
        tpi_lanes weight = light_weight(light, points, normals);
        if (shadow && k < shadow->light_count)
            weight = tpi_lanes_flush(weight * tpi_shadow_through(shadow, k, &spot));
        sum = tpi_light_add(sum, light->radiance, weight);
    }
    sum.x *= TPI_LIGHT_PI;
    sum.y *= TPI_LIGHT_PI;
    sum.z *= TPI_LIGHT_PI;
    if (lighting->ambient) {
        tpi_light_rows ambient = tpi_sh_at(lighting->ambient, normals);
        sum = (tpi_light_rows){sum.x + ambient.x, sum.y + ambient.y, sum.z + ambient.z};
    }
    return (tpi_light_rows){tpi_lanes_flush(sum.x), tpi_lanes_flush(sum.y), tpi_lanes_flush(sum.z)};
}

/* ---- many points, in slices ---- */

/* `count` vectors of the caller, 1..TPI_LANES; the last one in the lanes that are left. */
static tpi_light_rows light_gather(const tp_vector *vectors, uint32_t count)
{
    tpi_light_rows rows;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        tp_vector a = vectors[tpi_min_u32(k, count - 1u)];
        TPI_LANE(rows.x, k) = a.x;
        TPI_LANE(rows.y, k) = a.y;
        TPI_LANE(rows.z, k) = a.z;
    }
    return rows;
}

static bool light_is_within(const tpi_light_rows *rows, float limit)
{
    tpi_lane_mask x = tpi_lanes_at_most(tpi_lanes_magnitude(rows->x), tpi_lanes_of(limit));
    tpi_lane_mask y = tpi_lanes_at_most(tpi_lanes_magnitude(rows->y), tpi_lanes_of(limit));
    tpi_lane_mask z = tpi_lanes_at_most(tpi_lanes_magnitude(rows->z), tpi_lanes_of(limit));
    return tpi_lanes_bits(tpi_lanes_and(tpi_lanes_and(x, y), z)) == TPI_LANES_ALL;
}

/* At most TPI_LANES points. False: one of them, or a normal, is out of range. */
static bool light_some(const tp_lighting *lighting, const tp_vector *points,
                       const tp_vector *normals, uint32_t count, tp_vector *irradiance)
{
    tpi_light_rows point = light_gather(points, count), normal;
    if (!light_is_within(&point, 1e9f)) return false;
    if (normals) {
        normal = light_gather(normals, count);
        if (!light_is_within(&normal, 1.01f)) return false;
    }
    tpi_light_rows light = tpi_light_at(lighting, &point, normals ? &normal : NULL);
    for (uint32_t k = 0; k < count; k++) irradiance[k] = tpi_light_lane(&light, k);
    return true;
}

uint32_t tpi_light_end(const tp_lighting *lighting, uint32_t count, uint32_t units,
                       const uint32_t *done)
{
    uint32_t from = 0;
    if (done) from = tpi_min_u32(*done, count);
    uint32_t most = units / TP_LIGHT_UNITS(lighting->light_count);
    return units ? from + tpi_min_u32(tpi_max_u32(most, 1u), count - from) : count;
}

tp_result tp_light_points(const tp_lighting *lighting, const tp_vector *points,
                          const tp_vector *normals, uint32_t count, uint32_t units, uint32_t *done,
                          tp_vector *irradiance)
{
    tp_result result = tpi_light_check_all(lighting);
    if (result == TP_OK && ((count && (!points || !irradiance)) || (units && !done)))
        result = TP_ERROR_NULL;
    if (result != TP_OK) return result;
    uint32_t end = tpi_light_end(lighting, count, units, done);
    for (uint32_t i = done ? *done : 0u; i < end; i += TPI_LANES)
        if (!light_some(lighting, points + i, normals ? normals + i : NULL,
                        tpi_min_u32(TPI_LANES, end - i), irradiance + i))
            return TP_ERROR_QUERY;
    if (done) *done = end;
    return end < count ? TP_MORE : TP_OK;
}
