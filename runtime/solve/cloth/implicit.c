/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/implicit.c - the passes over nodes of an implicit step: conjugate gradients.
   reads   gradients, products, weights      writes  kicked velocities, directions
   memory  see TP_IMPLICIT_BYTES
   cost    units: per node, 1 and 5 per iteration; per constraint, see run.c, 1 and 1 per iteration
   after   preconditioned conjugate gradients (Hestenes and Stiefel 1952) with the masses as
           preconditioner: what springs give is pairwise, so the momentum is kept at any number of
           iterations. Dot products are sums of integers, in units of a power of two below the
           largest term: the same in any order */
#include "cloth_lanes.h"
#include "implicit_lanes.h"
#include "../../world/team.h"

/* Terms have 22 and 16 bits, so that sums of 2^24 have 62; vectors are added up in 32 bits. */
#define IMPLICIT_BITS  22u
#define IMPLICIT_LOW   65536.0f
#define IMPLICIT_ADDED (256u * TPI_LANES)
/* J: a largest term outside of these ends the iterations. 2^-100, 2^100 */
#define IMPLICIT_LEAST 7.8886091e-31f
#define IMPLICIT_MOST  1.2676506e30f

/* J, per node, twice: of the gradient, by mass; of the direction and its product. */
TPI_INLINE tpi_lanes implicit_term(const cloth_slice *s, uint32_t dimensions, uint32_t i,
                                   bool is_product)
{
    tpi_lanes sum = tpi_lanes_of(0.0f);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes a = tpi_lanes_load((is_product ? s->direction : s->gradient)[axis] + i),
                  b = is_product ? tpi_lanes_load(s->product[axis] + i) : a;
        sum = sum + a * b;
    }
    return is_product ? sum : sum * tpi_lanes_load(s->weights + i);
}

/* The largest of `most` and of `count` terms from node i on. What is no number is the largest. */
TPI_INLINE tpi_lanes implicit_most(const cloth_slice *s, uint32_t dimensions, uint32_t i,
                                   uint32_t count, bool is_product, tpi_lanes most)
{
    tpi_lanes limit = tpi_lanes_of(IMPLICIT_MOST),
              term = tpi_lanes_magnitude(implicit_term(s, dimensions, i, is_product));
    term = tpi_lanes_select(tpi_lanes_less(term, limit), term, limit);
    return tpi_lanes_max(most, tpi_lanes_select(tpi_lanes_first(count), term, tpi_lanes_of(0.0f)));
}

static void implicit_tell(tpi_lanes most, tpi_tally *tally)
{
    for (uint32_t k = 0; k < TPI_LANES; k++)
        tally->peak_bits = tpi_max_u32(tally->peak_bits, tpi_bits(TPI_LANE(most, k)));
}

/* ---- the largest term ---- */

/* Along the direction: velocities and gradients. Pinned nodes have none. */
TPI_INLINE void implicit_move(const cloth_slice *s, uint32_t dimensions, uint32_t i, uint32_t count,
                              float share)
{
    tpi_lanes zero = tpi_lanes_of(0.0f);
    tpi_lane_mask is_free = tpi_lanes_less(zero, tpi_lanes_load(s->weights + i));
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes v = tpi_lanes_load(s->v[axis] + i), g = tpi_lanes_load(s->gradient[axis] + i);
        v = v + tpi_lanes_load(s->direction[axis] + i) * share;
        g = g + tpi_lanes_load(s->product[axis] + i) * share;
        tpi_lanes_store_first(s->v[axis] + i, v, count);
        tpi_lanes_store_first(s->gradient[axis] + i, tpi_lanes_select(is_free, g, zero), count);
    }
}

static void implicit_step(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                          tpi_tally *tally)
{
    const cloth_slice *s = (const cloth_slice *)context;
    const float share = tpi_cloth_cg_of(world)->share;
    tpi_lanes most = tpi_lanes_of(0.0f);
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        const uint32_t count = tpi_min_u32(end - i, TPI_LANES), dimensions = tpi_dimensions(world);
        implicit_move(s, dimensions, i, count, share);
        most = implicit_most(s, dimensions, i, count, false, most);
    }
    implicit_tell(most, tally);
}

static void implicit_peak(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                          tpi_tally *tally)
{
    tpi_lanes most = tpi_lanes_of(0.0f);
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        most = implicit_most((const cloth_slice *)context, tpi_dimensions(world), i,
                             tpi_min_u32(end - i, TPI_LANES), true, most);
    implicit_tell(most, tally);
}

/* ---- sums ---- */

/* Of at most IMPLICIT_ADDED terms, times `scale`, below 2^IMPLICIT_BITS each. */
TPI_INLINE int64_t implicit_sum(const cloth_slice *s, uint32_t dimensions, uint32_t begin,
                                uint32_t end, float scale, bool is_product)
{
    tpi_lane_ints high = tpi_lane_ints_of(0), low = high;
    int64_t sum = 0;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        tpi_lanes term = implicit_term(s, dimensions, i, is_product) * scale;
        term = tpi_lanes_select(tpi_lanes_first(tpi_min_u32(end - i, TPI_LANES)), term,
                                tpi_lanes_of(0.0f));
        tpi_lane_ints whole = tpi_lanes_truncate(term);
        high = tpi_lane_ints_add(high, whole);
        low = tpi_lane_ints_add(
            low, tpi_lanes_truncate((term - tpi_lanes_from_ints(whole)) * IMPLICIT_LOW));
    }
    for (uint32_t k = 0; k < TPI_LANES; k++)
        sum += (int64_t)TPI_LANE(high, k) * (int64_t)IMPLICIT_LOW + TPI_LANE(low, k);
    return sum;
}

