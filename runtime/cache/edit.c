/* SPDX-License-Identifier: MIT
   runtime/cache/edit.c - changes a value of one particle in a baked frame.
   reads   the ring      writes  the ring
   memory  the cache's third tile    cost    O(particles), with rates seven times that
   after   own design: as in Blender, only baked frames are edited; rates (velocities) are central
           differences of the neighbouring frames' values */
#include "cache.h"

/* A particle that was found. Its tile is decoded in the cache's third tile; its record is in the
   ring at `at`. */
typedef struct edit_target {
    tpi_cache_side side;
    uint32_t at;   /* offset of the record in the frame */
    uint32_t size; /* of the tile */
    uint32_t record, loaded, particle;
} edit_target;

static uint32_t *edit_plane(const tp_cache *cache, uint32_t stream, uint32_t component)
{
    return tpi_cache_words(cache, cache->offsets.tiles[2]) +
           (cache->shape.first_word[stream] + component) * TP_TILE;
}

static bool edit_find_in_tile(const tp_cache *cache, edit_target *target, uint32_t identity)
{
    uint32_t first = target->side.taken - target->loaded;
    for (uint32_t i = 0; i < target->loaded; i++) {
        uint32_t known = cache->shape.identity == TP_STREAM_NONE
                             ? first + i
                             : edit_plane(cache, cache->shape.identity, 0)[i];
        target->particle = i;
        if (known == identity) return true;
    }
    return false;
}

/* False: the frame is not recorded, is damaged, or does not hold the particle. */
static bool edit_find(tp_cache *cache, uint64_t frame, uint32_t identity, edit_target *target)
{
    const tpi_cache_entry *entry = tpi_ring_exact(cache, frame);
    if (!entry) return false;
    tpi_side_open(&target->side, entry);
    if (!tpi_side_check(cache, &target->side)) return false;
    while (target->side.taken < target->side.count) {
        target->at = target->side.cursor;
        target->record = target->side.record;
        if (!tpi_side_load(cache, NULL, &target->side,
                           tpi_cache_words(cache, cache->offsets.tiles[2])))
            return false;
        target->loaded = target->side.loaded;
        target->size = target->side.cursor - target->at - TPI_CACHE_RECORD_BYTES;
        if (edit_find_in_tile(cache, target, identity)) return true;
    }
    return false;
}

/* Writes the changed tile back to its record. */
static void edit_put(tp_cache *cache, const edit_target *target)
{
    uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.staging), header[TPI_CACHE_RECORD_BYTES];
    const uint32_t *tile = tpi_cache_words(cache, cache->offsets.tiles[2]);
    uint32_t size = tpi_tile_encode(&cache->shape, tile, target->loaded, bytes);
    uint32_t offset = tpi_ring_after(cache, target->side.offset, target->at);
    tpi_store_u32(header, size);
    tpi_store_u64(header + 4, tpi_record_check(target->side.frame, target->record, bytes, size));
    tpi_ring_write(cache, offset, header, TPI_CACHE_RECORD_BYTES);
    tpi_ring_write(cache, tpi_ring_after(cache, offset, TPI_CACHE_RECORD_BYTES), bytes, size);
    tpi_cache_entry *entry = tpi_ring_exact(cache, target->side.frame);
    entry->serial = entry->group = ++cache->serial_next; /* makes an active reader start over */
}

/* Reads the particle's values in a frame. False: it is not in the frame. */
static bool edit_read(tp_cache *cache, uint64_t frame, const tp_cache_edit *edit, float *values)
{
    edit_target target = {.at = 0};
    if (!edit_find(cache, frame, edit->identity, &target)) return false;
    for (uint32_t c = 0; c < cache->def.schema.streams[edit->stream].components; c++)
        values[c] = tpi_from_bits(edit_plane(cache, edit->stream, c)[target.particle]);
    return true;
}

/* The recorded frames before and after a frame; the frame itself if there is none. */
typedef struct edit_neighbours {
    uint64_t before, after;
} edit_neighbours;

