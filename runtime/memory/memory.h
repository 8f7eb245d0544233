/* SPDX-License-Identifier: MIT
   runtime/memory/memory.h - one walk that counts or lays out a block, and fixed pools with handles.
   reads   capacities      writes  offsets; slots
   memory  that of the block, 8 bytes a pool slot      cost  O(1) an item; O(capacity) to find a free slot
   after   littlefs and box2d: counting and laying out are one function, so they cannot disagree */
#ifndef TPI_MEMORY_H
#define TPI_MEMORY_H
#include "../base/base.h"

/* A walk over the parts of a block. Every part starts at a multiple of 16 bytes. With `parts`
   null it only adds up. Offsets are in bytes from the start of the block, and 32 bits wide: of a
   walk that comes to more than TPI_LAYOUT_MAX bytes only the sum is right, and its caller
   refuses it. */
#define TPI_LAYOUT_MAX 0xfffffff0u
typedef struct tpi_layout {
    uint64_t bytes;
    tp_memory_part *parts; /* TP_MEMORY_PARTS_MAX of them, or null */
    uint32_t part_count;
} tpi_layout;

/* Takes `count` items of `item_bytes` and returns their offset. */
TPI_FUNC uint32_t tpi_layout_take(tpi_layout *layout, const char *name, uint64_t count,
                                  uint64_t item_bytes);

/* Whether what the walk came to fits a block that may hold it, and the floats of the file that
   asks are as they must be: the block is cleared then. In every file that makes something, so
   that each one asks how it was compiled itself. OK, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH.
   Cost O(block). */
TPI_INLINE tp_result tpi_layout_clear(const tpi_layout *layout, void *block, size_t bytes)
{
    if (bytes < layout->bytes) return TP_ERROR_MEMORY;
    if ((uintptr_t)block & 15u) return TP_ERROR_ALIGNMENT;
    tp_result result = tpi_check_floats();
    if (result == TP_OK) tpi_memset(block, 0, (size_t)layout->bytes);
    return result;
}

/* A pool of slots named by handles. Slot words lie at `slots`: bit 0 alive, bits 1..16
   generation. */
typedef struct tpi_pool {
    uint32_t capacity, used, peak, retired;
    uint64_t refused;
    uint32_t slots; /* offset of capacity u32 */
    uint32_t items; /* offset of capacity items */
    uint32_t item_bytes;
    uint32_t end; /* one past the highest alive slot */
} tpi_pool;

#define TPI_NO_SLOT         0xffffffffu
#define TPI_GENERATION_LAST 0xffffu

/* Lowest free slot, now alive, its handle in *handle; TPI_NO_SLOT (and a refusal counted) when
   full. O(capacity) */
TPI_FUNC uint32_t tpi_pool_take(tpi_pool *pool, uint32_t *slots, uint32_t *handle);
/* Slot of a live handle, or TPI_NO_SLOT. O(1) */
TPI_FUNC uint32_t tpi_pool_find(const tpi_pool *pool, const uint32_t *slots, uint32_t handle);
/* Frees a slot and retires it when its last generation is used up. O(capacity) */
TPI_FUNC void tpi_pool_free(tpi_pool *pool, uint32_t *slots, uint32_t slot);
/* Counts anew what follows from the slot words. O(capacity) */
TPI_FUNC void tpi_pool_recount(tpi_pool *pool, const uint32_t *slots);
TPI_INLINE bool tpi_pool_is_alive(const uint32_t *slots, uint32_t slot)
{
    return (slots[slot] & 1u) != 0;
}
TPI_FUNC tp_pool_report tpi_pool_report_of(const tpi_pool *pool);

#endif
