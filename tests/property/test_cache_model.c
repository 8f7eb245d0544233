/* SPDX-License-Identifier: MIT
   tests/property/test_cache_model.c - random calls of caches, compared with a model of every
           frame's state.
   reads   the swarm of tests/harness/cache_help.h, TIDEPOOL_SEED, TIDEPOOL_LONG
   writes  blocks of its own
   memory  malloc      cost    two seconds; TIDEPOOL_LONG=1: thousands of seeds, minutes
   after   own design: the model knows which frames are recorded, the state of each, and the game's
           inputs */
#include "cache_model.h"
#include <stdlib.h>
#include <string.h>

/* ---- views ---- */

/* Recorded streams are shown as recorded. The other streams of the view are not written, even when
   the source itself is shown. */
static bool shows(const side *s, const swarm_state *state)
{
    tp_frame_view view = s->view;
    bool is_untouched = true;
    for (uint32_t stream = 0; stream < SWARM_STREAMS; stream++) {
        const uint32_t *words = view.values[stream];
        if (s->shown >> stream & 1u) continue;
        for (uint32_t k = 0; k < view.capacity * swarm_components(stream); k++)
            is_untouched &= words[k] == 0;
        view.values[stream] = NULL;
    }
    return is_untouched && view_is_within(&view, state, s->place, s->velocity);
}

/* Each particle shown is in one of the two frames, and particles of both frames are shown. */
static void check_between(run *r, const tp_frame_view *view, const swarm_state *a,
                          const swarm_state *b, uint64_t frame)
{
    const uint32_t *id = view->values[SWARM_ID];
    uint32_t found = 0, both = 0;
    for (uint32_t k = 0; k < view->count; k++) {
        bool in_a = false, in_b = false;
        for (uint32_t i = 0; i < a->count; i++) in_a |= a->id[i] == id[k];
        for (uint32_t i = 0; i < b->count; i++) in_b |= b->id[i] == id[k];
        expect(r, (in_a || in_b) && (k == 0 || id[k] > id[k - 1u]),
               "is shown with a particle too many", frame);
        found += in_a && in_b;
    }
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) both += a->id[i] == b->id[j];
    expect(r, found == both, "is shown with a particle too few", frame);
}

static const swarm_state *state_of(const run *r, const side *s, uint64_t frame)
{
    if (has(s, frame)) return &s->frames[frame].state;
    return r->swarm->progress == 0 && r->swarm->now.frame == frame && s->owns ? &r->swarm->now
                                                                              : NULL;
}

static void check_view(run *r, side *s, uint64_t time)
{
    const tp_frame_view *view = &s->view;
    uint64_t first = TP_TIME(s->def.start_frame), last = TP_TIME(s->def.end_frame);
    uint64_t at = time < first ? first : time > last ? last : time;
    const swarm_state *a = state_of(r, s, view->frame), *b = state_of(r, s, view->frame_next);
    expect(r, a && b, "is shown and not there", view->frame);
    if (r->has_failed) return;
    bool is_one = view->frame == view->frame_next;
    if (at != time)
        expect(r, view->status == TP_CACHE_OUTSIDE, "is not said to be outside", view->frame);
    if (view->status == TP_CACHE_EXACT || view->status == TP_CACHE_SIMULATED)
        expect(r, is_one && TP_TIME(view->frame) == at, "is shown and was not asked for",
               view->frame);
    if (view->status == TP_CACHE_EXACT)
        expect(r, has(s, view->frame), "is not recorded", view->frame);
    if (view->status == TP_CACHE_INTERPOLATED)
        expect(r, TP_TIME(view->frame) < at && at < TP_TIME(view->frame_next), "is not beside",
               view->frame);
    if (is_one)
        expect(r, shows(s, a), "is shown otherwise", view->frame);
    else
        check_between(r, view, a, b, view->frame);
}

