/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_gates.c - vortons against theory: cores, rings, straight vortices in
           two dimensions, viscosity, and the faces of a grid.
   reads   runtime/solve/vortex      writes  nothing
   memory  blocks of worlds          cost    ten seconds
   after   Saffman, "Vortex Dynamics" (1992), sections 10.2 and 13.1 for rings with a Gaussian core
           and the vortex of Lamb and Oseen; Kirchhoff 1876 for point vortices; Overman and Zabusky,
           "Evolution and merger of isolated vortex structures", Physics of Fluids 25 (1982): two
           equal patches of radius R merge below a distance of 3.4 R */
#include "vortex_worlds.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static tp_world_def definition(uint32_t dimensions, uint32_t particles, float core)
{
    tp_world_def def = vortex_def(dimensions, particles);
    def.vortex.core = core;
    return def;
}

/* Straight vortex along z: its strength is a circulation. */
static void add_flat(tp_world *world, double x, double y, double circulation)
{
    vortex_add(world, (tp_vector){(float)x, (float)y, 0}, (tp_vector){0, 0, (float)circulation});
}

/* A ring around the z axis. */
static void add_ring(tp_world *world, uint32_t count, double radius, double z, double circulation)
{
    for (uint32_t k = 0; k < count; k++) {
        double angle = 2 * PI * k / count, length = circulation * 2 * PI * radius / count;
        vortex_add(
            world,
            (tp_vector){(float)(radius * cos(angle)), (float)(radius * sin(angle)), (float)z},
            (tp_vector){(float)(-length * sin(angle)), (float)(length * cos(angle)), 0});
    }
}

/* ---- the kernels ---- */

static void potential_at(const float *rows, uint32_t count, const double at[3], double to[3])
{
    tpi_lanes x[3], sum[3];
    for (uint32_t c = 0; c < 3; c++) {
        x[c] = tpi_lanes_of((float)at[c]);
        sum[c] = tpi_lanes_of(0.0f);
    }
    vortex_potential_of(rows, 0, count, 0.09f, x, sum);
    for (uint32_t c = 0; c < 3; c++) to[c] = (double)TPI_LANE(sum[c], 0);
}

/* Central differences of fourth order: rounding leaves 1e-5. */
static double slope(const float *rows, const double at[3], uint32_t axis, uint32_t c)
{
    const double h = 0.015625;
    double sum = 0, value[3], place[3] = {at[0], at[1], at[2]};
    for (int k = -2; k <= 2; k++) {
        static const double weight[5] = {1, -8, 0, 8, -1};
        place[axis] = at[axis] + k * h;
        potential_at(rows, 12, place, value);
        sum += weight[k + 2] * value[c];
    }
    return sum / (12 * h);
}

static void the_curl_of_the_potential_is_the_velocity(void)
{
    float rows[12u * TPI_VORTEX_ROW] = {0};
    uint32_t state = 4;
    double worst = 0, largest = 0;
    for (uint32_t k = 0; k < 12; k++)
        for (uint32_t c = 0; c < 6; c++) rows[k * TPI_VORTEX_ROW + c] = test_uniform(&state, -1, 1);
    for (uint32_t n = 0; n < 50; n++) {
        double at[3], curl;
        tpi_lanes x[3], sum[3];
        for (uint32_t c = 0; c < 3; c++) {
            at[c] = (double)test_uniform(&state, -2, 2);
            x[c] = tpi_lanes_of((float)at[c]);
            sum[c] = tpi_lanes_of(0.0f);
        }
        vortex_induce(rows, 0, 12, 0.09f, x, sum);
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t m = (c + 1) % 3, k = (c + 2) % 3;
            curl = slope(rows, at, m, k) - slope(rows, at, k, m);
            largest = fmax(largest, fabs(curl));
            worst = fmax(worst, fabs(curl - (double)TPI_LANE(sum[c], 0)));
        }
    }
    test_note("%g of %g", worst, largest);
    CHECK(largest > 3 && worst < 1e-4 * largest);
}

