/* SPDX-License-Identifier: MIT
   runtime/grid/cluster.h - the sweep with a particle in each lane, for wide vectors.
   reads   back positions, table, lists      writes  lists; sums through an inlined visitor
   memory  64 candidates on the stack        cost    the same units as sweep.h
   after   own design. A cluster is a vector of particles in one row of cells; they share their
           candidates. Each pair is visited from both particles, and each lane adds to its own
           particle only: no scatter. Sums are integers, so the bits equal those of the half list */
#ifndef TPI_CLUSTER_H
#define TPI_CLUSTER_H
#include "sweep.h"
#include "../world/team.h"

/* Candidates per call of a visitor. */
#define TPI_CLUSTER_BATCH 64u

typedef struct tpi_cluster {
    uint32_t begin, count; /* particles begin .. begin + count - 1 of the back set */
    tpi_lane_ints index;   /* index of each lane's particle */
    tpi_lane_mask is_real; /* the first `count` lanes; the remaining lanes hold other particles */
    tpi_lanes x[3];
} tpi_cluster;

/* Visits candidates; the cluster's own particles are among them. If `hits` is not null, it receives
   the indices of candidates that are a neighbour of at least one particle; returns their number. */
typedef uint32_t (*tpi_cluster_visitor)(const tp_world *world, const void *context,
                                        const tpi_cluster *cluster, const uint32_t *candidates,
                                        uint32_t count, uint32_t *hits);

/* The list of a cluster is in its particles' part of the array of pairs: candidates in order. The
   row of its first particle holds the number of candidates (27 bits) and of particles (5 bits). The
   number TPI_ROW_OVERFLOWED means that they did not fit, so that there is no list. */
#define TPI_ROW_COUNT(word)     ((word)&0x7ffffffu)
#define TPI_ROW_PARTICLES(word) ((word) >> 27)
#define TPI_ROW_OVERFLOWED      0x7ffffffu
#define TPI_ROW_INSIDE          0xffffffffu /* a particle that is not the first of its cluster */

TPI_INLINE tpi_cluster tpi_cluster_of(const tp_world *world, uint32_t begin, uint32_t count,
                                      uint32_t dimensions)
{
    tpi_points points = tpi_points_of(world);
    tpi_cluster cluster = {
        .begin = begin, .count = count, .index = tpi_lane_ints_counted((int32_t)begin)};
    cluster.is_real = tpi_lanes_first(count);
    cluster.x[0] = tpi_lanes_load(points.x + begin);
    cluster.x[1] = tpi_lanes_load(points.y + begin);
    cluster.x[2] = cluster.x[0];
    if (dimensions == 3) cluster.x[2] = tpi_lanes_load(points.z + begin);
    return cluster;
}

/* Adds the terms to the sums of the cluster's particles, without writing to other particles. */
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

/* The pairs of the cluster with a candidate that both particles keep, with ties decided by id; see
   pairs.c. */
TPI_FUNC tpi_lane_mask tpi_cluster_limit(const tp_world *world, uint32_t begin, uint32_t count,
                                         uint32_t candidate, tpi_lanes square);

/* The pairs that both particles keep when the neighbour limit is exceeded. */
TPI_INLINE tpi_lane_mask tpi_cluster_kept(const tp_world *world, const tpi_cluster *cluster,
                                          uint32_t candidate, tpi_lanes square,
                                          tpi_lane_mask is_pair)
{
    const float *limit = tpi_floats(world, world->arrays.limit_distance);
    tpi_lanes nearest =
        tpi_lanes_min(tpi_lanes_load(limit + cluster->begin), tpi_lanes_of(limit[candidate]));
    tpi_lane_mask is_kept = tpi_lanes_and(is_pair, tpi_lanes_less(square, nearest));
    tpi_lane_mask is_near = tpi_lanes_and(is_pair, tpi_lanes_not(tpi_lanes_less(nearest, square)));
    if (TPI_LIKELY(tpi_lanes_bits(is_near) == tpi_lanes_bits(is_kept))) return is_kept;
    return tpi_lanes_and(
        is_near, tpi_cluster_limit(world, cluster->begin, cluster->count, candidate, square));
}

/* The arrays in which a solver adds up its sums. */
typedef struct tpi_cluster_sums {
    uint32_t arrays[7], count;
} tpi_cluster_sums;

/* ---- units: the cost of a cluster is spread evenly over its candidates ---- */

/* Number of candidates that the slice can pay for next. cursor.k of `total` are done; `cost`: half
   units of all of them. */
TPI_INLINE uint32_t tpi_cluster_take(const tpi_sweep *sweep, uint32_t total, uint32_t cost)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a cluster has a
       particle, which costs 2 or more */
    uint64_t affordable = ((uint64_t)sweep->meter.left * total + cost - 1u) / cost;
    uint32_t rest = tpi_min_u32(total - sweep->cursor.k, TPI_CLUSTER_BATCH);
    return affordable < rest ? (uint32_t)affordable : rest;
}

