/* SPDX-License-Identifier: MIT
   runtime/move/body_tell.c - events of bodies: contacts that begin and end.
   reads   contacts of the step in progress and of the last one      writes  events, which contacts
           are told
   memory  none of its own            cost    O(1) per contact
   after   own design: a contact is one of a pair, whatever the corners that meet. It begins with an
           impulse at event_speed, and goes on until the pair parts at event_speed, or is half a
           reach apart: a hit may end a fall above the surface (body_solve.c), and what bounces
           lower than event_speed comes back slower than that, so neither may end it. A search finds
           contacts no farther than a step may reach; beyond that a pair that has begun is followed
           along its last normal, by an item of its own in `held` if there is room */
#include "body.h"

#define TELL_UNITS 4u

/* A body and a collider, or two bodies: then the first one has the lower slot. */
typedef struct tell_pair {
    tpi_body_item *body, *other; /* other: null if no body moves the collider */
    uint32_t slot, other_slot;   /* of the bodies */
    uint32_t collider;           /* that the body meets; TPI_NO_SLOT: it was removed */
} tell_pair;

static tell_pair tell_pair_of(const tp_world *world, uint32_t slot, uint32_t collider)
{
    const uint32_t *colliders = tpi_words(world, world->colliders.slots);
    tell_pair pair = {.body = tpi_body_at(world, slot), .slot = slot, .collider = TPI_NO_SLOT};
    if (collider >= tpi_colliders_end(world) || !tpi_pool_is_alive(colliders, collider))
        return pair;
    pair.collider = collider;
    if (!tpi_collider_at(world, collider)->body) return pair;
    uint32_t other = tpi_collider_at(world, collider)->body - 1u;
    if (other < slot) {
        pair.collider = pair.body->collider;
        pair.slot = other;
        other = slot;
    }
    pair.other_slot = other;
    pair.body = tpi_body_at(world, pair.slot);
    pair.other = tpi_body_at(world, other);
    return pair;
}

/* ---- one side of a pair: a body and the collider that it meets ---- */

/* The contact that gave most, or null; *speed rises to the largest at which they met. */
static const tpi_body_contact *tell_most(const tpi_body_item *body, uint32_t collider, float *speed)
{
    const tpi_body_contact *most = NULL;
    for (uint32_t k = 0; k < body->contact_count; k++) {
        const tpi_body_contact *at = &body->contacts[k];
        if (at->collider != collider || !(at->size > 0.0f)) continue;
        *speed = tpi_max(*speed, at->speed);
        if (!most || at->size > most->size) most = at;
    }
    return most;
}

/* Where a pair is when the step ends. */
typedef struct tell_place {
    tp_vector normal; /* towards its first body */
    float gap, speed; /* m: the least one; m/s: the least one of its contacts to part */
} tell_place;

/* Looks at the contacts of a body with a collider; sign: of their normals. */
static void tell_look(tp_world *world, uint32_t slot, uint32_t collider, float sign,
                      tell_place *place, uint32_t *units)
{
    const tpi_body_item *body = tpi_body_at(world, slot);
    const tpi_body_pair pair = tpi_body_pair_of(world, slot, collider);
    *units += TELL_UNITS;
    for (uint32_t k = 0; k < body->contact_count; k++) {
        const tpi_body_contact *at = &body->contacts[k];
        if (at->collider != collider) continue;
        float speed = tpi_dot(tpi_body_approach(&pair, at->point), at->normal),
              gap = at->gap + pair.timestep * speed;
        place->speed = tpi_min(place->speed, speed);
        if (!(gap < place->gap)) continue;
        place->gap = gap;
        place->normal = tpi_scale(at->normal, sign);
    }
}

/* The first of its contacts, or TPI_BODY_CONTACTS; told: of those whose begin was told. */
static uint32_t tell_first(const tpi_body_item *body, uint32_t collider, uint32_t told)
{
    for (uint32_t k = 0; k < body->contact_count; k++)
        if (body->contacts[k].collider == collider && (body->contacts[k].feature & told) == told)
            return k;
    return TPI_BODY_CONTACTS;
}

