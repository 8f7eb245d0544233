/* SPDX-License-Identifier: MIT
   tests/physics/test_preset.c - definitions of fluids by the distance of particles: accepted, and
           calm in a column.
   reads   runtime/solve/sph      writes  nothing
   memory  worlds of up to 400 particles      cost    a second
   after   own design */
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <string.h>

#define GRAVITY 9.81
#define FLUIDS  4u

static const char *const names[FLUIDS] = {"double density", "incompressible", "ideal gas",
                                          "weakly compressible"};

static tp_world_def preset_def(uint32_t dimensions, uint32_t fluid, float spacing, float depth)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 400;
    def.slice_units = 65536;
    if (fluid == TP_SPH_DOUBLE_DENSITY) tp_sph_double_density(&def, spacing);
    if (fluid == TP_SPH_INCOMPRESSIBLE) tp_sph_incompressible(&def, spacing);
    if (fluid == TP_SPH_IDEAL_GAS) tp_sph_ideal_gas(&def, spacing, depth);
    if (fluid == TP_SPH_WEAKLY_COMPRESSIBLE) tp_sph_weakly_compressible(&def, spacing, depth);
    CHECK((uint32_t)def.sph.formulation == fluid);
    return def;
}

/* ---- columns ---- */

/* A column between walls. Its first row is half a spacing above the floor, or `fall` m higher. */
static test_world column_make(const tp_world_def *def, float spacing, const uint32_t size[3],
                              float fall)
{
    test_world made = test_world_make(def);
    tp_vector tank = {spacing * (float)size[0], 1000, spacing * (float)size[2]};
    test_world_gravity(made.world, (float)GRAVITY);
    test_world_tank(made.world, tank);
    for (uint32_t i = 0; i < size[0] * size[1] * size[2]; i++) {
        tp_vector at = {((float)(i % size[0]) + 0.5f) * spacing,
                        ((float)(i / size[0] % size[1]) + 0.5f) * spacing + fall,
                        ((float)(i / (size[0] * size[1])) + 0.5f) * spacing};
        if (def->dimensions == 2) at.z = 0;
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    return made;
}

/* In 5 s the mean energy falls below that of a fall of 0.03 spacings. */
static void check_column(uint32_t dimensions, uint32_t fluid, float spacing)
{
    const uint32_t size[3] = {dimensions == 2 ? 10 : 6, dimensions == 2 ? 20 : 10,
                              dimensions == 2 ? 1 : 6};
    float depth = spacing * (float)size[1];
    double energy = 0, height = 0;
    tp_world_def def = preset_def(dimensions, fluid, spacing, depth);
    test_world made = column_make(&def, spacing, size, 0);
    test_world_frames(made.world, 300);
    tp_view v = tp_world_view(made.world);
    for (uint32_t i = 0; i < v.count; i++) {
        double z = v.vz ? (double)v.vz[i] : 0;
        energy += 0.5 * (pow((double)v.vx[i], 2) + pow((double)v.vy[i], 2) + z * z) / v.count;
        height += 2 * (double)v.y[i] / v.count / (double)depth;
    }
    test_note("%s, %uD, spacing %.2f m: energy %.1e g spacing, height %.3f", names[fluid],
              dimensions, (double)spacing, energy / GRAVITY / (double)spacing, height);
    CHECK(v.count == size[0] * size[1] * size[2]);
    CHECK(energy < 0.03 * GRAVITY * (double)spacing);
    CHECK(height > 0.86 && height < 1.05);
    test_world_free(&made);
}

static void a_column_of_each_preset_is_calm_in_2d(void)
{
    for (uint32_t fluid = 0; fluid < FLUIDS; fluid++) {
        check_column(2, fluid, 0.03f);
        check_column(2, fluid, 0.2f);
    }
}

static void a_column_of_each_preset_is_calm_in_3d(void)
{
    for (uint32_t fluid = 0; fluid < FLUIDS; fluid++) {
        if (test_runs(fluid, 2)) check_column(3, fluid, 0.03f);
        if (test_runs(fluid + 1, 2)) check_column(3, fluid, 0.2f);
    }
}

/* A block of incompressible fluid falls on the floor from 2 m, with `most` sub-steps per frame.
   Returns the steps that were too long for the fluid. */
static uint32_t fall_strained(uint32_t dimensions, uint32_t most)
{
    const uint32_t side = dimensions == 2 ? 20 : 6,
                   size[3] = {side, side, dimensions == 2 ? 1 : side};
    tp_world_def def = preset_def(dimensions, TP_SPH_INCOMPRESSIBLE, 0.05f, 0);
    def.substeps.count_max = most;
    test_world made = column_make(&def, 0.05f, size, 2);
    test_world_frames(made.world, 90);
    uint32_t strained = (uint32_t)tp_world_report(made.world).steps_strained;
    test_note("%uD, %u sub-steps at most: %u strained", dimensions, most, strained);
    test_world_free(&made);
    return strained;
}

static void a_fall_of_2_m_needs_16_sub_steps_of_the_incompressible_fluid(void)
{
    CHECK(fall_strained(2, 16) == 0);
    CHECK(fall_strained(3, 16) == 0);
    CHECK(fall_strained(2, 8) > 0);
    CHECK(fall_strained(3, 8) > 0);
}

/* Steps that were too long in half a second of eight rows of a fluid above eight of another. */
static uint32_t layers_strained(uint32_t fluid, float ratio)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = 256;
    def.slice_units = 65536;
    def.species_count = 2;
    def.species[1].mass = ratio;
    if (fluid == TP_SPH_DOUBLE_DENSITY) tp_sph_double_density(&def, 0.05f);
    if (fluid == TP_SPH_IDEAL_GAS) tp_sph_ideal_gas(&def, 0.05f, 0.8f);
    if (fluid == TP_SPH_WEAKLY_COMPRESSIBLE) tp_sph_weakly_compressible(&def, 0.05f, 0.8f);
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, (float)GRAVITY);
    test_world_tank(made.world, (tp_vector){0.8f, 1000, 0});
    for (uint32_t i = 0; i < 256; i++) {
        tp_vector at = {((float)(i % 16u) + 0.5f) * 0.05f, ((float)(i / 16u) + 0.5f) * 0.05f, 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, i < 128, NULL) == TP_OK);
    }
    test_world_frames(made.world, 30);
    uint32_t strained = (uint32_t)tp_world_report(made.world).steps_strained;
    test_note("%s, ratio %.0f: %u at most, %u strained", names[fluid], (double)ratio,
              def.substeps.count_max, strained);
    test_world_free(&made);
    return strained;
}

