/* SPDX-License-Identifier: MIT
   ports/examples/stopwatch.h - a clock for budgets that measures how long each stage of a frame
           takes.
   reads   the machine's own clock, the world's report      writes  the stopwatch
   memory  none of its own      cost  per slice two reads of the clock and O(stages)
   after   own design; it is paused while it is read, so that its own work is not counted */
#ifndef TIDEPOOL_STOPWATCH_H
#define TIDEPOOL_STOPWATCH_H
#include "tidepool.h"
#include <string.h>

typedef struct stopwatch {
    const tp_world *world;
    /* monotonic; its unit is the unit of all times below; called with a null context */
    uint64_t (*clock)(void *context);
    uint64_t elapsed, resumed;
    uint64_t slice; /* time of the last slice; UINT64_MAX: none yet */
    bool is_running;
    uint64_t times[TP_WORLD_STAGES], units[TP_WORLD_STAGES]; /* of this frame */
} stopwatch;

/* Charges the last slice to its stage. Call it when the frame is over; the report contains
   a slice only when the next slice runs or the frame is over. */
static inline void stopwatch_settle(stopwatch *watch)
{
    tp_report report = tp_world_report(watch->world);
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++)
        if (report.stage_units[stage] != watch->units[stage]) watch->times[stage] += watch->slice;
    memcpy(watch->units, report.stage_units, sizeof watch->units);
}

/* For tp_budget.clock_us, with the stopwatch as context: the runtime reads it at the start of a
   frame and after each slice. */
static inline uint64_t stopwatch_read(void *context)
{
    stopwatch *watch = (stopwatch *)context;
    uint64_t now = watch->clock(NULL);
    if (watch->is_running) {
        if (watch->slice != UINT64_MAX) stopwatch_settle(watch);
        watch->slice = now - watch->resumed;
        watch->elapsed += watch->slice;
    }
    watch->is_running = true;
    watch->resumed = watch->clock(NULL);
    return watch->elapsed;
}

#endif
