/* SPDX-License-Identifier: MIT
   tests/physics/test_honey.c - implicit viscosity between species of unequal mass: rates, momentum,
           equal bits, rest.
   reads   runtime/solve/sph/central*.c, viscosity.c, dfsph*.c      writes  nothing
   memory  worlds of up to 700 particles      cost    two seconds
   after   decay of shear and two layers in shear: Lamb 1932; of a chequerboard: sums of pairs */
#include "test.h"
#include "world_help.h"
#include "theory.h"
#include "solve/sph/sph.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <string.h>

#define SPACING 0.05
static const double pi = 3.14159265358979;

/* ---- worlds ---- */

/* Water is species 0, and honey, `ratio` times as heavy, species 1. */
static tp_world_def honey_def(uint32_t dimensions, double ratio)
{
    tp_world_def def = theory_fluid(dimensions, SPACING);
    def.species_count = 2;
    def.species[1].radius = def.species[0].radius;
    def.species[1].mass = (float)(1000 * pow(SPACING, dimensions) * ratio);
    def.species[1].rest_density = (float)(1000 * ratio);
    def.sph.smoothing = def.sph.viscosity_linear = def.sph.viscosity_quadratic = 0;
    return def;
}

/* Of the same fluids by an equation of state. */
static tp_world_def honey_law_def(double ratio)
{
    tp_world_def def = honey_def(2, ratio);
    theory_law(&def, TP_SPH_WEAKLY_COMPRESSIBLE, SPACING);
    def.substeps.count_max = 100;
    return def;
}

static void add_one(tp_world *world, const double at[3], tp_vector velocity, uint32_t species)
{
    tp_vector point = {(float)at[0], (float)at[1], (float)at[2]};
    CHECK(tp_particle_add(world, point, velocity, species, NULL) == TP_OK);
}

static uint32_t species_at(const tp_view *v, uint32_t i) { return TP_META_SPECIES(v->meta[i]); }

/* kg m/s along an axis; `size` becomes the sum of its absolute values. */
static double momentum(const tp_world *world, uint32_t axis, double *size)
{
    tp_view v = tp_world_view(world);
    const float *along[3] = {v.vx, v.vy, v.vz};
    double sum = 0;
    *size = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        double one = (double)along[axis][i] *
                     (double)tp_world_definition(world)->species[species_at(&v, i)].mass;
        sum += one;
        *size += fabs(one);
    }
    return sum;
}

/* Mean velocity of a species along x. */
static double speed_of(const tp_world *world, uint32_t species)
{
    tp_view v = tp_world_view(world);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        if (species_at(&v, i) != species) continue;
        sum += (double)v.vx[i];
        count++;
    }
    return sum / count;
}

/* ---- rates ---- */

/* Shear of a disc of a species s at x = 3 s: speeds J1(k r) around its center, with J2(k R) = 0,
   decay as exp(-nu k^2 t). */
#define SHEAR_RADIUS 0.6
#define SHEAR_WAVE   (5.13562 / SHEAR_RADIUS)
static tp_vector shear_speed(double x, double y, double speed)
{
    double r = sqrt(x * x + y * y), around = r > 0 ? speed * bessel(SHEAR_WAVE * r) / r : 0;
    return (tp_vector){(float)(-around * y), (float)(around * x), 0};
}

static double shear_of(const tp_world *world, uint32_t species)
{
    tp_view v = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        if (species_at(&v, i) != species) continue;
        tp_vector mode = shear_speed((double)v.x[i] - 3 * species, (double)v.y[i], 1);
        sum += (double)v.vx[i] * (double)mode.x + (double)v.vy[i] * (double)mode.y;
    }
    return sum;
}

/* Viscosities that are measured after 10 frames. */
static void shear_rates(const tp_world_def *def, double speed, double rates[2])
{
    test_world made = test_world_make(def);
    for (uint32_t s = 0; s < 2; s++)
        for (int32_t n = 0; n < 1600; n++) {
            const double x = (n % 40 - 19.5) * SPACING, y = (n / 40 - 19.5) * SPACING;
            if (x * x + y * y > SHEAR_RADIUS * SHEAR_RADIUS) continue;
            add_one(made.world, (const double[3]){x + 3 * s, y, 0}, shear_speed(x, y, speed), s);
        }
    const double before[2] = {shear_of(made.world, 0), shear_of(made.world, 1)};
    test_world_frames(made.world, 10);
    for (uint32_t s = 0; s < 2; s++)
        rates[s] = -log(shear_of(made.world, s) / before[s]) * 6 / SHEAR_WAVE / SHEAR_WAVE;
    test_world_free(&made);
}

