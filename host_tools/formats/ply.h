/* SPDX-License-Identifier: MIT
   host_tools/formats/ply.h - points of PLY files, text or binary of either byte order; one file per
           frame.
   reads   bytes of one file               writes  bytes of one file
   memory  one frame, and the faces of a mesh    cost    O(bytes)
   after   the PLY file format of Greg Turk, 1994 */
#ifndef TIDEPOOL_PLY_H
#define TIDEPOOL_PLY_H
#include "numbered.h"

bool ply_recognises(const uint8_t *start, size_t size);
/* Points are the rows of the element "vertex". Other elements are checked for their size and
   skipped. */
int ply_read(host_piece *piece, host_frame *frame);
/* Triangles of a mesh; a face with more corners becomes a fan. */
typedef struct ply_faces {
    uint32_t *corners; /* vertices, three per triangle; in malloc memory */
    size_t count, capacity;
} ply_faces;
/* The same with the faces of a mesh, of which there must be one. On an error both are empty. */
int ply_read_mesh(host_piece *piece, host_frame *frame, ply_faces *faces);
int ply_write(FILE *stream, const host_sink *sink, const host_frame *frame);

#endif
