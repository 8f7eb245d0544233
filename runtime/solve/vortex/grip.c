/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/grip.c - colliders take the air within a cell of their surface along.
   reads   colliders, velocities of nodes      writes  lift of nodes, loads
   memory  none            cost    O(nodes of a row within the bounds of the collider), in parts
   after   penalty method (Angot, Bruneau and Fabrie 1999; for vortex particles Coquerelle and
           Cottet 2008): a force moves the air in a solid to the velocity of the solid, and its curl
           is the vorticity that a surface without slip sheds */
#include "vortex.h"
#include "../../world/load.h"
#include "../../world/wall.h"

/* A row of nodes at a collider. */
typedef struct grip_row {
    uint32_t slot, node; /* of the collider; of the first node */
    tp_pose begin, end;  /* of the collider in the step in progress */
    tpi_wall_poses poses;
    float rate; /* 1/s: of the whole step */
} grip_row;

static grip_row grip_begin(const tp_world *world, const tpi_collider_item *item)
{
    const float dt = world->step.timestep, tick = 1.0f / (float)TP_TICKS_PER_FRAME;
    grip_row row = {.begin = item->pose_to, .end = item->pose_to};
    row.poses = tpi_wall_poses_of(world, item);
    row.rate = (1.0f - tpi_exp(-world->def.vortex.grip * dt)) / dt;
    if (!item->is_moving) return row;
    row.begin = tpi_collider_pose(item, (float)world->clock.tick * tick);
    row.end = tpi_collider_pose(item, (float)(world->clock.tick + world->step.ticks) * tick);
    return row;
}

/* m/s: of the collider at a point. */
static tp_vector grip_velocity(const tp_world *world, const grip_row *row, tp_vector x)
{
    tp_vector before = tpi_to_world(row->begin, tpi_to_local(row->end, x));
    return tpi_scale(tpi_sub(x, before), 1.0f / world->step.timestep);
}

/* m/s: of the air at a node after the step, with what it gained so far; `lift`: of the node. */
static tp_vector grip_air(const tp_world *world, const float *lift, uint32_t node, tp_vector x)
{
    const float *flow = tpi_floats(world, world->arrays.own[TPI_VORTEX_FLOW]) + 4u * (size_t)node;
    uint32_t stride = tpi_dense_floats(world->def.vortex.grid_nodes);
    float h = world->def.vortex.grid_spacing, part = world->step.timestep / (h * h * h);
    tp_vector gained = {lift[0], lift[stride], lift[2u * (size_t)stride]},
              air = tpi_add_scaled(tpi_vector(flow[0], flow[1], flow[2]), gained, part);
    return tpi_fields_used(world) > 0 ? tpi_add(air, tpi_field_medium(world, x, 0)) : air;
}

/* The nearest of the sides of a collider. */
static tpi_wall grip_wall(const tp_world *world, const tpi_collider_item *item, const grip_row *row,
                          tp_vector x)
{
    tpi_wall nearest = tpi_wall_at(world, item, &row->poses, 0, x);
    for (uint32_t face = 1; face < tpi_wall_faces(world, item); face++) {
        tpi_wall wall = tpi_wall_at(world, item, &row->poses, face, x);
        if (wall.distance < nearest.distance) nearest = wall;
    }
    return nearest;
}

/* A node at x: the force per density, and the opposite impulse for the collider. */
static void grip_node(const tp_world *world, const tpi_collider_item *item, const grip_row *row,
                      const uint32_t at[3], tp_vector x)
{
    const tp_vortex *vortex = &world->def.vortex;
    const float h = vortex->grid_spacing, volume = h * h * h;
    float *lift = tpi_floats(world, world->arrays.own[TPI_VORTEX_POTENTIAL]) +
                  tpi_dense_place(vortex->grid_nodes, at[0], at[1], at[2]);
    const uint32_t node = tpi_dense_node(vortex->grid_nodes, at[0], at[1], at[2]);
    uint32_t stride = tpi_dense_floats(vortex->grid_nodes);
    tpi_wall wall = grip_wall(world, item, row, x);
    float share = tpi_clamp(1.0f - wall.distance / h, 0.0f, 1.0f);
    if (!(share > 0.0f)) return;
    tp_vector slip = tpi_sub(grip_velocity(world, row, x), grip_air(world, lift, node, x)),
              push = tpi_scale(slip, share * row->rate * volume);
    for (uint32_t axis = 0; axis < 3; axis++)
        lift[axis * (size_t)stride] = lift[axis * (size_t)stride] + tpi_component(push, axis);
    if (!tpi_has_loads(world)) return;
    tpi_load_push load = {row->slot, x, wall.normal,
                          tpi_scale(push, -vortex->density * world->step.timestep)};
    tpi_loads_add(world, &load);
}

/* Nodes of an axis, from *low to *high, within a cell of the bounds; false: there are none. */
static bool grip_range(float from, float to, float origin, float h, uint32_t size, uint32_t *low,
                       uint32_t *high)
{
    const float last = (float)(size - 1u);
    float a = (from - origin) / h - 1.0f, b = (to - origin) / h + 1.0f;
    if (!(b >= 0.0f && a <= last)) return false;
    *low = (uint32_t)tpi_max(a, 0.0f);
    *high = (uint32_t)tpi_min(b, last);
    return true;
}

static bool grip_ranges(const tpi_collider_item *item, const tpi_dense *dense, uint32_t low[3],
                        uint32_t high[3])
{
    bool is_near = true;
    for (uint32_t axis = 0; axis < 3 && is_near; axis++)
        is_near =
            grip_range(tpi_component(item->swept_low, axis), tpi_component(item->swept_high, axis),
                       tpi_component(dense->origin, axis), dense->spacing, dense->size[axis],
                       &low[axis], &high[axis]);
    return is_near;
}

uint32_t tpi_vortex_grip(const tp_world *world, uint32_t row, uint32_t slot, uint32_t *next)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const tpi_collider_item *item = tpi_collider_at(world, slot);
    const tpi_dense dense = tpi_vortex_dense(world);
    uint32_t low[3], high[3], j = row % dense.size[1], k = row / dense.size[1];
    if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item) || tpi_wall_has_planes(item))
        return 1;
    if (!grip_ranges(item, &dense, low, high)) return 1;
    if (j < low[1] || j > high[1] || k < low[2] || k > high[2]) return 1;
    grip_row at = grip_begin(world, item);
    at.slot = slot;
    const uint32_t units = TPI_VORTEX_GRIP + tpi_field_medium_units(world),
                   begin = tpi_max_u32(*next, low[0]),
                   end = tpi_min_u32(high[0] + 1u, begin + tpi_max_u32(128u / units, 1u));
    for (uint32_t i = begin; i < end; i++) {
        tp_vector x = {dense.origin.x + (float)i * dense.spacing,
                       dense.origin.y + (float)j * dense.spacing,
                       dense.origin.z + (float)k * dense.spacing};
        grip_node(world, item, &at, (const uint32_t[3]){i, j, k}, x);
    }
    *next = end > high[0] ? 0u : end;
    return 1u + (end - begin) * units;
}
