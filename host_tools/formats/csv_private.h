/* SPDX-License-Identifier: MIT
   host_tools/formats/csv_private.h - shared by the files that read and write CSV tables of points.
   reads   -                               writes  -
   memory  a reader: a window of 64 KiB, more for longer lines    cost    see csv.c, csv_*.c
   after   own design */
#ifndef TIDEPOOL_CSV_PRIVATE_H
#define TIDEPOOL_CSV_PRIVATE_H
#include "csv.h"
#include "../common/source.h"
#include "../common/text.h"

typedef struct csv_column {
    const char *name;
    int stream;    /* -1: the frame number */
    int component; /* index in the stream's element; CSV_STATE: the i16 after its floats */
} csv_column;
enum { CSV_LINE_MAX = 1 << 20 }; /* bytes of a line */
enum { CSV_STATE = -1, CSV_COLUMNS = 35, CSV_FRAME = 0, CSV_INDEX = 1, CSV_FIELDS_MAX = 256 };
/* In the order in which they are written. */
extern const csv_column csv_columns[CSV_COLUMNS];
/* The streams whose columns must be present in a table that has these streams. */
uint32_t csv_needed_streams(uint32_t streams);
/* Byte offset of a column's value for element i of its stream. */
size_t csv_value_at(const csv_column *column, size_t i);

/* ---- reading (csv_read.c) */

/* The columns found in the header line. */
typedef struct csv_header {
    int column_of[CSV_FIELDS_MAX]; /* of each field; -1: unknown column, ignored */
    size_t field_count;
    uint32_t streams;
    char separator;
    /* A table without the columns: all rows are of `frame`, and count the points of each frame. */
    bool has_frame, has_index;
    int32_t frame;
} csv_header;

/* Reads a byte range of a file line by line. */
typedef struct csv_reader {
    const char *path;      /* for messages */
    host_sequence *teller; /* of notes; set before csv_read_header */
    host_source *source;
    /* File offsets of the next byte to read and of the end of the range; `end` UINT64_MAX: the end
       of the file. */
    uint64_t offset, end;
    char *window; /* buffered bytes, followed by one zero byte */
    size_t capacity, at, filled;
    uint64_t line; /* number of the current line, from 1 */
    /* The current line has no line end: the file may be truncated. */
    bool is_cut;
    uint64_t line_start; /* file offset of its first byte */
    const char *text;    /* the line in the window */
    char separator;      /* between fields; 0: the next line tells */
    bool is_in_rows;     /* the header line was read */
    /* of rows without an index: the index of the next row, if it is of the same frame */
    uint32_t next_index;
    int32_t row_frame;
    text_word fields[CSV_FIELDS_MAX];
    size_t field_count;
} csv_reader;

typedef struct csv_row {
    int32_t frame;
    uint32_t index;
    uint32_t streams; /* mask of the streams whose fields are not empty */
    bool is_empty;    /* a frame number alone: the frame has no points */
    float values[CSV_COLUMNS];
} csv_row;

/* Begins at the byte `offset`, after `line` lines. False when memory is short; call csv_reader_end
   in both cases. */
bool csv_reader_begin(csv_reader *reader, host_source *source, uint64_t offset, uint64_t end,
                      uint64_t line);
void csv_reader_end(csv_reader *reader);
/* File offset after the current line. */
uint64_t csv_reader_offset(const csv_reader *reader);
/* HOST_DONE, or HOST_BAD_INPUT, HOST_IO or HOST_OUT_OF_MEMORY with the error printed. */
/* Reads the header line. `columns` not NULL: the names of a table without one. */
int csv_read_header(csv_reader *reader, const char *columns, csv_header *header);
/* csv_columns that a name means: its own, in any case, or one such as Points:0. -1: none. */
int csv_column_named(text_word name);
int csv_column_meant(text_word name);
/* Reads the next row; *found is false at the end. Returns as csv_read_header. */
int csv_read_row(csv_reader *reader, const csv_header *header, csv_row *row, bool *found);
/* Prints that the line at this offset exceeds CSV_LINE_MAX and returns HOST_BAD_INPUT. */
int csv_long_line(const char *path, uint64_t offset, uint64_t line);
/* Prints an error for the current line and returns HOST_BAD_INPUT. */
int csv_bad_line(const csv_reader *reader, const char *format, ...);

#endif
