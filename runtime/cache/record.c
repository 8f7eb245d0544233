/* SPDX-License-Identifier: MIT
   runtime/cache/record.c - records one frame of a source, piece by piece; it shows when it is complete.
   reads   the source      writes  the ring, behind the used bytes; at the end one entry
   memory  one tile and its bytes      cost  particles * (streams + at most 6) units, extra bytes / 16
   after   a log: append, then publish by the header and the index entry */
#include "cache.h"

enum { TPI_WRITE_BEGIN, TPI_WRITE_ORDER, TPI_WRITE_TILES, TPI_WRITE_EXTRAS };

bool tpi_writer_is_due(const tp_cache *cache, uint64_t frame)
{
    const tp_cache_def *def = &cache->def;
    if (frame < def->start_frame || frame > def->end_frame) return false;
    return (frame - def->start_frame) % def->step == 0 || frame == def->end_frame;
}

void tpi_writer_begin(tp_cache *cache, uint64_t frame)
{
    cache->writer = (tpi_cache_writer){.active = true, .frame = frame};
}

void tpi_writer_abandon(tp_cache *cache)
{
    if (cache->writer.active) cache->counters.frames_abandoned++;
    cache->writer.active = false;
}

static tp_result writer_refuse(tp_cache *cache)
{
    cache->counters.frames_refused++;
    cache->writer.active = false;
    return TP_ERROR_FULL;
}

static bool writer_may_evict(const tp_cache *cache)
{
    return cache->def.policy == TP_CACHE_EVICT && !(cache->flags & TP_CACHE_BAKING);
}

