/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead.c - lattice coordinates within the bound, costs of residuals, and the
           choice of a width of vectors for the beam search.
   reads   samples and their bound      writes  coordinates, costs
   memory  of the caller                cost    O(frames) per point
   after   own design: coordinates are tested with the decoder's arithmetic, so that decoded values
           keep the bound */
#include "lookahead.h"
#include <math.h>
#include <pthread.h>

static double lattice_value(const tpi_lattice *lattice, float step, int32_t coordinate)
{
    return (double)(lattice->origin + step * (float)coordinate);
}

/* host_search_coordinates where more than two coordinates at an end may be beyond the bound. */
static bool search_coordinates(const float *values, uint32_t frames, const tpi_lattice *lattice,
                               uint32_t fineness, double bound, int32_t *lows, int32_t *highs)
{
    float step = tpi_lattice_step(lattice, fineness);
    double inverse = 1.0 / (double)step;
    for (uint32_t f = 0; f < frames; f++) {
        double value = (double)values[f];
        double low = (value - bound - (double)lattice->origin) * inverse,
               high = (value + bound - (double)lattice->origin) * inverse;
        if (!(low > -1e9 && high < 1e9)) return false;
        int32_t first = (int32_t)low - 1, last = (int32_t)high + 1;
        while (first <= last && fabs(lattice_value(lattice, step, first) - value) > bound) first++;
        while (first <= last && fabs(lattice_value(lattice, step, last) - value) > bound) last--;
        if (first > last) return false;
        lows[f] = first, highs[f] = last;
    }
    return true;
}

uint32_t host_search_width(void)
{
#if HOST_SEARCH_16
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 16;
#endif
#if HOST_SEARCH_8
    if (tp_lanes() >= 8u) return 8;
#endif
    return TPI_LANES;
}

bool host_search_coordinates(const float *values, uint32_t frames, const tpi_lattice *lattice,
                             uint32_t fineness, double bound, int32_t *lows, int32_t *highs)
{
    float step = tpi_lattice_step(lattice, fineness);
    bool are_found = false;
    switch (host_search_width()) {
#if HOST_SEARCH_16
    case 16:
        are_found =
            host_coordinates_lanes_16(values, frames, lattice->origin, step, bound, lows, highs);
        break;
#endif
#if HOST_SEARCH_8
    case 8:
        are_found =
            host_coordinates_lanes_8(values, frames, lattice->origin, step, bound, lows, highs);
        break;
#endif
    default:
        are_found =
            host_coordinates_lanes(values, frames, lattice->origin, step, bound, lows, highs);
    }
    return are_found || search_coordinates(values, frames, lattice, fineness, bound, lows, highs);
}

uint32_t host_cost_word(uint32_t state, int32_t residual)
{
    uint16_t at = tpi_codec_states[state];
    uint32_t cost = tpi_residual_cost(&at, residual);
    return cost | TPI_STATE_ROW(at) / TPI_CODEC_ROW * HOST_NEAR_ROW << 16;
}

static uint32_t all_costs[HOST_COST_TABLES * HOST_COSTS];

static void fill_costs(void)
{
    for (uint32_t k = 0; k < HOST_COST_TABLES; k++)
        for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
            for (int32_t units = -HOST_NEAR; units <= HOST_NEAR; units++)
                all_costs[k * HOST_COSTS + s * HOST_NEAR_ROW + (uint32_t)(units + HOST_NEAR)] =
                    host_cost_word(s, units * (int32_t)(1u << 2u * k));
}

void host_search_begin(host_search *search)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_costs);
    search->costs = all_costs;
    for (uint32_t k = 0; k < 16u; k++) search->gains[k] = (int32_t)tpi_ballistic_gain(k);
}

static void search_alike(host_search *search, uint32_t beams, host_track **tracks, uint32_t count)
{
    uint32_t width = host_search_width();
#if HOST_SEARCH_16
    if (width >= 16u && count > 8u) {
        uint32_t wide = (count + 7u) / 16u * 16u; /* up to 8 that are left fill vectors of 8 */
        wide = tpi_min_u32(wide, count);
        host_search_lanes_16(search, beams, tracks, wide);
        tracks += wide, count -= wide;
    }
#endif
#if HOST_SEARCH_8
    if (width >= 8u) {
        host_search_lanes_8(search, beams, tracks, count);
        return;
    }
#endif
    (void)width;
    host_search_lanes(search, beams, tracks, count);
}

void host_search_tracks(host_search *search, uint32_t beams, host_track *tracks, uint32_t count)
{
    host_track *alike[64];
    for (uint32_t is_ballistic = 0; is_ballistic < 2u; is_ballistic++) {
        uint32_t some = 0;
        for (uint32_t k = 0; k < count; k++) {
            if ((tracks[k].predictor >= TPI_BALLISTIC) != is_ballistic) continue;
            alike[some++] = &tracks[k];
            if (some < sizeof alike / sizeof alike[0]) continue;
            search_alike(search, beams, alike, some);
            some = 0;
        }
        if (some) search_alike(search, beams, alike, some);
    }
}
