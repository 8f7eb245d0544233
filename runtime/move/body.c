/* SPDX-License-Identifier: MIT
   runtime/move/body.c - the public calls of bodies: default, check, add, remove, get, set, impulse;
           moments of inertia.
   reads   definitions, colliders      writes  the pool of bodies; poses of their colliders
   memory  an item per body            cost    O(bodies) to add or remove, else O(species)
   after   own design: momenta are integers, so that what particles and bodies give each other adds
           up to 0 */
#include "body.h"
#include "../world/change.h"

#define BODY_PI 3.14159265f

tp_body_def tp_body_default(void)
{
    tp_body_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_BODY;
    def.mass = 1.0f;
    def.rolling = 0.05f;
    return def;
}

/* ---- momenta ---- */

/* The momentum of a body with these velocities. */
static tpi_momentum body_momentum(const tp_world *world, const tpi_body_item *body,
                                  tp_vector velocity, tp_vector angular_velocity)
{
    tpi_momentum momentum = {{0, 0, 0}, {0, 0, 0}};
    tp_vector local = tpi_rotate_back(body->pose.rotation, angular_velocity),
              inertia = body->inertia;
    local = tpi_vector(local.x * inertia.x, local.y * inertia.y, local.z * inertia.z);
    tpi_momentum_add(world, &momentum, tpi_scale(velocity, body->mass),
                     tpi_rotate(body->pose.rotation, local));
    return momentum;
}

/* ---- inertia ---- */

static tp_vector body_box_inertia(float mass, tp_vector half)
{
    float third = mass * (1.0f / 3.0f), x = half.x * half.x, y = half.y * half.y,
          z = half.z * half.z;
    return tpi_vector(third * (y + z), third * (x + z), third * (x + y));
}

/* A rod with round ends: in 2D a box and two half discs, in 3D a cylinder and two half balls. */
static tp_vector body_capsule_inertia(const tp_world *world, float mass, float radius, float half)
{
    const bool is_flat = tpi_dimensions(world) == 2;
    float square = radius * radius, length = 2.0f * half;
    float rod = is_flat ? 2.0f * radius * length : BODY_PI * square * length,
          ends = is_flat ? BODY_PI * square : BODY_PI * square * radius * (4.0f / 3.0f);
    float share = mass / (rod + ends), offset = is_flat ? 8.0f / (3.0f * BODY_PI) : 0.75f;
    rod = rod * share;
    ends = ends * share;
    float across = rod * (square * (is_flat ? 1.0f / 3.0f : 0.25f) + half * half * (1.0f / 3.0f)) +
                   ends * (square * (is_flat ? 0.5f : 0.4f) + half * half + offset * half * radius);
    return tpi_vector(across, rod * square * 0.5f + ends * square * 0.4f, across);
}

/* Of a shape that is filled evenly; 0: not known. */
static tp_vector body_shape_inertia(const tp_world *world, const tp_collider_def *def, float mass)
{
    float square = mass * def->radius * def->radius;
    switch (def->shape) {
    case TP_COLLIDER_SPHERE:
        square = square * (tpi_dimensions(world) == 2 ? 0.5f : 0.4f);
        return tpi_vector(square, square, square);
    case TP_COLLIDER_CAPSULE: return body_capsule_inertia(world, mass, def->radius, def->half.y);
    case TP_COLLIDER_BOX: return body_box_inertia(mass, def->half);
    default: return tpi_vector(0.0f, 0.0f, 0.0f);
    }
}

/* The components that are given, and those of the shape. */
static tp_vector body_inertia(const tp_world *world, const tp_collider_def *def, float mass,
                              tp_vector given)
{
    tp_vector shape = body_shape_inertia(world, def, mass);
    if (given.x > 0.0f) shape.x = given.x;
    if (given.y > 0.0f) shape.y = given.y;
    if (given.z > 0.0f) shape.z = given.z;
    if (tpi_dimensions(world) == 2) shape.x = shape.y = 0.0f;
    return shape;
}

