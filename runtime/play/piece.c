/* SPDX-License-Identifier: MIT
   runtime/play/piece.c - fetches the bytes of one tile: in place, or copied from several blocks.
   reads   storage, a block at a time      writes  the buffer of a piece, player->piece
   memory  a block, a piece        cost    1 unit per 16 bytes checked, and per 16 bytes copied
   after   own design; checksums of mapped blocks are verified once while their group is open,
           checksums of other blocks whenever they are read */
#include "play.h"

tp_result tpi_piece_begin(tp_player *player, const tpi_clip_group *group, uint32_t begin,
                          uint32_t end)
{
    tpi_play_piece *piece = &player->piece;
    uint32_t payload = tpi_clip_payload(&player->clip);
    *piece = (tpi_play_piece){.begin = begin, .size = end - begin, .where = TPI_PIECE_COPY};
    piece->offset = tpi_clip_block_at(&player->clip, group->first_block + begin / payload) +
                    TPI_CLIP_HEAD_BYTES + begin % payload;
    if (end < begin || piece->size > group->piece_max)
        return tpi_play_fault(player, TP_ERROR_CLIP, piece->offset,
                              "contiguous pieces, none longer than the group's tail says");
    bool is_cut = piece->size && begin / payload != (end - 1u) / payload;
    if (is_cut && piece->size > player->def.piece_max)
        return tpi_play_fault(player, TP_ERROR_CLIP_LIMIT, piece->offset,
                              "a tile of at most piece_max bytes");
    if (piece->size && !is_cut) piece->where = TPI_PIECE_BLOCK;
    return TP_OK;
}

/* Gets a block of mapped storage; verifies its checksum unless that was done. */
static tpi_clip_result piece_map(tpi_play_call *call, uint32_t number, uint32_t track,
                                 const uint8_t **block)
{
    tp_player *player = call->player;
    tpi_clip *clip = &player->clip;
    uint32_t *checked = player->checked[track], size = tpi_clip_block_bytes(clip);
    if (number >= clip->end || call->from->size < tpi_clip_block_end(clip, number)) {
        clip->fault = call->from->size;
        clip->expected = "a whole block";
        return TPI_CLIP_DAMAGED;
    }
    *block = (const uint8_t *)call->from->bytes + tpi_clip_block_at(clip, number);
    if (number >= checked[0] && number < checked[1]) return TPI_CLIP_OK;
    tpi_play_spend(call, size / 16u);
    tpi_clip_result result = tpi_clip_check_block(clip, *block, number);
    if (result) return result;
    if (number != checked[1]) checked[0] = number;
    checked[1] = number + 1u;
    return TPI_CLIP_OK;
}

static tpi_clip_result piece_block(tpi_play_call *call, uint32_t number, uint32_t track,
                                   const uint8_t **block)
{
    if (call->from->bytes) return piece_map(call, number, track, block);
    *block = call->storage.block[0];
    return tpi_clip_load(&call->player->clip, &call->storage, number, 0);
}

/* Fetches the part of a piece in one block. */
static tp_result piece_step(tpi_play_call *call, const tpi_clip_group *group, uint32_t track)
{
    tp_player *player = call->player;
    tpi_play_piece *piece = &player->piece;
    tpi_clip_head head;
    const uint8_t *block = NULL;
    uint32_t payload = tpi_clip_payload(&player->clip), from = piece->begin + piece->at;
    uint32_t number = group->first_block + from / payload, at = from % payload;
    uint32_t part = tpi_min_u32(piece->size - piece->at, payload - at);
    tp_result result = tpi_play_result(player, piece_block(call, number, track, &block));
    if (result != TP_OK) return result;
    tpi_clip_head_of(&player->clip, block, number, &head);
    if (head.group != group->first_block || at + part > head.payload)
        return tpi_play_fault(player, TP_ERROR_CLIP, tpi_clip_block_at(&player->clip, number) + 12u,
                              "a block of the same group");
    if (piece->where == TPI_PIECE_COPY) {
        player->clip.loaded[1] = UINT32_MAX; /* the buffer is shared with directory blocks */
        /* NOLINTNEXTLINE(clang-analyzer-unix.cstring.NullArg): the block was loaded */
        tpi_memcpy(tpi_play_at(player, player->offsets.buffer) + piece->at,
                   block + TPI_CLIP_HEAD_BYTES + at, part);
        tpi_play_spend(call, part / 16u);
    } else if (call->from->bytes) {
        piece->where = TPI_PIECE_MAPPED;
    }
    piece->at += part;
    return TP_OK;
}

tp_result tpi_piece_fetch(tpi_play_call *call, const tpi_clip_group *group, uint32_t track)
{
    const tpi_play_piece *piece = &call->player->piece;
    while (piece->at < piece->size) {
        if (!tpi_play_may(call)) return TP_MORE;
        tp_result result = piece_step(call, group, track);
        if (result != TP_OK) return result;
    }
    return TP_OK;
}

const uint8_t *tpi_piece_bytes(const tpi_play_call *call)
{
    const tp_player *player = call->player;
    const tpi_play_piece *piece = &player->piece;
    uint32_t in_block = TPI_CLIP_HEAD_BYTES + piece->begin % tpi_clip_payload(&player->clip);
    if (piece->where == TPI_PIECE_COPY) return tpi_play_at(player, player->offsets.buffer);
    if (piece->where == TPI_PIECE_BLOCK)
        return tpi_play_at(player, player->offsets.block) + in_block;
    bool is_there = call->from->bytes && call->from->size >= piece->offset + piece->size;
    return is_there ? (const uint8_t *)call->from->bytes + piece->offset : NULL;
}
