/* SPDX-License-Identifier: MIT
   host_tools/common/contour.c - the surface of a distance grid as lines: its contour in 2D,
           contours of plane sections in 3D.
   reads   samples      writes  pairs of points
   memory  the caller's      cost    O(samples of the sections)
   after   marching squares (Lorensen and Cline 1987 in the plane) */
#include "picture.h"

#define CUTS_MAX 14u /* sections per axis: few enough to see the inside */

/* One plane of samples: index of its origin, strides and axes of its two directions. */
typedef struct cut {
    const tp_collider_def *def;
    size_t origin, step_u, step_v;
    uint32_t count_u, count_v;
    int axis_u, axis_v, axis_w;
    float depth; /* m along axis_w */
} cut;

static void put_point(const cut *plane, float u, float v, float *to)
{
    to[plane->axis_u] = u * plane->def->spacing;
    to[plane->axis_v] = v * plane->def->spacing;
    to[plane->axis_w] = plane->depth;
}

/* Positions where the surface crosses the edges of a cell, in order around it: 0, 2 or 4. */
static size_t cross_cell(const cut *plane, uint32_t u, uint32_t v, float *crossings)
{
    static const uint32_t corners[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    const float *base = plane->def->samples + plane->origin + plane->step_u * u + plane->step_v * v;
    size_t count = 0;
    for (int edge = 0; edge < 4; edge++) {
        const uint32_t *a = corners[edge], *b = corners[edge + 1];
        float from = base[plane->step_u * a[0] + plane->step_v * a[1]],
              to = base[plane->step_u * b[0] + plane->step_v * b[1]];
        if ((from < 0) == (to < 0)) continue;
        float part = from / (from - to), du = (float)b[0] - (float)a[0],
              dv = (float)b[1] - (float)a[1];
        put_point(plane, (float)(u + a[0]) + part * du, (float)(v + a[1]) + part * dv,
                  crossings + 3 * count++);
    }
    return count;
}

/* Lines of one section; only counted if `points` is NULL. */
static size_t trace_cut(const cut *plane, float *points)
{
    size_t lines = 0;
    for (uint32_t v = 0; v + 1 < plane->count_v; v++) {
        for (uint32_t u = 0; u + 1 < plane->count_u; u++) {
            float crossings[12];
            size_t found = cross_cell(plane, u, v, crossings) / 2;
            for (size_t i = 0; points && i < 6 * found; i++) points[6 * lines + i] = crossings[i];
            lines += found;
        }
    }
    return lines;
}

size_t contour_lines(const tp_collider_def *def, float *points)
{
    const uint32_t counts[3] = {def->columns, def->rows, def->layers};
    const size_t steps[3] = {1, def->columns, (size_t)def->columns * def->rows};
    size_t lines = 0;
    for (int axis = def->layers == 1 ? 2 : 0; axis < 3; axis++) {
        uint32_t stride = counts[axis] / CUTS_MAX + 1;
        for (uint32_t at = counts[axis] / 2 % stride; at < counts[axis]; at += stride) {
            cut plane = {
                .def = def, .axis_u = (axis + 1) % 3, .axis_v = (axis + 2) % 3, .axis_w = axis};
            plane.origin = steps[axis] * at;
            plane.step_u = steps[plane.axis_u], plane.step_v = steps[plane.axis_v];
            plane.count_u = counts[plane.axis_u], plane.count_v = counts[plane.axis_v];
            plane.depth = (float)at * def->spacing;
            lines += trace_cut(&plane, points ? points + 6 * lines : NULL);
        }
    }
    return lines;
}