/* Light particles among heavy ones take shorter steps than either fluid alone. */
static void presets_allow_the_sub_steps_of_unequal_masses(void)
{
    for (uint32_t fluid = 0; fluid < FLUIDS; fluid++) {
        if (fluid == TP_SPH_INCOMPRESSIBLE) continue;
        CHECK(layers_strained(fluid, 5) <= 3);
        if (test_is_long()) CHECK(layers_strained(fluid, 10) <= 3);
    }
}

/* ---- clumps ---- */

/* The smallest distance between `count` particles that began within a fiftieth of a spacing, in
   spacings, after 2 s. */
static double clump_apart(tp_world_def def, float spacing, uint32_t count)
{
    uint32_t state = 11;
    double least = 1e9;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < count; i++) {
        tp_vector at = test_random_position(&state, 0.01f * spacing);
        if (def.dimensions == 2) at.z = 0;
        CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
    }
    test_world_frames(made.world, 120);
    tp_view v = tp_world_view(made.world);
    for (uint32_t i = 0; i < v.count; i++)
        for (uint32_t j = 0; j < i; j++) {
            double x = (double)(v.x[i] - v.x[j]), y = (double)(v.y[i] - v.y[j]),
                   z = v.z ? (double)(v.z[i] - v.z[j]) : 0;
            least = fmin(least, sqrt(x * x + y * y + z * z) / (double)spacing);
        }
    test_world_free(&made);
    return least;
}

/* Three particles stop short: of the incompressible fluid they are then no denser than it is at
   rest; of the double density they attract each other from 0.3 spacings on. Larger clumps part,
   but single pairs of the double density stay at that distance. */
