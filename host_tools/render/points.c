/* SPDX-License-Identifier: MIT
   host_tools/render/points.c - draws one frame of particles: 2D scenes, labels, colours.
   reads   a render_scene      writes  the canvas
   memory  none               cost    pixels of the discs and of their glow splats
   after   own design */
#include "render_private.h"

#define GLOW_REACH    2.8f /* radii */
#define GLOW_OPACITY  22u
#define BODY_REACH    1.35f
#define BODY_DARKNESS 0.5f
#define PLANES_MAX    16
#define SPACING_RADII 0.6f /* radius of a ball, in spacings */

static const render_colour wall_colour = 0x1d2a45ff, edge_colour = 0x7f95c0ff,
                           text_colour = 0xe8eefcff, faint_colour = 0x9fb0d4ff;

render_scene render_default_scene(void)
{
    render_scene scene = {.dimensions = 2,
                          .up_axis = 1,
                          .bounds_max = {1, 1, 1},
                          .camera = {.yaw = 32, .pitch = 20},
                          .radius = 0.01f,
                          .background_top = 0x111b33ff,
                          .background_bottom = 0x0a1020ff};
    for (uint32_t i = 0; i < RENDER_SPECIES; i++)
        scene.species_colours[i] = render_species_colour(i);
    return scene;
}

/* ---- colours */

