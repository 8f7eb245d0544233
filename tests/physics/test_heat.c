/* SPDX-License-Identifier: MIT
   tests/physics/test_heat.c - heat in a fluid: diffusion, walls, sources, buoyancy, limits, equal
           bits.
   reads   runtime/solve/sph/heat.c, heat_solver.c      writes  nothing
   memory  worlds of up to 2600 particles               cost    some seconds
   after   solutions of the heat equation: a Gaussian widens as s^2 = s0^2 + 2 D t; between two
           walls the temperature is linear */
#include "test.h"
#include "cache_help.h"
#include "world_help.h"
#include "solve/sph/sph_lanes.h"
#include "../../platform/jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACING 0.1f
#define RANGE   128.0f

static const tp_sph_formulation formulations[4] = {TP_SPH_DOUBLE_DENSITY, TP_SPH_INCOMPRESSIBLE,
                                                   TP_SPH_IDEAL_GAS, TP_SPH_WEAKLY_COMPRESSIBLE};

/* Particles SPACING apart at rest. */
static tp_world_def heat_def(uint32_t dimensions, tp_sph_formulation formulation, float diffusivity)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.heat = (tp_heat){.range = RANGE, .diffusivity = diffusivity};
    def.substeps = (tp_substeps){.count = 4, .count_max = 16, .courant = 0.2f};
    def.sph.formulation = formulation;
    def.species[1] = def.species[0];
    if (formulation == TP_SPH_INCOMPRESSIBLE) tp_sph_incompressible(&def, SPACING);
    if (formulation >= TP_SPH_IDEAL_GAS) {
        def.species[0].rest_density = powf(SPACING, -(float)dimensions);
        def.species[1].rest_density = def.species[0].rest_density;
        def.sph.sound_speed = 8;
    }
    float limit = tp_sph_timestep_limit(&def);
    if (def.sph.timestep_max > limit) def.sph.timestep_max = limit;
    return def;
}

/* The total in units: whole numbers, so the sum of doubles is exact. */
static double total(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++)
        sum += (double)view.temperature[i] / (double)tpi_heat_unit(&world->def);
    return sum;
}

/* ---- solutions ---- */

static tp_vector lattice_at(uint32_t k, const uint32_t sides[3])
{
    const uint32_t at[3] = {k % sides[0], k / sides[0] % sides[1], k / sides[0] / sides[1]};
    float x[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        x[axis] = SPACING * ((float)at[axis] - 0.5f * (float)(sides[axis] - 1u));
    return (tp_vector){x[0], x[1], sides[2] > 1 ? x[2] : 0};
}

static test_world lattice_make(const tp_world_def *wanted, const uint32_t sides[3])
{
    tp_world_def def = *wanted;
    def.particles_max = sides[0] * sides[1] * sides[2];
    test_world made = test_world_make(&def);
    for (uint32_t k = 0; k < def.particles_max; k++)
        CHECK(tp_particle_add(made.world, lattice_at(k, sides), (tp_vector){0, 0, 0}, 0, NULL) ==
              TP_OK);
    return made;
}

/* Simulates frames of particles that are put back to the lattice after each. */
static void lattice_frames(tp_world *world, const uint32_t sides[3], uint32_t frames)
{
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(world, 1);
        tp_view view = tp_world_view(world);
        for (uint32_t i = 0; i < view.count; i++)
            CHECK(tp_particle_set(world, i, lattice_at(view.id[i], sides), (tp_vector){0, 0, 0}) ==
                  TP_OK);
    }
}

/* Rows at the sides have fewer neighbours, and are left out. */
static void a_gaussian_widens_as_the_heat_equation_says(void)
{
    const uint32_t sides[2][3] = {{40, 15, 1}, {26, 9, 9}};
    const double wide = 0.25, diffusivity = 0.02, seconds = 1;
    for (uint32_t d = 0; d < 2; d++) {
        tp_world_def def = heat_def(d + 2, TP_SPH_INCOMPRESSIBLE, (float)diffusivity);
        test_world made = lattice_make(&def, sides[d]);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            double x = (double)view.x[i];
            CHECK(tp_particle_heat(made.world, i, (float)(100 * exp(-x * x / (2 * wide * wide)))) ==
                  TP_OK);
        }
        double before = total(made.world), worst = 0;
        lattice_frames(made.world, sides[d], 60);
        view = tp_world_view(made.world);
        double square = wide * wide + 2 * diffusivity * seconds;
        for (uint32_t i = 0; i < view.count; i++) {
            double x = (double)view.x[i];
            if (fabs((double)view.y[i]) > 0.05 || (d && fabs((double)view.z[i]) > 0.05)) continue;
            double expected = 100 * wide / sqrt(square) * exp(-x * x / (2 * square));
            worst = fmax(worst, fabs((double)view.temperature[i] - expected));
        }
        test_note("%uD: off by %.3f K of %.1f", d + 2, worst, 100 * wide / sqrt(square));
        CHECK(worst < 1.0);
        CHECK_NEAR(total(made.world), before, 0);
        test_world_free(&made);
    }
}

