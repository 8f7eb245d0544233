/* SPDX-License-Identifier: MIT
   runtime/move/collide.c - the path of one sphere through the colliders: first hit, response, next
           segment.
   reads   the path, the colliders
   writes  the path; the step's contacts, contacts_limited, pushed_out
   memory  the path's record            cost    see tpi_path_advance
   after   continuous collision detection, see runtime/guide/physics.md, colliders. Two resting
           contacts (a crease) are solved together, because alternating single contacts would not
           end

   A segment is straight in the frame of each collider: its two ends are transformed by the
   collider's poses at the begin and end of the segment. So a moving surface is swept like one at
   rest, and a turning one keeps every particle on its side however far it turns. The path of a
   turning point is an arc in the world, not a line. One that turns and goes farther than it is
   large is met by secants of the part of the segment that is near it. Where the two differ, and
   where a sphere is pushed out of a solid, the sphere jumps. A second search, in which no time
   passes, ensures that a jump crosses no other collider.

   A bounce happens in the middle of a step and uses the speed that gravity has given by then.
   With the speed of the whole step it would gain or lose up to g dt v each time. */
#include "room.h"
#include "../world/event.h"
#include "../world/load.h"
#include "../world/solver.h"

/* contacts with full response; after them the sphere only evades surfaces that move into it */
#define TPI_HITS_MAX   4u
#define TPI_EVADES_MAX 4u
/* share of a step: the velocity of a surface is not computed over a shorter interval */
#define TPI_SAME_SHARE 0.0625f

enum collide_phase {
    COLLIDE_DONE = 0, /* must be 0: the state of a path in a world without colliders */
    COLLIDE_WALLS,    /* planes under the published wall rule */
    COLLIDE_SEARCH,   /* tests one collider after another */
    COLLIDE_WALK,     /* walks over the parts of one collider */
    COLLIDE_ROOMS,    /* walks from room to room, to the hit */
    COLLIDE_SETTLE,   /* the search is complete */
    COLLIDE_GRAVITY   /* sums the gravity fields */
};

/* ---- planes ---- */

/* The height of a point over the plane of a pose: y of tpi_to_local, with the same bits. */
static float collide_height(const tp_pose *pose, tp_vector at)
{
    float x = -pose->rotation.x, y = -pose->rotation.y, z = -pose->rotation.z;
    tp_vector a = tpi_sub(at, pose->position);
    tp_vector twice = tpi_scale(tpi_cross(tpi_vector(x, y, z), a), 2.0f);
    return a.y + twice.y * pose->rotation.w + (z * twice.x - x * twice.z);
}

/* A plane at rest: only heights over it count, except for a jump, whose length counts too. */
static void collide_cast_plane(tpi_path *path, const tpi_collider_item *item)
{
    tpi_cast *cast = &path->cast;
    if (TPI_LANES == 1 || cast->is_jump) { /* small builds have one function that rotates */
        (void)tpi_path_localise(path, item);
        tpi_cast_plane(cast);
        return;
    }
    tpi_path_distances(path, item);
    cast->from = tpi_vector(0.0f, collide_height(&item->pose_to, path->from), 0.0f);
    cast->move = tpi_vector(0.0f, collide_height(&item->pose_to, path->to) - cast->from.y, 0.0f);
    tpi_cast_plane(cast);
}

/* ---- the search ---- */

static bool collide_is_wall(const tp_world *world, const tpi_collider_item *item)
{
    return TPI_HAS_SPH && world->def.sph.compat && item->def.shape == TP_COLLIDER_PLANE;
}

static void collide_search_begin(tpi_path *path)
{
    tpi_sweep_bounds(path->from, path->to, path->radius + path->skin, &path->low, &path->high);
    path->cast.time = 2.0f;
    path->cast.collider = 0;
    path->piece = path->pieces = 0;
    path->rooms = TPI_NO_SLOT;
    path->phase = COLLIDE_SEARCH;
}

/* Early-out for a plane at rest: most particles keep clear of it, and two dot products show it. */
static bool collide_misses_plane(tp_vector from, tp_vector to, float radius, float skin,
                                 const tpi_collider_item *item)
{
    float wide = radius + tpi_max(skin, item->scale * TPI_SKIN_SHARE) + item->offset;
    return tpi_dot(from, item->normal) > wide && tpi_dot(to, item->normal) > wide;
}

