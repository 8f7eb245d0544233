/* SPDX-License-Identifier: MIT
   host_tools/commands/run_clip.c - writes NAME.tpc: all frames of a run, error bound 1/1000 of the
           bounding box.
   reads   the cache of a run      writes  a clip in the hidden folder
   memory  one frame and one group      cost    two passes over the frames: measure, encode
   after   own design; units, axes and order are those of the sequence for Blender */
#include "convert_errors.h"
#include "run.h"
#include <stdlib.h>

#define RUN_CLIP_ERROR 1e-3 /* relative to the largest side of the bounding box */

typedef struct run_clip {
    const stage *staged;
    bphys_writer_options units;
    convert_errors errors;
    host_sink sink;
    bool is_open; /* frames are written, not measured */
} run_clip;

static int take_frame(run_clip *clip, playback *frames, uint64_t number)
{
    host_frame points;
    int code = run_points(&points, frames, &clip->staged->scene, &clip->units, number);
    if (code) return code;
    if (clip->is_open)
        code = host_sink_write(&clip->sink, &points);
    else
        convert_errors_widen(&clip->errors, &points);
    host_frame_free(&points);
    return code;
}

static int take_frames(run_clip *clip, playback *frames)
{
    tp_cache_counters counters = tp_cache_report(clip->staged->shown);
    int code = HOST_DONE;
    for (uint32_t i = 0; !code && i < counters.frames; i++) {
        tp_cache_frame at;
        if (tp_cache_frame_at(clip->staged->shown, i, &at) != TP_OK || !at.is_valid ||
            at.frame == 0)
            continue;
        if (playback_load(frames, at.frame)) code = take_frame(clip, frames, at.frame);
    }
    return code;
}

static int open_clip(run_clip *clip, const char *path)
{
    host_sink_options options = {.type = POINT_PARTICLES,
                                 .name = clip->staged->scene.name,
                                 .streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION) |
                                            POINT_BIT(POINT_VELOCITY)};
    convert_errors_plan(&clip->errors, options.type, options.errors);
    int code = host_sink_open(&clip->sink, path, host_format_named("tpc"), &options);
    clip->is_open = !code;
    return code;
}

int run_write_clip(const run_output *output, const stage *staged)
{
    run_clip clip = {.staged = staged,
                     .units = {.folder = output->hidden,
                               .name = output->name,
                               .fps = 1 / scene_frame_seconds(&staged->scene),
                               .y_up = true},
                     .errors = {.error = RUN_CLIP_ERROR, .is_relative = true}};
    playback frames;
    char *path = host_text("%s/%s.tpc", output->hidden, output->name);
    int code = path ? playback_open(&frames, staged->shown) : host_out_of_memory("a path");
    if (!code) {
        frames.spring_cache = staged->whole;
        code = take_frames(&clip, &frames);
        if (!code) code = open_clip(&clip, path);
        if (!code) code = take_frames(&clip, &frames);
        if (clip.is_open && !code)
            code = host_sink_finish(&clip.sink);
        else if (clip.is_open)
            host_sink_abandon(&clip.sink);
        playback_close(&frames);
    }
    free(path);
    return code;
}
