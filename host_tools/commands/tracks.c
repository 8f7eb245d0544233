/* SPDX-License-Identifier: MIT
   host_tools/commands/tracks.c - positions of points over frames, from scenes, sequences and
           simulated bouncing balls.
   reads   scenes, sequences of any format      writes  -
   memory  see tracks.h      cost    the simulation, or the bytes read
   after   own design */
#include "tracks.h"
#include "../common/loop.h"
#include "../formats/formats.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW_POINTS 32u

/* ---- a log: ids and positions of each frame */

typedef struct log_frame {
    uint32_t count;
    uint32_t *ids;
    float *places; /* [count][3] */
} log_frame;

typedef struct track_log {
    uint32_t frames;
    log_frame frame[TRACKS_FRAMES_MAX];
} track_log;

static void free_log(track_log *log)
{
    for (uint32_t f = 0; f < log->frames; f++) {
        free(log->frame[f].ids);
        free(log->frame[f].places);
    }
    free(log);
}

/* Appends a frame; NULL: not enough memory. */
static log_frame *begin_frame(track_log *log, uint32_t count)
{
    log_frame *frame = &log->frame[log->frames++];
    *frame = (log_frame){count, host_allocate(count, sizeof *frame->ids),
                         host_allocate(count, 3 * sizeof *frame->places)};
    return frame->ids && frame->places ? frame : NULL;
}

/* Counts for each id the frames from `first` on that contain it; NULL: not enough memory. */
static uint32_t *count_ids(const track_log *log, uint32_t first, uint32_t ids)
{
    uint32_t *seen = host_allocate(ids, sizeof *seen);
    for (uint32_t f = first; seen && f < log->frames; f++)
        for (uint32_t i = 0; i < log->frame[f].count; i++) seen[log->frame[f].ids[i]]++;
    return seen;
}

/* Numbers the ids that are in all frames from `first` on as 1, 2, ... in `seen`; all other ids get
   0. */
static uint32_t number_lasting(const track_log *log, uint32_t first, uint32_t ids, uint32_t points,
                               uint32_t *seen)
{
    uint32_t count = 0;
    for (uint32_t id = 0; id < ids; id++) {
        bool is_lasting = seen[id] == log->frames - first && (!points || count < points);
        seen[id] = is_lasting ? ++count : 0;
    }
    return count;
}

static void take_places(const track_log *log, uint32_t first, const uint32_t *numbers,
                        host_tracks *tracks)
{
    for (uint32_t f = first; f < log->frames; f++) {
        const log_frame *frame = &log->frame[f];
        float *row = tracks->places + 3 * (size_t)tracks->points * (f - first);
        for (uint32_t i = 0; i < frame->count; i++)
            if (numbers[frame->ids[i]])
                memcpy(row + 3 * (size_t)(numbers[frame->ids[i]] - 1u),
                       frame->places + 3 * (size_t)i, 3 * sizeof *row);
    }
}

static void measure_box(host_tracks *tracks)
{
    size_t count = (size_t)tracks->points * tracks->frames;
    for (uint32_t k = 0; k < 3; k++) tracks->low[k] = INFINITY, tracks->high[k] = -INFINITY;
    for (size_t i = 0; i < 3 * count; i++) {
        tracks->low[i % 3] = fmin(tracks->low[i % 3], (double)tracks->places[i]);
        tracks->high[i % 3] = fmax(tracks->high[i % 3], (double)tracks->places[i]);
    }
}

/* A set without points if none lasts. */
static int tracks_of_log(host_tracks *tracks, const track_log *log, const char *name,
                         uint32_t points)
{
    uint32_t ids = 0, first = 0, *numbers = NULL;
    *tracks = (host_tracks){.name = host_text("%s", name)};
    for (uint32_t f = 0; f < log->frames; f++)
        for (uint32_t i = 0; i < log->frame[f].count; i++)
            if (log->frame[f].ids[i] >= ids) ids = log->frame[f].ids[i] + 1u;
    for (uint32_t turn = 0; turn < 2u && tracks->points < FEW_POINTS; turn++) {
        free(numbers);
        first = turn ? log->frames / 2u : 0u;
        numbers = count_ids(log, first, ids);
        tracks->points = numbers ? number_lasting(log, first, ids, points, numbers) : 0;
    }
    tracks->frames = log->frames - first;
    if (numbers && tracks->points)
        tracks->places =
            host_allocate((size_t)tracks->points * tracks->frames, 3 * sizeof *tracks->places);
    if (tracks->places) take_places(log, first, numbers, tracks);
    if (tracks->places) measure_box(tracks);
    free(numbers);
    if (tracks->places && tracks->name && tracks->frames > 2u) return HOST_DONE;
    bool is_short = tracks->frames < 3u || !tracks->points;
    host_tracks_free(tracks);
    return is_short ? HOST_DONE : host_out_of_memory("tracks");
}

