/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/cloth.h - nodes held together by distance constraints: sheets and ropes.
   reads   front positions, kicked velocities      writes  kicked velocities, the back set
   memory  words of the block by role, see tpi_cloth_layout
   cost    one visit per constraint and sub-step
   after   XPBD with small steps (Macklin et al. 2016, 2019); long-range attachments (Kim, Chentanez
           and Mueller 2012). Unknowns are velocities, so that impulses are not rounded to the
           resolution of positions. Nodes stay in the order of their ids, so that constraints keep
           the indices of their ends */
#ifndef TPI_CLOTH_H
#define TPI_CLOTH_H
#include "../solve.h"
#include "../../world/solver.h"

#define TPI_STAMP_CLOTH (0x54580000u + (uint32_t)sizeof(tp_cloth_def))
#define TPI_STAMP_TIE   (0x54590000u + (uint32_t)sizeof(tp_cloth_tie_def))
/* Colours below TPI_CLOTH_STRETCHES hold what resists shear and bending, the others what resists
   stretch, which comes last so that it is the most exact. */
#define TPI_CLOTH_COLOURS   32u
#define TPI_CLOTH_STRETCHES 16u
#define TPI_CLOTH_SIDE_MAX  4096u
#define TPI_CLOTH_PASSES    16u /* at most, of the limit of stretch */

/* A sheet: its nodes are those from index `first` on, row by row. */
typedef struct tpi_cloth_sheet {
    uint32_t first, columns, rows; /* mesh: its vertices, 0 */
    tp_vector along, across; /* m, at rest: from a node to the next one of its row, its column */
    float tether;
} tpi_cloth_sheet;

/* How a sheet wears; -1: as the world does. */
typedef struct tpi_cloth_strength {
    float tear, yield, yield_max;
} tpi_cloth_strength;

/* A cell of a block: its words are those at its index in as many arrays. */
#define TPI_CLOTH_CORNERS      8u
#define TPI_CLOTH_TETRAS       5u
#define TPI_CLOTH_CELL_COLOURS 8u
#define TPI_CLOTH_CELL_WORDS   14u
enum {
    /* before them the corners: bit 0 of the number is along, 1 across, 2 deep; in each second cell
       7 less these */
    TPI_CLOTH_VOLUME = 8,   /* float per tetrahedron, m^3, signed: at rest */
    TPI_CLOTH_SOFTNESS = 13 /* float, 1/Pa */
};

/* A fold: 0 and 1 are the ends of the edge, 2 and 3 the nodes opposite. Its words: */
#define TPI_CLOTH_FOLD_COLOURS 32u /* the first one: folds that found no other */
#define TPI_CLOTH_FOLD_WORDS   9u
enum {
    /* before them the nodes */
    TPI_CLOTH_SHARE = 4, /* float, 1/m, of the nodes 1 to 3: that of node 0 makes the sum 0 */
    TPI_CLOTH_ANGLE = 7, /* float: the length of the sum of shares times positions, at rest */
    TPI_CLOTH_SOFTER = 8 /* float, 1/(N m) */
};

/* Items of several words with colours, those of a colour together: begins by colour and the end,
   then an array per word. */
typedef struct tpi_cloth_pool {
    uint32_t *begin;
    uint32_t colours, words, capacity;
} tpi_cloth_pool;

/* A node that became two. The bits name, in the ascending lists of constraints and of corners of
   triangles at the parent, those that went to the new node. */
typedef struct tpi_cloth_split {
    uint32_t node, parent, ends, corners;
    uint32_t root, seams; /* the node of a sheet from which it came; seams before it */
} tpi_cloth_split;
#define TPI_CLOTH_QUEUE 8u /* splits of a step */
/* Units: of a constraint whose strain exceeds tear, of a look at an edge that tears, of a
   split. None follows a list of a node beyond 32 items. */
#define TPI_CLOTH_EDGE_UNITS  8u
#define TPI_CLOTH_LOOK_UNITS  32u
#define TPI_CLOTH_SPLIT_UNITS 64u

/* Of worlds whose nodes split: then the log of splits, records to restore, and lists. Seams are
   constraints along edges that became two; the first of the colour TPI_CLOTH_STRETCHES. */
