/* SPDX-License-Identifier: MIT
   runtime/solve/pair/kick.c - the two halves of a step's kick, around the drift and the forces.
   reads   integer forces, fields      writes  velocities; with a kept list, the back set
   memory  none                        cost    O(fields) a particle
   after   velocity Verlet (Swope et al. 1982); drag split as Strang (1968); thermostat of Langevin, exact for half a
           step before and half a step behind (Bussi and Parrinello 2007), with noise by id and time */
#include "pair.h"

#define KICK_CHANNEL 0x4c000000u /* what the thermostat's random numbers are for; 24 bits of time below */

/* Mean 0 and variance 1: the sum of four evenly distributed numbers of 16 bits, exact until the last product. */
static float kick_noise(const tp_world *world, uint32_t id, uint32_t half, uint32_t axis)
{
    const tpi_clock *clock = &world->clock;
    tpi_random_key key = {world->def.seed, world->def.world_id, id,
                          KICK_CHANNEL | clock->tick << 3 | half << 2};
    int32_t sum = -2 * 65535;
    for (uint32_t word = 0; word < 2; word++) {
        uint32_t bits = tpi_random_bits(key, (uint32_t)clock->frame << 3 | axis << 1 | word);
        sum += (int32_t)(bits >> 16) + (int32_t)(bits & 0xffffu);
    }
    return (float)sum * (1.0f / 37837.227f); /* 65536 / sqrt 3 */
}

/* Half a step (0 the first, 1 the second) of friction and noise. */
static tp_vector kick_thermostat(const tp_world *world, tp_vector v, uint32_t id, uint32_t species,
                                 uint32_t half)
{
    const tp_pair *pair = &world->def.pair;
    if (pair->friction == 0.0f) return v;
    float keep = tpi_exp(-0.5f * pair->friction * world->step.timestep), noise[3] = {0};
    float spread = tpi_sqrt((1.0f - keep * keep) * pair->temperature / world->def.species[species].mass);
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        noise[axis] = kick_noise(world, id, half, axis);
    return tpi_add_scaled(tpi_scale(v, keep), tpi_vector(noise[0], noise[1], noise[2]), spread);
}

/* Half a step of a particle's links, along an axis. */
static float kick_links(const tp_world *world, uint32_t axis, uint32_t place, uint32_t species)
{
    float scale = world->constants.pair.link_kick[species] * world->step.timestep;
    return (float)tpi_link_sums(world, axis)[place] * scale;
}

tp_vector tpi_pair_kick(const tp_world *world, uint32_t place, tp_vector v, uint32_t species)
{
    float scale = world->constants.pair.half_kick[species] * world->step.timestep, kick[3] = {0};
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        kick[axis] = (float)tpi_integers(world, world->arrays.force[axis])[place] * scale;
    v = tpi_add(v, tpi_vector(kick[0], kick[1], kick[2]));
    if (!world->step.has_links) return v;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++)
        kick[axis] = kick_links(world, axis, place, species);
    return tpi_add(v, tpi_vector(kick[0], kick[1], kick[2]));
}

tp_vector tpi_pair_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, tp_vector x,
                        tp_vector v, uint32_t species)
{
    float half_step = 0.5f * world->step.timestep;
    if (world->step.is_priming) return v;
    v = kick_thermostat(world, v, tpi_words(world, world->arrays.id)[i], species, 0);
    if (plan->has_drag) v = tpi_field_drag(world, plan, x, v, species, half_step);
    v = tpi_pair_kick(world, i, v, species);
    if (world->fields.used == 0) return v;
    return tpi_add_scaled(v, tpi_field_acceleration(world, plan, x, species), half_step);
}

