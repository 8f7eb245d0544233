/* SPDX-License-Identifier: MIT
   tests/physics/test_material.c - materials of species: viscosities and cohesion of their own and
           of pairs, stickiness and friction at walls.
   reads   runtime/solve/sph/material.c, stick.c, central*.c      writes  nothing
   memory  worlds of up to 1600 particles      cost    some seconds
   after   decay of shear and two layers in shear: Lamb 1932; adhesion: Dupre 1869 */
#include "test.h"
#include "world_help.h"
#include "theory.h"
#include <math.h>
#include <string.h>

#define SPACING 0.05
#define DENSITY 1000.0
static const double pi = 3.14159265358979;

/* ---- worlds ---- */

static tp_world_def material_def(tp_sph_formulation formulation)
{
    tp_world_def def = theory_fluid(2, SPACING);
    def.species_count = 2;
    def.species[1] = def.species[0];
    def.sph.smoothing = def.sph.viscosity_linear = def.sph.viscosity_quadratic = 0;
    if (formulation == TP_SPH_INCOMPRESSIBLE) return def;
    theory_law(&def, formulation, SPACING);
    return def;
}

static void add_one(tp_world *world, double x, double y, tp_vector velocity, uint32_t species)
{
    tp_vector point = {(float)x, (float)y, 0};
    CHECK(tp_particle_add(world, point, velocity, species, NULL) == TP_OK);
}

static uint32_t species_at(tp_view v, uint32_t i) { return TP_META_SPECIES(v.meta[i]); }

static double momentum_x(const tp_world *world, uint32_t species)
{
    tp_view v = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < v.count; i++)
        if (species_at(v, i) == species)
            sum += (double)v.vx[i] * (double)tp_world_definition(world)->species[species].mass;
    return sum;
}

/* ---- viscosity ---- */

/* Shear of a disc that its free surface does not feel: speeds J1(k r) around the center, with
   J2(k R) = 0, decay as exp(-nu k^2 t). The disc of a species s is at x = 3 s. */
#define SHEAR_RADIUS 0.6
#define SHEAR_WAVE   (5.13562 / SHEAR_RADIUS)
static tp_vector shear_speed(double x, double y)
{
    double r = sqrt(x * x + y * y), around = r > 0 ? 0.05 * bessel(SHEAR_WAVE * r) / r : 0;
    return (tp_vector){(float)(-around * y), (float)(around * x), 0};
}

static void shear_fill(tp_world *world)
{
    for (uint32_t s = 0; s < 2; s++)
        for (int j = -20; j < 20; j++)
            for (int i = -20; i < 20; i++) {
                double x = (i + 0.5) * SPACING, y = (j + 0.5) * SPACING;
                if (x * x + y * y > SHEAR_RADIUS * SHEAR_RADIUS) continue;
                add_one(world, x + 3 * s, y, shear_speed(x, y), s);
            }
}

static double shear_of(const tp_world *world, uint32_t species)
{
    tp_view v = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        if (species_at(v, i) != species) continue;
        tp_vector mode = shear_speed((double)v.x[i] - 3 * species, (double)v.y[i]);
        sum += (double)v.vx[i] * (double)mode.x + (double)v.vy[i] * (double)mode.y;
    }
    return sum;
}

/* Rates over k^2: the viscosities that are measured. */
static void shear_rates(const tp_world_def *def, uint32_t frames, double rates[2])
{
    test_world made = test_world_make(def);
    shear_fill(made.world);
    double before[2] = {shear_of(made.world, 0), shear_of(made.world, 1)};
    test_world_frames(made.world, frames);
    for (uint32_t s = 0; s < 2; s++)
        rates[s] =
            -log(shear_of(made.world, s) / before[s]) * 60 / frames / SHEAR_WAVE / SHEAR_WAVE;
    test_world_free(&made);
}

