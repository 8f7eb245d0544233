/* SPDX-License-Identifier: MIT
   host_tools/commands/run_report.c - prints the report of a run as text and as JSON: costs, and
           limits that were hit.
   reads   the counters of a loop, its world and its caches      writes  text
   memory  none      cost    O(counters)
   after   own design: one table of limits for text and JSON */
#include "../common/text.h"
#include "run.h"
#include <inttypes.h>
#include <string.h>

/* ---- limits */

typedef struct run_limit {
    const char *name; /* JSON name */
    uint64_t count;
    const char *text;    /* printed after the count */
    const char *setting; /* field of the scene that sets the limit; NULL: none */
} run_limit;
enum {
    LIMITS_OF_POOLS = 10,
    LIMITS_OF_WORLD = 27,
    LIMITS_OF_CACHES = 6,
    LIMITS_MAX = LIMITS_OF_POOLS + LIMITS_OF_WORLD + LIMITS_OF_CACHES
};
#define HAS(limits, most) \
    _Static_assert(sizeof(limits) == (most) * sizeof(run_limit), "change " #most)

#define LIMIT(report, field, text, setting)    \
    {                                          \
#field, (report)->field, text, setting \
    }
#define REFUSED(world, pool, name, text, setting)                               \
    {                                                                           \
        name "_refused", (world)->pools[pool].refused, text " refused", setting \
    }

/* The pool of pairs is missing: a refused pair counts as a dropped neighbour, see
   limits_of_world. */
static size_t limits_of_pools(const tp_report *world, run_limit *to)
{
    uint64_t retired = 0;
    for (int p = 0; p < TP_POOL_COUNT; p++) retired += world->pools[p].retired;
    const run_limit limits[] = {
        REFUSED(world, TP_POOL_PARTICLES, "births", "births", "world: particles"),
        LIMIT(world, recycled, "particles recycled for births", "world: particles"),
        REFUSED(world, TP_POOL_EMITTERS, "emitters", "emitters", NULL),
        REFUSED(world, TP_POOL_SINKS, "sinks", "sinks", NULL),
        REFUSED(world, TP_POOL_FIELDS, "fields", "fields", NULL),
        REFUSED(world, TP_POOL_COLLIDERS, "colliders", "colliders", NULL),
        REFUSED(world, TP_POOL_LINKS, "links", "links", NULL),
        REFUSED(world, TP_POOL_BODIES, "bodies", "bodies", NULL),
        REFUSED(world, TP_POOL_GEOMETRY, "geometry", "pieces of geometry", NULL),
        {"slots_retired", retired, "slots retired", NULL},
    };
    HAS(limits, LIMITS_OF_POOLS);
    memcpy(to, limits, sizeof limits);
    return sizeof limits / sizeof limits[0];
}

static size_t limits_of_world(const tp_report *world, run_limit *to)
{
    const run_limit limits[] = {
        LIMIT(world, killed_particles, "particles killed: not finite, or beyond 1e9 m", NULL),
        LIMIT(world, neighbours_dropped, "neighbours dropped", "neighbours_max"),
        LIMIT(world, springs_dropped, "springs dropped", "sph: springs_max"),
        LIMIT(world, particles_skipped, "particles beyond the limit of a cell", "cell_max"),
        LIMIT(world, speeds_clamped, "speeds clamped",
              "world: speed_max, cloth: thickness, integrator"),
        LIMIT(world, displacements_clamped, "displacements clamped", "sph: smoothing_radius"),
        LIMIT(world, courant_exceeded, "frames above the target Courant number",
              "substeps: count_max"),
        LIMIT(world, steps_shortened, "steps begun again, shorter", "sph, cloth: timestep_max"),
        LIMIT(world, steps_strained, "steps in slow motion, or with softer springs: too stiff",
              "substeps: count_max"),
        LIMIT(world, coarsened_steps, "steps coarsened", "world: overload"),
        LIMIT(world, lag_ticks_dropped, "ticks of lag dropped", "world: lag_frames"),
        LIMIT(world, steps_restarted, "steps restarted by edits", NULL),
        LIMIT(world, contacts_limited, "sub-steps stopped after 4 contacts", NULL),
        LIMIT(world, rooms_limited, "sub-steps stopped at 8 hops from room to room", NULL),
        LIMIT(world, rooms_missed, "searches that began in no room", NULL),
        LIMIT(world, walls_limited, "particles that used up their tests of triangles as walls",
              "sph: smoothing_radius"),
        LIMIT(world, pushed_out, "particles pushed out of solids", NULL),
        LIMIT(world, overlaps_guarded, "pairs nearer than the overlap distance", "pair: overlap"),
        LIMIT(world, overlaps_unresolved, "overlaps left for the next step",
              "pair: contact_iterations"),
        LIMIT(world, links_dropped, "links dropped with an end", NULL),
        LIMIT(world, links_guarded, "links shorter than 1e-6 m", NULL),
        LIMIT(world, link_forces_clamped, "link forces limited", NULL),
        LIMIT(world, strengths_limited, "strengths of vortons limited",
              "vortex: strength_max, growth_max"),
        LIMIT(world, vortices_fast, "places that turn by more than half a radian in a step",
              "vortex: timestep_max"),
        LIMIT(world, events_dropped, "events beyond the limit of a step", NULL),
        LIMIT(world, feeds_dropped, "events for emitters beyond the limit of a step", NULL),
        LIMIT(world, births_limited, "births beyond the limit of an emitter in a step", NULL),
    };
    HAS(limits, LIMITS_OF_WORLD);
    memcpy(to, limits, sizeof limits);
    return sizeof limits / sizeof limits[0];
}

/* Of the cache, and of the cache that the files are made from, if that is a different one. */
static size_t limits_of_caches(const stage *staged, run_limit *to)
{
    tp_cache_counters cache = tp_cache_report(staged->cache), shown = {0};
    if (staged->whole != staged->cache) shown = tp_cache_report(staged->whole);
    const run_limit limits[] = {
        {"cache_frames_evicted", cache.frames_evicted, "frames evicted from the cache",
         "cache: bytes, frames"},
        {"cache_frames_refused", cache.frames_refused, "frames refused by the cache",
         "cache: bytes, frames"},
        {"cache_frames_abandoned", cache.frames_abandoned, "frames whose recording was abandoned",
         NULL},
        {"cache_frames_corrupt", cache.frames_corrupt, "frames damaged in the cache", NULL},
        {"cache_inputs_refused", cache.inputs_refused, "inputs refused by the cache", NULL},
        {"files_frames_evicted", shown.frames_evicted + shown.frames_refused,
         "frames missing in the files", "cache: frames"},
    };
    HAS(limits, LIMITS_OF_CACHES);
    memcpy(to, limits, sizeof limits);
    return sizeof limits / sizeof limits[0];
}

static size_t list_limits(const stage *staged, const loop *frames, run_limit limits[LIMITS_MAX])
{
    const tp_report *world = &frames->report.world;
    size_t count = limits_of_pools(world, limits);
    count += limits_of_world(world, limits + count);
    return count + limits_of_caches(staged, limits + count);
}

static void json_limits(FILE *stream, const stage *staged, const loop *frames)
{
    run_limit limits[LIMITS_MAX];
    size_t count = list_limits(staged, frames, limits);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, ",\n  \"%s\": %" PRIu64, limits[i].name, limits[i].count);
}

