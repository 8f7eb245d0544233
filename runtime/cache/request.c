/* SPDX-License-Identifier: MIT
   runtime/cache/request.c - shows a source at a time: recorded, interpolated or simulated.
   reads   the index, the source's frame      writes  the view, the ring, the source
   memory  the jobs in the block              cost    see tp_cache_request
   after   runtime/guide/physics.md, requests of a cache: a planner that chooses one action from the
           current state, and is asked again after every action until the view is complete */
#include "cache.h"

enum { TPI_PLAN_READ, TPI_PLAN_ADVANCE, TPI_PLAN_RESTORE, TPI_PLAN_RESTART, TPI_PLAN_MISSING };

/* The next action. */
typedef struct request_plan {
    uint32_t what;
    const tpi_cache_entry *first, *second;
    bool shows_live; /* the source's live state is the only side, or the later one */
    tp_cache_status status;
} request_plan;

/* Arguments and state of one call. */
typedef struct request_job {
    tp_cache *cache;
    const tp_source *source;
    tp_frame_view *view;
    tpi_cache_meter *meter;
    uint64_t time;          /* within the cache's range */
    uint64_t frame, target; /* the frame at or before `time`, and the frame at or after it */
    uint64_t tried;         /* the frame that this call recorded or refused */
    bool is_outside, is_read_only;
} request_job;

/* ---- planning ---- */

static request_plan request_show(const tpi_cache_entry *first, const tpi_cache_entry *second,
                                 tp_cache_status status)
{
    return (request_plan){TPI_PLAN_READ, first, second, false, status};
}

static request_plan request_show_live(const tpi_cache_entry *first, tp_cache_status status)
{
    return (request_plan){TPI_PLAN_READ, first, NULL, true, status};
}

static request_plan request_do(uint32_t what, const tpi_cache_entry *entry)
{
    return (request_plan){what, entry, NULL, false, TP_CACHE_PARTIAL};
}

/* Fallback: shows the nearest recorded frame. */
static request_plan request_nearest(const tpi_cache_entry *before, const tpi_cache_entry *behind)
{
    if (!before && !behind) return request_do(TPI_PLAN_MISSING, NULL);
    return request_show(before ? before : behind, NULL, TP_CACHE_OUTSIDE);
}

static request_plan request_look_source(const request_job *job, const tpi_cache_entry *before,
                                        const tpi_cache_entry *behind)
{
    const tp_cache *cache = job->cache;
    tpi_cache_live live = tpi_cache_live_of(cache, job->source);
    bool is_between = job->frame != job->target,
         is_shown = live.is_whole && live.is_trusted && live.frame == job->target;
    if (is_shown && !is_between) return request_show_live(NULL, TP_CACHE_SIMULATED);
    if (is_shown && before) return request_show_live(before, TP_CACHE_INTERPOLATED);
    if (is_shown && cache->request_simulated) /* the earlier frame did not fit the ring */
        return behind ? request_nearest(NULL, behind) : request_show_live(NULL, TP_CACHE_OUTSIDE);
    bool goes_on = !before || (live.frame >= before->frame && live.frame <= cache->chain);
    goes_on = goes_on && tpi_inputs_are_known_ahead(cache, live.frame, job->target);
    if (live.is_trusted && live.frame < job->target && goes_on)
        return request_do(TPI_PLAN_ADVANCE, NULL);
    if (before && tpi_cache_can_restore(job->cache, job->source)) {
        bool is_known = tpi_inputs_are_known(cache, before->frame, job->target);
        return is_known ? request_do(TPI_PLAN_RESTORE, before) : request_nearest(before, behind);
    }
    if (!job->source->restart) return request_do(TPI_PLAN_MISSING, NULL);
    return cache->request_restarted ? request_nearest(before, behind)
                                    : request_do(TPI_PLAN_RESTART, NULL);
}

/* True if the source was simulated to the target frame for this request and is still in it: the
   recorded frame then counts as simulated. */
static bool request_has_simulated(const request_job *job)
{
    if (job->is_read_only || !job->cache->request_simulated) return false;
    return tpi_cache_live_of(job->cache, job->source).frame == job->target;
}

static request_plan request_look(const request_job *job)
{
    const tp_cache *cache = job->cache;
    const tpi_cache_entry *before = tpi_ring_before(cache, job->frame);
    const tpi_cache_entry *behind = tpi_ring_behind(cache, job->frame + 1u);
    if (before && TP_TIME(before->frame) == job->time)
        return request_show(before, NULL,
                            request_has_simulated(job) ? TP_CACHE_SIMULATED : TP_CACHE_EXACT);
    if (before && behind) return request_show(before, behind, TP_CACHE_INTERPOLATED);
    return job->is_read_only ? request_nearest(before, behind)
                             : request_look_source(job, before, behind);
}

