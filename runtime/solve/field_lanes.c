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

void tpi_field_kick_species(const tp_world *world, const tpi_field_plan *plan,
                            const tpi_lane_ints *species, const tpi_lane_ints *index, uint32_t bits,
                            float timestep, const tpi_lanes x[3], tpi_lanes velocity[3])
{
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
