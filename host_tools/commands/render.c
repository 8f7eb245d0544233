/* SPDX-License-Identifier: MIT
   host_tools/commands/render.c - `tidepool render PATH`: draws pictures and animations of recorded
           frames.
   reads   any sequence that formats.h opens      writes  one .png, .gif or .y4m
   memory  one frame and some canvases      cost    two passes over the frames: bounds, pictures
   after   own design; points that all lie in one vertical plane are drawn in 2D */
#include "commands.h"
#include "output.h"
#include "../common/scene.h"
#include "../common/words.h"
#include "../formats/formats.h"
#include "../render/lit.h"
#include "render_spacing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char help_render[] =
    "usage: tidepool render PATH --out FILE.png|.gif|.y4m [--frame N | --frames A-B] [--size WxH]\n"
    "                       [--camera fit|YAW,PITCH,DISTANCE] [--style beads|fluid|smoke] "
    "[--radius R] "
    "[--fps N]\n"
    "                       [--light FILE [--samples N] [--fast] [--noise FILE.png]] [--quiet]\n"
    "\n"
    "Draws recorded frames.\n"
    "\n"
    "  PATH   a sequence: DIR/NAME, any one file of it, or a folder with one sequence in it\n"
    "\n"
    "  --out FILE.png   One frame, or a contact sheet of at most 12 frames.\n"
    "  --out FILE.gif   An animation.\n"
    "  --out FILE.y4m   A video without compression. --out - writes it to standard output.\n"
    "                   A film: ffmpeg -i FILE.y4m -pix_fmt yuv420p FILE.mp4\n"
    "  --frame N        Draw one frame (.png only). Fractions such as 10.5 are interpolated.\n"
    "  --frames A-B     Draw frames A to B, or frame A alone (default: all).\n"
    "  --size WxH       Width and height in pixels (default 800x600).\n"
    "  --camera C       3D only: fit (default), or YAW,PITCH,DISTANCE: two angles in degrees and "
    "the\n"
    "                   distance from the centre; distance 0 shows all.\n"
    "  --style S        Draw beads (default), a ball per point, a fluid with a smooth surface, or\n"
    "                   smoke: a cloud.\n"
    "  --radius R       Radius of a drawn point, in scene units (default: from the number of "
    "points).\n"
    "                   Points of a fluid are R / 0.6 apart (default: as far as they are).\n"
    "  --fps N          Frames per second of the animation, such as 25 or 30000/1001 (default "
    "25).\n"
    "  --light FILE     3D: light the points by lamps with soft shadows, a sky, and patches; the "
    "format:\n"
    "                   host_tools/light/SETUP.md.\n"
    "  --samples N      With --light: samples of a pixel, 1 to 4096 (default 8); noisy pixels get "
    "more.\n"
    "  --fast           With --light: count the first samples, too. Darker where light is rare: "
    "biased.\n"
    "  --noise FILE.png With --light and --frame: the standard error of each pixel; white: 0.1.\n"
    "  --quiet          Print only errors.\n"
    "\n"
    "example: tidepool render out/dam_break --frames 1-120 --out splash.gif\n";

enum {
    OPTION_OUT,
    OPTION_FRAME,
    OPTION_FRAMES,
    OPTION_SIZE,
    OPTION_CAMERA,
    OPTION_STYLE,
    OPTION_RADIUS,
    OPTION_FPS,
    OPTION_LIGHT,
    OPTION_SAMPLES,
    OPTION_FAST,
    OPTION_NOISE,
    OPTION_QUIET,
    OPTIONS
};

typedef enum output_kind { OUTPUT_PNG, OUTPUT_GIF, OUTPUT_Y4M } output_kind;

#define SHEET_MAX    12u
#define BOUNDS_MAX   48u   /* frames that are sampled for the bounds */
#define FLUID_RADIUS 0.63f /* in distances of nearest points */

typedef struct renderer {
    host_sequence sequence;
    const char *out;
    output_kind kind;
    bool has_frame;
    double frame;
    int32_t first, last;
    uint32_t width, height, fps_numerator, fps_denominator;
    bool is_quiet, is_flat;
    render_scene render;
    float fastest;
    canvas *canvas;
    const char *light, *noise; /* NULL: not given */
    light_setup setup;
    lit_room *surface; /* NULL: without lights */
    lit_options lit;
    canvas *noise_canvas; /* NULL: none is wanted */
    float *positions;
    float *velocities;
    size_t room;
    char label[64];
} renderer;

