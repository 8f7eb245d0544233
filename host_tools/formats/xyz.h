/* SPDX-License-Identifier: MIT
   host_tools/formats/xyz.h - XYZ files, plain and extended: several frames in a file, or one file
           per frame.
   reads   bytes of one frame              writes  bytes of one frame
   memory  one frame                       cost    O(bytes)
   after   the XYZ format; the public description of extended XYZ
           (Properties=species:S:1:pos:R:3) */
#ifndef TIDEPOOL_XYZ_H
#define TIDEPOOL_XYZ_H
#include "numbered.h"

bool xyz_recognises(const uint8_t *start, size_t size);
bool xyz_starts(const char *line, uint64_t *state);
/* The key `frame` of the comment line is the frame number; Lattice and other keys are skipped. */
int xyz_read(host_piece *piece, host_frame *frame);
int xyz_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
