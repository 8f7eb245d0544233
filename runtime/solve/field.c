/* SPDX-License-Identifier: MIT
   runtime/solve/field.c - fields: gravity, drag, wind, vortex, attractor.
   reads   fields, a position and a velocity      writes  the pool of fields; velocities
   memory  the pool's items
   cost    per particle: O(1) for gravity and drag, O(fields_max) with other fields
   after   exact solution of linear and quadratic drag together, split as in Strang 1968, instead of
           an explicit step; Lamb-Oseen and Rankine vortices; curl noise for wind: the curl of
           hashed value noise has no divergence */
#include "solve.h"
#include "../emit/emit.h"
#include "../world/solver.h"

#define TPI_HALF_TURN 0.15915494f /* 1 / (2 pi) */
/* Normalise the noise to a root mean square of 1. With P = 2 (36/11 - 18 + 345/9 - 300/8 + 100/7) =
   0.78355, the integral of both squared fades, and 20/7, that of both squared slopes: 1 /
   sqrt((2/3) (20/7) P), 1 / sqrt(2 (20/7) P^2). */
#define TPI_NOISE_2D 0.8185520f
#define TPI_NOISE_3D 0.5338903f

/* ---- definition ---- */

tp_field_def tp_field_default(tp_field_kind kind)
{
    tp_field_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_FIELD;
    def.kind = kind;
    def.species_mask = 0xffffffffu;
    if (kind == TP_FIELD_GRAVITY) def.vector = tpi_vector(0.0f, -9.81f, 0.0f);
    if (kind == TP_FIELD_VORTEX) def.vector = tpi_vector(0.0f, 0.0f, 1.0f);
    def.core = kind == TP_FIELD_ATTRACTOR ? 0.05f : 1.0f;
    return def;
}

/* Normalises a definition as an item stores it: in two dimensions without z, and with a vortex
   about the z axis. */
static void field_settle(const tp_world *world, tpi_field_settings *def)
{
    TPI_CLEAR_TAIL(def, tpi_field_settings, is_rankine);
    if (tpi_dimensions(world) == 3) return;
    def->center = tpi_flat(world, def->center);
    def->vector = tpi_flat(world, def->vector);
    def->axial = 0.0f;
    if (def->kind == TP_FIELD_VORTEX) def->vector = tpi_vector(0.0f, 0.0f, 1.0f);
}

/* True for a drag that acts in a box only. */
static bool field_has_box(const tpi_field_settings *def)
{
    return def->kind == TP_FIELD_DRAG &&
           (def->vector.x != 0.0f || def->vector.y != 0.0f || def->vector.z != 0.0f);
}

static const char *field_check_drag(const tp_world *world, const tpi_field_settings *def)
{
    tp_vector half = def->vector;
    if (!tpi_is_within(def->linear, 0.0f, 1e6f)) return TPI_TEXT("linear must be 0 to 1e6");
    if (!tpi_is_within(def->quadratic, 0.0f, 1e6f)) return TPI_TEXT("quadratic must be 0 to 1e6");
    if (!field_has_box(def)) return NULL;
    if (!tpi_is_within(half.x, 1e-6f, 1e9f) || !tpi_is_within(half.y, 1e-6f, 1e9f) ||
        (tpi_dimensions(world) == 3 && !tpi_is_within(half.z, 1e-6f, 1e9f)))
        return TPI_TEXT("vector of a drag must be the half sides of its box, 1e-6 to 1e9, or 0");
    return NULL;
}

static const char *field_check_vortex(const tpi_field_settings *def)
{
    if (!tpi_is_good_bool(&def->is_rankine)) return TPI_TEXT("is_rankine must be true or false");
    if (!tpi_is_within(tpi_dot(def->vector, def->vector), 0.999f, 1.001f))
        return TPI_TEXT("vector of a vortex must be its axis, of unit length");
    if (!tpi_is_within(def->core, 1e-4f, 1e6f))
        return TPI_TEXT("core of a vortex must be 1e-4 to 1e6");
    if (!tpi_is_within(def->axial, -1e6f, 1e6f)) return TPI_TEXT("axial must be -1e6 to 1e6");
    if (!tpi_is_within(def->inflow, -1e6f, 1e6f)) return TPI_TEXT("inflow must be -1e6 to 1e6");
    return NULL;
}

