/* SPDX-License-Identifier: MIT
   host_tools/formats/interpolate.c - frames that are not stored, interpolated between the two
           around them.
   reads   two host_frame, birth and death    writes  host_frame
   memory  none                               cost    O(points), one search per point where indices
           differ
   after   cubic Hermite and spherical linear interpolation as in Blender's point caches, equal to
           its 32-bit results within 1e-6; linear without velocities (Blender's tangents then depend
           on the frame that it showed before) */
#include "bphys.h"
#include <math.h>
#include <string.h>

/* The interpolated streams of a point. */
typedef struct point_state {
    float location[3], velocity[3], rotation[4];
} point_state;

/* Times of the two keys and of the wanted point between them, in frames. Double, because in 32 bits
   high frame numbers leave no digits for a fraction. */
typedef struct key_span {
    double first, second, at;
} key_span;

/* Computed in double: where a birth or death is close to a key, the velocity is a small difference
   of large terms. */
static void hermite(point_state *state, const point_state *end, double t, double unit)
{
    for (int k = 0; k < 3; k++) {
        double x1 = (double)state->location[k], x2 = (double)end->location[k];
        double v1 = unit * (double)state->velocity[k], v2 = unit * (double)end->velocity[k];
        double a = v1 + v2 + 2 * (x1 - x2);
        double b = -2 * v1 - v2 - 3 * (x1 - x2);
        state->location[k] = (float)(a * t * t * t + b * t * t + v1 * t + x1);
        state->velocity[k] = (float)((3 * a * t * t + 2 * b * t + v1) / unit);
    }
}

static void linear(point_state *state, const point_state *end, float t)
{
    for (int k = 0; k < 3; k++) state->location[k] += t * (end->location[k] - state->location[k]);
}

/* Spherical linear interpolation along the shorter arc; the result is not normalised. A zero
   quaternion means "no data" and stays. */
static void slerp(float first[4], const float second[4], float t)
{
    float dot = 0, norm = 0, sign = 1, w1 = 1 - t, w2 = t;
    for (int k = 0; k < 4; k++) {
        dot += first[k] * second[k];
        norm += second[k] * second[k];
    }
    if (norm == 0 || !(first[0] != 0 || first[1] != 0 || first[2] != 0 || first[3] != 0)) return;
    if (dot < 0) dot = -dot, sign = -1;
    if (dot < 1.0f - 1e-4f) {
        float angle = acosf(dot), sine = sinf(angle);
        w1 = sinf((1 - t) * angle) / sine;
        w2 = sinf(t * angle) / sine;
    }
    for (int k = 0; k < 4; k++) first[k] = w1 * sign * first[k] + w2 * second[k];
}

static void load_state(point_state *state, const host_frame *frame, uint32_t i)
{
    memset(state, 0, sizeof *state);
    if (frame->data[POINT_LOCATION])
        memcpy(state->location, (const float *)frame->data[POINT_LOCATION] + (size_t)i * 3, 12);
    if (frame->data[POINT_VELOCITY])
        memcpy(state->velocity, (const float *)frame->data[POINT_VELOCITY] + (size_t)i * 3, 12);
    if (frame->data[POINT_ROTATION])
        memcpy(state->rotation, (const float *)frame->data[POINT_ROTATION] + (size_t)i * 4, 16);
}

static void store_state(const point_state *state, host_frame *frame, uint32_t i)
{
    if (frame->data[POINT_LOCATION])
        memcpy((float *)frame->data[POINT_LOCATION] + (size_t)i * 3, state->location, 12);
    if (frame->data[POINT_VELOCITY])
        memcpy((float *)frame->data[POINT_VELOCITY] + (size_t)i * 3, state->velocity, 12);
    if (frame->data[POINT_ROTATION])
        memcpy((float *)frame->data[POINT_ROTATION] + (size_t)i * 4, state->rotation, 16);
}

/* A particle does not move after its death, and its birth position is valid from its birth on.
   False: the values of the first key are kept. */
static bool clamp_to_life(key_span *span, const float times[3])
{
    double birth = (double)times[0], death = (double)times[1];
    if (span->at > death) span->at = death;
    if (span->first > death) span->first = death;
    if (span->second > death) span->second = death;
    if (span->first == span->second) return false;
    if (span->at > birth && span->first < birth) span->first = birth;
    return span->second > span->first;
}

static void interpolate_point(point_state *state, const point_state *end, const key_span *span,
                              uint32_t type, bool has_velocities)
{
    double frames = span->second - span->first, t = (span->at - span->first) / frames;
    double unit = type == POINT_PARTICLES ? frames * BPHYS_SECONDS_A_FRAME : frames;
    slerp(state->rotation, end->rotation, (float)t);
    if (type == POINT_RIGIDBODY || !has_velocities)
        linear(state, end, (float)t);
    else
        hermite(state, end, t, unit);
}

void host_interpolate(const host_sequence *sequence, host_frame *frame, const host_frame *after,
                      double number)
{
    bool has_velocities = frame->data[POINT_VELOCITY] && after->data[POINT_VELOCITY];
    double before = frame->number;
    frame->number = number;
    for (uint32_t i = 0; i < frame->count; i++) { /* points missing from `after` do not change */
        float times[3];
        point_state state, end;
        uint32_t there;
        key_span span = {before, after->number, number};
        if (!host_frame_find(after, ((const uint32_t *)frame->data[POINT_INDEX])[i], &there))
            continue;
        bool has_times =
            sequence->type == POINT_PARTICLES && host_sequence_times(sequence, frame, i, times);
        if (has_times && !clamp_to_life(&span, times)) continue;
        load_state(&state, frame, i);
        load_state(&end, after, there);
        interpolate_point(&state, &end, &span, sequence->type, has_velocities);
        store_state(&state, frame, i);
    }
}
