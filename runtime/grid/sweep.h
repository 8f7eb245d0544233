/* SPDX-License-Identifier: MIT
   runtime/grid/sweep.h - the one sweep over pairs: through the grid, or along the stored half list.
   reads   back positions, table, cuts      writes  through a visitor that is compiled into the loop
   memory  8 KB on the stack, 0.2 without vectors      cost    one unit a visited candidate, or a stored pair; and one a particle
   after   own design: a visitor gets (i, a batch of j); every pair is met once; a slice may end inside the
           candidates of a particle and goes on there, so the sums must not depend on order: they are integers */
#ifndef TPI_SWEEP_H
#define TPI_SWEEP_H
#include "grid.h"
#include "../base/lanes.h"

/* Candidates of a particle that are looked at in one go, and hence the most partners that are visited at once. Small where
   lanes are: both lie on the stack. */
#define TPI_BATCH (TPI_LANES == 1 ? 24u : 256u)

/* What the visitor of a solver gets: particle i and `count` partners, each pair once in the whole sweep; and their
   squared distances where the sweep has just computed them (through the grid), else null. Both arrays may be read up to
   full lanes; what lies behind the last partner is of no meaning. A sweep through the grid without a visitor counts
   neighbours, of both ends. */
typedef void (*tpi_pair_visitor)(const tp_world *world, const void *context, uint32_t i,
                                 const uint32_t *partners, const float *squares, uint32_t count);

/* Partners that wait to be visited; they lie in the list's free room already, where a list is kept and has enough. */
typedef struct tpi_batch {
    uint32_t *partners;
    float *squares;
    uint32_t count;
    bool is_listed;
} tpi_batch;

/* Raw pointers for the hot loops; made anew for every slice because a block may move between calls. */
typedef struct tpi_points {
    const float *x, *y, *z; /* z equals x in 2D and is not looked at */
    const tpi_box *box;     /* null: no axis is periodic */
} tpi_points;

TPI_INLINE tpi_points tpi_points_of(const tp_world *world)
{
    return (tpi_points){tpi_back_x(world, 0), tpi_back_x(world, 1),
                        tpi_back_x(world, world->def.dimensions == 3 ? 2 : 0),
                        world->constants.box.is_periodic ? &world->constants.box : NULL};
}

/* Squared distance; equal bits for (i, j) and (j, i), because differences are exact opposites. */
TPI_INLINE float tpi_distance_squared(tpi_points points, uint32_t i, uint32_t j, uint32_t dimensions)
{
    float dx = points.x[j] - points.x[i], dy = points.y[j] - points.y[i];
    if (points.box) {
        dx = tpi_box_image(points.box, 0, dx);
        dy = tpi_box_image(points.box, 1, dy);
    }
    float square = dx * dx + dy * dy;
    if (dimensions == 3) {
        float dz = points.z[j] - points.z[i];
        if (points.box) dz = tpi_box_image(points.box, 2, dz);
        square = square + dz * dz;
    }
    return square;
}

/* ---- candidates of a cell, side by side ---- */

/* Candidates first .. end - 1 of a cell, as its stencil numbers them: its own particles are the first. Copied, so that all
   vectors but the last are full, and so that all particles of the cell read them from the nearest cache; a lane alone
   reads them where they are. */
typedef struct tpi_window {
    uint32_t first, end;
    uint32_t *neighbours; /* counts, of the back set */
#if TPI_LANES == 1
    const float *x, *y, *z; /* of candidate `first` */
    uint32_t place;
#else
    float x[TPI_BATCH + 2u * TPI_LANES], y[TPI_BATCH + 2u * TPI_LANES], z[TPI_BATCH + 2u * TPI_LANES];
    uint32_t place[TPI_BATCH + 2u * TPI_LANES];
    uint32_t met[TPI_BATCH +
                 2u * TPI_LANES]; /* how often, since they were last added to the counts of neighbours */
#endif
} tpi_window;

