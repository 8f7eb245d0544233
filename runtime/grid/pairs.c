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
   be that of a longer radius. 0: the heap holds the nearest; so it does in a periodic box, whose
   counts are of rounded images and may be less than what the heap is offered. */
static uint32_t pairs_farthest_wanted(const tp_world *world, uint32_t i)
{
    if (world->constants.box.is_periodic) return 0;
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

static void pairs_set_limit(tp_world *world, uint32_t i, pairs_key limit)
{
    tpi_floats(world, world->arrays.limit_distance)[i] = limit.square;
    tpi_words(world, world->arrays.limit_id)[i] = limit.id;
}

/* The search for the particle at a cursor, which may go on in the next slice: cursor.end is the
   size of the heap, cursor.phase the number of neighbours found. */
typedef struct pairs_search {
    tp_world *world;
    tpi_cursor *cursor;
    pairs_key *heap;
    uint32_t units, used;
} pairs_search;

/* Offers the neighbours of a batch to the heap. */
static void pairs_offer(const pairs_search *search, const tpi_batch *batch)
{
    tpi_cursor *cursor = search->cursor;
    pairs_key *heap = search->heap;
    uint32_t farthest = pairs_farthest_wanted(search->world, cursor->i);
    uint32_t capacity = farthest ? farthest : search->world->constants.neighbours_max;
    for (uint32_t k = 0; k < batch->count; k++) {
        float square = batch->square[k];
        bool is_below_top = farthest ? square < heap[0].square : square > heap[0].square;
        if (cursor->end == capacity && is_below_top) continue; /* before its id is fetched */
        pairs_key key = {square, pairs_id(search->world, batch->partner[k])};
        pairs_heap_offer(heap, &cursor->end, capacity, key, farthest > 0);
    }
    cursor->phase += batch->count;
}

/* Appends the neighbours of the particle at the cursor that are in a run of a stencil. */
static void pairs_collect(const pairs_search *search, const tpi_stencil *stencil, tpi_run run,
                          tpi_batch *batch)
{
    const tp_world *world = search->world;
    const tpi_points points = tpi_points_of(world);
    const uint32_t i = search->cursor->i;
    const float own[3] = {points.x[i], points.y[i], points.z[i]};
    const tpi_sweep_kind kind = {
        .dimensions = tpi_dimensions(world), .is_periodic = points.box != NULL, .both_ends = true};
    tpi_sweep_collect(points, NULL, own, i, run,
                      world->step.radius_squared[tpi_grid_level_of(world, i)][stencil->level], kind,
                      batch);
}

/* Offers the candidates of a stencil from the cursor on, for one particle. False if the units are
   used up before the end. */
static bool pairs_nearest_in(pairs_search *search, const tpi_stencil *stencil)
{
    tpi_cursor *cursor = search->cursor;
    tpi_batch batch;
    for (; cursor->j < stencil->run_count; cursor->j++, cursor->k = 0) {
        tpi_run run = stencil->runs[cursor->j];
        if (cursor->k) run.begin = cursor->k;
        while (run.begin < run.end && search->used < search->units) {
            uint32_t take = tpi_min_u32(tpi_min_u32(run.end - run.begin, TPI_BATCH),
                                        search->units - search->used);
            batch.count = 0;
            pairs_collect(search, stencil, (tpi_run){run.begin, run.begin + take}, &batch);
            pairs_offer(search, &batch);
            run.begin += take;
            search->used += take;
        }
        cursor->k = run.begin;
        if (run.begin < run.end) return false;
    }
    return true;
}

/* The same for all levels, row by row; cursor.row is the current row. A row costs 3 units, and one
   more per 8 cells. */
static bool pairs_nearest_in_rows(pairs_search *search, tpi_stencil *stencil)
{
    tpi_cursor *cursor = search->cursor;
    tpi_stencil_count_rows(search->world, cursor->i, stencil);
    while (tpi_stencil_row(search->world, cursor->i, cursor->row, stencil)) {
        if (cursor->j == 0 && cursor->k == 0) {
            /* charged once, with its first candidate */
            if (search->used + stencil->rows + 1u > search->units) return false;
            search->used += stencil->rows;
        }
        if (!pairs_nearest_in(search, stencil)) return false;
        cursor->row++;
        cursor->j = cursor->k = 0;
    }
    return true;
}

#if TPI_LANES > 1
/* ---- the same at once, from a batch that holds all neighbours of a particle ---- */

/* Collects the neighbours. False if they do not fit, or the units do not cover all candidates. */
static bool pairs_gather(pairs_search *search, const tpi_stencil *stencil, tpi_batch *batch)
{
    uint32_t candidates = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++)
        candidates += stencil->runs[r].end - stencil->runs[r].begin;
    if (candidates > search->units - search->used) return false;
    batch->count = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run run = stencil->runs[r];
        if (run.end - run.begin > TPI_BATCH - batch->count) return false;
        pairs_collect(search, stencil, run, batch);
    }
    /* whole vectors are counted: those behind the last one are far */
    tpi_lanes_store(batch->square + batch->count, tpi_lanes_of(FLT_MAX));
    search->used += candidates;
    return true;
}

