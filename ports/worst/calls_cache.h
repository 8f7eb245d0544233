/* SPDX-License-Identifier: MIT
   ports/worst/calls_cache.h - the calls of a cache: few frames of many particles, and many frames
           of few particles.
   reads   nothing      writes  calls_cache_block, calls_spare
   memory  the state of CALLS_MOST particles      cost    some hundred million instructions per room
   after   own design; part of calls.c. The source is as cheap as possible, so that the counts are
           those of the cache */
#ifndef TIDEPOOL_WORST_CALLS_CACHE_H
#define TIDEPOOL_WORST_CALLS_CACHE_H

/* How a cache stores its frames: one by one; in groups, lossless; in groups, with an error
   bound. */
typedef enum calls_packing {
    CALLS_ALONE,
    CALLS_EXACT,
    CALLS_BOUNDED,
    CALLS_PACKINGS
} calls_packing;

typedef struct calls_cloud {
    calls_room *room;
    tp_cache *cache;
    uint64_t frame;
    uint32_t count, frames; /* number of particles; number of recorded frames */
    calls_packing packing;
    uint32_t slice; /* slice_units of the cache */
    tp_frame_view view;
} calls_cloud;

/* ---- a source: particles on parabolas, computed from the frame number alone ---- */

static bool calls_source_frame(void *context, uint64_t *frame)
{
    *frame = ((calls_cloud *)context)->frame;
    return true;
}

static uint32_t calls_source_count(void *context) { return ((calls_cloud *)context)->count; }

static float calls_source_number(const calls_cloud *cloud, uint32_t stream, uint32_t place,
                                 uint32_t component)
{
    float time = (float)cloud->frame * 0.04f, speed = calls_wave(place + component, 97);
    return stream == 1 ? (float)(place % 7u) + time * (speed - time) : speed - 2.0f * time;
}

static void calls_source_read(void *context, uint32_t stream, const uint32_t *places,
                              uint32_t count, void *values)
{
    const calls_cloud *cloud = context;
    for (uint32_t i = 0; i < count; i++) {
        if (stream == 1 || stream == 2)
            for (uint32_t c = 0; c < 3; c++)
                ((float *)values)[c * TP_TILE + i] =
                    calls_source_number(cloud, stream, places[i], c);
        else
            ((uint32_t *)values)[i] =
                stream == 0 ? cloud->count - 1u - places[i] : (uint32_t)cloud->frame & 1u;
    }
}

static uint32_t calls_source_extra_read(void *context, uint32_t extra, void *data)
{
    const calls_cloud *cloud = context;
    (void)extra;
    for (uint32_t i = 0; data && i < 4u * cloud->count; i++)
        ((uint32_t *)data)[i] = i * (uint32_t)cloud->frame;
    return 16u * cloud->count;
}

static tp_result calls_source_restore(void *context, uint64_t frame, uint32_t count)
{
    (void)count;
    ((calls_cloud *)context)->frame = frame;
    return TP_OK;
}

static void calls_source_write(void *context, uint32_t stream, uint32_t first, uint32_t count,
                               const void *values)
{
    (void)context, (void)stream, (void)first, (void)count, (void)values;
}

static tp_result calls_source_extra_write(void *context, uint32_t extra, const void *data,
                                          uint32_t bytes)
{
    (void)context, (void)extra, (void)data, (void)bytes;
    return TP_OK;
}

static tp_result calls_source_restored(void *context)
{
    (void)context;
    return TP_OK;
}

static tp_result calls_source_advance(void *context, const tp_budget *budget, uint64_t *units)
{
    (void)budget;
    ((calls_cloud *)context)->frame++;
    (*units)++;
    return TP_OK;
}

static tp_result calls_source_restart(void *context)
{
    ((calls_cloud *)context)->frame = 0;
    return TP_OK;
}

static tp_result calls_source_input(void *context, const void *data, uint32_t bytes)
{
    (void)context, (void)data, (void)bytes;
    return TP_OK;
}

static tp_stream calls_stream(char name, tp_stream_type type, uint32_t components,
                              tp_interpolation how, uint32_t partner)
{
    tp_stream stream = {{name, 0}, type, components, 0.0f, how, partner};
    return stream;
}

