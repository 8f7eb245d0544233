/* SPDX-License-Identifier: MIT
   runtime/play/group.c - opens a clip, seeks a frame's group, reads its directory and identities.
   reads   storage, a block at a time      writes  the clip's record, a roster, the tiles' offsets
   memory  the player's block
   cost    seek: 2 log2(blocks of the clip), or 1 block to the previous group; then 2 per block of
           the directory, and the tiles of identities
   after   own design, state machine: every step reads one block, so that asynchronous storage may
           answer in a later call */
#include "play.h"

enum {
    GROUP_NOTHING,
    GROUP_NEIGHBOUR, /* read the tail of the group before the current one */
    GROUP_SEEK,
    GROUP_TAIL,
    GROUP_BEFORE, /* read the tail of the group before a TPI_CLIP_ABOUT group */
    GROUP_NEXT,
    GROUP_BEGINS,
    GROUP_ENDS,
    GROUP_LATTICES,
    GROUP_ID_BEGIN,
    GROUP_ID_END,
    GROUP_ID_FETCH
};

/* ---- the clip ---- */

/* Maps the definition's streams to the clip's. */
static tp_result group_match(tp_player *player)
{
    const tpi_clip_schema *schema = &player->clip.schema;
    for (uint32_t w = 0; w < player->def.stream_count; w++) {
        const tp_stream *wanted = &player->def.streams[w];
        uint32_t found = TPI_CLIP_STREAMS;
        for (uint32_t s = 0; s < schema->stream_count; s++) {
            tp_stream stream;
            if (!tpi_play_stream_of(&schema->stream[s], s, &stream)) continue;
            if ((s == 0) != (w == player->shape.identity)) continue;
            if (s == 0 || (tpi_play_is_name(stream.name, wanted->name) &&
                           stream.type == wanted->type && stream.components == wanted->components))
                found = s;
        }
        if (found == TPI_CLIP_STREAMS)
            return tpi_play_fault(player, TP_ERROR_SOURCE,
                                  TPI_CLIP_HEAD_BYTES + TPI_CLIP_HEADER_BYTES,
                                  "the streams of the definition");
        player->source[w] = (uint8_t)found;
    }
    return TP_OK;
}

TPI_APART tp_result tpi_play_open(tpi_play_call *call)
{
    tp_player *player = call->player;
    if (player->opened == TPI_OPENED_NOT) {
        tp_result result =
            tpi_play_result(player, tpi_clip_open_headers(&player->clip, &call->storage));
        if (result == TP_OK) result = group_match(player);
        if (result != TP_MORE) tpi_memset(player->header_answers, 0, sizeof player->header_answers);
        if (result != TP_OK) return result;
        player->opened = player->clip.is_closed ? TPI_OPENED_END : TPI_OPENED_HEADERS;
        player->end_search = tpi_clip_search_end();
    }
    while (player->opened == TPI_OPENED_HEADERS) {
        if (!tpi_play_may(call)) return TP_MORE;
        tpi_clip_result result =
            tpi_clip_seek_end(&player->clip, &call->storage, &player->end_search);
        if (result == TPI_CLIP_OK) player->opened = TPI_OPENED_END;
        if (result && result != TPI_CLIP_NONE) return tpi_play_result(player, result);
    }
    if (player->opened == TPI_OPENED_WHOLE) return TP_OK;
    if (player->clip.end <= TPI_CLIP_FIRST_BLOCK) return TP_ERROR_FRAME;
    tp_result result = tpi_play_result(
        player, tpi_clip_load(&player->clip, &call->storage, TPI_CLIP_FIRST_BLOCK, 1u));
    if (result != TP_OK) return result;
    tpi_clip_head head;
    tpi_clip_head_of(&player->clip, call->storage.block[1], TPI_CLIP_FIRST_BLOCK, &head);
    player->first_frame = head.first_frame;
    player->opened = TPI_OPENED_WHOLE;
    return TP_OK;
}

/* ---- which group ---- */

static bool group_holds(const tpi_play_roster *roster, int32_t frame)
{
    return frame >= roster->group.first_frame && (!roster->has_next || frame < roster->next_first);
}

uint32_t tpi_play_roster_at(const tp_player *player, int32_t frame)
{
    for (uint32_t r = 0; r < 2; r++)
        if (player->roster[r].is_known && group_holds(&player->roster[r], frame)) return r;
    return TPI_PLAY_NONE;
}

