/* SPDX-License-Identifier: MIT
   host_tools/render/smoke3.c - 3D smoke: particles as a volume that absorbs and scatters light,
           with its shadow on itself and on what stands around it.
   reads   a picture of all other objects and their depths      writes  the picture
   memory  36 bytes per cell of a grid of at most 2 million      cost    a march per pixel through
           the cells that have smoke, and one per cell towards the lamp
   after   volume rendering by emission and absorption (Max 1995); hot smoke emits as a black body
           (Planck 1901) at three wavelengths. Steps begin at an offset of
           interleaved gradient noise (Jimenez 2014), which hides their layers */
#include "frame3.h"
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX  2000000.0f
#define CELL       1.5f /* side of a cell, in drawn radii */
#define CROSS      0.4f /* cross-section of a particle, in discs of its drawn radius */
#define ROUNDS     2    /* of smoothing, in each direction */
#define BLOCK      8    /* cells along a side of a block, which is skipped if it is empty */
#define SHADE_STEP 1.5f /* cells between two samples towards the lamp */
#define FAINT      0.003f
#define MARGIN     (ROUNDS + 1)

typedef struct cell {
    float sum;   /* particles, smoothed */
    vec3 colour; /* linear, times the sum */
    vec3 glow;   /* emitted light, times the sum */
} cell;

typedef struct smoke3 {
    const frame3 *frame;
    vec3 low;
    float side, inverse; /* of a cell, world units */
    int32_t count[3], blocks[3];
    float thick; /* optical depth of one particle in a cell, per cell of length */
    cell *cells;
    float *light;       /* share of the lamp that arrives */
    uint8_t *has_smoke; /* per block */
} smoke3;

/* ---- the grid */

static size_t cell_index(const smoke3 *smoke, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)z * (size_t)smoke->count[1] + (size_t)y) * (size_t)smoke->count[0] + (size_t)x;
}

static bool smoke_place(const frame3 *frame, size_t particle, vec3 *at)
{
    if (!scene_is_smoke(frame->scene, particle)) return false;
    *at = scene_point(frame->scene, frame->scene->positions + particle * 3);
    return isfinite(at->x) && isfinite(at->y) && isfinite(at->z);
}

/* The box of the smoke within twice the bounds of the picture; false: there is none. */
static bool measure(smoke3 *smoke)
{
    const frame3 *frame = smoke->frame;
    vec3 low, high, from = {INFINITY, INFINITY, INFINITY}, to = {-INFINITY, -INFINITY, -INFINITY},
                    at;
    scene_bounds3(frame->scene, &low, &high);
    vec3 half = vec3_scale(vec3_sub(high, low), 0.5f);
    low = vec3_sub(low, half), high = vec3_add(high, half);
    for (size_t i = 0; i < frame->scene->particle_count; i++) {
        if (!smoke_place(frame, i, &at)) continue;
        from = vec3_of(fminf(from.x, at.x), fminf(from.y, at.y), fminf(from.z, at.z));
        to = vec3_of(fmaxf(to.x, at.x), fmaxf(to.y, at.y), fmaxf(to.z, at.z));
    }
    from = vec3_of(fmaxf(from.x, low.x), fmaxf(from.y, low.y), fmaxf(from.z, low.z));
    to = vec3_of(fminf(to.x, high.x), fminf(to.y, high.y), fminf(to.z, high.z));
    if (!(from.x <= to.x && from.y <= to.y && from.z <= to.z)) return false;
    vec3 size = vec3_sub(to, from);
    smoke->side = CELL * frame->scene->radius;
    float edge = 2 * MARGIN + 1, x = size.x / smoke->side + edge, y = size.y / smoke->side + edge,
          z = size.z / smoke->side + edge;
    if (x * y * z > CELLS_MAX) smoke->side *= cbrtf(x * y * z / CELLS_MAX);
    smoke->inverse = 1 / smoke->side;
    smoke->low = vec3_along(from, vec3_of(1, 1, 1), -(float)MARGIN * smoke->side);
    const float sizes[3] = {size.x, size.y, size.z};
    for (int axis = 0; axis < 3; axis++) {
        smoke->count[axis] = (int32_t)(sizes[axis] * smoke->inverse) + 2 * MARGIN + 1;
        smoke->blocks[axis] = (smoke->count[axis] + BLOCK - 1) / BLOCK;
    }
    float radius = frame->scene->radius;
    smoke->thick = CROSS * RENDER_PI * radius * radius * smoke->inverse * smoke->inverse;
    return true;
}

