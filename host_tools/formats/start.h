/* SPDX-License-Identifier: MIT
   host_tools/formats/start.h - the particles with which a scene starts, from any known format.
   reads   a sequence      writes  the start of a scene
   memory  malloc, freed by scene_free      cost    that of finding births and deaths
   after   own design */
#ifndef TIDEPOOL_START_H
#define TIDEPOOL_START_H
#include "../common/scene.h"

/* Loads the frame that the section `start` of a scene names, in the axes and units of the scene;
   without such a section does nothing. HOST_DONE, or an error was printed. */
int start_load(scene *target);

#endif
