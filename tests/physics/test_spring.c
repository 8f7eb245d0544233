/* SPDX-License-Identifier: MIT
   tests/physics/test_spring.c - viscoelastic fluids: force and flow of one spring beside double
           precision, births and ends, the capacity of a row, bars that hold and flow.
   reads   runtime/solve/sph/spring.c, runtime/world/spring.c      writes  nothing
   memory  worlds of up to 400 particles, a cache      cost    a second
   after   own design */
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <string.h>

/* No forces but springs; 0.3 m is the support radius, a step 1/240 s. */
static tp_world_def spring_def(uint32_t dimensions, uint32_t particles)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = particles;
    def.slice_units = 65536;
    def.frames_per_second_numerator = 240;
    def.sph.smoothing_radius = 0.3f;
    def.sph.stiffness = def.sph.near_stiffness = def.sph.surface_tension = 0;
    def.sph.viscosity_linear = def.sph.viscosity_quadratic = 0;
    def.sph.springs_max = 16;
    def.sph.springs_at_rest = true;
    return def;
}

static void spring_add(tp_world *world, float x, float y)
{
    CHECK(tp_particle_add(world, (tp_vector){x, y, 0}, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK);
}

/* Two particles with a spring without force, so that only its rest length changes. */
static test_world spring_pair(float distance, float rest_length, float yield, float plasticity)
{
    const tp_spring spring = {rest_length, 0, 1, 0};
    tp_world_def def = spring_def(2, 2);
    def.sph.spring_stiffness = 0;
    def.sph.spring_yield = yield;
    def.sph.spring_plasticity = plasticity;
    test_world made = test_world_make(&def);
    spring_add(made.world, 0, 0);
    spring_add(made.world, distance, 0);
    CHECK(tp_springs_set(made.world, &spring, 1) == TP_OK);
    return made;
}

/* The only spring of a world of two particles. */
static tp_spring spring_only(const tp_world *world)
{
    tp_spring spring = {0};
    uint32_t count = 1;
    CHECK(tp_springs_get(world, &spring, &count) == TP_OK);
    CHECK_EQ(count, 1);
    return spring;
}

static double spring_distance(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double dx = (double)view.x[1] - (double)view.x[0], dy = (double)view.y[1] - (double)view.y[0];
    return sqrt(dx * dx + dy * dy);
}

/* ---- one spring ---- */

/* dt^2 k (1 - L / h) (L - r) is what a pair parts by in a step, whatever its masses. */
static void the_force_of_a_spring_is_the_published_one(void)
{
    for (uint32_t heavy = 0; heavy < 2; heavy++) {
        tp_world_def def = spring_def(2, 2);
        def.species_count = 2;
        def.species[1].mass = heavy ? 3.0f : 1.0f;
        def.sph.spring_yield = 1;
        test_world made = test_world_make(&def);
        spring_add(made.world, 0, 0);
        tp_vector other = {0.12f, 0.16f, 0};
        CHECK(tp_particle_add(made.world, other, (tp_vector){0, 0, 0}, 1, NULL) == TP_OK);
        const tp_spring spring = {0.15f, 0, 1, 0};
        CHECK(tp_springs_set(made.world, &spring, 1) == TP_OK);
        double h = (double)def.sph.smoothing_radius, r = 0.2, rest = (double)0.15f;
        double parted = 1000 / 240.0 / 240.0 * (1 - rest / h) * (rest - r);
        test_world_frames(made.world, 1);
        CHECK_NEAR(spring_distance(made.world), r + parted, 4e-7);
        CHECK_NEAR((double)spring_only(made.world).rest_length, rest, 0);
        tp_view view = tp_world_view(made.world);
        uint32_t light = view.id[0] ? 1 : 0;
        double momentum =
            (double)view.vx[light] + (double)def.species[1].mass * (double)view.vx[1u - light];
        CHECK(fabs((double)view.vx[light]) > 0.02);
        CHECK_NEAR(momentum, 0, 1e-4);
        test_world_free(&made);
    }
}

/* L grows by dt alpha (r - L - yield L), and shrinks likewise; below the yield it stays. */
static void a_spring_flows_by_the_published_law(void)
{
    static const float lengths[4] = {0.10f, 0.19f, 0.21f, 0.28f};
    for (uint32_t k = 0; k < 4; k++) {
        test_world made = spring_pair(lengths[k], 0.18f, 0.25f, 6);
        double rest = (double)0.18f, r = (double)lengths[k];
        for (uint32_t step = 0; step < 30; step++) {
            if (r > rest * 1.25) rest += 6.0 / 240 * (r - rest * 1.25);
            if (r < rest * 0.75) rest -= 6.0 / 240 * (rest * 0.75 - r);
            test_world_frames(made.world, 1);
            CHECK_NEAR((double)spring_only(made.world).rest_length, rest, 1e-6);
        }
        CHECK((fabs(rest - (double)0.18f) > 0.004) == (k == 0 || k == 3));
        test_world_free(&made);
    }
}

/* Held at a length, the stretch beyond the yield decays as exp(-(1 + yield) alpha t). */
static void stress_relaxes_exponentially(void)
{
    test_world made = spring_pair(0.25f, 0.15f, 0.1f, 4);
    for (uint32_t second = 1; second <= 3; second++) {
        test_world_frames(made.world, 120);
        double beyond = 0.25 - 1.1 * (double)spring_only(made.world).rest_length;
        CHECK_NEAR(beyond / (0.25 - 1.1 * 0.15), exp(-1.1 * 4 * 0.5 * second), 0.003);
    }
    test_world_free(&made);
}

/* ---- births and ends ---- */

static void springs_are_born_inside_the_support_radius_only(void)
{
    for (uint32_t is_at_rest = 0; is_at_rest < 2; is_at_rest++) {
        tp_world_def def = spring_def(2, 3);
        def.sph.springs_at_rest = is_at_rest == 1u;
        test_world made = test_world_make(&def);
        spring_add(made.world, 0, 0);
        spring_add(made.world, 0.2f, 0);
        spring_add(made.world, 0.52f, 0);
        test_world_frames(made.world, 1);
        tp_spring spring = spring_only(made.world);
        CHECK_EQ(spring.first + spring.second, 1);
        CHECK_NEAR((double)spring.rest_length, is_at_rest ? 0.2 : 0.3, 1e-7);
        CHECK_EQ(tp_world_report(made.world).springs, 1);
        test_world_free(&made);
    }
}

static void springs_are_born_in_the_first_frames_only(void)
{
    tp_world_def def = spring_def(2, 3);
    def.sph.spring_frames = 2;
    test_world made = test_world_make(&def);
    spring_add(made.world, 0, 0);
    spring_add(made.world, 0.2f, 0);
    test_world_frames(made.world, 2);
    spring_add(made.world, 0.1f, 0.1f);
    test_world_frames(made.world, 2);
    CHECK_EQ(spring_only(made.world).first + spring_only(made.world).second, 1);
    test_world_free(&made);
}

/* It flows to a rest length beyond the radius, where its force would turn round. */
static void a_spring_ends_when_its_rest_length_passes_the_radius(void)
{
    test_world made = spring_pair(0.6f, 0.29f, 0.1f, 60);
    test_world_frames(made.world, 1);
    CHECK_EQ(tp_world_report(made.world).springs_removed, 1);
    CHECK_EQ(tp_world_report(made.world).springs, 0);
    test_world_free(&made);
}

/* A sink takes one of three particles; the springs of the other two stay. */
static void springs_end_with_their_particles(void)
{
    tp_world_def def = spring_def(2, 8);
    def.sinks_max = 1;
    test_world made = test_world_make(&def);
    for (uint32_t k = 0; k < 3; k++) spring_add(made.world, 0.1f * (float)k, 0);
    test_world_frames(made.world, 1);
    CHECK_EQ(tp_world_report(made.world).springs, 3);
    tp_sink_def drain = tp_sink_default();
    tp_sink sink;
    drain.shape = TP_SINK_BOX;
    drain.half = (tp_vector){0.05f, 0.05f, 1};
    CHECK(tp_sink_add(made.world, &drain, &sink) == TP_OK);
    spring_add(made.world, 0.3f, 0);
    test_world_frames(made.world, 1);
    tp_spring springs[8];
    uint32_t count = 8;
    CHECK(tp_springs_get(made.world, springs, &count) == TP_OK);
    CHECK_EQ(count, 3);
    for (uint32_t k = 0; k < count; k++) CHECK(springs[k].first != 0 && springs[k].second != 0);
    CHECK_EQ(tp_world_report(made.world).springs, 3);
    test_world_free(&made);
}

/* ---- the capacity of a row ---- */

static tp_world_def crowded_def(uint32_t slice)
{
    tp_world_def def = spring_def(2, 60);
    def.sph.springs_max = 3;
    def.slice_units = slice;
    def.lag_frames_max = 64;
    return def;
}

typedef struct spring_offer {
    double square;
    uint32_t id;
} spring_offer;

/* True if the particle keeps fewer than `most` springs to partners nearer than this one, ties by
   id. */
static bool is_among_nearest(const tp_view *view, uint32_t i, uint32_t partner, uint32_t most)
{
    spring_offer offers[60], own = {0};
    uint32_t nearer = 0;
    for (uint32_t j = 0; j < view->count; j++) {
        /* as the runtime measures it: in float */
        float dx = view->x[j] - view->x[i], dy = view->y[j] - view->y[i];
        offers[j] = (spring_offer){(double)(dx * dx + dy * dy), view->id[j]};
        if (j == partner) own = offers[j];
    }
    if (own.square >= (double)(0.3f * 0.3f)) return false;
    for (uint32_t j = 0; j < view->count; j++)
        nearer += j != i && tpi_spring_is_mine(view->id[i], view->id[j]) &&
                  (offers[j].square < own.square ||
                   (offers[j].square == own.square && offers[j].id < own.id));
    return nearer < most;
}

static bool has_spring(const tp_spring *springs, uint32_t count, uint32_t first, uint32_t second)
{
    for (uint32_t k = 0; k < count; k++)
        if ((springs[k].first == first && springs[k].second == second) ||
            (springs[k].first == second && springs[k].second == first))
            return true;
    return false;
}

static void check_nearest_are_kept(const tp_world *world, const tp_spring *springs, uint32_t count)
{
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++)
        for (uint32_t j = 0; j < view.count; j++)
            if (i != j && tpi_spring_is_mine(view.id[i], view.id[j]))
                CHECK(has_spring(springs, count, view.id[i], view.id[j]) ==
                      is_among_nearest(&view, i, j, 3));
}

