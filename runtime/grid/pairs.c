/* SPDX-License-Identifier: MIT
   runtime/grid/pairs.c - the neighbour limit: a particle keeps its nearest neighbours.
   reads   back positions, table      writes  limit distances and ids
   memory  one binary heap of neighbours_max entries
   cost    one unit per candidate, only for particles above the limit
   after   own rule: each particle keeps its nearest neighbours (ties by id), and a pair is kept if
           both particles keep it. So no particle exceeds the limit, no pair is dropped on one side
           only, and the result depends on positions and ids alone */
#include "sweep.h"

typedef struct pairs_key {
    float square;
    uint32_t id;
} pairs_key;

static bool pairs_is_farther(pairs_key a, pairs_key b)
{
    return a.square > b.square || (a.square == b.square && a.id > b.id);
}

static uint32_t pairs_id(const tp_world *world, uint32_t index)
{
    uint32_t word = tpi_words(world, world->arrays.order)[index];
    return tpi_words(world, world->arrays.id)[TPI_ORDER_INDEX(word)];
}

bool tpi_sweep_keeps(const tp_world *world, uint32_t i, uint32_t j, float square)
{
    const float *limit = tpi_floats(world, world->arrays.limit_distance);
    const uint32_t *limit_id = tpi_words(world, world->arrays.limit_id);
    if (TPI_LIKELY(square != limit[i] && square != limit[j]))
        return square < limit[i] && square < limit[j];
    /* a tie: the ids decide, which are rarely needed */
    pairs_key limit_i = {limit[i], limit_id[i]}, limit_j = {limit[j], limit_id[j]};
    return !pairs_is_farther((pairs_key){square, pairs_id(world, j)}, limit_i) &&
           !pairs_is_farther((pairs_key){square, pairs_id(world, i)}, limit_j);
}

void tpi_sweep_limit(const tp_world *world, uint32_t i, tpi_batch *batch)
{
    const tpi_points points = tpi_points_of(world);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < batch->count; k++) {
        uint32_t j = batch->partner[k];
        float square = batch->square[k], same = square;
        batch->partner[kept] = j;
        batch->square[kept] = square;
        /* both particles must see the same distance */
        if (points.box) same = tpi_distance_squared(points, i, j, tpi_dimensions(world));
        kept += tpi_sweep_keeps(world, i, j, same);
    }
    batch->count = kept;
}

/* The heap may hold the farthest neighbours instead of the nearest: a particle barely above the
   limit has few to drop, and most candidates are nearer than all of them. Returns the size of such
   a heap: the largest possible number of dropped neighbours, and one more; the neighbour count may
   be that of a longer radius. 0: the heap holds the nearest. */
static uint32_t pairs_farthest_wanted(const tp_world *world, uint32_t i)
{
    uint32_t most = world->constants.neighbours_max,
             wanted = tpi_neighbour_counts(world)[i] - most + 1u;
    return wanted <= most ? wanted : 0;
}

/* Order of the heap: its top is the farthest of the nearest neighbours, or the nearest of the
   farthest. */
static bool pairs_is_above(pairs_key a, pairs_key b, bool keeps_farthest)
{
    return keeps_farthest ? pairs_is_farther(b, a) : pairs_is_farther(a, b);
}

/* Replaces the top by `key` and sifts it down. */
static void pairs_heap_replace(pairs_key *heap, uint32_t size, pairs_key key, bool keeps_farthest)
{
    uint32_t hole = 0;
    for (uint32_t child; (child = 2u * hole + 1u) < size; hole = child) {
        if (child + 1u < size && pairs_is_above(heap[child + 1u], heap[child], keeps_farthest))
            child++;
        if (!pairs_is_above(heap[child], key, keeps_farthest)) break;
        heap[hole] = heap[child];
    }
    heap[hole] = key;
}

static void pairs_heap_offer(pairs_key *heap, uint32_t *size, uint32_t capacity, pairs_key key,
                             bool keeps_farthest)
{
    if (*size == capacity) {
        if (pairs_is_above(heap[0], key, keeps_farthest))
            pairs_heap_replace(heap, capacity, key, keeps_farthest);
        return;
    }
    uint32_t hole = (*size)++;
    for (uint32_t parent; hole > 0; hole = parent) {
        parent = (hole - 1u) / 2u;
        if (!pairs_is_above(key, heap[parent], keeps_farthest)) break;
        heap[hole] = heap[parent];
    }
    heap[hole] = key;
}

/* The farthest of `found` neighbours that is kept. */
static pairs_key pairs_heap_limit(pairs_key *heap, uint32_t size, uint32_t found, uint32_t most,
                                  bool keeps_farthest)
{
    if (found < most) return (pairs_key){FLT_MAX, 0xffffffffu};
    while (keeps_farthest && size > found - most + 1u) {
        size--;
        pairs_heap_replace(heap, size, heap[size], true);
    }
    return heap[0];
}

/* Offers the neighbours of a batch to the heap. cursor.end is the size of the heap, cursor.phase
   the number of neighbours found. */