static void shear_of_honey_and_of_water_decays_as_theory_says(void)
{
    const tp_sph_formulation formulations[] = {TP_SPH_INCOMPRESSIBLE, TP_SPH_IDEAL_GAS,
                                               TP_SPH_WEAKLY_COMPRESSIBLE};
    for (uint32_t k = 0; k < 3; k++) {
        tp_world_def def = material_def(formulations[k]);
        double rates[2], alike[2];
        def.sph.viscosity = 0.1f;
        def.species[1].viscosity = 0.3f;
        shear_rates(&def, 10, rates);
        test_note("formulation %u: viscosity over theory %.3f, %.3f", k, rates[0] / 0.1,
                  rates[1] / 0.03);
        CHECK_NEAR(rates[0] / 0.1, 1, 0.1);
        if (!k) CHECK_NEAR(rates[1] / 0.03, 1, 0.1);
        def.sph.viscosity = 0.03f; /* laws: as a world of this viscosity */
        def.species[1].viscosity = 1;
        shear_rates(&def, 10, alike);
        CHECK_NEAR(rates[1] / alike[1], 1, 0.06); /* other iterations */
    }
}

/* One species has its share, too. */
static void a_share_of_viscosity_is_as_much_less_viscosity(void)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    double half[2], less[2];
    def.sph.viscosity = 0.1f;
    def.species[0].viscosity = def.species[1].viscosity = 0.5f;
    shear_rates(&def, 10, half);
    def.sph.viscosity = 0.05f;
    def.species[0].viscosity = def.species[1].viscosity = 1;
    shear_rates(&def, 10, less);
    CHECK_NEAR(half[0] / less[0], 1, 0.03);
}

/* What `smoothing` does counts towards the viscosity of each species. */
static void smoothing_counts_towards_the_share_of_a_species(void)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    double with[2], without[2];
    def.sph.smoothing = 0.2f;
    shear_rates(&def, 20, without);
    def.sph.viscosity = 0.1f;
    def.species[1].viscosity = 0;
    shear_rates(&def, 20, with);
    test_note("smoothing alone %.4f, with a share of 0 %.4f, of 1 %.4f m^2/s", without[1], with[1],
              with[0]);
    CHECK(with[1] == without[1]);
    CHECK_NEAR(with[0] / 0.1, 1, 0.1);
}

/* Two layers, 12 particles along x, whose sides are joined; the upper one moves at 1 m/s and is of
   the species `upper`. Returns the momentum of the lower one per m after 0.2 s. */
static double layers(const tp_world_def *like, uint32_t upper)
{
    tp_world_def def = *like;
    def.periodic_axes = TP_AXIS_X;
    def.box_size.x = (float)(12 * SPACING);
    test_world made = test_world_make(&def);
    for (int j = -16; j < 16; j++)
        for (int i = 0; i < 12; i++)
            add_one(made.world, (i + 0.5) * SPACING, (j + 0.5) * SPACING,
                    (tp_vector){j < 0 ? 0.0f : 1.0f, 0, 0}, j < 0 ? 1 - upper : upper);
    double all = momentum_x(made.world, 0) + momentum_x(made.world, 1);
    test_world_frames(made.world, 12);
    CHECK_NEAR((momentum_x(made.world, 0) + momentum_x(made.world, 1)) / all, 1, 1e-6);
    double given = momentum_x(made.world, 1 - upper) / (12 * SPACING);
    test_world_free(&made);
    return given;
}

/* The interface moves such that stresses are equal: speeds differ from its own as 1 / sqrt(nu). */
static void two_layers_in_shear_have_one_stress(void)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    def.sph.viscosity = 0.09f;
    def.species[1].viscosity = 1.0f / 9;
    double theory = DENSITY * 2 * sqrt(0.2 / pi) / (1 / sqrt(0.09) + 1 / sqrt(0.01));
    double down = layers(&def, 0), up = layers(&def, 1);
    test_note("momentum %.2f, %.2f kg/s; theory %.2f", down, up, theory);
    CHECK_NEAR(down / theory, 1, 0.1);
    CHECK_NEAR(up / theory, 1, 0.1);
    def.sph.mix_count = 1;
    def.sph.mix[0] = (tp_sph_mix){.first = 1, .second = 0, .viscosity = 0};
    for (uint32_t upper = 0; upper < 2; upper++) { /* a pair has the same mix from both ends */
        double slips = layers(&def, upper);
        test_note("without viscosity between both %.2f", slips);
        CHECK(fabs(slips) < 0.02 * theory);
    }
    def.sph.mix[0].viscosity = 1;
    CHECK(layers(&def, 0) > down);
}

