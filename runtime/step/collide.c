/* SPDX-License-Identifier: MIT
   runtime/step/collide.c - the stage COLLIDE: final positions of particles after collisions with
           solids.
   reads   front positions, back positions, colliders      writes  the back set
   memory  a path in the block
   cost    units per particle: 1, and 1 per collider tested
   after   own design: a vector test finds the particles that meet no collider; the others are swept
           one by one */
#include "stages_lanes.h"
#include "../world/box_lanes.h"
#include "../world/team.h"
#include "../world/load.h"
#include "../world/wall.h"
#include "../world/event.h"
#include "../emit/emit.h"
#include "../solve/solve.h"
#include "../move/integrate.h"
#include "../move/collide.h"
#include "../move/rest.h"

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
    tpi_lane_mask slow; /* the lanes slower than the limit */
    /* bit k: lane k is slow and meets no collider: it ends where it would */
    uint32_t settled;
    tpi_lane_mask rests; /* set by step_rest */
    tpi_lane_mask jumps; /* those of them with a search more */
#if TPI_REST_TWICE
    tpi_lane_mask twice; /* those of `rests` with two contacts */
#endif
} step_motions;

#if TPI_HAS_SHORTCUTS
/* Bounds of positions between which no collider is near: a segment with both ends there meets none.
   No position is between low and high if there is no such room. */
typedef struct step_room {
    tpi_lanes low[3], high[3]; /* m */
} step_room;
#endif

/* What a slice prepares once. */
typedef struct step_collisions {
    tpi_field_plan fields;
    tpi_clear_plan clear;
    tpi_step_arrays arrays;
    float speed_max;
    /* units of a particle: its own and its kick's; those and one per collider; with a contact */
    uint32_t own, each, contact;
    uint32_t again, jump; /* in addition: units of a second contact; of a jump */
    bool may_rest;
    bool has_held; /* colliders do not move some particles */
#if TPI_HAS_SHORTCUTS
    step_room room;
#endif
} step_collisions;

/* The indices in the front set of `count` particles from `index` of the back set on. */
TPI_INLINE tpi_lane_ints step_front(const tp_world *world, uint32_t index, uint32_t count)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_lane_ints front = tpi_lane_ints_load(order + index);
    if (TPI_UNLIKELY(count < TPI_LANES))
        front = tpi_lane_ints_select(tpi_lanes_first(count), front,
                                     tpi_lane_ints_of((int32_t)order[index]));
    return front & 0xffffff;
}

static void step_read_radii(const tp_world *world, uint32_t index, uint32_t count, tpi_lanes *radii)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    *radii = tpi_lanes_of(world->def.species[TPI_ORDER_SPECIES(order[index])].radius);
    if (world->def.species_count == 1) return;
    for (uint32_t k = 1; k < count; k++)
        TPI_LANE(*radii, k) = world->def.species[TPI_ORDER_SPECIES(order[index + k])].radius;
}

TPI_INLINE void step_read_axis(const tpi_step_arrays *arrays, uint32_t axis, uint32_t index,
                               tpi_lane_ints front, step_motions *m)
{
    m->segments.from[axis] = tpi_lanes_gather(arrays->x[axis], front);
    m->segments.to[axis] = tpi_lanes_load(arrays->next_x[axis] + index);
    m->velocity[axis] = tpi_lanes_load(arrays->next_v[axis] + index);
}

TPI_INLINE void step_read_motions(const tp_world *world, const step_collisions *slice,
                                  uint32_t index, step_motions *m)
{
    const tpi_lane_ints front = step_front(world, index, m->count);
    step_read_axis(&slice->arrays, 0, index, front, m);
    step_read_axis(&slice->arrays, 1, index, front, m);
    if (tpi_dimensions(world) == 3) step_read_axis(&slice->arrays, 2, index, front, m);
    tpi_solver_close(world, &slice->fields, index, m->count, m->segments.from, m->segments.to,
                     m->velocity);
}

