/* SPDX-License-Identifier: MIT
   tests/property/cache_model.c - a model of what a cache must hold, and a source that checks every
           call.
   reads   the caches' index      writes  the model
   memory  malloc      cost    O(frames) per call
   after   own design */
#include "cache_model.h"
#include <stdlib.h>
#include <string.h>

uint32_t below(run *r, uint32_t end)
{
    r->random ^= r->random << 13, r->random ^= r->random >> 7, r->random ^= r->random << 17;
    return end ? (uint32_t)(r->random >> 24) % end : 0;
}

bool one_in(run *r, uint32_t count) { return below(r, count) == 0; }

void expect(run *r, bool holds, const char *claim, uint64_t frame)
{
    if (holds || r->has_failed) return;
    r->has_failed = true;
    test_note("seed %llu, call %u (%s), frame %llu: %s\n    rerun: TIDEPOOL_SEED=%llu build/tests "
              "cache_model",
              (unsigned long long)r->seed, r->call, r->what, (unsigned long long)frame, claim,
              (unsigned long long)r->seed);
    CHECK_NEVER("the model");
}

/* ---- the model's state ---- */

/* Index of the first input that is still to be applied when the source reaches a frame. */
uint32_t inputs_from(const side *s, uint64_t frame)
{
    uint32_t k = s->lost;
    while (k < s->count && s->inputs[k].frame < frame) k++;
    while (has(s, frame) && k < s->count && s->inputs[k].frame == frame && s->inputs[k].is_recorded)
        k++;
    return k;
}

void inputs_cut(side *s, uint32_t count)
{
    s->count = count > s->lost ? count : s->lost;
    if (s->done > s->count) s->done = s->count;
}

void story_forget(side *s)
{
    s->count = s->done = s->lost = 0;
    memset(s->truth, 0, sizeof s->truth);
}

void truth_cut(side *s, uint64_t frame)
{
    for (uint64_t f = frame; f < FRAMES; f++) s->truth[f] = 0;
}

/* Inputs in a recorded state are applied again only after that recording is lost. */
static void inputs_are_recorded(side *s, uint64_t frame)
{
    for (uint32_t k = s->lost; k < s->count; k++)
        if (s->inputs[k].frame == frame) s->inputs[k].is_recorded = k < s->done;
}

/* A simulation that reaches the frame now has the state before the inputs of that frame. */
static void recording_lose(side *s, uint64_t frame)
{
    if (s->frames[frame].serial == 0) return;
    s->frames[frame].serial = 0;
    for (uint32_t k = s->lost; k < s->count; k++)
        if (s->inputs[k].frame == frame && s->inputs[k].is_recorded) s->truth[frame] = 0;
}

/* Compares the index with the model. A new recording must hold the state that the source has
   now. */
void side_look(side *s)
{
    run *r = s->run;
    bool is_there[FRAMES] = {false};
    for (uint32_t i = 0; i < s->cache->entry_count; i++) {
        const tpi_cache_entry *entry = tpi_ring_entry(s->cache, i);
        if (!entry->is_valid) continue;
        uint64_t f = entry->frame;
        expect(r, f >= s->def.start_frame && f <= s->def.end_frame && f < FRAMES,
               "is recorded and not due", f);
        if (r->has_failed) return;
        is_there[f] = true;
        if (s->frames[f].serial == entry->serial) continue;
        bool is_now =
            s == r->caller && s->owns && r->swarm->progress == 0 && r->swarm->now.frame == f;
        expect(r, is_now, "is recorded, and the source is not in it", f);
        s->frames[f].state = r->swarm->now;
        s->frames[f].serial = entry->serial;
        s->frames[f].is_hit = false;
        inputs_are_recorded(s, f);
        s->truth[f] = swarm_hash(&r->swarm->now);
    }
    for (uint32_t f = 0; f < FRAMES; f++)
        if (!is_there[f]) recording_lose(s, f);
}

bool has(const side *s, uint64_t frame) { return frame < FRAMES && s->frames[frame].serial != 0; }

/* True if bytes of any recorded frame were changed. */
bool is_hit(const side *s)
{
    bool is_any = false;
    for (uint64_t f = 0; f < FRAMES; f++) is_any |= has(s, f) && s->frames[f].is_hit;
    return is_any;
}

