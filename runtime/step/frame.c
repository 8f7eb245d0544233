/* SPDX-License-Identifier: MIT
   runtime/step/frame.c - the frame: divides a budget among slices of stages, steps and worlds.
   reads   tp_budget, clocks      writes  worlds, reports
   memory  none of its own        cost    the budget and at most one slice
   after   own design: time is owed in whole simulated frames, work is done in slices, and readers
           see only complete steps */
#include "step.h"
#include "../solve/solve.h"

/* The units and time of one call: of one world, or of all worlds that share the call. */
typedef struct frame_meter {
    const tp_budget *budget;
    uint64_t units_max; /* limit of the current world in this game frame; 0: no limit */
    uint64_t started;   /* us: clock at the start of the call */
    uint32_t elapsed;   /* us from the start to the end of the last slice */
    uint32_t charged;   /* us already added to the reports of worlds */
    /* us: longest slice of this call; an estimate for a world that has had no slice yet */
    uint32_t longest;
    uint32_t last; /* us: the last short slice before the end of the budget; 0: none yet */
    bool has_clock;
    bool is_shared;
    bool has_run; /* a slice of this game frame has run, so further ones must fit the budget */
} frame_meter;

static frame_meter frame_meter_start(const tp_budget *budget)
{
    frame_meter meter = {.budget = budget, .has_clock = budget && budget->clock_us};
    meter.units_max = budget ? budget->units : 0;
    if (meter.has_clock) meter.started = budget->clock_us(budget->clock_context);
    return meter;
}

static uint32_t frame_elapsed(const frame_meter *meter)
{
    if (!meter->has_clock) return 0;
    uint64_t elapsed = meter->budget->clock_us(meter->budget->clock_context) - meter->started;
    return elapsed < UINT32_MAX ? (uint32_t)elapsed : UINT32_MAX;
}

static const tp_jobs *frame_jobs(const frame_meter *meter)
{
    return meter->budget ? meter->budget->jobs : NULL;
}

/* The smallest slice: no slice gets fewer units, so that each makes progress. A call exceeds its
   budget by less than one slice. */
#define TPI_SLICE_LEAST 64u

/* Units left for the current world. 0 if worlds share the call and not even the smallest slice
   fits, so that the excess of several worlds does not add up. */
static uint64_t frame_units_left(const tp_world *world, const frame_meter *meter)
{
    uint64_t spent = world->report.units;
    if (!meter->units_max) return UINT64_MAX;
    uint64_t left = spent < meter->units_max ? meter->units_max - spent : 0;
    return meter->is_shared && meter->has_run && left < TPI_SLICE_LEAST ? 0 : left;
}

/* The largest slice: slice_units of the definition per worker. Handing pairs to threads needs at
   least TP_JOBS_SLICE_UNITS; longer ones, where no limit of time ends them, gain a tenth. */
static uint64_t frame_slice_most(const tp_world *world, const frame_meter *meter)
{
    const tp_jobs *jobs = frame_jobs(meter);
    uint32_t units = world->def.slice_units;
    if (!jobs || jobs->workers < 2u || !tpi_step_has_team(world, jobs)) return units;
    if (tpi_step_is_shared(world, jobs))
        units = meter->budget->microseconds ? tpi_max_u32(units, TP_JOBS_SLICE_UNITS)
                                            : 4u * TP_JOBS_SLICE_UNITS;
    return (uint64_t)units * tpi_min_u32(jobs->workers, 16u);
}

/* us: the worst length measured of a slice of slice_units. */
static uint32_t frame_worst(const tp_world *world, const frame_meter *meter)
{
    return world->slice_microseconds_worst ? world->slice_microseconds_worst : meter->longest;
}

static bool frame_is_timed(const frame_meter *meter)
{
    return meter->has_clock && meter->budget->microseconds;
}

static bool frame_has_limit_of_time(const frame_meter *meter)
{
    return frame_is_timed(meter) && meter->has_run;
}

