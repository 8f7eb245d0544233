/* SPDX-License-Identifier: MIT
   host_tools/render/beads.c - 3D renderer: particles as sphere splats in a z-buffer, with shadows
           on a floor.
   reads   a render_scene      writes  the canvas
   memory  33 bytes per pixel (4 samples), 16 per particle, the shadow map      cost    O(particles)
           + 600 ns per pixel
   after   deferred shading over a z-buffer; Blinn-Phong lighting (Blinn 1977); screen-space ambient
           occlusion from opposite pairs of depth samples */
#include "frame3.h"
#include <stdlib.h>
#include <string.h>

#define PAIRS 8 /* of ambient occlusion samples */
#define FOG   0.42f

/* ---- colours in linear light (IEC 61966-2-1) */

static void fill_tables(frame3 *frame)
{
    for (int i = 0; i < 256; i++) {
        float value = (float)i / 255;
        frame->decode[i] =
            value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
    }
    for (int i = 0; i < ENCODE_STEPS; i++) {
        float value = ((float)i + 0.5f) / ENCODE_STEPS;
        float level =
            value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
        frame->encode[i] = (uint8_t)(level * 255 + 0.5f);
    }
}

/* ---- visibility: z-buffer with the nearest object of every sample */

static void place_bead(frame3 *frame, uint32_t particle)
{
    canvas_point at;
    float depth, radius = frame->scene->radius;
    vec3 centre = scene_point(frame->scene, frame->scene->positions + (size_t)particle * 3);
    if (!view_project(&frame->view, centre, &at, &depth) || depth <= radius) return;
    float extent = fmaxf(radius * frame->view.focal / depth, 0.8f);
    int32_t left = pixel_floor(at.x - extent, 0, frame->width),
            right = pixel_floor(at.x + extent, -1, frame->width - 1);
    int32_t top = pixel_floor(at.y - extent, 0, frame->height),
            bottom = pixel_floor(at.y + extent, -1, frame->height - 1);
    for (int32_t y = top; y <= bottom; y++) {
        float down = ((float)y + 0.5f - at.y) / extent;
        for (int32_t x = left; x <= right; x++) {
            float across = ((float)x + 0.5f - at.x) / extent,
                  rest = 1 - across * across - down * down;
            if (rest > 0)
                frame3_claim(frame, (size_t)y * (size_t)frame->width + (size_t)x,
                             depth - radius * sqrtf(rest), particle);
        }
    }
}

static vec3 sample_ray(const frame3 *frame, size_t sample)
{
    size_t width = (size_t)frame->width;
    return view_ray(&frame->view, (float)(sample % width) + 0.5f, (float)(sample / width) + 0.5f);
}

/* Rays have depth 1, so the distance along a ray is a depth. */
static void place_solids_and_floor(frame3 *frame)
{
    size_t count = (size_t)frame->width * (size_t)frame->height;
    if (!frame->has_floor && frame->solid_count == 0) return;
    for (size_t sample = 0; sample < count; sample++) {
        vec3 ray = sample_ray(frame, sample);
        float depth;
        for (size_t i = 0; i < frame->solid_count; i++)
            if (solid_hit(&frame->solids[i], frame->view.eye, ray, &depth, NULL))
                frame3_claim(frame, sample, depth, OWNER_SOLID + (uint32_t)i);
        if (frame->has_floor && ray.y < 0)
            frame3_claim(frame, sample, (frame->floor_y - frame->view.eye.y) / ray.y, OWNER_FLOOR);
    }
}

/* ---- ambient occlusion */

static float depth_near(const frame3 *frame, float x, float y)
{
    int32_t column = pixel_floor(x, 0, frame->width - 1),
            row = pixel_floor(y, 0, frame->height - 1);
    return frame->depth[(size_t)row * (size_t)frame->width + (size_t)column];
}

/* Distance of a neighbour in front of a depth (positive), in radii; large distances are attenuated
   or clamped. */
static float step_ahead(float depth, float neighbour, float radius)
{
    float ahead = (depth - neighbour) / radius;
    return ahead > 3 ? 3 / (1 + 0.2f * (ahead - 3)) : ahead < -1.5f ? -1.5f : ahead;
}

