/* SPDX-License-Identifier: MIT
   runtime/grid/pairs.c - the neighbour cap: which pairs survive when a particle has more neighbours than it may.
   reads   back positions, table      writes  cut distances and ids
   memory  one heap of neighbours_max entries      cost  one unit a candidate, only for particles above the cap
   after   own rule: each particle keeps its nearest (ties by id), and a pair lives when both ends keep it. Every end
           then has at most the cap, nobody is dropped one-sidedly, and the result depends on positions and ids alone */
#include "cluster.h"

typedef struct pairs_key {
    float square;
    uint32_t id;
} pairs_key;

static bool pairs_is_farther(pairs_key a, pairs_key b)
{
    return a.square > b.square || (a.square == b.square && a.id > b.id);
}

static uint32_t pairs_id(const tp_world *world, uint32_t place)
{
    uint32_t word = tpi_words(world, world->arrays.order)[place];
    return tpi_words(world, world->arrays.id)[TPI_ORDER_PLACE(word)];
}

void tpi_sweep_cut(const tp_world *world, uint32_t i, tpi_batch *batch)
{
    const float *cut = tpi_floats(world, world->arrays.cut_distance);
    const uint32_t *cut_id = tpi_words(world, world->arrays.cut_id);
    pairs_key cut_i = {cut[i], cut_id[i]};
    uint32_t own_id = pairs_id(world, i), kept = 0;
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t j = batch->partner[k];
        float square = batch->square[k];
        bool is_kept = square < cut_i.square && square < cut[j];
        if (square == cut_i.square || square == cut[j]) { /* ids decide, which are farther to fetch */
            pairs_key cut_j = {cut[j], cut_id[j]};
            is_kept = !pairs_is_farther((pairs_key){square, pairs_id(world, j)}, cut_i) &&
                      !pairs_is_farther((pairs_key){square, own_id}, cut_j);
        }
        batch->partner[kept] = j;
        batch->square[kept] = square;
        kept += is_kept;
    }
    batch->count = kept;
}

tpi_lane_mask tpi_cluster_cut(const tp_world *world, uint32_t begin, uint32_t count, uint32_t candidate,
                              tpi_lanes square)
{
    const float *cut = tpi_floats(world, world->arrays.cut_distance);
    const uint32_t *cut_id = tpi_words(world, world->arrays.cut_id);
    pairs_key cut_j = {cut[candidate], cut_id[candidate]};
    uint32_t id = pairs_id(world, candidate);
    tpi_lane_ints kept = tpi_lane_ints_of(0);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = begin + k;
        pairs_key cut_i = {cut[i], cut_id[i]};
        if (!pairs_is_farther((pairs_key){TPI_LANE(square, k), id}, cut_i) &&
            !pairs_is_farther((pairs_key){TPI_LANE(square, k), pairs_id(world, i)}, cut_j))
            TPI_LANE(kept, k) = 1;
    }
    return tpi_lane_ints_equal(kept, tpi_lane_ints_of(1));
}

/* The heap has the farthest on top; the cut is what is on top at the end. */
static void pairs_heap_offer(pairs_key *heap, uint32_t *size, uint32_t capacity, pairs_key key)
{
    uint32_t hole;
    if (*size < capacity) {
        for (hole = (*size)++; hole > 0 && pairs_is_farther(key, heap[(hole - 1u) / 2u]);
             hole = (hole - 1u) / 2u)
            heap[hole] = heap[(hole - 1u) / 2u];
        heap[hole] = key;
        return;
    }
    if (!pairs_is_farther(heap[0], key)) return;
    for (hole = 0;;) {
        uint32_t child = 2u * hole + 1u;
        if (child >= *size) break;
        if (child + 1u < *size && pairs_is_farther(heap[child + 1u], heap[child])) child++;
        if (!pairs_is_farther(heap[child], key)) break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = key;
}

/* Candidates of a stencil of one particle from the cursor on; cursor.end is the heap's size. */
static bool pairs_nearest_in(tp_world *world, const tpi_stencil *stencil, uint32_t units, uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_points points = tpi_points_of(world);
    pairs_key *heap = (pairs_key *)tpi_at(world, world->arrays.nearest);
    uint32_t i = cursor->i;
    float radius_squared = world->step.radius_squared[tpi_grid_level_of(world, i)][stencil->level];
    for (; cursor->j < stencil->run_count; cursor->j++, cursor->k = 0) {
        tpi_run run = stencil->runs[cursor->j];
        if (cursor->k) run.begin = cursor->k;
        for (; run.begin < run.end && *used < units; run.begin++, ++*used) {
            if (run.begin == i) continue;
            float square = tpi_distance_squared(points, i, run.begin, world->def.dimensions);
            if (square < radius_squared)
                pairs_heap_offer(heap, &cursor->end, world->constants.neighbours_max,
                                 (pairs_key){square, pairs_id(world, run.begin)});
        }
        cursor->k = run.begin;
        if (run.begin < run.end) return false;
    }
    return true;
}

/* The same through all levels, row by row; cursor.row is the one on its way, and a row costs a unit. */
static bool pairs_nearest_in_rows(tp_world *world, tpi_stencil *stencil, uint32_t units, uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    while (tpi_stencil_row(world, cursor->i, cursor->row, stencil)) {
        if (cursor->j == 0 && cursor->k == 0) {
            if (*used + 2u > units) return false; /* charged once, with its first candidate */
            ++*used;
        }
        if (!pairs_nearest_in(world, stencil, units, used)) return false;
        cursor->row++;
        cursor->j = cursor->k = 0;
    }
    return true;
}

/* A world of one level has one stencil for all of them. */
static bool pairs_nearest_of(tp_world *world, tpi_stencil *stencil, uint32_t units, uint32_t *used)
{
    const tpi_cursor *cursor = &world->step.cursor;
    const pairs_key *heap = (const pairs_key *)tpi_at(world, world->arrays.nearest);
    uint32_t i = cursor->i;
    if (world->constants.levels.count > 1u) {
        if (!pairs_nearest_in_rows(world, stencil, units, used)) return false;
    } else {
        tpi_stencil_full(world, i, stencil);
        if (!pairs_nearest_in(world, stencil, units, used)) return false;
    }
    tpi_floats(world, world->arrays.cut_distance)[i] = heap[0].square;
    tpi_words(world, world->arrays.cut_id)[i] = heap[0].id;
    return true;
}

uint32_t tpi_grid_nearest(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *neighbours = tpi_words(world, world->arrays.neighbours);
    uint32_t used = 0, least = world->constants.levels.count > 1u ? 3u : 2u;
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor->i < world->step.count && used < units) {
        bool is_above = neighbours[cursor->i] > world->constants.neighbours_max;
        bool begins = cursor->j == 0 && cursor->k == 0 && cursor->row == 0;
        if (begins && is_above && used + least > units) break; /* charged once, with its first candidate */
        if (begins) used++;
        if (!is_above) {
            tpi_floats(world, world->arrays.cut_distance)[cursor->i] = FLT_MAX;
            tpi_words(world, world->arrays.cut_id)[cursor->i] = 0xffffffffu;
        } else {
            if (!pairs_nearest_of(world, &stencil, units, &used)) break;
        }
        *cursor = (tpi_cursor){.i = cursor->i + 1u};
    }
    *done = cursor->i == world->step.count;
    return used;
}