static int wrong(const char *option, const char *text, const char *allowed)
{
    return host_error(HOST_USAGE, "render", HOST_NO_OFFSET, "--%s %s: allowed: %s", option, text,
                      allowed);
}

/* ---- options */

/* Without --out: a scene has no frames, which the user must know first. The name of a shipped scene
   may also be that of a sequence. */
static int needs_output(const char *path)
{
    host_sequence sequence;
    host_listener deaf;
    host_listen_to_nothing(&deaf);
    bool is_sequence = host_sequence_open(&sequence, path, NULL) == HOST_DONE;
    host_listen_end();
    if (is_sequence) host_sequence_close(&sequence);
    int code = is_sequence ? HOST_DONE : scene_run_first(path);
    if (code) return code;
    return host_error(HOST_USAGE, "render", HOST_NO_OFFSET, "needs --out FILE.png, .gif or .y4m");
}

static int read_output(renderer *target, const char *out)
{
    target->out = out;
    if (output_has_ending(out, ".png"))
        target->kind = OUTPUT_PNG;
    else if (output_has_ending(out, ".gif"))
        target->kind = OUTPUT_GIF;
    else if (output_has_ending(out, ".y4m") || strcmp(out, "-") == 0)
        target->kind = OUTPUT_Y4M;
    else
        return wrong("out", out, "a name that ends in .png, .gif or .y4m, or - for y4m");
    return HOST_DONE;
}

static int read_light(renderer *target, const host_option *options)
{
    const char *samples = options[OPTION_SAMPLES].value, *noise = options[OPTION_NOISE].value;
    uint32_t count = 8;
    bool is_fast = options[OPTION_FAST].value != NULL;
    target->light = options[OPTION_LIGHT].value;
    target->noise = noise;
    if (!target->light && (samples || is_fast || noise))
        return host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "--samples, --fast and --noise need --light FILE");
    if (samples && (!host_parse_u32(samples, &count) || count < 1 || count > 4096))
        return wrong("samples", samples, "1 to 4096");
    if (noise && (!output_has_ending(noise, ".png") || !target->has_frame))
        return wrong("noise", noise, "a name that ends in .png, with --frame N");
    if (target->light && (target->render.fluids || target->render.smokes))
        return host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "--light draws balls, or clouds by the opacity of its file: leave out "
                          "--style");
    target->lit.plan = lit_plan(count, target->width * target->height, is_fast);
    target->lit.is_quiet = target->is_quiet;
    return HOST_DONE;
}

static int read_options(renderer *target, const host_option *options)
{
    double radius = 0;
    const char *frame = options[OPTION_FRAME].value, *frames = options[OPTION_FRAMES].value,
               *size = options[OPTION_SIZE].value;
    const char *camera = options[OPTION_CAMERA].value, *text = options[OPTION_RADIUS].value,
               *fps = options[OPTION_FPS].value, *style = options[OPTION_STYLE].value;
    scene_style drawn = SCENE_BEADS;
    target->first = INT32_MIN;
    target->last = INT32_MAX;
    target->width = 800;
    target->height = 600;
    target->fps_numerator = 25;
    target->fps_denominator = 1;
    target->is_quiet = options[OPTION_QUIET].value != NULL;
    target->render = render_default_scene();
    if (frame && frames)
        return host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "--frame and --frames exclude one another");
    if (frame && !host_parse_f64(frame, &target->frame)) return wrong("frame", frame, "a number");
    target->has_frame = frame != NULL;
    if (frames && !host_parse_range(frames, &target->first, &target->last))
        return wrong("frames", frames, "A-B with A up to B");
    if (size && !words_size(size, &target->width, &target->height))
        return wrong("size", size, "WIDTHxHEIGHT, each 1 to 16384");
    if (camera && !render_camera_parse(camera, &target->render.camera))
        return wrong("camera", camera, "fit, or YAW,PITCH,DISTANCE");
    if (style && !scene_style_parse(style, &drawn))
        return wrong("style", style, "beads, fluid, smoke");
    target->render.fluids = drawn == SCENE_FLUID ? ~0u : 0;
    target->render.smokes = drawn == SCENE_SMOKE ? ~0u : 0;
    if (text && (!host_parse_f64(text, &radius) || radius <= 0))
        return wrong("radius", text, "a number above 0");
    target->render.radius = (float)radius;
    if (fps && (!words_fraction(fps, &target->fps_numerator, &target->fps_denominator) ||
                !target->fps_numerator))
        return wrong("fps", fps, "a number above 0, as 25 or 30000/1001");
    return read_light(target, options);
}

