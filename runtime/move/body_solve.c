/* SPDX-License-Identifier: MIT
   runtime/move/body_solve.c - the impulses of the contacts of bodies.
   reads   contacts of the step in progress, next momenta      writes  next momenta
   memory  16 contacts per body      cost    O(1) per contact and pass
   after   sequential impulses (Catto 2005): what a contact has given in the step is kept, so that
           later passes may take some of it back. Then a contact that bounces gives its
           restitution's share of that once more (Poisson's rule), and may not take that back:
           where a body is squeezed, wanted speeds would add energy. Friction and resistance to
           rolling are limited by it. A contact that was there in the step before begins with what
           it gave then (warm start), so that what is at rest needs few passes */
#include "body.h"

#define SOLVE_UNITS 4u
#define SOLVE_LONG  0.5f  /* of the reach */
#define SOLVE_NEAR  0.5f  /* of the reach: contacts that will be farther do nothing */
#define SOLVE_CALM  1e-6f /* m/s: contacts that are no worse need no other pass */

/* ---- pairs ---- */

/* Where a collider that no body moves is, so many ticks after the step in progress has begun. */
static tp_pose solve_pose(const tp_world *world, const tpi_collider_item *item, uint32_t ticks)
{
    uint32_t now = world->clock.tick + ticks;
    return tpi_collider_pose(item, (float)now / (float)TP_TICKS_PER_FRAME);
}

/* m: a diameter of a particle and a quarter. One that is between two solids is not crushed: fluids
   would answer with any force. With one diameter a body on the floor hopped now and then. */
static float solve_between(const tp_world *world)
{
    float radius = 0.0f;
    for (uint32_t s = 0; s < world->def.species_count; s++)
        radius = tpi_max(radius, world->def.species[s].radius);
    return 2.5f * radius;
}

/* Only what is round rolls. */
static float solve_rolling(const tpi_body_item *body, const tpi_collider_item *item)
{
    bool is_round = item->def.shape == TP_COLLIDER_SPHERE || item->def.shape == TP_COLLIDER_CAPSULE;
    return is_round ? body->rolling : 0.0f;
}

tpi_body_pair tpi_body_pair_of(tp_world *world, uint32_t slot, uint32_t collider)
{
    tpi_body_pair pair = {.world = world, .a = tpi_body_at(world, slot)};
    pair.other = tpi_collider_at(world, collider);
    pair.slot = slot;
    pair.shape = tpi_collider_at(world, pair.a->collider);
    pair.pose = pair.a->pose;
    pair.between = solve_between(world);
    pair.b = pair.other->body ? tpi_body_at(world, pair.other->body - 1u) : NULL;
    pair.begin = pair.end = pair.b ? pair.b->pose : pair.other->pose_to;
    if (!pair.b && pair.other->is_moving) {
        pair.begin = solve_pose(world, pair.other, 0);
        pair.end = solve_pose(world, pair.other, world->step.ticks);
    }
    pair.motion_a = tpi_body_motion_of(world, pair.a, &pair.a->next);
    if (pair.b) pair.motion_b = tpi_body_motion_of(world, pair.b, &pair.b->next);
    pair.timestep = world->step.timestep;
    pair.friction = tpi_sqrt(pair.shape->def.friction * pair.other->def.friction);
    pair.restitution = tpi_max(pair.shape->def.restitution, pair.other->def.restitution);
    pair.rolling = solve_rolling(pair.a, pair.shape);
    if (pair.b) pair.rolling = tpi_max(pair.rolling, solve_rolling(pair.b, pair.other));
    pair.rest_speed = 2.0f * world->constants.gravity_length * pair.timestep;
    return pair;
}

/* ---- velocities and impulses ---- */

