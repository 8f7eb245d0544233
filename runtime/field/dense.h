/* SPDX-License-Identifier: MIT
   runtime/field/dense.h - values at all nodes of a regular grid (a dense grid): deposit of
           particles, Poisson's equation by multigrid.
   reads   amounts of particles; sources          writes  sums at nodes; values at nodes
   memory  the caller's: tpi_dense_floats per array, tpi_multigrid_floats to work in
   cost    see each function
   after   multigrid in correction form: Brandt, "Multi-level adaptive solutions to boundary-value
           problems", Mathematics of Computation 31 (1977), section 4; Trottenberg, Oosterlee and
           Schueller, "Multigrid" (2001), section 2.9 for three dimensions */
#ifndef TPI_DENSE_H
#define TPI_DENSE_H
#include "../base/base.h"

/* An axis has 2^k + 1 nodes, so that every second node of a grid is a node of the next coarser
   one. */
#define TPI_DENSE_MIN 3u
#define TPI_DENSE_MAX 65u
/* Vectors may read so many numbers beyond the last row of an array. */
#define TPI_DENSE_PAD 16u

typedef struct tpi_dense {
    uint32_t size[3]; /* nodes per axis */
    tp_vector origin; /* m: the node 0, 0, 0 */
    float spacing;    /* m, of all axes */
} tpi_dense;

/* True if each axis has 2^k + 1 nodes, 3..65. O(1) */
TPI_FUNC bool tpi_dense_is_good(const uint32_t size[3]);
/* Numbers of an array with one value per node, with what vectors read beyond it. O(1) */
TPI_FUNC uint32_t tpi_dense_floats(const uint32_t size[3]);
/* Index of a node in an array. Each row along x holds its even nodes first, then its odd ones:
   vectors of nodes of one colour are then in one piece. */
TPI_INLINE uint32_t tpi_dense_place(const uint32_t size[3], uint32_t i, uint32_t j, uint32_t k)
{
    return (k * size[1] + j) * size[0] + (i >> 1) + (i & 1u ? size[0] / 2u + 1u : 0u);
}
/* Number of a node: that of its row of four numbers. */
TPI_INLINE uint32_t tpi_dense_node(const uint32_t size[3], uint32_t i, uint32_t j, uint32_t k)
{
    return (k * size[1] + j) * size[0] + i;
}

/* ---- deposit: integer sums, the same bits in any order of the particles ---- */

/* Counts per unit of an amount, a power of two. `bound`: at least the sum of all magnitudes; then
   no sum at a node overflows. O(1) */
TPI_FUNC float tpi_dense_scale(float bound);
/* The counts of an amount, rounded towards zero. O(1) */
TPI_INLINE int32_t tpi_dense_counts(float amount, float scale)
{
    return (int32_t)tpi_clamp(amount * scale, -1073741824.0f, 1073741824.0f);
}
/* Adds three amounts at a point to the eight nodes around it, by trilinear weights. The eight parts
   of an amount add up to it exactly. The sums of component c begin at sums + c * stride. A point
   beyond the grid is moved to its boundary. O(1) */
TPI_FUNC void tpi_dense_deposit(const tpi_dense *dense, tp_vector point, const int32_t counts[3],
                                int32_t *sums, uint32_t stride);

/* ---- multigrid (multigrid.c): the Laplacian of the values is the source ---- */

typedef struct tpi_multigrid {
    uint32_t size[3];
    /* Bit a: the two faces of axis a are mirrors (the derivative across them is 0), and their
       values are unknown. The values of all other faces are given. One axis at least has none. */
    uint32_t mirrors;
    uint32_t before, after; /* sweeps of each level before and after the coarser ones, 1 or more */
    uint32_t cycles;
    float spacing;       /* m */
    float *values;       /* first approximation (warm start), then the result */
    const float *source; /* unread on faces whose values are given */
    float *work;         /* tpi_multigrid_floats(size) numbers */
} tpi_multigrid;

/* Where a solution that runs in slices continues; all 0 begins. */
typedef struct tpi_multigrid_cursor {
    uint32_t cycle, level, pass, row;
} tpi_multigrid_cursor;

/* The coarsest grid has three nodes along its shortest axis: so many sweeps solve it. */
#define TPI_MULTIGRID_LAST_SWEEPS 8u
/* Numbers of two rows of intermediate results, each of half the nodes of a row of the finest
   grid. */
#define TPI_MULTIGRID_HALF (TPI_DENSE_MAX / 2u + TPI_DENSE_PAD + 4u)
#define TPI_MULTIGRID_ROW  (2u * TPI_MULTIGRID_HALF)
/* The passes of a level that has a coarser one: sweeps of one colour each, these, and the sweeps
   after the correction. */
enum {
    TPI_MULTIGRID_RESIDUAL,
    TPI_MULTIGRID_RESTRICT,
    TPI_MULTIGRID_CORRECT,
    TPI_MULTIGRID_SWEEPS
};

/* Number of grids, the finest one included. O(log size) */
TPI_FUNC uint32_t tpi_multigrid_levels(const uint32_t size[3]);
/* Passes of a level; `is_last`: of the coarsest one. O(1) */
TPI_FUNC uint32_t tpi_multigrid_passes(const tpi_multigrid *grid, bool is_last);
/* Numbers of memory to work in: 1.4 per node. O(log size) */
TPI_FUNC uint32_t tpi_multigrid_floats(const uint32_t size[3]);
/* False if a cursor from an untrusted block is none that a solution leaves. O(log size) */
TPI_FUNC bool tpi_multigrid_audit(const tpi_multigrid *grid, const tpi_multigrid_cursor *cursor);

/* ---- curl (curl.c) ---- */

typedef struct tpi_curl {
    tpi_dense dense;
    const float *potential; /* component c begins at potential + c * stride */
    uint32_t stride;
    float *rows; /* one row of four numbers per node: the curl, and 0 */
} tpi_curl;

#endif
