/* SPDX-License-Identifier: MIT
   host_tools/render/lit_private.h - shared by lit.c and lit_room.c: a surface and samples of light.
   reads   -      writes  -
   memory  none      cost    -
   after   own design */
#ifndef TIDEPOOL_LIT_PRIVATE_H
#define TIDEPOOL_LIT_PRIVATE_H
#include "lit.h"
#include "rays.h"

struct lit_room {
    const light_setup *setup;
    vec3 *corners;      /* of its triangles */
    uint32_t *patch;    /* of each triangle */
    tp_vector *bounced; /* irradiance by other patches at each corner */
    uint32_t triangle_count;
    vec3 low, high; /* of the surface */
    ray_tree tree;  /* of the surface alone */
};

typedef struct lit_point {
    vec3 at;
    const vec3 *normal; /* NULL: a small ball */
    uint32_t item;      /* of the tree, which hides nothing from itself; RAYS_NO_ITEM: none */
    float lift;         /* begin of rays above the surface */
} lit_point;
/* The irradiance at a point by one sample of each lamp and of the sky, without patches. Its mean is
   exact for the law of tp_light_points times the share of a lamp that is seen. `dice`: two numbers
   for lamps, two for the sky, each even in 0..2^32. */
vec3 lit_sample(const light_setup *setup, const ray_tree *tree, const lit_point *point,
                const uint32_t dice[4]);

#endif
