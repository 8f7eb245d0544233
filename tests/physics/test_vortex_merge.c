/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_merge.c - vortons that merge and split: strength and impulse; the air
           at points; fast vortices.
   reads   runtime/solve/vortex/merge.c, runtime/step/birth.c      writes  nothing
   memory  blocks of worlds                 cost    a second
   after   the sum of strengths and half of the sum of x cross strength, in double precision; sums
           over pairs in double precision for the air */
#include "vortex_worlds.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static tp_world_def definition(uint32_t particles)
{
    tp_world_def def = vortex_def(3, particles);
    vortex_grid(&def, 17, 4);
    return def;
}

/* A ring of `count` vortons of this circulation around y. */
static void add_ring(tp_world *world, uint32_t count, double radius, double y, double circulation)
{
    for (uint32_t k = 0; k < count; k++) {
        double angle = 2 * PI * k / count, part = 2 * PI * radius / count * circulation;
        vortex_add(
            world,
            (tp_vector){(float)(radius * cos(angle)), (float)y, (float)(radius * sin(angle))},
            (tp_vector){(float)(part * sin(angle)), 0, (float)(-part * cos(angle))});
    }
}

static void check_sums(const tp_world *world, const double before[6], double strength,
                       double impulse)
{
    double after[6];
    vortex_sums(world, after);
    for (uint32_t k = 0; k < 6; k++) {
        test_note("%u: %.9g, before %.9g", k, after[k], before[k]);
        CHECK_NEAR(after[k], before[k], k < 3 ? strength : impulse);
    }
}

/* Two rings of many vortons at one place: each pair becomes one, and the ring moves on. */
static void near_vortons_merge_and_keep_strength_and_impulse(void)
{
    tp_world_def def = definition(600);
    def.vortex.merge = 0.05f;
    test_world made = test_world_make(&def);
    add_ring(made.world, 300, 0.8, 0, 0.02);
    add_ring(made.world, 300, 0.79, 0.01, 0.02);
    double before[6];
    vortex_sums(made.world, before);
    test_world_frames(made.world, 30);
    tp_report report = tp_world_report(made.world);
    test_note("%u left, %u merged", tp_world_view(made.world).count,
              (unsigned)report.vortons_merged);
    CHECK(report.vortons_merged > 300);
    CHECK_EQ(tp_world_view(made.world).count + report.vortons_merged, 600);
    CHECK_EQ(report.died, report.vortons_merged);
    check_sums(made.world, before, 1e-6, 1e-3 * fabs(before[4]));
    test_world_free(&made);
}

/* One step of random pairs, so slow that nothing else changes the sums. */
static void a_merged_vorton_has_the_impulse_of_both(void)
{
    tp_world_def def = definition(2000);
    def.vortex.merge = 0.03f;
    test_world made = test_world_make(&def);
    uint32_t state = 4;
    for (uint32_t i = 0; i < 1000; i++) {
        tp_vector x = test_random_position(&state, 1.6f), d = test_random_position(&state, 0.01f);
        tp_vector a = test_random_position(&state, 1e-6f);
        float more = test_uniform(&state, 0.2f, 5);
        vortex_add(made.world, x, a);
        vortex_add(made.world, (tp_vector){x.x + d.x, x.y + d.y, x.z + d.z},
                   (tp_vector){a.x * more, a.y * more, a.z * more + 0.05f * a.x});
    }
    double before[6];
    vortex_sums(made.world, before);
    test_world_frames(made.world, 1);
    CHECK(tp_world_report(made.world).vortons_merged > 400);
    /* 1000 strengths of 2e-6 at up to 1.6: the rounding of places */
    check_sums(made.world, before, 1e-10, 2e-10);
    test_world_free(&made);
}

