/* SPDX-License-Identifier: MIT
   tests/physics/test_collide_physics.c - contacts compared with closed formulas, and moving
           colliders.
   reads   runtime/move through worlds, and single paths      writes  nothing
   memory  small worlds      cost    about a second
   after   runtime/guide/physics.md, colliders */
#include "test.h"
#include "collide_help.h"
#include <math.h>
#include <string.h>

#define G 9.81f

static const tp_quaternion upright = {1.0f, 0.0f, 0.0f, 0.0f};

static test_world heavy_world(float radius, uint32_t substeps)
{
    tp_world_def def = collide_scene(3, radius);
    def.substeps.count = substeps;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, G);
    return made;
}

static tp_collider add_plane(tp_world *world, tp_pose pose, float restitution, float friction,
                             float rest_speed)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    def.pose = pose;
    def.restitution = restitution;
    def.friction = friction;
    def.rest_speed = rest_speed;
    return collide_add(world, &def);
}

/* ---- drops ---- */

/* A drop from 1 m above contact: heights of the first five peaks, from the energy after each
   bounce, and the time of the last bounce. With symplectic Euler the velocity belongs to the middle
   of a step: half a step of gravity before the position. */
static void drop(tp_integrator integrator, float restitution, uint32_t substeps, double peaks[5],
                 double *end)
{
    tp_world_def def = collide_scene(3, 0.05f);
    def.integrator = integrator;
    def.substeps.count = substeps;
    def.substeps.count_max = substeps > 8 ? substeps : 8;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, G);
    add_plane(made.world, (tp_pose){{0, 0, 0}, upright}, restitution, 0.0f, 0.01f);
    collide_particle(made.world, tpi_vector(0.0f, 1.05f, 0.0f), tpi_vector(0, 0, 0));
    int peak = 0;
    double last = 0.0,
           late = integrator == TP_INTEGRATOR_EULER ? 0.5 * (double)G / (60.0 * substeps) : 0.0;
    *end = 0.0;
    memset(peaks, 0, 5 * sizeof peaks[0]);
    for (int f = 0; f < 330; f++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        double y = (double)view.y[0] - 0.05, v = (double)view.vy[0] - late;
        if (v > last && peak < 5) peaks[peak++] = y + v * v / (2.0 * (double)G);
        if (y > 6e-5) *end = (f + 2) / 60.0; /* the first frame at rest */
        last = v;
    }
    test_world_free(&made);
}

static void check_drop(tp_integrator integrator, float restitution, const double expected[5],
                       double end_expected, uint32_t substeps)
{
    double peaks[5], end;
    drop(integrator, restitution, substeps, peaks, &end);
    for (int p = 0; p < 5; p++) {
        test_note("integrator %d, restitution %g, peak %d", (int)integrator, (double)restitution,
                  p);
        CHECK_NEAR(peaks[p], expected[p], 0.01 * expected[p] + 2e-4);
    }
    CHECK_NEAR(end, end_expected, fmax(0.01 * end_expected, 1.0 / 60.0));
}

static void drops_bounce_to_the_squared_restitution(void)
{
    const double half[5] = {.25, .0625, .015625, .003906, .000977};
    const double most[5] = {.64, .4096, .262144, .167772, .107374};
    check_drop(TP_INTEGRATOR_KDK, 0.5f, half, 1.354571, 16);
    check_drop(TP_INTEGRATOR_KDK, 0.8f, most, 4.063713, 16);
    check_drop(TP_INTEGRATOR_EULER, 0.5f, half, 1.354571, 16);
    check_drop(TP_INTEGRATOR_EULER, 0.8f, most, 4.063713, 16);
}

static void elastic_drop_never_gains_energy(void)
{
    tp_world_def def = collide_scene(3, 0.05f);
    def.integrator = TP_INTEGRATOR_KDK;
    test_world made = test_world_make(&def);
    test_world_gravity(made.world, G);
    add_plane(made.world, (tp_pose){{0, 0, 0}, upright}, 1.0f, 0.0f, -1.0f);
    collide_particle(made.world, tpi_vector(0.0f, 1.05f, 0.0f), tpi_vector(0, 0, 0));
    double last = (double)G * 1.05;
    for (int f = 0; f < 6000; f++) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        double energy =
            0.5 * (double)view.vy[0] * (double)view.vy[0] + (double)G * (double)view.y[0];
        test_note("frame %d", f);
        CHECK(energy <= last + 2e-5);
        last = energy;
    }
    CHECK(last > 0.7 * (double)G * 1.05); /* and loses little energy: 100 s */
    test_world_free(&made);
}

