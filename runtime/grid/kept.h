/* SPDX-License-Identifier: MIT
   runtime/grid/kept.h - groups of cells kept behind the neighbour lists, for the passes along them.
   reads   groups      writes  the last part of the memory of the lists
   memory  2 to 5 bytes a particle in 2D, 10 in 3D   cost  60 instructions to keep a group
   after   own design: a search for a group takes 1 100 instructions, and a step of an
           incompressible fluid goes along the lists six times. Lists of a group that is kept hold
           slots, those of other cells numbers of candidates */
#ifndef TPI_KEPT_H
#define TPI_KEPT_H
#include "filter.h"
#if TPI_LANES > 1

/* A group along the lists: slot 0 has its first particle. Its runs come behind it. */
typedef struct patch_kept {
    uint32_t first;
    uint16_t particles, slots;
    uint32_t run_count;
} patch_kept;

#define PATCH_KEPT_HEAD 3u /* words */

TPI_INLINE uint32_t patch_kept_words(const patch_kept *kept)
{
    return PATCH_KEPT_HEAD + 2u * kept->run_count;
}

/* Gives the candidates of a group slots. */
TPI_INLINE void patch_take_kept(tpi_patch *patch, const patch_kept *kept)
{
    const tpi_run *runs =
        (const tpi_run *)(const void *)((const uint32_t *)(const void *)kept + PATCH_KEPT_HEAD);
    for (uint32_t r = 0; r < kept->run_count; r++) patch->runs[r] = runs[r];
    patch->run_count = kept->run_count;
    patch->slot_count = kept->slots;
    patch->pair_count = patch->row_count = 0;
}

/* The groups that are kept: in the last three eighths of the memory of some lists. A part's lists
   rarely take more than half, and all lists of a fluid whose particles keep to the neighbour limit
   never do. */
typedef struct patch_shelf {
    uint32_t *words; /* words used, these two included; without parts, where the next group is */
    uint32_t count;  /* 0: there is no memory */
} patch_shelf;

/* How many of the entries of lists are left to lists. */
TPI_INLINE uint32_t patch_shelf_begin(uint32_t entries) { return entries - entries / 16u * 6u; }

/* Before a pass: the first group is next, or there is none yet if the pass keeps groups. */
TPI_INLINE void patch_shelf_open(const patch_shelf *shelf, bool keeps)
{
    if (shelf->count < 2u) return;
    shelf->words[1] = 2u;
    if (keeps) shelf->words[0] = 2u;
}

TPI_INLINE bool patch_shelf_has_room(const patch_shelf *shelf, uint32_t dimensions)
{
    uint32_t runs = dimensions == 2 ? TPI_GROUP_RUNS_2D : TPI_GROUP_RUNS;
    return shelf->count >= 2u && shelf->words[0] + PATCH_KEPT_HEAD + 2u * runs <= shelf->count;
}

/* Keeps a group; there must be room. */
TPI_INLINE void patch_shelf_put(const patch_shelf *shelf, const tpi_group *group)
{
    uint32_t *words = shelf->words + shelf->words[0];
    patch_kept *kept = (patch_kept *)(void *)words;
    tpi_run *runs = (tpi_run *)(void *)(words + PATCH_KEPT_HEAD);
    *kept = (patch_kept){group->cells[0].own.begin, (uint16_t)group->particles,
                         (uint16_t)group->slots, group->run_count};
    for (uint32_t r = 0; r < group->run_count; r++) runs[r] = group->runs[r];
    shelf->words[0] += patch_kept_words(kept);
}

/* The group of particle i, if it is kept. *next: where a group of its lot is, the first one or one
   before it; groups of the lot, which begins with particle `begin`, that end before it are skipped.
   Threads that share a part have a *next each. */
TPI_INLINE const patch_kept *patch_shelf_find(const patch_shelf *shelf, uint32_t *next, uint32_t i,
                                              uint32_t begin)
{
    while (shelf->count >= 2u && *next < shelf->words[0]) {
        const patch_kept *kept = (const patch_kept *)(const void *)(shelf->words + *next);
        if (kept->first > i || kept->first < begin) return NULL;
        if (i - kept->first < kept->particles) return kept;
        *next += patch_kept_words(kept);
    }
    return NULL;
}

#endif
#endif
