/* SPDX-License-Identifier: MIT
   ports/examples/stopwatch.h - a budget's clock that knows how long each stage of a frame took.
   reads   the machine's own clock, the world's report      writes  the stopwatch
   memory  none beside it      cost  two looks at the clock a slice, O(stages)
   after   own design; it stands still while it is read, so that its own work is not counted */
#ifndef TIDEPOOL_STOPWATCH_H
#define TIDEPOOL_STOPWATCH_H
#include "tidepool.h"
#include <string.h>

typedef struct stopwatch {
    const tp_world *world;
    uint64_t (*clock)(
        void *context); /* monotonic, in any unit, which is that of all below; its context is null */
    uint64_t elapsed, resumed;
    uint64_t slice; /* of the one that ended last; UINT64_MAX: none yet */
    bool is_running;
    uint64_t times[TP_WORLD_STAGES], units[TP_WORLD_STAGES]; /* of the frame */
} stopwatch;

/* Call it when the frame is over. The report has a slice once the next one runs, or then. */
static inline void stopwatch_settle(stopwatch *watch)
{
    tp_report report = tp_world_report(watch->world);
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++)
        if (report.stage_units[stage] != watch->units[stage]) watch->times[stage] += watch->slice;
    memcpy(watch->units, report.stage_units, sizeof watch->units);
}

/* A budget's clock_us, with the stopwatch for its context: the runtime reads it when a frame begins and after each slice. */
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
