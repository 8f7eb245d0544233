/* SPDX-License-Identifier: MIT
   runtime/step/change.c - the moment at which changes of settings take effect: the end of a frame.
   reads   the changes that wait      writes  the world's definition, emitters, sinks, colliders
   memory  none                       cost    O(items), and O(species^2) for the world's own
   after   own design */
#include "step.h"
#include "../emit/emit.h"
#include "../move/collide.h"
#include "../solve/solve.h"
#include "../world/change.h"

static void change_item(tp_world *world, tp_pool kind, uint32_t slot, const void *def)
{
    if (kind == TP_POOL_EMITTERS && TPI_HAS_EMITTERS)
        tpi_emitter_change(world, slot, (const tp_emitter_def *)def);
    if (kind == TP_POOL_SINKS && TPI_HAS_EMITTERS)
        tpi_sink_change(world, slot, (const tp_sink_def *)def);
    if (kind == TP_POOL_COLLIDERS && TPI_HAS_COLLIDERS)
        tpi_collider_change(world, slot, (const tp_collider_def *)def);
}

void tpi_changes_apply(tp_world *world)
{
    if (!tpi_takes_changes(world)) return;
    const tp_world_def *def = (const tp_world_def *)tpi_change_of(world, TPI_POOL_WORLD, 0);
    if (def) tpi_world_become(world, def);
    for (tp_pool kind = TP_POOL_EMITTERS; kind <= TP_POOL_COLLIDERS; kind++) {
        const tpi_pool *pool = tpi_item_pool(world, kind);
        for (uint32_t slot = 0; slot < pool->end; slot++) {
            const void *next = tpi_change_of(world, kind, slot);
            if (next) change_item(world, kind, slot, next);
        }
    }
    tpi_changes_clear(world);
}

uint32_t tpi_changes_units(const tp_world *world)
{
    if (!tpi_takes_changes(world)) return 0;
    return 16u + tpi_emitters_end(world) + tpi_sinks_end(world) + 2u * tpi_colliders_end(world);
}

/* ---- changes of an untrusted block ---- */

static const char *change_audit_item(const tp_world *world, tp_pool kind, uint32_t slot,
                                     const void *def)
{
    switch (kind) {
    case TP_POOL_EMITTERS:
        return TPI_HAS_EMITTERS ? tpi_emitter_audit_change(world, slot, (const tp_emitter_def *)def)
                                : NULL;
    case TP_POOL_SINKS:
        return TPI_HAS_EMITTERS ? tp_sink_check(world, (const tp_sink_def *)def) : NULL;
    case TP_POOL_COLLIDERS:
        return TPI_HAS_COLLIDERS
                   ? tpi_collider_audit_change(world, slot, (const tp_collider_def *)def)
                   : NULL;
    default: return NULL;
    }
}

static const char *change_audit_world(const tp_world *world, const tp_world_def *def)
{
    if (def->stamp != TPI_STAMP_WORLD) return tp_result_text(TP_ERROR_STAMP);
    if (!tpi_audit_bools(def)) return TPI_TEXT("a definition whose bools are true or false");
    return tpi_world_change_fault(world, def);
}

const char *tpi_changes_audit(const tp_world *world, uint64_t *offset)
{
    if (!tpi_takes_changes(world)) return NULL;
    *offset = world->changed;
    const tp_world_def *def = (const tp_world_def *)tpi_change_of(world, TPI_POOL_WORLD, 0);
    const char *text = def ? change_audit_world(world, def) : NULL;
    for (tp_pool kind = TP_POOL_EMITTERS; kind <= TP_POOL_COLLIDERS && !text; kind++) {
        const tpi_pool *pool = tpi_item_pool(world, kind);
        const uint32_t *slots = tpi_words(world, pool->slots);
        for (uint32_t slot = 0; slot < pool->capacity && !text; slot++) {
            const void *next = tpi_change_of(world, kind, slot);
            *offset =
                (uint64_t)((const char *)tpi_change_at(world, kind, slot) - (const char *)world);
            if (next && !tpi_pool_is_alive(slots, slot))
                text = TPI_TEXT("no changes of items that do not exist");
            else if (next)
                text = change_audit_item(world, kind, slot, next);
        }
    }
    return text;
}
