/* SPDX-License-Identifier: MIT
   runtime/solve/pair/pair.h - forces between pairs, Lennard-Jones or a table, or collisions of hard spheres, by species;
   and links; 2D and 3D, open and periodic.
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
   smallest u is that of the overlap distance, so that the force falls to 0 from there to the centre. A table's is that of
   its row (tpi_table_row) times strength. */

/* Stages, resumable by the cursor. Each clears what it adds to. */
TPI_FUNC uint32_t tpi_pair_list(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_pair_force(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
/* In its place with hard spheres: impulses, as counts in `force`, and pushes, both for tpi_pair_close. */
TPI_FUNC uint32_t tpi_hard_collide(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* Damped springs between particles, twice in a step: of the front set before it moves, and of the back set behind the
   forces. Nothing is kept from step to step but the places of their ends. While forces are primed, only these. */
TPI_FUNC uint32_t tpi_links(tp_world *world, uint32_t units, bool *done);
TPI_INLINE int64_t *tpi_link_sums(const tp_world *world, uint32_t axis)
{
    return (int64_t *)tpi_at(world, world->arrays.link_force[axis]);
}
/* A velocity after half a step of the forces at `place`, of pairs and links. */
TPI_FUNC tp_vector tpi_pair_kick(const tp_world *world, uint32_t place, tp_vector v, uint32_t species);
/* Whether a link holds and its ends are in the back set, with what it comes to there: their offset and its length. */
TPI_FUNC bool tpi_link_measure(const tp_world *world, uint32_t slot, float *length);

/* First half of the step of particles i .. of the front set, of those whose bit is set: half the drag, half the kick of
   forces and fields. While forces are being primed, nothing. */
TPI_FUNC void tpi_pair_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                            const tpi_lanes x[3], tpi_lanes velocity[3]);
/* Units of either half for one particle, beside its own and those of fields: the thermostat 2, links 1. */
TPI_FUNC uint32_t tpi_pair_kick_units(const tp_world *world);
/* Puts them where they were in the storage order, for the kept list; notes when that does not do any more. */
TPI_FUNC void tpi_pair_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                             const tpi_lanes velocity[3]);
/* Second half, of the particles from `place` on, and where their paths begin: the image next to where they end, which
   is where they drifted, and with hard spheres were pushed. */
TPI_FUNC void tpi_pair_close(const tp_world *world, const tpi_field_plan *plan, uint32_t place,
                             uint32_t count, tpi_lanes from[3], tpi_lanes to[3], tpi_lanes velocity[3]);

/* What of a foreign link could not be, or null. O(1) */
TPI_FUNC const char *tpi_link_audit(const tp_world *world, uint32_t slot);
/* The same of the rows of a table, *offset their byte; and what follows from them, after all constants were derived anew.
   `last`: the table_last of before. O(samples) */
TPI_FUNC const char *tpi_pair_table_audit(const tp_world *world, uint64_t *offset);
TPI_FUNC void tpi_pair_table_derive(tp_world *world, float last);
/* Measures the back set while its table is current, that is when the FORCE stage has come through PAIRS. */
TPI_FUNC void tpi_pair_measure_back(const tp_world *world, tp_pair_report *report);

/* Whether the pairs can be met along lists; else through the grid. */
TPI_INLINE bool tpi_pair_has_list(const tp_world *world)
{
    return world->constants.list_room && !world->step.list_overflowed && !world->step.capped;
}

/* Four kinds of worlds, each with its own loops through the grid and along lists; and where vectors are wide, each kind from
   both ends too. All of them by both ends, dimensions, whether some axis is periodic, and whether there is a list. */
#define TPI_PAIR_SWEEPS_OF(SWEEP, name, both)                                                              \
    SWEEP(name##_2d, .both_ends = both, .dimensions = 2)                                                   \
    SWEEP(name##_2d_box, .both_ends = both, .dimensions = 2, .is_periodic = true)                          \
    SWEEP(name##_3d, .both_ends = both, .dimensions = 3)                                                   \
    SWEEP(name##_3d_box, .both_ends = both, .dimensions = 3, .is_periodic = true)                          \
    SWEEP(name##_2d_listed, .both_ends = both, .by_lists = true, .dimensions = 2)                          \
    SWEEP(name##_2d_box_listed, .both_ends = both, .by_lists = true, .dimensions = 2, .is_periodic = true) \
    SWEEP(name##_3d_listed, .both_ends = both, .by_lists = true, .dimensions = 3)                          \
    SWEEP(name##_3d_box_listed, .both_ends = both, .by_lists = true, .dimensions = 3, .is_periodic = true)
/* The one for a world, called with the arguments of a sweep. */
#define TPI_PAIR_SWEEP_BY(suffix, name, world, arguments)                                              \
    (tpi_dimensions(world) == 2 ? (world)->constants.box.is_periodic ? name##_2d_box##suffix arguments \
                                                                     : name##_2d##suffix arguments     \
     : (world)->constants.box.is_periodic ? name##_3d_box##suffix arguments                            \
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
