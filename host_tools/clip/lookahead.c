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

bool host_search_coordinates(const float *values, uint32_t frames, const tpi_lattice *lattice,
                             uint32_t fineness, double bound, int32_t *lows, int32_t *highs)
{
    float step = tpi_lattice_step(lattice, fineness);
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
    bool are_found =
        tp_lanes() >= 8u
            ? host_coordinates_lanes_8(values, frames, lattice->origin, step, bound, lows, highs)
            : host_coordinates_lanes(values, frames, lattice->origin, step, bound, lows, highs);
#else
    bool are_found =
        host_coordinates_lanes(values, frames, lattice->origin, step, bound, lows, highs);
#endif
    return are_found || search_coordinates(values, frames, lattice, fineness, bound, lows, highs);
}

static uint32_t all_costs[TPI_CODEC_STATES * HOST_NEAR_ROW];

static void fill_costs(void)
{
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
        for (int32_t residual = -HOST_NEAR; residual <= HOST_NEAR; residual++) {
            uint16_t state = tpi_codec_states[s];
            uint32_t cost = tpi_residual_cost(&state, residual),
                     next = TPI_STATE_ROW(state) / TPI_CODEC_ROW;
            all_costs[s * HOST_NEAR_ROW + (uint32_t)(residual + HOST_NEAR)] =
                cost | next * HOST_NEAR_ROW << 16;
        }
}

void host_search_begin(host_search *search)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_costs);
    search->costs = all_costs;
}

void host_search_tracks(host_search *search, uint32_t beams, host_track *tracks, uint32_t count)
{
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
    if (tp_lanes() >= 8u) {
        host_search_lanes_8(search, beams, tracks, count);
        return;
    }
#endif
    host_search_lanes(search, beams, tracks, count);
}
