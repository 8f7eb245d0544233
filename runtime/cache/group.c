/* SPDX-License-Identifier: MIT
   runtime/cache/group.c - stages the frames of a group: quantises, stores deltas, reads back.
   reads   the source, in the order of identity      writes  one of two staged groups
   memory  per slot 12 bytes, 16 per bounded component, and for each of 1.5 * group_frames rows
           2 per bounded and 4 per exact component
   cost    1 unit per particle and stream, and 1 per slot that died
   after   own design: quantised positions on a uniform lattice, 2-byte deltas between frames

   A slot is the index of a particle in its group. Slots are sorted by identity. A slot is born and
   dies at most once in a group. A bounded component has an error bound and is quantised; an exact
   component keeps every bit.

   A staged tile of 64 slots, in bytes:

       256     identities
       64, 64  frame of birth, frame of death (255: alive)
       256     for each bounded component: lattice coordinate at birth
       256     for each bounded component: lattice coordinate in the newest frame

   Every staged frame also has a row. For each slot a row holds 2 bytes per bounded component, the
   delta to the frame before, then 4 bytes per exact component. There are rows for 1.5 groups: a
   group must be packed while half of the next group is staged. */
#include "cache.h"

#define GROUP_LIVES          255u
#define GROUP_FIRST_AT       256u
#define GROUP_END_AT         320u
#define GROUP_COORDINATES_AT 384u
#define GROUP_NO_TILE        0xffffffffu

/* ---- sizes that follow from the schema ---- */

static uint32_t group_recorded(const tp_cache_def *def)
{
    uint32_t all = (1u << def->schema.stream_count) - 1u;
    return def->recorded_streams ? def->recorded_streams & all : all;
}

void tpi_group_shape(tpi_cache_shape *shape, const tp_cache_def *def)
{
    const tp_schema *schema = &def->schema;
    uint32_t frames = def->group_frames, components = 0;
    shape->recorded = group_recorded(def);
    shape->birth = schema->birth_stream;
    shape->linear = schema->linear_stream;
    if (frames < 2u) return;
    if (shape->birth != TP_STREAM_NONE && !(shape->recorded >> shape->birth & 1u))
        shape->birth = TP_STREAM_NONE;
    if (shape->linear != TP_STREAM_NONE && !(shape->recorded >> shape->linear & 1u))
        shape->linear = TP_STREAM_NONE;
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        const tp_stream *stream = &schema->streams[s];
        if (!(shape->recorded >> s & 1u)) continue;
        uint32_t kept = s == shape->identity ? 1u : frames;
        if (s != shape->identity)
            *(tpi_is_bounded(stream) ? &shape->narrow : &shape->wide) += stream->components;
        components = tpi_max_u32(components, stream->components);
        shape->record_bytes_max +=
            TPI_GROUP_STREAM_BYTES + tpi_group_tile_bytes_max(TP_TILE, kept, stream->components);
    }
    shape->staged_bytes = GROUP_COORDINATES_AT + 8u * TP_TILE * shape->narrow;
    shape->staged_rows = frames + frames / 2u;
    shape->values_max = frames * components * TPI_TILE_POINTS;
    shape->scratch_words = TPI_WRITER_WORDS + frames * components * TP_TILE * 3u / 2u;
    uint32_t tile_units = TP_TILE * frames * tpi_max_u32(schema->stream_count, components);
    shape->step_units_max = tpi_max_u32(shape->step_units_max, tile_units);
    shape->is_exact = shape->narrow == 0 && shape->recorded + 1u == 1u << schema->stream_count;
    tpi_extra_shape(shape, schema);
}

/* ---- a staged tile ---- */

typedef struct group_tile {
    uint32_t *identity;
    uint8_t *first, *end;
    /* lattice coordinates at birth and in the newest frame: a plane of 64 per bounded component */
    int32_t *birth, *last;
    uint8_t *rows;    /* the tile's part of row 0 */
    size_t row_bytes; /* of all tiles */
    uint32_t row, row_count, narrow;
    uint32_t tile;
} group_tile;

static uint32_t group_row_bytes(const tpi_cache_shape *shape)
{
    return TP_TILE * (2u * shape->narrow + 4u * shape->wide);
}

