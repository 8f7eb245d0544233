/* SPDX-License-Identifier: MIT
   host_tools/commands/run_steps.c - the table of `tidepool run --steps-csv`: a row per step.
   reads   the report after each step      writes  one CSV file
   memory  the stream's buffer             cost    O(1) per step
   after   own design */
#include "run.h"
#include <inttypes.h>

int run_steps_open(run_steps *steps, const scene *source, const char *path)
{
    *steps = (run_steps){.tick = scene_frame_seconds(source) / TP_TICKS_PER_FRAME};
    int code = host_output_open(&steps->output, path);
    if (code) return code;
    /* the stream's buffer is allocated here, not in the frame loop */
    fputs("step,frame,time,timestep,courant,particles\n", steps->output.stream);
    return HOST_DONE;
}

void run_steps_add(void *context, const tp_report *report)
{
    run_steps *steps = (run_steps *)context;
    steps->ticks += report->step_ticks;
    fprintf(steps->output.stream, "%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,%.9g,%" PRIu32 "\n",
            report->steps, report->frames + (report->frames_completed ? 0 : 1),
            (double)steps->ticks * steps->tick, (double)report->timestep, (double)report->courant,
            report->particles);
}