/* Of the double density too, and of laws: a share of 0 has the bits of no viscosity at all. */
static void linear_viscosity_has_shares(void)
{
    for (uint32_t k = 0; k < 6; k++) {
        tp_world_def def = material_def(TP_SPH_IDEAL_GAS);
        if (k % 3 == 0) tp_sph_double_density(&def, (float)SPACING);
        if (k % 3 == 1) def.sph.formulation = TP_SPH_WEAKLY_COMPRESSIBLE;
        def.sph.viscosity_linear = def.sph.viscosity_quadratic = 0;
        def.species_count = 1 + k / 3;
        float last[2][200];
        for (uint32_t with = 0; with < 2; with++) {
            def.sph.viscosity_linear = def.sph.viscosity_quadratic = with ? 0.1f : 0;
            def.species[0].viscosity = def.species[1].viscosity = with ? 0 : 1;
            test_world made = test_world_make(&def);
            for (uint32_t i = 0; i < 100; i++)
                add_one(made.world, i % 10 * 0.9 * SPACING, i / 10 * SPACING,
                        (tp_vector){i % 3 ? 0.1f : 0, i < 50 ? 0 : -1.0f, 0}, i % 2 & k / 3);
            test_world_frames(made.world, 5);
            memcpy(last[with], tp_world_view(made.world).x, 100 * sizeof(float));
            memcpy(last[with] + 100, tp_world_view(made.world).vy, 100 * sizeof(float));
            test_world_free(&made);
        }
        CHECK(memcmp(last[0], last[1], sizeof last[0]) == 0);
    }
}

/* ---- cohesion ---- */

/* A disc around (x, 0), wide along x. */
static void drop_fill(tp_world *world, double center, double radius, double stretch, bool halves,
                      uint32_t species)
{
    double wide = radius * (1 + stretch), high = radius / (1 + stretch);
    for (int j = -20; j < 20; j++)
        for (int i = -20; i < 20; i++) {
            double x = (i + 0.5) * SPACING, y = (j + 0.5) * SPACING;
            if (x * x / (wide * wide) + y * y / (high * high) > 1) continue;
            add_one(world, center + x, y, (tp_vector){0, 0, 0}, halves ? i >= 0 : species);
        }
}

static double drop_quadrupole(const tp_world *world, uint32_t species)
{
    tp_view v = tp_world_view(world);
    double x = 0, y = 0, xx = 0, yy = 0, count = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        if (species_at(v, i) != species) continue;
        x += (double)v.x[i], y += (double)v.y[i], count++;
        xx += (double)v.x[i] * (double)v.x[i], yy += (double)v.y[i] * (double)v.y[i];
    }
    xx -= x * x / count, yy -= y * y / count;
    return (xx - yy) / (xx + yy);
}

static void a_species_with_cohesion_becomes_round_and_one_without_does_not(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = material_def(k ? TP_SPH_WEAKLY_COMPRESSIBLE : TP_SPH_INCOMPRESSIBLE);
        def.sph.smoothing = 0.2f;
        def.sph.viscosity = 0.05f;
        def.sph.cohesion = 210;
        def.species[1].cohesion = 0;
        test_world made = test_world_make(&def);
        drop_fill(made.world, 0, 0.4, 0.25, false, 0);
        drop_fill(made.world, 3, 0.4, 0.25, false, 1);
        test_world_frames(made.world, 180);
        double drop = drop_quadrupole(made.world, 0), none = drop_quadrupole(made.world, 1);
        test_note("formulation %u: quadrupole %.3f with cohesion, %.3f without", k, drop, none);
        CHECK(fabs(drop) < 0.1);
        CHECK(none > 0.2);
        test_world_free(&made);
    }
}

