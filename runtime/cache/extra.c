/* SPDX-License-Identifier: MIT
   runtime/cache/extra.c - extra blocks of grouped frames: staging, byte deltas from frame to frame.
   reads   the source, staged blocks, the ring      writes  staged blocks, records, one extra block
   memory  1.5 * group_frames * (all blocks and 8 bytes each)
   cost    O(bytes) per block and frame
   after   own design: run-length coded differences to the previous frame; lossless

   A record: bytes of the block 4, then either the whole block (if the record has 4 bytes more than
   the block), or changes relative to the block in the frame before (zeros before the first frame):

       for each change: number of unchanged bytes, number of changed bytes, the changed bytes

   Bytes after the last change are unchanged. Numbers are LEB128: 7 bits per byte, lowest first,
   128 added if more bytes follow. */
#include "cache.h"

#define EXTRA_HEAD_BYTES 4u
#define EXTRA_GAP        4u /* a run of changes ends before this many unchanged bytes */

/* ---- staging ---- */

static uint32_t extra_offset(const tpi_cache_shape *shape, const tp_schema *schema, uint32_t count)
{
    uint32_t bytes = 0;
    for (uint32_t extra = 0; extra < count && shape->is_exact; extra++)
        bytes += EXTRA_HEAD_BYTES + ((schema->extras[extra].bytes_max + 3u) & ~3u);
    return bytes;
}

void tpi_extra_shape(tpi_cache_shape *shape, const tp_schema *schema)
{
    if (!shape->is_exact || schema->extra_count == 0) return;
    shape->staged_extra_bytes = extra_offset(shape, schema, schema->extra_count);
    shape->record_bytes_max =
        tpi_max_u32(shape->record_bytes_max, EXTRA_HEAD_BYTES + shape->extra_bytes_max);
}

/* A staged block: bytes 4, then the block. */
static uint8_t *extra_staged(const tp_cache *cache, const tpi_cache_group *group, uint32_t frame,
                             uint32_t extra)
{
    uint32_t row = (group->row + frame) % cache->shape.staged_rows;
    return tpi_cache_bytes(cache, cache->offsets.extras) +
           (size_t)row * cache->shape.staged_extra_bytes +
           extra_offset(&cache->shape, &cache->def.schema, extra);
}

bool tpi_extra_stage(tp_cache *cache, const tp_source *source, uint32_t extra, uint32_t *units)
{
    const tpi_cache_group *group = &cache->groups[cache->side];
    uint8_t *to = extra_staged(cache, group, group->frames, extra);
    uint32_t size = source->extra_read(source->context, extra, NULL);
    if (size > cache->def.schema.extras[extra].bytes_max) return false;
    size = source->extra_read(source->context, extra, to + EXTRA_HEAD_BYTES);
    tpi_store_u32(to, size);
    *units = 1u + size / 16u;
    return true;
}

/* ---- coding ---- */

static uint32_t extra_put_number(uint8_t *to, uint32_t number)
{
    uint32_t bytes = 0;
    for (; number >= 128u; number >>= 7) to[bytes++] = (uint8_t)(number | 128u);
    to[bytes++] = (uint8_t)number;
    return bytes;
}

/* False: the number is incomplete or exceeds 28 bits. */
static bool extra_get_number(const uint8_t *bytes, uint32_t size, uint32_t *at, uint32_t *number)
{
    *number = 0;
    for (uint32_t shift = 0; shift < 28u && *at < size; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *number |= (uint32_t)(byte & 127u) << shift;
        if (byte < 128u) return true;
    }
    return false;
}

typedef struct extra_pair {
    const uint8_t *before, *now;
    uint32_t before_size, size;
} extra_pair;

static bool extra_is_same(const extra_pair *pair, uint32_t at)
{
    return pair->now[at] == (at < pair->before_size ? pair->before[at] : 0u);
}

/* End of the run of unchanged or changed bytes that begins at `at`. */
static uint32_t extra_run(const extra_pair *pair, uint32_t at, bool is_same)
{
    uint32_t end = at;
    for (; at < pair->size && (is_same || at - end < EXTRA_GAP); at++) {
        if (extra_is_same(pair, at) == is_same)
            end = at + 1u;
        else if (is_same)
            break;
    }
    return end;
}

/* Encodes the changes; returns their bytes. Null `to`: only counts. */
static uint32_t extra_changes(const extra_pair *pair, uint8_t *to)
{
    uint8_t numbers[10];
    uint32_t bytes = 0, at = 0;
    while (at < pair->size) {
        uint32_t from = extra_run(pair, at, true), end = extra_run(pair, from, false);
        if (from == pair->size) break;
        uint32_t head = extra_put_number(numbers, from - at);
        head += extra_put_number(numbers + head, end - from);
        if (to) {
            tpi_memcpy(to + bytes, numbers, head);
            tpi_memcpy(to + bytes + head, pair->now + from, end - from);
        }
        bytes += head + end - from;
        at = end;
    }
    return bytes;
}

