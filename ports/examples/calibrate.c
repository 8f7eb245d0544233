/* SPDX-License-Identifier: MIT
   ports/examples/calibrate.c - what a unit costs on this machine, and which budget to set for so many microseconds.
   reads   the platform's clock; `calibrate MICROSECONDS SLICE_UNITS`      writes  standard output, without floats
   memory  a static block and some hundred bytes      cost  PASSES times the scene
   after   own design; linked with tidepool.c and a platform. Put your scene in the place of tank.h, at its worst */
#include "platform.h"
#include "stopwatch.h"
#include "tank.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef PASSES
#define PASSES 5u /* of the same bits: what differs between them is what interrupts */
#endif
#ifndef WORLD_BYTES
#define WORLD_BYTES 59520u /* tp_world_memory of the scene, rounded up; TANK_BYTES is only a bound of it */
#endif
#define COST_OF_ONE 100u /* costs of a unit are in hundredths of a nanosecond */

static _Alignas(16) unsigned char block[WORLD_BYTES];

/* Of one pass. */
typedef struct totals {
    uint64_t us, stage_us[TP_WORLD_STAGES], stage_units[TP_WORLD_STAGES];
    uint64_t frame_units; /* of the largest frame */
    uint64_t frame_cost;  /* of a unit, in the dearest frame */
    uint32_t slice_us;    /* the longest */
} totals;

static totals quickest; /* the pass that took the least time */
/* Of all passes: the least of each is the work's own, the most has what interrupted it. */
static uint64_t least_stage_us[TP_WORLD_STAGES];
static uint32_t least_slice_us = UINT32_MAX, longest_slice_us;
static uint64_t least_frame_cost = UINT64_MAX, dearest_frame_cost;

/* Rounded up, and never 0. */
static uint64_t cost_of(uint64_t us, uint64_t units) { return us * 1000u * COST_OF_ONE / units + 1u; }

/* The clock cuts off up to one microsecond. */
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
    printf("%s%lu.%02lu%s", before, (unsigned long)(cost / COST_OF_ONE), (unsigned long)(cost % COST_OF_ONE),
           after);
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
    puts("stage        ns a unit   units a frame");
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        print_stage(tp_stage_name((tp_stage)stage), least_stage_us[stage], quickest.stage_units[stage]);
        all_us += least_stage_us[stage];
        all_units += quickest.stage_units[stage];
    }
    print_stage("all", all_us, all_units);
}

/* Of those that take a hundredth of the time or more: what takes less, the clock is too coarse for. */
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

/* At least 1, because a budget of 0 is none. */
static unsigned long what_fits(uint32_t given_us, uint32_t taken_us, uint64_t cost)
{
    uint64_t units = given_us > taken_us ? (uint64_t)(given_us - taken_us) * 1000u * COST_OF_ONE / cost : 0;
    if (units > UINT32_MAX) units = UINT32_MAX;
    return units ? (unsigned long)units : 1ul;
}

static void print_seen(uint32_t stage, uint64_t stage_cost)
{
    printf("longest slice  %lu us in the quietest pass: what the work itself takes\n",
           (unsigned long)least_slice_us);
    printf("               %lu us in all passes, with what interrupted it: the guard\n",
           (unsigned long)longest_slice_us);
    print_cost("dearest frame  ", least_frame_cost, " ns a unit in the quietest pass, ");
    print_cost("", dearest_frame_cost, " in all\n");
    print_cost("dearest stage  ", stage_cost, " ns a unit in its quickest pass: ");
    puts(tp_stage_name((tp_stage)stage));
    printf("largest frame  %lu units\n", (unsigned long)quickest.frame_units);
}

/* A frame goes beyond its units by up to a slice, so a slice's time is taken off first. A budget that ends inside frames
   can hold the work of one stage alone, and then its units cost what that stage's do. */
static void print_units(uint32_t given_us, uint32_t slice_us, uint32_t guard_us, uint64_t stage_cost)
{
    if (stage_cost < dearest_frame_cost) stage_cost = dearest_frame_cost;
    printf("  budget.units        = %-10lusafe: what is given less the guard, at the dearest frame's cost in "
           "all passes\n",
           what_fits(given_us, guard_us, dearest_frame_cost));
    printf("  budget.units        = %-10lusafe also where it is less than the largest frame: at the dearest "
           "stage's cost\n",
           what_fits(given_us, guard_us, stage_cost));
    printf("  expected: budget.units of %lu fit while nothing interrupts, and an interrupted frame is late\n",
           what_fits(given_us, slice_us, least_frame_cost));
}

/* A frame ends when one more slice of the longest length seen does not fit any more. So it can be late by a slice that is
   longer than all before: that is the guard. Of slices that take over a twentieth of the time, shorter ones are better;
   what interrupts them stays as long. */
static void print_budget(uint32_t given_us, uint32_t slice_units)
{
    uint32_t units = slice_units, interruption_us = longest_slice_us - least_slice_us,
             stage = dearest_stage();
    uint64_t stage_cost = cost_of(least_stage_us[stage], quickest.stage_units[stage]);
    while (units > 64u && (uint64_t)least_slice_us * units / slice_units > given_us / 20u) units /= 2u;
    uint32_t slice_us = (uint32_t)((uint64_t)least_slice_us * units / slice_units) + 1u,
             guard_us = slice_us + interruption_us;
    print_seen(stage, stage_cost);
    printf("for %lu us a frame set%s\n", (unsigned long)given_us,
           units < slice_units ? ", and calibrate with them once more" : "");
    printf("  def.slice_units     = %-10lua slice of %lu us, and with what interrupts it %lu us: the guard\n",
           (unsigned long)units, (unsigned long)slice_us, (unsigned long)guard_us);
    printf("  budget.microseconds = %-10luwhat is given, less the guard\n",
           guard_us < given_us ? (unsigned long)(given_us - guard_us) : 1ul);
    print_units(given_us, slice_us, guard_us, stage_cost);
    if (guard_us >= given_us) puts("No budget is safe: the guard is longer than what is given.");
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
    puts("This holds for this machine, compiler, flags and scene. Under an emulator it tells of the "
         "emulator: counted\n"
         "instructions are not cycles. Run it on your own board, with its clock, memory and interrupts as in "
         "the game.");
    return 0;
}
