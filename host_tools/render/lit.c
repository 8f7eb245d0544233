/* SPDX-License-Identifier: MIT
   host_tools/render/lit.c - random samples of pixels: rays to surfaces, from there to a point of
           each lamp, and to the sky.
   reads   a render_scene, a lit_room      writes  a canvas, a map of its noise
   memory  malloc: 32 bytes per pixel, 120 per particle      cost    about 1 us per ray
   after   distributed ray tracing (Cook, Porter and Carpenter 1984); sample points by an additive
           recurrence with a random start for each pixel (Cranley and Patterson 1976) */
#include "lit_private.h"
#include <stdlib.h>
#include <string.h>

#define FLOOR_SIDES 40.0f
#define NOISE_WHITE 0.1f
#define WHITE       1.5f /* brightness in the picture above which a variance does not count */
#define DIMENSIONS  6u
#define PALE_TEXT   0xc8d0e8ff
#define DARK_TEXT   0x20242cff

oversample_plan lit_plan(uint32_t samples, uint32_t pixel_count, bool is_biased)
{
    oversample_plan plan = {.pilot = 4,
                            .samples = samples,
                            .passes = 4,
                            .chosen = pixel_count / 8u,
                            .extra = 4u * samples,
                            .white = WHITE,
                            .is_biased = is_biased};
    return plan;
}

/* ---- light at a point */

static tp_vector to_tp(vec3 a) { return (tp_vector){a.x, a.y, a.z}; }
static vec3 from_tp(tp_vector a) { return vec3_of(a.x, a.y, a.z); }
static vec3 product(vec3 a, vec3 b) { return vec3_of(a.x * b.x, a.y * b.y, a.z * b.z); }

/* Two unit vectors at right angles to one of unit length (Duff et al. 2017). */
static void span(vec3 axis, vec3 *a, vec3 *b)
{
    float sign = axis.z >= 0 ? 1.0f : -1.0f, x = -1 / (sign + axis.z), y = axis.x * axis.y * x;
    *a = vec3_of(1 + sign * axis.x * axis.x * x, sign * y, -sign * axis.x);
    *b = vec3_of(y, sign + axis.y * axis.y * x, -axis.y);
}

/* A direction around an axis, `up` along it. */
static vec3 direction_of(vec3 axis, float up, float turn)
{
    vec3 a, b;
    float across = sqrtf(fmaxf(0, 1 - up * up));
    span(axis, &a, &b);
    vec3 way = vec3_along(vec3_scale(axis, up), a, across * cosf(2 * RENDER_PI * turn));
    return vec3_along(way, b, across * sinf(2 * RENDER_PI * turn));
}

/* A ray goes against the light: what light passes from behind, it meets from the front. */
static ray_passes passes_of(const light_setup *setup)
{
    return setup->passes_backs ? RAY_PASSES_FRONTS : RAY_PASSES_NONE;
}

/* True if a random point of the lamp, even in the solid angle that it fills, is seen. */
static bool sees_lamp(const light_setup *setup, const ray_tree *tree, const lit_point *point,
                      vec3 start, const tp_light *lamp, uint32_t dice, uint32_t other)
{
    vec3 to = vec3_sub(from_tp(lamp->position), start);
    float square = vec3_dot(to, to), inside = lamp->radius * lamp->radius;
    if (!(square > inside)) return true;
    vec3 axis = vec3_scale(to, 1 / sqrtf(square));
    float least_up = sqrtf(1 - inside / square), share = rays_share(dice);
    vec3 way = direction_of(axis, 1 - share * (1 - least_up), rays_share(other));
    /* what is below the horizon counts as if it were at the center */
    if (point->normal && vec3_dot(way, *point->normal) <= 0) way = axis;
    float along = vec3_dot(way, to);
    float most = along - sqrtf(fmaxf(0, inside - (square - along * along)));
    ray from = {start, way, most, rays_mix(dice, other), passes_of(setup)};
    return rays_pass(tree, &from, point->item);
}

static vec3 lamps_at(const light_setup *setup, const ray_tree *tree, const lit_point *point,
                     vec3 start, const uint32_t dice[4])
{
    vec3 sum = {0, 0, 0};
    tp_vector at = to_tp(point->at), normal = {0, 0, 0}, light;
    if (point->normal) normal = to_tp(*point->normal);
    for (uint32_t k = 0; k < setup->lamp_count; k++) {
        tp_lighting one = {&setup->lamps[k], 1, NULL, NULL};
        tp_result result =
            tp_light_points(&one, &at, point->normal ? &normal : NULL, 1, 0, NULL, &light);
        if (result != TP_OK || !(light.x > 0 || light.y > 0 || light.z > 0)) continue;
        /* a shift for each lamp, so that their samples are not the same */
        uint32_t first = dice[0] + k * 0x9e3779b9u, second = dice[1] + k * 0x7f4a7c15u;
        if (sees_lamp(setup, tree, point, start, &setup->lamps[k], first, second))
            sum = vec3_add(sum, from_tp(light));
    }
    return sum;
}

