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
TPI_INLINE multigrid_rows multigrid_rows_of(const multigrid_level *level, uint32_t j, uint32_t k)
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

/* The nodes of one parity of a row: index of the first one, and that of the node before each along
   x. They are as many as cells of the row, without the last of the even ones. */
typedef struct multigrid_half {
    uint32_t first, before, count;
    bool is_odd;
} multigrid_half;
static multigrid_half multigrid_half_of(uint32_t size, uint32_t odd)
{
    uint32_t count = size / 2u;
    return odd ? (multigrid_half){count + 1u, 0, count, true}
               : (multigrid_half){0, count, count, false};
}

/* Stores the values of half a row: as many as there are, or a vector of which the rest stays. */
TPI_INLINE void multigrid_store(float *to, tpi_lanes now, uint32_t count)
{
    if (count < TPI_LANES) now = tpi_lanes_select(tpi_lanes_first(count), now, tpi_lanes_load(to));
    tpi_lanes_store(to, now);
}

/* The squared spacing times the Laplacian at TPI_LANES nodes, from number e of half a row on; at
   one end of a row, whose two neighbours along x are both the one inside. */
TPI_INLINE tpi_lanes multigrid_laplacian(const multigrid_rows *rows, const multigrid_half *half,
                                         uint32_t e)
{
    const float *beside = rows->at + half->before + e;
    uint32_t i = half->first + e;
    tpi_lanes x = tpi_lanes_load(beside) + tpi_lanes_load(beside + 1);
    tpi_lanes y = tpi_lanes_load(rows->low_y + i) + tpi_lanes_load(rows->high_y + i);
    tpi_lanes z = tpi_lanes_load(rows->low_z + i) + tpi_lanes_load(rows->high_z + i);
    return (x + y + z) - tpi_lanes_load(rows->at + i) * 6.0f;
}
static float multigrid_laplacian_end(const multigrid_rows *rows, uint32_t e, uint32_t size)
{
    float inside = rows->at[e ? size - 1u : size / 2u + 1u], x = inside + inside;
    float y = rows->low_y[e] + rows->high_y[e], z = rows->low_z[e] + rows->high_z[e];
    return (x + y + z) - rows->at[e] * 6.0f;
}

/* A Gauss-Seidel sweep of the nodes of one colour in a row. A value changes by its residual, so
   that the rounding of 1/6 moves no solution. */
TPI_INLINE void multigrid_relax(const multigrid_level *level, uint32_t j, uint32_t k,
                                uint32_t colour)
{
    const float sixth = 0.166666667f;
    multigrid_rows rows = multigrid_rows_of(level, j, k);
    uint32_t size = level->size[0], row = k * level->plane + j * size, last = size / 2u;
    float *to = level->values + row;
    const float *source = level->source + row;
    multigrid_half half = multigrid_half_of(size, (j + k + colour) & 1u);
    float ends[2] = {to[0], to[last]};
    if (!half.is_odd && !level->first[0])
        for (uint32_t n = 0; n < 2; n++)
            ends[n] = ends[n] + (multigrid_laplacian_end(&rows, n * last, size) -
                                 source[n * last] * level->square) *
                                    sixth;
    for (uint32_t e = 0; e < half.count; e += TPI_LANES) {
        tpi_lanes change = multigrid_laplacian(&rows, &half, e) -
                           tpi_lanes_load(source + half.first + e) * tpi_lanes_of(level->square);
        tpi_lanes now = tpi_lanes_load(to + half.first + e) + change * tpi_lanes_of(sixth);
        multigrid_store(to + half.first + e, now, half.count);
    }
    to[0] = half.is_odd ? to[0] : ends[0];
    to[last] = half.is_odd ? to[last] : ends[1];
}

/* The residual of a row at nodes of colour 0: those of colour 1 were relaxed last, theirs is 0 up
   to rounding. */
TPI_INLINE void multigrid_subtract(const multigrid_level *level, uint32_t j, uint32_t k,
                                   float *residual)
{
    multigrid_rows rows = multigrid_rows_of(level, j, k);
    uint32_t size = level->size[0], row = k * level->plane + j * size, last = size / 2u;
    const float *source = level->source + row;
    float inverse = 1.0f / level->square;
    multigrid_half half = multigrid_half_of(size, (j + k) & 1u);
    residual += row;
    for (uint32_t e = 0; e < half.count; e += TPI_LANES) {
        tpi_lanes left = tpi_lanes_load(source + half.first + e) -
                         multigrid_laplacian(&rows, &half, e) * tpi_lanes_of(inverse);
        multigrid_store(residual + half.first + e, left, half.count);
    }
    for (uint32_t n = 0; n < 2 && !half.is_odd && !level->first[0]; n++)
        residual[n * last] =
            source[n * last] - multigrid_laplacian_end(&rows, n * last, size) * inverse;
}

/* Rows of the residual around that of a coarse node: of its own row and those beside it along both
   axes the even nodes have colour 0, of those beside it along one axis the odd ones. */
