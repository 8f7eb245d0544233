/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_body.c - bodies and sheets: momentum, weights that sheets carry, and
           the same bits.
   reads   runtime/solve/cloth, runtime/move/body_step.c      writes  nothing
   memory  worlds of up to 700 nodes      cost    about one second
   after   own design: momentum in double precision is the oracle */
#include "cloth_same.h"
#include "test.h"
#include "world_help.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <string.h>

#define SIDE 21u

/* A sheet of 1 m x 1 m, of 2 kg. */
static tp_world_def net_world(tp_cloth_integrator integrator)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = SIDE * SIDE;
    def.cloth.constraints_max = 6 * SIDE * SIDE;
    def.cloth.damping = 0.002f;
    def.cloth.integrator = integrator;
    def.substeps.count_max = 40;
    def.bodies_max = 2;
    def.slice_units = 65536;
    def.lag_frames_max = 64;
    def.measures_loads = true;
    def.species[0].mass = 2.0f / (SIDE * SIDE);
    def.species[0].radius = 0.01f;
    return def;
}

static void net_add(tp_world *world)
{
    tp_cloth_def sheet = tp_cloth_default();
    sheet.columns = sheet.rows = SIDE;
    sheet.along = (tp_vector){0.05f, 0, 0};
    sheet.across = (tp_vector){0, 0, 0.05f};
    sheet.origin = (tp_vector){-0.5f, 0, -0.5f};
    sheet.stretch = 0.001f;
    sheet.shear = 0.002f;
    sheet.bend = 0.5f;
    sheet.tether = 0;
    CHECK_EQ(tp_cloth_grid(world, &sheet, NULL), TP_OK);
}

static tp_body net_ball(tp_world *world, tp_vector at, float radius, float mass, tp_vector velocity)
{
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_body_def def = tp_body_default();
    tp_body made = {0};
    ball.pose.position = at;
    ball.radius = radius;
    ball.friction = 0.5f;
    CHECK_EQ(tp_collider_add(world, &ball, &def.collider), TP_OK);
    def.mass = mass;
    def.velocity = velocity;
    CHECK_EQ(tp_body_add(world, &def, &made), TP_OK);
    return made;
}

static tp_body_state net_state(const tp_world *world, tp_body body)
{
    tp_body_state state;
    CHECK_EQ(tp_body_get(world, body, &state), TP_OK);
    return state;
}

static void net_cross(const double a[3], const double b[3], double share, double sum[3])
{
    for (uint32_t k = 0; k < 3; k++)
        sum[k] += share * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
}

/* kg m/s and kg m^2/s of all nodes and a ball. */
static void net_momentum(const tp_world *world, tp_body body, double mass, double radius,
                         double p[3], double l[3])
{
    tp_view view = tp_world_view(world);
    tp_body_state s = net_state(world, body);
    const double node = (double)world->def.species[0].mass,
                 v[3] = {(double)s.velocity.x, (double)s.velocity.y, (double)s.velocity.z},
                 x[3] = {(double)s.center.x, (double)s.center.y, (double)s.center.z},
                 w[3] = {(double)s.angular_velocity.x, (double)s.angular_velocity.y,
                         (double)s.angular_velocity.z};
    for (uint32_t k = 0; k < 3; k++) {
        p[k] = mass * v[k];
        l[k] = 0.4 * mass * radius * radius * w[k];
    }
    net_cross(x, v, mass, l);
    for (uint32_t i = 0; i < view.count; i++) {
        const double at[3] = {(double)view.x[i], (double)view.y[i], (double)view.z[i]},
                     speed[3] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]};
        for (uint32_t k = 0; k < 3; k++) p[k] += node * speed[k];
        net_cross(at, speed, node, l);
    }
}

