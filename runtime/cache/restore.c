/* SPDX-License-Identifier: MIT
   runtime/cache/restore.c - restores a source to a recorded frame (rewind).
   reads   the ring      writes  the source, through its callbacks
   memory  one tile, one encoded tile, one extra block
   cost    2 * (streams * particles + extra bytes / 16) units
   after   own design: all checksums are verified before the source is changed; the source shows its
           old state until restore_end */
#include "cache.h"

enum {
    TPI_RESTORE_HEADER,
    TPI_RESTORE_CHECK,
    TPI_RESTORE_BEGIN,
    TPI_RESTORE_TILES,
    TPI_RESTORE_EXTRAS
};

void tpi_restorer_begin(tp_cache *cache, const tpi_cache_entry *entry)
{
    const tpi_cache_restorer *restorer = &cache->restorer;
    bool is_same = restorer->side.serial == entry->serial && restorer->side.bytes == entry->bytes;
    if (restorer->active && is_same) return;
    cache->restorer = (tpi_cache_restorer){.active = true, .phase = TPI_RESTORE_HEADER};
    cache->restorer.doubted = cache->doubts;
    cache->restorer.trusted = cache->trusted;
    tpi_side_open(&cache->restorer.side, entry);
}

/* Maps a source's error to the result: FRAME is reserved for damaged frames. */
static tp_result restore_error(tp_result result)
{
    return result >= TP_OK || result == TP_ERROR_FRAME ? TP_ERROR_SOURCE : result;
}

/* Units to check a record: proportional to its bytes, so that a tile costs particles * streams. */
static uint32_t restore_units(const tp_cache *cache, uint32_t size)
{
    uint64_t units =
        1u + (uint64_t)size * cache->def.schema.stream_count / (cache->shape.words * 4u);
    return (uint32_t)(units < cache->shape.step_units_max ? units : cache->shape.step_units_max);
}

/* Checks the next record: tiles first, then extra blocks. Staged frames have no records. */
static bool restore_check(tp_cache *cache, uint32_t *units)
{
    tpi_cache_restorer *restorer = &cache->restorer;
    tpi_cache_side *side = &restorer->side;
    uint32_t size, records = side->tiles + side->frames * tpi_cache_extras(cache);
    if (side->bytes == 0 || side->record == records) {
        side->cursor = TPI_CACHE_HEADER_BYTES;
        side->record = 0;
        restorer->phase = TPI_RESTORE_BEGIN;
        return true;
    }
    bool is_tile = side->record < side->tiles, is_staging = is_tile || tpi_cache_is_grouped(cache);
    uint32_t capacity = is_staging ? cache->shape.record_bytes_max : cache->shape.extra_bytes_max;
    uint8_t *bytes =
        tpi_cache_bytes(cache, is_staging ? cache->offsets.staging : cache->offsets.extra);
    bool is_good = tpi_side_take(cache, side, bytes, capacity, &size);
    *units = !is_good ? 1u : is_tile ? restore_units(cache, size) : 1u + size / 16u;
    return is_good;
}

static bool restore_tile(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_side *side = &cache->restorer.side;
    uint32_t *tile = tpi_cache_words(cache, cache->offsets.tiles[2]), first = side->taken;
    if (!tpi_side_load(cache, source, side, tile)) return false;
    for (uint32_t stream = 0; stream < cache->def.schema.stream_count && side->loaded; stream++)
        source->write(source->context, stream, first, side->loaded,
                      tile + cache->shape.first_word[stream] * TP_TILE);
    *units = tpi_side_units(cache, side);
    return true;
}

/* Restores the next extra block. The last one and restore_end are one work item: between them the
   source would be in neither the old nor the new state. */