/* ---- rings ---- */

/* Nested rings whose circulations are a Gaussian over the cross-section. */
static void add_thick_ring(tp_world *world, double size, double apart, uint32_t around)
{
    double all = 0;
    for (uint32_t turn = 0; turn < 2; turn++)
        for (int i = -3; i <= 3; i++)
            for (int j = -3; j <= 3; j++) {
                double x = i * apart, z = j * apart, square = x * x + z * z;
                if (square > 10 * apart * apart) continue;
                double part = exp(-square / (size * size));
                if (turn == 0)
                    all += part;
                else
                    add_ring(world, around, 1 + x, z, part / all);
            }
}

/* The place of a ring is the mean of z over its impulse, to which each vorton adds half of r times
   its strength; where r grows, so does the strength, as r. */
static double speed_of_impulse(const tp_world *world, double z)
{
    tp_view view = tp_world_view(world);
    double sum = 0, all = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double x = (double)view.x[i], y = (double)view.y[i], square = x * x + y * y;
        double impulse = x * (double)view.strength_y[i] - y * (double)view.strength_x[i];
        double growth = 2 * (x * (double)view.vx[i] + y * (double)view.vy[i]) / square;
        sum += impulse * ((double)view.vz[i] + growth * ((double)view.z[i] - z));
        all += impulse;
    }
    return sum / all;
}

/* a: radius at which the vorticity is 1/e. The vortons' own cores add to it. */
static void thick_rings_have_the_speed_of_a_gaussian_core(void)
{
    const double size = 0.1, expected = (log(8 / size) - 0.558) / (4 * PI);
    tp_world_def def = definition(3, 4096, 0.05f);
    def.frames_per_second_numerator = 1000;
    test_world made = test_world_make(&def);
    add_thick_ring(made.world, sqrt(size * size - 0.0778 * 0.0778), 0.06, 110);
    test_world_frames(made.world, 1);
    double speed = speed_of_impulse(made.world, 0);
    test_note("%u vortons: %g of %g", (unsigned)tp_world_view(made.world).count, speed, expected);
    CHECK_NEAR(speed, expected, 0.05 * expected);
    test_world_free(&made);
}

/* Difference of the mean places of two halves of the particles, in the order of ids. */
static tp_vector apart_of(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < view.count; i++) {
        double share = view.id[i] < view.count / 2 ? 2.0 / view.count : -2.0 / view.count;
        sum[0] += share * (double)view.x[i];
        sum[1] += share * (double)view.y[i];
        if (view.z) sum[2] += share * (double)view.z[i];
    }
    return (tp_vector){(float)sum[0], (float)sum[1], (float)sum[2]};
}

static void leapfrogging_rings_pass_at_a_constant_period(void)
{
    double passes[4] = {0, 0, 0, 0}, before = -0.5, time = 0;
    uint32_t count = 0;
    tp_world_def def = definition(3, 256, 0.1f);
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, 0, 1);
    add_ring(made.world, 128, 1, .5, 1);
    for (; count < 4 && time < 15; time += 1 / 60.0) {
        test_world_frames(made.world, 1);
        double gap = (double)apart_of(made.world).z;
        if ((gap < 0) != (before < 0)) passes[count++] = time + before / (before - gap) / 60.0;
        before = gap;
    }
    double period = passes[1] - passes[0];
    test_note("passes at %g %g %g %g", passes[0], passes[1], passes[2], passes[3]);
    CHECK_EQ(count, 4);
    CHECK_NEAR(passes[0], 1.113, 0.02 * 1.113);
    CHECK_NEAR(period, 2 * passes[0], 0.02 * period);
    CHECK_NEAR(passes[2] - passes[1], period, 0.02 * period);
    CHECK_NEAR(passes[3] - passes[2], period, 0.02 * period);
    test_world_free(&made);
}

/* ---- two dimensions ---- */

