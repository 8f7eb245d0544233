/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/vortex_lanes.h - the sums over vortons, one target per lane.
   reads   rows of vortons      writes  velocities; changes of strengths
   memory  registers            cost    one square root and one division per pair
   after   the kernel of Rosenhead and Moore, r / (r^2 + core^2)^(3/2); the change of a strength is
           that of Cottet and Koumoutsakos (section 3.2), of which each term is the opposite of its
           partner's to the last bit. A target adds up its own sum in the order of the vortons */
#ifndef TPI_VORTEX_LANES_H
#define TPI_VORTEX_LANES_H
#include "vortex.h"
#include "../solve_lanes.h"
#include "../../world/solver_lanes.h"

TPI_SOLVER_LANE_HOOKS(vortex)

#define VORTEX_SHARE 0.0795774715f /* 1 / (4 pi) */

/* From the source to the targets; returns the squared distance and that of the core. */
TPI_INLINE tpi_lanes vortex_apart(const float *row, const tpi_lanes x[3], float square,
                                  tpi_lanes r[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) r[axis] = x[axis] - tpi_lanes_of(row[axis]);
    return ((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) + tpi_lanes_of(square);
}

TPI_INLINE void vortex_cross(const tpi_lanes a[3], const tpi_lanes b[3], tpi_lanes to[3])
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

TPI_INLINE void vortex_strength_of(const float *row, tpi_lanes strength[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) strength[axis] = tpi_lanes_of(row[3u + axis]);
}

/* Adds 4 pi times the velocities that the vortons begin .. end - 1 induce at x. */
TPI_INLINE void vortex_induce(const float *rows, uint32_t begin, uint32_t end, float square,
                              const tpi_lanes x[3], tpi_lanes sum[3])
{
    for (uint32_t s = begin; s < end; s++) {
        const float *row = rows + (size_t)s * TPI_VORTEX_ROW;
        tpi_lanes r[3], strength[3], turn[3], distance = vortex_apart(row, x, square, r);
        tpi_lanes weight = tpi_lanes_of(1.0f) / (distance * tpi_lanes_sqrt(distance));
        vortex_strength_of(row, strength);
        vortex_cross(strength, r, turn);
        for (uint32_t axis = 0; axis < 3; axis++) sum[axis] = sum[axis] + turn[axis] * weight;
    }
}

/* Adds 4 pi times the changes per second of strengths `own` at x: the transposed gradient of the
   induced velocity times the strength. */
TPI_INLINE void vortex_tilt(const float *rows, uint32_t begin, uint32_t end, float square,
                            const tpi_lanes x[3], const tpi_lanes own[3], tpi_lanes sum[3])
{
    for (uint32_t s = begin; s < end; s++) {
        const float *row = rows + (size_t)s * TPI_VORTEX_ROW;
        tpi_lanes r[3], strength[3], turn[3], distance = vortex_apart(row, x, square, r);
        tpi_lanes weight = tpi_lanes_of(1.0f) / (distance * tpi_lanes_sqrt(distance));
        vortex_strength_of(row, strength);
        vortex_cross(own, strength, turn);
        tpi_lanes along = (turn[0] * r[0] + turn[1] * r[1]) + turn[2] * r[2];
        tpi_lanes pull = along * tpi_lanes_of(3.0f) / distance;
        for (uint32_t axis = 0; axis < 3; axis++)
            sum[axis] = sum[axis] + (turn[axis] - r[axis] * pull) * weight;
    }
}

#endif
