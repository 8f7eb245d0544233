/* SPDX-License-Identifier: MIT
   ports/wasm/play_sheet.c - a hanging sheet in a light wind; a hand takes hold of it, pulls, and
           tears it.
   reads   the pointer, see play.h      writes  its world, and the picture
   memory  depths of the picture's pixels, normals of the nodes, triangles
   cost    the picture O(pixels + triangles)
   after   own design; the hand is a collider to which nodes are tied. Triangles have a depth buffer
           and the light of their nodes between them (Gouraud 1971) */
#include "play.h"

#define SHEET_COLUMNS   42u
#define SHEET_ROWS      40u
#define SHEET_SPACING   0.05f /* m */
#define SHEET_TOP       2.75f /* m: height of the first row */
#define SHEET_NODES     (SHEET_COLUMNS * SHEET_ROWS)
#define SHEET_SPARE     400u /* nodes that tears make */
#define SHEET_TRIANGLES (2 * (SHEET_COLUMNS - 1) * (SHEET_ROWS - 1))
#define SHEET_SPEED     2.0f  /* m/s, of the hand at most */
#define SHEET_REACH     0.11f /* m: nodes that the hand takes */
#define SHEET_FAR       0.25f /* m: a hand farther from every node takes none */
#define SHEET_TIES      24u   /* nodes that it takes at most */
#define SHEET_TOWARDS   0.35f /* m: it pulls towards the eye */
#define SHEET_EYE       5.0f  /* m: of the eye before the sheet, for perspective */

typedef struct sheet_corner {
    float x, y, z, light; /* pixels, m, 0..1 from behind to -1..0 */
} sheet_corner;

static float sheet_depth[PLAY_SIDE * PLAY_SIDE];
static uint32_t sheet_ids[3 * SHEET_TRIANGLES];
static tp_vector sheet_normals[SHEET_NODES + SHEET_SPARE];
static uint32_t sheet_ties[SHEET_TIES];
static bool sheet_is_taking;

/* ---- the world */

static tp_world_def sheet_define(void)
{
    tp_world_def def = tp_world_default(3);
    def.particles_max = SHEET_NODES + SHEET_SPARE;
    def.colliders_max = 1;
    def.fields_max = 2;
    def.emitters_max = def.sinks_max = 0;
    def.keeps_births = false;
    def.solver = TP_SOLVER_CLOTH;
    def.overload = TP_OVERLOAD_DROP;
    def.cloth.constraints_max = 6 * SHEET_NODES + 2 * SHEET_SPARE;
    def.cloth.splits_max = SHEET_SPARE;
    def.cloth.triangles_max = SHEET_TRIANGLES;
    def.cloth.ties_max = SHEET_TIES;
    def.cloth.air = 0.7f;
    def.cloth.damping = 0.0005f;
    def.cloth.tear = 0.9f;
    def.cloth.yield = 0.3f;
    def.cloth.yield_max = 0.5f;
    def.species[0].mass = 0.0004f;
    def.species[0].radius = 0.004f;
    return def;
}

static tp_result sheet_air(tp_world *world)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_field field;
    gravity.vector = (tp_vector){0, -9.81f, 0};
    wind.vector = (tp_vector){0.2f, 0, 0.5f};
    wind.strength = 1.1f;
    wind.core = 0.9f;
    tp_result result = tp_field_add(world, &gravity, &field);
    return result == TP_OK ? tp_field_add(world, &wind, &field) : result;
}

/* Every third node of the first row hangs on a rail. */
static tp_result sheet_hang(tp_world *world)
{
    tp_cloth_def def = tp_cloth_default();
    uint32_t first;
    def.columns = SHEET_COLUMNS;
    def.rows = SHEET_ROWS;
    def.origin = (tp_vector){-0.5f * (SHEET_COLUMNS - 1) * SHEET_SPACING, SHEET_TOP, 0};
    def.along = (tp_vector){SHEET_SPACING, 0, 0};
    def.across = (tp_vector){0, -SHEET_SPACING, 0};
    def.stretch = 0.015f;
    def.shear = 0.06f;
    def.bend = 0.3f;
    def.tether = 0;
    tp_result result = tp_cloth_grid(world, &def, &first);
    for (uint32_t column = 0; column < SHEET_COLUMNS && result == TP_OK; column += 3)
        result = tp_cloth_pin(world, first + column, true);
    if (result == TP_OK) result = tp_cloth_pin(world, first + SHEET_COLUMNS - 1, true);
    return result;
}

static tp_result sheet_fill(tp_world *world)
{
    tp_collider_def hand = tp_collider_default(TP_COLLIDER_SPHERE);
    sheet_is_taking = false;
    hand.radius = 0.001f;
    hand.pose.position = play_now.at = (tp_vector){0, 0, 1};
    tp_result result = tp_collider_add(world, &hand, &play_now.collider);
    if (result == TP_OK) result = sheet_air(world);
    return result == TP_OK ? sheet_hang(world) : result;
}

