/* SPDX-License-Identifier: MIT
   runtime/cache/packet.c - exports recorded frames as packets for the game to store, imports them.
   reads   the ring, a packet      writes  a packet, the ring and its index
   memory  none                    cost    O(bytes)
   after   own design: a packet is a header, a list of index entries, and the bytes of the ring

   A packet in bytes:

       24           magic 4, frames 4, bytes after the list 4, unused 4, checksum 8 (of the 16 bytes
                    before it and the list)
       frames * 16  the list: frame 8, particles 4, index in the group 4
       ...          the frame or the group as in the ring, which has its own checksums */
#include "cache.h"

#define PACKET_MAGIC      0x314b5054u /* "TPK1" */
#define PACKET_HEAD_BYTES 24u
#define PACKET_ITEM_BYTES 16u

static uint64_t packet_check(const tp_cache *cache, const uint8_t *packet, uint32_t frames)
{
    uint64_t list = tpi_record_check(cache->shape.schema_check, frames, packet + PACKET_HEAD_BYTES,
                                     frames * PACKET_ITEM_BYTES);
    uint64_t kind = (uint64_t)cache->shape.recorded << 32 | cache->def.group_frames;
    return tpi_record_check(list ^ tpi_mix(kind), frames, packet, 16);
}

/* Number of frames from `index` on that belong to the same group, and how many of them are
   valid. */
static uint32_t packet_frames(const tp_cache *cache, uint32_t index, uint32_t *valid)
{
    uint32_t frames = 0;
    uint64_t group = tpi_ring_entry(cache, index)->group;
    *valid = 0;
    for (; index < cache->entry_count && tpi_ring_entry(cache, index)->group == group;
         index++, frames++)
        *valid += tpi_ring_entry(cache, index)->is_valid;
    return frames;
}

static void packet_write(const tp_cache *cache, uint32_t index, uint32_t valid, uint8_t *packet)
{
    const tpi_cache_entry *first = tpi_ring_entry(cache, index);
    uint8_t *item = packet + PACKET_HEAD_BYTES;
    tpi_store_u32(packet, PACKET_MAGIC);
    tpi_store_u32(packet + 4, valid);
    tpi_store_u32(packet + 8, first->bytes);
    tpi_store_u32(packet + 12, 0);
    for (uint32_t left = valid; left; index++) {
        const tpi_cache_entry *entry = tpi_ring_entry(cache, index);
        if (!entry->is_valid) continue;
        tpi_store_u64(item, entry->frame);
        tpi_store_u32(item + 8, entry->count);
        tpi_store_u32(item + 12, entry->index);
        item += PACKET_ITEM_BYTES;
        left--;
    }
    tpi_store_u64(packet + 16, packet_check(cache, packet, valid));
    tpi_ring_read(cache, first->offset, item, first->bytes);
}

tp_result tp_cache_packet(const tp_cache *cache, uint32_t index, void *data, uint32_t capacity,
                          uint32_t *bytes, uint32_t *frames)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (!bytes || !frames) return TP_ERROR_NULL;
    *bytes = *frames = 0;
    if (index >= cache->entry_count || !tpi_ring_entry(cache, index)->is_valid)
        return TP_ERROR_FRAME;
    if (tpi_ring_entry(cache, index)->bytes == 0) return TP_MORE;
    uint32_t valid;
    *frames = packet_frames(cache, index, &valid);
    *bytes = PACKET_HEAD_BYTES + valid * PACKET_ITEM_BYTES + tpi_ring_entry(cache, index)->bytes;
    if (!data) return TP_OK;
    if (capacity < *bytes) return TP_ERROR_MEMORY;
    packet_write(cache, index, valid, (uint8_t *)data);
    return TP_OK;
}

/* ---- importing ---- */

/* True if the header and list are intact, the packet comes from a cache with the same schema,
   recorded streams and group_frames, and its frames ascend and are newer than the newest frame. */
