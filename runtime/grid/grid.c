/* SPDX-License-Identifier: MIT
   runtime/grid/grid.c - counting sort of particles into the hash table of cells, in canonical
           order.
   reads   front positions, kicked velocities
   writes  start[], owner[], order[], back positions and velocities
   memory  4 bytes per entry, 8 per bucket of 32 (2D) or 64 (3D) entries
   cost    4 passes over particles, 2 over entries
   after   counting sort; the canonical order is by entry, level, cell and id. A bucket that several
           blocks share is marked mixed, and its particles are compared by their exact cells */
#include "grid_lanes.h"
#include "../world/team.h"

/* Slices end at whole units, so that only the end of the table is rounded up, however it is
   sliced. */
/* clearing or summing 8 entries costs no more than one pair */
#define TPI_ENTRIES_PER_UNIT 8u
#define TPI_OWNERS_PER_UNIT  4u /* 32 bytes, as TPI_ENTRIES_PER_UNIT */
#define TPI_UNITS_PER_STRAY  3u /* units of a particle that may be counted in up to 27 cells */

tpi_entry tpi_grid_entry(const tp_world *world, tpi_cell cell)
{
    const tpi_grid *grid = &world->grid;
    tpi_cell block = tpi_grid_block(world, cell);
    uint32_t bucket = tpi_grid_bucket(grid, block);
    uint32_t entry = tpi_grid_first(grid, bucket, cell.level) +
                     tpi_grid_inside(world, cell.at[0], cell.at[1], cell.at[2]);
    return (tpi_entry){entry, bucket, tpi_grid_name(grid, block)};
}

/* While they are counted, entries hold two numbers: in the lower bits the particles of the entry;
   in the upper bits the particles of other cells that may enter while a neighbour list is kept
   (saturating). */
#define TPI_ENTRY_OWN      0xffffffu /* the largest particle count of a world */
#define TPI_ENTRY_ONE_MORE 0x1000000u
#define TPI_ENTRY_MORE(e)  ((e) >> 24)
#define TPI_ENTRY_MORE_MAX 255u

/* The predicted coordinate of particle i of the front set along an axis. */
static float grid_predicted(const tp_world *world, uint32_t i, uint32_t axis)
{
    float v = tpi_kicked(world, axis)[i];
    float x = tpi_front_x(world, axis)[i] + v * tpi_drift(world);
    return world->constants.box.cells[axis] ? tpi_box_wrap(&world->constants.box, axis, x) : x;
}

/* The predicted positions and cells of particles i .. i + TPI_LANES - 1 of the front set; lanes
   after the last particle are undefined. */
typedef struct grid_predictions {
    tpi_lanes inside[3]; /* fraction of the cell, 0..1; undefined beyond the outermost cell */
    tpi_lane_ints cell[3];
} grid_predictions;

TPI_INLINE void grid_predict_cells(const tp_world *world, uint32_t axis, tpi_lanes x,
                                   bool needs_inside, grid_predictions *p)
{
    (void)needs_inside; /* by vectors it is cheap */
    const tpi_box *box = &world->constants.box;
    if (box->cells[axis]) {
        tpi_lanes at = (x - box->low[axis]) * box->cell_inverse[axis];
        tpi_lane_ints cell =
            tpi_lanes_truncate(tpi_lanes_clamp(at, 0.0f, (float)(box->cells[axis] - 1u)));
        p->inside[axis] = at - tpi_lanes_from_ints(cell);
        p->cell[axis] = cell + 65536;
        return;
    }
#if TPI_LANES == 1
    float at = x * world->constants.cell_inverse;
    if (TPI_UNLIKELY(tpi_magnitude(at) > tpi_magnitude((float)TPI_CELL_LIMIT)))
        at = tpi_clamp(at, -(float)TPI_CELL_LIMIT, (float)TPI_CELL_LIMIT);
    int32_t whole = tpi_floor(at);
    p->cell[axis] = whole + 65536;
    if (needs_inside) p->inside[axis] = at - (float)whole;
#else
    const tpi_lanes limit = tpi_lanes_of((float)TPI_CELL_LIMIT), one = tpi_lanes_of(1.0f);
    tpi_lanes at = x * world->constants.cell_inverse;
    at = tpi_lanes_min(tpi_lanes_max(at, -limit), limit);
    tpi_lane_ints whole = tpi_lanes_truncate(at);
    tpi_lanes rest = at - tpi_lanes_from_ints(whole);
    tpi_lane_mask is_below = tpi_lanes_less(rest, tpi_lanes_of(0.0f));
    p->inside[axis] = tpi_lanes_select(is_below, rest + one, rest);
    p->cell[axis] =
        whole + tpi_lane_ints_select(is_below, tpi_lane_ints_of(65535), tpi_lane_ints_of(65536));
#endif
}

