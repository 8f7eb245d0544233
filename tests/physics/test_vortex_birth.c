/* SPDX-License-Identifier: MIT
   tests/physics/test_vortex_birth.c - vortons that emitters spread: a spherical vortex, pairs,
           jets, limits, equal bits.
   reads   runtime/emit, runtime/step, runtime/solve/vortex      writes  nothing
   memory  blocks of worlds          cost    a second
   after   Hill 1894: in a sphere of radius R whose vorticity is A times the distance from its axis,
           the vortex moves with 2 A R^2 / 15, and its impulse is 4 pi A R^5 / 15 */
#include "vortex_worlds.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static tp_world_def definition(uint32_t dimensions, uint32_t particles, float core)
{
    tp_world_def def = vortex_def(dimensions, particles);
    def.vortex.core = core;
    return def;
}

static tp_emitter add_emitter(tp_world *world, const tp_emitter_def *def)
{
    tp_emitter handle = {0};
    CHECK_EQ(tp_emitter_add(world, def, &handle), TP_OK);
    return handle;
}

/* Speed along y, the mean of all particles. */
static double rise(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) sum += (double)view.vy[i] / view.count;
    return sum;
}

static void a_burst_in_a_sphere_is_hills_vortex(void)
{
    const double rate = 5, volume = 4 * PI / 3, count = 3000;
    tp_world_def def = definition(3, 3000, 0.12f);
    def.frames_per_second_numerator = 100;
    test_world made = test_world_make(&def);
    tp_emitter_def sphere = tp_emitter_default();
    sphere.shape = TP_EMITTER_SPHERE;
    sphere.size = (tp_vector){1, 1, 1};
    sphere.rate_numerator = 0;
    sphere.burst_count = 3000;
    sphere.strength = (float)(rate * volume / count);
    add_emitter(made.world, &sphere);
    test_world_frames(made.world, 2);
    double sums[6], impulse = 4 * PI * rate / 15, speed = 2 * rate / 15;
    vortex_sums(made.world, sums);
    test_note("speed %g of %g, impulse %g of %g", rise(made.world), speed, sums[4], impulse);
    CHECK_EQ(tp_world_view(made.world).count, 3000);
    CHECK_NEAR(sums[4], impulse, 0.05 * impulse);
    CHECK_NEAR(rise(made.world), speed, 0.1 * speed);
    for (uint32_t k = 0; k < 3; k++) CHECK_NEAR(sums[k], 0, 0.6); /* of 12, random */
    test_world_free(&made);
}

/* In two dimensions the vortons left and right of the axis turn against each other. */
static void a_flat_burst_is_a_pair(void)
{
    tp_world_def def = definition(2, 200, 0.1f);
    test_world made = test_world_make(&def);
    tp_emitter_def disc = tp_emitter_default();
    disc.shape = TP_EMITTER_SPHERE;
    disc.size = (tp_vector){0.5f, 0, 0};
    disc.rate_numerator = 0;
    disc.burst_count = 200;
    disc.strength = 0.02f;
    add_emitter(made.world, &disc);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK_NEAR(view.strength_z[i], -0.02f * view.x[i], 1e-7);
        CHECK(view.strength_x[i] == 0 && view.strength_y[i] == 0);
    }
    test_world_frames(made.world, 1);
    CHECK(rise(made.world) > 0.05);
    test_world_free(&made);
}

