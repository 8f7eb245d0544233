/* SPDX-License-Identifier: MIT
   host_tools/render/render_private.h - shared internals of the renderer: pixels, vectors, the 3D
           view.
   reads   -      writes  -
   memory  none   cost    a few operations per call
   after   own design; internal 3D axes are always y-up and right-handed */
#ifndef TIDEPOOL_RENDER_PRIVATE_H
#define TIDEPOOL_RENDER_PRIVATE_H
#include "render.h"
#include <math.h>

#define RENDER_PI 3.14159265358979f

typedef struct vec3 {
    float x, y, z;
} vec3;

static inline vec3 vec3_of(float x, float y, float z) { return (vec3){x, y, z}; }
static inline vec3 vec3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 vec3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 vec3_scale(vec3 a, float s) { return (vec3){a.x * s, a.y * s, a.z * s}; }
static inline vec3 vec3_along(vec3 a, vec3 b, float s) { return vec3_add(a, vec3_scale(b, s)); }
static inline float vec3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec3 vec3_unit(vec3 a)
{
    float length = sqrtf(vec3_dot(a, a));
    return length > 0 ? vec3_scale(a, 1 / length) : (vec3){0, 1, 0};
}
/* NaN gives 0 */
static inline float clamp01(float value) { return value > 0 ? (value < 1 ? value : 1) : 0; }

/* exp(-x), by the limit of (1 + x / n)^-n: the same bits with every C library. */
static inline float render_fading(float x)
{
    float base = 1 / (1 + x / 16);
    for (int i = 0; i < 4; i++) base *= base;
    return base;
}

/* Floor of value, clamped to low..high; NaN gives low. */
static inline int32_t pixel_floor(float value, int32_t low, int32_t high)
{
    if (!(value > (float)low)) return low;
    if (value >= (float)high) return high;
    int32_t whole = (int32_t)value; /* floorf may be a call */
    return whole - ((float)whole > value);
}

/* Walks the pixels of a triangle, row by row: weights of its corners at a pixel's centre, linear in
   the picture. False: beyond the last one. */
typedef struct triangle_walk {
    float x[3], y[3], area;
    int32_t left, right, top, bottom; /* bounds, inclusive */
    int32_t at_x, at_y;
    float weights[3];
} triangle_walk;
/* Begins before the first pixel; the picture has width x height pixels. */
triangle_walk triangle_walk_of(const float x[3], const float y[3], int32_t width, int32_t height);
bool triangle_walk_next(triangle_walk *walk);

static inline uint32_t colour_red(render_colour colour) { return colour >> 24; }
static inline uint32_t colour_green(render_colour colour) { return colour >> 16 & 255u; }
static inline uint32_t colour_blue(render_colour colour) { return colour >> 8 & 255u; }
static inline uint32_t colour_alpha(render_colour colour) { return colour & 255u; }

/* Blends a colour over a pixel with coverage 0..1 (canvas.c). */
void canvas_blend(uint8_t *pixel, render_colour colour, float coverage);
static inline uint8_t *canvas_at(const canvas *target, int32_t x, int32_t y)
{
    return target->pixels + ((size_t)y * (size_t)target->width + (size_t)x) * 4;
}

/* Colour of particle i; `speed_scale` from scene_speed_scale (points.c). */
render_colour scene_particle_colour(const render_scene *scene, size_t particle, float speed_scale);
float scene_speed_scale(const render_scene *scene);
float scene_particle_speed(const render_scene *scene, size_t particle);
/* Colour of a species at a speed of 0..1 of the colour map. */
render_colour scene_colour(const render_scene *scene, uint32_t species, float speed);
/* Index of a particle's species among the colours; 0 if the scene has no species. */
uint32_t scene_species(const render_scene *scene, size_t particle);
/* True if the particle is drawn as part of a fluid. */
bool scene_is_fluid(const render_scene *scene, size_t particle);
/* 3D: true if the particle is drawn as part of a cloud of smoke. */
bool scene_is_smoke(const render_scene *scene, size_t particle);
/* True if the particle is drawn as a ball: neither as a fluid nor as smoke, and not left out. */
bool scene_is_ball(const render_scene *scene, size_t particle);
/* Distance of neighbouring particles of a fluid, world units. */
float scene_spacing(const render_scene *scene);

/* ---- 2D */

/* World to pixels: x' = left + x * scale, y' = bottom - y * scale. */
typedef struct view2 {
    float scale, left, bottom;
} view2;
/* Draws the fluids of the scene; HOST_DONE or HOST_OUT_OF_MEMORY (fluid2.c). */
int fluid2_draw(const render_scene *scene, const view2 *view, canvas *target);

/* ---- 3D */

/* A perspective view: depth is the distance along `forward`; at depth 1 one unit is `focal`
   pixels. */
typedef struct view3 {
    vec3 eye, right, up, forward;
    float focal;
    float centre_x, centre_y; /* pixels */
} view3;
/* converts to the internal y-up axes */
vec3 scene_point(const render_scene *scene, const float point[3]);
void scene_bounds3(const render_scene *scene, vec3 *low, vec3 *high);
view3 scene_view(const render_scene *scene, int32_t width, int32_t height);
/* Projects a point to pixel position and depth; false if it is behind the eye. */
bool view_project(const view3 *view, vec3 point, canvas_point *pixel, float *depth);
/* Direction through a pixel position, scaled so that its depth is 1. */
vec3 view_ray(const view3 *view, float x, float y);

/* A solid collider in internal axes. */
typedef struct solid {
    render_shape_kind kind;
    vec3 a, b;    /* sphere: a; capsule: a, b; box: a is its centre */
    vec3 axes[3]; /* box: unit axes */
    vec3 half;    /* box: half extents along the axes */
    float radius;
} solid;
void solid_axes(const render_scene *scene, const render_shape *shape, vec3 axes[3]);
/* Fills solids (capacity shape_count) and returns their number. */
size_t scene_solids(const render_scene *scene, solid *solids);
/* Ray cast: the first t >= 0 at which origin + t * direction meets the solid, and the normal there;
   `normal` may be NULL. */
bool solid_hit(const solid *body, vec3 origin, vec3 direction, float *distance, vec3 *normal);

/* Shadow map: depth of beads and solids seen from the light. */
typedef struct shadow_map {
    int32_t side;
    /* side x side: depth along the light, smallest nearest; large in empty texels */
    float *depth;
    float *softness; /* side x side: blurred share of blocked light, for the floor */
    vec3 light;      /* unit, towards the lamp */
    vec3 right, up, forward;
    float left, top, texels; /* origin in the light plane; texels per world unit */
    float bias;              /* depth bias, world units */
} shadow_map;
/* Particles whose normal is not 0 are corners of triangles, and cast no shadow as balls. */
bool shadow_create(shadow_map *map, const render_scene *scene, const vec3 *normals,
                   const solid *solids, size_t solid_count);
void shadow_free(shadow_map *map);
float shadow_light(const shadow_map *map, vec3 point);       /* on a bead: 0 in shadow .. 1 lit */
float shadow_floor_light(const shadow_map *map, vec3 point); /* the same on the floor, softer */

int render_draw3(const render_scene *scene, canvas *target); /* beads.c */

/* ---- outlines (outline.c) */
typedef struct outline_pen outline_pen;
struct outline_pen {
    void (*stroke)(outline_pen *pen, vec3 from, vec3 to);
};
/* Draws all edges of a shape as strokes in internal axes (3D). */
void outline_shape3(const render_scene *scene, const render_shape *shape, outline_pen *pen);

#endif
