/* SPDX-License-Identifier: MIT
   runtime/grid/grid.c - builds the table of cells and puts particles in canonical order: by entry, cell, id.
   reads   front positions, kicked velocities      writes  start[], owner[], order[], back positions and velocities
   memory  4 bytes an entry, 8 a bucket of 16 (2D) or 64 (3D) entries      cost  4 passes over particles, 2 over entries
   after   counting sort; a bucket that several blocks share is marked mixed, and cells are then told apart exactly */
#include "grid.h"

#define TPI_OWNER_NONE       0xffffffffffffffffu
#define TPI_OWNER_MIXED      0xfffffffffffffffeu
#define TPI_ENTRIES_PER_UNIT 8u /* clearing or summing 8 entries costs no more than looking at one pair */

static uint64_t *grid_owners(const tp_world *world) { return (uint64_t *)tpi_at(world, world->arrays.owner); }

tpi_entry tpi_grid_entry(const tp_world *world, tpi_cell cell)
{
    const tpi_grid *grid = &world->grid;
    tpi_cell block;
    uint32_t inside = 0;
    for (uint32_t axis = 3; axis-- > 0;) {
        uint32_t shift = grid->shift[axis];
        block.at[axis] = cell.at[axis] >> shift;
        inside = inside << shift | (cell.at[axis] & ((1u << shift) - 1u));
    }
    uint32_t hash = tpi_prime_hash((int32_t)block.at[0], (int32_t)block.at[1], (int32_t)block.at[2]);
    uint32_t bucket = tpi_prime_reduce(hash, grid->bucket_count, grid->bucket_magic);
    return (tpi_entry){bucket << grid->cells_shift | inside, bucket, tpi_cell_pack(block)};
}

static tpi_cell grid_cell(const tp_world *world, const float position[3])
{
    tpi_cell cell = {{0, 0, 65536}};
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        cell.at[axis] = tpi_cell_coordinate(position[axis], world->constants.cell_inverse);
    return cell;
}

tpi_cell tpi_grid_cell_of(const tp_world *world, uint32_t place)
{
    float position[3] = {0};
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        position[axis] = tpi_back_x(world, axis)[place];
    return grid_cell(world, position);
}

/* Predicted position of a particle of the front set. */
static tpi_cell grid_cell_predicted(const tp_world *world, uint32_t i)
{
    float position[3] = {0};
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        float v = tpi_floats(world, world->arrays.force[axis])[i];
        position[axis] = tpi_front_x(world, axis)[i] + v * world->step.timestep;
    }
    return grid_cell(world, position);
}

static uint32_t grid_clear(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t total = world->grid.entry_count + 1u;
    uint32_t count = tpi_min_u32(units * TPI_ENTRIES_PER_UNIT, total - cursor->i);
    memset(tpi_words(world, world->arrays.start) + cursor->i, 0, (size_t)count * 4u);
    cursor->i += count;
    *done = cursor->i == total;
    if (*done) memset(grid_owners(world), 0xff, (size_t)world->grid.bucket_count * 8u);
    return (count + TPI_ENTRIES_PER_UNIT - 1u) / TPI_ENTRIES_PER_UNIT;
}

static uint32_t grid_count(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *keys = tpi_words(world, world->arrays.density);
    uint32_t *start = tpi_words(world, world->arrays.start);
    uint64_t *owners = grid_owners(world);
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.front_count - begin);
    for (uint32_t i = begin; i < end; i++) {
        if (keys[i] == TPI_KEY_DEAD) continue;
        tpi_entry entry = tpi_grid_entry(world, grid_cell_predicted(world, i));
        keys[i] = entry.entry;
        start[entry.entry + 1u]++;
        uint64_t owner = owners[entry.bucket];
        if (owner != entry.block)
            owners[entry.bucket] = owner == TPI_OWNER_NONE ? entry.block : TPI_OWNER_MIXED;
    }
    cursor->i = end;
    *done = end == world->step.front_count;
    return end - begin;
}

