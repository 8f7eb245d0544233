/* SPDX-License-Identifier: MIT
   host_tools/commands/run.c - `tidepool run SCENE`: simulates a scene under a budget; records,
           exports and draws its frames.
   reads   a scene      writes  a report; with --out the files that run_write.c names
   memory  one block for the world, one for the cache, both before the loop; the loop allocates
           nothing
   cost    the frames simulated, then about 10 ms per picture
   after   own design */
#include "run.h"
#include "../common/threads.h"
#include "commands.h"
#include <string.h>

const char help_run[] =
    "usage: tidepool run SCENE [--frames N] [--work UNITS] [--budget-us N] [--slice UNITS] [--seed "
    "N]\n"
    "                    [--threads N] [--out DIR] [--style fluid|beads|smoke] [--csv]\n"
    "                    [--steps-csv FILE] [--json] [--quiet]\n"
    "\n"
    "Simulates a scene in a frame loop under a budget. Records every simulated frame in memory.\n"
    "SCENE is a scene file, the name of a shipped scene (see tidepool help), or - for standard "
    "input.\n"
    "\n"
    "  --frames N      Simulate N frames (default: as in the scene).\n"
    "  --work UNITS    Limit the work of each game frame (default: as in the scene; 0: no limit).\n"
    "                  One unit is one visited pair of particles, or one particle in one pass.\n"
    "  --budget-us N   Limit the time of each game frame, in microseconds (same default; 0: no "
    "limit).\n"
    "  --slice UNITS   Work between two checks of the budget, 64 to 65536 (default: as in the "
    "scene).\n"
    "  --seed N        Seed of all random numbers (default: as in the scene).\n"
    "  --threads N     Threads for the stages that visit pairs, 1 to 16 (default 1).\n"
    "  --out DIR       Write a Blender cache, a clip, pictures, a chart and the report into DIR.\n"
    "                  DIR is created if it does not exist.\n"
    "  --style S       With --out: draw fluids as fluid, or all as beads, a ball per particle, or\n"
    "                  as smoke (default: as in the scene).\n"
    "  --csv           With --out: also write a table with every point of every frame.\n"
    "  --steps-csv FILE  Write a table with a row per step: its time, length and Courant number.\n"
    "  --json          Print the report as one JSON object.\n"
    "  --quiet         Print only errors, and the report if --json is given.\n"
    "\n"
    "A run that exceeds its budget needs more game frames for the same simulated frames.\n"
    "With the overload policy `carry` the final state_hash is the same for every budget, slice "
    "and\n"
    "number of threads.\n"
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
    RUN_STYLE,
    RUN_CSV,
    RUN_STEPS,
    RUN_JSON,
    RUN_QUIET,
    RUN_OPTIONS
};

static int wrong_number(const char *name, const char *text, const char *allowed)
{
    return host_error(HOST_USAGE, "run", HOST_NO_OFFSET, "--%s %s: allowed: %s", name, text,
                      allowed);
}

static int read_settings(const host_option *options, const scene *source, loop_settings *settings)
{
    const char *frames = options[RUN_FRAMES].value, *work = options[RUN_WORK].value,
               *budget = options[RUN_BUDGET].value;
    *settings = (loop_settings){
        .frames = source->frames, .work = source->work, .budget_us = source->budget_us};
    if (frames && (!host_parse_u32(frames, &settings->frames) || settings->frames < 1 ||
                   settings->frames > 1048576))
        return wrong_number("frames", frames, "1 to 1048576");
    if (work && !host_parse_u32(work, &settings->work))
        return wrong_number("work", work, "0 to 4294967295 units");
    if (budget && !host_parse_u32(budget, &settings->budget_us))
        return wrong_number("budget-us", budget, "0 to 4294967295 microseconds");
    settings->quiet = options[RUN_QUIET].value || options[RUN_JSON].value;
    return HOST_DONE;
}

/* Simulates the frames, with a table of steps at `path` unless it is null. */
static int run_frames(loop *frames, const char *path)
{
    run_steps steps;
    if (!path) return loop_run(frames);
    int code = run_steps_open(&steps, frames->source, path);
    if (code) return code;
    frames->settings.step = run_steps_add;
    frames->settings.step_context = &steps;
    code = loop_run(frames);
    int closed = host_output_close(&steps.output, !code);
    return code ? code : closed;
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
    if (!code) code = run_frames(&frames, options[RUN_STEPS].value);
    if (!code && output.folder)
        code = run_write(&output, staged, &frames, options[RUN_CSV].value != NULL);
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
        [RUN_OUT] = {"out", false, NULL},          [RUN_STYLE] = {"style", false, NULL},
        [RUN_CSV] = {"csv", true, NULL},           [RUN_STEPS] = {"steps-csv", false, NULL},
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
    const char *style = options[RUN_STYLE].value, *steps = options[RUN_STEPS].value;
    scene_style drawn = SCENE_FLUID;
    if (options[RUN_CSV].value && !options[RUN_OUT].value)
        return host_error(HOST_USAGE, "run", HOST_NO_OFFSET,
                          "--csv needs --out DIR, the folder that the table goes to");
    if (steps && strcmp(host_output_path(steps), "-") == 0 &&
        (options[RUN_JSON].value || !options[RUN_QUIET].value))
        return host_error(HOST_USAGE, "run", HOST_NO_OFFSET,
                          "--steps-csv - and the report both go to standard output: name a file, "
                          "or add --quiet without --json");
    if (style && !options[RUN_OUT].value)
        return host_error(HOST_USAGE, "run", HOST_NO_OFFSET,
                          "--style needs --out DIR, the folder that the pictures go to");
    if (style && !scene_style_parse(style, &drawn))
        return host_error(HOST_USAGE, "run", HOST_NO_OFFSET,
                          "--style %s: allowed: fluid, beads, smoke", style);
    code = stage_load(&staged, "run", path, options[RUN_SEED].value, options[RUN_SLICE].value);
    if (code) return code;
    if (drawn == SCENE_SMOKE && staged.scene.world.dimensions == 2) {
        stage_close(&staged);
        return host_error(HOST_USAGE, "run", HOST_NO_OFFSET,
                          "--style smoke needs a scene of three dimensions");
    }
    if (style) staged.scene.style = drawn;
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