float scene_particle_speed(const render_scene *scene, size_t particle)
{
    if (scene->colour_by == RENDER_BY_VALUE) return scene->values[particle] - scene->value_low;
    const float *v = scene->velocities + particle * 3;
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

float scene_speed_scale(const render_scene *scene)
{
    if (scene->colour_by == RENDER_BY_VALUE)
        return scene->values && scene->value_high > scene->value_low
                   ? 1 / (scene->value_high - scene->value_low)
                   : 0;
    if (!scene->velocities) return 0;
    float most = scene->speed_max;
    for (size_t i = 0; i < scene->particle_count && !(scene->speed_max > 0); i++)
        most = fmaxf(most, scene_particle_speed(scene, i));
    return most > 0 ? 1 / most : 0;
}

uint32_t scene_species(const render_scene *scene, size_t particle)
{
    return scene->species ? scene->species[particle] % RENDER_SPECIES : 0;
}

bool scene_is_fluid(const render_scene *scene, size_t particle)
{
    return (scene->fluids >> scene_species(scene, particle) & 1u) != 0;
}

bool scene_is_smoke(const render_scene *scene, size_t particle)
{
    return scene->dimensions == 3 && (scene->smokes >> scene_species(scene, particle) & 1u) != 0;
}

bool scene_is_ball(const render_scene *scene, size_t particle)
{
    uint32_t others = scene->fluids | scene->hidden;
    if (scene->dimensions == 3) others |= scene->smokes;
    return (others >> scene_species(scene, particle) & 1u) == 0;
}

float scene_spacing(const render_scene *scene)
{
    return scene->spacing > 0 ? scene->spacing : scene->radius / SPACING_RADII;
}

render_colour scene_colour(const render_scene *scene, uint32_t species, float speed)
{
    render_colour own = scene->species_colours[species];
    if (scene->colour_by == RENDER_BY_SPECIES) return own;
    if (scene->colour_by == RENDER_BY_SPEED || scene->colour_by == RENDER_BY_VALUE)
        return render_heat(speed);
    render_colour deep = render_mix(own, render_rgb(0, 0, 0), 0.22f),
                  foam = render_mix(own, render_rgb(255, 255, 255), 0.75f);
    return speed < 0.35f ? render_mix(deep, own, speed / 0.35f)
                         : render_mix(own, foam, (speed - 0.35f) / 0.65f);
}

render_colour scene_particle_colour(const render_scene *scene, size_t particle, float speed_scale)
{
    uint32_t species = scene_species(scene, particle);
    if (scene->colour_by == RENDER_BY_SPECIES) return scene->species_colours[species];
    float speed =
        speed_scale > 0 ? clamp01(scene_particle_speed(scene, particle) * speed_scale) : 0;
    return scene_colour(scene, species, speed);
}

/* ---- labels */

static int32_t label_scale(const render_scene *scene, const canvas *target)
{
    if (scene->text_scale > 0) return scene->text_scale;
    return target->width < 400 ? 1 : target->width < 1200 ? 2 : 3;
}

static bool has_speed_legend(const render_scene *scene)
{
    if (scene->colour_by == RENDER_BY_VALUE) return scene->value_name != NULL;
    return scene->colour_by == RENDER_BY_SPEED && scene->speed_max > 0;
}

static bool has_legend(const render_scene *scene)
{
    if (scene->colour_by == RENDER_BY_SPEED || scene->colour_by == RENDER_BY_VALUE)
        return has_speed_legend(scene);
    for (uint32_t i = 0; i < RENDER_SPECIES; i++)
        if (scene->species_names[i]) return true;
    return false;
}

/* Draws the colour map between 0 and speed_max, or the ends of the values, 60 font dots wide. */
static void draw_speed_legend(const render_scene *scene, canvas *target)
{
    char most[32], least[48];
    const bool is_value = scene->colour_by == RENDER_BY_VALUE;
    snprintf(least, sizeof least, "%s %.3g ", is_value ? scene->value_name : "speed",
             (double)(is_value ? scene->value_low : 0.0f));
    int32_t scale = label_scale(scene, target), length = 60 * scale;
    float x = 8 * (float)scale, y = (float)(target->height - 14 * scale);
    canvas_text(target, (canvas_point){x, y}, scale, faint_colour, least);
    x += (float)canvas_text_width(least, scale);
    for (int32_t i = 0; i < length; i++) {
        float left = x + (float)i;
        canvas_rectangle(target, (canvas_box){left, y, left + 1, y + 7 * (float)scale},
                         render_heat((float)i / (float)(length - 1)));
    }
    snprintf(most, sizeof most, "%.3g", (double)(is_value ? scene->value_high : scene->speed_max));
    canvas_text(target, (canvas_point){x + (float)(length + 6 * scale), y}, scale, faint_colour,
                most);
}

static void draw_legend(const render_scene *scene, canvas *target)
{
    float unit = (float)label_scale(scene, target), x = 8 * unit,
          y = (float)target->height - 14 * unit;
    for (uint32_t i = 0; i < RENDER_SPECIES; i++) {
        const char *name = scene->species_names[i];
        if (!name) continue;
        canvas_bead(target, x + 3 * unit, y + 4 * unit, 3.5f * unit, scene->species_colours[i]);
        canvas_text(target, (canvas_point){x + 10 * unit, y}, (int32_t)unit, faint_colour, name);
        x += 22 * unit + (float)canvas_text_width(name, (int32_t)unit);
    }
}

static void draw_title(const render_scene *scene, canvas *target)
{
    int32_t scale = label_scale(scene, target);
    canvas_point at = {7 * (float)scale, 7 * (float)scale};
    if (scene->title) canvas_text(target, at, scale, text_colour, scene->title);
    if (has_speed_legend(scene))
        draw_speed_legend(scene, target);
    else if (scene->colour_by != RENDER_BY_SPEED)
        draw_legend(scene, target);
}

static void draw_label(const render_scene *scene, canvas *target)
{
    if (!scene->label) return;
    int32_t scale = label_scale(scene, target);
    float x = (float)(target->width - canvas_text_width(scene->label, scale) - 6 * scale);
    canvas_text(target, (canvas_point){x, 7 * (float)scale}, scale, faint_colour, scene->label);
}

/* ---- 2D */

static view2 fit_view(const render_scene *scene, const canvas *target)
{
    float unit = (float)label_scale(scene, target), margin = 0.03f * (float)target->height;
    float above = scene->title || scene->label ? 20 * unit : margin,
          below = has_legend(scene) ? 20 * unit : margin;
    float width = (float)target->width - 2 * margin, height = (float)target->height - above - below;
    float wide = scene->bounds_max[0] - scene->bounds_min[0],
          tall = scene->bounds_max[1] - scene->bounds_min[1];
    view2 view = {1, 0, 0};
    if (wide > 0 && tall > 0) view.scale = fminf(width / wide, height / tall);
    if (!(view.scale > 0)) view.scale = 1; /* canvas smaller than its margins */
    float middle_x = (scene->bounds_min[0] + scene->bounds_max[0]) / 2;
    float middle_y = (scene->bounds_min[1] + scene->bounds_max[1]) / 2;
    view.left = margin + width / 2 - middle_x * view.scale;
    view.bottom = above + height / 2 + middle_y * view.scale;
    return view;
}

static canvas_point to_pixel(const view2 *view, float x, float y)
{
    return (canvas_point){view->left + x * view->scale, view->bottom - y * view->scale};
}

/* A plane in pixel coordinates: a point of it and its unit normal. */
typedef struct pixel_plane {
    canvas_point at, normal;
} pixel_plane;

static size_t collect_planes(const render_scene *scene, const view2 *view,
                             pixel_plane planes[PLANES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < scene->shape_count && count < PLANES_MAX; i++) {
        const render_shape *shape = &scene->shapes[i];
        float length = hypotf(shape->b[0], shape->b[1]);
        if (shape->kind != RENDER_PLANE || !(length > 0)) continue;
        canvas_point normal = {shape->b[0] / length, -shape->b[1] / length};
        planes[count++] = (pixel_plane){to_pixel(view, shape->a[0], shape->a[1]), normal};
    }
    return count;
}

/* Fills the half plane behind the plane. */
static void fill_behind(canvas *target, const pixel_plane *plane)
{
    float far = 2 * (float)(target->width + target->height);
    canvas_point n = plane->normal, at = plane->at;
    canvas_point corners[4] = {{at.x - n.y * far, at.y + n.x * far},
                               {at.x + n.y * far, at.y - n.x * far},
                               {at.x + (n.y - n.x) * far, at.y - (n.x + n.y) * far},
                               {at.x - (n.y + n.x) * far, at.y + (n.x - n.y) * far}};
    canvas_convex(target, corners, 4, wall_colour);
}

/* Draws the part of a plane's line that is in front of all other planes. */
static void draw_plane_edge(canvas *target, const pixel_plane *planes, size_t count, size_t own)
{
    float far = 2 * (float)(target->width + target->height), low = -far, high = far;
    canvas_point at = planes[own].at, along = {-planes[own].normal.y, planes[own].normal.x};
    for (size_t i = 0; i < count; i++) {
        canvas_point n = planes[i].normal;
        float slope = along.x * n.x + along.y * n.y;
        float start = (at.x - planes[i].at.x) * n.x + (at.y - planes[i].at.y) * n.y;
        if (i == own || fabsf(slope) < 1e-4f) continue;
        if (slope > 0)
            low = fmaxf(low, -start / slope);
        else
            high = fminf(high, -start / slope);
    }
    if (low >= high) return;
    canvas_line(target, (canvas_point){at.x + along.x * low, at.y + along.y * low},
                (canvas_point){at.x + along.x * high, at.y + along.y * high}, 2, edge_colour);
}

static void draw_box2(const render_shape *shape, const view2 *view, canvas *target)
{
    float cosine = 1, sine = 0, w = shape->rotation[0], z = shape->rotation[3];
    float squared = w * w + z * z;
    if (squared > 0) { /* rotation about z by twice the angle of (w, z) */
        cosine = (w * w - z * z) / squared;
        sine = 2 * w * z / squared;
    }
    static const float signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    canvas_point corners[4];
    for (int i = 0; i < 4; i++) {
        float x = shape->b[0] * signs[i][0], y = shape->b[1] * signs[i][1];
        corners[i] = to_pixel(view, shape->a[0] + x * cosine - y * sine,
                              shape->a[1] + x * sine + y * cosine);
    }
    if (!shape->inner) canvas_convex(target, corners, 4, wall_colour);
    for (int i = 0; i < 4; i++)
        canvas_line(target, corners[i], corners[(i + 1) % 4], 2, edge_colour);
}

/* Draws the outline of a capsule: two half circles and two lines. */
static void draw_capsule_outline(canvas *target, canvas_point a, canvas_point b, float radius)
{
    float start = atan2f(b.y - a.y, b.x - a.x) + RENDER_PI / 2;
    canvas_point last = {b.x + radius * cosf(start), b.y + radius * sinf(start)};
    for (int i = 1; i <= 64; i++) {
        float angle = start + (float)i * RENDER_PI / 32;
        canvas_point end = i <= 32 ? a : b;
        canvas_point next = {end.x + radius * cosf(angle), end.y + radius * sinf(angle)};
        if (i == 1)
            canvas_line(target, last, (canvas_point){a.x + last.x - b.x, a.y + last.y - b.y}, 2,
                        edge_colour);
        canvas_line(target, i == 1 ? (canvas_point){a.x + last.x - b.x, a.y + last.y - b.y} : last,
                    next, 2, edge_colour);
        last = next;
    }
}

static void draw_shape2(const render_shape *shape, const view2 *view, canvas *target)
{
    canvas_point a = to_pixel(view, shape->a[0], shape->a[1]),
                 b = to_pixel(view, shape->b[0], shape->b[1]);
    float radius = shape->radius * view->scale;
    switch (shape->kind) {
    case RENDER_PLANE: break; /* planes are drawn before all other shapes */
    case RENDER_SPHERE:
        if (!shape->inner) canvas_disc(target, a.x, a.y, radius, wall_colour);
        canvas_ring(target, a, radius, 2, edge_colour);
        break;
    case RENDER_CAPSULE:
        if (!shape->inner) canvas_line(target, a, b, 2 * radius, wall_colour);
        draw_capsule_outline(target, a, b, radius);
        break;
    case RENDER_BOX: draw_box2(shape, view, target); break;
    case RENDER_POLYLINE:
        for (size_t i = 0; i + 1 < shape->point_count; i++) {
            const float *p = shape->points + i * 3;
            canvas_line(target, to_pixel(view, p[0], p[1]), to_pixel(view, p[3], p[4]), 2,
                        edge_colour);
        }
        break;
    }
}

/* Clears the strip of the title, so that walls end below it. */
static void clear_strip(const render_scene *scene, canvas *target)
{
    if (!scene->title && !scene->label) return;
    float bottom = 20 * (float)label_scale(scene, target);
    canvas_rectangle(target, (canvas_box){0, 0, (float)target->width, bottom},
                     scene->background_top);
}

void render_backdrop(const render_scene *scene, canvas *target)
{
    canvas_gradient(target, scene->background_top, scene->background_bottom);
    if (scene->dimensions != 3) {
        view2 view = fit_view(scene, target);
        pixel_plane planes[PLANES_MAX];
        size_t plane_count = collect_planes(scene, &view, planes);
        for (size_t i = 0; i < plane_count; i++) fill_behind(target, &planes[i]);
        for (size_t i = 0; i < plane_count; i++) draw_plane_edge(target, planes, plane_count, i);
        for (size_t i = 0; i < scene->shape_count; i++)
            draw_shape2(&scene->shapes[i], &view, target);
        clear_strip(scene, target);
    }
    draw_title(scene, target);
}

/* Draws three layers of splats: a glow around the particles, dark discs that join close particles,
   beads. */
static void draw_beads2(const render_scene *scene, const view2 *view, canvas *target)
{
    float radius = fmaxf(scene->radius * view->scale, 0.7f), speed_scale = scene_speed_scale(scene);
    for (int layer = 0; layer < 3; layer++) {
        for (size_t i = 0; i < scene->particle_count; i++) {
            if (!scene_is_ball(scene, i)) continue;
            canvas_point at = to_pixel(view, scene->positions[i * 3], scene->positions[i * 3 + 1]);
            render_colour colour = scene_particle_colour(scene, i, speed_scale);
            if (layer == 0)
                canvas_glow(target, at.x, at.y, radius * GLOW_REACH,
                            render_fade(colour, GLOW_OPACITY));
            if (layer == 1)
                canvas_disc(target, at.x, at.y, radius * BODY_REACH,
                            render_mix(colour, scene->background_bottom, BODY_DARKNESS));
            if (layer == 2) canvas_bead(target, at.x, at.y, radius, colour);
        }
    }
}

int render_draw(const render_scene *scene, canvas *target)
{
    int result = HOST_DONE;
    if (scene->dimensions == 3) {
        result = render_draw3(scene, target);
        draw_title(scene, target);
    } else {
        const canvas *back = scene->backdrop;
        if (back && back->width == target->width && back->height == target->height)
            canvas_copy(target, 0, 0, back);
        else
            render_backdrop(scene, target);
        view2 view = fit_view(scene, target);
        if (scene->fluids) result = fluid2_draw(scene, &view, target);
        draw_beads2(scene, &view, target);
    }
    draw_label(scene, target);
    return result;
}
