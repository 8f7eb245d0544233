/* SPDX-License-Identifier: MIT
   runtime/world/bounds_lanes.h - bounding boxes of colliders side by side: which may be near some
           particles.
   reads   bounds      writes  nothing
   memory  1536 bytes of the caller's stack with vectors, else 24      cost  O(colliders / lanes)
   after   own design: a broad phase for the loops over colliders. A loop visits the slots that are
           left, and its own test decides. Without vectors every slot is left */
#ifndef TPI_BOUNDS_LANES_H
#define TPI_BOUNDS_LANES_H
#include "block.h"
#include "../base/lanes.h"

/* Slots with bounds; those beyond are always left. */
#define TPI_BOUNDS (TPI_LANES > 1 ? 64u : 1u)

typedef struct tpi_bounds {
    float low[3][TPI_BOUNDS], high[3][TPI_BOUNDS]; /* m */
    bool leaves_all;                               /* all bounds are endless */
} tpi_bounds;

/* The bounds of a slot. O(1) */
TPI_INLINE void tpi_bounds_put(tpi_bounds *bounds, uint32_t slot, tp_vector low, tp_vector high)
{
    bounds->leaves_all = bounds->leaves_all && low.x == -FLT_MAX;
    bounds->low[0][slot] = low.x, bounds->high[0][slot] = high.x;
    bounds->low[1][slot] = low.y, bounds->high[1][slot] = high.y;
    bounds->low[2][slot] = low.z, bounds->high[2][slot] = high.z;
}

/* No slot is left of those that get no bounds. Returns the end of those that may get some. O(slots
   below `end`) */
TPI_INLINE uint32_t tpi_bounds_begin(tpi_bounds *bounds, uint32_t end)
{
    const tp_vector most = {FLT_MAX, FLT_MAX, FLT_MAX}, least = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    bounds->leaves_all = true;
    if (TPI_LANES == 1) return 0;
    for (uint32_t slot = 0; slot < TPI_BOUNDS && (slot < end || slot % TPI_LANES); slot++)
        tpi_bounds_put(bounds, slot, most, least);
    bounds->leaves_all = true;
    return tpi_min_u32(end, TPI_BOUNDS);
}

/* Bit k: the bounds of slot k, below `end`, meet a box. O(end / lanes) */
TPI_INLINE uint64_t tpi_bounds_near(const tpi_bounds *bounds, uint32_t end, const float low[3],
                                    const float high[3], uint32_t dimensions)
{
    uint64_t near = 0;
#if TPI_LANES > 1
    for (uint32_t slot = 0; slot < tpi_min_u32(end, TPI_BOUNDS); slot += TPI_LANES) {
        tpi_lane_mask apart = tpi_lanes_first(0);
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            tpi_lanes from = tpi_lanes_load(bounds->low[axis] + slot),
                      to = tpi_lanes_load(bounds->high[axis] + slot);
            apart = tpi_lanes_or(apart, tpi_lanes_less(to, tpi_lanes_of(low[axis])));
            apart = tpi_lanes_or(apart, tpi_lanes_less(tpi_lanes_of(high[axis]), from));
        }
        near |= (uint64_t)(~tpi_lanes_bits(apart) & TPI_LANES_ALL) << slot;
    }
#else
    (void)bounds, (void)end, (void)low, (void)high, (void)dimensions;
#endif
    return near;
}

/* The same for all boxes of a vector. All bits are set if one has a coordinate that is no number,
   or if all bounds are endless, as those of a tank of planes. */
TPI_INLINE uint64_t tpi_bounds_near_lanes(const tpi_bounds *bounds, uint32_t end,
                                          const tpi_lanes low[3], const tpi_lanes high[3],
                                          uint32_t dimensions)
{
    float least[3] = {0.0f, 0.0f, 0.0f}, largest[3] = {0.0f, 0.0f, 0.0f};
    if (TPI_LANES == 1) return 0;
    if (bounds->leaves_all) return ~(uint64_t)0;
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lane_mask is_ordered = tpi_lanes_at_most(low[axis], high[axis]);
        if (TPI_UNLIKELY(tpi_lanes_any(tpi_lanes_not(is_ordered)))) return ~(uint64_t)0;
        least[axis] = tpi_lanes_least(low[axis]);
        largest[axis] = -tpi_lanes_least(-high[axis]);
    }
    return tpi_bounds_near(bounds, end, least, largest, dimensions);
}

/* The first slot from `slot` on that is left: its bit is set, or it has no bounds. O(1) */
TPI_INLINE uint32_t tpi_bounds_next(uint64_t near, uint32_t slot)
{
#if TPI_LANES > 1
    if (slot >= TPI_BOUNDS) return slot;
    uint64_t rest = near >> slot;
    return rest ? slot + (uint32_t)__builtin_ctzll(rest) : TPI_BOUNDS;
#else
    (void)near;
    return slot;
#endif
}

#endif
