/* SPDX-License-Identifier: MIT
   runtime/tidepool.h - the one public header of Tidepool: particles in fixed memory and time.
   reads   definitions, budgets, one block of memory      writes  only inside that block
   memory  what tp_world_memory says, never more          cost    what each call's comment says
   after   Clavet, Beaudoin and Poulin 2005 (double-density relaxation), Teschner et al. 2003
           (spatial hash); deviations are named where they occur

   Tidepool has no joints, rendering, file access, threads of its own, heap or globals.

   Use: define TIDEPOOL_IMPLEMENTATION in exactly one C file before including this header. Other
   files include it plainly, as C99 or C++11. Compile the implementation as C11 with
   -ffp-contract=off and without fast-math; other flags, which change results, are refused.

   Conventions:
   - Units are SI unless a name says otherwise. Angles are in radians. Axes are right-handed, y up.
   - In a 2D world the z of every tp_vector is ignored, as is a field's `axial`; output z is 0.
   - A definition is made by its tp_*_default call, then changed, then checked by tp_*_check.
   - A call returns TP_OK, TP_MORE or an error. Comments list errors without "TP_ERROR_".
   - `Cost` is the worst case, in the capacities of the definition.
   - "Restarts the step": a step in progress is discarded and computed again (steps_restarted).
   - runtime/guide/api.md has the long contracts, by topic. */
#ifndef TIDEPOOL_H
#define TIDEPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* major * 10000 + minor * 100 + patch */
#define TP_VERSION 100

/* ---------------------------------- results --------------------------------------------------- */

/* Every result and its text: what is wrong and what to do. Negative values are errors. */
#define TP_RESULT_LIST(ITEM)                                                                    \
    ITEM(TP_OK, 0, "done")                                                                      \
    ITEM(TP_MORE, 1, "the budget ended before the work: call again in the next frame")          \
    ITEM(TP_ERROR_NULL, -1,                                                                     \
         "a required pointer is null: pass the object; "                                        \
         "a budget of microseconds needs clock_us, and jobs need run")                          \
    ITEM(TP_ERROR_STAMP, -2,                                                                    \
         "the definition was not made by the tp_*_default call of this version: "               \
         "call that first")                                                                     \
    ITEM(TP_ERROR_DEFINITION, -3,                                                               \
         "a field or an argument is out of range, or the world was made without what the call " \
         "needs: tp_*_check names the field, the call's comment other cases")                   \
    ITEM(TP_ERROR_MEMORY, -4,                                                                   \
         "the block is smaller than the size query says: pass at least that many bytes")        \
    ITEM(TP_ERROR_ALIGNMENT, -5, "the block is not aligned to 16 bytes: align it")              \
    ITEM(TP_ERROR_CONTRACTION, -6,                                                              \
         "compiled with fused multiply-add: add -ffp-contract=off "                             \
         "to the flags of the file that defines TIDEPOOL_IMPLEMENTATION")                       \
    ITEM(TP_ERROR_FULL, -7,                                                                     \
         "a pool is full and its policy is to refuse: "                                         \
         "raise its capacity (the report's pools say which); "                                  \
         "or all particle ids have been given: create a new world; "                            \
         "or an output array is too small: pass a larger one")                                  \
    ITEM(TP_ERROR_HANDLE, -8,                                                                   \
         "the handle, id or index names nothing: it was removed, or is of another world")       \
    ITEM(TP_ERROR_BLOCK, -9,                                                                    \
         "the block does not hold a world, cache, player or timeline of this version: "         \
         "create it first")                                                                     \
    ITEM(TP_ERROR_FRAME, -10,                                                                   \
         "the frame is not in the cache and cannot be simulated from here: "                    \
         "rewind or record it")                                                                 \
    ITEM(TP_ERROR_PROTECTED, -11, "the cache is baked and protected: unprotect it first")       \
    ITEM(TP_ERROR_SOURCE, -12,                                                                  \
         "the source does not have the streams of the recorded frames: "                        \
         "use the source that recorded them")                                                   \
    ITEM(TP_ERROR_COLLIDER_COST, -13,                                                           \
         "the collider cannot be used in this world: tp_collider_check says why")               \
    ITEM(TP_ERROR_FAST_MATH, -14,                                                               \
         "compiled with parts of fast-math: remove -ffast-math, -funsafe-math-optimizations, "  \
         "-fassociative-math and -freciprocal-math "                                            \
         "from the flags of the file that defines TIDEPOOL_IMPLEMENTATION")                     \
    ITEM(TP_ERROR_CLIP, -15,                                                                    \
         "the clip is damaged or truncated, or this is not a clip: "                            \
         "the fault names the byte and what was expected there")                                \
    ITEM(TP_ERROR_CLIP_LIMIT, -16,                                                              \
         "the clip has larger blocks, larger tiles or more points than the definition allows: " \
         "the fault says which")                                                                \
    ITEM(TP_ERROR_EMPTY, -17,                                                                   \
         "the query or the shadow is not complete: "                                            \
         "call tp_query_update or tp_shadow_update until it returns TP_OK")                     \
    ITEM(TP_ERROR_QUERY, -18,                                                                   \
         "a number of the question is not finite, beyond 1e9 m or out of its range: "           \
         "the comments of tidepool.h give the ranges")                                          \
    ITEM(TP_ERROR_BODY, -19,                                                                    \
         "the collider belongs to a body, which moves it: "                                     \
         "call tp_body_set or tp_body_remove first")

typedef enum tp_result {
#define TP_RESULT_ENUM(name, value, text) name = value,
    TP_RESULT_LIST(TP_RESULT_ENUM)
#undef TP_RESULT_ENUM
} tp_result;

/* The text of a result; never null. Cost: O(1). */
const char *tp_result_text(tp_result result);

/* Parts that a small build may leave out. Define these macros for every file, by the compiler's
   flags. Definitions, blocks and hashes stay those of a complete build. A definition that needs
   a missing part is refused with a text that names the macro. The calls of a missing part do not
   link.
     TP_WITHOUT_3D         worlds of three dimensions
     TP_WITHOUT_SPH        the solver SPH
     TP_WITHOUT_DFSPH      its incompressible fluid
     TP_WITHOUT_HEAT       heat in fluids
     TP_WITHOUT_TENSION    its cohesion and viscosity
     TP_WITHOUT_SPRINGS    its springs
     TP_WITHOUT_PAIR       the solver PAIR, tables, links and periodic boxes, also those of fluids
     TP_WITHOUT_CLOTH      the solver CLOTH
     TP_WITHOUT_VORTEX     the solver VORTEX
     TP_WITHOUT_EMITTERS   emitters and sinks; tp_particle_add adds particles
     TP_WITHOUT_FIELDS     fields
     TP_WITHOUT_COLLIDERS  colliders
     TP_WITHOUT_LOADS      the loads of colliders, and bodies
     TP_WITHOUT_BODIES     bodies
     TP_WITHOUT_CHANGES    changes of emitters, sinks, colliders and settings; edits by id and
                           words; poses from angles
     TP_WITHOUT_EVENTS     events, and emitters that they feed
     TP_WITHOUT_DRAW       drawing: tp_world_draw, pictures between frames, depth, ages, curves
     TP_WITHOUT_EDGES      colliders of edges, meshes in 2D
     TP_WITHOUT_CACHE      caches and sources
     TP_WITHOUT_CLIPS      clips, players and timelines
     TP_WITHOUT_QUERIES    queries, rays, and rooms of meshes
     TP_WITHOUT_LIGHT      light at points
     TP_WITHOUT_TEXTS      the texts of results and checks
   Presets define some of them; runtime/guide/small.md has their sizes and compile times:
     TP_PRESET_FLUID_2D    a fluid in two dimensions
     TP_PRESET_FLUID_3D    a fluid in two or three dimensions
     TP_PRESET_PARTICLES   particles that do not interact
     TP_PRESET_PAIRS       pair forces and hard spheres
   All four presets keep emitters, fields and colliders, and leave out cloth, vortices, loads,
   bodies, changes, events, drawing, queries, light, caches and clips; all but FLUID_2D edges.
   Those of fluids leave out heat, cohesion, viscosity and springs, too. */
#if defined(TP_PRESET_FLUID_2D) && !defined(TP_WITHOUT_3D)
#define TP_WITHOUT_3D
#endif
#if defined(TP_PRESET_FLUID_2D) || defined(TP_PRESET_FLUID_3D)
#ifndef TP_WITHOUT_HEAT
#define TP_WITHOUT_HEAT
#endif
#ifndef TP_WITHOUT_TENSION
#define TP_WITHOUT_TENSION
#endif
#ifndef TP_WITHOUT_SPRINGS
#define TP_WITHOUT_SPRINGS
#endif
#endif
#if defined(TP_PRESET_PARTICLES) || defined(TP_PRESET_PAIRS)
#ifndef TP_WITHOUT_SPH
#define TP_WITHOUT_SPH
#endif
#endif
#if defined(TP_PRESET_FLUID_2D) || defined(TP_PRESET_FLUID_3D) || defined(TP_PRESET_PARTICLES)
#ifndef TP_WITHOUT_PAIR
#define TP_WITHOUT_PAIR
#endif
#endif
#if defined(TP_PRESET_FLUID_2D) || defined(TP_PRESET_FLUID_3D) || defined(TP_PRESET_PARTICLES) || \
    defined(TP_PRESET_PAIRS)
#ifndef TP_WITHOUT_CLOTH
#define TP_WITHOUT_CLOTH
#endif
#ifndef TP_WITHOUT_VORTEX
#define TP_WITHOUT_VORTEX
#endif
#ifndef TP_WITHOUT_LOADS
#define TP_WITHOUT_LOADS
#endif
#ifndef TP_WITHOUT_CHANGES
#define TP_WITHOUT_CHANGES
#endif
#ifndef TP_WITHOUT_EVENTS
#define TP_WITHOUT_EVENTS
#endif
#ifndef TP_WITHOUT_DRAW
#define TP_WITHOUT_DRAW
#endif
#if !defined(TP_PRESET_FLUID_2D) && !defined(TP_WITHOUT_EDGES)
#define TP_WITHOUT_EDGES
#endif
#ifndef TP_WITHOUT_BODIES
#define TP_WITHOUT_BODIES
#endif
#ifndef TP_WITHOUT_CACHE
#define TP_WITHOUT_CACHE
#endif
#ifndef TP_WITHOUT_CLIPS
#define TP_WITHOUT_CLIPS
#endif
#ifndef TP_WITHOUT_QUERIES
#define TP_WITHOUT_QUERIES
#endif
#ifndef TP_WITHOUT_LIGHT
#define TP_WITHOUT_LIGHT
#endif
#endif
#if !defined(TIDEPOOL_IMPLEMENTATION)
#define TP_OMITTED
#elif defined(__GNUC__)
#define TP_OMITTED static __attribute__((unused))
#else
#define TP_OMITTED static
#endif
#ifdef TP_WITHOUT_PAIR
#define TP_OF_PAIR TP_OMITTED
#else
#define TP_OF_PAIR
#endif
#ifdef TP_WITHOUT_CLOTH
#define TP_OF_CLOTH TP_OMITTED
#else
#define TP_OF_CLOTH
#endif
#if defined(TP_WITHOUT_VORTEX) || defined(TP_WITHOUT_3D)
#define TP_OF_VORTEX TP_OMITTED
#else
#define TP_OF_VORTEX
#endif
#ifdef TP_WITHOUT_SPH
#define TP_OF_SPH TP_OMITTED
#else
#define TP_OF_SPH
#endif
#if defined(TP_WITHOUT_SPH) || defined(TP_WITHOUT_SPRINGS)
#define TP_OF_SPRINGS TP_OMITTED
#else
#define TP_OF_SPRINGS
#endif
#ifdef TP_WITHOUT_EMITTERS
#define TP_OF_EMITTERS TP_OMITTED
#else
#define TP_OF_EMITTERS
#endif
#ifdef TP_WITHOUT_FIELDS
#define TP_OF_FIELDS TP_OMITTED
#else
#define TP_OF_FIELDS
#endif
#ifdef TP_WITHOUT_COLLIDERS
#define TP_OF_COLLIDERS TP_OMITTED
#else
#define TP_OF_COLLIDERS
#endif
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_LOADS)
#define TP_OF_LOADS TP_OMITTED
#else
#define TP_OF_LOADS
#endif
#ifdef TP_WITHOUT_CHANGES
#define TP_OF_CHANGES TP_OMITTED
#else
#define TP_OF_CHANGES
#endif
#if defined(TP_WITHOUT_EMITTERS) || defined(TP_WITHOUT_CHANGES)
#define TP_OF_EMITTER_CHANGES TP_OMITTED
#else
#define TP_OF_EMITTER_CHANGES
#endif
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_CHANGES)
#define TP_OF_COLLIDER_CHANGES TP_OMITTED
#else
#define TP_OF_COLLIDER_CHANGES
#endif
#ifdef TP_WITHOUT_EVENTS
#define TP_OF_EVENTS TP_OMITTED
#else
#define TP_OF_EVENTS
#endif
#ifdef TP_WITHOUT_DRAW
#define TP_OF_DRAW TP_OMITTED
#else
#define TP_OF_DRAW
#endif
#if defined(TP_WITHOUT_EMITTERS) || defined(TP_WITHOUT_DRAW)
#define TP_OF_AGES TP_OMITTED
#else
#define TP_OF_AGES
#endif
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_LOADS) || defined(TP_WITHOUT_BODIES)
#define TP_OF_BODIES TP_OMITTED
#else
#define TP_OF_BODIES
#endif
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_DRAW)
#define TP_OF_POSES TP_OMITTED
#else
#define TP_OF_POSES
#endif
#ifdef TP_WITHOUT_CACHE
#define TP_OF_CACHE TP_OMITTED
#else
#define TP_OF_CACHE
#endif
#ifdef TP_WITHOUT_CLIPS
#define TP_OF_CLIPS TP_OMITTED
#else
#define TP_OF_CLIPS
#endif
#ifdef TP_WITHOUT_QUERIES
#define TP_OF_QUERIES TP_OMITTED
#else
#define TP_OF_QUERIES
#endif
#ifdef TP_WITHOUT_LIGHT
#define TP_OF_LIGHT TP_OMITTED
#else
#define TP_OF_LIGHT
#endif

#if defined(__GNUC__) && !defined(__cplusplus)
#define TP_CHECKED __attribute__((warn_unused_result))
#else
#define TP_CHECKED
#endif

/* ---------------------------------- vocabulary ------------------------------------------------ */

typedef struct tp_vector {
    float x, y, z;
} tp_vector;

typedef struct tp_quaternion {
    float w, x, y, z; /* unit length; 2D: a turn by a is cos(a/2), 0, 0, sin(a/2): tp_pose_make */
} tp_quaternion;

typedef struct tp_pose {
    tp_vector position;
    tp_quaternion rotation;
} tp_pose;

/* Poses for 2D, by the sine of the runtime. Angles are counterclockwise, -8192..8192; that
   of a pose is 2 atan2(rotation.z, rotation.w). Other angles, and those that are not a number, give
   a rotation of 0, which calls refuse: an endless turn needs tp_pose_turn. Cost of all: O(1). */
/* A pose at x, y, turned by an angle. */
TP_OF_CHANGES tp_pose tp_pose_make(float x, float y, float angle);
/* The pose turned by one more angle about its position, in 3D about the z axis of the world. Its
   rotation stays of unit length after any number of turns. */
TP_OF_CHANGES tp_pose tp_pose_turn(tp_pose pose, float angle);
/* A point of a thing that is at a pose, in world coordinates; in 3D, too. */
TP_OF_CHANGES tp_vector tp_pose_point(tp_pose pose, tp_vector point);

/* Handles: a slot of 16 bits and a generation of 16 bits. Zero is no object. A slot whose
   generations are used up is retired. */
typedef struct tp_emitter {
    uint32_t id;
} tp_emitter;
typedef struct tp_sink {
    uint32_t id;
} tp_sink;
typedef struct tp_field {
    uint32_t id;
} tp_field;
typedef struct tp_collider {
    uint32_t id;
} tp_collider;
typedef struct tp_link {
    uint32_t id;
} tp_link;
typedef struct tp_body {
    uint32_t id;
} tp_body;

/* One simulation with its own memory, settings and clock. It lies at the start of its block and
   holds offsets, no addresses. A copy of the block, at any address aligned to 16, is a snapshot
   that resumes to the same bits. */
typedef struct tp_world tp_world;

/* Time is counted in ticks. A frame has this many, divisible by 1 to 16: sub-steps are equal. */
#define TP_TICKS_PER_FRAME 720720u

#define TP_SPECIES_MAX 8u
/* Id of the last particle that a world can create; after it the world refuses births. */
#define TP_ID_LAST 0xfffffffeu

/* ---------------------------------- the world ------------------------------------------------- */

typedef enum tp_solver {
    TP_SOLVER_NONE = 0, /* particles do not interact */
    TP_SOLVER_SPH = 1,  /* fluid by smoothed-particle hydrodynamics, see tp_sph_formulation */
    /* forces or collisions between pairs, see tp_potential; needs TP_INTEGRATOR_KDK */
    TP_SOLVER_PAIR = 2,
    /* nodes of cloths and ropes, held together by distance constraints, see tp_cloth */
    TP_SOLVER_CLOTH = 3,
    /* air or water that vortices move, see tp_vortex */
    TP_SOLVER_VORTEX = 4
} tp_solver;

typedef enum tp_integrator {
    TP_INTEGRATOR_EULER = 0, /* symplectic Euler: v += a dt, x += v dt */
    TP_INTEGRATOR_KDK = 1    /* kick-drift-kick leapfrog (velocity Verlet); not with SPH */
} tp_integrator;

/* What happens to the unfinished work of a frame when the budget ends. */
typedef enum tp_overload {
    /* go on next frame from the same point; catch up in frames with budget to spare */
    TP_OVERLOAD_CARRY = 0,
    /* as carry, but with fewer, longer time steps within the stability limit */
    TP_OVERLOAD_COARSEN = 1,
    /* go on next frame; time owed is dropped and counted, never caught up */
    TP_OVERLOAD_DROP = 2
} tp_overload;

/* What a full particle pool does with a birth. */
typedef enum tp_pool_policy {
    /* the birth is refused and counted; so is every birth after TP_ID_LAST */
    TP_POOL_REFUSE = 0,
    /* births of emitters replace the particles with the lowest ids; counted */
    TP_POOL_RECYCLE = 1
} tp_pool_policy;

/* One kind of particle. */
typedef struct tp_species {
    /* kg, > 0, default 1. Particles of an incompressible fluid have one volume at rest, so this is
       their density; at most 10 times that of the lightest species */
    float mass;
    float radius; /* m, for colliders, >= 0, default 0.05 */
    /* SPH only, in units of the kernel, for a mass of 1; default 82 (3D: 1041), for particles
       0.1 m apart. Particles that start closer are compressed and need shorter sub-steps. */
    float rest_density;
    /* true: moves exactly with the medium (wind, vortex) and feels no force; TP_SOLVER_NONE only */
    bool is_tracer;
    /* J: depth of the pair potential within this species, 1e-6..1e6, default 1; 0: none. If it
       is 0 for all species, neighbours are not searched and only links act. */
    float epsilon;
    float sigma; /* m: distance at which the pair potential is 0, > 0, default 1 */
    /* SPH with heat: see tp_heat; -1e3..1e3 1/K and 0..1e3, default 0 */
    float expansion, buoyancy;
    /* SPH: the species' share of the fluid's viscosities (sph.viscosity and those linear and
       quadratic), and of its sph.cohesion and surface_tension, 0..1, default 1; see tp_sph_mix */
    float viscosity, cohesion;
    /* SPH: N/m (2D: N): work that parts it from a m^2 of wall, 0..1e6, default 0. With cohesion it
       sets the contact angle: 90 degrees at 0.26 of it. Limits a sub-step */
    float stickiness;
    float friction; /* times the friction of colliders, 0..1e3, default 1 */
} tp_species;

/* How the SPH solver computes a fluid. */
typedef enum tp_sph_formulation {
    /* relaxation of two densities (Clavet et al. 2005): soft, the cheapest */
    TP_SPH_DOUBLE_DENSITY = 0,
    /* divergence-free SPH (DFSPH, Bender and Koschier 2015) with a fixed number of iterations:
       keeps its volume and comes to rest. Its pressures are part of the state. */
    TP_SPH_INCOMPRESSIBLE = 1,
    /* pressure c^2 (rho - rho0) (Mueller et al. 2003): simple, and takes most sub-steps */
    TP_SPH_IDEAL_GAS = 2,
    /* Tait's equation, c^2 rho0 / 7 ((rho / rho0)^7 - 1) (WCSPH, Becker and Teschner 2007) */
    TP_SPH_WEAKLY_COMPRESSIBLE = 3
} tp_sph_formulation;

/* Shares of viscosity and cohesion between two species of a fluid, as those of tp_species. Pairs of
   species that are not listed have the harmonic mean of the viscosities, each times its mass, as
   two layers in shear have, and no cohesion. Between particles friction is the viscosity of the
   pair, and stickiness its cohesion. At walls stickiness is that of the species, and friction that
   of the species times that of the collider. */
typedef struct tp_sph_mix {
    uint16_t first, second; /* different species */
    float viscosity, cohesion;
} tp_sph_mix;
#define TP_SPH_MIX_MAX 8u /* so few, as each definition has room for them */

/* Constants of the SPH solver; runtime/guide/physics.md has the equations. Stiffnesses and
   surface_tension are of the double density only; linear and quadratic viscosity and rest densities
   of all but the incompressible fluid. */
typedef struct tp_sph {
    tp_sph_formulation formulation; /* default TP_SPH_INCOMPRESSIBLE; without it the first one */
    /* m: support radius of the kernel, > 0, default 0.3 (3D: 0.2). Incompressible: 2.5 (3D: 2)
       times the distance of particles at rest, so that is 0.12 (3D: 0.1) m */
    float smoothing_radius;
    float stiffness;           /* default 0.08 (3D: 0.0006, where kernels weigh more) */
    float near_stiffness;      /* default 0.1 (3D: 0.00075) */
    float surface_tension;     /* default 0.0004 (3D: 0.00002), for the reference step of 1/140 s */
    float viscosity_linear;    /* default 0.5 (3D: 0.4) */
    float viscosity_quadratic; /* default 1.0 (3D: 0.6) */
    /* s: limit of a sub-step, 1e-5..1, default 0.0056 (3D: 0.0042): 3 (4) sub-steps at 60 Hz;
       longer sub-steps are never taken. Those above tp_sph_timestep_limit are refused. A frame has
       more, substeps.count_max at most, while its largest frequency w needs w dt < 1.04. */
    float timestep_max;
    /* neighbour limit of a particle, 4..255, default 40 (3D: 64) */
    uint32_t neighbours_max;
    /* limit of particles of one cell that take part in pairs, 4..64, default 64 */
    uint32_t cell_max;
    /* incompressible: iterations per sub-step against compression, 1..16, default 2, and against
       approach, 0..16, default 1. Each visits all pairs twice. */
    uint32_t density_iterations, divergence_iterations;
    /* incompressible: share of the speed between neighbours that viscosity removes per sub-step,
       weighted by the kernel, 0..0.5, default 0.2; with unequal masses less, see the guide */
    float smoothing;
    /* m/s: of the ideal gas and the weakly compressible fluid, > 0, default 20. A depth H is
       compressed by g H / c^2. The step limit is about 0.4 (3D: 0.27) smoothing_radius / c */
    float sound_speed;
    /* N/m (2D: N): surface tension of any formulation, 0..1e6, default 0, between particles of one
       species, or see tp_sph_mix. Steps: at most .24 (3D: .186) sqrt(rho h^3 / (2 pi cohesion)) */
    float cohesion;
    /* m^2/s: kinematic viscosity of any formulation, 0..1e4, default 0; stable for any sub-step.
       What `smoothing` does counts towards it. Walls that do not move hold the fluid. Each species
       has it, whatever its mass, times its share, species.viscosity */
    float viscosity;
    /* limit of iterations k for viscosity, 1..32, default 6. A sub-step visits all pairs 2 k times,
       with the k that viscosity dt / spacing^2 needs. Above about 0.09 k^2 (3D: 0.03 k^2; unequal
       masses: half of it) a limit of k acts like a smaller viscosity. */
    uint32_t viscosity_iterations;
    /* viscoelastic fluid: capacity of springs of a particle, 0..64, default 0: none. A pair within
       the support radius gets a spring, which one of the two keeps, chosen by the ids; so half the
       number of neighbours is enough. At the capacity the nearest are kept (ties by id), counted.
       Not for the incompressible fluid */
    uint32_t springs_max;
    /* springs are born in the first so many frames only; 0, the default: in all */
    uint32_t spring_frames;
    /* 1/s^2: acceleration of a pair per m of stretch, 0..1e6, default 1000, times 1 - rest length /
       support radius */
    float spring_stiffness;
    /* 1/s: rate at which the stretch beyond the yield becomes rest length, 0..1e4, default 3 */
    float spring_plasticity;
    float spring_yield; /* share of the rest length below which it stays, 0..1, default 0.1 */
    uint32_t mix_count; /* 0..8, default 0 */
    tp_sph_mix mix[TP_SPH_MIX_MAX];
    /* false: compact, half the memory for about twice the work, same bits */
    bool stores_neighbours;
    /* true: keeps the defects of the published 2D program: surface tension that depends on dt,
       viscosity that breaks momentum for unequal masses, walls that only push, no step limit */
    bool compat;
    /* ideal gas and weakly compressible: true keeps pressures below 0. A surface holds together,
       and particles with few neighbours clump */
    bool allows_tension;
    /* true: a spring is born with the distance of its pair as rest length, so that a body keeps its
       shape; false: with the support radius, where its force is 0 (Clavet et al. 2005) */
    bool springs_at_rest;
} tp_sph;

