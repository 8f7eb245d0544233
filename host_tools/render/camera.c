/* SPDX-License-Identifier: MIT
   host_tools/render/camera.c - camera of 3D pictures: parsing, fitting, projection.
   reads   camera text, the scene's bounds      writes  a view
   memory  none      cost    constant
   after   own design: the fitted distance is the smallest at which all 8 corners of the bounds are
           visible */
#include "../common/text.h"
#include "render_private.h"
#include <stdlib.h>
#include <string.h>

#define TAN_HALF_FIELD 0.3f /* vertical field of view of 33 degrees: little distortion */
#define FIT_SHARE      0.94f

bool render_camera_parse(const char *text, render_camera *camera)
{
    if (strcmp(text, "fit") == 0) {
        render_camera fitted = render_default_scene().camera;
        *camera = fitted;
        return true;
    }
    float values[3];
    for (int i = 0; i < 3; i++) {
        double value = 0;
        size_t length = text_take_f64(text, &value);
        values[i] = (float)value;
        if (!length || text[length] != (i < 2 ? ',' : 0) || !isfinite(values[i])) return false;
        text += length + 1;
    }
    if (values[2] < 0) return false;
    *camera = (render_camera){values[0], values[1], values[2]};
    return true;
}

vec3 scene_point(const render_scene *scene, const float point[3])
{
    if (scene->up_axis == 2) return vec3_of(point[0], point[2], -point[1]);
    return vec3_of(point[0], point[1], point[2]);
}

void scene_bounds3(const render_scene *scene, vec3 *low, vec3 *high)
{
    vec3 a = scene_point(scene, scene->bounds_min), b = scene_point(scene, scene->bounds_max);
    *low = vec3_of(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
    *high = vec3_of(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static vec3 corner(vec3 low, vec3 high, int i)
{
    return vec3_of(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
}

/* Smallest distance from the centre of the bounds at which every corner is inside the picture. */
static float fit_distance(const view3 *view, vec3 low, vec3 high, float aspect)
{
    vec3 middle = vec3_scale(vec3_add(low, high), 0.5f);
    float distance = 0, tall = TAN_HALF_FIELD * FIT_SHARE;
    for (int i = 0; i < 8; i++) {
        vec3 from = vec3_sub(corner(low, high, i), middle);
        float nearer = -vec3_dot(from, view->forward);
        distance = fmaxf(distance, nearer + fabsf(vec3_dot(from, view->right)) / (tall * aspect));
        distance = fmaxf(distance, nearer + fabsf(vec3_dot(from, view->up)) / tall);
    }
    return distance > 0 ? distance : 1;
}

/* Shifts the picture so that the projected bounds are centred: perspective shows their near half
   larger. */
static void centre_view(view3 *view, vec3 low, vec3 high)
{
    float least_x = INFINITY, most_x = -INFINITY, least_y = INFINITY, most_y = -INFINITY;
    for (int i = 0; i < 8; i++) {
        canvas_point pixel;
        float depth;
        if (!view_project(view, corner(low, high, i), &pixel, &depth)) return;
        least_x = fminf(least_x, pixel.x);
        most_x = fmaxf(most_x, pixel.x);
        least_y = fminf(least_y, pixel.y);
        most_y = fmaxf(most_y, pixel.y);
    }
    view->centre_x += view->centre_x - (least_x + most_x) / 2;
    view->centre_y += view->centre_y - (least_y + most_y) / 2;
}

view3 scene_view(const render_scene *scene, int32_t width, int32_t height)
{
    float yaw = scene->camera.yaw * RENDER_PI / 180, pitch = scene->camera.pitch * RENDER_PI / 180;
    vec3 low, high;
    view3 view;
    scene_bounds3(scene, &low, &high);
    view.forward = vec3_of(-sinf(yaw) * cosf(pitch), -sinf(pitch), -cosf(yaw) * cosf(pitch));
    view.right = vec3_of(cosf(yaw), 0, -sinf(yaw));
    view.up = vec3_cross(view.right, view.forward);
    view.focal = (float)height / 2 / TAN_HALF_FIELD;
    view.centre_x = (float)width / 2;
    view.centre_y = (float)height / 2;
    float distance = scene->camera.distance;
    if (!(distance > 0)) distance = fit_distance(&view, low, high, (float)width / (float)height);
    view.eye = vec3_along(vec3_scale(vec3_add(low, high), 0.5f), view.forward, -distance);
    if (!(scene->camera.distance > 0)) centre_view(&view, low, high);
    return view;
}

bool view_project(const view3 *view, vec3 point, canvas_point *pixel, float *depth)
{
    vec3 from = vec3_sub(point, view->eye);
    *depth = vec3_dot(from, view->forward);
    if (!(*depth > 1e-6f)) return false;
    pixel->x = view->centre_x + view->focal * vec3_dot(from, view->right) / *depth;
    pixel->y = view->centre_y - view->focal * vec3_dot(from, view->up) / *depth;
    return isfinite(pixel->x) && isfinite(pixel->y);
}

vec3 view_ray(const view3 *view, float x, float y)
{
    vec3 ray = vec3_along(view->forward, view->right, (x - view->centre_x) / view->focal);
    return vec3_along(ray, view->up, -(y - view->centre_y) / view->focal);
}
