/* SPDX-License-Identifier: MIT
   host_tools/render/lit.h - pictures in the light of the runtime: lamps with soft shadows, a sky,
           patches.
   reads   a render_scene, a light_setup      writes  a canvas, a map of its noise
   memory  malloc, freed by lit_close      cost    1 ray per sample of a pixel, 1 per lamp, 1 to the
           sky
   after   own design; see lit.c */
#ifndef TIDEPOOL_LIT_H
#define TIDEPOOL_LIT_H
#include "../light/setup.h"
#include "oversample.h"
#include "render.h"

/* A surface, and the light that its patches get; the same in all frames. */
typedef struct lit_room lit_room;

typedef struct lit_options {
    oversample_plan plan;
    bool is_quiet; /* no progress bar */
} lit_options;

/* Counts for a picture of so many pixels, `samples` for each: a pilot of 4, and 4 passes that give
   four times as many to an eighth of the pixels. Biased: only these, and the pilot. */
oversample_plan lit_plan(uint32_t samples, uint32_t pixel_count, bool is_biased);

/* Computes the light of the surface. The setup must stay. HOST_DONE, or an error was printed. */
int lit_open(lit_room **room, light_setup *setup);
void lit_close(lit_room *room);
/* The box around the surface, y up. False: there is none. */
bool lit_bounds(const lit_room *room, float low[3], float high[3]);

/* Draws the particles as balls, the lamps and the surface, or without one a floor. `noise`: of the
   same size, gets the standard error of each pixel's brightness, from 0 to a tenth of white; NULL:
   none. HOST_DONE, or an error was printed. */
int lit_draw(const lit_room *room, const render_scene *scene, const lit_options *options,
             canvas *target, canvas *noise);

#endif