#if TPI_LANES == 1
TPI_INLINE tpi_lane_ints tpi_window_place(const tpi_window *window, uint32_t at)
{
    return (int32_t)(window->place + at);
}
TPI_INLINE void tpi_window_add(tpi_points points, tpi_run run, uint32_t dimensions, tpi_window *window)
{
    (void)dimensions;
    if (window->end > window->first) return; /* no more than one run */
    window->x = points.x + run.begin;
    window->y = points.y + run.begin;
    window->z = points.z + run.begin;
    window->place = run.begin;
    window->end += run.end - run.begin;
}
TPI_INLINE void tpi_window_meet(tpi_window *window, uint32_t at, tpi_lane_mask mask)
{
    window->neighbours[window->place + at] -= (uint32_t)mask;
}
TPI_INLINE void tpi_window_settle(const tpi_stencil *stencil, tpi_window *window)
{
    (void)stencil;
    (void)window;
}
#else
TPI_INLINE tpi_lane_ints tpi_window_place(const tpi_window *window, uint32_t at)
{
    return tpi_lane_ints_load(window->place + at);
}
TPI_INLINE void tpi_window_add(tpi_points points, tpi_run run, uint32_t dimensions, tpi_window *window)
{
    uint32_t to = window->end - window->first, count = tpi_min_u32(run.end - run.begin, TPI_BATCH - to);
    for (uint32_t k = 0; k < count; k += TPI_LANES) {
        tpi_lanes_store(window->x + to + k, tpi_lanes_load(points.x + run.begin + k));
        tpi_lanes_store(window->y + to + k, tpi_lanes_load(points.y + run.begin + k));
        if (dimensions == 3) tpi_lanes_store(window->z + to + k, tpi_lanes_load(points.z + run.begin + k));
        tpi_lane_ints_store(window->place + to + k, tpi_lane_ints_counted((int32_t)(run.begin + k)));
        tpi_lane_ints_store(window->met + to + k, tpi_lane_ints_of(0));
    }
    /* the next cell of the row wants what lies behind */
    TPI_PREFETCH(points.x + run.end + 16);
    TPI_PREFETCH(points.y + run.end + 16);
    TPI_PREFETCH(points.z + run.end + 16);
    TPI_PREFETCH(window->neighbours + run.end + 16);
    window->end += count;
}
/* Counts the lanes that the mask names, of the candidates from `at` on. */
TPI_INLINE void tpi_window_meet(tpi_window *window, uint32_t at, tpi_lane_mask mask)
{
    tpi_lane_ints met = tpi_lane_ints_load(window->met + at);
    tpi_lane_ints_store(window->met + at, tpi_lane_ints_count(met, mask));
}
/* Adds what was met to the counts of neighbours. */
TPI_INLINE void tpi_window_settle(const tpi_stencil *stencil, tpi_window *window)
{
    uint32_t skip = window->first, done = 0;
    for (uint32_t r = 0; r < stencil->run_count && window->first + done < window->end; r++) {
        tpi_run run = stencil->runs[r];
        uint32_t past = tpi_min_u32(skip, run.end - run.begin);
        skip -= past;
        uint32_t count = tpi_min_u32(run.end - run.begin - past, window->end - window->first - done);
        uint32_t *neighbours = window->neighbours + run.begin + past;
        for (uint32_t k = 0; k < count; k += TPI_LANES) { /* behind the last nobody was met: 0 is added */
            tpi_lane_ints met = tpi_lane_ints_load(window->met + done + k);
            met = tpi_lane_ints_select(tpi_lanes_first(tpi_min_u32(count - k, TPI_LANES)), met,
                                       tpi_lane_ints_of(0));
            tpi_lane_ints_store(neighbours + k, tpi_lane_ints_add(tpi_lane_ints_load(neighbours + k), met));
        }
        done += count;
    }
    window->end = window->first; /* it is to be filled anew */
}
#endif

/* An empty window. */
TPI_INLINE void tpi_window_begin(const tp_world *world, tpi_points points, tpi_window *window)
{
    window->first = window->end = 0;
    window->neighbours = tpi_words(world, world->arrays.neighbours);
#if TPI_LANES == 1
    window->x = points.x;
    window->y = points.y;
    window->z = points.z;
    window->place = 0;
#else
    (void)points;
#endif
}

/* Moves the window to the candidates from `first` on, as many as it holds. */
TPI_INLINE void tpi_window_fill(tpi_points points, const tpi_stencil *stencil, uint32_t first,
                                uint32_t dimensions, tpi_window *window)
{
    uint32_t skip = first;
    window->first = window->end = first;
    for (uint32_t r = 0; r < stencil->run_count && window->end - first < TPI_BATCH; r++) {
        tpi_run run = stencil->runs[r];
        uint32_t past = tpi_min_u32(skip, run.end - run.begin);
        run.begin += past;
        skip -= past;
        if (run.begin < run.end) tpi_window_add(points, run, dimensions, window);
    }
}

