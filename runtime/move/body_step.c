/* SPDX-License-Identifier: MIT
   runtime/move/body_step.c - bodies in a step: impulses of the game, contacts, poses at the end of
           the step; then loads and gravity.
   reads   bodies, fields, loads      writes  next momenta, poses of colliders; bodies
   memory  none of its own            cost    see tpi_bodies_place
   after   symplectic Euler of momenta: the loads and gravity of a step act in the next one, an
           explicit coupling. It is stable where a fluid answers softly within one sub-step; with
           a rest of the impulses kept back for the mass of the fluid that moves with the body
           (added mass, Causin, Gerbeau and Nobile 2005) all measured bodies were less stable */
#include "body.h"
#include "../world/box.h"
#include "../world/wall.h"

#define BODY_UNITS      8u
#define BODY_PAIR_UNITS 4u
#define BODY_PASSES     64u /* over contacts: after the first search, */
#define BODY_PASSES_ON  16u /* and after each further one */
#define BODY_RESUME     2u
#define BODY_FIRST      3u /* pass */
#define BODY_BOUNCE     (BODY_FIRST + BODY_PASSES)
#define BODY_LAST       (BODY_BOUNCE + BODY_PASSES_ON)
#define BODY_MOVE       (BODY_LAST + 1u)
#define BODY_END        (BODY_MOVE + 2u)
#define BODY_TELL       (BODY_END + 1u)
#define BODY_TELL_ENDS  (BODY_TELL + 1u)
#define BODY_PART_UNITS 4u
#define BODY_ANGLE_MAX  1.5f   /* of a step: colliders turn along the shorter arc */
#define BODY_ANGLE_PART 0.125f /* of a part of it */
#define BODY_LOOKS      4u     /* at the end of a part */

/* ---- what a step gives ---- */

static tp_vector body_gravity(const tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_settings *def = &tpi_field_at(world, slot)->def;
        if (tpi_pool_is_alive(slots, slot) && def->kind == TP_FIELD_GRAVITY)
            sum = tpi_add(sum, def->vector);
    }
    return tpi_flat(world, sum);
}

/* Clamps speeds that no body should have. Removes energy, never adds it; counted. */
static void body_limit(tp_world *world, tpi_body_item *body)
{
    const tpi_momentum none = {{0, 0, 0}, {0, 0, 0}};
    tpi_body_motion motion = tpi_body_motion_of(world, body, &body->next);
    float speed = tpi_largest(motion.velocity), turn = tpi_largest(motion.angular_velocity);
    if (TPI_LIKELY(speed <= TPI_BODY_SPEED_MAX && turn <= TPI_BODY_SPEED_MAX)) return;
    const float unit = tpi_body_unit(world);
    tp_vector linear = tpi_load_vector(body->next.linear, unit),
              angular = tpi_load_vector(body->next.angular, unit);
    body->next = none;
    tpi_momentum_add(world, &body->next,
                     tpi_scale(linear, tpi_min(TPI_BODY_SPEED_MAX / speed, 1.0f)),
                     tpi_scale(angular, tpi_min(TPI_BODY_SPEED_MAX / turn, 1.0f)));
    world->step.speeds_clamped++;
}

static void body_drive(tp_world *world, uint32_t slot)
{
    tpi_body_item *body = tpi_body_at(world, slot);
    body->taken = body->asked;
    body->next = body->now;
    body->contact_count = 0;
    tpi_momentum_join(&body->next, &body->taken);
    body_limit(world, body);
}

/* ---- poses ---- */

static tp_quaternion body_turned(tp_quaternion q, tp_vector angle)
{
    float size = tpi_length(angle);
    if (!(size > 1e-12f)) return q;
    float half = 0.5f * size, s = tpi_sin(half) / size, w = tpi_cos(half), x = angle.x * s,
          y = angle.y * s, z = angle.z * s;
    tp_quaternion p = {w * q.w - x * q.x - y * q.y - z * q.z, w * q.x + x * q.w + y * q.z - z * q.y,
                       w * q.y - x * q.z + y * q.w + z * q.x,
                       w * q.z + x * q.y - y * q.x + z * q.w};
    float scale = 1.0f / tpi_sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
    return (tp_quaternion){p.w * scale, p.x * scale, p.y * scale, p.z * scale};
}

/* 1/s: along the axes of a body with a rotation. */
static tp_vector body_own_speed(tpi_body_motion *motion, tp_quaternion rotation, tp_vector angular)
{
    motion->rotation = rotation;
    return tpi_rotate_back(rotation, tpi_body_ease(motion, angular));
}

