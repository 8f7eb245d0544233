/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/graze.c - contacts of points with triangles, and of edges: lists, impulses.
   reads   triangles, front positions, kicked velocities, weights
   writes  lists of pairs, kicked velocities, counters
   memory  see graze.h      cost    see graze.h
   after   see graze.h. Nearest points of a triangle and of two segments: Ericson 2005, Real-Time
           Collision Detection, 5.1.5 and 5.1.9 */
#include "graze.h"

#define GRAZE_RECOVER 0.1f /* of an overlap, in a sub-step */
#define GRAZE_LEAST   0.5f /* of the distance, which a pair keeps in a sub-step */
/* Thicknesses beyond what a pair keeps within which it counts: as a node moves half a thickness at
   most, others do not meet in a sub-step. */
#define GRAZE_NEAR 0.25f
#define GRAZE_REST 0.25f /* of the distance at rest, which what is in a sheet may come near */
#define GRAZE_FAN  16u   /* triangles of a node that are seen */
#define GRAZE_FREE 0.1f  /* thicknesses that a crossing edge moves in a sub-step */
/* Units to make space in a full list, of which each pair is measured again. */
#define GRAZE_SPACE 11u
/* In the number of listed pairs of a node: it is at a crossing of this sub-step. */
#define GRAZE_KNOT 0x80000000u

/* ---- memory ---- */

/* Begins of the triangles of nodes, then these triangles, then the numbers of listed pairs. */
static uint32_t *graze_begins(const tp_world *world)
{
    return (uint32_t *)(void *)(tpi_cloth_listed(world, 0) + (size_t)3u * world->def.particles_max);
}
static uint32_t *graze_corners(const tp_world *world)
{
    return graze_begins(world) + world->def.particles_max + 1u;
}
static uint32_t *graze_counts(const tp_world *world)
{
    return graze_corners(world) + 3u * (size_t)world->def.cloth.triangles_max;
}
static tpi_graze_pair *graze_pairs(const tp_world *world, uint32_t i)
{
    uint32_t *end = graze_counts(world) + world->def.particles_max;
    return (tpi_graze_pair *)(void *)end + (size_t)i * TPI_GRAZE_MAX;
}

/* Behind the pairs of the last node. */
static tpi_graze_queue *graze_queue(const tp_world *world)
{
    return (tpi_graze_queue *)(void *)graze_pairs(world, world->def.particles_max);
}

const char *tpi_graze_check(const tp_world_def *def)
{
    if (!tpi_is_within(def->cloth.edge_max, def->cloth.thickness, 1e4f))
        return TPI_TEXT("cloth.edge_max must be 0, or cloth.thickness to 1e4");
    if (def->dimensions == 2) return TPI_TEXT("cloth.edge_max must be 0 in 2D");
    if (def->cloth.thickness == 0.0f || def->cloth.triangles_max == 0)
        return TPI_TEXT("cloth.edge_max needs cloth.thickness and cloth.triangles_max");
    if (tpi_cloth_wears(def))
        return TPI_TEXT("cloth.tear and cloth.yield must be 0 with cloth.edge_max");
    return NULL;
}

/* m: the longest edge of a sheet at rest: of a grid also across a cell. */
static float graze_longest(const tp_cloth_def *sheet)
{
    float longest = 0.0f;
    for (uint32_t k = 0; sheet->vertices && k < 3u * sheet->triangle_count; k++) {
        const uint32_t next = k % 3u == 2u ? k - 2u : k + 1u;
        tp_vector edge =
            tpi_sub(sheet->vertices[sheet->indices[k]], sheet->vertices[sheet->indices[next]]);
        longest = tpi_max(longest, tpi_length(edge));
    }
    if (sheet->vertices) return longest;
    if (sheet->columns > 1u) longest = tpi_length(sheet->along);
    if (sheet->rows > 1u) longest = tpi_max(longest, tpi_length(sheet->across));
    if (sheet->columns > 1u && sheet->rows > 1u)
        longest = tpi_max(longest, tpi_length(tpi_sub(sheet->along, sheet->across)));
    return longest;
}

const char *tpi_graze_check_sheet(const tp_world *world, const tp_cloth_def *sheet)
{
    if (!tpi_def_grazes(&world->def) || sheet->layers > 1u) return NULL;
    if (!(graze_longest(sheet) > 1.0001f * world->def.cloth.edge_max)) return NULL;
    return TPI_TEXT("no edge of a triangle or rope may be longer than cloth.edge_max");
}

uint64_t tpi_graze_bytes(const tp_world_def *def)
{
    return ((uint64_t)def->particles_max * 2u + 1u + 3u * (uint64_t)def->cloth.triangles_max) * 4u +
           (uint64_t)def->particles_max * TPI_GRAZE_MAX * sizeof(tpi_graze_pair) +
           sizeof(tpi_graze_queue);
}

