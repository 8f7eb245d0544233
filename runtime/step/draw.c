/* SPDX-License-Identifier: MIT
   runtime/step/draw.c - tp_world_draw: shows a world through the game's functions for lines,
           spheres and text.
   reads   the last complete step, items, the report      writes  nothing
   memory  none                                           cost    O(items + geometry + particles)
   after   own design: for debugging, outside of frames and budgets */
#include "step.h"
#include "../emit/emit.h"
#include "../grid/grid.h"
#include "../move/collide.h"
#include "../world/solver.h"

/* What is drawn now: one kind, in the frame of one pose. */
typedef struct draw_pen {
    const tp_draw *draw;
    tp_draw_kind kind;
    tp_pose pose;
    bool is_flat;
} draw_pen;

static void draw_line(const draw_pen *pen, tp_vector from, tp_vector to)
{
    if (pen->draw->line)
        pen->draw->line(pen->draw->context, pen->kind, tpi_to_world(pen->pose, from),
                        tpi_to_world(pen->pose, to));
}

static void draw_sphere(const draw_pen *pen, tp_vector center, float radius)
{
    if (pen->draw->sphere)
        pen->draw->sphere(pen->draw->context, pen->kind, tpi_to_world(pen->pose, center), radius);
}

static tp_vector draw_corner(tp_vector low, tp_vector high, uint32_t corner)
{
    return tpi_vector(corner & 1u ? high.x : low.x, corner & 2u ? high.y : low.y,
                      corner & 4u ? high.z : low.z);
}

/* The edges of a box: 12, in 2D 4. */
static void draw_box(const draw_pen *pen, tp_vector low, tp_vector high)
{
    uint32_t corners = pen->is_flat ? 4u : 8u;
    if (pen->is_flat) low.z = high.z = 0.0f;
    for (uint32_t corner = 0; corner < corners; corner++)
        for (uint32_t bit = 1; bit < corners; bit <<= 1)
            if (!(corner & bit))
                draw_line(pen, draw_corner(low, high, corner),
                          draw_corner(low, high, corner | bit));
}

/* A square of a plane with the normal local y, and the normal. */
static void draw_plane(const draw_pen *pen)
{
    const float side = 1.0f;
    draw_box(pen, tpi_vector(-side, 0.0f, -side), tpi_vector(side, 0.0f, side));
    draw_line(pen, tpi_vector(0.0f, 0.0f, 0.0f), tpi_vector(0.0f, 0.5f * side, 0.0f));
}

static void draw_capsule(const draw_pen *pen, float half, float radius)
{
    draw_sphere(pen, tpi_vector(0.0f, half, 0.0f), radius);
    draw_sphere(pen, tpi_vector(0.0f, -half, 0.0f), radius);
    for (uint32_t side = 0; side < (pen->is_flat ? 2u : 4u); side++) {
        float x = side == 0 ? radius : side == 1 ? -radius : 0.0f;
        float z = side == 2 ? radius : side == 3 ? -radius : 0.0f;
        draw_line(pen, tpi_vector(x, -half, z), tpi_vector(x, half, z));
    }
}

/* The sides of triangles, with 3 corners a part, or edges, with 2. */
static void draw_mesh(const tp_world *world, const draw_pen *pen, const tpi_mesh *mesh,
                      uint32_t corners)
{
    const tp_vector *vertices = (const tp_vector *)tpi_at(world, world->geometry + mesh->vertices);
    const uint32_t *indices = tpi_words(world, world->geometry + mesh->indices);
    for (uint32_t part = 0; part < mesh->triangle_count; part++, indices += corners)
        for (uint32_t side = 0; side < (corners == 2u ? 1u : 3u); side++)
            draw_line(pen, vertices[indices[side]], vertices[indices[(side + 1u) % corners]]);
}

/* Lines between neighbouring samples of a heightfield. */
static void draw_heights(const tp_world *world, const draw_pen *pen, const tpi_collider_item *item)
{
    const float *samples = tpi_floats(world, world->geometry + item->samples);
    const float spacing = item->def.spacing;
    for (uint32_t row = 0; row < item->def.rows; row++)
        for (uint32_t column = 0; column < item->def.columns; column++) {
            const float *here = samples + row * item->def.columns + column;
            tp_vector at = {(float)column * spacing, *here, (float)row * spacing};
            if (column + 1u < item->def.columns)
                draw_line(pen, at, tpi_vector(at.x + spacing, here[1], at.z));
            if (row + 1u < item->def.rows)
                draw_line(pen, at, tpi_vector(at.x, here[item->def.columns], at.z + spacing));
        }
}