/* ---- the closed box ---- */

/* Position at time t of a point that started at `x` with velocity `v`, reflected at -half and
   +half. */
static double triangle_wave(double x, double v, double t, double half)
{
    double place = fmod(x + v * t + half, 4.0 * half);
    if (place < 0.0) place += 4.0 * half;
    return place <= 2.0 * half ? place - half : 3.0 * half - place;
}

/* At 64 frames per second every step without contact is exact in floats; only the bounces are
   rounded. */
static void elastic_box_keeps_every_speed_for_1e5_bounces(void)
{
    const float speed[3] = {7.25f, -11.5f, 13.75f}, radius = 0.0078125f,
                contact = radius + 0.5f * TPI_SKIN_LEAST;
    /* rounded as in the runtime: the error adds up over 1e5 bounces */
    const double half = (double)(0.5f - contact);
    tp_world_def def = collide_scene(3, radius);
    def.frames_per_second_numerator = 64;
    test_world made = test_world_make(&def);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.is_hollow = true;
    box.restitution = 1.0f;
    collide_add(made.world, &box);
    collide_particle(made.world, tpi_vector(0.125f, 0.25f, -0.375f),
                     tpi_vector(speed[0], speed[1], speed[2]));
    uint64_t bounces = 0;
    double t = 0.0;
    while (bounces < 100000) {
        test_world_frames(made.world, 1);
        tp_view view = tp_world_view(made.world);
        tp_report report = tp_world_report(made.world);
        bounces += report.contacts;
        t += (double)report.timestep;
        CHECK(fabsf(view.vx[0]) == 7.25f && fabsf(view.vy[0]) == 11.5f &&
              fabsf(view.vz[0]) == 13.75f);
    }
    tp_view view = tp_world_view(made.world);
    CHECK_NEAR(view.x[0], triangle_wave(0.125, 7.25, t, half), 1e-4);
    CHECK_NEAR(view.y[0], triangle_wave(0.25, -11.5, t, half), 1e-4);
    CHECK_NEAR(view.z[0], triangle_wave(-0.375, 13.75, t, half), 1e-4);
    CHECK_EQ(tp_world_report(made.world).contacts_limited, 0);
    test_world_free(&made);
}

/* ---- friction ---- */

/* A particle on an incline for `seconds`; returns the distance covered and the speed. */
static void incline(float degrees, float friction, double seconds, double *gone, double *speed)
{
    float angle = degrees * 0.017453293f;
    test_world made = heavy_world(0.05f, 4);
    add_plane(made.world, (tp_pose){{0, 0, 0}, collide_about_z(angle)}, 0.0f, friction, -1.0f);
    tp_vector start = tpi_vector(-sinf(angle) * 0.0501f, cosf(angle) * 0.0501f, 0.0f);
    collide_particle(made.world, start, tpi_vector(0, 0, 0));
    test_world_frames(made.world, (uint32_t)(seconds * 60.0));
    tp_view view = tp_world_view(made.world);
    double c = cos((double)angle), s = sin((double)angle);
    *gone =
        -(((double)view.x[0] - (double)start.x) * c + ((double)view.y[0] - (double)start.y) * s);
    *speed = -((double)view.vx[0] * c + (double)view.vy[0] * s);
    CHECK_EQ(tp_world_report(made.world).contacts_limited, 0);
    test_world_free(&made);
}

static void steep_incline_slides_with_coulomb_acceleration(void)
{
    double gone, speed;
    incline(30.0f, 0.3f, 2.0, &gone, &speed);
    CHECK_NEAR(speed / 2.0, 2.3563, 0.01 * 2.3563);
    CHECK_NEAR(gone, 0.5 * 2.3563 * 4.0, 0.01 * 0.5 * 2.3563 * 4.0);
}

static void shallow_incline_sticks(void)
{
    double gone, speed;
    incline(15.0f, 0.3f, 10.0, &gone, &speed);
    CHECK_NEAR(gone, 0.0, 1e-4);
}

static void sliding_stops_after_the_coulomb_distance(void)
{
    test_world made = heavy_world(0.05f, 4);
    add_plane(made.world, (tp_pose){{0, 0, 0}, upright}, 0.0f, 0.3f, -1.0f);
    collide_particle(made.world, tpi_vector(0.0f, 0.05005f, 0.0f), tpi_vector(3.0f, 0.0f, 0.0f));
    test_world_frames(made.world, 120);
    tp_view view = tp_world_view(made.world);
    CHECK_NEAR(view.x[0], 1.5291, 0.01 * 1.5291);
    CHECK(view.vx[0] == 0.0f);
    CHECK(view.y[0] > 0.05f && view.y[0] < 0.0502f);
    test_world_free(&made);
}