static uint32_t frame_time_left(const frame_meter *meter)
{
    const uint32_t limit = meter->budget->microseconds;
    return meter->elapsed < limit ? limit - meter->elapsed : 0;
}

/* The part of the largest slice, in 1/256, that takes half of the time left by the worst length;
   256 where two slices fit. Slices of several threads keep their length. */
static uint32_t frame_part(const tp_world *world, const frame_meter *meter)
{
    if (!frame_has_limit_of_time(meter)) return 256;
    const uint64_t worst = frame_worst(world, meter), left = frame_time_left(meter);
    if (worst == 0 || left >= 2u * worst) return 256;
    if (frame_slice_most(world, meter) > world->def.slice_units) return 256;
    return (uint32_t)(128u * left / worst);
}

/* The largest slice, which is shorter near the end of the time. */
static uint64_t frame_slice_timed(const tp_world *world, const frame_meter *meter)
{
    uint64_t units = frame_slice_most(world, meter) * frame_part(world, meter) / 256u;
    return units > TPI_SLICE_LEAST ? units : TPI_SLICE_LEAST;
}

/* Slices of one thread that are worked on as one: in 3D, that saves a seventh of the instructions,
   because groups of cells fill them and blocks are looked up less often (2D: a tenth). No more than
   take half of the time left at the worst length. */
#define FRAME_ROW_UNITS 65536u
static uint32_t frame_row(const tp_world *world, const frame_meter *meter)
{
    const uint32_t slice = world->def.slice_units, worst = frame_worst(world, meter);
    if (!TIDEPOOL_JOBS || slice < TPI_SAVES_FROM || frame_slice_most(world, meter) != slice)
        return 1;
    const uint32_t row = tpi_max_u32(FRAME_ROW_UNITS / slice, 1u);
    if (!frame_is_timed(meter)) return row;
    if (worst == 0 || !meter->has_run) return 1;
    return tpi_max_u32(tpi_min_u32(frame_time_left(meter) / 2u / worst, row), 1u);
}
#undef FRAME_ROW_UNITS

/* Of units within a limit. No rest is shorter than a slice may be: a limit ends at the same unit
   with slices of any lengths. */
static uint32_t frame_within(uint32_t units, uint64_t limit)
{
    if (limit >= (uint64_t)units + TPI_SLICE_LEAST) return units;
    const uint32_t most = (uint32_t)limit;
    if (most <= units) return most;
    return most > 2u * TPI_SLICE_LEAST ? most - TPI_SLICE_LEAST : units;
}

/* Units of the next slice: the smallest of the remaining budget, the remaining share of the stage,
   and the largest slice. What a slice saved is work of the next one; shorter slices, which save
   nothing, are the same in all builds. */
static uint32_t frame_slice(const tp_world *world, const frame_meter *meter)
{
    uint64_t limit = frame_units_left(world, meter);
    if (meter->budget && world->step.active) {
        uint64_t share = meter->budget->stage_units[world->step.stage];
        uint64_t used = world->report.stage_units[world->step.stage];
        if (share && used >= share) return 0;
        if (share && share - used < limit) limit = share - used;
    }
    uint32_t units = (uint32_t)frame_slice_timed(world, meter);
    if (limit >= (uint64_t)units + TPI_SLICE_LEAST) units *= frame_row(world, meter);
    if (TPI_LANES > 1 && units >= TPI_SAVES_FROM)
        units -= tpi_min_u32(world->step.half_units_saved / 2u, units - 2u * TPI_SLICE_LEAST);
    units = frame_within(units, limit);
    return units ? tpi_max_u32(units, TPI_SLICE_LEAST) : 0;
}

/* True while one more slice of the worst length measured still fits. After a short one: another one
   as long, and one of its units at the worst rate; these end at a sixteenth of the largest slice.
   The first slice of a game frame always runs, so that every frame makes progress however small the
   budget. */
