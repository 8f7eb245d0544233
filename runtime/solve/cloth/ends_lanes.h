/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/ends_lanes.h - vectors of constraints: what a slice knows, and how the
           ends of constraints are read and written.
   reads   arrays of nodes and constraints      writes  arrays of nodes
   memory  none      cost    one gather per array and end, or one load if the ends lie in a row
   after   own design: ends that lie in a row, as those of grids, need no gather */
#ifndef TPI_CLOTH_ENDS_LANES_H
#define TPI_CLOTH_ENDS_LANES_H
#include "cloth_lanes.h"
#include "../../world/team.h"

/* What a slice prepares once. */
typedef struct cloth_slice {
    const float *x[3]; /* m: front */
    float *v[3];       /* m/s: kicked; constraints change them */
    float *weights;    /* 1/kg: inverse masses; pinned: 0 */
    const uint32_t *first, *second, *anchors;
    const float *lengths, *compliances, *reaches;
    float timestep, damped, per_square; /* s; 1 + damping / dt; 1/s^2 */
    float damping;                      /* s */
    float limit;                        /* largest length in rest lengths; 0: none */
    uint32_t nodes;
    bool is_split; /* constraints of a colour may not ascend */
    /* springs: m/s: front; row sums of rates, and the ends in them, per node */
    const float *before[3], *rates, *ends;
    /* implicit springs: see tpi_cloth_vectors, tpi_cloth_firm */
    float *gradient[3], *direction[3], *product[3], *firm;
} cloth_slice;

/* swell.c: volumes of the cells from `begin` to `end` change the kicked velocities of corners. */
TPI_FUNC void tpi_cloth_swell(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                              uint32_t begin, uint32_t end);
/* bend.c: the same of folds. */
TPI_FUNC void tpi_cloth_bend(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                             uint32_t begin, uint32_t end);

/* Does the items from `begin` to `end` of a pool, colour by colour: those of one share no nodes, so
   threads may share them. */
TPI_INLINE void cloth_run_pool(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                               const tpi_cloth_pool *pool, tpi_team_work work, uint32_t begin,
                               uint32_t end)
{
    for (uint32_t colour = 0; colour < pool->colours; colour++) {
        uint32_t from = tpi_max_u32(begin, pool->begin[colour]),
                 to = tpi_min_u32(end, pool->begin[colour + 1u]);
        if (from < to) (void)tpi_team_run(jobs, world, work, slice, from, to);
    }
}

/* How the nodes of a vector of constraints lie: anywhere; consecutive first and second ends; both
   ends in turn, a b a b ...; both ends in twos, a a b b a a b b ... */
#define CLOTH_SCATTERED 0u
#define CLOTH_RUN       1u
#define CLOTH_NEXT      2u
#define CLOTH_TWOS      3u

/* One end of a vector of constraints. */
typedef struct cloth_ends {
    tpi_lane_ints at; /* if they are scattered */
    const uint32_t *indices;
    uint32_t count, lie;
} cloth_ends;

TPI_INLINE bool cloth_are(tpi_lane_ints a, tpi_lane_ints b)
{
    return tpi_lanes_bits(tpi_lane_ints_equal(a, b)) == TPI_LANES_ALL;
}

TPI_INLINE cloth_ends cloth_ends_of(const uint32_t *indices, uint32_t count, uint32_t lie)
{
    cloth_ends e = {.indices = indices, .count = count, .lie = lie};
    if (lie != CLOTH_SCATTERED) return e;
    e.at = tpi_lane_ints_load(indices);
    if (TPI_UNLIKELY(count < TPI_LANES))
        e.at = tpi_lane_ints_select(tpi_lanes_first(count), e.at,
                                    tpi_lane_ints_of((int32_t)indices[0]));
    return e;
}

/* Of ends that are read without others: consecutive, or anywhere. */
TPI_INLINE cloth_ends cloth_ends_alone(const uint32_t *indices, uint32_t count)
{
    cloth_ends e = cloth_ends_of(indices, count, CLOTH_SCATTERED);
    if (count == TPI_LANES && cloth_are(e.at, tpi_lane_ints_counted((int32_t)indices[0])))
        e.lie = CLOTH_RUN;
    return e;
}

