/* SPDX-License-Identifier: MIT
   runtime/grid/sweep.c - a slice of a sweep: what it may use, who does it, what came of it.
   reads   the step's cursor      writes  the step's cursor and counters
   memory  a sweep on the stack   cost    that of the work
   after   own design: a team's turn is as large as the slice, by what the turns before cost; what it does too much is
           paid by the next slices, so that units do not depend on threads */
#include "sweep.h"

/* A stretch of particles of a team. */
typedef struct sweep_order {
    tpi_sweep_work work;
    const void *context;
} sweep_order;

static void sweep_part(tp_world *world, const void *context, uint32_t begin, uint32_t end, tpi_tally *tally)
{
    const sweep_order *order = (const sweep_order *)context;
    tpi_sweep sweep = {.world = world, .context = order->context, .cursor = {.i = begin}};
    sweep.meter.left = TPI_METER_PLENTY;
    sweep.tally = *tally;
    order->work(&sweep, end);
    sweep.tally.cost += TPI_METER_PLENTY - sweep.meter.left;
    *tally = sweep.tally;
}

/* Particles that a team takes on next: about what is left of the slice, by what the last ones cost (cursor.j). */
static uint32_t sweep_share(const tpi_sweep *sweep, const tp_jobs *jobs)
{
    uint32_t rest = sweep->world->step.count - sweep->cursor.i,
             each = sweep->cursor.j ? sweep->cursor.j : 32u;
    uint32_t wanted = (uint32_t)sweep->meter.left / each + 1u, least = jobs->workers * TPI_PART_LEAST;
    if (wanted < least) wanted = least;
    return tpi_min_u32(wanted, rest);
}

static void sweep_count(tp_world *world, const tpi_tally *tally)
{
    tpi_step *step = &world->step;
    step->crowded += tally->crowded;
    step->displacements_clamped += tally->clamped;
    step->ends_cut += tally->ends_cut;
    step->overlaps_guarded += tally->guarded;
    step->overlaps += tally->overlaps;
}

void tpi_sweep_team(tpi_sweep *sweep, const tp_jobs *jobs, tpi_sweep_work work)
{
    tpi_cursor *cursor = &sweep->cursor;
    sweep_order order = {work, sweep->context};
    if (cursor->k) return; /* in the middle of a particle */
    while (sweep->meter.left > 0 && tpi_team_is_worth(jobs, sweep->world->step.count - cursor->i)) {
        uint32_t count = sweep_share(sweep, jobs);
        tpi_tally tally = tpi_team_run(jobs, sweep->world, sweep_part, &order, cursor->i, cursor->i + count);
        sweep->meter.left -= (int32_t)tally.cost;
        sweep_count(sweep->world, &tally);
        cursor->i += count;
        cursor->j = (uint32_t)(tally.cost / count) + 1u;
    }
}

void tpi_sweep_begin(tpi_sweep *sweep, tp_world *world, uint32_t units, const void *context)
{
    sweep->world = world;
    sweep->context = context;
    sweep->cursor = world->step.cursor;
    sweep->meter.left = 2 * (int32_t)units - (int32_t)sweep->cursor.end;
    sweep->tally = (tpi_tally){0};
    sweep->stencil.is_known = false;
}

uint32_t tpi_sweep_end(tpi_sweep *sweep, uint32_t units, bool *done)
{
    tpi_step *step = &sweep->world->step;
    int32_t left = sweep->meter.left;
    sweep_count(sweep->world, &sweep->tally);
    step->cursor = sweep->cursor;
    step->cursor.end = left < 0 ? (uint32_t)-left : 0u;
    *done = step->cursor.i == step->count && left >= 0;
    return *done ? (uint32_t)(2 * (int32_t)units - left) / 2u : units;
}
