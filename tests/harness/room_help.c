/* SPDX-License-Identifier: MIT
   tests/harness/room_help.c - writes level files: two rooms, and a large random level.
   reads   -      writes  the bytes of a level file
   memory  malloc, freed by the caller      cost    O(bytes)
   after   host_tools/rooms/FORMAT.md; own design */
#include "room_help.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (4u << 20)

typedef struct writer {
    uint8_t *bytes;
    size_t size;
    uint16_t words[16384]; /* floor data */
    uint32_t word_count, random;
} writer;

static void put(writer *to, uint32_t value, uint32_t bytes)
{
    for (uint32_t k = 0; k < bytes && to->size < BYTES_MAX; k++)
        to->bytes[to->size++] = (uint8_t)(value >> 8 * k);
}
static void put_u16(writer *to, int32_t value) { put(to, (uint32_t)value, 2); }
static void put_i32(writer *to, int32_t value) { put(to, (uint32_t)value, 4); }

static writer *begin(uint32_t room_count)
{
    writer *to = calloc(1, sizeof *to);
    to->bytes = calloc(BYTES_MAX, 1);
    put(to, 0x20, 4);
    put(to, 1, 4);
    to->size += 65536;
    put(to, 0, 4);
    put(to, room_count, 2);
    to->words[to->word_count++] = 0;
    return to;
}

/* The arrays after the floor data: empty, all of them; the table of sounds has -1. */
static uint8_t *end(writer *to, size_t *size)
{
    put(to, to->word_count, 4);
    for (uint32_t k = 0; k < to->word_count; k++) put(to, to->words[k], 2);
    to->size += 19u * 4u + 8192u + 768u + 4u;
    memset(to->bytes + to->size, 0xff, 512);
    to->size += 512u + 12u;
    *size = to->size;
    uint8_t *bytes = realloc(to->bytes, to->size);
    free(to);
    return bytes;
}

static uint16_t add_word(writer *to, uint32_t word)
{
    to->words[to->word_count] = (uint16_t)word;
    return (uint16_t)to->word_count++;
}

typedef struct place {
    int32_t x, z, bottom, top;
    uint32_t columns, rows;
} place;

/* The place, and a mesh of one quad: the floor within the rim. */
static void put_place(writer *to, const place *at)
{
    const int32_t x[2] = {1024, (int32_t)(at->columns - 1) * 1024},
                  z[2] = {1024, (int32_t)(at->rows - 1) * 1024};
    put_i32(to, at->x);
    put_i32(to, at->z);
    put_i32(to, at->bottom);
    put_i32(to, at->top);
    put(to, 25, 4);
    put_u16(to, 4);
    for (uint32_t k = 0; k < 4; k++) {
        put_u16(to, x[k == 1 || k == 2]);
        put_u16(to, at->bottom);
        put_u16(to, z[k >= 2]);
        put_u16(to, 4096);
    }
    put_u16(to, 1);
    for (int32_t k = 0; k < 4; k++) put_u16(to, k);
    put_u16(to, 0);
    put_u16(to, 0);
    put_u16(to, 0);
}

static void put_sector(writer *to, uint32_t data, uint32_t below, int32_t floor, uint32_t above,
                       int32_t ceiling)
{
    put(to, data, 2);
    put(to, 0xffff, 2);
    put(to, below, 1);
    put(to, (uint32_t)floor, 1);
    put(to, above, 1);
    put(to, (uint32_t)ceiling, 1);
}

static void put_end(writer *to, int32_t alternate, int32_t flags)
{
    put_u16(to, 4096);
    put_u16(to, 0);
    put_u16(to, 0);
    put_u16(to, alternate);
    put_u16(to, flags);
}

/* ---- two rooms */

