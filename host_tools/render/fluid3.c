/* SPDX-License-Identifier: MIT
   host_tools/render/fluid3.c - 3D fluids: a smooth surface with thickness, refraction, reflection.
   reads   a picture of all other objects and their depths      writes  the picture
   memory  36 bytes per pixel, 24 per node of a coarse grid      cost    800 instructions per pixel
           of the fluid, and the samples of each sphere
   after   screen-space fluids (van der Laan, Green and Sainz 2009): depth of spheres, smoothed;
           normals from it; thickness by additive splats. Smoothing by a separable bilateral filter
           with a growing stride (Dammertz et al. 2010); Fresnel by Schlick 1994 */
#include "frame3.h"
#include <stdlib.h>
#include <string.h>

/* Lengths in spacings of the particles. */
#define SPHERE     0.75f /* radius of the spheres */
#define OUTLINE    0.35f /* standard deviation of the smoothing of the outline */
#define SPLAT      1.2f  /* radius of the splats of thickness */
#define RANGE      1.0f  /* bends of depth that are smoothed over a spacing and more */
#define RANGE_FINE 3.0f  /* the same over short distances */
#define EXTENT     1.1f  /* standard deviation of the smoothing */
#define CLEAR      9.0f  /* thickness at which the ground is hardly seen */
#define SCATTER    0.55f /* light scattered back, per thickness */
#define SKIN       2.5f  /* depth below the surface that gives the colour */
#define BEND       0.22f /* refraction: shift of the ground per thickness */
#define BEND_MAX   5.0f

#define EMPTY      1e30f
#define INSIDE     0.66f /* smoothed cover on the outline: 0.15 spacings inside the spheres */
#define STEEP      4.0f  /* difference of a pair, in ranges */
#define FINE       3     /* levels that are repeated */
#define VECTOR     4     /* numbers that are filtered at once */
#define TAPS       5
#define LEVELS_MAX 8

/* Sums over the particles at a node of the coarse grid. */
typedef struct thickness {
    float sum, weight, red, green, blue; /* sum in world units; colours weighted by `weight` */
    float cover;                         /* share that the spheres cover, smoothed */
} thickness;

typedef struct fluid3 {
    const frame3 *frame;
    float spacing, focal;  /* world units; samples at depth 1 */
    float *depth, *other;  /* per sample: depth of the surface; EMPTY: none */
    int32_t *first, *last; /* per row of samples: the part that has fluid; first > last: none */
    int32_t pitch;         /* samples between nodes of the coarse grid */
    int32_t columns, rows;
    thickness *nodes;
    uint8_t *ground;    /* copy of the picture without fluids */
    float samples;      /* per spacing, in the middle of the scene */
    int levels, rounds; /* of the filters of depth and of the outline */
    int32_t base;       /* samples between the depths that give a normal */
    float edge;         /* samples over which the outline fades, per cover */
} fluid3;

/* ---- depth of the spheres */

typedef struct fluid_ball {
    canvas_point at; /* samples */
    float depth;
} fluid_ball;

static bool ball_of(const fluid3 *fluid, size_t particle, fluid_ball *ball)
{
    const frame3 *frame = fluid->frame;
    if (!scene_is_fluid(frame->scene, particle)) return false;
    vec3 centre = scene_point(frame->scene, frame->scene->positions + particle * 3);
    return view_project(&frame->view, centre, &ball->at, &ball->depth) &&
           ball->depth > SPHERE * fluid->spacing;
}

static void place_ball(const fluid3 *fluid, const fluid_ball *ball)
{
    const frame3 *frame = fluid->frame;
    float radius = SPHERE * fluid->spacing,
          extent = fmaxf(radius * fluid->focal / ball->depth, 1.2f), scale = 1 / extent;
    int32_t left = pixel_floor(ball->at.x - extent, 0, frame->width),
            right = pixel_floor(ball->at.x + extent, -1, frame->width - 1),
            top = pixel_floor(ball->at.y - extent, 0, frame->height),
            bottom = pixel_floor(ball->at.y + extent, -1, frame->height - 1);
    for (int32_t y = top; y <= bottom && left <= right; y++) {
        float down = ((float)y + 0.5f - ball->at.y) * scale, room = 1 - down * down;
        float *row = fluid->depth + (size_t)y * (size_t)frame->width;
        if (!(room > 0)) continue;
        for (int32_t x = left; x <= right; x++) {
            float across = ((float)x + 0.5f - ball->at.x) * scale, rest = room - across * across;
            if (!(rest > 0) || ball->depth - radius >= row[x]) continue;
            float depth = ball->depth - radius * sqrtf(rest);
            if (depth < row[x]) row[x] = depth;
        }
        if (left < fluid->first[y]) fluid->first[y] = left;
        if (right > fluid->last[y]) fluid->last[y] = right;
    }
}

