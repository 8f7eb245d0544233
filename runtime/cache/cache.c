/* SPDX-License-Identifier: MIT
   runtime/cache/cache.c - a cache's block: definition checks, layout, creation, protection, report.
   reads   tp_cache_def, tp_source      writes  the block
   memory  ring_bytes + 40 bytes per frame + 12 per particle (only with identities) + 4 tiles
           + one extra block + staged groups
   cost    O(streams) to check, O(block) to create
   after   own design: one function counts the bytes and lays the block out */
#include "cache.h"

tp_cache_def tp_cache_default(const tp_source *source)
{
    tp_cache_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_CACHE;
    def.end_frame = TP_FRAME_MAX;
    def.step = 1;
    def.group_frames = 1;
    def.catchup_max = 16;
    def.frames_max = 256;
    def.ring_bytes = 1048576u;
    def.slice_units = 2048;
    if (!source) return def;
    def.schema = source->schema;
    def.particles_max = source->particles_max;
    for (uint32_t extra = 0; extra < source->schema.extra_count && extra < TP_EXTRAS_MAX; extra++) {
        uint32_t units = 1u + source->schema.extras[extra].bytes_max / 16u;
        def.slice_units = tpi_max_u32(def.slice_units, units);
    }
    return def;
}

/* ---- checks ---- */

static bool cache_name_ends(const char *name)
{
    for (uint32_t i = 0; i < TP_NAME_BYTES; i++)
        if (!name[i]) return i > 0;
    return false;
}

static const char *cache_check_partner(const tp_schema *schema, uint32_t index)
{
    const tp_stream *stream = &schema->streams[index];
    bool is_cubic = stream->interpolation == TP_INTERPOLATE_HERMITE;
    if (!is_cubic && stream->interpolation != TP_INTERPOLATE_RATE) return NULL;
    if (stream->partner >= schema->stream_count || stream->partner == index)
        return TPI_TEXT("schema.streams[].partner: the index of another stream");
    const tp_stream *partner = &schema->streams[stream->partner];
    tp_interpolation wanted = is_cubic ? TP_INTERPOLATE_RATE : TP_INTERPOLATE_HERMITE;
    if (partner->interpolation != wanted || partner->partner != index ||
        partner->components != stream->components)
        return TPI_TEXT("schema.streams[].partner: a HERMITE and a RATE stream of equal components "
                        "need each other as partner");
    return NULL;
}

static const char *cache_check_stream(const tp_schema *schema, uint32_t index)
{
    const tp_stream *stream = &schema->streams[index];
    if (!cache_name_ends(stream->name))
        return TPI_TEXT("schema.streams[].name: 1 to 15 characters and a final zero");
    if (stream->type != TP_STREAM_F32 && stream->type != TP_STREAM_U32)
        return TPI_TEXT("schema.streams[].type: TP_STREAM_F32 or TP_STREAM_U32");
    if (stream->components < 1 || stream->components > 4)
        return TPI_TEXT("schema.streams[].components: 1..4");
    if (stream->error_bound != 0.0f && !tpi_is_within(stream->error_bound, 1e-20f, 1e20f))
        return TPI_TEXT("schema.streams[].error_bound: 0, or 1e-20..1e20");
    switch (stream->interpolation) {
    case TP_INTERPOLATE_HOLD: return NULL;
    case TP_INTERPOLATE_LINEAR:
    case TP_INTERPOLATE_HERMITE:
    case TP_INTERPOLATE_RATE:
        if (stream->type != TP_STREAM_F32)
            return TPI_TEXT("schema.streams[].interpolation: this one needs TP_STREAM_F32");
        return cache_check_partner(schema, index);
    case TP_INTERPOLATE_SLERP:
        if (stream->type == TP_STREAM_F32 && stream->components == 4) return NULL;
        return TPI_TEXT(
            "schema.streams[].interpolation: SLERP needs TP_STREAM_F32 and 4 components");
    case TP_INTERPOLATE_IDENTITY:
        if (stream->type == TP_STREAM_U32 && stream->components == 1) return NULL;
        return TPI_TEXT(
            "schema.streams[].interpolation: IDENTITY needs TP_STREAM_U32 and 1 component");
    }
    return TPI_TEXT("schema.streams[].interpolation: a value of tp_interpolation");
}