static void put_wall_portal(writer *to, uint32_t room, int32_t normal, int32_t x, int32_t z,
                            bool is_back)
{
    const int32_t y[4] = {0, 0, -2048, -2048}, beside[4] = {0, 2048, 2048, 0};
    put(to, room, 2);
    put_u16(to, normal);
    put_u16(to, 0);
    put_u16(to, 0);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t corner = is_back ? 3 - k : k;
        put_u16(to, x);
        put_u16(to, y[corner]);
        put_u16(to, z + beside[corner]);
    }
}

static void put_fixture_sectors(writer *to, const place *at, uint32_t portal_column, uint32_t first,
                                uint32_t data, bool has_block)
{
    put(to, at->rows, 2);
    put(to, at->columns, 2);
    for (uint32_t x = 0; x < at->columns; x++)
        for (uint32_t z = 0; z < at->rows; z++) {
            bool is_rim = x == 0 || z == 0 || x == at->columns - 1 || z == at->rows - 1;
            bool is_portal = x == portal_column && (z == first || z == first + 1);
            int32_t floor = at->bottom / 256, ceiling = at->top / 256;
            if (has_block && x == 2 && z == 2) floor = -2;
            put_sector(to,
                       is_portal                       ? data
                       : has_block && x == 3 && z == 3 ? 3
                                                       : 0,
                       255, is_rim ? -127 : floor, 255, is_rim ? -127 : ceiling);
        }
}

uint8_t *room_fixture(size_t *size)
{
    const place first = {0, 0, 0, -4096, 6, 6}, second = {4096, 1024, 1024, -2048, 5, 4};
    static const uint16_t words[] = {0x8001, 1, 0x8002, 0xfe02, 0x8001, 0};
    writer *to = begin(2);
    for (uint32_t k = 0; k < 6; k++) add_word(to, words[k]);
    put_place(to, &first);
    put(to, 1, 2);
    put_wall_portal(to, 1, -1, 5120, 2048, false);
    put_fixture_sectors(to, &first, 5, 2, 1, true);
    put_end(to, -1, 0);
    put_place(to, &second);
    put(to, 1, 2);
    put_wall_portal(to, 0, 1, 1024, 1024, true);
    put_fixture_sectors(to, &second, 0, 1, 5, false);
    put_end(to, -1, 0);
    return end(to, size);
}

/* ---- a random level */

#define INNER 6u /* sectors of a room within its rim, along a side */
#define TALL  20 /* clicks from a layer to the next */

static uint32_t roll(writer *to, uint32_t sides)
{
    to->random ^= to->random << 13; /* xorshift32, Marsaglia 2003 */
    to->random ^= to->random >> 17;
    to->random ^= to->random << 5;
    return (to->random >> 8) % sides;
}

typedef struct lattice {
    uint32_t seed, side, layers, room, x, z, layer;
} lattice;

/* A choice that both rooms beside a wall, or above one another, come to. */
static uint32_t agreed(const lattice *at, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t hash = at->seed;
    const uint32_t words[4] = {a, b, c, d};
    for (uint32_t k = 0; k < 4; k++) hash = (hash ^ words[k]) * 16777619u + 77u;
    return (hash ^ hash >> 15) * 2654435761u >> 16;
}

/* Two of three sectors of a wall between rooms are open. */
static bool is_gate(const lattice *at, uint32_t axis, uint32_t x, uint32_t z, uint32_t row)
{
    return agreed(at, axis, x * 64u + z, at->layer, row) % 3u != 0;
}

/* One column in eight is open between a layer and the next. */
static bool is_shaft(const lattice *at, uint32_t layer, uint32_t column, uint32_t row)
{
    if (layer + 1 >= at->layers) return false;
    uint32_t x = at->x * INNER + column, z = at->z * INNER + row;
    return agreed(at, 9u, x, z, layer) % 8u == 0;
}

static uint32_t room_at(const lattice *at, uint32_t x, uint32_t z, uint32_t layer)
{
    return (layer * at->side + x) * at->side + z;
}

