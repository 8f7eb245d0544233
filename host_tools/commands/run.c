/* SPDX-License-Identifier: MIT
   host_tools/commands/run.c - `tidepool run SCENE`: the main job, from scene to recorded, exported, drawn frames.
   reads   a scene      writes  a report; with --out the files that run_write.c names
   memory  one block for the world, one for the cache, both before the loop; the loop allocates nothing
   cost    the frames simulated, then about 10 ms a picture
   after   own design */
#include "run.h"
#include "../common/text.h"
#include "../common/threads.h"
#include "commands.h"
#include <inttypes.h>

const char help_run[] =
    "usage: tidepool run SCENE [--frames N] [--work UNITS] [--budget-us N] [--slice UNITS] [--seed N]\n"
    "                    [--threads N] [--out DIR] [--csv] [--json] [--quiet]\n"
    "\n"
    "Simulates a scene in a frame loop and records every simulated frame in a ring in memory.\n"
    "SCENE is a file, the name of a shipped scene (tidepool help lists them), or - for standard input.\n"
    "\n"
    "  --frames N      simulated frames (default: the scene's); a run that lags takes more game frames\n"
    "  --work UNITS    budget of a game frame in units of work; 0: no limit (default: the scene's)\n"
    "  --budget-us N   budget of a game frame in microseconds; 0: no limit (default: the scene's)\n"
    "  --slice UNITS   work between two looks at the budget, 64 to 65536\n"
    "  --seed N        of every random number\n"
    "  --threads N     1 to 16 share the stages that look at pairs (default 1)\n"
    "  --out DIR       leaves a Blender cache, pictures, a chart and the report there; made when missing\n"
    "  --csv           and every point of every frame as a table\n"
    "  --json          the report as one JSON object\n"
    "  --quiet         nothing but errors, and what --json asks for\n"
    "\n"
    "The final state does not depend on budgets, slices and threads (overload policy carry): compare "
    "state_hash.\n"
    "\n"
    "example: tidepool run dam_break --work 200000 --out out\n";

enum {
    RUN_FRAMES,
    RUN_WORK,
    RUN_BUDGET,
    RUN_SLICE,
    RUN_SEED,
    RUN_THREADS,
    RUN_OUT,
    RUN_CSV,
    RUN_JSON,
    RUN_QUIET,
    RUN_OPTIONS
};

static int wrong_number(const char *name, const char *text, const char *allowed)
{
    return host_error(HOST_USAGE, "run", HOST_NO_OFFSET, "--%s %s: allowed: %s", name, text, allowed);
}

static int read_settings(const host_option *options, const scene *source, loop_settings *settings)
{
    const char *frames = options[RUN_FRAMES].value, *work = options[RUN_WORK].value,
               *budget = options[RUN_BUDGET].value;
    *settings =
        (loop_settings){.frames = source->frames, .work = source->work, .budget_us = source->budget_us};
    if (frames &&
        (!host_parse_u32(frames, &settings->frames) || settings->frames < 1 || settings->frames > 1048576))
        return wrong_number("frames", frames, "1 to 1048576");
    if (work && !host_parse_u32(work, &settings->work))
        return wrong_number("work", work, "0 to 4294967295 units");
    if (budget && !host_parse_u32(budget, &settings->budget_us))
        return wrong_number("budget-us", budget, "0 to 4294967295 microseconds");
    settings->quiet = options[RUN_QUIET].value || options[RUN_JSON].value;
    return HOST_DONE;
}

static int run_scene(stage *staged, const loop_settings *settings, const host_option *options)
{
    loop frames;
    loop_settings shown = *settings;
    shown.take = stage_show;
    shown.context = staged;
    int code = stage_open(staged, settings->frames);
    if (!code) code = loop_open(&frames, &staged->scene, &shown, staged->world, staged->cache);
    if (code) return code;
    run_output output = {
        .folder = options[RUN_OUT].value, .name = staged->scene.name, .quiet = settings->quiet};
    if (output.folder) code = run_check_targets(&output);
    if (!code && output.folder) code = stage_open_shown(staged, settings->frames);
    if (!code) code = loop_run(&frames);
    if (!code && output.folder) code = run_write(&output, staged, &frames, options[RUN_CSV].value != NULL);
    if (!code && options[RUN_JSON].value)
        run_print_json(stdout, staged, &frames);
    else if (!code && !options[RUN_QUIET].value)
        run_print_report(stdout, staged, &frames);
    loop_close(&frames);
    return code;
}

