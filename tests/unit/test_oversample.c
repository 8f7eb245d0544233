/* SPDX-License-Identifier: MIT
   tests/unit/test_oversample.c - samples of pixels: running variances, choices, the bias of fast
           pictures.
   reads   host_tools/render/oversample.c      writes  nothing
   memory  50 MB      cost    below a second
   after   expected values by summing the binomial distribution of the first samples */
#include "../../host_tools/render/oversample.h"
#include "../../host_tools/render/rays.h"
#include "../harness/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values 10000 and 10001 in turn have the variance .25025; a sum of squares in f32 gives -656. */
static void r_30_variances_are_never_negative(void)
{
    oversample_pixel pixel = {0};
    float sum = 0, squares = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        float value = 10000.0f + (float)(i % 2);
        const float color[3] = {value, value, value};
        oversample_add(&pixel, color, 0);
        CHECK(pixel.squares >= 0);
        sum += value;
        squares += value * value;
    }
    CHECK_NEAR((squares - sum * sum / 1000) / 999, -656, .02);
    CHECK_NEAR(oversample_variance(&pixel), .25025, 5e-3);
    CHECK_NEAR(oversample_noise(&pixel), .25025e-3, 5e-6);
    CHECK_NEAR(pixel.mean, 10000.5, 2e-3);
}

static void variances_are_those_of_two_passes(void)
{
    oversample_pixel pixel = {0};
    double sum = 0, squares = 0, mean;
    enum { N = 300 };
    for (uint32_t i = 0; i < N; i++) sum += (double)rays_share(rays_mix(i, 7));
    mean = sum / N;
    for (uint32_t i = 0; i < N; i++) {
        float value = rays_share(rays_mix(i, 7));
        const float color[3] = {value, value, value};
        oversample_add(&pixel, color, 0);
        squares += ((double)value - mean) * ((double)value - mean);
    }
    CHECK_NEAR(pixel.mean, mean, 1e-6);
    CHECK_NEAR(oversample_variance(&pixel), squares / (N - 1), 1e-6);
    CHECK_NEAR(pixel.color[1], mean, 1e-6);
}

/* ---- rare light */

/* 100 with the chance .01, else 0. */
static void rare(void *context, uint32_t pixel, uint32_t stream, uint32_t sample, float color[3])
{
    uint64_t *calls = context;
    uint32_t dice = rays_mix(rays_mix(pixel, stream), sample);
    color[0] = color[1] = color[2] = dice < 42949673u ? 100.0f : 0.0f;
    if (calls) ++*calls;
}

#define TRIALS 1000000u

static double mean_of(const oversample_plan *plan, oversample_pixel *pixels)
{
    double sum = 0;
    uint64_t calls = 0;
    CHECK(oversample_run(plan, pixels, TRIALS, rare, &calls, NULL) == 0);
    CHECK(calls <= oversample_most(plan, TRIALS));
    for (uint32_t i = 0; i < TRIALS; i++) sum += (double)pixels[i].color[0] / TRIALS;
    return sum;
}

/* Four first samples, and 200 more where they differ. All pooled the mean is .0582; without the
   first samples of the pixels with more it is .0394; without all first samples it is 1. */
static void r_31_only_dropped_first_samples_leave_no_bias(void)
{
    oversample_plan plan = {
        .pilot = 4, .samples = 16, .passes = 1, .chosen = TRIALS, .extra = 200, .is_biased = true};
    oversample_pixel *pixels = calloc(TRIALS, sizeof *pixels);
    CHECK_NEAR(mean_of(&plan, pixels), .0582, .001);
    double dropped = 0;
    for (uint32_t i = 0; i < TRIALS; i++) {
        double first = 0;
        for (uint32_t k = 0; k < 4; k++) {
            float color[3];
            rare(NULL, i, 0, k, color);
            first += (double)color[0];
        }
        bool has_more = pixels[i].count > 4;
        double all = (double)pixels[i].color[0] * pixels[i].count;
        dropped += (has_more ? (all - first) / 200 : first / 4) / TRIALS;
    }
    CHECK_NEAR(dropped, .0394, .001);
    plan.is_biased = false;
    CHECK_NEAR(mean_of(&plan, pixels), 1.00, .01);
    free(pixels);
}