/* A liquid that holds together. */
static tp_world_def cohesive_def(void)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    def.sph.smoothing = 0.2f;
    def.sph.viscosity = 0.05f;
    def.sph.cohesion = 210;
    return def;
}

/* Distance of the centers of two half discs over their radius: 0.85 at first. */
static double halves_after(float mixed)
{
    tp_world_def def = cohesive_def();
    if (mixed > 0) def.sph.mix_count = 1;
    def.sph.mix[0] = (tp_sph_mix){0, 1, 1, mixed};
    test_world made = test_world_make(&def);
    drop_fill(made.world, 0, 0.4, 0, true, 0);
    test_world_frames(made.world, 180);
    tp_view v = tp_world_view(made.world);
    double sum[2][3] = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < v.count; i++) {
        double *of = sum[species_at(v, i)];
        of[0] += (double)v.x[i], of[1] += (double)v.y[i], of[2]++;
    }
    test_world_free(&made);
    double x = sum[0][0] / sum[0][2] - sum[1][0] / sum[1][2],
           y = sum[0][1] / sum[0][2] - sum[1][1] / sum[1][2];
    return sqrt(x * x + y * y) / 0.4;
}

static void species_hold_together_if_their_pair_has_cohesion(void)
{
    double apart = halves_after(0), together = halves_after(1);
    test_note("distance over radius %.3f; with cohesion of the pair %.3f", apart, together);
    CHECK(apart > 1);
    CHECK(together < 0.92);
}

/* ---- walls ---- */

/* The part of the work of one particle at q support radii from a plane: the integral of
   16 (q (1 - q))^2. */
static double work_at(double q)
{
    return 16 * (1 / 30.0 - q * q * q * (1 / 3.0 - q * (0.5 - 0.2 * q)));
}

/* Speed away from a floor, far from it, of one particle that starts half a spacing above it at
   `share` of the speed at which theory lets it leave; 0: it did not leave. */
static double leaving(tp_sph_formulation formulation, double share, double *escape)
{
    tp_world_def def = material_def(formulation);
    const double h = (double)def.sph.smoothing_radius, stickiness = 40;
    double sum = 0;
    for (double q = 0.5 * SPACING / h; q < 1 - 1e-6; q += SPACING / h) sum += work_at(q);
    def.species[1].stickiness = (float)stickiness;
    def.species[1].radius = 0.01f;
    test_world made = test_world_make(&def);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider handle;
    CHECK(tp_collider_add(made.world, &floor, &handle) == TP_OK);
    /* a row of them has the work per m: stickiness = work * (1 / spacing) of all rows */
    double work = stickiness * SPACING * work_at(0.5 * SPACING / h) / sum;
    *escape = sqrt(2 * work / (double)def.species[1].mass);
    double start = share * *escape;
    add_one(made.world, 0, 0.5 * SPACING, (tp_vector){0, (float)start, 0}, 1);
    test_world_frames(made.world, 60);
    tp_view v = tp_world_view(made.world);
    double left = (double)v.y[0] > h ? (double)v.vy[0] : 0;
    test_world_free(&made);
    return left;
}

static void a_particle_leaves_a_wall_with_the_work_of_its_stickiness(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_sph_formulation formulation = k ? TP_SPH_IDEAL_GAS : TP_SPH_INCOMPRESSIBLE;
        double escape, left = leaving(formulation, 2, &escape);
        test_note("formulation %d: escape speed %.3f m/s, speed left over theory %.4f",
                  (int)formulation, escape, left / (sqrt(3) * escape));
        CHECK_NEAR(left / (sqrt(3) * escape), 1, 0.02);
        CHECK(leaving(formulation, 0.95, &escape) == 0);
        CHECK(leaving(formulation, 1.05, &escape) > 0);
    }
}

