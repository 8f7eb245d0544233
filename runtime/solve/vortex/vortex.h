/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/vortex.h - vortex particles (vortons): each has a vector strength, and the
           velocity at a place is the sum over all of them.
   reads   front positions and strengths      writes  the back set
   memory  52 bytes per vorton, up to 64 per node of a grid, see tpi_vortex_layout
   cost    two sums over all vortons per particle and step, two more per vorton; with a grid O(1)
           per particle and O(nodes^(2/3)) walks of a tree for its faces
   after   Rosenhead 1930 and Moore 1972 (a smoothed Biot-Savart law); vortex particles with
           transposed stretching, which conserves the sum of strengths (Cottet and Koumoutsakos,
           "Vortex Methods", 2000, section 3.2); midpoint steps (Runge-Kutta of second order) */
#ifndef TPI_VORTEX_H
#define TPI_VORTEX_H
#include "../solve.h"
#include "../../field/dense.h"
#include "../../world/heat.h"
#include "../../world/solver.h"

/* Targets that are summed together. The same at every vector width, so that a step may continue at
   another one. */
#define TPI_VORTEX_BLOCK 16u
/* Numbers of a source: position, strength, limit of its exchange, and one that keeps rows
   aligned. */
#define TPI_VORTEX_ROW   8u
#define TPI_VORTEX_LIMIT 6u
/* Units of a sample of the grid, and of a node near a collider. */
#define TPI_VORTEX_SAMPLE 8u
#define TPI_VORTEX_GRIP   4u

/* Arrays of the solver. */
enum {
    TPI_VORTEX_HEAD,   /* u32: vortons of the step in progress */
    TPI_VORTEX_ROWS,   /* float, TPI_VORTEX_ROW per vorton: where the sums are taken */
    TPI_VORTEX_INDEX,  /* u32 per vorton: its index in the front set, ascending */
    TPI_VORTEX_CHANGE, /* float, three arrays: changes of strengths per second, then strengths */
    TPI_VORTEX_GAIN,   /* float, three arrays: what viscosity and lift add per second */
    /* of the grid, per node: */
    TPI_VORTEX_SOURCE,    /* three arrays: sums, then the opposite of the vorticity */
    TPI_VORTEX_POTENTIAL, /* three arrays: the potential; then sums of lift */
    TPI_VORTEX_WORK,      /* multigrid; then sums of vortons */
    TPI_VORTEX_FLOW,      /* rows of four: the tree (faces_lanes.h), then velocities */
    TPI_VORTEX_GAIN_ROWS, /* rows of four: gain per second, and that per strength of a vorton */
};

/* Words of the head; without a grid only the first. */
enum {
    TPI_VORTEX_COUNT,
    TPI_VORTEX_BOUND,    /* float: sum of the magnitudes of all strengths */
    TPI_VORTEX_SOLVE_AT, /* tpi_multigrid_cursor */
    /* of a grid that follows, per axis: places of vortons in cells from grid_low */
    TPI_VORTEX_LOW = 2 + 4, /* int32: the least and greatest ones */
    TPI_VORTEX_HIGH = TPI_VORTEX_LOW + 3,
    TPI_VORTEX_SUM_LOW = TPI_VORTEX_HIGH + 3, /* their sums, in two words */
    TPI_VORTEX_SUM_HIGH = TPI_VORTEX_SUM_LOW + 3,
    TPI_VORTEX_FOLLOWED = TPI_VORTEX_SUM_HIGH + 3, /* their number */
    TPI_VORTEX_SHIFT,                              /* int32: cells from grid_low to the grid */
    TPI_VORTEX_HEAD_WORDS = TPI_VORTEX_SHIFT + 3
};
/* A grid follows within so many cells. */
#define TPI_VORTEX_FAR 1000000.0f

/* Phases of the stage FORCE. */
enum {
    TPI_VORTEX_FOLLOW, /* particles, of a grid that follows */
    TPI_VORTEX_PACK,
    /* the velocities of the nodes of a grid */
    TPI_VORTEX_CLEAR,   /* numbers */
    TPI_VORTEX_DEPOSIT, /* vortons */
    TPI_VORTEX_SCALE,   /* rows of nodes */
    TPI_VORTEX_GATHER,  /* cells of a tree of the nodes */
    TPI_VORTEX_FACES,   /* patches of faces */
    TPI_VORTEX_SOLVE,   /* components */
    TPI_VORTEX_CURL,    /* rows of nodes */
    /* velocities and changes, from sums or from the grid */
    TPI_VORTEX_SUM,
    TPI_VORTEX_TILT,
    TPI_VORTEX_HALF,      /* particles */
    TPI_VORTEX_HALF_ROWS, /* vortons */
    /* the velocities of the nodes half a step later: the faces keep their potential */
    TPI_VORTEX_CLEAR_AGAIN,
    TPI_VORTEX_DEPOSIT_AGAIN,
    TPI_VORTEX_SCALE_AGAIN,
    TPI_VORTEX_SOLVE_AGAIN,
    TPI_VORTEX_CURL_AGAIN,
    /* what vortons of a grid gain then */
    TPI_VORTEX_LIFT_CLEAR, /* numbers */
    TPI_VORTEX_LIFT,       /* particles */
    TPI_VORTEX_CROWD,      /* vortons */
    TPI_VORTEX_LIFT_SCALE, /* rows of nodes */
    TPI_VORTEX_GRIPS,      /* rows of nodes, and for each the colliders */
    TPI_VORTEX_LIFT_CURL,  /* rows of nodes */
    /* heat and fire */
    TPI_VORTEX_FIRE_CLEAR, /* numbers */
    TPI_VORTEX_FIRE_GIVE,  /* particles */
    TPI_VORTEX_FIRE_TAKE,
    TPI_VORTEX_FIRE_BURN,
    TPI_VORTEX_SUM_AGAIN,
    TPI_VORTEX_TILT_AGAIN,
    TPI_VORTEX_TURN,
    TPI_VORTEX_MERGE_CLEAR, /* numbers */
    TPI_VORTEX_MERGE_ENDS,  /* vortons */
    TPI_VORTEX_MERGE,
    TPI_VORTEX_PLACE,
    TPI_VORTEX_END
};