typedef struct multigrid_around {
    const float *at, *even[4], *odd[4];
} multigrid_around;
static multigrid_around multigrid_around_of(const multigrid_level *fine, const float *residual,
                                            uint32_t j, uint32_t k)
{
    uint32_t size = fine->size[0], y = 2u * j, z = 2u * k;
    uint32_t at_y[2] = {multigrid_lower(y) * size, multigrid_upper(y, fine->size[1]) * size};
    uint32_t at_z[2] = {multigrid_lower(z) * fine->plane,
                        multigrid_upper(z, fine->size[2]) * fine->plane};
    multigrid_around around = {.at = residual + z * fine->plane + y * size};
    for (uint32_t n = 0; n < 4; n++) around.even[n] = residual + at_z[n >> 1] + at_y[n & 1u];
    for (uint32_t n = 0; n < 2; n++) {
        around.odd[n] = residual + z * fine->plane + at_y[n] + size / 2u + 1u;
        around.odd[n + 2u] = residual + at_z[n] + y * size + size / 2u + 1u;
    }
    return around;
}

/* The sum of four rows. */
TPI_INLINE tpi_lanes multigrid_four(const float *const rows[4], uint32_t e)
{
    return (tpi_lanes_load(rows[0] + e) + tpi_lanes_load(rows[1] + e)) +
           (tpi_lanes_load(rows[2] + e) + tpi_lanes_load(rows[3] + e));
}

/* The place of a node in a row: even ones come first. */
TPI_INLINE uint32_t multigrid_place(uint32_t size, uint32_t i)
{
    return (i >> 1) + (i & 1u ? size / 2u + 1u : 0u);
}

/* Full weighting of the residual of `fine` to a row of the source of the next coarser grid, whose
   values begin at 0. Rows of given values only get these. */
static void multigrid_restrict(const tpi_multigrid *grid, const multigrid_level *fine,
                               const multigrid_level *coarse, uint32_t j, uint32_t k)
{
    uint32_t size = coarse->size[0], to = k * coarse->plane + j * size, last = size - 1u;
    float *odd = multigrid_row(grid), *sum = odd + TPI_MULTIGRID_HALF;
    float *source = coarse->values + tpi_dense_floats(coarse->size) + to;
    tpi_memset(coarse->values + to, 0, size * sizeof(float));
    if (j < coarse->first[1] || j > coarse->last[1] || k < coarse->first[2] || k > coarse->last[2])
        return;
    multigrid_around around = multigrid_around_of(fine, multigrid_residual(grid), j, k);
    for (uint32_t e = 0; e < size; e += TPI_LANES) {
        tpi_lanes even = tpi_lanes_load(around.at + e) * 4.0f + multigrid_four(around.even, e);
        tpi_lanes_store(odd + 1 + e, multigrid_four(around.odd, e));
        tpi_lanes_store(sum + e, even);
    }
    odd[0] = odd[1];
    odd[size] = odd[last];
    for (uint32_t i = coarse->first[0]; i <= coarse->last[0]; i++)
        source[multigrid_place(size, i)] = ((odd[i] + odd[i + 1u]) + sum[i]) * (1.0f / 32.0f);
}

/* Adds the correction of the next coarser grid to a row of unknown values: the values of faces that
   are given stay. */
static void multigrid_correct(const tpi_multigrid *grid, const multigrid_level *fine,
                              const multigrid_level *coarse, uint32_t j, uint32_t k)
{
    float *to = fine->values + k * fine->plane + j * fine->size[0];
    float *halves = multigrid_row(grid), *row = halves + TPI_MULTIGRID_HALF;
    const uint32_t size = coarse->size[0], last = size - 1u, bound = fine->first[0];
    const float *low = coarse->values + (k / 2u) * coarse->plane + (j / 2u) * size;
    uint32_t y = (j & 1u) * size, z = (k & 1u) * coarse->plane;
    for (uint32_t e = 0; e < size; e += TPI_LANES) {
        tpi_lanes near = tpi_lanes_load(low + e) + tpi_lanes_load(low + y + e);
        tpi_lanes far = tpi_lanes_load(low + z + e) + tpi_lanes_load(low + z + y + e);
        tpi_lanes_store(halves + e, (near + far) * 0.25f);
    }
    for (uint32_t i = 0; i < size; i++) row[i] = halves[multigrid_place(size, i)];
    float ends[2] = {bound ? to[0] : to[0] + row[0], bound ? to[last] : to[last] + row[last]};
    for (uint32_t e = 0; e < last; e += TPI_LANES) {
        tpi_lanes even = tpi_lanes_load(row + e);
        tpi_lanes odd = (even + tpi_lanes_load(row + e + 1u)) * 0.5f;
        multigrid_store(to + e, tpi_lanes_load(to + e) + even, last);
        multigrid_store(to + size + e, tpi_lanes_load(to + size + e) + odd, last);
    }
    to[0] = ends[0];
    to[last] = ends[1];
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

static void multigrid_do(const tpi_multigrid *grid, const multigrid_pass *pass, uint32_t j,
                         uint32_t k)
{
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
        uint32_t j = cursor->row % pass.rows_y, k = pass.first_z + cursor->row / pass.rows_y;
        for (; cursor->row < pass.rows && used < units; cursor->row++) {
            multigrid_do(grid, &pass, pass.first_y + j, k);
            used += pass.row_units;
            if (++j < pass.rows_y) continue;
            j = 0;
            k++;
        }
        if (cursor->row >= pass.rows) multigrid_next(grid, cursor, cursor->level == last);
    }
    *done = cursor->cycle >= grid->cycles;
    return used;
}
