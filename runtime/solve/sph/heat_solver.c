/* SPDX-License-Identifier: MIT
   runtime/solve/sph/heat_solver.c - heat: its definition, constants, arrays, and the sources.
   reads   tp_world_def, fields, colliders      writes  constants, the layout
   memory  none
   cost    O(1); the sources of a particle: O(fields + colliders)
   after   see heat.h */
#include "sph.h"
#include "heat.h"
#include "../../world/check.h"

/* ---- definition ---- */

const char *tpi_heat_check_ranges(const tp_world_def *def)
{
    static const tpi_number_row numbers[] = {
        TPI_NUMBER_ROW(heat.range, 0, 1e6),
        TPI_NUMBER_ROW(heat.diffusivity, 0, 1e4),
    };
    const char *text = tpi_check_rows(def, NULL, 0, numbers, sizeof numbers / sizeof numbers[0]);
    if (text) return text;
    if (def->heat.range != 0.0f && def->heat.range < 1e-3f)
        return TPI_TEXT("heat.range must be 0, or 1e-3 to 1e6");
    for (uint32_t s = 0; s < def->species_count; s++) {
        if (!tpi_is_within(def->species[s].expansion, -1e3f, 1e3f))
            return TPI_TEXT("species.expansion must be -1e3 to 1e3");
        if (!tpi_is_within(def->species[s].buoyancy, 0.0f, 1e3f))
            return TPI_TEXT("species.buoyancy must be 0 to 1e3");
    }
    return NULL;
}

static bool heat_is_asked_for(const tp_world_def *def)
{
    bool is_asked = def->heat.diffusivity != 0.0f;
    for (uint32_t s = 0; s < def->species_count; s++)
        is_asked =
            is_asked || def->species[s].expansion != 0.0f || def->species[s].buoyancy != 0.0f;
    return is_asked;
}

const char *tpi_heat_check(const tp_world_def *def)
{
    if (!TPI_HAS_HEAT && def->heat.range > 0.0f)
        return TPI_TEXT("heat.range must be 0: heat was left out by TP_WITHOUT_HEAT");
    if (def->heat.range == 0.0f && heat_is_asked_for(def))
        return TPI_TEXT("heat.range must be above 0 with heat.diffusivity, species.expansion or "
                        "species.buoyancy: set it to the largest difference of temperatures");
    if (def->heat.range > 0.0f && def->sph.compat)
        return TPI_TEXT("heat.range must be 0 with sph.compat: the published program has no heat");
    return NULL;
}

tpi_heat_lattice tpi_heat_lattice_of(bool is_2d, float spacing)
{
    tpi_lattice_walk walk = tpi_lattice_begin(is_2d, spacing);
    tpi_heat_lattice lattice = {0.0f, 0.0f};
    for (float q; tpi_lattice_next(&walk, &q);) {
        float share = tpi_max(1.0f - q, 0.0f), square = share * share;
        lattice.spread = lattice.spread + square * q * q * q / (q * q + TPI_HEAT_NEAR);
        if (q > 0.0f) lattice.bound = lattice.bound + square * (1.0f + TPI_HEAT_CUBES * share);
    }
    lattice.spread = lattice.spread / (is_2d ? 2.0f : 3.0f);
    return lattice;
}

/* On the lattice a temperature that is quadratic in a coordinate changes at the exact rate. */
static float heat_rate(const tp_world_def *def, const tpi_heat_lattice *lattice)
{
    float h = def->sph.smoothing_radius;
    if (!(lattice->spread > 0.0f)) return 0.0f;
    return 2.0f * def->heat.diffusivity / (lattice->spread * h * h);
}

float tpi_heat_timestep_limit(const tp_world_def *def, float spacing)
{
    tpi_heat_lattice lattice =
        tpi_heat_lattice_of(tpi_def_dimensions(def) == 2, spacing / def->sph.smoothing_radius);
    float share = heat_rate(def, &lattice) * lattice.bound;
    return share > 0.0f ? TPI_HEAT_SHARE / share : FLT_MAX;
}

/* ---- block ---- */