static tp_source calls_source(calls_cloud *cloud)
{
    tp_source source = {.particles_max = cloud->count, .context = cloud};
    bool is_bounded = cloud->packing == CALLS_BOUNDED;
    source.schema.streams[0] = calls_stream('i', TP_STREAM_U32, 1, TP_INTERPOLATE_IDENTITY, 0);
    source.schema.streams[1] = calls_stream('x', TP_STREAM_F32, 3, TP_INTERPOLATE_HERMITE, 2);
    source.schema.streams[2] = calls_stream('v', TP_STREAM_F32, 3, TP_INTERPOLATE_RATE, 1);
    source.schema.streams[3] = calls_stream('m', TP_STREAM_U32, 1, TP_INTERPOLATE_HOLD, 0);
    source.schema.streams[1].error_bound = source.schema.streams[2].error_bound =
        is_bounded ? 1e-3f : 0.0f;
    source.schema.stream_count = 4;
    source.schema.extra_count = 1;
    source.schema.extras[0] = (tp_extra){{'e', 0}, 16u * cloud->count};
    source.schema.linear_stream = 3;
    source.schema.linear_mask = 1;
    source.schema.birth_stream = TP_STREAM_NONE;
    source.schema.frames_per_second_numerator = 25;
    source.schema.frames_per_second_denominator = 1;
    source.frame = calls_source_frame;
    source.count = calls_source_count;
    source.read = calls_source_read;
    source.extra_read = calls_source_extra_read;
    source.restore_begin = calls_source_restore;
    source.write = calls_source_write;
    source.extra_write = calls_source_extra_write;
    source.restore_end = calls_source_restored;
    source.advance = calls_source_advance;
    source.restart = calls_source_restart;
    source.input = calls_source_input;
    return source;
}

/* ---- a cache ---- */

static tp_cache_def calls_cache_def(const calls_cloud *cloud, const tp_source *source)
{
    tp_cache_def def = tp_cache_default(source);
    uint32_t group = cloud->packing == CALLS_ALONE ? 1u : 16u, least = 3u * group;
    def.group_frames = group;
    def.frames_max = cloud->frames > least ? cloud->frames : least;
    def.ring_bytes = def.frames_max * (1024u + cloud->count * 64u);
    def.input_bytes = 64u * cloud->frames;
    def.end_frame = cloud->frames - 1u;
    /* the smallest allowed, for these streams; an extra block of the source would need bytes /
       16 */
    def.slice_units = 64u * group * source->schema.stream_count;
    if (def.slice_units <= cloud->count) def.slice_units = cloud->count + 1u;
    return def;
}

static void calls_cache_create(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    tp_cache_def def, wrong;
    WORST_MEASURE(tp_cache_default, WORST_SLICE_LEAST, def = tp_cache_default(source));
    def = calls_cache_def(cloud, source);
    cloud->slice = def.slice_units;
    wrong = def;
    wrong.schema.birth_stream = 77;
    CALLS_CHECK(room, tp_cache_check, &def);
    CALLS_ASK(room, tp_cache_check, const char *, answer, &wrong);
    CALLS_CREATE(room, cache, &def, calls_cache_block, cloud->cache);
}

/* Arrays of the view: at most CALLS_MOST particles with 3 numbers per stream. */
static void calls_cache_view(calls_cloud *cloud)
{
    static uint32_t values[4][3u * CALLS_MOST];
    cloud->view = (tp_frame_view){.capacity = CALLS_MOST};
    for (uint32_t s = 0; s < 4; s++) cloud->view.values[s] = values[s];
}

/* Alternates between a small budget and one slice. */
static tp_budget calls_cache_budget(const calls_cloud *cloud, uint64_t frame)
{
    tp_budget budget = {.units = frame & 1u ? 64u : cloud->slice};
    return budget;
}

static void calls_cache_record(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    uint32_t input[8] = {0};
    cloud->frame = 0;
    for (uint32_t i = 0; i < cloud->frames && !room->line; i++, cloud->frame++) {
        tp_budget budget = calls_cache_budget(cloud, i);
        CALLS_CONTINUE(room, tp_cache_record, budget.units, cloud->slice, cloud->cache, source,
                       &budget);
        CALLS_MAKE(room, tp_cache_input, cloud->cache, source, input, sizeof input);
    }
    cloud->frame = cloud->frames - 1u;
}