/* The axis is that of the pose, and stays it while the emitter moves. */
static void strengths_are_around_the_axis_of_the_emitter(void)
{
    tp_world_def def = definition(3, 500, 0.2f);
    test_world made = test_world_make(&def);
    tp_emitter_def disc = tp_emitter_default();
    disc.shape = TP_EMITTER_DISC;
    disc.size = (tp_vector){0.5f, 0, 0};
    disc.rate_numerator = 6000;
    disc.strength = 1e-5f;
    disc.pose.position = (tp_vector){3, 0, 0};
    disc.pose.rotation = (tp_quaternion){.z = 0.70710678f, .w = 0.70710678f};
    tp_emitter handle = add_emitter(made.world, &disc);
    disc.pose.position.z = 1;
    CHECK_EQ(tp_emitter_move(made.world, handle, disc.pose), TP_OK);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    double most = 0;
    CHECK_EQ(view.count, 100);
    for (uint32_t i = 0; i < view.count; i++) {
        double y = (double)view.y[i], a = (double)view.strength_y[i],
               b = (double)view.strength_z[i];
        CHECK_NEAR(view.strength_x[i], 0, 1e-11);
        CHECK_NEAR(b, -1e-5 * y, 1e-10); /* -x cross y */
        CHECK(fabs(a) <= 0.501e-5);
        most = fmax(most, hypot(a, b));
    }
    CHECK(most > 0.4e-5);
    test_world_free(&made);
}

/* A jet: the vorticity of a parabolic profile leaves a nozzle, and draws tracers along. */
static test_world jet_world(void)
{
    tp_world_def def = definition(3, 1200, 0.15f);
    def.vortex.vortons_max = 700;
    test_world made = test_world_make(&def);
    tp_emitter_def nozzle = tp_emitter_default(), smoke;
    nozzle.shape = TP_EMITTER_DISC;
    nozzle.size = (tp_vector){0.3f, 0, 0};
    nozzle.rate_numerator = 600;
    nozzle.velocity = (tp_vector){0, 1, 0};
    smoke = nozzle;
    nozzle.strength = 0.02f;
    smoke.size.x = 0.15f;
    smoke.rate_numerator = 120;
    smoke.velocity.y = 0;
    nozzle.lifetime_ticks = TP_TICKS_PER_FRAME * 45;
    add_emitter(made.world, &nozzle);
    add_emitter(made.world, &smoke);
    return made;
}

static void a_jet_draws_smoke_along_and_its_vortons_die(void)
{
    test_world made = jet_world();
    test_world_frames(made.world, 90);
    tp_view view = tp_world_view(made.world);
    double height = 0;
    uint32_t vortons = 0, tracers = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        bool is_vorton = view.strength_x[i] != 0 || view.strength_z[i] != 0;
        vortons += is_vorton;
        tracers += !is_vorton;
        if (!is_vorton) height = fmax(height, (double)view.y[i]);
    }
    test_note("%u vortons, %u tracers, up to %g m", (unsigned)vortons, (unsigned)tracers, height);
    CHECK(vortons > 430 && vortons < 460);
    CHECK_EQ(tracers, 180);
    CHECK(height > 0.5);
    CHECK_EQ(tp_world_report(made.world).strengths_limited, 0);
    test_world_free(&made);
}

static uint64_t hash_after(uint32_t units, uint32_t lanes)
{
    return vortex_hash(jet_world(), 6, units, lanes);
}

static void jets_have_equal_bits_in_slices_and_lanes(void)
{
    static const uint32_t units[4] = {0, 64, 1001, 50000}, lanes[3] = {4, 8, 16};
    uint64_t hash = hash_after(0, 0);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t n = 0; n < 3; n++) CHECK_EQ(hash_after(units[k], lanes[n]), hash);
}

/* ---- threads ---- */

/* Counts the calls, and runs the parts from last to first. */
static void run_backwards(void *context, void (*work)(void *argument, uint32_t index),
                          void *argument, uint32_t count)
{
    *(uint32_t *)context += 1;
    for (uint32_t index = count; index-- > 0;) work(argument, index);
}

/* A jet among 3 000 tracers on a grid, at a ball. */
static test_world busy_world(void)
{
    tp_world_def def = definition(3, 3600, 0.15f);
    def.vortex.vortons_max = 500;
    vortex_grid(&def, 9, 2);
    def.vortex.grip = 30;
    test_world made = test_world_make(&def);
    tp_emitter_def nozzle = tp_emitter_default();
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider handle;
    uint32_t state = 3;
    nozzle.shape = TP_EMITTER_DISC;
    nozzle.size = (tp_vector){0.3f, 0, 0};
    nozzle.rate_numerator = 3000;
    nozzle.velocity = (tp_vector){0, 1, 0};
    nozzle.strength = 0.02f;
    add_emitter(made.world, &nozzle);
    ball.radius = 0.3f;
    ball.pose.position.y = 0.6f;
    CHECK_EQ(tp_collider_add(made.world, &ball, &handle), TP_OK);
    for (uint32_t i = 0; i < 3000; i++) {
        tp_vector x = test_random_position(&state, 0.9f);
        CHECK_EQ(tp_particle_add(made.world, x, (tp_vector){0, 0, 0}, 0, NULL), TP_OK);
    }
    return made;
}