static bool cache_is_flag_stream(const tp_schema *schema, uint32_t index)
{
    if (index == TP_STREAM_NONE) return true;
    return index < schema->stream_count && schema->streams[index].type == TP_STREAM_U32 &&
           schema->streams[index].components == 1;
}

static const char *cache_check_schema(const tp_schema *schema)
{
    uint32_t identities = 0;
    if (schema->stream_count < 1 || schema->stream_count > TP_STREAMS_MAX)
        return TPI_TEXT("schema.stream_count: 1..12");
    if (schema->extra_count > TP_EXTRAS_MAX) return TPI_TEXT("schema.extra_count: 0..4");
    for (uint32_t index = 0; index < schema->stream_count; index++) {
        const char *wrong = cache_check_stream(schema, index);
        if (wrong) return wrong;
        identities += schema->streams[index].interpolation == TP_INTERPOLATE_IDENTITY ? 1u : 0u;
    }
    if (identities > 1) return TPI_TEXT("schema.streams[].interpolation: at most one IDENTITY");
    for (uint32_t extra = 0; extra < schema->extra_count; extra++) {
        if (!cache_name_ends(schema->extras[extra].name))
            return TPI_TEXT("schema.extras[].name: 1 to 15 characters and a final zero");
        if (schema->extras[extra].bytes_max > 65535u * 16u)
            return TPI_TEXT("schema.extras[].bytes_max: at most 1048560");
    }
    if (!cache_is_flag_stream(schema, schema->linear_stream))
        return TPI_TEXT(
            "schema.linear_stream: a TP_STREAM_U32 stream of 1 component, or TP_STREAM_NONE");
    if (!cache_is_flag_stream(schema, schema->birth_stream))
        return TPI_TEXT(
            "schema.birth_stream: a TP_STREAM_U32 stream of 1 component, or TP_STREAM_NONE");
    if (schema->frames_per_second_numerator < 1 || schema->frames_per_second_numerator > 65535u)
        return TPI_TEXT("schema.frames_per_second_numerator: 1..65535");
    if (schema->frames_per_second_denominator < 1 || schema->frames_per_second_denominator > 65535u)
        return TPI_TEXT("schema.frames_per_second_denominator: 1..65535");
    return NULL;
}

/* Limits of the fields that concern groups. */
static const char *cache_check_groups(const tp_cache_def *def)
{
    const tp_schema *schema = &def->schema;
    uint32_t identities = 0, components = 0;
    if (def->group_frames < 1 || def->group_frames > TP_GROUP_FRAMES_MAX)
        return TPI_TEXT("group_frames: 1..64");
    if (def->recorded_streams >> schema->stream_count)
        return TPI_TEXT("recorded_streams: bits of the schema's streams");
    if (def->group_frames == 1u)
        return def->recorded_streams
                   ? TPI_TEXT("recorded_streams: 0 if group_frames is 1: all streams are kept")
                   : NULL;
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        if (schema->streams[s].interpolation == TP_INTERPOLATE_IDENTITY) identities |= 1u << s;
        components = tpi_max_u32(components, schema->streams[s].components);
    }
    if (def->recorded_streams && identities & ~def->recorded_streams)
        return TPI_TEXT("recorded_streams: must include the identity stream");
    if (def->recorded_streams == identities && identities)
        return TPI_TEXT("recorded_streams: needs a stream besides the identities");
    if (schema->stream_count == 1u && identities)
        return TPI_TEXT("recorded_streams: needs a stream besides the identities");
    if (def->frames_max < 3u * def->group_frames)
        return TPI_TEXT("frames_max: at least 3 * group_frames");
    if (def->slice_units < 64u * def->group_frames * tpi_max_u32(schema->stream_count, components))
        return TPI_TEXT("slice_units: at least 64 * group_frames times the number of streams, and "
                        "times the components of any stream");
    return NULL;
}

