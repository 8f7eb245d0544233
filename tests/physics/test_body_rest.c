/* SPDX-License-Identifier: MIT
   tests/physics/test_body_rest.c - bodies come to rest, stand on edges and on surfaces without
           thickness, and survive random worlds.
   reads   runtime/move/body_meet.c, body_solve.c      writes  nothing
   memory  worlds of at most 200 particles      cost    some seconds
   after   own design: depths are measured by points in double precision */
#include "test.h"
#include "cache_help.h"
#include "collide_help.h"
#include "move/body.h"
#include "step/step.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 10.0f
enum { SIDE = 13 };
static tp_vector grid_vertices[SIDE * SIDE];
static uint32_t grid_indices[(SIDE - 1) * (SIDE - 1) * 6];
static float grid_heights[SIDE * SIDE];

/* ---- worlds ---- */

static test_world rest_world(uint32_t dimensions)
{
    tp_world_def def = collide_scene(dimensions, 0.0f);
    def.bodies_max = 4;
    def.colliders_max = 12;
    return test_world_make(&def);
}

static tp_body body_add(tp_world *world, tp_collider_shape shape, tp_pose pose, tp_vector half)
{
    return collide_body(world, shape, pose, half, 0.5f);
}

/* 0 a plane, 1 a flat heightfield, 2 a flat mesh or chain. */
static void floor_add(tp_world *world, uint32_t kind, uint32_t dimensions)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    const bool is_flat = dimensions == 2;
    uint32_t count = 0;
    memset(grid_heights, 0, sizeof grid_heights);
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
        grid_vertices[k] = (tp_vector){is_flat ? 6 - (float)k : (float)(k % SIDE) - 6, 0,
                                       is_flat ? 0 : (float)(k / SIDE) - 6};
    for (uint32_t k = 0; k < (SIDE - 1) * (SIDE - 1) && !is_flat; k++) {
        const uint32_t a = k % (SIDE - 1) + k / (SIDE - 1) * SIDE,
                       cell[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
        memcpy(grid_indices + count, cell, sizeof cell);
        count += 6;
    }
    for (uint32_t k = 0; k < SIDE - 1 && is_flat; k++) {
        grid_indices[count++] = k;
        grid_indices[count++] = k + 1;
    }
    if (kind == 1) {
        def = collide_ground(grid_heights, SIDE, is_flat ? 1 : SIDE, 1);
        def.pose.position = (tp_vector){-6, 0, is_flat ? 0 : -6};
    }
    if (kind == 2)
        def = collide_mesh(grid_vertices, is_flat ? SIDE : SIDE * SIDE, grid_indices,
                           count / dimensions);
    def.friction = 0.5f;
    (void)collide_add(world, &def);
}

/* J/kg: from how the body moves in a frame. Velocities between two steps have gravity of the next
   one in them. */
static double motion_energy(const tp_body_state *before, const tp_body_state *after, float reach)
{
    double moved = (double)tpi_length(tpi_sub(after->center, before->center)) * 60,
           turned = (double)tpi_length(
                        tpi_sub(tpi_rotate(after->pose.rotation, (tp_vector){1, 0, 0}),
                                tpi_rotate(before->pose.rotation, (tp_vector){1, 0, 0}))) *
                    60;
    return 0.5 * moved * moved + 0.5 * turned * turned * (double)(reach * reach);
}

/* ---- rest ---- */

/* After 5 s nothing that was pushed moves: less than 1e-5 J/kg, 4.5 mm/s. */
static void bodies_roll_and_slide_to_rest(void)
{
    const tp_collider_shape shapes[] = {TP_COLLIDER_SPHERE, TP_COLLIDER_CAPSULE, TP_COLLIDER_BOX};
    for (uint32_t k = 0; k < 18; k++) {
        const uint32_t d = 2 + k / 9, kind = k / 3 % 3;
        test_world made = rest_world(d);
        floor_add(made.world, kind, d);
        tp_body body = body_add(made.world, shapes[k % 3], tp_pose_make(0.1f, 0.6f, 0.2f),
                                (tp_vector){0.2f, 0.15f, 0.25f});
        CHECK(tp_body_set(made.world, body, tp_pose_make(0.1f, 0.6f, 0.2f), (tp_vector){1, 0, 0.3f},
                          (tp_vector){1, 2, 1.5f}) == TP_OK);
        test_world_gravity(made.world, GRAVITY);
        test_world_frames(made.world, 300);
        double worst = 0;
        for (uint32_t frame = 0; frame < 10; frame++) {
            tp_body_state before = collide_state(made.world, body);
            test_world_frames(made.world, 1);
            tp_body_state after = collide_state(made.world, body);
            worst = fmax(worst, motion_energy(&before, &after, 0.25f));
        }
        test_note("%uD, floor %u, shape %u: %.1e J/kg after 5 s", d, kind, k % 3, worst);
        CHECK(worst < 1e-5);
        test_world_free(&made);
    }
}