static edit_neighbours edit_find_neighbours(const tp_cache *cache, uint64_t frame)
{
    const tpi_cache_entry *before = frame ? tpi_ring_before(cache, frame - 1u) : NULL;
    const tpi_cache_entry *after = tpi_ring_behind(cache, frame + 1u);
    return (edit_neighbours){before ? before->frame : frame, after ? after->frame : frame};
}

/* Sets the rates of a frame to the difference quotient of the neighbouring recorded frames. If the
   particle does not exist in one of them, the frame itself takes its place. */
static void edit_fit_rates(tp_cache *cache, const tp_cache_edit *edit, uint64_t frame)
{
    const tp_stream *stream = &cache->def.schema.streams[edit->stream];
    edit_neighbours neighbours = edit_find_neighbours(cache, frame);
    float before[4], after[4];
    edit_target target = {.at = 0};
    if (!edit_read(cache, neighbours.before, edit, before)) neighbours.before = frame;
    if (!edit_read(cache, neighbours.after, edit, after)) neighbours.after = frame;
    if (neighbours.before == frame && !edit_read(cache, frame, edit, before)) return;
    if (neighbours.after == frame && !edit_read(cache, frame, edit, after)) return;
    if (neighbours.before == neighbours.after || !edit_find(cache, frame, edit->identity, &target))
        return;
    float seconds = (float)(neighbours.after - neighbours.before) *
                    (float)cache->def.schema.frames_per_second_denominator /
                    (float)cache->def.schema.frames_per_second_numerator;
    for (uint32_t c = 0; c < stream->components; c++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all were read */
        float rate = after[c] / seconds - before[c] / seconds; /* after - before could overflow */
        edit_plane(cache, stream->partner, c)[target.particle] = tpi_bits(tpi_flush(rate));
    }
    edit_put(cache, &target);
}

static tp_result edit_check(const tp_cache *cache, const tp_cache_edit *edit)
{
    const tp_schema *schema = &cache->def.schema;
    if (!(cache->flags & TP_CACHE_BAKED) || cache->flags & (TP_CACHE_EXTERNAL | TP_CACHE_BAKING))
        return TP_ERROR_PROTECTED;
    if (tpi_cache_is_grouped(cache) || edit->stream >= schema->stream_count ||
        edit->stream == cache->shape.identity)
        return TP_ERROR_DEFINITION;
    const tp_stream *stream = &schema->streams[edit->stream];
    if (edit->fits_rates && stream->interpolation != TP_INTERPOLATE_HERMITE)
        return TP_ERROR_DEFINITION;
    for (uint32_t c = 0; c < stream->components && stream->type == TP_STREAM_F32; c++)
        if (!tpi_is_finite(tpi_from_bits(edit->values[c]))) return TP_ERROR_DEFINITION;
    return TP_OK;
}

tp_result tp_cache_edit_particle(tp_cache *cache, const tp_cache_edit *edit)
{
    tp_result result = tpi_cache_check_block(cache);
    if (result != TP_OK) return result;
    if (!edit) return TP_ERROR_NULL;
    result = edit_check(cache, edit);
    if (result != TP_OK) return result;
    edit_target target = {.at = 0};
    if (!edit_find(cache, edit->frame, edit->identity, &target)) return TP_ERROR_FRAME;
    for (uint32_t c = 0; c < cache->def.schema.streams[edit->stream].components; c++)
        edit_plane(cache, edit->stream, c)[target.particle] = edit->values[c];
    edit_put(cache, &target);
    cache->flags |= TP_CACHE_EDITED;
    if (!edit->fits_rates) return TP_OK;
    edit_neighbours neighbours = edit_find_neighbours(cache, edit->frame);
    if (neighbours.before != edit->frame) edit_fit_rates(cache, edit, neighbours.before);
    edit_fit_rates(cache, edit, edit->frame);
    if (neighbours.after != edit->frame) edit_fit_rates(cache, edit, neighbours.after);
    return TP_OK;
}