/* Charges `take` more candidates. */
TPI_INLINE void tpi_cluster_pay(tpi_sweep *sweep, uint32_t take, uint32_t total, uint32_t cost)
{
    uint32_t from = sweep->cursor.k, to = from + take;
    sweep->meter.left -= (int32_t)((uint64_t)cost * to / total - (uint64_t)cost * from / total);
    sweep->cursor.k = to;
}

/* ---- through the grid ---- */

/* Indices of the candidates number from .. from + count - 1. */
TPI_INLINE void tpi_cluster_candidates(const tpi_stencil *stencil, uint32_t from, uint32_t count,
                                       uint32_t candidates[TPI_CLUSTER_BATCH + TPI_LANES])
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
            tpi_lane_ints_store(candidates + filled + k,
                                tpi_lane_ints_counted((int32_t)(run.begin + from + k)));
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
    if (have == TPI_ROW_OVERFLOWED) return;
    if (have + count > half * cluster->count) {
        *row |= TPI_ROW_OVERFLOWED;
        return;
    }
    uint32_t *list = tpi_words(world, world->arrays.pair) + cluster->begin * half + have;
    tpi_memcpy(list, hits, count * sizeof hits[0]);
    *row += count;
}

/* Visits one batch of candidates of the cluster at the cursor. */
TPI_INLINE void tpi_cluster_batch(tpi_sweep *sweep, uint32_t dimensions,
                                  tpi_cluster_visitor visitor, const void *context, bool stores,
                                  uint32_t total)
{
    tp_world *world = sweep->world;
    const tpi_stencil *stencil = &sweep->stencil;
    const tpi_cursor *cursor = &sweep->cursor;
    uint32_t candidates[TPI_CLUSTER_BATCH + TPI_LANES], hits[TPI_CLUSTER_BATCH + 1u];
    uint32_t count = stencil->own_end - stencil->own_begin,
             take = tpi_cluster_take(sweep, total, stencil->cost);
    tpi_cluster cluster = tpi_cluster_of(world, cursor->i, count, dimensions);
    if (stores && cursor->k == 0) tpi_words(world, world->arrays.row)[cursor->i] = count << 27;
    tpi_cluster_candidates(stencil, cursor->k, take, candidates);
    uint32_t hit_count = visitor(world, context, &cluster, candidates, take, stores ? hits : NULL);
    if (stores) tpi_cluster_keep(world, &cluster, hits, hit_count);
    tpi_cluster_pay(sweep, take, total, stencil->cost);
}

TPI_INLINE uint32_t tpi_cluster_total(const tpi_stencil *stencil)
{
    uint32_t total = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++)
        total += stencil->runs[r].end - stencil->runs[r].begin;
    return total;
}

/* The cluster that begins at an index, at most up to `end`. False if there is none because
   cell_max excludes the particle from pairs. */
TPI_INLINE bool tpi_cluster_next(tp_world *world, uint32_t index, uint32_t end, bool stores,
                                 tpi_stencil *stencil)
{
    tpi_stencil_cluster(world, index, tpi_min_u32(TPI_LANES, end - index), stencil);
    bool is_alone = stencil->own_end == stencil->own_begin;
    if (stores && is_alone) tpi_words(world, world->arrays.row)[index] = 0;
    for (uint32_t i = index + 1u; stores && i < stencil->own_end; i++)
        tpi_words(world, world->arrays.row)[i] = TPI_ROW_INSIDE;
    return !is_alone;
}

/* True if no pair of the cluster is dropped: none of its candidates, which include its own
   particles, exceeds the neighbour limit. */
TPI_INLINE bool tpi_cluster_is_unlimited(const tp_world *world, const tpi_stencil *stencil)
{
    const float *limit = tpi_floats(world, world->arrays.limit_distance);
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run run = stencil->runs[r];
        for (uint32_t j = run.begin; j < run.end; j += TPI_LANES) {
            tpi_lane_mask has_limit =
                tpi_lanes_less(tpi_lanes_load(limit + j), tpi_lanes_of(FLT_MAX));
            has_limit =
                tpi_lanes_and(has_limit, tpi_lanes_first(tpi_min_u32(run.end - j, TPI_LANES)));
            if (tpi_lanes_any(has_limit)) return false;
        }
    }
    return true;
}

/* Begins a cluster in the second pass, which applies the neighbour limit. True if the sums and the
   list of the first pass stay valid: no pair is dropped, and the cluster is the same. Otherwise
   clears the sums. */
