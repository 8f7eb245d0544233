/* SPDX-License-Identifier: MIT
   tests/static/eva_exact.c - Eva driver: the exact results of budgets and pools.
   reads   ranges of counters, and bounds
   writes  nothing: every assertion must hold, and no unsigned number may overflow
   memory  worlds and caches without their blocks      cost    seconds
   after   own design; bounds are constants and counters are intervals, so that the assertions
           follow by interval arithmetic */
#include "eva.h"
#include "../../runtime/step/frame.c"
#include "../../runtime/cache/meter.c"
#include "../../runtime/memory/pool.c"

#define WORLDS 2u
static tp_world worlds[WORLDS];
static tp_share shares[WORLDS];
static tp_budget budget;

bool tpi_step_has_team(const tp_world *world, const tp_jobs *jobs)
{
    return (void)world, (void)jobs, eva_bool();
}
bool tpi_step_is_shared(const tp_world *world, const tp_jobs *jobs)
{
    return (void)world, (void)jobs, eva_bool();
}

/* ---- a frame's units ---- */

/* The world that is served may use `most` units, and has used fewer, as many, or more. */
static void units_left(uint32_t most)
{
    frame_meter meter = {.budget = &budget, .units_max = most};
    worlds[0].report.units = eva_u64_between(0, UINT64_MAX);
    uint64_t left = frame_units_left(&worlds[0], &meter);
    //@ assert no_more_than_the_budget: left <= most;
    worlds[0].report.units = eva_u64_between(most, UINT64_MAX);
    left = frame_units_left(&worlds[0], &meter);
    //@ assert nothing_is_left: left == 0;
    if (most < 64u) return;
    meter.is_shared = meter.has_run = true;
    worlds[0].report.units = eva_u64_between(most - 63u, most);
    left = frame_units_left(&worlds[0], &meter);
    //@ assert less_than_a_slice_is_none: left == 0;
    worlds[0].report.units = most - 64u;
    left = frame_units_left(&worlds[0], &meter);
    //@ assert the_least_slice_fits: left == 64;
}

/* The units of a slice under the limits of the definition, the budget and the stage. A limit is
   never below 64 units. */
static void slice_of(uint32_t bound, uint32_t most, uint32_t share)
{
    frame_meter meter = {.budget = &budget, .units_max = most};
    tp_world *world = &worlds[0];
    world->def.slice_units = bound, world->step.active = true, world->step.stage = (tp_stage)0;
    budget.stage_units[0] = share, budget.jobs = NULL;
    world->report.units = eva_u64_between(0, UINT64_MAX),
    world->report.stage_units[0] = eva_u64_between(0, UINT64_MAX);
    uint32_t units = frame_slice(world, &meter);
    //@ assert within_the_bound: units <= (bound < 64 ? 64 : bound);
    //@ assert within_the_budget: most == 0 || units <= (most < 64 ? 64 : most);
    //@ assert within_the_share: share == 0 || units <= (share < 64 ? 64 : share);
    if (share) world->report.stage_units[0] = eva_u64_between(share, UINT64_MAX);
    units = frame_slice(world, &meter);
    //@ assert a_spent_share_ends_it: share == 0 || units == 0;
    world->report.stage_units[0] = 0;
    if (most) world->report.units = eva_u64_between(most, UINT64_MAX);
    units = frame_slice(world, &meter);
    //@ assert a_spent_budget_ends_it: most == 0 || units == 0;
}

static void claim_of(uint32_t guaranteed)
{
    tp_share share = {.world = &worlds[0], .guaranteed_units = guaranteed};
    worlds[0].report.units = eva_u64_between(0, UINT64_MAX);
    uint32_t claim = frame_claim(&share);
    //@ assert no_more_than_the_guarantee: claim <= guaranteed;
    worlds[0].report.units = eva_u64_between(guaranteed, UINT64_MAX);
    claim = frame_claim(&share);
    //@ assert a_guarantee_is_had_once: claim == 0;
}

static frame_round round_of(uint64_t had_low, uint64_t had_high)
{
    frame_round round = {.shares = shares, .count = WORLDS, .meter = {.budget = &budget}};
    //@ loop unroll 2;
    for (uint32_t w = 0; w < WORLDS; w++) {
        shares[w].world = &worlds[w];
        worlds[w].report.units = eva_u64_between(had_low, had_high);
    }
    return round;
}

