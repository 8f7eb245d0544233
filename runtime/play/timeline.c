/* SPDX-License-Identifier: MIT
   runtime/play/timeline.c - a timeline of strips: definition, layout, the strips of a time.
   reads   tp_timeline_def, tp_strip      writes  the block
   memory  see timeline.h      cost  O(strips) per look-up
   after   own design: piecewise linear maps of time in integer ticks */
#include "timeline.h"

static bool timeline_is(const char *name, const char *expected)
{
    for (uint32_t i = 0; i < TP_NAME_BYTES; i++) {
        if (name[i] != expected[i]) return false;
        if (!name[i]) return true;
    }
    return true;
}

tp_timeline_def tp_timeline_default(const tp_player_def *player, const tp_clip_info *info)
{
    tp_timeline_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_TIMELINE;
    def.strips_max = 16;
    def.slice_units = 16384;
    if (!player || !info) return def;
    def.points_max = player->points_max;
    def.seconds_per_frame = info->seconds_per_frame;
    def.stream_count = player->stream_count;
    def.activity = player->activity;
    for (uint32_t s = 0; s < player->stream_count && s < TP_STREAMS_MAX; s++) {
        const tp_stream *stream = &player->streams[s];
        def.streams[s] = *stream;
        if (stream->interpolation == TP_INTERPOLATE_RATE || timeline_is(stream->name, "velocity") ||
            timeline_is(stream->name, "avelocity"))
            def.rate_streams |= 1u << s;
    }
    return def;
}

const char *tp_timeline_check(const tp_timeline_def *definition)
{
    const tp_timeline_def *def = definition;
    uint32_t identities = 0, counts;
    if (!def) return TPI_TEXT("definition: pass one, made by tp_timeline_default");
    counts = tpi_has_activity(&def->activity);
    if (def->stamp != TPI_STAMP_TIMELINE)
        return TPI_TEXT("stamp: make the definition with tp_timeline_default first");
    if (!tpi_is_good_bool(&def->has_weights)) return TPI_TEXT("has_weights: false or true");
    if (def->strips_max < 1 || def->strips_max > 1024) return TPI_TEXT("strips_max: 1..1024");
    if (def->points_max < 1 || def->points_max > 16777215u)
        return TPI_TEXT("points_max: 1..16777215");
    if (!(def->seconds_per_frame > 0.0f) || !tpi_is_finite(def->seconds_per_frame))
        return TPI_TEXT("seconds_per_frame: above 0");
    if (def->stream_count < 1 || def->stream_count + def->has_weights + counts > TP_STREAMS_MAX)
        return TPI_TEXT(
            "stream_count: 1..12; the maximum is one less each with weights and with activity");
    if (def->slice_units < 128u * (1u + def->stream_count + counts) || def->slice_units > 65536)
        return TPI_TEXT("slice_units: at least 128 * (1 + stream_count), 128 more with activity; "
                        "at most 65536");
    for (uint32_t s = 0; s < def->stream_count; s++) {
        const tp_stream *stream = &def->streams[s];
        bool is_rate = stream->interpolation == TP_INTERPOLATE_RATE;
        identities += stream->interpolation == TP_INTERPOLATE_IDENTITY && stream->components == 1;
        if (stream->components < 1 || stream->components > 4)
            return TPI_TEXT("streams[].components: 1..4");
        if (stream->interpolation == TP_INTERPOLATE_SLERP && stream->components != 4)
            return TPI_TEXT("streams[].interpolation: SLERP needs 4 components");
        if (is_rate && (stream->partner >= def->stream_count ||
                        def->streams[stream->partner].components != stream->components))
            return TPI_TEXT("streams[].partner: a stream with as many components");
    }
    if (identities != 1) return TPI_TEXT("streams: exactly one IDENTITY stream of 1 component");
    return tpi_activity_check(&def->activity, def->streams, def->stream_count);
}

/* ---- layout ---- */

static void timeline_layout(tp_timeline *timeline, tpi_layout *layout)
{
    const tp_timeline_def *def = &timeline->def;
    timeline->words = 0;
    for (uint32_t s = 0; s < def->stream_count; s++) {
        timeline->first_word[s] = timeline->words;
        timeline->words += def->streams[s].components;
        if (def->streams[s].interpolation == TP_INTERPOLATE_IDENTITY) timeline->identity = s;
    }
    (void)tpi_layout_take(layout, "timeline", 1, sizeof *timeline);
    timeline->words += tpi_has_activity(&def->activity);
    timeline->strips = tpi_layout_take(layout, "strips", def->strips_max, sizeof(tp_strip));
    for (uint32_t side = 0; side < 2; side++)
        timeline->frames[side] =
            tpi_layout_take(layout, "frame", (uint64_t)timeline->words * def->points_max, 4);
    if (tpi_has_activity(&def->activity))
        timeline->activity =
            tpi_layout_take(layout, "activity", 1, tpi_activity_bytes(&def->activity));
    timeline->bytes = layout->bytes;
}

