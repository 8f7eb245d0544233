/* SPDX-License-Identifier: MIT
   runtime/world/momentum.c - momenta of rigid bodies: sums, velocities, what a step gives.
   reads   bodies, loads      writes  momenta
   memory  none of its own            cost    O(species)
   after   own design: see momentum.h */
#include "momentum.h"

#define MOMENTUM_MOST 2.3e18f /* counts: less than 2^61 */

static uint64_t momentum_counts(float value, float quanta)
{
    return (uint64_t)(int64_t)tpi_clamp(value * quanta, -MOMENTUM_MOST, MOMENTUM_MOST);
}

void tpi_momentum_add(const tp_world *world, tpi_momentum *momentum, tp_vector linear,
                      tp_vector angular)
{
    const float quanta = tpi_body_quanta(world);
    const float p[3] = {linear.x, linear.y, linear.z}, l[3] = {angular.x, angular.y, angular.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        momentum->linear[axis] += momentum_counts(p[axis], quanta);
        momentum->angular[axis] += momentum_counts(l[axis], quanta);
    }
}

void tpi_momentum_join(tpi_momentum *momentum, const tpi_momentum *other)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        momentum->linear[axis] += other->linear[axis];
        momentum->angular[axis] += other->angular[axis];
    }
}

void tpi_momentum_leave(tpi_momentum *momentum, const tpi_momentum *other)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        momentum->linear[axis] -= other->linear[axis];
        momentum->angular[axis] -= other->angular[axis];
    }
}

static float momentum_inverse(float value) { return value > 0.0f ? 1.0f / value : 0.0f; }

tp_vector tpi_body_ease(const tpi_body_motion *motion, tp_vector a)
{
    tp_vector local = tpi_rotate_back(motion->rotation, a), inverse = motion->inverse_inertia;
    local = tpi_vector(local.x * inverse.x, local.y * inverse.y, local.z * inverse.z);
    return tpi_rotate(motion->rotation, local);
}

tpi_body_motion tpi_body_motion_of(const tp_world *world, const tpi_body_item *body,
                                   const tpi_momentum *momentum)
{
    const float unit = tpi_body_unit(world);
    tpi_body_motion motion = {.rotation = body->pose.rotation};
    motion.center = tpi_to_world(body->pose, body->center);
    motion.inverse_mass = 1.0f / body->mass;
    motion.inverse_inertia =
        tpi_vector(momentum_inverse(body->inertia.x), momentum_inverse(body->inertia.y),
                   momentum_inverse(body->inertia.z));
    motion.velocity = tpi_load_vector(momentum->linear, unit * motion.inverse_mass);
    motion.angular_velocity = tpi_body_ease(&motion, tpi_load_vector(momentum->angular, unit));
    return motion;
}

/* What particles gave to the collider: the torque of loads is about the position of its pose. */
tpi_momentum tpi_body_received(const tp_world *world, const tpi_body_item *body)
{
    const tpi_load_sums *sums = &tpi_load_at(world, body->collider)->step;
    tpi_momentum received = {{0, 0, 0}, {0, 0, 0}}, shift = received;
    const tp_vector none = {0.0f, 0.0f, 0.0f};
    for (uint32_t axis = 0; axis < 3; axis++) {
        received.linear[axis] = sums->pressure[axis] + sums->friction[axis];
        received.angular[axis] = sums->torque[axis];
    }
    tp_vector arm = tpi_rotate(tpi_collider_at(world, body->collider)->pose_to.rotation,
                               body->center),
              impulse = tpi_load_vector(received.linear, tpi_body_unit(world));
    tpi_momentum_add(world, &shift, none, tpi_cross(arm, impulse));
    tpi_momentum_leave(&received, &shift);
    return received;
}

#undef MOMENTUM_MOST
