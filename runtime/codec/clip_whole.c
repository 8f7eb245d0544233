/* SPDX-License-Identifier: MIT
   runtime/codec/clip_whole.c - blocking calls for clips: open, find and read in one call each.
   reads   storage      writes  the caller's record and block buffers
   memory  see clip.h      cost    stated at each call, in blocks
   after   own design; loops over the incremental calls of clip_read.c; for storage that never
           answers TPI_CLIP_NOT_YET */
#include "clip.h"

tpi_clip_result tpi_clip_open(tpi_clip *clip, const tpi_clip_storage *storage)
{
    tpi_clip_search search = tpi_clip_search_end();
    tpi_clip_result result = tpi_clip_open_headers(clip, storage);
    if (result || clip->is_closed) return result;
    do result = tpi_clip_seek_end(clip, storage, &search);
    while (result == TPI_CLIP_NONE);
    if (result) return result;
    clip->fault = 0;
    clip->expected = "";
    return TPI_CLIP_OK;
}

tpi_clip_result tpi_clip_find(tpi_clip *clip, const tpi_clip_storage *storage, int32_t frame,
                              tpi_clip_group *group)
{
    tpi_clip_search search = {TPI_CLIP_FIRST_BLOCK, clip->end, 0};
    tpi_clip_result result;
    do result = tpi_clip_seek(clip, storage, frame, &search);
    while (result == TPI_CLIP_NONE);
    if (!result) result = tpi_clip_group_before(clip, storage, search.low, group);
    if (result || group->kind == TPI_CLIP_FRAMES) return result;
    return tpi_clip_group_before(clip, storage, group->first_block, group);
}

static tpi_clip_result whole_fault(tpi_clip *clip, tpi_clip_result result, uint64_t at,
                                   const char *expected)
{
    clip->fault = at;
    clip->expected = expected;
    return result;
}

tpi_clip_result tpi_clip_piece(tpi_clip *clip, const tpi_clip_storage *storage,
                               const tpi_clip_group *group, uint32_t stream, uint32_t piece,
                               uint8_t *buffer, uint32_t buffer_bytes, const uint8_t **bytes,
                               uint32_t *size)
{
    uint32_t begin, end, payload = tpi_clip_payload(clip);
    *size = 0;
    if (stream >= clip->schema.stream_count || piece >= tpi_clip_pieces(clip, group, stream))
        return TPI_CLIP_NONE;
    tpi_clip_result result = tpi_clip_piece_begin(clip, storage, group, stream, piece, &begin);
    if (!result) result = tpi_clip_piece_end(clip, storage, group, stream, piece, &end);
    if (result) return result;
    uint64_t at = tpi_clip_block_at(clip, group->first_block + begin / payload) +
                  TPI_CLIP_HEAD_BYTES + begin % payload;
    if (end < begin || end - begin > group->piece_max)
        return whole_fault(clip, TPI_CLIP_DAMAGED, at,
                           "contiguous pieces, none longer than the group's tail says");
    clip->piece_at = at;
    *size = end - begin;
    *bytes = buffer;
    if (!*size) return TPI_CLIP_OK;
    if (begin / payload == (end - 1u) / payload)
        return tpi_clip_part(clip, storage, group, begin, *size, 0u, NULL, bytes);
    if (*size > buffer_bytes)
        return whole_fault(clip, TPI_CLIP_TOO_LARGE, at, "a piece that fits the caller's buffer");
    return tpi_clip_part(clip, storage, group, begin, *size, 0u, buffer, NULL);
}

const char *tpi_clip_text(tpi_clip_result result)
{
    switch (result) {
    case TPI_CLIP_OK: return "no error";
    case TPI_CLIP_NONE: return "the clip has no such frame";
    case TPI_CLIP_FOREIGN: return "this is not a clip";
    case TPI_CLIP_NEWER: return "the clip needs a newer reader";
    case TPI_CLIP_DAMAGED: return "the clip is damaged";
    case TPI_CLIP_STORAGE: return "the storage failed";
    case TPI_CLIP_TOO_LARGE: return "the clip needs larger buffers";
    case TPI_CLIP_LATER: return "the storage has not read the bytes yet";
    }
    return "unknown result";
}
