/* SPDX-License-Identifier: MIT
   runtime/world/solver.h - what a solver is to the rest of the runtime: eighteen functions, called through one table.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    a comparison a row and call; calls are made by slices and vectors, never by pairs
   after   own design: a solver is a folder below solve/ and one row in solve/solvers.h; without pointers, so that a
           row that is left out takes its code with it, and that the depth of the stack can be told without running */
#ifndef TPI_SOLVER_H
#define TPI_SOLVER_H
#include "block.h"

typedef struct tpi_field_plan tpi_field_plan; /* solve/solve.h */

/* What a solver has, as bits. */
/* particles act on each other: there is a grid, and stages of the solver's own */
#define TPI_SOLVER_NEIGHBOURS 1u
/* half of a kick before the particles move, half behind the forces: tpi_solver_open */
#define TPI_SOLVER_KICKS   2u
#define TPI_SOLVER_LINKS   4u
#define TPI_SOLVER_BOX     8u  /* periodic axes */
#define TPI_SOLVER_COURANT 16u /* it measures the Courant number, so that sub-steps may adapt */

/* Every solver NAME gives these as tpi_NAME_...; the rest of the runtime calls them as
   tpi_solver_..., which choose by the definition. A world without a solver gets 0, false, or
   nothing done. */
#define TPI_SOLVER_HOOKS(name)                                                                             \
    /* ---- definition ---- */                                                                             \
    TPI_FUNC uint32_t tpi_##name##_traits(const tp_world_def *def);                                        \
    /* What is wrong with the fields that belong to it, in every definition, or null. */                   \
    TPI_FUNC const char *tpi_##name##_check_ranges(const tp_world_def *def);                               \
    /* What else is wrong where it is chosen, or null. */                                                  \
    TPI_FUNC const char *tpi_##name##_check(const tp_world_def *def);                                      \
    /* The sentence for lists that make a block of more than 4 GiB. */                                     \
    TPI_FUNC const char *tpi_##name##_oversize(const tp_world_def *def);                                   \
    /* s: the longest stable time step; 0: any. */                                                         \
    TPI_FUNC float tpi_##name##_timestep_max(const tp_world_def *def);                                     \
    TPI_FUNC tpi_neighbour_needs tpi_##name##_needs(const tp_world_def *def);                              \
    /* Levels and cells of a box; false: axes are open. O(species^2) */                                    \
    TPI_FUNC bool tpi_##name##_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box);           \
    /* ---- block ---- */                                                                                  \
    /* Its own arrays, and the bytes of its constants. */                                                  \
    TPI_FUNC uint32_t tpi_##name##_layout(tpi_arrays *arrays, tpi_layout *layout,                          \
                                          const tp_world_def *def);                                        \
    /* Its constants, at arrays.solver, and those of neighbours in world->constants. O(species^2) */       \
    TPI_FUNC void tpi_##name##_derive(tp_world *world);                                                    \
    /* What of a foreign block's arrays of its own cannot be, or null; *offset is the byte. */             \
    TPI_FUNC const char *tpi_##name##_audit(const tp_world *world, uint64_t *offset);                      \
    /* ---- step ---- */                                                                                   \
    /* Whether a step must first compute the forces of the front set. O(1) */                              \
    TPI_FUNC bool tpi_##name##_must_prime(const tp_world *world);                                          \
    /* A slice of at most `units` of the stage step.stage, one of the solver's; returns the units. */      \
    TPI_FUNC uint32_t tpi_##name##_run(tp_world *world, const tp_jobs *jobs, uint32_t units,               \
                                       bool *done);                                                        \
    /* The stage behind step.stage, which is MOVE or one of the solver's; COLLIDE when it is done. O(1) */ \
    TPI_FUNC tp_stage tpi_##name##_next(tp_world *world);                                                  \
    /* Whether the team shares stages PAIRS and FORCE. O(1) */                                             \
    TPI_FUNC bool tpi_##name##_is_shared(const tp_world *world);                                           \
    /* Front and back are exchanged: what of the step may be kept. `is_whole`: no birth, no death. O(1) */ \
    TPI_FUNC void tpi_##name##_exchange(tp_world *world, bool is_whole);                                   \
    /* ---- particles, one a lane ---- */                                                                  \
    /* Units of either half of a kick for one particle, beside its own and those of fields. O(1) */        \
    TPI_FUNC uint32_t tpi_##name##_kick_units(const tp_world *world);                                      \
    /* Half a kick of the particles i .. of the front set whose bit is set. */                             \
    TPI_FUNC void tpi_##name##_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i,         \
                                    uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3]);           \
    /* Writes them to the back set where a kept list, which is valid, expects them. */                     \
    TPI_FUNC void tpi_##name##_place(tp_world *world, uint32_t i, uint32_t count,                          \
                                     const tpi_lanes x[3], const tpi_lanes velocity[3]);                   \
    /* What the forces do to the paths of the particles from index `first` of the back set on. */          \
    TPI_FUNC void tpi_##name##_close(const tp_world *world, const tpi_field_plan *plan,                    \
                                     uint32_t first, uint32_t count, tpi_lanes from[3],                    \
                                     tpi_lanes to[3], tpi_lanes velocity[3]);

TPI_SOLVER_HOOKS(solver)

/* The fields of all solvers of a new definition. O(1) */
TPI_FUNC void tpi_solvers_default(tp_world_def *def);
TPI_INLINE bool tpi_def_has(const tp_world_def *def, uint32_t trait)
{
    return (tpi_solver_traits(def) & trait) != 0;
}
TPI_INLINE bool tpi_has_neighbours(const tp_world *world)
{
    return tpi_def_has(&world->def, TPI_SOLVER_NEIGHBOURS);
}

#endif