/* Tests the current collider. True if it has parts that must be walked over. */
static bool collide_enter(const tp_world *world, tpi_path *path)
{
    tpi_cast *cast = &path->cast;
    const tpi_collider_item *item = tpi_collider_at(world, cast->collider);
    if (!tpi_pool_is_alive(tpi_words(world, world->colliders.slots), cast->collider)) return false;
    if (!(item->def.species_mask >> path->species & 1u) || cast->collider == path->skip)
        return false;
    if (item->def.shape != TP_COLLIDER_PLANE) {
        if (tpi_collider_misses(item, path->low, path->high)) return false;
    } else if (collide_is_wall(world, item)) {
        return false; /* no box bounds a plane */
    } else if (!item->is_moving) {
        if (!collide_misses_plane(path->from, path->to, path->radius, path->skin, item))
            collide_cast_plane(path, item);
        return false;
    }
    if (!tpi_path_localise(path, item) || tpi_cast_shape(item, cast)) return false;
    cast->part = cast->subpart = cast->row_end = 0;
    cast->traced = 0.0f;
    return true;
}

static uint32_t collide_search(const tp_world *world, tpi_path *path, uint32_t units)
{
    tpi_cast *cast = &path->cast;
    uint32_t used = 0;
    while (used < units && cast->collider < tpi_colliders_end(world)) {
        const tpi_collider_item *item = tpi_collider_at(world, cast->collider);
        bool is_close = item->is_moving && !tpi_collider_misses(item, path->low, path->high);
        used += is_close ? 2u : 1u; /* a moving collider needs two poses */
        if (collide_enter(world, path)) {
            path->phase = COLLIDE_WALK;
            return used;
        }
        tpi_path_next(path, item);
    }
    if (cast->collider < tpi_colliders_end(world)) return used;
    path->phase = TPI_HAS_ROOMS && path->rooms != TPI_NO_SLOT ? COLLIDE_ROOMS : COLLIDE_SETTLE;
    return used;
}

static uint32_t collide_walk(const tp_world *world, tpi_path *path, uint32_t units)
{
    tpi_cast *cast = &path->cast;
    const tpi_collider_item *item = tpi_collider_at(world, cast->collider);
    bool done;
    uint32_t used = tpi_cast_parts(world, item, cast, units, &done);
    if (!done) return used;
    if (tpi_has_rooms(item) && !item->is_moving &&
        (cast->row & (TPI_ROOM_FAR | TPI_ROOM_STAYS)) != TPI_ROOM_STAYS) {
        path->rooms = cast->collider;
        path->room_sector = cast->row;
        path->room_time = 0.0f;
    }
    tpi_path_next(path, item);
    path->phase = COLLIDE_SEARCH;
    return used;
}

/* ---- events ---- */

/* The contacts in this step of the particle that moves, so far; *before: those that it came with. A
   birth is behind the particles of the back set. */
static uint32_t *collide_contacts(const tp_world *world, uint32_t *before)
{
    const tpi_step *step = &world->step;
    uint32_t *now = tpi_contacts(world, world->front ^ 1u);
    *before = 0;
    if (step->stage == TP_STAGE_EMIT) return now + step->count;
    uint32_t *order = tpi_words(world, world->arrays.order) + step->cursor.i;
    *before = tpi_contacts(world, world->front)[TPI_ORDER_INDEX(*order)];
    now += step->cursor.i;
    if (!(*order & TPI_ORDER_BEGUN)) *now = 0;
    *order |= TPI_ORDER_BEGUN;
    return now;
}

/* True if a contact at this speed begins; notes it if it begins or goes on. */
static bool collide_begins(const tp_world *world, const tpi_path *path, float speed)
{
    const uint32_t slot = path->cast.hit_collider,
                   wanted =
                       world->def.event_species & tpi_collider_at(world, slot)->def.event_species;
    uint32_t before, *now = collide_contacts(world, &before);
    if (tpi_contacts_have(*now, slot)) return false;
    const bool was = tpi_contacts_have(before, slot);
    if (!was && (!(speed >= world->def.event_speed) || !(wanted >> path->species & 1u) ||
                 tpi_contacts_count(*now) == TPI_CONTACTS_MAX))
        return false;
    *now = tpi_contacts_with(*now, slot);
    return !was;
}

/* The first fast contact of a particle with a collider is an event. `centre`: of the sphere, before
   the response. Returns its units. */
