/* SPDX-License-Identifier: MIT
   runtime/frame.c - the frame: shares a budget among stages, steps and worlds; reads top to bottom.
   reads   tp_budget, clocks      writes  worlds, reports
   memory  none of its own        cost    the budget and at most one slice
   after   own design: time is owed in whole simulated frames, work is done in slices, and only complete steps show */
#include "step.h"
#include "solve/solve.h"

/* One call's account of time. */
typedef struct frame_meter {
    const tp_budget *budget;
    uint64_t units_max; /* of this call */
    uint64_t started;   /* us */
    bool has_clock;
} frame_meter;

static frame_meter frame_meter_start(const tp_budget *budget, uint64_t units_max)
{
    frame_meter meter = {budget, units_max, 0, budget && budget->clock_us};
    if (meter.has_clock) meter.started = budget->clock_us(budget->clock_context);
    return meter;
}

static uint64_t frame_elapsed(const frame_meter *meter)
{
    return meter->has_clock ? meter->budget->clock_us(meter->budget->clock_context) - meter->started : 0;
}

static const tp_jobs *frame_jobs(const frame_meter *meter)
{
    return meter->budget ? meter->budget->jobs : NULL;
}

/* The smallest bound that a definition may set. No slice is cut shorter, so that each one gets somewhere; what it
   exceeds a budget by is still less than a slice. */
#define TPI_SLICE_LEAST 64u

/* Units that the next slice may take: the rest of the budget, of the stage's share, and the definition's bound. */
static uint32_t frame_slice(const tp_world *world, const frame_meter *meter)
{
    const tp_jobs *jobs = frame_jobs(meter);
    uint64_t units = world->def.slice_units, spent = world->report.units;
    if (jobs && jobs->workers > 1u) units *= tpi_min_u32(jobs->workers, 16u);
    if (meter->units_max)
        units = spent >= meter->units_max          ? 0
                : units < meter->units_max - spent ? units
                                                   : meter->units_max - spent;
    if (meter->budget && world->step.active) {
        uint64_t share = meter->budget->stage_units[world->step.stage];
        uint64_t used = world->report.stage_units[world->step.stage];
        if (share && used >= share) return 0;
        if (share && share - used < units) units = share - used;
    }
    return units ? tpi_max_u32((uint32_t)units, TPI_SLICE_LEAST) : 0;
}

/* True while one more slice of the worst length seen still fits. The first slice of a call always runs, so that a
   world goes on however small the budget; the worst length fades by 1/16 a slice, so that one hiccup of the machine
   does not starve it for ever. */
static bool frame_has_time(const tp_world *world, const frame_meter *meter, uint64_t elapsed)
{
    if (!meter->has_clock || !meter->budget->microseconds || world->report.units == 0) return true;
    return elapsed + world->slice_microseconds_worst <= meter->budget->microseconds;
}

static void frame_note_slice(tp_world *world, uint32_t units, tp_stage stage, uint64_t microseconds)
{
    tp_report *report = &world->report;
    uint32_t fading = world->slice_microseconds_worst - (world->slice_microseconds_worst + 15u) / 16u;
    report->units += units;
    report->stage_units[stage] += units;
    report->slice_units_longest = tpi_max_u32(report->slice_units_longest, units);
    if (units > report->slice_units_longest_ever) report->slice_units_longest_ever = units;
    world->slice_microseconds_worst = tpi_max_u32((uint32_t)microseconds, fading);
    report->slice_microseconds_longest =
        tpi_max_u32(report->slice_microseconds_longest, (uint32_t)microseconds);
}

/* Ticks of the next step. Coarsening looks at units only, never at the clock, so that equal budgets give equal bits. */
static uint32_t frame_step_ticks(tp_world *world, const frame_meter *meter)
{
    uint32_t ticks = tpi_substep_ticks(world);
    if (world->def.overload != TP_OVERLOAD_COARSEN || !meter->units_max || !world->step_units_last)
        return ticks;
    uint64_t steps = meter->budget->units / world->step_units_last;
    uint32_t coarse = tpi_substep_ticks_coarse(world, steps < 1      ? 1u
                                                      : steps > 1000 ? 1000u
                                                                     : (uint32_t)steps);
    if (coarse <= ticks) return ticks;
    world->report.coarsened_steps++;
    return coarse;
}