/* ---- choices */

/* Pixel p is 0 or p / 4 (whole) in turn: pixels of four have one variance. */
static void steps(void *context, uint32_t pixel, uint32_t stream, uint32_t sample, float color[3])
{
    (void)context;
    color[0] = color[1] = color[2] = sample % 2 ? (float)(pixel / 4) : 0.0f;
    if (stream) color[0] = color[1] = color[2] = 7;
}

static void passes_choose_the_largest_variance_and_of_equal_ones_the_first(void)
{
    oversample_plan plan = {
        .pilot = 4, .samples = 1, .passes = 1, .chosen = 6, .extra = 10, .is_biased = true};
    oversample_pixel pixels[40];
    CHECK(oversample_run(&plan, pixels, 40, steps, NULL, NULL) == 0);
    for (uint32_t i = 0; i < 40; i++)
        CHECK_EQ(pixels[i].count, i >= 36 || i == 32 || i == 33 ? 14 : 4);
    plan.chosen = 100; /* all that vary: not the first four */
    plan.passes = 3;
    CHECK(oversample_run(&plan, pixels, 40, steps, NULL, NULL) == 0);
    for (uint32_t i = 0; i < 40; i++) CHECK_EQ(pixels[i].count, i < 4 ? 4 : 34);
}

/* More samples make a pixel less noisy, so passes go on to others. */
static void passes_move_on_as_pixels_get_samples(void)
{
    oversample_plan plan = {
        .pilot = 4, .samples = 2, .passes = 8, .chosen = 1, .extra = 2, .is_biased = false};
    oversample_pixel pixels[12];
    CHECK(oversample_run(&plan, pixels, 12, steps, NULL, NULL) == 0);
    uint32_t expected[12], all = 0;
    for (uint32_t i = 0; i < 12; i++) expected[i] = 2;
    for (uint32_t pass = 0; pass < 8; pass++) {
        uint32_t worst = 4;
        for (uint32_t i = 4; i < 12; i++) { /* variance: 1 of pixels 4..7, 4 of 8..11 */
            uint32_t own = (i < 8 ? 1u : 4u) * expected[worst],
                     other = (worst < 8 ? 1u : 4u) * expected[i];
            if (own > other) worst = i;
        }
        expected[worst] += 2;
    }
    for (uint32_t i = 0; i < 12; i++) {
        CHECK_EQ(pixels[i].count, expected[i]);
        CHECK_NEAR(pixels[i].mean, 7, 1e-5); /* of the second stream alone */
        all += pixels[i].count;
    }
    CHECK_EQ(all + 4 * 12, oversample_most(&plan, 12));
}

static void a_white_limits_what_a_lamp_asks_for(void)
{
    oversample_pixel pixel = {0};
    const float black[3] = {0, 0, 0}, lamp[3] = {500, 500, 500};
    oversample_add(&pixel, black, 1);
    oversample_add(&pixel, lamp, 1);
    CHECK_NEAR(oversample_variance(&pixel), .5, 1e-6);
    CHECK_NEAR(pixel.color[2], 250, 1e-4);
}

static const test_case cases[] = {
    TEST_CASE(r_30_variances_are_never_negative),
    TEST_CASE(variances_are_those_of_two_passes),
    TEST_CASE(r_31_only_dropped_first_samples_leave_no_bias),
    TEST_CASE(passes_choose_the_largest_variance_and_of_equal_ones_the_first),
    TEST_CASE(passes_move_on_as_pixels_get_samples),
    TEST_CASE(a_white_limits_what_a_lamp_asks_for),
};
TEST_SUITE(oversample, cases);
