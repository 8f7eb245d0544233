/* SPDX-License-Identifier: MIT
   runtime/memory/memory.h - the layout of a block, and fixed pools with handles.
   reads   capacities      writes  offsets; slots
   memory  that of the block, 4 bytes per pool slot
   cost    O(1) per item; O(capacity) to find a free slot
   after   littlefs and box2d: one function computes the size and the layout, so the two cannot
           differ */
#ifndef TPI_MEMORY_H
#define TPI_MEMORY_H
#include "../base/base.h"

/* The state of a layout. Every part starts at a multiple of 16 bytes. If `parts` is null, no list
   of parts is written. Offsets are 32-bit byte offsets from the start of the block. Above
   TPI_LAYOUT_MAX bytes only `bytes` is correct, and the caller refuses the layout. */
#define TPI_LAYOUT_MAX 0xfffffff0u
typedef struct tpi_layout {
    uint64_t bytes;
    tp_memory_part *parts; /* TP_MEMORY_PARTS_MAX of them, or null */
    uint32_t part_count;
} tpi_layout;

/* Allocates `count` items of `item_bytes` and returns their offset. */
TPI_FUNC uint32_t tpi_layout_take(tpi_layout *layout, const char *name, uint64_t count,
                                  uint64_t item_bytes);

/* Checks that the layout fits the block and that the including file was compiled with exact floats,
   then clears the block. Inline, so that each file that creates something checks its own compiler
   flags. Returns TP_OK, or TP_ERROR_MEMORY, _ALIGNMENT, _CONTRACTION or _FAST_MATH. O(block) */
TPI_INLINE tp_result tpi_layout_clear(const tpi_layout *layout, void *block, size_t bytes)
{
    if (bytes < layout->bytes) return TP_ERROR_MEMORY;
    if ((uintptr_t)block & 15u) return TP_ERROR_ALIGNMENT;
    tp_result result = tpi_check_floats();
    if (result == TP_OK) tpi_memset(block, 0, (size_t)layout->bytes);
    return result;
}

/* A pool of slots with handles (slot index and generation). The slot words are at `slots`: bit 0
   alive, bits 1..16 generation. */
typedef struct tpi_pool {
    uint32_t capacity, used, peak, retired;
    uint64_t refused;
    uint32_t slots; /* offset of the slot words */
    uint32_t items; /* offset of the items */
    uint32_t item_bytes;
    uint32_t end; /* one past the highest alive slot */
} tpi_pool;

#define TPI_NO_SLOT         0xffffffffu
#define TPI_GENERATION_LAST 0xffffu

/* Allocates the lowest free slot and sets *handle; TPI_NO_SLOT (a counted refusal) if the pool is
   full. O(capacity) */
TPI_FUNC uint32_t tpi_pool_take(tpi_pool *pool, uint32_t *slots, uint32_t *handle);
/* Slot of a live handle, or TPI_NO_SLOT. O(1) */
TPI_FUNC uint32_t tpi_pool_find(const tpi_pool *pool, const uint32_t *slots, uint32_t handle);
/* Frees a slot and retires it when its last generation is used up. O(capacity) */
TPI_FUNC void tpi_pool_free(tpi_pool *pool, uint32_t *slots, uint32_t slot);
/* The slot stays in use, and its handle names nothing from now on. False: there is no generation
   left. O(1) */
TPI_FUNC bool tpi_pool_rename(uint32_t *slots, uint32_t slot);
/* Recomputes the counters from the slot words. O(capacity) */
TPI_FUNC void tpi_pool_recount(tpi_pool *pool, const uint32_t *slots);
TPI_INLINE bool tpi_pool_is_alive(const uint32_t *slots, uint32_t slot)
{
    return (slots[slot] & 1u) != 0;
}
/* The handle of a live slot. */
TPI_INLINE uint32_t tpi_pool_handle(const uint32_t *slots, uint32_t slot)
{
    return slots[slot] >> 1 << 16 | slot;
}
/* The handle of a slot before it was renamed. */
TPI_INLINE uint32_t tpi_pool_handle_before(const uint32_t *slots, uint32_t slot)
{
    return tpi_pool_handle(slots, slot) - 0x10000u;
}
TPI_FUNC tp_pool_report tpi_pool_report_of(const tpi_pool *pool);

#endif