static group_tile group_tile_of(const tp_cache *cache, uint32_t side, uint32_t tile)
{
    const tpi_cache_shape *shape = &cache->shape;
    uint8_t *bytes =
        tpi_cache_bytes(cache, cache->offsets.groups[side]) + (size_t)tile * shape->staged_bytes;
    group_tile staged = {
        .identity = (uint32_t *)(void *)bytes, .narrow = shape->narrow, .tile = tile};
    staged.first = bytes + GROUP_FIRST_AT;
    staged.end = bytes + GROUP_END_AT;
    staged.birth = (int32_t *)(void *)(bytes + GROUP_COORDINATES_AT);
    staged.last = staged.birth + shape->narrow * TP_TILE;
    staged.rows =
        tpi_cache_bytes(cache, cache->offsets.rows) + (size_t)tile * group_row_bytes(shape);
    staged.row_bytes = (size_t)tpi_group_tiles(cache->def.particles_max) * group_row_bytes(shape);
    staged.row = cache->groups[side].row;
    staged.row_count = shape->staged_rows;
    return staged;
}

/* Makes `staged` refer to the tile of a slot; returns the slot's index in the tile. */
static uint32_t group_turn(const tp_cache *cache, group_tile *staged, uint32_t slot)
{
    if (staged->tile != slot / TP_TILE) *staged = group_tile_of(cache, cache->side, slot / TP_TILE);
    return slot % TP_TILE;
}

/* The tile's part of a frame's row. Both groups share the rows, which form a ring buffer. */
static uint8_t *group_row(const group_tile *staged, uint32_t frame)
{
    uint32_t row = staged->row + frame;
    return staged->rows +
           (row < staged->row_count ? row : row - staged->row_count) * staged->row_bytes;
}

static int16_t *group_deltas(const group_tile *staged, uint32_t frame, uint32_t component)
{
    return (int16_t *)(void *)group_row(staged, frame) + component * TP_TILE;
}

static uint32_t *group_words(const group_tile *staged, uint32_t frame, uint32_t component)
{
    return (uint32_t *)(void *)(group_row(staged, frame) + 2u * TP_TILE * staged->narrow) +
           component * TP_TILE;
}

/* ---- lattices ---- */

#define GROUP_RANGES 3u

/* All absolute values of a stream are below its limit: 2^18 times the bound (rounded down to a
   power of two) at first, then 2^20, then 2^22; beyond that floats are too coarse. The lattice
   spacing is twice the bound, reduced by 3, 12 or 50 % to allow for the rounding of values and of
   lattice points. */
static void group_set_lattice(tp_cache *cache, uint32_t stream)
{
    tpi_cache_group *group = &cache->groups[cache->side];
    float bound = cache->def.schema.streams[stream].error_bound;
    float power = tpi_from_bits(tpi_bits(bound) & 0x7f800000u); /* at most the bound */
    float range = 262144.0f * (float)(1u << 2u * cache->range_level[stream]);
    group->limit[stream] = power * range;
    group->quarter[stream] = 0.25f * (bound - 2.0f * (group->limit[stream] / 16777216.0f));
}

/* Widens the stream's value range for the next group. False: it has the largest range. */
static bool group_widen(tp_cache *cache, uint32_t stream)
{
    if (cache->range_level[stream] + 1u >= GROUP_RANGES) return false;
    cache->range_level[stream]++;
    return true;
}

/* ---- groups ---- */

void tpi_group_close(tp_cache *cache)
{
    tpi_cache_group *group = &cache->groups[cache->side];
    if (group->frames && group->kept)
        group->is_closed = true;
    else
        *group = (tpi_cache_group){0};
}

void tpi_group_forget(tp_cache *cache, const tpi_cache_entry *entry)
{
    for (uint32_t side = 0; side < 2u; side++) {
        tpi_cache_group *group = &cache->groups[side];
        if (!group->serial || group->serial != entry->group) continue;
        group->is_closed = true;
        if (--group->kept) continue;
        *group = (tpi_cache_group){0};
        if (cache->packer.side == side) cache->packer.active = false;
    }
}

static bool group_goes_on(const tp_cache *cache, const tpi_cache_group *group)
{
    if (!group->frames || group->is_closed) return false;
    return cache->writer.log.frame ==
           group->first_frame + (uint64_t)group->frames * cache->def.step;
}

/* True if one more frame can be staged. */
static bool group_has_row(const tp_cache *cache)
{
    return cache->groups[0].frames + cache->groups[1].frames < cache->shape.staged_rows;
}

