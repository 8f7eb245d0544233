/* SPDX-License-Identifier: MIT
   runtime/grid/sweep.h - the one sweep over pairs: through the grid, or along the stored half list.
   reads   back positions, table, cuts      writes  through a visitor that is compiled into the loop
   memory  56 indices and squares on the stack          cost    one unit a visited candidate, or a stored pair; and one a particle
   after   own design: a visitor gets (i, a batch of j); every pair is met once; a slice may end inside a batch of
           candidates and goes on there, so the sums must not depend on order: they are integers */
#ifndef TPI_SWEEP_H
#define TPI_SWEEP_H
#include "grid.h"

#define TPI_BATCH     48u
#define TPI_RUN_LANES 4u /* in the search: runs are short, and a wider stride leaves more over */
#define TPI_LANES \
    8u /* arithmetic goes eight at a time, on vectors where there are any: same bits either way */

/* What the visitor of a solver gets: particle i and `count` partners, each pair once in the whole sweep; and their
   squared distances where the sweep has just computed them (through the grid), else null. With squares, both arrays are
   padded to full lanes (tpi_sweep_pad). */
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
} tpi_points;

TPI_INLINE tpi_points tpi_points_of(const tp_world *world)
{
    return (tpi_points){tpi_back_x(world, 0), tpi_back_x(world, 1),
                        tpi_back_x(world, world->def.dimensions == 3 ? 2 : 0)};
}

/* Squared distance; equal bits for (i, j) and (j, i), because differences are exact opposites. */
TPI_INLINE float tpi_distance_squared(tpi_points points, uint32_t i, uint32_t j, uint32_t dimensions)
{
    float dx = points.x[j] - points.x[i], dy = points.y[j] - points.y[i];
    float square = dx * dx + dy * dy;
    if (dimensions == 3) {
        float dz = points.z[j] - points.z[i];
        square = square + dz * dz;
    }
    return square;
}

/* Squared distances of four places in a row from particle i: contiguous loads, which compilers turn into vectors. */
TPI_INLINE void tpi_sweep_squares(tpi_points points, uint32_t i, uint32_t from, uint32_t dimensions,
                                  float square[TPI_RUN_LANES])
{
    const float *x = points.x + from, *y = points.y + from, *z = points.z + from;
    float xi = points.x[i], yi = points.y[i], zi = points.z[i];
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_RUN_LANES; k++) {
        float dx = x[k] - xi, dy = y[k] - yi;
        square[k] = dx * dx + dy * dy;
        if (dimensions == 3) {
            float dz = z[k] - zi;
            square[k] = square[k] + dz * dz;
        }
    }
}

/* Appends those of begin .. end - 1 that lie within the radius; no branch, because half of the candidates miss. */
TPI_INLINE void tpi_sweep_collect(tpi_points points, uint32_t i, tpi_run run, float radius_squared,
                                  uint32_t dimensions, tpi_batch *batch)
{
    uint32_t j = run.begin, count = batch->count;
    for (; j + TPI_RUN_LANES <= run.end; j += TPI_RUN_LANES) {
        float square[TPI_RUN_LANES];
        tpi_sweep_squares(points, i, j, dimensions, square);
        for (uint32_t k = 0; k < TPI_RUN_LANES; k++) {
            batch->partner[count] = j + k;
            batch->square[count] = square[k];
            count += square[k] < radius_squared ? 1u : 0u;
        }
    }
    for (; j < run.end; j++) {
        float square = tpi_distance_squared(points, i, j, dimensions);
        batch->partner[count] = j;
        batch->square[count] = square;
        count += square < radius_squared ? 1u : 0u;
    }
    batch->count = count;
}

/* Keeps the partners whom both ends keep (only when the neighbour cap is hit). */
TPI_FUNC void tpi_sweep_cut(const tp_world *world, uint32_t i, tpi_batch *batch);

/* Behind the last partner the batch repeats the first one, out of reach: visitors compute in full lanes. */
TPI_INLINE void tpi_sweep_pad(const tp_world *world, tpi_batch *batch)
{
    float out_of_reach = 4.0f * world->constants.radius_squared;
    TPI_LANE_LOOP
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        batch->partner[batch->count + k] = batch->partner[0];
        batch->square[batch->count + k] = out_of_reach;
    }
}

/* Hands a batch to the visitor and, where a list is kept and has room, appends it there. */
TPI_INLINE void tpi_sweep_flush(tp_world *world, const void *context, tpi_pair_visitor visitor, bool stores,
                                uint32_t i, tpi_batch *batch)
{
    tpi_step *step = &world->step;
    if (batch->count == 0) return;
    if (TPI_UNLIKELY(step->capped)) tpi_sweep_cut(world, i, batch);
    uint32_t count = batch->count;
    tpi_sweep_pad(world, batch);
    if (stores) {
        uint32_t room = world->def.particles_max * world->def.sph.neighbours_max / 2u - step->pair_count;
        if (TPI_LIKELY(count <= room)) {
            memcpy(tpi_words(world, world->arrays.pair) + step->pair_count, batch->partner,
                   count * sizeof batch->partner[0]);
            step->pair_count += count;
        }
    }
    step->pairs += count;
    visitor(world, context, i, batch->partner, batch->square, count);
    batch->count = 0;
}

/* Candidates of particle i from (cursor.j: run, cursor.k: place in it, 0 for its begin) on. True when it has had all. */
TPI_INLINE bool tpi_sweep_particle(tp_world *world, const tpi_stencil *stencil, uint32_t dimensions,
                                   tpi_pair_visitor visitor, const void *context, bool stores, uint32_t units,
                                   uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_points points = tpi_points_of(world);
    float radius_squared = world->constants.radius_squared;
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
            tpi_sweep_collect(points, i, part, radius_squared, dimensions, &batch);
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

/* Goes through all pairs of the back set that lie within the radius. Resumable: cursor.i, j, k. */
TPI_INLINE uint32_t tpi_sweep_grid(tp_world *world, uint32_t units, uint32_t dimensions,
                                   tpi_pair_visitor visitor, const void *context, bool stores, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0, count = world->step.count;
    uint32_t *row = stores ? tpi_words(world, world->arrays.row) : NULL;
    while (cursor->i < count && used < units) {
        tpi_stencil stencil;
        tpi_stencil_half(world, cursor->i, &stencil);
        used++;
        while (cursor->i < stencil.own_end && used < units) {
            if (stores && cursor->j == 0 && cursor->k == 0) row[cursor->i] = world->step.pair_count;
            used++;
            if (!tpi_sweep_particle(world, &stencil, dimensions, visitor, context, stores, units, &used))
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

/* The same pairs from the stored half list. Resumable: cursor.i, and cursor.j pairs of its row done. */
TPI_INLINE uint32_t tpi_sweep_list(tp_world *world, uint32_t units, tpi_pair_visitor visitor,
                                   const void *context, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *row = tpi_words(world, world->arrays.row), *pair = tpi_words(world, world->arrays.pair);
    uint32_t used = 0, count = world->step.count;
    while (cursor->i < count && used < units) {
        uint32_t begin = row[cursor->i] + cursor->j, size = row[cursor->i + 1u] - begin;
        uint32_t take = tpi_min_u32(size, units - ++used);
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
