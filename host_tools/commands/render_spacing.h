/* SPDX-License-Identifier: MIT
   host_tools/commands/render_spacing.h - how far the points of a fluid are apart.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_RENDER_SPACING_H
#define TIDEPOOL_RENDER_SPACING_H
#include <stddef.h>
#include <stdint.h>

/* The median distance of points from their nearest other one. `places`: three numbers each. 0: no
   two points are apart. */
float render_spacing(const float *places, size_t count);

#endif