static tp_result timeline_measure(const tp_timeline_def *def, tp_timeline *timeline)
{
    tpi_layout layout = {0};
    if (!def) return TP_ERROR_NULL;
    if (def->stamp != TPI_STAMP_TIMELINE) return TP_ERROR_STAMP;
    if (tp_timeline_check(def)) return TP_ERROR_DEFINITION;
    tpi_memset(timeline, 0, sizeof *timeline);
    timeline->def = *def;
    timeline_layout(timeline, &layout);
    return layout.bytes > TPI_LAYOUT_MAX ? TP_ERROR_DEFINITION : TP_OK;
}

tp_result tp_timeline_memory(const tp_timeline_def *definition, size_t *bytes)
{
    tp_timeline timeline;
    if (!bytes) return TP_ERROR_NULL;
    *bytes = 0;
    tp_result result = timeline_measure(definition, &timeline);
    if (result == TP_OK) *bytes = (size_t)timeline.bytes;
    return result;
}

tp_result tp_timeline_create(const tp_timeline_def *definition, void *block, size_t bytes,
                             tp_timeline **timeline)
{
    tp_timeline made;
    if (!block || !timeline) return TP_ERROR_NULL;
    *timeline = NULL;
    tp_result result = timeline_measure(definition, &made);
    if (result != TP_OK) return result;
    if (bytes < made.bytes) return TP_ERROR_MEMORY;
    if ((uintptr_t)block & 15u) return TP_ERROR_ALIGNMENT;
    result = tpi_check_floats();
    if (result != TP_OK) return result;
    tpi_memset(block, 0, (size_t)made.bytes);
    made.cookie = TPI_COOKIE_TIMELINE;
    made.layout_stamp = (uint32_t)sizeof made;
    *timeline = (tp_timeline *)block;
    **timeline = made;
    return TP_OK;
}

tp_result tpi_timeline_check_block(const tp_timeline *timeline)
{
    if (!timeline) return TP_ERROR_NULL;
    bool is_one =
        timeline->cookie == TPI_COOKIE_TIMELINE && timeline->layout_stamp == sizeof *timeline;
    return is_one ? TP_OK : TP_ERROR_BLOCK;
}

tp_timeline *tp_timeline_at(void *block, size_t bytes)
{
    tp_timeline *timeline = (tp_timeline *)block;
    if (!block || ((uintptr_t)block & 15u) || bytes < sizeof *timeline) return NULL;
    return tpi_timeline_check_block(timeline) == TP_OK && timeline->bytes <= bytes ? timeline
                                                                                   : NULL;
}

/* ---- strips ---- */

#define TIMELINE_TICKS_MAX ((int64_t)1 << 60)

static bool timeline_is_span(int64_t from, int64_t to)
{
    return from < to && from > -TIMELINE_TICKS_MAX && to < TIMELINE_TICKS_MAX;
}

/* Copies field by field, without the caller's padding, so that equal timelines have equal
   blocks. */
static void timeline_store(tp_strip *to, const tp_strip *strip)
{
    tpi_memset(to, 0, sizeof *to);
    to->player = strip->player;
    to->start = strip->start;
    to->end = strip->end;
    to->clip_start = strip->clip_start;
    to->clip_end = strip->clip_end;
    to->speed_numerator = strip->speed_numerator;
    to->speed_denominator = strip->speed_denominator;
    to->fade = strip->fade;
    to->repeats = strip->repeats;
}

tp_result tp_timeline_add(tp_timeline *timeline, const tp_strip *strip)
{
    tp_result result = tpi_timeline_check_block(timeline);
    if (result != TP_OK) return result;
    if (!strip) return TP_ERROR_NULL;
    bool is_good = timeline_is_span(strip->start, strip->end) &&
                   timeline_is_span(strip->clip_start, strip->clip_end) &&
                   strip->speed_numerator >= -65535 && strip->speed_numerator <= 65535 &&
                   strip->speed_denominator >= 1 && strip->speed_denominator <= 65535 &&
                   strip->fade >= 0 && strip->fade <= strip->end - strip->start &&
                   tpi_is_good_bool(&strip->repeats);
    if (!is_good) return TP_ERROR_DEFINITION;
    if (timeline->strip_count >= timeline->def.strips_max) return TP_ERROR_FULL;
    uint32_t index = timeline->strip_count++;
    for (; index > 0 && tpi_timeline_strip(timeline, index - 1u)->start > strip->start; index--)
        *tpi_timeline_strip(timeline, index) = *tpi_timeline_strip(timeline, index - 1u);
    timeline_store(tpi_timeline_strip(timeline, index), strip);
    timeline->active = false;
    return TP_OK;
}

