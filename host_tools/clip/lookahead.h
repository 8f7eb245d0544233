/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead.h - residuals chosen with the whole tile in view.
   reads   samples and their bound      writes  a plan (runtime/codec)
   memory  of the caller                cost    beams * places within the bound, a sample; see TIDEPOOL_BEAMS
   after   own design: a beam search over the places that the bound allows, by the bits that they come to */
#ifndef HOST_CLIP_LOOKAHEAD_H
#define HOST_CLIP_LOOKAHEAD_H
#include "../../runtime/codec/codec.h"

#define HOST_BEAMS_MAX 32u
#define HOST_BEAMS     6u /* half as many more save half a percent of the bytes, in half as much time again */

/* A way through the frames so far. */
typedef struct host_beam {
    tpi_track track;
    int32_t residual;
    uint32_t cost; /* sixteenths of a bit */
    uint16_t state;
    uint8_t from;
} host_beam;

/* Places of a frame: from low to low + size. */
typedef struct host_span {
    int32_t low;
    uint32_t size;
} host_span;

typedef struct host_search {
    uint32_t beams; /* at most HOST_BEAMS_MAX; 1: no looking ahead */
    uint32_t
        costs[TPI_CODEC_STATES * TPI_CODEC_ROW]; /* of residuals -8 .. 8 in a state; the next one << 16 */
    int32_t low[TPI_TILE_FRAMES_MAX], high[TPI_TILE_FRAMES_MAX]; /* places within the bound */
    int32_t led
        [TPI_TILE_FRAMES_MAX]; /* the residuals of the point's leader, 0 where it has none; those of the first two
                                         frames are not looked at */
    bool has_leader;           /* false: led is 0 throughout */
    host_beam beam[TPI_TILE_FRAMES_MAX][HOST_BEAMS_MAX];
} host_search;

/* Before anything is searched; writes `costs`. */
void host_search_begin(host_search *search);

/* Finds for every frame the places whose values are within `bound` of the value there. False: a frame has none. */
bool host_search_places(host_search *search, const float *values, uint32_t frames, const tpi_lattice *lattice,
                        uint32_t fineness, double bound);

/* Chooses the first place, the first velocity and the residuals after them into residuals[0], [stride] ...; returns what
   the residuals cost. */
uint32_t host_search_track(host_search *search, uint32_t frames, uint32_t predictor, uint32_t start,
                           int32_t *residuals, uint32_t stride);

#endif