const char *tp_cache_check(const tp_cache_def *definition)
{
    const tp_cache_def *def = definition;
    if (!def) return TPI_TEXT("definition: pass one, made by tp_cache_default");
    if (def->stamp != TPI_STAMP_CACHE)
        return TPI_TEXT("stamp: make the definition with tp_cache_default first");
    const char *wrong = cache_check_schema(&def->schema);
    if (wrong) return wrong;
    if (def->policy != TP_CACHE_EVICT && def->policy != TP_CACHE_STOP)
        return TPI_TEXT("policy: a value of tp_cache_policy");
    if (def->end_frame > TP_FRAME_MAX) return TPI_TEXT("end_frame: at most TP_FRAME_MAX");
    if (def->start_frame > def->end_frame) return TPI_TEXT("start_frame: at most end_frame");
    if (def->step < 1 || def->step > 65535u) return TPI_TEXT("step: 1..65535");
    wrong = cache_check_groups(def);
    if (wrong) return wrong;
    if (def->is_quick > 1u) return TPI_TEXT("is_quick: 0 or 1");
    if (def->catchup_max < 1 || def->catchup_max > 65535u) return TPI_TEXT("catchup_max: 1..65535");
    if (def->particles_max > 16777215u) return TPI_TEXT("particles_max: 0..16777215");
    if (def->frames_max > 1048576u) return TPI_TEXT("frames_max: 0..1048576");
    if (def->input_bytes > 1u << 24) return TPI_TEXT("input_bytes: 0..16777216");
    if (def->ring_bytes > 0x80000000u) return TPI_TEXT("ring_bytes: 0..2^31");
    if (def->slice_units > 65536u) return TPI_TEXT("slice_units: at most 65536");
    if (def->slice_units < 64u * def->schema.stream_count)
        return TPI_TEXT("slice_units: at least 64 * stream_count");
    for (uint32_t extra = 0; extra < def->schema.extra_count; extra++)
        if (def->slice_units < 1u + def->schema.extras[extra].bytes_max / 16u)
            return TPI_TEXT(
                "slice_units: at least 1 + a sixteenth of the largest extra block's bytes");
    return NULL;
}

/* ---- layout ---- */

static tpi_cache_shape cache_shape_of(const tp_cache_def *def)
{
    const tp_schema *schema = &def->schema;
    tpi_cache_shape shape = {.identity = TP_STREAM_NONE,
                             .step_units_max = TP_TILE * schema->stream_count};
    for (uint32_t index = 0; index < schema->stream_count; index++) {
        shape.first_word[index] = shape.words;
        shape.words += schema->streams[index].components;
        if (schema->streams[index].interpolation == TP_INTERPOLATE_IDENTITY) shape.identity = index;
    }
    for (uint32_t extra = 0; extra < schema->extra_count; extra++)
        shape.extra_bytes_max = tpi_max_u32(shape.extra_bytes_max, schema->extras[extra].bytes_max);
    shape.step_units_max = tpi_max_u32(shape.step_units_max, 1u + shape.extra_bytes_max / 16u);
    shape.schema_check = tpi_schema_check(schema);
    if (def->group_frames < 2u) shape.record_bytes_max = tpi_tile_bytes_max(&shape, TP_TILE);
    tpi_group_shape(&shape, def);
    return shape;
}

/* Result of the layout; copied into the cache when it is created. */
typedef struct cache_plan {
    tpi_cache_shape shape;
    tpi_cache_offsets offsets;
} cache_plan;

