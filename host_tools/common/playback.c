/* SPDX-License-Identifier: MIT
   host_tools/common/playback.c - reads frames of a cache into arrays for exports and pictures.
   reads   a cache      writes  arrays
   memory  malloc, once, freed by playback_close      cost    O(particles) per frame
   after   own design */
#include "playback.h"
#include "../../runtime/base/bytes.h"
#include <stdlib.h>
#include <string.h>

#define SPRING_BYTES 16u /* in the extra block of a cache, lowest byte first */

static uint32_t stream_named(const tp_schema *schema, const char *name)
{
    for (uint32_t s = 0; s < schema->stream_count; s++)
        if (strcmp(schema->streams[s].name, name) == 0) return s;
    return TP_STREAM_NONE;
}

/* Allocates the arrays of the wanted streams in one piece. */
static bool take_arrays(playback *target, const tp_schema *schema)
{
    const uint32_t streams[4] = {target->id_stream, target->position_stream,
                                 target->velocity_stream, target->meta_stream};
    /* 3 + 3 floats, 1 byte as a word, a temperature */
    size_t words = 7 + (target->temperature_stream != TP_STREAM_NONE),
           room = target->capacity ? target->capacity : 1;
    for (int i = 0; i < 4; i++) words += schema->streams[streams[i]].components;
    uint32_t *at = target->memory = host_allocate(words * room, 4);
    if (!at) return false;
    target->positions = (float *)(void *)at;
    target->velocities = (float *)(void *)(at + 3 * room);
    target->species = (uint8_t *)(void *)(at + 6 * room);
    at += 7 * room;
    for (int i = 0; i < 4; i++) {
        target->view.values[streams[i]] = at;
        at += schema->streams[streams[i]].components * room;
    }
    if (target->temperature_stream != TP_STREAM_NONE)
        target->view.values[target->temperature_stream] = target->temperatures =
            (float *)(void *)at;
    target->ids = target->view.values[target->id_stream];
    return true;
}

/* Memory for the words of an extra array and its number, if the cache has it. */
static bool take_extra(const tp_schema *schema, const char *name, uint32_t *extra, uint32_t **words)
{
    for (uint32_t e = 0; e < schema->extra_count; e++) {
        if (strcmp(schema->extras[e].name, name) != 0) continue;
        *extra = e;
        *words = host_allocate(schema->extras[e].bytes_max / 4, sizeof **words);
        return *words != NULL;
    }
    return true;
}

static bool take_splits(playback *target, const tp_schema *schema)
{
    return take_extra(schema, "splits", &target->split_extra, &target->splits);
}

/* The torn triangles come last in their block, after two counts and the rest lengths. */
static bool take_tears(playback *target, const tp_schema *schema)
{
    return take_extra(schema, "cloth", &target->torn_extra, &target->torn);
}

static bool take_springs(playback *target, const tp_schema *schema)
{
    for (uint32_t e = 0; e < schema->extra_count; e++) {
        if (strcmp(schema->extras[e].name, "springs") != 0) continue;
        target->spring_extra = e;
        target->springs =
            host_allocate(schema->extras[e].bytes_max / SPRING_BYTES, sizeof *target->springs);
        return target->springs != NULL;
    }
    return true;
}

int playback_open(playback *target, tp_cache *cache)
{
    const tp_cache_def *def = tp_cache_definition(cache);
    memset(target, 0, sizeof *target);
    target->cache = target->spring_cache = cache;
    target->capacity = target->view.capacity = def->particles_max;
    target->id_stream = stream_named(&def->schema, "id");
    target->position_stream = stream_named(&def->schema, "position");
    target->velocity_stream = stream_named(&def->schema, "velocity");
    target->meta_stream = stream_named(&def->schema, "meta");
    target->temperature_stream = stream_named(&def->schema, "temperature");
    if (target->id_stream == TP_STREAM_NONE || target->position_stream == TP_STREAM_NONE ||
        target->velocity_stream == TP_STREAM_NONE || target->meta_stream == TP_STREAM_NONE)
        return host_error(HOST_BAD_INPUT, NULL, HOST_NO_OFFSET,
                          "the cache lacks ids, positions, velocities or kinds");
    target->dimensions = def->schema.streams[target->position_stream].components;
    if (take_arrays(target, &def->schema) && take_springs(target, &def->schema) &&
        take_tears(target, &def->schema) && take_splits(target, &def->schema))
        return HOST_DONE;
    playback_close(target);
    return host_out_of_memory("a frame");
}

void playback_close(playback *target)
{
    free(target->springs);
    free(target->torn);
    free(target->splits);
    free(target->memory);
    memset(target, 0, sizeof *target);
}

