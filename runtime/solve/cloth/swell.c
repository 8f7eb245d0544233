/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/swell.c - volumes of cells: a vector of cells, five tetrahedra of each.
   reads   cells, front positions, kicked velocities, weights      writes  kicked velocities
   memory  the corners of a vector of cells on the stack
   cost    4 units per tetrahedron and sub-step
   after   volume constraints (Macklin et al. 2016, XPBD); gradients at the start of the sub-step,
           so that angular momentum is exact. Cells of a colour share no nodes: any number of them
           may be computed at once, with the same bits */
#include "ends_lanes.h"

/* A vector per cell. */
typedef struct swell_vector {
    tpi_lanes x, y, z;
} swell_vector;

/* The corners of a vector of cells. */
typedef struct swell_corners {
    swell_vector x[TPI_CLOTH_CORNERS], v[TPI_CLOTH_CORNERS];
    tpi_lanes weight[TPI_CLOTH_CORNERS];
} swell_corners;

TPI_INLINE swell_vector swell_add(swell_vector a, swell_vector b, tpi_lanes share)
{
    return (swell_vector){a.x + b.x * share, a.y + b.y * share, a.z + b.z * share};
}
TPI_INLINE swell_vector swell_sub(swell_vector a, swell_vector b)
{
    return (swell_vector){a.x - b.x, a.y - b.y, a.z - b.z};
}
/* A sixth of the cross product. */
TPI_INLINE swell_vector swell_cross(swell_vector a, swell_vector b)
{
    const float sixth = 1.0f / 6.0f;
    return (swell_vector){(a.y * b.z - a.z * b.y) * sixth, (a.z * b.x - a.x * b.z) * sixth,
                          (a.x * b.y - a.y * b.x) * sixth};
}
TPI_INLINE tpi_lanes swell_dot(swell_vector a, swell_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The volume after the sub-step is signed, so that an inverted tetrahedron turns back. `stiff`:
   compliance / dt^2. */
TPI_INLINE void swell_tetra(swell_corners *c, uint32_t tetra, tpi_lanes timestep, tpi_lanes rest,
                            tpi_lanes stiff)
{
    const uint32_t a = tpi_cloth_tetra_corner(tetra, 0), i = tpi_cloth_tetra_corner(tetra, 1),
                   j = tpi_cloth_tetra_corner(tetra, 2), k = tpi_cloth_tetra_corner(tetra, 3);
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    swell_vector ei = swell_sub(c->x[i], c->x[a]), ej = swell_sub(c->x[j], c->x[a]),
                 ek = swell_sub(c->x[k], c->x[a]);
    swell_vector gi = swell_cross(ej, ek), gj = swell_cross(ek, ei), gk = swell_cross(ei, ej);
    swell_vector ga = {zero - (gi.x + gj.x + gk.x), zero - (gi.y + gj.y + gk.y),
                       zero - (gi.z + gj.z + gk.z)};
    tpi_lanes square = c->weight[a] * swell_dot(ga, ga) + c->weight[i] * swell_dot(gi, gi) +
                       c->weight[j] * swell_dot(gj, gj) + c->weight[k] * swell_dot(gk, gk);
    ei = swell_add(ei, swell_sub(c->v[i], c->v[a]), timestep);
    ej = swell_add(ej, swell_sub(c->v[j], c->v[a]), timestep);
    ek = swell_add(ek, swell_sub(c->v[k], c->v[a]), timestep);
    tpi_lanes change = rest - swell_dot(ei, swell_cross(ej, ek));
    tpi_lane_mask acts = tpi_lanes_and(tpi_lanes_less(tpi_lanes_of(1e-30f), square),
                                       tpi_lanes_less(square, tpi_lanes_of(1e30f)));
    tpi_lanes share = tpi_lanes_select(acts, change / ((square + stiff) * timestep), zero);
    c->v[a] = swell_add(c->v[a], ga, share * c->weight[a]);
    c->v[i] = swell_add(c->v[i], gi, share * c->weight[i]);
    c->v[j] = swell_add(c->v[j], gj, share * c->weight[j]);
    c->v[k] = swell_add(c->v[k], gk, share * c->weight[k]);
}

static void swell_cells(const tp_world *world, const cloth_slice *slice, uint32_t i, uint32_t count)
{
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    swell_corners c;
    const tpi_lanes timestep = tpi_lanes_of(slice->timestep),
                    softness =
                        tpi_lanes_load(tpi_cloth_pool_floats(&cells, TPI_CLOTH_SOFTNESS) + i) *
                        slice->per_square;
    for (uint32_t k = 0; k < TPI_CLOTH_CORNERS; k++) {
        cloth_ends at = cloth_ends_alone(tpi_cloth_pool_array(&cells, k) + i, count);
        c.weight[k] = cloth_read(slice->weights, &at);
        c.x[k].x = cloth_read(slice->x[0], &at), c.v[k].x = cloth_read(slice->v[0], &at);
        c.x[k].y = cloth_read(slice->x[1], &at), c.v[k].y = cloth_read(slice->v[1], &at);
        c.x[k].z = cloth_read(slice->x[2], &at), c.v[k].z = cloth_read(slice->v[2], &at);
    }
    for (uint32_t t = 0; t < TPI_CLOTH_TETRAS; t++) {
        tpi_lanes rest = tpi_lanes_load(tpi_cloth_pool_floats(&cells, TPI_CLOTH_VOLUME + t) + i);
        swell_tetra(&c, t, timestep, rest, tpi_lanes_magnitude(rest) * softness);
    }
    for (uint32_t k = 0; k < TPI_CLOTH_CORNERS; k++) {
        cloth_ends at = cloth_ends_alone(tpi_cloth_pool_array(&cells, k) + i, count);
        cloth_write(slice->v[0], &at, c.v[k].x);
        cloth_write(slice->v[1], &at, c.v[k].y);
        cloth_write(slice->v[2], &at, c.v[k].z);
    }
}

static void swell_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                        tpi_tally *tally)
{
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        swell_cells(world, (const cloth_slice *)context, i, tpi_min_u32(end - i, TPI_LANES));
}

TPI_APART void tpi_cloth_swell(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                               uint32_t begin, uint32_t end)
{
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    cloth_run_pool(world, jobs, slice, &cells, swell_range, begin, end);
}
