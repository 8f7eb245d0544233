/* SPDX-License-Identifier: MIT
   host_tools/render/chart.c - writes panels of curves over one x axis as a standalone SVG file.
   reads   a chart      writes  one file
   memory  none         cost    O(values); at most two points per pixel column are written
   after   own design; long curves keep the minimum and maximum of each pixel column, so no peak is
           lost */
#include "chart_private.h"
#include "../common/text.h"

#define LEFT      78.0 /* margin for tick labels, pixels */
#define RIGHT     24.0
#define HEAD      40.0 /* above a panel: its title and legend */
#define GAP       14.0
#define FOOT      44.0 /* below the chart: x ticks and name */
#define LETTER    6.6  /* mean width of a letter at 12 pixels */
#define TICKS_MAX 12

static const char *const line_colours[CHART_SERIES_MAX] = {
    "#2f7fe0", "#f0932b", "#1ea98a", "#e0527a", "#8a72e0", "#a8b030", "#3fb3d9", "#c07a4a"};

/* Writes text with the five special characters of XML escaped, and '?' for bytes that are not valid
   characters. */
void chart_put_text(FILE *out, const char *text)
{
    for (text = text_shown(text); *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else if (*text == '\'')
            fputs("&#39;", out);
        else
            fputc(*text, out);
    }
}

void chart_put_label(FILE *out, double x, double y, const char *class_name, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class_name);
    chart_put_text(out, text);
    fputs("</text>\n", out);
}

static double text_width(const char *text)
{
    double width = 0;
    for (; *text; text++) width += LETTER;
    return width;
}

static double x_step(const chart *plan) { return plan->x_step > 0 ? plan->x_step : 1; }

/* ---- ranges and ticks */

/* True if the value is finite and a range with it does not overflow. */
static bool drawable(double value) { return fabs(value) < 1e300; }

static void widen(double *low, double *high, double value)
{
    if (!drawable(value)) return;
    if (value < *low) *low = value;
    if (value > *high) *high = value;
}

static void x_range(const chart *plan, double *low, double *high)
{
    size_t most = 1;
    for (size_t p = 0; p < plan->panel_count; p++)
        for (size_t s = 0; s < plan->panels[p].series_count && s < CHART_SERIES_MAX; s++)
            if (plan->panels[p].series[s].count > most) most = plan->panels[p].series[s].count;
    *low = plan->x_first;
    *high = plan->x_first + (double)(most - 1) * x_step(plan);
    if (*high <= *low) *high = *low + x_step(plan);
}

/* Distance between ticks: 1, 2 or 5 times a power of ten, for about `wanted` ticks in the range. */
double chart_tick_step(double range, double wanted)
{
    double rough = range / wanted, power = pow(10, floor(log10(rough))), rest = rough / power;
    if (!isfinite(power) || power <= 0) return range;
    return (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power;
}

/* The range of a panel's values, rounded outwards to ticks. */
static void y_range(const chart_panel *panel, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < panel->series_count && s < CHART_SERIES_MAX; s++)
        for (size_t i = 0; i < panel->series[s].count; i++)
            widen(low, high, panel->series[s].values[i]);
    if (panel->has_reference) widen(low, high, panel->reference);
    if (panel->from_zero) widen(low, high, 0);
    if (*low > *high) *low = *high = 0;
    if (*high - *low <= fabs(*high) * 1e-9) { /* a single value: make a range around it */
        double around = *high != 0 ? fabs(*high) * 0.5 : 1;
        if (!panel->from_zero || *low != 0) *low -= around;
        *high += around;
    }
    double step = chart_tick_step(*high - *low, 4),
           air = panel->has_reference && panel->reference >= *high ? step * 0.2 : 0;
    *low = floor(*low / step) * step;
    *high = ceil((*high + air) / step) * step;
}

/* Formats a tick value, for example 12000 as 12k and 0.0005 as 5e-04: short, and exact for tick
   values. */