/* Of a triangle and of two edges across each other, the nearest points may be in the middle: the
   nodes are then 0.71 edges away at most, across the distance. */
float tpi_graze_reach(const tp_world_def *def, float reach)
{
    const float edge = TPI_GRAZE_STRETCH * def->cloth.edge_max;
    return tpi_sqrt(reach * reach + 0.5f * edge * edge);
}

/* ---- triangles of nodes ---- */

static const uint32_t *graze_triangle(const tp_world *world, uint32_t t)
{
    return tpi_words(world, world->arrays.own[TPI_CLOTH_TRIANGLE]) + 3u * (size_t)t;
}

/* Counting sort by node. */
void tpi_graze_fans(const tp_world *world)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    uint32_t *begins = graze_begins(world), *corners = graze_corners(world);
    const uint32_t *node = graze_triangle(world, 0);
    tpi_memset(begins, 0, ((size_t)world->def.particles_max + 1u) * 4u);
    for (uint32_t k = 0; k < 3u * head->triangles; k++) begins[node[k]]++;
    for (uint32_t i = 0, sum = 0; i <= world->def.particles_max; i++) begins[i] = sum += begins[i];
    for (uint32_t k = 3u * head->triangles; k-- > 0;) corners[--begins[node[k]]] = k / 3u;
}

static bool graze_audit_queue(const tp_world *world)
{
    const tpi_graze_queue *queue = graze_queue(world);
    const uint32_t nodes = tpi_cloth_head_of(world)->nodes;
    bool is_good = queue->count <= TPI_GRAZE_QUEUE && queue->next <= queue->count;
    for (uint32_t k = 0; is_good && k < queue->count; k++) {
        const tpi_graze_found *found = queue->found + k;
        is_good = found->node < nodes && found->other < nodes && found->square >= 0.0f &&
                  tpi_cloth_nodes_of(world)[found->node].sheet != TPI_CLOTH_NO_SHEET &&
                  tpi_cloth_nodes_of(world)[found->other].sheet != TPI_CLOTH_NO_SHEET;
    }
    return is_good;
}

const char *tpi_graze_audit(const tp_world *world, uint64_t *offset)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *begins = graze_begins(world), *corners = graze_corners(world);
    *offset = (uint64_t)((const char *)graze_queue(world) - (const char *)world);
    if (!graze_audit_queue(world)) return TPI_TEXT("a queue of pairs of nodes of sheets");
    *offset = (uint64_t)((const char *)begins - (const char *)world);
    bool is_good = begins[0] == 0 && begins[head->nodes] == 3u * head->triangles;
    for (uint32_t i = 0; i < head->nodes; i++) is_good = is_good && begins[i] <= begins[i + 1u];
    for (uint32_t k = 0; is_good && k < 3u * head->triangles; k++)
        is_good = corners[k] < head->triangles;
    return is_good ? NULL : TPI_TEXT("triangles of each node");
}

TPI_INLINE float graze_share(float part, float whole)
{
    return whole > 1e-30f ? tpi_clamp(part / whole, 0.0f, 1.0f) : 0.0f;
}

/* ---- what meets at a node ---- */

TPI_INLINE float graze_apart(tp_vector a, tp_vector b)
{
    tp_vector d = tpi_sub(a, b);
    return tpi_dot(d, d);
}

/* Triangles, and the other ends of edges. Two of them are on the stack: positions are read anew. */
typedef struct graze_fan {
    uint32_t triangle[GRAZE_FAN], end[2u * GRAZE_FAN], node, triangles, ends;
    tp_vector own;
    float longest[GRAZE_FAN], most; /* m^2 */
} graze_fan;

static void graze_add_end(const tp_world *world, graze_fan *fan, uint32_t end)
{
    for (uint32_t k = 0; k < fan->ends; k++)
        if (fan->end[k] == end) return;
    fan->end[fan->ends++] = end;
    fan->most = tpi_max(fan->most, graze_apart(fan->own, tpi_cloth_front_place(world, end)));
}

static float graze_longest_of(const tp_world *world, const uint32_t *node)
{
    tp_vector a = tpi_cloth_front_place(world, node[0]), b = tpi_cloth_front_place(world, node[1]),
              c = tpi_cloth_front_place(world, node[2]);
    return tpi_max(graze_apart(a, b), tpi_max(graze_apart(b, c), graze_apart(c, a)));
}