/* Two groups (double buffering): one is packed while the other is filled. */
static void cache_layout_groups(cache_plan *plan, tpi_layout *layout, const tp_cache_def *def)
{
    bool is_grouped = def->group_frames > 1u;
    uint32_t tiles = is_grouped ? tpi_group_tiles(def->particles_max) : 0;
    for (uint32_t side = 0; side < 2u; side++)
        plan->offsets.groups[side] =
            tpi_layout_take(layout, "staged groups", tiles, plan->shape.staged_bytes);
    uint32_t row_bytes = TP_TILE * (2u * plan->shape.narrow + 4u * plan->shape.wide);
    plan->offsets.rows = tpi_layout_take(layout, "staged frames",
                                         (uint64_t)tiles * plan->shape.staged_rows, row_bytes);
    plan->offsets.extras = tpi_layout_take(layout, "staged extra blocks", plan->shape.staged_rows,
                                           plan->shape.staged_extra_bytes);
    plan->offsets.record =
        tpi_layout_take(layout, "packed tile", is_grouped ? plan->shape.record_bytes_max : 0, 1);
    uint32_t packs = 4u * (plan->shape.values_max + plan->shape.scratch_words);
    uint32_t work = is_grouped ? tpi_max_u32(packs, sizeof(tpi_tile_reader)) / 8u + 1u : 0;
    plan->offsets.residuals = plan->offsets.tile_reader =
        tpi_layout_take(layout, "tile in progress", work, 8);
    plan->offsets.scratch = plan->offsets.residuals + 4u * plan->shape.values_max;
}

/* Lays out the block, or counts its bytes; `plan` receives the offsets. */
static void cache_layout(cache_plan *plan, tpi_layout *layout, const tp_cache_def *def)
{
    uint32_t words = plan->shape.words * TP_TILE,
             ordered = plan->shape.identity == TP_STREAM_NONE ? 0 : def->particles_max;
    (void)tpi_layout_take(layout, "cache", 1, sizeof(tp_cache));
    plan->offsets.entries =
        tpi_layout_take(layout, "frame entries", def->frames_max, sizeof(tpi_cache_entry));
    plan->offsets.tiles[0] = tpi_layout_take(layout, "earlier tile", words, 4);
    plan->offsets.tiles[1] = tpi_layout_take(layout, "later tile", words, 4);
    plan->offsets.tiles[2] = tpi_layout_take(layout, "own tile", words, 4);
    plan->offsets.staging =
        tpi_layout_take(layout, "encoded tile",
                        tpi_max_u32(plan->shape.record_bytes_max, sizeof(tpi_pairs)) / 4u + 1u, 4);
    plan->offsets.extra = tpi_layout_take(layout, "extra block", plan->shape.extra_bytes_max, 1);
    plan->offsets.keys = tpi_layout_take(layout, "identities", ordered, 4);
    plan->offsets.order[0] = tpi_layout_take(layout, "order", ordered, 4);
    plan->offsets.order[1] = tpi_layout_take(layout, "next order", ordered, 4);
    plan->offsets.histogram =
        tpi_layout_take(layout, "order histogram", ordered ? TPI_SORT_ENTRIES : 0u,
                        tpi_cache_counts_narrow(def) ? 2u : 4u);
    plan->offsets.inputs = tpi_layout_take(layout, "inputs", def->input_bytes / 8u, 8);
    cache_layout_groups(plan, layout, def);
    plan->offsets.ring = tpi_layout_take(layout, "frames", def->ring_bytes, 1);
}

static tp_result cache_measure(const tp_cache_def *def, cache_plan *plan, tpi_layout *layout)
{
    if (!def) return TP_ERROR_NULL;
    if (def->stamp != TPI_STAMP_CACHE) return TP_ERROR_STAMP;
    if (tp_cache_check(def)) return TP_ERROR_DEFINITION;
    plan->shape = cache_shape_of(def);
    cache_layout(plan, layout, def);
    return layout->bytes > TPI_LAYOUT_MAX ? TP_ERROR_DEFINITION : TP_OK;
}

