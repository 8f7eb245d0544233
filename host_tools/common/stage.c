/* SPDX-License-Identifier: MIT
   host_tools/common/stage.c - a scene with its world and cache, each in one block: what run, hash and bench begin with.
   reads   a scene      writes  two blocks
   memory  malloc: the blocks, freed by stage_close      cost    O(block)
   after   own design */
#include "loop.h"
#include <stdlib.h>
#include <string.h>

int stage_load(stage *target, const char *command, const char *path, const char *seed, const char *slice)
{
    memset(target, 0, sizeof *target);
    if (!path)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "needs a scene: a file or a shipped name; see tidepool %s --help", command);
    int code = scene_load(&target->scene, path);
    if (code) return code;
    if (seed && !host_parse_u32(seed, &target->scene.world.seed))
        code = host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--seed %s: allowed: 0 to 4294967295", seed);
    uint32_t units = 0;
    if (!code && slice && (!host_parse_u32(slice, &units) || units < 64 || units > 65536))
        code =
            host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--slice %s: allowed: 64 to 65536 units", slice);
    if (!code && slice) target->scene.world.slice_units = units;
    if (code) stage_close(target);
    return code;
}

static void *aligned(void *memory) { return (char *)memory + (16 - (uintptr_t)memory % 16) % 16; }

void *stage_block(size_t bytes, void **memory)
{
    *memory = host_allocate(bytes + 15, 1);
    return *memory ? aligned(*memory) : NULL;
}

static int open_cache(stage *target, uint32_t frames)
{
    const scene *source = &target->scene;
    tp_source world = scene_source(source, target->world);
    tp_cache_def def = scene_cache(source, &world, frames);
    const char *sentence = tp_cache_check(&def);
    uint64_t line = source->cache_place.line ? source->cache_place.line : HOST_NO_OFFSET;
    if (sentence) return host_error(HOST_BAD_INPUT, source->path, line, "cache: %s", sentence);
    tp_result result = tp_cache_memory(&def, &target->cache_bytes);
    void *block = result >= TP_OK ? stage_block(target->cache_bytes, &target->cache_memory) : NULL;
    if (result >= TP_OK && !block) return host_no_room("the cache");
    if (result >= TP_OK) result = tp_cache_create(&def, block, target->cache_bytes, &target->cache);
    if (result < TP_OK)
        return host_error(HOST_BAD_INPUT, source->path, HOST_NO_OFFSET, "cache: %s", tp_result_text(result));
    return HOST_DONE;
}

int stage_open(stage *target, uint32_t frames)
{
    int code = scene_memory(&target->scene, &target->world_bytes);
    if (code) return code;
    void *block = stage_block(target->world_bytes, &target->world_memory);
    if (!block) return host_no_room("the world");
    code = scene_create_world(&target->scene, block, target->world_bytes, &target->world);
    if (!code && frames) code = open_cache(target, frames);
    return code;
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
    memset(target, 0, sizeof *target);
}
