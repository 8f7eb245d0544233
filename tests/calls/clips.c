/* SPDX-License-Identifier: MIT
   tests/calls/clips.c - calls on a player and a timeline of one clip, whole or damaged.
   reads   the sequence, a clip      writes  its player and timeline
   memory  a copy of the clip       cost    the budgets
   after   own design */
#include "calls.h"

enum { SCRATCH = 65536 };

/* A storage that sometimes answers late, and reads short at the end. */
static uint32_t read_clip(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    calls_sequence *s = context;
    calls_clip *c = &s->clip;
    if (c->stalls++ % 5u == 4u) return TP_CLIP_NOT_YET;
    if (offset >= c->storage.size) return 0;
    uint64_t rest = c->storage.size - offset;
    uint32_t count = rest < size ? (uint32_t)rest : size;
    memcpy(bytes, c->bytes + offset, count);
    return count;
}

static void fold_fault(calls_sequence *s, const tp_clip_fault *fault)
{
    calls_fold_word(s, fault->offset);
    calls_fold(s, fault->expected, strlen(fault->expected));
}

void calls_clip_open(calls_sequence *s, const unsigned char *clip, size_t size)
{
    static unsigned char scratch[SCRATCH];
    calls_clip *c = &s->clip;
    c->stalls = 0;
    if (!clip) return;
    memcpy(c->bytes, clip, size);
    if (calls_one_in(s, 3))
        for (uint32_t k = calls_below(s, 4); k > 0; k--)
            c->bytes[calls_below(s, (uint32_t)size)] ^= (unsigned char)(1u << calls_below(s, 8));
    if (calls_one_in(s, 6)) size = calls_below(s, (uint32_t)size);
    c->storage = (tp_clip_storage){c->bytes, size, NULL, NULL};
    tp_result result = TP_MORE;
    for (uint32_t k = 0; k < 10 && result == TP_MORE; k++)
        result = calls_note(s, "clip_look", tp_clip_look(&c->storage, scratch, SCRATCH, &c->info));
    fold_fault(s, &c->info.fault);
    if (calls_one_in(s, 2)) c->storage = (tp_clip_storage){NULL, size, read_clip, s};
}

static void make_player(calls_sequence *s)
{
    static const char *const names[] = {"velocity", "rotation", "size", "meta", "nothing"};
    calls_clip *c = &s->clip;
    tp_player_def changed = tp_player_default(&c->info), *def = &changed;
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    size_t bytes = 0, sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2; k++)
        (void)calls_note(s, "player_want", tp_player_want(def, &c->info, names[calls_below(s, 5)]));
    if (calls_one_in(s, 3)) def->frames_kept = calls_below(s, 12);
    if (calls_one_in(s, 3)) def->frames_ahead = 1u + calls_below(s, 4);
    if (calls_one_in(s, 3)) def->tile_stride = 1u + calls_below(s, 3);
    if (calls_one_in(s, 3)) def->reads_max = calls_below(s, 4);
    if (calls_one_in(s, 2)) {
        def->activity.side[0] = 1u + calls_below(s, TP_REGIONS_MAX), def->activity.side[1] = 4;
        for (uint32_t k = 0; k < 2; k++) def->activity.low[k] = -1.0f, def->activity.high[k] = 1.0f;
    }
    calls_change(s, def, sizeof *def, 5);
    const char *problem = tp_player_check(def);
    tp_result result = calls_note(s, "player_memory", tp_player_memory(def, &bytes));
    calls_promise(s, (problem == NULL) == (result == TP_OK),
                  "tp_player_check and tp_player_memory agree");
    calls_promise(s, tp_player_memory_parts(def, parts, &count) == result,
                  "tp_player_memory and tp_player_memory_parts agree");
    for (uint32_t k = 0; k < count; k++) sum += parts[k].bytes;
    if (result != TP_OK || bytes > CALLS_BLOCK_BYTES) return;
    calls_promise(s, sum == bytes, "the parts of a player add up to its bytes");
    c->timeline = NULL;
    c->player_def = changed;
    c->player_in_use = 0;
    unsigned char *block = calls_take(&c->player_room[0], bytes);
    result = calls_note(s, "player_create", tp_player_create(def, block, bytes, &c->player));
    calls_promise(s, result == TP_OK, "the bytes of the size query are enough");
}

