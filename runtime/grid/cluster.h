/* SPDX-License-Identifier: MIT
   runtime/grid/cluster.h - the sweep where vectors are wide: a lane a particle, candidates one after the other.
   reads   back positions, table, lists      writes  through a visitor that is compiled into the loop; lists
   memory  64 places on the stack            cost    the units of sweep.h, which does the same work pair by pair
   after   own design. Neighbours in a row of cells share their candidates. Each pair is met from both ends, so nothing is
           scattered, particles write to themselves alone, and sums are integers: the bits are those of the half list */
#ifndef TPI_CLUSTER_H
#define TPI_CLUSTER_H
#include "sweep.h"
#include "../world/team.h"

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
#define TPI_ROW_NO_ROOM         0x7ffffffu
#define TPI_ROW_INSIDE          0xffffffffu /* not the first of its cluster */

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
    int64_t left; /* half units of this slice */
} tpi_cluster_meter;

TPI_INLINE tpi_cluster_meter tpi_cluster_meter_begin(const tp_world *world, uint32_t units)
{
    return (tpi_cluster_meter){2 * (int64_t)units - world->step.cursor.end};
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
    if (have == TPI_ROW_NO_ROOM) return;
    if (have + count > half * cluster->count) {
        *row |= TPI_ROW_NO_ROOM;
        return;
    }
    uint32_t *list = tpi_words(world, world->arrays.pair) + cluster->begin * half + have;
    memcpy(list, hits, count * sizeof hits[0]);
    *row += count;
}

/* One batch of the cluster at the cursor. */
TPI_INLINE void tpi_cluster_batch(tp_world *world, tpi_cursor *cursor, const tpi_stencil *stencil,
                                  uint32_t dimensions, tpi_cluster_visitor visitor, const void *context,
                                  bool stores, tpi_cluster_meter *meter, uint32_t total)
{
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

TPI_INLINE uint32_t tpi_cluster_total(const tpi_stencil *stencil)
{
    uint32_t total = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++) total += stencil->runs[r].end - stencil->runs[r].begin;
    return total;
}

/* The next cluster from the cursor on, at most up to `end`; false where there is only one of those particles that a
   crowded cell leaves out. */
TPI_INLINE bool tpi_cluster_next(tp_world *world, uint32_t place, uint32_t end, bool stores,
                                 tpi_stencil *stencil)
{
    tpi_stencil_cluster(world, place, tpi_min_u32(TPI_LANES, end - place), stencil);
    bool is_alone = stencil->own_end == stencil->own_begin;
    if (stores && is_alone) tpi_words(world, world->arrays.row)[place] = 0;
    for (uint32_t i = place + 1u; stores && i < stencil->own_end; i++)
        tpi_words(world, world->arrays.row)[i] = TPI_ROW_INSIDE;
    return !is_alone;
}

/* Goes through all neighbours of particles begin .. end - 1, whole clusters at a time. For a team. */
TPI_INLINE void tpi_cluster_range(tp_world *world, uint32_t begin, uint32_t end, uint32_t dimensions,
                                  tpi_cluster_visitor visitor, const void *context, bool stores,
                                  tpi_tally *tally)
{
    tpi_stencil stencil;
    stencil.is_known = false;
    while (begin < end) {
        if (!tpi_cluster_next(world, begin, end, stores, &stencil)) {
            tally->crowded++;
            tally->cost += 2;
            begin++;
            continue;
        }
        uint32_t total = tpi_cluster_total(&stencil);
        tpi_cursor cursor = {.i = begin};
        tpi_cluster_meter meter = {INT64_MAX / 2048};
        while (cursor.k < total)
            tpi_cluster_batch(world, &cursor, &stencil, dimensions, visitor, context, stores, &meter, total);
        tally->cost += stencil.cost;
        begin = stencil.own_end;
    }
}

/* Particles that a team takes on next: about what is left of the slice, by what the last ones cost. */
TPI_INLINE uint32_t tpi_cluster_share(const tp_world *world, const tpi_cluster_meter *meter,
                                      const tp_jobs *jobs)
{
    const tpi_step *step = &world->step;
    uint32_t rest = step->count - step->cursor.i, each = step->cursor.j ? step->cursor.j : 32u;
    uint64_t wanted = (uint64_t)meter->left / each + 1u, least = jobs->workers * TPI_PART_LEAST;
    if (wanted < least) wanted = least;
    return wanted < rest ? (uint32_t)wanted : rest;
}

