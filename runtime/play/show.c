/* SPDX-License-Identifier: MIT
   runtime/play/show.c - writes a frame, or an interpolation, to the view in the order of identity.
   reads   decoder states, or kept frames      writes  a view
   memory  slots of 64 points
   cost    1 unit per stream and point visited; 2 if two frames are interpolated
   after   merge join: both frames are sorted by identity, so that one merge matches their points */
#include "play.h"

void tpi_show_begin(tp_player *player, int64_t time, tp_frame_view *view)
{
    tpi_play_show *show = &player->show;
    show->active = true;
    show->time = time;
    show->job_next = show->job_next + 1u ? show->job_next + 1u : 1u;
    show->job = view->job = show->job_next;
    view->count = view->dropped = 0;
    for (uint32_t s = 0; s < show->side_count; s++)
        show->side[s].at = 0, show->side[s].has_last = false;
    if (tpi_has_activity(&player->def.activity))
        tpi_activity_begin(&player->def.activity, tpi_play_activity_of(player));
}

static uint32_t show_id(const tp_player *player, const tpi_play_side *side, uint32_t slot)
{
    return tpi_play_ids(player, side->roster)[slot];
}

/* The slot of a side's next live point, from side->at on. TPI_PLAY_NONE: none is left, or the limit
   of visited points is used up. */
static uint32_t show_next(const tp_player *player, tpi_play_side *side, uint32_t *looks)
{
    for (; side->at < player->roster[side->roster].slots && *looks; side->at++) {
        uint32_t slot = tpi_play_slot(player, side->roster, side->at);
        if (tpi_play_lives(player, side->roster, slot, side->index)) return slot;
        --*looks;
    }
    return TPI_PLAY_NONE;
}

/* Advances past a point; false: its identity occurs twice. */
static bool show_pass(const tp_player *player, tpi_play_side *side, uint32_t slot, uint32_t *looks)
{
    uint32_t id = show_id(player, side, slot);
    bool is_new = !side->has_last || id != side->last_id;
    side->has_last = true;
    side->last_id = id;
    side->at++;
    --*looks;
    return is_new;
}

static bool show_is_over(const tp_player *player, const tpi_play_side *side)
{
    return side->at >= player->roster[side->roster].slots;
}

/* ---- runs, the fast path: most points live in all frames, in slots sorted by identity ---- */

/* True if the next `count` slots of a side are all alive. */
static bool show_all_live(const tp_player *player, const tpi_play_side *side, uint32_t count)
{
    const uint8_t *first = tpi_play_at(player, player->offsets.first[side->roster]) + side->at;
    const uint8_t *end = tpi_play_at(player, player->offsets.end[side->roster]) + side->at;
    uint8_t index = (uint8_t)side->index, dead = 0; /* indices of frames in a group are below 255 */
    for (uint32_t i = 0; i < count; i++) dead |= (uint8_t)((first[i] > index) | (end[i] <= index));
    return !dead;
}

/* Length of the run of a side's next points: sorted slots that are all alive. 0: visit the points
   one by one. */
static uint32_t show_run(const tp_player *player, const tpi_play_side *side, uint32_t most)
{
    const tpi_play_roster *roster = &player->roster[side->roster];
    uint32_t count = roster->is_sorted ? tpi_min_u32(roster->slots - side->at, most) : 0;
    return show_all_live(player, side, count) ? count : 0;
}

/* Appends a run of `count` points to empty pairs and advances past it. */
static void show_take_run(const tp_player *player, tpi_play_side *side, uint32_t *slots,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) slots[i] = side->at + i;
    side->at += count;
    side->has_last = true;
    side->last_id = show_id(player, side, side->at - 1u);
}

/* Collects the next points of a single frame. */
static bool show_one(tp_player *player, tpi_play_pairs *pairs, uint32_t *looks)
{
    tpi_play_side *side = &player->show.side[0];
    uint32_t run = show_run(player, side, *looks);
    if (run) {
        show_take_run(player, side, pairs->slot[0], run);
        tpi_memset(pairs->sides, 1, run);
        pairs->count = run;
        pairs->is_run = true;
        *looks -= run;
        return true;
    }
    while (pairs->count < TPI_PLAY_CHUNK && *looks) {
        uint32_t slot = show_next(player, side, looks);
        if (slot == TPI_PLAY_NONE) break;
        pairs->slot[0][pairs->count] = slot;
        pairs->sides[pairs->count++] = 1u;
        if (!show_pass(player, side, slot, looks)) return false;
    }
    return true;
}