tp_result tpi_group_begin(tp_cache *cache)
{
    tp_result busy = tpi_packer_is_stuck(cache) ? TP_ERROR_FULL : TP_MORE;
    if (group_goes_on(cache, &cache->groups[cache->side]))
        return group_has_row(cache) ? TP_OK : busy;
    tpi_group_close(cache);
    if (cache->groups[cache->side].serial) cache->side ^= 1u;
    if (cache->groups[cache->side].serial || !group_has_row(cache)) return busy;
    const tpi_cache_group *other = &cache->groups[cache->side ^ 1u];
    uint32_t row = (other->row + other->frames) % cache->shape.staged_rows;
    cache->groups[cache->side] =
        (tpi_cache_group){.first_frame = cache->writer.log.frame, .row = row};
    for (uint32_t s = 0; s < cache->def.schema.stream_count; s++)
        if (tpi_is_recorded(cache, s) && tpi_is_bounded(&cache->def.schema.streams[s]))
            group_set_lattice(cache, s);
    return TP_OK;
}

/* ---- a frame ---- */

/* Advances to the first slot whose identity is not smaller; the slots passed have died. At most
   `left` slots are passed. False: more are left. */
static bool group_pass(tp_cache *cache, group_tile *staged, uint32_t identity, uint32_t *left)
{
    tpi_cache_group *group = &cache->groups[cache->side];
    uint32_t *slot = &cache->writer.slot;
    for (; *slot < group->slots; ++*slot, --*left) {
        uint32_t at = group_turn(cache, staged, *slot);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): group_turn sets the pointers */
        if (staged->identity[at] >= identity) return true;
        if (*left == 0) return false;
        if (staged->end[at] == GROUP_LIVES) staged->end[at] = (uint8_t)group->frames;
    }
    return true;
}

/* Finds the particle's slot, or appends a new one. False: the particle needs a slot between others,
   or one that has died, or the group is full: it needs a new group. */
static bool group_find_slot(tp_cache *cache, group_tile *staged, uint32_t identity, uint32_t *slot)
{
    tpi_cache_group *group = &cache->groups[cache->side];
    *slot = cache->writer.slot++;
    if (*slot >= cache->def.particles_max) return false;
    uint32_t at = group_turn(cache, staged, *slot);
    if (*slot < group->slots)
        return staged->identity[at] == identity && staged->end[at] == GROUP_LIVES;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above */
    staged->identity[at] = identity;
    staged->first[at] = (uint8_t)group->frames;
    staged->end[at] = GROUP_LIVES;
    group->slots++;
    return true;
}

static uint32_t group_identity(const tp_cache *cache, uint32_t i)
{
    const tpi_cache_shape *shape = &cache->shape;
    if (shape->identity == TP_STREAM_NONE) return cache->writer.next + i;
    return tpi_cache_words(
        cache, cache->offsets.tiles[2])[shape->first_word[shape->identity] * TP_TILE + i];
}

/* Finds the slots of a tile's particles. Reduces `count` if the limit of passed slots ends it
   early. False: a particle has no slot in this group. */
static bool group_find_slots(tp_cache *cache, uint32_t *slots, uint32_t *count, uint32_t *units)
{
    uint32_t left = TP_TILE;
    group_tile staged = {.tile = GROUP_NO_TILE};
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t identity = group_identity(cache, i);
        if (!group_pass(cache, &staged, identity, &left))
            *count = i;
        else if (!group_find_slot(cache, &staged, identity, &slots[i]))
            return false;
    }
    *units += TP_TILE - left;
    return true;
}

/* Quantises `count` values to the nearest lattice coordinates. False: a value is not below the
   limit, or differs from its lattice point by more than the bound. */
static bool group_quantise(const tpi_cache_group *group, uint32_t stream, float bound,
                           const uint32_t *words, uint32_t count, int32_t *coordinates)
{
    float limit = group->limit[stream], spacing = 8.0f * group->quarter[stream];
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        float value = tpi_from_bits(words[i]);
        bool is_inside = tpi_abs(value) < limit;
        float scaled = (is_inside ? value : 0.0f) / spacing;
        coordinates[i] = (int32_t)(scaled < 0.0f ? scaled - 0.5f : scaled + 0.5f);
        bad |= !is_inside | !(tpi_abs(value - spacing * (float)coordinates[i]) <= bound);
    }
    return !bad;
}

static bool group_are_finite(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!tpi_is_finite(tpi_from_bits(words[i]))) return false;
    return true;
}

/* Stages one bounded component of `count` particles. FRAME: a new group is needed, because a value
   exceeds this group's range or a delta exceeds 16 bits. FULL: no group can hold the values. */