/* An empty hand is where the pointer is, before the sheet. One that has just taken hold is where
   the nodes are for a frame: a move would replace its place. */
static tp_result sheet_move(tp_world *world)
{
    if (sheet_is_taking) return sheet_is_taking = false, TP_OK;
    play_now.wanted.z = play_now.nodes ? SHEET_TOWARDS : 1;
    return play_follow(world, play_now.nodes ? SHEET_SPEED : 1000);
}

static float sheet_square(const tp_view *view, uint32_t i, tp_vector from)
{
    const float x = view->x[i] - from.x, y = view->y[i] - from.y;
    return x * x + y * y;
}

/* The node nearest to the pointer in the picture, or the count of nodes if none is near. */
static uint32_t sheet_nearest(const tp_view *view)
{
    float least = SHEET_FAR * SHEET_FAR;
    uint32_t nearest = view->count;
    for (uint32_t i = 0; i < view->count; i++) {
        const float square = sheet_square(view, i, play_now.wanted);
        if (square < least) least = square, nearest = i;
    }
    return nearest;
}

static tp_result sheet_tie(tp_world *world, uint32_t node, tp_vector at)
{
    tp_cloth_tie_def def = tp_cloth_tie_default();
    def.node = node;
    def.collider = play_now.collider;
    def.point = (tp_vector){at.x - play_now.at.x, at.y - play_now.at.y, at.z - play_now.at.z};
    tp_result result = tp_cloth_tie(world, &def, &sheet_ties[play_now.nodes]);
    if (result == TP_OK) play_now.nodes++;
    return result;
}

/* Places are read before the first tie, which restarts the step. */
static tp_result sheet_take(tp_world *world)
{
    const tp_view view = tp_world_view(world);
    const uint32_t nearest = sheet_nearest(&view);
    if (nearest == view.count) return TP_OK;
    const tp_vector middle = {view.x[nearest], view.y[nearest], view.z[nearest]};
    tp_vector places[SHEET_TIES];
    uint32_t ids[SHEET_TIES], count = 0;
    for (uint32_t i = 0; i < view.count && count < SHEET_TIES; i++) {
        if (sheet_square(&view, i, middle) > SHEET_REACH * SHEET_REACH) continue;
        places[count] = (tp_vector){view.x[i], view.y[i], view.z[i]};
        ids[count++] = view.id[i];
    }
    play_now.at = middle;
    sheet_is_taking = true;
    const tp_pose pose = {middle, {1, 0, 0, 0}};
    tp_result result = tp_collider_place(world, play_now.collider, pose);
    for (uint32_t i = 0; i < count && result == TP_OK; i++)
        result = sheet_tie(world, ids[i], places[i]);
    return result;
}

static tp_result sheet_hold(tp_world *world, bool is_held)
{
    tp_result result = TP_OK;
    if (is_held) return sheet_take(world);
    while (play_now.nodes > 0 && result == TP_OK)
        result = tp_cloth_untie(world, sheet_ties[--play_now.nodes]);
    return result;
}

/* ---- the picture */

static tp_vector sheet_place(const tp_view *view, uint32_t i)
{
    return (tp_vector){view->x[i], view->y[i], view->z[i]};
}

