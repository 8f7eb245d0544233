/* SPDX-License-Identifier: MIT
   host_tools/commands/run_draw.c - pictures of a run: contact sheet, animation, chart of its
           budget.
   reads   the cache of a run      writes  NAME.png, NAME.gif, NAME_budget.svg
   memory  some canvases           cost    per picture: host_tools/guide/pictures.md
   after   own design */
#include "run.h"
#include "../common/picture.h"
#include <stdlib.h>

#define SHEET_COLUMNS  4u
#define SHEET_WIDTH    400u /* of one cell */
#define GIF_RATE       20.0 /* pictures per second: enough for a fluid, and a third of the file */
#define GIF_WIDTH      560u
#define GIF_WIDTH_3D   400u /* a shaded pixel costs ten times as much as a flat one */
#define GIF_FRAMES_MAX 240u
#define LEARN_FRAMES   6u /* frames that are sampled for the palette */

static uint32_t scaled_height(const scene *source, uint32_t width)
{
    uint32_t height = (uint32_t)((uint64_t)width * source->height / source->width);
    return height ? height + height % 2 : 2;
}

static uint64_t frame_number(const stage *staged, uint32_t index)
{
    tp_cache_frame at = {0};
    return tp_cache_frame_at(staged->shown, index, &at) == TP_OK ? at.frame : 0;
}

/* ---- contact sheet */

static int draw_cells(const stage *staged, picture *cell, playback *frames, const sheet_plan *plan,
                      canvas *sheet)
{
    uint32_t recorded = tp_cache_report(staged->shown).frames;
    double seconds = scene_frame_seconds(&staged->scene);
    for (int32_t i = 0; i < plan->count; i++) {
        char caption[32];
        uint32_t last = recorded ? recorded - 1 : 0,
                 steps = plan->count > 1 ? (uint32_t)plan->count - 1 : 1;
        uint64_t frame = frame_number(staged, (uint32_t)((uint64_t)last * (uint32_t)i / steps));
        if (!playback_load(frames, frame)) continue;
        (void)playback_load_springs(frames, frame); /* without them sheets look whole */
        int code = picture_draw(cell, frames, frame);
        if (code) return code;
        snprintf(caption, sizeof caption, "%.2f s", (double)frame * seconds);
        sheet_add(sheet, plan, i, cell->canvas, caption);
    }
    return HOST_DONE;
}

int run_draw_sheet(const run_output *output, const stage *staged)
{
    const scene *source = &staged->scene;
    picture cell;
    playback frames;
    uint32_t recorded = tp_cache_report(staged->shown).frames;
    uint32_t count = recorded && recorded < source->pictures ? recorded : source->pictures;
    int code = picture_open(&cell, source, SHEET_WIDTH, scaled_height(source, SHEET_WIDTH), false);
    if (code) return code;
    char *path = host_text("%s/%s.png", output->hidden, source->name);
    char *subtitle =
        host_text("%u particles, %u frames", tp_world_report(staged->world).particles, recorded);
    sheet_plan plan = {.columns = (int32_t)(count < SHEET_COLUMNS ? count : SHEET_COLUMNS),
                       .count = (int32_t)count,
                       .cell_width = cell.canvas->width,
                       .cell_height = cell.canvas->height,
                       .title = source->title ? source->title : source->name,
                       .subtitle = subtitle};
    canvas *sheet = sheet_create(&plan);
    code = path && subtitle && sheet ? playback_open(&frames, staged->shown)
                                     : host_out_of_memory("the contact sheet");
    if (!code) {
        frames.spring_cache = staged->whole;
        code = draw_cells(staged, &cell, &frames, &plan, sheet);
        if (!code) code = png_write(path, sheet);
        playback_close(&frames);
    }
    canvas_free(sheet);
    picture_close(&cell);
    free(path);
    free(subtitle);
    return code;
}

/* ---- animation */

static int add_pictures(gif_writer *gif, const stage *staged, picture *view, playback *frames,
                        uint32_t every, bool learns)
{
    uint32_t recorded = tp_cache_report(staged->shown).frames;
    uint32_t stride = learns ? recorded / LEARN_FRAMES + 1 : every;
    for (uint32_t i = learns ? stride / 2 : 0; i < recorded; i += stride) {
        uint64_t frame = frame_number(staged, i);
        if (!playback_load(frames, frame)) continue;
        (void)playback_load_springs(frames, frame); /* without them sheets look whole */
        int code = picture_draw(view, frames, frame);
        if (!code) code = learns ? gif_learn(gif, view->canvas) : gif_add(gif, view->canvas);
        if (code) return code;
    }
    return HOST_DONE;
}