void tpi_play_forget_group(tp_player *player)
{
    if (player->job.active) tpi_keep_end(player, false);
    player->job.active = false;
    player->current = TPI_PLAY_NONE;
    player->show.active = false;
}

static void group_begin(tp_player *player, int32_t frame)
{
    tpi_play_loading *loading = &player->loading;
    const tpi_play_roster *from =
        player->current == TPI_PLAY_NONE ? NULL : &player->roster[player->current];
    tpi_memset(loading, 0, sizeof *loading);
    loading->frame = frame;
    loading->phase = GROUP_SEEK;
    loading->roster = (uint8_t)(player->current == 0 ? 1 : 0);
    loading->search = (tpi_clip_search){TPI_CLIP_FIRST_BLOCK, player->clip.end, 0};
    if (from && frame < from->group.first_frame) {
        loading->phase = GROUP_NEIGHBOUR;
        loading->search.high = from->group.first_block;
    } else if (from &&
               frame > tpi_play_last_frame(from)) { /* guess: the next group is of equal length */
        loading->search.low = from->group.last_block + 1u;
        loading->search.distance = from->group.last_block - from->group.first_block + 1u;
    }
    tpi_play_forget_group(player);
}

static tp_result group_find(tpi_play_call *call)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    tpi_clip *clip = &player->clip;
    tpi_clip_result result = TPI_CLIP_OK;
    if (loading->phase == GROUP_SEEK) {
        result = tpi_clip_seek(clip, &call->storage, loading->frame, &loading->search);
        if (result == TPI_CLIP_OK) loading->phase = GROUP_TAIL;
        return result == TPI_CLIP_NONE ? TP_OK : tpi_play_result(player, result);
    }
    uint32_t end = loading->phase == GROUP_NEIGHBOUR ? loading->search.high
                   : loading->phase == GROUP_TAIL    ? loading->search.low
                                                     : loading->group.first_block;
    result = tpi_clip_group_before(clip, &call->storage, end, &loading->group);
    if (result) return tpi_play_result(player, result);
    bool is_before =
        loading->phase == GROUP_NEIGHBOUR && loading->group.first_frame > loading->frame;
    loading->phase = GROUP_NEXT;
    if (loading->group.kind != TPI_CLIP_FRAMES) loading->phase = GROUP_BEFORE;
    if (is_before) {
        loading->phase = GROUP_SEEK;
        loading->search.high = loading->group.first_block;
    }
    return TP_OK;
}

/* ---- opening it ---- */

static tp_result group_take(tp_player *player, uint32_t pinned)
{
    tpi_play_loading *loading = &player->loading;
    const tpi_clip_group *group = &loading->group;
    uint32_t tiles = tpi_clip_tiles(group), apart = player->tile_stride, x = loading->roster;
    if (pinned != TPI_PLAY_NONE) x = 1u - pinned;
    for (uint32_t r = 0; r < 2; r++)
        if (player->roster[r].is_known && player->roster[r].group.first_block == group->first_block)
            x = r;
    if (!player->def.frames_kept) x = 0;
    tpi_play_roster *roster = &player->roster[x];
    if (!roster->is_known || roster->group.first_block != group->first_block)
        tpi_keep_drop(player, x);
    loading->roster = (uint8_t)x;
    roster->is_known = false;
    roster->group = *group;
    roster->tiles = tiles / apart + (tiles % apart != 0);
    roster->slots = roster->tiles * TPI_TILE_POINTS;
    if (roster->tiles && (roster->tiles - 1u) * apart == tiles - 1u)
        roster->slots -= tiles * TPI_TILE_POINTS - group->slots;
    uint64_t at = tpi_clip_block_at(&player->clip, group->last_block);
    if (roster->tiles > player->shape.tiles_max || roster->slots > player->def.points_max)
        return tpi_play_fault(player, TP_ERROR_CLIP_LIMIT, at,
                              "at most points_max points in the shown tiles");
    for (uint32_t t = 0; t < player->shape.tracks; t++) {
        if (group->streams >> player->source[player->shape.stream[t]] & 1u) continue;
        return tpi_play_fault(player, TP_ERROR_SOURCE, at,
                              "a group that has all of the definition's streams");
    }
    tpi_memset(player->checked, 0, sizeof player->checked);
    player->counters.groups_opened++;
    return TP_OK;
}

