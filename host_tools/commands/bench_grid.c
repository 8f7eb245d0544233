/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_grid.c - times the neighbour search: hash grid, canonical order and
           half list of random points.
   reads   -      writes  a row per case
   memory  the world's block      cost    per round two searches, and filling their worlds
   after   own design. The points are in a world with pair forces and lists without skin, so that
           each step builds its lists; the stages GRID and PAIRS are the search. The first step,
           which primes the forces, sees the points in the order in which they were added; the
           second sees them in the canonical order of the world */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRID_NEIGHBOURS 30.0 /* per point, away from the walls */
#define GRID_BALLS      64u  /* number of clusters */
#define GRID_SPREAD     10.0 /* side of the box of clusters, relative to that of uniform points */

typedef enum grid_case {
    GRID_EVEN,
    GRID_BOX,
    GRID_OUTLIER,
    GRID_CLUSTERED,
    GRID_LATTICE
} grid_case;

double bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * (1.0 / 9007199254740992.0);
}

/* Volume of the unit ball. */
static double grid_ball(uint32_t dimensions)
{
    return dimensions == 2 ? 3.14159265358979 : 4.18879020478639;
}

/* Side of the box in which so many uniform points have GRID_NEIGHBOURS neighbours within a distance
   of 1. */
static double grid_side(uint32_t dimensions, double points)
{
    double volume = points * grid_ball(dimensions) / GRID_NEIGHBOURS;
    return dimensions == 2 ? sqrt(volume) : cbrt(volume);
}

static tp_world_def grid_def(const bench_plan *plan, grid_case kind)
{
    tp_world_def def = tp_world_default(plan->dimensions);
    float side = (float)grid_side(plan->dimensions, plan->particles);
    def.particles_max = plan->particles;
    def.emitters_max = def.sinks_max = def.fields_max = def.colliders_max = 0;
    def.seed = plan->seed;
    def.frames_per_second_numerator = 200; /* one step per frame */
    if (plan->slice) def.slice_units = plan->slice;
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.keeps_births = false;
    def.species[0].radius = 0;
    def.species[0].epsilon = 1e-6f; /* no particle moves */
    def.pair.cutoff = 1.0f;
    def.pair.skin = 0.0f;
    def.pair.neighbours_max = 64;
    if (kind != GRID_BOX) return def;
    def.periodic_axes = TP_AXIS_X | TP_AXIS_Y | (plan->dimensions == 3 ? TP_AXIS_Z : 0u);
    def.box_size = (tp_vector){side, side, side};
    return def;
}

/* Balls with the density of the uniform points, far apart; the ball of each point is random. */
static void grid_clustered(const bench_plan *plan, const double centres[][3], uint64_t *random,
                           double x[3])
{
    uint32_t ball = (uint32_t)(bench_random(random) * GRID_BALLS), dimensions = plan->dimensions;
    double volume = plan->particles / (double)GRID_BALLS / GRID_NEIGHBOURS, square;
    double radius = dimensions == 2 ? sqrt(volume) : cbrt(volume);
    do {
        square = 0;
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            x[axis] = 2 * bench_random(random) - 1;
            square += x[axis] * x[axis];
        }
    } while (square > 1);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        x[axis] = centres[ball][axis] + radius * x[axis];
}

/* A block of fluid: a cubic lattice of half the radius, slightly uneven, its points in random
   order. */
static void grid_lattice(const bench_plan *plan, uint32_t i, uint64_t *random, double x[3])
{
    uint32_t dimensions = plan->dimensions, n = plan->particles;
    double side = dimensions == 2 ? sqrt(n) : cbrt(n);
    uint32_t columns = (uint32_t)ceil(side - 1e-9),
             rest = (uint32_t)((uint64_t)i * 2654435761u % n);
    for (uint32_t axis = 0; axis < dimensions; axis++, rest /= columns)
        x[axis] = 0.5 * (axis + 1 < dimensions ? rest % columns : rest) +
                  0.04 * (bench_random(random) - 0.5);
}

static tp_result grid_fill(tp_world *world, const bench_plan *plan, grid_case kind, uint64_t random)
{
    double side = grid_side(plan->dimensions, plan->particles), centres[GRID_BALLS][3];
    tp_result result = tp_particles_clear(world);
    for (uint32_t k = 0; k < 3 * GRID_BALLS; k++)
        centres[k / 3][k % 3] = bench_random(&random) * side * GRID_SPREAD;
    for (uint32_t i = 0; i < plan->particles && result >= TP_OK; i++) {
        double x[3] = {0, 0, 0};
        for (uint32_t axis = 0; axis < plan->dimensions; axis++)
            x[axis] = bench_random(&random) * side;
        if (kind == GRID_CLUSTERED) grid_clustered(plan, (const double(*)[3])centres, &random, x);
        if (kind == GRID_LATTICE) grid_lattice(plan, i, &random, x);
        if (kind == GRID_OUTLIER && i == plan->particles / 2) x[0] += 1000 * side;
        result = tp_particle_add(world, (tp_vector){(float)x[0], (float)x[1], (float)x[2]},
                                 (tp_vector){0, 0, 0}, 0, NULL);
    }
    return result;
}

