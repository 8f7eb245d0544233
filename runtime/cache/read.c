/* SPDX-License-Identifier: MIT
   runtime/cache/read.c - decodes recorded frames; writes one, or the interpolation of two.
   reads   the ring, the source             writes  the caller's arrays
   memory  two tiles, one encoded tile
   cost    `streams` units per particle for one frame; three times that between two frames
   after   merge join: both frames are sorted by identity, so that one merge matches particles */
#include "cache.h"

enum { TPI_READ_ORDER, TPI_READ_TILES };

/* ---- one side: a recorded frame, or the source ---- */

void tpi_side_open(tpi_cache_side *side, const tpi_cache_entry *entry)
{
    *side = (tpi_cache_side){.frame = entry->frame,
                             .first_frame = entry->frame,
                             .serial = entry->serial,
                             .group = entry->group,
                             .offset = entry->offset,
                             .bytes = entry->bytes,
                             .count = entry->count,
                             .index = entry->index,
                             .cursor = TPI_CACHE_HEADER_BYTES};
}

bool tpi_side_holds(const tp_cache *cache, const tpi_cache_side *side)
{
    const tpi_cache_entry *entry = tpi_ring_exact(cache, side->frame);
    /* `bytes` differs if a staged frame was packed */
    return entry && entry->serial == side->serial && entry->bytes == side->bytes;
}

/* Reads a group's first frame, slots and records from its header. tpi_side_check verifies them by
   the header's checksum. */
static bool side_open_group(const tp_cache *cache, tpi_cache_side *side, const uint8_t *header)
{
    uint32_t records = tpi_load_u32(header + 20), extras = tpi_cache_extras(cache);
    side->first_frame = tpi_load_u64(header + 8);
    side->slots = tpi_load_u32(header + 16);
    side->tiles = tpi_group_tiles(side->slots);
    if (side->slots > cache->def.particles_max || records < side->tiles) return false;
    side->frames = extras ? (records - side->tiles) / extras : 0;
    return records == side->tiles + side->frames * extras &&
           (!extras || side->index < side->frames);
}

bool tpi_side_check(const tp_cache *cache, tpi_cache_side *side)
{
    uint8_t found[TPI_CACHE_HEADER_BYTES], expected[TPI_CACHE_HEADER_BYTES];
    tpi_cache_entry entry = {.frame = side->frame, .bytes = side->bytes, .count = side->count};
    bool is_grouped = tpi_cache_is_grouped(cache);
    side->tiles = (side->count + TP_TILE - 1u) / TP_TILE;
    side->frames = 1;
    if (side->bytes == 0) { /* staged */
        side->tiles = tpi_group_tiles(cache->groups[tpi_group_side(cache, side->group)].slots);
        return true;
    }
    tpi_ring_read(cache, side->offset, found, TPI_CACHE_HEADER_BYTES);
    if (is_grouped && !side_open_group(cache, side, found)) return false;
    entry.frame = side->first_frame;
    if (is_grouped) entry.count = side->slots;
    tpi_frame_header(cache, &entry, side->tiles + side->frames * tpi_cache_extras(cache), expected);
    for (uint32_t i = 0; i < TPI_CACHE_HEADER_BYTES; i++)
        if (found[i] != expected[i]) return false;
    return true;
}

bool tpi_side_take(const tp_cache *cache, tpi_cache_side *side, uint8_t *to, uint32_t capacity,
                   uint32_t *size)
{
    uint8_t header[TPI_CACHE_RECORD_BYTES];
    if (side->bytes - side->cursor < TPI_CACHE_RECORD_BYTES) return false;
    tpi_ring_read(cache, tpi_ring_after(cache, side->offset, side->cursor), header,
                  TPI_CACHE_RECORD_BYTES);
    side->cursor += TPI_CACHE_RECORD_BYTES;
    *size = tpi_load_u32(header);
    if (*size > capacity || *size > side->bytes - side->cursor) return false;
    tpi_ring_read(cache, tpi_ring_after(cache, side->offset, side->cursor), to, *size);
    side->cursor += *size;
    return tpi_load_u64(header + 4) ==
           tpi_record_check(side->first_frame, side->record++, to, *size);
}

bool tpi_side_load(tp_cache *cache, const tp_source *source, tpi_cache_side *side, uint32_t *tile)
{
    if (!side->is_live && tpi_cache_is_grouped(cache)) return tpi_group_load(cache, side, tile);
    uint32_t count = tpi_min_u32(TP_TILE, side->count - side->taken), size;
    uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.staging);
    if (side->is_live) {
        tpi_order_load(cache, source, side->taken, count, 0xffffffffu, tile);
    } else {
        uint32_t capacity = tpi_tile_bytes_max(&cache->shape, TP_TILE);
        if (!tpi_side_take(cache, side, bytes, capacity, &size)) return false;
        if (!tpi_tile_decode(&cache->shape, bytes, size, count, tile)) return false;
    }
    side->taken += count;
    side->loaded = count;
    side->at = 0;
    return true;
}