static bool frame_has_time(const tp_world *world, const frame_meter *meter)
{
    if (!frame_has_limit_of_time(meter)) return true;
    const uint64_t left = frame_time_left(meter), worst = frame_worst(world, meter);
    if (meter->elapsed > meter->budget->microseconds) return false;
    if (!meter->last) return left >= worst;
    return left >= meter->last && frame_part(world, meter) >= 16u &&
           left * frame_slice_most(world, meter) >= worst * frame_slice_timed(world, meter);
}

/* The worst length decays by 1/16 per slice, so that one delay of the machine does not starve a
   world forever. */
static uint32_t frame_faded(uint32_t microseconds)
{
    return microseconds - (microseconds + 15u) / 16u;
}

/* us: the length of a slice of several that took `microseconds` together. */
static uint32_t frame_length(uint32_t microseconds, uint32_t units, uint64_t most)
{
    if (!TIDEPOOL_JOBS || units <= most) return microseconds;
    return (uint32_t)((microseconds * most + units - 1u) / units);
}

/* Slices of calls without a limit of time may be longer, and say nothing of others. One of less
   than half the largest slice's units says something if it took less than half of its part; several
   say what one takes at least. */
static void frame_note_slice(tp_world *world, const frame_meter *meter, uint32_t units,
                             uint64_t most, tp_stage stage, uint32_t microseconds)
{
    tp_report *report = &world->report;
    uint32_t worst = world->slice_microseconds_worst;
    uint32_t longest = units < most ? units : (uint32_t)most;
    bool fades = 2u * (uint64_t)units >= most || 2u * most * microseconds < (uint64_t)units * worst;
    report->units += units;
    report->stage_units[stage] += units;
    report->slice_units_longest = tpi_max_u32(report->slice_units_longest, longest);
    if (longest > report->slice_units_longest_ever) report->slice_units_longest_ever = longest;
    if (meter->budget && meter->budget->microseconds)
        world->slice_microseconds_worst =
            tpi_max_u32(microseconds, fades && units <= most ? frame_faded(worst) : worst);
    report->slice_microseconds_longest =
        tpi_max_u32(report->slice_microseconds_longest, microseconds);
}

/* Ticks of the next step. Coarsening uses units only, never the clock, so that equal budgets give
   equal bits. */
static uint32_t frame_step_ticks(tp_world *world, const frame_meter *meter)
{
    uint32_t ticks = tpi_substep_ticks(world);
    uint64_t before = world->step_units_last;
    if (world->def.overload != TP_OVERLOAD_COARSEN || !meter->units_max || !before) return ticks;
    uint64_t steps = meter->units_max / before;
    uint32_t coarse = tpi_substep_ticks_coarse(world, steps < 1      ? 1u
                                                      : steps > 1000 ? 1000u
                                                                     : (uint32_t)steps);
    if (coarse <= ticks) return ticks;
    world->report.coarsened_steps++;
    return coarse;
}

/* Adds a frame to the owed time; time above the limit of the overload policy is dropped and
   counted. */
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
    report->steps_in_frame = 0;
    report->units = 0;
    tpi_memset(report->stage_units, 0, sizeof report->stage_units);
    report->slice_units_longest = 0;
    report->microseconds = report->slice_microseconds_longest = 0;
}

static bool frame_is_same(const tp_budget *budget) { return budget && budget->is_same_frame; }

/* Begins a call: of a new game frame, or a continuation of the same one. */
static void frame_begin(tp_world *world, const tp_budget *budget, bool owes)
{
    world->report.frames_completed = 0;
    if (owes) frame_owe(world);
    if (frame_is_same(budget)) return;
    world->report.game_frames++;
    frame_clear_report(world);
}

/* Ends a call: reports the owed time. A game frame that lags counts once, and not if a later call
   of the same frame catches up. */