/* A ball that rolls loses 5/7 c g in 3D, 2/3 c g in 2D. */
static void a_ball_rolls_as_far_as_its_resistance_says(void)
{
    for (uint32_t d = 2; d <= 3; d++)
        for (uint32_t k = 0; k < 2; k++) {
            test_world made = rest_world(d);
            floor_add(made.world, 0, d);
            tp_collider_def shape = tp_collider_default(TP_COLLIDER_SPHERE);
            tp_body_def def = tp_body_default();
            tp_body body;
            shape.radius = 0.2f;
            shape.friction = 0.5f;
            shape.pose.position.y = 0.2f;
            def.collider = collide_add(made.world, &shape);
            def.rolling = k ? 0.02f : 0.0f;
            def.velocity.x = 1;
            def.angular_velocity.z = -5;
            CHECK(tp_body_add(made.world, &def, &body) == TP_OK);
            test_world_gravity(made.world, GRAVITY);
            test_world_frames(made.world, 60);
            double lost = 1 - (double)collide_state(made.world, body).velocity.x,
                   expected = (double)def.rolling * (double)GRAVITY * (d == 2 ? 2.0 / 3 : 5.0 / 7);
            test_note("%uD: lost %.4f m/s, expected %.4f", d, lost, expected);
            CHECK_NEAR(lost, expected, 0.01);
            test_world_free(&made);
        }
}

/* Three boxes, each a little beside the one below. */
static void a_stack_of_boxes_stands(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t d = 2 + k / 2;
        test_world made = rest_world(d);
        tp_body bodies[3];
        floor_add(made.world, k % 2 ? 2 : 0, d);
        for (uint32_t b = 0; b < 3; b++)
            bodies[b] = body_add(made.world, TP_COLLIDER_BOX,
                                 tp_pose_make(0.03f * (float)b, 0.21f + 0.41f * (float)b, 0),
                                 (tp_vector){0.3f, 0.2f, 0.3f});
        test_world_gravity(made.world, GRAVITY);
        test_world_frames(made.world, 300);
        for (uint32_t b = 0; b < 3; b++) {
            tp_body_state state = collide_state(made.world, bodies[b]);
            test_note("%uD, floor %u: box %u at %.4f, %.4f", d, k % 2, b, (double)state.center.x,
                      (double)state.center.y);
            CHECK_NEAR(state.center.y, 0.2 + 0.4 * b, 0.02);
            CHECK_NEAR(state.center.x, 0.03 * b, 0.05);
        }
        test_world_free(&made);
    }
}

/* Units of a step. */
static uint32_t step_units(tp_world *world)
{
    uint32_t units = 0, used;
    tp_stage stage;
    tpi_step_begin(world, TP_TICKS_PER_FRAME);
    for (bool done = false; !done; units += used)
        done = tpi_step_advance(world, NULL, 1u << 20, &used, &stage);
    return units;
}

/* m/s, with what gravity adds for the next step taken off. */
static double stack_speed(const tp_world *world, const tp_body *bodies, uint32_t count)
{
    double worst = 0;
    for (uint32_t b = 0; b < count; b++) {
        tp_body_state state = collide_state(world, bodies[b]);
        state.velocity.y += GRAVITY * world->step.timestep;
        worst = fmax(worst, (double)tpi_length(state.velocity));
    }
    return worst;
}

/* Four boxes; with particles of 1 mm they keep a distance of 2.5 mm. */
static test_world stack_world(uint32_t dimensions, tp_body bodies[4])
{
    tp_world_def def = collide_scene(dimensions, 0.001f);
    def.bodies_max = 4;
    test_world made = test_world_make(&def);
    floor_add(made.world, 0, dimensions);
    for (uint32_t b = 0; b < 4; b++)
        bodies[b] = body_add(made.world, TP_COLLIDER_BOX,
                             tp_pose_make(b % 2 ? 0.03f : 0, 0.21f + 0.41f * (float)b, 0),
                             (tp_vector){0.3f, 0.2f, 0.3f});
    test_world_gravity(made.world, GRAVITY);
    return made;
}

