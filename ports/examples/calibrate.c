/* SPDX-License-Identifier: MIT
   ports/examples/calibrate.c - measures the cost of a unit on this machine, and prints the budget
           for given microseconds.
   reads   the platform's clock; `calibrate MICROSECONDS SLICE_UNITS`      writes  standard output,
           without floats
   memory  a static block and some hundred bytes      cost  PASSES runs of the scene
   after   own design; linked with tidepool.c and a platform. Replace tank.h by your own scene in
           its worst case */
#include "platform.h"
#include "stopwatch.h"
#include "tank.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef PASSES
#define PASSES 5u /* passes compute the same bits: only interruptions make their times differ */
#endif
#ifndef WORLD_BYTES
#define WORLD_BYTES \
    59872u /* tp_world_memory of the scene, rounded up; TANK_BYTES is a larger bound */
#endif
#define COST_OF_ONE 100u /* costs per unit are in hundredths of a nanosecond */

static _Alignas(16) unsigned char block[WORLD_BYTES];

/* Sums and maxima of one pass. */
typedef struct totals {
    uint64_t us, stage_us[TP_WORLD_STAGES], stage_units[TP_WORLD_STAGES];
    uint64_t frame_units; /* units of the largest frame */
    uint64_t frame_cost;  /* cost per unit of the most expensive frame */
    uint32_t slice_us;    /* the longest slice */
} totals;

static totals quickest; /* the pass that took the least time */
/* Over all passes: the minimum is the time of the work itself, the maximum includes
   interruptions. */
static uint64_t least_stage_us[TP_WORLD_STAGES];
static uint32_t least_slice_us = UINT32_MAX, longest_slice_us;
static uint64_t least_frame_cost = UINT64_MAX, dearest_frame_cost;

/* Cost per unit, rounded up, never 0. */
static uint64_t cost_of(uint64_t us, uint64_t units)
{
    return us * 1000u * COST_OF_ONE / units + 1u;
}

/* One microsecond is added to each time, because the clock rounds down. */
static void note_frame(totals *sum, const stopwatch *watch, const tp_report *report)
{
    uint64_t cost = report->units ? cost_of((uint64_t)report->microseconds + 1u, report->units) : 0;
    if (cost > sum->frame_cost) sum->frame_cost = cost;
    if (report->units > sum->frame_units) sum->frame_units = report->units;
    if (report->slice_microseconds_longest >= sum->slice_us)
        sum->slice_us = report->slice_microseconds_longest + 1u;
    sum->us += report->microseconds;
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        sum->stage_us[stage] += watch->times[stage];
        sum->stage_units[stage] += watch->units[stage];
    }
}

static void note_pass(const totals *sum)
{
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++)
        if (quickest.frame_units == 0 || sum->stage_us[stage] < least_stage_us[stage])
            least_stage_us[stage] = sum->stage_us[stage];
    if (quickest.frame_units == 0 || sum->us < quickest.us) quickest = *sum;
    if (sum->slice_us < least_slice_us) least_slice_us = sum->slice_us;
    if (sum->slice_us > longest_slice_us) longest_slice_us = sum->slice_us;
    if (sum->frame_cost < least_frame_cost) least_frame_cost = sum->frame_cost;
    if (sum->frame_cost > dearest_frame_cost) dearest_frame_cost = sum->frame_cost;
}

static tp_result pass(uint32_t slice_units)
{
    totals sum = {0};
    tp_world_def def = tank_definition();
    tp_world *world = NULL;
    tp_field gravity;
    def.slice_units = slice_units;
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = tank_fill(world, &gravity);
    for (uint32_t f = 0; f < TANK_FRAMES && result == TP_OK; f++) {
        stopwatch watch = {.world = world, .clock = platform_clock_us, .slice = UINT64_MAX};
        tp_budget budget = {.clock_us = stopwatch_read, .clock_context = &watch};
        tp_report report = {0};
        result = tank_tilt(world, gravity, tank_stick(f));
        if (result == TP_OK) result = tp_frame(world, &budget, &report);
        stopwatch_settle(&watch);
        note_frame(&sum, &watch, &report);
    }
    note_pass(&sum);
    return result;
}

static void print_cost(const char *before, uint64_t cost, const char *after)
{
    printf("%s%lu.%02lu%s", before, (unsigned long)(cost / COST_OF_ONE),
           (unsigned long)(cost % COST_OF_ONE), after);
}

static void print_stage(const char *name, uint64_t us, uint64_t units)
{
    if (units == 0) return;
    uint64_t cost = cost_of(us, units);
    printf("%-10s %8lu.%02lu %15lu\n", name, (unsigned long)(cost / COST_OF_ONE),
           (unsigned long)(cost % COST_OF_ONE), (unsigned long)(units / TANK_FRAMES));
}

static void print_stages(void)
{
    uint64_t all_us = 0, all_units = 0;
    puts("stage      ns per unit units per frame");
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        print_stage(tp_stage_name((tp_stage)stage), least_stage_us[stage],
                    quickest.stage_units[stage]);
        all_us += least_stage_us[stage];
        all_units += quickest.stage_units[stage];
    }
    print_stage("all", all_us, all_units);
}