#if TPI_LANES > 1 && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define CLOTH_SHUFFLES
#endif
#endif
#if defined(CLOTH_SHUFFLES)
/* Lanes of two vectors: CLOTH_MIX(a, b, EVENS) has those with even numbers, for example. */
#define CLOTH_MIX(a, b, order) __builtin_shufflevector(a, b, order)
#if TPI_LANES == 4
#define CLOTH_EVENS   0, 2, 4, 6
#define CLOTH_ODDS    1, 3, 5, 7
#define CLOTH_LOW     0, 4, 1, 5
#define CLOTH_HIGH    2, 6, 3, 7
#define CLOTH_FIRSTS  0, 1, 4, 5
#define CLOTH_SECONDS 2, 3, 6, 7
#define CLOTH_LOWS    0, 1, 4, 5
#define CLOTH_HIGHS   2, 3, 6, 7
#elif TPI_LANES == 8
#define CLOTH_EVENS   0, 2, 4, 6, 8, 10, 12, 14
#define CLOTH_ODDS    1, 3, 5, 7, 9, 11, 13, 15
#define CLOTH_LOW     0, 8, 1, 9, 2, 10, 3, 11
#define CLOTH_HIGH    4, 12, 5, 13, 6, 14, 7, 15
#define CLOTH_FIRSTS  0, 1, 4, 5, 8, 9, 12, 13
#define CLOTH_SECONDS 2, 3, 6, 7, 10, 11, 14, 15
#define CLOTH_LOWS    0, 1, 8, 9, 2, 3, 10, 11
#define CLOTH_HIGHS   4, 5, 12, 13, 6, 7, 14, 15
#else
#define CLOTH_EVENS   0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define CLOTH_ODDS    1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define CLOTH_LOW     0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define CLOTH_HIGH    8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define CLOTH_FIRSTS  0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29
#define CLOTH_SECONDS 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31
#define CLOTH_LOWS    0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23
#define CLOTH_HIGHS   8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31
#endif

TPI_INLINE void cloth_read_run(const float *from, const cloth_ends *a, tpi_lanes *of_a,
                               tpi_lanes *of_b)
{
    const float *run = from + a->indices[0];
    tpi_lanes low = tpi_lanes_load(run), high = tpi_lanes_load(run + TPI_LANES);
    bool is_next = a->lie == CLOTH_NEXT;
    *of_a = is_next ? CLOTH_MIX(low, high, CLOTH_EVENS) : CLOTH_MIX(low, high, CLOTH_FIRSTS);
    *of_b = is_next ? CLOTH_MIX(low, high, CLOTH_ODDS) : CLOTH_MIX(low, high, CLOTH_SECONDS);
}

TPI_INLINE void cloth_write_run(float *to, const cloth_ends *a, tpi_lanes of_a, tpi_lanes of_b)
{
    float *run = to + a->indices[0];
    bool is_next = a->lie == CLOTH_NEXT;
    tpi_lanes_store(run,
                    is_next ? CLOTH_MIX(of_a, of_b, CLOTH_LOW) : CLOTH_MIX(of_a, of_b, CLOTH_LOWS));
    tpi_lanes_store(run + TPI_LANES, is_next ? CLOTH_MIX(of_a, of_b, CLOTH_HIGH)
                                             : CLOTH_MIX(of_a, of_b, CLOTH_HIGHS));
}
#else
/* Without shuffles, such ends are scattered ones. */
TPI_INLINE void cloth_read_run(const float *from, const cloth_ends *a, tpi_lanes *of_a,
                               tpi_lanes *of_b)
{
    (void)from, (void)a, (void)of_a, (void)of_b;
}
TPI_INLINE void cloth_write_run(float *to, const cloth_ends *a, tpi_lanes of_a, tpi_lanes of_b)
{
    (void)to, (void)a, (void)of_a, (void)of_b;
}
#endif