/* Vortices of circulation 1 at the corners of a regular polygon turn about its centre; after a
   whole turn they are where they were. */
static void turns_of(uint32_t count)
{
    double rate = (count - 1) / (4 * PI), seconds = 2 * PI / rate, worst = 0;
    tp_world_def def = definition(2, count, 0.001f);
    test_world made = test_world_make(&def);
    for (uint32_t k = 0; k < count; k++)
        add_flat(made.world, cos(2 * PI * k / count), sin(2 * PI * k / count), 1);
    uint32_t frames = (uint32_t)(seconds * 60);
    test_world_frames(made.world, frames);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < count; i++) {
        double angle = 2 * PI * view.id[i] / count + rate * frames / 60.0;
        worst = fmax(worst, hypot((double)view.x[i] - cos(angle), (double)view.y[i] - sin(angle)));
        CHECK(view.z == NULL && view.strength_z[i] == 1.0f);
    }
    test_note("%u vortices, %u frames: off by %g", (unsigned)count, (unsigned)frames, worst);
    CHECK(worst < 2e-3);
    test_world_free(&made);
}

static void point_vortices_turn_about_their_centre(void)
{
    for (uint32_t count = 2; count <= 6; count++) turns_of(count);
}

/* Opposite vortices move straight on, and carry a tracer in their midst. */
static void a_pair_of_opposite_vortices_moves_straight_on(void)
{
    const double speed = 1 / (2 * PI * (0.25 + 0.01) / 0.5);
    tp_world_def def = definition(2, 3, 0.1f);
    test_world made = test_world_make(&def);
    add_flat(made.world, -0.25, 0, -1);
    add_flat(made.world, 0.25, 0, 1);
    add_flat(made.world, 0, 0, 0);
    test_world_frames(made.world, 60);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_NEAR(view.y[i], -speed, 1e-4 * speed);
        CHECK_NEAR(view.x[i], i ? 0.25 : -0.25, 1e-5);
    }
    CHECK_NEAR(view.x[2], 0, 1e-5);
    CHECK(view.y[2] < -1.5f * (float)speed);
    test_world_free(&made);
}

/* Two patches of radius 0.5 in a lattice; returns how much nearer their mean places came. */
static double patches_after(double distance, uint32_t frames)
{
    tp_world_def def = definition(2, 1000, 0.08f);
    test_world made = test_world_make(&def);
    uint32_t count = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int i = -10; i <= 10; i++)
            for (int j = -10; j <= 10; j++) {
                double x = i * 0.06, y = j * 0.06;
                if (x * x + y * y > 0.25) continue;
                add_flat(made.world, x + 0.5 * side * distance, y, 0.06 * 0.06 / (PI * 0.25));
                count++;
            }
    CHECK(count < 1000);
    test_world_frames(made.world, frames);
    tp_vector apart = apart_of(made.world);
    test_world_free(&made);
    return hypot((double)apart.x, (double)apart.y) / distance;
}

/* A patch turns about itself in 9.9 s. */
static void near_patches_merge_and_far_ones_do_not(void)
{
    double near = patches_after(0.5 * 2.8, 1200), far = patches_after(0.5 * 4.2, 1200);
    test_note("distances after 20 s: %g and %g of the first", near, far);
    CHECK(near < 0.5);
    CHECK(far > 0.9 && far < 1.1);
}

/* Angular velocities at a distance from a spreading vortex: mean of tracers on a circle. */
static double speed_on_circle(const tp_world *world, uint32_t first, uint32_t count)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.id[i] < first || view.id[i] >= first + count) continue;
        double x = (double)view.x[i], y = (double)view.y[i];
        sum += (x * (double)view.vy[i] - y * (double)view.vx[i]) / hypot(x, y) / count;
    }
    return sum;
}

static double lamb_oseen(double r, double time)
{
    double square = 0.0625 + 4 * 0.01 * time;
    return (1 - exp(-r * r / square)) / (2 * PI * r);
}

