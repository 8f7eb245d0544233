/* SPDX-License-Identifier: MIT
   runtime/cache/record.c - records one frame of a source in bounded work items.
   reads   the source      writes  the ring after its used bytes; at the end one entry
   memory  one tile, raw and encoded
   cost    particles * (streams + at most 6) units + extra bytes / 16
   after   a log: append the records, then publish the frame by its header and its index entry */
#include "cache.h"

enum { TPI_WRITE_BEGIN, TPI_WRITE_ORDER, TPI_WRITE_RECORDS, TPI_WRITE_STAGE };

bool tpi_writer_is_due(const tp_cache *cache, uint64_t frame)
{
    const tp_cache_def *def = &cache->def;
    if (frame < def->start_frame || frame > def->end_frame) return false;
    return (frame - def->start_frame) % def->step == 0 || frame == def->end_frame;
}

void tpi_writer_begin(tp_cache *cache, uint64_t frame)
{
    cache->writer = (tpi_cache_writer){.active = true, .log.frame = frame};
}

void tpi_writer_abandon(tp_cache *cache)
{
    if (!cache->writer.active) return;
    cache->counters.frames_abandoned++;
    cache->writer.active = false;
    if (tpi_cache_is_grouped(cache)) tpi_group_close(cache);
}

static tp_result writer_refuse(tp_cache *cache)
{
    cache->counters.frames_refused++;
    cache->writer.active = false;
    if (tpi_cache_is_grouped(cache)) tpi_group_close(cache);
    return TP_ERROR_FULL;
}

static uint64_t writer_bytes_min(const tp_cache *cache, const tp_source *source, uint32_t count)
{
    uint64_t tiles = count / TP_TILE, rest = count % TP_TILE;
    uint64_t bytes = TPI_CACHE_HEADER_BYTES +
                     tiles * (TPI_CACHE_RECORD_BYTES + tpi_tile_bytes_min(&cache->shape, TP_TILE));
    if (rest) bytes += TPI_CACHE_RECORD_BYTES + tpi_tile_bytes_min(&cache->shape, (uint32_t)rest);
    for (uint32_t extra = 0; extra < cache->def.schema.extra_count; extra++)
        bytes += TPI_CACHE_RECORD_BYTES + source->extra_read(source->context, extra, NULL);
    return bytes;
}

/* Refuses a frame that cannot fit before any other frame is evicted for it. A group's size is not
   known yet. */
static tp_result writer_start(tp_cache *cache, const tp_source *source)
{
    tpi_cache_writer *writer = &cache->writer;
    writer->count = source->count(source->context);
    if (writer->count > cache->def.particles_max || cache->def.frames_max == 0)
        return writer_refuse(cache);
    bool is_grouped = tpi_cache_is_grouped(cache);
    uint64_t bytes = is_grouped ? 0 : writer_bytes_min(cache, source, writer->count);
    if (bytes > cache->def.ring_bytes) return writer_refuse(cache);
    tpi_ring_drop_from(cache, writer->log.frame);
    if (tpi_ring_keeps_all(cache) && (cache->used + bytes > cache->def.ring_bytes ||
                                      cache->entry_count == cache->def.frames_max))
        return writer_refuse(cache);
    if (cache->entry_count == cache->def.frames_max) tpi_ring_evict(cache);
    if (is_grouped) {
        tp_result result = tpi_group_begin(cache);
        writer->waits = result == TP_MORE;
        if (result != TP_OK) return writer->waits ? TP_MORE : writer_refuse(cache);
    } else {
        if (!tpi_ring_reserve(cache, &writer->log, TPI_CACHE_HEADER_BYTES))
            return writer_refuse(cache);
        writer->log.bytes = TPI_CACHE_HEADER_BYTES;
    }
    tpi_order_begin(cache, writer->count);
    writer->phase = TPI_WRITE_ORDER;
    return TP_MORE;
}

static tp_result writer_add_record(tp_cache *cache, const uint8_t *bytes, uint32_t size)
{
    return tpi_ring_add_record(cache, &cache->writer.log, bytes, size) ? TP_MORE
                                                                       : writer_refuse(cache);
}

static tp_result writer_tile(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_writer *writer = &cache->writer;
    uint32_t count = tpi_min_u32(TP_TILE, writer->count - writer->next);
    uint32_t *tile = tpi_cache_words(cache, cache->offsets.tiles[2]);
    uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.staging);
    tpi_order_load(cache, source, writer->next, count, cache->shape.recorded, tile);
    writer->next += count;
    *units = count * cache->def.schema.stream_count;
    return writer_add_record(cache, bytes, tpi_tile_encode(&cache->shape, tile, count, bytes));
}

static tp_result writer_extra(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    uint32_t extra = cache->writer.extra++;
    uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.extra);
    uint32_t size = source->extra_read(source->context, extra, NULL);
    if (size > cache->def.schema.extras[extra].bytes_max) return writer_refuse(cache);
    size = source->extra_read(source->context, extra, bytes);
    *units = 1u + size / 16u;
    return writer_add_record(cache, bytes, size);
}

/* A frame outside groups: writes its header. */
static void writer_end_log(tp_cache *cache, tpi_cache_entry *entry)
{
    uint8_t header[TPI_CACHE_HEADER_BYTES];
    entry->group = entry->serial;
    entry->bytes = cache->writer.log.bytes;
    entry->offset = tpi_ring_after(cache, cache->start, cache->used);
    tpi_frame_header(cache, entry, cache->writer.log.records, header);
    tpi_ring_write(cache, entry->offset, header, TPI_CACHE_HEADER_BYTES);
    cache->used += entry->bytes;
}

