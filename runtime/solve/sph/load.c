/* SPDX-License-Identifier: MIT
   runtime/solve/sph/load.c - gives the impulses of walls to the colliders that the walls are.
   reads   impulses per particle, positions, colliders      writes  loads
   memory  160 bytes of stack      cost    per particle 1 unit, and 4 per wall near it
   after   own design: the solvers keep one impulse per particle, and this pass divides it among its
           walls, so that all formulations share it and a fluid without loads pays nothing */
#include "sph_lanes.h"
#include "../../world/wall_lanes.h"
#include "../../world/load.h"

#define LOAD_WALLS 6u /* of a particle; the nearest of the others get nothing */
#define LOAD_UNITS 4u /* of a collider that may be near a particle */

/* A wall that has a share of the impulse. */
typedef struct load_wall {
    uint32_t slot;
    tpi_wall wall;
    float weight;
} load_wall;

typedef struct load_walls {
    load_wall walls[LOAD_WALLS];
    uint32_t count;
} load_walls;

/* The weight of a wall is the slope of its share of the kernel, as in its force. */
static float load_weight(const tp_world *world, float distance)
{
    const float *rows = tpi_sph_wall_rows(tpi_dimensions(world), 0);
    float q = tpi_abs(distance) * tpi_sph_of(world)->inverse_radius * (float)TPI_SPH_WALL_ROWS;
    if (!(q < (float)TPI_SPH_WALL_ROWS)) return 0.0f;
    uint32_t k = (uint32_t)q;
    return rows[k] - rows[k + 1u] + 1e-6f;
}

/* Keeps the walls with the largest weights. */
static void load_offer(const tp_world *world, uint32_t slot, const tpi_wall *wall, load_walls *all)
{
    uint32_t at = all->count;
    float weight = load_weight(world, wall->distance);
    if (weight <= 0.0f) return;
    if (at == LOAD_WALLS) {
        at = 0;
        for (uint32_t k = 1; k < LOAD_WALLS; k++)
            if (all->walls[k].weight < all->walls[at].weight) at = k;
        if (all->walls[at].weight >= weight) return;
    } else {
        all->count++;
    }
    all->walls[at] = (load_wall){slot, *wall, weight};
}

static bool load_is_near(const tp_world *world, const tpi_collider_item *item, tp_vector point)
{
    const float within = TPI_WALL_WITHIN * world->constants.smoothing_radius;
    if (item->def.shape == TP_COLLIDER_PLANE && !item->is_moving)
        return tpi_dot(point, item->normal) - item->offset < within;
    return point.x > item->swept_low.x - within && point.x < item->swept_high.x + within &&
           point.y > item->swept_low.y - within && point.y < item->swept_high.y + within &&
           (tpi_dimensions(world) == 2 ||
            (point.z > item->swept_low.z - within && point.z < item->swept_high.z + within));
}

/* True if a face is beyond the support radius of a particle: of a hollow box that neither moves nor
   is turned, as rooms are. Most particles at one of its faces are far from the others. */
static bool load_is_far(const tp_world *world, const tpi_collider_item *item, uint32_t face,
                        tp_vector point)
{
    const tp_quaternion q = item->pose_to.rotation;
    const tp_vector local = tpi_sub(point, item->pose_to.position), half = item->def.half;
    const float at[3] = {local.x, local.y, local.z}, size[3] = {half.x, half.y, half.z};
    if (!item->def.is_hollow || item->is_moving || q.x != 0.0f || q.y != 0.0f || q.z != 0.0f)
        return false;
    float distance = size[face >> 1] - (face & 1u ? at[face >> 1] : -at[face >> 1]);
    return tpi_abs(distance) > TPI_WALL_WITHIN * world->constants.smoothing_radius;
}

