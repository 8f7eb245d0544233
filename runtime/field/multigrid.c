/* SPDX-License-Identifier: MIT
   runtime/field/multigrid.c - Poisson's equation on a dense grid by multigrid V-cycles, in slices.
   reads   the source, given values of faces      writes  values, the work memory
   memory  the caller's: residual, a row, and two arrays per coarser grid
   cost    per cycle and node 8/7 of its sweeps (half a unit each per colour) and of three passes
   after   correction scheme (Brandt 1977, section 4): red-black Gauss-Seidel sweeps, full weighting
           of the residual, trilinear interpolation of the correction, which is added at unknown
           nodes only. Nodes of one colour depend on the other colour alone, so neither the order of
           rows nor the vector width changes a bit */
#include "dense_lanes.h"

typedef struct multigrid_level {
    uint32_t size[3], plane;    /* plane: nodes of a plane of z */
    uint32_t first[3], last[3]; /* unknown nodes of each axis */
    float square;               /* m^2: of the spacing */
    float *values;
    const float *source;
} multigrid_level;

static void multigrid_coarsen(uint32_t size[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) size[axis] = (size[axis] + 1u) / 2u;
}

static multigrid_level multigrid_at(const tpi_multigrid *grid, uint32_t number)
{
    multigrid_level level;
    float *at = grid->work + tpi_dense_floats(grid->size) + TPI_MULTIGRID_ROW;
    float spacing = grid->spacing;
    for (uint32_t axis = 0; axis < 3; axis++) level.size[axis] = grid->size[axis];
    level.values = grid->values;
    level.source = grid->source;
    for (uint32_t k = 0; k < number; k++) {
        multigrid_coarsen(level.size);
        level.values = at;
        level.source = at + tpi_dense_floats(level.size);
        at += 2u * tpi_dense_floats(level.size);
        spacing = spacing * 2.0f;
    }
    level.plane = level.size[0] * level.size[1];
    level.square = spacing * spacing;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t given = grid->mirrors >> axis & 1u ? 0u : 1u;
        level.first[axis] = given;
        level.last[axis] = level.size[axis] - 1u - given;
    }
    return level;
}

/* The residual is only needed on one level at a time; a row of numbers stands behind it. */
static float *multigrid_residual(const tpi_multigrid *grid) { return grid->work; }
static float *multigrid_row(const tpi_multigrid *grid)
{
    return grid->work + tpi_dense_floats(grid->size);
}

/* The neighbours of a node along an axis; beyond a mirror is the node before it. */
static uint32_t multigrid_lower(uint32_t place) { return place ? place - 1u : 1u; }
static uint32_t multigrid_upper(uint32_t place, uint32_t size)
{
    return place + 1u < size ? place + 1u : size - 2u;
}

/* A row of nodes and the four rows beside it. */
typedef struct multigrid_rows {
    const float *at, *low_y, *high_y, *low_z, *high_z;
} multigrid_rows;
static multigrid_rows multigrid_rows_of(const multigrid_level *level, uint32_t j, uint32_t k)
{
    const float *plane = level->values + k * level->plane,
                *column = level->values + j * level->size[0];
    return (multigrid_rows){
        plane + j * level->size[0],
        plane + multigrid_lower(j) * level->size[0],
        plane + multigrid_upper(j, level->size[1]) * level->size[0],
        column + multigrid_lower(k) * level->plane,
        column + multigrid_upper(k, level->size[2]) * level->plane,
    };
}

/* The squared spacing times the Laplacian at TPI_LANES nodes; at one node, for the ends of rows. */
TPI_INLINE tpi_lanes multigrid_laplacian(const multigrid_rows *rows, uint32_t i)
{
    tpi_lanes x = tpi_lanes_load(rows->at + i - 1u) + tpi_lanes_load(rows->at + i + 1u);
    tpi_lanes y = tpi_lanes_load(rows->low_y + i) + tpi_lanes_load(rows->high_y + i);
    tpi_lanes z = tpi_lanes_load(rows->low_z + i) + tpi_lanes_load(rows->high_z + i);
    return (x + y + z) - tpi_lanes_load(rows->at + i) * 6.0f;
}
static float multigrid_laplacian_end(const multigrid_rows *rows, uint32_t i, uint32_t size)
{
    float x = rows->at[multigrid_lower(i)] + rows->at[multigrid_upper(i, size)];
    float y = rows->low_y[i] + rows->high_y[i], z = rows->low_z[i] + rows->high_z[i];
    return (x + y + z) - rows->at[i] * 6.0f;
}

/* A Gauss-Seidel sweep of the nodes of one colour in a row. A value changes by its residual, so
   that the rounding of 1/6 moves no solution. */
