/* SPDX-License-Identifier: MIT
   runtime/move/room.c - rooms of a level: the sector of a point, the triangles near a sector, and
           the walk of a path from room to room.
   reads   the words of a mesh's rooms      writes  the geometry pool when a mesh is added
   memory  2 bytes per word, 32 at most per sector, 12 per triangle of a list
   cost    O(rooms at one place) to find one
   after   portals and sectors of classic levels, see runtime/guide/physics.md, rooms. Open sectors
           of all rooms are in a hash table by their place. Each room has a regular grid of its
           sectors with lists of the triangles there (a cell list), in the order of the mesh's tree:
           paths make those tests of the tree that can hit, in its order */
#include "room.h"

#define ROOM_ROOMS_MAX  1024u
#define ROOM_WORDS_MAX  16777216u
#define ROOM_PLACE_MAX  16384
#define ROOM_SIDE_MAX   128
#define ROOM_ORIGIN     (2 * ROOM_PLACE_MAX)
#define ROOM_WORDS      4u /* of a room: x, z, columns, rows */
#define ROOM_SECTOR     9u /* words of a sector */
#define ROOM_FLOOR      3u /* the word of its height at the sector's corner; then its slopes */
#define ROOM_CEILING    6u
#define ROOM_NONE       (-1)
#define ROOM_SOLID      (-2)
#define ROOM_PROBES_MAX 64u   /* of the chain of one place in the hash table */
#define ROOM_MARGIN     0.25f /* of a sector: above and below a room */
#define ROOM_SLACK      1e-3f /* of a sector: a point is in it up to this far below its floor */
#define ROOM_INSET      0.00390625f /* of a sector, 2^-8: triangles end this far inside their box */
#define ROOM_OUTSET     0.0078125f  /* bounds of a path are wider by this */

/* link words of a sector: the room that has its place, those below and above */
enum { ROOM_PORTAL, ROOM_BELOW, ROOM_ABOVE };

typedef struct room_head {
    uint32_t rooms, sectors, mask;
    uint32_t sector_table, chains, entries, words; /* bytes behind the head, which rooms follow */
} room_head;

typedef struct room_place {
    uint32_t first;  /* sector */
    float low, high; /* m: of all that is open, with a margin */
} room_place;

typedef struct room_sector {
    uint32_t list;        /* its first entry; the list ends where the next sector's begins */
    uint32_t next;        /* + 1: the next one of the same chain of the hash table */
    float floor, ceiling; /* m: the highest point of its floor, the lowest of its ceiling */
    int16_t x, z;         /* in sectors */
    uint32_t room;
} room_sector;

typedef struct room_view {
    room_head *head;
    room_place *rooms;
    room_sector *sectors;
    uint32_t *chains; /* sector + 1 */
    tpi_room_entry *entries;
    int16_t *words;
    float side, inverse, click; /* m; 1/m; m */
} room_view;

/* ---- the layout ---- */

/* At most so many rooms and sectors have so many words. */
static uint32_t room_rooms_most(uint32_t words) { return words / (ROOM_WORDS + ROOM_SECTOR); }
static uint32_t room_sectors_most(uint32_t words) { return words / ROOM_SECTOR; }

/* Chains of the hash table: a power of two. */
static uint32_t room_chains(uint32_t words)
{
    uint32_t chains = 1;
    while (chains < room_sectors_most(words)) chains *= 2u;
    return chains;
}

/* Offsets of the arrays behind the head; returns the end of the last one. */
static uint64_t room_layout(uint32_t words, uint32_t entries, uint64_t offsets[4])
{
    offsets[0] = (uint64_t)room_rooms_most(words) * sizeof(room_place);
    offsets[1] = offsets[0] + ((uint64_t)room_sectors_most(words) + 1u) * sizeof(room_sector);
    offsets[2] = offsets[1] + (uint64_t)room_chains(words) * sizeof(uint32_t);
    offsets[3] = offsets[2] + (uint64_t)entries * sizeof(tpi_room_entry);
    return offsets[3] + ((uint64_t)words + 1u) / 2u * 4u;
}

