/* SPDX-License-Identifier: MIT
   runtime/move/edge.c - a swept sphere against one edge of a mesh in 2D: its side and its two ends.
   reads   a cast: segment and distances in the shape's frame      writes  the cast's earliest hit
   memory  none                                                    cost    O(1)
   after   chains with ghost vertices (Catto 2010, Box2D): beyond an end the normal turns to that of
           the neighbouring edge, and no farther. So no corner catches a sphere at a seam */
#include "collide.h"

/* In half skins: a point so far behind its edge is in front by rounding, as `inside` says. It may
   come there in a narrow corner, where the push of one side leads to the other. */
#define EDGE_BEHIND 0.5f

/* One end of an edge, seen from the side of the sphere. */
typedef struct edge_end {
    tp_vector at;
    tp_vector out; /* out of the edge; not of unit length */
    tp_vector on;  /* along the neighbouring edge; 0: there is none */
    tp_vector normal;
    bool is_begin;
} edge_end;

tp_vector tpi_edge_area(tp_vector a, tp_vector b) { return tpi_vector(b.y - a.y, a.x - b.x, 0.0f); }

static edge_end edge_end_of(const tpi_edge *edge, tp_vector normal, bool is_begin)
{
    tp_vector along = tpi_sub(edge->b, edge->a);
    if (is_begin)
        return (edge_end){edge->a, tpi_scale(along, -1.0f), tpi_sub(edge->before, edge->a), normal,
                          true};
    return (edge_end){edge->b, along, tpi_sub(edge->after, edge->b), normal, false};
}

/* The normal of a surface for a centre at an offset from an end. It turns from that of the edge to
   that of its neighbour, and no farther. True if it is one of these two. */
static bool edge_end_normal(const edge_end *end, tp_vector offset, tp_vector *normal)
{
    float length = tpi_length(offset);
    *normal = end->normal;
    if (!(tpi_dot(offset, end->out) > 0.0f) || length < 1e-12f) return true;
    *normal = tpi_scale(offset, 1.0f / length);
    if (!(tpi_dot(offset, end->on) > 0.0f)) return false;
    const tp_vector none = {0.0f, 0.0f, 0.0f};
    tp_vector area = tpi_edge_area(none, end->on);
    *normal = tpi_scale(area, (end->is_begin ? -1.0f : 1.0f) / tpi_length(area));
    return true;
}

/* Beside an edge its side is hit, at the time that the side itself finds. */
static void edge_corner(tpi_cast *cast, const edge_end *end)
{
    tp_vector normal, start = tpi_sub(cast->from, end->at);
    float time = tpi_cast_ball_time(start, cast->move, cast->contact);
    if (!(time < cast->time) || time > 1.0f) return;
    bool is_side = edge_end_normal(end, tpi_add_scaled(start, cast->move, time), &normal);
    float fall = tpi_dot(cast->move, normal);
    if (!(fall < 0.0f)) return;
    float height = tpi_dot(start, normal);
    if (is_side) time = tpi_max((height - cast->contact) / -fall, 0.0f);
    tpi_cast_hit(cast, time, normal, time > 0.0f ? cast->contact : height);
}

/* How far a point is beyond an end; at most 0: it is beside the edge. The same bits decide for the
   neighbouring edge. */
static float edge_beyond(const edge_end *end, tp_vector point)
{
    return tpi_dot(tpi_sub(point, end->at), end->out);
}

/* Tests the start of the segment. True if the cast is decided. */
static bool edge_start(tpi_cast *cast, const tpi_edge *edge, const edge_end ends[2], float height)
{
    tp_vector normal = ends[0].normal;
    float distance = height;
    for (uint32_t k = 0; k < 2; k++) {
        if (!(edge_beyond(&ends[k], cast->from) > 0.0f)) continue;
        tp_vector offset = tpi_sub(cast->from, ends[k].at);
        if (tpi_length(offset) >= cast->contact) return false;
        (void)edge_end_normal(&ends[k], offset, &normal);
        distance = tpi_dot(offset, normal);
    }
    if (edge->is_one_sided && !(tpi_dot(cast->move, normal) < 0.0f)) return true;
    return tpi_cast_start(cast, distance, normal);
}

/* The side, moved to contact distance. True if it is hit. */
static bool edge_side(tpi_cast *cast, const edge_end ends[2], float height, float fall)
{
    float time = (height - cast->contact) / -fall;
    if (!(time >= 0.0f && time <= 1.0f)) return false;
    tp_vector point = tpi_add_scaled(cast->from, cast->move, time);
    if (edge_beyond(&ends[0], point) > 0.0f || edge_beyond(&ends[1], point) > 0.0f) return false;
    tpi_cast_hit(cast, time, ends[0].normal, cast->contact);
    return true;
}

/* Seen from behind, an edge of two sides has the opposite direction. */
static tpi_edge edge_reversed(const tpi_edge *edge)
{
    return (tpi_edge){edge->b, edge->a, edge->after, edge->before, edge->is_one_sided};
}

void tpi_cast_edge(tpi_cast *cast, const tpi_edge *edge)
{
    tpi_edge facing = *edge;
    tp_vector area = tpi_edge_area(edge->a, edge->b);
    float size = tpi_length(area);
    if (size < 1e-15f) return; /* no length: neighbouring edges close the surface */
    tp_vector normal = tpi_scale(area, 1.0f / size);
    float height = tpi_dot(tpi_sub(cast->from, edge->a), normal),
          fall = tpi_dot(cast->move, normal);
    if (edge->is_one_sided) {
        if (height < -EDGE_BEHIND * (cast->clearance - cast->contact)) return;
    } else if (height < 0.0f) {
        facing = edge_reversed(edge);
        normal = tpi_scale(normal, -1.0f);
        height = -height;
        fall = -fall;
    }
    if (height >= cast->contact && height + fall >= cast->contact) return;
    const edge_end ends[2] = {edge_end_of(&facing, normal, true),
                              edge_end_of(&facing, normal, false)};
    if (height < cast->contact && edge_start(cast, &facing, ends, height)) return;
    if (fall < 0.0f && edge_side(cast, ends, height, fall)) return;
    edge_corner(cast, &ends[0]);
    edge_corner(cast, &ends[1]);
}

#undef EDGE_BEHIND
