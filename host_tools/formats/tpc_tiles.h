/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_tiles.h - the tiles of a stream of a group.
   reads   a group      writes  tiles
   memory  10 MB per thread      cost    see tpc_tiles.c
   after   own design */
#ifndef TIDEPOOL_TPC_TILES_H
#define TIDEPOOL_TPC_TILES_H
#include "../clip/tile.h"
#include "tpc.h"

typedef struct tpc_tiles {
    const tpc_group *group;
    host_tile_kind kind;
    uint32_t first, count; /* tiles */
    uint32_t column, components, frames;
    /* of a stream stored once: [tile][component][TPI_TILE_POINTS]; else null */
    const uint32_t *words;
    uint32_t slots; /* all of the group, or of the stream stored once */
    uint32_t jobs;  /* threads, 1 or more */
    /* called for each tile, in order; HOST_DONE, or an error was printed */
    void *context;
    int (*put)(void *context, const uint8_t *bytes, uint32_t size);
} tpc_tiles;

/* Encodes the tiles; adds the features that a reader of them needs to *required. HOST_DONE, or an
   error was printed. */
int tpc_encode_tiles(const tpc_tiles *tiles, uint8_t *required);

#endif
