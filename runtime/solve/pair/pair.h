/* SPDX-License-Identifier: MIT
   runtime/solve/pair/pair.h - forces between pairs: Lennard-Jones by species, 2D and 3D, open and periodic.
   reads   back positions, species, neighbour lists      writes  integer forces, lists
   memory  words of the block by role, see block.h       cost    one sweep along the list; one through the grid to build it
   after   Lennard-Jones; velocity Verlet (Swope et al. 1982); lists of Verlet 1967, kept while nobody crosses the skin.
           Forces are a function of the front set's positions alone: what was kept from the step before has the bits
           that computing them anew would give, so that a restored world goes on to the same bits */
#ifndef TPI_PAIR_H
#define TPI_PAIR_H
#include "../solve.h"
#include "../../grid/sweep.h"

/* A pair's force over its distance is strength (u s^3 (s^3 - 1/2) - shift sqrt u) with u = (sigma / r)^2 and s = u; the
   smallest u is that of the overlap distance, so that the force falls to 0 from there to the centre. */

/* Stages, resumable by the cursor. Each clears what it adds to. */
TPI_FUNC uint32_t tpi_pair_list(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_pair_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* First half of the step of particles i .. of the front set, of those whose bit is set: half the drag, half the kick of
   forces and fields. While forces are being primed, nothing. */
TPI_FUNC void tpi_pair_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                            const tpi_lanes x[3], tpi_lanes velocity[3]);
/* Puts them where they were in the storage order, for the kept list; notes when that does not do any more. */
TPI_FUNC void tpi_pair_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                             const tpi_lanes velocity[3]);
/* Second half, of the particles from `place` on, and where their paths begin: the image next to where they end. */
TPI_FUNC void tpi_pair_close(const tp_world *world, const tpi_field_plan *plan, uint32_t place,
                             uint32_t count, tpi_lanes from[3], const tpi_lanes to[3], tpi_lanes velocity[3]);

/* Measures the back set while its table is current, that is when the FORCE stage has come through PAIRS. */
TPI_FUNC void tpi_pair_measure_back(const tp_world *world, tp_pair_report *report);

#endif