/* Counts become the places where each entry begins; the running sum is kept in cursor.j. */
static uint32_t grid_sum(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *start = tpi_words(world, world->arrays.start);
    uint32_t total = world->grid.entry_count + 1u;
    uint32_t count = tpi_min_u32(units * TPI_ENTRIES_PER_UNIT, total - cursor->i), sum = cursor->j;
    for (uint32_t e = cursor->i; e < cursor->i + count; e++) {
        uint32_t here = start[e];
        start[e] = sum;
        sum += here;
    }
    cursor->i += count;
    cursor->j = sum;
    *done = cursor->i == total;
    if (*done) world->step.count = sum;
    return (count + TPI_ENTRIES_PER_UNIT - 1u) / TPI_ENTRIES_PER_UNIT;
}

/* After this pass start[e + 1], which began as the place of entry e's first particle, is the place behind its last. */
static uint32_t grid_scatter(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *keys = tpi_words(world, world->arrays.density);
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t *start = tpi_words(world, world->arrays.start), *order = tpi_words(world, world->arrays.order);
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.front_count - begin);
    for (uint32_t i = begin; i < end; i++) {
        if (keys[i] != TPI_KEY_DEAD) order[start[keys[i] + 1u]++] = i | TP_META_SPECIES(meta[i]) << 24;
    }
    cursor->i = end;
    *done = end == world->step.front_count;
    return end - begin;
}

/* ---- canonical order inside an entry ---- */

/* Whether order word a belongs before b: by cell where the bucket is mixed, then by id. */
static bool grid_before(const tp_world *world, uint32_t a, uint32_t b, bool is_mixed)
{
    const uint32_t *id = tpi_words(world, world->arrays.id);
    uint32_t i = TPI_ORDER_PLACE(a), j = TPI_ORDER_PLACE(b);
    if (is_mixed) {
        uint64_t ci = tpi_cell_pack(grid_cell_predicted(world, i)),
                 cj = tpi_cell_pack(grid_cell_predicted(world, j));
        if (ci != cj) return ci < cj;
    }
    return id[i] < id[j];
}

static uint32_t grid_insertion_sort(tp_world *world, uint32_t begin, uint32_t end, bool is_mixed)
{
    uint32_t *order = tpi_words(world, world->arrays.order), moves = 0;
    for (uint32_t k = begin + 1u; k < end; k++) {
        uint32_t word = order[k], at = k;
        while (at > begin && grid_before(world, word, order[at - 1u], is_mixed)) {
            order[at] = order[at - 1u];
            at--;
            moves++;
        }
        order[at] = word;
    }
    return moves;
}

static void grid_sift_down(tp_world *world, uint32_t begin, uint32_t size, uint32_t root, bool is_mixed)
{
    uint32_t *heap = tpi_words(world, world->arrays.order) + begin;
    uint32_t word = heap[root];
    for (;;) {
        uint32_t child = 2u * root + 1u;
        if (child >= size) break;
        if (child + 1u < size && grid_before(world, heap[child], heap[child + 1u], is_mixed)) child++;
        if (!grid_before(world, word, heap[child], is_mixed)) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = word;
}

/* Heap sort of a crowded entry, one sift at a time: cursor.j counts sifts done. Units: 16 a sift. */
static uint32_t grid_heap_sort(tp_world *world, uint32_t begin, uint32_t end, bool is_mixed, uint32_t units,
                               bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *heap = tpi_words(world, world->arrays.order) + begin;
    uint32_t size = end - begin, builds = size / 2u, used = 0;
    while (cursor->j < builds + size - 1u && (used == 0 || used + 16u <= units)) {
        if (cursor->j < builds) {
            grid_sift_down(world, begin, size, builds - 1u - cursor->j, is_mixed);
        } else {
            uint32_t last = size - 1u - (cursor->j - builds), word = heap[last];
            heap[last] = heap[0];
            heap[0] = word;
            grid_sift_down(world, begin, last, 0, is_mixed);
        }
        cursor->j++;
        used += 16u;
    }
    *done = cursor->j == builds + size - 1u;
    if (*done) cursor->j = 0;
    return used;
}

static bool grid_is_sorted(const tp_world *world, uint32_t begin, uint32_t end, bool is_mixed)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    for (uint32_t k = begin + 1u; k < end; k++)
        if (grid_before(world, order[k], order[k - 1u], is_mixed)) return false;
    return true;
}

