/* SPDX-License-Identifier: MIT
   host_tools/render/outline.c - wireframes of colliders as strokes in 3D.
   reads   shapes      writes  strokes to a pen
   memory  none        cost    at most 200 strokes per shape; for polylines one per segment
   after   own design */
#include "render_private.h"

#define CIRCLE_STEPS 64

/* Strokes an arc about `centre`, from the direction of u over that of v, for `turns` of a full
   circle. */
static void stroke_arc(outline_pen *pen, vec3 centre, vec3 u, vec3 v, float turns)
{
    int steps = (int)(CIRCLE_STEPS * turns);
    vec3 last = vec3_add(centre, u);
    for (int i = 1; i <= steps; i++) {
        float angle = (float)i * 2 * RENDER_PI / CIRCLE_STEPS;
        vec3 next = vec3_along(vec3_along(centre, u, cosf(angle)), v, sinf(angle));
        pen->stroke(pen, last, next);
        last = next;
    }
}

static void stroke_sphere(outline_pen *pen, vec3 centre, float radius)
{
    vec3 x = vec3_of(radius, 0, 0), y = vec3_of(0, radius, 0), z = vec3_of(0, 0, radius);
    stroke_arc(pen, centre, x, y, 1);
    stroke_arc(pen, centre, y, z, 1);
    stroke_arc(pen, centre, z, x, 1);
}

static void stroke_capsule(outline_pen *pen, vec3 a, vec3 b, float radius)
{
    vec3 axis = vec3_unit(vec3_sub(b, a)),
         other = fabsf(axis.x) < 0.7f ? vec3_of(1, 0, 0) : vec3_of(0, 0, 1);
    vec3 u = vec3_scale(vec3_unit(vec3_cross(axis, other)), radius), v = vec3_cross(axis, u);
    vec3 ahead = vec3_scale(axis, radius), back = vec3_scale(axis, -radius);
    const vec3 sides[4] = {u, v, vec3_scale(u, -1), vec3_scale(v, -1)};
    stroke_arc(pen, a, u, v, 1);
    stroke_arc(pen, b, u, v, 1);
    for (int i = 0; i < 4; i++) pen->stroke(pen, vec3_add(a, sides[i]), vec3_add(b, sides[i]));
    for (int i = 0; i < 2; i++) {
        stroke_arc(pen, a, sides[i], back, 0.5f);
        stroke_arc(pen, b, sides[i], ahead, 0.5f);
    }
}

static void stroke_box(outline_pen *pen, vec3 centre, const vec3 axes[3], const float half[3])
{
    for (int side = 0; side < 3; side++) {
        for (int i = 0; i < 4; i++) {
            int u = (side + 1) % 3, v = (side + 2) % 3;
            vec3 middle = vec3_along(centre, axes[u], i & 1 ? half[u] : -half[u]);
            middle = vec3_along(middle, axes[v], i & 2 ? half[v] : -half[v]);
            pen->stroke(pen, vec3_along(middle, axes[side], -half[side]),
                        vec3_along(middle, axes[side], half[side]));
        }
    }
}

/* Corner i of the bounds: bits 0, 1, 2 select the high side of x, y, z. */
static vec3 bounds_corner(vec3 low, vec3 high, int i)
{
    return vec3_of(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

/* Strokes the intersection of a plane with one face of the bounds. */
static void stroke_crossing(outline_pen *pen, const vec3 corners[8], const float distances[8],
                            const int face[4])
{
    vec3 found[4];
    int count = 0;
    for (int i = 0; i < 4; i++) {
        int a = face[i], b = face[(i + 1) % 4];
        if (!(distances[a] < 0 && distances[b] > 0) && !(distances[a] > 0 && distances[b] < 0))
            continue;
        float part = distances[a] / (distances[a] - distances[b]);
        found[count++] = vec3_along(corners[a], vec3_sub(corners[b], corners[a]), part);
    }
    if (count == 2) pen->stroke(pen, found[0], found[1]);
}

/* Strokes the intersection of a plane with the bounds; if the plane is a face of the bounds, the
   edges of that face. */
static void stroke_plane(const render_scene *scene, vec3 at, vec3 normal, outline_pen *pen)
{
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    vec3 low, high, corners[8];
    float distances[8];
    scene_bounds3(scene, &low, &high);
    vec3 size = vec3_sub(high, low);
    float tiny = 1e-4f * sqrtf(vec3_dot(size, size));
    normal = vec3_unit(normal);
    for (int i = 0; i < 8; i++) {
        corners[i] = bounds_corner(low, high, i);
        distances[i] = vec3_dot(vec3_sub(corners[i], at), normal);
        if (fabsf(distances[i]) < tiny) distances[i] = 0;
    }
    for (int face = 0; face < 6; face++) stroke_crossing(pen, corners, distances, faces[face]);
    for (int i = 0; i < 8; i++) {
        for (int bit = 1; bit < 8; bit *= 2) {
            int j = i | bit;
            if (j != i && distances[i] == 0 && distances[j] == 0)
                pen->stroke(pen, corners[i], corners[j]);
        }
    }
}

void outline_shape3(const render_scene *scene, const render_shape *shape, outline_pen *pen)
{
    vec3 a = scene_point(scene, shape->a), b = scene_point(scene, shape->b), axes[3];
    switch (shape->kind) {
    case RENDER_PLANE: stroke_plane(scene, a, b, pen); break;
    case RENDER_SPHERE: stroke_sphere(pen, a, shape->radius); break;
    case RENDER_CAPSULE: stroke_capsule(pen, a, b, shape->radius); break;
    case RENDER_BOX:
        solid_axes(scene, shape, axes);
        stroke_box(pen, a, axes, shape->b);
        break;
    case RENDER_POLYLINE:
        for (size_t i = 0; i + 1 < shape->point_count; i++)
            pen->stroke(pen, scene_point(scene, shape->points + i * 3),
                        scene_point(scene, shape->points + i * 3 + 3));
        break;
    }
}
