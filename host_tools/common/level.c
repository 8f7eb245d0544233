/* SPDX-License-Identifier: MIT
   host_tools/common/level.c - edges of a level: paths of points, and the outlines of rows of tiles.
   reads   points, rows      writes  a level
   memory  malloc, freed by level_free; a byte per tile      cost    O(points), O(tiles)
   after   outlines are followed with the solid on the left; a vertex only where they turn */
#include "level.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILES_MAX 16777216u

/* ---- paths */

/* Makes room for one more item of `size` bytes. */
static bool has_room(void *array, size_t count, size_t *capacity, size_t size)
{
    char *items;
    if (count < *capacity) return true;
    if (count >= LEVEL_POINTS_MAX) return false;
    memcpy(&items, array, sizeof items);
    size_t larger = *capacity ? 2 * *capacity : 64;
    items = realloc(items, larger * size);
    if (!items) return false;
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return true;
}

bool level_point(level *to, double x, double y)
{
    tp_vector point = {(float)x, (float)y, 0};
    if (to->point_count > to->first) {
        tp_vector last = to->points[to->point_count - 1];
        if (last.x == point.x && last.y == point.y) return true;
    }
    if (!has_room(&to->points, to->point_count, &to->point_capacity, sizeof point)) return false;
    to->points[to->point_count++] = point;
    return true;
}

static bool add_edge(level *to, size_t from, size_t end)
{
    if (!has_room(&to->ends, to->edge_count, &to->edge_capacity, 2 * sizeof(uint32_t)))
        return false;
    to->ends[2 * to->edge_count] = (uint32_t)from;
    to->ends[2 * to->edge_count + 1] = (uint32_t)end;
    to->edge_count++;
    return true;
}

bool level_join(level *to, bool is_loop)
{
    size_t first = to->first, count = to->point_count - first;
    if (is_loop && count > 1) {
        tp_vector a = to->points[first], b = to->points[first + count - 1];
        if (a.x == b.x && a.y == b.y) count--;
    }
    if (count < (is_loop ? 3u : 2u)) count = 0;
    for (size_t k = 0; k + !is_loop < count; k++)
        if (!add_edge(to, first + k, first + (k + 1) % count)) return false;
    to->first = to->point_count = first + count;
    return true;
}

void level_flip(level *to)
{
    for (size_t k = 0; k < to->edge_count; k++) {
        uint32_t end = to->ends[2 * k];
        to->ends[2 * k] = to->ends[2 * k + 1];
        to->ends[2 * k + 1] = end;
    }
}

void level_free(level *to)
{
    free(to->points);
    free(to->ends);
    memset(to, 0, sizeof *to);
}

/* ---- tiles */

/* Bits of a tile: solid, and for each side from below counter-clockwise whether it was followed. */
#define TILE_SOLID 1u
#define TILE_SIDE  2u

typedef struct tiles {
    uint8_t *bits; /* lowest row first */
    size_t columns, rows;
} tiles;

/* A side of a tile; direction 0: +x, along its lower side, then counter-clockwise. */
typedef struct tile_side {
    size_t column, row;
    uint32_t direction;
} tile_side;

static const int steps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

static bool is_solid(const tiles *t, size_t column, size_t row)
{
    /* left of 0 is a huge number */
    return column < t->columns && row < t->rows &&
           (t->bits[row * t->columns + column] & TILE_SOLID);
}

static bool is_edge(const tiles *t, tile_side side)
{
    const int *out = steps[(side.direction + 3u) % 4u];
    return is_solid(t, side.column, side.row) &&
           !is_solid(t, side.column + (size_t)out[0], side.row + (size_t)out[1]);
}

/* The side that follows: around the tile, along the next one, or around the one that is ahead on
   the right. */
static tile_side next_side(const tiles *t, tile_side side)
{
    const int *on = steps[side.direction], *out = steps[(side.direction + 3u) % 4u];
    tile_side ahead = {side.column + (size_t)on[0], side.row + (size_t)on[1], side.direction};
    tile_side right = {ahead.column + (size_t)out[0], ahead.row + (size_t)out[1],
                       (side.direction + 3u) % 4u};
    if (is_solid(t, right.column, right.row)) return right;
    if (is_solid(t, ahead.column, ahead.row)) return ahead;
    side.direction = (side.direction + 1u) % 4u;
    return side;
}

