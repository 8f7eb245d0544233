/* SPDX-License-Identifier: MIT
   host_tools/rooms/rooms.h - levels of rooms over square sectors, and the surface around what is
           open.
   reads   the bytes of a level file (FORMAT.md)      writes  a surface of triangles
   memory  malloc, freed by rooms_free, rooms_shell_free      cost    O(bytes), O(sectors)
   after   the public description of the classic format; own design of the surface */
#ifndef TIDEPOOL_ROOMS_H
#define TIDEPOOL_ROOMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROOMS_MAX     1024u
#define ROOMS_SIDE    1024 /* units along a sector */
#define ROOMS_CLICK   256  /* units of a step of heights */
#define ROOMS_WALL    (-127)
#define ROOMS_NONE    255u
#define ROOMS_HOPS    8u /* portals that are followed from a sector */
#define ROOMS_COLUMNS 128u
/* words of a room and of a sector in the table of a collider */
#define ROOMS_ROOM_WORDS   4u
#define ROOMS_SECTOR_WORDS 9u

/* A square of a room. Heights go down; in clicks. */
typedef struct room_sector {
    uint16_t data;        /* index of its floor data; 0: none */
    uint8_t below, above; /* rooms, or ROOMS_NONE */
    int8_t floor, ceiling;
    int8_t floor_slant[2], ceiling_slant[2]; /* clicks across the sector, along x and z */
    bool has_portal, kills;
    uint16_t portal; /* the room that has the place of this sector */
    uint64_t byte;   /* in the file */
} room_sector;

/* A hole in a wall, a floor or a ceiling; corners relative to the room's x and z. */
typedef struct room_portal {
    uint16_t room;
    int16_t normal[3], corner[4][3];
    uint64_t byte;
} room_portal;

typedef struct room {
    int32_t x, z, bottom, top;
    uint32_t columns, rows; /* along x and z; sector column * rows + row */
    room_sector *sectors;
    room_portal *portals;
    uint32_t portal_count;
    int32_t alternate; /* the room that it becomes when the level is flipped, or -1 */
    bool is_water;
    uint64_t byte;
} room;

typedef struct rooms {
    room *room;
    uint32_t count;
    uint16_t *map;         /* room to the one in its place, in the state that is shown */
    bool *is_hidden;       /* rooms that this state does not show */
    uint32_t portal_pairs; /* portals whose corners are those of one back */
    uint32_t portal_count;
} rooms;

/* HOST_DONE, or an error was printed that names the byte. `is_flipped`: rooms are replaced by their
   alternates. */
int rooms_read(rooms *level, const char *path, const uint8_t *bytes, size_t size, bool is_flipped);
void rooms_free(rooms *level);

typedef struct room_cell {
    uint32_t room, sector;
} room_cell;
/* The open sector at a place in units, from a room on, through at most ROOMS_HOPS portals. False:
   it is solid, or outside of the room. */
bool rooms_find(const rooms *level, uint32_t room, int32_t x, int32_t z, room_cell *cell);
/* Heights in units, going down, of the floor or the ceiling at the corners (0,0), (1,0), (1,1),
   (0,1) of a sector along x and z. */
void rooms_floor(const room_sector *sector, int32_t corner[4]);
void rooms_ceiling(const room_sector *sector, int32_t corner[4]);

/* True if nothing is in a sector. */
bool rooms_is_rock(const room_sector *sector);
/* The rooms that are shown as tp_collider_def.rooms; the caller frees the words. */
int rooms_table(const rooms *level, int16_t **words, size_t *count);

/* ROOMS_DEADLY: a floor that kills. */
typedef enum rooms_kind {
    ROOMS_FLOOR,
    ROOMS_CEILING,
    ROOMS_SKIRT,
    ROOMS_DEADLY,
    ROOMS_KINDS
} rooms_kind;

/* Closed around all open sectors; triangles are counter-clockwise as seen from inside. y goes up:
   it is -scale times the file's. */
typedef struct rooms_shell {
    float (*points)[3];
    uint32_t *corners;
    uint8_t *kinds; /* rooms_kind of each triangle */
    size_t point_count, point_room, triangle_count, corner_room, kind_room;
    uint32_t *slots; /* hash table of the points */
    size_t slot_count;
    uint32_t open, closed; /* columns of open sectors; those without any height, which are solid */
    uint32_t overlaps;     /* columns that begin within another one: rooms at the same place */
    uint32_t portal_hops;  /* most portals that were followed from a sector to its space */
    uint32_t capped_portals; /* sectors whose portals go on after ROOMS_HOPS: they are walls */
    uint64_t capped_byte;    /* of the first such sector in the file */
    bool has_start;
    float start[3]; /* in the middle of the first open column */
} rooms_shell;
int rooms_surround(const rooms *level, const char *path, double scale, rooms_shell *shell);
void rooms_shell_free(rooms_shell *shell);

/* A box of water, m; y goes up. */
typedef struct rooms_box {
    double low[3], high[3];
} rooms_box;
/* Boxes around the open sectors of each water room that is shown, the largest first; those that
   share a whole face are one. If there are more than `most`, boxes with only rock between them are
   joined, too. `dry`: open sectors of other rooms that are in a box in part. The caller frees
   them. */
int rooms_water(const rooms *level, double scale, size_t most, rooms_box **boxes, size_t *count,
                uint32_t *dry);

#endif
