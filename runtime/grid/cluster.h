/* SPDX-License-Identifier: MIT
   runtime/grid/cluster.h - the sweep where vectors are wide: a lane a particle, candidates one after the other.
   reads   back positions, table, lists      writes  through a visitor that is compiled into the loop; lists
   memory  64 places on the stack            cost    the units of sweep.h, which does the same work pair by pair
   after   own design. Neighbours in a row of cells share their candidates. Each pair is met from both ends, so nothing is
           scattered, particles write to themselves alone, and sums are integers: the bits are those of the half list */
#ifndef TPI_CLUSTER_H
#define TPI_CLUSTER_H
#include "sweep.h"

/* Candidates handed to a visitor at once. */
#define TPI_CLUSTER_BATCH 64u

typedef struct tpi_cluster {
    uint32_t begin, count; /* particles begin .. begin + count - 1 of the back set */
    tpi_lane_ints place;   /* of each lane */
    tpi_lane_mask is_real; /* the first `count` lanes; the others hold somebody else */
    tpi_lanes x[3];
} tpi_cluster;

/* Visits candidates, the particles themselves among them. `hits`, where it is not null, takes the places of those that
   are a neighbour of at least one; returns how many. */
typedef uint32_t (*tpi_cluster_visitor)(const tp_world *world, const void *context,
                                        const tpi_cluster *cluster, const uint32_t *candidates,
                                        uint32_t count, uint32_t *hits);

/* A cluster's list is what lies at its particles' part of the pairs: candidates in order. Its row says how many, and how
   many particles the cluster has; or that they were too many for it. */
#define TPI_ROW_COUNT(word)     ((word)&0x7ffffffu)
#define TPI_ROW_PARTICLES(word) ((word) >> 27)
#define TPI_ROW_TOO_MANY        0x7ffffffu

TPI_INLINE tpi_cluster tpi_cluster_of(const tp_world *world, uint32_t begin, uint32_t count,
                                      uint32_t dimensions)
{
    tpi_points points = tpi_points_of(world);
    tpi_cluster cluster = {.begin = begin, .count = count, .place = tpi_lane_ints_counted((int32_t)begin)};
    cluster.is_real = tpi_lanes_first(count);
    cluster.x[0] = tpi_lanes_load(points.x + begin);
    cluster.x[1] = tpi_lanes_load(points.y + begin);
    cluster.x[2] = cluster.x[0];
    if (dimensions == 3) cluster.x[2] = tpi_lanes_load(points.z + begin);
    return cluster;
}

/* Adds to the sums of the cluster's particles, and nobody else's. */
TPI_INLINE void tpi_cluster_add(const tpi_cluster *cluster, int32_t *sums, tpi_lane_ints terms)
{
    if (TPI_LIKELY(cluster->count == TPI_LANES)) {
        tpi_lane_ints have = tpi_lane_ints_load(sums + cluster->begin);
        tpi_lane_ints_store(sums + cluster->begin, tpi_lane_ints_add(have, terms));
        return;
    }
    uint32_t each[TPI_LANES], *wrapping = (uint32_t *)sums + cluster->begin;
    tpi_lane_ints_store(each, terms);
    for (uint32_t k = 0; k < cluster->count; k++) wrapping[k] += each[k];
}

/* Whose distance and id both ends keep, where the neighbour cap is hit: see pairs.c. */
TPI_FUNC tpi_lane_mask tpi_cluster_cut(const tp_world *world, uint32_t begin, uint32_t count,
                                       uint32_t candidate, tpi_lanes square);

/* ---- units: work may run ahead of them by less than a batch, and what it is ahead is paid by the next slices */

typedef struct tpi_cluster_meter {
    int64_t left;  /* half units of this slice */
    uint32_t paid; /* half units that this slice began with in debt */
} tpi_cluster_meter;

TPI_INLINE tpi_cluster_meter tpi_cluster_meter_begin(const tp_world *world, uint32_t units)
{
    uint32_t debt = world->step.cursor.end;
    return (tpi_cluster_meter){2 * (int64_t)units - debt, debt};
}