/* Prints each limit that was hit on a line, with the field of the scene that sets it. */
static void print_limits(FILE *stream, const stage *staged, const loop *frames)
{
    run_limit limits[LIMITS_MAX];
    size_t count = list_limits(staged, frames, limits);
    const tp_report *world = &frames->report.world;
    const char *label = "limits hit  ";
    for (size_t i = 0; i < count; i++) {
        if (!limits[i].count) continue;
        fprintf(stream, "%s%" PRIu64 " %s", label, limits[i].count, limits[i].text);
        if (limits[i].setting) fprintf(stream, " (%s)", limits[i].setting);
        if (strcmp(limits[i].name, "neighbours_dropped") == 0)
            fprintf(stream, ", last after frame %" PRIu64 ", %.3g %% of its step's",
                    world->neighbours_dropped_frame, 100 * (double)world->neighbours_dropped_share);
        fputc('\n', stream);
        label = "            ";
    }
    if (label[0] != ' ') fprintf(stream, "%snone\n", label);
}

/* ---- JSON */

typedef struct json_number {
    const char *name;
    uint64_t value;
} json_number;
#define NOT_COUNTED UINT64_MAX /* shown as null */

static void json_numbers(FILE *stream, const json_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, ",\n  \"%s\": ", numbers[i].name);
        if (numbers[i].value == NOT_COUNTED)
            fputs("null", stream);
        else
            fprintf(stream, "%" PRIu64, numbers[i].value);
    }
}
#define JSON_NUMBERS(stream, numbers) \
    json_numbers(stream, numbers, sizeof(numbers) / sizeof(numbers)[0])
