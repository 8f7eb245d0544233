/* SPDX-License-Identifier: MIT
   runtime/play/keep.c - cache of decoded frames, for interpolation and for frames passed by.
   reads   the entries      writes  the same
   memory  per entry 8 bytes and 4 * words per slot      cost    O(entries)
   after   own design: evicts the frame that is farthest from the requested one */
#include "play.h"

uint32_t tpi_keep_find(const tp_player *player, int32_t frame)
{
    for (uint32_t e = 0; e < player->def.frames_kept; e++) {
        const tpi_play_kept *kept = tpi_play_kept_of(player, e);
        if (kept->state == TPI_KEPT_WHOLE && kept->frame == frame) return e;
    }
    return TPI_PLAY_NONE;
}

static bool keep_is_needed(int32_t frame, const int32_t *needed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (needed[i] == frame) return true;
    return false;
}

/* Finds a free entry, or the entry whose frame is farthest from `target`, if it is farther than
   `frame` is. */
static uint32_t keep_allocate(const tp_player *player, int32_t frame, int32_t target,
                              const int32_t *needed, uint32_t count)
{
    int64_t distance = (int64_t)target - frame, farthest = distance < 0 ? -distance : distance;
    uint32_t best = TPI_PLAY_NONE;
    for (uint32_t e = 0; e < player->def.frames_kept; e++) {
        const tpi_play_kept *kept = tpi_play_kept_of(player, e);
        if (kept->state == TPI_KEPT_NONE) return e;
        int64_t away = (int64_t)target - kept->frame;
        if (away < 0) away = -away;
        if (kept->state == TPI_KEPT_FILLING || away <= farthest ||
            keep_is_needed(kept->frame, needed, count))
            continue;
        farthest = away;
        best = e;
    }
    return best;
}

void tpi_keep_begin(tp_player *player, uint32_t low, uint32_t high, const int32_t *needed,
                    uint32_t count)
{
    const tpi_play_roster *roster = &player->roster[player->current];
    int32_t target = tpi_play_frame_of(roster, high);
    for (uint32_t i = high + 1u; i-- > low;) {
        int32_t frame = tpi_play_frame_of(roster, i);
        if (tpi_keep_find(player, frame) != TPI_PLAY_NONE) continue;
        uint32_t entry = keep_allocate(player, frame, target, needed, count);
        if (entry == TPI_PLAY_NONE) return;
        *tpi_play_kept_of(player, entry) = (tpi_play_kept){
            .frame = frame, .roster = (uint8_t)player->current, .state = TPI_KEPT_FILLING};
    }
}

uint32_t tpi_keep_filling(const tp_player *player, uint32_t index)
{
    int32_t frame = tpi_play_frame_of(&player->roster[player->current], index);
    for (uint32_t e = 0; e < player->def.frames_kept; e++) {
        const tpi_play_kept *kept = tpi_play_kept_of(player, e);
        if (kept->state == TPI_KEPT_FILLING && kept->frame == frame) return e;
    }
    return TPI_PLAY_NONE;
}

void tpi_keep_end(tp_player *player, bool is_whole)
{
    for (uint32_t e = 0; e < player->def.frames_kept; e++) {
        tpi_play_kept *kept = tpi_play_kept_of(player, e);
        if (kept->state == TPI_KEPT_FILLING)
            kept->state = is_whole ? TPI_KEPT_WHOLE : TPI_KEPT_NONE;
    }
}

void tpi_keep_drop(tp_player *player, uint32_t roster)
{
    for (uint32_t e = 0; e < player->def.frames_kept; e++) {
        tpi_play_kept *kept = tpi_play_kept_of(player, e);
        if (kept->roster == roster) kept->state = TPI_KEPT_NONE;
    }
}