/* ---- bounds and view */

/* Stored frames in the range: index of the first, and their number. */
static size_t frames_in_range(const renderer *source, size_t *first)
{
    const host_sequence *sequence = &source->sequence;
    size_t from = 0, to = sequence->frame_count;
    while (from < to && sequence->numbers[from] < source->first) from++;
    while (to > from && sequence->numbers[to - 1] > source->last) to--;
    *first = from;
    return to - from;
}

static void grow_bounds(renderer *target, const host_frame *frame, bool *any)
{
    const float *location = frame->data[POINT_LOCATION], *velocity = frame->data[POINT_VELOCITY];
    render_scene *render = &target->render;
    for (uint32_t i = 0; location && i < frame->count; i++) {
        const float *x = location + 3 * (size_t)i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) continue;
        for (int axis = 0; axis < 3; axis++) {
            if (!*any || x[axis] < render->bounds_min[axis]) render->bounds_min[axis] = x[axis];
            if (!*any || x[axis] > render->bounds_max[axis]) render->bounds_max[axis] = x[axis];
        }
        *any = true;
        if (!velocity) continue;
        const float *v = velocity + 3 * (size_t)i;
        float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (isfinite(speed) && speed > target->fastest) target->fastest = speed;
    }
}

static int find_bounds(renderer *target)
{
    size_t first, count = frames_in_range(target, &first), step = count / BOUNDS_MAX + 1;
    bool any = false;
    for (size_t i = 0; i < count; i += step) {
        host_frame frame = {0};
        int code = host_sequence_load(&target->sequence, first + i, &frame);
        if (code) return code;
        grow_bounds(target, &frame, &any);
        host_frame_free(&frame);
    }
    if (!any)
        return host_error(HOST_BAD_INPUT, target->sequence.path, HOST_NO_OFFSET,
                          "no points in these frames");
    return HOST_DONE;
}

/* Points of a fluid in the middle frame tell the radius, if none was given. Those at rest are a
   little nearer than the fluid's spacing. */
static int find_radius(renderer *target)
{
    size_t first, count = frames_in_range(target, &first);
    host_frame frame = {0};
    if (!target->render.fluids || target->render.radius > 0 || !count) return HOST_DONE;
    int code = host_sequence_load(&target->sequence, first + count / 2, &frame);
    if (!code && frame.data[POINT_LOCATION])
        target->render.radius =
            FLUID_RADIUS * render_spacing(frame.data[POINT_LOCATION], frame.count);
    host_frame_free(&frame);
    return code;
}

/* A lit surface is in the picture, too. Its y is up. */
static void grow_by_surface(renderer *target, bool is_z_up)
{
    float *low = target->render.bounds_min, *high = target->render.bounds_max, from[3], to[3];
    if (!target->surface || !lit_bounds(target->surface, from, to)) return;
    if (is_z_up) {
        const float turned[3] = {from[0], -to[2], from[1]}, ends[3] = {to[0], -from[2], to[1]};
        memcpy(from, turned, sizeof from);
        memcpy(to, ends, sizeof to);
    }
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = fminf(low[axis], from[axis]);
        high[axis] = fmaxf(high[axis], to[axis]);
    }
}

/* 2D if all points lie in one plane: of constant y in formats with z up, of constant z in the
   others. */
static void set_view(renderer *target)
{
    render_scene *render = &target->render;
    bool is_z_up = host_sequence_is_z_up(&target->sequence);
    int flat_axis = is_z_up ? 1 : 2;
    float *low = render->bounds_min, *high = render->bounds_max;
    float side = fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    target->is_flat =
        !target->light && !render->smokes && high[flat_axis] - low[flat_axis] <= 1e-6f * side;
    render->dimensions = target->is_flat ? 2 : 3;
    render->up_axis = is_z_up ? 2 : 1;
    if (target->is_flat && is_z_up) low[1] = low[2], high[1] = high[2];
    float count = (float)(target->sequence.point_count ? target->sequence.point_count : 1);
    float room = side > 0 ? side : 1;
    if (!(render->radius > 0))
        render->radius = target->is_flat ? 0.28f * room / sqrtf(count) : 0.3f * room / cbrtf(count);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] -= 2 * render->radius;
        high[axis] += 2 * render->radius;
    }
    grow_by_surface(target, is_z_up);
    render->colour_by = target->fastest > 0 ? RENDER_BY_SPEED : RENDER_BY_SPECIES;
    /* so that a few fast points do not darken the rest */
    render->speed_max = target->fastest * 0.8f;
    render->title = target->sequence.name;
}

