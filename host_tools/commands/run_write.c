/* SPDX-License-Identifier: MIT
   host_tools/commands/run_write.c - writes the files of a run: a Blender cache, a table, the
           report; all or none.
   reads   the cache of a run      writes  NAME_FFFFFF_00.bphys, NAME.csv, NAME.json, and what
           run_draw.c draws
   memory  one frame at a time     cost    O(particles) per frame
   after   own design */
#include "run.h"
#include "../common/text.h"
#include <stdlib.h>
#include <string.h>

/* ---- the sequence for Blender */

static bool note_lives(run_lives *target, const playback *source, uint64_t frame, uint64_t last)
{
    for (uint32_t i = 0; i < source->count; i++) {
        uint32_t id = source->ids[i];
        if (id >= target->room) {
            uint32_t room = id + id / 2 + 1024;
            float *larger = realloc(target->frames, (size_t)room * 2 * sizeof *larger);
            if (!larger) return false;
            memset(larger + (size_t)target->room * 2, 0,
                   (size_t)(room - target->room) * 2 * sizeof *larger);
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

/* Of a cloth, whose nodes are all there. On an error the frame is freed. */
static int take_targets(host_frame *points, const playback *frames, const scene *source,
                        const bphys_writer_options *units)
{
    const uint32_t nodes = scene_sheet_nodes(source),
                   count = frames->count < nodes ? frames->count : nodes;
    float *targets = host_allocate(frames->count, 3 * sizeof *targets);
    if (!targets) {
        host_frame_free(points);
        return host_out_of_memory("the targets of a frame");
    }
    scene_sheet_targets(source, 0, count, frames->positions, targets);
    int code = bphys_points_targets(points, units, targets);
    free(targets);
    return code;
}

int run_points(host_frame *points, playback *frames, const scene *source,
               const bphys_writer_options *units, uint64_t frame)
{
    const uint32_t count = playback_load_springs(frames, frame) ? frames->spring_count : 0;
    int code = bphys_points(points, units, (int32_t)frame, frames->count, frames->ids,
                            frames->positions, frames->velocities);
    if (!code && units->is_mesh) code = take_targets(points, frames, source, units);
    return code ? code : bphys_points_springs(points, frames->springs, count);
}

/* A frame of the cache, as points. */
static int write_frame(run_output *output, playback *frames, const scene *source,
                       const bphys_writer_options *units, uint64_t frame)
{
    host_frame points;
    int code = run_points(&points, frames, source, units, frame);
    if (code) return code;
    code = bphys_writer_points(output->sequence, &points);
    host_frame_free(&points);
    return code;
}

/* Writes all frames of the cache in order. */
static int write_frames(run_output *output, playback *frames, const stage *staged,
                        const bphys_writer_options *units)
{
    tp_cache_counters counters = tp_cache_report(staged->shown);
    for (uint32_t i = 0; i < counters.frames; i++) {
        tp_cache_frame at;
        if (tp_cache_frame_at(staged->shown, i, &at) != TP_OK || !at.is_valid || at.frame == 0)
            continue;
        if (!playback_load(frames, at.frame)) continue;
        if (!note_lives(&output->lives, frames, at.frame, counters.frame_last))
            return host_out_of_memory("the lives of particles");
        int code = write_frame(output, frames, &staged->scene, units, at.frame);
        if (code) return code;
        output->frames_exported++;
    }
    return HOST_DONE;
}

int run_write_bphys(run_output *output, const stage *staged)
{
    playback frames;
    bphys_writer_options options = {output->folder, output->name,
                                    1 / scene_frame_seconds(&staged->scene), true,
                                    scene_is_cloth(&staged->scene)};
    int code = playback_open(&frames, staged->shown);
    if (code) return code;
    frames.spring_cache = staged->whole;
    output->sequence = bphys_writer_open(&options, &code);
    if (!code) code = write_frames(output, &frames, staged, &options);
    playback_close(&frames);
    return code;
}

/* ---- the table and the report */

int run_write_csv(const run_output *output, const stage *staged)
{
    playback frames;
    host_output file;
    tp_cache_counters counters = tp_cache_report(staged->shown);
    char *path = host_text("%s/%s.csv", output->hidden, output->name);
    int code = path ? playback_open(&frames, staged->shown) : host_out_of_memory("a path");
    if (!code) {
        code = host_output_open(&file, path);
        if (!code) fputs("frame,index,x,y,z,vx,vy,vz\n", file.stream);
        for (uint32_t i = 0; !code && i < counters.frames; i++) {
            tp_cache_frame at;
            if (tp_cache_frame_at(staged->shown, i, &at) != TP_OK ||
                !playback_load(&frames, at.frame))
                continue;
            code = host_guard_check(path);
            for (uint32_t p = 0; p < frames.count; p++) {
                const float *x = frames.positions + 3 * (size_t)p,
                            *v = frames.velocities + 3 * (size_t)p;
                fprintf(file.stream, "%llu,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                        (unsigned long long)at.frame, frames.ids[p], (double)x[0], (double)x[1],
                        (double)x[2], (double)v[0], (double)v[1], (double)v[2]);
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
    char *path = host_text("%s/%s.json", output->hidden, output->name);
    int code = path ? host_output_open(&file, path) : host_out_of_memory("a path");
    if (!code) {
        run_print_json(file.stream, staged, frames);
        code = host_output_close(&file, true);
    }
    free(path);
    return code;
}

/* ---- all of them */

static void print_places(const run_output *output, const stage *staged, bool wants_csv)
{
    const bool is_cloth = scene_is_cloth(&staged->scene);
    const char *name = text_shown(output->name), *folder = text_shown(output->folder);
    if (output->quiet) return;
    printf("%s/%s_FFFFFF_00.bphys: %u frames", folder, name, output->frames_exported);
    if (is_cloth)
        puts(" of a cloth");
    else
        printf("; info file %s_000000_00.bphys\n", name);
    printf("%s/%s.png, %s.gif, %s_budget.svg, %s.json, %s.tpc%s\n", folder, name, name, name, name,
           name, wants_csv ? ", .csv" : "");
    printf("in Blender: add a %s; in its cache tick External, folder %s/, name %s, index 0\n\n",
           is_cloth ? "cloth modifier to the mesh of the sheets"
                    : "particle system with Newtonian physics",
           folder, name);
}

static int write_hidden(run_output *output, const stage *staged, const loop *frames, bool wants_csv)
{
    host_progress progress;
    host_progress_start(&progress, "writing", 6, output->quiet);
    int code = run_draw_sheet(output, staged);
    host_progress_update(&progress, 1);
    if (!code) code = run_draw_animation(output, staged);
    host_progress_update(&progress, 4);
    if (!code) code = run_draw_chart(output, staged, frames);
    if (!code) code = write_report(output, staged, frames);
    if (!code && wants_csv) code = run_write_csv(output, staged);
    if (!code) code = run_write_clip(output, staged);
    host_progress_update(&progress, 5);
    if (!code) code = run_write_bphys(output, staged);
    host_progress_end(&progress);
    return code;
}

/* The sequence is moved last: its own move is all or nothing, and the other files can be restored
   after it fails. */
static int finish(run_output *output, int code)
{
    bool is_placed = !code && (code = run_place_files(output)) == HOST_DONE;
    if (is_placed) {
        code = bphys_writer_close(output->sequence, output->lives.frames, output->lives.count);
        if (code) run_restore_files(output);
    } else if (output->sequence) {
        bphys_writer_abandon(output->sequence);
    }
    run_remove_folders(output, !code);
    free(output->lives.frames);
    return code;
}

int run_write(run_output *output, const stage *staged, const loop *frames, bool wants_csv)
{
    host_guard_begin();
    int code = run_make_folders(output);
    if (!code) code = write_hidden(output, staged, frames, wants_csv);
    code = finish(output, code);
    host_guard_end();
    if (!code) print_places(output, staged, wants_csv);
    return code;
}
