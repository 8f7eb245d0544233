/* SPDX-License-Identifier: MIT
   host_tools/formats/lammps.h - LAMMPS text dumps: several frames per file, or one.
   reads   bytes of one frame              writes  bytes of one frame
   memory  one frame                       cost    O(bytes)
   after   the LAMMPS manual on the command `dump`, styles atom and custom */
#ifndef TIDEPOOL_LAMMPS_H
#define TIDEPOOL_LAMMPS_H
#include "numbered.h"

bool lammps_recognises(const uint8_t *start, size_t size);
bool lammps_starts(const char *line, uint64_t *state);
/* Columns: id, x y z (or xs, xu, xsu and so on), vx vy vz, omegax omegay omegaz, radius. Atom id 1
   is point index 0. The frame's number is the time step. */
int lammps_read(host_piece *piece, host_frame *frame);
int lammps_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