/* Heat in a fluid or smoke. A particle has a temperature T, K above that of the surroundings, or a
   share of gas that diffuses as heat does. Temperatures are whole numbers of units, at most 2^23
   of them: without sources their sum never changes. Gravity g of fields accelerates a particle by
   g (1 - buoyancy - expansion T) in all (Boussinesq): `expansion` of its species is that of its
   volume per kelvin, and `buoyancy` the share of its weight that surroundings carry which are not
   simulated; above 1 for a lighter gas. Sources: emitters, colliders that conduct, TP_FIELD_HEAT.
   With the solver VORTEX and a grid, tracers and vortons have it; see tp_vortex. */
typedef struct tp_heat {
    /* K: temperatures are within -range..range; 1e-3..1e6, or 0 (default): no heat, no cost */
    float range;
    /* m^2/s, 0..1e4, default 0. A sub-step is at most about 0.2 (3D: 0.12) spacing^2 / diffusivity:
       see tp_sph_timestep_limit */
    float diffusivity;
} tp_heat;

/* What two particles at distance r do to each other.
   Lennard-Jones: V(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) for r < cutoff, 0 beyond.
   Hard spheres: no interaction beyond sigma. Closer pairs that approach exchange the speed along
   their line of centres; all closer pairs are moved apart to sigma, each particle by the mass
   share of the other. In one round a particle collides with one partner, the deepest (ties by
   id); a time step has contact_iterations rounds. Limits: runtime/guide/api.md, pair forces. */
typedef enum tp_potential {
    /* less V(cutoff): the energy is continuous, the force has a small jump at the cutoff */
    TP_POTENTIAL_LENNARD_JONES = 0,
    /* epsilon, cutoff and overlap have no effect */
    TP_POTENTIAL_HARD_SPHERE = 1,
    TP_POTENTIAL_TABLE = 2, /* samples given by tp_pair_table_set */
    /* Lennard-Jones, less (r - cutoff) V'(cutoff) too: the force is continuous */
    TP_POTENTIAL_LJ_FORCE_SHIFT = 3
} tp_potential;

/* Epsilon and sigma between two species. Pairs of species that are not listed follow the
   Lorentz-Berthelot rule: geometric mean of the epsilons, arithmetic mean of the sigmas. */
typedef struct tp_pair_mix {
    uint16_t first, second; /* species */
    float epsilon;          /* J */
    float sigma;            /* m */
} tp_pair_mix;
#define TP_PAIR_MIX_MAX 28u /* every pair of different species */

/* Constants of the PAIR solver. Lengths in sigmas: of the pair (cutoff, overlap), of the largest
   sigma (skin). Forces are sums of integers, so Newton's third law holds to the last bit and the
   order of pairs has no effect. One count is neighbours_max / 2^31 of the force at the overlap
   distance, at most 2e-4 epsilon/sigma with the defaults. A grid has cells of up to four sizes;
   this changes no bit unless a limit is hit. Details: runtime/guide/api.md, pair forces. */
typedef struct tp_pair {
    tp_potential potential; /* default TP_POTENTIAL_LENNARD_JONES */
    /* capacity of the table in samples of 16 bytes: 5..4097 with TP_POTENTIAL_TABLE, else 0 */
    uint32_t table_max;
    float cutoff; /* sigmas, 1..8, default 2.5 */
    /* sigmas, 0.5..1 (tables: from 0.0625), default 0.7. At smaller distances the force falls
       linearly to 0 at the centre: nothing is infinite, the energy is consistent; counted. */
    float overlap;
    /* sigmas, 0..2, default 0.3: Verlet skin. Lists hold pairs within cutoff + skin and are kept
       until two particles may have crossed the skin. 0: lists are built in every step. Changes
       no bit, except through the size of cells that hold more than cell_max. Lists are kept only
       while no cell can exceed cell_max, and half the skin exceeds the rounding of the box. Up to
       a tenth narrower in a periodic box, if one more cell then fits along an axis. */
    float skin;
    /* J (Boltzmann's constant is 1): of the thermostat, 0..1e6, default 0 */
    float temperature;
    /* 1/s: Langevin thermostat, noise and drag in balance, 0..1e4; 0: none (default). The noise
       is a sum of four uniform numbers: the kurtosis of speeds is 3 - 0.15 friction * timestep
       while that is small, 2.7 where it is large. */
    float friction;
    /* s: stability limit, default 0.01, for masses, epsilons and sigmas of 1; see tp_link_def */
    float timestep_max;
    float restitution; /* hard spheres: coefficient of restitution, 0..1, default 1 */
    /* N: limit of the force of one link, 1e-6..1e12, default 1e6, in fluids too. Larger forces are
       clamped at both ends and counted. Forces are sums of integers: 2^-46 of this limit each */
    float link_force_max;
    /* hard spheres: rounds of collisions per step, 1..64, default 4; each visits all pairs once.
       Pairs that are left wait for the next step; counted. */
    uint32_t contact_iterations;
    /* neighbour limit of a particle, within the cutoff (hard spheres: 1.1 sigmas), 4..255, default
       40 (3D: 128); also the capacity of the list, which holds the pairs within cutoff + skin */
    uint32_t neighbours_max;
    /* limit of particles of one cell that take part in pairs, 4..255, default 255. Cells are
       cutoff + skin wide; in a box with n cells along an axis up to (n + 1) / n times that. */
    uint32_t cell_max;
    /* false: no list, less memory, more work, the same bits as without skin */
    bool stores_neighbours;
    uint32_t mix_count; /* 0..TP_PAIR_MIX_MAX, default 0 */
    tp_pair_mix mix[TP_PAIR_MIX_MAX];
} tp_pair;

/* How the CLOTH solver integrates its constraints. */
typedef enum tp_cloth_integrator {
    /* extended position-based dynamics with small steps (XPBD, Macklin et al. 2019): stable for any
       stiffness, loses energy as backward Euler does */
    TP_CLOTH_XPBD = 0,
    /* damped springs of stiffness 1 / compliance with symplectic Euler: keeps energy. Stiff springs
       take more sub-steps than timestep_max does, substeps.count_max at most */
    TP_CLOTH_EXPLICIT = 1,
    /* these springs with backward Euler (Baraff and Witkin 1998). Of both, springs that need more
       sub-steps or `iterations` are softened, see steps_strained */
    TP_CLOTH_IMPLICIT = 2
} tp_cloth_integrator;

/* Constants of the CLOTH solver. Particles are the nodes of sheets; particles that belong to no
   sheet fly free. Each sub-step moves every node, then visits the distance constraints, colour by
   colour: no two of a colour share a node. Tethers then keep each node within its distance along
   the sheet from its nearest pinned node (Kim et al. 2012). Then colliders act. Removing a node by
   a call, sink, collider or limit ends the constraints of all sheets. */
typedef struct tp_cloth {
    uint32_t sheets_max;      /* 0..1024, default 1: capacity of grids, ropes and meshes */
    uint32_t constraints_max; /* 0..100000000, default 0: six per node are enough for grids */
    /* 0..100000000, default 0: of triangles that air acts on, two per cell of a grid; 2D: 0 */
    uint32_t triangles_max;
    /* s: limit of a sub-step, 1e-5..1, default 0.00167: 10 sub-steps at 60 Hz */
    float timestep_max;
    /* s, 0..1, default 0.0001: time within which the ends of a stiff constraint lose their relative
       speed along it, at the cost of stretch while it is not far below a sub-step; explicit: the
       damping of a spring over its stiffness, which shortens the stable step */
    float damping;
    /* kg/m^3, 0..10000, default 0: density of the air times the drag coefficient C of a plate
       across it. Half of it times the area and the square of the wind's speed along the normal
       pushes a triangle along its normal; wind and vortex fields are the wind. Needs triangles */
    float air;
    /* m, 0 or 1e-4..1e4, default 0, sheets pass through each other: nodes keep this distance, but
       not those less than twice as far apart in their sheet at rest; 0.8 of their spacing is apt */
    float thickness;
    float friction; /* of these contacts, 0..10, default 0.5 */
    /* 0..100, default 0: none: strain beyond which a constraint breaks after a sub-step. Its
       triangles then catch no air, see tp_cloth_triangles */
    float tear;
    /* 0..0.9, default 0: none: strain beyond which the rest length of a constraint follows its
       length; 0..10, default 0.5: limit of the strain of the rest length itself */
    float yield, yield_max;
    /* 0..10, default 0: none: limit of the strain of kind STRETCH. After the constraints, passes
       over their colours shorten those that are longer; 1..16 passes, default 4 */
    float limit;
    uint32_t limit_passes;
    /* 0..100000000, default 0: five per cell of a block; 2D, or not TP_CLOTH_XPBD: 0 */
    uint32_t tetrahedra_max;
    tp_cloth_integrator integrator; /* default TP_CLOTH_XPBD */
    uint32_t iterations; /* TP_CLOTH_IMPLICIT: of conjugate gradients, 1..100, default 20 */
    uint32_t ties_max;   /* 0..65536, default 0: see tp_cloth_tie */
    /* 0..100000000, default 0: of kind FOLD, three per node of a grid, 3/2 per triangle of a mesh;
       2D, with wear, or not TP_CLOTH_XPBD: 0 */
    uint32_t folds_max;
    /* m, 0 or thickness..1e4, default 0: only nodes keep apart. Else a point and a triangle do too,
       and two edges: those of triangles_max and of ropes, of which none may be longer at rest,
       diagonals included. A thickness of 0.3 to 0.5 of the spacing is apt. 2D, or with wear: 0 */
    float edge_max;
    /* 0..65536, default 0: spare nodes. An edge of a triangle that tears then splits one of its
       ends, and no triangle is lost; each needs 1 of particles_max, 2 of constraints_max */
    uint32_t splits_max;
} tp_cloth;

/* Constants of the VORTEX solver. A particle with a strength is a vorton, see tp_particle_strength;
   its strength is vorticity times volume, in 2D a circulation along z, m^2/s. Vortons move every
   particle, by a smoothed Biot-Savart law (Rosenhead 1930, Moore 1972; 2D: Krasny 1986), and turn
   and stretch each other. Wind and vortex fields move particles along; forces and drag do not.
   Steps are midpoint steps. Velocities are the air's. Particles without a strength are tracers. */
typedef struct tp_vortex {
    /* 0..4096, default 256: capacity; a sub-step takes two sums over all of them for each particle,
       and two more for each vorton */
    uint32_t vortons_max;
    float core;         /* m, 1e-4..1e4, default 0.1: radius within which vortons are smooth */
    float strength_max; /* m^3/s, 1e-6..1e6, default 1e6: limit of each strength; counted */
    /* 1/s, 0..1000, default 100: strengths grow by exp(growth_max dt) a step at most; counted */
    float growth_max;
    float timestep_max; /* s: limit of a sub-step, 1e-5..1, default 0.0167 */
    /* m^2/s, 0..1000, default 0: vortons exchange strength (Degond and Mas-Gallic 1989). A crowd
       exchanges at most half of its strengths in a sub-step */
    float viscosity;
    float volume; /* m^3 of air of a vorton, for its viscosity: 1e-12..1e9, default 0.001 */
    /* nodes along each axis of a grid, 2^k + 1 each, 5..65; 0 (default, all three): no grid, but
       sums. With a grid, in 3D, the velocity is the curl of a vector potential that multigrid finds
       twice in a sub-step, at a constant cost per particle. A vorton is as smooth as a cell; one
       outside the grid, or closer than a cell to its faces, does not act. Beyond the grid the
       velocity is that of its faces */
    uint32_t grid_nodes[3];
    float grid_spacing; /* m, 1e-4..1e4, default 0.1 */
    tp_vector grid_low; /* m, the lowest corner, -1e6..1e6, default 0 */
    /* TP_AXIS bits, default 0: along these the grid is where vortons are, by whole cells from
       grid_low: their bounds are in its middle, or if these exceed it the mean of their places */
    uint32_t grid_follows;
    /* 1: no air flows through the faces of the grid, and slips along them; 0 (default): open */
    uint32_t grid_closed;
    /* m^4/s^2, -1e6..1e6, default 0: what a particle of `lift_species` at birth adds to the air
       around it: volume times buoyant acceleration. Needs a grid. Where the lift of the air changes
       sideways, the vortons of the cell get its curl; only the air between vortons rises */
    tp_vector lift;
    float cooling;         /* 1/s, 0..1000, default 0: lift is exp(-cooling age) of that at birth */
    uint32_t lift_species; /* bit s: particles of species s have lift; default 0 */
    /* bit s: particles of species s are vortons, even without a strength; default 0 */
    uint32_t vorton_species;
    /* 1/s, 0..1000, default 0: how fast air within a cell of colliders takes their velocity. Needs
       a grid. Vortons there get the vorticity, and loads and bodies the opposite impulse */
    float grip;
    float density; /* kg/m^3 of the air, for loads: 1e-6..1e6, default 1.2 */
    /* Fire, with heat.range above 0: lift is that times T / range then, and T falls by `cooling`.
       Bit s: births of species s hold a unit of fuel; default 0. Warmer than `ignition`, K, a
       particle burns `burning` of it per second, and those of a cell `air` together (0: no limit);
       a unit warms it by `flame`, K. All 0..1e6, default 0 */
    uint32_t fuel_species;
    float ignition, burning, air, flame;
    float radiation; /* 1/s, 0..1e6, default 0: cools by (T / range)^3 of T per second */
    /* m, 0..1e4, default 0: needs a grid; vortons at most so far apart, nearly parallel, become one
       of the strength and impulse of both. One dies, without an event */
    float merge;
    /* m^3/s, 0..1e6, 0 (default): none; a stronger vorton becomes two of half its strength, half a
       core apart along it (with a grid half a cell). One of them is new, without heat and fuel */
    float split;
} tp_vortex;

#define TP_AXIS_X 1u
#define TP_AXIS_Y 2u
#define TP_AXIS_Z 4u

/* How a frame is divided into sub-steps. */
typedef struct tp_substeps {
    /* sub-steps per frame, or their least number; 1..100, default 1. timestep_max may need more */
    uint32_t count;
    /* adaptive, SPH, or TP_CLOTH_EXPLICIT: limit of sub-steps per frame, count..101, default 8.
       Without is_adaptive a frame whose number changes with the state has up to twice as many */
    uint32_t count_max;
    bool is_adaptive; /* by Courant number; default false */
    /* true: the published rule, which oscillates a little, instead of the corrected one */
    bool compat;
    float courant; /* target Courant number, > 0, default 0.2 */
} tp_substeps;

/* Settings and capacities of a world. */
typedef struct tp_world_def {
    uint32_t stamp;         /* set by tp_world_default, checked by every use */
    uint32_t dimensions;    /* 2 or 3 */
    uint32_t particles_max; /* 1..16777215 */
    uint32_t emitters_max;  /* 0..1024, default 4 */
    /* 0..24, default 4; TP_UNITS_OVERRUN covers the sinks and fields of one particle */
    uint32_t sinks_max;
    uint32_t fields_max;    /* 0..24, default 4 */
    uint32_t colliders_max; /* 0..1024, default 8 */
    uint32_t links_max;     /* 0..16384, default 0; only with the solvers PAIR and SPH */
    /* 0..colliders_max, 64 at most, default 0; above 0 loads are measured, too */
    uint32_t bodies_max;
    uint32_t geometry_bytes_max; /* pool for meshes, heightfields and distance grids; default 0 */
    /* capacity of the ring of events, and limit of those of one step, 0..65536, default 0: none */
    uint32_t events_max;
    /* TP_EVENT_BIT of each kind that the ring holds but trails, default 0; not 0 if events_max is
       above 0, and 0 if that is 0 */
    uint32_t event_kinds;
    uint32_t event_species; /* bit s: events of particles of species s; default all */
    /* limit of the events of one step that feed emitters, 0..16384, default 0: none, at no cost;
       see feed_kinds of tp_emitter_def */
    uint32_t feeds_max;
    uint32_t frames_per_second_numerator;   /* 1..65535, default 60 */
    uint32_t frames_per_second_denominator; /* 1..65535, default 1 */
    uint32_t seed;                          /* of all random numbers, default 1 */
    uint32_t world_id; /* gives worlds with equal seeds different random numbers, default 0 */
    /* bound of one slice, 64..65536, default 2048. An indivisible item that was started is
       finished, see TP_UNITS_OVERRUN; the overrun is charged to the next slices. */
    uint32_t slice_units;
    uint32_t lag_frames_max; /* carry: limit of owed frames, 1..64, default 4 */
    tp_solver solver;
    tp_integrator integrator;
    tp_overload overload;
    tp_pool_policy pool_policy;
    /* 4 bytes per particle: birth time, needed by sinks by age and by lifetimes; default true */
    bool keeps_births;
    /* sums what particles do to each collider, see tp_load; default false. Not with sph.compat */
    bool measures_loads;
    /* tp_emitter_set, tp_sink_set, tp_collider_set and tp_world_change may be called; default
       false. Takes TP_CHANGE_BYTES */
    bool takes_changes;
    /* 8 bytes per particle: a word of the application for each, see tp_view; default false */
    bool keeps_words;
    /* 16 (3D: 24) bytes per particle: where it was when the last frame began, for
       tp_world_between; default false */
    bool keeps_last_frame;
    /* 136 bytes per field, which TP_WORLD_BYTES counts: over_age may be set; default false */
    bool keeps_curves;
    /* m/s, 1e-12..1e6; 0 (default): no limit, except one smoothing radius per sub-step (SPH).
       Clamped speeds are counted. */
    float speed_max;
    /* m/s, 0..1e6, default 0.5: contacts at a lower speed towards the surface are no events */
    float event_speed;
    tp_species species[TP_SPECIES_MAX];
    uint32_t species_count; /* 1..TP_SPECIES_MAX, default 1 */
    tp_substeps substeps;
    tp_sph sph;
    tp_heat heat;
    tp_pair pair;
    tp_cloth cloth;
    tp_vortex vortex;
    /* TP_AXIS_... bits, default 0; with the solvers PAIR and SPH. Along these axes positions are
       kept in box_low <= x < box_low + box_size, and pairs interact across the sides. */
    uint32_t periodic_axes;
    tp_vector box_low; /* m, -1e6..1e6, default 0; periodic axes only */
    /* m, at least twice the longest cutoff (SPH: four times smoothing_radius) and 1e-6 of box_low,
       at most 1e6, default 10; SPH: no side farther from 0 than 1e5 of smoothing_radius */
    tp_vector box_size;
} tp_world_def;

/* Defaults for 2 or 3 dimensions; others give one that tp_world_check refuses. Cost: O(1). */
tp_world_def tp_world_default(uint32_t dimensions);

/* Null if good, else a sentence that names the first wrong field and its range. Cost: O(1). */
const char *tp_world_check(const tp_world_def *definition);

/* Sets the fields of a definition for an incompressible fluid of particles `spacing` apart, m:
   formulation, smoothing_radius, timestep_max for a gravity of 9.81 m/s^2 (proportional to
   1 / sqrt(gravity)), and the species' radii. Start lattices with this spacing, the first row half
   of it from a wall. Cost: O(1). */
TP_OF_SPH void tp_sph_incompressible(tp_world_def *definition, float spacing);

/* Sets the fields of a definition for a double-density fluid of particles `spacing` apart, m, that
   behaves as the default fluid at 0.1 m with lengths in spacings and times in sqrt(spacing):
   formulation, smoothing_radius, stiffnesses, surface_tension, viscosities, timestep_max,
   substeps.count_max, and the species' radii and rest densities. Set the frame rate before.
   Cost: O(1). */
TP_OF_SPH void tp_sph_double_density(tp_world_def *definition, float spacing);

/* Sets the fields of a definition for an ideal gas of particles `spacing` apart, m, which its
   weight compresses by 1 % in a fluid `depth` deep, m, or where it flows at sqrt(g depth), m/s:
   formulation, smoothing_radius, sound_speed, surface_tension 0, viscosity_linear, timestep_max,
   substeps.count_max, and the species' radii and rest densities. Set the species' masses, the
   cohesion and the frame rate before. Cost: O(1). */
TP_OF_SPH void tp_sph_ideal_gas(tp_world_def *definition, float spacing, float depth);

/* As tp_sph_ideal_gas, for a weakly compressible fluid: Tait's equation. Cost: O(1). */
TP_OF_SPH void tp_sph_weakly_compressible(tp_world_def *definition, float spacing, float depth);

/* s: the longest sub-step at which the fluid of a definition is stable at its rest density; 0
   without a fluid. Cost: O(1). */
TP_OF_SPH float tp_sph_timestep_limit(const tp_world_def *definition);

/* Size of the block for this definition, in bytes.
   Errors: NULL, STAMP, DEFINITION. Cost: O(1). */
TP_CHECKED tp_result tp_world_memory(const tp_world_def *definition, size_t *bytes);

/* One named part of a block. */
typedef struct tp_memory_part {
    const char *name;
    uint32_t bytes;
    uint32_t count; /* items in it */
} tp_memory_part;

#define TP_MEMORY_PARTS_MAX 96u

/* The parts of the block in order: at most TP_MEMORY_PARTS_MAX of them, and their number. Their
   bytes add up to the result of tp_world_memory.
   Errors: NULL, STAMP, DEFINITION. Cost: O(parts). */
TP_CHECKED tp_result tp_world_memory_parts(const tp_world_def *definition, tp_memory_part *parts,
                                           uint32_t *count);

/* Upper bounds of tp_world_memory as constant expressions, for static arrays. A world needs the
   first one plus those of the parts that it uses. neighbours_max: 0 for a world that stores no
   neighbours. pools: emitters, sinks, fields and colliders together. */
#define TP_WORLD_BYTES(dimensions, particles_max, neighbours_max, pools, geometry_bytes)           \
    (8448u + (uint32_t)(particles_max) * ((dimensions) == 2 ? 84u : 104u) +                        \
     (uint32_t)(geometry_bytes) +                                                                  \
     ((neighbours_max) ? (uint32_t)(particles_max) * (24u + 2u * (uint32_t)(neighbours_max)) + 16u \
                       : 0u) +                                                                     \
     (uint32_t)(pools)*416u)

/* added with TP_SPH_INCOMPRESSIBLE: pressures, their changes, divergences, walls */
#define TP_INCOMPRESSIBLE_BYTES(dimensions, particles_max) \
    ((uint32_t)(particles_max) * (28u + (dimensions)*4u) + 160u)
/* added with heat.range above 0 */
#define TP_HEAT_BYTES(particles_max) ((uint32_t)(particles_max)*12u + 96u)
/* added with sph.viscosity; with sph.cohesion alone 8 (3D: 12) bytes per particle */
#define TP_VISCOSITY_BYTES(particles_max) (((uint32_t)(particles_max) + 32u) * 44u + 64u)
/* added if a species of a fluid has a viscosity, cohesion or stickiness of its own, or sph.mix */
#define TP_MATERIAL_BYTES 896u
/* added with the solver PAIR and stores_neighbours: positions, and sums of forces; with a skin the
   positions when the lists were built */
#define TP_PAIR_BYTES(particles_max) ((uint32_t)(particles_max)*44u + 96u)
/* added with TP_POTENTIAL_HARD_SPHERE */
#define TP_HARD_SPHERE_BYTES(particles_max) ((uint32_t)(particles_max)*12u + 48u)
/* added with links */
#define TP_LINK_BYTES(dimensions, particles_max, links_max) \
    ((uint32_t)(links_max)*48u + (uint32_t)(particles_max) * (dimensions)*8u + 1152u)
/* added with the solver CLOTH */
#define TP_CLOTH_BYTES(dimensions, particles_max, sheets_max, constraints_max)               \
    ((uint32_t)(particles_max) * (12u + (dimensions)*4u) + (uint32_t)(constraints_max)*16u + \
     (uint32_t)(sheets_max)*64u + 512u)
/* added with cloth.thickness */
#define TP_TOUCH_BYTES(dimensions, particles_max) \
    ((uint32_t)(particles_max) * (120u + (dimensions)*4u) + 2048u)
/* added with cloth.edge_max */
#define TP_GRAZE_BYTES(particles_max, triangles_max) \
    ((uint32_t)(particles_max)*648u + (uint32_t)(triangles_max)*12u + 896u)
/* added with cloth.triangles_max */
#define TP_TRIANGLE_BYTES(triangles_max) ((uint32_t)(triangles_max)*12u + 16u)
/* added with TP_CLOTH_EXPLICIT; with TP_CLOTH_IMPLICIT */
#define TP_EXPLICIT_BYTES(particles_max) ((uint32_t)(particles_max)*8u + 32u)
#define TP_IMPLICIT_BYTES(dimensions, particles_max, constraints_max) \
    ((uint32_t)(particles_max) * (8u + (dimensions)*12u) + (uint32_t)(constraints_max)*4u + 1280u)