/* The units used: all of them, unless the sweep is over and paid for. */
TPI_INLINE uint32_t tpi_cluster_meter_end(tp_world *world, const tpi_cluster_meter *meter, uint32_t units,
                                          bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    cursor->end = meter->left < 0 ? (uint32_t)-meter->left : 0u;
    *done = cursor->i == world->step.count && cursor->end == 0;
    return *done ? (uint32_t)((2 * (int64_t)units - meter->left) / 2) : units;
}

/* Candidates that a cluster may visit next: cursor.k of `total` are done, and all of them cost `cost`. */
TPI_INLINE uint32_t tpi_cluster_take(const tpi_cursor *cursor, const tpi_cluster_meter *meter, uint32_t total,
                                     uint32_t cost)
{
    uint64_t affordable = ((uint64_t)meter->left * total + cost - 1u) / cost;
    uint32_t rest = tpi_min_u32(total - cursor->k, TPI_CLUSTER_BATCH);
    return affordable < rest ? (uint32_t)affordable : rest;
}

TPI_INLINE void tpi_cluster_pay(tpi_cluster_meter *meter, uint32_t from, uint32_t to, uint32_t total,
                                uint32_t cost)
{
    meter->left -= (int64_t)((uint64_t)cost * to / total) - (int64_t)((uint64_t)cost * from / total);
}

/* ---- through the grid ---- */

/* The places of candidates number from .. from + count - 1. */
TPI_INLINE void tpi_cluster_places(const tpi_stencil *stencil, uint32_t from, uint32_t count,
                                   uint32_t places[TPI_CLUSTER_BATCH + TPI_LANES])
{
    uint32_t filled = 0;
    for (uint32_t r = 0; r < stencil->run_count && filled < count; r++) {
        tpi_run run = stencil->runs[r];
        uint32_t size = run.end - run.begin;
        if (from >= size) {
            from -= size;
            continue;
        }
        uint32_t take = tpi_min_u32(size - from, count - filled);
        for (uint32_t k = 0; k < take; k += TPI_LANES)
            tpi_lane_ints_store(places + filled + k, tpi_lane_ints_counted((int32_t)(run.begin + from + k)));
        filled += take;
        from = 0;
    }
}

TPI_INLINE void tpi_cluster_keep(tp_world *world, const tpi_cluster *cluster, const uint32_t *hits,
                                 uint32_t count)
{
    uint32_t *row = tpi_words(world, world->arrays.row) + cluster->begin,
             half = world->constants.neighbours_max / 2u;
    uint32_t have = TPI_ROW_COUNT(*row);
    if (have == TPI_ROW_TOO_MANY) return;
    if (have + count > half * cluster->count) {
        *row |= TPI_ROW_TOO_MANY;
        return;
    }
    uint32_t *list = tpi_words(world, world->arrays.pair) + cluster->begin * half + have;
    memcpy(list, hits, count * sizeof hits[0]);
    *row += count;
}

/* One batch of the cluster at the cursor. */
TPI_INLINE void tpi_cluster_batch(tp_world *world, const tpi_stencil *stencil, uint32_t dimensions,
                                  tpi_cluster_visitor visitor, const void *context, bool stores,
                                  tpi_cluster_meter *meter, uint32_t total)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t places[TPI_CLUSTER_BATCH + TPI_LANES], hits[TPI_CLUSTER_BATCH + 1u];
    uint32_t count = stencil->own_end - stencil->own_begin,
             take = tpi_cluster_take(cursor, meter, total, stencil->cost);
    tpi_cluster cluster = tpi_cluster_of(world, cursor->i, count, dimensions);
    if (stores && cursor->k == 0) tpi_words(world, world->arrays.row)[cursor->i] = count << 27;
    tpi_cluster_places(stencil, cursor->k, take, places);
    uint32_t hit_count = visitor(world, context, &cluster, places, take, stores ? hits : NULL);
    if (stores) tpi_cluster_keep(world, &cluster, hits, hit_count);
    tpi_cluster_pay(meter, cursor->k, cursor->k + take, total, stencil->cost);
    cursor->k += take;
}

