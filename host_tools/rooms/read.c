/* SPDX-License-Identifier: MIT
   host_tools/rooms/read.c - reads the rooms of a level file, and checks every count and index.
   reads   the bytes of a file (FORMAT.md)      writes  rooms
   memory  malloc, freed by rooms_free      cost    O(bytes)
   after   the public description of the format */
#include "rooms.h"
#include "../common/host.h"
#include <stdlib.h>
#include <string.h>

#define VERSION    0x20u
#define TEXTURE    65536u
#define PLACE_MAX  (1 << 24) /* of a room, units */
#define HEAD_BYTES 16u

/* Bytes to `end` are left. A read beyond sets `fault`, and gives 0. */
typedef struct room_reader {
    const char *path;
    const uint8_t *bytes;
    size_t size, at;
    int fault;
} room_reader;

static int wrong(room_reader *reader, uint64_t byte, const char *text)
{
    if (!reader->fault) reader->fault = host_error(HOST_BAD_INPUT, reader->path, byte, "%s", text);
    return reader->fault;
}

static bool needs(room_reader *reader, uint64_t bytes, const char *what)
{
    if (reader->fault) return false;
    if (bytes <= reader->size - reader->at) return true;
    reader->fault = host_error(HOST_BAD_INPUT, reader->path, reader->at,
                               "expected %llu bytes of %s, found %llu: the file is truncated, or "
                               "the count before is wrong",
                               (unsigned long long)bytes, what,
                               (unsigned long long)(reader->size - reader->at));
    return false;
}

static uint32_t take(room_reader *reader, uint32_t bytes, const char *what)
{
    uint32_t value = 0;
    if (!needs(reader, bytes, what)) return 0;
    for (uint32_t k = 0; k < bytes; k++) value |= (uint32_t)reader->bytes[reader->at++] << (8u * k);
    return value;
}