typedef struct tpi_cloth_tears {
    uint32_t used, last;          /* splits of the front set; those of the last step */
    uint32_t seams, seams_max;    /* in use, and with spare ones */
    uint32_t sheet_id;            /* of the last node of the last sheet */
    uint32_t queued;              /* splits of the step in progress */
    uint32_t wanted, wanted_last; /* 1 + splits of a record that is being restored; or 0 */
    uint64_t refused;             /* edges that broke since no node was spare */
    uint64_t sum, told;           /* hashes of the log; what the world's hash has of it */
    tpi_cloth_split queue[TPI_CLOTH_QUEUE];
    uint32_t refused_next, unused;
} tpi_cloth_tears;

/* What the solver keeps besides its arrays. The constraints of colour k are begin[k] .. begin[k +
   1] - 1. */
typedef struct tpi_cloth_head {
    uint32_t sheets;
    /* of the front set, from index 0: those of sheets, and free particles between them */
    uint32_t nodes;
    uint32_t first_id, last_id; /* of these nodes: with other ids they are others */
    uint32_t pinned, triangles;
    uint32_t begin[TPI_CLOTH_COLOURS + 1u];
    uint32_t cells; /* of blocks */
    /* hash of lengths that wear has changed: of the front set, and of the step in progress */
    uint64_t worn, worn_next;
} tpi_cloth_head;

/* Of ties: the end of the numbers in use; hashes of those that are broken, of the front set and of
   the step in progress. */
typedef struct tpi_cloth_knot {
    uint32_t end, unused;
    uint64_t broken, broken_next;
} tpi_cloth_knot;

typedef struct tpi_cloth_tie {
    uint32_t node, other; /* indices; TPI_CLOTH_NO_NODE: a tie that is free; a collider */
    uint32_t collider;    /* handle */
    tp_vector point;      /* m: in its frame */
    float length, compliance, strength;
    float pull[2]; /* N, of a set; or TP_CLOTH_BROKEN */
} tpi_cloth_tie;
#define TPI_CLOTH_NO_NODE  0xffffffffu
#define TPI_CLOTH_TIE_MOST 65536u

/* Springs: what they need of a step. It changes with sheets, pins and masses. */
typedef struct tpi_cloth_bound {
    float rate; /* 1/s^2: the largest row sum, at least the square of the highest frequency */
    uint32_t is_known; /* the row sums are those of all constraints */
} tpi_cloth_bound;

/* Implicit springs: the conjugate gradients of the step in progress. */
typedef struct tpi_cloth_cg {
    int64_t sum;        /* of the terms of a pass, times 2^16 `scale` */
    uint32_t peak_bits; /* of the largest term of a pass */
    uint32_t iteration; /* complete ones */
    float scale;        /* 1/J, a power of two */
    float left;         /* J: the gradient's square by mass */
    float share, turn;  /* of the direction that a step takes; that stays in the next direction */
} tpi_cloth_cg;

typedef struct tpi_cloth_constants {
    float inverse_mass[TP_SPECIES_MAX]; /* 1/kg */
} tpi_cloth_constants;

/* The solver's own arrays: indices into arrays.own. */
enum {
    TPI_CLOTH_HEAD = 0,
    /* tpi_cloth_sheet x sheets_max; with ties, up to 16 bytes on, tpi_cloth_knot and tpi_cloth_tie
       x ties_max */
    TPI_CLOTH_SHEETS = 1,
    TPI_CLOTH_FIRST = 2,      /* u32 per constraint: index of an end, below that of the second */
    TPI_CLOTH_SECOND = 3,     /* u32 per constraint */
    TPI_CLOTH_LENGTH = 4,     /* float per constraint, m: rest length, of set 0 */
    TPI_CLOTH_COMPLIANCE = 5, /* float per constraint, m/N */
    TPI_CLOTH_ANCHOR = 6,     /* u32 per node: index of the nearest pinned one; else its own */
    TPI_CLOTH_REACH = 7,      /* float per node, m: how far it may be from it; pinned: 0 */
    TPI_CLOTH_TRIANGLE = 8,   /* u32 x 3 per triangle: its nodes */
    /* with a thickness, see touch.h */
    TPI_CLOTH_TOUCH = 9,   /* tpi_cloth_touch */
    TPI_CLOTH_NODE = 10,   /* tpi_cloth_node per node */
    TPI_CLOTH_LISTED = 11, /* float per axis and node, m */
    /* in worlds that wear: as LENGTH, of set 1, then the lengths before wear, then
       tpi_cloth_strength x sheets_max; else LENGTH */
    TPI_CLOTH_LENGTH_NEXT = 12,
    TPI_CLOTH_EDGE = 13,  /* u32 x 3 per triangle: constraints along its edges */
    TPI_CLOTH_TETRA = 14, /* tpi_cloth_pool of cells; then, up to 16 bytes on, of folds */
    /* springs, which exclude tetrahedra: tpi_cloth_bound, then tpi_cloth_rates; of implicit ones
       tpi_cloth_cg, tpi_cloth_vectors and tpi_cloth_firm follow */
    TPI_CLOTH_BOUND = TPI_CLOTH_TETRA
};

