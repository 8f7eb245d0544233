/* SPDX-License-Identifier: MIT
   runtime/grid/sweep.h - the loop over neighbour pairs, through the cell list or stored lists.
   reads   back positions, table, neighbour limits
   writes  neighbour lists; sums through an inlined visitor
   memory  a batch of partners on the stack; in builds with vectors the candidates of a cell too
   cost    one unit per visited candidate or stored pair, and one per particle
   after   own design: a visitor gets particle i and a batch of its partners. A half sweep visits
           each pair once and adds to both particles. Sums are integers: any order and any slices
           give the same bits */
#ifndef TPI_SWEEP_H
#define TPI_SWEEP_H
#include "grid_lanes.h"
#include "../world/team.h"

/* Partners per call of the visitor. They are on the stack: few in scalar builds. */
#define TPI_BATCH (TPI_LANES == 1 ? 16u : 512u)

/* Visits particle i and `count` partners. `squares`: their squared distances if the sweep goes
   through the grid, else null. Both arrays may be read in full vectors; values after the last
   partner are undefined. */
typedef void (*tpi_pair_visitor)(const tp_world *world, const void *context, uint32_t i,
                                 const uint32_t *partners, const float *squares, uint32_t count,
                                 tpi_tally *tally);

/* Properties of a sweep, constant when it is compiled. */
typedef struct tpi_sweep_kind {
    uint32_t dimensions;
    bool is_periodic; /* at least one axis is periodic */
    bool both_ends;   /* finds all neighbours of a particle: it is itself a candidate */
    bool fills_lists; /* stores neighbour lists if the world keeps any */
    bool counts;      /* counts the neighbours of all particles instead of calling a visitor */
    bool by_lists;    /* goes along the lists instead of through the grid */
} tpi_sweep_kind;

/* Partners collected for the next call of the visitor. */
typedef struct tpi_batch {
    uint32_t partner[TPI_BATCH + TPI_LANES];
    float square[TPI_BATCH + TPI_LANES];
    uint32_t count;
} tpi_batch;

/* Raw pointers for the hot loops; valid for one slice, because the block may move between
   calls. */
typedef struct tpi_points {
    const float *x, *y, *z; /* in 2D z equals x and is not read */
    const tpi_box *box;     /* null: no axis is periodic */
} tpi_points;

TPI_INLINE tpi_points tpi_points_of(const tp_world *world)
{
    return (tpi_points){tpi_back_x(world, 0), tpi_back_x(world, 1),
                        tpi_back_x(world, tpi_dimensions(world) == 3 ? 2 : 0),
                        world->constants.box.is_periodic ? &world->constants.box : NULL};
}

/* Squared distance. (i, j) and (j, i) give the same bits: their differences are exact opposites. */
TPI_INLINE float tpi_distance_squared(tpi_points points, uint32_t i, uint32_t j,
                                      uint32_t dimensions)
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

/* The offset of j from i in a periodic box, as patches have it: i is the first particle of its
   pair. */
TPI_INLINE void tpi_points_offset(tpi_points points, uint32_t i, uint32_t j, uint32_t dimensions,
                                  float d[3])
{
    d[0] = tpi_box_offset(points.box, 0, points.x[i], points.x[j]);
    d[1] = tpi_box_offset(points.box, 1, points.y[i], points.y[j]);
    if (dimensions == 3) d[2] = tpi_box_offset(points.box, 2, points.z[i], points.z[j]);
}

/* The candidates of a cell, packed into contiguous arrays: all vectors except the last are full,
   and all particles of the cell read them from the L1 cache. Scalar builds read them from the
   block instead. */
#define TPI_PACKS_CANDIDATES (TPI_LANES > 1)
/* 64 in each cell of a half stencil; if there are more, they are not packed */
#define TPI_CANDIDATES_MAX (14u * 64u)
typedef struct tpi_candidates {
    _Alignas(64) float x[3][TPI_CANDIDATES_MAX + TPI_LANES];
    uint32_t index[TPI_CANDIDATES_MAX + TPI_LANES];
    /* how often each was a neighbour since tpi_candidates_settle */
    uint32_t hits[TPI_CANDIDATES_MAX + TPI_LANES];
    uint32_t count;
    /* end of each level's candidates, from the cell's own level on */
    uint32_t level_end[TPI_LEVELS_MAX];
} tpi_candidates;

/* Appends the candidates run.begin .. run.end - 1 within the radius of particle i, whose position
   is `own`. Reads up to one vector beyond the end. `candidates`: the packed arrays that `points`
   refers to, or null. With both_ends i itself is among the candidates and is skipped. The packed
   arrays are accessed in whole vectors, aligned to their start: stores are forwarded to loads of
   the same width, and no load crosses a cache line. */