static void implicit_total(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                           tpi_tally *tally)
{
    const float scale = tpi_cloth_cg_of(world)->scale;
    for (uint32_t i = begin; i < end; i += IMPLICIT_ADDED)
        tally->cost += implicit_sum((const cloth_slice *)context, tpi_dimensions(world), i,
                                    tpi_min_u32(end, i + IMPLICIT_ADDED), scale, false);
}

static void implicit_dot(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                         tpi_tally *tally)
{
    const float scale = tpi_cloth_cg_of(world)->scale;
    for (uint32_t i = begin; i < end; i += IMPLICIT_ADDED)
        tally->cost += implicit_sum((const cloth_slice *)context, tpi_dimensions(world), i,
                                    tpi_min_u32(end, i + IMPLICIT_ADDED), scale, true);
}

/* ---- directions ---- */

/* The next direction, and its product with the masses. */
static void implicit_turn(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                          tpi_tally *tally)
{
    const cloth_slice *s = (const cloth_slice *)context;
    const float turn = tpi_cloth_cg_of(world)->turn;
    const tpi_lanes zero = tpi_lanes_of(0.0f), one = tpi_lanes_of(1.0f);
    (void)tally;
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        const uint32_t count = tpi_min_u32(end - i, TPI_LANES);
        tpi_lanes w = tpi_lanes_load(s->weights + i);
        tpi_lane_mask is_free = tpi_lanes_less(zero, w);
        tpi_lanes mass = one / tpi_lanes_select(is_free, w, one);
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            tpi_lanes p = tpi_lanes_load(s->direction[axis] + i) * turn -
                          tpi_lanes_load(s->gradient[axis] + i) * w;
            tpi_lanes_store_first(s->direction[axis] + i, p, count);
            tpi_lanes_store_first(s->product[axis] + i, p * mass, count);
        }
    }
}

/* ---- the passes ---- */

void tpi_cloth_iterate(tp_world *world, const tp_jobs *jobs, const void *slice, uint32_t part,
                       uint32_t begin, uint32_t end)
{
    tpi_cloth_cg *cg = tpi_cloth_cg_of(world);
    const tpi_tally tally = tpi_team_run(jobs, world,
                                         part == TPI_CLOTH_STEP    ? implicit_step
                                         : part == TPI_CLOTH_TOTAL ? implicit_total
                                         : part == TPI_CLOTH_TURN  ? implicit_turn
                                         : part == TPI_CLOTH_PEAK  ? implicit_peak
                                                                   : implicit_dot,
                                         slice, begin, end);
    cg->sum += tally.cost;
    cg->peak_bits = tpi_max_u32(cg->peak_bits, tally.peak_bits);
}

/* The power of two that makes the largest term at least 2^(IMPLICIT_BITS - 1). False: there is no
   term that counts, or one is too large. */
static bool implicit_rescale(tp_world *world)
{
    tpi_cloth_cg *cg = tpi_cloth_cg_of(world);
    const float peak = tpi_from_bits(cg->peak_bits);
    cg->peak_bits = 0;
    if (!(peak < IMPLICIT_MOST)) world->step.softens_links = true;
    if (!(peak > IMPLICIT_LEAST && peak < IMPLICIT_MOST)) return false;
    cg->scale = tpi_from_bits((253u + IMPLICIT_BITS - (tpi_bits(peak) >> 23)) << 23);
    return true;
}

/* J: the sum of the terms, which is cleared. */
static float implicit_result(tpi_cloth_cg *cg)
{
    const float sum = (float)cg->sum * (1.0f / IMPLICIT_LOW) / cg->scale;
    cg->sum = 0;
    return sum;
}

void tpi_cloth_begin_cg(const tp_world *world) { *tpi_cloth_cg_of(world) = (tpi_cloth_cg){0}; }

bool tpi_cloth_go_on(tp_world *world, uint32_t part)
{
    tpi_cloth_cg *cg = tpi_cloth_cg_of(world);
    float sum = 0.0f;
    switch (part) {
    case TPI_CLOTH_STEP:
        return implicit_rescale(world) && cg->iteration < world->def.cloth.iterations;
    case TPI_CLOTH_TOTAL:
        sum = implicit_result(cg);
        cg->turn = cg->iteration ? sum / cg->left : 0.0f;
        cg->left = sum;
        return true;
    case TPI_CLOTH_PEAK: return implicit_rescale(world);
    case TPI_CLOTH_DOT:
        sum = implicit_result(cg);
        cg->iteration++;
        /* no direction is softer than the masses, by which a share is at most 1 */
        cg->share = sum > cg->left ? cg->left / sum : 1.0f;
        if (!(sum > 0.0f)) world->step.softens_links = true;
        return sum > 0.0f;
    default: return true;
    }
}

#undef IMPLICIT_BITS
#undef IMPLICIT_LOW
#undef IMPLICIT_ADDED
#undef IMPLICIT_LEAST
#undef IMPLICIT_MOST
