/* SPDX-License-Identifier: MIT
   tests/unit/test_birth.c - births that touch resting and moving colliders, at every time within a
           step; lifetimes when emitters replace each other; deaths by sinks of every kind.
   reads   runtime/step, runtime/move              writes  nothing
   memory  small worlds                               cost    milliseconds
   after   own design: the path of a birth covers the rest of its step, which may be zero */
#include "test.h"
#include "collide_help.h"
#include "emit_help.h"
#include <math.h>
#include <string.h>

static tp_world_def birth_scene(uint32_t dimensions)
{
    tp_world_def def = emit_scene(dimensions, 1024);
    def.substeps.count = 2;
    def.species[0].radius = 0.05f;
    return def;
}

static tp_emitter add_point(const test_world *made, uint32_t per_second)
{
    tp_emitter_def point = tp_emitter_default();
    point.rate_numerator = per_second;
    return emit_add(made, &point);
}

static tp_collider_def box_of(float half, bool is_hollow)
{
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.half = (tp_vector){half, half, half};
    box.is_hollow = is_hollow;
    return box;
}

static tp_report run_moving(test_world *made, tp_collider collider, uint32_t frames)
{
    tp_report report = {0};
    tp_budget budget = {0};
    for (uint32_t f = 1; f <= frames; f++) {
        float angle = 0.5f * (float)sin(0.1 * (double)f);
        tp_pose pose = {{0.2f * angle, 0.1f * angle, 0.0f}, collide_about_z(angle)};
        CHECK(tp_collider_move(made->world, collider, pose) == TP_OK);
        CHECK(tp_frame(made->world, &budget, &report) >= TP_OK);
    }
    return report;
}

/* 120 births per second at 60 frames of 2 steps: each is born at the very end of a step. */
static void births_at_the_end_of_a_step_live_in_a_swinging_box(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        tp_world_def def = birth_scene(dimensions);
        test_world made = test_world_make(&def);
        tp_collider_def box = box_of(0.08f, true); /* every birth touches it */
        tp_collider handle = collide_add(made.world, &box);
        add_point(&made, 120);
        tp_report report = run_moving(&made, handle, 240);
        tp_view view = tp_world_view(made.world);
        CHECK_EQ(report.born, 480);
        CHECK_EQ(report.died + report.killed_particles, 0);
        CHECK_EQ(view.count, 480);
        CHECK(report.contacts > 480);
        for (uint32_t i = 0; i < view.count; i++)
            CHECK(isfinite(view.x[i]) && isfinite(view.vx[i]) && fabsf(view.vy[i]) < 2.0f);
        test_world_free(&made);
    }
}

/* A body that pushes births out of its way gives them its own velocity, at any time within the
   step. */
static void a_birth_takes_the_speed_of_the_surface_at_any_moment(void)
{
    for (uint32_t rate = 60; rate <= 660; rate += 30) {
        tp_world_def def = birth_scene(2);
        test_world made = test_world_make(&def);
        tp_collider_def box = box_of(0.5f, false);
        box.pose.position = (tp_vector){-0.5f, 0.0f, 0.0f};
        tp_collider handle = collide_add(made.world, &box);
        add_point(&made, rate);
        tp_budget budget = {0};
        for (uint32_t f = 0; f < 3; f++) { /* moves right at 6 m/s */
            box.pose.position.x += 0.1f;
            CHECK(tp_collider_move(made.world, handle, box.pose) == TP_OK);
            CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
        }
        tp_view view = tp_world_view(made.world);
        test_note("rate %u", (unsigned)rate);
        CHECK(view.count >= 3u);
        for (uint32_t i = 0; i < view.count; i++) CHECK_NEAR(view.vx[i], 6.0, 2e-3);
        test_world_free(&made);
    }
}

static void births_at_walls_of_the_published_rule_stay_finite(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.compat = true;
    def.substeps.count = 2;
    def.particles_max = 1024;
    test_world made = test_world_make(&def);
    test_world_tank(made.world, (tp_vector){0.04f, 0.04f, 0.0f});
    add_point(&made, 120);
    tp_report report = {0};
    tp_budget budget = {0};
    for (uint32_t f = 0; f < 60; f++) CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
    CHECK_EQ(report.born, 120);
    CHECK_EQ(report.died + report.killed_particles, 0);
    test_world_free(&made);
}

/* An attractor close to the emitter accelerates particles by 1e19 m/s^2. */
static void a_birth_that_is_lost_is_killed_and_did_not_die(void)
{
    tp_world_def def = birth_scene(2);
    test_world made = test_world_make(&def);
    tp_field_def pull = tp_field_default(TP_FIELD_ATTRACTOR);
    tp_field field;
    pull.strength = 1e9f;
    pull.core = 0.0f;
    pull.center.x = 1e-5f;
    CHECK(tp_field_add(made.world, &pull, &field) == TP_OK);
    add_point(&made, 90); /* every second birth is in the middle of a step */
    tp_report report = {0};
    tp_budget budget = {0};
    for (uint32_t f = 0; f < 60; f++) CHECK(tp_frame(made.world, &budget, &report) >= TP_OK);
    CHECK_EQ(report.born, 90);
    CHECK_EQ(report.died, 0);
    CHECK_EQ(report.killed_particles + tp_world_view(made.world).count, 90);
    CHECK(report.killed_particles > 80);
    test_world_free(&made);
}