static bool reserve(smoke3 *smoke)
{
    size_t cells = cell_index(smoke, 0, 0, smoke->count[2]),
           blocks = (size_t)smoke->blocks[0] * (size_t)smoke->blocks[1] * (size_t)smoke->blocks[2];
    smoke->cells = calloc(cells, sizeof *smoke->cells);
    smoke->light = malloc(cells * sizeof *smoke->light);
    smoke->has_smoke = calloc(blocks, 1);
    return smoke->cells && smoke->light && smoke->has_smoke;
}

/* exp(-x) for x up to 30, within 1 %. */
static float fading_far(float x)
{
    float y = x / 1024, base = fmaxf(1 - y * (1 - 0.5f * y), 0);
    for (int i = 0; i < 10; i++) base *= base;
    return base;
}

/* Radiance of a black body at a wavelength, micrometres, relative to its peak. */
static float planck(float wavelength, float kelvins)
{
    float x = 14388 / (wavelength * kelvins), part = fading_far(x);
    return x * x * x * x * x * part / (1 - part) / 21.2f;
}

/* What a particle emits: the colour of its temperature, and a brightness of the fourth power of it,
   as eyes and films, which adapt, show it. */
static vec3 glow_of(const render_scene *scene, size_t particle)
{
    const float surroundings = 293;
    if (!(scene->glow > 0) || !scene->values || !(scene->values[particle] > 100))
        return vec3_of(0, 0, 0);
    float kelvins = fminf(scene->values[particle] + surroundings, 10000),
          share = kelvins / (scene->glow + surroundings), bright = share * share * share * share;
    vec3 colour = vec3_of(planck(0.61f, kelvins), planck(0.549f, kelvins), planck(0.468f, kelvins));
    float most = fmaxf(colour.x, fmaxf(colour.y, colour.z));
    return most > 0 ? vec3_scale(colour, bright / most) : colour;
}

static void deposit(const smoke3 *smoke)
{
    vec3 at;
    for (size_t i = 0; i < smoke->frame->scene->particle_count; i++) {
        if (!smoke_place(smoke->frame, i, &at)) continue;
        at = vec3_scale(vec3_sub(at, smoke->low), smoke->inverse);
        int32_t x = pixel_floor(at.x, -1, smoke->count[0]),
                y = pixel_floor(at.y, -1, smoke->count[1]),
                z = pixel_floor(at.z, -1, smoke->count[2]);
        bool is_inside = x >= 0 && y >= 0 && z >= 0 && x < smoke->count[0] - 1 &&
                         y < smoke->count[1] - 1 && z < smoke->count[2] - 1;
        if (!is_inside) continue;
        vec3 colour = to_linear(smoke->frame, smoke->frame->colours[i]),
             glow = glow_of(smoke->frame->scene, i);
        for (int k = 0; k < 8; k++) {
            float u = at.x - (float)x, v = at.y - (float)y, w = at.z - (float)z,
                  share = (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v) * (k & 4 ? w : 1 - w);
            cell *to =
                &smoke->cells[cell_index(smoke, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))];
            to->sum += share;
            to->colour = vec3_along(to->colour, colour, share);
            to->glow = vec3_along(to->glow, glow, share);
        }
    }
}