uint32_t tpi_side_units(const tp_cache *cache, const tpi_cache_side *side)
{
    bool is_grouped = tpi_cache_is_grouped(cache) && !side->is_live;
    uint32_t particles = is_grouped ? TP_TILE * (side->index + 1u) : side->loaded;
    return particles * cache->def.schema.stream_count;
}

static bool read_side_is_over(const tpi_cache_side *side)
{
    return side->at == side->loaded && side->taken == side->count;
}

/* ---- into the view ---- */

static uint32_t read_capacity(const tp_frame_view *view, uint32_t wanted)
{
    return tpi_min_u32(wanted, view->capacity - view->count);
}

/* Null if the stream is not requested or not recorded. */
static uint32_t *read_target(const tp_cache *cache, const tp_frame_view *view, uint32_t stream)
{
    bool is_shown = view->values[stream] && tpi_is_recorded(cache, stream);
    return is_shown ? (uint32_t *)view->values[stream] + view->count : NULL;
}

/* Copies the tile in the first buffer to the view. */
static void read_copy_tile(const tp_cache *cache, const tpi_cache_side *side, tp_frame_view *view)
{
    uint32_t count = read_capacity(view, side->loaded);
    for (uint32_t stream = 0; stream < cache->def.schema.stream_count; stream++) {
        uint32_t *to = read_target(cache, view, stream);
        const uint32_t *from = tpi_cache_words(cache, cache->offsets.tiles[0]) +
                               cache->shape.first_word[stream] * TP_TILE;
        if (!to || !count) continue;
        for (uint32_t c = 0; c < cache->def.schema.streams[stream].components; c++)
            tpi_memcpy(to + (size_t)c * view->capacity, from + c * TP_TILE, count * 4u);
    }
    view->count += count;
    view->dropped += side->loaded - count;
}

/* ---- matching ---- */

static uint32_t read_word(const tp_cache *cache, uint32_t side, uint32_t stream, uint32_t index)
{
    return tpi_cache_words(
        cache, cache->offsets.tiles[side])[cache->shape.first_word[stream] * TP_TILE + index];
}

/* Key of a side's next particle: its identity, or without identities its index. */
static uint32_t read_identity(const tp_cache *cache, uint32_t side)
{
    const tpi_cache_side *from = &cache->reader.sides[side];
    if (cache->shape.identity == TP_STREAM_NONE) return from->taken - from->loaded + from->at;
    return read_word(cache, side, cache->shape.identity, from->at);
}

static bool read_is_linear(const tp_cache *cache, uint32_t side, uint32_t index)
{
    if (cache->shape.linear == TP_STREAM_NONE) return false;
    return (read_word(cache, side, cache->shape.linear, index) & cache->def.schema.linear_mask) !=
           0;
}

/* True if a particle that exists in only one of the two frames is shown at this time. First frame
   only: up to the middle, because its death is not known. Second frame only: from its birth on, or
   from the middle if births are not recorded. */
static bool read_shows_alone(const tp_cache *cache, const tpi_between *between, uint32_t side,
                             uint32_t index)
{
    uint32_t birth = cache->shape.birth;
    if (side == 0) return !between->is_late;
    if (birth == TP_STREAM_NONE) return between->is_late;
    return (int32_t)(between->ticks - read_word(cache, 1, birth, index)) >= 0;
}

/* One step of the merge: adds the next particle. O(1) */
static void read_match_one(tp_cache *cache, const tpi_between *between, tpi_pairs *pairs)
{
    tpi_cache_side *first = &cache->reader.sides[0], *second = &cache->reader.sides[1];
    bool has_first = first->at < first->loaded, has_second = second->at < second->loaded;
    uint32_t a = has_first ? read_identity(cache, 0) : 0,
             b = has_second ? read_identity(cache, 1) : 0;
    bool takes_first = has_first && (!has_second || a <= b),
         takes_second = has_second && (!has_first || b <= a);
    uint32_t i = first->at, j = second->at, kind = 0;
    first->at += takes_first ? 1u : 0u;
    second->at += takes_second ? 1u : 0u;
    if (takes_first && takes_second)
        kind = TPI_PAIR_BOTH;
    else if (takes_first && read_shows_alone(cache, between, 0, i))
        kind = TPI_PAIR_FIRST;
    else if (takes_second && read_shows_alone(cache, between, 1, j))
        kind = TPI_PAIR_SECOND;
    if (!kind) return;
    if ((kind & TPI_PAIR_FIRST) && read_is_linear(cache, 0, i)) kind |= TPI_PAIR_STRAIGHT;
    if ((kind & TPI_PAIR_SECOND) && read_is_linear(cache, 1, j)) kind |= TPI_PAIR_STRAIGHT;
    pairs->first[pairs->count] = (uint8_t)(takes_first ? i : 0u);
    pairs->second[pairs->count] = (uint8_t)(takes_second ? j : 0u);
    pairs->kind[pairs->count++] = (uint8_t)kind;
}

