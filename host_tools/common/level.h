/* SPDX-License-Identifier: MIT
   host_tools/common/level.h - levels in 2D: edges from lists of points, SVG drawings and rows of
           tiles.
   reads   text that ends in a zero byte      writes  points and edges
   memory  malloc, freed by level_free      cost    one pass over the text; drawings: loops * points
   after   own design; the free side is to the right of travel, as in the runtime */
#ifndef TIDEPOOL_LEVEL_H
#define TIDEPOOL_LEVEL_H
#include "tidepool.h"
#include <stddef.h>

/* Limit of points; the runtime has 16777216. */
#define LEVEL_POINTS_MAX 4194304u

/* Edges of a mesh; path: points since `first` that are not joined yet. */
typedef struct level {
    tp_vector *points;
    uint32_t *ends; /* two per edge */
    size_t point_count, point_capacity, edge_count, edge_capacity, first;
    bool is_loop; /* the path is closed at its end */
} level;

/* What is wrong with a text, and where. */
typedef struct level_fault {
    size_t place; /* SVG: byte from 0; tiles: row from 1 */
    char text[160];
} level_fault;

/* Adds a point to the path; a point like the last one is dropped. False: out of memory, or too
   many. */
bool level_point(level *to, double x, double y);
/* Joins the points of the path to a chain, or to a loop with is_loop, and begins a new path. Paths
   of too few points are dropped. */
bool level_join(level *to, bool is_loop);
/* Exchanges both sides of all edges. */
void level_flip(level *to);
void level_free(level *to);

/* Adds the outlines of solid tiles, `size` m wide; the lower left corner of the last row is the
   origin. Each row is a line: '.', '-', '_', '0' and blanks are empty, other characters solid. With
   commas it is a table as Tiled exports it: -1, 0 and nothing are empty.
   Tiles that touch at a corner are one solid. False, and the fault. */
bool level_read_tiles(level *to, const char *text, double size, level_fault *fault);

/* An SVG drawing: svg, g, path (M L H V C S Q T Z and lower case), polyline, polygon, rect, line;
   transforms translate, scale, rotate, matrix. The lower left corner of its viewBox is the origin,
   y goes up. Closed outlines are solids, outlines inside of them are holes, whatever their
   direction; open ones are chains in the direction of drawing. */
typedef struct level_drawing {
    double units_per_metre;
    double tolerance; /* m: largest distance of a curve from its edges */
} level_drawing;
bool level_read_svg(level *to, const char *text, size_t size, const level_drawing *drawing,
                    level_fault *fault);

#endif