TPI_INLINE void tpi_sweep_collect(tpi_points points, tpi_candidates *candidates, const float own[3],
                                  uint32_t i, tpi_run run, float radius_squared,
                                  tpi_sweep_kind kind, tpi_batch *batch)
{
    const tpi_lanes x = tpi_lanes_of(own[0]), y = tpi_lanes_of(own[1]), z = tpi_lanes_of(own[2]);
    const tpi_lanes limit = tpi_lanes_of(radius_squared);
    uint32_t count = batch->count;
    for (uint32_t j = candidates ? run.begin / TPI_LANES * TPI_LANES : run.begin; j < run.end;
         j += TPI_LANES) {
        tpi_lanes dx = tpi_lanes_load(points.x + j) - x, dy = tpi_lanes_load(points.y + j) - y;
        if (kind.is_periodic) {
            dx = tpi_box_image_lanes(points.box, 0, dx);
            dy = tpi_box_image_lanes(points.box, 1, dy);
        }
        tpi_lanes square = dx * dx + dy * dy;
        if (kind.dimensions == 3) {
            tpi_lanes dz = tpi_lanes_load(points.z + j) - z;
            if (kind.is_periodic) dz = tpi_box_image_lanes(points.box, 2, dz);
            square = square + dz * dz;
        }
        tpi_lane_mask is_near = tpi_lanes_less(square, limit);
        if (TPI_LANES > 1 && run.end - j < TPI_LANES)
            is_near = tpi_lanes_and(is_near, tpi_lanes_first(run.end - j));
        if (!candidates && !tpi_lanes_any(is_near)) continue;
        if (candidates && j < run.begin)
            is_near = tpi_lanes_and(is_near, tpi_lanes_not(tpi_lanes_first(run.begin - j)));
        tpi_lane_ints index = candidates ? tpi_lane_ints_load(candidates->index + j)
                                         : tpi_lane_ints_counted((int32_t)j);
        if (kind.both_ends)
            is_near = tpi_lanes_and(
                is_near, tpi_lanes_not(tpi_lane_ints_equal(index, tpi_lane_ints_of((int32_t)i))));
        count +=
            tpi_lanes_append(batch->partner + count, batch->square + count, index, square, is_near);
    }
    batch->count = count;
}

/* Appends the packed candidates near a particle at `own` to the batch, and counts them. Squares
   are not kept: a slot takes 16 bits until the particle's last candidate, because a vector of slots
   is appended with half the instructions. */
TPI_INLINE void tpi_candidates_find(tpi_candidates *candidates, const tpi_box *box,
                                    const float own[3], tpi_run run, float radius_squared,
                                    tpi_sweep_kind kind, tpi_batch *batch)
{
    const tpi_lanes x = tpi_lanes_of(own[0]), y = tpi_lanes_of(own[1]), z = tpi_lanes_of(own[2]);
    const tpi_lanes limit = tpi_lanes_of(radius_squared);
    uint16_t slots[TPI_BATCH + TPI_LANES];
    size_t count = 0;
    for (uint32_t j = run.begin / TPI_LANES * TPI_LANES; j < run.end; j += TPI_LANES) {
        tpi_lanes dx = tpi_lanes_load(candidates->x[0] + j) - x,
                  dy = tpi_lanes_load(candidates->x[1] + j) - y;
        if (kind.is_periodic) {
            dx = tpi_box_image_lanes(box, 0, dx);
            dy = tpi_box_image_lanes(box, 1, dy);
        }
        tpi_lanes square = dx * dx + dy * dy;
        if (kind.dimensions == 3) {
            tpi_lanes dz = tpi_lanes_load(candidates->x[2] + j) - z;
            if (kind.is_periodic) dz = tpi_box_image_lanes(box, 2, dz);
            square = square + dz * dz;
        }
        uint32_t bits = tpi_lanes_bits(tpi_lanes_less(square, limit));
        if (j < run.begin) bits &= ~0u << (run.begin - j);
        if (run.end - j < TPI_LANES) bits &= (1u << (run.end - j)) - 1u;
        count += tpi_slots_append(slots + count, j, bits);
    }
    for (size_t k = 0; k < count; k++) {
        batch->partner[batch->count + k] = candidates->index[slots[k]];
        candidates->hits[slots[k]]++;
    }
    batch->count += (uint32_t)count;
}

#if TPI_LANES == 1
/* A distance along one axis, as twice its bits, from which on the square is at least that of the
   radius. Half the exponent and mantissa: a root that is up to 6 % too large, never too small. */
TPI_INLINE uint32_t tpi_sweep_beyond(float radius_squared)
{
    return ((tpi_bits(radius_squared) >> 1) + (127u << 22) + 1u) << 1;
}

/* tpi_sweep_collect of a half sweep, for one lane, into `partner` and `square`; returns the number
   with that of `count` before. A candidate that is too far is skipped, without a float unit as soon
   as one axis tells. */