TPI_INLINE bool tpi_cluster_stays(tp_world *world, const tpi_stencil *stencil,
                                  const tpi_cluster_sums *sums, bool stores)
{
    uint32_t begin = stencil->own_begin, count = stencil->own_end - begin;
    bool is_same =
        !stores || TPI_ROW_PARTICLES(tpi_words(world, world->arrays.row)[begin]) == count;
    if (is_same && tpi_cluster_is_unlimited(world, stencil)) return true;
    for (uint32_t k = 0; k < sums->count; k++)
        tpi_memset(tpi_words(world, sums->arrays[k]) + begin, 0, (size_t)count * 4u);
    return false;
}

/* Sweeps the particles up to `end`. `sums`: the solver's arrays in a second pass, which applies the
   neighbour limit; else null. */
TPI_INLINE void tpi_cluster_on(tpi_sweep *sweep, uint32_t end, uint32_t dimensions,
                               tpi_cluster_visitor visitor, const void *context, bool stores,
                               const tpi_cluster_sums *sums)
{
    tpi_cursor *cursor = &sweep->cursor;
    tpi_stencil *stencil = &sweep->stencil;
    while (cursor->i < end && sweep->meter.left > 0) {
        if (!tpi_cluster_next(sweep->world, cursor->i, end, stores, stencil)) {
            sweep->tally.crowded++;
            sweep->meter.left -= 2;
            cursor->i++;
            continue;
        }
        uint32_t total = tpi_cluster_total(stencil);
        if (TPI_UNLIKELY(sums) && cursor->k == 0)
            cursor->j = tpi_cluster_stays(sweep->world, stencil, sums, stores);
        /* a cluster that stays is charged too, so that units are equal in all kinds of sweep */
        while (cursor->k < total && sweep->meter.left > 0) {
            if (TPI_UNLIKELY(cursor->j))
                tpi_cluster_pay(sweep, tpi_cluster_take(sweep, total, stencil->cost), total,
                                stencil->cost);
            else
                tpi_cluster_batch(sweep, dimensions, visitor, context, stores, total);
        }
        if (cursor->k < total) return;
        cursor->i = stencil->own_end;
        cursor->j = cursor->k = 0;
    }
}

/* ---- along the lists ---- */

/* Half units of a cluster along its list: 2 per particle, 1 per neighbour of each particle. */
TPI_INLINE uint32_t tpi_cluster_list_cost(const tp_world *world, uint32_t begin, uint32_t count)
{
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours) + begin;
    uint32_t cost = 2u * count;
    for (uint32_t k = 0; k < count; k++) cost += neighbours[k];
    return cost;
}

/* Visits the neighbours of the cluster at the cursor along its list, or through the grid if they
   did not fit into the list. */
TPI_INLINE void tpi_cluster_from_list(tpi_sweep *sweep, uint32_t dimensions,
                                      tpi_cluster_visitor visitor, const void *context)
{
    tp_world *world = sweep->world;
    tpi_cursor *cursor = &sweep->cursor;
    uint32_t word = tpi_words(world, world->arrays.row)[cursor->i], total = TPI_ROW_COUNT(word);
    uint32_t count = TPI_ROW_PARTICLES(word), cost = tpi_cluster_list_cost(world, cursor->i, count);
    const uint32_t *list =
        tpi_words(world, world->arrays.pair) + cursor->i * (world->constants.neighbours_max / 2u);
    bool has_list = total != TPI_ROW_OVERFLOWED;
    if (!has_list) {
        tpi_stencil_cluster(world, cursor->i, count, &sweep->stencil);
        total = tpi_cluster_total(&sweep->stencil);
    }
    tpi_cluster cluster = tpi_cluster_of(world, cursor->i, count, dimensions);
    while (cursor->k < total && sweep->meter.left > 0) {
        uint32_t candidates[TPI_CLUSTER_BATCH + TPI_LANES],
            take = tpi_cluster_take(sweep, total, cost);
        if (!has_list) tpi_cluster_candidates(&sweep->stencil, cursor->k, take, candidates);
        (void)visitor(world, context, &cluster, has_list ? list + cursor->k : candidates, take,
                      NULL);
        tpi_cluster_pay(sweep, take, total, cost);
    }
    if (cursor->k < total) return;
    if (total == 0) sweep->meter.left -= (int32_t)cost;
    cursor->i += count;
    cursor->k = 0;
}

/* Sweeps the clusters that begin before `end` along the stored lists. A particle may have no
   cluster. A stretch may begin inside a cluster: that cluster belongs to the stretch before it. */
TPI_INLINE void tpi_cluster_list_on(tpi_sweep *sweep, uint32_t end, uint32_t dimensions,
                                    tpi_cluster_visitor visitor, const void *context)
{
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row);
    tpi_cursor *cursor = &sweep->cursor;
    while (cursor->i < end && row[cursor->i] == TPI_ROW_INSIDE) cursor->i++;
    while (cursor->i < end && sweep->meter.left > 0) {
        if (row[cursor->i]) {
            tpi_cluster_from_list(sweep, dimensions, visitor, context);
            continue;
        }
        sweep->meter.left -= 2;
        cursor->i++;
    }
}

#endif