void chart_tick_text(double value, double step, char text[32])
{
    static const struct {
        double size;
        const char *name;
    } units[3] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (fabs(value) < step * 1e-6) {
        snprintf(text, 32, "0");
        return;
    }
    for (int i = 0; i < 3 && fabs(value) < 1e13; i++) {
        if (fabs(value) < units[i].size * 0.9999 || (units[i].size < 1e4 && fabs(value) < 1e4))
            continue;
        snprintf(text, 32, "%.6g%s", value / units[i].size, units[i].name);
        return;
    }
    snprintf(text, 32, "%.6g", value);
}

double chart_x(const plot *area, double value)
{
    return area->left +
           (value - area->x_low) / (area->x_high - area->x_low) * (area->right - area->left);
}

static double to_y(const plot *area, double value)
{
    return area->bottom -
           (value - area->y_low) / (area->y_high - area->y_low) * (area->bottom - area->top);
}

static void put_grid_line(const plot *area, double x1, double y1, double x2, double y2)
{
    fprintf(area->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n",
            x1, y1, x2, y2);
}

static void put_y_ticks(const plot *area)
{
    double step = chart_tick_step(area->y_high - area->y_low, 4);
    for (int i = 0; i <= TICKS_MAX; i++) {
        double value = (ceil(area->y_low / step - 1e-6) + i) * step, y = to_y(area, value);
        if (value > area->y_high + step * 1e-6) break;
        char text[32];
        chart_tick_text(value, step, text);
        put_grid_line(area, area->left, y, area->right, y);
        chart_put_label(area->out, area->left - 8, y + 4, "tick end", text);
    }
}

/* Draws grid lines in every panel, and labels only below the last one. */
static void put_x_ticks(const plot *area, bool labels)
{
    bool is_exponent = area->plan->x_is_exponent;
    double step = is_exponent ? 1 : chart_tick_step(area->x_high - area->x_low, 8);
    for (int i = 0; i <= 2 * TICKS_MAX; i++) {
        double value = (ceil(area->x_low / step - 1e-6) + i) * step, x = chart_x(area, value);
        if (value > area->x_high + step * 1e-6) break;
        char text[32];
        chart_tick_text(is_exponent ? pow(10, value) : value, step, text);
        put_grid_line(area, x, area->top, x, area->bottom);
        if (labels) chart_put_label(area->out, x, area->bottom + 18, "tick middle", text);
    }
}

/* ---- curves */

static void put_point(const plot *area, const char *command, double x, double value)
{
    fprintf(area->out, "%s%.1f %.1f", command, x, to_y(area, value));
}

/* Values first..end - 1 share a pixel column: writes their minimum and maximum, in order of x. */
static void put_column(const plot *area, const chart_series *series, size_t first, size_t end)
{
    size_t least = first, most = first;
    for (size_t i = first; i < end; i++) {
        if (series->values[i] < series->values[least]) least = i;
        if (series->values[i] > series->values[most]) most = i;
    }
    size_t early = least < most ? least : most, late = least < most ? most : least;
    double step = x_step(area->plan);
    put_point(area, "L", chart_x(area, area->plan->x_first + (double)early * step),
              series->values[early]);
    if (late != early)
        put_point(area, "L", chart_x(area, area->plan->x_first + (double)late * step),
                  series->values[late]);
}

/* Path commands for values first..end - 1, all finite. */
static void put_run(const plot *area, const chart_series *series, size_t first, size_t end)
{
    double step = x_step(area->plan),
           start = chart_x(area, area->plan->x_first + (double)first * step);
    /* values per pixel column */
    size_t bunch = (size_t)ceil((double)series->count / (area->right - area->left));
    put_point(area, "M", start, series->values[first]);
    if (bunch < 1) bunch = 1;
    for (size_t i = bunch > 1 ? first : first + 1; i < end; i += bunch) {
        if (series->style == CHART_STEP && bunch == 1)
            fprintf(area->out, "H%.1f", chart_x(area, area->plan->x_first + (double)i * step));
        put_column(area, series, i, i + bunch < end ? i + bunch : end);
    }
    if (series->style == CHART_STEP) /* the last value extends to the next x, within the panel */
        fprintf(area->out, "H%.1f",
                fmin(chart_x(area, area->plan->x_first + (double)end * step), area->right));
}