/* A node without triangles may be one of a rope. */
static void graze_find(const tp_world *world, uint32_t i, graze_fan *fan)
{
    const uint32_t *begins = graze_begins(world), *corners = graze_corners(world);
    const tpi_cloth_sheet *sheet = tpi_cloth_sheets(world) + tpi_cloth_nodes_of(world)[i].sheet;
    fan->node = i;
    fan->own = tpi_cloth_front_place(world, i);
    fan->triangles = tpi_min_u32(begins[i + 1u] - begins[i], GRAZE_FAN);
    fan->ends = 0;
    fan->most = 0.0f;
    for (uint32_t k = 0; k < fan->triangles; k++) {
        const uint32_t t = corners[begins[i] + k], *node = graze_triangle(world, t);
        fan->triangle[k] = t;
        fan->longest[k] = graze_longest_of(world, node);
        fan->most = tpi_max(fan->most, 1.34f * fan->longest[k]); /* see graze_list_points */
        for (uint32_t side = 0; side < 3; side++)
            if (node[side] != i) graze_add_end(world, fan, node[side]);
    }
    if (sheet->rows == 0 || (sheet->rows > 1u && sheet->columns > 1u)) return;
    if (i > sheet->first) graze_add_end(world, fan, i - 1u);
    if (i + 1u < sheet->first + tpi_cloth_sheet_nodes(sheet)) graze_add_end(world, fan, i + 1u);
}

/* ---- nearest points ---- */

/* Weights of a point and of the nearest point of a triangle: their sum with the positions is the
   offset. */
static void graze_point(const tp_vector x[4], float weight[4])
{
    tp_vector ab = tpi_sub(x[2], x[1]), ac = tpi_sub(x[3], x[1]), ap = tpi_sub(x[0], x[1]),
              bp = tpi_sub(x[0], x[2]), cp = tpi_sub(x[0], x[3]);
    float d1 = tpi_dot(ab, ap), d2 = tpi_dot(ac, ap), d3 = tpi_dot(ab, bp), d4 = tpi_dot(ac, bp),
          d5 = tpi_dot(ab, cp), d6 = tpi_dot(ac, cp), va = d3 * d6 - d5 * d4,
          vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0.0f, w = 0.0f;
    if (d1 <= 0.0f && d2 <= 0.0f)
        v = w = 0.0f;
    else if (d3 >= 0.0f && d4 <= d3)
        v = 1.0f;
    else if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f)
        v = graze_share(d1, d1 - d3);
    else if (d6 >= 0.0f && d5 <= d6)
        w = 1.0f;
    else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f)
        w = graze_share(d2, d2 - d6);
    else if (va <= 0.0f && d4 - d3 >= 0.0f && d5 - d6 >= 0.0f) {
        w = graze_share(d4 - d3, (d4 - d3) + (d5 - d6));
        v = 1.0f - w;
    } else {
        v = graze_share(vb, va + vb + vc);
        w = graze_share(vc, va + vb + vc);
    }
    weight[0] = 1.0f;
    weight[1] = (v + w) - 1.0f;
    weight[2] = 0.0f - v;
    weight[3] = 0.0f - w;
}

/* Likewise, of two edges. */
static void graze_edges(const tp_vector x[4], float weight[4])
{
    tp_vector e = tpi_sub(x[1], x[0]), f = tpi_sub(x[3], x[2]), r = tpi_sub(x[0], x[2]);
    float ee = tpi_dot(e, e), ff = tpi_dot(f, f), ef = tpi_dot(e, f), er = tpi_dot(e, r),
          fr = tpi_dot(f, r), whole = ee * ff - ef * ef,
          s = whole > 1e-6f * ee * ff ? graze_share(ef * fr - er * ff, whole) : 0.5f,
          t = (ef * s + fr);
    if (t < 0.0f) {
        t = 0.0f;
        s = graze_share(0.0f - er, ee);
    } else if (t > ff) {
        t = 1.0f;
        s = graze_share(ef - er, ee);
    } else
        t = graze_share(t, ff);
    weight[0] = 1.0f - s;
    weight[1] = s;
    weight[2] = t - 1.0f;
    weight[3] = 0.0f - t;
}

TPI_INLINE void graze_weigh(bool are_edges, const tp_vector x[4], float weight[4])
{
    if (are_edges)
        graze_edges(x, weight);
    else
        graze_point(x, weight);
}

/* The sum of four vectors by weights whose sum is 0. */
TPI_INLINE tp_vector graze_sum(const tp_vector x[4], const float weight[4])
{
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 1; k < 4; k++) {
        tp_vector d = tpi_sub(x[k], x[0]);
        sum.x += d.x * weight[k], sum.y += d.y * weight[k], sum.z += d.z * weight[k];
    }
    return sum;
}

/* m^2: their squared distance. */
static float graze_square(bool are_edges, const tp_vector x[4])
{
    float weight[4];
    graze_weigh(are_edges, x, weight);
    tp_vector d = graze_sum(x, weight);
    return tpi_dot(d, d);
}