/* Squares of the distances of particle i, which is at `from`, to the window's candidates from `at` on. */
TPI_INLINE tpi_lanes tpi_window_squares(const tpi_box *box, const tpi_window *window, const tpi_lanes from[3],
                                        uint32_t at, uint32_t dimensions)
{
    tpi_lanes dx = tpi_lanes_load(window->x + at) - from[0], dy = tpi_lanes_load(window->y + at) - from[1];
    if (box) {
        dx = tpi_box_image_lanes(box, 0, dx);
        dy = tpi_box_image_lanes(box, 1, dy);
    }
    tpi_lanes square = dx * dx + dy * dy;
    if (dimensions == 2) return square;
    tpi_lanes dz = tpi_lanes_load(window->z + at) - from[2];
    if (box) dz = tpi_box_image_lanes(box, 2, dz);
    return square + dz * dz;
}

/* Appends those of the window's candidates begin .. end - 1 that lie within the radius of particle i. */
TPI_INLINE void tpi_window_collect(tpi_points points, uint32_t i, tpi_window *window, uint32_t begin,
                                   uint32_t end, float radius_squared, uint32_t dimensions, bool counts,
                                   tpi_batch *batch)
{
    const tpi_lanes limit = tpi_lanes_of(radius_squared);
    const tpi_lanes from[3] = {tpi_lanes_of(points.x[i]), tpi_lanes_of(points.y[i]),
                               tpi_lanes_of(points.z[i])};
    uint32_t *partners = batch->partners, count = batch->count, at = begin;
    float *squares = batch->squares;
    for (; at < end; at += TPI_LANES) {
        tpi_lanes square = tpi_window_squares(points.box, window, from, at, dimensions);
        tpi_lane_mask is_near = tpi_lanes_less(square, limit);
        if (TPI_LANES > 1 && end - at < TPI_LANES)
            is_near = tpi_lanes_and(is_near, tpi_lanes_first(end - at));
        count += tpi_lanes_append(partners + count, counts ? NULL : squares + count,
                                  tpi_window_place(window, at), square, is_near);
        if (counts) tpi_window_meet(window, at, is_near);
    }
    batch->count = count;
}

/* Keeps the partners whom both ends keep (only when the neighbour cap is hit); returns how many are left. */
TPI_FUNC uint32_t tpi_sweep_cut(const tp_world *world, uint32_t i, uint32_t *partners, uint32_t count);

/* The same for a batch. Squares are computed anew: to most visitors they are nothing, and are never stored. */
TPI_INLINE void tpi_sweep_cut_batch(tp_world *world, uint32_t i, tpi_batch *batch)
{
    tpi_points points = tpi_points_of(world);
    uint32_t kept = tpi_sweep_cut(world, i, batch->partners, batch->count);
    world->step.ends_cut += 2u * (batch->count - kept);
    for (uint32_t k = 0; k < kept; k++)
        batch->squares[k] = tpi_distance_squared(points, i, batch->partners[k], world->def.dimensions);
    batch->count = kept;
}

TPI_INLINE uint32_t tpi_list_room(const tp_world *world)
{
    return world->def.particles_max * world->constants.neighbours_max / 2u - world->step.pair_count;
}

/* An empty batch: `own` takes what the list has no room for. */
TPI_INLINE void tpi_sweep_begin_batch(const tp_world *world, bool stores, uint32_t *own, tpi_batch *batch)
{
    batch->is_listed = stores && !world->step.capped && tpi_list_room(world) >= TPI_BATCH + TPI_LANES;
    batch->partners = own;
    if (batch->is_listed) batch->partners = tpi_words(world, world->arrays.pair) + world->step.pair_count;
    batch->count = 0;
}

/* Hands a batch to the visitor and, where a list is kept and has room, to the list. */
TPI_INLINE void tpi_sweep_flush(tp_world *world, const void *context, tpi_pair_visitor visitor, bool stores,
                                uint32_t i, tpi_batch *batch)
{
    tpi_step *step = &world->step;
    if (TPI_UNLIKELY(step->capped)) tpi_sweep_cut_batch(world, i, batch);
    if (stores && !batch->is_listed) {
        uint32_t *list = tpi_words(world, world->arrays.pair) + step->pair_count, room = tpi_list_room(world);
        step->list_overflowed = step->list_overflowed || batch->count > room;
        for (uint32_t k = 0; k < batch->count && batch->count <= room; k++) list[k] = batch->partners[k];
        if (batch->count <= room) step->pair_count += batch->count;
    }
    if (batch->is_listed) step->pair_count += batch->count;
    if (visitor)
        visitor(world, context, i, batch->partners, batch->squares, batch->count);
    else
        tpi_words(world, world->arrays.neighbours)[i] += batch->count;
}