static uint8_t ambient_at(const frame3 *frame, int32_t x, int32_t y)
{
    float sample_x = (float)(x * SAMPLES) + 1, sample_y = (float)(y * SAMPLES) + 1;
    float depth = depth_near(frame, sample_x, sample_y), radius = frame->scene->radius, closed = 0;
    if (depth >= INFINITY) return 255;
    float extent = radius * frame->view.focal / depth;
    extent = extent < 2 ? 2 : extent > 60 ? 60 : extent;
    for (int i = 0; i < PAIRS; i++) {
        /* golden angle: spreads the samples evenly */
        float angle = (float)i * 2.39996f, away = extent * (0.8f + 0.55f * (float)i);
        float across = cosf(angle) * away, down = sinf(angle) * away;
        float sum =
            step_ahead(depth, depth_near(frame, sample_x + across, sample_y + down), radius) +
            step_ahead(depth, depth_near(frame, sample_x - across, sample_y - down), radius);
        closed += clamp01(sum * 0.35f);
    }
    return (uint8_t)(255 * (1 - 0.85f * clamp01(closed * 1.3f / PAIRS)));
}

static void find_ambient(frame3 *frame)
{
    for (int32_t y = 0; y < frame->target->height; y++)
        for (int32_t x = 0; x < frame->target->width; x++)
            frame->ambient[(size_t)y * (size_t)frame->target->width + (size_t)x] =
                ambient_at(frame, x, y);
}

/* ---- shading */

typedef struct surface {
    vec3 base, normal, to_eye, light;
    float lit, open; /* shares of the lamp's and of the sky's light that arrive here */
    float gloss;
} surface;

static vec3 shade(const surface *at)
{
    static const vec3 lamp = {2.05f, 1.92f, 1.70f}, sky = {0.50f, 0.60f, 0.82f},
                      ground = {0.13f, 0.13f, 0.19f};
    /* wrapped diffuse lighting: a soft transition to the dark side */
    float facing = fmaxf(0, (vec3_dot(at->normal, at->light) + 0.18f) / 1.18f);
    vec3 around = vec3_mix(ground, sky, 0.5f + 0.5f * at->normal.y);
    vec3 arriving = vec3_along(vec3_scale(around, at->open), lamp,
                               facing * at->lit * (0.45f + 0.55f * at->open));
    vec3 seen = vec3_mul(at->base, arriving);
    float shine = vec3_dot(at->normal, vec3_unit(vec3_add(at->light, at->to_eye)));
    if (shine > 0) {
        float power = shine * shine; /* power 64, by squaring */
        for (int i = 0; i < 5; i++) power *= power;
        seen = vec3_along(seen, lamp, power * at->lit * at->gloss);
    }
    float edge = 1 - fmaxf(0, vec3_dot(at->normal, at->to_eye));
    return vec3_along(seen, around, edge * edge * edge * at->gloss * 0.55f * at->open);
}

/* Share of a pixel's width that is covered by a grid line of half width `half`. */
static float grid_line(float position, float spacing, float half, float footprint)
{
    float away = fabsf(position / spacing - floorf(position / spacing + 0.5f)) * spacing;
    float share = clamp01((half + footprint / 2 - away) / footprint);
    /* lines with a spacing of few pixels fade out */
    return share * clamp01(spacing / (6 * footprint));
}

static vec3 shade_floor(const frame3 *frame, vec3 point, float depth, float slope, float open)
{
    static const vec3 base = {0.017f, 0.026f, 0.056f}, line = {0.050f, 0.075f, 0.145f};
    float footprint = SAMPLES * depth / frame->view.focal,
          stretched = footprint / fmaxf(slope, 0.02f);
    float half = 0.012f * frame->grid;
    float along_x =
        grid_line(point.x - frame->middle.x, frame->grid, half, fminf(stretched, 4 * footprint));
    float along_z =
        grid_line(point.z - frame->middle.z, frame->grid, half, fminf(stretched, 4 * footprint));
    vec3 colour = vec3_mix(base, line, fmaxf(along_x, along_z));
    float lit = shadow_floor_light(&frame->shadow, point);
    return vec3_scale(colour, (0.30f + 0.90f * lit) * (0.35f + 0.65f * open));
}

