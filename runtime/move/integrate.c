/* SPDX-License-Identifier: MIT
   runtime/move/integrate.c - time integration of a particle without pair forces.
   reads   fields, a position, a velocity      writes  position and velocity one step later
   memory  none
   cost    O(fields) per particle; a tracer evaluates the medium three times
   after   symplectic Euler; kick-drift-kick leapfrog; drag split as in Strang 1968; midpoint rule
           for tracers */
#include "integrate.h"

/* Midpoint rule: second order, so that a tracer keeps its radius in a vortex. Its velocity becomes
   that of the medium at the new position. */
static void integrate_tracer(const tp_world *world, tp_vector *x, tp_vector *v, uint32_t species,
                             float dt)
{
    tp_vector u = tpi_field_medium(world, *x, species);
    tp_vector middle = tpi_add_scaled(*x, u, 0.5f * dt);
    *x = tpi_add_scaled(*x, tpi_field_medium(world, middle, species), dt);
    *v = tpi_field_medium(world, *x, species);
}

static void integrate_kdk(const tp_world *world, const tpi_field_plan *plan,
                          const tpi_field_sums *sums, tp_vector *x, tp_vector *v, uint32_t species,
                          float dt)
{
    if (plan->has_drag) *v = tpi_field_drag(world, plan, sums, *x, *v, species, 0.5f * dt);
    tpi_kdk_open(x, v, tpi_field_acceleration(world, plan, sums, *x, species), dt);
    tpi_kdk_close(v, tpi_field_acceleration(world, plan, sums, *x, species), dt);
    if (plan->has_drag) *v = tpi_field_drag(world, plan, sums, *x, *v, species, 0.5f * dt);
}

void tpi_integrate(const tp_world *world, const tpi_field_plan *plan, const tpi_field_sums *sums,
                   tp_vector *x, tp_vector *v, uint32_t species, float dt)
{
    if (TPI_UNLIKELY(world->def.species[species].is_tracer)) {
        integrate_tracer(world, x, v, species, dt);
    } else if (world->def.integrator == TP_INTEGRATOR_KDK) {
        integrate_kdk(world, plan, sums, x, v, species, dt);
    } else if (plan->has_drag) {
        *v = tpi_field_kick(world, plan, sums, *x, *v, species, dt);
        *x = tpi_add_scaled(*x, *v, dt);
    } else {
        tpi_euler_step(x, v, tpi_field_acceleration(world, plan, sums, *x, species), dt);
    }
}