/* Contacts begin with what they gave in the last step. When the boxes land, passes are many. */
static void a_stack_at_rest_takes_few_passes(void)
{
    for (uint32_t d = 2; d <= 3; d++) {
        tp_body bodies[4];
        uint32_t most = 0, rest = 0;
        test_world made = stack_world(d, bodies);
        for (uint32_t step = 0; step < 240; step++) {
            uint32_t units = step_units(made.world);
            if (step < 40) most = tpi_max_u32(most, units);
            if (step >= 200) rest = tpi_max_u32(rest, units);
        }
        double speed = stack_speed(made.world, bodies, 4);
        test_note("%uD: %u units when it lands, %u at rest; %.1e m/s", d, most, rest, speed);
        CHECK(5 * rest < most);
        CHECK(speed < 1e-5);
        test_world_free(&made);
    }
}

/* They are of the state: hashed, in snapshots and frames, and gone when the game puts the body. */
static void what_contacts_gave_is_a_part_of_the_state(void)
{
    tp_body bodies[4];
    test_world made = stack_world(3, bodies);
    cache_check_resumes(made.world, 30);
    tpi_body_item *body = tpi_body_at(made.world, 1);
    uint64_t hash = tp_world_hash(made.world);
    CHECK(body->held_count >= 4);
    body->held[3].slide.x += 1;
    CHECK(tp_world_hash(made.world) != hash);
    tp_body_state state = collide_state(made.world, bodies[1]);
    CHECK(tp_body_set(made.world, bodies[1], state.pose, state.velocity, state.angular_velocity) ==
          TP_OK);
    CHECK_EQ(body->held_count, 0);
    tp_world *restored = NULL;
    tpi_body_at(made.world, 2)->held[0].size = NAN;
    CHECK(tp_world_verify(made.world, made.bytes, NULL, &restored) != TP_OK);
    test_world_free(&made);
}

/* Bytes of a frame beside those of particles. */
static uint32_t frame_bytes(tp_world *world)
{
    tp_source source = tp_world_source(world);
    return source.extra_read(source.context, 0, NULL);
}

/* A frame has no contacts of the step, and of the last one those that gave something. */
static void frames_have_no_more_of_a_body_than_its_state(void)
{
    test_world made = rest_world(3);
    floor_add(made.world, 0, 3);
    tp_collider_def def = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def body = tp_body_default();
    tp_body box = {0};
    def.pose.position.y = 0.6f;
    body.collider = collide_add(made.world, &def);
    uint32_t before = frame_bytes(made.world);
    CHECK(tp_body_add(made.world, &body, &box) == TP_OK);
    uint32_t bytes = frame_bytes(made.world) - before;
    test_note("%u bytes of a body in the air", bytes);
    CHECK(bytes < 200);
    test_world_gravity(made.world, GRAVITY);
    before = frame_bytes(made.world) - bytes;
    test_world_frames(made.world, 120);
    uint32_t held = tpi_body_at(made.world, 0)->held_count;
    test_note("%u of one at rest on %u corners", frame_bytes(made.world) - before, held);
    CHECK(held >= 4);
    CHECK(frame_bytes(made.world) - before <= bytes + held * sizeof(tpi_body_held) + 64);
    test_world_free(&made);
}

/* A long box at 1.3 rad per step, about an axis between two of its own. */
static void a_box_that_tumbles_fast_keeps_its_energy(void)
{
    test_world made = rest_world(3);
    tp_body body = body_add(made.world, TP_COLLIDER_BOX, tp_pose_make(0, 0, 0),
                            (tp_vector){0.3f, 0.1f, 0.08f});
    CHECK(tp_body_set(made.world, body, tp_pose_make(0, 0, 0), (tp_vector){0, 0, 0},
                      (tp_vector){60, 50, 5}) == TP_OK);
    const tp_vector inertia = tpi_body_at(made.world, 0)->inertia;
    double first = 0, least = 2, most = 0;
    for (uint32_t frame = 0; frame < 600; frame++) {
        tp_body_state state = collide_state(made.world, body);
        tp_vector w = tpi_rotate_back(state.pose.rotation, state.angular_velocity);
        double energy =
            (double)(inertia.x * w.x * w.x + inertia.y * w.y * w.y + inertia.z * w.z * w.z);
        if (frame == 0) first = energy;
        least = fmin(least, energy / first);
        most = fmax(most, energy / first);
        test_world_frames(made.world, 1);
    }
    test_note("energy %.4f to %.4f of the start", least, most);
    CHECK(least > 0.985);
    CHECK(most < 1.015);
    test_world_free(&made);
}

