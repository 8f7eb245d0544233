/* SPDX-License-Identifier: MIT
   host_tools/commands/activity_draw.c - the chart of `tidepool activity`: frames over time, regions
           over time and in the box.
   reads   counts      writes  one SVG
   memory  64 bytes per frame, and the sums of the regions once more      cost    O(frames + regions
           * columns)
   after   own design */
#include "../formats/bphys.h"
#include "../render/render.h"
#include "activity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 6, PANELS_MAX = 5, STRIP_MOST = 176, STRIP_LEAST = 60 };
#define STRIP_HEIGHT 11 /* pixels per row of a region, if all rows fit */

typedef struct drawing {
    const activity *result;
    double *curve[CURVES]; /* keys, bytes, mean step, largest step, births, deaths */
    double *values;        /* the memory of all curves */
    char (*names)[8], (*shares)[8];
    const char **name, **share;
    double *sums; /* of regions */
    chart_panel panels[PANELS_MAX];
    size_t panel_count;
    chart_strips strips;
    chart_map map;
} drawing;

static int take_room(drawing *target, const activity *result)
{
    size_t frames = result->frame_count,
           regions = (size_t)result->regions.side * result->regions.side;
    memset(target, 0, sizeof *target);
    target->result = result;
    target->values = host_allocate(frames * CURVES, sizeof *target->values);
    target->names = host_allocate(regions, sizeof *target->names);
    target->shares = host_allocate(regions, sizeof *target->shares);
    target->name = host_allocate(regions, sizeof *target->name);
    target->share = host_allocate(regions, sizeof *target->share);
    target->sums = host_allocate(regions, sizeof *target->sums);
    bool good = target->values && target->names && target->shares && target->name && target->share;
    return good && target->sums ? HOST_DONE : host_out_of_memory("the chart");
}

static void free_room(drawing *target)
{
    free(target->values);
    free(target->names);
    free(target->shares);
    free(target->name);
    free(target->share);
    free(target->sums);
}

static void fill_curves(drawing *target)
{
    size_t count = target->result->frame_count;
    for (size_t k = 0; k < CURVES; k++) target->curve[k] = target->values + k * count;
    for (size_t f = 0; f < count; f++) {
        const activity_frame *frame = &target->result->frames[f];
        double keys =
            activity_knows_keys(target->result, frame) ? (double)frame->keys : (double)NAN;
        const double values[CURVES] = {keys,
                                       (double)frame->bits / 8,
                                       frame->mean_step,
                                       frame->largest_step,
                                       frame->births,
                                       frame->deaths};
        for (size_t k = 0; k < CURVES; k++) target->curve[k][f] = values[k];
    }
}

/* Adds a panel with the named curves, starting at curve `first`. */
static void add_panel(drawing *target, size_t first, const chart_panel *panel)
{
    chart_panel *added = &target->panels[target->panel_count++];
    *added = *panel;
    added->from_zero = true;
    for (size_t s = 0; s < added->series_count; s++) {
        added->series[s].values = target->curve[first + s];
        added->series[s].count = target->result->frame_count;
    }
}

static bool any_births(const activity *result)
{
    for (size_t f = 0; f < result->frame_count; f++)
        if (result->frames[f].births || result->frames[f].deaths) return true;
    return false;
}

static void add_panels(drawing *target)
{
    const activity *result = target->result;
    if (result->has_keys)
        add_panel(
            target, 0,
            &(chart_panel){
                .title = "keys",
                .unit = "points / frame that could not be predicted; unknown where a group begins",
                .series = {{.style = CHART_AREA, .colour = 0xe8743bff}},
                .series_count = 1,
                .height = 130});
    if (result->has_bytes)
        add_panel(
            target, 1,
            &(chart_panel){.title = "stored",
                           .unit = "bytes / frame; the first frame of a group stores all positions",
                           .series = {{.style = CHART_STEP}},
                           .series_count = 1,
                           .height = 110});
    add_panel(
        target, 2,
        &(chart_panel){.title = "motion",
                       .unit = "length / frame",
                       .series = {{.name = "mean step", .style = CHART_AREA}, {.name = "largest"}},
                       .series_count = 2,
                       .height = 130});
    if (any_births(result))
        add_panel(target, 4,
                  &(chart_panel){
                      .title = "lives",
                      .unit = "points / frame",
                      .series = {{.name = "births", .style = CHART_STEP, .colour = 0x1ea98aff},
                                 {.name = "deaths", .style = CHART_STEP, .colour = 0xe0527aff}},
                      .series_count = 2,
                      .height = 90});
}

