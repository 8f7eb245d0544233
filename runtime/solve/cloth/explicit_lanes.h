/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/explicit_lanes.h - a vector of constraints as explicit springs.
   reads   front positions and velocities, weights, row sums      writes  kicked velocities
   memory  none      cost    1 unit per constraint
   after   damped Hooke springs with symplectic Euler: all forces are those of the front set, so the
           order of springs changes only rounding */
#ifndef TPI_CLOTH_EXPLICIT_LANES_H
#define TPI_CLOTH_EXPLICIT_LANES_H
#include "ends_lanes.h"

/* N/m: the largest stiffness of a spring at nodes of weight w, if each of their ends has an equal
   share of the rate; no limit where the rates fit. 1/s^2: `rate` is what the step bears. */
TPI_INLINE tpi_lanes cloth_share(tpi_lanes rates, tpi_lanes ends, tpi_lanes w, float rate)
{
    tpi_lane_mask is_over = tpi_lanes_less(tpi_lanes_of(rate), rates);
    tpi_lanes divisor = tpi_lanes_select(is_over, ends * w, tpi_lanes_of(1.0f));
    return tpi_lanes_select(is_over, tpi_lanes_of(rate) / divisor, tpi_lanes_of(FLT_MAX));
}

/* N/m: stiffness of the springs; softer ones if the step bears only `rate`, which is not 0. */
TPI_INLINE tpi_lanes cloth_stiffness(const cloth_slice *s, const cloth_ends *a, const cloth_ends *b,
                                     tpi_lanes wa, tpi_lanes wb, uint32_t k, float rate)
{
    tpi_lanes stiffness = tpi_lanes_of(1.0f) / tpi_lanes_max(tpi_lanes_load(s->compliances + k),
                                                             tpi_lanes_of(TPI_CLOTH_STIFFEST));
    if (rate == 0.0f) return stiffness;
    tpi_lanes ra, rb, na, nb;
    cloth_read_both(s->rates, a, b, &ra, &rb);
    cloth_read_both(s->ends, a, b, &na, &nb);
    return tpi_lanes_min(
        stiffness, tpi_lanes_min(cloth_share(ra, na, wa, rate), cloth_share(rb, nb, wb, rate)));
}

/* kg: impulse per relative speed that slows the ends of springs which move more than a share of the
   rest length in a step: there the force turns within a step, and would heat the net. Each end of a
   node takes an equal share, so the step remains stable. */
TPI_INLINE tpi_lanes cloth_brake(const cloth_slice *s, const cloth_ends *a, const cloth_ends *b,
                                 tpi_lanes wa, tpi_lanes wb, tpi_lane_mask is_fast)
{
    tpi_lanes na, nb;
    cloth_read_both(s->ends, a, b, &na, &nb);
    tpi_lanes most = tpi_lanes_select(is_fast, tpi_lanes_max(na * wa, nb * wb), tpi_lanes_of(1.0f));
    return tpi_lanes_select(is_fast, tpi_lanes_of(TPI_CLOTH_BRAKE) / most, tpi_lanes_of(0.0f));
}

/* A vector of `count` springs from k on. The tension is k (l - L + damping dl/dt). Returns bits
   of those that are fast. */
TPI_INLINE uint32_t cloth_spring(const cloth_slice *s, uint32_t dimensions, uint32_t k,
                                 uint32_t count, float rate)
{
    const uint32_t lie = cloth_lie_of(s, k, count);
    cloth_ends a = cloth_ends_of(s->first + k, count, lie),
               b = cloth_ends_of(s->second + k, count, lie);
    tpi_lanes e[3], apart[3], zero = tpi_lanes_of(0.0f), square = zero, closing = zero;
    tpi_lanes wa, wb, xa, xb, va, vb, speed = zero, brake = zero;
    cloth_read_both(s->weights, &a, &b, &wa, &wb);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        cloth_read_both(s->x[axis], &a, &b, &xa, &xb);
        cloth_read_both(s->before[axis], &a, &b, &va, &vb);
        e[axis] = xa - xb;
        apart[axis] = va - vb;
        square = square + e[axis] * e[axis];
        closing = closing + e[axis] * apart[axis];
        speed = speed + apart[axis] * apart[axis];
    }
    tpi_lanes rest = tpi_lanes_load(s->lengths + k);
    tpi_lane_mask acts = tpi_lanes_and(
        cloth_is_good(square),
        tpi_lanes_and(tpi_lanes_less(zero, wa + wb), tpi_lanes_less(tpi_lanes_of(-0.5f), rest)));
    tpi_lanes length = tpi_lanes_select(acts, tpi_lanes_sqrt(square), tpi_lanes_of(1.0f));
    tpi_lanes stiffness = cloth_stiffness(s, &a, &b, wa, wb, k, rate);
    tpi_lanes longer = (rest - length) - closing / length * s->damping;
    tpi_lanes share = tpi_lanes_select(acts, stiffness * longer * (s->timestep / length), zero);
    tpi_lanes most = rest * (TPI_CLOTH_FAST / s->timestep);
    tpi_lane_mask is_fast = tpi_lanes_and(acts, tpi_lanes_less(most * most, speed));
    uint32_t fast = tpi_lanes_bits(is_fast) & ((1u << count) - 1u);
    if (TPI_UNLIKELY(fast)) brake = cloth_brake(s, &a, &b, wa, wb, is_fast);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes push = tpi_lanes_select(acts, e[axis], zero) * share - brake * apart[axis];
        cloth_read_both(s->v[axis], &a, &b, &va, &vb);
        cloth_write_both(s->v[axis], &a, &b, va + push * wa, vb - push * wb);
    }
    return fast;
}

#endif
