/* SPDX-License-Identifier: MIT
   runtime/field/dense.c - sizes of dense grids and of their multigrid; the deposit of amounts at
           points.
   reads   points, amounts      writes  integer sums at nodes
   memory  registers            cost    eight additions per amount and component
   after   the weights of the cloud-in-cell scheme (Hockney and Eastwood, "Computer Simulation Using
           Particles", 1988, section 5-2); own design: an amount is split in integers, axis by axis,
           so that its parts add up to it exactly */
#include "dense.h"

bool tpi_dense_is_good(const uint32_t size[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t cells = size[axis] - 1u;
        if (size[axis] < TPI_DENSE_MIN || size[axis] > TPI_DENSE_MAX || (cells & (cells - 1u)))
            return false;
    }
    return true;
}

uint32_t tpi_dense_floats(const uint32_t size[3])
{
    return (size[0] * size[1] * size[2] + TPI_DENSE_PAD + 3u) & ~3u;
}

uint32_t tpi_multigrid_levels(const uint32_t size[3])
{
    uint32_t least = tpi_min_u32(size[0], tpi_min_u32(size[1], size[2])), count = 1;
    for (; least > TPI_DENSE_MIN; count++) least = (least + 1u) / 2u;
    return count;
}

uint32_t tpi_multigrid_passes(const tpi_multigrid *grid, bool is_last)
{
    if (is_last) return 2u * TPI_MULTIGRID_LAST_SWEEPS;
    return 2u * grid->before + TPI_MULTIGRID_SWEEPS + 2u * grid->after;
}

uint32_t tpi_multigrid_floats(const uint32_t size[3])
{
    uint32_t floats = tpi_dense_floats(size) + TPI_MULTIGRID_ROW;
    uint32_t coarse[3] = {size[0], size[1], size[2]};
    for (uint32_t level = tpi_multigrid_levels(size); level > 1u; level--) {
        for (uint32_t axis = 0; axis < 3; axis++) coarse[axis] = (coarse[axis] + 1u) / 2u;
        floats += 2u * tpi_dense_floats(coarse);
    }
    return floats;
}

bool tpi_multigrid_audit(const tpi_multigrid *grid, const tpi_multigrid_cursor *cursor)
{
    uint32_t last = tpi_multigrid_levels(grid->size) - 1u;
    return cursor->cycle <= grid->cycles && cursor->level <= last &&
           cursor->pass < tpi_multigrid_passes(grid, cursor->level == last) &&
           cursor->row < grid->size[1] * grid->size[2];
}

float tpi_dense_scale(float bound)
{
    uint32_t exponent = tpi_bits(tpi_clamp(bound, 1e-25f, 1e25f)) >> 23;
    return tpi_from_bits((127u + 127u + 29u - exponent) << 23); /* bound < 2^(exponent - 126) */
}

/* The cell of a coordinate, and the place in it in units of 2^-24 cells. */
static uint32_t dense_cell(float at, uint32_t size, uint32_t *share)
{
    float place = tpi_clamp(at, 0.0f, (float)(size - 1u));
    uint32_t cell = tpi_min_u32((uint32_t)place, size - 2u);
    *share = (uint32_t)((place - (float)cell) * 16777216.0f);
    return cell;
}

static void dense_split(int32_t count, uint32_t share, int32_t parts[2])
{
    parts[1] = (int32_t)((int64_t)count * (int64_t)share / 16777216);
    parts[0] = count - parts[1];
}

static void dense_add(int32_t *sum, int32_t part)
{
    *sum = (int32_t)((uint32_t)*sum + (uint32_t)part);
}

/* `size`: of the grid, for the steps between rows and planes; `next`: the place of the next node of
   a row. */
static void dense_spread(const uint32_t size[3], int32_t count, const uint32_t share[3],
                         int32_t *sums, ptrdiff_t next)
{
    int32_t planes[2], rows[2], nodes[2];
    dense_split(count, share[2], planes);
    for (uint32_t k = 0; k < 2; k++) {
        dense_split(planes[k], share[1], rows);
        for (uint32_t j = 0; j < 2; j++) {
            int32_t *row = sums + (k * size[1] + j) * size[0];
            dense_split(rows[j], share[0], nodes);
            dense_add(row, nodes[0]);
            dense_add(row + next, nodes[1]);
        }
    }
}

void tpi_dense_deposit(const tpi_dense *dense, tp_vector point, const int32_t counts[3],
                       int32_t *sums, uint32_t stride)
{
    uint32_t cell[3], share[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        float from = tpi_component(point, axis) - tpi_component(dense->origin, axis);
        cell[axis] = dense_cell(from / dense->spacing, dense->size[axis], &share[axis]);
    }
    uint32_t at = tpi_dense_place(dense->size, cell[0], cell[1], cell[2]),
             beside = tpi_dense_place(dense->size, cell[0] + 1u, cell[1], cell[2]);
    ptrdiff_t next = (ptrdiff_t)beside - (ptrdiff_t)at;
    for (uint32_t c = 0; c < 3; c++)
        if (counts[c])
            dense_spread(dense->size, counts[c], share, sums + at + (size_t)c * stride, next);
}