TPI_SOLVER_HOOKS(cloth)

/* What hashes call a node: its id; one that a split made, whose id a restored frame may not have,
   its index. O(log sheets) */
TPI_FUNC uint32_t tpi_cloth_name(const tp_world *world, uint32_t index);

/* The sheet that was added with a node, or null. O(log sheets) */
TPI_FUNC const tpi_cloth_sheet *tpi_cloth_sheet_of(const tp_world *world, uint32_t index);

/* Node k of a sheet whose first one is at `origin`. O(1) */
TPI_FUNC tp_vector tpi_cloth_node_at(const tp_world *world, const tp_cloth_def *def,
                                     tp_vector origin, uint32_t k);

/* colour.c */

/* Writes constraint k, beyond those that are folded in, with its colour in the highest bits of its
   first end. */
TPI_FUNC void tpi_cloth_append(const tp_world *world, uint32_t k, uint32_t colour, uint32_t a,
                               uint32_t b, float compliance);
/* Sorts the words of the constraints from `begin` to `end` by their ends, then by the word of the
   length. */
TPI_FUNC void tpi_cloth_sort(const tp_world *world, uint32_t begin, uint32_t end);
/* Moves those that were appended, up to index `end`, behind the others of their colours. Returns
   the sum of their hashes. */
TPI_FUNC uint64_t tpi_cloth_fold(const tp_world *world, uint32_t end);

/* mesh.c */
TPI_FUNC const char *tpi_cloth_check_mesh(const tp_world *world, const tp_cloth_def *def);
/* Appends the constraints of a mesh with first node `first`, from index k on; returns the end. */
TPI_FUNC uint32_t tpi_cloth_put_mesh(const tp_world *world, const tp_cloth_def *def, uint32_t first,
                                     uint32_t k);
/* Sorts the half-edges of a mesh, in the words of constraints from k on: both ends in order, and in
   place of the length the vertex opposite. */
TPI_FUNC void tpi_cloth_put_halves(const tp_world *world, const tp_cloth_def *def, uint32_t first,
                                   uint32_t k);
/* The words of rest lengths, where the vertex opposite a half-edge is kept. */
TPI_FUNC uint32_t *tpi_cloth_opposites(const tp_world *world);
/* Ties the nodes of a mesh to pinned ones along its edges, and `pin` to itself. */
TPI_FUNC void tpi_cloth_tether_mesh(const tp_world *world, const tpi_cloth_sheet *sheet,
                                    uint32_t pin);
/* air.c */

/* Triangles that a world keeps of a sheet; those of a grid are two per cell. */
TPI_FUNC uint32_t tpi_cloth_triangles(const tp_world *world, const tp_cloth_def *def);
/* Appends the triangles of a sheet with first node `first`. Returns the sum of their hashes. */
TPI_FUNC uint64_t tpi_cloth_put_triangles(const tp_world *world, const tp_cloth_def *def,
                                          uint32_t first);
/* Units per triangle. O(fields_max) */
TPI_FUNC uint32_t tpi_cloth_air_units(const tp_world *world);
/* Air on the triangles from `begin` to `end` changes the kicked velocities of their nodes, whose
   weights are known. */
