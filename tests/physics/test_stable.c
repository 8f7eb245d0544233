/* SPDX-License-Identifier: MIT
   tests/physics/test_stable.c - no state of the fluid explodes: the step limit that follows from
           the densities, and what happens beyond it.
   reads   runtime/solve/sph, runtime/solve/substep.c      writes  nothing
   memory  worlds of up to 1400 particles
   cost    some seconds; TIDEPOOL_LONG=1: 4000 random fluids, minutes
   after   own design; the scheme is stable for w dt < sqrt(4/3), w the largest frequency of the
           fluid. Its forces have a potential, so the energy of a world at rest is known */
#include "test.h"
#include "wall_sums.h"
#include "solve/solve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STABLE_MAX 1400u
#define GRAVITY    9.81

/* ---- energy ---- */

typedef struct fluid_energy {
    double kinetic, total; /* J per particle */
} fluid_energy;

/* 1 - r/h of a pair; not positive beyond the smoothing radius. */
static double pair_share(const tp_world_def *def, tp_view view, uint32_t i, uint32_t j)
{
    double dx = (double)view.x[j] - (double)view.x[i], dy = (double)view.y[j] - (double)view.y[i];
    double dz = view.z ? (double)view.z[j] - (double)view.z[i] : 0;
    return 1 - sqrt(dx * dx + dy * dy + dz * dz) / (double)def->sph.smoothing_radius;
}

/* The integral of (1 - x)^2 x from q to 1, of which surface tension is the gradient. */
static double tension_integral(double q)
{
    return 1.0 / 12 - q * q * (0.5 - q * (2.0 / 3 - q / 4));
}

/* Completes the sums of a particle as the pressure stage does. */
static void add_walls(const tp_world *world, tp_view view, uint32_t i, double *density,
                      double *near_density)
{
    double norm = (double)tpi_sph_of(world)->norm, near_norm = (double)tpi_sph_of(world)->near_norm;
    wall_sums sums = {.point = {view.x[i], view.y[i], view.z ? view.z[i] : 0},
                      .sum = {*density / norm, *near_density / near_norm}};
    wall_sums_find(world, &sums);
    *density = norm * wall_sums_whole(&sums, 0);
    *near_density = near_norm * wall_sums_whole(&sums, 1);
}

/* The potential of the pair terms, for particles of mass 1: h k (rho - rho0)^2 / 12 and
   h k_n rho_n^2 / 16 of the pressures, and less that of the surface tension. */
static double fluid_potential(const tp_world *world)
{
    static double density[STABLE_MAX], near_density[STABLE_MAX];
    const tp_world_def *def = tp_world_definition(world);
    tp_view view = tp_world_view(world);
    double h = (double)def->sph.smoothing_radius, norm = (double)tpi_sph_of(world)->norm,
           near_norm = (double)tpi_sph_of(world)->near_norm, sum = 0;
    double tension = (double)def->sph.surface_tension * norm * 140 * 140 * h * h;
    memset(density, 0, sizeof density);
    memset(near_density, 0, sizeof near_density);
    for (uint32_t i = 0; i < view.count; i++)
        for (uint32_t j = 0; j < i; j++) {
            double a = pair_share(def, view, i, j);
            if (a <= 0) continue;
            sum -= tension * tension_integral(1 - a);
            density[i] += norm * a * a * a, density[j] += norm * a * a * a;
            near_density[i] += near_norm * a * a * a * a;
            near_density[j] += near_norm * a * a * a * a;
        }
    for (uint32_t i = 0; i < view.count; i++) {
        add_walls(world, view, i, &density[i], &near_density[i]);
        double excess = density[i] - (double)def->species[0].rest_density;
        sum += h / 12 * (double)def->sph.stiffness * excess * excess;
        sum += h / 16 * (double)def->sph.near_stiffness * near_density[i] * near_density[i];
    }
    return sum;
}

static fluid_energy energy_of(const tp_world *world, double gravity)
{
    tp_view view = tp_world_view(world);
    double kinetic = 0, height = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double vx = (double)view.vx[i], vy = (double)view.vy[i],
               vz = view.vz ? (double)view.vz[i] : 0;
        kinetic += 0.5 * (vx * vx + vy * vy + vz * vz) / view.count;
        height += gravity * (double)view.y[i] / view.count;
    }
    return (fluid_energy){kinetic, kinetic + height + fluid_potential(world) / view.count};
}