/* Draws every run of finite values as a line, or as an area down to the base. */
static void put_path(const plot *area, const chart_series *series, const char *colour, bool filled)
{
    double base = fmin(fmax(0, area->y_low), area->y_high);
    fprintf(area->out,
            filled ? "<path class=\"area\" fill=\"%s\" d=\""
                   : "<path class=\"line\" stroke=\"%s\" d=\"",
            colour);
    for (size_t first = 0; first < series->count;) {
        size_t end = first;
        while (end < series->count && drawable(series->values[end])) end++;
        if (end > first) {
            put_run(area, series, first, end);
            double left = chart_x(area, area->plan->x_first + (double)first * x_step(area->plan));
            if (filled)
                fprintf(area->out, "V%.1fH%.1fZ", to_y(area, base), left);
            else if (end - first == 1 && series->style != CHART_STEP)
                fputs("h0.1", area->out); /* a dot */
        }
        first = end + 1;
    }
    fputs("\"/>\n", area->out);
}

static void series_colour(const chart_series *series, size_t index, char text[8])
{
    if (series->colour)
        snprintf(text, 8, "#%06x", (unsigned)(series->colour >> 8));
    else
        snprintf(text, 8, "%s", line_colours[index % CHART_SERIES_MAX]);
}

/* Draws the legend from right to left, so that it ends at the panel's right edge. */
static void put_legend(const plot *area, const chart_panel *panel)
{
    double x = area->right, y = area->top - 11;
    for (size_t s = panel->series_count < CHART_SERIES_MAX ? panel->series_count : CHART_SERIES_MAX;
         s-- > 0;) {
        const chart_series *series = &panel->series[s];
        if (!series->name) continue;
        char colour[8];
        series_colour(series, s, colour);
        x -= text_width(series->name);
        chart_put_label(area->out, x, y, "name", series->name);
        x -= 20;
        fprintf(area->out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"%d\" rx=\"1.5\" fill=\"%s\"/>\n",
                x, series->style == CHART_AREA ? y - 9 : y - 5.5,
                series->style == CHART_AREA ? 10 : 3, colour);
        x -= 14;
    }
}

static void put_reference(const plot *area, const chart_panel *panel)
{
    if (!panel->has_reference || !drawable(panel->reference)) return;
    char number[32];
    double y = to_y(area, panel->reference);
    fprintf(area->out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"reference\"/>\n",
            area->left, y, area->right, y);
    snprintf(number, sizeof number, "%.6g", panel->reference);
    chart_put_label(area->out, area->right - 4, y > area->top + 16 ? y - 5 : y + 14,
                    "reference-name end", panel->reference_name ? panel->reference_name : number);
}

void chart_put_title(const plot *area, const char *title, const char *unit)
{
    if (!title) return;
    fprintf(area->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"panel\">", area->left, area->top - 11);
    chart_put_text(area->out, title);
    if (unit) {
        fputs("<tspan class=\"unit\" dx=\"7\">", area->out);
        chart_put_text(area->out, unit);
        fputs("</tspan>", area->out);
    }
    fputs("</text>\n", area->out);
}

static double panel_height(const chart_panel *panel)
{
    return panel->height > 0 ? panel->height : 150;
}

static void put_panel(plot *area, size_t index)
{
    const chart_panel *panel = &area->plan->panels[index];
    bool last = index + 1 == area->plan->panel_count;
    y_range(panel, &area->y_low, &area->y_high);
    fprintf(area->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"plot\"/>\n",
            area->left, area->top, area->right - area->left, area->bottom - area->top);
    put_x_ticks(area, last);
    if (panel->strips) {
        chart_put_strips(area, panel->strips);
        chart_put_title(area, panel->title, panel->unit);
        return;
    }
    put_y_ticks(area);
    for (size_t s = 0; s < panel->series_count && s < CHART_SERIES_MAX; s++) {
        char colour[8];
        series_colour(&panel->series[s], s, colour);
        if (panel->series[s].style == CHART_AREA) put_path(area, &panel->series[s], colour, true);
        put_path(area, &panel->series[s], colour, false);
    }
    put_reference(area, panel);
    chart_put_title(area, panel->title, panel->unit);
    put_legend(area, panel);
}

