/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/touch.c - contacts of nodes: where they are at rest, and lists.
   reads   definitions, front positions      writes  lists of near nodes, counters
   memory  see touch.h      cost    see touch.h
   after   see touch.h */
#include "graze.h"
#include "../../grid/grid.h"

/* Growth of the reach of lists beyond pairs that count, from that which the last ones had. */
#define TOUCH_GROW 1.5f
/* Nodes by which the motion of all is fitted. */
#define TOUCH_SAMPLES 32u

/* ---- definition ---- */

void tpi_cloth_layout_touch(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    if (!tpi_def_has_touch(def)) return;
    arrays->own[TPI_CLOTH_TOUCH] =
        tpi_layout_take(layout, "cloth contacts", 1, sizeof(tpi_cloth_touch));
    arrays->own[TPI_CLOTH_NODE] =
        tpi_layout_take(layout, "near nodes", def->particles_max, sizeof(tpi_cloth_node));
    uint64_t bytes = (uint64_t)def->particles_max * 4u * tpi_def_dimensions(def);
    if (tpi_def_grazes(def)) bytes += tpi_graze_bytes(def);
    arrays->own[TPI_CLOTH_LISTED] = tpi_layout_take(layout, "listed positions", bytes, 1);
}

/* The grid's limit of speeds is none: here the mean velocity of the nodes has no limit. */
void tpi_cloth_derive_touch(tp_world *world)
{
    tpi_constants *constants = &world->constants;
    float cutoff = TPI_TOUCH_LISTED * world->def.cloth.thickness;
    if (!tpi_def_has_touch(&world->def)) return;
    if (tpi_def_grazes(&world->def)) cutoff = tpi_graze_reach(&world->def, cutoff);
    constants->smoothing_radius = TPI_POSITION_MAX;
    constants->radius_squared = cutoff * cutoff;
    constants->cell_inverse = 1.0f / (cutoff * TPI_CELL_MARGIN);
    constants->levels.count = 1;
    constants->levels.list_squared[0][0] = cutoff * cutoff;
}

/* ---- at rest ---- */

uint64_t tpi_cloth_rest(const tp_world *world, const tp_cloth_def *def, uint32_t begin,
                        uint32_t first)
{
    tpi_cloth_node *nodes = tpi_cloth_nodes_of(world);
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint64_t hash = 0;
    if (!tpi_def_has_touch(&world->def)) return 0;
    for (uint32_t i = begin; i < first; i++) nodes[i].sheet = TPI_CLOTH_NO_SHEET;
    for (uint32_t i = first; i < world->count; i++) {
        tp_vector at = tpi_cloth_node_at(world, def, tpi_vector(0.0f, 0.0f, 0.0f), i - first);
        nodes[i].rest[0] = at.x;
        nodes[i].rest[1] = at.y;
        nodes[i].rest[2] = at.z;
        nodes[i].sheet = tpi_cloth_head_of(world)->sheets;
        nodes[i].count = 0;
        uint64_t word = tpi_mix_word((uint64_t)ids[i] << 32 | ids[first], tpi_bits(at.x));
        hash += tpi_mix_word(tpi_mix_word(word, tpi_bits(at.y)), tpi_bits(at.z));
    }
    return hash;
}

void tpi_cloth_copy_rest(const tp_world *world, uint32_t from, uint32_t to)
{
    if (!tpi_def_has_touch(&world->def)) return;
    tpi_cloth_nodes_of(world)[to] = tpi_cloth_nodes_of(world)[from];
    tpi_cloth_nodes_of(world)[to].count = 0;
}

/* True for nodes of one sheet that are neighbours at rest: nearer than this squared distance. */
TPI_INLINE bool touch_is_beside(const tpi_cloth_node *a, const tpi_cloth_node *b, float square)
{
    float x = a->rest[0] - b->rest[0], y = a->rest[1] - b->rest[1], z = a->rest[2] - b->rest[2];
    return a->sheet == b->sheet && x * x + y * y + z * z < square;
}

/* ---- lists ---- */

void tpi_cloth_unlist(const tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_cloth_node *nodes = tpi_cloth_nodes_of(world);
    for (uint32_t axis = 0; axis < 3; axis++)
        tpi_cloth_touch_of(world)->drift[axis] = tpi_cloth_touch_of(world)->turn[axis] = 0.0f;
    for (uint32_t i = begin; i < end; i++) nodes[i].count = 0;
    if (tpi_def_grazes(&world->def)) tpi_graze_unlist(world, begin, end);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_memcpy(tpi_cloth_listed(world, axis) + begin, tpi_front_x(world, axis) + begin,
                   (size_t)(end - begin) * 4u);
}

/* Squared distance; in 2D `z` is null. */
TPI_INLINE float touch_square(const float *const x[3], uint32_t i, uint32_t j)
{
    float dx = x[0][i] - x[0][j], dy = x[1][i] - x[1][j], square = dx * dx + dy * dy;
    if (!x[2]) return square;
    float dz = x[2][i] - x[2][j];
    return square + dz * dz;
}

/* Makes space in a full list for a node at squared distance `square`: of equal ones that with the
   largest index is left out. False: it is left out itself. Pairs that count are counted. */