TPI_FUNC void tpi_cloth_blow(const tp_world *world, uint32_t begin, uint32_t end);

/* wear.c */
#define TPI_CLOTH_BROKEN     (-1.0f) /* in place of a rest length */
#define TPI_CLOTH_NO_EDGE    0xffffffffu
#define TPI_CLOTH_LENGTH_MAX 2e10f /* m: of a constraint that yielded */

/* Finds the constraints along the edges of all triangles. O(triangles log constraints) */
TPI_FUNC void tpi_cloth_find_edges(const tp_world *world);
/* The rest lengths of the back set, from those of the front set and its positions: of constraints
   from `begin` to `end`. Returns the units of events. */
TPI_FUNC uint32_t tpi_cloth_wear(tp_world *world, uint32_t begin, uint32_t end);
/* The worn lengths of the step become the current ones. */
TPI_FUNC void tpi_cloth_wear_exchange(tp_world *world);
/* Null, or what is wrong with the wear of a sheet. O(1) */
TPI_FUNC const char *tpi_cloth_check_wear(const tp_world_def *def, const tp_cloth_def *sheet);
/* The wear of a new sheet. Returns its hash, 0 if it wears as the world does. O(1) */
TPI_FUNC uint64_t tpi_cloth_put_strength(const tp_world *world, const tp_cloth_def *sheet,
                                         uint32_t first);
/* True if strengths are in their ranges. O(1) */
TPI_FUNC bool tpi_cloth_is_strength(const tpi_cloth_strength *strength);
/* Replaces the hash of what wear has changed by that of the front set. O(constraints) */
TPI_FUNC void tpi_cloth_count_worn(tp_world *world);
/* True if a constraint along an edge of a triangle is broken, by these rest lengths. */
TPI_FUNC bool tpi_cloth_is_torn(const tp_world *world, const float *lengths, uint32_t triangle);
/* Caches record, in worlds that wear or have ties: the numbers of constraints and triangles, rest
   lengths, a bit per triangle that is torn, and a bit per tie that is broken; without wear no
   constraints and triangles. Words, little-endian. */
TPI_FUNC uint32_t tpi_cloth_record_bytes(const tp_world_def *def);
/* Writes the front set, unless `to` is null; returns the bytes. */
TPI_FUNC uint32_t tpi_cloth_record(const tp_world *world, uint8_t *to);
/* Before a frame is restored: the back set as the front set. */
TPI_FUNC void tpi_cloth_restore_begin(const tp_world *world);
/* Reads the back set. False: of other sheets, or damaged. */
TPI_FUNC bool tpi_cloth_restore(const tp_world *world, const uint8_t *from, uint32_t bytes);
/* After it: the hash is that of what is now the front set. */
TPI_FUNC void tpi_cloth_restore_end(tp_world *world);

/* 0 of a constraint without wear. */
TPI_FUNC uint64_t tpi_cloth_wear_hash(const tp_world *world, const float *lengths, uint32_t k);

/* split.c: of worlds with splits_max */
typedef enum tpi_cloth_tear {
    TPI_CLOTH_TEAR_BREAK, /* the constraint breaks */
    TPI_CLOTH_TEAR_WAIT,  /* it holds in this step */
    TPI_CLOTH_TEAR_SPLIT  /* it holds, and one of its ends becomes two */
} tpi_cloth_tear;

TPI_FUNC tpi_cloth_tears *tpi_cloth_tears_of(const tp_world *world);
/* Bytes behind the edges. */
TPI_FUNC uint64_t tpi_cloth_split_bytes(const tp_world_def *def);
/* In worlds with a thickness: a node is at rest where another one is. O(1) */
TPI_FUNC void tpi_cloth_copy_rest(const tp_world *world, uint32_t from, uint32_t to);
/* The most spare constraints. */
TPI_FUNC uint32_t tpi_cloth_most_seams(const tp_world_def *def);
/* No splits. O(1) */
TPI_FUNC void tpi_cloth_clear_tears(tp_world *world);
/* Adds the spare constraints, if the world has none. O(constraints) */
TPI_FUNC void tpi_cloth_put_seams(const tp_world *world);
/* Lists what meets at the nodes, after a sheet was added. O(constraints + triangles) */
TPI_FUNC void tpi_cloth_link_sheet(tp_world *world);
/* The constraint between two nodes, of the last colour; or TPI_CLOTH_NO_EDGE. O(what meets at the
   node with less) */