static void put_inner(writer *to, const lattice *at, uint32_t column, uint32_t row)
{
    int32_t base = -TALL * (int32_t)at->layer;
    int32_t floor = base - (int32_t)roll(to, 5), ceiling = base - 9 - (int32_t)roll(to, 4);
    bool goes_down = at->layer > 0 && is_shaft(at, at->layer - 1, column, row);
    bool goes_up = is_shaft(at, at->layer, column, row);
    uint32_t data = 0, floor_slant = roll(to, 3), ceiling_slant = roll(to, 3);
    bool slants_floor = !goes_down && floor_slant == 0, slants_ceiling = !goes_up && !ceiling_slant;
    if (!goes_down && !goes_up && roll(to, 12) == 0) {
        put_sector(to, 0, 255, -127, 255, -127);
        return;
    }
    for (uint32_t k = 0; k < 2; k++) {
        if (k == 0 ? !slants_floor : !slants_ceiling) continue;
        bool is_last = k == 1 || !slants_ceiling;
        uint32_t along_x = (uint32_t)((int32_t)roll(to, 5) - 2),
                 along_z = (uint32_t)((int32_t)roll(to, 3) - 1);
        uint32_t word = add_word(to, (k == 0 ? 2u : 3u) | (is_last ? 0x8000u : 0));
        add_word(to, (along_x & 255u) | (along_z & 255u) << 8);
        if (!data) data = word;
    }
    put_sector(to, data, goes_down ? room_at(at, at->x, at->z, at->layer - 1) : 255,
               goes_down ? base + 2 : floor,
               goes_up ? room_at(at, at->x, at->z, at->layer + 1) : 255,
               goes_up ? base - TALL + 2 : ceiling);
}

/* A sector of the rim: a wall, or the place of a sector of the room beside. */
static void put_rim(writer *to, const lattice *at, uint32_t x, uint32_t z)
{
    uint32_t last = INNER + 1, data = 0;
    bool at_x = x == 0 || x == last, at_z = z == 0 || z == last, upper = x == last || z == last;
    uint32_t row = (at_x ? z : x) - 1;
    if (at_x != at_z) {
        uint32_t own = at_x ? at->x : at->z;
        bool has_room = upper ? own + 1 < at->side : own > 0;
        /* walls are named by their lower room */
        uint32_t low_x = at->x - (at_x && !upper), low_z = at->z - (at_z && !upper);
        if (has_room && is_gate(at, at_x, low_x, low_z, row)) {
            data = add_word(to, 0x8001);
            add_word(to, room_at(at, at_x ? (upper ? at->x + 1 : at->x - 1) : at->x,
                                 at_z ? (upper ? at->z + 1 : at->z - 1) : at->z, at->layer));
        }
    }
    put_sector(to, data, 255, -127, 255, -127);
}

/* Portals to the rooms beside; their corners are those of the whole wall. */
static void put_portals(writer *to, const lattice *at)
{
    uint32_t count =
        4u - (at->x == 0) - (at->x + 1 == at->side) - (at->z == 0) - (at->z + 1 == at->side);
    int32_t low = 1024, high = (int32_t)(INNER + 1) * 1024, y = -TALL * 256 * (int32_t)at->layer;
    put(to, count, 2);
    for (uint32_t side = 0; side < 4; side++) {
        bool along_x = side < 2, upper = side % 2;
        uint32_t own = along_x ? at->x : at->z, other = upper ? own + 1 : own - 1;
        if (upper ? own + 1 >= at->side : own == 0) continue;
        put(to, room_at(at, along_x ? other : at->x, along_x ? at->z : other, at->layer), 2);
        put_u16(to, along_x ? (upper ? -1 : 1) : 0);
        put_u16(to, 0);
        put_u16(to, along_x ? 0 : upper ? -1 : 1);
        for (uint32_t k = 0; k < 4; k++) {
            int32_t across = upper ? high : low, along = k == 1 || k == 2 ? high : low;
            put_u16(to, along_x ? across : along);
            put_u16(to, y - (k >= 2 ? 2048 : 0));
            put_u16(to, along_x ? along : across);
        }
    }
}