TPI_INLINE void grid_predict_axis(const tp_world *world, uint32_t axis, uint32_t i, uint32_t count,
                                  bool needs_inside, grid_predictions *p)
{
    tpi_lanes v = tpi_lanes_load(tpi_kicked(world, axis) + i);
    tpi_lanes x = tpi_lanes_load(tpi_front_x(world, axis) + i) + v * tpi_drift(world);
    grid_predict_cells(world, axis, tpi_box_wrap_lanes(&world->constants.box, axis, count, x),
                       needs_inside, p);
}
TPI_INLINE void grid_predict(const tp_world *world, uint32_t i, uint32_t count, bool needs_inside,
                             grid_predictions *p)
{
    grid_predict_axis(world, 0, i, count, needs_inside, p);
    grid_predict_axis(world, 1, i, count, needs_inside, p);
    p->cell[2] = tpi_lane_ints_of(65536);
    if (tpi_dimensions(world) == 3) grid_predict_axis(world, 2, i, count, needs_inside, p);
}

/* The level of a particle of the front set. */
static uint32_t grid_level(const tp_world *world, uint32_t i)
{
    return world->constants.levels
        .of_species[TP_META_SPECIES(tpi_words(world, world->arrays.meta)[i])];
}

tpi_cell tpi_grid_predicted(const tp_world *world, uint32_t i)
{
    float position[3] = {0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        position[axis] = grid_predicted(world, i, axis);
    return tpi_level_cell(world, tpi_grid_cell(world, position), grid_level(world, i));
}

static void grid_clear_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                             tpi_tally *tally)
{
    (void)context, (void)tally;
    tpi_memset(tpi_words(world, world->arrays.start) + begin, 0, (size_t)(end - begin) * 4u);
}

static uint32_t grid_clear(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t total = world->grid.entry_count + 1u;
    uint32_t count = tpi_min_u32(units * TPI_ENTRIES_PER_UNIT, total - cursor->i);
    (void)tpi_team_run(jobs, world, grid_clear_range, NULL, cursor->i, cursor->i + count);
    cursor->i += count;
    *done = cursor->i == total;
    return (count + TPI_ENTRIES_PER_UNIT - 1u) / TPI_ENTRIES_PER_UNIT;
}

static uint32_t grid_clear_owners(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t total = world->grid.bucket_count;
    uint32_t count = tpi_min_u32(units * TPI_OWNERS_PER_UNIT, total - cursor->i);
    tpi_memset(tpi_grid_owners(world) + cursor->i, 0xff, (size_t)count * 8u);
    cursor->i += count;
    *done = cursor->i == total;
    return (count + TPI_OWNERS_PER_UNIT - 1u) / TPI_OWNERS_PER_UNIT;
}

/* Table positions of cells: the parts of tpi_grid_entry that are computed by vectors. */
typedef struct grid_slots {
    uint32_t level[TPI_LANES], block[3][TPI_LANES], inside[TPI_LANES];
} grid_slots;

/* Converts the finest cells of particles i .. i + count - 1 to cells of their levels. */
static void grid_levels_of(const tp_world *world, uint32_t i, uint32_t count,
                           tpi_lane_ints cells[3], grid_slots *slots)
{
    uint32_t at[3][TPI_LANES];
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): grid_predict sets all three */
    for (uint32_t axis = 0; axis < 3; axis++) tpi_lane_ints_store(at[axis], cells[axis]);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t level = slots->level[k] = grid_level(world, i + k);
        for (uint32_t axis = 0; level > 0 && axis < tpi_dimensions(world); axis++)
            at[axis][k] = tpi_level_coordinate(&world->constants.levels, level, axis, at[axis][k]);
    }
    for (uint32_t axis = 0; axis < 3; axis++) cells[axis] = tpi_lane_ints_load(at[axis]);
}

TPI_INLINE tpi_lane_words grid_slot_along(const tpi_grid *grid, uint32_t axis,
                                          const tpi_lane_ints cells[3], grid_slots *slots)
{
    tpi_lane_words at = (tpi_lane_words)cells[axis];
    tpi_lane_ints_store(slots->block[axis], (tpi_lane_ints)(at >> grid->shift[axis]));
    at = at & ((1u << grid->shift[axis]) - 1u);
    return axis ? at * grid->stride[axis] : at;
}
TPI_INLINE void grid_slots_of(const tpi_grid *grid, const tpi_lane_ints cells[3], grid_slots *slots)
{
    tpi_lane_words inside = grid_slot_along(grid, 0, cells, slots);
    inside = inside + grid_slot_along(grid, 1, cells, slots);
    inside = inside + grid_slot_along(grid, 2, cells, slots);
    tpi_lane_ints_store(slots->inside, (tpi_lane_ints)inside);
}