/* ---- smoothing */

/* One value of the filter. The two taps of a pair have one weight, so that slopes stay as they are:
   that of the bend between them, and less if they are far apart. */
static inline float filtered(float a, float b, float c, float d, float e, float scale)
{
    float twice = 2 * c, far = scale / STEEP;
    float bend = (b + d - twice) * scale, rise = (d - b) * far,
          near = 1 - bend * bend - rise * rise;
    near = near > 0 ? near : 0;
    near = 4 * near * near;
    bend = (a + e - twice) * scale;
    rise = (e - a) * far;
    float wide = 1 - bend * bend - rise * rise;
    wide = wide > 0 ? wide : 0;
    wide = wide * wide;
    return (3 * twice + near * (b + d) + wide * (a + e)) / (6 + 2 * near + 2 * wide);
}

/* One direction: `taps` are the values at -2, -1, 0, 1, 2 strides of the first of `count`
   samples. */
static void filter(const float *const taps[TAPS], float *restrict to, int32_t count, float range)
{
    const float *a = taps[0], *b = taps[1], *c = taps[2], *d = taps[3], *e = taps[4];
    float scale = 1 / range;
    int32_t i = 0;
    for (; i + VECTOR <= count; i += VECTOR)
        for (int32_t k = 0; k < VECTOR; k++)
            to[i + k] = filtered(a[i + k], b[i + k], c[i + k], d[i + k], e[i + k], scale);
    for (; i < count; i++) to[i] = filtered(a[i], b[i], c[i], d[i], e[i], scale);
}

/* Rows; `line` has 2 strides of EMPTY samples on both sides. */
static void filter_rows(const fluid3 *fluid, float *line, int32_t stride, float range)
{
    int32_t width = fluid->frame->width, margin = 2 * stride;
    for (int32_t i = 0; i < margin; i++) line[i] = line[margin + width + i] = EMPTY;
    for (int32_t y = 0; y < fluid->frame->height; y++) {
        int32_t first = fluid->first[y], count = fluid->last[y] - first + 1;
        float *row = fluid->depth + (size_t)y * (size_t)width;
        if (count <= 0) continue;
        memcpy(line + margin, row, (size_t)width * sizeof *line);
        const float *taps[TAPS];
        for (int k = 0; k < TAPS; k++) taps[k] = line + margin + first + (k - 2) * stride;
        filter(taps, fluid->other + (size_t)y * (size_t)width + first, count, range);
    }
}

/* Near the upper and lower edge of the picture the stride is shorter, so that both taps exist. */
static void filter_columns(const fluid3 *fluid, int32_t stride, float range)
{
    int32_t width = fluid->frame->width, height = fluid->frame->height;
    for (int32_t y = 0; y < height; y++) {
        int32_t first = fluid->first[y], count = fluid->last[y] - first + 1,
                most = (y < height - 1 - y ? y : height - 1 - y) / 2;
        int32_t step = stride < most ? stride : most;
        const float *taps[TAPS];
        if (count <= 0) continue;
        for (int k = 0; k < TAPS; k++)
            taps[k] = fluid->other + (size_t)(y + (k - 2) * step) * (size_t)width + first;
        filter(taps, fluid->depth + (size_t)y * (size_t)width + first, count, range);
    }
}

/* Strides of 1, 2, 4, ... samples, whose variances add up; then 4, 2 and 1 again, which remove what
   the gaps between the taps leave. */
static bool smooth_depth(fluid3 *fluid)
{
    size_t margin = 2 << LEVELS_MAX;
    float *line = malloc(((size_t)fluid->frame->width + 2 * margin) * sizeof *line);
    if (!line) return false;
    int again = fluid->levels < FINE ? fluid->levels : FINE;
    for (int round = 0; round < fluid->levels + again; round++) {
        int level = round < fluid->levels ? round : fluid->levels + again - 1 - round;
        int32_t stride = 1 << level;
        float fine = clamp01(1 - 2 * (float)stride / fluid->samples),
              range = (RANGE + (RANGE_FINE - RANGE) * fine) * fluid->spacing;
        filter_rows(fluid, line, stride, range);
        filter_columns(fluid, stride, range);
    }
    free(line);
    return true;
}