/* The stage with the highest cost per unit, among those that take at least 1 % of the time. For
   shorter stages the clock is too coarse. */
static uint32_t dearest_stage(void)
{
    uint32_t dearest = 0;
    uint64_t most = 0;
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        uint64_t us = least_stage_us[stage], units = quickest.stage_units[stage];
        if (units == 0 || us < quickest.us / 100u || cost_of(us, units) <= most) continue;
        most = cost_of(us, units);
        dearest = stage;
    }
    return dearest;
}

/* Units that fit into given_us - taken_us. At least 1, because a budget of 0 means no limit. */
static unsigned long what_fits(uint32_t given_us, uint32_t taken_us, uint64_t cost)
{
    uint64_t units =
        given_us > taken_us ? (uint64_t)(given_us - taken_us) * 1000u * COST_OF_ONE / cost : 0;
    if (units > UINT32_MAX) units = UINT32_MAX;
    return units ? (unsigned long)units : 1ul;
}

static void print_seen(uint32_t stage, uint64_t stage_cost)
{
    printf("longest slice  %lu us in the quickest pass: the work alone\n",
           (unsigned long)least_slice_us);
    printf("               %lu us in all passes, interruptions included: the guard\n",
           (unsigned long)longest_slice_us);
    print_cost("slowest frame  ", least_frame_cost, " ns per unit in the quickest pass, ");
    print_cost("", dearest_frame_cost, " in all\n");
    print_cost("slowest stage  ", stage_cost, " ns per unit in its quickest pass: ");
    puts(tp_stage_name((tp_stage)stage));
    printf("largest frame  %lu units\n", (unsigned long)quickest.frame_units);
}

/* A frame may exceed its units by up to one slice, so the time of a slice is subtracted first. A
   budget smaller than a frame may contain units of a single stage; a unit then costs as much as in
   the most expensive stage. */
static void print_units(uint32_t given_us, uint32_t slice_us, uint32_t guard_us,
                        uint64_t stage_cost)
{
    if (stage_cost < dearest_frame_cost) stage_cost = dearest_frame_cost;
    printf("  budget.units        = %-10lusafe: the given time less the guard, at the cost of the "
           "slowest "
           "frame\n",
           what_fits(given_us, guard_us, dearest_frame_cost));
    printf("  budget.units        = %-10lusafe even if below the units of the largest frame: at "
           "the cost of "
           "the slowest stage\n",
           what_fits(given_us, guard_us, stage_cost));
    printf("  expected: budget.units of %lu fit unless something interrupts; an interrupted frame "
           "is late\n",
           what_fits(given_us, slice_us, least_frame_cost));
}

/* A frame stops when the longest slice measured so far would no longer fit. So it can be late by
   one slice that is longer than all earlier ones: the guard covers that slice. Slices are halved
   until they take at most 1/20 of the given time; interruptions keep their length. */
static void print_budget(uint32_t given_us, uint32_t slice_units)
{
    uint32_t units = slice_units, interruption_us = longest_slice_us - least_slice_us,
             stage = dearest_stage();
    uint64_t stage_cost = cost_of(least_stage_us[stage], quickest.stage_units[stage]);
    while (units > 64u && (uint64_t)least_slice_us * units / slice_units > given_us / 20u)
        units /= 2u;
    uint32_t slice_us = (uint32_t)((uint64_t)least_slice_us * units / slice_units) + 1u,
             guard_us = slice_us + interruption_us;
    print_seen(stage, stage_cost);
    printf("for %lu us per frame set%s\n", (unsigned long)given_us,
           units < slice_units ? ", and calibrate with them once more" : "");
    printf(
        "  def.slice_units     = %-10lua slice of %lu us; with interruptions %lu us: the guard\n",
        (unsigned long)units, (unsigned long)slice_us, (unsigned long)guard_us);
    printf("  budget.microseconds = %-10luthe given time less the guard\n",
           guard_us < given_us ? (unsigned long)(given_us - guard_us) : 1ul);
    print_units(given_us, slice_us, guard_us, stage_cost);
    if (guard_us >= given_us) puts("No budget is safe: the guard is longer than the given time.");
}

int main(int count, char **arguments)
{
    uint32_t given_us = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 4000u;
    uint32_t slice_units = count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 2048u;
    if (given_us == 0) return puts("usage: calibrate [MICROSECONDS [SLICE_UNITS]]"), 2;
    for (uint32_t p = 0; p < PASSES; p++) {
        tp_result result = pass(slice_units);
        if (result != TP_OK) return puts(tp_result_text(result)), 1;
    }
    print_stages();
    print_budget(given_us, slice_units);
    puts("Valid for this machine, compiler, flags and scene. Not valid under an emulator: counted\n"
         "instructions are not cycles. Run it on your own board, with its clock, memory and "
         "interrupts as in "
         "the game.");
    return 0;
}