/* The expected status of a request without a source. */
static tp_cache_status status_of(const side *s, uint64_t time)
{
    uint64_t first = TP_TIME(s->def.start_frame), last = TP_TIME(s->def.end_frame);
    uint64_t at = time < first ? first : time > last ? last : time, f = at / TP_TICKS_PER_FRAME;
    if (behind(s, 0) == FRAMES) return TP_CACHE_MISSING;
    if (at != time) return TP_CACHE_OUTSIDE;
    if (has(s, f) && TP_TIME(f) == at) return TP_CACHE_EXACT;
    return before(s, f) < FRAMES && behind(s, f + 1u) < FRAMES ? TP_CACHE_INTERPOLATED
                                                               : TP_CACHE_OUTSIDE;
}

static void call_show(run *r, side *s)
{
    tp_budget limit, *budget = some_budget(r, &limit);
    uint64_t time =
        TP_TIME(some_frame(r, s)) + (one_in(r, 3) ? below(r, (uint32_t)TP_TICKS_PER_FRAME) : 0);
    tp_result result = TP_MORE;
    /* the view may continue with a frame that an earlier request simulated */
    bool goes_on = s->view.job != 0;
    call_begin(r, s, "show");
    for (uint32_t turn = 0; turn < 100000u && result == TP_MORE; turn++)
        result = tp_cache_request(s->cache, NULL, time, budget, &s->view);
    call_end(r, budget);
    expect_frames(r, s, 0, FRAMES, FRAMES);
    tp_cache_status status = status_of(s, time);
    if (goes_on && status == TP_CACHE_EXACT && s->view.status == TP_CACHE_SIMULATED)
        status = TP_CACHE_SIMULATED;
    /* a bake has recorded more frames since the view began */
    if (goes_on && s->view.status == TP_CACHE_OUTSIDE) status = TP_CACHE_OUTSIDE;
    expect(r, s->view.status == status, "is shown in another way", time / TP_TICKS_PER_FRAME);
    expect(r, result == (s->view.status == TP_CACHE_MISSING ? TP_ERROR_FRAME : TP_OK),
           "is not answered", 0);
    if (result == TP_OK) check_view(r, s, time);
}

/* ---- calls with the source ---- */

static void call_request(run *r, side *s)
{
    tp_budget limit, *budget = some_budget(r, &limit);
    uint64_t time =
        TP_TIME(some_frame(r, s)) + (one_in(r, 3) ? below(r, (uint32_t)TP_TICKS_PER_FRAME) : 0);
    uint32_t turns = one_in(r, 2) ? 1u : 1u + below(r, 200);
    tp_result result = TP_MORE;
    bool was_locked = is_locked(s);
    call_begin(r, s, "request");
    for (; turns && result == TP_MORE; turns--)
        result = tp_cache_request(s->cache, &s->source, time, budget, &s->view);
    call_end(r, budget);
    if (was_locked) expect_frames(r, s, 0, FRAMES, FRAMES);
    if (result == TP_OK) check_view(r, s, time);
    expect(r,
           result == TP_OK || result == TP_MORE || result == TP_ERROR_FRAME ||
               result == TP_ERROR_FULL,
           "is not answered", time / TP_TICKS_PER_FRAME);
}

/* The game may continue to simulate: the source is between frames, and has all inputs. */
static bool may_play(const run *r, const side *s)
{
    return s->owns && r->swarm->progress == 0 && !s->cache->restorer.active && !is_locked(s) &&
           s->done == s->count && behind(s, r->swarm->now.frame + 1u) == FRAMES &&
           r->swarm->now.frame + 1u < FRAMES;
}

static void call_record(run *r, side *s)
{
    tp_budget limit, *budget = some_budget(r, &limit);
    uint64_t f = r->swarm->now.frame;
    uint32_t turns = one_in(r, 3) ? 1u : 100000u;
    tp_result result = TP_MORE;
    bool is_due = tpi_writer_is_due(s->cache, f);
    call_begin(r, s, "record");
    for (; turns && result == TP_MORE; turns--)
        result = tp_cache_record(s->cache, &s->source, budget);
    call_end(r, budget);
    bool is_new = has(s, f) && !r->had[f];
    expect(r, is_due || !is_new, "is recorded and not due", f);
    if (result == TP_OK && is_due)
        expect(r, has(s, f) || frames_counted(s) > r->counted, "is not recorded", f);
    if (is_new)
        expect_frames(r, s, 0, f, f);
    else if (result == TP_OK)
        expect_frames(r, s, 0, FRAMES, FRAMES);
    expect(r, result == TP_OK || result == TP_MORE || result == TP_ERROR_FULL, "is not recorded",
           f);
}

