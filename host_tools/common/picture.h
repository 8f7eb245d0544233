/* SPDX-License-Identifier: MIT
   host_tools/common/picture.h - converts a scene for the picture library: colliders, colours,
           camera, names.
   reads   a scene, a frame of a playback      writes  a render_scene
   memory  malloc for the outlines, freed by picture_close      cost    O(colliders + heights)
   after   own design */
#ifndef TIDEPOOL_PICTURE_H
#define TIDEPOOL_PICTURE_H
#include "../render/render.h"
#include "playback.h"
#include "scene.h"

typedef struct picture {
    const scene *source;
    render_scene render;
    render_shape *shapes;
    size_t shape_capacity;
    float *points;       /* of the outlines */
    uint32_t *triangles; /* of the sheets */
    uint32_t *split;     /* all of them, with the nodes that tears have made */
    uint32_t *whole;     /* those of them that are not torn in this frame */
    size_t triangle_count;
    size_t point_capacity, point_count;
    struct {
        uint32_t *pairs; /* edges of a mesh in 3D: two vertices each */
        size_t count;
    } * creases; /* of each collider */
    canvas *canvas, *backdrop;
    char label[64];
    bool has_words;
} picture;

/* width or height 0: as in the scene. Without has_words: no title and no time. HOST_DONE, or an
   error was printed. */
int picture_open(picture *target, const scene *source, uint32_t width, uint32_t height,
                 bool has_words);
void picture_close(picture *target);
/* Draws the loaded frame of the playback into target->canvas. */
int picture_draw(picture *target, const playback *source, uint64_t frame);

/* The edges of a mesh in 3D as pairs of vertices, by triangle; those between two triangles in one
   plane, within a degree, are left out. The caller frees them. HOST_DONE, or an error was
   printed. */
int crease_edges(const tp_collider_def *def, uint32_t **pairs, size_t *count);

/* The surface of a distance grid as lines, relative to its first sample; 6 floats per line, written
   to `points` unless it is NULL. Returns the number of lines. */
size_t contour_lines(const tp_collider_def *def, float *points);

#endif