/* ---- lists ---- */

/* m^2: the square of the distance of a pair, and of what it wants less than a thickness: pairs
   count that are nearer than GRAZE_NEAR more than what they want. */
static float graze_square_of(const tp_world *world, const tpi_graze_pair *pair)
{
    tp_vector x[4];
    for (uint32_t k = 0; k < 4; k++)
        x[k] = tpi_cloth_front_place(world, pair->node[k] & ~TPI_GRAZE_EDGES);
    float apart = tpi_sqrt(graze_square(pair->node[0] & TPI_GRAZE_EDGES, x));
    apart += (TPI_TOUCH_NEAR - GRAZE_NEAR) * world->def.cloth.thickness - pair->want;
    return apart * apart;
}

/* m: what a pair keeps. In a sheet it is at most a quarter of the distance at rest. */
static float graze_want(const tp_world *world, const tpi_graze_pair *pair)
{
    const float thickness = world->def.cloth.thickness;
    tp_vector x[4];
    uint32_t sheet = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const tpi_cloth_node *node = tpi_cloth_nodes_of(world) + (pair->node[k] & ~TPI_GRAZE_EDGES);
        if (k && node->sheet != sheet) return thickness;
        sheet = node->sheet;
        x[k] = (tp_vector){node->rest[0], node->rest[1], node->rest[2]};
    }
    float square = graze_square(pair->node[0] & TPI_GRAZE_EDGES, x);
    return tpi_min(thickness, GRAZE_REST * tpi_sqrt(square));
}

static bool graze_is_before(const tpi_graze_pair *a, const tpi_graze_pair *b)
{
    for (uint32_t k = 0; k < 4; k++)
        if (a->node[k] != b->node[k]) return a->node[k] < b->node[k];
    return false;
}

/* Makes space in a full list, as touch_make_space does. */
static bool graze_make_space(tp_world *world, uint32_t i, const tpi_graze_pair *pair, float square)
{
    tpi_graze_pair *pairs = graze_pairs(world, i);
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    const float near = TPI_TOUCH_NEAR * world->def.cloth.thickness;
    uint32_t worst = TPI_GRAZE_MAX;
    float farthest = square;
    for (uint32_t k = 0; k < TPI_GRAZE_MAX; k++) {
        float here = graze_square_of(world, pairs + k);
        const tpi_graze_pair *last = worst == TPI_GRAZE_MAX ? pair : pairs + worst;
        if (here < farthest || (!(here > farthest) && graze_is_before(pairs + k, last))) continue;
        farthest = here;
        worst = k;
    }
    touch->left_squared = tpi_min(touch->left_squared, farthest);
    if (farthest < near * near) world->step.neighbours_dropped++;
    if (worst == TPI_GRAZE_MAX) return false;
    for (uint32_t k = worst; k + 1u < TPI_GRAZE_MAX; k++) pairs[k] = pairs[k + 1u];
    graze_counts(world)[i]--;
    return true;
}

/* Returns the units. */
static uint32_t graze_put(tp_world *world, uint32_t i, tpi_graze_pair pair)
{
    tpi_graze_pair *pairs = graze_pairs(world, i);
    uint32_t *count = graze_counts(world) + i, used = 1;
    pair.want = world->def.cloth.thickness;
    const float near = TPI_TOUCH_NEAR * pair.want,
                left = tpi_max(tpi_cloth_touch_of(world)->left_squared, near * near);
    if (graze_square_of(world, &pair) >= left) return used;
    pair.want = graze_want(world, &pair);
    const float square = graze_square_of(world, &pair);
    if (square >= left) return used;
    world->step.ends_found++;
    if (*count == TPI_GRAZE_MAX) {
        used += GRAZE_SPACE;
        if (!graze_make_space(world, i, &pair, square)) return used;
    }
    uint32_t at = (*count)++;
    for (; at > 0 && graze_is_before(&pair, pairs + at - 1u); at--) pairs[at] = pairs[at - 1u];
    pairs[at] = pair;
    return used;
}

/* True if nodes a, b at a squared distance are nearer than c, d; of equal ones those with the lower
   indices. */
TPI_INLINE bool graze_is_nearer(float square, uint32_t a, uint32_t b, float other, uint32_t c,
                                uint32_t d)
{
    if (square < other || other < square) return square < other;
    uint32_t low = tpi_min_u32(a, b), least = tpi_min_u32(c, d);
    return low != least ? low < least : tpi_max_u32(a, b) < tpi_max_u32(c, d);
}

/* A node and a triangle of which the other one is the nearest corner. The mean of the squared
   distances of a point and three corners, by the weights of the nearest point, is that of the point
   and at most a third of the longest edge's: `square` is no larger. */
