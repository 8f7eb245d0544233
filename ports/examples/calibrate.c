/* SPDX-License-Identifier: MIT
   ports/examples/calibrate.c - what a unit costs on this machine, and which budget to set for so many microseconds.
   reads   the platform's clock; `calibrate MICROSECONDS SLICE_UNITS`      writes  standard output
   memory  a static block      cost  PASSES times the scene
   after   own design; linked with tidepool.c and a platform. Put your scene in the place of tank.h, at its worst */
#include "platform.h"
#include "stopwatch.h"
#include "tank.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 5u /* the same bits each time: of each frame the quickest counts, which nobody interrupted */

static _Alignas(16) unsigned char block[TANK_BYTES];

/* Of each frame its quickest pass, and the least that its longest slice took in any. */
static struct {
    uint32_t us, slice_us;
    uint64_t units, stage_us[TP_WORLD_STAGES], stage_units[TP_WORLD_STAGES];
} frames[TANK_FRAMES];
static uint32_t interrupted_us; /* longest slice of all passes */

static void note(uint32_t f, const stopwatch *watch, const tp_report *report)
{
    uint32_t slice_us = report->slice_microseconds_longest;
    bool is_first = frames[f].units == 0;
    if (slice_us > interrupted_us) interrupted_us = slice_us;
    if (is_first || slice_us < frames[f].slice_us) frames[f].slice_us = slice_us;
    if (!is_first && report->microseconds >= frames[f].us) return;
    frames[f].us = report->microseconds;
    frames[f].units = report->units;
    memcpy(frames[f].stage_us, watch->times, sizeof watch->times);
    memcpy(frames[f].stage_units, watch->units, sizeof watch->units);
}

static tp_result pass(uint32_t slice_units)
{
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
        note(f, &watch, &report);
    }
    return result;
}

static void print_stage(const char *name, uint64_t us, uint64_t units)
{
    if (units)
        printf("%-10s %11.2f %15" PRIu64 "\n", name, 1e3 * (double)us / (double)units, units / TANK_FRAMES);
}

static void print_stages(void)
{
    uint64_t all_us = 0, all_units = 0;
    puts("stage        ns a unit   units a frame");
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        uint64_t us = 0, units = 0;
        for (uint32_t f = 0; f < TANK_FRAMES; f++) {
            us += frames[f].stage_us[stage];
            units += frames[f].stage_units[stage];
        }
        print_stage(tp_stage_name((tp_stage)stage), us, units);
        all_us += us;
        all_units += units;
    }
    print_stage("all", all_us, all_units);
}

/* A frame ends when one more slice of the longest length seen does not fit any more. So it can be late by a slice that is
   longer than all before: that is the guard. Of slices that take over a twentieth of the time, shorter ones are better. */
static void print_budget(uint32_t given_us, uint32_t slice_units)
{
    uint32_t worst = 1, units = slice_units;
    double dearest = 0; /* us a unit, of a whole frame */
    for (uint32_t f = 0; f < TANK_FRAMES; f++) {
        double cost = (frames[f].us + 1.0) / (double)frames[f].units; /* the clock cuts off up to one */
        if (frames[f].slice_us >= worst) worst = frames[f].slice_us + 1u;
        if (cost > dearest) dearest = cost;
    }
    printf("worst slice %" PRIu32 " us; %" PRIu32 " us with what interrupted it\n", worst, interrupted_us);
    while (units > 64u && (uint64_t)worst * units / slice_units > given_us / 20u) units /= 2u;
    uint32_t guard = (uint32_t)((uint64_t)worst * units / slice_units) + 1u;
    printf("for %" PRIu32 " us a frame set%s\n", given_us,
           units < slice_units ? ", and calibrate with them once more" : "");
    printf("  def.slice_units     = %-8" PRIu32 "a slice of %" PRIu32 " us: the guard\n", units, guard);
    printf("  budget.microseconds = %-8" PRIu32 "what is given, less the guard\n",
           guard < given_us ? given_us - guard : 1u);
    printf("  budget.units        = %-8.0fwhat fits at the dearest frame's %.2f ns a unit\n",
           (double)given_us / dearest, 1e3 * dearest);
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
