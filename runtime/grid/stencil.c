/* SPDX-License-Identifier: MIT
   runtime/grid/stencil.c - stencils: the candidates of a cell as runs of particle indices.
   reads   back positions, table      writes  the stencil
   memory  none of its own
   cost    per cell: up to 9 rows of 3 cells, each one or two runs
   after   own design: a row of cells inside a block is one run; the blocks around a block are
           looked up once for all its cells */
#include "grid_lanes.h"

/* Special values of a block's first entry. */
#define STENCIL_UNKNOWN 0xffffffffu /* not looked up yet */
#define STENCIL_EMPTY   0xfffffffeu
/* flag: the bucket is shared with other blocks, so cells must be compared one by one */
#define STENCIL_SHARED 0x80000000u

static bool stencil_is_shared(uint32_t first)
{
    return first >= STENCIL_SHARED && first < STENCIL_EMPTY;
}

/* Compares the cell of a particle in a shared entry with `cell`: -1 before, 0 equal, 1 after. The
   first comparisons decide most cases. */
static int32_t stencil_compare(const tp_world *world, uint32_t index, tpi_cell cell)
{
    uint32_t level = tpi_grid_level_of(world, index);
    if (level != cell.level) return level < cell.level ? -1 : 1;
    for (uint32_t axis = tpi_dimensions(world); axis-- > 0;) {
        uint32_t at = tpi_grid_coordinate(world, axis, tpi_back_x(world, axis)[index]);
        if (level > 0) at = tpi_level_coordinate(&world->constants.levels, level, axis, at);
        if (at != cell.at[axis]) return at < cell.at[axis] ? -1 : 1;
    }
    return 0;
}

/* Binary search in a shared entry, which is sorted by cell: the first particle not in a cell before
   `cell`; with is_behind, the first one after `cell`. */
static uint32_t stencil_bound(const tp_world *world, tpi_run run, tpi_cell cell, bool is_behind)
{
    while (run.begin < run.end) {
        uint32_t middle = run.begin + (run.end - run.begin) / 2u;
        if (stencil_compare(world, middle, cell) < (is_behind ? 1 : 0))
            run.begin = middle + 1u;
        else
            run.end = middle;
    }
    return run.begin;
}

/* All particles of a cell in a shared bucket. Most entries have particles of one cell only: the
   first and the last one tell. */
static tpi_run stencil_find(const tp_world *world, tpi_cell cell, uint32_t entry)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    tpi_run run = {start[entry], start[entry + 1u]};
    if (run.begin == run.end) return run;
    int32_t first = stencil_compare(world, run.begin, cell),
            last = stencil_compare(world, run.end - 1u, cell);
    if (first > 0 || last < 0) return (tpi_run){run.begin, run.begin};
    if (first < 0) run.begin = stencil_bound(world, run, cell, false);
    if (last > 0) run.end = stencil_bound(world, run, cell, true);
    return run;
}

static uint32_t stencil_look_up(const tp_world *world, tpi_cell cell)
{
    tpi_entry entry = tpi_grid_entry(world, cell);
    uint64_t owner = tpi_grid_owners(world)[entry.bucket];
    uint32_t first = tpi_grid_first(&world->grid, entry.bucket, cell.level);
    if (tpi_owner_is_mixed(owner)) return first | STENCIL_SHARED;
    return owner == entry.block ? first : STENCIL_EMPTY;
}

/* The blocks around a cell's block, at its level. */
static tpi_surroundings *stencil_around(const tp_world *world, tpi_cell cell, tpi_stencil *stencil)
{
    tpi_surroundings *around = &stencil->around[TPI_LEVELS_AT_ONCE > 1u ? cell.level : 0];
    tpi_cell block = tpi_grid_block(world, cell);
    if (TPI_UNLIKELY(!stencil->is_known)) stencil->entry = TPI_ENTRY_NONE;
    if (TPI_UNLIKELY(!stencil->is_known))
        for (uint32_t k = 0; k < TPI_LEVELS_AT_ONCE; k++) /* no block has this name */
            stencil->around[k].block = (tpi_cell){{0xffffffffu, 0, 0}, 0};
    stencil->is_known = true;
    if (tpi_cell_pack(block) != tpi_cell_pack(around->block)) {
        around->block = block;
        for (uint32_t k = 0; k < 27; k++) around->first[k] = STENCIL_UNKNOWN;
    }
    return around;
}

/* First entry of a cell's block: the last block or a neighbour of it, which are cached; else a
   block across the box. */
