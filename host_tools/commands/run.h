/* SPDX-License-Identifier: MIT
   host_tools/commands/run.h - declarations shared by the files of `tidepool run`.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_RUN_H
#define TIDEPOOL_RUN_H
#include "../common/loop.h"
#include "../common/playback.h"
#include "../formats/formats.h"

/* For each id a pair: the first frame that contains it, and the first frame after its last one. */
typedef struct run_lives {
    float *frames;
    uint32_t count, room;
} run_lives;

/* The output files of a run. They are written into a hidden folder inside the output folder and
   moved at the end, so that an error leaves no new file and overwrites no old one. */
typedef struct run_output {
    const char *folder, *name; /* base name of every file */
    char *hidden;
    bool made_folder;
    uint32_t placed;        /* a bit for each new file in place whose replaced file is still kept */
    bphys_writer *sequence; /* written, not moved yet */
    run_lives lives;
    uint32_t frames_exported;
    bool quiet;
} run_output;

/* The table of steps: a row for each, when it is complete. */
typedef struct run_steps {
    host_output output;
    double tick;    /* s */
    uint64_t ticks; /* so far */
} run_steps;
int run_steps_open(run_steps *steps, const scene *source, const char *path);
void run_steps_add(void *context, const tp_report *report);

/* One JSON object with the fields of the command-line contract. */
void run_print_json(FILE *stream, const stage *staged, const loop *frames);
/* The report as text, in ten lines. */
void run_print_report(FILE *stream, const stage *staged, const loop *frames);

/* Writes all files of the run from its cache. HOST_DONE, or an error was printed and no file
   remains. */
int run_write(run_output *output, const stage *staged, const loop *frames, bool wants_csv);

/* Before the simulation: checks that all files can be written. HOST_IO: an error was printed. */
int run_check_targets(const run_output *output);
int run_make_folders(run_output *output);
/* Moves all files from output->hidden into the folder. After an error all older files are
   restored. */
int run_place_files(run_output *output);
/* Undoes run_place_files. Possible until run_remove_folders, which deletes the replaced files. */
void run_restore_files(run_output *output);
/* Removes the hidden folder. Without is_kept also the output folder, if this run created it. */
void run_remove_folders(run_output *output, bool is_kept);

/* Each writes one file into output->hidden; run_write_bphys writes into output->sequence. */
int run_draw_sheet(const run_output *output, const stage *staged);
int run_draw_animation(const run_output *output, const stage *staged);
int run_draw_chart(const run_output *output, const stage *staged, const loop *frames);
int run_write_csv(const run_output *output, const stage *staged);
/* The loaded frame as points for Blender, with the springs of a viscoelastic fluid as extra
   data, or the targets of a cloth. */
int run_points(host_frame *points, playback *frames, const scene *source,
               const bphys_writer_options *units, uint64_t frame);
int run_write_clip(const run_output *output, const stage *staged);
int run_write_bphys(run_output *output, const stage *staged);

#endif
