/* SPDX-License-Identifier: MIT
   runtime/grid/patch.c - sweeps over patches: filling of slots, the filter, the lists.
   reads   back positions, table, lists      writes  lists; sums through a visitor
   memory  a sweep and a patch on the stack   cost    that of the work
   after   own design. Lists hold doubled numbers of 16 bits: the slot of a partner if the group of
           its particle is kept, see kept.h; else its number in the half stencil of the cell, which
           the sweep along the lists looks up again */
#include "kept.h"
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

/* Gives the next slots to candidates number from .. from + count - 1 of the stencil. */
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

/* ---- the batch of pairs ---- */

/* Of groups of cells. About a third of the candidates are neighbours in 2D, and a seventh in 3D;
   where the batch has no room for the pairs, a group has fewer cells. */
#define PATCH_GROUP 80u
#define PATCH_LIMITS(dimensions)                                                             \
    ((tpi_group_limits){.cells = (dimensions) == 2 ? TPI_GROUP_CELLS : TPI_GROUP_CELLS_3D,   \
                        .particles = PATCH_GROUP,                                            \
                        .candidates = ((dimensions) == 2 ? 5u : 12u) * TPI_PATCH_PAIRS / 2u, \
                        .slots = TPI_PATCH_SLOTS})

typedef struct patch_work {
    tpi_patch_visitor visitor;
    uint32_t dimensions;
    uint32_t total;       /* candidates of the cell */
    bool fits;            /* they have slots all at once */
    bool by_lists, keeps; /* goes along the lists; fills them */
    bool is_parted;
    /* with parts: the part and the lot at hand, and the particles that only this thread writes;
       else all particles */
    tpi_run part, lot, own;
    patch_shelf shelf; /* with parts: of the part at hand */
} patch_work;

TPI_INLINE uint16_t *patch_list(const tp_world *world)
{
    return (uint16_t *)(void *)tpi_words(world, world->arrays.pair);
}

/* Lists of a part are in a range of their own. The word at its begin is the end of the lists so
   far, or PATCH_NO_LISTS if the range was too small for them. The lists of a lot follow each other.
   The word before them is their end, and the one before that is where the groups of the lot begin:
   threads may share a part when they go along its lists. */
#define PATCH_NO_LISTS 0xffffffffu
TPI_INLINE uint32_t patch_range(const tp_world *world, const patch_work *work)
{
    return (work->part.begin * world->constants.neighbours_max + 1u) & ~1u;
}
TPI_INLINE uint32_t *patch_range_end(const tp_world *world, const patch_work *work)
{
    return (uint32_t *)(void *)(patch_list(world) + patch_range(world, work));
}

/* Where the next pair of the batch goes. */
TPI_INLINE uint32_t *patch_list_end(tp_world *world, const patch_work *work)
{
    return work->is_parted ? patch_range_end(world, work) : &world->step.pair_count;
}

/* Where the memory of the lists and their groups ends. */
TPI_INLINE uint32_t patch_memory_end(const tp_world *world, const patch_work *work)
{
    return (work->is_parted ? work->part.end : world->def.particles_max) *
           world->constants.neighbours_max;
}

/* Where that of the lists ends, and that of the groups begins: see patch_shelf. */
TPI_INLINE uint32_t patch_list_capacity(const tp_world *world, const patch_work *work)
{
    const uint32_t begin = work->is_parted ? patch_range(world, work) : 0u,
                   end = patch_memory_end(world, work);
    return (begin + patch_shelf_begin(end - begin)) & ~1u;
}

/* The two words before lists that begin at entry `begin`. */
TPI_INLINE uint32_t *patch_lot_words(const tp_world *world, uint32_t begin)
{
    return (uint32_t *)(void *)(patch_list(world) + begin) - 2;
}

/* Where the list of the particle before `particle` ends, and its own begins unless it is the first
   of another lot. */
TPI_INLINE uint32_t *patch_row(const tp_world *world, const patch_work *work, uint32_t particle)
{
    uint32_t *row = tpi_words(world, world->arrays.row);
    if (TPI_UNLIKELY(work->is_parted && particle == work->lot.end))
        return patch_lot_words(world, row[work->lot.begin]) + 1;
    return row + particle;
}