/* A team's turns until the slice is used up. What it does too much is paid by the next slices. */
TPI_INLINE void tpi_cluster_team(tp_world *world, const tp_jobs *jobs, tpi_team_work work,
                                 const void *context, tpi_cluster_meter *meter)
{
    tpi_cursor *cursor = &world->step.cursor;
    while (meter->left > 0 && tpi_team_is_worth(jobs, world->step.count - cursor->i)) {
        uint32_t count = tpi_cluster_share(world, meter, jobs);
        tpi_tally tally = tpi_team_run(jobs, world, work, context, cursor->i, cursor->i + count);
        meter->left -= tally.cost;
        world->step.crowded += tally.crowded;
        world->step.displacements_clamped += tally.clamped;
        cursor->i += count;
        cursor->j = (uint32_t)(tally.cost / count) + 1u;
    }
}

/* Goes through all neighbours of all particles. `team` does the same for a stretch. Resumable: cursor.i, k, and end for
   what is not paid yet; cursor.j is what a particle cost of late. */
TPI_INLINE uint32_t tpi_sweep_clusters(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                       uint32_t dimensions, tpi_cluster_visitor visitor, tpi_team_work team,
                                       const void *context, bool stores, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_cluster_meter meter = tpi_cluster_meter_begin(world, units);
    tpi_stencil stencil;
    stencil.is_known = false;
    if (cursor->k == 0) tpi_cluster_team(world, jobs, team, context, &meter);
    while (cursor->i < world->step.count && meter.left > 0) {
        if (!tpi_cluster_next(world, cursor->i, world->step.count, stores, &stencil)) {
            world->step.crowded++;
            meter.left -= 2;
            cursor->i++;
            continue;
        }
        uint32_t total = tpi_cluster_total(&stencil);
        while (cursor->k < total && meter.left > 0)
            tpi_cluster_batch(world, cursor, &stencil, dimensions, visitor, context, stores, &meter, total);
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
TPI_INLINE void tpi_cluster_from_list(tp_world *world, tpi_cursor *cursor, uint32_t dimensions,
                                      tpi_cluster_visitor visitor, const void *context,
                                      tpi_cluster_meter *meter, tpi_stencil *stencil)
{
    uint32_t word = tpi_words(world, world->arrays.row)[cursor->i], total = TPI_ROW_COUNT(word);
    uint32_t count = TPI_ROW_PARTICLES(word), cost = tpi_cluster_list_cost(world, cursor->i, count);
    const uint32_t *list =
        tpi_words(world, world->arrays.pair) + cursor->i * (world->constants.neighbours_max / 2u);
    bool has_list = total != TPI_ROW_NO_ROOM;
    if (!has_list) {
        tpi_stencil_cluster(world, cursor->i, count, stencil);
        total = tpi_cluster_total(stencil);
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

/* The cluster at the cursor, or the particle that has none; none is inside one, or has another's list. */
TPI_INLINE void tpi_cluster_list_step(tp_world *world, tpi_cursor *cursor, uint32_t dimensions,
                                      tpi_cluster_visitor visitor, const void *context,
                                      tpi_cluster_meter *meter, tpi_stencil *stencil)
{
    if (tpi_words(world, world->arrays.row)[cursor->i]) {
        tpi_cluster_from_list(world, cursor, dimensions, visitor, context, meter, stencil);
        return;
    }
    meter->left -= 2;
    cursor->i++;
}

/* The clusters that begin at particles begin .. end - 1. For a team. */
TPI_INLINE void tpi_cluster_list_range(tp_world *world, uint32_t begin, uint32_t end, uint32_t dimensions,
                                       tpi_cluster_visitor visitor, const void *context, tpi_tally *tally)
{
    const uint32_t *row = tpi_words(world, world->arrays.row);
    const int64_t plenty = INT64_MAX / 2048;
    tpi_cursor cursor = {.i = begin};
    tpi_cluster_meter meter = {plenty};
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor.i < end && row[cursor.i] == TPI_ROW_INSIDE) cursor.i++;
    while (cursor.i < end)
        tpi_cluster_list_step(world, &cursor, dimensions, visitor, context, &meter, &stencil);
    tally->cost += plenty - meter.left;
}

/* The same neighbours from the stored lists. */
TPI_INLINE uint32_t tpi_sweep_cluster_lists(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                            uint32_t dimensions, tpi_cluster_visitor visitor,
                                            tpi_team_work team, const void *context, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *row = tpi_words(world, world->arrays.row);
    tpi_cluster_meter meter = tpi_cluster_meter_begin(world, units);
    tpi_stencil stencil;
    stencil.is_known = false;
    if (cursor->k == 0) tpi_cluster_team(world, jobs, team, context, &meter);
    while (cursor->i < world->step.count && row[cursor->i] == TPI_ROW_INSIDE)
        cursor->i++; /* a team ended here */
    while (cursor->i < world->step.count && meter.left > 0)
        tpi_cluster_list_step(world, cursor, dimensions, visitor, context, &meter, &stencil);
    return tpi_cluster_meter_end(world, &meter, units, done);
}

#endif
