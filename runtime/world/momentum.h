/* SPDX-License-Identifier: MIT
   runtime/world/momentum.h - momenta of rigid bodies, and the motion that follows from one.
   reads   bodies, loads      writes  momenta
   memory  none of its own            cost    O(species)
   after   own design: momenta are integers, so that what particles and bodies give each other adds
           up to 0 */
#ifndef TPI_MOMENTUM_H
#define TPI_MOMENTUM_H
#include "load.h"

/* What follows from a momentum. */
typedef struct tpi_body_motion {
    tp_vector velocity, angular_velocity; /* m/s of the center of mass, 1/s */
    tp_vector center;                     /* m: center of mass, in world coordinates */
    tp_quaternion rotation;
    float inverse_mass;
    tp_vector inverse_inertia; /* along the axes of the collider */
} tpi_body_motion;

/* Counts per kg m/s, and kg m/s per count. O(species) */
TPI_INLINE float tpi_body_quanta(const tp_world *world)
{
    return TPI_LOAD_QUANTA / tpi_load_heaviest(world);
}
TPI_INLINE float tpi_body_unit(const tp_world *world)
{
    return tpi_load_heaviest(world) * (1.0f / TPI_LOAD_QUANTA);
}
/* Adds an impulse and an angular impulse, clamped to 2^61 counts. O(species) */
TPI_FUNC void tpi_momentum_add(const tp_world *world, tpi_momentum *momentum, tp_vector linear,
                               tp_vector angular);
TPI_FUNC void tpi_momentum_join(tpi_momentum *momentum, const tpi_momentum *other);
TPI_FUNC void tpi_momentum_leave(tpi_momentum *momentum, const tpi_momentum *other);
/* The motion of a body with a momentum. O(species) */
TPI_FUNC tpi_body_motion tpi_body_motion_of(const tp_world *world, const tpi_body_item *body,
                                            const tpi_momentum *momentum);
/* I^-1 a, for a vector in world coordinates. O(1) */
TPI_FUNC tp_vector tpi_body_ease(const tpi_body_motion *motion, tp_vector a);

/* What particles gave to a body in the step in progress, about its center. O(species) */
TPI_FUNC tpi_momentum tpi_body_received(const tp_world *world, const tpi_body_item *body);

#endif
