/* SPDX-License-Identifier: MIT
   host_tools/commands/run.h - what the files of `tidepool run` share.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_RUN_H
#define TIDEPOOL_RUN_H
#include "../common/loop.h"

/* What a run leaves in its folder. Files are made in a hidden folder beside their place and moved at the end, so that
   an error leaves none behind and overwrites none. */
typedef struct run_output {
    const char *folder;
    char *hidden;
    bool made_folder;
    uint32_t gif_every; /* simulated frames a picture of the animation */
    uint32_t frames_exported;
    bool quiet;
} run_output;

/* One JSON object with the fields of the command-line contract. */
void run_print_json(FILE *stream, const stage *staged, const loop *frames);
/* Ten lines for people. */
void run_print_report(FILE *stream, const stage *staged, const loop *frames);

/* All files of the run from its cache. HOST_DONE or an error already printed, with nothing left behind. */
int run_write(run_output *output, const stage *staged, const loop *frames, bool wants_csv);

/* One of them each, into output->hidden; the sequence for Blender goes in place by itself and comes last. */
int run_draw_sheet(const run_output *output, const stage *staged);
int run_draw_animation(const run_output *output, const stage *staged);
int run_draw_chart(const run_output *output, const stage *staged, const loop *frames);
int run_write_csv(const run_output *output, const stage *staged);
int run_write_bphys(run_output *output, const stage *staged);

#endif
