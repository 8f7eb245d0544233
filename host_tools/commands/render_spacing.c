/* SPDX-License-Identifier: MIT
   host_tools/commands/render_spacing.c - how far the points of a fluid are apart.
   reads   places of points      writes  nothing
   memory  64 distances          cost    64 distances per point
   after   own design: the median of the distances of some points from their nearest other one. It
           does not depend on the shape of the fluid, as a guess from its bounds does */
#include "render_spacing.h"
#include <math.h>
#include <stdlib.h>

#define SAMPLES 64u

static int compare(const void *a, const void *b)
{
    float first = *(const float *)a, second = *(const float *)b;
    return first < second ? -1 : first > second;
}

/* The squared distance of a point from the nearest one elsewhere; INFINITY: there is none. */
static float nearest(const float *places, size_t count, size_t from)
{
    const float *at = places + 3 * from;
    float least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const float *x = places + 3 * i;
        float dx = x[0] - at[0], dy = x[1] - at[1], dz = x[2] - at[2];
        float square = dx * dx + dy * dy + dz * dz;
        if (square > 0 && square < least) least = square;
    }
    return least;
}

float render_spacing(const float *places, size_t count)
{
    float squares[SAMPLES];
    uint32_t found = 0;
    size_t step = count / SAMPLES + 1;
    for (size_t i = 0; i < count && found < SAMPLES; i += step) {
        float square = nearest(places, count, i);
        if (isfinite(square)) squares[found++] = square;
    }
    if (found == 0) return 0;
    qsort(squares, found, sizeof squares[0], compare);
    return sqrtf(squares[found / 2]);
}