/* All worlds of a call: units left of the budget, less the guarantees of the other worlds. */
static void round_left(uint32_t units)
{
    budget.units = units;
    frame_round round = round_of(0, UINT64_MAX >> 3);
    uint32_t left = frame_round_left(&round, eva_u64_between(0, UINT64_MAX >> 3));
    //@ assert no_more_than_the_budget: left <= units && left != 0xffffffff;
    left = frame_round_left(&round, eva_u64_between(units, UINT64_MAX >> 3));
    //@ assert nothing_is_left: left == 0;
    round = round_of((uint64_t)units / 2u + 1u, UINT64_MAX >> 3);
    left = frame_round_left(&round, 0);
    //@ assert units_of_all_count: left == 0;
    round = round_of(0, 0);
    shares[0].guaranteed_units = shares[1].guaranteed_units = units;
    left = frame_guaranteed(&round, 0);
    //@ assert guarantees_of_others_are_kept: left == 0;
    left = frame_round_left(&round, 0);
    //@ assert nothing_is_taken_yet: left == units || units == 0xffffffff;
    round.served = 2;
    left = frame_guaranteed(&round, 0);
    //@ assert to_the_end_of_a_slice: left <= units && (left == units || units == 0xffffffff);
    shares[0].guaranteed_units = units / 2u;
    left = frame_guaranteed(&round, 0);
    //@ assert less_than_a_slice_more: left <= units && left <= units / 2u + 63u;
}

/* One more slice of the longest duration must fit the time left. Exception: the first slice. */
static void time_left(void)
{
    frame_meter meter = {.budget = &budget, .has_clock = true, .has_run = true};
    budget.microseconds = 500, worlds[0].slice_microseconds_worst = 100;
    meter.elapsed = eva_u32(401, UINT32_MAX);
    bool has_time = frame_has_time(&worlds[0], &meter);
    //@ assert a_slice_too_much: has_time == 0;
    worlds[0].slice_microseconds_worst = 0, meter.longest = 100;
    has_time = frame_has_time(&worlds[0], &meter);
    //@ assert that_of_another_world_counts: has_time == 0;
    meter.elapsed = eva_u32(0, 400);
    has_time = frame_has_time(&worlds[0], &meter);
    //@ assert it_fits: has_time == 1;
    meter.elapsed = eva_u32(0, UINT32_MAX), meter.has_run = false;
    has_time = frame_has_time(&worlds[0], &meter);
    //@ assert the_first_always_runs: has_time == 1;
}

/* ---- a cache's call ---- */

#define STARTED 1000u
static uint64_t low_time, high_time;
static uint64_t clock_between(void *context)
{
    return (void)context, eva_u64_between(low_time, high_time);
}

/* The rest of the budget for a source that reads in the same call. */
static void rest_of(uint32_t units, uint32_t microseconds)
{
    tp_cache cache;
    tp_budget rest;
    memset(&cache, 0, sizeof cache);
    budget.units = units, budget.microseconds = microseconds, budget.clock_us = clock_between;
    low_time = high_time = STARTED;
    tpi_cache_meter meter = tpi_cache_meter_start(&cache, &budget);
    high_time = UINT64_MAX, meter.units = eva_u64_between(0, UINT64_MAX);
    rest.units = rest.microseconds = 0;
    if (tpi_cache_meter_rest(&meter, &rest)) {
        //@ assert units_within_the_budget: rest.units <= units && (units == 0 || rest.units > 0);
        //@ assert time_within_the_budget: rest.microseconds <= microseconds;
        //@ assert time_is_limited: microseconds == 0 || rest.microseconds > 0;
    }
    if (units) meter.units = eva_u64_between(units, UINT64_MAX);
    bool has_rest = tpi_cache_meter_rest(&meter, &rest);
    //@ assert no_units_no_rest: units == 0 || has_rest == 0;
    meter.units = 0, low_time = (uint64_t)STARTED + microseconds;
    has_rest = tpi_cache_meter_rest(&meter, &rest);
    //@ assert no_time_no_rest: microseconds == 0 || has_rest == 0;
}

/* Whether one more step may be done. */
static void may_of(uint32_t units, uint32_t share, tp_stage stage)
{
    tp_cache cache;
    memset(&cache, 0, sizeof cache), memset(&budget, 0, sizeof budget);
    budget.units = units, budget.stage_units[stage] = share;
    tpi_cache_meter meter = tpi_cache_meter_start(&cache, &budget);
    tpi_cache_meter_spend(&meter, stage, 0);
    bool may = tpi_cache_meter_may(&meter, stage);
    //@ assert the_first_step_may: may == 1;
    if (units) meter.units = eva_u64_between(units, UINT64_MAX);
    may = tpi_cache_meter_may(&meter, stage);
    //@ assert a_spent_budget_ends_it: units == 0 || may == 0;
    meter.units = 0;
    if (share && stage == TP_STAGE_CACHE_WRITE)
        meter.write_units = eva_u64_between(share, UINT64_MAX);
    if (share && stage != TP_STAGE_CACHE_WRITE)
        meter.read_units = eva_u64_between(share, UINT64_MAX);
    may = tpi_cache_meter_may(&meter, stage);
    //@ assert a_spent_share_ends_it: share == 0 || may == 0;
}