static tp_result group_stage_bounded(tp_cache *cache, const uint32_t *slots, uint32_t count,
                                     uint32_t s, uint32_t c, uint32_t component)
{
    const tpi_cache_group *group = &cache->groups[cache->side];
    const uint32_t *plane = tpi_cache_words(cache, cache->offsets.tiles[2]) +
                            (cache->shape.first_word[s] + c) * TP_TILE;
    group_tile staged = {.tile = GROUP_NO_TILE};
    int32_t coordinates[TP_TILE], *last = NULL;
    int16_t *deltas = NULL;
    if (!group_quantise(group, s, cache->def.schema.streams[s].error_bound, plane, count,
                        coordinates))
        return group_are_finite(plane, count) && group_widen(cache, s) ? TP_ERROR_FRAME
                                                                       : TP_ERROR_FULL;
    for (uint32_t i = 0; i < count; i++) {
        if (staged.tile != slots[i] / TP_TILE) {
            (void)group_turn(cache, &staged, slots[i]);
            last = staged.last + component * TP_TILE;
            deltas = group_deltas(&staged, group->frames, component);
        }
        uint32_t at = slots[i] % TP_TILE;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above */
        if (staged.first[at] == group->frames)
            last[at] = staged.birth[component * TP_TILE + at] = coordinates[i];
        int32_t delta = coordinates[i] - last[at];
        if (delta < -32768 || delta > 32767) return TP_ERROR_FRAME;
        deltas[at] = (int16_t)delta;
        last[at] = coordinates[i];
    }
    return TP_OK;
}

static void group_stage_words(tp_cache *cache, const uint32_t *slots, uint32_t count, uint32_t word,
                              uint32_t component)
{
    const uint32_t *plane = tpi_cache_words(cache, cache->offsets.tiles[2]) + word * TP_TILE;
    group_tile staged = {.tile = GROUP_NO_TILE};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = group_turn(cache, &staged, slots[i]);
        group_words(&staged, cache->groups[cache->side].frames, component)[at] = plane[i];
    }
}

static tp_result group_stage_streams(tp_cache *cache, const uint32_t *slots, uint32_t count)
{
    uint32_t narrow = 0, wide = 0;
    for (uint32_t s = 0; s < cache->def.schema.stream_count; s++) {
        const tp_stream *stream = &cache->def.schema.streams[s];
        if (!tpi_is_recorded(cache, s) || s == cache->shape.identity) continue;
        for (uint32_t c = 0; c < stream->components; c++) {
            tp_result result = TP_OK;
            if (tpi_is_bounded(stream))
                result = group_stage_bounded(cache, slots, count, s, c, narrow++);
            else
                group_stage_words(cache, slots, count, cache->shape.first_word[s] + c, wide++);
            if (result != TP_OK) return result;
        }
    }
    return TP_OK;
}

/* Ends a frame: the slots after the last particle have died. */
static tp_result group_end_frame(tp_cache *cache, uint32_t *units)
{
    tpi_cache_group *group = &cache->groups[cache->side];
    uint32_t *slot = &cache->writer.slot, end = *slot + tpi_min_u32(TP_TILE, group->slots - *slot);
    group_tile staged = {.tile = GROUP_NO_TILE};
    *units = 1u + end - *slot;
    for (; *slot < end; ++*slot) {
        uint32_t at = group_turn(cache, &staged, *slot);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): as above */
        if (staged.end[at] == GROUP_LIVES) staged.end[at] = (uint8_t)group->frames;
    }
    return *slot == group->slots ? TP_OK : TP_MORE;
}

tp_result tpi_group_stage(tp_cache *cache, const tp_source *source, uint32_t *units)
{
    tpi_cache_writer *writer = &cache->writer;
    uint32_t slots[TP_TILE], count = tpi_min_u32(TP_TILE, writer->count - writer->next);
    if (count == 0) return group_end_frame(cache, units);
    tpi_order_load(cache, source, writer->next, count, cache->shape.recorded,
                   tpi_cache_words(cache, cache->offsets.tiles[2]));
    *units = count * cache->def.schema.stream_count;
    if (!group_find_slots(cache, slots, &count, units))
        return cache->groups[cache->side].frames ? TP_ERROR_FRAME : TP_ERROR_FULL;
    writer->next += count;
    tp_result result = group_stage_streams(cache, slots, count);
    return result == TP_OK ? TP_MORE : result;
}

/* ---- reading staged tiles ---- */

bool tpi_group_lives(const tp_cache *cache, uint32_t side, uint32_t tile, uint32_t slots,
                     uint8_t *first, uint8_t *end)
{
    group_tile staged = group_tile_of(cache, side, tile);
    uint32_t frames = cache->groups[side].frames;
    bool has_lives = false;
    for (uint32_t slot = 0; slot < slots; slot++) {
        end[slot] = (uint8_t)tpi_min_u32(staged.end[slot], frames);
        first[slot] = (uint8_t)tpi_min_u32(staged.first[slot], end[slot]);
        has_lives |= first[slot] > 0 || end[slot] < frames;
    }
    return has_lives;
}