/* The block of the particle that was counted last. Most particles are in the block of the one
   before, because the front set is in the order of the step before. */
typedef struct grid_last {
    uint32_t block[3], level;
    uint32_t first; /* its first entry */
} grid_last;

/* Notes that a block has particles of a bucket. */
static void grid_meet_name(uint64_t *owner, uint64_t name)
{
    if (*owner != name) *owner = *owner == TPI_OWNER_NONE ? name : tpi_owner_mixed(*owner, name);
}

/* Notes that the block has particles, unless `owners` is null, and returns it as the last one. */
static grid_last grid_meet_block(const tpi_grid *grid, const grid_slots *slots, uint32_t k,
                                 uint64_t *owners)
{
    tpi_cell block = {{slots->block[0][k], slots->block[1][k], slots->block[2][k]},
                      slots->level[k]};
    uint32_t bucket = tpi_grid_bucket(grid, block);
    grid_last last = {{block.at[0], block.at[1], block.at[2]},
                      block.level,
                      tpi_grid_first(grid, bucket, block.level)};
    if (owners) grid_meet_name(&owners[bucket], tpi_grid_name(grid, block));
    return last;
}

TPI_INLINE uint32_t grid_differs(const grid_slots *slots, uint32_t k, const grid_last *last)
{
    return (slots->block[0][k] ^ last->block[0]) | (slots->block[1][k] ^ last->block[1]) |
           (slots->block[2][k] ^ last->block[2]) | (slots->level[k] ^ last->level);
}

/* Counts the particle of lane k in the table; returns its entry. */
TPI_INLINE uint32_t grid_count_one(const tpi_grid *grid, const grid_slots *slots, uint32_t k,
                                   grid_last *last, uint32_t *start, uint64_t *owners)
{
    if (TPI_UNLIKELY(grid_differs(slots, k, last))) *last = grid_meet_block(grid, slots, k, owners);
    uint32_t entry = last->first + slots->inside[k];
    start[entry + 1u]++;
    return entry;
}

/* ---- particles that may enter a cell while a list is kept: counted, so that a cell never exceeds
   cell_max unnoticed ---- */

/* True if the list built now may be kept and a cell may then have more than cell_max particles. */
static bool grid_has_strays(const tp_world *world)
{
    return world->constants.keeps_lists && !world->constants.is_idle &&
           world->step.front_count > world->constants.cell_max;
}

/* Cells of a level along an axis: that of the particle, then the others that it may enter. */
typedef struct grid_cells {
    uint32_t count, at[3];
} grid_cells;

/* The cell of `own`, a finest cell, and those of the finest cells beside it: `down` and `up` (0 or
   1) to either side, perhaps across a side of the box. A box has at least three cells along an
   axis, and no particle moves around it: see derive_skin. */
static void grid_cells_along(const tp_world *world, uint32_t level, uint32_t axis, uint32_t own,
                             uint32_t down, uint32_t up, grid_cells *cells)
{
    const tpi_levels *levels = &world->constants.levels;
    const uint32_t finest = world->constants.box.cells[axis];
    uint32_t beside[2], count = 0;
    if (down) beside[count++] = tpi_box_wrap_cell(finest, own - 1u);
    if (up) beside[count++] = tpi_box_wrap_cell(finest, own + 1u);
    *cells = (grid_cells){1, {own}};
    if (level > 0) cells->at[0] = tpi_level_coordinate(levels, level, axis, own);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = beside[k];
        if (level > 0) at = tpi_level_coordinate(levels, level, axis, at);
        if (at != cells->at[0] && at != cells->at[cells->count - 1u])
            cells->at[cells->count++] = at;
    }
}

/* Counts one particle in every cell along the three axes except its own. */
static void grid_count_cells(const tp_world *world, uint32_t level, const grid_cells along[3],
                             uint32_t *start)
{
    for (uint32_t z = 0; z < along[2].count; z++)
        for (uint32_t y = 0; y < along[1].count; y++)
            for (uint32_t x = (y | z) == 0; x < along[0].count; x++) {
                tpi_cell cell = {{along[0].at[x], along[1].at[y], along[2].at[z]}, level};
                uint32_t *entry = start + tpi_grid_entry(world, cell).entry + 1u;
                if (TPI_ENTRY_MORE(*entry) < TPI_ENTRY_MORE_MAX) *entry += TPI_ENTRY_ONE_MORE;
            }
}