/* ---- worlds ---- */

/* A block of fluid on the floor of a tank, with a random displacement of its particles. */
typedef struct stable_block {
    uint32_t columns, rows, layers;
    float spacing, jitter; /* m; share of the spacing */
    float speed;           /* m/s, towards the floor */
    float above;           /* m, of the lowest particles above their place on the floor */
    tp_vector tank;
} stable_block;

static tp_world_def stable_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.slice_units = 65536;
    def.sph.neighbours_max = 255;
    def.species[0].radius = 0.005f; /* no particle begins inside a wall */
    return def;
}

static void stable_fill(tp_world *world, const stable_block *block, uint32_t *state)
{
    for (uint32_t i = 0; i < block->columns * block->rows * block->layers; i++) {
        float at[3] = {(float)(i % block->columns) + 0.5f,
                       (float)(i / block->columns % block->rows) + 0.5f,
                       (float)(i / (block->columns * block->rows)) + 0.5f};
        for (uint32_t axis = 0; axis < 3; axis++)
            at[axis] = block->spacing * (at[axis] + block->jitter * (test_random(state) - 0.5f));
        tp_vector position = {at[0], at[1] + block->above, at[2]};
        CHECK(tp_particle_add(world, position, (tp_vector){0, -block->speed, 0}, 0, NULL) == TP_OK);
    }
}

static test_world stable_make(const tp_world_def *def, const stable_block *block, uint32_t seed)
{
    uint32_t state = seed;
    test_world made = test_world_make(def);
    test_world_gravity(made.world, (float)GRAVITY);
    test_world_tank(made.world, block->tank);
    stable_fill(made.world, block, &state);
    return made;
}

/* Energy of `frames` frames: it never rises above that of the start by more than `slack` J per
   particle. Frees the world; returns the kinetic energy at the end. */
static double stable_run(const char *name, test_world made, uint32_t seed, uint32_t frames,
                         double slack)
{
    fluid_energy start = energy_of(made.world, GRAVITY), now = start;
    double highest = start.total;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        now = energy_of(made.world, GRAVITY);
        highest = fmax(highest, now.total);
    }
    tp_report report = tp_world_report(made.world);
    test_note("%s, seed %u: energy from %.3f J per particle to at most %.3f; kinetic %.4f J; "
              "%.0f steps, %.0f begun again, %.0f strained",
              name, seed, start.total, highest, now.kinetic, (double)report.steps,
              (double)report.steps_shortened, (double)report.steps_strained);
    CHECK(highest <= start.total + slack);
    CHECK_EQ(report.particles, tp_world_definition(made.world)->particles_max);
    test_world_free(&made);
    return now.kinetic;
}

/* ---- energy never rises ---- */

static void two_long_steps_a_frame_do_not_explode(void)
{
    const stable_block block = {20, 40, 1, 0.1f, 0.1f, 0, 0, {2, 1000, 0}};
    tp_world_def def = stable_def(2, 800);
    def.substeps.count = 2;
    def.sph.timestep_max = 0.010f;
    CHECK(stable_run("2D", stable_make(&def, &block, 1), 1, 300, 0.1) < 2.0);
}

/* Speed of the fastest particle in any of the frames, m/s. */
static double fastest_of(tp_world *world, uint32_t frames)
{
    double most = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(world, 1);
        tp_view view = tp_world_view(world);
        for (uint32_t i = 0; i < view.count; i++)
            most = fmax(most, hypot((double)view.vx[i], (double)view.vy[i]));
    }
    return most;
}

/* The default fluid with 2 sub-steps per frame, of a length that it bears at rest. In the floor
   row, which held twice the particles of the lattice, it did not: it shot particles sideways, and
   exploded. */
