/* SPDX-License-Identifier: MIT
   tests/physics/test_walls.c - walls count as the continuation of a fluid: densities, forces, floor
           rows, all shapes, moving walls.
   reads   runtime/solve/sph/wall.c, runtime/move/wall.c      writes  nothing
   memory  worlds of up to 2000 particles      cost    some seconds
   after   own design; half a spacing in front of a wall the first row of a lattice has the density
           of the bulk. Without walls that count the floor row holds 187 particles instead of 100 */
#include "test.h"
#include "world_help.h"
#include "move/collide.h"
#include "sph_worlds.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- densities ---- */

static test_world lattice_make(uint32_t dimensions, float share, uint32_t *side)
{
    tp_world_def def = fluid_def(dimensions, dimensions == 2 ? 15 * 15 : 11 * 11 * 11);
    float spacing = share * def.sph.smoothing_radius;
    tp_collider floor;
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    def.sph.neighbours_max = 255;
    *side = dimensions == 2 ? 15 : 11;
    test_world made = test_world_make(&def);
    CHECK(tp_collider_add(made.world, &plane, &floor) == TP_OK);
    for (uint32_t i = 0; i < def.particles_max; i++) {
        float row = (float)(i / *side % *side) + 0.5f, layer = (float)(i / (*side * *side));
        tp_vector at = {spacing * (float)(i % *side), spacing * row, spacing * layer};
        fluid_add(made.world, at, (tp_vector){0, 0, 0}, 0);
    }
    return made;
}

/* Both sums include the particle's own term. */
static void check_lattice(uint32_t dimensions, float share)
{
    uint32_t side;
    test_world made = lattice_make(dimensions, share, &side);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 1000));
    uint32_t column = side / 2 + (dimensions == 3 ? side * side * (side / 2) : 0);
    double own = (double)tpi_sph_of(made.world)->norm, row[3];
    const uint32_t rows[3] = {0, 1, side / 2};
    for (uint32_t r = 0; r < 3; r++)
        row[r] = measured_whole(made.world, place_of(made.world, column + side * rows[r])) + own;
    test_note("%uD, spacing %.2f h: first row %.4f, second %.4f of the middle", dimensions,
              (double)share, row[0] / row[2], row[1] / row[2]);
    CHECK_NEAR(row[0], row[2], 0.02 * row[2]);
    CHECK_NEAR(row[1], row[2], 0.02 * row[2]);
    test_world_free(&made);
}

static void a_lattice_at_a_wall_has_the_density_of_its_middle(void)
{
    static const float shares[2][3] = {{0.3f, 0.3333f, 0.3878f}, {0.38f, 0.45f, 0.5f}};
    for (uint32_t d = 0; d < 2; d++)
        for (uint32_t k = 0; k < 3; k++) check_lattice(d + 2, shares[d][k]);
}

/* The first two rows of incompressible fluid on a wall, and one in the middle. In 2D the first is
   5 % denser than the middle, so it keeps 1.08 spacings to the second; in 3D all are as dense. */
static void the_incompressible_fluid_has_these_densities_at_a_wall(void)
{
    static const double dense[2][3] = {{1.036, 0.992, 0.984}, {1, 1, 1}};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        const uint32_t side = 11, rows[3] = {0, 1, 5},
                       column = 5 + (dimensions == 3 ? 5 * side * side : 0);
        tp_world_def def = fluid_def(dimensions, dimensions == 2 ? 121 : 1331);
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider floor;
        tp_sph_incompressible(&def, 0.1f);
        def.sph.neighbours_max = 64;
        test_world made = test_world_make(&def);
        CHECK(tp_collider_add(made.world, &plane, &floor) == TP_OK);
        for (uint32_t i = 0; i < def.particles_max; i++) {
            tp_vector at = {0.1f * (float)(i % side), 0.1f * ((float)(i / side % side) + 0.5f),
                            0.1f * (float)(i / (side * side))};
            fluid_add(made.world, at, (tp_vector){0, 0, 0}, 0);
        }
        CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
        for (uint32_t r = 0; r < 3; r++) {
            uint32_t place = place_of(made.world, column + side * rows[r]);
            double density = (double)tpi_sph_pressure_of(made.world)[place];
            test_note("%uD, row %u: %.4f", dimensions, rows[r], density);
            CHECK_NEAR(density, dense[dimensions - 2u][r], 0.006);
        }
        test_world_free(&made);
    }
}

