/* SPDX-License-Identifier: MIT
   host_tools/common/picture.h - a scene as the picture library sees it: colliders, colours, camera, names.
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
    size_t shape_room;
    float *points; /* of outlines */
    size_t point_room, point_count;
    canvas *canvas, *backdrop;
    char label[64];
    bool has_words;
} picture;

/* HOST_DONE or an error already printed. A side of 0 takes the scene's. Without words: no title and no time. */
int picture_open(picture *target, const scene *source, uint32_t width, uint32_t height, bool has_words);
void picture_close(picture *target);
/* Draws the frame that the playback holds into target->canvas. */
int picture_draw(picture *target, const playback *source, uint64_t frame);

/* The surface of a distance grid as lines, from its first sample: 6 floats each, which `points` takes unless it is NULL.
   Returns how many. */
size_t contour_lines(const tp_collider_def *def, float *points);

#endif
