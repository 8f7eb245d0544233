/* SPDX-License-Identifier: MIT
   runtime/play/request.c - shows a clip at a time: a frame, an interpolation, or the nearest end.
   reads   storage, the player's block      writes  the view, the block
   memory  none              cost    see tp_player_request
   after   runtime/guide/physics.md, requests of a cache: the needed frames are determined from the
           current state, again after every action, until all of them are decoded */
#include "play.h"

/* The frames that are needed to show a time. */
typedef struct ask_need {
    uint32_t count; /* 1, or 2 to interpolate */
    int32_t frame[2];
    tp_cache_status status;
} ask_need;

static int32_t ask_frame(int64_t time)
{
    int64_t ticks = (int64_t)TP_TICKS_PER_FRAME, frame = time / ticks - (time % ticks < 0);
    if (frame > INT32_MAX) return INT32_MAX;
    return frame < INT32_MIN ? INT32_MIN : (int32_t)frame;
}

/* Determines the needed frames in the group of roster `r`. */
static ask_need ask_look(const tp_player *player, uint32_t r, int32_t frame, int64_t time)
{
    const tpi_play_roster *roster = &player->roster[r];
    uint32_t index = tpi_min_u32(tpi_play_frame_index(roster, frame), roster->group.frames - 1u);
    ask_need need = {.count = 1, .status = TP_CACHE_EXACT};
    need.frame[0] = tpi_play_frame_of(roster, index);
    if ((int64_t)need.frame[0] * (int64_t)TP_TICKS_PER_FRAME == time) return need;
    bool is_last = index + 1u == roster->group.frames;
    need.status = is_last && !roster->has_next ? TP_CACHE_OUTSIDE : TP_CACHE_INTERPOLATED;
    if (need.status == TP_CACHE_OUTSIDE || !player->def.frames_kept) return need;
    need.count = 2;
    need.frame[1] = is_last ? roster->next_first : tpi_play_frame_of(roster, index + 1u);
    return need;
}

/* Decodes one of the needed frames; if frames are kept, into the cache. */
static tp_result ask_frame_of(tpi_play_call *call, const ask_need *need, uint32_t which)
{
    tp_player *player = call->player;
    int32_t frame = need->frame[which];
    uint32_t pinned = TPI_PLAY_NONE;
    if (need->count == 2u) {
        uint32_t other = tpi_keep_find(player, need->frame[1u - which]);
        if (other != TPI_PLAY_NONE) pinned = tpi_play_kept_of(player, other)->roster;
    }
    bool is_current = !player->loading.phase && player->current != TPI_PLAY_NONE &&
                      tpi_play_roster_at(player, frame) == player->current;
    if (!is_current) {
        tp_result result = tpi_play_load(call, frame, pinned);
        if (result != TP_OK) return result;
    }
    const tpi_play_roster *roster = &player->roster[player->current];
    uint32_t index = tpi_play_frame_index(roster, frame);
    if (index >= roster->group.frames || tpi_play_frame_of(roster, index) != frame)
        return tpi_play_fault(player, TP_ERROR_CLIP,
                              (uint64_t)roster->group.first_block << player->clip.schema.block_bits,
                              "the frame that the group before it tells");
    return tpi_play_reach(call, index, need->frame, need->count);
}

/* Determines and decodes the needed frames. TP_OK: all of them are decoded. */
static tp_result ask_decode(tpi_play_call *call, int64_t time, ask_need *need)
{
    tp_player *player = call->player;
    int32_t frame = ask_frame(time);
    for (;;) {
        uint32_t r = tpi_play_roster_at(player, frame);
        tp_result result = TP_OK;
        if (r == TPI_PLAY_NONE) {
            result = tpi_play_load(call, frame, TPI_PLAY_NONE);
            if (result != TP_OK) return result;
            continue;
        }
        *need = ask_look(player, r, frame, time);
        if (!player->def.frames_kept) return ask_frame_of(call, need, 0);
        uint32_t which = 0;
        while (which < need->count && tpi_keep_find(player, need->frame[which]) != TPI_PLAY_NONE)
            which++;
        if (which == need->count) return TP_OK;
        result = ask_frame_of(call, need, which);
        if (result != TP_OK) return result;
    }
}