#define TPI_INSERTION_MAX 16u /* at most 120 moves in one go; larger entries go through the heap */

/* Orders the entries one after the other; cursor.i is the entry. */
static uint32_t grid_order(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *start = tpi_words(world, world->arrays.start);
    const uint64_t *owners = grid_owners(world);
    uint32_t used = 0, empty = 0;
    while (cursor->i < world->grid.entry_count && used < units) {
        uint32_t begin = start[cursor->i], end = start[cursor->i + 1u];
        if (used && used + 46u > units) break; /* 46: the dearest entry that is sorted in one go */
        bool is_mixed = owners[cursor->i >> world->grid.cells_shift] == TPI_OWNER_MIXED, sorted = true;
        if (end - begin > TPI_INSERTION_MAX) {
            used += grid_heap_sort(world, begin, end, is_mixed, units - used, &sorted);
        } else if (end - begin > 1u) {
            used += end - begin;
            if (!grid_is_sorted(world, begin, end, is_mixed)) {
                used += grid_insertion_sort(world, begin, end, is_mixed) / 4u;
            }
        } else {
            used += end - begin;
            if (++empty % TPI_ENTRIES_PER_UNIT == 0) used++;
        }
        if (sorted) cursor->i++;
    }
    *done = cursor->i == world->grid.entry_count;
    return used;
}

/* Axis by axis over a stretch of places: each axis' arrays stay in cache and the loop vectorises. */
static uint32_t grid_gather(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *order = tpi_words(world, world->arrays.order);
    float timestep = world->step.timestep;
    uint32_t begin = cursor->i, end = begin + tpi_min_u32(units, world->step.count - begin);
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        const float *restrict x = tpi_front_x(world, axis);
        const float *restrict kicked = tpi_floats(world, world->arrays.force[axis]);
        float *restrict next_x = tpi_back_x(world, axis), *restrict next_v = tpi_back_v(world, axis);
        for (uint32_t s = begin; s < end; s++) {
            uint32_t i = TPI_ORDER_PLACE(order[s]);
            next_x[s] = x[i] + kicked[i] * timestep;
            next_v[s] = kicked[i];
        }
    }
    cursor->i = end;
    *done = end == world->step.count;
    return end - begin;
}

uint32_t tpi_grid_build(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool phase_done = false;
    uint32_t used = 0;
    switch (cursor->phase) {
    case 0: used = grid_clear(world, units, &phase_done); break;
    case 1: used = grid_count(world, units, &phase_done); break;
    case 2: used = grid_sum(world, units, &phase_done); break;
    case 3: used = grid_scatter(world, units, &phase_done); break;
    case 4: used = grid_order(world, units, &phase_done); break;
    default: used = grid_gather(world, units, &phase_done); break;
    }
    *done = phase_done && cursor->phase >= 5u;
    if (phase_done) *cursor = (tpi_cursor){.phase = cursor->phase + 1u};
    return used;
}

/* ---- stencils ---- */

/* First place of a mixed entry whose cell is not below `cell` (entries are sorted by cell). */
static uint32_t grid_lower_bound(const tp_world *world, uint32_t begin, uint32_t end, uint64_t cell)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2u;
        if (tpi_cell_pack(tpi_grid_cell_of(world, middle)) < cell)
            begin = middle + 1u;
        else
            end = middle;
    }
    return begin;
}

/* All particles of one cell. */
static tpi_run grid_find(const tp_world *world, tpi_cell cell)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    tpi_entry entry = tpi_grid_entry(world, cell);
    uint64_t owner = grid_owners(world)[entry.bucket];
    tpi_run run = {0, 0};
    if (owner == entry.block || owner == TPI_OWNER_MIXED)
        run = (tpi_run){start[entry.entry], start[entry.entry + 1u]};
    if (owner == TPI_OWNER_MIXED) {
        uint64_t packed = tpi_cell_pack(cell);
        run.begin = grid_lower_bound(world, run.begin, run.end, packed);
        run.end = grid_lower_bound(world, run.begin, run.end, packed + 1u);
    }
    return run;
}