static void vortons_that_are_not_parallel_stay_apart(void)
{
    tp_world_def def = definition(20);
    def.vortex.merge = 0.1f;
    test_world made = test_world_make(&def);
    vortex_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){1e-5f, 0, 0});
    vortex_add(made.world, (tp_vector){0.01f, 0, 0}, (tp_vector){-1e-5f, 0, 0});
    vortex_add(made.world, (tp_vector){0, 0.01f, 0}, (tp_vector){0, 1e-5f, 0});
    vortex_add(made.world, (tp_vector){1, 0, 0}, (tp_vector){0, 1e-5f, 0});
    vortex_add(made.world, (tp_vector){1.2f, 0, 0}, (tp_vector){0, 1e-5f, 0});
    test_world_frames(made.world, 20);
    CHECK_EQ(tp_world_view(made.world).count, 5);
    CHECK_EQ(tp_world_report(made.world).vortons_merged, 0);
    test_world_free(&made);
}

static void strong_vortons_split_and_keep_strength_and_impulse(void)
{
    tp_world_def def = definition(600);
    def.vortex.split = 0.0002f;
    def.species_count = 2;
    def.keeps_words = true;
    test_world made = test_world_make(&def);
    add_ring(made.world, 40, 0.8, 0, 0.005);
    double before[6];
    vortex_sums(made.world, before);
    test_world_frames(made.world, 6);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK((double)(view.strength_x[i] * view.strength_x[i] +
                       view.strength_z[i] * view.strength_z[i]) <= 4.1e-8);
        for (uint32_t j = 0; j < i; j++) CHECK(view.id[i] != view.id[j]);
    }
    test_note("%u are left", view.count);
    CHECK_EQ(tp_world_report(made.world).vortons_split, view.count - 40);
    CHECK(view.count == 160);
    check_sums(made.world, before, 1e-8, 1e-4 * fabs(before[4]));
    test_world_free(&made);
}

/* A vorton alone does not move itself. */
static void halves_lie_to_both_sides_along_the_strength(void)
{
    tp_world_def def = definition(10);
    def.vortex.split = 0.001f;
    test_world made = test_world_make(&def);
    vortex_add(made.world, (tp_vector){0.1f, 0.2f, 0.3f}, (tp_vector){0, 0.0015f, 0});
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_NEAR((double)view.y[i], i ? 0.2 - 0.0625 : 0.2 + 0.0625, 1e-4);
        CHECK_NEAR((double)view.x[i], 0.1, 1e-4);
        CHECK(view.strength_y[i] == 0.00075f);
    }
    test_world_free(&made);
}

/* Full pools: vortons stay as they are, and nothing is lost. */
static void splits_stop_where_a_pool_is_full(void)
{
    for (uint32_t by_vortons = 0; by_vortons < 2; by_vortons++) {
        tp_world_def def = definition(by_vortons ? 600 : 70);
        def.vortex.split = 0.0001f;
        if (by_vortons) def.vortex.vortons_max = 70;
        test_world made = test_world_make(&def);
        add_ring(made.world, 40, 0.8, 0, 0.005);
        double before[6];
        vortex_sums(made.world, before);
        test_world_frames(made.world, 10);
        CHECK_EQ(tp_world_view(made.world).count, 70);
        CHECK_EQ(tp_world_report(made.world).strengths_limited, 0);
        check_sums(made.world, before, 1e-8, 2e-4 * fabs(before[4]));
        test_world_free(&made);
    }
}

/* Both at once, with births, colliders, words and a budget. */
static test_world busy_world(void)
{
    tp_world_def def = definition(300);
    def.vortex.vortons_max = 200;
    def.vortex.merge = 0.1f;
    def.vortex.split = 0.03f;
    def.keeps_words = def.keeps_last_frame = true;
    test_world made = test_world_make(&def);
    tp_emitter_def jet = tp_emitter_default();
    tp_emitter emitter = {0};
    jet.shape = TP_EMITTER_DISC;
    jet.size = (tp_vector){0.3f, 0.3f, 0.3f};
    jet.rate_numerator = 300;
    jet.strength = 0.1f;
    jet.word = 7;
    CHECK_EQ(tp_emitter_add(made.world, &jet, &emitter), TP_OK);
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider collider = {0};
    ball.radius = 0.3f;
    ball.pose.position = (tp_vector){0.1f, 0.5f, 0};
    CHECK_EQ(tp_collider_add(made.world, &ball, &collider), TP_OK);
    add_ring(made.world, 60, 0.5, 0, 1);
    add_ring(made.world, 40, 0.5, -0.5, 0.1);
    return made;
}

