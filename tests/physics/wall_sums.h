/* SPDX-License-Identifier: MIT
   tests/physics/wall_sums.h - sums of a particle near walls, in numbers of double precision.
   reads   colliders, the table of shares      writes  its results
   memory  none      cost    O(colliders)
   after   the formula of runtime/guide/physics.md, walls */
#ifndef TIDEPOOL_WALL_SUMS_H
#define TIDEPOOL_WALL_SUMS_H
#include "world_help.h"
#include "solve/sph/sph.h"
#include "world/wall.h"
#include <math.h>

/* Of the sums of (1 - q)^3, then of (1 - q)^4: */
typedef struct wall_sums {
    tp_vector point;
    double sum[2];  /* over the neighbours, in the particle's own mass */
    double free[2]; /* the share of the kernel that no wall covers */
    double gain[2]; /* change of the whole sum with that of the neighbours */
    uint32_t walls; /* within the support radius */
} wall_sums;

static inline double wall_share(const tp_world *world, double q, uint32_t column)
{
    const float *rows = tpi_sph_wall_rows(tpi_dimensions(world), column);
    double at = fmin(fmax(q, 0), 1) * TPI_SPH_WALL_ROWS;
    uint32_t k = (uint32_t)fmin(at, TPI_SPH_WALL_ROWS - 1.0);
    return (double)rows[k] + ((double)rows[k + 1] - (double)rows[k]) * (at - k);
}

/* A wall with the share f covers f s / (s + c (1 - f)) of the kernel. */
static inline void wall_sums_add(const tp_world *world, double q, wall_sums *to, double changes[2])
{
    static const double cores[2][2] = {{0.28, 0.30}, {0.53, 0.55}};
    for (uint32_t column = 0; column < 2; column++) {
        double f = wall_share(world, q, column), s = to->sum[column];
        double c = cores[tpi_dimensions(world) - 2u][column], rest = s + c * (1 - f);
        double covered = f * s / rest;
        to->free[column] *= 1 - covered;
        changes[column] += f * c * (1 - f) / (rest * rest) / (1 - covered);
    }
    to->walls++;
}

/* The walls of a collider at a point. */
static inline uint32_t walls_at(const tp_world *world, const tpi_collider_item *item,
                                tp_vector point, tpi_wall walls[6])
{
    int32_t work = 0;
    if (!tpi_is_wall(item)) return 0;
    if (tpi_wall_has_planes(item)) return tpi_wall_planes(world, item, point, &work, walls);
    const tpi_wall_poses poses = tpi_wall_poses_of(world, item);
    for (uint32_t face = 0; face < tpi_wall_faces(world, item); face++)
        walls[face] = tpi_wall_at(world, item, &poses, face, point);
    return tpi_wall_faces(world, item);
}

/* Sets all but the point and the sums. */
static inline void wall_sums_find(const tp_world *world, wall_sums *to)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    double h = (double)world->constants.smoothing_radius, changes[2] = {0, 0};
    to->walls = 0;
    to->free[0] = to->free[1] = 1;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        tpi_wall walls[6];
        if (!tpi_pool_is_alive(slots, slot)) continue;
        uint32_t count = walls_at(world, tpi_collider_at(world, slot), to->point, walls);
        for (uint32_t k = 0; k < count; k++) {
            double distance = (double)walls[k].distance;
            if (fabs(distance) < h) wall_sums_add(world, distance / h, to, changes);
        }
    }
    for (uint32_t column = 0; column < 2; column++)
        to->gain[column] = (1 + (to->sum[column] + 1) * changes[column]) / to->free[column];
}

/* A sum with the shares of walls. */
static inline double wall_sums_whole(const wall_sums *of, uint32_t column)
{
    return (of->sum[column] + 1) / of->free[column] - 1;
}

#endif
