/* SPDX-License-Identifier: MIT
   host_tools/rooms/water.c - boxes around the open sectors of rooms with water.
   reads   rooms      writes  boxes
   memory  malloc, freed by the caller      cost    O(sectors + water rooms^3)
   after   own design */
#include "rooms.h"
#include "../common/host.h"
#include <math.h>
#include <stdlib.h>

/* Adds a sector to the box of its room, in units; y goes up. */
static void add_sector(const room *of, uint32_t sector, rooms_box *box)
{
    int32_t floor[4], ceiling[4];
    const double x = of->x + (double)(sector / of->rows) * ROOMS_SIDE,
                 z = of->z + (double)(sector % of->rows) * ROOMS_SIDE;
    rooms_floor(&of->sectors[sector], floor);
    rooms_ceiling(&of->sectors[sector], ceiling);
    for (int k = 0; k < 4; k++) {
        box->low[1] = fmin(box->low[1], -floor[k]);
        box->high[1] = fmax(box->high[1], -ceiling[k]);
    }
    box->low[0] = fmin(box->low[0], x);
    box->low[2] = fmin(box->low[2], z);
    box->high[0] = fmax(box->high[0], x + ROOMS_SIDE);
    box->high[2] = fmax(box->high[2], z + ROOMS_SIDE);
}

/* False: no sector is open. */
static bool box_of(const room *of, double scale, rooms_box *box)
{
    *box = (rooms_box){{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
    for (uint32_t s = 0; s < of->rows * of->columns; s++) {
        const room_sector *sector = &of->sectors[s];
        if (!sector->has_portal && sector->floor != ROOMS_WALL && sector->ceiling != ROOMS_WALL)
            add_sector(of, s, box);
    }
    if (box->low[0] >= box->high[0] || box->low[1] >= box->high[1]) return false;
    for (int k = 0; k < 3; k++) box->low[k] *= scale, box->high[k] *= scale;
    return true;
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
    if (across < 0) return true;
    if (to->high[across] != other->low[across] && to->low[across] != other->high[across])
        return false;
    to->low[across] = fmin(to->low[across], other->low[across]);
    to->high[across] = fmax(to->high[across], other->high[across]);
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

static double volume_of(const rooms_box *box)
{
    return (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]) *
           (box->high[2] - box->low[2]);
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

int rooms_water(const rooms *level, double scale, rooms_box **boxes, size_t *count)
{
    *count = 0;
    *boxes = host_allocate(level->count, sizeof **boxes);
    if (!*boxes) return host_out_of_memory("the boxes of water");
    for (uint32_t r = 0; r < level->count; r++)
        if (level->room[r].is_water && !level->is_hidden[r])
            *count += box_of(&level->room[r], scale, &(*boxes)[*count]);
    *count = join_all(*boxes, *count);
    qsort(*boxes, *count, sizeof **boxes, compare_boxes);
    return HOST_DONE;
}