static const char *field_check_kind(const tp_world *world, const tpi_field_settings *def)
{
    switch (def->kind) {
    case TP_FIELD_GRAVITY: break;
    case TP_FIELD_DRAG: return field_check_drag(world, def);
    case TP_FIELD_WIND:
        if (def->strength != 0.0f && !tpi_is_within(def->core, 1e-4f, 1e6f))
            return TPI_TEXT("core of a wind must be its noise length, 1e-4 to 1e6");
        break;
    case TP_FIELD_VORTEX: return field_check_vortex(def);
    case TP_FIELD_ATTRACTOR:
        if (!tpi_is_within(def->core, 0.0f, 1e6f))
            return TPI_TEXT("core of an attractor must be 0 to 1e6");
        break;
    case TP_FIELD_HEAT:
        if (!tpi_is_within(def->linear, 0.0f, 1e6f)) return TPI_TEXT("linear must be 0 to 1e6");
        if (!tpi_is_within(def->core, 0.0f, 1e6f))
            return TPI_TEXT("core of a heat field must be 0 to 1e6");
        break;
    default: return TPI_TEXT("kind must be a TP_FIELD_ value");
    }
    return NULL;
}

/* Gravity may turn round with age; drag that was negative would add energy. */
static const char *field_check_ages(const tp_world *world, const tpi_field_settings *def,
                                    const tp_curve *curve)
{
    if (curve->count == 0) return NULL;
    if (!TPI_HAS_AGES)
        return TPI_TEXT("over_age.count must be 0: curves were left out by TP_WITHOUT_DRAW or "
                        "TP_WITHOUT_EMITTERS");
    if (def->kind != TP_FIELD_GRAVITY && def->kind != TP_FIELD_DRAG)
        return TPI_TEXT("over_age needs kind TP_FIELD_GRAVITY or TP_FIELD_DRAG");
    if (field_has_box(def))
        return TPI_TEXT("over_age needs a drag without a box: set its vector to 0");
    if (!world->def.keeps_births) return TPI_TEXT("over_age needs a world with keeps_births");
    if (!world->def.keeps_curves) return TPI_TEXT("over_age needs a world with keeps_curves");
    if (tp_curve_check(curve))
        return TPI_TEXT("over_age must have a count of 0 to 8, ages of 0 to 1 that increase, and "
                        "values of -1e9 to 1e9");
    for (uint32_t k = 0; k < curve->count; k++)
        if (!tpi_is_within(curve->value[k], def->kind == TP_FIELD_DRAG ? 0.0f : -1e6f, 1e6f))
            return TPI_TEXT("over_age.value must be -1e6 to 1e6; of drag 0 to 1e6");
    return NULL;
}

/* Null if settings that were settled are good, else the first fault. */
static const char *field_check(const tp_world *world, const tpi_field_settings *given,
                               const tp_curve *curve)
{
    tpi_field_settings def = *given;
    if (def.stamp != TPI_STAMP_FIELD) return tp_result_text(TP_ERROR_STAMP);
    field_settle(world, &def);
    const char *text = field_check_kind(world, &def);
    if (!text && curve) text = field_check_ages(world, &def, curve);
    if (text) return text;
    bool has_vector = def.kind == TP_FIELD_GRAVITY || def.kind == TP_FIELD_WIND;
    bool has_center = def.kind != TP_FIELD_GRAVITY && def.kind != TP_FIELD_WIND;
    if (has_vector && !tpi_is_vector_within(def.vector, 1e6f))
        return TPI_TEXT("vector must be -1e6 to 1e6 along each axis");
    if (has_center && !tpi_is_vector_within(def.center, TPI_POSITION_MAX))
        return TPI_TEXT("center must be -1e9 to 1e9 along each axis");
    if (def.kind != TP_FIELD_GRAVITY && def.kind != TP_FIELD_DRAG &&
        !tpi_is_within(def.strength, -1e9f, 1e9f))
        return TPI_TEXT("strength must be -1e9 to 1e9");
    return NULL;
}

const char *tp_field_check(const tp_world *world, const tp_field_def *definition)
{
    tpi_field_settings def;
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_field_default");
    tpi_memcpy(&def, definition, sizeof def);
    return field_check(world, &def, &definition->over_age);
}

/* ---- the pool ---- */

