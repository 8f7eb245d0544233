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
#include "../../world/wall.h"
#include "dfsph.h"
#include "central.h"
#include "heat.h"
#include "material.h"

typedef struct tpi_sph_constants {
    float inverse_radius;  /* 1/m */
    float norm, near_norm; /* normalisation of the kernels */
    float gradient;        /* correction of the gradient of pressures of an equation of state */
    /* kg: mass of the heaviest species; the unit of mass in impulses and densities */
    float mass_unit;
    float mass_share[TP_SPECIES_MAX];                /* mass / mass_unit, <= 1 */
    float pair_mass[TP_SPECIES_MAX][TP_SPECIES_MAX]; /* 2 m m' / (m + m') of two mass shares */
    tpi_dfsph_constants dfsph;
    tpi_lattice_sums sums; /* the last ones that were made: see tpi_sph_prepare */
} tpi_sph_constants;

/* s: the time step that the published constants of surface tension assume. */
#define TPI_SPH_REFERENCE_STEP (1.0f / 140.0f)

/* What the largest frequency w of the fluid around a particle depends on, besides its sums. The
   stiffnesses of its pairs add up to
       m w^2 = 3 P_n near_norm / h sum (1 - q)^2 + 2 P norm / h sum (1 - q)
   By Hoelder's inequality the sums are at most s = sqrt(n S4) and sqrt(n s), where S4 is the sum
   of (1 - q)^4 that the near density is made of, and n the count of neighbours. Where the pressure
   is small and stiff, sound is faster than that:
       m w^2 = [3/2 k norm^2 s^2 + 2 k_n near_norm^2 S3^2] / (2 h),  S3 the sum of the density
   w^2 is the larger one. */
typedef struct tpi_sph_strain {
    float sum_scale;       /* from a sum of density or near density to a bound of S3 or S4 */
    float bulk, near_bulk; /* factors of s^2 and S3^2, times dt^2 */
    float tension;         /* surface tension of a pair, times dt^2 */
    float viscosity;       /* damping rate of a pair, times dt */
    float spring;          /* stiffness of a spring, times dt^2 */
    /* of a species: mean of the inverses of its mass share and of the smallest one */
    float inverse_mass[TP_SPECIES_MAX];
} tpi_sph_strain;

/* The solver's own arrays: indices into arrays.own. */
enum {
    TPI_SPH_DISTANCE_SUM = 0, /* i32: sum of neighbour distances, with adaptive sub-steps */
    /* of the incompressible fluid: see tpi_dfsph_sums */
    TPI_DFSPH_DIVERGENCE = 1, /* i32 */
    TPI_DFSPH_CHANGE = 2,     /* float */
    TPI_DFSPH_WALL = 3,       /* float, 3 axes */
    TPI_DFSPH_WALL_RATE = 6,  /* float */
    TPI_SPH_HEAT = 7,         /* i32: heat that pairs exchange, in units of temperature */
    TPI_SPH_CENTRAL = 8,      /* tpi_central_constants and arrays */
    /* float, 3 axes, with loads: impulse of the walls on the particle, kg m/s; of the
       incompressible fluid per mass, m/s */
    TPI_SPH_LOAD = 9,
    TPI_SPH_MATERIALS = 12 /* tpi_sph_materials */
};

TPI_INLINE bool tpi_sph_is_incompressible(const tp_world_def *def)
{
    return TPI_HAS_DFSPH && def->sph.formulation == TP_SPH_INCOMPRESSIBLE;
}

/* True if species have unequal masses. */
TPI_INLINE bool tpi_sph_is_mixed(const tp_world_def *def)
{
    bool is_mixed = false;
    for (uint32_t s = 1; s < def->species_count; s++)
        is_mixed = is_mixed || def->species[s].mass != def->species[0].mass;
    return is_mixed;
}

/* True if pressure follows from density by an equation of state. */
TPI_INLINE bool tpi_sph_has_law(const tp_world_def *def)
{
    return def->sph.formulation >= TP_SPH_IDEAL_GAS;
}
/* `surface_tension`, which has the units of the double density's pressures. */
TPI_INLINE float tpi_sph_tension(const tp_world_def *def)
{
    return tpi_sph_has_law(def) ? 0.0f : def->sph.surface_tension;
}

/* The impulses of walls along an axis; null: loads are not measured. */
TPI_INLINE float *tpi_sph_load_of(const tp_world *world, uint32_t axis)
{
    uint32_t offset = TPI_HAS_LOADS ? world->arrays.own[TPI_SPH_LOAD + axis] : 0u;
    return offset ? tpi_floats(world, offset) : NULL;
}

TPI_SOLVER_HOOKS(sph)
/* The default constants. */
TPI_FUNC tp_sph tpi_sph_given(bool is_3d);
/* s: as tp_sph_timestep_limit, whichever solver the definition has. */
TPI_FUNC float tpi_sph_limit(const tp_world_def *def);
#define TPI_SPH_WALL_ROWS 32u
/* The shares of a kernel beyond a plane at distances of k / TPI_SPH_WALL_ROWS support radii.
   Columns: 0 (1 - q)^3, 1 (1 - q)^4. O(1) */
TPI_FUNC const float *tpi_sph_wall_rows(uint32_t dimensions, uint32_t column);
/* Particles per m^2 or m^3 of a species at rest. O(1) */
TPI_FUNC float tpi_sph_rest_count(const tp_world_def *def, uint32_t species);
/* Distance of particles on a square or cubic lattice with this number of them per m^2 or m^3. */
TPI_FUNC float tpi_sph_lattice_spacing(bool is_2d, float count);
/* O(species) */
TPI_FUNC tpi_sph_strain tpi_sph_strain_of(const tp_world_def *def, const tpi_sph_constants *sph,
                                          float timestep);
/* The strain of one particle, from (w dt)^2 and the damping rate times dt: the scheme is stable for
   2 c dt + 3 (w dt)^2 < 4, so the strain is 1 at 0.9 of the longest stable step. The bound of w^2
   is taken as it is times 0.81: power iteration on running scenes gives 0.65 to 0.97 of it. */
#define TPI_SPH_STIFF  (12.0f * 0.81f)
#define TPI_SPH_STRAIN (1.0f / (4.0f * 0.9f))
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

/* Null: all species are alike. */
TPI_INLINE tpi_sph_materials *tpi_materials_of(const tp_world *world)
{
    uint32_t offset = TPI_HAS_TENSION ? world->arrays.own[TPI_SPH_MATERIALS] : 0u;
    return offset ? (tpi_sph_materials *)tpi_at(world, offset) : NULL;
}

/* In a world with heat its constants follow those of the fluid. */
TPI_INLINE tpi_heat_constants *tpi_heat_of(const tp_world *world)
{
    return (tpi_heat_constants *)(void *)(tpi_sph_of(world) + 1);
}

#endif
