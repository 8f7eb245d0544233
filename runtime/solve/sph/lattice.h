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
} tpi_lattice_walk;

TPI_INLINE tpi_lattice_walk tpi_lattice_begin(bool is_2d, float spacing)
{
    int32_t most = (int32_t)(1.0f / tpi_max(spacing, 1.0f / (float)TPI_LATTICE_DEPTH)),
            deep = is_2d ? 0 : most;
    tpi_lattice_walk walk = {spacing, most, deep, -most - 1, -most, -deep};
    return walk;
}

/* The distance of the next point, in support radii; the particle itself is a point, too. False
   after the last one. */
TPI_INLINE bool tpi_lattice_next(tpi_lattice_walk *walk, float *q)
{
    if (++walk->x > walk->most) walk->x = -walk->most, walk->y++;
    if (walk->y > walk->most) walk->y = -walk->most, walk->z++;
    if (walk->z > walk->deep) return false;
    *q = tpi_sqrt((float)(walk->x * walk->x + walk->y * walk->y + walk->z * walk->z)) *
         walk->spacing;
    return true;
}

#endif
