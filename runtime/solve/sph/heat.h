/* SPDX-License-Identifier: MIT
   runtime/solve/sph/heat.h - heat in a fluid: diffusion, sources, and buoyancy.
   reads   front and back temperatures, sums of densities, colliders, fields
   writes  back temperatures, sums of exchanged heat, velocities
   memory  12 bytes per particle, if the world has heat
   cost    one visit per pair, and two units per particle; see TP_STAGE_LIST
   after   Cleary and Monaghan 1999, and Brookshaw 1985. Deviations: all particles have the heat
           capacity and the volume of a particle at rest; a pair exchanges a whole number of units,
           which both sides get; walls are half spaces whose temperature is that of their surface */
#ifndef TPI_SPH_HEAT_H
#define TPI_SPH_HEAT_H
#include "../../world/heat.h"
#include "../solve.h"
#include "lattice.h"

/* A pair at the distance q support radii has the weight w = (1 - q)^2 q / (q^2 + 0.01). Sums of w
   are at most S2 + 4.5 S3, with the sums of (1 - q)^2 and (1 - q)^3. */
#define TPI_HEAT_NEAR  0.01f
#define TPI_HEAT_CUBES 4.5f
/* Largest share of its difference that a particle may exchange in a step. */
#define TPI_HEAT_SHARE 0.9f
typedef struct tpi_heat_constants {
    float unit;     /* K: see world/heat.h */
    float rate;     /* 1/s: share of the difference that a pair of weight 1 exchanges */
    float nearest;  /* m: a particle counts as at least this far from a wall */
    float lightest; /* 1 / the least that a particle adds to densities */
} tpi_heat_constants;

/* ---- definition ---- */
TPI_FUNC const char *tpi_heat_check_ranges(const tp_world_def *def);
/* The checks of a definition with heat; a fault or null. */
TPI_FUNC const char *tpi_heat_check(const tp_world_def *def);
/* s: of a fluid at rest whose particles are `spacing` apart; FLT_MAX without diffusion. */
TPI_FUNC float tpi_heat_timestep_limit(const tp_world_def *def, float spacing);
/* ---- block ---- */
TPI_FUNC void tpi_heat_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def);
TPI_FUNC void tpi_heat_derive(const tp_world_def *def, const tpi_lattice_sums *sums,
                              tpi_heat_constants *heat);
/* ---- particles ---- */
/* Units per particle of the sources of a world. O(fields + colliders) */
TPI_FUNC uint32_t tpi_heat_source_units(const tp_world *world);
/* K: the temperature of a particle after the sources have acted on it for the step. O(fields +
   colliders) */
TPI_FUNC float tpi_heat_sources(const tp_world *world, tp_vector point, uint32_t species,
                                float temperature);

#endif
