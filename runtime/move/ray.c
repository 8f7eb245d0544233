/* SPDX-License-Identifier: MIT
   runtime/move/ray.c - a ray or a moving sphere against the colliders of a world, at the last
           complete step.
   reads   colliders, the clock      writes  the caller's hit
   memory  the caller's cursor       cost    see tp_world_ray
   after   the tests of a particle's path (collide.h), with colliders at rest */
#include "collide.h"

/* Times that the trace through a distance grid may pause; then it ends. */
#define RAY_PAUSES_MAX 512u

/* The state in a cursor. All zero: the call begins. */
typedef struct ray_state {
    uint32_t slot;   /* of the collider that is tested */
    bool is_walking; /* over the parts of its shape */
    bool has_best;
    bool is_inside;
    uint32_t pauses;
    /* the earliest hit */
    uint32_t best;
    float time, distance; /* m: of the center from the surface */
    tp_vector normal;
    tpi_cast cast;
} ray_state;
_Static_assert(sizeof(ray_state) <= sizeof(((tp_query_cursor *)0)->state),
               "the state of a ray fits a cursor");

/* A call in progress. */
typedef struct ray_call {
    const tp_world *world;
    const tp_ray *ray;
    ray_state *state;
    tp_vector low, high; /* m: bounds of the swept sphere */
    float largest;       /* m: coordinate or radius */
    bool is_limited;
    int64_t units;
    uint32_t used;
} ray_call;

static void ray_bound(ray_call *call)
{
    const tp_ray *ray = call->ray;
    tp_vector from = ray->from, to = tpi_add(ray->from, ray->move);
    call->largest = tpi_max(tpi_max(tpi_largest(from), tpi_largest(to)), ray->radius);
    float wide =
        ray->radius + tpi_max(2.0f * TPI_SKIN_LEAST, call->largest * 2.0f * TPI_SKIN_SHARE);
    tpi_sweep_bounds(from, to, wide, &call->low, &call->high);
}

/* True if a collider's bounds say that the ray does not meet it. Those of one that leaps are where
   it is when the first step of the frame in progress is complete. */
static bool ray_misses(const ray_call *call, const tpi_collider_item *item)
{
    bool is_ahead = call->world->clock.frame_begun && call->world->clock.tick == 0;
    if (is_ahead && tpi_leaps(item, TPI_LEAP_NOW)) return false;
    return tpi_collider_misses(item, call->low, call->high);
}

static void ray_cast_begin(ray_call *call, const tpi_collider_item *item)
{
    tpi_cast *cast = &call->state->cast;
    tp_pose pose = tpi_collider_now(call->world, item);
    float skin = tpi_max(TPI_SKIN_LEAST, tpi_max(call->largest, item->scale) * TPI_SKIN_SHARE);
    float radius = call->ray->radius + (item->def.is_two_sided ? item->def.thickness : 0.0f);
    tpi_memset(cast, 0, sizeof *cast);
    cast->from = tpi_to_local(pose, call->ray->from);
    cast->move = tpi_rotate_back(pose.rotation, call->ray->move);
    cast->clearance = radius + skin;
    cast->contact = radius + 0.5f * skin;
    cast->inside = radius - 0.25f * skin;
    cast->time = call->state->has_best ? call->state->time : 2.0f;
    call->state->pauses = 0;
}

/* Keeps the hit of a collider if it is the earliest; of equal ones the first collider's. */
static void ray_conclude(ray_call *call, const tpi_collider_item *item)
{
    ray_state *state = call->state;
    const tpi_cast *cast = &state->cast;
    float before = state->has_best ? state->time : 2.0f;
    state->is_walking = false;
    if (!(cast->time < before)) return;
    state->has_best = true;
    state->best = state->slot;
    state->time = cast->time;
    state->is_inside = cast->began_inside;
    state->distance = cast->clearance - tpi_dot(cast->push, cast->normal);
    state->normal = tpi_rotate(tpi_collider_now(call->world, item).rotation, cast->normal);
}

/* A trace through a distance grid that pauses goes on. False: the pause is taken for a hit. */
static bool ray_resumes(ray_state *state)
{
    tpi_cast *cast = &state->cast;
    if (!cast->is_pause || ++state->pauses > RAY_PAUSES_MAX) return false;
    cast->is_pause = false;
    cast->time = state->has_best ? state->time : 2.0f;
    cast->part = 1; /* the start of the segment was tested */
    return true;
}

