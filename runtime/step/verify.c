/* SPDX-License-Identifier: MIT
   runtime/step/verify.c - accepts an untrusted block as a world: checks its data, recomputes
           derived data.
   reads   the block      writes  the block, only if no fault was found
   memory  none           cost    O(particles + geometry + (emitters + colliders)^2)
   after   own design: values that can be derived from checked ones are recomputed rather than
           checked */
#include "step.h"
#include "../emit/emit.h"
#include "../world/change.h"
#include "../world/solver.h"
#include "../solve/solve.h"
#include "../solve/pair/pair.h"
#include "../move/collide.h"
#include "../move/body.h"

static const char *verify_item(const tp_world *world, tp_pool kind, uint32_t slot)
{
    switch (kind) {
    case TP_POOL_EMITTERS: return TPI_HAS_EMITTERS ? tpi_emitter_audit(world, slot) : NULL;
    case TP_POOL_SINKS:
        return TPI_HAS_EMITTERS ? tp_sink_check(world, &tpi_sink_at(world, slot)->def) : NULL;
    case TP_POOL_FIELDS: return TPI_HAS_FIELDS ? tpi_field_audit(world, slot) : NULL;
    case TP_POOL_COLLIDERS: return TPI_HAS_COLLIDERS ? tpi_collider_audit(world, slot) : NULL;
    case TP_POOL_BODIES: return TPI_HAS_BODIES ? tpi_body_audit(world, slot) : NULL;
    default: return TPI_HAS_LINKS ? tpi_link_audit(world, slot) : NULL;
    }
}

static void verify_derive_item(tp_world *world, tp_pool kind, uint32_t slot)
{
    switch (kind) {
    case TP_POOL_EMITTERS:
        if (TPI_HAS_EMITTERS) tpi_emitter_derive(world, slot);
        break;
    case TP_POOL_SINKS:
        if (TPI_HAS_EMITTERS) tpi_sink_settle(world, &tpi_sink_at(world, slot)->def);
        break;
    case TP_POOL_COLLIDERS:
        if (TPI_HAS_COLLIDERS) tpi_collider_derive(world, slot);
        break;
    case TP_POOL_BODIES:
        if (TPI_HAS_BODIES) tpi_body_derive(world, slot);
        break;
    case TP_POOL_LINKS:
        tpi_memset(tpi_link_at(world, slot)->index, 0, sizeof tpi_link_at(world, slot)->index);
        break;
    default: break; /* fields are derived all at once, in tpi_fields_derive */
    }
}

/* Bytes of the geometry pool that an item's definition needs, rounded up as in tpi_geometry_take;
   *offset: where they begin. */
static uint64_t verify_geometry(const tp_world *world, tp_pool kind, uint32_t slot,
                                uint32_t *offset)
{
    uint64_t bytes = 0;
    *offset = 0;
    if (kind == TP_POOL_EMITTERS && TPI_HAS_EMITTERS) {
        const tpi_emitter_item *item = tpi_emitter_at(world, slot);
        bytes = tpi_emitter_geometry_bytes(&item->mesh);
        *offset = item->mesh.vertices;
    }
    if (kind == TP_POOL_COLLIDERS && TPI_HAS_COLLIDERS) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        bytes =
            tpi_collider_geometry_bytes(tpi_mesh_corners(world), &item->def, item->room_entries);
        *offset = item->def.shape == TP_COLLIDER_MESH ? item->mesh.vertices : item->samples;
    }
    return (bytes + 3u) & ~(uint64_t)3u;
}

/* Finds the item whose geometry range begins at `begin`: returns the end of the range, or `begin`
   if there is none. */
static uint64_t verify_range(const tp_world *world, uint32_t begin)
{
    static const tp_pool kinds[2] = {TP_POOL_EMITTERS, TP_POOL_COLLIDERS};
    for (uint32_t k = 0; k < 2; k++) {
        const tpi_pool *pool = tpi_item_pool(world, kinds[k]);
        const uint32_t *slots = tpi_words(world, pool->slots);
        for (uint32_t slot = 0; slot < pool->capacity; slot++) {
            uint32_t offset = 0;
            if (!tpi_pool_is_alive(slots, slot)) continue;
            uint64_t bytes = verify_geometry(world, kinds[k], slot, &offset);
            if (bytes && offset == begin) return begin + bytes;
        }
    }
    return begin;
}

static uint32_t verify_ranges(const tp_world *world)
{
    static const tp_pool kinds[2] = {TP_POOL_EMITTERS, TP_POOL_COLLIDERS};
    uint32_t count = 0, offset;
    for (uint32_t k = 0; k < 2; k++) {
        const tpi_pool *pool = tpi_item_pool(world, kinds[k]);
        const uint32_t *slots = tpi_words(world, pool->slots);
        for (uint32_t slot = 0; slot < pool->capacity; slot++)
            count += tpi_pool_is_alive(slots, slot) &&
                     verify_geometry(world, kinds[k], slot, &offset) > 0;
    }
    return count;
}

