/* SPDX-License-Identifier: MIT
   host_tools/commands/size.c - `tidepool size SCENE`: prints the memory of a world and its cache,
           part by part.
   reads   a scene      writes  standard output
   memory  the text of the scene, and an empty world whose source describes the cache
   cost    O(parts)
   after   own design */
#include "commands.h"
#include "../common/text.h"
#include "size_clip.h"
#include "../common/loop.h"
#include <stdlib.h>
#include <string.h>

const char help_size[] =
    "usage: tidepool size SCENE [--particles N] [--step N] [--json]\n"
    "       tidepool size CLIP.tpc\n"
    "\n"
    "Prints how many bytes a scene needs, part by part:\n"
    "  stored    the world, if neighbours are stored: faster\n"
    "  compact   the world, if neighbours are searched again in each pass: about half the memory;\n"
    "            even less with pair forces, whose neighbour lists include a skin beyond the "
    "cutoff\n"
    "  cache     the cache in which `tidepool run` records this scene: ring and staging buffers\n"
    "For a clip: the bytes that a player of its positions needs, without its output arrays.\n"
    "\n"
    "  --particles N  Assume a capacity of N particles.\n"
    "  --step N       Assume a cache that records every Nth frame, exactly and without groups. "
    "The\n"
    "                 simulation can resume from such a cache at any frame.\n"
    "  --json         Print one JSON object.\n"
    "\n"
    "example: tidepool size dam_break\n";

typedef struct sizes {
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    uint32_t count;
    size_t bytes;
} sizes;