static cell cell_mean(cell before, cell here, cell after)
{
    cell mean = {0.25f * before.sum + 0.5f * here.sum + 0.25f * after.sum, {0, 0, 0}, {0, 0, 0}};
    mean.colour = vec3_scale(vec3_add(before.colour, after.colour), 0.25f);
    mean.colour = vec3_along(mean.colour, here.colour, 0.5f);
    mean.glow = vec3_scale(vec3_add(before.glow, after.glow), 0.25f);
    mean.glow = vec3_along(mean.glow, here.glow, 0.5f);
    return mean;
}

/* One round of (1 2 1) / 4 along a line of cells; the ends, which are empty, stay. */
static void smooth_line(cell *line, int32_t count, size_t step)
{
    cell before = line[0];
    for (int32_t i = 1; i + 1 < count; i++) {
        cell *here = line + (size_t)i * step, own = *here;
        *here = cell_mean(before, own, here[step]);
        before = own;
    }
}

static void smooth_cells(const smoke3 *smoke)
{
    const int32_t *count = smoke->count;
    const size_t steps[3] = {1, (size_t)count[0], (size_t)count[0] * (size_t)count[1]};
    for (int round = 0; round < ROUNDS; round++)
        for (int axis = 0; axis < 3; axis++) {
            int a = (axis + 1) % 3, b = (axis + 2) % 3;
            for (int32_t j = 0; j < count[b]; j++)
                for (int32_t i = 0; i < count[a]; i++)
                    smooth_line(smoke->cells + (size_t)i * steps[a] + (size_t)j * steps[b],
                                count[axis], steps[axis]);
        }
}

/* A block has smoke if one of its cells, or of those around it, has some. */
static void find_blocks(const smoke3 *smoke)
{
    for (int32_t z = 0; z < smoke->count[2]; z++)
        for (int32_t y = 0; y < smoke->count[1]; y++)
            for (int32_t x = 0; x < smoke->count[0]; x++) {
                if (!(smoke->cells[cell_index(smoke, x, y, z)].sum > 0)) continue;
                for (int k = 0; k < 8; k++) {
                    int32_t p = (x - (k & 1)) / BLOCK, q = (y - (k >> 1 & 1)) / BLOCK,
                            r = (z - (k >> 2)) / BLOCK;
                    smoke->has_smoke[((size_t)r * (size_t)smoke->blocks[1] + (size_t)q) *
                                         (size_t)smoke->blocks[0] +
                                     (size_t)p] = 1;
                }
            }
}

/* ---- samples */

/* Where a position, in cells, lies: the lowest of eight cells, and the shares of the others. */
typedef struct cell_place {
    size_t first;
    float u, v, w;
} cell_place;

static bool place_of(const smoke3 *smoke, vec3 at, cell_place *place)
{
    int32_t x = (int32_t)at.x, y = (int32_t)at.y, z = (int32_t)at.z;
    if (!(at.x >= 0 && at.y >= 0 && at.z >= 0) || x >= smoke->count[0] - 1 ||
        y >= smoke->count[1] - 1 || z >= smoke->count[2] - 1)
        return false;
    size_t block = ((size_t)(z / BLOCK) * (size_t)smoke->blocks[1] + (size_t)(y / BLOCK)) *
                       (size_t)smoke->blocks[0] +
                   (size_t)(x / BLOCK);
    if (!smoke->has_smoke[block]) return false;
    *place =
        (cell_place){cell_index(smoke, x, y, z), at.x - (float)x, at.y - (float)y, at.z - (float)z};
    return true;
}

static float share_of(const cell_place *place, int k)
{
    return (k & 1 ? place->u : 1 - place->u) * (k & 2 ? place->v : 1 - place->v) *
           (k & 4 ? place->w : 1 - place->w);
}

static size_t cell_of(const smoke3 *smoke, const cell_place *place, int k)
{
    return place->first + (size_t)(k & 1) + (size_t)(k >> 1 & 1) * (size_t)smoke->count[0] +
           (size_t)(k >> 2) * (size_t)smoke->count[0] * (size_t)smoke->count[1];
}