static tp_vector sheet_cross(tp_vector a, tp_vector b)
{
    return (tp_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static tp_vector sheet_from(tp_vector a, tp_vector b)
{
    return (tp_vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Nodes keep their order and have ids from 0 on, so an id is an index. */
static void sheet_turn(const tp_view *view, uint32_t triangles)
{
    for (uint32_t i = 0; i < view->count; i++) sheet_normals[i] = (tp_vector){0, 0, 0};
    for (uint32_t t = 0; t < triangles; t++) {
        const uint32_t *ids = &sheet_ids[3 * t];
        const tp_vector a = sheet_place(view, ids[0]);
        const tp_vector normal = sheet_cross(sheet_from(sheet_place(view, ids[1]), a),
                                             sheet_from(sheet_place(view, ids[2]), a));
        for (int k = 0; k < 3; k++) {
            tp_vector *sum = &sheet_normals[ids[k]];
            sum->x += normal.x, sum->y += normal.y, sum->z += normal.z;
        }
    }
}

/* Light of a node, 0..1, from the left above and before the sheet: on either side the same. */
static float sheet_light(tp_vector normal)
{
    const float length = play_root(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    float turn = length > 0 ? (-0.45f * normal.x + 0.4f * normal.y + 0.8f * normal.z) / length : 0;
    turn = turn < 0 ? -turn : turn;
    return 0.18f + 0.82f * turn * turn;
}

static sheet_corner sheet_seen(const tp_view *view, uint32_t i)
{
    const float scale = PLAY_SIDE / PLAY_EXTENT, near = SHEET_EYE / (SHEET_EYE - view->z[i]);
    const float middle = 0.5f * PLAY_EXTENT;
    return (sheet_corner){(view->x[i] * near + middle) * scale,
                          PLAY_SIDE - (middle + (view->y[i] - middle) * near) * scale, view->z[i],
                          sheet_light(sheet_normals[i])};
}

/* Twice the area of the triangle of a, b and a point. */
static float sheet_side(const sheet_corner *a, const sheet_corner *b, float x, float y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

static uint32_t sheet_colour(float light, bool is_front)
{
    if (is_front) return play_pixel(20 + 150 * light, 70 + 120 * light, 130 + 110 * light);
    return play_pixel(90 + 160 * light, 40 + 110 * light, 34 + 70 * light);
}

static void sheet_fill_triangle(const sheet_corner c[3], uint32_t *pixels)
{
    const float area = sheet_side(&c[0], &c[1], c[2].x, c[2].y);
    if (!(area > 1e-3f || area < -1e-3f)) return;
    float low[2] = {c[0].x, c[0].y}, high[2] = {c[0].x, c[0].y};
    for (int k = 1; k < 3; k++) {
        low[0] = c[k].x < low[0] ? c[k].x : low[0], low[1] = c[k].y < low[1] ? c[k].y : low[1];
        high[0] = c[k].x > high[0] ? c[k].x : high[0];
        high[1] = c[k].y > high[1] ? c[k].y : high[1];
    }
    const int left = (int)play_bound(low[0], 0, PLAY_SIDE),
              top = (int)play_bound(low[1], 0, PLAY_SIDE);
    const int right = (int)play_bound(high[0] + 1, 0, PLAY_SIDE);
    const int bottom = (int)play_bound(high[1] + 1, 0, PLAY_SIDE);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            const float px = (float)x + 0.5f, py = (float)y + 0.5f;
            const float a = sheet_side(&c[1], &c[2], px, py) / area;
            const float b = sheet_side(&c[2], &c[0], px, py) / area, rest = 1 - a - b;
            if (a < 0 || b < 0 || rest < 0) continue;
            const float depth = a * c[0].z + b * c[1].z + rest * c[2].z;
            if (depth <= sheet_depth[y * PLAY_SIDE + x]) continue;
            sheet_depth[y * PLAY_SIDE + x] = depth;
            pixels[y * PLAY_SIDE + x] =
                sheet_colour(a * c[0].light + b * c[1].light + rest * c[2].light, area > 0);
        }
}

/* The rail, and a ring where the hand holds. */
static void sheet_mark(uint32_t *pixels)
{
    const float scale = PLAY_SIDE / PLAY_EXTENT, middle = 0.5f * PLAY_EXTENT;
    const int rail = (int)(PLAY_SIDE - SHEET_TOP * scale);
    for (int y = rail - 5; y < rail; y++)
        for (int x = PLAY_SIDE / 10; x < PLAY_SIDE * 9 / 10; x++)
            pixels[y * PLAY_SIDE + x] = play_pixel(150 + (float)(rail - y) * 12, 140, 128);
    if (!play_now.nodes) return;
    const float near = SHEET_EYE / (SHEET_EYE - play_now.at.z);
    const float cx = (play_now.at.x * near + middle) * scale;
    const float cy = PLAY_SIDE - (middle + (play_now.at.y - middle) * near) * scale;
    for (int y = (int)play_bound(cy - 20, 0, PLAY_SIDE); y < (int)play_bound(cy + 20, 0, PLAY_SIDE);
         y++)
        for (int x = (int)play_bound(cx - 20, 0, PLAY_SIDE);
             x < (int)play_bound(cx + 20, 0, PLAY_SIDE); x++) {
            const float dx = (float)x - cx, dy = (float)y - cy, way = play_root(dx * dx + dy * dy);
            if (way > 13 && way < 17) pixels[y * PLAY_SIDE + x] = play_pixel(255, 236, 190);
        }
}

static void sheet_draw(const tp_world *world, uint32_t *pixels)
{
    const tp_view view = tp_world_view(world);
    uint32_t triangles = 0;
    if (tp_cloth_triangles(world, sheet_ids, SHEET_TRIANGLES, &triangles) != TP_OK) triangles = 0;
    for (int i = 0; i < PLAY_SIDE * PLAY_SIDE; i++) {
        const int y = i / PLAY_SIDE;
        sheet_depth[i] = -1e9f;
        pixels[i] = play_pixel(play_sky(0, y), play_sky(1, y), play_sky(2, y));
    }
    sheet_turn(&view, triangles);
    for (uint32_t t = 0; t < triangles; t++) {
        sheet_corner corners[3];
        for (uint32_t k = 0; k < 3; k++) corners[k] = sheet_seen(&view, sheet_ids[3 * t + k]);
        sheet_fill_triangle(corners, pixels);
    }
    sheet_mark(pixels);
}

const play_kind play_sheet = {sheet_define, sheet_fill, sheet_move, sheet_hold, sheet_draw};