/* ---- edges ---- */

/* How far a point is inside a roof: below both slopes of 45 degrees from a ridge along z. */
static double roof_depth(const double p[3]) { return (-p[1] - fabs(p[0])) * sqrt(0.5); }

/* The deepest of many points of a box, in double precision. */
static double box_depth(const tp_body_state *state, tp_vector half)
{
    double worst = -1;
    const double q[4] = {(double)state->pose.rotation.w, (double)state->pose.rotation.x,
                         (double)state->pose.rotation.y, (double)state->pose.rotation.z};
    for (uint32_t k = 0; k < 21 * 21 * 21; k++) {
        const double v[3] = {(k % 21 / 10.0 - 1) * (double)half.x,
                             (k / 21 % 21 / 10.0 - 1) * (double)half.y,
                             (k / 441 / 10.0 - 1) * (double)half.z};
        const double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                             2 * (q[1] * v[1] - q[2] * v[0])};
        const double p[3] = {
            (double)state->pose.position.x + v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
            (double)state->pose.position.y + v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
            (double)state->pose.position.z + v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
        worst = fmax(worst, roof_depth(p));
    }
    return worst;
}

/* A roof: 0 a mesh with a solid below, 1 a mesh without an inside, 2 a heightfield, 3 a box on its
   edge. */
static void roof_add(tp_world *world, uint32_t kind)
{
    static const tp_vector vertices[6] = {{-3, -3, -3}, {0, 0, -3}, {3, -3, -3},
                                          {-3, -3, 3},  {0, 0, 3},  {3, -3, 3}};
    static const uint32_t indices[12] = {0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5};
    static const float heights[9] = {-3, 0, -3, -3, 0, -3, -3, 0, -3};
    tp_collider_def def = collide_mesh(vertices, 6, indices, 4);
    def.is_two_sided = kind == 1;
    if (kind == 2) {
        def = collide_ground(heights, 3, 3, 3);
        def.pose.position = (tp_vector){-3, 0, -3};
    }
    if (kind == 3) {
        def = tp_collider_default(TP_COLLIDER_BOX);
        def.half = (tp_vector){1, 1, 3};
        def.pose.rotation = collide_about_z(0.785398f);
        def.pose.position.y = -1.41421f;
    }
    def.friction = 1;
    (void)collide_add(world, &def);
}

/* A long box falls across a ridge: only its edges meet it. */
static void a_box_laid_over_a_ridge_rests_on_it(void)
{
    const tp_vector half = {0.6f, 0.05f, 0.2f};
    for (uint32_t kind = 0; kind < 4; kind++) {
        test_world made = rest_world(3);
        roof_add(made.world, kind);
        tp_body body = body_add(made.world, TP_COLLIDER_BOX, tp_pose_make(0, 0.4f, 0), half);
        test_world_gravity(made.world, GRAVITY);
        double worst = -1;
        for (uint32_t frame = 0; frame < 90; frame++) {
            test_world_frames(made.world, 1);
            tp_body_state state = collide_state(made.world, body);
            if (frame % 5 == 4) worst = fmax(worst, box_depth(&state, half));
        }
        tp_body_state state = collide_state(made.world, body);
        test_note("kind %u: deepest %.4f m, center %.4f, %.4f", kind, worst, (double)state.center.x,
                  (double)state.center.y);
        CHECK(worst < 0.01);
        CHECK(state.center.y > 0.0f);
        test_world_free(&made);
    }
}