/* The lists of the lot begin. */
static void patch_open_lot(const tp_world *world, const patch_work *work)
{
    uint32_t *end = patch_range_end(world, work);
    if (*end == PATCH_NO_LISTS) return;
    *end = ((*end + 1u) & ~1u) + 4u;
    if (*end > patch_list_capacity(world, work))
        *end = PATCH_NO_LISTS;
    else
        patch_lot_words(world, *end)[0] = work->shelf.count < 2u ? 0u : work->shelf.words[0];
}

/* The list of the particle begins behind the batch, and that of the one before ends there. */
TPI_INLINE void patch_mark(tp_world *world, const patch_work *work, const tpi_patch *patch,
                           uint32_t particle)
{
    if (!work->keeps) return;
    uint32_t end = *patch_list_end(world, work);
    if (TPI_UNLIKELY(work->is_parted && end == PATCH_NO_LISTS)) return;
    *patch_row(world, work, particle) = end + patch->pair_count;
}

/* The begins of the lists, if the sweep fills them. */
TPI_INLINE uint32_t *patch_rows(const tp_world *world, const patch_work *work)
{
    return work->keeps ? tpi_words(world, world->arrays.row) : NULL;
}

/* Where the next list begins, if the sweep fills them: without lists there is no such word. */
TPI_INLINE uint32_t patch_list_at(tp_world *world, const patch_work *work)
{
    return work->keeps ? *patch_list_end(world, work) : 0u;
}

/* Appends the pairs of the batch to the list; candidate number `first` is in slot 0. */
static void patch_keep(tp_world *world, const patch_work *work, const tpi_patch *patch,
                       uint32_t first)
{
    uint32_t *end = patch_list_end(world, work), capacity = patch_list_capacity(world, work);
    uint32_t count = patch->pair_count, k = 0;
    const patch_eight zero = {0}, more = zero + (uint16_t)(2u * first);
    if (TPI_UNLIKELY(*end > capacity || count > capacity - *end)) {
        if (work->is_parted) *end = PATCH_NO_LISTS;
        return;
    }
    uint16_t *list = patch_list(world) + *end;
    for (; k + 8u <= count; k += 8u) {
        patch_eight eight;
        tpi_memcpy(&eight, patch->j + k, sizeof eight);
        eight += more;
        tpi_memcpy(list + k, &eight, sizeof eight);
    }
    for (; k < count; k++) list[k] = (uint16_t)(patch->j[k] + 2u * first);
    *end += count;
}

/* Repeats the last pair. */
TPI_INLINE void patch_fill(tpi_patch *patch)
{
    uint32_t end = patch->pair_count;
    const patch_eight zero = {0}, i = zero + patch->i[end - 1u], j = zero + patch->j[end - 1u];
    for (uint32_t k = 0; k < TPI_LANES; k += 8u) {
        tpi_memcpy(patch->i + end + k, &i, sizeof i);
        tpi_memcpy(patch->j + end + k, &j, sizeof j);
    }
    tpi_lanes_store(patch->square + end, tpi_lanes_of(patch->square[end - 1u]));
}

/* Calls the visitor for the batch, whose last vector is full, and empties it. */
static void patch_visit(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch)
{
    patch->own = work->own;
    work->visitor(sweep->world, sweep->context, patch, &sweep->tally);
    patch->pair_count = patch->row_count = 0;
}

static void patch_flush(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t first)
{
    if (patch->pair_count == 0) return;
    if (work->keeps) patch_keep(sweep->world, work, patch, first);
    patch_fill(patch);
    patch_visit(sweep, work, patch);
}

TPI_INLINE void patch_end_row(tpi_patch *patch, uint32_t slot, uint32_t begin)
{
    if (patch->pair_count == begin) return;
    tpi_patch_row *row = &patch->rows[patch->row_count++];
    *row = (tpi_patch_row){(uint16_t)(2u * slot), (uint16_t)patch->pair_count};
}

/* Drops the pairs of the row of slot `own`, from number `begin` on, that exceed the neighbour limit
   of one of their particles. Second slots ascend within a row. */