TPI_INLINE uint32_t tpi_sweep_collect_each(tpi_points points, const float own[3], tpi_run run,
                                           float radius_squared, tpi_sweep_kind kind,
                                           uint32_t *partner, float *square, uint32_t count)
{
    const uint32_t beyond = tpi_sweep_beyond(radius_squared);
    const float *x = points.x + run.begin, *y = points.y + run.begin, *z = points.z + run.begin;
    uint32_t *to = partner + count;
    float *squares = square + count;
    for (uint32_t j = run.begin; j != run.end; j++) {
        float dx = *x++ - own[0], dy = *y++ - own[1], dz = 0.0f;
        if (kind.dimensions == 3) dz = *z++ - own[2];
        if (kind.is_periodic) {
            dx = tpi_box_offset(points.box, 0, own[0], x[-1]);
            dy = tpi_box_offset(points.box, 1, own[1], y[-1]);
            if (kind.dimensions == 3) dz = tpi_box_offset(points.box, 2, own[2], z[-1]);
        }
        if (TPI_SOFT_FLOATS && tpi_magnitude(dx) >= beyond) continue;
        if (TPI_SOFT_FLOATS && tpi_magnitude(dy) >= beyond) continue;
        float squared = dx * dx + dy * dy;
        if (kind.dimensions == 3) squared = squared + dz * dz;
        /* about half of them: likely, so that the loop of the others is short */
        if (TPI_LIKELY(!(squared < radius_squared))) continue;
        if (!kind.counts) *squares++ = squared;
        *to++ = j;
    }
    return (uint32_t)(to - partner);
}
#endif

/* True if both particles keep the pair within their neighbour limits. */
TPI_FUNC bool tpi_sweep_keeps(const tp_world *world, uint32_t i, uint32_t j, float square);
/* Keeps the partners of i that tpi_sweep_keeps; called only if some particle exceeds the limit. */
TPI_FUNC void tpi_sweep_limit(const tp_world *world, uint32_t i, tpi_batch *batch);

/* ---- neighbour lists: half lists, packed; row[i] is the start of the list of particle i. Numbers
   are indices, shifted by list_shift ---- */

/* True if the lists hold the pairs of this step. */
TPI_INLINE bool tpi_sweep_has_lists(const tp_world *world)
{
    return world->constants.list_capacity && !world->step.list_overflowed && !world->step.capped;
}

/* Listed pairs for the report: the pairs of the step, up to the capacity of the lists. */
TPI_INLINE uint32_t tpi_pairs_listed(const tp_world *world)
{
    uint32_t capacity = world->def.particles_max * world->constants.neighbours_max / 2u;
    if (!world->constants.list_capacity) return 0;
    return world->step.pairs < capacity ? (uint32_t)world->step.pairs : capacity;
}

/* ---- units: a slice overruns by less than one batch, and the next slices pay the overrun ---- */

typedef struct tpi_meter {
    int32_t left;  /* half units left in this slice; negative: overrun */
    int32_t given; /* that it began with */
    int32_t saved; /* of this slice for the next one: see tpi_meter_pays */
    int32_t last;  /* that the last group took */
} tpi_meter;

/* True if the slice pays for a group of cells of this cost. Else it ends if half of it is used:
   groups in parts made steps of 3D fluids take 1.5 times as many instructions. What is left is
   charged now and saved for the next slice, so that a budget ends at the same unit in all builds.
   No more may be saved than the sweep will use: `cost` is that of work which is left. */
TPI_INLINE bool tpi_meter_pays(tpi_meter *meter, int32_t cost)
{
    if (cost <= meter->left) return true;
    if (meter->given < 2 * (int32_t)TPI_SAVES_FROM) return false;
    const int32_t most = 2 * (int32_t)TPI_SAVES_MOST;
    if (meter->left < 128 || meter->left > meter->given / 2 || meter->left > most) return false;
    meter->saved = meter->left;
    meter->left = 0;
    return false;
}

/* The state of a sweep over a range of particles. */
typedef struct tpi_sweep {
    tp_world *world;
    const void *context;      /* the visitor's */
    uint32_t worker;          /* threads that share the sweep have different numbers, from 0 on */
    uint32_t workers_max;     /* that may share it; 0: any number */
    tpi_pair_visitor visitor; /* through the grid */
    const void *work;         /* of a sweep over patches: see patch.c */
    bool fills_lists;
    /* The part whose lists are filled, if threads share them. Rows from `part.end` on belong to the
       next one. */
    tpi_run part;
    bool is_parted; /* lists of a part are written only by its own stretches */
    bool by_lots;   /* the parts are those of tpi_grid_part_of */
    /* i: particle. k: 0 if i has not begun; else 1 + the number of candidates of run j, or of
       partners of its list, that are done */
    tpi_cursor cursor;
    tpi_meter meter;
    tpi_tally tally;
    tpi_stencil stencil;
    bool is_packed; /* the candidates of the cell are packed */
} tpi_sweep;

/* Ends the particles up to `end`, which took `cost` half units together. */
TPI_INLINE void tpi_sweep_skip(tpi_sweep *sweep, uint32_t end, int32_t cost)
{
    sweep->meter.left -= cost;
    sweep->meter.last = cost;
    sweep->cursor = (tpi_cursor){.i = end, .phase = sweep->cursor.phase};
}

/* Continues up to particle `end`, or until the slice has no units left. */
typedef void (*tpi_sweep_work)(tpi_sweep *sweep, uint32_t end);

/* Begins a slice at the step's cursor; ends it: stores the cursor and returns the units used. */
TPI_FUNC void tpi_sweep_begin(tpi_sweep *sweep, tp_world *world, uint32_t units,
                              const void *context);