static void defaults_neither_explode_nor_shoot_from_the_floor_row(void)
{
    const stable_block column = {20, 50, 1, 0.1f, 0.1f, 0, 0, {2, 1000, 0}};
    tp_world_def def = stable_def(2, 1000);
    def.species[0].radius = 0.05f;
    def.sph.neighbours_max = tp_world_default(2).sph.neighbours_max;
    def.substeps.count = 2;
    def.sph.timestep_max = 0.0084f;
    test_world made = stable_make(&def, &column, 1);
    double falling = fastest_of(made.world, 300), calm = fastest_of(made.world, 300);
    test_note("fastest %.2f m/s in the first 5 s, %.2f in the next", falling, calm);
    CHECK(falling < 5 && calm < 3);
    test_world_free(&made);
}

static void compressed_starts_expand_without_gain(void)
{
    const stable_block flat = {20, 20, 1, 0.05f, 0.2f, 0, 0, {4, 1000, 0}};
    const stable_block deep = {9, 9, 9, 0.06f, 0.2f, 0, 0, {1.5f, 1000, 1.5f}};
    tp_world_def def = stable_def(2, 400), def_3d = stable_def(3, 729);
    (void)stable_run("2D at half the spacing", stable_make(&def, &flat, 2), 2, 120, 0.1);
    (void)stable_run("3D at 0.6 of the spacing", stable_make(&def_3d, &deep, 3), 3, 120, 0.1);
}

static void impacts_do_not_gain(void)
{
    const stable_block drop = {20, 20, 1, 0.1f, 0.1f, 20.0f, 1.0f, {4, 1000, 0}};
    const stable_block ball = {9, 9, 9, 0.1f, 0.1f, 12.0f, 1.0f, {1.5f, 1000, 1.5f}};
    tp_world_def def = stable_def(2, 400), def_3d = stable_def(3, 729);
    (void)stable_run("2D drop at 20 m/s", stable_make(&def, &drop, 4), 4, 120, 0.1);
    (void)stable_run("3D drop at 12 m/s", stable_make(&def_3d, &ball, 5), 5, 120, 0.1);
}

/* The step may not be shorter: the fluid moves slower than it should, and does not explode. */
static void a_fluid_that_may_not_step_shorter_slows_down(void)
{
    const stable_block block = {20, 20, 1, 0.05f, 0.2f, 0, 0, {4, 1000, 0}};
    tp_world_def def = stable_def(2, 400);
    def.frames_per_second_numerator = 144;
    def.sph.timestep_max = 0.007f;
    def.substeps.count_max = 1;
    (void)stable_run("2D, one step", stable_make(&def, &block, 6), 6, 240, 0.1);
    test_world made = stable_make(&def, &block, 6);
    test_world_frames(made.world, 1);
    tp_report report = tp_world_report(made.world);
    CHECK_EQ(report.steps, 1);
    CHECK_EQ(report.steps_strained, 1);
    CHECK(report.steps_shortened > 0 && report.timestep < 0.3f / 144.0f);
    test_world_free(&made);
}

/* ---- random fluids ---- */

static float random_log(uint32_t *state, float low, float high)
{
    return low * powf(high / low, test_random(state));
}

/* Settings from a tenth to ten times the defaults; the neighbour limit is too high to matter,
   because the forces have no potential where it is reached. */
static tp_world_def random_def(uint32_t *state, uint32_t dimensions)
{
    tp_world_def def = stable_def(dimensions, dimensions == 2 ? 100 : 125);
    def.frames_per_second_numerator = 20u + (uint32_t)(test_random(state) * 130.0f);
    def.sph.stiffness *= random_log(state, 0.1f, 10.0f);
    def.sph.near_stiffness *= random_log(state, 0.1f, 10.0f);
    def.sph.surface_tension *= random_log(state, 0.1f, 4.0f);
    def.sph.viscosity_linear *= random_log(state, 0.1f, 10.0f);
    def.sph.viscosity_quadratic *= random_log(state, 0.1f, 4.0f);
    def.species[0].rest_density *= random_log(state, 0.5f, 2.0f);
    def.sph.timestep_max = random_log(state, 0.0005f, 0.02f);
    def.substeps.count = 1u + (uint32_t)(test_random(state) * 3.0f);
    def.substeps.count_max = def.substeps.count + (uint32_t)(test_random(state) * 20.0f);
    def.substeps.is_adaptive = test_random(state) < 0.3f;
    return def;
}