static TPI_APART void patch_limit(tpi_sweep *sweep, tpi_patch *patch, uint32_t own, uint32_t begin)
{
    const float *limits = tpi_floats(sweep->world, sweep->world->arrays.limit_distance);
    const tpi_points points = tpi_points_of(sweep->world);
    const uint32_t i = tpi_patch_particle(patch, own);
    const float limit = limits[i];
    const tpi_run *run = patch->runs;
    uint32_t first = 0, kept = begin; /* slot of the run's first particle; pairs kept so far */
    for (uint32_t k = begin; k < patch->pair_count; k++) {
        uint32_t slot = patch->j[k] / 2u;
        for (; slot - first >= run->end - run->begin; run++) first += run->end - run->begin;
        uint32_t j = run->begin + (slot - first);
        float square = patch->square[k], least = tpi_min(limit, limits[j]);
        patch->j[kept] = patch->j[k];
        patch->square[kept] = square;
        /* both particles must see the same distance */
        if (TPI_UNLIKELY(points.box))
            square = tpi_distance_squared(points, i, j, tpi_dimensions(sweep->world));
        bool keeps = square < least;
        if (TPI_UNLIKELY(square == least)) keeps = tpi_sweep_keeps(sweep->world, i, j, square);
        kept += keeps;
    }
    patch->pair_count = kept;
}

/* ---- through the grid ---- */

/* Filters slots from .. to - 1 for the particle in slot `own`, whose row began at pair *begin: as
   many as the batch has room for, after a flush if there is little. Returns their number. */
static uint32_t patch_filter_some(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                                  uint32_t own, uint32_t from, uint32_t to, uint32_t first,
                                  uint32_t *begin)
{
    const tpi_lanes limit = tpi_lanes_of(sweep->world->step.radius_squared[0][0]);
    if (patch->pair_count > TPI_PATCH_PAIRS - 64u) {
        patch_end_row(patch, own, *begin);
        patch_flush(sweep, work, patch, first);
        *begin = 0;
    }
    uint32_t kept = patch->pair_count, take = tpi_min_u32(to - from, TPI_PATCH_PAIRS - kept);
    if (work->dimensions == 2)
        patch_filter(patch, own, from, from + take, limit, 2);
    else
        patch_filter(patch, own, from, from + take, limit, 3);
    while (patch->pair_count > kept && patch->j[patch->pair_count - 1u] >= 2u * (from + take))
        patch->pair_count--;
    if (TPI_UNLIKELY(sweep->world->step.capped)) patch_limit(sweep, patch, own, kept);
    return take;
}

/* Filters candidates of the particle at the cursor, which is in slot `own`: slots from .. to - 1;
   candidate number `first` is in slot 0. False if the slice has no units left before the end. */