/* The first of those of the last step that was told, or TPI_BODY_CONTACTS. */
static uint32_t tell_first_held(const tpi_body_item *body, uint32_t collider)
{
    for (uint32_t k = 0; k < body->held_count; k++)
        if (body->held[k].collider == collider && (body->held[k].feature & TPI_BODY_TOLD)) return k;
    return TPI_BODY_CONTACTS;
}

static void tell_mark(tpi_body_item *body, uint32_t collider)
{
    for (uint32_t k = 0; k < body->contact_count; k++)
        if (body->contacts[k].collider == collider) body->contacts[k].feature |= TPI_BODY_TOLD;
}

/* ---- pairs ---- */

/* True if it had begun before this step. */
static bool tell_was(const tell_pair *pair)
{
    return tell_first_held(pair->body, pair->collider) < TPI_BODY_CONTACTS ||
           (pair->other && tell_first_held(pair->other, pair->body->collider) < TPI_BODY_CONTACTS);
}

/* True if it has begun, and has not ended. */
static bool tell_is(const tell_pair *pair)
{
    return tell_first(pair->body, pair->collider, TPI_BODY_TOLD) < TPI_BODY_CONTACTS ||
           (pair->other &&
            tell_first(pair->other, pair->body->collider, TPI_BODY_TOLD) < TPI_BODY_CONTACTS);
}

/* True if both colliders may have events. */
static bool tell_is_wanted(const tp_world *world, const tell_pair *pair)
{
    return tpi_collider_at(world, pair->body->collider)->def.event_species != 0 &&
           tpi_collider_at(world, pair->collider)->def.event_species != 0;
}

/* Adds an event of a pair, if its kind is kept. Returns its units. */
static uint32_t tell_event(tp_world *world, const tell_pair *pair, tp_event *event)
{
    const uint32_t *bodies = tpi_words(world, world->bodies.slots),
                   *colliders = tpi_words(world, world->colliders.slots);
    if (!tpi_keeps_events(world, TP_EVENT_BIT(event->kind))) return 0;
    event->id = tpi_pool_handle(bodies, pair->slot);
    if (pair->other) event->partner = tpi_pool_handle(bodies, pair->other_slot);
    if (pair->collider != TPI_NO_SLOT) event->handle = tpi_pool_handle(colliders, pair->collider);
    return tpi_event_add_kept(world, event);
}

/* m/s: of a body when the step began, with the impulses of the game. */
static tp_vector tell_velocity(const tp_world *world, const tpi_body_item *body)
{
    tpi_momentum momentum = body->now;
    tpi_momentum_join(&momentum, &body->taken);
    return tpi_body_motion_of(world, body, &momentum).velocity;
}

/* True if a pair that gives nothing has not parted. */
static bool tell_goes_on(const tp_world *world, const tell_pair *pair, const tell_place *place)
{
    float reach = pair->body->reach;
    if (pair->other) reach = tpi_min(reach, pair->other->reach);
    return place->speed < world->def.event_speed && place->gap <= 0.5f * reach;
}

/* So that the next step knows where the pair was, if it finds no contact. */
static void tell_follow(const tell_pair *pair, const tell_place *place)
{
    tpi_body_item *body = pair->body;
    if (body->contact_count == TPI_BODY_CONTACTS) return;
    tpi_body_contact *at = &body->contacts[body->contact_count++];
    tpi_memset(at, 0, sizeof *at);
    at->collider = pair->collider;
    at->feature = TPI_BODY_TOLD | TPI_BODY_APART;
    at->normal = place->normal;
    at->gap = tpi_max(place->gap, 0.0f);
}

static void tell_begin(tp_world *world, const tell_pair *pair, const tpi_body_contact *at,
                       float speed, bool is_back, uint32_t *units)
{
    tp_event event = tpi_event_of(TP_EVENT_BODY_BEGUN, 0, 0);
    event.point = at->point;
    event.normal = tpi_scale(at->normal, is_back ? -1.0f : 1.0f);
    event.velocity = tell_velocity(world, pair->body);
    event.speed = speed;
    *units += tell_event(world, pair, &event);
}

