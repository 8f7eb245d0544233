/* SPDX-License-Identifier: MIT
   runtime/cache/pack.c - encodes staged groups into the ring with the codec, decodes their frames.
   reads   staged groups, the ring      writes  the ring, the index; planes of a tile
   memory  residuals and symbols of a tile, one record, one tile reader
   cost    packing: 1 unit per slot, frame and component; reading: 1 unit per slot, stream and
           frame, from the group's first frame to the one that is read
   after   own design: online encoding. It takes the nearest lattice point, unlike the clip encoder
           in host_tools/clip, which searches for cheap residuals within the error bound */
#include "cache.h"

/* ---- packing: one stream of one tile ---- */

typedef struct pack_tile {
    tp_cache *cache;
    uint32_t tile, slots;
    tpi_tile_plan plan;
} pack_tile;

static const tpi_cache_group *pack_group(const tp_cache *cache)
{
    return &cache->groups[cache->packer.side];
}

static bool pack_is_identity(const tp_cache *cache, uint32_t stream)
{
    return stream == cache->shape.identity;
}

/* Begins the plan of a stream. All streams share the slots' lifetimes, except identities: these
   are stored once per group. */
static void pack_begin(pack_tile *pack, uint32_t stream)
{
    tp_cache *cache = pack->cache;
    const tpi_cache_group *group = pack_group(cache);
    tpi_tile_plan *plan = &pack->plan;
    bool is_once = pack_is_identity(cache, stream);
    pack->slots = tpi_min_u32(TP_TILE, group->slots - pack->tile * TP_TILE);
    *plan = (tpi_tile_plan){
        .points = pack->slots,
        .frames = is_once ? 1u : group->frames,
        .components = cache->def.schema.streams[stream].components,
        .residuals = (int32_t *)(void *)tpi_cache_words(cache, cache->offsets.residuals)};
    if (is_once)
        tpi_memset(plan->end, 1, pack->slots);
    else
        plan->has_lives = tpi_group_lives(cache, cache->packer.side, pack->tile, pack->slots,
                                          plan->first, plan->end);
}

/* Copies a component's lattice coordinates, or its words as integers, to the rows of the plan. */
static void pack_take(pack_tile *pack, uint32_t stream, uint32_t component)
{
    tpi_group_plane from = {pack->cache->packer.side, pack->tile, stream, component};
    tpi_group_take(pack->cache, &from, pack->plan.frames, tpi_plan_row(&pack->plan, 0, component),
                   pack->plan.components * TPI_TILE_POINTS);
}

/* Gathers a sample: the coordinates of every eighth slot from its birth on, interleaved. */
static void pack_sample(const pack_tile *pack, uint32_t component, int32_t *coordinates,
                        uint32_t *lives)
{
    const tpi_tile_plan *plan = &pack->plan;
    for (uint32_t k = 0; k < TPI_PLAN_TOGETHER; k++) {
        uint32_t p = k * (TP_TILE / TPI_PLAN_TOGETHER);
        lives[k] = p < plan->points ? (uint32_t)plan->end[p] - plan->first[p] : 0;
        for (uint32_t f = 0; f < plan->frames; f++)
            coordinates[f * TPI_PLAN_TOGETHER + k] =
                f < lives[k] ? tpi_plan_row(plan, plan->first[p] + f, component)[p] : 0;
    }
}

/* The predictor whose residuals need the fewest bits on a sample of slots. */
static uint8_t pack_predictor(const pack_tile *pack, uint32_t component)
{
    static const uint8_t predictors[] = {0, 4, 7, 5};
    uint32_t lives[TPI_PLAN_TOGETHER], least = UINT32_MAX;
    uint8_t best = predictors[0];
    int32_t *coordinates =
        (int32_t *)(void *)tpi_cache_words(pack->cache, pack->cache->offsets.scratch);
    if (pack->plan.frames < 3u) return best;
    pack_sample(pack, component, coordinates, lives);
    for (uint32_t k = 0; k < sizeof predictors && least; k++) {
        uint32_t bits = tpi_plan_try(coordinates, lives, pack->plan.frames, predictors[k]);
        if (bits < least) least = bits, best = predictors[k];
    }
    return best;
}

static void pack_component(pack_tile *pack, uint32_t stream, uint32_t component)
{
    tpi_tile_component *how = &pack->plan.component[component];
    pack_take(pack, stream, component);
    how->predictor = pack_predictor(pack, component);
    how->mode = tpi_plan_tracks(&pack->plan, component) ? TPI_TILE_CODED : TPI_TILE_CONSTANT;
    tpi_plan_starts(&pack->plan, component);
    how->is_exact = !tpi_is_bounded(&pack->cache->def.schema.streams[stream]);
}