static bool patch_slots(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t own,
                        uint32_t from, uint32_t to, uint32_t first)
{
    uint32_t begin = patch->pair_count;
    while (from < to && sweep->meter.left > 0) {
        uint32_t paid = from + ((uint32_t)sweep->meter.left + 1u) / 2u;
        uint32_t take =
            patch_filter_some(sweep, work, patch, own, from, tpi_min_u32(to, paid), first, &begin);
        from += take;
        sweep->cursor.k += take;
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
   particles from the cursor to `end`. */
TPI_INLINE bool patch_whole(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                            uint32_t end, uint32_t dimensions)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t begin = sweep->stencil.own_begin, total = work->total;
    if (cursor->k || total > TPI_PATCH_PAIRS) return false;
    const bool is_capped = sweep->world->step.capped;
    int32_t cost = patch_cost(sweep, work, cursor->i - begin, end - begin);
    if (cost > sweep->meter.left) return false;
    const tpi_lanes limit = tpi_lanes_of(sweep->world->step.radius_squared[0][0]);
    uint32_t *row = patch_rows(sweep->world, work), list = patch_list_at(sweep->world, work);
    for (uint32_t i = cursor->i; i < end; i++) {
        uint32_t own = i - begin, kept;
        if (TPI_UNLIKELY(patch->pair_count + total - own > TPI_PATCH_PAIRS)) {
            patch_flush(sweep, work, patch, 0);
            list = patch_list_at(sweep->world, work);
        }
        kept = patch->pair_count;
        if (row) row[i] = list + kept;
        patch_filter(patch, own, own + 1u, total, limit, dimensions);
        if (TPI_UNLIKELY(is_capped)) patch_limit(sweep, patch, own, kept);
        patch_end_row(patch, own, kept);
    }
    patch_mark(sweep->world, work, patch, end);
    tpi_sweep_skip(sweep, end, cost);
    return true;
}

/* ---- groups of cells ---- */

/* Gives the candidates of a group slots. */
static void patch_take_group(tpi_patch *patch, const tpi_group *group)
{
    patch_empty(patch);
    for (uint32_t r = 0; r < group->run_count; r++) patch->runs[r] = group->runs[r];
    patch->run_count = group->run_count;
    patch->slot_count = group->slots;
}

/* Appends the pairs of a group, slots and not numbers, to the lists, and keeps the group. Rows of
   the lists are marked already. */
static void patch_keep_group(tp_world *world, const patch_work *work, const tpi_patch *patch,
                             const tpi_group *group)
{
    uint32_t *end = patch_list_end(world, work), capacity = patch_list_capacity(world, work);
    if (TPI_UNLIKELY(*end > capacity || patch->pair_count + 8u > capacity - *end)) {
        if (work->is_parted) *end = PATCH_NO_LISTS;
        return;
    }
    patch_copy(patch_list(world) + *end, patch->j, patch->pair_count);
    *end += patch->pair_count;
    patch_shelf_put(&work->shelf, group);
}

/* Sweeps a group as patch_whole sweeps a cell. False if the slice does not pay for it all, or the
   batch has no room for its pairs. */
TPI_INLINE bool patch_group(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                            const tpi_group *group, uint32_t end, uint32_t dimensions)
{
    const tpi_group_cell *first = group->cells, *last = first + (group->count - 1u), *cell = first;
    const tpi_lanes limit = tpi_lanes_of(sweep->world->step.radius_squared[0][0]);
    const bool is_capped = sweep->world->step.capped;
    int32_t cost = 2 * (int32_t)(group->particles + group->candidates +
                                 group->filled * tpi_cell_units(sweep->world));
    if (last->own.end > end || !tpi_meter_pays(&sweep->meter, cost)) return false;
    patch_take_group(patch, group);
    patch_load(sweep->world, patch, dimensions);
    uint32_t *row = patch_rows(sweep->world, work), list = patch_list_at(sweep->world, work);
    for (; cell <= last; cell++)
        for (uint32_t i = cell->own.begin; i < cell->own.end; i++) {
            uint32_t own = i - first->own.begin, kept = patch->pair_count;
            tpi_run beside = {own + 1u, cell->own.begin - first->own.begin + cell->beside};
            if (row) row[i] = list + kept;
            /* the cells behind both ranges are too far from the particle */
            patch_filter_two(patch, own, beside, cell->across, limit, dimensions);
            if (TPI_UNLIKELY(is_capped)) patch_limit(sweep, patch, own, kept);
            patch_end_row(patch, own, kept);
            if (TPI_UNLIKELY(patch->pair_count > TPI_PATCH_PAIRS)) return false;
        }
    patch_mark(sweep->world, work, patch, last->own.end);
    if (patch->pair_count) {
        patch_fill(patch);
        if (work->keeps) patch_keep_group(sweep->world, work, patch, group);
        patch_visit(sweep, work, patch);
    }
    tpi_sweep_skip(sweep, last->own.end, cost);
    return true;
}

/* The same as patch_group, along the lists. */
static bool patch_listed_group(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                               const patch_kept *kept, uint32_t end)
{
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row) + kept->first,
                   own_end = kept->first + kept->particles, first = row[0],
                   count = *patch_row(sweep->world, work, own_end) - first;
    int32_t cost = 2 * (int32_t)(count + kept->particles);
    if (own_end > end || count > TPI_PATCH_PAIRS || !tpi_meter_pays(&sweep->meter, cost))
        return false;
    patch_take_kept(patch, kept);
    if (count) {
        const patch_eight two = (patch_eight){0} + 2u;
        patch_eight own = {0};
        tpi_patch_row *next = patch->rows;
        uint32_t done = 0;
        for (uint32_t n = 1; n < kept->particles; n++, own += two) {
            next = patch_own_row(patch, next, own, done, row[n] - first);
            done = row[n] - first;
        }
        next = patch_own_row(patch, next, own, done, count);
        patch_copy(patch->j, patch_list(sweep->world) + first, count);
        patch->pair_count = count;
        patch->row_count = (uint32_t)(next - patch->rows);
        patch_fill(patch);
        patch_visit(sweep, work, patch);
    }
    tpi_sweep_skip(sweep, own_end, cost);
    return true;
}

/* ---- parts and lots ---- */

/* Where the groups of the lists at hand are. `begins`: the sweep begins to go through them. */
static void patch_enter_shelf(const tp_world *world, patch_work *work, bool begins)
{
    work->shelf.count = 0;
    if (!work->keeps && !work->by_lists) return;
    const uint32_t end = patch_memory_end(world, work) / 2u,
                   begin = patch_list_capacity(world, work) / 2u;
    work->shelf = (patch_shelf){tpi_words(world, world->arrays.pair) + begin, end - begin};
    if (begins) patch_shelf_open(&work->shelf, work->keeps);
}

