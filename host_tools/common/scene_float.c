/* SPDX-License-Identifier: MIT
   host_tools/common/scene_float.c - colliders of a scene that float: bodies of the runtime, and
           where they were in each frame, for pictures.
   reads   a scene, a world      writes  bodies in the world; poses in the scene
   memory  28 bytes per collider and frame, if a collider has a mass      cost    O(colliders)
   after   own design */
#include "scene_private.h"
#include <stdlib.h>

static bool has_floats(const scene *source)
{
    for (size_t i = 0; i < source->collider_count; i++)
        if (source->colliders[i].body_def.mass > 0) return true;
    return false;
}

uint32_t scene_float_count(const scene *source)
{
    uint32_t count = 0;
    for (size_t i = 0; i < source->collider_count; i++)
        count += source->colliders[i].body_def.mass > 0;
    return count;
}

int scene_float_add(scene *source, tp_world *world, size_t collider)
{
    scene_collider *item = &source->colliders[collider];
    tp_body_def def = tp_body_default();
    if (!(item->body_def.mass > 0)) return HOST_DONE;
    def.collider = item->handle;
    def.mass = item->body_def.mass;
    def.inertia = item->body_def.inertia;
    def.center = item->body_def.center;
    def.velocity = item->body_def.velocity;
    def.rolling = item->body_def.rolling;
    const char *sentence = tp_body_check(world, &def);
    if (sentence) return scene_refused(source, SCENE_COLLIDER, &item->mark, sentence);
    tp_result result = tp_body_add(world, &def, &item->body);
    if (result >= TP_OK) return HOST_DONE;
    return scene_problem(source, item->mark.line, NULL, "'%s': %s", item->mark.name,
                         tp_result_text(result));
}

int scene_float_open(scene *target, uint32_t frames)
{
    if (!has_floats(target)) return HOST_DONE;
    target->float_poses =
        calloc(((size_t)frames + 1) * target->collider_count, sizeof *target->float_poses);
    if (!target->float_poses) return host_out_of_memory("the poses of floating colliders");
    target->float_frames = frames + 1;
    return HOST_DONE;
}

void scene_float_note(const scene *source, const tp_world *world, uint32_t frame)
{
    if (frame >= source->float_frames) return;
    for (size_t i = 0; i < source->collider_count; i++) {
        tp_body_state state;
        if (tp_body_get(world, source->colliders[i].body, &state) == TP_OK)
            source->float_poses[frame * source->collider_count + i] = state.pose;
    }
}

bool scene_float_pose(const scene *source, size_t collider, double seconds, tp_pose *pose)
{
    double frame = seconds / scene_frame_seconds(source) + 0.5;
    if (!source->float_frames || !(source->colliders[collider].body_def.mass > 0)) return false;
    uint32_t last = source->float_frames - 1, at = frame < last ? (uint32_t)frame : last;
    tp_pose noted = source->float_poses[at * source->collider_count + collider];
    if (noted.rotation.w == 0 && noted.rotation.x == 0 && noted.rotation.y == 0 &&
        noted.rotation.z == 0)
        return false;
    *pose = noted;
    return true;
}
