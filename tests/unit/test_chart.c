/* SPDX-License-Identifier: MIT
   tests/unit/test_chart.c - charts: well-formed XML for any values.
   reads   -                               writes  one file in a temporary folder
   memory  malloc                          cost    below a second
   after   own design */
#include "../../host_tools/render/render.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The contents of the chart's file, in malloc memory. */
static char *written(const chart *plan, size_t *size)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.svg", folder);
    uint8_t *bytes = NULL;
    CHECK_EQ(chart_write(path, plan), HOST_DONE);
    CHECK_EQ(host_read_file(path, &bytes, size), HOST_DONE);
    test_folder_remove(folder);
    return (char *)bytes;
}

/* Every opened tag is closed in the right order, and text has no bare & or <. */
static bool is_well_formed(const char *text)
{
    const char *open[32];
    size_t depth = 0;
    for (; *text; text++) {
        if (*text == '&' && !strchr("algq#", text[1])) return false;
        if (*text != '<') continue;
        const char *name = ++text, *end = strchr(text, '>');
        if (!end) return false;
        text = end;
        if (*name == '?' || end[-1] == '/') continue;
        size_t length = strcspn(name + (*name == '/'), " \n>");
        if (*name != '/') {
            if (depth == 32) return false;
            open[depth++] = name;
        } else if (depth == 0 || strncmp(open[--depth], name + 1, length) != 0) {
            return false;
        }
    }
    return depth == 0;
}

static void charts_are_well_formed_whatever_the_values(void)
{
    static double values[5000];
    for (size_t i = 0; i < 5000; i++)
        values[i] = i % 97 == 0    ? (double)NAN
                    : i % 389 == 0 ? (double)INFINITY
                                   : sin((double)i) * 1e5;
    double one = 3, huge[2] = {-1.7e308, 1.7e308}, tiny[3] = {1e-12, 1.0000001e-12, 1e-12};
    chart_panel panels[6] = {
        {.title = "a < b & \"c\"", .unit = "'d'", .series_count = 2, .reference = 15e4},
        {.series = {{"one", &one, 1, CHART_LINE, 0}}, .series_count = 1, .from_zero = true},
        {.title = "none"},
        {.series = {{"huge", huge, 2, CHART_STEP, 0}}, .series_count = 1},
        {.series = {{"tiny", tiny, 3, CHART_AREA, 0}}, .series_count = 1},
        {.series_count = 1, .has_reference = true, .reference = (double)NAN}};
    panels[0].has_reference = true;
    panels[0].series[0] = (chart_series){"e>f", values, 5000, CHART_AREA, 0};
    panels[0].series[1] = (chart_series){"g", values, 300, CHART_STEP, 0x123456ff};
    for (size_t count = 0; count <= 6; count++) {
        chart plan = {"t & u", "<&>", "frame", 0, 1, panels, count, 0, false, NULL};
        size_t size = 0;
        char *file = written(&plan, &size);
        test_note("%zu panels", count);
        CHECK(file && size < 200000 && is_well_formed(file) && !strstr(file, "nan") &&
              !strstr(file, "inf"));
        free(file);
    }
}

/* Cells of every shade and cells without a value; maps that are flat, tall, or of size zero. */
static void cells_are_well_formed_whatever_the_values(void)
{
    static const double values[12] = {
        0, 1, 2, 3, -4, 1e300, 0.5, 1e-300, 7, (double)NAN, (double)INFINITY, 9};
    static const char *const names[12] = {"a&1", "<b1>", "c", "d", "e", "f",
                                          "g",   "h",    "i", "j", "k", "l"};
    static const double highs[5][2] = {{1, 1}, {100, 1}, {1, 100}, {0, 0}, {1e-3, 2e-3}};
    chart_strips strips = {values, 3, 4, 10, names};
    chart_panel panel = {.title = "regions", .strips = &strips, .height = 40};
    for (uint32_t k = 0; k < 5; k++) {
        chart_map map = {"where",
                         "share",
                         values,
                         4,
                         3,
                         names,
                         names,
                         "x",
                         "y",
                         {0, 0},
                         {highs[k][0], highs[k][1]}};
        chart plan = {
            .title = "t", .x_name = "frame", .panels = &panel, .panel_count = 1, .map = &map};
        size_t size = 0, cells = 0;
        char *file = written(&plan, &size);
        for (const char *at = file; at && (at = strstr(at, "class=\"cell map\"")) != NULL; at++)
            cells++;
        CHECK(file && is_well_formed(file) && !strstr(file, "nan") && !strstr(file, "inf"));
        CHECK_EQ(cells, 12);
        free(file);
    }
}

static const test_case chart_cases[] = {
    TEST_CASE(charts_are_well_formed_whatever_the_values),
    TEST_CASE(cells_are_well_formed_whatever_the_values),
};
TEST_SUITE(chart, chart_cases);
