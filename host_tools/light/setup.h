/* SPDX-License-Identifier: MIT
   host_tools/light/setup.h - what lights a picture: lamps, a sky, a surface with its patches.
   reads   a .light file (SETUP.md), and the .obj and .tpl files that it names      writes  nothing
   memory  malloc, freed by light_setup_free      cost    one pass over the files
   after   own design */
#ifndef TIDEPOOL_LIGHT_SETUP_H
#define TIDEPOOL_LIGHT_SETUP_H
#include "patches.h"

typedef struct light_setup {
    tp_light lamps[TP_LIGHTS_MAX];
    uint32_t lamp_count;
    tp_sh sky; /* all 0: none */
    bool has_sky;
    /* of the particles, if has_albedo; else the colors of other pictures */
    tp_vector albedo;
    bool has_albedo;
    float opacity;  /* of the middle of a drawn particle: below 1 they are clouds */
    float exposure; /* factor from radiance to brightness in the picture */
    /* the surface; count 0: none */
    light_patch *surface;
    uint32_t surface_count;
    bool passes_backs; /* light that comes from behind a face passes it */
    /* of a .tpl file with the patches of the surface; count 0: light is not reflected */
    tp_patches patches;
    uint8_t *file;
    tp_vector *memory;
    uint32_t bounces;
} light_setup;

/* HOST_DONE, or an error was printed. */
int light_setup_load(light_setup *setup, const char *path);
void light_setup_free(light_setup *setup);

#endif