static uint32_t graze_list_point(tp_world *world, const graze_fan *point, const graze_fan *fan,
                                 uint32_t k, float square, float reach)
{
    const uint32_t i = point->node, j = fan->node;
    if (square >= reach + fan->longest[k] * (1.0f / 3.0f)) return 0;
    const uint32_t *node = graze_triangle(world, fan->triangle[k]);
    bool is_nearest = node[0] != i && node[1] != i && node[2] != i;
    for (uint32_t side = 0; side < 3 && is_nearest; side++)
        if (node[side] != j)
            is_nearest = graze_is_nearer(
                square, i, j, graze_apart(point->own, tpi_cloth_front_place(world, node[side])), i,
                node[side]);
    if (!is_nearest) return 0;
    return graze_put(world, i, (tpi_graze_pair){{i, node[0], node[1], node[2]}, 0.0f});
}

static uint32_t graze_put_edges(tp_world *world, uint32_t a, uint32_t p, uint32_t b, uint32_t q)
{
    const uint32_t i = tpi_min_u32(a, p), j = tpi_min_u32(b, q);
    tpi_graze_pair pair = {{i, tpi_max_u32(a, p), j, tpi_max_u32(b, q)}, 0.0f};
    if (j < i) pair = (tpi_graze_pair){{j, pair.node[3], i, pair.node[1]}, 0.0f};
    pair.node[0] |= TPI_GRAZE_EDGES;
    return graze_put(world, ((i ^ j) & 1u) == (i < j) ? i : j, pair);
}

/* Edge k of a node and those of another one from *m on, of which these nodes are the nearest ends,
   until the units are used up. The mean of the squared distances of two ends is at most a quarter
   of the squares of both lengths more than that of the edges. Returns the units. */
static uint32_t graze_list_edges(tp_world *world, const graze_fan *a, const graze_fan *b,
                                 uint32_t k, uint32_t *m, const float near[2], uint32_t units)
{
    const uint32_t p = a->end[k];
    const float square = near[0];
    const tp_vector other = tpi_cloth_front_place(world, p);
    const float reach = near[1] + 0.25f * graze_apart(a->own, other);
    uint32_t used = 0;
    if (p == b->node ||
        !graze_is_nearer(square, a->node, b->node, graze_apart(other, b->own), p, b->node)) {
        *m = b->ends;
        return used;
    }
    used += (b->ends - *m + 7u) / 8u;
    for (; *m < b->ends && used < units; ++*m) {
        const uint32_t q = b->end[*m];
        const tp_vector end = tpi_cloth_front_place(world, q);
        if (square >= reach + 0.25f * graze_apart(b->own, end) || q == a->node || q == p) continue;
        if (graze_is_nearer(square, a->node, b->node, graze_apart(a->own, end), a->node, q) &&
            graze_is_nearer(square, a->node, b->node, graze_apart(other, end), p, q))
            used += graze_put_edges(world, a->node, p, b->node, q);
    }
    return used;
}

/* m: a little more than how near two features may be of which the list has those that are virtually
   nearer than `left`, see graze_square_of. In a sheet they want less, the nearer these nodes. */
static float graze_reach_of(const tp_world *world, uint32_t i, uint32_t j, float left)
{
    const tpi_cloth_node *a = tpi_cloth_nodes_of(world) + i, *b = tpi_cloth_nodes_of(world) + j;
    float want = world->def.cloth.thickness;
    left -= (TPI_TOUCH_NEAR - GRAZE_NEAR) * want;
    if (a->sheet == b->sheet) {
        tp_vector from = {a->rest[0], a->rest[1], a->rest[2]},
                  to = {b->rest[0], b->rest[1], b->rest[2]};
        want = tpi_min(want, GRAZE_REST * tpi_sqrt(graze_apart(from, to)));
    }
    return 1.001f * (left + want);
}

/* Lists what meets at two nodes whose squared distance and reach are `near`, from item *at on: the
   triangles of b for a, those of a for b, then pairs of edges. At least one item, then until the
   units are used up. True at the end. */
static bool graze_list_items(tp_world *world, const graze_fan *a, const graze_fan *b,
                             const float near[2], uint32_t *at, uint32_t units, uint32_t *used)
{
    const uint32_t triangles = a->triangles + b->triangles, end = triangles + a->ends * b->ends;
    while (*at < end) {
        if (*at < b->triangles) {
            *used += graze_list_point(world, a, b, *at, near[0], near[1]);
            ++*at;
        } else if (*at < triangles) {
            *used += graze_list_point(world, b, a, *at - b->triangles, near[0], near[1]);
            ++*at;
        } else {
            const uint32_t k = (*at - triangles) / b->ends;
            uint32_t m = (*at - triangles) % b->ends;
            *used += graze_list_edges(world, a, b, k, &m, near, units > *used ? units - *used : 1u);
            *at = triangles + k * b->ends + m;
        }
        if (*used >= units) break;
    }
    return *at >= end;
}

