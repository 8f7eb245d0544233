/* SPDX-License-Identifier: MIT
   runtime/memory/pool.c - fixed pools: slots, generations, peaks and refusals.
   reads   slot words        writes  slot words, the pool's counters
   memory  4 bytes per slot  cost    O(capacity) to take or free, O(1) to find
   after   generational handles: 16-bit slot and 16-bit generation; a slot whose generations are
           used up retires */
#include "memory.h"

static uint32_t pool_generation(uint32_t word) { return word >> 1; }

uint32_t tpi_pool_take(tpi_pool *pool, uint32_t *slots, uint32_t *handle)
{
    uint32_t first = pool->used == pool->end ? pool->end : 0; /* no free slot below the end */
    for (uint32_t slot = first; slot < pool->capacity; slot++) {
        uint32_t generation = pool_generation(slots[slot]);
        if ((slots[slot] & 1u) || generation >= TPI_GENERATION_LAST) continue;
        slots[slot] = ((generation + 1u) << 1) | 1u;
        *handle = (generation + 1u) << 16 | slot;
        pool->used++;
        pool->peak = tpi_max_u32(pool->peak, pool->used);
        pool->end = tpi_max_u32(pool->end, slot + 1u);
        return slot;
    }
    pool->refused++;
    return TPI_NO_SLOT;
}

uint32_t tpi_pool_find(const tpi_pool *pool, const uint32_t *slots, uint32_t handle)
{
    uint32_t slot = handle & 0xffffu;
    if (handle == 0 || slot >= pool->capacity) return TPI_NO_SLOT;
    return slots[slot] == (((handle >> 16) << 1) | 1u) ? slot : TPI_NO_SLOT;
}

void tpi_pool_free(tpi_pool *pool, uint32_t *slots, uint32_t slot)
{
    slots[slot] &= ~1u;
    pool->used--;
    if (pool_generation(slots[slot]) >= TPI_GENERATION_LAST) pool->retired++;
    while (pool->end > 0 && !(slots[pool->end - 1u] & 1u)) pool->end--;
}

bool tpi_pool_rename(uint32_t *slots, uint32_t slot)
{
    if (pool_generation(slots[slot]) >= TPI_GENERATION_LAST) return false;
    slots[slot] += 2u;
    return true;
}

void tpi_pool_recount(tpi_pool *pool, const uint32_t *slots)
{
    pool->used = pool->end = pool->retired = 0;
    for (uint32_t slot = 0; slot < pool->capacity; slot++) {
        if (slots[slot] & 1u) {
            pool->used++;
            pool->end = slot + 1u;
        } else if (pool_generation(slots[slot]) >= TPI_GENERATION_LAST) {
            pool->retired++;
        }
    }
    pool->peak = tpi_max_u32(pool->peak, pool->used);
}

tp_pool_report tpi_pool_report_of(const tpi_pool *pool)
{
    return (tp_pool_report){pool->capacity, pool->used, pool->peak, pool->retired, pool->refused};
}
