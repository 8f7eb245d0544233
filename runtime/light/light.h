/* SPDX-License-Identifier: MIT
   runtime/light/light.h - light that reaches a vector of points from spheres and from far away.
   reads   lights and coefficients of the caller      writes  its results
   memory  registers      cost    one square root and two divisions per light and vector of points
   after   Lambert's law for a sphere above the horizon: irradiance is pi L (r / D)^2 cos(angle);
           Ramamoorthi and Hanrahan 2001 (irradiance of spherical harmonics of order 2) */
#ifndef TPI_LIGHT_H
#define TPI_LIGHT_H
#include "../base/base.h"
#include "../base/lanes.h"

#define TPI_LIGHT_PI 3.14159265f

/* TPI_LANES vectors, by component; or as many colors, by channel. */
typedef struct tpi_light_rows {
    tpi_lanes x, y, z;
} tpi_light_rows;

TPI_INLINE tpi_light_rows tpi_light_each(tp_vector a)
{
    return (tpi_light_rows){tpi_lanes_of(a.x), tpi_lanes_of(a.y), tpi_lanes_of(a.z)};
}
TPI_INLINE tpi_lanes tpi_light_dot(tpi_light_rows a, tpi_light_rows b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/* a + color * weight, by channel */
TPI_INLINE tpi_light_rows tpi_light_add(tpi_light_rows a, tp_vector color, tpi_lanes weight)
{
    return (tpi_light_rows){a.x + weight * color.x, a.y + weight * color.y, a.z + weight * color.z};
}
TPI_INLINE tp_vector tpi_light_lane(const tpi_light_rows *a, uint32_t k)
{
    return tpi_vector(TPI_LANE(a->x, k), TPI_LANE(a->y, k), TPI_LANE(a->z, k));
}

/* Null, or what is wrong with the lights and the coefficients. */
TPI_FUNC tp_result tpi_light_check_all(const tp_lighting *lighting);
/* sin^2 of the half angle that a light seems to have at a distance of its surface, after the
   window: 1 at its surface, 0 from its reach on. */
TPI_FUNC tpi_lanes tpi_light_falloff(const tp_light *light, tpi_lanes distance);
/* W/m^2: on surfaces with these normals, or if null on a small ball, per area of the ball. */
TPI_FUNC tpi_light_rows tpi_light_at(const tp_lighting *lighting, const tpi_light_rows *points,
                                     const tpi_light_rows *normals);
/* The number of points that are done after a call with these units. */
TPI_FUNC uint32_t tpi_light_end(const tp_lighting *lighting, uint32_t count, uint32_t units,
                                const uint32_t *done);

/* ---- shadows (shadow.c) ---- */

/* Points in a shadow's grid: the nodes around them, and their weights. */
typedef struct tpi_shadow_spot {
    tpi_lane_ints node[8];
    tpi_lanes weight[8];
} tpi_shadow_spot;
/* TP_OK, NULL or QUERY: whether a shadow has good numbers and arrays for so many lights. */
TPI_FUNC tp_result tpi_shadow_check(const tp_shadow *shadow, uint32_t light_count);
TPI_FUNC void tpi_shadow_place(const tp_shadow *shadow, const tpi_light_rows *points,
                               tpi_shadow_spot *spot);
/* The share of a light that gets through to these points. */
TPI_FUNC tpi_lanes tpi_shadow_through(const tp_shadow *shadow, uint32_t light,
                                      const tpi_shadow_spot *spot);

/* ---- harmonics (harmonics.c) ---- */

/* W/m^2: that of the coefficients; the mean of all normals if they are null. */
TPI_FUNC tpi_light_rows tpi_sh_at(const tp_sh *sh, const tpi_light_rows *normals);
/* Adds a color from a direction of unit length, times a factor for each order. */
TPI_FUNC void tpi_sh_add_orders(tp_sh *sh, tp_vector direction, tp_vector color,
                                const float factor[3]);

#endif