/* Follows one outline from a side whose begin is a corner of the outline or not. */
static bool follow(level *to, tiles *t, tile_side first, double size)
{
    tile_side side = first;
    uint32_t last = UINT32_MAX;
    do {
        t->bits[side.row * t->columns + side.column] |= (uint8_t)(TILE_SIDE << side.direction);
        double x = (double)(side.column + (side.direction == 1u || side.direction == 2u)),
               y = (double)(side.row + (side.direction >= 2u));
        if (side.direction != last && last != UINT32_MAX && !level_point(to, x * size, y * size))
            return false;
        last = side.direction;
        side = next_side(t, side);
    } while (side.column != first.column || side.row != first.row ||
             side.direction != first.direction);
    double x = (double)(first.column + (first.direction == 1u || first.direction == 2u)),
           y = (double)(first.row + (first.direction >= 2u));
    if (last != first.direction && !level_point(to, x * size, y * size)) return false;
    return level_join(to, true);
}

static bool follow_all(level *to, tiles *t, double size)
{
    for (size_t k = 0; k < t->columns * t->rows; k++)
        for (uint32_t d = 0; d < 4; d++) {
            tile_side side = {k % t->columns, k / t->columns, d};
            if (t->bits[k] & TILE_SIDE << d || !is_edge(t, side)) continue;
            if (!follow(to, t, side, size)) return false;
        }
    return true;
}

static bool refuse(level_fault *fault, size_t place, const char *text)
{
    fault->place = place;
    snprintf(fault->text, sizeof fault->text, "%s", text);
    return false;
}

/* Bytes of the first cell of a row: a character, or text up to and with a comma. */
static size_t cell_length(const char *row, size_t width, bool has_commas)
{
    size_t length = has_commas ? strcspn(row, ",") + 1 : 1;
    return length < width ? length : width;
}

/* -1 is Tiled's empty tile in tables, 0 in its maps. */
static bool cell_is_solid(const char *cell, size_t length)
{
    while (length && strchr(", ", cell[length - 1])) length--;
    while (length && *cell == ' ') cell++, length--;
    if (length == 2 && cell[0] == '-' && cell[1] == '1') return false;
    return length > 1 || (length == 1 && !strchr(".-_0", *cell));
}

/* Counts rows and columns. A last line without an end counts. */
static bool measure(const char *text, bool has_commas, tiles *t, level_fault *fault)
{
    for (const char *at = text; *at;) {
        size_t width = strcspn(at, "\r\n");
        for (size_t k = 0; k < width; k++)
            if ((unsigned char)at[k] < 32u || (unsigned char)at[k] > 126u)
                return refuse(fault, t->rows + 1,
                              "has a character that is none of ASCII; allowed: '.', '-', '_', '0' "
                              "and blanks for empty tiles, other characters for solid ones");
        size_t cells = 0;
        for (size_t k = 0; k < width; k += cell_length(at + k, width - k, has_commas)) cells++;
        t->columns = cells > t->columns ? cells : t->columns;
        t->rows++;
        at += width;
        at += *at == '\r';
        at += *at == '\n';
    }
    if (t->rows == 0 || t->columns == 0) return refuse(fault, 1, "holds no tile");
    if (t->columns > TILES_MAX / t->rows)
        return refuse(fault, t->rows, "makes more tiles than 16777216");
    return true;
}

bool level_read_tiles(level *to, const char *text, double size, level_fault *fault)
{
    tiles t = {0};
    bool has_commas = strchr(text, ',') != NULL;
    if (!measure(text, has_commas, &t, fault)) return false;
    t.bits = calloc(t.columns, t.rows);
    if (!t.bits) return refuse(fault, 1, "does not fit into memory");
    const char *at = text;
    for (size_t row = t.rows; row-- > 0;) {
        size_t width = strcspn(at, "\r\n");
        for (size_t k = 0, column = 0; k < width; column++) {
            size_t length = cell_length(at + k, width - k, has_commas);
            t.bits[row * t.columns + column] = cell_is_solid(at + k, length) ? TILE_SOLID : 0;
            k += length;
        }
        at += width;
        at += *at == '\r';
        at += *at == '\n';
    }
    bool is_done = follow_all(to, &t, size);
    free(t.bits);
    return is_done || refuse(fault, 1, "has outlines of more points than 4194304");
}
