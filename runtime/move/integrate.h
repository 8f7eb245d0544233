/* SPDX-License-Identifier: MIT
   runtime/move/integrate.h - time integration of a particle without pair forces.
   reads   fields, a position, a velocity      writes  position and velocity one step later
   memory  none                                cost    O(fields) per particle
   after   symplectic Euler; kick-drift-kick leapfrog; drag split as in Strang 1968; midpoint rule
           for tracers */
#ifndef TPI_INTEGRATE_H
#define TPI_INTEGRATE_H
#include "../solve/solve.h"

/* Symplectic Euler; `a` is the acceleration at x. */
TPI_INLINE void tpi_euler_step(tp_vector *x, tp_vector *v, tp_vector a, float dt)
{
    *v = tpi_add_scaled(*v, a, dt);
    *x = tpi_add_scaled(*x, *v, dt);
}
/* Kick-drift-kick leapfrog, first half: the position is final, the velocity is that of the middle
   of the step. */
TPI_INLINE void tpi_kdk_open(tp_vector *x, tp_vector *v, tp_vector a, float dt)
{
    *v = tpi_add_scaled(*v, a, 0.5f * dt);
    *x = tpi_add_scaled(*x, *v, dt);
}
TPI_INLINE void tpi_kdk_close(tp_vector *v, tp_vector a, float dt)
{
    *v = tpi_add_scaled(*v, a, 0.5f * dt);
}

/* Advances one particle by dt seconds with the world's integrator. */
TPI_FUNC void tpi_integrate(const tp_world *world, const tpi_field_plan *plan,
                            const tpi_field_sums *sums, tp_vector *x, tp_vector *v,
                            uint32_t species, float dt);

#endif
