/* SPDX-License-Identifier: MIT
   runtime/world/heat.h - temperatures of particles: the unit that they are multiples of.
   reads   tp_world_def      writes  nothing
   memory  none              cost    O(1)
   after   own design: a temperature is a float that holds a whole number of units, at most 2^23 of
           them, so that sums are exact and heat is conserved to the last bit */
#ifndef TPI_HEAT_H
#define TPI_HEAT_H
#include "solver.h"

/* The temperature among the numbers that a particle of a fluid keeps, K; in smoke, behind its
   strength; and its fuel, in 1 / TPI_FUEL_UNITS. */
#define TPI_KEPT_TEMPERATURE 2u
#define TPI_KEPT_WARMTH      3u
#define TPI_KEPT_FUEL        4u
#define TPI_FUEL_UNITS       65536.0f

TPI_INLINE bool tpi_has_fire(const tp_world_def *def)
{
    return TPI_HAS_FIRE && def->heat.range > 0.0f && tpi_def_has(def, TPI_SOLVER_STRENGTHS);
}
TPI_INLINE bool tpi_has_heat(const tp_world_def *def)
{
    bool is_fluid = TPI_HAS_HEAT && def->solver == TP_SOLVER_SPH && def->heat.range > 0.0f;
    return is_fluid || tpi_has_fire(def);
}
TPI_INLINE uint32_t tpi_kept_temperature(const tp_world_def *def)
{
    return tpi_has_fire(def) ? TPI_KEPT_WARMTH : TPI_KEPT_TEMPERATURE;
}
/* The fuel of a birth. */
TPI_INLINE float tpi_fuel_of(const tp_world_def *def, uint32_t species)
{
    return tpi_has_fire(def) && (def->vortex.fuel_species >> species & 1u) ? 1.0f : 0.0f;
}

/* K: a power of two, 2^-23 of the range or up to twice that. */
TPI_INLINE float tpi_heat_unit(const tp_world_def *def)
{
    uint32_t whole = (tpi_bits(def->heat.range) + 0x7fffffu) & 0x7f800000u;
    return tpi_from_bits(whole) * (1.0f / 8388608.0f);
}

/* The nearest whole number of units within the range; 0 in a world without heat. */
TPI_INLINE float tpi_heat_round(const tp_world_def *def, float temperature)
{
    if (!tpi_has_heat(def)) return 0.0f;
    float unit = tpi_heat_unit(def), range = def->heat.range;
    float units = tpi_clamp(temperature, -range, range) / unit;
    int32_t whole = (int32_t)(units < 0.0f ? units - 0.5f : units + 0.5f);
    return tpi_clamp((float)whole * unit, -range, range);
}

#endif
