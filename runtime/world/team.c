/* SPDX-License-Identifier: MIT
   runtime/world/team.c - a parallel for: splits a range of particles into parts and sums their
           results.
   reads   the budget's jobs      writes  a tally
   memory  32 tallies on the stack, in hosted builds only      cost    see team.h
   after   own design. Parts are whole vectors; what is left behind them is not shared, because a
           vector of it may end in the next array of the block, where another part writes */
#include "team.h"

#if TIDEPOOL_JOBS
typedef struct team_order {
    tp_world *world;
    tpi_team_work work;
    const void *context;
    /* particle indices, the end that of the last whole vector; size of one part, a multiple of the
       widest vector */
    uint32_t begin, end, size;
    tpi_tally tallies[TPI_PARTS_MAX];
} team_order;

static void team_part(void *argument, uint32_t index)
{
    team_order *order = (team_order *)argument;
    uint32_t begin = order->begin + index * order->size;
    uint32_t end = tpi_min_u32(begin + order->size, order->end);
    if (begin < end) order->work(order->world, order->context, begin, end, &order->tallies[index]);
}

static void team_add(tpi_tally *sum, const tpi_tally *tally)
{
    sum->cost += tally->cost;
    sum->crowded += tally->crowded;
    sum->clamped += tally->clamped;
    sum->guarded += tally->guarded;
    sum->ends_dropped += tally->ends_dropped;
    sum->overlaps += tally->overlaps;
    sum->walls_limited += tally->walls_limited;
    sum->courant_bits = tpi_max_u32(sum->courant_bits, tally->courant_bits);
    sum->strain_bits = tpi_max_u32(sum->strain_bits, tally->strain_bits);
    sum->compression += tally->compression;
    sum->squeeze += tally->squeeze;
    sum->compression_max = tpi_max_u32(sum->compression_max, tally->compression_max);
    sum->killed += tally->killed;
    sum->died += tally->died;
    sum->recycled += tally->recycled;
    sum->contacts += tally->contacts;
    sum->is_stale = sum->is_stale || tally->is_stale;
    sum->peak_bits = tpi_max_u32(sum->peak_bits, tally->peak_bits);
}

/* Shares out whole vectors. Two parts per worker, so that one slow worker does not delay all; each
   part has about TPI_PART_LEAST particles or more. */
static void team_share_out(const tp_jobs *jobs, tp_world *world, tpi_team_work work,
                           const void *context, uint32_t begin, uint32_t end, tpi_tally *sum)
{
    team_order order = {
        .world = world, .work = work, .context = context, .begin = begin, .end = end};
    uint32_t parts = tpi_min_u32(2u * tpi_min_u32(jobs->workers, TPI_PARTS_MAX / 2u),
                                 (end - begin) / TPI_PART_LEAST);
    order.size = ((end - begin + parts - 1u) / parts + TPI_LANES_MAX - 1u) & ~(TPI_LANES_MAX - 1u);
    jobs->run(jobs->context, team_part, &order, parts);
    for (uint32_t p = 0; p < parts; p++) team_add(sum, &order.tallies[p]);
}
#endif

tpi_tally tpi_team_run(const tp_jobs *jobs, tp_world *world, tpi_team_work work,
                       const void *context, uint32_t begin, uint32_t end)
{
    tpi_tally sum = {0};
    bool is_shared = tpi_team_is_worth(jobs, end - begin);
    uint32_t rest = is_shared ? end - (end - begin) % TPI_LANES_MAX : begin;
    if (!is_shared || rest < end) work(world, context, rest, end, &sum);
#if TIDEPOOL_JOBS
    if (is_shared) team_share_out(jobs, world, work, context, begin, rest, &sum);
#endif
    return sum;
}

#define TEAM_WALL_UNITS 4u

uint32_t tpi_team_slice(tp_world *world, const tp_jobs *jobs, uint32_t units,
                        const tpi_team_pass *pass, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t begin = step->cursor.i, most = pass->each + TEAM_WALL_UNITS * pass->walls,
             count = tpi_min_u32(tpi_max_u32(units / most, 1u), step->count - begin);
    tpi_tally tally = tpi_team_run(jobs, world, pass->work, pass->context, begin, begin + count);
    step->courant_bits = tpi_max_u32(step->courant_bits, tally.courant_bits);
    step->strain_bits = tpi_max_u32(step->strain_bits, tally.strain_bits);
    step->walls_limited += tally.walls_limited;
    step->compression += tally.compression;
    if (TPI_HAS_DFSPH) step->squeeze += tally.squeeze;
    step->compression_max = tpi_max_u32(step->compression_max, tally.compression_max);
    step->cursor.i = begin + count;
    *done = step->cursor.i == step->count;
    return count * pass->each + TEAM_WALL_UNITS * (uint32_t)tally.cost;
}

#undef TEAM_WALL_UNITS