TPI_INLINE uint32_t stencil_first(const tp_world *world, tpi_surroundings *around, uint32_t x,
                                  uint32_t y, uint32_t z)
{
    const uint32_t *shift = world->grid.shift, *own = around->block.at;
    uint32_t beside_x = (x >> shift[0]) - own[0] + 1u, beside_y = (y >> shift[1]) - own[1] + 1u;
    uint32_t beside_z = (z >> shift[2]) - own[2] + 1u;
    bool is_beside = beside_x <= 2u && beside_y <= 2u && beside_z <= 2u;
    if (TPI_UNLIKELY(!is_beside))
        return stencil_look_up(world, (tpi_cell){{x, y, z}, around->block.level});
    uint32_t *first = &around->first[beside_x + 3u * beside_y + 9u * beside_z];
    if (TPI_UNLIKELY(*first == STENCIL_UNKNOWN)) {
        *first = stencil_look_up(world, (tpi_cell){{x, y, z}, around->block.level});
        if (world->grid.bucket_count > 1u &&
            *first < STENCIL_SHARED) { /* the other rows of the block are needed soon */
            const uint32_t *start = tpi_words(world, world->arrays.start) + *first;
            for (uint32_t k = 0; k <= 64u; k += 16u) TPI_PREFETCH(start + k);
        }
    }
    return *first;
}

/* Adds a run, merged with the previous one if they touch and have the same level. */
static void stencil_add_run(tpi_stencil *stencil, tpi_run run)
{
    uint32_t count = stencil->run_count;
    if (run.begin == run.end) return;
    if (count > stencil->level_begin && stencil->runs[count - 1u].end == run.begin)
        stencil->runs[count - 1u].end = run.end;
    else
        stencil->runs[stencil->run_count++] = run;
}

/* Adds cells of one row of one block; `entry` is the first one's. One run, unless a cell may exceed
   cell_max. */
static void stencil_add_cells(const tp_world *world, tpi_stencil *stencil, uint32_t entry,
                              uint32_t cells)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    tpi_run run = {start[entry], start[entry + cells]};
    if (TPI_LIKELY(run.end - run.begin <= world->constants.cell_max)) {
        stencil_add_run(stencil, run);
        return;
    }
    for (; cells > 0; cells--, entry++) {
        run = (tpi_run){start[entry],
                        tpi_min_u32(start[entry + 1u], start[entry] + world->constants.cell_max)};
        stencil_add_run(stencil, run);
    }
}

/* The same if the block shares its bucket. */
static void stencil_add_shared(const tp_world *world, tpi_stencil *stencil, tpi_cell cell,
                               uint32_t entry, uint32_t cells, uint32_t column)
{
    const uint32_t *start = tpi_words(world, world->arrays.start) + entry;
    if (start[0] == start[cells]) return;
    for (; cells > 0; cells--, cell.at[0]++, column++, entry++) {
        tpi_run run = stencil_find(world, cell, entry);
        run.end = tpi_min_u32(run.end, run.begin + world->constants.cell_max);
        stencil_add_run(stencil, run);
    }
}

/* Adds `cells` cells in a row from (x, y, z) on, of the level of `around`. In a box they may lie
   beyond its sides. */
static void stencil_add_row(const tp_world *world, tpi_stencil *stencil, tpi_surroundings *around,
                            uint32_t x, uint32_t y, uint32_t z, uint32_t cells)
{
    const uint32_t *in_box = world->constants.levels.cells[around->block.level];
    uint32_t mask = (1u << world->grid.shift[0]) - 1u, column = 0;
    bool is_periodic = world->constants.box.is_periodic;
    if (TPI_UNLIKELY(is_periodic)) {
        x = tpi_box_wrap_cell(in_box[0], x);
        y = tpi_box_wrap_cell(in_box[1], y);
        z = tpi_box_wrap_cell(in_box[2], z);
    }
    while (cells > 0) {
        uint32_t take = tpi_min_u32(cells, mask + 1u - (x & mask));
        if (TPI_UNLIKELY(is_periodic) && in_box[0])
            take = tpi_min_u32(take, 65536u + in_box[0] - x);
        uint32_t first = stencil_first(world, around, x, y, z),
                 entry = first + tpi_grid_inside(world, x, y, z);
        if (TPI_UNLIKELY(stencil_is_shared(first)))
            stencil_add_shared(world, stencil, (tpi_cell){{x, y, z}, around->block.level},
                               entry & ~STENCIL_SHARED, take, column);
        if (first < STENCIL_SHARED) { stencil_add_cells(world, stencil, entry, take); }
        cells -= take;
        column += take;
        x += take;
        if (TPI_UNLIKELY(is_periodic)) x = tpi_box_wrap_cell(in_box[0], x);
    }
}

static void stencil_add_neighbour_row(const tp_world *world, tpi_stencil *stencil, tpi_cell cell,
                                      int32_t dy, int32_t dz, uint32_t cells)
{
    stencil_add_row(world, stencil, stencil_around(world, cell, stencil), cell.at[0] - 1u,
                    cell.at[1] + (uint32_t)dy, cell.at[2] + (uint32_t)dz, cells);
}

/* The axes along which minimum images across a side are possible. Away from the sides, in a box of
   at least five cells, every neighbour is within two fifths of the box, so no image is closer. */
