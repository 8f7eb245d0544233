/* SPDX-License-Identifier: MIT
   host_tools/formats/csv.h - tables of points in CSV: a header line, then one row per point and
           frame.
   reads   text                            writes  text
   memory  one frame, and one entry per run of rows of the same frame    cost    O(bytes)
   after   own design; floats have 9 significant digits, which read back to the same bits */
#ifndef TIDEPOOL_CSV_H
#define TIDEPOOL_CSV_H
#include "formats.h"

/* Print the header line with the columns of the streams in a mask, and the rows of one frame. */
void csv_print_header(FILE *stream, uint32_t streams);
void csv_print_frame(FILE *stream, const host_frame *frame, uint32_t streams);

/* ---- functions of the format's row in formats.c */
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