/* The part of the particle at the cursor, and the begin of its lists. */
static void patch_enter_part(tpi_sweep *sweep, patch_work *work)
{
    const tpi_cursor *cursor = &sweep->cursor;
    work->part = tpi_grid_part_of(sweep->world, cursor->i);
    const bool begins =
        sweep->world->step.colour == 0 && cursor->k == 0 && cursor->i == work->part.begin;
    if (begins && work->keeps)
        *patch_range_end(sweep->world, work) = patch_range(sweep->world, work) + 2u;
    patch_enter_shelf(sweep->world, work, begins);
}

/* The lot at the cursor, or the next one of the colour; false if there is none before `end`. */
static bool patch_enter_lot(tpi_sweep *sweep, patch_work *work, uint32_t end)
{
    tpi_cursor *cursor = &sweep->cursor;
    const tp_world *world = sweep->world;
    tpi_lot lot;
    for (bool is_found = false; !is_found;) {
        if (cursor->i >= end) return false;
        if (cursor->i < work->part.begin || cursor->i >= work->part.end)
            patch_enter_part(sweep, work);
        uint32_t to = tpi_min_u32(work->part.end, end);
        is_found = tpi_grid_lot(world, cursor->i, to, world->step.colour, &lot);
        uint32_t next = is_found ? lot.run.begin : to;
        if (next > cursor->i) *cursor = (tpi_cursor){.i = next, .phase = cursor->phase};
    }
    work->lot = lot.run;
    work->own = lot.is_whole ? lot.run : (tpi_run){0, 0};
    if (work->keeps && cursor->i == lot.run.begin && cursor->k == 0)
        patch_open_lot(sweep->world, work);
    return true;
}

/* The next colour begins if the pairs of this one are complete; false if there is no other. */
static bool patch_next_colour(tpi_sweep *sweep, const patch_work *work)
{
    tpi_step *step = &sweep->world->step;
    uint32_t colours = work->dimensions == 2 ? TPI_COLOURS_2D : TPI_COLOURS_3D;
    bool is_complete = sweep->cursor.i == step->count;
    for (uint32_t s = 0; s < TPI_STRETCHES_MAX; s++)
        is_complete = is_complete && step->stretches[s].end == 0;
    if (!is_complete || step->colour + 1u == colours) return false;
    step->colour++;
    sweep->cursor = (tpi_cursor){.phase = sweep->cursor.phase};
    return true;
}