vec3 lit_sample(const light_setup *setup, const ray_tree *tree, const lit_point *point,
                const uint32_t dice[4])
{
    vec3 start = point->at;
    if (point->normal) start = vec3_along(start, *point->normal, point->lift);
    vec3 sum = lamps_at(setup, tree, point, start, dice);
    if (!setup->has_sky) return sum;
    float share = rays_share(dice[2]), turn = rays_share(dice[3]);
    vec3 way = point->normal ? direction_of(*point->normal, sqrtf(1 - share), turn)
                             : direction_of(vec3_of(0, 1, 0), 1 - 2 * share, turn);
    ray from = {start, way, INFINITY, rays_mix(dice[2], dice[3]), passes_of(setup)};
    if (!rays_pass(tree, &from, point->item)) return sum;
    vec3 sky = from_tp(tp_sh_radiance(&setup->sky, to_tp(way)));
    sky = vec3_of(fmaxf(0, sky.x), fmaxf(0, sky.y), fmaxf(0, sky.z));
    return vec3_along(sum, sky, RENDER_PI);
}

/* ---- a picture */

typedef struct lit_picture {
    const lit_room *room;
    const render_scene *scene;
    view3 view;
    int32_t width;
    ray_tree tree;
    ray_items items;
    vec3 *centers, *corners, *base;
    tp_sh *around; /* light of patches at each particle; NULL: none */
    float lift;
    vec3 back_top, back_bottom;
    float height;
} lit_picture;

/* Pairs of numbers for the place in the pixel, for lamps, and for the sky: the start of each is
   random, the steps of the last two are 1 / p and 1 / p^2 with p^3 = p + 1. */
static void roll(uint32_t pixel, uint32_t stream, uint32_t sample, uint32_t dice[DIMENSIONS])
{
    static const uint32_t steps[DIMENSIONS] = {0x6a09e667u, 0xbb67ae85u, 0xc13fa9a9u,
                                               0x91e10da5u, 0xc13fa9a9u, 0x91e10da5u};
    uint32_t start = rays_mix(pixel, stream);
    for (uint32_t k = 0; k < DIMENSIONS; k++) dice[k] = rays_mix(start, k) + steps[k] * sample;
}

static vec3 background(const lit_picture *picture, vec3 way, float y)
{
    const light_setup *setup = picture->room->setup;
    if (setup->has_sky) {
        vec3 sky = from_tp(tp_sh_radiance(&setup->sky, to_tp(vec3_unit(way))));
        return vec3_of(fmaxf(0, sky.x), fmaxf(0, sky.y), fmaxf(0, sky.z));
    }
    vec3 change = vec3_sub(picture->back_bottom, picture->back_top);
    return vec3_scale(vec3_along(picture->back_top, change, y / picture->height),
                      1 / setup->exposure);
}

/* The nearest lamp that a ray meets before a distance. */
static const tp_light *lamp_on(const light_setup *setup, const ray *from, float *distance)
{
    const tp_light *found = NULL;
    float square = vec3_dot(from->way, from->way);
    for (uint32_t k = 0; k < setup->lamp_count; k++) {
        const tp_light *lamp = &setup->lamps[k];
        vec3 start = vec3_sub(from->origin, from_tp(lamp->position));
        float half = vec3_dot(start, from->way),
              rest = vec3_dot(start, start) - lamp->radius * lamp->radius;
        float root = half * half - square * rest;
        if (!(root >= 0) || !(rest > 0)) continue;
        float t = (-half - sqrtf(root)) / square;
        if (!(t > 0 && t < *distance)) continue;
        *distance = t;
        found = lamp;
    }
    return found;
}

static vec3 ball_radiance(const lit_picture *picture, const ray *from, const ray_hit *hit,
                          const uint32_t dice[4])
{
    const light_setup *setup = picture->room->setup;
    vec3 at = vec3_along(from->origin, from->way, hit->distance), normal;
    bool is_cloud = setup->opacity < 1;
    normal = vec3_unit(vec3_sub(at, picture->centers[hit->item]));
    lit_point point = {at, is_cloud ? NULL : &normal, hit->item, picture->lift};
    vec3 light = lit_sample(setup, &picture->tree, &point, dice);
    if (picture->around) {
        const tp_sh *sh = &picture->around[hit->item];
        vec3 soft = is_cloud ? vec3_scale(from_tp(sh->of[0]), 0.886227f)
                             : from_tp(tp_sh_irradiance(sh, to_tp(normal)));
        light = vec3_add(light, vec3_of(fmaxf(0, soft.x), fmaxf(0, soft.y), fmaxf(0, soft.z)));
    }
    return vec3_scale(product(picture->base[hit->item], light), 1 / RENDER_PI);
}