static TPI_APART uint32_t collide_note(tp_world *world, const tpi_path *path, tp_vector centre,
                                       tp_vector normal, tp_vector surface)
{
    const tpi_step *step = &world->step;
    float speed = tpi_dot(tpi_sub(surface, path->velocity), normal);
    if (!collide_begins(world, path, speed)) return 0;
    uint32_t id = world->clock.next_id + step->birth_count, meta = step->birth_meta;
    if (step->stage != TP_STAGE_EMIT) {
        uint32_t word = tpi_words(world, world->arrays.order)[step->cursor.i];
        id = tpi_words(world, world->arrays.id)[TPI_ORDER_INDEX(word)];
        meta = tpi_words(world, world->arrays.meta)[TPI_ORDER_INDEX(word)];
    }
    tp_event event = tpi_event_of(TP_EVENT_CONTACT_BEGUN, id, meta);
    event.handle =
        tpi_pool_handle(tpi_words(world, world->colliders.slots), path->cast.hit_collider);
    event.point = tpi_add_scaled(centre, normal, -path->radius);
    event.normal = normal;
    event.velocity = path->velocity;
    event.speed = speed;
    return tpi_event_add(world, &event);
}

/* ---- the wall rule of the published program (sph.compat) ---- */

/* A plane changes the velocity of a particle that ends a step closer than its radius, but not its
   position. Returns the units of its event. */
static uint32_t collide_wall(tp_world *world, tpi_path *path, const tpi_collider_item *item)
{
    uint32_t units = 0;
    tp_pose pose = tpi_collider_pose(item, path->step_end);
    tp_vector normal = tpi_rotate(pose.rotation, tpi_vector(0.0f, 1.0f, 0.0f));
    float distance = tpi_dot(tpi_sub(path->to, pose.position), normal);
    if (!(distance < path->radius)) return units;
    world->step.contacts++;
    path->touched = true;
    path->killed = path->killed || item->def.kills;
    path->cast.hit_collider = path->cast.collider;
    if (TPI_UNLIKELY(tpi_has_contact_events(world)))
        units = collide_note(world, path, path->to, normal, tpi_vector(0.0f, 0.0f, 0.0f));
    float push = (path->radius - tpi_max(distance, 0.0f)) / path->whole_timestep;
    path->velocity = tpi_add_scaled(path->velocity, normal, push);
    return units;
}

static uint32_t collide_walls(tp_world *world, tpi_path *path, uint32_t units)
{
    tpi_cast *cast = &path->cast;
    uint32_t used = 0;
    for (; used < units && cast->collider < tpi_colliders_end(world); used++, cast->collider++) {
        const tpi_collider_item *item = tpi_collider_at(world, cast->collider);
        if (tpi_pool_is_alive(tpi_words(world, world->colliders.slots), cast->collider) &&
            (item->def.species_mask >> path->species & 1u) && collide_is_wall(world, item))
            used += collide_wall(world, path, item);
    }
    if (cast->collider < tpi_colliders_end(world)) return used;
    collide_search_begin(path);
    if (path->killed) path->phase = COLLIDE_DONE;
    return used;
}

/* ---- gravity, for bounces ---- */

static uint32_t collide_gravity(const tp_world *world, tpi_path *path, uint32_t units)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    uint32_t used = 0;
    for (; used < units && path->field < tpi_fields_end(world); used++, path->field++) {
        const tpi_field_settings *def = &tpi_field_at(world, path->field)->def;
        if (tpi_pool_is_alive(slots, path->field) && def->kind == TP_FIELD_GRAVITY &&
            (def->species_mask >> path->species & 1u))
            path->gravity = tpi_add(path->gravity, def->vector);
    }
    if (path->field < tpi_fields_end(world)) return used;
    path->has_gravity = true;
    path->phase = COLLIDE_SETTLE;
    return used;
}

/* True if the response to this hit depends on gravity. */
static bool collide_needs_gravity(const tp_world *world, const tpi_path *path)
{
    const tpi_cast *cast = &path->cast;
    if (path->has_gravity || cast->time > 1.0f || cast->is_jump || cast->is_pause ||
        cast->began_inside)
        return false;
    if (world->constants.gravity_length <= 0.0f || world->def.species[path->species].is_tracer)
        return false;
    return tpi_collider_at(world, cast->hit_collider)->def.restitution > 0.0f;
}

/* ---- a contact ---- */