/* Stores a component raw, 4 bytes per value: used if the coders would need more. */
static void pack_raw(pack_tile *pack, uint32_t stream, uint32_t component)
{
    const tp_stream *description = &pack->cache->def.schema.streams[stream];
    bool is_bounded = tpi_is_bounded(description), is_float = description->type == TP_STREAM_F32;
    float step = 8.0f * pack_group(pack->cache)->quarter[stream];
    pack->plan.component[component] = (tpi_tile_component){.mode = TPI_TILE_RAW};
    pack_take(pack, stream, component);
    for (uint32_t f = 0; f < pack->plan.frames; f++)
        for (uint32_t p = 0; p < pack->slots; p++) {
            int32_t *word = tpi_plan_row(&pack->plan, f, component) + p;
            if (f < pack->plan.first[p] || f >= pack->plan.end[p])
                *word = 0;
            else if (is_bounded)
                *word = (int32_t)tpi_bits(0.0f + step * (float)*word);
            else if (is_float)
                *word = tpi_ordered_bits(*word);
        }
}

/* Appends the stream's tile to the record. */
static void pack_stream(tp_cache *cache, uint32_t stream)
{
    tpi_cache_packer *packer = &cache->packer;
    pack_tile pack = {.cache = cache, .tile = packer->tile};
    uint32_t *scratch = tpi_cache_words(cache, cache->offsets.scratch),
             words = cache->shape.scratch_words;
    uint8_t *record = tpi_cache_bytes(cache, cache->offsets.record) + packer->size;
    uint32_t capacity = cache->shape.record_bytes_max - packer->size - TPI_GROUP_STREAM_BYTES,
             size = 0;
    pack_begin(&pack, stream);
    capacity = tpi_min_u32(
        capacity, tpi_group_tile_bytes_max(pack.slots, pack.plan.frames, pack.plan.components));
    for (uint32_t c = 0; c < pack.plan.components; c++) pack_component(&pack, stream, c);
    size = tpi_tile_write(&pack.plan, scratch, words, record + TPI_GROUP_STREAM_BYTES, capacity);
    if (size == 0) {
        for (uint32_t c = 0; c < pack.plan.components; c++) pack_raw(&pack, stream, c);
        size =
            tpi_tile_write(&pack.plan, scratch, words, record + TPI_GROUP_STREAM_BYTES, capacity);
    }
    tpi_store_u32(record, size);
    tpi_store_u32(record + 4, tpi_bits(pack_group(cache)->quarter[stream]));
    packer->size += TPI_GROUP_STREAM_BYTES + size;
    packer->units = pack.slots * pack.plan.frames * pack.plan.components;
}

/* ---- packing: a group ---- */

static uint32_t pack_next_stream(const tp_cache *cache, uint32_t stream)
{
    while (stream < cache->def.schema.stream_count && !tpi_is_recorded(cache, stream)) stream++;
    return stream;
}

static bool pack_is_waiting(const tpi_cache_group *group)
{
    return group->serial && group->is_closed;
}

bool tpi_packer_is_stuck(const tp_cache *cache)
{
    return cache->packer.has_failed && tpi_ring_keeps_all(cache);
}

bool tpi_packer_is_due(const tp_cache *cache)
{
    if (!tpi_cache_is_grouped(cache) || tpi_packer_is_stuck(cache)) return false;
    return cache->packer.active || pack_is_waiting(&cache->groups[0]) ||
           pack_is_waiting(&cache->groups[1]);
}

/* Begins to pack the older of the waiting groups. */
static void pack_start(tp_cache *cache)
{
    const tpi_cache_group *groups = cache->groups;
    uint32_t side = pack_is_waiting(&groups[0]) ? 0 : 1u;
    if (pack_is_waiting(&groups[0]) && pack_is_waiting(&groups[1]))
        side = groups[1].serial < groups[0].serial;
    cache->packer =
        (tpi_cache_packer){.active = true, .side = side, .log.frame = groups[side].first_frame};
    cache->packer.stream = pack_next_stream(cache, 0);
}

/* The ring is full. If eviction is not allowed, the group stays staged and readable until frames
   are dropped. Else the group is larger than the whole ring, and its frames are lost. */