/* ---- thickness and colour */

static float depth_at(const fluid3 *fluid, const float *depths, int32_t x, int32_t y)
{
    int32_t width = fluid->frame->width, height = fluid->frame->height;
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return depths[(size_t)y * (size_t)width + (size_t)x];
}

static void add_thickness(const fluid3 *fluid, const fluid_ball *ball, vec3 colour)
{
    float pitch = (float)fluid->pitch, step = fluid->spacing,
          extent = fmaxf(SPLAT * step * fluid->focal / ball->depth / pitch, 1), scale = 1 / extent;
    /* a particle stands for spacing^3: its splat has that volume */
    float most = 3 * step / (RENDER_PI * SPLAT * SPLAT);
    float at_x = ball->at.x / pitch - 0.5f, at_y = ball->at.y / pitch - 0.5f;
    int32_t left = pixel_floor(at_x - extent, -1, fluid->columns) + 1,
            right = pixel_floor(at_x + extent, -1, fluid->columns - 1),
            top = pixel_floor(at_y - extent, -1, fluid->rows) + 1,
            bottom = pixel_floor(at_y + extent, -1, fluid->rows - 1);
    for (int32_t y = top; y <= bottom; y++) {
        for (int32_t x = left; x <= right; x++) {
            float across = ((float)x - at_x) * scale, down = ((float)y - at_y) * scale,
                  inner = 1 - across * across - down * down;
            if (!(inner > 0)) continue;
            thickness *node = &fluid->nodes[(size_t)y * (size_t)fluid->columns + (size_t)x];
            float room = clamp01(extent * (SPHERE / SPLAT - sqrtf(1 - inner)) + 0.5f);
            if (room > node->cover) node->cover = room;
            int32_t column = x * fluid->pitch + fluid->pitch / 2,
                    row = y * fluid->pitch + fluid->pitch / 2;
            if (ball->depth >= depth_at(fluid, fluid->frame->depth, column, row)) continue;
            float front = depth_at(fluid, fluid->depth, column, row);
            float below = front < EMPTY / 2 ? (ball->depth - front) / (SKIN * step) : 0;
            float amount = most * inner * inner, weight = amount / (1 + below * below);
            node->sum += amount;
            node->weight += weight;
            node->red += weight * colour.x;
            node->green += weight * colour.y;
            node->blue += weight * colour.z;
        }
    }
}

/* One round of (1 2 1) / 4 along a line of nodes, in place; the ends stay. */
static void smooth_line(thickness *node, int32_t count, int32_t step)
{
    float before = node->cover;
    for (int32_t i = 1; i + 1 < count; i++) {
        thickness *here = node + (size_t)i * (size_t)step;
        float own = here->cover;
        here->cover = 0.25f * before + 0.5f * own + 0.25f * here[step].cover;
        before = own;
    }
}

static void smooth_cover(const fluid3 *fluid)
{
    for (int round = 0; round < fluid->rounds; round++) {
        for (int32_t y = 0; y < fluid->rows; y++)
            smooth_line(fluid->nodes + (size_t)y * (size_t)fluid->columns, fluid->columns, 1);
        for (int32_t x = 0; x < fluid->columns; x++)
            smooth_line(fluid->nodes + x, fluid->rows, fluid->columns);
    }
}

/* Bilinear interpolation of the coarse grid at a sample position. */
static thickness thickness_at(const fluid3 *fluid, float x, float y)
{
    float across = x / (float)fluid->pitch - 0.5f, down = y / (float)fluid->pitch - 0.5f;
    int32_t column = pixel_floor(across, 0, fluid->columns - 2),
            row = pixel_floor(down, 0, fluid->rows - 2);
    float u = clamp01(across - (float)column), v = clamp01(down - (float)row);
    const thickness *node = fluid->nodes + (size_t)row * (size_t)fluid->columns + (size_t)column;
    const float shares[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
    thickness sum = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        const thickness *from = node + (i & 1) + (i >> 1) * fluid->columns;
        sum.sum += shares[i] * from->sum;
        sum.weight += shares[i] * from->weight;
        sum.red += shares[i] * from->red;
        sum.green += shares[i] * from->green;
        sum.blue += shares[i] * from->blue;
        sum.cover += shares[i] * from->cover;
    }
    return sum;
}

/* ---- light */