uint64_t tpi_rooms_bytes(const tp_collider_def *def, uint32_t entries)
{
    uint64_t offsets[4];
    if (!TPI_HAS_ROOMS || def->room_words == 0) return 0;
    return sizeof(room_head) + room_layout(def->room_words, entries, offsets);
}

static room_view room_view_of(const tp_world *world, const tpi_collider_item *item)
{
    const float side = item->def.spacing;
    room_head *head = (room_head *)tpi_at(world, world->geometry + tpi_mesh_end(item));
    char *at = (char *)(head + 1);
    return (room_view){head,
                       (room_place *)(void *)at,
                       (room_sector *)(void *)(at + head->sector_table),
                       (uint32_t *)(void *)(at + head->chains),
                       (tpi_room_entry *)(void *)(at + head->entries),
                       (int16_t *)(void *)(at + head->words),
                       side,
                       1.0f / side,
                       0.25f * side};
}

int16_t *tpi_rooms_words(const tp_world *world, const tpi_collider_item *item)
{
    uint64_t offsets[4];
    (void)room_layout(item->def.room_words, item->room_entries, offsets);
    return (int16_t *)tpi_at(world, world->geometry + tpi_mesh_end(item) +
                                        (uint32_t)(sizeof(room_head) + offsets[3]));
}

static const int16_t *room_words(const room_view *view, uint32_t room)
{
    return view->words + 1u + (size_t)room * ROOM_WORDS;
}

static const int16_t *room_sector_words(const room_view *view, uint32_t sector)
{
    return view->words + 1u + (size_t)view->head->rooms * ROOM_WORDS + (size_t)sector * ROOM_SECTOR;
}

/* ---- checks ---- */

static const char *room_check_places(const tp_collider_def *def, uint32_t count, uint64_t *sectors)
{
    const int16_t *word = def->rooms + 1;
    *sectors = 0;
    for (uint32_t room = 0; room < count; room++, word += ROOM_WORDS) {
        if (word[0] < -ROOM_PLACE_MAX || word[0] > ROOM_PLACE_MAX || word[1] < -ROOM_PLACE_MAX ||
            word[1] > ROOM_PLACE_MAX)
            return TPI_TEXT("rooms: x and z of a room must be -16384 to 16384");
        if (word[2] < 1 || word[2] > ROOM_SIDE_MAX || word[3] < 1 || word[3] > ROOM_SIDE_MAX)
            return TPI_TEXT("rooms: columns and rows of a room must be 1 to 128");
        *sectors += (uint32_t)word[2] * (uint32_t)word[3];
    }
    return NULL;
}

static const char *room_check_sectors(const tp_collider_def *def, uint32_t count, uint64_t sectors)
{
    const int16_t *word = def->rooms + 1u + (size_t)count * ROOM_WORDS;
    for (uint64_t sector = 0; sector < sectors; sector++, word += ROOM_SECTOR) {
        if (word[ROOM_PORTAL] < ROOM_SOLID || word[ROOM_PORTAL] >= (int32_t)count)
            return TPI_TEXT("rooms: the portal of a sector must be -2 to the last room");
        if (word[ROOM_BELOW] < ROOM_NONE || word[ROOM_BELOW] >= (int32_t)count)
            return TPI_TEXT("rooms: the room below a sector must be -1 to the last room");
        if (word[ROOM_ABOVE] < ROOM_NONE || word[ROOM_ABOVE] >= (int32_t)count)
            return TPI_TEXT("rooms: the room above a sector must be -1 to the last room");
    }
    return NULL;
}

