/* SPDX-License-Identifier: MIT
   tests/physics/crossing.h - whether an edge crosses a triangle, in double precision.
   reads   positions      writes  nothing
   memory  none      cost    O(1)
   after   signs of the volumes of five tetrahedra */
#ifndef TIDEPOOL_TESTS_CROSSING_H
#define TIDEPOOL_TESTS_CROSSING_H
#include <stdbool.h>
#include <stdint.h>

/* Six times the volume of a tetrahedron. */
static inline double crossing_volume(const double a[3], const double b[3], const double c[3],
                                     const double d[3])
{
    double u[3], v[3], w[3];
    for (uint32_t k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static inline bool crossing_is(const double p[3], const double q[3], const double a[3],
                               const double b[3], const double c[3])
{
    if (crossing_volume(p, a, b, c) * crossing_volume(q, a, b, c) >= 0) return false;
    double u = crossing_volume(p, q, a, b), v = crossing_volume(p, q, b, c),
           w = crossing_volume(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

#endif
