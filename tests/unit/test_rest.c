/* SPDX-License-Identifier: MIT
   tests/unit/test_rest.c - contacts with planes at rest by vectors, compared with the path.
   reads   runtime/move/rest.h      writes  nothing
   memory  small worlds             cost    about a second
   after   the path of collide.c as the reference: every bit and every unit is the same */
#include "test.h"
#include "collide_help.h"
#include "move/rest.h"
#include <string.h>

static uint32_t noise = 11;

static tp_quaternion any_turn(uint32_t dimensions)
{
    tp_quaternion q = {test_uniform(&noise, -1, 1), 0, 0, test_uniform(&noise, -1, 1)};
    if (dimensions == 3) q.x = test_uniform(&noise, -1, 1);
    float length = tpi_sqrt(q.w * q.w + q.x * q.x + q.z * q.z);
    return (tp_quaternion){q.w / length, q.x / length, 0, q.z / length};
}

/* Every second plane has friction, if some have. */
static test_world world_of_planes(uint32_t dimensions, uint32_t count, bool has_friction)
{
    test_world made = collide_world(dimensions, 0.05f);
    for (uint32_t k = 0; k < count; k++) {
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        plane.pose.rotation = any_turn(dimensions);
        /* the origin keeps a distance, most of the time */
        plane.pose.position =
            tpi_rotate(plane.pose.rotation, tpi_vector(0, test_uniform(&noise, -1.0f, 0.1f), 0));
        if (dimensions == 2) plane.pose.position.z = 0.0f;
        if (has_friction && k % 2u == 0) plane.friction = test_uniform(&noise, 0.01f, 1.0f);
        (void)collide_add(made.world, &plane);
    }
    made.world->step.timestep = 1.0f / 60.0f;
    return made;
}

static tp_vector beside(const tpi_collider_item *item, tp_vector at, float height)
{
    return tpi_add_scaled(at, item->normal, height + item->offset - tpi_dot(at, item->normal));
}

/* Beside a plane, within a few skins or centimetres; often beside another one, too. */
static tp_vector any_place(const tp_world *world, uint32_t count)
{
    uint32_t slot = (uint32_t)(test_random(&noise) * (float)count),
             turns = test_random(&noise) < 0.5f ? 0 : 30;
    static const float gaps[4] = {5e-5f, 2.5e-5f, -1e-5f, 0.03f};
    float height = 0.05f + gaps[(uint32_t)(test_random(&noise) * 4.0f) & 3u] +
                   test_uniform(&noise, -2e-5f, 2e-5f);
    tp_vector along = test_random_position(&noise, 1.0f);
    for (uint32_t k = 0; k <= turns; k++)
        along = beside(tpi_collider_at(world, (slot + k % 2u) % count), along, height);
    if (tpi_dimensions(world) == 2) along.z = 0.0f;
    return along;
}

typedef struct rest_counts {
    uint32_t misses, rests, twice, jumps, left;
} rest_counts;

static uint32_t is_twice(const tpi_rests *rests, uint32_t k)
{
#if TPI_REST_TWICE
    return tpi_lanes_bits(rests->twice) >> k & 1u;
#else
    (void)rests, (void)k;
    return 0;
#endif
}

static bool is_same(tp_vector a, tp_vector b) { return memcmp(&a, &b, sizeof a) == 0; }

