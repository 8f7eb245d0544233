/* SPDX-License-Identifier: MIT
   runtime/cache/input.c - log of the game's inputs, replayed when frames are simulated again.
   reads   the source      writes  the input log
   memory  input_bytes
   cost    O(input_bytes) to add or drop; 1 unit + bytes / 16 to replay an input
   after   deterministic replay: a bit-exact simulation repeats its states from the same inputs */
#include "cache.h"

static uint8_t *input_at(const tp_cache *cache, uint32_t offset)
{
    return tpi_cache_bytes(cache, cache->offsets.inputs) + offset;
}

static uint64_t input_frame(const tp_cache *cache, uint32_t offset)
{
    return tpi_load_u64(input_at(cache, offset));
}

static uint32_t input_bytes(const tp_cache *cache, uint32_t offset)
{
    return tpi_load_u32(input_at(cache, offset) + 8);
}

static bool input_is_recorded(const tp_cache *cache, uint32_t offset)
{
    return tpi_load_u32(input_at(cache, offset) + 12) != 0;
}

static uint32_t input_size(uint32_t bytes) { return TPI_INPUT_BYTES + ((bytes + 7u) & ~7u); }

static uint32_t input_next(const tp_cache *cache, uint32_t offset)
{
    return offset + input_size(input_bytes(cache, offset));
}

/* Offset of the first input in or after this frame. */
static uint32_t input_first_from(const tp_cache *cache, uint64_t frame)
{
    uint32_t offset = 0;
    while (offset < cache->inputs.used && input_frame(cache, offset) < frame)
        offset = input_next(cache, offset);
    return offset;
}

/* Offset of the first input from this frame on that its recorded state does not include. */
static uint32_t input_first_behind(const tp_cache *cache, uint64_t frame)
{
    uint32_t offset = input_first_from(cache, frame);
    while (offset < cache->inputs.used && input_frame(cache, offset) == frame &&
           input_is_recorded(cache, offset))
        offset = input_next(cache, offset);
    return offset;
}

/* Offset of the first input to replay after reaching this frame: if it is recorded, after the
   inputs of its recorded state; if it is simulated, before all of its inputs. */
static uint32_t input_first_in(const tp_cache *cache, uint64_t frame)
{
    return tpi_ring_exact(cache, frame) ? input_first_behind(cache, frame)
                                        : input_first_from(cache, frame);
}

bool tpi_inputs_are_done(const tp_cache *cache, uint64_t frame)
{
    const tpi_cache_inputs *inputs = &cache->inputs;
    bool has_refused = inputs->is_past_gap && inputs->gap_end == frame + 1u;
    return has_refused || input_first_in(cache, frame) < inputs->done;
}

uint64_t tpi_inputs_behind(const tp_cache *cache, uint64_t frame)
{
    uint32_t offset = cache->inputs.done;
    while (offset < cache->inputs.used && input_frame(cache, offset) <= frame)
        offset = input_next(cache, offset);
    return offset < cache->inputs.used ? input_frame(cache, offset) : TPI_CACHE_NO_FRAME;
}

uint32_t tpi_inputs_count(const tp_cache *cache)
{
    uint32_t count = 0;
    for (uint32_t offset = 0; offset < cache->inputs.used; offset = input_next(cache, offset))
        count++;
    return count;
}

/* ---- refused inputs: a gap of frames across which no call simulates ---- */

bool tpi_inputs_are_known(const tp_cache *cache, uint64_t from, uint64_t to)
{
    return from >= cache->inputs.gap_end || to <= cache->inputs.gap;
}

bool tpi_inputs_are_known_ahead(const tp_cache *cache, uint64_t from, uint64_t to)
{
    return cache->inputs.is_past_gap || tpi_inputs_are_known(cache, from, to);
}

/* Only a restart can reach frames before the oldest recorded one. A gap there is treated like a
   dropped input (has_lost), and a new gap begins. */
static void input_refuse(tp_cache *cache, uint64_t frame)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    const tpi_cache_entry *oldest = tpi_ring_behind(cache, 0);
    bool is_over = oldest && inputs->gap_end <= oldest->frame;
    if (inputs->gap_end && is_over) inputs->has_lost = true;
    if (inputs->gap_end == 0 || is_over) inputs->gap = frame;
    inputs->gap_end = frame + 1u;
    inputs->is_past_gap = true;
    cache->counters.inputs_refused++;
}

/* A new history begins at this frame: truncates the gap. */
static void input_end_gap(tp_cache *cache, uint64_t frame)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    if (inputs->gap_end > frame) inputs->gap_end = frame;
    if (inputs->gap >= inputs->gap_end) inputs->gap = inputs->gap_end = 0;
}

/* ---- the source's position in the log ---- */

void tpi_inputs_rewind(tp_cache *cache, uint64_t frame)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    inputs->done = input_first_behind(cache, frame);
    inputs->is_past_gap = frame >= inputs->gap_end;
    inputs->begun = 0;
}

void tpi_inputs_drop_from(tp_cache *cache, uint64_t frame)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    inputs->used = input_first_in(cache, frame);
    inputs->done = tpi_min_u32(inputs->done, inputs->used);
    input_end_gap(cache, frame);
}

void tpi_inputs_restart(tp_cache *cache)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    if (inputs->has_lost || inputs->gap_end) *inputs = (tpi_cache_inputs){0};
    inputs->done = 0;
    inputs->begun = 0;
}

