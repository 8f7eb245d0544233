/* SPDX-License-Identifier: MIT
   runtime/solve/pair/pair.h - forces between pairs, Lennard-Jones or a table, or collisions of hard spheres, by species;
   and links; 2D and 3D, open and periodic.
   reads   back positions, species, neighbour lists      writes  integer forces, lists
   memory  words of the block by role, see block.h       cost    one sweep along the list; one through the grid to build it
   after   Lennard-Jones; velocity Verlet (Swope et al. 1982); lists of Verlet 1967, kept while no particle crosses the skin.
           Forces are a function of the front set's positions alone: what was kept from the step before has the bits
           that computing them anew would give, so that a restored world goes on to the same bits */
#ifndef TPI_PAIR_H
#define TPI_PAIR_H
#include "../solve.h"
#include "../../world/solver.h"
#include "../../grid/sweep.h"

/* ---- definition and constants ---- */

/* Pair potentials in units of each pair's sigma and epsilon; tables by species * TP_SPECIES_MAX
   + species. */
typedef struct tpi_pair_constants {
    /* 48 epsilon / sigma^2 (a table: epsilon / sigma^2), times force_scale */
    float strength[TP_SPECIES_MAX * TP_SPECIES_MAX];
    float inverse_sigma_squared[TP_SPECIES_MAX * TP_SPECIES_MAX];
    float epsilon[TP_SPECIES_MAX * TP_SPECIES_MAX];
    float force_scale; /* 1 / N: a force of that many N counts 1 */
    /* 1 / (2 force_scale mass): times a step, velocity of a count. Hard spheres: impulse_unit /
       mass, velocity of a count */
    float half_kick[TP_SPECIES_MAX];
    float cutoff_squared, floor_squared; /* in sigmas */
    /* of the force at the cutoff, see pair.h; 0: not shifted */
    float shift;
    float energy_shift;      /* of the energy there, in epsilons */
    float half_skin_squared; /* m^2: when a particle moves farther, a list may miss a pair */
    /* m: no particle between them has a pair across a side of the box */
    float inner_low[3], inner_high[3];
    float impulse_unit;              /* kg m/s: a count of the impulse between hard spheres */
    float virial_unit;               /* kg m^2/s: a count of impulse times distance */
    float table_inverse;             /* table: samples in a sigma^2 */
    float table_last;                /* table: the last sample's number; 0: none is set */
    bool is_off;                     /* no two particles have a force between them */
    float link_scale;                /* 1 / N: a link's force of that many N counts 1 */
    float link_kick[TP_SPECIES_MAX]; /* as half_kick, of counts of links */
} tpi_pair_constants;

/* A table from one sample to the next, as polynomials of the way between them, t = 0..1: force
   over distance is c[0] + c[1] t + c[2] t^2. */
typedef struct tpi_table_row {
    float c[3];   /* epsilon / sigma^2 */
    float energy; /* epsilons: at the sample, less that at the cutoff */
} tpi_table_row;

/* Arrays of its own: numbers of arrays.own. */
enum {
    TPI_PAIR_PUSHED = 0,         /* 3, float: how far hard spheres were parted in this step */
    TPI_PAIR_LINK_FORCE = 3,     /* 3, i64: sums over links */
    TPI_PAIR_LINK_HISTOGRAM = 6, /* u32 x 256: particles are sorted by their ids with it */
    TPI_PAIR_TABLE = 7,          /* tpi_table_row x table_max */
    TPI_PAIR_PACKED = 8          /* float[4] a particle: where pairs are met from both ends */
};

TPI_SOLVER_HOOKS(pair)
TPI_FUNC void tpi_pair_default(tp_world_def *def);
TPI_INLINE tpi_pair_constants *tpi_pair_of(const tp_world *world)
{
    return (tpi_pair_constants *)tpi_at(world, world->arrays.solver);
}
/* The memory of next meta and next birth: of hard spheres, the partner that each has chosen, and
   how soon they meet; while links are placed, the index in the back set of each particle of the
   front set. */
TPI_INLINE uint32_t *tpi_hard_partners(const tp_world *world)
{
    return tpi_words(world, world->arrays.next_meta);
}
TPI_INLINE float *tpi_hard_urgencies(const tp_world *world)
{
    return tpi_floats(world, world->arrays.next_birth);
}
TPI_INLINE uint32_t *tpi_back_indices(const tp_world *world)
{
    return tpi_words(world, world->arrays.next_meta);
}
TPI_INLINE bool tpi_is_pair(const tp_world *world)
{
    return TPI_HAS_PAIR && world->def.solver == TP_SOLVER_PAIR;
}
/* Of a definition or a world with this solver. */
TPI_INLINE bool tpi_def_is_hard(const tp_world_def *def)
{
    return def->pair.potential == TP_POTENTIAL_HARD_SPHERE;
}
TPI_INLINE bool tpi_is_hard(const tp_world *world) { return tpi_def_is_hard(&world->def); }

/* Levels of cells that its species have. O(species^2) */
TPI_FUNC uint32_t tpi_pair_levels(const tp_world_def *def);
/* m: the longest cutoff of any pair of species. O(species^2) */
TPI_FUNC float tpi_pair_reach(const tp_world_def *def);
/* What pairs reach, levels, cells and the skin, for no more levels than `most`. O(species^2) */
TPI_FUNC void tpi_pair_derive_levels(tp_world *world, uint32_t most);
/* The scale of forces of at most `largest`, in 48 epsilon / sigma, a table's in epsilon / sigma.
   O(species^2) */