static uint32_t stencil_wrapped(const tp_world *world, tpi_cell cell)
{
    const uint32_t *in_box = world->constants.levels.cells[cell.level];
    uint32_t wrapped = 0;
    for (uint32_t axis = 0; world->constants.box.is_periodic && axis < 3; axis++) {
        uint32_t at = cell.at[axis] - 65536u;
        bool is_wrapped = in_box[axis] && (in_box[axis] < 5u || at == 0 || at + 1u == in_box[axis]);
        wrapped |= (uint32_t)is_wrapped << axis;
    }
    return wrapped;
}

/* Begins a stencil of a cell whose particles are `own`. */
TPI_INLINE void stencil_begin(const tp_world *world, tpi_cell cell, tpi_run own,
                              tpi_stencil *stencil)
{
    stencil->own_begin = own.begin;
    stencil->cell_end = own.end;
    stencil->own_end = tpi_min_u32(own.end, own.begin + world->constants.cell_max);
    stencil->run_count = stencil->level_begin = 0;
    stencil->level = cell.level;
    stencil->levels_met = 1;
    stencil->rows = 0;
    stencil->part = 0;
    stencil->part_level = cell.level;
    stencil->wrapped = stencil_wrapped(world, cell);
}

/* Begins a stencil: the cell of a particle, the run of that cell, and the blocks around it. */
static tpi_cell stencil_enter(const tp_world *world, uint32_t index, tpi_stencil *stencil)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    tpi_cell cell = tpi_grid_cell_of(world, index);
    tpi_surroundings *around = stencil_around(world, cell, stencil);
    uint32_t x = cell.at[0], y = cell.at[1], z = cell.at[2],
             first = stencil_first(world, around, x, y, z);
    uint32_t entry = first + tpi_grid_inside(world, x, y, z);
    bool is_shared = stencil_is_shared(first);
    tpi_run own = is_shared ? stencil_find(world, cell, entry & ~STENCIL_SHARED)
                            : (tpi_run){start[entry], start[entry + 1u]};
    bool walks = !is_shared && world->grid.bucket_count > 1u &&
                 world->constants.levels.count == 1u && !world->constants.box.is_periodic;
    stencil->entry = walks ? entry : TPI_ENTRY_NONE;
    stencil_begin(world, cell, own, stencil);
    return cell;
}

/* Begins a stencil in the block of the last one: entries of a block are in the order of their
   particles. False if the particle is in another block. */
TPI_INLINE bool stencil_walk(const tp_world *world, uint32_t index, tpi_stencil *stencil,
                             tpi_cell *cell)
{
    const uint32_t *start = tpi_words(world, world->arrays.start), *shift = world->grid.shift;
    const uint32_t *block = stencil->around[0].block.at;
    if (!stencil->is_known || stencil->entry == TPI_ENTRY_NONE) return false;
    uint32_t entry = stencil->entry, mask = (1u << world->grid.cells_shift) - 1u;
    if (start[entry] > index) return false;
    for (; start[entry + 1u] <= index; entry++)
        if ((entry & mask) == mask) return false;
    uint32_t inside = entry & mask;
    cell->at[0] = block[0] << shift[0] | (inside & ((1u << shift[0]) - 1u));
    cell->at[1] = block[1] << shift[1] | (inside >> shift[0] & ((1u << shift[1]) - 1u));
    cell->at[2] = block[2] << shift[2] | inside >> (shift[0] + shift[1]);
    cell->level = 0;
    stencil->entry = entry;
    stencil_begin(world, *cell, (tpi_run){start[entry], start[entry + 1u]}, stencil);
    return true;
}

/* ---- cells of other levels ---- */

/* A range of finest cells along each axis. */
typedef struct stencil_extent {
    uint32_t low[3], high[3];
} stencil_extent;

/* A range of cells of a level from `low` on; it may extend beyond the sides of a box. */
typedef struct stencil_range {
    uint32_t low[3], count[3];
    bool is_wrapped;
} stencil_range;

static stencil_extent stencil_extent_of(const tp_world *world, tpi_cell cell)
{
    const tpi_levels *levels = &world->constants.levels;
    const uint32_t *width = levels->width[cell.level], *in_box = levels->cells[cell.level];
    stencil_extent extent = {{65536, 65536, 65536}, {65536, 65536, 65536}};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        int32_t low = (int32_t)(cell.at[axis] * width[axis]) - 65536 * ((int32_t)width[axis] - 1);
        extent.high[axis] = (uint32_t)(low + (int32_t)width[axis] - 1);
        extent.low[axis] = low > 0 ? (uint32_t)low : 0; /* no cell has a coordinate below 1 */
        if (in_box[axis] && cell.at[axis] == 65535u + in_box[axis])
            extent.high[axis] = 65535u + levels->cells[0][axis];
    }
    return extent;
}

/* The range along an axis of a box that covers finest cells low - apart .. high + apart; no cell
   twice. */