/* Packs all frames, exports the last packet, clears its frames and imports it again. */
static void calls_cache_packets(calls_cloud *cloud)
{
    calls_room *room = cloud->room;
    tp_budget budget = {.units = 64};
    tp_cache_counters counters;
    uint32_t bytes = 0, frames = 0;
    CALLS_CONTINUE(room, tp_cache_flush, budget.units, cloud->slice, cloud->cache, &budget);
    counters = tp_cache_report(cloud->cache);
    if (counters.frames == 0) return;
    CALLS_MAKE(room, tp_cache_packet, cloud->cache, counters.frames - 1u, calls_spare,
               sizeof calls_spare, &bytes, &frames);
    CALLS_MAKE(room, tp_cache_clear_after, cloud->cache, counters.frame_last - frames);
    CALLS_MAKE(room, tp_cache_take_packet, cloud->cache, calls_spare, bytes);
}

/* Imports a packet of much later frames while an incomplete group is staged, so that group is
   packed first. */
static void calls_cache_interrupt(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    uint32_t bytes = 0, frames = 0, index = cloud->frames - 1u;
    if (cloud->packing == CALLS_ALONE) return;
    calls_cache_record(cloud, source);
    CALLS_EXPECT(room, tp_cache_flush(cloud->cache, NULL) == TP_OK, TP_ERROR_FULL);
    CALLS_MAKE(room, tp_cache_packet, cloud->cache, index, calls_spare, sizeof calls_spare, &bytes,
               &frames);
    CALLS_MAKE(room, tp_cache_clear, cloud->cache);
    for (cloud->frame = 0; cloud->frame < 15u; cloud->frame++)
        CALLS_EXPECT(room, tp_cache_record(cloud->cache, source, NULL) == TP_OK, TP_ERROR_FULL);
    CALLS_MAKE(room, tp_cache_take_packet, cloud->cache, calls_spare, bytes);
    calls_cache_record(cloud, source);
}

static void calls_cache_show(calls_cloud *cloud, const tp_source *source, uint64_t time)
{
    calls_room *room = cloud->room;
    for (uint32_t times = 0; times < 2u; times++) {
        tp_budget budget = calls_cache_budget(cloud, times);
        CALLS_CONTINUE(room, tp_cache_request, budget.units, cloud->slice, cloud->cache, source,
                       time, &budget, &cloud->view);
    }
}

/* Requests a cached frame, a time between frames, a time outside; then rewinds, resumes, and
   requests a simulated frame. */
static void calls_cache_requests(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    uint64_t last = tp_cache_report(cloud->cache).frame_last, before = last - last / 3u;
    tp_budget budget = {.units = 64};
    calls_cache_show(cloud, NULL, TP_TIME(last));
    calls_cache_show(cloud, NULL, TP_TIME(before) - TP_TICKS_PER_FRAME / 3u);
    calls_cache_show(cloud, NULL, TP_TIME(last + 5u));
    if (cloud->packing == CALLS_BOUNDED) return;
    CALLS_CONTINUE(room, tp_cache_rewind, 64u, cloud->slice, cloud->cache, source, before, false,
                   &budget);
    CALLS_CONTINUE(room, tp_cache_resume, 64u, cloud->slice, cloud->cache, source, before, true,
                   &budget);
    calls_cache_show(cloud, source, TP_TIME(before + 2u));
}

static void calls_cache_look(calls_cloud *cloud)
{
    calls_room *room = cloud->room;
    tp_cache_frame frame;
    uint64_t last = tp_cache_report(cloud->cache).frame_last;
    CALLS_ASK(room, tp_cache_report, tp_cache_counters, answer.frames, cloud->cache);
    CALLS_MAKE(room, tp_cache_frame_at, cloud->cache, 0, &frame);
    CALLS_ASK(room, tp_cache_has, bool, answer, cloud->cache, last);
    CALLS_ASK(room, tp_cache_has, bool, !answer, cloud->cache, last + 1u);
    CALLS_MAKE(room, tp_cache_detach, cloud->cache);
}

/* Edits one particle and the rates of three frames; a cache with groups must refuse. */
static void calls_cache_edit(calls_cloud *cloud)
{
    calls_room *room = cloud->room;
    tp_cache_edit edit = {.identity = cloud->count - 1u, .stream = 1, .fits_rates = true};
    edit.frame = tp_cache_report(cloud->cache).frame_last / 2u;
    tp_result expected = cloud->packing == CALLS_ALONE ? TP_OK : TP_ERROR_DEFINITION;
    CALLS_END(room, tp_cache_edit_particle, expected, cloud->cache, &edit);
}

