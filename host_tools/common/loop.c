/* SPDX-License-Identifier: MIT
   host_tools/common/loop.c - a frame loop like that of a game: one world, its cache, a budget, and
           a report of the costs.
   reads   a scene, a world      writes  the world, the cache, the report
   memory  that of the report; nothing is allocated while it runs      cost    the frames simulated
   after   own design */
#include "loop.h"
#include "allocations.h"
#include "platform.h"
#include <stdlib.h>
#include <string.h>

/* The largest overrun of a frame: the larger slice bound of world and cache. A tile of a cache may
   need more than the smallest slice of a world. */
static uint32_t slice_bound(const loop *target)
{
    uint32_t world = target->source->world.slice_units;
    const tp_cache_def *cache = target->cache ? tp_cache_definition(target->cache) : NULL;
    return cache && cache->slice_units > world ? cache->slice_units : world;
}

/* The longest slice: several threads together may do more, within the budget. */
static uint32_t slice_most(const loop *target)
{
    const tp_jobs *jobs = target->settings.jobs;
    uint32_t units = target->source->world.slice_units, bound = slice_bound(target);
    if (!jobs || jobs->workers < 2u) return bound;
    if (!target->settings.budget_us) units = 4u * TP_JOBS_SLICE_UNITS;
    units = jobs->workers * (units > TP_JOBS_SLICE_UNITS ? units : TP_JOBS_SLICE_UNITS);
    return units > bound ? units : bound;
}

int loop_open(loop *target, const scene *source, const loop_settings *settings, tp_world *world,
              tp_cache *cache)
{
    memset(target, 0, sizeof *target);
    /* without a cache and a `take` no frame need be simulated: `hash` of the start itself */
    if (settings->frames < source->start.frame ||
        (settings->frames == source->start.frame && source->start.cache &&
         (cache || settings->take)))
        return host_error(HOST_BAD_INPUT, source->path, HOST_NO_OFFSET,
                          "%u frames end before the first one to simulate; the start is frame %u, "
                          "so that at least %u are needed",
                          settings->frames, source->start.frame, source->start.frame + 1);
    target->source = source;
    target->settings = *settings;
    target->world = world;
    target->cache = cache;
    target->report.trace_stride = 1;
    target->report.frames = source->start.frame;
    target->report.slice_units = slice_most(target);
    target->trace = host_allocate(LOOP_TRACE_MAX, sizeof *target->trace);
    target->fine = host_allocate(LOOP_FINE_US, sizeof *target->fine);
    target->coarse = host_allocate(LOOP_COARSE_MS, sizeof *target->coarse);
    if (target->trace && target->fine && target->coarse) return HOST_DONE;
    loop_close(target);
    return host_out_of_memory("the records of the frame loop");
}

void loop_close(loop *target)
{
    free(target->trace);
    free(target->fine);
    free(target->coarse);
    target->trace = NULL;
    target->fine = target->coarse = NULL;
}

/* ---- the report */

static double larger(double a, double b) { return a > b ? a : b; }

/* Merges pairs of entries when the trace is full. */
static void fold_trace(loop *target)
{
    loop_trace *trace = target->trace;
    for (uint32_t i = 0; i < LOOP_TRACE_MAX / 2; i++) {
        const loop_trace *a = &trace[2 * i], *b = &trace[2 * i + 1];
        trace[i] = (loop_trace){larger(a->units, b->units),
                                larger(a->microseconds, b->microseconds),
                                b->timestep,
                                larger(a->courant, b->courant),
                                larger(a->steps, b->steps),
                                b->particles,
                                larger(a->lag, b->lag)};
    }
    target->report.trace_count = LOOP_TRACE_MAX / 2;
    target->report.trace_stride *= 2;
}

static void note_trace(loop *target, const loop_trace *now)
{
    loop_report *report = &target->report;
    if ((report->game_frames - 1) % report->trace_stride == 0) {
        if (report->trace_count == LOOP_TRACE_MAX) fold_trace(target);
        target->trace[report->trace_count++] = *now;
        return;
    }
    loop_trace *last = &target->trace[report->trace_count - 1];
    last->units = larger(last->units, now->units);
    last->microseconds = larger(last->microseconds, now->microseconds);
    last->courant = larger(last->courant, now->courant);
    last->steps = larger(last->steps, now->steps);
    last->lag = larger(last->lag, now->lag);
}

static void note_time(loop *target, uint64_t microseconds)
{
    uint64_t milliseconds = microseconds / 1000;
    if (microseconds < LOOP_FINE_US)
        target->fine[microseconds]++;
    else
        target->coarse[milliseconds < LOOP_COARSE_MS ? milliseconds : LOOP_COARSE_MS - 1]++;
    if (microseconds > target->report.max_frame_us) target->report.max_frame_us = microseconds;
    if (target->settings.budget_us && microseconds > target->settings.budget_us)
        target->report.frames_over_budget_us++;
}

