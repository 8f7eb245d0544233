/* SPDX-License-Identifier: MIT
   host_tools/rooms/shell.c - the closed surface around the open sectors of a level.
   reads   rooms      writes  triangles
   memory  malloc, freed by rooms_shell_free      cost    O(sectors)
   after   own design: columns are prisms between two planes; a side is the column's trapezoid less
           those of the columns beyond it */
#include "rooms.h"
#include "../common/host.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE       UINT32_MAX
#define BESIDE_MAX 64u /* columns beyond one side */
#define BREAKS_MAX (2u + (2u * BESIDE_MAX + 2u) * (2u * BESIDE_MAX + 1u))
#define EMPTY_SLOT UINT32_MAX

static const int corner_of[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
/* Side k goes from corner k to k + 1; what is beyond it, in sectors. */
static const int beyond[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};

/* ---- sectors */

void rooms_floor(const room_sector *sector, int32_t corner[4])
{
    for (int k = 0; k < 4; k++) {
        int32_t x = sector->floor_slant[0], z = sector->floor_slant[1];
        int32_t clicks = sector->floor;
        clicks += x > 0 ? x * (1 - corner_of[k][0]) : -x * corner_of[k][0];
        clicks += z > 0 ? z * (1 - corner_of[k][1]) : -z * corner_of[k][1];
        corner[k] = clicks * ROOMS_CLICK;
    }
}

void rooms_ceiling(const room_sector *sector, int32_t corner[4])
{
    for (int k = 0; k < 4; k++) {
        int32_t x = sector->ceiling_slant[0], z = sector->ceiling_slant[1];
        int32_t clicks = sector->ceiling;
        clicks -= x > 0 ? x * corner_of[k][0] : -x * (1 - corner_of[k][0]);
        clicks -= z > 0 ? z * (1 - corner_of[k][1]) : -z * corner_of[k][1];
        corner[k] = clicks * ROOMS_CLICK;
    }
}

bool rooms_is_rock(const room_sector *sector)
{
    return sector->floor == ROOMS_WALL || sector->ceiling == ROOMS_WALL;
}

/* Follows portals from a room on. `hops`: how many; ROOMS_HOPS + 1 if they go on beyond. */
static bool follow(const rooms *level, uint32_t from, int32_t x, int32_t z, room_cell *cell,
                   uint32_t *hops)
{
    for (*hops = 0; *hops <= ROOMS_HOPS; ++*hops) {
        from = level->map[from];
        const room *of = &level->room[from];
        int32_t column = x - of->x, row = z - of->z;
        if (column < 0 || row < 0) return false;
        column /= ROOMS_SIDE, row /= ROOMS_SIDE;
        if ((uint32_t)column >= of->columns || (uint32_t)row >= of->rows) return false;
        *cell = (room_cell){from, (uint32_t)column * of->rows + (uint32_t)row};
        const room_sector *sector = &of->sectors[cell->sector];
        if (!sector->has_portal) return !rooms_is_rock(sector);
        from = sector->portal;
    }
    return false;
}

bool rooms_find(const rooms *level, uint32_t from, int32_t x, int32_t z, room_cell *cell)
{
    uint32_t hops;
    return follow(level, from, x, z, cell, &hops);
}

/* ---- columns */

/* Sectors that stand upon one another. Heights go up. */
typedef struct room_stack {
    uint32_t lowest, highest; /* sectors; NONE: not found yet */
    double floor[4], ceiling[4];
    bool is_open;
} room_stack;

typedef struct shell_maker {
    const rooms *level;
    const char *path;
    double scale;
    rooms_shell *shell;
    uint32_t *first;  /* of each room's sectors, among all */
    uint32_t *parent; /* union-find over all sectors; NONE: solid, or a portal */
    uint32_t count;
    room_stack *stacks; /* at the roots */
} shell_maker;

static uint32_t index_of(const shell_maker *maker, room_cell cell)
{
    return maker->first[cell.room] + cell.sector;
}

static uint32_t root_of(const shell_maker *maker, uint32_t sector)
{
    while (maker->parent[sector] != sector) {
        maker->parent[sector] = maker->parent[maker->parent[sector]];
        sector = maker->parent[sector];
    }
    return sector;
}

static void middle_of(const room *of, uint32_t sector, int32_t *x, int32_t *z)
{
    *x = of->x + (int32_t)(sector / of->rows) * ROOMS_SIDE + ROOMS_SIDE / 2;
    *z = of->z + (int32_t)(sector % of->rows) * ROOMS_SIDE + ROOMS_SIDE / 2;
}

/* The open sector that a sector leads to, below or above; NONE: it ends there. */
static uint32_t linked(const shell_maker *maker, room_cell cell, uint8_t to)
{
    int32_t x, z;
    room_cell found;
    if (to == ROOMS_NONE) return NONE;
    middle_of(&maker->level->room[cell.room], cell.sector, &x, &z);
    if (!rooms_find(maker->level, to, x, z, &found)) return NONE;
    return index_of(maker, found);
}

static const room_sector *sector_of(const shell_maker *maker, room_cell cell)
{
    return &maker->level->room[cell.room].sectors[cell.sector];
}

static room_cell cell_of(const shell_maker *maker, uint32_t sector)
{
    uint32_t r = 0, end = maker->level->count;
    while (end - r > 1) {
        uint32_t middle = r + (end - r) / 2;
        if (maker->first[middle] <= sector)
            r = middle;
        else
            end = middle;
    }
    return (room_cell){r, sector - maker->first[r]};
}

/* The column beyond a side of a sector; NONE: it is solid. */
static uint32_t column_beyond(const shell_maker *maker, room_cell cell, int side)
{
    int32_t x, z;
    room_cell found;
    middle_of(&maker->level->room[cell.room], cell.sector, &x, &z);
    x += beyond[side][0] * ROOMS_SIDE, z += beyond[side][1] * ROOMS_SIDE;
    if (!rooms_find(maker->level, cell.room, x, z, &found)) return NONE;
    if (maker->parent[index_of(maker, found)] == NONE) return NONE;
    uint32_t root = root_of(maker, index_of(maker, found));
    return maker->stacks[root].is_open ? root : NONE;
}

/* True if a sector of a column leads to another column. */
static bool leads_to(const shell_maker *maker, uint32_t column, int side, uint32_t other)
{
    uint32_t at = maker->stacks[column].highest;
    for (uint32_t steps = 0; at != NONE && steps <= maker->level->count; steps++) {
        room_cell cell = cell_of(maker, at);
        if (column_beyond(maker, cell, side) == other) return true;
        at = linked(maker, cell, sector_of(maker, cell)->below);
    }
    return false;
}

typedef int each_cell(shell_maker *maker, room_cell cell);

static int for_each(shell_maker *maker, each_cell *call)
{
    int code = HOST_DONE;
    for (uint32_t r = 0; r < maker->level->count; r++) {
        const room *of = &maker->level->room[r];
        for (uint32_t s = 0; s < of->rows * of->columns && !code; s++) {
            room_cell cell = {r, s};
            if (maker->parent[index_of(maker, cell)] != NONE) code = call(maker, cell);
        }
    }
    return code;
}

/* Counts portals that are followed from a sector, and those that the limit makes a wall. */
static void count_hops(const shell_maker *maker, room_cell cell)
{
    rooms_shell *shell = maker->shell;
    int32_t x, z;
    uint32_t hops;
    room_cell end;
    middle_of(&maker->level->room[cell.room], cell.sector, &x, &z);
    (void)follow(maker->level, cell.room, x, z, &end, &hops);
    if (hops > ROOMS_HOPS && !shell->capped_portals++)
        shell->capped_byte = sector_of(maker, cell)->byte;
    if (hops <= ROOMS_HOPS && hops > shell->portal_hops) shell->portal_hops = hops;
}

static void find_open(shell_maker *maker)
{
    for (uint32_t r = 0; r < maker->level->count; r++) {
        const room *of = &maker->level->room[r];
        for (uint32_t s = 0; s < of->rows * of->columns; s++) {
            const room_sector *sector = &of->sectors[s];
            bool is_solid =
                maker->level->is_hidden[r] || sector->has_portal || rooms_is_rock(sector);
            maker->parent[maker->first[r] + s] = is_solid ? NONE : maker->first[r] + s;
            if (sector->has_portal && !maker->level->is_hidden[r])
                count_hops(maker, (room_cell){r, s});
        }
    }
}

static int join(shell_maker *maker, room_cell cell)
{
    const room_sector *sector = sector_of(maker, cell);
    uint32_t own = index_of(maker, cell);
    const uint32_t others[2] = {linked(maker, cell, sector->below),
                                linked(maker, cell, sector->above)};
    for (int k = 0; k < 2; k++)
        if (others[k] != NONE && maker->parent[others[k]] != NONE)
            maker->parent[root_of(maker, own)] = root_of(maker, others[k]);
    return HOST_DONE;
}

static int disagree(const shell_maker *maker, room_cell cell)
{
    return host_error(HOST_BAD_INPUT, maker->path, sector_of(maker, cell)->byte,
                      "the rooms below and above this sector do not lead to one another: expected "
                      "one lowest and one highest sector");
}

/* A stack has one sector without one below, and one without one above. */
static int find_ends(shell_maker *maker, room_cell cell)
{
    const room_sector *sector = sector_of(maker, cell);
    uint32_t own = index_of(maker, cell);
    room_stack *stack = &maker->stacks[root_of(maker, own)];
    int32_t corner[4];
    if (linked(maker, cell, sector->below) == NONE) {
        if (stack->lowest != NONE) return disagree(maker, cell);
        stack->lowest = own;
        rooms_floor(sector, corner);
        for (int k = 0; k < 4; k++) stack->floor[k] = -corner[k];
    }
    if (linked(maker, cell, sector->above) == NONE) {
        if (stack->highest != NONE) return disagree(maker, cell);
        stack->highest = own;
        rooms_ceiling(sector, corner);
        for (int k = 0; k < 4; k++) stack->ceiling[k] = -corner[k];
    }
    return HOST_DONE;
}

/* Planes that cross, or meet everywhere, leave nothing open. */
static int find_height(shell_maker *maker, room_cell cell)
{
    uint32_t own = index_of(maker, cell);
    room_stack *stack = &maker->stacks[own];
    if (root_of(maker, own) != own) return HOST_DONE;
    if (stack->lowest == NONE || stack->highest == NONE) return disagree(maker, cell);
    bool is_open = false, crosses = false;
    for (int k = 0; k < 4; k++) {
        is_open = is_open || stack->ceiling[k] > stack->floor[k];
        crosses = crosses || stack->ceiling[k] < stack->floor[k];
    }
    stack->is_open = is_open && !crosses;
    maker->shell->open += stack->is_open;
    maker->shell->closed += !stack->is_open;
    return HOST_DONE;
}

/* ---- triangles */

static uint32_t hash_of(const float point[3])
{
    uint32_t words[3], hash = 2166136261u;
    memcpy(words, point, sizeof words);
    for (int k = 0; k < 3; k++) hash = (hash ^ words[k]) * 16777619u;
    return hash ^ hash >> 15;
}

static void place_point(rooms_shell *shell, uint32_t point)
{
    size_t slot = hash_of(shell->points[point]) & (shell->slot_count - 1);
    while (shell->slots[slot] != EMPTY_SLOT) slot = (slot + 1) & (shell->slot_count - 1);
    shell->slots[slot] = point;
}

static bool grow_slots(rooms_shell *shell)
{
    if (2 * shell->point_count < shell->slot_count) return true;
    free(shell->slots);
    shell->slot_count = shell->slot_count ? 2 * shell->slot_count : 1024;
    shell->slots = host_allocate(shell->slot_count, sizeof *shell->slots);
    if (!shell->slots) return false;
    memset(shell->slots, 0xff, shell->slot_count * sizeof *shell->slots);
    for (size_t i = 0; i < shell->point_count; i++) place_point(shell, (uint32_t)i);
    return true;
}

/* The index of a point; equal ones are one. NONE: out of memory. */
static uint32_t add_point(rooms_shell *shell, const double at[3])
{
    /* 0 added: no negative zero */
    const float point[3] = {(float)at[0] + 0.0f, (float)at[1] + 0.0f, (float)at[2] + 0.0f};
    if (!grow_slots(shell)) return NONE;
    size_t slot = hash_of(point) & (shell->slot_count - 1);
    for (; shell->slots[slot] != EMPTY_SLOT; slot = (slot + 1) & (shell->slot_count - 1))
        if (memcmp(shell->points[shell->slots[slot]], point, sizeof point) == 0)
            return shell->slots[slot];
    float(*larger)[3] =
        host_lengthen(shell->points, shell->point_count, &shell->point_room, sizeof *larger);
    if (!larger) return NONE;
    shell->points = larger;
    memcpy(larger[shell->point_count], point, sizeof point);
    shell->slots[slot] = (uint32_t)shell->point_count;
    return (uint32_t)shell->point_count++;
}

/* Corners counter-clockwise as seen from inside; one without an area is left out. */
static int add_triangle(rooms_shell *shell, const double (*at)[3], rooms_kind kind)
{
    uint32_t corner[3];
    for (int k = 0; k < 3; k++) {
        corner[k] = add_point(shell, at[k]);
        if (corner[k] == NONE) return host_out_of_memory("the surface");
    }
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
        return HOST_DONE;
    uint32_t *corners = host_lengthen(shell->corners, 3 * shell->triangle_count + 2,
                                      &shell->corner_room, sizeof *corners);
    if (corners) shell->corners = corners;
    uint8_t *kinds = host_lengthen(shell->kinds, shell->triangle_count, &shell->kind_room, 1);
    if (kinds) shell->kinds = kinds;
    if (!corners || !kinds) return host_out_of_memory("the surface");
    memcpy(corners + 3 * shell->triangle_count, corner, sizeof corner);
    kinds[shell->triangle_count++] = (uint8_t)kind;
    return HOST_DONE;
}

static int add_quad(rooms_shell *shell, const double (*at)[3], rooms_kind kind)
{
    double other[3][3];
    memcpy(other[0], at[0], sizeof other[0]);
    memcpy(other[1], at[2], sizeof other[1]);
    memcpy(other[2], at[3], sizeof other[2]);
    int code = add_triangle(shell, at, kind);
    return code ? code : add_triangle(shell, (const double(*)[3])other, kind);
}

/* ---- floors and ceilings */

static void corner_point(const shell_maker *maker, room_cell cell, int corner, double height,
                         double at[3])
{
    int32_t x, z;
    middle_of(&maker->level->room[cell.room], cell.sector, &x, &z);
    at[0] = (x + (corner_of[corner][0] * 2 - 1) * (ROOMS_SIDE / 2)) * maker->scale;
    at[1] = height * maker->scale;
    at[2] = (z + (corner_of[corner][1] * 2 - 1) * (ROOMS_SIDE / 2)) * maker->scale;
}

/* Corners 0 to 3 are clockwise as seen from above. */
static int add_planes(shell_maker *maker, room_cell cell, const room_stack *stack)
{
    double floor[4][3], ceiling[4][3];
    rooms_shell *shell = maker->shell;
    const bool kills = sector_of(maker, cell_of(maker, stack->lowest))->kills;
    for (int k = 0; k < 4; k++) {
        corner_point(maker, cell, 3 - k, stack->floor[3 - k], floor[k]);
        corner_point(maker, cell, k, stack->ceiling[k], ceiling[k]);
    }
    int code = add_quad(shell, (const double(*)[3])floor, kills ? ROOMS_DEADLY : ROOMS_FLOOR);
    if (!code) code = add_quad(shell, (const double(*)[3])ceiling, ROOMS_CEILING);
    for (int k = 0; k < 12 && !shell->has_start; k++)
        shell->start[k % 3] += (float)(floor[k / 3][k % 3] + ceiling[k / 3][k % 3]) / 8;
    shell->has_start = true;
    return code;
}

/* ---- sides */

/* Heights along a side, at its begin and end. */
typedef struct side_line {
    double begin, end;
} side_line;
typedef struct side_span {
    side_line floor, ceiling;
} side_span;

static double height_at(side_line line, double share)
{
    return line.begin + (line.end - line.begin) * share;
}

typedef struct side_maker {
    shell_maker *maker;
    room_cell cell;
    int side;
    side_span own, beside[BESIDE_MAX];
    uint32_t stacks[BESIDE_MAX], count;
    double breaks[BREAKS_MAX];
    uint32_t break_count;
} side_maker;

static side_span span_of(const room_stack *stack, int begin, int end)
{
    return (side_span){{stack->floor[begin], stack->floor[end]},
                       {stack->ceiling[begin], stack->ceiling[end]}};
}

/* The column beyond the side of one sector of a stack, if it leads back: a portal that does not is
   a wall. */
static int add_beside(side_maker *of, room_cell cell)
{
    const shell_maker *maker = of->maker;
    uint32_t root = column_beyond(maker, cell, of->side);
    uint32_t own = root_of(maker, index_of(maker, of->cell));
    if (root == NONE) return HOST_DONE;
    for (uint32_t k = 0; k < of->count; k++)
        if (of->stacks[k] == root) return HOST_DONE;
    if (!leads_to(maker, root, (of->side + 2) % 4, own)) return HOST_DONE;
    if (of->count == BESIDE_MAX)
        return host_error(HOST_BAD_INPUT, maker->path, sector_of(maker, cell)->byte,
                          "more than %u spaces beside one sector", BESIDE_MAX);
    of->stacks[of->count] = root;
    of->beside[of->count++] = span_of(&maker->stacks[root], (of->side + 3) % 4, (of->side + 2) % 4);
    return HOST_DONE;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static side_line line_of(const side_maker *of, uint32_t line)
{
    const side_span *span = line < 2 ? &of->own : &of->beside[line / 2 - 1];
    return line % 2 ? span->ceiling : span->floor;
}

/* Where two lines cross, their order changes. */
static void find_breaks(side_maker *of)
{
    uint32_t lines = 2 + 2 * of->count;
    of->breaks[0] = 0, of->breaks[1] = 1;
    of->break_count = 2;
    for (uint32_t i = 0; i < lines; i++)
        for (uint32_t k = 0; k < i; k++) {
            side_line a = line_of(of, i), b = line_of(of, k);
            double begin = a.begin - b.begin, end = a.end - b.end;
            if ((begin < 0 && end > 0) || (begin > 0 && end < 0))
                of->breaks[of->break_count++] = begin / (begin - end);
        }
    qsort(of->breaks, of->break_count, sizeof of->breaks[0], compare_doubles);
}

static int add_wall(side_maker *of, side_line low, side_line high, double from, double to)
{
    double begin[3], end[3], quad[4][3];
    corner_point(of->maker, of->cell, of->side, 0, begin);
    corner_point(of->maker, of->cell, (of->side + 1) % 4, 0, end);
    /* from inside, the begin of a side is at the left */
    const double shares[4] = {from, to, to, from};
    for (int k = 0; k < 4; k++) {
        for (int axis = 0; axis < 3; axis++)
            quad[k][axis] = begin[axis] + (end[axis] - begin[axis]) * shares[k];
        quad[k][1] = height_at(k < 2 ? low : high, shares[k]) * of->maker->scale;
    }
    return add_quad(of->maker->shell, (const double(*)[3])quad, ROOMS_SKIRT);
}

/* From the floor up: what no column beyond the side opens. */
static int add_walls(side_maker *of, double from, double to)
{
    double middle = (from + to) / 2;
    bool is_used[BESIDE_MAX] = {false};
    side_line low = of->own.floor;
    int code = HOST_DONE;
    for (uint32_t round = 0; round < of->count && !code; round++) {
        uint32_t lowest = NONE;
        for (uint32_t k = 0; k < of->count; k++)
            if (!is_used[k] && (lowest == NONE || height_at(of->beside[k].floor, middle) <
                                                      height_at(of->beside[lowest].floor, middle)))
                lowest = k;
        const side_span *span = &of->beside[lowest];
        is_used[lowest] = true;
        if (height_at(span->floor, middle) >= height_at(of->own.ceiling, middle)) break;
        if (height_at(span->floor, middle) > height_at(low, middle))
            code = add_wall(of, low, span->floor, from, to);
        if (height_at(span->ceiling, middle) > height_at(low, middle)) low = span->ceiling;
    }
    if (!code && height_at(low, middle) < height_at(of->own.ceiling, middle))
        code = add_wall(of, low, of->own.ceiling, from, to);
    return code;
}

/* What is beside all sectors of a stack, from the highest down. */
static int collect_beside(side_maker *of, const room_stack *stack)
{
    const shell_maker *maker = of->maker;
    uint32_t at = stack->highest;
    int code = HOST_DONE;
    for (uint32_t steps = 0; at != NONE && !code && steps <= maker->level->count; steps++) {
        room_cell cell = cell_of(maker, at);
        code = add_beside(of, cell);
        at = linked(maker, cell, sector_of(maker, cell)->below);
    }
    return code;
}

static int add_sides(shell_maker *maker, room_cell cell, const room_stack *stack, side_maker *of)
{
    int code = HOST_DONE;
    for (int side = 0; side < 4 && !code; side++) {
        of->maker = maker;
        of->cell = cell;
        of->side = side;
        of->own = span_of(stack, side, (side + 1) % 4);
        of->count = 0;
        code = collect_beside(of, stack);
        if (!code) find_breaks(of);
        for (uint32_t k = 0; k + 1 < of->break_count && !code; k++)
            if (of->breaks[k + 1] > of->breaks[k])
                code = add_walls(of, of->breaks[k], of->breaks[k + 1]);
    }
    return code;
}

static int add_stack(shell_maker *maker, room_cell cell)
{
    uint32_t own = index_of(maker, cell);
    const room_stack *stack = &maker->stacks[own];
    if (root_of(maker, own) != own || !stack->is_open) return HOST_DONE;
    side_maker *of = host_allocate(1, sizeof *of);
    if (!of) return host_out_of_memory("the surface");
    int code = add_planes(maker, cell, stack);
    if (!code) code = add_sides(maker, cell, stack, of);
    free(of);
    return code;
}

/* ---- rooms at the same place */

typedef struct shell_column {
    int32_t x, z;
    double floor, ceiling; /* in the middle */
} shell_column;

static int compare_columns(const void *left, const void *right)
{
    const shell_column *a = left, *b = right;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    if (a->z != b->z) return a->z < b->z ? -1 : 1;
    return a->floor < b->floor ? -1 : a->floor > b->floor;
}

/* Of the columns at one place, from below. */
static int find_overlaps(shell_maker *maker)
{
    uint32_t count = 0;
    shell_column *columns = host_allocate(maker->count, sizeof *columns);
    if (!columns) return host_out_of_memory("the surface");
    for (uint32_t i = 0; i < maker->count; i++) {
        const room_stack *stack = &maker->stacks[i];
        if (!stack->is_open) continue; /* of roots only */
        room_cell cell = cell_of(maker, i);
        shell_column *to = &columns[count++];
        middle_of(&maker->level->room[cell.room], cell.sector, &to->x, &to->z);
        to->floor = (stack->floor[0] + stack->floor[2]) / 2;
        to->ceiling = (stack->ceiling[0] + stack->ceiling[2]) / 2;
    }
    qsort(columns, count, sizeof *columns, compare_columns);
    double highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_new =
            i == 0 || columns[i].x != columns[i - 1].x || columns[i].z != columns[i - 1].z;
        maker->shell->overlaps += !is_new && columns[i].floor < highest;
        highest = is_new ? columns[i].ceiling : fmax(highest, columns[i].ceiling);
    }
    free(columns);
    return HOST_DONE;
}

/* ---- the whole */

static int reserve(shell_maker *maker)
{
    uint64_t count = 0;
    maker->first = host_allocate(maker->level->count, sizeof *maker->first);
    if (!maker->first) return host_out_of_memory("the surface");
    for (uint32_t r = 0; r < maker->level->count; r++) {
        maker->first[r] = (uint32_t)count;
        count += (uint64_t)maker->level->room[r].rows * maker->level->room[r].columns;
    }
    maker->count = (uint32_t)count;
    maker->parent = host_allocate(maker->count, sizeof *maker->parent);
    maker->stacks = host_allocate(maker->count, sizeof *maker->stacks);
    if (!maker->parent || !maker->stacks) return host_out_of_memory("the surface");
    for (uint32_t i = 0; i < maker->count; i++)
        maker->stacks[i].lowest = maker->stacks[i].highest = NONE;
    find_open(maker);
    return HOST_DONE;
}

int rooms_surround(const rooms *level, const char *path, double scale, rooms_shell *shell)
{
    shell_maker maker = {.level = level, .path = path, .scale = scale, .shell = shell};
    *shell = (rooms_shell){0};
    int code = reserve(&maker);
    if (!code) code = for_each(&maker, join);
    if (!code) code = for_each(&maker, find_ends);
    if (!code) code = for_each(&maker, find_height);
    if (!code) code = for_each(&maker, add_stack);
    if (!code) code = find_overlaps(&maker);
    if (!code && !shell->triangle_count)
        code =
            host_error(HOST_BAD_INPUT, path, level->room[0].byte, "no sector of the rooms is open");
    free(maker.first);
    free(maker.parent);
    free(maker.stacks);
    if (code) rooms_shell_free(shell);
    return code;
}

void rooms_shell_free(rooms_shell *shell)
{
    free(shell->points);
    free(shell->corners);
    free(shell->kinds);
    free(shell->slots);
    *shell = (rooms_shell){0};
}