static void calls_cache_bake(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    tp_budget budget = {.units = 64};
    CALLS_CONTINUE(room, tp_cache_bake, 64u, cloud->slice, cloud->cache, source, &budget);
    calls_cache_edit(cloud);
    CALLS_MAKE(room, tp_cache_unprotect, cloud->cache);
    CALLS_MAKE(room, tp_cache_protect, cloud->cache, false);
    CALLS_MAKE(room, tp_cache_unprotect, cloud->cache);
}

/* Clears frames one by one until only the first and the last remain; then clears the oldest, which
   must skip all gaps. */
static void calls_cache_clear_singly(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    calls_cache_record(cloud, source);
    for (uint64_t frame = 1; frame + 1u < cloud->frames; frame++)
        CALLS_MAKE(room, tp_cache_clear_frame, cloud->cache, frame);
    calls_cache_show(cloud, NULL, TP_TIME(cloud->frames / 2u));
    CALLS_MAKE(room, tp_cache_clear_frame, cloud->cache, 0);
}

/* Clears a third at each end, then nearly all frames; records again in between. */
static void calls_cache_clear(calls_cloud *cloud, const tp_source *source)
{
    calls_room *room = cloud->room;
    uint64_t last = cloud->frames - 1u;
    CALLS_MAKE(room, tp_cache_clear_frame, cloud->cache, last / 2u);
    CALLS_MAKE(room, tp_cache_clear_before, cloud->cache, last / 3u);
    CALLS_MAKE(room, tp_cache_clear_after, cloud->cache, last - last / 3u);
    calls_cache_record(cloud, source);
    CALLS_MAKE(room, tp_cache_clear_before, cloud->cache, last);
    calls_cache_record(cloud, source);
    CALLS_MAKE(room, tp_cache_clear_after, cloud->cache, 1);
    calls_cache_record(cloud, source);
    CALLS_MAKE(room, tp_cache_changed, cloud->cache, 1);
    calls_cache_clear_singly(cloud, source);
    calls_cache_record(cloud, source);
    CALLS_MAKE(room, tp_cache_clear, cloud->cache);
}

static void calls_of_a_cache(calls_room *room, uint32_t particles, uint32_t frames,
                             calls_packing packing)
{
    calls_cloud cloud = {.room = room, .count = particles, .frames = frames, .packing = packing};
    tp_source source = calls_source(&cloud);
    calls_cache_create(&cloud, &source);
    if (room->line) return;
    calls_cache_view(&cloud);
    calls_cache_record(&cloud, &source);
    calls_cache_packets(&cloud);
    calls_cache_requests(&cloud, &source);
    calls_cache_interrupt(&cloud, &source);
    calls_cache_requests(&cloud, &source);
    calls_cache_look(&cloud);
    calls_cache_bake(&cloud, &source);
    calls_cache_clear(&cloud, &source);
}

/* The largest number of streams and extra blocks. */
static void calls_of_a_full_schema(calls_room *room)
{
    calls_cloud cloud = {.room = room, .count = 4, .frames = 6};
    tp_source source = calls_source(&cloud);
    size_t bytes = 0;
    uint32_t count = 0;
    for (source.schema.stream_count = 4; source.schema.stream_count < TP_STREAMS_MAX;
         source.schema.stream_count++)
        source.schema.streams[source.schema.stream_count] = calls_stream(
            (char)('A' + source.schema.stream_count), TP_STREAM_F32, 4, TP_INTERPOLATE_SLERP, 0);
    for (source.schema.extra_count = 1; source.schema.extra_count < TP_EXTRAS_MAX;
         source.schema.extra_count++)
        source.schema.extras[source.schema.extra_count] =
            (tp_extra){{(char)('A' + source.schema.extra_count), 0}, 64};
    tp_cache_def def = calls_cache_def(&cloud, &source);
    def.slice_units = 64u * TP_STREAMS_MAX;
    CALLS_CHECK(room, tp_cache_check, &def);
    CALLS_MAKE(room, tp_cache_memory, &def, &bytes);
    CALLS_MAKE(room, tp_cache_memory_parts, &def, calls_items.parts, &count);
}

static void calls_of_caches(calls_room *room)
{
    calls_of_a_full_schema(room);
    for (calls_packing packing = CALLS_ALONE; packing < CALLS_PACKINGS; packing++) {
        calls_of_a_cache(room, room->n, packing == CALLS_ALONE ? 6u : 48u, packing);
        calls_of_a_cache(room, 4, packing == CALLS_ALONE || room->n > 48u ? room->n : 48u, packing);
    }
    WORST_MEASURE(tp_world_source, WORST_SLICE_LEAST, (void)tp_world_source(room->world));
}

#endif
