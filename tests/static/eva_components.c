/* SPDX-License-Identifier: MIT
   tests/static/eva_components.c - a component of a tile's frame, whatever its header and its bytes say, for Eva.
   reads   an unknown reader      writes  nothing: no alarm is what is asked
   memory  a reader and a tile      cost    a minute
   after   own design; symbols and plain bits are as eva_symbols.c proves them */
#include "eva_reader.h"

/* A component of symbols, in a tile that has as many bytes left as a frame can take, or less: see eva_tile.c. Its states
   go into symbols alone, and come out of them or of the list: eva_symbols.c. */
static void component_of(uint32_t left, bool has_keys)
{
    any_reader(eva_u32(1, TPI_TILE_FRAMES_MAX), eva_u32(TPI_TILE_CONSTANT, TPI_TILE_CODED));
    reader.size = TILE, reader.at = TILE - left;
    frame_of_component(&reader, room, eva_u32(0, TPI_TILE_COMPONENTS - 1u), has_keys ? keys : NULL);
}

int main(void)
{
    component_of(TILE_FRAME_BYTES_MAX, true), component_of(TILE_FRAME_BYTES_MAX, false);
    component_of(1, true), component_of(0, false);
    return 0;
}
