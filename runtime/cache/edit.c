/* SPDX-License-Identifier: MIT
   runtime/cache/edit.c - changes a value of one particle in a baked frame.
   reads   the ring      writes  the ring
   memory  the cache's third tile    cost    O(particles), with rates seven times that
   after   own design: as in Blender, only baked frames are edited; rates (velocities) are central
           differences of the neighbouring frames' values */
#include "cache.h"

/* A particle that was found. Its tile is decoded in the cache's third tile; its record is in the
   ring at `at`. */
typedef struct edit_place {
    tpi_cache_side side;
    uint32_t at;   /* offset of the record in the frame */
    uint32_t size; /* of the tile */
    uint32_t record, loaded, particle;
} edit_place;

static uint32_t *edit_plane(const tp_cache *cache, uint32_t stream, uint32_t component)
{
    return tpi_cache_words(cache, cache->places.tiles[2]) +
           (cache->shape.first_word[stream] + component) * TP_TILE;
}

static bool edit_find_in_tile(const tp_cache *cache, edit_place *place, uint32_t identity)
{
    uint32_t first = place->side.taken - place->loaded;
    for (uint32_t i = 0; i < place->loaded; i++) {
        uint32_t known = cache->shape.identity == TP_STREAM_NONE
                             ? first + i
                             : edit_plane(cache, cache->shape.identity, 0)[i];
        place->particle = i;
        if (known == identity) return true;
    }
    return false;
}

/* False: the frame is not recorded, is damaged, or does not hold the particle. */
static bool edit_find(tp_cache *cache, uint64_t frame, uint32_t identity, edit_place *place)
{
    const tpi_cache_entry *entry = tpi_ring_exact(cache, frame);
    if (!entry) return false;
    tpi_side_open(&place->side, entry);
    if (!tpi_side_check(cache, &place->side)) return false;
    while (place->side.taken < place->side.count) {
        place->at = place->side.cursor;
        place->record = place->side.record;
        if (!tpi_side_load(cache, NULL, &place->side,
                           tpi_cache_words(cache, cache->places.tiles[2])))
            return false;
        place->loaded = place->side.loaded;
        place->size = place->side.cursor - place->at - TPI_CACHE_RECORD_BYTES;
        if (edit_find_in_tile(cache, place, identity)) return true;
    }
    return false;
}

/* Writes the changed tile back to its record. */
static void edit_put(tp_cache *cache, const edit_place *place)
{
    uint8_t *bytes = tpi_cache_bytes(cache, cache->places.staging), header[TPI_CACHE_RECORD_BYTES];
    const uint32_t *tile = tpi_cache_words(cache, cache->places.tiles[2]);
    uint32_t size = tpi_tile_encode(&cache->shape, tile, place->loaded, bytes);
    uint32_t offset = tpi_ring_after(cache, place->side.offset, place->at);
    tpi_store_u32(header, size);
    tpi_store_u64(header + 4, tpi_record_check(place->side.frame, place->record, bytes, size));
    tpi_ring_write(cache, offset, header, TPI_CACHE_RECORD_BYTES);
    tpi_ring_write(cache, tpi_ring_after(cache, offset, TPI_CACHE_RECORD_BYTES), bytes, size);
    tpi_cache_entry *entry = tpi_ring_exact(cache, place->side.frame);
    entry->serial = entry->group = ++cache->serial_next; /* makes an active reader start over */
}

/* Reads the particle's values in a frame. False: it is not in the frame. */
static bool edit_read(tp_cache *cache, uint64_t frame, const tp_cache_edit *edit, float *values)
{
    edit_place place = {.at = 0};
    if (!edit_find(cache, frame, edit->identity, &place)) return false;
    for (uint32_t c = 0; c < cache->def.schema.streams[edit->stream].components; c++)
        values[c] = tpi_from_bits(edit_plane(cache, edit->stream, c)[place.particle]);
    return true;
}

/* The recorded frames before and after a frame; the frame itself if there is none. */
typedef struct edit_beside {
    uint64_t before, behind;
} edit_beside;

static edit_beside edit_frames_beside(const tp_cache *cache, uint64_t frame)
{
    const tpi_cache_entry *before = frame ? tpi_ring_before(cache, frame - 1u) : NULL;
    const tpi_cache_entry *behind = tpi_ring_behind(cache, frame + 1u);
    return (edit_beside){before ? before->frame : frame, behind ? behind->frame : frame};
}

/* Sets the rates of a frame to the difference quotient of the neighbouring recorded frames. If the
   particle does not exist in one of them, the frame itself takes its place. */
static void edit_fit_rates(tp_cache *cache, const tp_cache_edit *edit, uint64_t frame)
{
    const tp_stream *stream = &cache->def.schema.streams[edit->stream];
    edit_beside beside = edit_frames_beside(cache, frame);
    float before[4], behind[4];
    edit_place place = {.at = 0};
    if (!edit_read(cache, beside.before, edit, before)) beside.before = frame;
    if (!edit_read(cache, beside.behind, edit, behind)) beside.behind = frame;
    if (beside.before == frame && !edit_read(cache, frame, edit, before)) return;
    if (beside.behind == frame && !edit_read(cache, frame, edit, behind)) return;
    if (beside.before == beside.behind || !edit_find(cache, frame, edit->identity, &place)) return;
    float seconds = (float)(beside.behind - beside.before) *
                    (float)cache->def.schema.frames_per_second_denominator /
                    (float)cache->def.schema.frames_per_second_numerator;
    for (uint32_t c = 0; c < stream->components; c++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all components were
           read, or this was left */
        float rate =
            behind[c] / seconds - before[c] / seconds; /* the difference itself may not be finite */
        edit_plane(cache, stream->partner, c)[place.particle] = tpi_bits(tpi_flush(rate));
    }
    edit_put(cache, &place);
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
    edit_place place = {.at = 0};
    if (!edit_find(cache, edit->frame, edit->identity, &place)) return TP_ERROR_FRAME;
    for (uint32_t c = 0; c < cache->def.schema.streams[edit->stream].components; c++)
        edit_plane(cache, edit->stream, c)[place.particle] = edit->values[c];
    edit_put(cache, &place);
    cache->flags |= TP_CACHE_EDITED;
    if (!edit->fits_rates) return TP_OK;
    edit_beside beside = edit_frames_beside(cache, edit->frame);
    if (beside.before != edit->frame) edit_fit_rates(cache, edit, beside.before);
    edit_fit_rates(cache, edit, edit->frame);
    if (beside.behind != edit->frame) edit_fit_rates(cache, edit, beside.behind);
    return TP_OK;
}
