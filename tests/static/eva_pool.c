/* SPDX-License-Identifier: MIT
   tests/static/eva_pool.c - Eva driver: pools, and the walk over a block's parts, with any
           contents.
   reads   unknown slot words, handles and counts      writes  nothing: Eva must report no alarm
   memory  a pool of 8 slots      cost    seconds
   after   own design; runtime/memory/memory.h states what holds before each call */
#include "eva.h"
#include "../../runtime/memory/layout.c"
#include "../../runtime/memory/pool.c"

#define SLOTS 8u

/* Slot words and handles may be anything; the counters are within the pool's capacity. */
static void take_find_and_free(void)
{
    uint32_t slots[SLOTS], handle = 0;
    tpi_pool pool = {.capacity = SLOTS};
    eva_fill(slots, sizeof slots);
    pool.used = eva_u32(0, SLOTS), pool.end = eva_u32(0, SLOTS);
    pool.peak = eva_u32(0, UINT32_MAX), pool.retired = eva_u32(0, UINT32_MAX),
    pool.refused = eva_u64();
    uint32_t taken = tpi_pool_take(&pool, slots, &handle);
    //@ assert taken_is_a_slot: taken < 8 || taken == 0xffffffff;
    uint32_t found = tpi_pool_find(&pool, slots, eva_u32(0, UINT32_MAX));
    //@ assert found_is_a_slot: found < 8 || found == 0xffffffff;
    if (found != TPI_NO_SLOT && tpi_pool_rename(slots, found)) {
        (void)tpi_pool_handle_before(slots, found);
    }
    if (found != TPI_NO_SLOT) tpi_pool_free(&pool, slots, found);
    //@ assert end_is_kept: pool.end <= 8;
    (void)tpi_pool_report_of(&pool);
    tpi_pool_recount(&pool, slots);
    //@ assert end_is_a_slot: pool.end <= 8;
}

/* A layout walk with any sum so far, with or without a list of parts, which may be full. */
static void lay_out(void)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    tpi_layout layout = {eva_u64(), eva_bool() ? parts : NULL, eva_u32(0, TP_MEMORY_PARTS_MAX)};
    (void)tpi_layout_take(&layout, "part", eva_u64(), eva_u64());
    //@ assert no_part_too_many: layout.part_count <= 96;
}

int main(void)
{
    take_find_and_free();
    lay_out();
    return 0;
}
