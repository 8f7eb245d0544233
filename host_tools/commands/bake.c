/* SPDX-License-Identifier: MIT
   host_tools/commands/bake.c - `tidepool bake SCENE OUT`: simulates a scene straight into a clip or
           any other format.
   reads   a scene      writes  a sequence, whole or not at all; with --resume a clip in place
   memory  one block for the world, one frame, and the buffers of the format (a clip: one group)
   cost    the simulation, twice with an error bound (to measure the ranges); then that of the
           format
   after   own design: both simulations give the same bits, so that no frame must be stored between
           them */
#include "../common/loop.h"
#include "../common/text.h"
#include "../common/threads.h"
#include "../formats/bphys.h"
#include "bake_level.h"
#include "commands.h"
#include "convert_errors.h"
#include "output.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char help_bake[] =
    "usage: tidepool bake SCENE OUT [--frames A-B] [--error E | --exact] [options]\n"
    "\n"
    "Simulates a scene without a budget and writes each frame immediately. Memory does not grow "
    "with\n"
    "the number of frames.\n"
    "\n"
    "  SCENE   a scene file, the name of a shipped scene (see tidepool help), or - for standard "
    "input\n"
    "  OUT     any output of convert: clip.tpc, DIR/NAME (for Blender), points.ply, table.csv, "
    "...\n"
    "\n"
    "A header of C, OUT.h, has no frames but the meshes of the scene: a level, from an SVG drawing "
    "or\n"
    "tiles too, as arrays and a function that makes the collider.\n"
    "\n"
    "Clips and .bphys files have z up and Blender's velocities. Other formats have the axes of "
    "the\n"
    "scene (y up) and velocities per second.\n"
    "\n"
    "  --frames A-B      Write only frames A to B (default: all); 300 is frame 300 alone. Frames "
    "before\n"
    "                    A are simulated too.\n"
    "  --error E         Clip only: largest error of a coordinate, in scene units. 1e-3r: relative "
    "to\n"
    "                    the largest side of the bounding box; the scene is simulated twice.\n"
    "                    Velocities have the same relative error.\n"
    "  --exact           Keep every bit (default).\n"
    "  --key-interval K  Clip only: frames per group, 1 to 255 (default 64).\n"
    "  --block-bytes N   Clip only: block size, the unit that a player reads into its buffer:\n"
    "                    512 to 32768 (default: at most 4096).\n"
    "  --resume          Clip only: continue an interrupted bake. Give it from the start, and "
    "repeat\n"
    "                    the same command line. Existing frames are simulated again, not "
    "rewritten.\n"
    "  --threads N       Threads for the simulation, 1 to 16 (default 1).\n"
    "  --jobs N          Threads for the encoder of a clip, 1 to 256 (default 1).\n"
    "  --seed N          Seed of all random numbers (default: as in the scene).\n"
    "  --slice UNITS     Work between two checks of the budget, as in run.\n"
    "  --type T          Clips and .bphys files: particles, cloth or softbody. The last two are "
    "the\n"
    "                    nodes of sheets, for a mesh with that modifier. Default: cloth for a "
    ".bphys\n"
    "                    file of a scene in which all particles stay nodes, else particles.\n"
    "  --sheet NAME      Write the nodes of this sheet only, numbered from 0.\n"
    "  --to F            Format of OUT, if its ending does not say it.\n"
    "  --compression C   .bphys only: none (default), light, heavy or zstd.\n"
    "  --json            Print the report as one JSON object.\n"
    "  --quiet           Print only errors.\n"
    "\n"
    "example: tidepool bake dam_break dam.tpc --frames 1-600 --error 1e-3r\n";

enum {
    BAKE_FRAMES,
    BAKE_ERROR,
    BAKE_EXACT,
    BAKE_KEYS,
    BAKE_BLOCKS,
    BAKE_RESUME,
    BAKE_THREADS,
    BAKE_JOBS,
    BAKE_SEED,
    BAKE_SLICE,
    BAKE_TYPE,
    BAKE_SHEET,
    BAKE_TO,
    BAKE_COMPRESSION,
    BAKE_JSON,
    BAKE_QUIET,
    BAKE_OPTIONS
};

typedef struct bake {
    stage staged;
    const char *path;
    const host_format *to;
    int32_t first, last;
    convert_errors errors;
    host_sink_options options;
    bphys_writer_options units;
    host_sink sink;
    bool is_open; /* frames are written, not measured */
    bool quiet;
    const tp_jobs *threads;
    uint32_t id_first, id_end;               /* of the particles that are written */
    uint32_t *ids;                           /* less id_first */
    float *positions, *velocities, *targets; /* [points][3]; targets: of a cloth, else NULL */
    uint32_t points;                         /* of the frame that has most */
    uint64_t state_hash;
    double seconds;
} bake;