/* A staged frame: adds it to its group. */
static void writer_end_staging(tp_cache *cache, tpi_cache_entry *entry)
{
    tpi_cache_group *group = &cache->groups[cache->side];
    if (!group->serial) group->serial = entry->serial;
    entry->group = group->serial;
    entry->index = (uint16_t)group->frames++;
    group->kept++;
    if (group->frames == cache->def.group_frames) tpi_group_close(cache);
}

/* Adds the entry to the index, which makes the frame visible. */
static tp_result writer_publish(tp_cache *cache)
{
    tpi_cache_writer *writer = &cache->writer;
    tp_cache_counters *counters = &cache->counters;
    cache->serial_next++;
    tpi_cache_entry entry = {.frame = writer->log.frame,
                             .serial = cache->serial_next,
                             .count = writer->count,
                             .is_valid = 1};
    if (tpi_cache_is_grouped(cache))
        writer_end_staging(cache, &entry);
    else
        writer_end_log(cache, &entry);
    *tpi_ring_entry(cache, cache->entry_count++) = entry;
    counters->frames++;
    counters->frames_peak = tpi_max_u32(counters->frames_peak, counters->frames);
    counters->bytes_peak = tpi_max_u32(counters->bytes_peak, cache->used);
    counters->frames_written++;
    counters->bytes_written += entry.bytes;
    if (entry.frame == cache->def.start_frame)
        cache->flags &= ~(TP_CACHE_OUTDATED | TP_CACHE_QUICK);
    tpi_inputs_recorded(cache, entry.frame);
    writer->active = false;
    return TP_OK;
}

/* One work item of a frame outside groups: tiles first, then extra blocks. */
static tp_result writer_write(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_writer *writer = &cache->writer;
    if (writer->next < writer->count) return writer_tile(cache, source, units);
    if (writer->extra < cache->def.schema.extra_count) return writer_extra(cache, source, units);
    return writer_publish(cache);
}

/* One work item of a staged frame: extra blocks first, then tiles. A frame that does not fit its
   group begins a new group; a frame that fits no group is refused. */
static tp_result writer_stage(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_writer *writer = &cache->writer;
    uint64_t frame = writer->log.frame;
    if (writer->extra < tpi_cache_extras(cache))
        return tpi_extra_stage(cache, source, writer->extra++, units) ? TP_MORE
                                                                      : writer_refuse(cache);
    tp_result result = tpi_group_stage(cache, source, units);
    if (result == TP_OK) return writer_publish(cache);
    if (result == TP_MORE) return TP_MORE;
    if (result != TP_ERROR_FRAME) return writer_refuse(cache);
    tpi_group_close(cache);
    tpi_writer_begin(cache, frame);
    return TP_MORE;
}

/* One work item. MORE: items are left. */
static tp_result writer_step(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_writer *writer = &cache->writer;
    *units = 1;
    switch (writer->phase) {
    case TPI_WRITE_BEGIN: return writer_start(cache, source);
    case TPI_WRITE_ORDER:
        if (cache->sort.active)
            *units = tpi_order_step(cache, source);
        else
            writer->phase = tpi_cache_is_grouped(cache) ? TPI_WRITE_STAGE : TPI_WRITE_RECORDS;
        return TP_MORE;
    case TPI_WRITE_RECORDS: return writer_write(cache, source, units);
    default: return writer_stage(cache, source, units);
    }
}

/* True if the frame needs a free group and must wait until one is packed. */
static bool writer_waits(const tp_cache *cache)
{
    return cache->writer.waits && cache->groups[0].serial && cache->groups[1].serial &&
           tpi_packer_is_due(cache);
}

tp_result tpi_writer_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    tp_result outcome = TP_OK;
    while (cache->writer.active || tpi_packer_is_due(cache)) {
        uint32_t units;
        bool packs = !cache->writer.active || writer_waits(cache);
        if (!tpi_cache_meter_may(meter, TP_STAGE_CACHE_WRITE))
            return cache->writer.active ? TP_MORE : outcome;
        tp_result result = TP_MORE;
        if (packs)
            units = tpi_packer_step(cache);
        else
            result = writer_step(cache, source, &units);
        tpi_cache_meter_spend(meter, TP_STAGE_CACHE_WRITE, units);
        if (result != TP_MORE) outcome = result;
    }
    return outcome;
}

tp_result tp_cache_record(tp_cache *cache, const tp_source *source, const tp_budget *budget)
{
    tp_result result = tpi_cache_check_work(cache, source, budget);
    if (result != TP_OK) return result;
    if (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING))
        return TP_ERROR_PROTECTED;
    cache->restorer.active = false;
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    if (!live.is_whole || cache->writer.log.frame != live.frame) tpi_writer_abandon(cache);
    if (!live.is_whole) return TP_MORE;
    tpi_inputs_follow(cache, live.frame);
    tpi_cache_trust(cache, live.frame);
    bool is_due = tpi_writer_is_due(cache, live.frame) && !tpi_ring_exact(cache, live.frame);
    if (!cache->writer.active && is_due) tpi_writer_begin(cache, live.frame);
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    result = tpi_writer_run(cache, source, &meter);
    tpi_cache_meter_end(&meter);
    return result;
}
