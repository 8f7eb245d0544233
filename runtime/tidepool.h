/* SPDX-License-Identifier: MIT
   runtime/tidepool.h - the one public header of Tidepool: particle physics in fixed memory and time.
   reads   definitions, budgets, one block of memory      writes  only inside that block
   memory  what tp_world_memory says, never more          cost    what each call's comment says
   after   Clavet 2005 (double density), Teschner 2003 (spatial hash); deviations are named in place

   What it is not: no rigid bodies, no rendering, no file access, no threads of its own, no heap, no
   globals.

   Use: #define TIDEPOOL_IMPLEMENTATION in exactly one C file before including this header. Other
   files include it plainly, as C99 or C++11. Compile the implementation as C11 with
   -ffp-contract=off and without fast-math; anything else is refused, because it would lose equal
   bits on every machine.

   Units are SI unless a name says otherwise; angles in radians; right-handed, y up. In a world of
   two dimensions the z of every tp_vector is ignored on the way in, whatever it is, and zero on the
   way out; so is a field's `axial`. */
#ifndef TIDEPOOL_H
#define TIDEPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TP_VERSION 100 /* major * 10000 + minor * 100 + patch */

/* ---------------------------------- results --------------------------------------------------- */

/* Every result and its text: what is wrong and what to do. Negative values are errors. */
#define TP_RESULT_LIST(ITEM)                                                                      \
    ITEM(TP_OK, 0, "done")                                                                        \
    ITEM(TP_MORE, 1, "the budget ended before the work: call again in the next frame")            \
    ITEM(TP_ERROR_NULL, -1,                                                                       \
         "a required pointer is null: pass the object; a budget of microseconds needs clock_us, " \
         "and jobs "                                                                              \
         "need run")                                                                              \
    ITEM(TP_ERROR_STAMP, -2,                                                                      \
         "the definition was not made by its tp_*_default call of this version: call it first")   \
    ITEM(TP_ERROR_DEFINITION, -3,                                                                 \
         "a field of the definition is out of range: the matching tp_*_check call names it")      \
    ITEM(TP_ERROR_MEMORY, -4,                                                                     \
         "the block is smaller than the size query says: pass at least that many bytes")          \
    ITEM(TP_ERROR_ALIGNMENT, -5, "the block is not aligned to 16 bytes: align it")                \
    ITEM(TP_ERROR_CONTRACTION, -6,                                                                \
         "compiled with fused multiply-add: add -ffp-contract=off to the flags of the file that " \
         "defines "                                                                               \
         "TIDEPOOL_IMPLEMENTATION")                                                               \
    ITEM(TP_ERROR_FULL, -7,                                                                       \
         "a pool is full and its policy is to refuse: the report's pools say which, raise its "   \
         "capacity; "                                                                             \
         "or all ids of particles were given: create a new world")                                \
    ITEM(TP_ERROR_HANDLE, -8,                                                                     \
         "the handle names nothing that exists: it was removed, or belongs to another world")     \
    ITEM(TP_ERROR_BLOCK, -9,                                                                      \
         "the block does not hold a world or cache of this version: create it first")             \
    ITEM(TP_ERROR_FRAME, -10,                                                                     \
         "the frame is not in the cache and cannot be simulated from here: rewind or record it")  \
    ITEM(TP_ERROR_PROTECTED, -11, "the cache is baked and protected: unprotect it first")         \
    ITEM(TP_ERROR_SOURCE, -12,                                                                    \
         "the source does not have the streams of the recorded frames: use the source that "      \
         "recorded them")                                                                         \
    ITEM(TP_ERROR_COLLIDER_COST, -13,                                                             \
         "the collider cannot be used in this world: tp_collider_check says why")                 \
    ITEM(TP_ERROR_FAST_MATH, -14,                                                                 \
         "compiled with parts of fast-math: remove -ffast-math, -funsafe-math-optimizations, "    \
         "-fassociative-math and -freciprocal-math from the flags of the file that defines "      \
         "TIDEPOOL_IMPLEMENTATION")                                                               \
    ITEM(TP_ERROR_CLIP, -15,                                                                      \
         "this is no clip, or it is damaged or cut: the fault says at which byte and what "       \
         "belongs there")                                                                         \
    ITEM(TP_ERROR_CLIP_ROOM, -16,                                                                 \
         "the clip has larger blocks or tiles, or more points, than the definition: the fault "   \
         "says which")

typedef enum tp_result {
#define TP_RESULT_ENUM(name, value, text) name = value,
    TP_RESULT_LIST(TP_RESULT_ENUM)
#undef TP_RESULT_ENUM
} tp_result;

/* The text of a result; never null. Cost O(1). */
const char *tp_result_text(tp_result result);

/* What a build may leave out, to be small: define any of these for every file, by the compiler's
   flags. Definitions, blocks and hashes stay those of a whole build. What needs a part that is
   missing is refused, with a text that names the macro; its calls are missing when other files are
   linked.
     TP_WITHOUT_3D         worlds have two dimensions
     TP_WITHOUT_SPH        the solver SPH
     TP_WITHOUT_PAIR       the solver PAIR, with its links, tables and periodic boxes
     TP_WITHOUT_EMITTERS   emitters and sinks; particles come by tp_particle_add
     TP_WITHOUT_FIELDS     fields
     TP_WITHOUT_COLLIDERS  colliders
     TP_WITHOUT_CACHE      caches and sources
     TP_WITHOUT_CLIPS      clips, players and timelines
     TP_WITHOUT_TEXTS      the sentences of results and checks; one says that they are left out
   Presets stand for some of them; sizes and compile times are in runtime/guide/small.md:
     TP_PRESET_FLUID_2D    a fluid in two dimensions
     TP_PRESET_FLUID_3D    a fluid in two or three dimensions
     TP_PRESET_PARTICLES   particles that do not act on each other
     TP_PRESET_PAIRS       pair forces and hard spheres
   All four have emitters, fields and colliders, and no caches and clips. */
#if defined(TP_PRESET_FLUID_2D) && !defined(TP_WITHOUT_3D)
#define TP_WITHOUT_3D
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
#ifndef TP_WITHOUT_CACHE
#define TP_WITHOUT_CACHE
#endif
#ifndef TP_WITHOUT_CLIPS
#define TP_WITHOUT_CLIPS
#endif
#endif
#if !defined(TIDEPOOL_IMPLEMENTATION)
#define TP_LEFT_OUT
#elif defined(__GNUC__)
#define TP_LEFT_OUT static __attribute__((unused))
#else
#define TP_LEFT_OUT static
#endif
#ifdef TP_WITHOUT_PAIR
#define TP_OF_PAIR TP_LEFT_OUT
#else
#define TP_OF_PAIR
#endif
#ifdef TP_WITHOUT_EMITTERS
#define TP_OF_EMITTERS TP_LEFT_OUT
#else
#define TP_OF_EMITTERS
#endif
#ifdef TP_WITHOUT_FIELDS
#define TP_OF_FIELDS TP_LEFT_OUT
#else
#define TP_OF_FIELDS
#endif
#ifdef TP_WITHOUT_COLLIDERS
#define TP_OF_COLLIDERS TP_LEFT_OUT
#else
#define TP_OF_COLLIDERS
#endif
#ifdef TP_WITHOUT_CACHE
#define TP_OF_CACHE TP_LEFT_OUT
#else
#define TP_OF_CACHE
#endif
#ifdef TP_WITHOUT_CLIPS
#define TP_OF_CLIPS TP_LEFT_OUT
#else
#define TP_OF_CLIPS
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
    float w, x, y, z; /* unit length */
} tp_quaternion;

typedef struct tp_pose {
    tp_vector position;
    tp_quaternion rotation;
} tp_pose;

/* Handles: 16 bits of slot and 16 of generation. Zero is none. A slot whose generations are used
   up retires. */
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

/* One simulation instance. It lives at the start of its block and holds offsets only: copying
   the block (to any address aligned to 16) is a snapshot that resumes to the same bits. */
typedef struct tp_world tp_world;

/* Time is counted in ticks; a frame has exactly this many, which 1..16 divide, so that equal
   sub-steps are equal. */
#define TP_TICKS_PER_FRAME 720720u

#define TP_SPECIES_MAX 8u
/* the last particle's id; then a world has no more births, and refuses them */
#define TP_ID_LAST 0xfffffffeu

/* ---------------------------------- the world ------------------------------------------------- */

typedef enum tp_solver {
    TP_SOLVER_NONE = 0, /* particles do not see one another */
    TP_SOLVER_SPH = 1,  /* double-density relaxation */
    /* forces or collisions between pairs, see tp_potential; needs TP_INTEGRATOR_KDK */
    TP_SOLVER_PAIR = 2
} tp_solver;

typedef enum tp_integrator {
    TP_INTEGRATOR_EULER = 0, /* symplectic Euler: v += a dt, x += v dt */
    TP_INTEGRATOR_KDK = 1    /* kick-drift-kick leapfrog (velocity Verlet); not with the fluid */
} tp_integrator;

/* What happens to the rest of a frame's work when the budget ends. */
typedef enum tp_overload {
    /* go on next frame from the same point, and catch up when there is room */
    TP_OVERLOAD_CARRY = 0,
    TP_OVERLOAD_COARSEN = 1, /* as carry, but take fewer, longer steps within the stability limit */
    /* go on next frame; time owed is dropped and counted, never caught up */
    TP_OVERLOAD_DROP = 2
} tp_overload;

/* What a full particle pool does with a birth. */
typedef enum tp_pool_policy {
    /* the birth does not happen; counted. Also where all ids were given, see TP_ID_LAST */
    TP_POOL_REFUSE = 0,
    /* the particles with the lowest ids die to make room for an emitter's births; counted */
    TP_POOL_RECYCLE = 1
} tp_pool_policy;

/* One kind of particle. */
typedef struct tp_species {
    float mass;   /* kg, > 0, default 1 */
    float radius; /* m, for colliders, >= 0, default 0.05 */
    /* of the SPH solver, in its own units, for a mass of 1; default 82 (3D: 1041), for particles
       0.1 m apart. Those that begin closer are compressed and need shorter sub-steps, see
       tp_sph.timestep_max: in 3D the defaults are calm down to 0.08 m. */
    float rest_density;
    bool is_tracer; /* true: follows the medium (wind, vortex) exactly and feels no force */
    /* J: depth of the pair potential between two of this species, 1e-6..1e6, default 1; 0: none.
       Where it is 0 for all, particles do not look for one another, and only links act */
    float epsilon;
    float sigma; /* m: where that potential is 0, > 0, default 1 */
} tp_species;

/* The SPH solver's constants. `compat` brings back the published 2D program's defects (reference
   values in its tests): surface tension that depends on dt, viscosity that breaks momentum for
   unequal masses, walls that only push. */
typedef struct tp_sph {
    float smoothing_radius;    /* m: support of the kernel, > 0, default 0.3 (3D: 0.2) */
    float stiffness;           /* default 0.08 (3D: 0.0006, where kernels weigh more) */
    float near_stiffness;      /* default 0.1 (3D: 0.00075) */
    float surface_tension;     /* default 0.0004 (3D: 0.00002), at the reference step of 1/140 s */
    float viscosity_linear;    /* default 0.5 (3D: 0.4) */
    float viscosity_quadratic; /* default 1.0 (3D: 0.6) */
    /* s: limit of a sub-step, 1e-5..1, default 0.0056 (3D: 0.0042); longer sub-steps are never
       taken. The scheme is stable where w dt < sqrt(4/3); w is its largest frequency, which
       grows with stiffness and with compression. The default is calm in pools up to 8 m deep
       (2D; 3D: 5 m) with the constants above: at 60 Hz 3 sub-steps a frame (3D: 4), at 30 Hz 6
       (8), at 240 Hz 1. */
    float timestep_max;
    /* cap on neighbours of one particle, 4..255, default 40 (2D), 64 (3D) */
    uint32_t neighbours_max;
    /* cap on particles of one cell that take part in pairs, 4..64, default 64 */
    uint32_t cell_max;
    /* false: compact, half the memory for about twice the work, same bits */
    bool stores_neighbours;
    bool compat;
} tp_sph;

/* What two particles do to each other. Lennard-Jones: V(r) = 4 epsilon ((sigma/r)^12 -
   (sigma/r)^6) for r < cutoff, 0 beyond. Hard spheres: nothing beyond sigma; nearer than that,
   those that approach exchange the speed along the line between them, and all are parted to
   sigma, each by the other's share of the mass. A particle collides with one other at a time,
   the deepest first (ties by the other's id), contact_iterations times a step. Choose steps in
   which nothing moves more than a tenth of sigma: what touches and parts within one is missed.
   They are for gases and for grains in flight: colliders come after the collisions of a step, so
   that heaps under gravity stay restless. */