const char *tpi_rooms_check(const tp_collider_def *def)
{
    if (!TPI_HAS_ROOMS) return TPI_TEXT("rooms are left out by TP_WITHOUT_QUERIES");
    if (def->shape != TP_COLLIDER_MESH)
        return TPI_TEXT("room_words must be 0 for all shapes but TP_COLLIDER_MESH");
    if (!def->rooms || def->room_words > ROOM_WORDS_MAX)
        return TPI_TEXT("rooms must not be null if room_words is above 0, at most 16777216");
    if (!tpi_is_within(def->spacing, 1e-4f, 1e4f))
        return TPI_TEXT("spacing, the side of a sector of rooms, must be 1e-4 to 1e4");
    uint64_t sectors, count = def->rooms[0] > 0 ? (uint64_t)def->rooms[0] : 0u;
    if (count < 1 || count > ROOM_ROOMS_MAX)
        return TPI_TEXT("rooms must begin with their number, 1 to 1024");
    if (def->room_words < 1u + count * ROOM_WORDS)
        return TPI_TEXT("room_words must be 1 + 4 per room + 9 per sector: rooms may be cut off");
    const char *text = room_check_places(def, (uint32_t)count, &sectors);
    if (text) return text;
    if (def->room_words != 1u + count * ROOM_WORDS + sectors * ROOM_SECTOR)
        return TPI_TEXT("room_words must be 1 + 4 per room + 9 per sector: rooms may be cut off");
    return room_check_sectors(def, (uint32_t)count, sectors);
}

/* ---- the lists of triangles ---- */

/* Quarters of sectors along an axis, counted from ROOM_ORIGIN, so that none is negative; or sectors
   of a room. Empty: first > last. */
typedef struct room_span {
    int32_t first, last;
} room_span;
typedef struct room_range {
    room_span x, z;
} room_range;

static room_span room_quarters(float low, float high, float inverse)
{
    const float most = (float)(2 * ROOM_PLACE_MAX);
    high = tpi_max(low, high); /* both ends of a sliver become its middle, by rounding crossed */
    return (room_span){tpi_floor(tpi_clamp(low * inverse, -most, most) * 4.0f) + 4 * ROOM_ORIGIN,
                       tpi_floor(tpi_clamp(high * inverse, -most, most) * 4.0f) + 4 * ROOM_ORIGIN};
}

/* The sectors of a room, which begins at `begin`. */
static room_span room_clip(room_span quarters, int32_t begin, int32_t count)
{
    int32_t first = quarters.first / 4 - ROOM_ORIGIN - begin,
            last = quarters.last / 4 - ROOM_ORIGIN - begin;
    return (room_span){first > 0 ? first : 0, last < count ? last : count - 1};
}

/* Bits of the quarters of one sector. */
static uint32_t room_bits(room_span quarters, int32_t sector)
{
    int32_t begin = 4 * (sector + ROOM_ORIGIN), first = quarters.first - begin,
            last = quarters.last - begin;
    return (0xfu << (first > 0 ? first : 0) & 0xfu) & 0xfu >> (last < 3 ? 3 - last : 0);
}

/* The box of a triangle. */
static void room_box(const tp_collider_def *def, uint32_t triangle, tp_vector *least,
                     tp_vector *most)
{
    const uint32_t *corner = def->indices + 3u * (size_t)triangle;
    const tp_vector a = def->vertices[corner[0]], b = def->vertices[corner[1]],
                    c = def->vertices[corner[2]];
    *least = tpi_vector(tpi_min(tpi_min(a.x, b.x), c.x), tpi_min(tpi_min(a.y, b.y), c.y),
                        tpi_min(tpi_min(a.z, b.z), c.z));
    *most = tpi_vector(tpi_max(tpi_max(a.x, b.x), c.x), tpi_max(tpi_max(a.y, b.y), c.y),
                       tpi_max(tpi_max(a.z, b.z), c.z));
}

/* Where a box is. Quarters that it touches with its border only do not count: paths look beyond
   their bounds. */
static room_range room_range_of(const tp_collider_def *def, tp_vector least, tp_vector most)
{
    const float inset = ROOM_INSET * def->spacing, inverse = 1.0f / def->spacing;
    float wide_x = tpi_min(inset, 0.5f * (most.x - least.x)),
          wide_z = tpi_min(inset, 0.5f * (most.z - least.z));
    return (room_range){room_quarters(least.x + wide_x, most.x - wide_x, inverse),
                        room_quarters(least.z + wide_z, most.z - wide_z, inverse)};
}