static vec3 background_at(const frame3 *frame, float y) /* y in samples */
{
    return vec3_mix(frame->back_top, frame->back_bottom, y / (float)frame->height);
}

/* Input of shading: a position in the picture (in samples, may be fractional) and the object
   visible there. */
typedef struct sighting {
    float x, y, depth;
    uint32_t owner;
    float open;
} sighting;

static vec3 shade_floor_over(const frame3 *frame, const sighting *seen, vec3 ray, vec3 back)
{
    vec3 point = vec3_along(frame->view.eye, ray, seen->depth);
    float across = point.x - frame->middle.x, along = point.z - frame->middle.z;
    float away = sqrtf(across * across + along * along);
    float shown = 1 - smooth(0.45f * frame->floor_radius, frame->floor_radius, away);
    if (shown <= 0) return back;
    float slope = -ray.y / sqrtf(vec3_dot(ray, ray));
    return vec3_mix(back, shade_floor(frame, point, seen->depth, slope, seen->open), shown);
}

/* Computes colour and normal of the visible bead, surface or solid. */
static void describe(const frame3 *frame, const sighting *seen, vec3 ray, surface *at)
{
    if (seen->owner >= OWNER_SOLID) {
        float distance;
        at->base = vec3_of(0.20f, 0.23f, 0.30f);
        at->gloss = 0.12f;
        at->normal = at->to_eye; /* kept if the ray through the pixel centre misses the solid */
        solid_hit(&frame->solids[seen->owner - OWNER_SOLID], frame->view.eye, ray, &distance,
                  &at->normal);
        return;
    }
    if (seen->owner >= OWNER_TRIANGLE) {
        at->gloss = 0.06f;
        surface3_describe(frame, seen->owner - OWNER_TRIANGLE, ray, &at->base, &at->normal);
        return;
    }
    vec3 centre = scene_point(frame->scene, frame->scene->positions + (size_t)seen->owner * 3);
    at->base = to_linear(frame, frame->colours[seen->owner]);
    at->gloss = 0.42f;
    at->normal = vec3_unit(vec3_sub(vec3_along(frame->view.eye, ray, seen->depth), centre));
}

static vec3 shade_sighting(const frame3 *frame, const sighting *seen)
{
    vec3 back = background_at(frame, seen->y);
    if (seen->owner == OWNER_NONE) return back;
    vec3 ray = view_ray(&frame->view, seen->x, seen->y);
    if (seen->owner == OWNER_FLOOR) return shade_floor_over(frame, seen, ray, back);
    surface at = {
        .to_eye = vec3_unit(vec3_scale(ray, -1)), .light = frame->shadow.light, .open = seen->open};
    describe(frame, seen, ray, &at);
    /* moved off the surface, to avoid self-shadowing between texels */
    float lift = 0.15f * frame->scene->radius + 1.5f / frame->shadow.texels;
    vec3 point = vec3_along(frame->view.eye, ray, seen->depth);
    at.lit = shadow_light(&frame->shadow, vec3_along(point, at.normal, lift));
    float fog = FOG * smooth(frame->fog_start, frame->fog_end, seen->depth);
    return vec3_mix(shade(&at), back, fog);
}

/* Shades one pixel of the target: once if all its samples show the same object, else each
   sample. */
static vec3 shade_pixel(const frame3 *frame, int32_t x, int32_t y)
{
    size_t width = (size_t)frame->width, first = (size_t)y * SAMPLES * width + (size_t)x * SAMPLES;
    const size_t samples[4] = {first, first + 1, first + width, first + width + 1};
    float open = (float)frame->ambient[(size_t)y * (size_t)frame->target->width + (size_t)x] / 255;
    float left = (float)(x * SAMPLES), top = (float)(y * SAMPLES), depth = 0;
    uint32_t owner = frame->owner[first];
    bool one = true;
    for (int i = 0; i < 4; i++) {
        one = one && frame->owner[samples[i]] == owner;
        depth += frame->depth[samples[i]] / 4;
    }
    if (one) return shade_sighting(frame, &(sighting){left + 1, top + 1, depth, owner, open});
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        sighting seen = {left + (float)(i & 1) + 0.5f, top + (float)(i >> 1) + 0.5f,
                         frame->depth[samples[i]], frame->owner[samples[i]], open};
        vec3 light = shade_sighting(frame, &seen);
        /* clamped before averaging, so that highlights keep antialiased edges */
        light = vec3_of(fminf(light.x, 1.2f), fminf(light.y, 1.2f), fminf(light.z, 1.2f));
        sum = vec3_along(sum, light, 0.25f);
    }
    return sum;
}

