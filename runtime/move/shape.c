/* SPDX-License-Identifier: MIT
   runtime/move/shape.c - a swept sphere against a plane, a box, a sphere or a capsule.
   reads   a cast: segment and distances in the shape's frame      writes  the cast's earliest hit
   memory  none
   cost    O(1): a box at most 7 quadratics
   after   between the crossings of the six side planes of a box, the squared distance along a line
           is a quadratic polynomial, so the sweep solves one quadratic per interval. Spheres and
           capsules are degenerate boxes */
#include "collide.h"

void tpi_cast_hit(tpi_cast *cast, float time, tp_vector normal, float distance)
{
    if (!(time < cast->time) || time > 1.0f) return;
    cast->time = time;
    cast->normal = normal;
    cast->push = tpi_scale(normal, cast->clearance - distance);
    cast->hit_collider = cast->collider;
    cast->began_inside = cast->is_pause = false;
}

/* True if the segment approaches a surface. A jump out of another one may be parallel to it, and
   approach by rounding: in a corner two surfaces would hold the sphere for ever. */
static bool shape_approaches(const tpi_cast *cast, tp_vector normal)
{
    float along = tpi_dot(cast->move, normal);
    if (!cast->is_jump) return along < 0.0f;
    float size = tpi_abs(cast->move.x) + tpi_abs(cast->move.y) + tpi_abs(cast->move.z);
    return along < -1e-5f * size;
}

bool tpi_cast_start(tpi_cast *cast, float distance, tp_vector normal)
{
    if (distance >= cast->contact) return false;
    bool is_inside = !cast->is_jump && distance < cast->inside;
    if (!is_inside && !shape_approaches(cast, normal)) return true;
    if (!(0.0f < cast->time)) return true;
    tpi_cast_hit(cast, 0.0f, normal, distance);
    cast->began_inside = is_inside;
    return true;
}

void tpi_cast_plane(tpi_cast *cast)
{
    const tp_vector up = {0.0f, 1.0f, 0.0f};
    float fall = cast->from.y - cast->contact;
    if (tpi_cast_start(cast, cast->from.y, up)) return;
    if (fall + cast->move.y < 0.0f) tpi_cast_hit(cast, fall / -cast->move.y, up, cast->contact);
}

/* ---- boxes ---- */

static float shape_excess_axis(float coordinate, float half)
{
    return coordinate > half ? coordinate - half : coordinate < -half ? coordinate + half : 0.0f;
}

/* The vector from the nearest point of the box to a point; 0 inside the box. */
static tp_vector shape_excess(tp_vector point, tp_vector half)
{
    return tpi_vector(shape_excess_axis(point.x, half.x), shape_excess_axis(point.y, half.y),
                      shape_excess_axis(point.z, half.z));
}

/* The side nearest to a point inside: returns a distance < 0; ties go to the first axis. */
static float shape_nearest_side(tp_vector point, tp_vector half, tp_vector *normal)
{
    tp_vector depth = {tpi_abs(point.x) - half.x, tpi_abs(point.y) - half.y,
                       tpi_abs(point.z) - half.z};
    if (depth.x >= depth.y && depth.x >= depth.z) {
        *normal = tpi_vector(point.x < 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f);
        return depth.x;
    }
    if (depth.y >= depth.z) {
        *normal = tpi_vector(0.0f, point.y < 0.0f ? -1.0f : 1.0f, 0.0f);
        return depth.y;
    }
    *normal = tpi_vector(0.0f, 0.0f, point.z < 0.0f ? -1.0f : 1.0f);
    return depth.z;
}

float tpi_box_distance(tp_vector point, tp_vector half, float radius, tp_vector *normal)
{
    tp_vector excess = shape_excess(point, half);
    float length = tpi_length(excess);
    if (length < 1e-12f) return shape_nearest_side(point, half, normal) - radius;
    *normal = tpi_vector(excess.x / length, excess.y / length, excess.z / length);
    return length - radius;
}

/* Clips [*enter, *leave] to the part of the segment between two sides `half` from the centre; false
   if it is empty. */
static bool shape_clip_axis(float from, float move, float half, float *enter, float *leave)
{
    if (tpi_abs(move) < 1e-30f) return tpi_abs(from) <= half;
    float side = move > 0.0f ? half : -half;
    *enter = tpi_max(*enter, (-side - from) / move);
    *leave = tpi_min(*leave, (side - from) / move);
    return *enter <= *leave;
}

/* Times at which one coordinate crosses the two sides of the box. */
static void shape_crossings(float from, float move, float half, float times[2])
{
    bool is_still = tpi_abs(move) < 1e-30f;
    times[0] = is_still ? 2.0f : (-half - from) / move;
    times[1] = is_still ? 2.0f : (half - from) / move;
}

/* First time in [begin, end] at which the distance from the box is `target`; within the interval
   the point is beyond the same sides. 2: never. */
