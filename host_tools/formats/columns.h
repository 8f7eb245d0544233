/* SPDX-License-Identifier: MIT
   host_tools/formats/columns.h - components of a point by column name: x, vx, size, ...
   reads   names                           writes  -
   memory  -                               cost    O(columns)
   after   own design; the column names of .csv, and their synonyms in other programs */
#ifndef TIDEPOOL_COLUMNS_H
#define TIDEPOOL_COLUMNS_H
#include "points.h"

/* One component of a point; `component` is its index in the stream's element. */
typedef struct point_column {
    const char *name;
    uint32_t stream, component;
} point_column;
enum { POINT_COLUMNS = 18 };
/* In file order; the index comes first. */
extern const point_column point_columns[POINT_COLUMNS];

/* The column with a name of `length` letters, synonyms of other programs included; NULL when there
   is none. */
const point_column *point_column_named(const char *name, size_t length);
/* The stream with a name that means all its components, such as "velocity". False when there is
   none. */
bool point_stream_named(const char *name, size_t length, uint32_t *stream);

#endif