static uint64_t median_time(const loop *target)
{
    uint64_t half = (target->report.game_frames + 1) / 2, seen = 0;
    for (uint32_t i = 0; i < LOOP_FINE_US; i++)
        if ((seen += target->fine[i]) >= half) return i;
    for (uint32_t i = 0; i < LOOP_COARSE_MS; i++)
        if ((seen += target->coarse[i]) >= half) return (uint64_t)i * 1000;
    return 0;
}

/* ---- one game frame */

/* us of a frame's budget that are kept for the end of its last call and for this loop. */
#define LOOP_REST_US 20u

typedef struct frame_state {
    uint64_t started;     /* us */
    uint64_t cache_units; /* in this game frame */
    uint64_t world_units;
    uint32_t steps;
    bool is_begun;   /* the world has begun this game frame */
    bool is_pending; /* a simulated frame is not recorded yet; may last several game frames */
} frame_state;

/* Computes the remaining budget of the frame, for the world (which counts its own units itself) or
   for the cache. False: nothing is left. */
static bool budget_left(const loop *target, const frame_state *state, bool for_world,
                        tp_budget *budget)
{
    uint64_t used = state->cache_units + state->world_units, elapsed = 0;
    *budget = (tp_budget){.frames_max = 1,
                          .is_same_frame = state->is_begun,
                          .clock_us = platform_clock_us,
                          .jobs = target->settings.jobs};
    if (target->settings.work) {
        if (used >= target->settings.work) return false;
        budget->units = target->settings.work - (uint32_t)(for_world ? state->cache_units : used);
    }
    if (target->settings.budget_us) {
        const uint32_t limit = target->settings.budget_us,
                       rest = limit / 16 < LOOP_REST_US ? limit / 16 : LOOP_REST_US;
        elapsed = platform_clock_us(NULL) - state->started;
        if (elapsed + rest >= limit) return false;
        budget->microseconds = limit - rest - (uint32_t)elapsed;
    }
    return true;
}

/* The first slice of a call is done however little time is left. False: wait for the next frame,
   unless this one has done nothing yet. */
static bool time_suffices(const loop *target, const frame_state *state, const tp_budget *budget)
{
    uint32_t slice = tp_cache_report(target->cache).slice_microseconds_longest;
    return !budget->microseconds || budget->microseconds >= slice || !state->is_begun;
}

/* A cache writes whole tiles, so its slices may be longer than the slice bound of the world. This
   reserves the difference, so that a frame exceeds its budget by less than one slice of the world.
   False: wait for the next frame. */
static bool keep_back(const loop *target, const frame_state *state, tp_budget *budget)
{
    uint32_t surplus = slice_bound(target) - target->source->world.slice_units;
    if (!budget->units || !surplus) return true;
    if (budget->units > surplus) {
        budget->units -= surplus;
        return true;
    }
    /* a new frame cannot have a larger budget */
    return state->cache_units + state->world_units == 0;
}

/* Records the completed frame. HOST_DONE with is_pending still set: the budget is used up. */
static int record_frame(loop *target, frame_state *state)
{
    tp_budget budget;
    if (!budget_left(target, state, false, &budget)) return HOST_DONE;
    if (!keep_back(target, state, &budget) || !time_suffices(target, state, &budget))
        return HOST_DONE;
    tp_source source = scene_source(target->source, target->world);
    tp_result result = tp_cache_record(target->cache, &source, &budget);
    state->cache_units += tp_cache_report(target->cache).units;
    if (result == TP_MORE) return HOST_DONE;
    /* a full cache with policy stop counts the refusal; the loop continues */
    if (result < TP_OK && result != TP_ERROR_FULL)
        return host_error(HOST_OUT_OF_MEMORY, target->source->path, HOST_NO_OFFSET,
                          "cannot record: %s", tp_result_text(result));
    state->is_pending = false;
    return HOST_DONE;
}

static void note_compression(loop *target)
{
    loop_report *report = &target->report;
    double mean = (double)report->world.compression, most = (double)report->world.compression_max;
    double frames = (double)(report->frames - target->source->start.frame);
    report->compression += (mean - report->compression) / frames;
    if (mean > report->frame_compression_max) report->frame_compression_max = mean;
    if (most > report->particle_compression_max) report->particle_compression_max = most;
}