/* The walls of a particle. Returns how many colliders were near it, and their other work. */
static uint32_t load_meet(const tp_world *world, const tpi_bounds *bounds, tp_vector point,
                          uint32_t species, load_walls *all)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots),
                   end = tpi_colliders_end(world);
    const float at[3] = {point.x, point.y, point.z};
    const uint64_t left = tpi_bounds_near(bounds, end, at, at, tpi_dimensions(world));
    int32_t work = 0;
    for (uint32_t slot = tpi_bounds_next(left, 0); slot < end;
         slot = tpi_bounds_next(left, slot + 1u)) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        tpi_wall planes[TPI_WALL_PLANES];
        if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item)) continue;
        if (!(item->def.species_mask >> species & 1u) || !load_is_near(world, item, point))
            continue;
        work++;
        const tpi_wall_poses poses = tpi_wall_poses_of(world, item);
        bool has_planes = tpi_wall_has_planes(item);
        uint32_t faces = has_planes ? tpi_wall_planes(world, item, point, &work, planes)
                                    : tpi_wall_faces(world, item);
        for (uint32_t face = 0; face < faces; face++) {
            if (load_is_far(world, item, face, point)) continue;
            tpi_wall wall =
                has_planes ? planes[face] : tpi_wall_at(world, item, &poses, face, point);
            load_offer(world, slot, &wall, all);
        }
    }
    return (uint32_t)work;
}

/* Each wall gets a part along its normal, in proportion to its weight, such that the parts add up
   to the impulse as well as they can; the strongest wall gets the rest, too. */
static void load_divide(const tp_world *world, tp_vector point, tp_vector impulse,
                        const load_walls *all)
{
    tp_vector sum = {0.0f, 0.0f, 0.0f}, rest = impulse;
    uint32_t strongest = 0;
    for (uint32_t k = 0; k < all->count; k++) {
        sum = tpi_add_scaled(sum, all->walls[k].wall.normal, all->walls[k].weight);
        if (all->walls[k].weight > all->walls[strongest].weight) strongest = k;
    }
    float square = tpi_dot(sum, sum), scale = 0.0f;
    if (square > 1e-12f) scale = tpi_dot(impulse, sum) / square;
    for (uint32_t step = 1; step <= all->count; step++) {
        const load_wall *w = &all->walls[(strongest + step) % all->count];
        tpi_load_push push = {w->slot, tpi_add_scaled(point, w->wall.normal, -w->wall.distance),
                              w->wall.normal, tpi_scale(w->wall.normal, w->weight * scale)};
        if (step == all->count) push.impulse = rest;
        rest = tpi_sub(rest, push.impulse);
        tpi_loads_add(world, &push);
    }
}

/* Returns the units of a particle. */
static uint32_t load_give(const tp_world *world, const tpi_bounds *bounds, uint32_t i)
{
    const uint32_t species = TPI_ORDER_SPECIES(tpi_words(world, world->arrays.order)[i]);
    const bool is_flat = tpi_dimensions(world) == 2;
    tp_vector given = {tpi_sph_load_of(world, 0)[i], tpi_sph_load_of(world, 1)[i],
                       is_flat ? 0.0f : tpi_sph_load_of(world, 2)[i]};
    float unit = tpi_sph_is_incompressible(&world->def) ? -world->def.species[species].mass : -1.0f;
    if (given.x == 0.0f && given.y == 0.0f && given.z == 0.0f) return 1u;
    tp_vector point = {tpi_back_x(world, 0)[i], tpi_back_x(world, 1)[i],
                       is_flat ? 0.0f : tpi_back_x(world, 2)[i]};
    load_walls all;
    all.count = 0;
    uint32_t work = load_meet(world, bounds, point, species, &all);
    if (all.count) load_divide(world, point, tpi_scale(given, unit), &all);
    return 1u + (tpi_colliders_end(world) + 3u) / 4u + LOAD_UNITS * work;
}

TPI_APART uint32_t tpi_sph_give_loads(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    uint32_t used = 0;
    tpi_bounds bounds;
    tpi_wall_bounds(world, &bounds);
    while (step->cursor.i < step->count && used < units)
        used += load_give(world, &bounds, step->cursor.i++);
    *done = step->cursor.i == step->count;
    return used;
}

#undef LOAD_WALLS
#undef LOAD_UNITS