/* The pose at the last complete step. */
static tp_pose draw_pose(const tp_world *world, tp_pose from, tp_pose to)
{
    if (!world->clock.frame_begun) return to;
    return tpi_pose_lerp(from, to, (float)world->clock.tick / (float)TP_TICKS_PER_FRAME);
}

/* ---- kinds ---- */

static void draw_collider(const tp_world *world, draw_pen *pen, const tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    pen->pose = tpi_collider_now(world, item);
    switch (def->shape) {
    case TP_COLLIDER_PLANE: draw_plane(pen); break;
    case TP_COLLIDER_SPHERE: draw_sphere(pen, tpi_vector(0.0f, 0.0f, 0.0f), def->radius); break;
    case TP_COLLIDER_CAPSULE: draw_capsule(pen, def->half.y, def->radius); break;
    case TP_COLLIDER_BOX: draw_box(pen, tpi_scale(def->half, -1.0f), def->half); break;
    case TP_COLLIDER_MESH: draw_mesh(world, pen, &item->mesh, tpi_mesh_corners(world)); break;
    case TP_COLLIDER_HEIGHTFIELD: draw_heights(world, pen, item); break;
    case TP_COLLIDER_GRID: draw_box(pen, item->bounds_low, item->bounds_high); break;
    }
}

/* In the plane of local x and z: 16 sides; in 2D a line. */
static void draw_disc(const draw_pen *pen, float radius)
{
    tp_vector from = {radius, 0.0f, 0.0f};
    if (pen->is_flat) draw_line(pen, tpi_scale(from, -1.0f), from);
    for (uint32_t side = 0; side < 16u && !pen->is_flat; side++) {
        const float cosine = 0.92387953f, sine = 0.38268343f; /* of a sixteenth of a turn */
        tp_vector to = {cosine * from.x - sine * from.z, 0.0f, sine * from.x + cosine * from.z};
        draw_line(pen, from, to);
        from = to;
    }
}

static void draw_emitter(const tp_world *world, draw_pen *pen, const tpi_emitter_item *item)
{
    const tpi_emitter_settings *def = &item->def;
    const tp_vector middle = {0.0f, 0.0f, 0.0f}, side = {def->size.x, 0.0f, 0.0f};
    pen->pose = draw_pose(world, item->pose_from, item->pose_to);
    draw_line(pen, middle, def->velocity);
    switch (def->shape) {
    case TP_EMITTER_POINT: break;
    case TP_EMITTER_SEGMENT: draw_line(pen, tpi_scale(side, -1.0f), side); break;
    case TP_EMITTER_DISC: draw_disc(pen, def->size.x); break;
    case TP_EMITTER_SPHERE: draw_sphere(pen, middle, def->size.x); break;
    case TP_EMITTER_BOX: draw_box(pen, tpi_scale(def->size, -1.0f), def->size); break;
    case TP_EMITTER_MESH: draw_mesh(world, pen, &item->mesh, 3); break;
    }
}

/* A rotation that turns local y to a unit vector: by half a turn about the middle between both. */
static tp_quaternion draw_turn(tp_vector normal)
{
    tp_vector middle = tpi_vector(normal.x, normal.y + 1.0f, normal.z);
    float length = tpi_length(middle);
    if (!(length > 1e-3f)) return (tp_quaternion){0.0f, 1.0f, 0.0f, 0.0f};
    return (tp_quaternion){0.0f, middle.x / length, middle.y / length, middle.z / length};
}

static void draw_sink(draw_pen *pen, const tp_sink_def *def)
{
    pen->pose = (tp_pose){def->center, {1.0f, 0.0f, 0.0f, 0.0f}};
    switch (def->shape) {
    case TP_SINK_AGE: break;
    case TP_SINK_PLANE:
        pen->pose.position = tpi_scale(def->normal, def->offset);
        pen->pose.rotation = draw_turn(def->normal);
        draw_plane(pen);
        break;
    case TP_SINK_BOX: draw_box(pen, tpi_scale(def->half, -1.0f), def->half); break;
    case TP_SINK_SPHERE: draw_sphere(pen, tpi_vector(0.0f, 0.0f, 0.0f), def->radius); break;
    }
}