/* The side of a difference that stays on the same surface: the one with the smaller change of
   depth. `step` returns -1 or 1. */
static float nearer_side(float before, float depth, float after, float *step)
{
    bool is_before = fabsf(before - depth) < fabsf(after - depth);
    *step = is_before ? -1.0f : 1.0f;
    return is_before ? before : after;
}

static vec3 normal_at(const fluid3 *fluid, int32_t x, int32_t y)
{
    const view3 *view = &fluid->frame->view;
    float depth = depth_at(fluid, fluid->depth, x, y), step_x, step_y;
    int32_t base = fluid->base;
    float side = nearer_side(depth_at(fluid, fluid->depth, x - base, y), depth,
                             depth_at(fluid, fluid->depth, x + base, y), &step_x);
    float above = nearer_side(depth_at(fluid, fluid->depth, x, y - base), depth,
                              depth_at(fluid, fluid->depth, x, y + base), &step_y);
    step_x *= (float)base;
    step_y *= (float)base;
    float at_x = (float)x + 0.5f, at_y = (float)y + 0.5f;
    vec3 ray = view_ray(view, at_x, at_y), here = vec3_scale(ray, depth);
    if (side > EMPTY / 2 || above > EMPTY / 2) return vec3_unit(vec3_scale(ray, -1));
    vec3 across = vec3_sub(vec3_scale(view_ray(view, at_x + step_x, at_y), side), here),
         down = vec3_sub(vec3_scale(view_ray(view, at_x, at_y + step_y), above), here);
    vec3 normal = vec3_unit(vec3_cross(vec3_scale(across, step_x), vec3_scale(down, step_y)));
    return vec3_dot(normal, ray) > 0 ? vec3_scale(normal, -1) : normal;
}

static vec3 sky(float height) /* -1 below .. 1 above */
{
    static const vec3 ground = {0.02f, 0.03f, 0.06f}, horizon = {0.30f, 0.38f, 0.52f},
                      zenith = {0.75f, 0.86f, 1.00f};
    return height < 0 ? vec3_mix(horizon, ground, smooth(0, 0.35f, -height))
                      : vec3_mix(horizon, zenith, height);
}

/* Light of the ground behind the fluid, shifted by refraction; not shifted if something in front
   of the fluid is there. */
static vec3 ground_at(const fluid3 *fluid, float x, float y, vec3 normal, float depth, float thick)
{
    const frame3 *frame = fluid->frame;
    float shift = BEND * fminf(thick, BEND_MAX * fluid->spacing) * fluid->focal / depth;
    float to_x = x - shift * vec3_dot(normal, frame->view.right),
          to_y = y + shift * vec3_dot(normal, frame->view.up);
    int32_t column = pixel_floor(to_x, 0, frame->width - 1),
            row = pixel_floor(to_y, 0, frame->height - 1);
    if (depth_at(fluid, frame->depth, column, row) < depth) {
        column = pixel_floor(x, 0, frame->width - 1);
        row = pixel_floor(y, 0, frame->height - 1);
    }
    const uint8_t *pixel =
        fluid->ground +
        ((size_t)(row / SAMPLES) * (size_t)frame->target->width + (size_t)(column / SAMPLES)) * 4;
    return vec3_of(frame->decode[pixel[0]], frame->decode[pixel[1]], frame->decode[pixel[2]]);
}

/* What is inside the fluid: the ground, absorbed by Beer and Lambert's law, and scattered light. */
static vec3 inner_light(const fluid3 *fluid, const thickness *at, vec3 ground, vec3 normal,
                        float lit)
{
    static const vec3 lamp = {1.20f, 1.13f, 1.02f}, above = {0.50f, 0.58f, 0.75f},
                      below = {0.16f, 0.19f, 0.27f};
    float share = at->weight > 0 ? 1 / at->weight : 0, thick = at->sum / fluid->spacing;
    vec3 own = vec3_of(at->red * share, at->green * share, at->blue * share);
    float seen = render_fading(thick * 3 / CLEAR);
    vec3 through = vec3_of(render_fading(thick * (1 - own.x) / CLEAR * 3),
                           render_fading(thick * (1 - own.y) / CLEAR * 3),
                           render_fading(thick * (1 - own.z) / CLEAR * 3));
    float facing = 0.55f + 0.45f * vec3_dot(normal, fluid->frame->shadow.light);
    vec3 arriving = vec3_along(vec3_mix(below, above, 0.5f + 0.5f * normal.y), lamp,
                               fmaxf(facing, 0) * facing * (0.25f + 0.75f * lit));
    vec3 passed = vec3_scale(vec3_mul(ground, through), seen);
    return vec3_along(passed, vec3_mul(own, arriving), 1 - render_fading(thick * SCATTER));
}

