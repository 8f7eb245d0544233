/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_group.c - a group of frames in memory: points in slots, slots in tiles.
   reads   host_frame                      writes  host_frame
   memory  frames_max times slots times words; 10 bytes per slot    cost    O(points) per frame
   after   own design: a point keeps its slot while it is present; a new point gets a new slot at
           the end */
#include "tpc.h"
#include <stdlib.h>
#include <string.h>

void tpc_group_start(tpc_group *group, uint32_t frames_max, uint32_t columns)
{
    memset(group, 0, sizeof *group);
    group->frames_max = frames_max;
    group->columns = columns;
    group->step = 1;
    for (uint32_t k = 0; k < TPC_COLUMNS; k++) {
        if (!(columns >> k & 1u)) continue;
        group->words[k] = group->tile_words;
        group->tile_words += tpc_columns[k].components * frames_max * TPI_TILE_POINTS;
    }
}

void tpc_group_free(tpc_group *group)
{
    for (uint32_t t = 0; t < group->tiles; t++) free(group->tile[t]);
    for (uint32_t f = 0; f < TPI_TILE_FRAMES_MAX; f++)
        for (uint32_t t = 0; t < EXTRA_TYPES; t++) free(group->extra[f][t].bytes);
    free(group->tile);
    free(group->ids);
    free(group->born);
    free(group->gone);
    free(group->order);
    memset(group, 0, sizeof *group);
}

/* Reallocates to `count` items; on failure the memory stays as it was. */
static bool grow(void **memory, size_t count, size_t item)
{
    void *longer = count <= SIZE_MAX / item ? realloc(*memory, count * item) : NULL;
    if (longer) *memory = longer;
    return longer != NULL;
}

static bool grow_tiles(tpc_group *group, uint32_t tiles)
{
    size_t capacity = group->tile_capacity + (size_t)group->tile_capacity / 2u + 16u;
    if (capacity < tiles) capacity = tiles;
    bool good = grow((void **)&group->tile, capacity, sizeof *group->tile);
    good = good && grow((void **)&group->ids, capacity * TPI_TILE_POINTS, sizeof *group->ids);
    good = good && grow((void **)&group->born, capacity * TPI_TILE_POINTS, 1);
    good = good && grow((void **)&group->gone, capacity * TPI_TILE_POINTS, 1);
    if (good) group->tile_capacity = (uint32_t)capacity;
    return good;
}

bool tpc_group_grow(tpc_group *group, uint32_t slots)
{
    uint32_t tiles = slots / TPI_TILE_POINTS + (slots % TPI_TILE_POINTS != 0);
    if (tiles > group->tile_capacity && !grow_tiles(group, tiles)) return false;
    for (; group->tiles < tiles; group->tiles++) {
        group->tile[group->tiles] = host_allocate(group->tile_words, sizeof **group->tile);
        if (!group->tile[group->tiles]) return false;
    }
    group->slots = slots;
    return true;
}

/* ---- order */

typedef struct slot_key {
    uint32_t id, slot;
} slot_key;

static int compare_keys(const void *a, const void *b)
{
    const slot_key *left = a, *right = b;
    if (left->id != right->id) return left->id < right->id ? -1 : 1;
    return left->slot < right->slot ? -1 : 1;
}

bool tpc_group_sort(tpc_group *group)
{
    bool in_order = true;
    free(group->order);
    group->order = host_allocate(group->slots, sizeof *group->order);
    slot_key *keys = host_allocate(group->slots, sizeof *keys);
    for (uint32_t i = 0; keys && i < group->slots; i++) {
        keys[i] = (slot_key){group->ids[i], i};
        in_order = in_order && (!i || group->ids[i] > group->ids[i - 1]);
    }
    if (keys && !in_order) qsort(keys, group->slots, sizeof *keys, compare_keys);
    for (uint32_t i = 0; keys && group->order && i < group->slots; i++)
        group->order[i] = keys[i].slot;
    bool good = keys && group->order;
    free(keys);
    return good;
}

static bool lives(const tpc_group *group, uint32_t slot, uint32_t frame)
{
    return frame >= group->born[slot] && frame < group->gone[slot];
}

/* ---- group to frame */

static uint32_t streams_of(const tpc_group *group)
{
    uint32_t streams = group->variant & TPC_INDEX ? POINT_BIT(POINT_INDEX) : 0;
    for (uint32_t k = 0; k < TPC_COLUMNS; k++)
        if (group->columns >> k & 1u) streams |= POINT_BIT(tpc_columns[k].stream);
    return streams;
}

static void take_column(const tpc_group *group, uint32_t frame, uint32_t k, host_frame *to)
{
    const tpc_column *column = &tpc_columns[k];
    uint32_t bytes = point_streams[column->stream].bytes, count = 0;
    uint8_t *element = to->data[column->stream];
    for (uint32_t i = 0; i < group->slots; i++) {
        uint32_t slot = group->order[i];
        if (!lives(group, slot, frame)) continue;
        for (uint32_t c = 0; c < column->components; c++) {
            const uint32_t *row = tpc_group_row(group, slot / TPI_TILE_POINTS, k, frame, c);
            tpc_store_word(column, c, element + (size_t)count * bytes, row[slot % TPI_TILE_POINTS]);
        }
        count++;
    }
}