static tp_result restore_extra(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_restorer *restorer = &cache->restorer;
    uint32_t count = cache->def.schema.extra_count;
    tp_result result = TP_OK;
    if (restorer->extra < count) {
        result = tpi_extra_load(cache, &restorer->side, &restorer->extra_size, units);
        if (result != TP_OK) return result;
        const uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.extra);
        result =
            source->extra_write(source->context, restorer->extra++, bytes, restorer->extra_size);
        if (result < TP_OK) return restore_error(result);
    }
    if (restorer->extra < count) return TP_MORE;
    result = source->restore_end(source->context);
    if (result != TP_OK) return restore_error(result);
    tpi_cache_trust(cache, restorer->side.frame);
    tpi_inputs_rewind(cache, restorer->side.frame);
    cache->counters.restores++;
    return TP_OK;
}

/* One work item. OK: restored. MORE: items are left. */
static tp_result restore_step(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_restorer *restorer = &cache->restorer;
    tpi_cache_side *side = &restorer->side;
    switch (restorer->phase) {
    case TPI_RESTORE_HEADER:
        restorer->phase = TPI_RESTORE_CHECK;
        return tpi_side_check(cache, side) ? TP_MORE : TP_ERROR_FRAME;
    case TPI_RESTORE_CHECK: return restore_check(cache, units) ? TP_MORE : TP_ERROR_FRAME;
    case TPI_RESTORE_BEGIN: {
        tp_result result = source->restore_begin(source->context, side->frame, side->count);
        if (result < TP_OK) return restore_error(result);
        restorer->phase = TPI_RESTORE_TILES;
        tpi_cache_distrust(cache);
        return TP_MORE;
    }
    case TPI_RESTORE_TILES:
        if (side->record < side->tiles)
            return restore_tile(cache, source, units) ? TP_MORE : TP_ERROR_FRAME;
        restorer->phase = TPI_RESTORE_EXTRAS;
        return TP_MORE;
    default: return restore_extra(cache, source, units);
    }
}

static tp_result restore_finish(tp_cache *cache, const tp_source *source, tp_result result)
{
    uint64_t frame = TPI_CACHE_NO_FRAME;
    bool was_touched = cache->restorer.phase > TPI_RESTORE_BEGIN;
    cache->restorer.active = false;
    if (was_touched && result != TP_OK) { /* the source still shows its old state */
        cache->doubts = cache->restorer.doubted;
        cache->trusted = cache->restorer.trusted;
    }
    if (result == TP_ERROR_FRAME) tpi_ring_invalidate(cache, cache->restorer.side.serial);
    if (result != TP_OK) return result;
    bool is_there = source->frame(source->context, &frame) && frame == cache->restorer.side.frame;
    return is_there ? TP_OK : TP_ERROR_SOURCE;
}

tp_result tpi_restorer_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    for (;;) {
        uint32_t units = 1;
        if (!tpi_cache_meter_may(meter, TP_STAGE_CACHE_READ)) return TP_MORE;
        tp_result result = restore_step(cache, source, &units);
        tpi_cache_meter_spend(meter, TP_STAGE_CACHE_READ, units);
        if (result != TP_MORE) return restore_finish(cache, source, result);
    }
}

tp_result tp_cache_rewind(tp_cache *cache, const tp_source *source, uint64_t frame,
                          bool drops_later, const tp_budget *budget)
{
    tp_result result = tpi_cache_check_work(cache, source, budget);
    if (result != TP_OK) return result;
    uint32_t locks =
        drops_later ? TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING : TP_CACHE_BAKING;
    if (cache->flags & locks) return TP_ERROR_PROTECTED;
    if (!tpi_cache_can_restore(cache, source)) return TP_ERROR_SOURCE;
    const tpi_cache_entry *entry = tpi_ring_exact(cache, frame);
    if (!entry) return TP_ERROR_FRAME;
    tpi_inputs_leave(cache, tpi_cache_live_of(cache, source).frame);
    tpi_writer_abandon(cache);
    tpi_restorer_begin(cache, entry);
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    result = tpi_restorer_run(cache, source, &meter);
    tpi_cache_meter_end(&meter);
    if (result == TP_OK && drops_later) tpi_cache_drop_later(cache, frame);
    return result;
}