/* Units to find what meets at a node. */
static uint32_t graze_find_units(const graze_fan *fan) { return 1u + fan->triangles / 2u; }

/* A node and another one. False: the units are used up before the end. */
static bool graze_list_pair(tp_world *world, const graze_fan *a, uint32_t j, uint32_t *at,
                            uint32_t units, uint32_t *used)
{
    const float least = TPI_TOUCH_NEAR * world->def.cloth.thickness,
                left = tpi_max(tpi_sqrt(tpi_cloth_touch_of(world)->left_squared), least),
                square = graze_apart(a->own, tpi_cloth_front_place(world, j)),
                near = graze_reach_of(world, a->node, j, left), reach = near * near,
                edge = TPI_GRAZE_STRETCH * world->def.cloth.edge_max;
    const float of[2] = {square, reach};
    graze_fan b;
    ++*used;
    if (near <= 0.0f || square >= reach + 0.25f * (a->most + edge * edge)) return true;
    graze_find(world, j, &b);
    *used += graze_find_units(&b) + (a->triangles + b.triangles) / 4u;
    if (square >= reach + 0.25f * (a->most + b.most)) return true;
    return graze_list_items(world, a, &b, of, at, units, used);
}

void tpi_graze_enqueue(const tp_world *world, uint32_t node, uint32_t other, float square)
{
    tpi_graze_queue *queue = graze_queue(world);
    TP_ASSERT(queue->count < TPI_GRAZE_QUEUE);
    queue->found[queue->count++] = (tpi_graze_found){node, other, square};
}

void tpi_graze_empty(const tp_world *world)
{
    tpi_graze_queue *queue = graze_queue(world);
    queue->count = queue->next = queue->at = 0;
}

bool tpi_graze_is_queued(const tp_world *world) { return graze_queue(world)->count > 0; }

uint32_t tpi_graze_list(tp_world *world, uint32_t units)
{
    tpi_graze_queue *queue = graze_queue(world);
    graze_fan fan;
    uint32_t used = 0;
    bool is_found = false;
    while (queue->next < queue->count && used < units) {
        const tpi_graze_found *found = queue->found + queue->next;
        if (!is_found || fan.node != found->node) {
            graze_find(world, found->node, &fan);
            used += graze_find_units(&fan);
            is_found = true;
        }
        if (!graze_list_pair(world, &fan, found->other, &queue->at, units, &used)) return used;
        tpi_cloth_list_pair(world, found->node, found->other, found->square);
        queue->next++;
        queue->at = 0;
    }
    if (queue->next == queue->count) tpi_graze_empty(world);
    return used;
}

void tpi_graze_unlist(const tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_memset(graze_counts(world) + begin, 0, (size_t)(end - begin) * 4u);
}

uint32_t tpi_graze_count(const tp_world *world, uint32_t i)
{
    return graze_counts(world)[i] & ~GRAZE_KNOT;
}

bool tpi_graze_is_knot(const tp_world *world, uint32_t i)
{
    return (graze_counts(world)[i] & GRAZE_KNOT) != 0;
}

void tpi_graze_unknot(const tp_world *world, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) graze_counts(world)[i] &= ~GRAZE_KNOT;
}

/* ---- impulses ---- */

/* Gives four nodes an impulse, and friction up to its share of it. `mobility` is 1 / kg. */
static void graze_push(const tp_world *world, const tpi_graze_pair *pair, const float weight[4],
                       tp_vector normal, tp_vector speed, float push, float mobility)
{
    const float along = tpi_dot(speed, normal),
                *inverse = tpi_floats(world, world->arrays.next_birth);
    tp_vector slide = {speed.x - normal.x * along, speed.y - normal.y * along,
                       speed.z - normal.z * along};
    float square = tpi_dot(slide, slide), most = world->def.cloth.friction * push,
          share = square > most * most ? most / tpi_sqrt(square) : 1.0f;
    tp_vector impulse = {(normal.x * push - slide.x * share) / mobility,
                         (normal.y * push - slide.y * share) / mobility,
                         (normal.z * push - slide.z * share) / mobility};
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t i = pair->node[k] & ~TPI_GRAZE_EDGES;
        const float by = weight[k] * inverse[i];
        tpi_kicked(world, 0)[i] += impulse.x * by;
        tpi_kicked(world, 1)[i] += impulse.y * by;
        tpi_kicked(world, 2)[i] += impulse.z * by;
    }
}

