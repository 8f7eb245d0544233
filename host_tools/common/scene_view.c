/* SPDX-License-Identifier: MIT
   host_tools/common/scene_view.c - the region that a picture shows, if the scene does not say: all
           that the scene holds.
   reads   a resolved scene      writes  its view
   memory  none of its own      cost    O(items + vertices + nodes of sheets)
   after   own design */
#include "scene_private.h"
#include <math.h>

typedef struct region {
    float low[3], high[3];
} region;

static void include(region *view, tp_vector at)
{
    const float position[3] = {at.x, at.y, at.z};
    for (int axis = 0; axis < 3; axis++) {
        view->low[axis] = fminf(view->low[axis], position[axis]);
        view->high[axis] = fmaxf(view->high[axis], position[axis]);
    }
}

static void include_ball(region *view, tp_vector at, float radius)
{
    include(view, (tp_vector){at.x - radius, at.y - radius, at.z - radius});
    include(view, (tp_vector){at.x + radius, at.y + radius, at.z + radius});
}

/* A point in a collider's own coordinates. */
static void include_local(region *view, tp_pose pose, tp_vector point)
{
    const tp_pose origin = {{0, 0, 0}, {1, 0, 0, 0}};
    include(view, scene_carry(origin, pose, point));
}

/* The corners of a box around `middle`. */
static void include_box(region *view, tp_pose pose, tp_vector middle, tp_vector half)
{
    for (uint32_t corner = 0; corner < 8; corner++)
        include_local(view, pose,
                      (tp_vector){middle.x + (corner & 1 ? half.x : -half.x),
                                  middle.y + (corner & 2 ? half.y : -half.y),
                                  middle.z + (corner & 4 ? half.z : -half.z)});
}

/* ---- what a scene holds */

/* Half sides of a field of samples; heights are not looked at. */
static tp_vector sample_half(const tp_collider_def *def)
{
    const float half = def->spacing / 2;
    float x = half * (float)(def->columns - 1), other = half * (float)(def->rows - 1);
    if (def->shape == TP_COLLIDER_HEIGHTFIELD) return (tp_vector){x, 0, other};
    return (tp_vector){x, other, half * (float)(def->layers ? def->layers - 1 : 0)};
}

static void include_collider(region *view, const tp_collider_def *def)
{
    const tp_vector middle = {0, 0, 0};
    const tp_pose pose = def->pose;
    for (uint32_t k = 0; def->shape == TP_COLLIDER_MESH && k < def->vertex_count; k++)
        include_local(view, pose, def->vertices[k]);
    if (def->shape == TP_COLLIDER_SPHERE) include_ball(view, pose.position, def->radius);
    if (def->shape == TP_COLLIDER_BOX) include_box(view, pose, middle, def->half);
    if (def->shape == TP_COLLIDER_HEIGHTFIELD || def->shape == TP_COLLIDER_GRID)
        include_box(view, pose, middle, sample_half(def));
    if (def->shape == TP_COLLIDER_CAPSULE) {
        tp_vector half = {def->radius, def->half.y + def->radius, def->radius};
        include_box(view, pose, middle, half);
    }
}

/* What flies out of an emitter has no bounds: at least a metre around it is shown. */
static void include_emitter(region *view, const tp_emitter_def *def)
{
    const float least = 0.5f;
    const tp_vector half = {fmaxf(fabsf(def->size.x), least), fmaxf(fabsf(def->size.y), least),
                            fmaxf(fabsf(def->size.z), least)};
    include_box(view, def->pose, (tp_vector){0, 0, 0}, half);
    for (uint32_t k = 0; k < def->vertex_count; k++)
        include_local(view, def->pose, def->vertices[k]);
}

static void include_items(region *view, const scene *source)
{
    for (size_t i = 0; i < source->emitter_count; i++)
        include_emitter(view, &source->emitters[i].def);
    for (size_t i = 0; i < source->collider_count; i++)
        include_collider(view, &source->colliders[i].def);
    for (size_t i = 0; i < source->body_count; i++) {
        tp_pose pose = {source->bodies[i].position, {1, 0, 0, 0}};
        include_box(view, pose, (tp_vector){0, 0, 0}, source->bodies[i].size);
    }
    for (size_t i = 0; i < source->ring_count; i++) {
        const scene_ring *ring = &source->rings[i];
        tp_pose pose = {ring->position, {1, 0, 0, 0}};
        float half = (float)(ring->radius + ring->tube);
        include_box(view, pose, (tp_vector){0, 0, 0}, (tp_vector){half, half, half});
    }
    for (uint32_t k = 0; source->start.positions && k < source->start.count; k++)
        include(view, source->start.positions[k]);
}

/* ---- the ground */

/* The lower end of the view is the floor of a picture in 3D. A level plane is that floor. */
static void stand_on_planes(region *view, const scene *source)
{
    const float least_up = 0.999f;
    bool has_ground = false;
    float ground = 0;
    for (size_t i = 0; i < source->collider_count; i++) {
        const tp_collider_def *def = &source->colliders[i].def;
        const tp_vector origin = {0, 0, 0}, up = {0, 1, 0};
        const tp_pose flat = {origin, {1, 0, 0, 0}}, turn = {origin, def->pose.rotation};
        if (def->shape != TP_COLLIDER_PLANE || scene_carry(flat, turn, up).y < least_up) continue;
        ground = has_ground ? fmaxf(ground, def->pose.position.y) : def->pose.position.y;
        has_ground = true;
    }
    if (!has_ground || source->world.dimensions == 2) return;
    view->low[1] = ground;
    view->high[1] = fmaxf(view->high[1], ground);
}

/* ---- all */

/* An axis along which nothing extends gets the largest extent of the others, or a metre. */
static void widen(region *view)
{
    float most = 0;
    for (int axis = 0; axis < 3; axis++) most = fmaxf(most, view->high[axis] - view->low[axis]);
    const float half = most > 0 ? most / 2 : 0.5f;
    for (int axis = 0; axis < 3; axis++)
        if (view->high[axis] - view->low[axis] < 0.02f * half) {
            view->low[axis] -= axis == 1 ? 0 : half;
            view->high[axis] += axis == 1 ? 2 * half : half;
        }
}

/* Without a camera section, or one whose bounds are no box. */
void scene_choose_view(scene *target)
{
    const tp_vector *from = &target->view_low, *to = &target->view_high;
    if (target->camera_mark.line && to->x > from->x && to->y > from->y && to->z >= from->z) return;
    region view = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    target->view_is_chosen = true;
    include_items(&view, target);
    scene_sheet_bounds(target, view.low, view.high);
    for (int axis = 0; axis < 3; axis++)
        if (!(view.low[axis] <= view.high[axis])) view.low[axis] = 0, view.high[axis] = 1;
    stand_on_planes(&view, target);
    widen(&view);
    target->view_low = (tp_vector){view.low[0], view.low[1], view.low[2]};
    target->view_high = (tp_vector){view.high[0], view.high[1], view.high[2]};
}