static float sum_at(const smoke3 *smoke, const cell_place *place)
{
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += share_of(place, k) * smoke->cells[cell_of(smoke, place, k)].sum;
    return sum;
}

/* The part of a ray, by its parameter, that is inside of the grid; both in cells. */
static bool clip_ray(const smoke3 *smoke, vec3 origin, vec3 ray, float *from, float *to)
{
    const float o[3] = {origin.x, origin.y, origin.z}, d[3] = {ray.x, ray.y, ray.z};
    for (int axis = 0; axis < 3; axis++) {
        float end = (float)(smoke->count[axis] - 1);
        if (fabsf(d[axis]) < 1e-9f) {
            if (o[axis] < 0 || o[axis] > end) return false;
            continue;
        }
        float a = -o[axis] / d[axis], b = (end - o[axis]) / d[axis];
        *from = fmaxf(*from, fminf(a, b));
        *to = fminf(*to, fmaxf(a, b));
    }
    return *from < *to;
}

/* ---- light */

/* Optical depth from a position, in cells, to the lamp. */
static float depth_to_lamp(const smoke3 *smoke, vec3 at)
{
    vec3 step = vec3_scale(smoke->frame->shadow.light, SHADE_STEP);
    float from = 0.5f, to = INFINITY, depth = 0;
    if (!clip_ray(smoke, at, step, &from, &to)) return 0;
    for (float t = from; t < to; t += 1) {
        cell_place place;
        if (place_of(smoke, vec3_along(at, step, t), &place)) depth += sum_at(smoke, &place);
    }
    return depth * SHADE_STEP * smoke->thick;
}

/* Light that was scattered several times goes deeper than that which comes straight. */
static float lamp_share(float depth)
{
    return 0.7f * render_fading(depth) + 0.3f * render_fading(0.25f * depth);
}

