/* SPDX-License-Identifier: MIT
   host_tools/render/rays.h - ray casting against balls and triangles.
   reads   their positions      writes  hits
   memory  malloc, freed by rays_free: 80 bytes per item      cost    O(log items) per ray
   after   bounding volume hierarchy, halved by number along the widest axis; Moeller and Trumbore
           1997 for triangles */
#ifndef TIDEPOOL_RAYS_H
#define TIDEPOOL_RAYS_H
#include "render_private.h"

typedef struct ray_node {
    vec3 low, high;
    uint32_t first, count; /* items of a leaf, in `order`; count 0: parts first and first + 1 */
} ray_node;

/* Balls come first, then triangles. */
typedef struct ray_items {
    const vec3 *centers; /* of balls */
    uint32_t ball_count;
    float radius;        /* of all balls */
    float opacity;       /* share of rays that end in the middle of a ball; 1: solid */
    const vec3 *corners; /* three per triangle, counter-clockwise as seen from its front */
    uint32_t triangle_count;
} ray_items;

typedef struct ray_tree {
    ray_items items;
    ray_node *nodes;
    uint32_t *order, node_count;
} ray_tree;

/* The triangles that a ray passes: those that it meets from behind, or from their front. */
typedef enum ray_passes { RAY_PASSES_NONE, RAY_PASSES_BACKS, RAY_PASSES_FRONTS } ray_passes;

typedef struct ray {
    vec3 origin, way;
    float most;    /* largest distance, in lengths of `way` */
    uint32_t dice; /* chooses the clouds that the ray passes; other rays need another number */
    ray_passes passes;
} ray;

typedef struct ray_hit {
    float distance; /* in lengths of `way` */
    uint32_t item;
    float share[3]; /* of the corners of a triangle */
} ray_hit;

/* HOST_DONE, or an error was printed. The arrays of the items must stay. */
int rays_build(ray_tree *tree, const ray_items *items);
void rays_free(ray_tree *tree);
/* The nearest item. False: none. */
bool rays_cast(const ray_tree *tree, const ray *from, ray_hit *hit);
/* True if no item, except one, is on the way. */
bool rays_pass(const ray_tree *tree, const ray *from, uint32_t except);

#define RAYS_NO_ITEM UINT32_MAX

/* A number that looks random, and depends on nothing but the two given ones. */
static inline uint32_t rays_mix(uint32_t a, uint32_t b)
{
    uint32_t x = a * 0x9e3779b9u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    x = (x ^ x >> 16) * 0x7feb352du; /* Wellons 2018, lowbias32 */
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
/* 0 to below 1 */
static inline float rays_share(uint32_t dice) { return (float)(dice >> 8) / 16777216.0f; }

#endif
