/* SPDX-License-Identifier: MIT
   tests/physics/test_hydrostatics.c - columns of the incompressible fluid at rest: pressure over
           depth, forces on walls, height.
   reads   runtime/solve/sph/dfsph*.c, load.c      writes  nothing
   memory  worlds of up to 2800 particles
   cost    a second; TIDEPOOL_LONG=1: half a minute
   after   Pascal's law: p = density g depth, alike in all directions */
#include "dfsph_worlds.h"

#define GRAVITY 9.81
#define LAYERS  40u /* of two spacings each, more than any column has */
#define WALLS   5u
static const double spacing = (double)FLUID_SPACING;

/* ---- worlds ---- */

/* Particles along each axis: a column as wide as its tank. The first wall is the floor. */
typedef struct column {
    test_world made;
    uint32_t dimensions, size[3];
    tp_collider walls[WALLS];
} column;

static tp_collider column_wall(const column *c, tp_vector position, tp_quaternion rotation)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider wall = {0};
    def.pose.position = position;
    def.pose.rotation = rotation;
    def.friction = 0;
    CHECK(tp_collider_add(c->made.world, &def, &wall) == TP_OK);
    return wall;
}

static column column_make(const uint32_t size[3], float jitter)
{
    const float h = 0.70710678f;
    const tp_vector origin = {0, 0, 0};
    column c = {.dimensions = size[2] > 1 ? 3 : 2, .size = {size[0], size[1], size[2]}};
    tp_world_def def = fluid_def(c.dimensions, size[0] * size[1] * size[2]);
    def.measures_loads = true;
    c.made = test_world_make(&def);
    test_world_gravity(c.made.world, (float)GRAVITY);
    c.walls[0] = column_wall(&c, origin, (tp_quaternion){1, 0, 0, 0});
    c.walls[1] = column_wall(&c, origin, (tp_quaternion){h, 0, 0, -h});
    c.walls[2] = column_wall(&c, (tp_vector){(float)size[0] * FLUID_SPACING, 0, 0},
                             (tp_quaternion){h, 0, 0, h});
    if (c.dimensions == 3) {
        c.walls[3] = column_wall(&c, origin, (tp_quaternion){h, h, 0, 0});
        c.walls[4] = column_wall(&c, (tp_vector){0, 0, (float)size[2] * FLUID_SPACING},
                                 (tp_quaternion){h, -h, 0, 0});
    }
    fluid_block(c.made.world, size, origin, jitter, 0);
    return c;
}

/* ---- pressures ---- */

/* Sums over the particles of a layer that are further than a support radius from the side walls. */
typedef struct layer {
    double count, depth;
    double kept;      /* m^2/s^2: of the view */
    double stress[3]; /* m^2/s^2: along each axis, of the forces between pairs, over the density */
} layer;

/* A pair pushes both ends by (p + p') J per mass. Half of force times distance over the volume of
   a particle, is its part of the stress. */
static void column_stress(const column *c, const tp_view *v, uint32_t i, double stress[3])
{
    const tp_world *world = c->made.world;
    const double h = (double)tp_world_definition(world)->sph.smoothing_radius,
                 slope = (double)tpi_sph_of(world)->dfsph.slope;
    const float *pressure = tpi_front_kept(world, TPI_DFSPH_PRESSURE);
    for (uint32_t j = 0; j < v->count; j++) {
        const double d[3] = {(double)v->x[j] - (double)v->x[i], (double)v->y[j] - (double)v->y[i],
                             v->z ? (double)v->z[j] - (double)v->z[i] : 0};
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), share = 1 - r / h;
        if (j == i || share <= 0) continue;
        double push = 0.5 * ((double)pressure[i] + (double)pressure[j]) * slope * share * share / r;
        for (uint32_t axis = 0; axis < 3; axis++) stress[axis] += push * d[axis] * d[axis];
    }
}

static bool column_is_inside(const column *c, const tp_view *v, uint32_t i)
{
    const double h = (double)tp_world_definition(c->made.world)->sph.smoothing_radius,
                 x = (double)v->x[i], z = v->z ? (double)v->z[i] : 0;
    if (x < h || x > c->size[0] * spacing - h) return false;
    return !v->z || (z > h && z < c->size[2] * spacing - h);
}

/* m: twice the mean height, so that the weight above each depth is that of the fluid. */
static double column_height(const column *c)
{
    pool_outcome outcome;
    pool_sums(c->made.world, &outcome);
    return 2 * outcome.height;
}

