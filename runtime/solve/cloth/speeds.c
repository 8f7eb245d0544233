/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/speeds.c - the speeds of nodes that may touch: their sum, and their limit.
   reads   weights, kicked velocities      writes  kicked velocities, the sum
   memory  see touch.h      cost    see touch.h
   after   own design: a sum of integers is the same in any vectors */
#include "cloth_lanes.h"
#include "touch.h"

/* Thicknesses that a node may move in a sub-step, relative to the mean of all. */
#define TOUCH_MOVE 0.5f
/* Slower nodes are added up in 32 bits: at most 2^8 vectors of 2^15 m/s. */
#define TOUCH_SLOW  32768.0f
#define TOUCH_ADDED (256u * TPI_LANES)

/* In 1/256 m/s: of at most TOUCH_ADDED velocities. */
static int64_t touch_sum(const float *v, uint32_t count)
{
    tpi_lane_ints sum = tpi_lane_ints_of(0);
    tpi_lane_mask is_slow = tpi_lanes_first(TPI_LANES);
    uint32_t whole = TPI_LANES > 1 ? count / TPI_LANES * TPI_LANES : 0u;
    int64_t all = 0;
    for (uint32_t i = 0; i < whole; i += TPI_LANES) {
        tpi_lanes speed = tpi_lanes_load(v + i);
        tpi_lane_mask slow = tpi_lanes_less(tpi_lanes_magnitude(speed), tpi_lanes_of(TOUCH_SLOW));
        is_slow = tpi_lanes_and(is_slow, slow);
        speed = tpi_lanes_select(slow, speed, tpi_lanes_of(0.0f));
        sum = tpi_lane_ints_add(sum, tpi_lanes_truncate(speed * TPI_TOUCH_SCALE));
    }
    if (tpi_lanes_bits(is_slow) != TPI_LANES_ALL) whole = 0;
    for (uint32_t k = 0; whole > 0 && k < TPI_LANES; k++) all += TPI_LANE(sum, k);
    for (uint32_t i = whole; i < count; i++)
        all += (int64_t)(tpi_clamp(v[i], -TPI_SPEED_MAX, TPI_SPEED_MAX) * TPI_TOUCH_SCALE);
    return all;
}

void tpi_cloth_sum(const tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        const float *v = tpi_kicked(world, axis);
        int64_t sum = begin ? touch->sum[axis] : 0;
        for (uint32_t i = begin; i < end; i += TOUCH_ADDED)
            sum += touch_sum(v + i, tpi_min_u32(end - i, TOUCH_ADDED));
        touch->sum[axis] = sum;
    }
}

/* Limits the speed of node i. Pinned nodes keep their velocities. */
static void touch_clamp(tp_world *world, uint32_t i, const float mean[3], float most)
{
    float square = 0.0f;
    if (tpi_floats(world, world->arrays.next_birth)[i] == 0.0f) return;
    world->step.speeds_clamped++;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float v = tpi_kicked(world, axis)[i] - mean[axis];
        square += v * v;
    }
    const float share = most / tpi_sqrt(square);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float *v = tpi_kicked(world, axis) + i;
        *v = mean[axis] + (*v - mean[axis]) * share;
    }
}

void tpi_cloth_clamp(tp_world *world, uint32_t begin, uint32_t end)
{
    const float most = TOUCH_MOVE * world->def.cloth.thickness / world->step.timestep;
    const uint32_t dimensions = tpi_dimensions(world);
    float mean[3] = {0.0f, 0.0f, 0.0f}, *v[3] = {NULL, NULL, NULL};
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        mean[axis] = tpi_cloth_mean(world, axis);
        v[axis] = tpi_kicked(world, axis);
    }
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        tpi_lanes x = tpi_lanes_load(v[0] + i) - mean[0], y = tpi_lanes_load(v[1] + i) - mean[1];
        tpi_lanes square = x * x + y * y;
        if (dimensions == 3) {
            tpi_lanes z = tpi_lanes_load(v[2] + i) - mean[2];
            square = square + z * z;
        }
        tpi_lane_mask is_slow = tpi_lanes_at_most(square, tpi_lanes_of(most * most));
        uint32_t count = tpi_min_u32(end - i, TPI_LANES),
                 fast =
                     tpi_lanes_bits(tpi_lanes_and(tpi_lanes_not(is_slow), tpi_lanes_first(count)));
        for (uint32_t k = 0; TPI_UNLIKELY(fast >> k) && k < count; k++)
            if (fast >> k & 1u) touch_clamp(world, i + k, mean, most);
    }
}

#undef TOUCH_MOVE
#undef TOUCH_SLOW
#undef TOUCH_ADDED