/* Returns 1 for a contact. */
static uint32_t graze_meet(const tp_world *world, const tpi_graze_pair *pair)
{
    const float near = pair->want + GRAZE_NEAR * world->def.cloth.thickness,
                *inverse = tpi_floats(world, world->arrays.next_birth);
    tp_vector x[4], v[4];
    float weight[4], mobility = 0.0f;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t i = pair->node[k] & ~TPI_GRAZE_EDGES;
        if (TPI_UNLIKELY(tpi_graze_is_knot(world, i))) return 0;
        x[k] = tpi_cloth_front_place(world, i);
        v[k] =
            (tp_vector){tpi_kicked(world, 0)[i], tpi_kicked(world, 1)[i], tpi_kicked(world, 2)[i]};
    }
    graze_weigh(pair->node[0] & TPI_GRAZE_EDGES, x, weight);
    tp_vector d = graze_sum(x, weight);
    const float square = tpi_dot(d, d);
    if (!(square < near * near) || square < 1e-24f) return 0;
    for (uint32_t k = 0; k < 4; k++)
        mobility += weight[k] * weight[k] * inverse[pair->node[k] & ~TPI_GRAZE_EDGES];
    tp_vector speed = graze_sum(v, weight);
    const float now = tpi_sqrt(square), dt = world->step.timestep,
                then = now + tpi_dot(d, speed) / now * dt, rest = pair->want;
    const float want =
        now < rest ? now + (rest - now) * GRAZE_RECOVER : tpi_max(rest, now * GRAZE_LEAST);
    if (!(then < want) || mobility < 1e-24f) return 0;
    tp_vector normal = {d.x / now, d.y / now, d.z / now};
    graze_push(world, pair, weight, normal, speed, (want - then) / dt, mobility);
    return 1;
}

uint32_t tpi_graze_part(tp_world *world, uint32_t i)
{
    const tpi_graze_pair *pairs = graze_pairs(world, i);
    uint32_t contacts = 0;
    for (uint32_t k = 0; k < tpi_graze_count(world, i); k++)
        contacts += graze_meet(world, pairs + k);
    return contacts;
}

/* ---- crossings ---- */

/* An edge that crosses a triangle: its ends, then the corners. */
typedef struct graze_crossing {
    uint32_t node[5];
    tp_vector x[5];
    float weight[5];  /* their sum with positions or velocities is the edge's less the triangle's */
    tp_vector normal; /* of the triangle, of length 1 */
} graze_crossing;

static bool graze_crosses(const tp_world *world, graze_crossing *c)
{
    for (uint32_t k = 0; k < 5; k++) c->x[k] = tpi_cloth_front_place(world, c->node[k]);
    const tp_vector ab = tpi_sub(c->x[3], c->x[2]), ac = tpi_sub(c->x[4], c->x[2]),
                    normal = tpi_cross(ab, ac);
    const float from = tpi_dot(normal, tpi_sub(c->x[0], c->x[2])),
                to = tpi_dot(normal, tpi_sub(c->x[1], c->x[2])), square = tpi_dot(normal, normal);
    if (!(from * to < 0.0f) || square < 1e-30f) return false;
    const float s = from / (from - to);
    const tp_vector at = tpi_sub(tpi_lerp(c->x[0], c->x[1], s), c->x[2]);
    const float v = tpi_dot(tpi_cross(at, ac), normal) / square,
                w = tpi_dot(tpi_cross(ab, at), normal) / square;
    if (!(v > 0.0f) || !(w > 0.0f) || !(v + w < 1.0f)) return false;
    c->weight[0] = 1.0f - s, c->weight[1] = s;
    c->weight[2] = (v + w) - 1.0f, c->weight[3] = 0.0f - v, c->weight[4] = 0.0f - w;
    c->normal = tpi_scale(normal, 1.0f / tpi_sqrt(square));
    return true;
}

/* Triangles at an edge, two at most. */
static uint32_t graze_faces(const tp_world *world, uint32_t a, uint32_t b, uint32_t face[2])
{
    const uint32_t *begins = graze_begins(world), *corners = graze_corners(world);
    uint32_t count = 0;
    for (uint32_t k = begins[a]; k < begins[a + 1u] && count < 2u; k++) {
        const uint32_t *node = graze_triangle(world, corners[k]);
        if (node[0] == b || node[1] == b || node[2] == b) face[count++] = corners[k];
    }
    return count;
}

/* The direction in which the edge, of `count` faces, must move against the triangle, so that the
   line in which their sheets cross becomes shorter the fastest; 0: it is straight. */