static uint32_t take_u16(room_reader *reader, const char *what) { return take(reader, 2, what); }
static int32_t take_i16(room_reader *reader, const char *what)
{
    return (int16_t)(uint16_t)take(reader, 2, what);
}
static int32_t take_i32(room_reader *reader, const char *what)
{
    uint32_t bits = take(reader, 4, what);
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void skip(room_reader *reader, uint64_t bytes, const char *what)
{
    if (needs(reader, bytes, what)) reader->at += (size_t)bytes;
}

/* ---- a room */

/* Faces of a mesh: `corners` indices of vertices, then the rest of their words. */
static void skip_faces(room_reader *reader, int32_t vertices, uint32_t corners, uint32_t words,
                       const char *what)
{
    uint64_t start = reader->at;
    int32_t count = take_i16(reader, what);
    if (count < 0) wrong(reader, start, "a count of faces must not be negative");
    if (!needs(reader, (uint64_t)count * words * 2u, what)) return;
    for (int32_t i = 0; i < count && !reader->fault; i++) {
        size_t face = reader->at;
        for (uint32_t k = 0; k < corners; k++) {
            start = reader->at;
            if ((int32_t)take_u16(reader, what) >= vertices)
                wrong(reader, start, "a face names a vertex that the room does not have");
        }
        if (!reader->fault) reader->at = face + (size_t)words * 2u;
    }
}

static void skip_mesh(room_reader *reader)
{
    uint64_t start = reader->at;
    uint64_t bytes = (uint64_t)take(reader, 4, "the mesh of a room") * 2u;
    if (!needs(reader, bytes, "the mesh of a room")) return;
    size_t end = reader->at + (size_t)bytes;
    uint64_t place = reader->at;
    int32_t vertices = take_i16(reader, "vertices");
    if (vertices < 0) wrong(reader, place, "a count of vertices must not be negative");
    if (!reader->fault) skip(reader, (uint64_t)vertices * 8u, "vertices");
    if (!reader->fault) skip_faces(reader, vertices, 4, 5, "quads");
    if (!reader->fault) skip_faces(reader, vertices, 3, 4, "triangles");
    if (!reader->fault) skip_faces(reader, vertices, 1, 2, "sprites");
    if (!reader->fault && reader->at != end)
        wrong(reader, start, "the words of the mesh are not as many as its counts say");
}

static void read_portals(room_reader *reader, room *to)
{
    uint32_t count = take_u16(reader, "portals");
    if (!needs(reader, (uint64_t)count * 32u, "portals")) return;
    to->portals = host_allocate(count, sizeof *to->portals);
    if (!to->portals) {
        reader->fault = host_out_of_memory("the rooms");
        return;
    }
    to->portal_count = count;
    for (uint32_t i = 0; i < count; i++) {
        room_portal *portal = &to->portals[i];
        portal->byte = reader->at;
        portal->room = (uint16_t)take_u16(reader, "portals");
        for (uint32_t k = 0; k < 3; k++) portal->normal[k] = (int16_t)take_i16(reader, "portals");
        for (uint32_t k = 0; k < 12; k++)
            portal->corner[k / 3][k % 3] = (int16_t)take_i16(reader, "portals");
    }
}

static void read_sectors(room_reader *reader, room *to)
{
    uint64_t start = reader->at;
    to->rows = take_u16(reader, "the rows of a room");
    to->columns = take_u16(reader, "the columns of a room");
    if (reader->fault) return;
    if (!to->rows || !to->columns || to->rows > ROOMS_COLUMNS || to->columns > ROOMS_COLUMNS) {
        wrong(reader, start, "expected 1 to 128 rows and columns of sectors");
        return;
    }
    uint32_t count = to->rows * to->columns;
    if (!needs(reader, (uint64_t)count * 8u, "sectors")) return;
    to->sectors = host_allocate(count, sizeof *to->sectors);
    if (!to->sectors) {
        reader->fault = host_out_of_memory("the rooms");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        room_sector *sector = &to->sectors[i];
        sector->byte = reader->at;
        sector->data = (uint16_t)take_u16(reader, "sectors");
        (void)take_u16(reader, "sectors");
        sector->below = (uint8_t)take(reader, 1, "sectors");
        sector->floor = (int8_t)(uint8_t)take(reader, 1, "sectors");
        sector->above = (uint8_t)take(reader, 1, "sectors");
        sector->ceiling = (int8_t)(uint8_t)take(reader, 1, "sectors");
    }
}

static void read_place(room_reader *reader, room *to)
{
    to->byte = reader->at;
    if (!needs(reader, HEAD_BYTES, "a room")) return;
    to->x = take_i32(reader, "a room");
    to->z = take_i32(reader, "a room");
    to->bottom = take_i32(reader, "a room");
    to->top = take_i32(reader, "a room");
    const int32_t place[4] = {to->x, to->z, to->bottom, to->top};
    for (uint32_t k = 0; k < 4; k++) {
        if (place[k] < -PLACE_MAX || place[k] > PLACE_MAX)
            wrong(reader, to->byte + 4u * k, "expected a place within 16777216 units");
        if (place[k] % (k < 2 ? ROOMS_SIDE : ROOMS_CLICK) != 0)
            wrong(reader, to->byte + 4u * k,
                  k < 2 ? "expected a multiple of 1024: rooms stand on squares"
                        : "expected a multiple of 256: heights are in clicks");
    }
    if (to->bottom < to->top)
        wrong(reader, to->byte + 8u, "the largest y of a room is below its smallest");
}

static void read_room(room_reader *reader, room *to)
{
    read_place(reader, to);
    if (!reader->fault) skip_mesh(reader);
    if (!reader->fault) read_portals(reader, to);
    if (!reader->fault) read_sectors(reader, to);
    skip(reader, 2, "the brightness of a room");
    skip(reader, (uint64_t)take_u16(reader, "lights") * 18u, "lights");
    skip(reader, (uint64_t)take_u16(reader, "static meshes") * 18u, "static meshes");
    to->alternate = take_i16(reader, "the alternate of a room");
    to->is_water = (take_u16(reader, "the flags of a room") & 1u) != 0;
}

/* ---- floor data */

typedef struct room_words {
    uint64_t byte; /* of the first */
    uint32_t count;
} room_words;

static uint32_t word_at(const room_reader *reader, const room_words *words, uint32_t index)
{
    const uint8_t *at = reader->bytes + words->byte + 2u * (size_t)index;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

/* The word after the triggers that begin at `at`; beyond the last word: they do not end. */
static uint32_t skip_triggers(const room_reader *reader, const room_words *words, uint32_t at)
{
    bool is_last = false;
    for (at++; !is_last && at < words->count; at++) {
        uint32_t word = word_at(reader, words, at);
        is_last = (word & 0x8000u) != 0;
        if ((word >> 10 & 31u) != 6u) continue;
        if (++at < words->count) is_last = (word_at(reader, words, at) & 0x8000u) != 0;
    }
    return is_last ? at : words->count + 1u;
}

static void apply(const rooms *level, room_reader *reader, room_sector *sector, uint32_t function,
                  uint32_t word, uint64_t byte)
{
    int8_t along_x = (int8_t)(uint8_t)word, along_z = (int8_t)(uint8_t)(word >> 8);
    if (function == 1u) {
        sector->has_portal = true;
        sector->portal = (uint16_t)word;
        if (word >= level->count) wrong(reader, byte, "a portal names a room that does not exist");
    }
    if (function == 2u) sector->floor_slant[0] = along_x, sector->floor_slant[1] = along_z;
    if (function == 3u) sector->ceiling_slant[0] = along_x, sector->ceiling_slant[1] = along_z;
    if (function == 5u) sector->kills = true;
}

static void read_data(const rooms *level, room_reader *reader, const room_words *words,
                      room_sector *sector)
{
    uint32_t at = sector->data;
    if (!at) return;
    if (at >= words->count) {
        wrong(reader, sector->byte, "a sector names floor data that does not exist");
        return;
    }
    for (bool is_last = false; !is_last && !reader->fault;) {
        uint64_t byte = words->byte + 2u * (uint64_t)at;
        uint32_t word = at < words->count ? word_at(reader, words, at) : 0;
        uint32_t function = word & 31u, length = function <= 3u ? 2u : 1u;
        is_last = (word & 0x8000u) != 0;
        if (at >= words->count || function < 1u || function > 5u) {
            wrong(reader, at < words->count ? byte : sector->byte,
                  at < words->count ? "expected a function of floor data, 1 to 5"
                                    : "the floor data of a sector does not end");
            return;
        }
        uint32_t next = function == 4u ? skip_triggers(reader, words, at + 1u) : at + length;
        if (next > words->count) {
            wrong(reader, byte, "floor data runs beyond its last word");
            return;
        }
        apply(level, reader, sector, function, length == 2u ? word_at(reader, words, at + 1u) : 0,
              byte + 2u);
        at = next;
    }
}

/* ---- all rooms */

static void check_room(const rooms *level, room_reader *reader, const room *of)
{
    for (uint32_t i = 0; i < of->portal_count; i++)
        if (of->portals[i].room >= level->count)
            wrong(reader, of->portals[i].byte, "a portal names a room that does not exist");
    for (uint32_t i = 0; i < of->rows * of->columns; i++) {
        const room_sector *sector = &of->sectors[i];
        if (sector->below != ROOMS_NONE && sector->below >= level->count)
            wrong(reader, sector->byte + 4u, "a sector is above a room that does not exist");
        if (sector->above != ROOMS_NONE && sector->above >= level->count)
            wrong(reader, sector->byte + 6u, "a sector is below a room that does not exist");
    }
}

static bool corners_meet(const room *a, const room_portal *from, const room *b,
                         const room_portal *to)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 4; k++)
            if (a->x + from->corner[i][0] == b->x + to->corner[k][0] &&
                from->corner[i][1] == to->corner[k][1] &&
                a->z + from->corner[i][2] == b->z + to->corner[k][2])
                found |= 1u << i;
    return found == 15u;
}