static uint64_t hash_with(const tp_jobs *jobs)
{
    test_world made = busy_world();
    tp_budget budget = {.jobs = jobs};
    for (uint32_t frame = 0; frame < 4; frame++)
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    uint64_t hash = tp_world_hash(made.world);
    test_world_free(&made);
    return hash;
}

/* Threads share MOVE, COLLIDE and COMMIT; one thread does FORCE. */
static void any_number_of_workers_gives_one_hash(void)
{
    static const uint32_t workers[2] = {2, 8};
    uint32_t calls = 0;
    tp_jobs backwards = {run_backwards, &calls, 3};
    uint64_t alone = hash_with(NULL);
    CHECK_EQ(hash_with(&backwards), alone);
    test_note("%u calls of jobs", (unsigned)calls);
    CHECK(calls >= 12); /* three stages of four frames */
    for (uint32_t k = 0; k < 2; k++) {
        platform_jobs pool;
        if (!CHECK(platform_jobs_start(&pool, workers[k]))) return;
        CHECK_EQ(hash_with(&pool.jobs), alone);
        platform_jobs_stop(&pool);
    }
}

/* ---- surfaces ---- */

#define CUBE_HALF 0.25f
#define FLIGHT    3.0f /* m/s along x */

/* An emitter that is the surface of a cube. */
static tp_emitter add_cube(tp_world *world)
{
    static const uint32_t indices[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                         2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    tp_vector corners[8];
    tp_emitter_def skin = tp_emitter_default();
    for (uint32_t k = 0; k < 8; k++)
        corners[k] = (tp_vector){k & 1u ? CUBE_HALF : -CUBE_HALF, k & 2u ? CUBE_HALF : -CUBE_HALF,
                                 k & 4u ? CUBE_HALF : -CUBE_HALF};
    skin.shape = TP_EMITTER_MESH;
    skin.vertices = corners;
    skin.vertex_count = 8;
    skin.indices = indices;
    skin.triangle_count = 12;
    skin.rate_numerator = 6000;
    skin.strength = 0.01f;
    return add_emitter(world, &skin);
}

/* Largest distance of the births of this frame from the surface of a cube at a pose; checks their
   strengths, which are around its axis y. */
static double off_the_skin(const tp_world *world, uint32_t first, tp_pose pose)
{
    tp_view view = tp_world_view(world);
    double most = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        if (view.id[i] < first) continue;
        tp_vector d = {view.x[i] - pose.position.x, view.y[i] - pose.position.y,
                       view.z[i] - pose.position.z},
                  a = {view.strength_x[i], view.strength_y[i], view.strength_z[i]};
        double side = fmax(fabs((double)d.x), fmax(fabs((double)d.y), fabs((double)d.z)));
        most = fmax(most, fabs(side - (double)CUBE_HALF));
        CHECK(side > (double)CUBE_HALF - 1e-3); /* none is inside */
        CHECK_NEAR(a.x, 0.01f * d.z, 2e-5);
        CHECK_NEAR(a.y, 0, 1e-7);
        CHECK_NEAR(a.z, -0.01f * d.x, 0.01f * FLIGHT / 60 + 2e-5f);
    }
    return most;
}

