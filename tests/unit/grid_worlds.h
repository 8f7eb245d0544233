/* SPDX-License-Identifier: MIT
   tests/unit/grid_worlds.h - worlds of points for tests of the grid, open and in boxes.
   reads   -      writes  worlds
   memory  that of the worlds      cost    that of the worlds
   after   own design; included once */
#ifndef TIDEPOOL_GRID_WORLDS_H
#define TIDEPOOL_GRID_WORLDS_H
#include "test.h"
#include "world_help.h"
#include <math.h>

typedef enum point_set {
    UNIFORM,
    ONE_CELL,
    CELL_EDGES,
    NEGATIVE,
    FAR,
    OUTLIER,
    BEYOND_THE_RIM,
    AT_RADIUS,
    FULL_CELLS,
    POINT_SETS
} point_set;
static const char *const set_names[] = {
    "uniform",   "one cell",        "cell edges",     "negative coordinates",
    "1e4 away",  "one far outlier", "beyond the rim", "exactly the radius",
    "full cells"};

static tp_vector place_of(point_set set, uint32_t i, uint32_t count, float h, float side,
                          uint32_t *state)
{
    float x = test_random(state), y = test_random(state), z = test_random(state),
          cell = h * 1.0078125f;
    switch (set) {
    case ONE_CELL: return (tp_vector){x * 0.17f, y * 0.17f, z * 0.17f};
    case CELL_EDGES:
        side *= 1.5f;
        return (tp_vector){(float)(int)(x * side / cell) * cell,
                           (float)(int)(y * side / cell) * cell,
                           (float)(int)(z * side / cell) * cell};
    case NEGATIVE: return (tp_vector){-x * side, -y * side, -z * side};
    case FAR: return (tp_vector){1e4f + x * side, -1e4f + y * side, 1e4f - z * side};
    case OUTLIER:
        return i + 1 == count ? (tp_vector){9e8f, -9e8f, 9e8f}
                              : (tp_vector){x * side, y * side, z * side};
    case BEYOND_THE_RIM: return (tp_vector){30000.0f + 0.01f * x * side, y * side, z * side};
    case AT_RADIUS:
        return (tp_vector){(float)(i % 16u) * h, (float)(i / 16u % 16u) * h, (float)(i / 256u) * h};
    case FULL_CELLS: /* nine adjacent cells: more candidates than fit one batch */
        return (tp_vector){((float)(i % 3u) + 0.8f * x) * cell,
                           ((float)(i / 3u % 3u) + 0.8f * y) * cell, 0.8f * z * cell};
    default: return (tp_vector){x * side - side / 2, y * side - side / 2, z * side - side / 2};
    }
}

#define RADIUS 0.3f

/* Side length that gives about 6 particles per cube, or square, of one radius. */
static float side_of(uint32_t dimensions, uint32_t count)
{
    return RADIUS * (dimensions == 2 ? sqrtf((float)count / 6.0f) : cbrtf((float)count / 6.0f));
}

static test_world fill_world(const tp_world_def *def, uint32_t count, point_set set)
{
    test_world made = test_world_make(def);
    uint32_t state = 77u + count;
    float side = side_of(def->dimensions, count), h = sqrtf(made.world->constants.radius_squared);
    for (uint32_t i = 0; i < count; i++)
        CHECK(tp_particle_add(made.world, place_of(set, i, count, h, side, &state),
                              (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    return made;
}

static test_world grid_world(uint32_t dimensions, uint32_t count, point_set set, bool stores,
                             uint32_t cap)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = count ? count : 1;
    def.frames_per_second_numerator = 200;
    def.sph.neighbours_max = cap;
    def.sph.stores_neighbours = stores;
    return fill_world(&def, count, set);
}

/* Boxes for the solver that supports them. WIDE has more cells than its table may have entries.
   TUBE and SLAB have three cells, narrower than a radius, across the narrow axes, and are long
   enough for all particles. */
typedef enum box_kind { OPEN, SNUG, WIDE, TUBE, SLAB, BOX_KINDS } box_kind;
static const char *const box_names[] = {"open", "snug box", "wide box", "narrow box",
                                        "periodic along x alone"};

static inline test_world box_world(uint32_t dimensions, uint32_t count, point_set set, box_kind box)
{
    tp_world_def def = tp_world_default(dimensions);
    float side = side_of(dimensions, count), h = 2.00001f * RADIUS;
    float length = dimensions == 2 ? side * side / h : side * side * side / (h * 1.25f * h);
    const tp_vector sizes[BOX_KINDS] = {{10, 10, 10},
                                        {side, side, 0.9f * side},
                                        {6 * side, 6 * side, 6 * side},
                                        {h, 1.25f * h, length},
                                        {side, 1, 1}};
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = count ? count : 1;
    def.frames_per_second_numerator = 1000;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) def.species[s].sigma = RADIUS / def.pair.cutoff;
    def.pair.neighbours_max = 255;
    def.pair.skin = 0.0f;
    if (box != OPEN) def.periodic_axes = box == SLAB ? TP_AXIS_X : dimensions == 2 ? 3 : 7;
    def.box_size = sizes[box];
    if (dimensions == 2 && box == TUBE) def.box_size.y = length;
    def.box_size.x = fmaxf(def.box_size.x, h);
    def.box_size.y = fmaxf(def.box_size.y, h);
    def.box_size.z = fmaxf(def.box_size.z, h);
    if (set == FAR) def.box_low = (tp_vector){1e4f, -1e4f, 1e4f};
    test_world made = fill_world(&def, count, set);
    bool is_dense = made.world->grid.bucket_count == 1u;
    if (count >= 60) CHECK(is_dense == (box == SNUG || box == TUBE));
    return made;
}

#endif