static void play_step(run *r, side *s)
{
    truth_cut(s, r->swarm->now.frame + 1u);
    swarm_step(r->swarm);
    arrive(s);
}

static void call_play(run *r, side *s)
{
    for (uint32_t left = 1u + below(r, 6); left && may_play(r, s) && !r->has_failed; left--) {
        if (!one_in(r, 8)) play_step(r, s);
        call_record(r, s);
    }
}

static void call_input(run *r, side *s)
{
    model_input next = {.frame = r->swarm->now.frame, .bytes = below(r, INPUT_SIZE)};
    for (uint32_t b = 0; b < next.bytes; b++) next.data[b] = (uint8_t)below(r, 256);
    if (!s->owns || r->swarm->progress || s->cache->restorer.active || s->count == INPUTS) return;
    uint64_t f = next.frame, oldest = behind(s, 0);
    bool is_early = tpi_writer_is_due(s->cache, f) && !has(s, f), was_locked = is_locked(s);
    call_begin(r, s, "input");
    tp_result result = tp_cache_input(s->cache, &s->source, next.data, next.bytes);
    if (result == TP_OK || result == TP_ERROR_FULL) {
        inputs_cut(s, s->done);
        truth_cut(s, f + 1u);
        if (result == TP_OK) s->inputs[s->count++] = next;
        s->done = s->count;
        uint32_t left = tp_cache_report(s->cache).inputs;
        for (; s->count - s->lost > left; s->lost++) {
            const model_input *lost = &s->inputs[s->lost];
            bool is_past = lost->frame < oldest || (lost->frame == oldest && lost->is_recorded);
            expect(r, oldest == FRAMES || is_past, "is where an input is lost", f);
        }
        if (result == TP_ERROR_FULL) s->has_gap = true;
    }
    call_end(r, NULL);
    tp_result expected = was_locked ? TP_ERROR_PROTECTED : is_early ? TP_ERROR_FRAME : TP_OK;
    expect(r, result == expected || (expected == TP_OK && result == TP_ERROR_FULL),
           "has an input with another result", f);
    bool is_told = result == TP_OK || result == TP_ERROR_FULL;
    expect_frames(r, s, 0, is_told ? f : FRAMES, FRAMES);
    if (is_told) let(swarm_input(r->swarm, next.data, next.bytes));
}

/* The last recorded frame, valid or not. */
static uint64_t newest_of(const side *s)
{
    return s->cache->entry_count ? tpi_ring_entry(s->cache, s->cache->entry_count - 1u)->frame : 0;
}

/* Rewinds or resumes; the expected results are those that the header states. */
static void call_seek(run *r, side *s)
{
    tp_budget limit, *budget = some_budget(r, &limit);
    bool drops = one_in(r, 2), resumes = one_in(r, 2), was_locked = is_locked(s);
    bool is_baking = (s->cache->flags & TP_CACHE_BAKING) != 0;
    uint64_t f = some_frame(r, s), newest = newest_of(s);
    bool is_near = f <= newest || f - newest < s->def.step;
    uint32_t turns = one_in(r, 3) ? 1u + below(r, 4) : 100000u;
    tp_result result = TP_MORE;
    call_begin(r, s, resumes ? "resume" : "rewind");
    for (; turns && result == TP_MORE; turns--)
        result = resumes ? tp_cache_resume(s->cache, &s->source, f, drops, budget)
                         : tp_cache_rewind(s->cache, &s->source, f, drops, budget);
    bool is_done = result == TP_OK;
    side_look(s);
    if (is_done && drops) inputs_cut(s, inputs_from(s, f)), truth_cut(s, f + 1u);
    call_end(r, budget);
    /* evaluated after the call, without frames found damaged */
    bool is_inside = resumes ? is_near && before(s, f) < FRAMES : has(s, f);
    tp_result expected = (drops && was_locked) || is_baking ? TP_ERROR_PROTECTED
                         : !s->keeps_state                  ? TP_ERROR_SOURCE
                         : is_inside                        ? TP_OK
                                                            : TP_ERROR_FRAME;
    /* an input was refused between the restored frame and this one */
    bool is_gap = resumes && s->has_gap && result == TP_ERROR_FRAME;
    expect(r, result == expected || (result == TP_MORE && expected == TP_OK) || is_gap,
           "has a seek with another result", f);
    expect_frames(r, s, 0, is_done && drops ? f : FRAMES, FRAMES);
    if (!is_done) return;
    expect(r, s->owns && r->swarm->now.frame == f && r->swarm->progress == 0,
           "is not where the source is", f);
    expect(r, s->done == inputs_from(s, f), "has in it what comes next", f);
    if (s->truth[f] && !s->is_loose)
        expect(r, s->truth[f] == swarm_hash(&r->swarm->now), "is restored in another state", f);
}

