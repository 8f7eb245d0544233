/* SPDX-License-Identifier: MIT
   ports/ticks/ticks.c - runs the demo and times each stage with the machine's own timer.
   reads   the port's timer      writes  ticks per frame, one line per stage, and the demo's hash
   memory  the demo's block      cost    the demo's, plus a read of the timer per slice
   after   own design; for machines whose emulator cannot count instructions. The timer is as exact
           as the emulator */
#define port_main demo_main
#include "../demo/demo.c"
#undef port_main
#include "../examples/stopwatch.h"
#include "../screen/screen.h"

/* The timer wraps, so the differences of its values are summed. */
static uint64_t ticks_read(void *context)
{
    static uint64_t sum;
    static uint32_t before;
    uint32_t now = port_screen_clock();
    (void)context;
    sum += now - before;
    before = now;
    return sum;
}

static uint64_t ticks_sums[TP_WORLD_STAGES];

static tp_result ticks_frame(tp_world *world)
{
    stopwatch watch = {.world = world, .clock = ticks_read, .slice = UINT64_MAX};
    tp_budget budget = {.units = DEMO_UNITS, .clock_us = stopwatch_read, .clock_context = &watch};
    tp_report report;
    tp_result result = tp_frame(world, &budget, &report);
    stopwatch_settle(&watch);
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++)
        ticks_sums[stage] += watch.times[stage];
    return result;
}

static void ticks_print(void)
{
    uint64_t all = 0;
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++) {
        port_puts("ticks-");
        port_puts(tp_stage_name((tp_stage)stage));
        port_put_number(" ", ticks_sums[stage] / DEMO_FRAMES);
        port_puts("\n");
        all += ticks_sums[stage];
    }
    port_put_number("ticks-total ", all / DEMO_FRAMES);
    port_puts("\n");
}

int port_main(void)
{
    tp_world *world = demo_create();
    if (!world || demo_fill(world) != TP_OK) return 1;
    for (uint32_t frame = 0; frame < DEMO_FRAMES; frame++)
        if (ticks_frame(world) < TP_OK) return 1;
    ticks_print();
    port_put_number("hash ", tp_world_hash(world));
    port_puts("\n");
    return 0;
}
