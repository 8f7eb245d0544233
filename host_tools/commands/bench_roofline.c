/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_roofline.c - roofline: bytes that a step touches, and the memory
           bandwidth of the machine.
   reads   a definition      writes  bytes by stage, bytes per second
   memory  96 MiB while measuring      cost    about a tenth of a second
   after   roofline model (Williams, Waterman and Patterson 2009). Each array counts once per pass
           that reads it and once per pass that writes it, in words of 4 bytes per particle. Reads
           of neighbours' values do not count: they hit a processor cache. Half lists count: one
           word per pair, so half a word per neighbour, and one per row */
#include "bench.h"
#include <stdlib.h>
#include <string.h>

/* Words per particle. */
typedef struct touch {
    double axes;    /* components of a vector: 2 or 3 */
    double entries; /* entries of the cell table */
    double list;    /* pairs and rows; compact: the cell table */
    double built;   /* share of the steps that run GRID and PAIRS */
} touch;

static touch touch_of(const tp_world_def *def, double neighbours, double built)
{
    bool is_pair = def->solver == TP_SOLVER_PAIR;
    bool stores = is_pair ? def->pair.stores_neighbours : def->sph.stores_neighbours;
    touch t = {.axes = def->dimensions, .entries = stores ? 4.0 : 0.5, .built = built};
    t.list = stores ? 1 + neighbours / 2 : t.entries;
    return t;
}

/* Words of the passes of the counting sort. Clear, prefix sum: the table. Count: positions,
   velocities, key, entry. Scatter: key, meta, entry, order. Order: order, key, id, entry. Gather:
   order; positions and velocities are read and written. */
static double touch_grid(const touch *t)
{
    return 3 * t->entries + (2 * t->axes + 3) + 5 + 4 + (1 + 4 * t->axes);
}

static void touch_fluid(const touch *t, double words[TP_WORLD_STAGES])
{
    words[TP_STAGE_MOVE] = 3 * t->axes + 3; /* read x, v, meta, id; write kicked v, key */
    /* clear the sums; read x and the table; read and write the sums; write counts and list */
    words[TP_STAGE_PAIRS] = 3 + t->axes + t->entries + 6 + 1 + t->list;
    /* read order, 2 densities; write 2 pressures; clear force */
    words[TP_STAGE_PRESSURE] = 1 + 4 + t->axes;
    /* read x, v, pressures, order and list; read and write force */
    words[TP_STAGE_FORCE] = 2 * t->axes + 3 + t->list + 2 * t->axes;
}

static void touch_pair(const touch *t, double words[TP_WORLD_STAGES])
{
    double kept = 1 - t->built;
    /* kept lists: also write next x, v */
    words[TP_STAGE_MOVE] = 4 * t->axes + 3 + kept * (1 + 3 * t->axes);
    words[TP_STAGE_PAIRS] = t->built * (1 + t->axes + t->entries + 3 + t->list + 2 * t->axes);
    /* clear force; read x; add to force */
    words[TP_STAGE_FORCE] = t->axes + t->axes + t->list + 2 * t->axes;
}

/* FORCE: weights, then per constraint four words of its own and two ends whose weight, position and
   velocity are read and velocity written, but which hit a cache; six constraints per node. Tethers:
   anchor, reach, x, v. The back set: x, v, twice. */
static void touch_cloth(const touch *t, double words[TP_WORLD_STAGES])
{
    words[TP_STAGE_MOVE] = 3 * t->axes + 3;
    words[TP_STAGE_FORCE] = 2 + 6 * 4 + 2 + 2 * t->axes + 1 + 4 * t->axes;
}

void bench_touched(const tp_world_def *def, double neighbours, double built,
                   double bytes[TP_WORLD_STAGES])
{
    touch t = touch_of(def, neighbours, built);
    memset(bytes, 0, TP_WORLD_STAGES * sizeof bytes[0]);
    if (def->solver == TP_SOLVER_PAIR)
        touch_pair(&t, bytes);
    else if (def->solver == TP_SOLVER_CLOTH)
        touch_cloth(&t, bytes);
    else
        touch_fluid(&t, bytes);
    if (def->solver != TP_SOLVER_CLOTH) bytes[TP_STAGE_GRID] = built * touch_grid(&t);
    /* read order, x at start and end, v, force; write x, v */
    bytes[TP_STAGE_COLLIDE] = 1 + 6 * t.axes;
    /* read order, meta, id; write meta, id; read and write x, v */
    bytes[TP_STAGE_COMMIT] = 5 + 4 * t.axes;
    for (int s = 0; s < TP_WORLD_STAGES; s++) bytes[s] *= 4;
}

/* ---- bandwidth of the machine */

#define BAND_ITEMS  (8u << 20) /* floats per array: 32 MiB */
#define BAND_ROUNDS 5

static double band_triad(float *a, const float *b, const float *c)
{
    double started = host_thread_seconds();
    for (size_t i = 0; i < BAND_ITEMS; i++) a[i] = b[i] + 3.0f * c[i];
    return 3.0 * BAND_ITEMS * sizeof *a / (host_thread_seconds() - started);
}

static double band_copy(float *a, const float *b)
{
    double started = host_thread_seconds();
    memcpy(a, b, BAND_ITEMS * sizeof *a);
    return 2.0 * BAND_ITEMS * sizeof *a / (host_thread_seconds() - started);
}

bench_bandwidth bench_measure_bandwidth(void)
{
    bench_bandwidth best = {0, 0};
    float *arrays = host_allocate(3 * (size_t)BAND_ITEMS, sizeof *arrays);
    if (!arrays) return best;
    for (size_t i = 0; i < 3 * (size_t)BAND_ITEMS; i++) arrays[i] = (float)(i & 1023u);
    for (int round = 0; round < BAND_ROUNDS; round++) {
        double triad = band_triad(arrays, arrays + BAND_ITEMS, arrays + 2 * (size_t)BAND_ITEMS);
        double copy = band_copy(arrays + BAND_ITEMS, arrays); /* reads what the triad wrote */
        if (triad > best.triad) best.triad = triad;
        if (copy > best.copy) best.copy = copy;
    }
    free(arrays);
    return best;
}