/* Circulation 1, core 0.25, viscosity 0.01; `circles` of tracers. */
#define LAMB_CORE  0.085
#define LAMB_APART 0.05

/* A blob spreads by the cores of its vortons, too: so it starts narrower. */
static void lamb_oseen_vortex(tp_world *world, const double *circles, uint32_t circle_count,
                              double reach)
{
    const double blob = 0.0625 - 2.4 * LAMB_CORE * LAMB_CORE;
    for (uint32_t c = 0; c < circle_count; c++)
        for (uint32_t k = 0; k < 16; k++)
            add_flat(world, circles[c] * cos(k * PI / 8), circles[c] * sin(k * PI / 8), 0);
    for (int i = -40; i <= 40; i++)
        for (int j = -40; j <= 40; j++) {
            double x = i * LAMB_APART, y = j * LAMB_APART, square = x * x + y * y;
            if (square > reach * reach) continue;
            add_flat(world, x, y,
                     LAMB_APART * LAMB_APART / (PI * blob) * exp(-square / blob) + 1e-9);
        }
}

/* Peaks are at 1.1209 cores. Vortons are 1.7 spacings wide (2.4 by the length of their exchange),
   and reach beyond where it spreads: after 10 s to 1.7 m. */
static void a_vortex_spreads_as_lamb_and_oseen_say(void)
{
    static const double circles[6] = {.2802, .3589, .4231, .5, .5743, .8};
    static const uint32_t seconds[5] = {0, 1, 2, 5, 10};
    const bool is_long = test_is_long();
    tp_world_def def = definition(2, 4000, (float)LAMB_CORE);
    uint32_t frames = 0;
    def.frames_per_second_numerator = 60;
    def.vortex.viscosity = 0.01f;
    def.vortex.volume = (float)(LAMB_APART * LAMB_APART);
    test_world made = test_world_make(&def);
    lamb_oseen_vortex(made.world, circles, 6, is_long ? 1.7 : 1.1);
    for (uint32_t t = 0; t < (is_long ? 5u : 3u); t++) {
        for (; frames < 60 * seconds[t]; frames++) test_world_frames(made.world, 1);
        for (uint32_t c = 0; c < 6; c++) {
            double found = speed_on_circle(made.world, 16 * c, 16),
                   expected = lamb_oseen(circles[c], seconds[t]);
            test_note("%u s, %g m: %g of %g, %+.1f %%", (unsigned)seconds[t], circles[c], found,
                      expected, 100 * (found / expected - 1));
            if (t) CHECK_NEAR(found, expected, 0.03 * expected);
        }
    }
    test_world_free(&made);
}

static uint64_t flat_hash(uint32_t units, uint32_t lanes)
{
    tp_world_def def = definition(2, 150, 0.1f);
    def.vortex.viscosity = 0.02f;
    test_world made = test_world_make(&def);
    uint32_t state = 3;
    for (uint32_t k = 0; k < 150; k++) {
        float x = test_uniform(&state, -1, 1), y = test_uniform(&state, -1, 1);
        vortex_add(made.world, (tp_vector){x, y, 0},
                   (tp_vector){0, 0, k % 3u ? test_uniform(&state, -1, 1) : 0});
    }
    return vortex_hash(made, 3, units, lanes);
}

static void flat_vortices_have_equal_bits_in_slices_and_lanes(void)
{
    static const uint32_t units[4] = {0, 70, 2049, 100000}, lanes[3] = {4, 8, 16};
    uint64_t hash = flat_hash(0, 0);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t n = 0; n < 3; n++) CHECK_EQ(flat_hash(units[k], lanes[n]), hash);
}

static void flat_worlds_refuse_grids_and_inclined_strengths(void)
{
    tp_world_def def = definition(2, 3, 0.1f);
    test_world made = test_world_make(&def);
    CHECK_EQ(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL),
             TP_OK);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){1, 0, 1}), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, -1, 0}), TP_ERROR_DEFINITION);
    CHECK_EQ(tp_particle_strength(made.world, 0, (tp_vector){0, 0, 1}), TP_OK);
    test_world_free(&made);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 9;
    CHECK(strstr(tp_world_check(&def), "vortex.grid_nodes must be 0 in two") != NULL);
}