static bool frame_end(tp_world *world, const tp_budget *budget)
{
    tp_report *report = &world->report;
    bool was_lagging = frame_is_same(budget) && report->lag_ticks > 0;
    uint64_t owed = (world->target_frame - world->clock.frame) * TP_TICKS_PER_FRAME;
    report->lag_ticks = owed > world->clock.tick ? owed - world->clock.tick : 0;
    bool is_lagging = report->lag_ticks > 0;
    if (is_lagging && !was_lagging) report->lagged_frames++;
    if (!is_lagging && was_lagging) report->lagged_frames--;
    return is_lagging;
}

static bool frame_is_over(const tp_world *world, const frame_meter *meter)
{
    uint32_t most = meter->budget ? meter->budget->frames_max : 0;
    return world->clock.frame >= world->target_frame ||
           (most && world->report.frames_completed >= most);
}

/* True if this build begins the step of a snapshot again: one without jobs does the parts that
   others left, and lists of pairs differ with vectors. */
static bool frame_is_foreign(const tpi_step *step)
{
    return (!TIDEPOOL_JOBS && step->is_divided) || step->by_vectors != (TPI_LANES > 1);
}

/* Runs one slice; false if the units do not allow another one. */
static bool frame_run_slice(tp_world *world, frame_meter *meter)
{
    uint32_t units = frame_slice(world, meter), used = 0, before = meter->elapsed;
    uint64_t frame = world->clock.frame;
    tp_stage stage;
    if (world->step.active && frame_is_foreign(&world->step)) tpi_step_cancel(world);
    if (units && !world->step.active) {
        tpi_step_begin(world, frame_step_ticks(world, meter));
        units = frame_slice(world, meter); /* the first stage may have a share of its own */
    }
    if (!units) return false;
    const uint32_t part = frame_part(world, meter);
    const uint64_t most = frame_slice_most(world, meter);
    (void)tpi_step_advance(world, meter->budget, units, &used, &stage);
    if (world->clock.frame != frame) world->report.frames_completed++;
    meter->elapsed = frame_elapsed(meter);
    meter->has_run = true;
    const uint32_t microseconds = frame_length(meter->elapsed - before, used, most);
    meter->longest = tpi_max_u32(meter->longest, microseconds);
    meter->last = part < 256u ? tpi_max_u32(microseconds, 1u) : 0u;
    frame_note_slice(world, meter, used, most, stage, microseconds);
    return true;
}

/* Reduces the worst length after the time ran out. If no slice of the call ran, or one only, the
   estimate was too long: halve it, and the next slice corrects it. So a frame that is continued by
   calls of its own goes on, too. A world that got no slice because of other worlds may wait long
   for a correction: there it decays by 1/16. */
static void frame_forget(tp_world *world, const frame_meter *meter, uint32_t slices)
{
    uint32_t *worst = &world->slice_microseconds_worst;
    if (slices == 1 || (slices == 0 && meter->longest == 0))
        *worst /= 2u;
    else if (slices == 0 && meter->is_shared)
        *worst = frame_faded(*worst);
}

/* Runs slices until the owed time is simulated or the budget ends; returns their number. */
static uint32_t frame_work(tp_world *world, frame_meter *meter)
{
    uint32_t slices = 0;
    bool has_time = true;
    meter->last = 0;
    while (!frame_is_over(world, meter)) {
        has_time = frame_has_time(world, meter);
        if (!has_time || !frame_run_slice(world, meter)) break;
        slices++;
    }
    if (!has_time) frame_forget(world, meter, slices);
    world->report.microseconds += meter->elapsed - meter->charged;
    meter->charged = meter->elapsed;
    return slices;
}

tp_result tp_frame(tp_world *world, const tp_budget *budget, tp_report *report)
{
    tp_result result = tpi_world_check_block(world);
    if (result == TP_OK) result = tpi_check_budget(budget);
    if (result != TP_OK) return result;
    frame_meter meter = frame_meter_start(budget);
    frame_begin(world, budget, !frame_is_same(budget));
    meter.has_run = world->report.units > 0;
    (void)frame_work(world, &meter);
    bool is_lagging = frame_end(world, budget);
    if (report) tpi_report_write(world, report);
    return is_lagging ? TP_MORE : TP_OK;
}

