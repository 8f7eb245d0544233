/* SPDX-License-Identifier: MIT
   host_tools/clip/pack.h - packed clips: a clip's bytes without redundancy, for storage.
   reads   a closed clip, or a packed one      writes  the other
   memory  20 MB, the clip and the packed clip
   cost    about 2 microseconds per value; packing also unpacks, to check
   after   own design; the residuals of all tiles are coded again by context mixing (mix.h), over
           the whole clip; format: host_tools/clip/FORMAT.md */
#ifndef HOST_CLIP_PACK_H
#define HOST_CLIP_PACK_H
#include "../../runtime/codec/clip.h"
#include "mix.h"

#define HOST_PACK_HEAD_BYTES 12u
#define HOST_PACK_SIZE_MAX   (1u << 30) /* of the clip */

/* True for the first bytes of a packed clip. */
bool host_pack_recognises(const uint8_t *start, size_t size);

/* Packs a clip. On success *packed is in malloc memory. 0: it was never appended to, was closed,
   and unpacking makes the same bytes; 1: it cannot be packed; 2: memory is short. */
int host_pack(const uint8_t *clip, size_t size, uint8_t **packed, size_t *packed_size);

/* Unpacks a clip into malloc memory. 0: done; 1: damaged, *at is about the byte; 2: memory is
   short. */
int host_unpack(const uint8_t *packed, size_t packed_size, uint8_t **clip, size_t *size,
                size_t *at);

/* ---- one tile (pack_tile.c) */

/* Frames since the last residual that is not 0, at most 31; the same for the two before it; its
   value. */
typedef struct host_tile_gap {
    uint32_t frames, before, before_that;
    int32_t value;
} host_tile_gap;

/* The nearest points before each one of a tile, and what their residuals tell (pack_near.c). */
#define HOST_NEAREST 2u
typedef struct host_tile_near {
    tpi_track track[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    /* of even and of odd frames, with those of the leaders */
    int32_t residual[2][TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    uint8_t nearest[TPI_TILE_POINTS][HOST_NEAREST], count[TPI_TILE_POINTS];
} host_tile_near;
typedef struct host_near_values {
    /* twice the mean residual of this frame, minus that of the point's leaders; twice the mean of
       the frame before, minus the point's own */
    int32_t now, before;
    uint32_t size; /* mean size of the residuals of this frame, in 16ths */
} host_near_values;
/* Before a frame is coded. */
void host_near_find(host_tile_near *near, const tpi_tile_plan *plan, uint32_t frame);
host_near_values host_near_of(const host_tile_near *near, const tpi_tile_plan *plan, uint32_t frame,
                              uint32_t component, uint32_t point);
/* After a value is coded. */
void host_near_move(host_tile_near *near, const tpi_tile_plan *plan, uint32_t frame,
                    uint32_t component, uint32_t point);

typedef struct host_tile_packer {
    host_mix mix;
    tpi_tile_reader reader;
    tpi_tile_plan plan;
    uint32_t stream, tile;
    uint8_t (*lives)[2][TPI_TILE_POINTS]; /* of the group's tiles, as its first stream has them */
    bool has_lives;                       /* lives are set */
    uint32_t before[TPI_TILE_COMPONENTS]; /* parameters of the last tile's components */
    uint32_t ballistic[TPI_TILE_COMPONENTS][2];          /* its accelerations and drags */
    uint32_t mean[TPI_TILE_COMPONENTS][TPI_TILE_POINTS]; /* of residuals, in 16ths */
    host_tile_gap gap[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    host_tile_near near;
    int32_t residuals[TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS];
    _Alignas(8) uint32_t scratch[TPI_TILE_FRAMES_MAX * TPI_TILE_COMPONENTS * TPI_TILE_POINTS * 2u];
} host_tile_packer;

/* Codes a number whose only context is `slot`. */
int32_t host_pack_value(host_tile_packer *packer, uint32_t slot, int32_t value);
/* Takes a tile apart. True: packing its plan gives it back. */
bool host_tile_take(host_tile_packer *packer, const uint8_t *tile, uint32_t size);
/* Codes packer->plan. False: damaged. */
bool host_tile_code(host_tile_packer *packer);
/* Writes the tile of packer->plan. Returns its size; 0: it does not fit. */
uint32_t host_tile_put(host_tile_packer *packer, uint8_t *bytes, uint32_t bytes_max);

#endif
