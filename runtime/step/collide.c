/* SPDX-License-Identifier: MIT
   runtime/step/collide.c - the stage COLLIDE: final positions of particles after collisions with
           solids.
   reads   front positions, back positions, colliders      writes  the back set
   memory  a path in the block
   cost    units per particle: 1, and 1 per collider tested
   after   own design: a vector test finds the particles that meet no collider; the others are swept
           one by one */
#include "stages.h"
#include "../world/box.h"
#include "../world/solver.h"
#include "../emit/emit.h"
#include "../solve/solve.h"
#include "../move/integrate.h"
#include "../move/collide.h"
#include "../move/clear.h"

static float step_speed_max(const tp_world *world)
{
    float limit = world->def.speed_max > 0.0f ? world->def.speed_max : FLT_MAX;
    if (tpi_has_neighbours(world))
        limit = tpi_min(limit, world->constants.smoothing_radius / world->step.timestep);
    return limit;
}

/* Limits the speed to `speed_max`: a particle moves at most one cutoff in a step. Removes energy,
   never adds it; counted. */
static void step_limit(tp_world *world, tp_vector from, tp_vector *to, tp_vector *velocity,
                       float speed_max)
{
    float speed_squared = tpi_dot(*velocity, *velocity);
    if (TPI_LIKELY(speed_squared <= speed_max * speed_max)) return;
    /* the step kills such a particle */
    if (!tpi_is_vector_within(*velocity, TPI_SPEED_MAX)) return;
    world->step.speeds_clamped++;
    *velocity = tpi_scale(*velocity, speed_max / tpi_sqrt(speed_squared));
    *to = tpi_add_scaled(from, *velocity, world->step.timestep);
}

/* The motions of a vector of particles before collisions, one particle per lane. */
typedef struct step_motions {
    tpi_segments segments;
    tpi_lanes velocity[3];
    uint32_t count;
    /* bit k: lane k keeps its end position, is slower than the limit, and meets no collider */
    uint32_t settled;
} step_motions;

static void step_read_radii(const tp_world *world, uint32_t index, uint32_t count, tpi_lanes *radii)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    *radii = tpi_lanes_of(world->def.species[TPI_ORDER_SPECIES(order[index])].radius);
    if (world->def.species_count == 1) return;
    for (uint32_t k = 1; k < count; k++)
        TPI_LANE(*radii, k) = world->def.species[TPI_ORDER_SPECIES(order[index + k])].radius;
}

static void step_read_motions(const tp_world *world, const tpi_field_plan *plan,
                              const tpi_step_arrays *arrays, uint32_t index, step_motions *m)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_lane_mask is_real = tpi_lanes_first(m->count);
    tpi_lane_ints front = tpi_lane_ints_load(order + index);
    front =
        tpi_lane_ints_select(is_real, front, tpi_lane_ints_of((int32_t)order[index])) & 0xffffff;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        m->segments.from[axis] = tpi_lanes_gather(arrays->x[axis], front);
        m->segments.to[axis] = tpi_lanes_load(arrays->next_x[axis] + index);
        m->velocity[axis] = tpi_lanes_load(arrays->next_v[axis] + index);
    }
    tpi_solver_close(world, plan, index, m->count, m->segments.from, m->segments.to, m->velocity);
}

/* Reads up to TPI_LANES particles and marks the ones that need no path. */
static step_motions step_motions_of(const tp_world *world, const tpi_field_plan *plan,
                                    const tpi_step_arrays *arrays, uint32_t index, float speed_max)
{
    step_motions m = {0};
    m.count = tpi_min_u32(world->step.count - index, TPI_LANES);
    step_read_motions(world, plan, arrays, index, &m);
    step_read_radii(world, index, m.count, &m.segments.radius);
    tpi_lanes speed_squared = m.velocity[0] * m.velocity[0] + m.velocity[1] * m.velocity[1];
    if (tpi_dimensions(world) == 3) speed_squared = speed_squared + m.velocity[2] * m.velocity[2];
    /* a faster particle may exceed the limits: it gets a path, which tests for it */
    float settled_max = tpi_min(speed_max, TPI_SPEED_MAX);
    tpi_lane_mask is_slow =
        tpi_lanes_not(tpi_lanes_less(tpi_lanes_of(settled_max * settled_max), speed_squared));
    is_slow = tpi_lanes_and(is_slow, tpi_lanes_less(speed_squared, tpi_lanes_of(FLT_MAX)));
    m.settled = tpi_lanes_bits(tpi_lanes_and(is_slow, tpi_segments_clear(world, &m.segments)));
    return m;
}

