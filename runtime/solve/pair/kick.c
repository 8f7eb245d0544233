/* SPDX-License-Identifier: MIT
   runtime/solve/pair/kick.c - the two half kicks of a step, before the drift and after the forces.
   reads   integer forces, fields      writes  velocities; with a kept list, the back set
   memory  none                        cost    O(fields) per particle
   after   velocity Verlet (Swope et al. 1982); drag split as in Strang 1968; Langevin thermostat,
           exact, half a step before and half a step after (Bussi and Parrinello 2007), with
           counter-based noise by id and time */
#include "pair_lanes.h"
#include "../../world/box_lanes.h"

/* random channel of the thermostat; the lower 24 bits are time */
#define KICK_CHANNEL 0x4c000000u

/* Noise with mean 0 and variance 1: the sum of four uniform 16-bit numbers, exact until the last
   product. */
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

/* Half a step of friction and noise; half: 0 the first, 1 the second. */
static tp_vector kick_thermostat(const tp_world *world, tp_vector v, uint32_t id, uint32_t species,
                                 uint32_t half)
{
    const tp_pair *pair = &world->def.pair;
    if (pair->friction == 0.0f) return v;
    float keep = tpi_exp(-0.5f * pair->friction * world->step.timestep), noise[3] = {0};
    float spread =
        tpi_sqrt((1.0f - keep * keep) * pair->temperature / world->def.species[species].mass);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        noise[axis] = kick_noise(world, id, half, axis);
    return tpi_add_scaled(tpi_scale(v, keep), tpi_vector(noise[0], noise[1], noise[2]), spread);
}

/* A force acts for the time step; an impulse of hard spheres acts at once. */
static float kick_seconds(const tp_world *world)
{
    return tpi_is_hard(world) ? 1.0f : world->step.timestep;
}

/* Velocity change per count of force, by species. */
TPI_INLINE tpi_lanes kick_scale(const tp_world *world, tpi_lane_ints species)
{
    const tpi_pair_constants *pair = tpi_pair_of(world);
    if (world->def.species_count == 1)
        return tpi_lanes_of(pair->half_kick[0] * kick_seconds(world));
    return tpi_lanes_gather(pair->half_kick, species & 7) * kick_seconds(world);
}

/* Velocity change along an axis by half a step of a particle's link forces. */
static float kick_links(const tp_world *world, uint32_t axis, uint32_t index, uint32_t species)
{
    float scale = tpi_pair_of(world)->link_kick[species] * world->step.timestep;
    return (float)tpi_link_sums(world, axis)[index] * scale;
}

tp_vector tpi_pair_kick(const tp_world *world, uint32_t index, tp_vector v, uint32_t species)
{
    float scale = tpi_pair_of(world)->half_kick[species] * kick_seconds(world), kick[3] = {0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        kick[axis] = (float)tpi_integers(world, world->arrays.force[axis])[index] * scale;
    v = tpi_add(v, tpi_vector(kick[0], kick[1], kick[2]));
    if (!world->step.has_links) return v;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        kick[axis] = kick_links(world, axis, index, species);
    return tpi_add(v, tpi_vector(kick[0], kick[1], kick[2]));
}

TPI_INLINE void kick_forces(const tp_world *world, uint32_t index, tpi_lanes scale,
                            tpi_lanes velocity[3])
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        const int32_t *force = tpi_integers(world, world->arrays.force[axis]) + index;
        velocity[axis] = velocity[axis] + tpi_lanes_from_ints(tpi_lane_ints_load(force)) * scale;
    }
}

static void kick_set_lane(const tp_world *world, tpi_lanes lanes[3], uint32_t k, tp_vector value)
{
    (void)k;
    TPI_LANE(lanes[0], k) = value.x;
    TPI_LANE(lanes[1], k) = value.y;
    if (tpi_dimensions(world) == 3) TPI_LANE(lanes[2], k) = value.z;
}

static void kick_link_lane(const tp_world *world, uint32_t k, uint32_t index, uint32_t species,
                           tpi_lanes velocity[3])
{
    (void)k;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        TPI_LANE(velocity[axis], k) =
            TPI_LANE(velocity[axis], k) + kick_links(world, axis, index, species);
}

static void kick_open_links(const tp_world *world, uint32_t i, uint32_t bits, tpi_lanes velocity[3])
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++)
        if (bits >> k & 1u) kick_link_lane(world, k, i + k, TP_META_SPECIES(meta[i + k]), velocity);
}

/* Fields and thermostat are rare, so they are applied one particle at a time: drag and thermostat
   before the forces ... */
static void kick_open_drag(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                           uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta),
                   *id = tpi_words(world, world->arrays.id);
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++) {
        if (!(bits >> k & 1u)) continue;
        uint32_t species = TP_META_SPECIES(meta[i + k]);
        tp_vector v = kick_thermostat(world, tpi_lane_vector(tpi_dimensions(world), velocity, k),
                                      id[i + k], species, 0);
        if (plan->has_drag) {
            tpi_field_sums sums = tpi_field_sums_of(world, plan, species, i + k);
            v = tpi_field_drag(world, plan, &sums, tpi_lane_vector(tpi_dimensions(world), x, k), v,
                               species, 0.5f * world->step.timestep);
        }
        kick_set_lane(world, velocity, k, v);
    }
}