/* The largest magnitude of the factor of a field over age; 1 without a curve. */
static float field_factor_most(const tp_curve *curve)
{
    float most = curve ? 0.0f : 1.0f;
    for (uint32_t k = 0; curve && k < curve->count; k++)
        most = tpi_max(most, tpi_abs(curve->value[k]));
    return most;
}

/* The sum of the magnitudes of all gravity fields. Contacts use it: an impact slower than the speed
   that gravity gives in a step does not bounce. */
static void field_sum_gravity(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    float sum = 0.0f;
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_item *item = tpi_field_at(world, slot);
        if (tpi_pool_is_alive(slots, slot) && item->def.kind == TP_FIELD_GRAVITY)
            sum += tpi_length(item->def.vector) * field_factor_most(tpi_field_curve(world, item));
    }
    world->constants.gravity_length = sum;
}

static uint64_t field_noise_key(const tp_world *world, uint32_t slot)
{
    uint64_t number = slot;
    return tpi_mix(((uint64_t)world->def.seed << 32 | world->def.world_id) +
                   0x9e3779b97f4a7c15u * (number + 1u));
}

const char *tpi_field_audit(const tp_world *world, uint32_t slot)
{
    const tpi_field_item *item = tpi_field_at(world, slot);
    if (!tpi_is_good_bool(&item->has_next)) return TPI_TEXT("has_next of a field: true or false");
    bool has_curves = tpi_def_keeps_curves(&world->def);
    const char *text = field_check(world, &item->def, has_curves ? &item->curve : NULL);
    if (text || !item->has_next) return text;
    if (item->next.kind != item->def.kind)
        return TPI_TEXT("a field whose next settings are of its kind");
    return field_check(world, &item->next, has_curves ? &item->next_curve : NULL);
}

void tpi_fields_derive(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        tpi_field_item *item = tpi_field_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot)) continue;
        field_settle(world, &item->def);
        if (item->has_next) field_settle(world, &item->next);
        item->noise_key = field_noise_key(world, slot);
    }
    field_sum_gravity(world);
}

/* Applies definitions that were set during the last step. So a game may set fields in every frame
   without cancelling steps in progress. */
void tpi_fields_begin_step(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        tpi_field_item *item = tpi_field_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !item->has_next) continue;
        item->def = item->next;
        if (tpi_def_keeps_curves(&world->def)) item->curve = item->next_curve;
        item->has_next = false;
        field_sum_gravity(world);
    }
}

tp_result tp_field_add(tp_world *world, const tp_field_def *definition, tp_field *field)
{
    tp_result result =
        tpi_item_check(world, definition, TPI_STAMP_FIELD, field ? &field->id : NULL);
    if (result != TP_OK) return result;
    if (tp_field_check(world, definition)) return TP_ERROR_DEFINITION;
    uint32_t slot =
        tpi_pool_take(&world->fields, tpi_words(world, world->fields.slots), &field->id);
    if (slot == TPI_NO_SLOT) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    tpi_field_item *item = tpi_field_at(world, slot);
    tpi_memset(item, 0, world->fields.item_bytes);
    tpi_memcpy(&item->def, definition, sizeof item->def);
    field_settle(world, &item->def);
    if (tpi_def_keeps_curves(&world->def)) item->curve = definition->over_age;
    item->noise_key = field_noise_key(world, slot);
    field_sum_gravity(world);
    return TP_OK;
}

tp_result tp_field_set(tp_world *world, tp_field field, const tp_field_def *definition)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!definition) return TP_ERROR_NULL;
    if (definition->stamp != TPI_STAMP_FIELD) return TP_ERROR_STAMP;
    uint32_t slot;
    result = tpi_item_find(world, TP_POOL_FIELDS, field.id, &slot);
    if (result != TP_OK) return result;
    tpi_field_item *item = tpi_field_at(world, slot);
    if (tp_field_check(world, definition) || definition->kind != item->def.kind)
        return TP_ERROR_DEFINITION;
    tpi_memcpy(&item->next, definition, sizeof item->next);
    field_settle(world, &item->next);
    if (tpi_def_keeps_curves(&world->def)) item->next_curve = definition->over_age;
    item->has_next = true;
    if (!world->step.active) tpi_fields_begin_step(world);
    return TP_OK;
}