/* ---- several worlds ---- */

#define TPI_WORLDS_MAX 64u

/* Rounds up to whole slices of the smallest size. */
static uint64_t frame_round_up(uint64_t units)
{
    return (units + TPI_SLICE_LEAST - 1u) / TPI_SLICE_LEAST * TPI_SLICE_LEAST;
}

static tp_result frame_check_shares(const tp_share *shares, uint32_t count, const tp_budget *budget)
{
    uint64_t guaranteed = 0;
    if (!shares && count) return TP_ERROR_NULL;
    if (count > TPI_WORLDS_MAX) return TP_ERROR_DEFINITION;
    for (uint32_t s = 0; s < count; s++) {
        tp_result result = tpi_world_check_block(shares[s].world);
        if (result != TP_OK) return result;
        guaranteed += frame_round_up(shares[s].guaranteed_units);
        for (uint32_t t = 0; t < s; t++)
            if (shares[t].world == shares[s].world) return TP_ERROR_DEFINITION;
    }
    return budget && budget->units && guaranteed > budget->units ? TP_ERROR_DEFINITION : TP_OK;
}

/* The state of one call for several worlds. Sets have one bit per index of `shares`. */
typedef struct frame_round {
    tp_share *shares;
    uint32_t count, index; /* index: of the current world */
    uint64_t served;       /* worlds that had their turn */
    uint64_t ran;          /* worlds that ran at least one slice */
    frame_meter meter;
} frame_round;

static bool frame_is_in(uint64_t set, uint32_t index) { return (set >> index & 1u) != 0; }

#define TPI_UNITS_ALL UINT32_MAX /* no limit */

/* Units left in the call when `reserved` are kept back. Uses charged units only: how far a world's
   work is ahead of its charges depends on the vector width. */
static uint32_t frame_round_left(const frame_round *round, uint64_t reserved)
{
    const tp_budget *budget = round->meter.budget;
    if (!budget || !budget->units) return TPI_UNITS_ALL;
    uint64_t taken = reserved;
    for (uint32_t s = 0; s < round->count; s++) taken += round->shares[s].world->report.units;
    return taken < budget->units ? tpi_min_u32(budget->units - (uint32_t)taken, TPI_UNITS_ALL - 1u)
                                 : 0;
}

/* Units of its guarantee that a world has not yet used in this game frame. */
static uint32_t frame_claim(const tp_share *share)
{
    uint64_t had = share->world->report.units;
    return had < share->guaranteed_units ? share->guaranteed_units - (uint32_t)had : 0;
}

/* Units that a world may use now for its guarantee. The slice that reaches the guarantee may be
   completed, unless other worlds need those units for theirs. */
static uint32_t frame_guaranteed(const frame_round *round, uint32_t index)
{
    uint64_t claim = frame_claim(&round->shares[index]), reserved = 0;
    if (claim == 0) return 0;
    for (uint32_t s = 0; s < round->count; s++)
        if (s != index && !frame_is_in(round->served, s))
            reserved += frame_round_up(frame_claim(&round->shares[s]));
    uint32_t left = frame_round_left(round, reserved);
    return claim + TPI_SLICE_LEAST - 1u < left ? (uint32_t)claim + TPI_SLICE_LEAST - 1u : left;
}

/* Index of the next world. For guarantees: the world that has waited longest, then the lowest
   index. For the remaining units: by priority first. Returns `count` if every world has had its
   turn. */
static uint32_t frame_next(const frame_round *round, bool is_leftover)
{
    uint32_t best = round->count;
    for (uint32_t s = 0; s < round->count; s++) {
        const tp_share *share = &round->shares[s],
                       *other = &round->shares[best < round->count ? best : s];
        bool is_equal = !is_leftover || share->priority == other->priority;
        bool is_before = is_equal ? share->world->calls_waited > other->world->calls_waited
                                  : share->priority < other->priority;
        if (!frame_is_in(round->served, s) && (best == round->count || is_before)) best = s;
    }
    return best;
}

