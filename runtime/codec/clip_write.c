/* SPDX-License-Identifier: MIT
   runtime/codec/clip_write.c - writes clips: appends groups to the log, writes the headers.
   reads   pieces      writes  storage, a block at a time
   memory  see clip.h      cost    stated at each call, in blocks
   after   own design, append-only log: blocks are written once, in order; the last block of a group
           commits it */
#include "clip.h"

void tpi_clip_seal(uint8_t *block, uint32_t block_bytes, const tpi_clip_head *head)
{
    tpi_clip_put_head(block, head);
    tpi_store_u32(block + TPI_CLIP_HEAD_CRC, tpi_clip_block_crc(block, block_bytes));
}

uint32_t tpi_clip_memory_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    const tpi_clip_memory *memory = context;
    if (offset >= memory->size) return 0;
    uint32_t got = memory->size - offset < size ? (uint32_t)(memory->size - offset) : size;
    tpi_memcpy(bytes, memory->bytes + offset, got);
    return got;
}

bool tpi_clip_memory_write(void *context, uint64_t offset, const void *bytes, uint32_t size)
{
    tpi_clip_memory *memory = context;
    if (offset > memory->size_max || memory->size_max - offset < size) return false;
    tpi_memcpy(memory->bytes + offset, bytes, size);
    if (offset + size > memory->size) memory->size = offset + size;
    return true;
}

static tpi_clip_result writer_fault(tpi_clip_writer *writer, tpi_clip_result result, uint64_t at,
                                    const char *expected)
{
    writer->clip.fault = at;
    writer->clip.expected = expected;
    writer->is_damaged = true;
    return result;
}

/* ---- headers */

static void put_f32(uint8_t *to, float value) { tpi_store_u32(to, tpi_bits(value)); }

static void put_schema(uint8_t *payload, const tpi_clip_schema *schema)
{
    tpi_store_u32(payload, TPI_CLIP_VERSION | schema->block_bits << 16);
    payload[4] = schema->required;
    tpi_store_u32(payload + 8, schema->features);
    put_f32(payload + 44, schema->fps);
    put_f32(payload + 48, schema->seconds_per_frame);
    payload[52] = TPI_TILE_POINTS;
    payload[53] = schema->key_interval;
    payload[54] = schema->simulation;
    payload[55] = schema->stream_count;
    tpi_store_u32(payload + 56, schema->point_count);
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        uint8_t *to = payload + TPI_CLIP_HEADER_BYTES + s * TPI_CLIP_STREAM_BYTES;
        const tpi_clip_stream *stream = &schema->stream[s];
        tpi_memcpy(to, stream->name, TPI_CLIP_NAME_BYTES);
        to[12] = stream->type;
        to[13] = stream->components;
        to[14] = stream->is_once;
        put_f32(to + 16, stream->error);
    }
}

/* Headers alternate between two blocks: odd generations are in block 0, even ones in block 1, so
   that the newest header is never overwritten. */
static tpi_clip_result write_header(tpi_clip_writer *writer, const tpi_clip_storage *storage)
{
    tpi_clip *clip = &writer->clip;
    uint32_t size = tpi_clip_block_bytes(clip), number = (clip->generation + 1u) & 1u ? 0u : 1u;
    uint8_t *block = storage->block[0], *payload = block + TPI_CLIP_HEAD_BYTES;
    tpi_clip_head head = {.kind = TPI_CLIP_KIND_HEADER,
                          .epoch = clip->epoch,
                          .number = number,
                          .opening = clip->opening};
    head.group = ++clip->generation;
    head.payload =
        (uint16_t)(TPI_CLIP_HEADER_BYTES + clip->schema.stream_count * TPI_CLIP_STREAM_BYTES);
    tpi_memset(block, 0, size);
    put_schema(payload, &clip->schema);
    tpi_store_u32(payload + 12, clip->log_begin);
    tpi_store_u32(payload + 16, clip->is_closed ? clip->end : 0);
    tpi_store_u32(payload + 20, clip->groups);
    tpi_store_u32(payload + 24, (uint32_t)clip->first_frame);
    tpi_store_u32(payload + 28, (uint32_t)clip->last_frame);
    tpi_store_u32(payload + 32, clip->frames);
    tpi_store_u32(payload + 36, clip->slots_max);
    tpi_store_u32(payload + 40, clip->piece_max);
    tpi_clip_seal(block, size, &head);
    if (storage->write && storage->write(storage->context, (uint64_t)number * size, block, size))
        return TPI_CLIP_OK;
    return writer_fault(writer, TPI_CLIP_STORAGE, (uint64_t)number * size, "space for a header");
}

