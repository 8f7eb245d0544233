/* SPDX-License-Identifier: MIT
   tests/harness/query_help.h - shared by the tests of queries: random worlds, queries with guard
           bytes, slices.
   reads   definitions      writes  malloc'd blocks
   memory  the blocks       cost    that of the runtime's calls
   after   own design */
#ifndef TIDEPOOL_QUERY_HELP_H
#define TIDEPOOL_QUERY_HELP_H
#include "grid/query.h"
#include "world_help.h"

/* Arrangements of particles. */
enum {
    QUERY_EMPTY,
    QUERY_ONE,
    QUERY_COINCIDENT,
    QUERY_ONE_CELL,
    QUERY_UNIFORM,
    QUERY_OUTLIERS, /* two clusters, and single particles up to 1e8 m away */
    QUERY_FAR,      /* a cluster around a point a thousand km from the origin */
    QUERY_PERIODIC, /* all axes */
    QUERY_PERIODIC_X,
    QUERY_NARROW, /* a periodic box less than three cells wide */
    QUERY_KINDS
};

typedef struct query_scene {
    test_world made;
    tp_world *world;
    tp_query *query;
    void *block; /* of the query */
    size_t bytes;
    tp_vector middle; /* m: of the particles */
    float size;       /* m: half side of the space in which they are */
    uint32_t count;
    uint32_t random;
} query_scene;

/* A world of three species and random particles, and a complete index with the kernel's radius 0.3
   m. */
query_scene query_scene_make(uint32_t kind, uint32_t dimensions, uint32_t seed);
/* A query for the world, without an index. */
void query_scene_query(query_scene *scene, const tp_query_def *def);
/* Checks the guard bytes and frees. */
void query_scene_free(query_scene *scene);
void query_scene_free_query(query_scene *scene);
/* A random point near the particles; some are far away, some on a particle. */
tp_vector query_point(query_scene *scene);
/* Position of a particle of the view less a point, in double; nearest image. */
void query_offset(const query_scene *scene, uint32_t index, tp_vector point, double offset[3]);
/* m: what rounding may move a distance of such a point by. */
double query_rounding(const query_scene *scene, tp_vector point);
/* Checks the units of a call in slices. True: call again. */
bool query_goes_on(tp_result result, const tp_query_cursor *cursor, uint32_t units);
/* Exchanges two particles in the storage of the world. */
void query_exchange(tp_world *world, uint32_t a, uint32_t b);

#endif
