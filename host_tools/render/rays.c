/* SPDX-License-Identifier: MIT
   host_tools/render/rays.c - the tree of boxes around balls and triangles, and rays through it.
   reads   positions      writes  a tree, hits
   memory  malloc      cost    O(items log^2 items) to build; O(log items) per ray
   after   slab method for boxes (Kay and Kajiya 1986); clouds by stochastic transparency (Enderton
           et al. 2010) */
#include "rays.h"
#include <stdlib.h>

#define LEAF_MAX  4u
#define STACK_MAX 64u

/* ---- building */

typedef struct ray_key {
    float at;
    uint32_t item;
} ray_key;

static vec3 least(vec3 a, vec3 b)
{
    return vec3_of(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
static vec3 largest(vec3 a, vec3 b)
{
    return vec3_of(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z));
}

static void item_box(const ray_items *items, uint32_t item, vec3 *low, vec3 *high)
{
    if (item < items->ball_count) {
        vec3 half = vec3_of(items->radius, items->radius, items->radius);
        *low = vec3_sub(items->centers[item], half);
        *high = vec3_add(items->centers[item], half);
        return;
    }
    const vec3 *corner = items->corners + 3 * (size_t)(item - items->ball_count);
    *low = least(corner[0], least(corner[1], corner[2]));
    *high = largest(corner[0], largest(corner[1], corner[2]));
}

static void enclose(const ray_tree *tree, ray_node *node)
{
    node->low = vec3_of(INFINITY, INFINITY, INFINITY);
    node->high = vec3_of(-INFINITY, -INFINITY, -INFINITY);
    for (uint32_t i = 0; i < node->count; i++) {
        vec3 low, high;
        item_box(&tree->items, tree->order[node->first + i], &low, &high);
        node->low = least(node->low, low);
        node->high = largest(node->high, high);
    }
}

static int compare_keys(const void *left, const void *right)
{
    const ray_key *a = left, *b = right;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static void sort_items(ray_tree *tree, const ray_node *node, ray_key *keys)
{
    vec3 size = vec3_sub(node->high, node->low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (uint32_t i = 0; i < node->count; i++) {
        vec3 low, high, sum;
        uint32_t item = tree->order[node->first + i];
        item_box(&tree->items, item, &low, &high);
        sum = vec3_add(low, high);
        keys[i] = (ray_key){axis == 0 ? sum.x : axis == 1 ? sum.y : sum.z, item};
    }
    qsort(keys, node->count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < node->count; i++) tree->order[node->first + i] = keys[i].item;
}

/* Divides nodes in the order of their creation, so that both parts of one stand side by side. */
static void divide(ray_tree *tree, ray_key *keys)
{
    for (uint32_t at = 0; at < tree->node_count; at++) {
        ray_node *node = &tree->nodes[at];
        enclose(tree, node);
        if (node->count <= LEAF_MAX) continue;
        sort_items(tree, node, keys);
        uint32_t first = node->first, count = node->count, half = count / 2;
        node->first = tree->node_count;
        node->count = 0;
        tree->nodes[tree->node_count++] = (ray_node){.first = first, .count = half};
        tree->nodes[tree->node_count++] = (ray_node){.first = first + half, .count = count - half};
    }
}

int rays_build(ray_tree *tree, const ray_items *items)
{
    uint32_t count = items->ball_count + items->triangle_count;
    ray_key *keys = host_allocate(count, sizeof *keys);
    *tree = (ray_tree){.items = *items};
    tree->nodes = host_allocate((size_t)count + 1, sizeof *tree->nodes);
    tree->order = host_allocate(count, sizeof *tree->order);
    bool is_good = keys && tree->nodes && tree->order;
    for (uint32_t i = 0; is_good && i < count; i++) tree->order[i] = i;
    if (is_good && count) {
        tree->nodes[tree->node_count++] = (ray_node){.count = count};
        divide(tree, keys);
    }
    free(keys);
    return is_good ? HOST_DONE : host_out_of_memory("the rays of a picture");
}

void rays_free(ray_tree *tree)
{
    free(tree->nodes);
    free(tree->order);
    *tree = (ray_tree){0};
}

/* ---- items */

/* A cloud: the chance to end in it falls to 0 at its rim, and the hit is the nearest point to its
   center. */
static bool meets_cloud(const ray_items *items, uint32_t item, const ray *from, ray_hit *hit)
{
    vec3 start = vec3_sub(items->centers[item], from->origin);
    float square = vec3_dot(from->way, from->way);
    float t = square > 0 ? vec3_dot(start, from->way) / square : 0;
    vec3 away = vec3_sub(start, vec3_scale(from->way, t));
    float inside = 1 - vec3_dot(away, away) / (items->radius * items->radius);
    if (!(inside > 0) || !(t > 0) || !(t < hit->distance)) return false;
    if (rays_share(rays_mix(from->dice, item)) >= items->opacity * inside) return false;
    hit->distance = t;
    return true;
}

static bool meets_ball(const ray_items *items, uint32_t item, const ray *from, ray_hit *hit)
{
    if (items->opacity < 1) return meets_cloud(items, item, from, hit);
    vec3 start = vec3_sub(from->origin, items->centers[item]);
    float square = vec3_dot(from->way, from->way), half = vec3_dot(start, from->way);
    float rest = vec3_dot(start, start) - items->radius * items->radius;
    float root = half * half - square * rest;
    if (!(root >= 0) || !(rest > 0)) return false; /* from within a ball: none */
    float t = (-half - sqrtf(root)) / square;
    if (!(t > 0) || !(t < hit->distance)) return false;
    hit->distance = t;
    return true;
}

static bool meets_triangle(const ray_items *items, uint32_t item, const ray *from, ray_hit *hit)
{
    const vec3 *corner = items->corners + 3 * (size_t)(item - items->ball_count);
    vec3 side = vec3_sub(corner[1], corner[0]), other = vec3_sub(corner[2], corner[0]);
    vec3 across = vec3_cross(from->way, other), start = vec3_sub(from->origin, corner[0]);
    float scale = vec3_dot(side, across);
    if (scale == 0 || from->passes == (scale < 0 ? RAY_PASSES_BACKS : RAY_PASSES_FRONTS))
        return false;
    float u = vec3_dot(start, across) / scale;
    vec3 turned = vec3_cross(start, side);
    float v = vec3_dot(from->way, turned) / scale, t = vec3_dot(other, turned) / scale;
    if (!(u >= -1e-6f) || !(v >= -1e-6f) || !(u + v <= 1 + 1e-6f)) return false;
    if (!(t > 0) || !(t < hit->distance)) return false;
    hit->distance = t;
    hit->share[0] = 1 - u - v, hit->share[1] = u, hit->share[2] = v;
    return true;
}

static bool meets_item(const ray_items *items, uint32_t item, const ray *from, ray_hit *hit)
{
    bool meets = item < items->ball_count ? meets_ball(items, item, from, hit)
                                          : meets_triangle(items, item, from, hit);
    if (meets) hit->item = item;
    return meets;
}

/* ---- rays */

/* Where a ray enters a box; beyond `most`: it does not meet it before. */
static float enters_box(const ray_node *node, const ray *from, vec3 inverse, float most)
{
    vec3 a = vec3_sub(node->low, from->origin), b = vec3_sub(node->high, from->origin);
    float x0 = a.x * inverse.x, x1 = b.x * inverse.x, y0 = a.y * inverse.y, y1 = b.y * inverse.y,
          z0 = a.z * inverse.z, z1 = b.z * inverse.z, enter = 0, leave = most;
    float near_x = x0 < x1 ? x0 : x1, far_x = x0 < x1 ? x1 : x0;
    float near_y = y0 < y1 ? y0 : y1, far_y = y0 < y1 ? y1 : y0;
    float near_z = z0 < z1 ? z0 : z1, far_z = z0 < z1 ? z1 : z0;
    enter = near_x > enter ? near_x : enter;
    enter = near_y > enter ? near_y : enter;
    enter = near_z > enter ? near_z : enter;
    leave = far_x < leave ? far_x : leave;
    leave = far_y < leave ? far_y : leave;
    leave = far_z < leave ? far_z : leave;
    /* rounding must not lose a flat box */
    return enter <= leave * 1.00001f ? enter : INFINITY;
}

static float inverse_of(float way) { return 1 / (fabsf(way) > 1e-20f ? way : 1e-20f); }

typedef struct ray_walk {
    uint32_t nodes[STACK_MAX], depth;
    float enters[STACK_MAX];
} ray_walk;

static void push(ray_walk *walk, uint32_t node, float enter)
{
    if (enter == INFINITY || walk->depth == STACK_MAX) return;
    walk->nodes[walk->depth] = node;
    walk->enters[walk->depth++] = enter;
}

/* The nearer part on top. */
static void push_parts(ray_walk *walk, const ray_tree *tree, uint32_t first, const ray *from,
                       vec3 inverse, float most)
{
    float a = enters_box(&tree->nodes[first], from, inverse, most),
          b = enters_box(&tree->nodes[first + 1], from, inverse, most);
    push(walk, a < b ? first + 1 : first, a < b ? b : a);
    push(walk, a < b ? first : first + 1, a < b ? a : b);
}

/* Visits the items on the way; with `is_any` ends at the first one. */
static bool trace(const ray_tree *tree, const ray *from, bool is_any, uint32_t except, ray_hit *hit)
{
    vec3 inverse =
        vec3_of(inverse_of(from->way.x), inverse_of(from->way.y), inverse_of(from->way.z));
    ray_walk walk;
    bool found = false;
    walk.depth = 0;
    hit->distance = from->most;
    if (tree->node_count) push(&walk, 0, enters_box(tree->nodes, from, inverse, from->most));
    while (walk.depth) {
        const ray_node *node = &tree->nodes[walk.nodes[--walk.depth]];
        if (walk.enters[walk.depth] > hit->distance) continue;
        if (!node->count) push_parts(&walk, tree, node->first, from, inverse, hit->distance);
        for (uint32_t i = 0; i < node->count; i++) {
            uint32_t item = tree->order[node->first + i];
            if (item == except || !meets_item(&tree->items, item, from, hit)) continue;
            found = true;
            if (is_any) return true;
        }
    }
    return found;
}

bool rays_cast(const ray_tree *tree, const ray *from, ray_hit *hit)
{
    return trace(tree, from, false, RAYS_NO_ITEM, hit);
}

bool rays_pass(const ray_tree *tree, const ray *from, uint32_t except)
{
    ray_hit hit;
    return !trace(tree, from, true, except, &hit);
}