/* ---- a bake ---- */

static void check_bake(run *r, side *s)
{
    swarm *fresh = swarm_make(0, 0);
    *fresh = *r->swarm;
    fresh->now = fresh->start;
    fresh->now.settings = r->settings;
    for (; fresh->now.frame <= s->def.end_frame; swarm_step(fresh)) {
        uint64_t f = fresh->now.frame;
        expect(r, has(s, f) == tpi_writer_is_due(s->cache, f), "is baked, or is not", f);
        if (has(s, f) && s->source.restart)
            expect(r, swarm_hash(&s->frames[f].state) == swarm_hash(&fresh->now),
                   "is baked otherwise", f);
    }
    free(fresh);
}

static void call_bake(run *r, side *s)
{
    tp_budget limit, *budget = some_budget(r, &limit);
    uint32_t turns = one_in(r, 3) ? 1u + below(r, 5) : 100000u;
    bool was_baked = (s->cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL)) != 0;
    tp_result result = TP_MORE;
    call_begin(r, s, "bake");
    r->is_bake = true;
    s->is_loose |= !was_baked;
    for (; turns && result == TP_MORE; turns--)
        result = tp_cache_bake(s->cache, &s->source, budget);
    r->is_bake = false;
    if (s->cache->flags & TP_CACHE_BAKING || result == TP_OK || result == TP_ERROR_FULL)
        story_forget(s);
    call_end(r, budget);
    if (was_baked) {
        expect(r, result == TP_ERROR_PROTECTED, "is baked twice", 0);
        expect_frames(r, s, 0, FRAMES, FRAMES);
    }
    if (result == TP_OK) check_bake(r, s);
    expect(r,
           result == TP_OK || result == TP_MORE || was_baked || result == TP_ERROR_FRAME ||
               result == TP_ERROR_FULL,
           "is not baked", 0);
}

/* ---- clearing, settings, protection ---- */

/* Recorded frames from `first` to `last` stay; all stay if the cache is protected. */
static void expect_cleared(run *r, side *s, tp_result result, bool was_protected, uint64_t first,
                           uint64_t last)
{
    call_end(r, NULL);
    expect(r, result == (was_protected ? TP_ERROR_PROTECTED : TP_OK), "is not cleared", first);
    expect_frames(r, s, was_protected ? 0 : first, was_protected ? FRAMES : last, FRAMES);
}

static void call_clear_after(run *r, side *s, uint64_t f)
{
    bool was_protected = (s->cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL)) != 0;
    call_begin(r, s, "clear after");
    expect_cleared(r, s, tp_cache_clear_after(s->cache, f), was_protected, 0, f);
}

/* The game continues differently from a frame that a request or resume has restored, and has not
   recorded it yet. */
static void call_branch(run *r, side *s)
{
    uint64_t f = r->swarm->now.frame;
    if (!s->owns || r->swarm->progress || s->cache->restorer.active || is_locked(s)) return;
    if (s->cache->inputs.begun || f + 1u >= FRAMES) return; /* an unfinished request */
    call_record(r, s);
    if (s->def.start_frame <= f && tpi_writer_is_due(s->cache, f) && !has(s, f)) return;
    call_clear_after(r, s, f);
    if (r->has_failed) return;
    play_step(r, s);
    s->leaves = s->done < s->count && s->inputs[s->done].frame == f;
    if (s->leaves) inputs_cut(s, s->done);
}