/* JSON name = name of the field. */
#define JSON_FIELD(report, field) \
    {                             \
#field, (report)->field   \
    }

/* The same for the counters of a cache, with the prefix cache_. */
#define JSON_CACHE(counters, field)       \
    {                                     \
        "cache_" #field, (counters).field \
    }

/* A build without the linker option --wrap does not count allocations. */
static void json_costs(FILE *stream, const stage *staged, const loop *frames)
{
    const loop_report *report = &frames->report;
    const json_number numbers[] = {
        {"memory_bytes", staged->world_bytes},
        {"heap_allocations_during_run",
         report->allocations_counted ? report->allocations : NOT_COUNTED},
        {"budget_units", frames->settings.work},
        JSON_FIELD(report, max_frame_units),
        {"budget_us", frames->settings.budget_us},
        JSON_FIELD(report, max_frame_us),
        JSON_FIELD(report, median_frame_us),
        JSON_FIELD(report, frames_over_budget),
        JSON_FIELD(report, frames_over_budget_us),
        JSON_FIELD(report, game_frames),
        JSON_FIELD(report, max_slice_units),
        JSON_FIELD(report, slice_units),
        JSON_FIELD(report, lagged_frames),
    };
    JSON_NUMBERS(stream, numbers);
}

static void json_pools(FILE *stream, const tp_report *world)
{
    static const char *const names[TP_POOL_COUNT] = {"particles", "emitters", "sinks",    "fields",
                                                     "colliders", "links",    "geometry", "pairs"};
    fputs(",\n  \"pools\": {", stream);
    for (int p = 0; p < TP_POOL_COUNT; p++) {
        const tp_pool_report *pool = &world->pools[p];
        fprintf(stream,
                "%s\n    \"%s\": {\"capacity\": %u, \"used\": %u, \"peak\": %u, \"retired\": %u, "
                "\"refused\": %" PRIu64 "}",
                p ? "," : "", names[p], pool->capacity, pool->used, pool->peak, pool->retired,
                pool->refused);
    }
    fputs("\n  }", stream);
}

/* Counters that are no limits. */
static void json_events(FILE *stream, const stage *staged, const loop *frames)
{
    const tp_report *world = &frames->report.world;
    tp_cache_counters cache = tp_cache_report(staged->cache);
    const json_number numbers[] = {
        JSON_FIELD(&frames->report, total_units),
        JSON_FIELD(world, born),
        JSON_FIELD(world, died),
        JSON_FIELD(world, pairs),
        JSON_FIELD(world, contacts),
        JSON_FIELD(world, room_hops),
        JSON_FIELD(world, rooms_exceeded),
        JSON_FIELD(world, collisions),
        JSON_FIELD(world, lists_built),
        JSON_FIELD(world, links_broken),
        JSON_FIELD(world, neighbours_dropped_frame),
        JSON_FIELD(world, springs),
        JSON_FIELD(world, springs_removed),
        JSON_FIELD(world, vortons_merged),
        JSON_FIELD(world, vortons_split),
        JSON_FIELD(world, events),
        JSON_FIELD(world, lag_ticks),
        JSON_FIELD(staged, cache_bytes),
        JSON_CACHE(cache, frames),
        JSON_CACHE(cache, frames_peak),
        JSON_CACHE(cache, bytes_peak),
        JSON_CACHE(cache, frames_written),
        JSON_CACHE(cache, bytes_written),
        JSON_CACHE(cache, bytes_evicted),
    };
    JSON_NUMBERS(stream, numbers);
}

static bool is_incompressible(const stage *staged)
{
    const tp_world_def *def = &staged->scene.world;
    return def->solver == TP_SOLVER_SPH && def->sph.formulation == TP_SPH_INCOMPRESSIBLE;
}

