/* SPDX-License-Identifier: MIT
   host_tools/common/scene_motion.c - poses of moving colliders and emitters at any time.
   reads   motions of a scene      writes  poses, into the world
   memory  none      cost    O(motions); key poses O(log poses)
   after   own design: only + - * / and sqrt, so that a scene gives the same bits with every C
           library */
#include "scene_private.h"
#include <math.h>
#include <stddef.h>

/* Taylor series up to the 15th power on a quarter turn: error 6e-12. */
double scene_sine(double turns)
{
    double t = turns - floor(turns); /* 0 .. 1 */
    double sign = 1;
    if (t >= 0.5) {
        t -= 0.5;
        sign = -1;
    }
    if (t > 0.25) t = 0.5 - t;
    double x = t * 6.28318530717958647692, square = x * x, term = x, sum = x;
    for (int n = 2; n <= 14; n += 2) {
        term = -term * square / (double)(n * (n + 1));
        sum += term;
    }
    return sign * sum;
}

static double cosine(double turns) { return scene_sine(turns + 0.25); }

typedef struct turn {
    double w, x, y, z;
} turn;

static turn turn_after(turn second, turn first)
{
    return (turn){second.w * first.w - second.x * first.x - second.y * first.y - second.z * first.z,
                  second.w * first.x + second.x * first.w + second.y * first.z - second.z * first.y,
                  second.w * first.y - second.x * first.z + second.y * first.w + second.z * first.x,
                  second.w * first.z + second.x * first.y - second.y * first.x +
                      second.z * first.w};
}

static turn turn_about(double x, double y, double z, double degrees)
{
    double s = scene_sine(degrees / 720);
    return (turn){cosine(degrees / 720), x * s, y * s, z * s};
}

static tp_quaternion turn_quaternion(turn t)
{
    double length = sqrt(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
    if (!(length > 1e-12)) return (tp_quaternion){1, 0, 0, 0};
    return (tp_quaternion){(float)(t.w / length), (float)(t.x / length), (float)(t.y / length),
                           (float)(t.z / length)};
}

static turn turn_of_degrees(const double degrees[3])
{
    turn about_x = turn_about(1, 0, 0, degrees[0]), about_y = turn_about(0, 1, 0, degrees[1]);
    return turn_after(turn_about(0, 0, 1, degrees[2]), turn_after(about_y, about_x));
}

tp_quaternion scene_turn(const double degrees[3])
{
    return turn_quaternion(turn_of_degrees(degrees));
}

/* The quaternion that turns +y to the direction, from the half vector; half a turn about z if they
   are opposite. */
tp_quaternion scene_turn_to(const double direction[3])
{
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                         direction[2] * direction[2]);
    if (!(length > 0)) return (tp_quaternion){1, 0, 0, 0};
    double x = direction[0] / length, y = direction[1] / length, z = direction[2] / length;
    if (y < -0.999999) return (tp_quaternion){0, 0, 0, 1};
    return turn_quaternion(
        (turn){1 + y, z, 0, -x}); /* the cross product of +y and the direction is (z, 0, -x) */
}

double scene_frame_seconds(const scene *source)
{
    return (double)source->world.frames_per_second_denominator /
           (double)source->world.frames_per_second_numerator;
}

/* ---- key poses */

static void key_pose(const scene *source, const scene_motion *motion, double seconds,
                     double position[3], turn *rotation)
{
    double frame = seconds / scene_frame_seconds(source);
    size_t next = 0;
    while (next < motion->pose_count && (double)motion->poses[next].frame <= frame) next++;
    const scene_pose *to =
        &motion->poses[next < motion->pose_count ? next : motion->pose_count - 1];
    const scene_pose *from = next ? &motion->poses[next - 1] : to;
    double span = (double)to->frame - (double)from->frame, degrees[3];
    double part = span > 0 ? (frame - (double)from->frame) / span : 0;
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = from->position[axis] + part * (to->position[axis] - from->position[axis]);
        degrees[axis] = from->turn[axis] + part * (to->turn[axis] - from->turn[axis]);
    }
    *rotation = turn_of_degrees(degrees);
}

/* ---- periodic motions */

/* Time in the motion: 0 before the start, constant after the stop, and slower during the ramp, so
   that the motion starts smoothly. */
static double motion_seconds(const scene_motion *motion, double seconds)
{
    double t = seconds - motion->start;
    if (motion->stop > 0 && seconds > motion->stop) t = motion->stop - motion->start;
    if (t <= 0) return 0;
    if (motion->ramp <= 0) return t;
    return t < motion->ramp ? t * t / (2 * motion->ramp) : t - motion->ramp / 2;
}