tp_result tp_field_remove(tp_world *world, tp_field field)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_FIELDS, field.id, &slot);
    if (result != TP_OK) return result;
    tpi_item_remove(world, TP_POOL_FIELDS, slot);
    field_sum_gravity(world);
    return TP_OK;
}

/* ---- the sums of a slice ---- */

static void field_plan_species(tpi_field_plan *plan, const tp_world *world,
                               const tpi_field_item *item, uint32_t species)
{
    const tpi_field_settings *def = &item->def;
    float mass = world->def.species[species].mass;
    if (tpi_field_curve(world, item)) return;
    if (def->kind == TP_FIELD_GRAVITY)
        plan->gravity[species] = tpi_add(plan->gravity[species], def->vector);
    if (def->kind != TP_FIELD_DRAG || field_has_box(def)) return;
    plan->linear[species] += def->linear / mass;
    plan->quadratic[species] += def->quadratic / mass;
}

/* Adds the fields with curves over age, in the order of their slots. */
static TPI_APART void field_sums_age(const tp_world *world, uint32_t species, float age,
                                     tpi_field_sums *sums)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    float mass = world->def.species[species].mass;
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_item *item = tpi_field_at(world, slot);
        const tpi_field_settings *def = &item->def;
        const tp_curve *curve = tpi_field_curve(world, item);
        if (!curve || !tpi_pool_is_alive(slots, slot) || !(def->species_mask >> species & 1u))
            continue;
        float factor = tpi_curve_at(curve, age);
        if (def->kind == TP_FIELD_GRAVITY)
            sums->gravity = tpi_add_scaled(sums->gravity, def->vector, factor);
        if (def->kind != TP_FIELD_DRAG) continue;
        sums->linear += def->linear / mass * factor;
        sums->quadratic += def->quadratic / mass * factor;
    }
}

tpi_field_sums tpi_field_sums_aged(const tp_world *world, const tpi_field_plan *plan,
                                   uint32_t species, uint32_t index)
{
    tpi_field_sums sums = {plan->gravity[species], plan->linear[species], plan->quadratic[species]};
    if (TPI_HAS_AGES)
        field_sums_age(world, species, index == TPI_NO_SLOT ? 0.0f : tpi_life_share(world, index),
                       &sums);
    return sums;
}

/* Evaluations of the medium per particle and step: see move/integrate.c. */
static uint32_t field_places(const tp_world *world)
{
    bool has_tracers = false;
    for (uint32_t species = 0; species < world->def.species_count; species++)
        has_tracers = has_tracers || world->def.species[species].is_tracer;
    if (has_tracers) return 3;
    return world->def.integrator == TP_INTEGRATOR_KDK ? 2u : 1u;
}

static uint32_t field_noise_units(const tp_world *world, const tpi_field_settings *def)
{
    return def->kind == TP_FIELD_WIND && def->strength != 0.0f ? tpi_dimensions(world) : 0u;
}

uint32_t tpi_field_medium_units(const tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    uint32_t units = tpi_fields_end(world);
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++)
        if (tpi_pool_is_alive(slots, slot))
            units += field_noise_units(world, &tpi_field_at(world, slot)->def);
    return units;
}

/* Adds a field's units: one, and for noise one more per dimension and evaluation, because it reads
   4 or 8 lattice corners. */
static void field_plan_units(tpi_field_plan *plan, const tp_world *world,
                             const tpi_field_settings *def)
{
    uint32_t noise = field_noise_units(world, def), noises = field_places(world) * noise;
    plan->birth_units += 1u + noises;
    plan->units += 1u + (tpi_def_has_stages(&world->def) ? noise : noises);
    if (def->kind != TP_FIELD_GRAVITY) plan->kick_units += 1u + noise;
}

/* Adds the units of a curve over age, and once those of the age. */
static void field_plan_ages(tpi_field_plan *plan, const tp_world *world)
{
    uint32_t units = plan->has_ages ? 1u : 2u + tpi_sinks_units(world);
    plan->has_ages = true;
    plan->units += units;
    plan->birth_units += units;
    plan->kick_units += units;
}

