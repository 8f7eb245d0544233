/* SPDX-License-Identifier: MIT
   host_tools/clip/tile.h - a tile of one stream, chosen with the whole tile in view.
   reads   samples and their bound      writes  a tile's bytes (runtime/codec)
   memory  of the caller, 3 MB          cost    see lookahead.h
   after   own design; the encoder tries each component with a few of its points, then chooses for all */
#ifndef HOST_CLIP_TILE_H
#define HOST_CLIP_TILE_H
#include "lookahead.h"

/* How a stream's words are kept. */
typedef struct host_tile_kind {
    bool is_float; /* words are floats: near values are near numbers; else integers */
    double error;  /* the greatest difference of a component, in its unit; 0: every bit is kept */
    tpi_lattice lattice[TPI_TILE_COMPONENTS]; /* with an error: host_lattice of each component */
} host_tile_kind;

/* The words of up to 128 points over up to 255 frames. */
typedef struct host_tile_samples {
    uint32_t points, frames, components;
    const uint32_t *words; /* [frame][component][TPI_TILE_POINTS] */
    const uint8_t *
        first; /* of each point, the frame of its birth, and the one behind its last; null: all live always */
    const uint8_t *end;
} host_tile_samples;

typedef struct host_tile_encoder {
    host_search search;
    uint32_t beams; /* 1 .. HOST_BEAMS_MAX; HOST_BEAMS is a good choice */
    int32_t residuals[TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS];
    _Alignas(8) uint32_t scratch[TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS * 2u];
} host_tile_encoder;

/* The most bytes that a tile takes. */
uint32_t host_tile_bytes_max(uint32_t points, uint32_t frames, uint32_t components);

/* A lattice for values between low and high that keeps `error`. False: floats of that size are too coarse for it; keep
   every bit then. */
bool host_lattice(double low, double high, double error, tpi_lattice *lattice);

/* Encodes; returns the tile's bytes, at most host_tile_bytes_max. A component that does not fit its lattice (not a number,
   or outside) is kept bit by bit. Cost: 0.5 to 5 microseconds a point and frame. */
uint32_t host_tile_encode(host_tile_encoder *encoder, const host_tile_samples *samples,
                          const host_tile_kind *kind, uint8_t *bytes);

/* The words of a component in the frame that the reader read last. */
void host_tile_words(const tpi_tile_reader *reader, const host_tile_kind *kind, uint32_t component,
                     uint32_t *words);

#endif