typedef enum tp_potential {
    /* less V(cutoff): the energy is continuous, the force jumps a little */
    TP_POTENTIAL_LENNARD_JONES = 0,
    TP_POTENTIAL_HARD_SPHERE = 1, /* epsilon, cutoff and overlap have no meaning */
    TP_POTENTIAL_TABLE = 2,
    /* Lennard-Jones, less (r - cutoff) V'(cutoff) too: the force is continuous */
    TP_POTENTIAL_LJ_FORCE_SHIFT = 3
} tp_potential;

/* Epsilon and sigma between two species that do not follow the rule of Lorentz and Berthelot:
   geometric mean of the epsilons, arithmetic mean of the sigmas. */
typedef struct tp_pair_mix {
    uint16_t first, second; /* species */
    float epsilon;          /* J */
    float sigma;            /* m */
} tp_pair_mix;
#define TP_PAIR_MIX_MAX 28u /* every pair of different species */

/* The pair solver's constants; lengths are in sigmas: of the pair (cutoff, overlap) or of the
   largest (skin). Cells have up to four sizes, so that a few large spheres among many small ones
   crowd no cell: species share one when the largest sigma of all, halved equally often, is still
   no less than theirs, and all below the third size in use have the fourth. Where there are
   several, the skin is of the smallest size's largest sigma, and two sizes count as neighbours
   within the longest cutoff between the two. Changes no bit, unless a cap is hit. Forces are
   sums of integers, so that Newton's third law holds to the last bit and no order matters: one
   count is neighbours_max / 2^31 of the force at the overlap distance, 2e-4 epsilon/sigma or
   less by default. */
typedef struct tp_pair {
    tp_potential potential;
    /* samples that a table may have: 5..4097 with TP_POTENTIAL_TABLE, else 0 (default); 16 bytes
       each */
    uint32_t table_max;
    float cutoff; /* sigmas, 1..8, default 2.5 */
    /* sigmas, 0.5..1 (tables: from 0.0625), default 0.7: nearer than this the force falls
       linearly to 0 at distance 0 (the energy stays consistent), so that nothing is infinite;
       counted */
    float overlap;
    /* sigmas, 0..2, default 0.3: lists reach so much farther than the cutoff, and are kept until
       two particles may have crossed it; 0: built in every step. Changes no bit but through the
       size of cells where one has more than cell_max. A list is kept only where no cell can come
       to have more meanwhile, so near that they are built in every step too; and in boxes so
       wide that rounding takes half the skin */
    float skin;
    float temperature; /* J (Boltzmann's constant is 1), of the thermostat, 0..1e6, default 0 */
    /* 1/s: Langevin thermostat, noise and drag in balance, 0..1e4; 0: none (default). Noise is a
       sum of four even numbers: speeds have a kurtosis of 3 less 0.15 times friction * timestep
       where that is small, and of 2.7 where it is large */
    float friction;
    /* s: stability limit, default 0.01, for masses, epsilons and sigmas of 1; see tp_link_def */
    float timestep_max;
    /* hard spheres: share of the speed of approach that is given back, 0..1, default 1 */
    float restitution;
    /* N: largest force of one link, 1e-6..1e12, default 1e6; more is cut, on both ends, and
       counted. Forces of links are sums of integers too: one count is 2^-46 of it */
    float link_force_max;
    /* hard spheres: rounds of collisions a step, 1..64, default 4; each is one visit of all
       pairs. What is left then waits for the next step; counted */
    uint32_t contact_iterations;
    /* cap on neighbours within the cutoff (hard spheres: 1.1 sigmas) of one particle, 4..255,
       default 40 (2D), 128 (3D); also room in the list, for those within the skin */
    uint32_t neighbours_max;
    /* cap on particles of one cell that take part in pairs, 4..255, default 255. Cells are a
       cutoff and a skin wide; in a box of n of them along an axis up to (n + 1) / n times that */
    uint32_t cell_max;
    /* false: no list, less memory, more work, the same bits as without skin */
    bool stores_neighbours;
    uint32_t mix_count; /* 0..TP_PAIR_MIX_MAX, default 0 */
    tp_pair_mix mix[TP_PAIR_MIX_MAX];
} tp_pair;

#define TP_AXIS_X 1u
#define TP_AXIS_Y 2u
#define TP_AXIS_Z 4u

/* How a frame is cut into sub-steps. */
typedef struct tp_substeps {
    /* fixed sub-steps a frame when not adaptive; smallest number when adaptive; 1..100, default
       1. More are taken where the solver's timestep_max asks for more. */
    uint32_t count;
    uint32_t count_max; /* adaptive: cap M on sub-steps of one frame, count..101, default 8 */
    bool is_adaptive;   /* by Courant number; default false */
    bool compat;        /* the published rule (oscillates a little) instead of the corrected one */
    float courant;      /* target Courant number, > 0, default 0.2 */
} tp_substeps;

typedef struct tp_world_def {
    uint32_t stamp;         /* set by tp_world_default, checked by every use */
    uint32_t dimensions;    /* 2 or 3 */
    uint32_t particles_max; /* 1..16777215 */
    uint32_t emitters_max;  /* 0..1024, default 4 */
    /* 0..24, default 4: all of them fit one particle's share of the smallest slice */
    uint32_t sinks_max;
    uint32_t fields_max;    /* 0..24, default 4 */
    uint32_t colliders_max; /* 0..1024, default 8 */
    uint32_t links_max;     /* 0..16384, default 0; only with pair forces */
    /* for meshes, heightfields and distance grids; default 0: none */
    uint32_t geometry_bytes_max;
    uint32_t frames_per_second_numerator;   /* 1..65535, default 60 */
    uint32_t frames_per_second_denominator; /* 1..65535, default 1 */
    uint32_t seed;                          /* of every random number, default 1 */
    uint32_t world_id;                      /* tells apart worlds with equal seeds, default 0 */
    /* bound of one slice, 64..65536, default 2048. An item that was started is finished, see
       TP_UNITS_AHEAD; the overrun is charged to the next slices */
    uint32_t slice_units;
    uint32_t lag_frames_max; /* carry: frames of owed time that are kept, 1..64, default 4 */
    tp_solver solver;
    tp_integrator integrator;
    tp_overload overload;
    tp_pool_policy pool_policy;
    bool keeps_births; /* 4 bytes a particle: birth time, needed by sinks by age; default true */
    /* m/s, 1e-12..1e6; 0: none beyond a smoothing radius a sub-step (sph). Clamps count */
    float speed_max;
    tp_species species[TP_SPECIES_MAX];
    uint32_t species_count; /* 1..TP_SPECIES_MAX, default 1 */
    tp_substeps substeps;
    tp_sph sph;
    tp_pair pair;
    /* TP_AXIS_...: positions are kept in box_low <= x < box_low + box_size along these, and
       pairs meet across the sides; only with pair forces; default 0 */
    uint32_t periodic_axes;
    tp_vector box_low; /* m, -1e6..1e6, default 0; of periodic axes only */
    /* m, at least twice the longest cutoff and 1e-6 of box_low, at most 1e6, default 10 */
    tp_vector box_size;
} tp_world_def;

/* Defaults for 2 or 3 dimensions; any other number makes a definition that tp_world_check
   refuses. Cost O(1). */
tp_world_def tp_world_default(uint32_t dimensions);

/* Null when the definition is good, else one sentence that names the first wrong field and its
   range. Cost O(1). */
const char *tp_world_check(const tp_world_def *definition);

/* Bytes of the block for this definition. Errors: NULL, STAMP, DEFINITION. Cost O(1). */
TP_CHECKED tp_result tp_world_memory(const tp_world_def *definition, size_t *bytes);

/* One named part of a block. */
typedef struct tp_memory_part {
    const char *name;
    uint32_t bytes;
    uint32_t count; /* items in it */
} tp_memory_part;

#define TP_MEMORY_PARTS_MAX 64u

/* The parts of the block in order; writes at most TP_MEMORY_PARTS_MAX of them and their number.
   The sum of their bytes is tp_world_memory's answer. Errors as there. Cost O(parts). */
TP_CHECKED tp_result tp_world_memory_parts(const tp_world_def *definition, tp_memory_part *parts,
                                           uint32_t *count);

/* Upper bound of tp_world_memory as a constant expression, for static arrays. neighbours_max is
   0 for a world that stores none. Pools: emitters, sinks, fields and colliders together. */
#define TP_WORLD_BYTES(dimensions, particles_max, neighbours_max, pools, geometry_bytes)           \
    (8192u + (uint32_t)(particles_max) * ((dimensions) == 2 ? 84u : 104u) +                        \
     (uint32_t)(geometry_bytes) +                                                                  \
     ((neighbours_max) ? (uint32_t)(particles_max) * (24u + 2u * (uint32_t)(neighbours_max)) + 16u \
                       : 0u) +                                                                     \
     (uint32_t)(pools)*416u)

/* To be added to it with pair forces where lists are stored. Enough for every build: where
   vectors are narrower than 8 numbers, or skin is 0, tp_world_memory asks for 2 neighbours_max +
   16 bytes a particle less. */
#define TP_PAIR_BYTES(particles_max, neighbours_max) \
    ((uint32_t)(particles_max) * (28u + 2u * (uint32_t)(neighbours_max)) + 64u)

/* To be added to it with TP_POTENTIAL_HARD_SPHERE. */
#define TP_HARD_SPHERE_BYTES(particles_max) ((uint32_t)(particles_max)*12u + 48u)

/* To be added to it where there are links. */
#define TP_LINK_BYTES(dimensions, particles_max, links_max) \
    ((uint32_t)(links_max)*48u + (uint32_t)(particles_max) * (dimensions)*8u + 1152u)

/* To be added to it with TP_POTENTIAL_TABLE. */
#define TP_PAIR_TABLE_BYTES(table_max) ((uint32_t)(table_max)*16u)

/* Lays a world out in `block` (aligned to 16). Nothing outside the block is kept: the definition
   may go. Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH. Cost
   O(particles_max), to clear it. */
TP_CHECKED tp_result tp_world_create(const tp_world_def *definition, void *block, size_t bytes,
                                     tp_world **world);

/* The world inside a block that was copied or moved. Null if the block holds none. It looks at
   the head of the block only and believes the rest: pass a block that comes from outside, by a
   network or from a file, to tp_world_verify. Cost O(1). */
tp_world *tp_world_at(void *block, size_t bytes);

/* What is wrong with the bytes of a block. */
typedef struct tp_block_fault {
    uint64_t offset;      /* byte of the block */
    const char *expected; /* what belongs there; null: nothing was wrong */
} tp_block_fault;

/* The world inside a block from elsewhere, which may hold anything: damaged, cut, or made by a
   stranger.
   - Every number that the runtime uses as an index, a count or a definition is checked, and that
     particles are finite. What follows from the definition and the items is computed anew. So a
     world that passes stays inside its block, ends its calls and keeps its budgets.
   - A good world passes and goes on to the same bits. A step in progress starts again (counted),
     and the next step builds its neighbour lists anew; both cost units. TP_OVERLOAD_COARSEN may
     then choose other steps.
   - A forgery is not found: a block with other legal values passes. Sign snapshots that must be
     true.
   `fault` may be null. After an error the block is as it was.
   Errors: NULL, ALIGNMENT, MEMORY (the block is cut), BLOCK (the fault says where).
   Cost O(particles + geometry_bytes_max + (emitters_max + colliders_max)^2). */
TP_CHECKED tp_result tp_world_verify(void *block, size_t bytes, tp_block_fault *fault,
                                     tp_world **world);

/* The definition that the world was made with. Cost O(1). */
const tp_world_def *tp_world_definition(const tp_world *world);

/* ---------------------------------- emitters and sinks ---------------------------------------- */

typedef enum tp_emitter_shape {
    TP_EMITTER_POINT = 0,
    TP_EMITTER_SEGMENT = 1, /* from -size.x to +size.x along local x */
    TP_EMITTER_DISC = 2,    /* radius size.x in the local x-z plane (2D: the segment) */
    TP_EMITTER_SPHERE = 3,  /* radius size.x, volume (2D: disc) */
    TP_EMITTER_BOX = 4,     /* half sides size, volume */
    TP_EMITTER_MESH = 5     /* uniformly on the triangles */
} tp_emitter_shape;

