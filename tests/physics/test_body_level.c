/* SPDX-License-Identifier: MIT
   tests/physics/test_body_level.c - bodies and the levels of games: meshes of triangles, chains of
           edges, heightfields and distance grids.
   reads   runtime/move/body_meet.c      writes  nothing
   memory  worlds of one body            cost    about a second
   after   own design: a plane, and the inclined plane of mechanics, are the oracles */
#include "test.h"
#include "collide_help.h"
#include "move/body.h"
#include "step/step.h"
#include <math.h>
#include <string.h>

#define GRAVITY 10.0f

/* ---- worlds ---- */

static test_world level_world(uint32_t dimensions)
{
    tp_world_def def = collide_scene(dimensions, 0.0f);
    def.bodies_max = 4;
    return test_world_make(&def);
}

static double tilt_of(const tp_body_state *state)
{
    tp_vector up = tpi_rotate(state->pose.rotation, (tp_vector){0, 1, 0});
    return acos(fmin((double)up.y, 1));
}

/* ---- floors around the origin, 12 m wide ---- */

enum { SIDE = 13, KINDS = 5 };
typedef enum floor_kind {
    FLOOR_PLANE,
    FLOOR_MESH,
    FLOOR_HEIGHTS,
    FLOOR_GRID,
    FLOOR_CHAIN
} floor_kind;
static tp_vector floor_vertices[SIDE * SIDE];
static uint32_t floor_indices[(SIDE - 1) * (SIDE - 1) * 6];
static float floor_samples[SIDE * SIDE * SIDE];

/* A flat mesh of uneven triangles. */
static tp_collider_def floor_mesh(void)
{
    uint32_t noise = 5, count = 0;
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
        floor_vertices[k] =
            (tp_vector){(float)(k % SIDE) - 6 + test_uniform(&noise, -0.3f, 0.3f), 0,
                        (float)(k / SIDE) - 6 + test_uniform(&noise, -0.3f, 0.3f)};
    for (uint32_t k = 0; k < (SIDE - 1) * (SIDE - 1); k++) {
        const uint32_t a = k % (SIDE - 1) + k / (SIDE - 1) * SIDE,
                       cell[6] = {a, a + SIDE, a + 1, a + 1, a + SIDE, a + SIDE + 1};
        memcpy(floor_indices + count, cell, sizeof cell);
        count += 6;
    }
    return collide_mesh(floor_vertices, SIDE * SIDE, floor_indices, count / 3);
}

/* Edges from the right to the left: the solid is below. */
static tp_collider_def floor_chain(void)
{
    uint32_t noise = 5;
    for (uint32_t k = 0; k < SIDE; k++) {
        floor_vertices[k] = (tp_vector){6 - (float)k + test_uniform(&noise, -0.3f, 0.3f), 0, 0};
        floor_indices[2 * k] = k;
        floor_indices[2 * k + 1] = k + 1;
    }
    return collide_mesh(floor_vertices, SIDE, floor_indices, SIDE - 1);
}

/* A floor that is tilted about z by `angle`. */
static void floor_add(tp_world *world, floor_kind kind, float angle, float friction)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    memset(floor_samples, 0, sizeof floor_samples);
    if (kind == FLOOR_MESH) def = floor_mesh();
    if (kind == FLOOR_CHAIN) def = floor_chain();
    if (kind == FLOOR_HEIGHTS) def = collide_ground(floor_samples, SIDE, SIDE, 1);
    if (kind == FLOOR_GRID) {
        for (uint32_t k = 0; k < SIDE * SIDE * SIDE; k++)
            floor_samples[k] = (float)(k / SIDE % SIDE) - 6;
        def = collide_grid(floor_samples, SIDE, SIDE, 1);
    }
    def.pose.rotation = collide_about_z(angle);
    if (kind == FLOOR_HEIGHTS)
        def.pose.position = tpi_rotate(def.pose.rotation, (tp_vector){-6, 0, -6});
    if (kind == FLOOR_GRID)
        def.pose.position = tpi_rotate(def.pose.rotation, (tp_vector){-6, -6, -6});
    def.friction = friction;
    (void)collide_add(world, &def);
}

/* ---- cases ---- */