/* The last recorded frame up to this one; FRAMES if there is none. */
uint64_t before(const side *s, uint64_t frame)
{
    for (uint64_t f = frame < FRAMES ? frame + 1u : FRAMES; f > 0; f--)
        if (has(s, f - 1u)) return f - 1u;
    return FRAMES;
}

uint64_t behind(const side *s, uint64_t frame)
{
    for (uint64_t f = frame; f < FRAMES; f++)
        if (has(s, f)) return f;
    return FRAMES;
}

/* The source has reached a frame: its state must equal the earlier one at this frame. */
void arrive(side *s)
{
    run *r = s->run;
    uint64_t f = r->swarm->now.frame, hash = swarm_hash(&r->swarm->now);
    if (f >= FRAMES || s->is_loose) return;
    if (s->truth[f]) expect(r, s->truth[f] == hash, "is another than before", f);
    s->truth[f] = hash;
}

/* ---- the source with checks ---- */

static bool watched_frame(void *context, uint64_t *frame)
{
    return ((run *)context)->base.frame(((run *)context)->swarm, frame);
}

static uint32_t watched_count(void *context) { return ((run *)context)->swarm->now.count; }

static void watched_read(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                         void *values)
{
    run *r = (run *)context;
    for (uint32_t i = 0; i < count; i++)
        expect(r, places[i] < r->swarm->now.count, "is read beyond its particles",
               r->swarm->now.frame);
    if (!r->has_failed) r->base.read(r->swarm, stream, places, count, values);
}

static uint32_t watched_extra_read(void *context, uint32_t extra, void *data)
{
    return ((run *)context)->base.extra_read(((run *)context)->swarm, extra, data);
}

static tp_result watched_restore_begin(void *context, uint64_t frame, uint32_t count)
{
    return ((run *)context)->base.restore_begin(((run *)context)->swarm, frame, count);
}

static void watched_write(void *context, uint32_t stream, uint32_t first, uint32_t count,
                          const void *values)
{
    run *r = (run *)context;
    expect(r, first + count <= r->swarm->next.count, "is written beyond its particles",
           r->swarm->next.frame);
    if (!r->has_failed) r->base.write(r->swarm, stream, first, count, values);
}

static tp_result watched_extra_write(void *context, uint32_t extra, const void *data,
                                     uint32_t bytes)
{
    return ((run *)context)->base.extra_write(((run *)context)->swarm, extra, data, bytes);
}

static tp_result watched_restore_end(void *context)
{
    run *r = (run *)context;
    side *s = r->caller;
    side_look(s);
    tp_result result = r->base.restore_end(r->swarm);
    uint64_t f = r->swarm->now.frame;
    r->swarm->now.settings = r->settings;
    expect(r, has(s, f), "is restored and not recorded", f);
    if (has(s, f))
        expect(r, swarm_hash(&s->frames[f].state) == swarm_hash(&r->swarm->now),
               "is restored otherwise", f);
    s->owns = true;
    s->done = inputs_from(s, f);
    arrive(s);
    return result;
}

/* A frame begins: all inputs up to now are in the state. */
static void watch_begin(run *r)
{
    side *s = r->caller;
    if (r->swarm->progress) return;
    side_look(s);
    if (r->is_bake) story_forget(s);
    expect(r, s->owns, "goes on from a state of another story", r->swarm->now.frame);
    expect(r, s->done == s->count || s->inputs[s->done].frame > r->swarm->now.frame,
           "is left without its input", r->swarm->now.frame);
}

static tp_result watched_advance(void *context, const tp_budget *budget, uint64_t *units)
{
    run *r = (run *)context;
    watch_begin(r);
    tp_result result = r->base.advance(r->swarm, budget, units);
    if (result == TP_OK) arrive(r->caller);
    return result;
}

static tp_result watched_jump(void *context, uint32_t frames, const tp_budget *budget,
                              uint64_t *units)
{
    run *r = (run *)context;
    watch_begin(r);
    r->caller->is_loose = true;
    return swarm_jump(r->swarm, frames, budget, units);
}

static tp_result watched_restart(void *context)
{
    run *r = (run *)context;
    side *s = r->caller;
    side_look(s);
    tp_result result = r->base.restart(r->swarm);
    if (s->lost || s->cache->inputs.has_lost || s->cache->inputs.gap_end) story_forget(s);
    if (s->is_loose) memset(s->truth, 0, sizeof s->truth);
    s->is_loose = false;
    s->owns = true;
    s->done = 0;
    arrive(s);
    return result;
}