/* Counts those of the particles i .. i + count - 1 that may leave their finest cells. */
static void grid_count_strays(const tp_world *world, uint32_t i, uint32_t count,
                              const grid_predictions *p, const uint32_t *keys, uint32_t *start)
{
    const tpi_constants *constants = &world->constants;
    uint32_t down[3] = {0}, up[3] = {0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        down[axis] = tpi_lanes_bits(
            tpi_lanes_less(p->inside[axis], tpi_lanes_of(constants->stray_low[axis])));
        up[axis] = tpi_lanes_bits(
            tpi_lanes_less(tpi_lanes_of(constants->stray_high[axis]), p->inside[axis]));
    }
    uint32_t bits = down[0] | down[1] | down[2] | up[0] | up[1] | up[2];
    for (uint32_t k = 0; k < count && bits >> k; k++) {
        if (!(bits >> k & 1u) || keys[i + k] == TPI_KEY_DEAD) continue;
        grid_cells along[3] = {{1, {65536}}, {1, {65536}}, {1, {65536}}};
        uint32_t level = grid_level(world, i + k);
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            grid_cells_along(world, level, axis, (uint32_t)TPI_LANE(p->cell[axis], k),
                             down[axis] >> k & 1u, up[axis] >> k & 1u, &along[axis]);
        grid_count_cells(world, level, along, start);
    }
}

#if TPI_LANES > 1
/* ---- counting by whole vectors: particles of one block, without periodic axes and levels ---- */

/* Prepared once for a slice; `low` and `first` belong to a block. */
typedef struct grid_near {
    const float *x[3], *v[3];
    float drift, cell_inverse;
    uint32_t shift[3];
    int32_t low[3]; /* 65535 less the first cell of the block */
    uint32_t first; /* its first entry */
} grid_near;

static grid_near grid_near_of(const tp_world *world)
{
    grid_near near = {.drift = tpi_drift(world), .cell_inverse = world->constants.cell_inverse};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        near.x[axis] = tpi_front_x(world, axis);
        near.v[axis] = tpi_kicked(world, axis);
        near.shift[axis] = world->grid.shift[axis];
    }
    return near;
}

TPI_INLINE void grid_near_block(grid_near *near, const grid_last *last)
{
    near->first = last->first;
    for (uint32_t axis = 0; axis < 3; axis++)
        near->low[axis] = 65535 - (int32_t)(last->block[axis] << near->shift[axis]);
}

/* The cells of a vector along an axis, from the first cell of the block: see
   grid_predict_cells. */
TPI_INLINE tpi_lane_words grid_near_along(const grid_near *near, uint32_t axis, uint32_t i)
{
    const tpi_lanes limit = tpi_lanes_of((float)TPI_CELL_LIMIT);
    tpi_lanes x =
        tpi_lanes_load(near->x[axis] + i) + tpi_lanes_load(near->v[axis] + i) * near->drift;
    tpi_lanes at = tpi_lanes_min(tpi_lanes_max(x * near->cell_inverse, -limit), limit);
    tpi_lane_ints whole = tpi_lanes_truncate(at);
    return (tpi_lane_words)tpi_lane_ints_count(whole + near->low[axis],
                                               tpi_lanes_at_most(tpi_lanes_from_ints(whole), at));
}

/* Writes the keys of vectors of living particles of the block, and counts them unless `start` is
   null; returns the first particle without a key. */
TPI_INLINE uint32_t grid_count_near(const grid_near *near, uint32_t dimensions, uint32_t i,
                                    uint32_t end, uint32_t *keys, uint32_t *start)
{
    const uint32_t *shift = near->shift;
    for (; end - i >= TPI_LANES; i += TPI_LANES) {
        tpi_lane_words x = grid_near_along(near, 0, i), y = grid_near_along(near, 1, i);
        tpi_lane_words beyond = x >> shift[0] | y >> shift[1];
        tpi_lane_words entry = x + near->first + (y << shift[0]);
        if (dimensions == 3) {
            tpi_lane_words z = grid_near_along(near, 2, i);
            beyond = beyond | z >> shift[2];
            entry = entry + (z << (shift[0] + shift[1]));
        }
        tpi_lane_mask is_dead =
            tpi_lane_ints_equal(tpi_lane_ints_load(keys + i), tpi_lane_ints_of(-1));
        tpi_lane_mask is_near = tpi_lane_ints_equal((tpi_lane_ints)beyond, tpi_lane_ints_of(0));
        is_near = tpi_lanes_and(is_near, tpi_lanes_not(is_dead));
        if (TPI_UNLIKELY(tpi_lanes_bits(is_near) != TPI_LANES_ALL)) break;
        tpi_lane_ints_store(keys + i, (tpi_lane_ints)entry);
        for (uint32_t k = 0; k < TPI_LANES && start; k++) start[keys[i + k] + 1u]++;
    }
    return i;
}

/* False: not all particles of the world can be counted so. */
static bool grid_is_plain(const tp_world *world)
{
    return !world->constants.box.is_periodic && world->constants.levels.count == 1u;
}