/* Room for so many bytes behind what is written, at the price of the oldest frames. */
static bool writer_make_room(tp_cache *cache, uint64_t bytes)
{
    while ((uint64_t)cache->used + cache->writer.bytes + bytes > cache->def.ring_bytes) {
        if (!writer_may_evict(cache) || cache->entry_count == 0) return false;
        tpi_ring_evict(cache);
    }
    return true;
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

/* Refuses what cannot fit before anything is evicted for it. */
static tp_result writer_start(tp_cache *cache, const tp_source *source)
{
    tpi_cache_writer *writer = &cache->writer;
    writer->count = source->count(source->context);
    if (writer->count > cache->def.particles_max || cache->def.frames_max == 0) return writer_refuse(cache);
    uint64_t bytes = writer_bytes_min(cache, source, writer->count);
    if (bytes > cache->def.ring_bytes) return writer_refuse(cache);
    tpi_ring_drop_from(cache, writer->frame);
    if (!writer_may_evict(cache) &&
        (cache->used + bytes > cache->def.ring_bytes || cache->entry_count == cache->def.frames_max))
        return writer_refuse(cache);
    if (cache->entry_count == cache->def.frames_max) tpi_ring_evict(cache);
    if (!writer_make_room(cache, TPI_CACHE_HEADER_BYTES)) return writer_refuse(cache);
    writer->bytes = TPI_CACHE_HEADER_BYTES;
    tpi_order_begin(cache, writer->count);
    writer->phase = TPI_WRITE_ORDER;
    return TP_MORE;
}

static void writer_append(tp_cache *cache, const uint8_t *bytes, uint32_t size)
{
    tpi_ring_write(cache, tpi_ring_after(cache, cache->start, (uint64_t)cache->used + cache->writer.bytes),
                   bytes, size);
    cache->writer.bytes += size;
}

static tp_result writer_add_record(tp_cache *cache, const uint8_t *bytes, uint32_t size)
{
    tpi_cache_writer *writer = &cache->writer;
    uint8_t header[TPI_CACHE_RECORD_BYTES];
    if (!writer_make_room(cache, (uint64_t)size + TPI_CACHE_RECORD_BYTES)) return writer_refuse(cache);
    tpi_store_u32(header, size);
    tpi_store_u64(header + 4, tpi_record_check(writer->frame, writer->records, bytes, size));
    writer_append(cache, header, TPI_CACHE_RECORD_BYTES);
    writer_append(cache, bytes, size);
    writer->records++;
    return TP_MORE;
}

static tp_result writer_tile(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_writer *writer = &cache->writer;
    uint32_t count = tpi_min_u32(TP_TILE, writer->count - writer->place);
    uint32_t *tile = tpi_cache_words(cache, cache->places.tiles[2]);
    uint8_t *bytes = tpi_cache_bytes(cache, cache->places.staging);
    tpi_order_load(cache, source, writer->place, count, tile);
    writer->place += count;
    *units = count * cache->def.schema.stream_count;
    return writer_add_record(cache, bytes, tpi_tile_encode(&cache->shape, tile, count, bytes));
}

static tp_result writer_extra(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    uint32_t extra = cache->writer.extra++;
    uint8_t *bytes = tpi_cache_bytes(cache, cache->places.extra);
    uint32_t size = source->extra_read(source->context, extra, NULL);
    if (size > cache->def.schema.extras[extra].bytes_max) return writer_refuse(cache);
    size = source->extra_read(source->context, extra, bytes);
    *units = 1u + size / 16u;
    return writer_add_record(cache, bytes, size);
}

/* Makes the frame visible. */
static tp_result writer_publish(tp_cache *cache)
{
    tpi_cache_writer *writer = &cache->writer;
    tp_cache_counters *counters = &cache->counters;
    uint8_t header[TPI_CACHE_HEADER_BYTES];
    tpi_cache_entry entry = {.frame = writer->frame,
                             .serial = ++cache->serial_next,
                             .bytes = writer->bytes,
                             .count = writer->count,
                             .is_valid = 1};
    entry.offset = tpi_ring_after(cache, cache->start, cache->used);
    tpi_frame_header(cache, &entry, writer->records, header);
    tpi_ring_write(cache, entry.offset, header, TPI_CACHE_HEADER_BYTES);
    cache->used += entry.bytes;
    *tpi_ring_entry(cache, cache->entry_count++) = entry;
    counters->frames++;
    counters->frames_peak = tpi_max_u32(counters->frames_peak, counters->frames);
    counters->bytes_peak = tpi_max_u32(counters->bytes_peak, cache->used);
    counters->frames_written++;
    counters->bytes_written += entry.bytes;
    if (entry.frame == cache->def.start_frame) cache->flags &= ~TP_CACHE_OUTDATED;
    writer->active = false;
    return TP_OK;
}

/* One piece. MORE: there is another one. */
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
            writer->phase = TPI_WRITE_TILES;
        return TP_MORE;
    case TPI_WRITE_TILES:
        if (writer->place < writer->count) return writer_tile(cache, source, units);
        writer->phase = TPI_WRITE_EXTRAS;
        return TP_MORE;
    default:
        if (writer->extra < cache->def.schema.extra_count) return writer_extra(cache, source, units);
        return writer_publish(cache);
    }
}

tp_result tpi_writer_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    while (cache->writer.active) {
        uint32_t units;
        if (!tpi_cache_meter_may(meter, TP_STAGE_CACHE_WRITE)) return TP_MORE;
        tp_result result = writer_step(cache, source, &units);
        tpi_cache_meter_spend(meter, TP_STAGE_CACHE_WRITE, units);
        if (result != TP_MORE) return result;
    }
    return TP_OK;
}

tp_result tp_cache_record(tp_cache *cache, const tp_source *source, const tp_budget *budget)
{
    tp_result result = tpi_cache_check_call(cache, source);
    if (result != TP_OK) return result;
    if (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING)) return TP_ERROR_PROTECTED;
    cache->restorer.active = false;
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    if (!live.is_whole || cache->writer.frame != live.frame) tpi_writer_abandon(cache);
    if (!live.is_whole) return TP_MORE;
    tpi_cache_trust(cache, live.frame);
    if (!cache->writer.active) {
        if (!tpi_writer_is_due(cache, live.frame) || tpi_ring_exact(cache, live.frame)) return TP_OK;
        tpi_writer_begin(cache, live.frame);
    }
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    result = tpi_writer_run(cache, source, &meter);
    tpi_cache_meter_end(&meter);
    return result;
}
