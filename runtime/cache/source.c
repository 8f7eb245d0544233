/* SPDX-License-Identifier: MIT
   runtime/cache/source.c - calls of a source: check the schema, read the frame, advance, restart.
   reads   tp_source      writes  the source; whether the cache trusts its state
   memory  none           cost    O(streams), and the source's own
   after   own design: the schema's hash covers values, not bytes, because padding differs */
#include "cache.h"

static uint64_t source_name(uint64_t check, const char *name)
{
    for (uint32_t i = 0; i < TP_NAME_BYTES && name[i]; i++)
        check = tpi_mix_word(check, (uint8_t)name[i]);
    return tpi_mix_word(check, 0x100u);
}

uint64_t tpi_schema_check(const tp_schema *schema)
{
    uint64_t check = tpi_mix_word(schema->stream_count, schema->extra_count);
    for (uint32_t index = 0; index < schema->stream_count && index < TP_STREAMS_MAX; index++) {
        const tp_stream *stream = &schema->streams[index];
        check = tpi_mix_word(source_name(check, stream->name),
                             (uint64_t)stream->type << 32 | stream->components);
        check = tpi_mix_word(tpi_mix_word(check, (uint64_t)stream->interpolation),
                             tpi_bits(stream->error_bound));
        bool has_partner = stream->interpolation == TP_INTERPOLATE_HERMITE ||
                           stream->interpolation == TP_INTERPOLATE_RATE;
        check = tpi_mix_word(check, has_partner ? stream->partner : TP_STREAM_NONE);
    }
    for (uint32_t extra = 0; extra < schema->extra_count && extra < TP_EXTRAS_MAX; extra++)
        check = tpi_mix_word(source_name(check, schema->extras[extra].name),
                             schema->extras[extra].bytes_max);
    check = tpi_mix_word(tpi_mix_word(check, schema->linear_stream), schema->linear_mask);
    check = tpi_mix_word(tpi_mix_word(check, schema->birth_stream),
                         schema->frames_per_second_numerator);
    return tpi_mix_word(check, schema->frames_per_second_denominator);
}

tp_result tpi_cache_check_source(const tp_cache *cache, const tp_source *source)
{
    if (tpi_schema_check(&source->schema) != cache->shape.schema_check) return TP_ERROR_SOURCE;
    bool needs_extra = source->schema.extra_count > 0;
    if (!source->frame || !source->count || !source->read || (needs_extra && !source->extra_read))
        return TP_ERROR_SOURCE;
    return TP_OK;
}

tpi_cache_live tpi_cache_live_of(const tp_cache *cache, const tp_source *source)
{
    tpi_cache_live live = {0, false, true};
    live.is_whole = source->frame(source->context, &live.frame);
    /* replayed inputs have changed the state of that frame */
    if (cache->inputs.begun == live.frame + 1u) live.is_whole = false;
    if (cache->doubts)
        live.is_trusted = cache->trusted != TPI_CACHE_NO_FRAME && live.frame <= cache->trusted;
    return live;
}

tp_result tpi_cache_check_call(const tp_cache *cache, const tp_source *source)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    return source ? tpi_cache_check_source(cache, source) : TP_ERROR_NULL;
}

tp_result tpi_cache_check_work(const tp_cache *cache, const tp_source *source,
                               const tp_budget *budget)
{
    tp_result result = tpi_cache_check_call(cache, source);
    return result == TP_OK ? tpi_check_budget(budget) : result;
}

bool tpi_cache_can_restore(const tp_cache *cache, const tp_source *source)
{
    bool has_extras = source->schema.extra_count > 0;
    if (tpi_cache_is_grouped(cache) && !cache->shape.is_exact) return false;
    return source->restore_begin && source->write && source->restore_end &&
           (source->extra_write || !has_extras);
}

tp_result tpi_source_advance(tp_cache *cache, const tp_source *source, uint32_t stride,
                             tpi_cache_meter *meter)
{
    tpi_cache_live live;
    uint64_t units = 0, before = 0;
    tp_budget rest;
    bool is_begin = source->frame(source->context, &before);
    tp_result result = is_begin ? tpi_inputs_redo(cache, source, before, meter) : TP_OK;
    if (result != TP_OK) return result;
    if (!tpi_cache_meter_rest(meter, &rest)) return TP_MORE;
    if (is_begin || cache->stride == 0) cache->stride = is_begin ? stride : 1u;
    if (cache->stride > 1u && !source->jump) return TP_ERROR_SOURCE;
    result = cache->stride > 1u ? source->jump(source->context, cache->stride, &rest, &units)
                                : source->advance(source->context, &rest, &units);
    tpi_cache_meter_source(meter, units);
    if (result != TP_OK) return result;
    cache->inputs.begun = 0;
    live = tpi_cache_live_of(cache, source);
    tpi_cache_trust(cache, live.frame);
    if (!live.is_whole || live.frame != before + cache->stride) return TP_ERROR_SOURCE;
    if (cache->stride > 1u) cache->flags |= TP_CACHE_QUICK;
    cache->stride = 0;
    cache->counters.frames_simulated++;
    return TP_OK;
}

/* Recorded frames are dropped: they are later than the start, and a new recording must be the
   newest frame. */
tp_result tpi_source_restart(tp_cache *cache, const tp_source *source)
{
    tp_result result = source->restart(source->context);
    if (result != TP_OK) return result;
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    tpi_cache_trust(cache, live.frame);
    if (!live.is_whole || live.frame > cache->def.start_frame) return TP_ERROR_SOURCE;
    cache->counters.restarts++;
    cache->request_restarted = true;
    tpi_cache_clear_frames(cache);
    cache->flags &= ~TP_CACHE_OUTDATED;
    tpi_inputs_restart(cache);
    return TP_OK;
}