/* tp_frame; if steps are asked for, in calls of one slice, so that none ends two steps. */
static tp_result simulate(const loop *target, const tp_budget *budget, tp_report *report)
{
    if (!target->settings.step) return tp_frame(target->world, budget, report);
    tp_budget slice = *budget;
    tp_result result = TP_MORE;
    bool goes_on = true;
    while (goes_on) {
        uint64_t steps = report->steps, units = slice.is_same_frame ? report->units + 1 : 1;
        slice.units = budget->units && units > budget->units ? budget->units : (uint32_t)units;
        result = tp_frame(target->world, &slice, report);
        if (result >= TP_OK && report->steps > steps)
            target->settings.step(target->settings.step_context, report);
        slice.is_same_frame = true;
        goes_on = result == TP_MORE && !report->frames_completed &&
                  !(budget->units && report->units >= budget->units);
    }
    return result;
}

/* One part of a game frame: at most one simulated frame, then its recording. Sets *goes_on if
   budget may be left. */
static int frame_part(loop *target, frame_state *state, bool *goes_on)
{
    loop_report *report = &target->report;
    tp_budget budget;
    *goes_on = false;
    if (!state->is_pending && report->frames < target->settings.frames) {
        if (!budget_left(target, state, true, &budget)) return HOST_DONE;
        tp_result result = simulate(target, &budget, &report->world);
        if (result < TP_OK)
            return host_error(HOST_BAD_INPUT, target->source->path, HOST_NO_OFFSET, "%s",
                              tp_result_text(result));
        state->is_begun = true;
        state->world_units = report->world.units;
        state->steps = report->world.steps_in_frame;
        if (!report->world.frames_completed) return HOST_DONE;
        report->frames++;
        scene_float_note(target->source, target->world, (uint32_t)report->frames);
        note_compression(target);
        state->is_pending = target->cache != NULL;
        const loop_settings *settings = &target->settings;
        int code = settings->take ? settings->take(settings->context, target->world, report->frames)
                                  : HOST_DONE;
        if (code) return code;
    }
    int code = state->is_pending ? record_frame(target, state) : HOST_DONE;
    if (code || state->is_pending) return code;
    *goes_on = report->frames < target->settings.frames;
    if (*goes_on) scene_move(target->source, target->world, report->frames + 1);
    return HOST_DONE;
}

static int game_frame(loop *target, frame_state *state)
{
    loop_report *report = &target->report;
    bool goes_on = true;
    int code = HOST_DONE;
    state->started = platform_clock_us(NULL);
    state->cache_units = state->world_units = 0;
    state->steps = 0;
    state->is_begun = false;
    report->game_frames++;
    while (goes_on && !code) code = frame_part(target, state, &goes_on);
    uint64_t elapsed = platform_clock_us(NULL) - state->started,
             units = state->cache_units + state->world_units;
    report->total_units += units;
    if (units > report->max_frame_units) report->max_frame_units = units;
    if (target->settings.work && units > (uint64_t)target->settings.work + slice_bound(target))
        report->frames_over_budget++;
    /* the whole budget of this frame was used for recording */
    if (!state->is_begun) report->lagged_frames++;
    note_time(target, elapsed);
    loop_trace now = {(double)units,
                      (double)elapsed,
                      (double)report->world.timestep,
                      (double)report->world.courant,
                      state->steps,
                      report->world.particles,
                      (double)report->world.lag_ticks / TP_TICKS_PER_FRAME};
    note_trace(target, &now);
    return code;
}

int loop_run(loop *target)
{
    loop_report *report = &target->report;
    frame_state state = {0};
    host_progress progress;
    int code = HOST_DONE;
    double started = host_seconds();
    const char *label = target->settings.label ? target->settings.label : target->source->name;
    host_progress_start(&progress, label, target->settings.frames, target->settings.quiet);
    report->allocations_counted = allocations_counted();
    uint64_t allocations = allocations_total();
    scene_float_note(target->source, target->world, 0);
    scene_move(target->source, target->world, report->frames + 1);
    while (!code && (report->frames < target->settings.frames || state.is_pending)) {
        code = game_frame(target, &state);
        host_progress_update(&progress, report->frames);
    }
    report->allocations = allocations_total() - allocations;
    host_progress_end(&progress);
    report->seconds = host_seconds() - started;
    report->world = tp_world_report(target->world);
    report->lagged_frames += report->world.lagged_frames;
    report->median_frame_us = median_time(target);
    report->state_hash = tp_world_hash(target->world);
    uint64_t slice = report->world.slice_units_longest_ever;
    if (target->cache && tp_cache_report(target->cache).slice_units_longest > slice)
        slice = tp_cache_report(target->cache).slice_units_longest;
    report->max_slice_units = (uint32_t)slice;
    return code;
}