/* Writes both headers, so that one may be lost. */
static tpi_clip_result write_headers(tpi_clip_writer *writer, const tpi_clip_storage *storage)
{
    writer->clip.loaded[0] = UINT32_MAX;
    tpi_clip_result result = write_header(writer, storage);
    if (!result) result = write_header(writer, storage);
    tpi_memset(storage->block[0], 0, tpi_clip_block_bytes(&writer->clip));
    return result;
}

static bool is_good_schema(const tpi_clip_schema *schema, uint32_t block_max)
{
    if (schema->block_bits < TPI_CLIP_BLOCK_LOWEST || schema->block_bits > TPI_CLIP_BLOCK_HIGHEST)
        return false;
    if (1u << schema->block_bits > block_max || !schema->key_interval) return false;
    if (schema->stream_count < 1u || schema->stream_count > TPI_CLIP_STREAMS) return false;
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        const tpi_clip_stream *stream = &schema->stream[s];
        bool is_bytes = stream->type == TPI_CLIP_BYTES;
        if (stream->type > TPI_CLIP_BYTES || stream->components > TPI_TILE_COMPONENTS) return false;
        if (is_bytes != (stream->components == 0) || !tpi_is_finite(stream->error) ||
            stream->error < 0.0f)
            return false;
    }
    const tpi_clip_stream *identity = &schema->stream[0];
    return identity->type == TPI_CLIP_U32 && identity->components == 1u && identity->is_once;
}

tpi_clip_result tpi_clip_create(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                const tpi_clip_schema *schema, uint32_t epoch)
{
    tpi_memset(writer, 0, sizeof *writer);
    writer->clip.schema = *schema;
    if (!is_good_schema(schema, storage->block_max))
        return writer_fault(writer, TPI_CLIP_TOO_LARGE, 0,
                            "a schema whose blocks fit the buffers, with 1 to 20 streams");
    writer->clip.epoch = epoch;
    writer->clip.opening = 1;
    writer->clip.log_begin = writer->clip.end = TPI_CLIP_FIRST_BLOCK;
    writer->clip.loaded[1] = UINT32_MAX;
    writer->block = TPI_CLIP_FIRST_BLOCK;
    writer->last_frame = -1;
    return write_headers(writer, storage);
}

static void count_group(tpi_clip_writer *writer, const tpi_clip_group *group)
{
    if (group->kind == TPI_CLIP_FRAMES) {
        int32_t last = group->first_frame + (int32_t)(group->step * (group->frames - 1u));
        if (!writer->groups || group->first_frame < writer->first_frame)
            writer->first_frame = group->first_frame;
        if (!writer->groups || last > writer->last_frame) writer->last_frame = last;
        writer->frames += group->frames;
        writer->groups++;
    }
    writer->slots_max = tpi_max_u32(writer->slots_max, group->slots);
    writer->piece_max = tpi_max_u32(writer->piece_max, group->piece_max);
}