tpi_field_plan tpi_field_prepare(const tp_world *world)
{
    tpi_field_plan plan;
    tpi_memset(&plan, 0, sizeof plan);
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_item *item = tpi_field_at(world, slot);
        const tpi_field_settings *def = &item->def;
        if (!tpi_pool_is_alive(slots, slot)) continue;
        for (uint32_t species = 0; species < world->def.species_count; species++)
            if (def->species_mask >> species & 1u) field_plan_species(&plan, world, item, species);
        field_plan_units(&plan, world, def);
        plan.has_drag = plan.has_drag || def->kind == TP_FIELD_DRAG;
        plan.has_boxes = plan.has_boxes || field_has_box(def);
        plan.has_medium =
            plan.has_medium || def->kind == TP_FIELD_WIND || def->kind == TP_FIELD_VORTEX;
        plan.has_attractor = plan.has_attractor || def->kind == TP_FIELD_ATTRACTOR;
        if (tpi_field_curve(world, item)) field_plan_ages(&plan, world);
    }
    return plan;
}

/* ---- functions of one number ---- */

/* (1 - exp(-s)) / s for s >= 0. A series below 1/2, where the difference would cancel: the first
   omitted term is s^8 / 9!, 1e-8 of the sum. */
static float field_decay(float s)
{
    if (s >= 0.5f) return (1.0f - tpi_exp(-s)) / s;
    float series = 1.0f / 5040.0f - s * (1.0f / 40320.0f);
    series = 1.0f / 24.0f - s * (1.0f / 120.0f - s * (1.0f / 720.0f - s * series));
    return 1.0f - s * (0.5f - s * (1.0f / 6.0f - s * series));
}

/* ---- wind noise ---- */

/* The part of the hash that lattice corners with equal x and y share. */
static uint64_t field_noise_column(uint64_t key, int32_t x, int32_t y)
{
    return tpi_mix(key ^ ((uint64_t)(uint32_t)x << 32 | (uint32_t)y));
}

/* The three random numbers of a lattice corner, in [-1, 1). */
static void field_noise_values(uint64_t column, int32_t z, float values[3])
{
    uint64_t bits = tpi_mix(column + 0x9e3779b97f4a7c15u * (uint32_t)z);
    for (uint32_t k = 0; k < 3; k++) {
        values[k] = (float)(int32_t)(bits & 0x1fffffu) * (1.0f / 1048576.0f) - 1.0f;
        bits >>= 21;
    }
}

/* Weights of both ends of a lattice edge, and their slopes: quintic fade 6 t^5 - 15 t^4 + 10 t^3.
   Its first two derivatives are continuous from edge to edge, so the curl is differentiable
   everywhere. */
static void field_fade(float t, float weight[2], float slope[2])
{
    weight[1] = t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
    weight[0] = 1.0f - weight[1];
    slope[1] = 30.0f * t * t * (t - 1.0f) * (t - 1.0f);
    slope[0] = -slope[1];
}

/* Curl of the vector potential (A, B, C) whose components are value noise; in 2D of (0, 0, C). x is
   in lattice edges. The root mean square is 1. */
static tp_vector field_noise(uint64_t key, tp_vector x, uint32_t dimensions)
{
    const float position[3] = {x.x, x.y, x.z};
    float weight[3][2], slope[3][2];
    int32_t cell[3];
    uint64_t columns[4];
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t axis = 0; axis < 3; axis++) {
        float p = tpi_clamp(position[axis], -1e9f, 1e9f); /* NaN becomes -1e9 */
        cell[axis] = tpi_floor(p);
        field_fade(p - (float)cell[axis], weight[axis], slope[axis]);
    }
    for (uint32_t c = 0; c < (dimensions == 3 ? 8u : 4u); c++) {
        uint32_t i = c & 1u, j = c >> 1 & 1u, k = c >> 2;
        float value[3], depth = dimensions == 3 ? weight[2][k] : 1.0f;
        if (k == 0)
            columns[c] = field_noise_column(key, cell[0] + (int32_t)i, cell[1] + (int32_t)j);
        field_noise_values(columns[c & 3u], cell[2] + (int32_t)k, value);
        float dx = slope[0][i] * weight[1][j] * depth, dy = weight[0][i] * slope[1][j] * depth;
        float dz = dimensions == 3 ? weight[0][i] * weight[1][j] * slope[2][k] : 0.0f;
        if (dimensions == 2) value[0] = value[1] = 0.0f;
        sum.x += dy * value[2] - dz * value[1];
        sum.y += dz * value[0] - dx * value[2];
        sum.z += dx * value[1] - dy * value[0];
    }
    return tpi_scale(sum, dimensions == 3 ? TPI_NOISE_3D : TPI_NOISE_2D);
}