static void stencil_range_in_box(const tpi_levels *levels, uint32_t level, uint32_t axis,
                                 uint32_t low, uint32_t high, uint32_t apart, stencil_range *range)
{
    uint32_t finest = levels->cells[0][axis], cells = levels->cells[level][axis];
    uint32_t span = high - low + 1u + 2u * apart, end = 65536u + finest;
    if (low - apart >= 65536u && high + apart < end) {
        range->low[axis] = tpi_level_coordinate(levels, level, axis, low - apart);
        range->count[axis] =
            tpi_level_coordinate(levels, level, axis, high + apart) - range->low[axis] + 1u;
        return;
    }
    range->is_wrapped = true;
    range->low[axis] = 65536u;
    range->count[axis] = cells;
    if (span >= finest) return;
    low = tpi_level_coordinate(levels, level, axis, tpi_box_wrap_cell(finest, low - apart));
    high = tpi_level_coordinate(levels, level, axis, tpi_box_wrap_cell(finest, high + apart));
    range->low[axis] = low;
    range->count[axis] = tpi_min_u32(cells, high + cells - low + 1u); /* the range crosses a side */
}

/* The cells of `level` that may hold partners of particles of level `of` in the extent. */
static stencil_range stencil_range_of(const tp_world *world, uint32_t level, uint32_t of,
                                      const stencil_extent *extent)
{
    const tpi_levels *levels = &world->constants.levels;
    uint32_t apart = levels->apart[of][level];
    stencil_range range = {{65536, 65536, 65536}, {1, 1, 1}, false};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        uint32_t low = extent->low[axis], high = extent->high[axis];
        if (levels->cells[0][axis]) {
            stencil_range_in_box(levels, level, axis, low, high, apart, &range);
            continue;
        }
        /* particles beyond the limit are in the outermost cells */
        low = low > apart ? low - apart : 0;
        high = tpi_min_u32(high + apart, 65536u + TPI_CELL_LIMIT);
        range.low[axis] = tpi_level_coordinate(levels, level, axis, low);
        range.count[axis] = tpi_level_coordinate(levels, level, axis, high) - range.low[axis] + 1u;
    }
    return range;
}

/* Adds at most `most` cells along x of a row of the range, from cell number `first` on; the blocks
   around `centre` are cached. */
static void stencil_add_range_row(const tp_world *world, tpi_stencil *stencil, tpi_cell centre,
                                  const stencil_range *range, uint32_t row, uint32_t first,
                                  uint32_t most)
{
    uint32_t y = range->low[1] + row % range->count[1], z = range->low[2] + row / range->count[1];
    stencil_add_row(world, stencil, stencil_around(world, centre, stencil), range->low[0] + first,
                    y, z, tpi_min_u32(range->count[0] - first, most));
}

/* Adds the cells of a coarser level that may hold partners: `rows` of their rows from number
   `first` on. */
static void stencil_add_level(const tp_world *world, tpi_stencil *stencil,
                              const stencil_extent *extent, const stencil_range *range,
                              uint32_t level, uint32_t first, uint32_t rows)
{
    tpi_cell low = {{extent->low[0], extent->low[1], extent->low[2]}, 0};
    tpi_cell centre = tpi_level_cell(world, low, level);
    stencil->level_begin = stencil->run_count;
    for (uint32_t row = first; row < first + rows; row++)
        stencil_add_range_row(world, stencil, centre, range, row, 0, range->count[0]);
    stencil->level_end[level] = stencil->run_count;
}

static void stencil_add_levels(const tp_world *world, tpi_cell cell, tpi_stencil *stencil)
{
    stencil_extent extent = stencil_extent_of(world, cell);
    for (uint32_t level = cell.level + 1u; level < world->constants.levels.count; level++) {
        stencil_range range = stencil_range_of(world, level, cell.level, &extent);
        if (range.is_wrapped) stencil->wrapped = 7u;
        stencil->levels_met++;
        stencil->layers[level] = range.count[2];
        if (TPI_LEVELS_AT_ONCE == 1u) continue;
        uint32_t rows = range.count[1] * range.count[2];
        stencil->rows += rows + 2u * range.count[2];
        stencil_add_level(world, stencil, &extent, &range, level, 0, rows);
    }
}

/* True if cells of a block can be added at once: it was looked up, and shares no bucket. */
TPI_INLINE bool stencil_is_plain(uint32_t first)
{
    return first < STENCIL_SHARED || first == STENCIL_EMPTY;
}

/* Adds cells of one row of a plain block, from number `inside` of the block on. */
TPI_INLINE void stencil_add_plain(const tp_world *world, tpi_stencil *stencil, uint32_t first,
                                  uint32_t inside, uint32_t cells)
{
    if (first != STENCIL_EMPTY) stencil_add_cells(world, stencil, first + inside, cells);
}