tp_result tp_cache_memory(const tp_cache_def *definition, size_t *bytes)
{
    cache_plan plan;
    tpi_layout layout = {0};
    if (!bytes) return TP_ERROR_NULL;
    *bytes = 0;
    tp_result result = cache_measure(definition, &plan, &layout);
    if (result == TP_OK) *bytes = (size_t)layout.bytes;
    return result;
}

tp_result tp_cache_memory_parts(const tp_cache_def *definition, tp_memory_part *parts,
                                uint32_t *count)
{
    cache_plan plan;
    tpi_layout layout = {.parts = parts};
    if (!parts || !count) return TP_ERROR_NULL;
    tp_result result = cache_measure(definition, &plan, &layout);
    *count = result == TP_OK ? layout.part_count : 0;
    return result;
}

tp_result tp_cache_create(const tp_cache_def *definition, void *block, size_t bytes,
                          tp_cache **cache)
{
    cache_plan plan;
    tpi_layout layout = {0};
    if (!block || !cache) return TP_ERROR_NULL;
    *cache = NULL;
    tp_result result = cache_measure(definition, &plan, &layout);
    if (result == TP_OK) result = tpi_layout_clear(&layout, block, bytes);
    if (result != TP_OK) return result;
    tp_cache *made = (tp_cache *)block;
    made->cookie = TPI_COOKIE_CACHE;
    made->layout_stamp = (uint32_t)sizeof *made;
    made->bytes = layout.bytes;
    made->def = *definition;
    made->shape = plan.shape;
    made->offsets = plan.offsets;
    *cache = made;
    return TP_OK;
}

tp_cache *tp_cache_at(void *block, size_t bytes)
{
    tp_cache *cache = (tp_cache *)block;
    if (!block || ((uintptr_t)block & 15u) || bytes < sizeof *cache) return NULL;
    return tpi_cache_check_block(cache) == TP_OK && cache->bytes <= bytes ? cache : NULL;
}

const tp_cache_def *tp_cache_definition(const tp_cache *cache)
{
    return tpi_cache_check_block(cache) == TP_OK ? &cache->def : NULL;
}

tp_result tpi_cache_check_block(const tp_cache *cache)
{
    if (!cache) return TP_ERROR_NULL;
    return cache->cookie == TPI_COOKIE_CACHE && cache->layout_stamp == sizeof *cache
               ? TP_OK
               : TP_ERROR_BLOCK;
}

/* ---- protection, clearing ---- */

void tpi_cache_trust(tp_cache *cache, uint64_t frame)
{
    cache->doubts = false;
    cache->chain = frame;
}

void tpi_cache_distrust(tp_cache *cache)
{
    cache->doubts = true;
    cache->trusted = TPI_CACHE_NO_FRAME;
    cache->stride = 0;
}

static bool cache_is_protected(const tp_cache *cache)
{
    return (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL)) != 0;
}

tp_result tp_cache_protect(tp_cache *cache, bool is_external)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    tpi_writer_abandon(cache);
    cache->flags &= ~(TP_CACHE_BAKING | TP_CACHE_EXTERNAL);
    cache->flags |= is_external ? TP_CACHE_BAKED | TP_CACHE_EXTERNAL : TP_CACHE_BAKED;
    return TP_OK;
}

tp_result tp_cache_unprotect(tp_cache *cache)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (cache->flags & TP_CACHE_BAKING) tpi_writer_abandon(cache);
    cache->flags &= ~(TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING);
    return TP_OK;
}

void tpi_cache_clear_frames(tp_cache *cache)
{
    tpi_writer_abandon(cache);
    tpi_ring_drop_from(cache, 0);
    cache->flags &= ~TP_CACHE_EDITED;
}

void tpi_cache_drop_later(tp_cache *cache, uint64_t frame)
{
    tpi_ring_drop_from(cache, frame + 1u);
    tpi_inputs_drop_from(cache, frame);
}

tp_result tp_cache_clear(tp_cache *cache)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (cache_is_protected(cache)) return TP_ERROR_PROTECTED;
    cache->flags &= ~TP_CACHE_BAKING;
    tpi_cache_clear_frames(cache);
    cache->inputs = (tpi_cache_inputs){0};
    return TP_OK;
}