/* A sheet holds bodies on both of its sides, shot at it at any speed up to 60 m/s. */
static void sheets_hold_bodies_on_both_sides(void)
{
    static const tp_vector vertices[4] = {{-3, 0, -3}, {3, 0, -3}, {-3, 0, 3}, {3, 0, 3}};
    static const uint32_t indices[6] = {0, 2, 1, 1, 2, 3};
    const tp_collider_shape shapes[] = {TP_COLLIDER_BOX, TP_COLLIDER_CAPSULE, TP_COLLIDER_SPHERE};
    uint32_t noise = 5;
    double worst = 1;
    test_world made = rest_world(3);
    tp_collider_def def = collide_mesh(vertices, 4, indices, 2);
    def.is_two_sided = true;
    (void)collide_add(made.world, &def);
    tp_body bodies[3];
    for (uint32_t k = 0; k < 3; k++)
        bodies[k] = body_add(made.world, shapes[k], tp_pose_make((float)k, 1, 0),
                             (tp_vector){0.15f, 0.1f, 0.2f});
    for (uint32_t shot = 0; shot < 60; shot++) {
        const float side = shot & 1u ? -1.0f : 1.0f, speed = 1.0f + (float)(shot % 10) * 6.5f;
        for (uint32_t k = 0; k < 3; k++) {
            tp_pose pose = {{1.5f * (float)k - 1.5f, 0.6f * side, 0},
                            collide_about_z(test_uniform(&noise, 0, 3))};
            tp_vector velocity = {0, -side * speed, test_uniform(&noise, -1, 1)};
            CHECK(tp_body_set(made.world, bodies[k], pose, velocity,
                              test_random_position(&noise, 5)) == TP_OK);
        }
        for (uint32_t frame = 0; frame < 8; frame++) {
            test_world_frames(made.world, 1);
            for (uint32_t k = 0; k < 3; k++)
                worst = fmin(worst, (double)(collide_state(made.world, bodies[k]).center.y * side));
        }
    }
    test_note("nearest center %.4f m", worst);
    CHECK(worst > 0.03);
    test_world_free(&made);
}

/* ---- random worlds ---- */

static void random_collider(tp_world *world, uint32_t *noise, uint32_t kind)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_BOX);
    tp_vector at = test_random_position(noise, 0.8f);
    if (kind == 0) def = collide_cube(test_uniform(noise, 0, 1) > 0.5f);
    if (kind == 1) def = tp_collider_default(TP_COLLIDER_SPHERE);
    if (kind == 2) def = tp_collider_default(TP_COLLIDER_CAPSULE);
    def.half = (tp_vector){0.1f, 0.3f, 0.2f};
    def.radius = 0.15f;
    def.restitution = test_uniform(noise, 0, 0.8f);
    def.pose = (tp_pose){{at.x, at.y - 1.5f, at.z}, collide_about_z(test_uniform(noise, 0, 3))};
    (void)collide_add(world, &def);
}

static test_world random_world(uint32_t seed, bool has_fluid, tp_body bodies[4])
{
    const tp_collider_shape shapes[] = {TP_COLLIDER_BOX, TP_COLLIDER_CAPSULE, TP_COLLIDER_SPHERE};
    uint32_t noise = seed;
    tp_world_def def = collide_scene(3, has_fluid ? 0.02f : 0.0f);
    def.bodies_max = 4;
    def.colliders_max = 12;
    test_world made = test_world_make(&def);
    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tank.half = (tp_vector){2, 2, 2};
    tank.is_hollow = true;
    (void)collide_add(made.world, &tank);
    for (uint32_t k = 0; k < 4; k++) random_collider(made.world, &noise, k);
    for (uint32_t k = 0; k < 4; k++) {
        tp_body_def body = tp_body_default();
        tp_collider_def shape = tp_collider_default(shapes[(k + seed) % 3]);
        float size = test_uniform(&noise, 0.08f, 0.3f);
        shape.half = (tp_vector){size, test_uniform(&noise, 0.05f, 0.3f), 0.15f};
        shape.radius = size;
        shape.restitution = test_uniform(&noise, 0, 0.9f);
        shape.friction = test_uniform(&noise, 0, 1);
        shape.pose = tp_pose_make(0.8f * (float)k - 1.2f, 1.2f, 0);
        body.collider = collide_add(made.world, &shape);
        body.mass = powf(10, test_uniform(&noise, -2, 5));
        if (has_fluid) body.mass = tpi_max(body.mass, 1); /* lighter than a particle: thrown */
        body.velocity = test_random_position(&noise, 30);
        body.angular_velocity = test_random_position(&noise, 30);
        CHECK(tp_body_add(made.world, &body, &bodies[k]) == TP_OK);
    }
    for (uint32_t k = 0; k < 40 && has_fluid; k++)
        collide_particle(made.world,
                         (tp_vector){0.1f * (float)(k % 8) - 0.4f, 0.7f, 0.1f * (float)(k / 8)},
                         test_random_position(&noise, 20));
    test_world_gravity(made.world, GRAVITY);
    return made;
}

