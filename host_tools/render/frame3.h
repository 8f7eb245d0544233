/* SPDX-License-Identifier: MIT
   host_tools/render/frame3.h - a 3D picture in progress, shared by beads.c, fluid3.c and smoke3.c:
           buffers, light, colours.
   reads   -      writes  -
   memory  none   cost    a few operations per call
   after   own design */
#ifndef TIDEPOOL_FRAME3_H
#define TIDEPOOL_FRAME3_H
#include "render_private.h"

/* The visible object of a sample: the index of a particle, or one of these. */
#define OWNER_TRIANGLE 0x80000000u /* + index of the triangle */
#define OWNER_SOLID    0xc0000000u /* + index of the solid */
#define OWNER_FLOOR    0xfffffffeu
#define OWNER_NONE     0xffffffffu

#define SAMPLES      2 /* per axis and pixel (supersampling) */
#define ENCODE_STEPS 4096

typedef struct frame3 {
    const render_scene *scene;
    canvas *target;
    view3 view; /* in samples */
    int32_t width, height;
    float *depth; /* of the nearest object that is no fluid; INFINITY: none */
    uint32_t *owner;
    uint8_t *ambient; /* per pixel of the target: 255 unoccluded, 0 occluded */
    render_colour *colours;
    vec3 *normals; /* of the particles that are corners of triangles; 0: no corner */
    solid *solids;
    size_t solid_count;
    shadow_map shadow;
    bool has_floor;
    /* world units: height, radius at which it has faded out, grid spacing */
    float floor_y, floor_radius, grid;
    vec3 middle;
    float fog_start, fog_end; /* depths */
    vec3 back_top, back_bottom;
    float decode[256];            /* sRGB byte to linear light */
    uint8_t encode[ENCODE_STEPS]; /* linear light to sRGB byte */
} frame3;

static inline vec3 to_linear(const frame3 *frame, render_colour colour)
{
    return vec3_of(frame->decode[colour_red(colour)], frame->decode[colour_green(colour)],
                   frame->decode[colour_blue(colour)]);
}

static inline uint8_t to_level(const frame3 *frame, float light)
{
    return frame->encode[(int32_t)(clamp01(light) * (ENCODE_STEPS - 1))];
}

static inline vec3 vec3_mul(vec3 a, vec3 b) { return vec3_of(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline vec3 vec3_mix(vec3 a, vec3 b, float amount)
{
    return vec3_along(a, vec3_sub(b, a), amount);
}

static inline float smooth(float from, float to, float value)
{
    float t = clamp01((value - from) / (to - from));
    return t * t * (3 - 2 * t);
}

/* Makes an object the visible one of a sample, if it is the nearest. */
static inline void frame3_claim(frame3 *frame, size_t sample, float depth, uint32_t owner)
{
    if (!(depth > 0) || depth >= frame->depth[sample]) return;
    frame->depth[sample] = depth;
    frame->owner[sample] = owner;
}

/* Normals of all corners (surface3.c). */
void surface3_prepare(frame3 *frame);
/* Visibility of all triangles. */
void surface3_place(frame3 *frame);
/* Colour and normal, towards the eye, of a triangle where a ray from the eye meets it. */
void surface3_describe(const frame3 *frame, uint32_t triangle, vec3 ray, vec3 *base, vec3 *normal);
static inline bool surface3_is_corner(const frame3 *frame, size_t particle)
{
    vec3 normal = frame->normals[particle];
    return normal.x != 0 || normal.y != 0 || normal.z != 0;
}

/* Draws the fluids of the scene over the finished picture of all other objects. HOST_DONE or
   HOST_OUT_OF_MEMORY (fluid3.c). */
int fluid3_draw(const frame3 *frame);
/* Draws the smoke of the scene over all that, and its shadow on it. HOST_DONE or HOST_OUT_OF_MEMORY
   (smoke3.c). */
int smoke3_draw(const frame3 *frame);

#endif
