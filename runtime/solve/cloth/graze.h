/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/graze.h - contacts of cloth with cloth: points with triangles, and edges with
           edges.
   reads   triangles, front positions, kicked velocities      writes  kicked velocities, lists
   memory  8 bytes per node, 12 per triangle, 20 per node and pair that it may list, 780
   cost    16 units per listed pair and 1 per node and sub-step; to list, see tpi_graze_list
   after   Bridson, Fedkiw and Anderson 2002: both kinds of pairs, impulses by the weights of the
           nearest points. Volino and Magnenat-Thalmann 2006: sheets that cross shorten the line of
           the crossing. Own: a pair is found by its two nearest nodes, so that the sweep for pairs
           of nodes finds each one once; lists as in touch.h */
#ifndef TPI_CLOTH_GRAZE_H
#define TPI_CLOTH_GRAZE_H
#include "touch.h"

#define TPI_GRAZE_MAX   32u /* pairs that a node lists */
#define TPI_GRAZE_QUEUE 64u /* pairs of nodes */
#define TPI_GRAZE_EACH  8u  /* units of a listed pair in a pass: crossings, contacts */
/* Edges may be longer than at rest by this factor. */
#define TPI_GRAZE_STRETCH 1.2f

/* A point and a triangle: its corners. Or the ends of an edge, and of another one. */
typedef struct tpi_graze_pair {
    uint32_t node[4]; /* of two edges, the first one has TPI_GRAZE_EDGES */
    float want;       /* m: distance that they keep */
} tpi_graze_pair;

#define TPI_GRAZE_EDGES 0x80000000u

/* Nodes that the sweep has found near each other, and not listed yet: what meets at two may be
   little or much. A slice may end within a pair. */
typedef struct tpi_graze_found {
    uint32_t node, other;
    float square; /* m^2 */
} tpi_graze_found;
typedef struct tpi_graze_queue {
    uint32_t count, next, at; /* the next pair, and its next item: see graze_list_items */
    tpi_graze_found found[TPI_GRAZE_QUEUE];
} tpi_graze_queue;

TPI_INLINE bool tpi_def_grazes(const tp_world_def *def)
{
    return def->cloth.thickness > 0.0f && def->cloth.edge_max > 0.0f;
}
/* Null, or what is wrong with cloth.edge_max, which is not 0. O(1) */
TPI_FUNC const char *tpi_graze_check(const tp_world_def *def);
/* Null, or what is wrong with the edges of a sheet. O(triangles) */
TPI_FUNC const char *tpi_graze_check_sheet(const tp_world *world, const tp_cloth_def *sheet);
/* Bytes behind the listed positions. */
TPI_FUNC uint64_t tpi_graze_bytes(const tp_world_def *def);
/* m: how far apart the nearest nodes may be of what is nearer than `reach`. */
TPI_FUNC float tpi_graze_reach(const tp_world_def *def, float reach);
/* Finds the triangles of each node. O(triangles) */
TPI_FUNC void tpi_graze_fans(const tp_world *world);
/* Null, or what is wrong with the triangles of nodes. */
TPI_FUNC const char *tpi_graze_audit(const tp_world *world, uint64_t *offset);
/* Empties lists. */
TPI_FUNC void tpi_graze_unlist(const tp_world *world, uint32_t begin, uint32_t end);
/* Queues a pair of nodes of sheets; there must be space. O(1) */
TPI_FUNC void tpi_graze_enqueue(const tp_world *world, uint32_t node, uint32_t other, float square);
TPI_FUNC void tpi_graze_empty(const tp_world *world);
TPI_FUNC bool tpi_graze_is_queued(const tp_world *world);
/* Lists what has the nodes of a queued pair as its nearest ones, and these nodes, until the units
   are used up: at least one item. Returns the units, which are those of the work: 1 per pair that
   is tried, 12 where a list is full, 9 to find what meets at two nodes of 6 triangles each. At most
   48 more than `units`. */
TPI_FUNC uint32_t tpi_graze_list(tp_world *world, uint32_t units);
/* Pairs that a node has listed. O(1) */
TPI_FUNC uint32_t tpi_graze_count(const tp_world *world, uint32_t i);
/* Nodes at a crossing have no contacts in the sub-step. */
TPI_FUNC bool tpi_graze_is_knot(const tp_world *world, uint32_t i);
TPI_FUNC void tpi_graze_unknot(const tp_world *world, uint32_t begin, uint32_t end);
/* Moves edges and triangles that cross out of each other, of the edges that node i has listed. */
TPI_FUNC void tpi_graze_untangle(const tp_world *world, uint32_t i);
/* Keeps them apart. Returns the contacts. */
TPI_FUNC uint32_t tpi_graze_part(tp_world *world, uint32_t i);

#endif