/* The part of the surface at (x, y) in samples; `depth` and `normal` are those there. */
static vec3 surface_light(const fluid3 *fluid, float x, float y, float depth, vec3 normal)
{
    static const vec3 lamp = {2.4f, 2.25f, 2.0f};
    const frame3 *frame = fluid->frame;
    vec3 ray = view_ray(&frame->view, x, y), to_eye = vec3_unit(vec3_scale(ray, -1));
    thickness at = thickness_at(fluid, x, y);
    vec3 point = vec3_along(frame->view.eye, ray, depth);
    float lit = shadow_light(
        &frame->shadow,
        vec3_along(point, normal, 0.6f * fluid->spacing + 1.5f / frame->shadow.texels));
    vec3 ground = ground_at(fluid, x, y, normal, depth, at.sum);
    vec3 inner = inner_light(fluid, &at, ground, normal, lit);
    float cosine = clamp01(vec3_dot(normal, to_eye)), edge = 1 - cosine;
    float mirror = 0.02f + 0.80f * edge * edge * edge * edge * edge;
    vec3 back = vec3_sub(vec3_scale(normal, 2 * cosine), to_eye);
    vec3 light = vec3_mix(inner, sky(back.y), mirror);
    float shine = vec3_dot(normal, vec3_unit(vec3_add(frame->shadow.light, to_eye)));
    if (shine > 0) {
        float power = shine * shine; /* power 128, by squaring */
        for (int i = 0; i < 6; i++) power *= power;
        light = vec3_along(light, lamp, power * lit * 0.55f);
    }
    return vec3_of(fminf(light.x, 1.2f), fminf(light.y, 1.2f), fminf(light.z, 1.2f));
}

/* ---- pixels */

/* Share of a sample that shows the fluid. */
static float share_seen(const fluid3 *fluid, int32_t x, int32_t y)
{
    size_t sample = (size_t)y * (size_t)fluid->frame->width + (size_t)x;
    float depth = fluid->depth[sample];
    if (!(depth < EMPTY / 2 && depth < fluid->frame->depth[sample])) return 0;
    float cover = thickness_at(fluid, (float)x + 0.5f, (float)y + 0.5f).cover;
    return clamp01((cover - INSIDE) * fluid->edge + 0.5f);
}

/* Light of a pixel: of its samples that show the fluid, or of its centre if all show one
   surface. */
static void paint_pixel(const fluid3 *fluid, int32_t x, int32_t y, uint8_t *pixel)
{
    const frame3 *frame = fluid->frame;
    float least = EMPTY, most = 0, mean = 0, shares[4], seen = 0;
    int32_t left = x * SAMPLES, top = y * SAMPLES;
    for (int i = 0; i < 4; i++) {
        shares[i] = share_seen(fluid, left + (i & 1), top + (i >> 1));
        if (!(shares[i] > 0)) continue;
        float depth = depth_at(fluid, fluid->depth, left + (i & 1), top + (i >> 1));
        least = fminf(least, depth);
        most = fmaxf(most, depth);
        mean += depth / 4;
        seen += shares[i] / 4;
    }
    if (!(seen > 0)) return;
    vec3 sum = vec3_of(frame->decode[pixel[0]], frame->decode[pixel[1]], frame->decode[pixel[2]]);
    if (seen >= 1 && most - least < 0.5f * fluid->spacing) {
        vec3 normal = vec3_add(normal_at(fluid, left, top), normal_at(fluid, left + 1, top + 1));
        sum = surface_light(fluid, (float)left + 1, (float)top + 1, mean, vec3_unit(normal));
    } else {
        sum = vec3_scale(sum, 1 - seen);
        for (int i = 0; i < 4; i++) {
            int32_t column = left + (i & 1), row = top + (i >> 1);
            if (!(shares[i] > 0)) continue;
            vec3 light = surface_light(fluid, (float)column + 0.5f, (float)row + 0.5f,
                                       depth_at(fluid, fluid->depth, column, row),
                                       normal_at(fluid, column, row));
            sum = vec3_along(sum, light, shares[i] / 4);
        }
    }
    pixel[0] = to_level(frame, sum.x);
    pixel[1] = to_level(frame, sum.y);
    pixel[2] = to_level(frame, sum.z);
}