/* Also of a slow flow, whose terms are small integers. */
static void shear_decays_in_each_fluid_as_theory_says(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        const double ratio = k % 2 ? 10 : 5, speed = k / 2 ? 0.005 : 0.05;
        tp_world_def def = honey_def(2, ratio);
        double rates[2];
        def.sph.viscosity = 0.1f;
        def.species[0].viscosity = 0.3f;
        shear_rates(&def, speed, rates);
        test_note("ratio %.0f, %.3f m/s: viscosity over theory: water %.3f, honey %.3f", ratio,
                  speed, rates[0] / 0.03, rates[1] / 0.1);
        CHECK_NEAR(rates[0] / 0.03, 1, 0.1);
        CHECK_NEAR(rates[1] / 0.1, 1, 0.1);
    }
}

static void shear_decays_by_a_law_as_theory_says(void)
{
    for (uint32_t k = 0; k < 3; k++) {
        double rates[2];
        tp_world_def def = honey_law_def(k ? 5.0 * k : 1);
        def.sph.viscosity = 0.1f;
        shear_rates(&def, 0.05, rates);
        test_note("law, case %u: viscosity over theory %.3f, %.3f", k, rates[0] / 0.1,
                  rates[1] / 0.1);
        for (uint32_t s = 0; s < 2; s++) CHECK_NEAR(rates[s] / 0.1, 1, 0.1);
    }
}

/* What `smoothing` does counts towards the viscosity, and unequal masses have a tenth of it. */
static void smoothing_counts_towards_the_viscosity(void)
{
    tp_world_def def = honey_def(2, 5);
    double rates[2];
    def.sph.smoothing = 0.2f;
    def.sph.viscosity = 0.03f;
    shear_rates(&def, 0.2, rates);
    test_note("with smoothing: viscosity over theory %.3f, %.3f", rates[0] / 0.03, rates[1] / 0.03);
    CHECK_NEAR(rates[0] / 0.03, 1, 0.1);
    CHECK_NEAR(rates[1] / 0.03, 1, 0.1);
    def.species[0].viscosity = 0.2f;
    shear_rates(&def, 0.2, rates);
    test_note("a share of 0.2: viscosity over theory %.3f, %.3f", rates[0] / 0.006,
              rates[1] / 0.03);
    CHECK_NEAR(rates[0] / 0.006, 1, 0.1);
    CHECK_NEAR(rates[1] / 0.03, 1, 0.1);
}

/* Sum over the lattice of what slows particles of one color down: 2 w nx^2 of the other color. */
static double chequer_sum(uint32_t dimensions, double reach)
{
    const int32_t most = (int32_t)reach, deep = dimensions == 3 ? most : 0;
    double sum = 0;
    for (int32_t z = -deep; z <= deep; z++)
        for (int32_t y = -most; y <= most; y++)
            for (int32_t x = -most; x <= most; x++) {
                double r = sqrt(x * x + y * y + z * z), q = r / reach;
                if (((x + y + z) & 1) == 0 || q >= 1) continue;
                sum += 2 * pow(q * (1 - q), 2) * x * x / (r * r);
            }
    return sum;
}

/* Two interleaved species that move against each other along x: the share of their speed that is
   left after some frames, over that by double precision. */
