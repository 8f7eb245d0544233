/* SPDX-License-Identifier: MIT
   runtime/grid/patch.c - sweeps over patches: filling of slots, the filter, the lists of places.
   reads   back positions, table, lists      writes  lists; sums through a visitor
   memory  a sweep and a patch on the stack   cost    that of the work
   after   own design. Lists hold the number of a partner in the half stencil of its particle's
           cell, doubled: 16 bits. The sweep along the lists looks the stencil up again */
#include "patch.h"
#if TPI_LANES > 1

uint32_t tpi_patch_particle(const tpi_patch *patch, uint32_t slot)
{
    for (uint32_t r = 0; r + 1u < patch->run_count; r++) {
        uint32_t size = patch->runs[r].end - patch->runs[r].begin;
        if (slot < size) return patch->runs[r].begin + slot;
        slot -= size;
    }
    return patch->runs[patch->run_count - 1u].begin + slot;
}

/* ---- slots ---- */

static uint32_t patch_candidates(const tpi_stencil *stencil)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++)
        count += stencil->runs[r].end - stencil->runs[r].begin;
    return count;
}

/* Empties the patch and gives its slots to candidates number from .. from + count - 1 of the
   stencil. */
static void patch_take(tpi_patch *patch, const tpi_stencil *stencil, uint32_t from, uint32_t count)
{
    for (uint32_t r = 0; r < stencil->run_count && count; r++) {
        tpi_run run = stencil->runs[r];
        uint32_t size = run.end - run.begin;
        if (from >= size) {
            from -= size;
            continue;
        }
        run.begin += from;
        run.end = run.begin + tpi_min_u32(size - from, count);
        patch->runs[patch->run_count++] = run;
        patch->slot_count += run.end - run.begin;
        count -= run.end - run.begin;
        from = 0;
    }
}

static void patch_empty(tpi_patch *patch)
{
    patch->run_count = patch->slot_count = patch->pair_count = patch->row_count = 0;
}

TPI_INLINE void patch_load(const tp_world *world, tpi_patch *patch, uint32_t dimensions)
{
    tpi_points points = tpi_points_of(world);
    uint32_t slot = 0;
    for (uint32_t r = 0; r < patch->run_count; r++) {
        tpi_run run = patch->runs[r];
        for (uint32_t p = run.begin, to = slot; p < run.end; p += TPI_LANES, to += TPI_LANES) {
            tpi_lanes_store(patch->x[0] + to, tpi_lanes_load(points.x + p));
            tpi_lanes_store(patch->x[1] + to, tpi_lanes_load(points.y + p));
            if (dimensions == 3) tpi_lanes_store(patch->x[2] + to, tpi_lanes_load(points.z + p));
        }
        slot += run.end - run.begin;
    }
}

/* ---- the batch of pairs ---- */

typedef struct patch_work {
    tpi_patch_visitor visitor;
    uint32_t dimensions;
    uint32_t total; /* candidates of the cell */
    bool fits;      /* they have slots all at once */
    bool keeps;     /* fills the lists */
} patch_work;

/* Four places, and a vector's. */
#define PATCH_EACH 0x0001000100010001u
typedef uint16_t patch_eight __attribute__((vector_size(16)));

TPI_INLINE uint16_t *patch_list(const tp_world *world)
{
    return (uint16_t *)(void *)tpi_words(world, world->arrays.pair);
}

/* The list of the particle begins, or that of the one before ends, behind the batch. */
TPI_INLINE void patch_mark(const tp_world *world, const patch_work *work, const tpi_patch *patch,
                           uint32_t particle)
{
    if (work->keeps)
        tpi_words(world, world->arrays.row)[particle] = world->step.pair_count + patch->pair_count;
}

/* Appends the pairs of the batch to the list; candidate number `first` is in slot 0. Reads and
   writes up to seven places more. */