/* True in the second half of the interval between the two frames. */
static bool show_is_late(const tp_player *player)
{
    const tpi_play_show *show = &player->show;
    int64_t ticks[2] = {0, 0};
    for (uint32_t s = 0; s < show->side_count; s++)
        ticks[s] = tpi_play_frame_of(&player->roster[show->side[s].roster], show->side[s].index) *
                   (int64_t)TP_TICKS_PER_FRAME;
    return show->time - ticks[0] >= ticks[1] - show->time;
}

/* Length of the run of next points with the same identities in both frames. */
static uint32_t show_run_of_both(const tp_player *player, uint32_t most)
{
    const tpi_play_side *sides = player->show.side;
    uint32_t count = show_run(player, &sides[0], most), different = 0;
    if (!count || show_run(player, &sides[1], count) != count) return 0;
    const uint32_t *a = tpi_play_ids(player, sides[0].roster) + sides[0].at;
    const uint32_t *b = tpi_play_ids(player, sides[1].roster) + sides[1].at;
    for (uint32_t i = 0; i < count; i++) different |= a[i] ^ b[i];
    return different ? 0 : count;
}

/* Collects the next points of two frames: points in both, and points only in the nearer frame.
   Ends when `looks` visits are used up; a side without a known next point then waits for the next
   call. */
static bool show_both(tp_player *player, tpi_play_pairs *pairs, uint32_t *looks, bool is_late)
{
    tpi_play_side *sides = player->show.side;
    uint32_t run = show_run_of_both(player, *looks / 2u);
    if (run) {
        for (uint32_t s = 0; s < 2u; s++) show_take_run(player, &sides[s], pairs->slot[s], run);
        tpi_memset(pairs->sides, 3, run);
        pairs->count = run;
        pairs->is_run = true;
        *looks -= 2u * run;
        return true;
    }
    while (pairs->count < TPI_PLAY_CHUNK && *looks) {
        uint32_t a = show_next(player, &sides[0], looks), b = show_next(player, &sides[1], looks);
        bool waits = (a == TPI_PLAY_NONE && !show_is_over(player, &sides[0])) ||
                     (b == TPI_PLAY_NONE && !show_is_over(player, &sides[1]));
        if (waits || !*looks || (a == TPI_PLAY_NONE && b == TPI_PLAY_NONE)) break;
        uint32_t id_a = a == TPI_PLAY_NONE ? 0 : show_id(player, &sides[0], a);
        uint32_t id_b = b == TPI_PLAY_NONE ? 0 : show_id(player, &sides[1], b);
        bool takes_a = a != TPI_PLAY_NONE && (b == TPI_PLAY_NONE || id_a <= id_b);
        bool takes_b = b != TPI_PLAY_NONE && (a == TPI_PLAY_NONE || id_b <= id_a);
        if (takes_a && takes_b && *looks < 2u) break;
        if (takes_a && !show_pass(player, &sides[0], a, looks)) return false;
        if (takes_b && !show_pass(player, &sides[1], b, looks)) return false;
        if (takes_a != takes_b && takes_b != is_late) continue;
        pairs->slot[0][pairs->count] = a;
        pairs->slot[1][pairs->count] = b;
        pairs->sides[pairs->count++] = (uint8_t)((takes_a ? 1u : 0u) | (takes_b ? 2u : 0u));
    }
    return true;
}

/* ---- values of one frame ---- */

