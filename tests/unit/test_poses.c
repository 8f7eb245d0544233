/* SPDX-License-Identifier: MIT
   tests/unit/test_poses.c - poses of colliders and bodies between two frames.
   reads   runtime/move/collider.c      writes  nothing
   memory  small worlds                 cost    a second
   after   poses that the test copies at the end of each frame */
#include "test.h"
#include "world_help.h"
#include "cache_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A floor, a mill that the game turns, and a boat in flight: three steps per frame. */
typedef struct poses_game {
    test_world made;
    tp_collider mill, hull;
    tp_body boat;
    tp_pose was[2], now[2]; /* of the mill, of the hull, at the ends of the last frame */
} poses_game;

static poses_game poses_make(uint32_t dimensions)
{
    poses_game game = {0};
    tp_world_def def = tp_world_default(dimensions);
    tp_collider_def shape = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def body = tp_body_default();
    def.particles_max = 64;
    def.bodies_max = 1;
    def.takes_changes = def.keeps_last_frame = true;
    def.substeps.count = 3;
    def.slice_units = 64;
    game.made = test_world_make(&def);
    shape.half = (tp_vector){0.5f, 0.1f, 0.2f};
    shape.pose = tp_pose_make(1, 2, 0.3f);
    CHECK(tp_collider_add(game.made.world, &shape, &game.mill) == TP_OK);
    game.now[0] = shape.pose;
    shape.pose = tp_pose_make(5, 5, -0.7f);
    CHECK(tp_collider_add(game.made.world, &shape, &game.hull) == TP_OK);
    game.now[1] = shape.pose;
    body.collider = game.hull;
    body.velocity = (tp_vector){6, -3, 0};
    body.angular_velocity.z = 12;
    CHECK(tp_body_add(game.made.world, &body, &game.boat) == TP_OK);
    for (uint32_t i = 0; i < 40; i++)
        CHECK(tp_particle_add(game.made.world, (tp_vector){0.1f * (float)i, 1, 0},
                              (tp_vector){1, 1, 0}, 0, NULL) == TP_OK);
    memcpy(game.was, game.now, sizeof game.was);
    return game;
}

static tp_pose pose_at(const poses_game *game, uint32_t k, float alpha)
{
    tp_pose pose = {0};
    CHECK(tp_collider_between(game->made.world, k ? game->hull : game->mill, alpha, &pose) ==
          TP_OK);
    return pose;
}

static double angle_of(tp_pose pose)
{
    return 2 * atan2((double)pose.rotation.z, (double)pose.rotation.w);
}

/* Compares the way of one collider with a line and an even turn from `a` to `b`. */
static void poses_compare(const poses_game *game, uint32_t k, tp_pose a, tp_pose b)
{
    for (uint32_t step = 0; step <= 8; step++) {
        float alpha = (float)step * 0.125f;
        tp_pose pose = pose_at(game, k, alpha);
        if (step == 0) CHECK(memcmp(&pose, &a, sizeof pose) == 0);
        if (step == 8) CHECK(memcmp(&pose, &b, sizeof pose) == 0);
        CHECK_NEAR(pose.position.x, a.position.x + (b.position.x - a.position.x) * alpha, 1e-6);
        CHECK_NEAR(pose.position.y, a.position.y + (b.position.y - a.position.y) * alpha, 1e-6);
        double turn = remainder(angle_of(b) - angle_of(a), 6.283185307179586);
        double away =
            remainder(angle_of(pose) - angle_of(a) - turn * (double)alpha, 6.283185307179586);
        CHECK(fabs(away) < (step == 4 ? 1e-6 : 2e-4));
    }
}

static void poses_compare_all(const poses_game *game)
{
    for (uint32_t k = 0; k < 2; k++) poses_compare(game, k, game->was[k], game->now[k]);
}

/* One frame in parts of a few units. The pictures within it: of the last frame, until a step is
   complete; then from its start to the last step. */