typedef struct tp_emitter_def {
    uint32_t stamp;
    tp_emitter_shape shape;
    tp_pose pose;
    tp_vector size; /* m, meaning by shape */
    uint32_t species;
    uint32_t rate_numerator;   /* particles a second = numerator / denominator; 0: none */
    uint32_t rate_denominator; /* 1..65535, default 1 */
    uint32_t burst_count;      /* particles born at once when the emitter starts */
    /* m; > 0: the burst fills the box shape with a square (cubic) lattice instead of random
       places, from the lowest corner, x first, then y, then z, up to burst_count */
    float lattice_spacing;
    uint32_t start_frame;  /* first frame that it emits in */
    uint32_t stop_frame;   /* first frame that it does not emit in; 0: never stops */
    uint32_t total_max;    /* stops after so many births; 0: no limit */
    tp_vector velocity;    /* m/s, local, at birth */
    float velocity_jitter; /* m/s: random vector of at most this length added */
    float position_jitter; /* m: random vector of at most this length added */
    /* share of the emitter's own velocity that is added, 0..1, default 0 */
    float inherit;
    uint32_t lifetime_ticks; /* age at death; 0: lives on. At most 4293525855. Needs keeps_births */
    /* share of the lifetime, 0..1: each particle's is shortened by up to this share */
    float lifetime_jitter;
    const tp_vector *vertices; /* mesh: copied into the geometry pool */
    uint32_t vertex_count;
    const uint32_t *indices; /* three a triangle */
    uint32_t triangle_count;
} tp_emitter_def;

/* Defaults. Cost O(1). */
TP_OF_EMITTERS tp_emitter_def tp_emitter_default(void);
/* Null when the definition is good, else one sentence that names the first wrong field and its
   range. Cost O(mesh). */
TP_OF_EMITTERS const char *tp_emitter_check(const tp_world *world,
                                            const tp_emitter_def *definition);
/* A step in progress starts again (counted in steps_restarted). Errors: NULL, STAMP, DEFINITION,
   FULL. Cost O(emitters_max + mesh). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_add(tp_world *world,
                                                   const tp_emitter_def *definition,
                                                   tp_emitter *emitter);
/* Moves it during the next simulated frame from where it is to `pose`, at constant velocity.
   Restarts no step. Cost O(1). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_move(tp_world *world, tp_emitter emitter,
                                                    tp_pose pose);
/* Born so far and refused so far. Either may be null. Cost O(1). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_count(const tp_world *world, tp_emitter emitter,
                                                     uint64_t *born, uint64_t *refused);
/* A step in progress starts again (counted). Cost O(emitters_max + geometry). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_emitter_remove(tp_world *world, tp_emitter emitter);

/* Ages are modulo 2^32 ticks, 5959 frames. A sink added after particles have wrapped treats them
   as young. */
typedef enum tp_sink_shape {
    TP_SINK_AGE = 0,   /* older than age_ticks */
    TP_SINK_PLANE = 1, /* behind the plane normal . x < offset */
    TP_SINK_BOX = 2,   /* inside (outside with is_inverted) center +- half */
    TP_SINK_SPHERE = 3 /* inside (outside with is_inverted) */
} tp_sink_shape;

typedef struct tp_sink_def {
    uint32_t stamp;
    tp_sink_shape shape;
    bool is_inverted;
    uint32_t species_mask; /* bit s: takes species s; default all */
    uint32_t age_ticks;    /* 0..4293525855 */
    tp_vector center;
    tp_vector half;
    float radius;
    tp_vector normal; /* unit */
    float offset;     /* m */
} tp_sink_def;

/* Defaults. Cost O(1). */
TP_OF_EMITTERS tp_sink_def tp_sink_default(void);
/* As tp_emitter_check. Cost O(1). */
TP_OF_EMITTERS const char *tp_sink_check(const tp_world *world, const tp_sink_def *definition);
/* A step in progress starts again (counted). Errors: NULL, STAMP, DEFINITION, FULL. Cost
   O(sinks_max). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_sink_add(tp_world *world, const tp_sink_def *definition,
                                                tp_sink *sink);
/* A step in progress starts again (counted). Cost O(sinks_max). */
TP_OF_EMITTERS TP_CHECKED tp_result tp_sink_remove(tp_world *world, tp_sink sink);

/* ---------------------------------- fields ---------------------------------------------------- */

typedef enum tp_field_kind {
    TP_FIELD_GRAVITY = 0, /* vector: m/s^2 */
    /* linear b (kg/s) and quadratic k (kg/m) about the medium, integrated exactly */
    TP_FIELD_DRAG = 1,
    TP_FIELD_WIND = 2,     /* the medium moves with `vector` m/s, plus curl noise */
    TP_FIELD_VORTEX = 3,   /* the medium swirls: Lamb-Oseen, or Rankine */
    TP_FIELD_ATTRACTOR = 4 /* a = -mu d / (|d|^2 + eps^2)^(3/2) */
} tp_field_kind;

typedef struct tp_field_def {
    uint32_t stamp;
    tp_field_kind kind;
    uint32_t species_mask; /* default all */
    tp_vector vector;      /* gravity: m/s^2; wind: m/s; vortex: axis, unit (2D: 0 0 1) */
    tp_vector center;      /* vortex, attractor */
    float linear;          /* drag: b, kg/s */
    float quadratic;       /* drag: k, kg/m */
    /* vortex: circulation, m^2/s; attractor: mu, m^3/s^2; wind: noise speed, m/s */
    float strength;
    /* vortex: core radius, m, > 0; attractor: eps, m, >= 0; wind: noise length, m, > 0 */
    float core;
    float axial;  /* vortex: speed along the axis, m/s */
    float inflow; /* vortex: speed towards the axis, m/s */
    bool is_rankine;
} tp_field_def;

/* Defaults of a kind. Cost O(1). */
TP_OF_FIELDS tp_field_def tp_field_default(tp_field_kind kind);
/* As tp_emitter_check. Cost O(1). */
TP_OF_FIELDS const char *tp_field_check(const tp_world *world, const tp_field_def *definition);
/* A step in progress starts again (counted). Errors: NULL, STAMP, DEFINITION, FULL. Cost
   O(fields_max). */
TP_OF_FIELDS TP_CHECKED tp_result tp_field_add(tp_world *world, const tp_field_def *definition,
                                               tp_field *field);
/* Replaces the settings of a field (not its kind). A step in progress ends with the old ones and
   the next begins with the newest: it may be called in every frame. Errors: NULL, STAMP, HANDLE,
   DEFINITION. Cost O(fields_max). */
TP_OF_FIELDS TP_CHECKED tp_result tp_field_set(tp_world *world, tp_field field,
                                               const tp_field_def *definition);
/* A step in progress starts again (counted). Cost O(fields_max). */
TP_OF_FIELDS TP_CHECKED tp_result tp_field_remove(tp_world *world, tp_field field);

/* ---------------------------------- colliders ------------------------------------------------- */

typedef enum tp_collider_shape {
    TP_COLLIDER_PLANE = 0,   /* through the pose's position, normal = local +y */
    TP_COLLIDER_SPHERE = 1,  /* radius (2D: circle) */
    TP_COLLIDER_CAPSULE = 2, /* radius, axis local y from -half.y to +half.y */
    TP_COLLIDER_BOX = 3,     /* half sides; is_hollow: particles stay inside */
    TP_COLLIDER_MESH = 4,    /* triangles; is_two_sided or by winding; 3D only */
    /* columns x rows samples `spacing` apart from the pose's position, over local x and z; each
       cell is split along the diagonal from its (0,0) to its (1,1) corner. 2D: rows = 1 */
    TP_COLLIDER_HEIGHTFIELD = 5,
    /* signed distance samples, trilinear, columns x rows x layers, `spacing` apart */
    TP_COLLIDER_GRID = 6
} tp_collider_shape;

typedef struct tp_collider_def {
    uint32_t stamp;
    tp_collider_shape shape;
    tp_pose pose;
    tp_vector half;
    float radius;
    float restitution; /* 0..1, default 0 */
    float friction;    /* >= 0, default 0 */
    /* m/s: slower impacts do not bounce; < 0: 2 g dt of the world's gravity; default -1 */
    float rest_speed;
    float thickness; /* m: skin of two-sided meshes */
    bool is_hollow;
    bool is_two_sided;
    bool kills; /* particles die at contact */
    uint32_t species_mask;
    const tp_vector *vertices; /* mesh, copied into the geometry pool */
    uint32_t vertex_count;
    const uint32_t *indices;
    uint32_t triangle_count;
    const float *samples;           /* heightfield, distance grid: copied */
    uint32_t columns, rows, layers; /* along local x, z (heightfield) or y (grid), and z (grid) */
    float spacing;                  /* m between samples */
} tp_collider_def;

/* Defaults of a shape. Cost O(1). */
TP_OF_COLLIDERS tp_collider_def tp_collider_default(tp_collider_shape shape);
/* As tp_emitter_check. Cost O(mesh). */
TP_OF_COLLIDERS const char *tp_collider_check(const tp_world *world,
                                              const tp_collider_def *definition);
/* A step in progress starts again (counted). Errors: NULL, STAMP, DEFINITION, FULL (pool or
   geometry). Cost O(colliders_max + geometry log geometry). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_add(tp_world *world,
                                                     const tp_collider_def *definition,
                                                     tp_collider *collider);
/* Moves it during the next simulated frame from where it is to `pose`. Nothing tunnels through
   it. Restarts no step. Cost O(1). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_move(tp_world *world, tp_collider collider,
                                                      tp_pose pose);
/* A step in progress starts again (counted). Cost O(colliders_max + geometry). */
TP_OF_COLLIDERS TP_CHECKED tp_result tp_collider_remove(tp_world *world, tp_collider collider);

/* ---------------------------------- links ----------------------------------------------------- */

/* A damped spring between two particles: the one pulls the other with stiffness (length -
   rest_length) + damping (speed at which it lengthens), along the line between them. In a
   periodic box it reaches to the nearest image. Shorter than 1e-6 m it has no direction and no
   force; counted. A link whose end dies is dropped, and one that is longer than break_length at
   the start of a step breaks; both are counted. Springs are kicked as pairs are, and damping
   acts in halves around that (Strang), so that both are of second order; of one link alone it is
   exact. Steps are stable below 2 / sqrt(2 S / m), with S the sum of the stiffnesses of all
   links at a particle of mass m, at the worst particle; a long chain of equal links below sqrt(m
   / stiffness). Where several links meet, 2 D dt / m, with D the sum of their dampings, must be
   below 2 as well. */
typedef struct tp_link_def {
    uint32_t stamp;
    uint32_t first, second; /* ids of two different particles */
    float rest_length;      /* m, 0..1e6 */
    float stiffness;        /* N/m, 0..1e12 */
    float damping;          /* N s/m, 0..1e12, default 0 */
    float break_length;     /* m: rest_length..1e6; 0: never breaks (default) */
} tp_link_def;

/* Defaults. Cost O(1). */
TP_OF_PAIR tp_link_def tp_link_default(void);
/* As tp_emitter_check. Cost O(1). */
TP_OF_PAIR const char *tp_link_check(const tp_world *world, const tp_link_def *definition);
/* A step in progress starts again (counted), and the next one looks all links' ends up by id: 8
   passes over the particles at most, and 8 units a link. Errors: NULL, STAMP, DEFINITION, FULL.
   Cost O(links_max), O(1) while no link is gone. */
TP_OF_PAIR TP_CHECKED tp_result tp_link_add(tp_world *world, const tp_link_def *definition,
                                            tp_link *link);
/* Replaces its settings, not its ends. A step in progress starts again (counted). Errors: NULL,
   STAMP, HANDLE, DEFINITION. Cost O(1). */
TP_OF_PAIR TP_CHECKED tp_result tp_link_set(tp_world *world, tp_link link,
                                            const tp_link_def *definition);
/* Its definition. Errors: NULL, BLOCK, HANDLE: also when it broke or was dropped. Cost O(1). */
TP_OF_PAIR TP_CHECKED tp_result tp_link_get(const tp_world *world, tp_link link,
                                            tp_link_def *definition);
/* A step in progress starts again (counted). Cost O(links_max). */
TP_OF_PAIR TP_CHECKED tp_result tp_link_remove(tp_world *world, tp_link link);

/* ---------------------------------- particles ------------------------------------------------- */