/* Portals that coincide with one back. A wrong place of the rooms in the file shows here. */
static void pair_portals(rooms *level)
{
    for (uint32_t r = 0; r < level->count; r++)
        for (uint32_t i = 0; i < level->room[r].portal_count; i++) {
            const room_portal *portal = &level->room[r].portals[i];
            const room *other = &level->room[portal->room];
            bool meets = false;
            for (uint32_t k = 0; k < other->portal_count && !meets; k++)
                meets = other->portals[k].room == r &&
                        corners_meet(&level->room[r], portal, other, &other->portals[k]);
            level->portal_pairs += meets;
            level->portal_count++;
        }
}

static void map_rooms(rooms *level, room_reader *reader, bool is_flipped)
{
    for (uint32_t r = 0; r < level->count; r++) level->map[r] = (uint16_t)r;
    for (uint32_t r = 0; r < level->count; r++) {
        int32_t other = level->room[r].alternate;
        if (other == -1) continue;
        if (other < 0 || (uint32_t)other >= level->count || (uint32_t)other == r ||
            level->room[other].alternate != -1) {
            wrong(reader, level->room[r].byte,
                  "the alternate of this room does not exist, or has an alternate, too");
            return;
        }
        level->is_hidden[is_flipped ? r : (uint32_t)other] = true;
        if (is_flipped) level->map[r] = (uint16_t)other;
    }
}

