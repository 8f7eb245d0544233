/* SPDX-License-Identifier: MIT
   host_tools/light/patches.h - patches of a mesh, and the links through which they light one
           another.
   reads   .obj meshes and their .mtl materials      writes  .tpl files (FORMAT.md)
   memory  malloc, freed by the caller               cost    O(patches * links * log patches)
   after   Hanrahan, Salzman and Aupperle 1991 (hierarchical radiosity); Wallace, Elmquist and
           Haines 1989 (the denominator of a disc) */
#ifndef TIDEPOOL_PATCHES_H
#define TIDEPOOL_PATCHES_H
#include "tidepool.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct light_point {
    double of[3];
} light_point;

/* A triangle, or a flat four-sided piece; counter-clockwise as seen from its lit side. */
typedef struct light_patch {
    light_point corner[4];
    uint32_t corners; /* 3 or 4 */
    light_point position, normal;
    double area;
    float albedo[3], emission[3];
} light_patch;

typedef struct light_options {
    double theta;       /* a cluster counts as a whole if radius / distance is below; .4 */
    uint32_t links_max; /* of a row, 16..TP_PATCH_LINKS_MAX; 256 */
    bool is_closed;     /* rows are scaled to 1: the mesh has no opening */
    bool is_raw;        /* denominator pi r^2; else pi r^2 + area */
    bool is_quiet;      /* no progress bar */
    double probes;      /* distance of probes, 0: none */
} light_options;
light_options light_default_options(void);

/* Sets position, normal and area from the corners. False: it has no area. */
bool light_patch_measure(light_patch *patch);

/* Form factor from a patch to another one, without what is between them. */
double light_factor(const light_patch *from, const light_patch *to, bool is_raw);

/* The mesh of an .obj file in patches with sides up to `size`, in the order of its faces; `size` 0:
   one patch per face. More than `most` are an error. HOST_DONE, or an error was printed. */
int light_read_mesh(const char *path, double size, uint32_t most, light_patch **patches,
                    uint32_t *count);

/* ---- clusters (tree.c) */

/* Nodes 0..count-1 are the patches; the clusters follow, each after its two parts. */
typedef struct light_node {
    light_point low, high, position;
    light_point projected; /* sum of area times normal */
    float area;
    double radius, cone; /* around the position; cosine of the half angle of the normals */
    uint32_t part[2];
    uint32_t first, count; /* its patches, in `order` */
} light_node;
typedef struct light_tree {
    const light_patch *patches;
    uint32_t count, node_count;
    light_node *nodes;
    uint32_t *order;
} light_tree;
int light_tree_build(light_tree *tree, const light_patch *patches, uint32_t count);
void light_tree_free(light_tree *tree);
/* True if no patch, other than these two, is between the points. */
bool light_tree_sees(const light_tree *tree, const light_point *from, const light_point *to,
                     uint32_t patch, uint32_t other);

/* ---- links (links.c) */

/* The bytes of a .tpl file in malloc memory. HOST_DONE, or an error was printed. */
int light_build(const light_patch *patches, uint32_t count, const light_options *options,
                uint8_t **bytes, size_t *size);

static inline double light_dot(const light_point *a, const light_point *b)
{
    return a->of[0] * b->of[0] + a->of[1] * b->of[1] + a->of[2] * b->of[2];
}
static inline light_point light_minus(const light_point *a, const light_point *b)
{
    return (light_point){{a->of[0] - b->of[0], a->of[1] - b->of[1], a->of[2] - b->of[2]}};
}
static inline light_point light_cross(const light_point *a, const light_point *b)
{
    return (light_point){{a->of[1] * b->of[2] - a->of[2] * b->of[1],
                          a->of[2] * b->of[0] - a->of[0] * b->of[2],
                          a->of[0] * b->of[1] - a->of[1] * b->of[0]}};
}

#endif