static void call_clear(run *r, side *s)
{
    bool was_protected = (s->cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL)) != 0;
    uint64_t f = some_frame(r, s);
    switch (below(r, 5)) {
    case 0:
        call_begin(r, s, "clear");
        tp_result result = tp_cache_clear(s->cache);
        if (result == TP_OK) story_forget(s);
        if (result == TP_OK) s->is_loose = true; /* the earlier inputs of the game are forgotten */
        expect_cleared(r, s, result, was_protected, FRAMES, 0);
        break;
    case 1: call_clear_after(r, s, f); break;
    case 2:
        call_begin(r, s, "clear before");
        expect_cleared(r, s, tp_cache_clear_before(s->cache, f), was_protected, f, FRAMES);
        break;
    default:
        call_begin(r, s, "clear frame");
        result = tp_cache_clear_frame(s->cache, f);
        call_end(r, NULL);
        expect(r, was_protected || (result == TP_OK) == r->had[f], "is cleared, or is not", f);
        if (result == TP_OK) r->had[f] = false;
        expect_frames(r, s, 0, FRAMES, FRAMES);
    }
}

static void call_changed(run *r, side *s)
{
    bool was_protected = (s->cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL)) != 0;
    uint64_t f = one_in(r, 2) ? r->swarm->now.frame : some_frame(r, s);
    call_begin(r, s, "changed");
    tp_result result = tp_cache_changed(s->cache, f);
    s->is_loose = true;
    s->owns &= was_protected || r->swarm->now.frame <= f;
    call_end(r, NULL);
    expect(r, result == TP_OK && s->cache->flags & TP_CACHE_OUTDATED, "is not outdated", f);
    expect_frames(r, s, 0, was_protected ? FRAMES : f, FRAMES);
    r->swarm->now.settings = r->settings = below(r, 3);
    /* the other cache is not informed */
    for (uint32_t k = 0; k < SIDES; k++) r->sides[k].is_loose = true;
}

static void call_protect(run *r, side *s)
{
    call_begin(r, s, "protect");
    tp_result result =
        one_in(r, 2) ? tp_cache_protect(s->cache, one_in(r, 3)) : tp_cache_unprotect(s->cache);
    call_end(r, NULL);
    expect(r, result == TP_OK, "is not protected", 0);
    expect_frames(r, s, 0, FRAMES, FRAMES);
}

/* ---- edits ---- */

static float *place_of(swarm_state *state, uint32_t identity, uint32_t stream, uint32_t c)
{
    for (uint32_t i = 0; i < state->count; i++)
        if (state->id[i] == identity)
            return stream == SWARM_POSITION ? &state->x[c][i] : &state->v[c][i];
    return NULL;
}

/* Velocities of a frame become finite differences of the positions in neighbouring frames in which
   the particle lives. */
static void model_rates(side *s, uint64_t f, uint32_t identity)
{
    uint64_t a = f ? before(s, f - 1u) : FRAMES, b = behind(s, f + 1u);
    if (a == FRAMES || !place_of(&s->frames[a].state, identity, SWARM_POSITION, 0)) a = f;
    if (b == FRAMES || !place_of(&s->frames[b].state, identity, SWARM_POSITION, 0)) b = f;
    if (a == b || !place_of(&s->frames[f].state, identity, SWARM_POSITION, 0)) return;
    float seconds = (float)(b - a) / 25.0f;
    for (uint32_t c = 0; c < 3; c++) {
        float from = *place_of(&s->frames[a].state, identity, SWARM_POSITION, c) / seconds;
        float to = *place_of(&s->frames[b].state, identity, SWARM_POSITION, c) / seconds;
        *place_of(&s->frames[f].state, identity, SWARM_VELOCITY, c) = tpi_flush(to - from);
    }
}

static void model_edit(side *s, const tp_cache_edit *edit)
{
    uint64_t f = edit->frame, a = f ? before(s, f - 1u) : FRAMES, b = behind(s, f + 1u);
    for (uint32_t c = 0; c < 3; c++)
        memcpy(place_of(&s->frames[f].state, edit->identity, edit->stream, c), &edit->values[c], 4);
    s->is_loose = true;
    if (!edit->fits_rates) return;
    if (a != FRAMES) model_rates(s, a, edit->identity);
    model_rates(s, f, edit->identity);
    if (b != FRAMES) model_rates(s, b, edit->identity);
}