static void compare_lane(tp_world *world, const tpi_segments *s, const tpi_lanes velocity[3],
                         const tpi_rests *rests, uint32_t k, rest_counts *counts)
{
    uint64_t contacts = world->step.contacts;
    tpi_path path;
    bool done = false;
    collide_path_begin(world, &path, tpi_lane_vector(3, s->from, k),
                       tpi_lane_vector(3, velocity, k), 0.05f);
    uint32_t units = tpi_path_advance(world, &path, 1u << 20, &done);
    CHECK(done);
    if (tpi_lanes_bits(rests->misses) >> k & 1u) {
        counts->misses++;
        CHECK(!path.touched && units == tpi_colliders_end(world));
        CHECK(is_same(path.to, tpi_lane_vector(3, s->to, k)));
    } else if (tpi_lanes_bits(rests->rests) >> k & 1u) {
        uint32_t twice = is_twice(rests, k), jumps = tpi_lanes_bits(rests->jumps) >> k & 1u;
        counts->rests++;
        counts->jumps += jumps;
        counts->twice += twice;
        CHECK(path.touched);
        CHECK_EQ(units, tpi_rest_units(world) + twice * tpi_rest_units_again(world) +
                            jumps * tpi_colliders_end(world));
        CHECK_EQ(world->step.contacts, contacts + 1 + twice);
        CHECK(is_same(path.to, tpi_lane_vector(3, rests->to, k)));
        CHECK(is_same(path.velocity, tpi_lane_vector(3, rests->velocity, k)));
    } else {
        counts->left++;
        CHECK(path.touched);
    }
}

static void compare(tp_world *world, uint32_t planes, rest_counts *counts)
{
    tpi_segments s = {.radius = tpi_lanes_of(0.05f)};
    tpi_lanes velocity[3];
    tpi_rests rests;
    tpi_clear_plan plan;
    for (uint32_t axis = 0; axis < 3; axis++) s.from[axis] = velocity[axis] = tpi_lanes_of(0.0f);
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        tp_vector at = any_place(world, planes),
                  v = test_random_position(&noise, test_random(&noise) < 0.5f ? 0.01f : 2.0f);
        TPI_LANE(s.from[0], k) = at.x;
        TPI_LANE(s.from[1], k) = at.y;
        TPI_LANE(s.from[2], k) = at.z;
        TPI_LANE(velocity[0], k) = v.x;
        TPI_LANE(velocity[1], k) = v.y;
        TPI_LANE(velocity[2], k) = tpi_dimensions(world) == 3 ? v.z : 0.0f;
    }
    for (uint32_t axis = 0; axis < 3; axis++)
        s.to[axis] = s.from[axis] + velocity[axis] * world->step.timestep;
    tpi_clear_prepare(world, &plan);
    tpi_rest_meet(world, &plan, &s, velocity, &rests);
    for (uint32_t k = 0; k < TPI_LANES; k++) compare_lane(world, &s, velocity, &rests, k, counts);
}

static void a_vector_of_contacts_has_the_bits_and_units_of_paths(void)
{
    rest_counts counts = {0};
    noise = 11;
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t planes = 1 + round % 7;
        test_world made = world_of_planes(2 + round % 2, planes, round >= 200);
        CHECK(tpi_rest_is_possible(made.world));
        for (uint32_t k = 0; k < 40; k++) compare(made.world, planes, &counts);
        test_note("round %u", round);
        test_world_free(&made);
    }
    CHECK(counts.misses > 1000 && counts.rests > 1000 && counts.left > 300);
    test_note("%u rest, %u of them twice; %u left", counts.rests, counts.twice, counts.left);
    CHECK(!TPI_REST_TWICE || counts.twice > 100);
    CHECK(counts.jumps > 100);
}

/* A particle that drifts too far out is killed in the step in which it does, with planes or without
   any collider. */
static void a_segment_too_far_out_is_left_to_the_path(void)
{
    for (uint32_t planes = 0; planes < 2; planes++) {
        test_world made = world_of_planes(3, planes, false);
        tpi_segments s = {.radius = tpi_lanes_of(0.05f)};
        tpi_lanes velocity[3];
        tpi_rests rests;
        tpi_clear_plan plan;
        tpi_clear_prepare(made.world, &plan);
        for (uint32_t axis = 0; axis < 3; axis++) {
            s.from[axis] = s.to[axis] = tpi_lanes_of(axis == 0 ? 0.9f * TPI_POSITION_MAX : 9.0f);
            velocity[axis] = tpi_lanes_of(0.0f);
        }
        tpi_rest_meet(made.world, &plan, &s, velocity, &rests);
        CHECK(tpi_lanes_any(rests.misses) || planes);
        s.to[0] = tpi_lanes_of(1.1f * TPI_POSITION_MAX);
        tpi_rest_meet(made.world, &plan, &s, velocity, &rests);
        CHECK(!tpi_lanes_any(rests.misses) && !tpi_lanes_any(rests.rests));
        test_world_free(&made);
    }
}