static void a_box_falls_flat_on_a_floor_of_any_kind(void)
{
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        test_world made = level_world(kind == FLOOR_CHAIN ? 2 : 3);
        floor_add(made.world, (floor_kind)kind, 0, 0.5f);
        tp_body body = collide_body(made.world, TP_COLLIDER_BOX, tp_pose_make(0.3f, 0.8f, 0),
                                    (tp_vector){0.5f, 0.1f, 0.3f}, 1);
        test_world_gravity(made.world, GRAVITY);
        test_world_frames(made.world, 120);
        tp_body_state state = collide_state(made.world, body);
        test_note("kind %u: %.5f high, tilt %.5f, x %.4f", kind, (double)state.center.y,
                  tilt_of(&state), (double)state.center.x);
        CHECK_NEAR(state.center.y, 0.1, 2e-3);
        CHECK(tilt_of(&state) < 1e-3);
        CHECK_NEAR(state.center.x, 0.3, 2e-3);
        test_world_free(&made);
    }
}

static void boxes_slide_down_a_slope_as_mechanics_says(void)
{
    const float angle = 0.5f, frictions[2] = {0, 0.2f};
    for (uint32_t k = 0; k < 2 * KINDS; k++) {
        const floor_kind kind = (floor_kind)(k / 2);
        const float mu = frictions[k % 2];
        test_world made = level_world(kind == FLOOR_CHAIN ? 2 : 3);
        floor_add(made.world, kind, angle, mu);
        tp_pose pose = {{4 * cosf(angle), 4 * sinf(angle), 0}, collide_about_z(angle)};
        pose.position =
            tpi_add_scaled(pose.position, tpi_rotate(pose.rotation, (tp_vector){0, 1, 0}), 0.1f);
        tp_body body =
            collide_body(made.world, TP_COLLIDER_BOX, pose, (tp_vector){0.3f, 0.1f, 0.3f}, mu);
        test_world_gravity(made.world, GRAVITY);
        test_world_frames(made.world, 60);
        tp_body_state state = collide_state(made.world, body);
        double expected = (double)GRAVITY * (sin((double)angle) - (double)mu * cos((double)angle)),
               speed = (double)tpi_length(state.velocity);
        test_note("kind %d, friction %.1f: %.3f m/s after 1 s, expected %.3f; tilt %.4f", (int)kind,
                  (double)mu, speed, expected, tilt_of(&state) - (double)angle);
        CHECK_NEAR(speed, expected, 0.03 * expected);
        CHECK_NEAR(tilt_of(&state), angle, 2e-3);
        test_world_free(&made);
    }
}

/* A box on a spike and on a block that are narrower than its face: no corner of it meets them. */
static void a_box_stands_on_what_is_narrower_than_its_face(void)
{
    for (uint32_t d = 2; d <= 3; d++) {
        test_world made = level_world(d);
        tp_vector vertices[4];
        tp_collider_def block =
            d == 2 ? collide_rectangle(vertices, 0.5f, 0.5f, false) : collide_cube(false);
        (void)collide_add(made.world, &block);
        tp_body body = collide_body(made.world, TP_COLLIDER_BOX, tp_pose_make(0, 0.9f, 0),
                                    (tp_vector){0.8f, 0.1f, 0.8f}, 1);
        test_world_gravity(made.world, GRAVITY);
        test_world_frames(made.world, 120);
        tp_body_state state = collide_state(made.world, body);
        test_note("%uD: %.4f high, tilt %.4f", d, (double)state.center.y, tilt_of(&state));
        CHECK_NEAR(state.center.y, 0.6, 5e-3);
        CHECK(tilt_of(&state) < 0.01);
        test_world_free(&made);
    }
}

/* Kicked without end in a room of a mesh, in all directions; returns by how much a corner was
   outside at most, m. */