/* The last complete step, as arrays of `count` items; valid until the next call that takes the
   world as non-const. Order is the storage's, and may change with every step; ids are for ever.
   A world gives each id once, from 0 to TP_ID_LAST; a world that has given all of them refuses
   every birth as a full pool does: create a new one. z and vz are null in 2D, birth without
   keeps_births. */
typedef struct tp_view {
    uint32_t count;
    const float *x, *y, *z;    /* m */
    const float *vx, *vy, *vz; /* m/s */
    const uint32_t *id;        /* serial number of birth, 0..TP_ID_LAST */
    const uint32_t *meta;      /* TP_META_* */
    /* ticks since the world began, modulo 2^32: tells apart 5959 frames */
    const uint32_t *birth;
} tp_view;
#define TP_META_SPECIES(meta) ((meta)&0xffu)
/* slot + 1 of the emitter's handle, 0: tp_particle_add */
#define TP_META_EMITTER(meta) (((meta) >> 8) & 0xffffu)
#define TP_META_CONTACT       0x01000000u /* touched a collider in the last step */
#define TP_META_EXEMPT        0x02000000u /* born past the age of its lifetime rule: none applies */

/* The view of now. Cost O(1). */
tp_view tp_world_view(const tp_world *world);

/* Adds one particle now. A step in progress starts again (counted): emitters add particles
   without that. A full pool always refuses it, and counts that, under TP_POOL_RECYCLE too: only
   an emitter's births make room, in a step. Errors: NULL, BLOCK, DEFINITION (no such species, or
   along an axis not within 1e9 m or 1e9 m/s), FULL (also where all ids were given). Cost O(1). */
TP_CHECKED tp_result tp_particle_add(tp_world *world, tp_vector position, tp_vector velocity,
                                     uint32_t species, uint32_t *id);
/* Changes the particle that the view shows at `index`. A step in progress starts again
   (counted). Errors: NULL, BLOCK, HANDLE (no particle has that index), DEFINITION (as
   tp_particle_add). Cost O(1). */
TP_CHECKED tp_result tp_particle_set(tp_world *world, uint32_t index, tp_vector position,
                                     tp_vector velocity);
/* Removes all particles; emitters go on. A step in progress starts again (counted). Cost O(1). */
TP_CHECKED tp_result tp_particles_clear(tp_world *world);

/* ---------------------------------- frames, budgets, reports ---------------------------------- */

/* Work is counted in units. One unit is about one visited pair candidate, or one particle in one
   pass.
     stage     units  for each
     recycle     1    particle and pass; 5 passes, only when a full pool recycles
     links       2    link and pass (damped: 3); 2 passes
                 8    link whose ends are looked up
                 1    4 particles
     move        1    particle, and field and sink that acts on it
                 2    particle and look at a noise (3D: 3); particle, with a thermostat
                 1    particle, with links; 4 emitters, in a step, and again in a frame
                 2    collider, in a frame
     grid        1    particle and pass; 3 passes, 5 where lists are kept; what is to be sorted
                 1    8 cells of the table, or 4 blocks
     pairs       1    particle, and visited candidate
                 3    cell that is not empty (3D: 6), for its rows of cells. With cells of several
                      sizes instead particle, and 1 row of coarser cells, 2 layer of rows
     nearest          only where the neighbour limit is hit
                 1    particle, and candidate of a particle above the limit
                 3    particle above the limit (3D: 9). With cells of several sizes row of cells,
                      and 1 for 8 cells
     pressure    1    particle
     force       1    as pairs, or particle and stored pair
                 1    particle and round, of hard spheres: as many rounds as are needed
     collide     1    particle, and collider looked at, triangle, height cell or trace step
                 2    collider that moves and is close
                 4    contact
                      pair forces: thermostat, links, and fields but gravity, once more
     emit        6    birth, and its fields
                 1    4 emitters
     commit      1    particle; at least 4 in a step
   Units depend on the data alone, so a budget means the same on every machine. */
#define TP_STAGE_LIST(ITEM)                                             \
    ITEM(TP_STAGE_RECYCLE, "recycle")                                   \
    ITEM(TP_STAGE_LINKS, "links")                                       \
    ITEM(TP_STAGE_MOVE, "move")                                         \
    ITEM(TP_STAGE_GRID, "grid")                                         \
    ITEM(TP_STAGE_PAIRS, "pairs")                                       \
    ITEM(TP_STAGE_NEAREST, "nearest")                                   \
    ITEM(TP_STAGE_PRESSURE, "pressure")                                 \
    ITEM(TP_STAGE_FORCE, "force")                                       \
    ITEM(TP_STAGE_COLLIDE, "collide")                                   \
    ITEM(TP_STAGE_EMIT, "emit")                                         \
    ITEM(TP_STAGE_COMMIT, "commit")                                     \
    ITEM(TP_STAGE_CACHE_WRITE, "cache write") /* particle and stream */ \
    ITEM(TP_STAGE_CACHE_READ, "cache read")   /* particle and stream */

typedef enum tp_stage {
#define TP_STAGE_ENUM(name, text) name,
    TP_STAGE_LIST(TP_STAGE_ENUM)
#undef TP_STAGE_ENUM
        TP_STAGE_COUNT
} tp_stage;
/* those before it are a world's, the others a cache's */
#define TP_WORLD_STAGES TP_STAGE_CACHE_WRITE
/* Its name, as in the list above. Cost O(1). */
const char *tp_stage_name(tp_stage stage);

/* Threads of the game's, lent for the length of a call. Results do not depend on them: the parts
   that they get write to particles of their own, and everything that is added up is an integer. */
typedef struct tp_jobs {
    /* Calls work(argument, index) once for each index 0 .. count - 1, on any threads in any
       order, and returns when all of them have returned. Required: a call that is handed jobs
       without it returns TP_ERROR_NULL. */
    void (*run)(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                uint32_t count);
    void *context;
    uint32_t workers; /* how many run at once; up to 16 are made use of. See TP_JOBS_SLICE_UNITS */
} tp_jobs;

/* What a slice may do beyond its bound, because it is begun: a row of pairs, or the look-up of a
   particle's cells of several sizes; one particle's fields; sorting the few of a cell; and when
   a frame begins, all poses. */
#define TP_UNITS_AHEAD(neighbours_max, fields_max, colliders_max, emitters_max) \
    ((neighbours_max) / 2u + 160u + 10u * (fields_max) + 2u * (colliders_max) + (emitters_max) / 2u)

/* With jobs a slice of a stage that they work on may be `workers` times as long; where all of
   them look at pairs, it has this many units a worker, if the definition's bound is below. It is
   cut to what is left of the budget: a call begins no slice beyond it. Each part of a slice has
   its own share and stops when that is used up, at the latest neighbours_max / 2 + 25 units
   behind it (with particles of several sizes 120), which are charged to the slices that follow;
   there are two parts a worker, but at most 16. */
#define TP_JOBS_SLICE_UNITS 32768u

/* What one frame may cost. Every call that takes a budget returns TP_ERROR_NULL, and does
   nothing, where microseconds have no clock_us or jobs have no run. */
typedef struct tp_budget {
    uint32_t units;                      /* 0: no limit */
    uint32_t microseconds;               /* 0: no limit; else clock_us must not be null */
    uint64_t (*clock_us)(void *context); /* monotonic microseconds, or null */
    void *clock_context;
    uint32_t stage_units[TP_STAGE_COUNT]; /* a stage's own share; 0: no own limit */
    uint32_t frames_max; /* simulated frames that this call may complete; 0: all that are owed */
    /* goes on in the game frame of the call before: no new time is owed, and the units are those
       of the game frame, not of the call */
    bool is_same_frame;
    const tp_jobs *jobs; /* null: everything runs on the caller's thread */
} tp_budget;

typedef enum tp_pool {
    TP_POOL_PARTICLES,
    TP_POOL_EMITTERS,
    TP_POOL_SINKS,
    TP_POOL_FIELDS,
    TP_POOL_COLLIDERS,
    TP_POOL_LINKS,
    TP_POOL_GEOMETRY,
    TP_POOL_PAIRS,
    TP_POOL_COUNT
} tp_pool;

typedef struct tp_pool_report {
    uint32_t capacity, used, peak;
    uint32_t retired; /* slots whose generations are used up */
    uint64_t refused;
} tp_pool_report;

/* What a frame did, of one world; what its caches did is in theirs, tp_cache_counters. Counters
   marked "ever" run since the world began. */
typedef struct tp_report {
    uint64_t game_frames;      /* ever: calls of tp_frame */
    uint64_t frames;           /* ever: simulated frames completed */
    uint64_t steps;            /* ever: complete steps */
    uint32_t steps_in_frame;   /* of this call */
    uint32_t frames_completed; /* of this call */
    /* of this call, and of those before it in the same game frame */
    uint64_t units;
    /* a cache tells of its own stages in tp_cache_counters */
    uint64_t stage_units[TP_WORLD_STAGES];
    uint32_t slice_units_longest; /* of this call */
    uint64_t slice_units_longest_ever;
    uint32_t microseconds; /* of this call, 0 without a clock */
    uint32_t slice_microseconds_longest;
    uint64_t lag_ticks;         /* time owed to the game, now */
    uint64_t lag_ticks_dropped; /* ever */
    uint64_t lagged_frames;     /* ever: calls that ended with time owed */
    uint32_t step_ticks;        /* of the last step */
    float timestep;             /* s, of the last step */
    float courant;              /* largest of the last step; 0 when not adaptive */
    /* ever: frames in which the cap on sub-steps held the step above the target */
    uint64_t courant_exceeded;
    uint64_t coarsened_steps; /* ever */
    /* ever: by calls that edit what a step works on. A game that makes such a call in every
       frame, with a budget below the units of a step, sees no step end */
    uint64_t steps_restarted;
    uint32_t particles;
    uint64_t born, died; /* ever; died by sinks, age and killing colliders */
    uint64_t recycled;   /* ever */
    /* ever: not finite, beyond 1e9 m, or faster than 1e9 m/s along an axis */
    uint64_t killed_particles;
    /* of the last step; with kept lists those within cutoff and skin at their building */
    uint64_t pairs;
    uint32_t neighbours_largest; /* of the last step, before the cap */
    uint64_t neighbours_dropped; /* ever: ends of pairs dropped by the cap, on both sides */
    /* ever: particles left out of pairs by cell_max, by step; all beyond 65535 cells from the
       origin share the outermost cells */
    uint64_t cells_crowded;
    uint64_t displacements_clamped; /* ever: pair displacements above one smoothing radius */
    uint64_t speeds_clamped;        /* ever */
    uint64_t contacts;              /* of the last step */
    uint64_t contacts_capped;       /* ever: sub-steps cut at the cap of 4 contacts */
    uint64_t pushed_out;            /* ever: particles found inside a solid and projected out */
    uint64_t overlaps_guarded;      /* ever: pairs nearer than the overlap distance, by step */
    uint64_t lists_built;           /* ever: steps that built a new list of neighbours */
    uint64_t collisions;            /* ever: of hard spheres */
    /* ever: pairs of hard spheres that contact_iterations left for the next step, by step */
    uint64_t overlaps_left;
    uint64_t links_dropped; /* ever: because an end died */
    uint64_t links_broken;  /* ever: longer than their break_length */
    uint64_t links_guarded; /* ever: links shorter than 1e-6 m, by step */
    uint64_t links_cut;     /* ever: forces of links cut at pair.link_force_max */
    tp_pool_report pools[TP_POOL_COUNT];
} tp_report;

/* Simulates one game frame within the budget: TP_OK when nothing is owed afterwards, TP_MORE
   when time is. A game frame exceeds budget->units by at most one slice (see slice_units) and
   what that has begun, TP_UNITS_AHEAD, which the slices that follow are charged with; with jobs
   by what TP_JOBS_SLICE_UNITS tells. It looks at the clock between slices. Slicing, budgets and
   jobs never change the bits of a step (coarsen chooses other steps, from units only). `report`
   may be null. Errors: NULL (world, or a budget without its functions), BLOCK. Cost:
   budget->units + slice_units + TP_UNITS_AHEAD; without a limit, the whole frame: O(substeps *
   particles * (9 or 27) * cell_max). Stack, also of every other call and of each thread lent:
   without vectors 3 KB on Cortex-M and 32-bit RISC-V without jobs, else 8 KB; 34 KB with vectors
   of 4 numbers, 54 KB with wider ones. Most where a cache asks for frames of a world. */
TP_CHECKED tp_result tp_frame(tp_world *world, const tp_budget *budget, tp_report *report);

