/* SPDX-License-Identifier: MIT
   host_tools/clip/compact.c - compact clips: the header, the used bytes of blocks, and back.
   reads   a clip      writes  the same clip in the other form
   memory  see compact.h      cost    see compact.h
   after   own design; blocks are read and written with runtime/codec, so that both forms are
           checked in the same way */
#include "compact.h"
#include <stdlib.h>
#include <string.h>

enum { COMPACT_DONE, COMPACT_REFUSED, COMPACT_NO_MEMORY };

/* A clip in memory, with its storage. */
typedef struct clip_form {
    tpi_clip clip;
    tpi_clip_memory memory;
    tpi_clip_storage storage;
    uint8_t block[2][1u << TPI_CLIP_BLOCK_HIGHEST];
} clip_form;

static clip_form *open_form(const uint8_t *bytes, size_t size)
{
    clip_form *form = calloc(1, sizeof *form);
    if (!form) return NULL;
    form->memory = (tpi_clip_memory){(uint8_t *)(uintptr_t)bytes, size, size};
    form->storage = (tpi_clip_storage){&form->memory,
                                       tpi_clip_memory_read,
                                       tpi_clip_memory_write,
                                       {form->block[0], form->block[1]},
                                       1u << TPI_CLIP_BLOCK_HIGHEST};
    return form;
}

bool host_compact_recognises(const uint8_t *start, size_t size)
{
    return size >= 4u && memcmp(start, "TPCS", 4) == 0;
}

/* ---- to the compact form */

/* Sets the first block of the group of kind TPI_CLIP_ABOUT, and the number of streams that a group
   has. False: several groups of frames, or none. */
static bool find_groups(clip_form *form, uint32_t *streams)
{
    tpi_clip *clip = &form->clip;
    uint32_t frames = 0, have = 1u;
    for (uint32_t end = clip->end; end > TPI_CLIP_FIRST_BLOCK;) {
        tpi_clip_group group;
        if (tpi_clip_group_before(clip, &form->storage, end, &group)) return false;
        frames += group.kind == TPI_CLIP_FRAMES;
        have |= group.streams;
        if (group.kind == TPI_CLIP_ABOUT) clip->about = group.first_block;
        end = group.first_block;
    }
    for (*streams = clip->schema.stream_count; !(have >> (*streams - 1u)); (*streams)--) {}
    return frames == 1u;
}

/* Reads block `number`; its payload is in the first buffer. False: damaged. */
static bool take_block(clip_form *form, uint32_t number, tpi_clip_head *head)
{
    if (tpi_clip_load(&form->clip, &form->storage, number, 0)) return false;
    tpi_clip_head_of(&form->clip, form->block[0], number, head);
    return true;
}

static uint32_t elide_zeros(const uint8_t *from, uint32_t size, uint8_t *to)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < size; k += 8u) {
        uint8_t *mask = &to[at++];
        *mask = 0;
        for (uint32_t i = 0; i < 8u && k + i < size; i++) {
            if (!from[k + i]) continue;
            *mask |= (uint8_t)(1u << i);
            to[at++] = from[k + i];
        }
    }
    return at;
}

/* Writes the header; its numbers are those of form->clip. Returns its size. */
static uint32_t put_header(const clip_form *form, uint32_t streams, uint8_t *to)
{
    const tpi_clip *clip = &form->clip;
    uint8_t header[TPI_CLIP_COMPACT_MAX] = {0}, *payload = header + TPI_CLIP_COMPACT_NUMBERS;
    uint32_t size = TPI_CLIP_HEADER_BYTES + streams * TPI_CLIP_STREAM_BYTES;
    tpi_store_u32(header, clip->about == clip->end ? 0 : clip->about);
    tpi_store_u32(header + 4, clip->last_used[0] | (uint32_t)clip->last_used[1] << 16);
    memcpy(payload, form->memory.bytes + TPI_CLIP_HEAD_BYTES, size); /* of the first block */
    payload[55] = (uint8_t)streams;
    memcpy(to, "TPCS", 4);
    tpi_store_u32(to + 4, clip->epoch);
    size = elide_zeros(header, TPI_CLIP_COMPACT_NUMBERS + size, to + TPI_CLIP_COMPACT_BYTES);
    tpi_store_u32(to + 8, TPI_CLIP_COMPACT_BYTES + size);
    tpi_store_u32(to + 12, tpi_crc32c(tpi_crc32c(0, to, 12), to + TPI_CLIP_COMPACT_BYTES, size));
    return TPI_CLIP_COMPACT_BYTES + size;
}

