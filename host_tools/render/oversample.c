/* SPDX-License-Identifier: MIT
   host_tools/render/oversample.c - samples where a picture is noisy: chosen by the variance of the
           mean, in bounded passes.
   reads   colors from the caller      writes  means and variances
   memory  16 bytes per pixel      cost    O(samples), and a sort of all pixels per pass
   after   Welford 1962; a sum of squares in f32 gives negative variances */
#include "oversample.h"
#include "../common/host.h"
#include <stdlib.h>
#include <string.h>

#define GUARD_EVERY 4096u /* pixels between two looks at signals */

void oversample_add(oversample_pixel *pixel, const float color[3], float white)
{
    float brightness = 0.2126f * color[0] + 0.7152f * color[1] + 0.0722f * color[2];
    if (white > 0 && brightness > white) brightness = white;
    float weight = 1 / (float)++pixel->count, from = brightness - pixel->mean;
    pixel->mean += from * weight;
    pixel->squares += from * (brightness - pixel->mean);
    for (int k = 0; k < 3; k++) pixel->color[k] += (color[k] - pixel->color[k]) * weight;
}

float oversample_variance(const oversample_pixel *pixel)
{
    return pixel->count < 2 ? 0 : pixel->squares / (float)(pixel->count - 1);
}

float oversample_noise(const oversample_pixel *pixel)
{
    return pixel->count < 2 ? 0 : oversample_variance(pixel) / (float)pixel->count;
}

uint64_t oversample_most(const oversample_plan *plan, uint32_t pixel_count)
{
    uint64_t first = plan->pilot + (plan->is_biased ? 0u : plan->samples);
    uint32_t chosen = plan->chosen < pixel_count ? plan->chosen : pixel_count;
    return first * pixel_count + (uint64_t)plan->passes * chosen * plan->extra;
}

/* ---- choosing */

typedef struct noisy_pixel {
    float noise;
    uint32_t pixel;
} noisy_pixel;

static int compare_noise(const void *left, const void *right)
{
    const noisy_pixel *a = left, *b = right;
    if (a->noise != b->noise) return a->noise > b->noise ? -1 : 1;
    return a->pixel < b->pixel ? -1 : a->pixel > b->pixel;
}

/* Everything that a run works on. */
typedef struct oversampler {
    const oversample_plan *plan;
    oversample_pixel *pixels;
    uint32_t pixel_count;
    oversample_shade *shade;
    void *context;
    uint32_t *counts; /* samples that a pixel has, or will have */
    noisy_pixel *order;
    host_progress progress;
    uint64_t done;
} oversampler;

/* Sorts the pixels that get more samples to the front, and returns their number. */
static uint32_t choose(oversampler *of)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < of->pixel_count; i++) {
        float noise = oversample_variance(&of->pixels[i]) / (float)of->counts[i];
        if (noise > 0) of->order[found++] = (noisy_pixel){noise, i};
    }
    qsort(of->order, found, sizeof *of->order, compare_noise);
    return found < of->plan->chosen ? found : of->plan->chosen;
}

/* ---- sampling */

static int add_samples(oversampler *of, uint32_t pixel, uint32_t stream, uint32_t first,
                       uint32_t count)
{
    for (uint32_t sample = first; sample < first + count; sample++) {
        float color[3];
        of->shade(of->context, pixel, stream, sample, color);
        oversample_add(&of->pixels[pixel], color, of->plan->white);
    }
    of->done += count;
    host_progress_update(&of->progress, of->done);
    return pixel % GUARD_EVERY ? HOST_DONE : host_guard_check("a picture");
}

static int add_pilot(oversampler *of)
{
    int code = HOST_DONE;
    for (uint32_t i = 0; i < of->pixel_count && !code; i++) {
        of->counts[i] = of->plan->is_biased ? of->plan->pilot : of->plan->samples;
        code = add_samples(of, i, 0, 0, of->plan->pilot);
    }
    return code;
}

/* Without bias a pass only plans: what it chooses depends on the first samples alone. */
static int add_passes(oversampler *of)
{
    const oversample_plan *plan = of->plan;
    int code = HOST_DONE;
    for (uint32_t pass = 0; pass < plan->passes && !code; pass++) {
        uint32_t count = choose(of);
        for (uint32_t k = 0; k < count && !code; k++) {
            uint32_t pixel = of->order[k].pixel;
            if (plan->is_biased) code = add_samples(of, pixel, 0, of->counts[pixel], plan->extra);
            of->counts[pixel] += plan->extra;
        }
    }
    return code;
}

static int add_final(oversampler *of)
{
    int code = HOST_DONE;
    if (of->plan->is_biased) return code;
    memset(of->pixels, 0, of->pixel_count * sizeof *of->pixels);
    for (uint32_t i = 0; i < of->pixel_count && !code; i++)
        code = add_samples(of, i, 1, 0, of->counts[i]);
    return code;
}

int oversample_run(const oversample_plan *plan, oversample_pixel *pixels, uint32_t pixel_count,
                   oversample_shade *shade, void *context, const char *label)
{
    oversampler of = {plan, pixels, pixel_count, shade, context, NULL, NULL, {0}, 0};
    of.counts = host_allocate(pixel_count, sizeof *of.counts);
    of.order = host_allocate(pixel_count, sizeof *of.order);
    int code = of.counts && of.order ? HOST_DONE : host_out_of_memory("the samples of a picture");
    memset(pixels, 0, pixel_count * sizeof *pixels);
    host_progress_start(&of.progress, label, oversample_most(plan, pixel_count), label == NULL);
    if (!code) code = add_pilot(&of);
    if (!code) code = add_passes(&of);
    if (!code) code = add_final(&of);
    host_progress_end(&of.progress);
    free(of.counts);
    free(of.order);
    return code;
}