static void draw_items(const tp_world *world, draw_pen *pen)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    pen->kind = TP_DRAW_COLLIDER;
    for (uint32_t s = 0; s < tpi_colliders_end(world) && pen->draw->colliders; s++)
        if (tpi_pool_is_alive(slots, s)) draw_collider(world, pen, tpi_collider_at(world, s));
    slots = tpi_words(world, world->emitters.slots);
    pen->kind = TP_DRAW_EMITTER;
    for (uint32_t s = 0; s < tpi_emitters_end(world) && pen->draw->emitters; s++)
        if (tpi_pool_is_alive(slots, s) && !tpi_emitter_lingers(world, s))
            draw_emitter(world, pen, tpi_emitter_at(world, s));
    slots = tpi_words(world, world->sinks.slots);
    pen->kind = TP_DRAW_SINK;
    for (uint32_t s = 0; s < tpi_sinks_end(world) && pen->draw->sinks; s++)
        if (tpi_pool_is_alive(slots, s)) draw_sink(pen, &tpi_sink_at(world, s)->def);
}

static tpi_cell draw_cell_of(const tp_world *world, uint32_t i)
{
    float position[3] = {0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        position[axis] = tpi_front_x(world, axis)[i];
    return tpi_grid_cell(world, position);
}

/* The finest cells that hold particles. The storage has particles of one cell together, so a cell
   is drawn for the first of a run. */
static void draw_cells(const tp_world *world, draw_pen *pen)
{
    const tpi_box *box = &world->constants.box;
    tpi_cell last = {{0, 0, 0}, 0};
    pen->kind = TP_DRAW_CELL;
    for (uint32_t i = 0; i < world->count && tpi_has_neighbours(world); i++) {
        float low[3] = {0}, high[3] = {0};
        tpi_cell cell = draw_cell_of(world, i);
        if (tpi_is_same(cell.at, last.at, sizeof cell.at)) continue;
        last = cell;
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            bool is_open = box->cells[axis] == 0;
            float inverse = is_open ? world->constants.cell_inverse : box->cell_inverse[axis];
            float at = (float)((int32_t)cell.at[axis] - 65536);
            low[axis] = (is_open ? 0.0f : box->low[axis]) + at / inverse;
            high[axis] = low[axis] + 1.0f / inverse;
        }
        draw_box(pen, tpi_vector(low[0], low[1], low[2]), tpi_vector(high[0], high[1], high[2]));
    }
}

/* Particles that touched a collider in the last step. */
static void draw_contacts(const tp_world *world, draw_pen *pen)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    pen->kind = TP_DRAW_CONTACT;
    for (uint32_t i = 0; i < world->count; i++) {
        tp_vector at = {tpi_front_x(world, 0)[i], tpi_front_x(world, 1)[i], 0.0f};
        if (!pen->is_flat) at.z = tpi_front_x(world, 2)[i];
        if (meta[i] & TP_META_CONTACT)
            draw_sphere(pen, at, world->def.species[TP_META_SPECIES(meta[i])].radius);
    }
}

/* ---- text ---- */

/* Appends a word, or a number with at most 10 digits. */
static char *draw_word(char *to, const char *text)
{
    while (*text) *to++ = *text++;
    *to = 0;
    return to;
}

static char *draw_number(char *to, uint64_t number)
{
    char digits[11] = {0};
    uint32_t at = 10, rest = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    do {
        digits[--at] = (char)('0' + rest % 10u);
        rest /= 10u;
    } while (rest > 0);
    return draw_word(to, digits + at);
}

static void draw_text(const draw_pen *pen, const char *name, uint64_t number, uint64_t most)
{
    char line[64], *to = draw_word(line, name);
    to = draw_number(draw_word(to, " "), number);
    if (most > 0) (void)draw_number(draw_word(to, " of "), most);
    pen->draw->text(pen->draw->context, pen->kind, line);
}

/* What the last frame cost, and how full the world is. */
static void draw_budget(const tp_world *world, draw_pen *pen)
{
    const tp_report *report = &world->report;
    if (!pen->draw->text) return;
    pen->kind = TP_DRAW_BUDGET;
    draw_text(pen, "units", report->units, 0);
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++)
        if (report->stage_units[stage])
            draw_text(pen, tp_stage_name((tp_stage)stage), report->stage_units[stage], 0);
    draw_text(pen, "longest slice", report->slice_units_longest, world->def.slice_units);
    draw_text(pen, "steps", report->steps_in_frame, 0);
    draw_text(pen, "particles", world->count, world->def.particles_max);
    draw_text(pen, "ticks owed", report->lag_ticks, 0);
}

tp_result tp_world_draw(const tp_world *world, const tp_draw *draw)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!draw) return TP_ERROR_NULL;
    draw_pen pen = {.draw = draw, .is_flat = tpi_dimensions(world) == 2};
    draw_items(world, &pen);
    pen.pose = (tp_pose){{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f}};
    if (draw->cells) draw_cells(world, &pen);
    if (draw->contacts) draw_contacts(world, &pen);
    if (draw->budget) draw_budget(world, &pen);
    return TP_OK;
}