int run_draw_animation(const run_output *output, const stage *staged)
{
    const scene *source = &staged->scene;
    picture view;
    playback frames;
    gif_writer *gif = NULL;
    double fps = 1 / (scene_frame_seconds(source) * source->cache_step);
    uint32_t recorded = tp_cache_report(staged->shown).frames,
             every = fps > GIF_RATE ? (uint32_t)(fps / GIF_RATE + 0.5) : 1;
    while (recorded / every > GIF_FRAMES_MAX) every++;
    uint32_t width = source->world.dimensions == 2 ? GIF_WIDTH : GIF_WIDTH_3D;
    int code = picture_open(&view, source, width, scaled_height(source, width), true);
    if (code) return code;
    char *path = host_text("%s/%s.gif", output->hidden, source->name);
    gif_options options = {.width = view.canvas->width,
                           .height = view.canvas->height,
                           .frames_per_second = fps / every,
                           .hold = 100};
    code = path ? playback_open(&frames, staged->shown) : host_out_of_memory("a path");
    if (!code) {
        frames.spring_cache = staged->whole;
        code = gif_open(&gif, path, &options);
        if (!code) code = add_pictures(gif, staged, &view, &frames, every, true);
        if (!code) code = add_pictures(gif, staged, &view, &frames, every, false);
        if (gif) {
            int closed = gif_close(gif, !code);
            code = code ? code : closed;
        }
        playback_close(&frames);
    }
    picture_close(&view);
    free(path);
    return code;
}

/* ---- chart */

typedef struct chart_columns {
    double *units, *steps, *timestep, *courant, *particles;
} chart_columns;

static void fill_columns(const loop *frames, double *values, chart_columns *columns)
{
    uint32_t count = frames->report.trace_count;
    *columns = (chart_columns){values, values + count, values + 2 * count, values + 3 * count,
                               values + 4 * count};
    for (uint32_t i = 0; i < count; i++) {
        const loop_trace *trace = &frames->trace[i];
        columns->units[i] = trace->units;
        columns->steps[i] = trace->steps;
        columns->timestep[i] = trace->timestep * 1e3;
        columns->courant[i] = trace->courant;
        columns->particles[i] = trace->particles;
    }
}

int run_draw_chart(const run_output *output, const stage *staged, const loop *frames)
{
    const scene *source = &staged->scene;
    const uint32_t work = frames->settings.work;
    size_t count = frames->report.trace_count;
    chart_columns columns;
    double *values = host_allocate(count * 5, sizeof *values);
    char *path = host_text("%s/%s_budget.svg", output->hidden, source->name);
    char *subtitle = host_text("%llu simulated frames in %llu game frames, %llu over budget",
                               (unsigned long long)frames->report.frames,
                               (unsigned long long)frames->report.game_frames,
                               (unsigned long long)frames->report.frames_over_budget);
    int code = values && path && subtitle ? HOST_DONE : host_out_of_memory("the chart");
    if (!code) {
        fill_columns(frames, values, &columns);
        bool is_adaptive = source->world.substeps.is_adaptive;
        chart_panel panels[5] = {
            {.title = "work",
             .unit = "units / game frame",
             .series = {{"cost", columns.units, count, CHART_AREA, 0}},
             .series_count = 1,
             .has_reference = work > 0,
             .reference = work,
             .reference_name = "budget",
             .from_zero = true},
            {.title = "sub-steps",
             .unit = "per game frame",
             .series = {{"steps", columns.steps, count, CHART_STEP, 0}},
             .series_count = 1,
             .from_zero = true,
             .height = 90},
            {.title = "time step",
             .unit = "ms",
             .series = {{"dt", columns.timestep, count, CHART_STEP, 0}},
             .series_count = 1,
             .from_zero = true,
             .height = 110},
            {.title = "Courant number",
             .series = {{"largest", columns.courant, count, CHART_LINE, 0}},
             .series_count = 1,
             .has_reference = is_adaptive,
             .reference = (double)source->world.substeps.courant,
             .reference_name = "target",
             .from_zero = true,
             .height = 110},
            {.title = "particles",
             .series = {{"alive", columns.particles, count, CHART_LINE, 0}},
             .series_count = 1,
             .from_zero = true,
             .height = 80},
        };
        chart plan = {.title = source->title ? source->title : source->name,
                      .subtitle = subtitle,
                      .x_name = "game frame",
                      .x_first = 1,
                      .x_step = frames->report.trace_stride,
                      .panels = panels,
                      .panel_count = 5};
        code = chart_write(path, &plan);
    }
    free(values);
    free(path);
    free(subtitle);
    return code;
}
