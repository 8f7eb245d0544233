/* SPDX-License-Identifier: MIT
   runtime/field/dense_lanes.h - a vector field of a dense grid at the places of a vector of
           particles.
   reads   rows of four numbers, one per node      writes  three components, and their gradient
   memory  registers and 32 numbers on the stack   cost    eight loads of rows per particle
   after   trilinear interpolation, along x, then y, then z; own design: the corners of a cell are
           rows, so that whole rows are loaded and turned in registers */
#ifndef TPI_DENSE_LANES_H
#define TPI_DENSE_LANES_H
#include "dense.h"
#include "../base/rows.h"

/* The cells of a vector of places: number of the row of the lowest corner, times 4; and the share
   of a cell along each axis, 0..1. */
typedef struct tpi_dense_cells {
    uint32_t offsets[TPI_LANES];
    tpi_lanes share[3];
} tpi_dense_cells;

/* A place beyond the grid, or none that is a number, is moved to the boundary. */
TPI_INLINE tpi_dense_cells tpi_dense_cells_of(const tpi_dense *dense, const tpi_lanes x[3])
{
    tpi_dense_cells cells;
    tpi_lane_ints node = tpi_lane_ints_of(0);
    for (uint32_t turn = 0; turn < 3; turn++) {
        uint32_t axis = 2u - turn, size = dense->size[axis];
        tpi_lanes from = x[axis] - tpi_lanes_of(tpi_component(dense->origin, axis));
        tpi_lanes place = tpi_lanes_max(from / tpi_lanes_of(dense->spacing), tpi_lanes_of(0.0f));
        tpi_lanes last = tpi_lanes_of((float)(size - 2u));
        place = tpi_lanes_min(place, tpi_lanes_of((float)(size - 1u)));
        tpi_lane_ints cell = tpi_lanes_truncate(tpi_lanes_min(place, last));
        cells.share[axis] = place - tpi_lanes_from_ints(cell);
        node = node * tpi_lane_ints_of((int32_t)size) + cell;
    }
    tpi_lane_ints_store(cells.offsets, node * tpi_lane_ints_of(4));
    return cells;
}

TPI_INLINE tpi_lanes tpi_dense_mix(tpi_lanes from, tpi_lanes to, tpi_lanes share)
{
    return from + (to - from) * share;
}

/* The four edges along x of the cells: [2 z + y][component]. */
TPI_INLINE void tpi_dense_edge(const tpi_dense *dense, const float *rows,
                               const tpi_dense_cells *cells, uint32_t edge, tpi_lanes low[4],
                               tpi_lanes high[4])
{
    const float *at = rows + 4u * (size_t)tpi_dense_node(dense->size, 0, edge & 1u, edge >> 1);
    tpi_rows_gather(at, cells->offsets, low);
    tpi_rows_gather(at + 4, cells->offsets, high);
}

/* Trilinear interpolation of the first `count` components, 4 at most. */
TPI_INLINE void tpi_dense_sample_parts(const tpi_dense *dense, const float *rows,
                                       const tpi_lanes x[3], uint32_t count, tpi_lanes *value)
{
    tpi_dense_cells cells = tpi_dense_cells_of(dense, x);
    tpi_lanes low[4], high[4], edge[4][4];
    for (uint32_t e = 0; e < 4; e++) {
        tpi_dense_edge(dense, rows, &cells, e, low, high);
        for (uint32_t c = 0; c < count; c++)
            edge[e][c] = tpi_dense_mix(low[c], high[c], cells.share[0]);
    }
    for (uint32_t c = 0; c < count; c++)
        value[c] =
            tpi_dense_mix(tpi_dense_mix(edge[0][c], edge[1][c], cells.share[1]),
                          tpi_dense_mix(edge[2][c], edge[3][c], cells.share[1]), cells.share[2]);
}
TPI_INLINE void tpi_dense_sample(const tpi_dense *dense, const float *rows, const tpi_lanes x[3],
                                 tpi_lanes value[3])
{
    tpi_dense_sample_parts(dense, rows, x, 3, value);
}
TPI_INLINE void tpi_dense_sample_four(const tpi_dense *dense, const float *rows,
                                      const tpi_lanes x[3], tpi_lanes value[4])
{
    tpi_dense_sample_parts(dense, rows, x, 4, value);
}

/* The same, and the derivatives of the interpolation: gradient[a][c] is that of component c along
   axis a, 1/m of the unit of the values. */
TPI_INLINE void tpi_dense_sample_gradient(const tpi_dense *dense, const float *rows,
                                          const tpi_lanes x[3], tpi_lanes value[3],
                                          tpi_lanes gradient[3][3])
{
    tpi_dense_cells cells = tpi_dense_cells_of(dense, x);
    tpi_lanes low[4], high[4], edge[4][3], slope[4][3];
    tpi_lanes inverse = tpi_lanes_of(1.0f / dense->spacing);
    for (uint32_t e = 0; e < 4; e++) {
        tpi_dense_edge(dense, rows, &cells, e, low, high);
        for (uint32_t c = 0; c < 3; c++) {
            slope[e][c] = high[c] - low[c];
            edge[e][c] = low[c] + slope[e][c] * cells.share[0];
        }
    }
    for (uint32_t c = 0; c < 3; c++) {
        tpi_lanes near = tpi_dense_mix(edge[0][c], edge[1][c], cells.share[1]);
        tpi_lanes far = tpi_dense_mix(edge[2][c], edge[3][c], cells.share[1]);
        tpi_lanes near_x = tpi_dense_mix(slope[0][c], slope[1][c], cells.share[1]);
        tpi_lanes far_x = tpi_dense_mix(slope[2][c], slope[3][c], cells.share[1]);
        tpi_lanes along_y =
            tpi_dense_mix(edge[1][c] - edge[0][c], edge[3][c] - edge[2][c], cells.share[2]);
        value[c] = tpi_dense_mix(near, far, cells.share[2]);
        gradient[0][c] = tpi_dense_mix(near_x, far_x, cells.share[2]) * inverse;
        gradient[1][c] = along_y * inverse;
        gradient[2][c] = (far - near) * inverse;
    }
}

/* Continues a solution for at least `units` units, unless it ends, and at most one row of nodes
   more. Returns the units used. One unit is a node of a pass, or two nodes of a sweep, which has
   one colour. How it was sliced does not change the values at its end. O(units) */
TPI_FUNC uint32_t tpi_multigrid_run(const tpi_multigrid *grid, tpi_multigrid_cursor *cursor,
                                    uint32_t units, bool *done);
/* The curl at a row of nodes: 0..size[1] * size[2] - 1. O(size[0]) */
TPI_FUNC void tpi_curl_row(const tpi_curl *curl, uint32_t row);
/* Trilinear interpolation of rows at points; a point beyond the grid is moved to its boundary.
   O(count) */
TPI_FUNC void tpi_dense_sample_points(const tpi_dense *dense, const float *rows,
                                      const tp_vector *points, uint32_t count, tp_vector *values);

#endif
