/* SPDX-License-Identifier: MIT
   tests/physics/covered.h - area or volume that a fluid covers, counted in cells.
   reads   positions of particles      writes  nothing
   memory  8 bytes per cell that a particle covers      cost    O(n log n) of these
   after   own design: closing of a set of points (Matheron 1975), a dilation and a smaller erosion
 */
#ifndef TIDEPOOL_COVERED_H
#define TIDEPOOL_COVERED_H
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define COVERED_CELLS  4      /* per spacing of particles at rest */
#define COVERED_RADIUS 1.0    /* of a disc or ball around each, in spacings: leaves no hole */
#define COVERED_INNER  2      /* cells by which what they cover is made smaller again */
#define COVERED_REACH  4      /* cells: a ball is within so many of its centre's cell */
#define COVERED_ORIGIN 524288 /* coordinates of cells are above 0, and have 21 bits */

static inline int covered_compare(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return first < second ? -1 : first > second;
}

static inline uint64_t covered_key(const int64_t cell[3])
{
    return (uint64_t)cell[0] << 42 | (uint64_t)cell[1] << 21 | (uint64_t)cell[2];
}

/* Appends the cells whose centres are within a disc or ball around a point. */
static inline size_t covered_add(const double at[3], uint32_t dimensions, uint64_t *keys)
{
    const double most = COVERED_RADIUS * COVERED_CELLS * COVERED_RADIUS * COVERED_CELLS;
    const int deep = dimensions == 3 ? COVERED_REACH : 0;
    int64_t middle[3], cell[3];
    size_t count = 0;
    for (uint32_t axis = 0; axis < 3; axis++) middle[axis] = (int64_t)floor(at[axis]);
    for (int dx = -COVERED_REACH; dx <= COVERED_REACH; dx++)
        for (int dy = -COVERED_REACH; dy <= COVERED_REACH; dy++)
            for (int dz = -deep; dz <= deep; dz++) {
                const int64_t to[3] = {middle[0] + dx, middle[1] + dy, middle[2] + dz};
                double square = 0;
                for (uint32_t axis = 0; axis < dimensions; axis++) {
                    double apart = (double)to[axis] + 0.5 - at[axis];
                    square += apart * apart;
                }
                for (uint32_t axis = 0; axis < 3; axis++) cell[axis] = to[axis] + COVERED_ORIGIN;
                if (square <= most) keys[count++] = covered_key(cell);
            }
    return count;
}

/* Cells of the sorted list that have the cells COVERED_INNER away along each axis in it, too. */
static inline size_t covered_inner(const uint64_t *keys, size_t count, uint32_t dimensions)
{
    size_t inner = 0;
    for (size_t k = 0; k < count; k++) {
        bool is_inner = true;
        for (uint32_t axis = 0; axis < dimensions && is_inner; axis++) {
            uint64_t step = (uint64_t)COVERED_INNER << (42 - 21 * axis),
                     to[2] = {keys[k] - step, keys[k] + step};
            for (uint32_t side = 0; side < 2 && is_inner; side++)
                is_inner = bsearch(&to[side], keys, count, sizeof *keys, covered_compare) != NULL;
        }
        inner += is_inner;
    }
    return inner;
}

/* m^2 or m^3 that the particles cover, half a spacing around the outermost ones included. A lattice
   at rest covers as much as it has particles, a single particle about that. */
static inline double covered_volume(const tp_world *world, double spacing)
{
    const tp_view view = tp_world_view(world);
    const uint32_t dimensions = tp_world_definition(world)->dimensions;
    const size_t most = dimensions == 3 ? 400 : 80; /* cells in a ball or disc: 268 and 50 */
    uint64_t *keys = malloc((view.count * most + 1) * sizeof *keys);
    size_t count = 0, unique = 0;
    if (!CHECK(keys != NULL)) return 0;
    for (uint32_t i = 0; i < view.count; i++) {
        const double scale = COVERED_CELLS / spacing;
        const double at[3] = {scale * (double)view.x[i], scale * (double)view.y[i],
                              view.z ? scale * (double)view.z[i] : 0};
        count += covered_add(at, dimensions, keys + count);
    }
    qsort(keys, count, sizeof *keys, covered_compare);
    for (size_t k = 0; k < count; k++)
        if (!k || keys[k] != keys[k - 1]) keys[unique++] = keys[k];
    double inner = (double)covered_inner(keys, unique, dimensions);
    free(keys);
    return inner * pow(spacing / COVERED_CELLS, dimensions);
}

#endif
