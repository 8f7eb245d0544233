/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/bend.c - folds: a vector of them, each two triangles at a common edge.
   reads   folds, front positions, kicked velocities, weights      writes  kicked velocities
   memory  none      cost    3 units per fold and sub-step
   after   the quadratic energy of isometric bending (Bergou, Wardetzky, Harmon, Zorin and Grinspun
           2006) as a constraint with compliance (Macklin et al. 2016): the energy is the square of
           a sum of positions with constant shares, so that no angle is needed */
#include "ends_lanes.h"

/* A vector of `count` folds from k on. S, the sum of shares times positions at the end of the
   sub-step, is to be as long as at rest; as in cloth_solve. */
TPI_INLINE void bend_folds(const cloth_slice *s, const tpi_cloth_pool *pool, uint32_t k,
                           uint32_t count)
{
    const tpi_lanes zero = tpi_lanes_of(0.0f);
    tpi_lanes share[4] = {zero, zero, zero, zero}, w[4], v[4][3], sum[3], weight = zero,
              square = zero, rate = zero;
    cloth_ends at[4];
    for (uint32_t n = 0; n < 4; n++) {
        at[n] = cloth_ends_alone(tpi_cloth_pool_array(pool, n) + k, count);
        w[n] = cloth_read(s->weights, &at[n]);
        if (n > 0)
            share[n] = tpi_lanes_load(tpi_cloth_pool_floats(pool, TPI_CLOTH_SHARE + n - 1u) + k);
    }
    share[0] = zero - ((share[1] + share[2]) + share[3]);
    for (uint32_t n = 0; n < 4; n++) weight = weight + share[n] * share[n] * w[n];
    for (uint32_t axis = 0; axis < 3; axis++) {
        tpi_lanes first = cloth_read(s->x[axis], &at[0]), speed = zero;
        v[0][axis] = cloth_read(s->v[axis], &at[0]);
        sum[axis] = zero;
        for (uint32_t n = 1; n < 4; n++) {
            v[n][axis] = cloth_read(s->v[axis], &at[n]);
            sum[axis] = sum[axis] + (cloth_read(s->x[axis], &at[n]) - first) * share[n];
            speed = speed + (v[n][axis] - v[0][axis]) * share[n];
        }
        sum[axis] = sum[axis] + speed * s->timestep;
        square = square + sum[axis] * sum[axis];
        rate = rate + sum[axis] * speed;
    }
    tpi_lanes length = tpi_lanes_sqrt(square),
              rest = tpi_lanes_load(tpi_cloth_pool_floats(pool, TPI_CLOTH_ANGLE) + k),
              soft = tpi_lanes_load(tpi_cloth_pool_floats(pool, TPI_CLOTH_SOFTER) + k);
    tpi_lanes want = (rest - length) * length - rate * s->damping,
              stiff = weight * s->damped + soft * s->per_square;
    tpi_lane_mask acts = tpi_lanes_and(cloth_is_good(square), tpi_lanes_less(zero, weight));
    tpi_lanes push = tpi_lanes_select(acts, want / (stiff * s->timestep * square), zero);
    for (uint32_t axis = 0; axis < 3; axis++) {
        tpi_lanes along = tpi_lanes_select(acts, sum[axis], zero) * push;
        for (uint32_t n = 0; n < 4; n++)
            cloth_write(s->v[axis], &at[n], v[n][axis] + along * share[n] * w[n]);
    }
}

static void bend_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                       tpi_tally *tally)
{
    const tpi_cloth_pool folds = tpi_cloth_fold_pool(world);
    (void)tally;
    for (uint32_t k = begin; k < end; k += TPI_LANES)
        bend_folds((const cloth_slice *)context, &folds, k, tpi_min_u32(end - k, TPI_LANES));
}

/* Folds without a colour, one after another; then the others. */
TPI_APART void tpi_cloth_bend(tp_world *world, const tp_jobs *jobs, const cloth_slice *slice,
                              uint32_t begin, uint32_t end)
{
    const tpi_cloth_pool folds = tpi_cloth_fold_pool(world);
    tpi_tally tally = {0};
    for (; begin < end && begin < folds.begin[1]; begin++)
        bend_range(world, slice, begin, begin + 1u, &tally);
    cloth_run_pool(world, jobs, slice, &folds, bend_range, begin, end);
}
