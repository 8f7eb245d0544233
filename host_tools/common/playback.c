/* SPDX-License-Identifier: MIT
   host_tools/common/playback.c - reads frames of a cache into arrays for exports and pictures.
   reads   a cache      writes  arrays
   memory  malloc, once, freed by playback_close      cost    O(particles) per frame
   after   own design */
#include "playback.h"
#include <stdlib.h>
#include <string.h>

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

int playback_open(playback *target, tp_cache *cache)
{
    const tp_cache_def *def = tp_cache_definition(cache);
    memset(target, 0, sizeof *target);
    target->cache = cache;
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
    return take_arrays(target, &def->schema) ? HOST_DONE : host_out_of_memory("a frame");
}

void playback_close(playback *target)
{
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