/* The pressures that the pairs get are those of the whole densities, times their gain. */
static void the_pressure_stage_completes_densities(void)
{
    uint32_t side;
    test_world made = lattice_make(2, 0.3333f, &side);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 1000));
    uint32_t place = place_of(made.world, side / 2);
    double norm = (double)tpi_sph_of(made.world)->norm, h = (double)RADIUS;
    double raw = measured_density(made.world, place), whole = measured_whole(made.world, place);
    wall_sums sums = {.sum = {raw / norm, 0}};
    sums.point.y = tpi_back_x(made.world, 1)[place];
    wall_sums_find(made.world, &sums);
    CHECK(whole > 1.3 * raw && sums.gain[0] > 1.2);
    CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
    double dt = (double)made.world->step.timestep, unit = norm * 0.5 * dt * dt / h;
    CHECK_NEAR(tpi_sph_pressure_of(made.world)[place], 0.08 * (whole - 82) * unit * sums.gain[0],
               1e-3 * unit);
    CHECK(tpi_integers(made.world, made.world->arrays.force[1])[place] > 1000);
    test_world_free(&made);
}

/* The same for all particles of a block; some of them are near a collider. */
static void check_block(const tp_collider_def *collider)
{
    static wall_sums sums[225];
    tp_world_def def = fluid_def(2, 225);
    test_world made = test_world_make(&def);
    tp_collider added;
    uint32_t near = 0;
    CHECK(tp_collider_add(made.world, collider, &added) == TP_OK);
    fluid_block(made.world, (tp_vector){0.05f, 0.05f, 0}, 15, 15, 0.1f, 0);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 1000));
    double norm = (double)tpi_sph_of(made.world)->norm;
    for (uint32_t i = 0; i < 225; i++) {
        sums[i] = (wall_sums){.sum = {measured_density(made.world, i) / norm, 0}};
        sums[i].point = tpi_vector(tpi_back_x(made.world, 0)[i], tpi_back_x(made.world, 1)[i], 0);
        wall_sums_find(made.world, &sums[i]);
        near += sums[i].walls > 0;
    }
    CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
    double dt = (double)made.world->step.timestep, unit = norm * 0.5 * dt * dt / RADIUS;
    test_note("shape %d: %u particles near it", (int)collider->shape, near);
    for (uint32_t i = 0; i < 225; i++) {
        double whole = norm * wall_sums_whole(&sums[i], 0);
        CHECK_NEAR(tpi_sph_pressure_of(made.world)[i], 0.08 * (whole - 82) * unit * sums[i].gain[0],
                   1e-3 * unit);
    }
    CHECK(near > 10 && near < 200);
    test_world_free(&made);
}

/* Planes and rooms at rest are met by vectors, the others one by one. */
static void the_walls_of_all_shapes_complete_densities(void)
{
    const tp_quaternion tilt = {0.98f, 0, 0, 0.198997f};
    for (tp_collider_shape shape = TP_COLLIDER_PLANE; shape <= TP_COLLIDER_BOX; shape++) {
        tp_collider_def def = tp_collider_default(shape);
        def.pose.position = (tp_vector){0.75f, shape == TP_COLLIDER_PLANE ? 0 : -0.3f, 0};
        def.radius = 0.3f;
        def.half = (tp_vector){0.5f, 0.3f, 1};
        check_block(&def);
        def.pose.rotation = tilt;
        check_block(&def);
    }
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    room.is_hollow = true;
    room.pose.position = (tp_vector){0.75f, 0.75f, 0};
    room.half = (tp_vector){0.75f, 0.76f, 1};
    check_block(&room);
    room.pose.rotation = tilt;
    room.half = (tp_vector){1.1f, 1.1f, 1};
    check_block(&room);
}

