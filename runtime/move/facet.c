/* SPDX-License-Identifier: MIT
   runtime/move/facet.c - the planes that stand for a surface of triangles or edges near a point, as
           walls of a fluid.
   reads   triangles and edges near the point      writes  the search
   memory  the search, on the stack      cost    O(1) per triangle and box
   after   own design. The first plane is at the nearest point of the surface. Each further one is
           that of the triangle that adds most to those before, of the triangles in front of which
           the point is

   How much a triangle adds is its novelty, 0..1. It is 0 for one that does not rise above a plane
   found before: the rest of a flat floor, the other side of an edge. Else it follows from the angle
   between both. A point in the edge of two planes at the angle a has the share 1/2 + a / (2 pi) of
   its kernel behind them. By the rule for walls, 1 - (1 - f1)(1 - f2), the second plane then has
   the share f2 = a / pi. As shares fall with about the fourth power of 1 - d / h, d is that for
   which 1 - d / h is multiplied by the fourth root of 2 a / pi, and 2 a / pi is about
   sqrt(1 - cos a). */
#include "collide.h"

/* Triangles as near as the nearest one, but for this share, share the nearest point. */
#define FACET_TIE 1e-4f
/* Share by which the point must be higher above one of them to prefer it: not so in one plane. */
#define FACET_CLEARER 1e-2f
/* A point behind the nearest face is inside the solid down to this depth in support radii; deeper
   it is behind a surface without thickness. */
#define FACET_DEPTH 0.25f
/* In support radii: a point is above a face up to this far beside it. */
#define FACET_BESIDE 1e-3f
/* Further planes that cover the kernel up to less than this, in support radii, are left out: they
   may come from rounding. */
#define FACET_LEAST 1e-2f
/* Support radii over the height above a plane at which all of a triangle counts: a margin for
   rounding. */
#define FACET_RISE 64.0f

static void facets_restart(tpi_facets *f)
{
    f->reach = f->count > 0 ? f->within * (1.0f - FACET_LEAST) : f->within;
    f->height = 0.0f;
    f->best.novelty = 0.0f;
}

void tpi_facets_begin(tpi_facets *f)
{
    f->count = f->visits = 0;
    f->is_in_front = f->is_two_sided = f->has_borders = false;
    f->shares = 0;
    f->deep = f->within;
    facets_restart(f);
}

static float facets_gap(float point, float low, float high)
{
    return tpi_max(tpi_max(low - point, point - high), 0.0f);
}

float tpi_facets_square(const tpi_facets *f, tp_vector low, tp_vector high)
{
    tp_vector gap = {facets_gap(f->point.x, low.x, high.x), facets_gap(f->point.y, low.y, high.y),
                     facets_gap(f->point.z, low.z, high.z)};
    return tpi_dot(gap, gap);
}

bool tpi_facets_skip(tpi_facets *f, tp_vector low, tp_vector high)
{
    float reach = f->reach * (1.0f + FACET_TIE);
    f->visits++;
    if (tpi_facets_square(f, low, high) > reach * reach) return true;
    for (uint32_t k = 0; k < f->count; k++) {
        tp_vector out = f->found[k].out,
                  top = {out.x > 0.0f ? high.x : low.x, out.y > 0.0f ? high.y : low.y,
                         out.z > 0.0f ? high.z : low.z};
        if (!(tpi_dot(out, tpi_sub(top, f->found[k].foot)) > 0.0f)) return true;
    }
    return false;
}

static float facets_novelty(const tpi_facets *f, const tpi_triangle *t, tp_vector face)
{
    float novelty = 1.0f;
    for (uint32_t k = 0; k < f->count; k++) {
        tp_vector out = f->found[k].out, foot = f->found[k].foot;
        float rise =
            tpi_max(tpi_dot(out, tpi_sub(t->a, foot)),
                    tpi_max(tpi_dot(out, tpi_sub(t->b, foot)), tpi_dot(out, tpi_sub(t->c, foot))));
        float turn = tpi_clamp(1.0f - tpi_dot(out, face), 0.0f, 1.0f);
        float root = tpi_sqrt(tpi_sqrt(tpi_sqrt(turn)));
        novelty = tpi_min(novelty, root * tpi_clamp(rise * (FACET_RISE / f->within), 0.0f, 1.0f));
    }
    return novelty;
}

/* The foot of the point on a triangle, its direction and distance. */
static tpi_facet facets_at(const tpi_facets *f, const tpi_triangle *t, tp_vector face, float height)
{
    tpi_facet facet = {tpi_triangle_closest(t, f->point), face, height, 1.0f};
    tp_vector offset = tpi_sub(f->point, facet.foot);
    float square = tpi_dot(offset, offset), beside = FACET_BESIDE * f->within;
    if (square - height * height <= beside * beside) return facet;
    facet.distance = height < 0.0f ? -tpi_sqrt(square) : tpi_sqrt(square);
    facet.out = tpi_scale(offset, 1.0f / facet.distance);
    return facet;
}

/* True if the triangle is nearer than the best one, or shares its nearest point and shows more
   clearly on which side the point is. */
static bool facets_is_nearest(const tpi_facets *f, float distance, float height)
{
    const float clear = 1.0f + FACET_CLEARER;
    if (distance < f->reach * (1.0f - FACET_TIE)) return true;
    if (distance > f->reach * (1.0f + FACET_TIE)) return false;
    if (height > f->height * clear) return true;
    return distance < f->reach && height * clear >= f->height;
}

