/* SPDX-License-Identifier: MIT
   runtime/emit/sink.c - sinks: kill particles by age, by lifetime, or by position.
   reads   sinks, emitters' lifetimes, the clock      writes  the pool of sinks
   memory  the pool's items                           cost    O(sinks_max) per particle
   after   own design: ages are modulo 2^32 ticks; a lifetime is computed from the particle's id,
           not stored */
#include "emit.h"
#include "../world/change.h"

#define TPI_CHANNEL_LIFETIME 0x4c494645u
#define TPI_CHANNEL_SINK     0x53494e4bu

tp_sink_def tp_sink_default(void)
{
    tp_sink_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_SINK;
    def.shape = TP_SINK_PLANE;
    def.species_mask = 0xffffffffu;
    def.age_ticks = TPI_AGE_MAX;
    def.half = tpi_vector(1.0f, 1.0f, 1.0f);
    def.radius = 1.0f;
    def.normal = tpi_vector(0.0f, 1.0f, 0.0f);
    def.rate = TP_SINK_AT_ONCE;
    return def;
}

void tpi_sink_settle(const tp_world *world, tp_sink_def *def)
{
    TPI_CLEAR_GAP(def, tp_sink_def, is_inverted, species_mask);
    def->center = tpi_flat(world, def->center);
    def->normal = tpi_flat(world, def->normal);
    if (tpi_dimensions(world) == 2) def->half.z = 1.0f; /* any thickness: z is 0 */
}

static const char *sink_check_shape(const tp_world *world, const tp_sink_def *def)
{
    float square = tpi_dot(def->normal, def->normal);
    switch (def->shape) {
    case TP_SINK_AGE:
        if (!world->def.keeps_births)
            return TPI_TEXT("shape TP_SINK_AGE needs a world with keeps_births");
        if (def->age_ticks > TPI_AGE_MAX) return TPI_TEXT("age_ticks must be 0 to 4293525855");
        break;
    case TP_SINK_PLANE:
        if (!tpi_is_within(square, 0.999f, 1.001f))
            return TPI_TEXT("normal must have unit length (2D: in x and y)");
        if (!tpi_is_within(def->offset, -TPI_POSITION_MAX, TPI_POSITION_MAX))
            return TPI_TEXT("offset must be -1e9 to 1e9");
        break;
    case TP_SINK_BOX:
        if (!tpi_is_vector_within(def->half, TPI_POSITION_MAX) || def->half.x < 0.0f ||
            def->half.y < 0.0f || def->half.z < 0.0f)
            return TPI_TEXT("half must be 0 to 1e9 along each axis");
        break;
    case TP_SINK_SPHERE:
        if (!tpi_is_within(def->radius, 0.0f, TPI_POSITION_MAX))
            return TPI_TEXT("radius must be 0 to 1e9");
        break;
    default: return TPI_TEXT("shape must be a TP_SINK_ value");
    }
    return NULL;
}

const char *tp_sink_check(const tp_world *world, const tp_sink_def *definition)
{
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_sink_default");
    if (definition->stamp != TPI_STAMP_SINK) return tp_result_text(TP_ERROR_STAMP);
    if (!tpi_is_good_bool(&definition->is_inverted))
        return TPI_TEXT("is_inverted must be true or false");
    tp_sink_def def = *definition;
    tpi_sink_settle(world, &def);
    const char *text = sink_check_shape(world, &def);
    if (text) return text;
    if (!tpi_is_within(def.rate, 0.0f, TP_SINK_AT_ONCE)) return TPI_TEXT("rate must be 0 to 1e9");
    bool has_inside = def.shape == TP_SINK_BOX || def.shape == TP_SINK_SPHERE;
    if (has_inside && !tpi_is_vector_within(def.center, TPI_POSITION_MAX))
        return TPI_TEXT("center must be -1e9 to 1e9 along each axis");
    if (!has_inside && def.is_inverted)
        return TPI_TEXT("is_inverted needs TP_SINK_BOX or TP_SINK_SPHERE");
    return NULL;
}

tp_result tp_sink_add(tp_world *world, const tp_sink_def *definition, tp_sink *sink)
{
    tp_result result = tpi_item_check(world, definition, TPI_STAMP_SINK, sink ? &sink->id : NULL);
    if (result != TP_OK) return result;
    if (tp_sink_check(world, definition)) return TP_ERROR_DEFINITION;
    uint32_t slot = tpi_pool_take(&world->sinks, tpi_words(world, world->sinks.slots), &sink->id);
    if (slot == TPI_NO_SLOT) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    tpi_sink_at(world, slot)->def = *definition;
    tpi_sink_settle(world, &tpi_sink_at(world, slot)->def);
    return TP_OK;
}

