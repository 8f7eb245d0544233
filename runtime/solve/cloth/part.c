/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/part.c - contacts of nodes: impulses that keep them apart.
   reads   front positions, kicked velocities, weights, lists of near nodes
   writes  kicked velocities, counters
   memory  registers      cost    see touch.h
   after   see touch.h. Impulses one pair after another, in the order of nodes (Gauss-Seidel), with
           Coulomb friction: the same bits for any list that has all pairs which count. Most listed
           pairs are too far: vectors find those that are not */
#include "cloth_lanes.h"
#include "graze.h"

/* Overlap that a sub-step removes, as a share: the speed at which nodes part is small. */
#define PART_RECOVER 0.1f

/* What a slice prepares once. */
typedef struct part_slice {
    const float *x[3], *weights;
    float *v[3];
    float thickness, near_squared; /* m, m^2 */
    float timestep, friction;
    const tp_world *knots; /* of worlds with crossings; else null */
} part_slice;

static void part_prepare(const tp_world *world, part_slice *slice)
{
    const float thickness = world->def.cloth.thickness, near = TPI_TOUCH_NEAR * thickness;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        slice->x[axis] = tpi_front_x(world, axis);
        slice->v[axis] = tpi_kicked(world, axis);
    }
    slice->weights = tpi_floats(world, world->arrays.next_birth);
    slice->thickness = thickness;
    slice->near_squared = near * near;
    slice->timestep = world->step.timestep;
    slice->friction = world->def.cloth.friction;
    slice->knots = tpi_def_grazes(&world->def) ? world : NULL;
}

/* A pair, from the second node to the first. */
typedef struct part_pair {
    tp_vector normal, speed; /* of length 1; m/s: relative */
    float push;              /* m/s: along the normal */
} part_pair;

/* Of node i: in 2D z is 0. */
TPI_INLINE tp_vector part_of(const float *const of[3], bool is_flat, uint32_t i)
{
    return tpi_vector(of[0][i], of[1][i], is_flat ? 0.0f : of[2][i]);
}
TPI_INLINE void part_give(const part_slice *s, bool is_flat, uint32_t i, tp_vector impulse,
                          float by)
{
    s->v[0][i] += impulse.x * by;
    s->v[1][i] += impulse.y * by;
    if (!is_flat) s->v[2][i] += impulse.z * by;
}

/* Gives both nodes the impulse, and friction up to its share of it. */
TPI_INLINE void part_push(const part_slice *s, bool is_flat, uint32_t a, uint32_t b,
                          const part_pair *p)
{
    const tp_vector n = p->normal;
    float along = 0.0f + p->speed.x * n.x + p->speed.y * n.y + p->speed.z * n.z;
    tp_vector slide = tpi_sub(p->speed, tpi_scale(n, along));
    float square = tpi_dot(slide, slide), most = s->friction * p->push,
          share = square > most * most ? most / tpi_sqrt(square) : 1.0f,
          weight = 1.0f / (s->weights[a] + s->weights[b]);
    tp_vector impulse = tpi_scale(tpi_sub(tpi_scale(n, p->push), tpi_scale(slide, share)), weight);
    part_give(s, is_flat, a, impulse, s->weights[a]);
    part_give(s, is_flat, b, impulse, -s->weights[b]);
}

/* Keeps two nodes apart that are near, at an offset d. The normal is that at the end of the
   sub-step; if they would pass each other, that at its start. An overlap at the start goes slowly.
   Returns 1 for a contact. */
TPI_INLINE uint32_t part_meet(const part_slice *s, bool is_flat, uint32_t a, uint32_t b,
                              tp_vector d, float before)
{
    part_pair p;
    p.speed = tpi_sub(part_of((const float *const *)s->v, is_flat, a),
                      part_of((const float *const *)s->v, is_flat, b));
    tp_vector e = tpi_add_scaled(d, p.speed, s->timestep);
    float after = tpi_dot(e, e), along = tpi_dot(d, e);
    bool passes = along < 0.5f * before;
    if (after >= s->thickness * s->thickness && !passes) return 0;
    if (before < 1e-24f || !(after < 1e24f) || s->weights[a] + s->weights[b] == 0.0f) return 0;
    float now = tpi_sqrt(before), length = passes ? now : tpi_sqrt(after),
          then = passes ? along / now : length,
          want = tpi_min(now + tpi_max(s->thickness - now, 0.0f) * PART_RECOVER, s->thickness);
    if (then >= want) return 0;
    p.push = (want - then) / s->timestep;
    const tp_vector to = passes ? d : e;
    p.normal = tpi_vector(to.x / length, to.y / length, to.z / length);
    part_push(s, is_flat, a, b, &p);
    return 1;
}

/* Puts the list of a node in order. */
static void part_order(tpi_cloth_node *node)
{
    const uint32_t count = node->count;
#if TPI_LANES == 1
    for (uint32_t k = 1; k < count; k++) {
        const uint32_t own = node->near[k];
        uint32_t at = k;
        for (; at > 0 && node->near[at - 1u] > own; at--) node->near[at] = node->near[at - 1u];
        node->near[at] = own;
    }
#else /* each goes where as many are smaller: no branch, which would be guessed wrong */
    uint32_t rank[TPI_CLOTH_NEAR_MAX], ordered[TPI_CLOTH_NEAR_MAX];
    for (uint32_t first = 0; first < count; first += TPI_LANES) {
        const tpi_lane_ints own = tpi_lane_ints_load(node->near + first);
        tpi_lane_ints smaller = tpi_lane_ints_of(0);
        for (uint32_t k = 0; k < count; k++)
            smaller = tpi_lane_ints_count(
                smaller, tpi_lane_ints_less(tpi_lane_ints_of((int32_t)node->near[k]), own));
        tpi_lane_ints_store(rank + first, smaller);
    }
    for (uint32_t k = 0; k < count; k++) ordered[rank[k]] = node->near[k];
    for (uint32_t k = 0; k < count; k++) node->near[k] = ordered[k];
#endif
}