/* How many squares are at most `square`. */
static uint32_t pairs_count(const tpi_batch *batch, float square)
{
    tpi_lanes most = tpi_lanes_of(square);
    tpi_lane_ints counts = tpi_lane_ints_of(0);
    for (uint32_t k = 0; k < batch->count; k += TPI_LANES)
        counts =
            tpi_lane_ints_count(counts, tpi_lanes_at_most(tpi_lanes_load(batch->square + k), most));
    return (uint32_t)tpi_lane_ints_sum(counts);
}

/* A square between two: where `most` neighbours are expected if they are spread evenly, which is
   nearly true in 2D; in every fourth turn the one in the middle of their bits, so that there are at
   most 128 turns. */
static float pairs_between(float low, float high, float share, uint32_t turn)
{
    uint32_t least = tpi_bits(low) + 1u, largest = tpi_bits(high) - 1u;
    uint32_t bits =
        turn % 4u == 3u ? least + (largest - least) / 2u : tpi_bits(low + (high - low) * share);
    return tpi_from_bits(bits < least ? least : bits > largest ? largest : bits);
}

/* The number `most` of the squares in rising order, all of which are below `high`. */
static float pairs_select(const tpi_batch *batch, uint32_t most, float high)
{
    float low = 0.0f;
    uint32_t below = pairs_count(batch, low), up_to = batch->count;
    if (below >= most) return low;
    for (uint32_t turn = 0; up_to != most && tpi_bits(high) - tpi_bits(low) > 1u; turn++) {
        uint32_t wanted = most - below, between = up_to - below;
        float middle = pairs_between(low, high, ((float)wanted - 0.5f) / (float)between, turn);
        uint32_t count = pairs_count(batch, middle);
        if (count < most) {
            low = middle;
            below = count;
        } else {
            high = middle;
            up_to = count;
        }
    }
    float largest = 0.0f;
    for (uint32_t k = 0; k < batch->count; k++)
        if (batch->square[k] <= high && batch->square[k] > largest) largest = batch->square[k];
    return largest;
}

/* The farthest neighbour that is kept. Of those at the same distance the smaller ids are kept. */
static pairs_key pairs_limit_of(const pairs_search *search, const tpi_batch *batch)
{
    const tp_world *world = search->world;
    uint32_t most = world->constants.neighbours_max, below = 0, ties = 0;
    if (batch->count < most) return (pairs_key){FLT_MAX, 0xffffffffu};
    float square = pairs_select(batch, most, world->step.radius_squared[0][0]);
    for (uint32_t k = 0; k < batch->count; k++) below += batch->square[k] < square;
    for (uint32_t k = 0; k < batch->count; k++)
        if (batch->square[k] == square)
            pairs_heap_offer(search->heap, &ties, most - below,
                             (pairs_key){square, pairs_id(world, batch->partner[k])}, false);
    return search->heap[0];
}
#endif

/* Finds the limit distance and id of the particle at the cursor. A world of one level has a single
   stencil with all candidates. */
static bool pairs_nearest_of(pairs_search *search, tpi_stencil *stencil)
{
    tp_world *world = search->world;
    const tpi_cursor *cursor = search->cursor;
    if (world->constants.levels.count > 1u) {
        if (!pairs_nearest_in_rows(search, stencil)) return false;
    } else {
        tpi_stencil_full(world, cursor->i, stencil);
#if TPI_LANES > 1
        tpi_batch batch;
        if (cursor->j == 0 && cursor->k == 0 && pairs_gather(search, stencil, &batch)) {
            pairs_set_limit(world, cursor->i, pairs_limit_of(search, &batch));
            return true;
        }
#endif
        if (!pairs_nearest_in(search, stencil)) return false;
    }
    pairs_set_limit(world, cursor->i,
                    pairs_heap_limit(search->heap, cursor->end, cursor->phase,
                                     world->constants.neighbours_max,
                                     pairs_farthest_wanted(world, cursor->i) > 0));
    return true;
}

/* Units charged when a particle above the limit begins: 1, and 3 (2D) or 9 (3D) rows of cells. With
   several levels each row is charged separately. */