/* m/s: of what is at the point: the body, or the collider in this step. */
static tp_vector solve_speed(const tpi_body_pair *pair, const tpi_body_motion *motion,
                             tp_vector point)
{
    if (motion)
        return tpi_add(motion->velocity,
                       tpi_cross(motion->angular_velocity, tpi_sub(point, motion->center)));
    if (!pair->other->is_moving) return tpi_vector(0.0f, 0.0f, 0.0f);
    tp_vector there = tpi_to_world(pair->end, tpi_to_local(pair->begin, point));
    return tpi_scale(tpi_sub(there, point), 1.0f / pair->timestep);
}

tp_vector tpi_body_approach(const tpi_body_pair *pair, tp_vector point)
{
    return tpi_sub(solve_speed(pair, &pair->motion_a, point),
                   solve_speed(pair, pair->b ? &pair->motion_b : NULL, point));
}

/* 1/kg: how much an impulse at a point along a unit vector changes the velocity there. */
static float solve_give(const tpi_body_motion *motion, tp_vector point, tp_vector along)
{
    tp_vector arm = tpi_sub(point, motion->center), turn = tpi_cross(arm, along);
    return motion->inverse_mass + tpi_dot(turn, tpi_body_ease(motion, turn));
}

static float solve_gives(const tpi_body_pair *pair, tp_vector point, tp_vector along)
{
    float give = solve_give(&pair->motion_a, point, along);
    return pair->b ? give + solve_give(&pair->motion_b, point, along) : give;
}

/* 1/s: of the body, relative to what it meets; of a collider that moves from its speeds at points
   1 m apart. */
static tp_vector solve_turn(const tpi_body_pair *pair)
{
    static const tp_vector axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    tp_vector turn = pair->motion_a.angular_velocity, at = pair->motion_a.center;
    if (pair->b) return tpi_sub(turn, pair->motion_b.angular_velocity);
    if (!pair->other->is_moving) return turn;
    tp_vector here = solve_speed(pair, NULL, at);
    for (uint32_t axis = 0; axis < 3; axis++) {
        tp_vector there = solve_speed(pair, NULL, tpi_add(at, axes[axis]));
        turn = tpi_add_scaled(turn, tpi_cross(axes[axis], tpi_sub(there, here)), -0.5f);
    }
    return turn;
}

/* Shortens a vector to at most `most`. */
static tp_vector solve_within(tp_vector v, float most)
{
    float size = tpi_length(v);
    return size > most ? tpi_scale(v, most / size) : v;
}

/* The impulse of friction, up to Coulomb's limit. */
static tp_vector solve_friction(const tpi_body_pair *pair, const tpi_body_contact *contact,
                                tp_vector approach)
{
    if (!(pair->friction > 0.0f)) return contact->slide;
    approach = tpi_add_scaled(approach, contact->normal, -tpi_dot(approach, contact->normal));
    float speed = tpi_length(approach);
    tp_vector sum = contact->slide;
    if (speed > 1e-9f) {
        tp_vector along = tpi_scale(approach, 1.0f / speed);
        sum = tpi_add_scaled(sum, along, -speed / solve_gives(pair, contact->point, along));
    }
    return solve_within(sum, pair->friction * contact->size);
}

/* Both bodies get the same counts; `turn` is an angular impulse beside that of the impulse. */
static void solve_push(tpi_body_pair *pair, tp_vector point, tp_vector impulse, tp_vector turn)
{
    tpi_momentum given = {{0, 0, 0}, {0, 0, 0}}, back = given;
    impulse = tpi_flat(pair->world, impulse);
    tpi_momentum_add(pair->world, &given, impulse,
                     tpi_add(tpi_cross(tpi_sub(point, pair->motion_a.center), impulse), turn));
    tpi_momentum_join(&pair->a->next, &given);
    pair->motion_a = tpi_body_motion_of(pair->world, pair->a, &pair->a->next);
    if (!pair->b) return;
    tpi_momentum_add(pair->world, &back, impulse,
                     tpi_add(tpi_cross(tpi_sub(point, pair->motion_b.center), impulse), turn));
    tpi_momentum_leave(&pair->b->next, &back);
    pair->motion_b = tpi_body_motion_of(pair->world, pair->b, &pair->b->next);
}

