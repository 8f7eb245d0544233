/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/xpbd_lanes.h - a vector of constraints by extended position-based dynamics.
   reads   front positions, kicked velocities, weights      writes  kicked velocities
   memory  none      cost    1 unit per constraint
   after   XPBD with one iteration per sub-step (Macklin et al. 2019) */
#ifndef TPI_CLOTH_XPBD_LANES_H
#define TPI_CLOTH_XPBD_LANES_H
#include "ends_lanes.h"

/* A vector of `count` constraints from k on. The impulse along the offset e of length l, with rest
   length L, compliance a and gamma = damping / dt, is e times
   ((L - l) l - gamma dt e.(va - vb)) / (((1 + gamma) (wa + wb) + a / dt^2) dt l^2). */
TPI_INLINE void cloth_solve_as(const cloth_slice *s, uint32_t dimensions, uint32_t k,
                               uint32_t count, uint32_t lie)
{
    cloth_ends a = cloth_ends_of(s->first + k, count, lie),
               b = cloth_ends_of(s->second + k, count, lie);
    tpi_lanes va[3], vb[3], e[3], zero = tpi_lanes_of(0.0f), square = zero, rate = zero;
    tpi_lanes wa, wb, xa, xb;
    cloth_read_both(s->weights, &a, &b, &wa, &wb);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        cloth_read_both(s->v[axis], &a, &b, &va[axis], &vb[axis]);
        cloth_read_both(s->x[axis], &a, &b, &xa, &xb);
        tpi_lanes apart = va[axis] - vb[axis];
        e[axis] = (xa - xb) + apart * s->timestep;
        square = square + e[axis] * e[axis];
        rate = rate + e[axis] * apart;
    }
    tpi_lanes length = tpi_lanes_sqrt(square);
    tpi_lanes rest = tpi_lanes_load(s->lengths + k);
    tpi_lanes want = (rest - length) * length - rate * s->damping;
    tpi_lanes stiff = (wa + wb) * s->damped + tpi_lanes_load(s->compliances + k) * s->per_square;
    tpi_lane_mask acts = tpi_lanes_and(
        cloth_is_good(square),
        tpi_lanes_and(tpi_lanes_less(zero, wa + wb), tpi_lanes_less(tpi_lanes_of(-0.5f), rest)));
    tpi_lanes share = want / (stiff * s->timestep * square);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes push = tpi_lanes_select(acts, e[axis] * share, zero);
        cloth_write_both(s->v[axis], &a, &b, va[axis] + push * wa, vb[axis] - push * wb);
    }
}

/* Grids have vectors of each kind, which take a third of the instructions if the kind is known. */
TPI_INLINE void cloth_solve(const cloth_slice *s, uint32_t dimensions, uint32_t k, uint32_t count)
{
    switch (cloth_lie_of(s, k, count)) {
    case CLOTH_RUN: cloth_solve_as(s, dimensions, k, TPI_LANES, CLOTH_RUN); break;
    case CLOTH_NEXT: cloth_solve_as(s, dimensions, k, TPI_LANES, CLOTH_NEXT); break;
    case CLOTH_TWOS: cloth_solve_as(s, dimensions, k, TPI_LANES, CLOTH_TWOS); break;
    default: cloth_solve_as(s, dimensions, k, count, CLOTH_SCATTERED); break;
    }
}

#endif