static vec3 triangle_radiance(const lit_picture *picture, const ray *from, const ray_hit *hit,
                              const uint32_t dice[4])
{
    const lit_room *room = picture->room;
    uint32_t triangle = hit->item - picture->items.ball_count;
    const vec3 *corner = picture->items.corners + 3 * (size_t)triangle;
    vec3 normal =
        vec3_unit(vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0])));
    vec3 at = vec3_along(from->origin, from->way, hit->distance);
    lit_point point = {at, &normal, hit->item, picture->lift};
    vec3 light = lit_sample(room->setup, &picture->tree, &point, dice);
    if (triangle >= room->triangle_count) /* the floor */
        return vec3_scale(light, 0.3f / RENDER_PI);
    const light_patch *patch = &room->setup->surface[room->patch[triangle]];
    for (int k = 0; k < 3; k++)
        light = vec3_along(light, from_tp(room->bounced[3 * (size_t)triangle + (size_t)k]),
                           hit->share[k]);
    vec3 albedo = vec3_of(patch->albedo[0], patch->albedo[1], patch->albedo[2]);
    vec3 emission = vec3_of(patch->emission[0], patch->emission[1], patch->emission[2]);
    return vec3_scale(vec3_add(emission, product(albedo, light)), 1 / RENDER_PI);
}

/* Sample of a pixel: an oversample_shade. */
static void shade(void *context, uint32_t pixel, uint32_t stream, uint32_t sample, float color[3])
{
    const lit_picture *picture = context;
    const light_setup *setup = picture->room->setup;
    uint32_t dice[DIMENSIONS];
    roll(pixel, stream, sample, dice);
    float x = (float)(pixel % (uint32_t)picture->width) + rays_share(dice[0]),
          y = (float)(pixel / (uint32_t)picture->width) + rays_share(dice[1]);
    ray from = {picture->view.eye, view_ray(&picture->view, x, y), INFINITY,
                rays_mix(dice[0], dice[1]), RAY_PASSES_BACKS};
    ray_hit hit;
    bool meets = rays_cast(&picture->tree, &from, &hit);
    const tp_light *lamp = lamp_on(setup, &from, &hit.distance);
    vec3 seen;
    if (lamp)
        seen = from_tp(lamp->radiance);
    else if (!meets)
        seen = background(picture, from.way, y);
    else if (hit.item < picture->items.ball_count)
        seen = ball_radiance(picture, &from, &hit, dice + 2);
    else
        seen = triangle_radiance(picture, &from, &hit, dice + 2);
    color[0] = seen.x * setup->exposure;
    color[1] = seen.y * setup->exposure;
    color[2] = seen.z * setup->exposure;
}

/* ---- preparing */