/* ---- the velocity of the medium ---- */

/* Lamb-Oseen: Gamma / (2 pi) (1 - exp(-r^2 / c^2)) / r^2 times (axis x arm); Rankine: 1 / max(r,
   c)^2 instead. The speed of the inflow is constant outside the core and falls to 0 inside it, so
   that the axis is not singular. */
static tp_vector field_vortex(const tpi_field_settings *def, tp_vector x)
{
    tp_vector d = tpi_sub(x, def->center);
    tp_vector arm = tpi_add_scaled(d, def->vector, -tpi_dot(d, def->vector));
    float square = tpi_dot(arm, arm), core_square = def->core * def->core, turn = 0.0f;
    if (def->is_rankine)
        turn = 1.0f / tpi_max(square, core_square);
    else
        turn = field_decay(square / core_square) / core_square;
    tp_vector u = tpi_scale(tpi_cross(def->vector, arm), def->strength * TPI_HALF_TURN * turn);
    if (def->inflow != 0.0f)
        u = tpi_add_scaled(u, arm, -def->inflow / tpi_sqrt(tpi_max(square, core_square)));
    return tpi_add_scaled(u, def->vector, def->axial);
}

static tp_vector field_wind(const tp_world *world, const tpi_field_item *item, tp_vector x)
{
    const tpi_field_settings *def = &item->def;
    if (def->strength == 0.0f) return def->vector;
    tp_vector noise =
        field_noise(item->noise_key, tpi_scale(x, 1.0f / def->core), tpi_dimensions(world));
    return tpi_add_scaled(def->vector, noise, def->strength);
}

tp_vector tpi_field_medium(const tp_world *world, tp_vector x, uint32_t species)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    tp_vector u = {0.0f, 0.0f, 0.0f};
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_item *item = tpi_field_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !(item->def.species_mask >> species & 1u)) continue;
        if (item->def.kind == TP_FIELD_WIND) u = tpi_add(u, field_wind(world, item, x));
        if (item->def.kind == TP_FIELD_VORTEX) u = tpi_add(u, field_vortex(&item->def, x));
    }
    return u;
}

/* ---- heat ---- */

uint32_t tpi_field_heat_units(const tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    uint32_t units = 0;
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++)
        units +=
            tpi_pool_is_alive(slots, slot) && tpi_field_at(world, slot)->def.kind == TP_FIELD_HEAT;
    return units;
}

void tpi_field_heat(const tp_world *world, tp_vector x, uint32_t species, float *rate, float *gain)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_settings *def = &tpi_field_at(world, slot)->def;
        if (!tpi_pool_is_alive(slots, slot) || def->kind != TP_FIELD_HEAT ||
            !(def->species_mask >> species & 1u))
            continue;
        tp_vector d = tpi_sub(x, def->center);
        if (def->core > 0.0f && !(tpi_dot(d, d) < def->core * def->core)) continue;
        *rate = *rate + def->linear;
        *gain = *gain + def->strength;
    }
}

/* ---- forces ---- */

/* Within 1e-9 m (core included) an attractor has no force: its direction there is rounding
   noise. */
static tp_vector field_attraction(const tpi_field_settings *def, tp_vector x)
{
    tp_vector d = tpi_sub(x, def->center);
    float square = tpi_dot(d, d) + def->core * def->core;
    if (!(square >= 1e-18f)) return tpi_vector(0.0f, 0.0f, 0.0f);
    return tpi_scale(d, -def->strength / (square * tpi_sqrt(square)));
}

tp_vector tpi_field_acceleration(const tp_world *world, const tpi_field_plan *plan,
                                 const tpi_field_sums *sums, tp_vector x, uint32_t species)
{
    tp_vector a = sums->gravity;
    if (TPI_LIKELY(!plan->has_attractor)) return a;
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_settings *def = &tpi_field_at(world, slot)->def;
        if (tpi_pool_is_alive(slots, slot) && def->kind == TP_FIELD_ATTRACTOR &&
            (def->species_mask >> species & 1u))
            a = tpi_add(a, field_attraction(def, x));
    }
    return a;
}

/* s' = -b s - k s^2 has the solution s exp(-b t) / (1 + k s (1 - exp(-b t)) / b) for the speed s
   relative to the medium; the direction is constant. */
