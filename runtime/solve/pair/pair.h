/* SPDX-License-Identifier: MIT
   runtime/solve/pair/pair.h - pair forces (Lennard-Jones or a table), and hard spheres.
   reads   back positions, species, neighbour lists      writes  integer forces, lists
   memory  words of the block by role, see block.h
   cost    one sweep along the list; one through the grid to build it
   after   Lennard-Jones 12-6 potential; velocity Verlet (Swope et al. 1982); neighbour lists with a
           skin (Verlet 1967), kept until a particle has moved half the skin. Forces depend on the
           positions of the front set only: kept forces have the same bits as recomputed ones, so a
           restored world continues with the same bits */
#ifndef TPI_PAIR_H
#define TPI_PAIR_H
#include "../solve.h"
#include "../link.h"
#include "../../world/solver.h"
#include "../../grid/sweep.h"

/* ---- definition and constants ---- */

/* Pair potentials in units of the pair's sigma and epsilon. Tables are indexed by species *
   TP_SPECIES_MAX + species. */
typedef struct tpi_pair_constants {
    /* 48 epsilon / sigma^2, with a table epsilon / sigma^2, times force_scale */
    float strength[TP_SPECIES_MAX * TP_SPECIES_MAX];
    float inverse_sigma_squared[TP_SPECIES_MAX * TP_SPECIES_MAX];
    float epsilon[TP_SPECIES_MAX * TP_SPECIES_MAX];
    float force_scale; /* counts per newton: integer forces are forces times force_scale */
    /* 1 / (2 force_scale mass): times a time step, the velocity per count in half a kick. Hard
       spheres: impulse_unit / mass, the velocity per count */
    float half_kick[TP_SPECIES_MAX];
    float cutoff_squared, floor_squared; /* in sigma^2 */
    /* shift of the force that makes it 0 at the cutoff; 0: not shifted */
    float shift;
    float energy_shift;      /* energy at the cutoff, in epsilons */
    float half_skin_squared; /* m^2: if a particle has moved farther, a kept list may miss a pair */
    /* m: a particle between these bounds has no partner across a side of the box */
    float inner_low[3], inner_high[3];
    float impulse_unit;              /* kg m/s: impulse of hard spheres per count */
    float virial_unit;               /* kg m^2/s: impulse times distance per count */
    float table_inverse;             /* table: samples per sigma^2 */
    float table_last;                /* table: index of the last sample; 0: no table is set */
    bool is_off;                     /* no pair of particles has a force */
    float link_kick[TP_SPECIES_MAX]; /* as half_kick, for counts of link forces */
} tpi_pair_constants;

/* A table between two samples, as polynomials of the fraction t = 0..1 between them: force over
   distance is c[0] + c[1] t + c[2] t^2. */
typedef struct tpi_table_row {
    float c[3];   /* epsilon / sigma^2 */
    float energy; /* epsilons: energy at the sample minus that at the cutoff */
} tpi_table_row;

/* The solver's own arrays: indices into arrays.own. */
enum {
    /* 3, float: displacements that separate overlapping hard spheres in this step */
    TPI_PAIR_PUSHED = 0,
    TPI_PAIR_TABLE = 7,  /* tpi_table_row x table_max */
    TPI_PAIR_PACKED = 8, /* float[4] per particle: position and species, with lists */
    TPI_PAIR_SUMS = 9    /* u32[4] per particle: sums of forces, with lists */
};

TPI_SOLVER_HOOKS(pair)
TPI_INLINE tpi_pair_constants *tpi_pair_of(const tp_world *world)
{
    return (tpi_pair_constants *)tpi_at(world, world->arrays.solver);
}
/* Hard spheres use the memory of next meta and next birth: the partner that each particle has
   chosen, and the urgency of that collision. */
TPI_INLINE uint32_t *tpi_hard_partners(const tp_world *world)
{
    return tpi_words(world, world->arrays.next_meta);
}
TPI_INLINE float *tpi_hard_urgencies(const tp_world *world)
{
    return tpi_floats(world, world->arrays.next_birth);
}
TPI_INLINE bool tpi_is_pair(const tp_world *world)
{
    return TPI_HAS_PAIR && world->def.solver == TP_SOLVER_PAIR;
}
/* True for hard spheres; only for a definition or world with this solver. */
TPI_INLINE bool tpi_def_is_hard(const tp_world_def *def)
{
    return def->pair.potential == TP_POTENTIAL_HARD_SPHERE;
}
TPI_INLINE bool tpi_is_hard(const tp_world *world) { return tpi_def_is_hard(&world->def); }

/* m: the largest cutoff of any pair of species. O(species^2) */
TPI_FUNC float tpi_pair_cutoff(const tp_world_def *def);
/* Computes cutoffs, levels, cells and skin, for at most `most` levels. O(species^2) */
TPI_FUNC void tpi_pair_derive_levels(tp_world *world, uint32_t most);
/* Computes the scale of integer forces from the largest force: in 48 epsilon / sigma, with a table
   in epsilon / sigma. O(species^2) */
TPI_FUNC void tpi_pair_scale(tpi_pair_constants *pair, const tp_world_def *def, float largest);

/* ---- forces ---- */

/* Force over distance of a pair: strength (u s^3 (s^3 - 1/2) - shift sqrt u) with u = (sigma /
   r)^2 and s = u. u is limited to its value at the overlap distance, so that inside it the force
   falls linearly to 0 at the centre. With a table: the row's polynomial (tpi_table_row) times
   strength. */

/* The first fault of the rows of a table in an untrusted block, *offset is its byte, or null; and
   recomputes values derived from them, after all constants were recomputed. `last`: the previous
   table_last. O(samples) */
TPI_FUNC const char *tpi_pair_table_audit(const tp_world *world, uint64_t *offset);
TPI_FUNC void tpi_pair_table_derive(tp_world *world, float last);
/* Measures the back set. Its table of cells must be current: the FORCE stage was reached through
   PAIRS. */
TPI_FUNC void tpi_pair_measure_back(const tp_world *world, tp_pair_report *report);

/* Instantiates a sweep for four kinds of worlds: 2D or 3D, open or periodic. */
#define TPI_PAIR_KINDS(SWEEP, name)                            \
    SWEEP(name##_2d, .dimensions = 2)                          \
    SWEEP(name##_2d_box, .dimensions = 2, .is_periodic = true) \
    SWEEP(name##_3d, .dimensions = 3)                          \
    SWEEP(name##_3d_box, .dimensions = 3, .is_periodic = true)
/* Selects and calls the instance for a world, along lists if it has any, with the arguments of a
   sweep. */
#define TPI_PAIR_SWEEP_OF(name, world, arguments)                                             \
    (tpi_dimensions(world) == 2                                                               \
         ? (world)->constants.box.is_periodic ? name##_2d_box arguments : name##_2d arguments \
     : (world)->constants.box.is_periodic ? name##_3d_box arguments                           \
                                          : name##_3d arguments)
#define TPI_PAIR_SWEEP(name, world, arguments)                                       \
    (tpi_sweep_has_lists(world) ? TPI_PAIR_SWEEP_OF(name##_listed, world, arguments) \
                                : TPI_PAIR_SWEEP_OF(name, world, arguments))

#endif