tp_result tp_timeline_clear(tp_timeline *timeline)
{
    tp_result result = tpi_timeline_check_block(timeline);
    if (result != TP_OK) return result;
    timeline->strip_count = 0;
    timeline->active = false;
    if (tpi_has_activity(&timeline->def.activity))
        tpi_timeline_activity_of(timeline)->state = TPI_ACTIVITY_NONE;
    return TP_OK;
}

/* ---- look-up ---- */

/* floor(ticks * numerator / denominator) without overflow, clamped to the range of a clip's
   ticks. */
static int64_t timeline_scale(int64_t ticks, int64_t numerator, int64_t denominator)
{
    int64_t whole = ticks / denominator, rest = ticks % denominator; /* ticks >= 0 */
    int64_t limit = 2 * TIMELINE_TICKS_MAX, part = rest * numerator;
    part = part / denominator - (part % denominator < 0);
    if (numerator > 0 && whole > limit / numerator) return limit;
    if (numerator < 0 && whole > limit / -numerator) return -limit;
    return whole * numerator + part;
}

/* Maps a time within a strip to the time and the speed of its clip. */
static void timeline_map(const tp_strip *strip, int64_t time, int64_t *clip_time, float *speed)
{
    int64_t played =
        timeline_scale(time - strip->start, strip->speed_numerator, strip->speed_denominator);
    int64_t length = strip->clip_end - strip->clip_start, distance = played < 0 ? -played : played;
    *speed = (float)strip->speed_numerator / (float)strip->speed_denominator;
    if (strip->repeats) distance %= length;
    if (distance > length) {
        distance = length;
        *speed = 0.0f;
    }
    *clip_time =
        strip->speed_numerator < 0 ? strip->clip_end - distance : strip->clip_start + distance;
}

static void timeline_show(const tp_timeline *timeline, uint32_t strip, int64_t time,
                          tp_timeline_moment *moment)
{
    uint32_t side = moment->count++;
    moment->strip[side] = strip;
    timeline_map(tpi_timeline_strip(timeline, strip), time, &moment->clip_time[side],
                 &moment->speed[side]);
}

/* No strip covers the time: holds the last moment of the strip that ended last; before the first
   strip holds its first moment. */
static void timeline_hold(const tp_timeline *timeline, int64_t time, tp_timeline_moment *moment)
{
    uint32_t held = 0;
    bool has_ended = false;
    int64_t at = tpi_timeline_strip(timeline, 0)->start;
    for (uint32_t i = 0; i < timeline->strip_count; i++) {
        const tp_strip *strip = tpi_timeline_strip(timeline, i);
        if (strip->end > time || (has_ended && strip->end <= at)) continue;
        has_ended = true;
        held = i;
        at = strip->end;
    }
    const tp_strip *strip = tpi_timeline_strip(timeline, held);
    /* the last tick of the repetition, not the first one of the next */
    if (at == strip->end && strip->repeats && strip->speed_numerator) at--;
    timeline_show(timeline, held, at, moment);
    moment->speed[0] = 0.0f;
    moment->is_outside = true;
}

tp_result tp_timeline_look(const tp_timeline *timeline, int64_t time, tp_timeline_moment *moment)
{
    tp_result result = tpi_timeline_check_block(timeline);
    if (result != TP_OK) return result;
    if (!moment) return TP_ERROR_NULL;
    tpi_memset(moment, 0, sizeof *moment);
    uint32_t found = 0, strips[2] = {0, 0};
    for (uint32_t i = timeline->strip_count; i-- > 0 && found < 2u;) {
        const tp_strip *strip = tpi_timeline_strip(timeline, i);
        if (strip->start <= time && time < strip->end) strips[found++] = i;
    }
    if (!found) {
        if (timeline->strip_count) timeline_hold(timeline, time, moment);
        return TP_OK;
    }
    const tp_strip *top = tpi_timeline_strip(timeline, strips[0]);
    bool fades = found == 2u && time - top->start < top->fade;
    if (fades) timeline_show(timeline, strips[1], time, moment);
    if (fades && time == top->start) return TP_OK; /* a weight of 0 */
    timeline_show(timeline, strips[0], time, moment);
    if (!fades) return TP_OK;
    moment->weight = tpi_share_of((uint64_t)(time - top->start), (uint64_t)top->fade);
    moment->weight_rate = tpi_share_of(TP_TICKS_PER_FRAME, (uint64_t)top->fade);
    return TP_OK;
}
