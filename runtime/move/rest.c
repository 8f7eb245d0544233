/* SPDX-License-Identifier: MIT
   runtime/move/rest.c - the path of collide.c by vectors, for spheres that come to rest on one
           plane.
   reads   segments, the colliders      writes  positions and velocities in registers
   memory  300 bytes of stack per number in a vector
   cost    per plane and search: a dot product or two, and about 70 operations if it is near
   after   collide.c, whose arithmetic it repeats operation by operation: a search, a contact
           without bounce, a jump within the skin, and a second search that finds nothing. With
           vectors a second contact and the crease of two planes, too, unless planes have friction.
           All other lanes are left to collide.c */
#include "rest.h"

typedef struct rest_vector {
    tpi_lanes x, y, z;
} rest_vector;

TPI_INLINE rest_vector rest_add_scaled(rest_vector a, rest_vector b, tpi_lanes s)
{
    return (rest_vector){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

TPI_INLINE tpi_lanes rest_dot(rest_vector a, rest_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TPI_INLINE rest_vector rest_cross(tp_vector a, rest_vector b)
{
    return (rest_vector){b.z * a.y - b.y * a.z, b.x * a.z - b.z * a.x, b.y * a.x - b.x * a.y};
}

/* tpi_rotate */
TPI_INLINE rest_vector rest_rotate(tp_quaternion q, rest_vector a)
{
    tp_vector axis = {q.x, q.y, q.z};
    rest_vector twice = rest_cross(axis, a);
    twice = (rest_vector){twice.x * 2.0f, twice.y * 2.0f, twice.z * 2.0f};
    rest_vector turned = rest_add_scaled(a, twice, tpi_lanes_of(q.w)),
                across = rest_cross(axis, twice);
    return (rest_vector){turned.x + across.x, turned.y + across.y, turned.z + across.z};
}

/* The height of a point over the plane of a pose: y of tpi_to_local. */
TPI_INLINE tpi_lanes rest_height(tp_pose pose, rest_vector at)
{
    tp_quaternion q = pose.rotation;
    rest_vector offset = {at.x - pose.position.x, at.y - pose.position.y, at.z - pose.position.z};
    return rest_rotate((tp_quaternion){q.w, -q.x, -q.y, -q.z}, offset).y;
}

TPI_INLINE rest_vector rest_select(tpi_lane_mask mask, rest_vector yes, rest_vector no)
{
    return (rest_vector){tpi_lanes_select(mask, yes.x, no.x), tpi_lanes_select(mask, yes.y, no.y),
                         tpi_lanes_select(mask, yes.z, no.z)};
}

/* A search: segments, and the first hit of each. */
typedef struct rest_search {
    rest_vector from, to;
    tpi_lanes radius, skin;
    tpi_lanes time;     /* 2: no hit */
    tpi_lanes friction; /* of the plane that is hit, on spheres of the one species' friction */
    rest_vector normal, push;
    tpi_lane_mask began_inside, jumps; /* the contact is followed by a jump beyond the skin */
#if TPI_REST_TWICE
    tpi_lane_ints slot; /* of the plane that is hit */
#endif
} rest_search;

TPI_INLINE tpi_lane_mask rest_misses(const rest_search *s, const tpi_clear_plane *plane)
{
    const tpi_segments at = {
        {s->from.x, s->from.y, s->from.z}, {s->to.x, s->to.y, s->to.z}, s->radius};
    return tpi_clear_of_plane(&at, s->skin, plane, 3);
}

/* tpi_cast_hit, where the mask is set */
TPI_INLINE void rest_hit(rest_search *s, const tpi_collider_item *item, uint32_t slot,
                         tpi_lane_mask mask, tpi_lanes time, tpi_lanes gap, float friction)
{
    const tp_vector n = item->normal;
    const rest_vector normal = {tpi_lanes_of(n.x), tpi_lanes_of(n.y), tpi_lanes_of(n.z)};
    tpi_lane_mask is_first = tpi_lanes_and(mask, tpi_lanes_less(time, s->time));
    is_first = tpi_lanes_and(is_first, tpi_lanes_not(tpi_lanes_less(tpi_lanes_of(1.0f), time)));
    rest_vector push =
        rest_rotate(item->pose_to.rotation, (rest_vector){gap * 0.0f, gap, gap * 0.0f});
    s->time = tpi_lanes_select(is_first, time, s->time);
    s->normal = rest_select(is_first, normal, s->normal);
    s->push = rest_select(is_first, push, s->push);
    s->friction = tpi_lanes_select(is_first, tpi_lanes_of(friction), s->friction);
#if TPI_REST_TWICE
    s->slot = tpi_lane_ints_select(is_first, tpi_lane_ints_of((int32_t)slot), s->slot);
#endif
    (void)slot;
}

/* collide_localise and tpi_cast_plane, for the lanes of `near` */
static void rest_cast(const tp_world *world, rest_search *s, const tpi_collider_item *item,
                      uint32_t slot, tpi_lane_mask near)
{
    const tpi_lanes none = tpi_lanes_of(0.0f);
    tpi_lanes skin = tpi_lanes_max(s->skin, tpi_lanes_of(item->scale * TPI_SKIN_SHARE));
    tpi_lanes clearance = s->radius + skin, contact = s->radius + skin * 0.5f,
              inside = s->radius - skin * 0.25f;
    tpi_lanes height = rest_height(item->pose_to, s->from),
              move = rest_height(item->pose_to, s->to) - height;
    tpi_lanes fall = height - contact;
    tpi_lane_mask is_below = tpi_lanes_less(height, contact),
                  is_inside = tpi_lanes_less(height, inside), falls = tpi_lanes_less(move, none);
    tpi_lane_mask is_late = tpi_lanes_less(none, s->time);
    tpi_lane_mask at_once = tpi_lanes_and(tpi_lanes_and(near, is_below), is_late);
    at_once = tpi_lanes_and(at_once, tpi_lanes_or(is_inside, falls));
    tpi_lane_mask later = tpi_lanes_and(tpi_lanes_and(near, tpi_lanes_not(is_below)),
                                        tpi_lanes_less(fall + move, none));
    if (!tpi_lanes_any(tpi_lanes_or(at_once, later))) return;
    s->began_inside = tpi_lanes_or(s->began_inside, tpi_lanes_and(at_once, is_inside));
    tpi_lanes time = tpi_lanes_select(later, fall / -move, none);
    rest_hit(s, item, slot, tpi_lanes_or(at_once, later), time,
             clearance - tpi_lanes_select(later, contact, height),
             item->def.friction * world->def.species[0].friction);
}

/* The planes of the plan are in the order of their slots. */
static void rest_search_all(const tp_world *world, const tpi_clear_plan *plan, rest_search *s)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const tpi_clear_plane *next = plan->planes;
    s->time = tpi_lanes_of(2.0f);
    s->friction = tpi_lanes_of(0.0f);
    s->began_inside = tpi_lanes_first(0);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        tpi_clear_plane other;
        const tpi_clear_plane *plane = &other;
        if (slot < 32u && (plan->slots >> slot & 1u)) {
            plane = next++;
        } else {
            if (!tpi_pool_is_alive(slots, slot)) continue;
            other = tpi_clear_plane_of(item);
        }
        tpi_lane_mask near = tpi_lanes_not(rest_misses(s, plane));
        if (tpi_lanes_any(near)) rest_cast(world, s, item, slot, near);
    }
}

/* collide_rub, of lanes with friction. Returns those that stick. */
TPI_INLINE tpi_lane_mask rest_rub(const rest_search *s, tpi_lanes impulse, rest_vector *relative)
{
    const rest_vector normal = s->normal;
    tpi_lanes along = rest_dot(*relative, normal);
    rest_vector across = rest_add_scaled(*relative, normal, -along),
                held = {normal.x * along, normal.y * along, normal.z * along};
    tpi_lanes speed = tpi_lanes_sqrt(rest_dot(across, across)), loss = s->friction * impulse;
    tpi_lane_mask rubs = tpi_lanes_less(tpi_lanes_of(0.0f), s->friction),
                  sticks = tpi_lanes_or(tpi_lanes_not(tpi_lanes_less(loss, speed)),
                                        tpi_lanes_less(speed, tpi_lanes_of(1e-20f)));
    rest_vector slides = rest_add_scaled(*relative, across, -loss / speed);
    *relative = rest_select(rubs, rest_select(sticks, held, slides), *relative);
    return tpi_lanes_and(rubs, sticks);
}

/* collide_bounce without bounce: the velocity loses its part into the plane, and some along it. */
TPI_INLINE rest_vector rest_stop(const rest_search *s, rest_vector velocity, tpi_lane_mask *sticks)
{
    const tpi_lanes none = tpi_lanes_of(0.0f);
    tpi_lanes inward = -rest_dot(velocity, s->normal);
    tpi_lane_mask acts = tpi_lanes_less(none, inward);
    rest_vector stopped = rest_add_scaled(velocity, s->normal, inward);
    *sticks = tpi_lanes_first(0);
    if (tpi_lanes_any(tpi_lanes_less(none, s->friction)))
        *sticks = tpi_lanes_and(acts, rest_rub(s, inward, &stopped));
    stopped = (rest_vector){stopped.x + none, stopped.y + none, stopped.z + none};
    return rest_select(acts, stopped, velocity);
}

/* collide_held: the jump of lanes that stick, from a contact at `point`. */
TPI_INLINE rest_vector rest_held(const rest_search *s, rest_vector point, tpi_lane_mask sticks)
{
    const tpi_lanes none = tpi_lanes_of(0.0f);
    const rest_vector normal = s->normal,
                      slid = {point.x - s->from.x, point.y - s->from.y, point.z - s->from.z};
    tpi_lanes along = rest_dot(slid, normal);
    sticks =
        tpi_lanes_and(sticks, tpi_lanes_not(tpi_lanes_less(s->skin, tpi_lanes_magnitude(along))));
    const rest_vector jump = {normal.x * along - slid.x, normal.y * along - slid.y,
                              normal.z * along - slid.z};
    return rest_select(sticks, jump, (rest_vector){none, none, none});
}

/* The contact of a search, and the search after it. Returns the lanes whose contact is a plain
   one. A jump beyond the skin meets no other collider if there is none. */
TPI_INLINE tpi_lane_mask rest_respond(const tp_world *world, const tpi_clear_plan *plan,
                                      rest_search *s, rest_vector *velocity)
{
    const tpi_lanes none = tpi_lanes_of(0.0f), near_enough = s->skin * 0.51f;
    tpi_lane_mask sticks;
    rest_vector move = {s->to.x - s->from.x, s->to.y - s->from.y, s->to.z - s->from.z};
    rest_vector point = rest_add_scaled(s->from, move, s->time);
    *velocity = rest_stop(s, *velocity, &sticks);
    rest_vector jump = rest_held(s, point, sticks);
    jump = (rest_vector){jump.x + s->push.x, jump.y + s->push.y, jump.z + s->push.z};
    tpi_lanes rest = (1.0f - s->time) * world->step.timestep;
    tpi_lane_mask rests = tpi_lanes_not(s->began_inside);
    s->jumps = tpi_lanes_less(near_enough * near_enough, rest_dot(jump, jump));
    if (tpi_colliders_end(world) > 1u) rests = tpi_lanes_and(rests, tpi_lanes_not(s->jumps));
    rests = tpi_lanes_and(rests, tpi_lanes_less(none, rest));
    rest_vector drift = {velocity->x + none, velocity->y + none, velocity->z + none};
    s->from = (rest_vector){point.x + jump.x, point.y + jump.y, point.z + jump.z};
    s->to = rest_add_scaled(s->from, drift, rest);
    if (tpi_dimensions(world) == 2) s->to.z = none;
    rest_search_all(world, plan, s);
    return rests;
}

#if TPI_REST_TWICE
TPI_INLINE rest_vector rest_add(rest_vector a, rest_vector b)
{
    return (rest_vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* A contact that is followed by another one. */
typedef struct rest_contact {
    rest_vector point, normal;
    tpi_lanes moment; /* fraction of the step */
    tpi_lane_ints slot;
} rest_contact;

TPI_INLINE rest_contact rest_contact_of(const rest_search *s)
{
    rest_vector move = {s->to.x - s->from.x, s->to.y - s->from.y, s->to.z - s->from.z};
    rest_vector point = rest_add_scaled(s->from, move, s->time);
    return (rest_contact){point, s->normal, s->time, s->slot};
}

/* How far a point is over the plane of the contact, from the point of the contact on. */
static tpi_lanes rest_rise(const tp_world *world, const rest_contact *last, rest_vector point)
{
    tpi_lanes rise = tpi_lanes_of(0.0f);
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        tpi_lane_mask is_here = tpi_lane_ints_equal(last->slot, tpi_lane_ints_of((int32_t)slot));
        if (!tpi_lanes_any(is_here)) continue;
        const tp_pose pose = tpi_collider_at(world, slot)->pose_to;
        tpi_lanes height = rest_height(pose, point) - rest_height(pose, last->point);
        rise = tpi_lanes_select(is_here, height, rise);
    }
    return rise;
}

/* The change of a velocity v by collide_crease_one, with surfaces at rest; 0 where there is
   none. */
TPI_INLINE rest_vector rest_crease_change(rest_vector v, rest_vector normal, rest_vector last,
                                          tpi_lane_mask *changes)
{
    const tpi_lanes none = tpi_lanes_of(0.0f);
    rest_vector against = {none - v.x, none - v.y, none - v.z};
    tpi_lanes missing = rest_dot(against, last), cosine = rest_dot(normal, last),
              open = 1.0f - cosine * cosine;
    *changes = tpi_lanes_and(tpi_lanes_less(none, missing),
                             tpi_lanes_not(tpi_lanes_less(open, tpi_lanes_of(1e-4f))));
    tpi_lanes scale = missing / open;
    rest_vector along = rest_add_scaled(last, normal, -cosine);
    return (rest_vector){along.x * scale, along.y * scale, along.z * scale};
}

/* The second contact: collide_respond with collide_crease, and the search after it. Returns the
   lanes that end there. */
static TPI_APART tpi_lane_mask rest_crease(const tp_world *world, const tpi_clear_plan *plan,
                                           const rest_contact *last, rest_search *s,
                                           rest_vector *velocity)
{
    const tpi_lanes none = tpi_lanes_of(0.0f), near_enough = s->skin * 0.51f;
    const rest_vector zero = {none, none, none};
    rest_vector jump = rest_add(zero, s->push), point = rest_contact_of(s).point, change;
    tpi_lanes moment = last->moment + (1.0f - last->moment) * s->time;
    tpi_lanes rest = (1.0f - moment) * world->step.timestep;
    tpi_lane_mask rests = tpi_lanes_not(tpi_lanes_or(
        s->began_inside, tpi_lanes_less(near_enough * near_enough, rest_dot(jump, jump))));
    rests = tpi_lanes_and(rests, tpi_lanes_less(none, rest));
    tpi_lane_mask is_crease, changes, sticks;
    rests = tpi_lanes_and(rests, tpi_lanes_not(tpi_lanes_less(none, s->friction)));
    is_crease = tpi_lanes_not(
        tpi_lanes_less(s->skin * 2.0f, rest_rise(world, last, rest_add(point, zero))));
    *velocity = rest_stop(s, *velocity, &sticks);
    rest_vector drift = rest_add(*velocity, zero);
    change = rest_crease_change(*velocity, s->normal, last->normal, &changes);
    changes = tpi_lanes_and(changes, is_crease);
    *velocity = rest_select(changes, rest_add(*velocity, change), *velocity);
    drift = rest_select(changes, rest_add(drift, change), drift);
    s->from = rest_add(point, jump);
    s->to = rest_add_scaled(s->from, drift, rest);
    if (tpi_dimensions(world) == 2) s->to.z = none;
    rest_search_all(world, plan, s);
    return tpi_lanes_and(rests, tpi_lanes_less(tpi_lanes_of(1.0f), s->time));
}
#endif

/* With friction all species have the same. */
static bool rest_is_plain(const tp_world *world, const tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    const tp_species *species = world->def.species;
    uint32_t all = (1u << world->def.species_count) - 1u;
    for (uint32_t s = 1; def->friction > 0.0f && s < world->def.species_count; s++)
        if (tpi_bits(species[s].friction) != tpi_bits(species[0].friction)) return false;
    return def->shape == TP_COLLIDER_PLANE && !item->is_moving && !def->kills &&
           !def->is_two_sided && !(def->restitution > 0.0f) && (def->species_mask & all) == all;
}

bool tpi_rest_is_possible(const tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    bool is_possible = !world->def.sph.compat;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world) && is_possible; slot++)
        is_possible =
            !tpi_pool_is_alive(slots, slot) || rest_is_plain(world, tpi_collider_at(world, slot));
    return is_possible;
}

