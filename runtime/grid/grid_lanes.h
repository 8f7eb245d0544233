/* SPDX-License-Identifier: MIT
   runtime/grid/grid_lanes.h - the stages of the grid.
   reads   front set, keys      writes  back set, table, neighbour limits
   memory  words of the block      cost    see the stages
   after   see grid.c and pairs.c */
#ifndef TPI_GRID_LANES_H
#define TPI_GRID_LANES_H
#include "grid.h"
#include "../base/lanes.h"
#include "../world/box_lanes.h"

TPI_FUNC tpi_entry tpi_grid_entry(const tp_world *world, tpi_cell cell);
/* The cell of particle i of the front set after its kick and drift. */
TPI_FUNC tpi_cell tpi_grid_predicted(const tp_world *world, uint32_t i);
/* Sorts the particles of each non-empty entry; cursor.i is the index at which the next entry
   begins. */
TPI_FUNC uint32_t tpi_grid_order(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* Builds the table, and the back set from the front set and the kicked velocities. Particles whose
   key is TPI_KEY_DEAD are omitted. Resumable: cursor.phase and cursor.i. */
TPI_FUNC uint32_t tpi_grid_build(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* Computes the distance and id of the last neighbour kept, for each particle that exceeds the
   neighbour limit. Resumable. */
TPI_FUNC uint32_t tpi_grid_nearest(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);

#endif
