/* SPDX-License-Identifier: MIT
   host_tools/clip/flight.c - the acceleration and drag that points of a tile have in common.
   reads   displacements      writes  two numbers
   memory  4 KB of stack     cost    O(displacements)
   after   least trimmed squares (Rousseeuw 1984) by concentration steps: collisions are outliers */
#include "flight.h"
#include <math.h>
#include <string.h>

#define POINTS      16u /* that are looked at */
#define PAIRS_LEAST 16u
#define STEPS       6u
#define BUCKETS     128u /* of deviations, 4 in an octave */

void host_flight_add(host_flight_pairs *pairs, const float *values, uint32_t frames, uint32_t apart)
{
    for (uint32_t f = 2; f < frames && pairs->count < HOST_FLIGHT_PAIRS; f += apart) {
        float now = values[f - 1u] - values[f - 2u], next = values[f] - values[f - 1u];
        if (now == 0.0f && next == 0.0f) continue;
        pairs->now[pairs->count] = now, pairs->next[pairs->count++] = next;
    }
}

static double deviation(const host_flight_pairs *pairs, const host_flight *flight, uint32_t k)
{
    double now = (double)pairs->now[k], gained = (double)pairs->next[k] - now;
    return fabs(gained - flight->acceleration + flight->drag * now);
}

/* Least squares over the pairs whose deviation is at most `most`. */
static host_flight fit(const host_flight_pairs *pairs, const host_flight *flight, double most)
{
    double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (uint32_t k = 0; k < pairs->count; k++) {
        double x = (double)pairs->now[k], y = (double)pairs->next[k] - x;
        if (deviation(pairs, flight, k) > most) continue;
        n += 1, sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y;
    }
    double spread = n * sum_xx - sum_x * sum_x, drag = 0;
    if (n == 0) return *flight;
    if (spread > 1e-6 * n * sum_xx) drag = -(n * sum_xy - sum_x * sum_y) / spread;
    drag = fmin(fmax(drag, 0.0), (double)TPI_DRAG_MAX / 65536.0);
    return (host_flight){(sum_y + drag * sum_x) / n, drag};
}

/* A deviation that about half of the pairs do not exceed. `unit` is a small one. */
static double middle(const host_flight_pairs *pairs, const host_flight *flight, double unit)
{
    uint32_t in[BUCKETS] = {0}, sum = 0, k = 0;
    for (uint32_t n = 0; n < pairs->count; n++) {
        float share = (float)(deviation(pairs, flight, n) / unit + 1.0);
        uint32_t level = (tpi_bits(share) - tpi_bits(1.0f)) >> 21; /* two bits of the mantissa */
        in[level < BUCKETS ? level : BUCKETS - 1u]++;
    }
    while (k + 1u < BUCKETS && (sum += in[k]) * 2u < pairs->count) k++;
    return unit * ((double)tpi_from_bits(tpi_bits(1.0f) + ((k + 1u) << 21)) - 1.0);
}

host_flight host_flight_find(const host_flight_pairs *pairs, double error)
{
    const host_flight none = {0, 0};
    const double unit = error * 1e-3;
    host_flight flight = none;
    if (pairs->count < PAIRS_LEAST) return none;
    for (uint32_t step = 0; step < STEPS; step++)
        flight = fit(pairs, &flight, middle(pairs, &flight, unit));
    return middle(pairs, &flight, unit) <= error ? flight : none;
}

host_flight host_flight_of(const host_tile_samples *samples, const tpi_tile_plan *plan, uint32_t c,
                           double error)
{
    float values[TPI_TILE_FRAMES_MAX];
    host_flight_pairs pairs = {.count = 0};
    uint32_t apart = 1u + plan->frames * POINTS / HOST_FLIGHT_PAIRS;
    for (uint32_t n = 0; n < POINTS; n++) {
        uint32_t p = n * plan->points / POINTS, frames = 0;
        for (uint32_t f = plan->first[p]; f < plan->end[p]; f++) {
            uint32_t word = host_sample_word(samples, f, c, p);
            memcpy(&values[frames++], &word, sizeof word);
        }
        host_flight_add(&pairs, values, frames, apart);
    }
    host_flight flight = host_flight_find(&pairs, error);
    double moved = 0.5 * fabs(flight.acceleration) * plan->frames * plan->frames;
    if (moved < 0.5 * error) flight.acceleration = 0;
    return flight;
}