/* From walls at 50 K and -50 K, 2 m apart. */
static void the_temperature_between_two_walls_becomes_linear(void)
{
    const uint32_t sides[3] = {20, 5, 1};
    tp_world_def def = heat_def(2, TP_SPH_INCOMPRESSIBLE, 0.25f);
    test_world made = lattice_make(&def, sides);
    const float half = sqrtf(0.5f);
    for (int side = -1; side <= 1; side += 2) {
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider wall;
        plane.conducts = true;
        plane.temperature = -50.0f * (float)side;
        plane.pose.position.x = (float)side;
        plane.pose.rotation = (tp_quaternion){half, 0, 0, half * (float)side};
        CHECK(tp_collider_add(made.world, &plane, &wall) == TP_OK);
    }
    lattice_frames(made.world, sides, 700);
    tp_view view = tp_world_view(made.world);
    double worst = 0;
    for (uint32_t i = 0; i < view.count; i++)
        worst = fmax(worst, fabs((double)view.temperature[i] + 50 * (double)view.x[i]));
    test_note("off by %.3f K", worst);
    CHECK(worst < 1.5);
    test_world_free(&made);
}

/* The field inside of its radius: T' = 30 - T / 2. Outside nothing changes. */
static void a_heat_field_acts_within_its_radius(void)
{
    const uint32_t sides[3] = {2, 1, 1};
    tp_world_def def = heat_def(2, TP_SPH_INCOMPRESSIBLE, 0);
    test_world made = lattice_make(&def, sides);
    tp_field_def field = tp_field_default(TP_FIELD_HEAT);
    tp_field handle;
    field.center.x = -0.05f;
    field.core = 0.06f;
    field.strength = 30;
    field.linear = 0.5f;
    CHECK(tp_field_add(made.world, &field, &handle) == TP_OK);
    lattice_frames(made.world, sides, 120);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_NEAR(view.temperature[i], view.x[i] < 0 ? 60 * (1 - exp(-1.0)) : 0.0, 0.2);
    field.core = -1;
    CHECK(tp_field_check(made.world, &field) != NULL);
    field.core = 0;
    field.linear = 1e6f;
    CHECK(tp_field_set(made.world, handle, &field) == TP_OK);
    test_world_frames(made.world, 1);
    CHECK(tp_world_view(made.world).temperature[0] < 0.01f); /* implicit: it does not overshoot */
    test_world_free(&made);
}

/* ---- buoyancy ---- */

/* A particle without neighbours is accelerated by g (1 - buoyancy - expansion T). */
static void buoyancy_is_proportional_to_gravity_and_temperature(void)
{
    for (uint32_t f = 0; f < 4; f++) {
        tp_world_def def = heat_def(2 + (f & 1u), formulations[f], 0.001f);
        def.species_count = 2;
        def.species[1].expansion = 0.02f;
        def.species[1].buoyancy = 0.5f;
        test_world made = test_world_make(&def);
        test_world_gravity(made.world, 10);
        for (uint32_t k = 0; k < 3; k++)
            CHECK(tp_particle_add(made.world, (tp_vector){5 * (float)k, 0, 0}, (tp_vector){0, 0, 0},
                                  k > 0, NULL) == TP_OK);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < 3; i++)
            CHECK(tp_particle_heat(made.world, i, view.id[i] == 2 ? 100.0f : 0.0f) == TP_OK);
        test_world_frames(made.world, 6);
        view = tp_world_view(made.world);
        const double expected[3] = {-1, -0.5, 1.5};
        for (uint32_t i = 0; i < 3; i++) CHECK_NEAR(view.vy[i], expected[view.id[i]], 1e-3);
        test_world_free(&made);
    }
}

/* ---- limits ---- */