/* Three cells of a row beside the cell; fast if their blocks are plain. */
TPI_INLINE void stencil_add_beside(const tp_world *world, tpi_stencil *stencil, tpi_cell cell,
                                   int32_t dy, int32_t dz)
{
    const uint32_t *shift = world->grid.shift;
    const tpi_surroundings *around = &stencil->around[0];
    uint32_t y = cell.at[1] + (uint32_t)dy, z = cell.at[2] + (uint32_t)dz,
             mask = (1u << shift[0]) - 1u, column = cell.at[0] & mask;
    uint32_t beside_y = (y >> shift[1]) - around->block.at[1] + 1u,
             beside_z = (z >> shift[2]) - around->block.at[2] + 1u;
    const uint32_t *first = &around->first[3u * beside_y + 9u * beside_z];
    uint32_t inside = tpi_grid_inside(world, column, y, z);
    if (column - 1u < mask - 1u && stencil_is_plain(first[1])) {
        stencil_add_plain(world, stencil, first[1], inside - 1u, 3u);
    } else if (column == 0 && stencil_is_plain(first[0]) && stencil_is_plain(first[1])) {
        stencil_add_plain(world, stencil, first[0], inside + mask, 1u);
        stencil_add_plain(world, stencil, first[1], inside, 2u);
    } else if (column == mask && stencil_is_plain(first[1]) && stencil_is_plain(first[2])) {
        stencil_add_plain(world, stencil, first[1], inside - 1u, 2u);
        stencil_add_plain(world, stencil, first[2], inside - mask, 1u);
    } else {
        stencil_add_neighbour_row(world, stencil, cell, dy, dz, 3u);
    }
}

/* The half stencil of a cell in the block of the last one; the same runs as from tpi_stencil_half,
   because a cursor counts in them. */
static void stencil_half_walked(const tp_world *world, tpi_cell cell, tpi_stencil *stencil)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    uint32_t mask = (1u << world->grid.shift[0]) - 1u;
    tpi_run own = {stencil->own_begin, start[stencil->entry + 2u]};
    if ((cell.at[0] & mask) != mask && own.end - own.begin <= world->constants.cell_max) {
        stencil->runs[stencil->run_count++] = own;
    } else {
        stencil->runs[stencil->run_count++] = (tpi_run){own.begin, stencil->own_end};
        stencil_add_row(world, stencil, &stencil->around[0], cell.at[0] + 1u, cell.at[1],
                        cell.at[2], 1u);
    }
    stencil_add_beside(world, stencil, cell, 1, 0);
    if (tpi_dimensions(world) == 3)
        for (int32_t dy = -1; dy <= 1; dy++) stencil_add_beside(world, stencil, cell, dy, 1);
    stencil->level_end[0] = stencil->run_count;
}

/* The half stencil of a cell that is not in the block of the last one. */
static void stencil_half_entered(const tp_world *world, uint32_t index, tpi_stencil *stencil)
{
    tpi_cell cell = stencil_enter(world, index, stencil);
    stencil->runs[stencil->run_count++] = (tpi_run){stencil->own_begin, stencil->own_end};
    stencil_add_row(world, stencil, stencil_around(world, cell, stencil), cell.at[0] + 1u,
                    cell.at[1], cell.at[2], 1u);
    stencil_add_neighbour_row(world, stencil, cell, 1, 0, 3u);
    if (tpi_dimensions(world) == 3)
        for (int32_t dy = -1; dy <= 1; dy++)
            stencil_add_neighbour_row(world, stencil, cell, dy, 1, 3u);
    stencil->level_end[cell.level] = stencil->run_count;
    if (TPI_UNLIKELY(cell.level + 1u < world->constants.levels.count))
        stencil_add_levels(world, cell, stencil);
}

void tpi_stencil_half(const tp_world *world, uint32_t index, tpi_stencil *stencil)
{
    tpi_cell cell;
    if (stencil_walk(world, index, stencil, &cell))
        stencil_half_walked(world, cell, stencil);
    else
        stencil_half_entered(world, index, stencil);
}

/* ---- columns and groups ---- */

/* Rows of a half stencil, relative to the cell's own; in 2D the first two. */
static const uint32_t stencil_rows_of[5][2] = {{0, 0}, {1, 0}, {~0u, 1}, {0, 1}, {1, 1}};

/* Adds the runs of a cell that has been entered or walked to. 3D. */
static void stencil_add_columns(const tp_world *world, tpi_cell cell, tpi_stencil *stencil)
{
    tpi_surroundings *around = stencil_around(world, cell, stencil);
    const uint32_t x = cell.at[0], y = cell.at[1], z = cell.at[2];
    stencil->runs[stencil->run_count++] = (tpi_run){stencil->own_begin, stencil->own_end};
    stencil_add_row(world, stencil, around, x + 1u, y, z, 1u);
    for (uint32_t column = x - 1u; column <= x + 1u; column++)
        for (uint32_t r = 1; r < 5u; r++)
            stencil_add_row(world, stencil, around, column, y + stencil_rows_of[r][0],
                            z + stencil_rows_of[r][1], 1u);
    stencil->level_end[cell.level] = stencil->run_count;
}