/* Sweeps the particles of the stencil's cell, from the cursor up to `end`. */
TPI_INLINE void patch_cell(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch, uint32_t end,
                           uint32_t dimensions)
{
    tpi_cursor *cursor = &sweep->cursor;
    bool goes_on = true;
    patch_empty(patch);
    if (work->fits) {
        patch_take(patch, &sweep->stencil, 0, work->total);
        patch_load(sweep->world, patch, dimensions);
        goes_on = !patch_whole(sweep, work, patch, end, dimensions);
    }
    while (goes_on && cursor->i < end && sweep->meter.left > 0) {
        if (cursor->k == 0) patch_enter(sweep, work, patch, tpi_sweep_entry(sweep));
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

/* True if there may be groups: if lists are filled, those of a group need room to keep it. */
TPI_INLINE bool patch_may_keep(const patch_work *work, uint32_t dimensions)
{
    return !work->keeps || patch_shelf_has_room(&work->shelf, dimensions);
}

/* The group at the cursor, smaller each time: `limits` are those of the next one. If the slice
   could not pay for the last group, it ends without a search, where the particles left take more
   than it saves. */
TPI_INLINE bool patch_find_group(tpi_sweep *sweep, tpi_group_limits *limits, tpi_group *group,
                                 uint32_t end)
{
    if (2u * (end - sweep->cursor.i) > (uint32_t)sweep->meter.left)
        (void)tpi_meter_pays(&sweep->meter, sweep->meter.last);
    if (sweep->meter.left <= 0) return false;
    tpi_stencil_group(sweep->world, sweep->cursor.i, *limits, &sweep->stencil, group);
    limits->particles = group->particles - 1u;
    return group->count > 0;
}

TPI_INLINE void patch_grid_on(tpi_sweep *sweep, patch_work work, uint32_t end, uint32_t dimensions)
{
    tpi_stencil *stencil = &sweep->stencil;
    tpi_patch patch;
    tpi_group group;
    group.rows.entry = TPI_ENTRY_NONE;
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        tpi_group_limits limits = PATCH_LIMITS(dimensions);
        limits.candidates = tpi_min_u32(limits.candidates, (uint32_t)sweep->meter.left / 2u);
        bool is_group = sweep->cursor.k == 0 && patch_may_keep(&work, dimensions), is_done = false;
        if (!is_group) tpi_stencil_columns(sweep->world, sweep->cursor.i, stencil);
        while (is_group && !is_done && patch_find_group(sweep, &limits, &group, end))
            is_done = patch_group(sweep, &work, &patch, &group, end, dimensions);
        if (is_done || sweep->meter.left <= 0) continue;
        if (sweep->cursor.i >= stencil->own_end) {
            patch_skip_crowded(sweep, &work, &patch, tpi_min_u32(stencil->cell_end, end));
            continue;
        }
        work.total = tpi_stencil_candidates(stencil);
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

/* Number of entries of a list, in order, that are below `end`. */
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
    uint32_t begin = patch->pair_count,
             size = *patch_row(sweep->world, work, cursor->i + 1u) - row[0];
    size = patch_below(list, size, 2u * to);
    while (cursor->k <= size && sweep->meter.left > 0) {
        if (patch->pair_count == TPI_PATCH_PAIRS) {
            patch_end_row(patch, own, begin);
            patch_flush(sweep, work, patch, first);
            begin = 0;
        }
        uint32_t take = tpi_min_u32(size + 1u - cursor->k, TPI_PATCH_PAIRS - patch->pair_count);
        take = tpi_min_u32(take, ((uint32_t)sweep->meter.left + 1u) / 2u);
        patch_copy_row(patch, list + cursor->k - 1u, take, own);
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
    uint32_t size = *patch_row(sweep->world, work, cursor->i + 1u) - row[0];
    while (goes_on && cursor->k <= size) {
        uint32_t from = list[cursor->k - 1u] / 2u, end = patch_alone(sweep, patch, from);
        goes_on = patch_listed(sweep, work, patch, 0, from - 1u, from - 1u + end);
        patch_flush(sweep, work, patch, 0);
    }
    return goes_on;
}

/* The same as the general loop of patch_listed_slots, if nothing can stop it. */
static bool patch_listed_whole(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                               uint32_t begin, uint32_t end)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row);
    const uint16_t *list = patch_list(sweep->world);
    uint32_t to = *patch_row(sweep->world, work, end), count = to - row[cursor->i];
    int32_t cost = 2 * (int32_t)(count + (end - cursor->i));
    if (cursor->k || count > TPI_PATCH_PAIRS || cost > sweep->meter.left) return false;
    for (uint32_t i = cursor->i; i < end; i++) {
        uint32_t size = (i + 1u < end ? row[i + 1u] : to) - row[i], kept = patch->pair_count;
        patch_copy_row(patch, list + row[i], size, i - begin);
        patch_end_row(patch, i - begin, kept);
    }
    tpi_sweep_skip(sweep, end, cost);
    return true;
}

/* Sweeps particles whose candidates have slots, from the cursor up to `end`: particle `begin` is in
   slot 0. */
static void patch_listed_slots(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                               uint32_t begin, uint32_t end)
{
    tpi_cursor *cursor = &sweep->cursor;
    bool goes_on = !patch_listed_whole(sweep, work, patch, begin, end);
    while (goes_on && cursor->i < end && sweep->meter.left > 0) {
        if (cursor->k == 0) patch_enter(sweep, work, patch, 2);
        goes_on = patch_listed(sweep, work, patch, cursor->i - begin, 0, TPI_PATCH_SLOTS);
        if (goes_on) patch_next(sweep, work, patch);
    }
    patch_flush(sweep, work, patch, 0);
}

/* The same for a cell whose candidates have no slots yet. */
static void patch_listed_cell(tpi_sweep *sweep, const patch_work *work, tpi_patch *patch,
                              uint32_t end)
{
    tpi_cursor *cursor = &sweep->cursor;
    const uint32_t total = tpi_stencil_candidates(&sweep->stencil);
    bool goes_on = true;
    patch_empty(patch);
    if (total <= TPI_PATCH_SLOTS) {
        patch_take(patch, &sweep->stencil, 0, total);
        patch_listed_slots(sweep, work, patch, sweep->stencil.own_begin, end);
        return;
    }
    while (goes_on && cursor->i < end && sweep->meter.left > 0) {
        if (cursor->k == 0) patch_enter(sweep, work, patch, 2);
        goes_on = patch_listed_pieces(sweep, work, patch);
        if (goes_on) patch_next(sweep, work, patch);
    }
}

static TPI_APART void patch_lists_on(tpi_sweep *sweep, patch_work work, uint32_t end)
{
    const uint32_t *row = tpi_words(sweep->world, sweep->world->arrays.row);
    tpi_cursor *cursor = &sweep->cursor;
    tpi_stencil *stencil = &sweep->stencil;
    tpi_patch patch;
    const bool has_next = !work.is_parted && work.shelf.count >= 2u;
    uint32_t next = has_next ? work.shelf.words[1] : 0u;
    if (work.is_parted) next = patch_lot_words(sweep->world, row[work.lot.begin])[0];
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        const patch_kept *kept = patch_shelf_find(&work.shelf, &next, cursor->i, work.lot.begin);
        if (kept) {
            if (cursor->i == kept->first && cursor->k == 0 &&
                patch_listed_group(sweep, &work, &patch, kept, end))
                continue;
            if (sweep->meter.left <= 0) continue;
            patch_take_kept(&patch, kept);
            patch_listed_slots(sweep, &work, &patch, kept->first,
                               tpi_min_u32(kept->first + kept->particles, end));
        } else if (row[cursor->i] == *patch_row(sweep->world, &work, cursor->i + 1u)) {
            /* no partners: no stencil is needed */
            patch_enter(sweep, &work, &patch, 2);
            patch_next(sweep, &work, &patch);
        } else {
            tpi_stencil_columns(sweep->world, cursor->i, stencil);
            patch_listed_cell(sweep, &work, &patch, tpi_min_u32(stencil->cell_end, end));
        }
    }
    if (has_next) work.shelf.words[1] = next;
}