/* The rotation at the end of the step with an angular momentum, by the implicit midpoint rule in
   parts: about the mean of the body's own speeds at both ends, which keeps the energy, too. With
   those of the begin a long body that tumbles fast gained energy without end. */
static tp_quaternion body_spun(const tp_world *world, tpi_body_motion motion, tp_vector angular,
                               uint32_t *units)
{
    float rate = tpi_length(motion.angular_velocity), timestep = world->step.timestep;
    if (rate * timestep > BODY_ANGLE_MAX) timestep = BODY_ANGLE_MAX / rate;
    const uint32_t parts = 1u + (uint32_t)(rate * timestep / BODY_ANGLE_PART);
    const float part = timestep / (float)parts;
    tp_quaternion begin = motion.rotation, end = begin;
    for (uint32_t k = 0; k < parts; k++) {
        tp_vector first = body_own_speed(&motion, begin, angular), mean = first;
        for (uint32_t look = 0; look < BODY_LOOKS; look++) {
            end = body_turned(begin, tpi_rotate(begin, tpi_scale(mean, part)));
            mean = tpi_scale(tpi_add(first, body_own_speed(&motion, end, angular)), 0.5f);
        }
        begin = end;
    }
    *units += BODY_PART_UNITS * parts;
    return end;
}

/* The pose at the end of the step with the next momentum. A center at the origin of the collider
   moves along a straight line to the last bit. */
static tp_pose body_moved(const tp_world *world, const tpi_body_item *body, uint32_t *units)
{
    tpi_body_motion motion = tpi_body_motion_of(world, body, &body->next);
    const float dt = world->step.timestep;
    tp_pose pose;
    pose.rotation =
        body_spun(world, motion, tpi_load_vector(body->next.angular, tpi_body_unit(world)), units);
    tp_vector arm = tpi_sub(tpi_rotate(body->pose.rotation, body->center),
                            tpi_rotate(pose.rotation, body->center));
    pose.position = tpi_add(tpi_add_scaled(body->pose.position, motion.velocity, dt), arm);
    return tpi_flat_pose(world, pose);
}

static void body_sweep(const tp_world *world, const tpi_body_item *body, tp_pose to)
{
    tpi_collider_item *item = tpi_collider_at(world, body->collider);
    const float ticks = (float)TP_TICKS_PER_FRAME;
    to.position =
        tpi_vector(tpi_flush(to.position.x), tpi_flush(to.position.y), tpi_flush(to.position.z));
    tpi_collider_sweep(item, body->pose, to);
    item->span_begin = (float)world->clock.tick / ticks;
    item->span_end = (float)(world->clock.tick + world->step.ticks) / ticks;
}

/* A body that would leave the largest coordinates stops. */
static void body_hold(tp_world *world, tpi_body_item *body, tp_pose *pose)
{
    const tpi_momentum none = {{0, 0, 0}, {0, 0, 0}};
    if (!tpi_collider_check_pose(world, *pose)) return;
    *pose = body->pose;
    body->next = none;
    world->step.speeds_clamped++;
}

/* ---- the stage: phase 0 gives. Then come rounds: phase 1 searches contacts, in the first one
   BODY_RESUME begins with what they gave in the last step, BODY_PASSES others solve them,
   BODY_BOUNCE bounces, and those up to BODY_LAST solve again. Two move, out of planes and hollow
   boxes last; and if events of bodies are kept, two tell them.
   cursor.i counts bodies, j colliders or contacts, row is a side, end a round. k: in a search what
   it found, in passes 1 if an impulse mattered ---- */

#define BODY_HAS_FAST  1u /* bodies */
#define BODY_HAS_HELD  2u /* impulses of the last step */
#define BODY_IS_LOOKED 4u /* the contacts of this body were looked at again */

/* Every second pass goes from the last body to the first one, and from its last contact to its
   first one. */
static uint32_t body_slot(const tp_world *world)
{
    const tpi_cursor *cursor = &world->step.cursor;
    bool is_back =
        cursor->phase >= BODY_FIRST && cursor->phase <= BODY_LAST && (cursor->phase & 1u);
    return is_back ? tpi_bodies_end(world) - 1u - cursor->i : cursor->i;
}

