/* SPDX-License-Identifier: MIT
   host_tools/common/stage.c - a scene with its world and cache, each in one block: the start of
           run, bake, hash and bench.
   reads   a scene      writes  two blocks
   memory  malloc: the blocks, freed by stage_close      cost    O(block)
   after   own design */
#include "../formats/start.h"
#include "loop.h"
#include "../../runtime/base/lanes.h"
#include "scene_private.h"
#include <stdlib.h>
#include <string.h>

int stage_load(stage *target, const char *command, const char *path, const char *seed,
               const char *slice)
{
    memset(target, 0, sizeof *target);
    if (!path)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "needs a scene: a file or a shipped name; see tidepool %s --help",
                          command);
    int code = scene_load(&target->scene, path);
    if (code) return code;
    if (seed && !host_parse_u32(seed, &target->scene.world.seed))
        code = host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "--seed %s: allowed: 0 to 4294967295", seed);
    uint32_t units = 0;
    if (!code && slice && (!host_parse_u32(slice, &units) || units < 64 || units > 65536))
        code = host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "--slice %s: allowed: 64 to 65536 units", slice);
    if (!code && slice) target->scene.world.slice_units = units;
    if (!code) code = start_load(&target->scene);
    if (code) stage_close(target);
    return code;
}

/* As the runtime chooses: at most lanes_max, but at least what the compiler's flags gave. */
uint32_t stage_lanes(uint32_t lanes_max)
{
    uint32_t lanes = tp_lanes();
    if (!lanes_max || lanes <= lanes_max) return lanes;
    return TPI_LANES < 8 && lanes_max >= 8 ? 8 : TPI_LANES;
}

static void *aligned(void *memory) { return (char *)memory + (16 - (uintptr_t)memory % 16) % 16; }

void *stage_block(size_t bytes, void **memory)
{
    *memory = host_allocate(bytes + 15, 1);
    return *memory ? aligned(*memory) : NULL;
}

static int make_cache(const scene *source, const tp_cache_def *def, void **memory, size_t *bytes,
                      tp_cache **cache)
{
    const char *sentence = tp_cache_check(def);
    if (sentence) return scene_refused(source, SCENE_CACHE, &source->cache_mark, sentence);
    tp_result result = tp_cache_memory(def, bytes);
    void *block = result >= TP_OK ? stage_block(*bytes, memory) : NULL;
    if (result >= TP_OK && !block) return host_out_of_memory("the cache");
    if (result >= TP_OK) result = tp_cache_create(def, block, *bytes, cache);
    if (result < TP_OK)
        return host_error(HOST_BAD_INPUT, source->path, HOST_NO_OFFSET, "cache: %s",
                          tp_result_text(result));
    return HOST_DONE;
}

/* Frames that are simulated: those after the start. loop_open refuses none. */
static uint32_t frames_left(const stage *target, uint32_t frames)
{
    const uint32_t start = target->scene.start.frame;
    return frames > start ? frames - start : 1;
}

static int open_cache(stage *target, uint32_t frames)
{
    tp_source world = scene_source(&target->scene, target->world);
    tp_cache_def def = scene_cache(&target->scene, &world, frames_left(target, frames));
    int code = make_cache(&target->scene, &def, &target->cache_memory, &target->cache_bytes,
                          &target->cache);
    target->shown = target->whole = target->cache;
    return code;
}

int stage_open(stage *target, uint32_t frames)
{
    int code = scene_memory(&target->scene, &target->world_bytes);
    if (code) return code;
    void *block = stage_block(target->world_bytes, &target->world_memory);
    if (!block) return host_out_of_memory("the world");
    code = scene_create_world(&target->scene, block, target->world_bytes, &target->world);
    if (!code && frames) code = scene_float_open(&target->scene, frames);
    if (!code && frames) code = open_cache(target, frames);
    return code;
}

/* ---- a second cache with every bit */

/* Frames are stored exactly and without groups, in as many bytes as they need. */
int stage_open_shown(stage *target, uint32_t frames)
{
    scene every = target->scene; /* a shallow copy: not freed */
    size_t bytes;
    const bool is_part = tp_cache_definition(target->cache)->recorded_streams != 0;
    const bool has_error =
        every.cache_group > 1 && (every.cache_error > 0 || every.cache_speed_error > 0);
    if (!is_part && !(has_error && every.world.sph.springs_max > 0)) return HOST_DONE;
    every.cache_streams = every.cache_bytes = 0;
    every.cache_group = 1;
    tp_source world = tp_world_source(target->world);
    tp_cache_def def = scene_cache(&every, &world, frames_left(target, frames));
    int code = make_cache(&every, &def, &target->whole_memory, &bytes, &target->whole);
    if (!code && is_part) target->shown = target->whole;
    return code;
}

int stage_show(void *context, const tp_world *world, uint64_t frame)
{
    stage *target = context;
    (void)world;
    (void)frame;
    if (target->whole == target->cache) return HOST_DONE;
    tp_source source = tp_world_source(target->world);
    tp_result result = tp_cache_record(target->whole, &source, NULL);
    if (result >= TP_OK || result == TP_ERROR_FULL)
        return HOST_DONE; /* policy stop: refuses the same frames as the cache of the scene */
    return host_error(HOST_OUT_OF_MEMORY, target->scene.path, HOST_NO_OFFSET, "cannot record: %s",
                      tp_result_text(result));
}

int stage_restart(stage *target)
{
    void *block = aligned(target->world_memory);
    memset(block, 0, target->world_bytes);
    return scene_create_world(&target->scene, block, target->world_bytes, &target->world);
}

void stage_close(stage *target)
{
    scene_free(&target->scene);
    free(target->world_memory);
    free(target->cache_memory);
    free(target->whole_memory);
    memset(target, 0, sizeof *target);
}
