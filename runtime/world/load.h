/* SPDX-License-Identifier: MIT
   runtime/world/load.h - loads: the impulses that particles give to colliders, as sums of integers.
   reads   impulses of single particles      writes  the loads of colliders
   memory  240 bytes per collider            cost    O(1) per impulse; a step O(colliders)
   after   own design: integers add up to the same sums in any order, so slices change no load */
#ifndef TPI_LOAD_H
#define TPI_LOAD_H
#include "block.h"

/* Impulses in quanta of 2^-30 m/s times the mass of the heaviest species. A sum holds 8e9 such
   masses times m/s; beyond that it wraps. */
#define TPI_LOAD_QUANTA 1073741824.0f /* 2^30 per m/s of the heaviest species */
typedef struct tpi_load_sums {
    uint64_t pressure[3], friction[3]; /* along the normal of the surface, and the rest */
    uint64_t torque[3];                /* quanta times m, about the position of the pose */
    uint64_t contacts;
} tpi_load_sums;

/* Of a collider. The sums of a step that is cancelled count nothing. */
typedef struct tpi_load_item {
    tpi_load_sums step, frame; /* in progress */
    tpi_load_sums last;        /* of the last complete frame */
} tpi_load_item;

/* What a particle gives to a surface. */
typedef struct tpi_load_push {
    uint32_t slot;     /* of the collider */
    tp_vector point;   /* m: where */
    tp_vector normal;  /* of the surface, unit length */
    tp_vector impulse; /* kg m/s */
} tpi_load_push;

/* Bodies need loads. */
TPI_INLINE bool tpi_def_has_loads(const tp_world_def *def)
{
    return TPI_HAS_LOADS && (def->measures_loads || def->bodies_max > 0);
}
TPI_INLINE bool tpi_has_loads(const tp_world *world) { return TPI_HAS_LOADS && world->loads != 0; }
TPI_INLINE tpi_load_item *tpi_load_at(const tp_world *world, uint32_t slot)
{
    return (tpi_load_item *)tpi_at(world, world->loads) + slot;
}
/* kg: mass of the heaviest species. O(species) */
TPI_FUNC float tpi_load_heaviest(const tp_world *world);
/* Adds a vector of `quanta` per unit to sums; components beyond 2^60 counts are left out. O(1) */
TPI_FUNC void tpi_load_sum(uint64_t sums[3], tp_vector value, float quanta);
/* The vector of sums. O(1) */
TPI_FUNC tp_vector tpi_load_vector(const uint64_t sums[3], float unit);
/* Adds an impulse to the step in progress. O(species) */
TPI_FUNC void tpi_loads_add(const tp_world *world, const tpi_load_push *push);
/* Counts a contact in the step in progress. O(1) */
TPI_FUNC void tpi_loads_count(const tp_world *world, uint32_t slot);
/* Begins a step. Returns its units: 1 per collider. */
TPI_FUNC uint32_t tpi_loads_begin(const tp_world *world);
/* Ends a step, after the clock went on. O(colliders) */
TPI_FUNC void tpi_loads_end(const tp_world *world);
/* The loads of a collider become 0; of all of them if slot is TPI_NO_SLOT. */
TPI_FUNC void tpi_loads_clear(const tp_world *world, uint32_t slot);

#endif