/* Checks that the ranges of items follow each other without a gap up to geometry_used, and that no
   two share one. */
static const char *verify_tiling(const tp_world *world, uint64_t *offset)
{
    uint64_t begin = 0;
    uint32_t left = verify_ranges(world);
    for (; left > 0 && begin < world->geometry_used; left--) {
        uint64_t end = verify_range(world, (uint32_t)begin);
        if (end == begin || end > world->geometry_used) break;
        begin = end;
    }
    *offset = world->geometry + begin;
    return left == 0 && begin == world->geometry_used
               ? NULL
               : TPI_TEXT(
                     "a mesh or samples for each range of the geometry pool, one behind the other");
}

static const char *verify_items(const tp_world *world, uint64_t *offset)
{
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++) {
        const tpi_pool *pool = tpi_item_pool(world, p);
        const uint32_t *slots = tpi_words(world, pool->slots);
        for (uint32_t slot = 0; slot < pool->capacity; slot++) {
            *offset = pool->items + (uint64_t)slot * pool->item_bytes;
            const char *text = tpi_pool_is_alive(slots, slot) ? verify_item(world, p, slot) : NULL;
            if (text) return text;
        }
    }
    return NULL;
}

static const char *verify_all(const tp_world *world, uint64_t *offset)
{
    const char *text = tpi_audit_head(world, offset);
    if (!text) text = tpi_audit_slots(world, offset);
    if (!text) text = verify_tiling(world, offset);
    if (!text) text = verify_items(world, offset);
    if (!text) text = tpi_audit_particles(world, offset);
    if (!text) text = tpi_solver_audit(world, offset);
    if (!text) text = tpi_changes_audit(world, offset);
    return text;
}

/* ---- values derived from checked ones ---- */

static void verify_derive_pools(tp_world *world)
{
    for (tp_pool p = TP_POOL_EMITTERS; p <= TP_POOL_BODIES; p++) {
        tpi_pool *pool = tpi_item_pool(world, p);
        const uint32_t *slots = tpi_words(world, pool->slots);
        pool->peak = tpi_min_u32(pool->peak, pool->capacity);
        tpi_pool_recount(pool, slots);
        for (uint32_t slot = 0; slot < pool->end; slot++)
            if (tpi_pool_is_alive(slots, slot)) verify_derive_item(world, p, slot);
    }
    if (TPI_HAS_FIELDS) tpi_fields_derive(world);
}

/* Cancels the step in progress and drops kept lists and forces, because their arrays were not
   checked. */
static void verify_restart(tp_world *world)
{
    unsigned char active;
    tpi_memcpy(&active, &world->step.active, 1);
    world->report.steps_restarted += active != 0;
    tpi_memset(&world->step, 0, sizeof world->step);
    world->forces_fresh = world->list_valid = world->links_placed = false;
}

/* More units than any game frame has; a sum over 64 worlds and a budget stays below 2^64. */
#define VERIFY_UNITS_MAX ((uint64_t)1 << 48)

static void verify_derive(tp_world *world)
{
    tp_pool_report *pairs = &world->pairs_pool;
    const tp_world_def *next = (const tp_world_def *)tpi_change_of(world, TPI_POOL_WORLD, 0);
    verify_restart(world);
    tpi_solver_prepare(world, NULL);
    tpi_world_derive(world);
    if (next) tpi_solver_prepare(world, next);
    verify_derive_pools(world);
    world->count_peak =
        tpi_max_u32(tpi_min_u32(world->count_peak, world->def.particles_max), world->count);
    world->geometry_peak = tpi_max_u32(
        tpi_min_u32(world->geometry_peak, world->def.geometry_bytes_max), world->geometry_used);
    pairs->used = tpi_min_u32(pairs->used, pairs->capacity);
    pairs->peak = tpi_max_u32(tpi_min_u32(pairs->peak, pairs->capacity), pairs->used);
    pairs->retired = 0;
    if (world->report.units > VERIFY_UNITS_MAX) world->report.units = VERIFY_UNITS_MAX;
}
#undef VERIFY_UNITS_MAX

tp_result tp_world_verify(void *block, size_t bytes, tp_block_fault *fault, tp_world **world)
{
    uint64_t offset = 0;
    if (fault) *fault = (tp_block_fault){0, NULL};
    if (!block || !world) return TP_ERROR_NULL;
    *world = NULL;
    if ((uintptr_t)block & 15u) return TP_ERROR_ALIGNMENT;
    tp_world *found = (tp_world *)block;
    if (bytes < sizeof *found) return TP_ERROR_MEMORY;
    if (tpi_world_check_block(found) == TP_OK && found->bytes > bytes) return TP_ERROR_MEMORY;
    const char *text = verify_all(found, &offset);
    if (fault && text) *fault = (tp_block_fault){offset, text};
    if (text) return TP_ERROR_BLOCK;
    verify_derive(found);
    *world = found;
    return TP_OK;
}
