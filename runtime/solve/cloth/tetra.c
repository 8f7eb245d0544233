/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/tetra.c - blocks of tetrahedra: cells of a grid, edges, diagonals, volumes.
   reads   definitions, front positions      writes  constraints, cells
   memory  56 bytes per cell
   cost    O(cells) for each colour
   after   five tetrahedra per cell, mirrored in each second one, so that diagonals meet; graph
           colouring in closed form: cells of one parity along each axis share no nodes */
#include "cloth.h"

static uint32_t tetra_node(const tp_cloth_def *def, uint32_t column, uint32_t row, uint32_t layer)
{
    return (layer * def->rows + row) * def->columns + column;
}

uint64_t tpi_cloth_block_constraints(const tp_cloth_def *def)
{
    uint64_t c = def->columns, r = def->rows, l = def->layers, count = 0;
    if (def->kinds & TP_CLOTH_STRETCH)
        count += (c - 1u) * r * l + c * (r - 1u) * l + c * r * (l - 1u);
    if (def->kinds & TP_CLOTH_SHEAR)
        count += (c - 1u) * (r - 1u) * l + (c - 1u) * r * (l - 1u) + c * (r - 1u) * (l - 1u);
    return count;
}

uint64_t tpi_cloth_block_cells(const tp_cloth_def *def)
{
    return (uint64_t)(def->columns - 1u) * (def->rows - 1u) * (def->layers - 1u);
}

/* ---- constraints ---- */

/* A step from a node along axes of the grid. */
typedef struct tetra_step {
    uint32_t by[3]; /* modulo 2^32 */
} tetra_step;

/* True if both ends of a step are nodes of the block. */
static bool tetra_is_inside(const tp_cloth_def *def, const uint32_t at[3], tetra_step step)
{
    const uint32_t sizes[3] = {def->columns, def->rows, def->layers};
    bool is_inside = true;
    for (uint32_t axis = 0; axis < 3; axis++)
        is_inside = is_inside && at[axis] + step.by[axis] < sizes[axis];
    return is_inside;
}

/* Appends the constraints of a step, from index k on; returns the end. Those of a colour share no
   nodes: the parity of `axis` differs along a line of them. */
static uint32_t tetra_put_step(const tp_world *world, const tp_cloth_def *def, tetra_step step,
                               uint32_t axis, uint32_t colour, uint32_t first, uint32_t k)
{
    bool is_edge = colour >= TPI_CLOTH_STRETCHES;
    uint32_t nodes = def->columns * def->rows * def->layers;
    for (uint32_t n = 0; n < nodes; n++) {
        const uint32_t at[3] = {n % def->columns, n / def->columns % def->rows,
                                n / def->columns / def->rows};
        uint32_t parity = (at[0] + at[1] + at[2]) & 1u;
        if ((!is_edge && parity) || !tetra_is_inside(def, at, step)) continue;
        uint32_t other =
            tetra_node(def, at[0] + step.by[0], at[1] + step.by[1], at[2] + step.by[2]);
        tpi_cloth_append(world, k++, colour + (at[axis] & 1u), first + n, first + other,
                         is_edge ? def->stretch : def->shear);
    }
    return k;
}

uint32_t tpi_cloth_put_block(const tp_world *world, const tp_cloth_def *def, uint32_t first,
                             uint32_t k)
{
    static const tetra_step edges[3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
    static const tetra_step diagonals[6] = {{{1, 1, 0}},   {{~0u, 1, 0}}, {{1, 0, 1}},
                                            {{~0u, 0, 1}}, {{0, 1, 1}},   {{0, ~0u, 1}}};
    for (uint32_t d = 0; d < 6 && (def->kinds & TP_CLOTH_SHEAR); d++)
        k = tetra_put_step(world, def, diagonals[d], d < 2 ? 1u : 2u,
                           TPI_CLOTH_STRETCHES - 12u + 2u * d, first, k);
    for (uint32_t e = 0; e < 3 && (def->kinds & TP_CLOTH_STRETCH); e++)
        k = tetra_put_step(world, def, edges[e], e, TPI_CLOTH_COLOURS - 6u + 2u * e, first, k);
    return k;
}

/* ---- cells ---- */

/* Offset from corner 0 of a cell to another one in the front set. */
static tp_vector tetra_edge(const tp_world *world, const uint32_t *corner, uint32_t from,
                            uint32_t to)
{
    uint32_t a = corner[from], b = corner[to];
    return tpi_vector(tpi_front_x(world, 0)[b] - tpi_front_x(world, 0)[a],
                      tpi_front_x(world, 1)[b] - tpi_front_x(world, 1)[a],
                      tpi_front_x(world, 2)[b] - tpi_front_x(world, 2)[a]);
}

/* m^3: signed, of a tetrahedron of a cell. */
static float tetra_volume(const tp_world *world, const uint32_t *corner, uint32_t tetra)
{
    uint32_t from = tpi_cloth_tetra_corner(tetra, 0);
    tp_vector a = tetra_edge(world, corner, from, tpi_cloth_tetra_corner(tetra, 1)),
              b = tetra_edge(world, corner, from, tpi_cloth_tetra_corner(tetra, 2)),
              c = tetra_edge(world, corner, from, tpi_cloth_tetra_corner(tetra, 3));
    return tpi_dot(a, tpi_cross(b, c)) * (1.0f / 6.0f);
}

/* Writes the words of a cell with these corners. Returns its hash. */
static uint64_t tetra_put_cell(const tp_world *world, uint32_t at, const uint32_t *corner,
                               float compliance)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint32_t words[TPI_CLOTH_CELL_WORDS];
    uint64_t hash = 0;
    for (uint32_t k = 0; k < TPI_CLOTH_CORNERS; k++) words[k] = corner[k];
    for (uint32_t t = 0; t < TPI_CLOTH_TETRAS; t++)
        words[TPI_CLOTH_VOLUME + t] = tpi_bits(tetra_volume(world, corner, t));
    words[TPI_CLOTH_SOFTNESS] = tpi_bits(compliance);
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    for (uint32_t k = 0; k < TPI_CLOTH_CELL_WORDS; k++) {
        tpi_cloth_pool_array(&cells, k)[at] = words[k];
        hash = tpi_mix_word(hash, k < TPI_CLOTH_CORNERS ? ids[words[k]] : words[k]);
    }
    return hash;
}

