/* SPDX-License-Identifier: MIT
   host_tools/render/chart_cells.c - heat maps of a chart: rows of cells over its x axis, and 2D
           maps.
   reads   a part of a chart      writes  SVG
   memory  none                   cost    O(cells); neighbouring cells of equal shade are one
           element
   after   own design: the shade is the square root of value / largest value, so that small values
           are visible */
#include "chart_private.h"

#define SHADES       20
#define MAP_MOST     300.0 /* pixels of height */
#define MAP_LEAST    60.0
#define MAP_FOOT     24.0 /* ticks of the x axis */
#define NAME_ROOM    13.0 /* smallest height of a row with a name, pixels */
#define SHARE_WIDTH  46.0 /* smallest size of a cell with its share, pixels */
#define SHARE_HEIGHT 30.0

static double greatest_of(const double *values, size_t count)
{
    double greatest = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] > greatest && isfinite(values[i])) greatest = values[i];
    return greatest;
}

/* The shade of a value, 0 to SHADES. */
static int shade_of(double value, double greatest)
{
    if (!(value > 0) || !(greatest > 0)) return 0;
    int shade = (int)ceil(SHADES * sqrt(value / greatest));
    return shade > SHADES ? SHADES : shade;
}

static void put_cell(FILE *out, const char *class_name, const double box[4], int shade)
{
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\" "
            "fill-opacity=\"%.2f\"/>\n",
            box[0], box[1], box[2], box[3], class_name, (double)shade / SHADES * 0.94);
}

void chart_put_strips(const plot *area, const chart_strips *strips)
{
    double greatest = greatest_of(strips->values, strips->rows * strips->columns);
    double height = (area->bottom - area->top) / (double)(strips->rows ? strips->rows : 1);
    size_t every = (size_t)ceil(NAME_ROOM / height);
    for (size_t r = 0; r < strips->rows; r++) {
        const double *row = strips->values + r * strips->columns;
        double top = area->bottom - (double)(r + 1) * height;
        if (strips->names && r % every == 0)
            chart_put_label(area->out, area->left - 8, top + height / 2 + 4, "tick end",
                            strips->names[r]);
        for (size_t first = 0, end; first < strips->columns; first = end) {
            int shade = shade_of(row[first], greatest);
            for (end = first + 1; end < strips->columns && shade_of(row[end], greatest) == shade;)
                end++;
            if (!shade) continue;
            double left =
                       chart_x(area, area->plan->x_first + ((double)first - 0.5) * strips->x_step),
                   right =
                       chart_x(area, area->plan->x_first + ((double)end - 0.5) * strips->x_step);
            left = fmax(left, area->left), right = fmin(right, area->right);
            put_cell(area->out, "cell", (const double[4]){left, top, right - left, height}, shade);
        }
    }
}

/* ---- 2D maps */

/* Size to scale, with limits for the height. */
static void map_size(const chart_map *map, double area_width, double *width, double *height)
{
    double x = map->high[0] - map->low[0], y = map->high[1] - map->low[1];
    double shape = x > 0 && y > 0 ? y / x : 1;
    *width = area_width;
    *height = area_width * shape;
    if (*height > MAP_MOST) {
        *height = MAP_MOST;
        *width = fmax(MAP_MOST / shape, MAP_MOST / 2);
    }
    *height = fmax(*height, MAP_LEAST);
}

double chart_map_height(const chart_map *map, double area_width)
{
    double width, height;
    map_size(map, area_width, &width, &height);
    return height + MAP_FOOT;
}

/* Writes the two end values of an axis, and its name between them. */
static void put_axis(const plot *area, const chart_map *map, int axis, const double box[4])
{
    char text[32];
    double step = (map->high[axis] - map->low[axis]) / 1000;
    const char *name = axis ? map->y_name : map->x_name;
    for (int end = 0; end < 2; end++) {
        double value = end ? map->high[axis] : map->low[axis];
        snprintf(text, sizeof text, "%.3g", step > 0 ? round(value / step) * step : value);
        if (axis)
            chart_put_label(area->out, box[0] - 8, end ? box[1] + 9 : box[1] + box[3], "tick end",
                            text);
        else
            chart_put_label(area->out, end ? box[0] + box[2] : box[0], box[1] + box[3] + 16,
                            end ? "tick end" : "tick", text);
    }
    if (axis)
        chart_put_label(area->out, box[0] - 8, box[1] + box[3] / 2 + 4, "tick end", name);
    else
        chart_put_label(area->out, box[0] + box[2] / 2, box[1] + box[3] + 16, "tick middle", name);
}

static void put_share(const plot *area, const chart_map *map, size_t cell, const double box[4])
{
    double x = box[0] + box[2] / 2, y = box[1] + box[3] / 2;
    if (box[2] < SHARE_WIDTH || box[3] < SHARE_HEIGHT) return;
    if (map->names) chart_put_label(area->out, x, y - 3, "share", map->names[cell]);
    if (map->texts) chart_put_label(area->out, x, y + 11, "share", map->texts[cell]);
}

void chart_put_map(const plot *area, const chart_map *map)
{
    double width, height, greatest = greatest_of(map->values, map->rows * map->columns);
    map_size(map, area->right - area->left, &width, &height);
    const double box[4] = {area->left, area->top, width, height};
    fprintf(area->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"plot\"/>\n", box[0],
            box[1], box[2], box[3]);
    double wide = width / (double)map->columns, tall = height / (double)map->rows;
    for (size_t r = 0; r < map->rows; r++)
        for (size_t c = 0; c < map->columns; c++) {
            size_t cell = r * map->columns + c;
            const double at[4] = {box[0] + (double)c * wide,
                                  box[1] + height - (double)(r + 1) * tall, wide, tall};
            put_cell(area->out, "cell map", at, shade_of(map->values[cell], greatest));
            put_share(area, map, cell, at);
        }
    put_axis(area, map, 0, box);
    put_axis(area, map, 1, box);
    chart_put_title(area, map->title, map->unit);
}
