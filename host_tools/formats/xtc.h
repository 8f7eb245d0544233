/* SPDX-License-Identifier: MIT
   host_tools/formats/xtc.h - XTC trajectories of GROMACS and LAMMPS: compressed positions of all
           atoms.
   reads   .xtc                            writes  -
   memory  12 bytes per frame; one frame   cost    O(frames) to open, O(points) per frame
   after   the XDR records of GROMACS: coordinates as whole multiples of a precision, packed as
           differences in a mixed radix */
#ifndef TIDEPOOL_XTC_H
#define TIDEPOOL_XTC_H
#include "formats.h"

/* ---- functions of the format's row in formats.c */
bool xtc_recognises(const uint8_t *start, size_t size);
int xtc_open(host_sequence *sequence, const char *path);
int xtc_load(host_sequence *sequence, size_t position, host_frame *frame);
void xtc_close(host_sequence *sequence);

/* ---- the packed coordinates of a frame (xtc_unpack.c) */
typedef struct xtc_packing {
    float precision; /* multiples per unit of length */
    int32_t least[3], most[3];
    uint32_t small; /* step of the table of ranges for differences */
} xtc_packing;
/* Unpacks `count` points. False: the bytes end before, or contradict the packing. O(count) */
bool xtc_unpack(const xtc_packing *packing, const uint8_t *bytes, size_t size, uint32_t count,
                float *location);

#endif
