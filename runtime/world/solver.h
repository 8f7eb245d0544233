/* SPDX-License-Identifier: MIT
   runtime/world/solver.h - the interface of a solver: the functions that the rest of the runtime
           calls.
   reads   nothing      writes  nothing: declarations
   memory  none
   cost    one comparison per row and call; called once per slice or vector, never per pair
   after   own design: a solver is a folder below solve/ and one row in solve/solvers.h. The table
           has no function pointers: a row that a build leaves out removes its code, and the stack
           depth can be computed statically */
#ifndef TPI_SOLVER_H
#define TPI_SOLVER_H
#include "block.h"

typedef struct tpi_field_plan tpi_field_plan; /* solve/solve.h */

/* The properties (traits) of a solver, as bits. */
/* particles interact: the world has a grid, and the solver has stages of its own */
#define TPI_SOLVER_NEIGHBOURS 1u
/* kick-drift-kick: half a kick before the particles move, half after the forces; see
   tpi_solver_open */
#define TPI_SOLVER_KICKS     2u
#define TPI_SOLVER_LINKS     4u   /* has links: a fluid, if links_max is not 0 */
#define TPI_SOLVER_BOX       8u   /* supports periodic axes */
#define TPI_SOLVER_STAGES    32u  /* has stages of its own, but no grid */
#define TPI_SOLVER_HOLDS     64u  /* colliders do not move some particles: see tpi_solver_holds */
#define TPI_SOLVER_STRENGTHS 128u /* the numbers that a particle keeps are a vector strength */
#define TPI_SOLVER_SPLITS    256u /* particles may become two: see tpi_solver_splits */
#define TPI_SOLVER_COURANT   16u  /* measures the Courant number, so that sub-steps may adapt */

/* A stage that the solver does not have is an error in the code. The stage ends, so that the step
   does too. */
TPI_INLINE uint32_t tpi_solver_wrong_stage(bool *done)
{
    TP_ASSERT(false);
    *done = true;
    return 0;
}

/* Every solver NAME defines these functions as tpi_NAME_... The rest of the runtime calls them as
   tpi_solver_..., which choose by the definition. In a world without a solver they return 0 or
   false, or do nothing. Those that run stages, and have vectors of particles, are in
   solver_lanes.h. */
#define TPI_SOLVER_HOOKS(name)                                                                     \
    /* ---- definition ---- */                                                                     \
    /* Sets own fields (tpi_solver_: all solvers'); a definition holds zeros before. O(1) */       \
    TPI_FUNC void tpi_##name##_default(tp_world_def *def);                                         \
    TPI_FUNC uint32_t tpi_##name##_traits(const tp_world_def *def);                                \
    /* The first fault in the solver's own fields, of any definition, or null. */                  \
    TPI_FUNC const char *tpi_##name##_check_ranges(const tp_world_def *def);                       \
    /* The first other fault of a definition that selects this solver, or null. */                 \
    TPI_FUNC const char *tpi_##name##_check(const tp_world_def *def);                              \
    /* The message for neighbour lists that would make a block of more than 4 GiB. */              \
    TPI_FUNC const char *tpi_##name##_oversize(const tp_world_def *def);                           \
    /* s: the longest stable time step; 0: no limit. */                                            \
    TPI_FUNC float tpi_##name##_timestep_max(const tp_world_def *def);                             \
    TPI_FUNC tpi_neighbour_needs tpi_##name##_needs(const tp_world_def *def);                      \
    /* Levels of cells and the periodic box; false: all axes are open. O(species^2) */             \
    TPI_FUNC bool tpi_##name##_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box);   \
    /* ---- block ---- */                                                                          \
    /* Lays out the solver's own arrays; returns the bytes of its constants. */                    \
    TPI_FUNC uint32_t tpi_##name##_layout(tpi_arrays *arrays, tpi_layout *layout,                  \
                                          const tp_world_def *def);                                \
    /* Makes what a change to a definition needs and takes long, unless the last call made it. */  \
    /* Null forgets it: the block is not trusted. See tp_world_change */                           \
    TPI_FUNC void tpi_##name##_prepare(tp_world *world, const tp_world_def *def);                  \
    /* Prepares; computes the constants at arrays.solver and world->constants. O(species^2) */     \
    TPI_FUNC void tpi_##name##_derive(tp_world *world);                                            \
    /* Checks its own arrays in an untrusted block: a fault or null; *offset is its byte. */       \
    TPI_FUNC const char *tpi_##name##_audit(const tp_world *world, uint64_t *offset);              \
    /* ---- step ---- */                                                                           \
    /* True if a step must first compute the forces of the front set. O(1) */                      \
    TPI_FUNC bool tpi_##name##_must_prime(const tp_world *world);                                  \
    /* The stage after step.stage, which is MOVE or the solver's; COLLIDE after the last. O(1) */  \
    TPI_FUNC tp_stage tpi_##name##_next(tp_world *world);                                          \
    /* True if threads may share PAIRS and FORCE: the same at every vector width. O(1) */          \
    TPI_FUNC bool tpi_##name##_is_shared(const tp_world *world);                                   \
    /* After the exchange of front and back: marks forces and lists that stay valid. */            \
    /* `is_whole`: no particle was born or died. O(1) */                                           \
    TPI_FUNC void tpi_##name##_exchange(tp_world *world, bool is_whole);                           \
    /* Units of each half kick of one particle, besides its own and those of fields. O(1) */       \
    TPI_FUNC uint32_t tpi_##name##_kick_units(const tp_world *world);                              \
    /* With TPI_SOLVER_SPLITS, after births: true if the particle at `index` of the back set, at \
       x, becomes two, at x - *aside and x + *aside; it then has what each keeps. O(1) */ \
    TPI_FUNC bool tpi_##name##_splits(tp_world *world, uint32_t index, tp_vector x,                \
                                      tp_vector *aside);

TPI_SOLVER_HOOKS(solver)

TPI_INLINE bool tpi_def_has(const tp_world_def *def, uint32_t trait)
{
    return (tpi_solver_traits(def) & trait) != 0;
}
/* Particles are kicked before they move, and the solver's stages follow. */
TPI_INLINE bool tpi_def_has_stages(const tp_world_def *def)
{
    return tpi_def_has(def, TPI_SOLVER_NEIGHBOURS | TPI_SOLVER_STAGES);
}
TPI_INLINE bool tpi_has_strengths(const tp_world *world)
{
    return TPI_HAS_VORTEX && tpi_def_has(&world->def, TPI_SOLVER_STRENGTHS);
}
TPI_INLINE bool tpi_has_splits(const tp_world *world)
{
    return (TPI_HAS_VORTEX || TPI_HAS_CLOTH) && tpi_def_has(&world->def, TPI_SOLVER_SPLITS);
}
TPI_INLINE bool tpi_has_neighbours(const tp_world *world)
{
    return tpi_def_has(&world->def, TPI_SOLVER_NEIGHBOURS);
}

#endif
