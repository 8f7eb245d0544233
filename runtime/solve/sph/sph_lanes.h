/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph_lanes.h - the stages of the fluid, and their effect on particles.
   reads   see the stages      writes  see the stages
   memory  words of the block      cost    see the stages
   after   see sph.c */
#ifndef TPI_SPH_LANES_H
#define TPI_SPH_LANES_H
#include "sph.h"
#include "../../world/solver_lanes.h"

TPI_SOLVER_LANE_HOOKS(sph)

/* Stages, resumable by the cursor. Each clears the sums that it adds to. */
TPI_FUNC uint32_t tpi_sph_density(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_sph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);
TPI_FUNC uint32_t tpi_sph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* Gives the impulses of walls to the colliders, particle by particle; after all that changes them.
   Units per particle: 1, and near walls those of tpi_wall_work_most. */
TPI_FUNC uint32_t tpi_sph_give_loads(tp_world *world, uint32_t units, bool *done);

#if TPI_LANES > 1
/* The pair sweeps of the density and force stages over patches. */
TPI_FUNC uint32_t tpi_sph_density_patches(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                          bool *done);
TPI_FUNC uint32_t tpi_sph_force_patches(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                        bool *done);
#endif

/* Displacements, m per axis, that the impulses of the force stage give to the vector of particles
   at `index`. */
TPI_FUNC void tpi_sph_displacements(const tp_world *world, uint32_t index,
                                    tpi_lanes displacement[3]);

/* ---- the incompressible fluid ---- */

/* The state at the begin of a step: densities, and the first divergence iteration's changes. */
TPI_FUNC uint32_t tpi_dfsph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                     bool *done);
/* All iterations. */
TPI_FUNC uint32_t tpi_dfsph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
/* One slice of a sweep over all pairs; `part`: see dfsph_terms.h. */
TPI_FUNC uint32_t tpi_dfsph_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                  uint32_t part, bool *done);

/* ---- heat ---- */

/* A slice of the passes of heat, before the pressures. cursor.phase is TPI_HEAT_PHASES when all are
   done. */
#define TPI_HEAT_PHASES 3u
TPI_FUNC uint32_t tpi_heat_step(tp_world *world, const tp_jobs *jobs, uint32_t units);
/* Buoyancy of a vector of particles of these species and temperatures: changes velocities. */
TPI_FUNC void tpi_heat_kick(const tp_world *world, const tpi_field_plan *plan,
                            tpi_lane_ints species, const float *temperature, tpi_lanes velocity[3]);

/* ---- surface tension and viscosity of every formulation ---- */

/* One slice of a sweep over all pairs; `part`: see central_terms.h. */
TPI_FUNC uint32_t tpi_central_sweep(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    uint32_t part, bool *done);
/* Passes of viscosity in a sub-step; 0 without. */
TPI_FUNC uint32_t tpi_viscosity_passes(const tp_world *world);
/* One slice of one of these passes. */
TPI_FUNC uint32_t tpi_viscosity_run(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    uint32_t pass, bool *done);

/* ---- walls to which particles stick, in every formulation ---- */

/* True if a world has them. O(1) */
TPI_FUNC bool tpi_sph_sticks(const tp_world *world);
/* One slice of their pass. */
TPI_FUNC uint32_t tpi_sph_stick(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* ---- links and springs ---- */

/* Adds the forces of links of the front set to the velocities of particles of these species and
   indices of the front set, in the lanes whose bits are set. */
TPI_FUNC void tpi_sph_kick_links(const tp_world *world, tpi_lane_ints species, tpi_lane_ints index,
                                 uint32_t bits, tpi_lanes velocity[3]);

/* The flow, the forces and the births of springs. */
TPI_FUNC uint32_t tpi_sph_springs(tp_world *world, uint32_t units, bool *done);

/* ---- the table of formulations ---- */

/* All of them share GRID, the sums of PAIRS and NEAREST; a row has the stages PRESSURE and FORCE of
   a formulation. Columns: value of tp_sph_formulation, true if this build contains it, the function
   of a stage. */
#define TPI_SPH_FORMULATIONS(ROW, stage)                         \
    ROW(TP_SPH_INCOMPRESSIBLE, TPI_HAS_DFSPH, tpi_dfsph_##stage) \
    ROW(TP_SPH_DOUBLE_DENSITY, true, tpi_sph_##stage)            \
    ROW(TP_SPH_IDEAL_GAS, true, tpi_sph_##stage)                 \
    ROW(TP_SPH_WEAKLY_COMPRESSIBLE, true, tpi_sph_##stage)

#endif