/* Keys as grid_count_near, for the block of the particle before. */
TPI_INLINE uint32_t grid_near_range(const tp_world *world, grid_near *near, const grid_last *last,
                                    uint32_t i, uint32_t end, uint32_t *keys, uint32_t *start)
{
    grid_near_block(near, last);
    return tpi_dimensions(world) == 2 ? grid_count_near(near, 2, i, end, keys, start)
                                      : grid_count_near(near, 3, i, end, keys, start);
}
#endif

static uint32_t grid_falls(const tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t *id = tpi_words(world, world->arrays.id);
    uint32_t falls = 0;
    for (uint32_t i = tpi_max_u32(begin, 1u); i < end; i++) falls |= id[i] < id[i - 1u];
    return falls;
}

#if TIDEPOOL_JOBS
/* ---- counting and scattering by several threads: each has a range of entries, and reads all
   keys ---- */

/* Part number p has entries from[p] .. from[p + 1] - 1, which are whole buckets if there are
   several. */
typedef struct grid_turn {
    tp_world *world;
    uint32_t begin, end; /* particles */
    bool scatters;
    uint32_t from[TPI_PARTS_MAX / 2u + 1u];
} grid_turn;

#define GRID_MET 128u
/* The last one becomes the block of lane k. Returns TPI_KEY_NEW unless the block is among those
   that were met, where one takes the place of another: particles in random order change their
   block each time. */
static uint32_t grid_meet_again(const tpi_grid *grid, const grid_slots *slots, uint32_t k,
                                grid_last *met, grid_last *last)
{
    uint32_t at =
        slots->block[0][k] + 37u * slots->block[1][k] + 101u * slots->block[2][k] + slots->level[k];
    *last = met[at % GRID_MET];
    if (!grid_differs(slots, k, last)) return 0;
    met[at % GRID_MET] = *last = grid_meet_block(grid, slots, k, NULL);
    return TPI_KEY_NEW;
}

/* The keys of particles, without counting them. */
static void grid_key_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                           tpi_tally *tally)
{
    const tpi_grid grid = world->grid;
    uint32_t *keys = tpi_keys(world);
    grid_slots slots;
    grid_last last = {{0xffffffffu, 0, 0}, 0, 0}, met[GRID_MET]; /* no block has this name */
    (void)context;
    for (uint32_t m = 0; m < GRID_MET; m++) met[m] = last;
    tpi_lane_ints_store(slots.level, tpi_lane_ints_of(0));
#if TPI_LANES > 1
    const bool is_plain = grid_is_plain(world);
    grid_near near = grid_near_of(world);
#endif
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
#if TPI_LANES > 1
        if (is_plain && (i = grid_near_range(world, &near, &last, i, end, keys, NULL)) == end)
            break;
#endif
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        grid_predictions p;
        grid_predict(world, i, count, false, &p);
        if (TPI_UNLIKELY(world->constants.levels.count > 1u))
            grid_levels_of(world, i, count, p.cell, &slots);
        grid_slots_of(&grid, p.cell, &slots);
        for (uint32_t k = 0; k < count; k++) {
            if (keys[i + k] == TPI_KEY_DEAD) continue;
            uint32_t is_new = 0;
            if (TPI_UNLIKELY(grid_differs(&slots, k, &last)))
                is_new = grid_meet_again(&grid, &slots, k, met, &last);
            keys[i + k] = (last.first + slots.inside[k]) | is_new;
        }
    }
    tally->crowded = grid_falls(world, begin, end);
}
#undef GRID_MET

/* The first particle of a block in the order of the particles notes it with its bucket. */
static void grid_turn_meet(tp_world *world, uint32_t i, uint32_t entry)
{
    if (world->grid.bucket_count == 1u) return;
    grid_meet_name(
        tpi_grid_owners(world) + (entry >> world->grid.cells_shift),
        tpi_grid_name(&world->grid, tpi_grid_block(world, tpi_grid_predicted(world, i))));
}

/* Counts or scatters `count` particles of the part. */
TPI_INLINE void grid_turn_some(const grid_turn *turn, const uint32_t *particles, uint32_t count)
{
    tp_world *world = turn->world;
    const uint32_t *restrict keys = tpi_keys(world);
    const uint32_t *restrict meta = tpi_words(world, world->arrays.meta);
    uint32_t *restrict next = tpi_words(world, world->arrays.start) + 1;
    uint32_t *restrict order = tpi_words(world, world->arrays.order);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t i = particles[n], key = keys[i], at = next[key & TPI_KEY_ENTRY]++;
        if (turn->scatters)
            order[at] = i | TP_META_SPECIES(meta[i]) << 24;
        else if (TPI_UNLIKELY(key & TPI_KEY_NEW))
            grid_turn_meet(world, i, key & TPI_KEY_ENTRY);
    }
}

/* Particles that are worked on at once. They are collected without branches, because which ones of
   a vector are in the part cannot be predicted. */