/* An edited frame counts as a new recording, so that unfinished reads of it start again. */
static void edit_end(side *s)
{
    for (uint32_t i = 0; i < s->cache->entry_count; i++) {
        const tpi_cache_entry *entry = tpi_ring_entry(s->cache, i);
        if (entry->is_valid) s->frames[entry->frame].serial = entry->serial;
    }
}

static void call_edit(run *r, side *s)
{
    tp_cache_edit edit = {.frame = some_frame(r, s),
                          .identity = below(r, r->swarm->now.next_id + 1u)};
    edit.stream = one_in(r, 2) ? SWARM_POSITION : SWARM_VELOCITY;
    /* damaged neighbours would give other velocities */
    edit.fits_rates = !is_hit(s) && one_in(r, 2);
    for (uint32_t c = 0; c < 3; c++) edit.values[c] = tpi_bits((float)below(r, 1000) / 64.0f);
    bool is_open = s->cache->flags & TP_CACHE_BAKED &&
                   !(s->cache->flags & (TP_CACHE_EXTERNAL | TP_CACHE_BAKING));
    bool is_good = s->def.group_frames == 1u && !(edit.fits_rates && edit.stream == SWARM_VELOCITY);
    bool is_there = has(s, edit.frame) &&
                    place_of(&s->frames[edit.frame].state, edit.identity, SWARM_POSITION, 0);
    call_begin(r, s, "edit");
    tp_result result = tp_cache_edit_particle(s->cache, &edit);
    if (result == TP_OK && is_there) model_edit(s, &edit), edit_end(s);
    call_end(r, NULL);
    tp_result expected = !is_open    ? TP_ERROR_PROTECTED
                         : !is_good  ? TP_ERROR_DEFINITION
                         : !is_there ? TP_ERROR_FRAME
                                     : TP_OK;
    bool is_damaged = expected == TP_OK && result == TP_ERROR_FRAME && s->frames[edit.frame].is_hit;
    expect(r, result == expected || is_damaged, "is edited, or is not", edit.frame);
    expect_frames(r, s, 0, FRAMES, FRAMES);
}

/* ---- damage ---- */

/* Marks all frames that are stored in the same group. */
static void hit_group(side *s, uint32_t index)
{
    s->was_hit = true;
    for (uint32_t i = 0; i < s->cache->entry_count; i++) {
        const tpi_cache_entry *entry = tpi_ring_entry(s->cache, i);
        if (entry->is_valid && entry->group == tpi_ring_entry(s->cache, index)->group)
            s->frames[entry->frame].is_hit = true;
    }
}

/* Number of valid frames in the packet that begins with this entry. */
static uint32_t packet_frames(const side *s, uint32_t index)
{
    uint32_t frames = 0;
    uint64_t group = tpi_ring_entry(s->cache, index)->group;
    for (; index < s->cache->entry_count && tpi_ring_entry(s->cache, index)->group == group;
         index++)
        frames += tpi_ring_entry(s->cache, index)->is_valid;
    return frames;
}

/* Flips one bit of a recorded frame. From now on it may be found damaged, but must never be shown
   with other values. */
static void call_hit(run *r, side *s)
{
    uint32_t index = below(r, s->cache->entry_count);
    if (s->cache->entry_count == 0 || tpi_ring_entry(s->cache, index)->bytes == 0) return;
    const tpi_cache_entry *entry = tpi_ring_entry(s->cache, index);
    call_begin(r, s, "hit");
    uint32_t at = tpi_ring_after(s->cache, entry->offset, below(r, entry->bytes));
    tpi_cache_bytes(s->cache, s->cache->offsets.ring)[at] ^= (uint8_t)(1u << below(r, 8));
    hit_group(s, index);
    call_end(r, NULL);
}

/* ---- memory to storage and back ---- */

