/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead.h - beam search for the cheapest residuals of points within an error
           bound.
   reads   samples and their bound      writes  a plan (runtime/codec)
   memory  of the caller                cost    O(beams) candidates per sample; see HOST_BEAMS
   after   own design: beam search over the lattice coordinates that the bound allows, minimising
           coded bits. The tracks of several points are searched together, one per lane of a vector;
           a track's result does not depend on the width or on the other tracks */
#ifndef HOST_CLIP_LOOKAHEAD_H
#define HOST_CLIP_LOOKAHEAD_H
#include "../../runtime/codec/codec.h"

#define HOST_BEAMS_MAX 16u
#define HOST_BEAMS     6u  /* 50 % more save 0.5 % of the bytes and take 50 % more time */
#define HOST_TRACKS    16u /* tracks that are worth collecting for one call */
#define HOST_LANES_MAX 16u /* of vectors */

/* The track of a component of a point. */
typedef struct host_track {
    uint32_t frames;           /* 1 to TPI_TILE_FRAMES_MAX */
    const int32_t *low, *high; /* allowed lattice coordinates of each frame */
    const int32_t *led; /* residuals of the leader, null without one; the first two are not used */
    uint32_t predictor, start;
    uint32_t first;       /* of a ballistic predictor: the tile's frame of the first one here */
    int32_t acceleration; /* as in tpi_tile_component */
    uint32_t drag;
    int32_t *residuals; /* first coordinate, first velocity, residuals; null: the cost is enough */
    uint32_t stride;    /* distance of two residuals */
    uint32_t cost;      /* result: of the residuals, in sixteenths of a bit */
} host_track;

#define HOST_CANDIDATES 127u /* of a frame, at most */

/* Costs of residuals up to this size are in a table. Table k > 0 has those of the next larger
   residuals, in units of 4^k: they are coded in such units or larger ones, and their low bits cost
   the same whatever they are. */
#define HOST_NEAR        24
#define HOST_NEAR_ROW    (2u * HOST_NEAR + 1u)
#define HOST_COSTS       (TPI_CODEC_STATES * HOST_NEAR_ROW) /* words of a table */
#define HOST_COST_TABLES 5u                                 /* residuals up to 6144 */

typedef struct host_search {
    const uint32_t *costs; /* host_cost_word of each table, state and residual */
    int32_t gains[16];     /* tpi_ballistic_gains, as vectors read them */
    /* the tracks of a batch, lane by lane: bounds and leaders, then of each candidate the residual
       and the beam before */
    int32_t low[TPI_TILE_FRAMES_MAX * HOST_LANES_MAX], size[TPI_TILE_FRAMES_MAX * HOST_LANES_MAX],
        led[TPI_TILE_FRAMES_MAX * HOST_LANES_MAX];
    int32_t residual[TPI_TILE_FRAMES_MAX * HOST_CANDIDATES * HOST_LANES_MAX],
        from[TPI_TILE_FRAMES_MAX * HOST_CANDIDATES * HOST_LANES_MAX];
    /* candidate of each frame and beam */
    int32_t chosen[TPI_TILE_FRAMES_MAX * HOST_BEAMS_MAX * HOST_LANES_MAX];
} host_search;

/* Cost of a residual in sixteenths of a bit | row of the next state << 16. */
uint32_t host_cost_word(uint32_t state, int32_t residual);

/* Sets `costs`; call it once before searching. */
void host_search_begin(host_search *search);

/* Finds for every frame the lattice coordinates whose values are within `bound` of the sample.
   False: a frame has none. */
bool host_search_coordinates(const float *values, uint32_t frames, const tpi_lattice *lattice,
                             uint32_t fineness, double bound, int32_t *low, int32_t *high);

/* Chooses for each track the first coordinate, the first velocity and all later residuals, with
   `beams` beams, at most HOST_BEAMS_MAX; 1: greedy search. */
void host_search_tracks(host_search *search, uint32_t beams, host_track *tracks, uint32_t count);

/* The widths that this program has beside that of the compiler's flags; the machine decides which
   is used. AVX-512 takes 0.93 of the time of AVX2. */
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
#define HOST_SEARCH_8 1
#endif
#if TIDEPOOL_DISPATCH && !(defined(__AVX512F__) && defined(__AVX512BW__))
#define HOST_SEARCH_16 1
#endif

/* Numbers in the vectors of the search on this machine. */
uint32_t host_search_width(void);

/* host_search_tracks with the vectors of the compiler's flags, of 8 and of 16 numbers; the tracks
   have either ballistic predictors or others. */
void host_search_lanes(host_search *search, uint32_t beams, host_track **tracks, uint32_t count);
void host_search_lanes_8(host_search *search, uint32_t beams, host_track **tracks, uint32_t count);
void host_search_lanes_16(host_search *search, uint32_t beams, host_track **tracks, uint32_t count);
/* The lattice coordinates of host_search_coordinates. False: it may find some nevertheless. */
bool host_coordinates_lanes(const float *values, uint32_t frames, float origin, float step,
                            double bound, int32_t *low, int32_t *high);
bool host_coordinates_lanes_8(const float *values, uint32_t frames, float origin, float step,
                              double bound, int32_t *low, int32_t *high);
bool host_coordinates_lanes_16(const float *values, uint32_t frames, float origin, float step,
                               double bound, int32_t *low, int32_t *high);

#endif
