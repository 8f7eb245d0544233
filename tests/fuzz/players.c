/* SPDX-License-Identifier: MIT
   tests/fuzz/players.c - fuzz target for clips in a player: its views are consistent, and every
           request ends.
   reads   any bytes      writes  memory
   memory  a block of exactly the size that the query returns, so that a sanitizer reports an
           overrun of one byte
   cost    eight frames of the decoded size that the tiles of the input state
   after   own design */
#include "tidepool.h"
#include "fuzz.h"
#include "formats/tpc.h"
#include <stdlib.h>
#include <string.h>

#define FUZZ_PLAYER_MAX   (1u << 22)
#define FUZZ_PLAYER_CALLS 200000u

typedef struct fuzz_reel {
    const uint8_t *bytes;
    size_t size;
    uint32_t asked;
} fuzz_reel;

/* Every third read answers "not yet". */
static uint32_t reel_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    fuzz_reel *reel = context;
    if (++reel->asked % 3u == 0) return TP_CLIP_NOT_YET;
    if (offset >= reel->size) return 0;
    uint32_t got = reel->size - offset < size ? (uint32_t)(reel->size - offset) : size;
    memcpy(bytes, reel->bytes + offset, got);
    return got;
}

static void check_view(const tp_player_def *def, const tp_frame_view *view, tp_result result)
{
    const uint32_t *ids = view->values[0];
    if (view->count > view->capacity || (result != TP_OK && view->count)) abort();
    if ((result == TP_OK) == (view->status == TP_CACHE_MISSING || view->status == TP_CACHE_PARTIAL))
        abort();
    for (uint32_t i = 1; i < view->count; i++)
        if (ids[i] <= ids[i - 1]) abort();
    if (def->streams[0].interpolation != TP_INTERPOLATE_IDENTITY) abort();
}

/* The sum over the regions is the total of the frame. */
static void check_activity(const tp_player *player, tp_result result)
{
    tp_activity told;
    float regions[6], sum = 0;
    if (!tp_player_definition(player)->activity.side[0]) return;
    if ((tp_player_activity(player, &told, regions) == TP_OK) != (result == TP_OK)) abort();
    if (result != TP_OK) return;
    for (uint32_t r = 0; r < 6; r++) sum += regions[r];
    if (!(told.keys >= 0) || told.keys > (float)told.points || told.keys - sum > 1 ||
        sum - told.keys > 1)
        abort();
}

static void play_at(tp_player *player, const tp_clip_storage *storage, int64_t time,
                    tp_frame_view *view)
{
    tp_budget budget = {.units = 5000};
    tp_result result = TP_MORE;
    for (uint32_t calls = 0; result == TP_MORE; calls++) {
        if (calls == FUZZ_PLAYER_CALLS) abort();
        result = tp_player_request(player, storage, time, &budget, view);
        if (tp_player_report(player).units >
            budget.units + tp_player_definition(player)->slice_units + 70000u)
            abort();
    }
    check_view(tp_player_definition(player), view, result);
    check_activity(player, result);
    bool is_told =
        result == TP_OK || result == TP_ERROR_FRAME || tp_player_report(player).fault.expected[0];
    if (!is_told) abort();
}

static void play(const tp_player_def *def, const tp_clip_info *info, const tp_clip_storage *storage)
{
    static const int64_t parts[] = {0, 3, 4, 1, 5, 2, -1, 9};
    size_t size = 0;
    tp_player *player;
    tp_frame_view view = {.capacity = def->points_max};
    if (tp_player_memory(def, &size) != TP_OK || size > FUZZ_PLAYER_MAX) return;
    void *block = aligned_alloc(16, (size + 15u) & ~(size_t)15u);
    if (!block || tp_player_create(def, block, size, &player) != TP_OK) abort();
    for (uint32_t s = 0; s < def->stream_count; s++)
        view.values[s] = malloc((size_t)def->points_max * 4u * def->streams[s].components);
    if (def->activity.side[0])
        view.values[def->stream_count] = malloc((size_t)def->points_max * 4u);
    int64_t length = info->last_frame - info->first_frame;
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        play_at(player, storage,
                (int64_t)(((uint64_t)info->first_frame + (uint64_t)(length / 6 * parts[i])) *
                          TP_TICKS_PER_FRAME) +
                    parts[i] % 2 * 1000,
                &view);
    for (uint32_t s = 0; s < TP_STREAMS_MAX; s++) free(view.values[s]);
    free(block);
}

static void play_clip(const uint8_t *bytes, size_t size)
{
    static _Alignas(16) uint8_t scratch[65536];
    fuzz_reel reel = {bytes, size, 0};
    tp_clip_storage mapped = {bytes, size, NULL, NULL}, read = {NULL, 0, reel_read, &reel};
    tp_clip_info info;
    tp_result result = tp_clip_look(&mapped, scratch, sizeof scratch, &info);
    if (result != TP_OK) {
        if (!info.fault.expected[0]) abort();
        return;
    }
    tp_player_def def = tp_player_default(&info);
    for (uint32_t s = 0; s < info.stream_count; s++)
        if (tp_player_want(&def, &info, info.streams[s].name) != TP_OK) break;
    for (uint32_t kept = 0; kept < 4; kept += 3) {
        def.frames_kept = kept;
        def.tile_stride = 1u + kept / 2u;
        def.reads_max = kept;
        tp_player_def counting = def;
        counting.activity =
            (tp_activity_def){.side = {3, 2}, .axis = {0, 1}, .stream = 1, .high = {1, 1}};
        if (!tp_player_check(&counting)) def = counting;
        if (!tp_player_check(&def)) play(&def, &info, kept ? &read : &mapped);
    }
}

void fuzz_player(const uint8_t *bytes, size_t size)
{
    uint8_t *sealed = malloc(size ? size : 1);
    if (!sealed) abort();
    memcpy(sealed, bytes, size);
    play_clip(sealed, size); /* a copy of exact size */
    fuzz_seal(sealed, size);
    play_clip(sealed, size);
    free(sealed);
}