uint32_t tpi_cloth_open_pool(const tpi_cloth_pool *pool, uint32_t colour, uint32_t count)
{
    uint32_t *begin = pool->begin, at = begin[colour + 1u], moved = begin[pool->colours] - at;
    for (uint32_t k = 0; k < pool->words; k++) {
        uint32_t *words = tpi_cloth_pool_array(pool, k) + at;
        tpi_memmove(words + count, words, (size_t)moved * sizeof *words);
    }
    for (uint32_t k = colour + 1u; k <= pool->colours; k++) begin[k] += count;
    return at;
}

const char *tpi_cloth_audit_pool(const tpi_cloth_pool *pool)
{
    bool is_good = pool->begin[0] == 0 && pool->begin[pool->colours] <= pool->capacity;
    for (uint32_t colour = 0; colour < pool->colours; colour++)
        is_good = is_good && pool->begin[colour] <= pool->begin[colour + 1u];
    return is_good ? NULL : TPI_TEXT("the cells of each colour behind those of the colour before");
}

/* Nodes of the cell (c, r, l); those of an odd one are mirrored. */
static void tetra_corners(const tp_cloth_def *def, uint32_t first, const uint32_t cell[3],
                          uint32_t corner[TPI_CLOTH_CORNERS])
{
    uint32_t mirror = (cell[0] + cell[1] + cell[2]) & 1u ? 7u : 0u;
    for (uint32_t k = 0; k < TPI_CLOTH_CORNERS; k++) {
        uint32_t bits = k ^ mirror;
        corner[k] = first + tetra_node(def, cell[0] + (bits & 1u), cell[1] + (bits >> 1 & 1u),
                                       cell[2] + (bits >> 2 & 1u));
    }
}

uint64_t tpi_cloth_put_cells(const tp_world *world, const tp_cloth_def *def, uint32_t first)
{
    const uint32_t sizes[3] = {def->columns - 1u, def->rows - 1u, def->layers - 1u};
    uint64_t hash = 0;
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    if (tpi_cloth_head_of(world)->cells == 0)
        tpi_memset(cells.begin, 0, 4u * (TPI_CLOTH_CELL_COLOURS + 1u));
    for (uint32_t colour = 0; colour < TPI_CLOTH_CELL_COLOURS; colour++) {
        const uint32_t from[3] = {colour & 1u, colour >> 1 & 1u, colour >> 2};
        uint32_t cell[3], corner[TPI_CLOTH_CORNERS], count = 1;
        for (uint32_t axis = 0; axis < 3; axis++) count *= (sizes[axis] + 1u - from[axis]) / 2u;
        uint32_t at = tpi_cloth_open_pool(&cells, colour, count);
        for (cell[2] = from[2]; cell[2] < sizes[2]; cell[2] += 2u)
            for (cell[1] = from[1]; cell[1] < sizes[1]; cell[1] += 2u)
                for (cell[0] = from[0]; cell[0] < sizes[0]; cell[0] += 2u) {
                    tetra_corners(def, first, cell, corner);
                    hash += tetra_put_cell(world, at++, corner, def->volume);
                }
        tpi_cloth_head_of(world)->cells += count;
    }
    return hash;
}