/* Brings what a contact gives to a size along the normal, with the friction that follows. */
static void solve_give_all(tpi_body_pair *pair, tpi_body_contact *contact, float size)
{
    const tp_vector old = contact->slide, none = {0.0f, 0.0f, 0.0f};
    const float more = size - contact->size;
    tp_vector approach = tpi_body_approach(pair, contact->point);
    contact->size = size;
    contact->slide = solve_friction(pair, contact, approach);
    solve_push(pair, contact->point,
               tpi_add_scaled(tpi_sub(contact->slide, old), contact->normal, more), none);
}

/* Resistance to rolling: against the rotation, up to `rolling` times the lever of what the contact
   has given along its normal. */
static void solve_roll(tpi_body_pair *pair, tpi_body_contact *contact)
{
    const tp_vector none = {0.0f, 0.0f, 0.0f}, old = contact->turn;
    tp_vector turn = solve_turn(pair), sum = old;
    if (tpi_dimensions(pair->world) == 2) turn.x = turn.y = 0.0f;
    float rate = tpi_length(turn),
          lever = tpi_length(tpi_sub(contact->point, pair->motion_a.center));
    if (rate > 1e-9f) {
        turn = tpi_scale(turn, 1.0f / rate);
        float give = tpi_dot(turn, tpi_body_ease(&pair->motion_a, turn));
        if (pair->b) give = give + tpi_dot(turn, tpi_body_ease(&pair->motion_b, turn));
        sum = tpi_add_scaled(sum, turn, -rate / give);
    }
    contact->turn = solve_within(sum, pair->rolling * lever * contact->size);
    solve_push(pair, contact->point, none, tpi_sub(contact->turn, old));
}

/* Towards the target; never pulls. Returns by how much the speed was wrong, m/s. */
static float solve_contact(tpi_body_pair *pair, tpi_body_contact *contact)
{
    float speed = tpi_dot(tpi_body_approach(pair, contact->point), contact->normal),
          gives = solve_gives(pair, contact->point, contact->normal),
          size = tpi_max(contact->size + (contact->target - speed) / gives, contact->least),
          change = tpi_abs(size - contact->size) * gives;
    if (!(size > 0.0f) && !(contact->size > 0.0f)) return 0.0f;
    solve_give_all(pair, contact, size);
    if (pair->rolling > 0.0f) solve_roll(pair, contact);
    return change;
}

/* ---- the contacts of a body ---- */

/* A hit that bounces, or whose way in a step is long, ends a fall where it is; else a contact ends
   an approach at the surface. */
static void solve_aim(const tpi_body_pair *pair, tpi_body_contact *contact)
{
    const float speed = contact->speed, room = tpi_max(contact->gap, 0.0f) / pair->timestep;
    const float way = speed * pair->timestep;
    bool hits = way > contact->gap && speed > pair->rest_speed;
    hits = hits && (pair->restitution > 0.0f || way > SOLVE_LONG * pair->a->reach);
    contact->bounce = hits ? pair->restitution : 0.0f;
    contact->target = hits ? 0.0f : -room;
}

/* True if a round before found the same contact. */
static bool solve_is_known(const tpi_body_item *body, const tpi_body_contact *contact)
{
    const float near = 1e-3f * body->reach;
    for (uint32_t k = 0; k < body->contact_count; k++) {
        const tpi_body_contact *old = &body->contacts[k];
        tp_vector apart = tpi_sub(old->point, contact->point);
        if (old->collider == contact->collider && tpi_dot(apart, apart) < near * near &&
            tpi_dot(old->normal, contact->normal) > 0.999f && contact->gap > old->gap - near)
            return true;
    }
    return false;
}

/* m/s: at which a body comes to the surface of a contact. */
static float solve_coming(const tpi_body_pair *pair, const tpi_body_contact *contact)
{
    return -tpi_dot(tpi_body_approach(pair, contact->point), contact->normal);
}

