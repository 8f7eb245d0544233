/* SPDX-License-Identifier: MIT
   host_tools/render/shadow.c - shadow mapping: light that reaches a point, from a depth map seen
           from the light.
   reads   particles and solids      writes  a shadow_map
   memory  8 bytes per texel, 3.3 MB   cost    O(n) for n particles, and 10 ms
   after   shadow maps (Williams 1978), percentage-closer filtering (Reeves, Salesin and Cook
           1987) */
#include "render_private.h"
#include <stdlib.h>

#define SIDE       640
#define NOTHING    1e30f
#define BLUR       5 /* half width of the box blur, texels */
#define BLUR_TIMES 3

/* Sets the light, always at the viewer's upper left and a little in front, its axes, and the square
   of its plane that contains all shadow casters. */
static void aim(shadow_map *map, const render_scene *scene)
{
    float yaw = scene->camera.yaw * RENDER_PI / 180;
    vec3 low, high, right = vec3_of(cosf(yaw), 0, -sinf(yaw)),
                    front = vec3_of(sinf(yaw), 0, cosf(yaw));
    scene_bounds3(scene, &low, &high);
    map->light =
        vec3_unit(vec3_along(vec3_along(vec3_of(0, 0.80f, 0), right, -0.42f), front, 0.43f));
    map->forward = vec3_scale(map->light, -1);
    map->right = vec3_unit(vec3_cross(map->forward, vec3_scale(front, -1)));
    map->up = vec3_cross(map->right, map->forward);
    vec3 middle = vec3_scale(vec3_add(low, high), 0.5f), size = vec3_sub(high, low);
    float half = 0.5f * sqrtf(vec3_dot(size, size)) + 4 * scene->radius;
    if (!(half > 0)) half = 1;
    map->left = vec3_dot(middle, map->right) - half;
    map->top = vec3_dot(middle, map->up) - half;
    map->texels = (float)SIDE / (2 * half);
    map->bias = 0.35f * scene->radius + 0.7f / map->texels;
}

typedef struct light_point {
    float x, y, depth; /* texels, texels, world units */
} light_point;

static light_point to_light(const shadow_map *map, vec3 point)
{
    return (light_point){(vec3_dot(point, map->right) - map->left) * map->texels,
                         (vec3_dot(point, map->up) - map->top) * map->texels,
                         vec3_dot(point, map->forward)};
}

static void cast_ball(shadow_map *map, vec3 centre, float radius)
{
    light_point at = to_light(map, centre);
    float extent = radius * map->texels;
    int32_t left = pixel_floor(at.x - extent, 0, SIDE),
            right = pixel_floor(at.x + extent, -1, SIDE - 1),
            top = pixel_floor(at.y - extent, 0, SIDE),
            bottom = pixel_floor(at.y + extent, -1, SIDE - 1);
    for (int32_t y = top; y <= bottom; y++) {
        for (int32_t x = left; x <= right; x++) {
            float across = ((float)x + 0.5f - at.x) / extent,
                  down = ((float)y + 0.5f - at.y) / extent;
            float rest = 1 - across * across - down * down;
            if (!(rest > 0)) continue;
            float depth = at.depth - radius * sqrtf(rest);
            float *nearest = &map->depth[y * SIDE + x];
            if (depth < *nearest) *nearest = depth;
        }
    }
}

static void cast_triangle(shadow_map *map, const render_scene *scene, const uint32_t *corner)
{
    float x[3], y[3], depth[3];
    for (int k = 0; k < 3; k++) {
        light_point at =
            to_light(map, scene_point(scene, scene->positions + (size_t)corner[k] * 3));
        x[k] = at.x, y[k] = at.y, depth[k] = at.depth;
    }
    triangle_walk walk = triangle_walk_of(x, y, SIDE, SIDE);
    while (triangle_walk_next(&walk)) {
        float at =
            walk.weights[0] * depth[0] + walk.weights[1] * depth[1] + walk.weights[2] * depth[2];
        float *nearest = &map->depth[walk.at_y * SIDE + walk.at_x];
        if (at < *nearest) *nearest = at;
    }
}