/* The lowest corner of a plane of a sector, in clicks; with sign -1 the highest. */
static float room_extent(const int16_t *word, float sign)
{
    float x = (float)word[1], z = (float)word[2];
    return (float)word[0] + sign * (tpi_min(sign * x, 0.0f) + tpi_min(sign * z, 0.0f));
}

/* The heights of all open sectors of a room, with a margin; low > high: none is open. */
static room_place room_place_of(const int16_t *sectors, uint32_t count, float side)
{
    float least = FLT_MAX, most = -FLT_MAX;
    for (uint32_t sector = 0; sector < count; sector++, sectors += ROOM_SECTOR) {
        if (sectors[ROOM_PORTAL] != ROOM_NONE) continue;
        least = tpi_min(least, room_extent(sectors + ROOM_FLOOR, 1.0f));
        most = tpi_max(most, room_extent(sectors + ROOM_CEILING, -1.0f));
    }
    if (least > most) return (room_place){0, FLT_MAX, -FLT_MAX};
    return (room_place){0, (0.25f * least - ROOM_MARGIN) * side,
                        (0.25f * most + ROOM_MARGIN) * side};
}

/* Adds a triangle to the lists of a room's sectors: counts it, with `sectors` also in each list,
   with `entries` puts it there, and `list` of a sector moves to the begin of the next one's. */
static uint64_t room_put(const tp_collider_def *def, uint32_t triangle, const int16_t *of,
                         const room_place *at, room_sector *sectors, tpi_room_entry *entries)
{
    tpi_room_entry entry;
    const float side = def->spacing, x0 = (float)of[0] * side, z0 = (float)of[1] * side;
    tp_vector least, most;
    room_box(def, triangle, &least, &most);
    if (most.y < at->low || least.y > at->high || most.x < x0 - side || most.z < z0 - side ||
        least.x > x0 + (float)(of[2] + 1) * side || least.z > z0 + (float)(of[3] + 1) * side)
        return 0;
    const room_range range = room_range_of(def, least, most);
    const room_span columns = room_clip(range.x, of[0], of[2]),
                    rows = room_clip(range.z, of[1], of[3]);
    if (columns.last < columns.first || rows.last < rows.first) return 0;
    entry.low = least.y;
    entry.high = most.y;
    for (int32_t x = columns.first; sectors && x <= columns.last; x++)
        for (int32_t z = rows.first; z <= rows.last; z++) {
            room_sector *to = &sectors[at->first + (uint32_t)(x * of[3] + z)];
            entry.part = triangle | room_bits(range.x, of[0] + x) << 24 |
                         room_bits(range.z, of[1] + z) << 28;
            if (entries) entries[to->list] = entry;
            to->list++;
        }
    return (uint64_t)(columns.last - columns.first + 1) * (uint64_t)(rows.last - rows.first + 1);
}

uint32_t tpi_rooms_entries(const tp_collider_def *def)
{
    if (!TPI_HAS_ROOMS || def->room_words == 0) return 0;
    const int16_t *of = def->rooms + 1, *sectors = of + (size_t)def->rooms[0] * ROOM_WORDS;
    uint64_t entries = 0;
    for (int32_t room = 0; room < def->rooms[0]; room++, of += ROOM_WORDS) {
        uint32_t count = (uint32_t)of[2] * (uint32_t)of[3];
        const room_place at = room_place_of(sectors, count, def->spacing);
        sectors += (size_t)count * ROOM_SECTOR;
        for (uint32_t k = 0; k < def->triangle_count; k++)
            entries += room_put(def, k, of, &at, NULL, NULL);
    }
    return entries < UINT32_MAX ? (uint32_t)entries : UINT32_MAX;
}

/* After counting, the lists begin where those before end. */
static void room_begin_lists(const room_view *view)
{
    uint32_t end = 0;
    for (uint32_t sector = 0; sector < view->head->sectors; sector++) {
        uint32_t size = view->sectors[sector].list;
        view->sectors[sector].list = end;
        end += size;
    }
}