/* The motion of a point of a collider during the rest of the step. */
typedef struct collide_motion {
    /* normal at the end of the step, so that a particle sliding along the surface does not move
       into it */
    tp_vector normal;
    tp_vector surface; /* m/s: velocity of the surface, for the response */
    tp_vector follow;  /* m/s: velocity that leads exactly to the final position of the point */
} collide_motion;

typedef struct collide_contact {
    const tpi_collider_item *item;
    tp_vector point;  /* m: the centre, on the segment */
    tp_vector offset; /* m: from there to the arc of a turning collider */
    tp_vector push;   /* m: push to the distance `clearance` */
    collide_motion motion;
    float moment; /* fraction of the step */
    bool sticks;  /* friction stops all sliding */
} collide_contact;

/* Displacement of a point that is fixed to the collider; position and rotation are subtracted
   separately to avoid cancellation. */
static tp_vector collide_carry(tp_pose from, tp_pose to, tp_vector local)
{
    tp_vector turned = tpi_sub(tpi_rotate(to.rotation, local), tpi_rotate(from.rotation, local));
    return tpi_add(tpi_sub(to.position, from.position), turned);
}

/* The interval over which the response measures the surface's velocity: from `moment` to the end
   of the path, or TPI_SAME_SHARE of the world's step if that is longer, because rounding errors
   are divided by its length. The path of a birth may be shorter, down to zero. Returns the
   length, s. */
static float collide_chord(const tpi_path *path, float moment, float *begin)
{
    float rest = path->timestep * (1.0f - moment), least = path->whole_timestep * TPI_SAME_SHARE;
    bool is_long = rest >= least;
    float share = is_long ? moment : 1.0f - TPI_SAME_SHARE,
          from = is_long ? path->step_begin : path->whole_begin;
    *begin = from + (path->step_end - from) * share;
    return is_long ? rest : least;
}

/* The motion of a collider's point from `moment` to the end of the path. Its normal component is
   that of the point at the sphere's centre, its tangential component that of the touched point. */
