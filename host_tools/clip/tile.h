/* SPDX-License-Identifier: MIT
   host_tools/clip/tile.h - encoder of a tile of one stream, with lookahead over all of its frames.
   reads   samples and their bound      writes  a tile's bytes (runtime/codec)
   memory  of the caller, 10 MB         cost    see lookahead.h
   after   own design; the encoder tries parameters on a few points of each component, then encodes
           all points */
#ifndef HOST_CLIP_TILE_H
#define HOST_CLIP_TILE_H
#include "lookahead.h"

/* How the words of a stream are encoded. */
typedef struct host_tile_kind {
    bool is_float; /* words are floats, else integers */
    /* largest error of a component, in its unit; 0: lossless */
    double error;
    tpi_lattice lattice[TPI_TILE_COMPONENTS]; /* with an error: host_lattice of each component */
} host_tile_kind;

/* The words of up to 128 points over up to 255 frames. */
typedef struct host_tile_samples {
    uint32_t points, frames, components;
    const uint32_t *words; /* [frame][component][TPI_TILE_POINTS] */
    /* for each point its first frame, and the frame after its last; null: all points exist in all
       frames */
    const uint8_t *first;
    const uint8_t *end;
} host_tile_samples;

TPI_INLINE uint32_t host_sample_word(const host_tile_samples *samples, uint32_t f, uint32_t c,
                                     uint32_t p)
{
    return samples->words[(f * samples->components + c) * TPI_TILE_POINTS + p];
}

/* Clips of at most so many points are worth is_thorough. */
#define HOST_THOROUGH_POINTS 512u

/* How some tiles of a stream were encoded: of a component the number of tiles by combination of
   spacing and predictor. */
#define HOST_COMBINATIONS (4u * TPI_PREDICTORS_ALL)
typedef struct host_habits {
    uint32_t tiles;
    uint32_t alone[HOST_COMBINATIONS]; /* the best combination without leaders */
    uint32_t led_tiles;                /* tiles in which points follow others */
    uint32_t led[HOST_COMBINATIONS];   /* their combinations */
} host_habits;

void host_habits_add(host_habits *to, const host_habits *more);

/* Tiles that are encoded together: where points follow close ones, a tile has too few at a time for
   a vector. */
#define HOST_TILES 8u

typedef struct host_tile_encoder {
    host_search search;
    uint32_t beams;   /* beam width, 1 .. HOST_BEAMS_MAX; HOST_BEAMS is a good choice */
    bool one_leader;  /* no point has two leaders */
    bool is_thorough; /* several combinations are searched to the end: six times slower */
    /* of each component: habits of other tiles, so that less is tried; null: everything is */
    const host_habits *habits;
    host_habits *learns; /* null, or the habits that tiles are added to */
    uint8_t required;    /* result: the features that a reader needs, TPI_CLIP_... */
    int32_t residuals[HOST_TILES][TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS];
    _Alignas(8) uint32_t scratch[TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS * 2u];
} host_tile_encoder;

/* Upper bound of the size of a tile, in bytes. */
uint32_t host_tile_bytes_max(uint32_t points, uint32_t frames, uint32_t components);

/* Makes a lattice for values between low and high with the given error. False: floats of that size
   are too coarse for the error; encode them without loss instead. */
bool host_lattice(double low, double high, double error, tpi_lattice *lattice);

/* Encodes at most HOST_TILES tiles of a stream; sets their sizes, at most host_tile_bytes_max. A
   component that does not fit its lattice (NaN, or outside) is encoded without loss. A tile's bytes
   do not depend on the others. Cost: 0.2 to 2 microseconds per point and frame. */
void host_tiles_encode(host_tile_encoder *encoder, const host_tile_samples *samples,
                       const host_tile_kind *kind, uint32_t count, uint8_t *const *bytes,
                       uint32_t *sizes);

/* The same of one tile; returns its size. */
uint32_t host_tile_encode(host_tile_encoder *encoder, const host_tile_samples *samples,
                          const host_tile_kind *kind, uint8_t *bytes);

/* The words of a component in the frame read last. */
void host_tile_words(const tpi_tile_reader *reader, const host_tile_kind *kind, uint32_t component,
                     uint32_t *words);

#endif