/* ---- the grid ---- */

static double speed_in_box(float size, double z)
{
    tp_world_def def = definition(3, 128, 0.1f);
    def.frames_per_second_numerator = 1000;
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = size > 4 ? 65 : 33;
    def.vortex.grid_spacing = 0.1f;
    def.vortex.grid_low = (tp_vector){-0.5f * size, -0.5f * size, -0.5f * size};
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, z, 1);
    test_world_frames(made.world, 1);
    double speed = speed_of_impulse(made.world, z);
    test_world_free(&made);
    return speed;
}

/* A potential of 0 there slows a ring in a narrow box, most of all near a face. */
static void r_23_the_faces_of_a_grid_are_those_of_free_space(void)
{
    double wide = speed_in_box(6.4f, 0), narrow = speed_in_box(3.2f, 0),
           aside = speed_in_box(3.2f, 1.2);
    test_note("speeds: %g in a wide box, %g in a narrow one, %g near its face", wide, narrow,
              aside);
    CHECK_NEAR(narrow, wide, 0.005 * wide);
    CHECK_NEAR(aside, wide, 0.02 * wide);
}

/* A node of a face against sums in double precision over all nodes: adds the squared error and the
   squared potential. */
static void add_error(const tp_world *world, const uint32_t at[3], double sums[2])
{
    const uint32_t *n = world->def.vortex.grid_nodes, stride = tpi_dense_floats(n);
    const float *source = tpi_floats(world, world->arrays.own[TPI_VORTEX_SOURCE]),
                *potential = tpi_floats(world, world->arrays.own[TPI_VORTEX_POTENTIAL]);
    const double h = (double)world->def.vortex.grid_spacing, core = (double)world->def.vortex.core;
    double expected[3] = {0, 0, 0};
    for (uint32_t k = 0; k < n[2]; k++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t i = 0; i < n[0]; i++) {
                double x = ((double)at[0] - i) * h, y = ((double)at[1] - j) * h,
                       z = ((double)at[2] - k) * h;
                double weight = h * h * h / (4 * PI * sqrt(x * x + y * y + z * z + core * core));
                const float *node = source + tpi_dense_place(n, i, j, k);
                for (uint32_t c = 0; c < 3; c++) expected[c] -= (double)node[c * stride] * weight;
            }
    for (uint32_t c = 0; c < 3; c++) {
        double found = (double)potential[c * stride + tpi_dense_place(n, at[0], at[1], at[2])];
        sums[0] += (found - expected[c]) * (found - expected[c]);
        sums[1] += expected[c] * expected[c];
    }
}

/* Weak vortons of all directions, which hardly move, fill a long grid: near cells of the tree are
   opened, down to nodes. */
static void faces_by_the_tree_are_those_of_all_nodes(void)
{
    tp_world_def def = definition(3, 1000, 0.1f);
    const uint32_t nodes[3] = {33, 9, 17};
    memcpy(def.vortex.grid_nodes, nodes, sizeof nodes);
    def.vortex.grid_spacing = 0.25f;
    def.vortex.grid_low = (tp_vector){-4, -1, -2};
    test_world made = test_world_make(&def);
    uint32_t state = 3;
    for (uint32_t n = 0; n < 1000; n++) {
        float x[3], a[3];
        for (uint32_t c = 0; c < 3; c++) {
            float half = 0.125f * (float)(nodes[c] - 3u);
            x[c] = test_uniform(&state, -half, half);
            a[c] = test_uniform(&state, -1e-6f, 1e-6f);
        }
        vortex_add(made.world, (tp_vector){x[0], x[1], x[2]}, (tp_vector){a[0], a[1], a[2]});
    }
    test_world_frames(made.world, 1);
    double sums[2] = {0, 0};
    for (uint32_t k = 0; k < 17; k++)
        for (uint32_t j = k % 3u; j < 9; j += 3)
            for (uint32_t i = 0; i < 33; i++)
                if (i % 32u == 0 || j % 8u == 0 || k % 16u == 0)
                    add_error(made.world, (uint32_t[3]){i, j, k}, sums);
    double error = sqrt(sums[0] / sums[1]);
    test_note("error %g", error);
    CHECK(error < 0.012 && error > 1e-5);
    test_world_free(&made);
}