static collide_motion collide_motion_of(const tp_world *world, const tpi_path *path,
                                        const tpi_collider_item *item, float moment,
                                        tp_vector centre, tp_vector normal)
{
    float begin, rest = path->timestep * (1.0f - moment);
    tp_pose end = tpi_collider_pose(item, path->step_end);
    collide_motion motion = {
        tpi_rotate(end.rotation, normal), {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (tpi_dimensions(world) == 2) motion.normal.z = 0.0f;
    if (!item->is_moving) return motion;
    float per_second = 1.0f / collide_chord(path, moment, &begin);
    tp_pose early = tpi_collider_pose(item, begin);
    tp_pose now = tpi_collider_pose(item, tpi_path_moment(path, moment));
    tp_vector touched = tpi_add_scaled(centre, normal, -path->radius);
    tp_vector at_centre = tpi_scale(collide_carry(early, end, centre), per_second);
    tp_vector at_point = tpi_scale(collide_carry(early, end, touched), per_second);
    float along = tpi_dot(tpi_sub(at_centre, at_point), motion.normal);
    motion.surface = tpi_add_scaled(at_point, motion.normal, along);
    motion.follow = at_centre;
    if (rest > 0.0f) motion.follow = tpi_scale(collide_carry(now, end, centre), 1.0f / rest);
    return motion;
}

static collide_contact collide_contact_of(const tp_world *world, tpi_path *path)
{
    tpi_cast *cast = &path->cast;
    const tpi_collider_item *item = tpi_collider_at(world, cast->hit_collider);
    collide_contact contact = {.item = item};
    contact.moment = cast->is_jump ? path->begin : path->begin + (1.0f - path->begin) * cast->time;
    contact.point = tpi_add_scaled(path->from, tpi_sub(path->to, path->from), cast->time);
    tp_pose now = tpi_collider_pose(item, tpi_path_moment(path, contact.moment));
    contact.push = tpi_rotate(now.rotation, cast->push);
    if (tpi_dimensions(world) == 2) contact.push.z = 0.0f;
    tp_vector centre = cast->from;
    if (item->is_moving) centre = tpi_path_centre(path, item, cast->time);
    if (item->is_turning && !cast->is_jump)
        contact.offset = tpi_sub(tpi_to_world(now, centre), contact.point);
    contact.motion = collide_motion_of(world, path, item, contact.moment, centre, cast->normal);
    return contact;
}

/* ---- the response ---- */

static float collide_rest_speed(const tp_world *world, const tpi_path *path,
                                const tp_collider_def *def)
{
    if (def->rest_speed >= 0.0f) return def->rest_speed;
    return 2.0f * world->constants.gravity_length * path->timestep;
}

/* Coulomb friction: the tangential speed falls by mu times the normal impulse, at most to zero.
   True if it becomes zero. */
static bool collide_rub(tp_vector *relative, tp_vector normal, float friction, float impulse)
{
    float along = tpi_dot(*relative, normal);
    tp_vector across = tpi_add_scaled(*relative, normal, -along);
    float speed = tpi_length(across), loss = friction * impulse;
    if (speed <= loss || speed < 1e-20f) {
        *relative = tpi_scale(normal, along);
        return true;
    }
    *relative = tpi_add_scaled(*relative, across, -loss / speed);
    return false;
}

/* Removes from v the component into the previous surface, by a change along the current surface
   (perpendicular to `normal`). */
static tp_vector collide_crease_one(tp_vector v, tp_vector normal, tp_vector last_normal,
                                    tp_vector last_surface)
{
    float missing = tpi_dot(tpi_sub(last_surface, v), last_normal);
    float cosine = tpi_dot(normal, last_normal), open = 1.0f - cosine * cosine;
    if (!(missing > 0.0f) || open < 1e-4f) return v;
    return tpi_add_scaled(v, tpi_add_scaled(last_normal, normal, -cosine), missing / open);
}

/* Two resting contacts at one point: the sphere keeps only its motion along their crease, and
   follows both surfaces. Returns the normal of the previous surface; 0: there is no crease. */
static tp_vector collide_crease(const tp_world *world, tpi_path *path,
                                const collide_contact *contact)
{
    const tp_vector none = {0.0f, 0.0f, 0.0f};
    if (!path->last_rested) return none;
    const tpi_collider_item *item = tpi_collider_at(world, path->last_collider);
    tp_pose now = tpi_collider_pose(item, tpi_path_moment(path, contact->moment));
    tp_pose then = tpi_collider_pose(item, tpi_path_moment(path, path->last_moment));
    tp_vector centre = tpi_to_local(now, tpi_add(contact->point, contact->offset));
    tp_vector moved = tpi_sub(centre, tpi_to_local(then, path->last_point));
    if (tpi_dot(moved, path->last_normal) > 2.0f * path->skin) return none;
    collide_motion last =
        collide_motion_of(world, path, item, contact->moment, centre, path->last_normal);
    path->velocity =
        collide_crease_one(path->velocity, contact->motion.normal, last.normal, last.surface);
    path->drift = collide_crease_one(path->drift, contact->motion.normal, last.normal, last.follow);
    return last.normal;
}

/* Computes the velocity after the contact; true if the sphere bounces off. Otherwise the sphere is
   lifted to the full skin, also if only rounding made the segment hit. `late`, s: how far the time
   of contact is after the time for which the integrator's velocity holds, the middle of the step,
   or with KDK its end. Gravity acts on the velocity in between. */
static bool collide_bounce(const tp_world *world, tpi_path *path, collide_contact *contact)
{
    const tp_collider_def *def = &contact->item->def;
    const collide_motion *motion = &contact->motion;
    bool is_end = world->def.integrator == TP_INTEGRATOR_KDK;
    bool is_plain = path->cast.began_inside || path->cast.is_jump;
    float late = path->timestep * (contact->moment - (is_end ? 1.0f : 0.5f));
    float pull = path->has_gravity ? tpi_dot(path->gravity, motion->normal) : 0.0f;
    tp_vector relative = tpi_sub(path->velocity, motion->surface);
    float inward = -tpi_dot(relative, motion->normal), impact = inward - pull * late;
    bool bounces = def->restitution > 0.0f && !is_plain && inward > 0.0f && impact > 0.0f &&
                   impact > collide_rest_speed(world, path, def);
    path->drift = tpi_add(path->velocity, tpi_sub(motion->follow, motion->surface));
    if (!(inward > 0.0f)) return false;
    float gain = bounces ? inward + def->restitution * impact - pull * late : inward;
    float impulse = bounces ? (1.0f + def->restitution) * impact : inward;
    relative = tpi_add_scaled(relative, motion->normal, gain);
    float friction = def->friction * world->def.species[path->species].friction;
    if (!path->cast.began_inside && friction > 0.0f)
        contact->sticks = collide_rub(&relative, motion->normal, friction, impulse) && !bounces;
    path->velocity = tpi_add(relative, motion->surface);
    path->drift = tpi_add(relative, motion->follow);
    if (!bounces) return false;
    /* the remaining interval is shorter than the step, so its middle is later */
    float middle = path->timestep * (0.5f * (1.0f + contact->moment) - (is_end ? 1.0f : 0.5f));
    path->drift = tpi_add_scaled(path->drift, motion->normal, pull * middle);
    return true;
}

/* Displacement of a sphere held by friction: its motion since the last contact only crossed half
   the skin, so it returns to where it was held. */
static tp_vector collide_held(const tpi_path *path, const collide_contact *contact)
{
    float seconds = path->timestep * (contact->moment - path->begin);
    tp_vector slid =
        tpi_sub(tpi_sub(contact->point, path->from), tpi_scale(contact->motion.surface, seconds));
    float along = tpi_dot(slid, contact->motion.normal);
    if (tpi_abs(along) > path->skin) return tpi_vector(0.0f, 0.0f, 0.0f);
    return tpi_sub(tpi_scale(contact->motion.normal, along), slid);
}

/* Response beyond the contact limit: removes the inward velocity, and the sphere moves only with
   the surface. */
static void collide_evade(tp_world *world, tpi_path *path, const collide_contact *contact)
{
    const collide_motion *motion = &contact->motion;
    if (!path->is_evading) world->step.contacts_limited++;
    path->is_evading = true;
    float inward = tpi_dot(tpi_sub(motion->surface, path->velocity), motion->normal);
    if (inward > 0.0f) path->velocity = tpi_add_scaled(path->velocity, motion->normal, inward);
    path->drift = motion->follow;
}

/* ---- from contact to contact ---- */

static void collide_finish(const tp_world *world, tpi_path *path)
{
    path->phase = COLLIDE_DONE;
    path->velocity = tpi_vector(tpi_flush(path->velocity.x), tpi_flush(path->velocity.y),
                                tpi_flush(path->velocity.z));
    if (tpi_dimensions(world) == 2) path->to.z = path->velocity.z = 0.0f;
}

/* Continues from path->from for the remaining time. */
static void collide_go_on(const tp_world *world, tpi_path *path)
{
    float rest = path->timestep * (1.0f - path->begin);
    path->cast.is_jump = false;
    path->skip = TPI_NO_SLOT;
    path->to = tpi_add_scaled(path->from, path->drift, rest);
    if (tpi_dimensions(world) == 2) path->to.z = 0.0f;
    if (!(rest > 0.0f)) {
        collide_finish(world, path);
        return;
    }
    collide_search_begin(path);
}

/* In a narrow corner of a mesh in 2D the other side may be within a jump. */
static bool collide_has_edges(const tp_world *world, const tpi_collider_item *item)
{
    return TPI_HAS_EDGES && tpi_dimensions(world) == 2 && item->def.shape == TP_COLLIDER_MESH;
}

/* Moves the sphere from the contact to the start of the next segment. A jump within the skin is
   done at once; a longer one needs a search in which no time passes. So does every jump of a sphere
   as small as the skin, if the other side of the collider may be as near. */
static void collide_jump(const tp_world *world, tpi_path *path, const collide_contact *contact,
                         tp_vector jump)
{
    bool has_edges = collide_has_edges(world, contact->item);
    float near_enough = has_edges && path->radius <= path->skin ? 0.0f : 0.51f * path->skin;
    path->from = contact->point;
    path->begin = contact->moment;
    if (tpi_dot(jump, jump) <= near_enough * near_enough) {
        path->from = tpi_add(path->from, jump);
        collide_go_on(world, path);
        return;
    }
    path->to = tpi_add(path->from, jump);
    path->skip = has_edges ? TPI_NO_SLOT : path->cast.hit_collider;
    path->cast.is_jump = true;
    collide_search_begin(path);
}

/* ---- loads ---- */

/* Gives the impulse of a change of velocity at the centre `point` to a collider. */
static void collide_push(const tp_world *world, const tpi_path *path, uint32_t slot,
                         tp_vector point, tp_vector normal, tp_vector lost)
{
    if (tpi_has_strengths(world)) return; /* places in the air, without a mass */
    tpi_load_push push = {slot, tpi_add_scaled(point, normal, -path->radius), normal,
                          tpi_scale(lost, world->def.species[path->species].mass)};
    tpi_loads_add(world, &push);
}

/* Squared sine of the angle between two surfaces below which their shares are bounded: shares of
   nearly parallel surfaces are huge and opposite, whatever the sphere itself gained. */
#define COLLIDE_OPEN 0.25f

/* What a contact took from the sphere's velocity goes to its collider, except for the part that a
   crease took along the normal of the previous surface. Both together are exact. */
static TPI_APART void collide_load(const tp_world *world, const tpi_path *path,
                                   const collide_contact *contact, tp_vector before,
                                   tp_vector bounced, tp_vector last_normal)
{
    const tp_vector normal = contact->motion.normal;
    tp_vector lost = tpi_sub(before, path->velocity), crease = tpi_sub(bounced, path->velocity);
    if (tpi_dot(crease, crease) > 0.0f) {
        float cosine = tpi_dot(last_normal, normal), open = 1.0f - cosine * cosine;
        tp_vector share =
            tpi_scale(last_normal, tpi_dot(crease, last_normal) / tpi_max(open, COLLIDE_OPEN));
        collide_push(world, path, path->last_collider, path->last_point, last_normal, share);
        lost = tpi_sub(lost, share);
    }
    collide_push(world, path, path->cast.hit_collider, contact->point, normal, lost);
}

static void collide_remember(tpi_path *path, const collide_contact *contact, bool rests)
{
    path->last_rested = rests;
    path->last_collider = path->cast.hit_collider;
    path->last_normal = path->cast.normal;
    path->last_point = tpi_add(contact->point, contact->offset);
    path->last_moment = contact->moment;
}

/* Responds to a contact by its number within the step; returns the jump that follows. */
static tp_vector collide_answer(tp_world *world, tpi_path *path, collide_contact *contact)
{
    bool bounces = false;
    tp_vector jump = contact->offset, before = path->velocity;
    if (path->hits > TPI_HITS_MAX) {
        collide_evade(world, path, contact);
    } else {
        bounces = collide_bounce(world, path, contact);
    }
    tp_vector bounced = path->velocity, last = {0.0f, 0.0f, 0.0f};
    if (!bounces) last = collide_crease(world, path, contact);
    if (TPI_UNLIKELY(tpi_has_loads(world)) && !world->def.species[path->species].is_tracer)
        collide_load(world, path, contact, before, bounced, last);
    if (contact->sticks && !contact->item->is_turning) jump = collide_held(path, contact);
    if (!bounces) jump = tpi_add(jump, contact->push);
    collide_remember(path, contact, !bounces);
    return path->cast.is_jump ? tpi_vector(0.0f, 0.0f, 0.0f) : jump;
}

/* Returns its units. */
static uint32_t collide_respond(tp_world *world, tpi_path *path)
{
    uint32_t units = TPI_CONTACT_UNITS;
    collide_contact contact = collide_contact_of(world, path);
    tp_vector jump = {0.0f, 0.0f, 0.0f};
    bool is_kept = true;
    path->hits++;
    if (!path->cast.is_pause) {
        world->step.contacts++;
        world->step.pushed_out += path->cast.began_inside;
        if (TPI_UNLIKELY(tpi_has_loads(world))) tpi_loads_count(world, path->cast.hit_collider);
        if (TPI_UNLIKELY(tpi_has_contact_events(world)))
            units += collide_note(world, path, contact.point, contact.motion.normal,
                                  contact.motion.surface);
        path->touched = true;
        path->killed = contact.item->def.kills;
        is_kept = !path->killed;
    }
    if (!path->cast.is_pause || path->hits > TPI_HITS_MAX)
        jump = collide_answer(world, path, &contact);
    if (is_kept && path->hits <= TPI_HITS_MAX + TPI_EVADES_MAX) {
        collide_jump(world, path, &contact, jump);
    } else {
        path->to = contact.point;
        collide_finish(world, path);
    }
    return units;
}

/* Ends a search: no hit, the end of a jump, or a contact. */
static uint32_t collide_settle(tp_world *world, tpi_path *path)
{
    if (path->cast.time <= 1.0f) {
        if (collide_needs_gravity(world, path)) {
            path->phase = COLLIDE_GRAVITY;
            return 0;
        }
        return collide_respond(world, path);
    }
    if (path->cast.is_jump) {
        path->from = path->to;
        collide_go_on(world, path);
    } else {
        collide_finish(world, path);
    }
    return 0;
}

/* ---- rooms ---- */

/* Follows the centre to the hit, or to the end, in the frame of a level at rest. One hop too many
   stops the path a skin before the sector's plane. */
static uint32_t collide_rooms(tp_world *world, tpi_path *path, uint32_t units)
{
    tpi_step *step = &world->step;
    const tpi_collider_item *item = tpi_collider_at(world, path->rooms);
    tpi_room_walk walk;
    bool done;
    if (path->room_time == 0.0f) {
        step->rooms_exceeded += path->room_sector >> 31;
        path->room_sector &= ~TPI_ROOM_FAR;
        step->rooms_missed += path->room_sector == 0;
    }
    path->phase = COLLIDE_SETTLE;
    if (path->room_sector == 0 || path->room_sector & TPI_ROOM_STAYS) return 0;
    walk.from = tpi_to_local(item->pose_to, path->from);
    walk.to = tpi_to_local(item->pose_to, path->to);
    walk.move = tpi_rotate_back(item->pose_to.rotation, tpi_sub(path->to, path->from));
    walk.time = path->room_time;
    walk.end = tpi_min(path->cast.time, 1.0f);
    walk.sector = path->room_sector;
    walk.hops = path->room_hops;
    walk.is_limited = false;
    uint32_t used = tpi_rooms_walk(world, item, &walk, units, &done);
    step->room_hops += walk.hops - path->room_hops;
    path->room_hops = (uint8_t)walk.hops;
    path->room_sector = walk.sector;
    path->room_time = walk.time;
    if (!done) path->phase = COLLIDE_ROOMS;
    if (!walk.is_limited) return used;
    float length = tpi_length(walk.move), back = path->skin / tpi_max(length, path->skin);
    path->to =
        tpi_add_scaled(path->from, tpi_sub(path->to, path->from), tpi_max(walk.time - back, 0.0f));
    step->rooms_limited++;
    collide_finish(world, path);
    return used;
}

/* ---- the path ---- */

static float collide_skin(float radius, float largest)
{
    return tpi_max(tpi_max(radius * 1e-3f, TPI_SKIN_LEAST), largest * TPI_SKIN_SHARE);
}

void tpi_path_begin(const tp_world *world, tpi_path *path, tp_vector from, tp_vector to,
                    tp_vector velocity, float radius, uint32_t species)
{
    path->from = from;
    path->to = to;
    path->velocity = path->drift = velocity;
    path->touched = path->killed = false;
    path->phase = COLLIDE_DONE;
    if (tpi_colliders_used(world) == 0) return;
    float largest = tpi_max(tpi_largest(from), tpi_largest(to));
    /* the step kills such a particle */
    if (!(largest <= 2.0f * TPI_POSITION_MAX) || !tpi_is_finite_vector(to)) return;
    path->radius = radius;
    path->skin = collide_skin(radius, largest);
    path->begin = path->last_moment = 0.0f;
    path->species = (uint8_t)species;
    path->hits = path->field = 0;
    path->room_hops = 0;
    path->gravity = tpi_vector(0.0f, 0.0f, 0.0f);
    path->is_evading = path->last_rested = path->has_gravity = false;
    path->cast.is_jump = false;
    path->skip = path->last_collider = TPI_NO_SLOT;
    collide_search_begin(path);
    if (world->def.sph.compat) path->phase = COLLIDE_WALLS;
}

uint32_t tpi_path_advance(tp_world *world, tpi_path *path, uint32_t units, bool *done)
{
    uint32_t used = 0;
    while (path->phase != COLLIDE_DONE && (used < units || path->phase == COLLIDE_SETTLE)) {
        switch (path->phase) {
        case COLLIDE_WALLS: used += collide_walls(world, path, units - used); break;
        case COLLIDE_SEARCH: used += collide_search(world, path, units - used); break;
        case COLLIDE_WALK: used += collide_walk(world, path, units - used); break;
        case COLLIDE_ROOMS:
            used += TPI_HAS_ROOMS ? collide_rooms(world, path, units - used) : 0u;
            break;
        case COLLIDE_GRAVITY: used += collide_gravity(world, path, units - used); break;
        default: used += collide_settle(world, path); break;
        }
    }
    *done = path->phase == COLLIDE_DONE;
    return used;
}

#undef TPI_HITS_MAX
#undef TPI_EVADES_MAX
#undef TPI_SAME_SHARE
#undef COLLIDE_OPEN