int command_run(int argc, char **argv)
{
    host_option options[RUN_OPTIONS] = {
        [RUN_FRAMES] = {"frames", false, NULL},    [RUN_WORK] = {"work", false, NULL},
        [RUN_BUDGET] = {"budget-us", false, NULL}, [RUN_SLICE] = {"slice", false, NULL},
        [RUN_SEED] = {"seed", false, NULL},        [RUN_THREADS] = {"threads", false, NULL},
        [RUN_OUT] = {"out", false, NULL},          [RUN_CSV] = {"csv", true, NULL},
        [RUN_JSON] = {"json", true, NULL},         [RUN_QUIET] = {"quiet", true, NULL},
    };
    const char *path = NULL;
    size_t count;
    stage staged;
    loop_settings settings;
    threads lent;
    if (host_help(argc, argv, help_run)) return HOST_DONE;
    int code = host_parse("run", argc, argv, options, RUN_OPTIONS, &path, 1, &count);
    if (code) return code;
    host_quiet(options[RUN_QUIET].value != NULL);
    if (options[RUN_CSV].value && !options[RUN_OUT].value)
        return host_error(HOST_USAGE, "run", HOST_NO_OFFSET,
                          "--csv needs --out DIR, the folder that the table goes to");
    code = stage_load(&staged, "run", path, options[RUN_SEED].value, options[RUN_SLICE].value);
    if (code) return code;
    code = read_settings(options, &staged.scene, &settings);
    if (!code) code = threads_open(&lent, "run", options[RUN_THREADS].value);
    if (!code) {
        settings.jobs = threads_jobs(&lent);
        code = run_scene(&staged, &settings, options);
        threads_close(&lent);
    }
    stage_close(&staged);
    return code;
}

/* ---- reports */

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
#define JSON_NUMBERS(stream, numbers) json_numbers(stream, numbers, sizeof(numbers) / sizeof(numbers)[0])
/* Under the field's own name. */
#define JSON_FIELD(report, field) \
    {                             \
#field, (report)->field   \
    }

/* A build that lacks the linker's --wrap does not count allocations. */
static void json_costs(FILE *stream, const stage *staged, const loop *frames)
{
    const loop_report *report = &frames->report;
    const json_number numbers[] = {
        {"memory_bytes", staged->world_bytes},
        {"heap_allocations_during_run", report->allocations_counted ? report->allocations : NOT_COUNTED},
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

static void json_counters(FILE *stream, const stage *staged, const loop *frames)
{
    const tp_report *world = &frames->report.world;
    tp_cache_counters cache = tp_cache_report(staged->cache);
    const json_number numbers[] = {
        JSON_FIELD(world, neighbours_dropped),
        JSON_FIELD(world, killed_particles),
        JSON_FIELD(staged, cache_bytes),
        {"cache_frames", cache.frames},
        {"cache_frames_evicted", cache.frames_evicted},
        JSON_FIELD(&frames->report, total_units),
        JSON_FIELD(world, born),
        JSON_FIELD(world, died),
        JSON_FIELD(world, speeds_clamped),
        JSON_FIELD(world, collisions),
        JSON_FIELD(world, overlaps_left),
        JSON_FIELD(world, displacements_clamped),
        JSON_FIELD(world, courant_exceeded),
        JSON_FIELD(world, steps_restarted),
    };
    JSON_NUMBERS(stream, numbers);
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
    };
    fputs("{\n  \"scene\": ", stream);
    host_json_text(stream, staged->scene.name);
    JSON_NUMBERS(stream, numbers);
    fprintf(stream, ",\n  \"state_hash\": \"%016" PRIx64 "\"", report->state_hash);
    json_costs(stream, staged, frames);
    json_counters(stream, staged, frames);
    fprintf(stream, ",\n  \"seconds\": %.6f\n}\n", report->seconds);
}

/* "no limit", or a budget and the share of it that the worst frame took. */
static void print_budget(FILE *stream, const char *name, uint64_t most, uint64_t budget, const char *unit,
                         uint64_t over)
{
    fprintf(stream, "%s most %" PRIu64 " %s", name, most, unit);
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
    fprintf(stream, "scene       %s, %u particles, seed %" PRIu32 "\n", text_shown(staged->scene.name),
            world->particles, staged->scene.world.seed);
    fprintf(stream,
            "frames      %" PRIu64 " simulated in %" PRIu64 " game frames of 1/%.4g s, %" PRIu64
            " of them lagged\n",
            report->frames, report->game_frames, fps, report->lagged_frames);
    fprintf(stream, "steps       %" PRIu64 ", %.2f a frame; last step %.2f ms, Courant number %.3f\n",
            world->steps, (double)world->steps / (double)report->frames, (double)world->timestep * 1e3,
            (double)world->courant);
    print_budget(stream, "work       ", report->max_frame_units, frames->settings.work, "units a frame",
                 report->frames_over_budget);
    print_budget(stream, "time       ", report->max_frame_us, frames->settings.budget_us, "us a frame",
                 report->frames_over_budget_us);
    fprintf(stream, "            median %" PRIu64 " us a frame, longest slice %u units; %.2f s in all\n",
            report->median_frame_us, report->max_slice_units, report->seconds);
    fprintf(stream, "memory      %zu bytes world, %zu bytes cache; heap allocations during the run: ",
            staged->world_bytes, staged->cache_bytes);
    if (report->allocations_counted)
        fprintf(stream, "%" PRIu64 "\n", report->allocations);
    else
        fputs("not counted\n", stream);
    fprintf(stream, "cache       %u frames, %u bytes in use, %" PRIu64 " frames evicted\n", cache.frames,
            cache.bytes, cache.frames_evicted);
    fprintf(stream,
            "losses      %" PRIu64 " neighbours dropped, %" PRIu64 " left out of crowded cells, %" PRIu64
            " particles killed, %" PRIu64 " speeds clamped\n",
            world->neighbours_dropped, world->cells_crowded, world->killed_particles, world->speeds_clamped);
    fprintf(stream, "state hash  %016" PRIx64 "\n", report->state_hash);
}
