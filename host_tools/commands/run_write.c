/* SPDX-License-Identifier: MIT
   host_tools/commands/run_write.c - the files that a run leaves: a Blender cache, a table, the report; all or none.
   reads   the cache of a run      writes  NAME_FFFFFF_00.bphys, NAME.csv, NAME.json, and what run_draw.c draws
   memory  one frame at a time     cost    O(particles) a frame
   after   own design */
#include "run.h"
#include "../common/playback.h"
#include "../formats/formats.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {".png", ".gif", "_budget.svg", ".json", ".csv"};

static char *path_of(const char *folder, const char *name, const char *ending)
{
    return host_text("%s/%s%s", folder, name, ending);
}

/* ---- the sequence for Blender */

/* First frame in which each id is there, and the first in which it is no more, as pairs. */
typedef struct lives {
    float *frames;
    uint32_t count, room;
} lives;

static bool note_lives(lives *target, const playback *source, uint64_t frame, uint64_t last)
{
    for (uint32_t i = 0; i < source->count; i++) {
        uint32_t id = source->ids[i];
        if (id >= target->room) {
            uint32_t room = id + id / 2 + 1024;
            float *larger = realloc(target->frames, (size_t)room * 2 * sizeof *larger);
            if (!larger) return false;
            memset(larger + (size_t)target->room * 2, 0, (size_t)(room - target->room) * 2 * sizeof *larger);
            target->frames = larger;
            target->room = room;
        }
        if (id >= target->count) target->count = id + 1;
        float *life = target->frames + 2 * (size_t)id;
        if (life[0] == 0) life[0] = (float)frame; /* frames begin at 1 */
        life[1] = (float)(frame == last ? frame + 1000000 : frame + 1);
    }
    return true;
}

/* Frames of the cache in order; after an error nothing of the sequence is left. */
static int write_frames(bphys_writer *writer, playback *frames, const stage *staged, lives *seen,
                        uint32_t *exported)
{
    tp_cache_counters counters = tp_cache_report(staged->cache);
    for (uint32_t i = 0; i < counters.frames; i++) {
        tp_cache_frame at;
        if (tp_cache_frame_at(staged->cache, i, &at) != TP_OK || !at.is_valid || at.frame == 0) continue;
        if (!playback_load(frames, at.frame)) continue;
        if (!note_lives(seen, frames, at.frame, counters.frame_last))
            return host_no_room("the lives of particles");
        int code = bphys_writer_frame(writer, (int32_t)at.frame, frames->count, frames->ids,
                                      frames->positions, frames->velocities);
        if (code) return code;
        (*exported)++;
    }
    return HOST_DONE;
}

int run_write_bphys(run_output *output, const stage *staged)
{
    playback frames;
    lives seen = {0};
    bphys_writer_options options = {output->folder, staged->scene.name,
                                    1 / scene_frame_seconds(&staged->scene), true};
    int code = playback_open(&frames, staged->cache);
    if (code) return code;
    bphys_writer *writer = bphys_writer_open(&options, &code);
    if (writer) {
        code = write_frames(writer, &frames, staged, &seen, &output->frames_exported);
        if (code)
            bphys_writer_abandon(writer);
        else
            code = bphys_writer_close(writer, seen.frames, seen.count);
    }
    free(seen.frames);
    playback_close(&frames);
    return code;
}

/* ---- the table and the report */

