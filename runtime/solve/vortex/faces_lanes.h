/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/faces_lanes.h - the vector potential of free space on the faces of a grid.
   reads   the vorticity of nodes      writes  the potential of the nodes of faces
   memory  a tree in the array of velocities, which is free then
   cost    8 units per cell of the tree; per 4 x 4 nodes of a face one unit per visited cell, and
           per node one for each cell that is far enough or has no smaller ones
   after   treecode (Barnes and Hut 1986) with first moments of cells about their middles, which
           sources of both signs need (Lindsay and Krasny 2001). Own design: the sources are nodes
           of a grid, so that cells have places, not keys; a walk in the order of Morton (1966)
           needs no stack: the next cell follows from the last one */
#ifndef TPI_VORTEX_FACES_LANES_H
#define TPI_VORTEX_FACES_LANES_H
#include "vortex_lanes.h"

/* Nodes of a patch of a face, along each side. */
#define FACES_SIDE  4u
#define FACES_PATCH (FACES_SIDE * FACES_SIDE)
/* Cells whose terms are added at once. */
#define FACES_BATCH 16u
/* Numbers of a cell: sums of strengths, moments of each about the middle, the middle, which is the
   mean of places by magnitudes of strengths, the distance of the farthest node from it, and the sum
   of the magnitudes, 0 if there are none. */
#define FACES_ROW    20u
#define FACES_MOMENT 3u
#define FACES_MIDDLE 12u
#define FACES_RADIUS 15u
#define FACES_WEIGHT 16u
/* Levels of a tree, and one more. */
#define FACES_LEVELS 7u
/* A cell is far enough if its radius is below this share of its distance. */
#define FACES_ANGLE 0.4f

/* A cell of the tree: its level, 1 for two nodes along each axis, and its place there. */
typedef struct faces_cell {
    uint32_t level, at[3];
} faces_cell;

/* The levels of a tree, from 1 to `top`, which is one cell: cells along each axis, and the number
   of the first one. */
typedef struct faces_tree {
    float *rows;
    uint32_t top, width[FACES_LEVELS][3], first[FACES_LEVELS + 1u];
} faces_tree;

/* The last node has no strength: vortons beyond the one before do not act. */
static faces_tree faces_tree_of(const tp_world *world)
{
    faces_tree tree = {.rows = tpi_floats(world, world->arrays.own[TPI_VORTEX_FLOW])};
    uint32_t count = 0, level = 0;
    while (count != 1u) {
        level++;
        count = 1;
        for (uint32_t axis = 0; axis < 3; axis++) {
            tree.width[level][axis] = tpi_max_u32(world->def.vortex.grid_nodes[axis] >> level, 1u);
            count *= tree.width[level][axis];
        }
        tree.first[level + 1u] = tree.first[level] + count;
    }
    tree.top = level;
    return tree;
}

/* Cells of the tree. */
static uint32_t faces_cells(const tp_world *world)
{
    faces_tree tree = faces_tree_of(world);
    return tree.first[tree.top + 1u];
}

/* The row of a cell; null: beyond the grid. */
static float *faces_row(const faces_tree *tree, const faces_cell *cell)
{
    const uint32_t *width = tree->width[cell->level], *at = cell->at;
    if (at[0] >= width[0] || at[1] >= width[1] || at[2] >= width[2]) return NULL;
    uint32_t number = tree->first[cell->level] + (at[2] * width[1] + at[1]) * width[0] + at[0];
    return tree->rows + (size_t)number * FACES_ROW;
}

/* ---- the tree ---- */

/* The parts of a cell that have strengths. */
typedef struct faces_parts {
    float rows[8][FACES_ROW];
    uint32_t count;
} faces_parts;

/* The nodes of a cell of level 1 as cells without moments. */
static void faces_nodes(const tp_world *world, const faces_cell *cell, faces_parts *parts)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    const float *source = tpi_floats(world, world->arrays.own[TPI_VORTEX_SOURCE]);
    const uint32_t stride = tpi_dense_floats(dense.size);
    const float h = dense.spacing, volume = -(h * h * h);
    parts->count = 0;
    for (uint32_t n = 0; n < 8; n++) {
        const uint32_t at[3] = {2u * cell->at[0] + (n & 1u), 2u * cell->at[1] + (n >> 1 & 1u),
                                2u * cell->at[2] + (n >> 2)};
        uint32_t place = tpi_dense_place(dense.size, at[0], at[1], at[2]);
        float *row = parts->rows[parts->count], largest = 0.0f;
        for (uint32_t c = 0; c < 3; c++) {
            row[c] = source[c * (size_t)stride + place] * volume;
            row[FACES_MIDDLE + c] = tpi_component(dense.origin, c) + (float)at[c] * h;
            largest = tpi_max(largest, tpi_abs(row[c]));
        }
        row[FACES_WEIGHT] = largest;
        row[FACES_RADIUS] = 0.0f;
        tpi_memset(row + FACES_MOMENT, 0, 9u * sizeof(float));
        parts->count += largest > 0.0f;
    }
}

