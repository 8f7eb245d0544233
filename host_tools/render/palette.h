/* SPDX-License-Identifier: MIT
   host_tools/render/palette.h - colour quantisation: one palette for many pictures. Count colours,
           build, look up.
   reads   -      writes  -
   memory  5 MB per palette    cost    see palette.c
   after   own design */
#ifndef TIDEPOOL_PALETTE_H
#define TIDEPOOL_PALETTE_H
#include "render.h"

#define PALETTE_MAX  256
#define PALETTE_BITS 6 /* bits per channel of the histogram */
#define PALETTE_BINS (1u << (3 * PALETTE_BITS))

/* A bin of the histogram: colours with equal upper bits. */
typedef struct palette_bin {
    uint32_t count;
    uint32_t low_sums[3]; /* sums of the lower bits, so that the mean is exact */
} palette_bin;

typedef struct palette {
    uint32_t count; /* entries; 0 until built */
    uint8_t entries[PALETTE_MAX * 3];
    float scaled[PALETTE_MAX][3];  /* entries in the weighted space of distances */
    int16_t nearest[PALETTE_BINS]; /* nearest entry by bin; -1: not computed yet */
    palette_bin bins[PALETTE_BINS];
} palette;

palette *palette_create(void);
void palette_learn(palette *colours, const canvas *picture);
/* Builds a palette of at most entry_max entries; false if memory is insufficient. Cost: O(c log c)
   for c occupied bins, about 30 ms. */
bool palette_build(palette *colours, uint32_t entry_max);
/* The entry nearest to a colour. Cost: one table look-up; 256 distances at the first use of a
   bin. */
uint32_t palette_index(palette *colours, uint32_t red, uint32_t green, uint32_t blue);

#endif