static void poses_frame(poses_game *game, tp_pose mill)
{
    tp_world *world = game->made.world;
    tp_body_state boat;
    tp_budget part = {.units = 50};
    tp_result result = tp_frame(world, &part, NULL);
    for (; result == TP_MORE; part.units += 50) {
        uint32_t steps = tp_world_report(world).steps_in_frame;
        if (steps == 0) poses_compare_all(game);
        CHECK(tp_body_get(world, game->boat, &boat) == TP_OK);
        if (steps == 0) CHECK(memcmp(&boat.pose, &game->now[1], sizeof boat.pose) == 0);
        if (steps > 0) {
            poses_compare(game, 0, game->now[0], pose_at(game, 0, 1));
            CHECK_NEAR(pose_at(game, 0, 1).position.x,
                       game->now[0].position.x +
                           (mill.position.x - game->now[0].position.x) * (float)steps / 3,
                       1e-5);
            poses_compare(game, 1, game->now[1], boat.pose);
        }
        part.is_same_frame = true;
        result = tp_frame(world, &part, NULL);
    }
    CHECK(result == TP_OK);
    CHECK(tp_body_get(world, game->boat, &boat) == TP_OK);
    memcpy(game->was, game->now, sizeof game->was);
    game->now[0] = mill;
    game->now[1] = boat.pose;
}

static void poses_turn(poses_game *game)
{
    tp_pose mill = tp_pose_turn(game->now[0], 0.11f);
    mill.position.x += 0.2f;
    CHECK(tp_collider_move(game->made.world, game->mill, mill) == TP_OK);
    poses_frame(game, mill);
    poses_compare_all(game);
}

static void a_picture_shows_the_way_from_the_start_of_the_frame(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        poses_game game = poses_make(dimensions);
        poses_compare_all(&game); /* before the first frame all are at rest */
        for (uint32_t frame = 0; frame < 12; frame++) poses_turn(&game);
        CHECK(fabsf(game.was[1].position.x - game.now[1].position.x) > 0.09f);
        CHECK(fabs(angle_of(game.now[1]) - angle_of(game.was[1])) > 0.19);
        tp_pose still = game.now[0]; /* not moved in this frame */
        poses_frame(&game, still);
        poses_compare(&game, 0, still, still);
        test_world_free(&game.made);
    }
}

/* True if a ray from above meets the mill at the height of `pose`. */
static bool ray_meets(const poses_game *game, tp_pose pose)
{
    tp_ray ray = {pose.position, {0, -6, 0}, 0, ~0u};
    tp_query_cursor cursor = {0};
    tp_ray_hit hit;
    ray.from.y += 3;
    CHECK(tp_world_ray(game->made.world, &ray, 0, &cursor, &hit) == TP_OK);
    return hit.is_hit && hit.collider.id == game->mill.id &&
           fabsf(hit.point.y - pose.position.y) < 0.4f;
}

static void a_leap_has_no_way(void)
{
    poses_game game = poses_make(2);
    const tp_vector none = {0, 0, 0};
    poses_turn(&game);
    tp_pose far = tp_pose_make(-3, 4, 1), away = tp_pose_make(9, 9, 2);
    CHECK(tp_collider_place(game.made.world, game.mill, far) == TP_OK);
    CHECK(tp_body_set(game.made.world, game.boat, away, none, none) == TP_OK);
    poses_compare(&game, 0, game.was[0], game.now[0]); /* it leaps when the next frame begins */
    poses_compare(&game, 1, away, away);
    game.was[1] = game.now[1] = away;
    tp_pose before = game.now[0];
    tp_budget part = {.units = 20};
    CHECK(tp_frame(game.made.world, &part, NULL) == TP_MORE);
    CHECK_EQ(tp_world_report(game.made.world).steps_in_frame, 0);
    poses_compare(&game, 0, game.was[0], before);
    CHECK(ray_meets(&game, before) && !ray_meets(&game, far));
    part.is_same_frame = true;
    for (part.units = 0; tp_frame(game.made.world, &part, NULL) == TP_MORE;) continue;
    poses_compare(&game, 0, far, far);
    CHECK(!ray_meets(&game, before) && ray_meets(&game, far));
    poses_compare(&game, 1, away, away);
    part = (tp_budget){.units = 20};
    CHECK(tp_frame(game.made.world, &part, NULL) == TP_MORE);
    poses_compare(&game, 0, far, far); /* of the frame with the leap */
    part.is_same_frame = true;
    for (part.units = 0; tp_frame(game.made.world, &part, NULL) == TP_MORE;) continue;
    game.was[0] = game.now[0] = far;
    game.was[1] = game.now[1] = away;
    poses_turn(&game);
    test_world_free(&game.made);
}

