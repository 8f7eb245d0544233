/* SPDX-License-Identifier: MIT
   runtime/move/integrate.h - one particle's step where particles do not see one another.
   reads   fields, a place, a velocity      writes  the place and the velocity a step later
   memory  none                             cost    O(fields) a particle
   after   symplectic Euler; kick-drift-kick leapfrog; drag split as Strang (1968); the midpoint rule for tracers */
#ifndef TPI_INTEGRATE_H
#define TPI_INTEGRATE_H
#include "../solve/solve.h"

/* The pieces of both integrators; `a` is the acceleration at x. */
TPI_INLINE void tpi_euler_step(tp_vector *x, tp_vector *v, tp_vector a, float dt)
{
    *v = tpi_add_scaled(*v, a, dt);
    *x = tpi_add_scaled(*x, *v, dt);
}
/* The first half of kick-drift-kick: the place is final, the velocity is that of the middle of
   the step. */
TPI_INLINE void tpi_kdk_open(tp_vector *x, tp_vector *v, tp_vector a, float dt)
{
    *v = tpi_add_scaled(*v, a, 0.5f * dt);
    *x = tpi_add_scaled(*x, *v, dt);
}
TPI_INLINE void tpi_kdk_close(tp_vector *v, tp_vector a, float dt)
{
    *v = tpi_add_scaled(*v, a, 0.5f * dt);
}

/* Moves one particle on by dt seconds with the world's integrator. */
TPI_FUNC void tpi_integrate(const tp_world *world, const tpi_field_plan *plan, tp_vector *x,
                            tp_vector *v, uint32_t species, float dt);

#endif
