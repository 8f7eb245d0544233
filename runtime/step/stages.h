/* SPDX-License-Identifier: MIT
   runtime/step/stages.h - stages of a step that all solvers share: recycle, move, collide, birth.
   reads   the front set      writes  the back set
   memory  the step's record in the block      cost  one slice per call, see TP_STAGE_LIST for units
   after   own design */
#ifndef TPI_STAGES_H
#define TPI_STAGES_H
#include "../world/block.h"

/* ---- shared by the stages ---- */

TPI_INLINE tp_vector tpi_step_read(const tp_world *world, float *const arrays[3], uint32_t i)
{
    return tpi_vector(arrays[0][i], arrays[1][i], tpi_dimensions(world) == 3 ? arrays[2][i] : 0.0f);
}

TPI_INLINE void tpi_step_write(const tp_world *world, float *const arrays[3], uint32_t i,
                               tp_vector value)
{
    arrays[0][i] = value.x;
    arrays[1][i] = value.y;
    if (tpi_dimensions(world) == 3) arrays[2][i] = value.z;
}

typedef struct tpi_step_arrays {
    float *x[3], *v[3], *next_x[3], *next_v[3], *kicked[3];
} tpi_step_arrays;

TPI_INLINE tpi_step_arrays tpi_step_arrays_of(const tp_world *world)
{
    tpi_step_arrays arrays;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t from = axis < tpi_dimensions(world) ? axis : 0;
        arrays.x[axis] = tpi_front_x(world, from);
        arrays.v[axis] = tpi_front_v(world, from);
        arrays.next_x[axis] = tpi_back_x(world, from);
        arrays.next_v[axis] = tpi_back_v(world, from);
        arrays.kicked[axis] = tpi_kicked(world, from);
    }
    return arrays;
}

/* True if a particle must be killed: it is not finite, so far out that rounding hides its
   neighbours, or so fast that the squares of a step could overflow. */
TPI_INLINE bool tpi_step_is_lost(tp_vector position, tp_vector velocity)
{
    return !(tpi_is_vector_within(position, TPI_POSITION_MAX) &&
             tpi_is_vector_within(velocity, TPI_SPEED_MAX));
}

/* Begins the path of a particle that is born at `fraction` of the step; 0 for a particle that moves
   from the start of the step. O(1) */
TPI_FUNC void tpi_step_path_begin(tp_world *world, tp_vector from, tp_vector to, tp_vector velocity,
                                  uint32_t species, float fraction);
/* Continues the path with the part of `units` that is not `used`; returns the units. A contact may
   exceed it by a few units (the overrun), which following slices pay. */
TPI_FUNC uint32_t tpi_step_path_advance(tp_world *world, uint32_t units, uint32_t used, bool *done);

/* Appends births after the survivors. */
TPI_FUNC uint32_t tpi_step_emit(tp_world *world, uint32_t units, bool *done);

/* tpi_stage_run with vectors of 8 and 16 numbers. */
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
TPI_FUNC uint32_t tpi_stage_run_8(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);
#endif
#if TIDEPOOL_DISPATCH && TP_LANES_MAX >= 16
TPI_FUNC uint32_t tpi_stage_run_16(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                   bool *done);
TPI_FUNC bool tpi_stage_contracts_16(void);
#endif

#endif
