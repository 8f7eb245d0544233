/* SPDX-License-Identifier: MIT
   host_tools/common/picture.c - converts a scene for the picture library: colliders, colours,
           camera, names.
   reads   a scene, a frame of a playback      writes  a render_scene
   memory  malloc for the outlines, freed by picture_close      cost    O(colliders + heights)
   after   own design */
#include "picture.h"
#include <stdlib.h>
#include <string.h>

#define OUTLINE_EDGES 3000u /* largest number per mesh; a denser outline would be a solid blot */

static tp_vector rotate(tp_quaternion q, tp_vector v)
{
    tp_vector t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
                   2 * (q.x * v.y - q.y * v.x)};
    return (tp_vector){v.x + q.w * t.x + q.y * t.z - q.z * t.y,
                       v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                       v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

static void store(float to[3], tp_vector from, tp_vector offset)
{
    to[0] = from.x + offset.x;
    to[1] = from.y + offset.y;
    to[2] = from.z + offset.z;
}

/* Number of lines of a collider. Heightfield: rows and columns; mesh in 2D: edges; grid: contour.
   Those of meshes in 3D: find_creases. */
static size_t outline_count(const scene_collider *collider, uint32_t dimensions)
{
    const tp_collider_def *def = &collider->def;
    if (def->shape == TP_COLLIDER_HEIGHTFIELD)
        return dimensions == 2 ? 1 : (size_t)def->rows + def->columns;
    if (def->shape == TP_COLLIDER_MESH) return dimensions == 2 ? def->triangle_count : 0;
    if (def->shape == TP_COLLIDER_GRID) return contour_lines(def, NULL);
    return 1;
}

static size_t outline_points(const scene_collider *collider, uint32_t dimensions)
{
    const tp_collider_def *def = &collider->def;
    if (def->shape == TP_COLLIDER_HEIGHTFIELD)
        return (size_t)def->rows * def->columns * (dimensions == 2 ? 1 : 2);
    if (def->shape == TP_COLLIDER_GRID) return 2 * outline_count(collider, dimensions);
    if (def->shape != TP_COLLIDER_MESH) return 0;
    return 2 * outline_count(collider, dimensions);
}

/* ---- outlines */

static void begin_line(picture *target)
{
    render_shape *shape = &target->shapes[target->render.shape_count++];
    memset(shape, 0, sizeof *shape);
    shape->kind = RENDER_POLYLINE;
    shape->points = target->points + 3 * target->point_count;
}

static void line_to(picture *target, tp_pose pose, tp_vector point)
{
    store(target->points + 3 * target->point_count++, rotate(pose.rotation, point), pose.position);
    target->shapes[target->render.shape_count - 1].point_count++;
}

static void line_to_height(picture *target, const tp_collider_def *def, tp_pose pose, uint32_t row,
                           uint32_t column)
{
    line_to(target, pose,
            (tp_vector){(float)column * def->spacing, def->samples[row * def->columns + column],
                        (float)row * def->spacing});
}

static void add_heights(picture *target, const scene_collider *collider, tp_pose pose)
{
    const tp_collider_def *def = &collider->def;
    for (uint32_t row = 0; row < def->rows; row++) {
        begin_line(target);
        for (uint32_t column = 0; column < def->columns; column++)
            line_to_height(target, def, pose, row, column);
    }
    for (uint32_t column = 0; def->rows > 1 && column < def->columns; column++) {
        begin_line(target);
        for (uint32_t row = 0; row < def->rows; row++)
            line_to_height(target, def, pose, row, column);
    }
}

static void add_mesh(picture *target, size_t collider, tp_pose pose)
{
    const tp_vector *vertices = target->source->colliders[collider].def.vertices;
    for (size_t k = 0; k < target->creases[collider].count; k++) {
        begin_line(target);
        line_to(target, pose, vertices[target->creases[collider].pairs[2 * k]]);
        line_to(target, pose, vertices[target->creases[collider].pairs[2 * k + 1]]);
    }
}

/* A mesh in 2D: a line for each chain whose edges follow each other. */
static void add_edges(picture *target, const scene_collider *collider, tp_pose pose)
{
    const tp_collider_def *def = &collider->def;
    for (uint32_t k = 0; k < def->triangle_count; k++) {
        const uint32_t *edge = def->indices + 2 * (size_t)k;
        if (k == 0 || edge[0] != edge[-1]) {
            begin_line(target);
            line_to(target, pose, def->vertices[edge[0]]);
        }
        line_to(target, pose, def->vertices[edge[1]]);
    }
}

/* The lines are written in local coordinates first, then transformed in place. */
static void add_contour(picture *target, const scene_collider *collider, tp_pose pose)
{
    float *points = target->points + 3 * target->point_count;
    size_t count = contour_lines(&collider->def, points);
    for (size_t i = 0; i < count; i++) {
        begin_line(target);
        for (size_t end = 0; end < 2; end++) {
            const float *at = points + 6 * i + 3 * end;
            line_to(target, pose, (tp_vector){at[0], at[1], at[2]});
        }
    }
}

/* ---- solids */

static void add_solid(picture *target, const scene_collider *collider, tp_pose pose)
{
    render_shape *shape = &target->shapes[target->render.shape_count++];
    const tp_collider_def *def = &collider->def;
    const tp_vector origin = {0, 0, 0}, up = {0, 1, 0};
    memset(shape, 0, sizeof *shape);
    store(shape->a, pose.position, origin);
    shape->inner = def->is_hollow;
    shape->radius = def->radius;
    if (def->shape == TP_COLLIDER_PLANE) {
        shape->kind = RENDER_PLANE;
        store(shape->b, rotate(pose.rotation, up), origin);
    } else if (def->shape == TP_COLLIDER_CAPSULE) {
        tp_vector half = {0, def->half.y, 0}, other = {0, -def->half.y, 0};
        shape->kind = RENDER_CAPSULE;
        store(shape->a, rotate(pose.rotation, other), pose.position);
        store(shape->b, rotate(pose.rotation, half), pose.position);
    } else if (def->shape == TP_COLLIDER_BOX) {
        shape->kind = RENDER_BOX;
        store(shape->b, def->half, origin);
        const float rotation[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y,
                                   pose.rotation.z};
        memcpy(shape->rotation, rotation, sizeof rotation);
    } else {
        shape->kind = RENDER_SPHERE;
    }
}

static void add_colliders(picture *target, double seconds)
{
    target->render.shape_count = target->point_count = 0;
    for (size_t i = 0; i < target->source->collider_count; i++) {
        const scene_collider *collider = &target->source->colliders[i];
        tp_pose pose = scene_collider_pose(target->source, i, seconds);
        if (collider->is_hidden) continue;
        if (collider->def.shape == TP_COLLIDER_HEIGHTFIELD)
            add_heights(target, collider, pose);
        else if (collider->def.shape == TP_COLLIDER_MESH && target->source->world.dimensions == 2)
            add_edges(target, collider, pose);
        else if (collider->def.shape == TP_COLLIDER_MESH)
            add_mesh(target, i, pose);
        else if (collider->def.shape == TP_COLLIDER_GRID)
            add_contour(target, collider, pose);
        else
            add_solid(target, collider, pose);
    }
}

/* ---- the picture */

static void set_camera(picture *target)
{
    const scene *source = target->source;
    render_scene *render = &target->render;
    const float low[3] = {source->view_low.x, source->view_low.y, source->view_low.z};
    const float high[3] = {source->view_high.x, source->view_high.y, source->view_high.z};
    memcpy(render->bounds_min, low, sizeof low);
    memcpy(render->bounds_max, high, sizeof high);
    render->dimensions = (int32_t)source->world.dimensions;
    render->up_axis = 1;
    if (source->view) render_camera_parse(source->view, &render->camera);
}

/* Which species are fluids, which are smoke. Vortons that are a species of their own carry no
   smoke. */
static void set_materials(const scene *source, render_scene *render)
{
    tp_solver solver = source->world.solver;
    bool is_fluid = solver == TP_SOLVER_SPH && source->style == SCENE_FLUID,
         is_smoke = source->style == SCENE_SMOKE ||
                    (solver == TP_SOLVER_VORTEX && source->style == SCENE_FLUID);
    uint32_t vortons = solver == TP_SOLVER_VORTEX ? source->world.vortex.vorton_species : 0;
    for (uint32_t s = 0; s < source->world.species_count; s++) {
        uint32_t bit = 1u << s % RENDER_SPECIES;
        if (is_fluid && !source->world.species[s].is_tracer) render->fluids |= bit;
        if (is_smoke && vortons >> s & 1u) render->hidden |= bit;
        if (is_smoke && !(vortons >> s & 1u)) render->smokes |= bit;
    }
}

static void set_style(picture *target)
{
    const scene *source = target->source;
    render_scene *render = &target->render;
    static const render_colour_by colourings[4] = {RENDER_BY_SPECIES, RENDER_BY_SPEED,
                                                   RENDER_BY_SPECIES_AND_SPEED, RENDER_BY_VALUE};
    render->colour_by = colourings[source->colouring];
    render->speed_max = source->speed_max;
    bool is_given = source->warmth_low < source->warmth_high;
    render->value_low = is_given ? source->warmth_low : -source->world.heat.range;
    render->value_high = is_given ? source->warmth_high : source->world.heat.range;
    render->value_name = target->has_words ? "K" : NULL;
    render->glow = source->glow;
    if (source->background) render->background_top = render->background_bottom = source->background;
    render->radius =
        source->drawn_radius > 0 ? source->drawn_radius : source->world.species[0].radius;
    if (target->has_words) render->title = source->title ? source->title : source->name;
    set_materials(source, render);
    /* without a drawn radius, particles lie two radii apart */
    render->spacing = source->drawn_radius > 0 ? 0 : 2 * render->radius;
    for (size_t s = 0; s < source->species_count && s < RENDER_SPECIES; s++) {
        if (source->species[s].colour) render->species_colours[s] = source->species[s].colour;
        if (source->species_count > 1 && !(render->hidden >> s & 1u))
            render->species_names[s] = source->species[s].mark.name;
    }
}

/* Finds the edges of all meshes in 3D that are drawn. */
static int find_creases(picture *target)
{
    const scene *source = target->source;
    target->creases = host_allocate(source->collider_count + 1, sizeof *target->creases);
    if (!target->creases) return host_out_of_memory("a picture");
    for (size_t i = 0; i < source->collider_count; i++) {
        const scene_collider *collider = &source->colliders[i];
        if (collider->def.shape != TP_COLLIDER_MESH || source->world.dimensions == 2 ||
            collider->is_hidden)
            continue;
        int code =
            crease_edges(&collider->def, &target->creases[i].pairs, &target->creases[i].count);
        if (code) return code;
        if (target->creases[i].count > OUTLINE_EDGES) target->creases[i].count = OUTLINE_EDGES;
        target->shape_capacity += target->creases[i].count;
        target->point_capacity += 2 * target->creases[i].count;
    }
    return HOST_DONE;
}

int picture_open(picture *target, const scene *source, uint32_t width, uint32_t height,
                 bool has_words)
{
    memset(target, 0, sizeof *target);
    target->source = source;
    target->has_words = has_words;
    target->render = render_default_scene();
    target->canvas = canvas_create((int32_t)(width ? width : source->width),
                                   (int32_t)(height ? height : source->height));
    int code = find_creases(target);
    if (code) {
        picture_close(target);
        return code;
    }
    for (size_t i = 0; i < source->collider_count; i++) {
        target->shape_capacity += outline_count(&source->colliders[i], source->world.dimensions);
        target->point_capacity += outline_points(&source->colliders[i], source->world.dimensions);
    }
    target->shapes = host_allocate(target->shape_capacity, sizeof *target->shapes);
    target->points = host_allocate(target->point_capacity * 3, sizeof *target->points);
    size_t triangles = source->world.dimensions == 3 ? scene_sheet_triangles(source, NULL) : 0;
    target->triangles = host_allocate(triangles * 3 + 1, sizeof *target->triangles);
    target->whole = host_allocate(triangles * 3 + 1, sizeof *target->whole);
    target->split = host_allocate(triangles * 3 + 1, sizeof *target->split);
    if (!target->canvas || !target->shapes || !target->points || !target->triangles ||
        !target->whole || !target->split) {
        picture_close(target);
        return host_out_of_memory("a picture");
    }
    set_camera(target);
    set_style(target);
    if (triangles) (void)scene_sheet_triangles(source, target->triangles);
    target->triangle_count = triangles;
    target->render.shapes = target->shapes;
    if (source->world.dimensions == 3 || source->motion_count || source->float_frames)
        return HOST_DONE;
    target->backdrop = canvas_create(target->canvas->width, target->canvas->height);
    if (!target->backdrop) return HOST_DONE; /* without a backdrop every frame draws its own */
    add_colliders(target, 0);
    render_backdrop(&target->render, target->backdrop);
    target->render.backdrop = target->backdrop;
    return HOST_DONE;
}

void picture_close(picture *target)
{
    canvas_free(target->canvas);
    canvas_free(target->backdrop);
    for (size_t i = 0; target->creases && i < target->source->collider_count; i++)
        free(target->creases[i].pairs);
    free(target->creases);
    free(target->shapes);
    free(target->points);
    free(target->triangles);
    free(target->whole);
    free(target->split);
    memset(target, 0, sizeof *target);
}

/* True if all nodes are still there: then their indices are their ids. */
static bool sheets_are_whole(const picture *target, const playback *source)
{
    uint32_t last = 0;
    for (size_t k = 0; k < 3 * target->triangle_count; k++)
        last = target->split[k] > last ? target->split[k] : last;
    return last < source->count && source->ids[last] == last;
}

/* Triangles of a node that became two: the bits name, in their order, those of the second one. */
static void split_triangles(picture *target, const uint32_t split[4])
{
    uint32_t bit = 0;
    for (size_t k = 0; k < 3 * target->triangle_count; k++) {
        if (target->split[k] != split[1]) continue;
        if (bit < 32 && (split[3] >> bit & 1u)) target->split[k] = split[0];
        bit++;
    }
}

/* The triangles of a frame: without those that are torn. */
static void add_triangles(picture *target, const playback *source)
{
    size_t count = 0, known = source->torn ? source->torn_count : 0;
    memcpy(target->split, target->triangles, 3 * target->triangle_count * sizeof *target->split);
    for (uint32_t s = 0; s < source->split_count; s++)
        split_triangles(target, source->splits + 4 * (size_t)s);
    for (size_t t = 0; t < target->triangle_count; t++) {
        if (t < known && (source->torn[t / 32] >> t % 32 & 1u)) continue;
        memcpy(target->whole + 3 * count++, target->split + 3 * t, 3 * sizeof *target->whole);
    }
    target->render.triangles = target->whole;
    target->render.triangle_count = sheets_are_whole(target, source) ? count : 0;
}

int picture_draw(picture *target, const playback *source, uint64_t frame)
{
    double seconds = (double)frame * scene_frame_seconds(target->source);
    int code = host_guard_check(target->source->name);
    if (code) return code;
    add_colliders(target, seconds);
    snprintf(target->label, sizeof target->label, "t %.2f s  frame %llu", seconds,
             (unsigned long long)frame);
    target->render.label = target->has_words ? target->label : NULL;
    target->render.positions = source->positions;
    target->render.velocities = source->velocities;
    target->render.species = source->species;
    target->render.values = source->temperatures;
    target->render.particle_count = source->count;
    add_triangles(target, source);
    return render_draw(&target->render, target->canvas);
}