static void call_flush(run *r, side *s)
{
    tp_budget limit, *budget = some_budget(r, &limit);
    uint32_t turns = one_in(r, 2) ? 1u : 100000u;
    tp_result result = TP_MORE;
    call_begin(r, s, "flush");
    for (; turns && result == TP_MORE; turns--) result = tp_cache_flush(s->cache, budget);
    call_end(r, budget);
    expect(r, result == TP_OK || result == TP_MORE || result == TP_ERROR_FULL, "is not flushed", 0);
    expect_frames(r, s, 0, FRAMES, FRAMES);
}

/* Takes a copy of the packet with one bit flipped, or truncated. If that concerns the list of
   frames, it must be refused; else it may be accepted, and the damage is found when it is shown. */
static tp_result take_hit(run *r, tp_cache *taken, const uint8_t *packet, uint32_t size,
                          uint32_t frames)
{
    uint32_t at = below(r, one_in(r, 2) ? size : 64u), left = one_in(r, 3) ? at : size;
    uint8_t *copy = malloc(left + 1u);
    memcpy(copy, packet, left);
    if (left == size) copy[at] ^= (uint8_t)(1u << below(r, 8));
    tp_result result = tp_cache_take_packet(taken, copy, left);
    bool is_told = left < size || at < 24u + 16u * frames;
    expect(r, result == TP_ERROR_FRAME || (result == TP_OK && !is_told),
           "is a packet that is damaged", at);
    free(copy);
    return result;
}

/* A new cache takes all packets of this one. The run may continue with the new cache. */
static void call_store(run *r, side *s)
{
    size_t room = s->def.ring_bytes + 4096u, bytes;
    uint8_t *packet = malloc(room);
    tp_cache *taken = cache_make(&s->def, &bytes);
    tp_result result = TP_OK;
    uint32_t size, frames, count = 0, hits = 0;
    call_begin(r, s, "store");
    for (uint32_t i = 0; i < s->cache->entry_count; i += frames) {
        frames = 1;
        result = tp_cache_packet(s->cache, i, packet, (uint32_t)room, &size, &frames);
        bool is_valid = tpi_ring_entry(s->cache, i)->is_valid;
        expect(r, is_valid || result == TP_ERROR_FRAME, "is a packet of nothing", 0);
        if (result == TP_ERROR_FRAME) frames = 1;
        if (result == TP_MORE) break;
        if (result != TP_OK) continue;
        result =
            r->has_damage ? take_hit(r, taken, packet, size, packet_frames(s, i)) : TP_ERROR_FRAME;
        if (result == TP_OK) hit_group(s, i), hits++;
        if (result != TP_OK) result = tp_cache_take_packet(taken, packet, size);
        expect(r, result == TP_OK, "is a packet not taken", tpi_ring_entry(s->cache, i)->frame);
        count++;
    }
    call_end(r, NULL);
    expect_frames(r, s, 0, FRAMES, FRAMES);
    bool is_whole = result != TP_MORE && count > 0 && !r->has_failed;
    bool goes_on = is_whole && (hits || one_in(r, 2));
    for (uint32_t i = 0, k = 0; is_whole && i < s->cache->entry_count; i++) {
        const tpi_cache_entry *entry = tpi_ring_entry(s->cache, i);
        if (!entry->is_valid) continue;
        expect(r, k < taken->entry_count && tpi_ring_entry(taken, k)->frame == entry->frame,
               "is not where its packet was taken", entry->frame);
        if (r->has_failed) break;
        if (goes_on) s->frames[entry->frame].serial = tpi_ring_entry(taken, k)->serial;
        k++;
    }
    if (goes_on) { /* a new game: the source has another state, and the inputs are unknown */
        tp_cache *old = s->cache;
        s->cache = taken;
        taken = old;
        story_forget(s);
        s->is_loose = true;
        s->owns = false;
        let(tp_cache_detach(s->cache));
    }
    free(taken);
    free(packet);
}

static void call_move(run *r, side *s)
{
    void *block = aligned_alloc(16, (s->bytes + 15u) & ~(size_t)15u), *old = s->cache;
    call_begin(r, s, "move");
    memcpy(block, old, s->bytes);
    memset(old, 0xdd, s->bytes);
    free(old);
    s->cache = tp_cache_at(block, s->bytes);
    call_end(r, NULL);
    expect_frames(r, s, 0, FRAMES, FRAMES);
}

