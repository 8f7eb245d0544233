/* SPDX-License-Identifier: MIT
   runtime/grid/order.c - canonical order of particles inside an entry of the table.
   reads   ids, keys, predicted cells      writes  order[]
   memory  none of its own                 cost    one unit per particle, and its moves
   after   insertion sort; heap sort of large entries, in slices. Threads share the small entries */
#include "grid_lanes.h"
#include "../world/team.h"

/* True if order word a comes before b: by cell in a mixed bucket, then by id. */
static bool order_before(const tp_world *world, uint32_t a, uint32_t b, bool is_mixed)
{
    const uint32_t *id = tpi_words(world, world->arrays.id);
    uint32_t i = TPI_ORDER_INDEX(a), j = TPI_ORDER_INDEX(b);
    if (is_mixed) {
        uint64_t ci = tpi_cell_pack(tpi_grid_predicted(world, i)),
                 cj = tpi_cell_pack(tpi_grid_predicted(world, j));
        if (ci != cj) return ci < cj;
    }
    return id[i] < id[j];
}

/* Returns the moves; stops when they exceed moves_max. */
static uint32_t order_insertion_sort(tp_world *world, uint32_t begin, uint32_t end, bool is_mixed,
                                     uint32_t moves_max)
{
    uint32_t *order = tpi_words(world, world->arrays.order), moves = 0;
    for (uint32_t k = begin + 1u; k < end && moves <= moves_max; k++) {
        uint32_t word = order[k], at = k;
        while (at > begin && order_before(world, word, order[at - 1u], is_mixed)) {
            order[at] = order[at - 1u];
            at--;
            moves++;
        }
        order[at] = word;
    }
    return moves;
}

static void order_sift_down(tp_world *world, uint32_t begin, uint32_t size, uint32_t root,
                            bool is_mixed)
{
    uint32_t *heap = tpi_words(world, world->arrays.order) + begin;
    uint32_t word = heap[root];
    for (;;) {
        uint32_t child = 2u * root + 1u;
        if (child >= size) break;
        if (child + 1u < size && order_before(world, heap[child], heap[child + 1u], is_mixed))
            child++;
        if (!order_before(world, word, heap[child], is_mixed)) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = word;
}

static bool order_is_sorted(const tp_world *world, uint32_t begin, uint32_t end, bool is_mixed)
{
    const uint32_t *order = tpi_words(world, world->arrays.order),
                   *id = tpi_words(world, world->arrays.id);
    uint32_t last = id[TPI_ORDER_INDEX(order[begin])];
    for (uint32_t k = begin + 1u; k < end; k++) {
        uint32_t here = id[TPI_ORDER_INDEX(order[k])];
        if (is_mixed ? order_before(world, order[k], order[k - 1u], true) : here < last)
            return false;
        last = here;
    }
    return true;
}

#if TPI_LANES > 1
/* An entry of at most so many particles is sorted at once if so many moves are enough. */
#define ORDER_EARLY_SIZE  64u
#define ORDER_EARLY_MOVES 120u
/* Sorts an entry of one block without a heap if it is nearly in order: true from then on. A heap is
   in descending order, so a heap sort in progress is not taken for an entry in order. */
static bool order_is_early(tp_world *world, uint32_t begin, uint32_t end)
{
    if (end - begin > ORDER_EARLY_SIZE) return false;
    if (order_is_sorted(world, begin, end, false)) return true;
    return world->step.cursor.j == 0 &&
           order_insertion_sort(world, begin, end, false, ORDER_EARLY_MOVES) <= ORDER_EARLY_MOVES;
}
#undef ORDER_EARLY_SIZE
#undef ORDER_EARLY_MOVES
#endif

/* Heap sort of a large entry, one sift at a time: cursor.j counts the sifts done. Units: 16 per
   sift, 48 if cells are compared. */
static uint32_t order_heap_sort(tp_world *world, uint32_t begin, uint32_t end, bool is_mixed,
                                uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *heap = tpi_words(world, world->arrays.order) + begin;
    const uint32_t each = is_mixed ? 48u : 16u;
    uint32_t size = end - begin, builds = size / 2u, used = 0;
#if TPI_LANES > 1
    if (!is_mixed && order_is_early(world, begin, end)) {
        /* the units, and so the slices, are those of the heap sort */
        uint32_t sifts = tpi_min_u32(tpi_max_u32(units / each, 1u), builds + size - 1u - cursor->j);
        cursor->j += sifts;
        used = sifts * each;
    }
#endif
    while (cursor->j < builds + size - 1u && (used == 0 || used + each <= units)) {
        if (cursor->j < builds) {
            order_sift_down(world, begin, size, builds - 1u - cursor->j, is_mixed);
        } else {
            uint32_t last = size - 1u - (cursor->j - builds), word = heap[last];
            heap[last] = heap[0];
            heap[0] = word;
            order_sift_down(world, begin, last, 0, is_mixed);
        }
        cursor->j++;
        used += each;
    }
    *done = cursor->j == builds + size - 1u;
    if (*done) cursor->j = 0;
    return used;
}

/* The number of particles from index `first` on that are already in order: if ids ascend, the rest
   of a bucket with one block, because the scatter is stable. */
static uint32_t order_known(const tp_world *world, uint32_t first, uint32_t bucket)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    if (!world->step.ids_ascend || tpi_owner_is_mixed(tpi_grid_owners(world)[bucket])) return 0;
    uint64_t end = ((uint64_t)bucket + 1u) << world->grid.cells_shift;
    return start[end < world->grid.entry_count ? end : world->grid.entry_count] - first;
}

