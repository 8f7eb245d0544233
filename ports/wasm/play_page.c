/* SPDX-License-Identifier: MIT
   ports/wasm/play_page.c - the module of the third page: starts plays, runs frames within a budget,
           and answers with numbers.
   reads   calls of the page's script      writes  one static block and a picture
   memory  PLAY_BLOCK bytes and the picture, nothing else
   cost    play_frame: its units and a slice
   after   own design; play_smoke.c and play_sheet.c have the two worlds */
#include "play.h"

static _Alignas(16) unsigned char play_block[PLAY_BLOCK];
static uint32_t play_pixels[PLAY_SIDE * PLAY_SIDE];
static const play_kind *const play_kinds[PLAY_PLAYS] = {&play_smoke, &play_sheet};

play_hand play_now;
static const play_kind *play_kind_now;
static tp_world *play_world;
static tp_report play_report;
static bool play_is_held;

int play_start(uint32_t play)
{
    if (play >= PLAY_PLAYS) return TP_ERROR_DEFINITION;
    play_kind_now = play_kinds[play];
    play_now = (play_hand){.wanted = {0, 0.5f * PLAY_EXTENT, 0}};
    play_report = (tp_report){0};
    play_is_held = false;
    const tp_world_def def = play_kind_now->define();
    tp_result result = tp_world_create(&def, play_block, sizeof play_block, &play_world);
    return result == TP_OK ? play_kind_now->fill(play_world) : result;
}

int play_input(uint32_t is_held, float x, float y)
{
    play_now.wanted.x = (play_bound(x, 0, 1) - 0.5f) * PLAY_EXTENT;
    play_now.wanted.y = play_bound(y, 0, 1) * PLAY_EXTENT;
    if ((is_held != 0) == play_is_held || !play_kind_now) return TP_OK;
    play_is_held = is_held != 0;
    return play_kind_now->hold(play_world, play_is_held);
}

tp_result play_follow(tp_world *world, float speed)
{
    const tp_vector at = play_now.at, to = play_now.wanted;
    const float x = to.x - at.x, y = to.y - at.y, z = to.z - at.z;
    const float way = play_root(x * x + y * y + z * z), most = speed / PLAY_FPS;
    const float share = way > most ? most / way : 1;
    const tp_pose pose = {{at.x + share * x, at.y + share * y, at.z + share * z}, {1, 0, 0, 0}};
    play_now.at = pose.position;
    return tp_collider_move(world, play_now.collider, pose);
}

/* False while a game frame is incomplete: a call had too few units for it. */
static bool play_is_between_frames(void)
{
    const tp_source source = tp_world_source(play_world);
    uint64_t completed;
    return source.frame(source.context, &completed);
}

int play_frame(uint32_t units)
{
    const tp_budget budget = {.units = units, .frames_max = 1};
    tp_result result = TP_OK;
    if (play_is_between_frames()) result = play_kind_now->move(play_world);
    return result < TP_OK ? result : tp_frame(play_world, &budget, &play_report);
}

const uint32_t *play_draw(void)
{
    play_kind_now->draw(play_world, play_pixels);
    return play_pixels;
}

static double play_mean_speed(const tp_view *view)
{
    double sum = 0;
    for (uint32_t i = 0; i < view->count; i++) sum += (double)view->vx[i];
    return view->count ? sum / view->count : 0;
}

/* Vortons of the smoke, broken constraints of the sheet. */
static double play_count(const tp_view *view)
{
    tp_cloth_report cloth;
    uint32_t vortons = 0;
    if (tp_cloth_measure(play_world, &cloth) == TP_OK) return cloth.broken;
    for (uint32_t i = 0; view->strength_x && i < view->count; i++)
        vortons += TP_META_SPECIES(view->meta[i]) != 0;
    return vortons;
}

double play_number(uint32_t index)
{
    const tp_view view = tp_world_view(play_world);
    const double owed = (double)play_report.lag_ticks / TP_TICKS_PER_FRAME;
    switch (index) {
    case 0: return (double)play_report.frames;
    case 1: return (double)play_report.units;
    case 2: return owed;
    case 3: return view.count;
    case 4: return play_count(&view);
    case 5: return (double)play_now.at.x;
    case 6: return (double)play_now.at.y;
    case 7: return play_now.nodes;
    case 8: return play_mean_speed(&view);
    case 9: return PLAY_BLOCK;
    default: return -1;
    }
}

uint64_t play_hash(void) { return tp_world_hash(play_world); }

uint64_t play_proof(uint32_t play)
{
    int result = play_start(play);
    for (uint32_t frame = 0; frame < PLAY_PROOF && result == TP_OK; frame++) result = play_frame(0);
    return result == TP_OK ? play_hash() : 0;
}

uint64_t play_proof_hash(uint32_t play)
{
    static const uint64_t hashes[PLAY_PLAYS] = {PLAY_SMOKE_HASH, PLAY_SHEET_HASH};
    return play < PLAY_PLAYS ? hashes[play] : 0;
}