/* Bytes of those parts of a world that only the search needs. */
static size_t grid_search_bytes(const tp_world_def *def)
{
    static const char *const starts[] = {"grid", "order", "next meta", "neighbour counts", "pair"};
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    uint32_t count = 0;
    size_t bytes = 0;
    if (tp_world_memory_parts(def, parts, &count) < TP_OK) return 0;
    for (uint32_t p = 0; p < count; p++)
        for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
            if (strncmp(parts[p].name, starts[s], strlen(starts[s])) == 0) bytes += parts[p].bytes;
    return bytes;
}

/* Seconds of the two stages by round: `first` in the order of adding, `other` in the canonical
   order. */
typedef struct grid_times {
    double *first[2], *other[2];
} grid_times;

static tp_result grid_rounds(tp_world *world, const bench_plan *plan, grid_case kind,
                             const grid_times *times, tp_report *report)
{
    tp_result result = TP_OK;
    /* the first one warms up */
    for (uint32_t round = 0; round <= plan->steps && result >= TP_OK; round++) {
        bench_watch watch;
        result = grid_fill(world, plan, kind, plan->seed * 1000003u + round);
        if (result >= TP_OK) result = bench_watch_frame(&watch, world, plan, report);
        uint32_t at = round ? round - 1 : 0;
        for (int s = 0; s < 2; s++) {
            times->first[s][at] = watch.seconds[0][TP_STAGE_GRID + s];
            times->other[s][at] = watch.seconds[1][TP_STAGE_GRID + s];
        }
    }
    return result;
}

/* A row from the seconds of one order, which it sorts. */
static void grid_row(const bench_plan *plan, const tp_world *world, const tp_report *report,
                     double *const seconds[2], const char *name, bench_search *row)
{
    double ns = 1e9 / plan->particles, totals[BENCH_ROUNDS_MAX], pairs = (double)report->pairs;
    const tp_world_def *def = tp_world_definition(world);
    for (uint32_t r = 0; r < plan->steps; r++) totals[r] = (seconds[0][r] + seconds[1][r]) * ns;
    *row = (bench_search){.name = name, .crowded = report->particles_skipped};
    row->total_ns = bench_median(totals, plan->steps);
    row->worst_ns = totals[plan->steps - 1];
    for (int s = 0; s < 2; s++) row->stage_ns[s] = bench_median(seconds[s], plan->steps) * ns;
    row->build_ns = row->stage_ns[0];
    row->neighbours = 2 * pairs / plan->particles;
    row->pair_ns = pairs > 0 ? row->total_ns * plan->particles / pairs : 0;
    if (tp_world_memory(def, &row->memory_bytes) < TP_OK) row->memory_bytes = 0;
    row->memory_a_point = (double)row->memory_bytes / plan->particles;
    row->search_a_point = (double)grid_search_bytes(def) / plan->particles;
    row->state_hash = tp_world_hash(world);
    bench_touched(def, row->neighbours, 1, row->stage_bytes);
}

static int grid_measure(const bench_plan *plan, grid_case kind, const char *const names[2],
                        bench_search *first, bench_search *other)
{
    double seconds[4][BENCH_ROUNDS_MAX];
    grid_times times = {{seconds[0], seconds[1]}, {seconds[2], seconds[3]}};
    tp_world_def def = grid_def(plan, kind);
    tp_world *world = NULL;
    void *memory = NULL;
    tp_report report = {0};
    int code = bench_create(&def, plan, &memory, &world);
    if (code) return code;
    tp_result result = grid_rounds(world, plan, kind, &times, &report);
    if (result >= TP_OK) grid_row(plan, world, &report, times.first, names[0], first);
    if (result >= TP_OK && other) grid_row(plan, world, &report, times.other, names[1], other);
    free(memory);
    if (result >= TP_OK) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, plan->name, HOST_NO_OFFSET, "%s", tp_result_text(result));
}

int bench_grid(const bench_plan *plan, bench_search *rows, uint32_t count)
{
    static const char *const names[BENCH_SEARCHES][2] = {{"random order", "the world's order"},
                                                         {"periodic box", ""},
                                                         {"one far outlier", ""},
                                                         {"clustered", ""},
                                                         {"block of fluid", ""}};
    int code = grid_measure(plan, GRID_EVEN, names[0], &rows[0], count > 1 ? &rows[1] : NULL);
    for (uint32_t r = 2; r < count && !code; r++)
        code = grid_measure(plan, (grid_case)(GRID_BOX + (int)r - 2), names[r - 1], &rows[r], NULL);
    return code;
}