TPI_FUNC uint32_t tpi_cloth_find_end(const tp_world *world, uint32_t a, uint32_t b);
/* The node of a sheet from which a node came. O(log splits) */
TPI_FUNC uint32_t tpi_cloth_root(const tp_world *world, uint32_t node);
/* Nothing is queued, and nothing wanted: before wear, a restore or a new sheet. O(1) */
TPI_FUNC void tpi_cloth_begin_tears(const tp_world *world);
/* What becomes of a constraint whose strain exceeds tear. *used grows by its units, those above at
   most. O(what meets at its ends, 32 items of each list at most) */
TPI_FUNC tpi_cloth_tear tpi_cloth_tear_edge(const tp_world *world, uint32_t a, uint32_t b,
                                            uint32_t *used);
/* Nodes whose second ones were born become two. True if there are such. */
TPI_FUNC bool tpi_cloth_split_exchange(tp_world *world);
/* Caches: the numbers of splits, and of those of the last step; four words each. */
TPI_FUNC uint32_t tpi_cloth_splits_record_bytes(const tp_world_def *def);
TPI_FUNC uint32_t tpi_cloth_record_splits(const tp_world *world, uint8_t *to);
TPI_FUNC bool tpi_cloth_restore_splits(const tp_world *world, const uint8_t *from, uint32_t bytes);
/* O(splits) times what meets at a node */
TPI_FUNC void tpi_cloth_restore_splits_end(tp_world *world);

/* tie.c */
#define TPI_CLOTH_TIE_UNITS 8u

/* The ties from `begin` to `end` change the kicked velocities of nodes, and the loads of colliders.
   Returns the units of events. */
TPI_FUNC uint32_t tpi_cloth_hold(tp_world *world, uint32_t begin, uint32_t end);
/* What broke in the step becomes a part of the hash. O(1) */
TPI_FUNC void tpi_cloth_tie_exchange(tp_world *world);
/* Splits that were taken back have no ties. Hashes of broken ones stay. O(ties log count) */
TPI_FUNC void tpi_cloth_end_ties(tp_world *world, const tpi_cloth_split *splits, uint32_t count);
/* No ties. O(1) */
TPI_FUNC void tpi_cloth_clear_ties(const tp_world *world);
/* True if a tie is broken in the front set; O(1). It is, or is not, in the back set; O(1) */
TPI_FUNC bool tpi_cloth_is_parted(const tp_world *world, uint32_t tie);
TPI_FUNC void tpi_cloth_part_tie(const tp_world *world, uint32_t tie, bool is_broken);
/* Replaces the hash of broken ties by that of the front set. O(ties) */
TPI_FUNC void tpi_cloth_count_broken(tp_world *world);
/* Counts ties of the front set. O(ties) */
TPI_FUNC void tpi_cloth_measure_ties(const tp_world *world, tp_cloth_report *report);
/* Checks the ties of an untrusted block: a fault or null. */
TPI_FUNC const char *tpi_cloth_audit_ties(const tp_world *world, uint64_t *offset);

/* explicit.c */
#define TPI_CLOTH_STIFFEST 1e-12f /* m/N: least compliance of springs */
/* Rest lengths by which the ends of a spring may move in a step before they are slowed, and the
   share of their relative speed that all springs of a node take. With the elastic share of 0.8,
   times TPI_STRAIN_MAX squared, half of the latter leaves the step stable. */
#define TPI_CLOTH_FAST  0.5f
#define TPI_CLOTH_BRAKE 0.2f

/* The row sums are found anew. O(1) */
TPI_FUNC void tpi_cloth_forget_bound(const tp_world *world);
/* A slice of the stage PRESSURE: row sums, after changes, and the strain of the step. */
TPI_FUNC uint32_t tpi_cloth_bear(tp_world *world, uint32_t units, bool *done);
/* 1/s^2: the row sum to which springs must be reduced, or 0 if the step bears all of them. O(1) */
TPI_FUNC float tpi_cloth_rate_borne(const tp_world *world);
/* s: the longest step that bears all springs, 0: any; needs the bound. O(1) */
TPI_FUNC float tpi_cloth_stable(const tp_world *world);
/* Springs that a step of this length reduces. O(constraints) */
TPI_FUNC uint32_t tpi_cloth_softened(const tp_world *world, float timestep);