static tpi_between read_between(const tp_cache *cache)
{
    const tpi_cache_reader *reader = &cache->reader;
    const tp_schema *schema = &cache->def.schema;
    uint64_t frames = reader->sides[1].frame - reader->sides[0].frame;
    uint64_t part = reader->time - TP_TIME(reader->sides[0].frame), whole = TP_TIME(frames);
    tpi_between between = {.ticks = (uint32_t)reader->time, .is_late = part >= whole - part};
    between.share = tpi_share_of(part, whole);
    between.seconds = tpi_share_of(frames, 1) * (float)schema->frames_per_second_denominator /
                      (float)schema->frames_per_second_numerator;
    return between;
}

/* Merges the two tiles into the view until one of them is used up, at most TP_TILE particles.
   Returns the units. The pairs share the staging buffer with the encoded tile, which has been
   decoded. */
static uint32_t read_merge(tp_cache *cache, tp_frame_view *view)
{
    tpi_cache_side *first = &cache->reader.sides[0], *second = &cache->reader.sides[1];
    tpi_between between = read_between(cache);
    tpi_pairs *pairs = (tpi_pairs *)(void *)tpi_cache_words(cache, cache->offsets.staging);
    uint32_t visited = 0;
    pairs->count = 0;
    for (; visited < TP_TILE; visited++) {
        if (first->at == first->loaded && !read_side_is_over(first)) break;
        if (second->at == second->loaded && !read_side_is_over(second)) break;
        if (first->at == first->loaded && second->at == second->loaded) break;
        read_match_one(cache, &between, pairs);
    }
    uint32_t count = read_capacity(view, pairs->count);
    view->dropped += pairs->count - count;
    pairs->count = count;
    for (uint32_t stream = 0; stream < cache->def.schema.stream_count && count; stream++) {
        uint32_t *to = read_target(cache, view, stream);
        if (to) tpi_interpolate(cache, stream, &between, pairs, to, view->capacity);
    }
    view->count += count;
    return tpi_max_u32(visited, 1u) * cache->def.schema.stream_count;
}

/* ---- the job ---- */

void tpi_reader_begin(tp_cache *cache, uint64_t time, tp_frame_view *view)
{
    tpi_cache_reader *reader = &cache->reader;
    reader->active = true;
    reader->phase = TPI_READ_ORDER;
    reader->time = time;
    reader->job = ++cache->job_next ? cache->job_next : ++cache->job_next;
    reader->order_serial = 0;
    view->job = reader->job;
    view->count = view->dropped = 0;
    view->frame = reader->sides[0].frame;
    view->frame_next = reader->sides[reader->side_count - 1u].frame;
}

/* Checks the headers, and sorts the source's particles. One work item; false: damaged. */
static bool read_begin(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_reader *reader = &cache->reader;
    *units = 1;
    if (reader->order_serial && cache->sort.active) {
        *units = tpi_order_step(cache, source);
        return true;
    }
    for (uint32_t s = 0; s < reader->side_count && !reader->order_serial; s++) {
        if (!reader->sides[s].is_live) {
            if (!tpi_side_check(cache, &reader->sides[s])) {
                tpi_ring_invalidate(cache, reader->sides[s].serial);
                return false;
            }
            continue;
        }
        tpi_order_begin(cache, reader->sides[s].count);
        reader->order_serial = cache->sort.serial;
        return true;
    }
    reader->phase = TPI_READ_TILES;
    return true;
}

/* One work item; false: a recorded frame is damaged. */
static bool read_tiles(tp_cache *cache, const tp_source *source, tp_frame_view *view,
                       uint32_t *units)
{
    tpi_cache_reader *reader = &cache->reader;
    for (uint32_t s = 0; s < reader->side_count; s++) {
        tpi_cache_side *side = &reader->sides[s];
        if (side->at < side->loaded || side->taken == side->count) continue;
        if (!tpi_side_load(cache, source, side, tpi_cache_words(cache, cache->offsets.tiles[s]))) {
            tpi_ring_invalidate(cache, side->serial);
            return false;
        }
        *units = tpi_side_units(cache, side);
        if (reader->side_count == 2) return true;
        read_copy_tile(cache, side, view);
        side->at = side->loaded;
        return true;
    }
    *units = read_merge(cache, view);
    return true;
}

static bool read_is_complete(const tpi_cache_reader *reader)
{
    if (reader->phase != TPI_READ_TILES) return false;
    for (uint32_t s = 0; s < reader->side_count; s++)
        if (!read_side_is_over(&reader->sides[s])) return false;
    return true;
}

tp_result tpi_reader_run(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter,
                         tp_frame_view *view)
{
    tpi_cache_reader *reader = &cache->reader;
    while (!read_is_complete(reader)) {
        uint32_t units = 1;
        if (!tpi_cache_meter_may(meter, TP_STAGE_CACHE_READ)) return TP_MORE;
        bool is_good = reader->phase == TPI_READ_ORDER ? read_begin(cache, source, &units)
                                                       : read_tiles(cache, source, view, &units);
        tpi_cache_meter_spend(meter, TP_STAGE_CACHE_READ, units);
        if (is_good) continue;
        reader->active = false;
        view->count = 0;
        return TP_ERROR_FRAME;
    }
    reader->active = false;
    return TP_OK;
}
