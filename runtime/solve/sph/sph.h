/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph.h - double-density relaxation, 2D and 3D from one source.
   reads   back positions and velocities, species      writes  densities, pressures, impulses
   memory  words of the block by role, see block.h     cost    two sweeps over pairs
   after   Clavet, Beaudoin and Poulin 2005; a published 2D program's form of it, its defects mended unless `compat` */
#ifndef TPI_SPH_H
#define TPI_SPH_H
#include "../../world/block.h"
#include "../../base/lanes.h"
#include "../../world/solver.h"

typedef struct tpi_sph_constants {
    float inverse_radius;  /* 1/m */
    float norm, near_norm; /* kernel normalisations */
    /* kg: the heaviest species; impulses and densities count in it */
    float mass_unit;
    float mass_share[TP_SPECIES_MAX];                /* mass / mass_unit, <= 1 */
    float pair_mass[TP_SPECIES_MAX][TP_SPECIES_MAX]; /* 2 m m' / (m + m') of those */
} tpi_sph_constants;

/* Arrays of its own: numbers of arrays.own. */
enum { TPI_SPH_REACH = 0 /* i32: sum of neighbour distances, where sub-steps adapt */ };

TPI_SOLVER_HOOKS(sph)
TPI_FUNC void tpi_sph_default(tp_world_def *def);
/* Sums until PRESSURE turns them into pressures, in the memory of next meta and next birth. */
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

/* Stages, resumable by the cursor. Each clears what it adds to. */
TPI_FUNC uint32_t tpi_sph_density(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_sph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);
TPI_FUNC uint32_t tpi_sph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* What the impulses of the force stage change of the particles from `place` on: displacement in
   m, axis by axis. */
TPI_FUNC void tpi_sph_displacements(const tp_world *world, uint32_t place,
                                    tpi_lanes displacement[3]);

#endif