static void shade_all(const frame3 *frame)
{
    for (int32_t y = 0; y < frame->target->height; y++) {
        uint8_t *pixel = canvas_at(frame->target, 0, y);
        for (int32_t x = 0; x < frame->target->width; x++, pixel += 4) {
            vec3 light = shade_pixel(frame, x, y);
            pixel[0] = to_level(frame, light.x);
            pixel[1] = to_level(frame, light.y);
            pixel[2] = to_level(frame, light.z);
            pixel[3] = 255;
        }
    }
}

/* ---- visible edges of colliders */

typedef struct hidden_pen {
    outline_pen pen;
    frame3 *frame;
} hidden_pen;

#define EDGE_NEAR \
    1e-3f /* near plane for strokes, as a share of the distance to the centre of the bounds */

/* Point of a projected stroke: target pixels, and 1 / depth, which is linear in screen space. */
typedef struct edge_point {
    float x, y, inverse;
} edge_point;

static bool edge_visible(const frame3 *frame, edge_point at)
{
    float depth = 1 / at.inverse;
    if (!(at.x >= 0 && at.y >= 0 && at.x < (float)frame->target->width &&
          at.y < (float)frame->target->height))
        return false;
    return depth_near(frame, at.x * SAMPLES, at.y * SAMPLES) > depth * 0.998f;
}

static void draw_edge(const frame3 *frame, edge_point from, edge_point to)
{
    canvas_line(frame->target, (canvas_point){from.x, from.y}, (canvas_point){to.x, to.y},
                frame->target->width > 1000 ? 2.0f : 1.4f, 0x8ea4d0b0);
}

/* Samples the stroke every two pixels or so, and draws its visible parts. */
static void walk_edge(const frame3 *frame, edge_point from, edge_point to)
{
    float length = hypotf(to.x - from.x, to.y - from.y);
    int32_t steps = pixel_floor(length / 2, 1, 4096);
    edge_point start = from, last = from;
    bool drawing = false;
    for (int32_t i = 0; i <= steps; i++) {
        float part = (float)i / (float)steps;
        edge_point at = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part,
                         from.inverse + (to.inverse - from.inverse) * part};
        bool visible = edge_visible(frame, at);
        if (visible && !drawing) start = at;
        if (!visible && drawing) draw_edge(frame, start, last);
        drawing = visible;
        last = at;
    }
    if (drawing) draw_edge(frame, start, last);
}

static void stroke_hidden(outline_pen *pen, vec3 from, vec3 to)
{
    frame3 *frame = ((hidden_pen *)pen)->frame;
    const view3 *view = &frame->view;
    float near = EDGE_NEAR * vec3_dot(vec3_sub(frame->middle, view->eye), view->forward);
    if (!(near > 0)) return;
    float depth_from = vec3_dot(vec3_sub(from, view->eye), view->forward),
          depth_to = vec3_dot(vec3_sub(to, view->eye), view->forward);
    if (!(depth_from > near || depth_to > near)) return;
    vec3 along = vec3_sub(to, from);
    if (depth_from < near)
        from = vec3_along(from, along, (near - depth_from) / (depth_to - depth_from));
    if (depth_to < near) to = vec3_along(to, along, (near - depth_to) / (depth_to - depth_from));
    canvas_point a, b;
    if (!view_project(view, from, &a, &depth_from) || !view_project(view, to, &b, &depth_to))
        return;
    walk_edge(frame, (edge_point){a.x / SAMPLES, a.y / SAMPLES, 1 / depth_from},
              (edge_point){b.x / SAMPLES, b.y / SAMPLES, 1 / depth_to});
}

static void draw_outlines(frame3 *frame)
{
    hidden_pen pen = {{stroke_hidden}, frame};
    for (size_t i = 0; i < frame->scene->shape_count; i++) {
        const render_shape *shape = &frame->scene->shapes[i];
        if (shape->inner || shape->kind == RENDER_PLANE || shape->kind == RENDER_POLYLINE)
            outline_shape3(frame->scene, shape, &pen.pen);
    }
}