/* 32-bit counters saturate. */
static void count_of_many(void)
{
    tp_cache cache;
    memset(&cache, 0, sizeof cache);
    tpi_cache_meter meter = tpi_cache_meter_start(&cache, NULL);
    tpi_cache_meter_source(&meter, 5);
    meter.write_units = eva_u64_between((uint64_t)UINT32_MAX + 1u, UINT64_MAX >> 1),
    meter.read_units = 7;
    tpi_cache_meter_end(&meter);
    //@ assert most: cache.counters.write_units == 0xffffffff && cache.counters.units == 0xffffffff;
    //@ assert few: cache.counters.read_units == 7;
}

/* ---- a pool ---- */

#define SLOTS 4u

/* Looks up a slot of one generation with handles of this generation and of all others. */
static void find_slot(uint32_t slot, uint32_t generation)
{
    uint32_t slots[SLOTS];
    tpi_pool pool = {.capacity = SLOTS, .used = 1, .end = slot + 1u};
    memset(slots, 0, sizeof slots);
    slots[slot] = generation << 1 | 1u;
    uint32_t found = tpi_pool_find(&pool, slots, generation << 16 | slot);
    //@ assert a_live_handle_finds_its_slot: found == slot;
    slots[slot] = 2u * eva_u32(0, generation - 1u) + 1u;
    found = tpi_pool_find(&pool, slots, generation << 16 | slot);
    //@ assert none_of_an_older_slot: found == 0xffffffff;
    slots[slot] = 2u * eva_u32(generation + 1u, TPI_GENERATION_LAST + 1u) + 1u;
    found = tpi_pool_find(&pool, slots, generation << 16 | slot);
    //@ assert none_of_a_newer_slot: found == 0xffffffff;
    slots[slot] = generation << 1;
    found = tpi_pool_find(&pool, slots, generation << 16 | slot);
    //@ assert none_of_a_free_slot: found == 0xffffffff;
    found = tpi_pool_find(&pool, slots, generation << 16 | eva_u32(SLOTS, 0xffff));
    //@ assert none_behind_the_pool: found == 0xffffffff;
    slots[slot] = generation << 1 | 1u, pool.peak = 0;
    tpi_pool_recount(&pool, slots);
    //@ assert one_is_counted: pool.used == 1 && pool.peak == 1 && pool.end == slot + 1 && pool.retired == 0;
}

/* A slot that is taken again has the next generation, until its generations are used up. */
static void take_again(uint32_t generation)
{
    uint32_t slots[1] = {generation << 1 | 1u}, handle = 0;
    tpi_pool pool = {.capacity = 1, .used = 1, .end = 1};
    uint32_t taken = tpi_pool_take(&pool, slots, &handle);
    //@ assert none_of_a_full_pool: taken == 0xffffffff && handle == 0 && pool.refused == 1;
    tpi_pool_free(&pool, slots, 0);
    //@ assert all_is_free: pool.used == 0 && pool.end == 0;
    taken = tpi_pool_take(&pool, slots, &handle);
    //@ assert next_generation: generation == 0xffff || handle == (generation + 1) * 65536;
    //@ assert worn_out: generation < 0xffff || (taken == 0xffffffff && pool.retired == 1);
    tp_pool_report report = tpi_pool_report_of(&pool);
    //@ assert is_told: report.used == pool.used && report.retired == pool.retired;
}

/* ---- all of them ---- */

static const uint32_t bounds[] = {1, 63, 64, 65, 1000, UINT32_MAX};
#define BOUNDS (sizeof bounds / sizeof bounds[0])

static void frames(void)
{
    for (uint32_t b = 0; b < BOUNDS; b++) {
        units_left(bounds[b]), claim_of(bounds[b]), round_left(bounds[b]);
        for (uint32_t s = 0; s < BOUNDS; s++) {
            slice_of(bounds[b], 0, bounds[s]), slice_of(bounds[b], bounds[s], 0);
            slice_of(1000, bounds[b], bounds[s]);
        }
    }
    time_left();
}

static void caches(void)
{
    for (uint32_t b = 0; b < BOUNDS; b++) {
        rest_of(bounds[b], 0), rest_of(0, bounds[b]), rest_of(bounds[b], 300);
        may_of(bounds[b], 0, TP_STAGE_CACHE_WRITE), may_of(0, bounds[b], TP_STAGE_CACHE_WRITE);
        may_of(bounds[b], 0, TP_STAGE_CACHE_READ), may_of(0, bounds[b], TP_STAGE_CACHE_READ);
    }
    count_of_many();
}

static void pools(void)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        find_slot(slot, 1), find_slot(slot, 2), find_slot(slot, 0x8000),
            find_slot(slot, TPI_GENERATION_LAST);
    take_again(1), take_again(0x7fff), take_again(TPI_GENERATION_LAST - 1u),
        take_again(TPI_GENERATION_LAST);
}

int main(void)
{
    frames();
    caches();
    pools();
    return 0;
}