/* One world of several in a frame. */
typedef struct tp_share {
    tp_world *world;
    uint32_t priority; /* lower goes first with what the guarantees leave over */
    /* granted before any other world's leftovers, to within one slice of 64 units */
    uint32_t guaranteed_units;
    tp_report report; /* written */
} tp_share;

/* Shares one budget among at most 64 worlds, in one account of units and of time: first every
   guarantee, then what is left by priority. Among equals the world goes first that has waited
   for most calls, then the first in the array. No slice is shorter than 64 units: a world waits
   when fewer are left, or less time than its longest slice takes. Only the first slice of a call
   need not fit: the call is charged at most 64 units more than its budget. Beyond the charged
   units each world that the call leaves inside a step may have finished the item that it had
   begun (TP_UNITS_AHEAD; with jobs see TP_JOBS_SLICE_UNITS): its next slices are charged with
   that. Charged units are the same at every vector width. Errors: NULL (shares, a world, or a
   budget without its functions), BLOCK, DEFINITION (too many, a world twice, or guarantees, each
   rounded up to a multiple of 64, above the budget). Cost: budget->units + 64, and O(count^2);
   without a limit as tp_frame, for every world. */
TP_CHECKED tp_result tp_frame_worlds(tp_share *shares, uint32_t count, const tp_budget *budget);

/* The counters as they are now. Cost O(1). */
tp_report tp_world_report(const tp_world *world);

/* What a world of pair forces holds at the last complete step. */
typedef struct tp_pair_report {
    uint32_t particles;
    uint32_t pairs;  /* within the cutoff; hard spheres: within sigma */
    float kinetic;   /* J, all particles */
    float potential; /* J, all pairs; hard spheres: 0 */
    /* J (Boltzmann's constant is 1): 2 kinetic / (dimensions * (particles - 1)) */
    float temperature;
    /* J: sum of r . F over pairs and links, without damping; hard spheres: mean of the time
       since the last measurement, and no links */
    float virial;
    uint32_t links;    /* that hold */
    float link_energy; /* J, all links: stiffness (length - rest_length)^2 / 2 */
    /* Pa (2D: N/m): (2 kinetic + virial) / (dimensions * volume); 0 unless all axes are periodic */
    float pressure;
    tp_vector momentum; /* kg m/s */
} tp_pair_report;

/* Measures energy, virial and momentum; terms are floats, their sums exact. Not for the frame
   loop: it is not sliced. A step in progress starts again, and the storage order may change; no
   bit of the state does (TP_OVERLOAD_COARSEN may choose other steps afterwards, because forces
   and lists that are known already cost the next step less). Errors: NULL, BLOCK, DEFINITION
   (another solver). Cost O(particles * (9 or 27) * cell_max). */
TP_OF_PAIR TP_CHECKED tp_result tp_pair_measure(tp_world *world, tp_pair_report *report);

/* A potential as samples, in units of each pair's epsilon and sigma, evenly spaced in the square
   of the distance from pair.overlap to pair.cutoff, so that looking one up takes no square root.
   Between two samples the energy is the cubic in that square through both energies and both
   slopes, and the force its derivative: forces do no work round a loop. With h = (cutoff^2 -
   overlap^2) / (count - 1) and g = force / distance as a function of the square, g is off by at
   most 0.0081 h^3 times its largest third derivative; given energies alone, the slopes are those
   of the quartic through the five nearest samples, which adds h^4 / 30 of the fourth one, at
   either end h^4 / 5. Roundings add some 1e-6 energy / h: of Lennard-Jones, 257 to 1025 samples
   are best, and 2e-4 of the force off beyond 0.85 sigma. */
typedef struct tp_pair_table {
    uint32_t stamp;
    uint32_t count;        /* 5..pair.table_max */
    const float *energies; /* `count` of them, -1e12..1e12: V / epsilon; copied */
    /* -V' sigma / epsilon, at most 1e9 either way; null: from the energies. Copied */
    const float *forces;
} tp_pair_table;

/* Defaults. Cost O(1). */
TP_OF_PAIR tp_pair_table tp_pair_table_default(void);
/* Null when the table is good, else one sentence that names the first wrong field and its range.
   Cost O(samples). */
TP_OF_PAIR const char *tp_pair_table_check(const tp_world *world, const tp_pair_table *table);
/* Distance of a sample, in sigmas: where the game evaluates its potential. 0 for a null world.
   Cost O(1). */
TP_OF_PAIR float tp_pair_table_distance(const tp_world *world, uint32_t count, uint32_t sample);
/* Replaces the table; until there is one, pairs exert no forces. The largest force between
   samples, and no less than that, times neighbours_max fits the integer sums, as tp_pair says: a
   table that begins too deep in a steep core makes their count coarse everywhere. A step in
   progress starts again (counted). Frames that a cache recorded go on with the table that is
   there. Errors: NULL, BLOCK, STAMP, DEFINITION. Cost O(samples). */
TP_OF_PAIR TP_CHECKED tp_result tp_pair_table_set(tp_world *world, const tp_pair_table *table);

/* Hash of what steps change, at the last complete step: particles by id in any storage order,
   clocks, the births that emitters owe, the poses of emitters and colliders, which links hold.
   It stands still while a step is in progress. What the game decides is not in it: the
   definition (but for seeds), tables, fields, sinks, shapes, settings of emitters and colliders.
   Worlds set up alike whose hashes are equal go on to the same bits. Cost O(particles +
   emitters_max + colliders_max). */
uint64_t tp_world_hash(const tp_world *world);

/* ---------------------------------- sources and caches ---------------------------------------- */

/* A cache records the frames of a source into a ring of bytes and gives them back: exactly,
   between two of them, or by simulating what is missing. It knows nothing of physics: a source
   describes its streams and is read, restored and simulated through that description alone.
   tp_world_source describes a world; a game's own simulation fills in a tp_source by hand. A
   source holds nothing of the cache and may be made anew for every call. Values pass in tiles of
   at most TP_TILE particles, one component after the other: component c of the i-th particle of
   a tile lies at values[c * TP_TILE + i]. Frames are recorded in the order of identity, so that
   equal states give equal bytes whatever the order of their storage. */
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

/* What a stream shows between two recorded frames. */
typedef enum tp_interpolation {
    TP_INTERPOLATE_HOLD = 0,   /* the earlier value */
    TP_INTERPOLATE_LINEAR = 1, /* F32 */
    /* F32: the cubic through both values with the rates (per second) of `partner` */
    TP_INTERPOLATE_HERMITE = 2,
    /* F32: the derivative of the HERMITE stream `partner`, whose partner is this one */
    TP_INTERPOLATE_RATE = 3,
    TP_INTERPOLATE_SLERP = 4, /* F32, 4 components w x y z: unit quaternions, the shorter arc */
    /* U32, 1 component, at most one stream: says which particle is which */
    TP_INTERPOLATE_IDENTITY = 5
} tp_interpolation;

typedef struct tp_stream {
    char name[TP_NAME_BYTES];
    tp_stream_type type;
    uint32_t components; /* 1..4 */
    /* largest error that groups may make in a component, 1e-20..1e20; 0: exact. Values lie below
       2^22 times it (2^18 in the smallest bytes) */
    float error_bound;
    tp_interpolation interpolation;
    uint32_t partner; /* HERMITE and RATE: place of the other stream of the pair */
} tp_stream;

/* A named block of bytes recorded with every frame: state that belongs to no particle. */
typedef struct tp_extra {
    char name[TP_NAME_BYTES];
    uint32_t bytes_max;
} tp_extra;

/* What a source's frames consist of. Without an identity stream a particle is known by its
   place. */
typedef struct tp_schema {
    tp_stream streams[TP_STREAMS_MAX];
    tp_extra extras[TP_EXTRAS_MAX];
    uint32_t stream_count; /* 1..TP_STREAMS_MAX */
    uint32_t extra_count;  /* 0..TP_EXTRAS_MAX */
    /* U32 stream whose bits in linear_mask, at either key, make a particle move in a */
    uint32_t linear_stream;
    /* straight line between them: contacts, teleports. TP_STREAM_NONE: none */
    uint32_t linear_mask;
    /* U32 stream of birth times, in ticks modulo 2^32; TP_STREAM_NONE: none */
    uint32_t birth_stream;
    uint32_t frames_per_second_numerator;   /* 1..65535 */
    uint32_t frames_per_second_denominator; /* 1..65535 */
} tp_schema;

/* Functions that a source lacks are null: without `advance` nothing is simulated, without
   `restore_begin` nothing is rewound. `frame`, `count` and `read` are needed to record,
   `extra_read` where there are extra blocks. */
typedef struct tp_source {
    tp_schema schema;
    uint32_t particles_max;
    void *context; /* first argument of every function */
    /* The frame completed last. False: the state has moved on and lies inside the next one. */
    bool (*frame)(void *context, uint64_t *frame);
    uint32_t (*count)(void *context);
    /* One stream of the particles at `places`, at most TP_TILE of them; writes `count` values of
       each component. */
    void (*read)(void *context, uint32_t stream, const uint32_t *places, uint32_t count,
                 void *values);
    /* Writes an extra block, at most its bytes_max, and returns its bytes; with null data only
       that. */
    uint32_t (*extra_read)(void *context, uint32_t extra, void *data);
    /* Restores: begin, then every stream of every tile in order, every extra block, end. The
       source shows its old state until the end, or none; an error from any of them leaves it so. */
    tp_result (*restore_begin)(void *context, uint64_t frame, uint32_t count);
    void (*write)(void *context, uint32_t stream, uint32_t first, uint32_t count,
                  const void *values);
    tp_result (*extra_write)(void *context, uint32_t extra, const void *data, uint32_t bytes);
    tp_result (*restore_end)(void *context);
    /* Simulates one frame, or the rest of one: TP_OK, or TP_MORE when the budget ended first.
       Adds to *units. */
    tp_result (*advance)(void *context, const tp_budget *budget, uint64_t *units);
    /* Goes back to the state at or before the cache's start_frame: TP_OK, or TP_MORE to be
       called again. */
    tp_result (*restart)(void *context);
    /* Does once more what the game did then, told to tp_cache_input; an error ends what needs
       it. */
    tp_result (*input)(void *context, const void *data, uint32_t bytes);
    /* Simulates `frames` frames at once, or the rest of them, as advance does one: near what
       they would come to, the same bits every time. For quick caches; a solver that cannot take
       so long a step leaves it null. */
    tp_result (*jump)(void *context, uint32_t frames, const tp_budget *budget, uint64_t *units);
} tp_source;

/* The source that a world is: streams id, position, velocity, meta and, where kept, birth;
   position and velocity have as many components as the world has dimensions. Its extra block
   holds the clock, emitters, sinks, fields, colliders and links, so that a restored world goes
   on to the same bits. It has no restart: set one that builds the scene again, and no jump: its
   solvers take as many steps as frames ask for. Restoring refuses (SOURCE) when emitters or
   colliders with geometry came or went since, or when the world was stepped between two calls of
   one restore. While a cache simulates it, the world owes one frame at a time;
   TP_OVERLOAD_COARSEN lets the budget choose the steps, and so the bits. A null world gives a
   source without streams. Cost O(1). */
TP_OF_CACHE tp_source tp_world_source(tp_world *world);

/* What a cache does with a frame that does not fit. */
typedef enum tp_cache_policy {
    TP_CACHE_EVICT = 0, /* the oldest frames make room; counted */
    TP_CACHE_STOP = 1   /* it is refused; counted */
} tp_cache_policy;