/* A room of planes or a hollow box; every other one has a solid on its floor, at most `bulge`
   high. */
static void random_walls(tp_world *world, tp_vector size, float bulge, uint32_t *state)
{
    static const tp_collider_shape solids[3] = {TP_COLLIDER_SPHERE, TP_COLLIDER_CAPSULE,
                                                TP_COLLIDER_BOX};
    tp_collider added;
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider_def solid = tp_collider_default(solids[*state % 3u]);
    room.is_hollow = true;
    room.half = room.pose.position = (tp_vector){size.x / 2, size.y / 2, size.z / 2};
    if (size.z <= 0) room.half.z = 1;
    solid.pose.position = (tp_vector){size.x / 2, 0, size.z / 2};
    solid.radius = bulge;
    solid.half = (tp_vector){bulge, solid.shape == TP_COLLIDER_BOX ? bulge : 0, bulge};
    if (test_random(state) < 0.5f)
        test_world_tank(world, size);
    else
        CHECK(tp_collider_add(world, &room, &added) == TP_OK);
    if (test_random(state) < 0.5f) CHECK(tp_collider_add(world, &solid, &added) == TP_OK);
}

/* A lattice of 0.5 to 1.5 times the spacing of rest with any jitter, which falls into a room.
   Returns true if the definition is accepted. */
static bool random_run(uint32_t seed)
{
    uint32_t state = seed, dimensions = seed % 3 ? 2 : 3, side = dimensions == 2 ? 10 : 5;
    tp_world_def def = random_def(&state, dimensions);
    if (tp_world_check(&def)) return false;
    stable_block block = {side, side, dimensions == 2 ? 1 : side, 0, 0, 0, 0, {0, 0, 0}};
    float bulge = 0.1f + 0.2f * test_random(&state);
    block.spacing = 0.1f * random_log(&state, 0.5f, 1.5f);
    block.jitter = test_random(&state);
    block.speed = 5.0f * test_random(&state);
    block.above = bulge + test_random(&state);
    float wide = block.spacing * (float)side + 0.3f;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, (float)GRAVITY);
    random_walls(made.world, (tp_vector){wide, 60, dimensions == 2 ? 0 : wide}, bulge, &state);
    stable_fill(made.world, &block, &state);
    fluid_energy start = energy_of(made.world, GRAVITY);
    double scale = start.kinetic + fabs(start.total) + 1;
    (void)stable_run("random", made, seed, 30, 0.01 * scale);
    return true;
}

static void random_fluids_do_not_gain(void)
{
    uint32_t accepted = 0, runs = test_is_long() ? 4000 : 60;
    for (uint32_t seed = 1; seed <= runs; seed++) accepted += random_run(seed);
    test_note("%u of %u definitions accepted", accepted, runs);
    CHECK(accepted * 2 > runs);
}

/* ---- the definition ---- */

static void check_limit(uint32_t dimensions, double expected)
{
    tp_world_def def = stable_def(dimensions, 16);
    float limit = tp_sph_timestep_limit(&def);
    test_note("%uD: %.4f ms", dimensions, 1e3 * (double)limit);
    CHECK_NEAR(limit, expected, 0.02 * expected);
    def.sph.timestep_max = 0.05f; /* of no effect: a frame is shorter */
    def.frames_per_second_numerator = (uint32_t)ceilf(1.0f / limit);
    CHECK(tp_world_check(&def) == NULL);
    def.sph.near_stiffness *= 1.1f;
    CHECK(tp_sph_timestep_limit(&def) < limit);
    const char *text = tp_world_check(&def);
    CHECK(text && strstr(text, "sph.timestep_max must be at most the limit"));
    def.sph.timestep_max = 0.99f * limit; /* two steps a frame */
    CHECK(tp_world_check(&def) == NULL);
}

/* Power iteration on lattices of the rest density gives 10.3 ms in 2D. */
static void a_definition_above_the_limit_at_rest_is_refused(void)
{
    check_limit(2, 0.0086);
    check_limit(3, 0.0055);
}