#define GRID_TURN_AT_ONCE 256u

static void grid_turn_part(void *argument, uint32_t index)
{
    const grid_turn *turn = (const grid_turn *)argument;
    const uint32_t *keys = tpi_keys(turn->world);
    const tpi_lane_ints low = tpi_lane_ints_of((int32_t)turn->from[index]),
                        high = tpi_lane_ints_of((int32_t)turn->from[index + 1u]);
    uint32_t particles[GRID_TURN_AT_ONCE + TPI_LANES], count = 0;
    for (uint32_t i = turn->begin; i < turn->end; i += TPI_LANES) {
        tpi_lane_mask is_here = tpi_lanes_first(tpi_min_u32(turn->end - i, TPI_LANES));
        tpi_lane_ints entry = tpi_lane_ints_load(keys + i) & (int32_t)TPI_KEY_ENTRY;
        is_here = tpi_lanes_and(is_here, tpi_lane_ints_less(entry, high));
        is_here = tpi_lanes_and(is_here, tpi_lanes_not(tpi_lane_ints_less(entry, low)));
        uint32_t bits = tpi_lanes_bits(is_here);
        if (bits == TPI_LANES_ALL) { /* most, in the order of the step before */
            tpi_lane_ints_store(particles + count, tpi_lane_ints_counted((int32_t)i));
            count += TPI_LANES;
        } else {
            for (uint32_t k = 0; k < TPI_LANES && bits; k++, bits >>= 1) {
                particles[count] = i + k;
                count += bits & 1u;
            }
        }
        if (count < GRID_TURN_AT_ONCE && turn->end - i > TPI_LANES) continue;
        grid_turn_some(turn, particles, count);
        count = 0;
    }
}
#undef GRID_TURN_AT_ONCE

#define GRID_SAMPLES 64u
/* Divides the entries so that each part has about as many of the particles: by a sorted sample. */
static void grid_turn_split(grid_turn *turn, uint32_t parts)
{
    const tp_world *world = turn->world;
    const uint32_t *keys = tpi_keys(world), shift = world->grid.cells_shift;
    uint32_t sample[GRID_SAMPLES], most = world->grid.entry_count;
    for (uint32_t s = 0; s < GRID_SAMPLES; s++) {
        uint64_t whole = turn->end - turn->begin;
        uint32_t at = turn->begin + (uint32_t)(whole * (2u * s + 1u) / (2u * GRID_SAMPLES)), k = s;
        uint32_t entry = tpi_min_u32(keys[at] & TPI_KEY_ENTRY, most);
        for (; k > 0 && sample[k - 1u] > entry; k--) sample[k] = sample[k - 1u];
        sample[k] = entry;
    }
    turn->from[0] = 0;
    for (uint32_t p = 1; p < parts; p++) {
        uint32_t entry = sample[p * GRID_SAMPLES / parts];
        turn->from[p] = world->grid.bucket_count > 1u ? entry >> shift << shift : entry;
    }
    turn->from[parts] = most;
}
#undef GRID_SAMPLES

static void grid_turn_run(tp_world *world, const tp_jobs *jobs, uint32_t begin, uint32_t end,
                          bool scatters)
{
    grid_turn turn = {.world = world, .begin = begin, .end = end, .scatters = scatters};
    uint32_t parts = tpi_min_u32(jobs->workers, TPI_PARTS_MAX / 2u);
    grid_turn_split(&turn, parts);
    jobs->run(jobs->context, grid_turn_part, &turn, parts);
}

/* The one bucket of a box has one block. */
static void grid_meet_box(tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t *keys = tpi_keys(world);
    uint32_t i = begin;
    while (i < end && keys[i] == TPI_KEY_DEAD) i++;
    if (i < end)
        grid_meet_name(
            tpi_grid_owners(world),
            tpi_grid_name(&world->grid, tpi_grid_block(world, tpi_grid_predicted(world, i))));
}

/* Returns the falls of ids. */
static uint32_t grid_count_shared(tp_world *world, const tp_jobs *jobs, uint32_t begin,
                                  uint32_t end)
{
    tpi_tally tally = tpi_team_run(jobs, world, grid_key_range, NULL, begin, end);
    grid_turn_run(world, jobs, begin, end, false);
    if (world->grid.bucket_count == 1u) grid_meet_box(world, begin, end);
    return tally.crowded != 0;
}
#endif

/* Counts the particles of each entry. Also tests if ids ascend with the index, as in a world that
   was just filled. */
