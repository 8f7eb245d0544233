/* SPDX-License-Identifier: MIT
   tests/static/eva_ring.c - Eva driver: the ring of recorded frames and its index, with any
           contents.
   reads   unknown entries and bytes      writes  nothing: Eva must report no alarm
   memory  a ring of 16 bytes and an index of 3 frames      cost    a minute
   after   own design; runtime/cache/cache.h states what holds before each call */
#include "eva_ring.h"
#include "../../runtime/cache/encode.c"

/* An index of `count` frames from index `first` on: their frame numbers, groups and flags may be
   anything. */
static tp_cache *any_cache(uint32_t first, uint32_t count)
{
    tp_cache *cache = empty_cache(first);
    eva_fill(memory.ring, sizeof memory.ring);
    eva_fill(memory.entries, sizeof memory.entries);
    cache->entry_count = count;
    cache->start = eva_u32(0, RING - 1u), cache->used = eva_u32(0, RING);
    cache->def.policy = eva_u32(0, 1) ? TP_CACHE_EVICT : TP_CACHE_STOP;
    cache->flags = eva_u32(0, UINT32_MAX);
    eva_fill(&cache->counters, sizeof cache->counters);
    return cache;
}

/* Every offset and length within the ring. */
static void copy(void)
{
    uint8_t bytes[RING];
    tp_cache *cache = any_cache(0, 0);
    for (uint32_t offset = 0; offset < RING; offset++)
        for (uint32_t size = 0; size <= RING; size++) {
            eva_fill(bytes, size);
            tpi_ring_write(cache, offset, bytes, size);
            tpi_ring_read(cache, offset, bytes, size);
            uint32_t after = tpi_ring_after(cache, offset, size);
            //@ assert is_in_the_ring: after < 16;
        }
}

/* With any bytes written so far, a record that fits is appended, and one that does not fit is
   refused. */
static void append(void)
{
    uint8_t bytes[RING];
    eva_fill(bytes, sizeof bytes);
    for (uint32_t start = 0; start < RING; start++)
        for (uint32_t size = 0; size <= RING; size++) {
            tp_cache *cache = any_cache(0, 0);
            tpi_cache_log log = {eva_u64(), 0, eva_u32(0, 1000)};
            cache->start = start, cache->used = 0;
            (void)tpi_ring_add_record(cache, &log, bytes, size);
        }
}

static void find(uint32_t first, uint32_t count)
{
    const tp_cache *cache = any_cache(first, count);
    uint32_t index = tpi_ring_last_at(cache, eva_u64());
    //@ assert is_an_index_or_none: index <= 3;
    (void)tpi_ring_exact(cache, eva_u64());
    (void)tpi_ring_before(cache, eva_u64());
    (void)tpi_ring_behind(cache, eva_u64());
}

static void drop(uint32_t first, uint32_t count)
{
    tpi_cache_log log = {0, 0, 0};
    if (count) (void)tpi_ring_drop_oldest(any_cache(first, count));
    if (count) tpi_ring_evict(any_cache(first, count));
    tpi_ring_drop_from(any_cache(first, count), eva_u64());
    tpi_ring_invalidate(any_cache(first, count), eva_u64());
    (void)tpi_ring_reserve(any_cache(first, count), &log, eva_u32(0, UINT32_MAX));
}

int main(void)
{
    copy();
    append();
    for (uint32_t first = 0; first < FRAMES; first++)
        for (uint32_t count = 0; count <= FRAMES; count++) {
            find(first, count);
            drop(first, count);
        }
    return 0;
}