static void read_head(rooms *level, room_reader *reader)
{
    uint32_t version = take(reader, 4, "a level");
    if (!reader->fault && version != VERSION)
        reader->fault = host_error(HOST_BAD_INPUT, reader->path, 0,
                                   "expected a level of version 0x20, found 0x%x", version);
    uint32_t textures = take(reader, 4, "a level");
    skip(reader, (uint64_t)textures * TEXTURE, "textures");
    skip(reader, 4, "a level");
    uint64_t start = reader->at;
    uint32_t count = take_u16(reader, "rooms");
    if (reader->fault) return;
    if (!count || count > ROOMS_MAX) {
        wrong(reader, start, "expected 1 to 1024 rooms");
        return;
    }
    level->room = host_allocate(count, sizeof *level->room);
    level->map = host_allocate(count, sizeof *level->map);
    level->is_hidden = host_allocate(count, sizeof *level->is_hidden);
    if (!level->room || !level->map || !level->is_hidden)
        reader->fault = host_out_of_memory("the rooms");
    else
        level->count = count;
}

int rooms_read(rooms *level, const char *path, const uint8_t *bytes, size_t size, bool is_flipped)
{
    room_reader reader = {.path = path, .bytes = bytes, .size = size};
    *level = (rooms){0};
    read_head(level, &reader);
    for (uint32_t r = 0; r < level->count && !reader.fault; r++)
        read_room(&reader, &level->room[r]);
    room_words words = {0, take(&reader, 4, "floor data")};
    words.byte = reader.at;
    skip(&reader, (uint64_t)words.count * 2u, "floor data");
    for (uint32_t r = 0; r < level->count && !reader.fault; r++) {
        const room *of = &level->room[r];
        check_room(level, &reader, of);
        for (uint32_t i = 0; i < of->rows * of->columns && !reader.fault; i++)
            read_data(level, &reader, &words, &of->sectors[i]);
    }
    if (!reader.fault) map_rooms(level, &reader, is_flipped);
    if (!reader.fault) pair_portals(level);
    if (!reader.fault && level->portal_count && !level->portal_pairs)
        wrong(&reader, level->room[0].byte,
              "expected portals that meet those of the rooms behind them, found none");
    if (reader.fault) rooms_free(level);
    return reader.fault;
}

void rooms_free(rooms *level)
{
    for (uint32_t r = 0; r < level->count; r++) {
        free(level->room[r].sectors);
        free(level->room[r].portals);
    }
    free(level->room);
    free(level->map);
    free(level->is_hidden);
    *level = (rooms){0};
}
