/* SPDX-License-Identifier: MIT
   runtime/cache/ring.c - the ring buffer of bytes, and the index of the frames in it.
   reads   frame numbers      writes  bytes, entries, counters
   memory  the cache's block  cost    O(bytes) to copy; O(log frames + invalid frames) to find one
   after   a log in a ring buffer: frames are appended in order of time, evicted at the oldest end,
           truncated at the newest; the index is found by binary search */
#include "cache.h"

uint32_t tpi_ring_after(const tp_cache *cache, uint32_t offset, uint64_t distance)
{
    uint64_t position = offset + distance;
    return (uint32_t)(position >= cache->def.ring_bytes ? position - cache->def.ring_bytes
                                                        : position);
}

void tpi_ring_read(const tp_cache *cache, uint32_t offset, uint8_t *bytes, uint32_t size)
{
    uint32_t first = tpi_min_u32(size, cache->def.ring_bytes - offset);
    tpi_memcpy(bytes, tpi_cache_bytes(cache, cache->offsets.ring) + offset, first);
    tpi_memcpy(bytes + first, tpi_cache_bytes(cache, cache->offsets.ring), size - first);
}

void tpi_ring_write(tp_cache *cache, uint32_t offset, const uint8_t *bytes, uint32_t size)
{
    uint32_t first = tpi_min_u32(size, cache->def.ring_bytes - offset);
    tpi_memcpy(tpi_cache_bytes(cache, cache->offsets.ring) + offset, bytes, first);
    tpi_memcpy(tpi_cache_bytes(cache, cache->offsets.ring), bytes + first, size - first);
}

tpi_cache_entry *tpi_ring_entry(const tp_cache *cache, uint32_t index)
{
    uint32_t position = cache->entry_first + index; /* no overflow: both are at most 2^20 */
    if (position >= cache->def.frames_max) position -= cache->def.frames_max;
    return (tpi_cache_entry *)(void *)tpi_cache_words(cache, cache->offsets.entries) + position;
}

uint32_t tpi_ring_last_at(const tp_cache *cache, uint64_t frame)
{
    /* entries below `low` are at or before `frame`; entries from `high` on are after it */
    uint32_t low = 0, high = cache->entry_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2u;
        if (tpi_ring_entry(cache, middle)->frame <= frame)
            low = middle + 1u;
        else
            high = middle;
    }
    return low ? low - 1u : cache->entry_count;
}

tpi_cache_entry *tpi_ring_exact(const tp_cache *cache, uint64_t frame)
{
    uint32_t index = tpi_ring_last_at(cache, frame);
    if (index == cache->entry_count) return NULL;
    tpi_cache_entry *entry = tpi_ring_entry(cache, index);
    return entry->frame == frame && entry->is_valid ? entry : NULL;
}

tpi_cache_entry *tpi_ring_before(const tp_cache *cache, uint64_t frame)
{
    uint32_t index = tpi_ring_last_at(cache, frame);
    if (index == cache->entry_count) return NULL;
    for (; !tpi_ring_entry(cache, index)->is_valid; index--)
        if (index == 0) return NULL;
    return tpi_ring_entry(cache, index);
}

tpi_cache_entry *tpi_ring_behind(const tp_cache *cache, uint64_t frame)
{
    uint32_t index = frame ? tpi_ring_last_at(cache, frame - 1u) : cache->entry_count;
    for (index = index == cache->entry_count ? 0 : index + 1u; index < cache->entry_count; index++)
        if (tpi_ring_entry(cache, index)->is_valid) return tpi_ring_entry(cache, index);
    return NULL;
}

/* Drops the first or last entry of the index. Returns the bytes that became free: 0 while the
   neighbouring entry belongs to the same group. counters.frames counts valid frames only. */
static uint32_t ring_forget(tp_cache *cache, uint32_t index)
{
    const tpi_cache_entry *entry = tpi_ring_entry(cache, index);
    uint32_t beside = index ? index - 1u : 1u;
    bool has_others =
        cache->entry_count > 1u && tpi_ring_entry(cache, beside)->group == entry->group;
    uint32_t bytes = has_others ? 0 : entry->bytes;
    cache->used -= bytes;
    cache->entry_count--;
    cache->packer.has_failed = false;
    if (entry->is_valid) cache->counters.frames--;
    if (entry->bytes == 0) tpi_group_forget(cache, entry);
    return bytes;
}

uint32_t tpi_ring_drop_oldest(tp_cache *cache)
{
    uint32_t bytes = ring_forget(cache, 0);
    cache->start = tpi_ring_after(cache, cache->start, bytes);
    if (++cache->entry_first >= cache->def.frames_max) cache->entry_first = 0;
    return bytes;
}

void tpi_ring_evict(tp_cache *cache)
{
    cache->counters.bytes_evicted += tpi_ring_drop_oldest(cache);
    cache->counters.frames_evicted++;
}

/* ---- appending ---- */

bool tpi_ring_keeps_all(const tp_cache *cache)
{
    return cache->def.policy != TP_CACHE_EVICT ||
           (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING)) != 0;
}

static bool ring_may_evict(const tp_cache *cache)
{
    /* evicting a staged frame frees no bytes of the ring */
    return !tpi_ring_keeps_all(cache) && cache->entry_count > 0 &&
           tpi_ring_entry(cache, 0)->bytes > 0;
}

bool tpi_ring_reserve(tp_cache *cache, const tpi_cache_log *log, uint64_t bytes)
{
    while ((uint64_t)cache->used + log->bytes + bytes > cache->def.ring_bytes) {
        if (!ring_may_evict(cache)) return false;
        tpi_ring_evict(cache);
    }
    return true;
}

void tpi_ring_append(tp_cache *cache, tpi_cache_log *log, const uint8_t *bytes, uint32_t size)
{
    tpi_ring_write(cache, tpi_ring_after(cache, cache->start, (uint64_t)cache->used + log->bytes),
                   bytes, size);
    log->bytes += size;
}

bool tpi_ring_add_record(tp_cache *cache, tpi_cache_log *log, const uint8_t *bytes, uint32_t size)
{
    uint8_t header[TPI_CACHE_RECORD_BYTES];
    if (!tpi_ring_reserve(cache, log, (uint64_t)size + TPI_CACHE_RECORD_BYTES)) return false;
    tpi_store_u32(header, size);
    tpi_store_u64(header + 4, tpi_record_check(log->frame, log->records, bytes, size));
    tpi_ring_append(cache, log, header, TPI_CACHE_RECORD_BYTES);
    tpi_ring_append(cache, log, bytes, size);
    log->records++;
    return true;
}

/* ---- truncating, damage ---- */

void tpi_ring_drop_from(tp_cache *cache, uint64_t frame)
{
    while (cache->entry_count) {
        const tpi_cache_entry *newest = tpi_ring_entry(cache, cache->entry_count - 1u);
        if (newest->frame < frame) return;
        (void)ring_forget(cache, cache->entry_count - 1u);
    }
}

void tpi_ring_invalidate(tp_cache *cache, uint64_t serial)
{
    uint64_t group = 0;
    for (uint32_t index = 0; index < cache->entry_count; index++)
        if (tpi_ring_entry(cache, index)->serial == serial)
            group = tpi_ring_entry(cache, index)->group;
    for (uint32_t index = 0; index < cache->entry_count && group; index++) {
        tpi_cache_entry *entry = tpi_ring_entry(cache, index);
        if (entry->group != group || !entry->is_valid) continue;
        entry->is_valid = 0;
        cache->counters.frames--;
        cache->counters.frames_corrupt++;
    }
}