static void a_full_row_keeps_the_nearest(void)
{
    uint64_t hash = 0, dropped = 0;
    for (uint32_t slice = 64; slice <= 65536; slice *= 32) {
        tp_world_def def = crowded_def(slice);
        test_world made = test_world_make(&def);
        uint32_t state = 3;
        for (uint32_t k = 0; k < 60; k++)
            spring_add(made.world, test_random(&state), 0.8f * test_random(&state));
        test_world_frames(made.world, 1);
        tp_spring springs[180];
        uint32_t count = 180;
        CHECK(tp_springs_get(made.world, springs, &count) == TP_OK);
        CHECK(count > 100 && count <= 180);
        check_nearest_are_kept(made.world, springs, count);
        uint64_t now = tp_world_hash(made.world);
        CHECK(hash == 0 || now == hash);
        hash = now;
        CHECK(dropped == 0 || dropped == tp_world_report(made.world).springs_dropped);
        dropped = tp_world_report(made.world).springs_dropped;
        CHECK(dropped > 100);
        test_world_free(&made);
    }
}

/* An offer to a full row is compared with all of its springs: a unit for each 4 of them. The units
   of a step are the same in any slices, and no slice exceeds its units. */
static void offers_to_full_rows_are_charged(void)
{
    uint64_t units = 0;
    for (uint32_t slice = 64; slice <= 65536; slice *= 32) {
        tp_world_def def = spring_def(2, 60);
        def.sph.springs_max = 8;
        def.sph.neighbours_max = 100;
        def.slice_units = slice;
        test_world made = test_world_make(&def);
        uint32_t state = 3;
        for (uint32_t k = 0; k < 60; k++)
            spring_add(made.world, 0.2f * test_random(&state), 0.2f * test_random(&state));
        test_world_frames(made.world, 1);
        tp_report report = tp_world_report(made.world);
        CHECK(report.springs_dropped > 1000);
        CHECK(report.stage_units[TP_STAGE_LINKS] >= 2u * report.springs_dropped);
        CHECK(report.slice_units_longest <= slice);
        CHECK(units == 0 || report.stage_units[TP_STAGE_LINKS] == units);
        units = report.stage_units[TP_STAGE_LINKS];
        test_world_free(&made);
    }
}