void host_tracks_free(host_tracks *tracks)
{
    free(tracks->name);
    free(tracks->places);
    memset(tracks, 0, sizeof *tracks);
}

/* ---- scenes */

static bool log_view(track_log *log, const tp_world *world)
{
    tp_view view = tp_world_view(world);
    log_frame *frame = begin_frame(log, view.count);
    for (uint32_t i = 0; frame && i < view.count; i++) {
        frame->ids[i] = view.id[i];
        frame->places[3 * (size_t)i] = view.x[i];
        frame->places[3 * (size_t)i + 1] = view.y[i];
        frame->places[3 * (size_t)i + 2] = view.z ? view.z[i] : 0.0f;
    }
    return frame != NULL;
}

/* Gravity swings from side to side with a period of 2.6 s, by at most 20 degrees. */
static int swing_gravity(const stage *staged, uint32_t frame)
{
    double seconds = frame * scene_frame_seconds(&staged->scene);
    for (size_t k = 0; k < staged->scene.field_count; k++) {
        const scene_field *field = &staged->scene.fields[k];
        tp_field_def def = field->def;
        if (def.kind != TP_FIELD_GRAVITY) continue;
        def.vector.x += 3.5f * (float)sin(2.416 * seconds);
        if (tp_field_set(staged->world, field->handle, &def) < TP_OK)
            return host_error(HOST_BAD_INPUT, staged->scene.path, HOST_NO_OFFSET,
                              "its gravity cannot be made to swing");
    }
    return HOST_DONE;
}

static int simulate(track_log *log, stage *staged, bool swings)
{
    uint32_t frames =
        staged->scene.frames < TRACKS_FRAMES_MAX ? staged->scene.frames : TRACKS_FRAMES_MAX;
    for (uint32_t f = 1; f <= frames; f++) {
        int code = swings ? swing_gravity(staged, f) : HOST_DONE;
        if (code) return code;
        scene_move(&staged->scene, staged->world, f);
        tp_result result = tp_frame(staged->world, NULL, NULL);
        if (result < TP_OK)
            return host_error(HOST_BAD_INPUT, staged->scene.path, HOST_NO_OFFSET, "%s",
                              tp_result_text(result));
        if (!log_view(log, staged->world)) return host_out_of_memory("tracks");
    }
    return HOST_DONE;
}

static int tracks_of_scene(host_tracks *tracks, const char *from, const char *name, bool swings,
                           uint32_t points)
{
    stage staged;
    track_log *log = host_allocate(1, sizeof *log);
    if (!log) return host_out_of_memory("tracks");
    int code = stage_load(&staged, "bench", from, NULL, NULL);
    if (!code) {
        if (swings) staged.scene.frames = TRACKS_FRAMES_MAX;
        code = stage_open(&staged, 0);
        if (!code) code = simulate(log, &staged, swings);
        if (!code) code = tracks_of_log(tracks, log, name, points);
        stage_close(&staged);
    }
    free_log(log);
    return code;
}

int host_tracks_of_scene(host_tracks *tracks, const char *from, uint32_t points)
{
    return tracks_of_scene(tracks, from, from, false, points);
}

int host_tracks_of_sloshing(host_tracks *tracks, const char *from, uint32_t points)
{
    return tracks_of_scene(tracks, from, "sloshing", true, points);
}

/* ---- sequences */

static int log_file(track_log *log, host_sequence *sequence, size_t position)
{
    host_frame points;
    int code = host_sequence_load(sequence, position, &points);
    if (code) return code;
    log_frame *frame = points.data[POINT_LOCATION] ? begin_frame(log, points.count) : NULL;
    if (frame) {
        memcpy(frame->ids, points.data[POINT_INDEX], points.count * sizeof *frame->ids);
        memcpy(frame->places, points.data[POINT_LOCATION],
               points.count * 3 * sizeof *frame->places);
    } else {
        code = points.data[POINT_LOCATION]
                   ? host_out_of_memory("tracks")
                   : host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                                "its points have no location");
    }
    host_frame_free(&points);
    return code;
}