static float shape_root(const tpi_cast *cast, tp_vector half, float target, float begin, float end)
{
    tp_vector middle =
        shape_excess(tpi_add_scaled(cast->from, cast->move, 0.5f * (begin + end)), half);
    tp_vector start = tpi_add_scaled(cast->from, cast->move, begin), move = cast->move;
    start = tpi_vector(middle.x > 0.0f ? start.x - half.x : start.x + half.x,
                       middle.y > 0.0f ? start.y - half.y : start.y + half.y,
                       middle.z > 0.0f ? start.z - half.z : start.z + half.z);
    if (middle.x == 0.0f) start.x = move.x = 0.0f;
    if (middle.y == 0.0f) start.y = move.y = 0.0f;
    if (middle.z == 0.0f) start.z = move.z = 0.0f;
    if (tpi_dot(start, start) <= target * target) return begin;
    float time = begin + tpi_cast_ball_time(start, move, target);
    return time <= end ? time : 2.0f;
}

/* Solves each interval between crossings: at most six crossings, so at most seven intervals. */
static float shape_box_time(const tpi_cast *cast, tp_vector half, float target, float begin,
                            float end)
{
    float times[6];
    shape_crossings(cast->from.x, cast->move.x, half.x, times);
    shape_crossings(cast->from.y, cast->move.y, half.y, times + 2);
    shape_crossings(cast->from.z, cast->move.z, half.z, times + 4);
    for (uint32_t piece = 0; piece < 7; piece++) {
        float next = end;
        for (uint32_t k = 0; k < 6; k++)
            if (times[k] > begin) next = tpi_min(next, times[k]);
        float time = shape_root(cast, half, target, begin, next);
        if (time <= 1.0f) return time;
        if (next >= end) break;
        begin = next;
    }
    return 2.0f;
}

void tpi_cast_box(tpi_cast *cast, tp_vector half, float radius)
{
    tp_vector normal;
    float target = cast->contact + radius, enter = 0.0f, leave = tpi_min(cast->time, 1.0f);
    if (!shape_clip_axis(cast->from.x, cast->move.x, half.x + target, &enter, &leave) ||
        !shape_clip_axis(cast->from.y, cast->move.y, half.y + target, &enter, &leave) ||
        !shape_clip_axis(cast->from.z, cast->move.z, half.z + target, &enter, &leave))
        return;
    float distance = tpi_box_distance(cast->from, half, radius, &normal);
    if (tpi_cast_start(cast, distance, normal)) return;
    float time = shape_box_time(cast, half, target, enter, leave);
    if (time > 1.0f) return;
    distance =
        tpi_box_distance(tpi_add_scaled(cast->from, cast->move, time), half, radius, &normal);
    tpi_cast_hit(cast, time, normal, distance);
}

/* One pair of sides, seen from inside. */
static void shape_hollow_axis(tpi_cast *cast, float from, float move, float half, tp_vector axis)
{
    float sign = move < 0.0f ? -1.0f : 1.0f, gap = half - cast->contact - sign * from;
    tp_vector normal = tpi_scale(axis, -sign);
    if (gap < 0.0f && (cast->is_jump || half - sign * from >= cast->inside)) {
        if (move != 0.0f) tpi_cast_hit(cast, 0.0f, normal, half - sign * from);
    } else if (gap >= 0.0f && gap - tpi_abs(move) < 0.0f) {
        tpi_cast_hit(cast, gap / tpi_abs(move), normal, cast->contact);
    }
}

void tpi_cast_hollow_box(tpi_cast *cast, tp_vector half)
{
    const tp_vector axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    tp_vector normal;
    float distance = -shape_nearest_side(cast->from, half, &normal);
    normal = tpi_scale(normal, -1.0f);
    if (distance < cast->inside && tpi_cast_start(cast, distance, normal) && !cast->is_jump) return;
    shape_hollow_axis(cast, cast->from.x, cast->move.x, half.x, axes[0]);
    shape_hollow_axis(cast, cast->from.y, cast->move.y, half.y, axes[1]);
    shape_hollow_axis(cast, cast->from.z, cast->move.z, half.z, axes[2]);
}

bool tpi_cast_shape(const tpi_collider_item *item, tpi_cast *cast)
{
    const tp_collider_def *def = &item->def;
    switch (def->shape) {
    case TP_COLLIDER_PLANE: tpi_cast_plane(cast); return true;
    case TP_COLLIDER_SPHERE:
        tpi_cast_box(cast, tpi_vector(0.0f, 0.0f, 0.0f), def->radius);
        return true;
    case TP_COLLIDER_CAPSULE:
        tpi_cast_box(cast, tpi_vector(0.0f, def->half.y, 0.0f), def->radius);
        return true;
    case TP_COLLIDER_BOX:
        if (def->is_hollow)
            tpi_cast_hollow_box(cast, def->half);
        else
            tpi_cast_box(cast, def->half, 0.0f);
        return true;
    default: return false;
    }
}

uint32_t tpi_cast_parts(const tp_world *world, const tpi_collider_item *item, tpi_cast *cast,
                        uint32_t units, bool *done)
{
    *done = true;
    switch (item->def.shape) {
    case TP_COLLIDER_MESH: return tpi_cast_mesh(world, item, cast, units, done);
    case TP_COLLIDER_HEIGHTFIELD: return tpi_cast_heightfield(world, item, cast, units, done);
    case TP_COLLIDER_GRID: return tpi_cast_grid(world, item, cast, units, done);
    default: return 0;
    }
}
