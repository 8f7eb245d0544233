/* SPDX-License-Identifier: MIT
   tests/unit/test_bounds.c - the broad phase of colliders, compared with a test of each.
   reads   runtime/world/bounds_lanes.h, move/clear.h      writes  nothing
   memory  a small world      cost    milliseconds
   after   comparisons of single numbers as the reference */
#include "test.h"
#include "collide_help.h"
#include "move/clear.h"
#include <math.h>

#define TEST_COLLIDERS 80u

static uint32_t noise = 5;

static float any(void) { return test_uniform(&noise, -2, 2); }

static tp_vector any_vector(float size)
{
    return tpi_vector(test_uniform(&noise, -size, size), test_uniform(&noise, -size, size),
                      test_uniform(&noise, -size, size));
}

static bool meets(tp_vector low, tp_vector high, const float from[3], const float to[3],
                  uint32_t dimensions)
{
    bool flat = low.x <= to[0] && high.x >= from[0] && low.y <= to[1] && high.y >= from[1];
    return flat && (dimensions == 2 || (low.z <= to[2] && high.z >= from[2]));
}

static void boxes_leave_the_slots_whose_bounds_they_meet(void)
{
    const uint32_t most = TPI_BOUNDS < 50u ? TPI_BOUNDS : 50u;
    uint32_t met = 0;
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t dimensions = 2 + round % 2, end = round % (most + 1);
        tp_vector low[64], high[64];
        tpi_bounds bounds;
        if (tpi_bounds_begin(&bounds, end) == 0 && TPI_LANES > 1) CHECK_EQ(end, 0);
        for (uint32_t k = 0; k < end; k++) {
            low[k] = any_vector(2);
            high[k] = tpi_add(low[k], tpi_vector(1, 0.5f, 1));
            if (k % 7 != 3) tpi_bounds_put(&bounds, k, low[k], high[k]);
        }
        const float from[3] = {any(), any(), any()},
                    to[3] = {from[0] + 0.3f, from[1] + 0.3f, from[2] + 0.3f};
        uint64_t left = tpi_bounds_near(&bounds, end, from, to, dimensions);
        for (uint32_t k = 0; k < end && TPI_LANES > 1; k++) {
            bool is_left = k % 7 != 3 && meets(low[k], high[k], from, to, dimensions);
            CHECK_EQ(left >> k & 1u, is_left);
            met += is_left;
        }
    }
    if (TPI_LANES > 1) CHECK(met > 100);
}

static void a_walk_visits_the_slots_that_are_left(void)
{
    uint64_t left = 0x8000000100000005u;
    uint32_t count = 0;
    for (uint32_t slot = tpi_bounds_next(left, 0); slot < 70;
         slot = tpi_bounds_next(left, slot + 1)) {
        CHECK(TPI_LANES == 1 || slot >= TPI_BOUNDS || (left >> slot & 1u));
        count++;
    }
    CHECK_EQ(count, TPI_LANES == 1 ? 70 : 4 + 6);
}

/* A coordinate that is no number must not hide its neighbours in the vector. */
static void a_vector_with_no_number_leaves_all(void)
{
    tpi_bounds bounds;
    tpi_lanes low[3], high[3];
    if (TPI_LANES == 1) return;
    tpi_bounds_begin(&bounds, 1);
    tpi_bounds_put(&bounds, 0, tpi_vector(5, 5, 5), tpi_vector(6, 6, 6));
    for (uint32_t axis = 0; axis < 3; axis++) low[axis] = high[axis] = tpi_lanes_of(1.0f);
    CHECK_EQ(tpi_bounds_near_lanes(&bounds, 1, low, high, 3), 0);
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        tpi_lanes kept = low[1];
        TPI_LANE(low[1], k) = NAN;
        CHECK(tpi_bounds_near_lanes(&bounds, 1, low, high, 3) != 0);
        low[1] = kept;
        for (uint32_t axis = 0; axis < 3; axis++) TPI_LANE(high[axis], k) = 5.5f;
        CHECK_EQ(tpi_bounds_near_lanes(&bounds, 1, low, high, 3), 1);
        for (uint32_t axis = 0; axis < 3; axis++) TPI_LANE(high[axis], k) = 1.0f;
    }
}

/* More colliders than have bounds: the segments that are clear are those of each collider alone. */
static void many_colliders_are_clear_as_each_alone(void)
{
    tp_world_def def = collide_scene(2, 0.05f);
    def.colliders_max = TEST_COLLIDERS;
    test_world made = test_world_make(&def);
    uint32_t clear = 0, other = 0;
    for (uint32_t k = 0; k < TEST_COLLIDERS; k++) {
        tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
        ball.radius = 0.1f;
        ball.pose.position = tpi_vector(2 * any(), 2 * any(), 0);
        collide_add(made.world, &ball);
    }
    tpi_clear_plan plan;
    tpi_clear_prepare(made.world, &plan);
    for (uint32_t round = 0; round < 300; round++) {
        tpi_segments s = {{tpi_lanes_of(0.0f)}, {tpi_lanes_of(0.0f)}, tpi_lanes_of(0.05f)};
        for (uint32_t axis = 0; axis < 3; axis++)
            for (uint32_t k = 0; k < TPI_LANES; k++)
                TPI_LANE(s.from[axis], k) = TPI_LANE(s.to[axis], k) = axis < 2 ? any() : 0.0f;
        uint32_t bits = tpi_lanes_bits(tpi_segments_clear(made.world, &plan, &s));
        tpi_lanes wide = tpi_segments_skin(made.world, &s);
        for (uint32_t k = 0; k < TPI_LANES; k++) {
            float skin = 0.05f + TPI_LANE(wide, k);
            float x = TPI_LANE(s.to[0], k), y = TPI_LANE(s.to[1], k);
            bool is_clear = true;
            for (uint32_t slot = 0; slot < TEST_COLLIDERS; slot++) {
                const tpi_collider_item *item = tpi_collider_at(made.world, slot);
                tp_vector low = item->swept_low, high = item->swept_high;
                if (!(high.x < x - skin || x + skin < low.x || high.y < y - skin ||
                      y + skin < low.y))
                    is_clear = false;
            }
            CHECK_EQ(bits >> k & 1u, is_clear);
            is_clear ? clear++ : other++;
        }
    }
    CHECK(clear > 50 && other > 50);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(boxes_leave_the_slots_whose_bounds_they_meet),
    TEST_CASE(a_walk_visits_the_slots_that_are_left),
    TEST_CASE(a_vector_with_no_number_leaves_all),
    TEST_CASE(many_colliders_are_clear_as_each_alone),
};
TEST_SUITE(bounds, cases);