typedef struct tp_cache_def {
    uint32_t stamp; /* set by tp_cache_default, checked by every use */
    tp_cache_policy policy;
    uint64_t start_frame; /* first frame that is recorded, default 0 */
    uint64_t end_frame;   /* last frame, start_frame..TP_FRAME_MAX, default TP_FRAME_MAX */
    /* every step-th frame from the start, and the end, is kept: 1..65535, default 1 */
    uint32_t step;
    /* 1, the default: a frame stands for itself, with every bit and the extra blocks, and the
       source can be put back into it. 2..TP_GROUP_FRAMES_MAX: so many frames are packed
       together, streams with an error_bound to within that, others in every bit, in a fraction
       of the bytes. Where all streams are kept in every bit, extra blocks are as well, and the
       source can be put back; else frames are to be shown. Wants frames_max of three groups */
    uint32_t group_frames;
    /* for what tp_cache_input is told, 0..2^24, default 0; an input takes 16 bytes more than its
       own, rounded up to 8 */
    uint32_t input_bytes;
    uint32_t recorded_streams; /* bit s: groups keep stream s of the schema; 0, the default: all */
    /* frames, or jumps, that one request simulates at most, 1..65535, default 16 */
    uint32_t catchup_max;
    /* 0, the default, or 1: what is asked for more than a frame ahead is come to by the source's
       jumps */
    uint32_t is_quick;
    uint32_t particles_max; /* of one frame, 0..16777215, default the source's; more are refused */
    uint32_t frames_max;    /* 0..1048576, default 256 */
    /* of all frames together, 0..2^31, default 1048576. A frame of n particles takes
       TP_CACHE_FRAME_BYTES(n, words of all streams, extra blocks, their bytes) */
    uint32_t ring_bytes;
    /* bound of one slice: at least 64 * streams * group_frames, and a sixteenth of the largest
       extra block and 1, up to 65536; default 2048, or what the source needs */
    uint32_t slice_units;
    tp_schema schema; /* the source's */
} tp_cache_def;

/* Bytes of a recorded frame: `words` is the sum of the components of all streams. */
#define TP_CACHE_FRAME_BYTES(particles, words, extras, extra_bytes)                         \
    (48u + ((uint64_t)(particles) + 63u) / 64u * 12u + (uint64_t)(particles)*4u * (words) + \
     12u * (extras) + (extra_bytes))

/* Upper bound of tp_cache_memory as a constant expression, for static arrays; of a cache with
   groups, the second added. */
#define TP_CACHE_BYTES(particles_max, words, frames_max, ring_bytes, extra_bytes_max) \
    (11264u + (uint32_t)(particles_max)*12u + (uint32_t)(words)*1024u +               \
     (uint32_t)(frames_max)*40u + (uint32_t)(ring_bytes) + (uint32_t)(extra_bytes_max))

/* `bounded` and `exact`: components of the recorded streams with an error_bound, and of the
   others but the identity. */
#define TP_GROUP_BYTES(particles_max, bounded, exact, group_frames)                             \
    (((uint32_t)(particles_max) + 63u) / 64u *                                                  \
         (768u +                                                                                \
          64u * (16u * (bounded) + (group_frames)*3u / 2u * (2u * (bounded) + 4u * (exact)))) + \
     10496u + 4096u * (group_frames) + 576u * (group_frames) * ((bounded) + (exact)) +          \
     1024u * ((bounded) + (exact)))
/* And for groups that keep every bit, the third: `extra_bytes` is what all extra blocks take at
   most. */
#define TP_GROUP_EXTRA_BYTES(extra_bytes, group_frames) \
    ((group_frames)*3u / 2u * ((uint32_t)(extra_bytes) + 32u) + 2u * (uint32_t)(extra_bytes) + 64u)

/* A ring of recorded frames. It lives at the start of its block and holds offsets only: copying
   the block is a snapshot. */
typedef struct tp_cache tp_cache;

/* Defaults for a source; a null one gives a definition that tp_cache_check refuses. Cost O(1). */
TP_OF_CACHE tp_cache_def tp_cache_default(const tp_source *source);

/* Null when the definition is good, else one sentence that names the first wrong field and its
   range. Cost O(streams). */
TP_OF_CACHE const char *tp_cache_check(const tp_cache_def *definition);

/* Bytes of the block for this definition. Errors: NULL, STAMP, DEFINITION. Cost O(streams). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_memory(const tp_cache_def *definition, size_t *bytes);

/* The parts of the block in order; writes at most TP_MEMORY_PARTS_MAX of them and their number.
   The sum of their bytes is tp_cache_memory's answer. Errors as there. Cost O(parts). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_memory_parts(const tp_cache_def *definition,
                                                       tp_memory_part *parts, uint32_t *count);

/* Lays an empty cache out in `block` (aligned to 16). Nothing outside the block is kept:
   definition and source may go. Errors: NULL, STAMP, DEFINITION, MEMORY, ALIGNMENT, CONTRACTION,
   FAST_MATH. Cost O(block), to clear it. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_create(const tp_cache_def *definition, void *block,
                                                 size_t bytes, tp_cache **cache);

/* The cache inside a block that was copied or moved. Null if the block holds none. Cost O(1). */
TP_OF_CACHE tp_cache *tp_cache_at(void *block, size_t bytes);

/* The definition that the cache was made with. Null for a null cache. Cost O(1). */
TP_OF_CACHE const tp_cache_def *tp_cache_definition(const tp_cache *cache);

/* How a request was answered. */
typedef enum tp_cache_status {
    TP_CACHE_MISSING = 0, /* not at all */
    TP_CACHE_EXACT = 1,   /* a recorded frame */
    /* between two frames, for display only: nothing is simulated from it */
    TP_CACHE_INTERPOLATED = 2,
    TP_CACHE_SIMULATED = 3, /* the source's own state, simulated now or before */
    /* not yet: the budget or catchup_max ended first; request it again */
    TP_CACHE_PARTIAL = 4,
    TP_CACHE_OUTSIDE = 5 /* outside the frames there are: the nearest end is shown */
} tp_cache_status;

/* Where a request puts its answer: arrays given by the caller, one a stream, of capacity *
   components items each, in the source's type; component c of particle i lies at
   values[stream][c * capacity + i]. Particles come in the order of identity. Zero it once, fill
   in capacity and values, and keep it between the calls of one request: until TP_OK the arrays
   are being filled and hold no complete frame. */
typedef struct tp_frame_view {
    uint32_t capacity;            /* in: particles that the arrays hold */
    void *values[TP_STREAMS_MAX]; /* in: null where the stream is not wanted */
    uint32_t count;               /* out: particles written */
    uint32_t dropped;             /* out: particles that did not fit */
    tp_cache_status status;       /* out */
    uint64_t frame, frame_next;   /* out: the frame shown, or the two that it lies between */
    uint32_t simulated;           /* out: frames simulated by this call */
    uint32_t job;                 /* of the cache */
} tp_frame_view;

/* Shows the source at `time` (ticks; TP_TIME(frame)). Looks, in this order, for the frame
   itself, for two frames around it, and for the source's own state; else goes on simulating from
   the last frame before it (restored, where the source has gone elsewhere), or from the source's
   restart, and records on the way what `step` asks for. A protected cache, or a null source, or
   one without `advance`, is only read. TP_MORE: not yet. A frame found damaged is dropped,
   counted, and treated as never recorded. A quick cache jumps from one frame that `step` asks
   for to the next, and to the frame itself, where that is more than one ahead, and is QUICK from
   then on; baking it goes frame by frame. Frames that stand alone all cost the same: particles *
   streams units for one frame, three times that between two, 7 * particles more for the source's
   own state; of a packed group times the number of frames from the group's first to the one that
   is shown; writes as tp_cache_record, simulation as the source. Frames that were cleared one by
   one are passed over outside of the units: O(frames). Errors: NULL, BLOCK, SOURCE, FRAME
   (status MISSING), FULL (more particles than particles_max), the source's own. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_request(tp_cache *cache, const tp_source *source,
                                                  uint64_t time, const tp_budget *budget,
                                                  tp_frame_view *view);

/* Records the source's current frame if it is due and not there yet. TP_MORE: call again before
   the source is simulated further, else this frame is given up (counted); also while the source
   is inside a frame. A frame becomes visible when it is complete, and never before; it is always
   the last: recording drops all frames behind it, at once and outside of the units: O(frames). A
   null budget is no limit. Units: (streams + 6) * particles + extra bytes / 16. Errors: NULL,
   BLOCK, SOURCE, PROTECTED, FULL (refused; counted). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_record(tp_cache *cache, const tp_source *source,
                                                 const tp_budget *budget);

/* Puts the source back into a recorded frame, to go on from there to the same bits;
   `drops_later` clears the frames behind it. The frame is checked as a whole before the source
   is touched. TP_MORE: call again before the source is simulated. Units: 2 * (streams *
   particles + extra bytes / 16), and in a group so much for each of its frames. Errors: NULL,
   BLOCK, SOURCE (also where groups do not keep every bit), FRAME, PROTECTED (only drops_later),
   the source's own. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_rewind(tp_cache *cache, const tp_source *source,
                                                 uint64_t frame, bool drops_later,
                                                 const tp_budget *budget);

/* Remembers what the game is about to do to the source in the frame that it is in, which has
   been recorded if it is due: data that source->input understands, at most TP_INPUT_BYTES_MAX.
   Whatever was recorded or remembered behind this frame is dropped. Where frames are simulated
   once more, by tp_cache_resume or a request, inputs are done again in their frames. Those
   before the oldest recorded frame make room. Where the game simulates the source itself from a
   frame that a request or a resume has put it into, the inputs that it leaves out there are
   forgotten. No call simulates from a frame with a refused input, or before it, to a later
   frame: that would be another state than the game had. What is not recorded there is FRAME to
   tp_cache_resume, and OUTSIDE to a request, until the game goes on another way from that frame
   or earlier, or the frames before it are gone. Errors: NULL, BLOCK, SOURCE (the source has no
   `input`), PROTECTED, FRAME (the source is inside a frame, or the frame is due and not recorded
   yet), FULL (refused and counted), DEFINITION (too many bytes). Cost: O(frames) and
   O(input_bytes). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_input(tp_cache *cache, const tp_source *source,
                                                const void *data, uint32_t bytes);

/* Puts the source into any frame of the window, recorded or not, to go on from there to the same
   bits: from the last recorded frame at or before it, or from where the source is when that is
   between, with the inputs of the frames on the way. `drops_later` clears what is behind it.
   TP_MORE: call again before the source is simulated. Units: as tp_cache_rewind, and at most
   step - 1 frames of the source. Errors: as tp_cache_rewind; FRAME: nothing is recorded at or
   before it, or it is `step` frames or more behind the last, which may have been cleared or
   found damaged since. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_resume(tp_cache *cache, const tp_source *source,
                                                 uint64_t frame, bool drops_later,
                                                 const tp_budget *budget);

/* Bakes: goes back to the start, clears, simulates and records start_frame..end_frame, and
   protects the cache. Never evicts. TP_MORE: call again; until the end the cache can be read as
   far as it goes, and tp_cache_unprotect gives up. Errors: NULL, BLOCK, SOURCE, PROTECTED, FRAME
   (no way to the start), FULL (frames so far stay, unprotected). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_bake(tp_cache *cache, const tp_source *source,
                                               const tp_budget *budget);

/* Protects what is recorded: nothing is simulated, written or cleared. `is_external` marks
   frames that came from elsewhere. A recording in progress is given up. Errors: NULL, BLOCK.
   Cost O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_protect(tp_cache *cache, bool is_external);
/* Takes the protection away and ends a bake in progress; the frames stay. Errors: NULL, BLOCK.
   Cost O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_unprotect(tp_cache *cache);
/* Drops all frames. Errors: NULL, BLOCK, PROTECTED. Cost O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear(tp_cache *cache);
/* Drops the frames after `frame`; inputs stay. Errors: NULL, BLOCK, PROTECTED. Cost O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear_after(tp_cache *cache, uint64_t frame);
/* Drops the frames before `frame`; what the game did in them is forgotten when room is needed.
   Errors: NULL, BLOCK, PROTECTED. Cost O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear_before(tp_cache *cache, uint64_t frame);
/* Drops one frame; those around it stay. Its bytes are free when it is the oldest. Errors: NULL,
   BLOCK, PROTECTED, FRAME (not recorded). Cost O(log frames); of the oldest, O(frames) that were
   cleared behind it. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_clear_frame(tp_cache *cache, uint64_t frame);

/* A particle of a baked frame, to be changed by hand: `identity` as the identity stream has it,
   else its place. */
typedef struct tp_cache_edit {
    uint64_t frame;
    uint32_t identity;
    uint32_t stream;
    uint32_t values[4]; /* of the stream's components: floats as their bits */
    /* stream is HERMITE: its rates in this frame and the two beside it become central
       differences of what is recorded there; one-sided at the ends */
    bool fits_rates;
} tp_cache_edit;

/* Changes a baked cache, whose frames stand alone, in place; it is marked EDITED. Errors: NULL,
   BLOCK, PROTECTED (not baked, or external), DEFINITION (groups, no such stream, the identity,
   or not finite), FRAME (not recorded, no such particle, or damaged: nothing is changed then).
   Cost O(particles), with rates seven times that. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_edit_particle(tp_cache *cache, const tp_cache_edit *edit);

/* ---- memory to storage and back: packets, one a frame or a group, that a game keeps where it
   likes */

