/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_lasting.c - caches whose points are all alive in all files, so that no
           birth and no death needs a search.
   reads   four files of the sequence      writes  the times of host_sequence
   memory  two frames                      cost    O(bytes of four files)
   after   own design; the rules of bphys_lives.c, for points that are in every file */
#include "bphys_private.h"
#include <stdlib.h>
#include <string.h>

bool bphys_is_moving(const float velocity[3])
{
    return velocity[0] != 0 || velocity[1] != 0 || velocity[2] != 0;
}

float bphys_motion_span(const float from[3], const float from_velocity[3], const float to[3],
                        const float to_velocity[3], double frames)
{
    double delta[3], mean_velocity[3], along = 0, square = 0, length = 0, rest = 0;
    for (int k = 0; k < 3; k++) {
        delta[k] = (double)to[k] - (double)from[k];
        mean_velocity[k] =
            ((double)to_velocity[k] + (double)from_velocity[k]) / 2 * BPHYS_SECONDS_A_FRAME;
        along += delta[k] * mean_velocity[k];
        square += mean_velocity[k] * mean_velocity[k];
        length += delta[k] * delta[k];
    }
    if (!(square > 0) || !(length > 0)) return -1;
    double span = along / square;
    for (int k = 0; k < 3; k++)
        rest += (delta[k] - span * mean_velocity[k]) * (delta[k] - span * mean_velocity[k]);
    bool is_good = rest <= 1e-6 * length && span > 0 && span <= frames * 1.001;
    return is_good ? (float)span : -1;
}

/* Loads a file silently. *good: it can be read, and has all points with location and velocity. */
static int load_file(const host_sequence *sequence, size_t position, host_frame *frame, bool *good)
{
    uint8_t *bytes;
    size_t size;
    *good = false;
    memset(frame, 0, sizeof *frame);
    char *path = bphys_frame_path(sequence, sequence->numbers[position]);
    if (!path) return host_out_of_memory("a path");
    int code = host_read_file(path, &bytes, &size);
    free(path);
    if (code) return code;
    code = bphys_read(NULL, bytes, size, frame, NULL);
    free(bytes);
    if (code == HOST_BAD_INPUT) return HOST_DONE;
    if (code) return host_out_of_memory("a frame");
    *good = frame->count == sequence->point_count && frame->data[POINT_LOCATION] &&
            frame->data[POINT_VELOCITY] && !frame->data[POINT_TIMES];
    return HOST_DONE;
}

/* What two successive files show. */
typedef struct file_pair {
    const host_frame *before, *after;
    double frames;
    uint32_t moved; /* points that moved all the time, or in a way that velocities do not tell */
    uint32_t brief; /* points that moved for a part of the time */
    uint32_t other; /* points whose motion does not tell, and those at rest */
    uint32_t held;  /* points that rest, with a velocity in the first file; in the second one */
    uint32_t held_after;
} file_pair;

static void look_at_point(file_pair *pair, size_t i)
{
    const float *from = (const float *)pair->before->data[POINT_LOCATION] + 3 * i,
                *to = (const float *)pair->after->data[POINT_LOCATION] + 3 * i,
                *speed = (const float *)pair->before->data[POINT_VELOCITY] + 3 * i,
                *speed_after = (const float *)pair->after->data[POINT_VELOCITY] + 3 * i;
    if (memcmp(from, to, 3 * sizeof *from) == 0) {
        pair->held += bphys_is_moving(speed);
        pair->held_after += bphys_is_moving(speed_after);
        pair->other++;
        return;
    }
    double span = (double)bphys_motion_span(from, speed, to, speed_after, pair->frames);
    bool is_brief = span >= 0 && !bphys_is_whole(span, pair->frames);
    pair->brief += is_brief;
    pair->moved += !is_brief;
    pair->other += span < 0;
}

static int look_at_files(const host_sequence *sequence, size_t position, file_pair *pair,
                         bool *good)
{
    host_frame before, after;
    memset(&after, 0, sizeof after);
    int code = load_file(sequence, position, &before, good);
    if (!code && *good) code = load_file(sequence, position + 1, &after, good);
    *pair = (file_pair){&before, &after, 0, 0, 0, 0, 0, 0};
    pair->frames = (double)sequence->numbers[position + 1] - (double)sequence->numbers[position];
    for (size_t i = 0; !code && *good && i < sequence->point_count; i++) look_at_point(pair, i);
    host_frame_free(&before);
    host_frame_free(&after);
    return code;
}

/* Half of the points suffice: births are evenly spaced. Points of other programs may have any
   velocities; those that moved at once are alive. */
static bool begins_alive(const file_pair *first, uint32_t count)
{
    return !first->brief && !first->held && first->moved >= count - count / 2u;
}

/* Only points that show as dead, at rest with a velocity, die before the last file. With a step
   above 1, its points may also die one step before. */
static bool ends_alive(const file_pair *last, int32_t step)
{
    return !last->held_after && (step == 1 || (!last->brief && !last->other));
}

static int take_times(host_sequence *sequence)
{
    size_t last = sequence->frame_count - 1;
    sequence->times = host_allocate(sequence->point_count, 3 * sizeof *sequence->times);
    if (!sequence->times) return host_out_of_memory("birth and death");
    for (size_t i = 0; i < sequence->point_count; i++)
        bphys_times_from_presence(sequence->numbers[0], sequence->numbers[last],
                                  sequence->numbers[last], sequence->times + i * 3);
    return HOST_DONE;
}

int bphys_find_lasting(host_sequence *sequence, int32_t step, bool *lasts)
{
    file_pair pair;
    size_t files = sequence->frame_count;
    uint64_t records = (uint64_t)sequence->point_count * files;
    bool is_full = sequence->type == POINT_PARTICLES && !sequence->has_info && files > 4;
    *lasts = false;
    if (!is_full || !records || sequence->record_count != records || step > BPHYS_STEP_MAX)
        return HOST_DONE;
    bool good;
    int code = look_at_files(sequence, 0, &pair, &good);
    if (code || !good || !begins_alive(&pair, sequence->point_count)) return code;
    code = look_at_files(sequence, files - 2u, &pair, &good);
    if (code || !good || !ends_alive(&pair, step)) return code;
    *lasts = true;
    return take_times(sequence);
}