static void cast_solid(shadow_map *map, const solid *body)
{
    /* outside the bounds */
    float start = vec3_dot(body->a, map->forward) - 4.0f * SIDE / map->texels;
    for (int32_t y = 0; y < SIDE; y++) {
        for (int32_t x = 0; x < SIDE; x++) {
            float distance;
            vec3 origin = vec3_scale(map->forward, start);
            origin = vec3_along(origin, map->right, map->left + ((float)x + 0.5f) / map->texels);
            origin = vec3_along(origin, map->up, map->top + ((float)y + 0.5f) / map->texels);
            if (!solid_hit(body, origin, map->forward, &distance, NULL)) continue;
            float *nearest = &map->depth[y * SIDE + x];
            if (start + distance < *nearest) *nearest = start + distance;
        }
    }
}

/* Box blur over 2 BLUR + 1 texels of a line, with 0 outside; `step` is the stride of its texels. */
static void blur_line(float *line, size_t step)
{
    float padded[SIDE + 2 * BLUR] = {0}, sum = 0;
    for (size_t i = 0; i < SIDE; i++) padded[i + BLUR] = line[i * step];
    for (size_t i = 0; i < 2 * BLUR; i++) sum += padded[i];
    for (size_t i = 0; i < SIDE; i++) {
        sum += padded[i + 2 * BLUR];
        line[i * step] = fmaxf(sum, 0) / (2 * BLUR + 1);
        sum -= padded[i];
    }
}

static void soften(shadow_map *map)
{
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        map->softness[i] = map->depth[i] < NOTHING ? 1.0f : 0.0f;
    for (int round = 0; round < BLUR_TIMES; round++) {
        for (size_t i = 0; i < SIDE; i++) blur_line(map->softness + i * SIDE, 1);
        for (size_t i = 0; i < SIDE; i++) blur_line(map->softness + i, SIDE);
    }
}

bool shadow_create(shadow_map *map, const render_scene *scene, const vec3 *normals,
                   const solid *solids, size_t solid_count)
{
    map->side = SIDE;
    map->depth = malloc((size_t)SIDE * SIDE * sizeof *map->depth);
    map->softness = malloc((size_t)SIDE * SIDE * sizeof *map->softness);
    if (!map->depth || !map->softness) {
        shadow_free(map);
        return false;
    }
    aim(map, scene);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) map->depth[i] = NOTHING;
    for (size_t i = 0; i < scene->particle_count; i++)
        if (vec3_dot(normals[i], normals[i]) == 0 &&
            (scene_is_ball(scene, i) || scene_is_fluid(scene, i)))
            cast_ball(map, scene_point(scene, scene->positions + i * 3), scene->radius);
    for (size_t i = 0; i < scene->triangle_count; i++)
        cast_triangle(map, scene, scene->triangles + 3 * i);
    for (size_t i = 0; i < solid_count; i++) cast_solid(map, &solids[i]);
    soften(map);
    return true;
}

void shadow_free(shadow_map *map)
{
    free(map->depth);
    free(map->softness);
    map->depth = map->softness = NULL;
}

/* Percentage-closer filter: share of 3 x 3 samples around the point that are lit. */
float shadow_light(const shadow_map *map, vec3 point)
{
    light_point at = to_light(map, point);
    float lit = 0;
    for (int32_t i = 0; i < 9; i++) {
        int32_t x = pixel_floor(at.x + 1.3f * (float)(i % 3 - 1), -1, SIDE),
                y = pixel_floor(at.y + 1.3f * (float)(i / 3 - 1), -1, SIDE);
        bool inside = x >= 0 && y >= 0 && x < SIDE && y < SIDE;
        if (!inside || map->depth[y * SIDE + x] + map->bias >= at.depth) lit += 1.0f / 9;
    }
    return lit;
}

float shadow_floor_light(const shadow_map *map, vec3 point)
{
    light_point at = to_light(map, point);
    float x = at.x - 0.5f, y = at.y - 0.5f;
    if (!(x >= 0 && y >= 0 && x < SIDE - 1 && y < SIDE - 1)) return 1;
    int32_t column = (int32_t)x, row = (int32_t)y;
    const float *first = map->softness + row * SIDE + column;
    float u = x - (float)column, v = y - (float)row;
    float upper = first[0] + (first[1] - first[0]) * u,
          lower = first[SIDE] + (first[SIDE + 1] - first[SIDE]) * u;
    return 1 - clamp01(upper + (lower - upper) * v);
}