/* The lanes that are not faster than the limits: a faster one gets a path, which tests for them. */
TPI_INLINE tpi_lane_mask step_slow_lanes(const step_collisions *slice, const step_motions *m,
                                         uint32_t dimensions)
{
    tpi_lanes speed_squared = m->velocity[0] * m->velocity[0] + m->velocity[1] * m->velocity[1];
    if (dimensions == 3) speed_squared = speed_squared + m->velocity[2] * m->velocity[2];
    float settled_max = tpi_min(slice->speed_max, TPI_SPEED_MAX);
    tpi_lane_mask is_slow =
        tpi_lanes_not(tpi_lanes_less(tpi_lanes_of(settled_max * settled_max), speed_squared));
    return tpi_lanes_and(is_slow, tpi_lanes_less(speed_squared, tpi_lanes_of(FLT_MAX)));
}

/* Marks the particles of a vector that need no path. */
static void step_meet_colliders(const tp_world *world, const step_collisions *slice, uint32_t index,
                                step_motions *m)
{
    step_read_radii(world, index, m->count, &m->segments.radius);
    m->settled = tpi_lanes_bits(
        tpi_lanes_and(m->slow, tpi_segments_clear(world, &slice->clear, &m->segments)));
    if (TPI_UNLIKELY(slice->has_held)) m->settled |= tpi_solver_holds(world, index, m->count);
}

/* Reads up to TPI_LANES particles before `end` and marks the ones that need no path. */
static void step_meet(const tp_world *world, const step_collisions *slice, uint32_t index,
                      uint32_t end, step_motions *m)
{
    m->count = tpi_min_u32(end - index, TPI_LANES);
    step_read_motions(world, slice, index, m);
    m->slow = step_slow_lanes(slice, m, tpi_dimensions(world));
    step_meet_colliders(world, slice, index, m);
}

/* What is counted at the ends of paths. Smaller than a tally: stacks of small machines are full. */
typedef struct step_ends {
    uint32_t contacts, killed;
    bool is_stale; /* a position changed after its forces were computed */
} step_ends;

static void step_settle(tp_world *world, const tpi_step_arrays *arrays, uint32_t index,
                        tp_vector to, tp_vector velocity, step_ends *ends)
{
    tp_vector drifted = tpi_step_read(world, arrays->next_x, index);
    to = tpi_box_wrap_vector(&world->constants.box, to);
    if (to.x != drifted.x || to.y != drifted.y || to.z != drifted.z) ends->is_stale = true;
    tpi_step_write(world, arrays->next_x, index, to);
    tpi_step_write(world, arrays->next_v, index, velocity);
    if (TPI_LIKELY(!tpi_step_is_lost(to, velocity))) return;
    tpi_words(world, world->arrays.order)[index] |= TPI_ORDER_DEAD;
    ends->killed++;
}

static void step_collide_count(tpi_step *step, const step_ends *ends)
{
    step->contacts += ends->contacts;
    step->killed += ends->killed;
    step->forces_stale = step->forces_stale || ends->is_stale;
}

/* A collider has killed the particle at an index of the back set. */
static TPI_APART void step_note_killed(tp_world *world, const tpi_step_arrays *arrays,
                                       uint32_t index)
{
    const tpi_path *path = &world->step.path;
    uint32_t word = tpi_words(world, world->arrays.order)[index];
    tp_event event = tpi_event_front(world, TP_EVENT_DEATH, TPI_ORDER_INDEX(word));
    event.point = path->to;
    event.velocity = tpi_step_read(world, arrays->next_v, index);
    (void)tpi_event_death(
        world, &event, TP_DEATH_COLLIDER,
        tpi_pool_handle(tpi_words(world, world->colliders.slots), path->cast.hit_collider));
}

static void step_collide_end(tp_world *world, const tpi_step_arrays *arrays, uint32_t index)
{
    const tpi_path *path = &world->step.path;
    uint32_t *order = tpi_words(world, world->arrays.order);
    world->step.path_begun = false;
    if (path->touched) order[index] |= TPI_ORDER_CONTACT;
    if (path->killed) {
        order[index] |= TPI_ORDER_DEAD | TPI_ORDER_KILLED;
        world->step.died++;
        if (tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_DEATH)))
            step_note_killed(world, arrays, index);
        return;
    }
    step_ends ends = {0};
    step_settle(world, arrays, index, path->to, path->velocity, &ends);
    step_collide_count(&world->step, &ends);
}