static void a_species_that_sticks_hangs_from_a_ceiling(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = material_def(k ? TP_SPH_WEAKLY_COMPRESSIBLE : TP_SPH_INCOMPRESSIBLE);
        def.sph.smoothing = 0.2f;
        def.sph.viscosity = 0.01f;
        def.species[0].stickiness = 80;
        test_world made = test_world_make(&def);
        tp_collider_def ceiling = tp_collider_default(TP_COLLIDER_PLANE);
        ceiling.pose.rotation = (tp_quaternion){0, 0, 0, 1};
        tp_collider handle;
        CHECK(tp_collider_add(made.world, &ceiling, &handle) == TP_OK);
        test_world_gravity(made.world, 9.81f);
        for (uint32_t i = 0; i < 40; i++)
            add_one(made.world, i % 20 * SPACING + (i < 20 ? 0 : 3) * (i / 20), -0.5 * SPACING,
                    (tp_vector){0, 0, 0}, i / 20);
        test_world_frames(made.world, 60);
        tp_view v = tp_world_view(made.world);
        for (uint32_t i = 0; i < v.count; i++)
            CHECK(species_at(v, i) ? (double)v.y[i] < -2 : (double)v.y[i] > -0.1);
        test_world_free(&made);
    }
}

/* Degrees, from the height and the base of a drop on a floor that was half a disc. */
static double contact_angle(double share)
{
    tp_world_def def = cohesive_def();
    def.species[0].stickiness = (float)(share * 210);
    test_world made = test_world_make(&def);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider handle;
    CHECK(tp_collider_add(made.world, &floor, &handle) == TP_OK);
    for (int j = 0; j < 10; j++)
        for (int i = -10; i < 10; i++) {
            double x = (i + 0.5) * SPACING, y = (j + 0.5) * SPACING;
            if (x * x + y * y < 0.25) add_one(made.world, x, y, (tp_vector){0, 0, 0}, 0);
        }
    test_world_frames(made.world, 480);
    tp_view v = tp_world_view(made.world);
    double height = 0, left = 1e9, right = -1e9;
    for (uint32_t i = 0; i < v.count; i++) {
        height = fmax(height, (double)v.y[i] + 0.5 * SPACING);
        if ((double)v.y[i] > SPACING) continue;
        left = fmin(left, (double)v.x[i] - 0.5 * SPACING);
        right = fmax(right, (double)v.x[i] + 0.5 * SPACING);
    }
    test_world_free(&made);
    return 2 * atan2(2 * height, right - left) * 180 / pi;
}

static void stickiness_sets_the_contact_angle(void)
{
    double high = contact_angle(0.1), right = contact_angle(0.26), low = contact_angle(0.5);
    test_note("angles %.0f, %.0f, %.0f", high, right, low);
    CHECK_NEAR(high, 125, 12);
    CHECK_NEAR(right, 90, 12);
    CHECK_NEAR(low, 43, 12);
}

static void loads_have_the_momentum_of_stickiness(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = material_def(k ? TP_SPH_IDEAL_GAS : TP_SPH_INCOMPRESSIBLE);
        def.measures_loads = true;
        def.species[0].stickiness = 20;
        def.species[1].stickiness = 5;
        test_world made = test_world_make(&def);
        tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
        ball.radius = 0.3f;
        tp_collider handle;
        CHECK(tp_collider_add(made.world, &ball, &handle) == TP_OK);
        for (uint32_t i = 0; i < 60; i++)
            add_one(made.world, 0.36 + i % 3 * SPACING, (i / 3 - 10.0) * SPACING,
                    (tp_vector){0, 0.1f, 0}, i % 2);
        double before = momentum_x(made.world, 0) + momentum_x(made.world, 1), given = 0;
        for (uint32_t f = 0; f < 30; f++) {
            tp_load load;
            test_world_frames(made.world, 1);
            CHECK(tp_collider_load(made.world, handle, &load) == TP_OK);
            given += (double)load.impulse.x;
        }
        double lost = before - momentum_x(made.world, 0) - momentum_x(made.world, 1);
        test_note("formulation %u: lost %.6f, given %.6f kg m/s", k, lost, given);
        CHECK(fabs(lost) > 1);
        CHECK_NEAR(given / lost, 1, 1e-4);
        test_world_free(&made);
    }
}

