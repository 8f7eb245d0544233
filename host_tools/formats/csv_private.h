/* SPDX-License-Identifier: MIT
   host_tools/formats/csv_private.h - between the parts that read and write tables of points.
   reads   -                               writes  -
   memory  a reader: a window of 64 KiB, more for longer lines    cost    see the parts
   after   own design */
#ifndef TIDEPOOL_CSV_PRIVATE_H
#define TIDEPOOL_CSV_PRIVATE_H
#include "csv.h"
#include "../common/text.h"

typedef struct csv_column {
    const char *name;
    int stream;    /* -1: the frame number */
    int component; /* of the stream's element; CSV_STATE: the i16 behind its floats */
} csv_column;
enum { CSV_STATE = -1, CSV_COLUMNS = 35, CSV_FRAME = 0, CSV_INDEX = 1, CSV_FIELDS_MAX = 256 };
/* In the order in which they are written. */
extern const csv_column csv_columns[CSV_COLUMNS];
/* Streams that a table of the mask's streams cannot do without. */
uint32_t csv_needed_streams(uint32_t streams);
/* Where the value of a column lies in the i-th element of its stream. */
size_t csv_value_at(const csv_column *column, size_t i);

/* ---- reading (csv_read.c) */

/* What the header line says. */
typedef struct csv_header {
    int column_of[CSV_FIELDS_MAX]; /* of each field; -1: not known, left out */
    size_t field_count;
    uint32_t streams;
} csv_header;

/* A part of a file under way, line by line. */
typedef struct csv_reader {
    const char *path; /* for messages */
    int file;
    uint64_t offset, end; /* of the next byte to be read, and of the first one that is not; UINT64_MAX: all */
    char *window;         /* one zero byte behind what is filled */
    size_t room, at, filled;
    uint64_t line;       /* number of the last line taken */
    bool is_cut;         /* it had no end: the file may lack some of it */
    uint64_t line_start; /* its first byte, */
    const char *text;    /* and where that is */
    text_word fields[CSV_FIELDS_MAX];
    size_t field_count;
} csv_reader;

typedef struct csv_row {
    int32_t frame;
    uint32_t index;
    uint32_t streams; /* those whose fields are not empty */
    float values[CSV_COLUMNS];
} csv_row;

/* At the byte `offset`, behind `line` lines. False when memory is short; csv_reader_end frees it either way. */
bool csv_reader_begin(csv_reader *reader, const char *path, int file, uint64_t offset, uint64_t end,
                      uint64_t line);
void csv_reader_end(csv_reader *reader);
/* The byte behind the last line taken. */
uint64_t csv_reader_place(const csv_reader *reader);
/* HOST_DONE, or HOST_BAD_INPUT, HOST_IO or HOST_NO_ROOM with the error printed. */
int csv_read_header(csv_reader *reader, csv_header *header);
/* The next row; *found false: there is none. Codes as above. */
int csv_read_row(csv_reader *reader, const csv_header *header, csv_row *row, bool *found);
/* HOST_BAD_INPUT with the error printed, of the last line taken. */
int csv_bad_line(const csv_reader *reader, const char *format, ...);

#endif