static tp_result watched_input(void *context, const void *data, uint32_t bytes)
{
    run *r = (run *)context;
    side *s = r->caller;
    uint64_t f = r->swarm->now.frame;
    side_look(s);
    const model_input *next = &s->inputs[s->done];
    bool is_next = s->done < s->count && next->frame == f && next->bytes == bytes &&
                   memcmp(next->data, data, bytes) == 0;
    expect(r, is_next, "is given an input that is not its next", f);
    s->done++;
    return swarm_input(r->swarm, data, bytes);
}

/* ---- creation ---- */

static void source_watch(run *r, tp_source *source)
{
    source->context = r;
    source->frame = watched_frame, source->count = watched_count, source->read = watched_read;
    source->extra_read = watched_extra_read, source->restore_begin = watched_restore_begin;
    source->write = watched_write, source->extra_write = watched_extra_write;
    source->restore_end = watched_restore_end, source->advance = watched_advance;
    source->input = watched_input;
    source->restart = one_in(r, 3) ? NULL : watched_restart;
}

/* Single frames or groups; lossless, with error bounds, or a part of the streams. */
static void side_kind(side *s)
{
    run *r = s->run;
    tp_stream *streams = s->source.schema.streams;
    uint32_t group = one_in(r, 2) ? 1u : 2u + below(r, one_in(r, 4) ? 15u : 4u);
    bool is_bounded = one_in(r, 2);
    if (is_bounded) streams[SWARM_POSITION].error_bound = one_in(r, 2) ? 1e-3f : 3e-5f;
    if (is_bounded && !one_in(r, 3)) streams[SWARM_VELOCITY].error_bound = 1e-2f;
    s->def = tp_cache_default(&s->source);
    s->def.group_frames = group;
    s->shown = (1u << SWARM_STREAMS) - 1u;
    if (group > 1u && one_in(r, 3)) s->shown = (1u + below(r, s->shown)) | 1u << SWARM_ID;
    if (s->shown == 1u << SWARM_ID) s->shown |= 1u << SWARM_POSITION;
    s->def.recorded_streams = group > 1u ? s->shown : 0;
    s->keeps_state = group == 1u || (!is_bounded && s->shown + 1u == 1u << SWARM_STREAMS);
    if (group > 1u) s->place = streams[SWARM_POSITION].error_bound;
    if (group > 1u) s->velocity = streams[SWARM_VELOCITY].error_bound;
    s->def.slice_units = 64u * 5u * group;
    if (one_in(r, 2) && s->def.slice_units < 2048u) s->def.slice_units = 2048u;
}

static void side_open(run *r, side *s)
{
    s->run = r;
    s->source = swarm_source(r->swarm);
    source_watch(r, &s->source);
    side_kind(s);
    tp_cache_def *def = &s->def;
    def->is_quick = one_in(r, 5);
    if (def->is_quick) s->source.jump = watched_jump;
    def->step = one_in(r, 2) ? 1u : 1u + below(r, 5);
    def->start_frame = one_in(r, 3) ? below(r, 5) : 0;
    def->end_frame = 20u + below(r, 40);
    def->policy = one_in(r, 4) ? TP_CACHE_STOP : TP_CACHE_EVICT;
    def->frames_max = 3u * def->group_frames + below(r, 40);
    if (def->group_frames == 1u && one_in(r, 4)) def->frames_max = below(r, 4);
    def->ring_bytes = one_in(r, 4) ? 300u + below(r, 6000) : 6000u + below(r, 150000);
    def->input_bytes = one_in(r, 4) ? 0 : 64u + below(r, one_in(r, 2) ? 200 : 1500);
    def->catchup_max = 1u + below(r, 20);
    if (one_in(r, 6)) def->particles_max = below(r, SWARM_MAX);
    s->cache = cache_make(def, &s->bytes);
    view_make(&s->view, SWARM_MAX);
}