void tpi_stencil_columns(const tp_world *world, uint32_t index, tpi_stencil *stencil)
{
    tpi_cell cell;
    if (tpi_dimensions(world) == 2) {
        tpi_stencil_half(world, index, stencil);
        return;
    }
    if (!stencil_walk(world, index, stencil, &cell)) cell = stencil_enter(world, index, stencil);
    stencil_add_columns(world, cell, stencil);
}

/* What an empty block has instead of a row of entries. */
static const uint32_t stencil_none[TPI_BLOCK_WIDTH + 1u] = {0};

/* The entries of a row of a plain block from number `inside` on. */
TPI_INLINE const uint32_t *stencil_find_row(const uint32_t *start, uint32_t first, uint32_t inside,
                                            tpi_group_rows *rows)
{
    if (TPI_LIKELY(first < STENCIL_SHARED)) return start + first + inside;
    rows->is_plain = rows->is_plain && first == STENCIL_EMPTY;
    return stencil_none;
}

/* The particles of eight cells, and, unless it is their own row, their numbers added to `sizes`. */
TPI_INLINE void stencil_copy_cells(const uint32_t *start, tpi_run *cells, uint32_t *sizes,
                                   bool adds)
{
    for (uint32_t c = 0; c < 8; c++) tpi_memcpy(cells + c, start + c, sizeof *cells);
    for (uint32_t c = 0; adds && c < 8; c++) sizes[c] += start[c + 1u] - start[c];
}

/* Looks the blocks up that hold the row of a cell's neighbours. */
TPI_INLINE void stencil_find_rows(const tp_world *world, tpi_stencil *stencil, tpi_cell cell,
                                  tpi_group_rows *rows, uint32_t across)
{
    tpi_surroundings *around = &stencil->around[0];
    const uint32_t *shift = world->grid.shift, *block = around->block.at,
                   *start = tpi_words(world, world->arrays.start);
    const uint32_t width = 1u << shift[0], last = width - 1u;
    rows->entry = stencil->entry & ~last;
    rows->is_plain = true;
    for (uint32_t c = 0; c < width + 2u; c++) rows->sizes[c] = 0;
    for (uint32_t r = 0; r <= across; r++) {
        uint32_t y = cell.at[1] + stencil_rows_of[r][0], z = cell.at[2] + stencil_rows_of[r][1];
        uint32_t inside = tpi_grid_inside(world, 0, y, z);
        const uint32_t *first = &around->first[3u * ((y >> shift[1]) - block[1] + 1u) +
                                               9u * ((z >> shift[2]) - block[2] + 1u)];
        for (uint32_t side = 0; side < 3; side++)
            if (TPI_UNLIKELY(first[side] == STENCIL_UNKNOWN))
                (void)stencil_first(world, around, (block[0] + side - 1u) << shift[0], y, z);
        const uint32_t *before = stencil_find_row(start, first[0], inside + last, rows),
                       *here = stencil_find_row(start, first[1], inside, rows),
                       *behind = stencil_find_row(start, first[2], inside, rows);
        tpi_run *cells = rows->cells[r];
        for (uint32_t c = 0; c < width; c += 8u)
            stencil_copy_cells(here + c, cells + 1u + c, rows->sizes + 1u + c, r > 0);
        cells[0] = (tpi_run){before[0], before[1]};
        cells[1u + width] = (tpi_run){behind[0], behind[1]};
        if (r == 0) continue;
        rows->sizes[0] += before[1] - before[0];
        rows->sizes[1u + width] += behind[1] - behind[0];
    }
}

/* Adds cell after cell up to the limits. Columns count from the one before the block. */
TPI_INLINE void stencil_group_fill(tpi_group *group, uint32_t column, uint32_t width,
                                   uint32_t cell_max, tpi_group_limits limits)
{
    const uint32_t *sizes = group->rows.sizes + column;
    const tpi_run *cells = group->rows.cells[0] + column;
    const uint32_t count_max = tpi_min_u32(limits.cells, width + 1u - column);
    /* the particles left in the row of the block, in equal shares */
    const uint32_t left = cells[width - column].end - cells[0].begin,
                   most = tpi_max_u32(limits.particles, 1u), shares = (left + most - 1u) / most,
                   share = left / tpi_max_u32(shares, 1u);
    uint32_t before = sizes[-1], here = sizes[0], largest = tpi_max_u32(before, here);
    uint32_t particles = 0, candidates = 0, filled = 0, placed = 0, k = 0;
    uint32_t count = cells[0].end - cells[0].begin, row = count, slots = count + before + here;
    for (; k < count_max; k++) {
        const uint32_t after = sizes[k + 1u], sides = before + here + after,
                       more = cells[k + 1u].end - cells[k + 1u].begin, beside = count + more;
        /* each particle has the candidates behind it */
        const uint32_t sum = candidates + count * (beside + sides) - count * (count + 1u) / 2u;
        largest = tpi_max_u32(largest, tpi_max_u32(beside, after)); /* of a cell: at most */
        if (particles >= share || particles + count > limits.particles || sum > limits.candidates ||
            slots + more + after > limits.slots || largest > cell_max)
            break;
        group->cells[k] = (tpi_group_cell){cells[k], beside, {placed, placed + sides}};
        candidates = sum;
        particles += count;
        filled += count > 0;
        slots += more + after;
        row += more;
        placed += before;
        before = here;
        here = after;
        count = more;
    }
    group->count = k;
    group->filled = filled;
    group->particles = particles;
    group->candidates = candidates;
    group->beside = row;
    group->slots = slots;
}

