/* SPDX-License-Identifier: MIT
   runtime/play/blend.c - shows a timeline: one clip with scaled speed, or a cross-fade of two.
   reads   players      writes  a view
   memory  two frames in the block      cost  see tp_timeline_request
   after   linear blending: x = xA + w (xB - xA), v = vA + w (vB - vA) + w' (xB - xA); spherical
           linear interpolation (slerp) of rotations along the shorter arc */
#include "timeline.h"

/* Arguments and budget of one call. */
typedef struct blend_call {
    tp_timeline *timeline;
    const tp_budget *budget;
    tp_frame_view *view;
    uint64_t units, started;
    uint32_t slice;
    bool has_clock;
} blend_call;

static uint64_t blend_now(const blend_call *call)
{
    return call->has_clock ? call->budget->clock_us(call->budget->clock_context) : 0;
}

/* Sets *rest to the unused budget. False: it is used up. */
static bool blend_rest(const blend_call *call, tp_budget *rest)
{
    tpi_memset(rest, 0, sizeof *rest);
    if (!call->budget) return true;
    *rest = *call->budget;
    uint32_t share = rest->stage_units[TP_STAGE_CACHE_READ];
    if (rest->units && call->units >= rest->units) return false;
    if (share && call->units >= share) return false;
    if (rest->units) rest->units -= (uint32_t)call->units;
    if (share) rest->stage_units[TP_STAGE_CACHE_READ] = share - (uint32_t)call->units;
    if (!call->has_clock) return true;
    uint64_t elapsed = blend_now(call) - call->started;
    if (elapsed >= rest->microseconds) return false;
    rest->microseconds -= (uint32_t)elapsed;
    return true;
}

/* ---- two clips ---- */

static uint32_t blend_id(const tp_timeline *timeline, uint32_t side)
{
    return tpi_timeline_words(timeline, side, timeline->identity)[timeline->at[side]];
}

/* One step of a merge join: collects the next points of both clips in the order of identity. */
static void blend_match(tp_timeline *timeline, tpi_play_pairs *pairs)
{
    bool is_late = timeline->moment.weight >= 0.5f;
    pairs->count = 0;
    for (uint32_t looks = 0; looks < TPI_PLAY_CHUNK; looks++) {
        bool has_a = timeline->at[0] < timeline->view[0].count,
             has_b = timeline->at[1] < timeline->view[1].count;
        if (!has_a && !has_b) return;
        uint32_t a = has_a ? blend_id(timeline, 0) : 0, b = has_b ? blend_id(timeline, 1) : 0;
        bool takes_a = has_a && (!has_b || a <= b), takes_b = has_b && (!has_a || b <= a);
        pairs->slot[0][pairs->count] = timeline->at[0];
        pairs->slot[1][pairs->count] = timeline->at[1];
        timeline->at[0] += takes_a;
        timeline->at[1] += takes_b;
        if (takes_a != takes_b && takes_b != is_late && !timeline->def.has_weights) continue;
        pairs->sides[pairs->count++] = (uint8_t)((takes_a ? 1u : 0u) | (takes_b ? 2u : 0u));
    }
}

/* A value of one side. Rates are multiplied by the clip's speed; at speed 1 the bits are kept. */
static float blend_load(const tp_timeline *timeline, uint32_t side, uint32_t stream, uint32_t c,
                        uint32_t index)
{
    const uint32_t *words =
        tpi_timeline_words(timeline, side, stream) + (size_t)c * timeline->def.points_max;
    float value = tpi_from_bits(words[index]);
    bool is_rate = timeline->def.rate_streams >> stream & 1u;
    return is_rate && timeline->moment.speed[side] != 1.0f ? value * timeline->moment.speed[side]
                                                           : value;
}

