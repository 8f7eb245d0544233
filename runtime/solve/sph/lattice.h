/* SPDX-License-Identifier: MIT
   runtime/solve/sph/lattice.h - the points of a fluid at rest around one of its particles: a square
           or cubic lattice.
   reads   its spacing      writes  nothing
   memory  a cursor         cost    at most 13^2 or 13^3 points
   after   own design; constants of kernels are sums over these points */
#ifndef TPI_LATTICE_H
#define TPI_LATTICE_H
#include "../../base/base.h"

/* Points beyond so many spacings are left out. */
#define TPI_LATTICE_DEPTH 6

typedef struct tpi_lattice_walk {
    float spacing; /* in support radii */
    int32_t most, deep, x, y, z;
    int32_t squared; /* limit of x^2 + y^2 + z^2: points beyond it add 0 to every sum */
} tpi_lattice_walk;

/* A point at a larger square of a distance, in spacings, is beyond the support radius. */
TPI_INLINE int32_t tpi_lattice_squared(float spacing)
{
    return (int32_t)tpi_min(1.001f / tpi_max(spacing * spacing, 1e-6f), 1000.0f);
}

TPI_INLINE tpi_lattice_walk tpi_lattice_begin(bool is_2d, float spacing)
{
    int32_t most = (int32_t)(1.0f / tpi_max(spacing, 1.0f / (float)TPI_LATTICE_DEPTH)),
            deep = is_2d ? 0 : most;
    tpi_lattice_walk walk = {
        spacing, most, deep, -most - 1, -most, -deep, tpi_lattice_squared(spacing)};
    return walk;
}

/* The distance of the next point, in support radii; the particle itself is a point, too. False
   after the last one. */
TPI_INLINE bool tpi_lattice_next(tpi_lattice_walk *walk, float *q)
{
    int32_t square;
    do {
        if (++walk->x > walk->most) walk->x = -walk->most, walk->y++;
        if (walk->y > walk->most) walk->y = -walk->most, walk->z++;
        if (walk->z > walk->deep) return false;
        square = walk->x * walk->x + walk->y * walk->y + walk->z * walk->z;
    } while (square > walk->squared);
    *q = tpi_sqrt((float)square) * walk->spacing;
    return true;
}

#endif
