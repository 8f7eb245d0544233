/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/split.h - what splits keep: a log, and lists of what meets at the nodes.
   reads   the memory behind the edges of triangles      writes  nothing
   memory  see split.c      cost    O(1), O(log splits) where it is said
   after   own design */
#ifndef TPI_CLOTH_SPLIT_H
#define TPI_CLOTH_SPLIT_H
#include "cloth.h"

#define TPI_SPLIT_NONE   0xffffffffu
#define TPI_SPLIT_WORDS  4u                                         /* of a record */
#define TPI_SPLIT_LOGGED ((uint32_t)(sizeof(tpi_cloth_split) / 4u)) /* words, the same ones first */

TPI_INLINE tpi_cloth_split *tpi_split_log(const tp_world *world)
{
    return (tpi_cloth_split *)(void *)(tpi_cloth_tears_of(world) + 1);
}
/* The records that a cache restores. */
TPI_INLINE uint32_t *tpi_split_wanted(const tp_world *world)
{
    return (uint32_t *)(void *)(tpi_split_log(world) + world->def.cloth.splits_max);
}
/* Per node the first constraint, and the first corner of a triangle: three times its number and
   the side. Then the next ones: of a constraint for either end. All ascend. */
TPI_INLINE uint32_t *tpi_split_ends(const tp_world *world)
{
    return tpi_split_wanted(world) + TPI_SPLIT_WORDS * (size_t)world->def.cloth.splits_max;
}
TPI_INLINE uint32_t *tpi_split_corners(const tp_world *world)
{
    return tpi_split_ends(world) + world->def.particles_max;
}
TPI_INLINE uint32_t *tpi_split_next_corner(const tp_world *world)
{
    return tpi_split_corners(world) + world->def.particles_max;
}
TPI_INLINE uint32_t *tpi_split_next_ends(const tp_world *world)
{
    return tpi_split_next_corner(world) + 3u * (size_t)world->def.cloth.triangles_max;
}
TPI_INLINE uint32_t *tpi_split_firsts(const tp_world *world)
{
    return tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]);
}
TPI_INLINE uint32_t *tpi_split_seconds(const tp_world *world)
{
    return tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND]);
}
TPI_INLINE uint32_t *tpi_split_triangles(const tp_world *world)
{
    return tpi_words(world, world->arrays.own[TPI_CLOTH_TRIANGLE]);
}
TPI_INLINE uint32_t *tpi_split_edges(const tp_world *world)
{
    return tpi_words(world, world->arrays.own[TPI_CLOTH_EDGE]);
}

TPI_INLINE uint32_t tpi_split_other(const tp_world *world, uint32_t k, uint32_t node)
{
    const uint32_t first = tpi_split_firsts(world)[k];
    return first == node ? tpi_split_seconds(world)[k] : first;
}
/* Where the constraint after k is kept in the list of a node. */
TPI_INLINE uint32_t *tpi_split_after(const tp_world *world, uint32_t k, uint32_t node)
{
    return tpi_split_next_ends(world) + 2u * (size_t)k +
           (tpi_split_seconds(world)[k] == node ? 1u : 0u);
}

TPI_INLINE bool tpi_split_is_spare(const tp_world *world, uint32_t k)
{
    return tpi_cloth_made(world)[k] < 0.0f;
}

/* The split of a node among `count` ascending ones of `words` words each, or `count`. */
TPI_INLINE uint32_t tpi_split_find(const uint32_t *splits, uint32_t words, uint32_t count,
                                   uint32_t node)
{
    uint32_t low = 0;
    for (uint32_t high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2u;
        if (splits[(size_t)middle * words] < node)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < count && splits[(size_t)low * words] == node ? low : count;
}

TPI_INLINE uint32_t tpi_split_root(const tp_world *world, uint32_t node)
{
    const tpi_cloth_split *log = tpi_split_log(world);
    const uint32_t used = tpi_cloth_tears_of(world)->used,
                   s = tpi_split_find(&log->node, TPI_SPLIT_LOGGED, used, node);
    return s < used ? log[s].root : node;
}

/* A node of a sheet, or of one of the first `count` splits. */
TPI_INLINE bool tpi_split_is_node(const tp_world *world, const uint32_t *splits, uint32_t words,
                                  uint32_t count, uint32_t node)
{
    return tpi_cloth_sheet_of(world, node) || tpi_split_find(splits, words, count, node) < count;
}

/* split.c: second nodes ascend, are in no sheet, and come from nodes of sheets or of splits before.
   O(splits log splits) */
TPI_FUNC bool tpi_split_are_sound(const tp_world *world, const uint32_t *splits, uint32_t words,
                                  uint32_t count);

#endif