static void ask_begin_show(tp_player *player, int64_t time, const ask_need *need,
                           tp_frame_view *view)
{
    tpi_play_show *show = &player->show;
    show->side_count = need->count;
    show->status = need->status;
    for (uint32_t s = 0; s < need->count; s++) {
        tpi_play_side *side = &show->side[s];
        side->entry =
            player->def.frames_kept ? tpi_keep_find(player, need->frame[s]) : TPI_PLAY_NONE;
        side->roster = side->entry == TPI_PLAY_NONE ? player->current
                                                    : tpi_play_kept_of(player, side->entry)->roster;
        side->index = tpi_play_frame_index(&player->roster[side->roster], need->frame[s]);
    }
    view->frame = (uint64_t)(int64_t)need->frame[0];
    view->frame_next = (uint64_t)(int64_t)need->frame[need->count - 1u];
    tpi_show_begin(player, time, view);
}

static tp_result ask_run(tpi_play_call *call, int64_t time, tp_frame_view *view)
{
    tp_player *player = call->player;
    ask_need need;
    if (player->asked_time != time) player->asked_groups = 0;
    player->asked_time = time;
    bool goes_on =
        player->show.active && player->show.time == time && player->show.job == view->job;
    if (!goes_on) {
        player->show.active = false;
        tp_result result = tpi_play_open(call);
        if (result != TP_OK) return result;
        int64_t first = (int64_t)player->first_frame * (int64_t)TP_TICKS_PER_FRAME;
        result = ask_decode(call, time < first ? first : time, &need);
        if (result != TP_OK) return result;
        if (time < first) need.status = TP_CACHE_OUTSIDE;
        ask_begin_show(player, time, &need, view);
    }
    return tpi_show_run(call, view);
}

static void ask_finish(tp_player *player, tp_result result, tp_frame_view *view)
{
    tp_player_counters *counters = &player->counters;
    if (tpi_has_activity(&player->def.activity))
        tpi_play_activity_of(player)->state = result == TP_MORE ? TPI_ACTIVITY_UNDER_WAY
                                              : result == TP_OK ? TPI_ACTIVITY_WHOLE
                                                                : TPI_ACTIVITY_NONE;
    view->status = TP_CACHE_PARTIAL;
    if (result == TP_MORE) return;
    player->asked_groups = 0;
    view->status = TP_CACHE_MISSING;
    view->job = 0;
    if (result != TP_OK) {
        view->count = view->dropped = 0;
        return;
    }
    view->status = player->show.status;
    if (view->status == TP_CACHE_EXACT) counters->requests_exact++;
    if (view->status == TP_CACHE_INTERPOLATED) counters->requests_interpolated++;
    if (view->status == TP_CACHE_OUTSIDE) counters->requests_outside++;
}

tp_result tp_player_request(tp_player *player, const tp_clip_storage *storage, int64_t time,
                            const tp_budget *budget, tp_frame_view *view)
{
    tpi_play_call call;
    if (!view) return TP_ERROR_NULL;
    view->status = TP_CACHE_MISSING;
    view->simulated = 0;
    tp_result result = tpi_player_check_block(player);
    if (result != TP_OK) return result;
    if (!storage || (!storage->bytes && !storage->read)) return TP_ERROR_NULL;
    result = tpi_check_budget(budget);
    if (result != TP_OK) return result;
    tpi_play_call_begin(&call, player, storage, budget);
    result = ask_run(&call, time, view);
    tpi_play_call_end(&call);
    ask_finish(player, result, view);
    return result;
}