static float body_reach(const tp_world *world, const tpi_collider_item *item, tp_vector center)
{
    tp_vector corners[TPI_BODY_CORNERS];
    float radius, reach = 0.0f;
    uint32_t count = tpi_body_corners(world, item, corners, &radius);
    for (uint32_t k = 0; k < count; k++)
        reach = tpi_max(reach, tpi_length(tpi_sub(corners[k], center)));
    return reach + radius;
}

void tpi_body_derive(const tp_world *world, uint32_t slot)
{
    tpi_body_item *body = tpi_body_at(world, slot);
    tpi_collider_item *item = tpi_collider_at(world, body->collider);
    const tpi_momentum none = {{0, 0, 0}, {0, 0, 0}};
    body->pose = tpi_flat_pose(world, body->pose);
    item->body = (uint8_t)(slot + 1u);
    item->leaps = 0;
    item->pose_next = body->pose;
    tpi_collider_sweep(item, body->pose, body->pose);
    body->reach = body_reach(world, item, body->center);
    body->next = body->taken = none;
    body->contact_count = 0;
}

/* ---- checks ---- */

static const char *body_check_collider(const tp_collider_def *def)
{
    if (def->shape == TP_COLLIDER_PLANE || def->shape == TP_COLLIDER_HEIGHTFIELD || def->is_hollow)
        return TPI_TEXT("collider must be a solid: not a plane, heightfield or hollow box");
    if (def->kills || def->is_two_sided)
        return TPI_TEXT("collider must be a solid: without kills and is_two_sided");
    return NULL;
}

const char *tpi_body_check_change(const tp_collider_def *old, const tp_collider_def *def)
{
    if (def->shape != old->shape || def->radius != old->radius ||
        !tpi_is_same(&def->half, &old->half, sizeof def->half))
        return TPI_TEXT("shape, half and radius must be as before: the mass and inertia of a body "
                        "are those of its shape; remove the body first");
    return body_check_collider(def);
}

static const char *body_check_mass(const tp_world *world, const tpi_collider_item *item,
                                   const tp_body_def *def)
{
    const float heaviest = tpi_load_heaviest(world);
    tp_vector given = def->inertia;
    if (tpi_dimensions(world) == 2) given.x = given.y = 0.0f;
    if (!tpi_is_within(def->mass, 1e-3f * heaviest, 1e6f * heaviest))
        return TPI_TEXT("mass must be 1e-3 to 1e6 times that of the heaviest species");
    const float most = 1e9f * heaviest;
    if (!tpi_is_within(given.x, 0.0f, most) || !tpi_is_within(given.y, 0.0f, most) ||
        !tpi_is_within(given.z, 0.0f, most))
        return TPI_TEXT("inertia must be 0 to 1e9 times the mass of the heaviest species");
    given = body_inertia(world, &item->def, def->mass, given);
    if (tpi_dimensions(world) == 2) given.x = given.y = given.z;
    if (!tpi_is_within(tpi_min(given.x, tpi_min(given.y, given.z)), 1e-18f, FLT_MAX))
        return TPI_TEXT("inertia must be above 0 for a mesh or distance grid");
    return NULL;
}

/* In two dimensions bodies turn about z. */
static tp_vector body_spin(const tp_world *world, tp_vector spin)
{
    return tpi_dimensions(world) == 2 ? tpi_vector(0.0f, 0.0f, spin.z) : spin;
}

const char *tp_body_check(const tp_world *world, const tp_body_def *definition)
{
    uint32_t slot;
    if (tpi_world_check_block(world) != TP_OK) return tp_result_text(tpi_world_check_block(world));
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_body_default");
    if (definition->stamp != TPI_STAMP_BODY) return tp_result_text(TP_ERROR_STAMP);
    if (tpi_item_find(world, TP_POOL_COLLIDERS, definition->collider.id, &slot) != TP_OK)
        return TPI_TEXT("collider must be one of this world: add it first");
    const tpi_collider_item *item = tpi_collider_at(world, slot);
    if (item->body) return TPI_TEXT("collider must not belong to another body");
    if (tpi_change_of(world, TP_POOL_COLLIDERS, slot))
        return TPI_TEXT("collider must not wait for new settings: add the body in the next frame");
    const char *text = body_check_collider(&item->def);
    if (!text) text = body_check_mass(world, item, definition);
    if (text) return text;
    if (!tpi_is_vector_within(tpi_flat(world, definition->center), 1e6f))
        return TPI_TEXT("center must be within 1e6");
    if (!tpi_is_vector_within(tpi_flat(world, definition->velocity), TPI_BODY_SPEED_MAX))
        return TPI_TEXT("velocity must be within 1e3");
    if (!tpi_is_vector_within(body_spin(world, definition->angular_velocity), TPI_BODY_SPEED_MAX))
        return TPI_TEXT("angular_velocity must be within 1e3");
    if (!tpi_is_within(definition->rolling, 0.0f, 1.0f)) return TPI_TEXT("rolling must be 0 to 1");
    return NULL;
}

