/* SPDX-License-Identifier: MIT
   tests/static/eva_components.c - Eva driver: one component of a tile's frame, for any header and
           any bytes.
   reads   an unknown reader      writes  nothing: Eva must report no alarm
   memory  a reader and a tile      cost    a minute
   after   own design; symbols and plain bits are replaced by the specifications that eva_symbols.c
           proves */
#include "eva_reader.h"

/* A component that is coded as symbols, in a tile with as many bytes left as a frame can need, or
   fewer (see eva_tile.c). Only the symbol functions read and write its states, from values of the
   list (see eva_symbols.c). */
static void component_of(uint32_t left, bool has_keys)
{
    any_reader(eva_u32(1, TPI_TILE_FRAMES_MAX), eva_u32(TPI_TILE_CONSTANT, TPI_TILE_CODED));
    reader.size = TILE, reader.at = TILE - left;
    frame_of_component(&reader, room, eva_u32(0, TPI_TILE_COMPONENTS - 1u), has_keys ? keys : NULL);
}

int main(void)
{
    component_of(6u * TPI_TILE_POINTS, true), component_of(6u * TPI_TILE_POINTS, false);
    component_of(TPI_TILE_POINTS, true), component_of(TPI_TILE_POINTS - 1u, false);
    component_of(1, true), component_of(0, false);
    return 0;
}
