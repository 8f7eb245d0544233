/* SPDX-License-Identifier: MIT
   runtime/solve/sph/sph.h - double-density relaxation, 2D and 3D from one source.
   reads   back positions and velocities, species      writes  densities, pressures, impulses
   memory  words of the block by role, see block.h     cost    two sweeps over pairs
   after   Clavet, Beaudoin and Poulin 2005; a published 2D program's form of it, its defects mended unless `compat` */
#ifndef TPI_SPH_H
#define TPI_SPH_H
#include "../../world/block.h"
#include "../../base/lanes.h"

/* Stages, resumable by the cursor. Each clears what it adds to. */
TPI_FUNC uint32_t tpi_sph_density(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_sph_pressure(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_sph_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* What the impulses of the force stage change of the particles from `place` on: displacement in m, axis by axis. */
TPI_FUNC void tpi_sph_displacements(const tp_world *world, uint32_t place, tpi_lanes displacement[3]);

#endif
