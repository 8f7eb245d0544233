/* SPDX-License-Identifier: MIT
   host_tools/clip/exact.c - components of a tile that keep every bit.
   reads   samples      writes  a plan (runtime/codec)
   memory  none         cost    see exact.h
   after   own design: floats as integers of the same order, with the predictors of positions */
#include "exact.h"

static int32_t exact_value(const host_tile_samples *samples, bool is_float, uint32_t f, uint32_t c,
                           uint32_t p)
{
    int32_t word = (int32_t)host_sample_word(samples, f, c, p);
    return is_float ? tpi_ordered_bits(word) : word;
}

static uint64_t plan_with(tpi_tile_plan *plan, const host_tile_samples *samples, bool is_float,
                          uint32_t c, uint32_t predictor)
{
    plan->component[c] =
        (tpi_tile_component){.mode = TPI_TILE_CODED, .predictor = (uint8_t)predictor};
    for (uint32_t p = 0; p < plan->points; p++)
        for (uint32_t f = plan->first[p]; f < plan->end[p]; f++)
            tpi_plan_row(plan, f, c)[p] = exact_value(samples, is_float, f, c, p);
    (void)tpi_plan_tracks(plan, c);
    tpi_plan_starts(plan, c);
    return tpi_plan_cost(plan, c);
}

void host_plan_raw(tpi_tile_plan *plan, const host_tile_samples *samples, uint32_t c)
{
    plan->component[c] = (tpi_tile_component){.mode = TPI_TILE_RAW};
    for (uint32_t f = 0; f < plan->frames; f++)
        for (uint32_t p = 0; p < plan->points; p++)
            tpi_plan_row(plan, f, c)[p] = (int32_t)host_sample_word(samples, f, c, p);
}

void host_plan_exact(tpi_tile_plan *plan, const host_tile_samples *samples, bool is_float,
                     uint32_t c)
{
    static const uint8_t predictors[] = {7, 0, 4};
    uint64_t least = 16u * 32u * (uint64_t)plan->points * plan->frames;
    uint32_t best = TPI_PREDICTORS;
    for (uint32_t k = 0; k < 3; k++) {
        uint64_t cost = plan_with(plan, samples, is_float, c, predictors[k]);
        if (cost < least) least = cost, best = predictors[k];
    }
    if (best == TPI_PREDICTORS)
        host_plan_raw(plan, samples, c);
    else
        (void)plan_with(plan, samples, is_float, c, best);
    plan->component[c].is_exact = true;
}
