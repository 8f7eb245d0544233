/* SPDX-License-Identifier: MIT
   runtime/light/particles.c - light at the particles of a world.
   reads   the front set of a world, lights      writes  the caller's colors
   memory  none      cost    see tp_light_particles
   after   own design: particles are small balls, see sphere.c */
#include "light.h"
#include "../world/block.h"

static tpi_lanes particles_load(const float *from, uint32_t count)
{
    tpi_lanes lanes = tpi_lanes_of(from[count - 1u]);
    if (count >= TPI_LANES) return tpi_lanes_load(from);
    for (uint32_t k = 0; k < count; k++) TPI_LANE(lanes, k) = from[k];
    return lanes;
}

tp_result tp_light_particles(const tp_world *world, const tp_lighting *lighting, uint32_t units,
                             uint32_t *done, tp_vector *irradiance, uint32_t capacity)
{
    tp_result result = tpi_world_check_block(world);
    if (result == TP_OK) result = tpi_light_check_all(lighting);
    if (result == TP_OK && (!irradiance || (units && !done))) result = TP_ERROR_NULL;
    if (result != TP_OK) return result;
    if (world->count > capacity) return TP_ERROR_FULL;
    uint32_t end = tpi_light_end(lighting, world->count, units, done);
    for (uint32_t i = done ? *done : 0u; i < end; i += TPI_LANES) {
        uint32_t count = tpi_min_u32(TPI_LANES, end - i);
        tpi_light_rows points = {particles_load(tpi_front_x(world, 0) + i, count),
                                 particles_load(tpi_front_x(world, 1) + i, count),
                                 tpi_lanes_of(0.0f)};
        if (world->def.dimensions == 3) points.z = particles_load(tpi_front_x(world, 2) + i, count);
        tpi_light_rows light = tpi_light_at(lighting, &points, NULL);
        for (uint32_t k = 0; k < count; k++) irradiance[i + k] = tpi_light_lane(&light, k);
    }
    if (done) *done = end;
    return end < world->count ? TP_MORE : TP_OK;
}