/* added with cloth.tetrahedra_max */
#define TP_TETRA_BYTES(tetrahedra_max) ((uint32_t)(tetrahedra_max)*12u + 48u)
/* added with cloth.tear or cloth.yield */
#define TP_WEAR_BYTES(constraints_max, triangles_max) \
    ((uint32_t)(constraints_max)*8u + (uint32_t)(triangles_max)*12u + 32u)
/* added with cloth.splits_max */
#define TP_SPLIT_BYTES(particles_max, constraints_max, triangles_max, splits_max) \
    ((uint32_t)(particles_max)*8u + (uint32_t)(constraints_max)*8u +              \
     (uint32_t)(triangles_max)*12u + (uint32_t)(splits_max)*40u + 512u)
/* added with cloth.ties_max */
#define TP_TIE_BYTES(ties_max) ((uint32_t)(ties_max)*48u + 48u)
/* added with cloth.folds_max */
#define TP_FOLD_BYTES(folds_max) ((uint32_t)(folds_max)*36u + 160u)
/* added with the solver VORTEX */
#define TP_VORTEX_BYTES(particles_max, vortons_max) \
    ((uint32_t)(particles_max)*36u + (uint32_t)(vortons_max)*48u + 1024u)
/* added with vortex.viscosity, lift or grip */
#define TP_VORTEX_GAIN_BYTES(vortons_max) ((uint32_t)(vortons_max)*12u + 256u)
/* added with vortex.grid_nodes; `nodes`: their product; with heat.range above 0 */
#define TP_VORTEX_GRID_BYTES(nodes)         ((uint32_t)(nodes)*64u + 4096u)
#define TP_VORTEX_HEAT_BYTES(particles_max) ((uint32_t)(particles_max)*16u + 384u)
/* added with TP_POTENTIAL_TABLE */
#define TP_PAIR_TABLE_BYTES(table_max) ((uint32_t)(table_max)*16u)

/* added with measures_loads; with sph.viscosity 24 (particles_max + 32) more */
#define TP_LOAD_BYTES(dimensions, particles_max, colliders_max) \
    ((uint32_t)(particles_max) * (dimensions)*4u + (uint32_t)(colliders_max)*256u + 64u)

/* added with takes_changes. pools: emitters, sinks and colliders together */
#define TP_CHANGE_BYTES(pools) ((uint32_t)(pools)*192u + 1488u)
/* added with keeps_words; with keeps_last_frame */
#define TP_WORD_BYTES(particles_max) ((uint32_t)(particles_max)*8u + 64u)
#define TP_LAST_FRAME_BYTES(dimensions, particles_max) \
    ((uint32_t)(particles_max) * (dimensions)*8u + 128u)
/* added with events_max; with feeds_max (and 32 per emitter, which TP_WORLD_BYTES counts); with
   kinds of contacts or changes, or with feeds_max */
#define TP_EVENT_BYTES(events_max)      ((uint32_t)(events_max)*160u)
#define TP_FEED_BYTES(feeds_max)        ((uint32_t)(feeds_max)*80u)
#define TP_CONTACT_BYTES(particles_max) ((uint32_t)(particles_max)*8u + 64u)
/* added with bodies_max above 0, to TP_LOAD_BYTES */
#define TP_BODY_BYTES(bodies_max) ((uint32_t)(bodies_max)*1960u + 64u)

/* The sum for a fluid of any formulation with all settings that have no capacity of their own:
   heat, viscosity, materials, loads, bodies, changes, words, the last frame, contacts. Only links,
   events, feeds, springs and geometry are added. A multiple of 16; at most twice what is needed. */
#define TP_FLUID_BYTES(dimensions, particles_max, neighbours_max, pools)                        \
    ((TP_WORLD_BYTES(dimensions, particles_max, neighbours_max, pools, 0) +                     \
      TP_INCOMPRESSIBLE_BYTES(dimensions, particles_max) + TP_HEAT_BYTES(particles_max) +       \
      TP_VISCOSITY_BYTES(particles_max) + TP_MATERIAL_BYTES +                                   \
      TP_LOAD_BYTES(dimensions, particles_max, pools) + ((particles_max) + 32u) * 24u +         \
      TP_BODY_BYTES(pools) + TP_CHANGE_BYTES(pools) + TP_WORD_BYTES(particles_max) +            \
      TP_LAST_FRAME_BYTES(dimensions, particles_max) + TP_CONTACT_BYTES(particles_max) + 15u) & \
     ~15u)

/* Creates a world in `block`, `bytes` long and aligned to 16. The definition is copied.
   Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH.
   Cost: O(particles_max), to clear the block. */
TP_CHECKED tp_result tp_world_create(const tp_world_def *definition, void *block, size_t bytes,
                                     tp_world **world);

/* The world inside a block that was copied or moved; null if the block holds none. Only the head
   of the block is checked: pass a block from a network or a file to tp_world_verify.
   Cost: O(1). */
tp_world *tp_world_at(void *block, size_t bytes);

/* What is wrong with the bytes of a block. */
typedef struct tp_block_fault {
    uint64_t offset;      /* byte of the block */
    const char *expected; /* what belongs there; null: nothing was wrong */
} tp_block_fault;

/* The world inside a block from outside, which may be damaged, truncated or forged.
   - Checked: every number used as an index, a count or a definition, and that particles are
     finite.
   - A world that passes stays inside its block, ends its calls and keeps its budgets.
   - A good world passes and goes on to the same bits.
   - Restarts the step, and the next step builds new neighbour lists; both cost units. With
     TP_OVERLOAD_COARSEN other time steps may follow.
   - A forgery with legal values passes. Sign snapshots that must be authentic.
   `fault` may be null. After an error the block is unchanged.
   Errors: NULL, ALIGNMENT, MEMORY (the block is truncated), BLOCK (`fault` says where).
   Cost: O(particles + geometry_bytes_max + (emitters_max + colliders_max)^2). */
TP_CHECKED tp_result tp_world_verify(void *block, size_t bytes, tp_block_fault *fault,
                                     tp_world **world);

/* The definition that the world was made with, or has after changes, also one that waits: change a
   copy. Null for a null or foreign world. Cost: O(1). */
const tp_world_def *tp_world_definition(const tp_world *world);

/* Changes settings of a world while it runs: constants of fluids, heat and pair forces, radii,
   speed_max, overload. `definition` is that of the world except for the fields that change.
   - Changes of the world, emitters, sinks and colliders all take effect when the next simulated
     frame begins: at once if the world is between two frames, else when the frame in progress has
     ended with the old settings. Until then a newer one of the same object replaces the one before.
   - They restart no step and need a world with takes_changes. A frame of it costs 16 units, 1 per
     emitter and sink, 2 per collider. The call makes what new densities of a fluid need.
   - Rewinding to an earlier frame brings back the settings of that frame.
   Errors: NULL, BLOCK, STAMP, DEFINITION (tp_world_change_check says why). Cost: O(species^2). */
TP_OF_CHANGES TP_CHECKED tp_result tp_world_change(tp_world *world, const tp_world_def *definition);

/* Null if the world may change to this definition, else a sentence that names the first field that
   is wrong or may not change: capacities, the frame rate, the solver, seeds, sub-steps, slices,
   masses, support radii, cutoffs, boxes, and what adds memory to the block.
   Cost: O(species^2). */
TP_OF_CHANGES const char *tp_world_change_check(const tp_world *world,
                                                const tp_world_def *definition);

/* ---------------------------------- emitters and sinks ---------------------------------------- */

typedef enum tp_emitter_shape {
    TP_EMITTER_POINT = 0,
    TP_EMITTER_SEGMENT = 1, /* from -size.x to +size.x along local x */
    TP_EMITTER_DISC = 2,    /* radius size.x in the local x-z plane (2D: the segment) */
    TP_EMITTER_SPHERE = 3,  /* volume of radius size.x (2D: disc) */
    TP_EMITTER_BOX = 4,     /* volume with half sides `size` */
    TP_EMITTER_MESH = 5     /* uniformly on the triangles */
} tp_emitter_shape;

typedef struct tp_emitter_def {
    uint32_t stamp;
    tp_emitter_shape shape;
    tp_pose pose;
    tp_vector size; /* m, meaning by shape */
    uint32_t species;
    uint32_t rate_numerator;   /* particles per second = numerator / denominator; 0: none */
    uint32_t rate_denominator; /* 1..65535, default 1 */
    uint32_t burst_count;      /* particles born at once when the emitter starts */
    /* m; > 0: births fill the box shape with a square (cubic) lattice instead of random positions:
       from a point in the lowest corner on, x first, then y, then z, 1 + 2 size / spacing per axis.
       A burst takes its points once, births by rate in turn. A box that is flat along the velocity,
       with a rate of points * speed / lattice_spacing, makes straight rows at that spacing */
    float lattice_spacing;
    uint32_t start_frame;  /* first frame that it emits in */
    uint32_t stop_frame;   /* first frame that it does not emit in; 0: never stops */
    uint32_t total_max;    /* limit of births, then it stops; 0: no limit */
    tp_vector velocity;    /* m/s, local, at birth */
    float velocity_jitter; /* m/s: a random vector of at most this length is added */
    float position_jitter; /* m: a random vector of at most this length is added */
    float inherit;         /* share of the emitter's own velocity that is added, 0..1, default 0 */
    /* age at death, at most 4293525855; 0: no limit. Needs keeps_births. */
    uint32_t lifetime_ticks;
    float lifetime_jitter; /* 0..1: each lifetime is shortened by a random share up to this one */
    float temperature;     /* K: of births, in a world with heat, -1e6..1e6, default 0 */
    uint32_t word;         /* of births, in a world with keeps_words, default 0; see tp_group */
    /* m^2/s, 2D m/s; -1e6..1e6, default 0: births are vortons, of this strength times the axis y of
       the pose cross their way from it; vortex.strength_max at most, counted */
    float strength;
    /* TP_EVENT_BIT of each kind of event that feeds the emitter (deaths, contacts begun, trails,
       broken links and springs), default 0: none. Needs a world with feeds_max; rate_numerator,
       burst_count and lattice_spacing 0. See below */
    uint32_t feed_kinds;
    uint32_t feed_species;    /* bit s: events of particles of species s; default all */
    uint32_t feed_deaths;     /* bit of each tp_death; default sink, lifetime and collider */
    float feed_speed;         /* m/s: contacts begun slower than this feed nothing, 0..1e6 */
    uint32_t feed_ticks;      /* trails: age between two events; default a frame */
    uint32_t feed_births;     /* births per event, 1..1024, default 1 */
    uint32_t feed_births_max; /* limit of births in one step, 1..65536, default 1024 */
    /* m: trails: way between two events, 1e-6..1e6, instead of feed_ticks; default 0: by age */
    float feed_distance;
    const tp_vector *vertices; /* mesh: copied into the geometry pool */
    uint32_t vertex_count;
    const uint32_t *indices; /* three per triangle */
    uint32_t triangle_count;
} tp_emitter_def;

/* An emitter that events feed emits where they happen: its pose is relative to the point of the
   event (contacts begun: a radius above the surface), and `inherit` is the share of the particle's
   velocity there.
   - Events are those of tp_event that a step finds before its births, whether the world keeps them
     or not: event_species and event_speed filter them, event_kinds does not. They feed in their
     order: of kinds, then ids. Births, and ends of contacts, feed nothing; deaths of lost particles
     neither.
   - Of a step, feeds_max events feed; the others count as feeds_dropped of the report. Births
     beyond feed_births_max count as births_limited, and as refused, as births without a place in
     the pool do: under TP_POOL_RECYCLE no particle dies for them.
   - Its own particles may feed it: the limits bound each step.
   - In a fluid they are fluid: see runtime/guide/api.md for sparks and foam that push no water.
   Cost: 2 units per event and 4 to sort it; 1 per event and emitter; with trails 1 per particle,
   and per 4 emitters of each. */

/* Defaults. Cost: O(1). */
TP_OF_EMITTERS tp_emitter_def tp_emitter_default(void);

/* Null if good, else a sentence that names the first wrong field and its range. Cost: O(mesh). */
TP_OF_EMITTERS const char *tp_emitter_check(const tp_world *world,
                                            const tp_emitter_def *definition);

/* Adds an emitter. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL (pool or geometry). Cost: O(emitters_max + mesh). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_add(tp_world *world,
                                                   const tp_emitter_def *definition,
                                                   tp_emitter *emitter);

/* Moves an emitter to `pose` at constant velocity during the next simulated frame. Restarts no
   step.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (not finite, or too far). Cost: O(1). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_move(tp_world *world, tp_emitter emitter,
                                                    tp_pose pose);

/* Births so far and refused births so far. Either pointer may be null.
   Errors: NULL, BLOCK, HANDLE. Cost: O(1). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_count(const tp_world *world, tp_emitter emitter,
                                                     uint64_t *born, uint64_t *refused);

/* Replaces the settings of an emitter when the next frame begins: see tp_world_change. A rate of 0
   closes it.
   - It keeps its handle, its pose (tp_emitter_move changes that), the fraction of a birth that it
     owes, the number of its births and with it its random numbers.
   - Births of a burst are those of burst_count beyond the births by bursts so far. total_max counts
     earlier births, too.
   - A lifetime is that of all its particles, also of those that live.
   - A mesh stays as it is: neither the shape nor fields of meshes may change to or from it.
   Errors: NULL, BLOCK, STAMP, HANDLE, DEFINITION (tp_emitter_set_check says why). Cost: O(mesh). */
TP_OF_EMITTER_CHANGES TP_CHECKED tp_result tp_emitter_set(tp_world *world, tp_emitter emitter,
                                                          const tp_emitter_def *definition);

/* Changes the rate alone, as tp_emitter_set does, to numerator / denominator births per second. A
   change that waits keeps its other settings.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (no takes_changes, or another rate). Cost: O(mesh). */
TP_OF_EMITTER_CHANGES TP_CHECKED tp_result tp_emitter_rate(tp_world *world, tp_emitter emitter,
                                                           uint32_t numerator,
                                                           uint32_t denominator);

/* Null if the emitter may change so, else a sentence naming the wrong field. Cost: O(mesh). */
TP_OF_EMITTER_CHANGES const char *tp_emitter_set_check(const tp_world *world, tp_emitter emitter,
                                                       const tp_emitter_def *definition);

/* Removes an emitter. Restarts the step. Its particles keep their lifetimes: until these have ended
   its slot is used, but if tp_emitter_add finds no other one. The new emitter then keeps those of
   one: if it is removed and replaced before they have ended, they become its own.
   Errors: NULL, BLOCK, HANDLE. Cost: O(emitters_max + geometry). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_remove(tp_world *world, tp_emitter emitter);

/* Which particles a sink removes. Ages wrap after 2^32 ticks, 5959 frames. An age sink added
   after that treats wrapped particles as young. */
typedef enum tp_sink_shape {
    TP_SINK_AGE = 0,   /* older than age_ticks */
    TP_SINK_PLANE = 1, /* behind the plane: normal . x < offset */
    TP_SINK_BOX = 2,   /* inside center +- half (outside with is_inverted) */
    TP_SINK_SPHERE = 3 /* inside (outside with is_inverted) */
} tp_sink_shape;

#define TP_SINK_AT_ONCE 1000000000u

typedef struct tp_sink_def {
    uint32_t stamp;
    tp_sink_shape shape;
    bool is_inverted;
    uint32_t species_mask; /* bit s: removes species s; default all */
    uint32_t age_ticks;    /* 0..4293525855 */
    tp_vector center;
    tp_vector half;
    float radius;
    tp_vector normal; /* unit length */
    float offset;     /* m */
    /* 1/s, 0..TP_SINK_AT_ONCE, the default: each particle there dies with the probability
       1 - exp(-rate dt) per time step dt, so `rate` times their number die per second; 0: none */
    float rate;
} tp_sink_def;

/* Defaults. Cost: O(1). */
TP_OF_EMITTERS tp_sink_def tp_sink_default(void);

/* As tp_emitter_check. Cost: O(1). */
TP_OF_EMITTERS const char *tp_sink_check(const tp_world *world, const tp_sink_def *definition);

/* Adds a sink. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL. Cost: O(sinks_max). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_sink_add(tp_world *world, const tp_sink_def *definition,
                                                tp_sink *sink);

/* Replaces the settings of a sink when the next frame begins: see tp_world_change. A rate or
   species_mask of 0 closes it.
   Errors: NULL, BLOCK, STAMP, HANDLE, DEFINITION (tp_sink_set_check says why). Cost: O(1). */
TP_OF_EMITTER_CHANGES TP_CHECKED tp_result tp_sink_set(tp_world *world, tp_sink sink,
                                                       const tp_sink_def *definition);

/* Changes the rate alone, 1/s, as tp_sink_set does. 0 closes the sink.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (no takes_changes, or another rate). Cost: O(1). */
TP_OF_EMITTER_CHANGES TP_CHECKED tp_result tp_sink_rate(tp_world *world, tp_sink sink, float rate);

/* As tp_emitter_set_check. Cost: O(1). */
TP_OF_EMITTER_CHANGES const char *tp_sink_set_check(const tp_world *world, tp_sink sink,
                                                    const tp_sink_def *definition);

/* Removes a sink. Restarts the step.
   Errors: NULL, BLOCK, HANDLE. Cost: O(sinks_max). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_sink_remove(tp_world *world, tp_sink sink);

/* ---------------------------------- fields ---------------------------------------------------- */

#define TP_CURVE_MAX 8u
/* A curve over the age of a particle: straight lines between points, constant outside. */
typedef struct tp_curve {
    uint32_t count;            /* 1..TP_CURVE_MAX */
    float age[TP_CURVE_MAX];   /* 0..1, increasing */
    float value[TP_CURVE_MAX]; /* -1e9..1e9: a size, an index of a colour, an opacity */
} tp_curve;

/* Null if good, else a sentence that names the first wrong field and its range. Cost: O(1). */
TP_OF_AGES const char *tp_curve_check(const tp_curve *curve);

typedef enum tp_field_kind {
    TP_FIELD_GRAVITY = 0, /* vector: m/s^2 */
    /* linear b (kg/s) and quadratic k (kg/m) relative to the medium, integrated exactly; in the box
       about `center` with half sides `vector`, or with 0 (the default) everywhere */
    TP_FIELD_DRAG = 1,
    TP_FIELD_WIND = 2,      /* the medium moves with `vector` m/s, plus curl noise */
    TP_FIELD_VORTEX = 3,    /* the medium rotates: Lamb-Oseen vortex, or Rankine */
    TP_FIELD_ATTRACTOR = 4, /* a = -mu d / (|d|^2 + eps^2)^(3/2) */
    /* heats a fluid with heat: T' = strength - linear T, within `core` of `center` */
    TP_FIELD_HEAT = 5
} tp_field_kind;

typedef struct tp_field_def {
    uint32_t stamp;
    tp_field_kind kind;
    uint32_t species_mask; /* bit s: acts on species s; default all */
    tp_vector vector;      /* gravity: m/s^2; wind: m/s; drag: m; vortex: unit axis (2D: 0 0 1) */
    tp_vector center;      /* drag, vortex, attractor, heat: m */
    float linear;          /* drag: b, kg/s; heat: 1/s */
    float quadratic;       /* drag: k, kg/m */
    /* vortex: circulation, m^2/s; attractor: mu, m^3/s^2; wind: noise speed, m/s; heat: K/s */
    float strength;
    /* vortex: core radius, m, > 0; attractor: eps, m, >= 0; wind: noise length, m, > 0; heat:
       radius, m, 0: everywhere */
    float core;
    float axial, inflow; /* vortex: speed along its axis, towards it, m/s */
    bool is_rankine;
    /* gravity, drag without a box: factor over the age of each particle at the start of a step, as
       tp_world_lives has it; drag: not negative. count 0, the default: none; else it needs
       keeps_births and keeps_curves, and per particle 1 unit, 1 per such field, and of sinks */
    tp_curve over_age;
} tp_field_def;

/* Defaults of a kind. Cost: O(1). */
TP_OF_FIELDS tp_field_def tp_field_default(tp_field_kind kind);

/* As tp_emitter_check. Cost: O(1). */
TP_OF_FIELDS const char *tp_field_check(const tp_world *world, const tp_field_def *definition);

/* Adds a field. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL. Cost: O(fields_max). */
TP_OF_FIELDS TP_CHECKED tp_result tp_field_add(tp_world *world, const tp_field_def *definition,
                                               tp_field *field);

/* Replaces the settings of a field, not its kind. A step in progress ends with the old settings;
   the next one begins with the newest. May be called in every frame: restarts no step.
   Errors: NULL, BLOCK, STAMP, HANDLE, DEFINITION. Cost: O(fields_max). */
TP_OF_FIELDS TP_CHECKED tp_result tp_field_set(tp_world *world, tp_field field,
                                               const tp_field_def *definition);

/* Removes a field. Restarts the step.
   Errors: NULL, BLOCK, HANDLE. Cost: O(fields_max). */
TP_OF_FIELDS TP_CHECKED tp_result tp_field_remove(tp_world *world, tp_field field);

/* ---------------------------------- colliders ------------------------------------------------- */

/* To a fluid each is a wall, which counts as more fluid behind it (not with kills or is_two_sided).
   Of each mesh and heightfield up to three planes count: runtime/guide/physics.md, walls. */
typedef enum tp_collider_shape {
    TP_COLLIDER_PLANE = 0,   /* through the pose's position, normal = local +y */
    TP_COLLIDER_SPHERE = 1,  /* radius (2D: circle) */
    TP_COLLIDER_CAPSULE = 2, /* radius, axis local y from -half.y to +half.y */
    TP_COLLIDER_BOX = 3,     /* half sides; is_hollow: particles stay inside */
    TP_COLLIDER_MESH = 4,    /* triangles, or in 2D edges; two-sided, or solid behind: below */
    /* columns x rows samples, `spacing` apart from the pose's position, over local x and z; each
       cell is split along the diagonal from its (0,0) to its (1,1) corner. 2D: rows = 1 */
    TP_COLLIDER_HEIGHTFIELD = 5,
    /* signed distance samples, trilinear, columns x rows x layers, `spacing` apart */
    TP_COLLIDER_GRID = 6
} tp_collider_shape;

/* In 2D the parts of a mesh are edges, with two indices each.
   - The free side is to the right of travel from the first index to the second. So a loop is a
     solid if it is counter-clockwise (y up), and a room if clockwise; a floor goes towards -x.
   - An edge that begins at the vertex where one other edge ends continues it: a chain. Nothing
     catches at such a vertex (ghost vertices). A straight chain acts as one plane.
   - With is_two_sided both sides hold particles off, by `thickness`: single segments.
   - Geometry: 12 bytes per vertex and at most 44 per edge, of triangles at most 40. */
typedef struct tp_collider_def {
    uint32_t stamp;
    tp_collider_shape shape;
    tp_pose pose;
    tp_vector half;
    float radius;
    float restitution; /* 0..1, default 0 */
    float friction;    /* 0 or more, default 0 */
    /* m/s: slower impacts do not bounce; < 0 (default -1): 2 g dt, with the gravity of the world */
    float rest_speed;
    float thickness;   /* m: skin of two-sided meshes */
    float temperature; /* K: of the surface, if it conducts, -1e6..1e6, default 0 */
    bool conducts;     /* a fluid with heat has the temperature of the surface there; not meshes */
    bool is_hollow;
    bool is_two_sided;
    bool kills; /* particles die at contact */
    uint32_t species_mask;
    uint32_t event_species;    /* bit s: contacts of species s may be events; default all */
    const tp_vector *vertices; /* mesh: copied into the geometry pool */
    uint32_t vertex_count;
    const uint32_t *indices; /* 3 per triangle; in 2D 2 per edge */
    uint32_t triangle_count; /* in 2D of edges */
    const float *samples;    /* heightfield, distance grid: copied */
    /* along local x, along z (heightfield) or y (grid), and along z (grid) */
    uint32_t columns, rows, layers;
    float spacing; /* m between samples; of rooms: the side of a sector */
    /* mesh in 3D: copied; null, or rooms of a level, see runtime/guide/physics.md, rooms */
    const int16_t *rooms;
    uint32_t room_words;
} tp_collider_def;

/* Defaults of a shape. Cost: O(1). */
TP_OF_COLLIDERS tp_collider_def tp_collider_default(tp_collider_shape shape);

/* As tp_emitter_check. Cost: O(mesh). */
TP_OF_COLLIDERS const char *tp_collider_check(const tp_world *world,
                                              const tp_collider_def *definition);

/* Bytes of geometry_bytes_max that a collider takes; 0: none, or it is bad. O(mesh * rooms) */
TP_OF_COLLIDERS uint64_t tp_collider_bytes(uint32_t dimensions, const tp_collider_def *definition);

/* Adds a collider. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL (pool or geometry).
   Cost: O(colliders_max + geometry log^2 geometry + triangles * rooms). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_add(tp_world *world,
                                                     const tp_collider_def *definition,
                                                     tp_collider *collider);

/* Moves a collider to `pose` during the next simulated frame. No particle tunnels through it: it
   sweeps along what is between. Restarts no step.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (not finite, or too far), BODY. Cost: O(1). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_move(tp_world *world, tp_collider collider,
                                                      tp_pose pose);

/* As tp_collider_move, but the collider is at `pose` for the whole frame, at rest, and touches
   nothing on the way: a teleport. A particle that is then inside is pushed out. Of several moves
   and places before a frame the newest counts.
   Errors, cost: as tp_collider_move. */
