/* SPDX-License-Identifier: MIT
   host_tools/formats/vtk.h - points of legacy VTK files, in text or binary; one file per frame.
   reads   bytes of one file               writes  bytes of one file
   memory  one frame                       cost    O(bytes)
   after   the VTK file formats document, simple legacy formats, versions 1.0 to 5.1 */
#ifndef TIDEPOOL_VTK_H
#define TIDEPOOL_VTK_H
#include "numbered.h"

bool vtk_recognises(const uint8_t *start, size_t size);
/* Reads POINTS of a POLYDATA or an UNSTRUCTURED_GRID, and the arrays of POINT_DATA with the name of
   a stream. */
int vtk_read(host_piece *piece, host_frame *frame);
int vtk_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