/* Ends the motions of a vector. A solver's last displacement may lead out of a periodic box. */
TPI_INLINE void step_settle_all(const tp_world *world, const tpi_step_arrays *arrays,
                                uint32_t dimensions, uint32_t index, const step_motions *m)
{
    const tpi_box *box = &world->constants.box;
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes to = m->segments.to[axis];
        if (TPI_UNLIKELY(box->is_periodic)) to = tpi_box_wrap_lanes(box, axis, TPI_LANES, to);
        tpi_lanes_store(arrays->next_x[axis] + index, to);
        tpi_lanes_store(arrays->next_v[axis] + index, m->velocity[axis]);
    }
}

#if TPI_HAS_SHORTCUTS
/* ---- whole vectors in the room between the colliders ---- */

TPI_INLINE void step_room_beside(step_room *room, uint32_t axis, float low, float high)
{
    room->low[axis] = tpi_lanes_max(room->low[axis], tpi_lanes_of(low));
    room->high[axis] = tpi_lanes_min(room->high[axis], tpi_lanes_of(high));
}

/* Takes the space behind a plane at rest from the room, whose coordinates are at most `most`. Only
   the largest component of the normal bounds the room. The others and rounding make it smaller. */
static void step_room_plane(step_room *room, const tpi_collider_item *item, float wide, float most)
{
    const float normal[3] = {item->normal.x, item->normal.y, item->normal.z};
    uint32_t axis = 0;
    for (uint32_t k = 1; k < 3; k++)
        if (tpi_magnitude(normal[k]) > tpi_magnitude(normal[axis])) axis = k;
    for (uint32_t k = 0; k < 3; k++)
        if (k != axis) wide += tpi_max(normal[k], -normal[k]) * most;
    wide += item->offset;
    wide += 4e-6f * (most + tpi_max(wide, -wide));
    float bound = wide / normal[axis], spare = 4e-6f * tpi_max(bound, -bound);
    if (normal[axis] > 0.0f)
        step_room_beside(room, axis, bound + spare, most);
    else
        step_room_beside(room, axis, -most, bound - spare);
}

/* The distance from a collider that every species keeps, in a room with coordinates up to `most`:
   radius and skin. */
static float step_room_wide(const tp_world *world, const tpi_collider_item *item, float most)
{
    float radius = 0.0f;
    for (uint32_t s = 0; s < world->def.species_count; s++)
        radius = tpi_max(radius, world->def.species[s].radius);
    float skin = tpi_max(tpi_max(radius * 1e-3f, TPI_SKIN_LEAST), most * TPI_SKIN_SHARE);
    return radius + 1.001f * tpi_max(skin, item->scale * TPI_SKIN_SHARE);
}

/* Takes the space beyond the sides of a hollow box at rest from the room: wall.h. The depth of the
   box bounds what the centre can reach in 2D, too: clear.c. */
static void step_room_hollow(step_room *room, const tpi_collider_item *item, float wide)
{
    wide += item->def.is_two_sided ? item->def.thickness : 0.0f;
    for (uint32_t axis = 0; axis < 3; axis++) {
        float centre = tpi_component(item->pose_to.position, axis),
              half = tpi_component(item->def.half, axis) - wide,
              spare =
                  4e-6f * (tpi_max(centre, -centre) + tpi_component(item->def.half, axis) + wide);
        if (axis < 2 || half > spare)
            step_room_beside(room, axis, centre - half + spare, centre + half - spare);
        else
            step_room_beside(room, 0, 1.0f, -1.0f);
    }
}

/* The room of the world: there is one if all colliders are planes and hollow boxes at rest. */
static void step_room_prepare(const tp_world *world, step_room *room)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    /* far more than a world of fluid is wide, and rounding is far less than the support radius;
       without one, rounding takes 4 mm */
    float most = 2048.0f * world->constants.smoothing_radius;
    most = most > 0.0f && most < TPI_POSITION_MAX ? tpi_min(most, 1e6f) : 1024.0f;
    for (uint32_t axis = 0; axis < 3; axis++) {
        room->low[axis] = tpi_lanes_of(-most);
        room->high[axis] = tpi_lanes_of(most);
    }
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot)) continue;
        const tpi_wall_form form = world->def.sph.compat ? TPI_WALL_ROUGH : tpi_wall_form_of(item);
        if (form == TPI_WALL_FLOOR)
            step_room_plane(room, item, step_room_wide(world, item, most), most);
        else if (form == TPI_WALL_ROOM)
            step_room_hollow(room, item, step_room_wide(world, item, most));
        else
            room->low[0] = tpi_lanes_of(most);
    }
}

