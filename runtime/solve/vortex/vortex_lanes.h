/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/vortex_lanes.h - the sums over vortons, one target per lane.
   reads   rows of vortons      writes  velocities; changes of strengths
   memory  registers            cost    one square root and one division per pair
   after   the kernel of Rosenhead and Moore, r / (r^2 + core^2)^(3/2), and in two dimensions that
           of Krasny (1986), r / (r^2 + core^2); the change of a strength is
           that of Cottet and Koumoutsakos (section 3.2), of which each term is the opposite of its
           partner's to the last bit. A target adds up its own sum in the order of the vortons */
#ifndef TPI_VORTEX_LANES_H
#define TPI_VORTEX_LANES_H
#include "vortex.h"
#include "../../field/dense_lanes.h"
#include "../solve_lanes.h"
#include "../../world/solver_lanes.h"

TPI_SOLVER_LANE_HOOKS(vortex)

#define VORTEX_SHARE      0.0795774715f /* 1 / (4 pi) */
#define VORTEX_SHARE_FLAT 0.159154943f  /* 1 / (2 pi) */

/* A vector of targets: places in `x` from index i on, velocities in the same place of `to`. In two
   dimensions the places have two numbers. */
typedef struct vortex_targets {
    const float *x[3];
    float *to[3];
} vortex_targets;

/* Places and strengths of `here` vortons from number k on. */
TPI_INLINE void vortex_load_rows(const float *rows, uint32_t k, uint32_t here, tpi_lanes x[3],
                                 tpi_lanes own[3])
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        x[axis] = own[axis] = tpi_lanes_of(0.0f);
        for (uint32_t lane = 0; lane < here; lane++) {
            TPI_LANE(x[axis], lane) = rows[(size_t)(k + lane) * TPI_VORTEX_ROW + axis];
            TPI_LANE(own[axis], lane) = rows[(size_t)(k + lane) * TPI_VORTEX_ROW + 3u + axis];
        }
    }
}

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

/* Adds 2 pi times the velocities in two dimensions: those of straight vortices along z. */
TPI_INLINE void vortex_induce_flat(const float *rows, uint32_t begin, uint32_t end, float square,
                                   const tpi_lanes x[2], tpi_lanes sum[2])
{
    for (uint32_t s = begin; s < end; s++) {
        const float *row = rows + (size_t)s * TPI_VORTEX_ROW;
        tpi_lanes across = x[0] - tpi_lanes_of(row[0]), up = x[1] - tpi_lanes_of(row[1]);
        tpi_lanes distance = (across * across + up * up) + tpi_lanes_of(square);
        tpi_lanes weight = tpi_lanes_of(row[5]) / distance;
        sum[0] = sum[0] - up * weight;
        sum[1] = sum[1] + across * weight;
    }
}

/* Adds 4 pi times the vector potential of the sources begin .. end - 1 at x. */
TPI_INLINE void vortex_potential_of(const float *rows, uint32_t begin, uint32_t end, float square,
                                    const tpi_lanes x[3], tpi_lanes sum[3])
{
    for (uint32_t s = begin; s < end; s++) {
        const float *row = rows + (size_t)s * TPI_VORTEX_ROW;
        tpi_lanes r[3], strength[3], distance = vortex_apart(row, x, square, r);
        tpi_lanes weight = tpi_lanes_of(1.0f) / tpi_lanes_sqrt(distance);
        vortex_strength_of(row, strength);
        for (uint32_t axis = 0; axis < 3; axis++) sum[axis] = sum[axis] + strength[axis] * weight;
    }
}

/* The exchange of two vortons, of that at one place: (1 + r^2 / core^2)^(-9/2). */
TPI_INLINE tpi_lanes vortex_nearness(tpi_lanes distance, float square)
{
    tpi_lanes q = tpi_lanes_of(square) / distance, four = (q * q) * (q * q);
    return four * tpi_lanes_sqrt(q);
}

/* Adds how much each of the vortons begin .. end - 1 exchanges with x. */
TPI_INLINE void vortex_add_nearness(const float *rows, uint32_t begin, uint32_t end, float square,
                                    const tpi_lanes x[3], tpi_lanes *sum)
{
    for (uint32_t s = begin; s < end; s++) {
        tpi_lanes r[3];
        tpi_lanes distance = vortex_apart(rows + (size_t)s * TPI_VORTEX_ROW, x, square, r);
        *sum = *sum + vortex_nearness(distance, square);
    }
}

/* Adds the differences of strengths, each by its nearness and the smaller limit of the two: a term
   is the opposite of its partner's. */
TPI_INLINE void vortex_exchange(const float *rows, uint32_t begin, uint32_t end, float square,
                                const tpi_lanes x[3], const tpi_lanes own[3], tpi_lanes limit,
                                tpi_lanes sum[3])
{
    for (uint32_t s = begin; s < end; s++) {
        const float *row = rows + (size_t)s * TPI_VORTEX_ROW;
        tpi_lanes r[3], distance = vortex_apart(row, x, square, r);
        tpi_lanes share = tpi_lanes_min(limit, tpi_lanes_of(row[TPI_VORTEX_LIMIT]));
        tpi_lanes weight = vortex_nearness(distance, square) * share;
        for (uint32_t axis = 0; axis < 3; axis++)
            sum[axis] = sum[axis] + (tpi_lanes_of(row[3u + axis]) - own[axis]) * weight;
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