TPI_FUNC uint32_t tpi_sweep_end(tpi_sweep *sweep, uint32_t units, bool *done);
/* Divides the slice among threads while that is worth it, then continues on this thread with the
   unfinished stretches, including those of earlier slices. The caller continues with the particles
   from the cursor on. `jobs` may be null. */
TPI_FUNC void tpi_sweep_team(tpi_sweep *sweep, const tp_jobs *jobs, tpi_sweep_work work);

/* Defines name(): one slice of a sweep over all particles with the loop name##_on; the step's
   cursor and stretches make it resumable. The loop is called directly, not through a pointer, so
   that the stack depth can be computed without running. Not inlined: its caller may call the loops
   through the grid instead, and would hold this sweep on the stack beside theirs. */
#define TPI_SWEEP_SLICE(name, work, workers)                                             \
    static TPI_APART uint32_t name(tp_world *world, const tp_jobs *jobs, uint32_t units, \
                                   const void *context, bool *done)                      \
    {                                                                                    \
        tpi_sweep sweep;                                                                 \
        tpi_sweep_begin(&sweep, world, units, context);                                  \
        sweep.workers_max = (workers);                                                   \
        if (TIDEPOOL_JOBS) tpi_sweep_team(&sweep, jobs, work);                           \
        work(&sweep, world->step.count);                                                 \
        return tpi_sweep_end(&sweep, units, done);                                       \
    }

/* Runs one slice of a sweep through the grid. Its loops are compiled once for all visitors, and
   call the visitor through a pointer, once per batch. */
TPI_FUNC uint32_t tpi_sweep_grid_slice(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                       const void *context, tpi_sweep_kind kind,
                                       tpi_pair_visitor visitor, bool *done);

/* Defines name(): one slice of a sweep with a visitor. Along lists the visitor is inlined into a
   loop of its own (saves 1% of the instructions). */