static void a_larger_diffusivity_shortens_the_step_limit(void)
{
    for (uint32_t f = 0; f < 4; f++) {
        tp_world_def def = heat_def(2, formulations[f], 0);
        float limit = tp_sph_timestep_limit(&def);
        def.heat.diffusivity = 1;
        float shorter = tp_sph_timestep_limit(&def);
        test_note("formulation %u: %g s, with diffusion %g", f, (double)limit, (double)shorter);
        CHECK(shorter < 0.5f * limit);
        /* spacing^2 / D is 0.01 s */
        CHECK(shorter > 0.0018f && shorter < 0.0030f);
        def.sph.timestep_max = 1.2f * shorter;
        def.substeps.count_max = 100;
        CHECK(tp_world_check(&def) && strstr(tp_world_check(&def), "tp_sph_timestep_limit"));
        def.heat.diffusivity = 2;
        CHECK_NEAR(tp_sph_timestep_limit(&def), 0.5f * shorter, 1e-6);
    }
}

/* A heap of particles much denser than at rest: steps are shortened, and no temperature leaves the
   range that all of them began in. */
static void no_step_is_too_long_for_diffusion(void)
{
    for (uint32_t f = 0; f < 4; f++) {
        tp_world_def def = heat_def(2, formulations[f], 0.5f);
        uint32_t state = 9;
        def.particles_max = 120;
        def.sph.neighbours_max = 120;
        def.substeps.count_max = 101;
        test_world made = test_world_make(&def);
        for (uint32_t i = 0; i < 120; i++) {
            tp_vector at = {0.4f * test_random(&state), 0.4f * test_random(&state), 0};
            CHECK(tp_particle_add(made.world, at, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
            CHECK(tp_particle_heat(made.world, i, i & 1u ? 100.0f : -20.0f) == TP_OK);
        }
        double before = total(made.world);
        for (uint32_t frame = 0; frame < 20; frame++) {
            test_world_frames(made.world, 1);
            tp_view view = tp_world_view(made.world);
            for (uint32_t i = 0; i < view.count; i++)
                if (!(view.temperature[i] <= 100.0f && view.temperature[i] >= -20.0f))
                    CHECK_NEAR(view.temperature[i], 40, 60);
        }
        CHECK(tp_world_report(made.world).steps_shortened > 0);
        CHECK_NEAR(total(made.world), before, 0);
        test_world_free(&made);
    }
}

static void definitions_with_wrong_heat_are_refused(void)
{
    tp_world_def def = heat_def(2, TP_SPH_DOUBLE_DENSITY, 0.001f), wrong = def;
    CHECK(tp_world_check(&def) == NULL);
    wrong.heat.range = -1;
    CHECK(strstr(tp_world_check(&wrong), "heat.range"));
    wrong.heat.range = 1e-9f;
    CHECK(strstr(tp_world_check(&wrong), "heat.range"));
    wrong.heat.range = 0;
    CHECK(strstr(tp_world_check(&wrong), "heat.range"));
    wrong = def;
    wrong.heat.diffusivity = -1;
    CHECK(strstr(tp_world_check(&wrong), "heat.diffusivity"));
    wrong = def;
    wrong.species[0].buoyancy = -1;
    CHECK(strstr(tp_world_check(&wrong), "species.buoyancy"));
    wrong = def;
    wrong.species[0].expansion = 1e9f;
    CHECK(strstr(tp_world_check(&wrong), "species.expansion"));
    wrong = def;
    wrong.sph.compat = true;
    CHECK(strstr(tp_world_check(&wrong), "sph.compat"));
    def.heat = (tp_heat){0};
    test_world made = test_world_make(&def);
    CHECK(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL) ==
          TP_OK);
    CHECK(tp_particle_heat(made.world, 0, 1) == TP_ERROR_DEFINITION);
    CHECK(tp_world_view(made.world).temperature == NULL);
    test_world_free(&made);
}

/* ---- equal bits ---- */

/* A splash with births and deaths; a floor that conducts and a heat field if `has_sources`. */
static test_world splash_make(uint32_t dimensions, tp_sph_formulation formulation, bool stores,
                              bool has_sources, uint32_t particles)
{
    tp_world_def def = heat_def(dimensions, formulation, 0.01f);
    uint32_t state = 5;
    def.particles_max = particles;
    def.sph.stores_neighbours = stores;
    def.sph.neighbours_max = dimensions == 2 ? 30 : 50;
    def.species[0].expansion = 0.005f;
    test_world made = test_world_make(&def);
    float side =
        dimensions == 2 ? 0.08f * sqrtf((float)particles) : 0.08f * cbrtf((float)particles);
    test_world_gravity(made.world, 9.81f);
    test_world_tank(made.world, (tp_vector){2 * side, 5 * side, side});
    for (uint32_t i = 0; i < particles * 9u / 10u; i++) {
        tp_vector at = {side * test_random(&state), side * test_random(&state),
                        side * test_random(&state)};
        CHECK(tp_particle_add(made.world, at, (tp_vector){1, 0, 0}, 0, NULL) == TP_OK);
        CHECK(tp_particle_heat(made.world, i, 100 * test_random(&state)) == TP_OK);
    }
    if (!has_sources) return made;
    tp_emitter_def jet = tp_emitter_default();
    jet.pose.position = (tp_vector){0.5f * side, 2 * side, 0.5f * side};
    jet.rate_numerator = 60;
    jet.temperature = 77;
    tp_field_def fire = tp_field_default(TP_FIELD_HEAT);
    fire.center = jet.pose.position;
    fire.core = side;
    fire.strength = 50;
    tp_collider_def floor = tp_collider_default(TP_COLLIDER_PLANE);
    floor.conducts = true;
    floor.temperature = -40;
    tp_emitter emitter;
    tp_field field;
    tp_collider collider;
    CHECK(tp_emitter_add(made.world, &jet, &emitter) == TP_OK);
    CHECK(tp_field_add(made.world, &fire, &field) == TP_OK);
    CHECK(tp_collider_add(made.world, &floor, &collider) == TP_OK);
    return made;
}

static void heat_is_conserved_to_the_last_bit(void)
{
    for (uint32_t kind = 0; kind < 8; kind++) {
        test_world made = splash_make(2 + (kind & 1u), formulations[kind / 2], true, false, 300);
        double before = total(made.world);
        test_world_frames(made.world, 20);
        CHECK_EQ(tp_world_view(made.world).count, 270);
        CHECK_NEAR(total(made.world), before, 0);
        test_world_free(&made);
    }
}

static void births_have_the_temperature_of_their_emitter(void)
{
    tp_world_def def = heat_def(2, TP_SPH_INCOMPRESSIBLE, 0.001f);
    tp_emitter_def jet = tp_emitter_default();
    tp_emitter emitter;
    jet.burst_count = 1;
    jet.temperature = -12.5f;
    test_world made = test_world_make(&def);
    CHECK(tp_emitter_add(made.world, &jet, &emitter) == TP_OK);
    test_world_frames(made.world, 2);
    CHECK_NEAR(tp_world_view(made.world).temperature[0], -12.5, 0);
    jet.temperature = 1e9f;
    CHECK(strstr(tp_emitter_check(made.world, &jet), "temperature"));
    test_world_free(&made);
}

static uint64_t splash_outcome(test_world made, uint32_t frames, const tp_budget *budget)
{
    tp_report report = {0};
    uint64_t spent = 0;
    for (uint32_t call = 0; made.world->clock.frame < frames && call < 1000000u; call++) {
        CHECK(tp_frame(made.world, budget, &report) >= TP_OK);
        spent += report.units;
    }
    uint64_t hash = tp_world_hash(made.world) ^ spent;
    test_world_free(&made);
    return hash;
}

static void slices_and_lists_change_no_bit(void)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        const tp_budget little = {.units = 777};
        uint32_t dimensions = 2 + (kind & 1u);
        tp_sph_formulation formulation = formulations[kind / 2];
        test_world whole = splash_make(dimensions, formulation, true, true, 300),
                   sliced = splash_make(dimensions, formulation, true, true, 300),
                   compact = splash_make(dimensions, formulation, false, true, 300);
        sliced.world->def.lag_frames_max = 64;
        sliced.world->def.slice_units = 64;
        test_world_frames(whole.world, 8);
        test_world_frames(compact.world, 8);
        for (uint32_t call = 0; sliced.world->clock.frame < 8 && call < 100000u; call++)
            CHECK(tp_frame(sliced.world, &little, NULL) >= TP_OK);
        CHECK_EQ(tp_world_hash(whole.world), tp_world_hash(compact.world));
        CHECK_EQ(tp_world_hash(whole.world), tp_world_hash(sliced.world));
        uint64_t hash = tp_world_hash(whole.world);
        tpi_front_kept(whole.world, TPI_KEPT_TEMPERATURE)[7] += 1.0f;
        CHECK(tp_world_hash(whole.world) != hash);
        test_world_free(&whole);
        test_world_free(&sliced);
        test_world_free(&compact);
    }
}

