/* SPDX-License-Identifier: MIT
   runtime/move/triangle.c - a swept sphere against one triangle: its face, three edges, three
           corners.
   reads   a cast: segment and distances in the shape's frame      writes  the cast's earliest hit
   memory  none                                                    cost    O(1)
   after   closest point by Voronoi regions (Ericson 2005). To close cracks between neighbouring
           triangles, the line of the centre through the triangle is tested too, slightly beyond its
           edges */
#include "collide.h"

/* Share of the squared longest edge by which a face extends beyond its edges: covers the rounding
   of the inside test. */
#define TPI_FACE_SLACK 7.62939453e-6f /* 2^-17 */

tp_vector tpi_triangle_closest(const tpi_triangle *t, tp_vector p)
{
    tp_vector ab = tpi_sub(t->b, t->a), ac = tpi_sub(t->c, t->a), ap = tpi_sub(p, t->a);
    float d1 = tpi_dot(ab, ap), d2 = tpi_dot(ac, ap);
    if (d1 <= 0.0f && d2 <= 0.0f) return t->a;
    tp_vector bp = tpi_sub(p, t->b);
    float d3 = tpi_dot(ab, bp), d4 = tpi_dot(ac, bp);
    if (d3 >= 0.0f && d4 <= d3) return t->b;
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) return tpi_add_scaled(t->a, ab, d1 / (d1 - d3));
    tp_vector cp = tpi_sub(p, t->c);
    float d5 = tpi_dot(ab, cp), d6 = tpi_dot(ac, cp);
    if (d6 >= 0.0f && d5 <= d6) return t->c;
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) return tpi_add_scaled(t->a, ac, d2 / (d2 - d6));
    float va = d3 * d6 - d5 * d4, along_c = d4 - d3, along_b = d5 - d6;
    if (va <= 0.0f && along_c >= 0.0f && along_b >= 0.0f)
        return tpi_add_scaled(t->b, tpi_sub(t->c, t->b), along_c / (along_c + along_b));
    float scale = 1.0f / (va + vb + vc);
    return tpi_add_scaled(tpi_add_scaled(t->a, ab, vb * scale), ac, vc * scale);
}

/* True if `p`, projected along the normal (not of unit length), lies on the triangle widened by
   `slack` (m^2 times the normal). */
static bool triangle_holds(const tpi_triangle *t, tp_vector normal, tp_vector p, float slack)
{
    tp_vector pa = tpi_sub(t->a, p), pb = tpi_sub(t->b, p), pc = tpi_sub(t->c, p);
    return tpi_dot(tpi_cross(pa, pb), normal) >= -slack &&
           tpi_dot(tpi_cross(pb, pc), normal) >= -slack &&
           tpi_dot(tpi_cross(pc, pa), normal) >= -slack;
}

static void triangle_hit_at(tpi_cast *cast, float time, tp_vector point, tp_vector otherwise)
{
    if (!(time < cast->time) || time > 1.0f) return;
    tp_vector offset = tpi_sub(tpi_add_scaled(cast->from, cast->move, time), point);
    float length = tpi_length(offset);
    tpi_cast_hit(cast, time, length < 1e-12f ? otherwise : tpi_scale(offset, 1.0f / length),
                 length);
}

static void triangle_corner(tpi_cast *cast, tp_vector corner, tp_vector normal)
{
    float time = tpi_cast_ball_time(tpi_sub(cast->from, corner), cast->move, cast->contact);
    triangle_hit_at(cast, time, corner, normal);
}

/* The cylinder around an edge; spheres at the corners close it. */
static void triangle_edge(tpi_cast *cast, tp_vector begin, tp_vector end, tp_vector normal)
{
    tp_vector edge = tpi_sub(end, begin), start = tpi_sub(cast->from, begin);
    float square = tpi_dot(edge, edge);
    if (square < 1e-30f) return;
    float along = tpi_dot(start, edge) / square, along_move = tpi_dot(cast->move, edge) / square;
    tp_vector across = tpi_add_scaled(start, edge, -along),
              move = tpi_add_scaled(cast->move, edge, -along_move);
    float time = tpi_cast_ball_time(across, move, cast->contact);
    if (time > 1.0f) return;
    float position = along + along_move * time;
    if (position >= 0.0f && position <= 1.0f)
        triangle_hit_at(cast, time, tpi_add_scaled(begin, edge, position), normal);
}

