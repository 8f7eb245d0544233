/* SPDX-License-Identifier: MIT
   host_tools/formats/csv.h - tables of points: header line, then one row a point and frame.
   reads   text                            writes  text
   memory  a frame, and a place for each run of rows of one frame    cost    O(bytes)
   after   own design; floats with 9 significant digits, which read back to the same bits */
#ifndef TIDEPOOL_CSV_H
#define TIDEPOOL_CSV_H
#include "formats.h"

/* The header line, with the columns of the streams of a mask, and the rows of one frame. */
void csv_print_header(FILE *stream, uint32_t streams);
void csv_print_frame(FILE *stream, const host_frame *frame, uint32_t streams);

/* ---- the row of the registry's table */
bool csv_recognises(const uint8_t *start, size_t size);
int csv_open(host_sequence *sequence, const char *path);
int csv_load(host_sequence *sequence, size_t position, host_frame *frame);
void csv_close(host_sequence *sequence);
int csv_create(host_sink *sink, const char *path);
int csv_encode(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size);
int csv_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
int csv_finish(host_sink *sink);
void csv_abandon(host_sink *sink);

#endif