/* ---- pictures */

static bool take_room(renderer *target, size_t count)
{
    if (count <= target->room) return true;
    free(target->positions);
    free(target->velocities);
    target->positions = host_allocate(count * 3, sizeof *target->positions);
    target->velocities = host_allocate(count * 3, sizeof *target->velocities);
    target->room = target->positions && target->velocities ? count : 0;
    return target->room != 0;
}

static void copy_points(const renderer *target, const float *from, float *to, size_t count)
{
    bool turns = target->is_flat && target->render.up_axis == 2;
    for (size_t i = 0; i < count; i++, from += 3, to += 3) {
        to[0] = from[0];
        to[1] = turns ? from[2] : from[1];
        to[2] = turns ? 0 : from[2];
    }
}

static int draw(renderer *target, double number)
{
    host_frame frame = {0};
    int code = host_guard_check(target->out);
    if (!code) code = host_sequence_sample(&target->sequence, number, &frame);
    if (!code) code = host_sequence_keep_alive(&target->sequence, &frame);
    if (!code && !take_room(target, frame.count ? frame.count : 1))
        code = host_out_of_memory("a frame");
    if (!code) {
        const float *velocity = frame.data[POINT_VELOCITY];
        if (frame.data[POINT_LOCATION])
            copy_points(target, frame.data[POINT_LOCATION], target->positions, frame.count);
        if (velocity) copy_points(target, velocity, target->velocities, frame.count);
        snprintf(target->label, sizeof target->label, "frame %.6g", number);
        target->render.label = target->label;
        target->render.positions = target->positions;
        target->render.velocities = velocity ? target->velocities : NULL;
        target->render.particle_count = frame.data[POINT_LOCATION] ? frame.count : 0;
        code = target->light ? lit_draw(target->surface, &target->render, &target->lit,
                                        target->canvas, target->noise_canvas)
                             : render_draw(&target->render, target->canvas);
    }
    host_frame_free(&frame);
    return code;
}

static int write_sheet(renderer *target)
{
    size_t first, count = frames_in_range(target, &first);
    uint32_t cells = count < SHEET_MAX ? (uint32_t)count : SHEET_MAX;
    if (target->has_frame || cells == 1) {
        int code =
            draw(target, target->has_frame ? target->frame : target->sequence.numbers[first]);
        if (!code && target->noise) code = png_write(target->noise, target->noise_canvas);
        return code ? code : png_write(target->out, target->canvas);
    }
    sheet_plan plan = {.columns = cells < 4 ? (int32_t)cells : 4,
                       .count = (int32_t)cells,
                       .cell_width = target->canvas->width,
                       .cell_height = target->canvas->height,
                       .title = target->sequence.name};
    target->render.title = NULL;
    canvas *sheet = sheet_create(&plan);
    int code = sheet ? HOST_DONE : host_out_of_memory("the contact sheet");
    for (uint32_t i = 0; i < cells && !code; i++) {
        char caption[32];
        int32_t number = target->sequence.numbers[first + (count - 1) * i / (cells - 1)];
        code = draw(target, number);
        snprintf(caption, sizeof caption, "%d", number);
        if (!code) sheet_add(sheet, &plan, (int32_t)i, target->canvas, caption);
    }
    if (!code) code = png_write(target->out, sheet);
    canvas_free(sheet);
    return code;
}

static int learn_colours(renderer *target, gif_writer *gif)
{
    size_t first, count = frames_in_range(target, &first);
    int code = HOST_DONE;
    for (size_t i = 0; i < 4 && !code; i++) {
        code = draw(target, target->sequence.numbers[first + (count - 1) * i / 3]);
        if (!code) code = gif_learn(gif, target->canvas);
    }
    return code;
}