static void make_timeline(calls_sequence *s)
{
    calls_clip *c = &s->clip;
    tp_timeline_def *def = &c->timeline_def;
    size_t bytes = 0;
    *def = tp_timeline_default(&c->player_def, &c->info);
    def->has_weights = calls_one_in(s, 2);
    def->strips_max = 1u + calls_below(s, 4);
    calls_change(s, def, sizeof *def, 5);
    calls_tame(&def->has_weights);
    const char *problem = tp_timeline_check(def);
    tp_result result = calls_note(s, "timeline_memory", tp_timeline_memory(def, &bytes));
    calls_promise(s, (problem == NULL) == (result == TP_OK),
                  "tp_timeline_check and tp_timeline_memory agree");
    if (result != TP_OK || bytes > CALLS_BLOCK_BYTES) return;
    c->timeline_in_use = 0;
    unsigned char *block = calls_take(&c->timeline_room[0], bytes);
    result = calls_note(s, "timeline_create", tp_timeline_create(def, block, bytes, &c->timeline));
    calls_promise(s, result == TP_OK, "the bytes of the size query are enough");
}

static int64_t any_time(calls_sequence *s)
{
    if (calls_one_in(s, 30))
        return (int64_t)((uint64_t)calls_hostile_word(s) << 32 | calls_hostile_word(s));
    int64_t frame = (int64_t)calls_below(s, 40) - 4;
    return frame * (int64_t)TP_TICKS_PER_FRAME +
           (calls_one_in(s, 2) ? (int64_t)calls_below(s, TP_TICKS_PER_FRAME) : 0);
}

static tp_frame_view view_of(calls_sequence *s)
{
    tp_frame_view view;
    memset(&view, 0, sizeof view);
    view.capacity = calls_one_in(s, 4) ? calls_below(s, 64) : CALLS_PARTICLES;
    for (uint32_t k = 0; k < TP_STREAMS_MAX; k++)
        view.values[k] = calls_one_in(s, 8) ? NULL : s->values + k * CALLS_PARTICLES * 4u;
    return view;
}

static void fold_view(calls_sequence *s, const tp_frame_view *view, tp_result result)
{
    calls_promise(s, view->count <= view->capacity, "a view is filled as far as it goes");
    calls_fold_word(s, view->count + ((uint64_t)view->status << 32));
    if (result == TP_OK && view->values[0]) calls_fold(s, view->values[0], view->count * 4u);
    if (result == TP_OK && view->values[1]) calls_fold(s, view->values[1], view->count * 4u);
}

/* Keys of what the last request showed, with or without the regions. */
static void count_keys(calls_sequence *s, bool is_timeline)
{
    const calls_clip *c = &s->clip;
    float space[TP_REGIONS_MAX * TP_REGIONS_MAX] = {0},
                                 *regions = calls_one_in(s, 3) ? NULL : space;
    tp_activity space_of_sums, *sums = calls_one_in(s, 20) ? NULL : &space_of_sums;
    tp_result result =
        is_timeline
            ? calls_note(s, "timeline_activity", tp_timeline_activity(c->timeline, sums, regions))
            : calls_note(s, "player_activity", tp_player_activity(c->player, sums, regions));
    calls_promise(s, sums || result < TP_OK, "counts without a place to go are refused");
    if (result != TP_OK) return;
    calls_fold(s, &sums->keys, sizeof sums->keys);
    calls_fold_word(s, sums->points + ((uint64_t)sums->is_known << 40));
    calls_fold(s, space, sizeof space);
    float keys = 0.0f;
    for (uint32_t k = 0; k < TP_REGIONS_MAX * TP_REGIONS_MAX; k++) keys += space[k];
    float error = keys - sums->keys, most = 1e-4f * (1.0f + sums->keys);
    calls_promise(s, !regions || (error <= most && -error <= most),
                  "the regions add up to the keys");
}

static void play(calls_sequence *s)
{
    calls_clip *c = &s->clip;
    tp_frame_view view = view_of(s);
    int64_t time = any_time(s);
    for (uint32_t k = 0; k < 12; k++) {
        tp_budget budget = calls_budget(s, NULL);
        tp_result result = calls_note(
            s, "player_request", tp_player_request(c->player, &c->storage, time, &budget, &view));
        fold_view(s, &view, result);
        if (result != TP_MORE) break;
    }
    count_keys(s, false);
    fold_fault(s, &((tp_clip_fault){tp_player_report(c->player).fault.offset, ""}));
}