/* The eight cells of one of a higher level. */
static void faces_cells_of(const faces_tree *tree, const faces_cell *cell, faces_parts *parts)
{
    parts->count = 0;
    for (uint32_t n = 0; n < 8; n++) {
        const faces_cell part = {cell->level - 1u,
                                 {2u * cell->at[0] + (n & 1u), 2u * cell->at[1] + (n >> 1 & 1u),
                                  2u * cell->at[2] + (n >> 2)}};
        const float *from = faces_row(tree, &part);
        if (from && from[FACES_WEIGHT] > 0.0f)
            tpi_memcpy(parts->rows[parts->count++], from, FACES_ROW * sizeof(float));
    }
}

/* The middle of a cell with parts. */
static void faces_place_middle(const faces_parts *parts, float *row)
{
    for (uint32_t n = 0; n < parts->count; n++)
        row[FACES_WEIGHT] = row[FACES_WEIGHT] + parts->rows[n][FACES_WEIGHT];
    for (uint32_t n = 0; n < parts->count; n++) {
        float share = parts->rows[n][FACES_WEIGHT] / row[FACES_WEIGHT];
        for (uint32_t axis = FACES_MIDDLE; axis < FACES_MIDDLE + 3u; axis++)
            row[axis] = row[axis] + parts->rows[n][axis] * share;
    }
}

/* Adds a part to a cell whose middle is known. */
static void faces_add_part(const float *part, float *row)
{
    const tp_vector offset = {part[FACES_MIDDLE] - row[FACES_MIDDLE],
                              part[FACES_MIDDLE + 1u] - row[FACES_MIDDLE + 1u],
                              part[FACES_MIDDLE + 2u] - row[FACES_MIDDLE + 2u]};
    row[FACES_RADIUS] = tpi_max(row[FACES_RADIUS], tpi_length(offset) + part[FACES_RADIUS]);
    for (uint32_t c = 0; c < 3; c++) {
        row[c] = row[c] + part[c];
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t to = FACES_MOMENT + 3u * c + axis;
            row[to] = (row[to] + part[to]) + part[c] * tpi_component(offset, axis);
        }
    }
}

/* Cells begin .. end - 1, from the smallest ones up. */
static void vortex_gather(const tp_world *world, uint32_t begin, uint32_t end)
{
    const faces_tree tree = faces_tree_of(world);
    for (uint32_t number = begin; number < end; number++) {
        faces_cell cell = {1, {0, 0, 0}};
        faces_parts parts;
        while (number >= tree.first[cell.level + 1u]) cell.level++;
        uint32_t rest = number - tree.first[cell.level];
        for (uint32_t axis = 0; axis < 3; axis++) {
            cell.at[axis] = rest % tree.width[cell.level][axis];
            rest /= tree.width[cell.level][axis];
        }
        float *row = faces_row(&tree, &cell);
        tpi_memset(row, 0, FACES_ROW * sizeof(float));
        if (cell.level == 1)
            faces_nodes(world, &cell, &parts);
        else
            faces_cells_of(&tree, &cell, &parts);
        faces_place_middle(&parts, row);
        for (uint32_t n = 0; n < parts.count; n++) faces_add_part(parts.rows[n], row);
    }
}

/* ---- patches of faces ---- */

/* Nodes of a patch: their places and, of each component, the sum so far. */
typedef struct faces_patch {
    float x[3][FACES_PATCH], sum[3][FACES_PATCH];
    float low[3], high[3];
    uint32_t nodes[FACES_PATCH], count;
} faces_patch;

/* The two axes of the faces across `axis`, and their first nodes and numbers: a node of two faces
   belongs to that across the higher axis. */
typedef struct faces_side {
    uint32_t axis, u, v, first_u, first_v, nodes_u, nodes_v, columns, patches;
} faces_side;
static faces_side faces_side_of(const uint32_t size[3], uint32_t axis)
{
    faces_side side = {.axis = axis, .u = axis == 0 ? 1u : 0u, .v = axis == 2 ? 1u : 2u};
    side.first_u = axis == 0 ? 1u : 0u;
    side.first_v = axis == 2 ? 0u : 1u;
    side.nodes_u = size[side.u] - 2u * side.first_u;
    side.nodes_v = size[side.v] - 2u * side.first_v;
    side.columns = (side.nodes_u + FACES_SIDE - 1u) / FACES_SIDE;
    side.patches = side.columns * ((side.nodes_v + FACES_SIDE - 1u) / FACES_SIDE);
    return side;
}

