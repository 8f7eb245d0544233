/* SPDX-License-Identifier: MIT
   runtime/cache/bake.c - bakes: simulates and records a range over several calls, then protects it.
   reads   the source      writes  the source, the ring
   memory  the job in the block      cost  the budget and at most one slice
   after   own design, as Blender bakes: clear the cache, simulate frame by frame, protect it */
#include "cache.h"

/* Brings the source to the start: restarts it; or, without a restart, uses its current state if it
   is trusted, not after start_frame and without inputs; else restores the recorded start frame. */
static tp_result bake_go_to_start(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    const tpi_cache_entry *start = tpi_ring_exact(cache, cache->def.start_frame);
    if (source->restart) return tpi_source_restart(cache, source);
    bool is_there = live.is_whole && live.is_trusted && live.frame <= cache->def.start_frame;
    if (is_there && !cache->inputs.done) return TP_OK;
    if (!start || !tpi_cache_can_restore(cache, source)) return TP_ERROR_FRAME;
    tpi_restorer_begin(cache, start);
    return tpi_restorer_run(cache, source, meter);
}

static tp_result bake_begin(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    tp_result result = bake_go_to_start(cache, source, meter);
    if (result != TP_OK) return result;
    tpi_cache_clear_frames(cache);
    cache->inputs = (tpi_cache_inputs){0}; /* a bake has no inputs of the game */
    cache->flags = (cache->flags & ~TP_CACHE_OUTDATED) | TP_CACHE_BAKING;
    cache->bake_frame = tpi_cache_live_of(cache, source).frame;
    tpi_cache_trust(cache, cache->bake_frame);
    return TP_OK;
}

static tp_result bake_record(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    if (!cache->writer.active) tpi_writer_begin(cache, cache->bake_frame);
    return tpi_writer_run(cache, source, meter);
}

static tp_result bake_advance(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    tp_budget rest;
    uint64_t units = 0;
    if (!tpi_cache_meter_rest(meter, &rest)) return TP_MORE;
    tp_result result = source->advance(source->context, &rest, &units);
    tpi_cache_meter_source(meter, units);
    if (result != TP_OK) return result;
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    if (!live.is_whole || live.frame != cache->bake_frame + 1u) return TP_ERROR_SOURCE;
    cache->bake_frame = live.frame;
    tpi_cache_trust(cache, live.frame);
    cache->counters.frames_simulated++;
    return TP_OK;
}

/* Records and simulates in turn until end_frame is recorded. */
static tp_result bake_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    for (;;) {
        uint64_t frame = cache->bake_frame;
        bool is_due = tpi_writer_is_due(cache, frame) && !tpi_ring_exact(cache, frame);
        if (!is_due && frame >= cache->def.end_frame) return tpi_packer_finish(cache, meter);
        tp_result result =
            is_due ? bake_record(cache, source, meter) : bake_advance(cache, source, meter);
        if (result != TP_OK) return result;
    }
}

/* Starts the bake again if the source was changed since the last call. */
static void bake_check_source(tp_cache *cache, const tp_source *source)
{
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    if (live.is_trusted && live.frame == cache->bake_frame &&
        (live.is_whole || !cache->writer.active))
        return;
    tpi_writer_abandon(cache);
    cache->flags &= ~TP_CACHE_BAKING;
}

tp_result tp_cache_bake(tp_cache *cache, const tp_source *source, const tp_budget *budget)
{
    tp_result result = tpi_cache_check_work(cache, source, budget);
    if (result != TP_OK) return result;
    if (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL)) return TP_ERROR_PROTECTED;
    if (!source->advance) return TP_ERROR_SOURCE;
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    if (cache->flags & TP_CACHE_BAKING) bake_check_source(cache, source);
    if (!(cache->flags & TP_CACHE_BAKING)) result = bake_begin(cache, source, &meter);
    if (result == TP_OK) result = bake_run(cache, source, &meter);
    tpi_cache_meter_end(&meter);
    if (result == TP_MORE) return result;
    cache->flags &= ~TP_CACHE_BAKING;
    if (result == TP_OK) cache->flags |= TP_CACHE_BAKED;
    return result;
}