/* ---- a frame */

static int take_room(bake *target)
{
    size_t particles = target->staged.scene.world.particles_max;
    target->positions = host_allocate(particles, 3 * sizeof *target->positions);
    target->velocities = host_allocate(particles, 3 * sizeof *target->velocities);
    target->ids = host_allocate(particles, sizeof *target->ids);
    if (target->options.type == POINT_CLOTH)
        target->targets = host_allocate(particles, 3 * sizeof *target->targets);
    bool has_targets = target->options.type != POINT_CLOTH || target->targets;
    return target->positions && target->velocities && target->ids && has_targets
               ? HOST_DONE
               : host_out_of_memory("a frame");
}

static void free_room(bake *target)
{
    free(target->positions);
    free(target->velocities);
    free(target->targets);
    free(target->ids);
}

/* Returns the number of particles that are written. */
static uint32_t interleave(const bake *target, const tp_view *view)
{
    bool is_flat = target->staged.scene.world.dimensions == 2;
    uint32_t count = 0;
    for (size_t i = 0; i < view->count; i++) {
        const size_t k = count;
        float *x = target->positions + 3 * k, *v = target->velocities + 3 * k;
        if (view->id[i] < target->id_first || view->id[i] >= target->id_end) continue;
        x[0] = view->x[i], x[1] = view->y[i], x[2] = is_flat ? 0 : view->z[i];
        v[0] = view->vx[i], v[1] = view->vy[i], v[2] = is_flat ? 0 : view->vz[i];
        target->ids[count++] = view->id[i] - target->id_first;
    }
    return count;
}

/* Springs of a viscoelastic fluid become extra data. On an error the frame is freed. */
static int take_springs(const bake *target, const tp_world *world, host_frame *points)
{
    tp_spring *springs;
    uint32_t count = 0;
    if (!target->staged.scene.world.sph.springs_max) return HOST_DONE;
    if (tp_springs_get(world, NULL, &count) != TP_OK || count == 0) return HOST_DONE;
    springs = host_allocate(count, sizeof *springs);
    if (!springs || tp_springs_get(world, springs, &count) != TP_OK) {
        free(springs);
        host_frame_free(points);
        return host_out_of_memory("the springs of a frame");
    }
    int code = bphys_points_springs(points, springs, count);
    free(springs);
    return code;
}

/* Of the vertices of a mesh, which are all there. On an error the frame is freed. */
static int take_vertices(const bake *target, host_frame *points)
{
    const uint32_t nodes = target->id_end - target->id_first;
    if (points->count != nodes) {
        int code = host_error(HOST_BAD_INPUT, target->path, HOST_NO_OFFSET,
                              "frame %.10g has %u of %u nodes: a mesh keeps all its vertices; "
                              "expected --type particles, or nothing that removes nodes",
                              points->number, points->count, nodes);
        host_frame_free(points);
        return code;
    }
    if (!target->targets) return HOST_DONE;
    scene_sheet_targets(&target->staged.scene, target->id_first, nodes, target->positions,
                        target->targets);
    return bphys_points_targets(points, &target->units, target->targets);
}

static int take_frame(void *context, const tp_world *world, uint64_t frame)
{
    bake *target = context;
    host_frame points;
    if (frame < (uint64_t)target->first) return HOST_DONE;
    tp_view view = tp_world_view(world);
    const uint32_t count = interleave(target, &view);
    int code = bphys_points(&points, &target->units, (int32_t)frame, count, target->ids,
                            target->positions, target->velocities);
    if (!code && target->units.is_mesh) code = take_vertices(target, &points);
    if (!code) code = take_springs(target, world, &points);
    if (code) return code;
    if (target->is_open)
        code = host_sink_write(&target->sink, &points);
    else
        convert_errors_widen(&target->errors, &points);
    if (count > target->points) target->points = count;
    host_frame_free(&points);
    return code ? code : host_guard_check(target->path);
}

/* ---- a simulation */

static int simulate(bake *target, const char *label)
{
    loop frames;
    loop_settings settings = {.frames = (uint32_t)target->last,
                              .quiet = target->quiet,
                              .jobs = target->threads,
                              .label = label,
                              .take = take_frame,
                              .context = target};
    int code = loop_open(&frames, &target->staged.scene, &settings, target->staged.world, NULL);
    if (code) return code;
    if (target->first == (int32_t)target->staged.scene.start.frame)
        code = take_frame(target, target->staged.world, target->staged.scene.start.frame);
    if (!code) code = loop_run(&frames);
    target->state_hash = frames.report.state_hash;
    target->seconds += frames.report.seconds;
    loop_close(&frames);
    return code;
}

/* Velocity bounds and relative bounds depend on the ranges of all frames: a first simulation
   measures them. */
