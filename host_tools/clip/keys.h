/* SPDX-License-Identifier: MIT
   host_tools/clip/keys.h - where a tile's points did not go on as predicted, and the bits that each of its frames took.
   reads   a tile      writes  marks, counts
   memory  the caller's      cost    that of tpi_tile_read, and a prediction a point and component
   after   own design: a residual is what a place differs by from the prediction of the frame before */
#ifndef HOST_CLIP_KEYS_H
#define HOST_CLIP_KEYS_H
#include "../../runtime/codec/codec.h"

/* Marks of a point in a frame. */
#define HOST_KEY_ANEW 1u /* it told its first place or its first velocity, as every point does once a tile */
#define HOST_KEY_THERE \
    2u /* it did not go on as predicted, in some component, or is kept without predictions */

/* What one frame of a tile took. */
typedef struct host_tile_keys {
    uint64_t bits; /* that reading it consumed: of the coders' stream, plain ones, values as they are */
    uint8_t marks[TPI_TILE_POINTS];
} host_tile_keys;

/* Reads the next frame as tpi_tile_read does; false as there. */
bool host_tile_read_keys(tpi_tile_reader *reader, const uint8_t *tile, host_tile_keys *keys);

#endif
