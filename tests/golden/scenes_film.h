/* SPDX-License-Identifier: MIT
   tests/golden/scenes_film.h - a clip played forwards, backwards and between frames, and blended
           with itself.
   reads   film.h      writes  the stage's spare memory
   memory  below 60 KiB      cost    some milliseconds
   after   own design; included by scenes.h */
#include "film.h"

#define GOLDEN_FILM_POINTS 36u
#define GOLDEN_FILM_WORDS  11u

static void golden_film_world(tp_world_def *def)
{
    *def = tp_world_default(2);
    def->particles_max = 16;
}

static void golden_fill_nothing(golden_stage *stage) { (void)stage; }

/* Takes the next part of the spare memory; null if too little is left. */
static unsigned char *golden_take(golden_stage *stage, size_t bytes)
{
    unsigned char *part = (unsigned char *)stage->spare;
    bytes = (bytes + 15u) & ~(size_t)15u;
    if (bytes > stage->spare_bytes) {
        golden_note(stage, TP_ERROR_MEMORY);
        return NULL;
    }
    stage->spare = part + bytes;
    stage->spare_bytes -= bytes;
    return part;
}

/* The film as in a file, but at an odd address: unaligned word reads fault on some processors. */
static tp_clip_storage golden_film_storage(golden_stage *stage)
{
    tp_clip_storage storage = {NULL, GOLDEN_FILM_BYTES, NULL, NULL};
    unsigned char *room = golden_take(stage, GOLDEN_FILM_BYTES + 1u),
                  *bytes = room ? room + 1 : NULL;
    for (uint32_t i = 0, from = 0; bytes && i < GOLDEN_FILM_BYTES; i++) {
        bool is_used = i % GOLDEN_FILM_BLOCK < golden_film_used[i / GOLDEN_FILM_BLOCK];
        bytes[i] = is_used ? golden_film[from++] : (unsigned char)0;
    }
    storage.bytes = bytes;
    return storage;
}

static tp_player_def golden_film_def(golden_stage *stage, const tp_clip_storage *storage,
                                     tp_clip_info *info)
{
    unsigned char scratch[2 * GOLDEN_FILM_BLOCK];
    tp_player_def none = {0};
    tp_result result = tp_clip_look(storage, scratch, sizeof scratch, info);
    golden_note(stage, result);
    if (result != TP_OK) return none;
    tp_player_def def = tp_player_default(info);
    golden_note(stage, tp_player_want(&def, info, "velocity"));
    golden_note(stage, tp_player_want(&def, info, "rotation"));
    return def;
}

static tp_player *golden_film_player(golden_stage *stage, tp_player_def def, uint32_t kept)
{
    size_t bytes = 0;
    tp_player *player = NULL;
    def.frames_kept = kept;
    golden_note(stage, tp_player_memory(&def, &bytes));
    unsigned char *block = golden_take(stage, bytes);
    if (block) golden_note(stage, tp_player_create(&def, block, bytes, &player));
    return player;
}

static tp_frame_view golden_film_view(golden_stage *stage)
{
    static const uint32_t components[4] = {1, 3, 3, 4};
    tp_frame_view view = {0};
    view.capacity = GOLDEN_FILM_POINTS;
    for (uint32_t s = 0; s < 4; s++)
        view.values[s] = golden_take(stage, components[s] * GOLDEN_FILM_POINTS * 4u);
    return view;
}

/* FNV-1a over words: all values that a view shows, its status and the units used. */
static uint64_t golden_film_hash(uint64_t hash, const tp_frame_view *view, uint32_t units)
{
    static const uint32_t components[4] = {1, 3, 3, 4};
    for (uint32_t s = 0; s < 4; s++)
        for (uint32_t c = 0; c < components[s]; c++)
            hash = golden_fold(hash, (const uint32_t *)view->values[s] + c * view->capacity,
                               view->count);
    const uint32_t status = (uint32_t)view->status;
    return golden_fold(golden_fold(hash, &status, 1), &units, 1);
}

/* Plays forwards and back in thirds of frames; without kept frames, whole frames are shown. */
static uint64_t golden_film_walk(golden_stage *stage, uint64_t hash, tp_player *player,
                                 const tp_clip_storage *storage, tp_frame_view *view)
{
    for (int64_t i = 0; i < 70 && stage->result == TP_OK; i++) {
        int64_t third = i < 35 ? i : 70 - i;
        golden_note(stage, tp_player_request(player, storage,
                                             third * (int64_t)TP_TICKS_PER_FRAME / 3, NULL, view));
        hash = golden_film_hash(hash, view, tp_player_report(player).units);
    }
    return hash;
}

/* Blends from the first half of the film into the second, backwards. */
static uint64_t golden_film_blend(golden_stage *stage, uint64_t hash, const tp_player_def *def,
                                  const tp_clip_info *info, tp_player *const *players,
                                  const tp_clip_storage *storages, tp_frame_view *view)
{
    size_t bytes = 0;
    tp_timeline *timeline = NULL;
    tp_timeline_def how = tp_timeline_default(def, info);
    tp_strip strip = {0,
                      0,
                      8 * (int64_t)TP_TICKS_PER_FRAME,
                      (int64_t)TP_TICKS_PER_FRAME,
                      11 * (int64_t)TP_TICKS_PER_FRAME,
                      1,
                      1,
                      0,
                      false};
    how.strips_max = 2;
    golden_note(stage, tp_timeline_memory(&how, &bytes));
    unsigned char *block = golden_take(stage, bytes);
    if (!block) return 0;
    golden_note(stage, tp_timeline_create(&how, block, bytes, &timeline));
    golden_note(stage, tp_timeline_add(timeline, &strip));
    strip.player = 1;
    strip.fade = 7 * (int64_t)TP_TICKS_PER_FRAME;
    strip.speed_numerator = -2;
    strip.speed_denominator = 3;
    golden_note(stage, tp_timeline_add(timeline, &strip));
    for (int64_t i = 0; i < 9 && stage->result == TP_OK; i++) {
        golden_note(stage, tp_timeline_request(timeline, players, storages, 2,
                                               i * (int64_t)TP_TICKS_PER_FRAME, NULL, view));
        hash = golden_film_hash(hash, view, 0);
    }
    return hash;
}

static uint64_t golden_play_film(golden_stage *stage, uint64_t hash)
{
    tp_clip_info info;
    tp_clip_storage storages[2];
    tp_player *players[2];
    storages[0] = storages[1] = golden_film_storage(stage);
    if (stage->result != TP_OK) return 0;
    tp_player_def def = golden_film_def(stage, &storages[0], &info);
    if (stage->result != TP_OK) return 0;
    tp_frame_view view = golden_film_view(stage);
    players[0] = golden_film_player(stage, def, 0);
    players[1] = golden_film_player(stage, def, 2);
    if (stage->result != TP_OK) return 0;
    for (uint32_t k = 0; k < 2; k++)
        hash = golden_film_walk(stage, hash, players[k], &storages[k], &view);
    return golden_film_blend(stage, hash, &def, &info, players, storages, &view);
}