/* ... and accelerations of fields after them. */
static void kick_open_fields(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                             uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++) {
        if (!(bits >> k & 1u)) continue;
        uint32_t species = TP_META_SPECIES(meta[i + k]);
        tpi_field_sums sums = tpi_field_sums_of(world, plan, species, i + k);
        tp_vector a = tpi_field_acceleration(world, plan, &sums,
                                             tpi_lane_vector(tpi_dimensions(world), x, k), species);
        tp_vector v = tpi_lane_vector(tpi_dimensions(world), velocity, k);
        kick_set_lane(world, velocity, k, tpi_add_scaled(v, a, 0.5f * world->step.timestep));
    }
}

TPI_APART void tpi_pair_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                             uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    if (world->step.is_priming) return;
    if (plan->has_drag || world->def.pair.friction > 0.0f)
        kick_open_drag(world, plan, i, bits, x, velocity);
    tpi_lane_ints meta = tpi_lane_ints_load(tpi_words(world, world->arrays.meta) + i);
    if (!tpi_is_hard(world)) kick_forces(world, i, kick_scale(world, meta), velocity);
    if (world->step.has_links) kick_open_links(world, i, bits, velocity);
    if (tpi_fields_used(world)) kick_open_fields(world, plan, i, bits, x, velocity);
}

bool tpi_pair_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                    const tpi_lanes velocity[3])
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_lanes moved = tpi_lanes_of(0.0f);
    for (uint32_t k = 0; k < count; k++)
        order[i + k] = (i + k) | TP_META_SPECIES(meta[i + k]) << 24;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes to = x[axis] + velocity[axis] * world->step.timestep;
        to = tpi_box_wrap_lanes(&world->constants.box, axis, count, to);
        tpi_lanes listed = tpi_lanes_load(tpi_floats(world, world->arrays.listed[axis]) + i);
        tpi_lanes d = tpi_box_image_lanes(&world->constants.box, axis, to - listed);
        moved = moved + d * d;
        tpi_lanes_store_first(tpi_back_x(world, axis) + i, to, count);
        tpi_lanes_store_first(tpi_back_v(world, axis) + i, velocity[axis], count);
    }
    tpi_lane_mask is_near =
        tpi_lanes_less(moved, tpi_lanes_of(tpi_pair_of(world)->half_skin_squared));
    return !tpi_lanes_any(tpi_lanes_and(tpi_lanes_not(is_near), tpi_lanes_first(count)));
}

/* The second half of fields and thermostat, in reverse order. */
static void kick_close_fields(const tp_world *world, const tpi_field_plan *plan, uint32_t index,
                              uint32_t count, const tpi_lanes to[3], tpi_lanes velocity[3])
{
    const uint32_t *order = tpi_words(world, world->arrays.order),
                   *id = tpi_words(world, world->arrays.id);
    float half_step = 0.5f * world->step.timestep;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t species = TPI_ORDER_SPECIES(order[index + k]);
        tp_vector x = tpi_lane_vector(tpi_dimensions(world), to, k),
                  v = tpi_lane_vector(tpi_dimensions(world), velocity, k);
        uint32_t front = TPI_ORDER_INDEX(order[index + k]);
        tpi_field_sums sums = tpi_field_sums_of(world, plan, species, front);
        v = tpi_add_scaled(v, tpi_field_acceleration(world, plan, &sums, x, species), half_step);
        if (plan->has_drag) v = tpi_field_drag(world, plan, &sums, x, v, species, half_step);
        v = kick_thermostat(world, v, id[front], species, 1);
        kick_set_lane(world, velocity, k, v);
    }
}

/* Moves hard spheres by the displacements that separate them, and wraps them into the box. */
static void kick_push(const tp_world *world, uint32_t index, uint32_t count, tpi_lanes to[3])
{
    const tpi_box *box = &world->constants.box;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        to[axis] =
            to[axis] +
            tpi_lanes_load(tpi_floats(world, world->arrays.own[TPI_PAIR_PUSHED + axis]) + index);
        for (uint32_t k = 0; k < count && box->cells[axis]; k++)
            TPI_LANE(to[axis], k) = tpi_box_wrap(box, axis, TPI_LANE(to[axis], k));
    }
}

static void kick_close_links(const tp_world *world, uint32_t index, uint32_t count,
                             tpi_lanes velocity[3])
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    for (uint32_t k = 0; k < count; k++)
        kick_link_lane(world, k, index + k, TPI_ORDER_SPECIES(order[index + k]), velocity);
}

TPI_APART void tpi_pair_close(const tp_world *world, const tpi_field_plan *plan, uint32_t index,
                              uint32_t count, tpi_lanes from[3], tpi_lanes to[3],
                              tpi_lanes velocity[3])
{
    const tpi_box *box = &world->constants.box;
    tpi_lane_ints order = tpi_lane_ints_load(tpi_words(world, world->arrays.order) + index);
    if (tpi_is_hard(world)) kick_push(world, index, count, to);
    kick_forces(world, index, kick_scale(world, order >> 24), velocity);
    if (world->step.has_links) kick_close_links(world, index, count, velocity);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        if (box->cells[axis])
            from[axis] = to[axis] - tpi_box_image_lanes(box, axis, to[axis] - from[axis]);
    if (tpi_fields_used(world) || world->def.pair.friction > 0.0f)
        kick_close_fields(world, plan, index, count, to, velocity);
}

#undef KICK_CHANNEL