static void patch_keep(tp_world *world, const tpi_patch *patch, uint32_t first)
{
    tpi_step *step = &world->step;
    uint32_t capacity = world->def.particles_max * world->constants.neighbours_max / 2u;
    const patch_eight more = {0};
    if (TPI_UNLIKELY(patch->pair_count > capacity - step->pair_count)) {
        step->list_overflowed = true;
        return;
    }
    uint16_t *list = patch_list(world) + step->pair_count;
    for (uint32_t k = 0; k < patch->pair_count; k += 8u) {
        patch_eight places;
        tpi_memcpy(&places, patch->j + k, sizeof places);
        places += more + (uint16_t)(2u * first);
        tpi_memcpy(list + k, &places, sizeof places);
    }
    step->pair_count += patch->pair_count;
}

static void patch_flush(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t first)
{
    if (patch->pair_count == 0) return;
    if (work->keeps) patch_keep(sweep->world, patch, first);
    for (uint32_t k = 0, last = patch->pair_count - 1u; k < TPI_LANES; k++) {
        patch->i[last + 1u + k] = patch->i[last];
        patch->j[last + 1u + k] = patch->j[last];
    }
    work->visitor(sweep->world, sweep->context, patch, &sweep->tally);
    patch->pair_count = patch->row_count = 0;
}

TPI_INLINE void patch_end_row(tpi_patch *patch, uint32_t slot, uint32_t begin)
{
    if (patch->pair_count == begin) return;
    tpi_patch_row *row = &patch->rows[patch->row_count++];
    *row = (tpi_patch_row){(uint16_t)(2u * slot), (uint16_t)patch->pair_count};
}

/* For four bits: twice the numbers of the bits that are set, in order; and how many. */
static const uint16_t patch_places[16][4] = {
    {0}, {0},    {2},    {0, 2},    {4},    {0, 4},    {2, 4},    {0, 2, 4},
    {6}, {0, 6}, {2, 6}, {0, 2, 6}, {4, 6}, {0, 4, 6}, {2, 4, 6}, {0, 2, 4, 6},
};
static const uint8_t patch_counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* Appends the lanes of the mask as partners of `own`; the first lane's slot has place `at`, and
   both are repeated in each 16 bits. Returns the new count. Writes up to TPI_LANES places. */
TPI_INLINE size_t patch_append(tpi_patch *patch, size_t count, uint64_t own, uint64_t at,
                               tpi_lane_mask is_near)
{
    uint32_t bits = tpi_lanes_bits(is_near);
    for (uint32_t part = 0; part < TPI_LANES / 4u; part++) {
        uint64_t places;
        tpi_memcpy(&places, patch_places[bits & 15u], sizeof places);
        places += at;
        tpi_memcpy(patch->j + count, &places, sizeof places);
        tpi_memcpy(patch->i + count, &own, sizeof own);
        count += patch_counts[bits & 15u];
        bits >>= 4;
        at += 8u * PATCH_EACH;
    }
    return count;
}

TPI_INLINE tpi_lane_mask patch_near(const tpi_patch *patch, size_t k, const tpi_lanes own[3],
                                    tpi_lanes limit, uint32_t dimensions)
{
    tpi_lanes dx = tpi_lanes_load(patch->x[0] + k) - own[0],
              dy = tpi_lanes_load(patch->x[1] + k) - own[1];
    tpi_lanes square = dx * dx + dy * dy;
    if (dimensions == 3) {
        tpi_lanes dz = tpi_lanes_load(patch->x[2] + k) - own[2];
        square = square + dz * dz;
    }
    return tpi_lanes_less(square, limit);
}