/* m: the gap of a contact when the step ends, as it looked when its speed was taken. */
static float solve_gap_ahead(const tpi_body_pair *pair, const tpi_body_contact *contact)
{
    return contact->gap - pair->timestep * contact->speed;
}

/* A place for a contact: a free one, or that of the one that looks farthest away when the step
   ends, of those that gave nothing. TPI_BODY_CONTACTS: none. */
static uint32_t solve_place(const tpi_body_pair *pair, float ahead)
{
    tpi_body_item *body = pair->a;
    uint32_t place = TPI_BODY_CONTACTS;
    if (body->contact_count < TPI_BODY_CONTACTS) return body->contact_count++;
    for (uint32_t k = 0; k < TPI_BODY_CONTACTS; k++) {
        float gap = solve_gap_ahead(pair, &body->contacts[k]);
        if (body->contacts[k].size > 0.0f || !(gap > ahead)) continue;
        ahead = gap;
        place = k;
    }
    return place;
}

void tpi_body_keep_contact(tpi_body_pair *pair, const tpi_body_contact *contact)
{
    tpi_body_item *body = pair->a;
    tpi_body_contact found = *contact;
    found.speed = solve_coming(pair, contact);
    float ahead = solve_gap_ahead(pair, &found);
    if (ahead > SOLVE_NEAR * body->reach || solve_is_known(body, contact)) return;
    uint32_t place = solve_place(pair, ahead);
    if (place == TPI_BODY_CONTACTS) return;
    tpi_body_contact *kept = &body->contacts[place];
    *kept = found;
    solve_aim(pair, kept);
    kept->size = kept->least = 0.0f;
    kept->slide = kept->turn = tpi_vector(0.0f, 0.0f, 0.0f);
}

void tpi_body_look_again(tp_world *world, uint32_t slot, uint32_t *units)
{
    tpi_body_item *body = tpi_body_at(world, slot);
    for (uint32_t k = 0; k < body->contact_count; k++) {
        tpi_body_contact *at = &body->contacts[k];
        if (at->size > 0.0f) continue;
        tpi_body_pair pair = tpi_body_pair_of(world, slot, at->collider);
        at->speed = solve_coming(&pair, at);
        *units += SOLVE_UNITS;
    }
}

/* ---- from step to step ---- */

static const tpi_body_held *solve_held(const tpi_body_item *body, const tpi_body_contact *contact)
{
    for (uint32_t k = 0; k < body->held_count; k++)
        if (body->held[k].collider == contact->collider &&
            (body->held[k].feature & ~TPI_BODY_TOLD) == contact->feature)
            return &body->held[k];
    return NULL;
}

void tpi_body_resume(tp_world *world, uint32_t slot, uint32_t *units)
{
    tpi_body_item *body = tpi_body_at(world, slot);
    const tp_vector none = {0.0f, 0.0f, 0.0f};
    for (uint32_t k = 0; k < body->contact_count; k++) {
        tpi_body_contact *at = &body->contacts[k];
        const tpi_body_held *held = solve_held(body, at);
        *units += SOLVE_UNITS;
        if (!held || !(held->size >= TPI_BODY_HELD_LEAST) || at->bounce > 0.0f) continue;
        tpi_body_pair pair = tpi_body_pair_of(world, slot, at->collider);
        at->size = held->size * pair.timestep;
        at->slide = tpi_scale(held->slide, pair.timestep);
        at->slide = tpi_add_scaled(at->slide, at->normal, -tpi_dot(at->slide, at->normal));
        solve_push(&pair, at->point, tpi_add_scaled(at->slide, at->normal, at->size), none);
    }
}

static tpi_body_held solve_hold(const tpi_body_contact *contact, float timestep)
{
    const bool is_apart = (contact->feature & TPI_BODY_APART) != 0;
    tp_vector slide = is_apart ? contact->normal : tpi_scale(contact->slide, 1.0f / timestep);
    tpi_body_held held = {.collider = contact->collider, .feature = contact->feature};
    held.size = tpi_flush(is_apart ? contact->gap : contact->size / timestep);
    held.slide = tpi_vector(tpi_flush(slide.x), tpi_flush(slide.y), tpi_flush(slide.z));
    return held;
}