static void multigrid_relax(const multigrid_level *level, uint32_t j, uint32_t k, uint32_t colour)
{
    const float sixth = 0.166666667f;
    multigrid_rows rows = multigrid_rows_of(level, j, k);
    uint32_t size = level->size[0], row = k * level->plane + j * size;
    float *to = level->values + row;
    const float *source = level->source + row;
    uint32_t odd = (j + k + colour) & 1u; /* nodes of this colour have this parity */
#if TPI_LANES == 1
    for (uint32_t i = 2u - odd; i + 1u < size; i += 2u)
        to[i] = to[i] + (multigrid_laplacian(&rows, i) - source[i] * level->square) * sixth;
#else
    tpi_lane_ints parity = tpi_lane_ints_counted(1) & tpi_lane_ints_of(1);
    tpi_lane_mask mine = tpi_lane_ints_equal(parity, tpi_lane_ints_of((int32_t)odd));
    for (uint32_t i = 1; i + 1u < size; i += TPI_LANES) {
        tpi_lanes old = tpi_lanes_load(to + i);
        tpi_lanes change = multigrid_laplacian(&rows, i) -
                           tpi_lanes_load(source + i) * tpi_lanes_of(level->square);
        tpi_lanes now = tpi_lanes_select(mine, old + change * tpi_lanes_of(sixth), old);
        tpi_lanes_store_first(to + i, now, tpi_min_u32(TPI_LANES, size - 1u - i));
    }
#endif
    for (uint32_t i = 0; i < size && !level->first[0]; i += size - 1u)
        if ((i & 1u) == odd)
            to[i] = to[i] +
                    (multigrid_laplacian_end(&rows, i, size) - source[i] * level->square) * sixth;
}

static void multigrid_subtract(const multigrid_level *level, uint32_t j, uint32_t k,
                               float *residual)
{
    multigrid_rows rows = multigrid_rows_of(level, j, k);
    uint32_t size = level->size[0], row = k * level->plane + j * size;
    const float *source = level->source + row;
    float inverse = 1.0f / level->square;
    residual += row;
    for (uint32_t i = 1; i + 1u < size; i += TPI_LANES) {
        tpi_lanes left =
            tpi_lanes_load(source + i) - multigrid_laplacian(&rows, i) * tpi_lanes_of(inverse);
        tpi_lanes_store_first(residual + i, left, tpi_min_u32(TPI_LANES, size - 1u - i));
    }
    for (uint32_t i = 0; i < size && !level->first[0]; i += size - 1u)
        residual[i] = source[i] - multigrid_laplacian_end(&rows, i, size) * inverse;
}

/* 1, 2 and 1 times three rows along y. */
TPI_INLINE tpi_lanes multigrid_weigh(const float *low, const float *at, const float *high)
{
    return (tpi_lanes_load(low) + tpi_lanes_load(high)) + tpi_lanes_load(at) * 2.0f;
}

/* Full weighting of the residual of `fine` to a row of the source of the next coarser grid, whose
   values begin at 0. Rows of given values only get these. */
static void multigrid_restrict(const tpi_multigrid *grid, const multigrid_level *fine,
                               const multigrid_level *coarse, uint32_t j, uint32_t k)
{
    uint32_t size = fine->size[0], to_size = coarse->size[0], to = k * coarse->plane + j * to_size;
    float *row = multigrid_row(grid);
    float *source = coarse->values + tpi_dense_floats(coarse->size) + to;
    tpi_memset(coarse->values + to, 0, to_size * sizeof(float));
    if (j < coarse->first[1] || j > coarse->last[1] || k < coarse->first[2] || k > coarse->last[2])
        return;
    const float *rows[3][3];
    uint32_t at_y[3] = {multigrid_lower(2u * j), 2u * j, multigrid_upper(2u * j, fine->size[1])};
    uint32_t at_z[3] = {multigrid_lower(2u * k), 2u * k, multigrid_upper(2u * k, fine->size[2])};
    for (uint32_t z = 0; z < 3; z++)
        for (uint32_t y = 0; y < 3; y++)
            rows[z][y] = multigrid_residual(grid) + at_z[z] * fine->plane + at_y[y] * size;
    for (uint32_t i = 0; i < size; i += TPI_LANES) {
        tpi_lanes low = multigrid_weigh(rows[0][0] + i, rows[0][1] + i, rows[0][2] + i);
        tpi_lanes at = multigrid_weigh(rows[1][0] + i, rows[1][1] + i, rows[1][2] + i);
        tpi_lanes high = multigrid_weigh(rows[2][0] + i, rows[2][1] + i, rows[2][2] + i);
        tpi_lanes_store(row + i, (low + high) + at * 2.0f);
    }
    for (uint32_t i = coarse->first[0]; i <= coarse->last[0]; i++) {
        float beside = row[multigrid_lower(2u * i)] + row[multigrid_upper(2u * i, size)];
        source[i] = (beside + row[2u * i] * 2.0f) * (1.0f / 64.0f);
    }
}

/* Adds the correction of the next coarser grid to a row of unknown values: the values of faces that
   are given stay. */
