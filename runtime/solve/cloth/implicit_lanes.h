/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/implicit_lanes.h - a vector of constraints as springs of an implicit step.
   reads   front positions, kicked velocities, directions      writes  gradients, products
   memory  none      cost    1 unit per constraint
   after   linear backward Euler of Baraff and Witkin 1998; the part of the stiffness across a
           spring is that of its tension, and 0 of a compressed one (Choi and Ko 2002), so that no
           energy of the linear step is below 0 */
#ifndef TPI_CLOTH_IMPLICIT_LANES_H
#define TPI_CLOTH_IMPLICIT_LANES_H
#include "explicit_lanes.h"

/* A vector of springs, linear at the front positions; without effect where they do not act. */
typedef struct cloth_linear {
    cloth_ends a, b;
    tpi_lanes e[3], length, rest; /* m */
    tpi_lanes strain;
    tpi_lanes along, across; /* kg/m^2, beyond `across`; kg: impulse per change of the speed */
} cloth_linear;

/* A vector of `count` springs from k on. */
TPI_INLINE void cloth_open_linear(const cloth_slice *s, cloth_linear *l, uint32_t dimensions,
                                  uint32_t k, uint32_t count, uint32_t lie)
{
    tpi_lanes xa, xb, zero = tpi_lanes_of(0.0f), one = tpi_lanes_of(1.0f), square = zero;
    l->a = cloth_ends_of(s->first + k, count, lie);
    l->b = cloth_ends_of(s->second + k, count, lie);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        cloth_read_both(s->x[axis], &l->a, &l->b, &xa, &xb);
        l->e[axis] = xa - xb;
        square = square + l->e[axis] * l->e[axis];
    }
    l->rest = tpi_lanes_load(s->lengths + k);
    tpi_lane_mask acts =
        tpi_lanes_and(cloth_is_good(square), tpi_lanes_less(tpi_lanes_of(-0.5f), l->rest));
    for (uint32_t axis = 0; axis < dimensions; axis++)
        l->e[axis] = tpi_lanes_select(acts, l->e[axis], zero);
    l->length = tpi_lanes_select(acts, tpi_lanes_sqrt(square), one);
    l->rest = tpi_lanes_select(acts, l->rest, one);
}

/* firm: Ns/m, of each spring its stiffness times the step. */
TPI_INLINE void cloth_close_linear(const cloth_slice *s, cloth_linear *l, tpi_lanes firm)
{
    tpi_lanes inverse = tpi_lanes_of(1.0f) / l->length;
    l->strain = (l->length - l->rest) * inverse;
    l->across = tpi_lanes_max(l->strain, tpi_lanes_of(0.0f)) * firm * s->timestep;
    l->along = (firm * (s->timestep + s->damping) - l->across) * (inverse * inverse);
}

/* Adds to `to` of the ends what the springs do against changes `apart` of their relative velocity,
   and `push` along the offset. */
TPI_INLINE void cloth_add_linear(const cloth_linear *l, float *const to[3], uint32_t dimensions,
                                 const tpi_lanes apart[3], tpi_lanes push)
{
    tpi_lanes closing = tpi_lanes_of(0.0f), ta, tb;
    for (uint32_t axis = 0; axis < dimensions; axis++) closing = closing + l->e[axis] * apart[axis];
    closing = closing * l->along + push;
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes add = l->e[axis] * closing + apart[axis] * l->across;
        cloth_read_both(to[axis], &l->a, &l->b, &ta, &tb);
        cloth_write_both(to[axis], &l->a, &l->b, ta + add, tb - add);
    }
}

/* The gradient at the kicked velocities. Softens springs if the step bears only `rate`, not 0. */
TPI_INLINE void cloth_load_linear(const cloth_slice *s, uint32_t dimensions, uint32_t k,
                                  uint32_t count, float rate)
{
    cloth_linear l;
    tpi_lanes apart[3], va, vb, wa, wb;
    cloth_open_linear(s, &l, dimensions, k, count, cloth_lie_of(s, k, count));
    cloth_read_both(s->weights, &l.a, &l.b, &wa, &wb);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        cloth_read_both(s->v[axis], &l.a, &l.b, &va, &vb);
        apart[axis] = va - vb;
    }
    tpi_lanes firm = cloth_stiffness(s, &l.a, &l.b, wa, wb, k, rate) * s->timestep;
    tpi_lanes_store_first(s->firm + k, firm, count);
    cloth_close_linear(s, &l, firm);
    cloth_add_linear(&l, s->gradient, dimensions, apart, l.strain * firm);
}

/* The product of the springs' matrix and the directions. */
TPI_INLINE void cloth_apply_as(const cloth_slice *s, uint32_t dimensions, uint32_t k,
                               uint32_t count, uint32_t lie)
{
    cloth_linear l;
    tpi_lanes apart[3], pa, pb;
    cloth_open_linear(s, &l, dimensions, k, count, lie);
    cloth_close_linear(s, &l, tpi_lanes_load(s->firm + k));
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        cloth_read_both(s->direction[axis], &l.a, &l.b, &pa, &pb);
        apart[axis] = pa - pb;
    }
    cloth_add_linear(&l, s->product, dimensions, apart, tpi_lanes_of(0.0f));
}

TPI_INLINE void cloth_apply_linear(const cloth_slice *s, uint32_t dimensions, uint32_t k,
                                   uint32_t count)
{
    switch (cloth_lie_of(s, k, count)) {
    case CLOTH_RUN: cloth_apply_as(s, dimensions, k, TPI_LANES, CLOTH_RUN); break;
    case CLOTH_NEXT: cloth_apply_as(s, dimensions, k, TPI_LANES, CLOTH_NEXT); break;
    case CLOTH_TWOS: cloth_apply_as(s, dimensions, k, TPI_LANES, CLOTH_TWOS); break;
    default: cloth_apply_as(s, dimensions, k, count, CLOTH_SCATTERED); break;
    }
}

#endif