/* ---- the frame */

/* 1, 2 or 5 times a power of ten, at least `least`. */
static float round_spacing(float least)
{
    float power = powf(10, floorf(log10f(least)));
    return least <= power       ? power
           : least <= 2 * power ? 2 * power
           : least <= 5 * power ? 5 * power
                                : 10 * power;
}

static void prepare(frame3 *frame)
{
    vec3 low, high;
    scene_bounds3(frame->scene, &low, &high);
    vec3 size = vec3_sub(high, low);
    float half = 0.5f * sqrtf(vec3_dot(size, size));
    if (!(half > 0)) half = 1;
    frame->view = scene_view(frame->scene, frame->width, frame->height);
    frame->middle = vec3_scale(vec3_add(low, high), 0.5f);
    frame->floor_y = low.y;
    frame->has_floor = frame->view.eye.y > low.y;
    frame->floor_radius = 2.9f * half;
    frame->grid = round_spacing(half / 5);
    float depth = vec3_dot(vec3_sub(frame->middle, frame->view.eye), frame->view.forward);
    frame->fog_start = depth - half;
    frame->fog_end = depth + 1.6f * half;
    fill_tables(frame);
    frame->back_top = to_linear(frame, frame->scene->background_top);
    frame->back_bottom = to_linear(frame, frame->scene->background_bottom);
}

static bool frame_reserve(frame3 *frame)
{
    size_t pixels = (size_t)frame->target->width * (size_t)frame->target->height,
           samples = pixels * SAMPLES * SAMPLES;
    frame->depth = malloc(samples * sizeof *frame->depth);
    frame->owner = malloc(samples * sizeof *frame->owner);
    frame->ambient = malloc(pixels);
    frame->colours = malloc((frame->scene->particle_count + 1) * sizeof *frame->colours);
    frame->normals = calloc(frame->scene->particle_count + 1, sizeof *frame->normals);
    frame->solids = malloc((frame->scene->shape_count + 1) * sizeof *frame->solids);
    if (!frame->depth || !frame->owner || !frame->ambient || !frame->colours || !frame->solids ||
        !frame->normals)
        return false;
    for (size_t i = 0; i < samples; i++) frame->depth[i] = INFINITY;
    memset(frame->owner, 0xff, samples * sizeof *frame->owner);
    surface3_prepare(frame);
    frame->solid_count = scene_solids(frame->scene, frame->solids);
    return shadow_create(&frame->shadow, frame->scene, frame->normals, frame->solids,
                         frame->solid_count);
}

static void frame_free(frame3 *frame)
{
    free(frame->depth);
    free(frame->owner);
    free(frame->ambient);
    free(frame->colours);
    free(frame->normals);
    free(frame->solids);
    shadow_free(&frame->shadow);
}

int render_draw3(const render_scene *scene, canvas *target)
{
    frame3 frame = {.scene = scene, .target = target};
    if (scene->particle_count >= OWNER_TRIANGLE ||
        scene->triangle_count >= OWNER_SOLID - OWNER_TRIANGLE)
        return HOST_OUT_OF_MEMORY;
    frame.width = target->width * SAMPLES;
    frame.height = target->height * SAMPLES;
    prepare(&frame);
    bool ready = frame_reserve(&frame);
    if (ready) {
        float speed_scale = scene_speed_scale(scene);
        for (size_t i = 0; i < scene->particle_count; i++)
            frame.colours[i] = scene_particle_colour(scene, i, speed_scale);
        surface3_place(&frame);
        for (size_t i = 0; i < scene->particle_count; i++)
            if (scene_is_ball(scene, i) && !surface3_is_corner(&frame, i))
                place_bead(&frame, (uint32_t)i);
        place_solids_and_floor(&frame);
        find_ambient(&frame);
        shade_all(&frame);
        draw_outlines(&frame);
        if (scene->fluids) ready = fluid3_draw(&frame) == HOST_DONE;
        if (ready && scene->smokes) ready = smoke3_draw(&frame) == HOST_DONE;
    }
    frame_free(&frame);
    return ready ? HOST_DONE : HOST_OUT_OF_MEMORY;
}
