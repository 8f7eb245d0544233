/* SPDX-License-Identifier: MIT
   host_tools/render/surface3.c - 3D surfaces of triangles between particles, such as cloth.
   reads   a frame3      writes  its z-buffer, normals of the corners
   memory  none          cost    the pixels covered, and O(triangles)
   after   barycentric weights over a bounding box (Pineda 1988); normals weighted by area */
#include "frame3.h"

/* ---- rasters */

triangle_walk triangle_walk_of(const float x[3], const float y[3], int32_t width, int32_t height)
{
    triangle_walk walk = {{x[0], x[1], x[2]}, {y[0], y[1], y[2]}, 0, 0, -1, 0, -1, 0, 0, {0}};
    walk.area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (walk.area == 0 || !(walk.area - walk.area == 0)) return walk;
    walk.left = pixel_floor(fminf(x[0], fminf(x[1], x[2])), 0, width);
    walk.right = pixel_floor(fmaxf(x[0], fmaxf(x[1], x[2])), -1, width - 1);
    walk.top = pixel_floor(fminf(y[0], fminf(y[1], y[2])), 0, height);
    walk.bottom = pixel_floor(fmaxf(y[0], fmaxf(y[1], y[2])), -1, height - 1);
    walk.at_x = walk.left - 1;
    walk.at_y = walk.top;
    return walk;
}

bool triangle_walk_next(triangle_walk *walk)
{
    while (walk->left <= walk->right && walk->at_y <= walk->bottom) {
        if (walk->at_x++ == walk->right) {
            walk->at_x = walk->left - 1;
            walk->at_y++;
            continue;
        }
        float x = (float)walk->at_x + 0.5f, y = (float)walk->at_y + 0.5f, least = 1;
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            walk->weights[k] =
                ((walk->x[a] - x) * (walk->y[b] - y) - (walk->x[b] - x) * (walk->y[a] - y)) /
                walk->area;
            least = fminf(least, walk->weights[k]);
        }
        if (least >= 0) return true;
    }
    return false;
}

/* ---- normals */

static void corners_of(const frame3 *frame, uint32_t triangle, vec3 corners[3])
{
    const uint32_t *index = frame->scene->triangles + (size_t)triangle * 3;
    for (int k = 0; k < 3; k++)
        corners[k] = scene_point(frame->scene, frame->scene->positions + (size_t)index[k] * 3);
}

static vec3 normal_of(const vec3 corners[3])
{
    return vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
}

void surface3_prepare(frame3 *frame)
{
    for (uint32_t t = 0; t < frame->scene->triangle_count; t++) {
        vec3 corners[3], normal;
        corners_of(frame, t, corners);
        normal = normal_of(corners);
        for (int k = 0; k < 3; k++) {
            vec3 *sum = &frame->normals[frame->scene->triangles[(size_t)t * 3 + (size_t)k]];
            *sum = vec3_add(*sum, normal);
        }
    }
}

/* ---- visibility */

/* 1 / depth is linear in the picture. A triangle that reaches behind the eye is left out. */
static void place_triangle(frame3 *frame, uint32_t triangle)
{
    vec3 corners[3];
    float x[3], y[3], inverse[3];
    corners_of(frame, triangle, corners);
    for (int k = 0; k < 3; k++) {
        canvas_point at;
        float depth;
        if (!view_project(&frame->view, corners[k], &at, &depth)) return;
        x[k] = at.x, y[k] = at.y, inverse[k] = 1 / depth;
    }
    triangle_walk walk = triangle_walk_of(x, y, frame->width, frame->height);
    while (triangle_walk_next(&walk)) {
        float depth = 1 / (walk.weights[0] * inverse[0] + walk.weights[1] * inverse[1] +
                           walk.weights[2] * inverse[2]);
        frame3_claim(frame, (size_t)walk.at_y * (size_t)frame->width + (size_t)walk.at_x, depth,
                     OWNER_TRIANGLE + triangle);
    }
}

void surface3_place(frame3 *frame)
{
    for (uint32_t t = 0; t < frame->scene->triangle_count; t++) place_triangle(frame, t);
}

/* ---- shading */

/* Weights of the corners where a ray meets the plane of a triangle: shares of its area. A ray may
   pass beside it by less than a pixel. */
static void weights_at(const vec3 corners[3], vec3 eye, vec3 ray, float weights[3])
{
    vec3 normal = normal_of(corners);
    float facing = vec3_dot(normal, ray), square = vec3_dot(normal, normal);
    float along = facing != 0 ? vec3_dot(normal, vec3_sub(corners[0], eye)) / facing : 0;
    vec3 at = vec3_along(eye, ray, along);
    for (int k = 0; k < 3; k++) {
        vec3 a = vec3_sub(corners[(k + 1) % 3], at), b = vec3_sub(corners[(k + 2) % 3], at);
        weights[k] = clamp01(square > 0 ? vec3_dot(vec3_cross(a, b), normal) / square : 1.0f / 3);
    }
}

void surface3_describe(const frame3 *frame, uint32_t triangle, vec3 ray, vec3 *base, vec3 *normal)
{
    const uint32_t *index = frame->scene->triangles + (size_t)triangle * 3;
    vec3 corners[3];
    float weights[3], sum = 0;
    corners_of(frame, triangle, corners);
    weights_at(corners, frame->view.eye, ray, weights);
    *base = *normal = vec3_of(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        *base = vec3_along(*base, to_linear(frame, frame->colours[index[k]]), weights[k]);
        *normal = vec3_along(*normal, vec3_unit(frame->normals[index[k]]), weights[k]);
        sum += weights[k];
    }
    if (sum > 0) *base = vec3_scale(*base, 1 / sum);
    *normal = vec3_unit(*normal);
    if (vec3_dot(*normal, ray) > 0) *normal = vec3_scale(*normal, -1);
}