/* The face, moved to contact distance. True if it is hit. */
static bool triangle_face(tpi_cast *cast, const tpi_triangle *t, tp_vector area, tp_vector normal,
                          float height, float fall)
{
    float time = (height - cast->contact) / -fall;
    if (!(time >= 0.0f && time <= 1.0f)) return false;
    if (!triangle_holds(t, area, tpi_add_scaled(cast->from, cast->move, time), 0.0f)) return false;
    tpi_cast_hit(cast, time, normal, cast->contact);
    return true;
}

/* The line of the centre through the triangle, in case rounding let it miss face, edges and
   corners. The hit is where it crossed the plane at contact distance, which is before any of
   them. */
static void triangle_gap(tpi_cast *cast, const tpi_triangle *t, tp_vector area, tp_vector normal,
                         float height, float fall)
{
    float through = height / -fall;
    if (!(through <= 1.0f) || cast->time <= through) return;
    float longest = tpi_max(tpi_dot(tpi_sub(t->b, t->a), tpi_sub(t->b, t->a)),
                            tpi_max(tpi_dot(tpi_sub(t->c, t->b), tpi_sub(t->c, t->b)),
                                    tpi_dot(tpi_sub(t->a, t->c), tpi_sub(t->a, t->c))));
    float slack = longest * TPI_FACE_SLACK * tpi_length(area);
    if (!triangle_holds(t, area, tpi_add_scaled(cast->from, cast->move, through), slack)) return;
    tpi_cast_hit(cast, tpi_max((height - cast->contact) / -fall, 0.0f), normal,
                 tpi_min(cast->contact, height));
}

/* Tests the start of the segment, if it is near the triangle. True if the cast is decided. */
static bool triangle_start(tpi_cast *cast, const tpi_triangle *t, tp_vector normal)
{
    tp_vector offset = tpi_sub(cast->from, tpi_triangle_closest(t, cast->from));
    float distance = tpi_length(offset);
    tp_vector out = distance < 1e-12f ? normal : tpi_scale(offset, 1.0f / distance);
    if (distance >= cast->contact) return false;
    if (t->is_one_sided && !t->is_ground && !(tpi_dot(cast->move, out) < 0.0f)) return true;
    return tpi_cast_start(cast, distance, out);
}

/* Tests a triangle. For a centre behind it: a one-sided surface has nothing to hit; a two-sided one
   has its other face; of ground only the edges are tested, which it shares with the neighbouring
   faces. */
void tpi_cast_triangle(tpi_cast *cast, const tpi_triangle *t)
{
    tp_vector area = tpi_cross(tpi_sub(t->b, t->a), tpi_sub(t->c, t->a));
    float size = tpi_length(area);
    if (size < 1e-15f) return; /* no area: neighbouring triangles close the surface */
    tp_vector normal = tpi_scale(area, 1.0f / size);
    float height = tpi_dot(tpi_sub(cast->from, t->a), normal), fall = tpi_dot(cast->move, normal);
    bool is_behind = height < 0.0f;
    if (is_behind) {
        if (t->is_one_sided && !t->is_ground) return;
        normal = tpi_scale(normal, -1.0f);
        height = -height;
        fall = -fall;
    }
    if (height >= cast->contact && height + fall >= cast->contact) return;
    if (height < cast->contact && triangle_start(cast, t, normal)) return;
    bool may_cross = fall < 0.0f && !(is_behind && t->is_ground);
    if (may_cross && triangle_face(cast, t, area, normal, height, fall)) return;
    triangle_edge(cast, t->a, t->b, normal);
    triangle_edge(cast, t->b, t->c, normal);
    triangle_edge(cast, t->c, t->a, normal);
    triangle_corner(cast, t->a, normal);
    triangle_corner(cast, t->b, normal);
    triangle_corner(cast, t->c, normal);
    if (may_cross) triangle_gap(cast, t, area, normal, height, fall);
}

#undef TPI_FACE_SLACK