uint32_t tpi_rest_units(const tp_world *world)
{
    return 2u * tpi_colliders_end(world) + TPI_CONTACT_UNITS;
}

uint32_t tpi_rest_units_again(const tp_world *world)
{
    return tpi_colliders_end(world) + TPI_CONTACT_UNITS;
}

void tpi_rest_meet(const tp_world *world, const tpi_clear_plan *plan, const tpi_segments *segments,
                   const tpi_lanes velocity[3], tpi_rests *rests)
{
    const tpi_segments *at = segments;
    rest_vector after = {velocity[0], velocity[1], velocity[2]};
    rest_search s = {.from = {at->from[0], at->from[1], at->from[2]},
                     .to = {at->to[0], at->to[1], at->to[2]},
                     .radius = at->radius,
                     .skin = tpi_segments_skin(world, at)};
    rest_search_all(world, plan, &s);
    /* the skin tells that a segment is too far out: the step kills such a particle */
    tpi_lane_mask is_here = tpi_lanes_less(s.skin, tpi_lanes_of(TPI_POSITION_MAX * TPI_SKIN_SHARE));
    tpi_lane_mask hits = tpi_lanes_not(tpi_lanes_less(tpi_lanes_of(1.0f), s.time));
    rests->misses = tpi_lanes_and(is_here, tpi_lanes_not(hits));
    rests->rests = rests->jumps = tpi_lanes_first(0);
#if TPI_REST_TWICE
    rests->twice = tpi_lanes_first(0);
#endif
    if (!tpi_lanes_any(hits)) return;
    hits = tpi_lanes_and(hits, is_here);
#if TPI_REST_TWICE
    rest_contact last = rest_contact_of(&s);
#endif
    hits = tpi_lanes_and(hits, rest_respond(world, plan, &s, &after));
    tpi_lane_mask again = tpi_lanes_not(tpi_lanes_less(tpi_lanes_of(1.0f), s.time));
    rests->rests = tpi_lanes_and(hits, tpi_lanes_not(again));
    rests->jumps = tpi_lanes_and(rests->rests, s.jumps);
#if TPI_REST_TWICE
    again = tpi_lanes_and(hits, again);
    if (tpi_lanes_any(again)) {
        rest_vector to = s.to, once = after;
        again = tpi_lanes_and(again, rest_crease(world, plan, &last, &s, &after));
        s.to = rest_select(again, s.to, to);
        after = rest_select(again, after, once);
        rests->twice = again;
        rests->rests = tpi_lanes_or(rests->rests, again);
    }
#endif
    rests->to[0] = s.to.x;
    rests->to[1] = s.to.y;
    rests->to[2] = s.to.z;
    rests->velocity[0] = tpi_lanes_flush(after.x);
    rests->velocity[1] = tpi_lanes_flush(after.y);
    rests->velocity[2] = tpi_lanes_flush(after.z);
}