/* Fills the lists of all rooms: counts, then puts. */
static void room_list(const room_view *view, const tp_collider_def *def)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t room = 0; room < view->head->rooms; room++)
            for (uint32_t k = 0; k < def->triangle_count; k++)
                (void)room_put(def, k, room_words(view, room), &view->rooms[room], view->sectors,
                               pass ? view->entries : NULL);
        if (pass == 0) room_begin_lists(view);
    }
    for (uint32_t sector = view->head->sectors; sector-- > 0;)
        view->sectors[sector + 1u].list = view->sectors[sector].list;
    view->sectors[0].list = 0;
}

/* ---- the table ---- */

void tpi_rooms_store(const tp_world *world, const tpi_collider_item *item,
                     const tp_collider_def *definition)
{
    int16_t *words = tpi_rooms_words(world, item);
    const uint32_t count = definition->room_words;
    if (count & 1u) words[count] = 0;
    tpi_memcpy(words, definition->rooms, count * sizeof(int16_t));
}

static uint32_t room_slot(const room_view *view, int32_t x, int32_t z)
{
    uint32_t hash = (uint32_t)x * 0x9e3779b1u + (uint32_t)z * 0x85ebca77u;
    return (hash ^ hash >> 15) & view->head->mask;
}

/* Height of a floor or ceiling over a point, `plane`: ROOM_FLOOR or ROOM_CEILING. */
static float room_height(const room_view *view, uint32_t sector, uint32_t plane, float x, float z)
{
    const room_sector *at = &view->sectors[sector];
    const int16_t *word = room_sector_words(view, sector) + plane;
    float u = x * view->inverse - (float)at->x, v = z * view->inverse - (float)at->z;
    return ((float)word[0] + (float)word[1] * u + (float)word[2] * v) * view->click;
}

static void room_derive_sector(const room_view *view, uint32_t room, uint32_t sector)
{
    const int16_t *of = room_words(view, room), *word = room_sector_words(view, sector);
    room_sector *at = &view->sectors[sector];
    uint32_t own = sector - view->rooms[room].first, rows = (uint32_t)of[3];
    at->room = room;
    at->x = (int16_t)(of[0] + (int32_t)(own / rows));
    at->z = (int16_t)(of[1] + (int32_t)(own % rows));
    if (word[ROOM_PORTAL] != ROOM_NONE) return;
    at->floor = room_extent(word + ROOM_FLOOR, -1.0f) * view->click;
    at->ceiling = room_extent(word + ROOM_CEILING, 1.0f) * view->click;
    uint32_t slot = room_slot(view, at->x, at->z);
    at->next = view->chains[slot];
    view->chains[slot] = sector + 1u;
}

static void room_derive_head(room_head *head, const tp_collider_def *def, uint32_t entries)
{
    uint64_t offsets[4];
    (void)room_layout(def->room_words, entries, offsets);
    head->mask = room_chains(def->room_words) - 1u;
    head->rooms = (uint32_t)def->rooms[0];
    head->sectors = (def->room_words - 1u - head->rooms * ROOM_WORDS) / ROOM_SECTOR;
    head->sector_table = (uint32_t)offsets[0];
    head->chains = (uint32_t)offsets[1];
    head->entries = (uint32_t)offsets[2];
    head->words = (uint32_t)offsets[3];
}

/* The last sector first: the chains of the hash table ascend. */
void tpi_rooms_derive(const tp_world *world, const tpi_collider_item *item,
                      const tp_collider_def *def)
{
    room_head *head = (room_head *)tpi_at(world, world->geometry + tpi_mesh_end(item));
    uint32_t first = 0;
    room_derive_head(head, def, item->room_entries);
    const room_view view = room_view_of(world, item);
    tpi_memset(head + 1, 0, head->entries);
    for (uint32_t room = 0; room < head->rooms; room++) {
        const int16_t *of = room_words(&view, room);
        uint32_t count = (uint32_t)of[2] * (uint32_t)of[3];
        view.rooms[room] = room_place_of(room_sector_words(&view, first), count, view.side);
        view.rooms[room].first = first;
        first += count;
    }
    for (uint32_t room = head->rooms, end = first; room-- > 0; end = view.rooms[room].first)
        for (uint32_t sector = end; sector-- > view.rooms[room].first;)
            room_derive_sector(&view, room, sector);
    room_list(&view, def);
}