/* tetra.c */
TPI_FUNC uint64_t tpi_cloth_block_constraints(const tp_cloth_def *def);
TPI_FUNC uint64_t tpi_cloth_block_cells(const tp_cloth_def *def);
/* Appends the constraints of a block with first node `first`, from index k on; returns the end. */
TPI_FUNC uint32_t tpi_cloth_put_block(const tp_world *world, const tp_cloth_def *def,
                                      uint32_t first, uint32_t k);
/* Puts its cells behind the others of their colours. Returns the sum of their hashes. */
TPI_FUNC uint64_t tpi_cloth_put_cells(const tp_world *world, const tp_cloth_def *def,
                                      uint32_t first);
/* Makes room for `count` items behind those of a colour. Returns the first one. */
TPI_FUNC uint32_t tpi_cloth_open_pool(const tpi_cloth_pool *pool, uint32_t colour, uint32_t count);
/* Null, or what is wrong with the begins of an untrusted block. */
TPI_FUNC const char *tpi_cloth_audit_pool(const tpi_cloth_pool *pool);

/* fold.c */

/* The most folds of a sheet. O(1) */
TPI_FUNC uint64_t tpi_cloth_most_folds(const tp_cloth_def *def);
/* Adds the folds of a sheet with first node `first`; those of a mesh use the words of constraints
   from index k on. Returns the sum of their hashes. O(mesh log mesh) */
TPI_FUNC uint64_t tpi_cloth_put_folds(const tp_world *world, const tp_cloth_def *def,
                                      uint32_t first, uint32_t k);
/* No folds. O(1) */
TPI_FUNC void tpi_cloth_clear_folds(const tp_world *world);
/* Checks the folds of an untrusted block: a fault or null. */
TPI_FUNC const char *tpi_cloth_audit_folds(const tp_world *world, uint64_t *offset);

/* Neighbours must be 1e-4 to 1e4 m apart. */
TPI_FUNC bool tpi_cloth_is_length(tp_vector a);

/* The first colour of either half holds constraints that found no other: they may share nodes, and
   are computed one after another. */