static void interleave(const playback *source, uint32_t stream, float *to)
{
    const float *from = source->view.values[stream];
    for (uint32_t i = 0; i < source->count; i++) {
        for (uint32_t axis = 0; axis < 3; axis++)
            to[3 * (size_t)i + axis] =
                axis < source->dimensions ? from[(size_t)axis * source->capacity + i] : 0;
    }
}

bool playback_load(playback *target, uint64_t frame)
{
    if (!tp_cache_has(target->cache, frame)) return false;
    tp_result result = tp_cache_request(target->cache, NULL, TP_TIME(frame), NULL, &target->view);
    if (result != TP_OK || target->view.status != TP_CACHE_EXACT) return false;
    const uint32_t *meta = target->view.values[target->meta_stream];
    target->count = target->view.count;
    interleave(target, target->position_stream, target->positions);
    interleave(target, target->velocity_stream, target->velocities);
    for (uint32_t i = 0; i < target->count; i++)
        target->species[i] = (uint8_t)TP_META_SPECIES(meta[i]);
    return true;
}

/* ---- springs: a cache restores a source that keeps nothing else */

static bool catch_frame(void *context, uint64_t *frame)
{
    *frame = ((const playback *)context)->spring_frame;
    return true;
}

static uint32_t catch_count(void *context) { return ((const playback *)context)->count; }

static void catch_read(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                       void *values)
{
    (void)context, (void)stream, (void)places, (void)count, (void)values;
}

static uint32_t catch_extra_read(void *context, uint32_t extra, void *data)
{
    (void)context, (void)extra, (void)data;
    return 0;
}

static tp_result catch_begin(void *context, uint64_t frame, uint32_t count)
{
    playback *target = context;
    (void)count;
    target->spring_frame = frame;
    target->spring_count = target->torn_count = target->split_count = 0;
    return TP_OK;
}

static void catch_write(void *context, uint32_t stream, uint32_t first, uint32_t count,
                        const void *values)
{
    (void)context, (void)stream, (void)first, (void)count, (void)values;
}

static void catch_tears(playback *target, const uint8_t *from, uint32_t bytes)
{
    uint32_t constraints = bytes < 8 ? 0 : tpi_load_u32(from), words = bytes / 4;
    if (words < 2 || constraints > words - 2) return;
    target->torn_count = tpi_load_u32(from + 4);
    for (uint32_t k = 2 + constraints; k < words; k++)
        target->torn[k - 2 - constraints] = tpi_load_u32(from + 4 * (size_t)k);
    if (target->torn_count > 32 * (words - 2 - constraints)) target->torn_count = 0;
}

/* Two counts, then four words per split. */
static void catch_splits(playback *target, const uint8_t *from, uint32_t bytes)
{
    if (bytes < 8) return;
    target->split_count = tpi_load_u32(from);
    if (target->split_count > (bytes - 8) / 16) target->split_count = 0;
    for (uint32_t k = 0; k < 4 * target->split_count; k++)
        target->splits[k] = tpi_load_u32(from + 8 + 4 * (size_t)k);
}

static tp_result catch_extra(void *context, uint32_t extra, const void *data, uint32_t bytes)
{
    playback *target = context;
    const uint8_t *from = data;
    if (target->torn && extra == target->torn_extra) catch_tears(target, from, bytes);
    if (target->splits && extra == target->split_extra) catch_splits(target, from, bytes);
    if (!target->springs || extra != target->spring_extra) return TP_OK;
    for (uint32_t k = 0; k < bytes / SPRING_BYTES; k++, from += SPRING_BYTES) {
        tp_spring *spring = &target->springs[target->spring_count++];
        uint32_t length = tpi_load_u32(from);
        memcpy(&spring->rest_length, &length, sizeof length);
        spring->first = tpi_load_u32(from + 4);
        spring->second = tpi_load_u32(from + 8);
        spring->is_deleted = tpi_load_u32(from + 12);
    }
    return TP_OK;
}

static tp_result catch_end(void *context)
{
    (void)context;
    return TP_OK;
}

bool playback_load_springs(playback *target, uint64_t frame)
{
    const tp_cache_def *def = tp_cache_definition(target->spring_cache);
    const tp_source source = {.schema = def->schema,
                              .particles_max = def->particles_max,
                              .context = target,
                              .frame = catch_frame,
                              .count = catch_count,
                              .read = catch_read,
                              .extra_read = catch_extra_read,
                              .restore_begin = catch_begin,
                              .write = catch_write,
                              .extra_write = catch_extra,
                              .restore_end = catch_end};
    target->spring_count = target->torn_count = target->split_count = 0;
    return (!target->springs && !target->torn) ||
           tp_cache_rewind(target->spring_cache, &source, frame, false, NULL) == TP_OK;
}