static float blend_value(const tp_timeline *timeline, uint32_t stream, uint32_t c,
                         const tpi_play_pairs *pairs, uint32_t i)
{
    const tp_stream *description = &timeline->def.streams[stream];
    const uint32_t *a = &pairs->slot[0][i], *b = &pairs->slot[1][i];
    if (pairs->sides[i] != 3u)
        return blend_load(timeline, pairs->sides[i] >> 1, stream, c,
                          pairs->sides[i] == 1u ? *a : *b);
    float first = blend_load(timeline, 0, stream, c, *a),
          second = blend_load(timeline, 1, stream, c, *b);
    float value = first + (second - first) * timeline->moment.weight;
    if (description->interpolation != TP_INTERPOLATE_RATE) return value;
    float apart = blend_load(timeline, 1, description->partner, c, *b) -
                  blend_load(timeline, 0, description->partner, c, *a);
    return value + apart * (timeline->moment.weight_rate / timeline->def.seconds_per_frame);
}

static void blend_rotation(const tp_timeline *timeline, uint32_t stream,
                           const tpi_play_pairs *pairs, uint32_t i, uint32_t *to, uint32_t stride)
{
    float ends[2][4], result[4] = {0};
    bool is_same = true;
    for (uint32_t c = 0; c < 4; c++) {
        for (uint32_t s = 0; s < 2; s++) {
            uint32_t side = pairs->sides[i] == 3u ? s : pairs->sides[i] >> 1;
            ends[s][c] = blend_load(timeline, side, stream, c, pairs->slot[side][i]);
        }
        is_same = is_same && tpi_bits(ends[0][c]) == tpi_bits(ends[1][c]);
    }
    if (!is_same) tpi_slerp(ends[0], ends[1], timeline->moment.weight, result);
    for (uint32_t c = 0; c < 4; c++)
        to[c * stride] = is_same ? tpi_bits(ends[0][c]) : tpi_bits(tpi_flush(result[c]));
}

static void blend_stream(const tp_timeline *timeline, uint32_t stream, const tpi_play_pairs *pairs,
                         uint32_t count, uint32_t *to, uint32_t stride)
{
    const tp_stream *description = &timeline->def.streams[stream];
    bool is_held =
        description->type != TP_STREAM_F32 || description->interpolation == TP_INTERPOLATE_HOLD;
    uint32_t larger = timeline->moment.weight >= 0.5f ? 1u : 0u;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t side = pairs->sides[i] == 3u ? larger : pairs->sides[i] >> 1;
        if (description->interpolation == TP_INTERPOLATE_SLERP) {
            blend_rotation(timeline, stream, pairs, i, to + i, stride);
            continue;
        }
        for (uint32_t c = 0; c < description->components; c++) {
            const uint32_t *from =
                tpi_timeline_words(timeline, side, stream) + (size_t)c * timeline->def.points_max;
            to[c * stride + i] =
                is_held ? from[pairs->slot[side][i]]
                        : tpi_bits(tpi_flush(blend_value(timeline, stream, c, pairs, i)));
        }
    }
}

static void blend_weights(const tp_timeline *timeline, const tpi_play_pairs *pairs, uint32_t count,
                          float *to)
{
    float w = timeline->moment.weight;
    for (uint32_t i = 0; i < count; i++)
        to[i] = pairs->sides[i] == 3u ? 1.0f : pairs->sides[i] == 2u ? w : 1.0f - w;
}

/* ---- activity: keys per frame of the timeline ---- */

static float blend_speed(const tp_timeline *timeline, uint32_t side)
{
    float speed = timeline->moment.speed[side];
    return speed < 0.0f ? -speed : speed;
}

/* Adds the keys of one point at its shown position, multiplied by its weight. */
static void blend_add_keys(tp_timeline *timeline, const tpi_play_pairs *pairs, uint32_t i,
                           float keys)
{
    const tp_activity_def *def = &timeline->def.activity;
    float w = timeline->moment.weight, at[2];
    if (timeline->def.has_weights && pairs->sides[i] != 3u)
        keys *= pairs->sides[i] == 2u ? w : 1.0f - w;
    uint64_t amount = (uint64_t)(keys * (float)TPI_ACTIVITY_ONE + 0.5f);
    if (!amount) return;
    for (uint32_t k = 0; k < 2; k++)
        at[k] = tpi_flush(blend_value(timeline, def->stream, def->axis[k], pairs, i));
    tpi_activity_add(def, tpi_timeline_activity_of(timeline), at[0], at[1], amount);
}

