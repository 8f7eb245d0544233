/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_scaling.c - cost per particle for 1 000 to 1 000 000 particles, as a
           table and a curve.
   reads   -      writes  standard output, an SVG file
   memory  the largest world, 0.6 GB at a million      cost    some minutes
   after   own design: several rounds over all sizes of all benchmarks, medians over the rounds; so
           a machine that changes its speed changes all points of a curve alike */
#include "bench.h"
#include "../render/render.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZES_MAX 7u
#define ROUNDS    3u
#define STEPS \
    10u /* measured steps; as many run before: the scene is in the same state at every size */
#define MELT_STEPS    40u /* enough to include some list builds */
#define GRID_ROUNDS   5u
#define REPEATS_MOST  25u /* runs per round of small worlds, whose steps are short */
#define REPEATED      200000u
#define SIZE_COMPARED 10000u /* growth is printed relative to this size */

typedef struct scaling_point {
    double rounds[ROUNDS], ns;
    double stages[ROUNDS][TP_WORLD_STAGES];
    double neighbours;
    uint32_t particles;
} scaling_point;

typedef struct scaling {
    const char *name; /* NULL: all */
    uint32_t sizes[SIZES_MAX], count;
    scaling_point points[BENCH_NAMES][SIZES_MAX];
} scaling;

/* Two sizes per decade, up to `most`. */
static void scaling_sizes(scaling *all, uint32_t most)
{
    static const uint32_t sizes[SIZES_MAX] = {1000, 3162, 10000, 31623, 100000, 316228, 1000000};
    for (all->count = 0; all->count < SIZES_MAX && sizes[all->count] <= most; all->count++)
        all->sizes[all->count] = sizes[all->count];
}

static bool scaling_has(const scaling *all, uint32_t bench)
{
    return !all->name || strcmp(all->name, bench_names[bench]) == 0;
}

/* One round of one size: one run, or the median of several short runs. */
static int scaling_measure(const bench_plan *wanted, uint32_t bench, uint32_t size, uint32_t round,
                           scaling_point *point)
{
    static const uint32_t steps[BENCH_NAMES] = {GRID_ROUNDS, STEPS, STEPS, MELT_STEPS, STEPS};
    double runs[REPEATS_MOST];
    bench_plan asked = *wanted, plan;
    bench_result result;
    uint32_t repeats = REPEATED / size;
    asked.particles = size;
    if (!asked.steps) asked.steps = steps[bench];
    asked.settling = asked.steps;
    if (repeats < 1) repeats = 1;
    if (repeats > REPEATS_MOST) repeats = REPEATS_MOST;
    for (uint32_t r = 0; r < repeats; r++) {
        int code = bench_run(bench_names[bench], &asked, &plan, &result);
        if (code) return code;
        runs[r] = result.ns_per_particle_step;
    }
    point->rounds[round] = bench_median(runs, repeats);
    point->particles = result.particles;
    point->neighbours = result.neighbours;
    memcpy(point->stages[round], result.stage_ns, sizeof result.stage_ns);
    return HOST_DONE;
}

static int scaling_run(scaling *all, const bench_plan *wanted, bool is_quiet)
{
    int code = HOST_DONE;
    uint32_t done = 0;
    host_progress progress;
    host_progress_start(&progress, "scaling", (uint64_t)ROUNDS * all->count * BENCH_NAMES,
                        is_quiet);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t size = 0; size < all->count; size++)
            for (uint32_t bench = 0; bench < BENCH_NAMES && !code; bench++) {
                if (scaling_has(all, bench))
                    code = scaling_measure(wanted, bench, all->sizes[size], round,
                                           &all->points[bench][size]);
                host_progress_update(&progress, ++done);
            }
    host_progress_end(&progress);
    for (uint32_t bench = 0; bench < BENCH_NAMES; bench++)
        for (uint32_t size = 0; size < all->count; size++) {
            scaling_point *point = &all->points[bench][size];
            double sorted[ROUNDS];
            memcpy(sorted, point->rounds, sizeof sorted);
            point->ns = scaling_has(all, bench) ? bench_median(sorted, ROUNDS) : (double)NAN;
        }
    return code;
}

/* ---- results */

/* Index of SIZE_COMPARED, or 0 if that size was not measured. */
static uint32_t compared(const scaling *all)
{
    for (uint32_t size = 0; size < all->count; size++)
        if (all->sizes[size] == SIZE_COMPARED) return size;
    return 0;
}