/* True if both ends of all segments are in the room. */
TPI_INLINE bool step_is_in_room(const step_room *room, const tpi_segments *s, uint32_t dimensions)
{
#if TPI_LANES == 1
    for (uint32_t axis = 0; axis < dimensions; axis++)
        if (!tpi_is_between(s->from[axis], room->low[axis], room->high[axis]) ||
            !tpi_is_between(s->to[axis], room->low[axis], room->high[axis]))
            return false;
    return true;
#else
    tpi_lane_mask is_inside = tpi_lanes_first(TPI_LANES);
    for (uint32_t axis = 0; axis < dimensions; axis++) {
        tpi_lanes low = tpi_lanes_min(s->from[axis], s->to[axis]),
                  high = tpi_lanes_max(s->from[axis], s->to[axis]);
        is_inside = tpi_lanes_and(is_inside, tpi_lanes_less(room->low[axis], low));
        is_inside = tpi_lanes_and(is_inside, tpi_lanes_less(high, room->high[axis]));
    }
    return tpi_lanes_bits(is_inside) == TPI_LANES_ALL;
#endif
}

/* Reads a whole vector of motions. True if all its particles are slow and remain in the room: they
   settle. */
TPI_INLINE bool step_meet_room(const tp_world *world, const step_collisions *slice,
                               uint32_t dimensions, uint32_t index, step_motions *m)
{
    tpi_segments *s = &m->segments;
    const uint32_t *order = tpi_words(world, world->arrays.order);
    tpi_lane_ints front = tpi_lane_ints_load(order + index) & 0xffffff;
    for (uint32_t axis = 0; axis < dimensions; axis++)
        step_read_axis(&slice->arrays, axis, index, front, m);
    tpi_solver_close(world, &slice->fields, index, TPI_LANES, s->from, s->to, m->velocity);
    m->slow = step_slow_lanes(slice, m, dimensions);
    return tpi_lanes_bits(m->slow) == TPI_LANES_ALL && step_is_in_room(&slice->room, s, dimensions);
}

TPI_INLINE uint32_t step_settle_along(const tp_world *world, const step_collisions *slice,
                                      uint32_t dimensions, uint32_t index, uint32_t end,
                                      step_motions *m)
{
    while (end - index >= TPI_LANES && step_meet_room(world, slice, dimensions, index, m)) {
        step_settle_all(world, &slice->arrays, dimensions, index, m);
        index += TPI_LANES;
    }
    return index;
}

/* Settles whole vectors of particles in the room, from `index` on. Returns the first particle that
   is left; the motions of its vector are in m if it is a whole one before `end`. */
TIDEPOOL_HOT static uint32_t step_settle_room(const tp_world *world, const step_collisions *slice,
                                              uint32_t index, uint32_t end, step_motions *m)
{
    m->count = TPI_LANES;
    return tpi_dimensions(world) == 2 ? step_settle_along(world, slice, 2, index, end, m)
                                      : step_settle_along(world, slice, 3, index, end, m);
}
#endif

/* Settles particles from `index` on as long as that takes no look at single colliders, and meets
   the particles of the vector behind them. Returns its first particle; `end`: there is none. */
TPI_INLINE uint32_t step_meet_next(const tp_world *world, const step_collisions *slice,
                                   uint32_t index, uint32_t end, uint32_t count, step_motions *m)
{
    (void)end;
#if TPI_HAS_SHORTCUTS
    index = step_settle_room(world, slice, index, end, m);
    if (end - index >= TPI_LANES) {
        step_meet_colliders(world, slice, index, m);
        return index;
    }
#endif
    if (index < count) step_meet(world, slice, index, count, m);
    return index;
}

