/* SPDX-License-Identifier: MIT
   runtime/move/room.h - rooms of a level over square sectors: where a path is, and which
           triangles are near its sectors.
   reads   the rooms of a mesh in the geometry pool      writes  the cursor of a cast, a walk
   memory  2 bytes per word, 32 at most per sector, 12 per triangle of a list
   cost    see each function
   after   rooms with portals (Teller and Sequin 1991); the table is that of classic levels, see
           runtime/guide/physics.md, rooms */
#ifndef TPI_ROOM_H
#define TPI_ROOM_H
#include "collide.h"

#define TPI_ROOM_HOPS 8u /* of a path in a sub-step */
/* sectors along x, and along z, that a path touches; if there are more, it goes through the tree */
#define TPI_ROOM_LISTS_SIDE 2u
#define TPI_ROOM_PART       0x00ffffffu /* the index of a triangle in an entry */
/* cast.row of a mesh with rooms: the sector of the path's begin + 1, 0: none; with bits */
#define TPI_ROOM_FAR   0x80000000u /* the path touches more sectors, or leaves the room's box */
#define TPI_ROOM_STAYS 0x40000000u /* it leaves neither the sector nor its room */
/* cast.row_end; 0: not begun */
#define TPI_ROOM_TREE  1u
#define TPI_ROOM_LISTS 2u

/* O(1) */
TPI_INLINE bool tpi_has_rooms(const tpi_collider_item *item)
{
    return TPI_HAS_ROOMS && item->def.room_words > 0;
}
/* Bytes of the geometry pool, behind the tree. `entries`: of all lists. O(log words) */
TPI_FUNC uint64_t tpi_rooms_bytes(const tp_collider_def *def, uint32_t entries);
/* Entries of the lists of all sectors; UINT32_MAX if there are too many. O(rooms * triangles) */
TPI_FUNC uint32_t tpi_rooms_entries(const tp_collider_def *def);
/* The first fault of the rooms of a definition, or null. O(words) */
TPI_FUNC const char *tpi_rooms_check(const tp_collider_def *def);
/* Copies the words behind the mesh. O(words) */
TPI_FUNC void tpi_rooms_store(const tp_world *world, const tpi_collider_item *item,
                              const tp_collider_def *definition);
/* Computes the table of sectors and their lists, after the triangles were sorted.
   O(rooms * triangles + sectors) */
TPI_FUNC void tpi_rooms_derive(const tp_world *world, const tpi_collider_item *item,
                               const tp_collider_def *def);
/* The words, as they were given. O(log words) */
TPI_FUNC int16_t *tpi_rooms_words(const tp_world *world, const tpi_collider_item *item);

/* A triangle near a sector. */
typedef struct tpi_room_entry {
    /* its index; and bits of the quarters of the sector that it touches, along x from 24 on, along
       z from 28 on */
    uint32_t part;
    float low, high; /* m: its heights */
} tpi_room_entry;
/* The rest of a sector's list, in the order of the tree; bits of quarters that a path touches. */
typedef struct tpi_room_list {
    const tpi_room_entry *at, *end;
    uint32_t x, z;
} tpi_room_list;
typedef struct tpi_room_lists {
    tpi_room_list list[TPI_ROOM_LISTS_SIDE * TPI_ROOM_LISTS_SIDE];
    uint32_t count;
} tpi_room_lists;
/* Lists of the sectors that the bounds of a swept sphere touch, if row_end of the cast is
   TPI_ROOM_LISTS. If it is 0, begins the search: sets part, row and row_end. Returns the units:
   O(rooms at that place) */
TPI_FUNC uint32_t tpi_rooms_lists(const tp_world *world, const tpi_collider_item *item,
                                  tpi_cast *cast, tp_vector low, tp_vector high,
                                  tpi_room_lists *lists);

/* The room of a point in the frame of the collider, or -1. O(rooms at that place) */
TPI_FUNC int32_t tpi_rooms_at(const tp_world *world, const tpi_collider_item *item,
                              tp_vector point);

/* The walk of a path's centre from sector to sector. */
typedef struct tpi_room_walk {
    tp_vector from, to, move; /* m: in the frame of the collider */
    float time, end;          /* of the segment: where the walk is, and where the path ends */
    uint32_t sector;          /* + 1 */
    uint32_t hops;            /* of the path so far */
    bool is_limited;          /* `time` is where the next hop would be one too many */
} tpi_room_walk;
/* Walks on; *done at the end of the path, at a wall, or at the limit. Returns the units: one per
   sector, and per hop. */
TPI_FUNC uint32_t tpi_rooms_walk(const tp_world *world, const tpi_collider_item *item,
                                 tpi_room_walk *walk, uint32_t units, bool *done);

#endif
