/* SPDX-License-Identifier: MIT
   runtime/world/audit.c - checks the head, slots and particles of an untrusted block.
   reads   the block      writes  nothing
   memory  a plan of the layout on the stack      cost    O(particles + pools)
   after   own design: every value used as an index or a count is compared with the limit given by
           the definition */
#include "block.h"
#include "heat.h"
#include "box.h"
#include "load.h"
#include "solver.h"
#include "event.h"

/* Byte offset of a member of the head, for the fault report. */
#define AUDIT_AT(member) (uint64_t) offsetof(tp_world, member)

bool tpi_audit_bools(const tp_world_def *def)
{
    const bool *const bools[] = {TPI_DEF_BOOLS(def)};
    bool is_good = true;
    for (uint32_t k = 0; k < sizeof bools / sizeof bools[0]; k++)
        is_good = is_good && tpi_is_good_bool(bools[k]);
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        is_good = is_good && tpi_is_good_bool(&def->species[s].is_tracer);
    return is_good;
}

static const char *audit_definition(const tp_world_def *def)
{
    if (def->stamp != TPI_STAMP_WORLD) return tp_result_text(TP_ERROR_STAMP);
    if (!tpi_audit_bools(def)) return TPI_TEXT("a definition whose bools are true or false");
    return tpi_world_check_fields(def);
}

/* Compares bytes, because none of these structures has padding. */
bool tpi_world_has_layout(const tp_world *world, const tp_world_def *def)
{
    tpi_world_plan plan;
    const tpi_pool *const pools[TPI_POOLS] = {&world->emitters,  &world->sinks, &world->fields,
                                              &world->colliders, &world->links, &world->bodies};
    bool is_good = tpi_world_plan_of(def, &plan) == world->bytes && world->bytes <= TPI_LAYOUT_MAX;
    if (world->front == 1u) tpi_arrays_exchange(&plan.arrays, def->keeps_births);
    is_good = is_good && tpi_is_same(&plan.arrays, &world->arrays, sizeof plan.arrays) &&
              tpi_is_same(&plan.grid, &world->grid, sizeof plan.grid) &&
              plan.geometry == world->geometry &&
              plan.recycle_histogram == world->recycle_histogram && plan.loads == world->loads &&
              plan.changed == world->changed && plan.carried == world->carried &&
              plan.events == world->events && plan.feeds == world->feeds &&
              (!TPI_HAS_LINKS || plan.link_sums == world->link_sums) &&
              plan.pairs == world->pairs_pool.capacity;
    for (uint32_t p = 0; p < TPI_POOLS; p++)
        is_good = is_good && pools[p]->capacity == plan.pools[p].capacity &&
                  pools[p]->slots == plan.pools[p].slots &&
                  pools[p]->items == plan.pools[p].items &&
                  pools[p]->item_bytes == plan.pools[p].item_bytes;
    return is_good;
}

static const char *audit_layout(const tp_world *world, uint64_t *offset)
{
    *offset = AUDIT_AT(arrays);
    return tpi_world_has_layout(world, &world->def)
               ? NULL
               : TPI_TEXT("the layout that follows from the definition");
}

static const char *audit_clock(const tp_world *world, uint64_t *offset)
{
    const tpi_clock *clock = &world->clock;
    *offset = AUDIT_AT(clock);
    if (clock->tick >= TP_TICKS_PER_FRAME || !tpi_is_within(clock->step_fraction, 0.0f, 1.0f) ||
        !tpi_is_within(clock->stable_fraction, 0.0f, 1.0f) ||
        !tpi_is_good_bool(&clock->was_capped) || !tpi_is_good_bool(&clock->frame_begun))
        return TPI_TEXT("a clock inside of a frame");
    /* no sum of the clock overflows */
    if (clock->frame >> 63) return TPI_TEXT("a clock.frame below 2^63");
    *offset = AUDIT_AT(target_frame);
    if (world->target_frame < clock->frame ||
        world->target_frame - clock->frame > world->def.lag_frames_max)
        return TPI_TEXT("a target_frame from clock.frame to lag_frames_max beyond it");
    return NULL;
}

const char *tpi_audit_head(const tp_world *world, uint64_t *offset)
{
    *offset = 0;
    if (tpi_world_check_block(world) != TP_OK) return tp_result_text(TP_ERROR_BLOCK);
    *offset = AUDIT_AT(def);
    const char *text = audit_definition(&world->def);
    if (text) return text;
    *offset = AUDIT_AT(front);
    if (world->front > 1u) return TPI_TEXT("front 0 or 1");
    text = audit_layout(world, offset);
    if (text) return text;
    *offset = AUDIT_AT(count);
    if (world->count > world->def.particles_max)
        return TPI_TEXT("a count of at most particles_max");
    *offset = AUDIT_AT(geometry_used);
    if (world->geometry_used > world->def.geometry_bytes_max || (world->geometry_used & 3u))
        return TPI_TEXT("geometry_used of at most geometry_bytes_max, a multiple of 4");
    *offset = AUDIT_AT(events_head);
    if (world->events_count > world->def.events_max ||
        (world->events && world->events_head >= 2u * world->def.events_max))
        return TPI_TEXT("an events_head inside of the ring, and at most events_max events in it");
    return audit_clock(world, offset);
}