/* ---- moving colliders ---- */

static uint32_t noise = 1;

/* A container with walls of zero thickness, shaken and spun by up to half a turn and several metres
   per frame. */
static void shake_container(tp_collider_def container, float radius, uint32_t substeps)
{
    test_world made = heavy_world(radius, substeps);
    tp_collider collider = collide_add(made.world, &container);
    for (int p = 0; p < 64; p++)
        collide_particle(made.world, test_random_position(&noise, 0.4f),
                         test_random_position(&noise, 5.0f));
    uint32_t outside = 0;
    for (int f = 0; f < 600; f++) {
        float violence = f < 300 ? 0.2f : 4.0f;
        tp_pose pose = test_random_pose(&noise, violence);
        if (f % 7 == 0) pose.rotation = upright;
        collide_move(made.world, collider, pose);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            double p[3];
            collide_local(pose, tpi_vector(view.x[i], view.y[i], view.z[i]), p);
            double far = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
            outside += (far <= 0.5 - (double)radius + 1e-4) ? 0u : 1u;
        }
    }
    CHECK_EQ(outside, 0);
    CHECK_EQ(tp_world_report(made.world).particles, 64);
    test_world_free(&made);
}

static void shaken_containers_keep_every_particle(void)
{
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    box.is_hollow = true;
    box.restitution = 0.5f;
    tp_collider_def mesh = collide_cube(true);
    mesh.friction = 0.3f;
    shake_container(box, 0.02f, 1);
    shake_container(box, 0.0f, 3);
    shake_container(mesh, 0.02f, 1);
    shake_container(mesh, 0.0f, 1);
    shake_container(mesh, 0.0f, 4);
}

/* A wide plate of zero thickness moves up through resting particles at 120 m/s: all particles above
   it stay above. */
static void fast_plate_catches_every_particle(void)
{
    const tp_vector corners[4] = {{-5, 0, -5}, {5, 0, -5}, {-5, 0, 5}, {5, 0, 5}};
    const uint32_t triangles[6] = {0, 2, 1, 1, 2, 3};
    for (uint32_t kind = 0; kind < 3; kind++) {
        test_world made = collide_world(3, kind == 1 ? 0.0f : 0.03f);
        tp_collider_def plate = kind == 2 ? tp_collider_default(TP_COLLIDER_BOX)
                                          : collide_mesh(corners, 4, triangles, 2);
        plate.half = tpi_vector(5.0f, 0.0005f, 5.0f);
        plate.is_two_sided = true;
        plate.pose.position.y = -3.0f;
        tp_collider collider = collide_add(made.world, &plate);
        for (int p = 0; p < 64; p++) {
            tp_vector place = test_random_position(&noise, 2.0f);
            collide_particle(made.world, place, tpi_vector(0, 0, 0));
        }
        uint32_t below = 0;
        for (int f = 0; f < 30; f++) {
            float y = -3.0f + 2.0f * (float)(f + 1);
            collide_move(made.world, collider, (tp_pose){tpi_vector(0.0f, y, 0.0f), upright});
            tp_view view = tp_world_view(made.world);
            for (uint32_t i = 0; i < view.count; i++) below += (view.y[i] > y) ? 0u : 1u;
        }
        test_note("kind %u", kind);
        CHECK_EQ(below, 0);
        test_world_free(&made);
    }
}

/* A paddle rotates about z by a third of a right angle per frame inside a ring of resting
   particles: swept particles leave ahead of it, and none is found behind it. */
static void rotating_paddle_overtakes_no_particle(void)
{
    test_world made = collide_world(3, 0.02f);
    tp_collider_def paddle = tp_collider_default(TP_COLLIDER_BOX);
    paddle.half = tpi_vector(2.0f, 0.0005f, 2.0f);
    tp_collider collider = collide_add(made.world, &paddle);
    float angles[64];
    for (int p = 0; p < 64; p++) {
        angles[p] = test_uniform(&noise, 0.1f, 3.0f); /* above the right half of the paddle */
        float far = test_uniform(&noise, 0.3f, 1.9f);
        float z = test_uniform(&noise, -1.0f, 1.0f);
        collide_particle(made.world, tpi_vector(far * cosf(angles[p]), far * sinf(angles[p]), z),
                         tpi_vector(0, 0, 0));
    }
    uint32_t behind = 0, moved = 0;
    for (int f = 1; f <= 5; f++) {
        float angle = 0.5236f * (float)f;
        collide_move(made.world, collider, (tp_pose){tpi_vector(0, 0, 0), collide_about_z(angle)});
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) {
            double p[3];
            collide_local((tp_pose){tpi_vector(0, 0, 0), collide_about_z(angle)},
                          tpi_vector(view.x[i], view.y[i], view.z[i]), p);
            bool is_beside = fabs(p[0]) > 2.0 || fabs(p[2]) > 2.0;
            behind += is_beside || p[1] > 0.0205 - 1e-4 ? 0u : 1u;
            moved += view.vx[i] != 0.0f || view.vy[i] != 0.0f;
        }
    }
    CHECK_EQ(behind, 0);
    CHECK(moved > 64);
    test_world_free(&made);
}

