/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_record.c - time and size of recording tracks into the groups of a
           cache.
   reads   tracks      writes  a row
   memory  a cache with capacity for all frames      cost    0.5 microseconds per point and frame
   after   own design; all frames are read back and compared */
#include "../common/host.h"
#include "bench.h"
#include "tracks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_FRAMES BENCH_RECORD_FRAMES
#define ROUNDS       3u

/* ---- tracks as a source: identities, and positions in another order */

typedef struct track_source {
    const host_tracks *tracks;
    uint32_t frame, components;
    uint32_t apart; /* difference of consecutive identities; coprime to the number of points */
} track_source;

static bool source_frame(void *context, uint64_t *frame)
{
    *frame = ((const track_source *)context)->frame;
    return true;
}

static uint32_t source_count(void *context)
{
    return ((const track_source *)context)->tracks->points;
}

static void source_read(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                        void *values)
{
    const track_source *from = context;
    const host_tracks *tracks = from->tracks;
    const float *frame = tracks->places + 3 * (size_t)tracks->points * from->frame;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t point = (uint32_t)((uint64_t)places[i] * from->apart % tracks->points);
        if (stream == 0) ((uint32_t *)values)[i] = point;
        for (uint32_t c = 0; stream == 1 && c < from->components; c++)
            ((float *)values)[c * TP_TILE + i] = frame[3 * (size_t)point + c];
    }
}

static tp_source source_of(track_source *from, double error)
{
    tp_source source = {.particles_max = from->tracks->points,
                        .context = from,
                        .frame = source_frame,
                        .count = source_count,
                        .read = source_read};
    source.schema = (tp_schema){.stream_count = 2,
                                .linear_stream = TP_STREAM_NONE,
                                .birth_stream = TP_STREAM_NONE,
                                .frames_per_second_numerator = 25,
                                .frames_per_second_denominator = 1};
    source.schema.streams[0] = (tp_stream){.name = "id",
                                           .type = TP_STREAM_U32,
                                           .components = 1,
                                           .interpolation = TP_INTERPOLATE_IDENTITY};
    source.schema.streams[1] = (tp_stream){.name = "position",
                                           .type = TP_STREAM_F32,
                                           .components = from->components,
                                           .error_bound = (float)error};
    return source;
}

/* ---- a recorder */

typedef struct recorder {
    track_source from;
    tp_source source;
    tp_cache_def def;
    void *memory, *block; /* the block is aligned to a cache line */
    size_t bytes;
    tp_cache *cache;
} recorder;

static int recorder_fault(const recorder *made, const char *what, tp_result result)
{
    return host_error(HOST_DIFFERENT, "bench", HOST_NO_OFFSET, "%s: %s: %s",
                      made->from.tracks->name, what, tp_result_text(result));
}

static int recorder_open(recorder *made, const host_tracks *tracks, double error)
{
    uint32_t apart = tracks->points % 7919u ? 7919u : 1u; /* a prime */
    bool is_flat = tracks->low[2] >= tracks->high[2];
    *made = (recorder){.from = {tracks, 0, is_flat ? 2u : 3u, apart}};
    made->source = source_of(&made->from, error);
    made->def = tp_cache_default(&made->source);
    made->def.group_frames = GROUP_FRAMES;
    made->def.frames_max = TRACKS_FRAMES_MAX + 3u * GROUP_FRAMES;
    made->def.slice_units = TP_TILE * GROUP_FRAMES * 3u;
    uint64_t raw = 16u * (uint64_t)tracks->points * tracks->frames + 1000000u;
    made->def.ring_bytes = raw < 0x40000000u ? (uint32_t)raw : 0x40000000u;
    tp_result result = tp_cache_memory(&made->def, &made->bytes);
    if (result != TP_OK) return recorder_fault(made, "memory", result);
    made->memory = host_allocate(1, made->bytes + 63u);
    made->block = (uint8_t *)made->memory + (64u - (uintptr_t)made->memory % 64u) % 64u;
    return made->memory ? HOST_DONE : host_out_of_memory("a recorder");
}

/* Records all frames; adds the seconds. */
static int recorder_run(recorder *made, double *seconds)
{
    tp_result result = tp_cache_create(&made->def, made->block, made->bytes, &made->cache);
    double start = host_thread_seconds();
    for (uint32_t f = 0; result == TP_OK && f < made->from.tracks->frames; f++) {
        made->from.frame = f;
        result = tp_cache_record(made->cache, &made->source, NULL);
    }
    if (result == TP_OK) result = tp_cache_flush(made->cache, NULL);
    *seconds = host_thread_seconds() - start;
    return result == TP_OK ? HOST_DONE : recorder_fault(made, "recording", result);
}

/* Checks that all frames, read back, are within the error bound. */
static int recorder_check(recorder *made, double error, float *places)
{
    const host_tracks *tracks = made->from.tracks;
    tp_frame_view view = {.capacity = tracks->points, .values = {NULL, places}};
    for (uint32_t f = 0; f < tracks->frames; f++) {
        tp_result result = tp_cache_request(made->cache, NULL, TP_TIME(f), NULL, &view);
        if (result != TP_OK || view.count != tracks->points)
            return recorder_fault(made, "reading", result);
        const float *was = tracks->places + 3 * (size_t)tracks->points * f;
        for (uint32_t p = 0; p < tracks->points; p++)
            for (uint32_t c = 0; c < made->from.components; c++)
                if (!(fabs((double)places[c * tracks->points + p] - (double)was[3 * p + c]) <=
                      error))
                    return recorder_fault(made, "a decoded frame exceeds its error bound", TP_OK);
    }
    return HOST_DONE;
}

int bench_recorder_of(bench_tiles *row, const host_tracks *tracks, double error)
{
    recorder made;
    float *places = host_allocate(tracks->points, 3 * sizeof *places);
    int code = places ? recorder_open(&made, tracks, error) : host_out_of_memory("a recorder");
    if (!places) return code;
    double best = INFINITY, values = (double)tracks->points * tracks->frames;
    for (uint32_t round = 0; round < ROUNDS && !code; round++) {
        double seconds = 0;
        code = recorder_run(&made, &seconds);
        best = fmin(best, seconds);
    }
    if (!code)
        code = recorder_check(&made, (double)made.source.schema.streams[1].error_bound, places);
    if (!code) row->record_ns = 1e9 * best / values;
    if (!code) row->record_bytes = (double)tp_cache_report(made.cache).bytes_written / values;
    free(made.memory);
    free(places);
    return code;
}