/* at most 120 moves without interruption; larger entries use the heap sort */
#define TPI_INSERTION_MAX 16u
/* the highest cost of an entry of one block that is sorted without interruption */
#define ORDER_UNITS_SMALL 46u

/* Units in addition to one per particle: 4 moves are one unit; in a mixed bucket each comparison is
   one, because it computes two cells. */
static uint32_t order_sorting_units(uint32_t size, uint32_t moves, bool is_mixed)
{
    return is_mixed ? size + moves : moves / 4u;
}

/* The entry of the particle at an index of order[]. */
TPI_INLINE uint32_t order_entry_at(const tp_world *world, uint32_t index)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    return tpi_keys(world)[TPI_ORDER_INDEX(order[index])] & TPI_KEY_ENTRY;
}

/* Sorts an entry without interruption; returns the units. */
static uint32_t order_small(tp_world *world, uint32_t begin, uint32_t end, bool is_mixed)
{
    uint32_t used = end - begin;
    if (!order_is_sorted(world, begin, end, is_mixed))
        used += order_sorting_units(
            end - begin, order_insertion_sort(world, begin, end, is_mixed, 0xffffffffu), is_mixed);
    return used;
}

/* True if an entry needs the heap sort. */
TPI_INLINE bool order_is_large(const tp_world *world, uint32_t size, bool is_mixed)
{
    return size > TPI_INSERTION_MAX && (is_mixed || !world->step.ids_ascend);
}

#if TIDEPOOL_JOBS
/* ---- by several threads ---- */

/* most units of a particle in an entry that is sorted without interruption, and of one entry */
#define ORDER_UNITS_EACH  10u
#define ORDER_UNITS_ENTRY 160u

/* Part number p sorts the small entries of particles from[p] .. from[p + 1] - 1. */
typedef struct order_turn {
    tp_world *world;
    uint32_t from[TPI_PARTS_MAX + 1u], cost[TPI_PARTS_MAX];
    bool skips[TPI_PARTS_MAX]; /* large entries are left */
} order_turn;

static void order_part(void *argument, uint32_t index)
{
    order_turn *turn = (order_turn *)argument;
    tp_world *world = turn->world;
    const uint32_t *start = tpi_words(world, world->arrays.start);
    const uint64_t *owners = tpi_grid_owners(world);
    uint32_t cost = 0, end;
    bool skips = false;
    for (uint32_t begin = turn->from[index]; begin < turn->from[index + 1u]; begin = end) {
        uint32_t entry = order_entry_at(world, begin);
        bool is_mixed = tpi_owner_is_mixed(owners[entry >> world->grid.cells_shift]);
        end = start[entry + 1u];
        if (order_is_large(world, end - begin, is_mixed))
            skips = true;
        else if (end - begin > TPI_INSERTION_MAX)
            cost += end - begin;
        else
            cost += order_small(world, begin, end, is_mixed);
    }
    turn->cost[index] = cost;
    turn->skips[index] = skips;
}

/* The first entry that begins at particle `index` or behind it: its first particle. */
static uint32_t order_entry_from(const tp_world *world, uint32_t index)
{
    const uint32_t *start = tpi_words(world, world->arrays.start);
    if (index >= world->step.count) return world->step.count;
    uint32_t entry = order_entry_at(world, index);
    return start[entry] == index ? index : start[entry + 1u];
}

/* Threads share as many small entries as `units` are enough for in any case; cursor.end is the end
   of the last ones. Returns the units. */