static bool body_has_sound_held(const tp_world *world, const tpi_body_item *body)
{
    bool is_sound = body->held_count <= TPI_BODY_CONTACTS;
    for (uint32_t k = 0; is_sound && k < body->held_count; k++) {
        const tpi_body_held *held = &body->held[k];
        const bool is_told = (held->feature & TPI_BODY_TOLD) != 0;
        is_sound =
            tpi_is_within(held->size, is_told ? 0.0f : TPI_BODY_HELD_LEAST, TPI_BODY_HELD_MOST) &&
            tpi_is_vector_within(held->slide, TPI_BODY_HELD_MOST) &&
            (!is_told || tpi_bodies_tell(world));
    }
    return is_sound;
}

const char *tpi_body_audit(const tp_world *world, uint32_t slot)
{
    const tpi_body_item *body = tpi_body_at(world, slot);
    if (body->collider >= world->colliders.capacity ||
        !tpi_pool_is_alive(tpi_words(world, world->colliders.slots), body->collider) ||
        tpi_collider_at(world, body->collider)->body != slot + 1u)
        return TPI_TEXT("a body whose collider is alive and names it");
    const tpi_collider_item *item = tpi_collider_at(world, body->collider);
    tp_body_def def = tp_body_default();
    def.mass = body->mass;
    def.inertia = body->inertia;
    const char *text = body_check_collider(&item->def);
    if (!text) text = body_check_mass(world, item, &def);
    if (!text) text = tpi_collider_check_pose(world, body->pose);
    if (text) return text;
    bool is_flat = tpi_dimensions(world) == 2;
    if (!tpi_is_vector_within(body->center, 1e6f) || (is_flat && body->center.z != 0.0f))
        return TPI_TEXT("a center of mass within 1e6");
    if (is_flat && (body->inertia.x != 0.0f || body->inertia.y != 0.0f))
        return TPI_TEXT("an inertia about z only in 2D");
    if (!(body->inertia.z > 0.0f) ||
        (!is_flat && !(body->inertia.x > 0.0f && body->inertia.y > 0.0f)))
        return TPI_TEXT("an inertia above 0");
    if (!tpi_is_within(body->rolling, 0.0f, 1.0f))
        return TPI_TEXT("a rolling resistance of 0 to 1");
    if (!body_has_sound_held(world, body))
        return TPI_TEXT("at most 16 contacts of a body's last step, which gave 1e-30 to 1e30 N, "
                        "or have begun in a world that keeps events of bodies");
    return NULL;
}

/* ---- add, remove, get, set ---- */

static void body_place(const tp_world *world, tpi_body_item *body, tp_pose pose, tp_vector velocity,
                       tp_vector angular_velocity)
{
    const tpi_momentum none = {{0, 0, 0}, {0, 0, 0}};
    body->pose = tpi_flat_pose(world, pose);
    tpi_collider_at(world, body->collider)->pose_past = body->pose;
    body->now =
        body_momentum(world, body, tpi_flat(world, velocity), body_spin(world, angular_velocity));
    body->asked = none;
    body->held_count = 0;
}