static uint32_t grid_count(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const tpi_grid grid = world->grid;
    uint32_t *keys = tpi_keys(world), *start = tpi_words(world, world->arrays.start);
    uint64_t *owners = tpi_grid_owners(world);
    const bool has_strays = grid_has_strays(world);
    const uint32_t each = has_strays ? TPI_UNITS_PER_STRAY : 1u;
    uint32_t count_max = tpi_max_u32(units / each, 1u), begin = cursor->i,
             end = begin + tpi_min_u32(count_max, world->step.front_count - begin);
    bool is_shared = !has_strays && tpi_team_is_worth(jobs, end - begin);
    uint32_t falls = 0;
#if TIDEPOOL_JOBS
    if (is_shared) falls = grid_count_shared(world, jobs, begin, end);
#endif
    if (!is_shared) falls = grid_falls(world, begin, end);
    grid_slots slots;
    grid_last last = {{0xffffffffu, 0, 0}, 0, 0}; /* no block has this name */
    tpi_lane_ints_store(slots.level, tpi_lane_ints_of(0));
#if TPI_LANES > 1
    const bool is_plain = !has_strays && grid_is_plain(world);
    grid_near near = grid_near_of(world);
#endif
    for (uint32_t i = begin; i < end && !is_shared; i += TPI_LANES) {
#if TPI_LANES > 1
        if (is_plain) {
            i = grid_near_range(world, &near, &last, i, end, keys, start);
            if (i == end) break;
        }
#endif
        uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        grid_predictions p;
        grid_predict(world, i, count, has_strays, &p);
        if (has_strays) grid_count_strays(world, i, count, &p, keys, start);
        if (TPI_UNLIKELY(world->constants.levels.count > 1u))
            grid_levels_of(world, i, count, p.cell, &slots);
        grid_slots_of(&grid, p.cell, &slots);
        for (uint32_t k = 0; k < count; k++)
            if (keys[i + k] != TPI_KEY_DEAD)
                keys[i + k] = grid_count_one(&grid, &slots, k, &last, start, owners);
    }
    world->step.ids_ascend = (begin == 0 || world->step.ids_ascend) && !falls;
    cursor->i = end;
    *done = end == world->step.front_count;
    return (end - begin) * each;
}

/* Entries that are tested at once, in slices of any length. */
#define GRID_AT_ONCE (TPI_LANES > 1 ? 16u : TPI_ENTRIES_PER_UNIT)

/* True for most groups of entries. */
TPI_INLINE bool grid_is_empty(const uint32_t *start)
{
#if TPI_LANES > 1
    tpi_lane_ints words = tpi_lane_ints_load(start);
    for (uint32_t k = TPI_LANES; k < GRID_AT_ONCE; k += TPI_LANES)
        words = words | tpi_lane_ints_load(start + k);
    return !tpi_lanes_any(tpi_lanes_not(tpi_lane_ints_equal(words, tpi_lane_ints_of(0))));
#else
    uint32_t any = 0;
    for (uint32_t k = 0; k < GRID_AT_ONCE; k += 4u)
        any |= start[k] | start[k + 1u] | start[k + 2u] | start[k + 3u];
    return any == 0;
#endif
}

/* True if the particles of an entry and those that may enter exceed the limit of a cell. */
static bool grid_is_crowded(uint32_t word, uint32_t cell_max)
{
    uint32_t more = TPI_ENTRY_MORE(word);
    return (word & TPI_ENTRY_OWN) + more > cell_max || more == TPI_ENTRY_MORE_MAX;
}

/* Prefix sum: counts become the index at which each entry begins; cursor.j holds the running sum.
   Cells that share an entry count as one. */
static uint32_t grid_sum(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *start = tpi_words(world, world->arrays.start);
    uint32_t total = world->grid.entry_count + 1u;
    uint32_t count = tpi_min_u32(units * TPI_ENTRIES_PER_UNIT, total - cursor->i), sum = cursor->j,
             crowd = 0;
    const uint32_t cell_max = world->constants.cell_max;
    for (uint32_t e = cursor->i, end = e + count; e < end;) {
        const tpi_lane_ints sums = tpi_lane_ints_of((int32_t)sum);
        for (; end - e >= GRID_AT_ONCE && grid_is_empty(start + e); e += GRID_AT_ONCE)
            for (uint32_t k = 0; k < GRID_AT_ONCE; k += TPI_LANES)
                tpi_lane_ints_store(start + e + k, sums);
        uint32_t size = tpi_min_u32(end - e, GRID_AT_ONCE);
        for (uint32_t k = 0; k < size; k++, e++) {
            uint32_t word = start[e];
            start[e] = sum;
            sum += word & TPI_ENTRY_OWN;
            crowd |= word > cell_max && grid_is_crowded(word, cell_max);
        }
    }
    cursor->i += count;
    cursor->j = sum;
    if (crowd) world->step.may_crowd = true;
    *done = cursor->i == total;
    if (*done) world->step.count = sum;
    return (count + TPI_ENTRIES_PER_UNIT - 1u) / TPI_ENTRIES_PER_UNIT;
}