/* Bytes of the packet of the index-th frame, or of the group that it belongs to, in *bytes, and
   how many frames of the index it holds in *frames; with data, the packet itself. MORE: the
   group is still staged; see tp_cache_flush. Errors: NULL, BLOCK, FRAME (no such, or damaged),
   MEMORY (data is shorter). Cost O(bytes). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_packet(const tp_cache *cache, uint32_t index, void *data,
                                                 uint32_t capacity, uint32_t *bytes,
                                                 uint32_t *frames);
/* Puts the frames of a packet, of a cache with the same schema, group_frames and
   recorded_streams, behind the newest: bit for bit what they were. It may have been cut or
   changed: its checks are looked at here and whenever a frame is shown. Checks find damage, not
   forgery. A forged frame that is shown stays within the view, and a source is told of no more
   particles and bytes than it said; but a world that is put back into one believes it: sign
   packets that strangers carry. Errors: NULL, BLOCK, PROTECTED, FRAME (foreign, damaged, or not
   behind the newest frame), FULL. Cost O(bytes), and that of tp_cache_flush for what is still
   staged: flush first, where that has to keep to a budget. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_take_packet(tp_cache *cache, const void *data,
                                                      uint32_t bytes);
/* Packs what is staged. TP_MORE: call again. FULL: there is no room and the cache may not evict;
   it stays staged, and readable. Errors: NULL, BLOCK. Units: as tp_cache_record's packing. */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_flush(tp_cache *cache, const tp_budget *budget);

/* Settings changed at `frame`: what comes after it is dropped, the rest stays readable but
   OUTDATED (not what a run from the start would give) until a run from the start; a source
   beyond `frame` is not trusted until it is restored. A protected cache is only marked. Errors:
   NULL, BLOCK. Cost O(frames). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_changed(tp_cache *cache, uint64_t frame);
/* The source's state is no longer this cache's: another cache has used it, or the game has put
   it elsewhere. Of a frame that the next call finds it in, it is taken to have the state that
   was recorded, before the inputs of that frame. Errors: NULL, BLOCK. Cost O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_detach(tp_cache *cache);

#define TP_CACHE_BAKED    1u
#define TP_CACHE_EXTERNAL 2u
#define TP_CACHE_OUTDATED 4u
#define TP_CACHE_BAKING   8u
#define TP_CACHE_EDITED   16u
/* jumps led to some frames: near, until the start is recorded again */
#define TP_CACHE_QUICK 32u

/* The state and the counters of a cache; counters marked "ever" run since it began. */
typedef struct tp_cache_counters {
    uint32_t flags;                         /* TP_CACHE_BAKED and so on */
    uint32_t frames, frames_peak;           /* recorded and valid, now and at most */
    uint32_t bytes, bytes_peak;             /* of the ring in use */
    uint64_t frame_first, frame_last;       /* valid ones; 0 when there are none */
    uint64_t frames_written, bytes_written; /* ever */
    uint64_t frames_evicted, bytes_evicted; /* ever: to make room */
    uint64_t frames_refused;   /* ever: larger than the ring or the pools, or stopped when full */
    uint64_t frames_abandoned; /* ever: the source moved on before the recording was complete */
    uint64_t frames_corrupt;   /* ever: found damaged, and dropped */
    /* ever: answered */
    uint64_t requests_exact, requests_interpolated, requests_simulated, requests_outside;
    uint64_t inputs_refused, inputs_done_again; /* ever */
    /* remembered now */
    uint32_t inputs, input_bytes;
    uint64_t frames_simulated;        /* ever: through the source's advance */
    uint64_t restores, restarts;      /* ever: of the source */
    uint32_t units;                   /* of the last call, without those of the source */
    uint32_t write_units, read_units; /* of them: of the stages cache write and cache read */
    uint32_t slice_units_longest;     /* ever */
    /* falls by 1/32 a call, so that one hiccup does not starve the cache for ever */
    uint32_t slice_microseconds_longest;
} tp_cache_counters;

/* All zero for a null cache. Cost O(frames). */
TP_OF_CACHE tp_cache_counters tp_cache_report(const tp_cache *cache);

/* One recorded frame: the activity graph. */
typedef struct tp_cache_frame {
    uint64_t frame;
    uint32_t bytes, particles;
    bool is_valid; /* false: found damaged */
} tp_cache_frame;

/* The index-th frame in order of time. Errors: NULL, BLOCK, FRAME. Cost O(1). */
TP_OF_CACHE TP_CHECKED tp_result tp_cache_frame_at(const tp_cache *cache, uint32_t index,
                                                   tp_cache_frame *frame);
/* Whether this very frame is recorded and valid. Cost O(log frames). */
TP_OF_CACHE bool tp_cache_has(const tp_cache *cache, uint64_t frame);

/* ---------------------------------- clips and players ----------------------------------------- */

/* A clip is a baked cache in storage: groups of frames, each from a first one on, in tiles of
   128 points (.tpc; byte by byte in host_tools/clip/FORMAT.md). A player shows one at any time,
   forwards, backwards or at random, out of one fixed block: of every point it keeps where it is
   and how it moves, so that the next frame costs a frame. */
#define TP_CLIP_STREAMS_MAX 20u
#define TP_CLIP_NOT_YET     0xffffffffu

/* Where a clip lies. Passed to every call and never kept. */
typedef struct tp_clip_storage {
    /* all of it, where flash is mapped into memory or the clip is in RAM; null: `read` is asked */
    const void *bytes;
    uint64_t size; /* of `bytes` */
    /* Bytes read from `offset` on: `size`, fewer only at the end or on an error; or
       TP_CLIP_NOT_YET, and nothing is written: then it is asked again in the next call, and
       should have kept the last two answers until then. */
    uint32_t (*read)(void *context, uint64_t offset, void *bytes, uint32_t size);
    void *context;
} tp_clip_storage;

/* What was wrong with foreign bytes. */
typedef struct tp_clip_fault {
    uint64_t offset;   /* byte of the clip */
    char expected[64]; /* what belongs there; empty: nothing was wrong */
} tp_clip_fault;

/* What a clip tells of itself; streams of bytes, and those of no frame, are left out. */
typedef struct tp_clip_info {
    int64_t first_frame, last_frame; /* first > last: there are none */
    uint32_t frames, groups;
    uint32_t key_interval; /* frames of a group, at most */
    uint32_t block_bytes, points_max,
        piece_max;           /* the largest of all groups: points with a slot, bytes of a tile */
    float frames_per_second; /* 0: not known */
    /* a velocity times this is the way of a frame; 0.04 in Blender's particles */
    float seconds_a_frame;
    /* false: it was being written when the power went; what was whole is there */
    bool is_closed;
    uint32_t stream_count;
    /* the first is `id`; with the error that none of its components exceeds */
    tp_stream streams[TP_CLIP_STREAMS_MAX];
    tp_clip_fault fault;
} tp_clip_info;

/* Reads what a clip tells of itself; `scratch` of `bytes` is two of its blocks (2 * 32768 are
   always enough). TP_MORE: the storage answers later; all is asked again. Errors: NULL, CLIP,
   CLIP_ROOM (blocks are larger than half of scratch). Cost: 10 blocks, of a clip that was not
   closed a block a group and 2 log2 of its blocks more. */
TP_OF_CLIPS TP_CHECKED tp_result tp_clip_look(const tp_clip_storage *storage, void *scratch,
                                              uint32_t bytes, tp_clip_info *info);

/* Where something happens in what a player or a timeline shows. A key is a point that did not go
   on as the frames before predict, by more than its stream's error bound: in free flight there
   are none, so that keys stand where points collide, break and turn. Decoding tells them by the
   way; the box is cut into regions along two axes, and keys are counted where their points are
   shown. A point has a key where it has one in any of the definition's streams that has a bound;
   where its values in one of these are kept exactly, it always has one. In the first two frames
   of a group, and of a point's life, nothing is predicted: no keys. */
#define TP_REGIONS_MAX 16u /* along each axis */
typedef struct tp_activity_def {
    /* regions along each axis, 1..TP_REGIONS_MAX; both 0 (default): nothing is counted */
    uint32_t side[2];
    uint32_t axis[2]; /* the stream's components, two of them; default 0 and 1 */
    /* of the definition: where points are, LINEAR or HERMITE; default `location` */
    uint32_t stream;
    /* Of the box along each axis, low < high; what lies beyond counts in the region at the edge. */
    float low[2], high[2];
} tp_activity_def;

/* Keys a recorded frame; of a timeline, a frame of its own clock. Points are those shown and
   those that did not fit the view. Some of them could have had a key, or is_known is false: in a
   group's first two frames, and where no stream has a bound. */
typedef struct tp_activity {
    float keys;
    uint32_t points;
    bool is_known;
} tp_activity;

typedef struct tp_player_def {
    uint32_t stamp;      /* set by tp_player_default, checked by every use */
    uint32_t points_max; /* slots of a group in the tiles that are shown, 1..16777215 */
    uint32_t piece_max;  /* bytes of a tile, 1..2^28 */
    uint32_t block_max;  /* bytes of a block, 512..32768 */
    /* decoded frames that stay: 0, or 2..1024, default 2. 0: only exact frames can be shown, and
       between two of them the earlier one. With a group and one more (key_interval + 1)
       backwards costs what forwards does */
    uint32_t frames_kept;
    /* frames decoded at a time while playing forwards, 1 (default) .. frames_kept - 1: a tile is
       fetched once for all of them, which storage that is read through a call asks for */
    uint32_t frames_ahead;
    /* every so many-th tile is shown, 1 (default) .. 65535: a preview at that part of the cost */
    uint32_t tiles_apart;
    uint32_t reads_max; /* calls of `read` in one request; 0 (default): no limit */
    /* bound of one slice, 128 * (1 + stream_count) + block_max / 4 .. 65536; default 16384 */
    uint32_t slice_units;
    /* 2..TP_STREAMS_MAX: those that are wanted, by name, type and components */
    uint32_t stream_count;
    tp_stream streams[TP_STREAMS_MAX];
    /* Where it is counted there are at most TP_STREAMS_MAX - 1 streams, slice_units are 128
       more, and view->values[stream_count] takes an F32 a point, or is null: its key, 0..1. Off,
       it takes neither bytes nor time. */
    tp_activity_def activity;
} tp_player_def;

/* Bytes that a player takes at most, as a constant expression for static arrays: `words` is the
   sum of components of all streams but the identity. Of them 10 + 9 * words a point are its
   state, 20 + 4 * words * frames_kept more the kept frames. */
#define TP_PLAYER_BYTES(points_max, words, streams, frames_kept, piece_max, block_max)  \
    (14336u + (block_max) + ((piece_max) > (block_max) ? (piece_max) : (block_max)) +   \
     (uint32_t)(points_max) * (10u + 9u * (words)) +                                    \
     (uint32_t)(streams) * (304u + (points_max) / 128u * 272u) +                        \
     ((frames_kept) ? (uint32_t)(points_max)*10u +                                      \
                          (frames_kept) * (48u + 4u * (words) * (uint32_t)(points_max)) \
                    : 0u))

/* What counting activity takes more: 8 bytes a region, 16 a tile and kept frame. */
#define TP_PLAYER_ACTIVITY_BYTES(points_max, frames_kept, regions) \
    (1504u + 8u * (uint32_t)(regions) +                            \
     ((uint32_t)(points_max) / 128u + 1u) * 16u * ((frames_kept) ? (frames_kept) : 1u))

/* A player of one clip. It lives at the start of its block and holds offsets only: copying the
   block is a snapshot. */
typedef struct tp_player tp_player;

/* Defaults for a clip: large enough for it, its streams `id` and `location`. A null info gives a
   definition that tp_player_check refuses. Cost O(streams). */
TP_OF_CLIPS tp_player_def tp_player_default(const tp_clip_info *info);

/* Adds a stream of the clip to those wanted; `velocity` beside `location` makes curves between
   frames of straight lines. Errors: NULL, SOURCE (the clip has no stream of that name), FULL.
   Cost O(streams). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_want(tp_player_def *definition, const tp_clip_info *info,
                                                const char *name);

/* Null when the definition is good, else one sentence that names the first wrong field and its
   range. Cost O(streams). */
TP_OF_CLIPS const char *tp_player_check(const tp_player_def *definition);