/* One side of one collider: the end pose is moved out of it. */
static uint32_t body_step_keep(tp_world *world, uint32_t slot, bool has_face)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t units = has_face ? BODY_PAIR_UNITS : 1u, face = cursor->row;
    tpi_body_item *body = tpi_body_at(world, slot);
    const bool is_last = cursor->phase == BODY_END;
    tp_pose pose = tpi_collider_at(world, body->collider)->pose_next;
    if (has_face && tpi_body_is_endless(world, cursor->j) == is_last)
        tpi_body_keep(world, slot, cursor->j, face, &pose, &units);
    tpi_collider_at(world, body->collider)->pose_next = pose;
    return units;
}

static void body_step_end(tp_world *world, tpi_body_item *body)
{
    tp_pose pose = tpi_collider_at(world, body->collider)->pose_next;
    body_hold(world, body, &pose);
    body_sweep(world, body, pose);
}

/* One side of one collider. */
static uint32_t body_step_side(tp_world *world, uint32_t slot)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_body_item *body = tpi_body_at(world, slot);
    bool is_other = tpi_pool_is_alive(tpi_words(world, world->colliders.slots), cursor->j) &&
                    cursor->j != body->collider;
    uint32_t faces = is_other ? tpi_body_sides(world, slot, cursor->j) : 0u, units = 1u;
    if (cursor->phase > BODY_LAST) {
        units = body_step_keep(world, slot, cursor->row < faces);
    } else if (cursor->row < faces) {
        units = BODY_PAIR_UNITS;
        tpi_body_gather(world, slot, cursor->j, cursor->row, &units);
    }
    if (++cursor->row < faces) return units;
    cursor->row = 0;
    cursor->j++;
    if (cursor->j == tpi_colliders_end(world) && cursor->phase == BODY_END)
        body_step_end(world, body);
    return units;
}

/* True if a body moves by more than a quarter of its size in this step. */
static bool body_is_fast(const tp_world *world, const tpi_body_item *body)
{
    tpi_body_motion motion = tpi_body_motion_of(world, body, &body->next);
    float speed = tpi_length(motion.velocity) + tpi_length(motion.angular_velocity) * body->reach;
    return speed * world->step.timestep > 0.25f * body->reach;
}

/* What a phase does with one body begins or goes on; *done after its last part. */
static uint32_t body_step_one(tp_world *world, uint32_t slot, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    tpi_body_item *body = tpi_body_at(world, slot);
    uint32_t units = 1u;
    *done = true;
    if (cursor->phase == 0) {
        body_drive(world, slot);
        return BODY_UNITS + tpi_fields_end(world); /* of its gravity, when the step ends */
    }
    if (cursor->phase == BODY_MOVE) {
        tpi_collider_at(world, body->collider)->pose_next = body_moved(world, body, &units);
        return units;
    }
    if (cursor->phase == BODY_TELL) {
        tpi_body_tell(world, slot, &units);
        return units;
    }
    if (cursor->phase == BODY_TELL_ENDS) {
        tpi_body_tell_ends(world, slot, &units);
        return units;
    }
    if (cursor->phase == BODY_BOUNCE) {
        if (tpi_body_bounce(world, slot, &units)) cursor->k = 1;
        return units;
    }
    if (cursor->phase == BODY_RESUME) {
        tpi_body_resume(world, slot, &units);
        return units;
    }
    if (cursor->phase >= BODY_FIRST && cursor->phase <= BODY_LAST) {
        if (cursor->j >= body->contact_count) return units;
        uint32_t at = cursor->phase & 1u ? body->contact_count - 1u - cursor->j : cursor->j;
        if (tpi_body_solve(world, slot, at, &units)) cursor->k = 1;
        *done = ++cursor->j >= body->contact_count;
        return units;
    }
    if (cursor->phase == 1 && !(cursor->k & BODY_IS_LOOKED) && cursor->j + cursor->row == 0) {
        bool is_fast = body_is_fast(world, body);
        if (is_fast) cursor->k |= BODY_HAS_FAST;
        if (body->held_count > 0) cursor->k |= BODY_HAS_HELD;
        if (!is_fast && cursor->end > 0) return units;
        if (cursor->end > 0) {
            tpi_body_look_again(world, slot, &units);
            cursor->k |= BODY_IS_LOOKED;
            *done = false;
            return units;
        }
    }
    cursor->k &= ~BODY_IS_LOOKED;
    units = body_step_side(world, slot);
    *done = cursor->j >= tpi_colliders_end(world);
    return units;
}

/* The phase after one of a round: further rounds only for fast bodies, no pass after one that
   mattered little, and none after bounces if there are none. */