static void blend_keys(tp_timeline *timeline, const tpi_play_pairs *pairs, uint32_t written,
                       float *to)
{
    for (uint32_t i = 0; i < pairs->count; i++) {
        float keys[2] = {0, 0};
        for (uint32_t s = 0; s < 2; s++)
            if (pairs->sides[i] >> s & 1u)
                keys[s] =
                    tpi_timeline_keys(timeline, s)[pairs->slot[s][i]] * blend_speed(timeline, s);
        float both = keys[0] + (keys[1] - keys[0]) * timeline->moment.weight;
        float shown = pairs->sides[i] == 3u ? both : keys[pairs->sides[i] >> 1];
        if (to && i < written) to[i] = tpi_flush(shown);
        if (shown > 0.0f) blend_add_keys(timeline, pairs, i, shown);
    }
    tpi_timeline_activity_of(timeline)->points += pairs->count;
}

/* Called when a player has shown its frame. With only one clip, its counts become the
   timeline's. */
static void blend_take_activity(tp_timeline *timeline, const tp_player *player, uint32_t side)
{
    tpi_play_activity *own = tpi_timeline_activity_of(timeline);
    const tpi_play_activity *from = tpi_play_activity_of(player);
    bool was_known = !side || own->is_known;
    if (timeline->moment.count < 2u) {
        tpi_memcpy(own, from, tpi_activity_bytes(&timeline->def.activity));
        own->scale = blend_speed(timeline, 0);
    } else if (!side) {
        tpi_activity_begin(&timeline->def.activity, own);
    }
    own->is_known = was_known && from->is_known;
    own->state = TPI_ACTIVITY_UNDER_WAY;
}

static void blend_both(blend_call *call)
{
    tp_timeline *timeline = call->timeline;
    tp_frame_view *view = call->view;
    tpi_play_pairs pairs;
    blend_match(timeline, &pairs);
    uint32_t count = tpi_min_u32(pairs.count, view->capacity - view->count),
             streams = timeline->def.stream_count;
    for (uint32_t s = 0; s < streams; s++)
        if (view->values[s])
            blend_stream(timeline, s, &pairs, count, (uint32_t *)view->values[s] + view->count,
                         view->capacity);
    if (timeline->def.has_weights && view->values[streams])
        blend_weights(timeline, &pairs, count, (float *)view->values[streams] + view->count);
    if (tpi_has_activity(&timeline->def.activity)) {
        float *keys = (float *)view->values[streams + timeline->def.has_weights];
        blend_keys(timeline, &pairs, count, keys ? keys + view->count : NULL);
    }
    view->count += count;
    view->dropped += pairs.count - count;
}

/* ---- one clip: the player has written to the view ---- */

static void blend_scale(const blend_call *call, uint32_t stream, uint32_t first, uint32_t count)
{
    const tp_timeline *timeline = call->timeline;
    float speed = timeline->moment.speed[0], *values = (float *)call->view->values[stream];
    if (!(timeline->def.rate_streams >> stream & 1u) || speed == 1.0f || !values) return;
    for (uint32_t c = 0; c < timeline->def.streams[stream].components; c++)
        for (uint32_t i = first; i < first + count; i++)
            values[(size_t)c * call->view->capacity + i] =
                tpi_flush(values[(size_t)c * call->view->capacity + i] * speed);
}

static void blend_one(blend_call *call)
{
    tp_timeline *timeline = call->timeline;
    uint32_t first = timeline->at[0], streams = timeline->def.stream_count;
    uint32_t count = tpi_min_u32(call->view->count - first, TPI_PLAY_CHUNK);
    for (uint32_t s = 0; s < streams; s++) blend_scale(call, s, first, count);
    float *weights = timeline->def.has_weights ? (float *)call->view->values[streams] : NULL;
    for (uint32_t i = first; weights && i < first + count; i++) weights[i] = 1.0f;
    float *keys = tpi_has_activity(&timeline->def.activity)
                      ? (float *)call->view->values[streams + timeline->def.has_weights]
                      : NULL;
    for (uint32_t i = first; keys && i < first + count; i++)
        keys[i] = tpi_flush(keys[i] * blend_speed(timeline, 0));
    timeline->at[0] += count;
}

/* ---- the request ---- */