/* Cells of two along each axis share a march: the light changes slowly. */
static void find_light(const smoke3 *smoke)
{
    for (int32_t z = 0; z < smoke->count[2]; z++)
        for (int32_t y = 0; y < smoke->count[1]; y++)
            for (int32_t x = 0; x < smoke->count[0]; x++) {
                size_t here = cell_index(smoke, x, y, z),
                       first = cell_index(smoke, x & ~1, y & ~1, z & ~1);
                cell_place place;
                vec3 at = vec3_of((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
                if (here != first)
                    smoke->light[here] = smoke->light[first];
                else
                    smoke->light[here] =
                        place_of(smoke, vec3_of((float)x, (float)y, (float)z), &place)
                            ? lamp_share(depth_to_lamp(smoke, at))
                            : 1;
            }
}

/* ---- pixels */

static vec3 in_cells(const smoke3 *smoke, vec3 point)
{
    return vec3_scale(vec3_sub(point, smoke->low), smoke->inverse);
}

static float light_at(const smoke3 *smoke, const cell_place *place, vec3 *colour, vec3 *glow)
{
    float light = 0, sum = 0;
    *colour = *glow = vec3_of(0, 0, 0);
    for (int k = 0; k < 8; k++) {
        size_t at = cell_of(smoke, place, k);
        float share = share_of(place, k);
        light += share * smoke->light[at];
        sum += share * smoke->cells[at].sum;
        *colour = vec3_along(*colour, smoke->cells[at].colour, share);
        *glow = vec3_along(*glow, smoke->cells[at].glow, share);
    }
    *glow = vec3_scale(*glow, sum > 0 ? 1 / sum : 0);
    *colour = vec3_scale(*colour, sum > 0 ? 1 / sum : 0);
    return light;
}

/* What a ray gathers: light, and the share of what is behind that still shows. */
typedef struct march {
    vec3 light;
    float seen;
} march;

static void march_step(const smoke3 *smoke, const cell_place *place, float length, vec3 point,
                       march *sum)
{
    static const vec3 lamp = {1.28f, 1.18f, 1.02f}, above = {0.13f, 0.16f, 0.24f};
    float density = sum_at(smoke, place);
    if (!(density > 0)) return;
    float kept = render_fading(density * smoke->thick * length);
    vec3 colour, glow;
    float lit = light_at(smoke, place, &colour, &glow) * shadow_light(&smoke->frame->shadow, point);
    vec3 arriving = vec3_along(above, lamp, lit);
    vec3 leaving = vec3_add(vec3_mul(colour, arriving), glow);
    sum->light = vec3_along(sum->light, leaving, sum->seen * (1 - kept));
    sum->seen *= kept;
}

/* 0 to 1, different in neighbouring pixels (Jimenez 2014). */
static float pixel_noise(int32_t x, int32_t y)
{
    float inner = 0.06711056f * (float)x + 0.00583715f * (float)y;
    float outer = 52.9829189f * (inner - floorf(inner));
    return outer - floorf(outer);
}

static march march_of(const smoke3 *smoke, vec3 ray, float depth, float noise)
{
    vec3 origin = in_cells(smoke, smoke->frame->view.eye), along = vec3_scale(ray, smoke->inverse);
    march sum = {{0, 0, 0}, 1};
    float length = sqrtf(vec3_dot(along, along)), from = 0, to = depth;
    if (!clip_ray(smoke, origin, along, &from, &to)) return sum;
    float step = 1 / length;
    for (float t = from + noise * step; t < to && sum.seen > FAINT; t += step) {
        cell_place place;
        if (place_of(smoke, vec3_along(origin, along, t), &place))
            march_step(smoke, &place, 1, vec3_along(smoke->frame->view.eye, ray, t), &sum);
    }
    return sum;
}

/* Over the picture of all else: the shadow of the smoke on it, then the smoke. */
static void paint_pixel(const smoke3 *smoke, int32_t x, int32_t y, uint8_t *pixel)
{
    const frame3 *frame = smoke->frame;
    float at_x = (float)x * SAMPLES + 1, at_y = (float)y * SAMPLES + 1;
    float depth =
        frame->depth[(size_t)(y * SAMPLES) * (size_t)frame->width + (size_t)(x * SAMPLES)];
    vec3 ray = view_ray(&frame->view, at_x, at_y);
    float shade = 1;
    if (isfinite(depth)) {
        vec3 point = in_cells(smoke, vec3_along(frame->view.eye, ray, depth));
        shade = 0.35f + 0.65f * render_fading(depth_to_lamp(smoke, point));
    }
    march sum = march_of(smoke, ray, depth, pixel_noise(x, y));
    if (sum.seen >= 1 && shade >= 1) return;
    vec3 behind =
        vec3_of(frame->decode[pixel[0]], frame->decode[pixel[1]], frame->decode[pixel[2]]);
    vec3 light = vec3_along(sum.light, behind, sum.seen * shade);
    pixel[0] = to_level(frame, light.x);
    pixel[1] = to_level(frame, light.y);
    pixel[2] = to_level(frame, light.z);
}

int smoke3_draw(const frame3 *frame)
{
    smoke3 smoke = {.frame = frame};
    if (!measure(&smoke)) return HOST_DONE;
    bool is_ready = reserve(&smoke);
    if (is_ready) {
        deposit(&smoke);
        smooth_cells(&smoke);
        find_blocks(&smoke);
        find_light(&smoke);
        for (int32_t y = 0; y < frame->target->height; y++)
            for (int32_t x = 0; x < frame->target->width; x++)
                paint_pixel(&smoke, x, y, canvas_at(frame->target, x, y));
    }
    free(smoke.cells);
    free(smoke.light);
    free(smoke.has_smoke);
    return is_ready ? HOST_DONE : HOST_OUT_OF_MEMORY;
}
