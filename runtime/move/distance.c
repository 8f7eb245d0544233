/* SPDX-License-Identifier: MIT
   runtime/move/distance.c - signed distance grids: a swept sphere against a level set of trilinear
           samples.
   reads   samples, a cast      writes  the cast's earliest hit
   memory  4 bytes per sample   cost    at most 24 trace steps per search
   after   sphere tracing (Hart 1996) in empty space. Inside a cell the interpolant along a line is
           a cubic polynomial; Bezier clipping with its Bernstein hull (Sederberg and Nishita 1990)
           bounds the free part of the line, so that a sphere sliding along the surface is not
           slowed down

   Outside the grid the value is that of the nearest point of the grid plus the distance to it. A
   trace that does not end within 24 steps pauses; the path continues from there, until the limit
   of contacts stops it. */
#include "collide.h"

#define TPI_TRACE_STEPS 24u

typedef struct distance_view {
    const float *value;
    uint32_t columns, rows, layers;
    float spacing;
    tp_vector size;
} distance_view;

/* The eight corners of a cell; in 2D the upper four repeat the lower four. */
typedef struct distance_cell {
    float corner[8]; /* order: x fastest, then y, then z */
    tp_vector low;   /* m */
} distance_cell;

static distance_view distance_view_of(const tp_world *world, const tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    distance_view view = {tpi_floats(world, world->geometry + item->samples),
                          def->columns,
                          def->rows,
                          def->layers,
                          def->spacing,
                          {0.0f, 0.0f, 0.0f}};
    view.size = tpi_vector((float)(def->columns - 1u) * def->spacing,
                           (float)(def->rows - 1u) * def->spacing,
                           (float)(def->layers - 1u) * def->spacing);
    return view;
}

static tp_vector distance_clamp(const distance_view *view, tp_vector point)
{
    return tpi_vector(tpi_clamp(point.x, 0.0f, view->size.x),
                      tpi_clamp(point.y, 0.0f, view->size.y),
                      tpi_clamp(point.z, 0.0f, view->size.z));
}

static uint32_t distance_index(const distance_view *view, float coordinate, uint32_t samples)
{
    return samples < 2u
               ? 0u
               : (uint32_t)tpi_clamp(coordinate / view->spacing, 0.0f, (float)(samples - 2u));
}

static distance_cell distance_cell_at(const distance_view *view, tp_vector point)
{
    distance_cell cell;
    uint32_t i = distance_index(view, point.x, view->columns),
             j = distance_index(view, point.y, view->rows);
    uint32_t k = distance_index(view, point.z, view->layers);
    uint32_t next_layer = view->layers < 2u ? 0u : view->columns * view->rows;
    const float *base = view->value + i + view->columns * (j + view->rows * k);
    for (uint32_t c = 0; c < 8; c++)
        cell.corner[c] = base[(c & 1u) + ((c >> 1) & 1u) * view->columns + (c >> 2) * next_layer];
    cell.low =
        tpi_vector((float)i * view->spacing, (float)j * view->spacing, (float)k * view->spacing);
    return cell;
}

/* The cell's interpolant, also extrapolated beyond its sides, and its gradient. */
static float distance_value(const distance_view *view, const distance_cell *cell, tp_vector point,
                            tp_vector *gradient)
{
    const float *v = cell->corner;
    float x = (point.x - cell->low.x) / view->spacing, y = (point.y - cell->low.y) / view->spacing;
    float z = (point.z - cell->low.z) / view->spacing;
    float low_y0 = v[0] + (v[1] - v[0]) * x, low_y1 = v[2] + (v[3] - v[2]) * x;
    float high_y0 = v[4] + (v[5] - v[4]) * x, high_y1 = v[6] + (v[7] - v[6]) * x;
    float low = low_y0 + (low_y1 - low_y0) * y, high = high_y0 + (high_y1 - high_y0) * y;
    float slope_low = (v[1] - v[0]) + ((v[3] - v[2]) - (v[1] - v[0])) * y;
    float slope_high = (v[5] - v[4]) + ((v[7] - v[6]) - (v[5] - v[4])) * y;
    gradient->x = (slope_low + (slope_high - slope_low) * z) / view->spacing;
    gradient->y =
        ((low_y1 - low_y0) + ((high_y1 - high_y0) - (low_y1 - low_y0)) * z) / view->spacing;
    gradient->z = (high - low) / view->spacing;
    return low + (high - low) * z;
}

