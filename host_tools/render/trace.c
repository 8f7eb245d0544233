/* SPDX-License-Identifier: MIT
   host_tools/render/trace.c - ray casting against solid colliders: sphere, box, capsule.
   reads   shapes      writes  solids in internal axes; distances and normals
   memory  none        cost    about 10 ns per ray and solid
   after   quadratic equations for round solids, slab method for boxes (Kay and Kajiya 1986) */
#include "render_private.h"

/* Rotates a vector by a quaternion w, x, y, z of any length; all zero means no rotation. */
static vec3 turn(const float rotation[4], vec3 v)
{
    float squared = rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                    rotation[2] * rotation[2] + rotation[3] * rotation[3];
    if (!(squared > 0)) return v;
    vec3 q = vec3_of(rotation[1], rotation[2], rotation[3]), once = vec3_cross(q, v);
    vec3 moved = vec3_add(vec3_scale(once, rotation[0]), vec3_cross(q, once));
    return vec3_along(v, moved, 2 / squared);
}

void solid_axes(const render_scene *scene, const render_shape *shape, vec3 axes[3])
{
    for (int i = 0; i < 3; i++) {
        vec3 axis = turn(shape->rotation, vec3_of(i == 0, i == 1, i == 2));
        float plain[3] = {axis.x, axis.y, axis.z};
        axes[i] = scene_point(scene, plain);
    }
}

size_t scene_solids(const render_scene *scene, solid *solids)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->shape_count; i++) {
        const render_shape *shape = &scene->shapes[i];
        if (shape->inner || shape->kind == RENDER_PLANE || shape->kind == RENDER_POLYLINE) continue;
        solid *body = &solids[count++];
        body->kind = shape->kind;
        body->a = scene_point(scene, shape->a);
        body->b = scene_point(scene, shape->b);
        body->half = vec3_of(shape->b[0], shape->b[1], shape->b[2]);
        body->radius = shape->radius;
        solid_axes(scene, shape, body->axes);
    }
    return count;
}

static bool sphere_hit(vec3 centre, float radius, vec3 origin, vec3 direction, float *distance)
{
    vec3 from = vec3_sub(origin, centre);
    float a = vec3_dot(direction, direction), b = vec3_dot(from, direction),
          c = vec3_dot(from, from) - radius * radius;
    float root = b * b - a * c;
    if (root < 0) return false;
    *distance = (-b - sqrtf(root)) / a;
    return *distance >= 0;
}

static vec3 to_box(const solid *body, vec3 v)
{
    return vec3_of(vec3_dot(v, body->axes[0]), vec3_dot(v, body->axes[1]),
                   vec3_dot(v, body->axes[2]));
}

static bool box_hit(const solid *body, vec3 origin, vec3 direction, float *distance, vec3 *normal)
{
    vec3 from = to_box(body, vec3_sub(origin, body->a)), along = to_box(body, direction);
    const float starts[3] = {from.x, from.y, from.z}, steps[3] = {along.x, along.y, along.z},
                halves[3] = {body->half.x, body->half.y, body->half.z};
    float enter = -INFINITY, leave = INFINITY;
    int side = 0;
    for (int i = 0; i < 3; i++) {
        if (fabsf(steps[i]) < 1e-12f) {
            if (fabsf(starts[i]) > halves[i]) return false;
            continue;
        }
        float half_width = halves[i] / fabsf(steps[i]), middle = -starts[i] / steps[i];
        if (middle - half_width > enter) {
            enter = middle - half_width;
            side = i;
        }
        leave = fminf(leave, middle + half_width);
    }
    if (enter > leave || !(enter >= 0)) return false;
    *distance = enter;
    if (normal) *normal = vec3_scale(body->axes[side], steps[side] > 0 ? -1.0f : 1.0f);
    return true;
}

/* Tests the cylinder between the ends, then the two end spheres. */
static bool capsule_hit(const solid *body, vec3 origin, vec3 direction, float *distance)
{
    vec3 axis = vec3_sub(body->b, body->a), from = vec3_sub(origin, body->a);
    float length = vec3_dot(axis, axis), along = vec3_dot(axis, direction),
          start = vec3_dot(axis, from), t;
    float a = length * vec3_dot(direction, direction) - along * along,
          b = length * vec3_dot(from, direction) - start * along,
          c = length * vec3_dot(from, from) - start * start - body->radius * body->radius * length;
    bool found = false;
    float root = b * b - a * c;
    if (a > 0 && root >= 0) {
        t = (-b - sqrtf(root)) / a;
        float on_axis = start + t * along; /* position on the axis, 0..length between the ends */
        if (t >= 0 && on_axis > 0 && on_axis < length) {
            *distance = t;
            return true;
        }
    }
    const vec3 ends[2] = {body->a, body->b};
    for (int i = 0; i < 2; i++) {
        if (!sphere_hit(ends[i], body->radius, origin, direction, &t) || (found && t >= *distance))
            continue;
        *distance = t;
        found = true;
    }
    return found;
}

bool solid_hit(const solid *body, vec3 origin, vec3 direction, float *distance, vec3 *normal)
{
    if (body->kind == RENDER_BOX) return box_hit(body, origin, direction, distance, normal);
    vec3 middle = body->a;
    if (body->kind == RENDER_SPHERE) {
        if (!sphere_hit(middle, body->radius, origin, direction, distance)) return false;
    } else {
        if (!capsule_hit(body, origin, direction, distance)) return false;
        vec3 axis = vec3_sub(body->b, body->a), hit = vec3_along(origin, direction, *distance);
        float length = vec3_dot(axis, axis);
        float on_axis = length > 0 ? clamp01(vec3_dot(vec3_sub(hit, body->a), axis) / length) : 0;
        middle = vec3_along(body->a, axis, on_axis);
    }
    if (normal) *normal = vec3_unit(vec3_sub(vec3_along(origin, direction, *distance), middle));
    return true;
}