static void column_layers(const column *c, layer layers[LAYERS])
{
    const tp_view v = tp_world_view(c->made.world);
    const double height = column_height(c);
    for (uint32_t i = 0; i < v.count; i++) {
        if (!column_is_inside(c, &v, i)) continue;
        layer *at = &layers[(uint32_t)((double)v.y[i] / (2 * spacing)) % LAYERS];
        at->count++;
        at->depth += height - (double)v.y[i];
        at->kept += (double)v.pressure[i];
        column_stress(c, &v, i, at->stress);
    }
}

/* ---- gates ---- */

/* Further than two support radii from floor and surface, each direction of each layer is within 5 %
   of the weight above. The pressure of the view is in the scale of the kernel's gradient. */
static void column_check_layers(const column *c, const layer layers[LAYERS])
{
    const double apart = 2 * (double)tp_world_definition(c->made.world)->sph.smoothing_radius,
                 height = column_height(c);
    double least = 9, largest = 0, kept = 0, used = 0;
    for (uint32_t k = 0; k < LAYERS; k++) {
        const layer *at = &layers[k];
        double depth = at->depth / at->count;
        if (!(at->count > 0) || depth < apart || depth > height - apart) continue;
        for (uint32_t axis = 0; axis < c->dimensions; axis++) {
            double ratio = at->stress[axis] / (at->depth * GRAVITY);
            least = fmin(least, ratio);
            largest = fmax(largest, ratio);
        }
        kept += at->kept / (at->depth * GRAVITY);
        used++;
    }
    test_note("%u x %u x %u: stress over density g depth %.3f to %.3f in %.0f layers; pressure of "
              "the view %.3f",
              c->size[0], c->size[1], c->size[2], least, largest, used, kept / used);
    CHECK(used >= 3 && least > 0.95 && largest < 1.05);
    CHECK_NEAR(kept / used, c->dimensions == 2 ? 1.2 : 1.4, 0.06);
}

/* The floor carries the weight, and each side wall density g H^2 / 2 times its breadth. */
static void column_check_walls(const column *c, const double forces[WALLS])
{
    const double weight = tp_world_view(c->made.world).count * GRAVITY, height = column_height(c);
    CHECK_NEAR(forces[0] / weight, 1, 0.01);
    for (uint32_t k = 1; k < (c->dimensions == 3 ? 5u : 3u); k++) {
        double across = c->size[k < 3 ? 0 : 2] * spacing, theory = 0.5 * weight * height / across;
        test_note("wall %u: %.3f of theory", k, forces[k] / theory);
        CHECK_NEAR(forces[k] / theory, 1, 0.05);
    }
}

/* Means over the last second. */
static void column_run(const uint32_t size[3], float jitter, uint32_t seconds)
{
    layer layers[LAYERS] = {{0}};
    double forces[WALLS] = {0};
    column c = column_make(size, jitter);
    test_world_frames(c.made.world, 60 * (seconds - 1));
    for (uint32_t frame = 1; frame <= 60; frame++) {
        test_world_frames(c.made.world, 1);
        for (uint32_t k = 0; k < (c.dimensions == 3 ? 5u : 3u); k++) {
            tp_load load;
            CHECK(tp_collider_load(c.made.world, c.walls[k], &load) == TP_OK);
            forces[k] += fabs((double)(k == 0  ? load.pressure.y
                                       : k < 3 ? load.pressure.x
                                               : load.pressure.z)) /
                         60;
        }
        if (frame % 10 == 0) column_layers(&c, layers);
    }
    column_check_layers(&c, layers);
    column_check_walls(&c, forces);
    CHECK_NEAR(column_height(&c), size[1] * spacing, 0.02 * size[1] * spacing);
    test_world_free(&c.made);
}

static void pressure_is_density_times_gravity_times_depth(void)
{
    column_run((const uint32_t[3]){20, 24, 1}, 0.02f, 8);
    column_run((const uint32_t[3]){12, 14, 12}, 0.02f, 3);
    if (!test_is_long()) return;
    column_run((const uint32_t[3]){20, 40, 1}, 0.02f, 20);
    column_run((const uint32_t[3]){40, 24, 1}, 0.02f, 20);
    column_run((const uint32_t[3]){20, 24, 1}, 0.5f, 20);
    column_run((const uint32_t[3]){10, 24, 10}, 0.02f, 20);
    column_run((const uint32_t[3]){10, 24, 10}, 0.5f, 20);
    column_run((const uint32_t[3]){14, 14, 14}, 0.02f, 20);
}

static const test_case hydrostatics_cases[] = {
    TEST_CASE(pressure_is_density_times_gravity_times_depth),
};
TEST_SUITE(hydrostatics, hydrostatics_cases);