void run_print_json(FILE *stream, const stage *staged, const loop *frames)
{
    const loop_report *report = &frames->report;
    const json_number numbers[] = {
        JSON_FIELD(report, frames),
        JSON_FIELD(&report->world, steps),
        JSON_FIELD(&report->world, particles),
        JSON_FIELD(&staged->scene.world, seed),
        {"threads", frames->settings.jobs ? frames->settings.jobs->workers : 1u},
        {"lanes", stage_lanes(0)},
    };
    fputs("{\n  \"scene\": ", stream);
    host_json_text(stream, staged->scene.name);
    JSON_NUMBERS(stream, numbers);
    fprintf(stream, ",\n  \"state_hash\": \"%016" PRIx64 "\"", report->state_hash);
    json_costs(stream, staged, frames);
    json_events(stream, staged, frames);
    json_limits(stream, staged, frames);
    json_pools(stream, &report->world);
    if (is_incompressible(staged))
        fprintf(stream,
                ",\n  \"compression\": %.9f,\n  \"frame_compression_max\": %.9f,\n  "
                "\"particle_compression_max\": %.9f",
                report->compression, report->frame_compression_max,
                report->particle_compression_max);
    fprintf(stream, ",\n  \"neighbours_dropped_share\": %.9g",
            (double)report->world.neighbours_dropped_share);
    fprintf(stream, ",\n  \"seconds\": %.6f\n}\n", report->seconds);
}

/* Prints the cost of the worst frame, and its share of the budget or "no limit". */
static void print_budget(FILE *stream, const char *name, uint64_t most, uint64_t budget,
                         const char *unit, uint64_t over)
{
    fprintf(stream, "%s at most %" PRIu64 " %s", name, most, unit);
    if (budget)
        fprintf(stream, " of %" PRIu64 " (%.0f %%), %" PRIu64 " frames over", budget,
                100.0 * (double)most / (double)budget, over);
    else
        fputs(", no limit", stream);
    fputc('\n', stream);
}

void run_print_report(FILE *stream, const stage *staged, const loop *frames)
{
    const loop_report *report = &frames->report;
    const tp_report *world = &report->world;
    tp_cache_counters cache = tp_cache_report(staged->cache);
    double fps = 1 / scene_frame_seconds(&staged->scene);
    fprintf(stream, "scene       %s, %u particles, seed %" PRIu32 "\n",
            text_shown(staged->scene.name), world->particles, staged->scene.world.seed);
    fprintf(stream,
            "frames      %" PRIu64 " simulated in %" PRIu64 " game frames of 1/%.4g s, %" PRIu64
            " of them lagged\n",
            report->frames, report->game_frames, fps, report->lagged_frames);
    fprintf(stream,
            "steps       %" PRIu64 ", %.2f per frame; last step %.2f ms, Courant number %.3f\n",
            world->steps, (double)world->steps / (double)report->frames,
            (double)world->timestep * 1e3, (double)world->courant);
    print_budget(stream, "work       ", report->max_frame_units, frames->settings.work,
                 "units per frame", report->frames_over_budget);
    print_budget(stream, "time       ", report->max_frame_us, frames->settings.budget_us,
                 "us per frame", report->frames_over_budget_us);
    fprintf(stream,
            "            median %" PRIu64
            " us per frame, longest slice %u units; %.2f s in total, vectors of %u\n",
            report->median_frame_us, report->max_slice_units, report->seconds, stage_lanes(0));
    fprintf(stream,
            "memory      %zu bytes world, %zu bytes cache; heap allocations during the run: ",
            staged->world_bytes, staged->cache_bytes);
    if (report->allocations_counted)
        fprintf(stream, "%" PRIu64 "\n", report->allocations);
    else
        fputs("not counted\n", stream);
    fprintf(stream, "cache       %u frames, %u bytes in use\n", cache.frames, cache.bytes);
    if (is_incompressible(staged))
        fprintf(stream, "compression mean %.4f %%, worst frame %.3f %%, worst particle %.2f %%\n",
                100 * report->compression, 100 * report->frame_compression_max,
                100 * report->particle_compression_max);
    print_limits(stream, staged, frames);
    fprintf(stream, "state hash  %016" PRIx64 "\n", report->state_hash);
}