#define TPI_SWEEP_GRID(name, visitor, ...)                                                      \
    static TPI_APART void name##_visit(const tp_world *world, const void *context, uint32_t i,  \
                                       const uint32_t *partners, const float *squares,          \
                                       uint32_t count, tpi_tally *tally)                        \
    {                                                                                           \
        visitor(world, context, i, partners, squares, count, tally);                            \
    }                                                                                           \
    static uint32_t name(tp_world *world, const tp_jobs *jobs, uint32_t units,                  \
                         const void *context, bool *done)                                       \
    {                                                                                           \
        return tpi_sweep_grid_slice(world, jobs, units, context, (tpi_sweep_kind){__VA_ARGS__}, \
                                    name##_visit, done);                                        \
    }
#define TPI_SWEEP_LISTS(name, visitor)                              \
    static TPI_APART void name##_on(tpi_sweep *sweep, uint32_t end) \
    {                                                               \
        tpi_sweep_lists(sweep, visitor, end);                       \
    }                                                               \
    TPI_SWEEP_SLICE(name, name##_on, 1u)

/* ---- the lists of a sweep. With step.by_parts each part of the back set has a range of the list
   memory, so that threads may share the parts: the end of its lists is in the first word ---- */

#define TPI_LISTS_NONE 0xffffffffu

/* Words of the list memory before a particle's part. */
TPI_INLINE uint32_t tpi_sweep_range(const tp_world *world, uint32_t begin)
{
    return begin * (world->constants.neighbours_max / 2u);
}

/* Prepares for the part of the particle at the cursor, of a sweep up to `end`. Returns the end of
   that part, or `end` if it is before. */
TPI_INLINE uint32_t tpi_sweep_enter_part(tpi_sweep *sweep, uint32_t end)
{
    tp_world *world = sweep->world;
    if (TPI_LIKELY(!sweep->is_parted)) return end;
    tpi_run part = tpi_part_of(&world->step, sweep->cursor.i);
    uint32_t range = tpi_sweep_range(world, part.begin);
    sweep->part = part;
    if (sweep->cursor.i == part.begin && sweep->cursor.k == 0)
        tpi_words(world, world->arrays.pair)[range] = range + 1u;
    return tpi_min_u32(end, part.end);
}

/* Where the end of the lists so far is: TPI_LISTS_NONE if they were too long. */
TPI_INLINE uint32_t *tpi_sweep_list_end(const tpi_sweep *sweep)
{
    tp_world *world = sweep->world;
    if (TPI_LIKELY(!sweep->is_parted)) return &world->step.pair_count;
    return tpi_words(world, world->arrays.pair) + tpi_sweep_range(world, sweep->part.begin);
}

/* Where the memory of these lists ends. */
TPI_INLINE uint32_t tpi_sweep_list_most(const tpi_sweep *sweep)
{
    const tp_world *world = sweep->world;
    if (sweep->is_parted) return tpi_sweep_range(world, sweep->part.end);
    return world->def.particles_max * world->constants.neighbours_max / 2u;
}

/* Appends to the lists in whole vectors. Zeros fill the last one, so that no stack contents are
   copied into the block. */
TPI_INLINE void tpi_sweep_keep(tpi_sweep *sweep, tpi_batch *batch)
{
    tp_world *world = sweep->world;
    uint32_t shift = world->constants.list_shift, *list_end = tpi_sweep_list_end(sweep),
             end = *list_end, most = tpi_sweep_list_most(sweep);
    if (TPI_UNLIKELY(end > most || batch->count > most - end)) {
        *list_end = TPI_LISTS_NONE;
        if (!sweep->is_parted) world->step.list_overflowed = true;
        return;
    }
    uint32_t *list = tpi_words(world, world->arrays.pair) + end;
    if (TPI_LANES > 1 && TPI_LIKELY(most - end - batch->count >= TPI_LANES)) {
        tpi_lane_ints_store(batch->partner + batch->count, tpi_lane_ints_of(0));
        for (uint32_t k = 0; k < batch->count; k += TPI_LANES)
            tpi_lane_ints_store(list + k, tpi_lane_ints_load(batch->partner + k) << (int32_t)shift);
    } else {
        for (uint32_t k = 0, count = batch->count; k < count; k++)
            list[k] = batch->partner[k] << shift;
    }
    *list_end = end + batch->count;
}

/* ---- through the grid ---- */

/* The numbers of neighbours that this worker counts: one of the arrays that the context of a
   counting sweep names. */
TPI_INLINE uint32_t *tpi_sweep_counts(const tpi_sweep *sweep)
{
    return ((uint32_t *const *)sweep->context)[sweep->worker];
}

/* Calls the visitor for a batch, stores the batch in the lists if the sweep fills them, and empties
   it. */
TPI_INLINE void tpi_sweep_flush(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t i, tpi_batch *batch)
{
    tp_world *world = sweep->world;
    if (batch->count == 0) return;
    if (TPI_UNLIKELY(world->step.capped)) {
        uint32_t found = batch->count;
        tpi_sweep_limit(world, i, batch);
        sweep->tally.ends_dropped += 2u * (found - batch->count);
    }
    if (sweep->fills_lists) tpi_sweep_keep(sweep, batch);
    if (kind.counts)
        tpi_sweep_counts(sweep)[i] += batch->count;
    else
        sweep->visitor(world, sweep->context, i, batch->partner, batch->square, batch->count,
                       &sweep->tally);
    if (kind.counts && !(TPI_PACKS_CANDIDATES && sweep->is_packed))
        for (uint32_t k = 0; k < batch->count; k++) tpi_sweep_counts(sweep)[batch->partner[k]]++;
    batch->count = 0;
}

/* Visits the remaining candidates of one part of the stencil, for the particle at the cursor, run
   by run and without packing. Cost: one unit per candidate. False if the slice has no units left
   before the end. */
TPI_INLINE bool tpi_sweep_part(tpi_sweep *sweep, tpi_sweep_kind kind)
{
    const tpi_stencil *stencil = &sweep->stencil;
    tpi_cursor *cursor = &sweep->cursor;
    tpi_points points = tpi_points_of(sweep->world);
    const float *radii = sweep->world->step.radius_squared[stencil->level];
    tpi_batch batch;
    uint32_t i = cursor->i, level = stencil->part_level, r = cursor->j, done = cursor->k - 1u;
    int32_t left = sweep->meter.left;
    const float own[3] = {points.x[i], points.y[i], points.z[i]};
    batch.count = 0;
    for (; r < stencil->run_count; r++, done = 0) {
        tpi_run run = stencil->runs[r];
        while (r >= stencil->level_end[level]) level++;
        if (r == 0 && stencil->part == 0) run.begin = i + 1u;
        run.begin += done;
        while (run.begin < run.end && left > 0) {
            uint32_t take = tpi_min_u32(run.end - run.begin, TPI_BATCH - batch.count);
            take = tpi_min_u32(take, ((uint32_t)left + 1u) / 2u);
            tpi_run part = {run.begin, run.begin + take};
#if TPI_LANES == 1
            batch.count = tpi_sweep_collect_each(points, own, part, radii[level], kind,
                                                 batch.partner, batch.square, batch.count);
#else
            tpi_sweep_collect(points, NULL, own, i, part, radii[level], kind, &batch);
#endif
            run.begin += take;
            done += take;
            left -= 2 * (int32_t)take;
            if (batch.count > TPI_BATCH - (TPI_LANES == 1 ? 4u : 16u))
                tpi_sweep_flush(sweep, kind, i, &batch);
        }
        if (run.begin < run.end) break;
    }
    tpi_sweep_flush(sweep, kind, i, &batch);
    cursor->j = r;
    cursor->k = done + 1u;
    sweep->meter.left = left;
    return r == stencil->run_count;
}

/* The same for all parts; cursor.row is the current one. Charges the rows of cells of the parts
   after the first. */
TPI_INLINE bool tpi_sweep_runs(tpi_sweep *sweep, tpi_sweep_kind kind)
{
    tpi_stencil *stencil = &sweep->stencil;
    tpi_cursor *cursor = &sweep->cursor;
    if (TPI_UNLIKELY(stencil->part > cursor->row))
        tpi_stencil_half(sweep->world, cursor->i, stencil);
    if (TPI_UNLIKELY(stencil->part < cursor->row))
        (void)tpi_stencil_part(sweep->world, cursor->i, cursor->row, stencil);
    while (tpi_sweep_part(sweep, kind)) {
        if (TPI_LIKELY(stencil->levels_met == 1u)) return true;
        if (sweep->meter.left <= 0) return false;
        if (!tpi_stencil_part(sweep->world, cursor->i, cursor->row + 1u, stencil)) return true;
        sweep->meter.left -= 2 * (int32_t)stencil->rows;
        cursor->row++;
        cursor->j = 0;
        cursor->k = 1;
    }
    return false;
}

TPI_INLINE void tpi_candidates_pack(const tpi_sweep *sweep, tpi_sweep_kind kind,
                                    tpi_candidates *candidates)
{
    const tpi_stencil *stencil = &sweep->stencil;
    tpi_points points = tpi_points_of(sweep->world);
    const uint32_t *counts = kind.counts ? tpi_sweep_counts(sweep) : NULL;
    uint32_t count = 0, level = stencil->level;
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run run = stencil->runs[r];
        for (; r >= stencil->level_end[level]; level++) candidates->level_end[level] = count;
        if (kind.counts)
            for (uint32_t j = run.begin; j < run.end + 16u; j += 16u) TPI_PREFETCH(counts + j);
        for (uint32_t j = run.begin, to = count; j < run.end; j += TPI_LANES, to += TPI_LANES) {
            tpi_lanes_store(candidates->x[0] + to, tpi_lanes_load(points.x + j));
            tpi_lanes_store(candidates->x[1] + to, tpi_lanes_load(points.y + j));
            if (kind.dimensions == 3)
                tpi_lanes_store(candidates->x[2] + to, tpi_lanes_load(points.z + j));
            tpi_lane_ints_store(candidates->index + to, tpi_lane_ints_counted((int32_t)j));
            if (kind.counts) tpi_lane_ints_store(candidates->hits + to, tpi_lane_ints_of(0));
        }
        /* the next cell of the row reads the particles after this run */
        TPI_PREFETCH(points.x + run.end + 16);
        TPI_PREFETCH(points.y + run.end + 16);
        TPI_PREFETCH(points.z + run.end + 16);
        count += run.end - run.begin;
    }
    candidates->count = count;
    for (; level < TPI_LEVELS_MAX; level++) candidates->level_end[level] = count;
}

/* True if the candidates of the stencil fit. They do, except in crowded cells or with candidates
   of coarser levels. */
TPI_INLINE bool tpi_candidates_fit(const tpi_stencil *stencil)
{
    return tpi_stencil_candidates(stencil) <= TPI_CANDIDATES_MAX;
}

/* Adds the counts of the packed candidates to their neighbour counts. */
TPI_INLINE void tpi_candidates_settle(const tpi_sweep *sweep, const tpi_candidates *candidates)
{
    const tpi_stencil *stencil = &sweep->stencil;
    uint32_t *counts = tpi_sweep_counts(sweep), done = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run run = stencil->runs[r];
        for (uint32_t j = run.begin; j < run.end; j += TPI_LANES, done += TPI_LANES) {
            uint32_t rest = run.end - j;
            tpi_lane_ints hits = tpi_lane_ints_load(candidates->hits + done);
            if (rest < TPI_LANES)
                hits = tpi_lane_ints_select(tpi_lanes_first(rest), hits, tpi_lane_ints_of(0));
            tpi_lane_ints_store(counts + j,
                                tpi_lane_ints_add(tpi_lane_ints_load(counts + j), hits));
            if (rest < TPI_LANES) done -= TPI_LANES - rest;
        }
    }
}