static uint32_t vortex_faces(const uint32_t size[3])
{
    uint32_t count = 0;
    for (uint32_t axis = 0; axis < 3; axis++) count += 2u * faces_side_of(size, axis).patches;
    return count;
}

static void faces_add_node(const tp_world *world, const tpi_dense *dense, const uint32_t at[3],
                           faces_patch *patch)
{
    const float *potential = tpi_floats(world, world->arrays.own[TPI_VORTEX_POTENTIAL]);
    uint32_t n = patch->count++, place = tpi_dense_place(dense->size, at[0], at[1], at[2]);
    patch->nodes[n] = place;
    for (uint32_t c = 0; c < 3; c++) {
        float x = tpi_component(dense->origin, c) + (float)at[c] * dense->spacing;
        patch->x[c][n] = x;
        patch->sum[c][n] = potential[c * (size_t)tpi_dense_floats(dense->size) + place];
        patch->low[c] = n ? tpi_min(patch->low[c], x) : x;
        patch->high[c] = n ? tpi_max(patch->high[c], x) : x;
    }
}

static void faces_load(const tp_world *world, uint32_t number, faces_patch *patch)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    faces_side side = faces_side_of(dense.size, 2);
    while (number >= 2u * side.patches) {
        number -= 2u * side.patches;
        side = faces_side_of(dense.size, side.axis - 1u);
    }
    uint32_t at[3], in_side = number % side.patches;
    uint32_t u = in_side % side.columns * FACES_SIDE, v = in_side / side.columns * FACES_SIDE;
    at[side.axis] = number < side.patches ? 0u : dense.size[side.axis] - 1u;
    patch->count = 0;
    for (uint32_t n = 0; n < FACES_PATCH; n++) {
        if (u + n % FACES_SIDE >= side.nodes_u || v + n / FACES_SIDE >= side.nodes_v) continue;
        at[side.u] = side.first_u + u + n % FACES_SIDE;
        at[side.v] = side.first_v + v + n / FACES_SIDE;
        faces_add_node(world, &dense, at, patch);
    }
    for (uint32_t n = patch->count; n < FACES_PATCH; n++)
        for (uint32_t c = 0; c < 3; c++) {
            patch->x[c][n] = patch->x[c][0];
            patch->sum[c][n] = 0.0f;
        }
}

static void faces_store(const tp_world *world, const faces_patch *patch, float share)
{
    float *potential = tpi_floats(world, world->arrays.own[TPI_VORTEX_POTENTIAL]);
    const uint32_t stride = tpi_dense_floats(world->def.vortex.grid_nodes);
    for (uint32_t n = 0; n < patch->count; n++)
        for (uint32_t c = 0; c < 3; c++)
            potential[c * (size_t)stride + patch->nodes[n]] = patch->sum[c][n] * share;
}

/* ---- terms ---- */