static void add_regions(drawing *target, double frame_step)
{
    const activity *result = target->result;
    const activity_regions *regions = &result->regions;
    uint32_t count = regions->side * regions->side;
    double total = activity_total(result);
    const char *unit = result->has_keys ? "share of the keys" : "share of the motion";
    int32_t height = (int32_t)count * STRIP_HEIGHT;
    for (uint32_t r = 0; r < count; r++) {
        target->sums[r] = activity_region_sum(regions, activity_sums(result), r);
        activity_region_name(result, r, target->names[r]);
        snprintf(target->shares[r], sizeof *target->shares, "%.1f %%",
                 total > 0 ? 100 * target->sums[r] / total : 0);
        target->name[r] = target->names[r];
        target->share[r] = target->shares[r];
    }
    target->strips = (chart_strips){activity_sums(result), count, regions->columns,
                                    frame_step * (double)regions->column_frames, target->name};
    height = height > STRIP_MOST ? STRIP_MOST : height < STRIP_LEAST ? STRIP_LEAST : height;
    target->panels[target->panel_count++] = (chart_panel){
        .title = "regions", .unit = unit, .strips = &target->strips, .height = height};
    target->map = (chart_map){.title = "where",
                              .unit = unit,
                              .values = target->sums,
                              .rows = regions->side,
                              .columns = regions->side,
                              .names = target->name,
                              .texts = target->share,
                              .low = {regions->low[0], regions->low[1]},
                              .high = {regions->high[0], regions->high[1]}};
    target->map.x_name = activity_axis_name(regions, 0);
    target->map.y_name = activity_axis_name(regions, 1);
}

/* The frame interval; 0: frame numbers are not evenly spaced. */
static int32_t even_step(const host_sequence *sequence)
{
    const int32_t *numbers = sequence->numbers;
    for (size_t i = 2; i < sequence->frame_count; i++)
        if ((int64_t)numbers[i] - numbers[i - 1] != (int64_t)numbers[1] - numbers[0]) return 0;
    return sequence->frame_count > 1 ? numbers[1] - numbers[0] : 1;
}

int activity_draw(const char *path, const host_sequence *sequence, const activity *result)
{
    drawing target;
    int code = take_room(&target, result);
    int32_t step = even_step(sequence);
    char *object = bphys_object_name(sequence->name);
    char *title = host_text("activity of %s", object ? object : sequence->name);
    char bound[48] = "";
    if (result->has_keys)
        snprintf(bound, sizeof bound, ", within %.4g", sequence->errors[POINT_LOCATION]);
    char *subtitle = host_text("%zu frame%s of at most %u points, %s%s", result->frame_count,
                               result->frame_count == 1 ? "" : "s", sequence->point_count,
                               sequence->format->name, bound);
    if (!code && (!title || !subtitle)) code = host_out_of_memory("the chart");
    if (!code) {
        bool has_places = result->regions.low[0] <= result->regions.high[0];
        fill_curves(&target);
        add_panels(&target);
        if (has_places) add_regions(&target, step ? step : 1);
        chart plan = {.title = title,
                      .subtitle = subtitle,
                      .x_name =
                          step ? "frame" : "frames in order; their numbers are not evenly spaced",
                      .x_first = step ? sequence->numbers[0] : 1,
                      .x_step = step ? step : 1,
                      .panels = target.panels,
                      .panel_count = target.panel_count,
                      .map = has_places ? &target.map : NULL};
        code = chart_write(path, &plan);
    }
    free_room(&target);
    free(object);
    free(title);
    free(subtitle);
    return code;
}