static double chequer_left(const tp_world_def *like, uint32_t frames)
{
    tp_world_def def = *like;
    const uint32_t dimensions = def.dimensions, side = dimensions == 3 ? 8 : 12;
    const double ratio = (double)(def.species[1].mass / def.species[0].mass);
    def.periodic_axes = dimensions == 3 ? TP_AXIS_X | TP_AXIS_Y | TP_AXIS_Z : TP_AXIS_X | TP_AXIS_Y;
    def.box_size.x = def.box_size.y = (float)(side * SPACING);
    if (dimensions == 3) def.box_size.z = def.box_size.x;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < (dimensions == 3 ? 512 : 144); i++) {
        const uint32_t x = i % side, y = i / side % side, z = i / side / side,
                       species = (x + y + z) & 1;
        const double at[3] = {(x + 0.5) * SPACING, (y + 0.5) * SPACING, (z + 0.5) * SPACING};
        add_one(made.world, at, (tp_vector){species ? 0.002f : -0.002f * (float)ratio, 0, 0},
                species);
    }
    const double first = speed_of(made.world, 1) - speed_of(made.world, 0);
    test_world_frames(made.world, frames);
    const double left = speed_of(made.world, 1) - speed_of(made.world, 0);
    const double dt = (double)tp_world_report(made.world).timestep;
    const double rate = (double)tpi_central_of(made.world)->viscosity *
                        chequer_sum(dimensions, (double)def.sph.smoothing_radius / SPACING);
    test_world_free(&made);
    return -log(left / first) / (log(1 + rate * dt) * frames / 60.0 / dt);
}

static void interleaved_species_slow_down_as_their_pairs_say(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t dimensions = 2 + k % 2;
        const double ratio = k / 2 ? 10 : 5;
        tp_world_def def = honey_def(dimensions, ratio);
        def.sph.viscosity = 0.01f;
        double over = chequer_left(&def, 3);
        test_note("%uD, ratio %.0f: rate over theory %.3f", dimensions, ratio, over);
        CHECK_NEAR(over, 1, 0.1);
    }
}

/* Two layers, 12 particles along x, whose sides are joined; that of the species `upper` is above
   and moves at 1 m/s. Returns the momentum of the lower one per m after 0.2 s. */
static double layers(const tp_world_def *like, uint32_t upper)
{
    tp_world_def def = *like;
    double size, all;
    def.periodic_axes = TP_AXIS_X;
    def.box_size.x = (float)(12 * SPACING);
    test_world made = test_world_make(&def);
    for (int32_t i = 0; i < 384; i++) {
        const double at[3] = {(i % 12 + 0.5) * SPACING, (i / 12 - 15.5) * SPACING, 0};
        add_one(made.world, at, (tp_vector){i < 192 ? 0.0f : 1.0f, 0, 0},
                i < 192 ? 1 - upper : upper);
    }
    all = momentum(made.world, 0, &size);
    test_world_frames(made.world, 12);
    CHECK_NEAR(momentum(made.world, 0, &size) / all, 1, 1e-6);
    double given = speed_of(made.world, 1 - upper) * 192 * (double)def.species[1 - upper].mass /
                   (12 * SPACING);
    test_world_free(&made);
    return given;
}

/* The interface moves such that stresses are equal: speeds differ from its own as
   1 / (rho sqrt(nu)). */
static void two_layers_of_unequal_mass_have_one_stress(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        const double ratio = k ? 10 : 5;
        tp_world_def def = honey_def(2, ratio);
        def.sph.viscosity = 0.04f;
        double theory = 1000 * 2 * sqrt(0.2 * 0.04 / pi) / (1 + 1 / ratio);
        double down = layers(&def, 0), up = layers(&def, 1);
        test_note("ratio %.0f: momentum %.2f, %.2f kg/s; theory %.2f", ratio, down, up, theory);
        CHECK_NEAR(down / theory, 1, 0.1);
        CHECK_NEAR(up / theory, 1, 0.1);
    }
}

/* ---- momentum ---- */

/* A loose block of both, in which all pairs move, and no wall. With a law, whose densities jump
   between species, they are side by side. */
static test_world cloud_make(const tp_world_def *def, uint32_t dimensions)
{
    const uint32_t side = dimensions == 2 ? 20 : 8;
    uint32_t state = 3;
    test_world made = test_world_make(def);
    for (uint32_t i = 0; i < (dimensions == 2 ? side * side : side * side * side); i++) {
        double at[3] = {i % side, i / side % side, i / (side * side)};
        for (uint32_t axis = 0; axis < 3; axis++)
            at[axis] = (at[axis] + 0.3 * (double)test_random(&state)) * SPACING;
        tp_vector v = test_random_position(&state, 0.5f);
        if (dimensions == 2) at[2] = 0, v.z = 0;
        const bool is_honey = test_random(&state) < 0.5f;
        add_one(made.world, at, v,
                def->sph.formulation == TP_SPH_INCOMPRESSIBLE ? is_honey : i % side > side / 2);
    }
    return made;
}

