/* SPDX-License-Identifier: MIT
   host_tools/formats/columns.h - the numbers of a point by their names: x, vx, size, ...
   reads   names                           writes  -
   memory  -                               cost    O(columns)
   after   own design; the names of the csv table, and what other programs call the same */
#ifndef TIDEPOOL_COLUMNS_H
#define TIDEPOOL_COLUMNS_H
#include "points.h"

/* One number of a point; the component counts within the stream's element. */
typedef struct point_column {
    const char *name;
    uint32_t stream, component;
} point_column;
enum { POINT_COLUMNS = 18 };
/* In the order in which files have them; index first. */
extern const point_column point_columns[POINT_COLUMNS];

/* The column of a name of `length` letters, also of another program's; NULL when there is none. */
const point_column *point_column_named(const char *name, size_t length);
/* The stream of a name that stands for all numbers of one, such as "velocity"; false when there is none. */
bool point_stream_named(const char *name, size_t length, uint32_t *stream);

#endif
