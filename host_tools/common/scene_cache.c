/* SPDX-License-Identifier: MIT
   host_tools/common/scene_cache.c - the cache definition of a scene.
   reads   a scene      writes  a definition
   memory  none         cost    O(streams)
   after   own design */
#include "scene.h"
#include <string.h>

#define CACHE_BYTES_MAX \
    268435456u /* default limit, 256 MiB; beyond it the oldest frames are evicted */

static tp_stream *stream_named(tp_schema *schema, const char *name)
{
    for (uint32_t s = 0; s < schema->stream_count; s++)
        if (strcmp(schema->streams[s].name, name) == 0) return &schema->streams[s];
    return NULL;
}

tp_source scene_source(const scene *source, tp_world *world)
{
    tp_source made = tp_world_source(world);
    tp_stream *position = stream_named(&made.schema, "position"),
              *velocity = stream_named(&made.schema, "velocity");
    if (position) position->error_bound = source->cache_error;
    if (velocity) velocity->error_bound = source->cache_speed_error;
    return made;
}

/* Bit mask of the streams to record; 0: all. */
static uint32_t recorded_streams(const scene *source, const tp_schema *schema)
{
    static const char *const names[] = {"id", "position", "velocity"};
    uint32_t bits = 0, count = source->cache_streams == 1 ? 3u : 2u;
    if (source->cache_streams == 0) return 0;
    for (uint32_t s = 0; s < schema->stream_count; s++)
        for (uint32_t n = 0; n < count; n++)
            if (strcmp(schema->streams[s].name, names[n]) == 0) bits |= 1u << s;
    return bits;
}

static uint32_t slice_least(const tp_cache_def *def)
{
    uint32_t least = 64u * def->schema.stream_count, components = 0;
    for (uint32_t e = 0; e < def->schema.extra_count; e++)
        if (def->schema.extras[e].bytes_max / 16 + 1 > least)
            least = def->schema.extras[e].bytes_max / 16 + 1;
    for (uint32_t s = 0; s < def->schema.stream_count; s++)
        if (def->schema.streams[s].components > components)
            components = def->schema.streams[s].components;
    if (components < def->schema.stream_count) components = def->schema.stream_count;
    uint32_t grouped = def->group_frames > 1 ? 64u * def->group_frames * components : 0;
    return grouped > least ? grouped : least;
}

/* The ring holds all frames, unless the scene sets limits. */
tp_cache_def scene_cache(const scene *source, const tp_source *world, uint32_t frames)
{
    tp_cache_def def = tp_cache_default(world);
    uint64_t words = 0, extra = 0;
    for (uint32_t s = 0; s < def.schema.stream_count; s++)
        words += def.schema.streams[s].components;
    for (uint32_t e = 0; e < def.schema.extra_count; e++) extra += def.schema.extras[e].bytes_max;
    uint64_t frame =
        TP_CACHE_FRAME_BYTES(source->world.particles_max, words, def.schema.extra_count, extra);
    uint32_t kept = source->cache_frames ? source->cache_frames : frames / source->cache_step + 2;
    uint64_t ring = frame * kept;
    if (ring > CACHE_BYTES_MAX) ring = frame > CACHE_BYTES_MAX ? frame : CACHE_BYTES_MAX;
    def.policy = source->cache_policy ? TP_CACHE_STOP : TP_CACHE_EVICT;
    def.step = source->cache_step;
    def.start_frame = 1;
    def.group_frames = source->cache_group;
    def.recorded_streams = source->cache_group > 1 ? recorded_streams(source, &def.schema) : 0;
    if (def.group_frames > 1 && kept < 3 * def.group_frames) kept = 3 * def.group_frames;
    def.frames_max = kept < 1048576 ? kept : 1048576;
    def.ring_bytes = source->cache_bytes ? source->cache_bytes : (uint32_t)ring;
    uint32_t least = slice_least(&def);
    def.slice_units = least > source->world.slice_units ? least : source->world.slice_units;
    return def;
}