/* ---- the file */

static const char style_text[] =
    "<style>\n"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu "
    "Sans',sans-serif;font-size:12px;fill:#39435a}\n"
    ".card{fill:#fbfcfe}.plot{fill:#f3f5fa}.grid{stroke:#dfe4ee;stroke-width:1}\n"
    ".title{font-size:18px;font-weight:600;fill:#1c2438}.subtitle,.tick,.unit,.name{fill:#68738c;"
    "font-weight:"
    "400}\n"
    ".panel{font-size:13px;font-weight:600}.unit{font-size:11px}.tick,.reference-name{font-size:"
    "11px}\n"
    ".end{text-anchor:end}.middle{text-anchor:middle}\n"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}.area{fill-"
    "opacity:.22;"
    "stroke:none}\n"
    ".cell{fill:#e8743b;shape-rendering:crispEdges}.map{stroke:#fbfcfe;stroke-width:1.5}.share{"
    "font-size:"
    "11px;text-anchor:middle}\n"
    ".reference{stroke:#d5364f;stroke-width:1.4;stroke-dasharray:6 "
    "4}.reference-name{fill:#d5364f;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){text{fill:#c7d0e4}.card{fill:#0f1626}.plot{fill:#151e33}"
    ".grid{stroke:#26324d}.title{fill:#eef2fb}.subtitle,.tick,.unit,.name{fill:#8f9cb8}"
    ".reference{stroke:#ff6b81}.reference-name{fill:#ff6b81}.map{stroke:#0f1626}}\n"
    "</style>\n";

static double head_height(const chart *plan)
{
    return 14.0 + (plan->title ? 24 : 0) + (plan->subtitle ? 18 : 0);
}

static void put_head(FILE *out, const chart *plan, double width, double height)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
            width, height, width, height);
    if (plan->title) {
        fputs("<title>", out);
        chart_put_text(out, plan->title);
        fputs("</title>\n", out);
    }
    fputs(style_text, out);
    fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"8\" class=\"card\"/>\n", width, height);
    if (plan->title) chart_put_label(out, 20, 32, "title", plan->title);
    if (plan->subtitle) chart_put_label(out, 20, plan->title ? 52 : 28, "subtitle", plan->subtitle);
}

static bool put_chart(FILE *out, const chart *plan)
{
    double width = plan->width > 0 ? plan->width : 900, height = head_height(plan) + FOOT;
    if (width < LEFT + RIGHT + 50) width = LEFT + RIGHT + 50;
    for (size_t p = 0; p < plan->panel_count; p++)
        height += HEAD + panel_height(&plan->panels[p]) + (p ? GAP : 0);
    if (plan->map) height += HEAD + chart_map_height(plan->map, width - LEFT - RIGHT) + FOOT;
    put_head(out, plan, width, height);
    plot area = {.out = out, .plan = plan, .left = LEFT, .right = width - RIGHT};
    area.bottom = head_height(plan);
    x_range(plan, &area.x_low, &area.x_high);
    for (size_t p = 0; p < plan->panel_count; p++) {
        area.top = area.bottom + HEAD + (p ? GAP : 0);
        area.bottom = area.top + panel_height(&plan->panels[p]);
        put_panel(&area, p);
    }
    if (plan->x_name)
        chart_put_label(out, (area.left + area.right) / 2, area.bottom + FOOT - 9, "tick middle",
                        plan->x_name);
    if (plan->map) {
        area.top = area.bottom + FOOT + HEAD;
        area.bottom = area.top + chart_map_height(plan->map, area.right - area.left);
        chart_put_map(&area, plan->map);
    }
    fputs("</svg>\n", out);
    return !ferror(out);
}

int chart_write(const char *path, const chart *plan)
{
    host_output output;
    int result = host_output_open(&output, path);
    if (result != HOST_DONE) return result;
    bool whole = put_chart(output.stream, plan);
    result = host_output_close(&output, whole);
    if (!whole) return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot write the chart");
    return result;
}
