/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_box.c - grids that follow vortons, and grids whose faces are walls.
   reads   runtime/solve/vortex      writes  nothing
   memory  blocks of worlds          cost    two seconds
   after   the flow of a vortex at a wall is that of the vortex and its mirror image (Lamb,
           "Hydrodynamics", 1932, section 155) */
#include "vortex_worlds.h"
#include "cache_help.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static tp_world_def definition(uint32_t particles, float size)
{
    tp_world_def def = vortex_def(3, particles);
    vortex_grid(&def, 33, size);
    return def;
}

/* A ring around the axis z, in floats that a shift by 16 keeps. */
static void add_ring(tp_world *world, uint32_t count, double radius, double z, double circulation,
                     tp_vector shift)
{
    for (uint32_t k = 0; k < count; k++) {
        double angle = 2 * PI * k / count, length = circulation * 2 * PI * radius / count;
        double x = floor(radius * cos(angle) * 4096) / 4096,
               y = floor(radius * sin(angle) * 4096) / 4096;
        vortex_add(world, (tp_vector){(float)x + shift.x, (float)y + shift.y, (float)z + shift.z},
                   (tp_vector){(float)(-length * sin(angle)), (float)(length * cos(angle)), 0});
    }
}

static double height(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) sum += (double)view.z[i] / view.count;
    return sum;
}

/* ---- a grid that follows ---- */

static double way_after(uint32_t follows, uint32_t nodes, uint32_t frames)
{
    tp_world_def def = definition(128, 4);
    def.vortex.grid_nodes[2] = nodes;
    def.vortex.grid_follows = follows;
    def.vortex.core = 0.125f;
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, 1.65, 1, (tp_vector){0, 0, 0});
    test_world_frames(made.world, frames);
    double way = height(made.world);
    test_world_free(&made);
    return way;
}

static void a_ring_takes_its_grid_along(void)
{
    double followed = way_after(4, 33, 100), whole = way_after(0, 65, 100),
           left = way_after(0, 33, 100), aside = way_after(3, 33, 100);
    test_note("1.7 s: %g m; at rest, a grid of twice the length %g, of the same %g; aside %g",
              followed, whole, left, aside);
    CHECK(whole > 2.1);
    CHECK_NEAR(followed, whole, 0.02 * whole);
    CHECK(left < 0.96 * whole && aside < 0.96 * whole);
}

/* Moved by whole cells, a world has the same bits but for the shift: the grid is where it was. */
static void grids_follow_by_whole_cells(void)
{
    test_world made[2];
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = definition(96, 4);
        def.vortex.grid_follows = 7;
        made[k] = test_world_make(&def);
        add_ring(made[k].world, 96, 0.75, 0.0625, 1,
                 k ? (tp_vector){16, -8, 4} : (tp_vector){0, 0, 0});
        test_world_frames(made[k].world, 1);
    }
    tp_view a = tp_world_view(made[0].world), b = tp_world_view(made[1].world);
    double worst = 0;
    for (uint32_t i = 0; i < a.count; i++) {
        CHECK(fabsf(a.vz[i]) > 0.1f);
        worst = fmax(worst, fabs((double)(a.vx[i] - b.vx[i])));
        worst = fmax(worst, fabs((double)(a.vz[i] - b.vz[i])));
    }
    test_note("velocities differ by %g", worst);
    CHECK(worst < 1e-5); /* of half a step, which is rounded */
    for (uint32_t k = 0; k < 2; k++) test_world_free(&made[k]);
}

/* A vorton that strays does not take the grid away from the other ones for good. */
static void bounds_beyond_the_grid_count_as_their_mean(void)
{
    tp_world_def def = definition(129, 4);
    def.vortex.grid_follows = 7;
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 0.75, 0, 1, (tp_vector){40, 0, 0});
    vortex_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 1});
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++)
        if (view.id[i] < 128) CHECK(view.vz[i] > 0.1f);
    test_world_free(&made);
}