static void step_settle(tp_world *world, const tpi_step_arrays *arrays, uint32_t index,
                        tp_vector to, tp_vector velocity)
{
    tp_vector drifted = tpi_step_read(world, arrays->next_x, index);
    to = tpi_box_wrap_vector(&world->constants.box, to);
    if (to.x != drifted.x || to.y != drifted.y || to.z != drifted.z)
        world->step.forces_stale = true;
    tpi_step_write(world, arrays->next_x, index, to);
    tpi_step_write(world, arrays->next_v, index, velocity);
    if (TPI_LIKELY(!tpi_step_is_lost(to, velocity))) return;
    tpi_words(world, world->arrays.order)[index] |= TPI_ORDER_DEAD;
    world->step.killed++;
}

static void step_collide_end(tp_world *world, const tpi_step_arrays *arrays, uint32_t index)
{
    const tpi_path *path = &world->step.path;
    uint32_t *order = tpi_words(world, world->arrays.order);
    world->step.path_begun = false;
    if (path->touched) order[index] |= TPI_ORDER_CONTACT;
    if (path->killed) {
        order[index] |= TPI_ORDER_DEAD;
        world->step.died++;
        return;
    }
    step_settle(world, arrays, index, path->to, path->velocity);
}

/* Writes only the lanes whose bit is set: the other lanes may not have been processed yet. */
static void step_settle_lanes(const tp_world *world, const tpi_step_arrays *arrays, uint32_t index,
                              const step_motions *m, uint32_t bits)
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        float *x = arrays->next_x[axis] + index, *v = arrays->next_v[axis] + index;
        if (TPI_LIKELY(bits == (1u << TPI_LANES) - 1u)) {
            tpi_lanes_store(x, m->segments.to[axis]);
            tpi_lanes_store(v, m->velocity[axis]);
            continue;
        }
        for (uint32_t k = 0; k < m->count; k++) {
            if (!(bits >> k & 1u)) continue;
            x[k] = TPI_LANE(m->segments.to[axis], k);
            v[k] = TPI_LANE(m->velocity[axis], k);
        }
    }
}

static void step_collide_begin(tp_world *world, const step_motions *m, uint32_t k, float speed_max)
{
    tp_vector from = tpi_lane_vector(tpi_dimensions(world), m->segments.from, k),
              to = tpi_lane_vector(tpi_dimensions(world), m->segments.to, k);
    tp_vector velocity = tpi_lane_vector(tpi_dimensions(world), m->velocity, k);
    uint32_t word = tpi_words(world, world->arrays.order)[world->step.cursor.i];
    step_limit(world, from, &to, &velocity, speed_max);
    tpi_step_path_begin(world, from, to, velocity, TPI_ORDER_SPECIES(word), 0.0f);
}

/* Continues the path of the particle at the cursor. False if the slice ends before the path. */
static bool step_collide_path(tp_world *world, const tpi_step_arrays *arrays, uint32_t units,
                              uint32_t *used)
{
    bool path_done = true;
    *used += tpi_step_path_advance(world, units, *used, &path_done);
    if (path_done) step_collide_end(world, arrays, world->step.cursor.i++);
    return path_done;
}

/* Units of the second half kick of a particle, in addition to its own unit. */
static uint32_t step_kick_units(const tp_world *world, const tpi_field_plan *plan)
{
    return tpi_def_has(&world->def, TPI_SOLVER_KICKS)
               ? plan->kick_units + tpi_solver_kick_units(world)
               : 0u;
}

/* Most particles are far from every collider and settle at once; the others get a path. Units per
   particle: 1, those of its kick, and 1 per collider tested. They do not depend on the number of
   lanes. */
TPI_APART uint32_t tpi_step_collide(tp_world *world, uint32_t units, bool *done)
{
    tpi_step *step = &world->step;
    tpi_step_arrays arrays = tpi_step_arrays_of(world);
    float speed_max = step_speed_max(world);
    tpi_field_plan plan = tpi_field_prepare(world);
    uint32_t used = 0, own = 1u + step_kick_units(world, &plan),
             each = own + tpi_colliders_end(world);
    bool path_done = !step->path_begun || step_collide_path(world, &arrays, units, &used);
    while (path_done && step->cursor.i < step->count && used < units) {
        uint32_t index = step->cursor.i, settled = 0;
        step_motions m = step_motions_of(world, &plan, &arrays, index, speed_max);
        for (uint32_t k = 0; k < m.count && used < units && path_done; k++) {
            if ((m.settled >> k & 1u) && used + each <= units) {
                settled |= 1u << k;
                used += each;
                step->cursor.i++;
            } else {
                used += own;
                step_collide_begin(world, &m, k, speed_max);
                path_done = step_collide_path(world, &arrays, units, &used);
            }
        }
        step_settle_lanes(world, &arrays, index, &m, settled);
    }
    *done = step->cursor.i == step->count;
    return used;
}