/* An emitter takes the place of another one in the only slot, in one frame: particles of both die
   when they do in a world with slots for both. */
static void an_emitter_in_the_slot_of_another_one_keeps_its_lifetimes(void)
{
    for (uint32_t has_lifetime = 0; has_lifetime < 2; has_lifetime++) {
        test_world made[2];
        tp_emitter_def jet = tp_emitter_default();
        jet.burst_count = 40;
        for (uint32_t w = 0; w < 2; w++) {
            tp_world_def def = emit_scene(2, 100);
            def.emitters_max = w == 0 ? 1 : 2;
            made[w] = test_world_make(&def);
            jet.lifetime_ticks = 20 * TP_TICKS_PER_FRAME;
            jet.lifetime_jitter = 0.5f;
            tp_emitter old = emit_add(&made[w], &jet);
            test_world_frames(made[w].world, 3);
            CHECK(tp_emitter_remove(made[w].world, old) == TP_OK);
            jet.lifetime_ticks = has_lifetime ? 8 * TP_TICKS_PER_FRAME : 0;
            jet.lifetime_jitter = 0.0f;
            old = emit_add(&made[w], &jet);
            test_world_frames(made[w].world, 4);
            CHECK(tp_emitter_remove(made[w].world, old) == TP_OK);
        }
        for (uint32_t frame = 7; frame < 24; frame++) {
            tp_view view = tp_world_view(made[0].world), same = tp_world_view(made[1].world);
            uint32_t left[2][100];
            test_note("frame %u", frame);
            CHECK(view.count == same.count);
            for (uint32_t w = 0; w < 2; w++)
                CHECK(tp_world_lives(made[w].world, 0, view.count, left[w], NULL) == TP_OK);
            CHECK(memcmp(view.id, same.id, view.count * sizeof *view.id) == 0);
            CHECK(memcmp(left[0], left[1], view.count * sizeof *left[0]) == 0);
            CHECK(tp_world_verify(made[0].world, made[0].bytes, NULL, &made[0].world) == TP_OK);
            for (uint32_t w = 0; w < 2; w++) test_world_frames(made[w].world, 1);
        }
        CHECK_EQ(tp_world_view(made[0].world).count, has_lifetime ? 0 : 40);
        CHECK_EQ(made[0].world->emitters.used, 0);
        for (uint32_t w = 0; w < 2; w++) test_world_free(&made[w]);
    }
}

/* Kinds of sinks by the bits of k: how many of the particles of a jet die in 40 frames. 17 fields
   make a particle so dear that slices of 64 units have no room for a vector. */
static uint64_t fallen(uint32_t k, uint32_t slice_units, uint64_t *hash)
{
    tp_world_def def = emit_scene(2 + k % 2, 300);
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    def.slice_units = slice_units;
    def.fields_max = 17;
    if (k & 4) def.integrator = TP_INTEGRATOR_KDK, def.solver = k & 2 ? TP_SOLVER_PAIR : def.solver;
    test_world made = test_world_make(&def);
    tp_emitter_def jet = emit_lively(0);
    if (k & 128) jet.lifetime_ticks = 20u * TP_TICKS_PER_FRAME, jet.lifetime_jitter = 0.7f;
    emit_add(&made, &jet);
    for (uint32_t f = 0; f < 17; f++, gravity.vector.y = 0)
        CHECK(tp_field_add(made.world, &gravity, &field) == TP_OK);
    for (uint32_t shape = 0; shape < 4; shape++) {
        tp_sink_def sink = tp_sink_default();
        tp_sink handle;
        sink.shape = (tp_sink_shape)shape;
        sink.age_ticks = 31u * TP_TICKS_PER_FRAME;
        sink.normal = (tp_vector){0.6f, 0.8f, 0};
        sink.offset = -0.3f;
        sink.center = (tp_vector){0.1f, shape == TP_SINK_BOX ? 0.3f : 0.0f, 0};
        sink.half = (tp_vector){0.2f, 0.2f, 0.2f};
        sink.radius = 0.45f;
        sink.is_inverted = shape == TP_SINK_SPHERE;
        if (k >> shape & 8u) CHECK(tp_sink_add(made.world, &sink, &handle) == TP_OK);
    }
    test_world_frames(made.world, 40);
    uint64_t died = tp_world_report(made.world).died;
    *hash = tp_world_hash(made.world);
    test_world_free(&made);
    return died;
}

static void vectors_of_particles_die_as_single_ones(void)
{
    for (uint32_t k = 0; k < 256; k++) {
        uint64_t whole, single;
        uint64_t died = fallen(k, 65536, &whole);
        CHECK_EQ(fallen(k, 64, &single), died);
        CHECK_EQ(single, whole);
        CHECK(k < 8 ? died == 0 : died > 0);
    }
}

static const test_case cases[] = {
    TEST_CASE(an_emitter_in_the_slot_of_another_one_keeps_its_lifetimes),
    TEST_CASE(births_at_the_end_of_a_step_live_in_a_swinging_box),
    TEST_CASE(a_birth_takes_the_speed_of_the_surface_at_any_moment),
    TEST_CASE(births_at_walls_of_the_published_rule_stay_finite),
    TEST_CASE(a_birth_that_is_lost_is_killed_and_did_not_die),
    TEST_CASE(vectors_of_particles_die_as_single_ones),
};
TEST_SUITE(birth, cases);