static uint32_t order_shared(tp_world *world, const tp_jobs *jobs, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t begin = cursor->i,
             count = tpi_min_u32(units / ORDER_UNITS_EACH, world->step.count - begin);
    if (units < ORDER_UNITS_ENTRY || !tpi_team_is_worth(jobs, count)) return 0;
    count -= tpi_min_u32(count, ORDER_UNITS_ENTRY / ORDER_UNITS_EACH);
    uint32_t parts = tpi_min_u32(2u * tpi_min_u32(jobs->workers, TPI_PARTS_MAX / 2u),
                                 count / TPI_PART_LEAST + 1u),
             used = 0;
    order_turn turn = {.world = world};
    bool skips = false;
    turn.from[0] = begin; /* may be inside an entry that is in order */
    for (uint32_t p = 1; p <= parts; p++)
        turn.from[p] = order_entry_from(world, begin + (uint32_t)((uint64_t)count * p / parts));
    jobs->run(jobs->context, order_part, &turn, parts);
    for (uint32_t p = 0; p < parts; p++) {
        used += turn.cost[p];
        skips = skips || turn.skips[p];
    }
    cursor->end = turn.from[parts];
    if (!skips) cursor->i = cursor->end;
    return used;
}
#undef ORDER_UNITS_EACH
#undef ORDER_UNITS_ENTRY
#endif

#if TPI_LANES > 1
/* Most entries are small, of one block, and in order. Passes over such entries from cursor.i on;
   returns the units. Entries are begun as by the caller, which does the rest. */
static uint32_t order_pass(tp_world *world, uint32_t units)
{
    const uint32_t *start = tpi_words(world, world->arrays.start), *keys = tpi_keys(world),
                   *order = tpi_words(world, world->arrays.order),
                   *id = tpi_words(world, world->arrays.id);
    const uint64_t *owners = tpi_grid_owners(world);
    const uint32_t begin = world->step.cursor.i, count = world->step.count,
                   shift = world->grid.cells_shift;
    uint32_t i = begin;
    while (i < count && i - begin + ORDER_UNITS_SMALL <= units) {
        uint32_t index = TPI_ORDER_INDEX(order[i]), entry = keys[index] & TPI_KEY_ENTRY,
                 end = start[entry + 1u], last = id[index], k = i + 1u;
        if (end - i > TPI_INSERTION_MAX || tpi_owner_is_mixed(owners[entry >> shift])) break;
        for (; k < end; k++) {
            uint32_t here = id[TPI_ORDER_INDEX(order[k])];
            if (here < last) break;
            last = here;
        }
        if (k < end) break;
        i = end;
    }
    world->step.cursor.i = i;
    return i - begin;
}
#endif

uint32_t tpi_grid_order(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *start = tpi_words(world, world->arrays.start);
    const uint64_t *owners = tpi_grid_owners(world);
    uint32_t used = 0;
    while (cursor->i < world->step.count && used < units) {
#if TIDEPOOL_JOBS
        const uint32_t before = cursor->end;
        if (jobs && cursor->i >= before) used += order_shared(world, jobs, units - used);
        if (cursor->end != before) continue;
#endif
#if TPI_LANES > 1
        if (!jobs && cursor->i >= cursor->end && !world->step.ids_ascend) {
            uint32_t passed = order_pass(world, units - used);
            used += passed;
            if (passed) continue;
        }
#endif
        uint32_t begin = cursor->i, entry = order_entry_at(world, begin), end = start[entry + 1u];
        uint32_t bucket = entry >> world->grid.cells_shift;
        bool is_mixed = tpi_owner_is_mixed(owners[bucket]), sorted = true;
        if (TIDEPOOL_JOBS && begin < cursor->end && !order_is_large(world, end - begin, is_mixed)) {
            cursor->i = end;
            continue;
        }
        uint32_t ordered = tpi_min_u32(order_known(world, begin, bucket), units - used);
        if (ordered) {
            cursor->i += ordered;
            used += ordered;
            continue;
        }
        if (used && used + ORDER_UNITS_SMALL > units) break;
        if (end - begin > TPI_INSERTION_MAX)
            used += order_heap_sort(world, begin, end, is_mixed, units - used, &sorted);
        else
            used += order_small(world, begin, end, is_mixed);
        if (sorted) cursor->i = end;
    }
    (void)jobs;
    *done = cursor->i == world->step.count;
    return used;
}

#undef TPI_INSERTION_MAX
#undef ORDER_UNITS_SMALL