/* The next world, with its limit of units in the meter; null if it may use none or every world had
   its turn. */
static TPI_APART tp_world *frame_turn(frame_round *round, bool is_leftover)
{
    uint32_t index = frame_next(round, is_leftover);
    if (index >= round->count) return NULL;
    uint32_t left = is_leftover ? frame_round_left(round, 0) : frame_guaranteed(round, index);
    tp_world *world = round->shares[index].world;
    round->index = index;
    round->served |= (uint64_t)1 << index;
    round->meter.units_max = left < TPI_UNITS_ALL ? world->report.units + left : 0;
    return left ? world : NULL;
}

/* First a turn of every world for its guarantee, then one of every world for the remaining
   units. */
static void frame_turns(frame_round *round)
{
    for (uint32_t turn = 0; turn < 2u * round->count; turn++) {
        if (turn == round->count) round->served = 0;
        tp_world *world = frame_turn(round, turn >= round->count);
        if (world && frame_work(world, &round->meter)) round->ran |= (uint64_t)1 << round->index;
    }
}

/* Ends the call for one world; counts a call that it waited if it owes time and got no slice. */
static bool frame_leave(frame_round *round, uint32_t index)
{
    tp_share *share = &round->shares[index];
    tp_world *world = share->world;
    bool waits = world->clock.frame < world->target_frame && !frame_is_in(round->ran, index);
    uint32_t calls = world->calls_waited;
    world->calls_waited = waits ? calls + (calls < UINT32_MAX) : 0;
    bool is_lagging = frame_end(world, round->meter.budget);
    tpi_report_write(world, &share->report);
    return is_lagging;
}

/* One call for several worlds, which the checks let through. */
static tp_result frame_share(frame_round *round, bool owes)
{
    tp_share *shares = round->shares;
    bool is_lagging = false;
    round->meter.is_shared = true;
    for (uint32_t s = 0; s < round->count; s++) {
        frame_begin(shares[s].world, round->meter.budget, owes);
        if (shares[s].world->report.units > 0) round->meter.has_run = true;
    }
    frame_turns(round);
    for (uint32_t s = 0; s < round->count; s++) is_lagging = frame_leave(round, s) || is_lagging;
    return is_lagging ? TP_MORE : TP_OK;
}

tp_result tp_frame_worlds(tp_share *shares, uint32_t count, const tp_budget *budget)
{
    tp_result result = frame_check_shares(shares, count, budget);
    if (result == TP_OK) result = tpi_check_budget(budget);
    frame_round round = {.shares = shares, .count = count};
    if (result != TP_OK) return result;
    round.meter = frame_meter_start(budget);
    return frame_share(&round, !frame_is_same(budget));
}

/* Time of the same picture before this call counts towards its limit. */
static void frame_meter_continue(frame_meter *meter, const tp_share *shares, uint32_t count)
{
    for (uint32_t s = 0; s < count; s++) meter->elapsed += shares[s].world->report.microseconds;
    meter->charged = meter->elapsed;
    meter->started -= meter->elapsed;
}

tp_result tp_frame_together(tp_share *shares, uint32_t count, const tp_budget *budget)
{
    tp_result result = frame_check_shares(shares, count, budget);
    if (result == TP_OK) result = tpi_check_budget(budget);
    frame_round round = {.shares = shares, .count = count};
    bool owes = true;
    if (result != TP_OK) return result;
    for (uint32_t s = 0; s < count; s++)
        if (shares[s].world->clock.frame < shares[s].world->target_frame) owes = false;
    round.meter = frame_meter_start(budget);
    if (frame_is_same(budget)) frame_meter_continue(&round.meter, shares, count);
    return frame_share(&round, owes);
}
#undef TPI_WORLDS_MAX
#undef TPI_UNITS_ALL
#undef TPI_SLICE_LEAST
