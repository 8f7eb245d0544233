/* SPDX-License-Identifier: MIT
   host_tools/rooms/table.c - the rooms of a level as words for the runtime's colliders.
   reads   rooms      writes  words (runtime/guide/physics.md, rooms)
   memory  malloc, freed by the caller      cost    O(sectors)
   after   own design */
#include "rooms.h"
#include "../common/host.h"
#include <stdlib.h>

/* The room that the level shows in the place of another one, or -1. */
static int16_t shown(const rooms *level, uint32_t number, bool exists)
{
    return (int16_t)(exists ? level->map[number] : -1);
}

/* The height at the first corner, then what it gains along x and z; clicks, going up. */
static void put_plane(const int32_t corner[4], int16_t word[3])
{
    word[0] = (int16_t)(-corner[0] / ROOMS_CLICK);
    word[1] = (int16_t)((corner[0] - corner[1]) / ROOMS_CLICK);
    word[2] = (int16_t)((corner[0] - corner[3]) / ROOMS_CLICK);
}

static void put_sector(const rooms *level, uint32_t room_of, const room_sector *sector,
                       int16_t word[ROOMS_SECTOR_WORDS])
{
    int32_t corner[4];
    bool is_solid = level->is_hidden[room_of] || (!sector->has_portal && rooms_is_rock(sector));
    word[0] = is_solid ? -2 : shown(level, sector->portal, sector->has_portal);
    word[1] = shown(level, sector->below, sector->below != ROOMS_NONE);
    word[2] = shown(level, sector->above, sector->above != ROOMS_NONE);
    for (int k = 3; k < (int)ROOMS_SECTOR_WORDS; k++) word[k] = 0;
    if (is_solid || sector->has_portal) return;
    rooms_floor(sector, corner);
    put_plane(corner, word + 3);
    rooms_ceiling(sector, corner);
    put_plane(corner, word + 6);
}

int rooms_table(const rooms *level, int16_t **words, size_t *count)
{
    size_t sectors = 0;
    for (uint32_t r = 0; r < level->count; r++)
        sectors += (size_t)level->room[r].rows * level->room[r].columns;
    *count = 1 + ROOMS_ROOM_WORDS * level->count + ROOMS_SECTOR_WORDS * sectors;
    *words = host_allocate(*count, sizeof **words);
    if (!*words) return host_out_of_memory("the rooms");
    int16_t *to = *words;
    *to++ = (int16_t)level->count;
    for (uint32_t r = 0; r < level->count; r++, to += ROOMS_ROOM_WORDS) {
        const room *of = &level->room[r];
        to[0] = (int16_t)(of->x / ROOMS_SIDE);
        to[1] = (int16_t)(of->z / ROOMS_SIDE);
        to[2] = (int16_t)of->columns;
        to[3] = (int16_t)of->rows;
    }
    for (uint32_t r = 0; r < level->count; r++)
        for (uint32_t s = 0; s < level->room[r].rows * level->room[r].columns; s++) {
            put_sector(level, r, &level->room[r].sectors[s], to);
            to += ROOMS_SECTOR_WORDS;
        }
    return HOST_DONE;
}