int run_write_csv(const run_output *output, const stage *staged)
{
    playback frames;
    host_output file;
    tp_cache_counters counters = tp_cache_report(staged->cache);
    char *path = path_of(output->hidden, staged->scene.name, ".csv");
    int code = path ? playback_open(&frames, staged->cache) : host_no_room("a path");
    if (!code) {
        code = host_output_open(&file, path);
        if (!code) fputs("frame,index,x,y,z,vx,vy,vz\n", file.stream);
        for (uint32_t i = 0; !code && i < counters.frames; i++) {
            tp_cache_frame at;
            if (tp_cache_frame_at(staged->cache, i, &at) != TP_OK || !playback_load(&frames, at.frame))
                continue;
            for (uint32_t p = 0; p < frames.count; p++) {
                const float *x = frames.positions + 3 * (size_t)p, *v = frames.velocities + 3 * (size_t)p;
                fprintf(file.stream, "%llu,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (unsigned long long)at.frame,
                        frames.ids[p], (double)x[0], (double)x[1], (double)x[2], (double)v[0], (double)v[1],
                        (double)v[2]);
            }
        }
        if (!code) code = host_output_close(&file, true);
        playback_close(&frames);
    }
    free(path);
    return code;
}

static int write_report(const run_output *output, const stage *staged, const loop *frames)
{
    host_output file;
    char *path = path_of(output->hidden, staged->scene.name, ".json");
    int code = path ? host_output_open(&file, path) : host_no_room("a path");
    if (!code) {
        run_print_json(file.stream, staged, frames);
        code = host_output_close(&file, true);
    }
    free(path);
    return code;
}

/* ---- all of them */

static int make_folders(run_output *output, const stage *staged)
{
    output->hidden = host_text("%s/.%s.%ld", output->folder, staged->scene.name, (long)getpid());
    if (!output->hidden) return host_no_room("a path");
    output->made_folder = mkdir(output->folder, 0777) == 0;
    if (!output->made_folder && errno != EEXIST)
        return host_error(HOST_IO, output->folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    if (mkdir(output->hidden, 0777) != 0)
        return host_error(HOST_IO, output->folder, HOST_NO_OFFSET, "cannot write into the folder: %s",
                          strerror(errno));
    return HOST_DONE;
}

/* Moves what is complete into place, or removes it. */
static int finish_files(run_output *output, const stage *staged, int code)
{
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *from = path_of(output->hidden, staged->scene.name, endings[i]);
        char *to = path_of(output->folder, staged->scene.name, endings[i]);
        bool is_there = from && to && access(from, F_OK) == 0;
        if (is_there && !code && rename(from, to) != 0)
            code =
                host_error(HOST_IO, to, HOST_NO_OFFSET, "cannot put the file in place: %s", strerror(errno));
        if (is_there) remove(from);
        free(from);
        free(to);
    }
    rmdir(output->hidden);
    if (code && output->made_folder) rmdir(output->folder);
    return code;
}

static void print_places(const run_output *output, const stage *staged, bool wants_csv)
{
    const char *name = staged->scene.name, *folder = output->folder;
    if (output->quiet) return;
    printf("%s/%s_000001_00.bphys and on: %u frames, with %s_000000_00.bphys\n", folder, name,
           output->frames_exported, name);
    printf("%s/%s.png, %s.gif, %s_budget.svg, %s.json%s\n", folder, name, name, name, name,
           wants_csv ? ", .csv" : "");
    printf("in Blender: a particle system with physics Newtonian; cache: tick External, folder %s/, name %s, "
           "index 0\n\n",
           folder, name);
}

int run_write(run_output *output, const stage *staged, const loop *frames, bool wants_csv)
{
    int code = make_folders(output, staged);
    host_progress progress;
    host_progress_start(&progress, "drawing", 5, output->quiet);
    if (!code) code = run_draw_sheet(output, staged);
    host_progress_update(&progress, 1);
    if (!code) code = run_draw_animation(output, staged);
    host_progress_update(&progress, 4);
    if (!code) code = run_draw_chart(output, staged, frames);
    if (!code) code = write_report(output, staged, frames);
    if (!code && wants_csv) code = run_write_csv(output, staged);
    if (!code) code = run_write_bphys(output, staged);
    host_progress_end(&progress);
    if (output->hidden) code = finish_files(output, staged, code);
    free(output->hidden);
    output->hidden = NULL;
    if (!code) print_places(output, staged, wants_csv);
    return code;
}