/* Adds a run to those of a group. Runs in 2D may touch: they become one. */
TPI_INLINE void stencil_group_run(tpi_group *group, tpi_run run, bool merges)
{
    if (merges && group->runs[group->run_count - 1u].end == run.begin) {
        group->runs[group->run_count - 1u].end = run.end;
        return;
    }
    group->runs[group->run_count] = run;
    group->run_count += run.begin != run.end;
}

/* Adds columns from .. to of the one row across in 2D: those of the block are one run. */
TPI_INLINE void stencil_group_across(tpi_group *group, uint32_t from, uint32_t to, uint32_t width)
{
    const tpi_run *cells = group->rows.cells[1];
    const uint32_t first = from + (from == 0), last = to - (to > width);
    if (from == 0) stencil_group_run(group, cells[0], true);
    stencil_group_run(group, (tpi_run){cells[first].begin, cells[last].end}, true);
    if (to > width) stencil_group_run(group, cells[to], true);
}

/* Gives the candidates slots. */
TPI_INLINE void stencil_group_place(tpi_group *group, uint32_t across, uint32_t column,
                                    uint32_t width)
{
    const tpi_group_cell *last = &group->cells[group->count - 1u];
    const uint32_t end = column + group->count;
    group->runs[0] = (tpi_run){group->cells[0].own.begin, last->own.end};
    group->run_count = 1;
    stencil_group_run(group, group->rows.cells[0][end], true);
    if (across == 1u) stencil_group_across(group, column - 1u, end, width);
    for (uint32_t c = column - 1u; across > 1u && c <= end; c++)
        for (uint32_t r = 1; r <= across; r++)
            stencil_group_run(group, group->rows.cells[r][c], false);
    for (uint32_t k = 0; k < group->count; k++) {
        group->cells[k].across.begin += group->beside;
        group->cells[k].across.end += group->beside;
    }
}

/* True if there is a group. */
TPI_INLINE bool stencil_group(const tp_world *world, tpi_stencil *stencil, tpi_cell cell,
                              uint32_t across, tpi_group_limits limits, tpi_group *group)
{
    const uint32_t width = 1u << world->grid.shift[0], column = 1u + (cell.at[0] & (width - 1u));
    if ((stencil->entry ^ group->rows.entry) >> world->grid.shift[0])
        stencil_find_rows(world, stencil, cell, &group->rows, across);
    if (!group->rows.is_plain) return false;
    stencil_group_fill(group, column, width, world->constants.cell_max, limits);
    if (group->count) stencil_group_place(group, across, column, width);
    return group->count > 0;
}

void tpi_stencil_group(const tp_world *world, uint32_t index, tpi_group_limits limits,
                       tpi_stencil *stencil, tpi_group *group)
{
    const bool is_2d = tpi_dimensions(world) == 2;
    tpi_cell cell;
    group->count = 0;
    if (!stencil_walk(world, index, stencil, &cell)) cell = stencil_enter(world, index, stencil);
    if (index == stencil->own_begin && stencil->entry != TPI_ENTRY_NONE &&
        (is_2d ? stencil_group(world, stencil, cell, 1, limits, group)
               : stencil_group(world, stencil, cell, 4, limits, group)))
        return;
    if (is_2d)
        tpi_stencil_half(world, index, stencil);
    else
        stencil_add_columns(world, cell, stencil);
}

bool tpi_stencil_part(const tp_world *world, uint32_t index, uint32_t part, tpi_stencil *stencil)
{
    if (TPI_LEVELS_AT_ONCE > 1u || stencil->levels_met == 1u) return false;
    uint32_t layer = part - 1u, end = stencil->level + stencil->levels_met,
             level = stencil->level + 1u;
    while (level < end && layer >= stencil->layers[level]) layer -= stencil->layers[level++];
    if (level == end) return false;
    stencil_extent extent = stencil_extent_of(world, tpi_grid_cell_of(world, index));
    stencil_range range = stencil_range_of(world, level, stencil->level, &extent);
    stencil->part = part;
    stencil->part_level = level;
    stencil->rows = range.count[1] + 2u;
    stencil->run_count = 0;
    stencil_add_level(world, stencil, &extent, &range, level, layer * range.count[1],
                      range.count[1]);
    return true;
}

