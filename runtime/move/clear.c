/* SPDX-License-Identifier: MIT
   runtime/move/clear.c - early-out test, by vectors: finds segments that meet no collider, which
           are most.
   reads   segments, the colliders      writes  a mask
   memory  none of its own              cost    per collider: two dot products, or six comparisons
   after   the early-out tests of collide.c; other segments take the path of collide.c, which gives
           the same bits */
#include "clear.h"

typedef struct clear_box {
    tpi_lanes low[3], high[3];
} clear_box;

static bool clear_is_plane(const tpi_collider_item *item)
{
    return item->def.shape == TP_COLLIDER_PLANE && !item->is_moving;
}

TPI_INLINE tpi_lane_mask clear_beside(tpi_lanes low, tpi_lanes high, float swept_low,
                                      float swept_high)
{
    return tpi_lanes_or(tpi_lanes_less(tpi_lanes_of(swept_high), low),
                        tpi_lanes_less(high, tpi_lanes_of(swept_low)));
}

/* True if the bounding box of the swept sphere and that of the collider are disjoint. */
TPI_INLINE tpi_lane_mask clear_of_box(const clear_box *box, const tpi_collider_item *item,
                                      uint32_t dimensions)
{
    tp_vector low = item->swept_low, high = item->swept_high;
    tpi_lane_mask x = clear_beside(box->low[0], box->high[0], low.x, high.x);
    tpi_lane_mask xy = tpi_lanes_or(x, clear_beside(box->low[1], box->high[1], low.y, high.y));
    if (dimensions == 2) return xy;
    return tpi_lanes_or(xy, clear_beside(box->low[2], box->high[2], low.z, high.z));
}

/* A hollow box at rest with sides along the axes: true if both ends of the segment are in the part
   of it that the centre can reach. In 2D the segment's third coordinate is 0. */
TPI_INLINE tpi_lane_mask clear_in_hollow(const tpi_segments *s, tpi_lanes skin,
                                         const tpi_collider_item *item, uint32_t dimensions)
{
    const tp_vector p = item->pose_to.position, h = item->def.half;
    const float centre[3] = {p.x, p.y, p.z}, half[3] = {h.x, h.y, h.z};
    tpi_lanes wide = tpi_lanes_max(skin, tpi_lanes_of(item->scale * TPI_SKIN_SHARE));
    wide = s->radius + wide + (item->def.is_two_sided ? item->def.thickness : 0.0f);
    tpi_lane_mask inside = tpi_lanes_less(wide, tpi_lanes_of(half[2]));
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): 2 or 3 axes */
        tpi_lanes from = s->from[axis] - centre[axis], to = s->to[axis] - centre[axis];
        tpi_lanes farthest = tpi_lanes_max(tpi_lanes_max(from, -from), tpi_lanes_max(to, -to));
        inside = tpi_lanes_and(inside, tpi_lanes_less(farthest, tpi_lanes_of(half[axis]) - wide));
    }
    return inside;
}

static bool clear_is_hollow(const tpi_collider_item *item)
{
    const tp_quaternion turn = item->pose_to.rotation;
    return item->def.shape == TP_COLLIDER_BOX && item->def.is_hollow && !item->is_moving &&
           turn.x == 0.0f && turn.y == 0.0f && turn.z == 0.0f;
}

static tpi_lane_mask clear_of(const tpi_segments *s, const clear_box *box, tpi_lanes skin,
                              const tpi_collider_item *item, uint32_t dimensions)
{
    if (clear_is_plane(item)) {
        const tpi_clear_plane plane = tpi_clear_plane_of(item);
        return tpi_clear_of_plane(s, skin, &plane, dimensions);
    }
    return clear_is_hollow(item) ? clear_in_hollow(s, skin, item, dimensions)
                                 : clear_of_box(box, item, dimensions);
}

#if TPI_LANES > 1
/* Bounds of the colliders that the plan does not hold; of those that are not tested by boxes:
   everything. */
