/* SPDX-License-Identifier: MIT
   host_tools/render/palette.h - a palette for many pictures: count colours, build, look up.
   reads   -      writes  -
   memory  5 MB a palette    cost    see palette.c
   after   own design */
#ifndef TIDEPOOL_PALETTE_H
#define TIDEPOOL_PALETTE_H
#include "render.h"

#define PALETTE_MAX  256
#define PALETTE_BITS 6 /* kept of each channel when colours are counted */
#define PALETTE_BINS (1u << (3 * PALETTE_BITS))

/* Colours that share their upper bits. */
typedef struct palette_bin {
    uint32_t count;
    uint32_t low_sums[3]; /* of the bits cut off, so that the mean is exact */
} palette_bin;

typedef struct palette {
    uint32_t count; /* entries; 0 until built */
    uint8_t entries[PALETTE_MAX * 3];
    float scaled[PALETTE_MAX][3];  /* entries in the space where distances are measured */
    int16_t nearest[PALETTE_BINS]; /* entry by bin, -1 until asked for */
    palette_bin bins[PALETTE_BINS];
} palette;

palette *palette_create(void);
void palette_learn(palette *colours, const canvas *picture);
/* At most entry_max entries; false when memory is short. Cost: O(c log c) for c colours met, about 30 ms. */
bool palette_build(palette *colours, uint32_t entry_max);
/* Entry nearest to a colour. Cost: one look into a table, 256 distances at the first of a bin. */
uint32_t palette_index(palette *colours, uint32_t red, uint32_t green, uint32_t blue);

#endif
