/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_watch.c - time per stage of a frame, measured slice by slice.
   reads   a world's report      writes  seconds by stage
   memory  the caller's record      cost    reading the clock and one report per slice
   after   own design: the runtime reads the clock of the budget at the end of a slice, and counts
           the units of the slice
           after that. So at the next reading the stage whose units have grown is that of the slice
           before */
#include "bench.h"
#include <string.h>

/* Adds the pending slice to the stage whose units have grown. */
static void watch_note(bench_watch *watch)
{
    tp_report report = tp_world_report(watch->world);
    int stage = watch->stage < 0 ? TP_STAGE_MOVE : watch->stage;
    for (int s = 0; s < TP_WORLD_STAGES; s++)
        if (report.stage_units[s] != watch->units[s]) stage = s;
    if (stage == TP_STAGE_MOVE && watch->stage != TP_STAGE_MOVE) watch->round++;
    watch->seconds[watch->round > 1][stage] += watch->pending;
    watch->stage = stage;
    memcpy(watch->units, report.stage_units, sizeof watch->units);
    watch->pending = 0;
}

static uint64_t watch_clock(void *context)
{
    bench_watch *watch = context;
    double now = bench_seconds(watch->jobs);
    if (watch->pending > 0) watch_note(watch);
    if (watch->has_before) watch->pending = now - watch->before;
    watch->has_before = true;
    watch->before = bench_seconds(watch->jobs); /* excludes the time of measuring */
    return (uint64_t)(now * 1e6);
}

tp_result bench_watch_frame(bench_watch *watch, tp_world *world, const bench_plan *plan,
                            tp_report *report)
{
    tp_budget budget = bench_budget(plan);
    budget.frames_max = 1;
    budget.clock_us = watch_clock;
    budget.clock_context = watch;
    memset(watch, 0, sizeof *watch);
    watch->world = world;
    watch->jobs = plan->jobs;
    watch->stage = -1;
    tp_result result = tp_frame(world, &budget, report);
    if (watch->pending > 0) watch_note(watch);
    return result;
}