/* Appends the slots from .. to - 1 that are near the particle in slot `own`. */
TPI_INLINE void patch_filter(tpi_patch *patch, uint32_t own, uint32_t from, uint32_t to,
                             tpi_lanes limit, uint32_t dimensions)
{
    const tpi_lanes x[3] = {tpi_lanes_of(patch->x[0][own]), tpi_lanes_of(patch->x[1][own]),
                            tpi_lanes_of(patch->x[dimensions - 1u][own])};
    const uint64_t own_places = 2u * own * PATCH_EACH;
    uint64_t places = 2u * from * PATCH_EACH;
    size_t count = patch->pair_count, k = from;
    for (; k + TPI_LANES <= to; k += TPI_LANES, places += 2u * TPI_LANES * PATCH_EACH)
        count = patch_append(patch, count, own_places, places,
                             patch_near(patch, k, x, limit, dimensions));
    if (k < to) {
        tpi_lane_mask is_near = patch_near(patch, k, x, limit, dimensions);
        is_near = tpi_lanes_and(is_near, tpi_lanes_first(to - (uint32_t)k));
        count = patch_append(patch, count, own_places, places, is_near);
    }
    patch->pair_count = (uint32_t)count;
}

/* Drops the pairs from number `begin` on that exceed the neighbour limit of one of their
   particles. */
static TPI_APART void patch_limit(tpi_sweep *sweep, tpi_patch *patch, uint32_t begin)
{
    tpi_points points = tpi_points_of(sweep->world);
    uint32_t kept = begin;
    for (uint32_t k = begin; k < patch->pair_count; k++) {
        uint32_t i = tpi_patch_particle(patch, patch->i[k] / 2u),
                 j = tpi_patch_particle(patch, patch->j[k] / 2u);
        float square = tpi_distance_squared(points, i, j, tpi_dimensions(sweep->world));
        patch->j[kept] = patch->j[k];
        kept += tpi_sweep_keeps(sweep->world, i, j, square);
    }
    sweep->tally.ends_dropped += 2u * (patch->pair_count - kept);
    patch->pair_count = kept;
}

/* ---- through the grid ---- */

/* Filters candidates of the particle at the cursor, which is in slot `own`: slots from .. to - 1;
   candidate number `first` is in slot 0. False if the slice has no units left before the end. */
static bool patch_slots(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t own,
                        uint32_t from, uint32_t to, uint32_t first)
{
    tpi_cursor *cursor = &sweep->cursor;
    const tpi_lanes limit = tpi_lanes_of(sweep->world->step.radius_squared[0][0]);
    uint32_t begin = patch->pair_count;
    while (from < to && sweep->meter.left > 0) {
        if (patch->pair_count > TPI_PATCH_PAIRS - 64u) {
            patch_end_row(patch, own, begin);
            patch_flush(sweep, work, patch, first);
            begin = 0;
        }
        uint32_t kept = patch->pair_count, take = tpi_min_u32(to - from, TPI_PATCH_PAIRS - kept);
        take = tpi_min_u32(take, ((uint32_t)sweep->meter.left + 1u) / 2u);
        if (work->dimensions == 2)
            patch_filter(patch, own, from, from + take, limit, 2);
        else
            patch_filter(patch, own, from, from + take, limit, 3);
        if (TPI_UNLIKELY(sweep->world->step.capped)) patch_limit(sweep, patch, kept);
        from += take;
        cursor->k += take;
        sweep->meter.left -= 2 * (int32_t)take;
    }
    patch_end_row(patch, own, begin);
    return from == to;
}

/* Gives the particle at the cursor slot 0, and the slots after it to its candidates from number
   `from` on, as many as fit. Returns the end of the slots. */
static uint32_t patch_alone(tpi_sweep *sweep, tpi_patch *patch, uint32_t from)
{
    patch_empty(patch);
    patch->runs[patch->run_count++] = (tpi_run){sweep->cursor.i, sweep->cursor.i + 1u};
    patch->slot_count = 1;
    patch_take(patch, &sweep->stencil, from, TPI_PATCH_SLOTS - 1u);
    return patch->slot_count;
}