/* Writes only the lanes whose bit is set: the other lanes may not have been processed yet. */
static void step_settle_lanes(const tp_world *world, const tpi_step_arrays *arrays, uint32_t index,
                              const step_motions *m, uint32_t bits)
{
    for (uint32_t k = 0; k < m->count; k++) {
        if (!(bits >> k & 1u)) continue;
        tp_vector to = tpi_lane_vector(tpi_dimensions(world), m->segments.to, k);
        tpi_step_write(world, arrays->next_x, index + k,
                       tpi_box_wrap_vector(&world->constants.box, to));
        tpi_step_write(world, arrays->next_v, index + k,
                       tpi_lane_vector(tpi_dimensions(world), m->velocity, k));
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
TPI_INLINE bool step_collide_path(tp_world *world, const tpi_step_arrays *arrays, uint32_t units,
                                  uint32_t *used)
{
    bool path_done = true;
    *used += tpi_step_path_advance(world, units, *used, &path_done);
    if (!path_done) return false;
    const uint32_t units_before = tpi_events_units(world);
    step_collide_end(world, arrays, world->step.cursor.i++);
    *used += tpi_events_units(world) - units_before;
    return true;
}

/* Units of the second half kick of a particle, in addition to its own unit. */
static uint32_t step_kick_units(const tp_world *world, const tpi_field_plan *plan)
{
    return tpi_def_has(&world->def, TPI_SOLVER_KICKS)
               ? plan->kick_units + tpi_solver_kick_units(world)
               : 0u;
}

/* The lanes that are too slow for a contact that is an event, and in none that may go on or end:
   the normal of a plane may be longer than 1 by its rounding. */
static TPI_APART tpi_lane_mask step_calm_lanes(const tp_world *world, uint32_t index,
                                               const step_motions *m)
{
    tpi_lane_ints contacts =
        tpi_lane_ints_gather(tpi_contacts(world, world->front), step_front(world, index, m->count));
    const float limit = 0.98f * world->def.event_speed * world->def.event_speed;
    tpi_lanes square = m->velocity[0] * m->velocity[0] + m->velocity[1] * m->velocity[1];
    if (tpi_dimensions(world) == 3) square = square + m->velocity[2] * m->velocity[2];
    return tpi_lanes_and(tpi_lanes_less(square, tpi_lanes_of(limit)),
                         tpi_lane_ints_equal(contacts, tpi_lane_ints_of(0)));
}

/* Tries the lanes that meet a collider by vectors. Returns the lanes that rest on a plane; their
   motions become those after the contact. */
static TPI_APART uint32_t step_rest(const tp_world *world, const step_collisions *slice,
                                    uint32_t index, step_motions *m)
{
    tpi_rests rests;
    tpi_lane_ints held = tpi_lane_ints_of(0); /* colliders do not move them */
    /* compilers do not see that lanes which do not rest are not read */
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        rests.to[axis] = m->segments.to[axis];
        rests.velocity[axis] = m->velocity[axis];
    }
    tpi_rest_meet(world, &slice->clear, &m->segments, m->velocity, &rests);
    rests.rests = tpi_lanes_and(rests.rests, m->slow);
    for (uint32_t k = 0; slice->has_held && k < TPI_LANES; k++)
        TPI_LANE(held, k) = (int32_t)(m->settled >> k & 1u);
    rests.rests = tpi_lanes_and(rests.rests, tpi_lane_ints_equal(held, tpi_lane_ints_of(0)));
    m->jumps = tpi_lanes_and(rests.rests, rests.jumps);
    if (TPI_UNLIKELY(tpi_has_contact_events(world)))
        rests.rests = tpi_lanes_and(rests.rests, step_calm_lanes(world, index, m));
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        m->segments.to[axis] = tpi_lanes_select(rests.rests, rests.to[axis], m->segments.to[axis]);
        m->velocity[axis] = tpi_lanes_select(rests.rests, rests.velocity[axis], m->velocity[axis]);
    }
    m->settled |= tpi_lanes_bits(tpi_lanes_and(rests.misses, m->slow));
    m->rests = rests.rests;
#if TPI_REST_TWICE
    m->twice = tpi_lanes_and(rests.rests, rests.twice);
#endif
    return tpi_lanes_bits(rests.rests);
}

/* The lanes that rest and have a second contact. */
TPI_INLINE tpi_lane_mask step_twice(const step_motions *m)
{
#if TPI_REST_TWICE
    return m->twice;
#else
    (void)m;
    return tpi_lanes_first(0);
#endif
}