static void clear_bounds(const tp_world *world, tpi_clear_plan *plan)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const tp_vector all = {FLT_MAX, FLT_MAX, FLT_MAX};
    const uint32_t end = tpi_bounds_begin(&plan->bounds, tpi_colliders_end(world));
    for (uint32_t slot = 0; slot < end; slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        bool is_planned = slot < 32u && (plan->slots >> slot & 1u);
        if (is_planned || !tpi_pool_is_alive(slots, slot)) continue;
        if (clear_is_plane(item) || clear_is_hollow(item))
            tpi_bounds_put(&plan->bounds, slot, tpi_scale(all, -1.0f), all);
        else
            tpi_bounds_put(&plan->bounds, slot, item->swept_low, item->swept_high);
    }
}
#endif

void tpi_clear_prepare(const tp_world *world, tpi_clear_plan *plan)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    plan->plane_count = 0;
    plan->slots = plan->hollows = 0;
    plan->has_others = false;
    plan->has_no_test = tpi_colliders_used(world) && world->def.sph.compat;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot)) continue;
        if (slot < 32u && plan->plane_count < TPI_CLEAR_PLANES && clear_is_plane(item)) {
            plan->planes[plan->plane_count] = tpi_clear_plane_of(item);
            plan->plane_count++;
            plan->slots |= (uint32_t)1 << slot;
        } else {
            if (slot < 32u && clear_is_hollow(item)) plan->hollows |= (uint32_t)1 << slot;
            plan->has_others = true;
        }
    }
#if TPI_LANES > 1
    if (plan->has_others) clear_bounds(world, plan);
#endif
}

/* The bounding box of the ends of a segment; returns its largest coordinate. */
TPI_INLINE tpi_lanes clear_box_of(const tpi_segments *s, uint32_t dimensions, clear_box *box)
{
    tpi_lanes largest = tpi_lanes_of(0.0f);
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (axis == 2 && dimensions == 2) break;
        box->low[axis] = tpi_lanes_min(s->from[axis], s->to[axis]);
        box->high[axis] = tpi_lanes_max(s->from[axis], s->to[axis]);
        largest = tpi_lanes_max(largest, tpi_lanes_max(box->high[axis], -box->low[axis]));
    }
    return largest;
}

/* collide_skin */
TPI_INLINE tpi_lanes clear_skin(const tpi_segments *s, tpi_lanes largest)
{
    tpi_lanes skin = tpi_lanes_max(s->radius * 1e-3f, tpi_lanes_of(TPI_SKIN_LEAST));
    return tpi_lanes_max(skin, largest * TPI_SKIN_SHARE);
}

tpi_lanes tpi_segments_skin(const tp_world *world, const tpi_segments *segments)
{
    clear_box box;
    return clear_skin(segments, clear_box_of(segments, tpi_dimensions(world), &box));
}

#if TPI_LANES == 1
/* clear_in_hollow for one segment: the first coordinate beyond the part decides. */
static bool clear_keeps_inside(const tpi_segments *s, float skin, const tpi_collider_item *item,
                               uint32_t dimensions)
{
    const tp_vector p = item->pose_to.position, h = item->def.half;
    const float centre[3] = {p.x, p.y, p.z}, half[3] = {h.x, h.y, h.z};
    float wide = s->radius + tpi_max(skin, item->scale * TPI_SKIN_SHARE) +
                 (item->def.is_two_sided ? item->def.thickness : 0.0f);
    if (!(wide < half[2])) return false;
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        float room = half[axis] - wide;
        uint32_t least = tpi_is_positive(room) ? tpi_magnitude(room) : 0;
        if (tpi_magnitude(s->from[axis] - centre[axis]) >= least) return false;
        if (tpi_magnitude(s->to[axis] - centre[axis]) >= least) return false;
    }
    return true;
}