/* True if a triangle is between the point and `from`. */
static bool facets_is_between(const tpi_facets *f, const tpi_triangle *t, float height, float other)
{
    if (!(height * other < 0.0f)) return false;
    tp_vector way = tpi_sub(f->from, f->point),
              at = tpi_add_scaled(f->point, way, height / (height - other)),
              beside = tpi_sub(at, tpi_triangle_closest(t, at));
    float most = FACET_BESIDE * f->within;
    return tpi_dot(beside, beside) <= most * most;
}

/* A face without a back: turned to the side that counts. Returns the height above it. */
static float facets_turn(const tpi_facets *f, const tpi_triangle *t, tp_vector *face, float height)
{
    float other = tpi_dot(tpi_sub(f->from, t->a), *face);
    bool is_between = facets_is_between(f, t, height, other);
    if ((is_between ? other : height) >= 0.0f) return height;
    *face = tpi_scale(*face, -1.0f);
    return -height;
}

/* Counts the triangles that share the nearest point, before the best one may change. One too far
   behind to be found may share it, too. */
static void facets_share(tpi_facets *f, const tpi_facet *facet, bool is_deep)
{
    float distance = tpi_abs(facet->distance), beside = FACET_BESIDE * f->within;
    tp_vector apart = tpi_sub(facet->foot, f->best.foot);
    if (is_deep)
        f->deep = tpi_min(f->deep, distance);
    else if (distance < f->reach * (1.0f - FACET_TIE))
        f->shares = 1;
    else if (tpi_dot(apart, apart) <= beside * beside)
        f->shares++;
}

/* The nearest point of one triangle alone, beside it, is on the border of an open surface, which
   has no back: the point is in front of the border, which is round. */
static void facets_turn_border(tpi_facets *f)
{
    tpi_facet *best = &f->best;
    float beside = FACET_BESIDE * f->within, square = best->distance * best->distance;
    if (!f->has_borders || f->count > 0 || !(best->distance < 0.0f) || f->shares > 1 ||
        f->deep <= -best->distance * (1.0f + FACET_TIE) ||
        square - f->height * f->height <= beside * beside)
        return;
    best->distance = -best->distance;
    best->out = tpi_scale(best->out, -1.0f);
}

/* Keeps the triangle if it is the best one so far; `area`: its normal, of any length. */
static void facets_weigh(tpi_facets *f, const tpi_triangle *t, tp_vector area)
{
    float size = tpi_length(area);
    f->visits++;
    if (size < 1e-15f) return; /* no area: neighbouring triangles close the surface */
    tp_vector face = tpi_scale(area, 1.0f / size);
    float height = tpi_dot(tpi_sub(f->point, t->a), face);
    if (f->is_two_sided) height = facets_turn(f, t, &face, height);
    if (height < 0.0f && (f->count > 0 || f->is_in_front)) return;
    bool is_deep = height < -FACET_DEPTH * f->within && !f->is_two_sided;
    if (is_deep && (!f->has_borders || f->count > 0)) return;
    if (tpi_abs(height) > f->reach * (1.0f + FACET_TIE)) return;
    tpi_facet facet = facets_at(f, t, face, height);
    if (f->has_borders && f->count == 0) facets_share(f, &facet, is_deep);
    if (is_deep) return;
    if (f->count > 0) {
        facet.novelty = facets_novelty(f, t, face);
        facet.distance = f->within - (f->within - facet.distance) * facet.novelty;
        if (facet.distance >= f->reach) return;
    } else if (!facets_is_nearest(f, tpi_abs(facet.distance), tpi_abs(height))) {
        return;
    }
    f->best = facet;
    f->reach = tpi_abs(facet.distance);
    f->height = tpi_abs(height);
}

void tpi_facets_offer(tpi_facets *f, const tpi_triangle *t)
{
    facets_weigh(f, t, tpi_cross(tpi_sub(t->b, t->a), tpi_sub(t->c, t->a)));
}

/* The nearest point of a triangle of two equal corners is that of the edge. An open end has no
   back: below its edge, a point beside it is in front of the end, which is round. */
void tpi_facets_offer_edge(tpi_facets *f, tp_vector a, tp_vector b, bool is_begin, bool is_end)
{
    tpi_triangle edge = {a, b, b, true, false};
    tp_vector area = tpi_edge_area(a, b), along = tpi_sub(b, a), from = tpi_sub(f->point, a);
    if ((is_begin || is_end) && !f->is_two_sided && tpi_dot(from, area) < 0.0f) {
        tp_vector beyond = tpi_sub(f->point, b);
        if (is_begin && tpi_dot(from, along) < 0.0f) {
            edge.b = edge.c = a;
            area = from;
        } else if (is_end && tpi_dot(beyond, along) > 0.0f) {
            edge.a = b;
            area = beyond;
        }
    }
    facets_weigh(f, &edge, area);
}

bool tpi_facets_next(tpi_facets *f)
{
    if (!(f->best.novelty > 0.0f)) return false;
    facets_turn_border(f);
    f->found[f->count++] = f->best;
    facets_restart(f);
    return f->count < TPI_WALL_PLANES && f->visits < f->visits_max;
}

#undef FACET_TIE
#undef FACET_CLEARER
#undef FACET_LEAST
#undef FACET_DEPTH
#undef FACET_BESIDE
#undef FACET_RISE