tpi_clip_result tpi_clip_append(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                int32_t frame)
{
    tpi_memset(writer, 0, sizeof *writer);
    tpi_clip *clip = &writer->clip;
    tpi_clip_group group;
    tpi_clip_result result = tpi_clip_open(clip, storage);
    if (result) return result;
    if (clip->compact) return writer_fault(writer, TPI_CLIP_NEWER, 0, "a clip that is not compact");
    uint32_t kept = clip->end;
    writer->last_frame = -1;
    for (uint32_t end = clip->end; end > TPI_CLIP_FIRST_BLOCK; end = group.first_block) {
        result = tpi_clip_group_before(clip, storage, end, &group);
        if (result) return result;
        if (group.kind == TPI_CLIP_ABOUT || (frame != INT32_MAX && group.first_frame >= frame))
            kept = group.first_block;
        else
            count_group(writer, &group);
    }
    clip->is_closed = false;
    clip->groups = clip->frames = clip->slots_max = clip->piece_max = 0;
    clip->first_frame = 0, clip->last_frame = -1;
    clip->opening++;
    clip->log_begin = clip->end = writer->block = kept;
    return write_headers(writer, storage);
}

tpi_clip_result tpi_clip_close(tpi_clip_writer *writer, const tpi_clip_storage *storage)
{
    tpi_clip *clip = &writer->clip;
    if (writer->is_damaged) return TPI_CLIP_STORAGE;
    clip->is_closed = true;
    clip->groups = writer->groups, clip->frames = writer->frames;
    clip->first_frame = writer->first_frame, clip->last_frame = writer->last_frame;
    clip->slots_max = writer->slots_max, clip->piece_max = writer->piece_max;
    return write_headers(writer, storage);
}

/* ---- blocks */

static tpi_clip_result flush_block(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                   uint8_t kind)
{
    uint32_t size = tpi_clip_block_bytes(&writer->clip);
    uint64_t at = (uint64_t)writer->block * size;
    tpi_clip_head head = {kind,
                          writer->clip.epoch,
                          writer->block,
                          writer->group.first_block,
                          writer->group.first_frame,
                          (uint16_t)writer->used,
                          writer->clip.opening};
    if (writer->block >= 0xf0000000u)
        return writer_fault(writer, TPI_CLIP_TOO_LARGE, at, "fewer than 15 * 2^28 blocks");
    tpi_clip_seal(storage->block[0], size, &head);
    if (!storage->write(storage->context, at, storage->block[0], size))
        return writer_fault(writer, TPI_CLIP_STORAGE, at, "space for a block");
    tpi_memset(storage->block[0], 0, size);
    writer->block++;
    writer->used = 0;
    return TPI_CLIP_OK;
}

