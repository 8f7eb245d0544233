/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph.h - particle fluid by double-density relaxation, 2D and 3D from one source.
   reads   back positions and velocities, species      writes  densities, pressures, impulses
   memory  words of the block by role, see block.h     cost    two sweeps over pairs
   after   Clavet, Beaudoin and Poulin 2005, in the form of a published 2D program whose defects are
           corrected unless `compat` */
#ifndef TPI_SPH_H
#define TPI_SPH_H
#include "../../world/block.h"
#include "../../world/solver.h"

typedef struct tpi_sph_constants {
    float inverse_radius;  /* 1/m */
    float norm, near_norm; /* normalisation of the kernels */
    /* kg: mass of the heaviest species; the unit of mass in impulses and densities */
    float mass_unit;
    float mass_share[TP_SPECIES_MAX];                /* mass / mass_unit, <= 1 */
    float pair_mass[TP_SPECIES_MAX][TP_SPECIES_MAX]; /* 2 m m' / (m + m') of two mass shares */
} tpi_sph_constants;

/* The solver's own arrays: indices into arrays.own. */
enum { TPI_SPH_DISTANCE_SUM = 0 /* i32: sum of neighbour distances, with adaptive sub-steps */ };

TPI_SOLVER_HOOKS(sph)
TPI_FUNC void tpi_sph_default(tp_world_def *def);
/* Density sums in the memory of next meta and next birth; the stage PRESSURE turns them into
   pressures. */
TPI_INLINE int32_t *tpi_sph_density_of(const tp_world *world)
{
    return tpi_integers(world, world->arrays.next_meta);
}
TPI_INLINE int32_t *tpi_sph_near_density_of(const tp_world *world)
{
    return tpi_integers(world, world->arrays.next_birth);
}
TPI_INLINE float *tpi_sph_pressure_of(const tp_world *world)
{
    return tpi_floats(world, world->arrays.next_meta);
}
TPI_INLINE float *tpi_sph_near_pressure_of(const tp_world *world)
{
    return tpi_floats(world, world->arrays.next_birth);
}
TPI_INLINE tpi_sph_constants *tpi_sph_of(const tp_world *world)
{
    return (tpi_sph_constants *)tpi_at(world, world->arrays.solver);
}

#endif