static bool blend_is_over(const blend_call *call)
{
    const tp_timeline *timeline = call->timeline;
    if (timeline->moment.count < 2u) return timeline->at[0] >= call->view->count;
    return timeline->at[0] >= timeline->view[0].count && timeline->at[1] >= timeline->view[1].count;
}

static TPI_APART tp_result blend_all(blend_call *call)
{
    tp_timeline *timeline = call->timeline;
    tp_budget rest;
    while (!blend_is_over(call)) {
        uint32_t before = timeline->at[0] + timeline->at[1],
                 streams = timeline->def.stream_count + tpi_has_activity(&timeline->def.activity),
                 step = 2u * TPI_PLAY_CHUNK * streams;
        bool ends_slice = !call->slice || call->slice + step > timeline->def.slice_units;
        if (ends_slice) call->slice = 0;
        if ((ends_slice || !call->has_clock) && !blend_rest(call, &rest)) return TP_MORE;
        if (timeline->moment.count < 2u)
            blend_one(call);
        else
            blend_both(call);
        uint32_t units = (timeline->at[0] + timeline->at[1] - before) * streams;
        call->units += units;
        call->slice += units;
    }
    return TP_OK;
}

/* True if the player has the streams and the activity of the timeline. */
static bool blend_fits(const tp_timeline *timeline, const tp_player_def *player)
{
    const tp_timeline_def *own = &timeline->def;
    bool fits = player->stream_count == own->stream_count;
    if (tpi_has_activity(&own->activity) &&
        !tpi_activity_is_same(&own->activity, &player->activity))
        return false;
    for (uint32_t s = 0; fits && s < own->stream_count; s++) {
        const tp_stream *a = &player->streams[s], *b = &own->streams[s];
        bool is_identity = a->interpolation == TP_INTERPOLATE_IDENTITY;
        fits = a->type == b->type && a->components == b->components &&
               is_identity == (s == timeline->identity) &&
               (is_identity || tpi_play_is_name(a->name, b->name));
    }
    return fits;
}

/* Requests the frame of one clip; if it is the only clip, directly into the view. */
static TPI_APART tp_result blend_player(blend_call *call, tp_player *const *players,
                                        const tp_clip_storage *storages, uint32_t count,
                                        uint32_t side)
{
    tp_timeline *timeline = call->timeline;
    uint32_t number = tpi_timeline_strip(timeline, timeline->moment.strip[side])->player;
    tp_budget rest;
    if (number >= count) return TP_ERROR_HANDLE;
    const tp_player_def *shown = tp_player_definition(players[number]);
    if (!shown) return players[number] ? TP_ERROR_BLOCK : TP_ERROR_NULL;
    if (!blend_fits(timeline, shown)) return TP_ERROR_SOURCE;
    if (!blend_rest(call, &rest)) return TP_MORE;
    bool is_only = timeline->moment.count < 2u;
    tp_frame_view *own = &timeline->view[side];
    tp_frame_view to = is_only ? *call->view : *own;
    to.job = own->job; /* the job number in the caller's view is the timeline's */
    to.frame = own->frame, to.frame_next = own->frame_next;
    uint32_t streams = timeline->def.stream_count;
    bool counts = tpi_has_activity(&timeline->def.activity);
    if (!is_only) {
        to.capacity = timeline->def.points_max;
        if (counts) to.values[streams] = tpi_timeline_keys(timeline, side);
        for (uint32_t s = 0; s < timeline->def.stream_count; s++)
            to.values[s] = tpi_timeline_words(timeline, side, s);
    } else if (streams < TP_STREAMS_MAX) {
        to.values[streams] = counts ? to.values[streams + timeline->def.has_weights] : NULL;
    }
    tp_result result =
        tp_player_request(players[number], &storages[number], timeline->moment.clip_time[side],
                          call->budget ? &rest : NULL, &to);
    call->units += tp_player_report(players[number]).units;
    if (counts && result == TP_OK) blend_take_activity(timeline, players[number], side);
    *own = to;
    tpi_memset(own->values, 0, sizeof own->values);
    if (is_only) call->view->count = to.count, call->view->dropped = to.dropped;
    return result == TP_OK && !is_only && to.dropped ? TP_ERROR_FULL : result;
}

