/* SPDX-License-Identifier: MIT
   ports/examples/frame_loop.c - a game's loop in C: every frame has input, simulation within a
           budget, and drawing.
   reads   the platform's clock; `frame_loop UNITS` sets the budget      writes  standard output
   memory  one static block      cost  at most 4 ms and UNITS per frame, plus less than one slice
   after   own design; linked with tidepool.c and a platform */
#include "platform.h"
#include "tank.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAME_US 4000u /* of the 16 667 us of a frame at 60 Hz */

static _Alignas(16) unsigned char block[TANK_BYTES];

/* One frame of the game. It completes one simulated frame per call of tp_frame, so each simulated
   frame gets its own input, also while the loop catches up. Work that exceeds the budget is carried
   over to later calls. */
static tp_result simulate(tp_world *world, tp_field gravity, tp_budget budget, tp_report *report)
{
    tp_result result;
    budget.frames_max = 1;
    do {
        result = tank_tilt(world, gravity, tank_stick(report->frames));
        if (result == TP_OK) result = tp_frame(world, &budget, report);
        if (result != TP_MORE || report->microseconds >= FRAME_US) break;
        budget.is_same_frame = true;
        budget.microseconds = FRAME_US - report->microseconds;
    } while (report->frames_completed > 0 && report->frames < TANK_FRAMES);
    return result;
}

int main(int count, char **arguments)
{
    tp_world_def def = tank_definition();
    tp_world *world;
    tp_field gravity;
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = tank_fill(world, &gravity);
    if (result != TP_OK) return puts(tp_result_text(result)), 1;

    tp_budget budget = {.units = 100000, .microseconds = FRAME_US, .clock_us = platform_clock_us};
    if (count > 1) budget.units = (uint32_t)strtoul(arguments[1], NULL, 10);
    tp_report report = tp_world_report(world);
    uint32_t longest_us = 0;
    while (report.frames < TANK_FRAMES) {
        result = simulate(world, gravity, budget, &report);
        if (result < TP_OK) return puts(tp_result_text(result)), 1;
        if (report.microseconds > longest_us) longest_us = report.microseconds;
        /* Here the game draws tp_world_view(world), the last complete step, and waits for the
           display. */
    }
    printf("%" PRIu64 " frames simulated in %" PRIu64 " of the game, the longest of %" PRIu32
           " us\n",
           report.frames, report.game_frames, longest_us);
    printf("hash %016" PRIx64 "\n", tp_world_hash(world));
    return 0;
}
