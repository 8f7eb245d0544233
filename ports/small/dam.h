/* SPDX-License-Identifier: MIT
   ports/small/dam.h - a dam of 300 particles in a tank, drawn with letters: the common part of the
           fluids for 64 KiB of RAM.
   reads   nothing      writes  nothing: definitions
   memory  none      cost    a picture: one pass over the particles
   after   own design; ports/small rewinds it, ports/basin simulates it with the incompressible
           solver */
#ifndef TIDEPOOL_SMALL_DAM_H
#define TIDEPOOL_SMALL_DAM_H
#include "dam_world.h"
#include "show.h"

static void dam_draw(const tp_world *world) { show_draw(world, DAM_WIDTH, DAM_HEIGHT); }

#endif