static void particles_of_a_clump_separate(void)
{
    const float spacing = 0.05f;
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def soft = preset_def(dimensions, TP_SPH_DOUBLE_DENSITY, spacing, 1),
                     stiff = preset_def(dimensions, TP_SPH_INCOMPRESSIBLE, spacing, 1),
                     springs = soft;
        springs.sph.springs_max = 8;
        const double apart[6] = {clump_apart(soft, spacing, 3),   clump_apart(springs, spacing, 3),
                                 clump_apart(stiff, spacing, 3),  clump_apart(stiff, spacing, 6),
                                 clump_apart(stiff, spacing, 12), clump_apart(stiff, spacing, 40)};
        test_note("%uD: 3 of the double density %.2f spacings, with springs %.2f; incompressible 3 "
                  "%.2f, 6 %.2f, 12 %.2f, 40 %.2f",
                  dimensions, apart[0], apart[1], apart[2], apart[3], apart[4], apart[5]);
        CHECK(apart[0] > 0.25 && apart[1] > 0.25 && apart[2] > 0.4);
        CHECK(apart[3] > 0.5 && apart[4] > 0.5 && apart[5] > 0.5);
    }
}

/* ---- definitions ---- */

static void each_preset_is_accepted_at_any_spacing(void)
{
    static const float spacings[] = {0.005f, 0.02f, 0.1f, 0.5f, 3};
    for (uint32_t k = 0; k < 2u * FLUIDS * 5u; k++) {
        float spacing = spacings[k / 2u / FLUIDS];
        tp_world_def def = preset_def(2u + k % 2u, k / 2u % FLUIDS, spacing, 40 * spacing);
        const char *text = tp_world_check(&def);
        test_note("%s, %uD, %.3f m: %s", names[k / 2u % FLUIDS], def.dimensions, (double)spacing,
                  text ? text : "accepted");
        CHECK(text == NULL);
    }
}

static void each_preset_refuses_a_spacing_that_is_not_above_zero(void)
{
    static const float spacings[] = {0, -1, NAN, INFINITY};
    for (uint32_t k = 0; k < 2u * FLUIDS * 4u; k++) {
        tp_world_def def =
            preset_def(2u + k % 2u, k / 2u % FLUIDS, spacings[k / 2u / FLUIDS], 1.0f);
        CHECK(tp_world_check(&def) != NULL);
    }
    for (uint32_t k = 0; k < 6u; k++) {
        tp_world_def def = preset_def(2, 2u + k % 2u, 0.1f, spacings[k / 2u]);
        CHECK(tp_world_check(&def) != NULL);
    }
    tp_sph_double_density(NULL, 1);
    tp_sph_incompressible(NULL, 1);
    tp_sph_ideal_gas(NULL, 1, 1);
    tp_sph_weakly_compressible(NULL, 1, 1);
}

/* All defaults but the formulation. */
static void the_double_density_of_a_decimetre_has_the_default_numbers(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def given = tp_world_default(dimensions),
                     def = preset_def(dimensions, TP_SPH_DOUBLE_DENSITY, 0.1f, 1);
        CHECK(given.sph.formulation == TP_SPH_INCOMPRESSIBLE);
        given.sph.formulation = TP_SPH_DOUBLE_DENSITY;
        CHECK(memcmp(&def.sph, &given.sph, sizeof def.sph) == 0);
        CHECK(def.species[7].rest_density == given.species[7].rest_density);
        CHECK(def.species[7].radius == given.species[7].radius);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_column_of_each_preset_is_calm_in_2d),
    TEST_CASE(a_column_of_each_preset_is_calm_in_3d),
    TEST_CASE(a_fall_of_2_m_needs_16_sub_steps_of_the_incompressible_fluid),
    TEST_CASE(presets_allow_the_sub_steps_of_unequal_masses),
    TEST_CASE(particles_of_a_clump_separate),
    TEST_CASE(each_preset_is_accepted_at_any_spacing),
    TEST_CASE(each_preset_refuses_a_spacing_that_is_not_above_zero),
    TEST_CASE(the_double_density_of_a_decimetre_has_the_default_numbers),
};
TEST_SUITE(preset, cases);