/* Extra data in a clip: number of elements, then the elements; little-endian 32-bit words. */
static bool take_extra(const tpc_group *group, uint32_t frame, host_frame *to)
{
    for (uint32_t t = 1; t < EXTRA_TYPES; t++) {
        const tpc_bytes *from = &group->extra[frame][t];
        if (!from->bytes) continue;
        to->extra[t].count = (from->size - 4u) / extra_bytes[t];
        to->extra[t].bytes = host_allocate(from->size, 1);
        if (!to->extra[t].bytes) return false;
        for (uint32_t at = 4; at < from->size; at += 4) {
            uint32_t word = tpi_load_u32(from->bytes + at);
            memcpy(to->extra[t].bytes + at - 4u, &word, sizeof word);
        }
    }
    return true;
}

int tpc_group_frame(const tpc_group *group, uint32_t frame, host_frame *to)
{
    uint32_t count = 0, streams = streams_of(group);
    for (uint32_t i = 0; i < group->slots; i++) count += lives(group, i, frame);
    if (!host_frame_allocate(to, count, streams)) return host_out_of_memory("a frame");
    to->number = group->first + (double)group->step * frame;
    to->streams = streams;
    to->depth = group->variant & TPC_DEPTH;
    uint32_t *indices = to->data[POINT_INDEX];
    count = 0;
    for (uint32_t i = 0; i < group->slots; i++)
        if (lives(group, group->order[i], frame)) indices[count++] = group->ids[group->order[i]];
    for (uint32_t i = 1; i < count; i++)
        if (indices[i] == indices[i - 1]) {
            host_frame_free(to);
            return HOST_DIFFERENT;
        }
    for (uint32_t k = 0; k < TPC_COLUMNS; k++)
        if (group->columns >> k & 1u) take_column(group, frame, k, to);
    if (take_extra(group, frame, to)) return HOST_DONE;
    host_frame_free(to);
    return host_out_of_memory("a frame");
}

/* ---- frame to group */

static bool put_extra(tpc_group *group, const host_frame *frame)
{
    for (uint32_t t = 1; t < EXTRA_TYPES; t++) {
        const host_extra *extra = &frame->extra[t];
        tpc_bytes *to = &group->extra[group->frames][t];
        if (!extra->bytes) continue;
        size_t size = 4u + (size_t)extra->count * extra_bytes[t];
        to->bytes = size <= UINT32_MAX ? host_allocate(size, 1) : NULL;
        if (!to->bytes) return false;
        to->size = (uint32_t)size;
        tpi_store_u32(to->bytes, extra->count);
        for (size_t at = 4; at < size; at += 4) {
            uint32_t word;
            memcpy(&word, extra->bytes + at - 4u, sizeof word);
            tpi_store_u32(to->bytes + at, word);
        }
    }
    return true;
}

/* Copies a column of all points; order[i] is the slot of point i. */
static void put_column(tpc_group *group, const host_frame *frame, uint32_t k, const uint32_t *order)
{
    const tpc_column *column = &tpc_columns[k];
    const uint8_t *elements = frame->data[column->stream];
    size_t bytes = point_streams[column->stream].bytes;
    uint32_t tile = UINT32_MAX, *row = NULL;
    for (uint32_t i = 0; elements && i < frame->count; i++, elements += bytes) {
        if (order[i] / TPI_TILE_POINTS != tile) {
            tile = order[i] / TPI_TILE_POINTS;
            row = tpc_group_row(group, tile, k, group->frames, 0);
        }
        uint32_t *to = row + order[i] % TPI_TILE_POINTS;
        for (uint32_t c = 0; c < column->components; c++, to += TPI_TILE_POINTS)
            if (column->is_float) /* the usual case: without a call */
                memcpy(to, elements + 4u * (column->word + c), sizeof *to);
            else
                *to = tpc_load_word(column, c, elements);
    }
}

/* Merges the points of the frame with those of the previous frame. Until the end `order` has the
   slots of the previous frame, sorted by identity; then those of this frame. */
bool tpc_group_add(tpc_group *group, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    uint32_t before = 0, old = 0, *order = host_allocate(frame->count, sizeof *order);
    for (uint32_t i = 0; group->frames && i < group->slots; i++)
        before += group->gone[i] == group->frames;
    bool good = order && put_extra(group, frame);
    for (uint32_t i = 0; good && i < frame->count; i++) {
        while (old < before && group->ids[group->order[old]] < indices[i]) old++;
        if (old < before && group->ids[group->order[old]] == indices[i]) {
            order[i] = group->order[old];
        } else {
            order[i] = group->slots;
            good = tpc_group_grow(group, group->slots + 1u);
            if (!good) break;
            group->ids[order[i]] = indices[i];
            group->born[order[i]] = (uint8_t)group->frames;
        }
        group->gone[order[i]] = (uint8_t)(group->frames + 1u);
    }
    for (uint32_t k = 0; k < TPC_COLUMNS && good; k++)
        if (group->columns >> k & 1u) put_column(group, frame, k, order);
    free(group->order);
    group->order = order;
    group->frames++;
    return good;
}