/* ---- acting ---- */

static void request_begin_write(request_job *job, uint64_t frame)
{
    if (job->tried == frame || !tpi_writer_is_due(job->cache, frame) ||
        tpi_ring_exact(job->cache, frame))
        return;
    job->tried = frame;
    tpi_writer_begin(job->cache, frame);
}

/* Records the source's current state before it is advanced, if no later frame is recorded: the
   first frame of a recording. True: the writer is active. */
static bool request_keeps_start(request_job *job, const tpi_cache_live *live)
{
    if (!live->is_whole || tpi_ring_behind(job->cache, live->frame)) return false;
    request_begin_write(job, live->frame);
    return job->cache->writer.active;
}

/* Frames of the next advance: 1; in a quick cache a jump to the next frame that is due, is the
   target, or has an input, whichever comes first. */
static uint32_t request_stride(const request_job *job, uint64_t frame)
{
    const tp_cache_def *def = &job->cache->def;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only a read-only one has none */
    if (!def->is_quick || !job->source->jump || frame < def->start_frame) return 1;
    uint32_t to_due = def->step - (uint32_t)((frame - def->start_frame) % def->step);
    uint64_t input = tpi_inputs_behind(job->cache, frame);
    uint64_t ahead = (input < job->target ? input : job->target) - frame;
    return ahead < to_due ? (uint32_t)ahead : to_due;
}

static tp_result request_advance(request_job *job)
{
    tp_cache *cache = job->cache;
    tpi_cache_live live = tpi_cache_live_of(cache, job->source);
    if (request_keeps_start(job, &live)) return TP_OK;
    if (job->view->simulated >= cache->def.catchup_max) return TP_MORE;
    tp_result result =
        tpi_source_advance(cache, job->source, request_stride(job, live.frame), job->meter);
    if (result != TP_OK) return result;
    live = tpi_cache_live_of(cache, job->source);
    job->view->simulated++;
    if (live.frame == job->target) cache->request_simulated = true;
    request_begin_write(job, live.frame);
    return TP_OK;
}

static tp_result request_restore(request_job *job, const tpi_cache_entry *entry)
{
    tpi_restorer_begin(job->cache, entry);
    tp_result result = tpi_restorer_run(job->cache, job->source, job->meter);
    return result == TP_ERROR_FRAME ? TP_OK : result; /* the entry is invalid now: plan again */
}

static void request_begin_read(request_job *job, const request_plan *plan)
{
    tpi_cache_reader *reader = &job->cache->reader;
    reader->side_count = 0;
    reader->status = plan->status;
    if (plan->first) tpi_side_open(&reader->sides[reader->side_count++], plan->first);
    if (plan->second) tpi_side_open(&reader->sides[reader->side_count++], plan->second);
    if (plan->shows_live) {
        reader->sides[reader->side_count++] =
            (tpi_cache_side){.is_live = true,
                             .frame = tpi_cache_live_of(job->cache, job->source).frame,
                             .count = job->source->count(job->source->context)};
    }
    tpi_reader_begin(job->cache, job->time, job->view);
}

/* OK: plan again, or read if the reader is active now. */
static tp_result request_act(request_job *job)
{
    tp_cache *cache = job->cache;
    request_plan plan = request_look(job);
    if (plan.what != TPI_PLAN_RESTORE) cache->restorer.active = false;
    switch (plan.what) {
    case TPI_PLAN_READ:
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): read-only ones never show it */
        if (plan.shows_live && job->source->count(job->source->context) > cache->def.particles_max)
            return TP_ERROR_FULL;
        request_begin_read(job, &plan);
        return TP_OK;
    case TPI_PLAN_ADVANCE: return request_advance(job);
    case TPI_PLAN_RESTORE: return request_restore(job, plan.first);
    case TPI_PLAN_RESTART: return tpi_source_restart(cache, job->source);
    default: return TP_ERROR_FRAME;
    }
}

/* ---- resuming the jobs of an earlier call ---- */

static bool request_side_holds(const request_job *job, const tpi_cache_side *side)
{
    const tpi_cache_reader *reader = &job->cache->reader;
    if (!side->is_live) return tpi_side_holds(job->cache, side);
    if (job->is_read_only) return false;
    tpi_cache_live live = tpi_cache_live_of(job->cache, job->source);
    if (!live.is_whole || !live.is_trusted || live.frame != side->frame) return false;
    if (reader->order_serial && reader->order_serial != job->cache->sort.serial) return false;
    return job->source->count(job->source->context) == side->count;
}