static void momentum_is_that_of_the_start(void)
{
    for (uint32_t k = 0; k < 5; k++) {
        const uint32_t dimensions = 2 + k % 2;
        const double ratio = k / 2 ? 10 : 5;
        tp_world_def def = k == 4 ? honey_law_def(10) : honey_def(dimensions, ratio);
        def.sph.viscosity = k == 1 ? 100.0f : 0.5f;
        def.species[0].viscosity = 0.3f;
        test_world made = cloud_make(&def, dimensions);
        double before[3], size[3], now;
        for (uint32_t axis = 0; axis < dimensions; axis++)
            before[axis] = momentum(made.world, axis, &size[axis]);
        test_world_frames(made.world, k == 4 ? 10 : 20);
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            double left, after = momentum(made.world, axis, &left);
            now = (after - before[axis]) / size[axis];
            test_note("case %u, axis %u: change of momentum over its size %.1e", k, axis, now);
            CHECK_NEAR(now, 0, k == 4 ? 1e-4 : 1e-6);
        }
        test_world_free(&made);
    }
}

/* A block of both slides over a floor without slip: what it loses, the floor gets. */
static void a_floor_gets_the_momentum_that_both_lose(void)
{
    tp_world_def def = honey_def(2, 10);
    def.measures_loads = true;
    def.sph.viscosity = 0.1f;
    test_world made = test_world_make(&def);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.friction = 0;
    tp_collider handle;
    CHECK(tp_collider_add(made.world, &floor, &handle) == TP_OK);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t i = 0; i < 100; i++) {
        const double at[3] = {(i % 20 + 0.5) * SPACING, (i / 20 + 0.5) * SPACING, 0};
        add_one(made.world, at, (tp_vector){1, 0, 0}, i * 7 / 3 % 2);
    }
    double size, before = momentum(made.world, 0, &size), given = 0;
    for (uint32_t f = 0; f < 10; f++) {
        tp_load load;
        test_world_frames(made.world, 1);
        CHECK(tp_collider_load(made.world, handle, &load) == TP_OK);
        given += (double)load.impulse.x;
    }
    double lost = before - momentum(made.world, 0, &size);
    test_note("lost %.4f of %.4f, given %.4f kg m/s", lost, before, given);
    CHECK(lost > 0.1 * before);
    CHECK_NEAR(given / lost, 1, 1e-4);
    test_world_free(&made);
}

/* ---- rest ---- */

/* J/kg: kinetic energy, and that with the weight. */
static void energies(const tp_world *world, double *kinetic, double *all)
{
    tp_view v = tp_world_view(world);
    double mass = 0, moving = 0, high = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        double m = (double)tp_world_definition(world)->species[species_at(&v, i)].mass,
               vx = (double)v.vx[i], vy = (double)v.vy[i];
        mass += m;
        moving += 0.5 * m * (vx * vx + vy * vy);
        high += m * 9.81 * (double)v.y[i];
    }
    *kinetic = moving / mass;
    *all = (moving + high) / mass;
}

static double height_of(const tp_world *world, uint32_t species)
{
    tp_view v = tp_world_view(world);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        if (species_at(&v, i) != species) continue;
        sum += (double)v.y[i];
        count++;
    }
    return sum / count;
}

/* A loose block whose particles fly about: too few iterations, too. */
static void any_viscosity_is_stable(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t dimensions = 2 + k % 2;
        tp_world_def def = honey_def(dimensions, 10);
        def.sph.viscosity = k / 2 ? 1e4f : 1;
        def.sph.viscosity_iterations = k / 2 ? 1 : 6;
        test_world made = cloud_make(&def, dimensions);
        double before, after, all;
        energies(made.world, &before, &all);
        test_world_frames(made.world, 30);
        energies(made.world, &after, &all);
        test_note("case %u: %.3e of %.3e J/kg are left", k, after, before);
        CHECK(after < 0.15 * before);
        test_world_free(&made);
    }
}