static tpi_clip_result put_bytes(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                 const uint8_t *bytes, uint32_t size)
{
    uint32_t payload = tpi_clip_payload(&writer->clip);
    if (size > 0xf0000000u - writer->at)
        return writer_fault(writer, TPI_CLIP_TOO_LARGE, writer->at,
                            "a group of less than 3.75 GiB");
    writer->at += size;
    while (size) {
        if (writer->used == payload) {
            tpi_clip_result result = flush_block(writer, storage, TPI_CLIP_KIND_DATA);
            if (result) return result;
        }
        uint32_t part = tpi_min_u32(size, payload - writer->used);
        tpi_memcpy(storage->block[0] + TPI_CLIP_HEAD_BYTES + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        size -= part;
    }
    return TPI_CLIP_OK;
}

/* ---- groups */

tpi_clip_result tpi_clip_group_begin(tpi_clip_writer *writer)
{
    tpi_clip *clip = &writer->clip;
    tpi_clip_group *group = &writer->group;
    uint64_t pieces = 0;
    bool is_about = group->kind == TPI_CLIP_ABOUT;
    bool is_possible = group->frames >= 1u && group->frames <= TPI_TILE_FRAMES_MAX && group->step &&
                       group->streams & 1u && group->kind <= TPI_CLIP_ABOUT &&
                       !(group->streams >> clip->schema.stream_count) &&
                       (is_about || group->frames <= clip->schema.key_interval) &&
                       !writer->has_about;
    bool is_later = is_about || !writer->groups || group->first_frame > writer->last_frame;
    /* other numbers of frames would overflow */
    int64_t last =
        is_possible ? group->first_frame + (int64_t)group->step * (group->frames - 1u) : 0;
    if (writer->is_damaged || !is_possible || !is_later || last > INT32_MAX)
        return writer_fault(writer, TPI_CLIP_DAMAGED, 0,
                            "a group of 1 to key_interval frames after all other groups");
    if (is_about) group->first_frame = writer->groups ? writer->last_frame : 0;
    writer->has_about = is_about;
    for (uint32_t s = 0; s < clip->schema.stream_count; s++)
        pieces += tpi_clip_pieces(clip, group, s);
    if (pieces > 0x20000000u)
        return writer_fault(writer, TPI_CLIP_TOO_LARGE, 0, "a group with fewer points");
    group->pieces = (uint32_t)pieces;
    group->piece_max = 0;
    group->first_block = writer->block;
    writer->used = writer->at = writer->piece = 0;
    return TPI_CLIP_OK;
}

tpi_clip_result tpi_clip_put(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                             uint32_t *ends, const uint8_t *bytes, uint32_t size)
{
    if (writer->is_damaged || writer->piece >= writer->group.pieces)
        return writer_fault(writer, TPI_CLIP_DAMAGED, 0, "as many pieces as the group has");
    tpi_clip_result result = put_bytes(writer, storage, bytes, size);
    ends[writer->piece++] = writer->at;
    writer->group.piece_max = tpi_max_u32(writer->group.piece_max, size);
    return result;
}

static tpi_clip_result put_directory(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                     const uint32_t *ends, const tpi_lattice *lattices)
{
    tpi_clip_result result = TPI_CLIP_OK;
    uint32_t piece = 0;
    uint8_t bytes[8];
    for (uint32_t s = 0; s < writer->clip.schema.stream_count; s++) {
        const tpi_clip_stream *stream = &writer->clip.schema.stream[s];
        uint32_t pieces = tpi_clip_pieces(&writer->clip, &writer->group, s);
        if (!(writer->group.streams >> s & 1u)) continue;
        for (uint32_t c = 0; !result && tpi_clip_has_lattice(stream) && c < stream->components;
             c++) {
            put_f32(bytes, lattices[s * TPI_TILE_COMPONENTS + c].origin);
            put_f32(bytes + 4, lattices[s * TPI_TILE_COMPONENTS + c].quarter);
            result = put_bytes(writer, storage, bytes, 8);
        }
        for (uint32_t p = 0; !result && p < pieces; p++) {
            tpi_store_u32(bytes, ends[piece++]);
            result = put_bytes(writer, storage, bytes, 4);
        }
    }
    return result;
}

static void put_tail(const tpi_clip_group *group, uint8_t *tail)
{
    tpi_store_u32(tail, group->directory);
    tpi_store_u32(tail + 4, group->slots);
    tpi_store_u32(tail + 8, group->streams);
    tpi_store_u32(tail + 12, group->step);
    tpi_store_u32(tail + 16,
                  group->frames | (uint32_t)group->kind << 16 | (uint32_t)group->variant << 24);
    tpi_store_u32(tail + 20, group->piece_max);
    tpi_store_u32(tail + 24, group->pieces);
}

tpi_clip_result tpi_clip_group_end(tpi_clip_writer *writer, const tpi_clip_storage *storage,
                                   const uint32_t *ends, const tpi_lattice *lattices)
{
    uint8_t tail[TPI_CLIP_TAIL_BYTES];
    if (writer->is_damaged || writer->piece != writer->group.pieces)
        return writer_fault(writer, TPI_CLIP_DAMAGED, 0, "as many pieces as the group has");
    writer->group.directory = writer->at;
    tpi_clip_result result = put_directory(writer, storage, ends, lattices);
    if (!result && tpi_clip_payload(&writer->clip) - writer->used < TPI_CLIP_TAIL_BYTES)
        result = flush_block(writer, storage, TPI_CLIP_KIND_DATA);
    put_tail(&writer->group, tail);
    if (!result) result = put_bytes(writer, storage, tail, sizeof tail);
    if (!result) result = flush_block(writer, storage, TPI_CLIP_KIND_END);
    if (result) return result;
    writer->group.last_block = writer->block - 1u;
    writer->clip.end = writer->block;
    count_group(writer, &writer->group);
    return TPI_CLIP_OK;
}