/* Other species pass through the collider: it is no wall for them. */
static void a_collider_is_a_wall_for_its_species_only(void)
{
    for (uint32_t mask = 1; mask <= 2; mask++) {
        tp_world_def def = fluid_def(2, 64);
        test_world made = test_world_make(&def);
        tp_collider floor;
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        plane.species_mask = mask;
        CHECK(tp_collider_add(made.world, &plane, &floor) == TP_OK);
        fluid_block(made.world, (tp_vector){0.05f, 0.05f, 0}, 8, 8, 0.1f, 0);
        CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
        const int32_t *up = tpi_integers(made.world, made.world->arrays.force[1]);
        CHECK((up[place_of(made.world, 3)] > 1000) == (mask == 1));
        test_world_free(&made);
    }
}

static void the_published_program_has_no_walls_that_count(void)
{
    tp_world_def def = fluid_def(2, 225);
    def.sph.compat = true;
    test_world made = test_world_make(&def);
    tp_collider floor;
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    CHECK(tp_collider_add(made.world, &plane, &floor) == TP_OK);
    fluid_block(made.world, (tp_vector){0.05f, 0.05f, 0}, 15, 15, 0.1f, 0);
    CHECK(test_world_run_to(made.world, TP_STAGE_FORCE, 1000));
    CHECK_EQ(tpi_integers(made.world, made.world->arrays.force[1])[place_of(made.world, 7)], 0);
    test_world_free(&made);
}

/* ---- floor rows ---- */

static int compare_heights(const void *a, const void *b)
{
    float one = *(const float *)a, other = *(const float *)b;
    return (one > other) - (one < other);
}

/* A block at rest: of the particles sorted by height the first `row` are the floor row. */
static void check_floor(uint32_t dimensions, uint32_t columns, uint32_t rows, uint32_t seconds)
{
    static float y[2000];
    uint32_t layers = dimensions == 2 ? 1 : columns, row = columns * layers, state = 3;
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = row * rows;
    def.slice_units = 65536;
    test_world made = test_world_make(&def);
    float wide = 0.1f * (float)columns;
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){wide, 1000, wide});
    for (uint32_t i = 0; i < def.particles_max; i++) {
        float column = (float)(i % columns) + 0.1f * test_random(&state);
        float at = (float)(i / row), layer = (float)(i / columns % layers);
        tp_vector position = {0.1f * column + 0.051f, 0.1f * at + 0.051f, 0.1f * layer + 0.051f};
        position.x = fminf(position.x, wide - 0.051f);
        fluid_add(made.world, position, (tp_vector){0, 0, 0}, 0);
    }
    test_world_frames(made.world, 60 * seconds);
    tp_view view = tp_world_view(made.world);
    memcpy(y, view.y, view.count * sizeof y[0]);
    qsort(y, view.count, sizeof y[0], compare_heights);
    uint32_t first = 0, second = 0;
    while (y[first] < 0.09f) first++;
    while (y[first + second] < 0.18f) second++;
    test_note("%uD: %u in the floor row, %u in the second; %u expected", dimensions, first, second,
              row);
    CHECK(first <= second + second / 8 && second <= first + first / 8);
    if (dimensions == 2) CHECK_NEAR(first, row, 0.1 * row);
    CHECK(y[first] < 0.15f); /* no gap above the floor row */
    test_world_free(&made);
}