/* Coarser steps are as long as timestep_max allows, whatever the count. */
static void coarsened_steps_count_as_long_as_they_may_get(void)
{
    tp_world_def def = stable_def(2, 16);
    def.substeps.count = 4;
    def.sph.timestep_max = 0.010f;
    CHECK(tp_world_check(&def) == NULL);
    def.overload = TP_OVERLOAD_COARSEN;
    CHECK(tp_world_check(&def) != NULL);
    CHECK(tp_sph_timestep_limit(NULL) == 0.0f);
    def.solver = TP_SOLVER_NONE;
    CHECK(tp_sph_timestep_limit(&def) == 0.0f);
}

/* ---- the clock ---- */

/* Steps are begun again in the middle of a frame; slices, budgets and snapshots do not matter. */
static void steps_begun_again_are_the_same_in_any_slices(void)
{
    const stable_block block = {12, 12, 1, 0.06f, 0.3f, 8.0f, 0.3f, {2, 1000, 0}};
    tp_world_def def = stable_def(2, 144);
    test_world whole = stable_make(&def, &block, 7);
    def.slice_units = 64;
    test_world sliced = stable_make(&def, &block, 7);
    test_world_frames(whole.world, 20);
    tp_budget budget = {.units = 700};
    while (tp_world_report(sliced.world).frames < 20) {
        tp_budget once = budget;
        once.frames_max = 1;
        CHECK(tp_frame(sliced.world, &once, NULL) >= TP_OK);
    }
    tp_report a = tp_world_report(whole.world), b = tp_world_report(sliced.world);
    CHECK(a.steps_shortened > 0);
    CHECK_EQ(a.steps_shortened, b.steps_shortened);
    CHECK_EQ(tp_world_hash(whole.world), tp_world_hash(sliced.world));
    test_world_free(&whole);
    test_world_free(&sliced);
}

static void steps_get_longer_again_when_the_fluid_is_calm(void)
{
    const stable_block block = {12, 12, 1, 0.05f, 0.2f, 0, 0, {4, 1000, 0}};
    tp_world_def def = stable_def(2, 144);
    test_world made = stable_make(&def, &block, 8);
    test_world_frames(made.world, 1);
    CHECK(tp_world_report(made.world).steps_in_frame > 5);
    CHECK(tp_world_report(made.world).steps_in_frame <= def.substeps.count_max + 1u);
    test_world_frames(made.world, 300);
    CHECK_EQ(tp_world_report(made.world).steps_in_frame, 3);
    CHECK(tp_world_report(made.world).strain < 1.0f);
    test_world_free(&made);
}

static void the_published_program_has_no_limit_and_says_so(void)
{
    const stable_block block = {12, 12, 1, 0.05f, 0.2f, 0, 0, {4, 1000, 0}};
    tp_world_def def = stable_def(2, 144);
    def.sph.compat = true;
    def.sph.timestep_max = 0.0075f;
    def.frames_per_second_numerator = 140;
    test_world made = stable_make(&def, &block, 8);
    test_world_frames(made.world, 1);
    tp_report report = tp_world_report(made.world);
    CHECK_EQ(report.steps, 1);
    CHECK_EQ(report.steps_strained, 1);
    CHECK_EQ(report.steps_shortened, 0);
    CHECK(report.strain > 2.0f);
    test_world_free(&made);
}

static const test_case cases[] = {TEST_CASE(two_long_steps_a_frame_do_not_explode),
                                  TEST_CASE(defaults_neither_explode_nor_shoot_from_the_floor_row),
                                  TEST_CASE(compressed_starts_expand_without_gain),
                                  TEST_CASE(impacts_do_not_gain),
                                  TEST_CASE(a_fluid_that_may_not_step_shorter_slows_down),
                                  TEST_CASE(random_fluids_do_not_gain),
                                  TEST_CASE(a_definition_above_the_limit_at_rest_is_refused),
                                  TEST_CASE(coarsened_steps_count_as_long_as_they_may_get),
                                  TEST_CASE(steps_begun_again_are_the_same_in_any_slices),
                                  TEST_CASE(steps_get_longer_again_when_the_fluid_is_calm),
                                  TEST_CASE(the_published_program_has_no_limit_and_says_so)};
TEST_SUITE(stable, cases);
