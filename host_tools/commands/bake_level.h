/* SPDX-License-Identifier: MIT
   host_tools/commands/bake_level.h - `tidepool bake SCENE OUT.h`: the meshes of a scene as arrays
           of C.
   reads   a scene      writes  a header
   memory  none of its own      cost    O(vertices)
   after   own design */
#ifndef TIDEPOOL_BAKE_LEVEL_H
#define TIDEPOOL_BAKE_LEVEL_H
#include "../common/scene.h"

/* True if OUT is a header of C: its name ends in .h. */
bool bake_is_level(const char *path);
/* Writes the vertices and edges (3D: triangles) of each mesh of the scene, and a function that
   makes its definition. */
int bake_level(const scene *source, const char *path);

#endif
