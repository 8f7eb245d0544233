/* SPDX-License-Identifier: MIT
   tests/static/eva_frame.c - Eva driver: shares of a budget among worlds in any state, with any
           clock.
   reads   unknown budgets, reports and clocks      writes  nothing: Eva must report no alarm
   memory  three worlds without their blocks      cost    half a minute
   after   own design; steps are stubs that use any number of units and end in any stage */
#include "eva.h"
#include "../../runtime/step/frame.c"

#define WORLDS 3u
static tp_world worlds[WORLDS];

/* A world's counters before a call: at most the units and frames of a century. */
static void any_world(tp_world *world)
{
    eva_fill(&world->report, sizeof world->report);
    world->report.units = eva_u64() >> 1;
    eva_fill(&world->clock, sizeof world->clock);
    world->step.active = eva_bool();
    world->step.stage = (tp_stage)eva_u32(0, TP_WORLD_STAGES - 1u);
    world->step.half_units_ahead = eva_u32(0, UINT32_MAX);
    world->step.half_units_saved = eva_u32(0, UINT32_MAX);
    world->slice_microseconds_worst = eva_u32(0, UINT32_MAX),
    world->calls_waited = eva_u32(0, UINT32_MAX);
    world->target_frame = eva_u64(), world->step_units = eva_u64(),
    world->step_units_last = eva_u64();
    world->def.slice_units = eva_u32(0, UINT32_MAX),
    world->def.lag_frames_max = eva_u32(0, UINT32_MAX);
    world->def.overload = (tp_overload)eva_u32(0, TP_OVERLOAD_COARSEN);
}

tp_result tpi_world_check_block(const tp_world *world) { return world ? TP_OK : TP_ERROR_NULL; }
uint32_t tpi_substep_ticks(const tp_world *world)
{
    return (void)world, eva_u32(1, TP_TICKS_PER_FRAME);
}
uint32_t tpi_substep_ticks_coarse(const tp_world *world, uint32_t steps)
{
    return (void)world, eva_u32(1, TP_TICKS_PER_FRAME / steps + 1u);
}
bool tpi_step_has_team(const tp_world *world, const tp_jobs *jobs)
{
    return (void)world, (void)jobs, eva_bool();
}
bool tpi_step_is_shared(const tp_world *world, const tp_jobs *jobs)
{
    return (void)world, (void)jobs, eva_bool();
}
void tpi_step_begin(tp_world *world, uint32_t ticks)
{
    (void)ticks;
    world->step.active = true;
}
bool tpi_step_advance(tp_world *world, const tp_budget *budget, uint32_t units, uint32_t *used,
                      tp_stage *stage)
{
    (void)budget, (void)units;
    *used = eva_u32(0, UINT32_MAX);
    *stage = world->step.stage;
    world->step.stage = (tp_stage)eva_u32(0, TP_WORLD_STAGES - 1u);
    world->step.active = eva_bool();
    world->clock.frame += eva_u32(0, 1);
    return eva_bool();
}
void tpi_report_write(const tp_world *world, tp_report *report) { *report = world->report; }

static uint64_t clock_of_any_time(void *context)
{
    (void)context;
    return eva_u64();
}
static void run(void *context, void (*work)(void *argument, uint32_t index), void *argument,
                uint32_t count)
{
    (void)context, (void)work, (void)argument, (void)count;
}

static void any_budget(tp_budget *budget, const tp_jobs *jobs)
{
    budget->clock_us = NULL, budget->clock_context = NULL, budget->jobs = jobs;
    budget->units = eva_u32(0, UINT32_MAX), budget->microseconds = eva_u32(0, UINT32_MAX);
    budget->frames_max = eva_u32(0, UINT32_MAX), budget->is_same_frame = eva_bool();
    eva_fill(budget->stage_units, sizeof budget->stage_units);
}

static void frames_with(const tp_budget *budget)
{
    tp_share shares[WORLDS];
    tp_report report;
    for (uint32_t w = 0; w < WORLDS; w++) {
        any_world(&worlds[w]);
        memset(&shares[w], 0, sizeof shares[w]);
        shares[w].world = &worlds[w];
        shares[w].priority = eva_u32(0, UINT32_MAX),
        shares[w].guaranteed_units = eva_u32(0, UINT32_MAX);
    }
    (void)tp_frame(NULL, budget, &report);
    (void)tp_frame(&worlds[0], budget, &report);
    (void)tp_frame(&worlds[1], budget, NULL);
    (void)tp_frame_worlds(shares, WORLDS, budget);
    (void)tp_frame_together(shares, WORLDS, budget);
    shares[1].world = shares[0].world;
    (void)tp_frame_worlds(shares, WORLDS, budget);
}

int main(void)
{
    tp_jobs jobs;
    tp_budget budget;
    memset(&jobs, 0, sizeof jobs);
    jobs.workers = eva_u32(0, UINT32_MAX);
    if (eva_bool()) jobs.run = run;
    frames_with(NULL);
    any_budget(&budget, NULL);
    frames_with(&budget);
    any_budget(&budget, &jobs);
    budget.clock_us = clock_of_any_time;
    frames_with(&budget);
    return 0;
}