static int write_animation(renderer *target)
{
    size_t first, count = frames_in_range(target, &first);
    gif_writer *gif = NULL;
    y4m_writer video;
    gif_options plan = {.width = target->canvas->width,
                        .height = target->canvas->height,
                        .hold = 100,
                        .frames_per_second =
                            (double)target->fps_numerator / target->fps_denominator};
    y4m_options stream = {target->canvas->width, target->canvas->height, target->fps_numerator,
                          target->fps_denominator, false};
    bool is_gif = target->kind == OUTPUT_GIF;
    host_progress progress;
    int code = is_gif ? gif_open(&gif, target->out, &plan) : y4m_open(&video, target->out, &stream);
    if (code) return code;
    if (is_gif) code = learn_colours(target, gif);
    host_progress_start(&progress, "drawing", count, target->is_quiet);
    for (size_t i = 0; i < count && !code; i++) {
        code = draw(target, target->sequence.numbers[first + i]);
        if (!code) code = is_gif ? gif_add(gif, target->canvas) : y4m_add(&video, target->canvas);
        host_progress_update(&progress, i + 1);
    }
    host_progress_end(&progress);
    int closed = is_gif ? gif_close(gif, !code) : y4m_close(&video, !code);
    return code ? code : closed;
}

/* Outside the recorded frames there is nothing to draw. */
static int check_frames(const renderer *target)
{
    const host_sequence *sequence = &target->sequence;
    size_t first, count = frames_in_range(target, &first);
    if (target->has_frame && target->kind != OUTPUT_PNG)
        return host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "--frame is for .png; an animation takes --frames A-B");
    if (!sequence->frame_count)
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET, "no frames");
    int32_t from = sequence->numbers[0], to = sequence->numbers[sequence->frame_count - 1u];
    if (target->has_frame && (target->frame < from || target->frame > to))
        return host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "%s has no frame %g; its frames are %d to %d", sequence->path,
                          target->frame, from, to);
    if (!target->has_frame && !count)
        return host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "%s has no frame in %d-%d; its frames are %d to %d", sequence->path,
                          target->first, target->last, from, to);
    return HOST_DONE;
}

static int render_sequence(renderer *target)
{
    int code = find_bounds(target);
    if (!code) code = find_radius(target);
    if (code) return code;
    if (target->light) code = light_setup_load(&target->setup, target->light);
    if (!code && target->light) code = lit_open(&target->surface, &target->setup);
    if (code) return code;
    set_view(target);
    target->canvas = canvas_create((int32_t)target->width, (int32_t)target->height);
    if (target->noise)
        target->noise_canvas = canvas_create((int32_t)target->width, (int32_t)target->height);
    if (!target->canvas || (target->noise && !target->noise_canvas))
        return host_out_of_memory("a picture");
    return target->kind == OUTPUT_PNG ? write_sheet(target) : write_animation(target);
}

int command_render(int argc, char **argv)
{
    host_option options[OPTIONS] = {
        [OPTION_OUT] = {"out", false, NULL},       [OPTION_FRAME] = {"frame", false, NULL},
        [OPTION_FRAMES] = {"frames", false, NULL}, [OPTION_SIZE] = {"size", false, NULL},
        [OPTION_CAMERA] = {"camera", false, NULL}, [OPTION_STYLE] = {"style", false, NULL},
        [OPTION_RADIUS] = {"radius", false, NULL}, [OPTION_FPS] = {"fps", false, NULL},
        [OPTION_LIGHT] = {"light", false, NULL},   [OPTION_SAMPLES] = {"samples", false, NULL},
        [OPTION_FAST] = {"fast", true, NULL},      [OPTION_NOISE] = {"noise", false, NULL},
        [OPTION_QUIET] = {"quiet", true, NULL},
    };
    const char *path = NULL;
    size_t count;
    renderer target = {0};
    if (host_help(argc, argv, help_render)) return HOST_DONE;
    int code = host_parse("render", argc, argv, options, OPTIONS, &path, 1, &count);
    if (!code && !path)
        code = host_error(HOST_USAGE, "render", HOST_NO_OFFSET,
                          "needs a sequence; see tidepool render --help");
    if (!code && !options[OPTION_OUT].value) code = needs_output(path);
    if (!code) code = read_output(&target, options[OPTION_OUT].value);
    if (!code) code = read_options(&target, options);
    if (code) return code;
    host_quiet(target.is_quiet);
    code = host_sequence_open(&target.sequence, path, NULL);
    if (code) return code;
    code = check_frames(&target);
    if (!code) code = host_sequence_need(&target.sequence, &host_needs_location, "render");
    if (!code) code = host_sequence_find_times(&target.sequence);
    if (!code) code = render_sequence(&target);
    host_sequence_close(&target.sequence);
    canvas_free(target.canvas);
    canvas_free(target.noise_canvas);
    lit_close(target.surface);
    light_setup_free(&target.setup);
    free(target.positions);
    free(target.velocities);
    return code;
}