/* A body flies, and its skin emits: births stay behind by at most its way in a frame. */
static void the_skin_of_a_body_sheds_vortons(void)
{
    tp_world_def def = definition(3, 1200, 0.1f);
    def.bodies_max = 1;
    def.geometry_bytes_max = 4096;
    def.vortex.strength_max = 0.01f;
    def.species[0].radius = 0.001f;
    test_world made = test_world_make(&def);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def thrown = tp_body_default();
    tp_body body = {0};
    tp_body_state state;
    box.half = (tp_vector){CUBE_HALF, CUBE_HALF, CUBE_HALF};
    CHECK_EQ(tp_collider_add(made.world, &box, &thrown.collider), TP_OK);
    thrown.velocity = (tp_vector){FLIGHT, 0, 0};
    CHECK_EQ(tp_body_add(made.world, &thrown, &body), TP_OK);
    tp_emitter skin = add_cube(made.world);
    double most = 0;
    for (uint32_t frame = 0; frame < 10; frame++) {
        uint32_t first = tp_world_view(made.world).count;
        CHECK_EQ(tp_body_get(made.world, body, &state), TP_OK);
        state.pose.position.x += FLIGHT / 60; /* where the body is at the end of the frame */
        CHECK_EQ(tp_emitter_move(made.world, skin, state.pose), TP_OK);
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_body_get(made.world, body, &state), TP_OK);
        most = fmax(most, off_the_skin(made.world, first, state.pose));
    }
    tp_view view = tp_world_view(made.world);
    test_note("%u vortons, body at %g, off by %g", (unsigned)view.count,
              (double)state.pose.position.x, most);
    CHECK_EQ(view.count, 1000);
    CHECK(state.pose.position.x > 0.45f);
    CHECK(most > 0.9 * FLIGHT / 60 && most < 1.02 * FLIGHT / 60);
    test_world_free(&made);
}

static void births_beyond_the_limits_are_counted(void)
{
    tp_world_def def = definition(3, 100, 0.2f);
    def.vortex.vortons_max = 30;
    def.vortex.strength_max = 1e-4f;
    test_world made = test_world_make(&def);
    tp_emitter_def sphere = tp_emitter_default();
    sphere.shape = TP_EMITTER_SPHERE;
    sphere.size = (tp_vector){1, 0, 0};
    sphere.rate_numerator = 0;
    sphere.burst_count = 50;
    sphere.strength = 1.0f;
    add_emitter(made.world, &sphere);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 50);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(hypot((double)view.strength_x[i], (double)view.strength_z[i]) < 1.0001e-4);
    uint64_t first = tp_world_report(made.world).strengths_limited;
    CHECK(first >= 49 && first <= 50); /* one may be on the axis */
    test_world_frames(made.world, 1);
    CHECK(tp_world_report(made.world).strengths_limited >= first + 20);
    test_world_free(&made);
}

static void wrong_strengths_of_emitters_are_refused(void)
{
    tp_world_def def = tp_world_default(3);
    test_world made = test_world_make(&def);
    tp_emitter_def wrong = tp_emitter_default();
    CHECK(tp_emitter_check(made.world, &wrong) == NULL);
    wrong.strength = 1;
    CHECK(strstr(tp_emitter_check(made.world, &wrong), "no strengths") != NULL);
    test_world_free(&made);
    def = definition(3, 9, 0.1f);
    made = test_world_make(&def);
    CHECK(tp_emitter_check(made.world, &wrong) == NULL);
    wrong.strength = 2e6f;
    CHECK(strstr(tp_emitter_check(made.world, &wrong), "strength must be") != NULL);
    wrong.strength = NAN;
    CHECK(strstr(tp_emitter_check(made.world, &wrong), "strength must be") != NULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_burst_in_a_sphere_is_hills_vortex),
    TEST_CASE(a_flat_burst_is_a_pair),
    TEST_CASE(strengths_are_around_the_axis_of_the_emitter),
    TEST_CASE(a_jet_draws_smoke_along_and_its_vortons_die),
    TEST_CASE(jets_have_equal_bits_in_slices_and_lanes),
    TEST_CASE(any_number_of_workers_gives_one_hash),
    TEST_CASE(the_skin_of_a_body_sheds_vortons),
    TEST_CASE(births_beyond_the_limits_are_counted),
    TEST_CASE(wrong_strengths_of_emitters_are_refused),
};
TEST_SUITE(vortex_birth, cases);