/* A particle on a platform that moves up, down and sideways; friction carries it along. */
static void platform_carries_what_rests_on_it(void)
{
    test_world made = heavy_world(0.05f, 1);
    tp_collider_def platform = tp_collider_default(TP_COLLIDER_BOX);
    platform.half = tpi_vector(2.0f, 0.1f, 2.0f);
    platform.friction = 2.0f;
    tp_collider collider = collide_add(made.world, &platform);
    collide_particle(made.world, tpi_vector(0.3f, 0.1502f, 0.0f), tpi_vector(0, 0, 0));
    for (int f = 1; f <= 600; f++) {
        double t = f / 60.0;
        tp_vector place =
            tpi_vector((float)(0.5 * sin(2.0 * t)), (float)(0.4 * sin(3.0 * t)), 0.0f);
        collide_move(made.world, collider, (tp_pose){place, upright});
        tp_view view = tp_world_view(made.world);
        test_note("frame %d", f);
        CHECK(view.y[0] - place.y >= 0.15f - 1e-5f && view.y[0] - place.y < 0.153f);
        CHECK_NEAR(view.x[0] - place.x, 0.3, 0.02);
    }
    CHECK_EQ(tp_world_report(made.world).pushed_out, 0);
    CHECK_EQ(tp_world_report(made.world).contacts_limited, 0);
    test_world_free(&made);
}

/* A turntable with high friction: the particle moves with it until friction can no longer hold
   it. */
static void turntable_carries_what_rests_on_it(void)
{
    test_world made = heavy_world(0.05f, 4);
    tp_collider_def table = tp_collider_default(TP_COLLIDER_BOX);
    table.half = tpi_vector(2.0f, 0.1f, 2.0f);
    table.friction = 1.0f;
    tp_collider collider = collide_add(made.world, &table);
    collide_particle(made.world, tpi_vector(1.0f, 0.1502f, 0.0f), tpi_vector(0, 0, 0));
    for (int f = 1; f <= 240; f++) {
        float angle = 1.5f / 60.0f * (float)f; /* 1.5 rad/s: v^2 / r = 2.25 < mu g */
        tp_quaternion turn = {cosf(0.5f * angle), 0.0f, sinf(0.5f * angle), 0.0f};
        collide_move(made.world, collider, (tp_pose){tpi_vector(0, 0, 0), turn});
    }
    tp_view view = tp_world_view(made.world);
    CHECK_NEAR(atan2(-(double)view.z[0], (double)view.x[0]),
               6.0 - 6.283185307 - 1.5 * 1.5 / (2.0 * (double)G), 0.01);
    /* slips until friction has brought it to 1.5 m/s: it falls behind by v^2 / (2 mu g) */
    CHECK_NEAR(hypot((double)view.x[0], (double)view.z[0]), 1.0, 0.03);
    test_world_free(&made);
}

/* A particle between a piston and a floor stays above the floor: the piston must not push it
   through. */
static void squeezed_particle_stays_above_the_floor(void)
{
    test_world made = heavy_world(0.02f, 1);
    add_plane(made.world, (tp_pose){{0, 0, 0}, upright}, 0.0f, 0.5f, -1.0f);
    tp_collider_def piston = tp_collider_default(TP_COLLIDER_BOX);
    piston.half = tpi_vector(1.0f, 0.5f, 1.0f);
    piston.pose.position.y = 1.0f;
    tp_collider collider = collide_add(made.world, &piston);
    for (int p = 0; p < 32; p++) {
        tp_vector place = test_random_position(&noise, 0.9f);
        collide_particle(made.world, tpi_vector(place.x, 0.1f, place.z), tpi_vector(0, 0, 0));
    }
    uint32_t below = 0;
    for (int f = 1; f <= 120; f++) {
        float y = f < 60 ? 1.0f - 0.01f * (float)f : 0.4f + 0.01f * (float)(f - 60);
        collide_move(made.world, collider, (tp_pose){tpi_vector(0, y, 0), upright});
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) below += (view.y[i] > 0.02f - 1e-4f) ? 0u : 1u;
    }
    CHECK_EQ(below, 0);
    CHECK(tp_world_report(made.world).contacts_limited > 0);
    test_world_free(&made);
}