/* 1 if lane k is one of them. */
TPI_INLINE uint32_t step_is_twice(const step_motions *m, uint32_t k)
{
    return tpi_lanes_bits(step_twice(m)) >> k & 1u;
}

static void step_rest_end(tp_world *world, const tpi_step_arrays *arrays, const step_motions *m,
                          uint32_t index, uint32_t k, step_ends *ends)
{
    ends->contacts += 1u + step_is_twice(m, k);
    tpi_words(world, world->arrays.order)[index] |= TPI_ORDER_CONTACT;
    step_settle(world, arrays, index, tpi_lane_vector(tpi_dimensions(world), m->segments.to, k),
                tpi_lane_vector(tpi_dimensions(world), m->velocity, k), ends);
}

#if TPI_LANES > 1
/* Below this sum of coordinates and speeds (m, m/s) no particle is lost. */
#define STEP_NEAR 9e7f

/* Ends the motions of a whole vector in which every particle rests on a plane or settles. False,
   and nothing is done, if there are others, or one may be lost or leave the box. */
static bool step_rest_all(tp_world *world, const tpi_step_arrays *arrays, uint32_t index,
                          const step_motions *m, uint32_t rests, step_ends *ends)
{
    if ((m->settled | rests) != TPI_LANES_ALL || world->constants.box.is_periodic) return false;
    tpi_lanes sum = tpi_lanes_of(0.0f);
    tpi_lane_mask has_moved = tpi_lanes_first(0);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_lanes to = m->segments.to[axis], drifted = tpi_lanes_load(arrays->next_x[axis] + index);
        sum = sum + tpi_lanes_magnitude(to) + tpi_lanes_magnitude(m->velocity[axis]);
        has_moved = tpi_lanes_or(has_moved, tpi_lanes_differ(to, drifted));
    }
    tpi_lane_mask is_near = tpi_lanes_less(sum, tpi_lanes_of(STEP_NEAR));
    if (m->count < TPI_LANES || tpi_lanes_bits(is_near) != TPI_LANES_ALL) return false;
    uint32_t *order = tpi_words(world, world->arrays.order) + index;
    tpi_lane_ints contact = tpi_lane_ints_select(
        m->rests, tpi_lane_ints_of((int32_t)TPI_ORDER_CONTACT), tpi_lane_ints_of(0));
    tpi_lane_ints_store(order, tpi_lane_ints_load(order) | contact);
    step_settle_all(world, arrays, tpi_dimensions(world), index, m);
    ends->contacts += tpi_lanes_count(m->rests) + tpi_lanes_count(step_twice(m));
    ends->is_stale = ends->is_stale || tpi_lanes_any(tpi_lanes_and(has_moved, m->rests));
    return true;
}
#undef STEP_NEAR
#endif

#if TPI_LANES > 1
/* Units of a vector that step_rest_all has ended. */
TPI_INLINE uint32_t step_rest_units(const step_collisions *slice, const step_motions *m)
{
    uint32_t rests = tpi_lanes_count(m->rests);
    return slice->each * (TPI_LANES - rests) + slice->contact * rests +
           slice->again * tpi_lanes_count(step_twice(m)) + slice->jump * tpi_lanes_count(m->jumps);
}
#endif

/* Most particles are far from every collider and settle at once; the others rest on a plane or get
   a path. Returns the units used so far. */