static void merging_and_splitting_have_equal_bits(void)
{
    static const uint32_t units[4] = {0, 70, 2049, 100000}, lanes[3] = {4, 8, 16};
    test_world made = busy_world();
    test_world_frames(made.world, 6);
    tp_report report = tp_world_report(made.world);
    test_note("%u merged, %u split", (unsigned)report.vortons_merged,
              (unsigned)report.vortons_split);
    CHECK(report.vortons_merged > 3 && report.vortons_split > 3);
    test_world_free(&made);
    uint64_t hash = vortex_hash(busy_world(), 6, 0, 0);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t n = 0; n < 3; n++)
            CHECK_EQ(vortex_hash(busy_world(), 6, units[k], lanes[n]), hash);
}

static void a_slice_that_merges_stays_within_its_units(void)
{
    uint32_t all = vortex_units(busy_world(), 100000000u, 160);
    CHECK_EQ(vortex_units(busy_world(), 64, 160), all);
}

/* ---- the air at points ---- */

static void the_air_is_that_of_the_sums(void)
{
    tp_world_def def = definition(128);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 0;
    test_world made = test_world_make(&def);
    add_ring(made.world, 128, 1, 0, 1);
    tp_field_def wind = tp_field_default(TP_FIELD_WIND);
    tp_field field = {0};
    wind.vector = (tp_vector){0.5f, 0, 0};
    CHECK_EQ(tp_field_add(made.world, &wind, &field), TP_OK);
    static const tp_vector points[3] = {{0, 0, 0}, {0.3f, 0.2f, -0.4f}, {3, -1, 2}};
    tp_vector air[3];
    CHECK_EQ(tp_vortex_air(made.world, points, 3, air), TP_OK);
    tp_view view = tp_world_view(made.world);
    for (uint32_t k = 0; k < 3; k++) {
        double sum[3] = {0.5, 0, 0},
               x[3] = {(double)points[k].x, (double)points[k].y, (double)points[k].z};
        for (uint32_t i = 0; i < view.count; i++) {
            double r[3] = {x[0] - (double)view.x[i], x[1] - (double)view.y[i],
                           x[2] - (double)view.z[i]},
                   a[3] = {(double)view.strength_x[i], (double)view.strength_y[i],
                           (double)view.strength_z[i]},
                   square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + 0.01,
                   weight = 1 / (4 * PI * square * sqrt(square));
            for (uint32_t c = 0; c < 3; c++)
                sum[c] +=
                    (a[(c + 1) % 3] * r[(c + 2) % 3] - a[(c + 2) % 3] * r[(c + 1) % 3]) * weight;
        }
        CHECK_NEAR((double)air[k].x, sum[0], 1e-5);
        CHECK_NEAR((double)air[k].y, sum[1], 1e-5);
        CHECK_NEAR((double)air[k].z, sum[2], 1e-5);
    }
    CHECK(air[0].y > 0.49f); /* G / (2 R) but for the core */
    CHECK_EQ(tp_vortex_air(made.world, NULL, 0, NULL), TP_OK);
    CHECK_EQ(tp_vortex_air(made.world, NULL, 1, air), TP_ERROR_NULL);
    test_world_free(&made);
    tp_world_def other = tp_world_default(3);
    made = test_world_make(&other);
    CHECK_EQ(tp_vortex_air(made.world, points, 3, air), TP_ERROR_DEFINITION);
    test_world_free(&made);
}