/* Index of the stream's first component among the staged components of its kind, bounded or
   exact. */
static uint32_t group_component(const tp_cache *cache, uint32_t stream)
{
    const tp_stream *streams = cache->def.schema.streams;
    uint32_t component = 0;
    for (uint32_t s = 0; s < stream; s++)
        if (tpi_is_recorded(cache, s) && s != cache->shape.identity &&
            tpi_is_bounded(&streams[s]) == tpi_is_bounded(&streams[stream]))
            component += streams[s].components;
    return component;
}

/* Sums the deltas from birth on. Values after a slot's death are undefined. */
static void group_take_bounded(const group_tile *staged, uint32_t component, uint32_t frames,
                               int32_t *to, uint32_t stride)
{
    const uint8_t *first = staged->first;
    tpi_memcpy(to, staged->birth + component * TP_TILE, 4u * TP_TILE);
    for (uint32_t f = 1; f < frames; f++, to += stride) {
        const int16_t *deltas = group_deltas(staged, f, component);
        int32_t *next = to + stride;
        for (uint32_t slot = 0; slot < TP_TILE; slot++)
            next[slot] =
                (int32_t)((uint32_t)to[slot] + (f > first[slot] ? (uint32_t)deltas[slot] : 0u));
    }
}

static void group_take_words(const group_tile *staged, uint32_t component, uint32_t frames,
                             bool is_float, int32_t *to, uint32_t stride)
{
    for (uint32_t f = 0; f < frames; f++, to += stride) {
        const int32_t *words = (const int32_t *)group_words(staged, f, component);
        for (uint32_t slot = 0; slot < TP_TILE; slot++)
            to[slot] = is_float ? tpi_ordered_bits(words[slot]) : words[slot];
    }
}

void tpi_group_take(const tp_cache *cache, const tpi_group_plane *from, uint32_t frames,
                    int32_t *to, uint32_t stride)
{
    const tp_stream *stream = &cache->def.schema.streams[from->stream];
    group_tile staged = group_tile_of(cache, from->side, from->tile);
    uint32_t component = group_component(cache, from->stream) + from->component;
    if (from->stream == cache->shape.identity)
        tpi_memcpy(to, staged.identity, 4u * TP_TILE);
    else if (tpi_is_bounded(stream))
        group_take_bounded(&staged, component, frames, to, stride);
    else
        group_take_words(&staged, component, frames, stream->type == TP_STREAM_F32, to, stride);
}

static bool group_lives(const group_tile *staged, uint32_t slot, uint32_t frame)
{
    return staged->first[slot] <= frame && frame < staged->end[slot];
}

/* Value of a component of a slot in frame `index`, in which the slot is alive. */
static uint32_t group_show_slot(const tp_cache *cache, const group_tile *staged,
                                const tpi_group_plane *from, uint32_t slot, uint32_t index)
{
    uint32_t component = group_component(cache, from->stream) + from->component;
    float spacing = 8.0f * cache->groups[from->side].quarter[from->stream];
    if (from->stream == cache->shape.identity) return staged->identity[slot];
    if (!tpi_is_bounded(&cache->def.schema.streams[from->stream]))
        return group_words(staged, index, component)[slot];
    int32_t coordinate = staged->birth[component * TP_TILE + slot];
    for (uint32_t f = staged->first[slot] + 1u; f <= index; f++)
        coordinate += group_deltas(staged, f, component)[slot];
    return tpi_bits(0.0f + spacing * (float)coordinate);
}

uint32_t tpi_group_show(const tp_cache *cache, uint32_t side, uint32_t tile, uint32_t index,
                        uint32_t *planes)
{
    group_tile staged = group_tile_of(cache, side, tile);
    uint32_t slots = tpi_min_u32(TP_TILE, cache->groups[side].slots - tile * TP_TILE), count = 0;
    tpi_memset(planes, 0, 4u * TP_TILE * cache->shape.words);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (!group_lives(&staged, slot, index)) continue;
        tpi_group_plane from = {.side = side, .tile = tile};
        for (from.stream = 0; from.stream < cache->def.schema.stream_count; from.stream++) {
            uint32_t word = cache->shape.first_word[from.stream],
                     end = word + cache->def.schema.streams[from.stream].components;
            for (from.component = 0; word < end && tpi_is_recorded(cache, from.stream);
                 word++, from.component++)
                planes[word * TP_TILE + count] =
                    group_show_slot(cache, &staged, &from, slot, index);
        }
        count++;
    }
    return count;
}