static tp_vector graze_gradient(const tp_world *world, const graze_crossing *c,
                                const uint32_t face[2], uint32_t count)
{
    const tp_vector e = tpi_normalise(tpi_sub(c->x[1], c->x[0]), tpi_vector(0.0f, 0.0f, 0.0f));
    float steep = tpi_dot(e, c->normal);
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    steep = steep < 0.0f ? tpi_min(steep, -0.1f) : tpi_max(steep, 0.1f);
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *node = graze_triangle(world, face[f]);
        uint32_t other = node[0];
        for (uint32_t side = 1; side < 3; side++)
            if (other == c->node[0] || other == c->node[1]) other = node[side];
        const tp_vector to = tpi_sub(tpi_cloth_front_place(world, other), c->x[0]),
                        into = tpi_sub(to, tpi_scale(e, tpi_dot(e, to))),
                        along = tpi_cross(tpi_cross(e, into), c->normal);
        tp_vector r = tpi_normalise(along, tpi_vector(0.0f, 0.0f, 0.0f));
        if (tpi_dot(r, into) < 0.0f) r = tpi_scale(r, -1.0f);
        sum = tpi_add(sum, tpi_add_scaled(r, c->normal, -2.0f * tpi_dot(e, r) / steep));
    }
    return sum;
}

/* Moves the edge and the triangle along the gradient, by an impulse that leaves their momentum. An
   edge of a rope has no side, and keeps its contacts. */
static void graze_free(const tp_world *world, const graze_crossing *c)
{
    const float *inverse = tpi_floats(world, world->arrays.next_birth);
    uint32_t face[2], count = graze_faces(world, c->node[0], c->node[1], face);
    if (count == 0) return;
    const tp_vector to =
        tpi_normalise(graze_gradient(world, c, face, count), tpi_vector(0.0f, 0.0f, 0.0f));
    float along = 0.0f, mobility = 0.0f;
    for (uint32_t k = 0; k < 5; k++) {
        const uint32_t i = c->node[k];
        const tp_vector v = {tpi_kicked(world, 0)[i], tpi_kicked(world, 1)[i],
                             tpi_kicked(world, 2)[i]};
        graze_counts(world)[i] |= GRAZE_KNOT;
        along += c->weight[k] * tpi_dot(v, to);
        mobility += c->weight[k] * c->weight[k] * inverse[i];
    }
    const float want = GRAZE_FREE * world->def.cloth.thickness / world->step.timestep;
    if (!(tpi_dot(to, to) > 0.0f) || !(along < want) || mobility < 1e-24f) return;
    for (uint32_t k = 0; k < 5; k++) {
        const uint32_t i = c->node[k];
        const float by = (want - along) / mobility * c->weight[k] * inverse[i];
        tpi_kicked(world, 0)[i] += to.x * by;
        tpi_kicked(world, 1)[i] += to.y * by;
        tpi_kicked(world, 2)[i] += to.z * by;
    }
}

/* The edge a b and the triangles at the edge p q. */
static void graze_untangle_edge(const tp_world *world, uint32_t a, uint32_t b, uint32_t p,
                                uint32_t q)
{
    uint32_t face[2], count = graze_faces(world, p, q, face);
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *node = graze_triangle(world, face[f]);
        graze_crossing c = {.node = {a, b, node[0], node[1], node[2]}};
        bool is_apart = true;
        for (uint32_t k = 0; k < 3; k++) is_apart = is_apart && node[k] != a && node[k] != b;
        if (is_apart && graze_crosses(world, &c)) graze_free(world, &c);
    }
}

void tpi_graze_untangle(const tp_world *world, uint32_t i)
{
    const tpi_graze_pair *pairs = graze_pairs(world, i);
    for (uint32_t k = 0; k < tpi_graze_count(world, i); k++) {
        const tpi_graze_pair *pair = pairs + k;
        if (!(pair->node[0] & TPI_GRAZE_EDGES)) continue;
        const uint32_t a = pair->node[0] & ~TPI_GRAZE_EDGES, b = pair->node[1], p = pair->node[2],
                       q = pair->node[3];
        const float near = pair->want + GRAZE_NEAR * world->def.cloth.thickness;
        const tp_vector x[4] = {tpi_cloth_front_place(world, a), tpi_cloth_front_place(world, b),
                                tpi_cloth_front_place(world, p), tpi_cloth_front_place(world, q)};
        if (!(graze_square(true, x) < near * near)) continue;
        graze_untangle_edge(world, a, b, p, q);
        graze_untangle_edge(world, p, q, a, b);
    }
}

#undef GRAZE_RECOVER
#undef GRAZE_LEAST
#undef GRAZE_NEAR
#undef GRAZE_REST
#undef GRAZE_FAN
#undef GRAZE_SPACE
#undef GRAZE_FREE
#undef GRAZE_KNOT
