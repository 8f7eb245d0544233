/* SPDX-License-Identifier: MIT
   ports/worst/calls_clip.h - the calls of players and timelines, on a small clip, memory-mapped and
           read block by block.
   reads   tests/golden/film.h      writes  calls_world_block, calls_cache_block, calls_spare
   memory  a copy of the clip      cost    some ten million instructions per room
   after   own design; part of calls.c */
#ifndef TIDEPOOL_WORST_CALLS_CLIP_H
#define TIDEPOOL_WORST_CALLS_CLIP_H
#include "../../tests/golden/film.h"

#define CALLS_FILM_POINTS 36u

/* The clip, and a player of it. */
typedef struct calls_show {
    calls_room *room;
    tp_clip_storage storage;
    tp_clip_info info;
    tp_player_def def;
    tp_player *player;
    tp_frame_view view;
    /* bit b: block b was requested once; the first read of a block answers TP_CLIP_NOT_YET */
    uint32_t asked;
} calls_show;

static unsigned char calls_film[GOLDEN_FILM_BYTES];

static void calls_film_unpack(void)
{
    for (uint32_t i = 0, from = 0; i < GOLDEN_FILM_BYTES; i++) {
        bool is_used = i % GOLDEN_FILM_BLOCK < golden_film_used[i / GOLDEN_FILM_BLOCK];
        calls_film[i] = is_used ? golden_film[from++] : (unsigned char)0;
    }
}

static uint32_t calls_film_read(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    calls_show *show = context;
    uint32_t block = 1u << offset / GOLDEN_FILM_BLOCK % 32u, asked = show->asked;
    show->asked |= block;
    if (!(asked & block)) return TP_CLIP_NOT_YET;
    for (uint32_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] =
            offset + i < GOLDEN_FILM_BYTES ? calls_film[offset + i] : (unsigned char)0;
    return size;
}

static void calls_player_define(calls_show *show)
{
    calls_room *room = show->room;
    static const char *const names[2] = {"velocity", "rotation"};
    uint32_t side = room->n >= 256u ? 16u : room->n >= 64u ? 8u : 4u;
    WORST_MEASURE(tp_player_default, WORST_SLICE_LEAST, show->def = tp_player_default(&show->info));
    for (uint32_t i = 0; i < 2; i++)
        CALLS_MAKE(room, tp_player_want, &show->def, &show->info, names[i]);
    show->def.frames_kept = calls_least(room->n, show->info.key_interval + 1u);
    show->def.slice_units = 128u * (2u + show->def.stream_count) + show->def.block_max / 4u;
    for (uint32_t axis = 0; axis < 2; axis++) {
        show->def.activity.side[axis] = side;
        show->def.activity.low[axis] = -1.0f;
        show->def.activity.high[axis] = 1.0f;
    }
    CALLS_CHECK(room, tp_player_check, &show->def);
}

/* Play times: forwards, backwards, then jumps; at frames and between frames. */
static int64_t calls_show_time(uint32_t i)
{
    int64_t third = i < 35u ? i : i < 70u ? 70u - i : i * 23u % 36u;
    return third * (int64_t)TP_TICKS_PER_FRAME / 3;
}

static void calls_player_show(calls_show *show)
{
    static float regions[TP_REGIONS_MAX * TP_REGIONS_MAX];
    calls_room *room = show->room;
    uint32_t limit = 64;
    tp_budget budget = {.units = limit};
    for (uint32_t i = 0; i < 100u && !room->line; i++) {
        tp_activity activity;
        CALLS_CONTINUE(room, tp_player_request, limit, show->def.slice_units, show->player,
                       &show->storage, calls_show_time(i), &budget, &show->view);
        CALLS_MAKE(room, tp_player_activity, show->player, &activity, regions);
    }
    CALLS_ASK(room, tp_player_report, tp_player_counters, answer.tile_frames, show->player);
    CALLS_MAKE(room, tp_player_reopen, show->player, 1);
}

/* ---- timelines ---- */