#if TPI_LANES > 1
/* Scatters whole vectors of living particles; returns the first that is not scattered. A key with
   its highest bit set is that of a dead particle, or has a flag. */
TPI_INLINE uint32_t grid_scatter_lanes(const uint32_t *keys, const uint32_t *meta, uint32_t i,
                                       uint32_t end, uint32_t *start, uint32_t *order)
{
    uint32_t *next = start + 1;
    for (; end - i >= TPI_LANES; i += TPI_LANES) {
        uint32_t words[TPI_LANES];
        if (tpi_lanes_any(tpi_lane_ints_less(tpi_lane_ints_load(keys + i), tpi_lane_ints_of(0))))
            break;
        tpi_lane_words species = (tpi_lane_words)tpi_lane_ints_load(meta + i) << 24;
        tpi_lane_ints_store(words, tpi_lane_ints_counted((int32_t)i) | (tpi_lane_ints)species);
        for (uint32_t k = 0; k < TPI_LANES; k++) order[next[keys[i + k]]++] = words[k];
    }
    return i;
}
#endif

/* Scatters particles to their entries. Before this pass start[e + 1] is the index of entry e's
   first particle; after it, the index after its last. */
static uint32_t grid_scatter(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *keys = tpi_keys(world);
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t *start = tpi_words(world, world->arrays.start),
             *order = tpi_words(world, world->arrays.order);
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.front_count - begin);
    bool is_shared = tpi_team_is_worth(jobs, end - begin);
#if TIDEPOOL_JOBS
    if (is_shared) grid_turn_run(world, jobs, begin, end, true);
#endif
    for (uint32_t i = begin; i < end && !is_shared; i++) {
#if TPI_LANES > 1
        i = grid_scatter_lanes(keys, meta, i, end, start, order);
        if (i == end) break;
#endif
        if (keys[i] != TPI_KEY_DEAD)
            order[start[(keys[i] & TPI_KEY_ENTRY) + 1u]++] = i | TP_META_SPECIES(meta[i]) << 24;
    }
    cursor->i = end;
    *done = end == world->step.front_count;
    return end - begin;
}

/* Writes back positions and velocities in canonical order. Axis by axis, so that each axis' arrays
   stay in the cache and the loop vectorises. */
static void grid_gather_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    float drift = tpi_drift(world);
    (void)context;
    (void)tally;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        const float *restrict x = tpi_front_x(world, axis);
        const float *restrict kicked = tpi_kicked(world, axis);
        float *restrict next_x = tpi_back_x(world, axis), *restrict next_v =
                                                              tpi_back_v(world, axis);
        uint32_t s = begin;
#if TPI_LANES > 1
        for (; end - s >= TPI_LANES; s += TPI_LANES) {
            tpi_lane_ints i = tpi_lane_ints_load(order + s) & 0xffffff;
            tpi_lanes v = tpi_lanes_gather(kicked, i);
            tpi_lanes_store(next_x + s, tpi_lanes_gather(x, i) + v * drift);
            tpi_lanes_store(next_v + s, v);
        }
#endif
        for (; s < end; s++) {
            uint32_t i = TPI_ORDER_INDEX(order[s]);
            next_x[s] = x[i] + kicked[i] * drift;
            next_v[s] = kicked[i];
        }
        if (!world->constants.box.cells[axis]) continue;
        for (s = begin; s < end; s++)
            next_x[s] = tpi_box_wrap(&world->constants.box, axis, next_x[s]);
    }
}

static uint32_t grid_gather(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.count - begin);
    (void)tpi_team_run(jobs, world, grid_gather_range, NULL, begin, end);
    cursor->i = end;
    *done = end == world->step.count;
    return end - begin;
}

TPI_APART uint32_t tpi_grid_build(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0: used = grid_clear(world, jobs, units, &phase_done); break;
    case 1: used = grid_clear_owners(world, units, &phase_done); break;
    case 2: used = grid_count(world, jobs, units, &phase_done); break;
    case 3: used = grid_sum(world, units, &phase_done); break;
    case 4: used = grid_scatter(world, jobs, units, &phase_done); break;
    case 5: used = tpi_grid_order(world, jobs, units, &phase_done); break;
    default: used = grid_gather(world, jobs, units, &phase_done); break;
    }
    *done = phase_done && cursor->phase >= 6u;
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}

#undef TPI_ENTRIES_PER_UNIT
#undef GRID_AT_ONCE
#undef TPI_OWNERS_PER_UNIT
#undef TPI_UNITS_PER_STRAY
#undef TPI_ENTRY_OWN
#undef TPI_ENTRY_ONE_MORE
#undef TPI_ENTRY_MORE
#undef TPI_ENTRY_MORE_MAX