/* ---- bodies ---- */

/* The length of a bar of 20 x 4 particles that is pulled out by `pull` per second for half a
   second, 4 s later, over the length before. */
static double pulled(float pull, float plasticity)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 80;
    def.slice_units = 65536;
    def.sph.springs_max = 16;
    def.sph.springs_at_rest = true;
    def.sph.spring_frames = 1;
    def.sph.spring_stiffness = 2000;
    def.sph.spring_plasticity = plasticity;
    def.sph.spring_yield = 0.2f;
    test_world made = test_world_make(&def);
    for (uint32_t i = 0; i < 80; i++)
        spring_add(made.world, 0.12f * (float)(i / 4), 0.12f * (float)(i % 4));
    test_world_frames(made.world, 60);
    double length[2];
    for (uint32_t turn = 0; turn < 2; turn++) {
        tp_view view = tp_world_view(made.world);
        double low = 1e9, high = -1e9;
        for (uint32_t i = 0; i < view.count; i++) {
            low = fmin(low, (double)view.x[i]);
            high = fmax(high, (double)view.x[i]);
        }
        length[turn] = high - low;
        for (uint32_t i = 0; turn == 0 && i < view.count; i++) {
            float along = (view.x[i] - (float)low) / (float)length[0] - 0.5f;
            tp_vector at = {view.x[i], view.y[i], 0}, velocity = {along * pull, 0, 0};
            CHECK(tp_particle_set(made.world, i, at, velocity) == TP_OK);
        }
        test_world_frames(made.world, 240);
    }
    CHECK_EQ(tp_world_report(made.world).springs_dropped, 0);
    test_world_free(&made);
    return length[1] / length[0];
}