static uint32_t step_collide_lanes(tp_world *world, const step_collisions *slice, step_motions *m,
                                   uint32_t units, uint32_t used, bool *path_done)
{
    uint32_t index = world->step.cursor.i, settled = 0, rests = 0;
    step_ends ends = {0};
    if (TPI_HAS_COLLIDERS && slice->may_rest) rests = step_rest(world, slice, index, m);
#if TPI_LANES > 1
    if (rests && slice->contact + slice->again + slice->jump <= (units - used) / TPI_LANES &&
        step_rest_all(world, &slice->arrays, index, m, rests, &ends)) {
        world->step.cursor.i += TPI_LANES;
        step_collide_count(&world->step, &ends);
        return used + step_rest_units(slice, m);
    }
#endif
    for (uint32_t k = 0; k < m->count && used < units && *path_done; k++) {
        uint32_t contact = slice->contact; /* of a lane that rests */
        if (rests >> k & 1u)
            contact += slice->again * step_is_twice(m, k) +
                       slice->jump * (tpi_lanes_bits(m->jumps) >> k & 1u);
        /* a path would meet colliders, also of a particle that they do not move */
        if ((m->settled >> k & 1u) && (slice->has_held || used + slice->each <= units)) {
            settled |= 1u << k;
            used += slice->each;
            world->step.cursor.i++;
        } else if ((rests >> k & 1u) && used + contact <= units) {
            used += contact;
            step_rest_end(world, &slice->arrays, m, world->step.cursor.i++, k, &ends);
        } else {
            /* too few units are left to rest at once */
            if (rests >> k & 1u) step_read_motions(world, slice, index, m);
            used += slice->own;
            step_collide_begin(world, m, k, slice->speed_max);
            *path_done = step_collide_path(world, &slice->arrays, units, &used);
        }
    }
    step_settle_lanes(world, &slice->arrays, index, m, settled);
    step_collide_count(&world->step, &ends);
    return used;
}

/* ---- by several threads: all particles that need no path ---- */

TPI_INLINE bool step_settles_all(const step_motions *m)
{
    return m->settled == TPI_LANES_ALL && m->count == TPI_LANES;
}

/* The lanes that do not settle: they rest on a plane, or wait for a path, also those with two
   contacts: the units of a range are bounded by those of one. */
static void step_collide_others(tp_world *world, const step_collisions *slice, uint32_t index,
                                step_motions *m, tpi_tally *tally)
{
    uint32_t *order = tpi_words(world, world->arrays.order), rests = 0;
    step_ends ends = {0};
    if (TPI_HAS_COLLIDERS && slice->may_rest) rests = step_rest(world, slice, index, m);
    if (rests) rests &= ~(tpi_lanes_bits(step_twice(m)) | tpi_lanes_bits(m->jumps));
#if TPI_LANES > 1
    if (rests && step_rest_all(world, &slice->arrays, index, m, rests, &ends)) {
        tally->cost += step_rest_units(slice, m);
        tally->contacts += ends.contacts;
        tally->is_stale = tally->is_stale || ends.is_stale;
        return;
    }
#endif
    for (uint32_t k = 0; k < m->count; k++) {
        if (m->settled >> k & 1u) {
            tally->cost += slice->each;
        } else if (rests >> k & 1u) {
            tally->cost += slice->contact;
            step_rest_end(world, &slice->arrays, m, index + k, k, &ends);
        } else {
            order[index + k] |= TPI_ORDER_WAITS;
            tally->crowded++;
        }
    }
    step_settle_lanes(world, &slice->arrays, index, m, m->settled);
    tally->contacts += ends.contacts;
    tally->killed += ends.killed;
    tally->is_stale = tally->is_stale || ends.is_stale;
}

static TPI_APART void step_collide_range(tp_world *world, const void *context, uint32_t begin,
                                         uint32_t end, tpi_tally *tally)
{
    const step_collisions *slice = (const step_collisions *)context;
    step_motions m;
    m.segments.from[2] = tpi_lanes_of(0.0f);
    m.segments.to[2] = tpi_lanes_of(0.0f);
    m.velocity[2] = tpi_lanes_of(0.0f);
    for (uint32_t i = begin; i < end; i += TPI_LANES) {
        uint32_t first = i;
        i = step_meet_next(world, slice, i, end, end, &m);
        tally->cost += (int64_t)slice->each * (i - first);
        if (i == end) break;
        if (step_settles_all(&m)) {
            step_settle_all(world, &slice->arrays, tpi_dimensions(world), i, &m);
            tally->cost += slice->each * TPI_LANES;
        } else {
            step_collide_others(world, slice, i, &m, tally);
        }
    }
}

/* Threads share ranges whose particles all may rest within the slice; cursor.end is the end of the
   last range. Returns the units. */