static void paint_fluid(const fluid3 *fluid)
{
    const frame3 *frame = fluid->frame;
    for (int32_t y = 0; y < frame->target->height; y++) {
        int32_t first = fluid->first[y * SAMPLES], last = fluid->last[y * SAMPLES];
        for (int32_t row = y * SAMPLES + 1; row < (y + 1) * SAMPLES; row++) {
            first = fluid->first[row] < first ? fluid->first[row] : first;
            last = fluid->last[row] > last ? fluid->last[row] : last;
        }
        for (int32_t x = first / SAMPLES; x <= last / SAMPLES && first <= last; x++)
            paint_pixel(fluid, x, y, canvas_at(frame->target, x, y));
    }
}

/* ---- the frame */

/* Chooses the number of levels and the coarse grid for the spacing at the middle of the scene. */
static void measure(fluid3 *fluid)
{
    const frame3 *frame = fluid->frame;
    float depth = vec3_dot(vec3_sub(frame->middle, frame->view.eye), frame->view.forward);
    float spacing = depth > 0 ? fluid->spacing * fluid->focal / depth : 1;
    /* the variance of strides 1, 2, ..., 2^(n - 1) is (4^n - 1) / 3 */
    float wanted = 3 * EXTENT * EXTENT * spacing * spacing + 1;
    for (float reached = 4; reached < wanted * 2 && fluid->levels < LEVELS_MAX; reached *= 4)
        fluid->levels++;
    fluid->samples = fmaxf(spacing, 1);
    fluid->base = pixel_floor(spacing / 8, 1, 16);
    fluid->pitch = pixel_floor(spacing / 4, SAMPLES, 64);
    /* a round has the variance 1 / 2 */
    float wide = OUTLINE * spacing / (float)fluid->pitch;
    fluid->rounds = pixel_floor(2 * wide * wide + 0.5f, 1, 16);
    fluid->edge = OUTLINE * spacing / 0.4f;
    fluid->columns = frame->width / fluid->pitch + 2;
    fluid->rows = frame->height / fluid->pitch + 2;
}

static bool reserve(fluid3 *fluid)
{
    const frame3 *frame = fluid->frame;
    size_t samples = (size_t)frame->width * (size_t)frame->height,
           bytes = (size_t)frame->target->width * (size_t)frame->target->height * 4;
    fluid->depth = malloc(samples * sizeof *fluid->depth);
    fluid->other = malloc(samples * sizeof *fluid->other);
    fluid->first = malloc((size_t)frame->height * sizeof *fluid->first);
    fluid->last = malloc((size_t)frame->height * sizeof *fluid->last);
    fluid->nodes = calloc((size_t)fluid->columns * (size_t)fluid->rows, sizeof *fluid->nodes);
    fluid->ground = malloc(bytes);
    if (!fluid->depth || !fluid->other || !fluid->first || !fluid->last || !fluid->nodes ||
        !fluid->ground)
        return false;
    for (size_t i = 0; i < samples; i++) fluid->depth[i] = fluid->other[i] = EMPTY;
    for (int32_t y = 0; y < frame->height; y++) {
        fluid->first[y] = frame->width;
        fluid->last[y] = -1;
    }
    memcpy(fluid->ground, frame->target->pixels, bytes);
    return true;
}

int fluid3_draw(const frame3 *frame)
{
    fluid3 fluid = {.frame = frame, .spacing = scene_spacing(frame->scene)};
    fluid_ball ball;
    fluid.focal = frame->view.focal;
    measure(&fluid);
    bool is_ready = reserve(&fluid);
    for (size_t i = 0; i < frame->scene->particle_count && is_ready; i++)
        if (ball_of(&fluid, i, &ball)) place_ball(&fluid, &ball);
    if (is_ready) is_ready = smooth_depth(&fluid);
    for (size_t i = 0; i < frame->scene->particle_count && is_ready; i++)
        if (ball_of(&fluid, i, &ball))
            add_thickness(&fluid, &ball, to_linear(frame, frame->colours[i]));
    if (is_ready) smooth_cover(&fluid);
    if (is_ready) paint_fluid(&fluid);
    free(fluid.depth);
    free(fluid.other);
    free(fluid.first);
    free(fluid.last);
    free(fluid.nodes);
    free(fluid.ground);
    return is_ready ? HOST_DONE : HOST_OUT_OF_MEMORY;
}