static bool touch_make_space(tp_world *world, uint32_t i, uint32_t j, float square)
{
    tpi_cloth_node *node = tpi_cloth_nodes_of(world) + i;
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    const float count = TPI_TOUCH_NEAR * world->def.cloth.thickness;
    const float *const x[3] = {tpi_front_x(world, 0), tpi_front_x(world, 1),
                               tpi_dimensions(world) == 3 ? tpi_front_x(world, 2) : NULL};
    uint32_t worst = TPI_CLOTH_NEAR_MAX, last = j;
    float farthest = square;
    for (uint32_t k = 0; k < TPI_CLOTH_NEAR_MAX; k++) {
        float here = touch_square(x, i, node->near[k]);
        if (here < farthest || (!(here > farthest) && node->near[k] < last)) continue;
        farthest = here;
        last = node->near[k];
        worst = k;
    }
    touch->left_squared = tpi_min(touch->left_squared, farthest);
    if (farthest < count * count) world->step.neighbours_dropped++;
    if (worst == TPI_CLOTH_NEAR_MAX) return false;
    for (uint32_t k = worst; k + 1u < TPI_CLOTH_NEAR_MAX; k++) node->near[k] = node->near[k + 1u];
    node->count--;
    return true;
}

/* Lists node j with node i. */
static void touch_list(tp_world *world, uint32_t i, uint32_t j, float square)
{
    tpi_cloth_node *node = tpi_cloth_nodes_of(world) + i;
    world->step.ends_found++;
    if (node->count == TPI_CLOTH_NEAR_MAX && !touch_make_space(world, i, j, square)) return;
    node->near[node->count++] = j;
}

/* Lists two nodes that are no neighbours at rest. A pair that is no nearer than one that was left
   out would not let the lists hold longer. */
TPI_INLINE void touch_list_pair(tp_world *world, uint32_t own, uint32_t other, float square)
{
    const float near = TPI_TOUCH_NEAR * world->def.cloth.thickness;
    if (square >= tpi_max(tpi_cloth_touch_of(world)->left_squared, near * near)) return;
    /* a branch would be guessed wrong every other time */
    const uint32_t both = own ^ other, swapped = ((both & 1u) ^ (own < other)) * both;
    touch_list(world, own ^ swapped, other ^ swapped, square);
}

void tpi_cloth_list_pair(tp_world *world, uint32_t own, uint32_t other, float square)
{
    const float beside = TPI_TOUCH_BESIDE * world->def.cloth.thickness;
    const tpi_cloth_node *nodes = tpi_cloth_nodes_of(world);
    if (!touch_is_beside(&nodes[own], &nodes[other], beside * beside))
        touch_list_pair(world, own, other, square);
}

/* Most partners are neighbours at rest: these cost least. */
void tpi_cloth_list(tp_world *world, uint32_t i, const uint32_t *partners, const float *squares,
                    uint32_t count)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    const uint32_t end = tpi_cloth_head_of(world)->nodes, own = TPI_ORDER_INDEX(order[i]);
    const tpi_cloth_node *nodes = tpi_cloth_nodes_of(world), *node = nodes + own;
    const float beside = TPI_TOUCH_BESIDE * world->def.cloth.thickness;
    const bool is_queued = tpi_def_grazes(&world->def);
    if (own >= end || node->sheet == TPI_CLOTH_NO_SHEET) return;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t other = TPI_ORDER_INDEX(order[partners[k]]);
        if (other >= end || nodes[other].sheet == TPI_CLOTH_NO_SHEET) continue;
        if (is_queued)
            tpi_graze_enqueue(world, own, other, squares[k]);
        else if (!touch_is_beside(node, nodes + other, beside * beside))
            touch_list_pair(world, own, other, squares[k]);
    }
}

void tpi_cloth_begin_lists(tp_world *world)
{
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    const float thickness = world->def.cloth.thickness;
    float reach = tpi_max(2.0f * TOUCH_GROW * touch->skin, 0.05f * thickness);
    reach = tpi_min(reach + TPI_TOUCH_NEAR * thickness, TPI_TOUCH_LISTED * thickness);
    touch->left_squared = world->step.radius_squared[0][0] = reach * reach;
    touch->ordered = 0;
    if (!tpi_def_grazes(&world->def)) return;
    tpi_graze_empty(world);
    reach = tpi_graze_reach(&world->def, reach);
    world->step.radius_squared[0][0] = reach * reach;
}

void tpi_cloth_keep(const tp_world *world)
{
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    const float count = TPI_TOUCH_NEAR * world->def.cloth.thickness;
    touch->is_listed = 1;
    touch->skin = 0.5f * 0.99f * tpi_max(tpi_sqrt(touch->left_squared) - count, 0.0f);
}

/* ---- the motion of all nodes ---- */

/* Sums over samples; matrices are xx, yy, zz, xy, yz, zx. */
typedef struct touch_fit {
    tp_vector centre, drift, moment; /* m; m; m^2: arms across displacements */
    float spread[6];                 /* m^2: arms by arms */
} touch_fit;

