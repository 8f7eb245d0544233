/* SPDX-License-Identifier: MIT
   runtime/cache/resume.c - seeks to any frame: restores a recorded one, then replays the inputs.
   reads   the ring, the inputs      writes  the source
   memory  none of its own           cost    a restore and at most step - 1 frames of the source
   after   own design, key frames and replay; keeps no state between calls but the source's frame
           and trust */
#include "cache.h"

/* True if the source need not be restored: its state is trusted, lies between the recorded and the
   requested frame, and does not include inputs that come after the requested frame. */
static bool resume_goes_on(const tp_cache *cache, const tpi_cache_live *live,
                           const tpi_cache_entry *entry, uint64_t frame)
{
    if (cache->restorer.active || !live->is_trusted || live->frame < entry->frame ||
        live->frame > frame)
        return false;
    if (live->frame < frame)
        return live->frame <= cache->chain && tpi_inputs_are_known_ahead(cache, live->frame, frame);
    return live->is_whole && !tpi_inputs_are_done(cache, frame);
}

static tp_result resume_restore(tp_cache *cache, const tp_source *source,
                                const tpi_cache_entry *entry, tpi_cache_meter *meter)
{
    tpi_restorer_begin(cache, entry);
    return tpi_restorer_run(cache, source, meter);
}

/* True if the frame is less than `step` frames after the newest entry, which may be damaged. A
   later frame would have its own entry. */
static bool resume_is_inside(const tp_cache *cache, uint64_t frame)
{
    uint64_t newest = tpi_ring_entry(cache, cache->entry_count - 1u)->frame;
    return frame <= newest || frame - newest < cache->def.step;
}

static tp_result resume_run(tp_cache *cache, const tp_source *source, uint64_t frame,
                            tpi_cache_meter *meter)
{
    for (;;) {
        const tpi_cache_entry *entry = tpi_ring_before(cache, frame);
        tpi_cache_live live = tpi_cache_live_of(cache, source);
        tp_result result;
        if (!entry || !resume_is_inside(cache, frame)) return TP_ERROR_FRAME;
        bool goes_on = resume_goes_on(cache, &live, entry, frame);
        if (!goes_on && !tpi_inputs_are_known(cache, entry->frame, frame)) return TP_ERROR_FRAME;
        if (!goes_on)
            result = resume_restore(cache, source, entry, meter);
        else if (live.frame == frame)
            return TP_OK;
        else
            result = tpi_source_advance(cache, source, 1, meter);
        bool is_damaged = result == TP_ERROR_FRAME; /* invalid now: try the frame before it */
        if (result != TP_OK && !is_damaged) return result;
    }
}

tp_result tp_cache_resume(tp_cache *cache, const tp_source *source, uint64_t frame,
                          bool drops_later, const tp_budget *budget)
{
    tp_result result = tpi_cache_check_work(cache, source, budget);
    if (result != TP_OK) return result;
    uint32_t locks =
        drops_later ? TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING : TP_CACHE_BAKING;
    if (cache->flags & locks) return TP_ERROR_PROTECTED;
    if (!tpi_cache_can_restore(cache, source) || !source->advance) return TP_ERROR_SOURCE;
    tpi_inputs_leave(cache, tpi_cache_live_of(cache, source).frame);
    tpi_writer_abandon(cache);
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    result = resume_run(cache, source, frame, &meter);
    tpi_cache_meter_end(&meter);
    if (result == TP_OK && drops_later) tpi_cache_drop_later(cache, frame);
    return result;
}
