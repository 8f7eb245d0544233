/* SPDX-License-Identifier: MIT
   host_tools/light/tree.c - clusters of patches, and what is between two points.
   reads   patches      writes  a tree
   memory  a node for each patch and cluster      cost    O(patches * log^2 patches) to build
   after   own design: halves along the longest of six axes, of positions and of normals, so that
           clusters have a narrow cone of normals; data of a cluster from its parts */
#include "patches.h"
#include "../common/host.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tree_key {
    double value;
    uint32_t patch;
} tree_key;

static int compare_keys(const void *left, const void *right)
{
    const tree_key *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->patch < b->patch ? -1 : a->patch > b->patch;
}

/* Axes 0 to 2: position; 3 to 5: normal. */
static double key_of(const light_patch *patch, uint32_t axis)
{
    return axis < 3 ? patch->position.of[axis] : patch->normal.of[axis - 3];
}

/* The axis along which the patches are spread most. Normals count with half the largest extent of
   the positions. */
static uint32_t widest_axis(const light_tree *tree, uint32_t first, uint32_t count)
{
    double extents[6], most = 0;
    uint32_t widest = 0;
    for (uint32_t axis = 0; axis < 6; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = first; i < first + count; i++) {
            double value = key_of(&tree->patches[tree->order[i]], axis);
            low = fmin(low, value);
            high = fmax(high, value);
        }
        extents[axis] = high - low;
        if (axis < 3) most = fmax(most, extents[axis]);
    }
    for (uint32_t axis = 3; axis < 6; axis++) extents[axis] *= most / 2;
    for (uint32_t axis = 1; axis < 6; axis++)
        if (extents[axis] > extents[widest]) widest = axis;
    return widest;
}

static void set_leaf(light_tree *tree, uint32_t i)
{
    const light_patch *patch = &tree->patches[i];
    light_node *node = &tree->nodes[i];
    *node = (light_node){.low = patch->corner[0], .high = patch->corner[0]};
    node->position = patch->position;
    node->area = (float)patch->area;
    node->cone = 1;
    node->count = 1;
    for (uint32_t c = 0; c < patch->corners; c++) {
        light_point way = light_minus(&patch->corner[c], &patch->position);
        node->radius = fmax(node->radius, sqrt(light_dot(&way, &way)));
        for (uint32_t k = 0; k < 3; k++) {
            node->low.of[k] = fmin(node->low.of[k], patch->corner[c].of[k]);
            node->high.of[k] = fmax(node->high.of[k], patch->corner[c].of[k]);
        }
    }
    for (uint32_t k = 0; k < 3; k++) node->projected.of[k] = patch->area * patch->normal.of[k];
}

/* Radius and cone come from the patches. */
static void set_cluster(light_tree *tree, light_node *node)
{
    const light_node *a = &tree->nodes[node->part[0]], *b = &tree->nodes[node->part[1]];
    node->area = a->area + b->area;
    double share = (double)a->area / ((double)a->area + (double)b->area);
    for (uint32_t k = 0; k < 3; k++) {
        node->low.of[k] = fmin(a->low.of[k], b->low.of[k]);
        node->high.of[k] = fmax(a->high.of[k], b->high.of[k]);
        node->projected.of[k] = a->projected.of[k] + b->projected.of[k];
        node->position.of[k] = a->position.of[k] * share + b->position.of[k] * (1 - share);
    }
    double length = sqrt(light_dot(&node->projected, &node->projected));
    node->cone = 1;
    node->radius = 0;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        const light_patch *patch = &tree->patches[tree->order[i]];
        light_point way = light_minus(&patch->position, &node->position);
        double along = light_dot(&patch->normal, &node->projected);
        node->cone = fmin(node->cone, length > 0 ? along / length : -1);
        node->radius =
            fmax(node->radius, sqrt(light_dot(&way, &way)) + tree->nodes[tree->order[i]].radius);
    }
}

