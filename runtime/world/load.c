/* SPDX-License-Identifier: MIT
   runtime/world/load.c - sums of the impulses that particles give to colliders.
   reads   impulses, the clock, poses      writes  the loads of colliders
   memory  none of its own                 cost    see load.h
   after   own design: see load.h */
#include "load.h"

#define LOAD_MOST 1e18f /* quanta: one impulse, less than 2^60 */

float tpi_load_heaviest(const tp_world *world)
{
    float mass = world->def.species[0].mass;
    for (uint32_t s = 1; s < world->def.species_count; s++)
        mass = tpi_max(mass, world->def.species[s].mass);
    return mass;
}

void tpi_load_sum(uint64_t sums[3], tp_vector value, float quanta)
{
    const float values[3] = {value.x, value.y, value.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        float count = values[axis] * quanta;
        if (tpi_is_within(count, -LOAD_MOST, LOAD_MOST)) sums[axis] += (uint64_t)(int64_t)count;
    }
}

/* Where a collider is at the end of the step in progress. */
static tp_vector load_origin(const tp_world *world, const tpi_collider_item *item)
{
    if (!item->is_moving || item->body) return item->pose_to.position;
    float moment = (float)(world->clock.tick + world->step.ticks) / (float)TP_TICKS_PER_FRAME;
    return tpi_lerp(item->pose_from.position, item->pose_to.position, moment);
}

void tpi_loads_add(const tp_world *world, const tpi_load_push *push)
{
    tpi_load_sums *sums = &tpi_load_at(world, push->slot)->step;
    const tpi_collider_item *item = tpi_collider_at(world, push->slot);
    const float quanta = TPI_LOAD_QUANTA / tpi_load_heaviest(world);
    tp_vector pressure = tpi_scale(push->normal, tpi_dot(push->impulse, push->normal)),
              arm = tpi_sub(push->point, load_origin(world, item));
    tpi_load_sum(sums->pressure, pressure, quanta);
    tpi_load_sum(sums->friction, tpi_sub(push->impulse, pressure), quanta);
    tpi_load_sum(sums->torque, tpi_cross(arm, push->impulse), quanta);
}

void tpi_loads_count(const tp_world *world, uint32_t slot)
{
    tpi_load_at(world, slot)->step.contacts++;
}

uint32_t tpi_loads_begin(const tp_world *world)
{
    if (!tpi_has_loads(world)) return 0;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++)
        tpi_memset(&tpi_load_at(world, slot)->step, 0, sizeof(tpi_load_sums));
    return tpi_colliders_end(world);
}

static void load_take(tpi_load_sums *to, const tpi_load_sums *from)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        to->pressure[axis] += from->pressure[axis];
        to->friction[axis] += from->friction[axis];
        to->torque[axis] += from->torque[axis];
    }
    to->contacts += from->contacts;
}

void tpi_loads_end(const tp_world *world)
{
    if (!tpi_has_loads(world)) return;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        tpi_load_item *item = tpi_load_at(world, slot);
        load_take(&item->frame, &item->step);
        if (world->clock.frame_begun) continue;
        item->last = item->frame;
        tpi_memset(&item->frame, 0, sizeof item->frame);
    }
}

void tpi_loads_clear(const tp_world *world, uint32_t slot)
{
    uint32_t first = slot == TPI_NO_SLOT ? 0u : slot,
             end = slot == TPI_NO_SLOT ? tpi_colliders_end(world) : slot + 1u;
    for (; tpi_has_loads(world) && first < end; first++)
        tpi_memset(tpi_load_at(world, first), 0, sizeof(tpi_load_item));
}

tp_vector tpi_load_vector(const uint64_t sums[3], float unit)
{
    return tpi_vector((float)(int64_t)sums[0] * unit, (float)(int64_t)sums[1] * unit,
                      (float)(int64_t)sums[2] * unit);
}

tp_result tp_collider_load(const tp_world *world, tp_collider collider, tp_load *load)
{
    uint32_t slot;
    if (!load) return TP_ERROR_NULL;
    tpi_memset(load, 0, sizeof *load);
    tp_result result = tpi_item_find(world, TP_POOL_COLLIDERS, collider.id, &slot);
    if (result != TP_OK) return result;
    if (!tpi_has_loads(world)) return TP_ERROR_DEFINITION;
    const tpi_load_sums *sums = &tpi_load_at(world, slot)->last;
    float frame = world->constants.seconds_per_tick * (float)TP_TICKS_PER_FRAME,
          unit = tpi_load_heaviest(world) * (1.0f / TPI_LOAD_QUANTA), rate = unit / frame;
    load->pressure = tpi_load_vector(sums->pressure, rate);
    load->friction = tpi_load_vector(sums->friction, rate);
    load->torque = tpi_load_vector(sums->torque, rate);
    load->impulse =
        tpi_add(tpi_load_vector(sums->pressure, unit), tpi_load_vector(sums->friction, unit));
    load->contacts = (uint32_t)sums->contacts;
    return TP_OK;
}

#undef LOAD_MOST