TPI_INLINE bool tpi_cloth_is_uncoloured(uint32_t colour)
{
    return colour % TPI_CLOTH_STRETCHES == 0;
}
TPI_INLINE uint32_t tpi_cloth_sheet_nodes(const tpi_cloth_sheet *sheet)
{
    return sheet->rows ? sheet->columns * sheet->rows : sheet->columns;
}
TPI_INLINE tpi_cloth_constants *tpi_cloth_of(const tp_world *world)
{
    return (tpi_cloth_constants *)tpi_at(world, world->arrays.solver);
}
TPI_INLINE tpi_cloth_head *tpi_cloth_head_of(const tp_world *world)
{
    return (tpi_cloth_head *)tpi_at(world, world->arrays.own[TPI_CLOTH_HEAD]);
}
TPI_INLINE bool tpi_cloth_is_explicit(const tp_world_def *def)
{
    return def->cloth.integrator == TP_CLOTH_EXPLICIT;
}
TPI_INLINE bool tpi_cloth_is_implicit(const tp_world_def *def)
{
    return def->cloth.integrator == TP_CLOTH_IMPLICIT;
}
/* True if constraints are springs, whose row sums say what a step bears. */
TPI_INLINE bool tpi_cloth_has_springs(const tp_world_def *def)
{
    return def->cloth.integrator != TP_CLOTH_XPBD;
}
TPI_INLINE tpi_cloth_bound *tpi_cloth_bound_of(const tp_world *world)
{
    return (tpi_cloth_bound *)tpi_at(world, world->arrays.own[TPI_CLOTH_BOUND]);
}
TPI_INLINE uint32_t tpi_cloth_cells_max(const tp_world_def *def)
{
    return def->cloth.tetrahedra_max / TPI_CLOTH_TETRAS;
}
/* Words of a pool of `capacity` items; without a capacity, 0. */
TPI_INLINE uint64_t tpi_cloth_pool_words(uint32_t capacity, uint32_t colours, uint32_t words)
{
    return capacity ? (uint64_t)capacity * words + colours + 1u : 0u;
}
TPI_INLINE uint32_t *tpi_cloth_pool_array(const tpi_cloth_pool *pool, uint32_t word)
{
    return pool->begin + pool->colours + 1u + (size_t)word * pool->capacity;
}
TPI_INLINE const float *tpi_cloth_pool_floats(const tpi_cloth_pool *pool, uint32_t word)
{
    return (const float *)(const void *)tpi_cloth_pool_array(pool, word);
}
TPI_INLINE tpi_cloth_pool tpi_cloth_cell_pool(const tp_world *world)
{
    return (tpi_cloth_pool){tpi_words(world, world->arrays.own[TPI_CLOTH_TETRA]),
                            TPI_CLOTH_CELL_COLOURS, TPI_CLOTH_CELL_WORDS,
                            tpi_cloth_cells_max(&world->def)};
}
/* Only with folds_max. */
TPI_INLINE tpi_cloth_pool tpi_cloth_fold_pool(const tp_world *world)
{
    const uint64_t words = tpi_cloth_pool_words(tpi_cloth_cells_max(&world->def),
                                                TPI_CLOTH_CELL_COLOURS, TPI_CLOTH_CELL_WORDS);
    const uint32_t at = world->arrays.own[TPI_CLOTH_TETRA] + (((uint32_t)words * 4u + 15u) & ~15u);
    return (tpi_cloth_pool){tpi_words(world, at), TPI_CLOTH_FOLD_COLOURS, TPI_CLOTH_FOLD_WORDS,
                            world->def.cloth.folds_max};
}
TPI_INLINE uint32_t tpi_cloth_folds_end(const tp_world *world)
{
    return world->def.cloth.folds_max ? tpi_cloth_fold_pool(world).begin[TPI_CLOTH_FOLD_COLOURS]
                                      : 0u;
}
/* Number of a corner of a tetrahedron among those of its cell. */
TPI_INLINE uint32_t tpi_cloth_tetra_corner(uint32_t tetra, uint32_t k)
{
    static const uint8_t corners[TPI_CLOTH_TETRAS][4] = {
        {0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    return corners[tetra][k];
}
/* 1/s^2 per node: its row sum; then per node the ends in it, those with a pinned partner count 1,
   others 2. */
TPI_INLINE float *tpi_cloth_rates(const tp_world *world)
{
    return (float *)(void *)(tpi_cloth_bound_of(world) + 1);
}
TPI_INLINE float *tpi_cloth_ends(const tp_world *world)
{
    return tpi_cloth_rates(world) + world->def.particles_max;
}
/* Bytes of the row sums, up to what follows. */
TPI_INLINE uint32_t tpi_cloth_bound_bytes(const tp_world_def *def)
{
    return ((uint32_t)sizeof(tpi_cloth_bound) + def->particles_max * 8u + 15u) & ~15u;
}
TPI_INLINE tpi_cloth_cg *tpi_cloth_cg_of(const tp_world *world)
{
    return (tpi_cloth_cg *)tpi_at(world, world->arrays.own[TPI_CLOTH_BOUND] +
                                             tpi_cloth_bound_bytes(&world->def));
}
/* Floats per axis of the vectors below: vectors of nodes load nothing of the next axis. */
TPI_INLINE uint32_t tpi_cloth_stride(const tp_world_def *def)
{
    return (def->particles_max + 2u * TPI_LANES_MAX - 2u) & ~(TPI_LANES_MAX - 1u);
}
/* Per node: the axes of the gradients (Ns), of the directions (m/s) and of their products (Ns). */
TPI_INLINE float *tpi_cloth_vectors(const tp_world *world, uint32_t vector, uint32_t axis)
{
    return (float *)(void *)(tpi_cloth_cg_of(world) + 1) +
           (size_t)(vector * tpi_dimensions(world) + axis) * tpi_cloth_stride(&world->def);
}
/* Ns/m per constraint: its stiffness in this step, times the step. */
TPI_INLINE float *tpi_cloth_firm(const tp_world *world) { return tpi_cloth_vectors(world, 3, 0); }
/* True if rest lengths change from step to step. */
TPI_INLINE bool tpi_cloth_wears(const tp_world_def *def)
{
    return TPI_HAS_CLOTH && def->solver == TP_SOLVER_CLOTH &&
           (def->cloth.tear > 0.0f || def->cloth.yield > 0.0f);
}
/* True if nodes may become two. */
TPI_INLINE bool tpi_cloth_can_split(const tp_world_def *def)
{
    return tpi_cloth_wears(def) && def->cloth.splits_max > 0;
}
/* m: the rest lengths of a set; without wear both sets have the same. */
TPI_INLINE float *tpi_cloth_lengths(const tp_world *world, uint32_t set)
{
    return tpi_floats(world, world->arrays.own[set ? TPI_CLOTH_LENGTH_NEXT : TPI_CLOTH_LENGTH]);
}
/* m: those before wear. */
TPI_INLINE float *tpi_cloth_made(const tp_world *world)
{
    return tpi_cloth_lengths(world, 1) +
           (tpi_cloth_wears(&world->def) ? world->def.cloth.constraints_max : 0u);
}
/* Of sheets in a world that wears. */
TPI_INLINE tpi_cloth_strength *tpi_cloth_strengths(const tp_world *world)
{
    return (tpi_cloth_strength *)(void *)(tpi_cloth_made(world) + world->def.cloth.constraints_max);
}
TPI_INLINE tpi_cloth_sheet *tpi_cloth_sheets(const tp_world *world)
{
    return (tpi_cloth_sheet *)tpi_at(world, world->arrays.own[TPI_CLOTH_SHEETS]);
}
/* m: of a node in 3D, in the front set. */
TPI_INLINE tp_vector tpi_cloth_front_place(const tp_world *world, uint32_t node)
{
    return tpi_vector(tpi_front_x(world, 0)[node], tpi_front_x(world, 1)[node],
                      tpi_front_x(world, 2)[node]);
}

/* Only with ties_max. */
TPI_INLINE tpi_cloth_knot *tpi_cloth_knot_of(const tp_world *world)
{
    const size_t sheets = (world->def.cloth.sheets_max * sizeof(tpi_cloth_sheet) + 15u) & ~15u;
    return (tpi_cloth_knot *)tpi_at(world, world->arrays.own[TPI_CLOTH_SHEETS] + (uint32_t)sheets);
}
TPI_INLINE tpi_cloth_tie *tpi_cloth_ties(const tp_world *world)
{
    return (tpi_cloth_tie *)(void *)(tpi_cloth_knot_of(world) + 1);
}
/* Numbers of ties in use are below. */
TPI_INLINE uint32_t tpi_cloth_ties_end(const tp_world *world)
{
    return world->def.cloth.ties_max ? tpi_cloth_knot_of(world)->end : 0u;
}
/* True if caches record what of the sheets changes besides their nodes. */
TPI_INLINE bool tpi_cloth_is_recorded(const tp_world_def *def)
{
    return tpi_cloth_wears(def) ||
           (TPI_HAS_CLOTH && def->solver == TP_SOLVER_CLOTH && def->cloth.ties_max > 0);
}
/* Number of nodes that constraints refer to; 0 if the front set has other particles than those
   which got the constraints: one was removed, or another frame was restored. Ids ascend, so that
   the first and the last one are enough to see it. O(1) */
TPI_INLINE uint32_t tpi_cloth_nodes(const tp_world *world)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    bool is_same = head->nodes > 0 && head->nodes <= world->count && ids[0] == head->first_id &&
                   ids[head->nodes - 1u] == head->last_id;
    return is_same ? head->nodes : 0u;
}
/* m: length of a constraint between two nodes of the front set; the same bits as in a step that
   does not move them. */
TPI_INLINE float tpi_cloth_distance(const tp_world *world, uint32_t a, uint32_t b)
{
    float square = 0.0f;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float offset = tpi_front_x(world, axis)[a] - tpi_front_x(world, axis)[b];
        square += offset * offset;
    }
    return tpi_sqrt(square);
}

#endif
