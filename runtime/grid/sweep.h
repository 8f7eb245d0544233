/* SPDX-License-Identifier: MIT
   runtime/grid/sweep.h - the one sweep over pairs: through the grid, or along the stored half list.
   reads   back positions, table, cuts      writes  through a visitor that is compiled into the loop
   memory  48 partners and squares on the stack, 24 without vectors      cost    one unit a visited candidate, or a stored pair; and one a particle
   after   own design: a visitor gets (i, a batch of j); every pair is met once; a slice may end inside a batch of
           candidates and goes on there, so the sums must not depend on order: they are integers */
#ifndef TPI_SWEEP_H
#define TPI_SWEEP_H
#include "grid.h"
#include "../base/lanes.h"

/* Partners that are visited at once. Small where lanes are: they lie on the stack. */
#define TPI_BATCH (TPI_LANES == 1 ? 24u : 48u)

/* What the visitor of a solver gets: particle i and `count` partners, each pair once in the whole sweep; and their
   squared distances where the sweep has just computed them (through the grid), else null. Both arrays may be read up to
   full lanes; what lies behind the last partner is of no meaning. */
typedef void (*tpi_pair_visitor)(const tp_world *world, const void *context, uint32_t i,
                                 const uint32_t *partners, const float *squares, uint32_t count);

/* Partners that wait to be visited. */
typedef struct tpi_batch {
    uint32_t partner[TPI_BATCH + TPI_LANES];
    float square[TPI_BATCH + TPI_LANES];
    uint32_t count;
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

/* Appends those of begin .. end - 1 that lie within the radius. Reads up to a lane's width beyond the end. */
TPI_INLINE void tpi_sweep_collect(tpi_points points, uint32_t i, tpi_run run, float radius_squared,
                                  uint32_t dimensions, bool is_periodic, tpi_batch *batch)
{
    tpi_lanes x = tpi_lanes_of(points.x[i]), y = tpi_lanes_of(points.y[i]), z = tpi_lanes_of(points.z[i]);
    tpi_lanes limit = tpi_lanes_of(radius_squared);
    uint32_t count = batch->count;
    for (uint32_t j = run.begin; j < run.end; j += TPI_LANES) {
        tpi_lanes dx = tpi_lanes_load(points.x + j) - x, dy = tpi_lanes_load(points.y + j) - y;
        if (is_periodic) {
            dx = tpi_box_image_lanes(points.box, 0, dx);
            dy = tpi_box_image_lanes(points.box, 1, dy);
        }
        tpi_lanes square = dx * dx + dy * dy;
        if (dimensions == 3) {
            tpi_lanes dz = tpi_lanes_load(points.z + j) - z;
            if (is_periodic) dz = tpi_box_image_lanes(points.box, 2, dz);
            square = square + dz * dz;
        }
        tpi_lane_mask is_near = tpi_lanes_less(square, limit);
        if (TPI_LANES > 1)
            is_near = tpi_lanes_and(is_near, tpi_lanes_first(tpi_min_u32(run.end - j, TPI_LANES)));
        count += tpi_lanes_append(batch->partner + count, batch->square + count, j, square, is_near);
    }
    batch->count = count;
}

/* Keeps the partners whom both ends keep (only when the neighbour cap is hit). */
TPI_FUNC void tpi_sweep_cut(const tp_world *world, uint32_t i, tpi_batch *batch);

/* Hands a batch to the visitor and, where a list is kept and has room, appends it there. */
TPI_INLINE void tpi_sweep_flush(tp_world *world, const void *context, tpi_pair_visitor visitor, bool stores,
                                uint32_t i, tpi_batch *batch)
{
    tpi_step *step = &world->step;
    if (batch->count == 0) return;
    if (TPI_UNLIKELY(step->capped)) {
        uint32_t found = batch->count;
        tpi_sweep_cut(world, i, batch);
        step->ends_cut += 2u * (found - batch->count);
    }
    uint32_t count = batch->count;
    if (stores) {
        uint32_t room = world->def.particles_max * world->constants.neighbours_max / 2u - step->pair_count;
        if (TPI_LIKELY(count <= room)) {
            memcpy(tpi_words(world, world->arrays.pair) + step->pair_count, batch->partner,
                   count * sizeof batch->partner[0]);
            step->pair_count += count;
        } else {
            step->list_overflowed = true;
        }
    }
    visitor(world, context, i, batch->partner, batch->square, count);
    batch->count = 0;
}

/* Candidates of particle i from (cursor.j: run, cursor.k: place in it, 0 for its begin) on. True when it has had all. */
TPI_INLINE bool tpi_sweep_particle(tp_world *world, const tpi_stencil *stencil, uint32_t dimensions,
                                   bool is_periodic, tpi_pair_visitor visitor, const void *context,
                                   bool stores, uint32_t units, uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_points points = tpi_points_of(world);
    float radius_squared = world->step.radius_squared;
    tpi_batch batch;
    uint32_t i = cursor->i;
    batch.count = 0;
    for (; cursor->j < stencil->run_count; cursor->j++, cursor->k = 0) {
        tpi_run run = stencil->runs[cursor->j];
        if (cursor->j == 0) run.begin = i + 1u;
        if (cursor->k) run.begin = cursor->k;
        while (run.begin < run.end && *used < units) {
            uint32_t take =
                tpi_min_u32(tpi_min_u32(run.end - run.begin, TPI_BATCH - batch.count), units - *used);
            tpi_run part = {run.begin, run.begin + take};
            tpi_sweep_collect(points, i, part, radius_squared, dimensions, is_periodic, &batch);
            run.begin += take;
            *used += take;
            if (batch.count > TPI_BATCH - 16u) tpi_sweep_flush(world, context, visitor, stores, i, &batch);
        }
        if (run.begin < run.end) {
            cursor->k = run.begin;
            break;
        }
    }
    tpi_sweep_flush(world, context, visitor, stores, i, &batch);
    return cursor->j == stencil->run_count;
}

/* Goes through all pairs of the back set that lie within the radius, across the sides of the box too. Resumable:
   cursor.i, j, k. */
TPI_INLINE uint32_t tpi_sweep_box(tp_world *world, uint32_t units, uint32_t dimensions, bool is_periodic,
                                  tpi_pair_visitor visitor, const void *context, bool stores, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0, count = world->step.count;
    uint32_t *row = stores ? tpi_words(world, world->arrays.row) : NULL;
    tpi_stencil stencil;
    stencil.is_known = false;
    while (cursor->i < count && used < units) {
        tpi_stencil_half(world, cursor->i, &stencil);
        bool begins = cursor->j == 0 && cursor->k == 0;
        if (begins && cursor->i == stencil.own_begin &&
            ++used == units) { /* charged once, with the particle */
            used--;
            break;
        }
        for (; cursor->i < stencil.own_end && used < units; begins = true) {
            if (begins) used++;
            if (stores && begins) row[cursor->i] = world->step.pair_count;
            if (!tpi_sweep_particle(world, &stencil, dimensions, is_periodic, visitor, context, stores, units,
                                    &used))
                break;
            cursor->i++;
            cursor->j = cursor->k = 0;
        }
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
