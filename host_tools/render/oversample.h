/* SPDX-License-Identifier: MIT
   host_tools/render/oversample.h - how many random samples each pixel of a picture gets.
   reads   colors from the caller      writes  means and variances
   memory  32 bytes per pixel      cost    O(samples), and a sort of all pixels per pass
   after   Welford 1962 (running variance); two-stage sampling (Stein 1945), whose first stage must
           not count in the mean (Kirk and Arvo 1991, Unbiased sampling techniques) */
#ifndef TIDEPOOL_OVERSAMPLE_H
#define TIDEPOOL_OVERSAMPLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Running mean and sum of squared differences from it. */
typedef struct oversample_pixel {
    uint32_t count;
    float mean, squares; /* of the brightness */
    float color[3];      /* mean */
} oversample_pixel;

typedef struct oversample_plan {
    uint32_t pilot;   /* first samples of each pixel, at least 2: they tell its variance */
    uint32_t samples; /* of each pixel besides, at least 1; without effect if is_biased */
    uint32_t passes;  /* each adds `extra` samples to `chosen` pixels */
    uint32_t chosen, extra;
    /* Brightness above it counts as it, for the variance; 0: no limit. */
    float white;
    /* True: fast. All samples count, so pixels whose first samples missed a rare light stay dark.
       False: first samples only tell how many a pixel gets, and are dropped everywhere. */
    bool is_biased;
} oversample_plan;

/* Gives the color of a sample. The samples of one stream and pixel may depend on one another, those
   of two streams must not. */
typedef void oversample_shade(void *context, uint32_t pixel, uint32_t stream, uint32_t sample,
                              float color[3]);

void oversample_add(oversample_pixel *pixel, const float color[3], float white);
/* The variance of a brightness, s^2, and that of its mean, s^2 / n. 0: fewer than two samples. */
float oversample_variance(const oversample_pixel *pixel);
float oversample_noise(const oversample_pixel *pixel);

/* The most samples that a plan takes. */
uint64_t oversample_most(const oversample_plan *plan, uint32_t pixel_count);

/* Samples all pixels. Passes choose the pixels of largest s^2 / n, ties by index, none of variance
   0. `label`: of a progress bar; NULL: none. HOST_DONE, or an error was printed. */
int oversample_run(const oversample_plan *plan, oversample_pixel *pixels, uint32_t pixel_count,
                   oversample_shade *shade, void *context, const char *label);

#endif
