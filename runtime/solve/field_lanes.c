/* SPDX-License-Identifier: MIT
   runtime/solve/field_lanes.c - the velocities that fields give to a vector of particles.
   reads   fields, species      writes  velocities
   memory  none      cost    O(fields) per particle; O(1) for gravity alone
   after   see field.c */
#include "solve_lanes.h"

/* Particle by particle: drag, or an attractor. */
static void field_kick_each(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                            uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++) {
        if (!(bits >> k & 1u)) continue;
        tp_vector v = tpi_field_kick(world, plan, tpi_lane_vector(tpi_dimensions(world), x, k),
                                     tpi_lane_vector(tpi_dimensions(world), velocity, k),
                                     TP_META_SPECIES(meta[i + k]), world->step.timestep);
        TPI_LANE(velocity[0], k) = v.x;
        TPI_LANE(velocity[1], k) = v.y;
        if (tpi_dimensions(world) == 3) TPI_LANE(velocity[2], k) = v.z;
    }
}

void tpi_field_kick_lanes(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                          uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    if (TPI_UNLIKELY(plan->has_drag || plan->has_attractor)) {
        field_kick_each(world, plan, i, bits, x, velocity);
        return;
    }
    const float *gravity = (const float *)(const void *)plan->gravity; /* x y z of each species */
    tpi_lane_ints meta = tpi_lane_ints_load(tpi_words(world, world->arrays.meta) + i);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes a = tpi_lanes_of(gravity[axis]);
        if (world->def.species_count > 1) a = tpi_lanes_gather(gravity + axis, (meta & 7) * 3);
        velocity[axis] = velocity[axis] + a * world->step.timestep;
    }
}
