/* SPDX-License-Identifier: MIT
   host_tools/rooms/water.c - boxes around the open sectors of rooms with water, few of them.
   reads   rooms      writes  boxes
   memory  malloc, freed by the caller      cost    O(sectors + water rooms^3)
   after   own design */
#include "rooms.h"
#include "../common/host.h"
#include <math.h>
#include <stdlib.h>

#define TESTS_MAX (1u << 25) /* of boxes against sectors, until no more boxes are joined */

static const rooms_box empty = {{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};

static bool is_empty(const rooms_box *box)
{
    return box->low[0] >= box->high[0] || box->low[1] >= box->high[1];
}

/* Adds a sector to a box, in units; y goes up. */
static void add_sector(const room *of, uint32_t sector, rooms_box *box)
{
    int32_t floor[4], ceiling[4];
    const room_sector *from = &of->sectors[sector];
    const double x = of->x + (double)(sector / of->rows) * ROOMS_SIDE,
                 z = of->z + (double)(sector % of->rows) * ROOMS_SIDE;
    if (from->has_portal || from->floor == ROOMS_WALL || from->ceiling == ROOMS_WALL) return;
    rooms_floor(from, floor);
    rooms_ceiling(from, ceiling);
    for (int k = 0; k < 4; k++) {
        box->low[1] = fmin(box->low[1], -floor[k]);
        box->high[1] = fmax(box->high[1], -ceiling[k]);
    }
    box->low[0] = fmin(box->low[0], x);
    box->low[2] = fmin(box->low[2], z);
    box->high[0] = fmax(box->high[0], x + ROOMS_SIDE);
    box->high[2] = fmax(box->high[2], z + ROOMS_SIDE);
}

/* The smallest box around both. */
static rooms_box around(const rooms_box *a, const rooms_box *b)
{
    rooms_box both;
    for (int k = 0; k < 3; k++) {
        both.low[k] = fmin(a->low[k], b->low[k]);
        both.high[k] = fmax(a->high[k], b->high[k]);
    }
    return both;
}

/* True if two boxes have a volume in common. */
static bool meets(const rooms_box *a, const rooms_box *b)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] >= b->high[k] || b->low[k] >= a->high[k]) return false;
    return true;
}

static double volume_of(const rooms_box *box)
{
    return (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]) *
           (box->high[2] - box->low[2]);
}

/* Joins two boxes that share a whole face. */
static bool join(rooms_box *to, const rooms_box *other)
{
    int across = -1;
    for (int k = 0; k < 3; k++) {
        if (to->low[k] == other->low[k] && to->high[k] == other->high[k]) continue;
        if (across >= 0) return false;
        across = k;
    }
    if (across >= 0 && to->high[across] != other->low[across] &&
        to->low[across] != other->high[across])
        return false;
    *to = around(to, other);
    return true;
}

/* Until no two can be joined. */
static size_t join_all(rooms_box *boxes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            if (!join(&boxes[i], &boxes[k])) continue;
            boxes[k] = boxes[--count];
            i = k = 0; /* a larger box may have new neighbours */
        }
    return count;
}

/* The largest first. */
static int compare_boxes(const void *left, const void *right)
{
    const rooms_box *a = left, *b = right;
    if (volume_of(a) != volume_of(b)) return volume_of(a) > volume_of(b) ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->low[k] != b->low[k]) return a->low[k] < b->low[k] ? -1 : 1;
    return 0;
}

/* ---- rooms without water */

typedef struct dry_rooms {
    const rooms *level;
    rooms_box *around; /* the open sectors of each room; empty: it has water, or is hidden */
    uint32_t tests;
} dry_rooms;

/* Open sectors of rooms without water that are in a box in part; stops at `most`. */
static uint32_t count_dry(dry_rooms *dry, const rooms_box *box, uint32_t most)
{
    uint32_t found = 0;
    for (uint32_t r = 0; r < dry->level->count && found < most; r++) {
        const room *of = &dry->level->room[r];
        dry->tests++;
        if (!meets(&dry->around[r], box)) continue;
        for (uint32_t s = 0; s < of->rows * of->columns && found < most; s++) {
            rooms_box sector = empty;
            add_sector(of, s, &sector);
            found += !is_empty(&sector) && meets(&sector, box);
            dry->tests++;
        }
    }
    return found;
}

/* The box that, joined with box `i`, encloses the least beyond both, and rock only. */
static size_t best_partner(dry_rooms *dry, const rooms_box *boxes, size_t count, size_t i)
{
    size_t best = count;
    double least = 0;
    for (size_t k = 0; k < count && dry->tests < TESTS_MAX; k++) {
        rooms_box both = around(&boxes[i], &boxes[k]);
        double more = volume_of(&both) - volume_of(&boxes[k]);
        if (k == i || (best < count && more >= least) || count_dry(dry, &both, 1)) continue;
        best = k;
        least = more;
    }
    return best;
}

/* From the smallest box on, until there are `most`, or none can be joined. */
static size_t join_across_rock(dry_rooms *dry, rooms_box *boxes, size_t count, size_t most)
{
    for (bool is_done = false; !is_done && count > most;) {
        is_done = true;
        qsort(boxes, count, sizeof *boxes, compare_boxes);
        for (size_t i = count; i-- > 0 && count > most;) {
            size_t other = best_partner(dry, boxes, count, i);
            if (other == count) continue;
            boxes[other] = around(&boxes[other], &boxes[i]);
            boxes[i] = boxes[--count];
            is_done = false;
        }
    }
    return count;
}

/* ---- all boxes */

/* One for each room with water; the boxes of the others for tests. */
static size_t find_boxes(dry_rooms *dry, rooms_box *boxes)
{
    size_t count = 0;
    for (uint32_t r = 0; r < dry->level->count; r++) {
        const room *of = &dry->level->room[r];
        rooms_box *to = of->is_water ? &boxes[count] : &dry->around[r];
        dry->around[r] = *to = empty;
        for (uint32_t s = 0; !dry->level->is_hidden[r] && s < of->rows * of->columns; s++)
            add_sector(of, s, to);
        count += of->is_water && !is_empty(to);
    }
    return count;
}

int rooms_water(const rooms *level, double scale, size_t most, rooms_box **boxes, size_t *count,
                uint32_t *dry)
{
    dry_rooms of = {.level = level};
    *count = *dry = 0;
    *boxes = host_allocate(level->count, sizeof **boxes);
    of.around = host_allocate(level->count, sizeof *of.around);
    if (!*boxes || !of.around) {
        free(of.around);
        return host_out_of_memory("the boxes of water");
    }
    *count = join_all(*boxes, find_boxes(&of, *boxes));
    *count = join_across_rock(&of, *boxes, *count, most);
    qsort(*boxes, *count, sizeof **boxes, compare_boxes);
    for (size_t i = 0; i < *count && of.tests < TESTS_MAX; i++)
        *dry += count_dry(&of, &(*boxes)[i], UINT32_MAX);
    for (size_t i = 0; i < *count; i++)
        for (int k = 0; k < 3; k++) (*boxes)[i].low[k] *= scale, (*boxes)[i].high[k] *= scale;
    free(of.around);
    return HOST_DONE;
}
