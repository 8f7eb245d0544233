/* SPDX-License-Identifier: MIT
   tests/static/eva_meter.c - Eva driver: the budget of a cache call, with any counters, units and
           clock.
   reads   unknown budgets and counters      writes  nothing: Eva must report no alarm
   memory  a cache without its block      cost    seconds
   after   own design; runtime/cache/cache.h states what holds before each call */
#include "eva.h"
#include "../../runtime/cache/meter.c"

/* The clock may stand still, jump ahead or go back. */
static uint64_t clock_of_any_time(void *context)
{
    (void)context;
    return eva_u64();
}

static tp_stage any_stage(void) { return (tp_stage)eva_u32(0, TP_STAGE_COUNT - 1u); }

static void call_of(tp_cache *cache, const tp_budget *budget)
{
    tp_budget rest;
    tpi_cache_meter meter = tpi_cache_meter_start(cache, budget);

    while (eva_bool()) {
        if (tpi_cache_meter_may(&meter, any_stage()))
            tpi_cache_meter_spend(&meter, any_stage(), eva_u64());
        if (tpi_cache_meter_rest(&meter, &rest)) tpi_cache_meter_source(&meter, eva_u64());
    }
    tpi_cache_meter_end(&meter);
}

int main(void)
{
    tp_cache cache;
    tp_budget budget;
    eva_fill(&cache.counters, sizeof cache.counters);
    cache.shape.step_units_max = eva_u32(0, UINT32_MAX),
    cache.def.slice_units = eva_u32(0, UINT32_MAX);
    budget.clock_us = NULL;
    if (eva_bool()) budget.clock_us = clock_of_any_time;
    budget.clock_context = NULL, budget.jobs = NULL;
    budget.units = eva_u32(0, UINT32_MAX), budget.microseconds = eva_u32(0, UINT32_MAX);
    budget.frames_max = eva_u32(0, UINT32_MAX), budget.is_same_frame = eva_bool();
    eva_fill(budget.stage_units, sizeof budget.stage_units);
    if (eva_bool())
        call_of(&cache, &budget);
    else
        call_of(&cache, NULL);
    return 0;
}
