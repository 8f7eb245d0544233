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
    float side; /* 1: the normal of the neighbour is to the right of `on`; -1: to the left */
} edge_end;

static edge_end edge_begin_of(const tpi_edge *edge, tp_vector normal, bool is_back)
{
    return (edge_end){edge->a, tpi_sub(edge->a, edge->b), tpi_sub(edge->before, edge->a), normal,
                      is_back ? 1.0f : -1.0f};
}

static edge_end edge_end_of(const tpi_edge *edge, tp_vector normal, bool is_back)
{
    return (edge_end){edge->b, tpi_sub(edge->b, edge->a), tpi_sub(edge->after, edge->b), normal,
                      is_back ? -1.0f : 1.0f};
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
    float scale = end->side / tpi_length(end->on);
    *normal = tpi_vector(end->on.y * scale, -end->on.x * scale, 0.0f);
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

void tpi_cast_edge(tpi_cast *cast, const tpi_edge *edge)
{
    bool is_back = false;
    tp_vector area = tpi_edge_area(edge->a, edge->b);
    float size = tpi_length(area);
    if (size < 1e-15f) return; /* no length: neighbouring edges close the surface */
    tp_vector normal = tpi_scale(area, 1.0f / size);
    float height = tpi_dot(tpi_sub(cast->from, edge->a), normal),
          fall = tpi_dot(cast->move, normal);
    if (edge->is_one_sided) {
        if (height < -EDGE_BEHIND * (cast->clearance - cast->contact)) return;
    } else if (height < 0.0f) {
        is_back = true;
        normal = tpi_scale(normal, -1.0f);
        height = -height;
        fall = -fall;
    }
    if (height >= cast->contact && height + fall >= cast->contact) return;
    const edge_end ends[2] = {edge_begin_of(edge, normal, is_back),
                              edge_end_of(edge, normal, is_back)};
    if (height < cast->contact && edge_start(cast, edge, ends, height)) return;
    if (fall < 0.0f && edge_side(cast, ends, height, fall)) return;
    edge_corner(cast, &ends[0]);
    edge_corner(cast, &ends[1]);
}

#undef EDGE_BEHIND