static test_world flying_ring(void)
{
    tp_world_def def = definition(160, 2);
    def.vortex.grid_follows = 6;
    def.vortex.grid_closed = 0;
    def.vortex.viscosity = 0.01f;
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 0.5, 0, 3, (tp_vector){0, 0, 0});
    uint32_t state = 3;
    for (uint32_t k = 0; k < 32; k++) {
        float x = test_uniform(&state, -1, 1), y = test_uniform(&state, -1, 1);
        vortex_add(made.world, (tp_vector){x, y, test_uniform(&state, -3, 3)},
                   (tp_vector){0, 0, 0});
    }
    return made;
}

static uint64_t hash_after(uint32_t units, uint32_t lanes)
{
    return vortex_hash(flying_ring(), 4, units, lanes);
}

static void grids_that_follow_have_equal_bits_in_slices_and_lanes(void)
{
    static const uint32_t units[3] = {0, 70, 100000}, lanes[3] = {4, 8, 16};
    uint64_t hash = hash_after(0, 0);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t n = 0; n < 3; n++) CHECK_EQ(hash_after(units[k], lanes[n]), hash);
}

/* The grid is a function of the vortons: a cache has nothing of it. */
static void rewinding_finds_the_grid_again(void)
{
    test_world made = flying_ring();
    cache_check_resumes(made.world, 30);
    CHECK(height(made.world) > 0.25);
    test_world_free(&made);
}

/* ---- walls ---- */

/* Speeds of a ring before the wall z = 2 and of tracers: with a closed grid, or by sums with the
   mirror image. */
typedef struct wall_flow {
    double speed, growth;
    tp_vector u[200];
} wall_flow;

static void wall_velocities(bool is_closed, double z, wall_flow *flow)
{
    tp_world_def def = definition(456, 4);
    def.frames_per_second_numerator = 1000;
    def.vortex.core = 0.0525f; /* a ring on this grid is as fast */
    def.vortex.grid_closed = 1;
    if (!is_closed) def.vortex.grid_closed = 0;
    for (uint32_t axis = 0; axis < 3 && !is_closed; axis++) def.vortex.grid_nodes[axis] = 0;
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 0.7, z, 1, (tp_vector){0, 0, 0});
    uint32_t state = 9;
    for (uint32_t k = 0; k < 200; k++) {
        float x = test_uniform(&state, -0.3f, 0.3f), y = test_uniform(&state, -0.3f, 0.3f);
        vortex_add(made.world,
                   (tp_vector){x, y, k < 100 ? 1.99f : test_uniform(&state, 0.2f, 1.9f)},
                   (tp_vector){0, 0, 0});
    }
    if (!is_closed) add_ring(made.world, 128, 0.7, 4 - z, -1, (tp_vector){0, 0, 0});
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    flow->speed = flow->growth = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        uint32_t id = view.id[i];
        tp_vector u = {view.vx[i], view.vy[i], view.vz[i]};
        if (id >= 128 && id < 328) flow->u[id - 128] = u;
        if (id >= 128) continue;
        flow->speed += (double)u.z / 128;
        flow->growth += (double)(view.x[i] * u.x + view.y[i] * u.y) / 0.7 / 128;
    }
    test_world_free(&made);
}

static void no_air_flows_through_the_faces_of_a_closed_grid(void)
{
    static wall_flow found, expected;
    wall_velocities(true, 1.5, &found);
    wall_velocities(false, 1.5, &expected);
    double error = 0, all = 0, through = 0, along = 0;
    for (uint32_t k = 0; k < 200; k++) {
        tp_vector a = found.u[k], b = expected.u[k];
        error +=
            pow((double)(a.x - b.x), 2) + pow((double)(a.y - b.y), 2) + pow((double)(a.z - b.z), 2);
        all += (double)(b.x * b.x + b.y * b.y + b.z * b.z);
        if (k < 100) through = fmax(through, fabs((double)a.z));
        if (k < 100) along = fmax(along, hypot((double)a.x, (double)a.y));
    }
    error = sqrt(error / all);
    test_note("through %g, along %g; off by %g; growth %g and %g, speed %g and %g", through, along,
              error, found.growth, expected.growth, found.speed, expected.speed);
    CHECK(along > 0.1 && through < 0.08 * along); /* 0.01 before the wall */
    CHECK(error < 0.05);
    CHECK(found.growth > 0.02);
    CHECK_NEAR(found.growth, expected.growth, 0.05 * expected.growth);
    CHECK_NEAR(found.speed, expected.speed, 0.05 * expected.speed);
}