/* Lot by lot if there are parts. Lots of a part without lists, because they would not fit, are
   swept through the grid. */
static void patch_on(tpi_sweep *sweep, uint32_t end)
{
    patch_work work = *(const patch_work *)sweep->work;
    while (sweep->cursor.i < end && sweep->meter.left > 0) {
        if (work.is_parted && !patch_enter_lot(sweep, &work, end)) return;
        uint32_t to = tpi_min_u32(end, work.lot.end);
        bool has_lists = work.by_lists && (!work.is_parted ||
                                           *patch_range_end(sweep->world, &work) != PATCH_NO_LISTS);
        if (has_lists)
            patch_lists_on(sweep, work, to);
        else if (work.dimensions == 2)
            patch_grid_2d(sweep, work, to);
        else
            patch_grid_3d(sweep, work, to);
    }
}

uint32_t tpi_patch_slice(tp_world *world, const tp_jobs *jobs, uint32_t units, const void *context,
                         tpi_sweep_kind kind, tpi_patch_visitor visitor, bool *done)
{
    tpi_sweep sweep;
    patch_work work = {.visitor = visitor,
                       .dimensions = kind.dimensions,
                       .by_lists = kind.by_lists,
                       .lot = {0, world->step.count},
                       .own = {0, UINT32_MAX}};
    tpi_sweep_begin(&sweep, world, units, context);
    work.keeps = kind.fills_lists && world->constants.list_capacity;
    work.is_parted = sweep.is_parted = sweep.by_lots = TIDEPOOL_JOBS && world->step.by_parts;
    sweep.fills_lists = work.keeps;
    sweep.work = &work;
    if (!work.is_parted)
        patch_enter_shelf(world, &work, sweep.cursor.i == 0 && sweep.cursor.k == 0);
    do {
        if (work.is_parted) tpi_sweep_team(&sweep, jobs, patch_on);
        patch_on(&sweep, world->step.count);
    } while (work.is_parted && patch_next_colour(&sweep, &work) && sweep.meter.left > 0);
    uint32_t used = tpi_sweep_end(&sweep, units, done);
    if (*done) world->step.colour = 0;
    return used;
}

#undef PATCH_NO_LISTS
#undef PATCH_GROUP
#undef PATCH_LIMITS
#endif