static int measure(bake *target)
{
    if (!(target->errors.error > 0)) return HOST_DONE;
    int code = simulate(target, "measure");
    if (!code) code = stage_restart(&target->staged);
    convert_errors_plan(&target->errors, target->options.type, target->options.errors);
    return code;
}

static int open_sink(bake *target)
{
    const scene *source = &target->staged.scene;
    size_t frames = (size_t)(target->last - target->first) + 1;
    host_sink_options *options = &target->options;
    options->streams =
        POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY);
    if (target->targets) options->streams |= POINT_BIT(POINT_ANGULAR);
    options->name = source->name;
    options->frame_count = options->write_count = frames;
    options->keep_empty = target->to->speaks_bphys_units;
    options->fps = 1 / scene_frame_seconds(source);
    options->is_y_up = !target->to->speaks_bphys_units;
    options->key_interval = target->errors.key_interval;
    options->block_bytes = target->errors.block_bytes;
    int code = host_sink_open(&target->sink, target->path, target->to, options);
    target->is_open = !code;
    return code;
}

/* Reports an output that cannot be written before the measuring simulation begins. */
static int check_place(const bake *target)
{
    host_output output;
    if (target->options.goes_on || !(target->errors.error > 0)) return HOST_DONE;
    int code = host_output_open(&output, target->path);
    if (!code) host_output_close(&output, false);
    return code;
}

static int write_frames(bake *target)
{
    int code = take_room(target);
    if (!code) code = stage_open(&target->staged, 0);
    if (!code) code = check_place(target);
    if (!code) code = measure(target);
    if (!code) code = open_sink(target);
    if (!code) code = simulate(target, "bake");
    if (target->is_open && !code)
        code = host_sink_finish(&target->sink);
    else if (target->is_open)
        host_sink_abandon(&target->sink);
    free_room(target);
    return code;
}

/* ---- the command */

static int read_frames(bake *target, const char *text)
{
    const uint32_t start = target->staged.scene.start.frame;
    target->first = (int32_t)start + 1;
    target->last = (int32_t)target->staged.scene.frames;
    if (!text) return HOST_DONE;
    if (!host_parse_range(text, &target->first, &target->last) || target->first < 1 ||
        target->last > 1048576)
        return output_bad_option("bake", "frames", text,
                                 "A-B with A from 1 and not above B, for example 1-600");
    if (target->first < (int32_t)start)
        return host_error(HOST_USAGE, "bake", HOST_NO_OFFSET,
                          "--frames %s: the scene starts from frame %u; expected frames from it on",
                          text, start);
    return HOST_DONE;
}

/* Meshes: a cloth or soft body of all sheets, or of one. */
static int read_sheets(bake *target, const char *type, const char *sheet)
{
    const scene *source = &target->staged.scene;
    const bool is_cloth = scene_is_cloth(source) && strcmp(target->to->name, "bphys") == 0;
    uint32_t *to = &target->options.type;
    target->id_end = UINT32_MAX;
    *to = is_cloth ? POINT_CLOTH : POINT_PARTICLES;
    if (type && !target->to->speaks_bphys_units)
        return host_error(HOST_USAGE, "bake", HOST_NO_OFFSET,
                          "--type is for .bphys files and clips; %s files have no types",
                          target->to->name);
    if (type && (!point_type_parse(type, to) || *to > POINT_CLOTH))
        return output_bad_option("bake", "type", type, "particles, cloth or softbody");
    target->units.is_mesh = *to != POINT_PARTICLES;
    if ((sheet || target->units.is_mesh) && !source->sheet_count)
        return host_error(HOST_USAGE, "bake", HOST_NO_OFFSET,
                          "%s expects a scene with sheets, found none",
                          sheet ? "--sheet" : "--type");
    if (!sheet && !target->units.is_mesh) return HOST_DONE;
    if (scene_sheet_range(source, sheet, &target->id_first, &target->id_end)) return HOST_DONE;
    return output_bad_option("bake", "sheet", sheet, "the name of a sheet of the scene");
}

static int read_options(bake *target, const host_option *options)
{
    bool is_exact = options[BAKE_EXACT].value != NULL;
    int code = read_frames(target, options[BAKE_FRAMES].value);
    if (!code) code = output_format("bake", target->path, options[BAKE_TO].value, &target->to);
    if (!code && !target->to->create)
        code = host_error(
            HOST_USAGE, "bake", HOST_NO_OFFSET,
            "--to: expected a format that can be written, found %s, which can only be read",
            target->to->name);
    if (!code) code = read_sheets(target, options[BAKE_TYPE].value, options[BAKE_SHEET].value);
    if (!code)
        code = convert_errors_read(
            &target->errors, "bake",
            &(convert_error_options){options[BAKE_ERROR].value, options[BAKE_KEYS].value,
                                     options[BAKE_BLOCKS].value, is_exact, false},
            target->to);
    if (!code)
        code = output_compression("bake", options[BAKE_COMPRESSION].value, target->to,
                                  &target->options.compression);
    if (!code) code = output_jobs("bake", options[BAKE_JOBS].value, &target->options.jobs);
    target->options.goes_on = options[BAKE_RESUME].value != NULL;
    if (!code && target->options.goes_on && !target->to->is_log)
        code = host_error(HOST_USAGE, "bake", HOST_NO_OFFSET,
                          "--resume expects a .tpc clip as OUT, found format %s; leave it out",
                          target->to->name);
    return code;
}