static float linear_of(uint32_t level)
{
    float value = (float)level / 255;
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static vec3 linear(render_colour colour)
{
    return vec3_of(linear_of(colour_red(colour)), linear_of(colour_green(colour)),
                   linear_of(colour_blue(colour)));
}

static int add_balls(lit_picture *picture)
{
    const render_scene *scene = picture->scene;
    const light_setup *setup = picture->room->setup;
    float speed_scale = scene_speed_scale(scene);
    for (uint32_t i = 0; i < picture->items.ball_count; i++) {
        picture->centers[i] = scene_point(scene, scene->positions + 3 * (size_t)i);
        picture->base[i] = setup->has_albedo ? from_tp(setup->albedo)
                                             : linear(scene_particle_colour(scene, i, speed_scale));
        if (!picture->around) continue;
        if (tp_patches_sh(&setup->patches, to_tp(picture->centers[i]), &picture->around[i]))
            return host_error(HOST_BAD_INPUT, "particles", i, "a position beyond 1e9");
    }
    return HOST_DONE;
}

/* A floor below everything where no surface is. */
static void add_floor(lit_picture *picture)
{
    vec3 low, high;
    scene_bounds3(picture->scene, &low, &high);
    vec3 size = vec3_sub(high, low), middle = vec3_scale(vec3_add(low, high), 0.5f);
    float half = FLOOR_SIDES * sqrtf(vec3_dot(size, size));
    vec3 a = vec3_of(middle.x - half, low.y, middle.z - half),
         b = vec3_of(middle.x - half, low.y, middle.z + half),
         c = vec3_of(middle.x + half, low.y, middle.z + half),
         d = vec3_of(middle.x + half, low.y, middle.z - half);
    const vec3 corners[6] = {a, b, c, a, c, d};
    memcpy(picture->corners, corners, sizeof corners);
    picture->items.triangle_count = 2;
}

static int prepare(lit_picture *picture, const canvas *target)
{
    const lit_room *room = picture->room;
    const render_scene *scene = picture->scene;
    vec3 low, high;
    uint32_t balls = (uint32_t)scene->particle_count;
    bool has_floor = room->triangle_count == 0, has_probes = room->setup->patches.probe_count > 0;
    picture->width = target->width;
    picture->height = (float)target->height;
    picture->view = scene_view(scene, target->width, target->height);
    picture->back_top = linear(scene->background_top);
    picture->back_bottom = linear(scene->background_bottom);
    scene_bounds3(scene, &low, &high);
    picture->lift = 1e-5f * sqrtf(vec3_dot(vec3_sub(high, low), vec3_sub(high, low)));
    picture->centers = host_allocate(balls, sizeof *picture->centers);
    picture->base = host_allocate(balls, sizeof *picture->base);
    picture->corners = host_allocate(has_floor ? 6 : 0, sizeof *picture->corners);
    if (has_probes) picture->around = host_allocate(balls, sizeof *picture->around);
    if (!picture->centers || !picture->base || !picture->corners ||
        (has_probes && !picture->around))
        return host_out_of_memory("a picture");
    picture->items = (ray_items){picture->centers,     balls,         scene->radius,
                                 room->setup->opacity, room->corners, room->triangle_count};
    int code = add_balls(picture);
    if (has_floor) add_floor(picture);
    if (has_floor) picture->items.corners = picture->corners;
    return code ? code : rays_build(&picture->tree, &picture->items);
}

static void picture_free(lit_picture *picture)
{
    rays_free(&picture->tree);
    free(picture->centers);
    free(picture->base);
    free(picture->corners);
    free(picture->around);
}

/* ---- results */

static uint8_t level_of(float light)
{
    float value = clamp01(light);
    value = value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
    return (uint8_t)(value * 255 + 0.5f);
}

static void show(const oversample_pixel *pixels, uint32_t count, canvas *target)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = target->pixels + 4 * (size_t)i;
        for (int k = 0; k < 3; k++) to[k] = level_of(pixels[i].color[k]);
        to[3] = 255;
    }
}

static void show_noise(const oversample_pixel *pixels, uint32_t count, canvas *noise)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = noise->pixels + 4 * (size_t)i;
        float error = sqrtf(oversample_noise(&pixels[i]));
        uint8_t level = (uint8_t)(clamp01(error / NOISE_WHITE) * 255 + 0.5f);
        to[0] = to[1] = to[2] = level;
        to[3] = 255;
    }
}

/* Dark on a bright background, such as a sky. */
static void write_label(canvas *target, const char *text, float x, float y, int32_t scale)
{
    int32_t right = (int32_t)x + canvas_text_width(text, scale), bottom = (int32_t)y + 8 * scale;
    uint64_t sum = 0, count = 0;
    for (int32_t row = (int32_t)y; row < bottom; row++)
        for (int32_t column = (int32_t)x; column < right; column++) {
            if (column < 0 || row < 0 || column >= target->width || row >= target->height) continue;
            sum += canvas_at(target, column, row)[1];
            count++;
        }
    canvas_text(target, (canvas_point){x, y}, scale, sum > 128 * count ? DARK_TEXT : PALE_TEXT,
                text);
}

/* A picture that is biased says so. */
static void write_labels(const render_scene *scene, bool is_biased, canvas *target)
{
    int32_t scale = target->width < 400 ? 1 : target->width < 1200 ? 2 : 3;
    float unit = (float)scale, right = (float)target->width - 6 * unit;
    if (scene->title) write_label(target, scene->title, 7 * unit, 7 * unit, scale);
    if (scene->label)
        write_label(target, scene->label, right - (float)canvas_text_width(scene->label, scale),
                    7 * unit, scale);
    if (is_biased)
        write_label(target, "biased preview", 7 * unit, (float)target->height - 14 * unit, scale);
}

int lit_draw(const lit_room *room, const render_scene *scene, const lit_options *options,
             canvas *target, canvas *noise)
{
    lit_picture picture = {.room = room, .scene = scene};
    uint32_t count = (uint32_t)target->width * (uint32_t)target->height;
    oversample_pixel *pixels = host_allocate(count, sizeof *pixels);
    int code = pixels ? prepare(&picture, target) : host_out_of_memory("a picture");
    if (!code)
        code = oversample_run(&options->plan, pixels, count, shade, &picture,
                              options->is_quiet ? NULL : "lighting");
    if (!code) {
        show(pixels, count, target);
        write_labels(scene, options->plan.is_biased, target);
        if (noise) show_noise(pixels, count, noise);
    }
    picture_free(&picture);
    free(pixels);
    return code;
}