/* A ball flies aslant into a sheet that floats freely, and takes it along. */
static void a_ball_and_a_free_sheet_keep_their_momentum(void)
{
    for (uint32_t way = 0; way < 2; way++) {
        tp_world_def def = net_world(way ? TP_CLOTH_EXPLICIT : TP_CLOTH_XPBD);
        test_world made = test_world_make(&def);
        double p[2][3], l[2][3];
        net_add(made.world);
        tp_body ball =
            net_ball(made.world, (tp_vector){0.1f, 0.3f, 0.05f}, 0.15f, 3, (tp_vector){1, -3, 0});
        net_momentum(made.world, ball, 3, 0.15, p[0], l[0]);
        test_world_frames(made.world, 60);
        net_momentum(made.world, ball, 3, 0.15, p[1], l[1]);
        double given = 3 * (3 + (double)net_state(made.world, ball).velocity.y), most = 0, turn = 0;
        for (uint32_t k = 0; k < 3; k++) {
            most = fmax(most, fabs(p[1][k] - p[0][k]));
            turn = fmax(turn, fabs(l[1][k] - l[0][k]));
        }
        test_note("integrator %u: %.2f N s given, %.1e lost, %.1e N m s lost", way, given, most,
                  turn);
        CHECK(given > 2);
        CHECK(most < 1e-5 * given);
        CHECK(turn < 0.03); /* of 0.9, first order in dt */
        test_world_free(&made);
    }
}

/* A sheet that is held along its sides carries a ball: it comes to rest, and what nodes give it a
   second is its weight. */
static void a_sheet_carries_a_ball(void)
{
    for (uint32_t way = 0; way < 3; way++) {
        if (!test_runs(way, 2)) continue;
        const float masses[3] = {0.2f, 2, 4};
        tp_world_def def = net_world(TP_CLOTH_XPBD);
        test_world made = test_world_make(&def);
        tp_field_def drag = tp_field_default(TP_FIELD_DRAG);
        tp_field field;
        net_add(made.world);
        drag.linear = 0.04f;
        CHECK_EQ(tp_field_add(made.world, &drag, &field), TP_OK);
        for (uint32_t k = 0; k < SIDE * SIDE; k++) {
            bool is_inside =
                k % SIDE > 0 && k % SIDE < SIDE - 1 && k / SIDE > 0 && k / SIDE < SIDE - 1;
            uint32_t id = tp_world_view(made.world).id[k];
            if (!is_inside) CHECK_EQ(tp_cloth_pin(made.world, id, true), TP_OK);
        }
        tp_vector none = {0};
        tp_body ball = net_ball(made.world, (tp_vector){0.02f, 0.18f, 0}, 0.15f, masses[way], none);
        test_world_gravity(made.world, 9.81f);
        test_world_frames(made.world, 480);
        double from = (double)net_state(made.world, ball).center.y, sum = 0;
        for (uint32_t frame = 0; frame < 60; frame++) {
            tp_load load;
            test_world_frames(made.world, 1);
            CHECK_EQ(tp_collider_load(made.world, net_state(made.world, ball).collider, &load),
                     TP_OK);
            sum += (double)load.pressure.y + (double)load.friction.y;
        }
        tp_body_state state = net_state(made.world, ball);
        double weight = 9.81 * (double)masses[way];
        test_note("%g kg: at %.3f %.3f %.3f, %.1e m in a second, carried %.4f of the weight",
                  (double)masses[way], (double)state.center.x, (double)state.center.y,
                  (double)state.center.z, (double)state.center.y - from, sum / 60 / weight);
        CHECK_NEAR(state.center.y, from, 1e-3);
        CHECK(state.center.y < 0.16f && state.center.y > -0.4f);
        CHECK_NEAR(sum / 60 / weight, 1, 0.005);
        CHECK(fabs((double)state.center.z) < 0.1);
        test_world_free(&made);
    }
}

static void slices_widths_and_threads_change_no_body_on_a_sheet(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        tp_world_def def = net_world(TP_CLOTH_XPBD);
        def.slice_units = same_slice(way);
        test_world made = test_world_make(&def);
        net_add(made.world);
        CHECK_EQ(tp_cloth_pin(made.world, tp_world_view(made.world).id[0], true), TP_OK);
        tp_vector fast = {0.5f, -2, 0};
        (void)net_ball(made.world, (tp_vector){0.1f, 0.25f, 0}, 0.15f, 1, fast);
        (void)net_ball(made.world, (tp_vector){-0.2f, 0.3f, 0.1f}, 0.12f, 2, fast);
        test_world_gravity(made.world, 9.81f);
        same_run(made.world, way, &threads.jobs, 12, &told);
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

static const test_case cases[] = {
    TEST_CASE(a_ball_and_a_free_sheet_keep_their_momentum),
    TEST_CASE(a_sheet_carries_a_ball),
    TEST_CASE(slices_widths_and_threads_change_no_body_on_a_sheet),
};
TEST_SUITE(cloth_body, cases);