void tpi_show_words(const tp_player *player, uint32_t stream, uint32_t c,
                    const tpi_play_pairs *pairs, uint32_t count, uint32_t *to)
{
    const tpi_play_side *side = &player->show.side[0];
    uint32_t word = player->shape.first_word[stream] + c, track = 0;
    const uint32_t *slots = pairs->slot[0];
    if (side->entry != TPI_PLAY_NONE) {
        const uint32_t *from = tpi_play_words(player, side->entry, word);
        if (pairs->is_run && count)
            tpi_memcpy(to, from + slots[0], count * 4u);
        else
            for (uint32_t i = 0; i < count; i++) to[i] = from[slots[i]];
        return;
    }
    while (player->shape.stream[track] != stream) track++;
    const int32_t *coordinates = tpi_play_place(player, word);
    for (uint32_t i = 0, run = 1; i < count;
         i += run, run = 1) { /* converts consecutive slots of a tile at once */
        uint32_t slot = slots[i], rest = TPI_TILE_POINTS - slot % TPI_TILE_POINTS;
        if (pairs->is_run) run = tpi_min_u32(count - i, rest);
        while (i + run < count && run < rest && slots[i + run] == slot + run) run++;
        const tpi_tile_header *header = (const tpi_tile_header *)(const void *)tpi_play_head_of(
            player, track, slot / TPI_TILE_POINTS);
        tpi_play_convert(&header->component[c], &player->lattice[track][c],
                         player->def.streams[stream].type == TP_STREAM_F32, coordinates + slot, run,
                         to + i);
    }
}

static void show_ids(const tp_player *player, const tpi_play_pairs *pairs, uint32_t count,
                     uint32_t *to)
{
    const tpi_play_side *sides = player->show.side;
    if (pairs->is_run) {
        tpi_memcpy(to, tpi_play_ids(player, sides[0].roster) + pairs->slot[0][0], count * 4u);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = pairs->sides[i] & 1u ? 0u : 1u;
        to[i] = show_id(player, &sides[s], pairs->slot[s][i]);
    }
}

/* Writes the pairs to the view; the counting of activity overwrites them. */
static void show_write(tp_player *player, tpi_play_pairs *pairs, tp_frame_view *view)
{
    uint32_t count = tpi_min_u32(pairs->count, view->capacity - view->count);
    for (uint32_t s = 0; s < player->def.stream_count && count; s++) {
        if (!view->values[s]) continue;
        uint32_t *to = (uint32_t *)view->values[s] + view->count;
        if (s == player->shape.identity)
            show_ids(player, pairs, count, to);
        else if (player->show.side_count == 2u)
            tpi_between_write(player, s, pairs, count, to, view->capacity);
        else
            for (uint32_t c = 0; c < player->def.streams[s].components; c++)
                tpi_show_words(player, s, c, pairs, count, to + (size_t)c * view->capacity);
    }
    view->dropped += pairs->count - count;
    if (tpi_has_activity(&player->def.activity)) {
        float *plane = (float *)view->values[player->def.stream_count];
        tpi_activity_show(player, pairs, plane ? plane + view->count : NULL, count);
    }
    view->count += count;
}

/* ---- the job ---- */

static tp_result show_step(tpi_play_call *call, tp_frame_view *view)
{
    tp_player *player = call->player;
    tpi_play_show *show = &player->show;
    tpi_play_pairs pairs;
    uint32_t most = show->side_count == 2u ? 2u * TPI_PLAY_CHUNK : TPI_PLAY_CHUNK, looks = most;
    pairs.count = 0;
    pairs.is_run = false;
    bool is_good = show->side_count == 2u ? show_both(player, &pairs, &looks, show_is_late(player))
                                          : show_one(player, &pairs, &looks);
    show_write(player, &pairs, view);
    uint32_t streams = player->def.stream_count + tpi_has_activity(&player->def.activity);
    tpi_play_spend(call, tpi_max_u32(most - looks, 1u) * streams);
    if (is_good) return TP_OK;
    uint64_t block = player->roster[show->side[0].roster].group.first_block;
    return tpi_play_fault(player, TP_ERROR_CLIP, block << player->clip.schema.block_bits,
                          "a frame that has each point once");
}

TPI_APART tp_result tpi_show_run(tpi_play_call *call, tp_frame_view *view)
{
    tp_player *player = call->player;
    tpi_play_show *show = &player->show;
    tp_result result = TP_OK;
    while (result == TP_OK) {
        bool is_over = true;
        for (uint32_t s = 0; s < show->side_count; s++)
            if (!show_is_over(player, &show->side[s])) is_over = false;
        if (is_over) break;
        if (!tpi_play_may(call)) return TP_MORE;
        result = show_step(call, view);
    }
    show->active = false;
    return result;
}