/* Candidates of particle i from number cursor.k on, 0 for the first behind itself. True when it has had all. */
TPI_INLINE bool tpi_sweep_particle(tp_world *world, const tpi_stencil *stencil, tpi_window *window,
                                   uint32_t dimensions, bool is_periodic, tpi_pair_visitor visitor,
                                   const void *context, bool stores, uint32_t units, uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_points points = tpi_points_of(world);
    float radius_squared = world->step.radius_squared, squares[TPI_BATCH + TPI_LANES];
    uint32_t own[TPI_BATCH + TPI_LANES], i = cursor->i,
                                         at = cursor->k ? cursor->k : i + 1u - stencil->own_begin;
    tpi_batch batch = {.squares = squares};
    if (!is_periodic) points.box = NULL;
    while (at < stencil->candidates && *used < units) {
        if (at < window->first || at >= window->end) {
            if (!visitor) tpi_window_settle(stencil, window);
            tpi_window_fill(points, stencil, at, dimensions, window);
        }
        uint32_t take = tpi_min_u32(window->end - at, units - *used), begin = at - window->first;
        take = tpi_min_u32(take, TPI_BATCH);
        tpi_sweep_begin_batch(world, stores, own, &batch);
        tpi_window_collect(points, i, window, begin, begin + take, radius_squared, dimensions,
                           visitor == NULL, &batch);
        at += take;
        *used += take;
        if (batch.count) tpi_sweep_flush(world, context, visitor, stores, i, &batch);
    }
    cursor->k = at;
    return at == stencil->candidates;
}

/* Goes through all pairs of the back set that lie within the radius, across the sides of the box too. Resumable:
   cursor.i, k. */
TPI_INLINE uint32_t tpi_sweep_box(tp_world *world, uint32_t units, uint32_t dimensions, bool is_periodic,
                                  tpi_pair_visitor visitor, const void *context, bool stores, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0, count = world->step.count;
    uint32_t *row = stores ? tpi_words(world, world->arrays.row) : NULL;
    tpi_stencil stencil;
    tpi_window window;
    stencil.is_known = false;
    while (cursor->i < count && used < units) {
        tpi_stencil_half(world, cursor->i, &stencil);
        tpi_window_begin(world, tpi_points_of(world), &window);
        bool begins = cursor->k == 0;
        if (begins && cursor->i == stencil.own_begin &&
            ++used == units) { /* charged once, with the particle */
            used--;
            break;
        }
        for (; cursor->i < stencil.own_end && used < units; begins = true) {
            if (begins) used++;
            if (stores && begins) row[cursor->i] = world->step.pair_count;
            if (!tpi_sweep_particle(world, &stencil, &window, dimensions, is_periodic && stencil.is_wrapped,
                                    visitor, context, stores, units, &used))
                break;
            cursor->i++;
            cursor->k = 0;
        }
        if (!visitor) tpi_window_settle(&stencil, &window);
        for (; cursor->i >= stencil.own_end && cursor->i < stencil.cell_end && used < units;
             cursor->i++, used++) {
            if (stores) row[cursor->i] = world->step.pair_count;
            world->step.crowded++;
        }
    }
    *done = cursor->i == count;
    if (*done && stores) row[count] = world->step.pair_count;
    return used;
}

/* The same where no axis is periodic. */
TPI_INLINE uint32_t tpi_sweep_grid(tp_world *world, uint32_t units, uint32_t dimensions,
                                   tpi_pair_visitor visitor, const void *context, bool stores, bool *done)
{
    return tpi_sweep_box(world, units, dimensions, false, visitor, context, stores, done);
}

/* The same pairs from the stored half list. Resumable: cursor.i, and cursor.j pairs of its row done. */
TPI_INLINE uint32_t tpi_sweep_list(tp_world *world, uint32_t units, tpi_pair_visitor visitor,
                                   const void *context, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *row = tpi_words(world, world->arrays.row), *pair = tpi_words(world, world->arrays.pair);
    uint32_t used = 0, count = world->step.count;
    while (cursor->i < count && used < units) {
        uint32_t begin = row[cursor->i] + cursor->j, size = row[cursor->i + 1u] - begin;
        if (cursor->j == 0 && size > 0 && used + 1u == units) break; /* charged once, with its first pair */
        if (cursor->j == 0) used++;
        uint32_t take = tpi_min_u32(size, units - used);
        if (take) visitor(world, context, cursor->i, pair + begin, NULL, take);
        used += take;
        cursor->j += take;
        if (take == size) {
            cursor->i++;
            cursor->j = 0;
        }
    }
    *done = cursor->i == count;
    return used;
}

#endif