static void a_bar_holds_its_length_below_the_yield_and_flows_above(void)
{
    double below = pulled(1, 10), above = pulled(8, 10), elastic = pulled(2, 0);
    CHECK_NEAR(below, 1, 0.01);
    CHECK_NEAR(elastic, 1, 0.01);
    CHECK(above > 1.07);
}

/* 3D: momentum and angular momentum of a spinning, stretched block that only springs hold. */
static void springs_keep_momentum(void)
{
    tp_world_def def = spring_def(3, 216);
    def.species_count = 2;
    def.species[1].mass = 0.5f;
    test_world made = test_world_make(&def);
    uint32_t state = 9;
    double sum[3] = {0, 0, 0}, sizes = 0;
    for (uint32_t i = 0; i < 216; i++) {
        tp_vector at = {0.12f * (float)(i % 6), 0.12f * (float)(i / 6 % 6),
                        0.12f * (float)(i / 36)};
        tp_vector v = {test_random(&state) - 0.5f, test_random(&state) - 0.5f,
                       test_random(&state) - 0.5f};
        CHECK(tp_particle_add(made.world, at, v, i % 2, NULL) == TP_OK);
        double mass = i % 2 ? 0.5 : 1;
        sum[0] += mass * (double)v.x, sum[1] += mass * (double)v.y, sum[2] += mass * (double)v.z;
        sizes += mass * (fabs((double)v.x) + fabs((double)v.y) + fabs((double)v.z));
    }
    test_world_frames(made.world, 1000);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        double mass = TP_META_SPECIES(view.meta[i]) ? 0.5 : 1;
        sum[0] -= mass * (double)view.vx[i], sum[1] -= mass * (double)view.vy[i];
        sum[2] -= mass * (double)view.vz[i];
    }
    for (uint32_t axis = 0; axis < 3; axis++) CHECK_NEAR(sum[axis], 0, 1e-5 * sizes);
    CHECK(tp_world_report(made.world).springs > 500);
    test_world_free(&made);
}

/* ---- state ---- */