/* Reads the first frame of the next group. A TPI_CLIP_ABOUT group repeats the last frame number of
   the group before it and does not count. */
static tp_result group_next(tpi_play_call *call)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    tpi_play_roster *roster = &player->roster[loading->roster];
    uint32_t number = loading->group.last_block + 1u;
    tpi_clip_head head;
    roster->has_next = false;
    if (number < player->clip.end) {
        tpi_clip_result result = tpi_clip_load(&player->clip, &call->storage, number, 1u);
        if (result) return tpi_play_result(player, result);
        tpi_clip_head_of(&player->clip, call->storage.block[1], number, &head);
        roster->has_next = head.first_frame > tpi_play_last_frame(roster);
        roster->next_first = head.first_frame;
    }
    loading->phase = GROUP_BEGINS;
    return TP_OK;
}

static tp_result group_span(tpi_play_call *call)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    const tpi_play_roster *roster = &player->roster[loading->roster];
    if (loading->track == player->shape.tracks || !roster->tiles) {
        loading->phase = GROUP_LATTICES;
        loading->track = loading->item = 0;
        return TP_OK;
    }
    uint32_t stream = player->source[player->shape.stream[loading->track]],
             piece = loading->item * player->tile_stride;
    tpi_play_tile *tile = tpi_play_tile_of(player, loading->track, loading->item);
    tpi_clip_result result = TPI_CLIP_OK;
    tpi_play_spend(call, 1);
    if (loading->phase == GROUP_BEGINS) {
        *tile = (tpi_play_tile){0};
        if (player->tile_stride == 1u && loading->item)
            tile->begin = tile[-1].end;
        else
            result = tpi_clip_piece_begin(&player->clip, &call->storage, &roster->group, stream,
                                          piece, &tile->begin);
        if (!result) loading->phase = GROUP_ENDS;
        return tpi_play_result(player, result);
    }
    result = tpi_clip_piece_end(&player->clip, &call->storage, &roster->group, stream, piece,
                                &tile->end);
    if (result) return tpi_play_result(player, result);
    loading->phase = GROUP_BEGINS;
    if (++loading->item < roster->tiles) return TP_OK;
    loading->item = 0;
    loading->track++;
    return TP_OK;
}

static tp_result group_lattice(tpi_play_call *call)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    if (loading->track == player->shape.tracks) {
        loading->phase = GROUP_ID_BEGIN;
        loading->item = 0;
        return TP_OK;
    }
    uint32_t stream = player->source[player->shape.stream[loading->track]];
    tpi_lattice *lattice = player->lattice[loading->track];
    tpi_memset(lattice, 0, sizeof player->lattice[0]);
    tpi_play_spend(call, 1);
    if (tpi_clip_has_lattice(&player->clip.schema.stream[stream])) {
        tpi_clip_result result = tpi_clip_lattice(
            &player->clip, &call->storage, &player->roster[loading->roster].group, stream, lattice);
        if (result) return tpi_play_result(player, result);
    }
    loading->track++;
    return TP_OK;
}

/* Decodes the identities of a tile. An empty piece means that they equal the slots in the clip. */
static tp_result group_decode_ids(tpi_play_call *call, const tpi_play_roster *roster, uint32_t *ids,
                                  uint32_t count)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    static const tpi_lattice none = {0, 0};
    tpi_tile_reader *reader = tpi_play_reader(player);
    const uint8_t *bytes = tpi_piece_bytes(call);
    if (!bytes) return TP_MORE;
    for (uint32_t p = 0; p < count; p++)
        ids[p] = loading->item * player->tile_stride * TPI_TILE_POINTS + p;
    if (player->piece.size) {
        bool is_good =
            tpi_tile_open(reader, bytes, player->piece.size) &&
            tpi_play_fits(reader, &player->clip.schema.stream[0], count, roster->group.frames) &&
            !reader->header.has_lives && tpi_tile_read(reader, bytes) && tpi_tile_is_whole(reader);
        if (!is_good)
            return tpi_play_fault(player, TP_ERROR_CLIP, player->piece.offset,
                                  "a tile of identities");
        tpi_tile_words(reader, 0, &none, false, ids);
    }
    return TP_OK;
}