/* Adds a run, joined to the one before where they touch. */
static void grid_add_run(tpi_stencil *stencil, tpi_run run)
{
    uint32_t count = stencil->run_count;
    if (run.begin == run.end) return;
    if (count > 0 && stencil->runs[count - 1u].end == run.begin)
        stencil->runs[count - 1u].end = run.end;
    else
        stencil->runs[stencil->run_count++] = run;
}

static void grid_add_cell(const tp_world *world, tpi_stencil *stencil, tpi_cell cell)
{
    tpi_run run = grid_find(world, cell);
    run.end = tpi_min_u32(run.end, run.begin + world->def.sph.cell_max);
    grid_add_run(stencil, run);
}

/* Cells from .. to of one row. Inside a block they are one run of memory, unless a cell may hold more than the cap. */
static void grid_add_row(const tp_world *world, tpi_stencil *stencil, tpi_cell cell, uint32_t to)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    uint32_t mask = (1u << world->grid.shift[0]) - 1u;
    while (cell.at[0] <= to) {
        uint32_t last = tpi_min_u32(to, cell.at[0] | mask);
        tpi_entry entry = tpi_grid_entry(world, cell);
        uint64_t owner = grid_owners(world)[entry.bucket];
        if (owner == entry.block) {
            tpi_run run = {start[entry.entry], start[entry.entry + (last - cell.at[0]) + 1u]};
            if (run.end - run.begin <= world->def.sph.cell_max)
                grid_add_run(stencil, run);
            else
                for (tpi_cell c = cell; c.at[0] <= last; c.at[0]++) grid_add_cell(world, stencil, c);
        } else if (owner == TPI_OWNER_MIXED) {
            for (tpi_cell c = cell; c.at[0] <= last; c.at[0]++) grid_add_cell(world, stencil, c);
        }
        cell.at[0] = last + 1u;
    }
}

static tpi_cell grid_own(const tp_world *world, uint32_t place, tpi_stencil *stencil)
{
    tpi_cell cell = tpi_grid_cell_of(world, place);
    tpi_run own = grid_find(world, cell);
    stencil->own_begin = own.begin;
    stencil->cell_end = own.end;
    stencil->own_end = tpi_min_u32(own.end, own.begin + world->def.sph.cell_max);
    stencil->run_count = 0;
    return cell;
}

static void grid_add_neighbour_row(const tp_world *world, tpi_stencil *stencil, tpi_cell cell, int32_t dy,
                                   int32_t dz)
{
    tpi_cell row = {{cell.at[0] - 1u, cell.at[1] + (uint32_t)dy, cell.at[2] + (uint32_t)dz}};
    grid_add_row(world, stencil, row, cell.at[0] + 1u);
}

void tpi_stencil_half(const tp_world *world, uint32_t place, tpi_stencil *stencil)
{
    tpi_cell cell = grid_own(world, place, stencil);
    tpi_cell right = {{cell.at[0] + 1u, cell.at[1], cell.at[2]}};
    stencil->runs[stencil->run_count++] = (tpi_run){stencil->own_begin, stencil->own_end};
    grid_add_row(world, stencil, right, right.at[0]);
    grid_add_neighbour_row(world, stencil, cell, 1, 0);
    if (world->def.dimensions == 2) return;
    for (int32_t dy = -1; dy <= 1; dy++) grid_add_neighbour_row(world, stencil, cell, dy, 1);
}

void tpi_stencil_full(const tp_world *world, uint32_t place, tpi_stencil *stencil)
{
    tpi_cell cell = grid_own(world, place, stencil);
    int32_t deep = world->def.dimensions == 2 ? 0 : 1;
    for (int32_t dz = -deep; dz <= deep; dz++)
        for (int32_t dy = -1; dy <= 1; dy++) grid_add_neighbour_row(world, stencil, cell, dy, dz);
}

#undef TPI_OWNER_NONE
#undef TPI_OWNER_MIXED
#undef TPI_ENTRIES_PER_UNIT
#undef TPI_INSERTION_MAX