/* Particles of the lower two rows of a pool 20 wide, in two rows of its lattice, 0.1 m apart. */
static double shallow_rows(uint32_t layers, bool has_sides)
{
    const tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_world_def def = tp_world_default(2);
    tp_collider added;
    uint32_t state = 3, lower = 0;
    tp_sph_double_density(&def, 0.1f);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 20 * layers;
    def.periodic_axes = has_sides ? 0 : 1;
    def.box_size = (tp_vector){2, 0, 0};
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, 9.81f);
    if (has_sides)
        test_world_tank(made.world, (tp_vector){2, 1000, 0});
    else
        CHECK(tp_collider_add(made.world, &floor, &added) == TP_OK);
    for (uint32_t i = 0; i < def.particles_max; i++)
        fluid_add(made.world,
                  (tp_vector){0.1f * ((float)(i % 20) + 0.45f + 0.1f * test_random(&state)),
                              0.1f * ((float)(i / 20) + 0.5f), 0},
                  (tp_vector){0, 0, 0}, 0);
    test_world_frames(made.world, 480);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) lower += view.y[i] < 0.19f;
    test_note("%u layers, sides %d: %u in the lower rows", layers, has_sides, lower);
    test_world_free(&made);
    return lower / 40.0;
}

/* The load of its layers presses the double density together: below 12 of them rows are wider,
   and without side walls as wide. So the walls are not what widens them. */
static void rows_of_shallow_pools_are_as_wide_without_side_walls(void)
{
    CHECK_NEAR(shallow_rows(6, true), 0.9, 0.04);
    CHECK_NEAR(shallow_rows(6, false), 0.9, 0.04);
    CHECK_NEAR(shallow_rows(12, true), 0.98, 0.03);
    CHECK_NEAR(shallow_rows(12, false), 0.98, 0.03);
}

static void the_floor_row_holds_as_many_particles_as_the_lattice(void)
{
    check_floor(2, 100, 20, 8);
    check_floor(3, 10, 15, 8);
}

/* ---- forces ---- */

/* Potential of both pressures of a world of one species of mass 1, over dt^2, in the unit of the
   impulses: h times the sums of force integers. */
static double energy_at(const tp_world *world, float lift)
{
    tp_view view = tp_world_view(world);
    double h = RADIUS, norm = 10 / (3.14159265 * h * h), near_norm = 1.5 * norm, sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double s3 = 0, s4 = 0;
        for (uint32_t j = 0; j < view.count; j++) {
            double dx = (double)view.x[i] - (double)view.x[j];
            double a = 1 - hypot(dx, (double)view.y[i] - (double)view.y[j]) / h;
            if (i == j || a <= 0) continue;
            s3 += a * a * a;
            s4 += a * a * a * a;
        }
        wall_sums sums = {.point = {view.x[i], view.y[i] + lift, 0}, .sum = {s3, s4}};
        wall_sums_find(world, &sums);
        s3 = wall_sums_whole(&sums, 0);
        s4 = wall_sums_whole(&sums, 1);
        sum += h / 12 * 0.08 * (norm * s3 - 82) * (norm * s3 - 82);
        sum += h / 16 * 0.1 * near_norm * s4 * near_norm * s4;
    }
    return sum;
}

/* Lifting the fluid as a whole changes the energy of the walls alone. */
static void the_force_of_a_wall_is_the_gradient_of_its_energy(void)
{
    tp_world_def def = fluid_def(2, 100);
    test_world made = test_world_make(&def);
    tp_collider floor;
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    uint32_t state = 9;
    CHECK(tp_collider_add(made.world, &plane, &floor) == TP_OK);
    for (uint32_t i = 0; i < 100; i++)
        fluid_add(made.world,
                  (tp_vector){0.09f * (float)(i % 10) + 0.03f * test_random(&state),
                              0.09f * ((float)(i / 10) + 0.5f) + 0.03f * test_random(&state), 0},
                  (tp_vector){0, 0, 0}, 0);
    double expected = (energy_at(made.world, -0.001f) - energy_at(made.world, 0.001f)) / 0.002;
    CHECK(test_world_run_to(made.world, TP_STAGE_COLLIDE, 700));
    double dt = (double)made.world->step.timestep, force = 0;
    for (uint32_t i = 0; i < 100; i++)
        force += (double)tpi_integers(made.world, made.world->arrays.force[1])[i] / 8388608.0;
    force *= RADIUS / (dt * dt);
    test_note("force %.2f N, gradient %.2f N", force, expected);
    CHECK(expected > 50);
    CHECK_NEAR(force, expected, 0.02 * expected);
    test_world_free(&made);
}