int host_tracks_of_path(host_tracks *tracks, const char *path, uint32_t points)
{
    host_sequence sequence;
    track_log *log = host_allocate(1, sizeof *log);
    if (!log) return host_out_of_memory("tracks");
    int code = host_sequence_open(&sequence, path, NULL);
    if (!code) {
        code = host_sequence_need(&sequence, &host_needs_location, "bench cache");
        for (size_t f = 0; f < sequence.frame_count && f < TRACKS_FRAMES_MAX && !code; f++)
            code = log_file(log, &sequence, f);
        if (!code) code = tracks_of_log(tracks, log, path, points);
        if (!code && !tracks->points)
            code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                              "no points in three frames in a row");
        host_sequence_close(&sequence);
    }
    free_log(log);
    return code;
}

/* ---- balls */

static double next_random(uint32_t *state)
{
    *state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (double)*state / 4294967296.0;
}

typedef struct ball {
    double place[3], velocity[3], bounce, drag;
} ball;

static ball throw_ball(uint32_t *state)
{
    ball thrown = {.bounce = 0.3 + 0.5 * next_random(state), .drag = 0.3 * next_random(state)};
    for (uint32_t k = 0; k < 3; k++) thrown.velocity[k] = 8.0 * (next_random(state) - 0.5);
    for (uint32_t k = 0; k < 3; k++)
        thrown.place[k] = 5.0 * next_random(state) + (k == 1 ? 2.0 : -2.5);
    return thrown;
}

/* One step of 1/1500 s with gravity along y; a slow ball on the floor rolls and stops. */
static void move_ball(ball *moved)
{
    const double step = 1.0 / 1500.0, wall = 4.0;
    double *at = moved->place, *speed = moved->velocity;
    speed[1] -= 9.81 * step;
    for (uint32_t k = 0; k < 3; k++)
        speed[k] -= moved->drag * step * speed[k], at[k] += step * speed[k];
    for (uint32_t k = 0; k < 3; k += 2u)
        if (fabs(at[k]) > wall) at[k] = copysign(wall, at[k]), speed[k] *= -moved->bounce;
    if (at[1] > 0 || speed[1] > 0) return;
    at[1] = 0;
    speed[1] = speed[1] < -0.1 ? -moved->bounce * speed[1] : 0.0;
    double rolls = speed[1] > 0 ? 0.9 : 1.0 - 2.0 * step;
    speed[0] *= rolls, speed[2] *= rolls;
    if (speed[0] * speed[0] + speed[2] * speed[2] < 0.003) speed[0] = speed[2] = 0;
}

int host_tracks_of_bouncing(host_tracks *tracks, uint32_t points, uint32_t seed)
{
    uint32_t state = seed * 2654435761u | 1u;
    *tracks =
        (host_tracks){.name = host_text("bouncing"), .points = points, .frames = TRACKS_FRAMES_MAX};
    tracks->places = host_allocate((size_t)points * tracks->frames, 3 * sizeof *tracks->places);
    if (!tracks->places || !tracks->name) {
        host_tracks_free(tracks);
        return host_out_of_memory("tracks");
    }
    for (uint32_t p = 0; p < points; p++) {
        ball moved = throw_ball(&state);
        for (uint32_t f = 0; f < tracks->frames; f++) {
            float *place = tracks->places + 3 * ((size_t)f * points + p);
            for (uint32_t k = 0; k < 3; k++) place[k] = (float)moved.place[k];
            /* 30 frames per second */
            for (uint32_t step = 0; step < 50u; step++) move_ball(&moved);
        }
    }
    measure_box(tracks);
    return HOST_DONE;
}

/* ---- as tiles */

double host_tracks_side(const host_tracks *tracks)
{
    double side = 0;
    for (uint32_t k = 0; k < 3; k++) side = fmax(side, tracks->high[k] - tracks->low[k]);
    return side;
}

host_tile_samples host_tracks_tile(const host_tracks *tracks, uint32_t point, uint32_t frame,
                                   uint32_t frames_max, uint32_t *words)
{
    uint32_t points = tpi_min_u32(tracks->points - point, TPI_TILE_POINTS),
             frames = tpi_min_u32(tracks->frames - frame, frames_max);
    for (uint32_t f = 0; f < frames; f++) {
        const float *from = tracks->places + 3 * ((size_t)(frame + f) * tracks->points + point);
        for (uint32_t p = 0; p < points; p++)
            for (uint32_t k = 0; k < 3; k++)
                memcpy(&words[(f * 3u + k) * TPI_TILE_POINTS + p], &from[3u * p + k],
                       sizeof *words);
    }
    return (host_tile_samples){points, frames, 3, words, NULL, NULL};
}

bool host_tracks_kind(const host_tracks *tracks, double error, host_tile_kind *kind)
{
    *kind = (host_tile_kind){.is_float = true, .error = error};
    for (uint32_t k = 0; k < 3; k++)
        if (!host_lattice(tracks->low[k], tracks->high[k], error, &kind->lattice[k])) return false;
    return true;
}