static void put_room(writer *to, const lattice *at, int32_t alternate)
{
    int32_t low = -TALL * (int32_t)at->layer * 256;
    place where = {((int32_t)(at->x * INNER) - 1) * 1024,
                   ((int32_t)(at->z * INNER) - 1) * 1024,
                   low,
                   low - 16 * 256,
                   INNER + 2,
                   INNER + 2};
    put_place(to, &where);
    put_portals(to, at);
    put(to, INNER + 2, 2);
    put(to, INNER + 2, 2);
    for (uint32_t x = 0; x < INNER + 2; x++)
        for (uint32_t z = 0; z < INNER + 2; z++) {
            if (x == 0 || z == 0 || x == INNER + 1 || z == INNER + 1)
                put_rim(to, at, x, z);
            else
                put_inner(to, at, x - 1, z - 1);
        }
    put_end(to, alternate, at->layer == 0 && roll(to, 2) == 0);
}

static void take_place(lattice *at, uint32_t room)
{
    at->room = room;
    at->z = room % at->side;
    at->x = room / at->side % at->side;
    at->layer = room / at->side / at->side;
}

/* One room in five has an alternate; those come last. */
uint8_t *room_random(uint32_t seed, uint32_t side, uint32_t layers, size_t *size)
{
    lattice at = {.seed = seed, .side = side, .layers = layers};
    uint32_t count = side * side * layers, more = (count + 4) / 5;
    writer *to = begin(count + more);
    to->random = seed * 2654435761u + 1u;
    for (uint32_t room = 0; room < count; room++) {
        take_place(&at, room);
        put_room(to, &at, room % 5u ? -1 : (int32_t)(count + room / 5u));
    }
    for (uint32_t k = 0; k < more; k++) {
        take_place(&at, 5 * k);
        put_room(to, &at, -1);
    }
    return end(to, size);
}

/* ---- pools */

/* A room with a rim; over `pools` two of three of its columns are open to a pool. */
static void put_row(writer *to, const place *at, uint32_t pools, uint32_t above, int32_t flags)
{
    put_place(to, at);
    put(to, 0, 2);
    put(to, at->rows, 2);
    put(to, at->columns, 2);
    for (uint32_t x = 0; x < at->columns; x++)
        for (uint32_t z = 0; z < at->rows; z++) {
            bool is_rim = x == 0 || z == 0 || x == at->columns - 1 || z == at->rows - 1;
            uint32_t below = pools && x % 3 ? 1 + x / 3 : 255;
            if (is_rim)
                put_sector(to, 0, 255, -127, 255, -127);
            else
                put_sector(to, 0, below, at->bottom / 256, above, at->top / 256);
        }
    put_end(to, -1, flags);
}

uint8_t *room_pools(uint32_t pools, bool has_cellars, size_t *size)
{
    writer *to = begin(has_cellars ? 2 * pools : 1 + pools);
    const place hall = {0, 0, 0, -2048, 3 * pools + 1, 5};
    put_row(to, &hall, pools, 255, 0);
    for (uint32_t k = 0; k < pools; k++) {
        const place pool = {3072 * (int32_t)k, 0, 1024 + 256 * (int32_t)(k % 5), 0, 4, 5};
        put_row(to, &pool, 0, 0, 1);
    }
    for (uint32_t k = 1; has_cellars && k < pools; k++) {
        const place cellar = {3072 * (int32_t)k - 1024, 0, 1024, 512, 3, 5};
        put_row(to, &cellar, 0, 255, 0);
    }
    return end(to, size);
}

static void count_error(host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                        const char *text)
{
    room_errors *to = (room_errors *)(void *)listener;
    (void)kind, (void)file, (void)text;
    to->byte = offset;
    to->errors++;
}

room_errors room_errors_none(void)
{
    room_errors none = {.listener = {.take = count_error}};
    return none;
}