static double room_kick(uint32_t dimensions, tp_collider_shape shape, float speed, uint32_t frames)
{
    test_world made = level_world(dimensions);
    tp_vector vertices[8];
    uint32_t indices[36];
    tp_collider_def room =
        dimensions == 2 ? collide_rectangle(vertices, 1, 1, true) : collide_cube(false);
    if (dimensions == 3) { /* the cube inside out, twice as large */
        for (uint32_t k = 0; k < 8; k++) vertices[k] = tpi_scale(room.vertices[k], 2);
        for (uint32_t k = 0; k < 36; k++) indices[k] = room.indices[k - k % 3 + 2 - k % 3];
        room.vertices = vertices;
        room.indices = indices;
    }
    (void)collide_add(made.world, &room);
    tp_body body = collide_body(made.world, shape, tp_pose_make(0.1f, 0.2f, 0.3f),
                                (tp_vector){0.2f, 0.15f, 0.1f}, 0.3f);
    uint32_t noise = 3;
    double worst = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        tp_body_state state = collide_state(made.world, body);
        if (frame % 5 == 0) {
            tp_vector to = test_random_position(&noise, 1), turn = test_random_position(&noise, 10);
            to = tpi_flat(made.world, to);
            CHECK(tp_body_set(made.world, body, state.pose, tpi_scale(to, speed / tpi_length(to)),
                              turn) == TP_OK);
        }
        test_world_frames(made.world, 1);
        const tpi_body_item *item = tpi_body_at(made.world, 0);
        tp_vector corners[TPI_BODY_CORNERS];
        float radius;
        uint32_t count = tpi_body_corners(made.world, tpi_collider_at(made.world, item->collider),
                                          corners, &radius);
        for (uint32_t c = 0; c < count; c++) {
            tp_vector p = tpi_to_world(item->pose, corners[c]);
            if (dimensions == 2) p.z = 0;
            worst = fmax(worst, (double)(tpi_largest(p) + radius) - 1);
        }
    }
    test_world_free(&made);
    return worst;
}

/* At 240 m/s a body crosses twice the room in a step. */
static void no_body_leaves_a_room_of_a_mesh(void)
{
    const tp_collider_shape shapes[] = {TP_COLLIDER_BOX, TP_COLLIDER_CAPSULE, TP_COLLIDER_SPHERE};
    const float speeds[] = {3, 30, 240};
    for (uint32_t k = 0; k < 18; k++) {
        const float speed = speeds[k % 3];
        double worst = room_kick(2 + k / 3 % 2, shapes[k / 6], speed, 300);
        test_note("%uD, shape %d, %.0f m/s: %.4f m outside", 2 + k / 3 % 2, (int)shapes[k / 6],
                  (double)speed, worst);
        CHECK(worst < 0.01);
    }
}

/* Boxes and balls that are shot at hills at any angle; a step is 1/60 s. */
static void no_body_is_shot_through_hills(void)
{
    test_world made = level_world(3);
    tp_collider_def hills = floor_mesh();
    uint32_t noise = 9;
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
        floor_vertices[k].y = test_uniform(&noise, -0.5f, 0.5f);
    (void)collide_add(made.world, &hills);
    tp_body bodies[2] = {collide_body(made.world, TP_COLLIDER_BOX, tp_pose_make(0, 5, 0),
                                      (tp_vector){0.2f, 0.15f, 0.1f}, 0.3f),
                         collide_body(made.world, TP_COLLIDER_SPHERE, tp_pose_make(3, 5, 0),
                                      (tp_vector){0.2f, 0, 0}, 0.3f)};
    float lowest = 1;
    test_world_gravity(made.world, GRAVITY);
    for (uint32_t shot = 0; shot < 100; shot++) {
        for (uint32_t k = 0; k < 2; k++) {
            tp_vector way = test_random_position(&noise, 1);
            tp_vector at = {2 * way.x + 4 * (float)k - 2, 1.2f, 2 * way.z};
            way.y = -0.2f - tpi_abs(way.y);
            way = tpi_scale(way, (float)(1u << shot % 8u) / tpi_length(way)); /* to 128 m/s */
            CHECK(tp_body_set(made.world, bodies[k], (tp_pose){at, collide_about_z(way.x)}, way,
                              way) == TP_OK);
        }
        for (uint32_t frame = 0; frame < 12; frame++) {
            test_world_frames(made.world, 1);
            for (uint32_t k = 0; k < 2; k++) {
                tp_vector at = collide_state(made.world, bodies[k]).center;
                if (tpi_abs(at.x) < 5.5f && tpi_abs(at.z) < 5.5f) lowest = tpi_min(lowest, at.y);
            }
        }
    }
    test_note("lowest %.3f m", (double)lowest);
    CHECK(lowest > -0.45f);
    test_world_free(&made);
}