/* ---- regressions ---- */

static tp_world_def liquid(bool compat)
{
    tp_world_def def = collide_scene(2, 0.05f);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.compat = compat;
    return def;
}

/* The published wall only changes the velocity, so a particle 0.5 m outside stays outside for many
   steps. Ours brings it back in the next step; the compat flag selects the published rule. */
static void r_11_particle_half_a_metre_outside_is_back_in_the_next_step(void)
{
    for (int compat = 0; compat < 2; compat++) {
        tp_world_def def = liquid(compat);
        test_world made = test_world_make(&def);
        add_plane(made.world, (tp_pose){{0, 0, 0}, upright}, 0.0f, 0.0f, -1.0f);
        tpi_path path =
            collide_sweep(made.world, tpi_vector(1.0f, -0.5f, 0.0f), tpi_vector(0, 0, 0), 0.05f);
        if (compat) {
            CHECK(path.to.y == -0.5f);
            CHECK_NEAR(path.velocity.y, 0.05 * 60.0, 1e-5);
            CHECK(path.touched);
        } else {
            CHECK_NEAR(path.to.y, 0.05, 1e-4);
            CHECK(path.velocity.y == 0.0f);
        }
        test_world_free(&made);
    }
}

/* The published rule for positions between the surface and one radius above it. */
static void published_wall_pushes_by_depth(void)
{
    tp_world_def def = liquid(true);
    test_world made = test_world_make(&def);
    add_plane(made.world, (tp_pose){{0, 0, 0}, upright}, 0.0f, 0.0f, -1.0f);
    tpi_path path = collide_sweep(made.world, tpi_vector(1.0f, 0.05f, 0.0f),
                                  tpi_vector(0.0f, -1.2f, 0.0f), 0.05f);
    CHECK_NEAR(path.to.y, 0.03, 1e-6);
    CHECK_NEAR(path.velocity.y, -1.2 + (0.05 - 0.03) * 60.0, 1e-5);
    test_world_free(&made);
}

/* Particles that overlap two walls of a tank are moved out of both, however they are turned. */
static void a_corner_holds_no_particle(void)
{
    uint32_t state = 31;
    for (uint32_t n = 0; n < 300; n++) {
        tp_world_def def = tp_world_default(2);
        float radius = test_uniform(&state, 0.01f, 0.2f);
        def.species[0].radius = radius;
        test_world made = test_world_make(&def);
        test_world_tank(made.world, (tp_vector){4, 4, 0});
        tp_vector at = {test_uniform(&state, 0.7f, 0.99f) * radius,
                        test_uniform(&state, 0.7f, 0.99f) * radius, 0};
        CHECK(tp_particle_add(made.world, at, (tp_vector){1, 0.5f, 0}, 0, NULL) == TP_OK);
        test_world_frames(made.world, 2);
        tp_view view = tp_world_view(made.world);
        test_note("radius %.6f, from %.6f %.6f", (double)radius, (double)at.x, (double)at.y);
        CHECK(view.x[0] >= radius && view.y[0] >= radius);
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_corner_holds_no_particle),
    TEST_CASE(drops_bounce_to_the_squared_restitution),
    TEST_CASE(elastic_drop_never_gains_energy),
    TEST_CASE(elastic_box_keeps_every_speed_for_1e5_bounces),
    TEST_CASE(steep_incline_slides_with_coulomb_acceleration),
    TEST_CASE(shallow_incline_sticks),
    TEST_CASE(sliding_stops_after_the_coulomb_distance),
    TEST_CASE(shaken_containers_keep_every_particle),
    TEST_CASE(fast_plate_catches_every_particle),
    TEST_CASE(rotating_paddle_overtakes_no_particle),
    TEST_CASE(platform_carries_what_rests_on_it),
    TEST_CASE(turntable_carries_what_rests_on_it),
    TEST_CASE(squeezed_particle_stays_above_the_floor),
    TEST_CASE(r_11_particle_half_a_metre_outside_is_back_in_the_next_step),
    TEST_CASE(published_wall_pushes_by_depth),
};
TEST_SUITE(collide_physics, cases);