/* On two floors: the friction of a species times that of the collider. */
static void a_species_has_friction_of_its_own(void)
{
    tp_world_def def = tp_world_default(2);
    def.species_count = 3;
    def.species[1].friction = 0;
    def.species[2].friction = 2;
    test_world made = test_world_make(&def);
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.friction = 0.1f;
    tp_collider handle;
    CHECK(tp_collider_add(made.world, &floor, &handle) == TP_OK);
    floor = tp_collider_default(TP_COLLIDER_BOX);
    floor.friction = 0.05f;
    floor.half = (tp_vector){50, 0.5f, 1};
    floor.pose.position.y = 4.5f;
    CHECK(tp_collider_add(made.world, &floor, &handle) == TP_OK);
    test_world_gravity(made.world, 10);
    for (uint32_t k = 0; k < 6; k++)
        add_one(made.world, k % 3, k < 3 ? 0.05 : 5.05, (tp_vector){3, 0, 0}, k % 3);
    test_world_frames(made.world, 60);
    tp_view v = tp_world_view(made.world);
    for (uint32_t i = 0; i < 6; i++) {
        static const double left[2][3] = {{2, 3, 1}, {2.5, 3, 2}};
        CHECK_NEAR((double)v.vx[i], left[v.y[i] > 2][species_at(v, i)], 0.05);
    }
    test_world_free(&made);
}

/* ---- definitions ---- */

static void check_refused(const tp_world_def *def, const char *field)
{
    const char *text = tp_world_check(def);
    CHECK(text && strstr(text, field) != NULL);
}

static void wrong_materials_are_refused_by_name(void)
{
    const float wrong[] = {-0.1f, 1.1f, NAN};
    for (uint32_t k = 0; k < 3; k++) {
        tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
        def.species[1].viscosity = wrong[k];
        check_refused(&def, "species.viscosity");
        def = material_def(TP_SPH_INCOMPRESSIBLE);
        def.species[1].cohesion = wrong[k];
        check_refused(&def, "species.cohesion");
        def = material_def(TP_SPH_INCOMPRESSIBLE);
        def.species[1].stickiness = k == 1 ? 2e6f : wrong[k];
        check_refused(&def, "species.stickiness");
        def = material_def(TP_SPH_INCOMPRESSIBLE);
        def.species[1].friction = k == 1 ? 1001 : wrong[k];
        check_refused(&def, "species.friction");
        def = material_def(TP_SPH_INCOMPRESSIBLE);
        def.sph.mix_count = 1;
        def.sph.mix[0] = (tp_sph_mix){0, 1, wrong[k], 0};
        check_refused(&def, "sph.mix.viscosity");
        def.sph.mix[0] = (tp_sph_mix){0, 1, 0, wrong[k]};
        check_refused(&def, "sph.mix.cohesion");
    }
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    def.sph.mix_count = TP_SPH_MIX_MAX + 1;
    check_refused(&def, "sph.mix_count");
    def.sph.mix_count = 1;
    def.sph.mix[0] = (tp_sph_mix){1, 1, 0, 0};
    check_refused(&def, "sph.mix.first");
    def.sph.mix[0] = (tp_sph_mix){0, 2, 0, 0};
    check_refused(&def, "sph.mix.first");
    def.sph.mix[0] = (tp_sph_mix){0, 1, 0, 0};
    CHECK(tp_world_check(&def) == NULL);
    def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.compat = true;
    CHECK(tp_world_check(&def) == NULL);
    def.species[0].stickiness = 1;
    check_refused(&def, "species.viscosity and cohesion must be 1, stickiness");
}

static void stickiness_limits_the_step(void)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    float without = tp_sph_timestep_limit(&def);
    def.species[1].stickiness = 1e4f;
    CHECK(tp_sph_timestep_limit(&def) < without);
    check_refused(&def, "tp_sph_timestep_limit");
}

static void alike_species_need_no_memory(void)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    size_t without, with;
    CHECK(tp_world_memory(&def, &without) == TP_OK);
    def.species[1].friction = 3;
    CHECK(tp_world_memory(&def, &with) == TP_OK);
    CHECK(with == without);
    def.species[1].viscosity = 0.5f;
    CHECK(tp_world_memory(&def, &with) == TP_OK);
    CHECK(with > without && with <= without + TP_MATERIAL_BYTES);
}