/* The same as tpi_sweep_part, for packed candidates. */
TPI_INLINE bool tpi_sweep_packed(tpi_sweep *sweep, tpi_sweep_kind kind, tpi_candidates *candidates)
{
    tpi_cursor *cursor = &sweep->cursor;
    tpi_points own = tpi_points_of(sweep->world),
               points = {candidates->x[0], candidates->x[1], candidates->x[2], own.box};
    const float *radii = sweep->world->step.radius_squared[sweep->stencil.level];
    tpi_batch batch;
    uint32_t i = cursor->i, level = sweep->stencil.level, first = i + 1u - sweep->stencil.own_begin;
    const float at[3] = {own.x[i], own.y[i], own.z[i]};
    batch.count = 0;
    while (first + cursor->k <= candidates->count && sweep->meter.left > 0) {
        uint32_t begin = first + cursor->k - 1u;
        while (begin >= candidates->level_end[level]) level++;
        uint32_t take = tpi_min_u32(candidates->level_end[level] - begin, TPI_BATCH - batch.count);
        take = tpi_min_u32(take, ((uint32_t)sweep->meter.left + 1u) / 2u);
        tpi_run part = {begin, begin + take};
        if (kind.counts)
            tpi_candidates_find(candidates, own.box, at, part, radii[level], kind, &batch);
        else
            tpi_sweep_collect(points, candidates, at, i, part, radii[level], kind, &batch);
        cursor->k += take;
        sweep->meter.left -= 2 * (int32_t)take;
        if (batch.count > TPI_BATCH - 16u) tpi_sweep_flush(sweep, kind, i, &batch);
    }
    tpi_sweep_flush(sweep, kind, i, &batch);
    return first + cursor->k > candidates->count;
}