static uint32_t pairs_own_units(const tp_world *world)
{
    if (world->constants.levels.count > 1u) return 1;
    return tpi_dimensions(world) == 3 ? 10u : 4u;
}

/* Searches for the particles from the cursor up to `end`, while units are left. */
static void pairs_nearest_to(pairs_search *search, uint32_t end)
{
    tp_world *world = search->world;
    tpi_cursor *cursor = search->cursor;
    const uint32_t *neighbours = tpi_neighbour_counts(world);
    uint32_t own = pairs_own_units(world),
             least = own + (world->constants.levels.count > 1u ? 7u : 1u);
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor->i < end && search->used < search->units) {
        bool is_above = neighbours[cursor->i] > world->constants.neighbours_max;
        bool begins = cursor->j == 0 && cursor->k == 0 && cursor->row == 0;
        /* charged once, with its first candidate */
        if (begins && is_above && search->used + least > search->units) break;
        if (begins) search->used += is_above ? own : 1u;
        if (!is_above) {
            pairs_set_limit(world, cursor->i, (pairs_key){FLT_MAX, 0xffffffffu});
        } else {
            if (!pairs_nearest_of(search, &stencil)) break;
        }
        *cursor = (tpi_cursor){.i = cursor->i + 1u};
    }
}

/* ---- shared by several threads ---- */

/* The stretch at the cursor; null: the cursor's goes on to the last particle. */
static tpi_stretch *pairs_stretch(tpi_step *step)
{
    for (uint32_t s = 0; s < TPI_STRETCHES_MAX; s++)
        if (step->stretches[s].end) return &step->stretches[s];
    return NULL;
}

#if TIDEPOOL_JOBS
#define PAIRS_MOST 255u /* neighbours_max at most */

/* Searches for whole particles of a stretch, with a heap of the thread's own, while the units are
   enough for the dearest particle. */
static void pairs_nearest_whole(tpi_sweep *sweep, uint32_t end)
{
    tp_world *world = sweep->world;
    pairs_key heap[PAIRS_MOST];
    uint32_t cells = tpi_dimensions(world) == 3 ? 27u : 9u,
             dearest = pairs_own_units(world) + cells * world->constants.cell_max;
    pairs_search search = {world, &sweep->cursor, heap, UINT32_MAX, 0};
    while (sweep->cursor.i < end && sweep->meter.left >= 2 * (int32_t)dearest) {
        search.used = 0;
        pairs_nearest_to(&search, sweep->cursor.i + 1u);
        sweep->meter.left -= 2 * (int32_t)search.used;
    }
}

/* Shares out the particles that have not begun, after the one that has. Cells of one size only:
   particles among others have no limit of rows. */
static void pairs_nearest_shared(pairs_search *search, const tp_jobs *jobs)
{
    tp_world *world = search->world;
    tpi_step *step = &world->step;
    const tpi_cursor *cursor = &step->cursor;
    if (world->constants.levels.count > 1u || !tpi_team_is_worth(jobs, step->count)) return;
    if (cursor->j || cursor->k) pairs_nearest_to(search, cursor->i + 1u);
    if (cursor->j || cursor->k) return;
    tpi_sweep sweep;
    tpi_sweep_begin(&sweep, world, search->units - search->used, NULL);
    tpi_stretch *first = pairs_stretch(step);
    if (first) {
        first->i = cursor->i;
        sweep.cursor.i = step->count;
    }
    tpi_sweep_team(&sweep, jobs, pairs_nearest_whole);
    first = pairs_stretch(step);
    step->cursor = (tpi_cursor){.i = first ? first->i : sweep.cursor.i};
    search->used = search->units - (uint32_t)sweep.meter.left / 2u;
}
#undef PAIRS_MOST
#endif

TPI_APART uint32_t tpi_grid_nearest(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    bool *done)
{
    tpi_step *step = &world->step;
    pairs_search search = {.world = world,
                           .cursor = &step->cursor,
                           .heap = (pairs_key *)tpi_at(world, world->arrays.nearest),
                           .units = units};
#if TIDEPOOL_JOBS
    pairs_nearest_shared(&search, jobs);
#endif
    (void)jobs;
    for (*done = false; !*done;) {
        tpi_stretch *stretch = pairs_stretch(step), *next = NULL;
        uint32_t end = stretch ? stretch->end : step->count;
        pairs_nearest_to(&search, end);
        if (step->cursor.i < end) break;
        if (stretch) *stretch = (tpi_stretch){0};
        if (stretch) next = pairs_stretch(step);
        step->cursor.i = next ? next->i : step->count;
        *done = !next;
    }
    return search.used;
}