/* The highest point of a ball after its first bounce. */
static float bounce_of(floor_kind kind)
{
    test_world made = level_world(kind == FLOOR_CHAIN ? 2 : 3);
    floor_add(made.world, kind, 0, 0);
    tp_body ball = collide_body(made.world, TP_COLLIDER_SPHERE, tp_pose_make(0.3f, 1.2f, 0),
                                (tp_vector){0.2f, 0, 0}, 0);
    tpi_collider_at(made.world, 1)->def.restitution = 0.5f;
    float highest = 0;
    test_world_gravity(made.world, GRAVITY);
    for (uint32_t frame = 0; frame < 60; frame++) {
        test_world_frames(made.world, 1);
        if (frame > 35) highest = tpi_max(highest, collide_state(made.world, ball).center.y);
    }
    test_world_free(&made);
    return highest;
}

static void a_ball_bounces_on_meshes_as_on_a_plane(void)
{
    const float expected = bounce_of(FLOOR_PLANE);
    test_note("%.4f m on a plane", (double)expected);
    CHECK(expected > 0.4f);
    CHECK_NEAR(bounce_of(FLOOR_MESH), expected, 1e-4);
    CHECK_NEAR(bounce_of(FLOOR_CHAIN), expected, 1e-4);
}

/* A lift carries a body of a mesh, and a box on that. */
static void meshes_lift_and_carry(void)
{
    test_world made = level_world(3);
    tp_collider_def floor = floor_mesh(), cube = collide_cube(false);
    floor.friction = 0.5f;
    tp_collider lift = collide_add(made.world, &floor);
    cube.pose.position = (tp_vector){3, 0.51f, 0};
    tp_body_def mesh = tp_body_default();
    tp_body under;
    mesh.collider = collide_add(made.world, &cube);
    mesh.inertia = (tp_vector){1, 1, 1};
    mesh.mass = 5;
    CHECK(tp_body_add(made.world, &mesh, &under) == TP_OK);
    tp_body box = collide_body(made.world, TP_COLLIDER_BOX, tp_pose_make(3.1f, 1.3f, 0),
                               (tp_vector){0.3f, 0.1f, 0.3f}, 0.5f);
    test_world_gravity(made.world, GRAVITY);
    for (uint32_t frame = 0; frame < 240; frame++) {
        if (frame >= 120)
            CHECK(tp_collider_move(made.world, lift,
                                   tp_pose_make(0, 0.01f * (float)(frame - 120), 0)) == TP_OK);
        test_world_frames(made.world, 1);
    }
    test_note("cube %.3f, box %.3f", (double)collide_state(made.world, under).center.y,
              (double)collide_state(made.world, box).center.y);
    CHECK_NEAR(collide_state(made.world, under).center.y, 1.19 + 0.5, 0.02);
    CHECK_NEAR(collide_state(made.world, box).center.y, 1.19 + 1.1, 0.03);
    test_world_free(&made);
}

/* Any slices give the same bits, and no slice overruns by more than TP_UNITS_OVERRUN. */
static void slices_of_contacts_with_meshes_change_nothing(void)
{
    uint64_t hashes[2], units[2] = {0, 0};
    for (uint32_t k = 0; k < 2; k++) {
        test_world made = level_world(3);
        tp_collider_def floor = floor_mesh();
        uint32_t most = 0;
        (void)collide_add(made.world, &floor);
        (void)collide_body(made.world, TP_COLLIDER_BOX, tp_pose_make(0, 0.4f, 0),
                           (tp_vector){0.3f, 0.1f, 0.2f}, 0.5f);
        test_world_gravity(made.world, GRAVITY);
        for (uint32_t step = 0; step < 60; step++) {
            tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
            for (bool done = false; !done;) {
                tp_stage stage;
                uint32_t used;
                done = tpi_step_advance(made.world, NULL, k ? 64u : 1u << 20, &used, &stage);
                most = made.world->step.half_units_ahead > most ? made.world->step.half_units_ahead
                                                                : most;
                units[k] += used;
            }
        }
        test_note("slices of %u: at most %u units ahead, %llu in all", k ? 64u : 1u << 20, most / 2,
                  (unsigned long long)units[k]);
        CHECK(most <= 2u * TP_UNITS_OVERRUN(0, 1, 2, 0));
        hashes[k] = tp_world_hash(made.world);
        test_world_free(&made);
    }
    CHECK_EQ(hashes[0], hashes[1]);
    CHECK_EQ(units[0], units[1]);
}