static tp_result group_ids(tpi_play_call *call)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    const tpi_play_roster *roster = &player->roster[loading->roster];
    const tpi_clip_group *group = &roster->group;
    uint32_t begin, piece = loading->item * player->tile_stride;
    tp_result result = TP_OK;
    if (loading->item == roster->tiles) {
        loading->phase = TPI_SORT_LOOK;
        loading->item = 0;
        return TP_OK;
    }
    if (loading->phase == GROUP_ID_BEGIN) {
        result = tpi_play_result(
            player, tpi_clip_piece_begin(&player->clip, &call->storage, group, 0, piece, &begin));
        if (result == TP_OK) loading->end = begin, loading->phase = GROUP_ID_END;
        return result;
    }
    if (loading->phase == GROUP_ID_END) {
        begin = loading->end;
        result = tpi_play_result(player, tpi_clip_piece_end(&player->clip, &call->storage, group, 0,
                                                            piece, &loading->end));
        if (result == TP_OK) result = tpi_piece_begin(player, group, begin, loading->end);
        if (result == TP_OK) loading->phase = GROUP_ID_FETCH;
        return result;
    }
    result = tpi_piece_fetch(call, group, 0);
    if (result != TP_OK) return result;
    uint32_t first = loading->item * TPI_TILE_POINTS,
             count = tpi_play_tile_points(roster, loading->item);
    result = group_decode_ids(call, roster, tpi_play_ids(player, loading->roster) + first, count);
    tpi_play_spend(call, count);
    loading->item += result == TP_OK;
    loading->phase = GROUP_ID_BEGIN;
    return result;
}

/* ---- the state machine ---- */

static tp_result group_step(tpi_play_call *call, uint32_t pinned)
{
    tp_player *player = call->player;
    switch (player->loading.phase) {
    case GROUP_NEIGHBOUR:
    case GROUP_SEEK:
    case GROUP_TAIL:
    case GROUP_BEFORE: {
        tp_result result = group_find(call);
        if (result == TP_OK && player->loading.phase == GROUP_NEXT)
            result = group_take(player, pinned);
        return result;
    }
    case GROUP_NEXT: return group_next(call);
    case GROUP_BEGINS:
    case GROUP_ENDS: return group_span(call);
    case GROUP_LATTICES: return group_lattice(call);
    case GROUP_ID_BEGIN:
    case GROUP_ID_END:
    case GROUP_ID_FETCH: return group_ids(call);
    default: return tpi_play_sort(call);
    }
}

static void group_end(tp_player *player)
{
    tpi_play_loading *loading = &player->loading;
    player->roster[loading->roster].is_known = true;
    player->current = loading->roster;
    player->job = (tpi_play_job){0};
    loading->phase = GROUP_NOTHING;
}

/* The frame numbers of the groups contradict each other: the group that was found does not cover
   the frame. */
static tp_result group_lost(tp_player *player)
{
    const tpi_play_roster *roster = &player->roster[player->loading.roster];
    player->loading.phase = GROUP_NOTHING;
    return tpi_play_fault(player, TP_ERROR_CLIP,
                          (uint64_t)roster->group.first_block << player->clip.schema.block_bits,
                          "groups in the order of their frames");
}

/* If the frame changes during the search, the search is finished first: otherwise a game that
   requests later times in every call would never reach a group. */
tp_result tpi_play_load(tpi_play_call *call, int32_t frame, uint32_t pinned)
{
    tp_player *player = call->player;
    tpi_play_loading *loading = &player->loading;
    player->show.active = false;
    for (;;) {
        bool is_other =
            loading->phase > GROUP_BEGINS && !group_holds(&player->roster[loading->roster], frame);
        if (!loading->phase || is_other) {
            if (++player->asked_groups > TPI_PLAY_GROUPS) return group_lost(player);
            group_begin(player, frame);
        }
        if (!tpi_play_may(call)) return TP_MORE;
        tp_result result = group_step(call, pinned);
        if (result == TP_MORE) return result;
        if (result != TP_OK) {
            loading->phase = GROUP_NOTHING;
            return result;
        }
        if (loading->phase != TPI_SORT_DONE) continue;
        group_end(player);
        if (group_holds(&player->roster[player->current], frame)) return TP_OK;
        if (loading->frame == frame) return group_lost(player);
    }
}