/* Value and gradient at any point; outside the grid the gradient of clamped axes points away from
   it. */
static float distance_at(const distance_view *view, tp_vector point, tp_vector *gradient)
{
    tp_vector within = distance_clamp(view, point), out = tpi_sub(point, within);
    distance_cell cell = distance_cell_at(view, within);
    float value = distance_value(view, &cell, within, gradient), length = tpi_length(out);
    if (length == 0.0f) return value;
    tp_vector away = tpi_scale(out, 1.0f / length);
    *gradient =
        tpi_vector(out.x != 0.0f ? away.x : gradient->x, out.y != 0.0f ? away.y : gradient->y,
                   out.z != 0.0f ? away.z : gradient->z);
    return value + length;
}

void tpi_grid_distance(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                       tpi_wall *wall)
{
    distance_view view = distance_view_of(world, item);
    tp_vector gradient;
    float value = distance_at(&view, point, &gradient);
    float length = tpi_length(gradient);
    bool is_steep = length > 1e-6f;
    wall->normal = is_steep ? tpi_scale(gradient, 1.0f / length) : tpi_vector(0.0f, 0.0f, 0.0f);
    wall->distance = is_steep ? value : FLT_MAX;
}

float tpi_grid_lipschitz(const float *samples, const tp_collider_def *def)
{
    const uint32_t stride[3] = {1u, def->columns, def->columns * def->rows};
    const uint32_t counts[3] = {def->columns, def->rows, def->layers};
    float steepest[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < counts[2]; k++)
        for (uint32_t j = 0; j < counts[1]; j++)
            for (uint32_t i = 0; i < counts[0]; i++)
                for (uint32_t axis = 0; axis < 3; axis++) {
                    const uint32_t index[3] = {i, j, k};
                    const float *at = samples + i + stride[1] * j + stride[2] * k;
                    if (index[axis] + 1u < counts[axis])
                        steepest[axis] = tpi_max(steepest[axis], tpi_abs(at[stride[axis]] - at[0]));
                }
    tp_vector slope = {steepest[0] / def->spacing, steepest[1] / def->spacing,
                       steepest[2] / def->spacing};
    return tpi_max(tpi_length(slope), 1.0f);
}

/* ---- the trace ---- */

/* The constants of a trace. */
typedef struct distance_trace {
    float target;    /* value below which the trace must not go */
    float length;    /* m: length of the segment */
    float steepness; /* Lipschitz bound, also outside the grid */
    float nudge;     /* fraction of the segment that moves the point across a side of a cell */
} distance_trace;

static float distance_leave_axis(float from, float move, float low, float high)
{
    if (tpi_abs(move) < 1e-20f) return 2.0f;
    return ((move > 0.0f ? high : low) - from) / move;
}

/* Where the line through the coefficients i and j of a cubic's hull crosses 0. */
static float distance_crossing(const float coefficient[4], uint32_t i, uint32_t j)
{
    float part = coefficient[i] / (coefficient[i] - coefficient[j]);
    return ((float)i + (float)(j - i) * part) / 3.0f;
}

/* Share of [0, 1] on which the cubic through four equally spaced values is certainly above 0
   (Bezier clipping): up to the first point where the convex hull of its Bernstein coefficients
   meets 0. */
static float distance_clip(const float f[4])
{
    float b1 = (-5.0f * f[0] + 18.0f * f[1] - 9.0f * f[2] + 2.0f * f[3]) / 6.0f;
    float b2 = (2.0f * f[0] - 9.0f * f[1] + 18.0f * f[2] - 5.0f * f[3]) / 6.0f;
    const float coefficient[4] = {f[0], b1, b2, f[3]};
    float share = 1.0f;
    for (uint32_t j = 1; j < 4; j++)
        for (uint32_t i = 0; i < j && coefficient[j] < 0.0f; i++)
            if (coefficient[i] >= 0.0f)
                share = tpi_min(share, distance_crossing(coefficient, i, j));
    return share;
}