static void widths_and_workers_change_no_bit(void)
{
    platform_jobs pool;
    if (!CHECK(platform_jobs_start(&pool, 3))) return;
    for (uint32_t kind = 0; kind < 4; kind++) {
        uint32_t dimensions = 2 + (kind & 1u);
        tp_sph_formulation formulation = formulations[kind / 2];
        if (!test_runs(kind, 3)) continue;
        const tp_budget narrow = {.units = 1000000000u, .lanes_max = 4};
        uint64_t hash =
            splash_outcome(splash_make(dimensions, formulation, true, true, 2600), 2, &narrow);
        const tp_budget others[3] = {{.units = 1000000000u, .lanes_max = 8},
                                     {.units = 1000000000u, .lanes_max = 16},
                                     {.units = 1000000000u, .jobs = &pool.jobs}};
        for (uint32_t b = 0; b < 3; b++) {
            test_note("kind %u, budget %u", kind, b);
            CHECK_EQ(splash_outcome(splash_make(dimensions, formulation, true, true, 2600), 2,
                                    &others[b]),
                     hash);
        }
    }
    platform_jobs_stop(&pool);
}

/* A frame that is recorded with its temperatures is restored to the same bits. */
static void a_recorded_frame_goes_on_to_the_same_bits(void)
{
    for (uint32_t f = 0; f < 2; f++) {
        test_world made = splash_make(2, formulations[f], true, true, 300);
        tp_source source = tp_world_source(made.world);
        CHECK_EQ(source.schema.stream_count, 6 + f);
        CHECK(strcmp(source.schema.streams[5 + f].name, "temperature") == 0);
        cache_check_resumes(made.world, 5);
        test_world_free(&made);
    }
}