/* ---- shapes ---- */

/* The nearest side of the first collider, and how many of its sides are within 0.5 m. */
static tpi_wall nearest_wall(const tp_world *world, tp_vector at, uint32_t *count)
{
    const tpi_collider_item *item = tpi_collider_at(world, 0);
    tpi_wall nearest = {.distance = 9};
    tpi_wall walls[6];
    uint32_t sides = walls_at(world, item, at, walls);
    *count = 0;
    for (uint32_t k = 0; k < sides; k++) {
        if (fabsf(walls[k].distance) < 0.5f) (*count)++;
        if (walls[k].distance < nearest.distance) nearest = walls[k];
    }
    return nearest;
}

/* A point `distance` above the top of a shape whose top is at the origin. */
static void check_shape(const tp_collider_def *def, uint32_t walls)
{
    tp_world_def world_def = fluid_def(3, 8);
    uint32_t count;
    tp_collider added;
    world_def.geometry_bytes_max = 4096;
    world_def.sph.smoothing_radius = 0.5f;
    test_world made = test_world_make(&world_def);
    CHECK(tp_collider_add(made.world, def, &added) == TP_OK);
    test_note("shape %d", (int)def->shape);
    for (float distance = def->shape == TP_COLLIDER_MESH ? -0.1f : -0.3f; distance < 0.45f;
         distance += 0.05f) {
        tpi_wall wall = nearest_wall(made.world, (tp_vector){0, distance, 0}, &count);
        CHECK_EQ(count, walls);
        if (!walls) continue;
        /* two curved directions of 2 m: see wall_round */
        bool is_round = def->shape == TP_COLLIDER_SPHERE || def->shape == TP_COLLIDER_CAPSULE;
        CHECK_NEAR(wall.distance, distance + (is_round ? 0.00825f : 0.0f), 1e-3);
        CHECK_NEAR(wall.normal.y, 1.0, 1e-5);
    }
    (void)nearest_wall(made.world, (tp_vector){0, 0.6f, 0}, &count);
    CHECK_EQ(count, 0);
    (void)nearest_wall(made.world, (tp_vector){0, -0.6f, 0}, &count);
    CHECK_EQ(count, 0);
    test_world_free(&made);
}

/* The share of the kernel (1 - q)^3 around a point inside a box or a ball, by integration. */
static double share_inside(const tp_collider_def *def, uint32_t dimensions, tp_vector at, double h)
{
    const int cells = dimensions == 2 ? 160 : 40;
    double inside = 0, all = 0, cell = 2 * h / cells;
    for (int i = 0; i < cells * cells * (dimensions == 2 ? 1 : cells); i++) {
        double x = (i % cells + 0.5) * cell - h, y = (i / cells % cells + 0.5) * cell - h,
               z = dimensions == 2 ? 0 : (i / cells / cells + 0.5) * cell - h,
               q = sqrt(x * x + y * y + z * z) / h, weight = q < 1 ? pow(1 - q, 3) : 0;
        x += (double)at.x, y += (double)at.y, z += (double)at.z;
        bool is_inside = def->shape == TP_COLLIDER_SPHERE
                             ? x * x + y * y + z * z < (double)(def->radius * def->radius)
                             : fabs(x) < (double)def->half.x && fabs(y) < (double)def->half.y &&
                                   fabs(z) < (double)def->half.z;
        all += weight;
        inside += is_inside ? weight : 0;
    }
    return inside / all;
}