/* The purpose of a part, selected by the beginning of its name. */
static const char *purpose(const char *name)
{
    static const struct {
        const char *start, *purpose;
    } rows[] = {{"position", "state"},
                {"velocity", "state"},
                {"id", "state"},
                {"meta", "state"},
                {"birth", "state"},
                {"next meta", "step: all"},
                {"next birth", "step: all"},
                {"next", "step: move"},
                {"order", "step: move"},
                {"grid", "step: grid"},
                {"pair", "step: pairs"},
                {"listed", "step: pairs"},
                {"neighbour", "step: pairs"},
                {"limit", "step: nearest"},
                {"nearest", "step: nearest"},
                {"distance", "step: pairs"},
                {"pushed", "step: force"},
                {"packed", "step: force"},
                {"link force", "step: links"},
                {"link", "pool"},
                {"force", "step: all"},
                {"solver", "solver"},
                {"emitter", "pool"},
                {"sink", "pool"},
                {"field", "pool"},
                {"collider", "pool"},
                {"geometry", "pool"},
                {"recycle", "step: recycle"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(name, rows[i].start, strlen(rows[i].start)) == 0) return rows[i].purpose;
    return "world";
}

static int measure(const scene *source, bool is_stored, sizes *result)
{
    tp_world_def def = source->world;
    def.sph.stores_neighbours = def.pair.stores_neighbours = is_stored;
    tp_result code = tp_world_memory(&def, &result->bytes);
    if (code >= TP_OK) code = tp_world_memory_parts(&def, result->parts, &result->count);
    if (code < TP_OK)
        return host_error(HOST_BAD_INPUT, source->path, HOST_NO_OFFSET, "%s", tp_result_text(code));
    return HOST_DONE;
}

/* The cache that `tidepool run` creates for this scene. */
static int measure_cache(const scene *source, sizes *result, tp_cache_def *def)
{
    void *memory = NULL;
    size_t bytes;
    tp_world *world = NULL;
    tp_result code = tp_world_memory(&source->world, &bytes);
    void *block = code >= TP_OK ? stage_block(bytes, &memory) : NULL;
    if (code >= TP_OK && !block) return host_out_of_memory("the world");
    if (code >= TP_OK) code = tp_world_create(&source->world, block, bytes, &world);
    if (code >= TP_OK) {
        tp_source from = scene_source(source, world);
        *def = scene_cache(source, &from, source->frames);
        code = tp_cache_memory(def, &result->bytes);
    }
    if (code >= TP_OK) code = tp_cache_memory_parts(def, result->parts, &result->count);
    free(memory);
    if (code < TP_OK)
        return host_error(HOST_BAD_INPUT, source->path, HOST_NO_OFFSET, "cache: %s",
                          tp_result_text(code));
    return HOST_DONE;
}

/* The arrangement that the scene selects. */
static const char *arrangement(const tp_world_def *def)
{
    if (def->solver == TP_SOLVER_NONE) return "no pairs";
    bool is_stored =
        def->solver == TP_SOLVER_PAIR ? def->pair.stores_neighbours : def->sph.stores_neighbours;
    return is_stored ? "stored" : "compact";
}

/* Prints the capacity of the solver's neighbour lists. */
static void print_lists(const tp_world_def *def)
{
    if (def->solver == TP_SOLVER_SPH)
        printf("lists: rebuilt in every step, capacity %u neighbours per particle\n",
               def->sph.neighbours_max);
    if (def->solver != TP_SOLVER_PAIR) return;
    printf("lists: cutoff %g and skin %g sigmas, ", (double)def->pair.cutoff,
           (double)def->pair.skin);
    printf("%s, capacity %u neighbours per particle\n",
           def->pair.skin > 0 ? "kept until a particle may have crossed the skin"
                              : "rebuilt in every step",
           def->pair.neighbours_max);
}

static const tp_memory_part *part_named(const sizes *source, const char *name)
{
    for (uint32_t i = 0; i < source->count; i++)
        if (strcmp(source->parts[i].name, name) == 0) return &source->parts[i];
    return NULL;
}

static void print_table(const scene *source, const sizes *stored, const sizes *compact)
{
    double particles = source->world.particles_max;
    printf("%s: %u particles, %u dimensions; bytes\n\n", text_shown(source->name),
           source->world.particles_max, source->world.dimensions);
    printf("%-20s %-15s %12s %9s %12s %9s\n", "part", "for", "stored", "/particle", "compact",
           "/particle");
    for (uint32_t i = 0; i < stored->count; i++) {
        const tp_memory_part *part = &stored->parts[i], *other = part_named(compact, part->name);
        uint32_t bytes = other ? other->bytes : 0;
        if (part->bytes == 0 && bytes == 0) continue;
        printf("%-20s %-15s %12u %9.2f %12u %9.2f\n", part->name, purpose(part->name), part->bytes,
               part->bytes / particles, bytes, bytes / particles);
    }
    printf("%-36s %12zu %9.2f %12zu %9.2f\n", "sum", stored->bytes,
           (double)stored->bytes / particles, compact->bytes, (double)compact->bytes / particles);
    printf("\nthe scene uses: %s\n", arrangement(&source->world));
    print_lists(&source->world);
}

/* True if the cache keeps frames exactly, so that a world can resume from them. */
static bool is_exact(const tp_cache_def *def)
{
    if (def->group_frames < 2) return true;
    for (uint32_t s = 0; s < def->schema.stream_count; s++)
        if (def->schema.streams[s].error_bound > 0) return false;
    return def->recorded_streams == 0 ||
           def->recorded_streams + 1u == 1u << def->schema.stream_count;
}

static void print_cache(const sizes *cache, const tp_cache_def *def)
{
    printf("\ncache of %u frames, %s, for playback%s; bytes\n\n", def->frames_max,
           def->group_frames > 1 ? "in groups" : "without groups",
           is_exact(def) ? " and to resume from" : "");
    for (uint32_t i = 0; i < cache->count; i++)
        if (cache->parts[i].bytes)
            printf("%-36s %12u\n", cache->parts[i].name, cache->parts[i].bytes);
    printf("%-36s %12zu\n", "sum", cache->bytes);
}

static void print_cache_json(const sizes *cache, const tp_cache_def *def)
{
    printf(
        ",\n  \"cache\": {\"bytes\": %zu, \"frames_max\": %u, \"group_frames\": %u, \"parts\": [",
        cache->bytes, def->frames_max, def->group_frames);
    for (uint32_t i = 0; i < cache->count; i++)
        printf("%s\n    {\"name\": \"%s\", \"bytes\": %u}", i ? "," : "", cache->parts[i].name,
               cache->parts[i].bytes);
    fputs("]}", stdout);
}

static void print_arrangement(const char *name, const sizes *source, double particles)
{
    printf(",\n  \"%s\": {\"bytes\": %zu, \"bytes_per_particle\": %.3f, \"parts\": [", name,
           source->bytes, (double)source->bytes / particles);
    for (uint32_t i = 0; i < source->count; i++) {
        const tp_memory_part *part = &source->parts[i];
        printf("%s\n    {\"name\": \"%s\", \"for\": \"%s\", \"bytes\": %u, \"count\": %u, "
               "\"bytes_per_particle\": %.3f}",
               i ? "," : "", part->name, purpose(part->name), part->bytes, part->count,
               part->bytes / particles);
    }
    fputs("]}", stdout);
}

static void print_json(const scene *source, const sizes *stored, const sizes *compact,
                       const sizes *cache, const tp_cache_def *def)
{
    const char *own = arrangement(&source->world);
    fputs("{\n  \"scene\": ", stdout);
    host_json_text(stdout, source->name);
    printf(",\n  \"particles\": %u,\n  \"arrangement\": \"%s\",\n  \"bytes\": %zu",
           source->world.particles_max, own,
           strcmp(own, "compact") == 0 ? compact->bytes : stored->bytes);
    print_arrangement("stored", stored, source->world.particles_max);
    print_arrangement("compact", compact, source->world.particles_max);
    print_cache_json(cache, def);
    puts("\n}");
}

static int set_step(scene *source, const char *text)
{
    source->cache_group = 1;
    source->cache_frames = source->cache_bytes = 0;
    if (host_parse_u32(text, &source->cache_step) && source->cache_step >= 1 &&
        source->cache_step <= 65535)
        return HOST_DONE;
    return host_error(HOST_USAGE, "size", HOST_NO_OFFSET, "--step %s: allowed: 1 to 65535", text);
}

int command_size(int argc, char **argv)
{
    host_option options[] = {{"particles", false, NULL},
                             {"json", true, NULL},
                             {"quiet", true, NULL},
                             {"step", false, NULL}};
    const char *path = NULL;
    size_t count, bytes;
    scene source;
    sizes stored, compact, cache;
    tp_cache_def def;
    if (host_help(argc, argv, help_size)) return HOST_DONE;
    int code = host_parse("size", argc, argv, options, 4, &path, 1, &count);
    if (!code && !path)
        code = host_error(HOST_USAGE, "size", HOST_NO_OFFSET,
                          "needs a scene: a file or a shipped name; see tidepool size --help");
    if (code) return code;
    if (size_is_clip(path) && (options[0].value || options[1].value || options[3].value))
        return host_error(
            HOST_USAGE, "size", HOST_NO_OFFSET,
            "%s is a clip: --particles, --step and --json are for scenes, leave them out", path);
    if (size_is_clip(path)) return size_clip(path, options[2].value != NULL);
    code = scene_load(&source, path);
    if (code) return code;
    if (options[0].value && (!host_parse_u32(options[0].value, &source.world.particles_max) ||
                             !source.world.particles_max || source.world.particles_max > 16777215))
        code = host_error(HOST_USAGE, "size", HOST_NO_OFFSET,
                          "--particles %s: allowed: 1 to 16777215", options[0].value);
    if (!code && options[3].value) code = set_step(&source, options[3].value);
    if (!code) code = scene_memory(&source, &bytes);
    if (!code) code = measure(&source, true, &stored);
    if (!code) code = measure(&source, false, &compact);
    if (!code) code = measure_cache(&source, &cache, &def);
    if (!code && options[1].value)
        print_json(&source, &stored, &compact, &cache, &def);
    else if (!code && !options[2].value) {
        print_table(&source, &stored, &compact);
        print_cache(&cache, &def);
    }
    scene_free(&source);
    return code;
}