/* Only the last block of a group has unused bytes. */
static int put_blocks(clip_form *form, uint8_t *to, size_t *at)
{
    const tpi_clip *clip = &form->clip;
    tpi_clip_head head;
    for (uint32_t number = TPI_CLIP_FIRST_BLOCK; number < clip->end; number++) {
        if (!take_block(form, number, &head)) return COMPACT_REFUSED;
        if (number + 1u != clip->about && number + 1u != clip->end)
            head.payload = (uint16_t)tpi_clip_payload(clip);
        uint8_t bytes[TPI_CLIP_HEAD_CRC];
        tpi_clip_put_head(bytes, &head);
        const uint8_t *payload = form->block[0] + TPI_CLIP_HEAD_BYTES;
        tpi_store_u32(to + *at,
                      tpi_crc32c(tpi_crc32c(0, bytes, sizeof bytes), payload, head.payload));
        memcpy(to + *at + TPI_CLIP_CRC_BYTES, payload, head.payload);
        *at += TPI_CLIP_CRC_BYTES + head.payload;
    }
    return COMPACT_DONE;
}

static int make_compact(clip_form *form, uint8_t *to, size_t *to_size)
{
    tpi_clip *clip = &form->clip;
    tpi_clip_head head[2];
    uint32_t streams;
    if (tpi_clip_open(clip, &form->storage) || clip->compact || !clip->is_closed ||
        clip->opening != 1u || clip->generation != 4u)
        return COMPACT_REFUSED;
    if (!find_groups(form, &streams) || !take_block(form, clip->about - 1u, &head[0]) ||
        !take_block(form, clip->end - 1u, &head[1]))
        return COMPACT_REFUSED;
    for (uint32_t k = 0; k < 2u; k++) clip->last_used[k] = head[k].payload;
    *to_size = put_header(form, streams, to);
    return put_blocks(form, to, to_size);
}

int host_compact(const uint8_t *clip, size_t size, uint8_t **to, size_t *to_size)
{
    *to = NULL;
    if (size > HOST_COMPACT_MAX) return COMPACT_REFUSED;
    clip_form *form = open_form(clip, size);
    *to = malloc(size + 2u * TPI_CLIP_COMPACT_MAX);
    int code = form && *to ? make_compact(form, *to, to_size) : COMPACT_NO_MEMORY;
    free(form);
    if (!code) return code;
    free(*to);
    *to = NULL;
    return code;
}

/* ---- and back */

static int undo_blocks(clip_form *form, uint8_t *to)
{
    uint32_t size = tpi_clip_block_bytes(&form->clip);
    tpi_clip_head head;
    for (uint32_t number = TPI_CLIP_FIRST_BLOCK; number < form->clip.end; number++) {
        uint8_t *block = to + (size_t)number * size;
        if (!take_block(form, number, &head)) return COMPACT_REFUSED;
        memcpy(block + TPI_CLIP_HEAD_BYTES, form->block[0] + TPI_CLIP_HEAD_BYTES, head.payload);
        tpi_clip_seal(block, size, &head);
    }
    return COMPACT_DONE;
}

/* Writes both headers as closing a new clip does. */
static bool undo_headers(clip_form *form, uint8_t *to, size_t size)
{
    tpi_clip_writer writer = {.clip = form->clip};
    form->memory = (tpi_clip_memory){to, size, size};
    writer.clip.generation = 2;
    writer.groups = form->clip.groups, writer.frames = form->clip.frames;
    writer.first_frame = form->clip.first_frame, writer.last_frame = form->clip.last_frame;
    writer.slots_max = form->clip.slots_max, writer.piece_max = form->clip.piece_max;
    return tpi_clip_close(&writer, &form->storage) == TPI_CLIP_OK;
}

int host_compact_undo(const uint8_t *compact, size_t size, uint8_t **to, size_t *to_size,
                      size_t *at)
{
    *to = NULL, *at = 0;
    clip_form *form = open_form(compact, size);
    if (!form) return COMPACT_NO_MEMORY;
    int code = tpi_clip_open(&form->clip, &form->storage) || !form->clip.compact ? COMPACT_REFUSED
                                                                                 : COMPACT_DONE;
    bool is_there = !code && tpi_clip_block_end(&form->clip, form->clip.end - 1u) == size;
    if (!code && !is_there) code = COMPACT_REFUSED, form->clip.fault = size;
    *to_size = code ? 0 : (size_t)form->clip.end << form->clip.schema.block_bits;
    if (!code && !(*to = calloc(*to_size, 1))) code = COMPACT_NO_MEMORY;
    if (!code) code = undo_blocks(form, *to);
    if (!code && !undo_headers(form, *to, *to_size)) code = COMPACT_REFUSED;
    *at = (size_t)form->clip.fault;
    free(form);
    if (!code) return code;
    free(*to);
    *to = NULL;
    return code;
}
