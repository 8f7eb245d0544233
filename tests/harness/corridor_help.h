/* SPDX-License-Identifier: MIT
   tests/harness/corridor_help.h - levels of rooms of one sector of 1 m, in a row or upon one
           another: a hop per metre.
   reads   nothing      writes  what is passed in
   memory  a world      cost    that of the runtime's calls
   after   own design */
#ifndef CORRIDOR_HELP_H
#define CORRIDOR_HELP_H
#include "collide_help.h"

#define CORRIDOR_MAX 32u

typedef struct corridor {
    int16_t words[1u + 4u * CORRIDOR_MAX + 81u * CORRIDOR_MAX];
    uint32_t count;
    tp_vector low, high, place; /* m: of the mesh; the world's position of its frame */
    float radius;
} corridor;

int16_t *corridor_sector(corridor *of, uint32_t number, uint32_t column, uint32_t row);
/* Rooms with a rim of rock, behind one another along x, or with `is_shaft` upon one another. */
corridor corridor_make(uint32_t count, bool is_shaft);
/* The inner side of a box: 12 triangles, however long it is. */
test_world corridor_world(const corridor *of, float restitution, tp_collider *collider);

typedef struct corridor_end {
    double at[3];
    uint64_t hops, limited;
    int32_t room;
    double speed; /* m per frame, along x and y */
} corridor_end;
/* A particle that begins at `from` and goes by `move` in each of some frames. */
corridor_end corridor_run(const corridor *of, tp_vector from, tp_vector move, float restitution,
                          uint32_t frames);

#endif
