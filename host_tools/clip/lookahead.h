/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead.h - beam search for the cheapest residuals of a point within an error
           bound.
   reads   samples and their bound      writes  a plan (runtime/codec)
   memory  of the caller                cost    O(beams) candidates per sample; see HOST_BEAMS
   after   own design: beam search over the lattice coordinates that the bound allows, minimising
           coded bits */
#ifndef HOST_CLIP_LOOKAHEAD_H
#define HOST_CLIP_LOOKAHEAD_H
#include "../../runtime/codec/codec.h"

#define HOST_BEAMS_MAX 32u
#define HOST_BEAMS     6u /* 50 % more save 0.5 % of the bytes and take 50 % more time */

/* A beam: the residuals up to a frame, by back pointers. */
typedef struct host_beam {
    tpi_track track;
    int32_t residual;
    uint32_t cost; /* sixteenths of a bit */
    uint16_t state;
    uint8_t from; /* beam of the previous frame */
} host_beam;

/* Allowed lattice coordinates of a frame: low to low + size. */
typedef struct host_span {
    int32_t low;
    uint32_t size;
} host_span;

typedef struct host_search {
    uint32_t beams; /* beam width, at most HOST_BEAMS_MAX; 1: greedy search */
    /* cost of residuals -8 .. 8 in a state | next state << 16 */
    uint32_t costs[TPI_CODEC_STATES * TPI_CODEC_ROW];
    /* bounds of the lattice coordinates */
    int32_t low[TPI_TILE_FRAMES_MAX], high[TPI_TILE_FRAMES_MAX];
    /* residuals of the point's leader, 0 without one; the first two frames are not used */
    int32_t led[TPI_TILE_FRAMES_MAX];
    bool has_leader; /* false: led is 0 throughout */
    host_beam beam[TPI_TILE_FRAMES_MAX][HOST_BEAMS_MAX];
} host_search;

/* Fills `costs`; call it once before searching. */
void host_search_begin(host_search *search);

/* Finds for every frame the lattice coordinates whose values are within `bound` of the sample.
   False: a frame has none. */
bool host_search_coordinates(host_search *search, const float *values, uint32_t frames,
                             const tpi_lattice *lattice, uint32_t fineness, double bound);

/* Chooses the first coordinate, the first velocity and all later residuals, and stores them in
   residuals[0], [stride] ... Returns the cost of the residuals in sixteenths of a bit. */
uint32_t host_search_track(host_search *search, uint32_t frames, uint32_t predictor, uint32_t start,
                           int32_t *residuals, uint32_t stride);

#endif