void run_open(run *r, uint64_t seed)
{
    *r = (run){.seed = seed, .random = seed * 0x9e3779b97f4a7c15u + 1u};
    for (uint32_t k = 0; k < 8; k++) (void)below(r, 2);
    r->swarm = swarm_make(below(r, 90), below(r, 4));
    r->swarm->count_max = r->swarm->now.count + below(r, 60);
    r->base = swarm_source(r->swarm);
    for (uint32_t k = 0; k < SIDES; k++) side_open(r, &r->sides[k]);
    r->has_damage = one_in(r, 3);
    r->sides[0].owns = true;
    r->sides[0].truth[0] = swarm_hash(&r->swarm->now);
}

void run_close(run *r)
{
    for (uint32_t k = 0; k < SIDES; k++) {
        free(r->sides[k].cache);
        view_free(&r->sides[k].view);
    }
    free(r->swarm);
}

/* ---- around a call ---- */

bool is_locked(const side *s) { return (s->cache->flags & LOCKS) != 0; }

uint64_t frames_counted(const side *s)
{
    return s->cache->counters.frames_evicted + s->cache->counters.frames_refused;
}

void call_begin(run *r, side *s, const char *what)
{
    r->caller = s;
    r->what = what;
    for (uint32_t f = 0; f < FRAMES; f++) r->had[f] = has(s, f);
    r->counted = frames_counted(s);
    s->cache->counters.units = 0; /* a refused call does not set them */
}

static void check_index(side *s)
{
    run *r = s->run;
    uint32_t frames = 0, bytes = 0;
    uint64_t last = 0, group = 0;
    for (uint32_t i = 0; i < s->cache->entry_count; i++) {
        const tpi_cache_entry *entry = tpi_ring_entry(s->cache, i);
        expect(r, i == 0 || entry->frame > last, "is not behind the one before it", entry->frame);
        last = entry->frame;
        frames += entry->is_valid;
        if (i == 0 || entry->group != group) bytes += entry->bytes;
        group = entry->group;
    }
    tp_cache_counters report = tp_cache_report(s->cache);
    expect(r, frames == report.frames, "is where frames are counted otherwise", last);
    expect(r, bytes == report.bytes && bytes <= s->def.ring_bytes,
           "is where bytes are counted otherwise", last);
    expect(r, report.frames_corrupt == 0 || s->was_hit, "is where frames are found damaged", last);
    expect(r, report.slice_units_longest <= s->def.slice_units, "is where a slice is too long",
           last);
    bool is_same = report.inputs == s->count - s->lost;
    expect(r, is_same || (s->leaves && report.inputs > s->count - s->lost),
           "is where inputs are counted otherwise", last);
    if (is_same) s->leaves = false;
}

void call_end(run *r, const tp_budget *budget)
{
    side *s = r->caller;
    side_look(s);
    check_index(s);
    tp_cache_counters report = tp_cache_report(s->cache);
    if (budget)
        expect(r, report.units <= budget->units + s->def.slice_units, "is where a call is too long",
               0);
    r->caller = NULL;
}

/* Recorded frames from `first` to `last` are still there, and no other frame except `added`.
   Evicted frames are the oldest, and are counted. */
void expect_frames(run *r, side *s, uint64_t first, uint64_t last, uint64_t added)
{
    uint64_t gone = 0, oldest = behind(s, 0);
    for (uint64_t f = 0; f < FRAMES; f++) {
        bool stays = (r->had[f] && f >= first && f <= last) || f == added;
        expect(r, stays || !has(s, f), "is there and should not be", f);
        if (!stays || has(s, f) || (r->had[f] && s->frames[f].is_hit)) continue;
        gone++;
        expect(r, f < oldest, "is gone and should not be", f);
    }
    expect(r, gone <= frames_counted(s) - r->counted, "is where frames went uncounted", oldest);
    if (s->def.policy == TP_CACHE_STOP)
        expect(r, gone == 0, "is where a cache that stops lost frames", oldest);
}

tp_budget *some_budget(run *r, tp_budget *budget)
{
    *budget = (tp_budget){.units = 1u + below(r, one_in(r, 3) ? 8000 : 300)};
    return one_in(r, 2) ? budget : NULL;
}

uint64_t some_frame(run *r, const side *s)
{
    uint64_t first = behind(s, 0), last = before(s, FRAMES);
    if (first == FRAMES || one_in(r, 5)) return below(r, (uint32_t)s->def.end_frame + 3u);
    return first + below(r, (uint32_t)(last - first) + s->def.step + 1u);
}