/* A collider of any kind. A function of its own: its variables are not on the stack of a path. */
static TPI_APART bool clear_of_any(const tpi_segments *s, float skin, const tpi_collider_item *item,
                                   uint32_t dimensions)
{
    clear_box box;
    clear_box_of(s, dimensions, &box);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        box.low[axis] = box.low[axis] - (s->radius + skin);
        box.high[axis] = box.high[axis] + (s->radius + skin);
    }
    return clear_of(s, &box, skin, item, dimensions) != 0;
}

/* The same as clear_test below; returns as soon as one collider is not clear. */
static tpi_lane_mask clear_test_each(const tp_world *world, const tpi_clear_plan *plan,
                                     const tpi_segments *s, uint32_t dimensions)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    uint32_t largest = 0;
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        largest = tpi_max_u32(largest, tpi_magnitude(s->from[axis]));
        largest = tpi_max_u32(largest, tpi_magnitude(s->to[axis]));
    }
    if (largest >= tpi_magnitude(TPI_POSITION_MAX)) return 0;
    float skin = clear_skin(s, tpi_from_bits(largest >> 1));
    for (uint32_t k = 0; k < plan->plane_count; k++)
        if (!tpi_clear_of_plane(s, skin, &plan->planes[k], dimensions)) return 0;
    for (uint32_t slot = 0; slot < (plan->has_others ? tpi_colliders_end(world) : 0u); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (slot < 32u && (plan->hollows >> slot & 1u)) {
            if (!clear_keeps_inside(s, skin, item, dimensions)) return 0;
        } else if (tpi_pool_is_alive(slots, slot) && !(slot < 32u && (plan->slots >> slot & 1u))) {
            if (!clear_of_any(s, skin, item, dimensions)) return 0;
        }
    }
    return tpi_lanes_first(1);
}
#else
/* The colliders that the plan does not hold. */
static tpi_lane_mask clear_of_others(const tp_world *world, const tpi_clear_plan *plan,
                                     const tpi_segments *s, clear_box box, tpi_lanes skin)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const uint32_t end = tpi_colliders_end(world);
    tpi_lane_mask clear = tpi_lanes_first(TPI_LANES);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        box.low[axis] = box.low[axis] - (s->radius + skin);
        box.high[axis] = box.high[axis] + (s->radius + skin);
    }
    const uint64_t left =
        tpi_bounds_near_lanes(&plan->bounds, end, box.low, box.high, tpi_dimensions(world));
    for (uint32_t slot = tpi_bounds_next(left, 0); slot < end;
         slot = tpi_bounds_next(left, slot + 1u)) {
        bool is_planned = slot < 32u && (plan->slots >> slot & 1u);
        if (is_planned || !tpi_pool_is_alive(slots, slot)) continue;
        clear = tpi_lanes_and(
            clear, clear_of(s, &box, skin, tpi_collider_at(world, slot), tpi_dimensions(world)));
    }
    return clear;
}

TPI_INLINE tpi_lane_mask clear_test(const tp_world *world, const tpi_clear_plan *plan,
                                    const tpi_segments *s, uint32_t dimensions)
{
    clear_box box;
    tpi_lanes largest = clear_box_of(s, dimensions, &box), skin = clear_skin(s, largest);
    tpi_lane_mask clear = tpi_lanes_less(largest, tpi_lanes_of(TPI_POSITION_MAX));
    for (uint32_t k = 0; k < plan->plane_count; k++)
        clear = tpi_lanes_and(clear, tpi_clear_of_plane(s, skin, &plan->planes[k], dimensions));
    if (plan->has_others) clear = tpi_lanes_and(clear, clear_of_others(world, plan, s, box, skin));
    return clear;
}
#endif

tpi_lane_mask tpi_segments_clear(const tp_world *world, const tpi_clear_plan *plan,
                                 const tpi_segments *segments)
{
    if (plan->has_no_test) return tpi_lanes_first(0);
#if TPI_LANES == 1
    return clear_test_each(world, plan, segments, tpi_dimensions(world));
#else
    return tpi_dimensions(world) == 2 ? clear_test(world, plan, segments, 2)
                                      : clear_test(world, plan, segments, 3);
#endif
}
