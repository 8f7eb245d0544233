/* SPDX-License-Identifier: MIT
   host_tools/formats/prt.h - Thinkbox particles (.prt): header, table of channels, records as a
           zlib stream.
   reads   .prt 1.0 and 1.1                writes  .prt 1.0
   memory  two copies of a frame           cost    O(bytes)
   after   Thinkbox's "PRT File Format v1.1"; little-endian; by custom z up, velocities in
           units/s */
#ifndef TIDEPOOL_PRT_H
#define TIDEPOOL_PRT_H
#include "numbered.h"

bool prt_recognises(const uint8_t *start, size_t size);
int prt_read(host_piece *piece, host_frame *frame);
int prt_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