/* A pair with contacts in this step: its contact begins, goes on, or is none. */
static void tell_contact(tp_world *world, const tell_pair *pair, uint32_t *units)
{
    float speed = -FLT_MAX;
    tell_place place = {.gap = FLT_MAX, .speed = FLT_MAX};
    const tpi_body_contact *at = tell_most(pair->body, pair->collider, &speed), *back = NULL;
    if (pair->other) back = tell_most(pair->other, pair->body->collider, &speed);
    const bool was = tell_was(pair), gives = at || back;
    if (!was && !(gives && speed >= world->def.event_speed && tell_is_wanted(world, pair))) return;
    tell_look(world, pair->slot, pair->collider, 1.0f, &place, units);
    if (pair->other) tell_look(world, pair->other_slot, pair->body->collider, -1.0f, &place, units);
    if (!gives && !tell_goes_on(world, pair, &place)) return;
    tell_mark(pair->body, pair->collider);
    if (pair->other) tell_mark(pair->other, pair->body->collider);
    if (!was) tell_begin(world, pair, at ? at : back, speed, !at, units);
    tell_follow(pair, &place);
}

/* True if a pair without contacts in this step goes on: it is followed. */
static bool tell_is_followed(tp_world *world, const tell_pair *pair, uint32_t *units)
{
    for (uint32_t k = 0; k < pair->body->held_count && pair->collider != TPI_NO_SLOT; k++) {
        const tpi_body_held *held = &pair->body->held[k];
        if (held->collider != pair->collider || !(held->feature & TPI_BODY_APART)) continue;
        const tpi_body_pair both = tpi_body_pair_of(world, pair->slot, pair->collider);
        tell_place place = {.normal = held->slide};
        place.speed = tpi_dot(tpi_body_approach(&both, both.motion_a.center), held->slide);
        place.gap = held->size + both.timestep * place.speed;
        *units += TELL_UNITS;
        if (!tell_goes_on(world, pair, &place)) return false;
        tell_follow(pair, &place);
        return true;
    }
    return false;
}

static uint32_t tell_end(tp_world *world, const tell_pair *pair)
{
    tp_event event = tpi_event_of(TP_EVENT_BODY_ENDED, 0, 0);
    event.point =
        tpi_to_world(tpi_collider_at(world, pair->body->collider)->pose_to, pair->body->center);
    event.velocity = tpi_body_motion_of(world, pair->body, &pair->body->next).velocity;
    return tell_event(world, pair, &event);
}

/* ---- bodies ---- */

/* A pair that has contacts of both bodies is told with the first one of the lower slot. */
void tpi_body_tell(tp_world *world, uint32_t slot, uint32_t *units)
{
    const tpi_body_item *body = tpi_body_at(world, slot);
    const uint32_t count = body->contact_count;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t collider = body->contacts[k].collider;
        const tell_pair pair = tell_pair_of(world, slot, collider);
        *units += TELL_UNITS;
        if (tell_first(body, collider, 0) == k &&
            (slot == pair.slot || tell_first(pair.body, pair.collider, 0) == TPI_BODY_CONTACTS))
            tell_contact(world, &pair, units);
    }
}

void tpi_body_tell_ends(tp_world *world, uint32_t slot, uint32_t *units)
{
    const tpi_body_item *body = tpi_body_at(world, slot);
    for (uint32_t k = 0; k < body->held_count; k++) {
        const uint32_t collider = body->held[k].collider;
        const tell_pair pair = tell_pair_of(world, slot, collider);
        *units += TELL_UNITS;
        if (tell_first_held(body, collider) == k &&
            (slot == pair.slot || tell_first_held(pair.body, pair.collider) == TPI_BODY_CONTACTS) &&
            !tell_is(&pair) && !tell_is_followed(world, &pair, units))
            *units += tell_end(world, &pair);
    }
}

void tpi_bodies_forget(const tp_world *world, uint32_t collider)
{
    const uint32_t *slots = tpi_words(world, world->bodies.slots);
    for (uint32_t slot = 0; slot < tpi_bodies_end(world); slot++) {
        if (!tpi_pool_is_alive(slots, slot)) continue;
        tpi_body_item *body = tpi_body_at(world, slot);
        for (uint32_t k = 0; k < body->held_count; k++)
            if (body->held[k].collider == collider) body->held[k].collider = TPI_NO_SLOT;
    }
}

#undef TELL_UNITS