/* Listed nodes of a vector. */
typedef struct part_near {
    tpi_lane_ints j;
    tpi_lanes d[3], square; /* m, m^2: from them to the node */
} part_near;

/* Bits of those of the listed nodes from number `first` on that are near. */
TPI_INLINE uint32_t part_find(const part_slice *s, bool is_flat, const tpi_cloth_node *node,
                              const float own[3], uint32_t first, part_near *near)
{
    const uint32_t count = node->count - first;
    tpi_lane_ints j = tpi_lane_ints_load(node->near + first);
    if (TPI_LANES > 1 && count < TPI_LANES) /* what follows the last one may be no node */
        j = tpi_lane_ints_select(tpi_lanes_first(count), j, tpi_lane_ints_of(0));
    near->j = j;
    near->d[0] = tpi_lanes_of(own[0]) - tpi_lanes_gather(s->x[0], j);
    near->d[1] = tpi_lanes_of(own[1]) - tpi_lanes_gather(s->x[1], j);
    near->square = near->d[0] * near->d[0] + near->d[1] * near->d[1];
    if (!is_flat) {
        near->d[2] = tpi_lanes_of(own[2]) - tpi_lanes_gather(s->x[2], j);
        near->square = near->square + near->d[2] * near->d[2];
    }
    uint32_t bits = tpi_lanes_bits(tpi_lanes_less(near->square, tpi_lanes_of(s->near_squared)));
    if (TPI_LANES > 1 && count < TPI_LANES) bits &= (1u << count) - 1u;
    return bits;
}

/* Bits of those that are nearer than a thickness after the sub-step, or pass the node: the others
   do not touch it. */
TPI_INLINE uint32_t part_touching(const part_slice *s, bool is_flat, uint32_t i,
                                  const part_near *near)
{
    tpi_lanes after = tpi_lanes_of(0.0f), along = after;
    for (uint32_t axis = 0; axis < (is_flat ? 2u : 3u); axis++) {
        const tpi_lanes speed = tpi_lanes_of(s->v[axis][i]) - tpi_lanes_gather(s->v[axis], near->j),
                        d = near->d[axis], e = d + speed * tpi_lanes_of(s->timestep);
        after = after + e * e;
        along = along + d * e;
    }
    tpi_lane_mask touches = tpi_lanes_less(after, tpi_lanes_of(s->thickness * s->thickness)),
                  passes = tpi_lanes_less(along, tpi_lanes_of(0.5f) * near->square);
    return tpi_lanes_bits(tpi_lanes_or(touches, passes));
}

/* The lowest bit that is set. Compilers without vectors may lack the builtin. */
TPI_INLINE uint32_t part_first(uint32_t bits)
{
#if TPI_LANES == 1
    (void)bits;
    return 0;
#else
    return (uint32_t)__builtin_ctz(bits);
#endif
}

/* The listed pairs of a node, in order. Returns the contacts. */
TPI_INLINE uint32_t part_all(const part_slice *s, bool is_flat, const tpi_cloth_node *node,
                             uint32_t i)
{
    const float own[3] = {s->x[0][i], s->x[1][i], is_flat ? 0.0f : s->x[2][i]};
    uint32_t contacts = 0;
    if (TPI_UNLIKELY(s->knots && tpi_graze_is_knot(s->knots, i))) return 0;
    for (uint32_t first = 0; first < node->count; first += TPI_LANES) {
        part_near near;
        uint32_t left = part_find(s, is_flat, node, own, first, &near), bits = left;
        if (left) bits = left & part_touching(s, is_flat, i, &near);
        while (bits) {
            const uint32_t k = part_first(bits), j = node->near[first + k];
            const tp_vector d =
                tpi_sub(tpi_vector(own[0], own[1], own[2]), part_of(s->x, is_flat, j));
            left &= ~1u << k;
            bits &= left;
            if (TPI_UNLIKELY(s->knots && tpi_graze_is_knot(s->knots, j))) continue;
            if (!part_meet(s, is_flat, i, j, d, tpi_dot(d, d))) continue;
            contacts++;
            if (left) bits = left & part_touching(s, is_flat, i, &near);
        }
    }
    return contacts;
}

uint32_t tpi_cloth_part(tp_world *world, uint32_t *begin, uint32_t end, uint32_t units,
                        bool is_first)
{
    tpi_cloth_node *nodes = tpi_cloth_nodes_of(world);
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    part_slice slice;
    uint32_t used = 0, i = *begin, contacts = 0;
    const bool is_flat = tpi_dimensions(world) == 2, can_graze = tpi_def_grazes(&world->def);
    part_prepare(world, &slice);
    for (; i < end; i++) {
        uint32_t count = nodes[i].count, grazes = can_graze ? tpi_graze_count(world, i) : 0u,
                 each = count + 1u + grazes * TPI_GRAZE_EACH;
        if (used + each > units && (used > 0 || !is_first)) break;
        if (i >= touch->ordered) {
            part_order(nodes + i);
            touch->ordered = i + 1u;
        }
        if (count)
            contacts += is_flat ? part_all(&slice, true, nodes + i, i)
                                : part_all(&slice, false, nodes + i, i);
        if (grazes) contacts += tpi_graze_part(world, i);
        used += each;
    }
    world->step.pairs_found += contacts;
    *begin = i;
    return used;
}

#undef PART_RECOVER