static void on_timeline(calls_sequence *s)
{
    calls_clip *c = &s->clip;
    tp_player *players[1] = {c->player};
    tp_frame_view view = view_of(s);
    tp_timeline_moment moment;
    int64_t time = any_time(s), start = any_time(s), clip_start = any_time(s);
    tp_strip strip = {calls_one_in(s, 20) ? 1u : 0,
                      start,
                      (int64_t)((uint64_t)start + 7207200u),
                      clip_start,
                      (int64_t)((uint64_t)clip_start + 3603600u),
                      calls_one_in(s, 3) ? -1 : 2,
                      1u + calls_below(s, 3),
                      calls_one_in(s, 2) ? 720720 : 0,
                      calls_one_in(s, 2)};
    calls_change(s, &strip, sizeof strip, 5);
    calls_tame(&strip.repeats);
    if (calls_one_in(s, 2))
        (void)calls_note(s, "timeline_add", tp_timeline_add(c->timeline, &strip));
    if (calls_one_in(s, 12)) (void)calls_note(s, "timeline_clear", tp_timeline_clear(c->timeline));
    if (calls_note(s, "timeline_look", tp_timeline_look(c->timeline, time, &moment)) == TP_OK)
        calls_fold_word(s, moment.count + ((uint64_t)moment.is_outside << 8));
    for (uint32_t k = 0; k < 12; k++) {
        tp_budget budget = calls_budget(s, NULL);
        tp_result result = calls_note(
            s, "timeline_request",
            tp_timeline_request(c->timeline, players, &c->storage, 1, time, &budget, &view));
        fold_view(s, &view, result);
        if (result != TP_MORE) break;
    }
    count_keys(s, true);
}

/* Continues in copies of the blocks. Blocks that hold no such object must be refused. */
static void move_blocks(calls_sequence *s)
{
    calls_clip *c = &s->clip;
    for (uint32_t k = 0; k < 3; k++) {
        calls_bad_block bad = calls_bad(s, &c->player_room[c->player_in_use]);
        calls_promise(s, tp_player_at(bad.block, bad.bytes) == NULL,
                      "a block without a player is refused");
        calls_promise(s, tp_timeline_at(bad.block, bad.bytes) == NULL,
                      "a block without a timeline is refused");
    }
    unsigned char *copy = calls_move(c->player_room, &c->player_in_use);
    size_t bytes = c->player_room[c->player_in_use].bytes;
    c->player = tp_player_at(copy, bytes);
    calls_promise(s, c->player != NULL, "a copy of a block is a player");
    calls_promise(s, tp_timeline_at(copy, bytes) == NULL, "a player is no timeline");
    (void)calls_note(s, "moved player", TP_OK);
    if (!c->timeline) return;
    copy = calls_move(c->timeline_room, &c->timeline_in_use);
    bytes = c->timeline_room[c->timeline_in_use].bytes;
    c->timeline = tp_timeline_at(copy, bytes);
    calls_promise(s, c->timeline != NULL, "a copy of a block is a timeline");
    calls_promise(s, tp_player_at(copy, bytes) == NULL, "a timeline is no player");
}

/* A player can be made again from its definition. */
static void define_again(calls_sequence *s)
{
    const calls_clip *c = &s->clip;
    const tp_player_def *def = tp_player_definition(c->player);
    size_t bytes = 0;
    calls_promise(s, tp_player_definition(NULL) == NULL, "no player has no definition");
    calls_promise(s, def && tp_player_check(def) == NULL, "the definition of a player is good");
    tp_result result = calls_note(s, "player_definition", tp_player_memory(def, &bytes));
    calls_promise(s, result == TP_OK && bytes == c->player_room[c->player_in_use].bytes,
                  "the definition of a player gives the bytes of its block");
    calls_fold_word(s, def->frames_kept + ((uint64_t)def->tile_stride << 32));
}

void calls_on_clip(calls_sequence *s)
{
    calls_clip *c = &s->clip;
    if (!c->storage.size) return;
    if (!c->player || calls_one_in(s, 12)) {
        make_player(s);
        return;
    }
    if (calls_one_in(s, 20))
        (void)calls_note(s, "player_reopen", tp_player_reopen(c->player, calls_below(s, 4)));
    if (calls_one_in(s, 10)) move_blocks(s);
    if (calls_one_in(s, 20)) define_again(s);
    if (!c->timeline && calls_one_in(s, 3)) make_timeline(s);
    if (c->timeline && calls_one_in(s, 2))
        on_timeline(s);
    else
        play(s);
}