/* Time that the game may still claim; anything above the policy's limit is dropped and counted. */
static void frame_owe(tp_world *world)
{
    uint64_t limit = world->def.overload == TP_OVERLOAD_DROP ? 1u : world->def.lag_frames_max;
    world->target_frame++;
    uint64_t owed = world->target_frame - world->clock.frame;
    if (owed <= limit) return;
    world->report.lag_ticks_dropped += (owed - limit) * TP_TICKS_PER_FRAME;
    world->target_frame = world->clock.frame + limit;
}

static void frame_clear_report(tp_world *world)
{
    tp_report *report = &world->report;
    report->steps_in_frame = report->frames_completed = 0;
    report->units = 0;
    memset(report->stage_units, 0, sizeof report->stage_units);
    report->slice_units_longest = 0;
    report->microseconds = report->slice_microseconds_longest = 0;
}

static bool frame_is_over(const tp_world *world, const frame_meter *meter)
{
    uint32_t most = meter->budget ? meter->budget->frames_max : 0;
    return world->clock.frame >= world->target_frame || (most && world->report.frames_completed >= most);
}

/* Slices until the owed time is simulated, or the budget ends. */
static void frame_work(tp_world *world, const frame_meter *meter)
{
    uint64_t elapsed = frame_elapsed(meter);
    while (!frame_is_over(world, meter) && frame_has_time(world, meter, elapsed)) {
        if (!world->step.active) {
            if (!frame_slice(world, meter)) break;
            tpi_step_begin(world, frame_step_ticks(world, meter));
        }
        uint32_t units = frame_slice(world, meter), used = 0;
        if (!units) break;
        tp_stage stage;
        uint64_t frame = world->clock.frame;
        (void)tpi_step_advance(world, frame_jobs(meter), units, &used, &stage);
        if (world->clock.frame != frame) world->report.frames_completed++;
        uint64_t now = frame_elapsed(meter);
        frame_note_slice(world, used, stage, now - elapsed);
        elapsed = now;
    }
    world->report.microseconds += (uint32_t)elapsed;
}

static void frame_note_lag(tp_world *world)
{
    uint64_t owed = (world->target_frame - world->clock.frame) * TP_TICKS_PER_FRAME;
    world->report.lag_ticks = owed > world->clock.tick ? owed - world->clock.tick : 0;
}

tp_result tp_frame(tp_world *world, const tp_budget *budget, tp_report *report)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    bool is_same = budget && budget->is_same_frame;
    bool was_lagging = is_same && world->report.lag_ticks > 0;
    if (!is_same) {
        world->report.game_frames++;
        frame_owe(world);
        frame_clear_report(world);
    }
    world->report.frames_completed = 0;
    frame_meter meter = frame_meter_start(budget, budget ? budget->units : 0);
    frame_work(world, &meter);
    frame_note_lag(world);
    bool is_lagging = world->report.lag_ticks > 0;
    if (is_lagging && !was_lagging) world->report.lagged_frames++;
    if (!is_lagging && was_lagging) world->report.lagged_frames--;
    if (report) tpi_report_write(world, report);
    return is_lagging ? TP_MORE : TP_OK;
}

/* ---- several worlds ---- */

#define TPI_WORLDS_MAX 64u