/* Halves order[first..], and returns the node. Depth: the logarithm of the count. */
static uint32_t halve(light_tree *tree, tree_key *keys, uint32_t first, uint32_t count)
{
    if (count == 1) {
        tree->nodes[tree->order[first]].first = first;
        return tree->order[first];
    }
    uint32_t axis = widest_axis(tree, first, count), half = count / 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t patch = tree->order[first + i];
        keys[i] = (tree_key){key_of(&tree->patches[patch], axis), patch};
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++) tree->order[first + i] = keys[i].patch;
    light_node node = {.first = first, .count = count};
    node.part[0] = halve(tree, keys, first, half);
    node.part[1] = halve(tree, keys, first + half, count - half);
    set_cluster(tree, &node);
    tree->nodes[tree->node_count] = node;
    return tree->node_count++;
}

int light_tree_build(light_tree *tree, const light_patch *patches, uint32_t count)
{
    tree_key *keys = host_allocate(count, sizeof *keys);
    *tree = (light_tree){.patches = patches, .count = count, .node_count = count};
    tree->nodes = host_allocate((size_t)count * 2, sizeof *tree->nodes);
    tree->order = host_allocate(count, sizeof *tree->order);
    bool is_good = keys && tree->nodes && tree->order;
    for (uint32_t i = 0; is_good && i < count; i++) {
        tree->order[i] = i;
        set_leaf(tree, i);
    }
    if (is_good) halve(tree, keys, 0, count);
    free(keys);
    return is_good ? HOST_DONE : host_out_of_memory("the patches");
}

void light_tree_free(light_tree *tree)
{
    free(tree->nodes);
    free(tree->order);
}

/* ---- rays */

#define RAY_END 1e-7 /* shares of the way at both ends that do not count */

/* A way from a point, and 1 over it along each axis. */
typedef struct tree_ray {
    light_point from, way, inverse;
} tree_ray;

/* Comparisons and no calls of fmin and fmax: most of the time that links take is spent here. */
static bool meets_box(const light_node *node, const tree_ray *ray)
{
    double enter = 0, leave = 1;
    for (uint32_t k = 0; k < 3; k++) {
        double slack = 1e-9 * (1 + fabs(node->high.of[k]) + fabs(node->low.of[k]));
        double low = node->low.of[k] - slack - ray->from.of[k];
        double high = node->high.of[k] + slack - ray->from.of[k];
        if (ray->way.of[k] == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        double a = low * ray->inverse.of[k], b = high * ray->inverse.of[k];
        double near = a < b ? a : b, far = a < b ? b : a;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave;
}

/* Moeller and Trumbore 1997, from both sides; edges belong to the triangle. */
static bool meets_triangle(const light_point *a, const light_point *b, const light_point *c,
                           const light_point *from, const light_point *way)
{
    light_point side = light_minus(b, a), other = light_minus(c, a), start = light_minus(from, a);
    light_point across = light_cross(way, &other), turned = light_cross(&start, &side);
    double scale = light_dot(&side, &across);
    double size = sqrt(light_dot(&side, &side) * light_dot(&other, &other) * light_dot(way, way));
    if (fabs(scale) <= 1e-12 * size) return false;
    double u = light_dot(&start, &across) / scale, v = light_dot(way, &turned) / scale;
    double t = light_dot(&other, &turned) / scale;
    return u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9 && t > RAY_END && t < 1 - RAY_END;
}

static bool meets_patch(const light_patch *patch, const light_point *from, const light_point *way)
{
    const light_point *c = patch->corner;
    return meets_triangle(&c[0], &c[1], &c[2], from, way) ||
           (patch->corners == 4 && meets_triangle(&c[0], &c[2], &c[3], from, way));
}

bool light_tree_sees(const light_tree *tree, const light_point *from, const light_point *to,
                     uint32_t patch, uint32_t other)
{
    uint32_t stack[64], depth = 0;
    tree_ray ray = {.from = *from, .way = light_minus(to, from)};
    for (uint32_t k = 0; k < 3; k++) ray.inverse.of[k] = ray.way.of[k] == 0 ? 0 : 1 / ray.way.of[k];
    stack[depth++] = tree->node_count - 1;
    while (depth) {
        uint32_t at = stack[--depth];
        const light_node *node = &tree->nodes[at];
        if (at == patch || at == other || !meets_box(node, &ray)) continue;
        if (at < tree->count) {
            if (meets_patch(&tree->patches[at], from, &ray.way)) return false;
            continue;
        }
        stack[depth++] = node->part[1];
        stack[depth++] = node->part[0];
    }
    return true;
}