static void multigrid_correct(const tpi_multigrid *grid, const multigrid_level *fine,
                              const multigrid_level *coarse, uint32_t j, uint32_t k)
{
    float *row = multigrid_row(grid), *to = fine->values + k * fine->plane + j * fine->size[0];
    const float *low = coarse->values + (k / 2u) * coarse->plane + (j / 2u) * coarse->size[0];
    uint32_t y = (j & 1u) * coarse->size[0], z = (k & 1u) * coarse->plane;
    for (uint32_t i = 0; i < coarse->size[0]; i += TPI_LANES) {
        tpi_lanes near = tpi_lanes_load(low + i) + tpi_lanes_load(low + y + i);
        tpi_lanes far = tpi_lanes_load(low + z + i) + tpi_lanes_load(low + z + y + i);
        tpi_lanes_store(row + i, (near + far) * 0.25f);
    }
    for (uint32_t i = fine->first[0]; i <= fine->last[0]; i++)
        to[i] = to[i] + (i & 1u ? (row[i / 2u] + row[i / 2u + 1u]) * 0.5f : row[i / 2u]);
}

/* ---- the order of the passes ---- */

/* The next pass: down after the restriction, up after the last one of a level. */
static void multigrid_next(const tpi_multigrid *grid, tpi_multigrid_cursor *cursor, bool is_last)
{
    uint32_t pass = cursor->pass++;
    cursor->row = 0;
    if (!is_last && pass == 2u * grid->before + TPI_MULTIGRID_RESTRICT) {
        cursor->level++;
        cursor->pass = 0;
    } else if (cursor->pass == tpi_multigrid_passes(grid, is_last)) {
        cursor->pass = cursor->level ? 2u * grid->before + TPI_MULTIGRID_CORRECT : 0u;
        if (cursor->level)
            cursor->level--;
        else
            cursor->cycle++;
    }
}

/* A pass of a level and its rows. Sweeps: the colour is the lowest bit of the number. */
typedef struct multigrid_pass {
    multigrid_level fine, coarse;
    uint32_t kind, colour; /* kind: TPI_MULTIGRID_SWEEPS for sweeps */
    uint32_t first_y, first_z, rows_y, rows, row_units;
} multigrid_pass;

static multigrid_pass multigrid_prepare(const tpi_multigrid *grid,
                                        const tpi_multigrid_cursor *cursor, bool is_last)
{
    multigrid_pass pass;
    uint32_t other = cursor->pass - 2u * grid->before;
    bool is_sweep = is_last || cursor->pass < 2u * grid->before || other >= TPI_MULTIGRID_SWEEPS;
    pass.kind = is_sweep ? (uint32_t)TPI_MULTIGRID_SWEEPS : other;
    pass.colour = is_last || cursor->pass < 2u * grid->before ? cursor->pass : other + 1u;
    pass.fine = multigrid_at(grid, cursor->level);
    pass.coarse = is_sweep ? pass.fine : multigrid_at(grid, cursor->level + 1u);
    bool is_whole = pass.kind == TPI_MULTIGRID_RESTRICT; /* all rows of the coarser grid */
    const multigrid_level *of = is_whole ? &pass.coarse : &pass.fine;
    pass.first_y = is_whole ? 0u : of->first[1];
    pass.first_z = is_whole ? 0u : of->first[2];
    pass.rows_y = of->size[1] - 2u * pass.first_y;
    pass.rows = pass.rows_y * (of->size[2] - 2u * pass.first_z);
    pass.row_units = is_sweep ? (of->size[0] + 1u) / 2u : of->size[0];
    return pass;
}

static void multigrid_do(const tpi_multigrid *grid, const multigrid_pass *pass, uint32_t row)
{
    uint32_t j = pass->first_y + row % pass->rows_y, k = pass->first_z + row / pass->rows_y;
    switch (pass->kind) {
    case TPI_MULTIGRID_RESIDUAL:
        multigrid_subtract(&pass->fine, j, k, multigrid_residual(grid));
        break;
    case TPI_MULTIGRID_RESTRICT: multigrid_restrict(grid, &pass->fine, &pass->coarse, j, k); break;
    case TPI_MULTIGRID_CORRECT: multigrid_correct(grid, &pass->fine, &pass->coarse, j, k); break;
    default: multigrid_relax(&pass->fine, j, k, pass->colour & 1u); break;
    }
}

uint32_t tpi_multigrid_run(const tpi_multigrid *grid, tpi_multigrid_cursor *cursor, uint32_t units,
                           bool *done)
{
    uint32_t used = 0, last = tpi_multigrid_levels(grid->size) - 1u;
    while (used < units && cursor->cycle < grid->cycles) {
        multigrid_pass pass = multigrid_prepare(grid, cursor, cursor->level == last);
        for (; cursor->row < pass.rows && used < units; cursor->row++) {
            multigrid_do(grid, &pass, cursor->row);
            used += pass.row_units;
        }
        if (cursor->row >= pass.rows) multigrid_next(grid, cursor, cursor->level == last);
    }
    *done = cursor->cycle >= grid->cycles;
    return used;
}
