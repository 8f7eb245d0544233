/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/fire.c - heat and fire of smoke: particles of a cell mix their temperatures,
           cool, and burn their fuel.
   reads   front temperatures and fuel, places half a step later      writes  those of the back set
   memory  arrays of the grid that are free then      cost    O(particles + heat fields of each)
   after   cells are shifted by another part of a cell in each step, as in multi-particle collision
           dynamics (Ihle and Kroll 2001), by a sequence of low discrepancy. Own design: heat and
           fuel are whole numbers, and what a cell has got is divided among its particles until
           nothing is left, so that sums are exact */
#include "vortex.h"
#include "../../world/heat.h"

/* What a step does to all particles. */
typedef struct fire_step {
    tpi_dense dense;
    float shift[3];                 /* cells */
    uint32_t *low, *high, *members; /* of cells: sums of heat in two words, particles that share */
    uint32_t *flames;               /* of cells: particles that burn */
    float unit, share, keep;        /* K; of heat that a particle mixes, and keeps when it cools */
    int32_t range, flame, ignition; /* units of heat */
    bool has_sources;
} fire_step;

static fire_step fire_begin(const tp_world *world)
{
    static const uint32_t steps[3] = {3518319155u, 2882110345u, 2360945575u};
    const tp_vortex *vortex = &world->def.vortex;
    const float dt = world->step.timestep, h = vortex->grid_spacing;
    const uint32_t number = (uint32_t)world->clock.frame * 101u + world->clock.step_of_frame,
                   stride = tpi_dense_floats(vortex->grid_nodes);
    fire_step step = {.dense = tpi_vortex_dense(world), .unit = tpi_heat_unit(&world->def)};
    for (uint32_t axis = 0; axis < 3; axis++)
        step.shift[axis] = (float)(number * steps[axis] >> 8) * (1.0f / 16777216.0f);
    step.low = tpi_words(world, world->arrays.own[TPI_VORTEX_SOURCE]);
    step.high = step.low + stride;
    step.members = step.high + stride;
    step.flames = tpi_words(world, world->arrays.own[TPI_VORTEX_POTENTIAL]);
    step.share = tpi_min(12.0f * world->def.heat.diffusivity * dt / (h * h), 1.0f);
    step.keep = tpi_exp(-vortex->cooling * dt);
    step.range = (int32_t)(world->def.heat.range / step.unit);
    step.flame = (int32_t)(vortex->flame / step.unit + 0.5f);
    step.ignition = (int32_t)tpi_min(vortex->ignition / step.unit, 2.0f * (float)step.range);
    step.has_sources = tpi_field_heat_units(world) > 0;
    return step;
}

/* The cell of a particle; UINT32_MAX: beyond the grid. */
static uint32_t fire_cell(const tp_world *world, const fire_step *step, uint32_t i)
{
    uint32_t at[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
        float x = tpi_back_x(world, axis)[i], low = tpi_component(step->dense.origin, axis);
        float place = (x - low) / step->dense.spacing;
        if (!(place >= 0.0f && place <= (float)(step->dense.size[axis] - 2u))) return UINT32_MAX;
        at[axis] = (uint32_t)(place + step->shift[axis]);
    }
    return tpi_dense_node(step->dense.size, at[0], at[1], at[2]);
}

/* Units of heat, and of fuel; 0 for what a forged cache may restore. */
static int32_t fire_heat(const fire_step *step, float temperature)
{
    float units = temperature / step->unit;
    return tpi_is_within(units, -(float)step->range, (float)step->range) ? (int32_t)units : 0;
}
static uint32_t fire_fuel(float fuel)
{
    return tpi_is_within(fuel, 0.0f, 1.0f) ? (uint32_t)(fuel * TPI_FUEL_UNITS) : 0u;
}

/* What a particle gives to its cell. */
static int32_t fire_given(const fire_step *step, int32_t heat)
{
    return (int32_t)((float)heat * step->share);
}

void tpi_vortex_fire_clear(const tp_world *world, uint32_t begin, uint32_t end)
{
    const fire_step step = fire_begin(world);
    const size_t bytes = (size_t)(end - begin) * sizeof(uint32_t);
    tpi_memset(step.low + begin, 0, bytes);
    tpi_memset(step.high + begin, 0, bytes);
    tpi_memset(step.members + begin, 0, bytes);
    tpi_memset(step.flames + begin, 0, bytes);
}

void tpi_vortex_fire_give(const tp_world *world, uint32_t begin, uint32_t end)
{
    const fire_step step = fire_begin(world);
    const float *temperature = tpi_front_kept(world, TPI_KEPT_WARMTH);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t cell = fire_cell(world, &step, i);
        if (cell == UINT32_MAX) continue;
        int32_t given = fire_given(&step, fire_heat(&step, temperature[i]));
        uint32_t old = step.low[cell];
        step.low[cell] = old + (uint32_t)given;
        step.high[cell] += (given < 0 ? UINT32_MAX : 0u) + (step.low[cell] < old ? 1u : 0u);
        step.members[cell]++;
    }
}