/* Bytes of the block for this definition. Errors: NULL, STAMP, DEFINITION. Cost O(streams). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_memory(const tp_player_def *definition, size_t *bytes);

/* The parts of the block in order; writes at most TP_MEMORY_PARTS_MAX of them and their number.
   Errors as there. Cost O(parts). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_memory_parts(const tp_player_def *definition,
                                                        tp_memory_part *parts, uint32_t *count);

/* Lays a player out in `block` (aligned to 16), its clip not yet opened. Errors: NULL, STAMP,
   DEFINITION, MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH. Cost O(block), to clear it. */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_create(const tp_player_def *definition, void *block,
                                                  size_t bytes, tp_player **player);

/* The player inside a block that was copied or moved. Null if the block holds none. Cost O(1). */
TP_OF_CLIPS tp_player *tp_player_at(void *block, size_t bytes);

/* The definition that the player was made with. Null for a null player. Cost O(1). */
TP_OF_CLIPS const tp_player_def *tp_player_definition(const tp_player *player);

/* Shows the clip at `time` (ticks; TP_TIME(frame), below 0 too): view->values are of the
   definition's streams, in their order. The budget's units, stage_units of TP_STAGE_CACHE_READ
   and microseconds count; null: no limit. TP_MORE: the budget ended, `reads_max` was reached or
   the storage answers later: request again, this time or a later one; what was done stays done.
   Status EXACT, INTERPOLATED (where no frames are kept the earlier one, and frame_next is frame;
   HERMITE and RATE with the clip's seconds_a_frame; points that only one of both frames has are
   shown on its side of half way), OUTSIDE (before the first or behind the last frame: that one
   is shown), PARTIAL (TP_MORE), MISSING (an error). Units: of each stream one a point and frame
   decoded, one a point taken up and one shown (two where frames are shown between); 16 bytes of
   storage checked or put together. Points are those of all tiles shown. Forwards the next frame
   is decoded alone; a frame elsewhere at most with all before it in its group, between two
   groups with all of the earlier one and one of the later. A tile whose motion does not fit 16
   bits is decoded from its group's begin (counted). A damaged clip gives CLIP for the frames of
   the group where the damage lies, and no part of a frame. Errors: NULL, BLOCK, CLIP, CLIP_ROOM,
   SOURCE (the clip lacks a wanted stream), FRAME (it has no frames). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_request(tp_player *player,
                                                   const tp_clip_storage *storage, int64_t time,
                                                   const tp_budget *budget, tp_frame_view *view);

/* The activity of what the last request showed. `regions`, if not null, takes side[0] * side[1]
   counts, row * side[0] + column, from low; they add up to activity->keys, to the last bit at a
   frame's own time. At such a time the counts are that frame's: whole numbers, whatever was
   shown before. Between two frames a point's key is that of both in the shares of the time, (1 -
   u) a + u b in 65536ths (where no frames are kept, the earlier frame's), so that over a clip
   they come to the same sum at any speed. Outside of the clip nothing happens: 0. TP_MORE: the
   request is not yet answered. Errors: NULL, BLOCK, DEFINITION (it is not counted), FRAME
   (nothing is shown). Cost O(regions). Counting costs a request no read and no decoding; a unit
   a point shown, as a stream of one more component does. */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_activity(const tp_player *player, tp_activity *activity,
                                                    float *regions);

/* The storage holds another clip now, or a longer one: everything but the counters begins anew.
   `tiles_apart`: from now on, 1..65535; 0: as before. Errors: NULL, BLOCK, DEFINITION. Cost
   O(1). */
TP_OF_CLIPS TP_CHECKED tp_result tp_player_reopen(tp_player *player, uint32_t tiles_apart);

/* Counters of a player; all run since it began, but those of the last call. */
typedef struct tp_player_counters {
    uint64_t requests_exact, requests_interpolated, requests_outside; /* answered */
    uint64_t tile_frames;   /* decoded: tiles times streams times frames */
    uint64_t tile_restarts; /* tiles decoded from their group's begin */
    uint64_t tile_wide;     /* of them: because their motion does not fit 16 bits */
    uint64_t groups_opened;
    uint64_t reads, read_bytes; /* answered by the storage's `read` */
    uint64_t stalls;            /* it answered TP_CLIP_NOT_YET */
    uint32_t units, reads_last; /* of the last call */
    uint32_t slice_units_longest;
    /* falls by 1/32 a call, so that one hiccup does not starve the player for ever */
    uint32_t slice_microseconds_longest;
    tp_clip_fault fault; /* of the last call that returned CLIP or CLIP_ROOM */
} tp_player_counters;

/* All zero for a null player. Cost O(1). */
TP_OF_CLIPS tp_player_counters tp_player_report(const tp_player *player);

/* ---------------------------------- timelines ------------------------------------------------- */

/* A timeline shows clips as strips: each plays a part of a clip from a time on, faster, slower
   or backwards, again and again or held, and takes over from the strip before it within its
   fade. Strips, like players, know nothing of each other's storage: both are handed to every
   request. */
typedef struct tp_strip {
    uint32_t player;              /* which of those that are handed to a request */
    int64_t start, end;           /* ticks of the timeline in which it is shown, start < end */
    int64_t clip_start, clip_end; /* ticks of the clip that it plays, clip_start < clip_end */
    /* -65535..65535: ticks of the clip ... below 0: backwards from clip_end; 0: it stands */
    int32_t speed_numerator;
    /* ... in so many of the timeline, 1..65535; rounded down to a tick */
    uint32_t speed_denominator;
    /* ticks from its start in which it takes over from the strip below, 0 .. end - start */
    int64_t fade;
    bool repeats; /* false: the last moment of its part is held */
} tp_strip;

typedef struct tp_timeline_def {
    uint32_t stamp;      /* set by tp_timeline_default, checked by every use */
    uint32_t strips_max; /* 1..1024, default 16 */
    uint32_t points_max; /* of a frame, 1..16777215 */
    /* bound of one slice of blending, 128 * (1 + stream_count) .. 65536; default 16384 */
    uint32_t slice_units;
    float seconds_a_frame; /* of velocities, as in the clips: above 0 */
    /* view->values[stream_count] takes an F32 a point, its share of the picture: of points that
       only one of two clips has less than 1. Without, those are shown while their clip has the
       larger share */
    bool has_weights;
    /* bit s: stream s is one a second, so that it goes with the speed; default: velocities */
    uint32_t rate_streams;
    /* 1..TP_STREAMS_MAX - has_weights: those of all players, in the same order; one is the
       identity */
    uint32_t stream_count;
    tp_stream streams[TP_STREAMS_MAX];
    /* That of all players. Where it is counted there is a stream less, slice_units are 128 more,
       and view->values[stream_count + has_weights] takes an F32 a point, or is null: its key
       times the speed. */
    tp_activity_def activity;
} tp_timeline_def;

/* Strips, and two frames to be blended. It lives at the start of its block and holds offsets
   only. */
typedef struct tp_timeline tp_timeline;

/* What a timeline shows at a time. */
typedef struct tp_timeline_moment {
    /* 1, or 2: the second takes over from the first; 0: there are no strips */
    uint32_t count;
    uint32_t strip[2];    /* in the order of their starts */
    int64_t clip_time[2]; /* ticks */
    float speed[2];       /* 0 where a strip is held; below 0 backwards */
    float weight;         /* of the second, 0..1 */
    float weight_rate;    /* its change, a frame of the timeline */
    bool is_outside;      /* no strip is here: the one that ended last, or begins first, is held */
} tp_timeline_moment;

/* Defaults for players of such a definition in clips of `info`; null ones give a definition that
   the check refuses. Cost O(streams). */
TP_OF_CLIPS tp_timeline_def tp_timeline_default(const tp_player_def *player,
                                                const tp_clip_info *info);

/* Null when the definition is good, else one sentence that names the first wrong field and its
   range. Cost O(streams). */
TP_OF_CLIPS const char *tp_timeline_check(const tp_timeline_def *definition);

/* Bytes of the block for this definition: 8 * (1 + words) a point. Errors: NULL, STAMP,
   DEFINITION. Cost O(streams). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_memory(const tp_timeline_def *definition,
                                                    size_t *bytes);

/* Lays an empty timeline out in `block` (aligned to 16). Errors: NULL, STAMP, DEFINITION,
   MEMORY, ALIGNMENT, CONTRACTION, FAST_MATH. Cost O(block), to clear it. */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_create(const tp_timeline_def *definition, void *block,
                                                    size_t bytes, tp_timeline **timeline);

/* The timeline inside a block that was copied or moved. Null if the block holds none. Cost O(1). */
TP_OF_CLIPS tp_timeline *tp_timeline_at(void *block, size_t bytes);

/* Adds a strip. Errors: NULL, BLOCK, FULL, DEFINITION (a number of the strip is out of range).
   Cost O(strips). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_add(tp_timeline *timeline, const tp_strip *strip);

/* Removes all strips. Errors: NULL, BLOCK. Cost O(1). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_clear(tp_timeline *timeline);

/* What is shown at `time`: of the strips there the two that began last, the later one with weight
   (time - start) / fade. Errors: NULL, BLOCK. Cost O(strips). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_look(const tp_timeline *timeline, int64_t time,
                                                  tp_timeline_moment *moment);

/* Shows the strips at `time`, as tp_player_request does: with the budget, TP_MORE, and status
   OUTSIDE where no strip is. players[i] plays storages[i]; strips that fade should have players
   of their own, because one that is asked for two times in turn decodes a group for each.
   Between two clips, with w the weight, points are matched by identity: x = xA + w (xB - xA),
   rotations along the shorter arc, whole numbers of the clip that has more; velocities vA and vB
   are first scaled by the speeds, v = vA + w (vB - vA) + w' (xB - xA). So weights 0 and 1 give
   one clip's bits, and a clip with itself that clip's. No place is off by more than the larger
   of both clips' errors e, no velocity by more than the larger of |speed| e plus |w'| (eA + eB),
   both but for rounding. Units: those of the players, and of blending one a stream and point of
   both. Errors: NULL, BLOCK, HANDLE (a strip names a player that was not handed), SOURCE (a
   player has other streams), FRAME (no strips), FULL (more points than points_max), the players'
   own. */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_request(tp_timeline *timeline,
                                                     tp_player *const *players,
                                                     const tp_clip_storage *storages,
                                                     uint32_t count, int64_t time,
                                                     const tp_budget *budget, tp_frame_view *view);

/* The activity of what the last request showed, as tp_player_activity, but in keys a frame of
   the timeline: a strip's keys go with the absolute value of its speed, so that played slower
   they stand for as long in less height; where it is held there are none. Between two clips with
   weight w those of a point in both are a + w (b - a), where it is shown; those of a point of
   only one of them, with has_weights, go with its weight, else they are whole while it is shown.
   Errors: NULL, BLOCK, DEFINITION (it is not counted), FRAME (nothing is shown). Cost
   O(regions). */
TP_OF_CLIPS TP_CHECKED tp_result tp_timeline_activity(const tp_timeline *timeline,
                                                      tp_activity *activity, float *regions);

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_H */

#if defined(TIDEPOOL_IMPLEMENTATION) && !defined(TIDEPOOL_IMPLEMENTED)
#define TIDEPOOL_IMPLEMENTED
/* The table of contents: the modules in the order of the data. */
#include "base/base.h"
#include "base/lanes.h"
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
#include "world/report.c"
#include "world/audit.c"
#include "world/hash.c"
#include "world/team.c"
#include "emit/shape.c"
#include "emit/emitter.c"
#include "emit/sink.c"
#include "grid/grid.c"
#include "grid/stencil.c"
#include "grid/sweep.c"
#include "grid/pairs.c"
#include "solve/field.c"
#include "solve/substep.c"
#include "solve/pair/solver.c"
#include "solve/pair/derive.c"
#include "solve/pair/table.c"
#include "solve/pair/link.c"
#include "solve/pair/spring.c"
#include "solve/pair/list.c"
#include "solve/pair/force.c"
#include "solve/pair/hard.c"
#include "solve/pair/kick.c"
#include "solve/pair/measure.c"
#include "solve/sph/solver.c"
#include "solve/sph/sph.c"
#include "solve/solvers.c"
#include "move/integrate.c"
#include "move/shape.c"
#include "move/distance.c"
#include "move/triangle.c"
#include "move/mesh.c"
#include "move/heightfield.c"
#include "move/collider.c"
#include "move/collide.c"
#include "move/clear.c"
#include "step/path.c"
#include "step/move.c"
#include "step/collide.c"
#include "step/birth.c"
#include "step/step.c"
#include "step/measure.c"
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
#endif