static void print_table(const scaling *all)
{
    printf("ns per particle and step, medians of %u alternating rounds\n%-12s", ROUNDS,
           "particles");
    for (uint32_t bench = 0; bench < BENCH_NAMES; bench++)
        if (scaling_has(all, bench)) printf(" %9s", bench_names[bench]);
    for (uint32_t size = 0; size < all->count; size++) {
        printf("\n%-12u", all->sizes[size]);
        for (uint32_t bench = 0; bench < BENCH_NAMES; bench++)
            if (scaling_has(all, bench)) printf(" %9.1f", all->points[bench][size].ns);
    }
    uint32_t from = compared(all), last = all->count - 1;
    printf("\n%-12s", "growth");
    for (uint32_t bench = 0; bench < BENCH_NAMES; bench++)
        if (scaling_has(all, bench))
            printf(" %9.2f", all->points[bench][last].ns / all->points[bench][from].ns);
    printf("  from %u to %u particles\n", all->sizes[from], all->sizes[last]);
}

static double stage_median(const scaling_point *point, int stage)
{
    double rounds[ROUNDS];
    for (uint32_t r = 0; r < ROUNDS; r++) rounds[r] = point->stages[r][stage];
    return bench_median(rounds, ROUNDS);
}

/* Growth of each stage. */
static void print_stages(const scaling *all)
{
    uint32_t from = compared(all), last = all->count - 1;
    for (uint32_t bench = 0; bench < BENCH_NAMES; bench++) {
        const scaling_point *a = &all->points[bench][from], *b = &all->points[bench][last];
        if (!scaling_has(all, bench)) continue;
        printf("%-12s", bench_names[bench]);
        for (int s = 0; s < TP_WORLD_STAGES; s++) {
            double before = stage_median(a, s), after = stage_median(b, s);
            if (before >= 0.5 || after >= 0.5)
                printf("  %s %.1f -> %.1f", tp_stage_name((tp_stage)s), before, after);
        }
        printf("  (neighbours %.1f -> %.1f)\n", a->neighbours, b->neighbours);
    }
}

static void print_objects(const scaling *all)
{
    for (uint32_t bench = 0; bench < BENCH_NAMES; bench++)
        for (uint32_t size = 0; size < all->count && scaling_has(all, bench); size++) {
            const scaling_point *point = &all->points[bench][size];
            printf("{\"name\": \"%s\", \"particles\": %u, \"ns_per_particle_step\": %.3f, "
                   "\"neighbours\": "
                   "%.2f}\n",
                   bench_names[bench], point->particles, point->ns, point->neighbours);
        }
}

static int write_curve(const scaling *all, const char *path)
{
    double cost[BENCH_NAMES][SIZES_MAX], growth[BENCH_NAMES][SIZES_MAX];
    char unit[64];
    snprintf(unit, sizeof unit, "cost / cost at %u particles", all->sizes[compared(all)]);
    chart_panel panels[2] = {
        {.title = "cost", .unit = "ns per particle and step", .from_zero = true, .height = 260},
        {.title = "growth",
         .unit = unit,
         .has_reference = true,
         .reference = 1.5,
         .reference_name = "the bound, 1.5",
         .from_zero = true,
         .height = 160}};
    for (uint32_t bench = 0; bench < BENCH_NAMES; bench++) {
        if (!scaling_has(all, bench)) continue;
        for (uint32_t size = 0; size < all->count; size++) {
            cost[bench][size] = all->points[bench][size].ns;
            growth[bench][size] =
                all->points[bench][size].ns / all->points[bench][compared(all)].ns;
        }
        size_t at = panels[0].series_count++;
        panels[1].series_count = at + 1;
        panels[0].series[at] =
            (chart_series){bench_names[bench], cost[bench], all->count, CHART_LINE, 0};
        panels[1].series[at] = (chart_series){NULL, growth[bench], all->count, CHART_LINE, 0};
    }
    chart plan = {.title = "Cost by number of particles",
                  .subtitle = "one line per benchmark of tidepool bench; medians",
                  .x_name = "particles",
                  .x_first = 3,
                  .x_step = 0.5,
                  .panels = panels,
                  .panel_count = 2,
                  .x_is_exponent = true};
    return chart_write(path, &plan);
}

/* Checks that the file can be written, before measuring for minutes. */
static int check_curve(const char *path)
{
    host_output output;
    int code = host_output_open(&output, path);
    return code ? code : host_output_close(&output, false);
}

int bench_scaling(const char *name, const bench_plan *wanted, const char *path, bool is_json)
{
    scaling *all = host_allocate(1, sizeof *all);
    if (!all) return host_out_of_memory("the curve");
    all->name = name;
    scaling_sizes(all, wanted->particles ? wanted->particles : 1000000u);
    int code = all->count
                   ? HOST_DONE
                   : host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                                "--scaling begins at 1000 particles: --particles 1000 or more");
    if (!code) code = check_curve(path);
    if (!code) code = scaling_run(all, wanted, is_json);
    if (!code && is_json) print_objects(all);
    if (!code && !is_json) {
        print_table(all);
        print_stages(all);
    }
    if (!code) code = write_curve(all, path);
    free(all);
    return code;
}
