/* SPDX-License-Identifier: MIT
   runtime/cache/meter.c - the budget of one call of a cache.
   reads   tp_budget, the clock      writes  the meter, the cache's counters
   memory  none                      cost    O(1); reads the clock once per slice
   after   own design: slices consist of work items; units are checked before every work item, the
           clock between slices */
#include "cache.h"

static uint64_t meter_now(const tpi_cache_meter *meter)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only a budget has a clock */
    return meter->has_clock ? meter->budget->clock_us(meter->budget->clock_context) : 0;
}

tpi_cache_meter tpi_cache_meter_start(tp_cache *cache, const tp_budget *budget)
{
    tpi_cache_meter meter = {.cache = cache, .budget = budget};
    uint32_t *worst = &cache->counters.slice_microseconds_longest;
    *worst -= (*worst + 31u) / 32u;
    meter.has_clock = budget && budget->microseconds && budget->clock_us;
    meter.started = meter.slice_started = meter_now(&meter);
    return meter;
}

/* Ends the slice. False: the time left is shorter than the longest slice seen. The first slice of
   a call is always allowed. */
static bool meter_close_slice(tpi_cache_meter *meter)
{
    tp_cache_counters *counters = &meter->cache->counters;
    meter->slice = 0;
    if (!meter->has_clock) return true;
    uint64_t now = meter_now(meter), length = now - meter->slice_started;
    if (length > counters->slice_microseconds_longest)
        counters->slice_microseconds_longest =
            length > 0xffffffffu ? 0xffffffffu : (uint32_t)length;
    meter->slice_started = now;
    return now - meter->started + counters->slice_microseconds_longest <=
           meter->budget->microseconds;
}

bool tpi_cache_meter_may(tpi_cache_meter *meter, tp_stage stage)
{
    const tp_budget *budget = meter->budget;
    uint64_t stage_units = stage == TP_STAGE_CACHE_WRITE ? meter->write_units : meter->read_units;
    if (budget) {
        if (budget->units && meter->units >= budget->units) return false;
        if (budget->stage_units[stage] && stage_units >= budget->stage_units[stage]) return false;
    }
    if (meter->slice == 0 ||
        meter->slice + meter->cache->shape.step_units_max <= meter->cache->def.slice_units)
        return true;
    return meter_close_slice(meter);
}

void tpi_cache_meter_spend(tpi_cache_meter *meter, tp_stage stage, uint64_t units)
{
    tp_cache_counters *counters = &meter->cache->counters;
    if (stage == TP_STAGE_CACHE_WRITE)
        meter->write_units += units;
    else
        meter->read_units += units;
    meter->units += units;
    meter->slice += (uint32_t)units;
    counters->slice_units_longest = tpi_max_u32(counters->slice_units_longest, meter->slice);
}

bool tpi_cache_meter_rest(const tpi_cache_meter *meter, tp_budget *rest)
{
    const tp_budget *budget = meter->budget;
    *rest = (tp_budget){0};
    if (!budget) return true;
    *rest = *budget;
    if (budget->units) {
        if (meter->units >= budget->units) return false;
        rest->units = budget->units - (uint32_t)meter->units;
    }
    if (!meter->has_clock) return true;
    uint64_t elapsed = meter_now(meter) - meter->started;
    if (elapsed >= budget->microseconds) return false;
    rest->microseconds = budget->microseconds - (uint32_t)elapsed;
    return true;
}

void tpi_cache_meter_source(tpi_cache_meter *meter, uint64_t units)
{
    meter->units += units;
    meter->slice = 0;
    meter->slice_started = meter_now(meter);
}

static uint32_t meter_count(uint64_t units)
{
    return units > 0xffffffffu ? 0xffffffffu : (uint32_t)units;
}

void tpi_cache_meter_end(tpi_cache_meter *meter)
{
    tp_cache_counters *counters = &meter->cache->counters;
    if (meter->slice) (void)meter_close_slice(meter);
    counters->write_units = meter_count(meter->write_units);
    counters->read_units = meter_count(meter->read_units);
    counters->units = meter_count(meter->write_units + meter->read_units);
}