/* Particle by particle, if the candidates of the cell have no slots all at once. */
static bool patch_pieces(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t own)
{
    bool goes_on = true;
    uint32_t from = own + sweep->cursor.k;
    while (goes_on && from < work->total) {
        uint32_t end = patch_alone(sweep, patch, from);
        patch_load(sweep->world, patch, work->dimensions);
        goes_on = patch_slots(sweep, work, patch, 0, 1, end, from - 1u);
        patch_flush(sweep, work, patch, from - 1u);
        from = own + sweep->cursor.k;
    }
    return goes_on;
}

TPI_INLINE void patch_enter(tpi_sweep *sweep, const patch_work *work, const tpi_patch *patch,
                            int32_t half_units)
{
    sweep->cursor.j = sweep->cursor.row = 0;
    sweep->cursor.k = 1;
    sweep->meter.left -= half_units;
    patch_mark(sweep->world, work, patch, sweep->cursor.i);
}

TPI_INLINE void patch_next(tpi_sweep *sweep, const patch_work *work, const tpi_patch *patch)
{
    sweep->cursor.i++;
    sweep->cursor.k = 0;
    patch_mark(sweep->world, work, patch, sweep->cursor.i);
}

/* Half units of the particles in slots from .. to - 1 of a cell. */
static int32_t patch_cost(const tpi_sweep *sweep, const patch_work *work, uint32_t from,
                          uint32_t to)
{
    uint32_t count = to - from,
             candidates = count * (work->total - 1u) - count * (from + to - 1u) / 2u;
    uint32_t rows = from == 0 ? tpi_cell_units(sweep->world) : 0;
    return 2 * (int32_t)(count + candidates + rows);
}

/* The same as the general loop of patch_cell, if nothing can stop it: the slice pays for all
   particles from the cursor to `end`, and no pair is dropped. */
TPI_INLINE bool patch_whole(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                            uint32_t end, uint32_t dimensions)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t begin = sweep->stencil.own_begin, total = work->total;
    if (cursor->k || sweep->world->step.capped || total > TPI_PATCH_PAIRS) return false;
    int32_t cost = patch_cost(sweep, work, cursor->i - begin, end - begin);
    if (cost > sweep->meter.left) return false;
    const tpi_lanes limit = tpi_lanes_of(sweep->world->step.radius_squared[0][0]);
    for (uint32_t i = cursor->i; i < end; i++) {
        uint32_t own = i - begin, kept;
        if (TPI_UNLIKELY(patch->pair_count + total - own > TPI_PATCH_PAIRS))
            patch_flush(sweep, work, patch, 0);
        kept = patch->pair_count;
        patch_mark(sweep->world, work, patch, i);
        patch_filter(patch, own, own + 1u, total, limit, dimensions);
        patch_end_row(patch, own, kept);
    }
    patch_mark(sweep->world, work, patch, end);
    sweep->meter.left -= cost;
    cursor->i = end;
    cursor->j = cursor->k = cursor->row = 0;
    return true;
}

/* Sweeps the particles of the stencil's cell, from the cursor up to `end`. */
TPI_INLINE void patch_cell(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t end,
                           uint32_t dimensions)
{
    tpi_cursor *cursor = &sweep->cursor;
    const tpi_sweep_kind kind = {.dimensions = dimensions};
    bool goes_on = true;
    patch_empty(patch);
    if (work->fits) {
        patch_take(patch, &sweep->stencil, 0, work->total);
        patch_load(sweep->world, patch, dimensions);
        goes_on = !patch_whole(sweep, work, patch, end, dimensions);
    }
    while (goes_on && cursor->i < end && sweep->meter.left > 0) {
        if (cursor->k == 0) patch_enter(sweep, work, patch, tpi_sweep_entry(sweep, kind));
        uint32_t own = cursor->i - sweep->stencil.own_begin;
        goes_on = work->fits ? patch_slots(sweep, work, patch, own, own + cursor->k, work->total, 0)
                             : patch_pieces(sweep, work, patch, own);
        if (goes_on) patch_next(sweep, work, patch);
    }
    if (work->fits) patch_flush(sweep, work, patch, 0);
}