TPI_FUNC void tpi_pair_scale(tpi_pair_constants *pair, const tp_world_def *def, float largest);

/* ---- forces ---- */

/* A pair's force over its distance is strength (u s^3 (s^3 - 1/2) - shift sqrt u) with u =
   (sigma / r)^2 and s = u; the smallest u is that of the overlap distance, so that the force
   falls to 0 from there to the centre. A table's is that of its row (tpi_table_row) times
   strength. */

/* Stages, resumable by the cursor. Each clears what it adds to. */
TPI_FUNC uint32_t tpi_pair_list(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_pair_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
/* In its place with hard spheres: impulses, as counts in `force`, and pushes, both for
   tpi_pair_close. */
TPI_FUNC uint32_t tpi_hard_collide(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);

/* Damped springs between particles, twice in a step: of the front set before it moves, and of
   the back set behind the forces. Nothing is kept from step to step but the places of their
   ends. While forces are primed, only these. */
TPI_FUNC uint32_t tpi_links(tp_world *world, uint32_t units, bool *done);
TPI_INLINE int64_t *tpi_link_sums(const tp_world *world, uint32_t axis)
{
    return (int64_t *)tpi_at(world, world->arrays.own[TPI_PAIR_LINK_FORCE + axis]);
}
/* A velocity after half a step of the forces at `place`, of pairs and links. */
TPI_FUNC tp_vector tpi_pair_kick(const tp_world *world, uint32_t place, tp_vector v,
                                 uint32_t species);
/* Whether a link holds and its ends are in the back set, with what it comes to there: their
   offset and its length. */
TPI_FUNC bool tpi_link_measure(const tp_world *world, uint32_t slot, float *length);

/* What of a foreign link could not be, or null. O(1) */
TPI_FUNC const char *tpi_link_audit(const tp_world *world, uint32_t slot);
/* The same of the rows of a table, *offset their byte; and what follows from them, after all
   constants were derived anew. `last`: the table_last of before. O(samples) */
TPI_FUNC const char *tpi_pair_table_audit(const tp_world *world, uint64_t *offset);
TPI_FUNC void tpi_pair_table_derive(tp_world *world, float last);
/* Measures the back set while its table is current, that is when the FORCE stage has come
   through PAIRS. */
TPI_FUNC void tpi_pair_measure_back(const tp_world *world, tp_pair_report *report);

/* Whether the pairs can be met along lists; else through the grid. */
TPI_INLINE bool tpi_pair_has_list(const tp_world *world)
{
    return world->constants.list_room && !world->step.list_overflowed && !world->step.capped;
}

/* Four kinds of worlds, each with its own loops through the grid and along lists; and where
   vectors are wide, each kind from both ends too. All of them by both ends, dimensions, whether
   some axis is periodic, and whether there is a list. */
#define TPI_PAIR_SWEEPS_OF(SWEEP, name, both)                                         \
    SWEEP(name##_2d, .both_ends = both, .dimensions = 2)                              \
    SWEEP(name##_2d_box, .both_ends = both, .dimensions = 2, .is_periodic = true)     \
    SWEEP(name##_3d, .both_ends = both, .dimensions = 3)                              \
    SWEEP(name##_3d_box, .both_ends = both, .dimensions = 3, .is_periodic = true)     \
    SWEEP(name##_2d_listed, .both_ends = both, .by_lists = true, .dimensions = 2)     \
    SWEEP(name##_2d_box_listed, .both_ends = both, .by_lists = true, .dimensions = 2, \
          .is_periodic = true)                                                        \
    SWEEP(name##_3d_listed, .both_ends = both, .by_lists = true, .dimensions = 3)     \
    SWEEP(name##_3d_box_listed, .both_ends = both, .by_lists = true, .dimensions = 3, \
          .is_periodic = true)
/* The one for a world, called with the arguments of a sweep. */
#define TPI_PAIR_SWEEP_BY(suffix, name, world, arguments)                         \
    (tpi_dimensions(world) == 2           ? (world)->constants.box.is_periodic    \
                                                ? name##_2d_box##suffix arguments \
                                                : name##_2d##suffix arguments     \
     : (world)->constants.box.is_periodic ? name##_3d_box##suffix arguments       \
                                          : name##_3d##suffix arguments)
#define TPI_PAIR_SWEEP_OF(name, world, arguments)                                  \
    (tpi_pair_has_list(world) ? TPI_PAIR_SWEEP_BY(_listed, name, world, arguments) \
                              : TPI_PAIR_SWEEP_BY(, name, world, arguments))
#if TPI_WIDE
#define TPI_PAIR_SWEEPS(SWEEP, name) \
    TPI_PAIR_SWEEPS_OF(SWEEP, name, false) TPI_PAIR_SWEEPS_OF(SWEEP, name##_both, true)
#define TPI_PAIR_SWEEP(name, world, arguments)                                       \
    ((world)->constants.both_ends ? TPI_PAIR_SWEEP_OF(name##_both, world, arguments) \
                                  : TPI_PAIR_SWEEP_OF(name, world, arguments))
#else
#define TPI_PAIR_SWEEPS(SWEEP, name)           TPI_PAIR_SWEEPS_OF(SWEEP, name, false)
#define TPI_PAIR_SWEEP(name, world, arguments) TPI_PAIR_SWEEP_OF(name, world, arguments)
#endif

#endif