static void pairs_offer(tp_world *world, const tpi_batch *batch)
{
    tpi_cursor *cursor = &world->step.cursor;
    pairs_key *heap = (pairs_key *)tpi_at(world, world->arrays.nearest);
    uint32_t farthest = pairs_farthest_wanted(world, cursor->i);
    uint32_t capacity = farthest ? farthest : world->constants.neighbours_max;
    for (uint32_t k = 0; k < batch->count; k++) {
        float square = batch->square[k];
        bool is_below_top = farthest ? square < heap[0].square : square > heap[0].square;
        if (cursor->end == capacity && is_below_top) continue; /* before its id is fetched */
        pairs_key key = {square, pairs_id(world, batch->partner[k])};
        pairs_heap_offer(heap, &cursor->end, capacity, key, farthest > 0);
    }
    cursor->phase += batch->count;
}

/* Offers the candidates of a stencil from the cursor on, for one particle. False if the units are
   used up before the end. */
static bool pairs_nearest_in(tp_world *world, const tpi_stencil *stencil, uint32_t units,
                             uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_points points = tpi_points_of(world);
    uint32_t i = cursor->i;
    float radius_squared = world->step.radius_squared[tpi_grid_level_of(world, i)][stencil->level];
    const float own[3] = {points.x[i], points.y[i], points.z[i]};
    const tpi_sweep_kind kind = {
        .dimensions = tpi_dimensions(world), .is_periodic = points.box != NULL, .both_ends = true};
    tpi_batch batch;
    for (; cursor->j < stencil->run_count; cursor->j++, cursor->k = 0) {
        tpi_run run = stencil->runs[cursor->j];
        if (cursor->k) run.begin = cursor->k;
        while (run.begin < run.end && *used < units) {
            uint32_t take = tpi_min_u32(tpi_min_u32(run.end - run.begin, TPI_BATCH), units - *used);
            tpi_run part = {run.begin, run.begin + take};
            batch.count = 0;
            tpi_sweep_collect(points, NULL, own, i, part, radius_squared, kind, &batch);
            pairs_offer(world, &batch);
            run.begin += take;
            *used += take;
        }
        cursor->k = run.begin;
        if (run.begin < run.end) return false;
    }
    return true;
}

/* The same for all levels, row by row; cursor.row is the current row. A row costs 3 units, and one
   more per 8 cells. */
static bool pairs_nearest_in_rows(tp_world *world, tpi_stencil *stencil, uint32_t units,
                                  uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_stencil_count_rows(world, cursor->i, stencil);
    while (tpi_stencil_row(world, cursor->i, cursor->row, stencil)) {
        if (cursor->j == 0 && cursor->k == 0) {
            /* charged once, with its first candidate */
            if (*used + stencil->rows + 1u > units) return false;
            *used += stencil->rows;
        }
        if (!pairs_nearest_in(world, stencil, units, used)) return false;
        cursor->row++;
        cursor->j = cursor->k = 0;
    }
    return true;
}

/* Finds the limit distance and id of the particle at the cursor. A world of one level has a single
   stencil with all candidates. */
static bool pairs_nearest_of(tp_world *world, tpi_stencil *stencil, uint32_t units, uint32_t *used)
{
    const tpi_cursor *cursor = &world->step.cursor;
    uint32_t i = cursor->i;
    if (world->constants.levels.count > 1u) {
        if (!pairs_nearest_in_rows(world, stencil, units, used)) return false;
    } else {
        tpi_stencil_full(world, i, stencil);
        if (!pairs_nearest_in(world, stencil, units, used)) return false;
    }
    pairs_key limit = pairs_heap_limit((pairs_key *)tpi_at(world, world->arrays.nearest),
                                       cursor->end, cursor->phase, world->constants.neighbours_max,
                                       pairs_farthest_wanted(world, i) > 0);
    tpi_floats(world, world->arrays.limit_distance)[i] = limit.square;
    tpi_words(world, world->arrays.limit_id)[i] = limit.id;
    return true;
}

/* Units charged when a particle above the limit begins: 1, and 3 (2D) or 9 (3D) rows of cells. With
   several levels each row is charged separately. */
static uint32_t pairs_own_units(const tp_world *world)
{
    if (world->constants.levels.count > 1u) return 1;
    return tpi_dimensions(world) == 3 ? 10u : 4u;
}

TPI_APART uint32_t tpi_grid_nearest(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *neighbours = tpi_neighbour_counts(world);
    uint32_t own = pairs_own_units(world),
             least = own + (world->constants.levels.count > 1u ? 7u : 1u), used = 0;
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor->i < world->step.count && used < units) {
        bool is_above = neighbours[cursor->i] > world->constants.neighbours_max;
        bool begins = cursor->j == 0 && cursor->k == 0 && cursor->row == 0;
        /* charged once, with its first candidate */
        if (begins && is_above && used + least > units) break;
        if (begins) used += is_above ? own : 1u;
        if (!is_above) {
            tpi_floats(world, world->arrays.limit_distance)[cursor->i] = FLT_MAX;
            tpi_words(world, world->arrays.limit_id)[cursor->i] = 0xffffffffu;
        } else {
            if (!pairs_nearest_of(world, &stencil, units, &used)) break;
        }
        *cursor = (tpi_cursor){.i = cursor->i + 1u};
    }
    *done = cursor->i == world->step.count;
    return used;
}