static uint32_t stencil_pieces(const stencil_range *range)
{
    return (range->count[0] + TPI_ROW_CELLS - 1u) / TPI_ROW_CELLS;
}

void tpi_stencil_count_rows(const tp_world *world, uint32_t index, tpi_stencil *stencil)
{
    stencil_extent extent = stencil_extent_of(world, tpi_grid_finest_of(world, index));
    for (uint32_t level = 0; level < world->constants.levels.count; level++) {
        stencil_range range =
            stencil_range_of(world, level, tpi_grid_level_of(world, index), &extent);
        stencil->layers[level] = range.count[1] * range.count[2] * stencil_pieces(&range);
    }
}

bool tpi_stencil_row(const tp_world *world, uint32_t index, uint32_t row, tpi_stencil *stencil)
{
    uint32_t level = 0;
    while (level < world->constants.levels.count && row >= stencil->layers[level])
        row -= stencil->layers[level++];
    if (level == world->constants.levels.count) return false;
    tpi_cell finest = tpi_grid_finest_of(world, index);
    stencil_extent extent = stencil_extent_of(world, finest);
    stencil_range range = stencil_range_of(world, level, tpi_grid_level_of(world, index), &extent);
    uint32_t pieces = stencil_pieces(&range);
    stencil->run_count = stencil->level_begin = 0;
    stencil->level = level;
    stencil->rows = 3u + tpi_min_u32(range.count[0], TPI_ROW_CELLS) / 8u;
    stencil_add_range_row(world, stencil, tpi_level_cell(world, finest, level), &range,
                          row / pieces, row % pieces * TPI_ROW_CELLS, TPI_ROW_CELLS);
    return true;
}

void tpi_stencil_full(const tp_world *world, uint32_t index, tpi_stencil *stencil)
{
    tpi_cell cell = stencil_enter(world, index, stencil);
    int32_t deep = tpi_dimensions(world) == 2 ? 0 : 1;
    for (int32_t dz = -deep; dz <= deep; dz++)
        for (int32_t dy = -1; dy <= 1; dy++)
            stencil_add_neighbour_row(world, stencil, cell, dy, dz, 3u);
    stencil->level_end[cell.level] = stencil->run_count;
}

#if TPI_LANES > 1
/* ---- lots ---- */

/* The particles of a bucket. */
static tpi_run stencil_bucket(const tp_world *world, uint32_t bucket)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    uint32_t first = bucket << world->grid.cells_shift;
    return (tpi_run){start[first], start[first + (1u << world->grid.cells_shift)]};
}

static uint32_t stencil_bucket_of(const tp_world *world, uint32_t index)
{
    return tpi_grid_entry(world, tpi_grid_cell_of(world, index)).bucket;
}

/* The first cell of a colour that ends behind particle `from` of a mixed bucket. */
static bool stencil_cell_lot(const tp_world *world, uint32_t from, uint32_t end, uint32_t colour,
                             tpi_lot *lot)
{
    for (; from < end; from = lot->run.end) {
        tpi_cell cell = tpi_grid_cell_of(world, from);
        tpi_entry entry = tpi_grid_entry(world, cell);
        *lot = (tpi_lot){stencil_find(world, cell, entry.entry), false};
        if (tpi_block_colour(entry.block) == colour) return true;
    }
    return false;
}

bool tpi_grid_lot(const tp_world *world, uint32_t begin, uint32_t end, uint32_t colour,
                  tpi_lot *lot)
{
    const uint64_t *owners = tpi_grid_owners(world);
    for (uint32_t bucket = stencil_bucket_of(world, begin); begin < end; bucket++) {
        tpi_run run = stencil_bucket(world, bucket);
        uint64_t owner = owners[bucket];
        bool is_mixed = tpi_owner_is_mixed(owner);
        if (run.begin == run.end) continue;
        if (!is_mixed && tpi_block_colour(owner) == colour) {
            *lot = (tpi_lot){run, true};
            return true;
        }
        if (is_mixed && (owner >> colour & 1u) &&
            stencil_cell_lot(world, begin, run.end, colour, lot))
            return true;
        begin = run.end;
    }
    return false;
}

uint32_t tpi_grid_bucket_from(const tp_world *world, uint32_t index)
{
    if (index == world->step.count) return index;
    tpi_run bucket = stencil_bucket(world, stencil_bucket_of(world, index));
    return bucket.begin < index ? bucket.end : index;
}

tpi_run tpi_grid_part_of(const tp_world *world, uint32_t index)
{
    tpi_run bucket = stencil_bucket(world, stencil_bucket_of(world, index)),
            part = tpi_part_of(&world->step, bucket.begin);
    return (tpi_run){tpi_grid_bucket_from(world, part.begin),
                     tpi_grid_bucket_from(world, part.end)};
}
#endif

#undef STENCIL_UNKNOWN
#undef STENCIL_EMPTY
#undef STENCIL_SHARED
