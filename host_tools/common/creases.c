/* SPDX-License-Identifier: MIT
   host_tools/common/creases.c - the edges of a mesh that a wireframe needs.
   reads   a mesh collider      writes  pairs of vertices
   memory  malloc, freed by the caller      cost    O(triangles log triangles)
   after   own design: edges of all triangles, sorted by their vertices; those of two triangles in
           one plane say nothing of the shape */
#include "host.h"
#include "picture.h"
#include <math.h>
#include <stdlib.h>

#define IN_PLANE 0.9998 /* cosine of 1 degree between two normals */

typedef struct crease_edge {
    uint32_t vertex[2], triangle;
} crease_edge;

static int compare_edges(const void *left, const void *right)
{
    const crease_edge *a = left, *b = right;
    for (int k = 0; k < 2; k++)
        if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k] ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int compare_triangles(const void *left, const void *right)
{
    const crease_edge *a = left, *b = right;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static void normal_of(const tp_collider_def *def, uint32_t triangle, double normal[3])
{
    const tp_vector *corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = &def->vertices[def->indices[3 * triangle + (uint32_t)k]];
    const double a[3] = {(double)corner[1]->x - (double)corner[0]->x,
                         (double)corner[1]->y - (double)corner[0]->y,
                         (double)corner[1]->z - (double)corner[0]->z};
    const double b[3] = {(double)corner[2]->x - (double)corner[0]->x,
                         (double)corner[2]->y - (double)corner[0]->y,
                         (double)corner[2]->z - (double)corner[0]->z};
    double square = 0;
    for (int k = 0; k < 3; k++) {
        normal[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        square += normal[k] * normal[k];
    }
    for (int k = 0; k < 3 && square > 0; k++) normal[k] /= sqrt(square);
}

/* Two triangles, and no more, that share an edge and lie in one plane. */
static bool is_within_plane(const tp_collider_def *def, const crease_edge *edges, size_t count)
{
    double a[3], b[3];
    if (count != 2) return false;
    normal_of(def, edges[0].triangle, a);
    normal_of(def, edges[1].triangle, b);
    return fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) > IN_PLANE;
}

static crease_edge *edges_of(const tp_collider_def *def)
{
    crease_edge *edges = host_allocate((size_t)def->triangle_count * 3, sizeof *edges);
    for (uint32_t i = 0; edges && i < 3 * def->triangle_count; i++) {
        uint32_t a = def->indices[i], b = def->indices[i / 3 * 3 + (i + 1) % 3];
        edges[i] = (crease_edge){{a < b ? a : b, a < b ? b : a}, i / 3};
    }
    return edges;
}

int crease_edges(const tp_collider_def *def, uint32_t **pairs, size_t *count)
{
    size_t all = (size_t)def->triangle_count * 3, kept = 0;
    crease_edge *edges = edges_of(def);
    *count = 0;
    *pairs = host_allocate(all * 2, sizeof **pairs);
    if (!edges || !*pairs) {
        free(edges);
        return host_out_of_memory("a wireframe");
    }
    qsort(edges, all, sizeof *edges, compare_edges);
    for (size_t i = 0, next; i < all; i = next) {
        for (next = i + 1; next < all && edges[next].vertex[0] == edges[i].vertex[0] &&
                           edges[next].vertex[1] == edges[i].vertex[1];)
            next++;
        if (!is_within_plane(def, edges + i, next - i)) edges[kept++] = edges[i];
    }
    qsort(edges, kept, sizeof *edges, compare_triangles);
    for (size_t i = 0; i < kept; i++)
        for (size_t k = 0; k < 2; k++) (*pairs)[2 * i + k] = edges[i].vertex[k];
    free(edges);
    *count = kept;
    return HOST_DONE;
}
