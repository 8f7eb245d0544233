/* SPDX-License-Identifier: MIT
   host_tools/commands/run.h - what the files of `tidepool run` share.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_RUN_H
#define TIDEPOOL_RUN_H
#include "../common/loop.h"
#include "../formats/formats.h"

/* First frame in which each id is there, and the first in which it is no more, as pairs. */
typedef struct run_lives {
    float *frames;
    uint32_t count, room;
} run_lives;

/* What a run leaves in its folder. Files are made in a hidden folder beside their place and moved at the end, so that
   an error leaves none behind and overwrites none. */
typedef struct run_output {
    const char *folder, *name; /* base name of every file */
    char *hidden;
    bool made_folder;
    uint32_t placed;        /* a bit for each file that is in place while an older one still waits */
    bphys_writer *sequence; /* written, but not in place */
    run_lives lives;
    uint32_t frames_exported;
    bool quiet;
} run_output;

/* One JSON object with the fields of the command-line contract. */
void run_print_json(FILE *stream, const stage *staged, const loop *frames);
/* Ten lines for people. */
void run_print_report(FILE *stream, const stage *staged, const loop *frames);

/* All files of the run from its cache. HOST_DONE or an error already printed, with nothing left behind. */
int run_write(run_output *output, const stage *staged, const loop *frames, bool wants_csv);

/* What can be known before the simulation: HOST_IO with the error printed when a file cannot go to its place. */
int run_check_targets(const run_output *output);
int run_make_folders(run_output *output);
/* Everything out of output->hidden into the folder; after an error what was there before is back. */
int run_place_files(run_output *output);
/* The same from outside, while the replaced files still wait: until run_remove_folders. */
void run_restore_files(run_output *output);
/* With is_kept the folder of the run stays; else it goes too, if it was made here. */
void run_remove_folders(run_output *output, bool is_kept);

/* One of them each, into output->hidden; the sequence for Blender waits in output->sequence. */
int run_draw_sheet(const run_output *output, const stage *staged);
int run_draw_animation(const run_output *output, const stage *staged);
int run_draw_chart(const run_output *output, const stage *staged, const loop *frames);
int run_write_csv(const run_output *output, const stage *staged);
int run_write_clip(const run_output *output, const stage *staged);
int run_write_bphys(run_output *output, const stage *staged);

#endif