/* Half units charged when a particle begins: 2, and those of the rows of cells. The first particle
   of a cell pays for the rows of its own level. With coarser levels every particle pays for all
   rows, because scalar builds look them up for each particle. */
TPI_INLINE int32_t tpi_sweep_entry(const tpi_sweep *sweep)
{
    const tpi_stencil *stencil = &sweep->stencil;
    bool pays = sweep->cursor.i == stencil->own_begin || stencil->levels_met > 1u;
    uint32_t rows = pays ? tpi_cell_units(sweep->world) : 0;
    if (TPI_LEVELS_AT_ONCE > 1u) rows += stencil->rows;
    return 2 + 2 * (int32_t)rows;
}

/* Begins the particle at the cursor with an empty list. */
TPI_INLINE void tpi_sweep_enter(tpi_sweep *sweep, int32_t half_units)
{
    tp_world *world = sweep->world;
    sweep->cursor.j = sweep->cursor.row = 0;
    sweep->cursor.k = 1;
    sweep->meter.left -= half_units;
    if (sweep->fills_lists)
        tpi_words(world, world->arrays.row)[sweep->cursor.i] = *tpi_sweep_list_end(sweep);
}

TPI_INLINE void tpi_sweep_next(tpi_sweep *sweep)
{
    tp_world *world = sweep->world;
    sweep->cursor.i++;
    sweep->cursor.k = 0;
    if (sweep->fills_lists && !(sweep->is_parted && sweep->cursor.i == sweep->part.end))
        tpi_words(world, world->arrays.row)[sweep->cursor.i] = *tpi_sweep_list_end(sweep);
}

#if TPI_LANES == 1
/* ---- one lane, simple cells: all candidates are of one level, and none is across a side ---- */

/* Where the next partner goes in the lists, and the words that are left there. While a batch fits,
   partners are collected there, so that none is copied. */
typedef struct tpi_straight {
    uint32_t *to, words;
    uint32_t *end; /* see tpi_sweep_list_end */
} tpi_straight;

TPI_INLINE tpi_straight tpi_sweep_straight(const tpi_sweep *sweep, tpi_sweep_kind kind)
{
    const tp_world *world = sweep->world;
    tpi_straight list = {NULL, 0, tpi_sweep_list_end(sweep)};
    if (kind.counts || !sweep->fills_lists || world->step.capped || world->constants.list_shift)
        return list;
    const uint32_t most = tpi_sweep_list_most(sweep);
    if (*list.end > most) return list;
    list.to = tpi_words(world, world->arrays.pair) + *list.end;
    list.words = most - *list.end;
    return list;
}

/* Calls the visitor for a batch, as tpi_sweep_flush, and keeps it in the lists. */
TPI_INLINE void tpi_sweep_flush_straight(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t i,
                                         tpi_straight *list, tpi_batch *batch)
{
    const uint32_t count = batch->count;
    if (count == 0) return;
    if (TPI_UNLIKELY(list->words < TPI_BATCH)) {
        tpi_sweep_flush(sweep, kind, i, batch);
        *list = tpi_sweep_straight(sweep, kind);
        return;
    }
    const uint32_t *partners = list->to;
    *list->end += count;
    list->to += count;
    list->words -= count;
    batch->count = 0;
    sweep->visitor(sweep->world, sweep->context, i, partners, batch->square, count, &sweep->tally);
}

/* Visits all candidates of particle i; `others` are those of other cells. */
TPI_INLINE void tpi_sweep_each(tpi_sweep *sweep, tpi_sweep_kind kind, tpi_points points,
                               float radius_squared, uint32_t i, tpi_straight *list,
                               tpi_batch *batch)
{
    const tpi_stencil *stencil = &sweep->stencil;
    const float own[3] = {points.x[i], points.y[i], points.z[i]};
    for (uint32_t r = 0; r < stencil->run_count; r++) {
        tpi_run rest = {r ? stencil->runs[r].begin : i + 1u, stencil->runs[r].end};
        while (rest.begin < rest.end) {
            tpi_run part = {rest.begin,
                            tpi_min_u32(rest.end, rest.begin + TPI_BATCH - batch->count)};
            batch->count = tpi_sweep_collect_each(
                points, own, part, radius_squared, kind,
                list->words < TPI_BATCH ? batch->partner : list->to, batch->square, batch->count);
            rest.begin = part.end;
            if (batch->count > TPI_BATCH - 4u)
                tpi_sweep_flush_straight(sweep, kind, i, list, batch);
        }
    }
    tpi_sweep_flush_straight(sweep, kind, i, list, batch);
}

