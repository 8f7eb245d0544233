/* SPDX-License-Identifier: MIT
   host_tools/render/chart_private.h - shared internals of charts: plot areas and texts.
   reads   -      writes  -
   memory  none   cost    -
   after   own design */
#ifndef TIDEPOOL_CHART_PRIVATE_H
#define TIDEPOOL_CHART_PRIVATE_H
#include "render_private.h"

/* The plot area of one panel: maps x and y to pixels. */
typedef struct plot {
    FILE *out;
    const chart *plan;
    double left, right, top, bottom; /* pixels */
    double x_low, x_high, y_low, y_high;
} plot;

/* Writes text with the five special characters of XML escaped, and '?' for bytes that are not valid
   characters. */
void chart_put_text(FILE *out, const char *text);
void chart_put_label(FILE *out, double x, double y, const char *class_name, const char *text);
/* A panel's title above its left edge; `unit` may be NULL. */
void chart_put_title(const plot *area, const char *title, const char *unit);
/* Distance between ticks: 1, 2 or 5 times a power of ten, for about `wanted` ticks in the range. */
double chart_tick_step(double range, double wanted);
/* Formats a tick value, for example 12000 as 12k and 0.0005 as 5e-04: short, and exact for tick
   values. */
void chart_tick_text(double value, double step, char text[32]);
double chart_x(const plot *area, double value);

/* ---- cells (chart_cells.c) */
void chart_put_strips(const plot *area, const chart_strips *strips);
/* Height of a map with its axis in an area of width `area_width`, in pixels. */
double chart_map_height(const chart_map *map, double area_width);
void chart_put_map(const plot *area, const chart_map *map);

#endif