uint32_t tpi_extra_pack(const tp_cache *cache, uint32_t record, uint8_t *to, uint32_t *units)
{
    const tpi_cache_group *group = &cache->groups[cache->packer.side];
    uint32_t extra = record / group->frames, frame = record % group->frames;
    const uint8_t *now = extra_staged(cache, group, frame, extra),
                  *before = frame ? extra_staged(cache, group, frame - 1u, extra) : NULL;
    extra_pair pair = {.now = now + EXTRA_HEAD_BYTES, .size = tpi_load_u32(now)};
    if (before) {
        pair.before = before + EXTRA_HEAD_BYTES;
        pair.before_size = tpi_load_u32(before);
    }
    *units = 1u + pair.size / 16u;
    uint32_t bytes = extra_changes(&pair, NULL);
    tpi_store_u32(to, pair.size);
    if (bytes < pair.size) return EXTRA_HEAD_BYTES + extra_changes(&pair, to + EXTRA_HEAD_BYTES);
    if (pair.size) tpi_memcpy(to + EXTRA_HEAD_BYTES, pair.now, pair.size);
    return EXTRA_HEAD_BYTES + pair.size;
}

/* Applies the changes: turns the block into that of the next frame. False: damaged. */
static bool extra_change(uint8_t *block, uint32_t size, const uint8_t *bytes, uint32_t coded)
{
    uint32_t at = 0, position = 0, same, changed;
    while (at < coded) {
        if (!extra_get_number(bytes, coded, &at, &same) ||
            !extra_get_number(bytes, coded, &at, &changed))
            return false;
        if (same > size - position || changed > size - position - same || changed > coded - at)
            return false;
        tpi_memcpy(block + position + same, bytes + at, changed);
        position += same + changed;
        at += changed;
    }
    return true;
}

/* ---- decoding ---- */

/* Applies the record of one frame. MORE: records up to the side's own frame are left. Records after
   it are skipped. */
static tp_result extra_unpack(const tp_cache *cache, tpi_cache_side *side, uint32_t frame,
                              uint32_t *size)
{
    uint8_t *bytes = tpi_cache_bytes(cache, cache->offsets.staging),
            *block = tpi_cache_bytes(cache, cache->offsets.extra);
    uint32_t taken, before = frame ? *size : 0;
    if (!tpi_side_take(cache, side, bytes, cache->shape.record_bytes_max, &taken) ||
        taken < EXTRA_HEAD_BYTES)
        return TP_ERROR_FRAME;
    if (frame > side->index) return TP_MORE;
    *size = tpi_load_u32(bytes);
    taken -= EXTRA_HEAD_BYTES;
    if (*size > cache->shape.extra_bytes_max || taken > *size) return TP_ERROR_FRAME;
    if (*size > before) tpi_memset(block + before, 0, *size - before);
    if (taken == *size)
        tpi_memcpy(block, bytes + EXTRA_HEAD_BYTES, taken);
    else if (!extra_change(block, *size, bytes + EXTRA_HEAD_BYTES, taken))
        return TP_ERROR_FRAME;
    return frame == side->index ? TP_OK : TP_MORE;
}

tp_result tpi_extra_load(const tp_cache *cache, tpi_cache_side *side, uint32_t *size,
                         uint32_t *units)
{
    uint8_t *block = tpi_cache_bytes(cache, cache->offsets.extra);
    uint32_t record = side->record - side->tiles;
    tp_result result = TP_OK;
    if (!tpi_cache_is_grouped(cache)) {
        if (!tpi_side_take(cache, side, block, cache->shape.extra_bytes_max, size))
            return TP_ERROR_FRAME;
    } else if (side->bytes == 0) {
        const tpi_cache_group *group = &cache->groups[tpi_group_side(cache, side->group)];
        const uint8_t *staged = extra_staged(cache, group, side->index, record);
        *size = tpi_load_u32(staged);
        tpi_memcpy(block, staged + EXTRA_HEAD_BYTES, *size);
        side->record++;
    } else {
        result = extra_unpack(cache, side, record % side->frames, size);
    }
    *units = 1u + *size / 16u;
    bool is_valid =
        result != TP_OK || *size <= cache->def.schema.extras[record / side->frames].bytes_max;
    return is_valid ? result : TP_ERROR_FRAME; /* forged data can have valid checksums */
}