/* Six rows of honey under as many of water, which sloshes at first. */
static void honey_under_water_comes_to_rest(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = honey_def(2, k ? 5 : 10);
        if (!test_runs(k, 2)) continue;
        def.sph.smoothing = 0.2f;
        def.sph.viscosity = 0.05f;
        def.species[0].viscosity = 0.02f;
        test_world made = test_world_make(&def);
        test_world_tank(made.world, (tp_vector){12 * (float)SPACING, 10, 1});
        test_world_gravity(made.world, 9.81f);
        for (int32_t i = 0; i < 144; i++) {
            const double at[3] = {(i % 12 + 0.5) * SPACING, (i / 12 + 0.6) * SPACING, 0};
            add_one(made.world, at, (tp_vector){i < 72 ? 0.0f : 0.5f, 0, 0}, i < 72);
        }
        double kinetic, now, least, first, gained = 0;
        energies(made.world, &kinetic, &first);
        least = first;
        for (uint32_t f = 0; f < (test_is_long() ? 1800 : 480); f++) {
            test_world_frames(made.world, 1);
            energies(made.world, &kinetic, &now);
            if (f > 240) gained = fmax(gained, now - least);
            least = fmin(least, now);
            CHECK(f < 30 || now < first);
        }
        test_note("case %u: at the end %.1e J/kg, up to %.1e more than the least before; heights "
                  "%.3f m of water, %.3f m of honey",
                  k, kinetic, gained, height_of(made.world, 0), height_of(made.world, 1));
        CHECK(kinetic < 1e-5);
        CHECK(gained < 5e-4);
        CHECK_NEAR(height_of(made.world, 0), 0.45, 0.015);
        CHECK_NEAR(height_of(made.world, 1), 0.15, 0.015);
        test_world_free(&made);
    }
}

/* ---- equal bits ---- */

static uint64_t cloud_outcome(uint32_t dimensions, bool stores, const tp_budget *budget)
{
    tp_world_def def = honey_def(dimensions, 7);
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = dimensions == 2 ? 16 : 24; /* fewer than there are */
    def.sph.viscosity = 0.2f;
    def.sph.smoothing = 0.1f;
    def.sph.cohesion = 20;
    def.species[0].viscosity = 0.1f;
    def.lag_frames_max = 64;
    test_world made = cloud_make(&def, dimensions);
    for (uint32_t call = 0; made.world->clock.frame < 4 && call < 100000u; call++)
        CHECK(tp_frame(made.world, budget, NULL) >= TP_OK);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

static void slices_lists_widths_and_workers_change_no_bit(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    const tp_budget budgets[4] = {{.units = 1000000000u, .lanes_max = 8},
                                  {.units = 1000000000u, .lanes_max = 16},
                                  {.units = 1000000000u, .jobs = &pool.jobs},
                                  {.units = 777}};
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        const tp_budget narrow = {.units = 1000000000u, .lanes_max = 4};
        const uint64_t hash = cloud_outcome(dimensions, true, &narrow);
        for (uint32_t b = 0; b < 4; b++) {
            test_note("%uD, budget %u", dimensions, b);
            CHECK_EQ(cloud_outcome(dimensions, b != 1, &budgets[b]), hash);
        }
    }
    platform_jobs_stop(&pool);
}

/* ---- definitions ---- */

static void masses_may_differ_tenfold(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = honey_def(dimensions, 10);
        def.sph.viscosity = 1;
        CHECK(tp_world_check(&def) == NULL);
        def.species[1].mass *= 1.1f;
        CHECK(strstr(tp_world_check(&def), "species.mass") != NULL);
    }
}

static const test_case cases[] = {
    TEST_CASE(shear_decays_in_each_fluid_as_theory_says),
    TEST_CASE(shear_decays_by_a_law_as_theory_says),
    TEST_CASE(smoothing_counts_towards_the_viscosity),
    TEST_CASE(interleaved_species_slow_down_as_their_pairs_say),
    TEST_CASE(two_layers_of_unequal_mass_have_one_stress),
    TEST_CASE(momentum_is_that_of_the_start),
    TEST_CASE(a_floor_gets_the_momentum_that_both_lose),
    TEST_CASE(any_viscosity_is_stable),
    TEST_CASE(honey_under_water_comes_to_rest),
    TEST_CASE(slices_lists_widths_and_workers_change_no_bit),
    TEST_CASE(masses_may_differ_tenfold),
};
TEST_SUITE(honey, cases);