static void pack_fail(tp_cache *cache)
{
    uint64_t serial = pack_group(cache)->serial;
    cache->packer.active = false;
    if (tpi_ring_keeps_all(cache)) {
        cache->packer.has_failed = true;
        return;
    }
    while (cache->entry_count && tpi_ring_entry(cache, 0)->group == serial) {
        tpi_ring_evict(cache);
        cache->counters.frames_evicted--;
        cache->counters.frames_refused++;
    }
}

/* Writes the header and sets the ring offset of the group's frames in the index. */
static void pack_publish(tp_cache *cache)
{
    tpi_cache_group *group = &cache->groups[cache->packer.side];
    tpi_cache_log *log = &cache->packer.log;
    uint8_t header[TPI_CACHE_HEADER_BYTES];
    tpi_cache_entry whole = {.frame = log->frame, .bytes = log->bytes, .count = group->slots};
    uint32_t offset = tpi_ring_after(cache, cache->start, cache->used);
    tpi_frame_header(cache, &whole, log->records, header);
    tpi_ring_write(cache, offset, header, TPI_CACHE_HEADER_BYTES);
    uint32_t index = tpi_ring_last_at(cache, group->first_frame);
    if (index == cache->entry_count) index = 0; /* the group's first frames were dropped */
    for (uint32_t left = group->frames + 1u; left && index < cache->entry_count; index++, left--) {
        tpi_cache_entry *entry = tpi_ring_entry(cache, index);
        if (entry->group != group->serial) continue;
        entry->offset = offset;
        entry->bytes = log->bytes;
    }
    cache->used += log->bytes;
    cache->counters.bytes_peak = tpi_max_u32(cache->counters.bytes_peak, cache->used);
    cache->counters.bytes_written += log->bytes;
    *group = (tpi_cache_group){0};
    cache->packer.active = false;
}

/* Reserves the header, which is written last. */
static uint32_t pack_begin_log(tp_cache *cache)
{
    pack_start(cache);
    if (tpi_ring_reserve(cache, &cache->packer.log, TPI_CACHE_HEADER_BYTES))
        cache->packer.log.bytes = TPI_CACHE_HEADER_BYTES;
    else
        pack_fail(cache);
    return 1;
}

static void pack_end_tile(tp_cache *cache)
{
    tpi_cache_packer *packer = &cache->packer;
    const uint8_t *record = tpi_cache_bytes(cache, cache->offsets.record);
    if (!tpi_ring_add_record(cache, &packer->log, record, packer->size)) {
        pack_fail(cache);
        return;
    }
    packer->stream = pack_next_stream(cache, 0);
    packer->size = 0;
    packer->tile++;
}

static uint32_t pack_extra(tp_cache *cache)
{
    uint8_t *record = tpi_cache_bytes(cache, cache->offsets.record);
    uint32_t units, size = tpi_extra_pack(cache, cache->packer.extra++, record, &units);
    if (!tpi_ring_add_record(cache, &cache->packer.log, record, size)) pack_fail(cache);
    return units;
}

uint32_t tpi_packer_step(tp_cache *cache)
{
    tpi_cache_packer *packer = &cache->packer;
    if (!packer->active) return pack_begin_log(cache);
    packer->units = 1;
    if (packer->tile == tpi_group_tiles(pack_group(cache)->slots)) {
        if (packer->extra < tpi_cache_extras(cache) * pack_group(cache)->frames)
            return pack_extra(cache);
        pack_publish(cache);
        return 1;
    }
    if (packer->stream < cache->def.schema.stream_count) {
        pack_stream(cache, packer->stream);
        packer->stream = pack_next_stream(cache, packer->stream + 1u);
    } else {
        pack_end_tile(cache);
    }
    return packer->units;
}

tp_result tpi_packer_finish(tp_cache *cache, tpi_cache_meter *meter)
{
    if (!tpi_cache_is_grouped(cache)) return TP_OK;
    if (!cache->writer.active) tpi_group_close(cache);
    while (tpi_packer_is_due(cache) && tpi_cache_meter_may(meter, TP_STAGE_CACHE_WRITE))
        tpi_cache_meter_spend(meter, TP_STAGE_CACHE_WRITE, tpi_packer_step(cache));
    if (tpi_packer_is_stuck(cache)) return TP_ERROR_FULL;
    return tpi_packer_is_due(cache) ? TP_MORE : TP_OK;
}

/* ---- reading ---- */

