/* SPDX-License-Identifier: MIT
   host_tools/formats/faces.h - the faces of a mesh whose vertices are the points of a sequence.
   reads   .obj                            writes  -
   memory  4 bytes per face and per corner    cost    O(bytes)
   after   own design; polygons of any size, as Wavefront's .obj has them */
#ifndef TIDEPOOL_FACES_H
#define TIDEPOOL_FACES_H
#include "formats.h"

struct host_faces {
    const char *path;  /* of the mesh, for messages */
    uint32_t *counts;  /* corners of each face */
    uint32_t *corners; /* vertices from 0, face after face, counter-clockwise */
    uint32_t face_count, corner_count, vertex_count;
};

/* Reads the mesh of the option --mesh; `path` NULL: none, and *faces is empty. HOST_USAGE when the
   format has no faces. HOST_DONE, or the error printed; host_faces_free frees in both cases. */
int host_faces_option(host_faces *faces, const char *path, const host_format *format);
void host_faces_free(host_faces *faces);
/* Notes that the faces of the input are not in the output. */
void host_faces_note(const host_faces *faces, const host_sequence *input, const host_format *to);

/* Of a sink that writes faces: HOST_BAD_INPUT with the error printed when the points of a frame are
   not the vertices. */
int host_faces_check(const host_sink *sink, const host_frame *frame);

#endif
