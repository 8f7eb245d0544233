/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/tetra.c - blocks of tetrahedra: cells of a grid, edges, diagonals, volumes.
   reads   definitions, front positions, kicked velocities, weights
   writes  constraints, tetrahedra, kicked velocities
   memory  24 bytes per tetrahedron
   cost    4 units per tetrahedron and sub-step; they are visited in order on one thread
   after   volume constraints (Macklin et al. 2016, XPBD); five tetrahedra per cell, mirrored in
           each second one, so that diagonals meet; gradients at the start of the sub-step,
           so that angular momentum is exact */
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

uint64_t tpi_cloth_block_tetrahedra(const tp_cloth_def *def)
{
    return 5u * (uint64_t)(def->columns - 1u) * (def->rows - 1u) * (def->layers - 1u);
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

/* ---- tetrahedra ---- */

tpi_cloth_tetra *tpi_cloth_tetras(const tp_world *world)
{
    return (tpi_cloth_tetra *)tpi_at(world, world->arrays.own[TPI_CLOTH_TETRA]);
}

/* Offset from corner 0 to another one in the front set. */
static tp_vector tetra_edge(const tp_world *world, const uint32_t *corner, uint32_t other)
{
    uint32_t a = corner[0], b = corner[other];
    return tpi_vector(tpi_front_x(world, 0)[b] - tpi_front_x(world, 0)[a],
                      tpi_front_x(world, 1)[b] - tpi_front_x(world, 1)[a],
                      tpi_front_x(world, 2)[b] - tpi_front_x(world, 2)[a]);
}

static float tetra_volume(tp_vector a, tp_vector b, tp_vector c)
{
    return tpi_dot(a, tpi_cross(b, c)) * (1.0f / 6.0f);
}

static uint64_t tetra_append(const tp_world *world, const tp_cloth_def *def,
                             const uint32_t corner[4])
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    tpi_cloth_tetra *made = tpi_cloth_tetras(world) + tpi_cloth_head_of(world)->tetrahedra++;
    for (uint32_t k = 0; k < 4; k++) made->corner[k] = corner[k];
    made->volume = tetra_volume(tetra_edge(world, corner, 1), tetra_edge(world, corner, 2),
                                tetra_edge(world, corner, 3));
    made->compliance = tpi_abs(made->volume) * def->volume;
    uint64_t hash = tpi_mix_word((uint64_t)ids[corner[0]] << 32 | ids[corner[1]],
                                 (uint64_t)ids[corner[2]] << 32 | ids[corner[3]]);
    return tpi_mix_word(hash, (uint64_t)tpi_bits(made->volume) << 32 | tpi_bits(made->compliance));
}

uint64_t tpi_cloth_put_tetras(const tp_world *world, const tp_cloth_def *def, uint32_t first)
{
    /* corners of an even cell: bit 0 is along, 1 across, 2 deep; of an odd one 7 less these */
    static const uint8_t corners[5][4] = {
        {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    uint64_t hash = 0;
    uint32_t cells = (def->columns - 1u) * (def->rows - 1u) * (def->layers - 1u);
    for (uint32_t n = 0; n < 5u * cells; n++) {
        uint32_t c = n / 5u % (def->columns - 1u), rest = n / 5u / (def->columns - 1u),
                 r = rest % (def->rows - 1u), l = rest / (def->rows - 1u), corner[4];
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t bits = corners[n % 5u][k] ^ ((c + r + l) & 1u ? 7u : 0u);
            corner[k] = first + tetra_node(def, c + (bits & 1u), r + (bits >> 1 & 1u),
                                           l + (bits >> 2 & 1u));
        }
        hash += tetra_append(world, def, corner);
    }
    return hash;
}

/* ---- the step ---- */

/* m: what the sub-step adds to an edge. */
static tp_vector tetra_motion(const tp_world *world, const uint32_t *corner, uint32_t other)
{
    uint32_t a = corner[0], b = corner[other];
    const float *v[3] = {tpi_kicked(world, 0), tpi_kicked(world, 1), tpi_kicked(world, 2)};
    return tpi_scale(tpi_vector(v[0][b] - v[0][a], v[1][b] - v[1][a], v[2][b] - v[2][a]),
                     world->step.timestep);
}

/* The volume after the sub-step is signed, so that an inverted tetrahedron turns back. */
static void tetra_solve(const tp_world *world, const tpi_cloth_tetra *t)
{
    const float *weights = tpi_floats(world, world->arrays.next_birth), dt = world->step.timestep;
    tp_vector e[3], p[3], g[4];
    float stiff = t->compliance / (dt * dt), square = 0.0f;
    for (uint32_t k = 0; k < 3; k++) {
        e[k] = tetra_edge(world, t->corner, k + 1u);
        p[k] = tpi_add(e[k], tetra_motion(world, t->corner, k + 1u));
    }
    for (uint32_t k = 0; k < 3; k++)
        g[k + 1u] = tpi_scale(tpi_cross(e[(k + 1u) % 3u], e[(k + 2u) % 3u]), 1.0f / 6.0f);
    g[0] = tpi_scale(tpi_add(tpi_add(g[1], g[2]), g[3]), -1.0f);
    for (uint32_t k = 0; k < 4; k++) square += weights[t->corner[k]] * tpi_dot(g[k], g[k]);
    if (!(square > 1e-30f && square < 1e30f)) return;
    float share = (t->volume - tetra_volume(p[0], p[1], p[2])) / ((square + stiff) * dt);
    for (uint32_t k = 0; k < 4; k++) {
        float push = share * weights[t->corner[k]];
        tpi_kicked(world, 0)[t->corner[k]] += g[k].x * push;
        tpi_kicked(world, 1)[t->corner[k]] += g[k].y * push;
        tpi_kicked(world, 2)[t->corner[k]] += g[k].z * push;
    }
}

TPI_APART void tpi_cloth_swell(const tp_world *world, uint32_t begin, uint32_t end)
{
    const tpi_cloth_tetra *tetras = tpi_cloth_tetras(world);
    for (uint32_t t = begin; t < end; t++) tetra_solve(world, tetras + t);
}