static uint32_t body_phase_after(const tpi_cursor *cursor)
{
    const uint32_t phase = cursor->phase, passes = cursor->end ? BODY_PASSES_ON : BODY_PASSES;
    if (phase == 1 && cursor->end > 0) return cursor->k & BODY_HAS_FAST ? BODY_FIRST : BODY_MOVE;
    if (phase == 1) return cursor->k & BODY_HAS_HELD ? BODY_RESUME : BODY_FIRST;
    if (phase < BODY_FIRST || phase > BODY_LAST) return phase + 1u;
    if (phase < BODY_BOUNCE)
        return cursor->k && phase - BODY_FIRST + 1u < passes ? phase + 1u : BODY_BOUNCE;
    if (cursor->k && phase < BODY_LAST) return phase + 1u;
    return cursor->end + 1u < TPI_BODY_ROUNDS ? 1u : BODY_MOVE;
}

static void body_next_pass(tp_world *world)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t phase = body_phase_after(cursor), round = cursor->end;
    if (phase == 1 && cursor->phase > 1) round++;
    *cursor = (tpi_cursor){.phase = phase, .end = phase > BODY_LAST ? TPI_BODY_ROUNDS : round};
    if (phase <= (tpi_bodies_tell(world) ? BODY_TELL_ENDS : BODY_END)) return;
    *cursor = (tpi_cursor){0};
    world->step.has_placed = true;
}

TPI_APART uint32_t tpi_bodies_place(tp_world *world, uint32_t units, bool *done)
{
    const uint32_t *slots = tpi_words(world, world->bodies.slots);
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0;
    *done = false;
    while (used < units && !world->step.has_placed) {
        bool is_done = true;
        uint32_t slot = body_slot(world);
        if (cursor->i < tpi_bodies_end(world) && tpi_pool_is_alive(slots, slot))
            used += body_step_one(world, slot, &is_done);
        if (!is_done) continue;
        cursor->j = 0;
        if (++cursor->i >= tpi_bodies_end(world)) body_next_pass(world);
    }
    return used;
}

/* ---- the end of the step ---- */

/* A body whose middle leaves a periodic box comes in on the other side; so do the poses of its
   collider, which pictures between frames go along. */
static void body_wrap(const tp_world *world, tpi_collider_item *item, const tpi_body_item *body)
{
    const tpi_box *box = &world->constants.box;
    if (!box->is_periodic) return;
    tp_vector middle = tpi_to_world(item->pose_to, body->center),
              shift = tpi_sub(tpi_box_wrap_vector(box, middle), middle);
    item->pose_to.position = tpi_add(item->pose_to.position, shift);
    item->pose_past.position = tpi_add(item->pose_past.position, shift);
}

void tpi_bodies_commit(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->bodies.slots);
    const tpi_momentum none = {{0, 0, 0}, {0, 0, 0}};
    const tp_vector rest = {0.0f, 0.0f, 0.0f},
                    fall = tpi_scale(body_gravity(world), world->step.timestep);
    for (uint32_t slot = 0; slot < tpi_bodies_end(world); slot++) {
        if (!tpi_pool_is_alive(slots, slot)) continue;
        tpi_body_item *body = tpi_body_at(world, slot);
        tpi_collider_item *item = tpi_collider_at(world, body->collider);
        tpi_momentum received = tpi_body_received(world, body);
        tpi_momentum_add(world, &received, tpi_scale(fall, body->mass), rest);
        tpi_momentum_join(&body->next, &received);
        body->now = body->next;
        tpi_momentum_leave(&body->asked, &body->taken);
        if (item->span_begin == 0.0f) item->pose_past = body->pose; /* where the frame began */
        body_wrap(world, item, body);
        body->pose = item->pose_next = item->pose_to;
        tpi_collider_sweep(item, body->pose, body->pose);
        body->next = body->taken = none;
        tpi_body_hold(world, body);
        body->contact_count = 0;
    }
}

#undef BODY_PAIR_UNITS
#undef BODY_UNITS
#undef BODY_PASSES
#undef BODY_PASSES_ON
#undef BODY_RESUME
#undef BODY_FIRST
#undef BODY_HAS_FAST
#undef BODY_HAS_HELD
#undef BODY_IS_LOOKED
#undef BODY_BOUNCE
#undef BODY_LAST
#undef BODY_MOVE
#undef BODY_END
#undef BODY_TELL
#undef BODY_TELL_ENDS
#undef BODY_PART_UNITS
#undef BODY_ANGLE_MAX
#undef BODY_ANGLE_PART
#undef BODY_LOOKS