/* After a restore all are at rest, as particles are; the frames after it are those of before. */
static void a_restored_world_shows_what_it_showed(void)
{
    poses_game game = poses_make(2), first;
    tp_source source = tp_world_source(game.made.world);
    tp_cache_def def = tp_cache_default(&source);
    size_t bytes = 0;
    def.ring_bytes = 1u << 18;
    tp_cache *cache = cache_make(&def, &bytes);
    for (uint32_t frame = 0; frame < 4; frame++) poses_turn(&game);
    CHECK(tp_cache_record(cache, &source, NULL) == TP_OK);
    first = game;
    uint64_t hash = tp_world_hash(game.made.world);
    for (uint32_t frame = 0; frame < 3; frame++) poses_turn(&game);
    const tp_pose last[2] = {game.now[0], game.now[1]};
    CHECK(tp_cache_rewind(cache, &source, 4, true, NULL) == TP_OK);
    CHECK_EQ(tp_world_hash(game.made.world), hash);
    memcpy(game.now, first.now, sizeof game.now);
    memcpy(game.was, first.now, sizeof game.was);
    poses_compare_all(&game);
    CHECK(tp_world_verify(game.made.block, game.made.bytes, NULL, &game.made.world) == TP_OK);
    poses_compare_all(&game);
    for (uint32_t frame = 0; frame < 3; frame++) poses_turn(&game);
    CHECK(memcmp(last, game.now, sizeof last) == 0);
    free(cache);
    test_world_free(&game.made);
}

/* A copy of the block, and a check of it, keep the way. */
static void a_copy_shows_the_same_way(void)
{
    poses_game game = poses_make(3);
    for (uint32_t frame = 0; frame < 3; frame++) poses_turn(&game);
    void *block = aligned_alloc(16, (game.made.bytes + 15) / 16 * 16);
    memcpy(block, game.made.block, game.made.bytes);
    tp_world *mine = game.made.world;
    CHECK(tp_world_verify(block, game.made.bytes, NULL, &game.made.world) == TP_OK);
    poses_compare_all(&game);
    CHECK(tp_body_remove(game.made.world, game.boat) == TP_OK);
    poses_compare(&game, 1, game.now[1], game.now[1]);
    game.made.world = mine;
    free(block);
    test_world_free(&game.made);
}

static void bad_arguments_are_refused(void)
{
    poses_game game = poses_make(2);
    tp_pose pose = {{7, 7, 7}, {1, 0, 0, 0}}, copy = pose;
    tp_world *world = game.made.world;
    CHECK(tp_collider_between(NULL, game.mill, 0.5f, &pose) == TP_ERROR_NULL);
    CHECK(tp_collider_between(world, game.mill, 0.5f, NULL) == TP_ERROR_NULL);
    CHECK(tp_collider_between(world, (tp_collider){0}, 0.5f, &pose) == TP_ERROR_HANDLE);
    CHECK(tp_collider_between(world, game.mill, 1.01f, &pose) == TP_ERROR_DEFINITION);
    CHECK(tp_collider_between(world, game.mill, NAN, &pose) == TP_ERROR_DEFINITION);
    CHECK(memcmp(&pose, &copy, sizeof pose) == 0);
    test_world_free(&game.made);
}

static const test_case cases[] = {
    TEST_CASE(a_picture_shows_the_way_from_the_start_of_the_frame),
    TEST_CASE(a_leap_has_no_way),
    TEST_CASE(a_restored_world_shows_what_it_showed),
    TEST_CASE(a_copy_shows_the_same_way),
    TEST_CASE(bad_arguments_are_refused),
};
TEST_SUITE(poses, cases);