static tp_result blend_begin(blend_call *call, int64_t time)
{
    tp_timeline *timeline = call->timeline;
    tp_result result = tp_timeline_look(timeline, time, &timeline->moment);
    if (result != TP_OK) return result;
    if (!timeline->moment.count) return TP_ERROR_FRAME;
    timeline->active = true;
    timeline->time = time;
    timeline->phase = TPI_TIMELINE_FIRST;
    timeline->job_next = timeline->job_next + 1u ? timeline->job_next + 1u : 1u;
    timeline->job = call->view->job = timeline->job_next;
    tpi_memset(timeline->view, 0, sizeof timeline->view);
    timeline->at[0] = timeline->at[1] = 0;
    call->view->count = call->view->dropped = 0;
    return TP_OK;
}

static tp_result blend_run(blend_call *call, tp_player *const *players,
                           const tp_clip_storage *storages, uint32_t count, int64_t time)
{
    tp_timeline *timeline = call->timeline;
    tp_result result = TP_OK;
    bool goes_on = timeline->active && timeline->time == time && timeline->job == call->view->job;
    if (!goes_on) result = blend_begin(call, time);
    if (result == TP_OK && timeline->phase == TPI_TIMELINE_FIRST) {
        result = blend_player(call, players, storages, count, 0);
        if (result == TP_OK)
            timeline->phase =
                timeline->moment.count < 2u ? TPI_TIMELINE_BLEND : TPI_TIMELINE_SECOND;
    }
    if (result == TP_OK && timeline->phase == TPI_TIMELINE_SECOND) {
        result = blend_player(call, players, storages, count, 1);
        if (result == TP_OK) timeline->phase = TPI_TIMELINE_BLEND;
        if (result == TP_OK) call->view->count = call->view->dropped = 0;
    }
    return result == TP_OK ? blend_all(call) : result;
}

static void blend_finish(tp_timeline *timeline, tp_result result, tp_frame_view *view)
{
    if (tpi_has_activity(&timeline->def.activity))
        tpi_timeline_activity_of(timeline)->state = result == TP_MORE ? TPI_ACTIVITY_UNDER_WAY
                                                    : result == TP_OK ? TPI_ACTIVITY_WHOLE
                                                                      : TPI_ACTIVITY_NONE;
    view->status = TP_CACHE_PARTIAL;
    if (result == TP_MORE) return;
    timeline->active = false;
    view->status = TP_CACHE_MISSING;
    view->job = 0;
    if (result != TP_OK) {
        view->count = view->dropped = 0;
        return;
    }
    view->status = timeline->moment.count < 2u ? timeline->view[0].status : TP_CACHE_INTERPOLATED;
    if (timeline->moment.is_outside) view->status = TP_CACHE_OUTSIDE;
    view->frame = timeline->view[0].frame;
    view->frame_next = timeline->view[timeline->moment.count < 2u ? 0 : 1].frame_next;
}

tp_result tp_timeline_request(tp_timeline *timeline, tp_player *const *players,
                              const tp_clip_storage *storages, uint32_t count, int64_t time,
                              const tp_budget *budget, tp_frame_view *view)
{
    if (!view) return TP_ERROR_NULL;
    view->status = TP_CACHE_MISSING;
    view->simulated = 0;
    tp_result result = tpi_timeline_check_block(timeline);
    if (result != TP_OK) return result;
    if (!players || !storages) return TP_ERROR_NULL;
    result = tpi_check_budget(budget);
    if (result != TP_OK) return result;
    blend_call call = {.timeline = timeline, .budget = budget, .view = view};
    call.has_clock = budget && budget->microseconds && budget->clock_us;
    call.started = blend_now(&call);
    result = blend_run(&call, players, storages, count, time);
    blend_finish(timeline, result, view);
    return result;
}

tp_result tp_timeline_activity(const tp_timeline *timeline, tp_activity *activity, float *regions)
{
    tp_result result = tpi_timeline_check_block(timeline);
    if (result != TP_OK) return result;
    if (!activity) return TP_ERROR_NULL;
    tpi_memset(activity, 0, sizeof *activity);
    if (!tpi_has_activity(&timeline->def.activity)) return TP_ERROR_DEFINITION;
    return tpi_activity_report(&timeline->def.activity, tpi_timeline_activity_of(timeline),
                               activity, regions);
}