tp_result tp_sink_remove(tp_world *world, tp_sink sink)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_SINKS, sink.id, &slot);
    if (result == TP_OK) tpi_item_remove(world, TP_POOL_SINKS, slot);
    return result;
}

const char *tp_sink_set_check(const tp_world *world, tp_sink sink, const tp_sink_def *definition)
{
    uint32_t slot;
    tp_result result =
        tpi_change_check(world, TP_POOL_SINKS, sink.id, definition, TPI_STAMP_SINK, &slot);
    const char *text = tpi_change_fault(world, result);
    return text ? text : tp_sink_check(world, definition);
}

tp_result tp_sink_set(tp_world *world, tp_sink sink, const tp_sink_def *definition)
{
    uint32_t slot;
    tp_result result =
        tpi_change_check(world, TP_POOL_SINKS, sink.id, definition, TPI_STAMP_SINK, &slot);
    if (result != TP_OK) return result;
    if (!tpi_takes_changes(world) || tp_sink_check(world, definition)) return TP_ERROR_DEFINITION;
    tp_sink_def def = *definition;
    tpi_sink_settle(world, &def);
    if (tpi_is_in_frame(world))
        tpi_change_put(world, TP_POOL_SINKS, slot, &def);
    else
        tpi_sink_change(world, slot, &def);
    return TP_OK;
}

tp_result tp_sink_rate(tp_world *world, tp_sink sink, float rate)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_SINKS, sink.id, &slot);
    if (result != TP_OK) return result;
    const void *waits = tpi_change_of(world, TP_POOL_SINKS, slot);
    tp_sink_def def = waits ? *(const tp_sink_def *)waits : tpi_sink_at(world, slot)->def;
    def.rate = rate;
    return tp_sink_set(world, sink, &def);
}

void tpi_sink_change(tp_world *world, uint32_t slot, const tp_sink_def *def)
{
    tpi_sink_at(world, slot)->def = *def;
    tpi_sink_settle(world, &tpi_sink_at(world, slot)->def);
}

/* ---- the step's calls ---- */

static bool sink_takes(const tp_sink_def *def, tp_vector position, uint32_t age)
{
    tp_vector d = tpi_sub(position, def->center);
    bool is_inside = false;
    switch (def->shape) {
    case TP_SINK_AGE: return age > def->age_ticks;
    case TP_SINK_PLANE: return tpi_dot(def->normal, position) < def->offset;
    case TP_SINK_BOX:
        is_inside = tpi_abs(d.x) <= def->half.x && tpi_abs(d.y) <= def->half.y &&
                    tpi_abs(d.z) <= def->half.z;
        break;
    case TP_SINK_SPHERE: is_inside = tpi_dot(d, d) <= def->radius * def->radius; break;
    }
    return is_inside != def->is_inverted;
}

/* True if the sink kills a particle there in this step: a random number of the particle and the
   time. */
static bool sink_draws(const tp_world *world, const tp_sink_def *def, uint32_t handle, uint32_t id)
{
    if (def->rate >= TP_SINK_AT_ONCE) return true;
    tpi_random_key key = {world->def.seed, world->def.world_id, id, handle ^ TPI_CHANNEL_SINK};
    return tpi_random_unit(key, (uint32_t)tpi_now(world)) >=
           tpi_exp(-def->rate * world->step.timestep);
}

/* Lifetimes of an emitter. */
typedef struct sink_limit {
    uint32_t ticks; /* 0: there are none */
    float jitter;
    uint32_t handle;
} sink_limit;

/* Each particle's lifetime is shortened by its own random share. */
static uint32_t sink_lifetime(const tp_world *world, const sink_limit *limit, uint32_t id)
{
    uint32_t lifetime = limit->ticks;
    float jitter = (float)lifetime * limit->jitter; /* below 2^32: see TPI_AGE_MAX */
    tpi_random_key key = {world->def.seed, world->def.world_id, id,
                          limit->handle ^ TPI_CHANNEL_LIFETIME};
    return lifetime - tpi_min_u32((uint32_t)(jitter * tpi_random_unit(key, 0)), lifetime);
}

