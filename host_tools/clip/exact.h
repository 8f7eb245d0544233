/* SPDX-License-Identifier: MIT
   host_tools/clip/exact.h - components of a tile that keep every bit.
   reads   samples      writes  a plan (runtime/codec)
   memory  none         cost    O(points * frames), three times
   after   own design */
#ifndef HOST_CLIP_EXACT_H
#define HOST_CLIP_EXACT_H
#include "tile.h"

/* Plans a component without loss: with the cheapest of three predictors, or uncompressed. */
void host_plan_exact(tpi_tile_plan *plan, const host_tile_samples *samples, bool is_float,
                     uint32_t component);

/* Plans a component uncompressed. */
void host_plan_raw(tpi_tile_plan *plan, const host_tile_samples *samples, uint32_t component);

#endif