static void request_check_reader(const request_job *job)
{
    tpi_cache_reader *reader = &job->cache->reader;
    if (!reader->active) return;
    if (reader->job != job->view->job || reader->time != job->time) reader->active = false;
    for (uint32_t s = 0; s < reader->side_count; s++)
        if (!request_side_holds(job, &reader->sides[s])) reader->active = false;
}

/* Continues a recording while the source is still in the recorded frame. If the frame is refused,
   the request continues without it. */
static tp_result request_write(tp_cache *cache, const tp_source *source, tpi_cache_meter *meter)
{
    if (!cache->writer.active) return TP_OK;
    tpi_cache_live live = tpi_cache_live_of(cache, source);
    if (!live.is_whole || live.frame != cache->writer.log.frame) tpi_writer_abandon(cache);
    tp_result result = tpi_writer_run(cache, source, meter);
    return result == TP_MORE ? TP_MORE : TP_OK;
}

static tp_result request_run(request_job *job)
{
    tp_cache *cache = job->cache;
    request_check_reader(job);
    for (;;) {
        tp_result result = TP_OK;
        if (!job->is_read_only && cache->writer.active) {
            job->tried = cache->writer.log.frame;
            result = request_write(cache, job->source, job->meter);
            request_check_reader(job); /* a frame that it reads may have been packed */
        }
        if (result == TP_OK && !cache->reader.active) result = request_act(job);
        if (result != TP_OK) return result;
        if (!cache->reader.active) continue;
        result = tpi_reader_run(cache, job->source, job->meter, job->view);
        if (result != TP_ERROR_FRAME) return result;
    }
}

/* ---- the call ---- */

static void request_clamp(request_job *job, uint64_t time)
{
    const tp_cache_def *def = &job->cache->def;
    job->time = time;
    if (time < TP_TIME(def->start_frame)) job->time = TP_TIME(def->start_frame);
    if (time > TP_TIME(def->end_frame)) job->time = TP_TIME(def->end_frame);
    job->is_outside = job->time != time;
    job->frame = job->time / TP_TICKS_PER_FRAME;
    job->target = job->frame + (job->time % TP_TICKS_PER_FRAME ? 1u : 0u);
    if (job->cache->request_time != time + 1u) { /* + 1, because zero means no request */
        job->cache->request_time = time + 1u;
        job->cache->request_restarted = job->cache->request_simulated = false;
    }
}

static void request_finish(request_job *job, tp_result result)
{
    tp_cache *cache = job->cache;
    tp_cache_counters *counters = &cache->counters;
    tp_frame_view *view = job->view;
    tpi_cache_meter_end(job->meter);
    view->status = TP_CACHE_PARTIAL;
    if (result == TP_MORE) return;
    cache->request_time = 0;
    view->status = TP_CACHE_MISSING;
    view->job = 0;
    if (result != TP_OK) {
        view->count = view->dropped = 0;
        return;
    }
    view->status = job->is_outside ? TP_CACHE_OUTSIDE : cache->reader.status;
    if (view->status == TP_CACHE_EXACT) counters->requests_exact++;
    if (view->status == TP_CACHE_INTERPOLATED) counters->requests_interpolated++;
    if (view->status == TP_CACHE_SIMULATED) counters->requests_simulated++;
    if (view->status == TP_CACHE_OUTSIDE) counters->requests_outside++;
}

tp_result tp_cache_request(tp_cache *cache, const tp_source *source, uint64_t time,
                           const tp_budget *budget, tp_frame_view *view)
{
    if (!view) return TP_ERROR_NULL;
    view->status = TP_CACHE_MISSING;
    view->simulated = 0;
    tp_result result = source ? tpi_cache_check_call(cache, source) : tpi_cache_check_block(cache);
    if (result == TP_OK) result = tpi_check_budget(budget);
    if (result != TP_OK) return result;
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);
    request_job job = {.cache = cache,
                       .source = source,
                       .view = view,
                       .meter = &meter,
                       .tried = TPI_CACHE_NO_FRAME};
    job.is_read_only = !source || !source->advance ||
                       (cache->flags & (TP_CACHE_BAKED | TP_CACHE_EXTERNAL | TP_CACHE_BAKING));
    if (!job.is_read_only) tpi_inputs_leave(cache, tpi_cache_live_of(cache, source).frame);
    request_clamp(&job, time);
    result = request_run(&job);
    request_finish(&job, result);
    return result;
}
