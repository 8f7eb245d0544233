/* SPDX-License-Identifier: MIT
   runtime/solve/sph/lattice.h - the points of a fluid at rest around one of its particles: a square
           or cubic lattice.
   reads   its spacing      writes  nothing
   memory  a cursor         cost    at most 13^2 or 13^3 points
   after   own design; constants of kernels are sums over these points. A fluid keeps them: a change
           of its settings inside of a frame takes effect at the frame's end, where nothing that
           long may run */
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

/* Of (1 - q)^3, and the part of its gradient along a distance. */
typedef struct tpi_kernel_lattice {
    float sum, gradient;
} tpi_kernel_lattice;

/* Of (1 - q)^3 with the point itself, of the viscous weight, and of q times the work of a pair. */
typedef struct tpi_central_lattice {
    float sum, whole, work;
} tpi_central_lattice;

/* Of q^2 nx^2 ny^2 times a kernel over the neighbours in rows along x that slide past each other,
   for the viscous weight and for (1 - q)^3: points are half a spacing apart along x, and count as
   half. */
typedef struct tpi_central_shear {
    float weight, cube;
} tpi_central_shear;

/* Of w r^2 along one axis, in support radii squared, and the bound of the sum of w. */
typedef struct tpi_heat_lattice {
    float spread, bound;
} tpi_heat_lattice;

/* All that a fluid needs. Besides the two numbers that come first they depend on its dimensions and
   support radius, which no change of a world alters. */
typedef struct tpi_lattice_sums {
    float count;        /* particles per m^2 or m^3 at rest; 0: no sums were made */
    float heat_spacing; /* m: between particles at rest; 0 without heat */
    float spacing;      /* m: of a lattice of `count` */
    tpi_kernel_lattice kernel;
    tpi_central_lattice central;
    tpi_central_shear shear;
    tpi_heat_lattice heat;
} tpi_lattice_sums;

TPI_FUNC tpi_central_lattice tpi_central_lattice_of(bool is_2d, float spacing);
TPI_FUNC tpi_central_shear tpi_central_shear_of(bool is_2d, float spacing);
TPI_FUNC tpi_heat_lattice tpi_heat_lattice_of(bool is_2d, float spacing);

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
