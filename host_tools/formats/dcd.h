/* SPDX-License-Identifier: MIT
   host_tools/formats/dcd.h - trajectories of CHARMM, NAMD, LAMMPS and OpenMM: positions of all
           atoms in one file.
   reads   .dcd                            writes  the same
   memory  one frame                       cost    O(points) per frame
   after   the DCD format as CHARMM and NAMD write it: Fortran records, 32-bit floats, one record
           for each of x, y and z */
#ifndef TIDEPOOL_DCD_H
#define TIDEPOOL_DCD_H
#include "formats.h"

/* ---- functions of the format's row in formats.c */
bool dcd_recognises(const uint8_t *start, size_t size);
int dcd_open(host_sequence *sequence, const char *path);
int dcd_load(host_sequence *sequence, size_t position, host_frame *frame);
void dcd_close(host_sequence *sequence);
/* Frames are evenly spaced, and have the same points, numbered from 0 without a gap. */
int dcd_create(host_sink *sink, const char *path);
int dcd_write(host_sink *sink, const host_frame *frame);
int dcd_finish(host_sink *sink);
void dcd_abandon(host_sink *sink);

#endif