/* ---- whole worlds ---- */

/* A fluid in a tank of planes. With a sphere far away, its contacts take paths. */
static test_world tank(uint32_t dimensions, bool has_sphere)
{
    tp_world_def def = tp_world_default(dimensions);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 600;
    test_world made = test_world_make(&def);
    float side = dimensions == 2 ? 4.0f : 1.6f;
    test_world_gravity(made.world, 9.81f);
    for (uint32_t k = 0; k < 2u * dimensions; k++) {
        static const tp_quaternion turns[6] = {{0.70710678f, 0, 0, -0.70710678f},
                                               {0.70710678f, 0, 0, 0.70710678f},
                                               {1, 0, 0, 0},
                                               {0, 0, 0, 1},
                                               {0.70710678f, 0.70710678f, 0, 0},
                                               {0.70710678f, -0.70710678f, 0, 0}};
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        float far = k % 2u ? side : 0.0f;
        plane.pose.rotation = turns[k];
        plane.pose.position = tpi_vector(k / 2u == 0 ? far : 0.0f, k / 2u == 1 ? far : 0.0f,
                                         k / 2u == 2 ? far : 0.0f);
        (void)collide_add(made.world, &plane);
    }
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    sphere.pose.position = tpi_vector(900, 900, dimensions == 3 ? 900.0f : 0.0f);
    if (has_sphere) (void)collide_add(made.world, &sphere);
    noise = 5;
    for (uint32_t i = 0; i < 600; i++)
        collide_particle(made.world,
                         tpi_vector(test_uniform(&noise, 0.1f, side - 0.1f),
                                    test_uniform(&noise, 0.1f, side - 0.1f),
                                    dimensions == 3 ? test_uniform(&noise, 0.1f, side - 0.1f) : 0),
                         tpi_vector(0, 0, 0));
    return made;
}

static void check_alike(tp_view a, tp_view b, uint32_t dimensions)
{
    const size_t bytes = a.count * sizeof a.x[0];
    CHECK_EQ(a.count, b.count);
    CHECK(memcmp(a.id, b.id, bytes) == 0);
    CHECK(memcmp(a.x, b.x, bytes) == 0 && memcmp(a.vx, b.vx, bytes) == 0);
    CHECK(memcmp(a.y, b.y, bytes) == 0 && memcmp(a.vy, b.vy, bytes) == 0);
    if (dimensions == 3) CHECK(memcmp(a.z, b.z, bytes) == 0 && memcmp(a.vz, b.vz, bytes) == 0);
}

static void a_tank_has_the_bits_of_paths(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        test_world fast = tank(dimensions, false), slow = tank(dimensions, true);
        CHECK(tpi_rest_is_possible(fast.world) && !tpi_rest_is_possible(slow.world));
        uint64_t contacts = 0;
        for (int f = 0; f < 60; f++) {
            test_world_frames(fast.world, 1);
            test_world_frames(slow.world, 1);
            tp_report a = tp_world_report(fast.world), b = tp_world_report(slow.world);
            test_note("%u dimensions, frame %d", dimensions, f);
            check_alike(tp_world_view(fast.world), tp_world_view(slow.world), dimensions);
            CHECK_EQ(a.contacts, b.contacts);
            CHECK_EQ(a.pushed_out, b.pushed_out);
            contacts += a.contacts;
        }
        CHECK(contacts > 2000);
        test_world_free(&fast);
        test_world_free(&slow);
    }
}

static const test_case cases[] = {
    TEST_CASE(a_vector_of_contacts_has_the_bits_and_units_of_paths),
    TEST_CASE(a_segment_too_far_out_is_left_to_the_path),
    TEST_CASE(a_tank_has_the_bits_of_paths),
};
TEST_SUITE(rest, cases);