/* Decodes one stream of a record up to the side's frame into planes. False: damaged. */
static bool unpack_stream(tp_cache *cache, const tpi_cache_side *side, uint32_t stream,
                          const uint8_t *bytes, uint32_t size, uint32_t slots, uint32_t *planes)
{
    tpi_tile_reader *reader =
        (tpi_tile_reader *)(void *)tpi_cache_words(cache, cache->offsets.tile_reader);
    const tp_stream *description = &cache->def.schema.streams[stream];
    tpi_lattice lattice = {0.0f, tpi_from_bits(tpi_load_u32(bytes + 4))};
    uint32_t frames = pack_is_identity(cache, stream) ? 1u : side->index + 1u;
    if (!tpi_tile_open(reader, bytes + TPI_GROUP_STREAM_BYTES, size)) return false;
    if (reader->header.points != slots || reader->header.components != description->components)
        return false;
    for (uint32_t f = 0; f < frames; f++)
        if (!tpi_tile_read(reader, bytes + TPI_GROUP_STREAM_BYTES)) return false;
    if (reader->frame == reader->header.frames && !tpi_tile_is_whole(reader)) return false;
    for (uint32_t c = 0; c < description->components; c++)
        tpi_tile_words(reader, c, &lattice, description->type == TP_STREAM_F32,
                       planes + (cache->shape.first_word[stream] + c) * TP_TILE);
    return true;
}

/* Decodes the identities of a record, or all other streams. False: damaged. */
static bool unpack_record(tp_cache *cache, const tpi_cache_side *side, const uint8_t *bytes,
                          uint32_t size, bool are_identities, uint32_t slots, uint32_t *planes)
{
    uint32_t count = cache->def.schema.stream_count;
    for (uint32_t s = pack_next_stream(cache, 0); s < count; s = pack_next_stream(cache, s + 1u)) {
        uint32_t tile = size < TPI_GROUP_STREAM_BYTES ? size : tpi_load_u32(bytes);
        if (size < TPI_GROUP_STREAM_BYTES || tile > size - TPI_GROUP_STREAM_BYTES) return false;
        if (pack_is_identity(cache, s) == are_identities &&
            !unpack_stream(cache, side, s, bytes, tile, slots, planes))
            return false;
        bytes += TPI_GROUP_STREAM_BYTES + tile;
        size -= TPI_GROUP_STREAM_BYTES + tile;
    }
    return size == 0;
}

/* Compacts the planes: removes slots that are not alive in the frame. Returns the particles. */
static uint32_t unpack_close_up(tp_cache *cache, uint32_t slots, uint32_t *planes)
{
    const tpi_tile_reader *reader =
        (const tpi_tile_reader *)(const void *)tpi_cache_words(cache, cache->offsets.tile_reader);
    uint32_t count = 0;
    for (uint32_t p = 0; p < slots; p++) {
        if (!tpi_tile_lives(reader, p)) continue;
        for (uint32_t word = 0; word < cache->shape.words && count != p; word++)
            planes[word * TP_TILE + count] = planes[word * TP_TILE + p];
        count++;
    }
    return count;
}

static bool unpack_tile(tp_cache *cache, tpi_cache_side *side, uint32_t *planes, uint32_t *count)
{
    uint32_t size, tile = side->record, capacity = cache->shape.record_bytes_max;
    uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.staging);
    if (tile >= tpi_group_tiles(side->slots) || !tpi_side_take(cache, side, bytes, capacity, &size))
        return false;
    uint32_t slots = tpi_min_u32(TP_TILE, side->slots - tile * TP_TILE);
    tpi_memset(planes, 0, 4u * TP_TILE * cache->shape.words);
    if (!unpack_record(cache, side, bytes, size, true, slots, planes)) return false;
    if (!unpack_record(cache, side, bytes, size, false, slots, planes)) return false;
    *count = unpack_close_up(cache, slots,
                             planes); /* the reader holds the lifetimes of the last stream */
    return true;
}

bool tpi_group_load(tp_cache *cache, tpi_cache_side *side, uint32_t *planes)
{
    uint32_t count = 0, from = tpi_group_side(cache, side->group);
    if (side->bytes) {
        if (!unpack_tile(cache, side, planes, &count)) return false;
    } else {
        if (side->record >= tpi_group_tiles(cache->groups[from].slots)) return false;
        count = tpi_group_show(cache, from, side->record++, side->index, planes);
    }
    if (count > side->count - side->taken) return false;
    side->taken += count;
    side->loaded = count;
    side->at = 0;
    return true;
}