TP_OF_COLLIDER_CHANGES TP_CHECKED tp_result tp_collider_place(tp_world *world, tp_collider collider,
                                                              tp_pose pose);

/* Replaces the settings of a collider when the next frame begins: see tp_world_change. It keeps
   its handle, pose and motion (tp_collider_move changes those). Planes, spheres, capsules and
   boxes may become each other; a particle that is then inside is pushed out. A species_mask of 0
   lets all particles through. Meshes, heightfields and grids keep their shape and geometry: fields
   of geometry are ignored. A body's keeps shape, half and radius, for which its mass and inertia
   were given, and stays a solid.
   Errors: NULL, BLOCK, STAMP, HANDLE, DEFINITION (see tp_collider_set_check). Cost: O(mesh). */
TP_OF_COLLIDER_CHANGES TP_CHECKED tp_result tp_collider_set(tp_world *world, tp_collider collider,
                                                            const tp_collider_def *definition);

/* As tp_emitter_set_check. Cost: O(mesh). */
TP_OF_COLLIDER_CHANGES const char *tp_collider_set_check(const tp_world *world,
                                                         tp_collider collider,
                                                         const tp_collider_def *definition);

/* Removes a collider. Restarts the step.
   Errors: NULL, BLOCK, HANDLE, BODY. Cost: O(colliders_max + particles + geometry). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_remove(tp_world *world, tp_collider collider);

/* The first room that has a point, -1: none, with the collider where it is after the last step.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (no rooms, or not within 1e9 m). Cost: O(rooms there). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_room(const tp_world *world, tp_collider collider,
                                                      tp_vector point, int32_t *room);

/* What particles did to a collider in the last complete frame, as means over the frame: contacts,
   in a fluid the pressure and viscosity of walls, and what vortex.grip takes from air. Impulses are
   sums of integers, so that slices and threads change no bit, and equal the momentum that the
   particles lost to the collider, to the rounding of their velocities. Tracers, particles of air,
   and particles that a contact kills give nothing. */
typedef struct tp_load {
    tp_vector pressure; /* N: along the normals of the surface */
    tp_vector friction; /* N: along the surface */
    tp_vector torque;   /* N m, of both, about the position of the pose when each step ends */
    tp_vector impulse;  /* N s: pressure and friction times the length of the frame */
    uint32_t contacts;  /* of all steps of the frame */
} tp_load;

/* The load of a collider; 0 until a frame is complete, and after a cached frame was restored. Its
   frame is the last of tp_report.frames.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (a world without measures_loads). Cost: O(species). */
TP_OF_LOADS TP_CHECKED tp_result tp_collider_load(const tp_world *world, tp_collider collider,
                                                  tp_load *load);

/* ---------------------------------- bodies ---------------------------------------------------- */

/* A rigid body: a collider that particles, gravity and other colliders move, in every sub-step.
   Momenta are integers, as loads are: what particles lose a body gets, to the last count, which is
   2^-30 m/s of the heaviest species. Limits and measurements: runtime/guide/physics.md, bodies.
   - Its shape is a sphere, capsule or box, or a mesh or distance grid with an inertia given.
   - It feels the gravity fields, no drag or wind. In 2D it turns about z only.
   - It meets colliders of all shapes, and bodies, with its corners and edges; spheres, capsules and
     boxes with theirs, meshes with the points nearest to its middle, and with edges. Meshes that
     are is_two_sided hold it on a side. It rests 1.25 particle diameters from what it lies on.
   - It never leaves planes and hollow boxes. In a periodic box it goes around, without images. */
typedef struct tp_body_def {
    uint32_t stamp;
    tp_collider collider; /* its shape; no other body has it, and the game does not move it */
    float mass;           /* kg, 1e-3..1e6 times the mass of the heaviest species, default 1 */
    /* kg m^2: about axes through the center of mass, parallel to those of the collider; a component
       of 0 (default): as if filled evenly. 2D: z only */
    tp_vector inertia;
    tp_vector center;           /* m: center of mass in the frame of the collider, default 0 */
    tp_vector velocity;         /* m/s: of the center of mass, within 1e3 */
    tp_vector angular_velocity; /* 1/s: along world axes, within 1e3; 2D: z only */
    /* resistance of spheres and capsules to rolling and spinning, 0..1, default 0.05: a contact
       takes up to this share of its normal impulse times its distance from the center of mass from
       the rotation. A ball slows down by 5/7 (2D: 2/3) of it times g. Of two bodies the larger */
    float rolling;
} tp_body_def;

/* A body at the last complete step. */
typedef struct tp_body_state {
    tp_collider collider;
    tp_pose pose;                         /* of the collider */
    tp_vector center;                     /* m: center of mass, in world coordinates */
    tp_vector velocity, angular_velocity; /* m/s of the center of mass, 1/s */
} tp_body_state;

/* Defaults. Cost: O(1). */
TP_OF_BODIES tp_body_def tp_body_default(void);

/* As tp_emitter_check. Cost: O(1). */
TP_OF_BODIES const char *tp_body_check(const tp_world *world, const tp_body_def *definition);

/* Adds a body where its collider is. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL. Cost: O(bodies_max + species). */
TP_OF_BODIES TP_CHECKED tp_result tp_body_add(tp_world *world, const tp_body_def *definition,
                                              tp_body *body);

/* Removes a body; its collider stays where it is. Restarts the step.
   Errors: NULL, BLOCK, HANDLE. Cost: O(bodies_max). */
TP_OF_BODIES TP_CHECKED tp_result tp_body_remove(tp_world *world, tp_body body);

/* The state of a body.
   Errors: NULL, BLOCK, HANDLE. Cost: O(species). */
TP_OF_BODIES TP_CHECKED tp_result tp_body_get(const tp_world *world, tp_body body,
                                              tp_body_state *state);

/* Puts a body to `pose` with the velocities of its center of mass; impulses that wait for the next
   step are dropped. Restarts the step.
   Errors, without effect: NULL, BLOCK, HANDLE, DEFINITION (out of range). Cost: O(species). */
TP_OF_BODIES TP_CHECKED tp_result tp_body_set(tp_world *world, tp_body body, tp_pose pose,
                                              tp_vector velocity, tp_vector angular_velocity);

/* Adds an impulse, N s, at a point in world coordinates, from the next step on. May be called in
   every frame: restarts no step.
   Errors, without effect: NULL, BLOCK, HANDLE, DEFINITION (not finite, or it changes the velocity
   by more than 1e3 m/s). Cost: O(species). */
TP_OF_BODIES TP_CHECKED tp_result tp_body_impulse(tp_world *world, tp_body body, tp_vector impulse,
                                                  tp_vector point);

/* ---------------------------------- links ----------------------------------------------------- */

/* A damped spring between two particles, or a pin: from one to a place, with critical damping. It
   pulls with stiffness (length - rest_length) + damping (rate of lengthening); periodic: to nearest
   images. Ends with an end, or when a step begins beyond break_length; both are counted. For PAIR
   and SPH. Stability and order: runtime/guide/api.md, links. */
typedef struct tp_link_def {
    uint32_t stamp;
    uint32_t first, second; /* ids of two different particles; second TP_ID_NONE: a pin */
    float rest_length;      /* m, 0..1e6; pin: 0 */
    float stiffness;        /* N/m, 0..1e12 */
    float damping;          /* N s/m, 0..1e12, default 0; pin: 0 */
    float break_length;     /* m: rest_length..1e6; 0: never breaks (default); pin: 0 */
    tp_vector point;        /* m, within 1e6: the place of a pin; else not used */
} tp_link_def;

/* Defaults. Cost: O(1). */
TP_OF_PAIR tp_link_def tp_link_default(void);

/* As tp_emitter_check. Cost: O(1). */
TP_OF_PAIR const char *tp_link_check(const tp_world *world, const tp_link_def *definition);

/* Adds a link. Restarts the step. The next step finds the ends of all links by id: at most 8
   passes over the particles, and 8 units per link.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL.
   Cost: O(links_max); O(1) until a link has been removed, dropped or broken. */
TP_OF_PAIR TP_CHECKED tp_result tp_link_add(tp_world *world, const tp_link_def *definition,
                                            tp_link *link);

/* Links all particles that are near each other, as a body of jelly: each two whose ids are from
   definition->first to definition->second and which are at most definition->rest_length apart.
   - Each link rests at the distance that its ends have now, of nearest images. break_length is that
     of a link as long as rest_length; the others break at an equal strain. All are added, or none.
   - For a lattice with its diagonals let rest_length be 1.5 (3D: 1.8) spacings.
   - Ids that no particle has are skipped. Two particles that have a link get another one.
   - `links`, `capacity` long, takes the handles, ordered by the lower id, then by the higher one.
     Null: they are not wanted. *count is set to their number, also after FULL; may be null.
   Restarts the step, if there is a link to add.
   Errors, without effect: NULL, BLOCK, STAMP, DEFINITION (as tp_link_add, or second is below first,
   or rest_length is 0), FULL (`links`, or the pool, which counts them as refused).
   Cost: O(particles^2): those of the range times all, twice; with holes in the pool O(links_max)
   for each link. */
TP_OF_PAIR TP_CHECKED tp_result tp_links_add(tp_world *world, const tp_link_def *definition,
                                             tp_link *links, uint32_t capacity, uint32_t *count);

/* Replaces the settings of a link, not its ends. Restarts the step.
   Errors: NULL, BLOCK, STAMP, HANDLE, DEFINITION. Cost: O(1). */
TP_OF_PAIR TP_CHECKED tp_result tp_link_set(tp_world *world, tp_link link,
                                            const tp_link_def *definition);

/* The definition of a link.
   Errors: NULL, BLOCK, HANDLE (also when the link broke or was dropped). Cost: O(1). */
TP_OF_PAIR TP_CHECKED tp_result tp_link_get(const tp_world *world, tp_link link,
                                            tp_link_def *definition);

/* Removes a link. Restarts the step.
   Errors: NULL, BLOCK, HANDLE. Cost: O(links_max). */
TP_OF_PAIR TP_CHECKED tp_result tp_link_remove(tp_world *world, tp_link link);

/* ---------------------------------- cloth ----------------------------------------------------- */

/* Distance constraints of a sheet: between neighbours of a row or column; across the diagonals; and
   between nodes two apart. FOLD instead of BEND: the angle of the two triangles at each edge, a
   quadratic law (Bergou et al. 2006) whose stiffness does not depend on the spacing of nodes. */
#define TP_CLOTH_STRETCH 1u
#define TP_CLOTH_SHEAR   2u
#define TP_CLOTH_BEND    4u
#define TP_CLOTH_FOLD    8u

/* A sheet at rest. Of a grid, node (column, row) is at origin + column * along + row * across; one
   row is a rope. Of a mesh, node k is at origin + vertices[k]: the edges of its triangles are kind
   STRETCH, the vertices opposite a common edge are kind BEND, and none is SHEAR. Edges of more than
   two triangles bend between each two that follow one another. */
typedef struct tp_cloth_def {
    uint32_t stamp;         /* set by tp_cloth_default */
    uint32_t columns, rows; /* grid: nodes, 1..4096 each, default 16 */
    uint32_t species;       /* of its nodes, default 0 */
    uint32_t kinds;         /* TP_CLOTH_... bits, default all but FOLD */
    /* m: lengths of along and across 1e-4..1e4, default 1/16 along x and against y */
    tp_vector origin, along, across;
    tp_vector velocity; /* m/s, default 0 */
    /* m/N, 0..1e12: compliance of the kinds, the inverse of stiffness; default 0, 0 and 0.01 */
    float stretch, shear, bend;
    /* nodes stay within this times their distance along the sheet at rest from the nearest pinned
       node, of a mesh along its edges; 1..10, default 1, or 0: none, for soft sheets and wear */
    float tether;
    const tp_vector *vertices; /* mesh: m, read by the call; default null: a grid */
    uint32_t vertex_count;     /* 3..16777216 */
    const uint32_t *indices;   /* 3 per triangle, of vertices 1e-4..1e4 m apart, not in line */
    uint32_t triangle_count;   /* 1..16777216; each takes 3 of constraints_max */
    /* block: nodes along `deep`, 2..4096, default 1: a grid; m, default 1/16 along z; 1/Pa,
       0..1e12, default 0: compliance of volumes, the inverse of a bulk modulus */
    uint32_t layers;
    tp_vector deep;
    float volume;
    float tear, yield, yield_max; /* for this sheet, as those of cloth; -1, the default: those */
    float fold; /* 1/(N m), 0..1e12, default 1000: inverse of the flexural rigidity of FOLD */
} tp_cloth_def;

/* Ties a node to another one, or to a point of a collider. */
typedef struct tp_cloth_tie_def {
    uint32_t stamp;       /* set by tp_cloth_tie_default */
    uint32_t node, other; /* ids of nodes; other is TP_ID_NONE, the default: the collider */
    tp_collider collider;
    tp_vector point;  /* m: in the frame of the collider, within 1e6 */
    float length;     /* m, 0..1e4, default 0: the distance that the tie keeps */
    float compliance; /* m/N, 0..1e12, default 0 */
    float strength; /* N, 0..1e30, default 0, none: pull at which it breaks, an event as of tear */
} tp_cloth_tie_def;

/* What a world of cloth holds, after the last complete step. */
typedef struct tp_cloth_report {
    uint32_t sheets, nodes, pinned;
    uint32_t constraints, colours;  /* colours in use */
    uint32_t broken;                /* constraints that broke, which are among them */
    uint32_t triangles, tetrahedra; /* triangles that air acts on */
    uint32_t ties, ties_broken;     /* all ties; those of them that broke */
    uint32_t folds, splits;         /* nodes from splits */
    uint64_t splits_refused;        /* edges that broke since no node was spare */
    /* constraints beyond the 15 colours of their kind, folds beyond 31: one after another */
    uint32_t uncoloured;
    /* mean and largest length / rest length - 1 of kind STRETCH, of those that hold */
    float stretch, stretch_max;
    /* of springs, from the first step after a change of sheets or pins on, before it 0: s, the
       longest step that leaves all their stiffness; springs that the last step softened */
    float timestep_stable;
    uint32_t softened;
} tp_cloth_report;

/* Defaults. Cost: O(1). */
TP_OF_CLOTH tp_cloth_def tp_cloth_default(void);

/* Null if a world accepts the sheet while it has the capacities, else a sentence that names the
   first wrong field. Cost: O(mesh). */
TP_OF_CLOTH const char *tp_cloth_check(const tp_world *world, const tp_cloth_def *definition);

/* Adds a grid; *first_id, which may be null, becomes the id of node (0, 0), and that of node
   (column, row) is row * columns + column larger. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL (nodes, sheets, constraints, triangles or ids).
   Cost: O(constraints_max + nodes). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_grid(tp_world *world, const tp_cloth_def *definition,
                                               uint32_t *first_id);

/* Adds a mesh; *first_id, which may be null, becomes the id of the first vertex, and ids ascend.
   Restarts the step.
   Errors: as tp_cloth_grid. Cost: O(mesh log mesh + constraints_max). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_mesh(tp_world *world, const tp_cloth_def *definition,
                                               uint32_t *first_id);

/* Adds a block, a soft body: layer l of a grid is l * deep away, and its nodes have ids l * rows *
   columns larger. Cells are five tetrahedra each, which keep their volumes; their edges are kind
   STRETCH, the diagonals between them SHEAR. Air does not act on it. Restarts the step.
   Errors: as tp_cloth_grid, FULL also for tetrahedra. Cost: as tp_cloth_grid. */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_block(tp_world *world, const tp_cloth_def *definition,
                                                uint32_t *first_id);

/* Pins a node of a sheet, or frees it. A pinned node keeps its velocity, whatever pulls it or is in
   its way; tp_particle_set gives it one. Restarts the step.
   Errors: NULL, BLOCK, HANDLE (no node has this id). Cost: O(nodes of the sheet), to free one also
   times its pinned nodes; of a mesh O(constraints) times its largest number of edges to a pin. */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_pin(tp_world *world, uint32_t id, bool is_pinned);

/* Defaults. Cost: O(1). */
TP_OF_CLOTH tp_cloth_tie_def tp_cloth_tie_default(void);

/* Null if a world accepts the tie while it has the capacity, else a sentence that names the first
   wrong field. Cost: O(log nodes). */
TP_OF_CLOTH const char *tp_cloth_tie_check(const tp_world *world,
                                           const tp_cloth_tie_def *definition);

/* Ties a node; *tie becomes the lowest free number from 0 on. Ties are visited one after another in
   the order of their numbers. A body feels what its ties pull, any other collider counts it among
   its loads. Without the collider a tie does nothing. Ties end with the sheets. Restarts the step.
   Errors: NULL, BLOCK, STAMP, DEFINITION, FULL. Cost: O(ties_max + log nodes). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_tie(tp_world *world, const tp_cloth_tie_def *definition,
                                              uint32_t *tie);

/* Removes a tie. Restarts the step.
   Errors: BLOCK, HANDLE. Cost: O(ties_max). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_untie(tp_world *world, uint32_t tie);

/* What a tie pulled with in the last complete step: N, below 0 pushes; TP_CLOTH_BROKEN: it broke.
   Errors: NULL, BLOCK, HANDLE. Cost: O(1). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_pull(const tp_world *world, uint32_t tie, float *pull);
#define TP_CLOTH_BROKEN (-1e38f)

/* Measures the sheets.
   Errors: NULL, BLOCK, DEFINITION (another solver). Cost: O(constraints). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_measure(const tp_world *world, tp_cloth_report *report);

/* Copies the triangles that are whole, in the order of the sheets: ids of three nodes each; sets
   *count to their number. Needs triangles_max. A triangle is torn when a constraint along one of
   its edges has broken. `ids` has 3 * capacity words, and may be null if `capacity` is 0.
   Errors: NULL, BLOCK, DEFINITION, FULL (the first are there). Cost: O(triangles). */
TP_OF_CLOTH TP_CHECKED tp_result tp_cloth_triangles(const tp_world *world, uint32_t *ids,
                                                    uint32_t capacity, uint32_t *count);

/* ---------------------------------- springs --------------------------------------------------- */

/* A spring of a viscoelastic fluid (sph.springs_max), laid out as in Blender's point caches. */
typedef struct tp_spring {
    float rest_length;      /* m, 0 to sph.smoothing_radius */
    uint32_t first, second; /* ids of its particles */
    uint32_t is_deleted;    /* 0; of a cache: the spring no longer exists */
} tp_spring;

/* Copies the springs of the last complete step, at most *count of them, and sets *count to their
   number. `springs` may be null if *count is 0.
   Errors: NULL, BLOCK. Cost: O(particles + springs). */
TP_OF_SPRINGS TP_CHECKED tp_result tp_springs_get(const tp_world *world, tp_spring *springs,
                                                  uint32_t *count);

/* Replaces all springs; deleted ones are skipped, and of several springs of a pair the last one
   counts, because caches of Blender have such. Restarts the step.
   Errors, without effect: NULL, BLOCK, DEFINITION (no such particle, a length out of range, more
   springs than sph.springs_max allows).
   Cost: O(particles * log(particles) + springs * (springs_max + log(particles))). */
TP_OF_SPRINGS TP_CHECKED tp_result tp_springs_set(tp_world *world, const tp_spring *springs,
                                                  uint32_t count);

/* ---------------------------------- particles ------------------------------------------------- */

/* The last complete step, as arrays of `count` items. Valid until the next call that takes the
   world as non-const. The order is that of the storage and may change in every step; ids are
   permanent. z and vz are null in 2D, birth without keeps_births. Densities are in no solver's
   state: tp_query_sample at the positions has them. */
typedef struct tp_view {
    uint32_t count;
    const float *x, *y, *z;    /* m */
    const float *vx, *vy, *vz; /* m/s */
    const uint32_t *id;        /* serial number of birth, 0..TP_ID_LAST; each is given once */
    const uint32_t *meta;      /* TP_META_...; other bits are private */
    const uint32_t *birth;     /* ticks since the world began, modulo 2^32 (5959 frames) */
    const float *temperature;  /* K above the surroundings; null without heat */
    /* m^2/s^2: of an incompressible fluid, else null. 0 at a surface, and rises by about 1.2 (3D:
       1.4) g per m of depth, more at walls: pressure over the density of the heaviest species, but
       for a factor of the kernel. Single particles swing */
    const float *pressure;
    /* of the application: at birth that of the emitter, or 0; null without keeps_words */
    const uint32_t *word;
    /* m^3/s: vectors, 0 for tracers; null without TP_SOLVER_VORTEX */
    const float *strength_x, *strength_y, *strength_z;
    const float *fuel; /* 0..1, see vortex.fuel_species; null without heat, or TP_SOLVER_VORTEX */
} tp_view;
#define TP_META_SPECIES(meta) ((meta)&0xffu)
/* slot + 1 of the emitter's handle; 0: tp_particle_add */
#define TP_META_EMITTER(meta) (((meta) >> 8) & 0xffffu)
#define TP_META_CONTACT       0x01000000u /* touched a collider in the last step */

/* The current view; all zero for a null or foreign world. Cost: O(1). */
tp_view tp_world_view(const tp_world *world);

/* Positions between two frames, for pictures at another rate: where the particles first .. first +
   count - 1 of the view are at a share `alpha`, 0..1, of the way from the start of the last frame
   to the last complete step, on straight lines. A particle that was born, set or restored
   since begins where that was. In a periodic box the way is the shorter one.
   Errors: NULL (an array; z may be null in 2D), BLOCK, DEFINITION (alpha, or a world without
   keeps_last_frame), HANDLE (beyond the view). Cost: O(count). */
TP_OF_DRAW TP_CHECKED tp_result tp_world_between(const tp_world *world, float alpha, uint32_t first,
                                                 uint32_t count, float *x, float *y, float *z);

/* The pose of a collider between two frames, to draw it among the particles of tp_world_between:
   at a share `alpha`, 0..1, of the way from the start of the last frame to the last complete step.
   Its position goes along a straight line, its rotation along the shorter arc. A collider that was
   placed, or a body that was added or set, in this time is where it came to, and after a restore
   all are at rest. Takes no memory, and needs no keeps_last_frame. A body: that of its collider.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (alpha). Cost: O(1). */
TP_OF_POSES TP_CHECKED tp_result tp_collider_between(const tp_world *world, tp_collider collider,
                                                     float alpha, tp_pose *pose);

/* Writes view->count indices in the order of depth along `direction`, the farthest first, ties by
   index: to draw what is transparent. The view may have positions of tp_world_between.
   `scratch`: 2 * view->count words.
   Errors: NULL, DEFINITION (direction is not finite). Cost: O(view->count), 5 passes. */
TP_OF_DRAW TP_CHECKED tp_result tp_view_sort_depth(const tp_view *view, tp_vector direction,
                                                   uint32_t *indices, uint32_t *scratch);

#define TP_TICKS_NONE 0xffffffffu
/* How long the particles first .. first + count - 1 of the view still live: ticks until the age at
   which the lifetime of their emitter or a sink by age kills them, or TP_TICKS_NONE; and their age
   as a share of that, 0..1, 0 without a limit. Either array may be null. Nothing is stored.
   Errors: NULL, BLOCK, DEFINITION (no keeps_births), HANDLE. Cost: O(count * sinks_max). */
TP_OF_AGES TP_CHECKED tp_result tp_world_lives(const tp_world *world, uint32_t first,
                                               uint32_t count, uint32_t *left_ticks, float *ages);

/* Values of curves at the ages of tp_world_lives: one curve for all species, or one for each.
   Errors: NULL, BLOCK, DEFINITION (a curve, their number, or no keeps_births), HANDLE (beyond the
   view). Cost: O(count * sinks_max). */
TP_OF_AGES TP_CHECKED tp_result tp_world_curve(const tp_world *world, const tp_curve *curves,
                                               uint32_t curve_count, uint32_t first, uint32_t count,
                                               float *values);

/* Adds one particle. Restarts the step; births of emitters do not. A full pool always refuses
   it, and counts that, also under TP_POOL_RECYCLE: only births of emitters replace particles.
   `id` may be null.
   Errors: NULL, BLOCK, DEFINITION (no such species, or a component beyond 1e9 m or 1e9 m/s),
   FULL (also after TP_ID_LAST). Cost: O(1). */
TP_CHECKED tp_result tp_particle_add(tp_world *world, tp_vector position, tp_vector velocity,
                                     uint32_t species, uint32_t *id);

/* Changes the particle at `index` of the view. Restarts the step.
   Errors: NULL, BLOCK, HANDLE (no such particle), DEFINITION (as tp_particle_add). Cost: O(1). */
TP_CHECKED tp_result tp_particle_set(tp_world *world, uint32_t index, tp_vector position,
                                     tp_vector velocity);

/* Sets the temperature, K, of the particle at `index` of the view, rounded and within heat.range.
   Restarts the step.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (no heat in this world, or no number). Cost: O(1). */
TP_OF_SPH TP_CHECKED tp_result tp_particle_heat(tp_world *world, uint32_t index, float temperature);

/* Makes the particle at `index` of the view a vorton of this strength, m^3/s, or with 0 a tracer.
   A vortex ring of circulation G and n vortons has strengths of G times the vector from one to the
   next. Restarts the step.
   Errors: NULL, BLOCK, HANDLE, DEFINITION (another solver, or beyond vortex.strength_max), FULL
   (vortex.vortons_max). Cost: O(particles). */
