/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/touch.h - contacts of cloth with cloth: spheres at the nodes.
   reads   front positions, kicked velocities      writes  kicked velocities, lists of near nodes
   memory  84 bytes per node, 4 more per node and dimension, see tpi_cloth_layout
   cost    2 units per node and sub-step, 1 per listed pair; to list, see near.c
   after   Provot 1997 and Mueller 2022 (Ten Minute Physics 15): nodes as spheres, distances at
           rest exclude neighbours; Verlet 1967: lists with a skin. Deviation: a list is no part of
           the state, since only pairs nearer than a fixed distance count, in the order of nodes */
#ifndef TPI_CLOTH_TOUCH_H
#define TPI_CLOTH_TOUCH_H
#include "cloth.h"

#define TPI_CLOTH_NEAR_MAX 16u
#define TPI_CLOTH_NO_SHEET 0xffffffffu
/* Distances, in thicknesses: of pairs that count in a sub-step, and of listed ones; and, in a sheet
   at rest, of nodes that never touch. */
#define TPI_TOUCH_NEAR   1.5f
#define TPI_TOUCH_LISTED 2.4f
#define TPI_TOUCH_BESIDE 2.0f
/* Velocities are added up in 1/256 m/s: at most 2^24 of them, of 1e9 m/s. */
#define TPI_TOUCH_SCALE 256.0f

/* What a step keeps besides nodes. A list holds while no node is far from where it was listed, all
   of them moved by `drift` and turned by `turn` about `centre`: to first order, which brings no two
   places nearer. */
typedef struct tpi_cloth_touch {
    int64_t sum[3];     /* 1/256 m/s: of the nodes' velocities */
    float drift[3];     /* m: the mean motion of the nodes since they were listed, about */
    float turn[3];      /* 1: likewise, how they turned */
    float centre[3];    /* m: of the nodes when they were listed, about */
    float left_squared; /* m^2: no pair that was left out was nearer */
    float skin;         /* m: how far a node may move from where it was listed; 0: the list is for
                           one step, since it left out a pair that counts */
    uint32_t is_listed; /* the step has lists: made in it, or kept */
    uint32_t ordered;   /* so many nodes, the first ones, have their lists in order */
} tpi_cloth_touch;

/* A node, and the listed ones. They are in order from the first impulses on: see `ordered`. Of a
   pair, the node with the smaller index lists the other one if the sum of both is odd, else the
   reverse: all nodes list about as many. */
typedef struct tpi_cloth_node {
    float rest[3];  /* m: at rest in its sheet */
    uint32_t sheet; /* TPI_CLOTH_NO_SHEET: a free particle */
    uint32_t count;
    uint32_t near[TPI_CLOTH_NEAR_MAX];
} tpi_cloth_node;

TPI_INLINE bool tpi_def_has_touch(const tp_world_def *def) { return def->cloth.thickness > 0.0f; }
TPI_INLINE tpi_cloth_touch *tpi_cloth_touch_of(const tp_world *world)
{
    return (tpi_cloth_touch *)tpi_at(world, world->arrays.own[TPI_CLOTH_TOUCH]);
}
/* True if the step has lists. */
TPI_INLINE bool tpi_cloth_is_touched(const tp_world *world)
{
    return tpi_def_has_touch(&world->def) && tpi_cloth_touch_of(world)->is_listed;
}
TPI_INLINE tpi_cloth_node *tpi_cloth_nodes_of(const tp_world *world)
{
    return (tpi_cloth_node *)tpi_at(world, world->arrays.own[TPI_CLOTH_NODE]);
}
/* m: positions along an axis when the list was made. */
TPI_INLINE float *tpi_cloth_listed(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.own[TPI_CLOTH_LISTED]) +
           (size_t)axis * world->def.particles_max;
}

/* m/s: the mean velocity. */
TPI_INLINE float tpi_cloth_mean(const tp_world *world, uint32_t axis)
{
    float sum = (float)tpi_cloth_touch_of(world)->sum[axis];
    return sum * (1.0f / TPI_TOUCH_SCALE) / (float)tpi_cloth_head_of(world)->nodes;
}

/* Fits the motion of the nodes since they were listed. O(1) */
TPI_FUNC void tpi_cloth_drift(const tp_world *world);
/* Lays out the arrays of contacts. */
TPI_FUNC void tpi_cloth_layout_touch(tpi_arrays *arrays, tpi_layout *layout,
                                     const tp_world_def *def);
/* Computes the constants of the grid. */
TPI_FUNC void tpi_cloth_derive_touch(tp_world *world);
/* Stores where the nodes from `begin` to `first` on, free particles, and those of a sheet from
   `first` on are at rest. Returns the sum of their hashes. */
TPI_FUNC uint64_t tpi_cloth_rest(const tp_world *world, const tp_cloth_def *def, uint32_t begin,
                                 uint32_t first);
/* Checks the lists of an untrusted block: a fault or null. */
TPI_FUNC const char *tpi_cloth_audit_touch(const tp_world *world, uint64_t *offset);

/* Sets how far lists reach. */
TPI_FUNC void tpi_cloth_begin_lists(tp_world *world);
/* Empties the lists of nodes, and stores their positions. */
TPI_FUNC void tpi_cloth_unlist(const tp_world *world, uint32_t begin, uint32_t end);
/* Lists two nodes of sheets, unless they are neighbours at rest. O(TPI_CLOTH_NEAR_MAX) */
TPI_FUNC void tpi_cloth_list_pair(tp_world *world, uint32_t own, uint32_t other, float square);
/* Lists or queues the pairs of a particle and its partners, by their numbers in the grid. */
TPI_FUNC void tpi_cloth_list(tp_world *world, uint32_t i, const uint32_t *partners,
                             const float *squares, uint32_t count);
/* Finds how far nodes may move until the lists, now complete, may lack a pair that counts. */
TPI_FUNC void tpi_cloth_keep(const tp_world *world);

/* As tpi_cloth_part, of crossings. */
TPI_FUNC uint32_t tpi_cloth_untangle(tp_world *world, uint32_t *begin, uint32_t end, uint32_t units,
                                     bool is_first);

#endif