tp_result tp_body_add(tp_world *world, const tp_body_def *definition, tp_body *body)
{
    uint32_t collider;
    tp_result result = tpi_item_check(world, definition, TPI_STAMP_BODY, body ? &body->id : NULL);
    if (result != TP_OK) return result;
    if (tp_body_check(world, definition)) return TP_ERROR_DEFINITION;
    uint32_t slot = tpi_pool_take(&world->bodies, tpi_words(world, world->bodies.slots), &body->id);
    if (slot == TPI_NO_SLOT) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    (void)tpi_item_find(world, TP_POOL_COLLIDERS, definition->collider.id, &collider);
    const tpi_collider_item *shape = tpi_collider_at(world, collider);
    tpi_body_item *item = tpi_body_at(world, slot);
    tpi_memset(item, 0, sizeof *item);
    item->collider = collider;
    item->mass = definition->mass;
    item->inertia = body_inertia(world, &shape->def, definition->mass, definition->inertia);
    item->center = tpi_flat(world, definition->center);
    item->rolling = definition->rolling;
    item->pose = shape->pose_next;
    body_place(world, item, shape->pose_next, definition->velocity, definition->angular_velocity);
    tpi_body_derive(world, slot);
    return TP_OK;
}

tp_result tp_body_remove(tp_world *world, tp_body body)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_BODIES, body.id, &slot);
    if (result != TP_OK) return result;
    tpi_body_derive(world, slot);
    tpi_collider_item *item = tpi_collider_at(world, tpi_body_at(world, slot)->collider);
    item->pose_past = item->pose_to;
    item->body = 0;
    tpi_item_remove(world, TP_POOL_BODIES, slot);
    return TP_OK;
}

tp_result tp_body_get(const tp_world *world, tp_body body, tp_body_state *state)
{
    uint32_t slot;
    if (!state) return TP_ERROR_NULL;
    tpi_memset(state, 0, sizeof *state);
    tp_result result = tpi_item_find(world, TP_POOL_BODIES, body.id, &slot);
    if (result != TP_OK) return result;
    const tpi_body_item *item = tpi_body_at(world, slot);
    tpi_body_motion motion = tpi_body_motion_of(world, item, &item->now);
    state->collider.id = tpi_pool_handle(tpi_words(world, world->colliders.slots), item->collider);
    state->pose = item->pose;
    state->center = motion.center;
    state->velocity = motion.velocity;
    state->angular_velocity = motion.angular_velocity;
    return TP_OK;
}

tp_result tp_body_set(tp_world *world, tp_body body, tp_pose pose, tp_vector velocity,
                      tp_vector angular_velocity)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_BODIES, body.id, &slot);
    if (result != TP_OK) return result;
    if (tpi_collider_check_pose(world, pose) ||
        !tpi_is_vector_within(tpi_flat(world, velocity), TPI_BODY_SPEED_MAX) ||
        !tpi_is_vector_within(body_spin(world, angular_velocity), TPI_BODY_SPEED_MAX))
        return TP_ERROR_DEFINITION;
    tpi_step_cancel(world);
    body_place(world, tpi_body_at(world, slot), pose, velocity, angular_velocity);
    tpi_body_derive(world, slot);
    return TP_OK;
}

/* Sums of impulses between two steps stay below 2^62 counts, so that none wraps. */
static bool body_is_moderate(const tpi_momentum *momentum)
{
    const uint64_t most = (uint64_t)1 << 62;
    bool is_moderate = true;
    for (uint32_t axis = 0; axis < 3; axis++)
        is_moderate = is_moderate && momentum->linear[axis] + most < 2u * most &&
                      momentum->angular[axis] + most < 2u * most;
    return is_moderate;
}

tp_result tp_body_impulse(tp_world *world, tp_body body, tp_vector impulse, tp_vector point)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_BODIES, body.id, &slot);
    if (result != TP_OK) return result;
    tpi_body_item *item = tpi_body_at(world, slot);
    impulse = tpi_flat(world, impulse);
    point = tpi_flat(world, point);
    if (!tpi_is_vector_within(impulse, TPI_BODY_SPEED_MAX * item->mass) ||
        !tpi_is_vector_within(point, TPI_POSITION_MAX))
        return TP_ERROR_DEFINITION;
    tp_vector arm = tpi_sub(point, tpi_to_world(item->pose, item->center));
    tpi_momentum asked = item->asked;
    tpi_momentum_add(world, &asked, impulse, tpi_cross(arm, impulse));
    if (!body_is_moderate(&asked)) return TP_ERROR_DEFINITION;
    item->asked = asked;
    return TP_OK;
}

#undef BODY_PI