void tpi_pair_place(tp_world *world, uint32_t i, tp_vector x, tp_vector v, uint32_t species)
{
    const tpi_box *box = &world->constants.box;
    float to[3] = {x.x, x.y, x.z}, velocity[3] = {v.x, v.y, v.z}, moved = 0.0f;
    tpi_words(world, world->arrays.order)[i] = i | species << 24;
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        to[axis] = to[axis] + velocity[axis] * world->step.timestep;
        if (box->cells[axis]) to[axis] = tpi_box_wrap(box, axis, to[axis]);
        tpi_back_x(world, axis)[i] = to[axis];
        tpi_back_v(world, axis)[i] = velocity[axis];
        float d = tpi_box_image(box, axis, to[axis] - tpi_floats(world, world->arrays.listed[axis])[i]);
        moved = moved + d * d;
    }
    if (!(moved < world->constants.pair.half_skin_squared)) world->step.list_broken = true;
}

/* Second half of fields and thermostat, which are seldom there: one particle at a time, force first as it came last. */
static void kick_close_fields(const tp_world *world, const tpi_field_plan *plan, uint32_t place,
                              uint32_t count, const tpi_lanes to[3], tpi_lanes velocity[3])
{
    const uint32_t *order = tpi_words(world, world->arrays.order), *id = tpi_words(world, world->arrays.id);
    float half_step = 0.5f * world->step.timestep;
    bool is_3d = world->def.dimensions == 3;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t species = TPI_ORDER_SPECIES(order[place + k]);
        tp_vector x = tpi_vector(TPI_LANE(to[0], k), TPI_LANE(to[1], k), is_3d ? TPI_LANE(to[2], k) : 0.0f);
        tp_vector v = tpi_vector(TPI_LANE(velocity[0], k), TPI_LANE(velocity[1], k),
                                 is_3d ? TPI_LANE(velocity[2], k) : 0.0f);
        v = tpi_add_scaled(v, tpi_field_acceleration(world, plan, x, species), half_step);
        if (plan->has_drag) v = tpi_field_drag(world, plan, x, v, species, half_step);
        v = kick_thermostat(world, v, id[TPI_ORDER_PLACE(order[place + k])], species, 1);
        TPI_LANE(velocity[0], k) = v.x;
        TPI_LANE(velocity[1], k) = v.y;
        if (is_3d) TPI_LANE(velocity[2], k) = v.z;
    }
}

static tpi_lanes kick_links_lanes(const tp_world *world, uint32_t axis, uint32_t place, uint32_t count,
                                  tpi_lanes velocity)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    for (uint32_t k = 0; k < count; k++)
        TPI_LANE(velocity, k) =
            TPI_LANE(velocity, k) + kick_links(world, axis, place + k, TPI_ORDER_SPECIES(order[place + k]));
    return velocity;
}

void tpi_pair_close(const tp_world *world, const tpi_field_plan *plan, uint32_t place, uint32_t count,
                    tpi_lanes from[3], const tpi_lanes to[3], tpi_lanes velocity[3])
{
    const tpi_pair_constants *pair = &world->constants.pair;
    const tpi_box *box = &world->constants.box;
    tpi_lanes scale = tpi_lanes_of(pair->half_kick[0] * world->step.timestep);
    if (world->def.species_count > 1) {
        tpi_lane_ints species = tpi_lane_ints_load(tpi_words(world, world->arrays.order) + place) >> 24 & 7;
        scale = tpi_lanes_gather(pair->half_kick, species) * world->step.timestep;
    }
    for (uint32_t axis = 0; axis < world->def.dimensions; axis++) {
        const int32_t *force = tpi_integers(world, world->arrays.force[axis]);
        velocity[axis] = velocity[axis] + tpi_lanes_from_ints(tpi_lane_ints_load(force + place)) * scale;
        if (world->step.has_links)
            velocity[axis] = kick_links_lanes(world, axis, place, count, velocity[axis]);
        if (box->cells[axis]) from[axis] = to[axis] - tpi_box_image_lanes(box, axis, to[axis] - from[axis]);
    }
    if (world->fields.used || world->def.pair.friction > 0.0f)
        kick_close_fields(world, plan, place, count, to, velocity);
}

#undef KICK_CHANNEL