/* J: of bodies, from their momenta, and of particles; of motion and height. */
static double random_energy(const tp_world *world, const tp_body bodies[4])
{
    tp_view view = tp_world_view(world);
    double sum = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        const double vx = (double)view.vx[i], vy = (double)view.vy[i], vz = (double)view.vz[i];
        sum += 0.5 * (vx * vx + vy * vy + vz * vz) + (double)GRAVITY * ((double)view.y[i] + 2);
    }
    for (uint32_t k = 0; k < 4; k++) {
        tp_body_state s = collide_state(world, bodies[k]);
        const tpi_body_item *item = tpi_body_at(world, k);
        tp_vector w = tpi_rotate_back(s.pose.rotation, s.angular_velocity);
        double kinetic = (double)item->mass * pow((double)tpi_length(s.velocity), 2) +
                         (double)(item->inertia.x * w.x * w.x + item->inertia.y * w.y * w.y +
                                  item->inertia.z * w.z * w.z);
        CHECK(isfinite(kinetic) && isfinite(s.center.x));
        CHECK(tpi_largest(s.center) < 2.0f);
        sum += 0.5 * kinetic + (double)item->mass * (double)GRAVITY * ((double)s.center.y + 2);
    }
    return sum;
}

/* Goes on from a copy that was taken in the middle of a step. */
static void check_copy(const test_world *made)
{
    void *copy = aligned_alloc(64, (made->bytes + 63) / 64 * 64);
    tp_world *restored = NULL;
    tp_budget budget = {.units = 200};
    tp_result result = tp_frame(made->world, &budget, NULL);
    memcpy(copy, made->world, made->bytes);
    CHECK(tp_world_verify(copy, made->bytes, NULL, &restored) == TP_OK);
    if (result == TP_MORE) {
        tp_budget rest = {.is_same_frame = true};
        CHECK(tp_frame(made->world, &rest, NULL) == TP_OK);
        if (restored) CHECK(tp_frame(restored, &rest, NULL) == TP_OK);
    }
    if (restored) CHECK_EQ(tp_world_hash(restored), tp_world_hash(made->world));
    free(copy);
}

/* Nothing is thrown: the energy of bodies never exceeds that of the start by more than a hundredth,
   with nothing that works on them. */
static void random_bodies_gain_no_energy(void)
{
    const uint32_t seeds = test_is_long() ? 12 : 2, frames = test_is_long() ? 2000 : 200;
    for (uint32_t seed = 1; seed <= 2 * seeds; seed++) {
        tp_body bodies[4];
        const bool has_fluid = seed > seeds;
        test_world made = random_world(seed * 77, has_fluid, bodies);
        double start = random_energy(made.world, bodies), most = 0;
        for (uint32_t frame = 0; frame < frames; frame++) {
            test_world_frames(made.world, 1);
            most = fmax(most, random_energy(made.world, bodies) / start);
            if (frame % 50 == 25) check_copy(&made);
        }
        test_note("seed %u: energy at most %.4f of the start", seed, most);
        CHECK(most < 1.01);
        test_world_free(&made);
    }
}

static const test_case cases[] = {
    TEST_CASE(bodies_roll_and_slide_to_rest),
    TEST_CASE(a_ball_rolls_as_far_as_its_resistance_says),
    TEST_CASE(a_stack_of_boxes_stands),
    TEST_CASE(a_stack_at_rest_takes_few_passes),
    TEST_CASE(what_contacts_gave_is_a_part_of_the_state),
    TEST_CASE(frames_have_no_more_of_a_body_than_its_state),
    TEST_CASE(a_box_that_tumbles_fast_keeps_its_energy),
    TEST_CASE(a_box_laid_over_a_ridge_rests_on_it),
    TEST_CASE(sheets_hold_bodies_on_both_sides),
    TEST_CASE(random_bodies_gain_no_energy),
};
TEST_SUITE(body_rest, cases);