/* The random number is computed only near the end of the lifetime. */
static bool sink_lifetime_is_over(const tp_world *world, const sink_limit *limit, uint32_t age,
                                  uint32_t id)
{
    uint32_t lifetime = limit->ticks;
    if (age >= lifetime) return true;
    if ((float)(lifetime - age) > (float)lifetime * limit->jitter) return false;
    return age >= sink_lifetime(world, limit, id);
}

/* The least of what sink_lifetime gives, or TP_TICKS_NONE. */
static uint32_t sink_shortest(uint32_t ticks, float jitter)
{
    if (ticks == 0) return TP_TICKS_NONE;
    return ticks - tpi_min_u32((uint32_t)((float)ticks * jitter), ticks);
}

uint32_t tpi_emitter_shortest(const tp_world *world, uint32_t slot)
{
    const tpi_emitter_item *item = tpi_emitter_at(world, slot);
    return tpi_min_u32(sink_shortest(item->def.lifetime_ticks, item->def.lifetime_jitter),
                       sink_shortest(item->before.lifetime_ticks, item->before.lifetime_jitter));
}

/* The lifetimes of the emitter of a particle. */
static sink_limit sink_limit_of(const tp_world *world, uint32_t meta, uint32_t id)
{
    const sink_limit none = {0, 0.0f, 0};
    uint32_t slot = TP_META_EMITTER(meta) - 1u; /* 0 (no emitter) wraps to the largest number */
    if (slot >= tpi_emitters_end(world)) return none;
    const tpi_emitter_item *item = tpi_emitter_at(world, slot);
    const tpi_emitter_before *before = &item->before;
    if ((item->def.lifetime_ticks == 0 && before->lifetime_ticks == 0) ||
        !tpi_pool_is_alive(tpi_words(world, world->emitters.slots), slot))
        return none;
    if (tpi_emitter_owns(world, item, id))
        return (sink_limit){item->def.lifetime_ticks, item->def.lifetime_jitter, item->handle};
    if (id - before->first_id < before->end_id - before->first_id)
        return (sink_limit){before->lifetime_ticks, before->lifetime_jitter, before->handle};
    return none;
}

uint32_t tpi_sinks_lifetime(const tp_world *world, uint32_t meta, uint32_t id)
{
    const sink_limit limit = sink_limit_of(world, meta, id);
    uint32_t species = 1u << (TP_META_SPECIES(meta) & 31u);
    uint32_t life = limit.ticks ? tpi_max_u32(sink_lifetime(world, &limit, id), 1u) : TP_TICKS_NONE;
    for (uint32_t slot = 0; slot < tpi_sinks_end(world); slot++) {
        const tp_sink_def *def = &tpi_sink_at(world, slot)->def;
        if (tpi_pool_is_alive(tpi_words(world, world->sinks.slots), slot) &&
            def->shape == TP_SINK_AGE && (def->species_mask & species) &&
            def->rate >= TP_SINK_AT_ONCE)
            life = tpi_min_u32(life, def->age_ticks + 1u);
    }
    return life;
}

tp_death tpi_sinks_take(const tp_world *world, tp_vector position, uint32_t meta,
                        uint32_t birth_ticks, uint32_t id, uint32_t *handle)
{
    uint32_t age = (uint32_t)tpi_now(world) + world->step.ticks - birth_ticks;
    uint32_t species = 1u << (TP_META_SPECIES(meta) & 31u);
    const uint32_t *slots = tpi_words(world, world->sinks.slots);
    const sink_limit limit = sink_limit_of(world, meta, id);
    if (limit.ticks && sink_lifetime_is_over(world, &limit, age, id)) {
        *handle = limit.handle;
        return TP_DEATH_LIFETIME;
    }
    for (uint32_t slot = 0; slot < tpi_sinks_end(world); slot++) {
        const tp_sink_def *def = &tpi_sink_at(world, slot)->def;
        if (!tpi_pool_is_alive(slots, slot) || !(def->species_mask & species) ||
            !sink_takes(def, position, age) ||
            !sink_draws(world, def, tpi_pool_handle(slots, slot), id))
            continue;
        *handle = tpi_pool_handle(slots, slot);
        return TP_DEATH_SINK;
    }
    return TP_DEATH_NONE;
}

uint32_t tpi_sinks_units(const tp_world *world) { return tpi_sinks_used(world); }

#undef TPI_CHANNEL_LIFETIME
#undef TPI_CHANNEL_SINK