/* Sweeps the particles of a simple cell from the cursor on, as long as the slice has units for all
   candidates of one: `others` of them are of other cells. */
TPI_INLINE void tpi_sweep_simple(tpi_sweep *sweep, tpi_sweep_kind kind, tpi_points points,
                                 uint32_t others, uint32_t end)
{
    const tp_world *world = sweep->world;
    const tpi_stencil *stencil = &sweep->stencil;
    const float radius_squared = world->step.radius_squared[stencil->level][stencil->level];
    const uint32_t begin = sweep->cursor.i;
    uint32_t *rows = sweep->fills_lists ? tpi_words(world, world->arrays.row) : NULL;
    tpi_straight list = tpi_sweep_straight(sweep, kind);
    tpi_batch batch;
    uint32_t i = begin;
    batch.count = 0;
    for (; i < end; i++, sweep->cursor.i = i) {
        int32_t left = sweep->meter.left - tpi_sweep_entry(sweep) -
                       2 * (int32_t)(others + stencil->own_end - i - 1u);
        if (left < 0) break;
        sweep->meter.left = left;
        if (rows) rows[i] = *list.end;
        tpi_sweep_each(sweep, kind, points, radius_squared, i, &list, &batch);
    }
    if (i == begin) return;
    sweep->cursor.j = stencil->run_count;
    sweep->cursor.row = 0;
    if (rows && !(sweep->is_parted && i == sweep->part.end)) rows[i] = *list.end;
}
#endif

#if TPI_PACKS_CANDIDATES
/* tpi_sweep_runs for crowded cells and several levels, compiled once for all kinds. */
TPI_FUNC bool tpi_sweep_unpacked(tpi_sweep *sweep, tpi_sweep_kind kind);
#else
#define tpi_sweep_unpacked tpi_sweep_runs
#endif

/* Sweeps the particles of the stencil's cell, from the cursor up to `end`. */
TPI_INLINE void tpi_sweep_cell(tpi_sweep *sweep, tpi_sweep_kind kind, bool in_box, uint32_t end)
{
    (void)in_box; /* one lane: worlds in a box take the general loop, for less stack */
    tpi_cursor *cursor = &sweep->cursor;
    tpi_candidates candidates;
    bool goes_on = true;
    const bool is_packed = TPI_PACKS_CANDIDATES && tpi_candidates_fit(&sweep->stencil);
    sweep->is_packed = is_packed;
#if TPI_LANES == 1
    const tpi_points points = tpi_points_of(sweep->world);
    const bool is_simple = !in_box && sweep->stencil.levels_met == 1u && sweep->stencil.part == 0;
    const uint32_t others = tpi_stencil_candidates(&sweep->stencil) -
                            (sweep->stencil.own_end - sweep->stencil.own_begin);
#endif
    if (is_packed) tpi_candidates_pack(sweep, kind, &candidates);
    while (goes_on && cursor->i < end && sweep->meter.left > 0) {
#if TPI_LANES == 1
        if (is_simple && cursor->k == 0) {
            tpi_sweep_simple(sweep, kind, points, others, end);
            if (cursor->i == end || sweep->meter.left <= 0) break;
        }
#endif
        if (cursor->k == 0) tpi_sweep_enter(sweep, tpi_sweep_entry(sweep));
        goes_on = is_packed ? tpi_sweep_packed(sweep, kind, &candidates)
                            : tpi_sweep_unpacked(sweep, kind);
        if (goes_on) tpi_sweep_next(sweep);
    }
    if (kind.counts && is_packed) tpi_candidates_settle(sweep, &candidates);
}

/* Skips and counts the particles that cell_max excludes from pairs. */
TPI_INLINE void tpi_sweep_skip_crowded(tpi_sweep *sweep, uint32_t end)
{
    for (; sweep->cursor.i < end && sweep->meter.left > 0; tpi_sweep_next(sweep)) {
        tpi_sweep_enter(sweep, 2);
        sweep->tally.crowded++;
    }
}

/* Sweeps the particles of the stencil's cell. */
TPI_INLINE void tpi_sweep_stencil(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t end)
{
    const tpi_stencil *stencil = &sweep->stencil;
    tpi_sweep_kind open = kind;
    open.is_periodic = false;
    if (kind.is_periodic && stencil->wrapped)
        tpi_sweep_cell(sweep, kind, kind.is_periodic, tpi_min_u32(stencil->own_end, end));
    else
        tpi_sweep_cell(sweep, open, kind.is_periodic, tpi_min_u32(stencil->own_end, end));
}

/* The same for the cell of the particle at the cursor. */
TPI_INLINE void tpi_sweep_grid(tpi_sweep *sweep, tpi_sweep_kind kind, uint32_t end)
{
    tpi_stencil *stencil = &sweep->stencil;
    tpi_stencil_half(sweep->world, sweep->cursor.i, stencil);
    if (sweep->cursor.i >= stencil->own_end)
        tpi_sweep_skip_crowded(sweep, tpi_min_u32(stencil->cell_end, end));
    else
        tpi_sweep_stencil(sweep, kind, end);
}

#include "listed.h"

#endif
