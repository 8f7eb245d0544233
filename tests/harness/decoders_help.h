/* SPDX-License-Identifier: MIT
   tests/harness/decoders_help.h - the decoders of tiles, one per width of vectors.
   reads   -      writes  -
   memory  none      cost    none
   after   own design */
#ifndef TIDEPOOL_DECODERS_HELP_H
#define TIDEPOOL_DECODERS_HELP_H
#include "../../runtime/codec/codec.h"
#include "../../runtime/tidepool.h"

#define DECODERS_MAX 3u
typedef bool (*tile_decoder)(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys);

/* The decoders that this build has and this machine runs. */
static inline uint32_t list_decoders(tile_decoder decoders[DECODERS_MAX])
{
    uint32_t count = 0;
    decoders[count++] = tpi_tile_frame;
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
    if (tp_lanes() >= 8u) decoders[count++] = tpi_tile_frame_8;
#endif
#if TIDEPOOL_DISPATCH && TP_LANES_MAX >= 16
    if (tp_lanes() >= 16u) decoders[count++] = tpi_tile_frame_16;
#endif
    return count;
}

#endif
