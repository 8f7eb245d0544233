/* SPDX-License-Identifier: MIT
   host_tools/render/chart_private.h - what the files of a chart share: its plane, its texts.
   reads   -      writes  -
   memory  none   cost    -
   after   own design */
#ifndef TIDEPOOL_CHART_PRIVATE_H
#define TIDEPOOL_CHART_PRIVATE_H
#include "render_private.h"

/* The plane of one panel: x to pixels and y to pixels. */
typedef struct plot {
    FILE *out;
    const chart *plan;
    double left, right, top, bottom; /* pixels */
    double x_low, x_high, y_low, y_high;
} plot;

/* Text with the five characters that XML keeps for itself replaced, and '?' for what is no letter of it. */
void chart_put_text(FILE *out, const char *text);
void chart_put_label(FILE *out, double x, double y, const char *class_name, const char *text);
/* A panel's title above its left edge; `unit` may be NULL. */
void chart_put_title(const plot *area, const char *title, const char *unit);
/* Distance between ticks: 1, 2 or 5 times a power of ten, about `wanted` of them in the range. */
double chart_tick_step(double range, double wanted);
/* 12000 as 12k, 0.0005 as 5e-04: short, and exact for tick values. */
void chart_tick_text(double value, double step, char text[32]);
double chart_x(const plot *area, double value);

/* ---- cells (chart_cells.c) */
void chart_put_strips(const plot *area, const chart_strips *strips);
/* Pixels that a map takes in so wide a room, with its axis. */
double chart_map_height(const chart_map *map, double room);
void chart_put_map(const plot *area, const chart_map *map);

#endif