/* The part of one of those that share what is left in a cell, rounded down; the last one takes the
   rest. */
static int32_t fire_part(const fire_step *step, uint32_t cell)
{
    uint64_t words = (uint64_t)step->high[cell] << 32 | step->low[cell];
    int64_t left = (int64_t)words, count = (int64_t)step->members[cell]--;
    if (count == 0) return 0;
    int64_t part = left / count;
    if (part * count > left) part--;
    left -= part;
    step->low[cell] = (uint32_t)(uint64_t)left;
    step->high[cell] = (uint32_t)((uint64_t)left >> 32);
    return (int32_t)part;
}

/* Fields that heat, and cooling, both implicit. Radiation is that of a black body that receives
   nothing. */
static int32_t fire_cool(const tp_world *world, const fire_step *step, uint32_t i, int32_t heat)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    const float dt = world->step.timestep, radiation = world->def.vortex.radiation;
    float temperature = (float)heat * step->unit, rate = 0.0f, gain = 0.0f;
    tp_vector x = {tpi_back_x(world, 0)[i], tpi_back_x(world, 1)[i], tpi_back_x(world, 2)[i]};
    if (step->has_sources) tpi_field_heat(world, x, TP_META_SPECIES(meta[i]), &rate, &gain);
    if (rate == 0.0f && gain == 0.0f && step->keep == 1.0f && radiation == 0.0f) return heat;
    temperature = (temperature + dt * gain) / (1.0f + dt * rate) * step->keep;
    float part = tpi_clamp(tpi_abs(temperature) / world->def.heat.range, 0.0f, 1.0f);
    temperature = temperature / (1.0f + dt * radiation * (part * part * part));
    return fire_heat(step, tpi_heat_round(&world->def, temperature));
}

void tpi_vortex_fire_take(const tp_world *world, uint32_t begin, uint32_t end)
{
    const fire_step step = fire_begin(world);
    const float *temperature = tpi_front_kept(world, TPI_KEPT_WARMTH),
                *fuel = tpi_front_kept(world, TPI_KEPT_FUEL);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t cell = fire_cell(world, &step, i), left = fire_fuel(fuel[i]);
        int32_t heat = fire_heat(&step, temperature[i]);
        if (cell != UINT32_MAX) heat = heat - fire_given(&step, heat) + fire_part(&step, cell);
        heat = fire_cool(world, &step, i, heat);
        tpi_back_kept(world, TPI_KEPT_WARMTH)[i] = (float)heat * step.unit;
        tpi_back_kept(world, TPI_KEPT_FUEL)[i] = (float)left / TPI_FUEL_UNITS;
        if (cell != UINT32_MAX && left > 0 && heat >= step.ignition) step.flames[cell]++;
    }
}

/* Heat that is left in fuel: what burns gives the difference, so that both together stay. */
static int32_t fire_stored(const fire_step *step, uint32_t fuel)
{
    return (int32_t)((int64_t)step->flame * fuel >> 16);
}

/* Units of fuel per second as those of a step. */
static uint32_t fire_rate(const tp_world *world, float rate)
{
    return (uint32_t)tpi_min(rate * world->step.timestep * TPI_FUEL_UNITS + 0.5f, 1e9f);
}

/* What burns of `fuel`: as much as the time, the air and the range of temperatures leave. */
static uint32_t fire_burnt(const fire_step *step, uint32_t fuel, uint32_t most, int32_t heat)
{
    uint32_t burnt = tpi_min_u32(fuel, most), room = (uint32_t)(step->range - heat);
    if ((uint32_t)(fire_stored(step, fuel) - fire_stored(step, fuel - burnt)) <= room) return burnt;
    burnt = (uint32_t)(((uint64_t)room << 16) / (uint32_t)step->flame);
    return burnt > 0 ? burnt - 1u : 0u;
}

void tpi_vortex_fire_burn(const tp_world *world, uint32_t begin, uint32_t end)
{
    const fire_step step = fire_begin(world);
    const uint32_t rate = fire_rate(world, world->def.vortex.burning),
                   air = fire_rate(world, world->def.vortex.air);
    float *temperature = tpi_back_kept(world, TPI_KEPT_WARMTH),
          *fuel = tpi_back_kept(world, TPI_KEPT_FUEL);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t left = fire_fuel(fuel[i]), most = rate, cell;
        int32_t heat = fire_heat(&step, temperature[i]);
        if (left == 0 || heat < step.ignition) continue;
        cell = fire_cell(world, &step, i);
        if (world->def.vortex.air > 0.0f && cell != UINT32_MAX)
            most = tpi_min_u32(most, air / tpi_max_u32(step.flames[cell], 1u));
        uint32_t after = left - fire_burnt(&step, left, most, heat);
        heat = heat + fire_stored(&step, left) - fire_stored(&step, after);
        temperature[i] = (float)heat * step.unit;
        fuel[i] = (float)after / TPI_FUEL_UNITS;
    }
}