/* ---- the sector of a point ---- */

/* Between the highest point of its floor and the lowest of its ceiling no slant counts. */
static bool room_has(const room_view *view, uint32_t sector, tp_vector point, float slack)
{
    const room_sector *at = &view->sectors[sector];
    if (point.y >= at->floor && point.y < at->ceiling) return true;
    return point.y >= room_height(view, sector, ROOM_FLOOR, point.x, point.z) - slack &&
           point.y < room_height(view, sector, ROOM_CEILING, point.x, point.z) + slack;
}

/* The sector of a coordinate, in all of the plane. */
static int32_t room_cell(const room_view *view, float at)
{
    const float most = (float)(2 * ROOM_PLACE_MAX);
    return tpi_floor(tpi_clamp(at * view->inverse, -most, most));
}

/* The first open sector that has a point, + 1; 0: none. A point at a surface may be out of all by
   rounding: then the first that has it nearly. */
static uint32_t room_find(const room_view *view, tp_vector point, uint32_t *units)
{
    int32_t x = room_cell(view, point.x), z = room_cell(view, point.z);
    uint32_t at = view->chains[room_slot(view, x, z)], nearly = 0;
    for (uint32_t probes = 0; at && probes < ROOM_PROBES_MAX; probes++) {
        const room_sector *sector = &view->sectors[at - 1u];
        bool is_there = sector->x == x && sector->z == z;
        ++*units;
        if (is_there && room_has(view, at - 1u, point, 0.0f)) return at;
        if (is_there && !nearly && room_has(view, at - 1u, point, ROOM_SLACK * view->side))
            nearly = at;
        at = sector->next;
    }
    return nearly;
}

/* Where the bounds of a path are. */
static room_range room_touched(const room_view *view, tp_vector low, tp_vector high)
{
    const float outset = ROOM_OUTSET * view->side;
    return (room_range){room_quarters(low.x - outset, high.x + outset, view->inverse),
                        room_quarters(low.z - outset, high.z + outset, view->inverse)};
}

/* True if the grid of a room has all sectors along an axis, and few. */
static bool room_has_span(room_span quarters, int32_t begin, int32_t count)
{
    int32_t first = quarters.first / 4 - ROOM_ORIGIN, last = quarters.last / 4 - ROOM_ORIGIN;
    return first >= begin && last < begin + count && last - first < (int32_t)TPI_ROOM_LISTS_SIDE;
}

/* True if the lists of a room have all triangles within the bounds. */
static bool room_covers(const room_view *view, uint32_t room, const room_range *range,
                        tp_vector low, tp_vector high)
{
    const room_place *at = &view->rooms[room];
    const int16_t *of = room_words(view, room);
    return room_has_span(range->x, of[0], of[2]) && room_has_span(range->z, of[1], of[3]) &&
           low.y >= at->low && high.y <= at->high;
}

/* True if the path's centre leaves neither its sector nor the heights between all its slants. */
static bool room_stays(const room_view *view, const room_sector *at, const tpi_cast *cast)
{
    float x = (float)at->x * view->side, z = (float)at->z * view->side;
    tp_vector low, high;
    tpi_sweep_bounds(cast->from, tpi_add(cast->from, cast->move), 0.0f, &low, &high);
    return low.x >= x && high.x < x + view->side && low.z >= z && high.z < z + view->side &&
           low.y >= at->floor && high.y < at->ceiling;
}

/* Begins the search of a path: finds its sector, and whether its room's lists suffice. */
static uint32_t room_enter(const room_view *view, tpi_cast *cast, const room_range *range,
                           tp_vector low, tp_vector high)
{
    uint32_t units = 0, found = room_find(view, cast->from, &units);
    cast->part = 0;
    cast->row = found;
    cast->row_end = TPI_ROOM_TREE;
    if (!found) return units;
    const room_sector *at = &view->sectors[found - 1u];
    if (room_covers(view, at->room, range, low, high))
        cast->row_end = TPI_ROOM_LISTS;
    else
        cast->row |= TPI_ROOM_FAR;
    if (room_stays(view, at, cast)) cast->row |= TPI_ROOM_STAYS;
    return units;
}