/* ---- periodic boxes ---- */

static const tp_vector fast = {3, 0, 0}, still = {0, 0, 0};

/* A box of 4 m, from x = -1 on, and a ball at x that moves at 3 m/s. */
static test_world seam_make(uint32_t dimensions, tp_pose pose, tp_body *body)
{
    tp_world_def def = collide_scene(dimensions, 0.01f);
    def.bodies_max = 1;
    def.solver = TP_SOLVER_SPH;
    def.periodic_axes = 1;
    def.box_low.x = -1;
    def.box_size.x = 4;
    test_world made = test_world_make(&def);
    *body = collide_body(made.world, TP_COLLIDER_SPHERE, pose, (tp_vector){0.2f, 0.2f, 0.2f}, 0);
    pose = collide_state(made.world, *body).pose;
    CHECK(tp_body_set(made.world, *body, pose, fast, still) == TP_OK);
    return made;
}

/* A ball goes around; it pushes a particle that lies behind the seam. */
static void a_body_comes_in_again_on_the_other_side(void)
{
    for (uint32_t dimensions = 2; dimensions < 4; dimensions++) {
        tp_body body;
        tp_body_state state;
        test_world made = seam_make(dimensions, tp_pose_make(2.9f, 0, 0.5f), &body);
        collide_particle(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0});
        for (uint32_t frame = 1; frame <= 100; frame++) {
            double x = 2.9 + 0.05 * frame;
            test_world_frames(made.world, 1);
            state = collide_state(made.world, body);
            if (frame == 19) CHECK(tp_world_view(made.world).vx[0] > 1);
            if (frame > 17) continue; /* it has met the particle */
            test_note("frame %u", frame);
            CHECK_NEAR(state.pose.position.x, x < 3 ? x : x - 4, 1e-3);
            CHECK_NEAR(state.velocity.x, 3, 1e-5);
        }
        state = collide_state(made.world, body);
        CHECK(state.pose.position.x >= -1 && state.pose.position.x < 3);
        CHECK_NEAR(tpi_rotate(state.pose.rotation, (tp_vector){1, 0, 0}).y, sin(0.5), 1e-5);
        test_world_free(&made);
    }
}

/* A picture between two frames has the body on its way through the seam. */
static void a_body_is_drawn_on_its_way_through_the_seam(void)
{
    tp_body body;
    tp_pose pose = {0};
    test_world made = seam_make(2, tp_pose_make(2.99f, 0, 0), &body);
    const tp_collider ball = collide_state(made.world, body).collider;
    for (uint32_t frame = 1; frame < 4; frame++) {
        test_world_frames(made.world, 1);
        CHECK(tp_collider_between(made.world, ball, 0.5f, &pose) == TP_OK);
        CHECK_NEAR(pose.position.x, 2.99 + 0.05 * (frame - 0.5) - 4, 1e-3);
    }
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_body_comes_in_again_on_the_other_side),
    TEST_CASE(a_body_is_drawn_on_its_way_through_the_seam),
    TEST_CASE(a_box_falls_flat_on_a_floor_of_any_kind),
    TEST_CASE(boxes_slide_down_a_slope_as_mechanics_says),
    TEST_CASE(a_box_stands_on_what_is_narrower_than_its_face),
    TEST_CASE(no_body_leaves_a_room_of_a_mesh),
    TEST_CASE(no_body_is_shot_through_hills),
    TEST_CASE(a_ball_bounces_on_meshes_as_on_a_plane),
    TEST_CASE(meshes_lift_and_carry),
    TEST_CASE(slices_of_contacts_with_meshes_change_nothing),
};
TEST_SUITE(body_level, cases);