/* Beside edges, corners and round surfaces the plane of the wall covers as much as the solid. The
   tangent plane covers up to a quarter more. */
static void edges_and_round_surfaces_cover_less_than_planes(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t dimensions = 2 + k % 2, state = 7, found = 0, count;
        const float h = 0.5f;
        tp_world_def world_def = fluid_def(dimensions, 8);
        world_def.sph.smoothing_radius = h;
        tp_collider_def def = tp_collider_default(k < 2 ? TP_COLLIDER_BOX : TP_COLLIDER_SPHERE);
        def.half = (tp_vector){0.6f, 0.4f, 0.5f};
        test_world made = test_world_make(&world_def);
        tp_collider added;
        CHECK(tp_collider_add(made.world, &def, &added) == TP_OK);
        const float *rows = tpi_sph_wall_rows(dimensions, 0);
        double worst = 0, tangent = 0;
        while (found < 40) {
            tp_vector at = test_random_position(&state, 1.0f), normal;
            if (dimensions == 2) at.z = 0;
            tp_vector half = k < 2 ? def.half : (tp_vector){0, 0, 0};
            float plain = tpi_box_distance(at, half, k < 2 ? 0 : def.radius, &normal);
            if (dimensions == 2 && k < 2)
                plain = tpi_box_distance(at, (tp_vector){0.6f, 0.4f, 9}, 0, &normal);
            if (plain < 0.1f * h || plain > 0.9f * h) continue;
            float row = fminf(nearest_wall(made.world, at, &count).distance / h, 1) * 32,
                  other = plain / h * 32;
            double share = share_inside(&def, dimensions, at, (double)h);
            worst = fmax(worst, fabs((double)rows[(uint32_t)(row + 0.5f)] - share));
            tangent = fmax(tangent, fabs((double)rows[(uint32_t)(other + 0.5f)] - share));
            found++;
        }
        test_note("shape %d, %uD: shares differ by %.3f, of tangent planes by %.3f", (int)def.shape,
                  dimensions, worst, tangent);
        CHECK(worst < 0.04);
        CHECK(tangent > 1.3 * worst);
        test_world_free(&made);
    }
}

static void every_shape_is_a_wall(void)
{
    static const tp_vector square[4] = {{0, 0, 0}, {6, 0, 0}, {0, 0, 6}, {6, 0, 6}};
    static const uint32_t halves[6] = {0, 2, 1, 1, 2, 3};
    float heights[16] = {0}, samples[4 * 4 * 4];
    for (uint32_t i = 0; i < 64; i++) samples[i] = 2.0f * (float)(i / 4 % 4) - 3.0f;
    for (tp_collider_shape shape = TP_COLLIDER_PLANE; shape <= TP_COLLIDER_GRID; shape++) {
        tp_collider_def def = tp_collider_default(shape);
        def.radius = 2;
        def.half = (tp_vector){3, 2, 3};
        if (shape == TP_COLLIDER_SPHERE || shape == TP_COLLIDER_BOX) def.pose.position.y = -2;
        if (shape == TP_COLLIDER_CAPSULE) def.pose.position.y = -4;
        if (shape == TP_COLLIDER_MESH) def.pose.position = (tp_vector){-3, 0, -3};
        def.vertices = square;
        def.vertex_count = 4;
        def.indices = halves;
        def.triangle_count = 2;
        def.samples = shape == TP_COLLIDER_GRID ? samples : heights;
        def.columns = def.rows = def.layers = 4;
        if (shape == TP_COLLIDER_HEIGHTFIELD) def.layers = 1;
        def.spacing = 2;
        if (shape >= TP_COLLIDER_HEIGHTFIELD) def.pose.position = (tp_vector){-3, 0, -3};
        if (shape == TP_COLLIDER_GRID) def.pose.position.y = -3;
        check_shape(&def, 1);
        def.kills = true;
        check_shape(&def, 0);
    }
}