/* ---- state of the source ---- */

static void source_leaves(run *r)
{
    for (uint32_t k = 0; k < SIDES; k++) {
        side *s = &r->sides[k];
        call_begin(r, s, "detach");
        expect(r, tp_cache_detach(s->cache) == TP_OK, "is where a cache keeps the source", 0);
        s->owns = false;
        call_end(r, NULL);
        expect_frames(r, s, 0, FRAMES, FRAMES);
    }
}

/* The game loads a state that it saved itself when the frame was recorded. */
static void source_loads(run *r, side *s)
{
    uint64_t f = some_frame(r, s);
    if (!has(s, f) || s->cache->flags & TP_CACHE_EDITED) return;
    source_leaves(r);
    r->swarm->now = s->frames[f].state;
    r->swarm->now.settings = r->settings;
    r->swarm->progress = 0;
    s->owns = true;
    s->done = inputs_from(s, f);
}

/* A new run from the start, without the inputs of the last one. */
static void source_starts(run *r, side *s)
{
    source_leaves(r);
    call_begin(r, s, "start");
    let(tp_cache_unprotect(s->cache));
    expect(r, tp_cache_clear(s->cache) == TP_OK, "is not cleared", 0);
    let(r->base.restart(r->swarm));
    r->swarm->now.settings = r->settings;
    story_forget(s);
    s->is_loose = false;
    s->owns = true;
    call_end(r, NULL);
    arrive(s);
}

/* ---- a run ---- */

/* Calls the cache before the source is changed, so that the cache sees the source's present
   state. */
static void call_seen(run *r, side *s)
{
    if (one_in(r, 2))
        call_request(r, s);
    else if (one_in(r, 2))
        call_seek(r, s);
    else
        call_play(r, s);
}

static void one_call(run *r)
{
    side *s = &r->sides[r->active], *any = &r->sides[below(r, SIDES)];
    uint32_t kind = below(r, 100);
    if (s->leaves)
        call_seen(r, s);
    else if (kind < 23)
        call_play(r, s);
    else if (kind < 26)
        call_branch(r, s);
    else if (kind < 40)
        call_request(r, s);
    else if (kind < 54)
        call_show(r, any);
    else if (kind < 62)
        call_input(r, s);
    else if (kind < 73)
        call_seek(r, s);
    else if (kind < 79)
        call_clear(r, any);
    else if (kind < 80)
        call_changed(r, s);
    else if (kind < 84)
        call_protect(r, any);
    else if (kind < 86)
        call_bake(r, s);
    else if (kind < 89)
        call_edit(r, any);
    else if (kind < 92)
        call_flush(r, any);
    else if (kind < 93)
        call_store(r, any);
    else if (kind < 94 && r->has_damage)
        call_hit(r, any);
    else if (kind < 96)
        call_move(r, any);
    else if (kind < 97)
        source_loads(r, s);
    else if (kind < 98)
        source_leaves(r), r->active = below(r, SIDES);
    else if (kind < 99 || r->swarm->now.frame > s->def.end_frame + 5u)
        source_starts(r, s);
}

static bool run_seed(uint64_t seed, uint32_t calls)
{
    run *r = malloc(sizeof *r);
    run_open(r, seed);
    for (r->call = 1; r->call <= calls && !r->has_failed; r->call++) one_call(r);
    for (uint32_t k = 0; k < SIDES; k++)
        for (uint32_t turn = 0; turn < 10u && !r->has_failed; turn++) call_show(r, &r->sides[k]);
    bool has_failed = r->has_failed;
    run_close(r);
    free(r);
    return !has_failed;
}

static void random_calls_show_what_was_recorded_and_nothing_else(void)
{
    const char *chosen = getenv("TIDEPOOL_SEED");
    uint64_t first = chosen ? strtoull(chosen, NULL, 10) : 1u,
             count = test_is_long() ? 4000u : 120u;
    for (uint64_t seed = first; seed < first + (chosen ? 1u : count); seed++)
        if (!run_seed(seed, 400)) return;
}

static const test_case cases[] = {
    TEST_CASE(random_calls_show_what_was_recorded_and_nothing_else),
};
TEST_SUITE(cache_model, cases);