void tpi_heat_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    /* first: vectors of temperatures may end in the next array, and threads add to this one */
    arrays->own[TPI_SPH_HEAT] = tpi_layout_take(layout, "heat", def->particles_max, 4);
    arrays->kept[0][TPI_KEPT_TEMPERATURE] =
        tpi_layout_take(layout, "temperature", def->particles_max, 4);
    arrays->kept[1][TPI_KEPT_TEMPERATURE] =
        tpi_layout_take(layout, "next temperature", def->particles_max, 4);
}

void tpi_heat_derive(const tp_world_def *def, const tpi_lattice_sums *sums,
                     tpi_heat_constants *heat)
{
    float least = def->species[0].mass, largest = least;
    for (uint32_t s = 1; s < def->species_count; s++) {
        least = tpi_min(least, def->species[s].mass);
        largest = tpi_max(largest, def->species[s].mass);
    }
    heat->unit = tpi_heat_unit(def);
    heat->rate = heat_rate(def, &sums->heat);
    heat->nearest = 0.25f * sums->heat_spacing;
    heat->lightest = tpi_sph_has_law(def) ? 1.0f : largest / least;
}

/* ---- sources ---- */

/* A particle's exchange with sources: it approaches the temperature gain / rate at this rate. */
typedef struct heat_exchange {
    float rate; /* 1/s */
    float gain; /* K/s */
} heat_exchange;

static bool heat_conducts(const tpi_collider_item *item)
{
    return item->def.conducts && item->def.shape != TP_COLLIDER_MESH && tpi_is_wall(item);
}

uint32_t tpi_heat_source_units(const tp_world *world)
{
    const uint32_t *colliders = tpi_words(world, world->colliders.slots);
    uint32_t units = tpi_field_heat_units(world);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++)
        if (tpi_pool_is_alive(colliders, slot) && heat_conducts(tpi_collider_at(world, slot)))
            units += 4u;
    return units;
}

/* Between a particle at the distance d from a wall and the fluid's continuation behind it, whose
   temperature is antisymmetric about that of the surface, flows 2 D (T_wall - T) S / d, where S is
   the integral of the kernel over the surface: the slope of its share beyond the wall. */
static void heat_from_wall(const tp_world *world, const tpi_heat_constants *heat, float distance,
                           float temperature, heat_exchange *sum)
{
    const float *rows = tpi_sph_wall_rows(tpi_dimensions(world), 0);
    float inverse = tpi_sph_of(world)->inverse_radius, d = tpi_max(distance, heat->nearest);
    float at = tpi_min(d * inverse, 1.0f) * (float)TPI_SPH_WALL_ROWS;
    uint32_t k = tpi_min_u32((uint32_t)at, TPI_SPH_WALL_ROWS - 1u);
    float slope = (rows[k] - rows[k + 1u]) * (float)TPI_SPH_WALL_ROWS * inverse;
    float rate = 2.0f * world->def.heat.diffusivity * slope / d;
    sum->rate = sum->rate + rate;
    sum->gain = sum->gain + rate * temperature;
}

static void heat_from_walls(const tp_world *world, tp_vector point, uint32_t species,
                            heat_exchange *sum)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const float within = world->constants.smoothing_radius;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !heat_conducts(item) ||
            !(item->def.species_mask >> species & 1u))
            continue;
        const tpi_wall_poses poses = tpi_wall_poses_of(world, item);
        for (uint32_t face = 0; face < tpi_wall_faces(world, item); face++) {
            float distance = tpi_wall_at(world, item, &poses, face, point).distance;
            if (tpi_abs(distance) < within)
                heat_from_wall(world, tpi_heat_of(world), distance, item->def.temperature, sum);
        }
    }
}

/* Implicit, so that no rate is too large. */
float tpi_heat_sources(const tp_world *world, tp_vector point, uint32_t species, float temperature)
{
    heat_exchange sum = {0.0f, 0.0f};
    tpi_field_heat(world, point, species, &sum.rate, &sum.gain);
    heat_from_walls(world, point, species, &sum);
    if (sum.rate == 0.0f && sum.gain == 0.0f) return temperature;
    float dt = world->step.timestep;
    return tpi_heat_round(&world->def, (temperature + dt * sum.gain) / (1.0f + dt * sum.rate));
}