static tp_timeline *calls_timeline_create(calls_show *show, tp_timeline_def *def)
{
    calls_room *room = show->room;
    tp_timeline *timeline = NULL;
    size_t bytes = 0;
    WORST_MEASURE(tp_timeline_default, WORST_SLICE_LEAST,
                  *def = tp_timeline_default(&show->def, &show->info));
    def->strips_max = room->n;
    def->slice_units = 128u * (2u + def->stream_count);
    CALLS_CHECK(room, tp_timeline_check, def);
    CALLS_MAKE(room, tp_timeline_memory, def, &bytes);
    CALLS_MAKE(room, tp_timeline_create, def, calls_world_block, sizeof calls_world_block,
               &timeline);
    CALLS_ASK(room, tp_timeline_at, tp_timeline *, answer == timeline, calls_world_block,
              sizeof calls_world_block);
    return timeline;
}

/* Overlapping strips, of which the last two are shown. They are added latest first, so each
   insertion moves all others. */
static void calls_timeline_add(calls_show *show, tp_timeline *timeline)
{
    calls_room *room = show->room;
    const int64_t tick = TP_TICKS_PER_FRAME;
    for (uint32_t i = 0; i < room->n; i++) {
        tp_strip strip = {.start = (int64_t)(room->n - i),
                          .end = 20 * tick,
                          .clip_start = tick,
                          .clip_end = 11 * tick};
        strip.player = i & 1u;
        strip.speed_numerator = i & 1u ? 1 : -2;
        strip.speed_denominator = 3;
        strip.fade = 19 * tick;
        CALLS_MAKE(room, tp_timeline_add, timeline, &strip);
    }
}

static void calls_timeline_show(calls_show *show, tp_timeline *timeline, const tp_timeline_def *def)
{
    static float regions[TP_REGIONS_MAX * TP_REGIONS_MAX];
    calls_room *room = show->room;
    tp_clip_storage storages[2] = {show->storage, show->storage};
    tp_player *players[2] = {show->player, NULL};
    tp_budget budget = {.units = 64};
    tp_result result = tp_player_create(&show->def, calls_spare, sizeof calls_spare, &players[1]);
    uint32_t slice =
        def->slice_units > show->def.slice_units ? def->slice_units : show->def.slice_units;
    CALLS_EXPECT(room, result == TP_OK, result);
    for (uint32_t i = 0; i < 100u && !room->line; i++) {
        tp_timeline_moment moment;
        tp_activity activity;
        CALLS_MAKE(room, tp_timeline_look, timeline, calls_show_time(i), &moment);
        CALLS_CONTINUE(room, tp_timeline_request, 64u, slice, timeline, players, storages, 2,
                       calls_show_time(i), &budget, &show->view);
        CALLS_MAKE(room, tp_timeline_activity, timeline, &activity, regions);
    }
    CALLS_MAKE(room, tp_timeline_clear, timeline);
}

static void calls_of_a_clip(calls_room *room, bool is_mapped)
{
    static calls_show show;
    static uint32_t values[6][4u * CALLS_FILM_POINTS];
    tp_timeline_def def;
    calls_film_unpack();
    show = (calls_show){.room = room, .storage = {NULL, GOLDEN_FILM_BYTES, calls_film_read, &show}};
    if (is_mapped) show.storage.bytes = calls_film;
    CALLS_CONTINUE(room, tp_clip_look, 0u, WORST_SLICE_LEAST, &show.storage, calls_spare,
                   2u * GOLDEN_FILM_BLOCK, &show.info);
    if (room->line) return;
    show.view.capacity = CALLS_FILM_POINTS;
    for (uint32_t s = 0; s < 6; s++) show.view.values[s] = values[s];
    calls_player_define(&show);
    CALLS_CREATE(room, player, &show.def, calls_cache_block, show.player);
    if (room->line) return;
    calls_player_show(&show);
    tp_timeline *timeline = calls_timeline_create(&show, &def);
    if (room->line) return;
    calls_timeline_add(&show, timeline);
    calls_timeline_show(&show, timeline, &def);
}

static void calls_of_clips(calls_room *room)
{
    calls_of_a_clip(room, true);
    calls_of_a_clip(room, false);
}

#endif