TP_OF_VORTEX TP_CHECKED tp_result tp_particle_strength(tp_world *world, uint32_t index,
                                                       tp_vector strength);

/* Velocities of the air at `count` points, m/s, by sums over the vortons of the last complete step
   and its fields: for drag on spray, leaves or cloth of other worlds.
   Errors: NULL, BLOCK, DEFINITION (another solver). Cost: O(particles + count * vortons_max). */
TP_OF_VORTEX TP_CHECKED tp_result tp_vortex_air(const tp_world *world, const tp_vector *points,
                                                uint32_t count, tp_vector *velocities);

/* Edits by id. `ids` are strictly ascending, as tp_query_region returns them; `count` of them.
   Ids that no particle has are skipped, and *missing is set to their number; `missing` may be
   null. If there are no others, nothing changes, and no step restarts.
   Errors of all, without effect: NULL, BLOCK, DEFINITION (ids that do not ascend).
   Cost of all: O(count + particles * log(count)). */
#define TP_INDEX_NONE 0xffffffffu

/* Sets indices[k] to the index in the view of the particle ids[k], or to TP_INDEX_NONE. Like the
   view's, they are valid until the next call that takes the world as non-const. */
TP_OF_CHANGES TP_CHECKED tp_result tp_particles_find(const tp_world *world, const uint32_t *ids,
                                                     uint32_t count, uint32_t *indices,
                                                     uint32_t *missing);

/* Removes particles. They count as died; links to them are dropped as when an end dies, springs at
   once. Restarts the step. */
TP_OF_CHANGES TP_CHECKED tp_result tp_particles_remove(tp_world *world, const uint32_t *ids,
                                                       uint32_t count, uint32_t *missing);

/* Sets the words of the application. Restarts the step. DEFINITION also without keeps_words. */
TP_OF_CHANGES TP_CHECKED tp_result tp_particles_word(tp_world *world, const uint32_t *ids,
                                                     const uint32_t *words, uint32_t count,
                                                     uint32_t *missing);

/* Makes particles belong to other species. Restarts the step. DEFINITION also: no such species. */
TP_OF_CHANGES TP_CHECKED tp_result tp_particles_species(tp_world *world, const uint32_t *ids,
                                                        const uint32_t *species, uint32_t count,
                                                        uint32_t *missing);

/* A group: the particles whose word of the application is `word` in the bits of `mask`, as those
   are that an emitter with this word made. Mask 0: all. *count is set to their number and may be
   null. If there are none, nothing changes, and no step restarts. A link from a particle of the
   group to another one stays.
   Errors of all, without effect: NULL, BLOCK, DEFINITION (no keeps_words, bits of the word that are
   not in the mask, or as below). Cost of all: O(particles), two passes. */
typedef struct tp_group {
    uint32_t mask, word;
} tp_group;

/* Gives a group `impulse` N s in all: each particle the same change of its velocity. Restarts the
   step. DEFINITION also: a speed beyond 1e9 m/s. */
TP_OF_CHANGES TP_CHECKED tp_result tp_group_impulse(tp_world *world, tp_group group,
                                                    tp_vector impulse, uint32_t *count);

/* Turns positions and velocities of a group about `center` by the rotation of `move`, then shifts
   the group by its position. Nothing is met on the way, as with tp_particle_set. Restarts the step.
   DEFINITION also: a rotation not of unit length (2D: not about z), a position beyond 1e9 m. */
TP_OF_CHANGES TP_CHECKED tp_result tp_group_move(tp_world *world, tp_group group, tp_vector center,
                                                 tp_pose move, uint32_t *count);

/* Removes a group, as tp_particles_remove. Restarts the step. */
TP_OF_CHANGES TP_CHECKED tp_result tp_group_remove(tp_world *world, tp_group group,
                                                   uint32_t *count);

/* What a group is together, at the last complete step. All 0 without particles. */
typedef struct tp_group_report {
    uint32_t count;     /* particles */
    float mass;         /* kg */
    tp_vector center;   /* m: of mass */
    tp_vector velocity; /* m/s: momentum over mass */
    /* m: bounds of the positions. In a periodic box positions are those of the view */
    tp_vector low, high;
} tp_group_report;

/* Measures a group. The sums are integers, so their order does not matter: center and velocity are
   right to 1e-6 of the range of the positions and velocities. Restarts nothing.
   Cost: O(particles), at most 14 passes. */
TP_OF_CHANGES TP_CHECKED tp_result tp_group_measure(const tp_world *world, tp_group group,
                                                    tp_group_report *report);

/* For one particle. HANDLE: no particle has that id. Cost: O(particles). */
TP_OF_CHANGES TP_CHECKED tp_result tp_particle_find(const tp_world *world, uint32_t id,
                                                    uint32_t *index);
TP_OF_CHANGES TP_CHECKED tp_result tp_particle_remove(tp_world *world, uint32_t id);

/* Removes all particles; emitters go on. Restarts the step.
   Errors: NULL, BLOCK. Cost: O(1). */
TP_CHECKED tp_result tp_particles_clear(tp_world *world);

/* ---------------------------------- frames, budgets, reports ---------------------------------- */

/* Work is counted in units. One unit is about one visited pair candidate, or one particle in one
   pass. Units depend on the data alone, so a budget means the same on every machine.
     stage       units  charged for each
     recycle       1    particle and pass: 5 passes, only when a full pool recycles
     links         2    link and pass: 2 passes (3 units with damping); 3 in fluids
                   8    link whose ends are found by id
                   1    4 particles
     move          1    particle; field and sink that acts on it
                   2    noise lookup of a particle (3D: 3); particle with a thermostat
                   1    particle in a world with links; 4 emitters, per step and again per frame
                   2    collider, per frame
                   8    body, twice, and field
                   4    body and side of a collider: 8 passes; a hollow box has 4 (3D: 6)
                   4    corner of a body at a side that is near, in 7 of these passes, and again
                        if it gets an impulse, and if it had one in the last step. At a mesh 8, 4
                        per plane that it meets, and 1 per node and triangle tested
     grid          1    particle and pass: 3 passes, 5 where lists are kept; item to be sorted
                   1    8 cells of the table, or 4 cell blocks
     pairs         1    particle; candidate visited
                   3    non-empty cell, to find its rows of cells (3D: 6). With cells of several
                        sizes 3 (6) per particle, 1 per row of coarser cells, 2 per layer of rows
     nearest            only where the neighbour limit is exceeded
                   1    particle; candidate of a particle above the limit
                   3    particle above the limit (3D: 9). With cells of several sizes
                        3 (9) per row of cells, and 1 per 8 cells
     pressure      1    particle; 4 colliders, of each particle
                        heat: as force; 2 per particle; heat field, of each particle
                   4    heat: collider that conducts, of each particle
                   4    collider that is near a particle, as a wall for it; per 4 nodes,
                        triangles and height cells tested there, at most 128 per particle
                   1    explicit cloth, in a step after a change of sheets or pins: node; constraint
     force         1    as pairs, or particle and stored pair
                   8    tie of cloth
                   3    fold of cloth
                   1    hard spheres: particle and round, for as many rounds as are needed
     collide       1    particle; collider tested, triangle, height cell, sphere tracing step
                   2    moving collider that is close; 1 per triangle and sector of rooms, and hop
                   4    contact
                        solver PAIR: thermostat, links, and fields except gravity, as in move
     emit          6    birth; and its fields
                   1    4 emitters; emitter and event that feeds; with trails particle, and
                        4 emitters of each
     commit        1    particle; at least 4 per step
     any           2    event; in commit 4 more to sort it, see tp_event. With those of bodies
                        in move 4 to 12 per contact of a body, 4 to 8 per one of the last step
     cache write   1    particle and stream
     cache read    1    particle and stream */
#define TP_STAGE_LIST(ITEM)                   \
    ITEM(TP_STAGE_RECYCLE, "recycle")         \
    ITEM(TP_STAGE_LINKS, "links")             \
    ITEM(TP_STAGE_MOVE, "move")               \
    ITEM(TP_STAGE_GRID, "grid")               \
    ITEM(TP_STAGE_PAIRS, "pairs")             \
    ITEM(TP_STAGE_NEAREST, "nearest")         \
    ITEM(TP_STAGE_PRESSURE, "pressure")       \
    ITEM(TP_STAGE_FORCE, "force")             \
    ITEM(TP_STAGE_COLLIDE, "collide")         \
    ITEM(TP_STAGE_EMIT, "emit")               \
    ITEM(TP_STAGE_COMMIT, "commit")           \
    ITEM(TP_STAGE_CACHE_WRITE, "cache write") \
    ITEM(TP_STAGE_CACHE_READ, "cache read")

typedef enum tp_stage {
#define TP_STAGE_ENUM(name, text) name,
    TP_STAGE_LIST(TP_STAGE_ENUM)
#undef TP_STAGE_ENUM
        TP_STAGE_COUNT
} tp_stage;
/* stages before this one belong to a world, the rest to a cache */
#define TP_WORLD_STAGES TP_STAGE_CACHE_WRITE

/* The name of a stage, as in the list above. Cost: O(1). */
const char *tp_stage_name(tp_stage stage);

/* Threads of the game, lent for the duration of a call. Results do not depend on their number:
   parts write to disjoint particles, and everything that is added up is an integer. */
typedef struct tp_jobs {
    /* Calls work(argument, index) once for each index 0 .. count - 1, on any threads in any
       order, and returns when all of them have returned. Required. */
    void (*run)(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                uint32_t count);
    void *context;
    /* how many calls of `work` run at once; at most 16 are used. See TP_JOBS_SLICE_UNITS */
    uint32_t workers;
} tp_jobs;

/* The largest overrun of one slice: an indivisible item that was started is finished. Items are
   a row of pairs, the cell look-up of a particle with cells of several sizes, the fields or walls
   of one particle, the sort of a small cell, and at the start of a frame all poses and changes. */
#define TP_UNITS_OVERRUN(neighbours_max, fields_max, colliders_max, emitters_max) \
    ((neighbours_max) / 2u + 160u + 10u * (fields_max) + 5u * (colliders_max) +   \
     3u * (emitters_max) / 2u)

/* Slices with jobs: in a stage that uses them a slice may be `workers` times as long. In worlds
   whose pairs all workers visit, it has at least this many units per worker, and four times as many
   in a call without a limit of time. No slice exceeds the rest of the budget. Details:
   runtime/guide/api.md, threads. */
#define TP_JOBS_SLICE_UNITS 65536u

/* What one frame may cost. Calls that take a budget return TP_ERROR_NULL, and do nothing, if
   `microseconds` is set without clock_us, or `jobs` has no run. */
typedef struct tp_budget {
    uint32_t units;                      /* 0: no limit */
    uint32_t microseconds;               /* 0: no limit; else clock_us must not be null */
    uint64_t (*clock_us)(void *context); /* monotonic microseconds, or null */
    void *clock_context;
    uint32_t stage_units[TP_STAGE_COUNT]; /* limit of one stage; 0: none */
    /* limit of simulated frames that this call completes; 0: all that are owed */
    uint32_t frames_max;
    /* true: continues the game frame of the previous call. No new time is owed, and `units` is
       the limit of the whole game frame. */
    bool is_same_frame;
    uint8_t lanes_max;   /* widest vectors that the stages may use, see tp_lanes; 0: no limit */
    const tp_jobs *jobs; /* null: everything runs on the caller's thread */
} tp_budget;

typedef enum tp_pool {
    TP_POOL_PARTICLES,
    TP_POOL_EMITTERS,
    TP_POOL_SINKS,
    TP_POOL_FIELDS,
    TP_POOL_COLLIDERS,
    TP_POOL_LINKS,
    TP_POOL_BODIES,
    TP_POOL_GEOMETRY,
    TP_POOL_PAIRS,
    TP_POOL_COUNT
} tp_pool;

typedef struct tp_pool_report {
    uint32_t capacity, used, peak;
    uint32_t retired; /* slots whose generations are used up */
    uint64_t refused;
} tp_pool_report;

/* What a frame did, for one world; tp_cache_counters has the work of caches. Counters marked
   "ever" run since the world began. Those of what happened in the world (from `steps`, births and
   deaths to events) go back with it when a cached frame is restored; those of calls, time, budgets,
   restarts, peaks and lists do not. */
typedef struct tp_report {
    uint64_t game_frames;      /* ever: calls of tp_frame that began one */
    uint64_t frames;           /* ever: simulated frames completed */
    uint64_t steps;            /* ever: complete steps */
    uint32_t steps_in_frame;   /* of this game frame */
    uint32_t frames_completed; /* of this call */
    /* of this call, and of those before it in the same game frame */
    uint64_t units;
    uint64_t stage_units[TP_WORLD_STAGES]; /* as units, by stage */
    uint32_t slice_units_longest;          /* of this game frame */
    uint64_t slice_units_longest_ever;
    uint32_t microseconds; /* of this game frame, 0 without a clock */
    uint32_t slice_microseconds_longest;
    uint64_t lag_ticks;         /* time owed to the game, now */
    uint64_t lag_ticks_dropped; /* ever */
    uint64_t lagged_frames;     /* ever: game frames that ended with time owed */
    uint32_t step_ticks;        /* of the last step */
    float timestep;             /* s, of the last step */
    /* largest of the last step; 0 when not adaptive. Incompressible fluid: of the fastest pair of
       neighbours, relative to smoothing_radius */
    float courant;
    /* SPH: the last step over 0.9 of the longest stable one; TP_CLOTH_EXPLICIT: over
       timestep_stable, at most what count_max allows */
    float strain;
    /* incompressible fluid: density over that at rest less 1, at most 8, where the last step began:
       mean over all particles (expanded ones count 0), and the largest */
    float compression, compression_max;
    /* ever: frames in which substeps.count_max kept the step above the target */
    uint64_t courant_exceeded;
    uint64_t coarsened_steps; /* ever */
    /* ever: by calls that edit what a step works on. If such a call is made in every frame, and
       the budget is below the units of a step, no step ends. */
    uint64_t steps_restarted;
    uint32_t particles;
    uint64_t born, died; /* ever; died by sinks, age and killing colliders */
    uint64_t recycled;   /* ever */
    /* ever: not finite, beyond 1e9 m, or faster than 1e9 m/s along an axis */
    uint64_t killed_particles;
    /* of the last step; with kept lists those within cutoff + skin when the list was built */
    uint64_t pairs;
    uint32_t neighbours_largest; /* of the last step, before the neighbour limit */
    /* of the last step that dropped ends: their share of all that it found; 0 if there was none */
    float neighbours_dropped_share;
    uint64_t neighbours_dropped_frame; /* the frames completed before that step */
    /* ever: ends of pairs dropped by the neighbour limit; both ends count */
    uint64_t neighbours_dropped;
    /* ever: particles that cell_max excluded from pairs, per step. Beyond 65535 cells from the
       origin all particles share the outermost cells. */
    uint64_t particles_skipped;
    uint64_t displacements_clamped; /* ever: pair displacements above one smoothing radius */
    uint64_t speeds_clamped;        /* ever; of explicit cloth also fast springs, per step */
    uint64_t steps_shortened; /* ever: begun again, because the fluid was too stiff for them */
    /* ever: count_max allowed none short enough, so they simulated less time (slow motion), or
       some link or spring of cloth had less than its stiffness; sph.compat: only counted */
    uint64_t steps_strained;
    uint64_t contacts;         /* of the last step */
    uint64_t contacts_limited; /* ever: paths stopped after 4 contacts in a sub-step */
    uint64_t pushed_out;       /* ever: particles found inside a solid and projected out */
    /* ever: of paths, from room to room; paths stopped after 8 hops in a sub-step; searches that
       began in no room; searches beyond a sector's surroundings, through the whole tree */
    uint64_t room_hops, rooms_limited, rooms_missed, rooms_exceeded;
    /* ever: particles of a fluid that used up their 128 tests of triangles as walls, per step.
       Walls may be too far, or missing, where edges are below smoothing_radius / 4 */
    uint64_t walls_limited;
    uint64_t overlaps_guarded; /* ever: pairs closer than the overlap distance, per step */
    uint64_t lists_built;      /* ever: steps that built a new neighbour list */
    uint64_t collisions;       /* ever: of hard spheres */
    /* ever: pairs of hard spheres that contact_iterations left for the next step, per step */
    uint64_t overlaps_unresolved;
    uint64_t links_dropped;   /* ever: because an end died */
    uint64_t links_broken;    /* ever: longer than their break_length; in cloth: see cloth.tear */
    uint64_t springs_removed; /* ever: rest length beyond the support radius */
    uint64_t springs_dropped; /* ever: not born or dropped at sph.springs_max, in each step */
    uint32_t springs;         /* in the last complete step */
    uint32_t lanes;           /* numbers in the vectors of the last slice: see tp_lanes */
    uint64_t links_guarded;   /* ever: links shorter than 1e-6 m, per step */
    uint64_t link_forces_clamped; /* ever: forces of links clamped at pair.link_force_max */
    uint64_t events;              /* ever: also those that were dropped; the number of the next */
    uint64_t events_dropped;      /* ever: beyond events_max in one step, the last in its order */
    uint64_t feeds_dropped;  /* ever: events that feed emitters, beyond feeds_max in one step */
    uint64_t births_limited; /* ever: births beyond feed_births_max of an emitter in one step */
    /* ever: strengths of vortons clamped at vortex.strength_max or growth_max, per step */
    uint64_t strengths_limited;
    uint64_t vortons_merged, vortons_split; /* ever: pairs that became one; those that became two */
    /* ever: nodes of a grid, without it vortons, with a vorticity above 0.5 / dt, per step */
    uint64_t vortices_fast;
    tp_pool_report pools[TP_POOL_COUNT];
} tp_report;

/* Numbers in the widest vectors of this build and this machine: 1, 4, 8 (AVX2) or 16 (AVX-512).
   64-bit x86 has 4 and 8, and chooses when it runs; TP_LANES_MAX, defined with the implementation,
   adds 16 or leaves 4 alone. The width never changes a result. O(1) */
uint32_t tp_lanes(void);

/* Simulates one game frame within the budget. TP_OK: no time is owed afterwards. TP_MORE: time
   is owed. `budget` and `report` may be null.
   - A game frame exceeds budget->units by at most one slice (slice_units) and TP_UNITS_OVERRUN;
     the next slices are charged with that. With jobs see TP_JOBS_SLICE_UNITS.
   - The clock is read between slices; in half of the time left, several may be worked on as one.
   - Slicing, budgets and jobs never change the bits of a step.
   - TP_OVERLOAD_COARSEN chooses other steps, from units alone.
   - Stack, also of every other call and of each lent thread: 4.2 KB without vectors on Cortex-M
     and 32-bit RISC-V without jobs, else 11 KB; 72 KB with vectors.
   Errors: NULL (world, or a budget without its functions), BLOCK.
   Cost: budget->units + slice_units + TP_UNITS_OVERRUN. Without a limit the whole frame:
   O(substeps * particles * (9 or 27) * cell_max). */
TP_CHECKED tp_result tp_frame(tp_world *world, const tp_budget *budget, tp_report *report);

/* One world of several that share a budget. */
typedef struct tp_share {
    tp_world *world;
    uint32_t priority; /* lower goes first with the units that guarantees leave over */
    /* granted before any other world's leftovers, to within one slice of 64 units */
    uint32_t guaranteed_units;
    tp_report report; /* written */
} tp_share;

/* Shares one budget of units and time among at most 64 worlds: first every guarantee, then the
   rest by priority. Among equals the world that has waited for the most calls goes first, then
   the first in the array. A game that gives each frame its input calls tp_frame_together.
   - A slice has at least 64 units. A world waits when fewer units are left, or less time than
     such a slice takes.
   - Every slice must fit the remaining budget. Exception: the first slice of a call. So the call
     is charged at most 64 units more than its budget.
   - A world that the call leaves inside a step may have done TP_UNITS_OVERRUN more (with jobs see
     TP_JOBS_SLICE_UNITS); its next slices are charged with that.
   - Charged units are the same at every vector width.
   Errors: NULL (shares, a world, or a budget without its functions), BLOCK, DEFINITION (too many
   worlds, a world twice, or guarantees, each rounded up to a multiple of 64, above the budget).
   Cost: budget->units + 64, and O(count^2). Without a limit as tp_frame, for every world. */
TP_CHECKED tp_result tp_frame_worlds(tp_share *shares, uint32_t count, const tp_budget *budget);

/* As tp_frame_worlds, one simulated frame at a time: for worlds that see each other, and for a game
   that gives each frame its input. A call owes each world a frame only if no world owes one. So no
   world begins a frame before all have completed the last one, and no time is ever dropped.
   - TP_OK: all have completed the frame. Apply the next input, and call again with is_same_frame
     while budget is left.
   - TP_MORE: the budget ended first. Call again in the next picture, without new input.
   - is_same_frame: units and microseconds go on from the call before; both are limits of the whole
     picture.
   Errors, cost: as tp_frame_worlds. */
TP_CHECKED tp_result tp_frame_together(tp_share *shares, uint32_t count, const tp_budget *budget);

/* The counters as they are now. Cost: O(1). */
tp_report tp_world_report(const tp_world *world);

typedef enum tp_draw_kind {
    TP_DRAW_COLLIDER = 0,
    TP_DRAW_EMITTER = 1, /* its shape, and a line along the velocity of births */
    TP_DRAW_SINK = 2,    /* except those by age */
    TP_DRAW_CELL = 3,    /* the cells of pairs that hold particles */
    TP_DRAW_CONTACT = 4, /* particles that touched a collider in the last step */
    TP_DRAW_BUDGET = 5   /* texts: units of the last frame and of its stages, steps, particles */
} tp_draw_kind;

/* Functions of the game that draw, in world coordinates; a null one draws nothing. */
typedef struct tp_draw {
    void *context; /* first argument of every function */
    void (*line)(void *context, tp_draw_kind kind, tp_vector from, tp_vector to);
    void (*sphere)(void *context, tp_draw_kind kind, tp_vector center,
                   float radius);                                     /* 2D: circle */
    void (*text)(void *context, tp_draw_kind kind, const char *text); /* a line of it */
    bool colliders, emitters, sinks, cells, contacts, budget;         /* what is drawn */
} tp_draw;

/* Draws a world as it is at the last complete step, to find mistakes. Planes are squares with a
   side of 2 m, distance grids the boxes around them. Not sliced: not for the frame loop. The
   functions must not change the world.
   Errors: NULL, BLOCK. Cost: O(items + geometry + particles). */
TP_OF_DRAW TP_CHECKED tp_result tp_world_draw(const tp_world *world, const tp_draw *draw);

/* Energies and momentum of a world with the solver PAIR, at the last complete step. */
typedef struct tp_pair_report {
    uint32_t particles;
    uint32_t pairs;  /* within the cutoff; hard spheres: within sigma */
    float kinetic;   /* J, all particles */
    float potential; /* J, all pairs; hard spheres: 0 */
    /* J (Boltzmann's constant is 1): 2 kinetic / (dimensions * (particles - 1)) */
    float temperature;
    /* J: sum of r . F over pairs and links, without damping; hard spheres: mean over the time
       since the last measurement, without links */
    float virial;
    uint32_t links;    /* that hold */
    float link_energy; /* J, all links: stiffness (length - rest_length)^2 / 2 */
    /* Pa (2D: N/m): (2 kinetic + virial) / (dimensions * volume); 0 unless all axes are periodic */
    float pressure;
    tp_vector momentum; /* kg m/s */
} tp_pair_report;

/* Measures energy, virial and momentum; terms are floats, their sums exact. Not sliced: not for
   the frame loop. Restarts the step, and the storage order may change; no bit of the state does.
   Afterwards forces and lists are known and the next step costs less, so TP_OVERLOAD_COARSEN may
   choose other steps.
   Errors: NULL, BLOCK, DEFINITION (another solver). Cost: O(particles * (9 or 27) * cell_max). */
TP_OF_PAIR TP_CHECKED tp_result tp_pair_measure(tp_world *world, tp_pair_report *report);

/* A potential as samples, in units of each pair's epsilon and sigma, evenly spaced in the square
   of the distance from pair.overlap to pair.cutoff. Between samples the energy is the cubic in
   that square through both energies and both slopes; the force is its derivative. Accuracy:
   runtime/guide/api.md, tables. */
typedef struct tp_pair_table {
    uint32_t stamp;
    uint32_t count;        /* 5..pair.table_max */
    const float *energies; /* `count` of them, V / epsilon, -1e12..1e12; copied */
    /* -V' sigma / epsilon, -1e9..1e9; null: derived from the energies. Copied */
    const float *forces;
} tp_pair_table;

/* Defaults. Cost: O(1). */
TP_OF_PAIR tp_pair_table tp_pair_table_default(void);

/* Null if good, else a sentence naming the first wrong field and its range. Cost: O(samples). */
TP_OF_PAIR const char *tp_pair_table_check(const tp_world *world, const tp_pair_table *table);

/* Distance of a sample, in sigmas: where the game evaluates its potential; null: 0. Cost: O(1). */
TP_OF_PAIR float tp_pair_table_distance(const tp_world *world, uint32_t count, uint32_t sample);