/* True if the source may have been simulated from the frame seen last: no recorded frame lies
   between. Trust does not matter, because the game may have changed the state itself. */
static bool input_goes_on(const tp_cache *cache, uint64_t frame)
{
    if (frame <= cache->chain) return false;
    const tpi_cache_entry *next = tpi_ring_behind(cache, cache->chain + 1u);
    return !next || next->frame > frame;
}

void tpi_inputs_leave(tp_cache *cache, uint64_t frame)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    if (!input_goes_on(cache, frame)) return;
    if (inputs->done < inputs->used && input_frame(cache, inputs->done) < frame)
        inputs->used = inputs->done;
    if (!inputs->is_past_gap && inputs->gap < frame) input_end_gap(cache, cache->chain);
}

void tpi_inputs_follow(tp_cache *cache, uint64_t frame)
{
    if (frame == cache->chain) return;
    if (input_goes_on(cache, frame))
        tpi_inputs_leave(cache, frame);
    else
        tpi_inputs_rewind(cache, frame);
}

void tpi_inputs_recorded(tp_cache *cache, uint64_t frame)
{
    const tpi_cache_inputs *inputs = &cache->inputs;
    uint32_t offset = input_first_from(cache, frame);
    for (; offset < inputs->used && input_frame(cache, offset) == frame;
         offset = input_next(cache, offset))
        tpi_store_u32(input_at(cache, offset) + 12, offset < inputs->done ? 1u : 0u);
}

tp_result tpi_inputs_redo(tp_cache *cache, const tp_source *source, uint64_t frame,
                          tpi_cache_meter *meter)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    while (inputs->done < inputs->used && input_frame(cache, inputs->done) <= frame) {
        uint32_t bytes = input_bytes(cache, inputs->done);
        if (!source->input) return TP_ERROR_SOURCE;
        if (!tpi_cache_meter_may(meter, TP_STAGE_CACHE_READ)) return TP_MORE;
        tp_result result =
            source->input(source->context, input_at(cache, inputs->done) + TPI_INPUT_BYTES, bytes);
        tpi_cache_meter_spend(meter, TP_STAGE_CACHE_READ, 1u + bytes / 16u);
        if (result != TP_OK) return result < TP_OK ? result : TP_ERROR_SOURCE;
        inputs->done = input_next(cache, inputs->done);
        inputs->begun = frame + 1u;
        cache->counters.inputs_replayed++;
    }
    return TP_OK;
}

/* Drops inputs before the oldest recorded state, which can only be replayed after a restart, until
   `size` more bytes fit. False: they do not fit. */
static bool input_reserve(tp_cache *cache, uint32_t size)
{
    tpi_cache_inputs *inputs = &cache->inputs;
    const tpi_cache_entry *oldest = tpi_ring_behind(cache, 0);
    uint32_t limit = cache->def.input_bytes & ~7u;
    if (size > limit) return false;
    if (inputs->used + size <= limit) return true;
    uint32_t dropped = oldest ? input_first_behind(cache, oldest->frame) : inputs->used;
    if (dropped) inputs->has_lost = true;
    inputs->used -= dropped;
    inputs->done -= tpi_min_u32(inputs->done, dropped);
    tpi_memmove(input_at(cache, 0), input_at(cache, dropped), inputs->used);
    return inputs->used + size <= limit;
}

static tp_result input_check(const tp_cache *cache, const tp_source *source,
                             const tpi_cache_live *live)
{
    if (!source->input) return TP_ERROR_SOURCE;
    if (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING))
        return TP_ERROR_PROTECTED;
    bool is_recorded = !tpi_writer_is_due(cache, live->frame) || tpi_ring_exact(cache, live->frame);
    return live->is_whole && is_recorded ? TP_OK : TP_ERROR_FRAME;
}

tp_result tp_cache_input(tp_cache *cache, const tp_source *source, const void *data, uint32_t bytes)
{
    tp_result result = tpi_cache_check_call(cache, source);
    if (result != TP_OK) return result;
    if (bytes > TP_INPUT_BYTES_MAX) return TP_ERROR_DEFINITION;
    if (!data && bytes) return TP_ERROR_NULL;
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    result = input_check(cache, source, &live);
    if (result != TP_OK) return result;
    tpi_inputs_follow(cache, live.frame);
    tpi_cache_trust(cache, live.frame);
    tpi_writer_abandon(cache); /* the group that it writes may be dropped */
    tpi_ring_drop_from(cache, live.frame + 1u);
    tpi_inputs_drop_from(cache, live.frame + 1u);
    cache->inputs.used = cache->inputs.done; /* later inputs belong to another history */
    if (!cache->inputs.is_past_gap) input_end_gap(cache, live.frame);
    if (!input_reserve(cache, input_size(bytes))) {
        input_refuse(cache, live.frame);
        return TP_ERROR_FULL;
    }
    uint8_t *to = input_at(cache, cache->inputs.used);
    tpi_store_u64(to, live.frame);
    tpi_store_u32(to + 8, bytes);
    tpi_store_u32(to + 12, 0);
    if (bytes) tpi_memcpy(to + TPI_INPUT_BYTES, data, bytes);
    cache->inputs.used += input_size(bytes);
    cache->inputs.done = cache->inputs.used;
    return TP_OK;
}