/* Skips and counts the particles that cell_max excludes from pairs. */
static void patch_skip_crowded(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                               uint32_t end)
{
    patch->pair_count = 0;
    for (; sweep->cursor.i < end && sweep->meter.left > 0; patch_next(sweep, work, patch)) {
        patch_enter(sweep, work, patch, 2);
        sweep->tally.crowded++;
    }
}

TPI_INLINE void patch_grid_on(tpi_sweep *sweep, patch_work work, uint32_t end, uint32_t dimensions)
{
    tpi_stencil *stencil = &sweep->stencil;
    tpi_patch patch;
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        tpi_stencil_half(sweep->world, sweep->cursor.i, stencil);
        if (sweep->cursor.i >= stencil->own_end) {
            patch_skip_crowded(sweep, &work, &patch, tpi_min_u32(stencil->cell_end, end));
            continue;
        }
        work.total = patch_candidates(stencil);
        work.fits = work.total <= TPI_PATCH_SLOTS;
        patch_cell(sweep, &work, &patch, tpi_min_u32(stencil->own_end, end), dimensions);
    }
}

static TPI_APART void patch_grid_2d(tpi_sweep *sweep, patch_work work, uint32_t end)
{
    patch_grid_on(sweep, work, end, 2);
}
static TPI_APART void patch_grid_3d(tpi_sweep *sweep, patch_work work, uint32_t end)
{
    patch_grid_on(sweep, work, end, 3);
}

/* ---- along the lists ---- */

/* Copies `count` places as partners of `own`. Reads and writes up to seven more. */
TPI_INLINE void patch_copy(tpi_patch *patch, const uint16_t *list, uint32_t count, uint32_t own)
{
    uint16_t *i = patch->i + patch->pair_count, *j = patch->j + patch->pair_count;
    const patch_eight zero = {0}, places = zero + (uint16_t)(2u * own);
    for (uint32_t k = 0; k < count; k += 8u) {
        patch_eight eight;
        tpi_memcpy(&eight, list + k, sizeof eight);
        tpi_memcpy(j + k, &eight, sizeof eight);
        tpi_memcpy(i + k, &places, sizeof places);
    }
    patch->pair_count += count;
}

/* Number of partners in a list, in order, whose places are below `end`. */
static uint32_t patch_below(const uint16_t *list, uint32_t count, uint32_t end)
{
    while (count && list[count - 1u] >= end) count--;
    return count;
}

/* Appends the listed partners of the particle at the cursor that have slots: candidates number
   first .. to - 1, of which the first is in slot 0. False if the slice has no units left before
   the end of the list. */
static bool patch_listed(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t own,
                         uint32_t first, uint32_t to)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row) + cursor->i;
    const uint16_t *list = patch_list(sweep->world) + row[0];
    uint32_t begin = patch->pair_count, size = row[1] - row[0];
    if (!work->fits) size = patch_below(list, size, 2u * to);
    while (cursor->k <= size && sweep->meter.left > 0) {
        if (patch->pair_count == TPI_PATCH_PAIRS) {
            patch_end_row(patch, own, begin);
            patch_flush(sweep, work, patch, first);
            begin = 0;
        }
        uint32_t take = tpi_min_u32(size + 1u - cursor->k, TPI_PATCH_PAIRS - patch->pair_count);
        take = tpi_min_u32(take, ((uint32_t)sweep->meter.left + 1u) / 2u);
        patch_copy(patch, list + cursor->k - 1u, take, own);
        for (uint32_t k = patch->pair_count - take; first && k < patch->pair_count; k++)
            patch->j[k] = (uint16_t)(patch->j[k] - 2u * first);
        cursor->k += take;
        sweep->meter.left -= 2 * (int32_t)take;
    }
    patch_end_row(patch, own, begin);
    return cursor->k > size;
}