/* Replaces the table. Until the first one, pairs exert no force. Restarts the step. Cached
   frames go on with the current table.
   Errors: NULL, BLOCK, STAMP, DEFINITION. Cost: O(samples). */
TP_OF_PAIR TP_CHECKED tp_result tp_pair_table_set(tp_world *world, const tp_pair_table *table);

/* Hash of the state at the last complete step, independent of storage order: particles by id with
   their words, clocks, births that emitters owe, poses of emitters and colliders, which links
   hold. A step in progress does not change it; a move or place does at once. Not in it: the
   definition (except seeds), tables, fields, sinks, shapes, settings of emitters and colliders, and
   settings that wait. Worlds set up alike whose hashes are equal go on to the same bits.
   Cost: O(particles + emitters_max + colliders_max). */
uint64_t tp_world_hash(const tp_world *world);

/* ---------------------------------- events ---------------------------------------------------- */

/* What happened in a world, one by one: for sounds, effects and the rules of a game. A world with
   events_max keeps the last so many in a ring in its block.
   - Only complete steps have events. Within a step their order is that of the kinds below, then of
     the ids; so it is the same for any budgets, slices, jobs and vector widths.
   - A step that has more than events_max keeps the first ones in this order; the others are
     counted and have numbers. A full ring loses the oldest ones.
   - The ring is part of the block and of its snapshots. A restored frame of a cache has an empty
     ring, and goes on with the same events and numbers.
   - Of the state hash, the sum of all events is a part.
   Cost: 2 units per event, and 4 to sort it; sinks count twice for a particle that dies. */
typedef enum tp_event_kind {
    /* longer than its break_length, or in cloth cloth.tear; not a link whose end died. A tie beyond
       its strength: the handle is its number + 1 */
    TP_EVENT_LINK_BROKEN = 0,
    TP_EVENT_SPRING_BROKEN = 1, /* its rest length exceeds the support radius */
    TP_EVENT_DEATH = 2,         /* see tp_death */
    TP_EVENT_BIRTH = 3,         /* by an emitter or tp_particle_add */
    /* A contact at event_speed or faster, of a particle that is not in such a contact with the same
       collider already. It is in 3 at a time at most: at a fourth collider none begins. */
    TP_EVENT_CONTACT_BEGUN = 4,
    TP_EVENT_CONTACT_ENDED = 5, /* it did not touch that collider in this step; not if it died */
    /* The age of a living particle passed a multiple of feed_ticks, or its way one of
       feed_distance, 16 times in a step at most, not in that of its birth. No world keeps it. */
    TP_EVENT_TRAIL = 6,
    /* A body and a collider, or two bodies, that are not in such a contact already met at
       event_speed or faster; not at a collider whose event_species is 0. One per pair, whatever
       corners meet; of two bodies that with the lower slot has it, the other is its partner. */
    TP_EVENT_BODY_BEGUN = 7,
    /* They parted: at event_speed or faster, or by half the distance from the middle of the smaller
       one to its farthest corner. What bounces lower stays in its contact, so what comes to rest
       begins one and ends none. Not of a body that was removed or set: its contacts begin anew. */
    TP_EVENT_BODY_ENDED = 8
} tp_event_kind;
#define TP_EVENT_BIT(kind) (1u << (kind))
#define TP_EVENTS_ALL      63u  /* of particles */
#define TP_EVENTS_BODIES   384u /* of bodies */

/* Why a particle died. tp_particles_remove makes no events: its caller knows the ids. */
typedef enum tp_death {
    TP_DEATH_NONE = 0,     /* another event */
    TP_DEATH_SINK = 1,     /* handle: the sink */
    TP_DEATH_LIFETIME = 2, /* handle: its emitter */
    TP_DEATH_COLLIDER = 3, /* handle: the collider, which kills */
    TP_DEATH_RECYCLED = 4, /* for a birth, see TP_POOL_RECYCLE */
    TP_DEATH_LOST = 5,     /* not finite, beyond 1e9 m, or faster than 1e9 m/s */
    TP_DEATH_CLEARED = 6   /* tp_particles_clear: one event for all, with the id TP_ID_NONE */
} tp_death;
#define TP_ID_NONE 0xffffffffu

typedef struct tp_event {
    uint64_t number; /* 0 for the first event of the world, then one more each */
    uint64_t frame;  /* frames that the world had completed */
    uint32_t tick;   /* of that frame, at the end of the step; of calls: when they came */
    uint16_t kind;   /* tp_event_kind */
    uint16_t cause;  /* tp_death */
    /* of the particle: as in tp_view, its species and emitter; of a body: its tp_body.id, and 0 */
    uint32_t id, meta;
    /* id of the other end of a link or spring; of the other body, else TP_ID_NONE */
    uint32_t partner;
    uint32_t handle; /* of the collider, emitter, sink or link; 0: none, or no longer known */
    /* m: contact begun: on the surface. Birth, contact ended: of the particle after the step, or
       the body's center. Death: before the step, or where it hit. Link, spring: the middle */
    tp_vector point;
    tp_vector normal; /* contact begun: of the surface; link, spring: from partner to id; else 0 */
    tp_vector velocity; /* m/s: of the particle or body; of a contact before it */
    /* m/s: contact begun: towards the surface; link, spring: at which it gets longer; else 0 */
    float speed;
} tp_event;

/* What one reader has read. All zero: nothing. */
typedef struct tp_event_cursor {
    uint64_t next;   /* number of the next event to read */
    uint64_t missed; /* ever: events that the ring had lost before they were read, or dropped */
} tp_event_cursor;

/* Copies the next events of a reader, at most `capacity`, sets *count to their number and moves the
   cursor behind them. Call it after each frame; any number of readers may. MORE: others are left,
   call again. `events` may be null if `capacity` is 0. A cursor ahead of the world, which was
   rewound, goes back to the world's next event: what happens again is read again. If the world
   simulates between the rewind and this call, set `next` to the report's events first.
   Errors, without effect: NULL, BLOCK, DEFINITION (no events_max). Cost: O(events_max). */
TP_OF_EVENTS TP_CHECKED tp_result tp_world_events(const tp_world *world, tp_event_cursor *cursor,
                                                  tp_event *events, uint32_t capacity,
                                                  uint32_t *count);

/* ---------------------------------- queries --------------------------------------------------- */

/* What is near a point, in a region or ahead of a ray. Particles are found through a tp_query: an
   index of the last complete step in memory of its own, a copy that later steps of the world do
   not touch. A world without one has no costs. Results depend on the particles alone, not on
   slices, storage order or machine. In a periodic box particles count as their nearest images.
   Calls with a cursor:
   - `units`: limit of the work of this call, exceeded by at most TP_QUERY_OVERRUN; 0: no limit.
   - TP_MORE: call again with the same arguments. Until TP_OK the results hold no answer. A call
     with other arguments, or of an index that has changed, begins again; points are not compared.
   - `cursor`: all zero before the first call and after a restore; may be null if `units` is 0.
   - Errors change nothing. QUERY: a number that is not finite or beyond 1e9 m, a negative length,
     or a value that is none of its enum. EMPTY: the index is not complete. */
typedef struct tp_query tp_query;

/* Settings and capacities of a query. */
typedef struct tp_query_def {
    uint32_t stamp;         /* set by tp_query_default, checked by every use */
    uint32_t dimensions;    /* 2 or 3: those of the world */
    uint32_t particles_max; /* 1..16777215; at least as many as the world holds */
    /* m: support radius of the kernel that weighs particles, and about the side of a cell of the
       index, 1e-4..1e6; default: of a fluid its smoothing_radius */
    float radius;
    /* m: the surface of the particles is that of balls of this radius around them, 0..radius,
       default 0.45 of it: that closes the gaps of a fluid at rest */
    float surface_radius;
    /* true: twice the memory; the last complete index answers while the next one is built.
       False (default): calls give EMPTY meanwhile */
    bool is_double;
} tp_query_def;

/* Defaults for worlds of this definition. A null one gives a definition that tp_query_check
   refuses. Cost: O(1). */
TP_OF_QUERIES tp_query_def tp_query_default(const tp_world_def *world);

/* Null if good, else a sentence that names the first wrong field and its range. Cost: O(1). */
TP_OF_QUERIES const char *tp_query_check(const tp_query_def *definition);

/* Size of the block for this definition, in bytes.
   Errors: NULL, STAMP, DEFINITION. Cost: O(1). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_memory(const tp_query_def *definition, size_t *bytes);

/* The parts of the block in order: at most TP_MEMORY_PARTS_MAX of them, and their number. Their
   bytes add up to the result of tp_query_memory.
   Errors: NULL, STAMP, DEFINITION. Cost: O(parts). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_memory_parts(const tp_query_def *definition,
                                                         tp_memory_part *parts, uint32_t *count);

/* Upper bound of tp_query_memory, a constant expression; of is_double twice as much. */
#define TP_QUERY_BYTES(dimensions, particles_max) \
    (1280u + (uint32_t)(particles_max) * ((dimensions) == 2 ? 33u : 41u))

/* Creates a query without an index in `block`, `bytes` long and aligned to 16. The definition is
   copied.
   Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH.
   Cost: O(block), to clear it. */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_create(const tp_query_def *definition, void *block,
                                                   size_t bytes, tp_query **query);

/* The query inside a block that was copied or moved; null if the block holds none. Only the head
   of the block is checked: a block from a network or a file must not come here. Cost: O(1). */
TP_OF_QUERIES tp_query *tp_query_at(void *block, size_t bytes);

/* The definition that the query was made with; null for a null or foreign query. Cost: O(1). */
TP_OF_QUERIES const tp_query_def *tp_query_definition(const tp_query *query);

/* Builds the index of the world's last complete step, for at most `units` units; 0: no limit.
   TP_OK: the index is complete, and the next call begins a new one.
   - Units: 1 per 4 particles to copy them, then 2 per particle and 1 per 4 entries of a table with
     1 to 1.19 entries per particle of particles_max (at least 7).
   - If the world changes before all particles are copied, the copy begins again. Afterwards the
     world is not needed: the index is of the step that was copied.
   - Before a block of a snapshot replaces the world during a build, call tp_query_clear.
   Errors: NULL, BLOCK, DEFINITION (other dimensions), FULL (more particles than particles_max).
   Cost: the units; in all O(particles + particles_max). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_update(tp_query *query, const tp_world *world,
                                                   uint32_t units);

/* Discards the index and a build in progress.
   Errors: NULL, BLOCK. Cost: O(1). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_clear(tp_query *query);

/* The state of a query; all zero for a null or foreign one. */
typedef struct tp_query_report {
    bool is_ready;    /* an index is complete */
    bool is_building; /* tp_query_update returned TP_MORE */
    uint64_t frame;   /* of the index: frames that the world had completed, and ticks since then */
    uint32_t tick;
    uint32_t particles;   /* in the index */
    uint32_t units;       /* of the last call of tp_query_update */
    uint64_t build_units; /* of the build in progress, or of the last one */
    uint64_t restarts;    /* ever: copies begun again, because the world changed */
} tp_query_report;

/* Cost: O(1). */
TP_OF_QUERIES tp_query_report tp_query_state(const tp_query *query);

/* The progress of one call that is done in slices. All zero: it begins. */
typedef struct tp_query_cursor {
    uint32_t units;     /* out: of the last call */
    uint32_t job;       /* private */
    uint64_t state[24]; /* private */
} tp_query_cursor;

/* The largest overrun of a call with a limit of units. */
#define TP_QUERY_OVERRUN 8u

typedef enum tp_region_shape {
    TP_REGION_BOX = 0,    /* center +- half */
    TP_REGION_SPHERE = 1, /* radius (2D: circle) */
    /* radius, around the line from center - half to center + half. In a periodic box both must fit
       into half of it: |half| + radius along each periodic axis, else QUERY */
    TP_REGION_CAPSULE = 2
} tp_region_shape;

/* Where particles are searched; its surface belongs to it. */
typedef struct tp_region {
    tp_region_shape shape;
    uint32_t species_mask; /* bit s: species s is found */
    tp_vector center;      /* m */
    tp_vector half;        /* m: box: half sides, >= 0; capsule: half of its axis */
    float radius;          /* m, >= 0 */
} tp_region;

/* A particle that was found. */
typedef struct tp_found {
    uint32_t id, meta; /* as in tp_view */
    tp_vector position, velocity;
    float distance; /* m: from the region's center; capsule: from its axis */
} tp_found;

/* Finds the particles in a region, in ascending order of their ids, and sets *count to their
   number. FULL: these are more than `capacity`, and `found` has those with the lowest ids. With
   capacity 0 they are only counted, and `found` may be null.
   Units: 1 per cell in the region's bounds, but none where these are more than the particles; 1 per
   particle in the buckets of these cells, or of all; 3 more per particle in the region; 4 per
   particle that is returned.
   Errors: NULL, BLOCK, EMPTY, QUERY, FULL. Cost: the units; a unit may move log2(capacity)
   entries. In all O(particles log capacity). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_region(const tp_query *query, const tp_region *region,
                                                   uint32_t units, tp_query_cursor *cursor,
                                                   tp_found *found, uint32_t capacity,
                                                   uint32_t *count);

/* Finds the `capacity` particles of a region that are nearest, by distance, ties by id, and sets
   *count to their number. A sphere is searched from its center outwards, so a large one costs
   little where particles are dense.
   Units: as tp_query_region, for spheres of radius `radius` of the definition, then twice that and
   so on, until one holds enough.
   Errors: NULL, BLOCK, EMPTY, QUERY. Cost: the units; in all O(particles log capacity) for the
   last sphere, and for each one before it. */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_nearest(const tp_query *query, const tp_region *region,
                                                    uint32_t units, tp_query_cursor *cursor,
                                                    tp_found *found, uint32_t capacity,
                                                    uint32_t *count);

/* What particles weigh at a point: with w = (1 - d^2 / radius^2)^3 for particles at a distance d
   below the definition's radius. */
typedef struct tp_sample {
    float density;      /* kg/m^3 (2D: kg/m^2): sum of mass times w, over the integral of w */
    tp_vector velocity; /* m/s: mean, by mass times w; 0 where there are no particles */
    /* unit length, towards lower density: out of the fluid at its surface; 0 where it is even */
    tp_vector normal;
    uint32_t particles; /* within the radius */
} tp_sample;

/* Density, velocity and normal at `count` points. Sums are of integers: one count of a density is
   2^-38 of the heaviest mass of a species at distance 0.
   Units: 2 per point; 1 per cell (9, in 3D 27) and per particle in their buckets; 4 more per
   particle within the radius.
   Errors: NULL, BLOCK, EMPTY, QUERY (the first bad point; samples before it may be written).
   Cost: the units; in all O(count * particles near a point). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_sample(const tp_query *query, const tp_vector *points,
                                                   uint32_t count, uint32_t species_mask,
                                                   uint32_t units, tp_query_cursor *cursor,
                                                   tp_sample *samples);

typedef enum tp_grid_value {
    TP_GRID_DENSITY = 0, /* that of tp_sample */
    TP_GRID_WEIGHT = 1   /* sum of w: for metaballs. 1 at a single particle */
} tp_grid_value;

/* A grid of the caller: for marching squares or cubes. */
typedef struct tp_sample_grid {
    tp_grid_value value;
    uint32_t species_mask;
    tp_vector low;                  /* m: the first node */
    float spacing;                  /* m between nodes, > 0 */
    uint32_t columns, rows, layers; /* nodes along x, y, z, 1..65535; 2D: layers = 1 */
} tp_sample_grid;

/* A scalar at each node: values[column + columns * (row + rows * layer)].
   Units: as tp_query_sample, per node, but 1 more per particle within the radius.
   Errors: NULL, BLOCK, EMPTY, QUERY (also more nodes than 2^31), FULL (more nodes than `capacity`;
   nothing is written). Cost: the units; in all O(nodes * particles near a node). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_grid(const tp_query *query, const tp_sample_grid *grid,
                                                 uint32_t units, tp_query_cursor *cursor,
                                                 float *values, uint32_t capacity);

/* A ray, or a sphere that moves along it. */
typedef struct tp_ray {
    tp_vector from, move; /* m: from `from` to `from` + `move` */
    float radius;         /* m: of the sphere, >= 0; 0: a ray */
    /* bit s: meets particles of species s, and colliders that act on one of these species */
    uint32_t species_mask;
} tp_ray;

/* The first contact of a ray. */
typedef struct tp_ray_hit {
    bool is_hit; /* false: the other members are 0 */
    /* the ray begins inside: time is 0; normal and point are of the nearest surface or particle */
    bool is_inside;
    float time;           /* 0..1 of `move` */
    tp_vector center;     /* m: of the sphere at that time */
    tp_vector point;      /* m: of the surface that it touches */
    tp_vector normal;     /* unit length, out of the surface */
    uint32_t particle;    /* id of the hit particle; colliders: 0 */
    tp_collider collider; /* colliders only */
} tp_ray_hit;

/* The first ball around a particle that a ray or a moving sphere meets (surface_radius): the
   surface of a fluid. Of balls met at the same time the lowest id counts. The normal is that of
   the density at `point`, or of the ball where that has none. In a periodic box the ray goes on
   through its sides, and radius + surface_radius is at most a quarter of it.
   Units: 2 per piece of the ray, which is twice as long as the larger one of the definition's
   radius and radius + surface_radius; 1 per cell in its bounds and per particle in their buckets,
   up to the piece of the hit; then one sample. Without periodic axes all cells are at most the
   particles.
   Errors: NULL, BLOCK, EMPTY, QUERY (in a periodic box also more than 2^24 pieces).
   Cost: the units; in all O(particles) without periodic axes, else O(pieces * particles). */
TP_OF_QUERIES TP_CHECKED tp_result tp_query_ray(const tp_query *query, const tp_ray *ray,
                                                uint32_t units, tp_query_cursor *cursor,
                                                tp_ray_hit *hit);

/* The first collider that a ray or a moving sphere meets, at the poses of the last complete step;
   no tp_query is needed. Of colliders met at the same time the first slot counts.
   - The sphere stops 1e-5 m, or 2^-20 of the largest coordinate, before the surface.
   - Solids count from outside, hollow boxes from inside, meshes by winding unless is_two_sided. A
     ray that leaves a surface does not meet it. Periodic sides do not matter.
   - A ray that grazes a distance grid for more than 12 288 steps ends there.
   Units: 2 per collider; 1 per triangle, tree node, height cell and step in a distance grid.
   Errors: NULL, BLOCK, QUERY. Cost: the units; in all O(colliders_max + geometry). */
TP_OF_QUERIES TP_CHECKED tp_result tp_world_ray(const tp_world *world, const tp_ray *ray,
                                                uint32_t units, tp_query_cursor *cursor,
                                                tp_ray_hit *hit);

/* ---------------------------------- light ----------------------------------------------------- */

/* Light at points: from spheres, and from far away as spherical harmonics (SH). All calls are
   functions of the caller's memory and need no world. A color has three channels. Radiance is in
   W/(m^2 sr), irradiance in W/m^2. Bits are equal on every machine. */

/* How the light of a sphere ends at its reach. */
typedef enum tp_light_window {
    TP_LIGHT_RATIONAL = 0, /* value and slope end at 0 */
    TP_LIGHT_TANGENT = 1,  /* as RATIONAL; brighter before that, and slower */
    TP_LIGHT_BIASED = 2,   /* the law scaled and shifted: the slope shows an edge at the reach */
    TP_LIGHT_ENDLESS = 3   /* the law alone, (radius / (distance + radius))^2; no reach */
} tp_light_window;

/* A sphere that is equally bright everywhere. Inside of it is as on its surface. */
typedef struct tp_light {
    tp_vector position; /* m: its center */
    float radius;       /* m, 1e-4..1e6 */
    tp_vector radiance; /* each channel 0, or 1e-6..1e9 */
    float reach;        /* m from its surface, 1e-4..1e9: no light from there on; tp_light_reach */
    tp_light_window window;
} tp_light;

#define TP_SH_COUNT 9
/* Coefficients of order 2, each a color: of y_00, y_1-1 (y), y_10 (z), y_11 (x), y_2-2 (xy),
   y_2-1 (yz), y_20, y_21 (xz), y_22 (xx - yy). All signs are positive: y_11 is .488603 x. */
typedef struct tp_sh {
    tp_vector of[TP_SH_COUNT];
} tp_sh;

#define TP_LIGHTS_MAX 64u
/* The shadow that the particles of a world cast: how much of each light gets through to the nodes
   of a grid. Set the first members, all others 0. It is the caller's, with its arrays; it must not
   change until it is ready. Nodes are in the order of tp_sample_grid. */
typedef struct tp_shadow {
    tp_vector low;                  /* m: the first node */
    float spacing;                  /* m between nodes, 1e-4..1e6 */
    uint32_t columns, rows, layers; /* nodes along x, y, z, 1..1024, at most 2^24; 2D: layers 1 */
    float extinction;               /* m^2/kg (2D: m/kg), 0..1e9: of light through the mass */
    uint32_t species_mask;          /* bit s: species s casts a shadow */
    uint32_t lights_max;            /* 0..TP_LIGHTS_MAX */
    uint32_t *mass;                 /* of the caller: a word for each node */
    float *through; /* of the caller: lights_max for each node; 0..1, node by node */
    /* out */
    bool is_ready;        /* all lights are done */
    uint32_t light_count; /* of them */
    uint32_t units;       /* of the last call of tp_shadow_update */
    /* private */
    uint32_t phase, at, shell, face, row, changes, count;
    float scale;
} tp_shadow;

/* What lights points. */
typedef struct tp_lighting {
    const tp_light *lights; /* of the caller; may be null if there are none */
    uint32_t light_count;   /* 0..TP_LIGHTS_MAX */
    const tp_sh *ambient;   /* from far away; may be null */
    /* of the first light_count lights that it has; may be null. Points outside of its grid count as
       at its rim */
    const tp_shadow *shadow;
} tp_lighting;

/* Null if good, else a sentence that names the first wrong field and its range. Cost: O(1). */
TP_OF_LIGHT const char *tp_light_check(const tp_light *light);

/* The reach at which a light of this radius in m and radiance, its brightest channel, falls to a
   threshold in W/(m^2 sr): radius * (sqrt(radiance / threshold) - 1), at most 1e9. 0 if the
   threshold is higher, or a number is not positive. Cost: O(1). */
TP_OF_LIGHT float tp_light_reach(float radius, float radiance, float threshold);

/* The attenuation of a light at a distance in m of its surface, 1 to 0. A surface that faces the
   light gets pi * radiance * attenuation. 0 for a bad light. Cost: O(1). */
TP_OF_LIGHT float tp_light_falloff(const tp_light *light, float distance);

/* Units of a point. */
#define TP_LIGHT_UNITS(light_count) (1u + (light_count))

/* The irradiance at `count` points in m, with a normal of unit length for each.
   - A light that is partly below the horizon of a normal counts as if it were a point.
   - Null normals: a small ball at each point, per area of the ball.
   - `units`: limit of this call, exceeded by at most one point; 0: no limit. `done`: points that
     are done, 0 before the first call; may be null if `units` is 0. TP_MORE: call again.
   - The irradiance of `ambient` may be below 0 where it changes fast: clamp it to show it.
   Errors: NULL, EMPTY (the shadow is not ready), QUERY (a light, a shadow or a coefficient beyond
   1e12; or a point beyond 1e9 m or a component of a normal beyond 1.01: colors from *done on may
   be written).
   Cost: the units; in all O(count * lights). */
TP_OF_LIGHT TP_CHECKED tp_result tp_light_points(const tp_lighting *lighting,
                                                 const tp_vector *points, const tp_vector *normals,
                                                 uint32_t count, uint32_t units, uint32_t *done,
                                                 tp_vector *irradiance);

/* The irradiance of the particles of the last complete step, in the order of the view: as
   tp_light_points without normals. Finish it before the world changes: `done` counts indices.
   Errors: NULL, BLOCK, EMPTY, QUERY, FULL (more particles than `capacity`). Cost: the units; in all
   O(particles * lights). */
TP_OF_LIGHT TP_CHECKED tp_result tp_light_particles(const tp_world *world,
                                                    const tp_lighting *lighting, uint32_t units,
                                                    uint32_t *done, tp_vector *irradiance,
                                                    uint32_t capacity);

/* Computes a shadow of the world's last complete step, for at most `units` units and a row of
   nodes; 0: no limit. TP_OK: it is ready, and the next call begins anew. TP_MORE: call again with
   these lights.
   - Mass is shared by the eight nodes (2D: four) around a particle. The depth of a node is that of
     the way to the light, summed plane by plane; what gets through is exp(-depth), where depth
     is extinction times mass per area.
   - A light is a point here, and in 2D it is in the plane. Periodic sides do not matter.
   - If the world changes before the mass of all particles is in the grid, that begins again: give
     the first calls after a step 1 unit per 8 nodes and 4 per particle. Afterwards the world may
     change. Mass above 65 535 times that of the heaviest species at one
     node is left out.
   - Units: 1 per 8 nodes; 4 per particle; per light 2 per node, up to 1 more where the planes
     around it meet, and 6 for each of these planes.
   Errors: NULL, BLOCK, QUERY (a light or a number of the shadow). Cost: the units; in all
   O(particles + nodes * lights). */
TP_OF_LIGHT TP_CHECKED tp_result tp_shadow_update(tp_shadow *shadow, const tp_world *world,
                                                  const tp_light *lights, uint32_t light_count,
                                                  uint32_t units);

