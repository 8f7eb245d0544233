/* SPDX-License-Identifier: MIT
   tests/static/eva_index.c - Eva driver: what the index of the ring must return, keep and drop.
   reads   ordered indexes, with frames before and after the requested one
   writes  nothing: every assertion must hold
   memory  a ring of 16 bytes and an index of 3 frames      cost    seconds
   after   own design; the number of frames before the requested one is a constant, their frame
           numbers are unknown */
#include "eva_ring.h"

#define ASKED 10u

/* An index of `count` frames from index `first` on, each of 4 bytes and in its own group: `kept` of
   them before frame ASKED, the others not. */
static tp_cache *cache_of(uint32_t first, uint32_t count, uint32_t kept)
{
    tp_cache *cache = empty_cache(first);
    cache->entry_count = count, cache->used = 4u * count, cache->start = 8;
    cache->counters.frames = count;
    //@ loop unroll 3;
    for (uint32_t e = 0; e < count; e++) {
        tpi_cache_entry *entry = &memory.entries[(first + e) % FRAMES];
        entry->frame =
            e < kept ? eva_u64_between(0, ASKED - 1u) : eva_u64_between(ASKED, UINT64_MAX);
        entry->serial = entry->group = e + 1u, entry->bytes = 4, entry->is_valid = 1;
    }
    return cache;
}

static void drop_and_find(uint32_t first, uint32_t count, uint32_t kept)
{
    tp_cache *cache = cache_of(first, count, kept);
    uint32_t index = tpi_ring_last_at(cache, ASKED - 1u);
    //@ assert the_last_before: index == (kept == 0 ? count : kept - 1);
    const tpi_cache_entry *before = tpi_ring_before(cache, ASKED - 1u);
    //@ assert is_before: kept == 0 ? before == \null : before == &memory.entries[(first + kept - 1) % 3];
    const tpi_cache_entry *behind = tpi_ring_behind(cache, ASKED);
    //@ assert is_behind: kept == count ? behind == \null : behind == &memory.entries[(first + kept) % 3];
    tpi_ring_drop_from(cache, ASKED);
    //@ assert frames_before_are_kept_and_no_others: cache->entry_count == kept && cache->counters.frames == kept;
    //@ assert their_bytes_are_free: cache->used == 4 * kept;
    if (kept == 0) return;
    (void)tpi_ring_drop_oldest(cache);
    //@ assert the_oldest_goes: cache->entry_count == kept - 1 && cache->entry_first == (first + 1) % 3;
    //@ assert the_ring_begins_behind_it: cache->start == 12 && cache->used == 4 * (kept - 1);
}

/* One frame of a group of two is damaged: both are dropped, the third stays. */
static void damage(uint32_t first)
{
    tp_cache *cache = cache_of(first, FRAMES, 0);
    memory.entries[(first + 1u) % FRAMES].group = 1;
    tpi_ring_invalidate(cache, 2);
    //@ assert the_group_goes: cache->counters.frames == 1 && cache->counters.frames_corrupt == 2;
    //@ assert the_other_stays: memory.entries[(first + 2) % 3].is_valid == 1;
    const tpi_cache_entry *found = tpi_ring_exact(cache, memory.entries[first].frame);
    //@ assert none_that_is_damaged: found == \null || found == &memory.entries[(first + 2) % 3];
}

/* Evicts old frames to free bytes in the ring if the policy allows it, else not. */
static void make_room(uint32_t count, uint32_t bytes, bool may_evict)
{
    tpi_cache_log log = {.bytes = 4};
    tp_cache *cache = cache_of(1, count, 0);
    cache->def.policy = may_evict ? TP_CACHE_EVICT : TP_CACHE_STOP;
    bool keeps_all = tpi_ring_keeps_all(cache);
    //@ assert by_policy: keeps_all == 1 - may_evict;
    bool has_room = tpi_ring_reserve(cache, &log, bytes);
    //@ assert there_is_room: has_room == 0 || cache->used + 4 + bytes <= 16;
    //@ assert as_much_as_can_be: has_room == (4 + bytes + (may_evict ? 0 : 4 * count) <= 16 ? 1 : 0);
    //@ assert none_goes: may_evict || cache->entry_count == count;
    //@ assert those_gone_are_counted: cache->counters.frames_evicted == count - cache->entry_count;
    //@ assert none_goes_too_much: cache->entry_count == count || cache->used + 4 + bytes > 12;
    cache->flags = eva_bool() ? TP_CACHE_BAKED : eva_bool() ? TP_CACHE_EXTERNAL : TP_CACHE_BAKING;
    keeps_all = tpi_ring_keeps_all(cache);
    //@ assert by_lock: keeps_all == 1;
}

static void places(void)
{
    for (uint32_t offset = 0; offset < RING; offset++)
        for (uint32_t size = 0; size <= RING; size++) {
            uint32_t after = tpi_ring_after(cache_of(0, 0, 0), offset, size);
            //@ assert is_behind: after == (offset + size) % 16;
        }
}

int main(void)
{
    places();
    for (uint32_t first = 0; first < FRAMES; first++) {
        damage(first);
        for (uint32_t count = 0; count <= FRAMES; count++)
            for (uint32_t kept = 0; kept <= count; kept++) drop_and_find(first, count, kept);
    }
    for (uint32_t count = 0; count <= FRAMES; count++)
        for (uint32_t bytes = 0; bytes <= RING; bytes++)
            make_room(count, bytes, true), make_room(count, bytes, false);
    return 0;
}