/* The particle at the cursor alone, if the candidates of its cell have no slots all at once. */
static bool patch_listed_pieces(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row) + cursor->i;
    const uint16_t *list = patch_list(sweep->world) + row[0];
    bool goes_on = true;
    while (goes_on && cursor->k <= row[1] - row[0]) {
        uint32_t from = list[cursor->k - 1u] / 2u, end = patch_alone(sweep, patch, from);
        goes_on = patch_listed(sweep, work, patch, 0, from - 1u, from - 1u + end);
        patch_flush(sweep, work, patch, 0);
    }
    return goes_on;
}

/* The same as the general loop of patch_listed_cell, if nothing can stop it. */
static bool patch_listed_whole(tpi_sweep *sweep, tpi_patch *patch, uint32_t end)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row);
    const uint16_t *list = patch_list(sweep->world);
    uint32_t begin = sweep->stencil.own_begin, count = row[end] - row[cursor->i];
    int32_t cost = 2 * (int32_t)(count + (end - cursor->i));
    if (cursor->k || count > TPI_PATCH_PAIRS || cost > sweep->meter.left) return false;
    for (uint32_t i = cursor->i; i < end; i++) {
        uint32_t size = row[i + 1u] - row[i], kept = patch->pair_count;
        patch_copy(patch, list + row[i], size, i - begin);
        patch_end_row(patch, i - begin, kept);
    }
    sweep->meter.left -= cost;
    cursor->i = end;
    cursor->j = cursor->k = cursor->row = 0;
    return true;
}

static void patch_listed_cell(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                              uint32_t end)
{
    tpi_cursor *cursor = &sweep->cursor;
    bool goes_on = true;
    patch_empty(patch);
    if (work->fits) {
        patch_take(patch, &sweep->stencil, 0, work->total);
        goes_on = !patch_listed_whole(sweep, patch, end);
    }
    while (goes_on && cursor->i < end && sweep->meter.left > 0) {
        if (cursor->k == 0) patch_enter(sweep, work, patch, 2);
        goes_on = work->fits ? patch_listed(sweep, work, patch,
                                            cursor->i - sweep->stencil.own_begin, 0, work->total)
                             : patch_listed_pieces(sweep, work, patch);
        if (goes_on) patch_next(sweep, work, patch);
    }
    if (work->fits) patch_flush(sweep, work, patch, 0);
}

static TPI_APART void patch_lists_on(tpi_sweep *sweep, patch_work work, uint32_t end)
{
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row);
    tpi_cursor *cursor = &sweep->cursor;
    tpi_stencil *stencil = &sweep->stencil;
    tpi_patch patch;
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        if (row[cursor->i] == row[cursor->i + 1u]) { /* no partners: no stencil is needed */
            patch_enter(sweep, &work, &patch, 2);
            patch_next(sweep, &work, &patch);
            continue;
        }
        tpi_stencil_half(sweep->world, cursor->i, stencil);
        work.total = patch_candidates(stencil);
        work.fits = work.total <= TPI_PATCH_SLOTS;
        patch_listed_cell(sweep, &work, &patch, tpi_min_u32(stencil->own_end, end));
    }
}

uint32_t tpi_patch_slice(tp_world *world, uint32_t units, const void *context, tpi_sweep_kind kind,
                         tpi_patch_visitor visitor, bool *done)
{
    tpi_sweep sweep;
    patch_work work = {.visitor = visitor, .dimensions = kind.dimensions};
    tpi_sweep_begin(&sweep, world, units, context);
    work.keeps = kind.fills_lists && world->constants.list_capacity;
    if (kind.by_lists)
        patch_lists_on(&sweep, work, world->step.count);
    else if (kind.dimensions == 2)
        patch_grid_2d(&sweep, work, world->step.count);
    else
        patch_grid_3d(&sweep, work, world->step.count);
    return tpi_sweep_end(&sweep, units, done);
}

#undef PATCH_EACH
#endif