/* ---- patches that light one another ---- */

#define TP_PATCHES_MAX      32768u /* of a file */
#define TP_PROBES_MAX       65536u
#define TP_PATCH_LINKS_MAX  1024u /* of a patch or a probe */
#define TP_PROBE_LINK_UNITS 8u
/* A surface in patches, from a file .tpl that `tidepool light` makes. Numbers of the caller may
   change at any time; an albedo counts as 0 to 1, all others as 0 at least. */
typedef struct tp_patches {
    uint32_t count, node_count; /* patches; with their clusters */
    uint32_t probe_count, link_count;
    uint32_t vectors;    /* of the memory that they need */
    tp_vector *albedo;   /* the caller's, of each patch; at first that of the file */
    tp_vector *emission; /* as albedo, W/m^2 */
    tp_vector *direct;   /* W/m^2: irradiance by lights; the caller's if it gives none */
    tp_vector *bounced;  /* out, W/m^2: irradiance by the other patches */
    tp_sh *probes;       /* out: light of all patches at each probe */
    bool is_endless;     /* the caller's: patches reflect what is bounced, too; false: once */
    uint32_t units;      /* out: of the last call of tp_patches_update */
    /* private */
    const uint8_t *file;
    tp_vector *sources;
    uint32_t part, phase, at;
} tp_patches;

/* Null if good, else a sentence that tells the first fault of a file .tpl, whose byte goes to
   *byte if that is not null. Cost: O(bytes). */
TP_OF_LIGHT const char *tp_patches_check(const void *file, uint32_t bytes, uint32_t *byte);

/* Opens a file .tpl with memory of so many vectors. Both stay the caller's, and in their place.
   Errors: NULL, DEFINITION (tp_patches_check tells the fault), FULL (fewer vectors than
   `patches->vectors`, which is set then). Cost: O(bytes). */
TP_OF_LIGHT TP_CHECKED tp_result tp_patches_open(tp_patches *patches, const void *file,
                                                 uint32_t bytes, tp_vector *memory,
                                                 uint32_t vectors);

/* Updates one of `parts` parts of the patches and probes, for at most `units` units and an item; 0:
   no limit. TP_OK: the part is done, and the next call begins the next one. TP_MORE: call again.
   - Patches of the part get the light of `lighting`, unless it is null; then they get what all
     patches send out, emission and albedo * direct. 2 * parts calls after the last change
     all is as with parts 1; is_endless: nearer by a factor below the albedo in each round.
   - Lights are not hidden by the surface.
   - Units: 2 and 1 per light for a patch, 1 per cluster, 1 and 1 per link for a patch, 1 and
     TP_PROBE_LINK_UNITS per link for a probe.
   Errors: NULL, EMPTY, QUERY (as tp_light_points; parts 0 or above TP_PATCHES_MAX). Cost: the
   units; in all O(links / parts + clusters). */
TP_OF_LIGHT TP_CHECKED tp_result tp_patches_update(tp_patches *patches, const tp_lighting *lighting,
                                                   uint32_t parts, uint32_t units);

/* The light of patches at a point, for `ambient`: the mean of the eight probes around it that are
   not in a wall, and of the nearest ones outside of their grid; 0 without probes.
   Errors: NULL, QUERY (the point is beyond 1e9 m). Cost: O(1). */
TP_OF_LIGHT TP_CHECKED tp_result tp_patches_sh(const tp_patches *patches, tp_vector point,
                                               tp_sh *sh);

/* Adds light from one direction of unit length, towards the light: a color times what a surface
   that faces it gets. A sample of a picture of the surroundings: radiance times its solid angle;
   4 pi / count for `count` samples that are spread evenly. Null: nothing. Cost: O(1). */
TP_OF_LIGHT void tp_sh_add(tp_sh *sh, tp_vector direction, tp_vector irradiance);

/* Adds a sky: the radiance of the half space around `up`, of unit length, and of the other one. It
   has no order 2, and the irradiance is exact. Null: nothing. Cost: O(1). */
TP_OF_LIGHT void tp_sh_add_sky(tp_sh *sh, tp_vector up, tp_vector above, tp_vector below);

/* Adds lights as a point sees them: discs of their size.
   Errors: NULL, QUERY (as tp_light_points). Cost: O(count). */
TP_OF_LIGHT TP_CHECKED tp_result tp_sh_add_lights(tp_sh *sh, tp_vector point,
                                                  const tp_light *lights, uint32_t count);

/* Turns the light by a unit quaternion: what came from d comes from d, turned. Cost: O(1). */
TP_OF_LIGHT void tp_sh_rotate(tp_sh *sh, tp_quaternion rotation);

/* Converts from or to the signs with the Condon-Shortley phase: those of y_1-1, y_11, y_2-1 and
   y_21 change. Null: nothing. Cost: O(1). */
TP_OF_LIGHT void tp_sh_flip(tp_sh *sh);

/* The radiance from a direction, and the irradiance on a surface, each of unit length. Null: 0.
   Cost: O(1). */
TP_OF_LIGHT tp_vector tp_sh_radiance(const tp_sh *sh, tp_vector direction);
TP_OF_LIGHT tp_vector tp_sh_irradiance(const tp_sh *sh, tp_vector normal);

/* ---------------------------------- sources and caches ---------------------------------------- */

/* A cache records the frames of a source into a ring buffer of bytes. It shows recorded frames
   exactly, interpolates between two, or simulates missing ones. A source describes its streams,
   and is read, restored and simulated only through that description: tp_world_source describes a
   world; a game can fill in a tp_source for its own simulation.
   - A source keeps nothing of the cache; a new one may be made for every call.
   - Values pass in tiles of at most TP_TILE particles, one component after the other: component
     c of particle i of a tile is values[c * TP_TILE + i].
   - Frames are recorded in the order of identity, so equal states give equal bytes whatever
     their storage order. */
#define TP_STREAMS_MAX      12u
#define TP_EXTRAS_MAX       4u
#define TP_NAME_BYTES       16u /* of a stream or an extra block, with the closing zero */
#define TP_TILE             64u
#define TP_GROUP_FRAMES_MAX 64u
#define TP_INPUT_BYTES_MAX  1008u
#define TP_STREAM_NONE      0xffffffffu
#define TP_FRAME_MAX        ((uint64_t)1 << 40)
/* ticks at the start of a frame */
#define TP_TIME(frame) ((uint64_t)(frame)*TP_TICKS_PER_FRAME)

typedef enum tp_stream_type { TP_STREAM_F32 = 0, TP_STREAM_U32 = 1 } tp_stream_type;

/* How a stream is shown between two recorded frames. */
typedef enum tp_interpolation {
    TP_INTERPOLATE_HOLD = 0,   /* the earlier value */
    TP_INTERPOLATE_LINEAR = 1, /* F32 */
    /* F32: the cubic through both values, with the rates (per second) of the stream `partner` */
    TP_INTERPOLATE_HERMITE = 2,
    /* F32: the derivative of the HERMITE stream `partner`, whose partner is this stream */
    TP_INTERPOLATE_RATE = 3,
    TP_INTERPOLATE_SLERP = 4, /* F32, 4 components w x y z: unit quaternions, shorter arc */
    /* U32, 1 component, at most one stream: identifies the particles */
    TP_INTERPOLATE_IDENTITY = 5
} tp_interpolation;

typedef struct tp_stream {
    char name[TP_NAME_BYTES];
    tp_stream_type type;
    uint32_t components; /* 1..4 */
    /* largest error of a component in groups, 1e-20..1e20; 0: exact. Values must be below 2^22
       times it (below 2^18 times for the smallest size). */
    float error_bound;
    tp_interpolation interpolation;
    uint32_t partner; /* HERMITE and RATE: index of the other stream of the pair */
} tp_stream;

/* A named block of bytes recorded with every frame: state that belongs to no particle. */
typedef struct tp_extra {
    char name[TP_NAME_BYTES];
    uint32_t bytes_max;
} tp_extra;

/* What frames of a source consist of. Without an identity stream particles are their indices. */
typedef struct tp_schema {
    tp_stream streams[TP_STREAMS_MAX];
    tp_extra extras[TP_EXTRAS_MAX];
    uint32_t stream_count; /* 1..TP_STREAMS_MAX */
    uint32_t extra_count;  /* 0..TP_EXTRAS_MAX */
    /* U32 stream of flags, or TP_STREAM_NONE. If one of the bits in linear_mask is set in either
       frame, the particle moves in a straight line between them: contacts, teleports. */
    uint32_t linear_stream;
    uint32_t linear_mask;
    /* U32 stream of birth times, in ticks modulo 2^32; TP_STREAM_NONE: none */
    uint32_t birth_stream;
    uint32_t frames_per_second_numerator;   /* 1..65535 */
    uint32_t frames_per_second_denominator; /* 1..65535 */
} tp_schema;

/* A simulation that a cache records. Functions that a source lacks are null. Recording needs
   `frame`, `count`, `read`, and with extra blocks `extra_read`. Simulating needs `advance`;
   rewinding needs `restore_begin` to `restore_end`. */
typedef struct tp_source {
    tp_schema schema;
    uint32_t particles_max;
    void *context; /* first argument of every function */
    /* The last complete frame. False: the state lies inside the next frame. */
    bool (*frame)(void *context, uint64_t *frame);
    /* Number of particles. */
    uint32_t (*count)(void *context);
    /* Reads one stream of the particles at the indices `places`, at most TP_TILE of them:
       `count` values of each component. */
    void (*read)(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                 void *values);
    /* Writes an extra block, at most its bytes_max, and returns its size. Null data: size only. */
    uint32_t (*extra_read)(void *context, uint32_t extra, void *data);
    /* Restore, in this order: restore_begin, write for every stream of every tile, extra_write
       for every extra block, restore_end. Until the end the source shows its old state or none;
       an error of any of them leaves it so. */
    tp_result (*restore_begin)(void *context, uint64_t frame, uint32_t count);
    void (*write)(void *context, uint32_t stream, uint32_t first, uint32_t count,
                  const void *values);
    tp_result (*extra_write)(void *context, uint32_t extra, const void *data, uint32_t bytes);
    tp_result (*restore_end)(void *context);
    /* Simulates one frame, or the rest of one. TP_OK, or TP_MORE when the budget ended first.
       Adds to *units. */
    tp_result (*advance)(void *context, const tp_budget *budget, uint64_t *units);
    /* Goes back to the state at or before the cache's start_frame. TP_OK; TP_MORE: call again. */
    tp_result (*restart)(void *context);
    /* Applies an input that tp_cache_input remembered. An error ends the call that needs it. */
    tp_result (*input)(void *context, const void *data, uint32_t bytes);
    /* Simulates `frames` frames at once, or the rest of them, for quick caches: near the result
       of advance, and the same bits every time. Null where the solver takes no such steps. */
    tp_result (*jump)(void *context, uint32_t frames, const tp_budget *budget, uint64_t *units);
} tp_source;

/* A world as a source. Streams: id, position, velocity, meta, birth where kept, pressure (2
   numbers) of an incompressible fluid, temperature and word where kept; position and velocity have
   as many components as the world has dimensions. The extra block holds clock, emitters, sinks,
   fields, colliders, links and bodies, and with takes_changes the definition, so that a restored
   world goes on to the same bits. A null world gives a source without streams. Restoring, restart,
   jump and budgets: runtime/guide/api.md, sources.
   Cost: O(1). */
TP_OF_CACHE tp_source tp_world_source(tp_world *world);

/* What a cache does with a frame that does not fit. */
typedef enum tp_cache_policy {
    TP_CACHE_EVICT = 0, /* the oldest frames are evicted; counted */
    TP_CACHE_STOP = 1   /* the frame is refused; counted */
} tp_cache_policy;

/* Settings and capacities of a cache. */
typedef struct tp_cache_def {
    uint32_t stamp; /* set by tp_cache_default, checked by every use */
    tp_cache_policy policy;
    uint64_t start_frame; /* first frame that is recorded, default 0 */
    uint64_t end_frame;   /* last frame, start_frame..TP_FRAME_MAX (default) */
    /* frame interval: every step-th frame from start_frame on is recorded, and end_frame;
       1..65535, default 1 */
    uint32_t step;
    /* 1 (default): single frames, each exact and with the extra blocks; the source can be
       restored from any. 2..TP_GROUP_FRAMES_MAX: so many frames are packed together, in a
       fraction of the bytes: streams with an error_bound within it, others exact. The source can
       be restored only if all streams are exact. frames_max must be at least three groups. */
    uint32_t group_frames;
    /* capacity for tp_cache_input, 0..2^24, default 0; an input takes 16 bytes plus its own,
       rounded up to 8 */
    uint32_t input_bytes;
    /* bit s: groups keep stream s of the schema; 0 (default): all */
    uint32_t recorded_streams;
    /* limit of frames, or jumps, that one request simulates, 1..65535, default 16 */
    uint32_t catchup_max;
    /* 1: frames more than one ahead are reached through source->jump; default 0 */
    uint32_t is_quick;
    /* of one frame, 0..16777215, default the source's; a frame with more is refused */
    uint32_t particles_max;
    uint32_t frames_max; /* 0..1048576, default 256 */
    /* of all frames together, 0..2^31, default 1048576. A frame of n particles takes
       TP_CACHE_FRAME_BYTES(n, words of all streams, extra blocks, their bytes). */
    uint32_t ring_bytes;
    /* bound of one slice, up to 65536; at least 64 * streams * group_frames, and a sixteenth of
       the largest extra block + 1; default 2048, or what the source needs */
    uint32_t slice_units;
    tp_schema schema; /* the source's */
} tp_cache_def;

/* Bytes of a recorded single frame. words: sum of the components of all streams. */
#define TP_CACHE_FRAME_BYTES(particles, words, extras, extra_bytes)                         \
    (48u + ((uint64_t)(particles) + 63u) / 64u * 12u + (uint64_t)(particles)*4u * (words) + \
     12u * (extras) + (extra_bytes))

/* Upper bounds of tp_cache_memory as constant expressions, for static arrays. */
#define TP_CACHE_BYTES(particles_max, words, frames_max, ring_bytes, extra_bytes_max) \
    (11264u + (uint32_t)(particles_max)*12u + (uint32_t)(words)*1024u +               \
     (uint32_t)(frames_max)*40u + (uint32_t)(ring_bytes) + (uint32_t)(extra_bytes_max))

/* added for a cache with groups. bounded, exact: components of the recorded streams with and
   without an error_bound, except the identity */
#define TP_GROUP_BYTES(particles_max, bounded, exact, group_frames)                             \
    (((uint32_t)(particles_max) + 63u) / 64u *                                                  \
         (768u +                                                                                \
          64u * (16u * (bounded) + (group_frames)*3u / 2u * (2u * (bounded) + 4u * (exact)))) + \
     10496u + 4096u * (group_frames) + 576u * (group_frames) * ((bounded) + (exact)) +          \
     1024u * ((bounded) + (exact)))
/* added for groups without error bounds; extra_bytes: the most that all extra blocks take */
#define TP_GROUP_EXTRA_BYTES(extra_bytes, group_frames) \
    ((group_frames)*3u / 2u * ((uint32_t)(extra_bytes) + 32u) + 2u * (uint32_t)(extra_bytes) + 64u)

/* A ring of recorded frames. It lies at the start of its block and holds offsets, no addresses:
   a copy of the block is a snapshot. */
typedef struct tp_cache tp_cache;

/* Defaults for a source. A null one gives a definition that tp_cache_check refuses. Cost: O(1). */
TP_OF_CACHE tp_cache_def tp_cache_default(const tp_source *source);

/* Null if good, else a sentence naming the first wrong field and its range. Cost: O(streams). */
TP_OF_CACHE const char *tp_cache_check(const tp_cache_def *definition);

/* Size of the block for this definition, in bytes.
   Errors: NULL, STAMP, DEFINITION. Cost: O(streams). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_memory(const tp_cache_def *definition, size_t *bytes);

/* The parts of the block in order: at most TP_MEMORY_PARTS_MAX of them, and their number. Their
   bytes add up to the result of tp_cache_memory.
   Errors: NULL, STAMP, DEFINITION. Cost: O(parts). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_memory_parts(const tp_cache_def *definition,
                                                       tp_memory_part *parts, uint32_t *count);

/* Creates an empty cache in `block`, `bytes` long and aligned to 16. The definition is copied.
   Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH.
   Cost: O(block), to clear it. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_create(const tp_cache_def *definition, void *block,
                                                 size_t bytes, tp_cache **cache);

/* The cache inside a block that was copied or moved; null if the block holds none. Only the head
   of the block is checked: a block from a network or a file must not come here. Cost: O(1). */
TP_OF_CACHE tp_cache *tp_cache_at(void *block, size_t bytes);

/* The definition that the cache was made with; null for a null cache. Cost: O(1). */
TP_OF_CACHE const tp_cache_def *tp_cache_definition(const tp_cache *cache);

/* How a request was answered. */
typedef enum tp_cache_status {
    TP_CACHE_MISSING = 0, /* not at all */
    TP_CACHE_EXACT = 1,   /* a recorded frame */
    /* between two frames, for display; nothing is simulated from it */
    TP_CACHE_INTERPOLATED = 2,
    TP_CACHE_SIMULATED = 3, /* the source's own state, simulated now or before */
    /* not yet: the budget or catchup_max ended first; request it again */
    TP_CACHE_PARTIAL = 4,
    TP_CACHE_OUTSIDE = 5 /* outside the existing frames: the nearest one is shown */
} tp_cache_status;

/* Arrays for the answer of a request, given by the caller: one per stream, each of capacity *
   components items of the stream's type. Component c of particle i is values[stream][c *
   capacity + i]. Particles are in the order of identity. Zero the view once, set capacity and
   values, and keep it between the calls of one request: until TP_OK the arrays hold no complete
   frame. */
typedef struct tp_frame_view {
    uint32_t capacity;            /* in: particles that the arrays hold */
    void *values[TP_STREAMS_MAX]; /* in: null where the stream is not wanted */
    uint32_t count;               /* out: particles written */
    uint32_t dropped;             /* out: particles that did not fit */
    tp_cache_status status;       /* out */
    uint64_t frame, frame_next;   /* out: the frame shown, or the two around it */
    uint32_t simulated;           /* out: frames simulated by this call */
    uint32_t job;                 /* private to the cache */
} tp_frame_view;

/* Shows the source at `time`, in ticks (see TP_TIME), and writes the view. It looks for the
   frame in the ring, then for two frames around it, then for the source's own state. Otherwise
   it simulates from the last frame before it, or from the source's restart, and records the due
   frames on the way.
   - A protected cache, a null source and a source without `advance` are only read.
   - TP_MORE: request again.
   - A frame found damaged is dropped, counted, and treated as never recorded.
   - Single frames all cost the same: particles * streams units, between two three times that.
   - Groups, quick caches and the source's own state: runtime/guide/api.md, requests.
   Errors: NULL, BLOCK, SOURCE, FRAME (status MISSING), FULL (more than particles_max), errors of
   the source.
   Cost: the budget and one slice; O(frames) to skip frames that were cleared singly. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_request(tp_cache *cache, const tp_source *source,
                                                  uint64_t time, const tp_budget *budget,
                                                  tp_frame_view *view);

/* Records the source's current frame if it is due and not yet recorded. TP_MORE: call again
   before the source is simulated, else this frame is abandoned (counted); also while the source
   is inside a frame.
   - A frame becomes visible when it is complete, and never before.
   - A recorded frame is the last one: all later frames are dropped, outside the budget.
   - Units: (streams + 6) * particles + extra bytes / 16. A null budget is no limit.
   Errors: NULL, BLOCK, SOURCE, PROTECTED, FULL (refused; counted).
   Cost: the budget and one slice, and O(frames) to drop later ones. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_record(tp_cache *cache, const tp_source *source,
                                                 const tp_budget *budget);

/* Puts the source back into a recorded frame, to go on from there to the same bits.
   `drops_later` clears the later frames. The whole frame is checked before the source is
   changed. TP_MORE: call again before the source is simulated. Units: 2 * (streams * particles +
   extra bytes / 16), in a group for each of its frames.
   Errors: NULL, BLOCK, SOURCE (also where groups are not exact), FRAME, PROTECTED (with
   drops_later), errors of the source.
   Cost: the budget and one slice. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_rewind(tp_cache *cache, const tp_source *source,
                                                 uint64_t frame, bool drops_later,
                                                 const tp_budget *budget);

/* Remembers an input: data that source->input understands, at most TP_INPUT_BYTES_MAX, that the
   game is about to apply in the source's current frame. If that frame is due, it must be
   recorded. All later frames and inputs are dropped. When frames are simulated again, the inputs
   are applied again. Full pool, gaps and lifetime of inputs: runtime/guide/api.md, inputs.
   Errors: NULL, BLOCK, SOURCE (no `input`), PROTECTED, FRAME (the source is inside a frame, or
   the frame is due and not recorded), FULL (refused; counted), DEFINITION (too many bytes).
   Cost: O(frames) + O(input_bytes). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_input(tp_cache *cache, const tp_source *source,
                                                const void *data, uint32_t bytes);

/* Puts the source into any frame of the window, recorded or not, to go on from there to the same
   bits. It restores the last recorded frame at or before it and simulates the rest, with its
   inputs. `drops_later` clears the later frames. TP_MORE: call again before the source is
   simulated. Units: as tp_cache_rewind, and at most step - 1 frames of the source.
   Errors: as tp_cache_rewind; FRAME: no recorded frame is at or before it, or the last one is
   `step` or more frames before it.
   Cost: the budget and one slice. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_resume(tp_cache *cache, const tp_source *source,
                                                 uint64_t frame, bool drops_later,
                                                 const tp_budget *budget);

/* Bakes: goes back to the start, clears the cache, simulates and records start_frame..end_frame,
   and protects the cache. Never evicts. TP_MORE: call again. Until the end recorded frames can
   be read, and tp_cache_unprotect cancels the bake.
   Errors: NULL, BLOCK, SOURCE, PROTECTED, FRAME (the start cannot be reached), FULL (the frames
   so far stay, unprotected).
   Cost: the budget and one slice. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_bake(tp_cache *cache, const tp_source *source,
                                               const tp_budget *budget);

/* Protects the recorded frames: nothing is simulated, written or cleared. `is_external` marks
   frames from elsewhere. A recording in progress is abandoned.
   Errors: NULL, BLOCK. Cost: O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_protect(tp_cache *cache, bool is_external);

/* Removes the protection and cancels a bake in progress; the frames stay.
   Errors: NULL, BLOCK. Cost: O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_unprotect(tp_cache *cache);

/* Drops all frames.
   Errors: NULL, BLOCK, PROTECTED. Cost: O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear(tp_cache *cache);

/* Drops the frames after `frame`; inputs stay.
   Errors: NULL, BLOCK, PROTECTED. Cost: O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear_after(tp_cache *cache, uint64_t frame);

/* Drops the frames before `frame`. Their inputs are forgotten when input_bytes are needed.
   Errors: NULL, BLOCK, PROTECTED. Cost: O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear_before(tp_cache *cache, uint64_t frame);

/* Drops one frame; its bytes are free when it is the oldest.
   Errors: NULL, BLOCK, PROTECTED, FRAME (not recorded).
   Cost: O(log frames); of the oldest O(frames) that were cleared after it. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear_frame(tp_cache *cache, uint64_t frame);

/* A change of one particle in a baked frame. `identity`: from the identity stream, or the index. */
typedef struct tp_cache_edit {
    uint64_t frame;
    uint32_t identity;
    uint32_t stream;
    uint32_t values[4]; /* components of the stream: floats as their bits */
    /* HERMITE streams: the rates in this frame and in the two beside it become central
       differences, one-sided at the ends */
    bool fits_rates;
} tp_cache_edit;

/* Changes a baked cache of single frames in place and marks it EDITED.
   Errors: NULL, BLOCK, PROTECTED (not baked, or external), DEFINITION (groups, no such stream,
   the identity, or not finite), FRAME (not recorded, no such particle, or damaged: nothing is
   changed).
   Cost: O(particles); with rates seven times that. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_edit_particle(tp_cache *cache, const tp_cache_edit *edit);

/* ---- packets: recorded frames that the game stores itself ---- */