/* The first entry of a list from a triangle on. */
static const tpi_room_entry *room_from(const tpi_room_entry *begin, const tpi_room_entry *end,
                                       uint32_t part)
{
    while (part > 0 && begin < end) {
        const tpi_room_entry *middle = begin + (end - begin) / 2;
        if ((middle->part & TPI_ROOM_PART) < part)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

uint32_t tpi_rooms_lists(const tp_world *world, const tpi_collider_item *item, tpi_cast *cast,
                         tp_vector low, tp_vector high, tpi_room_lists *lists)
{
    const room_view view = room_view_of(world, item);
    const room_range range = room_touched(&view, low, high);
    uint32_t units = cast->row_end ? 0u : room_enter(&view, cast, &range, low, high);
    lists->count = 0;
    if (cast->row_end != TPI_ROOM_LISTS) return units;
    const uint32_t sector = (cast->row & ~TPI_ROOM_STAYS) - 1u;
    if (sector >= view.head->sectors || /* the cursor of a ray at another mesh */
        !room_covers(&view, view.sectors[sector].room, &range, low, high)) {
        cast->row_end = TPI_ROOM_TREE;
        cast->part = cast->subpart = 0;
        return units;
    }
    const uint32_t room = view.sectors[sector].room;
    const int16_t *of = room_words(&view, room);
    const room_span columns = room_clip(range.x, of[0], of[2]),
                    rows = room_clip(range.z, of[1], of[3]);
    for (int32_t x = columns.first; x <= columns.last; x++)
        for (int32_t z = rows.first; z <= rows.last; z++) {
            const room_sector *at =
                &view.sectors[view.rooms[room].first + (uint32_t)(x * of[3] + z)];
            tpi_room_list *list = &lists->list[lists->count++];
            list->at = room_from(view.entries + at[0].list, view.entries + at[1].list, cast->part);
            list->end = view.entries + at[1].list;
            list->x = room_bits(range.x, of[0] + x) << 24;
            list->z = room_bits(range.z, of[1] + z) << 28;
        }
    return units;
}

int32_t tpi_rooms_at(const tp_world *world, const tpi_collider_item *item, tp_vector point)
{
    const room_view view = room_view_of(world, item);
    uint32_t units = 0, found = room_find(&view, point, &units);
    return found ? (int32_t)view.sectors[found - 1u].room : -1;
}

/* ---- the walk ---- */

static bool room_hops(tpi_room_walk *walk)
{
    walk->is_limited = walk->hops >= TPI_ROOM_HOPS;
    walk->hops += !walk->is_limited;
    return !walk->is_limited;
}

/* Goes to a room's sector at a place, and on through portals. False: there is none, or the limit
   is reached. */
static bool room_go(const room_view *view, tpi_room_walk *walk, uint32_t room, int32_t x, int32_t z,
                    uint32_t *units)
{
    for (;;) {
        const int16_t *of = room_words(view, room);
        int32_t column = x - of[0], row = z - of[1];
        if (column < 0 || row < 0 || column >= of[2] || row >= of[3]) return false;
        uint32_t sector =
            view->rooms[room].first + (uint32_t)column * (uint32_t)of[3] + (uint32_t)row;
        const int16_t *word = room_sector_words(view, sector);
        if (word[ROOM_PORTAL] == ROOM_SOLID) return false;
        if (word[ROOM_PORTAL] == ROOM_NONE) {
            walk->sector = sector + 1u;
            return true;
        }
        if (!room_hops(walk)) return false;
        room = (uint32_t)word[ROOM_PORTAL];
        ++*units;
    }
}

/* When the path crosses the plane between two sectors along an axis; `step`: 1, 0 or -1, how many
   sectors are left. */
static float room_exit(float from, float move, int32_t cell, int32_t step, float side)
{
    if (step == 0 || move == 0.0f) return 2.0f;
    return ((float)(cell + (step > 0)) * side - from) / move;
}

static int32_t room_sign(int32_t value) { return (value > 0) - (value < 0); }

/* The point of the path at a time; at its end the one that the next search begins at. */
static tp_vector room_point(const tpi_room_walk *walk, float time)
{
    return time >= 1.0f ? walk->to : tpi_add_scaled(walk->from, walk->move, time);
}

/* The path's height over a floor, or below a ceiling. */
static float room_gap(const room_view *view, const tpi_room_walk *walk, uint32_t plane, float time)
{
    tp_vector at = room_point(walk, time);
    float height = room_height(view, walk->sector - 1u, plane, at.x, at.z);
    return plane == ROOM_FLOOR ? at.y - height : height - at.y;
}

/* True if the path leaves the sector through its floor or ceiling before `leave`. Then it goes to
   the room there, or with *done ends at a wall or at the limit. */
static bool room_drop(const room_view *view, tpi_room_walk *walk, uint32_t plane, float leave,
                      uint32_t *units, bool *done)
{
    const room_sector *at = &view->sectors[walk->sector - 1u];
    float after = room_gap(view, walk, plane, leave);
    if (plane == ROOM_FLOOR ? !(after < 0.0f) : !(after <= 0.0f)) return false;
    float before = room_gap(view, walk, plane, walk->time), above = tpi_max(before, 0.0f);
    if (!(after < before)) return false;
    int32_t to =
        room_sector_words(view, walk->sector - 1u)[plane == ROOM_FLOOR ? ROOM_BELOW : ROOM_ABOVE];
    walk->time += (leave - walk->time) * (above / (above - after));
    ++*units;
    *done = to == ROOM_NONE || !room_hops(walk) ||
            !room_go(view, walk, (uint32_t)to, at->x, at->z, units);
    return true;
}

/* Crosses one sector. True at the end of the walk. */
static bool room_cross(const room_view *view, tpi_room_walk *walk, uint32_t *units)
{
    const room_sector *at = &view->sectors[walk->sector - 1u];
    const tp_vector end = room_point(walk, walk->end);
    int32_t step_x = room_sign(room_cell(view, end.x) - at->x),
            step_z = room_sign(room_cell(view, end.z) - at->z);
    float x = room_exit(walk->from.x, walk->move.x, at->x, step_x, view->side),
          z = room_exit(walk->from.z, walk->move.z, at->z, step_z, view->side),
          leave = tpi_max(tpi_min(tpi_min(x, z), walk->end), walk->time);
    bool done;
    if (room_drop(view, walk, ROOM_FLOOR, leave, units, &done) ||
        room_drop(view, walk, ROOM_CEILING, leave, units, &done))
        return done;
    walk->time = leave;
    ++*units;
    if (step_x == 0 && step_z == 0) return true;
    if (step_x != 0 && (step_z == 0 || x <= z)) /* by rounding x may be late */
        step_z = 0;
    else
        step_x = 0;
    return !room_go(view, walk, at->room, at->x + step_x, at->z + step_z, units);
}

uint32_t tpi_rooms_walk(const tp_world *world, const tpi_collider_item *item, tpi_room_walk *walk,
                        uint32_t units, bool *done)
{
    const room_view view = room_view_of(world, item);
    uint32_t used = 0;
    *done = false;
    while (used < units && !*done) *done = room_cross(&view, walk, &used);
    return used;
}

#undef ROOM_ROOMS_MAX
#undef ROOM_WORDS_MAX
#undef ROOM_PLACE_MAX
#undef ROOM_SIDE_MAX
#undef ROOM_ORIGIN
#undef ROOM_WORDS
#undef ROOM_SECTOR
#undef ROOM_FLOOR
#undef ROOM_CEILING
#undef ROOM_NONE
#undef ROOM_SOLID
#undef ROOM_PROBES_MAX
#undef ROOM_MARGIN
#undef ROOM_SLACK
#undef ROOM_INSET
#undef ROOM_OUTSET