const char *tpi_audit_slots(const tp_world *world, uint64_t *offset)
{
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++) {
        const tpi_pool *pool = tpi_item_pool(world, p);
        const uint32_t *slots = tpi_words(world, pool->slots);
        for (uint32_t slot = 0; slot < pool->capacity; slot++) {
            uint32_t generation = slots[slot] >> 1;
            *offset = pool->slots + (uint64_t)slot * 4u;
            if (generation > TPI_GENERATION_LAST || (generation == 0 && slots[slot] != 0))
                return TPI_TEXT(
                    "a slot word: bit 0 alive, above it a generation of 1 to 65535, or 0");
        }
    }
    return NULL;
}

/* True if the values are as a complete step leaves them: within limits, no subnormal numbers,
   inside a periodic box. */
static bool audit_number(const tp_world *world, uint32_t axis, float x, float v)
{
    const tp_world_def *def = &world->def;
    const float lows[3] = {def->box_low.x, def->box_low.y, def->box_low.z};
    const float sizes[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    float low = tpi_flush(lows[axis]); /* as tpi_box_of */
    if (!tpi_is_within(x, -TPI_POSITION_MAX, TPI_POSITION_MAX) || tpi_flush(x) != x) return false;
    if (!tpi_is_within(v, -TPI_SPEED_MAX, TPI_SPEED_MAX) || tpi_flush(v) != v) return false;
    return !(def->periodic_axes >> axis & 1u) || (x >= low && x < low + sizes[axis]);
}

/* The largest magnitude of a number that a solver keeps. */
static float audit_kept_range(const tp_world *world, uint32_t k)
{
    if (k == TPI_KEPT_FUEL) return 1.0f;
    bool is_strength = tpi_has_strengths(world) && k < TPI_KEPT_WARMTH;
    return is_strength ? 1.001f * world->def.vortex.strength_max : world->def.heat.range;
}

/* Pressures and fuel are not negative, all are within their range, and no number is subnormal. */
static bool audit_kept(const tp_world *world, uint32_t i, uint64_t *offset)
{
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++) {
        const float *kept = tpi_front_kept(world, k);
        *offset = world->arrays.kept[world->front][k] + (uint64_t)i * 4u;
        bool is_signed =
            k != TPI_KEPT_FUEL && (k == TPI_KEPT_TEMPERATURE || tpi_has_strengths(world));
        float range = audit_kept_range(world, k);
        float low = is_signed ? -range : 0.0f, high = is_signed ? range : FLT_MAX;
        if (kept && (!tpi_is_within(kept[i], low, high) || tpi_flush(kept[i]) != kept[i]))
            return false;
    }
    return true;
}

/* True for contacts with different living colliders. */
static bool audit_contacts(const tp_world *world, uint32_t contacts)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    uint32_t found = 0;
    for (uint32_t k = 0; k < tpi_contacts_count(contacts); k++) {
        const uint32_t slot = tpi_contacts_slot(contacts, k);
        if (slot >= world->colliders.capacity || !tpi_pool_is_alive(slots, slot) ||
            tpi_contacts_have(found, slot))
            return false;
        found = tpi_contacts_with(found, slot);
    }
    return found == contacts;
}

const char *tpi_audit_particles(const tp_world *world, uint64_t *offset)
{
    for (uint32_t i = 0; i < world->count; i++) {
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            *offset = world->arrays.x[world->front][axis] + (uint64_t)i * 4u;
            if (!audit_number(world, axis, tpi_front_x(world, axis)[i],
                              tpi_front_v(world, axis)[i]))
                return TPI_TEXT("a finite position inside of the world, and a finite velocity");
        }
        if (!audit_kept(world, i, offset))
            return TPI_TEXT("finite pressures of at least 0, temperatures within heat.range, "
                            "strengths within vortex.strength_max, and fuel of 0 to 1");
        for (uint32_t k = 0; tpi_def_keeps_last(&world->def) && k < tpi_dimensions(world); k++) {
            const float *last = tpi_last_x(world, k);
            *offset = (uint64_t)((const char *)(last + i) - (const char *)world);
            if (!tpi_is_within(last[i], -TPI_POSITION_MAX, TPI_POSITION_MAX))
                return TPI_TEXT("a finite position when the last frame began");
        }
        *offset = world->arrays.springs[world->front] +
                  (uint64_t)i * world->def.sph.springs_max * sizeof(tpi_spring);
        if (tpi_has_springs(world) && !tpi_springs_audit(world, i))
            return TPI_TEXT("springs of living particles with lengths up to the support radius, in "
                            "the order of ids");
        *offset = world->arrays.meta + (uint64_t)i * 4u;
        if (TP_META_SPECIES(tpi_words(world, world->arrays.meta)[i]) >= world->def.species_count)
            return TPI_TEXT("a species below species_count");
        const uint32_t *contacts = tpi_contacts(world, world->front);
        *offset = contacts ? (uint64_t)((const char *)(contacts + i) - (const char *)world) : 0;
        if (contacts && !audit_contacts(world, contacts[i]))
            return TPI_TEXT("contacts with colliders that are there");
    }
    return NULL;
}

#undef AUDIT_AT