/* Copies the index-th frame, or the group that it belongs to, into a packet. *bytes: size of the
   packet. *frames: frames of the index in it. Null `data`: only these. MORE: the group is not
   packed yet; see tp_cache_flush.
   Errors: NULL, BLOCK, FRAME (no such frame, or damaged), MEMORY (capacity is too small).
   Cost: O(bytes). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_packet(const tp_cache *cache, uint32_t index, void *data,
                                                 uint32_t capacity, uint32_t *bytes,
                                                 uint32_t *frames);

/* Appends the frames of a packet after the newest frame, exactly as they were. The packet must
   be from a cache with the same schema, group_frames and recorded_streams. Checksums are checked
   here and when a frame is shown: they find damage, not forgery. Sign packets that strangers
   carry: runtime/guide/api.md, packets.
   Errors: NULL, BLOCK, PROTECTED, FRAME (of another kind, damaged, or not after the newest
   frame), FULL.
   Cost: O(bytes), and packing of frames not yet packed: call tp_cache_flush first to do that
   within a budget. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_take_packet(tp_cache *cache, const void *data,
                                                      uint32_t bytes);

/* Packs the frames that wait for their group to be complete. TP_MORE: call again. Units as in
   tp_cache_record.
   Errors: NULL, BLOCK, FULL (the ring is full and the cache may not evict; the frames stay
   readable).
   Cost: the budget and one slice. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_flush(tp_cache *cache, const tp_budget *budget);

/* Declares that settings changed at `frame`. Later frames are dropped. The rest stays readable
   but OUTDATED (not the result of a run with the new settings) until a run from the start. A
   source beyond `frame` is not used before it is restored. A protected cache is only marked.
   Errors: NULL, BLOCK. Cost: O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_changed(tp_cache *cache, uint64_t frame);

/* Declares that the source's state is no longer this cache's: another cache used it, or the game
   changed it. If the next call finds it in a recorded frame, it is taken to be in the recorded
   state, before the inputs of that frame.
   Errors: NULL, BLOCK. Cost: O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_detach(tp_cache *cache);

/* Flags of a cache. */
#define TP_CACHE_BAKED    1u
#define TP_CACHE_EXTERNAL 2u
#define TP_CACHE_OUTDATED 4u
#define TP_CACHE_BAKING   8u
#define TP_CACHE_EDITED   16u
/* jumps led to some frames, so they are approximate until the start is recorded again */
#define TP_CACHE_QUICK 32u

/* State and counters of a cache. Counters marked "ever" run since it began. */
typedef struct tp_cache_counters {
    uint32_t flags;                         /* TP_CACHE_BAKED and so on */
    uint32_t frames, frames_peak;           /* recorded and valid, now and at most */
    uint32_t bytes, bytes_peak;             /* of the ring in use, now and at most */
    uint64_t frame_first, frame_last;       /* valid ones; 0 when there are none */
    uint64_t frames_written, bytes_written; /* ever */
    uint64_t frames_evicted, bytes_evicted; /* ever */
    uint64_t frames_refused;   /* ever: larger than the ring or the pools, or TP_CACHE_STOP */
    uint64_t frames_abandoned; /* ever: the source moved on before the recording was complete */
    uint64_t frames_corrupt;   /* ever: found damaged, and dropped */
    /* ever: answered */
    uint64_t requests_exact, requests_interpolated, requests_simulated, requests_outside;
    uint64_t inputs_refused, inputs_replayed; /* ever */
    uint32_t inputs, input_bytes;             /* remembered now */
    uint64_t frames_simulated;                /* ever: through source->advance */
    uint64_t restores, restarts;              /* ever: of the source */
    uint32_t units;                           /* of the last call, without those of the source */
    uint32_t write_units, read_units;         /* of the last call, by stage */
    uint32_t slice_units_longest;             /* ever */
    /* falls by 1/32 per call, so that a single delay does not starve the cache */
    uint32_t slice_microseconds_longest;
} tp_cache_counters;

/* The counters; all zero for a null cache. Cost: O(frames). */
TP_OF_CACHE tp_cache_counters tp_cache_report(const tp_cache *cache);

/* One recorded frame, for a display of what the cache holds. */
typedef struct tp_cache_frame {
    uint64_t frame;
    uint32_t bytes, particles;
    bool is_valid; /* false: found damaged */
} tp_cache_frame;

/* The index-th frame in order of time.
   Errors: NULL, BLOCK, FRAME. Cost: O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_frame_at(const tp_cache *cache, uint32_t index,
                                                   tp_cache_frame *frame);

/* Whether this frame is recorded and valid. Cost: O(log frames). */
TP_OF_CACHE bool tp_cache_has(const tp_cache *cache, uint64_t frame);

/* ---------------------------------- clips and players ----------------------------------------- */

/* A clip is a baked cache in storage: groups of frames in tiles of 128 points (.tpc; format:
   host_tools/clip/FORMAT.md). A player shows a clip at any time, forwards, backwards or at
   random, from one fixed block. It keeps the position and motion of every point, so playing
   forward costs one frame per frame. */
#define TP_CLIP_STREAMS_MAX 20u
#define TP_CLIP_NOT_YET     0xffffffffu

/* Where a clip lies. Passed to every call and never kept. */
typedef struct tp_clip_storage {
    const void *bytes; /* the whole clip, in RAM or mapped flash; null: `read` is called */
    uint64_t size;     /* of `bytes` */
    /* Reads `size` bytes from `offset`; returns how many: fewer only at the end or on an error.
       Or returns TP_CLIP_NOT_YET and writes nothing: the read is repeated in the next call,
       until which the storage should keep the last two answers. */
    uint32_t (*read)(void *context, uint64_t offset, void *bytes, uint32_t size);
    void *context;
} tp_clip_storage;

/* What was wrong with the bytes of a clip. */
typedef struct tp_clip_fault {
    uint64_t offset;   /* byte of the clip */
    char expected[64]; /* what belongs there; empty: nothing was wrong */
} tp_clip_fault;

/* What the headers of a clip say. Streams of bytes, and those that no frame has, are omitted. */
typedef struct tp_clip_info {
    int64_t first_frame, last_frame; /* first > last: there are none */
    uint32_t frames, groups;
    uint32_t key_interval; /* frames of a group, at most */
    /* bytes of a block; largest number of points with a slot, and of bytes of a tile, per group */
    uint32_t block_bytes, points_max, piece_max;
    float frames_per_second; /* 0: not known */
    /* displacement in a frame / velocity; 0.04 for Blender's particles */
    float seconds_per_frame;
    bool is_closed; /* false: writing was interrupted, and the complete groups are there */
    uint32_t stream_count;
    /* the first is `id`; error_bound is the error that no component exceeds */
    tp_stream streams[TP_CLIP_STREAMS_MAX];
    tp_clip_fault fault;
} tp_clip_info;

/* Reads the headers of a clip. `scratch` holds two blocks of the clip (2 * 32768 bytes are
   always enough). TP_MORE: the storage answers later; call again.
   Errors: NULL, CLIP, CLIP_LIMIT (a block is larger than half of scratch).
   Cost: 10 blocks; of a clip that was not closed one block per group and 2 log2(blocks) more. */
TP_OF_CLIPS TP_CHECKED tp_result tp_clip_look(const tp_clip_storage *storage, void *scratch,
                                              uint32_t bytes, tp_clip_info *info);

/* along each axis */
#define TP_REGIONS_MAX 16u
/* Counts where something happens in a player or timeline. A key is a point whose motion was not
   predicted from its earlier frames within the error bound: a collision, a break, a turn. The
   box is divided into regions along two axes, and each region counts the keys shown in it. A
   point has a key if it has one in any of its bounded streams; where such values are stored
   exactly, it always has one. Details: runtime/guide/api.md, activity. */
typedef struct tp_activity_def {
    /* regions along each axis, 1..TP_REGIONS_MAX; both 0 (default): not counted */
    uint32_t side[2];
    uint32_t axis[2]; /* two components of the stream; default 0 and 1 */
    /* index of the definition's stream of positions, LINEAR or HERMITE; default `location` */
    uint32_t stream;
    /* of the box along each axis, low < high; points outside count in the region at the edge */
    float low[2], high[2];
} tp_activity_def;

/* Result of counting. keys: per recorded frame; of a timeline, per frame of its own clock.
   points: those shown and those that did not fit the view. */
typedef struct tp_activity {
    float keys;
    uint32_t points;
    /* false: no point can have a key: the first two frames of a group, or no stream has a bound */
    bool is_known;
} tp_activity;

/* Settings and capacities of a player. */
typedef struct tp_player_def {
    uint32_t stamp;      /* set by tp_player_default, checked by every use */
    uint32_t points_max; /* slots of a group in the shown tiles, 1..16777215 */
    uint32_t piece_max;  /* bytes of a tile, 1..2^28 */
    uint32_t block_max;  /* bytes of a block of the clip, 512..32768 */
    /* decoded frames that are kept: 0, or 2..1024, default 2. 0: nothing is interpolated; the
       earlier frame is shown. key_interval + 1: playing backwards costs as much as forwards. */
    uint32_t frames_kept;
    /* frames decoded at a time while playing forward, 1 (default) .. frames_kept - 1. A tile is
       read once for all of them, which helps storage that is read through a call. */
    uint32_t frames_ahead;
    /* n: every n-th tile is shown, 1 (default) .. 65535: a preview at 1/n of the cost */
    uint32_t tile_stride;
    uint32_t reads_max; /* limit of calls of `read` per request; 0 (default): none */
    /* bound of one slice, 128 * (1 + stream_count) + block_max / 4 .. 65536; default 16384 */
    uint32_t slice_units;
    uint32_t stream_count; /* 2..TP_STREAMS_MAX: wanted streams, by name, type and components */
    tp_stream streams[TP_STREAMS_MAX];
    /* If it is counted: at most TP_STREAMS_MAX - 1 streams, the least slice_units is 128 larger,
       and view->values[stream_count] takes one F32 per point, its key 0..1, or is null. If not,
       it costs no bytes and no time. */
    tp_activity_def activity;
} tp_player_def;

/* Upper bounds of tp_player_memory as constant expressions, for static arrays. words: sum of the
   components of all streams except the identity. 10 + 9 * words bytes per point are state; with
   kept frames 20 + 4 * words * frames_kept more. */
#define TP_PLAYER_BYTES(points_max, words, streams, frames_kept, piece_max, block_max)  \
    (14336u + (block_max) + ((piece_max) > (block_max) ? (piece_max) : (block_max)) +   \
     (uint32_t)(points_max) * (10u + 9u * (words)) +                                    \
     (uint32_t)(streams) * (304u + (points_max) / 128u * 272u) +                        \
     ((frames_kept) ? (uint32_t)(points_max)*10u +                                      \
                          (frames_kept) * (48u + 4u * (words) * (uint32_t)(points_max)) \
                    : 0u))

/* added for activity: 8 bytes per region, 16 per tile and kept frame */
#define TP_PLAYER_ACTIVITY_BYTES(points_max, frames_kept, regions) \
    (1504u + 8u * (uint32_t)(regions) +                            \
     ((uint32_t)(points_max) / 128u + 1u) * 16u * ((frames_kept) ? (frames_kept) : 1u))

/* A player of one clip. It lies at the start of its block and holds offsets, no addresses: a
   copy of the block is a snapshot. */
typedef struct tp_player tp_player;

/* Defaults for a clip: capacities that fit it, and its streams `id` and `location`. A null info
   gives a definition that tp_player_check refuses.
   Cost: O(streams). */
TP_OF_CLIPS tp_player_def tp_player_default(const tp_clip_info *info);

/* Adds a stream of the clip to the wanted ones. With `velocity` beside `location`, points move
   along curves between frames instead of straight lines.
   Errors: NULL, SOURCE (the clip has no stream of that name), FULL. Cost: O(streams). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_want(tp_player_def *definition, const tp_clip_info *info,
                                                const char *name);

/* Null if good, else a sentence naming the first wrong field and its range. Cost: O(streams). */
TP_OF_CLIPS const char *tp_player_check(const tp_player_def *definition);

/* Size of the block for this definition, in bytes.
   Errors: NULL, STAMP, DEFINITION. Cost: O(streams). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_memory(const tp_player_def *definition, size_t *bytes);

/* The parts of the block in order: at most TP_MEMORY_PARTS_MAX of them, and their number.
   Errors: NULL, STAMP, DEFINITION. Cost: O(parts). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_memory_parts(const tp_player_def *definition,
                                                        tp_memory_part *parts, uint32_t *count);

/* Creates a player in `block`, `bytes` long and aligned to 16. The first request opens the clip.
   Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH.
   Cost: O(block), to clear it. */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_create(const tp_player_def *definition, void *block,
                                                  size_t bytes, tp_player **player);

/* The player inside a block that was copied or moved; null if the block holds none. Only the head
   of the block is checked: a block from a network or a file must not come here. Cost: O(1). */
TP_OF_CLIPS tp_player *tp_player_at(void *block, size_t bytes);

/* The definition that the player was made with; null for a null player. Cost: O(1). */
TP_OF_CLIPS const tp_player_def *tp_player_definition(const tp_player *player);

/* Shows the clip at `time`, in ticks (TP_TIME(frame), may be negative). view->values are the
   definition's streams, in their order. Of the budget count units,
   stage_units[TP_STAGE_CACHE_READ] and microseconds; null: no limit.
   - TP_MORE: the budget or reads_max ended first, or the storage answers later. Request again,
     for this time or a later one; finished work is kept.
   - Status: EXACT, INTERPOLATED, OUTSIDE (the nearest frame is shown), PARTIAL (TP_MORE),
     MISSING (an error).
   - A damaged clip gives CLIP for the frames of the damaged group, and no part of a frame.
   - Interpolation, units and cost of seeking: runtime/guide/api.md, players.
   Errors: NULL, BLOCK, CLIP, CLIP_LIMIT, SOURCE (the clip lacks a wanted stream), FRAME (no
   frames).
   Cost: the budget and one slice. */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_request(tp_player *player,
                                                   const tp_clip_storage *storage, int64_t time,
                                                   const tp_budget *budget, tp_frame_view *view);

/* The activity of the frame that the last request showed. `regions`: null, or side[0] * side[1]
   floats, at row * side[0] + column from `low`; they add up to activity->keys. Counting costs
   one unit per point shown, no read and no decoding. TP_MORE: the request is not yet answered.
   Over a whole clip the keys have the same sum at any speed. Values between frames:
   runtime/guide/api.md, activity.
   Errors: NULL, BLOCK, DEFINITION (not counted), FRAME (nothing is shown). Cost: O(regions). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_activity(const tp_player *player, tp_activity *activity,
                                                    float *regions);

/* Declares that the storage holds another or a longer clip: everything except the counters is
   reset. `tile_stride`: 1..65535 replaces the definition's from now on; 0 keeps the current one.
   Errors: NULL, BLOCK, DEFINITION. Cost: O(1). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_reopen(tp_player *player, uint32_t tile_stride);

/* Counters of a player. All run since it began, except those of the last call. */
typedef struct tp_player_counters {
    /* answered */
    uint64_t requests_exact, requests_interpolated, requests_outside;
    uint64_t tile_frames;   /* decoded: tiles times streams times frames */
    uint64_t tile_restarts; /* tiles decoded from the start of their group */
    uint64_t tile_wide;     /* of those: because their motion exceeds 16 bits */
    uint64_t groups_opened;
    uint64_t reads, read_bytes; /* answered by the storage's `read` */
    uint64_t stalls;            /* answers TP_CLIP_NOT_YET */
    uint32_t units, reads_last; /* of the last call */
    uint32_t slice_units_longest;
    /* falls by 1/32 per call, so that a single delay does not starve the player */
    uint32_t slice_microseconds_longest;
    tp_clip_fault fault; /* of the last call that returned CLIP or CLIP_LIMIT */
} tp_player_counters;

/* The counters; all zero for a null player. Cost: O(1). */
TP_OF_CLIPS tp_player_counters tp_player_report(const tp_player *player);

/* ---------------------------------- timelines ------------------------------------------------- */

/* A timeline shows clips as strips. A strip plays a part of a clip from a time on: faster,
   slower or backwards, repeated or held. Within its fade it takes over from the strip before it.
   All times are in ticks. */
typedef struct tp_strip {
    uint32_t player;              /* index into the players given to a request */
    int64_t start, end;           /* of the timeline in which it is shown, start < end */
    int64_t clip_start, clip_end; /* of the clip that it plays, clip_start < clip_end */
    /* speed = numerator / denominator in ticks of the clip per tick of the timeline, rounded
       down to a tick. -65535..65535; negative: backwards from clip_end; 0: the clip stands still */
    int32_t speed_numerator;
    uint32_t speed_denominator; /* 1..65535 */
    int64_t fade;               /* ticks from its start, 0 .. end - start */
    bool repeats;               /* false: the last moment of its part is held */
} tp_strip;

/* Settings and capacities of a timeline. */
typedef struct tp_timeline_def {
    uint32_t stamp;      /* set by tp_timeline_default, checked by every use */
    uint32_t strips_max; /* 1..1024, default 16 */
    uint32_t points_max; /* of a frame, 1..16777215 */
    /* bound of one slice of blending, 128 * (1 + stream_count) .. 65536; default 16384 */
    uint32_t slice_units;
    float seconds_per_frame; /* of velocities, as in the clips, > 0 */
    /* true: view->values[stream_count] takes one F32 per point, its opacity; a point that only
       one of two clips has gets less than 1. False: it is shown while its clip weighs more. */
    bool has_weights;
    /* bit s: stream s is a rate per second and is scaled by the speed; default: velocities */
    uint32_t rate_streams;
    /* 1..TP_STREAMS_MAX - has_weights: those of all players in the same order, with an identity */
    uint32_t stream_count;
    tp_stream streams[TP_STREAMS_MAX];
    /* That of all players. If it is counted: one stream less, the least slice_units is 128
       larger, and view->values[stream_count + has_weights] takes one F32 per point, its key
       times the speed, or is null. */
    tp_activity_def activity;
} tp_timeline_def;

/* Strips, and two frames to be blended. It lies at the start of its block, without addresses. */
typedef struct tp_timeline tp_timeline;

/* What a timeline shows at a time. */
typedef struct tp_timeline_moment {
    uint32_t count;       /* strips shown: 0, 1, or 2 where the second takes over from the first */
    uint32_t strip[2];    /* in the order of their starts */
    int64_t clip_time[2]; /* ticks */
    float speed[2];       /* 0 where a strip is held; negative: backwards */
    float weight;         /* of the second, 0..1 */
    float weight_rate;    /* its change per frame of the timeline */
    /* true: no strip covers this time; the one that ended last, or begins first, is held */
    bool is_outside;
} tp_timeline_moment;

/* Defaults for players of this definition and clips of this info. Null ones give a definition
   that the check refuses.
   Cost: O(streams). */
TP_OF_CLIPS tp_timeline_def tp_timeline_default(const tp_player_def *player,
                                                const tp_clip_info *info);

/* Null if good, else a sentence naming the first wrong field and its range. Cost: O(streams). */
TP_OF_CLIPS const char *tp_timeline_check(const tp_timeline_def *definition);

/* Size of the block for this definition, in bytes: 8 * (1 + words) per point.
   Errors: NULL, STAMP, DEFINITION. Cost: O(streams). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_memory(const tp_timeline_def *definition,
                                                    size_t *bytes);

/* Creates an empty timeline in `block`, `bytes` long and aligned to 16.
   Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH.
   Cost: O(block), to clear it. */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_create(const tp_timeline_def *definition, void *block,
                                                    size_t bytes, tp_timeline **timeline);

/* The timeline inside a block that was copied or moved; null if the block holds none. Only the
   head of the block is checked, as by tp_player_at. Cost: O(1). */
TP_OF_CLIPS tp_timeline *tp_timeline_at(void *block, size_t bytes);

/* Adds a strip.
   Errors: NULL, BLOCK, FULL, DEFINITION (a number of the strip is out of range).
   Cost: O(strips). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_add(tp_timeline *timeline, const tp_strip *strip);

/* Removes all strips.
   Errors: NULL, BLOCK. Cost: O(1). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_clear(tp_timeline *timeline);

/* What is shown at `time`: of the strips that cover it the two that began last, the later one
   with the weight (time - start) / fade.
   Errors: NULL, BLOCK. Cost: O(strips). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_look(const tp_timeline *timeline, int64_t time,
                                                  tp_timeline_moment *moment);

/* Shows the strips at `time`, as tp_player_request does. players[i] plays storages[i]; `count`
   of both. Strips that fade should have different players: one player that serves both decodes a
   group for each. Status OUTSIDE where no strip is. Blending and its error:
   runtime/guide/api.md, timelines.
   Errors: NULL, BLOCK, HANDLE (a strip names a player that was not given), SOURCE (a player has
   other streams), FRAME (no strips), FULL (more points than points_max), those of the players.
   Cost: the budget and one slice. Units: those of the players, one per stream and point of both. */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_request(tp_timeline *timeline,
                                                     tp_player *const *players,
                                                     const tp_clip_storage *storages,
                                                     uint32_t count, int64_t time,
                                                     const tp_budget *budget, tp_frame_view *view);

/* As tp_player_activity, in keys per frame of the timeline: keys of a strip are multiplied by
   the absolute value of its speed. Blending: runtime/guide/api.md, activity.
   Errors: NULL, BLOCK, DEFINITION (not counted), FRAME (nothing is shown). Cost: O(regions). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_activity(const tp_timeline *timeline,
                                                      tp_activity *activity, float *regions);

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_H */

#if defined(TIDEPOOL_IMPLEMENTATION) && (!defined(TIDEPOOL_IMPLEMENTED) || defined(TPI_PASS))
#define TIDEPOOL_IMPLEMENTED
#include "codec/widths.h" /* the stages of a step, and all that has vectors */
#if !defined(TPI_PASS)    /* table of contents: the other modules in the order of the data */
#include "base/result.c"
#include "base/math.c"
#include "base/curve.c"
#include "base/random.c"
#include "base/prime.c"
#include "memory/layout.c"
#include "memory/pool.c"
#include "world/check.c"
#include "world/box.c"
#include "world/world.c"
#include "world/item.c"
#include "world/change.c"
#include "world/particle.c"
#include "world/between.c"
#include "world/spring.c"
#include "world/report.c"
#include "world/load.c"
#include "world/momentum.c"
#include "world/event.c"
#include "world/audit.c"
#include "world/hash.c"
#include "world/team.c"
#include "emit/shape.c"
#include "emit/emitter.c"
#include "emit/feed.c"
#include "emit/sink.c"
#include "emit/life.c"
#include "grid/stencil.c"
#include "grid/query.c"
#include "grid/query_find.c"
#include "grid/query_sample.c"
#include "grid/query_ray.c"
#include "field/dense.c"
#include "solve/field.c"
#include "solve/substep.c"
#include "solve/link.c"
#include "solve/spring.c"
#include "solve/pair/solver.c"
#include "solve/pair/derive.c"
#include "solve/pair/table.c"
#include "solve/pair/measure.c"
#include "solve/cloth/solver.c"
#include "solve/cloth/colour.c"
#include "solve/cloth/mesh.c"
#include "solve/cloth/air.c"
#include "solve/cloth/graze.c"
#include "solve/cloth/touch.c"
#include "solve/cloth/wear.c"
#include "solve/cloth/split.c"
#include "solve/cloth/tie.c"
#include "solve/cloth/tetra.c"
#include "solve/cloth/fold.c"
#include "solve/cloth/explicit.c"
#include "solve/cloth/sheet.c"
#include "solve/vortex/solver.c"
#include "solve/vortex/grip.c"
#include "solve/vortex/fire.c"
#include "solve/vortex/merge.c"
#include "solve/sph/solver.c"
#include "solve/sph/wall.c"
#include "solve/sph/heat_solver.c"
#include "solve/sph/dfsph_solver.c"
#include "solve/sph/preset.c"
#include "solve/sph/central_solver.c"
#include "solve/sph/material.c"
#include "solve/solvers.c"
#include "solve/change.c"
#include "move/integrate.c"
#include "move/shape.c"
#include "move/distance.c"
#include "move/triangle.c"
#include "move/edge.c"
#include "move/mesh.c"
#include "move/room.c"
#include "move/heightfield.c"
#include "move/facet.c"
#include "move/wall.c"
#include "move/arc.c"
#include "move/collider.c"
#include "move/collide.c"
#include "move/ray.c"
#include "move/body.c"
#include "move/body_meet.c"
#include "move/body_solve.c"
#include "move/body_step.c"
#include "move/body_tell.c"
#include "light/shadow.c"
#include "light/sphere.c"
#include "light/harmonics.c"
#include "light/particles.c"
#include "light/bounce.c"
#include "step/path.c"
#include "step/birth.c"
#include "step/change.c"
#include "step/step.c"
#include "step/measure.c"
#include "step/draw.c"
#include "step/frame.c"
#include "step/verify.c"
#include "codec/tables.c"
#include "codec/read.c"
#include "codec/plan.c"
#include "codec/write.c"
#include "codec/clip.c"
#include "codec/clip_read.c"
#include "cache/cache.c"
#include "cache/source.c"
#include "cache/meter.c"
#include "cache/ring.c"
#include "cache/encode.c"
#include "cache/group.c"
#include "cache/extra.c"
#include "cache/pack.c"
#include "cache/order.c"
#include "cache/record.c"
#include "cache/interpolate.c"
#include "cache/read.c"
#include "cache/restore.c"
#include "cache/input.c"
#include "cache/resume.c"
#include "cache/edit.c"
#include "cache/packet.c"
#include "cache/request.c"
#include "cache/bake.c"
#include "cache/world_source.c"
#include "play/look.c"
#include "play/player.c"
#include "play/call.c"
#include "play/group.c"
#include "play/roster.c"
#include "play/piece.c"
#include "play/tile.c"
#include "play/keep.c"
#include "play/activity.c"
#include "play/show.c"
#include "play/between.c"
#include "play/request.c"
#include "play/timeline.c"
#include "play/blend.c"
#if TIDEPOOL_DISPATCH /* this file reads itself again: the stages, for each of the wider vectors */
#if !defined(__AVX2__)
#define TPI_PASS 8
#include TIDEPOOL_FILE
#undef TPI_PASS
#endif
#if TP_LANES_MAX > 8
#define TPI_PASS 16
#include TIDEPOOL_FILE
#undef TPI_PASS
#endif
#endif
#endif
#endif