/* The fraction of the segment that is certainly free from cast->traced on, inside one cell. */
static float distance_advance_cell(const distance_view *view, const tpi_cast *cast,
                                   const distance_trace *trace, tp_vector point)
{
    tp_vector ahead = tpi_add_scaled(point, cast->move, trace->nudge), move = cast->move, gradient;
    distance_cell cell = distance_cell_at(view, distance_clamp(view, ahead));
    float side = view->spacing, leave = 1.0f - cast->traced, f[4];
    leave = tpi_min(leave, distance_leave_axis(point.x, move.x, cell.low.x, cell.low.x + side));
    leave = tpi_min(leave, distance_leave_axis(point.y, move.y, cell.low.y, cell.low.y + side));
    if (view->layers > 1u)
        leave = tpi_min(leave, distance_leave_axis(point.z, move.z, cell.low.z, cell.low.z + side));
    leave = tpi_max(leave, trace->nudge);
    for (uint32_t k = 0; k < 4; k++) {
        tp_vector at = tpi_add_scaled(point, move, leave * ((float)k / 3.0f));
        f[k] = distance_value(view, &cell, at, &gradient) - trace->target;
    }
    if (f[0] <= 0.0f) return 0.0f;
    return leave * distance_clip(f);
}

static bool distance_is_within(const distance_view *view, tp_vector point)
{
    return point.x >= 0.0f && point.x <= view->size.x && point.y >= 0.0f &&
           point.y <= view->size.y &&
           (view->layers < 2u || (point.z >= 0.0f && point.z <= view->size.z));
}

static tp_vector distance_normal(const tpi_cast *cast, tp_vector gradient)
{
    tp_vector against = tpi_normalise(tpi_scale(cast->move, -1.0f), tpi_vector(0.0f, 1.0f, 0.0f));
    return tpi_normalise(gradient, against);
}

/* The push is a Newton step, because the gradient of samples that are not exact distances may be
   far from 1. */
static void distance_hit(tpi_cast *cast, float time, float value, tp_vector gradient)
{
    float steepness = tpi_max(tpi_length(gradient), 0.25f);
    float distance = cast->clearance - (cast->clearance - value) / steepness;
    tpi_cast_hit(cast, time, distance_normal(cast, gradient), distance);
}

/* Tests the start of the segment. True if the cast is decided. */
static bool distance_start(tpi_cast *cast, float value, tp_vector gradient)
{
    bool is_inside = !cast->is_jump && value < cast->inside;
    if (value >= cast->contact) return false;
    if (!is_inside && !(tpi_dot(cast->move, gradient) < 0.0f)) return false;
    if (!(cast->time > 0.0f)) return true;
    distance_hit(cast, 0.0f, value, gradient);
    cast->began_inside = is_inside;
    return true;
}

/* One trace step. True when the trace is over. */
static bool distance_step(const distance_view *view, tpi_cast *cast, const distance_trace *trace)
{
    tp_vector point = tpi_add_scaled(cast->from, cast->move, cast->traced), gradient;
    float value = distance_at(view, point, &gradient), least = trace->nudge * 0.25f;
    if (cast->part > TPI_TRACE_STEPS) {
        tpi_cast_hit(cast, cast->traced, distance_normal(cast, gradient), cast->clearance);
        cast->is_pause = true;
        return true;
    }
    float advance = (value - trace->target) / (trace->steepness * trace->length);
    if (advance < 1.0f - cast->traced && distance_is_within(view, point))
        advance = tpi_max(advance, distance_advance_cell(view, cast, trace, point));
    if (!(advance > least)) {
        if (tpi_dot(cast->move, gradient) < 0.0f) {
            distance_hit(cast, cast->traced, value, gradient);
            return true;
        }
        advance = least; /* in contact, but moving away */
    }
    cast->traced += advance;
    return cast->traced >= tpi_min(cast->time, 1.0f);
}

uint32_t tpi_cast_grid(const tp_world *world, const tpi_collider_item *item, tpi_cast *cast,
                       uint32_t units, bool *done)
{
    distance_view view = distance_view_of(world, item);
    tp_vector gradient;
    float value = distance_at(&view, cast->from, &gradient), steep = item->lipschitz;
    float skin = 2.0f * (cast->clearance - cast->contact), length = tpi_length(cast->move);
    distance_trace trace = {tpi_min(cast->contact, value - skin * 0.0625f), tpi_max(length, 1e-20f),
                            tpi_sqrt(steep * steep + 1.0f), 0.0f};
    trace.nudge = skin * 0.015625f / (steep * trace.length);
    uint32_t used = 0;
    for (*done = false; used < units && !*done; used++) {
        if (cast->part++ == 0)
            *done = distance_start(cast, value, gradient) || length < 1e-20f;
        else
            *done = distance_step(&view, cast, &trace);
    }
    return used;
}

#undef TPI_TRACE_STEPS