/* Speed of a ring of radius 1 in the middle of a box of 3.2 m; 0 nodes: in free air. */
static double speed_in_box(uint32_t nodes, uint32_t is_closed)
{
    tp_world_def def = definition(128, 3.2f);
    def.frames_per_second_numerator = 1000;
    def.vortex.core = 0.042f; /* on a grid a ring is as fast */
    def.vortex.grid_closed = is_closed;
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = nodes;
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, 0, 1, (tp_vector){0, 0, 0});
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    double speed = 0;
    for (uint32_t i = 0; i < view.count; i++) speed += (double)view.vz[i] / view.count;
    test_world_free(&made);
    return speed;
}

/* Velocity along z that a ring of radius 1 and circulation 1, a distance away, induces at a point
   of this one: the law of Biot and Savart. */
static double speed_from(const double away[3], double angle)
{
    double sum = 0;
    for (uint32_t k = 0; k < 24; k++) {
        double b = 2 * PI * k / 24, x = cos(angle) - cos(b) - away[0],
               y = sin(angle) - sin(b) - away[1], r2 = x * x + y * y + away[2] * away[2];
        sum -= (sin(b) * y + cos(b) * x) / (r2 * sqrt(r2)) * (2 * PI / 24);
    }
    return sum / (4 * PI);
}

/* Speed that mirror images in the faces of a box of this size give a ring in its middle: those in
   the faces across its axis turn the other way. The last ones count half, since they alternate. */
static double speed_of_images(double size)
{
    double sum = 0;
    for (int i = -8; i <= 8; i++)
        for (int j = -8; j <= 8; j++)
            for (int k = -8; k <= 8; k++) {
                double away[3] = {size * i, size * j, size * k}, weight = k & 1 ? -1 : 1;
                if (k == 8 || k == -8) weight *= 0.5;
                if (i || j || k)
                    sum += weight * (speed_from(away, 0.1) + speed_from(away, 0.1 + PI / 4)) / 2;
            }
    return sum;
}

/* Walls are mirror images, which hold a ring back; an open box is free air. */
static void closed_faces_slow_a_ring_and_open_ones_do_not(void)
{
    double images = speed_of_images(3.2);
    double open = speed_in_box(33, 0), closed = speed_in_box(33, 1), free_air = speed_in_box(0, 0);
    test_note("open %g, closed %g, in free air %g; images %g", open, closed, free_air, images);
    CHECK_NEAR(open, free_air, 0.05 * free_air);
    CHECK_NEAR(closed - open, images, 0.03 * fabs(images));
    CHECK(closed < 0.8 * open);
}

static void wrong_boxes_are_refused(void)
{
    tp_world_def def = definition(10, 4);
    def.vortex.grid_follows = 8;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_follows must be") != NULL);
    def.vortex.grid_follows = 1;
    def.vortex.grid_closed = 2;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_closed must be") != NULL);
    def.vortex.grid_closed = 1;
    CHECK(tp_world_check(&def) == NULL);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 0;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_follows needs") != NULL);
    def.vortex.grid_follows = 0;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_closed needs") != NULL);
}

static const test_case cases[] = {
    TEST_CASE(a_ring_takes_its_grid_along),
    TEST_CASE(grids_follow_by_whole_cells),
    TEST_CASE(bounds_beyond_the_grid_count_as_their_mean),
    TEST_CASE(grids_that_follow_have_equal_bits_in_slices_and_lanes),
    TEST_CASE(rewinding_finds_the_grid_again),
    TEST_CASE(no_air_flows_through_the_faces_of_a_closed_grid),
    TEST_CASE(closed_faces_slow_a_ring_and_open_ones_do_not),
    TEST_CASE(wrong_boxes_are_refused),
};
TEST_SUITE(vortex_box, cases);