static uint32_t step_collide_shared(tp_world *world, const tp_jobs *jobs,
                                    const step_collisions *slice, uint32_t units)
{
    tpi_step *step = &world->step;
    tpi_cursor *cursor = &step->cursor;
    uint32_t used = 0, most = slice->may_rest ? slice->contact : slice->each;
    while (!step->path_begun && cursor->i >= cursor->end) {
        uint32_t count = tpi_min_u32((units - used) / most, step->count - cursor->i);
        if (!tpi_team_is_worth(jobs, count)) break;
        tpi_tally tally =
            tpi_team_run(jobs, world, step_collide_range, slice, cursor->i, cursor->i + count);
        used += (uint32_t)tally.cost;
        const step_ends ends = {tally.contacts, tally.killed, tally.is_stale};
        step_collide_count(step, &ends);
        cursor->end = cursor->i + count;
        if (!tally.crowded) cursor->i = cursor->end;
    }
    return used;
}

/* Starts the path of the next particle before cursor.end that waits for one. False if the slice
   ends before that path. */
static bool step_collide_waiting(tp_world *world, const step_collisions *slice, step_motions *m,
                                 uint32_t units, uint32_t *used)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t *order = tpi_words(world, world->arrays.order);
    while (cursor->i < cursor->end && !(order[cursor->i] & TPI_ORDER_WAITS)) cursor->i++;
    if (cursor->i == cursor->end) return true;
    order[cursor->i] &= ~TPI_ORDER_WAITS;
    step_meet(world, slice, cursor->i, cursor->i + 1u, m);
    *used += slice->own;
    step_collide_begin(world, m, 0, slice->speed_max);
    return step_collide_path(world, &slice->arrays, units, used);
}

static void step_collide_prepare(const tp_world *world, step_collisions *slice)
{
    slice->fields = tpi_field_prepare(world);
    tpi_clear_prepare(world, &slice->clear);
    slice->arrays = tpi_step_arrays_of(world);
    slice->speed_max = step_speed_max(world);
    slice->own = 1u + step_kick_units(world, &slice->fields);
    slice->each = slice->own + tpi_colliders_end(world);
    slice->contact = slice->own + tpi_rest_units(world);
    slice->again = TPI_REST_TWICE ? tpi_rest_units_again(world) : 0u;
    slice->jump = tpi_colliders_end(world); /* a search */
    slice->has_held = tpi_def_has(&world->def, TPI_SOLVER_HOLDS);
    slice->may_rest = !tpi_has_loads(world) && tpi_rest_is_possible(world);
#if TPI_HAS_SHORTCUTS
    step_room_prepare(world, &slice->room);
#endif
}

/* Units per particle: 1, those of its kick, and 1 per collider tested. They do not depend on the
   number of lanes. */
TPI_APART uint32_t tpi_step_collide(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                    bool *done)
{
    tpi_step *step = &world->step;
    step_collisions slice;
    step_motions m;
    uint32_t used = 0;
    step_collide_prepare(world, &slice);
    m.segments.from[2] = tpi_lanes_of(0.0f);
    m.segments.to[2] = tpi_lanes_of(0.0f);
    m.velocity[2] = tpi_lanes_of(0.0f);
    bool path_done = !step->path_begun || step_collide_path(world, &slice.arrays, units, &used);
    while (path_done && step->cursor.i < step->count && used < units) {
        if (TIDEPOOL_JOBS && step->cursor.i < step->cursor.end) {
            path_done = step_collide_waiting(world, &slice, &m, units, &used);
            continue;
        }
        if (TIDEPOOL_JOBS && jobs) {
            uint32_t before = step->cursor.end;
            used += step_collide_shared(world, jobs, &slice, units - used);
            if (step->cursor.end != before) continue;
        }
        uint32_t begin = step->cursor.i,
                 most = tpi_min_u32((units - used) / slice.each, step->count - begin);
        step->cursor.i = step_meet_next(world, &slice, begin, begin + most, step->count, &m);
        used += slice.each * (step->cursor.i - begin);
        if (step->cursor.i == step->count || used >= units) break;
        if (step_settles_all(&m) && slice.each <= (units - used) / TPI_LANES) {
            step_settle_all(world, &slice.arrays, tpi_dimensions(world), step->cursor.i, &m);
            used += slice.each * TPI_LANES;
            step->cursor.i += TPI_LANES;
        } else {
            used = step_collide_lanes(world, &slice, &m, units, used, &path_done);
        }
    }
    *done = step->cursor.i == step->count;
    return used;
}