/* ---- the same bits ---- */

static tp_world_def mixed_def(uint32_t slice_units)
{
    tp_world_def def = material_def(TP_SPH_INCOMPRESSIBLE);
    def.slice_units = slice_units;
    def.takes_changes = true;
    def.sph.viscosity = 0.05f;
    def.sph.cohesion = 50;
    def.sph.smoothing = 0.1f;
    def.species[0].viscosity = 0.2f;
    def.species[1].cohesion = 0.5f;
    def.species[1].stickiness = 10;
    def.species[1].friction = 0.5f;
    def.sph.mix_count = 1;
    def.sph.mix[0] = (tp_sph_mix){1, 0, 0.5f, 0.3f};
    return def;
}

static test_world mixed_world(uint32_t slice_units)
{
    tp_world_def def = mixed_def(slice_units);
    test_world made = test_world_make(&def);
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    room.is_hollow = true;
    room.half = (tp_vector){0.5f, 0.5f, 0.5f};
    room.friction = 0.3f;
    tp_collider handle;
    CHECK(tp_collider_add(made.world, &room, &handle) == TP_OK);
    test_world_gravity(made.world, 9.81f);
    for (uint32_t i = 0; i < 150; i++)
        add_one(made.world, -0.4 + i % 15 * SPACING, -0.4 + i / 15 * SPACING,
                (tp_vector){0.5f, 0, 0}, i % 15 > 7);
    return made;
}

static void slices_change_no_bit_of_materials(void)
{
    uint64_t hashes[2];
    for (uint32_t k = 0; k < 2; k++) {
        test_world made = mixed_world(k ? 64 : 65536);
        for (uint32_t f = 0; f < 30; f++) {
            tp_budget budget = {.units = k ? 1500 : 0, .lanes_max = k ? 4 : 0};
            while (tp_frame(made.world, &budget, NULL) == TP_MORE) {
                budget.is_same_frame = true;
                budget.units += 1500;
            }
        }
        hashes[k] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK(hashes[0] == hashes[1]);
}

static void materials_may_change_while_a_world_runs(void)
{
    test_world made = mixed_world(65536);
    tp_world_def def = *tp_world_definition(made.world);
    test_world_frames(made.world, 5);
    def.species[0].viscosity = 1;
    def.species[1].stickiness = 0;
    def.sph.mix[0].cohesion = 1;
    CHECK(tp_world_change(made.world, &def) == TP_OK);
    test_world_frames(made.world, 5);
    CHECK(tp_world_definition(made.world)->species[0].viscosity == 1.0f);
    def.species[1].cohesion = def.species[1].viscosity = 1;
    def.sph.mix_count = 0;
    CHECK(strstr(tp_world_change_check(made.world, &def), "materials") != NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(shear_of_honey_and_of_water_decays_as_theory_says),
    TEST_CASE(a_share_of_viscosity_is_as_much_less_viscosity),
    TEST_CASE(smoothing_counts_towards_the_share_of_a_species),
    TEST_CASE(two_layers_in_shear_have_one_stress),
    TEST_CASE(linear_viscosity_has_shares),
    TEST_CASE(a_species_with_cohesion_becomes_round_and_one_without_does_not),
    TEST_CASE(species_hold_together_if_their_pair_has_cohesion),
    TEST_CASE(a_particle_leaves_a_wall_with_the_work_of_its_stickiness),
    TEST_CASE(a_species_that_sticks_hangs_from_a_ceiling),
    TEST_CASE(stickiness_sets_the_contact_angle),
    TEST_CASE(loads_have_the_momentum_of_stickiness),
    TEST_CASE(a_species_has_friction_of_its_own),
    TEST_CASE(wrong_materials_are_refused_by_name),
    TEST_CASE(stickiness_limits_the_step),
    TEST_CASE(alike_species_need_no_memory),
    TEST_CASE(slices_change_no_bit_of_materials),
    TEST_CASE(materials_may_change_while_a_world_runs),
};
TEST_SUITE(material, cases);