/* Adds 4 pi times the potential of a cell: of its strengths in the middle, and of their moments. */
TPI_INLINE void faces_add_cell(const float *row, float square, const tpi_lanes x[3],
                               tpi_lanes sum[3])
{
    tpi_lanes r[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        r[axis] = x[axis] - tpi_lanes_of(row[FACES_MIDDLE + axis]);
    tpi_lanes distance = ((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) + tpi_lanes_of(square);
    tpi_lanes weight = tpi_lanes_of(1.0f) / tpi_lanes_sqrt(distance), pull = weight * weight;
    for (uint32_t c = 0; c < 3; c++) {
        const float *moment = row + FACES_MOMENT + 3u * c;
        tpi_lanes along = (r[0] * tpi_lanes_of(moment[0]) + r[1] * tpi_lanes_of(moment[1])) +
                          r[2] * tpi_lanes_of(moment[2]);
        sum[c] = sum[c] + (along * pull + tpi_lanes_of(row[c])) * weight;
    }
}

/* Cells of a walk whose terms are not yet added. */
typedef struct faces_batch {
    const float *rows[FACES_BATCH];
    uint32_t count;
} faces_batch;

/* Adds the terms of a batch. */
static void faces_flush(const tp_world *world, faces_batch *batch, faces_patch *patch)
{
    const float square = tpi_vortex_of(world)->square;
    for (uint32_t k = 0; k < patch->count; k += TPI_LANES) {
        tpi_lanes x[3], sum[3];
        for (uint32_t c = 0; c < 3; c++) {
            x[c] = tpi_lanes_load(patch->x[c] + k);
            sum[c] = tpi_lanes_load(patch->sum[c] + k);
        }
        for (uint32_t n = 0; n < batch->count; n++) faces_add_cell(batch->rows[n], square, x, sum);
        for (uint32_t c = 0; c < 3; c++) tpi_lanes_store(patch->sum[c] + k, sum[c]);
    }
    batch->count = 0;
}

/* ---- the walk ---- */

static bool faces_is_far(const float *row, const faces_patch *patch)
{
    float square = 0.0f;
    for (uint32_t axis = 0; axis < 3; axis++) {
        float middle = row[FACES_MIDDLE + axis];
        float apart = tpi_max(tpi_max(patch->low[axis] - middle, middle - patch->high[axis]), 0.0f);
        square = square + apart * apart;
    }
    return row[FACES_RADIUS] * row[FACES_RADIUS] < (FACES_ANGLE * FACES_ANGLE) * square;
}

/* The next cell that is no part of this one; false: there is none. */
static bool faces_next(faces_cell *cell, uint32_t top)
{
    while (cell->level < top) {
        uint32_t part = (cell->at[0] & 1u) | (cell->at[1] & 1u) << 1 | (cell->at[2] & 1u) << 2;
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t bit = part < 7u ? (part + 1u) >> axis & 1u : 0u;
            cell->at[axis] = part < 7u ? (cell->at[axis] & ~1u) | bit : cell->at[axis] >> 1;
        }
        if (part < 7u) return true;
        cell->level++;
    }
    return false;
}

/* A cell in one word, not 0, and back. */
static uint32_t faces_pack(const faces_cell *cell)
{
    return cell->level << 24 | cell->at[0] << 16 | cell->at[1] << 8 | cell->at[2];
}
static faces_cell faces_unpack(uint32_t word)
{
    return (faces_cell){word >> 24, {word >> 16 & 255u, word >> 8 & 255u, word & 255u}};
}

/* The nodes of a near cell of level 1. Returns the units. */
static uint32_t faces_add_near(const tp_world *world, const faces_cell *cell, faces_batch *batch,
                               faces_patch *patch)
{
    faces_parts parts;
    faces_nodes(world, cell, &parts);
    faces_flush(world, batch, patch);
    while (batch->count < parts.count) {
        batch->rows[batch->count] = parts.rows[batch->count];
        batch->count++;
    }
    faces_flush(world, batch, patch);
    return 1u + parts.count * patch->count;
}

/* Visits one cell: adds its terms, or goes to its first part. Returns the units; *is_passed: the
   parts of the cell need no visit. */
static uint32_t faces_visit(const tp_world *world, const faces_tree *tree, faces_cell *cell,
                            faces_patch *patch, faces_batch *batch, bool *is_passed)
{
    const float *row = faces_row(tree, cell);
    *is_passed = true;
    if (!row || row[FACES_WEIGHT] == 0.0f) return 1;
    if (faces_is_far(row, patch)) {
        batch->rows[batch->count++] = row;
        if (batch->count == FACES_BATCH) faces_flush(world, batch, patch);
        return 1u + patch->count;
    }
    if (cell->level == 1) return faces_add_near(world, cell, batch, patch);
    *is_passed = false;
    cell->level--;
    for (uint32_t axis = 0; axis < 3; axis++) cell->at[axis] = cell->at[axis] * 2u;
    return 1;
}

/* A slice of the patches; cursor.j is the next cell of a walk, 0: none has begun. Returns the
   units. */
static uint32_t vortex_sum_faces(tp_world *world, uint32_t end, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    const faces_tree tree = faces_tree_of(world);
    uint32_t used = 0;
    while (cursor->i < end && used < units) {
        faces_patch patch;
        faces_batch batch = {.count = 0};
        faces_cell cell = {tree.top, {0, 0, 0}};
        bool is_left = true, is_passed;
        if (cursor->j) cell = faces_unpack(cursor->j);
        faces_load(world, cursor->i, &patch);
        while (is_left && used < units) {
            used += faces_visit(world, &tree, &cell, &patch, &batch, &is_passed);
            if (is_passed) is_left = faces_next(&cell, tree.top);
        }
        faces_flush(world, &batch, &patch);
        faces_store(world, &patch, is_left ? 1.0f : VORTEX_SHARE);
        cursor->j = is_left ? faces_pack(&cell) : 0u;
        if (is_left) continue;
        cursor->i++;
        used += patch.count;
    }
    return used;
}

#undef FACES_SIDE
#undef FACES_PATCH
#undef FACES_BATCH
#undef FACES_ROW
#undef FACES_MOMENT
#undef FACES_MIDDLE
#undef FACES_RADIUS
#undef FACES_WEIGHT
#undef FACES_ANGLE
#undef FACES_LEVELS
#endif
