/* SPDX-License-Identifier: MIT
   runtime/world/between.c - pictures at a rate unlike the simulation's: positions between two
           frames, and particles in order of depth.
   reads   the front set, views      writes  arrays of the caller
   memory  1 KB of stack             cost    O(particles)
   after   linear interpolation: a path that bounces within the frame has its corner cut, but never
           enters the wall; least significant digit radix sort */
#include "block.h"
#include "box.h"

/* Where a particle is if this share of the way is left, along one axis: exact at both ends. */
static float between_axis(const tp_world *world, uint32_t axis, uint32_t i, float rest)
{
    const tpi_box *box = &world->constants.box;
    float x = tpi_front_x(world, axis)[i], last = tpi_last_x(world, axis)[i], d = x - last;
    if (rest == 1.0f) return last;
    if (!box->is_periodic || box->cells[axis] == 0) return x - d * rest;
    return tpi_box_wrap(box, axis, x - tpi_box_image(box, axis, d) * rest);
}

tp_result tp_world_between(const tp_world *world, float alpha, uint32_t first, uint32_t count,
                           float *x, float *y, float *z)
{
    float *const to[3] = {x, y, z};
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!tpi_def_keeps_last(&world->def) || !tpi_is_within(alpha, 0.0f, 1.0f))
        return TP_ERROR_DEFINITION;
    if (first > world->count || count > world->count - first) return TP_ERROR_HANDLE;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        if (!to[axis] && count > 0) return TP_ERROR_NULL;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        for (uint32_t k = 0; k < count; k++)
            to[axis][k] = between_axis(world, axis, first + k, 1.0f - alpha);
    return TP_OK;
}

/* ---- depth ---- */

/* An integer that is smaller for larger depths. */
static uint32_t depth_key(float depth)
{
    uint32_t bits = tpi_bits(depth + 0.0f); /* -0 becomes 0 */
    return bits >> 31 ? bits : ~(bits | 0x80000000u);
}

/* One pass: sorts indices by 8 bits of their keys and keeps the order of equal ones. */
static void depth_pass(const uint32_t *keys, uint32_t shift, const uint32_t *from, uint32_t *to,
                       uint32_t count)
{
    uint32_t starts[256] = {0}, sum = 0;
    for (uint32_t k = 0; k < count; k++) starts[keys[k] >> shift & 255u]++;
    for (uint32_t digit = 0; digit < 256u; digit++) {
        uint32_t here = starts[digit];
        starts[digit] = sum;
        sum += here;
    }
    for (uint32_t k = 0; k < count; k++) to[starts[keys[from[k]] >> shift & 255u]++] = from[k];
}

tp_result tp_view_sort_depth(const tp_view *view, tp_vector direction, uint32_t *indices,
                             uint32_t *scratch)
{
    if (!view || !indices || !scratch) return TP_ERROR_NULL;
    if (!view->z) direction.z = 0.0f;
    if (!tpi_is_finite_vector(direction)) return TP_ERROR_DEFINITION;
    if (view->count > 0 && (!view->x || !view->y)) return TP_ERROR_NULL;
    uint32_t *keys = scratch, *other = scratch + view->count;
    for (uint32_t k = 0; k < view->count; k++) {
        float depth = view->x[k] * direction.x + view->y[k] * direction.y;
        if (view->z) depth += view->z[k] * direction.z;
        keys[k] = depth_key(depth);
        indices[k] = k;
    }
    for (uint32_t shift = 0; shift < 32u; shift += 16u) {
        depth_pass(keys, shift, indices, other, view->count);
        depth_pass(keys, shift + 8u, other, indices, view->count);
    }
    return TP_OK;
}