/* How the ends of `count` constraints from k on lie, if those of a colour ascend by their first
   ends. They share no nodes, so the first and the last of these ends tell where the others are: of
   consecutive first ends; and if all second ends are 1 or 2 behind, which keeps others away. */
TPI_INLINE uint32_t cloth_lie_if(const cloth_slice *s, uint32_t k, uint32_t count)
{
    if (TPI_LANES == 1 || count < TPI_LANES) return CLOTH_SCATTERED;
    const uint32_t from = s->first[k], to = s->second[k],
                   span = s->first[k + TPI_LANES - 1u] - from;
    tpi_lane_ints ends = tpi_lane_ints_load(s->second + k);
    if (span == TPI_LANES - 1u)
        return cloth_are(ends, tpi_lane_ints_counted((int32_t)to)) ? CLOTH_RUN : CLOTH_SCATTERED;
#if defined(CLOTH_SHUFFLES)
    const uint32_t apart = span == 2u * TPI_LANES - 2u ? 1u : 2u;
    if (span != 2u * TPI_LANES - 1u - apart || to - from != apart) return CLOTH_SCATTERED;
    if (cloth_are(ends - tpi_lane_ints_load(s->first + k), tpi_lane_ints_of((int32_t)apart)))
        return apart == 1u ? CLOTH_NEXT : CLOTH_TWOS;
#endif
    return CLOTH_SCATTERED;
}

/* After splits constraints do not ascend: all first ends are looked at. */
TPI_INLINE uint32_t cloth_lie_of(const cloth_slice *s, uint32_t k, uint32_t count)
{
    const uint32_t lie = cloth_lie_if(s, k, count);
    if (!TPI_UNLIKELY(s->is_split) || lie == CLOTH_SCATTERED) return lie;
    tpi_lane_ints lane = tpi_lane_ints_counted(0), at = lane;
    if (lie == CLOTH_NEXT) at = lane + lane;
    if (lie == CLOTH_TWOS) at = lane + (lane & tpi_lane_ints_of(-2));
    at = at + tpi_lane_ints_of((int32_t)s->first[k]);
    return cloth_are(tpi_lane_ints_load(s->first + k), at) ? lie : CLOTH_SCATTERED;
}

TPI_INLINE tpi_lanes cloth_read(const float *from, const cloth_ends *ends)
{
    return ends->lie == CLOTH_RUN ? tpi_lanes_load(from + ends->indices[0])
                                  : tpi_lanes_gather(from, ends->at);
}

TPI_INLINE void cloth_read_both(const float *from, const cloth_ends *a, const cloth_ends *b,
                                tpi_lanes *of_a, tpi_lanes *of_b)
{
    if (a->lie >= CLOTH_NEXT) {
        cloth_read_run(from, a, of_a, of_b);
        return;
    }
    *of_a = cloth_read(from, a);
    *of_b = cloth_read(from, b);
}

TPI_INLINE void cloth_write(float *to, const cloth_ends *ends, tpi_lanes value)
{
    if (ends->lie == CLOTH_RUN) {
        tpi_lanes_store(to + ends->indices[0], value);
        return;
    }
    for (uint32_t k = 0; k < ends->count; k++) to[ends->indices[k]] = TPI_LANE(value, k);
}

TPI_INLINE void cloth_write_both(float *to, const cloth_ends *a, const cloth_ends *b,
                                 tpi_lanes of_a, tpi_lanes of_b)
{
    if (a->lie >= CLOTH_NEXT) {
        cloth_write_run(to, a, of_a, of_b);
        return;
    }
    cloth_write(to, a, of_a);
    cloth_write(to, b, of_b);
}

/* Distances that are neither 0 nor so large that a node is lost. */
TPI_INLINE tpi_lane_mask cloth_is_good(tpi_lanes square)
{
    return tpi_lanes_and(tpi_lanes_less(tpi_lanes_of(1e-24f), square),
                         tpi_lanes_less(square, tpi_lanes_of(1e24f)));
}

#endif
