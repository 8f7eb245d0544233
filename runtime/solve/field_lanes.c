/* SPDX-License-Identifier: MIT
   runtime/solve/field_lanes.c - the velocities that fields give to a vector of particles.
   reads   fields, species      writes  velocities
   memory  none      cost    O(fields) per particle; O(1) for gravity alone
   after   see field.c */
#include "solve_lanes.h"

/* Particle by particle: drag, or an attractor. */
static void field_kick_each(const tp_world *world, const tpi_field_plan *plan,
                            const tpi_lane_ints *species, const tpi_lane_ints *index, uint32_t bits,
                            float timestep, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++) {
        if (!(bits >> k & 1u)) continue;
        uint32_t kind = (uint32_t)TPI_LANE(*species, k);
        tpi_field_sums sums = tpi_field_sums_of(world, plan, kind, (uint32_t)TPI_LANE(*index, k));
        tp_vector v =
            tpi_field_kick(world, plan, &sums, tpi_lane_vector(tpi_dimensions(world), x, k),
                           tpi_lane_vector(tpi_dimensions(world), velocity, k), kind, timestep);
        TPI_LANE(velocity[0], k) = v.x;
        TPI_LANE(velocity[1], k) = v.y;
        if (tpi_dimensions(world) == 3) TPI_LANE(velocity[2], k) = v.z;
    }
}

/* Half of the drag of a step in a medium at rest. */
TPI_INLINE void field_drag_half(const tpi_field_sums *sums, float factor, float seconds,
                                uint32_t dimensions, tpi_lanes velocity[3])
{
    tpi_lanes square = velocity[0] * velocity[0] + velocity[1] * velocity[1],
              by = tpi_lanes_of(factor), zero = tpi_lanes_of(0.0f);
    if (dimensions == 3) square = square + velocity[2] * velocity[2];
    if (sums->quadratic > 0.0f)
        by = by / (tpi_lanes_sqrt(square) * sums->quadratic * seconds + 1.0f);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        velocity[axis] = zero + velocity[axis] * by; /* of the medium; -0 ends */
}

/* Gravity and drag of particles of one species, as tpi_field_kick computes them. False, and nothing
   is done, if there are several, or other fields. */
static bool field_kick_drag(const tp_world *world, const tpi_field_plan *plan,
                            const tpi_lane_ints *species, uint32_t bits, float timestep,
                            tpi_lanes velocity[3])
{
    if (plan->has_attractor || plan->has_ages || plan->has_boxes || plan->has_medium) return false;
    uint32_t kind = 0, dimensions = tpi_dimensions(world);
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++)
        if (bits >> k & 1u) kind = (uint32_t)TPI_LANE(*species, k);
    tpi_lane_mask is_same = tpi_lane_ints_equal(*species, tpi_lane_ints_of((int32_t)kind));
    const tpi_field_sums sums = {plan->gravity[kind], plan->linear[kind], plan->quadratic[kind]};
    const float pull[3] = {sums.gravity.x, sums.gravity.y, sums.gravity.z};
    if ((tpi_lanes_bits(is_same) & bits) != bits) return false;
    float seconds, factor = tpi_field_decline(&sums, 0.5f * timestep, &seconds);
    const bool drags = sums.linear != 0.0f || sums.quadratic != 0.0f;
    if (drags) field_drag_half(&sums, factor, seconds, dimensions, velocity);
    for (uint32_t axis = 0; axis < dimensions; axis++)
        velocity[axis] = velocity[axis] + tpi_lanes_of(pull[axis]) * timestep;
    if (drags) field_drag_half(&sums, factor, seconds, dimensions, velocity);
    return true;
}

void tpi_field_kick_species(const tp_world *world, const tpi_field_plan *plan,
                            const tpi_lane_ints *species, const tpi_lane_ints *index, uint32_t bits,
                            float timestep, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    if (TPI_LANES > 1 && plan->has_drag &&
        field_kick_drag(world, plan, species, bits, timestep, velocity))
        return;
    if (TPI_UNLIKELY(plan->has_drag || plan->has_attractor || plan->has_ages)) {
        field_kick_each(world, plan, species, index, bits, timestep, x, velocity);
        return;
    }
    const float *gravity = (const float *)(const void *)plan->gravity; /* x y z of each species */
    if (world->def.species_count <= 1) {
        velocity[0] = velocity[0] + tpi_lanes_of(gravity[0]) * timestep;
        velocity[1] = velocity[1] + tpi_lanes_of(gravity[1]) * timestep;
        if (tpi_dimensions(world) == 3)
            velocity[2] = velocity[2] + tpi_lanes_of(gravity[2]) * timestep;
        return;
    }
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        velocity[axis] = velocity[axis] + tpi_lanes_gather(gravity + axis, *species * 3) * timestep;
}

void tpi_field_kick_lanes(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                          uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    tpi_lane_ints meta = tpi_lane_ints_load(tpi_words(world, world->arrays.meta) + i);
    const tpi_lane_ints species = meta & 7, index = tpi_lane_ints_counted((int32_t)i);
    tpi_field_kick_species(world, plan, &species, &index, bits, world->step.timestep, x, velocity);
}
