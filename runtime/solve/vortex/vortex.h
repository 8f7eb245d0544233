/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/vortex.h - vortex particles (vortons): each has a vector strength, and the
           velocity at a place is the sum over all of them.
   reads   front positions and strengths      writes  the back set
   memory  52 bytes per vorton, see tpi_vortex_layout
   cost    two sums over all vortons per particle and step, two more per vorton
   after   Rosenhead 1930 and Moore 1972 (a smoothed Biot-Savart law); vortex particles with
           transposed stretching, which conserves the sum of strengths (Cottet and Koumoutsakos,
           "Vortex Methods", 2000, section 3.2); midpoint steps (Runge-Kutta of second order) */
#ifndef TPI_VORTEX_H
#define TPI_VORTEX_H
#include "../solve.h"
#include "../../world/solver.h"

/* Targets that are summed together. The same at every vector width, so that a step may continue at
   another one. */
#define TPI_VORTEX_BLOCK 16u
/* Numbers of a source: position, strength, and two that keep rows aligned. */
#define TPI_VORTEX_ROW 8u

/* Arrays of the solver. */
enum {
    TPI_VORTEX_HEAD,   /* u32: vortons of the step in progress */
    TPI_VORTEX_ROWS,   /* float, TPI_VORTEX_ROW per vorton: where the sums are taken */
    TPI_VORTEX_INDEX,  /* u32 per vorton: its index in the front set, ascending */
    TPI_VORTEX_CHANGE, /* float, three arrays: changes of strengths per second, then strengths */
};

/* Phases of the stage FORCE. */
enum {
    TPI_VORTEX_PACK,
    TPI_VORTEX_SUM,
    TPI_VORTEX_TILT,
    TPI_VORTEX_HALF,      /* particles */
    TPI_VORTEX_HALF_ROWS, /* vortons */
    TPI_VORTEX_SUM_AGAIN,
    TPI_VORTEX_TILT_AGAIN,
    TPI_VORTEX_TURN,
    TPI_VORTEX_PLACE,
    TPI_VORTEX_END
};

typedef struct tpi_vortex_constants {
    float square; /* m^2: of the core */
} tpi_vortex_constants;

TPI_INLINE tpi_vortex_constants *tpi_vortex_of(const tp_world *world)
{
    return (tpi_vortex_constants *)tpi_at(world, world->arrays.solver);
}
TPI_INLINE uint32_t *tpi_vortex_count(const tp_world *world)
{
    return tpi_words(world, world->arrays.own[TPI_VORTEX_HEAD]);
}
TPI_INLINE float *tpi_vortex_rows(const tp_world *world)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_ROWS]);
}
TPI_INLINE uint32_t *tpi_vortex_index(const tp_world *world)
{
    return tpi_words(world, world->arrays.own[TPI_VORTEX_INDEX]);
}
/* Numbers between the arrays of two components: vectors may read beyond the last vorton. */
TPI_INLINE uint32_t tpi_vortex_stride(const tp_world_def *def)
{
    return (def->vortex.vortons_max + TPI_VORTEX_BLOCK + 3u) & ~3u;
}
TPI_INLINE float *tpi_vortex_change(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_CHANGE]) +
           (size_t)axis * tpi_vortex_stride(&world->def);
}
/* The strength of a particle of the front set, m^3/s. */
TPI_INLINE tp_vector tpi_vortex_strength(const tp_world *world, uint32_t i)
{
    return tpi_vector(tpi_front_kept(world, 0)[i], tpi_front_kept(world, 1)[i],
                      tpi_front_kept(world, 2)[i]);
}

TPI_FUNC void tpi_vortex_default(tp_world_def *def);
TPI_SOLVER_HOOKS(vortex)

#endif
