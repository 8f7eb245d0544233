/* SPDX-License-Identifier: MIT
   tests/fluids/plot.h - curves and measured points over two axes, as a standalone SVG file.
   reads   values      writes  one file
   memory  the caller's      cost    O(values)
   after   own design; coordinates have one decimal, so that equal curves give equal files */
#ifndef TIDEPOOL_PLOT_H
#define TIDEPOOL_PLOT_H
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define PLOT_WIDTH  735.0
#define PLOT_HEIGHT 420.0
#define PLOT_LEFT   70.0
#define PLOT_RIGHT  205.0 /* the legend */
#define PLOT_TOP    30.0
#define PLOT_BOTTOM 50.0

typedef struct plot_axis {
    const char *name;
    double low, high, tick; /* tick: a distance, or a factor on a logarithmic axis */
    bool is_logarithmic;
} plot_axis;

typedef struct plot {
    FILE *file;
    plot_axis x, y;
    unsigned series;
} plot;

/* Positions on the page, in pixels. */
static inline double plot_share(const plot_axis *axis, double value)
{
    if (axis->is_logarithmic)
        return log(fmax(value, axis->low) / axis->low) / log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

static inline double plot_x(const plot *p, double value)
{
    return PLOT_LEFT + plot_share(&p->x, value) * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}

static inline double plot_y(const plot *p, double value)
{
    return PLOT_HEIGHT - PLOT_BOTTOM -
           plot_share(&p->y, value) * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
}

static inline double plot_next(const plot_axis *axis, double value)
{
    return axis->is_logarithmic ? value * axis->tick : value + axis->tick;
}

static inline void plot_axes(plot *p)
{
    double low = plot_y(p, p->y.low), high = plot_y(p, p->y.high), left = plot_x(p, p->x.low),
           right = plot_x(p, p->x.high);
    for (double v = p->x.low; v <= p->x.high * 1.0001; v = plot_next(&p->x, v))
        fprintf(p->file,
                "<path class=\"g\" d=\"M%.1f %.1fV%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                plot_x(p, v), low, high, plot_x(p, v), low + 18, v);
    for (double v = p->y.low; v <= p->y.high * 1.0001; v = plot_next(&p->y, v))
        fprintf(p->file,
                "<path class=\"g\" d=\"M%.1f %.1fH%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                left, plot_y(p, v), right, left - 8, plot_y(p, v) + 4, v);
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
            (left + right) / 2, low + 38, p->x.name);
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", left - 40, PLOT_TOP - 12,
            p->y.name);
}

/* Begins the file; a failure to open it shows in plot_end. */
static inline plot plot_begin(const char *path, plot_axis x, plot_axis y)
{
    plot p = {fopen(path, "w"), x, y, 0};
    if (!p.file) return p;
    fprintf(p.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>path{fill:none;stroke-width:2}.g{stroke:#d8dde3;stroke-width:1}"
            "</style>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
            PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT);
    plot_axes(&p);
    return p;
}

static inline const char *plot_colour(unsigned series)
{
    static const char *const colours[] = {"#2f7fe0", "#f0932b", "#1ea98a", "#e0527a",
                                          "#8a72e0", "#333333", "#888888", "#b05a2a"};
    return colours[series % 8];
}

static inline bool plot_holds(const plot *p, double x, double y)
{
    return x >= p->x.low && x <= p->x.high && (y >= p->y.low || p->y.is_logarithmic) &&
           y <= p->y.high;
}

/* One row of the legend; returns the colour. */
static inline const char *plot_legend(plot *p, const char *name, bool is_points)
{
    const char *colour = plot_colour(p->series);
    double y = PLOT_TOP + 8 + 20 * p->series++, x = PLOT_WIDTH - PLOT_RIGHT + 12;
    if (is_points)
        fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x + 8, y,
                colour);
    else
        fprintf(p->file, "<path d=\"M%.1f %.1fh16\" stroke=\"%s\"/>\n", x, y, colour);
    fprintf(p->file, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 22, y + 4, name);
    return colour;
}

/* Leaves out a series, so that the next ones have the colours that they have in other plots. */
static inline void plot_skip(plot *p) { p->series++; }

static inline void plot_line(plot *p, const char *name, const double *x, const double *y,
                             unsigned count)
{
    bool down = false;
    if (!p->file) return;
    const char *colour = plot_legend(p, name, false);
    fprintf(p->file, "<path stroke=\"%s\" d=\"", colour);
    for (unsigned i = 0; i < count; i++) {
        bool holds = plot_holds(p, x[i], y[i]);
        if (holds)
            fprintf(p->file, "%c%.1f %.1f", down ? 'L' : 'M', plot_x(p, x[i]), plot_y(p, y[i]));
        down = holds;
    }
    fprintf(p->file, "\"/>\n");
}

static inline void plot_points(plot *p, const char *name, const double *x, const double *y,
                               unsigned count)
{
    if (!p->file) return;
    const char *colour = plot_legend(p, name, true);
    for (unsigned i = 0; i < count; i++)
        if (plot_holds(p, x[i], y[i]))
            fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                    plot_x(p, x[i]), plot_y(p, y[i]), colour);
}

/* False if the file could not be written. */
static inline bool plot_end(plot *p)
{
    if (!p->file) return false;
    fprintf(p->file, "</svg>\n");
    bool good = !ferror(p->file);
    return fclose(p->file) == 0 && good;
}

#endif