static tp_vector touch_listed_at(const tp_world *world, uint32_t i)
{
    return tpi_vector(tpi_cloth_listed(world, 0)[i], tpi_cloth_listed(world, 1)[i],
                      tpi_dimensions(world) == 3 ? tpi_cloth_listed(world, 2)[i] : 0.0f);
}
static tp_vector touch_now_at(const tp_world *world, uint32_t i)
{
    return tpi_vector(tpi_front_x(world, 0)[i], tpi_front_x(world, 1)[i],
                      tpi_dimensions(world) == 3 ? tpi_front_x(world, 2)[i] : 0.0f);
}

/* Of at most TOUCH_SAMPLES nodes, evenly by index. */
static touch_fit touch_sample(const tp_world *world, uint32_t nodes)
{
    const uint32_t count = tpi_min_u32(nodes, TOUCH_SAMPLES);
    const float share = 1.0f / (float)count;
    touch_fit fit = {0};
    for (uint32_t k = 0; k < count; k++) {
        const tp_vector at = touch_listed_at(world, (uint32_t)((uint64_t)k * (nodes - 1u) / count));
        fit.centre = tpi_add_scaled(fit.centre, at, share);
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = (uint32_t)((uint64_t)k * (nodes - 1u) / count);
        const tp_vector at = touch_listed_at(world, i), a = tpi_sub(at, fit.centre),
                        d = tpi_sub(touch_now_at(world, i), at);
        const float spread[6] = {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.y * a.z, a.z * a.x};
        fit.drift = tpi_add_scaled(fit.drift, d, share);
        fit.moment = tpi_add_scaled(fit.moment, tpi_cross(a, d), share);
        for (uint32_t m = 0; m < 6; m++) fit.spread[m] += spread[m] * share;
    }
    return fit;
}

/* Solves (trace - spread) turn = moment by Cramer's rule, with a little more on the diagonal for
   nodes in a line. 0: the nodes are at a point. */
static tp_vector touch_turn(const touch_fit *fit)
{
    const float *s = fit->spread, trace = s[0] + s[1] + s[2], more = 1.001f * trace;
    if (!(trace > 1e-12f && trace < 1e18f)) return tpi_vector(0.0f, 0.0f, 0.0f);
    const float per = 1.0f / trace;
    const tp_vector x = {(more - s[0]) * per, -s[3] * per, -s[5] * per},
                    y = {-s[3] * per, (more - s[1]) * per, -s[4] * per},
                    z = {-s[5] * per, -s[4] * per, (more - s[2]) * per},
                    m = tpi_scale(fit->moment, per), yz = tpi_cross(y, z), zx = tpi_cross(z, x),
                    xy = tpi_cross(x, y);
    const float whole = 1.0f / tpi_dot(x, yz);
    return tpi_vector((yz.x * m.x + zx.x * m.y + xy.x * m.z) * whole,
                      (yz.y * m.x + zx.y * m.y + xy.y * m.z) * whole,
                      (yz.z * m.x + zx.z * m.y + xy.z * m.z) * whole);
}

void tpi_cloth_drift(const tp_world *world)
{
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    const uint32_t nodes = tpi_cloth_nodes(world);
    if (nodes == 0) return;
    const touch_fit fit = touch_sample(world, nodes);
    const tp_vector turn = touch_turn(&fit);
    for (uint32_t axis = 0; axis < 3; axis++) {
        touch->centre[axis] = tpi_component(fit.centre, axis);
        touch->drift[axis] = tpi_component(fit.drift, axis);
        touch->turn[axis] = tpi_component(turn, axis);
    }
}

const char *tpi_cloth_audit_touch(const tp_world *world, uint64_t *offset)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const tpi_cloth_node *nodes = tpi_cloth_nodes_of(world);
    if (!tpi_def_has_touch(&world->def)) return NULL;
    const char *text = tpi_def_grazes(&world->def) ? tpi_graze_audit(world, offset) : NULL;
    if (text) return text;
    for (uint32_t i = 0; i < head->nodes; i++) {
        *offset = world->arrays.own[TPI_CLOTH_NODE] + (uint64_t)i * sizeof(tpi_cloth_node);
        tp_vector rest = {nodes[i].rest[0], nodes[i].rest[1], nodes[i].rest[2]};
        bool is_free = nodes[i].sheet == TPI_CLOTH_NO_SHEET;
        if (!is_free && (nodes[i].sheet >= head->sheets || !tpi_is_vector_within(rest, 1e9f)))
            return TPI_TEXT("a node of a sheet, at rest within 1e9 m");
    }
    return NULL;
}

uint32_t tpi_cloth_untangle(tp_world *world, uint32_t *begin, uint32_t end, uint32_t units,
                            bool is_first)
{
    uint32_t used = 0, i = *begin;
    for (; i < end; i++) {
        const uint32_t each = 1u + tpi_graze_count(world, i) * TPI_GRAZE_EACH;
        if (used + each > units && (used > 0 || !is_first)) break;
        tpi_graze_untangle(world, i);
        used += each;
    }
    *begin = i;
    return used;
}

#undef TOUCH_GROW
#undef TOUCH_SAMPLES