void tpi_body_hold(const tp_world *world, tpi_body_item *body)
{
    body->held_count = 0;
    for (uint32_t k = 0; k < body->contact_count; k++) {
        tpi_body_held held = solve_hold(&body->contacts[k], world->step.timestep);
        const float least = held.feature & TPI_BODY_TOLD ? 0.0f : TPI_BODY_HELD_LEAST;
        if (tpi_is_within(held.size, least, TPI_BODY_HELD_MOST) &&
            tpi_is_vector_within(held.slide, TPI_BODY_HELD_MOST))
            body->held[body->held_count++] = held;
    }
}

/* ---- passes ---- */

/* All contacts with a collider get the same share of what one at their mean would give, so that a
   box lands flat. Returns their number; 0 if `first` is not the first of them. */
static uint32_t solve_together(tpi_body_pair *pair, uint32_t first)
{
    tpi_body_item *body = pair->a;
    tp_vector point = {0.0f, 0.0f, 0.0f}, normal = point;
    float wrong = 0.0f, speed[TPI_BODY_CONTACTS];
    uint32_t count = 0, active = 0;
    for (uint32_t k = 0; k < body->contact_count; k++) {
        const tpi_body_contact *at = &body->contacts[k];
        if (at->collider != body->contacts[first].collider) continue;
        if (k < first) return 0;
        count++;
        speed[k] = at->target - tpi_dot(tpi_body_approach(pair, at->point), at->normal);
        if (!(at->size > at->least) && !(speed[k] > 0.0f)) continue;
        active |= 1u << k;
        point = tpi_add(point, at->point);
        normal = tpi_add(normal, at->normal);
        wrong = wrong + speed[k];
    }
    float share = 0.0f;
    for (uint32_t k = 0; k < body->contact_count; k++)
        if (active >> k & 1u) share = share + 1.0f;
    if (!(share > 1.5f)) return count;
    share = 1.0f / share;
    if (!(tpi_length(normal) * share > 0.95f)) return count;
    point = tpi_scale(point, share);
    normal = tpi_normalise(normal, tpi_vector(0.0f, 1.0f, 0.0f));
    float size = wrong * share * share / solve_gives(pair, point, normal);
    for (uint32_t k = 0; k < body->contact_count; k++) {
        tpi_body_contact *at = &body->contacts[k];
        if (active >> k & 1u) solve_give_all(pair, at, tpi_max(at->size + size, at->least));
    }
    return count;
}

bool tpi_body_solve(tp_world *world, uint32_t slot, uint32_t contact, uint32_t *units)
{
    tpi_body_item *body = tpi_body_at(world, slot);
    tpi_body_contact *at = &body->contacts[contact];
    tpi_body_pair pair = tpi_body_pair_of(world, slot, at->collider);
    *units += SOLVE_UNITS * (1u + solve_together(&pair, contact));
    return solve_contact(&pair, at) > SOLVE_CALM;
}

/* ---- bounces ---- */

bool tpi_body_bounce(tp_world *world, uint32_t slot, uint32_t *units)
{
    tpi_body_item *body = tpi_body_at(world, slot);
    bool has_bounced = false;
    for (uint32_t k = 0; k < body->contact_count; k++) {
        tpi_body_contact *at = &body->contacts[k];
        float size = at->size * (1.0f + at->bounce);
        *units += SOLVE_UNITS;
        at->bounce = 0.0f;
        if (!(size > at->size)) continue;
        tpi_body_pair pair = tpi_body_pair_of(world, slot, at->collider);
        solve_give_all(&pair, at, size);
        at->least = size;
        has_bounced = true;
    }
    return has_bounced;
}

#undef SOLVE_UNITS
#undef SOLVE_LONG
#undef SOLVE_NEAR
#undef SOLVE_CALM