tp_result tp_cache_clear_after(tp_cache *cache, uint64_t frame)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (cache_is_protected(cache)) return TP_ERROR_PROTECTED;
    cache->flags &= ~TP_CACHE_BAKING;
    if (cache->writer.active && cache->writer.log.frame > frame) tpi_writer_abandon(cache);
    if (cache->chain != TPI_CACHE_NO_FRAME && cache->chain > frame) cache->chain = frame;
    if (frame < TP_FRAME_MAX) tpi_ring_drop_from(cache, frame + 1u);
    return TP_OK;
}

tp_result tp_cache_clear_before(tp_cache *cache, uint64_t frame)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (cache_is_protected(cache)) return TP_ERROR_PROTECTED;
    cache->flags &= ~TP_CACHE_BAKING;
    tpi_writer_abandon(cache); /* the group that it writes may be dropped */
    while (cache->entry_count && tpi_ring_entry(cache, 0)->frame < frame)
        (void)tpi_ring_drop_oldest(cache);
    return TP_OK;
}

tp_result tp_cache_clear_frame(tp_cache *cache, uint64_t frame)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (cache_is_protected(cache)) return TP_ERROR_PROTECTED;
    tpi_cache_entry *entry = tpi_ring_exact(cache, frame);
    if (!entry) return TP_ERROR_FRAME;
    tpi_writer_abandon(cache); /* the group that it writes may be dropped */
    cache->flags &= ~TP_CACHE_BAKING;
    entry->is_valid = 0;
    cache->counters.frames--;
    while (cache->entry_count && !tpi_ring_entry(cache, 0)->is_valid)
        (void)tpi_ring_drop_oldest(cache);
    return TP_OK;
}

tp_result tp_cache_changed(tp_cache *cache, uint64_t frame)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (!cache_is_protected(cache)) {
        result = tp_cache_clear_after(cache, frame);
        bool has_less =
            cache->doubts && (cache->trusted == TPI_CACHE_NO_FRAME || cache->trusted < frame);
        if (!has_less) cache->trusted = frame;
        cache->doubts = true;
    }
    cache->flags |= TP_CACHE_OUTDATED;
    return result;
}

tp_result tp_cache_detach(tp_cache *cache)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    tpi_writer_abandon(cache);
    cache->restorer.active = false;
    tpi_cache_distrust(cache);
    /* the source's next state does not follow from the last one seen */
    cache->chain = TPI_CACHE_NO_FRAME;
    cache->inputs.begun = 0;
    return TP_OK;
}

/* ---- report ---- */

tp_cache_counters tp_cache_report(const tp_cache *cache)
{
    tp_cache_counters counters = {0};
    if (tpi_cache_check_block(cache) != TP_OK) return counters;
    counters = cache->counters;
    counters.flags = cache->flags;
    counters.bytes = cache->used;
    counters.inputs = tpi_inputs_count(cache);
    counters.input_bytes = cache->inputs.used;
    const tpi_cache_entry *first = tpi_ring_behind(cache, 0),
                          *last = tpi_ring_before(cache, TP_FRAME_MAX);
    if (first) counters.frame_first = first->frame;
    if (last) counters.frame_last = last->frame;
    return counters;
}

tp_result tp_cache_frame_at(const tp_cache *cache, uint32_t index, tp_cache_frame *frame)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (!frame) return TP_ERROR_NULL;
    if (index >= cache->entry_count) return TP_ERROR_FRAME;
    const tpi_cache_entry *entry = tpi_ring_entry(cache, index);
    *frame = (tp_cache_frame){entry->frame, entry->bytes, entry->count, entry->is_valid != 0};
    return TP_OK;
}

bool tp_cache_has(const tp_cache *cache, uint64_t frame)
{
    return tpi_cache_check_block(cache) == TP_OK && tpi_ring_exact(cache, frame) != NULL;
}