/* In a corner of a hollow box three sides count. A moving one counts where the step ends. */
static void sides_of_a_hollow_box_count_and_move(void)
{
    tp_world_def world_def = fluid_def(3, 8);
    test_world made = test_world_make(&world_def);
    tp_collider room;
    tp_collider_def def = tp_collider_default(TP_COLLIDER_BOX);
    uint32_t count;
    def.is_hollow = true;
    def.half = (tp_vector){2, 2, 2};
    CHECK(tp_collider_add(made.world, &def, &room) == TP_OK);
    (void)nearest_wall(made.world, (tp_vector){1.9f, -1.8f, 1.7f}, &count);
    CHECK_EQ(count, 3);
    CHECK_NEAR(nearest_wall(made.world, (tp_vector){0, -1.8f, 0}, &count).distance, 0.2, 1e-5);
    def.pose.position.y = 0.1f;
    CHECK(tp_collider_move(made.world, room, def.pose) == TP_OK);
    fluid_add(made.world, (tp_vector){0, -1.7f, 0}, (tp_vector){0, 0, 0}, 0);
    CHECK(test_world_run_to(made.world, TP_STAGE_PRESSURE, 700));
    CHECK_NEAR(nearest_wall(made.world, (tp_vector){0, -1.8f, 0}, &count).distance, 0.1, 1e-4);
    test_world_free(&made);
}

/* ---- work ---- */

/* Units of the pressure stage for 8 x 8 particles; the lowest are at a height of `bottom`. */
static uint64_t units_above(uint32_t floors, float bottom)
{
    tp_world_def def = fluid_def(2, 64);
    test_world made = test_world_make(&def);
    tp_collider floor;
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    for (uint32_t k = 0; k < floors; k++)
        CHECK(tp_collider_add(made.world, &plane, &floor) == TP_OK);
    fluid_block(made.world, (tp_vector){0.05f, bottom, 0}, 8, 8, 0.1f, 0);
    test_world_frames(made.world, 1);
    uint64_t units = tp_world_report(made.world).stage_units[TP_STAGE_PRESSURE];
    test_world_free(&made);
    return units;
}

/* Three rows of eight particles are within the support radius of the floor. */
static void walls_cost_units_of_the_pressure_stage(void)
{
    CHECK_EQ(units_above(0, 5.0f), 64);
    CHECK_EQ(units_above(1, 5.0f), 64 * 2);
    CHECK_EQ(units_above(5, 5.0f), 64 * 3);
    CHECK_EQ(units_above(1, 0.05f), 64 * 2 + 24 * 4);
}

static const test_case cases[] = {TEST_CASE(a_lattice_at_a_wall_has_the_density_of_its_middle),
                                  TEST_CASE(the_incompressible_fluid_has_these_densities_at_a_wall),
                                  TEST_CASE(the_pressure_stage_completes_densities),
                                  TEST_CASE(the_walls_of_all_shapes_complete_densities),
                                  TEST_CASE(a_collider_is_a_wall_for_its_species_only),
                                  TEST_CASE(the_published_program_has_no_walls_that_count),
                                  TEST_CASE(the_floor_row_holds_as_many_particles_as_the_lattice),
                                  TEST_CASE(rows_of_shallow_pools_are_as_wide_without_side_walls),
                                  TEST_CASE(the_force_of_a_wall_is_the_gradient_of_its_energy),
                                  TEST_CASE(every_shape_is_a_wall),
                                  TEST_CASE(edges_and_round_surfaces_cover_less_than_planes),
                                  TEST_CASE(sides_of_a_hollow_box_count_and_move),
                                  TEST_CASE(walls_cost_units_of_the_pressure_stage)};
TEST_SUITE(walls, cases);