static void the_macro_bounds_the_bytes_of_a_block(void)
{
    for (uint32_t particles = 1; particles < 3000; particles = 3 * particles + 1) {
        size_t without, with;
        tp_world_def def = heat_def(2, TP_SPH_DOUBLE_DENSITY, 0.01f);
        def.particles_max = particles;
        CHECK(tp_world_memory(&def, &with) == TP_OK);
        def.heat = (tp_heat){0};
        CHECK(tp_world_memory(&def, &without) == TP_OK);
        CHECK(with > without && with <= without + TP_HEAT_BYTES(particles));
    }
}

/* A forged temperature beyond the range is found; a good block passes. */
static void a_block_with_a_temperature_beyond_the_range_is_refused(void)
{
    test_world made = splash_make(2, TP_SPH_DOUBLE_DENSITY, true, true, 100);
    tp_world *verified;
    test_world_frames(made.world, 2);
    CHECK(tp_world_verify(made.world, made.bytes, NULL, &verified) == TP_OK);
    tpi_front_kept(made.world, TPI_KEPT_TEMPERATURE)[3] = -RANGE;
    CHECK(tp_world_verify(made.world, made.bytes, NULL, &verified) == TP_OK);
    tpi_front_kept(made.world, TPI_KEPT_TEMPERATURE)[3] = 2 * RANGE;
    CHECK(tp_world_verify(made.world, made.bytes, NULL, &verified) == TP_ERROR_BLOCK);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_gaussian_widens_as_the_heat_equation_says),
    TEST_CASE(the_temperature_between_two_walls_becomes_linear),
    TEST_CASE(a_heat_field_acts_within_its_radius),
    TEST_CASE(buoyancy_is_proportional_to_gravity_and_temperature),
    TEST_CASE(a_larger_diffusivity_shortens_the_step_limit),
    TEST_CASE(no_step_is_too_long_for_diffusion),
    TEST_CASE(definitions_with_wrong_heat_are_refused),
    TEST_CASE(heat_is_conserved_to_the_last_bit),
    TEST_CASE(births_have_the_temperature_of_their_emitter),
    TEST_CASE(slices_and_lists_change_no_bit),
    TEST_CASE(widths_and_workers_change_no_bit),
    TEST_CASE(a_recorded_frame_goes_on_to_the_same_bits),
    TEST_CASE(the_macro_bounds_the_bytes_of_a_block),
    TEST_CASE(a_block_with_a_temperature_beyond_the_range_is_refused),
};
TEST_SUITE(heat, cases);