/* Formats other than .bphys and .tpc keep the axes and velocities of the world. */
static void choose_units(bake *target)
{
    bool is_bphys = target->to->speaks_bphys_units;
    double fps =
        is_bphys ? 1 / scene_frame_seconds(&target->staged.scene) : 1 / BPHYS_SECONDS_A_FRAME;
    target->units =
        (bphys_writer_options){NULL, target->path, fps, is_bphys, target->units.is_mesh};
}

static void print_report(const bake *target, bool json)
{
    int32_t frames = target->last - target->first + 1;
    if (json) {
        fputs("{\"scene\": ", stdout);
        host_json_text(stdout, target->staged.scene.name);
        fputs(", \"path\": ", stdout);
        host_json_text(stdout, target->path);
        printf(", \"format\": \"%s\", \"frames\": %d, \"first_frame\": %d, \"last_frame\": %d, "
               "\"points\": %u, "
               "\"error\": %.9g, \"seconds\": %.6f, \"state_hash\": \"%016" PRIx64 "\"}\n",
               target->to->name, (int)frames, (int)target->first, (int)target->last, target->points,
               target->options.errors[POINT_LOCATION], target->seconds, target->state_hash);
    } else if (!target->quiet && strcmp(target->path, "-") != 0) {
        printf("%d frame%s of at most %u points, %s to %s: %s\nstate hash  %016" PRIx64 "\n",
               (int)frames, frames == 1 ? "" : "s", target->points,
               text_shown(target->staged.scene.name), target->to->name, text_shown(target->path),
               target->state_hash);
    }
}

static int bake_scene(bake *target, const host_option *options)
{
    threads lent;
    int code = read_options(target, options);
    if (!code) code = threads_open(&lent, "bake", options[BAKE_THREADS].value);
    if (code) return code;
    target->threads = threads_jobs(&lent);
    choose_units(target);
    code = write_frames(target);
    threads_close(&lent);
    if (!code) print_report(target, options[BAKE_JSON].value != NULL);
    return code;
}

int command_bake(int argc, char **argv)
{
    host_option options[BAKE_OPTIONS] = {
        [BAKE_FRAMES] = {"frames", false, NULL},
        [BAKE_ERROR] = {"error", false, NULL},
        [BAKE_EXACT] = {"exact", true, NULL},
        [BAKE_KEYS] = {"key-interval", false, NULL},
        [BAKE_BLOCKS] = {"block-bytes", false, NULL},
        [BAKE_RESUME] = {"resume", true, NULL},
        [BAKE_THREADS] = {"threads", false, NULL},
        [BAKE_JOBS] = {"jobs", false, NULL},
        [BAKE_SEED] = {"seed", false, NULL},
        [BAKE_SLICE] = {"slice", false, NULL},
        [BAKE_TYPE] = {"type", false, NULL},
        [BAKE_SHEET] = {"sheet", false, NULL},
        [BAKE_TO] = {"to", false, NULL},
        [BAKE_COMPRESSION] = {"compression", false, NULL},
        [BAKE_JSON] = {"json", true, NULL},
        [BAKE_QUIET] = {"quiet", true, NULL},
    };
    const char *paths[2] = {NULL, NULL};
    size_t count;
    bake target;
    memset(&target, 0, sizeof target);
    if (host_help(argc, argv, help_bake)) return HOST_DONE;
    int code = host_parse("bake", argc, argv, options, BAKE_OPTIONS, paths, 2, &count);
    if (!code && count < 2)
        code = host_error(HOST_USAGE, "bake", HOST_NO_OFFSET,
                          "expected SCENE and OUT; see tidepool bake --help");
    if (code) return code;
    target.path = paths[1];
    target.quiet = options[BAKE_QUIET].value || options[BAKE_JSON].value;
    host_quiet(target.quiet);
    code = stage_load(&target.staged, "bake", paths[0], options[BAKE_SEED].value,
                      options[BAKE_SLICE].value);
    if (code) return code;
    code = bake_is_level(target.path) ? bake_level(&target.staged.scene, target.path)
                                      : bake_scene(&target, options);
    stage_close(&target.staged);
    return code;
}