typedef struct tpi_vortex_constants {
    float square; /* m^2: of the core */
    /* 1/s: how fast two vortons at one place exchange strengths, times 4 pi; with a grid, at one
       node */
    float exchange;
    float tick; /* s */
} tpi_vortex_constants;

TPI_INLINE bool tpi_vortex_has_grid(const tp_world_def *def)
{
    return def->vortex.grid_nodes[0] > 0;
}
TPI_INLINE bool tpi_vortex_has_lift(const tp_world_def *def)
{
    return tpi_largest(def->vortex.lift) > 0.0f;
}
TPI_INLINE bool tpi_vortex_has_gain(const tp_world_def *def)
{
    return def->vortex.viscosity > 0.0f || tpi_vortex_has_lift(def) || def->vortex.grip > 0.0f;
}

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
TPI_INLINE float *tpi_vortex_gain(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_GAIN]) +
           (size_t)axis * tpi_vortex_stride(&world->def);
}
TPI_INLINE tpi_dense tpi_vortex_dense(const tp_world *world)
{
    const tp_vortex *vortex = &world->def.vortex;
    const int32_t *shift = (const int32_t *)tpi_vortex_count(world) + TPI_VORTEX_SHIFT;
    tpi_dense dense = {{vortex->grid_nodes[0], vortex->grid_nodes[1], vortex->grid_nodes[2]},
                       vortex->grid_low,
                       vortex->grid_spacing};
    if (!vortex->grid_follows) return dense;
    dense.origin.x = dense.origin.x + (float)shift[0] * dense.spacing;
    dense.origin.y = dense.origin.y + (float)shift[1] * dense.spacing;
    dense.origin.z = dense.origin.z + (float)shift[2] * dense.spacing;
    return dense;
}
TPI_INLINE tp_vector tpi_vortex_at(const tp_world *world, uint32_t i)
{
    float z = tpi_dimensions(world) == 3 ? tpi_front_x(world, 2)[i] : 0.0f;
    return tpi_vector(tpi_front_x(world, 0)[i], tpi_front_x(world, 1)[i], z);
}
/* The strength of a particle of the front set, m^3/s; in two dimensions z is a circulation,
   m^2/s, and x and y are 0. */
TPI_INLINE tp_vector tpi_vortex_strength(const tp_world *world, uint32_t i)
{
    return tpi_vector(tpi_front_kept(world, 0)[i], tpi_front_kept(world, 1)[i],
                      tpi_front_kept(world, 2)[i]);
}

/* Adds what a collider does to the air at nodes of a row, from *next on (grip.c). Then *next is
   the first one that is left, or 0. Returns its units, not many more than 128. */
TPI_FUNC uint32_t tpi_vortex_grip(const tp_world *world, uint32_t row, uint32_t slot,
                                  uint32_t *next);

/* Heat and fire (fire.c): cells without heat; particles give a share of their heat to their cell,
   take it and cool, burn. O(end - begin) */
TPI_FUNC void tpi_vortex_fire_clear(const tp_world *world, uint32_t begin, uint32_t end);
TPI_FUNC void tpi_vortex_fire_give(const tp_world *world, uint32_t begin, uint32_t end);
TPI_FUNC void tpi_vortex_fire_take(const tp_world *world, uint32_t begin, uint32_t end);
TPI_FUNC void tpi_vortex_fire_burn(const tp_world *world, uint32_t begin, uint32_t end);

/* Vortons begin .. end - 1 merge with those before them (merge.c): a table of cells without any;
   rows hold their places after the step. O(end - begin) */
TPI_FUNC void tpi_vortex_merge_clear(const tp_world *world, uint32_t begin, uint32_t end);
TPI_FUNC void tpi_vortex_merge(tp_world *world, uint32_t begin, uint32_t end);

TPI_SOLVER_HOOKS(vortex)

#endif