static tp_result frame_check_shares(const tp_share *shares, uint32_t count, const tp_budget *budget)
{
    uint64_t guaranteed = 0;
    if (!shares && count) return TP_ERROR_NULL;
    if (count > TPI_WORLDS_MAX) return TP_ERROR_DEFINITION;
    for (uint32_t s = 0; s < count; s++) {
        tp_result result = tpi_world_check_block(shares[s].world);
        if (result != TP_OK) return result;
        guaranteed += shares[s].guaranteed_units;
        for (uint32_t t = 0; t < s; t++)
            if (shares[t].world == shares[s].world) return TP_ERROR_DEFINITION;
    }
    return budget && budget->units && guaranteed > budget->units ? TP_ERROR_DEFINITION : TP_OK;
}

/* The place of the next world by priority, ties by place; `done` is a set of places. */
static uint32_t frame_next_share(const tp_share *shares, uint32_t count, uint64_t done)
{
    uint32_t best = count;
    for (uint32_t s = 0; s < count; s++)
        if (!(done >> s & 1u) && (best == count || shares[s].priority < shares[best].priority)) best = s;
    return best;
}

/* What is left of the frame's microseconds, at least 1 so that 0 keeps meaning "no limit". */
static void frame_share_time(tp_budget *part, const tp_budget *budget, uint64_t started)
{
    if (!budget || !budget->clock_us || !budget->microseconds) return;
    uint64_t elapsed = budget->clock_us(budget->clock_context) - started;
    part->microseconds = elapsed < budget->microseconds ? (uint32_t)(budget->microseconds - elapsed) : 1u;
}

static tp_budget frame_part(const tp_budget *budget, uint64_t started)
{
    tp_budget part = {0};
    if (budget) part = *budget;
    frame_share_time(&part, budget, started);
    return part;
}

/* First pass: each world works within its guarantee, and the frame begins for those without one. */
static tp_result frame_guarantee(tp_share *share, const tp_budget *budget, uint64_t started)
{
    tp_budget part = frame_part(budget, started);
    part.units = share->guaranteed_units;
    if (part.units) return tp_frame(share->world, &part, NULL);
    frame_owe(share->world); /* owes the frame but does no work yet */
    frame_clear_report(share->world);
    share->world->report.game_frames++;
    frame_note_lag(share->world);
    if (share->world->report.lag_ticks) share->world->report.lagged_frames++;
    return TP_OK;
}

static uint64_t frame_units_of(const tp_share *shares, uint32_t count)
{
    uint64_t units = 0;
    for (uint32_t s = 0; s < count; s++) units += shares[s].world->report.units;
    return units;
}

/* Second pass: a world goes on with what the others have left of the budget. */
static tp_result frame_rest(tp_share *share, const tp_budget *budget, uint64_t started, uint64_t spent)
{
    tp_budget part = frame_part(budget, started);
    part.is_same_frame = true;
    if (part.units) { /* a budget speaks of the whole frame: what this world has had counts too */
        uint64_t left = spent < part.units ? part.units - spent : 0;
        part.units = left ? (uint32_t)(left + share->world->report.units) : 0;
    }
    if (!part.units && budget && budget->units) return TP_OK;
    return tp_frame(share->world, &part, NULL);
}

tp_result tp_frame_worlds(tp_share *shares, uint32_t count, const tp_budget *budget)
{
    tp_result result = frame_check_shares(shares, count, budget);
    uint64_t done = 0, started = budget && budget->clock_us ? budget->clock_us(budget->clock_context) : 0;
    bool owes = false;
    if (result != TP_OK) return result;
    for (uint32_t s = 0; s < count && result >= TP_OK; s++)
        result = frame_guarantee(&shares[s], budget, started);
    for (uint32_t turn = 0; turn < count && result >= TP_OK; turn++) {
        tp_share *share = &shares[frame_next_share(shares, count, done)];
        done |= (uint64_t)1 << (uint32_t)(share - shares);
        result = frame_rest(share, budget, started, frame_units_of(shares, count));
        tpi_report_write(share->world, &share->report);
        owes = owes || share->report.lag_ticks > 0;
    }
    return result < TP_OK ? result : owes ? TP_MORE : TP_OK;
}
#undef TPI_WORLDS_MAX
#undef TPI_SLICE_LEAST