static void springs_are_part_of_the_state(void)
{
    tp_world_def def = spring_def(2, 3);
    test_world made = test_world_make(&def);
    for (uint32_t k = 0; k < 3; k++) spring_add(made.world, 0.1f * (float)k, 0);
    test_world_frames(made.world, 1);
    uint64_t hash = tp_world_hash(made.world);
    tp_spring springs[3], back[3];
    uint32_t count = 3;
    CHECK(tp_springs_get(made.world, springs, &count) == TP_OK);
    CHECK_EQ(count, 3);
    const tp_spring kept = springs[0];
    springs[0] = springs[2];
    springs[2] = (tp_spring){kept.rest_length, kept.second, kept.first, 0};
    CHECK(tp_springs_set(made.world, springs, 3) == TP_OK);
    CHECK(tp_world_hash(made.world) == hash); /* neither order nor ends matter */
    springs[2].rest_length = nextafterf(springs[2].rest_length, 0);
    CHECK(tp_springs_set(made.world, springs, 3) == TP_OK);
    CHECK(tp_world_hash(made.world) != hash);
    const tp_spring twice[4] = {
        {0.2f, kept.first, kept.second, 0}, springs[0], springs[1], springs[2]};
    hash = tp_world_hash(made.world);
    CHECK(tp_springs_set(made.world, twice, 4) == TP_OK);
    CHECK(tp_world_hash(made.world) == hash);
    springs[2].is_deleted = 1;
    CHECK(tp_springs_set(made.world, springs, 3) == TP_OK);
    CHECK(tp_springs_get(made.world, back, &count) == TP_OK);
    CHECK_EQ(count, 2);
    test_world_free(&made);
}

static void wrong_springs_are_refused_without_effect(void)
{
    const tp_spring wrong[] = {
        {0.1f, 0, 7, 0}, {0.1f, 1, 1, 0}, {-0.1f, 0, 1, 0}, {0.31f, 0, 1, 0}, {NAN, 0, 1, 0}};
    tp_world_def def = spring_def(2, 3);
    test_world made = test_world_make(&def);
    for (uint32_t k = 0; k < 3; k++) spring_add(made.world, 0.1f * (float)k, 0);
    test_world_frames(made.world, 1);
    uint64_t hash = tp_world_hash(made.world);
    for (uint32_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        CHECK(tp_springs_set(made.world, &wrong[k], 1) == TP_ERROR_DEFINITION);
    CHECK(tp_springs_set(made.world, NULL, 1) == TP_ERROR_NULL);
    CHECK(tp_world_hash(made.world) == hash);
    test_world_free(&made);
}

/* ---- definitions ---- */

static void springs_that_are_too_stiff_are_refused_with_the_limit(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.springs_max = 16;
    float without = tp_sph_timestep_limit(&def);
    def.sph.spring_stiffness = 0;
    CHECK(tp_sph_timestep_limit(&def) == without || without > 0);
    def.sph.spring_stiffness = 20000;
    CHECK(tp_sph_timestep_limit(&def) < 0.6f * without);
    CHECK(strstr(tp_world_check(&def), "tp_sph_timestep_limit") != NULL);
}

static void springs_need_a_fluid_that_has_them(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.springs_max = 8;
    CHECK(strstr(tp_world_check(&def), "sph.springs_max") != NULL);
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    CHECK(tp_world_check(&def) == NULL);
    def.sph.compat = true;
    CHECK(strstr(tp_world_check(&def), "sph.compat") != NULL);
    def.sph.compat = false;
    def.sph.neighbours_max = 128;
    CHECK(strstr(tp_world_check(&def), "sph.neighbours_max") != NULL);
    def.sph.neighbours_max = 64;
    tp_sph_incompressible(&def, 0.1f);
    CHECK(strstr(tp_world_check(&def), "sph.springs_max") != NULL);
}

static const test_case cases[] = {
    TEST_CASE(the_force_of_a_spring_is_the_published_one),
    TEST_CASE(a_spring_flows_by_the_published_law),
    TEST_CASE(stress_relaxes_exponentially),
    TEST_CASE(springs_are_born_inside_the_support_radius_only),
    TEST_CASE(springs_are_born_in_the_first_frames_only),
    TEST_CASE(a_spring_ends_when_its_rest_length_passes_the_radius),
    TEST_CASE(springs_end_with_their_particles),
    TEST_CASE(a_full_row_keeps_the_nearest),
    TEST_CASE(offers_to_full_rows_are_charged),
    TEST_CASE(a_bar_holds_its_length_below_the_yield_and_flows_above),
    TEST_CASE(springs_keep_momentum),
    TEST_CASE(springs_are_part_of_the_state),
    TEST_CASE(wrong_springs_are_refused_without_effect),
    TEST_CASE(springs_that_are_too_stiff_are_refused_with_the_limit),
    TEST_CASE(springs_need_a_fluid_that_has_them),
};
TEST_SUITE(spring, cases);
