/* SPDX-License-Identifier: MIT
   runtime/solve/pair/list.c - neighbours within cutoff and skin: counted and, where there is room, listed.
   reads   back positions, table      writes  neighbours, rows and pairs
   memory  words of the block         cost    one visit a candidate of the grid
   after   Verlet 1967; the list is only ever a shortcut: it holds no less than the pairs within the cutoff, and sums of
           integers do not depend on what else it holds, or on its order */
#include "pair.h"

typedef struct list_context {
    tpi_points points;
    float radius_squared;
    uint32_t *neighbours;
} list_context;

static void list_count_partners(const tp_world *world, const void *context, uint32_t i,
                                const uint32_t *partners, const float *squares, uint32_t count)
{
    const list_context *c = (const list_context *)context;
    (void)world;
    (void)squares;
    c->neighbours[i] += count;
    for (uint32_t k = 0; k < count; k++) c->neighbours[partners[k]]++;
}

TPI_INLINE uint32_t list_count_cluster(const list_context *c, const tpi_cluster *cluster,
                                       const uint32_t *candidates, uint32_t count, uint32_t *hits,
                                       uint32_t dimensions, bool is_periodic)
{
    tpi_lane_ints neighbours = tpi_lane_ints_of(0);
    tpi_lanes limit = tpi_lanes_of(c->radius_squared), d[3];
    uint32_t hit_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t j = candidates[k];
        tpi_lanes square = tpi_pair_offset(&c->points, cluster, j, dimensions, is_periodic, d);
        tpi_lane_mask is_self = tpi_lane_ints_equal(cluster->place, tpi_lane_ints_of((int32_t)j));
        tpi_lane_mask is_real = tpi_lanes_and(tpi_lanes_less(square, limit), cluster->is_real);
        is_real = tpi_lanes_and(is_real, tpi_lanes_not(is_self));
        neighbours = tpi_lane_ints_count(neighbours, is_real);
        if (!hits) continue;
        hits[hit_count] = j;
        hit_count += tpi_lanes_any(is_real);
    }
    tpi_cluster_add(cluster, (int32_t *)c->neighbours, neighbours);
    return hit_count;
}

#define LIST_KIND(kind, dimensions, is_periodic)                                                           \
    TPI_INLINE uint32_t list_visit_##kind(const tp_world *world, const void *context,                      \
                                          const tpi_cluster *cluster, const uint32_t *candidates,          \
                                          uint32_t count, uint32_t *hits)                                  \
    {                                                                                                      \
        const list_context c = *(const list_context *)context;                                             \
        const tpi_cluster own = *cluster;                                                                  \
        (void)world;                                                                                       \
        return list_count_cluster(&c, &own, candidates, count, hits, dimensions, is_periodic);             \
    }                                                                                                      \
    static uint32_t list_sweep_##kind(tp_world *world, const list_context *c, uint32_t units, bool *done)  \
    {                                                                                                      \
        bool stores = world->def.pair.stores_neighbours;                                                   \
        if (TPI_PAIR_BY_CLUSTERS)                                                                          \
            return tpi_sweep_clusters(world, NULL, units, dimensions, list_visit_##kind, NULL, c, stores,  \
                                      done);                                                               \
        return tpi_sweep_box(world, units, dimensions, is_periodic, list_count_partners, c, stores, done); \
    }
TPI_PAIR_KINDS(LIST_KIND)
#undef LIST_KIND

static uint32_t list_sweep(tp_world *world, uint32_t units, bool *done)
{
    list_context c = {tpi_points_of(world), world->constants.radius_squared,
                      tpi_words(world, world->arrays.neighbours)};
    bool is_2d = world->def.dimensions == 2, is_periodic = world->constants.box.is_periodic;
    if (is_2d && is_periodic) return list_sweep_2d_box(world, &c, units, done);
    if (is_2d) return list_sweep_2d_open(world, &c, units, done);
    if (is_periodic) return list_sweep_3d_box(world, &c, units, done);
    return list_sweep_3d_open(world, &c, units, done);
}

/* 8 counts cost less than one pair. */
static uint32_t list_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t count = tpi_min_u32(units * 8u, step->count - step->cursor.i);
    memset(tpi_words(world, world->arrays.neighbours) + step->cursor.i, 0, (size_t)count * 4u);
    step->cursor.i += count;
    *done = step->cursor.i == step->count;
    return (count + 7u) / 8u;
}

/* Pairs, the largest count of neighbours, which says whether the cap may be hit, and the places that the list is of. */
static uint32_t list_finish(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours);
    uint32_t begin = step->cursor.i, end = begin + tpi_min_u32(units * 8u, step->count - begin);
    uint32_t sum = step->cursor.j;
    for (uint32_t i = begin; i < end; i++) {
        step->neighbours_largest = tpi_max_u32(step->neighbours_largest, neighbours[i]);
        sum += neighbours[i];
    }
    if (tpi_def_keeps_lists(&world->def))
        for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
            memcpy(tpi_floats(world, world->arrays.listed[axis]) + begin, tpi_back_x(world, axis) + begin,
                   (size_t)(end - begin) * 4u);
    step->pairs += sum / 2u;
    step->cursor.j = sum & 1u;
    step->cursor.i = end;
    step->list_built = true;
    *done = end == step->count;
    return (end - begin + 7u) / 8u;
}

uint32_t tpi_pair_list(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0: used = list_clear(world, units, &phase_done); break;
    case 1: used = list_sweep(world, units, &phase_done); break;
    default: used = list_finish(world, units, &phase_done); break;
    }
    *done = phase_done && cursor->phase >= 2u;
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}