/* Walks over the parts of a shape. True when it is done. */
static bool ray_walk(ray_call *call, const tpi_collider_item *item)
{
    tpi_cast *cast = &call->state->cast;
    while (!call->is_limited || call->units > 0) {
        bool done;
        uint32_t units = call->is_limited ? (uint32_t)call->units : 65536u,
                 used = tpi_cast_parts(call->world, item, cast, units, &done);
        call->units -= used;
        call->used += used;
        if (done && !ray_resumes(call->state)) return true;
    }
    return false;
}

/* Tests the next collider. False: the budget ended. */
static bool ray_collider(ray_call *call)
{
    ray_state *state = call->state;
    const tp_world *world = call->world;
    const tpi_collider_item *item = tpi_collider_at(world, state->slot);
    if (!state->is_walking) {
        if (call->is_limited && call->units <= 0) return false;
        call->units -= 2;
        call->used += 2;
        if (!tpi_pool_is_alive(tpi_words(world, world->colliders.slots), state->slot) ||
            !(item->def.species_mask & call->ray->species_mask) || ray_misses(call, item))
            return true;
        ray_cast_begin(call, item);
        state->is_walking = !tpi_cast_shape(item, &state->cast);
    }
    if (state->is_walking && !ray_walk(call, item)) return false;
    ray_conclude(call, item);
    return true;
}

static void ray_write(const ray_call *call, tp_ray_hit *hit)
{
    const ray_state *state = call->state;
    tpi_memset(hit, 0, sizeof *hit);
    if (!state->has_best) return;
    const uint32_t *slots = tpi_words(call->world, call->world->colliders.slots);
    hit->is_hit = true;
    hit->is_inside = state->is_inside;
    hit->time = state->time;
    hit->normal = tpi_flat(call->world, state->normal);
    hit->center = tpi_add_scaled(call->ray->from, call->ray->move, state->time);
    hit->point = tpi_add_scaled(hit->center, hit->normal, -state->distance);
    hit->collider.id = slots[state->best] >> 1 << 16 | state->best;
}

static uint32_t ray_job(const tp_world *world, const tp_ray *ray)
{
    const float values[7] = {ray->from.x, ray->from.y, ray->from.z, ray->move.x,
                             ray->move.y, ray->move.z, ray->radius};
    uint64_t job = tpi_mix((uint64_t)world->changes << 32 | ray->species_mask);
    for (uint32_t k = 0; k < 7; k++) job = tpi_mix(job ^ tpi_bits(values[k])) + k;
    job = tpi_mix(job ^ world->clock.frame) ^ (world->clock.frame_begun ? 1u : 0u);
    return (uint32_t)tpi_mix(job ^ (uint64_t)world->clock.tick << 32) | 1u;
}

static tp_result ray_check(const tp_world *world, const tp_ray *ray)
{
    if (!tpi_is_vector_within(tpi_flat(world, ray->from), TPI_POSITION_MAX) ||
        !tpi_is_vector_within(tpi_flat(world, ray->move), TPI_POSITION_MAX) ||
        !tpi_is_within(ray->radius, 0.0f, TPI_POSITION_MAX))
        return TP_ERROR_QUERY;
    return TP_OK;
}

tp_result tp_world_ray(const tp_world *world, const tp_ray *ray, uint32_t units,
                       tp_query_cursor *cursor, tp_ray_hit *hit)
{
    ray_state state;
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!ray || !hit || (!cursor && units)) return TP_ERROR_NULL;
    result = ray_check(world, ray);
    if (result != TP_OK) return result;
    tp_ray flat = *ray;
    flat.from = tpi_flat(world, ray->from);
    flat.move = tpi_flat(world, ray->move);
    ray_call call = {.world = world, .ray = &flat, .state = &state, .is_limited = units > 0};
    uint32_t job = ray_job(world, &flat);
    call.units = units;
    tpi_memset(&state, 0, sizeof state);
    if (cursor && cursor->job == job) tpi_memcpy(&state, cursor->state, sizeof state);
    ray_bound(&call);
    bool is_done = true;
    for (; state.slot < tpi_colliders_end(world) && is_done; state.slot += is_done)
        is_done = ray_collider(&call);
    if (is_done) ray_write(&call, hit);
    if (cursor) {
        cursor->units = call.used;
        cursor->job = is_done ? 0u : job;
        tpi_memcpy(cursor->state, &state, sizeof state);
    }
    return is_done ? TP_OK : TP_MORE;
}
#undef RAY_PAUSES_MAX