static void add_circle(const scene_motion *motion, double turns, double position[3])
{
    static const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const int *plane = axes[motion->plane];
    double phase = motion->phase / 360; /* the motion begins at the position given in the section */
    position[plane[0]] += motion->circle * (cosine(turns + phase) - cosine(phase));
    position[plane[1]] += motion->circle * (scene_sine(turns + phase) - scene_sine(phase));
}

tp_pose scene_motion_pose(const scene *source, const scene_motion *motion, double seconds)
{
    tp_pose base = motion->moves_emitter ? source->emitters[motion->target].def.pose
                                         : source->colliders[motion->target].def.pose;
    double position[3] = {(double)base.position.x, (double)base.position.y,
                          (double)base.position.z};
    turn rotation = {(double)base.rotation.w, (double)base.rotation.x, (double)base.rotation.y,
                     (double)base.rotation.z};
    if (motion->pose_count) key_pose(source, motion, seconds, position, &rotation);
    double t = motion_seconds(motion, seconds), turns = t / motion->period,
           phase = motion->phase / 360;
    double sway = scene_sine(turns + phase) - scene_sine(phase);
    for (int axis = 0; axis < 3; axis++) position[axis] += motion->swing[axis] * sway;
    add_circle(motion, turns, position);
    double degrees = motion->spin * t + motion->rock * sway;
    rotation = turn_after(turn_about(motion->axis[0], motion->axis[1], motion->axis[2], degrees),
                          rotation);
    return (tp_pose){{(float)position[0], (float)position[1], (float)position[2]},
                     turn_quaternion(rotation)};
}

/* In a scene the position of a grid is its centre, and it turns about the centre. In the runtime
   its pose is that of the first sample. */
static tp_pose first_sample_pose(const scene_collider *collider, tp_pose pose)
{
    const tp_collider_def *def = &collider->def;
    if (def->shape != TP_COLLIDER_GRID) return pose;
    double spacing = (double)def->spacing, x = (def->columns - 1u) * spacing / 2,
           y = (def->rows - 1u) * spacing / 2, z = (def->layers - 1u) * spacing / 2;
    turn q = {(double)pose.rotation.w, (double)pose.rotation.x, (double)pose.rotation.y,
              (double)pose.rotation.z};
    turn back = {q.w, -q.x, -q.y, -q.z}, offset = {0, x, y, z};
    offset = turn_after(q, turn_after(offset, back));
    pose.position.x = (float)((double)pose.position.x - offset.x);
    pose.position.y = (float)((double)pose.position.y - offset.y);
    pose.position.z = (float)((double)pose.position.z - offset.z);
    return pose;
}

tp_pose scene_collider_pose(const scene *source, size_t collider, double seconds)
{
    const scene_collider *item = &source->colliders[collider];
    tp_pose noted;
    if (scene_float_pose(source, collider, seconds, &noted)) return noted;
    for (size_t i = 0; i < source->motion_count; i++)
        if (!source->motions[i].moves_emitter && source->motions[i].target == collider)
            return first_sample_pose(item, scene_motion_pose(source, &source->motions[i], seconds));
    return first_sample_pose(item, item->def.pose);
}

tp_vector scene_carry(tp_pose start, tp_pose end, tp_vector point)
{
    turn from = {(double)start.rotation.w, (double)start.rotation.x, (double)start.rotation.y,
                 (double)start.rotation.z};
    turn to = {(double)end.rotation.w, (double)end.rotation.x, (double)end.rotation.y,
               (double)end.rotation.z};
    turn by = turn_after(to, (turn){from.w, -from.x, -from.y, -from.z});
    turn offset = {0, (double)point.x - (double)start.position.x,
                   (double)point.y - (double)start.position.y,
                   (double)point.z - (double)start.position.z};
    offset = turn_after(by, turn_after(offset, (turn){by.w, -by.x, -by.y, -by.z}));
    return (tp_vector){(float)((double)end.position.x + offset.x),
                       (float)((double)end.position.y + offset.y),
                       (float)((double)end.position.z + offset.z)};
}

/* Handles are always valid: nothing is removed while a scene runs. */
void scene_move(const scene *source, tp_world *world, uint64_t frame)
{
    double seconds = (double)frame * scene_frame_seconds(source);
    for (size_t i = 0; i < source->motion_count; i++) {
        const scene_motion *motion = &source->motions[i];
        tp_pose pose = scene_motion_pose(source, motion, seconds);
        const scene_collider *collider =
            motion->moves_emitter ? NULL : &source->colliders[motion->target];
        tp_result result =
            collider ? tp_collider_move(world, collider->handle, first_sample_pose(collider, pose))
                     : tp_emitter_move(world, source->emitters[motion->target].handle, pose);
        (void)result;
    }
    scene_move_sheets(source, world, seconds);
    scene_start_move(source, world, frame);
}