/* Units of a step's FORCE whose 4 096 vortons lie at random in the largest grid: within
   `depth` cells of its faces that act, or anywhere. */
static uint32_t units_of_crowd(uint32_t depth)
{
    tp_world_def def = definition(3, 4096, 0.1f);
    vortex_grid(&def, 65, 6.4f);
    test_world made = test_world_make(&def);
    uint32_t state = 5;
    for (uint32_t n = 0; n < 4096; n++) {
        float x[3];
        for (uint32_t c = 0; c < 3; c++) x[c] = test_uniform(&state, -3.09f, 3.09f);
        float side = x[n % 3u] < 0 ? -1.0f : 1.0f;
        if (depth) x[n % 3u] = side * (3.09f - 0.1f * (float)depth * test_uniform(&state, 0, 1));
        vortex_add(made.world, (tp_vector){x[0], x[1], x[2]}, (tp_vector){1e-6f, 0, 1e-6f});
    }
    return vortex_units(made, 1u << 20, 65u * 65u * 16u);
}

/* The bound of all nodes with all nodes is 7e9. */
static void random_crowds_take_15_million_units_for_the_tree(void)
{
    const uint32_t depths[3] = {0, 1, 4};
    for (uint32_t k = 0; k < (test_is_long() ? 3u : 1u); k++) {
        uint32_t units = units_of_crowd(depths[k]), grid = 64u * 65u * 65u * 65u;
        CHECK(units > grid && units < grid + 15000000u);
    }
}

/* The gradient of the interpolated velocity turns and stretches strengths: errors of a cell. */
static void a_grid_keeps_strengths_and_impulse(void)
{
    tp_world_def def = definition(3, 256, 0.1f);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 33;
    def.vortex.grid_spacing = 0.125f;
    def.vortex.grid_low = (tp_vector){-2, -2, -2};
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, -0.5, 1);
    add_ring(made.world, 128, 1.2, 0.1, 1);
    double before[6], after[6];
    vortex_sums(made.world, before);
    test_world_frames(made.world, 100);
    vortex_sums(made.world, after);
    for (uint32_t k = 0; k < 6; k++) {
        test_note("%u: %g, %g before", (unsigned)k, after[k], before[k]);
        CHECK_NEAR(after[k], before[k], (k < 3 ? 1e-4 : 6e-3) * before[5]);
    }
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(the_curl_of_the_potential_is_the_velocity),
    TEST_CASE(thick_rings_have_the_speed_of_a_gaussian_core),
    TEST_CASE(leapfrogging_rings_pass_at_a_constant_period),
    TEST_CASE(point_vortices_turn_about_their_centre),
    TEST_CASE(a_pair_of_opposite_vortices_moves_straight_on),
    TEST_CASE(near_patches_merge_and_far_ones_do_not),
    TEST_CASE(a_vortex_spreads_as_lamb_and_oseen_say),
    TEST_CASE(flat_vortices_have_equal_bits_in_slices_and_lanes),
    TEST_CASE(flat_worlds_refuse_grids_and_inclined_strengths),
    TEST_CASE(r_23_the_faces_of_a_grid_are_those_of_free_space),
    TEST_CASE(faces_by_the_tree_are_those_of_all_nodes),
    TEST_CASE(random_crowds_take_15_million_units_for_the_tree),
    TEST_CASE(a_grid_keeps_strengths_and_impulse),
};
TEST_SUITE(vortex_gates, cases);