static bool packet_is_good(const tp_cache *cache, const uint8_t *packet, uint32_t bytes)
{
    if (bytes < PACKET_HEAD_BYTES || tpi_load_u32(packet) != PACKET_MAGIC) return false;
    uint32_t frames = tpi_load_u32(packet + 4), rest = bytes - PACKET_HEAD_BYTES;
    if (frames < 1u || frames > cache->def.group_frames || rest < frames * PACKET_ITEM_BYTES)
        return false;
    uint32_t content = tpi_load_u32(packet + 8);
    if (content != rest - frames * PACKET_ITEM_BYTES || content < TPI_CACHE_HEADER_BYTES)
        return false;
    if (tpi_load_u64(packet + 16) != packet_check(cache, packet, frames)) return false;
    const tpi_cache_entry *newest =
        cache->entry_count ? tpi_ring_entry(cache, cache->entry_count - 1u) : NULL;
    const uint8_t *item = packet + PACKET_HEAD_BYTES;
    for (uint32_t k = 0; k < frames; k++, item += PACKET_ITEM_BYTES) {
        uint64_t frame = tpi_load_u64(item);
        bool is_behind =
            k ? frame > tpi_load_u64(item - PACKET_ITEM_BYTES) : !newest || frame > newest->frame;
        if (!is_behind || frame > TP_FRAME_MAX || tpi_load_u32(item + 8) > cache->def.particles_max)
            return false;
        if (tpi_load_u32(item + 12) >= cache->def.group_frames) return false;
    }
    return true;
}

/* Appends the packet to the ring. Nothing may be staged, because staged frames are newer. */
static tp_result packet_put(tp_cache *cache, const uint8_t *packet)
{
    uint32_t frames = tpi_load_u32(packet + 4), bytes = tpi_load_u32(packet + 8);
    const uint8_t *item = packet + PACKET_HEAD_BYTES, *content = item + frames * PACKET_ITEM_BYTES;
    tpi_cache_log log = {0};
    uint64_t group = cache->serial_next + 1u;
    if (bytes > cache->def.ring_bytes || frames > cache->def.frames_max) return TP_ERROR_FULL;
    if (!tpi_ring_reserve(cache, &log, bytes)) return TP_ERROR_FULL;
    while (cache->entry_count + frames > cache->def.frames_max) {
        if (tpi_ring_keeps_all(cache)) return TP_ERROR_FULL;
        tpi_ring_evict(cache);
    }
    uint32_t offset = tpi_ring_after(cache, cache->start, cache->used);
    tpi_ring_append(cache, &log, content, bytes);
    for (uint32_t k = 0; k < frames; k++, item += PACKET_ITEM_BYTES) {
        cache->serial_next++;
        tpi_cache_entry entry = {
            .frame = tpi_load_u64(item), .serial = cache->serial_next, .group = group};
        entry.offset = offset;
        entry.bytes = bytes;
        entry.count = tpi_load_u32(item + 8);
        entry.index = (uint16_t)tpi_load_u32(item + 12);
        entry.is_valid = 1;
        *tpi_ring_entry(cache, cache->entry_count++) = entry;
    }
    cache->used += bytes;
    cache->counters.frames += frames;
    cache->counters.frames_peak = tpi_max_u32(cache->counters.frames_peak, cache->counters.frames);
    cache->counters.bytes_peak = tpi_max_u32(cache->counters.bytes_peak, cache->used);
    return TP_OK;
}

tp_result tp_cache_take_packet(tp_cache *cache, const void *data, uint32_t bytes)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (!data) return TP_ERROR_NULL;
    if (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING))
        return TP_ERROR_PROTECTED;
    tpi_writer_abandon(cache);
    result = tp_cache_flush(cache, NULL);
    if (result != TP_OK) return result;
    const uint8_t *packet = (const uint8_t *)data;
    return packet_is_good(cache, packet, bytes) ? packet_put(cache, packet) : TP_ERROR_FRAME;
}

tp_result tp_cache_flush(tp_cache *cache, const tp_budget *budget)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result == TP_OK) result = tpi_check_budget(budget);
    if (result != TP_OK) return result;
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    result = tpi_packer_finish(cache, &meter);
    tpi_cache_meter_end(&meter);
    return result;
}