float tpi_field_decline(const tpi_field_sums *sums, float dt, float *seconds)
{
    const float linear = sums->linear;
    *seconds = linear > 0.0f && sums->quadratic > 0.0f ? dt * field_decay(linear * dt) : dt;
    return linear > 0.0f ? tpi_exp(-linear * dt) : 1.0f;
}

/* `u` is the medium's velocity. */
static tp_vector field_drag_in(const tpi_field_sums *sums, tp_vector u, tp_vector v, float dt)
{
    float linear = sums->linear, quadratic = sums->quadratic, factor = 1.0f;
    tp_vector relative = tpi_sub(v, u);
    if (linear > 0.0f) factor = tpi_exp(-linear * dt);
    if (quadratic > 0.0f) {
        float seconds = linear > 0.0f ? dt * field_decay(linear * dt) : dt;
        factor = factor / (1.0f + quadratic * tpi_length(relative) * seconds);
    }
    return tpi_add_scaled(u, relative, factor);
}

/* Boxes have their lower faces, so that of two beside one another one acts. */
static bool field_is_in_box(const tpi_field_settings *def, tp_vector x, uint32_t dimensions)
{
    const tp_vector d = tpi_sub(x, def->center), half = def->vector;
    bool is_in = d.x >= -half.x && d.x < half.x && d.y >= -half.y && d.y < half.y;
    return is_in && (dimensions == 2 || (d.z >= -half.z && d.z < half.z));
}

/* Adds the drags whose box has a point, in the order of their slots. */
static TPI_APART void field_sums_box(const tp_world *world, tp_vector x, uint32_t species,
                                     tpi_field_sums *sums)
{
    const uint32_t *slots = tpi_words(world, world->fields.slots);
    const float mass = world->def.species[species].mass;
    for (uint32_t slot = 0; slot < tpi_fields_end(world); slot++) {
        const tpi_field_settings *def = &tpi_field_at(world, slot)->def;
        if (!tpi_pool_is_alive(slots, slot) || !field_has_box(def) ||
            !(def->species_mask >> species & 1u) || !field_is_in_box(def, x, tpi_dimensions(world)))
            continue;
        sums->linear += def->linear / mass;
        sums->quadratic += def->quadratic / mass;
    }
}

/* The sums at a point. */
static tpi_field_sums field_sums_at(const tp_world *world, const tpi_field_plan *plan,
                                    const tpi_field_sums *sums, tp_vector x, uint32_t species)
{
    tpi_field_sums all = *sums;
    if (TPI_UNLIKELY(plan->has_boxes)) field_sums_box(world, x, species, &all);
    return all;
}

static bool field_drags(const tpi_field_sums *sums)
{
    return sums->linear != 0.0f || sums->quadratic != 0.0f;
}

static tp_vector field_medium_of(const tp_world *world, const tpi_field_plan *plan, tp_vector x,
                                 uint32_t species)
{
    return plan->has_medium ? tpi_field_medium(world, x, species) : tpi_vector(0.0f, 0.0f, 0.0f);
}

tp_vector tpi_field_drag(const tp_world *world, const tpi_field_plan *plan,
                         const tpi_field_sums *sums, tp_vector x, tp_vector v, uint32_t species,
                         float dt)
{
    const tpi_field_sums all = field_sums_at(world, plan, sums, x, species);
    if (!field_drags(&all)) return v;
    return field_drag_in(&all, field_medium_of(world, plan, x, species), v, dt);
}

tp_vector tpi_field_kick(const tp_world *world, const tpi_field_plan *plan,
                         const tpi_field_sums *sums, tp_vector x, tp_vector v, uint32_t species,
                         float dt)
{
    tp_vector a = tpi_field_acceleration(world, plan, sums, x, species);
    const tpi_field_sums all = field_sums_at(world, plan, sums, x, species);
    if (!field_drags(&all)) return tpi_add_scaled(v, a, dt);
    tp_vector u = field_medium_of(world, plan, x, species);
    v = tpi_add_scaled(field_drag_in(&all, u, v, 0.5f * dt), a, dt);
    return field_drag_in(&all, u, v, 0.5f * dt);
}

#undef TPI_HALF_TURN
#undef TPI_NOISE_2D
#undef TPI_NOISE_3D