/* Goes through all neighbours of all particles. Resumable: cursor.i, k, and end for what is not paid yet. */
TPI_INLINE uint32_t tpi_sweep_clusters(tp_world *world, uint32_t units, uint32_t dimensions,
                                       tpi_cluster_visitor visitor, const void *context, bool stores,
                                       bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_cluster_meter meter = tpi_cluster_meter_begin(world, units);
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor->i < world->step.count && meter.left > 0) {
        uint32_t total = 0;
        tpi_stencil_cluster(world, cursor->i, TPI_LANES, &stencil);
        if (stencil.own_end == stencil.own_begin) { /* one of those that a crowded cell leaves out */
            if (stores) tpi_words(world, world->arrays.row)[cursor->i] = 0;
            world->step.crowded++;
            meter.left -= 2;
            cursor->i++;
            continue;
        }
        for (uint32_t r = 0; r < stencil.run_count; r++) total += stencil.runs[r].end - stencil.runs[r].begin;
        while (cursor->k < total && meter.left > 0)
            tpi_cluster_batch(world, &stencil, dimensions, visitor, context, stores, &meter, total);
        if (cursor->k < total) break;
        cursor->i = stencil.own_end;
        cursor->k = 0;
    }
    return tpi_cluster_meter_end(world, &meter, units, done);
}

/* ---- along the lists ---- */

/* Half units of a cluster along its list: 2 a particle, 1 a neighbour of each. */
TPI_INLINE uint32_t tpi_cluster_list_cost(const tp_world *world, uint32_t begin, uint32_t count)
{
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours) + begin;
    uint32_t cost = 2u * count;
    for (uint32_t k = 0; k < count; k++) cost += neighbours[k];
    return cost;
}

/* The neighbours of the cluster at the cursor: along its list, or through the grid where they were too many for it. */
TPI_INLINE void tpi_cluster_from_list(tp_world *world, uint32_t dimensions, tpi_cluster_visitor visitor,
                                      const void *context, tpi_cluster_meter *meter, tpi_stencil *stencil)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t word = tpi_words(world, world->arrays.row)[cursor->i], total = TPI_ROW_COUNT(word);
    uint32_t count = TPI_ROW_PARTICLES(word), cost = tpi_cluster_list_cost(world, cursor->i, count);
    const uint32_t *list =
        tpi_words(world, world->arrays.pair) + cursor->i * (world->constants.neighbours_max / 2u);
    bool has_list = total != TPI_ROW_TOO_MANY;
    if (!has_list) {
        tpi_stencil_cluster(world, cursor->i, TPI_LANES, stencil);
        total = 0;
        for (uint32_t r = 0; r < stencil->run_count; r++)
            total += stencil->runs[r].end - stencil->runs[r].begin;
    }
    tpi_cluster cluster = tpi_cluster_of(world, cursor->i, count, dimensions);
    while (cursor->k < total && meter->left > 0) {
        uint32_t places[TPI_CLUSTER_BATCH + TPI_LANES], take = tpi_cluster_take(cursor, meter, total, cost);
        if (!has_list) tpi_cluster_places(stencil, cursor->k, take, places);
        (void)visitor(world, context, &cluster, has_list ? list + cursor->k : places, take, NULL);
        tpi_cluster_pay(meter, cursor->k, cursor->k + take, total, cost);
        cursor->k += take;
    }
    if (cursor->k < total) return;
    if (total == 0) meter->left -= cost;
    cursor->i += count;
    cursor->k = 0;
}

/* The same neighbours from the stored lists. */
TPI_INLINE uint32_t tpi_sweep_cluster_lists(tp_world *world, uint32_t units, uint32_t dimensions,
                                            tpi_cluster_visitor visitor, const void *context, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_cluster_meter meter = tpi_cluster_meter_begin(world, units);
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor->i < world->step.count && meter.left > 0) {
        if (TPI_ROW_PARTICLES(tpi_words(world, world->arrays.row)[cursor->i]) > 0) {
            tpi_cluster_from_list(world, dimensions, visitor, context, &meter, &stencil);
        } else {
            meter.left -= 2;
            cursor->i++;
        }
    }
    return tpi_cluster_meter_end(world, &meter, units, done);
}

#endif
