/* SPDX-License-Identifier: MIT
   runtime/solve/sph/wall_lanes.h - walls as the continuation of the fluid, for vectors: what they
           add to the sums of densities, and the force that follows.
   reads   sums, colliders      writes  its results
   memory  registers and stack      cost    per near wall: about 100 operations of vectors
   after   the share of a kernel beyond a plane as a table of the distance (Koschier and Bender
           2017). Deviation: the wall is as dense as the fluid, so a particle's sums are divided by
           what the walls leave; forces are the gradient of the energy of these sums */
#ifndef TPI_SPH_WALL_LANES_H
#define TPI_SPH_WALL_LANES_H
#include "sph.h"
#include "../../world/wall_lanes.h"

/* The walls of a vector of particles. Of the sums of (1 - q)^3, then of (1 - q)^4: */
typedef struct sph_walls {
    /* walls that may be within the support radius, and other work; 0: the rest is not set */
    tpi_lane_ints near;
    tpi_lanes self;       /* the particle's own term in its sums */
    tpi_lanes sum[2];     /* over the neighbours, in the particle's own mass */
    tpi_lanes free[2];    /* the share of the kernel that no wall covers */
    tpi_lanes changes[2]; /* change of -ln(free) with the sum */
    /* times the support radius: change of -ln(free) with the distances from the walls, along their
       normals */
    tpi_lanes slope[2][3];
} sph_walls;

TPI_INLINE void sph_walls_begin(tpi_lanes self, tpi_lanes sum, tpi_lanes near_sum, sph_walls *walls)
{
    walls->self = self;
    walls->sum[0] = sum / self;
    walls->sum[1] = near_sum / self;
    for (uint32_t column = 0; column < 2; column++) {
        walls->free[column] = tpi_lanes_of(1.0f);
        walls->changes[column] = tpi_lanes_of(0.0f);
        for (uint32_t axis = 0; axis < 3; axis++) walls->slope[column][axis] = tpi_lanes_of(0.0f);
    }
}

/* Adds a wall for one kernel; `k` and `part` are the row of the table and the rest.
   An integral counts the core of the kernel, where the fluid has no second particle. So a sum s
   over neighbours in front of a wall with the share f has the part f s / (s + c (1 - f)), and the
   wall leaves (1 - f) (s + c) / (s + c (1 - f)) free. The constant c is that of square and cubic
   lattices; with it the first row at a wall has the sum of the bulk, to 1 % for support radii of 2
   to 4 spacings. */
TPI_INLINE void sph_cover(uint32_t dimensions, uint32_t column, tpi_lane_ints k, tpi_lanes part,
                          const tpi_wall_lanes *wall, sph_walls *walls)
{
    static const float cores[2][2] = {{0.28f, 0.30f}, {0.53f, 0.55f}};
    const float *rows = tpi_sph_wall_rows(dimensions, column);
    const tpi_lanes one = tpi_lanes_of(1.0f), zero = tpi_lanes_of(0.0f);
    float core = cores[dimensions - 2u][column];
    tpi_lanes sum = walls->sum[column], whole = sum + core, row = tpi_lanes_gather(rows, k);
    tpi_lanes slope = tpi_lanes_gather(rows + 1, k) - row, open = one - (row + slope * part);
    tpi_lanes rest = one / (sum + open * core), change = rest - one / whole;
    tpi_lanes push = slope * (float)TPI_SPH_WALL_ROWS * sum * rest / open;
    walls->free[column] =
        walls->free[column] * tpi_lanes_select(wall->is_wall, open * whole * rest, one);
    walls->changes[column] = walls->changes[column] + tpi_lanes_select(wall->is_wall, change, zero);
    push = tpi_lanes_select(wall->is_wall, push, zero);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        walls->slope[column][axis] = walls->slope[column][axis] + wall->normal[axis] * push;
}

TPI_INLINE void sph_walls_add(const tp_world *world, const tpi_wall_lanes *wall, sph_walls *walls)
{
    const float rows = (float)TPI_SPH_WALL_ROWS;
    tpi_lanes q = wall->distance * tpi_sph_of(world)->inverse_radius;
    q = tpi_lanes_select(wall->is_wall, tpi_lanes_clamp(q, 0.0f, 1.0f) * rows, tpi_lanes_of(0.0f));
    tpi_lane_ints k = tpi_lanes_truncate(tpi_lanes_min(q, tpi_lanes_of(rows - 1.0f)));
    for (uint32_t column = 0; column < 2; column++)
        sph_cover(tpi_dimensions(world), column, k, q - tpi_lanes_from_ints(k), wall, walls);
}

/* All sides of a collider that may be a wall for the particles `near`. */
TIDEPOOL_HOT static TPI_APART void sph_meet_collider(const tp_world *world,
                                                     const tpi_collider_item *item,
                                                     const tpi_lanes x[3], tpi_lane_mask near,
                                                     sph_walls *walls)
{
    walls->near = tpi_lane_ints_count(walls->near, near);
    if (TPI_UNLIKELY(tpi_wall_has_planes(item))) {
        tpi_wall_lanes planes[TPI_WALL_PLANES];
        uint32_t count = tpi_wall_meets_planes(world, item, x, near, &walls->near, planes);
        for (uint32_t k = 0; k < count; k++) sph_walls_add(world, &planes[k], walls);
        return;
    }
    const tpi_wall_form form = tpi_wall_form_of(item);
    const uint32_t faces = tpi_wall_faces(world, item);
    for (uint32_t face = 0; face < faces; face++) {
        tpi_wall_lanes wall;
        if (tpi_wall_meets(world, item, form, face, x, near, &wall))
            sph_walls_add(world, &wall, walls);
    }
}

/* Change of the whole sum with that over the neighbours. */
TPI_INLINE tpi_lanes sph_gain(const sph_walls *walls, uint32_t column)
{
    const tpi_lanes one = tpi_lanes_of(1.0f);
    return (one + (walls->sum[column] + one) * walls->changes[column]) / walls->free[column];
}

/* The impulse of the walls along an axis, in the units of a pair's. */
TPI_INLINE tpi_lanes sph_push_of_walls(const sph_walls *walls, uint32_t axis, tpi_lanes pressure,
                                       tpi_lanes near_pressure)
{
    const tpi_lanes one = tpi_lanes_of(1.0f);
    tpi_lanes cubes = pressure * (-1.0f / 3.0f) * (walls->sum[0] + one) / walls->free[0];
    tpi_lanes fourths = near_pressure * (-1.0f / 4.0f) * (walls->sum[1] + one) / walls->free[1];
    return walls->slope[0][axis] * cubes + walls->slope[1][axis] * fourths;
}

#endif