/* A drop of another world is dragged as api.md says: its way is that of the equation. */
static void spray_follows_the_air(void)
{
    tp_world_def def = definition(64), wet = tp_world_default(3);
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 0;
    wet.solver = TP_SOLVER_SPH;
    wet.particles_max = 1;
    test_world air = test_world_make(&def), spray = test_world_make(&wet);
    add_ring(air.world, 64, 1, 0, 2);
    const tp_vector still = {0, 0, 0};
    CHECK_EQ(tp_particle_add(spray.world, (tp_vector){0.2f, -0.5f, 0}, still, 0, NULL), TP_OK);
    double x[3] = {(double)0.2f, -0.5, 0}, v[3] = {0, 0, 0}, keep = exp(-3.0 / 60), moved = 0;
    for (uint32_t frame = 0; frame < 40; frame++) {
        tp_view drop = tp_world_view(spray.world);
        tp_vector at = {drop.x[0], drop.y[0], drop.z[0]}, u, own;
        CHECK_EQ(tp_vortex_air(air.world, &at, 1, &u), TP_OK);
        own = (tp_vector){u.x + (drop.vx[0] - u.x) * (float)keep,
                          u.y + (drop.vy[0] - u.y) * (float)keep,
                          u.z + (drop.vz[0] - u.z) * (float)keep};
        CHECK_EQ(tp_particle_set(spray.world, 0, at, own), TP_OK);
        const double air_now[3] = {(double)u.x, (double)u.y, (double)u.z};
        for (uint32_t c = 0; c < 3; c++) {
            v[c] = air_now[c] + (v[c] - air_now[c]) * keep;
            x[c] += v[c] / 60;
        }
        test_world_frames(air.world, 1);
        test_world_frames(spray.world, 1);
    }
    tp_view drop = tp_world_view(spray.world);
    moved = (double)drop.y[0] + 0.5;
    test_note("moved %g, %g by the equation", moved, x[1] + 0.5);
    CHECK_NEAR((double)drop.y[0], x[1], 1e-4);
    CHECK_NEAR((double)drop.x[0], x[0], 1e-4);
    CHECK(moved > 0.1);
    test_world_free(&spray);
    test_world_free(&air);
}

/* ---- fast vortices ---- */

static uint64_t fast_after(float circulation, bool has_grid)
{
    tp_world_def def = definition(64);
    for (uint32_t axis = 0; axis < 3 && !has_grid; axis++) def.vortex.grid_nodes[axis] = 0;
    test_world made = test_world_make(&def);
    add_ring(made.world, 64, 1, 0, (double)circulation);
    test_world_frames(made.world, 1);
    uint64_t count = tp_world_report(made.world).vortices_fast;
    test_world_free(&made);
    return count;
}

/* A cell of 0.25 m with a vorticity of 30 / s has a circulation of about 2 m^2/s. */
static void fast_vortices_are_counted(void)
{
    CHECK_EQ(fast_after(0.1f, true), 0);
    CHECK(fast_after(6, true) > 10);
    /* 2 pi / 64 of 0.1 in a core of 0.1: 2.3 / s, of 2: 47 / s */
    CHECK_EQ(fast_after(0.1f, false), 0);
    CHECK_EQ(fast_after(2, false), 64);
}

static void merging_and_splitting_need_a_third_dimension(void)
{
    tp_world_def def = definition(10);
    CHECK(tp_world_check(&def) == NULL);
    def.vortex.merge = 0.1f;
    for (uint32_t axis = 0; axis < 3; axis++) def.vortex.grid_nodes[axis] = 0;
    CHECK(strstr(tp_world_check(&def), "vortex.merge needs") != NULL);
    def = definition(10);
    def.vortex.split = NAN;
    CHECK(strstr(tp_world_check(&def), "vortex.split") != NULL);
    def = tp_world_default(2);
    def.solver = TP_SOLVER_VORTEX;
    def.vortex.split = 1;
    CHECK(strstr(tp_world_check(&def), "vortex.split must be 0") != NULL);
}

static const test_case cases[] = {
    TEST_CASE(near_vortons_merge_and_keep_strength_and_impulse),
    TEST_CASE(a_merged_vorton_has_the_impulse_of_both),
    TEST_CASE(vortons_that_are_not_parallel_stay_apart),
    TEST_CASE(strong_vortons_split_and_keep_strength_and_impulse),
    TEST_CASE(halves_lie_to_both_sides_along_the_strength),
    TEST_CASE(splits_stop_where_a_pool_is_full),
    TEST_CASE(merging_and_splitting_have_equal_bits),
    TEST_CASE(a_slice_that_merges_stays_within_its_units),
    TEST_CASE(the_air_is_that_of_the_sums),
    TEST_CASE(spray_follows_the_air),
    TEST_CASE(fast_vortices_are_counted),
    TEST_CASE(merging_and_splitting_need_a_third_dimension),
};
TEST_SUITE(vortex_merge, cases);
